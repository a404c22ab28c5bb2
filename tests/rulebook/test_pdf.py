"""A printed rulebook reads as the same book in plain text."""

from __future__ import annotations

import io
import re
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

import kb
from scraper import Hints, Page, Snapshot, read_pages
from scraper.rulebook import pdf
from tests.children import pdfs_read_here
from tests.conftest import SAMPLE
from tests.timing import grows_linearly

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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.shared
def test_pages_that_mix_one_and_two_columns(shared: Path) -> None:
    """All 855 rules in order, no character lost; a table's row is one line."""
    import pypdfium2

    [path] = (shared / "corpora/rulebooks-more").glob("shadowverse*.pdf")
    text = pdf.read_pdf(path.read_bytes()).text
    numbers = [
        n for line in re.split("[\n\f]", text) if (n := re.match(r"\d+(?:\.\d+)+(?=\.\s)", line))
    ]
    keys = [tuple(map(int, number[0].split("."))) for number in numbers]
    assert len(keys) == 855
    assert all(before < after for before, after in pairwise(keys))
    with pypdfium2.PdfDocument(path) as document:
        for page, read_text in zip(document, text.split("\f"), strict=True):
            raw = page.get_textpage().get_text_range()
            assert Counter("".join(raw.split())) == Counter("".join(read_text.split()))
    assert "\nオルカ ドラゴン 海洋 2 2 2\n" in text


def hand_made(content: str, to_unicode: dict[int, str], pages: int = 1) -> bytes:
    """A PDF, each page with the same content, set in a font of a point's width for each point.

    to_unicode: what each code of two bytes stands for, as UTF-16BE in hex.
    """
    chars = "".join(f"<{code:04x}> <{units}>\n" for code, units in to_unicode.items())
    mapping = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
        "1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{len(to_unicode)} beginbfchar\n{chars}endbfchar endcmap end end"
    )
    page = (
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 3 0 R"
        "/Resources<</Font<</F 4 0 R>>>>>>"
    )
    kids = " ".join(f"{7 + n} 0 R" for n in range(pages))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {pages}/Kids[{kids}]>>",
        f"<</Length {len(content)}>>stream\n{content}\nendstream",
        "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H"
        "/DescendantFonts[5 0 R]/ToUnicode 6 0 R>>",
        "<</Type/Font/Subtype/CIDFontType2/BaseFont/X/DW 1000"
        "/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>",
        f"<</Length {len(mapping)}>>stream\n{mapping}\nendstream",
        *[page] * pages,
    ]
    made, offsets = b"%PDF-1.4\n", []
    parts = []
    at = len(made)
    for number, body in enumerate(objects, 1):
        parts.append(f"{number} 0 obj{body}endobj\n".encode())
        offsets.append(at)
        at += len(parts[-1])
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    end = (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{at}\n%%EOF"
    )
    return made + b"".join(parts) + end.encode()


@pytest.mark.parametrize(
    ("units", "text"),
    [
        (["30ab", "d842df9f", "308b"], "カ𠮟る"),
        (["d842", "df9f", "d83ddc4b"], "𠮟👋"),
        (["0041", "d800", "0042", "dc00"], "A\ufffdB\ufffd"),
        (["fb01", "0041", "00ad", "0042", "0007"], "fiAB"),
    ],
)
def test_characters_beyond_16_bits_and_such_as_are_no_text(units: list[str], text: str) -> None:
    codes = "".join(f"{code:04x}" for code in range(1, len(units) + 1))
    data = hand_made(f"BT /F 12 Tf 50 700 Td <{codes}> Tj ET", dict(enumerate(units, 1)))
    assert pdf.read_pdf(data).text == text


def test_a_rulebook_with_such_characters_is_built(tmp_path: Path) -> None:
    lines = ["0031 002e 0031 0020 d842df9f 308b", "0031 002e 0032 0020 d83ddc4b d800"]
    units = [unit for line in lines for unit in line.split()]
    shown, code = "", 0
    for n, line in enumerate(lines):
        codes = "".join(f"{code + k + 1:04x}" for k in range(len(line.split())))
        code += len(line.split())
        shown += f"1 0 0 1 50 {700 - 20 * n} Tm <{codes}> Tj "
    data = hand_made(f"BT /F 12 Tf {shown} ET", dict(enumerate(units, 1)))
    (tmp_path / "rules.pdf").write_bytes(data)
    report = kb.build([tmp_path / "rules.pdf"], kb=tmp_path / "x.db", site="rulebook")
    assert report.pages == 1


@pytest.mark.slow
def test_all_pages_are_read() -> None:
    data = hand_made("BT /F 12 Tf 50 700 Td <0001> Tj ET", {1: "0041"}, pages=5_100)
    assert pdf.read_pdf(data).text.split("\f") == ["A"] * 5_100


def test_pages_left_out_are_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    content = "BT /F 12 Tf 50 700 Td <000100020003> Tj ET"
    data = hand_made(content, {1: "0041", 2: "0042", 3: "0043"}, pages=5)
    monkeypatch.setattr(pdf, "_MOST_PAGES", 3)
    assert len(pdf.read_pdf(data).text.split("\f")) == 3
    pages, [warn, *_] = read_pages(Snapshot("x.pdf", data, hints=Hints(site="rulebook")))
    assert pages and "first 3 pages" in warn.what and "2 pages left out" in warn.what
    monkeypatch.setattr(pdf, "_MOST_CHARACTERS", 5)
    assert "6 characters" in pdf.read_pdf(data).problems[0]


def test_letters_set_apart_take_linear_time() -> None:
    def work(count: int) -> None:
        letters = " ".join(f"1 0 0 1 {40 * n} 700 Tm <0001> Tj" for n in range(count))
        data = hand_made(f"BT /F 12 Tf {letters} ET", {1: "0041"})
        assert pdf.read_pdf(data).text == " ".join("A" * count)

    with pdfs_read_here():
        assert grows_linearly(work, 2_000)


def test_words_broken_at_the_end_of_a_line() -> None:
    made = io.BytesIO()
    canvas = Canvas(made, pagesize=A4)
    lines = ["A rule trig-", "gers a two-", "player game, as any two-player game", "does; 3-",
             "5 cards are drawn -", "no more. It was Tokyo-", "Osaka."]  # fmt: skip
    for n, line in enumerate(lines):
        canvas.drawString(MARGIN, HEIGHT - MARGIN - n * LINE, line)
    canvas.save()
    assert pdf.read_pdf(made.getvalue()).text.split("\n") == [
        "A rule triggers", "a two-player", "game, as any two-player game", "does; 3-",
        "5 cards are drawn -", "no more. It was Tokyo-Osaka.",
    ]  # fmt: skip


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    with pdfs_read_here():
        pages, warnings = read_pages(Snapshot("x.pdf", pdf.MAGIC + data))
    assert pages == [] and warnings


def test_a_pdf_cut_off() -> None:
    data = printed("\n".join(f"1.{n}. A rule of this book." for n in range(1, 400)), "en")
    for end in range(10, len(data), len(data) // 40):
        with pdfs_read_here():
            pages, warnings = read_pages(Snapshot("x.pdf", data[:end]))
        assert pages or warnings
        assert all(page.lost == 0 for page in pages)


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    pages, [warn] = read_pages(Snapshot("x.pdf", pdf.MAGIC, hints=Hints(site="rulebook")))
    assert pages == [] and "sansho[pdf]" in warn.what
