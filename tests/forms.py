"""The same pages in all the forms that they were kept in, and where their passages differ.

    python -m tests.forms

prints how far each form agrees with the page as served, and every difference with what is
known of it. What is known stands in `known_differences.jsonl`: `forms` and `page` are
patterns of the form and of the page's name, `only` says which of the two has the passage
("served" or "other"), `text` is a pattern that the passage must match from its beginning,
`beside` one that another of the differing passages must match (TEXT in it stands for the
passage's text), `why` explains it.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from scraper import Hints, Page, Snapshot, read_pages, snapshots
from tests.captured import captured

KNOWN = Path(__file__).parent / "known_differences.jsonl"
WIKIS = ("mw119", "mw139", "puki147euc", "puki154utf")
SERVED_BY = ("mw119", "puki154utf")  # the engine whose page the others are held against
SCALE = "corpora/pukiwiki-scale"


@dataclass(frozen=True)
class Capture:
    """A page as one snapshot gives it."""

    engine: str
    file: str
    page: Page

    @property
    def form(self) -> str:
        """The engine and the form, such as `mw139 html`."""
        return f"{self.engine} {self.page.form}"

    @cached_property
    def texts(self) -> Counter[str]:
        """How often each text is a passage of the page, but for its title."""
        return Counter(p.text for p in self.page.passages if p.kind != "title")


@dataclass(frozen=True)
class Pair:
    """A page as served and in another form."""

    served: Capture
    other: Capture

    @property
    def agreed(self) -> int:
        return (self.served.texts & self.other.texts).total()

    @property
    def passages(self) -> int:
        return (self.served.texts | self.other.texts).total()

    def differences(self) -> Iterator[tuple[str, str]]:
        """Each passage that only one of the two has: which, and its text."""
        for text in (self.served.texts - self.other.texts).elements():
            yield "served", text
        for text in (self.other.texts - self.served.texts).elements():
            yield "other", text

    def same_shape(self) -> list[bool]:
        """Of passages whose text is once in each: whether all else of them agrees too."""
        ours, theirs = (_shapes(capture.page) for capture in (self.other, self.served))
        return [ours[text] == theirs[text] for text in ours.keys() & theirs.keys()]


def _shapes(page: Page) -> dict[str, tuple[object, ...]]:
    once = Counter(p.text for p in page.passages)
    name = page.name.removeprefix("rush/")
    return {
        p.text: (
            p.kind,
            p.depth,
            p.ordinal,
            p.head,
            p.ruby,
            p.strong,
            page.sections[p.section].level,
            page.sections[p.section].anchor,
            [
                (
                    k.start,
                    k.end,
                    k.kind.replace("missing", "page"),
                    k.target.removeprefix("rush/") or name,
                    k.anchor,
                )
                for k in p.links
                if k.kind != "external"
            ],
        )
        for p in page.passages
        if once[p.text] == 1 and p.kind != "title"
    }


def wikis(shared: Path) -> Iterator[Pair]:
    """The articles of the two test wikis: as one engine serves them, and in every other form."""
    found: dict[tuple[str, str], list[Capture]] = defaultdict(list)
    for engine in WIKIS:
        for shot in captured(shared / "pages" / engine):
            wiki = engine[:2] + ("/dm/" * ("/dm/" in shot.where))
            for page in read_pages(shot)[0]:
                if page.name and page.redirect is None and not page.old:
                    capture = Capture(engine, Path(shot.where).name, page)
                    found[wiki, page.name.removeprefix("rush/")].append(capture)
    for captures in found.values():
        yield from _paired(captures)


def _paired(captures: list[Capture]) -> Iterator[Pair]:
    def rank(capture: Capture) -> tuple[bool, bool, bool]:
        page = capture.page
        return page.form != "html", page.via, capture.engine not in SERVED_BY

    served = min(captures, key=rank)
    yield from (Pair(served, other) for other in captures if other is not served)


def corpus(shared: Path) -> Iterator[Pair]:
    """The 120 pages that a third wiki's corpus has both as source and as served."""
    hints, folder = Hints(site="pukiwiki"), shared / SCALE
    served = {
        Path(shot.where).stem: shot
        for shot in snapshots(folder / "rendered-eucjp-120.tar.gz", hints)
        if isinstance(shot, Snapshot)
    }
    for shot in snapshots(folder / "wiki-source-eucjp-19598.tar.gz", hints):
        stem = Path(shot.where).stem
        if isinstance(shot, Snapshot) and stem in served:
            [source], [page] = read_pages(shot)[0], read_pages(served[stem])[0]
            yield Pair(Capture("corpus", stem, page), Capture("corpus", stem, source))


@dataclass(frozen=True)
class Known:
    """A kind of difference that is understood."""

    forms: str
    only: str
    page: str
    text: str
    why: str
    beside: str = ""

    def covers(self, pair: Pair, only: str, text: str) -> bool:
        """Whether a difference is of this kind."""
        if only != self.only or not re.match(self.text, text, re.DOTALL):
            return False
        place = f"{pair.other.form}/{pair.other.page.name}"
        if not re.fullmatch(f"(?:{self.forms})/(?:{self.page})", place):
            return False
        beside = self.beside.replace("TEXT", re.escape(text))
        return not beside or any(re.match(beside, other) for _, other in pair.differences())


def known() -> list[Known]:
    """The differences that are known."""
    return [Known(**json.loads(line)) for line in KNOWN.read_text("utf-8").splitlines()]


def why(pair: Pair, only: str, text: str, among: list[Known]) -> Known | None:
    """What is known of a difference, or None."""
    return next((entry for entry in among if entry.covers(pair, only, text)), None)


def main(shared: Path) -> None:
    """Print how far the forms agree, and what is not known of the differences."""
    among = known()
    agreed: Counter[str] = Counter()
    passages: Counter[str] = Counter()
    explained: Counter[str] = Counter()
    shapes: dict[str, list[bool]] = defaultdict(list)
    for pair in [*wikis(shared), *corpus(shared)]:
        form = pair.other.form
        agreed[form] += pair.agreed
        passages[form] += pair.passages
        shapes[form] += pair.same_shape()
        for only, text in pair.differences():
            entry = why(pair, only, text, among)
            explained[form] += entry is not None
            if entry is None:
                print(
                    f"? {form} {pair.other.file} {pair.other.page.name}: "
                    f"only {only}: {text[:100]!r}"
                )
    for form, whole in passages.items():
        print(
            f"{form}: {agreed[form]} of {whole} agree ({agreed[form] / whole:.4f}), "
            f"{explained[form]} of the rest known; shape {sum(shapes[form])} of "
            f"{len(shapes[form])}"
        )
    print(
        f"all: {agreed.total() / passages.total():.4f}, with what is known "
        f"{(agreed + explained).total() / passages.total():.4f}"
    )


if __name__ == "__main__":
    default = Path(__file__).parent.parent.parent / "shared"
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
