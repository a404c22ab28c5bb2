"""Follows every hint of results at every door: what was left out, how a list goes on.

    python -m benchmarks.hints [BASE.db…]

The commands of the oracle are asked of each base (the bundled sample, if none is named), with
`--json`. Each question that a document holds is asked in Python, as the command that the terminal
prints, as the page that the explorer links to, and as the tool that the assistants' server names;
and it must give what it was said to give: the node or a node of the kind, the edition, the
language, the number. Prints how many there are of each kind, and each that does not do what it
says; exit code 1 then.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner
from mcp import Client
from starlette.testclient import TestClient

import kb
from benchmarks.oracle.ask import questions
from kb.cli.group import main
from kb.cli.wording import command
from kb.mcp.replies import ARGUMENTS, is_of_tools, tool_arguments
from kb.mcp.server import build_server
from kb.web.addresses import asked_address
from kb.web.app import create_app

_COMMANDS = Path(__file__).parent / "oracle" / "questions" / "commands.txt"
# "sansho knows" stands within a warning.
_COMMAND = re.compile(r"^.*?\b(sansho (?!audit |knows )[a-z]+ .*?)(?:  .*)?$", re.MULTILINE)
_REFUSED = 2  # exit code
_NO_HINTS = frozenset({"build", "crawl", "serve", "mcp", "demo", "near", "completion", "export"})


@dataclass(frozen=True)
class Hint:
    """A question that a document holds, and what was said of it: the id of a node, and values."""

    ask: kb.Ask
    id: str | None
    values: Mapping[str, Any]


def hints(base: Path, table: str) -> dict[str, Hint]:
    """Return the questions that the documents of the oracle's commands hold, each once.

    table: the section of the commands, besides those for all bases: `real` or `sample`.
    """
    found: dict[str, Hint] = {}
    for line in questions(_COMMANDS, table):
        words = shlex.split(line) if "<<<" not in line and "&&" not in line else [""]
        if not words or words[0] in ("", *_NO_HINTS):
            continue
        done = CliRunner().invoke(main, [words[0], "--kb", str(base), *words[1:], "--json"])
        try:
            document = json.loads(done.stdout)
        except ValueError:
            continue
        for hint in hints_in(document, None, {}):
            found.setdefault(repr(hint.ask), hint)
    return found


def printed_commands(base: Path, table: str) -> dict[str, str]:
    """Return the commands that the oracle's commands print, each with the one that first did."""
    found: dict[str, str] = {}
    for line in questions(_COMMANDS, table):
        words = shlex.split(line) if "<<<" not in line and "&&" not in line else [""]
        if not words or words[0] in ("", *_NO_HINTS) or {"--json", "--help", "--out"} & {*words}:
            continue
        done = CliRunner().invoke(main, [words[0], "--kb", str(base), *words[1:]])
        for printed in _COMMAND.findall(done.output) if done.exit_code < _REFUSED else ():
            found.setdefault(printed, line)
    return found


def hints_in(document: Any, node: str | None, values: Mapping[str, Any]) -> Iterator[Hint]:
    """Yield the questions that a document holds, wherever they stand.

    node, values: what the reason says that the document is part of.
    """
    if isinstance(document, dict):
        if document.keys() == {"question", "arguments"}:
            yield Hint(kb.Ask(document["question"], **document["arguments"]), node, values)
            return
        if document.keys() >= {"reason", "values", "ask"}:
            node, values = document.get("id"), document["values"]
        document = list(document.values())
    if isinstance(document, list):
        for each in document:
            yield from hints_in(each, node, values)


def broken_promise(base: kb.KnowledgeBase, hint: Hint, document: Mapping[str, Any]) -> str:
    """Return what an answer, as JSON, lacks of what was said of it; empty if it lacks nothing."""
    ask, values = hint.ask, hint.values
    if hint.id:
        scope = {n: ask.arguments[n] for n in ("game", "edition", "lang") if n in ask.arguments}
        refs = [ask.arguments.get(name) for name in ("ref", "start", "end", "term", "mentions")]
        named = [node for ref in refs if ref for node in base.show(ref, **scope).matches]
        ids = {node.id for node in named}
        # A number names the rule in all its editions; the id is that of the newest.
        if hint.id not in ids and hint.id not in json.dumps(document, ensure_ascii=False):
            return f"another node than {hint.id}"
        if ids and values.get("kind") not in (None, *(node.kind for node in named)):
            return f"no {values['kind']}"
    words = json.dumps(document, ensure_ascii=False)
    if not hint.id and values.get("kind") not in (None, "node"):
        kinds = {each["kind"] for each in _items(document) if isinstance(each.get("kind"), str)}
        if kinds - {values["kind"]}:
            return f"other kinds than {values['kind']}: {kinds}"
    if ask.question == "top" and "edition" in values:  # terms are of none
        editions = {each.get("edition") for each in _items(document)} - {None, values["edition"]}
        return f"of editions {editions}" if editions else ""
    for name in ("edition", "lang"):
        value = values.get(name)
        if isinstance(value, str) and f'"{value}"' not in words and f"/{value}/" not in words:
            return f"no {name} {value}"
    passages = values.get("passages")
    number = passages["values"].get("number") if isinstance(passages, dict) else passages
    least = max(number or 0, values.get("cards") or 0, values.get("more") or 0)
    total = document.get("line_total") or document.get("total") or len(_items(document))
    return f"{total}, not {least}" if total < least else ""


