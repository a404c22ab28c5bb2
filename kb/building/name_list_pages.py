"""Writes lists of names when all other pages are written: what they name, and what they are called.

A list has only names. What they are names of is known from the list's own headings and columns,
from a person, or from the other pages, which name some of the same terms and cards. A list's own
name comes from its file's name, which other files may have too: then folders tell them apart.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace

from graphs.model import NodeKind
from graphs.writing.names_and_merges import NodeName, passage_texts, stated_names
from graphs.writing.page_claims import PageClaims, rows_in_pieces
from graphs.writing.writer import UpdateImpossible, Writer
from kb.building.capture_writer import CaptureWriter
from kb.building.page_reader import ExtractedPage
from kb.building.pages_named_after_files import distinct_names
from kb.knowledge import extract_list, long_names_warning, without_long_names
from kb.knowledge.compared_definitions import names_action
from kb.knowledge.names.name_lists import ListEntry, NamedNodes, list_entries, own_node
from kb.knowledge.page_subject import game_of
from kb.language.fold import fold
from kb.language.tokens import Tokenizer, tokenizer
from scraper import Page
from scraper.page import NamedKind

_META = "name lists"
_NO_GAME = (
    "no game is known for this list: what it names stands under the name of the list instead of a "
    "game's, and meets nothing; say which game it is of, or name it in its manifest"
)
_SHOWN, _LONGEST_SHOWN = 3, 30  # names in a warning, which is to be a few lines; characters of each
_PLURALS: dict[NamedKind, str] = {"term": "terms", "card": "cards"}
# By hand: a wrong guess makes terms of cards or the other way, and is worse than none, which is a
# warning that a person can answer.
_FEWEST_KNOWN = 3  # names that say of which game or kind a list is, if nothing else does
_CLEARLY_MORE = 3  # times as many of one kind, or game, as of the other
_SHARE_OF_TERMS = 0.5  # of the names in a list: so many are known as terms if it is one of terms
# The English name of a row and of a node; the values are only told apart.
_AGREES, _SAYS_NOTHING, _DISAGREES = 2, 1, 0


@dataclass(frozen=True, slots=True)
class _List:
    """A list of names that is in the graph, or is going to be.

    page_id: the id that its page would have if no other list had it.
    game, names: what the list itself, its manifest or a person says; None if nothing does.
    head: whether its first row is a heading.
    written_as: the id that its page has in the graph.
    digest: a hash of what its rows were resolved to.
    """

    page_id: str
    game: str | None
    names: NamedKind | None
    head: bool
    written_as: str
    digest: str


@dataclass(frozen=True, slots=True)
class _Capture:
    """A capture of a list that is to be written.

    part: the key of the part that it was read from.
    extracted: the capture; page: its page, `extracted.list_page`.
    page_id: the id of the page, for lists whose name no other list has.
    """

    part: int
    extracted: ExtractedPage
    page: Page
    page_id: str

    @property
    def origin(self) -> str:
        """What is the same for two captures of one list: the URL, or else the content."""
        return self.extracted.url or self.extracted.sha256


def write_lists(writer: Writer, captures: CaptureWriter) -> None:
    """Write the lists of names among captures, whose other pages are all written.

    Raises UpdateImpossible if, in an update, the change affects lists that did not change: what
    they name, or what they are called.
    """
    text = writer.meta(_META)  # nothing in a new graph
    stored = [_List(*item) for item in json.loads(text)] if text else []
    in_graph = [
        known
        for known in stored
        if any(capture.chosen for _, capture in writer.provenance.captures(known.written_as))
    ]
    new = [
        _Capture(part, extracted, page, f"{page.source}/{page.name}")
        for part, extracted in captures.lists
        if (page := extracted.list_page)
    ]
    captures.lists.clear()  # so that a list's rows are kept no longer than until it is written
    if not new and not stored:
        return
    _check_names(stored, in_graph, new)
    lists_in_graph = {known.written_as for known in in_graph}
    known = KnownNames(stated_names(writer, ("term", "card"), lists_in_graph))
    for name_list in in_graph:
        if _digest(_resolve_stored(writer, name_list, known)) != name_list.digest:
            raise UpdateImpossible(f"{name_list.written_as}: other pages know its names now")
    written = [_write(writer, captures, capture, known) for capture in _with_distinct_names(new)]
    lists = sorted({item.written_as: item for item in (*in_graph, *written)}.items())
    writer.set_meta(_META, json.dumps([astuple(item) for _, item in lists], ensure_ascii=False))


# -- names of pages ---------------------------------------------------------------------------


def _check_names(
    stored: Sequence[_List], in_graph: Sequence[_List], new: Sequence[_Capture]
) -> None:
    """Raise UpdateImpossible if lists that come or go have the same name as one that stays.

    stored: the lists of the old graph; in_graph: those of them that are still in the graph.
    """
    staying = {known.page_id for known in in_graph}
    gone = {known.page_id for known in stored if known not in in_graph}
    for page_id in {capture.page_id for capture in new} | gone:
        if page_id in staying:
            raise UpdateImpossible(f"{page_id}: several lists have this name")


def _with_distinct_names(captures: Iterable[_Capture]) -> Iterator[_Capture]:
    """Yield captures of lists with their pages named so that different lists have different names,
    sorted by the id that they have at first.

    Where several have the same name, as much of the paths to their files is put into the names as
    tells them apart. Lists with the same content, or from the same URL, are captures of one page.
    """
    by_id: dict[str, list[_Capture]] = defaultdict(list)
    for capture in captures:
        by_id[capture.page_id].append(capture)
    taken = {page_id for page_id, same in by_id.items() if len({c.origin for c in same}) == 1}
    for _, same in sorted(by_id.items()):
        # The path of a list is that of its first copy, whatever the order in which they are read.
        places: dict[str, str] = {}
        for capture in same:
            where = capture.extracted.url or capture.extracted.place
            places[capture.origin] = min(where, places.get(capture.origin, where))
        if len(places) == 1:
            yield from same
            continue
        page = same[0].page
        # A game stands before the title in its name.
        names = distinct_names(
            places, _free(page.source, taken), page.name.removesuffix(page.title), page.name
        )
        taken |= {f"{same[0].page.source}/{name}" for name in names.values()}
        yield from (
            replace(capture, page=capture.page.with_(name=names[capture.origin]))
            for capture in same
        )


def _free(source: str, taken: set[str]) -> Callable[[str], bool]:
    """Return a function that returns whether a page of a source may have a name. taken: the ids of
    other pages; those that are added later count, too."""
    return lambda name: f"{source}/{name}" not in taken


# -- entries ----------------------------------------------------------------------------------


def _write(writer: Writer, captures: CaptureWriter, capture: _Capture, known: KnownNames) -> _List:
    """Extract a list and write it, with warnings about what nobody says; return what is stored of
    it for the next update, with the game and kind as they were given, not as they were judged."""
    page, extracted = capture.page, capture.extracted
    entries = list(list_entries([passage.text for passage in page.passages], _has_head(page)))
    resolved = resolve_list(entries, page.game, page.names, known, tokenizer())
    warnings = list(_warnings(capture, resolved, entries))
    del entries  # a huge list's take much memory
    if resolved.game and not page.game:
        page = page.with_(game=resolved.game)
    page = page.with_(names=resolved.kind)
    long_names = 0

    def checked(claims: PageClaims) -> PageClaims:
        nonlocal long_names
        long_names += without_long_names(claims)
        return claims

    pieces = extract_list(page, tokenizer(), extracted.notice, resolved.named)
    rows = rows_in_pieces(map(checked, pieces))
    first = next(rows)
    page_id = first.ids[first.page]
    captures.put_page(replace(extracted, page_id=page_id, rows=first), capture.part, rows)
    too_long = long_names_warning(long_names)
    if too_long:
        warnings.append((too_long, ()))
    for what, hints in warnings:
        writer.provenance.add_warning(capture.part, extracted.place, what, hints)
    given = capture.page
    return _List(
        capture.page_id, given.game, given.names, _has_head(page), page_id, _digest(resolved)
    )


def _warnings(
    capture: _Capture, resolved: ResolvedList, entries: Sequence[ListEntry]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield (what, names of the hints that help) for what the person who builds should know of how
    a list was understood: that it is called otherwise, that no game is known or it was judged, and
    what its names were taken for; nothing for a list that says all of it."""
    page = capture.page
    written_as = f"{page.source}/{page.name}"
    if written_as != capture.page_id:
        yield f"other lists are also called {capture.page_id}; this one is {written_as}", ()
    if resolved.game is None:
        yield _NO_GAME, ("game",)
    elif page.game is None:
        yield f"no game is named; most of its names that are known are of {resolved.game}", ()
    unnamed = [entry for entry in entries if resolved.named.nodes.get(entry.place) == ()]
    if page.names is None and not all(entry.said for entry in entries):
        yield f"{_what_is_named(resolved, entries, unnamed)}; say which", ("names",)
    elif unnamed:
        yield f"{_some(unnamed)} may be several terms each, and are left out", ()


