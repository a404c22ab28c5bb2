"""Counts the pages of a knowledge base that several of its sources give."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from graphs.store.reader import Store
from kb.building.origin import BUNDLED_SAMPLE, Origin, is_in_sample, plain_path, source_of

_MOST_NAMED = 100


@dataclass(frozen=True, slots=True)
class SharedPages:
    """The pages that several of the files and folders that a build was given have. It is false if
    there are none.

    taken_from: how many of them are taken from which source, the most first. Captures of a page in
        the other sources are only recorded; `show` says why.
    named: (page, the source that it is taken from) of the first of them, 100 at most, by page.
    """

    taken_from: Mapping[str, int] = field(default_factory=dict)
    named: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.taken_from)


def shared_pages(store: Store, origin: Origin) -> SharedPages:
    """Return the pages of a knowledge base that several sources have.

    origin: what it was built from.
    """
    sources = frozenset(
        [*map(plain_path, origin.places), *(url.rstrip("/") for url in origin.urls)]
    )
    if len(sources) + any(one.is_sample for one in origin.sets) < 2:
        return SharedPages()
    found: dict[str, set[str]] = defaultdict(set)
    chosen: dict[str, str] = {}
    for page, place, is_chosen in store.table(
        "SELECT page, place, chosen FROM capture WHERE page IN "
        "(SELECT page FROM capture WHERE page IS NOT NULL GROUP BY page HAVING count(*) > 1)",
        str,
        str,
        int,
    ):
        source = source_of(place, sources) or (BUNDLED_SAMPLE if is_in_sample(place) else place)
        found[page].add(source)
        if is_chosen:
            chosen[page] = source
    shared = sorted((page, chosen[page]) for page in chosen if len(found[page]) > 1)
    counts = Counter(source for _, source in shared)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return SharedPages(dict(ranked), tuple(shared[:_MOST_NAMED]))
