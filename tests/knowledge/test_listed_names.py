"""Lists of names beside other pages: every list is kept, and its names meet those of the pages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

import kb
from tests.commands import run
from tests.rulebooks import base_of, described

WIKI = {
    "飛行.txt": "*飛行\n**解説\n[[到達]]を持つものだけが止められる能力。[[警戒]]とは別。\n",
    "引く.txt": "*引く\n**解説\n[[山札]]の一番上を手札に加えること。\n",
    "《灰の竜》.txt": "*《灰の竜》\n**解説\n[[飛行]]を持つ。《森の賢者》に弱い。\n",
}
TERMS = "飛行,Flying\n到達,Reach\n警戒,Vigilance\n接死,Deathtouch\n"


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture
def wiki(tmp_path: Path) -> Path:
    folder = described(tmp_path / "wiki", WIKI | {"速攻.txt": ""}, site="pukiwiki", game="dm")
    (folder / "速攻.txt").unlink()  # it comes later, in one test
    return folder


def english(base: kb.KnowledgeBase, node: str) -> set[str]:
    [found] = [n for n in base.show(node).matches if n.id == node]
    return {label.text for label in found.labels if label.lang == "en"}


def listed(base: kb.KnowledgeBase) -> dict[str, str]:
    """The text of each passage of a list."""
    nodes = base.graph().nodes(data=True)
    return {
        name: data["text"]
        for name, data in nodes
        if data["kind"] == "passage" and data["source"] == "namelist"
    }


# -- lists of one name ------------------------------------------------------------------------

A = "森,Forest\n島,Island\n沼,Swamp\n"
B = "山,Mountain\n平地,Plains\n荒地,Wastes\n"


@pytest.mark.parametrize(
    ("files", "pages"),
    [
        ({"a/names.csv": A, "b/names.csv": B}, {"dm/a/names", "dm/b/names"}),
        ({"names.csv": A, "names.tsv": B.replace(",", "\t")}, {"dm/names.csv", "dm/names.tsv"}),
        ({"a/x/names.csv": A, "b/x/names.csv": B}, {"dm/a/x/names", "dm/b/x/names"}),
        ({"a/names.csv": A, "b/names.csv": A}, {"dm/names"}),
        ({"a/names.csv": A, "b/names.csv": A, "c/names.csv": B}, {"dm/a/names", "dm/c/names"}),
        ({"a/names.csv": A, "b/other.csv": B}, {"dm/names", "dm/other"}),
    ],
)
def test_every_list_is_kept(tmp_path: Path, files: dict[str, str], pages: set[str]) -> None:
    folder = write(tmp_path / "lists", files)
    report = kb.build([folder], tmp_path / "kb.db", game="dm", workers=1)
    with kb.open(tmp_path / "kb.db") as base:
        rows = listed(base)
        audit = base.audit()
    assert {row.partition("¶")[0] for row in rows} == {f"namelist/{page}" for page in pages}
    assert len(rows) == 3 * len(pages)
    assert audit.lost == 0
    renamed = [w.where for w in report.warnings if "also called" in w.what]
    assert len(renamed) == (len(files) if "dm/names" not in pages else 0)


def test_the_order_of_the_sources_does_not_matter(tmp_path: Path) -> None:
    folder = write(tmp_path, {"a/names.csv": A, "b/names.csv": B})
    sources = [folder / "a/names.csv", folder / "b/names.csv"]
    found = []
    for number, order in enumerate((sources, sources[::-1])):
        with base_of(order, tmp_path / f"{number}.db", workers=1) as base:
            found.append(listed(base))
    assert found[0] == found[1] and len(found[0]) == 6


def test_a_list_of_the_same_name_comes_later(tmp_path: Path) -> None:
    folder, path = write(tmp_path / "l", {"a/names.csv": A}), tmp_path / "kb.db"
    kb.build([folder], path, workers=1)
    write(folder, {"b/names.csv": B})
    with base_of([folder], path, workers=1) as base:
        assert {row.partition("¶")[0] for row in listed(base)} == {
            "namelist/a/names",
            "namelist/b/names",
        }
    (folder / "a/names.csv").unlink()
    with base_of([folder], path, workers=1, replace=True) as base:
        assert {row.partition("¶")[0] for row in listed(base)} == {"namelist/names"}


def test_two_files_of_other_kinds_with_one_name(tmp_path: Path) -> None:
    first, second = WIKI["飛行.txt"], WIKI["引く.txt"]
    folder = write(tmp_path / "wiki", {"a/頁.txt": first, "b/頁.txt": second, "c/頁.txt": first})
    report = kb.build([folder], tmp_path / "kb.db", site="pukiwiki", game="dm", workers=1)
    said = [w for w in report.warnings if "gives the page pukiwiki/頁" in w.what]
    assert report.pages == 1 and len(said) in {1, 2}


# -- what is named ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "hints"),
    [
        ("用語,英語\n" + TERMS, {}),
        ("日本語,英語,定義\n" + TERMS.replace("\n", ",ある能力\n"), {}),
        (TERMS.replace("\n", ",702.9b\n"), {}),
        (TERMS, {"names": "terms"}),
        (TERMS, {}),  # three of the four names are those of terms of the wiki
    ],
)
def test_terms_of_a_list_are_those_of_the_wiki(
    tmp_path: Path, wiki: Path, text: str, hints: dict[str, str]
) -> None:
    folder = write(tmp_path / "lists", {"list.csv": text})
    report = kb.build([wiki, folder], tmp_path / "kb.db", game="dm", workers=1, **hints)  # type: ignore[arg-type]
    with kb.open(tmp_path / "kb.db") as base:
        assert english(base, "dm/term/飛行") == {"Flying"}
        assert not [n for n in base.show("飛行").matches if n.kind == "card"]
        unknown = {concept.id: concept for concept in base.termbase()}.get("dm/term/接死")
        [flying] = [name for name in base.termbase("飛行")[0].names if name.lang == "en"]
    # What a page names, the list only calls otherwise; what no page names, it must state.
    assert (flying.status, flying.why) == ("admitted", "list")
    unsure = [w for w in report.warnings if "nothing says" in w.what]
    said = [w.what for w in unsure]
    assert all("names" in w.hints for w in unsure)
    if text == TERMS and not hints:
        assert unknown is None and "1 (“接死”) that no page has as terms are left out" in said[0]
    else:
        assert unknown and {name.why for name in unknown.names} == {"list"} and not said


CARDS = "灰の竜,Ash Dragon\n森の賢者,Forest Sage\n飛行,Flying\n黒の城,Black Castle\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CARDS, "they are names of cards"),  # two of them are, and all that are known are there
        (CARDS.replace("\n", ",{2}{U}\n"), ""),
        (CARDS.replace("\n", ",DM-012\n"), ""),
        ("en,ja,タフネス\n" + re.sub("(.+),(.+)\n", r"\2,\1,2\n", CARDS), ""),
    ],
)
def test_a_list_of_cards_says_nothing_of_terms(
    tmp_path: Path, wiki: Path, text: str, said: str
) -> None:
    folder = write(tmp_path / "lists", {"list.csv": text})
    report = kb.build([wiki, folder], tmp_path / "kb.db", game="dm", workers=1)
    with kb.open(tmp_path / "kb.db") as base:
        assert english(base, "dm/card/灰の竜") == {"Ash Dragon"}
        assert english(base, "dm/card/飛行") == {"Flying"}
        assert english(base, "dm/term/飛行") == set()
        assert english(base, "dm/card/黒の城") == {"Black Castle"}
    warned = [w.what for w in report.warnings if w.where.endswith("list.csv")]
    assert [said in what for what in warned] == [True] * bool(said)


RULES = """Made-up Game Comprehensive Rules
These rules are effective as of January 16, 2026.

