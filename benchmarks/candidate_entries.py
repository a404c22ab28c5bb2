"""What the candidates for an answer stand for, so that they can be compared with known answers."""

from __future__ import annotations

from collections.abc import Sequence

from graphs.store.reader import Store
from kb.query.answers.bm25 import ScoredCandidate
from kb.query.lookup.passage_places import find_places
from tests.ranking_measures import Entry


def candidate_entries(store: Store, ranked: Sequence[ScoredCandidate]) -> list[Entry]:
    """Return the ids that each candidate stands for: of its passage, of the rule that this gives,
    and of the passages and rules that were merged with it because they say the same."""
    places = find_places(store, {copy for scored in ranked for copy in scored.copies})
    return [
        frozenset(
            node
            for node in (
                scored.passage.id,
                scored.passage.rule,
                *scored.copies,
                *(places[copy].rule for copy in scored.copies if copy in places),
            )
            if node
        )
        for scored in ranked
    ]