def _what_is_named(
    resolved: ResolvedList, entries: Sequence[ListEntry], unnamed: Sequence[ListEntry]
) -> str:
    """Return what a list that does not say it was taken to name, and which names are left open; a
    sentence for a warning, without a full stop."""
    if resolved.kind is None:
        but = f", but for {_some(unnamed)} that pages have as terms" if unnamed else ""
        return (
            f"nothing says whether its {_some(entries)} are names of cards or of terms; they are "
            f"looked up as cards{but}, and no termbase and no check uses them"
        )
    judged = (
        f"nothing says what its {len(entries):,} names are of; judged by those that other pages "
        f"know, they are names of {_PLURALS[resolved.kind]}"
    )
    if not unnamed:
        return judged
    return f"{judged}; {_some(unnamed)} that no page has as terms are left out"


def _some(entries: Sequence[ListEntry]) -> str:
    """Return how many entries there are, and the names of the first three, each cut at 30
    characters, with … if there are more.

    >>> from kb.knowledge.names.name_lists import ListEntry, list_entries
    >>> _some(list(list_entries(["森\\tForest", "島\\tIsland"], head=False)))
    '2 (“森”, “島”)'
    """
    names = ", ".join(f"“{entry.card[:_LONGEST_SHOWN]}”" for entry in entries[:_SHOWN])
    return f"{len(entries):,} ({names}{', …' if len(entries) > _SHOWN else ''})"


