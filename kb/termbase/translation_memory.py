"""Finds how a sentence, or what is nearest to it, was translated before: in rules, headings,
examples and glosses that are loaded in two languages, and in names of terms and cards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import NamedTuple

from graphs.model import Node
from graphs.sort_orders import edition_key
from graphs.store.passage_index import PassageFilter
from graphs.store.reader import Store
from graphs.store.rule_versions import translations_of
from kb.errors import QuestionError
from kb.language.fold import fold, is_japanese
from kb.language.nearest_value import refuse_unknown
from kb.language.sentences import sentences_of
from kb.language.word_diff import differences, likeness
from kb.query.lookup.cursor import longer_list
from kb.query.lookup.search_words import parse_words, phrases_query
from kb.reason import Reason
from kb.result import ListResult, columns
from kb.termbase.example_sentences import glosses_of

UNSPACED = ("ja", "zh")  # languages that have no spaces between sentences
# What a text quotes, such as the text of a card: sentences of ten letters or more.
_QUOTED = re.compile("[“「]([^“”「」]{10,400})[”」]")
# The rarest words of a sentence, by which passages are looked for. By hand, with 300 sentences of
# rules in which one to four words were changed: with six words one more is missed, with twelve the
# slowest take twice as long.
_WORDS_ASKED = 8
# Passages with any of these words, which are all ranked: those of fewer words if they are more, but
# of three at least, as the rarest may be those that were changed. By hand, of 160,000 passages.
_PASSAGES_WITH_WORDS, _LEAST_WORDS = 6_000, 3
_LEAST = 0.5  # of 1: less like it, half of the words are others, and a translator begins anew
# Pieces that are compared word by word, those most alike letter by letter: by hand, four times as
# many as are shown at first; Japanese is tokenized for it, half a millisecond each.
_COMPARED = 20
# Passages that are looked at, the best by their words, and those of them that may be glosses, whose
# terms are read whole. By hand: of Magic's rules there are eight editions, one of them translated;
# twice as many take half again as long and find the same.
_PASSAGES, _GLOSSES = 500, 40
_LONGEST = 2_000  # characters of a sentence: a guard; the longest rule of Magic has 2,811


@dataclass(frozen=True, slots=True)
class Match:
    """A text that is like the sentence, and how it was translated.

    score: how many of the words of both are the same and in the same order, from 0 to 1; 1 if they
        differ in typography only.
    source, target: the sentences that are like it, and their translation; the whole text of the
        rule or gloss where its sentences can't be told apart in the other language.
    kind: `rule`, `gloss`, or `name` for that of a term or card.
    node: the rule in the source language, or the term or card. target_node: the rule in the target
        language; else the id of `node`.
    editions: those that have both in these words, the newest first; none for names.
    is_part: whether source is a part of a longer text.
    spans: (start, end, start, end) of the words that differ in the sentence and in source.
    """

    score: float
    source: str
    target: str
    kind: str
    node: Node
    target_node: str
    editions: tuple[str, ...] = ()
    is_part: bool = False
    spans: tuple[tuple[int, int, int, int], ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Matches(ListResult[Match], items="matches", item="match"):
    """How a sentence was translated before, the likest first; of those as like it the newest.

    text: the sentence. lang, target_lang: the languages.
    more: how to get more of them; None if these are all.
    """

    text: str
    lang: str
    target_lang: str
    matches: tuple[Match, ...]
    more: Reason | None = None

    _COLUMNS = columns(
        "score game=node.game kind number=node.number label=node.label source target"
    )


def match(
    store: Store,
    text: str,
    lang: str | None = None,
    target_lang: str | None = None,
    game: str | None = None,
    most: int = 5,
) -> Matches:
    """Return how a sentence, or what is nearest to it, was translated before.

    text: one sentence or several, or a name. lang: its language; None for that of its script,
        Japanese or English. target_lang: None for English of a Japanese text, else Japanese.
    most: at most how many.

    Raises QuestionError for a text without a letter or longer than 2,000 characters, for one
    language as both, and for a language or game that nothing has.
    """
    given = " ".join(text.split())
    if not any(map(str.isalnum, given)) or len(given) > _LONGEST:
        raise QuestionError("match_length", length=len(given), most=_LONGEST)
    source_lang = lang or ("ja" if is_japanese(given) else "en")
    other = target_lang or ("en" if source_lang == "ja" else "ja")
    if source_lang == other:
        raise QuestionError("match_languages", lang=source_lang)
    refuse_unknown("language", other, store.values()["lang"])
    langs = source_lang, other
    pieces = [*_of_passages(store, given, langs, game)]
    found = [*_names(store, given, langs, game), *_nearest(given, pieces)]
    kept = _merged(found)
    nodes = store.get({one.node.id for one in kept[:most]})
    return Matches(
        given,
        *langs,
        tuple(replace(one, node=nodes[one.node.id]) for one in kept[:most]),
        longer_list(4 * most, most, 100) if len(kept) > most else None,
    )


def _names(store: Store, text: str, langs: tuple[str, str], game: str | None) -> Iterator[Match]:
    """Yield the names of terms and cards that are the text, with those in the target language."""
    source_lang, other = langs
    for _, node in store.find_by_names([fold(text)], listed=True):
        labels = [each for each in node.labels if each.role not in ("reading", "proposed")]
        own = [each.text for each in labels if each.lang == source_lang]
        name = next((each for each in own if fold(each) == fold(text)), None)
        for label in labels if name and game in (None, node.game) else ():
            if label.lang == other:
                yield Match(1.0, str(name), label.text, "name", node, node.id)


class _Piece(NamedTuple):
    """A text, or sentences of it, with its translation."""

    source: str
    target: str
    kind: str
    node: Node
    target_node: str
    edition: str
    is_part: bool


def _of_passages(
    store: Store, text: str, langs: tuple[str, str], game: str | None
) -> Iterator[_Piece]:
    """Yield what passages with words of a text have in both languages: rules, their examples, and
    glosses, whole and sentence by sentence."""
    words = [form for phrase in parse_words(text).single_words for form in phrase]
    counted = ((store.passages.frequency(phrases_query([(form,)])), form) for form in set(words))
    known = sorted((count, form) for count, form in counted if count)
    totals = accumulate(count for count, _ in known)
    rarest = [
        form
        for place, ((_, form), total) in enumerate(zip(known, totals, strict=True))
        if place < _LEAST_WORDS or (place < _WORDS_ASKED and total <= _PASSAGES_WITH_WORDS)
    ]
    if not rarest:
        return
    query = phrases_query([(form,) for form in rarest], any_word=True)
    narrow = PassageFilter(game=game, lang=langs[0])
    rows = list(islice(store.passages.ranked(query, narrow, _PASSAGES), _PASSAGES))
    translated = translations_of(store, [rule for _, rule, _ in rows if rule], langs[1])
    nodes = store.get({*translated, *translated.values()})
    count = len(sentences_of(text, langs[0]))
    for rule, there in translated.items():
        pair = nodes[rule], nodes[there]
        examples = [(each.details or {}).get("examples", ()) for each in pair]
        texts = [(pair[0].text or "", pair[1].text or "")]
        texts += zip(*examples, strict=True) if len(examples[0]) == len(examples[1]) else []
        for each in texts:
            for source, target, is_part in parts(each, langs, count):
                yield _Piece(source, target, "rule", pair[0], there, pair[0].edition or "", is_part)
    glossary = [passage for passage, rule, _ in rows if not rule][:_GLOSSES]
    terms = {edge.target for edge in store.edges(glossary, "out", ["defines"]) if edge.target}
    for term, unit in glosses_of(store, sorted(terms), langs):
        found = dict(unit.texts)
        for source, target, is_part in parts((found[langs[0]], found[langs[1]]), langs, count):
            yield _Piece(source, target, "gloss", term, term.id, unit.edition or "", is_part)


def parts(
    texts: tuple[str, str], langs: tuple[str, str], count: int
) -> Iterator[tuple[str, str, bool]]:
    """Yield (text, translation, whether they are a part) of a text and its translation: both whole,
    then so many sentences at a time, with the whole translation if it has more or fewer of them.

    >>> list(parts(("Stop. Go on.", "止まる。進む。"), ("en", "ja"), 1))[1:]
    [('Stop.', '止まる。', True), ('Go on.', '進む。', True)]
    """
    source, target = (text.strip() for text in texts)
    if not source or not target:
        return
    yield source, target, False
    ours, theirs = (sentences_of(text, lang) for text, lang in zip(texts, langs, strict=True))
    joint, other_joint = ("" if lang in UNSPACED else " " for lang in langs)
    for start in range(len(ours) - count + 1 if len(ours) > count else 0):
        end = start + count
        is_told_apart = len(ours) == len(theirs)
        yield (
            joint.join(ours[start:end]),
            other_joint.join(theirs[start:end]) if is_told_apart else target,
            True,
        )
    quoted, others = ([match[1] for match in _QUOTED.finditer(text)] for text in (source, target))
    if len(quoted) == len(others):
        yield from ((one, other, True) for one, other in zip(quoted, others, strict=True))


def _nearest(text: str, pieces: Sequence[_Piece]) -> Iterator[Match]:
    """Yield the pieces that are like a text, compared word by word, in any order."""
    from rapidfuzz import fuzz, process

    sources = list(dict.fromkeys(piece.source for piece in pieces))
    alike = {
        source: likeness(text, source)
        for source, _, _ in process.extract(text, sources, scorer=fuzz.ratio, limit=_COMPARED)
    }
    for piece in pieces:
        score = alike.get(piece.source, 0.0)
        if score >= _LEAST:
            yield Match(
                round(score, 3),
                piece.source,
                piece.target,
                piece.kind,
                piece.node,
                piece.target_node,
                (piece.edition,),
                piece.is_part,
                tuple(tuple(each) for each in differences(text, piece.source)),  # type: ignore[misc]
            )


def _merged(found: Iterable[Match]) -> list[Match]:
    """Return matches sorted: the likest first, whole texts before parts, newer editions before
    older ones; of those with the same words one, of the newest edition."""

    same: dict[tuple[str, str, str], Match] = {}
    for one in sorted(found, key=lambda each: edition_key((*each.editions, None)[0]), reverse=True):
        key = one.source, one.target, one.node.game or ""
        known = same.setdefault(key, one)
        editions = dict.fromkeys((*known.editions, *one.editions))
        same[key] = replace(known, editions=tuple(editions))
    return sorted(same.values(), key=lambda one: (-one.score, one.is_part))
