"""pdfium runs in a process of its own: what it takes, and what it dies of, is one warning."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import kb
from scraper import Hints, Snapshot, SourceError, read_pages, reader_process
from scraper.rulebook import pdf
from tests.children import interruptible, pdfs_read_here
from tests.conftest import SAMPLE
from tests.rulebook.test_pdf import hand_made, printed

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
RULES = [
    " T* ".join(f"({section}.{n}. Draw a card.) Tj" for n in range(1, 9))
    for section in (101, 102, 103, 104, 105, 106)
]
# What the child does in place of reading a page; `number` is the index of the page.
STUB = """
import json, os, signal, sys, time
import scraper.rulebook.pdf as child
real = child.read_page
def read_page(document, number):
    {}
    return real(document, number)
child.read_page = read_page
"""


def of_pages(*contents: str) -> bytes:
    """A PDF of pages with these contents, in Helvetica."""
    font = "/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    kids = " ".join(f"{3 + 2 * n} 0 R" for n in range(len(contents)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(contents)}/Kids[{kids}]>>",
    ]
    for n, content in enumerate(contents):
        content = f"BT /F 9 Tf 12 TL 50 700 Td {content} ET"
        box = "/MediaBox[0 0 600 800]"
        objects += [
            f"<</Type/Page/Parent 2 0 R{box}/Contents {4 + 2 * n} 0 R{font}>>",
            f"<</Length {len(content)}>>\nstream\n{content}\nendstream",
        ]
    body = "".join(f"{n} 0 obj\n{one}\nendobj\n" for n, one in enumerate(objects, 1))
    return f"%PDF-1.4\n{body}trailer<</Root 1 0 R/Size {len(objects) + 1}>>\n%%EOF\n".encode()


def start_that(statement: str) -> str:
    """Python code for a child that runs a statement before it reads a page."""
    before, _, start = reader_process._START.rpartition("from scraper")
    return f"{before}exec({STUB.format(statement)!r}); from scraper{start}"


@pytest.fixture
def child_does(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Has children run a statement before they read a page."""
    return lambda statement: monkeypatch.setattr(reader_process, "_START", start_that(statement))


def numbers(text: str) -> list[str]:
    return [page.partition(".")[0] for page in text.split("\f")]


@LINUX
def test_a_page_that_takes_too_much_memory_is_a_warning(tmp_path: Path) -> None:
    array = "[" + "(100.1. Draw a card.) 9 " * 80_000 + "] TJ"
    (tmp_path / "rules.pdf").write_bytes(of_pages(RULES[0], array, *RULES[1:3]))
    report = kb.build([tmp_path / "rules.pdf"], tmp_path / "x.db", site="rulebook", game="mtg")
    assert report.pages == 1
    [warning] = [w.what for w in report.warnings if "memory" in w.what]
    assert warning.startswith("page 2 takes too much memory") and warning.endswith("left out")
    with kb.open(tmp_path / "x.db") as base:
        assert base.audit().lost == 0
        found = [base.show(f"{section}.1").matches[0].text for section in (101, 102, 103)]
    assert found == ["Draw a card."] * 3


@LINUX
@pytest.mark.parametrize("how", ["SIGSEGV", "SIGABRT", "SIGKILL"])
def test_a_crash_of_pdfium_is_a_problem(child_does: Callable[[str], None], how: str) -> None:
    child_does(f"number == 1 and os.kill(os.getpid(), signal.{how})")
    found = pdf.read_pdf(of_pages(*RULES[:3]))
    assert numbers(found.text) == ["101", "", "103"]
    [problem] = found.problems
    assert problem.startswith("page 2 takes too much memory or crashes pdfium (")


def test_a_page_that_ends_the_process_or_is_the_last(child_does: Callable[[str], None]) -> None:
    child_does("number == 2 and os._exit(7)")
    found = pdf.read_pdf(of_pages(*RULES[:3]))
    assert numbers(found.text) == ["101", "102", ""]
    assert found.problems == (
        "page 3 takes too much memory or crashes pdfium (exit code 7); left out",
    )


def test_after_some_crashes_the_rest_is_left_out(
    child_does: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf, "_MOST_PROCESSES", 3)
    child_does("number and os._exit(7)")
    found = pdf.read_pdf(of_pages(*RULES))
    assert numbers(found.text) == ["101", "", ""]
    assert [problem.partition(" takes")[0] for problem in found.problems] == [
        "page 2",
        "page 3",
        "only the first 3 pages are read; 3 pages left out",
    ]


def test_a_process_that_dies_of_the_pages_before(child_does: Callable[[str], None]) -> None:
    child_does("first = globals().setdefault('first', number); number > first + 1 and os._exit(7)")
    found = pdf.read_pdf(of_pages(*RULES))
    assert numbers(found.text) == ["101", "102", "103", "104", "105", "106"]
    assert not found.problems


@pytest.mark.slow
@LINUX
def test_a_page_that_hangs(
    child_does: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf, "PAGE_SECONDS", 1)
    child_does("while number == 0: pass")
    found = pdf.read_pdf(of_pages(*RULES[:2]))
    assert numbers(found.text) == ["", "102"]
    assert found.problems == ("page 1 takes more than 1 seconds; left out",)


