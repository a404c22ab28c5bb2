"""The table that ends a run of the fuzzer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.fuzz.run import Tally


def progress_line(tally: Tally, all_cases: int) -> str:
    """Return one line on how far a target is."""
    rate = tally.cases / max(tally.seconds, 0.001)
    failed = tally.failures.total()
    return f"{tally.target}: {tally.cases:,} of {all_cases:,}, {rate:,.0f}/s, {failed:,} failed"


def summary(tallies: Sequence[Tally]) -> Iterator[str]:
    """Yield the lines of the table, and below it each kind of failure with a case of it."""
    heads = "".join(f"{head:>9}" for head in ("cases", "MB", "seconds", "cases/s", "failed"))
    yield f"{'target':<12}{heads}{'kinds':>7}"
    for tally in tallies:
        rate = tally.cases / max(tally.seconds, 0.001)
        yield (
            f"{tally.target:<12}{tally.cases:>9,}{tally.size / 1e6:>9,.1f}{tally.seconds:>9,.1f}"
            f"{rate:>9,.1f}{tally.failures.total():>9,}{len(tally.failures):>7}"
        )
    for tally in tallies:
        for kind, number in tally.failures.most_common():
            yield f"{tally.target}: {number:,} × {kind}"
            if kind in tally.kept:
                yield f"    {tally.kept[kind]}"
