"""WARC files, our own and those of others, as sources of a build."""

from __future__ import annotations

import gzip
import io
import logging
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

import kb
from scraper import Hints, ReadWarning, Snapshot, snapshots
from scraper.sources import limits
from tests.conftest import SAMPLE
from tests.webs import Page, Says, html, links, web

_PAGE = (SAMPLE / "mtgwiki" / "hand.html").read_bytes()
_URL = "http://mtgwiki.com/wiki/%E6%89%8B%E6%9C%AD"


def record(
    body: bytes = _PAGE,
    kind: str = "response",
    status: str = "200 OK",
    url: str = _URL,
    taken: str = "2026-01-02T03:04:05Z",
    **headers: str,
) -> bytes:
    """A record, uncompressed."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=False)
    named = [("Content-Type", "text/html; charset=UTF-8")]
    named += [(name.replace("_", "-"), value) for name, value in headers.items()]
    http = StatusAndHeaders(status, named, protocol="HTTP/1.1") if kind != "resource" else None
    writer.write_record(
        writer.create_warc_record(
            url,
            kind,
            payload=io.BytesIO(body),
            http_headers=http,
            warc_content_type="" if http else "text/html",
            warc_headers_dict={"WARC-Date": taken},
        )
    )
    return out.getvalue()


def read(path: Path, *records: bytes, packed: bool = True) -> list[Snapshot | ReadWarning]:
    """What is read of a file of records."""
    path.write_bytes(b"".join(gzip.compress(one) if packed else one for one in records))
    return list(snapshots(path, Hints()))


def shots(found: list[Snapshot | ReadWarning]) -> list[Snapshot]:
    return [one for one in found if isinstance(one, Snapshot)]


def warnings(found: list[Snapshot | ReadWarning]) -> list[str]:
    return [one.what for one in found if isinstance(one, ReadWarning)]


@pytest.mark.parametrize("name", ["a.warc.gz", "a.warc", "a"])
def test_answers_are_snapshots(tmp_path: Path, name: str) -> None:
    """Whatever the file is called; several captures of a page are several."""
    new = record(taken="2026-05-06T07:08:09Z")
    (first, second) = read(tmp_path / name, record(), new, packed=name != "a.warc")
    assert isinstance(first, Snapshot) and isinstance(second, Snapshot)
    assert (first.url, first.status, first.taken) == (_URL, 200, "2026-01-02T03:04:05Z")
    assert first.data == _PAGE and first.content_type == "text/html; charset=UTF-8"
    assert first.where != second.where and first.where.startswith(str(tmp_path / name) + "!")
    again = list(snapshots(tmp_path / name, Hints()))
    assert [one.where for one in again] == [first.where, second.where]


def test_a_file_that_is_one_gzip_stream(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(gzip.compress(record() + record()))
    assert len(shots(list(snapshots(path, Hints())))) == 2


@pytest.mark.parametrize(
    "body",
    [
        (gzip.compress(_PAGE, mtime=0), {"Content_Encoding": "gzip"}),
        (b"%x\r\n%s\r\n0\r\n\r\n" % (len(_PAGE), _PAGE), {"Transfer_Encoding": "chunked"}),
        (_PAGE, {"Transfer_Encoding": "chunked"}),  # many take the chunks off and keep the header
    ],
)
def test_bodies_are_unpacked(tmp_path: Path, body: tuple[bytes, dict[str, str]]) -> None:
    (found,) = read(tmp_path / "x.warc.gz", record(body[0], **body[1]))
    assert isinstance(found, Snapshot) and found.data == _PAGE


def test_what_is_no_page_is_left_out_and_told(tmp_path: Path) -> None:
    found = read(
        tmp_path / "x.warc.gz",
        record(status="404 Not Found"),
        record(status="301 Moved"),
        record(kind="revisit"),
        record(b"\x89PNG", Content_Type="image/png"),
        record(kind="request", status="GET / HTTP/1.1"),
        record(kind="resource"),
    )
    (shot,) = shots(found)
    assert shot.content_type == "text/html" and shot.status == 200
    (told,) = warnings(found)
    assert all(part in told for part in ("1 answer 404", "1 answer 301", "1 revisit"))


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("lost", [1, 40, 400, 1500])
def test_what_was_whole_is_kept_of_a_broken_file(tmp_path: Path, packed: bool, lost: int) -> None:
    path = tmp_path / "x.warc"
    read(path, record(), record(), record(), packed=packed)
    path.write_bytes(path.read_bytes()[:-lost])
    found = list(snapshots(path, Hints()))
    assert len(shots(found)) == (3 if lost == 1 else 2)  # of what is behind the last record
    assert all(shot.data == _PAGE for shot in shots(found))
    assert (not packed and lost == 1) or "broken from here on" in warnings(found)[-1]


def test_garbage_in_the_middle(tmp_path: Path) -> None:
    found = read(tmp_path / "x.warc.gz", record(), b"garbage\r\n" * 9, record())
    assert len(shots(found)) == 2 and "a damaged record" in warnings(found)[-1]
    path = tmp_path / "y.warc.gz"
    path.write_bytes(gzip.compress(record()) + b"\x1f\x8bgarbage" * 9)
    found = list(snapshots(path, Hints()))
    assert len(shots(found)) == 1 and "broken from here on" in warnings(found)[-1]


def test_what_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LARGEST", 100_000)
    bomb = gzip.compress(bytes(10_000_000))
    large, broken = record(bytes(200_000)), record(b"broken", Content_Encoding="gzip")
    bombed = record(bomb, Content_Encoding="gzip")
    found = read(tmp_path / "x.warc.gz", bombed, large, broken, record())
    assert len(shots(found)) == 1
    told = " ".join(warnings(found))
    assert "unpacks to more" in told and "is larger than" in told and "broken" in told


def test_a_head_without_an_end(tmp_path: Path) -> None:
    head = b"WARC/1.0\r\nWARC-Type: response\r\nX: " + b"x" * (64 << 20)
    found = read(tmp_path / "x.warc.gz", record(), head)
    assert len(shots(found)) == 1 and "broken from here on" in warnings(found)[-1]
    assert "the head of a record is longer than 1 MB" in warnings(found)[-1]


def test_a_manifest_tells_what_a_file_is_of(tmp_path: Path) -> None:
    (tmp_path / "manifest.jsonl").write_text('{"file": "x.warc", "game": "ygo", "notice": "N"}\n')
    (tmp_path / "x.warc").write_bytes(record())
    for source in (tmp_path, tmp_path / "x.warc"):
        (shot,) = shots(list(snapshots(source, Hints())))
        assert (shot.hints.game, shot.notice, shot.url) == ("ygo", "N", _URL)


def test_the_files_of_a_crawl_are_no_pages(tmp_path: Path) -> None:
    pages: dict[str, Page] = {"/": Says(html(links("/a"))), "/a": "a"}
    with web(pages) as site:
        kb.crawl([site.url], tmp_path, delay=0)
        (tmp_path / ".crawl.part").write_bytes(b"half")
        found = list(snapshots(tmp_path, Hints()))
        assert len(shots(found)) == 2 and warnings(found) == []


def test_a_folder_and_a_warc_of_one_site_give_one_graph(tmp_path: Path) -> None:
    bodies = {
        f"/wiki/{name}": (SAMPLE / "mtgwiki" / f"{file}.html").read_bytes()
        for name, file in (("%E5%BC%95%E3%81%8F", "hiku"), ("%E6%89%8B%E6%9C%AD", "hand"))
    }
    packed = {"Content-Encoding": "gzip"}
    pages: dict[str, Page] = {
        path: Says(gzip.compress(body), headers=packed) for path, body in bodies.items()
    }
    with web(pages) as site:
        urls = [site.url + path for path in bodies]
        counts = []
        for name in ("folder", "x.warc.gz", "x.warc"):
            assert kb.crawl(urls, tmp_path / name, delay=0, depth=0).fetched == 2
            report = kb.build([tmp_path / name], tmp_path / f"{name}.db", site="mtgwiki")
            counts.append((report.pages, report.nodes, report.edges, report.warnings))
        assert counts[0] == counts[1] == counts[2] and counts[0][0] == 2


def test_codings_without_end(tmp_path: Path) -> None:
    found = read(tmp_path / "x.warc", record(Content_Encoding="gzip, " * 9 + "gzip"), record())
    assert len(shots(found)) == 1 and "more than 5 codings" in warnings(found)[0]


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize(
    "bad",
    [
        record().replace(b"Content-Length: ", b"Content-Length: 9", 1),  # swallows what comes next
        record().replace(b"Content-Length: ", b"Content-Length: 999999", 1),
        record().replace(b"Content-Length: ", b"Content-Length: -", 1),
        record().replace(b"WARC/1.0", b"WURC/1.0"),
        record().replace(b"HTTP/1.1 200 OK", "HTTP/1.1 \u00b2\u00b2\u00b2".encode()),
        record().replace(b"HTTP/1.1 200 OK", b"HTTP/1.1 " + b"9" * 5000),
    ],
)
def test_reading_goes_on_behind_a_bad_record(
    tmp_path: Path, bad: bytes, packed: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    """At the next record, also where the bad one claims it as its own."""
    found = read(tmp_path / "x.warc", record(), bad, record(), record(), packed=packed)
    assert len(shots(found)) >= 3 and warnings(found)
    assert all(shot.data == _PAGE for shot in shots(found)[-2:])
    assert len({shot.where for shot in shots(found)}) == len(shots(found))
    assert capfd.readouterr() == ("", "")


def test_damaged_compression_of_one_record(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    packed = gzip.compress(record())
    path.write_bytes(packed + packed[:99] + b"\0" * 9 + packed[99:] + packed + packed)
    found = list(snapshots(path, Hints()))
    assert len(shots(found)) == 3 and "a damaged record" in warnings(found)[0]


def test_damage_without_end_takes_linear_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each record claims the rest of the file: not all of it is read again for each."""
    head = b"WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 2000000\r\n\r\n\r\n\r\n"
    (tmp_path / "x.warc").write_bytes(head * 3000)
    monkeypatch.setattr(limits, "READ_AGAIN", 1_000_000)
    found = list(snapshots(tmp_path / "x.warc", Hints()))
    assert len(found) < 30
    assert any("is not searched again, as 1000000 bytes of it were" in w for w in warnings(found))


def test_places_where_a_record_may_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CANDIDATES", 3)
    damage = b"\x1f\x8b\x08" * 9
    (tmp_path / "x.warc.gz").write_bytes(gzip.compress(record()) + damage + gzip.compress(record()))
    found = list(snapshots(tmp_path / "x.warc.gz", Hints()))
    assert len(shots(found)) == 1 and "3 places where a record may begin" in warnings(found)[-1]


def test_kinds_that_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "KINDS", 2)
    kinds = [record(Content_Type=f"image/{number}") for number in range(5)]
    found = read(tmp_path / "x.warc", record(), *kinds)
    told = "1 image/0, 1 image/1, 3 of 3 other kinds (only 2 are named)"
    assert len(shots(found)) == 1 and told in warnings(found)[-1]


def test_nothing_is_printed_of_an_odd_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(logging.root, "handlers", [])  # as in a program without logging
    made = record().replace(_URL.encode(), b"http://mtgwiki.com/a b \x1b[2J")
    assert len(read(tmp_path / "x.warc", made, packed=False)) == 1
    assert capsys.readouterr() == ("", "")
