"""Finds terms of the source whose name is missing in the target, or stands for two of them.

It also finds segments whose target seems to lack a sentence, or half of what the source says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from kb.checking.draft import Finding, Kind, comparable_parts, finding_at, given_by
from kb.checking.house_usage import House, ReadSegment
from kb.checking.rules_in_two_languages import Usage
from kb.checking.term_finder import STOP_WORDS, UNSPACED, Word
from kb.language.english_inflection import FoundName
from kb.language.fold import fold
from kb.language.translated_length import usual_length
from kb.reason import Reason
from kb.termbase.model import ConceptName

# Shares of the length that translations usually have, by hand with 94 drafts: of 57 segments that
# lack a clause 12 are found so, and none of 670 that lack nothing. Higher shares are those of terse
# translations.
_WITH_FEWER_SENTENCES = 0.67
_AS_MANY_SENTENCES = 0.5
_NO_TRANSLATION = 0.25  # with less it is none, which is told otherwise
_SHORTEST = 60  # characters of English that are expected or there: of less a length says little
_SENTENCE_ENDS = {
    "ja": re.compile(r"[。！？!?]+[」』）)”\"]*\s*"),
    "en": re.compile(r"(?<=[a-z\d)”\"’'\]}])[.!?]+[)”\"’']*(?:\s+|$)"),
}


def missing_text(read: ReadSegment) -> Iterator[Finding]:
    """Yield a finding without a place if a segment's target is much shorter than translations of
    such a source are, more so if it has fewer sentences. Only English and Japanese are known."""
    langs = read.source_lang or "", read.target_lang
    if read.source is None or not all(lang in _SENTENCE_ENDS for lang in langs):
        return
    source, target = comparable_parts(read.source, read.target)
    expected = usual_length(source, *langs)
    in_english = max(len(source), expected) if "en" in langs else len(source)
    sentences = [
        len(sentences_of(text, lang)) for text, lang in zip((source, target), langs, strict=True)
    ]
    least = _WITH_FEWER_SENTENCES if sentences[0] > sentences[1] else _AS_MANY_SENTENCES
    if in_english >= _SHORTEST and _NO_TRANSLATION * expected < len(target) < least * expected:
        share = round(100 * len(target) / expected)
        said = Reason("much_shorter", percent=share, sentences=sentences[0], here=sentences[1])
        yield finding_at(
            read.segment,
            0,
            0,
            "missing-text",
            said,
            giver=Reason("source"),
            source_text=read.source,
        )


def sentences_of(text: str, lang: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of an English or Japanese text, in order.

    >>> sentences_of("Draw two cards. Discard one.", "en"), sentences_of("引く。捨てる。", "ja")
    ([(0, 16), (16, 28)], [(0, 3), (3, 7)])
    """
    ends = [match.end() for match in _SENTENCE_ENDS[lang].finditer(text)]
    if not ends or text[ends[-1] :].strip():
        ends.append(len(text))
    return list(zip([0, *ends], ends, strict=False))


