"""Follows every hint of results at every door: what was left out, how a list goes on.

    python -m benchmarks.hints [BASE.db…]

The commands of the oracle are asked of each base (the bundled sample, if none is named), with
`--json`. Each question that a document holds is asked in Python, as the command that the terminal
prints, as the page that the explorer links to, and as the tool that the assistants' server names.
Prints how many there are of each kind, and each that does not do what it says; exit code 1 then.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner
from starlette.testclient import TestClient

import kb
from benchmarks.oracle.ask import questions
from kb.cli.group import main
from kb.cli.wording import command
from kb.mcp.quoting import ARGUMENTS, tool_arguments
from kb.mcp.server import TOOLS
from kb.web.addresses import asked_address
from kb.web.app import create_app

_COMMANDS = Path(__file__).parent / "oracle" / "questions" / "commands.txt"
_NO_HINTS = frozenset({"build", "crawl", "serve", "mcp", "demo", "near", "completion", "export"})


def hints(base: Path) -> dict[str, kb.Ask]:
    """Return the questions that the documents of the oracle's commands hold, each once."""
    found: dict[str, kb.Ask] = {}
    for line in questions(_COMMANDS, "sample"):
        words = shlex.split(line) if "<<<" not in line and "&&" not in line else [""]
        if not words or words[0] in ("", *_NO_HINTS):
            continue
        done = CliRunner().invoke(main, [words[0], "--kb", str(base), *words[1:], "--json"])
        try:
            document = json.loads(done.stdout)
        except ValueError:
            continue
        for ask in asks_in(document):
            found[json.dumps(ask, sort_keys=True)] = kb.Ask(ask["question"], **ask["arguments"])
    return found


def asks_in(document: Any) -> Iterator[dict[str, Any]]:
    """Yield the questions that a document holds, wherever they stand."""
    if isinstance(document, dict):
        if document.keys() == {"question", "arguments"}:
            yield document
            return
        document = list(document.values())
    if isinstance(document, list):
        for each in document:
            yield from asks_in(each)


def run(base: Path) -> list[str]:
    """Follow the hints of a base; print the sums and return what went wrong."""
    os.environ["SANSHO_KB"] = str(base)
    wrong: list[str] = []
    counts: Counter[str] = Counter()
    served = kb.ReopenedBase(base)
    found = hints(base)
    tools = {tool.__name__: tool for tool, *_ in TOOLS}
    with kb.open(base) as opened, TestClient(create_app(served), "http://127.0.0.1") as client:
        for ask in found.values():
            counts[f"hints of {ask.question}"] += 1
            try:
                result = opened.follow(ask)
                if not _says_something(result):
                    wrong.append(f"Python: nothing: {ask}")
            except kb.ERRORS as error:
                wrong.append(f"Python: {error}: {ask}")
            counts["asked in Python"] += 1
            with click.Context(main):
                line = command(ask)
            if line:
                counts["commands"] += 1
                done = CliRunner().invoke(main, shlex.split(line)[1:])
                if done.exit_code:
                    wrong.append(f"terminal: exit code {done.exit_code}: {line}: {done.stderr}")
            if address := asked_address("en", ask):
                counts["pages"] += 1
                answer = client.get(address)
                if answer.status_code != 200 or "Not understood" in answer.text:
                    wrong.append(f"explorer: {answer.status_code}: {address}")
            if ask.question in tools:
                counts["tools"] += 1
                called = {
                    ARGUMENTS.get(each.name, each.name): each.value for each in tool_arguments(ask)
                }
                try:
                    tools[ask.question](opened, **called)
                except (TypeError, *kb.ERRORS) as error:
                    wrong.append(f"tool: {error}: {ask}")
    served.close()
    print(f"{base}: {len(found):,} hints; {dict(counts)}")
    return wrong


def _says_something(result: Any) -> bool:
    return bool(result) if hasattr(result, "__len__") else result is not None


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        bases = [Path(name) for name in sys.argv[1:]]
        if not bases:
            kb.build(kb=Path(folder) / "sample.db")
            bases = [Path(folder) / "sample.db"]
        problems = [problem for base in bases for problem in run(base)]
    print("\n".join(problems))
    sys.exit(bool(problems))
