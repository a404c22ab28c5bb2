"""What a second build costs, beside the first.

    python -m benchmarks.rebuild [PAGES] [--workers N] [--keep FOLDER]

Writes a wiki (`benchmarks.synthetic`), builds it, and then again after single changes: nothing, a
sentence, a definition, a link to a page that nobody named before, and a page on a word that stands
in about 500 pages and was no term yet; each several times, on other pages and back again. Each
change is followed by a second build in the same file. Prints medians, and what they are of the
first build.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median

import kb
from benchmarks.synthetic import write
from kb.knowledge.page_subject import defines_term

_TIMES = 5
_MENTIONED = 500  # pages
_MARK = "。"


@dataclass
class Rebuilt:
    """A knowledge base, and the pages that it is built again from."""

    pages: Path
    path: Path
    workers: int
    full: float = 0.0
    times: dict[str, list[float]] = field(default_factory=dict)
    read: dict[str, set[int]] = field(default_factory=dict)

    def build(self, what: str) -> kb.BuildReport:
        """Build, and note how long it took."""
        began = time.perf_counter()
        report = kb.build([self.pages], self.path, workers=self.workers)
        self.times.setdefault(what, []).append(time.perf_counter() - began)
        self.read.setdefault(what, set()).add(report.read)
        return report

    def changing(self, what: str, file: Path, change: Callable[[str], str]) -> None:
        """Build after a change of a page, and after it is taken back."""
        charset = "euc_jp" if b"EUC-JP" in file.read_bytes()[:1000] else "utf-8"
        before = file.read_text(charset)
        after = change(before)
        assert after != before, f"{what}: {file} is as before"
        for text in (after, before):
            file.write_text(text, charset)
            self.build(what)


def titled(file: Path) -> str:
    """What a page is called."""
    found = re.search(r"<title>(.*?) - ", file.read_text("utf-8"))
    assert found, file
    return found[1]


def sentence(text: str) -> str:
    """A page with a sentence more, far from its beginning."""
    at = text.rindex(_MARK)
    return text[:at] + "。この文は新しい。" + text[at + 1 :]


def definition(text: str) -> str:
    """A page with a word more in the sentence that defines what it is about."""
    at = text.index(_MARK, text.index("<p><b>"))
    return f"{text[:at]}、また札を引くことでもある{text[at:]}"


def red_link(text: str) -> str:
    """A page with a link to one that no page has named before."""
    new = '<a href="/index.php?title=架空札&amp;action=edit&amp;redlink=1" class="new">架空札</a>'
    at = text.rindex(_MARK)
    return f"{text[:at]}。{new}を引く。{text[at + 1 :]}"


def word_of_many(path: Path, wanted: int = _MENTIONED) -> tuple[str, int]:
    """A noun that is no name of a term, and the number of MTG Wiki's pages that have it: as near
    to the wanted number as there is one."""
    with sqlite3.connect(path) as db:
        words = [
            w
            for (w,) in db.execute(
                "SELECT DISTINCT normal FROM word WHERE length(normal) > 1 "
                "AND normal NOT IN (SELECT spelled FROM spelling)"
            )
        ]
        counts = {}
        for word in words:
            if re.fullmatch("[一-鿿ァ-ヺー]{2,}", word) and defines_term(word):
                [counts[word]] = db.execute(
                    "SELECT count(DISTINCT p.page) FROM search JOIN node p ON p.key = search.rowid "
                    "WHERE search MATCH ? AND p.source = 'mtgwiki'",
                    (f'"{word}"',),
                ).fetchone()
    best = min(counts, key=lambda word: abs(counts[word] - wanted))
    return best, counts[best]


def measure(pages: Path, path: Path, workers: int) -> Iterator[str]:
    """Build, change, build again; the lines of the table."""
    done = Rebuilt(pages, path, workers)
    path.unlink(missing_ok=True)
    report = done.build("full")
    done.full = done.times["full"][0]
    yield f"{report.pages} pages, first build {done.full:.1f} s with {workers} worker(s)"
    files = sorted((pages / "mtgwiki").rglob("*.html"))
    terms = [file for file in files if "/" not in titled(file) and "<p><b>" in file.read_text()]
    for file in Random(6).sample(terms, _TIMES):
        done.build("nothing")
        done.changing("a sentence", file, sentence)
        done.changing("a definition", file, definition)
        done.changing("a name that is new", file, red_link)
    word, mentioned = word_of_many(path)
    new = files[0].with_name("new.html")
    for _ in range(_TIMES):
        shutil.copy(files[0], new)
        new.write_text(new.read_text("utf-8").replace(titled(new), word), "utf-8")
        found = done.build(f"a term in {mentioned} pages")
        assert found.changes and ("added", "term", f"mtg/term/{word}") in found.changes.named
        new.unlink()
        done.build("that term gone")
    for what, times in done.times.items():
        read = ", ".join(map(str, sorted(done.read[what])))
        share = median(times) / done.full
        yield f"{what:24} {median(times):7.2f} s  {share:6.1%}  ({read} read, {len(times)} times)"


def main() -> None:
    """Measure, and print as it goes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="?", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = given.keep or Path(folder)
        pages = place / f"wiki-{given.pages}"
        if not pages.exists():
            write(given.pages, pages)
        for line in measure(pages, Path(folder) / "wiki.db", given.workers):
            print(line, flush=True)


if __name__ == "__main__":
    main()
