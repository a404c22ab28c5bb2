"""Finds citations of rules that a draft changed or lost, or that mean another rule by now."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property, partial

from graphs.store.rule_versions import matched_numbers
from kb.checking.draft import Finding, finding_at
from kb.checking.house_usage import House, ReadSegment
from kb.checking.kept_tools import cached_method
from kb.checking.term_finder import JapaneseFinder
from kb.language.citations.citation_grammar import Citation, find_citations
from kb.language.english_inflection import EnglishFinder
from kb.language.fold import fold
from kb.query.editions.diff import texts_by_number
from kb.reason import Reason
from scraper.rulebook.numbering import looks_like_heading, number_key, parse_number

# The number of the rule itself at the beginning of its text, which is no citation.
_OWN_NUMBER = re.compile(
    r"\s*(?:\d{1,4}(?:[.-]\(?\w{1,4}\)?)*[a-z]?|[A-Z]-\d[\w-]*)[.:：．]?(?=\s)"
    # Not where the sentence goes on with it: `6.2.4 参照。`
    r"(?!\s+(?:[をもへ]|に(?:よ|従|つ|基)|参[照考]|(?:and|or|also|appl(?:y|ies)|says?|states?)\b))"
)
# By hand: at 1 the slightest likeness would decide, higher overlooks moved rules of like topics.
_SURELY = 1.5  # how much more alike a passage must be to the moved rule than to the other one
_FEWEST_WORDS = 1  # telling words in common with the moved rule: with none, it is not meant
# By hand, of an edition that must be loaded: of less, a lacking rule may be one that isn't loaded;
# more would leave citations of books unchecked that are nearly whole.
_HALF = 0.5
# Of the weight of a word that a single rule has: on a scale of logarithms, half of it is the square
# root. Of 10,000 rules, words that at most 100 have are telling; in any book, as few.
_TELLING = 0.5


class Citations:
    """The rules of the editions that drafts mean, and where those of other editions went."""

    def __init__(self, house: House) -> None:
        self._house = house
        loaded = house.loaded
        self.edition = house.edition or (loaded.editions[-1] if loaded else None)
        self._successors = cache(partial(matched_numbers, house.store, house.game))

    @cached_property
    def known(self) -> frozenset[str]:
        """The numbers of the rules of the edition, in all languages, and of those that drafts in
        other languages go by; empty if no rules are loaded."""
        loaded = self._house.loaded
        if not loaded or not self.edition:
            return frozenset()
        books = {(self.edition, lang) for lang in loaded.langs(self.edition)}
        books |= {book for _, lang in loaded.books if (book := self._house.book(lang))}
        return frozenset().union(*(loaded.numbers[book] for book in books))

    @cached_method()
    def _meant(self, lang: str) -> tuple[str, bool, frozenset[str]]:
        """Return (edition, whether all of it is loaded, its numbers) of the rules that a draft in a
        language goes by: in that language, if all of them are loaded, in the edition that is meant
        or its translation; else in whatever there is."""
        loaded, book = self._house.loaded, self._house.book(lang)
        assert loaded and self.edition
        langs = loaded.langs(self.edition)
        is_meant = book is not None and (
            self._house.edition is None
            or any(self._house.are_one_book(book, (self.edition, one)) for one in langs)
        )
        if book and is_meant and loaded.loaded(*book).whole:
            return book[0], True, loaded.numbers[book]
        is_whole = any(loaded.loaded(self.edition, one).whole for one in langs)
        numbers = (loaded.numbers[self.edition, one] for one in langs)
        return self.edition, is_whole, frozenset().union(*numbers)

    def cited(self, text: str) -> list[Citation]:
        """Return what a text cites, without the number at its beginning; each number once, where it
        stands first, in order of these places."""
        own = _OWN_NUMBER.match(text)
        found = find_citations(text, self.known, own.end() if own else 0)
        return list({one.number: one for one in reversed(found)}.values())[::-1]

    # -- against the source --------------------------------------------------------------------

    def changed(self, read: ReadSegment) -> Iterator[Finding]:
        """Yield the citations that a segment's source and target don't have in common: those of the
        target first, each with the one it stands for if there is one (the same number, else the
        nearest), then those that only the source has, without a place. Nothing if the target isn't
        the translation of all of a source. Where the two languages number their rules otherwise,
        those of the target's language are expected."""
        if read.source is None or not read.is_whole:
            return
        ours, theirs = self.cited(read.target), self.cited(read.source)
        in_target = self._house.numbers_in(read.source_lang or "", read.target_lang)
        yield from self._changed_own(read, in_target)
        expected = {one.number: in_target.get(one.number, one.number) for one in theirs}
        written = {one.number for one in ours}
        lost = [one for one in theirs if expected[one.number] not in written]
        added = [one for one in ours if one.number not in expected.values()]
        for one in added:
            same = [each for each in lost if each.number == one.number]
            instead = same[0] if same else _nearest(one, lost)
            if instead:
                lost.remove(instead)
            yield self._changed(read, one, instead, expected)
        for one in lost:
            yield finding_at(
                read.segment,
                0,
                0,
                "rule-number",
                Reason("only_source_cites", source=one.number),
                expected=expected[one.number],
                giver=Reason("source"),
                source_text=read.source[one.start : one.end],
            )

    def _changed_own(self, read: ReadSegment, in_target: Mapping[str, str]) -> Iterator[Finding]:
        """Yield that the rule's own number, with which both texts begin, is not the source's. Only
        numbers with a point that rules have: others may be of an item in a list, or amounts."""
        own, other = (_OWN_NUMBER.match(text) for text in (read.target, read.source or ""))
        numbers = [parse_number(each[0]) for each in (own, other) if each]
        if len(numbers) < 2 or not all(each and "." in each for each in numbers):
            return
        written, given = (each or "" for each in numbers)
        right = in_target.get(given, given)
        if own and written not in (right, given) and given in self.known:
            start = len(own[0]) - len(own[0].lstrip())
            yield finding_at(
                read.segment,
                start,
                own.end(),
                "rule-number",
                Reason("source_is_rule", source=given, written=written),
                expected=right,
                giver=Reason("source"),
                source_text=given,
            )

    def _changed(
        self,
        read: ReadSegment,
        cited: Citation,
        instead: Citation | None,
        expected: Mapping[str, str],
    ) -> Finding:
        """Return the finding about a citation that the source does not have. instead: the one that
        stands there; expected: {number in the source: its number in the draft's language}."""
        right = expected[instead.number] if instead else None
        said = Reason("source_does_not_cite", written=cited.number)
        if instead and right == instead.number:
            said = Reason("source_cites_not", source=instead.number, written=cited.number)
        elif instead and right:
            said = Reason(
                "source_cites_in_language",
                source=instead.number,
                written=cited.number,
                now=right,
                lang=read.target_lang,
            )
        return finding_at(
            read.segment,
            cited.start,
            cited.end,
            "rule-number",
            said,
            expected=right,
            giver=Reason("source"),
            suggestion=_rewritten(read.target, cited, right) if right else None,
            source_text=(read.source or "")[instead.start : instead.end] if instead else None,
        )

    # -- against the edition -------------------------------------------------------------------

    def moved(self, read: ReadSegment) -> Iterator[Finding]:
        """Yield the citations that mean a rule of another edition, in order, one finding each: the
        edition meant has it under another number, or no more. Nothing if one edition is loaded."""
        loaded = self._house.loaded
        if not loaded or not self.edition or len(loaded.editions) < 2:
            return
        meant, _, _ = self._meant(read.target_lang)
        for one in self.cited(read.target):
            for other in self._other_editions(meant):
                if finding := self._moved_since(other, one, read):
                    yield finding
                    break

    def _other_editions(self, meant: str) -> Iterator[str]:
        """Yield the other editions that are loaded: those before the one meant, the newest first,
        then those after it, the oldest first."""
        assert self._house.loaded
        editions = self._house.loaded.editions
        place = editions.index(meant) if meant in editions else len(editions)
        yield from reversed(editions[:place])
        yield from editions[place + 1 :]

    def _moved_since(self, other: str, cited: Citation, read: ReadSegment) -> Finding | None:
        """Return the finding about a citation that is right in another edition and wrong in the
        edition meant; None if it may be right, if that other edition has no such number, or if no
        language has enough of both to compare them."""
        meant, is_whole, known = self._meant(read.target_lang)
        number, lang = cited.number, self._common_lang(other, meant, read.target_lang)
        if lang is None or number not in self._rules(other, lang):
            return None
        now = self._successors(lang, other, meant).get(number)
        is_there = number in known
        if now == number or (now is None and (is_there or not is_whole)):
            return None
        if is_there and not self._means(other, meant, number, now or "", lang, cited, read):
            return None
        code = "rule_gone"
        if now:
            code = "rule_moved_and_replaced" if is_there else "rule_moved_to"
        said = Reason(
            code,
            number=number,
            edition=other,
            heading=_heading(self._rules(other, lang), number),
            now=now,
            meant=meant,
        )
        return finding_at(
            read.segment,
            cited.start,
            cited.end,
            "moved-citation",
            said,
            expected=now,
            term=None,
            giver=Reason("edition", edition=meant),
            suggestion=_rewritten(read.target, cited, now) if now else None,
        )

    def _means(
        self,
        other: str,
        meant: str,
        number: str,
        now: str,
        lang: str,
        cited: Citation,
        read: ReadSegment,
    ) -> bool:
        """Return whether a citation means the rule that the other edition has under its number, and
        not the one that the edition meant has there: by the heading that the text gives it; because
        its source is a rule that the edition meant has no more; or by the words around it."""
        after = self._rules(meant, lang)
        if cited.heading:
            names, current = (
                {
                    fold(heading)
                    for rules in (self._rules(edition, one) for one in self._langs(edition))
                    if (heading := _heading(rules, number))
                }
                for edition in (other, meant)
            )
            given = fold(cited.heading)
            if given in names or given in current:
                return given not in current
        if read.source is not None and fold(read.source) in self._sources(other, meant, lang):
            return True
        weights = self._weights(meant, lang)
        words = self._words_of(read, lang)
        for_moved = _likeness(words, self._topic(after, now, lang), weights)
        for_other = _likeness(words, self._topic(after, number, lang), weights)
        return for_moved > 0 and for_moved > _SURELY * for_other

    def _words_of(self, read: ReadSegment, lang: str) -> set[str]:
        """Return the words and terms of a segment that rules in a language may have, too: words of
        what is in that language, and `=id` of each term in either text."""
        terms = {
            f"={one}" for name in (*read.source_names, *read.target_names) for one in name.concepts
        }
        words: set[str] = set()
        if read.source is not None and read.source_lang == lang:
            words |= self._words(read.source, lang)
        if read.target_lang == lang:
            words |= self._words(read.target, lang)
        return words | terms

    def _words(self, text: str, lang: str) -> set[str]:
        """Return the words of a text in the form that all their inflections share, without
        particles and English ones of one or two letters; and `=id` of each of its terms."""
        own = self._house.finder(lang)
        terms = {f"={one}" for name in own.find(text) for one in name.concepts}
        if isinstance(own, JapaneseFinder):
            entries, _ = own.words(text)
            return terms | {entry.normal for entry in entries if not entry.function}
        return terms | {word for word in EnglishFinder.words(text) if len(word) > 2}

    def _topic(self, rules: Mapping[str, str], number: str, lang: str) -> set[str]:
        """Return the words and terms of a rule, with those of the heading of its section; of a rule
        that is a heading itself, with those of its first sub-rule. None of an unknown rule."""
        section = number.partition(".")[0]
        text = f"{rules.get(section, '')} {rules.get(number, '')}"
        if looks_like_heading(rules.get(number, "")):
            text += " " + rules.get(f"{number}.1", "")
        return self._words(text, lang)

    @cached_method()
    def _weights(self, edition: str, lang: str) -> Mapping[str, float]:
        """Return {word or `=id`: how telling it is}: log(rules / rules that have it), 0 for what
        every rule has."""
        rules = self._rules(edition, lang).values()
        counts = Counter(word for text in rules for word in self._words(text, lang))
        return {word: math.log(len(rules) / count) for word, count in counts.items()}

    # -- the editions --------------------------------------------------------------------------

    def _langs(self, edition: str) -> Sequence[str]:
        assert self._house.loaded
        return self._house.loaded.langs(edition)

    def _common_lang(self, other: str, meant: str, target_lang: str) -> str | None:
        """Return the language in which another edition and the one meant are compared: the one in
        which most of the less complete of them is loaded, of ties the draft's; None if not more
        than half of it is, or if they have no language in common."""
        loaded = self._house.loaded
        assert loaded
        shares = {
            lang: min(loaded.loaded(one, lang).share for one in (other, meant))
            for lang in sorted(set(self._langs(other)) & set(self._langs(meant)))
        }
        best = max(shares, key=lambda lang: (shares[lang], lang == target_lang), default=None)
        return best if best and shares[best] > _HALF else None

    @cached_method()
    def _rules(self, edition: str, lang: str) -> Mapping[str, str]:
        """Return {number: text} of the rules of an edition; empty if the language has none."""
        return texts_by_number(self._house.store.rules(self._house.game, edition, lang))

    def _sources(self, edition: str, meant: str, lang: str) -> frozenset[str]:
        """Return the folded texts that the rules of an edition have, and those of the edition meant
        have not."""
        now = set(self._rules(meant, lang).values())
        return frozenset(
            fold(text) for text in self._rules(edition, lang).values() if text not in now
        )


