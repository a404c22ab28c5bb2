"""How fast the server for editors answers: forty requests on five files of two hundred lines.

    python -m benchmarks.editor sansho.db [--game mtg]

It starts `sansho lsp` as an editor does, opens the files, and asks ten times each which rule and
which term is under the cursor, which repairs there are, and where a rule stands; then it changes
each file once, and takes the time until its problems are there. The files are made of the base's
newest rules in English: of five lines one cites a rule, one in ten quotes one, and half of these in
other words.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import kb
from tests.lsp.client import Editor, whole, with_editor

_NAMES = ("notes.md", "answer.txt", "guide.rst", "engine.py", "rules.cpp")
_MARKS = {".py": "# ", ".cpp": "// "}
_LINES, _REQUESTS = 200, 10
_WAIT = 0.3  # seconds that the server waits for the next key


def texts(base: kb.KnowledgeBase, game: str) -> dict[str, str]:
    """Return the files, {name: text}, the same at each call."""
    chance = random.Random(1)
    rules = [node for node in base.nodes("rule") if node.game == game and node.lang == "en"]
    newest = max(node.edition or "" for node in rules)
    rules = [node for node in rules if node.edition == newest and len(node.text or "") > 60]
    made = {}
    for name in _NAMES:
        mark, lines = _MARKS.get(Path(name).suffix, ""), []
        for number in range(_LINES):
            rule = chance.choice(rules)
            line = "A player takes a turn, and then the next player takes one."
            if number % 10 == 0:
                words = (rule.text or "")[:120]
                line = f"By rule {rule.number}, “{words.replace(' the ', ' a ', number % 20)}”"
            elif number % 5 == 0:
                line = f"See rule {rule.number} for what happens then."
            lines.append(mark + line)
        made[name] = "\n".join(lines)
    return made


async def measure(editor: Editor, files: dict[str, str]) -> dict[str, list[float]]:
    """Return {what was asked: seconds of each answer}."""
    taken: dict[str, list[float]] = {"open": [], "change": []}
    for name, text in files.items():
        begin = perf_counter()
        await editor.open(name, text)
        taken["open"].append(perf_counter() - begin)
    await asyncio.sleep(1)  # the last of the warm-up
    for number in range(_REQUESTS):
        name = _NAMES[number % len(_NAMES)]
        line = number * 5
        at = files[name].split("\n")[line].index("rule ") + 6
        asked = {
            "rule": lambda: editor.hover(name, line, at),  # noqa: B023
            "term": lambda: editor.hover(name, line + 1, 5),  # noqa: B023
            "definition": lambda: editor.definition(name, line, at),  # noqa: B023
            "code action": lambda: editor.actions(name, whole(files[name])),  # noqa: B023
        }
        for what, ask in asked.items():
            begin = perf_counter()
            await ask()
            taken.setdefault(what, []).append(perf_counter() - begin)
    for name, text in files.items():
        begin = perf_counter()
        await editor.change(name, text + "\nSee rule 100.1.")
        taken["change"].append(perf_counter() - begin - _WAIT)
    return taken


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kb", type=Path)
    parser.add_argument("--game", default="mtg")
    given = parser.parse_args()
    with kb.open(given.kb) as base:
        files = texts(base, given.game)
    with TemporaryDirectory() as folder:
        taken = with_editor(
            Path(folder),
            given.kb.absolute(),
            lambda editor: measure(editor, files),
            {"game": given.game},
        )
    print(f"{'':12} {'median':>8} {'worst':>8} ms")
    for what, seconds in taken.items():
        print(f"{what:12} {median(seconds) * 1e3:8.1f} {max(seconds) * 1e3:8.1f}")
    answers = [one for what in ("rule", "term", "definition", "code action") for one in taken[what]]
    print(f"{len(answers)} answers {median(answers) * 1e3:7.1f} {max(answers) * 1e3:8.1f}")


if __name__ == "__main__":
    main()
