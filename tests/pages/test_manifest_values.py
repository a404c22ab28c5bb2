"""Values of a manifest that can't be: a warning each, and they are left out or detected."""

from __future__ import annotations

from pathlib import Path

import pytest

import kb
from tests.rulebooks import described

PAGE = (
    '<html><body><h1 id="firstHeading">引く{}</h1><div id="bodyContent"><p>カードを引く。</p></div>'
    "</body></html>"
)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("taken", value) for value in ("zzzz", "2026-02-31", "9999999-99-99", "20231117T25")),
        ("names", "bogus"),
        ("site", "nosuch"),
        ("game", "../x"),
        ("lang", "japanese"),
        ("edition", "often"),
        ("status", "200"),
    ],
)
def test_a_value_that_cannot_be_is_said(tmp_path: Path, key: str, value: str) -> None:
    stated = {"url": "http://mtgwiki.com/wiki/引く", key: value}
    described(tmp_path / "p", {"x.html": PAGE.format("")}, **stated)
    report = kb.build(tmp_path / "p", tmp_path / "x.db", workers=1)
    [told] = report.warnings
    assert key.replace("lang", "language") in told.what and told.where.endswith("x.html")
    assert key != "lang" or "language japanese: there are ar, cs" in told.what
    with kb.open(report.kb) as base:
        [page] = base.nodes("page")
        assert (page.lang, page.edition, page.game) == ("ja", None, "mtg")


def test_times_that_can_be(tmp_path: Path) -> None:
    times = ["2026-11-20T00:00:00Z", "20231117", "20231117093000", "2026-11-20"]
    for number, taken in enumerate([*times, "Fri, 02 Jan 1970 00:00:00 GMT"]):
        page = {f"{number}.html": PAGE.format(number)}
        described(tmp_path / "p", page, url=f"http://mtgwiki.com/wiki/引く{number}", taken=taken)
    assert not kb.build(tmp_path / "p", tmp_path / "x.db", workers=1).warnings


def test_an_answer_that_is_no_page(tmp_path: Path) -> None:
    """As of WARC files, and in Parquet files: an error's page would speak for the page."""
    for number, status in enumerate((404, 500, 301, 200)):
        page = {f"{number}.html": PAGE.format(number)}
        stated = {"url": "http://mtgwiki.com/wiki/引く", "taken": f"202{9 - number}-01-01"}
        described(tmp_path, page, status=status, **stated)
    report = kb.build(tmp_path, tmp_path / "x.db", workers=1)
    assert [warning.what[:29] for warning in report.warnings] == [
        f"an answer with the status {status}" for status in (404, 500, 301)
    ]
    assert report.pages == 1
