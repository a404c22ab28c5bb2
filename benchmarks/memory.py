"""The most memory that a build takes for one huge or hostile page, beside what it may take.

    python -m benchmarks.memory [KIND...] [--size 20] [--workers 1] [--seconds 600] [--list]

A KIND is a kind of page, or the beginning of the names of several (`mediawiki`), or a whole name
with a `$` behind it; all if none is named. One page of so many MB of each is built in a process of
its own, one after the other. The table has the peak memory of that process and of the largest
worker, which may be 200 MB and twelve times the page; how much of it was of mapped files (`file`:
sampled, when the process was largest; the system can drop it); the processor time; warnings; and
what the audit calls lost, which must be 0.

The kind `nothing` is a page of a few words: what Python, the dictionary and SQLite take alone.
Pages of the dictionary that are in memory count, although all processes share them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import NamedTuple

BASE, TIMES = 200, 12  # MB, and MB a MB of the page
_ADDRESS_SPACE = 8_000_000_000  # bytes; a build that wants more ends with an error

_BUILD = """
import json, resource, sys
from kb.building.pipeline import build

def peak(who):
    if who == resource.RUSAGE_SELF:  # the kernel's figure has that of the parent before the exec
        try:
            with open("/proc/self/status") as status:
                return next(int(x.split()[1]) for x in status if x.startswith("VmHWM")) / 1024
        except OSError:
            pass
    return resource.getrusage(who).ru_maxrss / 1024

folder, path, workers = sys.argv[1:]
try:
    warnings, error = len(build([folder], path, workers=int(workers)).warnings), ""
except Exception as failure:
    warnings, error = 0, f"{type(failure).__name__}: {failure}"
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
found = {
    "peak": peak(resource.RUSAGE_SELF), "worker": peak(resource.RUSAGE_CHILDREN),
    "seconds": sum(u.ru_utime + u.ru_stime for u in used), "warnings": warnings, "error": error,
}
print("built", flush=True)  # what follows is no part of the build
if not error:
    import kb
    with kb.open(path) as base:
        audit = base.audit()
        found |= {"lost": audit.lost, "chars": audit.chars, "kept": audit.kept}
        found["texts"] = [w.what for w in audit.warnings]
print(json.dumps(found, ensure_ascii=False))
"""

Fill = Callable[[int], bytes]  # about so many bytes of a kind of text


class Kind(NamedTuple):
    """A kind of page: the file's name, what its manifest says, what stands around the filling."""

    name: str
    file: str
    fill: Fill
    manifest: dict[str, str]
    before: bytes = b""
    behind: bytes = b""

    def page(self, size: int) -> bytes:
        """Return a page of about so many bytes."""
        room = max(0, size - len(self.before) - len(self.behind))
        return self.before + self.fill(room) + self.behind


