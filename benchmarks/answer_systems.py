"""Systems that answer the labelled questions: sansho in its variants, and BM25 over its words."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple
from unittest.mock import patch

from graphs.store.reader import Store
from kb.language.tokens import normal_forms, tokenizer
from kb.query.answers.question import stem_words
from tests import questions
from tests.ranking_measures import MOST, Entry

ENCODER = "SANSHO_ENCODER"  # the variable of the environment that says which encoder is used
System = Callable[[questions.Case], tuple[Entry, ...]]


@contextmanager
def encoder(name: str | None) -> Iterator[None]:
    """Use an encoder of sentences in the body: `none` is without; None, the one that the
    environment names or that is installed."""
    before = os.environ.get(ENCODER)
    if name is not None:
        os.environ[ENCODER] = name
    try:
        yield
    finally:
        os.environ.pop(ENCODER, None)
        if before is not None:
            os.environ[ENCODER] = before


def has_encoder() -> bool:
    """Return whether an encoder of sentences is installed and not switched off."""
    try:
        from kb.query.near.installed_encoder import encoder_or_none
    except ImportError:
        return False
    return encoder_or_none() is not None


def make_vectors(bases: Iterable[str] = ()) -> None:
    """Make the vectors of some knowledge bases, or else of those that are asked, where they are not
    there yet: some 80 ms a passage."""
    from kb.query.near.build_vectors import build_vectors
    from kb.query.near.installed_encoder import required_encoder

    for name in sorted(set(bases) or {case["kb"] for case in questions.cases()}):
        build_vectors(questions.base(name)._store, required_encoder())


def sansho(case: questions.Case) -> tuple[Entry, ...]:
    """Return the answers without vectors."""
    with encoder("none"):
        return questions.ask(case)


def sansho_without_refusal(case: questions.Case) -> tuple[Entry, ...]:
    """Return what ranks first, without vectors, however badly it fits the question."""
    with encoder("none"), patch("kb.query.answers.ask.is_refused", return_value=False):
        return questions.ask(case)


def sansho_with_vectors(case: questions.Case) -> tuple[Entry, ...]:
    """Return the answers with the vectors of the encoder that is installed."""
    with encoder(None):
        return questions.ask(case)


class Settings(NamedTuple):
    """Settings of BM25.

    k1, b: how soon the repetition of a word tells no more, and how much a passage's length counts.
    context: whether the names of the page and of the section count as words of the passage.
    """

    k1: float
    b: float
    context: bool


BEST = Settings(1.2, 0.6, True)  # on the questions that are not held out: `--tune`


def bm25(case: questions.Case, settings: Settings = BEST) -> tuple[Entry, ...]:
    """Return the best passages by BM25. It never refuses: where no word is known the order is that
    of the base."""
    index, entries = _index(case["kb"], settings)
    wanted = [word for word in _words(case["question"]) if word in index.vocab_dict]
    if not wanted:
        return ()
    found, _ = index.retrieve([wanted], k=min(MOST, len(entries)), show_progress=False)
    return tuple(entries[at] for at in found[0])


@cache
def _index(name: str, settings: Settings) -> tuple[Any, list[Entry]]:
    """Return an index of the passages of a base, and what each stands for."""
    import bm25s

    texts = _texts(questions.base(name)._store, settings.context)
    index = bm25s.BM25(k1=settings.k1, b=settings.b)
    index.index([text.split() for text in texts], show_progress=False)
    return index, list(texts.values())


def _texts(store: Store, context: bool) -> Mapping[str, Entry]:
    """Return {the words of a passage: what passages of these words stand for}, without titles and
    headings. English words are stemmed."""
    ids = [node.id for node in store.nodes("passage")]
    bare = {passage.id for passage in store.passages.texts(ids).values() if passage.bare}
    found: dict[str, Entry] = {}
    for passage in store.passages.lookup(ids).values():
        if passage.id in bare or passage.heading or passage.title:
            continue
        above = [*_page_words(passage.page or ""), passage.under or ""] if context else []
        words = stem_words(" ".join([*above, passage.words]))
        own = frozenset(node for node in (passage.id, passage.rule) if node)
        found[words] = found.get(words, frozenset()) | own
    return found


@cache
def _page_words(name: str) -> list[str]:
    return _words(name)


def _words(text: str) -> list[str]:
    """Return the normal forms of the words of a text, as sansho indexes them."""
    return stem_words(" ".join(form for form, _, _ in normal_forms(tokenizer()(text)))).split()
