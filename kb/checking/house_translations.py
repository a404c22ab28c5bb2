"""Holds a draft against the translation that the house already has of the same text.

Where the source of a segment is a rule that is loaded in both languages, the draft may be another
wording of its translation; but where it follows that word by word, each content word that it
replaces, adds or leaves out is a departure.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from kb.checking.checks.opposites import denials, opposite_words
from kb.checking.draft import Finding, Kind, finding_at
from kb.checking.house_usage import House, ReadSegment
from kb.checking.rules_in_two_languages import aligned_texts
from kb.language.amounts import amounts
from kb.language.english_inflection import inflection_base
from kb.language.fold import fold
from kb.language.tokens import stem, tokenizer
from kb.language.typography import fold_typography
from kb.language.word_diff import Difference, differences
from kb.reason import Reason

_LONGEST = 8_000  # characters of a text that is looked up: a guard; Magic's longest rule has 2,811
# Characters by which a line is known again: of fewer than three, too many begin so; eight tell it
# from the others of a rule, and leave its end to what the draft made of it.
_SHORTEST, _BEGINNING = 3, 8
_MOST = 20  # translations of one text that a draft is compared with: a guard of time
# Differences from the translation that a draft follows closely: so many, and one more for each so
# many characters; and the share of its characters, beside a few that a short text may change. By
# hand: higher faults each word of another wording, lower overlooks departures.
_FEW, _FOR_ONE_MORE = 2, 150
_CLOSE, _ALWAYS = 0.25, 6
# The share of rules with a term that wordings may name more rarely, by hand: pronouns stand for
# such terms as `player`.
_MOST_FREQUENT = 0.12
_LEAST_LETTERS = 3  # of a word that may stand in the place of a term: shorter ones are little words
_USUALLY = 0.8  # the smoothed share of rules that translate a term so, as in missing_terms
# Of 100: how alike two spellings of one word are. In katakana less, as long vowels and small signs
# are a large part of a word.
_LIKE_SOUND, _LIKE_SPELLED = 65, 80
# What may stand before a text or not: the number of the rule, the word that begins an example.
_BEFORE = re.compile(
    r"\s*(?:(?:rule\s*)?\d{1,4}(?:[.-]?[0-9a-z]{1,4}){0,8}[.．]?\s+)?"
    r"(?:\d{1,2}[.．)）]\s+)?(?:(?:Example|例)\s?[:：]\s*)?",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_WHOLE_CITATION = re.compile(r"(?:\brules? |ルール\s?)\d|\d+\.\d", re.I)
_LIMIT = re.compile(
    "以上|以下|以内|最大|最低|最小|少なくとも|まで"
    "|or (?:more|less|fewer|greater)|at (?:least|most)|up to"
)
_CAPITAL = r"(?:[A-Z][\w’'-]*|of|the|to|and|for|from|in|with|a)"
_CAPITALS = re.compile(rf"{_CAPITAL}(?: {_CAPITAL})*")
_CARD = re.compile(r"《[^《》]*$")  # that what stands behind is within the marks of a card's name
_CITATION = re.compile(r"(?:\brules? |ルール\s?|\d[.-])[\d.]*$", re.I)
_WIDE, _NARROW = re.compile("[０-９]+"), re.compile("[0-9]+")
_OTHER_WIDTH = str.maketrans("０１２３４５６７８９0123456789", "0123456789０１２３４５６７８９")
_SEPARATORS = "、，, "  # of items in a list
_DOTTED = re.compile("[ァ-ヺー一-鿿]+(?:・[ァ-ヺー一-鿿]+)+")
_NAME_IN_CAPITALS = re.compile(rf"({_CAPITAL}(?: {_CAPITAL})+)")
_KATAKANA = re.compile(r"[ァ-ヺー・]+")
# Words whose change is no departure, as they say little: articles, prepositions, pronouns, verbs
# such as `be` and `can`; in Japanese nouns and verbs of grammar.
_ENGLISH_LITTLE = frozenset(
    "a an the of to in and or for with by from at on as is are was were be been being it its that "
    "this these those then than so if when while which who whose there their they them he she his "
    "her you your do does did has have had will would can could may might must shall should".split()
)
_JAPANESE_LITTLE = frozenset(
    "事 物 為る 有る 居る 成る 時 場合 其の 此の 其れ 此れ 等 様 及び 又 或いは".split()
)


@dataclass(frozen=True, slots=True)
class HouseTranslation:
    """The translation that the house has of a text, and where the draft differs from it.

    text: the translation. body: where the draft's text begins behind a number.
    differs: as `differences` returns them, of the draft's text from `body` and the translation.
    """

    text: str
    body: int
    differs: tuple[Difference, ...]

    @property
    def is_close(self) -> bool:
        """Whether the draft follows the translation word by word, but for a few places."""
        few = len(self.differs) <= _FEW + len(self.text) // _FOR_ONE_MORE
        return few and _changed_characters(self) <= _CLOSE * len(self.text) + _ALWAYS


class HouseTranslations:
    """The translations of a game's rules from one language into another."""

    def __init__(self, house: House, source_lang: str, target_lang: str) -> None:
        self._house, self._lang, self._source_lang = house, target_lang, source_lang
        self._by_source: dict[str, list[str]] = defaultdict(list)
        pairs: list[tuple[str, str]] = []
        if house.loaded:
            pairs += aligned_texts(house.store, house.loaded, source_lang, target_lang, True)
        uses = Counter(house.rule_texts(source_lang))
        translated = Counter(source for source, _ in pairs)
        for source, target in pairs:
            if translated[source] < uses[source]:
                continue  # a heading of several chapters, of which others may be called otherwise
            for one, other in _pieces(source, target):
                for key in (_key(one), _without_digits(_key(one))):
                    if other not in (known := self._by_source[key]):
                        known.append(other)

    def of(self, read: ReadSegment, following: str = "") -> HouseTranslation | None:
        """Return the translation of a segment's source, the likest to its target of several, of
        ties that of the newest edition; None if the house has none, or the source is too long.
        Numbers may differ where no source has these: those of rules change from edition to edition.

        following: the target of the next segment, which may go on with the translation.
        """
        if read.source is None or len(read.source) > _LONGEST:
            return None
        key = _key(read.source)
        known = self._by_source.get(key) or self._by_source.get(_without_digits(key), [])
        found = [
            _compared(read.target, text)
            for whole in known[:_MOST]
            for text in (whole, *_without_following(whole, following))
        ]
        return min(found, key=_changed_characters, default=None)

    def findings_in_rewording(
        self, read: ReadSegment, known: HouseTranslation
    ) -> Iterator[Finding]:
        """Yield what another wording of the house's translation leaves out or calls otherwise:
        names of cards, names with or without a middle dot, a word in place of its opposite, then
        terms."""
        yield from self._cards(read, known)
        if self._lang == "ja":
            yield from _dots(read, known)
        yield from self._opposite(read, known)
        yield from self._omitted_terms(read, known)

    def _omitted_terms(self, read: ReadSegment, known: HouseTranslation) -> Iterator[Finding]:
        """Yield the terms of a segment's source that the house's translation names, as the rules
        nearly always do, and that the draft does not name, or less often while it names others in
        their place."""
        assert read.source is not None and read.source_lang is not None
        finder = self._house.finder(self._lang)
        aligned = self._house.aligned(read.source_lang, self._lang)
        in_house = Counter(name.concepts for name in finder.find(known.text))
        in_draft = Counter(name.concepts for name in read.target_names)
        in_source = Counter(name.concepts for name in read.source_names)
        instead = self._instead(read, in_house)
        seen: set[tuple[str, ...]] = set()
        for name in read.source_names:
            names = [one.text for one in self._house.usable_names(name.concepts, self._lang)]
            used = [one for one in names if finder.has(known.text, one)]
            if name.concepts in seen or not used:
                continue
            seen.add(name.concepts)
            is_named = any(finder.has(read.target, one) for one in names)
            most = max(in_house[name.concepts], in_source[name.concepts])
            is_rarer = 0 < in_draft[name.concepts] < most
            if self._house.frequency(name.concepts, self._lang) > _MOST_FREQUENT:
                is_rarer = False  # pronouns stand for `player`
            if is_named and not (is_rarer and instead):
                continue
            if aligned.usage(name.use(read.source), names, "").rate < _USUALLY:
                continue
            written = read.source[name.start : name.end]
            start, end = instead[0] if instead else (0, 0)
            yield finding_at(
                read.segment,
                start,
                end,
                "merged-terms" if instead else "missing-term",
                Reason("translated_as", written=written, name=used[0]),
                expected=used[0],
                term=name.concepts[0],
                giver=Reason("rules_of_game", game=self._house.game),
                source_text=written,
            )

    def _instead(
        self, read: ReadSegment, in_house: Counter[tuple[str, ...]]
    ) -> list[tuple[int, int]]:
        """Return the spans where a draft names terms that neither its source nor the house's
        translation names; behind them those of words that the rules never use."""
        in_source = {one for name in read.source_names for one in name.concepts}
        named = [
            (name.start, name.end)
            for name in read.target_names
            if not in_house[name.concepts] and not in_source.intersection(name.concepts)
        ]
        new = self._house.new_words(read.target, self._lang)
        return named + [
            (word.start, word.end) for word in new if word.end - word.start >= _LEAST_LETTERS
        ]

    def _cards(self, read: ReadSegment, known: HouseTranslation) -> Iterator[Finding]:
        """Yield the names of cards in a draft that the house's translation doesn't have, each with
        the next one that this has more often; only where the source or it has a name in 《》."""
        marked = re.compile("《([^《》\n]{1,80})》")
        if "《" not in (read.source or "") + known.text:
            return
        pattern = marked if self._lang == "ja" else _NAME_IN_CAPITALS
        ours = [found for found in pattern.finditer(read.target) if found[1] not in known.text]
        theirs = [
            name
            for name in pattern.findall(known.text)
            if read.target.count(name) < known.text.count(name)
        ]
        for found, expected in zip(ours, dict.fromkeys(theirs), strict=False):
            yield finding_at(
                read.segment,
                *found.span(1),
                "card-name",
                Reason("translated_as", written=found[1], name=expected),
                expected=expected,
                giver=Reason("rules_of_game", game=self._house.game),
                suggestion=expected,
                source_text=read.source,
            )

    def findings(self, read: ReadSegment, known: HouseTranslation) -> Iterator[Finding]:
        """Yield where a segment's target departs from the translation that it follows closely: what
        only one of them denies, a word in place of its opposite, then other departures in order;
        then digits in another width and, in Japanese, middle dots."""
        yield from self._turned(read, known)
        turned = list(self._opposite(read, known))
        yield from turned
        for differs in known.differs:
            finding = self._finding(read, known, differs)
            if finding and not any(
                one.line == finding.line and one.start < finding.end and finding.start < one.end
                for one in turned
            ):
                yield finding
        yield from _wide_digits(read, known)
        if self._lang == "ja":
            yield from _dots(read, known)

    def _opposite(self, read: ReadSegment, known: HouseTranslation) -> Iterator[Finding]:
        """Yield the word of a target in whose place the house's translation has its opposite; one
        at most. Both are in one language, so that no translation of a word can mislead."""
        target = read.target[known.body :]
        found = opposite_words(known.text, target, (self._lang, self._lang))
        if found is None:
            return
        _, words, (start, end) = found
        yield finding_at(
            read.segment,
            known.body + start,
            known.body + end,
            "opposite",
            Reason("stands_for", written=target[start:end], name=words),
            expected=words,
            giver=Reason("rules_of_game", game=self._house.game),
            suggestion=words,
            source_text=read.source,
        )

    def _turned(self, read: ReadSegment, known: HouseTranslation) -> Iterator[Finding]:
        """Yield where the target denies what the translation that it follows does not, or the other
        way about; nothing if both deny as often, in whatever words."""
        ours = denials(read.target[known.body :], self._lang)
        theirs = denials(known.text, self._lang)
        for one in known.differs if len(ours) != len(theirs) else ():
            here = [span for span in ours if span[0] < one.end and one.start < span[1]]
            there = [
                span for span in theirs if span[0] < one.other_end and one.other_start < span[1]
            ]
            if len(here) == len(there):
                continue
            # In whole words: before the difference both have the same letters.
            lead = max(
                [0, *(one.start - span[0] for span in here)]
                + [one.other_start - span[0] for span in there]
            )
            start, other = max(0, one.start - lead), max(0, one.other_start - lead)
            end = max([one.end, *(span[1] for span in here)])
            other_end = max([one.other_end, *(span[1] for span in there)])
            start, end = known.body + start, known.body + end
            written, words = read.target[start:end], known.text[other:other_end]
            code = "denied_by_draft" if len(here) > len(there) else "denied_by_rules"
            yield finding_at(
                read.segment,
                start,
                end,
                "opposite",
                Reason(code, written=written, words=words),
                expected=words or None,
                giver=Reason("rules_of_game", game=self._house.game),
                suggestion=words if written.strip() and words.strip() else None,
                source_text=read.source,
            )

    def _finding(
        self, read: ReadSegment, known: HouseTranslation, differs: Difference
    ) -> Finding | None:
        start, end = known.body + differs.start, known.body + differs.end
        ours = read.target[start:end]
        theirs = known.text[differs.other_start : differs.other_end]
        kind = self._kind(read, known, differs, ours, theirs)
        expected, concept = self._expected(known, differs, theirs)
        is_of_terms = kind in ("inconsistent-term", "missing-term")
        if kind is None or (is_of_terms and concept is None and not self._are_things(ours, theirs)):
            return None
        source_text = self._in_source(read, concept) or read.source
        if not ours.strip():
            said = Reason("rules_have_here", name=_item(known.text, differs, expected))
        elif expected:
            said = Reason("stands_for", written=ours, name=expected)
        else:
            said = Reason("stands_for_nothing", written=ours)
        return finding_at(
            read.segment,
            start,
            end,
            kind,
            said,
            expected=expected or None,
            term=concept,
            giver=Reason("rules_of_game", game=self._house.game),
            suggestion=theirs if ours.strip() and theirs.strip() else None,
            source_text=source_text,
        )

    def _kind(
        self,
        read: ReadSegment,
        known: HouseTranslation,
        differs: Difference,
        ours: str,
        theirs: str,
    ) -> Kind | None:
        """Return what kind of departure a difference is, the first of: `rule-number`, `card-name`,
        `number` (also limits), `spelling`, `inconsistent-term` (other words), `missing-term` (none
        of weight); None if it is none."""
        before = read.target[: known.body + differs.start]
        if _is_citation(before, ours, theirs):
            return None if ours and _said_by_source(read, ours) else "rule-number"
        if _is_card(read, before, ours, theirs):
            return "card-name"
        counts = _counts(ours, self._lang) != _counts(theirs, self._lang)
        if counts or bool(_LIMIT.search(ours)) != bool(_LIMIT.search(theirs)):
            return "number"
        words, others = self._words(ours), self._words(theirs)
        if words == others:
            is_noun = self._lang == "ja" and _has_noun(ours)
            is_other = fold_typography(ours) != fold_typography(theirs)
            return "spelling" if words and is_noun and is_other else None
        if not others and not read.source_names:
            return None
        if _is_respelled(ours, theirs):
            return None if self._is_run_together(ours, theirs) else "spelling"
        return "inconsistent-term" if words else "missing-term"

    def _is_run_together(self, ours: str, theirs: str) -> bool:
        """Whether a rule has words without the space between them that belongs there: nowhere else
        in the house's rules, which have each of the words in several."""
        words = ours.split()
        if len(words) < 2 or "".join(words).casefold() != theirs.strip().casefold():
            return False
        texts = self._house.rule_texts(self._lang)
        has = [
            re.compile(rf"\b{re.escape(one)}\b", re.I).search for one in (*words, theirs.strip())
        ]
        *spaced, joined = (sum(1 for text in texts if one(text)) for one in has)
        return joined <= 1 < min(spaced)

    def _are_things(self, *texts: str) -> bool:
        """Whether each of some Japanese texts has a noun that names a thing. False in other
        languages: what the English for a thing is that is no term, words alone don't tell."""
        return self._lang == "ja" and all(map(_has_noun, texts))

    def _words(self, text: str) -> list[str]:
        """Return the content words of a text, without their inflections, in order."""
        if self._lang == "ja":
            entries, _ = tokenizer().entries(text)
            return [
                entry.folded
                for entry in entries
                if not entry.function and entry.normal not in _JAPANESE_LITTLE
            ]
        words = re.findall(r"[^\W_]+", text.casefold())
        return [inflection_base(word) for word in words if word not in _ENGLISH_LITTLE]

    def _expected(
        self, known: HouseTranslation, differs: Difference, theirs: str
    ) -> tuple[str, str | None]:
        """Return (the words of the translation that stand at a difference, as far as the name that
        they are part of reaches; the concept of that name, None if they are part of none)."""
        for name in self._house.finder(self._lang).find(known.text):
            if name.start < differs.other_end and differs.other_start < name.end:
                start = min(name.start, differs.other_start)
                return known.text[start : max(name.end, differs.other_end)], name.concepts[0]
        return theirs.strip(), None

    def _in_source(self, read: ReadSegment, concept: str | None) -> str | None:
        """Return the first words of a segment's source that name a concept; None without any."""
        if concept is None or read.source is None:
            return None
        names = (name for name in read.source_names if concept in name.concepts)
        return next((read.source[name.start : name.end] for name in names), None)


