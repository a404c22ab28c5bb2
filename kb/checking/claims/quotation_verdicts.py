"""Gives each quotation in a text its verdict: whose words they are, and what differs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from graphs.model import Node
from graphs.sort_orders import edition_key
from kb.checking.claims.citation_verdicts import CitationVerdicts, contradicted
from kb.checking.claims.claim import MOST_SHOWN, ChangedWords, Claim, VerifiedText, with_node
from kb.checking.claims.claimed_headings import name_before, other_headword
from kb.checking.claims.find_quotations import (
    Quotation,
    looks_like_name,
    looks_like_speech,
    word_count,
)
from kb.checking.claims.indirect_speech import contradiction, is_what_it_says
from kb.checking.claims.match_quotation import (
    STOPS,
    match_exactly,
    share_of_words,
    whole_clauses,
    whole_sentences,
    within_sentence,
)
from kb.checking.claims.pair_claims import Beside
from kb.checking.claims.quotation_sources import Source, Wanted, lang_of, rest_of_sentence
from kb.checking.claims.turned_sense import changed, changed_sense, sense_at_ends, word_changes
from kb.language.amounts import amounts
from kb.language.fold import fold
from kb.language.word_diff import Difference
from kb.reason import Reason

# By hand: lower faults names, speech and true paraphrases, higher overlooks misquotations;
# benchmarks/verify_claims counts either. Words are those of `word_count`, shares are of
# `Match.similarity`.
SHORTEST = 4.0  # words of a quotation, for it to be of a text
_SHORTEST_BESIDE = 3.0  # the same, directly beside a citation
_LEAST_OF_OTHER = 5.0  # words, for the citation beside them to be wrong: fewer are many rules'
LONG = 7.0  # words of a quotation that is not found anywhere, to be a claim
_SURELY_ALIKE = 0.8  # of a short quotation, or one that may be none
_WRITTEN_OUT = 0.85  # of what has no marks, as `_ALIKE_WORDS` of quotation_sources
_OTHER_RULE = 0.75  # how like the words of another rule must be, for the citation to be wrong
_CLEARLY_MORE = 0.15  # more than they are like the rule cited
_OF_OTHER = 0.9  # the same, for words that are not quite that rule's either
_FEW, _ALL_BUT = 8.0, 0.85  # words that are the cited rule's but for a few letters, and another's
_SAME_WORDS = 8  # letters behind two amounts that count the same thing
_AS_GOOD = 0.02  # that two sources may differ in
MOST_TRIED = 5  # sources that are as good, or quotations that may tell the game: a guard of time

# What a few words must have to say something: a number or a verb. Others are a name of a thing.
_SAYS = re.compile(
    r"\d|[をがはに].{0,12}(?:る|す|く|つ|う|む|ぶ|ない|場合|とき)|\b(?:zero|one|two|three|four|five|six|seven"
    r"|eight|nine|ten|twelve|fifteen|twenty|is|are|was|were|be|has|have|had|can(?:not)?|can['’]t|may"
    r"|must|does|do|loses?|wins?|draws?|puts?|gains?|deals?|casts?|plays?|attacks?|blocks?|discards?"
    r"|destroy(?:s|ed)?|dies?|becomes?|chooses?|takes?|gets?|leaves?|enters?|begins?|ends?|returns?"
    r"|eins?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|ist|sind|wird|werden|hat|haben|kann"
    r"|können|muss|müssen|darf|dürfen|verliert|gewinnt|zieht|legt)\b",
    re.IGNORECASE,
)
# A rule's number before its own words.
_OWN_NUMBER = re.compile(r"\s*\d{1,4}(?:\.\w{1,4})+\.?\s+")
_WORD = re.compile(r"[^\W\d_]+")
_LONGEST_ARTICLE = 3  # letters: the, der, les
_MOST_GOING_ON = 80  # characters of the rest of a sentence, for display: a line
_LONGEST_LEAD = 40  # characters before a quotation that say whose words it is: a phrase
# Before words that are said to be those of a rulebook.
_OFFICIAL = re.compile(
    r"(?:公式|正式|日本語|英語)(?:の)?(?:日本語|英語)?(?:訳|版|文|条文|ルール|の文言)[^。「」『』\n]{0,20}$"
    r"|\bofficial(?:ly)?\b[^.“”\"\n]{0,30}$",
    re.IGNORECASE,
)


class QuotationVerdicts:
    """Holds the quotations of a text against the words of rules and pages."""

    def __init__(self, text: VerifiedText, citations: CitationVerdicts) -> None:
        self._text, self._citations = text, citations
        self._rulebooks, self._context = text.rulebooks, text.context
        self._names: dict[str, bool] = {}

    def verdicts(
        self, quotation: Quotation, beside: Beside | None, citation: Claim | None
    ) -> Iterator[tuple[Claim, Source | None]]:
        """Yield the claims of a quotation, none if it is no quotation of a text: one, or those of
        the quotations in it; each with the source that shows the citation beside it to be wrong,
        else None.

        citation: the verdict on the citation beside it; None without one.
        """
        words = word_count(quotation.text)
        is_sure = bool(beside and beside.sure)
        is_at_end = bool(beside and beside.ends_sentence and _SAYS.search(quotation.text))
        is_beside = is_sure or is_at_end
        is_official = (
            bool(beside)
            and _OFFICIAL.search(
                self._text.readable.text, max(0, quotation.start - _LONGEST_LEAD), quotation.start
            )
            is not None
        )
        if words < (_SHORTEST_BESIDE if is_beside or is_official else SHORTEST):
            if beside and citation and citation.stands:
                yield from self._in_a_word(quotation, beside, citation)
            for one in quotation.inner:
                yield from self.verdicts(one, None, None)
            return
        if words <= 12 and self._is_name(quotation.text):
            return
        wanted = self._wanted(quotation, beside, citation)
        sources = self._text.sources.find(wanted)
        source = self._best(sources, quotation, beside)
        best = self._of_edition_meant(source, wanted)
        has_moved = best is not source  # the rule cited has these words, under another number
        strange = self._of_another_game(quotation, best)
        if strange is not None and best and best.is_same:
            yield strange, None
            return
        if best is None or not best.is_same:
            inner = [
                pair for one in quotation.inner for pair in self.verdicts(one, beside, citation)
            ]
            alike = best and best.match.similarity > _SURELY_ALIKE
            own = words - sum(word_count(one.text) for one in quotation.inner)
            is_more = is_sure and own >= LONG
            if any(claim.stands for claim, _ in inner) and not alike and not is_more:
                yield from inner
                return
        if best is None or (not best.is_same and best.match.similarity < _SURELY_ALIKE):
            parts = self._text.sources.parts(wanted) if quotation.sure else []
            known = [(sentence, source) for sentence, source in parts if source]
            if len(parts) > 1 and known and word_count(known[0][0]) >= SHORTEST:
                yield self._joined(quotation, parts), None
                return
        if best is None:
            if self._is_claimed(quotation, words, is_sure, is_official):
                yield self._not_found(quotation, wanted), None
            return
        only_ends = bool(beside and beside.ends_sentence)  # it may quote a phrase of the rule
        if best.is_same and not only_ends and (word := self._sense_at_ends(quotation, best)):
            yield self._differing(quotation, _with_whole_sentences(best, word), wanted), None
            return
        if best.is_same:
            claim = self._of_headword(self._same(quotation, best, wanted), quotation, sources)
            wrong = is_beside and not best.is_cited and self._may_be_wrong(beside, best)
            nearly = [
                one for one in sources if one.is_cited and _is_nearly(quotation, one, _ALL_BUT)
            ]
            if wrong and nearly and words <= _FEW and not has_moved:
                judge = self._same if nearly[0].is_same else self._differing
                yield judge(quotation, nearly[0], wanted), None
                return
            if wrong and is_at_end and not is_sure and self._is_of_both(best, citation):
                yield claim, None
                return
            is_few = words < _LEAST_OF_OTHER and not _SAYS.search(quotation.text)
            if wrong and is_few and not has_moved:
                # So few words are many rules'; who cites this one may have them from it, nearly.
                numbers = tuple(beside.cited.numbers[:2]) if beside else ()
                claim = replace(
                    self._not_found(quotation, wanted),
                    said=Reason("another_says_this", numbers=numbers, name=source_name(best)),
                )
                yield claim, None
                return
            if claim.stands and wrong and beside:
                numbers = tuple(beside.cited.numbers[:2])
                said = Reason(
                    "words_of_another",
                    name=source_name(best),
                    numbers=numbers,
                    others=best.others[:MOST_TRIED],
                )
                claim = replace(claim, said=said)
            yield claim, best if wrong else None
            return
        is_of_other = is_beside and not best.is_cited and self._may_be_wrong(beside, best)
        is_nearly_cited = is_at_end and best.is_cited and _is_nearly(quotation, best)
        if (is_of_other and best.match.similarity < _OF_OTHER) or not (
            is_nearly_cited or self._is_alike(quotation, best, words, is_sure)
        ):
            if self._is_claimed(quotation, words, is_sure, is_official):
                yield self._not_found(quotation, wanted), None
            return
        claim = self._differing(quotation, best, wanted)
        cited = max((one.match.similarity for one in sources if one.is_cited), default=0.0)
        wrong = (
            is_sure
            and not best.is_cited
            and self._may_be_wrong(beside, best)
            and best.match.similarity >= _OTHER_RULE
            and best.match.similarity - cited >= _CLEARLY_MORE
        )
        yield claim, best if wrong else None

    def _is_of_both(self, source: Source, citation: Claim | None) -> bool:
        """Whether words of another rule may stand in a sentence that ends with a citation: that
        rule or the one cited refers to the other, or so many rules have them that they tell
        nothing."""
        if citation is None or citation.node is None or len(source.others) >= MOST_TRIED:
            return True
        return any(
            self._text.sources.cites(one, other)
            for one, other in ((source.node, citation.node), (citation.node, source.node))
        )

    def _in_a_word(
        self, quotation: Quotation, beside: Beside, citation: Claim
    ) -> Iterator[tuple[Claim, None]]:
        """Yield the claim of a quotation of a word or two, if a rule is said to say just that: one
        at most; none for a name, and where the rule is in another language."""
        place = quotation.start, quotation.end
        if not is_what_it_says(self._text.readable.text, beside.cited.end, place):
            return
        rule = self._citations.text_in(citation, lang_of(quotation.text))
        if not rule or self._is_name(quotation.text):
            return
        wanted = self._wanted(quotation, beside, citation)
        cited = [one for one in self._text.sources.find(wanted) if one.is_same and one.is_cited]
        if cited:
            yield self._same(quotation, cited[0], wanted), None
        elif found := contradiction(quotation.text, rule):
            claim = replace(self._claim(quotation, wanted.numbers), expected=rule[:MOST_SHOWN])
            changed = contradicted(citation, *found)
            named = with_node(claim, citation.node) if citation.node else claim
            yield replace(named, **changed), None
        elif lang_of(rule) == lang_of(quotation.text):
            yield self._not_found(quotation, wanted), None

    def _wanted(
        self, quotation: Quotation, beside: Beside | None, citation: Claim | None
    ) -> Wanted:
        """Return what is known of a quotation before its source is looked for."""
        games = self._text.games_quoted(quotation.start)
        offset = beside.cited.start if beside and beside.sure else quotation.start
        of_sentence = self._context.game_of_sentence(quotation.start)
        named = of_sentence or self._context.game
        if citation and citation.game and citation.stands and not of_sentence:
            games, named = tuple(dict.fromkeys((citation.game, *games))), citation.game
        return Wanted(
            quotation.text,
            beside.numbers if beside else (),
            games,
            self._context.edition_at(offset),
            (named,) if named and named in self._rulebooks.games else (),
            bool(beside and beside.sure),
            beside.cited.document if beside else None,
            of_sentence is not None,
            self._context.sentence_around(quotation.start, quotation.end),
        )

    def _sense_at_ends(self, quotation: Quotation, source: Source) -> str:
        """Return the word directly beside the words of a cited rule without which they say
        something else; empty without one, and for what isn't the rule cited or has no marks."""
        if not source.is_cited or quotation.dress == "written out":
            return ""
        lead = self._text.readable.text[max(0, quotation.start - _LONGEST_LEAD) : quotation.start]
        match = source.match
        return sense_at_ends(lead, quotation.text, source.text, match.start, match.end)

    def _best(
        self, sources: Sequence[Source], quotation: Quotation, beside: Beside | None
    ) -> Source | None:
        """Return the best source; of those nearly as good, the first that refers to the rule cited,
        unless the best is that rule. Few words that are nearly those of the rule cited are meant to
        be its words. None without sources."""
        if not sources or beside is None or sources[0].is_cited:
            return sources[0] if sources else None
        if not sources[0].is_same and word_count(quotation.text) <= _FEW:
            cited = (one for one in sources if one.is_cited)
            if nearly := next((one for one in cited if _is_nearly(quotation, one)), None):
                return nearly
        least = sources[0].match.similarity - _AS_GOOD
        alike = [one for one in sources if one.match.similarity >= least][:MOST_TRIED]
        refers = (one for one in alike if self._text.sources.refers_to(one, beside.numbers))
        return next(refers, sources[0])

    def _of_another_game(self, quotation: Quotation, best: Source | None) -> Claim | None:
        """Return the verdict on words of a rule of another game than the only one that the sentence
        names; None if they are of that game, or of a page."""
        game = self._context.game_of_sentence(quotation.start)
        if game is None or best is None or best.game in (None, game):
            return None
        if best.node.kind != "rule" or best.game not in self._rulebooks.games:
            return None
        said = Reason("words_of_another_game", name=source_name(best), game=best.game, meant=game)
        return replace(self._claim(quotation), said=said)

    def _may_be_wrong(self, beside: Beside | None, source: Source) -> bool:
        """Whether a citation is wrong if the words beside it are of a source that it doesn't name:
        not if it only says where to read on, as that source does itself."""
        if beside and source.node.series not in ("", beside.cited.document or "rule"):
            return True
        if beside is None or self._text.sources.refers_to(source, beside.numbers):
            return False
        own, number = source.node.number or "", beside.cited.numbers[0]
        return not beside.by_topic or (own[:-1] == number[:-1] and number not in source.text)

    def _is_name(self, text: str) -> bool:
        """Whether words are the name of a term, card or page, or of a rule, of eight words at most
        and without a full stop: a heading."""
        key = fold(text.strip(" .,。、"))
        if key not in self._names:
            self._names[key] = any(
                node.kind in ("term", "card", "page")
                or (
                    node.kind == "rule" and word_count(text) <= 8 and not re.search(r"[.。]$", text)
                )
                for node in self._text.store.find_by_label(key)
            )
        return self._names[key]

    @staticmethod
    def _is_claimed(quotation: Quotation, words: float, is_beside: bool, is_official: bool) -> bool:
        """Whether words that are found nowhere claim to be those of a rule or page: not names, and
        not speech or few words, unless the text calls them official."""
        if looks_like_name(quotation.text):
            return False
        if is_official and words >= _SHORTEST_BESIDE:
            return True
        if not quotation.sure:
            return False
        return words >= (SHORTEST if is_beside else LONG) and not looks_like_speech(quotation.text)

    @staticmethod
    def _is_alike(quotation: Quotation, best: Source, words: float, is_beside: bool) -> bool:
        """Whether words are so like a source that they are meant to be its words: long ones, and
        those beside the rule that they are like, always; others by `_SURELY_ALIKE`, and what may be
        no quotation by `_WRITTEN_OUT`."""
        similarity = best.match.similarity
        if not (quotation.sure or (is_beside and quotation.dress == "marks")):
            is_elsewhere = quotation.dress == "written out" and best.node.kind != "rule"
            return similarity >= _WRITTEN_OUT and not is_elsewhere
        if is_beside and best.is_cited:
            return True
        if words < LONG or looks_like_speech(quotation.text):
            return similarity >= _SURELY_ALIKE and words >= SHORTEST + 1
        return True

    def _claim(self, quotation: Quotation, wanted_numbers: Sequence[str] = ()) -> Claim:
        first = quotation.first + len(quotation.text) - len(quotation.text.lstrip())
        last = quotation.first + len(quotation.text.rstrip())
        return Claim(
            0,
            0,
            0,
            quotation.text,
            "quotation",
            "not found",
            span=self._text.readable.span(first, last),
            cited=", ".join(wanted_numbers) or None,
        )

    def _same(self, quotation: Quotation, source: Source, wanted: Wanted) -> Claim:
        """Return the verdict on a quotation whose words a source has: `exact` or `typographic`, but
        `other edition` (with the rule's words now) or `not loaded` where that edition isn't meant.
        """
        note = _rest_of_sentence(quotation, source)
        if note and (whole := self._with_whole_sentence(quotation, source, wanted)):
            source, note = whole, None
        claim = with_source(self._claim(quotation, wanted.numbers), source)
        likeness = source.match.likeness
        if source.match.has_omissions:
            note = Reason("words_omitted")
        if self._is_of_other_edition(source, wanted):
            meant = self._meant(source, wanted)
            source = self._newest_with_words(source, wanted, meant)
            claim = with_source(claim, source)
            if meant and not self._rulebooks.is_loaded_at(source.node, meant):
                said = Reason(
                    "words_not_loaded",
                    edition=source.edition,
                    meant=meant,
                    lang=source.lang,
                    elsewhere=self._rulebooks.in_other_languages(source.node, meant),
                )
                return replace(claim, verdict="not loaded", said=said)
            return replace(
                claim,
                verdict="other edition",
                expected=self._words_now(source, meant),
                said=Reason("words_of_edition", edition=source.edition, meant=meant),
            )
        expected = None
        if likeness == "typographic":
            expected = source.text[source.match.start : source.match.end]
        assert likeness != "repaired"
        meant = self._rulebooks.own_edition(source.game, wanted.edition)
        if meant and source.game and source.edition not in (None, meant) and not note:
            partly = self._rulebooks.partly_loaded(source.game, meant)
            note = Reason("found_in_edition", edition=source.edition, partly=partly)
        return replace(claim, verdict=likeness, expected=expected, said=note)

    def _with_whole_sentence(
        self, quotation: Quotation, source: Source, wanted: Wanted
    ) -> Source | None:
        """Return the newest version of the rule of a source in which the sentence ends where the
        quotation has a full stop; None without one."""
        for rule in self._rulebooks.versions(source.node):
            match = match_exactly(wanted.text, rule.text or "")
            if match and not match.hidden:
                version = replace(
                    source, node=rule, text=rule.text or "", match=match, edition=rule.edition
                )
                if _rest_of_sentence(quotation, version) is None:
                    return version
        return None

    def _newest_with_words(self, source: Source, wanted: Wanted, meant: str | None) -> Source:
        """Return the newest version of the rule of a source that has its words, before the edition
        that is meant; of a cited rule, of those with its number. The source itself if none has."""
        for rule in self._rulebooks.versions(source.node):
            if rule.edition == source.edition:
                break
            if source.is_cited and rule.number != source.node.number:
                continue
            if meant and edition_key(rule.edition) >= edition_key(meant):
                continue
            match = match_exactly(wanted.text, rule.text or "")
            if match and not match.hidden:
                return replace(
                    source, node=rule, text=rule.text or "", match=match, edition=rule.edition
                )
        return source

    def _of_headword(self, claim: Claim, quotation: Quotation, sources: Sequence[Source]) -> Claim:
        """Return a claim whose words are another glossary entry's than the one named before as
        `repaired`, with that entry's words; any other claim as it is."""
        name = name_before(self._text.readable.text, quotation.start)
        same = [one for one in sources if one.is_same]
        if not (claim.stands and name and same):
            return claim
        other = other_headword(self._text.store, name, quotation.text, same)
        if other is None:
            return claim
        headword, text = other
        return replace(
            claim,
            verdict="repaired",
            expected=text[:MOST_SHOWN],
            said=Reason("words_of_headword", headword=headword, name=name),
        )

    def _meant(self, source: Source, wanted: Wanted) -> str | None:
        return self._rulebooks.own_edition(source.game, wanted.edition) or self._rulebooks.latest(
            source.game or "", source.node.number, source.lang
        )

    def _is_of_other_edition(self, source: Source, wanted: Wanted) -> bool:
        """Whether words are of another edition than the one meant, which has others instead, as far
        as it is loaded; never of what has no edition, or of a document beside the rules."""
        if source.edition is None or source.game not in self._rulebooks.games:
            return False
        if source.node.kind == "document":  # the edition that is meant is one of the rules
            return False
        meant = self._meant(source, wanted)
        if meant is None or meant == source.edition:
            return False
        assert source.game
        number = source.node.number
        if self._rulebooks.own_edition(source.game, wanted.edition):
            return not (number and self._rulebooks.is_outside(source.game, meant, number))
        if number and self._rulebooks.has(source.game, meant, source.lang, number):
            return True
        loaded = self._rulebooks.games[source.game]
        if (meant, source.lang) not in loaded.numbers:
            return False
        gaps = loaded.gaps(meant, source.lang or "")
        return not gaps.others and (number is None or not gaps.numbers)

    def _words_now(self, source: Source, meant: str | None) -> str | None:
        """Return the words that the rule of a source has in the edition that is meant, the first
        1,000 characters; None if it isn't there."""
        rule = self._rule_now(source, meant)
        return (rule.text or "")[:MOST_SHOWN] if rule else None

    def _rule_now(self, source: Source, meant: str | None) -> Node | None:
        """Return the version of the rule of a source in the edition that is meant, in the same
        language; None without one."""
        if not (meant and source.game and source.edition and source.node.number):
            return None
        number = self._rulebooks.successor(source.game, source.edition, meant, source.node.number)
        rules = self._rulebooks.all_numbered(source.game, number or "")
        of_meant = (one for one in rules if (one.edition, one.lang) == (meant, source.lang))
        return next(of_meant, None)

    def _of_edition_meant(self, source: Source | None, wanted: Wanted) -> Source | None:
        """Return a source of another edition than the one meant as its rule has the same words in
        that one, under another number; any other source as it is."""
        if source is None or not source.is_same or not self._is_of_other_edition(source, wanted):
            return source
        rule = self._rule_now(source, self._meant(source, wanted))
        match = match_exactly(wanted.text, rule.text or "") if rule else None
        if rule is None or match is None or match.hidden or rule.number == source.node.number:
            return source
        return replace(
            source, node=rule, text=rule.text or "", match=match, is_cited=False,
            edition=rule.edition,
        )  # fmt: skip

    def _differing(self, quotation: Quotation, source: Source, wanted: Wanted) -> Claim:
        """Return the verdict on a quotation that differs from its source in some words:
        `contradicts`, if these turn the sense or name another thing, else `repaired`. `expected`
        are the source's words, in whole clauses; at most four changes are said."""
        claim = with_source(self._claim(quotation, wanted.numbers), source)
        text, match = quotation.text.strip(), source.match
        start, end = within_sentence(text, source.text, match.start, match.end)
        start, end = whole_clauses(text, source.text, start, end)
        if (number := _OWN_NUMBER.match(source.text)) and start < number.end() <= match.end:
            start = number.end()  # no part of its words
        expected = source.text[start:end]
        if word_count(text) <= _FEW:
            expected = _from_amount(text, expected)
        changes = word_changes(text, expected)
        turned = changed_sense(text, expected, changes)
        if match.hidden:
            turned = Reason("turned_by_omission", words=match.hidden)
        differing = changed_words(text, expected, changes)
        turned = turned or next(filter(None, map(self._other_term, differing)), None)
        return replace(
            claim,
            verdict="contradicts" if turned else "repaired",
            expected=expected,
            changes=differing,
            said=Reason(
                "not_the_words",
                source=self._full_name(source, wanted),
                what=(turned,)
                if turned
                else tuple(changed(change.text, change.expected) for change in differing[:4]),
            ),
        )

    def _other_term(self, change: ChangedWords) -> Reason | None:
        """Return that a name of one thing stands for that of another; None if it does not: if
        either is more than one word of weight, or no name that is known."""
        names = []
        for words in (change.text, change.expected):
            content = [word for word in _WORD.findall(words) if len(word) > _LONGEST_ARTICLE]
            content = content or _WORD.findall(words)
            names.append(content[0] if len(content) == 1 else "")
        said, right = (name.removesuffix("s") for name in names)
        if not (said and right) or fold(said) == fold(right):
            return None
        is_name = all(self._is_name(name) or self._is_name(f"{name}s") for name in (said, right))
        return changed(*names) if is_name else None

    def _full_name(self, source: Source, wanted: Wanted) -> Reason:
        """Return the name of a source, with the game and edition if they are not those meant."""
        has_rules = source.game in self._rulebooks.games
        return Reason(
            "full_name",
            name=source_name(source),
            game=source.game
            if has_rules and wanted.games[:1] not in ((), (source.game,))
            else None,
            edition=source.edition if self._is_of_other_edition(source, wanted) else None,
        )

    def _joined(self, quotation: Quotation, parts: Sequence[tuple[str, Source | None]]) -> Claim:
        """Return the verdict, `repaired`, on a quotation of which only some sentences have a
        source, or each another one; at least one must have. It names the first that has none.

        `expected`: what the sources have, joined with " … "."""
        sources = [source for _, source in parts if source]
        claim = with_source(self._claim(quotation), sources[0])
        names = list(dict.fromkeys(map(source_name, sources)))
        strange = [sentence for sentence, source in parts if source is None]
        said = Reason("words_joined", names=tuple(names))
        if strange:
            said = Reason("words_not_in", words=strange[0], name=names[0])
        words = [source.text[source.match.start : source.match.end] for source in sources]
        return replace(claim, verdict="repaired", expected=" … ".join(words), said=said)

    def _not_found(self, quotation: Quotation, wanted: Wanted) -> Claim:
        claim = self._claim(quotation, wanted.numbers)
        lang = lang_of(quotation.text)
        for number in wanted.numbers[:1]:
            for game in wanted.games[:1]:
                edition = self._rulebooks.own_edition(game, wanted.edition)
                rule = self._rulebooks.find(game, number, edition, self._text.asked_lang or lang)
                if rule.rules:
                    node = rule.rules[0]
                    shown = (node.text or "")[:MOST_SHOWN]
                    if lang not in {one.lang for one in rule.rules}:
                        return replace(
                            claim,
                            verdict="not loaded",
                            rule=shown,
                            said=Reason("not_in_language_nor_page", number=number, lang=lang),
                        )
                    return replace(
                        claim,
                        rule=shown,
                        expected=shown or None,
                        said=Reason("nothing_says_this", number=number),
                    )
        game_meant = wanted.meant[0] if wanted.meant else None
        return replace(claim, said=Reason("nothing_has_words", game=game_meant))


