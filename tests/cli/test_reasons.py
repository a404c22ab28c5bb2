"""What is said is data: every reason has its sentences, and below the doors there are no commands.

The tests read the source: a code, and the values that stand in the places of its sentence, are
found where a reason is made.
"""

from __future__ import annotations

import ast
import inspect
import pickle
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import kb
from kb.cli.group import main
from kb.reason import Argument, sentences

ROOT = Path(__file__).parents[2]
DOORS = ("kb/cli", "kb/web", "kb/mcp", "kb/lsp")
MAKERS = {
    "BuildError", "NotFoundError", "QuestionError", "Reason", "ReasonError", "WorkerDiedError",
}  # fmt: skip
PLACE = re.compile(r"\{(\w+)(?::[^{}]+)?\}")


class Site(NamedTuple):
    """Where a reason is made: its codes, as patterns; and the names of its values, None if they
    can't be told from the source."""

    where: str
    codes: tuple[str, ...]
    values: frozenset[str] | None


def sources(*folders: str) -> Iterator[Path]:
    for folder in folders:
        found = ROOT / folder
        yield from sorted(found.rglob("*.py")) if found.is_dir() else [found]


def rows() -> Mapping[str, tuple[str, ...]]:
    table = (ROOT / "kb" / "reasons.tsv").read_text("utf-8").splitlines()
    cells = [tuple(line.split("\t")) for line in table if line and not line.startswith("#")]
    assert len({each[0] for each in cells}) == len(cells)
    return {each[0]: each[1:] for each in cells}


def places(sentence: str) -> set[str]:
    return set(PLACE.findall(sentence))


def needed(sentence: str) -> set[str]:
    """Return the places that must have a value: those outside of square brackets."""
    return places(re.sub(r"\[[^\[\]]*\]", "", sentence))


# -- where reasons are made ------------------------------------------------------------------------


def codes_of(node: ast.expr, assigned: Mapping[str, list[ast.expr]]) -> set[str]:
    """Return the codes that an expression may be, as regular expressions; none if it is no text."""
    if isinstance(node, ast.Constant):
        return {re.escape(node.value)} if isinstance(node.value, str) else set()
    if isinstance(node, ast.IfExp):
        return codes_of(node.body, assigned) | codes_of(node.orelse, assigned)
    if isinstance(node, ast.JoinedStr):
        parts = (re.escape(p.value) if isinstance(p, ast.Constant) else r"\w+" for p in node.values)
        return {"".join(map(str, parts))}
    if isinstance(node, ast.Name):
        return set().union(*(codes_of(each, assigned) for each in assigned.get(node.id, ())))
    return set()


def assignments(function: ast.AST) -> Mapping[str, list[ast.expr]]:
    """Return {name: what is assigned to it} in a function or module."""
    found: dict[str, list[ast.expr]] = defaultdict(list)
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = zip(target.elts, node.value.elts, strict=False)
            else:
                pairs = zip([target], [node.value], strict=True)
            for name, value in pairs:
                if isinstance(name, ast.Name):
                    found[name.id].append(value)
    return found


def values_of(call: ast.Call, assigned: Mapping[str, list[ast.expr]]) -> frozenset[str] | None:
    names = {"ask"} if len(call.args) > 1 else set()
    for keyword in call.keywords:
        if keyword.arg:
            names.add(keyword.arg)
            continue
        dicts = [keyword.value]
        if isinstance(keyword.value, ast.Name):
            dicts = list(assigned.get(keyword.value.id, ()))
        keys = [key for each in dicts if isinstance(each, ast.Dict) for key in each.keys]
        if not keys or not all(isinstance(key, ast.Constant) for key in keys):
            return None
        names.update(str(key.value) for key in keys if isinstance(key, ast.Constant))
    return frozenset(names)


def calls(tree: ast.AST, function: ast.AST | None = None) -> Iterator[tuple[ast.Call, ast.AST]]:
    """Yield the calls in a module, each with the function that it stands in."""
    for node in ast.iter_child_nodes(tree):
        inner = node if isinstance(node, ast.FunctionDef) else function or tree
        if isinstance(node, ast.Call):
            yield node, inner
        yield from calls(node, inner)


