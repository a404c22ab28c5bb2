"""Files on object storage: which are read, how they are listed, and copies of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

from scraper import Hints, ReadWarning, SourceError
from scraper.sources import remote
from scraper.sources.files_read_together import FileGroup, read_group, remote_groups
from scraper.sources.remote import RemoteFile, is_remote, list_files, local_copy

PAGE = "<html><title>引く</title><body><p>カードを引く。</p></body></html>".encode()


@pytest.fixture
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    files = fsspec.filesystem("memory")
    files.store.clear()
    for name in ("b/x.html", "a.html", "b/y.parquet", "b/z/x.html", "b/.h", ".git/x", "sites.toml"):
        files.pipe_file(f"/pages/{name}", PAGE)
    yield files
    files.store.clear()


def urls(url: str) -> list[str]:
    return [file.url for file in list_files(url) if isinstance(file, RemoteFile)]


def test_what_is_an_address() -> None:
    for address in ("s3://b/x", "memory://x", "file:///x", "S3://b", "simplecache::s3://b/x"):
        assert is_remote(address)
    for path in ("a/b.html", "a::b", "C:\\a", "C:/a", "://x", "a b://c", "./s3://x", ""):
        assert not is_remote(path)


def test_files_of_a_folder(memory: fsspec.AbstractFileSystem) -> None:
    found = list(list_files("memory://pages"))
    files = [one for one in found if isinstance(one, RemoteFile)]
    assert [file.url.removeprefix("memory://pages/") for file in files] == [
        "a.html", "b/x.html", "b/y.parquet", "b/z/x.html"
    ]  # fmt: skip
    assert {file.size for file in files} == {len(PAGE)} and all(file.version for file in files)
    hidden, sites = [one for one in found if isinstance(one, ReadWarning)]
    assert hidden.where.endswith("pages/b/.h") and "a hidden file" in hidden.what
    assert sites.where.endswith("pages/sites.toml") and "a copy on this machine" in sites.what


def test_one_file_and_patterns(memory: fsspec.AbstractFileSystem) -> None:
    assert urls("memory://pages/b/x.html") == ["memory://pages/b/x.html"]
    assert urls("memory://pages/b/.h") == ["memory://pages/b/.h"]  # named, so it is read
    assert urls("memory://pages/") == urls("memory://pages")
    assert urls("memory://")[0] == "memory://pages/a.html"
    assert urls("memory://pages/b/*.html") == ["memory://pages/b/x.html"]
    assert len(urls("memory://pages/**/*.html")) == 3
    memory.pipe_file("/pages/[x].html", PAGE)
    assert urls("memory://pages/[x].html") == ["memory://pages/[x].html"]


def test_a_version_changes_with_the_file_and_the_manifest(
    memory: fsspec.AbstractFileSystem, tmp_path: Path
) -> None:
    def versions() -> dict[str, str]:
        found = list_files(f"file://{tmp_path}")
        return {file.url: file.version for file in found if isinstance(file, RemoteFile)}

    (tmp_path / "b").mkdir()
    for name in ("a", "b/c"):
        (tmp_path / name).write_bytes(PAGE)
    first = versions()
    assert versions() == first and len(first) == 2
    (tmp_path / "a").write_bytes(PAGE + b" ")
    second = versions()
    assert [first[url] == second[url] for url in sorted(first)] == [False, True]
    (tmp_path / "manifest.jsonl").write_bytes(b"{}")
    third = versions()
    assert [third[url] == second[url] for url in sorted(second)] == [False, True]


def test_what_storages_tell_of_a_version() -> None:
    for known in ({"ETag": "a"}, {"generation": 7}, {"mtime": 1.5}, {"LastModified": "x"}):
        assert remote._version("/x", {"/x": {"size": 1, **known}})
    assert remote._version("/x", {"/x": {"size": 1}}) == ""
    same = [{"size": 1, "ETag": "a", "LastModified": time} for time in "xy"]
    assert len({remote._version("/x", {"/x": known}) for known in same}) == 1


def test_a_copy_is_there_while_it_is_read(memory: fsspec.AbstractFileSystem) -> None:
    memory.pipe_file("/pages/b/manifest.jsonl", b"{}")
    url = "memory:///pages/b/x.html"
    with local_copy(url) as path:
        assert path.read_bytes() == PAGE and list(path.parent.iterdir()) == [path]
    assert not path.parent.exists()
    with pytest.raises(KeyError), local_copy("memory://pages/a.html") as path:
        assert sorted(path.parent.iterdir()) == [path]
        raise KeyError
    assert not path.parent.exists()


@pytest.mark.parametrize(
    ("url", "games"),
    [
        ("memory://pages", ["", "ygo", "", "mtg", "dm"]),
        ("memory://pages/b/x.html", ["ygo"]),
        ("memory://pages/b/z/x.html", ["mtg"]),
        ("memory://pages/b/*.html", ["ygo"]),
        ("memory://pages/b/*/*.html", ["mtg"]),
    ],
)
def test_manifests_beside_files(
    memory: fsspec.AbstractFileSystem, url: str, games: list[str]
) -> None:
    lines = ["x.html ygo", "z/x.html ygo", ".h dm", "none.html dm"]
    for folder, named in (("b", lines), ("b/z", ["x.html mtg"])):
        text = "".join(
            json.dumps(dict(zip(("file", "game"), line.split(), strict=True))) + "\n"
            for line in named
        )
        memory.pipe_file(f"/pages/{folder}/manifest.jsonl", text.encode())
    found = list(remote_groups(url))
    groups = [one for one in found if isinstance(one, FileGroup)]
    read = {path: group.entries.get(path) for group in groups for path in group.paths}
    assert sorted(entry.game if entry else "" for entry in read.values()) == sorted(games)
    missing = [one for one in found if isinstance(one, ReadWarning) and "not there" in one.what]
    assert [one.where for one in missing] == ["memory://pages/b/none.html"] * (len(games) > 1)


def test_one_listing_and_one_copy_of_each_file(
    memory: fsspec.AbstractFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A manifest of a crawl is large: it is copied once, and not again for every page."""
    memory.pipe_file("/pages/manifest.jsonl", b'{"file": "a.html", "game": "ygo"}\n')
    copied: list[str] = []
    copy = type(memory).get_file

    def counted(files: object, path: str, *rest: object) -> object:
        copied.append(path)
        return copy(files, path, *rest)

    monkeypatch.setattr(type(memory), "get_file", counted)
    for group in remote_groups("memory://pages"):
        if isinstance(group, FileGroup):
            list(read_group(group, Hints()))
    assert sorted(copied) == sorted(set(copied)) and "/pages/manifest.jsonl" in copied


