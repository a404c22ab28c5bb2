"""Findings as SARIF 2.1.0, and the baseline that keeps those of an earlier check."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from kb.checking.baseline import fingerprints, new_findings, read_baseline, write_baseline
from kb.checking.draft import Finding, Kind, Segment, finding_at, given_by
from kb.checking.sarif import RULES, sarif
from kb.errors import SourceError, StoreError
from kb.reason import Reason

# What SARIF's schema allows of the objects that are used here: the properties, required ones with
# an exclamation mark, and what each is: a type, another object, or a list of one.
SCHEMA: dict[str, dict[str, Any]] = {
    "log": {"$schema": str, "version!": str, "runs!": ["run"]},
    "run": {"tool!": "tool", "columnKind": str, "artifacts": ["artifact"], "results": ["result"]},
    "tool": {"driver!": "driver"},
    "driver": {"name!": str, "version": str, "rules": ["rule"]},
    "rule": {
        "id!": str, "name": str, "shortDescription": "text", "fullDescription": "text",
        "help": "text", "defaultConfiguration": "configuration",
    },
    "text": {"text!": str},
    "configuration": {"level": str},
    "artifact": {"location": "address"},
    "address": {"uri": str, "uriBaseId": str},
    "result": {
        "ruleId": str, "ruleIndex": int, "level": str, "message!": "text",
        "locations": ["location"], "partialFingerprints": dict, "properties": dict,
    },
    "location": {"physicalLocation": "physical", "logicalLocations": ["logical"]},
    "physical": {"artifactLocation": "address", "region": "region"},
    "logical": {"name": str, "kind": str},
    "region": {
        "startLine": int, "startColumn": int, "endLine": int, "endColumn": int, "snippet": "text",
    },
}  # fmt: skip
SEGMENT = Segment("u1", 3, "Pull a card.", places=((0, 3, 2), (5, 4, 0)))
FINDINGS = [
    finding_at(
        SEGMENT, 0, 4, "forbidden-term", Reason("is_forbidden", written="Pull"), expected="Draw",
        term="mtg/term/引く", giver=given_by("decisions.csv:3"), suggestion="Draw",
        source_text="引く",
    ),
    finding_at(SEGMENT, 2, 8, "number", Reason("source_does_not_say", written="a card")),
    finding_at(SEGMENT, 4, 4, "missing-term", Reason("should_be", written="引く", name="Draw")),
    Finding(1, 0, 0, "", "of a kind to come"),
]  # fmt: skip


def assert_valid(value: Any, shape: Any) -> None:
    """A value has the shape that the schema gives it, and no property more."""
    if isinstance(shape, list):
        assert isinstance(value, list)
        for item in value:
            assert_valid(item, shape[0])
    elif isinstance(shape, str):
        properties = {name.rstrip("!"): inner for name, inner in SCHEMA[shape].items()}
        assert {name[:-1] for name in SCHEMA[shape] if name.endswith("!")} <= set(value)
        assert set(value) <= set(properties)
        for name, inner in value.items():
            assert_valid(inner, properties[name])
    else:
        assert type(value) is shape


def test_the_log_is_as_the_schema_says() -> None:
    log = sarif(FINDINGS, "draft.txt", "1.0")
    assert_valid(log, "log")
    assert log["version"] == "2.1.0"
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in run["results"]:
        assert result["level"] in ("error", "warning", "note")
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        region = result["locations"][0]["physicalLocation"]["region"]
        assert min(region[name] for name in region if name != "snippet") >= 1
        assert all(isinstance(value, str) for value in result["properties"].values())
    assert json.loads(json.dumps(log)) == log


def test_each_kind_has_a_rule() -> None:
    assert set(RULES) == set(get_args(Kind))


def test_regions_count_from_one() -> None:
    results = sarif(FINDINGS, "draft.txt", "1.0")["runs"][0]["results"]
    regions = [result["locations"][0]["physicalLocation"]["region"] for result in results]
    assert regions[0] == {
        "startLine": 3, "startColumn": 3, "endLine": 3, "endColumn": 7, "snippet": {"text": "Pull"},
    }  # fmt: skip
    assert (regions[1]["startLine"], regions[1]["endLine"]) == (3, 4)
    assert (regions[1]["startColumn"], regions[1]["endColumn"]) == (5, 4)
    assert regions[2]["startColumn"] == regions[2]["endColumn"]


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("a dir/b:引.md", {"uri": "a%20dir/b%3A%E5%BC%95.md", "uriBaseId": "%SRCROOT%"}),
        (str(Path.cwd() / "a.md"), {"uri": "a.md", "uriBaseId": "%SRCROOT%"}),
        ("/elsewhere/a.md", {"uri": "file:///elsewhere/a.md"}),
    ],
)
def test_addresses_are_relative_and_escaped(path: str, address: dict[str, str]) -> None:
    run = sarif(FINDINGS[:1], path, "1.0")["runs"][0]
    assert run["artifacts"][0]["location"] == address


def test_what_is_in_the_baseline_is_not_new(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    assert write_baseline(FINDINGS, path) == len(FINDINGS)
    baseline = read_baseline(path)
    moved = [replace(finding, line=finding.line + 7, said=None) for finding in FINDINGS]
    assert list(new_findings(moved, baseline)) == []
    again = [*FINDINGS, FINDINGS[0]]
    assert list(new_findings(again, baseline)) == [FINDINGS[0]]
    changed = replace(FINDINGS[1], segment_text="Another text.")
    assert list(new_findings([changed], baseline)) == [changed]
    assert list(new_findings(FINDINGS[2:], baseline)) == []
    assert len({known for _, known in fingerprints([*FINDINGS, *FINDINGS])}) == 2 * len(FINDINGS)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{}", b"[]", b"\xff", b"[" * 100_000, b'{"sansho-baseline": 2, "findings": []}',
        b'{"sansho-baseline": 1, "findings": [{}]}', b'{"sansho-baseline": 1, "findings": [3]}',
        b"9" * 10_000,
    ],
)  # fmt: skip
def test_a_wrong_baseline_is_one_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "baseline.json"
    path.write_bytes(content)
    with pytest.raises(SourceError) as caught:
        read_baseline(path)
    assert str(caught.value).startswith(f"{path}: no baseline")
    assert "\n" not in str(caught.value)


def test_a_baseline_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="the baseline can't be read"):
        read_baseline(tmp_path / "none.json")
    with pytest.raises(StoreError, match="can't be written"):
        write_baseline(FINDINGS, tmp_path / "none" / "baseline.json")
