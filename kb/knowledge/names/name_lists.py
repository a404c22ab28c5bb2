"""Extracts terms and cards from lists of names in two languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from graphs.model import Label, NodeKind, Role, kind_of_id
from graphs.writing.page_claims import EdgeClaim, NodeClaim, PageClaims
from kb.knowledge import claim_ranks
from kb.knowledge.cards import card_id
from kb.knowledge.page_subject import qualified_label, term_id
from kb.knowledge.prepared_page import PageContext
from kb.language.fold import plain
from kb.language.headwords import Headword, label_claims, parse_headword
from scraper import Page, Passage
from scraper.page import NamedKind
from scraper.sites.name_list import row_kind

_NO_NAME = frozenset({"", "-", "?", "n/a", "none", "null", "nil", "undefined", "unknown"})
_NO_KANJI = re.compile(r"[^一-鿿々〆]*[ぁ-ゖァ-ヺ][^一-鿿々〆]*")  # some kana and no kanji
_BETWEEN_JAPANESE = re.compile("[/／、;；|｜]")  # names of one term in a cell
_BETWEEN_ENGLISH = re.compile("[/／;；|｜]")
_PIECE = 1_000  # terms and cards; by hand: a guard of memory, some megabytes for a piece
NAMES_ONLY = {"names_only": True}  # details of an edge `defines` whose passage explains nothing


@dataclass(frozen=True, slots=True)
class ListEntry:
    """A row of a list, with its names as those of a card and as those of a term.

    A cell may have several names of a term (`飛行 / 空を飛ぶ`). The name of a card is the whole
    cell, as such signs stand in names of cards.

    place: the index of the row among the page's passages.
    card: the card's Japanese name; marked: whether it is written as a card's, in 《》.
    card_english: its English name; None if there is none.
    term: the term's Japanese names, the first the one that it is called by.
    term_english: its English names.
    said: whether the row says that it names a term, or a card; None if it does not say it.
    """

    place: int
    card: str
    marked: bool
    card_english: str | None
    term: tuple[Headword, ...]
    term_english: tuple[str, ...]
    said: NamedKind | None = None


@dataclass(frozen=True, slots=True)
class NamedNodes:
    """What the rows of a list name, as far as other pages decide it.

    nodes: {index of a row among the passages: ids of the terms and cards that it names}; none for a
        row of which that can't be said. A row that is not in it names a term or a card as the list
        says, and a card if it says nothing.
    aliases: the indices of the rows that give what they name another name, and never the one that
        it is called by: nothing says what they name, or pages call the card otherwise.
    """

    nodes: Mapping[int, Sequence[str]] = field(default_factory=dict)
    aliases: frozenset[int] = frozenset()


_AS_THE_LIST_SAYS = NamedNodes()


def extract(context: PageContext, claims: PageClaims) -> None:
    """Add a term or a card for every row that has a Japanese name, with its English name and
    reading, as the list itself says what it names; cards if it doesn't say.

    Header rows, and pages that are no lists of names, add nothing.
    """
    page = context.page
    if page.engine != "namelist":
        return
    for entry in _entries(page):
        _claim_nodes(context, claims, entry, _AS_THE_LIST_SAYS)


def in_pieces(context: PageContext, named: NamedNodes) -> Iterator[PageClaims]:
    """Yield what `extract` adds, of some rows at a time: in order, about a thousand nodes each, the
    last piece perhaps empty.

    named: what the rows name.
    """
    claims = PageClaims(context.page_id)
    for entry in _entries(context.page):
        _claim_nodes(context, claims, entry, named)
        if len(claims.nodes) >= _PIECE:
            yield claims
            claims = PageClaims(context.page_id)
    yield claims


def _entries(page: Page) -> Iterator[ListEntry]:
    """Yield the entries of a list, in order, without its heading."""
    head = bool(page.passages) and page.passages[0].head
    return list_entries((passage.text for passage in page.passages), head)


def _claim_nodes(
    context: PageContext, claims: PageClaims, entry: ListEntry, named: NamedNodes
) -> None:
    """Add what an entry names, as `extract` does: the nodes that `named` has for its row, which may
    be none, or else its own."""
    own = own_node(context.game, entry, context.page.names or "card")
    role: Role = "alias" if entry.place in named.aliases else "preferred"
    for node_id in named.nodes.get(entry.place, (own,)):
        _claim_node(context, claims, entry, node_id, role)


def own_node(game: str, entry: ListEntry, kind: NodeKind) -> str:
    """Return the id of the node of a kind that an entry names, if no other page names it: by its
    name as a card, or its first name as a term.

    kind: `term` or `card`.
    """
    if kind == "card":
        return card_id(game, entry.card)
    return term_id(game, qualified_label(entry.term[0]))


def list_entries(rows: Iterable[str], head: bool) -> Iterator[ListEntry]:
    """Yield the entries of a list, in order, without rows that have no Japanese name, or a
    placeholder (`-`, `n/a`, `unknown`). Rows that name the same give an entry each.

    rows: the texts of the page's passages, whose cells are separated by tabs: the name, the
        English name, the reading, what the row names; the last three may be absent.
    head: whether the first row is a heading.

    >>> [entry] = list_entries(["飛行 / 空を飛ぶ\\tFlying"], head=False)
    >>> [name.label for name in entry.term], entry.term_english, entry.card
    (['飛行', '空を飛ぶ'], ('Flying',), '飛行 / 空を飛ぶ')
    """
    for place, row in enumerate(rows):
        if head and place == 0:
            continue
        japanese, english, _, said = [*(cell.strip() for cell in row.split("\t")), "", "", ""][:4]
        card = plain(japanese.replace("《", "").replace("》", ""))
        if card.casefold() in _NO_NAME:
            continue
        english = "" if english.casefold() in _NO_NAME else plain(english)
        names, english_names = _split_names(japanese, english)
        yield ListEntry(
            place,
            card,
            "《" in japanese,
            english or None,
            tuple(map(parse_headword, names)),
            english_names,
            row_kind(said),
        )


def _split_names(japanese: str, english: str) -> tuple[list[str], tuple[str, ...]]:
    """Return the Japanese and the English names in the cells of a term.

    Cells with the same number of parts are not split: `タップ/アンタップ` and `Tap/Untap` are no
    two names of one term. There is always a Japanese one; of an empty English cell there is none.

    >>> _split_names("オーナー、所有者", "Owner"), _split_names("重い/軽い", "Heavy/Light")
    ((['オーナー', '所有者'], ('Owner',)), (['重い/軽い'], ('Heavy/Light',)))
    """
    names = [name.strip() for name in _BETWEEN_JAPANESE.split(japanese) if name.strip("《》 ")]
    english_names = [name for part in _BETWEEN_ENGLISH.split(english) if (name := part.strip())]
    if not names or len(names) == len(english_names):
        return [japanese], (english,) if english else ()
    return names, tuple(english_names)


def _claim_node(
    context: PageContext, claims: PageClaims, entry: ListEntry, node_id: str, role: Role
) -> None:
    """Add a term or card that a row names, with its names and the row as evidence.

    node_id: its id. A card's own name may be another than the row's, which is then an alias.
    role: of the row's first name of a card in each language. Names of terms are only `listed`.
    """
    row, passage_id = context.page.passages[entry.place], context.passage_ids[entry.place]
    kind: NodeKind = "term" if kind_of_id(node_id) == "term" else "card"
    name, _, reading_cell = [*(cell.strip() for cell in row.text.split("\t")), "", ""][:3]
    reading = _reading(row, name, reading_cell)
    own = own_node(context.game, entry, kind) == node_id
    label = entry.card if kind == "card" else entry.term[0].label
    if kind == "term" and reading is None:
        reading = entry.term[0].reading
    node = context.make_node(node_id, kind, lang="ja", label=label, reading=reading)
    claims.nodes.append(NodeClaim(node, context.rank(claim_ranks.LISTED[kind])))
    if kind == "card":
        labels = [Label("ja", label, role if own else "alias")]
        labels += [Label("en", entry.card_english, role)] if entry.card_english else []
    else:
        labels = [Label("ja", name.label, "listed") for name in entry.term]
        labels += [Label("en", english, "listed") for english in entry.term_english]
    labels += [Label("ja", reading, "reading")] if reading else []
    claims.labels += label_claims(node_id, labels, passage_id)
    claims.edges.append(
        EdgeClaim(
            kind="defines",
            source=passage_id,  # not the page: its other rows say nothing of this one
            target=node_id,
            target_label=label,
            passage=passage_id,
            start=0,
            end=len(name),
            details=NAMES_ONLY,
        )
    )


def _reading(row: Passage, name: str, reading_cell: str) -> str | None:
    """Return the reading of a row's name: that in its cell if it has kana and no kanji, else the
    name with its ruby in place of the words below them; None if that has kanji or no kana, or there
    is no ruby.

    name, reading_cell: the texts of the row's first and third cells; the latter may be empty.
    """
    if reading_cell and _NO_KANJI.fullmatch(reading_cell):
        return plain(reading_cell)
    if not row.ruby:
        return None
    pieces, end = [], 0
    for ruby in row.ruby:
        pieces += [name[end : ruby.start], ruby.reading]
        end = ruby.end
    reading = plain("".join([*pieces, name[end:]]))
    return reading if _NO_KANJI.fullmatch(reading) else None
