"""No test can pass because it never came to its assertions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

_TESTS = Path(__file__).parents[1]
_WITH = frozenset({"raises", "warns", "fail", "importorskip"})
# Of other iterables, whether they have an item is not known before the test runs.
_OF_ITEMS = frozenset(
    {"enumerate", "zip", "sorted", "reversed", "list", "tuple", "range", "product"}
)

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def asserting_helpers(trees: dict[str, ast.Module]) -> frozenset[str]:
    """The names of functions of the tests that surely assert something, by themselves or by calling
    one that does. Those that are tests are left out: no test calls one."""
    functions = [
        each
        for tree in trees.values()
        for each in ast.walk(tree)
        if isinstance(each, _Function) and not each.name.startswith("test_")
    ]
    found: frozenset[str] = frozenset()
    while functions:
        more = frozenset(each.name for each in functions if surely_asserts(each, found))
        if not more:
            break
        found |= more
        functions = [each for each in functions if each.name not in found]
    return found


def surely_asserts(function: _Function, helpers: frozenset[str]) -> bool:
    """Whether a function comes to an assertion whatever its values are: one that stands in no
    condition, and in no loop that may have no turn."""
    return any(_asserts(each, helpers, _full(function)) for each in function.body)


def _full(function: _Function) -> frozenset[str]:
    """The names that a function gives to collections whose items are written there."""
    return frozenset(
        target.id
        for each in ast.walk(function)
        if isinstance(each, ast.Assign | ast.AnnAssign) and each.value
        for target in (each.targets if isinstance(each, ast.Assign) else [each.target])
        if isinstance(target, ast.Name) and _has_items(each.value, frozenset())
    )


def _asserts(statement: ast.stmt, helpers: frozenset[str], full: frozenset[str]) -> bool:
    match statement:
        case ast.Assert():
            return not _is_of_all(statement.test, full)
        case ast.With() | ast.AsyncWith():
            called = (_name(item.context_expr) for item in statement.items)
            return any(name in _WITH | helpers for name in called) or any(
                _asserts(each, helpers, full) for each in statement.body
            )
        case ast.For():
            return _has_items(statement.iter, full) and any(
                _asserts(each, helpers, full) for each in statement.body
            )
        case ast.If():
            return bool(statement.orelse) and all(
                any(_asserts(each, helpers, full) for each in part)
                for part in (statement.body, statement.orelse)
            )
        case ast.Try():
            parts = [*statement.body, *statement.finalbody]
            return any(_asserts(each, helpers, full) for each in parts)
        case ast.FunctionDef() | ast.ClassDef() | ast.While() | ast.Match():
            return False
    calls = (each for each in ast.walk(statement) if isinstance(each, ast.Call))
    return any(_name(call) in _WITH | helpers for call in calls)


def _is_of_all(condition: ast.expr, full: frozenset[str]) -> bool:
    """Whether an assertion is about all items of what may have none."""
    match condition:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call() as call) if _name(call) == "any":
            called = call
        case ast.Call() as call if _name(call) == "all":
            called = call
        case _:
            return False
    [items] = called.args
    if isinstance(items, ast.GeneratorExp | ast.ListComp):
        return not _has_items(items.generators[0].iter, full)
    return not _has_items(items, full)


def _has_items(iterable: ast.expr, full: frozenset[str]) -> bool:
    """Whether a loop surely has a turn: over items that are written there, or over a constant.

    full: names of what surely has items.
    """
    match iterable:
        case ast.Tuple() | ast.List() | ast.Set() | ast.Dict():
            return True
        case ast.Constant():
            return bool(iterable.value)
        case ast.Name():
            return iterable.id.isupper() or iterable.id in full
        case ast.IfExp():
            return all(_has_items(each, full) for each in (iterable.body, iterable.orelse))
        case ast.BinOp(op=ast.Add()):
            return any(_has_items(each, full) for each in (iterable.left, iterable.right))
        case ast.Attribute():
            return iterable.attr.isupper()
        case ast.Call(func=ast.Name()) if iterable.func.id in _OF_ITEMS:
            args = (each for each in iterable.args if not isinstance(each, ast.Constant))
            return all(_has_items(each, full) for each in args)
        case ast.Call(func=ast.Attribute()):  # of a constant: TEXTS.items(), "a b".split()
            return _has_items(iterable.func.value, full)
    return False


def _name(expression: ast.expr) -> str:
    called = expression.func if isinstance(expression, ast.Call) else expression
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _tests(trees: dict[str, ast.Module]) -> Iterator[tuple[str, _Function]]:
    for file, tree in trees.items():
        for each in ast.walk(tree):
            if isinstance(each, _Function) and each.name.startswith("test_"):
                yield f"{file}::{each.name}", each


def may_assert_nothing(trees: dict[str, ast.Module]) -> list[str]:
    """The tests that may end without an assertion."""
    helpers = asserting_helpers(trees)
    return [name for name, test in _tests(trees) if not surely_asserts(test, helpers)]


@pytest.mark.slow
def test_every_test_comes_to_an_assertion() -> None:
    trees = {str(path): ast.parse(path.read_text("utf-8")) for path in sorted(_TESTS.rglob("*.py"))}
    assert len(list(_tests(trees))) > 1_000
    assert may_assert_nothing(trees) == []


@pytest.mark.parametrize(
    ("body", "is_sure"),
    [
        ("assert x", True),
        ("for each in found: assert each", False),
        ("for each in (1, 2): assert each", True),
        ("for each in CASES.items(): assert each", True),
        ("for each in zip(CASES, found): assert each", False),
        ("if x: assert x", False),
        ("if x:\n        assert x\n    else:\n        assert y", True),
        ("with pytest.raises(E): f()", True),
        ("with opened() as f:\n        for each in f: assert each", False),
        ("def inner(): assert x\n    run(inner)", False),
        ("check(x)", True),
        ("f(x)", False),
    ],
)
def test_the_check_can_fail(body: str, is_sure: bool) -> None:
    helper = "def check(x):\n    assert x\n"
    tree = ast.parse(f"{helper}def test_a():\n    {body}\n")
    assert (may_assert_nothing({"a.py": tree}) == []) is is_sure
