"""Archives are folders in one file: read alike, and never trusted."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import shutil
import tarfile
import tracemalloc
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

import kb
from scraper import Hints, Page, ReadWarning, Snapshot, reader_process, snapshots, stream_pages
from scraper.sources import archive, limits
from tests.building.test_build import exported
from tests.conftest import SAMPLE
from tests.pages.test_wikitext import export, page_xml


def packed(folder: Path, kind: str) -> Path:
    return Path(shutil.make_archive(str(folder / "sample"), kind, SAMPLE.parent, "sample"))


@pytest.fixture(scope="module")
def of_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The graph of the sample's folder."""
    path = tmp_path_factory.mktemp("folder") / "folder.db"
    kb.build([SAMPLE], path)
    return exported(path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tar", "gztar", "xztar", "zip"])
def test_an_archive_gives_the_graph_of_its_folder(
    tmp_path: Path, of_folder: str, kind: str
) -> None:
    """The manifest inside counts, wherever in the archive it lies."""
    report = kb.build([packed(tmp_path, kind)], tmp_path / "archive.db")
    assert report.warnings == ()
    assert of_folder == exported(tmp_path / "archive.db")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tar", "gztar", "zip"])
def test_an_archive_in_a_folder(tmp_path: Path, of_folder: str, kind: str) -> None:
    """Also one whose manifest is at its top, `manifest.jsonl` in a zip and `./…` in a tar."""
    (tmp_path / "pages").mkdir()
    shutil.make_archive(str(tmp_path / "pages" / "sample"), kind, SAMPLE)
    report = kb.build([tmp_path / "pages"], tmp_path / "archive.db")
    assert report.warnings == ()
    assert of_folder == exported(tmp_path / "archive.db")


def test_a_broken_archive_gives_what_can_be_read(tmp_path: Path) -> None:
    whole = packed(tmp_path, "tar").read_bytes()
    (tmp_path / "cut.tar").write_bytes(whole[: len(whole) // 2])
    found = list(snapshots(tmp_path / "cut.tar", Hints()))
    assert any(isinstance(f, Snapshot) for f in found)
    assert any(isinstance(f, ReadWarning) and "from here on" in f.what for f in found)


def test_a_member_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decompression stops at the limit, with a message."""
    monkeypatch.setattr(limits, "LARGEST", 100_000)
    for path in (tmp_path / "bomb.zip", tmp_path / "bomb.tar.gz"):
        if path.suffix == ".zip":
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
                made.writestr("bomb.html", b"a" * 10_000_000)
        else:
            with tarfile.open(path, "w:gz") as made_tar:
                info = tarfile.TarInfo("bomb.html")
                info.size = 10_000_000
                made_tar.addfile(info, io.BytesIO(b"a" * info.size))
        assert path.stat().st_size < 100_000
        (found,) = list(snapshots(path, Hints()))
        assert isinstance(found, ReadWarning) and "larger than 100000 bytes" in found.what


def test_an_archive_that_is_too_large_in_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "IN_ALL", 50_000)
    found = list(archive.members(packed(tmp_path, "gztar")))
    assert isinstance(found[-1], str) and "unpacks to more" in found[-1]


def linked(path: Path, *members: tuple[str, str]) -> Path:
    """A tar of files whose text is their name, as often as there is a `+`, and of hard links."""
    with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w") as made:
        for name, target in members:
            info = tarfile.TarInfo(name)
            if target.startswith("+"):
                text = name.encode() * len(target)
                info.size = len(text)
                made.addfile(info, io.BytesIO(text))
            else:
                info.type, info.linkname = tarfile.LNKTYPE, target
                made.addfile(info)
    return path


@pytest.mark.parametrize("end", ["tar", "tar.gz"])
def test_a_hard_link_is_the_file_that_it_links_to(tmp_path: Path, end: str) -> None:
    """Also by a long name, of a link, and of a file that another one of its name replaces."""
    long = "long" * 60
    files = [("a", "+"), ("./b/c", "a"), ("d", "b/c"), (long, "+"), ("e", long), ("f", "a")]
    path = linked(tmp_path / f"x.{end}", *files, ("a", "d"), ("f", "+"))
    found = {shot.where.partition("!")[2]: shot for shot in snapshots(path, Hints())}
    assert {name: shot.data.decode() for name, shot in found.items() if name != "x"} == {
        "a": "a", "b/c": "a", "d": "a", long: long, "e": long, "f": "f",
    }  # fmt: skip


def test_a_hard_link_that_leads_nowhere_is_counted(tmp_path: Path) -> None:
    """To what is not there, is outside, comes later, or is itself."""
    links = [("a", "none"), ("b", "/etc/passwd"), ("c", "../x.tar"), ("d", "e"), ("f", "f")]
    path = linked(tmp_path / "x.tar", *links, ("e", "+"))
    shot, warning = snapshots(path, Hints())
    assert isinstance(shot, Snapshot) and shot.data == b"e"
    assert isinstance(warning, ReadWarning) and warning.what.startswith("5 links")


def test_hard_links_make_no_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "IN_ALL", 35_000)
    links = [(str(number), "x") for number in range(40)]
    path = linked(tmp_path / "x.tar", ("x", "+" * 1000), *links)
    found = list(snapshots(path, Hints()))
    assert sum(isinstance(shot, Snapshot) for shot in found) == 1 + 35
    (warning,) = (shot for shot in found if isinstance(shot, ReadWarning))
    assert warning.what == "its hard links make more than 35000 bytes; not all are read"


def test_hard_links_before_damage_are_read(tmp_path: Path) -> None:
    path = linked(tmp_path / "x.tar", ("a", "+"), ("b", "a"), ("c" * 5000, "+"))
    path.write_bytes(path.read_bytes()[: 512 * 4])
    found = list(snapshots(path, Hints()))
    assert [shot.data for shot in found if isinstance(shot, Snapshot)] == [b"a", b"a"]


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a/../../x"])
def test_names_lead_nowhere(tmp_path: Path, name: str) -> None:
    """Nothing is written, and a name is only ever a label."""
    path = tmp_path / "x.tar"
    with tarfile.open(path, "w") as made:
        info = tarfile.TarInfo(name)
        info.size = 4
        made.addfile(info, io.BytesIO(b"text"))
    before = sorted(tmp_path.rglob("*"))
    (found,) = list(snapshots(path, Hints()))
    assert isinstance(found, Snapshot) and found.data == b"text"
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.slow
def test_a_reader_that_dies_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read before stands, and the sum of all text is exact."""
    rules = "1. 総則\n1.1. カードを引く。\n1.2. 手札に加える。\n1.3. 1.1を見る。\n"
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as made:
        for name in "abc":
            made.writestr(f"{name}.txt", rules + name)
    before, _, start = reader_process._START.rpartition("from scraper")
    monkeypatch.setattr(limits, "READER_SECONDS", 1)
    for does, told in (
        ("os._exit(7)", "takes too much memory or crashes its reader (exit code 7)"),
        ("a.io.BytesIO(bytes(2 << 30))", "takes too much memory"),
        ("while True: pass", "takes more than 1 seconds"),
        # No other thread gets its turn, as where there is no memory for an exception.
        (
            "r._STUCK = 0.2; time.sleep(1); sum(iter(int, 1))",
            "takes too much memory or crashes its reader (Profiling timer expired)",
        ),
    ):
        stub = (
            "import os, time, scraper.reader_process as r, scraper.sources.archive as a\n"
            "real = a._frame\n"
            "def frame(found, in_advance):\n"
            f"    if found.name == 'b.txt':\n        {does}\n"
            "    return real(found, in_advance)\n"
            "a._frame = frame"
        )
        monkeypatch.setattr(
            reader_process, "_START", f"{before}exec({stub!r}); from scraper{start}"
        )
        base = tmp_path / "x.db"
        report = kb.build([tmp_path / "x.zip"], base, site="rulebook", game="x", replace=True)
        assert report.pages == 1
        [warning] = [one.what for one in report.warnings if "from here on" in one.what]
        assert warning == f"{told}; not read from here on"
        with kb.open(base) as opened:
            assert opened.audit().lost == 0


@pytest.mark.parametrize("module", [gzip, bz2, lzma], ids=lambda module: module.__name__)
def test_a_compressed_page(tmp_path: Path, module: ModuleType) -> None:
    path = tmp_path / "page.html.z"
    path.write_bytes(module.compress(b"<html></html>"))
    (found,) = list(snapshots(path, Hints()))
    assert isinstance(found, Snapshot) and found.data == b"<html></html>"


def test_a_compressed_page_that_claims_to_be_vast(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "page.html.gz"
    path.write_bytes(gzip.compress(b" " * 100_000))
    monkeypatch.setattr(limits, "LARGEST", 50_000)
    (found,) = list(snapshots(path, Hints()))
    assert isinstance(found, ReadWarning) and "larger" in found.what


def test_a_compressed_page_that_is_broken(tmp_path: Path) -> None:
    path = tmp_path / "page.html.gz"
    path.write_bytes(gzip.compress(b"<html></html>" * 5000)[:-60])
    warning, found = list(snapshots(path, Hints()))
    assert isinstance(warning, ReadWarning) and "breaks off" in warning.what
    assert isinstance(found, Snapshot) and found.data.startswith(b"<html></html>")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dump.xml", "dump.xml.bz2"])
def test_a_dump_is_never_in_memory_as_a_whole(tmp_path: Path, name: str) -> None:
    def peak(number: int) -> int:
        pages = (page_xml(f"甲{n}", "カードを[[引く]]。\n\n" + "x" * 50_000) for n in range(number))
        path = tmp_path / name
        data = export(*pages)
        path.write_bytes(bz2.compress(data) if name.endswith("bz2") else data)
        del data
        tracemalloc.start()
        (shot,) = snapshots(path, Hints())
        assert isinstance(shot, Snapshot) and len(shot.sha256) == 64
        found = sum(isinstance(page, Page) for page in stream_pages(shot))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert found == number
        return most

    assert peak(200) < peak(20) + 2 * 2**20


@pytest.mark.slow
def test_a_dump_that_breaks_off_keeps_what_came_before(tmp_path: Path) -> None:
    pages = (page_xml(f"甲{n}", f"カードを[[引く]]。{n}" * 2000) for n in range(50))
    path = tmp_path / "dump.xml.gz"
    data = gzip.compress(export(*pages))
    path.write_bytes(data[: len(data) * 2 // 3])
    (shot,) = snapshots(path, Hints())
    assert isinstance(shot, Snapshot)
    found = list(stream_pages(shot))
    assert sum(isinstance(page, Page) for page in found) > 10
    assert any(isinstance(warn, ReadWarning) and "broken" in warn.what for warn in found)


def test_zstd_is_called_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.warc.zst").write_bytes(bytes.fromhex("28b52ffd") + bytes(range(99)))
    [warning] = snapshots(tmp_path, Hints())
    assert isinstance(warning, ReadWarning) and "zstd, which is not read" in warning.what
