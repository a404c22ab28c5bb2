"""The words of a text do not depend on which texts were tokenized before."""

from __future__ import annotations

from random import Random

from kb.language.tokens import Tokenizer

# Signs that Sudachi writes out, and what may stand beside them.
_PIECES = (
    *("⁉", "‼", "…", "①", "⑳", "㍿", "½", "ﷺ", "\ufe0f", "☺", "❗", "!", "?", "。"),
    *("千", "三百", "2", "ｶﾞ", "う゛", "引く", "ドロー", "Draw"),
)


def test_no_word_depends_on_the_texts_before() -> None:
    random = Random(20)
    used, fresh = Tokenizer(), Tokenizer()
    for _ in range(3_000):
        text = "".join(random.choices(_PIECES, k=random.randint(1, 6)))
        fresh._cache.clear()
        entries = used.entries(text)[0]
        assert entries, text
        for entry, alone in zip(entries, fresh.entries(text)[0], strict=True):
            assert (entry.normal, entry.folded) == (alone.normal, alone.folded), text
            assert entry.function == alone.function, text
