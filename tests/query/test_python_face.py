"""The Python face: what is refused and how, what results are like, what `dir` shows."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any
from unicodedata import east_asian_width

import pytest

import kb
from kb.language.nearest_value import nearest, refuse_unknown
from tests.conftest import SAMPLE
from tests.rulebooks import base_of_files


@pytest.mark.parametrize(
    ("typed", "known", "found"),
    [
        ("MTG", ["dm", "mtg", "ygo"], ["mtg"]),
        ("ｍｔｇ", ["dm", "mtg", "ygo"], ["mtg"]),
        ("jp", ["en", "ja"], ["ja"]),
        ("japanese", ["en", "ja"], ["ja"]),
        ("English", ["en", "ja"], ["en"]),
        ("cite", ["cites", "quotes", "mentions"], ["cites"]),
        ("wisdom guild", ["wisdom-guild", "mtgwiki"], ["wisdom-guild"]),
        ("wiki", ["wisdom-guild", "mtgwiki"], ["mtgwiki"]),
        ("foo", ["cites", "quotes", "mentions"], []),
        ("", ["ja"], []),
        ("ja", [], []),
    ],
)
def test_the_nearest_values_are_suggested(typed: str, known: list[str], found: list[str]) -> None:
    assert nearest(typed, known)[:1] == found


def test_a_long_list_of_values_is_cut_and_a_long_value_too() -> None:
    with pytest.raises(kb.QuestionError) as caught:
        refuse_unknown("edition", "x" * 100_000, [f"2023{n:04}" for n in range(900)])
    assert "and 880 more" in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda base: base.show("121.4", lang="jp"), "no language jp; nearest: ja"),
        (lambda base: base.show("121.4", lang="japanese"), "no language japanese; nearest: ja"),
        (lambda base: base.show("121.4", game="magic"), "no game magic; nearest: mtg"),
        (lambda base: base.terms(source="wiki"), "no source wiki; nearest: "),
        (lambda base: base.steps("引く", edition="20231101"), "nearest: 20231117"),
        (lambda base: base.steps("引く", edition="2"), "no edition 2; "),
        (lambda base: base.ask("引くとは？", game="chess"), "no game chess (there are: dm,"),
        (lambda base: base.diff("20231117", "20231117", lang="jp"), "no language jp; nearest: ja"),
        (lambda base: base.align("ja", "eng"), "no language eng; nearest: en"),
        (lambda base: base.refs("引く", kinds="cite"), "no kind of edge cite; nearest: cites"),
        (lambda base: base.refs("引く", direction="into"), "no direction into; nearest: in"),
        (lambda base: base.kwic("引く", order="lft"), "no sort order lft; nearest: left"),
        (lambda base: base.search("引く", kind="rules"), "no kind rules; nearest: rule"),
        (lambda base: base.top("cite"), "no ranking cite; nearest: cited"),
        (lambda base: base.top(under=702), 'under is the number 702; write it as text: "702"'),
        (lambda base: base.nodes("terms"), "no kind terms; nearest: term"),
        (lambda base: base.search("引く", most=0), "most is 0; give a whole number from 1"),
        (lambda base: base.path("引く", "704", most=101), "a whole number from 1 to 100"),
        (lambda base: base.refs("引く", depth=1.5), "depth is 1.5; give a whole number"),
        (lambda base: base.kwic("引く", width=True), "width is True; give a whole number"),
        (lambda base: base.show(121.4), 'ref is the number 121.4; write it as text: "121.4"'),
        (lambda base: base.show(None), "ref is None, which is no text; give a name"),
        (lambda base: base.show(" "), "ref is empty; give a name"),
        (lambda base: base.show(b"121.4"), "which is no text"),
        (lambda base: base.show(Path("121.4")), "which is no text"),
        (lambda base: base.top(under=base.show("引く")[0]), "is no number of a rule"),
        (lambda base: base.refs(base.show("引く")), "which is no text"),
        (lambda base: base.show(base.termbase("引く")[0]), "or a node, or an entry with a node"),
        (lambda base: base.search("引く", section=base.show("引く")[0]), "which is no text"),
        (lambda base: base.compare(), "Name at least one"),
        (lambda base: base.search("引く", mentions=["引く", None]), "mentions is None"),
        (lambda base: base.export(None), "out is None; give the name of a file"),
        (lambda _: kb.open(None), "path is None; give the name of a file"),
        (lambda base: base.show("引く", tree="yes"), "tree is 'yes'; give True or False"),
        (lambda base: base.show("引く", tree=1), "tree is 1; give True or False"),
        (lambda base: base.graph(dangling="no"), "dangling is 'no'; give True or False"),
        (lambda base: base.search("引く", any_word=None), "any_word is None"),
        (lambda base: base.refs("121", with_parts="no"), "with_parts is 'no'"),
        (lambda base: base.search("引く", most="3"), "most is '3'; give a whole number"),
        (lambda base: base.audit(""), "dangling is empty; give kinds of edges"),
        (lambda base: base.audit(["cites", ""]), "dangling is empty"),
        (lambda base: base.refs("121", kinds=""), "kinds is empty; give kinds of edges"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_with_what_to_do(
    base: kb.KnowledgeBase, call: Callable[[Any], object], said: str
) -> None:
    with pytest.raises(kb.QuestionError) as caught:
        call(base)
    assert said in str(caught.value)


def test_case_and_width_of_a_value_do_not_count(base: kb.KnowledgeBase) -> None:
    expected = base.outcomes("引く", game="mtg", lang="ja", source="mtgwiki")
    assert base.outcomes("引く", game="ＭＴＧ", lang="JA", source="MTG wiki") == expected
    assert expected.outcomes


def test_an_edition_may_be_given_in_other_forms(base: kb.KnowledgeBase) -> None:
    expected = base.show("121.4", edition="20231117").matches
    for form in ("2023-11-17", "20231117.0", "mtg/cr/20231117"):
        assert base.show("121.4", edition=form).matches == expected


def test_an_edition_may_be_given_by_the_date_in_its_files_name(tmp_path: Path) -> None:
    text = (SAMPLE / "rulebook" / "comprehensive-rules.20231117.en.txt").read_text("utf-8")
    with base_of_files(
        tmp_path, {"comprehensive-rules.20231120.en.txt": text}, game="mtg", edition="20231117"
    ) as base:
        assert base.show("121.4", edition="20231120").matches[0].edition == "20231117"


def test_a_string_is_a_list_of_one(base: kb.KnowledgeBase) -> None:
    assert base.refs("121.2a", kinds="cites") == base.refs("121.2a", kinds=["cites"])
    assert base.refs("121.2a", kinds="cites").edges
    one = base.search("カード", mentions="引く")
    assert one == base.search("カード", mentions=iter(["引く"])) and one.hits


def test_a_row_of_a_comparison_stands_for_its_term(base: kb.KnowledgeBase) -> None:
    row = base.compare("引く")[0]
    assert base.show(row)[0] == row.node == row.term
    assert base.kwic(mentions=[row]).lines == base.kwic(mentions=row.term.id).lines


def test_a_node_stands_for_its_id(base: kb.KnowledgeBase) -> None:
    term, rule = base.show("mtg/term/引く")[0], base.show("704", lang="ja")[0]
    page, ids = base.show("mtgwiki/引く")[0], [term.id, rule.id]
    edition = next(edition for edition in base.nodes("edition") if edition.game == "mtg")
    for given, said in [
        (base.show(term), base.show(term.id)),
        (base.refs(term, most=5), base.refs(term.id, most=5)),
        (base.path(term, rule), base.path(term.id, rule.id)),
        (base.trace(rule), base.trace(rule.id)),
        (base.steps(term), base.steps(term.id)),
        (base.outcomes(term), base.outcomes(term.id)),
        (base.rulings(term), base.rulings(term.id)),
        (base.compare(term), base.compare(term.id)),
        (base.termbase(term, uses=False), base.termbase(term.id, uses=False)),
        (base.search("カード", mentions=term), base.search("カード", mentions=[term.id])),
        (base.kwic(cites=[rule]), base.kwic(cites=rule.id)),
        (base.top(under=rule), base.top(under="704")),
        (base.align("ja", "en", rule=rule), base.align("ja", "en", rule="704")),
        (base.diff(edition, edition, under=[rule]), base.diff(edition.id, edition.id, under="704")),
        (base.linked_texts([term, rule]), base.linked_texts(ids)),
        (base.parts(page), base.parts(page.id)),
        (base.opening(page), base.opening(page.id)),
        (base.draw(term).svg(), base.draw(term.id).svg()),
    ]:  # fmt: skip
        assert given == said
    for about in (
        base.top()[0],
        base.search("引く")[0],
        base.suggest("hik")[0],
        base.ask("引くとは")[0],
    ):
        assert base.refs(about) == base.refs(about.node.id)
    changed = base.show("嘘か真か", game="mtg")[0]
    assert isinstance(changed.details, dict)
    changed.details.clear()
    assert base.show(changed)[0].details


def test_an_unknown_keyword_is_a_type_error_that_names_it(base: kb.KnowledgeBase) -> None:
    wrong: Any = base
    with pytest.raises(TypeError, match=r"show\(\) .*'gme'. Did you mean 'game'"):
        wrong.show("121.4", gme="mtg")
    with pytest.raises(TypeError, match=r"show\(\) .*'section'"):
        wrong.show("121.4", section="FAQ")
    with pytest.raises(TypeError, match=r"search\(\) .*'foo'"):
        wrong.search("引く", foo=1)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'ref'"):
        wrong.show()


QUESTIONS = [
    name
    for name in dir(kb.KnowledgeBase)
    if inspect.isfunction(getattr(kb.KnowledgeBase, name)) and name[0] != "_" and name != "close"
]
GOOD = {
    "ref": "引く", "refs": "引く", "start": "引く", "end": "121.4", "text": "引く", "lang": "ja",
    "question": "引くとは？", "before": "20231117", "after": "20231117", "other": "en",
    "page_id": "dmwiki/山札", "node_id": "dmwiki/山札", "out": "out.jsonl", "draft": "draft.txt",
    "ids": "dmwiki/山札", "typed": "引", "ask": kb.Ask("stats"),
    "editions": "20231117", "paths": "draft.txt", "term": "引く", "file": "draft.txt",
    "source_lang": "en", "target_lang": "ja", "older": "older.db",
    "rules": ["mtg/cr/20231117/ja/121.4"],
}  # fmt: skip
SLOW = {"export", "graph", "draw", "package"}
ODD = [
    121.4, None, "", " ", b"121.4", Path("x"), "\ud800", "\0", object(), [], ["引く"], [None],
    {"a": 1}, "x" * 5000, '"', '" OR *', "引く AND NOT", "(", "NEAR(", -1, 0, True, 10**30, 1j,
    float("nan"), "121.4.5.6.7", "..", "¶", "#", "mtg/term/", "%s", "{}", "２０２３", "\u202e",
]  # fmt: skip


def arguments_of(name: str) -> tuple[list[str], list[str]]:
    """The names of a method's parameters that are given in each call, and of all others."""
    parameters = inspect.signature(getattr(kb.KnowledgeBase, name)).parameters.values()
    named = [p.name for p in parameters if p.kind is not p.VAR_KEYWORD]
    given = {p.name for p in parameters if p.default is p.empty} | {"text"}
    needed = [each for each in named if each in given]
    others = [each for each in named if each not in given]
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        others += kb.PassageFilters.__annotations__ if name in {"search", "kwic"} else ()
        others += kb.Filters.__annotations__
    return [each for each in needed if each != "self"], others


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in QUESTIONS if any(arguments_of(name))])
def test_no_odd_value_gives_another_error_than_those_of_kb(
    base: kb.KnowledgeBase, name: str, tmp_path: Path
) -> None:
    needed, others = arguments_of(name)
    calls = [(odd, value) for odd in (*needed, *others) for value in ODD]
    assert calls
    with contextlib.chdir(tmp_path):
        for odd, value in Random(1).sample(calls, min(len(calls), 12 if name in SLOW else 120)):
            given = [value if each == odd else GOOD[each] for each in needed]
            options = {odd: value} if odd in others else {}
            if name == "decide":  # not beside the sample that all tests share
                options = {"into": "decided.csv", **options}
            try:
                found = getattr(base, name)(*given, **options)
                assert repr(found)
            except kb.ERRORS as error:
                assert str(error)


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_after_close_says_that_it_is_closed(name: str, tmp_path: Path) -> None:
    base = kb.sample()
    base.close()
    needed, _ = arguments_of(name)
    with pytest.raises(kb.StoreError, match="is closed; open it again"):
        getattr(base, name)(
            *[str(tmp_path / "x") if each == "out" else GOOD[each] for each in needed]
        )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "no knowledge base there; name its file, or build one"),
        (b"", "no knowledge base"),
        (b"no database" * 200, "not a knowledge base"),
        (b"SQLite format 3\0" + b"x" * 2000, "not a knowledge base"),
    ],
)
def test_what_is_no_knowledge_base(tmp_path: Path, content: bytes | None, said: str) -> None:
    if content is not None:
        (tmp_path / "kb.db").write_bytes(content)
    with pytest.raises(kb.StoreError) as caught:
        kb.open(tmp_path / "kb.db")
    assert said in str(caught.value)


