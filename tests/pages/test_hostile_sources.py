"""Nothing that a folder, an archive or a manifest holds stops a build or vanishes in silence."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import re
import socket
import struct
import subprocess
import sys
import tarfile
import tracemalloc
import warnings as python_warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

import kb
from scraper import Hints, ReadWarning, Snapshot, SourceError, Unchanged, snapshots
from scraper.sites.sites_file import read_sites
from scraper.sources import limits
from scraper.sources.files import storable_path

PAGE = "<html><title>引く</title><body><p>カードを引く。</p></body></html>".encode()
MANIFEST = b'{"file": "a.html", "url": "http://example.org/a"}\n'
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
posix_only = pytest.mark.skipif(os.name != "posix", reason="bytes as names, pipes and devices")


def read(path: Path) -> tuple[dict[str, Snapshot], list[str]]:
    """The snapshots by the ends of their places, and the warnings."""
    found = list(snapshots(path, Hints()))
    start = len(storable_path(str(path))) + 1
    shots = {one.where[start:]: one for one in found if isinstance(one, Snapshot)}
    return shots, [f"{one.where}: {one.what}" for one in found if isinstance(one, ReadWarning)]


def zipped(path: Path, *files: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with python_warnings.catch_warnings(), zipfile.ZipFile(path, "w", method) as made:
        python_warnings.simplefilter("ignore")  # of names that are there twice
        for name, data in files:
            made.writestr(name, data)
    return path


def tarred(path: Path, *files: tuple[str, bytes], mode: str = "w") -> Path:
    with tarfile.open(path, mode) as made:  # type: ignore[call-overload]
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            made.addfile(info, io.BytesIO(data))
    return path


Packer = Callable[..., Path]
packers = pytest.mark.parametrize("pack", [zipped, tarred])


def foldered(path: Path, *files: tuple[str, bytes]) -> Path:
    for name, data in files:
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path


# Manifests


@pytest.mark.parametrize(
    ("stated", "told"),
    [
        ({"url": "http://example.org/\ud800"}, "url: has half a character"),
        ({"notice": "a\udfff"}, "notice: has half a character"),
        ({"headers": {"Content-Type": "text/html\ud800"}}, "half a character"),
        ({"url": 5}, "url: 5 is no text"),
        ({"notice": ["a"]}, "notice: a list is no text"),
        ({"game": {"a": 1}}, "game: an object is no text"),
        ({"status": 10**400}, "status: such a number is no HTTP status"),
        ({"status": float("nan")}, "status: such a number is no HTTP status"),
        ({"status": "200"}, "no HTTP status"),
        ({"headers": ["a"]}, "headers: no object"),
        ({"headers": {"last-modified": 7}}, "last-modified: 7 is no text"),
    ],
)
def test_a_value_that_cant_be_used_is_a_warning(
    tmp_path: Path, stated: dict[str, object], told: str
) -> None:
    line = json.dumps({"file": "a.html", **stated}).encode()
    shots, found = read(foldered(tmp_path / "x", ("a.html", PAGE), ("manifest.jsonl", line)))
    assert len(found) == 1 and told in found[0] and "a.html: manifest: " in found[0]
    shot = shots["a.html"]
    for text in (shot.url, shot.notice, shot.content_type, shot.taken, shot.hints.game or ""):
        assert text.encode() is not None


@pytest.mark.parametrize(
    "line",
    [
        b'{"file": 5}', b"[]", b"5", b'{"file": ""}', b'{"file": "a.html", "url": ' + b"9" * 9999,
        b'{"file": "a.html", "x": ' + b"[" * 3000 + b"]" * 3000 + b"}", b"\x00", b'{"file": ["a"]}',
        b'{"file": "a.html"', b"NaN",
    ],
)  # fmt: skip
def test_a_line_that_is_none_spoils_no_other(tmp_path: Path, line: bytes) -> None:
    manifest = b'{"file": "b.html", "url": "http://b"}\n' + line + b"\n" + MANIFEST
    files = (("a.html", PAGE), ("b.html", PAGE), ("manifest.jsonl", manifest))
    shots, found = read(foldered(tmp_path / "x", *files))
    assert [shot.url for shot in shots.values()] == ["http://example.org/a", "http://b"]
    assert len(found) == 1 and "manifest.jsonl:2: not a manifest line" in found[0]


def test_limits_of_a_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = b'{"file": "a.html", "x": "' + b"x" * (2 << 20) + b'"}\n'
    files = ("a.html", PAGE), ("manifest.jsonl", long + MANIFEST)
    shots, found = read(foldered(tmp_path / "x", *files))
    assert shots["a.html"].url == "http://example.org/a"
    assert len(found) == 1 and "jsonl:1: a line that is longer than 1 MB; not read" in found[0]
    for name, value in (("MANIFEST_FILES", 1), ("MANIFEST", 2 * len(MANIFEST) - 1)):
        with monkeypatch.context() as patch:
            patch.setattr(limits, name, value)
            for pack in (foldered, zipped):
                place = tmp_path / f"{name} {pack.__name__}"
                files = (("a.html", PAGE), ("manifest.jsonl", MANIFEST * 5))
                shots, found = read(pack(place, *files))
                assert shots["a.html"].url and len(found) == 1 and "jsonl:2: " in found[0]
                assert "more than 1 files" in found[0] or "larger than 99 bytes" in found[0]


def test_lines_end_at_line_feeds_only(tmp_path: Path) -> None:
    """Headers have other line ends in them, which JSON need not escape."""
    line = '\ufeff{"file": "a.html", "url": "http://x", "notice": "a\u2028b\x85c"}\r\n'.encode()
    shots, found = read(foldered(tmp_path / "x", ("a.html", PAGE), ("manifest.jsonl", line)))
    assert (shots["a.html"].url, shots["a.html"].notice, found) == ("http://x", "a\u2028b\x85c", [])


def test_warnings_are_counted_where_there_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "WARNINGS", 3)
    manifest = b"x\n" * 10 + MANIFEST
    shots, found = read(foldered(tmp_path / "x", ("a.html", PAGE), ("manifest.jsonl", manifest)))
    assert shots["a.html"].url and len(found) == 4 and "7 more warnings, as only 3" in found[-1]


@packers
@pytest.mark.parametrize("start", ["", "./", "././"])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_manifest_at_the_root(tmp_path: Path, pack: Packer, start: str, is_first: bool) -> None:
    files = [(f"{start}manifest.jsonl", MANIFEST), (f"{start}a.html", PAGE), ("b/a.html", PAGE)]
    path = pack(tmp_path / "x", *(files if is_first else reversed(files)))
    shots, found = read(path)
    assert {name: shot.url for name, shot in shots.items()} == {
        "a.html": "http://example.org/a", "b/a.html": "",
    }  # fmt: skip
    assert found == []


@packers
def test_of_several_members_of_one_name_the_last_counts(tmp_path: Path, pack: Packer) -> None:
    manifests = [
        ("manifest.jsonl", MANIFEST.replace(b"org/a", b"org/b")),
        ("./manifest.jsonl", MANIFEST),
    ]
    shots, found = read(pack(tmp_path / "x", *manifests, ("./a.html", b"old"), ("a.html", PAGE)))
    assert shots["a.html"].data == PAGE and shots["a.html"].url == "http://example.org/a"
    assert len(found) == 1 and "a later file of this name" in found[0]


# Names

NAMES = [b"a\xff.html", b"a\xfe.html", b"a\x80\xed\xa0\x80.html", "a\ufffdFF.html".encode()]


@posix_only
def test_names_that_are_not_utf_8(tmp_path: Path) -> None:
    """They are read, stay apart, and are found again; manifests may name them in two ways."""
    folder = tmp_path / os.fsdecode(b"f\xff")
    folder.mkdir()
    lines = [json.dumps({"file": os.fsdecode(NAMES[0]), "url": "http://0"}).encode()]
    lines += [b'{"file": "%s", "url": "http://1"}' % NAMES[1]]
    (folder / "manifest.jsonl").write_bytes(b"\n".join(lines))
    for name in NAMES:
        (folder / os.fsdecode(name)).write_bytes(PAGE)
    shots, found = read(folder)
    assert len(shots) == len(NAMES) and found == []
    assert shots["a\ufffdFF.html"].url == "http://0" and shots["a\ufffdFE.html"].url == "http://1"
    assert all(shot.where.encode() for shot in shots.values())
    known = {shot.identity for shot in shots.values()}
    assert all(isinstance(one, Unchanged) for one in snapshots(folder, Hints(), known))


@posix_only
@packers
def test_names_in_archives_that_are_not_utf_8(tmp_path: Path, pack: Packer) -> None:
    path = pack(tmp_path / "x", *((f"a{n}.html", PAGE) for n in range(2)))
    data = path.read_bytes()
    if pack is zipped:  # the flag that names are UTF-8
        data = data.replace(b"\x14\0\0\0\x08\0", b"\x14\0\0\x08\x08\0")
        data = data.replace(b"a0.html", b"\xff0.html").replace(b"a1.html", b"\xfe0.html")
    else:
        path = tarred(path, *((os.fsdecode(name), PAGE) for name in (b"\xff0.html", b"\xfe0.html")))
        data = path.read_bytes()
    path.write_bytes(data)
    shots, found = read(path)
    if pack is zipped:  # `zipfile` refuses it as a whole
        assert not shots and len(found) == 1 and "can't decode byte 0xff" in found[0]
    else:
        assert sorted(shots) == ["\ufffdFE0.html", "\ufffdFF0.html"] and found == []


ODD = ["a\nb", "\x1b]0;x\x07", "x" * 4000, "../../etc/passwd", "/etc/passwd", "C:\\x", "a/../b",
       "\u202eb", " ", "a//b", "manifest.jsonl/x", "引く" * 300, "a!b", "-"]  # fmt: skip


@packers
def test_odd_names_in_archives(tmp_path: Path, pack: Packer) -> None:
    shots, found = read(pack(tmp_path / "x", *((name, PAGE) for name in ODD)))
    assert found == [] and len(shots) == len(ODD) and not (tmp_path / "etc").exists()


@posix_only
def test_a_build_of_any_names(tmp_path: Path) -> None:
    """The second build finds all of them unchanged."""
    folder = tmp_path / os.fsdecode(b"f\xff")
    folder.mkdir()
    for number, name in enumerate([*NAMES, b"a\nb", b"a!b", b"\x1b[2J"]):
        rules = f"1. 総則\n1.1. カードを引く。{number}\n1.2. 手札に加える。\n1.3. 1.1を見る。\n"
        (folder / os.fsdecode(name)).write_text(rules, encoding="utf-8")
    base, other = tmp_path / os.fsdecode(b"k\xff.db"), tmp_path / "other.txt"
    first = kb.build([folder], base, site="rulebook", game="x", workers=1)
    assert first.read == 7
    again = kb.build(kb=base, again=True, workers=1)
    assert again.read == 0 and again.pages == first.pages
    other.write_text(
        "1. 終了\n1.1. 敗北する。\n1.2. 勝利する。\n1.3. 引き分ける。\n", encoding="utf-8"
    )
    added = kb.build([other], base, add=True, site="rulebook", game="x", workers=1)
    assert added.read == 1
    with kb.open(base) as opened:
        assert opened.show("1.1", lang="ja")
    moved = tmp_path / os.fsdecode(b"g\xff")
    folder.rename(moved)
    report = kb.build([moved], base, add=True, replace=True, workers=1)
    assert any("f\ufffdFF" in one.where and "no longer" in one.what for one in report.warnings)


# Hidden files, and the sign that places in archives are written with


HIDDEN_FILES = (
    (".a.html", PAGE), ("b/.c.html", PAGE), (".d/e.html", PAGE), ("ok.html", PAGE),
    (".DS_Store", b"x"), (".git/config", b"x"), ("__MACOSX/f.html", PAGE), ("._g.html", PAGE),
    (".crawl.db", b"x"),
)  # fmt: skip


@pytest.mark.parametrize("pack", [foldered, zipped, tarred])
@pytest.mark.parametrize("name", ["Yes!.html", "!a.html", "a!b.html", "!!.html", "b!/c!.html"])
def test_names_with_the_sign_of_a_place(pack: Packer, name: str, tmp_path: Path) -> None:
    line = json.dumps({"file": name, "url": "http://mtgwiki.com/wiki/引く"}).encode()
    for files in ([(name, PAGE)], [(name, PAGE), ("manifest.jsonl", line)]):
        shots, found = read(pack(tmp_path / f"x{len(files)}", *files))
        assert list(shots) == [name] and not found
        assert bool(shots[name].url) == (len(files) == 2)


@pytest.mark.parametrize("pack", [foldered, zipped, tarred])
def test_hidden_files_are_told_and_not_read(pack: Packer, tmp_path: Path) -> None:
    shots, found = read(pack(tmp_path / "x", *HIDDEN_FILES))
    assert list(shots) == ["ok.html"]
    told = sorted(one.partition(": ")[0][len(str(tmp_path / "x")) + 1 :] for one in found)
    assert told == [".a.html", ".d/e.html", "b/.c.html"]
    assert all("a hidden file; not read" in one for one in found)


@pytest.mark.parametrize("pack", [foldered, zipped, tarred])
def test_hidden_files_that_a_manifest_names_are_read(pack: Packer, tmp_path: Path) -> None:
    named = b"".join(b'{"file": "%s"}\n' % n for n in (b".a.html", b"b/.c.html", b".d/e.html"))
    shots, found = read(pack(tmp_path / "x", *HIDDEN_FILES, ("manifest.jsonl", named)))
    assert sorted(shots) == [".a.html", ".d/e.html", "b/.c.html", "ok.html"] and not found


def test_a_folder_of_hidden_files_is_not_called_empty(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="a hidden file; not read"):
        read(foldered(tmp_path / "x", (".a.html", PAGE)))


# Damaged archives


def damaged_zip(path: Path, change: Callable[[bytes], bytes]) -> Path:
    """A zip of three stored files, changed."""
    files = ((f"{name}.html", PAGE + name.encode()) for name in "abc")
    zipped(path, *files, method=zipfile.ZIP_STORED)
    path.write_bytes(change(path.read_bytes()))
    return path


def nth(data: bytes, what: bytes, number: int) -> int:
    """Where something stands in data for the nth time, from 0."""
    place = -1
    for _ in range(number + 1):
        place = data.index(what, place + 1)
    return place


def with_byte(data: bytes, place: int, value: bytes) -> bytes:
    return data[:place] + value + data[place + len(value) :]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda d: with_byte(d, nth(d, b"PK\1\2", 1) + 8, b"\1"), "encrypted"),
        (lambda d: with_byte(d, nth(d, b"PK\1\2", 1) + 10, b"\x63"), "method is not supported"),
        (lambda d: with_byte(d, nth(d, b"PK\1\2", 1) + 10, b"\x08"), "decompressing"),
        (lambda d: with_byte(d, nth(d, b"PK\1\2", 1) + 10, b"\x0e"), "can't be read"),
        (lambda d: with_byte(d, nth(d, b"PK\1\2", 1) + 16, b"abcd"), "Bad CRC-32"),
        (lambda d: with_byte(d, nth(d, b"PK\1\2", 1) + 24, b"\0\0\0\x7f"), "larger than 256 MB"),
        (lambda d: with_byte(d, nth(d, b"PK\1\2", 1) + 42, b"\xff\xff\xff\x7f"), "can't be read"),
        (lambda d: with_byte(d, nth(d, b"PK\3\4", 1), b"XX"), "Bad magic number"),
        (lambda d: with_byte(d, nth(d, b"PK\3\4", 1) + 30, b"z"), "differ"),
    ],
)  # fmt: skip
def test_one_damaged_file_of_a_zip(
    tmp_path: Path, change: Callable[[bytes], bytes], told: str
) -> None:
    shots, found = read(damaged_zip(tmp_path / "x.zip", change))
    assert sorted(shots) == ["a.html", "c.html"] and len(found) == 1 and told in found[0]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda d: d[: nth(d, b"PK\1\2", 1)], "does the archive break off?"),
        (lambda d: with_byte(d, nth(d, b"PK\1\2", 1), b"XX"), "its directory can't be read"),
        (lambda d: with_byte(d, d.rindex(b"PK\5\6") + 12, b"\7"), "its directory can't be read"),
    ],
)  # fmt: skip
def test_a_zip_with_a_damaged_directory_is_not_read(
    tmp_path: Path, change: Callable[[bytes], bytes], told: str
) -> None:
    shots, found = read(damaged_zip(tmp_path / "x.zip", change))
    assert not shots and len(found) == 1 and told in found[0] and "no file is" in found[0]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_of_zip(tmp_path: Path, method: int) -> None:
    shots, found = read(zipped(tmp_path / "x.zip", ("a", PAGE), ("b", b""), method=method))
    assert shots["a"].data == PAGE and shots["b"].data == b"" and found == []


def test_a_zip_whose_files_overlap(tmp_path: Path) -> None:
    """Many entries for the same bytes would make a small file huge."""
    path = zipped(tmp_path / "x.zip", ("manifest.jsonl", MANIFEST), ("a.html", PAGE))
    data = path.read_bytes()
    start, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")
    entries = data[start:end] * 200
    count, size = struct.pack("<H", 400), struct.pack("<L", len(entries))
    path.write_bytes(data[:start] + entries + with_byte(data[end:], 10, count + size))
    shots, found = read(path)
    assert len(shots) == 1 and len(found) == 398
    assert sum("manifest.jsonl: overlaps another" in one for one in found) == 199


def test_a_file_of_a_zip_that_reaches_into_the_next(tmp_path: Path) -> None:
    size = struct.pack("<L", 2 * len(PAGE))
    path = damaged_zip(tmp_path / "x.zip", lambda d: with_byte(d, nth(d, b"PK\1\2", 0) + 20, size))
    shots, found = read(path)
    assert sorted(shots) == ["b.html", "c.html"] and len(found) == 1 and "overlaps" in found[0]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_damaged_header_of_a_tar(tmp_path: Path, place: int) -> None:
    """Reading goes on at the next whole header, wherever it is."""
    path = tarred(tmp_path / "x.tar", *((f"{name}.html", PAGE) for name in "abc"))
    path.write_bytes(with_byte(path.read_bytes(), place * 1024 + 100, b"XXXXXXXX"))
    shots, found = read(path)
    assert len(shots) == 2 and len(found) == 1 and f"byte {place * 1024} is no header" in found[0]


def test_a_tar_behind_another(tmp_path: Path) -> None:
    first, second = tarred(tmp_path / "a", ("a", PAGE)), tarred(tmp_path / "b", ("b", PAGE))
    (tmp_path / "c").write_bytes(first.read_bytes() + second.read_bytes())
    shots, found = read(tmp_path / "c")
    assert sorted(shots) == ["a", "b"] and found == []


@pytest.mark.parametrize("module", [gzip, bz2, lzma], ids=lambda module: str(module.__name__))
def test_a_compressed_tar_that_breaks_off(tmp_path: Path, module: object) -> None:
    noise = [os.urandom(4_000).hex().encode() for _ in range(30)]
    path = tarred(tmp_path / "x", *((f"{n:02}", data) for n, data in enumerate(noise)))
    packed: bytes = module.compress(path.read_bytes())  # type: ignore[attr-defined]
    path.write_bytes(packed[: len(packed) // 2])
    shots, found = read(path)
    assert (len(shots) >= 9 or module is not gzip) and "breaks off" in found[-1]
    assert all(shot.data == noise[int(name)] for name, shot in shots.items())


def test_links_in_a_tar_are_counted(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "x.tar", "w") as made:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            info = tarfile.TarInfo("x")
            info.type, info.linkname = kind, "y"
            made.addfile(info)
    shots, found = read(tmp_path / "x.tar")
    assert not shots and len(found) == 1 and "4 links, devices or pipes" in found[0]


# What is claimed


def tar_header(kind: bytes, size: int, name: str = "a.html") -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT)


def with_long_map(header: bytes) -> bytes:
    """A header of a sparse file whose map goes on behind it."""
    changed = with_byte(with_byte(header, 482, b"\1"), 148, b" " * 8)
    return with_byte(changed, 148, b"%06o\0 " % sum(changed))


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 512)


@pytest.mark.parametrize("kind", [b"L", b"K", b"x", b"g"])
def test_a_large_header_in_a_tar_costs_one_file(tmp_path: Path, kind: bytes) -> None:
    page = padded(PAGE)
    start, name = tar_header(b"0", len(PAGE)), tar_header(kind, 1 << 20) + bytes(1 << 20)
    last = tar_header(b"0", len(PAGE), "c.html") + page + bytes(1024)
    (tmp_path / "x.tar").write_bytes(start + page + name + start + page + last)
    shots, found = read(tmp_path / "x.tar")
    assert sorted(shots) == ["a.html", "c.html"] and len(found) == 1
    assert "the header at byte 1024 is larger than 64 kB; the file behind it is not" in found[0]


def test_headers_of_headers_end_a_tar(tmp_path: Path) -> None:
    """Each of them takes a call in `tarfile`."""
    name = tar_header(b"L", 9) + padded(b"a.html")
    page = tar_header(b"0", len(PAGE)) + padded(PAGE)
    for count, told in ((100, ""), (100_000, "at byte 131584 are larger than 128 kB")):
        (tmp_path / "x.tar").write_bytes(page + name * count + page)
        shots, found = read(tmp_path / "x.tar")
        assert list(shots) == ["a.html"] and len(found) == 1 and told in found[0]


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader with little memory. Where that is nearly used up, each allocation may take long, so
    that it may come to the end of its time first."""
    monkeypatch.setattr(limits, "READER_MEMORY", 64 << 20)
    monkeypatch.setattr(limits, "READER_SECONDS", 8)
    monkeypatch.setattr(limits, "READER_SECONDS_A_MB", 0)


