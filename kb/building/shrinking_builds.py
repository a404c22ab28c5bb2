"""What a build takes away from the knowledge base that it replaces; refuses if that is too much."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

from graphs.store.file.schema import read_meta
from graphs.store.file.untrusted_file import has_tables, open_untrusted
from graphs.writing.counted_changes import GraphChanges
from graphs.writing.writer import Writer
from kb.building.recorded_sources import (
    BUNDLED_SAMPLE,
    is_in_sample,
    plain_path,
    recorded_places,
    source_of,
)
from kb.errors import BuildError
from kb.reason import Argument, Reason

Read = TypeVar("Read")

_REPLACE, _KB = Argument("replace", True), Argument("kb", ...)
# A build that takes away more than one page in three stops. By hand: what a wiki loses from one
# crawl to the next must pass, a source that was forgotten or gave nothing must not.
_MAX_SHARE = 3
_MOST_EXAMPLES = 3  # pages that are named in a message, a source: it is to be a few lines
_MOST_SOURCES = 4  # that are named in a message; the rest is counted
_MOST_NAMED = 100  # nodes in a report, as in `pipeline`; the sums count all
# The kinds of nodes that are named where they go, the pages first: the others go with them.
_NAMED_KINDS = ("page", "rule", "term", "card", "edition")


@dataclass(frozen=True, slots=True)
class Removals:
    """What a build took away: what the old file had and the new one has not. It is false if that
    is nothing.

    nodes: the number of pages, rules, terms, cards and editions that went, by kind.
    named: (kind, id) of the first of them, 100 at most, pages first.
    """

    nodes: Mapping[str, int] = field(default_factory=dict)
    named: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.nodes)


class OldPage(NamedTuple):
    """A page of the old file: its id, the file that it was read from, and a hash of its bytes."""

    id: str
    place: str
    sha256: str


@dataclass(frozen=True, slots=True)
class OldGraph:
    """What there is before a build, as far as the old file can be read: files of other versions of
    sansho are read too, damaged ones and missing ones have nothing.

    file: the file, which is not replaced yet whenever this is asked.
    named: its path as the person names it, for messages.
    damaged: whether the file is known to be damaged: what can still be read of it may be wrong,
        and nothing counts as there.
    """

    file: Path
    named: Path
    damaged: bool = False

    def pages(self) -> list[OldPage]:
        """Return its pages, each with the capture that it is taken from; none if the file is
        missing, empty, damaged or no knowledge base. Nothing is raised."""
        return [] if self.damaged else self._read(_chosen_pages, [])

    def nodes(self) -> list[tuple[str, str]]:
        """Return (kind, id) of its nodes whose removal is told by name, in any order; none where
        `pages` has none."""
        return [] if self.damaged else self._read(_named_nodes, [])

    def _read(self, read: Callable[[sqlite3.Connection], Read], nothing: Read) -> Read:
        """Return what a function reads from the file, or `nothing` if the file is missing, empty,
        no knowledge base, or can't be read."""
        if not self.file.is_file() or not self.file.stat().st_size:
            return nothing
        try:
            with closing(open_untrusted(self.file)) as db:
                return read(db) if has_tables(db, "capture", "node") else nothing
        except (sqlite3.Error, UnicodeDecodeError):
            return nothing

    def refuse_loss(self, writer: Writer, in_shards: bool) -> None:
        """Raise BuildError if a new graph, to which all pages have been written, lacks more than a
        third of the old pages: their ids as well as their bytes. Nothing is raised if there were
        none, or the old file is damaged.

        in_shards: whether sources are read in shards, and so must all be named.
        """
        pages = self.pages()
        gone = _gone_pages(pages, _chosen_pages(writer.db)) if pages else []
        if len(gone) * _MAX_SHARE > len(pages):
            raise BuildError(
                "takes_away_in_shards" if in_shards else "takes_away",
                named=str(self.named),
                gone=len(gone),
                pages=len(pages),
                where_from=self.where_from(gone),
                add=Argument("add", True),
                replace=_REPLACE,
                kb=_KB,
            )

    def refuse_sample(self) -> None:
        """Raise BuildError if there are pages that are not just the bundled sample: no source was
        named, so that the sample would take their place, even where its pages have the same ids.

        A damaged file is asked, too: nobody has named what it can be built from again."""
        pages = self._read(_chosen_pages, list[OldPage]())
        if pages and not self._is_sample(pages):
            raise BuildError(
                "sample_in_its_place",
                named=str(self.named),
                pages=len(pages),
                again=Argument("again", True),
                replace=_REPLACE,
                kb=_KB,
            )

    def _is_sample(self, pages: Sequence[OldPage]) -> bool:
        """Whether the file says that it is the bundled sample and nothing else.

        pages: its pages. In a damaged file most of them decide.
        """
        if self.damaged:
            return 2 * sum(is_in_sample(page.place) for page in pages) > len(pages)
        return bool(read_meta(self.file, "sample"))

    def refuse_missing(self, missing: Sequence[Path]) -> None:
        """Raise BuildError if sources that are to be read again are not there any more; it says how
        many pages are from them.

        missing: these files and folders, as they were named in the build before.
        """
        if missing:
            gone = frozenset(map(plain_path, missing))
            raise BuildError(
                "source_missing" if len(missing) == 1 else "sources_missing",
                named=str(self.named),
                missing=tuple(map(str, missing)),
                pages=sum(1 for page in self.pages() if source_of(page.place, gone)),
                replace=_REPLACE,
            )

    def where_from(self, pages: Iterable[OldPage]) -> tuple[Reason, ...]:
        """Return from which sources some pages are, most pages first, with examples: a reason for
        each of the first four, and one for the number of pages from all others."""
        sources = frozenset(map(plain_path, recorded_places(self.file)))
        by_source: dict[str, list[str]] = defaultdict(list)
        for page in pages:
            by_source[_named_source(page.place, sources)].append(page.id)
        ranked = sorted(by_source.items(), key=lambda item: (-len(item[1]), item[0]))
        parts = [_described(source, ids) for source, ids in ranked[:_MOST_SOURCES]]
        rest = sum(len(ids) for _, ids in ranked[_MOST_SOURCES:])
        return (*parts, *([Reason("pages_from_others", pages=rest)] if rest else ()))


