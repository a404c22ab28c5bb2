"""docs/data.md: the schema fits what is written, and the accuracy is what was measured."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import kb
from kb.cli.group import main
from tests import accuracy
from tests.cli.test_every_command import ASKED
from tests.commands import run
from tests.conftest import SAMPLE
from tests.knowledge.test_accuracy import FLOORS

_NO_SCHEMA = {"site"}  # needs an extra


@pytest.fixture(scope="module")
def strict() -> Draft202012Validator:
    """The schema that the command prints, with objects that have the declared fields alone."""
    schema = json.loads(run("export", "--schema").stdout)
    assert schema == kb.json_schema()
    Draft202012Validator.check_schema(schema)
    for part in (schema, *schema["$defs"].values(), schema["properties"]["row"]):
        part["additionalProperties"] = False
    return Draft202012Validator(schema)


def _wrong(validator: Draft202012Validator, document: Any) -> list[str]:
    return [
        f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(document)
    ]


def test_every_command_with_a_document_has_a_schema() -> None:
    with_json = {
        name
        for name, command in main.commands.items()
        if any("--json" in option.opts for option in command.params)
    }
    described = kb.json_schema()["properties"].keys() - {"node", "edge", "row", "error"}
    assert described == with_json - _NO_SCHEMA


@pytest.mark.parametrize("command", ASKED)
def test_documents_of_commands_fit(
    strict: Draft202012Validator, base: kb.KnowledgeBase, tmp_path: Path, command: str
) -> None:
    documents = []
    for words in ASKED[command]:
        asked = words.format(out=tmp_path / "out").split()
        document = json.loads(run(command, *asked, "--json", of=base).stdout)
        named = {"error": document["error"]} if "error" in document else {command: document}
        documents.append(named)
    assert documents and [_wrong(strict, each) for each in documents] == [[]] * len(documents)


def test_documents_of_checks_and_builds_fit(
    strict: Draft202012Validator, base: kb.KnowledgeBase, tmp_path: Path
) -> None:
    draft = tmp_path / "draft.md"
    draft.write_text("CR 704.5b「前回調べた時よりあとに敗北する」, rule 999.9, ドロー。\n", "utf-8")
    for command in ("verify", "check"):
        document = json.loads(run(command, draft, "--json", of=base).stdout)
        assert document["claims" if command == "verify" else "segments"]
        assert _wrong(strict, {command: document}) == []
    built = run("build", SAMPLE / "dmwiki", "--json", of=tmp_path / "x.db").stdout
    assert _wrong(strict, {"build": json.loads(built)}) == []


def test_lines_and_rows_of_exports_fit(
    strict: Draft202012Validator, base: kb.KnowledgeBase, tmp_path: Path
) -> None:
    base.export(tmp_path / "graph.jsonl")
    for line in (tmp_path / "graph.jsonl").read_text("utf-8").splitlines()[::5]:  # for speed
        assert _wrong(strict, json.loads(line)) == []
    base.export(tmp_path / "terms.csv")
    with (tmp_path / "terms.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 100 and not [row for row in rows[::5] if _wrong(strict, {"row": row})]


def test_a_document_that_lacks_a_field_or_has_another_type_does_not_fit(
    strict: Draft202012Validator, base: kb.KnowledgeBase
) -> None:
    document = json.loads(run("top", "--max", 1, "--json", of=base).stdout)
    assert _wrong(strict, {"top": document}) == []
    assert _wrong(strict, {"top": {**document, "nodes": "none"}})
    assert _wrong(strict, {"top": {name: document[name] for name in [*document][1:]}})


def test_the_accuracy_on_the_page_is_above_the_floors() -> None:
    """That it is what is measured, the tests of the floors say, which take longer."""
    rows = accuracy.PAGE.read_text("utf-8").splitlines()
    below = []
    for kind, floors in FLOORS.items():
        [row] = [row for row in rows if row.startswith(f"| {accuracy.IN_GRAPH[kind]} |")]
        figures = [float(cell) for cell in row.split("|")[2:6]]
        if not all(n >= floor for n, floor in zip(figures, sum(floors, ()), strict=True)):
            below.append(row)
    assert rows and not below


def test_the_code_of_the_page_runs() -> None:
    [code] = re.findall("(?s)```python\n(.*?)```", accuracy.PAGE.read_text("utf-8"))
    done: dict[str, object] = {}
    exec(compile(code, "data.md", "exec"), done)
    assert "kb" in done
