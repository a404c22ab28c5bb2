"""A real HTTP server on loopback that says what a site tells it to, down to the bytes.

    python -m tests.testsite hurtful|mediawiki|pukiwiki [--pages N] [--log FILE] [--port PORT]

serves a site as a process of its own, until its standard input ends; it prints its address and
the addresses that a crawl should and should not ask for, as one line of JSON. In a test:

    with serving(Hurtful()) as server:
        ...crawl server.url + server.site.start...
        server.log  # all that was asked, in order

The server is our own, not `http.server`, because most of what hurts a crawler is an answer that a
well-behaved server can't give. All that was asked is kept in memory and, if wished, in a file.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote

REASONS = {
    200: "OK", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
    307: "Temporary Redirect", 308: "Permanent Redirect", 404: "Not Found", 410: "Gone",
    429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable",
}  # fmt: skip
HTML = "text/html; charset=UTF-8"


@dataclass(slots=True)
class Asked:
    """One request, and what became of it: the status and bytes of body sent, and whether the
    answer was sent to its end."""

    method: str
    target: str
    headers: dict[str, str]
    at: float
    status: int = 0
    sent: int = 0
    ended: bool = False

    @property
    def place(self) -> str:
        """What was asked for, percent-decoded, as `place` gives it."""
        return place(self.target)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a site answers. `raw`, where it is there, gives all bytes of the answer, status line
    and all; the connection is closed after it unless it is `kept`."""

    status: int = 200
    body: bytes = b""
    content_type: str = HTML
    headers: tuple[tuple[str, str], ...] = ()
    raw: Callable[[], Iterator[bytes]] | None = None
    kept: bool = False


class Site(Protocol):
    """What a server serves. The server sets `base`, its address without a last slash; a crawl
    begins at the path `start`."""

    base: str

    @property
    def start(self) -> str: ...

    def answer(self, asked: Asked) -> Answer: ...


def place(url: str) -> str:
    """An address without host and fragment, its path percent-decoded: so two spellings are one.

    >>> place("http://127.0.0.1:99/a%20b?c=%31#d"), place("http://127.0.0.1:99")
    ('/a b?c=%31', '/')
    """
    rest = url.partition("#")[0]
    if "://" in rest:
        rest = "/" + rest.partition("://")[2].partition("/")[2]
    path, mark, query = rest.partition("?")
    return unquote(path) + mark + query


def head(status: int, *headers: tuple[str, str]) -> bytes:
    """The status line and headers of an answer, as they are sent."""
    lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Odd')}"]
    lines += [f"{name}: {value}" for name, value in headers]
    return "\r\n".join([*lines, "", ""]).encode()


@dataclass
class Server:
    """A site being served. `connections` counts those that were opened, asked on or not."""

    site: Site
    host: str = "127.0.0.1"
    port: int = 0
    file: Path | None = None
    log: list[Asked] = field(default_factory=list)
    connections: int = 0
    url: str = ""

    def __enter__(self) -> Server:
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        self._listener = socket.create_server((self.host, self.port), family=family, backlog=64)
        self.port = self._listener.getsockname()[1]
        self.url = f"http://[{self.host}]" if ":" in self.host else f"http://{self.host}"
        self.url += f":{self.port}"
        self.site.base = self.url
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):  # wakes the thread that waits for a connection
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            left = list(self._open)
        for connection in left:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.settle()

    def settle(self, seconds: float = 5) -> None:
        """Wait until nobody is connected: then the log is complete."""
        until = time.monotonic() + seconds
        while self._open and time.monotonic() < until:
            time.sleep(0.005)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self.connections += 1
                self._open.add(connection)
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            with connection, connection.makefile("rb") as stream:
                while (asked := _request(stream)) is not None:
                    with self._lock:
                        self.log.append(asked)
                    if not self._reply(connection, asked):
                        break
        except OSError:
            pass  # whoever asked has gone
        finally:
            with self._lock:
                self._open.discard(connection)

    def _reply(self, connection: socket.socket, asked: Asked) -> bool:
        """Send the answer; whether the connection can be used again."""
        answer = self.site.answer(asked)
        asked.status = answer.status
        try:
            if answer.raw is not None:
                for piece in answer.raw():
                    connection.sendall(piece)
                    asked.sent += len(piece)
                asked.ended = True
                return answer.kept
            body = b"" if asked.method == "HEAD" or answer.status == 304 else answer.body
            headers = [("Content-Type", answer.content_type)] if answer.content_type else []
            if answer.status != 304:
                headers.append(("Content-Length", str(len(answer.body))))
            connection.sendall(head(answer.status, *headers, *answer.headers) + body)
            asked.sent, asked.ended = len(body), True
            return asked.headers.get("connection", "").lower() != "close"
        finally:
            self._write(asked)

    def _write(self, asked: Asked) -> None:
        if self.file is not None:
            with self._lock, self.file.open("a", encoding="utf-8") as log:
                log.write(json.dumps(asdict(asked), ensure_ascii=False) + "\n")


def _request(stream: Any) -> Asked | None:
    """The next request on a connection; its body, if it has one, is not read."""
    first = stream.readline(65536).decode("latin-1").split()
    if len(first) != 3:
        return None
    headers: dict[str, str] = {}
    while line := stream.readline(65536).decode("latin-1").strip():
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    return Asked(first[0], first[1], headers, time.monotonic())


@contextlib.contextmanager
def serving(site: Site, **options: Any) -> Iterator[Server]:
    """A server of a site, as long as the context lasts; `options` are those of `Server`."""
    with Server(site, **options) as server:
        yield server


def _main() -> None:
    from tests.hurtful import Hurtful, hurting
    from tests.livingwikis import MediaWiki, PukiWiki

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", choices=["hurtful", "mediawiki", "pukiwiki"])
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--port", type=int, default=0)
    words = parser.parse_args()
    served = {"port": words.port, "file": words.log}
    with contextlib.ExitStack() as stack:
        if words.site == "hurtful":
            site: Any = Hurtful(words.pages)
            server = stack.enter_context(hurting(site, **served))[0]
        else:
            site = (MediaWiki if words.site == "mediawiki" else PukiWiki)(words.pages)
            server = stack.enter_context(serving(site, **served))
        print(
            json.dumps(
                {
                    "url": server.url + site.start,
                    "good": sorted(site.good),
                    "never": sorted(getattr(site, "never", ())),
                }
            ),
            flush=True,
        )
        sys.stdin.read()


if __name__ == "__main__":
    _main()
