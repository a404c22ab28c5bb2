"""steps, outcomes, search, kwic and ask on a wiki and several editions of an invented rulebook."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kb
from kb.cli.render.output import cell_width
from kb.query.answers.deciding_sentence import sentence_spans
from kb.query.answers.features import _EXAMPLE as EXAMPLE
from tests.commands import run
from tests.rulebooks import base_of, base_of_files, described, rulebook
from tests.timing import grows_linearly

OLD = {
    "1": "Harbour",
    "100": "Loading",
    "100.1": "Loading is done in the following order.",
    "100.1a": "First, the captain opens the hold.",
    "100.1b": "Then each sailor carries one crate on board.",
    "100.2": "If the hold is full, the captain may refuse a crate. See rule 101.2.",
    "100.3": "If a crate is wet, that crate sinks.",
    "101": "Storms",
    "101.1": "If a storm breaks out during loading, every sailor must go below.",
    "101.2": "A crate on deck can’t be insured. It is not cargo until loading ends.",
}
NEW = dict(
    sorted(
        {
            **OLD,
            "100.3": "If a crate is wet, that crate is dried.",
            "100.4": "If two crates are alike, the captain may stack them.",
        }.items()
    )
)
WIKI = """*積み込み
**解説
積み込みとは、木箱を船倉に運ぶこと。船倉が満杯の場合、船長は木箱を断ってもよい。ただし、木箱が塩の場合、断ることはできない。
**手順
積み込みは次の手順で行う。
+船長が船倉を開ける。
+水夫が木箱を運ぶ。
**関連
-[[積み込み]]
-[[木箱]]
"""
MENU = "*メニュー\n-[[積み込み]]\n-[[木箱]]\n"
CRATE = """*木箱
木箱は積み込みで運ぶ箱である。
*FAQ
Q：濡れた木箱は積み込みできますか？~
A：いいえ、できません。
"""


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[kb.KnowledgeBase]:
    """Two editions of a rulebook, an excerpt of a third, and a wiki with a copy of one page."""
    folder = tmp_path_factory.mktemp("harbour")
    excerpt = {number: text for number, text in NEW.items() if not number.startswith("101")}
    for edition, texts in (("20200101", OLD), ("20210101", NEW), ("20220101", excerpt)):
        given = {"lang": "en", "edition": edition, "site": "rulebook"}
        described(folder, {f"{edition}.txt": rulebook(texts)}, game="harbour", **given)
    names = ("積み込み", "archive／積み込み", "メニュー", "木箱")
    pages = {
        f"{name}.txt": text for name, text in zip(names, (WIKI, WIKI, MENU, CRATE), strict=True)
    }
    described(folder, pages, site="pukiwiki", lang="ja", game="harbour")
    with base_of([folder], folder / "x.db", workers=1) as base:
        yield base


# -- steps and outcomes -----------------------------------------------------------------------


def test_a_procedure_of_several_editions_is_one(harbour: kb.KnowledgeBase) -> None:
    [procedure] = harbour.steps("loading")
    assert procedure.place.edition == "20220101"
    assert {place.edition for place in procedure.same} == {"20200101", "20210101"}
    assert [step.rule for step in procedure.steps] == ["100.1a", "100.1b"]
    assert (procedure.place.number, procedure.place.heading) == ("100.1", "Loading")


def test_what_only_an_older_edition_states_is_left_out_with_a_word(
    harbour: kb.KnowledgeBase,
) -> None:
    found = harbour.outcomes("100")
    assert {(one.place.number, one.place.edition) for one in found} == {
        ("100.2", "20220101"), ("100.3", "20220101"), ("100.4", "20220101"),
    }  # fmt: skip
    [left_out] = found.also
    assert str(left_out).startswith("harbour edition 20200101 (en): 1 more")
    assert left_out.reason.ask == kb.Ask("outcomes", ref="100", edition="20200101")
    older = harbour.outcomes("100", edition="20200101")
    assert "sinks" in " ".join(one.result for one in older) and older.also == ()


def test_an_excerpt_makes_nothing_outdated_that_it_lacks(harbour: kb.KnowledgeBase) -> None:
    [storm] = harbour.outcomes("101.1")
    assert (storm.place.edition, storm.same[0].edition) == ("20210101", "20200101")


def test_the_copy_of_a_page_states_nothing_of_its_own(harbour: kb.KnowledgeBase) -> None:
    first, second = harbour.outcomes("積み込み")
    assert first.place.page == second.place.page == "積み込み"
    assert [place.page for place in first.same] == ["archive／積み込み"]
    assert second.exception_to == first.node.id


QUOTING = """*帆
帆は布である。帆が破れた場合、船は止まる。
**引用:総合ルール 20210101.0
200 錨