def _is_nearly(quotation: Quotation, source: Source, least: float = _OTHER_RULE) -> bool:
    """Whether words are nearly those of a source: so like them, by letters and words or by words
    alone, or the same but for an amount."""
    text, match = quotation.text, source.match
    of_words = share_of_words(text, source.text[match.start : match.end])
    if max(match.similarity, of_words) >= least:
        return True
    pieces, start = [], 0
    for one in amounts(text, lang_of(text)):
        pieces.append(text[start : one.start])
        start = one.end
    own = fold(source.text)
    return start > 0 and all(fold(one.strip()) in own for one in (*pieces, text[start:]))


def _from_amount(text: str, expected: str) -> str:
    """Return the words of a source from the amount on that stands where the quotation begins with
    another one; all of them where neither begins so.

    >>> _from_amount("two or more cards", "If a player has ten or more cards")
    'ten or more cards'
    """
    lang = lang_of(text)
    if lang_of(expected) != lang:
        return expected
    first = next(iter(amounts(text, lang)), None)
    if first is None or text[: first.start].strip():
        return expected
    rest = fold(text[first.end :])[:_SAME_WORDS]
    found = (one for one in amounts(expected, lang) if fold(expected[one.end :]).startswith(rest))
    return next((expected[one.start :] for one in found), expected)