def _key(text: str) -> str:
    """Return a text as it is looked up: without its number, white space, case and differences of
    typography."""
    return "".join(fold_typography(_body(text)).split()).casefold()


def _without_digits(key: str) -> str:
    return _DIGITS.sub("#", key)


def _compared(target: str, text: str) -> HouseTranslation:
    """Return a translation with what differs in a target, behind the number of either."""
    body, text = len(target) - len(_body(target)), _body(text)
    return HouseTranslation(text, body, tuple(differences(target[body:], text)))


def _body(text: str) -> str:
    """Return a text without its number, and without the word that begins an example."""
    before = _BEFORE.match(text)
    return text[before.end() :] if before else text


def _pieces(source: str, target: str) -> Iterator[tuple[str, str]]:
    """Yield (source, target), and then their paragraphs in pairs if they have as many, two or
    more."""
    yield source, target
    sources, targets = source.split("\n"), target.split("\n")
    if len(sources) == len(targets) > 1:
        yield from zip(sources, targets, strict=True)


def _without_following(text: str, following: str) -> Iterator[str]:
    """Yield a text up to the line with which the next segment of the draft begins, if there is such
    a line: drafts may have the lines of one text as segments of their own."""
    beginning = _key(following)[:_BEGINNING]
    for match in re.finditer("\n", text) if len(beginning) >= _SHORTEST else ():
        rest = _key(text[match.end() :])
        if rest.startswith(beginning) and (len(beginning) == _BEGINNING or rest == beginning):
            yield text[: match.start()]