TAKES_TOO_MUCH = re.compile("takes (too much memory|more than 8 seconds)")


@pytest.mark.slow
@linux_only
@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize(("count", "name_size"), [(200_000, 1), (1_400, 60_000)])
def test_a_directory_that_takes_too_much_memory(tmp_path: Path, count: int, name_size: int) -> None:
    """Nothing of it reaches this process."""
    path = zipped(tmp_path / "x.zip", ("a.html", PAGE))
    data = path.read_bytes()
    start, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")
    entry = with_byte(data[start:end], 28, struct.pack("<H", name_size))
    entries = (entry[:46] + b"a" * name_size) * count
    size = struct.pack("<L", len(entries))
    path.write_bytes(data[:start] + entries + with_byte(data[end:], 12, size))
    tracemalloc.start()
    shots, found = read(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not shots and most < 4 << 20
    assert len(found) == 1 and TAKES_TOO_MUCH.search(found[0])


def test_names_of_links_that_take_too_much_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are kept to the end of the archive."""
    monkeypatch.setattr(limits, "LINK_NAMES", 600_000)
    packer = zlib.compressobj(1, wbits=31)
    parts = [packer.compress(tar_header(b"0", len(PAGE), "y") + padded(PAGE))]
    link = tarfile.TarInfo("x")
    link.type, link.linkname = tarfile.LNKTYPE, "y"
    for number in range(200):
        name = padded(b"%060000d" % number)
        parts.append(packer.compress(tar_header(b"L", 60_001) + name + link.tobuf()))
    (tmp_path / "x.tar.gz").write_bytes(b"".join([*parts, packer.flush()]))
    shots, found = read(tmp_path / "x.tar.gz")
    assert shots["y"].data == PAGE and len(shots) == 11
    assert "190 links" in found[-1]


def of_zeros(head: bytes, megabytes: int) -> bytes:
    """A gzip file of a beginning, followed by zeros."""
    packer = zlib.compressobj(1, wbits=31)
    parts = [packer.compress(head), *(packer.compress(bytes(1 << 20)) for _ in range(megabytes))]
    return b"".join([*parts, packer.flush()])


_MEASURE = """
import resource, sys
from pathlib import Path
from scraper import Hints, ReadWarning, snapshots
for found in snapshots(Path(sys.argv[1]), Hints()):
    assert isinstance(found, ReadWarning), found
    print(found.where.rpartition("/")[2], found.what)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.mark.slow
@linux_only
def test_what_a_tar_claims_costs_nothing(tmp_path: Path) -> None:
    sparse = tarfile.GNUTYPE_SPARSE
    heads = [tar_header(kind, 3 << 30) for kind in (b"L", b"K", b"x", b"g", b"X", b"0", sparse)]
    heads.append(with_byte(tar_header(b"0", 0), 124, b"\x80" + b"\x7f" * 11))
    heads.append(with_long_map(tar_header(sparse, 512)))
    for number, head in enumerate(heads):
        (tmp_path / f"{number}.tar.gz").write_bytes(of_zeros(head, 24))
    command = [sys.executable, "-c", _MEASURE, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    *told, most = done.stdout.splitlines()
    assert {line[0] for line in told} == set("012345678") and int(most) < 60 << 10


def test_a_gzip_bomb_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LARGEST", 32 << 20)
    (tmp_path / "x.gz").write_bytes(of_zeros(b"<html>", 48))
    tracemalloc.start()
    shots, found = read(tmp_path / "x.gz")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not shots and len(found) == 1 and "larger than 32 MB" in found[0] and most < 8 << 20


def test_memory_that_decompression_may_need(tmp_path: Path) -> None:
    packed = bytearray(lzma.compress(PAGE, filters=[{"id": lzma.FILTER_LZMA2, "preset": 0}]))
    place = packed.index(b"\x21\x01", 12) + 2  # the size of the dictionary, in the block's header
    packed[place] = 40  # 4 GB
    size = (packed[12] + 1) * 4
    packed[12 + size - 4 : 12 + size] = struct.pack("<L", zlib.crc32(packed[12 : 12 + size - 4]))
    (tmp_path / "x.xz").write_bytes(packed)
    shots, found = read(tmp_path / "x.xz")
    assert not shots and "more than 128 MB of memory" in found[0]


def test_more_files_than_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MEMBERS", 3)
    for pack in (zipped, tarred):
        shots, found = read(pack(tmp_path / pack.__name__, *((f"{n}", PAGE) for n in range(9))))
        assert len(shots) == 3 and len(found) == 1 and "more than 3 files" in found[0]


def test_what_stands_behind_the_end_of_a_tar(tmp_path: Path) -> None:
    whole = tarred(tmp_path / "a", ("a.html", PAGE)).read_bytes()
    for data, told, pages in (
        (whole + bytes(9 << 17), "", 1),
        (whole + bytes(12345), "", 1),
        (whole + bytes(1 << 14) + b"x" * 600, "is no header (damaged?); the rest is not read", 1),
        (whole + b"x" * (1 << 19) + whole, "is no header (damaged?); the rest is from byte", 1),
        (tar_header(b"L", 1 << 15) + bytes(1 << 15), "from here on: empty header", 0),
    ):
        (tmp_path / "x.tar").write_bytes(data)
        shots, found = read(tmp_path / "x.tar")
        assert len(shots) == pages and told in " ".join(found), (told, found)
        assert bool(told) == bool(found)


# What is no file


@posix_only
def test_pipes_sockets_devices_and_links_in_a_folder(tmp_path: Path) -> None:
    folder = foldered(tmp_path / "x", ("a.html", PAGE), ("b/c.html", PAGE))
    os.mkfifo(folder / "pipe")
    os.mkfifo(folder / "b" / "manifest.jsonl")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(folder / "socket"))
    for name, target in {"circle": "circle", "zero": "/dev/zero", "gone": "nowhere",
                         "up": "..", "to_pipe": "pipe", "good": "a.html"}.items():  # fmt: skip
        (folder / name).symlink_to(target)
    shots, found = read(folder)
    assert sorted(shots) == ["a.html", "b/c.html", "good"]
    told = {"pipe": "a named pipe", "manifest.jsonl": "a named pipe", "socket": "a socket",
            "circle": "a link that leads", "zero": "a device", "gone": "a link that leads",
            "up": "a link to a folder", "to_pipe": "a named pipe"}  # fmt: skip
    assert len(found) == len(told)
    for name, what in told.items():
        assert any(f"/{name}: {what}" in one for one in found)


@posix_only
def test_a_pipe_that_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a.html").write_bytes(PAGE)
    for place in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(SourceError, match="not a file"):
            list(snapshots(place, Hints()))
        with pytest.raises(SourceError, match="not a file"):
            read_sites(place)
        for given in ({"sources": [place], "kb": tmp_path / "x.db"},
                      {"sources": [tmp_path / "a.html"], "kb": place},
                      {"sources": [tmp_path / "a.html"], "kb": tmp_path / "x.db", "sites": place},
                     ):  # fmt: skip
            with pytest.raises(kb.ERRORS, match=r"a named pipe|a device"):
                kb.build(**given)  # type: ignore[arg-type]


@posix_only
def test_a_file_that_vanishes_while_a_folder_is_read(tmp_path: Path) -> None:
    folder = foldered(tmp_path / "x", ("a", PAGE), ("b", PAGE), ("c", PAGE))
    found = snapshots(folder, Hints())
    next(found)
    (folder / "b").unlink()
    rest = list(found)
    assert [type(one) for one in rest] == [ReadWarning, Snapshot]


@pytest.mark.parametrize("text", ["x = " + "9" * 5000, "x = '\ud800'", "[" * 5000, "x" * (2 << 20)])
def test_a_file_of_sites_that_cant_be_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "sites.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(SourceError) as raised:
        read_sites(tmp_path / "sites.toml")
    assert len(str(raised.value)) < 500 and "\n" not in str(raised.value)


def test_a_zip_that_got_longer(tmp_path: Path) -> None:
    """Its directory is found, but no longer what stands before the inserted byte."""
    path = damaged_zip(
        tmp_path / "x.zip", lambda d: d[: nth(d, b"PK\3\4", 1)] + b"\n" + d[nth(d, b"PK\3\4", 1) :]
    )
    shots, found = read(path)
    assert sorted(shots) == ["b.html", "c.html"] and len(found) == 1


@pytest.mark.parametrize(("field", "pages"), [(10, 3), (16, 0)])
def test_a_damaged_end_of_a_zip(tmp_path: Path, field: int, pages: int) -> None:
    """The number of entries is not needed; without their place each file is missed."""
    shots, found = read(
        damaged_zip(tmp_path / "x.zip", lambda d: with_byte(d, d.rindex(b"PK\5\6") + field, b"\7"))
    )
    assert len(shots) == pages and len(found) == 3 - pages


@pytest.mark.parametrize("key", ["game", "lang", "edition", "notice", "url", "taken"])
def test_a_long_value_in_a_manifest_is_left_out(tmp_path: Path, key: str) -> None:
    """It would stand in every row of the page."""
    (tmp_path / "x.html").write_text("<p>引く")
    entry = {"file": "x.html", key: "g" * 9000}
    (tmp_path / "manifest.jsonl").write_text(json.dumps(entry))
    found = list(snapshots(tmp_path, Hints()))
    [told] = [one for one in found if isinstance(one, ReadWarning)]
    assert f"{key}: longer than" in told.what and len(found) == 2
