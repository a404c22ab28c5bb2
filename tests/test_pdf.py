"""A printed rulebook reads as the same book in plain text."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from scraper import Hints, Page, Snapshot, read_pages
from scraper.rulebook import pdf
from tests.conftest import SAMPLE

WIDTH, HEIGHT = A4
LINE, MARGIN = 12.0, 50.0
FONTS = {"en": "Helvetica", "ja": "HeiseiKakuGo-W5"}


def printed(text: str, lang: str, columns: int = 1) -> bytes:
    """The text set in columns, with a running head and a page number on every page."""
    if lang == "ja":
        pdfmetrics.registerFont(UnicodeCIDFont(FONTS["ja"]))
    made = io.BytesIO()
    canvas = Canvas(made, pagesize=A4)
    width = (WIDTH - 2 * MARGIN - 20 * (columns - 1)) / columns
    fitting = int((HEIGHT - 2 * MARGIN - 4 * LINE) / LINE)
    lines = [piece for line in text.splitlines() for piece in wrapped(line, FONTS[lang], width)]
    a_page = fitting * columns
    for number, start in enumerate(range(0, len(lines), a_page), 1):
        canvas.setFont(FONTS[lang], 9)
        canvas.drawString(MARGIN, HEIGHT - MARGIN, "Comprehensive Rules of the Sample " + "- " * 60)
        canvas.drawCentredString(WIDTH / 2, MARGIN / 2, str(number))
        for n, line in enumerate(lines[start : start + a_page]):
            x = MARGIN + (n // fitting) * (width + 20)
            canvas.drawString(x, HEIGHT - MARGIN - 2 * LINE - n % fitting * LINE, line)
        canvas.showPage()
    canvas.save()
    return made.getvalue()


def wrapped(line: str, font: str, width: float) -> list[str]:
    """A line cut where it is full: between words, or in Japanese between any two letters."""
    pieces, piece = [], ""
    for word in line if font == FONTS["ja"] else line.replace(" ", " \0").split("\0"):
        full = pdfmetrics.stringWidth(piece + word, font, 9) > width
        if piece and full and word not in "。、)）」』":  # with which no line begins
            pieces.append(piece.rstrip())
            piece = ""
        piece += word
    return [*pieces, piece.rstrip()]


def rules(page: Page) -> dict[str, str]:
    found = {}
    for passage in page.passages:
        if stated := passage.rule:
            found[stated[0]] = "".join(passage.text.split())
    return found


def read(data: bytes) -> Page:
    [page], warnings = read_pages(Snapshot("rules.pdf", data))
    assert warnings == [] and page.lost == 0
    return page


def plain_and_printed(lang: str, columns: int) -> tuple[Page, Page]:
    [path] = (SAMPLE / "rulebook").glob(f"*.{lang}.txt")
    text = path.read_text("utf-8").translate({0x2019: "'", 0x201C: '"', 0x201D: '"', 0x2014: "-"})
    [plain], _ = read_pages(Snapshot(path.name, text.encode()))
    return plain, read(printed(text, lang, columns))


@pytest.mark.parametrize(("lang", "columns"), [("en", 1), ("en", 2), ("ja", 1), ("ja", 2)])
def test_the_sample_in_print(lang: str, columns: int) -> None:
    """Every rule with its own words, in one column or two."""
    plain, page = plain_and_printed(lang, columns)
    assert page.form == "PDF" and page.edition == plain.edition
    assert rules(page) == rules(plain)
    assert page.left_out["page number"] > 0 and page.left_out["running head"] > 0


def test_three_narrow_columns() -> None:
    """A heading that fills its line may be read as going on in the next."""
    wanted, found = map(rules, plain_and_printed("en", 3))
    assert sum(found.get(number) == text for number, text in wanted.items()) >= len(wanted) - 3


@pytest.mark.shared
def test_a_real_rulebook_in_print(shared: Path) -> None:
    [path] = (shared / "corpora/lorcana-cr-ja").glob("*20251031*")
    text = path.read_text("utf-8")
    [plain], _ = read_pages(Snapshot(path.name, text.encode()))
    page = read(printed("\n".join(p.text for p in plain.passages), "ja", 2))
    wanted, found = rules(plain), rules(page)
    assert found.keys() == wanted.keys()
    same = sum(found[number] == wanted[number] for number in wanted)
    assert same / len(wanted) > 0.97


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    pages, warnings = read_pages(Snapshot("x.pdf", pdf.MAGIC + data))
    assert pages == [] and warnings


def test_a_pdf_cut_off() -> None:
    data = printed("\n".join(f"1.{n}. A rule of this book." for n in range(1, 400)), "en")
    for end in range(10, len(data), len(data) // 40):
        pages, warnings = read_pages(Snapshot("x.pdf", data[:end]))
        assert pages or warnings
        assert all(page.lost == 0 for page in pages)


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    pages, [warn] = read_pages(Snapshot("x.pdf", pdf.MAGIC, hints=Hints(site="rulebook")))
    assert pages == [] and "sansho[pdf]" in warn.what
