"""How fast pages are read, beside lxml's bare parse-and-walk and BeautifulSoup.

    python benchmarks/read_pages.py FOLDER-OR-ARCHIVE...

Reads the HTML snapshots there (the bundled sample if none is named) in one process, the three in
turn, and prints pages a second (medians of five rounds) and the ratio to bare lxml.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bs4 import BeautifulSoup
from lxml import html

from scraper import Hints, Snapshot, read_pages, snapshots

ROUNDS = 5
SAMPLE = Path(__file__).parent.parent / "kb" / "sample"


def ours(shot: Snapshot) -> None:
    read_pages(shot)


def bare(shot: Snapshot) -> None:
    """Parse and look at every element's tag, attributes and text: the least a parser must do."""
    charset = "euc-jp" if b"EUC-JP" in shot.data[:400] else "utf-8"
    root = html.document_fromstring(shot.data, parser=html.HTMLParser(encoding=charset))
    for element in root.iter():
        _ = element.tag, element.text, element.tail, element.get("class")


def soup(shot: Snapshot) -> None:
    for element in BeautifulSoup(shot.data, "lxml").descendants:
        _ = element.name


def seconds(read: Callable[[Snapshot], None], shots: list[Snapshot]) -> float:
    began = time.perf_counter()
    for shot in shots:
        read(shot)
    return time.perf_counter() - began


def main(sources: list[Path]) -> None:
    hints = Hints(site="pukiwiki")
    found = (shot for source in sources for shot in snapshots(source, hints))
    shots = [s for s in found if isinstance(s, Snapshot) and b"<body" in s.data]
    size = sum(len(shot.data) for shot in shots)
    print(f"{len(shots)} pages, {size / len(shots) / 1000:.1f} kB a page")
    readers = {"sansho": ours, "lxml": bare, "BeautifulSoup": soup}
    for read in readers.values():
        seconds(read, shots[:5])
    times = {name: [] for name in readers}  # type: dict[str, list[float]]
    for _ in range(ROUNDS):
        for name, read in readers.items():
            times[name].append(seconds(read, shots))
    for name, measured in times.items():
        ratio = statistics.median(b / m for b, m in zip(times["lxml"], measured, strict=True))
        rate = len(shots) / statistics.median(measured)
        print(f"{name:>14} {rate:8.0f} pages a second, {ratio:.2f} of bare lxml")


if __name__ == "__main__":
    main([Path(source) for source in sys.argv[1:]] or [SAMPLE])
