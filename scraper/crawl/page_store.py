"""Where answers are kept: a snapshot folder, or a WARC file.

Both write in the same three steps. `stage` writes the bytes to a hidden file and says what will
be done with them; the crawl remembers that (`State.decide`); `publish` does it. After a crash
`mend` does what was remembered, so far as it was not done. So nothing is ever half there.
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

from scraper.crawl.fetch import Answer
from scraper.errors import SourceError
from scraper.sources.snapshot import MANIFEST

Plan = Mapping[str, Any]
_ENDINGS = {"html": ".html", "x-wiki": ".wiki", "plain": ".txt", "xml": ".xml", "json": ".json"}
_TAIL = 1 << 20


class PageStore(Protocol):
    """What a crawl keeps answers in. `hidden` is what the names of its own files begin with."""

    hidden: Path

    def stage(self, answer: Answer) -> Plan:
        """Write an answer where nobody looks, and tell how it is published."""

    def publish(self, plan: Plan) -> None:
        """Put what is staged in its place."""

    def mend(self, plan: Plan | None, done: bool) -> None:
        """After a crash: publish what was decided last, take away what is half done."""

    def holds(self, place: str) -> bool:
        """Whether a capture that was published is still there."""

    def read(self, place: str) -> bytes:
        """The body of a capture that was published."""


def open_page_store(into: Path, agent: str) -> PageStore:
    """What a name stands for: a WARC file by its ending, else a folder."""
    if into.name.lower().endswith((".warc", ".warc.gz")):
        return WarcStore(into, agent)
    return FolderStore(into)


class FolderStore:
    """A snapshot folder with its `manifest.jsonl`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._part = folder / ".crawl.part"
        self.hidden = folder / ".crawl"

    def stage(self, answer: Answer) -> Plan:
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

    def publish(self, plan: Plan) -> None:
        path, manifest = self._folder / plan["place"], self._folder / MANIFEST
        if self._part.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._part.replace(path)
            _sync(path.parent)
        with manifest.open("ab") as file:
            file.write(f"{plan['line']}\n".encode())
            file.flush()
            os.fsync(file.fileno())

    def mend(self, plan: Plan | None, done: bool) -> None:
        self._cut()
        if plan and not done and plan["line"].encode() not in _tail(self._folder / MANIFEST):
            self.publish(plan)
        self._part.unlink(missing_ok=True)

    def holds(self, place: str) -> bool:
        return (self._folder / place).is_file()

    def read(self, place: str) -> bytes:
        return (self._folder / place).read_bytes()

    def _cut(self) -> None:
        """Cut off a line of the manifest that a crash left without its end."""
        manifest = self._folder / MANIFEST
        data = _tail(manifest)
        if data and not data.endswith(b"\n"):
            torn = len(data) - (data.rfind(b"\n") + 1)
            if not _whole(data[-torn:]):
                os.truncate(manifest, manifest.stat().st_size - torn)
            else:  # a line that someone wrote by hand, without a line end
                with manifest.open("ab") as file:
                    file.write(b"\n")