def _resolve_stored(writer: Writer, name_list: _List, known: KnownNames) -> ResolvedList:
    """Return what a list that is in the graph names now."""
    entries = list(list_entries(passage_texts(writer, name_list.written_as), name_list.head))
    return resolve_list(entries, name_list.game, name_list.names, known, tokenizer())


def _has_head(page: Page) -> bool:
    """Whether the first row of a list is a heading."""
    return bool(page.passages) and page.passages[0].head


# -- what is kept for the next update ---------------------------------------------------------


def _digest(resolved: ResolvedList) -> str:
    """Return a hash of what the rows of a list name, in hexadecimal: another one if an update would
    resolve them otherwise."""
    named = resolved.named
    text = repr((resolved.game, resolved.kind, sorted(named.nodes.items()), sorted(named.aliases)))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class KnownNames:
    """The names that pages other than lists give to terms and cards, to be looked up."""

    def __init__(self, names: Iterable[NodeName]) -> None:
        """names: in any order; readings are no names."""
        self._nodes: dict[tuple[str, str, str], set[str]] = defaultdict(set)
        self._english: dict[str, set[str]] = defaultdict(set)
        self._japanese: dict[str, set[str]] = defaultdict(set)
        self._games: dict[str, set[str]] = defaultdict(set)
        nodes: set[str] = set()
        for name in names:
            if name.role == "reading":
                continue
            game = game_of(name.node)
            self._nodes[game, name.lang, name.folded].add(name.node)
            if name.lang == "en":
                self._english[name.node].add(name.folded)
            elif name.lang == "ja":
                self._games[name.folded].add(game)
                self._japanese[name.node].add(name.text)
            nodes.add(name.node)
        self._counts = Counter(tuple(node.split("/", 2)[:2]) for node in nodes)

    def count(self, game: str, kind: NodeKind) -> int:
        """Return how many nodes of a kind a game has that pages other than lists name; 0 for an
        unknown game."""
        return self._counts[game, kind]

    def games(self, name: str) -> set[str]:
        """Return the games in which a Japanese name is known, as a name of a term or a card; none
        if in no game."""
        return self._games.get(fold(name), set())

    def nodes(self, game: str, lang: str, kind: NodeKind, name: str) -> list[str]:
        """Return the ids of the nodes of a kind in a game that have a name in a language, folded,
        sorted; empty if none has."""
        found = self._nodes.get((game, lang, fold(name)), ())
        return sorted(node for node in found if f"/{kind}/" in node)

    def japanese_name(self, node: str) -> str | None:
        """Return the Japanese name of a node that sorts first; None if it has none."""
        return min(self._japanese.get(node, ()), default=None)

    def agreement(self, node: str, english: Iterable[str]) -> int:
        """Return whether some English names are those of a node: `_AGREES` if they have one in
        common, folded, `_SAYS_NOTHING` if either has none, else `_DISAGREES`."""
        known, given = self._english.get(node, set()), set(map(fold, english))
        if not known or not given:
            return _SAYS_NOTHING
        return _AGREES if known & given else _DISAGREES