def _rest_of_sentence(quotation: Quotation, source: Source) -> Reason | None:
    """Return how a sentence goes on that a quotation ends with a full stop, up to 80 characters;
    None if it ends there, too, or if the quotation has no full stop."""
    words = rest_of_sentence(quotation.text, source)
    return Reason("goes_on_with", words=words[:_MOST_GOING_ON]) if words else None


def _with_whole_sentences(source: Source, hidden: str) -> Source:
    """Return a source with the whole sentences of its words, of which `hidden` is left out."""
    start, end = whole_sentences(source.text, source.match.start, source.match.end)
    return replace(source, match=replace(source.match, start=start, end=end, hidden=hidden))


def source_name(source: Source) -> str:
    if source.node.number:
        return source.node.number
    return source.node.section or source.node.id


def with_source(claim: Claim, source: Source) -> Claim:
    return replace(
        with_node(claim, source.node),
        edition=source.edition,
        rule=(source.node.text or "")[:MOST_SHOWN],
    )


def changed_words(
    text: str, expected: str, changes: Sequence[Difference]
) -> tuple[ChangedWords, ...]:
    """Return the words of a quotation that differ from those of its source, in order, without those
    that differ in typography alone.

    changes: where the two differ.

    >>> text, expected = "draw eight cards now", "draw seven cards"
    >>> found = changed_words(text, expected, word_changes(text, expected))
    >>> [(change.text, change.expected) for change in found]
    [('eight', 'seven'), ('now', '')]
    """
    found = []
    for one in changes:
        words, right = text[one.start : one.end], expected[one.other_start : one.other_end]
        if one.end == len(text) and right[-1:] not in STOPS:
            words = words.rstrip("".join(STOPS))  # the sentence ends as it did
        if fold(words) != fold(right) and any(map(str.isalnum, words + right)):
            found.append(ChangedWords(one.start, one.start + len(words), words, right))
    return tuple(found)
