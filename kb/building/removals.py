"""What a build takes away from the knowledge base that it replaces; refuses if that is too much."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from graphs.writing.changes import GraphChanges
from graphs.writing.writer import Writer
from kb.building.origin import BUNDLED_SAMPLE, recorded_places
from kb.errors import BuildError

_MAX_SHARE = 3  # a build that takes away more than one page in three stops
_MOST_EXAMPLES = 3  # pages that are named in a message, a source
_MOST_SOURCES = 4  # that are named in a message
_MOST_NAMED = 100
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
    """What there was before a build, as far as the old file can be read.

    kb: its file, as the person names it.
    pages: its pages.
    ids: the ids of its nodes of each kind whose removal is told by name.
    sources: the files and folders that it was built from; empty if that is not recorded, or if it
        is the bundled sample.
    """

    kb: Path
    pages: Sequence[OldPage] = ()
    ids: Mapping[str, Collection[str]] = field(default_factory=dict)
    sources: Sequence[str] = ()

    def refuse_loss(self, writer: Writer) -> None:
        """Raise BuildError if a new graph, to which all pages have been written, lacks more than a
        third of the old pages: their ids as well as their bytes."""
        gone = _gone_pages(self.pages, _chosen_pages(writer.db))
        if len(gone) * _MAX_SHARE > len(self.pages):
            raise BuildError(
                f"{self.kb} is kept as it was: this build would take away {len(gone)} of its "
                f"{_counted(len(self.pages), 'page')}, {self.where_from(gone)}; --add keeps their "
                "sources beside the new ones, --replace does without them, and another --kb "
                "leaves this file alone"
            )

    def refuse_missing(self, missing: Sequence[Path]) -> None:
        """Raise BuildError if sources that are to be read again are not there any more.

        missing: these files and folders, as they were named in the build before.
        """
        if missing:
            named = ", ".join(map(str, missing))
            of_them = [page for page in self.pages if _is_from(page.place, missing)]
            pages = f"; {_counted(len(of_them), 'page')} would go" if of_them else ""
            raise BuildError(
                f"{self.kb} is kept as it was: {named}, from which it was built, "
                f"{'is' if len(missing) == 1 else 'are'} no longer there{pages}; bring back what "
                "is missing, or give --replace to build without it"
            )

    def where_from(self, pages: Iterable[OldPage]) -> str:
        """Return in words from which sources some pages are, most pages first, with examples."""
        by_source: dict[str, list[str]] = defaultdict(list)
        for page in pages:
            by_source[self._source_of(page.place)].append(page.id)
        ranked = sorted(by_source.items(), key=lambda item: (-len(item[1]), item[0]))
        parts = [_described(source, ids) for source, ids in ranked[:_MOST_SOURCES]]
        rest = sum(len(ids) for _, ids in ranked[_MOST_SOURCES:])
        return ", ".join([*parts, f"{rest} from other places"] if rest else parts)

    def _source_of(self, place: str) -> str:
        """Return the source that a file was in; the folder of the file if that is not recorded."""
        if not self.sources:
            return BUNDLED_SAMPLE if "/kb/sample/" in Path(place).as_posix() else _folder(place)
        known = (source for source in self.sources if _is_from(place, (source,)))
        return max(known, key=len, default="") or _folder(place)


def old_graph(file: Path, named: Path) -> OldGraph:
    """Return what is in the file of a knowledge base before it is replaced; nothing if there is no
    such file or it is damaged. Files of other versions of sansho are read too.

    file: the file; named: its path as the person names it, for messages.
    """
    if not file.is_file() or not file.stat().st_size:
        return OldGraph(named)
    kinds = ", ".join(f"'{kind}'" for kind in _NAMED_KINDS)
    ids: dict[str, set[str]] = {}
    try:
        with closing(sqlite3.connect(file.absolute().as_uri() + "?mode=ro", uri=True)) as db:
            for kind, node_id in db.execute(f"SELECT kind, id FROM node WHERE kind IN ({kinds})"):
                ids.setdefault(kind, set()).add(node_id)
            return OldGraph(named, _chosen_pages(db), ids, recorded_places(file))
    except (sqlite3.DatabaseError, UnicodeDecodeError, ValueError):
        return OldGraph(named)


def removals(old: OldGraph, writer: Writer) -> Removals:
    """Return what the old graph had and a new one, written and resolved, has not."""
    left = {kind: set(ids) for kind, ids in old.ids.items()}
    kinds = ", ".join(f"'{kind}'" for kind in _NAMED_KINDS)
    for kind, node_id in writer.db.execute(f"SELECT kind, id FROM node WHERE kind IN ({kinds})"):
        left.get(kind, set()).discard(node_id)
    nodes = {kind: len(left[kind]) for kind in _NAMED_KINDS if left.get(kind)}
    named = [(kind, node_id) for kind in nodes for node_id in sorted(left[kind])]
    return Removals(nodes, tuple(named[:_MOST_NAMED]))


def removals_in(changes: GraphChanges) -> Removals:
    """Return what an update removed, of what it changed."""
    nodes = {
        kind: changes.nodes[kind]["removed"]
        for kind in _NAMED_KINDS
        if "removed" in changes.nodes.get(kind, {})
    }
    removed = [(kind, node_id) for change, kind, node_id in changes.named if change == "removed"]
    removed.sort(key=lambda node: _NAMED_KINDS.index(node[0]))
    return Removals(nodes, tuple(removed))


def _chosen_pages(db: sqlite3.Connection) -> list[OldPage]:
    """Return the pages of a graph, each with the capture that it is taken from."""
    rows = db.execute("SELECT page, place, sha256 FROM capture WHERE chosen")
    return [OldPage(*row) for row in rows]


def _gone_pages(before: Iterable[OldPage], now: Collection[OldPage]) -> list[OldPage]:
    """Return the pages that are not in the new graph, neither by their id nor, under an id that is
    new, by their bytes: hints or another version may call the same page differently."""
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


def _is_from(place: str, sources: Iterable[str | Path]) -> bool:
    """Whether a file is one of some sources, or in one: a folder or an archive.

    >>> _is_from("a/b.zip!c.html", ["a"]), _is_from("a/b.zip!c.html", [Path("a/b.zip")])
    (True, True)
    >>> _is_from("ab.html", ["a"])
    False
    """
    for source in map(str, sources):
        folder = source.rstrip(os.sep) + os.sep
        if place == source or place.startswith((folder, f"{source}!")) or source == ".":
            return True
    return False


def _folder(place: str) -> str:
    """Return the folder that a file, or the archive that it is in, stands in."""
    return str(Path(place.partition("!")[0]).parent)


def _described(source: str, ids: Sequence[str]) -> str:
    """Return `120 from pages (mtgwiki/引く, mtgwiki/手札, …)`."""
    examples = ", ".join(sorted(ids)[:_MOST_EXAMPLES])
    more = ", …" if len(ids) > _MOST_EXAMPLES else ""
    return f"{len(ids)} from {source} ({examples}{more})"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
