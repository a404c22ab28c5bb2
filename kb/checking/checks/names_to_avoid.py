"""Finds names that a draft should not use: deprecated, forbidden, or those of another game."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from kb.checking.checks.missing_terms import fewer_names
from kb.checking.checks.swapped_terms import lone_names
from kb.checking.draft import Finding, finding_at, given_by
from kb.checking.house_usage import House, ReadSegment
from kb.checking.kept_tools import cached_method
from kb.checking.term_finder import STOP_WORDS, Finder, finder
from kb.language.english_inflection import FoundName
from kb.language.fold import fold
from kb.language.tokens import tokenizer
from kb.language.typography import fold_typography
from kb.reason import Reason
from kb.termbase.model import Concept, ConceptName

_WORD = re.compile(r"\w+")
_CARD = re.compile(r"《[^《》\n]{1,80}》")  # the name of a card, whose words are no terms
# Rules, to say from them that the game has no such name. By hand: of fewer, such as a leaflet, any
# name may be absent; more would leave small games unchecked.
_ENOUGH_TEXTS = 30
# The share of the rules with a name that have it in the other language, too; by hand: below it a
# name is translated freely, and above it 墓地 passes for the trash of another game.
_MOSTLY = 0.6
_SHORT = 6  # letters: of English, by hand; shorter words, such as `kill`, are everyday ones


class NamesToAvoid:
    """The names that drafts in a language should not use, with the concepts of the house that they
    stand for."""

    def __init__(self, house: House, others: Iterable[Concept], lang: str) -> None:
        """others: the concepts of other games."""
        self._house, self._lang = house, lang
        self._avoided: dict[tuple[str, str], ConceptName] = {}  # by concept and folded name
        found: list[tuple[str, str]] = []
        usable = {
            fold(name.text)
            for concept in house.concepts.values()
            for name in concept.names
            if name.lang == lang and name.status in ("preferred", "admitted")
        }
        for concept in house.concepts.values():
            for name in concept.names:
                is_old = name.status == "deprecated" and fold(name.text) not in usable
                if name.lang == lang and (is_old or name.status == "forbidden"):
                    self._avoided[concept.id, fold(name.text)] = name
                    found.append((concept.id, name.text))
        self._finder = finder(lang, found, tokenizer()) if found else None
        self._texts: dict[str, list[str]] = defaultdict(list)
        for concept_id, text in found:
            self._texts[concept_id].append(text)
        self._foreign = _foreign_names(house, others, lang, usable)
        self._foreign_finder: Finder | None = (
            finder(lang, [(text, text) for text in self._foreign], tokenizer())
            if self._foreign
            else None
        )

    def find(self, read: ReadSegment) -> Iterator[Finding]:
        """Yield what a segment's target should not say, each name once, where it stands first:
        deprecated and forbidden names, then those of other games."""
        yield from self._avoided_in(read)
        yield from self._foreign_in(read)

    def _avoided_in(self, read: ReadSegment) -> Iterator[Finding]:
        """Yield the deprecated and forbidden names, in order. A deprecated one counts if the source
        has the concept; without a source, if the game's rules don't use it. None counts within a
        longer name of the house, or where it is the right name of another term of the source."""
        if self._finder is None:
            return
        in_source = {one for name in read.source_names for one in name.concepts}
        seen: set[str] = set()
        for match in self._finder.find(read.target):
            for one in match.concepts:
                name = self._name_at(one, read.target[match.start : match.end])
                if name is None or name.text in seen or _is_within(match, read.target_names):
                    continue
                if self._is_name_of_another(name.text, one, in_source):
                    continue
                if name.status == "deprecated":
                    # What a glossary calls obsolete isn't used for anything else.
                    is_obsolete = name.why == "obsolete" and " " in name.text
                    meant = one in in_source if read.source else not self._is_used(name.text, read)
                    meant = meant or (is_obsolete and read.source is not None)
                    if not meant:
                        continue
                seen.add(name.text)
                yield self._avoided_finding(read, match, one, name)
                break

    def _is_name_of_another(self, text: str, concept: str, in_source: Collection[str]) -> bool:
        """Whether a name is a right one of another term that the source has, while the source lacks
        the concept itself."""
        return concept not in in_source and any(
            text == usable.text
            for other in in_source
            for usable in self._house.usable_names((other,), self._lang)
        )

    def _name_at(self, concept: str, written: str) -> ConceptName | None:
        """Return the name of a concept to avoid that is written so, in any inflection; None if none
        of several is. Of a concept with one such name, that one, however it is written."""
        name = self._avoided.get((concept, fold(written)))
        if name is None and self._finder is not None:
            for text in self._texts[concept]:
                if self._finder.has(written, text) or len(self._texts[concept]) == 1:
                    return self._avoided[concept, fold(text)]
        return name

    def _avoided_finding(
        self, read: ReadSegment, match: FoundName, concept: str, name: ConceptName
    ) -> Finding:
        usable = self._house.usable_names((concept,), self._lang)
        best = usable[0].text if usable else None
        is_forbidden = name.status == "forbidden"
        said = Reason(
            "is_forbidden" if is_forbidden else "is_deprecated",
            written=read.target[match.start : match.end],
            note=name.note,
            name=best,
        )
        return finding_at(
            read.segment,
            match.start,
            match.end,
            "forbidden-term" if is_forbidden else "deprecated-term",
            said,
            expected=best,
            term=concept,
            giver=given_by(name.authority or (usable[0].authority if usable else "")),
            suggestion=best,
        )

    def _foreign_in(self, read: ReadSegment) -> Iterator[Finding]:
        """Yield the names of other games that this game's rules never use, in order: without a
        source, those of what the house calls otherwise; with one, those that stand in the place of
        a term that the source names more often than the target. None within a longer name of the
        house, or that the source has as it is."""
        if self._foreign_finder is None:
            return
        in_source = {one: name for name in reversed(read.source_names) for one in name.concepts}
        lacking = list(fewer_names(read, self._house)) if read.source else []
        lacking += [
            one.name
            for one in lone_names(read, self._house)
            if one.is_absent and one.name not in lacking
            if one.usage.agreeing >= _MOSTLY * max(one.usage.rules, 1)
        ]
        seen: set[str] = set()
        cards = _CARD.sub(lambda card: "・" * len(card[0]), read.target)
        for match in self._foreign_finder.find(cards):
            written = read.target[match.start : match.end]
            if _is_within(match, read.target_names) or (read.source and written in read.source):
                continue
            for text in match.concepts:
                if text in seen or self._is_used(text, read):
                    continue
                game, concepts = self._foreign[text]
                meant = [one for one in sorted(concepts) if read.source is None or one in in_source]
                same = [name for name in lacking if set(name.concepts) & concepts]
                if read.source is not None:
                    if not lacking or (meant and not same):
                        continue
                    is_word = len(written) < _SHORT and written.isalpha() and written.islower()
                    if not same and (is_word or not self._is_unexplained(match, read)):
                        continue
                    likely = same or lacking
                    named = likely[0].concepts if len(likely) == 1 else ()
                    meant = [one for one in named if self._house.usable_names((one,), self._lang)]
                elif not meant:
                    continue
                seen.add(text)
                concept = meant[0] if meant else None
                source = in_source.get(concept) if concept else None
                yield self._foreign_finding(read, match, game, concept, source)
                break

    def _is_unexplained(self, match: FoundName, read: ReadSegment) -> bool:
        """Return whether nothing in the source accounts for a word of a match, or for several."""
        assert read.source is not None and read.source_lang is not None
        aligned = self._house.aligned(read.source_lang, read.target_lang)
        return any(
            match.start <= word.start < match.end
            for word in aligned.unexplained(read.source, read.target)
        )

    def _foreign_finding(
        self,
        read: ReadSegment,
        match: FoundName,
        game: str,
        concept: str | None,
        source: FoundName | None,
    ) -> Finding:
        """Return the finding about a name of another game.

        concept: what it surely stands for; None if several terms of the source lack their names.
        """
        written = read.target[match.start : match.end]
        if concept is None:
            return finding_at(
                read.segment,
                match.start,
                match.end,
                "other-game-term",
                Reason("unused_here", written=written, game=game, own=self._house.game),
                source_text=read.source,
            )
        best = self._house.usable_names((concept,), self._lang)[0]
        return finding_at(
            read.segment,
            match.start,
            match.end,
            "other-game-term",
            Reason("called_otherwise", written=written, game=game, name=best.text),
            expected=best.text,
            term=concept,
            giver=given_by(best.authority),
            suggestion=best.text,
            source_text=read.source[source.start : source.end] if source and read.source else None,
        )

    def _is_used(self, text: str, read: ReadSegment) -> bool:
        """Return whether the game's rules in the language use a name, be it in another sense, but
        not only in longer names, nor only in the text that is checked; True if too few rules are
        there to say."""
        if len(self._house.rule_texts(self._lang)) < _ENOUGH_TEXTS:
            return True
        return bool(self._rules_with(text) - {fold_typography(read.target)})

    @cached_method()
    def _rules_with(self, text: str) -> frozenset[str]:
        """Return the game's rules, folded, that have a name, not only within longer ones."""
        searched = finder(self._lang, [(text, text)], tokenizer())
        own = self._house.finder(self._lang)
        return frozenset(
            fold_typography(rule)
            for rule in self._house.rule_texts(self._lang)
            if own.has(rule, text)
            and any(not _is_within(match, own.find(rule)) for match in searched.find(rule))
        )


