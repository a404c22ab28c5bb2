"""Puts passages last that say nothing: headings, names, menus, and what has the words that are
searched for and no others."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from graphs.store.passage_index import PassageText
from graphs.store.reader import Store
from kb.language.fold import fold
from kb.query.places import without_rule_number
from kb.query.search_words import is_searchable

RankedPassage = tuple[str, str | None, float]  # its id, the id of the rule that it gives, its score
ReadPassage = tuple[RankedPassage, PassageText]
_LONGEST_NAME = 60  # characters of a text that may be a name alone
_CHUNK = 30  # passages that are looked at together
_SENTENCE = re.compile(r"[。！？!?]|[.．](?:\s|$)")


def bare_last(
    store: Store,
    ranked: Iterable[RankedPassage],
    forms: Collection[str],
    headings_only: bool = False,
) -> Iterator[list[ReadPassage]]:
    """Yield ranked passages in chunks, first those that say something and then those that do not,
    each in the given order; the scores of the latter are scaled to be no higher than those of the
    former. Only as many are read as are taken.

    forms: the normal forms of the words that are searched for.
    headings_only: only titles and headings come last.
    """
    bare: list[RankedPassage] = []
    least = 0.0
    rows = iter(ranked)
    while chunk := list(islice(rows, _CHUNK)):
        said, unsaid = split_bare(store, chunk, forms, headings_only)
        bare += unsaid
        if said:
            least = said[-1][0][2]
            yield said
    best = bare[0][2] if bare else 0.0
    for start in range(0, len(bare), _CHUNK):
        scaled = [
            (passage, rule, round(least * score / best, 4) if least < best else score)
            for passage, rule, score in bare[start : start + _CHUNK]
        ]
        texts = store.passages.texts(row[0] for row in scaled)
        yield [(row, texts[row[0]]) for row in scaled]


def split_bare(
    store: Store, rows: Sequence[RankedPassage], forms: Collection[str], headings_only: bool
) -> tuple[list[ReadPassage], list[RankedPassage]]:
    """Return those of some passages that say something, with their texts, and those that do not.

    What says nothing: the title of a page, a heading, a name, the words that are searched for and
    nothing else, and a line of links or names alone, as in a menu.

    forms, headings_only: as for `bare_last`.
    """
    texts = store.passages.texts(row[0] for row in rows)
    short = [text.id for text in texts.values() if not _SENTENCE.search(text.text)]
    spans = {} if headings_only else store.passages.reference_spans(short)
    names = set() if headings_only else _names_alone(store, [texts[key] for key in short])
    said, bare = [], []
    for row in rows:
        text = texts[row[0]]
        if text.bare or (not headings_only and _is_bare(text, forms, spans, names)):
            bare.append(row)
        else:
            said.append((row, text))
    return said, bare


def _names_alone(store: Store, texts: Sequence[PassageText]) -> set[str]:
    """Return the ids of those passages that are a name and nothing else, but for a rule's number:
    the headword of a glossary, or the heading of a part of the rules."""
    folded = {text.id: fold(without_rule_number(text.text, text.number or "")) for text in texts}
    short = {key: name for key, name in folded.items() if 0 < len(name) <= _LONGEST_NAME}
    known = {name for name, _ in store.find_by_names(sorted(set(short.values())))}
    return {key for key, name in short.items() if name in known}


def _is_bare(
    text: PassageText,
    forms: Collection[str],
    spans: Mapping[str, list[tuple[int, int]]],
    names: Collection[str],
) -> bool:
    """Return whether a passage says nothing about some words.

    forms: their normal forms. spans: of links and names in passages without a sentence, by id.
    names: the ids of passages that are a name alone.
    """
    if text.id in names or set(filter(is_searchable, text.words.split())) <= set(forms):
        return True
    position, outside = 0, ""
    for start, end in spans.get(text.id, ()):
        outside += text.text[position:start]
        position = max(position, end)
    return position > 0 and not is_searchable(outside + text.text[position:])
