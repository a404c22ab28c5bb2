"""Finds what limits the sentence that decides a question: in its passage, and in sub-rules beside
it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from graphs.store.reader import Store
from kb.language.fold import is_hiragana
from kb.query.answers.deciding_sentence import GOING_ON, possible_sentences
from kb.query.answers.sentence_features import stemmed_words
from kb.query.answers.stop_words import STOP_WORDS
from kb.query.lookup.passage_places import find_places

# By hand: beside more, the sentence that decides is no longer the one that is read.
MOST_LIMITS = 2
# Sentences behind the one that decides, and sub-rules behind its rule, that are looked at: by hand.
_NEAR = 3
# Share of the words of the shorter of two sentences that both have, if they speak of the same: by
# hand; two on one term alone have less.
_SAME_THING = 0.34
_OPENING = re.compile(
    r"\W*(?:However|But|Unless|Except|Even (?:if|though|when)|Although|Otherwise|Instead|Rather|The"
    r" only exception|Exception|Not all|Only)\b|(?:ただし|しかし|一方|もっとも|例外|なお|とはいえ)"
    r"|(?:その|この)(?:場合|例外)",
    re.IGNORECASE,
)
_LIKEWISE = re.compile(r"(?:Similarly|Likewise|Also|In addition)\b|同様|また", re.IGNORECASE)
_DENYING = re.compile(
    r"\b(?:can’t|can't|cannot|doesn['’]t|don['’]t|isn['’]t|aren['’]t|won['’]t|never|may not"
    r"|not|no|neither|nor)\b|できない|できません|ない。|ません。|ではない|禁止",
    re.IGNORECASE,
)
_EXCEPTING = re.compile(
    r"\b(?:unless|except(?:ion)?|however|only (?:if|when|while|once|as)|no more than|at most"
    r"|regardless|even if)\b|なければ|ただし|(?<!れ)ない限り|を除[きく]|以外|上限|場合に限り|例外",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Limit:
    """A sentence that limits the one that decides.

    text: its words.
    rule, number: the id and number of the sub-rule beside the answer's that says it; empty if the
        answer's own passage does.
    start, end: where it stands in that passage's text.
    """

    text: str
    rule: str
    number: str
    start: int
    end: int


def limits_within(text: str, number: str, decides: tuple[int, int]) -> list[Limit]:
    """Return at most two sentences of a passage that limit the one that decides, in order; none if
    nothing does.

    They stand within three sentences behind it, or right before it, begin with or have words such
    as `unless`, `however` or ただし, and speak of the same thing: they have many of its words, or
    go on from it.

    number: of the rule that the passage gives; empty if it gives none.
    """
    spans = possible_sentences(text, number)
    marked = [at for at, span in enumerate(spans) if decides[0] <= span[0] < decides[1]]
    if not marked:
        return []
    first, last, decided = marked[0], marked[-1], text[slice(*decides)]
    found: list[int] = []
    for at in range(max(0, first - 1), min(len(spans), last + 1 + _NEAR)):
        sentence = text[slice(*spans[at])]
        is_next = at == last + 1 or (at - 1 in found and at > last)
        if at not in marked and _limits(sentence, decided, is_next):
            found.append(at)
    nearest = sorted(found, key=lambda at: (at - last if at > last else first - at, -at))
    nearest = nearest[:MOST_LIMITS]
    return [Limit(text[slice(*spans[at])], "", "", *spans[at]) for at in sorted(nearest)]


def _limits(sentence: str, decided: str, is_next: bool) -> bool:
    """Return whether a sentence limits another.

    is_next: whether it follows it, so that it may go on from it.
    """
    if _LIKEWISE.match(sentence):
        return False
    opens = _OPENING.match(sentence) is not None
    goes_on = GOING_ON.match(sentence) is not None
    if is_next and (opens or goes_on):
        return opens or _DENYING.search(sentence) is not None or _excepts(sentence)
    return (
        opens or _excepts(sentence) or (is_next and _DENYING.search(sentence) is not None)
    ) and (_likeness(sentence, decided) >= _SAME_THING)


def _excepts(sentence: str) -> bool:
    return _EXCEPTING.search(sentence) is not None


def _likeness(one: str, other: str) -> float:
    """Return which share of the content words of two texts, of the one with fewer, both have."""
    words, others = _content(one), _content(other)
    return len(words & others) / (min(len(words), len(others)) or 1)


def _content(text: str) -> set[str]:
    return {
        word
        for word in stemmed_words(text).split()
        if word not in STOP_WORDS and not is_hiragana(word) and not word.isdigit()
    }


def limits_beside(
    store: Store, above: Mapping[str, str], decided: Mapping[str, str]
) -> dict[str, list[Limit]]:
    """Return {rule: what sub-rules beside it say that limits it}, at most two of each; rules that
    nothing limits are left out.

    A sub-rule limits another if it says that it is an exception to it, by its number, or if it is
    one of the next three, begins with words such as `however` or ただし, and speaks of the same.

    above: {rule: the rule that it is a sub-rule of}. decided: {rule: its sentence that decides}.
    """
    siblings: dict[str, list[str]] = defaultdict(list)
    for edge in store.edges(sorted(set(above.values())), "in", ["part_of"]):
        siblings[edge.target or ""].append(edge.source)
    passages = store.passages.first_passage_giving(
        rule for rules in siblings.values() for rule in rules
    )
    texts = {node.id: node.text or "" for node in store.get(passages.values()).values()}
    places = find_places(store, passages.values())
    limits: dict[str, list[Limit]] = {}
    for rule, sentence in decided.items():
        rules = [other for other in siblings.get(above.get(rule, ""), ()) if other in passages]
        if rule not in rules:
            continue
        at = rules.index(rule)
        own = rule.rpartition("/")[2]
        for place, other in enumerate(rules):
            text, number = texts[passages[other]], places[passages[other]].number
            spans = possible_sentences(text, number)
            if not spans or other == rule:
                continue
            span, first = spans[0], text[slice(*spans[0])]
            opens = at < place <= at + _NEAR and _OPENING.match(first) is not None
            if _names_exception(first, own) or (
                opens and _likeness(first, sentence) >= _SAME_THING
            ):
                limits.setdefault(rule, []).append(Limit(first, other, number, *span))
    return {rule: found[:MOST_LIMITS] for rule, found in limits.items()}


def _names_exception(sentence: str, number: str) -> bool:
    """Return whether a sentence says that it is an exception to the rule of a number."""
    return re.search(rf"(?<![\w.]){re.escape(number)}(?![\w.]\w)", sentence) is not None and (
        re.search(r"\bexception\b|\bunless\b|\bexcept\b|例外|にかかわらず|ただし", sentence)
        is not None
    )