def test_a_folder_and_a_name_that_is_too_long_are_no_knowledge_base(tmp_path: Path) -> None:
    with pytest.raises(kb.StoreError, match="a folder, no knowledge base"):
        kb.open(tmp_path)
    with pytest.raises(kb.StoreError, match="can't be opened"):
        kb.open(tmp_path / ("x" * 5000))


RESULTS: list[Callable[[kb.KnowledgeBase], Any]] = [
    lambda base: base.show("引く"),
    lambda base: base.refs("引く"),
    lambda base: base.path("121.2a", "616.1g"),
    lambda base: base.search("引く"),
    lambda base: base.kwic("引く"),
    lambda base: base.ask("空のライブラリーから引こうとするとどうなりますか？"),
    lambda base: base.compare("引く"),
    lambda base: base.trace("121.4"),
    lambda base: base.align("ja", "en", rule="121"),
    lambda base: base.steps("ドローフェイズ"),
    lambda base: base.outcomes("通常のドロー"),
    lambda base: base.terms(),
    lambda base: base.top(),
]


@pytest.mark.parametrize("ask", RESULTS)
def test_results_are_sequences(
    base: kb.KnowledgeBase, ask: Callable[[kb.KnowledgeBase], Any]
) -> None:
    found = ask(base)
    items = list(found)
    assert found and len(found) == len(items) > 0
    assert (found[0], found[-1], found[:2]) == (items[0], items[-1], tuple(items[:2]))
    assert items[0] in found
    with pytest.raises(IndexError):
        found[len(items)]


