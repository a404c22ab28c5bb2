"""A copy of a source is read as if it were the source itself: places, identities, warnings."""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path

import pytest

from scraper import Hints, Part, ReadWarning, Snapshot, SourceError, Unchanged, parts, snapshots
from tests.pages.test_hostile_sources import PAGE, foldered, tarred, zipped
from tests.pages.test_warc import record

_DUMP = (
    "<mediawiki><siteinfo/><page><title>引く</title><ns>0</ns><id>1</id><revision><id>1</id>"
    "<text>カードを引く。</text></revision></page></mediawiki>"
).encode()
_MANIFEST = b'{"file": "x", "game": "mtg", "notice": "N"}\n{"file": "gone"}\nbroken\n'


def read(source: Path, named: str = "") -> list[Snapshot | Unchanged | ReadWarning | Part]:
    """All that is read of a source, the pages of dumps, too."""
    found: list[Snapshot | Unchanged | ReadWarning | Part] = []
    for one in snapshots(source, Hints(), named=named):
        if isinstance(one, Snapshot) and one.stream:
            found += [(part.snapshot.where, part.identity) for part in parts(one)]  # type: ignore
        else:
            found.append(one)
    return found


def made(folder: Path, kind: str) -> Path:
    """A source of a kind, with something in it that can't be read, and a manifest beside it."""
    foldered(folder, ("manifest.jsonl", _MANIFEST))
    files = ("a.html", PAGE), ("b/c", PAGE), ("d.png", b"\x89PNG"), (".e.html", PAGE)
    path = folder / "x"
    match kind:
        case "folder":
            foldered(path, *files, ("manifest.jsonl", _MANIFEST))
            (path / "nowhere").symlink_to("nothing")
        case "zip":
            zipped(path, *files, ("a.html", PAGE))
        case "tar":
            tarred(path, *files)
            path.write_bytes(path.read_bytes()[:-9000])
        case "warc":
            path.write_bytes(record() + b"damage\n" * 9 + record() + record(status="404 No"))
        case "dump":
            path.write_bytes(_DUMP)
        case "compressed":
            path.write_bytes(gzip.compress(PAGE)[:-9])
        case "binary":
            path.write_bytes(b"\x00")
    return path


@pytest.mark.parametrize(
    "kind", ["folder", "zip", "tar", "warc", "dump", "compressed", "binary", "nothing", "empty"]
)
@pytest.mark.parametrize("of_folder", [False, True])
def test_a_copy_is_read_as_what_it_is_a_copy_of(tmp_path: Path, kind: str, of_folder: bool) -> None:
    original = made(tmp_path / "original", kind)
    if kind == "empty":
        original.mkdir()
    original = original.parent if of_folder else original
    shutil.copytree(tmp_path / "original", tmp_path / "copy", symlinks=True)
    copy = tmp_path / "copy" / original.relative_to(tmp_path / "original")
    try:
        expected = read(original)
    except SourceError as error:
        with pytest.raises(SourceError) as raised:
            read(copy, named=str(original))
        assert str(raised.value) == str(error)
        return
    assert expected and read(copy, named=str(original)) == expected
    assert read(copy, named=f"{original}{os.sep}" if of_folder else str(original)) == expected


def test_any_name_will_do(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(PAGE)
    (tmp_path / "manifest.jsonl").write_bytes(_MANIFEST)
    (warning, shot) = snapshots(tmp_path / "x", Hints(), named="s3://b/dir/page.html")
    assert isinstance(shot, Snapshot) and isinstance(warning, ReadWarning)
    assert (shot.where, shot.hints.game) == ("s3://b/dir/page.html", None)
    assert warning.where == "s3://b/dir/manifest.jsonl:3"
    places = [one.where for one in snapshots(tmp_path, Hints(), named="memory://")]  # type: ignore
    assert "memory://x" in places and "memory://gone" in places


def test_a_manifest_states_what_the_source_is_by_its_name(tmp_path: Path) -> None:
    """It came from where the source did, so it calls the source as it is called there."""
    (tmp_path / "copy").write_bytes(PAGE)
    (tmp_path / "manifest.jsonl").write_bytes(_MANIFEST)
    *_, shot = snapshots(tmp_path / "copy", Hints(), named="s3://b/x")
    assert isinstance(shot, Snapshot) and shot.hints.game == "mtg"


def test_a_manifest_that_cant_be_read_is_said_of_one_file_too(tmp_path: Path) -> None:
    (tmp_path / "x.html").write_bytes(PAGE)
    (tmp_path / "manifest.jsonl").write_bytes("{}".encode("utf-16"))
    warning, _ = snapshots(tmp_path / "x.html", Hints())
    assert isinstance(warning, ReadWarning) and "UTF-16" in warning.what


def test_identities_are_those_of_the_name(tmp_path: Path) -> None:
    (tmp_path / "x.html").write_bytes(PAGE)
    (found,) = snapshots(tmp_path / "x.html", Hints(), named="s3://b/x.html")
    (path,) = snapshots(tmp_path / "x.html", Hints())
    assert isinstance(found, Snapshot) and isinstance(path, Snapshot)
    assert found.identity != path.identity
    (again,) = snapshots(tmp_path / "x.html", Hints(), {found.identity}, "s3://b/x.html")
    assert again == Unchanged(found.identity)