def _whole(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


class WarcStore:
    """A WARC file: for each answer a record of it and one of what was asked, each in a gzip
    member of its own if the name ends so."""

    def __init__(self, path: Path, agent: str) -> None:
        self._path = path
        self._agent = agent
        self._part = path.parent / f".{path.name}.crawl.part"
        self.hidden = path.parent / f".{path.name}.crawl"

    def stage(self, answer: Answer) -> Plan:
        offset = self._path.stat().st_size if self._path.exists() else 0
        info = b"" if offset else self._records(None)
        data = info + self._records(answer)
        _write(self._part, data)
        place = str(offset + len(info))
        return {"place": place, "offset": offset, "end": offset + len(data)}

    def publish(self, plan: Plan) -> None:
        if not self._part.exists():
            return
        with self._path.open("ab") as file:
            file.truncate(plan["offset"])
            file.write(self._part.read_bytes())
            file.flush()
            os.fsync(file.fileno())
        _sync(self._path.parent)
        self._part.unlink()

    def mend(self, plan: Plan | None, done: bool) -> None:
        from scraper.sources.warc import is_whole, last_start

        if plan and not done:
            self.publish(plan)
        self._part.unlink(missing_ok=True)
        end = plan["end"] if plan else 0
        size = self._path.stat().st_size if self._path.exists() else 0
        if 0 < size < end and not is_whole(self._path, 0):  # something took its end away
            os.truncate(self._path, last_start(self._path))
        elif size > end and not is_whole(self._path, end):
            if not end:
                raise SourceError(f"{self._path}: is no whole WARC file; choose another --into")
            os.truncate(self._path, end)

    def holds(self, place: str) -> bool:
        return self._path.is_file() and self._path.stat().st_size > int(place)

    def read(self, place: str) -> bytes:
        from scraper.sources.warc import body_at

        return body_at(self._path, int(place))

    def _records(self, answer: Answer | None) -> bytes:
        """An answer and its question as records; without one, the record that opens a file."""
        from warcio.statusandheaders import StatusAndHeaders
        from warcio.warcwriter import WARCWriter

        out = BytesIO()
        writer = WARCWriter(out, gzip=self._path.name.lower().endswith(".gz"), warc_version="1.1")
        if answer is None:
            said = {"software": self._agent, "format": "WARC File Format 1.1"}
            writer.write_record(writer.create_warcinfo_record(self._path.name, said))
            return out.getvalue()
        dated = {"WARC-Date": answer.taken}
        status = StatusAndHeaders(
            f"{answer.status} {answer.reason}".strip(), list(answer.headers), protocol="HTTP/1.1"
        )
        response = writer.create_warc_record(
            answer.url,
            "response",
            payload=BytesIO(_framed(answer)),
            http_headers=status,
            warc_headers_dict=dict(dated),
        )
        parts = urlsplit(answer.url)
        asked = StatusAndHeaders(
            f"GET {parts.path or '/'}{'?' + parts.query if parts.query else ''} HTTP/1.1",
            list(answer.request),
            is_http_request=True,
        )
        request = writer.create_warc_record(
            answer.url, "request", http_headers=asked, warc_headers_dict=dict(dated)
        )
        writer.write_request_response_pair(request, response)
        return out.getvalue()


def _framed(answer: Answer) -> bytes:
    """The body as its headers announce it: where they say chunked, as one chunk."""
    if "chunked" not in answer.header("transfer-encoding").lower():
        return answer.sent
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(answer.sent), answer.sent)


def file_name(answer: Answer) -> str:
    """Where in a folder an answer is kept: by host, address and time, in letters that every
    file system takes, and never the same twice."""
    parts = urlsplit(answer.url)
    host = re.sub(r"[^A-Za-z0-9.-]", "_", parts.netloc).strip(".-") or "host"
    said = parts.path.removeprefix("/wiki/").lstrip("/") + (
        "_" + parts.query if parts.query else ""
    )
    said = re.sub(r"[^A-Za-z0-9%_-]", "_", said)[:60].strip("_-") or "index"
    short = hashlib.sha256(answer.url.encode()).hexdigest()[:10]
    when = re.sub(r"[^0-9TZ]", "", answer.taken)
    kind = answer.header("content-type").partition(";")[0].strip().lower().rpartition("/")[2]
    ending = next((end for word, end in _ENDINGS.items() if word in kind), ".html")
    return f"{host[:80]}/{said}-{short}-{when}{ending}"


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Make a new name in a folder last through a power cut, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    with suppress(OSError):
        os.fsync(handle)
    os.close(handle)


def _tail(path: Path) -> bytes:
    """The end of a file, longer than any line of a manifest."""
    if not path.exists():
        return b""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL))
        return file.read()


def check_destination(into: Path) -> None:
    """Make the folder that all goes into. Raises SourceError if nothing can be written there."""
    archive = into.name.lower().endswith((".warc", ".warc.gz"))
    folder = into.parent if archive else into
    try:
        if (into.is_dir() and archive) or (into.exists() and not into.is_dir() and not archive):
            raise SourceError(
                f"{into}: is {'a folder' if archive else 'a file'}; choose another --into"
            )
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".crawl.probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise SourceError(f"{folder}: can't be written ({error.strerror or error})") from None