# By hand, so that little is asked for in vain: lower figures ask for names that translators leave
# out, higher ones overlook names that are missing.
_ENOUGH_RULES = 3  # to judge by them
_SURE_RULES = 4  # all of which agree
# The smoothed share of rules that agree, if other words stand in the place: 3 of 3, 7 of 8.
_LIKELY = 0.8
# Of so many rules nearly all: enough for one of two things that the source names together, as no
# translator leaves out `and challenge`.
_MANY_RULES, _NEARLY_ALL = 10, 0.95
_TOGETHER = {
    "en": (re.compile(r"\b(?:and|or)(?: [a-z]+){0,2} $"), re.compile(r"(?:s|ed)? (?:and|or)\b")),
    "ja": (
        re.compile(r"(?:[とやかも・]|または|および|及び)$"),
        re.compile(r"(?:[とやかも・]|または|および|及び)"),
    ),
}
_FEW_ALIGNED = 50  # rules: too few to say which words they account for
_EVERYDAY = 0.01  # the share of rules that have a word which isn't special to the game
# The share of rules that name it, from which on translators leave a term out where it goes without
# saying: characters, turns. By hand, with 60 drafts; other words in its place still count.
_OFTEN = 0.03
_BEGINNING, _BEGINNING_LETTERS, _BEGINNING_SIGNS = 0.6, 5, 3  # of a name, and at least so long
_SET_PHRASE = re.compile("[こそ]の場(?!に)")  # on the spot: no zone
_SPACES = re.compile("[ -]")
_VERB_IN_NOUN = re.compile("([一-鿿]+[ぁ-ん]+)[一-鿿]+$")  # 捨て札, from 捨てる
_SHORT_WORD = 5  # letters: shorter English words, such as `card` and `turn`, have everyday senses
_GERUND = re.compile(r"[A-Za-z]{3,}ing")
_VERB_ENDINGS = ("ing", "ed")  # of English: a noun in such a form is a verb
# With a number, these say in Japanese what is counted: 7枚 are cards, 2人 players.
_COUNTERS = {"カード": "枚", "プレイヤー": "人"}
# What else says a name: a verb for `cost`, a compound for `name`.
_IN_OTHER_WORDS = {
    "コスト": re.compile("かか[らりるれっ]"),
    "オブジェクト": re.compile("もの"),
    "名前": re.compile("同名|という名|カード名"),
    "能力": re.compile("と書(?:いて|かれて)"),
}
# Words of phrases that are no terms: headings such as `starting the game`.
_PHRASE_WORDS = frozenset(
    "a an the of in on to for from with while if as is are be or and not your their its this "
    "that before after during without about between".split()
)
_PLAIN = frozenset(("player", "プレイヤー", "card", "カード", "effect", "効果", "game", "ゲーム"))
# Of the terms asked for in a segment: so many, and this share of them, missing at once show that
# it isn't the translation of its source. By hand: one or two may well be missing from a short one.
_MANY, _SHARE = 3, 0.5


@dataclass(frozen=True, slots=True)
class Demand:
    """A term of the source that its translation must name.

    name: where it stands in the source.
    names: what the target may call it, the best first.
    usage: how the game's aligned rules translate it.
    is_sure: whether its lack alone shows a fault; else there must be other words in its place.
    """

    name: FoundName
    names: tuple[ConceptName, ...]
    usage: Usage
    is_sure: bool

    @property
    def is_decided(self) -> bool:
        """Whether a decision prefers one of the names."""
        return any(name.why == "decision" and name.status == "preferred" for name in self.names)


def missing_terms(read: ReadSegment, house: House) -> Iterator[Finding]:
    """Yield the terms of a segment's source that its target doesn't name, each once, in the order
    of the source; nothing if the target isn't the translation of all of a source. Where most that
    are asked for (and three or more) are missing at once, only those that are decided on."""
    if read.source is None or read.source_lang is None or not read.is_whole:
        return
    asked = list(demands(read, house))
    finder = house.finder(read.target_lang)
    missing = [
        demand
        for demand in asked
        if not any(
            finder.has(read.target, name.text)
            or is_said_otherwise(name.text, read.target)
            or _is_elliptic(name.text, read.target)
            or has_beginning(read.target, name.text)
            for name in (*demand.names, *_forbidden(demand, read, house))
        )
    ]
    if len(missing) >= _MANY and len(missing) > _SHARE * len(asked):
        missing = [demand for demand in missing if demand.is_decided]
    if not missing:
        return
    source, target = comparable_parts(read.source, read.target)
    aligned = house.aligned(read.source_lang, read.target_lang)
    others = aligned.unexplained(source, target) if aligned else []
    new = {word.form for word in house.new_words(read.target, read.target_lang)}
    others = [word for word in others if word.form in new]
    for demand in missing:
        if demand.is_sure or others:
            yield _finding(read, demand, others, house)