200.1 錨を下ろすには、次の手順に従う。

200.1a まず、鎖を放す。

200.1b 次に、止める。

200.2 錨が切れた場合、船は流れる。

200.3 帆が張られている場合、錨は下ろせない。
"""


def test_rules_that_a_page_only_quotes(tmp_path: Path) -> None:
    """They count only if they are on the term or mention it."""
    with base_of_files(
        tmp_path, {"帆.txt": QUOTING}, site="pukiwiki", game="harbour", workers=1
    ) as base:
        outcomes = base.outcomes("帆")
        rules = [node.number for node in base.nodes("rule")]
        assert "200.2" in rules
        assert [one.place.number for one in outcomes] == ["", "200.3"]
        [left_out] = outcomes.also
        assert "200.2" in left_out.reason.values["rules"]
        assert left_out.reason.ask and left_out.reason.ask.arguments["ref"] == "200"


def test_exceptions_stand_below_what_they_limit(harbour: kb.KnowledgeBase) -> None:
    lines = run("outcomes", "積み込み", of=harbour).stdout.splitlines()
    may = next(n for n, line in enumerate(lines) if line.lstrip().startswith("may"))
    assert lines[may + 1].lstrip().startswith("except: cannot")
    assert "also in archive／積み込み" in lines[3]
    assert sum("積み込み › 解説" in line for line in lines) == 1


def test_a_rule_step_has_its_number_once(harbour: kb.KnowledgeBase) -> None:
    shown = run("steps", "loading", of=harbour).stdout
    assert shown.count("100.1a") == 1 and "1. " not in shown
    assert "also in editions 20200101, 20210101" in shown


# -- search -----------------------------------------------------------------------------------


def test_filters_alone_give_pages_in_order(harbour: kb.KnowledgeBase) -> None:
    found = harbour.search(section="FAQ")
    assert [hit.passage.rpartition("¶")[2] for hit in found] == ["2", "1"]  # headings last
    assert found.total == 2 and found.more is None
    [citing] = harbour.search(cites="101", edition="20210101")
    start, end = citing.spans[0]
    assert citing.snippet[start:end] == "rule 101.2"
    assert run("search", "--section", "FAQ", "--kind", "ruling", of=harbour).exit_code == 0


def test_nothing_to_look_for(harbour: kb.KnowledgeBase) -> None:
    with pytest.raises(kb.QuestionError, match="give words, or a filter"):
        harbour.search()
    with pytest.raises(kb.QuestionError, match="mentions, cites"):
        harbour.kwic(game="harbour")
    assert run("search", of=harbour).exit_code == 2
    assert run("kwic", "--section", "FAQ", of=harbour).exit_code == 2


def test_the_same_text_is_one_hit_with_its_editions(harbour: kb.KnowledgeBase) -> None:
    hits = harbour.search("hold is full").hits
    assert [hit.place.edition for hit in hits] == ["20220101"]
    assert [place.edition for place in hits[0].same] == ["20210101", "20200101"]
    assert "also in editions 20210101, 20200101" in run("search", "hold is full", of=harbour).stdout


def test_links_and_headings_come_last(harbour: kb.KnowledgeBase) -> None:
    texts = [hit.snippet for hit in harbour.search("木箱", most=100)]
    bare = [text in {"木箱", "積み込み"} for text in texts]
    assert True in bare and False in bare and bare == sorted(bare)
    scores = [hit.score for hit in harbour.search("木箱", most=100)]
    assert scores == sorted(scores, reverse=True)


def test_how_many_there_are_and_how_to_go_on(harbour: kb.KnowledgeBase) -> None:
    few = harbour.search("crate", most=2)
    assert len(few) == 2 and few.total > 4
    shown = run("search", "crate", "--max", "2", of=harbour).stdout
    assert f"2 of the hits ({few.total} passages with other" in shown
    assert f" --after {few.more.ask.arguments['after']}" in shown
    everything = harbour.search("crate", most=100)
    assert everything.more is None and everything.hits[:2] == few.hits
    cut = json.loads(run("kwic", "crate", "--max", "2", "--json", of=harbour).stdout)
    assert cut["more"] and cut["total"] == few.total


@pytest.mark.parametrize("command", ["search", "kwic"])
def test_a_section_that_no_page_has(harbour: kb.KnowledgeBase, command: str) -> None:
    done = run(command, "木箱", "--section", "FAQS", of=harbour)
    assert done.exit_code == 2 and "nearest: FAQ" in done.stderr


@pytest.mark.parametrize("refs", ["木箱", ["木箱"], ("木箱",), iter(["木箱"]), {"木箱": 1}])
def test_references_in_any_collection(harbour: kb.KnowledgeBase, refs: list[str]) -> None:
    assert harbour.search(mentions=refs, cites=None).total == 11


# -- kwic -------------------------------------------------------------------------------------


def test_mentions_and_citations_are_keys(harbour: kb.KnowledgeBase) -> None:
    assert {line.key for line in harbour.kwic(mentions="木箱")} == {"木箱"}
    lines = harbour.kwic(cites="101").lines
    assert {line.key for line in lines} == {"rule 101.2"}
    for line in lines:
        [passage] = harbour.show(line.passage).matches
        assert (passage.text or "")[line.start : line.end] == line.key


def test_lines_of_several_editions_are_folded(harbour: kb.KnowledgeBase) -> None:
    each = harbour.kwic("hold")
    merged = harbour.kwic("hold", merge_editions=True)
    assert len(each) == 6 and len(merged) == 2
    assert {line.place.edition for line in merged} == {"20220101"}
    assert "100.2 ×3" in run("kwic", "hold", of=harbour).stdout
    assert "×" not in run("kwic", "hold", "--each-edition", of=harbour).stdout


def test_keys_begin_in_one_column(harbour: kb.KnowledgeBase) -> None:
    lines = run("kwic", "木箱", of=harbour).stdout.split("\n\n")[0].splitlines()
    columns = {cell_width(line[: line.index(" 木箱 ")]) for line in lines}
    assert len(lines) > 10 and len(columns) == 1


# -- ask --------------------------------------------------------------------------------------


def test_the_answer_and_not_the_question_decides(harbour: kb.KnowledgeBase) -> None:
    first = harbour.ask("濡れた木箱は積み込みできますか？")[0]
    assert (first.passage.text or "")[slice(*first.decides)] == "A：いいえ、できません。"
    shown = run("ask", "濡れた木箱は積み込みできますか？", of=harbour).stdout
    assert shown.startswith("1. A：いいえ、できません。\n") and "why" not in shown


def test_the_sentence_that_decides_and_what_was_not_found(harbour: kb.KnowledgeBase) -> None:
    first = harbour.ask("What happens if a crate is wet?")[0]
    assert (first.passage.text or "")[slice(*first.decides)] == (
        "If a crate is wet, that crate is dried."
    )
    assert [place.edition for place in first.same] == ["20210101"]
    assert str(first.why[0]) == "speaks of crate and wet" and first.not_found == ()
    second = harbour.ask("濡れた木箱は積み込みできますか？")[1]
    assert second.not_found == ("濡れた",)


def test_words_that_nothing_speaks_of(harbour: kb.KnowledgeBase) -> None:
    asked = harbour.ask("ペンギンの値段は？")
    assert len(asked) == 0 and asked.unknown == ("ペンギン", "値段")
    done = run("ask", "ペンギンの値段は？", of=harbour)
    assert done.exit_code == 1 and "nothing here speaks of ペンギン or 値段" in done.stderr


def test_no_id_is_printed(harbour: kb.KnowledgeBase) -> None:
    for words in (["ask", "積み込みとは？", "--why"], ["search", "木箱"], ["outcomes", "積み込み"]):
        shown = run(*words, of=harbour).stdout
        assert shown and "¶" not in shown and "#" not in shown


@given(
    st.text(st.sampled_from("札を引く。「」（）.!? \n\tA1QＱ：:”“") | st.characters(), max_size=200)
)
def test_sentences_hold_all_of_a_text_in_order(text: str) -> None:
    spans = list(sentence_spans(text))
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
    assert all(a < b <= c for (a, b), (c, _) in pairwise(spans))


@pytest.mark.parametrize("piece", ["「", ". ", ".)", "Q：\n", "。 "])
def test_long_texts_take_time_by_their_length(piece: str) -> None:
    assert grows_linearly(lambda size: list(sentence_spans(piece * size)), 5_000)


@pytest.mark.parametrize(
    ("text", "is_example"),
    [
        ("Example: A boat sinks.", True),
        ("Ex. If a boat sinks, it is gone.", True),
        ("Ex Captain B owns a boat.", True),
        ("（例：舟が沈む。）"[1:], True),
        ("Exhausted boats stay.", False),
        ("Ex post facto, nothing changes.", False),
    ],
)
def test_how_rulebooks_begin_examples(text: str, is_example: bool) -> None:
    assert (EXAMPLE.match(text) is not None) == is_example
