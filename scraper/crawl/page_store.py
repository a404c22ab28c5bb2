"""Writes fetched pages to a snapshot folder or a WARC file, so that a crash leaves nothing torn.

A write has three steps. `stage` writes the bytes to a hidden file and returns a plan of what is
left to do; the crawl enters the plan in its database (`CrawlQueue.plan_write`); `publish` carries
it out. After a crash `recover` carries out the plan that was entered last, if that was not done.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from scraper.crawl.http_client import Answer
from scraper.errors import SourceError
from scraper.sources.files import MANIFEST

WritePlan = Mapping[str, Any]
_ENDINGS = {
    "html": ".html", "x-wiki": ".wiki", "plain": ".txt", "pdf": ".pdf", "xml": ".xml",
    "json": ".json",
}  # fmt: skip
# A place that `file_name` gives, of no more characters than it puts together.
_PLACE = re.compile(r"\w[\w.-]{0,79}/[\w%-]{1,120}\.[a-z]{3,4}", re.ASCII)
_TAIL = 1 << 20  # bytes; more than any line of a manifest has: as `limits.MANIFEST_LINE`


class PageStore(Protocol):
    """Where a crawl keeps the answers that it fetched.

    hidden: the path that the names of the crawl's own files (database, lock) begin with.
    """

    hidden: Path

    def stage(self, answer: Answer) -> WritePlan:
        """Write an answer to a hidden file, and return the plan for `publish`.

        The plan can be stored as JSON. Its "place" (a str) is what `contains` and `read` take; its
        other keys are the store's own. What was staged and not published before is overwritten.
        """

    def publish(self, plan: WritePlan) -> None:
        """Move what was staged to its place, and make it last through a power cut.

        plan: what the last `stage` returned, perhaps in a run that crashed.
        """

    def recover(self, plan: WritePlan | None, done: bool) -> None:
        """Repair what a crash left behind: publish the last plan, delete what is incomplete.

        plan: the last plan that was entered, or None.
        done: whether it was published. If so it is not published again.

        Raises SourceError for a file at the store's path that is no WARC file, and LookupError,
        TypeError or ValueError for a plan that `stage` did not make.
        """

    def contains(self, place: str) -> bool:
        """Whether the capture that was published at a place is still there; it is not read.

        place: the "place" of a plan.
        """

    def read(self, place: str) -> bytes:
        """Return the body of the capture that was published at a place, without content coding.

        place: the "place" of a plan.

        Raises OSError or ValueError if it is not there.
        """


def open_page_store(into: Path, agent: str) -> PageStore:
    """Return the store for a path: a WARC file if the name ends so, else a snapshot folder.

    Nothing is opened, made or checked yet (see `check_destination`).

    into: the path; `.warc` and `.warc.gz`, in any case, mean a WARC file.
    agent: the User-Agent, which is written into a WARC file.
    """
    if into.name.lower().endswith((".warc", ".warc.gz")):
        return WarcStore(into, agent)
    return FolderStore(into)


class FolderStore:
    """A snapshot folder with its `manifest.jsonl`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._part = folder / ".crawl.part"
        self.hidden = folder / ".crawl"

    def stage(self, answer: Answer) -> WritePlan:
        _write(self._part, answer.body)
        headers: dict[str, str] = {}
        for name, value in answer.headers:
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        place = file_name(answer)
        line = {
            "file": place,
            "url": answer.url,
            "status": answer.status,
            "headers": headers,
            "taken": answer.taken,
            "sha256": hashlib.sha256(answer.body).hexdigest(),
            "content_type": answer.header("content-type"),
        }
        return {"place": place, "line": json.dumps(line, ensure_ascii=False)}

    def publish(self, plan: WritePlan) -> None:
        path, manifest = self._path(plan["place"]), self._folder / MANIFEST
        if self._part.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._part.replace(path)
            _sync(path.parent)
        with manifest.open("ab") as file:
            file.write(f"{plan['line']}\n".encode())
            file.flush()
            os.fsync(file.fileno())

    def recover(self, plan: WritePlan | None, done: bool) -> None:
        self._repair_manifest()
        if plan and not done and plan["line"].encode() not in _tail(self._folder / MANIFEST):
            self.publish(plan)
        self._part.unlink(missing_ok=True)

    def contains(self, place: str) -> bool:
        return bool(_PLACE.fullmatch(place)) and self._path(place).is_file()

    def read(self, place: str) -> bytes:
        return self._path(place).read_bytes()

    def _path(self, place: str) -> Path:
        """Return the path of a place. It comes from the database of the crawl, which may be
        anybody's: raises ValueError if it is none that `file_name` gives."""
        if not _PLACE.fullmatch(place):
            raise ValueError(f"{place!r} is no place of a page")
        return self._folder / place

    def _repair_manifest(self) -> None:
        """Cut off the last line of the manifest if a crash left it incomplete.

        A last line that is whole JSON but has no line end gets one. No manifest: nothing is done.
        """
        manifest = self._folder / MANIFEST
        data = _tail(manifest)
        if data and not data.endswith(b"\n"):
            torn = len(data) - (data.rfind(b"\n") + 1)
            if not _is_json_object(data[-torn:]):
                os.truncate(manifest, manifest.stat().st_size - torn)
            else:  # a line that was written by hand, without a line end
                with manifest.open("ab") as file:
                    file.write(b"\n")


def _is_json_object(line: bytes) -> bool:
    """Whether a line of a manifest is complete: whether it is a JSON object, with any keys."""
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