702. Keyword Abilities

702.1. Rebound

702.1a Rebound returns a card.

702.2. Unearth

702.2a Unearth puts a card onto the table.

Glossary

Rebound
A keyword ability that returns a card.

Unearth
A keyword ability that puts a card onto the table.
"""


def statuses(base: kb.KnowledgeBase) -> set[tuple[str, ...]]:
    """What the termbase says of terms: (concept, language, name, status) of each name."""
    return {
        (one.id, name.lang, name.text, name.status) for one in base.termbase() for name in one.names
    }


# Cards that are called like keyword abilities, in English or in Japanese, or like nothing else.
LIKE_TERMS = "発掘,Unearth\n反跳,Rebound\n黒の城,Castle\n白の城,Keep\n青の城,Fort\n赤の城,Tower\n"


@pytest.mark.parametrize("order", ["ja,en", "en,ja"])
@pytest.mark.parametrize("kind", ["", "カード名,英名\n"])
def test_a_name_on_a_list_alone_makes_no_term_and_names_none(
    tmp_path: Path, order: str, kind: str
) -> None:
    rows = [line.split(",") for line in (kind + LIKE_TERMS).splitlines()]
    text = "".join(",".join(row if order == "ja,en" else row[::-1]) + "\n" for row in rows)
    write(tmp_path, {"list/list.csv": text})
    book = [described(tmp_path / "book", {"rules.txt": RULES}, site="rulebook")]
    kb.build(book, tmp_path / "without.db", game="made", workers=1)
    report = kb.build([*book, tmp_path / "list"], tmp_path / "with.db", game="made", workers=1)
    with kb.open(tmp_path / "without.db") as without, kb.open(tmp_path / "with.db") as base:
        assert statuses(base) == statuses(without)
        assert ("made/term/Unearth", "en", "Unearth", "preferred") in statuses(base)
        assert base.show("黒の城").matches[0].kind == "card"
        in_termbase = {one.id for one in base.termbase(cards=True) if one.kind == "card"}
        left_out = [each.reason.values for each in base.termbase().also]
        draft = tmp_path / "draft.csv"
        draft.write_text(
            "en,ja\nUnearth the card.,そのカードを蘇生する。\n《Castle》,《塔》\n", "utf-8"
        )
        found = [problem.expected for problem in base.check(draft, game="made").problems]
    unsure = [w for w in report.warnings if "nothing says whether" in w.what]
    said = [w.what for w in unsure]
    assert all("names" in w.hints for w in unsure)
    if kind:
        assert len(in_termbase) == 6 and left_out == [{"cards": 6}] and not said
        assert found == ["黒の城"]
    else:  # few of its names are known, as terms: are they names of terms, or called like them?
        assert not in_termbase and left_out[0]["names"] == 4
        assert "6 (“発掘”, “反跳”, “黒の城”, …)" in said[0] and not found


JAPANESE_RULES = """作りものの総合ルール