@cache
def sites() -> tuple[Site, ...]:
    """Return where reasons and errors are made in kb, as far as their code is said there."""
    found = []
    for path in sources("kb"):
        text = path.read_text("utf-8")
        if not any(f"{name}(" in text for name in MAKERS):
            continue
        for call, function in calls(ast.parse(text)):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
            name = call.func.id if isinstance(call.func, ast.Name) else name
            if name not in MAKERS or not call.args:
                continue
            assigned = assignments(function)
            codes = codes_of(call.args[0], assigned)
            where = f"{path.relative_to(ROOT)}:{call.lineno}"
            assert codes or name != "Reason" or path.name == "errors.py", where
            found.append(Site(where, tuple(sorted(codes)), values_of(call, assigned)))
    assert len(found) > 300
    return tuple(found)


# -- the table -------------------------------------------------------------------------------------


def test_every_row_has_a_sentence_in_each_language_with_the_same_places() -> None:
    for code, cells in rows().items():
        assert len(cells) == 2 and all(cell.strip() == cell != "" for cell in cells), code
        english, japanese = map(places, cells)
        assert english == japanese, code
    assert sentences("ja").keys() == sentences("en").keys() == rows().keys()


def test_every_reason_has_a_sentence() -> None:
    known = rows()
    lacking = [
        f"{site.where}: {code}"
        for site in sites()
        for code in site.codes
        if not any(re.fullmatch(code, each) for each in known)
    ]
    assert lacking == []


def test_every_place_has_a_value_where_the_reason_is_made() -> None:
    """Those in square brackets where one of the reasons of this code is made."""
    known = rows()
    given: dict[str, set[str]] = defaultdict(set)
    for site in sites():
        for code in site.codes:
            given[code].update(site.values or ())
    lacking = [
        f"{site.where}: {code} lacks {sorted(missing)}"
        for site in sites()
        if site.values is not None
        for code in site.codes
        if code in known and (missing := needed(known[code][0]) - site.values)
    ]
    assert lacking == []
    assert {c: m for c in given if c in known and (m := places(known[c][0]) - given[c])} == {}


def test_no_row_is_unused() -> None:
    used = {code for site in sites() for code in site.codes}
    unused = [
        code
        for code in rows()
        if not code.startswith("language_")  # names for places such as {lang:language}
        and not any(re.fullmatch(each, code) for each in used)
    ]
    assert unused == []


def test_sentences_have_no_commands() -> None:
    found = [
        f"{code}: {cell}"
        for code, cells in rows().items()
        for cell in cells
        if COMMANDS.search(re.sub("pip install --force-reinstall", "pip install", cell))
    ]
    assert found == []


# -- no words of a door below the doors ------------------------------------------------------------


def public_arguments() -> set[str]:
    """Return the names of what may be given by name to the questions, and to a build."""
    methods = [kb.build, kb.crawl, *vars(kb.KnowledgeBase).values()]
    names = {
        name for each in methods if callable(each) for name in inspect.signature(each).parameters
    }
    return (names | {*kb.PassageFilters.__annotations__}) - {"self", "args", "kwargs", "filters"}


QUESTIONS = {name for name in vars(kb.KnowledgeBase) if not name.startswith("_")}
COMMANDS = re.compile(
    r"(?<![\w<!-])--[a-z][a-z-]+"  # an option
    rf"|\bsansho (?:{'|'.join(sorted(main.commands))})\b"
    rf"|\bbase\.(?:{'|'.join(sorted(QUESTIONS))})\("
    rf"|(?<![\w.:/?&;-])(?:{'|'.join(sorted(public_arguments()))})=(?:…|[\"']|$)"
)


def literals(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of the literals in a module, without docstrings."""
    said = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.lineno, node.value


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["graphs", "kb", "scraper"])
def test_no_words_of_a_door_below_the_doors(folder: str) -> None:
    found = []
    for path in sources(folder):
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(DOORS):
            continue
        for line, text in literals(ast.parse(path.read_text("utf-8"))):
            if match := COMMANDS.search(text):
                found.append(f"{name}:{line}: {match[0]} in {text[:80]!r}")
    assert found == []


def test_a_reason_is_the_same_in_another_process() -> None:
    error = kb.BuildError("worker_killed", by="Killed", workers=Argument("workers", 1))
    same = pickle.loads(pickle.dumps(error))
    assert same.reason == error.reason and str(same) == str(error)
    assert str(error).startswith("a worker process was killed (Killed) in the middle")


def test_what_is_looked_for_is_found() -> None:
    for text in ("give --kb FILE", "see `sansho build`", "base.show(", 'say game="mtg"', "lang=…"):
        assert COMMANDS.search(text), text
    for text in ("<!-- sansho: ignore -->", "sansho reads", "https://a.example/?game=", "a --- b"):
        assert not COMMANDS.search(text), text