@dataclass(frozen=True, slots=True)
class ResolvedList:
    """What the rows of a list name.

    game: the game; None if it is not known.
    kind: what the list names; None if nothing says whether these are terms or cards.
    named: the terms and cards that the rows name.
    """

    game: str | None
    kind: NamedKind | None
    named: NamedNodes


@dataclass(frozen=True, slots=True)
class _Match:
    """The term or the card that a row may name.

    node: its id; None if several may be meant.
    agreement: as `KnownNames.agreement` returns it.
    """

    node: str | None
    agreement: int


_Matches = tuple[_Match | None, _Match | None]  # a term, a card


def resolve_list(
    entries: Sequence[ListEntry],
    game: str | None,
    stated: NamedKind | None,
    known: KnownNames,
    tokenizer: Tokenizer,
) -> ResolvedList:
    """Return which terms and cards a list names.

    An entry names the node that has its Japanese name, else the one that has its English name. A
    list of cards names cards alone, as many are called like a term. A list of terms names those
    that other pages name; others only if it is `stated` that it names terms. What an entry itself
    says that it names goes before that. If nothing says what the names are of, the entries are
    taken for cards, of which they give no preferred name; those that are known as terms name
    nothing, nor does the name of a term that several have.

    game: the game that the list says; if None, it is the one that knows clearly the most of its
        names, if any does.
    stated: what the list, or a person, says that it names; if None, it is judged by the names that
        other pages know.
    """
    game = game or _likely_game(entries, known)
    if game is None:
        unsure = frozenset() if stated else frozenset(entry.place for entry in entries)
        return ResolvedList(None, stated, NamedNodes(aliases=unsure))
    matches: list[_Matches] = []
    for entry in entries:
        term = _match(entry, "term", game, known, tokenizer)
        matches.append((term, _match(entry, "card", game, known, tokenizer)))
    kind = stated or _likely_kind(matches, game, known)
    nodes: dict[int, tuple[str, ...]] = {}
    aliases: set[int] = set()
    node: str | None
    for entry, (term, card) in zip(entries, matches, strict=True):
        says = entry.said or stated
        if (says or kind) == "card" or (entry.marked and not says):
            node = (card and card.node) or own_node(game, entry, "card")
            if card and card.node and card.agreement == _DISAGREES:
                aliases.add(entry.place)
        elif says == "term":
            node = term.node if term else own_node(game, entry, "term")
        else:
            node = _known_node(entry, term, card, kind, game)
        if not (says or kind):
            aliases.add(entry.place)
        if node != own_node(game, entry, kind or "card"):
            nodes[entry.place] = (node,) if node else ()
    return ResolvedList(game, kind, NamedNodes(nodes, frozenset(aliases)))


def _known_node(
    entry: ListEntry,
    term: _Match | None,
    card: _Match | None,
    kind: NamedKind | None,
    game: str,
) -> str | None:
    """Return the node that an entry of a list names of which nobody says that it names terms; None
    if it names nothing for sure.

    term, card: the term and the card that it may name.
    kind: what the list was judged to name.
    """
    if kind == "term" and term and term.agreement != _DISAGREES:
        return term.node
    if card:
        return card.node
    return None if term or kind else own_node(game, entry, "card")


