"""The explorer in Japanese: every word has its Japanese, and no page an English sentence."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest
from jinja2 import nodes
from starlette.testclient import TestClient

import kb
from kb.building.best_capture import _FLAWS
from kb.query.lookup.arguments import _CALLED, _RECORDED
from kb.reason import Argument, Reason
from kb.web.app import DOORS, _environment, create_app
from kb.web.interface_language import Interface, InterfaceLanguage, in_japanese
from kb.web.interface_words import FIELDS_IN_WORDS, QUESTIONS_IN_WORDS
from kb.web.wording import PageWords
from tests.english_text import KnownWords, english_sentences

_WEB, _KB = Path(str(files("kb.web"))), Path(str(files("kb")))
_GRAPHS, _SCRAPER = Path(str(files("graphs"))), Path(str(files("scraper")))
_OF_VALUES = ("known_value", "refuse_unknown")
# How names are like what was typed, put together by `kb.query.lookup.find_names`; what numbers in
# pictures say; nodes of any kind.
_MADE = (
    "same spelling", "kana", "kana, in romaji", "reading", "reading, in romaji",
    "reading made by a dictionary, not stated by a page",
    "reading in romaji, made by a dictionary, not stated by a page", "one slip", "alike",
    "another form of the word",
    "{number} citations", "node",
)  # fmt: skip
# Types whose values pages show as words.
_SHOWN = {
    "graphs.model": ("EdgeKind", "NodeKind"),
    "kb.checking.claims.claim": ("ClaimKind", "Verdict"),
    "kb.query.lookup.arguments": ("Direction", "LineOrder", "Ranking"),
    "kb.rules.change_kind_names": ("ImpactKind", "RuleChangeKind"),
    "kb.termbase.model": ("Reason", "Status"),
}
# What results say in words of their own, without a type: how an outcome is meant (what only is
# so, its sentence says alone), how a term of another game relates, what else may have happened to
# a rule.
_OTHERS = (
    "number exists",
    "must",
    "may",
    "can’t",
    "exact",
    "close",
    "same",
    "first",
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
            if not isinstance(call, ast.Call):
                continue
            asked = ast.unparse(call.func)
            if asked == "t" or asked.endswith("interface"):
                yield from (each.value for each in call.args if isinstance(each, ast.Constant))

    for module in (*_GRAPHS.rglob("*.py"), *(_KB / "query").rglob("*.py")):
        for call in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "Said":
                yield from _python_constants(call.args[0])


def _python_constants(expression: ast.expr) -> Iterator[str]:
    """The texts that an expression of Python may be, likewise."""
    if isinstance(expression, ast.Constant):
        yield str(expression.value)
    elif isinstance(expression, ast.IfExp):
        yield from _python_constants(expression.body)
        yield from _python_constants(expression.orelse)


def _nouns() -> Iterator[str]:
    """What values are called that are not known, and how names are like what was typed."""
    for module in _KB.rglob("*.py"):
        for call in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func) in _OF_VALUES:
                yield from _python_constants(call.args[0])
            elif isinstance(call, ast.Call) and ast.unparse(call.func) == "OtherReference":
                yield from (how for each in call.args[1:] for how in _python_constants(each))
    yield from _CALLED.values()
    yield from (called for _, called in _RECORDED.values())


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
    return values | {*_OTHERS, *_ON_CARDS, *_MADE, *_nouns()} | {words for _, words in DOORS} | {
        *QUESTIONS_IN_WORDS.values(), *FIELDS_IN_WORDS.values()
    }  # fmt: skip


@pytest.mark.slow
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
        assert not re.search(r"[a-z]{2}", re.sub("Sudachi|Atom|OpenAPI", "", words)), english
        assert not re.search(r"[(),:;?!]", words), english


# -- what files state ------------------------------------------------------------------------------


_STATED_PLACES = re.compile(r"\{(\w+)(?::\w+)?\}")
# Tables whose values are reasons to leave a text out.
_REASONS = {
    "scraper.markup.html_walk": ("_LEFT_OUT",),
    "scraper.markup.pukiwiki_inline": ("_SILENT",),
    "scraper.sites.plain_text_capture_lines": ("_VIEWS",),
    "scraper.sites.mediawiki": ("_FRAME", "_OMIT", "_ADMINISTRATIVE"),
    "scraper.sites.pukiwiki": ("_FRAME", "_OMIT"),
    "scraper.sites.pukiwiki_source": ("_PLUGIN_REASONS",),
    "scraper.sites.wisdom_guild_card": ("_OUTSIDE",),
}


# Put together of what has its own row; the first one's last value is a sentence of its own.
_PUT_TOGETHER = {"gives the page x1, as does x1, x1", "x1 (line x1: x1)", "x1: x1"}


# Put together of words that are chosen by a number, a limit or what was searched.
_CHOSEN = {
    "is not among the loaded rules of any loaded edition", "that are no characters",
    "more warning", "more warnings", "behind these it is kept as it is written",
    "behind these it is left out", "no headwords were told from glosses in",
}  # fmt: skip


def _stated_rows() -> list[list[str]]:
    lines = (_WEB / "japanese_of_stored_sentences.tsv").read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def _reasons() -> Iterator[str]:
    """What the source states in English where it is made: reasons to leave out, warnings, and why
    references lead nowhere; with `x1` for values."""
    for name, tables in _REASONS.items():
        for table in tables:
            yield from getattr(import_module(name), table).values()
    yield from _FLAWS
    for module in (
        *_SCRAPER.rglob("*.py"),
        *_KB.rglob("extract/*.py"),
        *_KB.rglob("building/*.py"),
    ):
        for call in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(call, ast.Call):
                name = ast.unparse(call.func).rpartition(".")[2]
                place = {"ReadWarning": 1, "leave_out": 0, "_Target": 2}.get(name)
                arguments = call.args[place : place + 1] if place is not None else []
                arguments += [each.value for each in call.keywords if each.arg == "reason"]
                yield from (text for each in arguments for text in _filled(each))


def _filled(expression: ast.expr) -> Iterator[str]:
    if isinstance(expression, ast.JoinedStr):
        yield "".join(
            str(part.value) if isinstance(part, ast.Constant) else "x1"
            for part in expression.values
        )
    else:
        yield from (text for text in _python_constants(expression) if text)


def _named(japanese: str) -> str:
    """A sentence in Japanese with all that is left out where it speaks of all names."""
    return re.sub(r"\[([^\[\]]*\{[^\[\]]*)\]", r"\1", japanese)


def test_rows_of_what_files_state_are_whole() -> None:
    rows = _stated_rows()
    assert len(rows) > 200
    assert all(len(row) == 2 and all(row) for row in rows)
    assert len({english for english, _ in rows}) == len(rows)
    for english, japanese in rows:
        places = set(_STATED_PLACES.findall(japanese))
        assert places <= set(_STATED_PLACES.findall(english)), english


def test_every_row_of_what_files_state_is_found() -> None:
    rows = [
        (_STATED_PLACES.sub("x1", english), _STATED_PLACES.sub("x1", _named(japanese)))
        for english, japanese in _stated_rows()
    ]
    assert [row for row in rows if in_japanese(row[0]) != row[1]] == []


@pytest.mark.slow
def test_every_row_of_what_files_state_is_made_somewhere() -> None:
    """By the longest words of each that stand between its values."""
    modules = (module for room in (_GRAPHS, _KB, _SCRAPER) for module in room.rglob("*.py"))
    parts = (each for module in modules for each in ast.walk(ast.parse(module.read_text("utf-8"))))
    constants = (each.value for each in parts if isinstance(each, ast.Constant))
    made = "\n".join(each for each in constants if isinstance(each, str))
    words = (max(re.split(r"\{.*?\}|[;,():]", row[0]), key=len).strip() for row in _stated_rows())
    assert {each for each in words if each not in made} == _CHOSEN


@pytest.mark.slow
def test_all_that_files_state_has_its_japanese() -> None:
    stated = {*_reasons()} - _PUT_TOGETHER
    assert len(stated) > 80
    assert not {text for text in stated if not re.search("[ぁ-んァ-ヶ一-龠]", in_japanese(text))}


def test_names_in_what_files_state_stay() -> None:
    for name in ("search", "rule", "a; left out", "x and y"):
        assert name in in_japanese(f"page {name} is not in this knowledge base")


def test_names_with_words_of_a_sentence_stay_whole() -> None:
    page = "page {} is not in this knowledge base"
    nightmares = "card/悪夢の声、ブリセラ/Brisela, Voice of Nightmares"
    assert in_japanese(page.format(nightmares)) == f"{nightmares}のページは収録されていません"
    said = in_japanese(page.format("否定の契約/Pact of Negation of mtgwiki"))
    assert said == "「否定の契約/Pact of Negation」のページ（MTG Wiki）は収録されていません"


def test_sentences_joined_by_files_are_all_in_japanese() -> None:
    basis = (
        "in 12 of 15 aligned texts with the other name; log-likelihood ratio 271.32; "
        "reading that dmwiki gives for dm/term/呪文"
    )
    assert in_japanese(basis) == (
        "対訳15件中12件でもう一方の名前と共起（対数尤度比=271.32）。読みはdmwikiのdm/term/呪文による"
    )
    unread = (
        "numbered lines that are not among the 3 rules: 2; each is kept as text of the rule "
        "before it (line 3: 1.2; a; line 14: 1.3)"
    )
    assert "（前のルールの本文として保持。3行目：1.2; a；14行目：1.3）" in in_japanese(unread)


def test_sentences_in_sentences_are_bounded() -> None:
    text = "x" + "; read" * 330
    assert in_japanese(text).startswith("x; read") and in_japanese(text).endswith(
        "（読み取りました）"
    )
    assert in_japanese(text * 2) == text * 2


def test_what_is_said_of_all_names_has_no_place_for_one() -> None:
    reason = "rule … is not among the loaded rules of 20260116 (ja)"
    assert in_japanese(reason) == "収録している2026-01-16版（日本語）のルールにありません"
    assert in_japanese("page … is not in this knowledge base") == "ページは収録されていません"


# -- every kind of page ----------------------------------------------------------------------------


_ADDRESSES = (
    "", "ask", "compare", "diff", "align", "kwic", "path", "top", "verify", "audit", "search",
    "show", "refs", "trace", "draw", "steps", "outcomes", "rulings", "suggest", "nothing",
    "node/mtg/term/引く", "node/mtg/term/無い", "node/mtg/cr/20231117/en/121.4",
    "node/mtg/cr/20231117/ja/121", "node/mtg/cr/19990101/en/121.4", "node/mtgwiki/引く",
    "node/dm/term/使う", "node/dmwiki/使う", "node/ygo/term/チェーン", "node?id=x",
    "show?ref=121.4", "show?ref=hiku", "show?ref=ｄｒａｗ", "show?ref=mtg", "show?ref=mtgwiki",
    "show?ref=ja", "show?ref=MTG/TERM/引く", "show?ref=無い", "show?ref=引く&lang=fr",
    "search?q=引く", "search?q=引く 無い", "search?q=引く&kind=no", "search?q=引く&section=no",
    "search?mentions=引く", "search?cites=121.4", "search?q=引く&after=x", "search?q=引く&x=1",
    "kwic?mentions=引く", "kwic?q=無い", "kwic?q=引く&order=no", "kwic?q=引く&width=9999",
    "ask?q=カードを引くとは何ですか", "ask?q=ポケモンカードで進化とは", "ask?q=ルール999.9とは",
    "compare?ref=引く", "compare?ref=使う&ref=唱える", "compare?ref=121.4", "compare?ref=無い",
    "diff?before=20231117&after=20240730", "diff?before=20231117&after=1999",
    "diff?before=20231117&after=20240730&game=dm", "diff?before=20231117&after=20240730&start=9999",
    "align?first=ja&second=en", "align?first=ja&second=ja", "align?first=ja&second=fr",
    "trace?ref=121.4", "trace?ref=引く", "steps?ref=ドローフェイズ", "outcomes?ref=引く",
    "rulings?ref=引く", "refs?ref=引く", "refs?ref=引く&kind=no", "refs?ref=引く&depth=9",
    "refs?ref=引く&depth=2", "top?by=mentioned", "top?by=no", "top?kind=card&by=cited",
    "path?start=引く&end=704.5b", "path?start=引く&end=無い", "draw?ref=引く",
    "draw?ref=121.4&most=4", "draw?ref=無い", "audit?dangling=cites", "audit?dangling=no",
    "contents?game=mtg",
    "contents?game=mtg&edition=20231117&lang=ja", "chapters?game=mtg", "chapters?chapter=99",
    "verify?text=CR 121.4, 999.9", "verify?text=ルール104.3cによれば「カードを引く」",
    "suggest?q=hik",
)  # fmt: skip


@pytest.mark.slow
def test_no_page_says_an_english_sentence(base: kb.KnowledgeBase) -> None:
    known, said = KnownWords(base), {}
    served = kb.ReopenedBase(base.file)
    with TestClient(create_app(served), "http://127.0.0.1") as client:
        for address in _ADDRESSES:
            answer = client.get(f"/ja/{address}")
            assert answer.status_code in (200, 400, 404), address
            said[address] = [*english_sentences(answer.text, known)]
    served.close()
    assert len(said) > 80
    assert not {address: found for address, found in said.items() if found}


def test_arguments_are_called_as_in_the_forms() -> None:
    def said(argument: Argument, lang: InterfaceLanguage = "ja") -> str:
        return PageWords(Interface(lang)).argument(argument)

    assert said(Argument("mentions", "引<く>")) == "「言及している用語：引&lt;く&gt;」"
    assert said(Argument("kind", "ruling")) == "「内容の種類：裁定」"
    assert said(Argument("kind", "ruling"), "en") == "“What it states: ruling”"
    assert said(Argument("edition", "20231117")) == "「版：2023-11-17」"
    assert said(Argument("lang", "ja")) == "「言語：日本語」"
    assert said(Argument("cites")) == said(Argument("cites", ...)) == "「参照しているルール」"
    assert said(Argument("after", ...)) == "after"


def test_what_was_taken_is_said_in_whole_words() -> None:
    how = "reading in romaji, made by a dictionary, not stated by a page"
    reason = Reason("taken_for", given="hiku", name=("引く",), how=how)
    said = "「hiku」を「引く」と解釈しました（ローマ字と、辞書で推定した読みが同じ）"
    assert PageWords(Interface("ja")).sentence(reason) == said


def test_english_of_a_page_is_found(base: kb.KnowledgeBase) -> None:
    known = KnownWords(base)
    page = (
        '<html lang="ja"><p>3件 <b>found by comparing</b> <q>rules that are quoted</q></p></html>'
    )
    assert [*english_sentences(page, known)] == ["found by comparing"]
    assert [*english_sentences(page.replace("<p>", '<p title="no more than these">'), known)] == [
        "no more than these", "found by comparing",
    ]  # fmt: skip