@pytest.mark.parametrize(
    "name", ["b::c.html", "引く.html", "a b%20c.html", "a#b?c.html", "x\\y.html", "...", "-"]
)
def test_names_of_any_kind(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(PAGE)
    (file,) = (
        list_files(f"file://{tmp_path}") if name != "..." else list_files(f"file://{tmp_path}/...")
    )
    assert isinstance(file, RemoteFile) and file.url == f"file://{tmp_path}/{name}"
    with local_copy(file.url) as path:
        assert path.read_bytes() == PAGE


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/x", "https://a/x", "ftp://a/x", "sftp://a/x", "github://a:b@/x",
        "reference://x", "simplecache::s3://b/x", "zip://x::s3://b/y",
        "filecache::file:///etc/passwd", "git://x", "ssh://a/x", "data://x", "local://x",
        "jupyter://x", "dask://x", "libarchive://x", "x://y",
    ],
)  # fmt: skip
def test_other_protocols_are_refused(url: str) -> None:
    for ask in (lambda: list(list_files(url)), lambda: local_copy(url).__enter__()):
        with pytest.raises(SourceError, match="read are files on this machine and abfs"):
            ask()


def test_a_password_is_not_kept() -> None:
    with pytest.raises(SourceError, match="with a password") as raised:
        list(list_files("s3://key:secret@bucket/x"))
    assert "secret" not in str(raised.value)
    remote._check("abfs://container@account.dfs.core.windows.net/x")


def test_errors_in_words(
    memory: fsspec.AbstractFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    for url in ("memory://nowhere", "memory://pages/*.x", "file:///no/such"):
        with pytest.raises(SourceError, match="no such file"):
            list(list_files(url))
    with pytest.raises(SourceError, match="no such file"), local_copy("memory://pages/x"):
        pass
    for url in ("memory://pages", "file:///dev/zero"):
        with pytest.raises(SourceError, match="not a file"), local_copy(url):
            pass
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(SourceError, match=r"s3://b/x: can't be read: .*s3fs"):
        list(list_files("s3://b/x"))
    monkeypatch.setattr(remote, "find_spec", lambda name: None)
    with pytest.raises(SourceError, match=r"needs fsspec: pip install 'sansho\[dist\]'"):
        list(list_files("s3://b/x"))


def test_errors_of_a_storage_are_one_line(
    memory: fsspec.AbstractFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object, **named: object) -> None:
        raise RuntimeError("Unable to locate credentials\nmore")

    monkeypatch.setattr(type(memory), "get_file", fail)
    with (
        pytest.raises(SourceError, match=r"/a\.html: can't be read: Unable to locate credentials$"),
        local_copy("memory://pages/a.html"),
    ):
        pass
