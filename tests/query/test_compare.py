"""One concept side by side, on pages written for the purpose."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

import kb
from tests.commands import run
from tests.rulebooks import base_of, described, wiki_source

PAGES = {
    "dmwiki": "*捨てる/Discard [#top]\n手札のカードを墓地に置くこと。~\n-[[手札]]\n",
    "yugioh-wiki": "*捨てる/Discard [#top]\n手札のカードを墓地へ置く行為。~\n-[[手札]]\n",
}


def build(folder: Path, pages: Mapping[str, str]) -> Path:
    """A knowledge base of the pages called 捨てる of some sites."""
    sites = [wiki_source(folder / site, {"捨てる": text}, site) for site, text in pages.items()]
    kb.build(sites, folder / "kb.db")
    return folder / "kb.db"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return build(tmp_path, PAGES)


def test_rows(path: Path) -> None:
    with kb.open(path) as base:
        asked, other = base.compare("捨てる", game="dm").rows
    assert (asked.game, asked.ja, asked.en, asked.relation) == ("dm", "捨てる", "Discard", None)
    assert asked.definition == "手札のカードを墓地に置くこと。"
    assert (other.game, other.relation) == ("ygo", "exact")
    assert other.basis and "手札" in other.basis
    assert other.evidence and other.evidence.text == "手札のカードを墓地へ置く行為。"
    assert other.evidence.page == "yugioh-wiki/捨てる"


def test_command(path: Path) -> None:
    ran = run("compare", "Discard", "--json", of=path)
    rows = json.loads(ran.stdout)["rows"]
    fields = {
        *("game", "term", "ja", "reading", "en", "definition", "evidence", "relation", "basis"),
        *("edition", "page", "url", "names", "made_reading", "reading_basis"),
    }
    assert ran.exit_code == 0 and [row["game"] for row in rows] == ["dm", "ygo"]
    assert all(set(row) == fields for row in rows)
    shown = run("compare", "捨てる", "--game", "dm", of=path).output
    assert "exact     with 捨てる (dm): both are called" in shown
    assert "2 terms in 2 games: 1 exact" in shown
    assert run("compare", "無い", of=path).exit_code != 0


def test_names_have_an_authority_and_a_made_reading_is_marked(path: Path) -> None:
    with kb.open(path) as base:
        row = base.compare("捨てる", game="dm").rows[0]
    assert (row.reading, row.made_reading) == (None, "ステル")
    [name] = [name for name in row.names if name.lang == "ja"]
    assert name.text == row.ja and name.authority.endswith("(dmwiki)") and not name.proposed
    assert name.passage and name.passage.startswith("dmwiki/")
    shown = run("compare", "捨てる", "--game", "dm", of=path).output
    assert "ステル, a reading made by Sudachi" in shown and name.authority in shown


def test_a_stated_reading_and_a_proposed_name_are_told_apart() -> None:
    with kb.sample() as base:
        stated = base.compare("通常のドロー", game="ygo").rows[0]
        proposed = base.compare("mtg/term/Draw (2)").rows[0]
    assert (stated.reading, stated.made_reading) == ("つうじょうのドロー", None)
    assert {name.lang: name.proposed for name in proposed.names} == {"en": False, "ja": True}


def test_a_term_without_counterpart(path: Path) -> None:
    with kb.open(path) as base:
        found = base.compare("手札", game="dm")
    assert found.alone == ("dm/term/手札",) and len(found.rows) == 1
    ran = run("compare", "手札", "--game", "dm", of=path)
    assert ran.exit_code == 0
    assert "No term of another game was joined with 手札 (dm)." in ran.output
    assert "1 term in" not in ran.output
    assert "no page defines it" in ran.output


def test_names_that_nothing_has_do_not_spoil_the_others(path: Path) -> None:
    with kb.open(path) as base:
        found = base.compare("捨てる", "無い", game="dm")
        assert [row.game for row in found.rows] == ["dm", "ygo"] and found.unfound == ("無い",)
        assert str(found.also[0]) == "nothing is called 無い"
        with pytest.raises(kb.NotFoundError, match="none of 無い, 皆無 is found"):
            base.compare("無い", "皆無")


def test_what_another_game_has_of_the_name_is_not_joined(tmp_path: Path) -> None:
    book = "Harbour Comprehensive Rules\n\n1. Port\n\n100. Stow\n\n100.1. Discard what is wet.\n"
    given = {"site": "rulebook", "game": "harbour", "edition": "20240101"}
    described(tmp_path, {"harbour.txt": book}, **given)
    other = {"yugioh-wiki": "*捨てる/Discard [#top]\n相手の駒を盤から取り除く行為。~\n"}
    with kb.open(build(tmp_path, PAGES | other)) as base:
        [left_out] = base.compare("捨てる", game="dm").also
    assert left_out.id == "ygo/term/捨てる" and "nobody has joined them" in str(left_out.reason)
    dm = wiki_source(tmp_path / "dm", {"捨てる": PAGES["dmwiki"]}, "dmwiki")
    with base_of([dm, tmp_path / "harbour.txt"], tmp_path / "other.db") as base:
        [left_out] = base.compare("捨てる", game="dm").also
    assert "Discard is in 1 passage of harbour" in str(left_out.reason)


STUBS = """*積む [#top]
この項では札の置き方を解説する。~
-Pile。札を積む。本項で解説する。
-Load。荷を積む。荷を参照。

積むとは、札を山の下に置くことである。詳細は[[山]]の項を参照。~
"""


def test_what_only_announces_is_no_definition(tmp_path: Path) -> None:
    with base_of([wiki_source(tmp_path, {"積む": STUBS}, "dmwiki")], tmp_path / "kb.db") as base:
        [row] = base.compare("積む").rows
    assert row.definition == "積むとは、札を山の下に置くことである。"
    assert row.evidence and (row.evidence.start, row.page) == (0, "積む")


def test_a_stub_does_not_keep_concepts_apart(tmp_path: Path) -> None:
    """The definition behind a sentence that only announces one is what is compared."""
    stub = PAGES["dmwiki"].replace("手札", "本項では捨てることを解説する。~\n\n手札", 1)
    with kb.open(build(tmp_path, PAGES | {"dmwiki": stub})) as base:
        other = base.compare("捨てる", game="dm").rows[1]
    assert other.relation == "exact" and other.basis and "手札" in other.basis


def test_a_rule_of_that_name_is_not_left_out_in_silence(tmp_path: Path) -> None:
    book = "Harbour Comprehensive Rules\n\n1. Port\n\n100. 積む\n\n100.1. Ships carry salt.\n"
    given = {"site": "rulebook", "game": "harbour", "edition": "20240101"}
    described(tmp_path, {"harbour.txt": book}, **given)
    with base_of([wiki_source(tmp_path, {"積む": STUBS}, "dmwiki")], tmp_path / "kb.db") as base:
        [left_out] = base.compare("積む").also
        with pytest.raises(kb.QuestionError, match="/100 is a rule, and only terms are compared"):
            base.compare(base.show("100").matches[0].id)
        with pytest.raises(kb.QuestionError, match="no term is called 100"):
            base.compare("100.1")
    assert left_out.reason.ask == kb.Ask("show", ref=left_out.id)


def test_terms_of_one_name_that_are_not_joined_say_why(tmp_path: Path) -> None:
    other = {"yugioh-wiki": "*捨てる/Discard [#top]\n相手の駒を盤から取り除く行為。~\n"}
    path = build(tmp_path, PAGES | other)
    names = tmp_path / "mtg.csv"
    names.write_text("ja,en,reading\n捨てる,Discard,\n", "utf-8")
    with base_of([names], path, names="terms", game="mtg", add=True) as base:
        found = base.compare("捨てる")
    reasons = {
        frozenset(t.partition("/")[0] for t in n.terms): str(n.why) for n in found.not_joined
    }
    assert reasons[frozenset(("dm", "ygo"))] == "their definitions have too little in common"
    assert "no page of mtg defines it" in reasons[frozenset(("dm", "mtg"))]
    assert found.as_json()["not_joined"][0]["terms"] == [*found.not_joined[0].terms]
    ran = run("compare", "捨てる", of=tmp_path / "kb.db")
    assert "捨てる (dm) and 捨てる (ygo) have the same name, but are not joined: " in ran.output
    assert "No other game" not in ran.output


BOOK = """{year} Harbour Comprehensive Rules
These rules are effective as of January 1, {year}.

1. Port

100. General

100.1. Ships carry salt.

{number}. Load

{number}.1. Loading is slow.

Glossary

Load
1. To bring a thing into a ship. See rule {number}, “Load.”
2. What a ship carries.
"""


def test_homonyms_and_renumbered_rules(tmp_path: Path) -> None:
    for year, number in (("2024", 101), ("2025", 102)):
        text = BOOK.format(year=year, number=number)
        (tmp_path / f"harbour.{year}0101.txt").write_text(text, "utf-8")
    with base_of(
        sorted(tmp_path.glob("*.txt")), tmp_path / "kb.db", site="rulebook", game="harbour"
    ) as base:
        found = base.compare("Load")
    assert [row.relation for row in found.rows] == [None, "homonym"]
    [homonyms] = found.not_joined
    assert str(homonyms.why) == "they are two meanings of the name in one game"
    [rule] = found.also
    assert rule.id.endswith("/102") and "101 in older editions" in str(rule)
    ran = run("compare", "Load", of=tmp_path / "kb.db")
    assert "Load (1), Load (2) (harbour): they are two meanings" in ran.output
    assert "2 terms in 1 game" in ran.output and "game:" not in ran.output


GLOSSARY = """{title} Comprehensive Rules

1. Game

100. General

100.1. Cards are drawn.

Glossary

{entry}
"""


def test_a_definition_names_what_another_game_has_unjoined(tmp_path: Path) -> None:
    """One game's heap is what another calls a scrap pile; neither is held to be proved."""
    entries = {
        "harbour": "Heap\nA zone. A captain's heap is their scrap pile.",
        "quarry": "Scrap pile\nWhere broken stones lie.",
        "orchard": "Apple\nA fruit.",
    }
    folders = [
        described(
            tmp_path / game,
            {f"{game}.txt": GLOSSARY.format(title=game.title(), entry=entry)},
            site="rulebook", game=game, edition="20240101", lang="en",
        )
        for game, entry in entries.items()
    ]  # fmt: skip
    base = base_of(folders, tmp_path / "kb.db")
    for asked, other in (("Heap", "quarry/term/Scrap pile"), ("Scrap pile", "harbour/term/Heap")):
        [said] = base.compare(asked).also
        assert (said.id, said.reason.code) == (other, "defined_alike")
        assert str(said).count("not joined") and "scrap pile" in str(said).casefold()


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ("Graveyard\nA zone. A captain's graveyard is their discard pile.", True),
        ("Graveyard\nA zone, also called “the discard pile.”", True),
        # What it is a kind of, or only speaks of.
        ("Graveyard\nA zone. A graveyard is a discard pile.", False),
        ("Graveyard\nA zone of discard pile(s). Discarded cards stay in it.", False),
    ],
)
def test_what_a_definition_gives_for_the_same_is_a_hint(
    tmp_path: Path, entry: str, found: bool
) -> None:
    """And what players call so; not a word that both definitions have, such as 札."""
    japanese = "{title} 総合ルール\nこのルールは2024年1月1日から有効です。\n\n1. 札\n\n{rest}"
    entries = {
        "harbour": ("en", GLOSSARY.format(title="Harbour", entry=entry)),
        "quarry": (
            "ja",
            japanese.format(
                title="採石場",
                rest="1.1. 石は札を砕く。\n\n用語集\n\nトラッシュ (Trash)\n札を置く場所。\n\n"
                "札 (Card)\n石を描いた紙。\n",
            ),
        ),
    }
    folders = [
        described(
            tmp_path / game, {f"{game}.txt": text}, site="rulebook", game=game,
            edition="20240101", lang=lang,
        )
        for game, (lang, text) in entries.items()
    ]  # fmt: skip
    base = base_of(folders, tmp_path / "kb.db")
    hints = [each.id for each in base.compare("Graveyard").also if each.id]
    assert hints == (["quarry/term/トラッシュ"] if found else [])
    hints = [each.id for each in base.compare("トラッシュ").also if each.id]
    assert hints == (["harbour/term/Graveyard"] if found else [])