@pytest.mark.parametrize("ask", RESULTS)
def test_results_say_in_a_few_lines_what_is_in_them(
    base: kb.KnowledgeBase, ask: Callable[[kb.KnowledgeBase], Any]
) -> None:
    found = ask(base)
    head, *rest = repr(found).splitlines()
    assert head.startswith(f"<{type(found).__name__}") and f": {len(found)} " in head
    rows = [line for line in rest if not line.startswith(("  There are more: ", "  also: "))]
    assert 1 <= len(rows) <= 4 and len(rest) <= len(rows) + 5
    assert all(display_width(line) <= 110 for line in (head, *rows))
    assert "<table>" in found._repr_html_()
    assert found.table().rows


def display_width(text: str) -> int:
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def test_a_result_without_items_is_false(base: kb.KnowledgeBase) -> None:
    unchanged = base.diff("20231117", "20231117", lang="ja")
    assert not unchanged and repr(unchanged).startswith("<Diff of 20231117 and 20231117")
    assert not base.show("zzzzqqqq")


def test_the_representation_says_what_else_there_is(base: kb.KnowledgeBase) -> None:
    found = base.search("引く", most=1)
    assert repr(found).endswith(f"\n  {found.more}") and 'after="' in repr(found)
    nothing = base.search("引く", lang="en")
    assert [f"  also: {each}" for each in nothing.also] == repr(nothing).splitlines()[1:]
    ranked = base.top("mentioned")
    left_out = [line for line in repr(ranked).splitlines() if line.startswith("  also: ")]
    assert len(left_out) == min(len(ranked.also), 4) and "base.top(" in left_out[0]