def _item(text: str, differs: Difference, expected: str) -> str:
    """Return the words that a draft leaves out of a text, as the item of a list if they are one:
    of A能力、B能力、C what A能力、C lacks is B能力, though 能力、B is lacking as well.

    expected: what to return of words that are none, or that end as they begin.
    """
    start, end = differs.other_start, differs.other_end
    for step in (-1, 1):
        begin, stop = start, end
        while begin - (step < 0) >= 0 and stop + (step > 0) <= len(text):
            if text[begin : begin + 1] in _SEPARATORS or text[begin - 1 : begin] in _SEPARATORS:
                item = text[begin:stop].strip(_SEPARATORS)
                is_ended = text[stop - 1] in _SEPARATORS or text[stop : stop + 1] in _SEPARATORS
                if is_ended and item:
                    return item if (begin, stop) != (start, end) else expected
            if text[begin - (step < 0)] != text[stop - (step < 0)]:
                break
            begin, stop = begin + step, stop + step
    return expected


def _changed_characters(known: HouseTranslation) -> int:
    return sum(max(one.end - one.start, one.other_end - one.other_start) for one in known.differs)


def _wide_digits(read: ReadSegment, known: HouseTranslation) -> Iterator[Finding]:
    """Yield the first digits that a draft writes in full width where the translation has only
    narrow ones, or the other way about."""
    for ours, theirs in ((_WIDE, _NARROW), (_NARROW, _WIDE)):
        if ours.search(known.text) or not theirs.search(known.text):
            continue
        if found := ours.search(read.target, known.body):
            yield finding_at(
                read.segment,
                *found.span(),
                "spelling",
                Reason("in_another_width", written=found[0]),
                expected=found[0].translate(_OTHER_WIDTH),
                giver=Reason("the_rules"),
                suggestion=found[0].translate(_OTHER_WIDTH),
                source_text=read.source,
            )