def _forbidden(demand: Demand, read: ReadSegment, house: House) -> Iterator[ConceptName]:
    """Yield the names of a term that are forbidden in the target's language: where the target has
    one, `NamesToAvoid` says so, with the name to write."""
    for concept in demand.name.concepts:
        for name in house.concepts[concept].names:
            if name.lang == read.target_lang and name.status == "forbidden":
                yield name


def is_said_otherwise(name: str, target: str) -> bool:
    """Return whether a Japanese text says what a name stands for in other words, such as the
    counter of カード (枚), and so needs not have it.

    >>> is_said_otherwise("カード", "手札が7枚未満"), is_said_otherwise("カード", "手札")
    (True, False)
    """
    other = _IN_OTHER_WORDS.get(name)
    if other and other.search(target):
        return True
    counter = _COUNTERS.get(name)
    return (
        counter is not None
        and re.search(rf"[\d０-９一二三四五六七八九十数]{counter}|{counter}数", target) is not None
    )


def has_beginning(text: str, name: str) -> bool:
    """Whether a text has the beginning of a name, enough of it to be another form of it: `enchants`
    for `enchantment`, 統率者 for 統率者戦, 捨てる for 捨て札, `enters` for `enters the
    battlefield`, `facedown` for `face down`.

    >>> has_beginning("the creature it enchants", "Enchantment"), has_beginning("a card", "Cost")
    (True, False)
    """
    least = _BEGINNING_LETTERS if name.isascii() else _BEGINNING_SIGNS
    if (joined := _SPACES.sub("", name)) != name and re.search(
        rf"\b{re.escape(joined)}\b", text, re.I
    ):
        return True  # `facedown`
    if (stem := _VERB_IN_NOUN.match(name)) and stem[1] in text:
        return True
    first = name.partition(" the ")[0]
    if first != name and name.isascii() and re.search(rf"\b{re.escape(first)}\b", text, re.I):
        return True  # of what is done to a thing, the thing may go without saying
    part = name[: max(least, ceil(_BEGINNING * len(name)))]
    return len(part) < len(name) and " " not in part and fold(part) in fold(text)


def _is_elliptic(name: str, target: str) -> bool:
    """Whether an English text names a term of several words with others between them, as of two
    that share a word.

    >>> _is_elliptic("replacement effect", "two replacement or prevention effects")
    True
    """
    words = [re.escape(word.rstrip("s")) for word in name.split()]
    if len(words) < 2 or not name.isascii():
        return False
    between = r"\w*(?:,? [\w-]+){0,3},? (?:and|or) [\w-]+ "
    return (
        re.search(r"\b" + between.join((" ".join(words[:-1]), words[-1])), target, re.I) is not None
    )


def demands(read: ReadSegment, house: House) -> Iterator[Demand]:
    """Yield the terms of a segment's source that its target must name, each once, in the source's
    order: those that the game's rules reliably translate so, those that a person decided on, and
    special ones where few rules are aligned. The segment must have a source."""
    assert read.source is not None and read.source_lang is not None
    part, _ = comparable_parts(read.source, read.target)
    seen: set[tuple[str, ...]] = set()
    for name in read.source_names:
        if name.concepts in seen or name.end > len(part):
            continue
        seen.add(name.concepts)
        names = house.wanted_names(name.concepts, read.target_lang)
        written = part[name.start : name.end]
        is_phrase = _SET_PHRASE.match(part, max(0, name.start - 2)) is not None
        is_word = fold(written) in STOP_WORDS or is_phrase or _is_other_sense(written, names)
        if not names or is_word or goes_without_saying(names) or _is_verb(name, names, house):
            continue
        usage = _usage(name, names, read, house)
        demanded = _is_demanded(name, names, usage, read, house)
        if demanded is not None:
            yield Demand(name, names, usage, demanded)


