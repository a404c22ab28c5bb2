"""A small web on loopback: what it answers is a table that a test writes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Says:
    """An answer. `raw` goes out as it is, instead of all else."""

    body: bytes | str = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = "text/html; charset=utf-8"
    raw: bytes | None = None


Page = Says | str | Callable[["Asked"], Says]


@dataclass(frozen=True)
class Asked:
    """A request: its target, its headers, and how often the target was asked for before."""

    target: str
    headers: Mapping[str, str]
    before: int


class Web:
    """A server and its table. `log` has each request; what is not in the table is not there."""

    def __init__(self, url: str, pages: dict[str, Page]) -> None:
        self.url = url
        self.pages = pages
        self.log: list[Asked] = []

    @property
    def asked(self) -> list[str]:
        """The targets that were asked for, but for robots.txt."""
        return [one.target for one in self.log if one.target != "/robots.txt"]

    def answer(self, target: str, headers: Mapping[str, str]) -> Says:
        asked = Asked(target, headers, sum(one.target == target for one in self.log))
        self.log.append(asked)
        found = self.pages.get(target, Says("none", 404))
        found = found if isinstance(found, Says | str) else found(asked)
        return Says(html(found)) if isinstance(found, str) else found


def html(content: str, head: str = "") -> str:
    """A page that is no wiki's."""
    return f"<!DOCTYPE html><html><head><title>t</title>{head}</head><body>{content}</body></html>"


def links(*hrefs: str) -> str:
    return " ".join(f'<a href="{href}">x</a>' for href in hrefs)


def mediawiki(name: str, content: str) -> str:
    """An article as MediaWiki frames it."""
    return (
        f'<!DOCTYPE html><html><head><title>{name} - W</title><meta name="generator" '
        f'content="MediaWiki 1.19"></head><body><h1 id="firstHeading">{name}</h1>'
        f'<div id="bodyContent"><div id="mw-content-text"><p>{content}</p></div></div>'
        f'<script>mw.config.set({{"wgPageName":"{name}"}})</script></body></html>'
    )


def pukiwiki(
    name: str, content: str, age: str = "1d", seconds: str = "0.1", charset: str = "EUC-JP"
) -> bytes:
    """An article as PukiWiki 1.4.7 frames it, at some moment."""
    return (
        f'<?xml version="1.0" encoding="{charset}" ?><html><head><title>{name} - W</title></head>'
        f'<body><div id="header"><h1 class="title"><a href="?plugin=related">{name}</a></h1></div>'
        f'<div id="navigator"></div><div id="menubar"><ul><li>'
        f'<a href="?{name}" title="x ({age})">x</a></li></ul></div>'
        f'<div id="body"><p>{content.replace("AGE", age)}</p></div>'
        f'<div id="footer">PukiWiki 1.4.7 HTML convert time: {seconds} sec.</div></body></html>'
    ).encode(charset)


@contextmanager
def web(pages: dict[str, Page] | None = None, host: str = "127.0.0.1") -> Iterator[Web]:
    """Serve a table as long as the context lasts."""
    made: list[Web] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            said = made[0].answer(self.path, dict(self.headers))
            self.close_connection = True
            if said.raw is not None:
                self.wfile.write(said.raw)
                return
            body = said.body.encode() if isinstance(said.body, str) else said.body
            self.send_response(said.status)
            headers = {"Content-Type": said.kind, "Content-Length": str(len(body))}
            for name, value in {**headers, **said.headers}.items():
                if value:
                    self.send_header(name, value)
            self.end_headers()
            if said.status != 304:
                self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer((host, 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # whoever asked has gone
    made.append(Web(f"http://{host}:{server.server_address[1]}", pages or {}))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield made[0]
    finally:
        server.shutdown()
        server.server_close()
