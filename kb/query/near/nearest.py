"""The passages whose meaning is nearest to that of a question, among all that have a vector."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graphs.store.reader import Store
from kb.query.near.encoder import Encoder
from kb.query.near.passage_text import embedded_texts
from kb.query.near.similarities import centred, language_means, question_lang
from kb.query.near.vector_cache import VectorCache, text_hash

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

_ROWS_AT_ONCE = 8192  # of the matrix, in 32 bits 12 MB
_CHANGED = 20  # passages more than asked for that are looked up, should some have changed


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
    first: as `Similarity.cosine` compares them, and as `Similarity.centred` does.

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
    both = np.stack([asked, centred_question], axis=1)
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
    """Return (id, score, hash of the text) of the passages with the best scores, best first."""
    import numpy as np

    best = np.argsort(-scores, kind="stable")[: most + _CHANGED].tolist()
    return [(index.passages[row][0], float(scores[row]), index.passages[row][2]) for row in best]


def _index(store: Store, encoder: Encoder) -> _Index:
    """Return the vectors of a knowledge base; they are read again only if their file changed."""
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
    """Return the lengths of rows, and those of the rows of length 1 less their centres."""
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
