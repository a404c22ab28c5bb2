"""Cards and terms that a page names in both languages without a link."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kb
from graphs.writing.page_claims import PageClaims
from kb.knowledge import extract
from kb.language.headwords import parse_headword
from kb.language.tokens import tokenizer
from scraper import Hints, Link, Page, Passage, Snapshot, read_pages, snapshots
from tests.building.test_build import exported
from tests.building.test_renew import edit
from tests.captured import captured
from tests.conftest import SAMPLE, SHARED


def claims_of(*passages: Passage | str, **fields: str) -> PageClaims:
    given = tuple(p if isinstance(p, Passage) else Passage("paragraph", p) for p in passages)
    page = Page("mtgwiki", "手札", url="", title="手札", game="mtg", engine="mediawiki")
    changes: dict[str, Any] = {"passages": given, **fields}
    return extract(replace(page, **changes), tokenizer())


def labels_of(claims: PageClaims, node: str) -> set[str]:
    return {claim.label.text for claim in claims.labels if claim.node == node}


def mentions(claims: PageClaims) -> list[tuple[str, str, int, int]]:
    return [
        (edge.passage, edge.target, edge.start, edge.end)
        for edge in claims.edges
        if edge.kind == "mentions" and edge.details
    ]


def test_a_card_with_both_names_and_its_place() -> None:
    claims = claims_of("例を見よ。", "対戦相手が霧の番人/Mist Wardenを唱える。")
    assert labels_of(claims, "mtg/card/霧の番人") == {"霧の番人", "Mist Warden"}
    assert mentions(claims) == [("mtgwiki/手札¶2", "mtg/card/霧の番人", 5, 21)]
    [node] = [claim.node for claim in claims.nodes if claim.node.id == "mtg/card/霧の番人"]
    assert (node.kind, node.label) == ("card", "霧の番人")


def test_it_is_the_card_that_a_link_gives() -> None:
    linked = Link(0, 16, "page", "霧の番人/Mist Warden")
    text = "霧の番人/Mist Wardenを唱える。"
    with_link, without = claims_of(Passage("paragraph", text, links=(linked,))), claims_of(text)
    assert labels_of(with_link, "mtg/card/霧の番人") == labels_of(without, "mtg/card/霧の番人")
    assert mentions(with_link) == []  # the link is the edge
    assert len(mentions(without)) == 1


def test_a_term_of_that_name_on_the_page() -> None:
    link = Link(0, 2, "page", "墓地")
    claims = claims_of(Passage("paragraph", "墓地と、墓地/Graveyardに置く。", links=(link,)))
    assert labels_of(claims, "mtg/term/墓地") == {"墓地", "Graveyard"}
    assert not labels_of(claims, "mtg/card/墓地")


def test_the_subject_of_the_page() -> None:
    claims = claims_of("なお、手札/Handは見せない。")
    assert {"手札", "Hand"} <= labels_of(claims, "mtg/term/手札")


@pytest.mark.parametrize(
    ("engine", "game", "text", "node"),
    [
        ("pukiwiki", "mtg", "霧の番人/Mist Wardenを唱える。", "mtg/card/霧の番人"),
        ("pukiwiki", "ws", "控え室/Waiting Roomに置く。", "ws/term/控え室"),
        ("pukiwiki", "ws", "《霧の番人/Mist Warden》を使う。", "ws/card/霧の番人"),
        ("rulebook", "mtg", "札を呪文置き場/Spell Zoneに置く。", "mtg/term/呪文置き場"),
    ],
)
def test_card_or_term(engine: str, game: str, text: str, node: str) -> None:
    assert labels_of(claims_of(text, engine=engine, game=game, source="w"), node)


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("「控え室/Waiting Room」を唱える。", "mtg/card/控え室"),
        ("「控え室/Waiting Room」と呼ばれる。", "mtg/term/控え室"),
        ("「控え室/Waiting Room」とは領域である。", "mtg/term/控え室"),
        ("「控え室/waiting room」に置く。", "mtg/term/控え室"),
    ],
)
def test_a_quoted_name(text: str, node: str) -> None:
    claims = claims_of(text)
    assert {claim.node.id for claim in claims.nodes if "控え室" in claim.node.id} == {node}


BOOK = {"engine": "rulebook", "source": "w"}


def test_one_english_name_in_several_ways_is_one_term() -> None:
    """Called as the heading has it; what stands before the name in a sentence is none of it."""
    claims = claims_of(
        "札の移動(Move)は任意である。移動(Move)を選ぶ。",
        Passage("heading", "ムーブ(Move)"),
        "現在移動(Moves)の間は続ける。",
        "移送(Transfer)もある。",
        **BOOK,
    )
    assert labels_of(claims, "mtg/term/ムーブ") == {"ムーブ", "移動", "Move"}
    assert labels_of(claims, "mtg/term/移送") == {"移送", "Transfer"}
    assert not {"mtg/term/移動", "mtg/term/現在移動"} & {claim.node.id for claim in claims.nodes}


def test_without_a_heading_the_name_given_most_often() -> None:
    claims = claims_of("転送(Transfer)し、移送(Transfer)する。", "移送(Transfer)の後。", **BOOK)
    assert labels_of(claims, "mtg/term/移送") == {"移送", "転送", "Transfer"}


def test_a_name_with_two_english_names_belongs_to_its_usual_one() -> None:
    claims = claims_of(
        "隠遁(Hide)する。隠遁(Hide)した札。隠遁(Hidden)の札。秘匿(Hidden)の札。", **BOOK
    )
    assert labels_of(claims, "mtg/term/隠遁") == {"隠遁", "Hide", "Hidden"}
    assert labels_of(claims, "mtg/term/秘匿") == {"秘匿", "Hidden"}


def test_a_reading_in_brackets_is_a_name_too() -> None:
    claims = claims_of("札を控え室(ひかえしつ)/Waiting Roomに置く。")
    assert labels_of(claims, "mtg/card/控え室") == {"控え室", "ひかえしつ", "Waiting Room"}
    claims = claims_of("札を墓地(ぼち/Graveyard)に置く。")
    assert labels_of(claims, "mtg/card/墓地") == {"墓地", "ぼち", "Graveyard"}


def test_headwords_of_a_rulebooks_glossary_are_read_elsewhere() -> None:
    text = "霜の砦/Frost Fort"
    assert not labels_of(claims_of(Passage("entry", text), **BOOK), "mtg/term/霜の砦")
    assert labels_of(claims_of(Passage("gloss", text), **BOOK), "mtg/term/霜の砦")


@pytest.mark.parametrize("fields", [{"lang": "en"}, {"engine": "namelist"}])
def test_pages_that_give_none(fields: dict[str, str]) -> None:
    assert mentions(claims_of("霧の番人/Mist Warden", **fields)) == []


def test_what_the_page_shows_elsewhere_decides() -> None:
    unclear = "湖畔の霧谷砦番人一覧目録/Mist Wardenを使う。"
    linked = Passage(
        "paragraph", "目録を見よ。", links=(Link(0, 2, "page", "番人一覧目録/Mist Warden"),)
    )
    assert mentions(claims_of(unclear)) == []
    assert mentions(claims_of(unclear, linked))[0][1] == "mtg/card/番人一覧目録"
    several = claims_of("旧式の番人/Mist Wardenを使う。", "番人/Mist Wardenは強い。")
    assert {target for _, target, _, _ in mentions(several)} == {"mtg/card/番人"}


def test_names_of_a_boxs_halves_stay_its_names() -> None:
    rows = ("カード名\t霧/Mist（きり）\t港/Port（みなと）", "タイプ\t土地\t土地")
    passages = (Passage("title", "霧+港/Mist+Port"), *(Passage("row", row) for row in rows))
    claims = claims_of(*passages, source="wisdom-guild", engine="wisdomguild")
    assert {claim.node.id for claim in claims.nodes} == {"mtg/card/霧+港"}


def test_an_update_keeps_the_edges(tmp_path: Path) -> None:
    """Also where passages are searched again, because of a new term in them."""
    pages, hand, library = two_pages(tmp_path)
    edit(hand, "。", "。対戦相手が霧の番人/Mist Wardenと謎の言葉を唱える。")
    path, other = tmp_path / "x.db", tmp_path / "other.db"
    kb.build([pages], path)
    edit(library, "。", "。「謎の言葉」と呼ばれる。")
    assert kb.build([pages], path).read == 1
    kb.build([pages], other)
    assert exported(path) == exported(other)
    with kb.open(path) as base:
        found = base.search("対戦相手", mentions="Mist Warden")
        assert len(found.hits) == 1


@pytest.mark.slow
def test_a_term_of_another_page(tmp_path: Path) -> None:
    """A name in text is that of a term which another page gives; also as it comes and goes."""
    pages, hand, library = two_pages(tmp_path)
    edit(hand, "。", "。控え室/Waiting Roomに置く。")
    path, card, term = tmp_path / "x.db", ("mtg/card/控え室", "card"), ("mtg/term/控え室", "term")
    assert nodes(pages, path) == [card]
    edit(library, "。", "。「控え室」と呼ばれる。")
    assert nodes(pages, path) == [term]
    with kb.open(path) as base:
        assert "Waiting Room" in {label.text for label in base.show("控え室").matches[0].labels}
    edit(hand, "。", "。これは控え室/Waiting Roomである。")
    assert nodes(pages, path) == [term]
    edit(library, "「控え室」と呼ばれる", "「控え室/Green Room」と呼ばれる")
    assert nodes(pages, path) == [card, term]
    edit(library, "「控え室/Green Room」と呼ばれる", "「控え室/Waiting Room」と呼ばれる")
    assert nodes(pages, path) == [term]
    edit(library, "「控え室/Waiting Room」と呼ばれる", "終わり")
    assert nodes(pages, path) == [card]


def two_pages(folder: Path) -> tuple[Path, Path, Path]:
    """Copy two pages of the sample; return their folder and the two files."""
    pages = folder / "pages"
    keep = {"hand.html", "library.html", "manifest.jsonl"}
    shutil.copytree(SAMPLE / "mtgwiki", pages, ignore=lambda _, names: set(names) - keep)
    return pages, pages / "hand.html", pages / "library.html"


def nodes(pages: Path, path: Path) -> list[tuple[str, str]]:
    """Build again, compare with a build from nothing, and return the nodes called 控え室."""
    other = path.with_name("other.db")
    other.unlink(missing_ok=True)
    kb.build([pages], path)
    kb.build([pages], other)
    assert exported(path) == exported(other)
    with kb.open(path) as base:
        return sorted((node.id, node.kind) for node in base.show("控え室").matches)


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize("wiki", ["pages/mw119", "pages/mw139"])
def test_pages_without_their_links(wiki: str) -> None:
    """The names that links to bilingual titles give are found without these links."""
    wanted = right = wrong = 0
    for snapshot in captured(SHARED / wiki):
        for page in read_pages(snapshot)[0]:
            if page.lang != "ja" or page.engine != "mediawiki":
                continue
            linked, bare = set(), []
            for place, passage in enumerate(page.passages):
                names = {link for link in passage.links if is_name(passage, link)}
                linked |= {(place, link.start, link.end) for link in names}
                bare.append(replace(passage, links=tuple(set(passage.links) - names)))
            claims = extract(replace(page, passages=tuple(bare)), tokenizer())
            places = [part.node.id for part in claims.parts if part.node.kind == "passage"]
            found = {(places.index(p), *span) for p, _, *span in mentions(claims)}
            wanted, right = wanted + len(linked), right + len(linked & found)
            wrong += len(found - linked)
    assert wanted > 50
    assert right / wanted >= 0.95
    assert wrong / wanted <= 0.03


def is_name(passage: Passage, link: Link) -> bool:
    words = passage.text[link.start : link.end]
    return words == link.target and parse_headword(words).english is not None


@pytest.mark.shared
def test_a_capture_without_links() -> None:
    captures = [s for s in snapshots(SHARED / "seeds", Hints()) if isinstance(s, Snapshot)]
    [page] = read_pages(next(s for s in captures if "001_" in s.where))[0]
    cards = {target.rpartition("/")[2] for _, target, _, _ in mentions(extract(page, tokenizer()))}
    assert len(cards) == 14
    assert {"闇の腹心", "天才のひらめき", "嘘か真か", "よりよい品物"} <= cards


def test_brackets_give_the_english_in_rulebooks_alone() -> None:
    """A wiki puts readings, remarks and examples into them."""
    claims = claims_of("鈴木/Suzukiと切り直し（Mulligan Rule）。", source="w")
    labels = [claim.label.text for claim in claims.labels]
    assert "Suzuki" in labels and "Mulligan Rule" not in labels
