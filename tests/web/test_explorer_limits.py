"""What the explorer does with requests that come from elsewhere, never end, or that nobody waits
for."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

import kb
from kb.web import safety
from kb.web.app import create_app
from kb.web.pages import PAGES
from kb.web.request_and_reply import Reply, Visit
from kb.web.safety import SAFE_HEADERS
from tests.explorer import serving

_TEXT = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def served() -> Iterator[kb.ReopenedBase]:
    """The bundled sample, as a server has it open."""
    opened = kb.ReopenedBase(kb.sample().file)
    yield opened
    opened.close()


@pytest.fixture
def server(served: kb.ReopenedBase) -> Iterator[httpx.Client]:
    """A client of an explorer of the sample."""
    with serving(create_app(served)) as address, httpx.Client(base_url=address) as client:
        yield client


class Slow:
    """A page that takes for ever, as far as it may: how many are at work, and how many ended."""

    def __init__(self) -> None:
        self.running = self.most = self.ended = 0
        self._lock = threading.Lock()

    def __call__(self, visit: Visit) -> Reply:
        with self._lock:
            self.running += 1
            self.most = max(self.most, self.running)
        try:
            while True:
                kb.check_time()
                time.sleep(0.01)
        finally:
            with self._lock:
                self.running -= 1
                self.ended += 1


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    """A page of which each visit takes for ever stands in the place of `verify` and `ask`."""
    page = Slow()
    for name in ("verify", "ask"):
        monkeypatch.setitem(PAGES, name, page)
    return page


@contextmanager
def connected(address: str) -> Iterator[socket.socket]:
    """A connection to a server, by which anything may be sent."""
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as opened:
        yield opened


def _until(is_so: Callable[[], Any], seconds: float = 8) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if is_so():
            return True
        time.sleep(0.02)
    return False


def _at_once(number: int, ask: Callable[[], object]) -> None:
    threads = [threading.Thread(target=ask) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _post(length: int, body: bytes = b"") -> bytes:
    lines = "POST /en/verify HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {length}", "", ""
    return "\r\n".join(lines).encode() + body


def test_an_error_of_the_program_has_the_headers_of_safety() -> None:
    class Broken:
        def base(self) -> None:
            raise RuntimeError("a bug")

    with serving(create_app(Broken())) as address:  # type: ignore[arg-type]
        answer = httpx.get(f"{address}/en/")
    assert answer.status_code == 500 and "bug" not in answer.text
    assert all(answer.headers[name] == value for name, value in SAFE_HEADERS.items())


def test_what_is_no_http_has_them_too(server: httpx.Client) -> None:
    with connected(str(server.base_url)) as opened:
        opened.sendall(b"NONSENSE \x01\r\n\r\n")
        answer = http.client.HTTPResponse(opened)
        answer.begin()
    assert answer.status == 400
    assert all(answer.headers[name] == value for name, value in SAFE_HEADERS.items())


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "{own}"}, 200),
        ({"Origin": "{own}", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "{own}", "Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
def test_a_text_that_a_foreign_page_sends_is_refused(
    server: httpx.Client, headers: dict[str, str], status: int
) -> None:
    own = str(server.base_url).rstrip("/")
    sent = {name: value.format(own=own) for name, value in headers.items()}
    answer = server.post("/en/verify", content="text=121.4", headers=_TEXT | sent)
    assert answer.status_code == status
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.slow
def test_a_page_that_takes_too_long_ends_and_says_so(served: kb.ReopenedBase, slow: Slow) -> None:
    with serving(create_app(served, seconds=1.5)) as address:
        answer = httpx.get(f"{address}/en/ask?q=draw")
        assert answer.status_code == 503 and "1.5 seconds" in answer.text
        assert _until(lambda: slow.ended == 1 and not slow.running)
        in_japanese = httpx.post(f"{address}/ja/verify", content="text=a", headers=_TEXT)
        assert "中止しました" in in_japanese.text
        document = httpx.get(f"{address}/en/ask?q=draw&format=json").json()
        assert document["error"]["values"] == {"seconds": "1.5"}
        assert _until(lambda: httpx.get(f"{address}/en/").status_code == 200)


def test_a_query_of_the_file_ends_with_its_time() -> None:
    with kb.sample() as base, kb.limited(kb.TimeLimit(0)), pytest.raises(kb.OutOfTimeError):
        base.show("121.4")
    with kb.sample() as base, kb.limited(kb.TimeLimit(60)):
        assert base.show("121.4").matches


def test_a_query_that_runs_is_interrupted() -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    with kb.sample() as base:
        begin = time.monotonic()
        with kb.limited(kb.TimeLimit(0.2)), pytest.raises(kb.OutOfTimeError):
            base._store.db.execute(endless).fetchall()
        assert time.monotonic() - begin < 5
        assert base.show("121.4").matches  # the next question is answered as ever


def test_work_that_nobody_waits_for_ends(served: kb.ReopenedBase, slow: Slow) -> None:
    with serving(create_app(served, seconds=60)) as address:
        with connected(address) as opened:
            opened.sendall(_post(6, b"text=a"))
            assert _until(lambda: slow.running == 1)
        assert _until(lambda: slow.ended == 1 and not slow.running)


@pytest.mark.slow
def test_one_client_can_not_have_all_turns(
    served: kb.ReopenedBase, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safety, "MOST_WAITING", 12)
    statuses: list[int] = []

    with serving(create_app(served, seconds=0.5)) as address:
        _at_once(
            16,
            lambda: statuses.append(httpx.get(f"{address}/en/ask?q=draw", timeout=20).status_code),
        )
    assert statuses == [503] * 16
    assert slow.most <= safety.OF_CLIENT
    assert slow.ended < 16, "what waits for too long, or is too much, is not begun"


def test_texts_are_verified_one_after_another(served: kb.ReopenedBase, slow: Slow) -> None:
    with serving(create_app(served, seconds=0.3)) as address:
        sent = {"content": "text=a", "headers": _TEXT, "timeout": 20}
        _at_once(3, lambda: httpx.post(f"{address}/en/verify", **sent))
    assert slow.most == 1 and 1 <= slow.ended <= 3


@pytest.mark.slow
def test_what_does_not_arrive_in_time_is_closed(
    served: kb.ReopenedBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safety, "SECONDS", 0.3)
    with serving(create_app(served, seconds=0.5)) as address:
        for beginning in (b"", b"GET /en/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "):
            with connected(address) as opened:
                opened.sendall(beginning)
                assert opened.recv(100) == b""
        with connected(address) as opened:  # a second request on a connection
            opened.sendall(b"GET /static/sansho.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            answer = http.client.HTTPResponse(opened)
            answer.begin()
            answer.read()
            opened.sendall(b"GET /en/ HT")
            assert opened.recv(100) == b""
        with connected(address) as opened:
            opened.sendall(_post(1000, b"text=a"))
            answer = b"".join(iter(lambda: opened.recv(4_000), b""))  # until it is closed
            assert answer.startswith(b"HTTP/1.1 408")
        with connected(address) as opened:
            opened.sendall(_post(99_999_999_999))
            assert opened.recv(100).startswith(b"HTTP/1.1 413")


def test_a_client_that_leaves_is_no_error_of_the_program(
    server: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    for sent in (
        _post(500, b"text="),
        _post(0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked") + b"zz\r\n",
    ):
        with connected(str(server.base_url)) as opened:
            opened.sendall(sent)
            time.sleep(0.05)
    assert server.get("/en/").status_code == 200
    time.sleep(0.1)
    assert not [one for one in caplog.records if one.levelname == "ERROR"]


def test_connections_that_wait_make_room(
    served: kb.ReopenedBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safety, "MOST_CONNECTIONS", 3)
    with serving(create_app(served)) as address:
        parts = urlsplit(address)
        opened = [socket.create_connection((parts.hostname, parts.port)) for _ in range(12)]
        assert httpx.get(f"{address}/en/", timeout=10).status_code == 200
        for each in opened:
            each.close()