def _dots(read: ReadSegment, known: HouseTranslation) -> Iterator[Finding]:
    """Yield the names that a draft writes with a middle dot where the house's translation has none,
    or the other way about."""
    for found in _DOTTED.finditer(known.text):
        plain = found[0].replace("・", "")
        at = read.target.find(plain)
        if at >= 0 and found[0] not in read.target:
            yield _spelled(read, at, at + len(plain), found[0])
    for found in _DOTTED.finditer(read.target):
        plain = found[0].replace("・", "")
        if plain in known.text and found[0] not in known.text:
            yield _spelled(read, *found.span(), plain)


def _spelled(read: ReadSegment, start: int, end: int, expected: str) -> Finding:
    return finding_at(
        read.segment,
        start,
        end,
        "spelling",
        Reason("spelled_in_rules", written=read.target[start:end], name=expected),
        expected=expected,
        giver=Reason("the_rules"),
        suggestion=expected,
        source_text=read.source,
    )


def _is_citation(before: str, ours: str, theirs: str) -> bool:
    """Whether two pieces that differ are numbers of rules, or parts of such.

    before: the text of the draft before them."""
    if any(map(_WHOLE_CITATION.search, (ours, theirs))):
        return True
    if re.search(r"\d[\d.]*$", before) and re.match("[a-z](?![a-z])", ours or theirs):
        return True  # 101.2a
    return bool(_DIGITS.search(ours + theirs) and _CITATION.search(before))


