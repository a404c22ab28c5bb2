"""Makes archives, Parquet and WARC files, PDFs, dumps and manifests of seeds, and spoils them."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from functools import cache
from random import Random

from benchmarks.fuzz import hostile, mutators, own_seeds, structure
from benchmarks.fuzz.case import Piece
from benchmarks.fuzz.seeds import Seeds, part_of

_MOST_PAGES = 4
_ANY_TIME = (1980, 1, 1, 0, 0, 0)
_ODD_TYPES = (
    tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE, tarfile.GNUTYPE_SPARSE,
    b"Z",
)  # fmt: skip
_NAMES = (
    "", "/", ".", "..", "../x.html", "/etc/x.html", "a/../b.html", "a//b.html", "manifest.jsonl",
    "sites.toml", "a" * 300 + ".html", "甲.html", ".hidden", "a\n.html", "a\x1b[2J.html", "con",
    "a\\b.html", "./manifest.jsonl", "x/manifest.jsonl", "a\0b", "\udc80.html", "C:\\x",
)  # fmt: skip


def spoilt(random: Random, data: bytes, chance: float = 0.7) -> bytes:
    """Return bytes with one to four changes, or with none."""
    if random.random() < chance:
        for _ in range(random.choice((1, 1, 2, 4))):
            data = random.choice(mutators.BYTES)(random, data)
    return data


def some_pages(random: Random, seeds: Seeds, mutated: bool = True) -> list[Piece]:
    """Return one to four documents with file names of their own."""
    pages = []
    for number in range(random.randint(1, _MOST_PAGES)):
        seed = seeds.mutated(random) if mutated else seeds.choose(random)
        data = part_of(random, seed.data)
        pages.append(Piece(f"{number}-{_plain(seed.name)}", data, seed.about))
    return pages


def _plain(name: str) -> str:
    return re.sub(r"[^\w.-]", "_", name)[-80:]


def manifest(pages: Sequence[Piece]) -> bytes:
    """Return the manifest of documents."""
    return b"".join(
        json.dumps(
            {"file": page.name, "url": page.about.get("url", ""), "status": 200,
             "headers": {"content-type": page.about.get("content_type", "")},
             "site": page.about.get("site", ""), "taken": "2024-01-05T00:00:00Z"}
        ).encode() + b"\n"
        for page in pages
    )  # fmt: skip


def spoilt_manifest(random: Random, pages: Sequence[Piece]) -> Piece:
    """Return a manifest that is changed in its values or its bytes."""
    data = manifest(pages)
    for _ in range(random.choice((1, 2, 5))):
        change = structure.json_value if random.random() < 0.7 else mutators.lines
        data = change(random, data)
    return Piece("manifest.jsonl", spoilt(random, data, 0.3))


def archive(random: Random, seeds: Seeds) -> Piece:
    """Return a zip or tar of pages, with odd names, spoilt before or after it is compressed."""
    pages = some_pages(random, seeds, mutated=random.random() < 0.3)
    members = [(page.name, page.data) for page in pages]
    if random.random() < 0.5:
        members.insert(random.randint(0, len(members)), ("manifest.jsonl", manifest(pages)))
    if random.random() < 0.3:
        at = random.randrange(len(members))
        members[at] = (random.choice(_NAMES), members[at][1])
    kind = random.choice(("zip", "zip", "tar", "tar.gz", "tar.bz2", "tar.xz"))
    if kind == "zip":
        return Piece("a.zip", spoilt(random, _zip(random, members)))
    data = spoilt(random, _tar(random, members), 0.7)
    packed = _PACKED[kind.removeprefix("tar")](data)
    return Piece(f"a.{kind}", spoilt(random, packed, 0.5 if kind != "tar" else 0))


def parquet(random: Random, seeds: Seeds) -> Piece:
    """Return a Parquet file of pages, spoilt in any place or in its footer."""
    import pyarrow
    from pyarrow.parquet import write_table

    pages = some_pages(random, seeds, mutated=False)
    columns = {"body": [page.data for page in pages], "file": [page.name for page in pages]}
    columns["url"] = [page.about.get("url") or None for page in pages]
    out = io.BytesIO()
    write_table(
        pyarrow.table(columns),
        out,
        row_group_size=random.choice((1, 3)),
        use_dictionary=random.random() < 0.5,
        compression=random.choice(("none", "snappy", "gzip", "zstd")),
        data_page_version=random.choice(("1.0", "2.0")),
        write_page_checksum=random.random() < 0.3,
    )
    data = out.getvalue()
    footer = len(data) - int.from_bytes(data[-8:-4], "little") - 8
    if random.random() < 0.6:
        return Piece("a.parquet", data[:footer] + spoilt(random, data[footer:-8]) + data[-8:])
    return Piece("a.parquet", spoilt(random, data))


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


_PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes, ".gz": _gzip, ".bz2": bz2.compress, ".xz": lzma.compress,
}  # fmt: skip
_CODINGS: dict[str, Callable[[bytes], bytes]] = {"gzip": _gzip, "deflate": zlib.compress}


def _zip(random: Random, members: Sequence[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    with zipfile.ZipFile(out, "w") as made:
        for name, data in members:
            info = zipfile.ZipInfo(name.replace("\udc80", "\x80") or "x", _ANY_TIME)
            info.compress_type = random.choice(methods)
            made.writestr(info, data)
    return out.getvalue()


def _tar(random: Random, members: Sequence[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    form = random.choice((tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
    names = random.choice(("utf-8", "euc-jp", "shift_jis"))
    errors = "surrogateescape" if names == "utf-8" else "replace"
    with tarfile.open(fileobj=out, mode="w", format=form, encoding=names, errors=errors) as made:
        for name, data in members:
            info = tarfile.TarInfo(name[:90] if form == tarfile.USTAR_FORMAT else name)
            info.size = len(data)
            if random.random() < 0.05:
                info.type = random.choice(_ODD_TYPES)
                info.linkname = "0-x"
            if form == tarfile.PAX_FORMAT and random.random() < 0.3:
                key = random.choice(("path", "size", "mtime", "GNU.sparse.map", "hdrcharset"))
                info.pax_headers = {key: random.choice(("-1", "x", "9" * 40, "1,2,3", "BINARY"))}
            made.addfile(info, io.BytesIO(data))
    return out.getvalue()


def warc(random: Random, seeds: Seeds) -> Piece:
    """Return a WARC file of some answers, spoilt in a record or as a whole."""
    records = []
    for page in some_pages(random, seeds, mutated=random.random() < 0.3):
        record = spoilt(random, _record(random, page), 0.4)
        records.append(_gzip(record) if random.random() < 0.5 else record)
    data = b"".join(records)
    name = "a.warc.gz" if data.startswith(b"\x1f\x8b") else "a.warc"
    return Piece(name, spoilt(random, data, 0.4))


def _record(random: Random, page: Piece) -> bytes:
    """Return one record, now and then with a header or coding that does not fit."""
    headers = [f"Content-Type: {page.about.get('content_type') or 'text/html'}"]
    body = page.data
    coding = random.choice(("", "", "", "gzip", "deflate", "br", "chunked", "x"))
    if coding == "chunked":
        headers.append("Transfer-Encoding: chunked")
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    elif coding:
        headers.append(f"Content-Encoding: {coding}")
        body = _CODINGS.get(coding, bytes)(body)
    if random.random() < 0.2:
        headers.insert(0, "X: " + hostile.text(random))
    status = random.choice(("200 OK",) * 6 + ("404 Not Found", "301 Moved", "abc", "", "999 x"))
    http = f"HTTP/1.1 {status}\r\n" + "\r\n".join(headers) + "\r\n\r\n"
    content = http.encode("utf-8", "surrogatepass") + body
    length = len(content) if random.random() < 0.9 else random.choice((-1, 0, 10, 10**12))
    kind = random.choice(("response",) * 8 + ("request", "resource", "revisit", "warcinfo", "x"))
    url = page.about.get("url") or "http://mtgwiki.com/wiki/X"
    date = "2024-01-05T00:00:00Z" if random.random() < 0.9 else hostile.text(random)
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n"
        "WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {length}\r\n\r\n"
    )
    return head.encode("utf-8", "surrogatepass") + content + b"\r\n\r\n"


def dump(random: Random, seeds: Seeds) -> Piece:
    """Return a spoilt MediaWiki export of some wikitexts, perhaps compressed."""
    texts = [seeds.choose(random, (".wiki",)).data for _ in range(random.randint(1, 3))]
    titles = ("引く", "潮", "Talk:x", "CR:121", "", " ", "#", "a|b", "Template:甲", "Category:x")
    pages = [
        (random.choice(titles), part_of(random, text).decode("utf-8", "replace")) for text in texts
    ]
    data = own_seeds.dump(*pages).encode()
    for _ in range(random.choice((0, 1, 1, 2, 4))):
        data = structure.markup(random, data)
    data = spoilt(random, data, 0.3)
    kind = random.choice(("", "", "", ".gz", ".bz2", ".xz"))
    packed = _PACKED[kind](data)
    return Piece("dump.xml" + kind, spoilt(random, packed, 0.3) if kind else packed)


_STREAM = re.compile(rb"(?<=stream\n).*?(?=endstream)", re.S)


@cache
def _printed(uncompressed: bool) -> tuple[bytes, ...]:
    """Return small rulebooks as PDFs."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfgen.canvas import Canvas

    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiKakuGo-W5"))
    made = []
    for font, text in (("Helvetica", own_seeds.RULEBOOK), ("HeiseiKakuGo-W5", own_seeds.MARKDOWN)):
        out = io.BytesIO()
        canvas = Canvas(out, invariant=1, pageCompression=not uncompressed)
        for number in range(0, len(lines := text.splitlines()), 12):
            canvas.setFont(font, 9)
            for place, line in enumerate(lines[number : number + 12]):
                canvas.drawString(50, 780 - 12 * place, line)
            canvas.drawString(290, 30, str(number // 12 + 1))
            canvas.showPage()
        canvas.save()
        made.append(out.getvalue())
    return tuple(made)


def pdf(random: Random) -> bytes:
    """Return a small PDF, spoilt in its bytes or in what it draws."""
    data = random.choice(_printed(random.random() < 0.7))
    for _ in range(random.choice((1, 1, 2, 4, 8))):
        streams = [found.span() for found in _STREAM.finditer(data)]
        if streams and random.random() < 0.6:
            start, end = random.choice(streams)
            change = random.choice((mutators.lines, *mutators.BYTES))
            data = data[:start] + change(random, data[start:end]) + data[end:]
        elif random.random() < 0.5:
            data = mutators.lines(random, data)
        else:
            data = random.choice(mutators.BYTES)(random, data)
    return data
