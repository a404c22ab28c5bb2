"""What the explorer does for its readers while others misuse it.

    python -m benchmarks.explorer_siege KB [--readers 20] [--bursts 10]

Starts `sansho serve` as a process of its own. Then at the same time: 100 requests of which only the
beginning is sent, 20 texts of 99 kB that are sent to be verified by clients that go away, and
readers that ask for pages. It prints how long the readers wait, what the server's processor does 15
seconds after, and its memory after two and after ten bursts of many pages. Needs psutil.
"""

from __future__ import annotations

import argparse
import http.client
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from urllib.parse import quote, urlencode, urlsplit

import psutil

import kb

_SERVE = "from kb.cli import main; main()"
_HALF = b"GET /en/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


@contextmanager
def _server(file: str) -> Iterator[tuple[str, int, psutil.Process]]:
    command = [sys.executable, "-c", _SERVE, "serve", "--port", "0", "--kb", file]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        address = urlsplit(process.stdout.readline().strip())
        try:
            yield address.hostname or "", address.port or 0, psutil.Process(process.pid)
        finally:
            process.kill()


def _get(host: str, port: int, path: str) -> tuple[int, float]:
    begin = time.perf_counter()
    connection = http.client.HTTPConnection(host, port, timeout=60)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        return answer.status, time.perf_counter() - begin
    finally:
        connection.close()


def _half_sent(host: str, port: int, number: int) -> list[socket.socket]:
    sockets = []
    for _ in range(number):
        one = socket.create_connection((host, port))
        one.sendall(_HALF)
        sockets.append(one)
    return sockets


def _abandon(host: str, port: int, body: bytes, wait: float) -> None:
    with socket.create_connection((host, port)) as one:
        head = (
            f"POST /en/verify HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        one.sendall(head.encode() + body)
        time.sleep(wait)


def _text(base: kb.KnowledgeBase, rng: Random) -> bytes:
    rules = [node for node in base.nodes("rule") if node.text and 40 < len(node.text) < 400]
    pieces: list[str] = []
    while sum(map(len, pieces)) < 99_000:
        rule = rng.choice(rules)
        words = (rule.text or "").split()
        words[rng.randrange(len(words))] = rng.choice(("moon", "forty"))
        pieces.append(f"Rule {rule.number} says “{' '.join(words)}”.\n")
    return urlencode({"text": "".join(pieces)[:99_000]}).encode()


def _pages(base: kb.KnowledgeBase, rng: Random, number: int) -> list[str]:
    nodes = [node.id for kind in ("rule", "term", "page") for node in base.nodes(kind)]
    paths = [f"/en/node/{quote(node)}" for node in rng.sample(nodes, min(number, len(nodes)))]
    return [*paths, "/en/", "/en/top", "/ja/search?q=" + quote("カード")]


def _read(host: str, port: int, paths: list[str], found: list[tuple[int, float]]) -> None:
    found += [_get(host, port, path) for path in paths]


def _burst(host: str, port: int, pages: list[str], readers: int, rng: Random) -> list[float]:
    found: list[tuple[int, float]] = []
    threads = [
        threading.Thread(target=_read, args=(host, port, rng.sample(pages, 5), found))
        for _ in range(readers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(status == 200 for status, _ in found), {status for status, _ in found}
    return [seconds for _, seconds in found]


def main() -> None:
    """Besiege a server, and print what its readers see of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kb")
    parser.add_argument("--readers", type=int, default=20)
    parser.add_argument("--bursts", type=int, default=10)
    options = parser.parse_args()
    rng = Random(5)
    with kb.open(options.kb) as base:
        bodies = [_text(base, rng) for _ in range(20)]
        pages = _pages(base, rng, 200)
    with _server(options.kb) as (host, port, process):
        time.sleep(3)
        _burst(host, port, pages, 4, rng)
        quiet = _burst(host, port, pages, options.readers, rng)
        print(f"readers alone: median {statistics.median(quiet):.2f} s, longest {max(quiet):.2f} s")
        half = _half_sent(host, port, 100)
        for body in bodies:
            wait = rng.uniform(0.2, 3)
            threading.Thread(target=_abandon, args=(host, port, body, wait)).start()
        busy = _burst(host, port, pages, options.readers, rng)
        print(f"besieged:      median {statistics.median(busy):.2f} s, longest {max(busy):.2f} s")
        time.sleep(15)
        before = sum(process.cpu_times()[:2])
        time.sleep(3)
        used = sum(process.cpu_times()[:2]) - before
        closed = sum(not _is_open(one) for one in half)
        print(f"15 s after: {used / 3:.3f} of a processor, {closed} of 100 half-sent closed")
        sizes = []
        for _ in range(options.bursts):
            _burst(host, port, pages, options.readers, rng)
            sizes.append(process.memory_info().rss / 1e6)
        print("memory after each burst:", " ".join(f"{size:.0f}" for size in sizes), "MB;",
              f"after the last {sizes[-1] / sizes[1]:.2f} times that after two")  # fmt: skip


def _is_open(one: socket.socket) -> bool:
    one.settimeout(0.2)
    try:
        return one.recv(1) != b""
    except TimeoutError:
        return True
    except OSError:
        return False


if __name__ == "__main__":
    main()
