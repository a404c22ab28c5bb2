"""Every word of the explorer has its Japanese, and the table has nothing else."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import get_args

from jinja2 import nodes

from kb.building.best_capture import _FLAWS
from kb.web.interface import LANGUAGE_NAMES
from kb.web.templating import DOORS, _environment

_WEB = Path(str(files("kb.web")))
# Types whose values pages show as words.
_SHOWN = {
    "graphs.model": ("EdgeKind", "NodeKind"),
    "kb.checking.claims.claim": ("ClaimKind", "Verdict"),
    "kb.query.arguments": ("Direction", "LineOrder", "Ranking"),
    "kb.query.rule_change_kinds": ("RuleChangeKind",),
    "kb.termbase.model": ("Reason", "Status"),
}
# What results say in words of their own, without a type: how an outcome is meant (what only is
# so, its sentence says alone), how a term of another game relates, what else may have happened to
# a rule.
_OTHERS = (
    "must",
    "may",
    "can’t",
    "exact",
    "close",
    "same",
    "sub-rules",
    "close_concept",
    "homonym",
)
# What is printed on cards, as the parsers call it.
_ON_CARDS = (
    "mana cost", "type", "rarity", "set", "number", "artist", "oracle", "pt", "flavor", "abilities",
    "loyalty", "civilization", "cost", "power", "race", "atk", "def", "attribute", "level", "rank",
    "limit",
)  # fmt: skip


# What files say in English: why a capture was not read, why text was left out.
_IN_FILES = (
    *_FLAWS, "older", "another form of the page", "the same", "no address is known of it",
    "page frame", "navigation", "table of contents", "tagline", "edit link", "jump link",
    "difference", "footnote mark", "link target", "file", "character reference", "Markdown",
    "redirect", "comment", "template", "category", "advertisement",
)  # fmt: skip


def _rows() -> list[tuple[str, str]]:
    lines = (_WEB / "japanese.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    assert len(rows) > 200
    assert all(len(row) == 2 and all(row) for row in rows), [row for row in rows if len(row) != 2]
    return [(english, japanese) for english, japanese in rows]


def _said() -> Iterator[str]:
    """Every text that templates and pages say by `t(…)` or `interface(…)`."""
    for template in (_WEB / "templates").glob("*.html"):
        tree = _environment().parse(template.read_text("utf-8"))
        for call in tree.find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name == "t":
                yield from _constants(call.args[0])
    for module in _WEB.rglob("*.py"):
        for call in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("interface"):
                yield from (each.value for each in call.args if isinstance(each, ast.Constant))


def _constants(expression: nodes.Node) -> Iterator[str]:
    """The texts that an expression may be: a constant, or one or the other of two."""
    if isinstance(expression, nodes.Const):
        yield str(expression.value)
    elif isinstance(expression, nodes.CondExpr):
        yield from _constants(expression.expr1)
        if expression.expr2:
            yield from _constants(expression.expr2)


def _values() -> set[str]:
    """The words that are values of types, or listed above."""
    values = {
        value
        for module, names in _SHOWN.items()
        for name in names
        for value in get_args(getattr(import_module(module), name))
    }
    return (
        values
        | {*_OTHERS, *_ON_CARDS, *_IN_FILES}
        | {words for _, words in DOORS}
        | {*LANGUAGE_NAMES.values()}
    )


def test_all_words_have_their_japanese() -> None:
    rows = dict(_rows())
    wanted = {*_said()} | _values()
    assert not wanted - rows.keys()
    assert not rows.keys() - wanted
    assert max(Counter(english for english, _ in _rows()).values()) == 1


def test_both_languages_name_the_same_values() -> None:
    rows = _rows()
    assert sum("{" in english for english, _ in rows) > 20
    for english, japanese in rows:
        names = re.findall(r"\{.*?\}", english)
        assert sorted(names) == sorted(re.findall(r"\{.*?\}", japanese)), english


def test_japanese_has_neither_latin_words_nor_half_width_signs() -> None:
    rows = _rows()
    assert rows
    for english, japanese in rows:
        words = re.sub(r"\{.*?\}", "", japanese)
        assert not re.search(r"[a-z]{2}", words.replace("Sudachi", "")), english
        assert not re.search(r"[(),:;?!]", words), english