def test_what_the_representation_of_a_base_says() -> None:
    base = kb.sample()
    said = repr(base)
    assert (
        str(base.file) in said
        and "29 pages; games dm, lanterns, mtg, ygo; editions 20231117" in said
    )
    base.close()
    assert repr(base).endswith(": closed>")
    with pytest.raises(kb.StoreError, match="closed"), base:
        pass


def test_dir_is_the_public_face(base: kb.KnowledgeBase) -> None:
    names = set(dir(kb))
    assert {"build", "crawl", "open", "sample", "KnowledgeBase"} <= names
    assert not {"Any", "Path", "TYPE_CHECKING", "import_module"} & names
    assert all(getattr(kb, name) is not None for name in names)
    assert kb._modules().keys() <= names
    of_base = dir(base)
    assert {"show", "refs", "graph", "close", "file"} <= set(of_base)
    assert not [name for name in of_base if name.startswith("_")]
    assert all(getattr(base, name) is not None for name in of_base)


def test_types_reach_those_who_use_the_package() -> None:
    for package in ("kb", "graphs", "scraper"):
        assert (Path(kb.__file__).parent.parent / package / "py.typed").exists()
    hints = inspect.get_annotations(kb.KnowledgeBase.refs)
    assert hints["direction"] == "Direction" and hints["return"] == "Refs"


def test_a_site_that_nobody_knows_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(kb.QuestionError, match="no site mtg-wiki; nearest: mtgwiki"):
        kb.build([tmp_path], tmp_path / "kb.db", site="mtg-wiki")


def test_a_site_to_crawl_that_nobody_knows_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(kb.SourceError, match="mtg-wiki: no such site; nearest: mtgwiki, "):
        kb.crawl(["mtg-wiki"], tmp_path / "pages")