def again(piece: str | bytes, start: str | bytes = b"", charset: str = "utf-8") -> Fill:
    """Return what fills a page with one piece again and again, behind something that comes once."""
    unit = piece.encode(charset) if isinstance(piece, str) else piece
    once = start.encode(charset) if isinstance(start, str) else start
    return lambda size: once + unit * max(1, (size - len(once)) // len(unit))


def numbered(piece: str, start: str = "") -> Fill:
    """Return what fills a page with a piece that has another number (`{}`) each time."""

    def fill(size: int) -> bytes:
        pieces, length = [start.encode()], len(start.encode())
        for number in count(1):
            pieces.append(piece.replace("{}", str(number)).encode())
            length += len(pieces[-1])
            if length >= size:
                return b"".join(pieces)
        raise AssertionError

    return fill


_MW = (
    '<!DOCTYPE html><html lang="ja"><head><title>X - MTG Wiki</title>'
    '<meta name="generator" content="MediaWiki 1.19.23" /></head><body>'
    '<h1 id="firstHeading">X</h1><div id="bodyContent"><div id="mw-content-text">',
    "</div></div></body></html>",
)
_PUKI = (
    '<html><head><title>X - wiki</title></head><body><h1 class="title"><a href="?X">X</a></h1>'
    '<div id="navigator">n</div>'
    '<div id="body">',
    '</div><div id="footer">PukiWiki</div></body></html>',
)
_VIEWER = (
    "<html><head><title>総合ルールビューア</title></head><body>総合ルールビューア<p>1. 概念</p>",
    "<p>© x</p></body></html>",
)
_CARD = (
    '<html><body><div class="wg-whisper-card-title"><h1>札/Card</h1></div>'
    '<div class="wg-whisper-card-detail">',
    "</div></body></html>",
)
_BOOK = "総合ルール\n2024年1月1日\n" + "".join(f"100.{n}. 札を引く。\n" for n in range(1, 9))

# What stands between the tags of a page in HTML.
_HTML: dict[str, Fill] = {
    "one line of kana": again("あ"),
    "one line with an emoji": again("あ", "😀"),
    "lines": again("あ\n"),
    "sentences": again("札を一枚引く。"),
    "<p>": again("<p>あ"),
    "<b> unclosed": again("<b>"),
    "<b>": again("<b>あ</b>い"),
    "<br>": again("あ<br>"),
    "<div> unclosed": again("<div>あ"),
    "links": again('<a href="/wiki/a">あ</a>'),
    "links, all different": numbered('<a href="/wiki/a{}">あ{}</a>'),
    "<td>": again("<td>あ", "<table><tr>"),
    "<tr><td>": again("<tr><td>あ", "<table>"),
    "<li>": again("<li>あ", "<ul>"),
    "<h2>": again("<h2>あ</h2>"),
    "<ruby>": again("<ruby>札<rt>ふだ</rt></ruby>"),
    "entities": again("&amp;"),
    "numeric entities": again("&#12354;"),
    "comments": again("<!--あ-->"),
    "scripts": again("<script>a</script>"),
    "one heading": lambda size: b"<h2>" + again("あ")(size) + b"</h2>",
    "one attribute": lambda size: b'<a href="/wiki/' + again("a")(size) + '">あ</a>'.encode(),
    "attributes": again("<i a=b c=d e=f>あ</i>"),
    "footnotes": numbered('<a href="#n{}" class="note_super">*{}</a>あ'),
    "terms in brackets": again("《あ》"),
    "citations": again("100.1a "),
    "<": again("<"),
}
_SOURCES: dict[str, Fill] = {  # wikitext and PukiWiki's source
    "one line of kana": again("あ"),
    "lines": again("あ\n"),
    "paragraphs": again("あ\n\n"),
    "links": again("[[あ]]"),
    "links, all different": numbered("[[あ{}]]"),
    "open links": again("[["),
    "templates": again("{{あ}}"),
    "open templates": again("{{"),
    "cells": again("|あ", "{|\n"),
    "rows": again("|あ|い|\n"),
    "rows of wikitext": again("|-\n|あ\n", "{|\n"),
    "items": again("-あ\n"),
    "stars": again("*あ\n"),
    "quotes": again("''"),
    "tags": again("<b>"),
    "footnotes": again("((あ))"),
    "references": again("<ref>あ</ref>"),
    "one heading": lambda size: b"== " + again("あ")(size - 8) + b" ==\n",
}


def kinds() -> Iterator[Kind]:
    """Yield all kinds of pages."""
    yield Kind("nothing", "nothing.html", again("あ", "", "utf-8"), {}, *_encoded(_MW))
    for name, fill in _HTML.items():
        yield Kind(f"mediawiki {name}", "X.html", fill, {}, *_encoded(_MW))
    raw: dict[str, Fill] = {
        "0xFF": again(b"\xff"),
        "NUL": again(b"\x00", b" " * 70000),
        "controls": again(b"\x01\x1b"),
        "bad EUC-JP": again("札".encode("euc_jp") + b"\xff", "札".encode("euc_jp") * 100),
        "bad Shift_JIS": again("札".encode("cp932") + b"\xff"),
        "bad UTF-8": again("札".encode() + b"\xff"),
        "bad UTF-16": again(b"\x00\xd8a\x00"),
        "EUC-JP": again("札を引く", "", "euc_jp"),
    }
    for name, fill in raw.items():
        mark = b"\xff\xfe" if "16" in name else b""
        before, behind = _encoded(_MW)
        if mark:
            before, behind = (part.decode().encode("utf-16-le") for part in (before, behind))
        yield Kind(f"bytes {name}", "X.html", fill, {}, mark + before, behind)
        if not mark:
            yield Kind(f"bytes alone {name}", "X.txt", fill, {"site": "pukiwiki"})
    for form, frame in (("pukiwiki", _PUKI), ("viewer", _VIEWER), ("card page", _CARD)):
        for name in ("one line of kana", "<p>", "<b> unclosed", "links, all different", "<tr><td>",
                     "<li>", "<", "footnotes", "lines"):  # fmt: skip
            yield Kind(f"{form} {name}", "X.html", _HTML[name], {}, *_encoded(frame))
    yield Kind("viewer rules", "X.html", numbered("<p>1.{}. 札"), {}, *_encoded(_VIEWER))
    url = "http://mtgwiki.com/index.php?title=X&action=raw"
    for name, fill in _SOURCES.items():
        yield Kind(f"wikitext {name}", "X.txt", fill, {"url": url})
        yield Kind(f"source {name}", "58.txt", fill, {"site": "pukiwiki"})
        start = '<mediawiki version="0.11"><page><title>X</title><revision><text>'
        end = "</text></revision></page></mediawiki>"
        safe = _escaped(fill)
        yield Kind(f"dump {name}", "X.xml", safe, {}, *_encoded((start, end)))
    for name in ("one line of kana", "<p>", "<b> unclosed", "links, all different"):
        start, end = '{"parse":{"title":"X","text":{"*":"', '"}}}'
        yield Kind(f"api {name}", "X.json", _escaped_json(_HTML[name]), {}, *_encoded((start, end)))
    start, end = '{"query":{"pages":{', '"0":{}}}}'
    entry = '"{}":{"title":"X{}","revisions":[{"*":"あ"}]},'
    yield Kind("api many pages", "X.json", numbered(entry), {}, *_encoded((start, end)))
    yield Kind("dump many pages", "X.xml", numbered(
        "<page><title>X{}</title><revision><text>あ</text></revision></page>"), {},
        *_encoded(('<mediawiki version="0.11">', "</mediawiki>")))  # fmt: skip
    books: dict[str, Fill] = {
        "one rule": again("あ"),
        "one line a rule": numbered("10{}. あ\n"),
        "rules of a section": numbered("101.{}. 札を引く\n"),
        "lines": again("あ\n"),
        "sentences": again("札を一枚引く。\n"),
        "citations": again("100.1"),
        "glossary": numbered("語{}\n札。\n\n", "\n用語集\n\n"),
        "contents": numbered("100.{} 目次 ..... {}\n"),
        "spaces": again(" "),
        "form feeds": again("\f"),
    }
    for name, fill in books.items():
        yield Kind(f"rulebook {name}", "X.txt", fill, {"site": "rulebook"}, _BOOK.encode())
    lists: dict[str, tuple[str, Fill]] = {
        "csv rows": ("X.csv", numbered("カード{},Card {}\n", "ja,en\n")),
        "tsv rows": ("X.tsv", numbered("カード{}\tCard {}\n", "ja\ten\n")),
        "csv one cell": ("X.csv", again("あ", "ja,en\n札,card\n")),
        "csv cells": ("X.csv", again("あ,", "ja,en\n札,card\n")),
        "csv rows of nothing": ("X.csv", again(",\n", "ja,en\n札,card\n")),
        "csv quotes": ("X.csv", again('"', "ja,en\n札,card\n")),
    }
    for name, (file, fill) in lists.items():
        yield Kind(f"list {name}", file, fill, {"site": "namelist"})
    for name, piece in {
        "json records": '{"ja":"カード{}","en":"Card {}"},',
        "json arrays": '["カード{}","Card {}"],',
        "json empty": "[],",
    }.items():
        yield Kind(f"list {name}", "X.json", numbered(piece), {"site": "namelist"},
                   b"[", '["札","card"]]'.encode())  # fmt: skip
    nested = Kind("list json nested", "X.json", again("["), {"site": "namelist"})
    yield nested
    for name in ("one line of kana", "lines", "sentences"):
        start = ("X\n提供:MTG Wiki\n札を引く。\n", "")
        yield Kind(f"capture {name}", "X.txt", _HTML[name], {"site": "mtgwiki"}, *_encoded(start))
    yield Kind("capture viewer", "X.txt", numbered("1.{}. 札\n"), {}, *_encoded(
        ("総合ルールビューア\n1. 札\n", "")))  # fmt: skip
    yield Kind("pdf one page", "X.pdf", _pdf, {"site": "rulebook"})
    yield Kind("pdf long texts", "X.pdf", _pdf_long_texts, {"site": "rulebook"})
    yield Kind("pdf one array", "X.pdf", _pdf_one_array, {"site": "rulebook"})
    yield Kind("pdf compressed", "X.pdf", _packed_pdf, {"site": "rulebook"})


def _encoded(frame: tuple[str, str]) -> tuple[bytes, bytes]:
    return frame[0].encode(), frame[1].encode()


def _escaped(fill: Fill) -> Fill:
    """Return what fills XML with a text."""

    def escape(size: int) -> bytes:
        text = fill(size).replace(b"&", b"&amp;").replace(b"<", b"&lt;")
        return text[:size].rsplit(b"&", 1)[0] if b"&" in text[:size] else text

    return escape


def _escaped_json(fill: Fill) -> Fill:
    return lambda size: json.dumps(fill(size).decode(), ensure_ascii=False)[1:-1].encode()


def _pdf(size: int) -> bytes:
    """Return a PDF of one page with very much text."""
    return _pdf_of(b"BT /F 9 Tf 50 50 Td 12 TL " + b"(100.1. Draw a card.) Tj T* " * (size // 28))


def _pdf_long_texts(size: int) -> bytes:
    """Return a PDF of one page with texts of 30,000 letters each."""
    text = b"(" + b"a" * 30_000 + b") Tj T* "
    return _pdf_of(b"BT /F 9 Tf 50 50 Td 12 TL " + text * max(1, size // len(text)))


def _pdf_one_array(size: int) -> bytes:
    """Return a PDF of one page whose text is one array: one text, as pdfium sees it."""
    return _pdf_of(b"BT /F 9 Tf 50 50 Td [" + b"(100.1. Draw a card.) 9 " * (size // 24) + b"] TJ")


def _packed_pdf(size: int) -> bytes:
    """Return a small PDF whose page is of that size when it is unpacked."""
    import zlib

    content = b"BT /F 9 Tf 50 50 Td 12 TL " + b"(100.1. Draw a card.) Tj T* " * (size // 28)
    return _pdf_of(zlib.compress(content), b"/Filter /FlateDecode")


def _pdf_of(content: bytes, attributes: bytes = b"") -> bytes:
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R "
        b"/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> "
        b">>",
        b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), attributes, content),
    ]
    body = b"%PDF-1.4\n"
    for number, data in enumerate(objects, 1):
        body += b"%d 0 obj\n%s\nendobj\n" % (number, data)
    return body + b"trailer << /Root 1 0 R /Size 5 >>\n%%EOF\n"


def measure(kind: Kind, size: int, workers: int, seconds: float) -> dict[str, object]:
    """Build a page of so many bytes in a process of its own: what it took, and what came of it.

    seconds: the most processor time of a process, so that a busy machine spoils nothing.
    """
    with tempfile.TemporaryDirectory() as folder:
        pages = Path(folder, "pages")
        pages.mkdir()
        data = kind.page(size)
        (pages / kind.file).write_bytes(data)
        if workers > 1:  # a single page is little work for two processes
            (pages / "Y.html").write_bytes(_MW[0].encode() + b"y" * 3_000_000 + _MW[1].encode())
        line = {"file": kind.file, **kind.manifest}
        (pages / "manifest.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
        command = [sys.executable, "-c", _BUILD, str(pages), f"{folder}/x.db", str(workers)]
        mb = len(data) / 1e6
        del data
        limits = {
            resource.RLIMIT_AS: (_ADDRESS_SPACE, _ADDRESS_SPACE),
            resource.RLIMIT_CPU: (int(seconds), int(seconds) + 5),
        }
        ended, out, err, sampled = _run(command, Path(folder), limits)
    if ended == -signal.SIGXCPU:
        return {"mb": mb, "error": f"not done in {seconds:.0f} seconds", **sampled}
    try:
        return {"mb": mb, **sampled, **json.loads((out.splitlines() or [""])[-1])}
    except ValueError:
        last = (err.strip().splitlines() or [f"ended with {ended}"])[-1]
        return {"mb": mb, "error": last, **sampled}


def _run(
    command: list[str], folder: Path, limits: dict[int, tuple[int, int]]
) -> tuple[int, str, str, dict[str, float]]:
    """Run a command; return its exit code, what it wrote to both outputs, and `anonymous` and
    `file`: the MB of the largest process when it was largest, until the first line was written."""

    def limit() -> None:
        for kind, values in limits.items():
            resource.setrlimit(kind, values)

    largest = (0, 0)
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, preexec_fn=limit)
        try:
            while process.poll() is None:
                if not os.fstat(out.fileno()).st_size:
                    largest = max([largest, *map(_memory, _family(process.pid))], key=sum)
                time.sleep(0.02)
        finally:
            process.kill()
            process.wait()
        said, failed = ((folder / name).read_text("utf-8", "replace") for name in ("out", "err"))
    anonymous, of_files = (kb / 1024 for kb in largest)
    return process.returncode, said, failed, {"anonymous": anonymous, "file": of_files}


def _family(process: int) -> list[int]:
    """Return a process and its children."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:  # it has just ended, or this is not Linux
        children = []
    return [process, *map(int, children)]


def _memory(process: int) -> tuple[int, int]:
    """Return (kB of its own, kB of mapped files), which the system can drop and read again; zeros
    if that can't be read."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0, 0
    found = dict(line.split(":", 1) for line in lines if ":" in line)
    own, files, shared = (
        int(found.get(name, "0").split()[0]) for name in ("RssAnon", "RssFile", "RssShmem")
    )
    return own + shared, files


def row(name: str, found: dict[str, object]) -> str:
    """Return a row of the table."""
    mb, error = float(str(found["mb"])), str(found.get("error") or "")
    allowed = BASE + TIMES * mb
    if "peak" not in found:
        sampled = float(str(found["anonymous"])) + float(str(found["file"]))
        return f"{name:<38}{sampled:>8.0f}{found['file']:>6.0f}{allowed:>9.0f}  {error[:80]}"
    peak = max(float(str(found["peak"])), float(str(found["worker"])))
    verdict = "EXCEEDED" if peak > allowed else ""
    seconds = float(str(found["seconds"])) / max(mb, 0.01)
    lost = "" if error else f"{found['lost']}"
    return (
        f"{name:<38}{peak:>8.0f}{found['file']:>6.0f}{allowed:>9.0f}{seconds:>9.2f}{found['warnings']!s:>6}{lost:>6}"
        f"  {verdict} {error[:90]}"
    ).rstrip()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--size", type=float, default=20, help="MB")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=600, help="of the processor at most")
    parser.add_argument("--list", action="store_true", help="only name the kinds")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each kind")
    arguments = parser.parse_args()
    chosen = [
        kind for kind in kinds()
        if not arguments.kinds or any(f"{kind.name}$".startswith(name) for name in arguments.kinds)
    ]  # fmt: skip
    if arguments.list:
        print("\n".join(kind.name for kind in chosen))
        return
    print(f"{'':<38}{'MB':>8}{'file':>6}{'allowed':>9}{'s/MB':>9}{'warn':>6}{'lost':>6}")
    for kind in chosen:
        size = 2000 if kind.name == "nothing" else int(arguments.size * 1e6)
        found = measure(kind, size, arguments.workers, arguments.seconds)
        print(json.dumps({"kind": kind.name, **found}, ensure_ascii=False) if arguments.json
              else row(kind.name, found), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