702. キーワード能力

702.1. 反跳

702.1a 反跳は山の札を戻す。

702.2. 蘇生

702.2a 蘇生は札を場に出す。
"""


@pytest.mark.parametrize(
    ("rows", "written"),
    [
        ("英語,用語\nUnearth,蘇生\nRebound,反跳\n", False),  # as the rules have it
        ("英語,用語\nUnearth,発掘\nRebound,反跳\n", True),
        ("# 用語集\n用語,英語,別名\n蘇生,Dig Up,復活\n反跳,Bounce Back,\n山,Mount,\n", True),
        ("英語,用語\nthe,その\n2,二\nUnearth,発掘\n", True),
        ("en,ja,kind\nUnearth,発掘王,card\nRebound,反跳,term\n", False),
        ("term\t用語\ttype\tcost\tset\nUnearth\t発掘\ta\t1\tx\n", True),
        ("用語,英語\n山札,Unearth\n返し,Rebound returns\n", True),
        ("用語,英語\n反跳,Unearth\n", True),
    ],
)
def test_a_list_of_terms_leaves_names_that_pages_state_as_they_are(
    tmp_path: Path, rows: str, written: bool
) -> None:
    """Also those that headings of the rules in two languages state together."""
    for name, text, lang in (("rules.txt", RULES, "en"), ("ja.txt", JAPANESE_RULES, "ja")):
        stated = {"site": "rulebook", "edition": "20260116", "lang": lang}
        described(tmp_path / "book", {name: text}, **stated)
    write(tmp_path / "list", {"list.tsv" if "\t" in rows else "list.csv": rows})
    kb.build([tmp_path / "book"], tmp_path / "without.db", game="made", workers=1)
    kb.build([tmp_path / "book", tmp_path / "list"], tmp_path / "with.db", game="made", workers=1)
    with kb.open(tmp_path / "without.db") as without, kb.open(tmp_path / "with.db") as base:
        of_pages = {one.id: one for one in without.termbase()}
        assert {"蘇生", "Unearth"} <= {n.text for one in of_pages.values() for n in one.names}
        for one in base.termbase():
            stated = [name for name in one.names if name.why != "list"]
            before = of_pages.get(one.id)
            assert [(n.text, n.status, n.count) for n in stated] == [
                (n.text, n.status, n.count) for n in (before.names if before else ())
            ]
            listed = [name for name in one.names if name.why == "list"]
            assert {(name.status, name.count) for name in listed} <= {("admitted", 0)}
        assert any(n.why == "list" for one in base.termbase() for n in one.names) is written
        assert not base.show("term").matches and not base.show("用語").matches
        for name in ("Unearth", "反跳"):
            named = [node.id for node in without.show(name).matches]
            found = [node.id for node in base.show(name).matches if node.kind != "card"]
            assert found == named != []
        question = "蘇生とは何ですか？ What is Unearth?"
        answers = without.ask(question).answers  # of others the ranks depend on how many rows are
        assert base.ask(question).answers[0].passage.id == answers[0].passage.id
        draft = tmp_path / "draft.csv"
        draft.write_text("en,ja\nUnearth the card.,カードを発掘する。\n", "utf-8")
        assert base.check(draft).problems == without.check(draft).problems
        assert base.outcomes("Unearth").as_json() == without.outcomes("Unearth").as_json()
        decided = base.termbase(
            "蘇生", decisions=[kb.Decision(term="蘇生", lang="en", name="Rise")]
        )
    assert not decided.notices and "Rise" in {n.text for one in decided for n in one.names}


def test_a_list_calls_no_card_otherwise_than_its_page(tmp_path: Path, wiki: Path) -> None:
    write(wiki, {"《灰の竜》.txt": "*《灰の竜/Ash Dragon》\n**解説\n[[飛行]]を持つ。\n"})
    folder = write(tmp_path / "lists", {"list.csv": "カード名,英名\n灰の竜,A Drake\n黒の城,Keep\n"})
    with base_of([wiki, folder], tmp_path / "kb.db", game="dm", workers=1) as base:
        [card] = [node for node in base.show("灰の竜").matches if node.kind == "card"]
        names = {label.text: label.role for label in card.labels if label.lang == "en"}
    assert names == {"Ash Dragon": "preferred", "A Drake": "alias"}


def test_a_list_of_cards_adds_no_uses_of_terms(tmp_path: Path, wiki: Path) -> None:
    cards = "カード名,英名\n飛行の竜,Flying Dragon\n飛行の獣,Flying Beast\n"
    folder = write(tmp_path / "lists", {"list.csv": cards})
    kb.build([wiki], tmp_path / "without.db", game="dm", workers=1)
    kb.build([wiki, folder], tmp_path / "with.db", game="dm", workers=1)
    with kb.open(tmp_path / "without.db") as without, kb.open(tmp_path / "with.db") as base:
        assert base.show("飛行の竜").matches
        assert list(base.termbase("dm/term/飛行")) == list(without.termbase("dm/term/飛行"))


def test_a_name_joins_by_its_spelling_or_its_english(tmp_path: Path, wiki: Path) -> None:
    write(wiki, {"引く.txt": "*引く/Draw\n**解説\n山札の上を手札に加えること。\n"})
    text = "用語,英語\nドローする,Draw\nヒコウ,Flying\n飛 行,Flight\n"
    folder = write(tmp_path / "lists", {"list.csv": text})
    with base_of([wiki, folder], tmp_path / "kb.db", game="dm", workers=1) as base:
        assert "ドローする" in {n.text for n in base.show("dm/term/引く").matches[0].labels}
        assert english(base, "dm/term/飛行") == {"Flight"}


def test_a_card_called_like_a_term_is_not_the_term(tmp_path: Path, wiki: Path) -> None:
    write(
        wiki, {"飛行.txt": "*飛行/Flying\n**解説\n空を飛ぶ能力。《黒の城》《白の城》《青の城》\n"}
    )
    text = "灰の竜,Ash Dragon\n森の賢者,Sage\n黒の城,B\n白の城,W\n青の城,Blue\n飛行,Flight\n"
    folder = write(tmp_path / "lists", {"list.csv": text})
    with base_of([wiki, folder], tmp_path / "kb.db", game="dm", workers=1) as base:
        assert english(base, "dm/term/飛行") == {"Flying"}
        assert english(base, "dm/card/飛行") == {"Flight"}


def test_the_game_of_a_list_is_that_of_its_names(tmp_path: Path, wiki: Path) -> None:
    folder = write(tmp_path / "lists", {"list.csv": TERMS})
    with base_of([wiki, folder], tmp_path / "kb.db", workers=1) as base:
        assert english(base, "dm/term/飛行") == {"Flying"}


def test_a_list_of_an_unknown_game_says_so(tmp_path: Path) -> None:
    folder = write(tmp_path / "lists", {"list.csv": TERMS})
    report = kb.build([folder], tmp_path / "kb.db", workers=1)
    assert "no game is known for this list" in report.warnings[0].what


def test_what_other_pages_know_changes(tmp_path: Path, wiki: Path) -> None:
    folder, path = write(tmp_path / "lists", {"list.csv": TERMS}), tmp_path / "kb.db"
    with base_of([folder], path, game="dm", workers=1) as base:
        assert english(base, "dm/card/飛行") == {"Flying"}
    for name in (*WIKI, "manifest.jsonl"):
        write(folder, {name: (wiki / name).read_text("utf-8")})
    with base_of([folder], path, game="dm", workers=1) as base:
        assert english(base, "dm/term/飛行") == {"Flying"}
        assert not [n for n in base.show("飛行").matches if n.kind == "card"]
        assert "4 (“飛行”" not in str(base.audit().warnings)


def edited(folder: Path, path: Path, step: str) -> None:
    files = {
        "page": {"速攻.txt": "*速攻\n**解説\n[[接死]]とは別。すぐ攻撃できる。\n"},
        "list": {"x.csv": "用語,英語\n" + TERMS + "速攻,Haste\n"},
        "open": {"y.csv": "速攻,Haste\n瞬速,Flash\n灰の竜,Ash Dragon\n"},
        "same": {"z/x.csv": "用語,英語\n瞬速,Flash\n"},
        "game": {"飛行.txt": WIKI["飛行.txt"].replace("警戒", "速攻")},
    }
    write(folder, files[step])
    kb.build([folder], path, game="dm", site=None, workers=1)


@pytest.mark.parametrize("steps", ["page list open same game", "open page same list game"])
def test_an_update_gives_the_same_graph(tmp_path: Path, wiki: Path, steps: str) -> None:
    path = tmp_path / "kb.db"
    kb.build([wiki], path, game="dm", workers=1)
    for step in steps.split():
        edited(wiki, path, step)
        kb.build([wiki], tmp_path / f"{step}.db", game="dm", workers=1)
        exported = []
        for file in (path, tmp_path / f"{step}.db"):
            with kb.open(file) as base:
                base.export(str(tmp_path / "out.jsonl"))
                exported.append(sorted((tmp_path / "out.jsonl").read_text("utf-8").splitlines()))
        assert exported[0] == exported[1]


def test_a_row_defines_nothing(tmp_path: Path, wiki: Path) -> None:
    folder = write(tmp_path / "lists", {"list.csv": "用語,英語\n" + TERMS})
    with base_of([wiki, folder], tmp_path / "kb.db", game="dm", workers=1) as base:
        answers = base.ask("到達とは？").answers + base.ask("飛行とは？").answers
        assert not [one for one in answers if one.passage.source == "namelist"]
        assert base.compare("接死").rows[0].definition is None


def test_a_row_answers_nothing(tmp_path: Path, wiki: Path) -> None:
    rows = "カード名,英名\n灰の竜,Ash Dragon\n黒の城,Black Castle\n到達,Reach\n"
    folder = write(tmp_path / "lists", {"list.csv": rows})
    with base_of([wiki, folder], tmp_path / "kb.db", game="dm", workers=1) as base:
        assert base.search("黒の城").hits, "it is found"
        for question in ("黒の城は何をする？", "What does Black Castle do?", "到達はいつ働く？"):
            answers = base.ask(question).answers
            assert "namelist" not in [one.passage.source for one in answers], question


def test_the_command_says_what_lists_name(tmp_path: Path) -> None:
    folder = write(tmp_path / "lists", {"list.csv": TERMS})
    command = ["build", str(folder), "--kb", str(tmp_path / "kb.db"), "--game", "dm", "--json"]
    ran = run(*command, "--names", "terms")
    assert ran.exit_code == 0 and json.loads(ran.stdout)["nodes"]["term"] == 4
    assert run(*command, "--names", "things").exit_code == 2
    again = run("build", "--again", *command[2:4], "--json")
    assert json.loads(again.stdout)["nodes"]["term"] == 4


def test_a_list_demands_nothing_of_a_draft_and_a_decision_on_its_name_counts(
    tmp_path: Path, wiki: Path
) -> None:
    folder = write(tmp_path / "lists", {"list.csv": "用語,英語\n" + TERMS})
    kb.build([wiki, folder], tmp_path / "kb.db", game="dm", workers=1)
    write(
        tmp_path,
        {
            "draft.csv": "ja,en\n到達を得る。,It gains range.\n接死を得る。,It gains touch.\n"
            "警戒を得る。,It gains vigilance.\n",
            "decided.csv": "term,lang,name\n接死,en,Deathtouch\n",
        },
    )
    with kb.open(tmp_path / "kb.db") as base:
        assert not base.check(tmp_path / "draft.csv", game="dm").problems
        decided = base.check(tmp_path / "draft.csv", game="dm", decisions=tmp_path / "decided.csv")
        [problem] = decided.problems
        assert (problem.line, problem.expected, problem.term) == (3, "Deathtouch", "dm/term/接死")
