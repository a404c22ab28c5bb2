"""How fast the explorer's page of a node gets its answers: for nodes drawn by lot, and for those
that most is said of.

    python -m benchmarks.node_pages KB [--many 100] [--popular 20]

For each question that the page asks: the median and the 95th percentile in milliseconds, and which
node took longest. Each node is asked once, all questions one after the other, as a page does; the
page as a whole is the last line.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import kb

_KINDS: tuple[kb.NodeKind, ...] = ("term", "rule", "card", "page")
_MOST_TEXTS = 1_000
_Question = Callable[[], object]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kb", type=Path)
    parser.add_argument("--many", type=int, default=100, help="nodes of each kind drawn by lot")
    parser.add_argument("--popular", type=int, default=20, help="most referenced ones of each kind")
    options = parser.parse_args()
    with kb.open(options.kb) as base:
        for kind in _KINDS:
            ids = [node.id for node in base.nodes(kind)]
            lot = random.Random(1).sample(ids, min(options.many, len(ids)))
            by: kb.Ranking = (
                "cited" if kind == "rule" else "linked" if kind == "page" else "mentioned"
            )
            popular = [n.node.id for n in base.top(by, most=options.popular, kind=kind).nodes]
            _measure(base, f"{kind}s drawn by lot", lot)
            _measure(base, f"most referenced {kind}s", popular)


def _measure(base: kb.KnowledgeBase, what: str, ids: list[str]) -> None:
    """Ask all questions of some nodes, and print how long they take."""
    times: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for node_id in ids:
        start = time.process_time()
        for name, seconds in _asked(base, node_id):
            times[name].append((seconds, node_id))
        times["the whole page"].append((time.process_time() - start, node_id))
    print(f"\n{what} ({len(ids)})")
    for name, found in times.items():
        seconds = sorted(each for each, _ in found)
        high = seconds[min(len(seconds) - 1, int(len(seconds) * 0.95))]
        longest, node_id = max(found)
        print(f"  {name:16}{statistics.median(seconds) * 1e3:8.1f}{high * 1e3:8.1f}"
              f"{longest * 1e3:8.1f}  {node_id}")  # fmt: skip


def _asked(base: kb.KnowledgeBase, node_id: str) -> Iterator[tuple[str, float]]:
    """Ask what the page of a node asks; yield each question and its seconds."""
    start = time.process_time()
    shown = base.show(node_id)
    yield "show", time.process_time() - start
    node = shown.matches[0]
    questions: dict[str, _Question] = {
        "linked_texts": lambda: base.linked_texts(list(_texts(base, shown))[:_MOST_TEXTS]),
        "refs in": lambda: base.refs(node_id, direction="in", most=50).groups(),
        "refs out": lambda: base.refs(node_id, direction="out", most=50).groups(),
        "outcomes": lambda: base.outcomes(node_id, most=20),
        "steps": lambda: base.steps(node_id),
        "rulings": lambda: base.rulings(node_id, most=20),
    }
    if node.number and node.kind == "rule":
        questions["show number"] = lambda: base.show(node.number or "", game=node.game)
    if node.kind == "page":
        questions["show whole"] = lambda: base.show(node_id, tree=True)
    for name, question in questions.items():
        start = time.process_time()
        question()
        yield name, time.process_time() - start


def _texts(base: kb.KnowledgeBase, shown: kb.Shown) -> Iterator[str]:
    """Yield the ids of the texts on the page of a node."""
    for entry in shown.entries:
        yield entry.node.id
        if entry.rule:
            yield from (rule.id for rule in entry.rule.sub_rules)
        if entry.term:
            yield from (each.evidence.passage for each in entry.term.definitions)
        if entry.page:
            parts = base.show(entry.node.id, tree=True).contents[entry.node.id].parts
            yield from (part.id for part in parts)


if __name__ == "__main__":
    main()
