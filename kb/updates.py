"""Brings a knowledge base up to date: asks crawled sites for what changed, builds again from all
its sources, and says what came and what that makes stale."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kb.api import KnowledgeBase
from kb.build_progress import Watcher
from kb.building.pipeline import BuildReport, build
from kb.building.recorded_sources import Origin
from kb.errors import QuestionError
from kb.query.editions.builds import BuildChanges, between_builds, build_contents
from kb.query.editions.impact import Impact
from kb.result import Result
from scraper.crawl.crawl import CrawlReport, crawl, recorded_crawls
from scraper.errors import SourceError


@dataclass(frozen=True, slots=True)
class UpdateReport(Result):
    """What an update brought.

    crawled: {folder or WARC file: what the crawl of it fetched}; empty if no source was crawled.
    failed: {folder or WARC file: why it could not be crawled}; what it has already was built.
    build: what was built.
    changes: which editions, pages, terms and names came, changed or went.
    impact: for each game with a new edition what that makes stale.
    """

    crawled: Mapping[str, CrawlReport]
    failed: Mapping[str, str]
    build: BuildReport
    changes: BuildChanges
    impact: tuple[Impact, ...] = ()


def update(
    kb: str | Path = "sansho.db",
    *,
    contact: str = "",
    most: int = 1_000,
    delay: float = 1.0,
    say: Callable[[str], None] | None = None,
    progress: Watcher | None = None,
) -> UpdateReport:
    """Look at the sources of a knowledge base for what is new, build it again, and return what
    came.

    A folder or WARC file that `crawl` fills is crawled again, with the same targets; new and
    changed files of all other sources are read as they are. The old file stays as it was until the
    new one is complete.

    contact, most, delay: as for `crawl`. say, progress: as for `build`.

    Raises as `build` does with `again`; QuestionError if the file doesn't say what it was built
    from. A site that gives nothing is among `failed`, and is no error.
    """
    crawled: dict[str, CrawlReport] = {}
    failed: dict[str, str] = {}
    for place in Origin.of(Path(kb)).places:
        for targets, depth, source in recorded_crawls(place):
            try:
                crawled[str(place)] = crawl(
                    targets, place, depth=depth, most=most, delay=delay, source=source,
                    contact=contact, say=say,
                )  # fmt: skip
            except SourceError as error:
                failed[str(place)] = str(error)
    with KnowledgeBase(kb) as base:
        before = build_contents(base._store)
    report = build(kb=kb, again=True, say=say, progress=progress)
    with KnowledgeBase(kb) as base:
        changes = between_builds(before, build_contents(base._store), (str(kb), str(kb)))
        stale = tuple(_impacts(base, changes))
    return UpdateReport(crawled, failed, report, changes, stale)


def _impacts(base: KnowledgeBase, changes: BuildChanges) -> Iterator[Impact]:
    """Yield what new editions make stale, for each game that has an older one, too."""
    for game in sorted({game for game, _, _ in changes.editions_added}):
        try:
            yield base.impact(game=game)
        except QuestionError:  # its only edition, or none that it can be compared with
            continue