def _is_card(read: ReadSegment, before: str, ours: str, theirs: str) -> bool:
    """Whether two pieces that differ are of a card's name: within marks, or in capitals where the
    source has a name in marks."""
    if _CARD.search(before) or "《" in ours + theirs:
        return True
    in_capitals = all(map(_CAPITALS.fullmatch, filter(None, (ours.strip(), theirs.strip()))))
    return in_capitals and "《" in (read.source or "")


def _counts(text: str, lang: str) -> list[float]:
    return sorted(amount.value for amount in amounts(text, lang) if amount.certain)


def _has_noun(text: str) -> bool:
    """Whether a Japanese text has a noun that names a thing."""
    return any(
        kind[0] == "名詞" and kind[1] == "普通名詞" and kind[2] != "副詞可能"
        for kind in (word.part_of_speech() for word in tokenizer().tokenize(text))
    )


def _said_by_source(read: ReadSegment, text: str) -> bool:
    """Whether the source has the numbers of a piece of the target."""
    in_source = set(_DIGITS.findall(read.source or ""))
    return all(number in in_source for number in _DIGITS.findall(text))


def _is_respelled(ours: str, theirs: str) -> bool:
    """Whether two pieces are one word in two spellings: both in katakana or both in ASCII, nearly
    alike; or the same when folded. Forms of one word (`Card`, `Cards`) are not, and if either is
    blank it is False."""
    from rapidfuzz import fuzz

    if not ours.strip() or not theirs.strip():
        return False
    if fold(ours) == fold(theirs):
        return True
    both = (ours.strip(), theirs.strip())
    if all(map(str.isascii, both)):
        one, other = (re.sub(r"[\W_]", "", text.casefold()) for text in both)
        return one == other or (
            stem(one) != stem(other) and fuzz.ratio(one, other) >= _LIKE_SPELLED
        )
    is_sound = all(_KATAKANA.fullmatch(one) for one in both)
    return is_sound and fuzz.ratio(*both) >= _LIKE_SOUND
