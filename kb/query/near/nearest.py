"""The passages whose meaning is nearest to that of a question, among all that have a vector."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def nearest(
    store: Store, encoder: Encoder, question: str, most: int, *, by_centred: bool = True
) -> list[tuple[str, float]]:
    """Return the passages that are nearest to a question, as (id, cosine), nearest first.

    by_centred: compare as `Similarity.centred` does, without the mean of each language.

    Of passages with the same words, as those of several editions, one is given: the one with the
    last id. There are none before `build_vectors` made the vectors. Passages that are new since
    then are not found, and those that have changed are left out.
    """
    import numpy as np

    with VectorCache(store.path, encoder) as cache:
        passages, matrix = cache.passages()
        if not passages:
            return []
        asked, lang = encoder.questions([question])[0], question_lang(question)
        langs = [passage[1] for passage in passages]
        means = language_means(store, encoder, cache, {lang, *langs}) if by_centred else {}
    scores = _cosines(matrix, centred(asked, means.get(lang)), langs, means)
    best = np.argsort(-scores, kind="stable")[: most + _CHANGED].tolist()
    texts = embedded_texts(store, [passages[row][0] for row in best])
    return [
        (passage, float(scores[row]))
        for row in best
        for passage, _, key in [passages[row]]
        if passage in texts and text_hash(texts[passage].text) == key
    ][:most]


def _cosines(
    matrix: NDArray[np.int8], asked: Vector, langs: list[str], means: dict[str, Vector]
) -> Vector:
    """Return the cosine of each row with a question's vector, after its language's mean was taken
    from it.

    langs: the language of each row. means: of the languages; one that has none is taken as it is.
    """
    import numpy as np

    of_langs = {lang: number for number, lang in enumerate(dict.fromkeys(langs))}
    zero = np.zeros(matrix.shape[1], np.float32)
    centres = np.stack([means.get(lang, zero) for lang in of_langs])
    centre_of_row = np.array([of_langs[lang] for lang in langs])
    scores = np.empty(len(langs), np.float32)
    for start in range(0, len(langs), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        rows = matrix[part].astype(np.float32)
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1)
        rows -= centres[centre_of_row[part]]
        scores[part] = rows @ asked / np.maximum(np.linalg.norm(rows, axis=1), 1e-9)
    return scores
