"""Parquet files of pages as sources of a build: rows of any make, damaged, and hostile ones."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import zipfile
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kb
from scraper import (
    Hints,
    ReadWarning,
    Snapshot,
    Unchanged,
    read_pages,
    reader_process,
    snapshots,
)
from scraper.sources import limits, parquet_pages
from tests.conftest import SAMPLE
from tests.timing import grows_linearly

PAGE = (SAMPLE / "mtgwiki" / "hand.html").read_bytes()
URL = "http://mtgwiki.com/wiki/%E6%89%8B%E6%9C%AD"


# How large values are written: to put them into a dictionary, or compare them, takes seconds.
QUICKLY = {"use_dictionary": False, "write_statistics": False}
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


def written(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    pq.write_table(pa.table(columns), path, **options)
    return path


def read(path: Path, *given: Any) -> tuple[list[Snapshot], list[str]]:
    """The snapshots in a file or folder, and the warnings, with their places."""
    found = list(snapshots(path, Hints(), *given))
    warnings = [f"{one.where}: {one.what}" for one in found if isinstance(one, ReadWarning)]
    return [one for one in found if isinstance(one, Snapshot)], warnings


def test_each_row_is_a_page(tmp_path: Path) -> None:
    columns = {
        "URL": [URL, None], "Content_Type": ["text/html; charset=UTF-8", None],
        "status": [203, None], "taken": ["2026-01-02T03:04:05Z", None], "Body": [PAGE, b"x"],
        "game": ["ygo", None], "notice": ["N", ""], "other": [[1], [2]],
    }  # fmt: skip
    path = written(tmp_path / "x.bin", columns)
    (first, second), warnings = read(path)
    assert warnings == [] and first.where == f"{path}!1" and second.where == f"{path}!2"
    assert (first.url, first.status, first.taken) == (URL, 203, "2026-01-02T03:04:05Z")
    assert first.data == PAGE and first.content_type == "text/html; charset=UTF-8"
    assert (first.hints.game, first.notice) == ("ygo", "N")
    assert (second.url, second.status, second.taken, second.data) == ("", 200, "", b"x")
    known = {first.identity, second.identity}
    assert all(isinstance(one, Unchanged) for one in snapshots(path, Hints(), known))


@pytest.mark.parametrize("name", ["body", "content", "html", "wikitext", "text"])
@pytest.mark.parametrize("kind", [pa.binary(), pa.string(), pa.large_string(), pa.large_binary()])
def test_bytes_may_be_called_otherwise(tmp_path: Path, name: str, kind: pa.DataType) -> None:
    path = written(tmp_path / "x", {name: pa.array(["引く"]).cast(pa.binary()).cast(kind)})
    ((shot,), warnings) = read(path)
    assert shot.data == "引く".encode() and warnings == []
    assert shot.content_type == ("text/x-wiki" if name == "wikitext" else "")


def test_the_first_column_that_can_be_pages_counts(tmp_path: Path) -> None:
    columns = {"text": ["T"], "html": ["H"], "content": [[1]], "url": [URL]}
    ((shot,), warnings) = read(written(tmp_path / "x", columns))
    assert (
        shot.data == b"H" and len(warnings) == 1 and "column content is of type list" in warnings[0]
    )


@pytest.mark.parametrize(
    ("times", "told"),
    [
        (pa.array([datetime(2026, 1, 2, 3, tzinfo=UTC)]), "2026-01-02T03:00:00Z"),
        (pa.array([datetime(2026, 1, 2, 3)]), "2026-01-02T03:00:00Z"),
        (pa.array([1], pa.timestamp("ns")), "1970-01-01T00:00:00Z"),
        (pa.array([date(2026, 1, 2)]), "2026-01-02T00:00:00Z"),
        (pa.array(["Fri, 02 Jan 1970 00:00:00 GMT"]), "Fri, 02 Jan 1970 00:00:00 GMT"),
    ],
)
@pytest.mark.parametrize("name", ["taken", "fetched", "date", "timestamp"])
def test_times(tmp_path: Path, times: pa.Array, told: str, name: str) -> None:
    ((shot,), warnings) = read(written(tmp_path / "x", {"body": ["x"], name: times}))
    assert shot.taken == told and warnings == []


def test_values_that_cant_be_used_are_said(tmp_path: Path) -> None:
    columns = {
        "body": ["x"], "url": [b"http://a/\xff"], "notice": ["n" * 99_999], "status": [70_000],
        "taken": pa.array([2**62], pa.timestamp("us")), "game": [5],
    }  # fmt: skip
    ((shot,), warnings) = read(written(tmp_path / "x", columns))
    assert shot.data == b"x" and shot.url == "http://a/\ufffd"
    assert (shot.notice, shot.status, shot.taken, shot.hints.game) == ("", 200, "", None)
    told = "\n".join(warnings)
    assert all(what in told for what in ("game is of type int64", "notice: longer", "url: has half",
                                         "status: 70000", "taken: "))  # fmt: skip
    assert len(warnings) == 5


def test_a_file_column_gives_the_places(tmp_path: Path) -> None:
    """A row keeps its identity where others come before it; a name may say what a page is."""
    names = ["dmwiki/BBC8A4A6.txt", "./a//b.wiki", None, "a" * 9000]
    texts = ["*使う\n-[[札]]を使う。"] * 4
    path = written(tmp_path / "x.parquet", {"file": names, "text": texts})
    shots, _ = read(path)
    places = [shot.where.removeprefix(f"{path}!") for shot in shots]
    assert places == ["dmwiki/BBC8A4A6.txt", "a/b.wiki", "3", "4"]
    assert read_pages(shots[0])[0][0].name == "使う"
    written(path, {"file": ["new", *names], "text": ["x", *texts]})
    assert read(path)[0][1].identity == shots[0].identity


def test_a_file_without_pages_says_what_it_needs(tmp_path: Path) -> None:
    shots, (warning,) = read(written(tmp_path / "x", {"url": ["x"], "title": ["y"]}))
    assert shots == [] and "it has the columns url (string), title (string)" in warning
    assert "must be in body, content, html, wikitext or text" in warning
    shots, (warning,) = read(written(tmp_path / "x", {f"c{n}": [n] for n in range(500)}))
    assert "and 480 others" in warning and len(warning) < 500


def test_a_file_without_rows_has_nothing_to_say(tmp_path: Path) -> None:
    empty = {"url": pa.array([], pa.string()), "body": pa.array([], pa.binary())}
    assert read(written(tmp_path / "x.parquet", empty)) == ([], [])


def test_rows_without_bytes_are_said(tmp_path: Path) -> None:
    shots, warnings = read(written(tmp_path / "x", {"body": [b"a", None, b""]}))
    assert [shot.data for shot in shots] == [b"a", b""]
    assert len(warnings) == 1 and "x!2: a row without a page's bytes" in warnings[0]


def test_the_warnings_of_a_file_are_few(tmp_path: Path) -> None:
    _, warnings = read(written(tmp_path / "x", {"body": pa.nulls(3000, pa.binary())}))
    assert len(warnings) == limits.WARNINGS + 1 and "2000 more warnings" in warnings[-1]


def test_among_other_files_with_a_manifest(tmp_path: Path) -> None:
    written(
        tmp_path / "x.parquet", {"body": [PAGE, PAGE], "url": [URL, None], "lang": ["en", None]}
    )
    (tmp_path / "y.html").write_bytes(PAGE)
    stated = {"file": "x.parquet", "game": "ygo", "lang": "ja", "url": "http://a/x.parquet"}
    (tmp_path / "manifest.jsonl").write_text(json.dumps(stated))
    (first, second, other), warnings = read(tmp_path)
    assert warnings == [] and other.where.endswith("y.html")
    assert (first.hints.game, first.hints.lang, first.url) == ("ygo", "en", URL)
    assert (second.hints.game, second.hints.lang, second.url) == ("ygo", "ja", "")
    assert read(tmp_path / "x.parquet")[0] == [first, second]


def test_in_an_archive_it_is_not_read(tmp_path: Path) -> None:
    written(tmp_path / "x.parquet", {"body": [PAGE]})
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as made:
        made.write(tmp_path / "x.parquet", "x.parquet")
    assert read(tmp_path / "x.zip")[1][0].endswith("a Parquet file inside an archive; not read")


@pytest.mark.slow
def test_a_build_of_a_file_and_of_a_folder_are_one(tmp_path: Path) -> None:
    lines = (SAMPLE / "manifest.jsonl").read_text("utf-8").splitlines()
    stated = [json.loads(line) for line in lines]
    columns = {
        "body": [(SAMPLE / one["file"]).read_bytes() for one in stated],
        **{
            name: [one.get(name, "") for one in stated]
            for name in {key for one in stated for key in one} - {"headers", "status"}
        },
    }
    written(tmp_path / "x.parquet", columns)
    exports = []
    for source in (SAMPLE, tmp_path / "x.parquet"):
        kb.build([source], tmp_path / "x.db", replace=True)
        with kb.open(tmp_path / "x.db") as base:
            base.export(tmp_path / "x.jsonl")
        exports.append((tmp_path / "x.jsonl").read_bytes())
    assert exports[0] == exports[1]


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "x", {"body": [PAGE]})
    monkeypatch.setattr(parquet_pages, "find_spec", lambda name: None)
    _, (warning,) = read(path)
    assert "needs pyarrow: pip install 'sansho[dist]'" in warning


@pytest.mark.slow
def test_nothing_of_it_is_imported_for_other_sources() -> None:
    check = "import sys, kb, scraper.detect_format\nassert 'pyarrow' not in sys.modules"
    subprocess.run([sys.executable, "-c", check], check=True)


# Damage


@pytest.mark.slow
def test_a_file_that_breaks_off(tmp_path: Path) -> None:
    path = written(tmp_path / "x", {"body": [PAGE]})
    for end in (4, 11, 100, -1):
        path.write_bytes(written(tmp_path / "y", {"body": [PAGE]}).read_bytes()[:end])
        shots, (warning,) = read(path)
        assert shots == [] and "without its end (truncated?)" in warning


def test_reading_goes_on_behind_a_damaged_row_group(tmp_path: Path) -> None:
    bodies = [random.Random(n).randbytes(5000) for n in range(30)]
    path = written(
        tmp_path / "x", {"body": [b"a" + one for one in bodies]}, row_group_size=10,
        write_page_checksum=True, use_dictionary=False, compression="none",
    )  # fmt: skip
    data = bytearray(path.read_bytes())
    data[data.index(bodies[15]) + 9] ^= 1
    path.write_bytes(data)
    found = list(parquet_pages.rows(path, "x"))
    rows = [one.place for one in found if isinstance(one, parquet_pages.Row)]
    (warning,) = [one for one in found if isinstance(one, ReadWarning)]
    assert rows == [str(number) for number in (*range(1, 11), *range(21, 31))]
    assert warning.where == "x!11" and warning.what.startswith("rows 11 to 20: can't be read: ")


@pytest.mark.slow
def test_any_damage_is_a_warning(tmp_path: Path) -> None:
    columns = {"body": [PAGE[:n] for n in range(300)], "url": [URL] * 300, "taken": [None] * 300}
    whole = written(tmp_path / "x", columns, row_group_size=100).read_bytes()
    rng = random.Random(1)
    for _ in range(15):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 5, 50))):
            place = rng.choice((rng.randrange(len(data)), len(data) - 1 - rng.randrange(2000)))
            data[place] = rng.randrange(256)
        (tmp_path / "x").write_bytes(data)
        read(tmp_path / "x")


# Limits


def test_a_value_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LARGEST", 1000)
    shots, warnings = read(written(tmp_path / "x", {"body": [b"a", b"b" * 1001, b"c" * 1000]}))
    assert len(shots) == 2 and len(warnings) == 1 and "x!2: larger than 1000 bytes" in warnings[0]


@linux_only
def test_a_row_group_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "READER_MEMORY", 256 << 20)
    bodies = [b"a", bytes(200 << 20), b"c"]
    path = written(tmp_path / "x", {"body": bodies}, row_group_size=1, **QUICKLY)
    shots, warnings = read(path)
    assert [shot.data for shot in shots] == [b"a", b"c"]
    assert len(warnings) == 1
    assert "x!2: row 2: can't be read: takes too much memory" in warnings[0]


def test_a_reader_that_dies_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "x", {"body": [b"a", b"b", b"c"]})
    before, _, start = reader_process._START.rpartition("from scraper")
    stub = (
        "import os, scraper.sources.parquet_pages as p; real = p._row\n"
        "p._row = lambda number, *given: os.abort() if number == 2 else real(number, *given)"
    )
    monkeypatch.setattr(reader_process, "_START", f"{before}exec({stub!r}); from scraper{start}")
    shots, (warning,) = read(path)
    assert [shot.data for shot in shots] == [b"a"]
    assert "x!1: takes too much memory or crashes pyarrow (Aborted); not read from" in warning


def test_a_file_that_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One value in a dictionary may be that of every row."""
    monkeypatch.setattr(limits, "IN_ALL", 1_000_000)
    shots, warnings = read(written(tmp_path / "x", {"body": [b"a" * 10_000] * 10_000}))
    assert len(shots) == 100
    told = f"unpacks to more than 1000000 bytes; not read from row {len(shots) + 1} on"
    assert told in warnings[0]


