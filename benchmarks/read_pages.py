"""How fast pages are read, beside lxml's bare parse-and-walk, BeautifulSoup and another version.

    python -m benchmarks.read_pages [FOLDER-OR-ARCHIVE...] [--before CHECKOUT]

Reads the pages there in one process: those of HTML in turn with lxml and BeautifulSoup, ordinary
ones and large ones (50 kB and more) of each engine apart; PukiWiki's own files alone. If nothing
is named, these are pages of the synthetic wikis: as they are, and articles put together to large
ones. Prints pages a second and the ratio to bare lxml; with `--before`, the folder of another
version of this project, also how many times as fast this one is, which a process of its own
measures in turn. All are medians of seven rounds after a first one, of the processor's time.

sansho reads each page as for the first time, without the addresses of its links; how fast it is
if it has met them on other pages is given beside. lxml is given a page in UTF-8 if it would break
off in the page's own bytes, as it does at a character that only Windows' EUC-JP has.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning
from lxml import html

from scraper import Hints, Snapshot, read_pages, snapshots
from scraper.sites import page_address
from scraper.sources.charset import decode

if TYPE_CHECKING:
    from benchmarks.synthetic import Wiki

ROUNDS = 7
LARGE = 50_000  # bytes
MOST = 1507  # pages of a kind
_PUKIWIKI, _SOURCE = "PukiWiki", "PukiWiki source"
Kinds = dict[str, list[Snapshot]]
Read = Callable[[Snapshot], object]


def bare(shot: Snapshot) -> None:
    """Parse and look at every element's tag, attributes and text: the least a parser must do."""
    for element in _parsed(shot).iter():
        _ = element.tag, element.text, element.tail, element.get("class")


def _parsed(shot: Snapshot) -> html.HtmlElement:
    charset = "euc-jp" if b"EUC-JP" in shot.data[:400] else "utf-8"
    return html.document_fromstring(shot.data, parser=html.HTMLParser(encoding=charset))


def whole_for_lxml(shot: Snapshot) -> Snapshot:
    """Return a page as it is, or in UTF-8 if lxml breaks off in its own bytes."""
    data = decode(shot.data).text.replace("EUC-JP", "UTF-8", 1).encode()
    recoded = replace(shot, data=data)
    own, all_elements = (sum(1 for _ in _parsed(s).iter()) for s in (shot, recoded))
    return recoded if own < all_elements else shot


def soup(shot: Snapshot) -> None:
    warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)
    for element in BeautifulSoup(shot.data, "lxml").descendants:
        _ = element.name


def kinds(sources: list[Path]) -> Kinds:
    """Return the pages in some sources by their kind, at most `MOST` of each, in a random order."""
    found: Kinds = {}
    for source in sources:
        for shot in snapshots(source, Hints(site="pukiwiki")):
            if isinstance(shot, Snapshot) and (kind := _kind(shot)):
                found.setdefault(kind, []).append(shot)
    for shots in found.values():
        random.Random(1).shuffle(shots)
        del shots[MOST:]
    return dict(sorted(found.items()))


def _kind(shot: Snapshot) -> str:
    """Return what is measured together; empty for what is not measured."""
    if b"<body" not in shot.data:
        return _SOURCE if shot.where.endswith(".txt") and shot.data else ""
    engine = _PUKIWIKI if b'id="body"' in shot.data else "MediaWiki"
    return f"{engine}, {'large' if len(shot.data) >= LARGE else 'ordinary'}"


def write_wikis(folder: Path) -> None:
    """Write the synthetic wikis, and articles of theirs put together to large pages."""
    from benchmarks import synthetic  # which another version may not have

    synthetic.write(1000, folder)
    for source, many in (("mtgwiki", 500), ("yugioh-wiki", 300)):
        wiki = synthetic.Wiki(source, many, 100, 1)
        for number, data in enumerate(islice(_large_pages(wiki), 20)):
            (folder / source / f"large{number}.html").write_bytes(data)


