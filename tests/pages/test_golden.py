"""Pages and what must come out of them, side by side.

`python -m tests.pages.test_golden FILE` prints what comes out now; a golden file is only ever
written by a person who has read it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scraper import Hints, Page, Passage, Snapshot, read_pages, snapshots
from tests.conftest import SAMPLE

GOLDEN = Path(__file__).parents[1] / "golden"
PAGES = ("mtgwiki/hiku.html", "mtgwiki/redirect_draw.html", "mtgwiki/fact-or-fiction.html",
         "yugioh-wiki/tsujo-no-draw.html", "yugioh-wiki/deck.html", "yugioh-wiki/draw-phase.html",
         "dmwiki/tsukau.html", "dmwiki/shoukan.html", "wisdom-guild/cr_r_121.html",
         "rulebook/comprehensive-rules.20231117.ja.txt")  # fmt: skip


def read(path: Path) -> list[Page]:
    shots = {Path(s.where): s for s in snapshots(SAMPLE, Hints()) if isinstance(s, Snapshot)}
    return read_pages(shots[path])[0]


def marked(passage: Passage) -> str:
    """The passage with its links as [words|kind|target], readings as {word|reading}, *bold*."""
    marks: list[tuple[int, int, str]] = []
    for link in passage.links:
        where = link.target + (f"#{link.anchor}" if link.anchor else "")
        marks += [(link.start, 1, "["), (link.end, -1, f"|{link.kind}|{where}]")]
    for ruby in passage.ruby:
        marks += [(ruby.start, 2, "{"), (ruby.end, -2, f"|{ruby.reading}}}")]
    for start, end in passage.strong:
        marks += [(start, 3, "*"), (end, -3, "*")]
    text, at = "", 0
    for place, _, sign in sorted(marks, key=lambda mark: (mark[0], mark[1])):
        text += passage.text[at:place] + sign
        at = place
    return (text + passage.text[at:]).replace("\n", "⏎").replace("\t", "⇥")


def shown(pages: list[Page]) -> str:
    lines = []
    for page in pages:
        claims = [page.source, page.name, page.lang, page.form]
        claims += [f"edition {page.edition}"] if page.edition else []
        claims += [f"redirect to {page.redirect}"] if page.redirect else []
        claims += [f"category {name}" for name in page.categories]
        lines.append(" · ".join(claims))
        for passage in page.passages:
            section = page.sections[passage.section]
            kind = f"{passage.kind}{section.level}" if passage.kind == "heading" else passage.kind
            kind += " head" if passage.head else ""
            order = f" {passage.ordinal}." if passage.ordinal else ""
            lines.append(f"{'  ' * (passage.depth + 1)}{kind}{order} | {marked(passage)}")
        lines += [f"  - {number} {reason}" for reason, number in page.left_out.items()]
        lines.append("")
    return "\n".join(lines)


@pytest.mark.parametrize("name", PAGES)
def test_golden(name: str) -> None:
    golden = GOLDEN / f"{Path(name).parent}-{Path(name).stem}.txt"
    assert golden.is_file(), f"{golden.name} is missing: print it, read it, then put it there"
    assert shown(read(SAMPLE / name)) == golden.read_text("utf-8")


def test_no_golden_is_left_over() -> None:
    wanted = {f"{Path(name).parent}-{Path(name).stem}.txt" for name in PAGES}
    assert {path.name for path in GOLDEN.iterdir()} == wanted


if __name__ == "__main__":
    sys.stdout.write(shown(read(SAMPLE / sys.argv[1])))
