"""Values of a manifest that can't be: a warning each, and they are left out or detected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kb

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
        ("lang", "xx"),
        ("edition", "often"),
        ("status", "200"),
    ],
)
def test_a_value_that_cannot_be_is_said(tmp_path: Path, key: str, value: str) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "x.html").write_text(PAGE.format(""), "utf-8")
    entry = {"file": "x.html", "url": "http://mtgwiki.com/wiki/引く", key: value}
    (tmp_path / "p" / "manifest.jsonl").write_text(json.dumps(entry), "utf-8")
    report = kb.build(tmp_path / "p", tmp_path / "x.db", workers=1)
    [told] = report.warnings
    assert key.replace("lang", "language") in told.what and told.where.endswith("x.html")
    assert report.pages == 1


def test_times_that_can_be(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    lines = []
    for number, taken in enumerate(
        (
            "2026-11-20T00:00:00Z",
            "20231117",
            "20231117093000",
            "Fri, 02 Jan 1970 00:00:00 GMT",
            "2026-11-20",
        )
    ):
        (tmp_path / "p" / f"{number}.html").write_text(PAGE.format(number), "utf-8")
        url = f"http://mtgwiki.com/wiki/引く{number}"
        lines.append(json.dumps({"file": f"{number}.html", "url": url, "taken": taken}))
    (tmp_path / "p" / "manifest.jsonl").write_text("\n".join(lines), "utf-8")
    assert not kb.build(tmp_path / "p", tmp_path / "x.db", workers=1).warnings


def test_an_answer_that_is_no_page(tmp_path: Path) -> None:
    """As of WARC files, and in Parquet files: an error's page would speak for the page."""
    lines = []
    for number, status in enumerate((404, 500, 301, 200)):
        (tmp_path / f"{number}.html").write_text(PAGE.format(number), "utf-8")
        entry = {"file": f"{number}.html", "url": "http://mtgwiki.com/wiki/引く", "status": status}
        lines.append(json.dumps(entry | {"taken": f"202{9 - number}-01-01"}))
    (tmp_path / "manifest.jsonl").write_text("\n".join(lines), "utf-8")
    report = kb.build(tmp_path, tmp_path / "x.db", workers=1)
    assert [warning.what[:29] for warning in report.warnings] == [
        f"an answer with the status {status}" for status in (404, 500, 301)
    ]
    assert report.pages == 1
