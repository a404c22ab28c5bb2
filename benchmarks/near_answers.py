"""How well sentence vectors alone answer the labelled questions, and what a vector costs.

    python -m benchmarks.near_answers

Makes the vectors of the questions' knowledge bases with the encoder that is in use (minutes), and
prints the processor time of a vector; then, for the plain cosine and the one
without the mean of each language, how often a right passage is the nearest of all, among three and
among ten. Questions that are held out, and those without an answer, are left out.
"""

from __future__ import annotations

import time
from collections import defaultdict

from graphs.store.reader import Store
from kb.query.near.build_vectors import build_vectors
from kb.query.near.encoders import Encoder
from kb.query.near.installed_encoder import required_encoder
from kb.query.near.similarities import nearest
from tests.questions import Case, base, cases, held_out

_MOST = 10


def main() -> None:
    """Print what a vector costs and what the nearest passages are worth."""
    encoder = required_encoder()
    asked = [case for case in cases() if case["answers"] and not held_out(case)]
    stores = {name: Store(base(name).file) for name in {case["kb"] for case in asked}}
    for name, store in stores.items():
        began, report = time.process_time(), build_vectors(store, encoder)
        cost = (time.process_time() - began) / max(report.made, 1)
        print(f"{name}: {report.passages:,} passages, {cost * 1000:.0f} ms a vector")
    ranks: dict[tuple[str, bool], list[int | None]] = defaultdict(list)
    for case in asked:
        for by_centred in (False, True):
            found = rank(stores[case["kb"]], encoder, case, by_centred)
            for group in ("all", case["lang"]):
                ranks[group, by_centred].append(found)
    for (group, by_centred), found_ranks in sorted(ranks.items()):
        shares = (
            sum(found is not None and found <= most for found in found_ranks) / len(found_ranks)
            for most in (1, 3, _MOST)
        )
        kind = "centred" if by_centred else "plain"
        print(f"{group:4} {kind:8} first {{:.2f}}, of 3 {{:.2f}}, of 10 {{:.2f}}".format(*shares))


def rank(store: Store, encoder: Encoder, case: Case, by_centred: bool) -> int | None:
    """Return the rank of the first right passage among the nearest, from 1; None if it is not
    among the first ten."""
    ids = [id_ for id_, _ in nearest(store, encoder, case["question"], _MOST)[by_centred]]
    rules = {passage.id: passage.rule for passage in store.passages.lookup(ids).values()}
    right = set(case["answers"])
    ranks = (place for place, id_ in enumerate(ids, 1) if right & {id_, rules.get(id_)})
    return next(ranks, None)


if __name__ == "__main__":
    main()