def _nearest(citation: Citation, others: Sequence[Citation]) -> Citation | None:
    """Return the citation whose number has most of its first parts in common with a given one, of
    ties the first; None if there are no others."""
    key = number_key(citation.number)

    def shared(other: Citation) -> int:
        pairs = zip(key, number_key(other.number), strict=False)
        return next((n for n, (one, two) in enumerate(pairs) if one != two), len(key))

    return max(others, key=shared, default=None)


def _rewritten(text: str, citation: Citation, number: str) -> str | None:
    """Return the words of a citation with another number; None if its number isn't in them as it
    is, as in a range or list."""
    written = text[citation.start : citation.end]
    if citation.number not in written:
        return None
    return written.replace(citation.number, number)


def _heading(rules: Mapping[str, str], number: str) -> str | None:
    """Return the text of a rule that is a heading, else that of its section; None without one."""
    for one in (number, number.partition(".")[0]):
        text = rules.get(one, "")
        if text and looks_like_heading(text):
            return text
    return None


def _likeness(words: set[str], topic: set[str], weights: Mapping[str, float]) -> float:
    """Return how much of what a rule tells some words have: the sum of the weights of the telling
    words in common; 0 without any."""
    least = _TELLING * max(weights.values(), default=0.0)
    common = [weights.get(word, 0.0) for word in words & topic]
    telling = [weight for weight in common if weight >= least]
    return sum(telling) if len(telling) >= _FEWEST_WORDS else 0.0