def removals(old: OldGraph, writer: Writer) -> Removals:
    """Return what the old graph had and a new one, written and resolved, has not, by kind and then
    id. Nodes are compared by kind and id, so that what has another id went."""
    before = old.nodes()
    now = set(_named_nodes(writer.db)) if before else ()  # of a huge graph they take much memory
    gone = sorted(
        {node for node in before if node not in now},
        key=lambda node: (_NAMED_KINDS.index(node[0]), node[1]),
    )
    return Removals(dict(Counter(kind for kind, _ in gone)), tuple(gone[:_MOST_NAMED]))


def removals_in(changes: GraphChanges) -> Removals:
    """Return what an update removed, of what it changed; named are those that `changes` names."""
    nodes = {
        kind: changes.nodes[kind]["removed"]
        for kind in _NAMED_KINDS
        if "removed" in changes.nodes.get(kind, {})
    }
    removed = [(kind, node_id) for change, kind, node_id in changes.named if change == "removed"]
    removed.sort(key=lambda node: _NAMED_KINDS.index(node[0]))
    return Removals(nodes, tuple(removed))


def _chosen_pages(db: sqlite3.Connection) -> list[OldPage]:
    """Return the pages of a graph, each with the capture that it is taken from.

    Rows that no build writes, without text where text belongs, are left out.
    """
    rows = db.execute(
        "SELECT page, place, sha256 FROM capture WHERE chosen AND typeof(page) = 'text' "
        "AND typeof(place) = 'text' AND typeof(sha256) = 'text'"
    )
    return [OldPage(*row) for row in rows]


def _named_nodes(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return (kind, id) of the nodes whose removal is told by name, in any order; rows whose id is
    no text are left out."""
    kinds = ", ".join(f"'{kind}'" for kind in _NAMED_KINDS)
    return db.execute(
        f"SELECT kind, id FROM node WHERE kind IN ({kinds}) AND typeof(id) = 'text'"
    ).fetchall()


def _gone_pages(before: Iterable[OldPage], now: Collection[OldPage]) -> list[OldPage]:
    """Return the pages that are not in the new graph, neither by their id nor, under an id that is
    new, by their bytes: hints or another version may call the same page differently. In order; one
    new page stands for only one old page of the same bytes."""
    before = list(before)
    ids_before, ids_now = {page.id for page in before}, {page.id for page in now}
    renamed = Counter(page.sha256 for page in now if page.id not in ids_before)
    gone = []
    for page in before:
        if page.id in ids_now:
            continue
        if renamed[page.sha256] > 0:
            renamed[page.sha256] -= 1
        else:
            gone.append(page)
    return gone


def _named_source(place: str, sources: Collection[str]) -> str:
    """Return the source that a file was in; the bundled sample, or the folder of the file, if that
    is not recorded.

    sources: the files and folders that were named; none for the bundled sample.
    """
    if named := source_of(place, sources):
        return named
    return BUNDLED_SAMPLE if is_in_sample(place) else _folder(place)


def _folder(place: str) -> str:
    """Return the folder that a file, or the archive that it is in, stands in: `.` if it is named
    without one."""
    return str(Path(place.partition("!")[0]).parent)


def _described(source: str, ids: Sequence[str]) -> Reason:
    """Return the reason that reads `120 from pages (mtgwiki/引く, mtgwiki/手札, …)`: how many, the
    source, and the first three ids, sorted."""
    more = ("…",) if len(ids) > _MOST_EXAMPLES else ()
    examples = (*sorted(ids)[:_MOST_EXAMPLES], *more)
    return Reason("pages_from", pages=len(ids), source=source, examples=examples)
