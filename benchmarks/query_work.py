"""How much work SQLite does for each question, in steps of its virtual machine and for each byte of
the file: what the limit in `graphs.store.file.untrusted_file` is measured against.

    python -m benchmarks.query_work FILE...
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import kb
from kb.errors import QuestionError

_STEP = 1_000  # steps between two calls of the handler that counts


def _questions(base: kb.KnowledgeBase, folder: str) -> dict[str, Callable[[], object]]:
    """Return the dearest questions, by what they are called."""
    store = base._store
    words = [
        word
        for (word,) in store.db.execute(
            "SELECT spelled FROM vocabulary WHERE normal <> '' ORDER BY length(spelled) LIMIT 20"
        )
    ]
    editions = sorted({edition for _, edition, _ in store.editions()})
    found: dict[str, Callable[[], object]] = {
        "stats": base.stats,
        "audit": base.audit,
        "export": lambda: base.export(Path(folder) / "x.jsonl"),
        "graph": base.graph,
        "terms": base.terms,
        "nodes": base.nodes,
        "top mentioned": lambda: base.top("mentioned", most=10_000),
        "kwic of mentions": lambda: base.kwic(kind="rule", mentions="カード", most=10_000),
        "search of all": lambda: base.search(kind="rule", most=10_000),
        "search card": lambda: base.search("card カード", any_word=True, most=10_000),
        "kwic card": lambda: base.kwic("カード", most=10_000),
        "refs": lambda: base.refs("カード", depth=3),
        "draw": lambda: base.draw("カード", depth=3),
        "path": lambda: base.path("カード", "引く", most=100),
        "compare": lambda: base.compare("カード"),
        "steps": lambda: base.steps("カード"),
        "outcomes": lambda: base.outcomes("カード", most=10_000),
        "align": lambda: base.align("ja", "en"),
        "trace": lambda: base.trace("702"),
        "show": lambda: base.show("702", tree=True),
        "misspelt": lambda: base.show("かあどど"),
        "ask": lambda: base.ask("カードを引くとどうなりますか？ What is a card?"),
        **{f"search {word}": lambda word=word: base.search(word) for word in words},  # type: ignore[misc]
    }
    if len(editions) > 1:
        found["diff"] = lambda: base.diff(editions[0], editions[-1])
    return found


def main(files: list[str]) -> None:
    """Print the steps of each question, the greatest number first."""
    for file in files:
        size = Path(file).stat().st_size
        measured: list[tuple[int, str]] = []
        with kb.open(file) as base, TemporaryDirectory() as folder:
            for name, ask in _questions(base, folder).items():
                steps = [0]

                def count(steps: list[int] = steps) -> bool:
                    steps[0] += _STEP
                    return False

                base._store.db.set_progress_handler(count, _STEP)
                try:
                    ask()
                except QuestionError as error:
                    print(f"{name}: {error}"[:100], file=sys.stderr)
                measured.append((steps[0], name))
        print(f"{file}: {size:,} bytes")
        for steps_taken, name in sorted(measured, reverse=True)[:12]:
            print(f"{steps_taken:14,} {steps_taken / size:8.3f} a byte  {name}")


if __name__ == "__main__":
    main(sys.argv[1:])
