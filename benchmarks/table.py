"""What was measured of each size, and the table of how it grows."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

FULL = 100_000  # pages, for which the targets are
# The most that figures should be at full size: memory and cold starts; medians of questions, in
# milliseconds; what sansho takes beside a peer; the power of the pages by which a build grows.
_FIGURES = {"memory, MB": 2000, "cold: show here beside the sample": 20}
_MEDIANS = {"show": 5, "refs depth 2": 10, "search": 30, "kwic": 30, "path": 300, "ask": 150}
# The same of what 95 in 100 stay within; and of one load's median beside another's.
_WITHIN = {"refs depth 2 the first 50": 30}
_BESIDE = {("refs depth 2 the first 50, the most", "refs depth 2 the first 50, any"): 2}
_RATIOS = {
    ("sansho refs", "ladybug"): 1,
    ("sansho's file, ids alone", "ladybug"): 1,
    ("sansho search", "tantivy"): 2,
    ("sansho, ids alone", "tantivy"): 2,
}
_POWERS = {"build, s of the processor": 1.05}
_GROW = ("build, s", "build, s of the processor", "memory, MB", "file, MB")  # by a power


@dataclass(frozen=True, slots=True)
class Times:
    """The milliseconds that answers took: the median, and what 95 in 100 stay within."""

    median: float
    most: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Times:
        """The times of some answers."""
        last = sorted(seconds)[math.ceil(0.95 * len(seconds)) - 1]
        return cls(1000 * statistics.median(seconds), 1000 * last)


_UNTIMED = Times(math.nan, math.nan)


@dataclass(slots=True)
class Size:
    """All that is measured of one size, by name; the times of peers by what is asked, too."""

    pages: int
    figures: dict[str, float] = field(default_factory=dict)
    times: dict[str, Times] = field(default_factory=dict)
    beside: dict[str, dict[str, Times]] = field(default_factory=dict)


def report(sizes: Sequence[Size]) -> Iterator[str]:
    """The lines of the table: a column a size, how each figure grows, what it should be."""
    last = sizes[-1]
    yield _line("", [f"{size.pages:,} pages" for size in sizes], "growth", "at 100,000")
    for name in last.figures:
        yield _figure(name, sizes)
    yield from ("", "milliseconds in one process: median (95 in 100 within)")
    for name in last.times:
        times = [size.times[name] for size in sizes]
        yield _timed(name, times, name.partition(",")[0], last.pages)
    for (one, other), most in _BESIDE.items():
        if {one, other} <= last.times.keys():
            ratios = [size.times[one].median / size.times[other].median for size in sizes]
            cells = [f"{ratio:.2f}" for ratio in ratios]
            yield _line(f"{one} / {other}", cells, "", _held(ratios[-1], most, last.pages))
    yield from ("", "the same asked of peers, in turn")
    for asked, by_peer in last.beside.items():
        for peer in by_peer:
            times = [size.beside[asked].get(peer, _UNTIMED) for size in sizes]
            yield _timed(f"{asked}: {peer}", times, "", last.pages)
        for (ours, theirs), most in _RATIOS.items():
            if {ours, theirs} <= by_peer.keys():
                ratios = [
                    size.beside[asked][ours].median / size.beside[asked][theirs].median
                    for size in sizes
                ]
                yield _line(
                    f"{asked}: {ours} / {theirs}",
                    [f"{ratio:.2f}" for ratio in ratios],
                    "",
                    _held(ratios[-1], most, last.pages),
                )


def _figure(name: str, sizes: Sequence[Size]) -> str:
    values = [size.figures.get(name, math.nan) for size in sizes]
    cells = [
        f"{value:,.{0 if value >= 100 or value == int(value) else 1}f}"
        if math.isfinite(value)
        else ""
        for value in values
    ]
    growth = _growth(values)
    target = _held(values[-1], _FIGURES.get(name), sizes[-1].pages)
    if name in _GROW and len(sizes) > 1 and all(map(math.isfinite, values)):
        logs = [[math.log(one) for one in ones] for ones in ([s.pages for s in sizes], values)]
        power = statistics.linear_regression(*logs).slope
        growth = f"n^{power:.2f}"
        target = target or _held(power, _POWERS.get(name), sizes[-1].pages)
    return _line(name, cells, growth, target)


def _timed(name: str, times: Sequence[Times], load: str, pages: int) -> str:
    cells = [f"{one.median:.2f} ({one.most:.1f})" if one.median > 0 else "" for one in times]
    medians = [one.median for one in times]
    if load in _WITHIN:
        target = f"95 in 100 {_held(times[-1].most, _WITHIN[load], pages)}"
    else:
        target = _held(medians[-1], _MEDIANS.get(load), pages)
    return _line(name, cells, _growth(medians), target)


def _growth(values: Sequence[float]) -> str:
    ratio = values[-1] / values[0] if len(values) > 1 and values[0] > 0 else math.nan
    return f"×{ratio:.1f}" if math.isfinite(ratio) else ""


def _held(value: float, most: float | None, pages: int) -> str:
    """The most that a figure should be; at full size also whether it is kept."""
    if most is None:
        return ""
    return f"≤ {most:g}" + ("" if pages < FULL else ", kept" if value <= most else ", EXCEEDED")


def _line(name: str, cells: Sequence[str], growth: str, target: str) -> str:
    return f"{name:<62}" + "".join(f"{cell:>18}" for cell in cells) + f"{growth:>9}  {target}"
