"""What the tests of crawling have in common."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import kb
from kb.cli.group import main
from scraper.crawl import waiting_times
from tests.webs import Page, Web, links


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting is a matter of seconds elsewhere."""
    monkeypatch.setattr(waiting_times, "FIRST_WAIT", 0.01)


class Clock:
    """Time that goes by only where the crawler sleeps; `slept` are the seconds of each sleep."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the crawler's rate limiter: no test waits, or depends on how busy it is."""
    made = Clock()
    monkeypatch.setattr(waiting_times, "time", made)
    return made


def crawl(web: Web, into: Path, start: str = "/", **how: Any) -> kb.CrawlReport:
    return kb.crawl([web.url + start], into, **{"delay": 0.0, **how})


def lines(into: Path) -> list[dict[str, Any]]:
    """The manifest, each line of it true of its file."""
    found = [json.loads(line) for line in (into / "manifest.jsonl").read_text("utf-8").splitlines()]
    for line in found:
        assert hashlib.sha256((into / line["file"]).read_bytes()).hexdigest() == line["sha256"]
    return found


def kept(web: Web, into: Path) -> list[str]:
    return [line["url"].removeprefix(web.url) for line in lines(into)]


def failed(done: kb.CrawlReport) -> dict[str, str]:
    return {"/" + one.url.split("/", 3)[-1]: one.what for one in done.failed}


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["crawl", *words])


def numbered(number: int) -> dict[str, Page]:
    pages: dict[str, Page] = {f"/{n}": f"page {n}" + "x" * 5000 for n in range(1, number)}
    return {"/": links(*pages), **pages}
