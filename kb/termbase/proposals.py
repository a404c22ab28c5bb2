"""Takes the names that no page states, but that aligned rules suggest, into a termbase."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from graphs.model import Edge
from graphs.store.termbase_rows import NameRow
from kb.language.fold import fold
from kb.query.authority import authority_of
from kb.termbase.model import ConceptName

ROLE = "proposed"  # of such names, and the `basis` of the edges that say what they rest on


def proposed_names(
    term: str, rows: Iterable[NameRow], edges: Sequence[Edge], stated: Iterable[ConceptName]
) -> Iterator[ConceptName]:
    """Yield the names that are only proposed for a term: admitted, with the score of the proposal
    and what it rests on. One that pages state, too, is left out.

    rows: all names of the term, as the store has them.
    edges: the `translates` edges from or to the term.
    stated: the names that pages state.
    """
    known = {(name.lang, fold(name.text)) for name in stated}
    for row in rows:
        if row.role == ROLE and (row.lang, fold(row.text)) not in known:
            known.add((row.lang, fold(row.text)))
            details = _details(term, row, edges)
            score = details.get("score")
            yield ConceptName(
                row.lang,
                row.text,
                "admitted",
                "proposed",
                authority_of(row.page, row.edition, row.source),
                row.passage,
                row.url,
                row.edition,
                score=float(score) if isinstance(score, int | float) else None,
                note=_note(details),
            )


def _details(term: str, row: NameRow, edges: Iterable[Edge]) -> Mapping[str, object]:
    """Return the details of the edge that proposes a name; of several the one with most score."""
    fitting = [
        edge.details
        for edge in edges
        if edge.details
        and edge.details.get("basis") == ROLE
        # The edge leads from the term with the English name, and has the Japanese name.
        and (edge.details.get("name") == row.text or (edge.target == term and row.lang == "en"))
    ]
    return max(fitting, key=lambda details: details.get("score", 0), default={})


def _note(details: Mapping[str, object]) -> str:
    """Return what a proposal rests on, in words."""
    both, of, measure, score = (details.get(key) for key in ("both", "of", "measure", "score"))
    if both is None or of is None:
        return "found by comparing aligned rules"
    return f"in {both} of {of} aligned texts with the other name; {measure} {score}"