def _likely_kind(matches: Sequence[_Matches], game: str, known: KnownNames) -> NamedKind | None:
    """Return what a list names, by the names in it that other pages know as one thing alone; None
    if these don't tell.

    A list of cards has clearly more of the cards that are known than of the terms; one of terms the
    other way. As cards may be called like any term, a list of which few names are known to be terms
    is none of terms.
    """
    terms = sum(_speaks_for(term, card) for term, card in matches)
    cards = sum(_speaks_for(card, term) for term, card in matches)
    all_terms, all_cards = known.count(game, "term"), known.count(game, "card")
    if (
        _are_enough(cards, len(matches), all_cards)
        and cards * all_terms >= _CLEARLY_MORE * terms * all_cards
    ):
        return "card"
    if (
        _are_enough(terms, len(matches), all_terms)
        and terms * all_cards >= _CLEARLY_MORE * cards * all_terms
        and terms >= _SHARE_OF_TERMS * len(matches)
    ):
        return "term"
    return None


def _are_enough(number: int, *of: int) -> bool:
    """Whether a number of names that are known is enough to judge a list by: three, or at least one
    and half of the least of some numbers, such as that of all its names."""
    return number >= _FEWEST_KNOWN or (number > 0 and 2 * number >= min(of))


def _speaks_for(match: _Match | None, other: _Match | None) -> bool:
    """Whether a name in a list speaks for the list's being of the kind of a match: it is known as
    nothing else, and not with another English name."""
    return bool(match and not other and match.agreement != _DISAGREES)


def _likely_game(entries: Sequence[ListEntry], known: KnownNames) -> str | None:
    """Return the game in which clearly the most names of a list are known: enough of them
    (`_are_enough`), and three times as many as in any other; None if there is none."""
    counts: Counter[str] = Counter()
    for entry in entries:
        counts.update(known.games(entry.card) | known.games(entry.term[0].label))
    ranked = [*counts.most_common(2), ("", 0), ("", 0)]
    (game, most), (_, second) = ranked[:2]
    return game if _are_enough(most, len(entries)) and most >= _CLEARLY_MORE * second else None


def _match(
    entry: ListEntry, kind: NodeKind, game: str, known: KnownNames, tokenizer: Tokenizer
) -> _Match | None:
    """Return the node of a kind that an entry may name; None if no other page names it.

    Of several with the same Japanese name it is the one with the same id, else the one with the
    same English name; else none. A node is only found by its English name if this is not an action
    where the entry's is none, or the other way.
    """
    own = own_node(game, entry, kind)
    names = [entry.card] if kind == "card" else [name.label for name in entry.term]
    english = [entry.card_english or ""] if kind == "card" else list(entry.term_english)
    english = [name for name in english if name]
    for name in names:
        nodes = known.nodes(game, "ja", kind, name)
        agreeing = [node for node in nodes if known.agreement(node, english) == _AGREES]
        node = own if own in nodes else _only(nodes) or _only(agreeing)
        if node:
            return _Match(node, known.agreement(node, english))
        if nodes:
            return None
    for name in english:
        nodes = known.nodes(game, "en", kind, name)
        node = _only(nodes) or _only([node for node in nodes if known.japanese_name(node)])
        japanese = known.japanese_name(node) if node else None
        if japanese and kind == "term" and not _same_action(japanese, names[0], tokenizer):
            node = None
        if nodes:  # the name is known, if not which of them has it
            return _Match(node, _AGREES)
    return None


def _only(nodes: Sequence[str]) -> str | None:
    """Return the only item; None if there is none, or several."""
    return nodes[0] if len(nodes) == 1 else None


def _same_action(name: str, other: str, tokenizer: Tokenizer) -> bool:
    """Return whether two Japanese names can be of one term: both of actions, or neither, or one of
    which that is unknown (`names_action`).

    カウンター and 打ち消す are both `counter`, and are two terms.
    """
    actions = {names_action(name, tokenizer), names_action(other, tokenizer)}
    return not actions >= {True, False}