def _is_other_sense(written: str, names: Sequence[ConceptName]) -> bool:
    """Whether an English word in small letters is what a format is named after: `the emperor` of
    皇帝戦.

    >>> _is_other_sense("emperor", [ConceptName("ja", "皇帝戦")])
    True
    """
    is_word = written.islower() and " " not in written
    return is_word and any(name.text.endswith("戦") for name in names[:1])


def _is_verb(name: FoundName, names: Sequence[ConceptName], house: House) -> bool:
    """Whether a term is what somebody does, by any of its names, and so said in many ways: `pick`
    for 選ぶ, `take out` for 抜く; not one that is decided on."""
    if any(one.why == "decision" for one in names):
        return False
    own = (one for concept in name.concepts for one in house.concepts[concept].names)
    return any(one.part_of_speech == "verb" or _GERUND.fullmatch(one.text) for one in own)


def goes_without_saying(names: Sequence[ConceptName]) -> bool:
    """Whether a term is one that all games have and that the target may tell by a pronoun, or not
    at all; not one that is decided on."""
    return any(name.text.casefold().removesuffix("s") in _PLAIN for name in names) and not any(
        name.why == "decision" for name in names
    )


def fewer_names(read: ReadSegment, house: House) -> Iterator[FoundName]:
    """Yield the terms that a segment's source names more often than its target does, and that the
    rules reliably translate (see `demands`), each once: in the order of how often the target names
    them, those first that it doesn't name at all. The segment must have a source."""
    in_source = Counter(one for name in read.source_names for one in set(name.concepts))
    in_target = Counter(one for name in read.target_names for one in set(name.concepts))
    found = [
        (max(in_target[one] for one in demand.name.concepts), demand.name)
        for demand in demands(read, house)
        if max(in_target[one] for one in demand.name.concepts)
        < max(in_source[one] for one in demand.name.concepts)
    ]
    yield from (name for _, name in sorted(found, key=lambda each: each[0]))


def _usage(name: FoundName, names: Sequence[ConceptName], read: ReadSegment, house: House) -> Usage:
    """Return how the game's rules translate a name: in the form in which it stands here if enough
    of them have that, else in any form; an English verb that no rule has so, in no other."""
    assert read.source is not None and read.source_lang is not None
    aligned = house.aligned(read.source_lang, read.target_lang)
    use, texts = name.use(read.source), [one.text for one in names]
    usage = aligned.usage(use, texts, read.source)
    if usage.rules >= _ENOUGH_RULES:
        return usage
    if not usage.rules and use.written.endswith(_VERB_ENDINGS):
        return usage  # a verb may mean something else than the noun: `turning`
    return aligned.usage_in_any_form(use, texts, read.source)


def _is_demanded(
    name: FoundName,
    names: Sequence[ConceptName],
    usage: Usage,
    read: ReadSegment,
    house: House,
) -> bool | None:
    """Return whether the translation of a name must surely be one of some names, or (False) unless
    other words stand in its place; None if it needn't."""
    if any(one.why == "decision" and one.status == "preferred" for one in names):
        return True
    if usage.rules >= _ENOUGH_RULES:
        if house.is_common(name.concepts, read.source_lang or "", _OFTEN):
            if usage.rate < _LIKELY:
                return None
            return _is_coordinated(name, read)
        if usage.agreeing == usage.rules >= _SURE_RULES:
            return True
        if usage.rules >= _MANY_RULES and usage.agreeing >= _NEARLY_ALL * usage.rules:
            return _is_coordinated(name, read)
        return False if usage.rate >= _LIKELY else None
    if usage.agreeing < usage.rules:
        return None
    if usage.rules:
        return False if _is_special(name, read, house) else None
    if all(one.why == "proposed" for one in names) or not _is_special(name, read, house):
        return None
    return (
        names[0].why != "proposed"
        or len(house.aligned(read.source_lang or "", read.target_lang)) < _FEW_ALIGNED
    )