def test_rows_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "x", {"body": [b"a"] * 30}, row_group_size=10)
    monkeypatch.setattr(limits, "ROWS", 20)
    shots, warnings = read(path)
    assert len(shots) == 20 and "more than 20 rows; not read from row 21 on" in warnings[0]


def test_a_row_of_a_dictionary_does_not_cost_as_much_as_the_dictionary(tmp_path: Path) -> None:
    """As it would if each batch had a copy: Arrow's own schema in the footer asks for that."""

    def work(count: int) -> None:
        names = pa.array([f"http://example.org/{n}" for n in range(count)]).dictionary_encode()
        path = written(tmp_path / "x", {"body": ["x"] * count, "url": names})
        with path.open("rb") as file:  # in this process, whose time is measured
            rows = [row for row, _ in parquet_pages.frames_of_rows(file, {})]
        assert len(rows) == count and rows[-1]["stated"]["url"].endswith(f"/{count - 1}")

    assert grows_linearly(work, 8_000)


def _lying(data: bytes, true: bytes, false: bytes) -> bytes:
    """A file whose first page claims something else in its header, behind the magic."""
    assert data[4:].startswith(true) and len(true) == len(false)
    return data[:4] + false + data[4 + len(true) :]


@pytest.mark.parametrize(
    ("false", "told"),
    [
        (b"\x15\x00\x15\xd6\x15", "longer than its column"),  # stored: 1,387 bytes
        (b"\x15\x00\x15\x13\x15", "the header of a page"),  # -10 bytes
        (b"\x15\x00\x19\x12\x15", "the header of a page"),  # a list
        (b"\x15\x00\x15\x80\x80", "the header of a page"),  # a number that goes on
    ],
)
def test_pages_that_lie(tmp_path: Path, false: bytes, told: str) -> None:
    path = written(tmp_path / "x", {"body": [b"aaaaa"]}, compression="none", use_dictionary=False)
    data = path.read_bytes()
    path.write_bytes(_lying(data, data[4:9], false))
    shots, (warning,) = read(path)
    assert shots == [] and "x!1: row 1: can't be read" in warning


