"""Writes lists of names when all other pages are written: what they name, and what they are called.

What a row names is known from other pages (`kb.resolve.list_entries`). A list's own name comes from
its file's name, which other files may have too: then folders tell them apart.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from graphs.writing.labels import passage_texts, stated_names
from graphs.writing.page_claims import PageClaims
from graphs.writing.page_rows import rows_in_pieces
from graphs.writing.writer import UpdateImpossible, Writer
from kb.building.capture_writer import CaptureWriter
from kb.building.page_reader import ExtractedPage
from kb.building.unnamed_captures import distinct_names
from kb.extract import extract_list, long_names_warning, without_long_names
from kb.extract.name_lists import ListEntry, list_entries
from kb.language.tokens import tokenizer
from kb.resolve.list_entries import KnownNames, ResolvedList, resolve_list
from scraper import Page
from scraper.page import NamedKind

_META = "name lists"
_NO_GAME = (
    "no game is known for this list: what it names stands under the name of the list instead of a "
    "game's, and meets nothing; say which game it is of, or name it in its manifest"
)
_SHOWN, _LONGEST_SHOWN = 3, 30  # names in a warning; characters of each
_PLURALS: dict[NamedKind, str] = {"term": "terms", "card": "cards"}


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
    stored = _stored_lists(writer)
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
    writer.set_meta(_META, json.dumps([_as_json(item) for _, item in lists], ensure_ascii=False))


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
    """Yield captures of lists with their pages named so that different lists have different names.

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
    """Return whether a page of a source may have a name. taken: the ids of other pages."""
    return lambda name: f"{source}/{name}" not in taken


# -- entries ----------------------------------------------------------------------------------


def _write(writer: Writer, captures: CaptureWriter, capture: _Capture, known: KnownNames) -> _List:
    """Extract a list and write it, with warnings about what nobody says; return what is stored."""
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
    """Yield what the person who builds should know of how a list was understood, and the names of
    the hints that help."""
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
    """Return what a list that does not say it was taken to name, and which names are left open."""
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
    """Return how many entries there are, and the names of the first.

    >>> from kb.extract.name_lists import ListEntry, list_entries
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
    """Return a hash of what the rows of a list name."""
    named = resolved.named
    text = repr((resolved.game, resolved.kind, sorted(named.nodes.items()), sorted(named.aliases)))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _as_json(item: _List) -> list[str | bool | None]:
    """Return a list as JSON: the arguments of `_List`."""
    return [item.page_id, item.game, item.names, item.head, item.written_as, item.digest]


def _stored_lists(writer: Writer) -> list[_List]:
    """Return the lists of the graph that is updated; none in a new graph."""
    stored = writer.meta(_META)
    return [_List(*item) for item in json.loads(stored)] if stored else []