def _is_coordinated(name: FoundName, read: ReadSegment) -> bool:
    """Whether the source joins a name to another thing by `and` or `or`."""
    assert read.source is not None
    if read.source_lang not in _TOGETHER:
        return False
    before, behind = _TOGETHER[read.source_lang]
    return bool(before.search(read.source[: name.start]) or behind.match(read.source[name.end :]))


def _is_special(name: FoundName, read: ReadSegment, house: House) -> bool:
    """Return whether a name is no everyday word or phrase, such as `card` or `play a card`: no part
    of a compound; in English, without little words and no gerund, and of several words, or a long
    one that few rules have; in Japanese of two letters or more, and in few rules."""
    assert read.source is not None and read.source_lang is not None
    written = read.source[name.start : name.end]
    if name.use(read.source).within:
        return False
    if read.source_lang in UNSPACED:
        if len(written) < 2:
            return False
    else:
        words = written.casefold().split()
        if _PHRASE_WORDS.intersection(words) or words[0].endswith("ing"):
            return False
        if len(words) > 1:
            return True
        if len(written) < _SHORT_WORD:
            return False
    return house.frequency(name.concepts, read.source_lang) < _EVERYDAY


def _finding(read: ReadSegment, demand: Demand, others: Sequence[Word], house: House) -> Finding:
    """Return the finding about a term that the target doesn't name: at the name of another term
    that stands in its place (as `merged-terms`), or at the words that do, if they stand together;
    else without a place.

    others: the words of the target that nothing in the source accounts for.
    """
    assert read.source is not None
    best, written = demand.names[0], read.source[demand.name.start : demand.name.end]
    start, end = _place(others)
    kind: Kind = "missing-term"
    code = "should_be"
    if demand.is_decided and (own := _other_name(read, demand)):
        start, end = own.start, own.end
    elif other := _instead(read, others, house):
        start, end = other.start, other.end
        kind, code = "merged-terms", "should_be_another"
    name = house.in_sentence(best.text, read.target_lang, read.target, start)
    return finding_at(
        read.segment,
        start,
        end,
        kind,
        Reason(code, written=written, name=name, instead=read.target[start:end]),
        expected=name,
        term=demand.name.concepts[0],
        giver=given_by(best.authority) if demand.is_decided else giver_of(best, demand.usage),
        suggestion=name if end > start else None,
        source_text=written,
    )


def _other_name(read: ReadSegment, demand: Demand) -> FoundName | None:
    """Return where the target first has any known name of the term, which is another one than a
    person decided on, as that is missing; None without one."""
    concepts = set(demand.name.concepts)
    return next((name for name in read.target_names if concepts.intersection(name.concepts)), None)


def _place(words: Sequence[Word]) -> tuple[int, int]:
    """Return the span of some words, which are in order, if at most one character is between any
    two; (0, 0) if more is, or if there are none."""
    if not words or any(two.start > one.end + 1 for one, two in pairwise(words)):
        return 0, 0
    return words[0].start, words[-1].end


def _instead(read: ReadSegment, others: Sequence[Word], house: House) -> FoundName | None:
    """Return the first name in the target of a term that the source doesn't have, and that nothing
    in the source accounts for; only terms that have a name in the source's language count. None
    without one."""
    assert read.source_lang is not None
    in_source = {one for name in read.source_names for one in name.concepts}
    for name in read.target_names:
        is_other = not in_source.intersection(name.concepts) and any(
            name.start <= word.start < name.end for word in others
        )
        if is_other and house.usable_names(name.concepts, read.source_lang):
            return name
    return None


def giver_of(name: ConceptName, usage: Usage) -> Reason | None:
    """Return who says that a name is to be used: the aligned rules, as (agreeing) of (rules), else
    its authority; None if there is neither."""
    if not usage.rules:
        return given_by(name.authority)
    return Reason("aligned_rules", name=name.authority, agreeing=usage.agreeing, rules=usage.rules)