_MEASURE = """
import resource, sys
from pathlib import Path
from scraper import Hints, Snapshot, snapshots

found = sum(isinstance(one, Snapshot) for one in snapshots(Path(sys.argv[1]), Hints()))
with open("/proc/self/status") as status:
    own = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(found, own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.mark.slow
@linux_only
@pytest.mark.parametrize("kind", ["large row group", "many row groups", "bomb", "dictionary"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, kind: str) -> None:
    values: list[list[bytes]] = [[f"{number:05}".encode() * 4000 for number in range(10_000)]]
    match kind:
        case "many row groups":
            values = [values[0][start : start + 100] for start in range(0, 10_000, 100)]
        case "bomb":
            values = [[bytes(400 << 20)]]
        case "dictionary":
            values = [[b"a" * 900_000] * 500]
    path, schema = tmp_path / "large", pa.schema({"body": pa.binary()})
    how = {**QUICKLY, "use_dictionary": kind == "dictionary"}
    with pq.ParquetWriter(path, schema, compression="zstd", **how) as writer:
        for group in values:
            writer.write_table(pa.table({"body": group}, schema=schema))
    del values
    command = [sys.executable, "-c", _MEASURE, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found, own, of_child = map(int, done.stdout.split())
    print(kind, found, own >> 10, of_child >> 10)
    assert found == {"bomb": 0, "dictionary": 500}.get(kind, 10_000)
    most = limits.READER_MEMORY if kind == "bomb" else 200 << 20
    assert own < 60 << 10 and of_child < most >> 10
