"""Holds what is named before a quotation of a glossary against whose words they are."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphs.store.reader import Store
from kb.checking.claims.match_quotation import match_exactly
from kb.checking.claims.quotation_sources import Source
from kb.language.fold import fold

_LONGEST = 60  # characters before a quotation
_FAR = 6  # passages between a headword and a sense of it
_NAMED = re.compile(
    r"(?:^|[\n.。!?#*•・–—])\s*(?P<name>[A-Z][\w'’ /-]{1,40}?|[ァ-ヺ一-鿿ー・]{2,20})"
    r"(?:\s?[.:：]|とは、?)\s*$"
)
_ENDS_SENTENCE = frozenset('.”")。」）')


def name_before(text: str, start: int) -> str | None:
    """Return what is named directly before a quotation, to be explained by it; None if nothing is.

    start: where the quotation begins.

    >>> name_before("Heap: “where cards lie”", 6), name_before("It says “draw”", 8)
    ('Heap', None)
    """
    begin = max(0, start - _LONGEST)
    found = _NAMED.search(text[begin:start])
    return found["name"].strip() if found else None


def other_headword(
    store: Store, name: str, quotation: str, sources: Sequence[Source]
) -> tuple[str, str] | None:
    """Return (headword whose words are quoted, what the glossary says of the one that is named);
    None if the words are of the one named, or nothing can be said.

    sources: of the same words, best first.
    """
    best = sources[0].node
    if best.kind != "passage" or best.source != "rulebook":
        return None
    entries = [
        node
        for node in store.find_by_label(fold(name))
        if node.kind == "term" and (node.source, node.game) == (best.source, best.game)
    ]
    texts = [node.text for node in entries if node.text and node.lang == best.lang]
    if not texts or any(match_exactly(quotation, text) for text in texts):
        return None
    headwords = [_headword(store, one.node.id) for one in sources if one.node.kind == "passage"]
    if not headwords[0] or any(one and fold(one) == fold(name) for one in headwords):
        return None
    return headwords[0], texts[0]


def _headword(store: Store, passage: str) -> str | None:
    """Return the headword of a passage of a glossary: the last one before it that is no sentence;
    None without one."""
    before = store.passages.preceding([passage], _FAR)[passage]
    texts = store.passages.texts(before)
    for one in before:
        words = texts[one].text.strip() if one in texts else ""
        if words and words[-1] not in _ENDS_SENTENCE:
            is_headword = any(
                node.kind == "term" and node.source == "rulebook"
                for node in store.find_by_label(fold(words))
            )
            return words if is_headword else None
    return None
