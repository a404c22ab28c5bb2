"""Prints the result of a crawl, for `sansho crawl`."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from kb.cli.render.output import bold, counted, dim, echo, field, more, url, warning

if TYPE_CHECKING:
    from kb import CrawlReport

_MAX_FAILURES = 12


def print_crawl(result: CrawlReport, into: str, command: str) -> None:
    """Print how many pages were fetched, are unchanged, were skipped (by reason) and are left to
    fetch, what to do next, and on standard error the first 12 that failed.

    into: the folder or WARC file that the pages are kept in, as it was given.
    command: the crawl itself, as a shell takes it.
    """
    echo(
        bold(into),
        f"  {counted(result.fetched, 'page')} fetched",
        dim(f", {result.unchanged:,} unchanged"),
    )
    for index, (reason, number) in enumerate(result.skipped.items()):
        field("" if index else "skipped", f"{number:,}  {reason}")
    for failure in result.failed[:_MAX_FAILURES]:
        echo(warning(f"! {failure.what}: {failure.url}"), indent=2, err=True)
    if len(result.failed) > _MAX_FAILURES:
        rest = len(result.failed) - _MAX_FAILURES
        echo(f"and {rest:,} more that failed: --json lists them", indent=2, err=True)
    if result.given_up:
        hosts = ", ".join(host.url for host in result.given_up)
        failed = len(result.failed) - len(result.given_up)
        echo()
        echo(
            f"{hosts} is left alone, with {counted(result.left, 'page')} known and not asked for "
            f"and {failed:,} that failed. This goes on with them:"
        )
        url(command)
    if result.fetched or result.unchanged:
        echo()
        field("next", command=f"sansho build {quote(into)}", indent=0)
    if result.left and not result.given_up:
        more(
            f"{counted(result.left, 'page')} known and not fetched yet: "
            "the same command, with a higher --max, goes on"
        )