def _is_within(match: FoundName, names: Iterable[FoundName]) -> bool:
    """Return whether a match lies in a longer one of some names, or is part of it."""
    return any(
        name.start <= match.start
        and match.end <= name.end
        and name.end - name.start > match.end - match.start
        for name in names
    )


def _foreign_names(
    house: House, others: Iterable[Concept], lang: str, usable: set[str]
) -> Mapping[str, tuple[str, set[str]]]:
    """Return {name in a language that only other games use: (the first such game, the house's
    concepts that it stands for, often none)}. A concept is the same if it has a name in another
    language in common, or if it is related to it. Short names, those of little words alone, and
    English ones in other letters than ASCII (others in ASCII) are left out.

    usable: the house's names in the language, folded."""
    by_name: dict[tuple[str, str], set[str]] = defaultdict(set)
    for concept in house.concepts.values():
        if house.usable_names((concept.id,), lang):
            for name in concept.names:
                if name.lang != lang:
                    by_name[name.lang, fold(name.text)].add(concept.id)
    foreign: dict[str, tuple[str, set[str]]] = {}
    for concept in others:
        if concept.kind != "term" or not concept.game:
            continue
        same = {
            one.id
            for one in concept.related
            if one.id in house.concepts and house.usable_names((one.id,), lang)
        }
        for name in concept.names:
            if name.lang != lang and name.why != "proposed":
                same |= by_name.get((name.lang, fold(name.text)), set())
        for name in concept.names:
            # A single kanji, or `tap`, is part of too many other words.
            short = len(name.text) < (2 if lang == "ja" else 4)
            is_everyday = STOP_WORDS.issuperset(_WORD.findall(name.text.casefold()))
            is_new = name.lang == lang and fold(name.text) not in usable
            is_in_letters = name.text.isascii() == (lang == "en")
            if is_new and is_in_letters and not (short or is_everyday):
                foreign.setdefault(name.text, (concept.game, set()))[1].update(same)
    return foreign
