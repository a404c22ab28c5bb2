"""What people look for at the root is there, is current, and names nothing that is not there."""

from __future__ import annotations

import re
import subprocess
import tomllib
from typing import Any

import click
import pytest
import yaml

from kb.cli.group import main
from tests.cli.test_cli import shell_lines
from tests.conftest import ROOT

_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
_VERSION = _PROJECT["project"]["version"]
_PYTHONS = [
    line.rpartition(" ")[2]
    for line in _PROJECT["project"]["classifiers"]
    if re.search(r":: 3\.\d+$", line)
]
_FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
# By the schema of CFF 1.2.0.
_CFF_NEEDED = {"authors", "cff-version", "message", "title"}
_CFF_KEYS = _CFF_NEEDED | {
    "abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords", "license",
    "license-url", "preferred-citation", "references", "repository", "repository-artifact",
    "repository-code", "type", "url", "version",
}  # fmt: skip
_CHANGES = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def _yaml(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def _parts(changelog: str) -> list[str]:
    """The versions of a changelog, as their headings name them."""
    return re.findall(r"^## \[(.+?)\]", changelog, re.MULTILINE)


def test_the_changelog_is_kept() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    unreleased, *released = _parts(text)
    assert unreleased == "Unreleased"
    assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) <= _CHANGES
    heads = re.findall(r"^## \[\d.*$", text, re.MULTILINE)
    assert all(re.fullmatch(r"## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", head) for head in heads)
    # The first version has no part until it is released; from then on the newest part is its own.
    tags = subprocess.run(["git", "tag"], cwd=ROOT, capture_output=True, check=False).stdout
    is_released = f"v{_VERSION}" in tags.decode().split()
    assert released[:1] == [_VERSION] or not (released or is_released)


def test_the_citation_is_valid_and_of_this_version() -> None:
    cited = _yaml("CITATION.cff")
    assert _CFF_NEEDED <= set(cited) <= _CFF_KEYS
    assert cited["cff-version"] == "1.2.0" and cited["type"] == "software"
    assert cited["authors"] == [{"name": "The sansho contributors"}]
    assert cited["version"] == _VERSION
    assert cited["license"] == _PROJECT["project"]["license"]


def test_the_same_pythons_everywhere() -> None:
    workflow = _yaml(".github/workflows/tests.yml")
    matrix = workflow["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == _PYTHONS == _PROJECT["tool"]["tox"]["env_list"]
    assert _PROJECT["project"]["requires-python"] == f">={_PYTHONS[0]}"
    assert f"Python {_PYTHONS[0]} to {_PYTHONS[-1]}" in (ROOT / "docs/versions.md").read_text(
        "utf-8"
    )


def test_the_workflow_runs_what_is_there() -> None:
    steps = _yaml(".github/workflows/tests.yml")["jobs"]["test"]["steps"]
    commands = "\n".join(step.get("run", "") for step in steps)
    extras = {each for found in re.findall(r"\[(.+?)\]", commands) for each in found.split(",")}
    assert extras and extras <= set(_PROJECT["project"]["optional-dependencies"])
    assert all((ROOT / path).is_dir() for path in re.findall(r"tests/\w+", commands))


def test_commits_are_checked_as_changes_are() -> None:
    [local] = _yaml(".pre-commit-config.yaml")["repos"]
    assert local["repo"] == "local"
    entries = [" ".join(hook["entry"].split()[:2]) for hook in local["hooks"]]
    run = (ROOT / ".ci" / "run").read_text("utf-8")
    assert len(entries) == 4 and all(f"\n{entry}" in run for entry in entries)


@pytest.mark.parametrize("form", _FORMS, ids=lambda form: form.stem)
def test_a_form_asks_for_something(form: Any) -> None:
    read = yaml.safe_load(form.read_text("utf-8"))
    assert {"name", "description", "body"} <= set(read)
    fields = [each for each in read["body"] if each["type"] != "markdown"]
    ids = [each["id"] for each in fields if "id" in each]
    assert fields and len(set(ids)) == len(ids)
    assert all(each["attributes"]["label"] for each in fields)
    assert any(each.get("validations", {}).get("required") for each in fields)


def test_the_commands_that_are_named_are_there() -> None:
    lines = shell_lines((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    for form in _FORMS:
        lines += [
            line.strip() for line in form.read_text("utf-8").splitlines() if " sansho " in line
        ]
    asked = [line.split() for line in lines if re.match(r"sansho [a-z]+ ", f"{line} ")]
    assert len(asked) > 3
    for _, name, *words in asked:
        command = main.commands[name]
        assert isinstance(command, click.Command)
        options = {option for param in command.params for option in param.opts}
        assert {word for word in words if word.startswith("--")} <= options, (name, words)


def test_the_times_of_the_tests_are_said() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert "three and a half minutes" in text and "twelve minutes" in text


def test_nobody_is_asked_to_report_in_public() -> None:
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    assert "private" in text and "docs/security.md" in text and "@" not in text
