"""Compares the meanings of a question and of passages, where there are vectors of them."""

from __future__ import annotations

from graphs.store.reader import Store
from kb.query.answers.question import Question
from kb.query.lookup.common_filters import Scope
from kb.query.near.build_vectors import has_vectors
from kb.query.near.encoder import Encoder
from kb.query.near.installed_encoder import encoder_or_none
from kb.query.near.similarities import Similarity, nearest, similarities

# Passages that are looked at; of other games and editions are among them. By hand: some times what
# is kept, so that enough are left once these are taken out.
_MOST_NEAREST = 120
# Of them that are candidates whatever their words. By hand: each is ranked closely, beside 60 that
# were found by words; fewer lose answers in other words than the question's.
_MOST_KEPT = 20
_MOST_NEW = 4  # passages that are embedded for a question; each takes some 70 ms


def usable_encoder(store: Store) -> Encoder | None:
    """Return the encoder whose vectors of the passages lie beside a knowledge base; None if none is
    installed, or if `sansho near build` has not made them."""
    encoder = encoder_or_none()
    return encoder if encoder is not None and has_vectors(store, encoder) else None


def nearest_passages(
    store: Store, encoder: Encoder, question: Question, scope: Scope
) -> frozenset[str]:
    """Return the ids of the passages whose meaning is nearest to a question's, at most 20 by each
    of the two comparisons, of its games and within its scope; of other games and scopes only 120
    are passed over, so that there may be fewer, or none."""
    found: set[str] = set()
    for rows in nearest(store, encoder, question.text, _MOST_NEAREST):
        passages = store.passages.lookup(passage for passage, _ in rows)
        fitting = [
            passage
            for passage, _ in rows
            if passage in passages
            and (not question.games or passages[passage].game in question.games)
            and scope.edition in (None, passages[passage].edition)
            and scope.lang in (None, passages[passage].lang)
        ]
        found.update(fitting[:_MOST_KEPT])
    return frozenset(found)


def compare_meanings(
    store: Store, encoder: Encoder, question: Question, passages: list[str]
) -> list[Similarity]:
    """Return how near the meanings of passages are to a question's, in the order of `passages`.

    A passage that has no vector yet, beyond the four that are made at once, gets the mean of the
    others; if none has one, all are 0.

    passages: their ids.
    """
    found = similarities(store, encoder, question.text, passages, most_new=_MOST_NEW)
    known = [each for each in found if each is not None]
    if not known:
        return [Similarity(0.0, 0.0)] * len(passages)
    mean = Similarity(*(sum(values) / len(known) for values in zip(*known, strict=True)))
    return [each or mean for each in found]
