"""How far a PukiWiki page read from its source agrees with the same page read as served.

Run:  python benchmarks/source_against_html.py [SHARED] [--all]

Prints the share of passages whose text is the same (as multisets, kinds ignored) over the
120 pages that the corpus has in both forms, each way, and the most frequent differences.
With --all it reads every source of the corpus too: exceptions, characters lost, links, seconds.
"""

from __future__ import annotations

import sys
import tarfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from scraper import Page, Snapshot
from scraper.decode import decode
from scraper.markup import parse
from scraper.sites import pukisource, pukiwiki

CORPUS = "corpora/pukiwiki-scale"


def members(archive: Path, end: str) -> Iterator[tuple[str, bytes]]:
    """The files of an archive: name and bytes."""
    with tarfile.open(archive) as packed:
        for member in packed:
            file = packed.extractfile(member) if member.name.endswith(end) else None
            if file is not None:
                yield Path(member.name).stem, file.read()


def source(name: str, data: bytes) -> Page:
    """A page read from its source."""
    text = decode(data, "text/plain; charset=EUC-JP").text
    return pukisource.read(Snapshot(f"{name}.txt", data), text)[0]


def served(name: str, data: bytes) -> Page:
    """A page read as served."""
    text = decode(data, "text/html; charset=EUC-JP").text
    url = "https://wiki.example/index.php?" + "".join(
        f"%{name[n : n + 2]}" for n in range(0, len(name), 2)
    )
    return pukiwiki.read(Snapshot(f"{name}.html", data, url), text, parse(text))[0]


def texts(page: Page) -> Counter[str]:
    """How often each text is a passage of a page, but for its title."""
    return Counter(p.text for p in page.passages if p.kind != "title")


def agreement(pairs: list[tuple[Page, Page]]) -> tuple[float, float]:
    """The share of served passages that the source gives, and of source passages served."""
    both = sum((texts(a) & texts(b)).total() for a, b in pairs)
    return both / sum(texts(b).total() for _, b in pairs), both / sum(
        texts(a).total() for a, _ in pairs
    )


def pairs(shared: Path) -> list[tuple[Page, Page]]:
    """The pages that the corpus has in both forms."""
    pages = dict(members(shared / CORPUS / "rendered-eucjp-120.tar.gz", ".html"))
    found = members(shared / CORPUS / "wiki-source-eucjp-19598.tar.gz", ".txt")
    return [(source(n, d), served(n, pages[n])) for n, d in found if n in pages]


def differences(compared: list[tuple[Page, Page]]) -> Counter[str]:
    """What is only in one form, by side, kind and the first character of the text."""
    found: Counter[str] = Counter()
    for a, b in compared:
        for side, page, other in (("source", a, b), ("served", b, a)):
            only = texts(page) - texts(other)
            for p in page.passages:
                if p.kind != "title" and only[p.text] > 0:
                    only[p.text] -= 1
                    found[f"{side} {p.kind:9} {p.text[:1]!r}"] += 1
    return found


def main(shared: Path, everything: bool) -> None:
    """Print the figures."""
    compared = pairs(shared)
    recall, precision = agreement(compared)
    print(f"{len(compared)} pages: served found {recall:.4f}, source served {precision:.4f}")
    links = [Counter((x.kind.replace("missing", "page"), x.target, x.anchor)
                     for p in page.passages for x in p.links)
             for pair in compared for page in pair]  # fmt: skip
    both = sum((x & y).total() for x, y in zip(links[::2], links[1::2], strict=True))
    print(f"links the same: {both} of {sum(y.total() for y in links[1::2])} served, "
          f"{sum(y.total() for y in links[::2])} in source")  # fmt: skip
    for what, number in differences(compared).most_common(20):
        print(f"{number:6} {what}")
    if everything:
        began = time.perf_counter()
        number = links_found = lost = known = 0
        for name, data in members(shared / CORPUS / "wiki-source-eucjp-19598.tar.gz", ".txt"):
            page = source(name, data)
            number += 1
            lost += page.lost != 0
            links_found += sum(len(p.links) for p in page.passages)
            known += pukisource.recognises(decode(data, "; charset=EUC-JP").text, "")
        seconds = time.perf_counter() - began
        print(f"{number} sources, {lost} with characters lost, {links_found} links, "
              f"{known} recognised, {seconds:.1f} s")  # fmt: skip


if __name__ == "__main__":
    given = [word for word in sys.argv[1:] if not word.startswith("--")]
    default = Path(__file__).parent.parent.parent / "shared"
    main(Path(given[0]) if given else default, "--all" in sys.argv)