def _large_pages(wiki: Wiki) -> Iterator[bytes]:
    """Yield pages of a wiki that have the blocks of so many articles that they are large."""
    from benchmarks import markup

    whole = None
    for rank in range(wiki.pages):
        article = replace(wiki.article(rank), redirected_from="")
        whole = replace(whole, blocks=whole.blocks + article.blocks) if whole else article
        if wiki.source == "mtgwiki":
            data = markup.mediawiki(whole)
        else:
            data = markup.pukiwiki(whole, "https://yugioh-wiki.net/index.php", wiki.source)
        if len(data) >= LARGE:
            yield data
            whole = None


def seconds(read: Read, shots: list[Snapshot], known_links: bool = False) -> float:
    """Return the time of the processor for reading some pages.

    known_links: whether sansho may know the addresses of links from an earlier round.
    """
    if not known_links:
        page_address._read.cache_clear()  # as it is called in older versions, too
    began = time.process_time()
    for shot in shots:
        read(shot)
    return time.process_time() - began


class OtherVersion:
    """A process that reads the same pages with another version of the project."""

    def __init__(self, checkout: Path, sources: list[Path]) -> None:
        places = [str(source.resolve()) for source in sources]
        self._process = subprocess.Popen(
            [sys.executable, __file__, *places, "--serve"],
            env={**os.environ, "PYTHONPATH": str(checkout.resolve())},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds(self, kind: str) -> float:
        """Return the time of the processor that it takes for the pages of a kind."""
        assert self._process.stdin
        assert self._process.stdout
        print(kind, file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def serve(sources: list[Path]) -> None:
    """Answer each kind on standard input with the time for its pages."""
    found = kinds(sources)
    for line in sys.stdin:
        print(seconds(read_pages, found[line.strip()]), flush=True)


def measure(kind: str, shots: list[Snapshot], before: OtherVersion | None) -> str:
    """Return the line of the table for the pages of a kind."""
    is_html = kind != _SOURCE
    whole = [whole_for_lxml(shot) for shot in shots] if is_html else []
    times = defaultdict(list)
    for _ in range(ROUNDS + 1):
        times["sansho"].append(seconds(read_pages, shots))
        if is_html:
            times["known links"].append(seconds(read_pages, shots, known_links=True))
            times["lxml"].append(seconds(bare, whole))
            times["BeautifulSoup"].append(seconds(soup, shots))
        if before:
            times["before"].append(before.seconds(kind))
    size = sum(len(shot.data) for shot in shots) / len(shots) / 1000
    line = f"{kind:<22}{len(shots):>6} pages of {size:5.1f} kB"
    for name in ("sansho", "lxml", "BeautifulSoup")[: 3 if is_html else 1]:
        line += f"{len(shots) / statistics.median(times[name][1:]):>8.0f}"
    if is_html:
        line += f"  {_ratio(times['lxml'], times['sansho']):.2f} of lxml"
        line += f" ({_ratio(times['lxml'], times['known links']):.2f} with known links)"
    if before:
        line += f"  {_ratio(times['before'], times['sansho']):.2f} times as fast as before"
    return line


def _ratio(others: list[float], ours: list[float]) -> float:
    """Return the median of how long others take for what we do; the first round is not counted."""
    pairs = zip(others[1:], ours[1:], strict=True)
    return statistics.median(other / our for other, our in pairs)


def main(sources: list[Path], checkout: Path | None) -> None:
    """Print the table."""
    with ExitStack() as stack:
        if not sources:
            sources = [Path(stack.enter_context(TemporaryDirectory()))]
            write_wikis(sources[0])
        before = OtherVersion(checkout, sources) if checkout else None
        if before:
            stack.callback(before.close)
        print("pages a second: sansho, lxml, BeautifulSoup")
        for kind, shots in kinds(sources).items():
            print(measure(kind, shots, before), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="*", type=Path)
    parser.add_argument("--before", type=Path, help="the folder of another version")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.sources)
    else:
        main(given.sources, given.before)