def _items(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what an answer lists: the entries of its first list of objects, their nodes if they
    have one."""
    lists = (each for name, each in document.items() if isinstance(each, list) and name != "also")
    found = next((each for each in lists if each and isinstance(each[0], dict)), [])
    return [each["node"] if isinstance(each.get("node"), dict) else each for each in found]


def repeats(base: kb.KnowledgeBase, ask: kb.Ask, document: Mapping[str, Any]) -> bool:
    """Return whether what goes on behind a place is what the list begins with."""
    if ask.question == "diff" or ask.arguments.get("after", "start") == "start":
        return False
    begun = {name: value for name, value in ask.arguments.items() if name != "after"}
    first = base.follow(kb.Ask(ask.question, **begun)).as_json()
    lists = [name for name in ("hits", "lines", "edges") if document.get(name)]
    return any(document[name][0] in first[name] for name in lists)


async def refused_calls(
    served: kb.ReopenedBase, calls: Sequence[tuple[str, Mapping[str, Any]]]
) -> list[str]:
    """Call tools as assistants do, through the server; return what it refuses, with its words."""
    wrong = []
    async with Client(build_server(served)) as client:
        for tool, arguments in calls:
            answer = await client.call_tool(tool, json.loads(json.dumps(arguments)))
            if answer.is_error:
                words = " ".join(getattr(each, "text", "") for each in answer.content)
                wrong.append(f"tool: {words}: {tool} {arguments}")
    return wrong


def run(base: Path, table: str) -> list[str]:
    """Follow the hints of a base; print the sums and return what went wrong."""
    os.environ["SANSHO_KB"] = str(base)
    wrong: list[str] = []
    counts: Counter[str] = Counter()
    served = kb.ReopenedBase(base)
    found = hints(base, table)
    calls: list[tuple[str, dict[str, Any]]] = []
    with kb.open(base) as opened, TestClient(create_app(served), "http://127.0.0.1") as client:
        for hint in found.values():
            ask = hint.ask
            counts[f"hints of {ask.question}"] += 1
            counts["asked in Python"] += 1
            try:
                result = opened.follow(ask)
            except kb.ERRORS as error:
                wrong.append(f"Python: {error}: {ask}")
                continue
            document = json.loads(json.dumps(result.as_json(), default=str))
            if not _says_something(result):
                wrong.append(f"Python: nothing: {ask}")
            elif lacks := broken_promise(opened, hint, document):
                wrong.append(f"Python: {lacks}: {ask}: {hint.id} {hint.values}")
            elif repeats(opened, ask, document):
                wrong.append(f"Python: the same again: {ask}")
            with click.Context(main):
                line = command(ask)
            if line:
                counts["commands"] += 1
                done = CliRunner().invoke(main, [*shlex.split(line)[1:], "--json"])
                if done.exit_code:
                    wrong.append(f"terminal: exit code {done.exit_code}: {line}: {done.stderr}")
                elif lacks := broken_promise(opened, hint, json.loads(done.stdout)):
                    wrong.append(f"terminal: {lacks}: {line}")
            if address := asked_address("en", ask):
                counts["pages"] += 1
                answer = client.get(address)
                if answer.status_code != 200 or "Not understood" in answer.text:
                    wrong.append(f"explorer: {answer.status_code}: {address}")
                else:
                    shown = client.get(f"{address}{'&' if '?' in address else '?'}format=json")
                    if lacks := broken_promise(opened, hint, shown.json()):
                        wrong.append(f"explorer: {lacks}: {address}")
            if is_of_tools(ask):
                counts["tools"] += 1
                arguments = {
                    ARGUMENTS.get(each.name, each.name): each.value for each in tool_arguments(ask)
                }
                calls.append((ask.question, arguments))
    wrong += asyncio.run(refused_calls(served, calls))
    printed = printed_commands(base, table)
    counts["printed commands"] = len(printed)
    for line, typed in printed.items():
        done = CliRunner().invoke(main, shlex.split(line)[1:])
        if done.exit_code:
            wrong.append(f"printed by {typed}: exit code {done.exit_code}: {line}: {done.stderr}")
    served.close()
    print(f"{base}: {len(found):,} hints; {dict(counts)}")
    return wrong


def _says_something(result: Any) -> bool:
    if isinstance(result, kb.Diff) and result.same:
        return True  # that nothing changed
    return bool(result) if hasattr(result, "__len__") else result is not None


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        bases = [(Path(name), "real") for name in sys.argv[1:]]
        if not bases:
            kb.build(kb=Path(folder) / "sample.db")
            bases = [(Path(folder) / "sample.db", "sample")]
        problems = [problem for base, table in bases for problem in run(base, table)]
    print("\n".join(problems))
    sys.exit(bool(problems))