class WarcStore:
    """A WARC file with a response record and a request record for each answer.

    Each record is a gzip member of its own if the file's name ends in `.gz`.
    """

    def __init__(self, path: Path, agent: str) -> None:
        self._path = path
        self._agent = agent
        self._part = path.parent / f".{path.name}.crawl.part"
        self.hidden = path.parent / f".{path.name}.crawl"

    def stage(self, answer: Answer) -> WritePlan:
        offset = self._path.stat().st_size if self._path.exists() else 0
        info = b"" if offset else self._records(None)
        data = info + self._records(answer)
        _write(self._part, data)
        place = str(offset + len(info))
        return {"place": place, "offset": offset, "end": offset + len(data)}

    def publish(self, plan: WritePlan) -> None:
        if not self._part.exists():
            return
        with self._path.open("ab") as file:
            file.truncate(plan["offset"])
            file.write(self._part.read_bytes())
            file.flush()
            os.fsync(file.fileno())
        _sync(self._path.parent)
        self._part.unlink()

    def recover(self, plan: WritePlan | None, done: bool) -> None:
        from scraper.sources.warc import is_whole, last_start

        if plan and not done:
            self.publish(plan)
        self._part.unlink(missing_ok=True)
        end = plan["end"] if plan else 0
        size = self._path.stat().st_size if self._path.exists() else 0
        if 0 < size < end and not is_whole(self._path, 0):  # the end was lost
            os.truncate(self._path, last_start(self._path))
        elif size > end and not is_whole(self._path, end):
            if not end:
                raise SourceError(f"{self._path}: is no whole WARC file; choose another place")
            os.truncate(self._path, end)

    def contains(self, place: str) -> bool:
        return place.isdecimal() and self._path.is_file() and self._path.stat().st_size > int(place)

    def read(self, place: str) -> bytes:
        from scraper.sources.warc import body_at

        return body_at(self._path, int(place))

    def _records(self, answer: Answer | None) -> bytes:
        """Return the records of an answer and its request; for None, the file's warcinfo record."""
        from warcio.statusandheaders import StatusAndHeaders
        from warcio.warcwriter import WARCWriter

        out = BytesIO()
        writer = WARCWriter(out, gzip=self._path.name.lower().endswith(".gz"), warc_version="1.1")
        if answer is None:
            info = {"software": self._agent, "format": "WARC File Format 1.1"}
            writer.write_record(writer.create_warcinfo_record(self._path.name, info))
            return out.getvalue()
        warc_headers = {"WARC-Date": answer.taken}
        response_head = StatusAndHeaders(
            f"{answer.status} {answer.reason}".strip(), list(answer.headers), protocol="HTTP/1.1"
        )
        response = writer.create_warc_record(
            answer.url,
            "response",
            payload=BytesIO(_transfer_encoded(answer)),
            http_headers=response_head,
            warc_headers_dict=dict(warc_headers),
        )
        parts = urlsplit(answer.url)
        request_head = StatusAndHeaders(
            f"GET {parts.path or '/'}{'?' + parts.query if parts.query else ''} HTTP/1.1",
            list(answer.request),
            is_http_request=True,
        )
        request = writer.create_warc_record(
            answer.url, "request", http_headers=request_head, warc_headers_dict=dict(warc_headers)
        )
        writer.write_request_response_pair(request, response)
        return out.getvalue()


def _transfer_encoded(answer: Answer) -> bytes:
    """Return the body in the transfer coding of its headers: if that is chunked, as one chunk."""
    if "chunked" not in answer.header("transfer-encoding").lower():
        return answer.sent
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(answer.sent), answer.sent)


def file_name(answer: Answer) -> str:
    """Return the path of an answer's file, relative to the snapshot folder.

    It is `host/name-digest-time.ending`: the readable part of the address, a hash of the whole of
    it, the time of the request, and an ending after the Content-Type (`.html` if unknown). It has
    only characters that every file system takes, and differs for two addresses or two times.
    """
    parts = urlsplit(answer.url)
    host = re.sub(r"[^A-Za-z0-9.-]", "_", parts.netloc).strip(".-") or "host"
    name = parts.path.removeprefix("/wiki/").lstrip("/") + (
        "_" + parts.query if parts.query else ""
    )
    name = re.sub(r"[^A-Za-z0-9%_-]", "_", name)[:60].strip("_-") or "index"
    digest = hashlib.sha256(answer.url.encode()).hexdigest()[:10]
    when = re.sub(r"[^0-9TZ]", "", answer.taken)
    kind = answer.header("content-type").partition(";")[0].strip().lower().rpartition("/")[2]
    ending = next((end for word, end in _ENDINGS.items() if word in kind), ".html")
    return f"{host[:80]}/{name}-{digest}-{when}{ending}"


def _write(path: Path, data: bytes) -> None:
    """Write a file, in place of one that is there, and wait until it is on the disk."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Wait until a new name in a folder is on the disk, if the system can do that."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    with suppress(OSError):
        os.fsync(handle)
    os.close(handle)


def _tail(path: Path) -> bytes:
    """Return the last MiB of a file, which is more than a line of a manifest has.

    All of a shorter file; empty if there is no file.
    """
    if not path.exists():
        return b""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL))
        return file.read()


def check_destination(into: Path) -> None:
    """Make the folder that the pages go into. That files can be written to it shows when it is
    locked.

    into: a snapshot folder, or a WARC file (by its name), of which only the folder is made.

    Raises SourceError if the folder can't be made, if `into` is a folder with the name of a
    WARC file, or if it is a file with any other name.
    """
    archive = into.name.lower().endswith((".warc", ".warc.gz"))
    folder = into.parent if archive else into
    try:
        if (into.is_dir() and archive) or (into.exists() and not into.is_dir() and not archive):
            raise SourceError(
                f"{into}: is {'a folder' if archive else 'a file'}; choose another place"
            )
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SourceError(f"{folder}: can't be written ({error.strerror or error})") from None
