"""Makes the sentence vectors of all passages of a knowledge base, for `sansho near build`."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nsmallest
from time import monotonic

from graphs.store.file.connection import batches
from graphs.store.passage_index import ALL_PASSAGES
from graphs.store.reader import Store
from kb.build_progress import ProgressReporter, Watcher
from kb.query.near.encoders import Encoder
from kb.query.near.similarities import MANY, has_all_means, language_means
from kb.query.near.vectors import VectorCache, embedded_texts, text_hash
from kb.result import Result

# Vectors; what a process that is killed has made in vain, at most: some two seconds, at 60 ms each.
_KEPT_AT_ONCE = 32
# Passages by which it is estimated how many lack a vector: of 100 the error is some 10 % of all.
_SAMPLE = 100
_TIMED = 8  # passages that are embedded to see how long that takes: half a second


@dataclass(frozen=True, slots=True)
class VectorReport(Result):
    """What was made.

    file: where the vectors are kept.
    encoder: the model and its version.
    passages: how many passages have a vector. Passages of the same words share one.
    made: how many vectors were made, and `deleted` how many that no passage has any more.
    bytes: the size of the file.
    seconds: how long it took.
    """

    file: str
    encoder: str
    passages: int
    made: int
    deleted: int
    bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class VectorEstimate(Result):
    """What is still to be made, as a sample tells.

    passages: about how many passages lack a vector; 0 if none of the sample does.
    seconds: about how long this machine would take for them, by the time that eight took.
    """

    passages: int
    seconds: float


def build_vectors(
    store: Store,
    encoder: Encoder,
    progress: Watcher | None = None,
    at_once: int = _KEPT_AT_ONCE,
) -> VectorReport:
    """Make the vectors of all passages but headings and titles; keep them beside the knowledge
    base, and return how many they are.

    Those that are there already are not made again. They are kept some at a time: after an
    interruption the next call goes on from there.

    progress: called with each `kb.BuildProgress`.
    at_once: how many are made and kept at a time.

    Raises StoreError if the vectors can't be kept.
    """
    began, reporter = monotonic(), ProgressReporter(progress)
    with VectorCache(store.path, encoder, must_keep=True) as cache:
        passages = _texts_by_passage(store, reporter)
        known = cache.known({key for _, key in passages.values()})
        missing = {key: passage for passage, (_, key) in passages.items() if key not in known}
        _make(store, encoder, cache, list(missing.values()), reporter, at_once)
        deleted = cache.put_passages(passages)
        language_means(store, encoder, cache, {lang for lang, _ in passages.values()}, MANY)
        return VectorReport(
            str(cache.path),
            encoder.name,
            len(passages),
            len(missing),
            deleted,
            cache.path.stat().st_size,
            round(monotonic() - began, 1),
        )


def has_vectors(store: Store, encoder: Encoder) -> bool:
    """Return whether `build_vectors` has made the vectors of a knowledge base, or of one that was
    there before its last build: then few passages lack one."""
    with VectorCache(store.path, encoder) as cache:
        return cache.is_filled()


def is_complete(store: Store, encoder: Encoder) -> bool:
    """Return whether `build_vectors` was called since the knowledge base was built."""
    with VectorCache(store.path, encoder) as cache:
        return cache.is_filled() and has_all_means(store, cache)


def estimate_vectors(store: Store, encoder: Encoder) -> VectorEstimate | None:
    """Return about how much `build_vectors` would have to do; None if it was called since the
    knowledge base was built. Nothing is kept."""
    if is_complete(store, encoder):
        return None
    # What several editions state in the same words is embedded once.
    ids = {words: passage for passage, _, words in store.passages.occurrences("", ALL_PASSAGES)}
    sample = nsmallest(_SAMPLE, ids.values(), key=text_hash)
    texts = [text for text in embedded_texts(store, sample).values() if text.text and not text.bare]
    with VectorCache(store.path, encoder) as cache:
        known = cache.known(text_hash(text.text) for text in texts)
    missing = [text.text for text in texts if text_hash(text.text) not in known]
    if not missing:
        return VectorEstimate(0, 0.0)
    passages = round(len(ids) * len(missing) / len(sample))
    encoder.passages(missing[:1])  # the model is loaded
    began, timed = monotonic(), missing[:_TIMED]
    encoder.passages(timed)
    return VectorEstimate(passages, round(passages * (monotonic() - began) / len(timed), 1))


def _texts_by_passage(store: Store, reporter: ProgressReporter) -> dict[str, tuple[str, bytes]]:
    """Return {id of a passage: (its language, the hash of its embedded text)}, for all passages but
    headings, titles, entries of contents and those of which nothing is embedded."""
    ids = [row[0] for row in store.passages.occurrences("", ALL_PASSAGES)]
    reporter.begin("reading passages", len(ids))
    found: dict[str, tuple[str, bytes]] = {}
    for batch in reporter.counting(batches(ids)):
        store.begin_question()
        found |= {
            passage: (text.lang, text_hash(text.text))
            for passage, text in embedded_texts(store, batch).items()
            if text.text and not text.bare
        }
    return found


def _make(
    store: Store,
    encoder: Encoder,
    cache: VectorCache,
    passages: list[str],
    reporter: ProgressReporter,
    at_once: int,
) -> None:
    """Make and keep the vectors of passages, given by their ids, some at a time, in their order."""
    reporter.begin("embedding", len(passages))
    for start in range(0, len(passages), at_once):
        store.begin_question()
        batch = passages[start : start + at_once]
        texts = [text.text for text in embedded_texts(store, batch).values()]
        cache.put([text_hash(text) for text in texts], encoder.passages(texts))
        reporter.advance(len(batch))