def test_pages_that_take_long_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "_BASE_SECONDS", 0)
    monkeypatch.setattr(pdf, "_SECONDS_A_MB", 0)
    [problem] = pdf.read_pdf(of_pages(*RULES[:3])).problems
    assert problem == "only the first 1 pages, which took 0 seconds, are read; 2 pages left out"


def test_a_process_that_ends_at_once_or_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_process, "_START", "raise SystemExit(9)")
    data = of_pages(RULES[0]) + b" " * 200_000  # more than a pipe holds
    pages, [warn] = read_pages(Snapshot("x.pdf", data, hints=Hints(site="rulebook")))
    assert pages == [] and "opening it takes too much memory or crashes pdfium" in warn.what
    monkeypatch.setattr(sys, "executable", "/nothing/here")
    with pytest.raises(SourceError, match="can't be started: No such file"):
        pdf.read_pdf(data)


def test_a_library_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    start = f"import sys; sys.modules['pypdfium2'] = None; {reader_process._START}"
    monkeypatch.setattr(reader_process, "_START", start)
    with pytest.raises(SourceError, match="pypdfium2, which reads it, can't be loaded"):
        pdf.read_pdf(of_pages(RULES[0]))


def samples() -> dict[str, bytes]:
    """PDFs that are whole, spoilt and empty, by what they are."""
    english = printed(
        "\n".join(f"1.{n}. A two-part rule of a trig-\ngers." for n in range(99)), "en"
    )
    [japanese] = (SAMPLE / "rulebook").glob("*.ja.txt")
    return {
        "two columns": printed(japanese.read_text("utf-8"), "ja", 2),
        "broken words": english,
        "cut off": english[: len(english) // 2],
        "characters beyond 16 bits": hand_made(
            "BT /F 12 Tf 50 700 Td <00010002> Tj ET", {1: "d842df9f", 2: "d800"}
        ),
        "a page for each rule": of_pages(*RULES),
        "no text": of_pages(""),
        "no PDF": pdf.MAGIC + b"x",
    }


@pytest.mark.parametrize(("name", "data"), samples().items(), ids=samples())
def test_the_same_as_in_this_process(name: str, data: bytes) -> None:
    def read() -> object:
        try:
            return pdf.read_pdf(data)
        except SourceError as error:
            return str(error)

    in_child = read()
    with pdfs_read_here():
        assert read() == in_child


def test_files_in_the_current_folder_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json", "signal", "ctypes", "sitecustomize", "pypdfium2"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    assert pdf.read_pdf(of_pages(RULES[0])).text.startswith("101.1")


@pytest.mark.parametrize("locale", ["C", "ja_JP.eucJP", "C.UTF-8"])
def test_without_standard_streams_in_any_locale(tmp_path: Path, locale: str) -> None:
    data, found = tmp_path / "札.pdf", tmp_path / "found"
    data.write_bytes(printed("1.1 札を引く", "ja"))
    code = (
        "import os, sys; from pathlib import Path; from scraper.rulebook import pdf\n"
        "for number in range(3): os.close(number)\n"
        "Path(os.fsdecode(sys.argv[2])).write_text("
        "pdf.read_pdf(Path(sys.argv[1]).read_bytes()).text, 'utf-8')"
    )
    environment = {**os.environ, "LC_ALL": locale}
    subprocess.run([sys.executable, "-c", code, data, found], env=environment, check=True)
    assert "札を引く" in found.read_text("utf-8")


def test_on_threads() -> None:
    data = [of_pages(rules) for rules in RULES]
    with ThreadPoolExecutor(3) as pool:
        found = [numbers(read.text) for read in pool.map(pdf.read_pdf, data)]
    assert found == [["101"], ["102"], ["103"], ["104"], ["105"], ["106"]]


@LINUX
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_is_left_over(tmp_path: Path, how: signal.Signals) -> None:
    data, noted = tmp_path / "x.pdf", tmp_path / "child"
    data.write_bytes(of_pages(RULES[0]))
    waits = f"open({str(noted)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    code = (
        "import sys; from pathlib import Path; from kb.cli.signals import end_on_signals\n"
        "from scraper import reader_process\nfrom scraper.rulebook import pdf\n"
        "end_on_signals()\n"
        f"reader_process._START = {start_that(waits)!r}\n"
        "pdf.read_pdf(Path(sys.argv[1]).read_bytes())"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, data], **interruptible())
    try:
        assert within(30, lambda: noted.exists() and noted.read_text() != "")
        child = int(noted.read_text())
        assert runs(child)
        parent.send_signal(how)
        assert parent.wait(30) == -how
        assert within(10, lambda: not runs(child))
    finally:
        parent.kill()
        parent.wait()


def within(seconds: float, holds: Callable[[], bool]) -> bool:
    """Whether something comes to hold in so many seconds."""
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def runs(process: int) -> bool:
    """Whether a process is there, and has not ended without anybody asking for its exit code."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"
