"""Gives each citation and quotation in a text its verdict."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from graphs.edition_order import edition_key
from graphs.model import Node
from graphs.store.reader import Store
from graphs.store.rule_rows import rules_above
from graphs.time_limit import check_time
from kb.checking.claims.claim import ChangedWords, Claim, Verdict
from kb.checking.claims.context import TextContext
from kb.checking.claims.find_quotations import (
    Quotation,
    find_quotations,
    looks_like_name,
    looks_like_speech,
    word_count,
)
from kb.checking.claims.find_rule_numbers import CitedRules, find_rule_numbers
from kb.checking.claims.headings import bare_heading, heading_claim, name_before, other_headword
from kb.checking.claims.indirect_speech import contradiction, is_what_it_says, reported_clause
from kb.checking.claims.match_quotation import (
    match_exactly,
    whole_clauses,
    whole_sentences,
)
from kb.checking.claims.pair_claims import Beside, pair_claims
from kb.checking.claims.quotation_sources import QuotationSources, Source, Wanted, lang_of
from kb.checking.claims.readable_text import readable_text
from kb.checking.claims.rulebooks import CitedRule, Rulebooks, levels
from kb.checking.claims.span_index import SpanIndex
from kb.checking.claims.turned_sense import changed, changed_sense, sense_at_ends, word_changes
from kb.language.citations.citation_patterns import fold_width
from kb.language.fold import fold
from kb.language.sentences import SENTENCE_END
from kb.language.word_diff import Difference
from kb.reason import LeftOut, Reason, again

_SHORTEST = 4.0  # words of a quotation, for it to be of a text
_SHORTEST_BESIDE = 3.0  # the same, directly beside a citation
_LEAST_OF_OTHER = 5.0  # words, for the citation beside them to be wrong
_LONG = 7.0  # words of a quotation that is not found anywhere
_SURELY_ALIKE = 0.8  # of a short quotation, or one that may be none
_WRITTEN_OUT = 0.85
_OTHER_RULE = 0.75  # how like the words of another rule must be, for the citation to be wrong
_CLEARLY_MORE = 0.15
_OF_OTHER = 0.9  # the same, for words that are not quite that rule's either
_FEW, _ALL_BUT = 8.0, 0.85  # words that are the cited rule's but for a few letters, and another's
_MANY_LEVELS = 3  # of a number that may be a rule's in a text that cites others of so many
_AS_GOOD = 0.02  # that two sources may differ in
_MOST_TRIED = 5  # sources that are as good, or quotations that may tell the game
_MOST_SHOWN = 1_000  # characters of a rule in a claim

_FARTHEST_NUMBER = 8  # characters between a rule's number and its words in a line
_WORD = re.compile(r"[^\W\d_]+")
_LONGEST_ARTICLE = 3  # letters: the, der, les
_CLOSING = "”’\"'」』）) "
_MOST_GOING_ON = 80  # characters
_LONGEST_LEAD = 40  # characters before a quotation that say whose words it is
# Before words that are said to be those of a rulebook.
_OFFICIAL = re.compile(
    r"(?:公式|正式|日本語|英語)(?:の)?(?:日本語|英語)?(?:訳|版|文|条文|ルール|の文言)[^。「」『』\n]{0,20}$"
    r"|\bofficial(?:ly)?\b[^.“”\"\n]{0,30}$",
    re.IGNORECASE,
)


class Verifier:
    """Holds a text's citations and quotations against a knowledge base."""

    def __init__(
        self, store: Store, text: str, game: str | None, edition: str | None, lang: str | None
    ) -> None:
        self._store, self._lang = store, lang
        self._asked_game, self._asked_edition = game, edition
        self._rulebooks = Rulebooks(store)
        self._readable = readable_text(text)
        self.context = TextContext(self._readable.text, self._rulebooks, game, edition)
        self._sources = QuotationSources(store, self._rulebooks, game, lang)
        self._headings: dict[str, str | None] = {}  # by the id of a rule
        self._names: dict[str, bool] = {}
        self._number = lru_cache(8192)(self._verdict_on)
        self._deep: set[str] = set()  # numbers of many levels that the text has
        self._noted: set[str] = set()  # editions that were said to be taken for others
        self.left_out = 0

    def claims(self, most: int) -> list[Claim]:
        """Return the claims, in order, without lines and columns; at most so many."""
        text = self._readable.text
        quotations = find_quotations(self._readable)
        if game := self._game_quoted(quotations):
            self.context.take_game(game)
        numbers = find_rule_numbers(text, self._known())
        self._deep = {n for one in numbers for n in one.numbers if levels(n) >= _MANY_LEVELS}
        citations = [one for one in numbers if self._may_cite(one)]
        quotations = list(self._settled(quotations, citations))
        quoted = SpanIndex(quotations)
        surely = SpanIndex(one for one in quotations if one.sure)
        citations = [one for one in citations if not _is_inside_words(one, quoted)]
        pairs = pair_claims(text, quotations, citations, self._readable.notes)
        self.left_out = max(0, len(quotations) + len(citations) - most)
        cited = {id(one): self._citation(one) for one in citations[:most]}
        found: list[Claim] = []
        for index, quotation in enumerate(quotations[: max(0, most - len(citations))]):
            check_time()
            beside = pairs.get(index)
            if beside and id(beside.cited) in cited:
                heading = self._headed(quotation.text, beside.cited, cited[id(beside.cited)])
                if heading and beside.sure:
                    cited[id(beside.cited)] = heading
                    continue
            citation = cited.get(id(beside.cited)) if beside else None
            for unnoted, corrected in self._quotation(quotation, beside, citation):
                claim = self._with_edition_taken(unnoted, quotation.start)
                found.append(claim)
                if beside and claim.stands and not corrected and claim.number:
                    self._of_game(cited, beside.cited, claim)
                if beside and claim.verdict == "other edition" and not corrected:
                    self._of_edition(cited, beside.cited, claim)
                if corrected and beside and id(beside.cited) in cited:
                    cited[id(beside.cited)] = self._corrected(
                        cited[id(beside.cited)], corrected, claim
                    )
        for one in citations[:most]:
            check_time()
            name = one.heading or bare_heading(self._store, text, one.end, cited[id(one)])
            if name:
                is_quoted = bool(one.heading) and text[one.end :].lstrip()[:1] not in "(（"
                with_heading = self._headed(name, one, cited[id(one)], is_quoted)
                cited[id(one)] = with_heading or cited[id(one)]
            cited[id(one)] = self._reported(one, cited[id(one)], surely)
            cited[id(one)] = self._with_edition_taken(cited[id(one)], one.start)
        with_headings = map(self._with_heading, cited.values())
        return sorted([*with_headings, *found], key=lambda claim: (claim.span, claim.kind))

    def _with_heading(self, citation: Claim) -> Claim:
        """Return a citation with the heading that its rule has, or stands under."""
        rule = citation.node
        if rule is None or not rule.series:
            return citation
        if rule.id not in self._headings:
            above = () if rule.label else reversed(rules_above(self._store, rule.id))
            labels = (row.label for row in above)
            self._headings[rule.id] = rule.label or next(filter(None, labels), None)
        return replace(citation, heading=self._headings[rule.id])

    def _headed(
        self, heading: str, cited: CitedRules, claim: Claim, is_quoted: bool = False
    ) -> Claim | None:
        """Return a claim with the verdict that the heading beside the citation gives, as
        `heading_claim` does."""
        game, named = claim.game or "", self._lang_named(cited.start)
        lang = self._lang or self.context.lang_at(cited.start)
        edition = self._rulebooks.own_edition(game, self.context.edition_at(cited.start), named)
        meant = edition or self._rulebooks.latest(game, None, lang) or ""
        return heading_claim(
            self._store, self._rulebooks, heading, claim, (meant, lang), named, is_quoted
        )

    def _with_edition_taken(self, claim: Claim, offset: int) -> Claim:
        """Return a claim with a word on the edition that the text names there, if it is not loaded;
        of what is older than all that is loaded, nobody can say whether it stands."""
        edition = self.context.edition_at(offset)
        game, lang = claim.game or self.context.game, self._lang_named(offset)
        said = self._rulebooks.edition_taken(game, edition or "", lang)
        if not edition or not said:
            return claim
        verdict: Verdict = "not loaded" if said.values.get("oldest") else claim.verdict
        if said.code == "edition_taken_for":  # a note, for the first claim of all
            if edition in self._noted:
                return claim
            self._noted.add(edition)
        both = Reason("both", first=claim.said, last=said) if claim.said else said
        return replace(claim, verdict=verdict, said=both)

    def _settled(
        self, quotations: Sequence[Quotation], citations: Sequence[CitedRules]
    ) -> Iterator[Quotation]:
        """Yield the quotations; of a line that begins with a rule's number, the rule if it is
        written out there, else what the line quotes in quotation marks."""
        ends = [one.end for one in citations]
        for quotation in quotations:
            index = bisect_right(ends, quotation.start) - 1
            if quotation.dress != "written out":
                yield quotation
            elif index < 0 or quotation.start - ends[index] > _FARTHEST_NUMBER:
                yield from quotation.inner or (quotation,)
            elif self._is_written_out(quotation, citations[index]):
                yield replace(quotation, sure=True, inner=())
            else:
                yield from quotation.inner or (quotation,)

    def _is_written_out(self, quotation: Quotation, cited: CitedRules) -> bool:
        """Whether words behind the number of a rule are its words, or meant to be."""
        games = tuple(self._games_of_quotations(quotation.start))
        edition = self.context.edition_at(quotation.start)
        wanted = Wanted(quotation.text, cited.numbers, games, edition)
        return self._sources.is_rule_written_out(wanted)

    def _of_game(self, cited: dict[int, Claim], beside: CitedRules, quotation: Claim) -> None:
        """Take the rule of the game and language whose words stand beside a citation, where the
        number alone does not tell them."""
        claim = cited.get(id(beside))
        if not claim or quotation.game not in self._rulebooks.games:
            return
        if claim.game != quotation.game or claim.verdict == "other edition":
            games = (quotation.game or "",)
            other = self._citation(beside, games, quotation.lang)
            cited[id(beside)] = other if other.stands else claim

    def _of_edition(self, cited: dict[int, Claim], beside: CitedRules, quotation: Claim) -> None:
        """Take the rule of the edition whose words stand beside a citation, where its number is
        another rule's in the edition that is meant."""
        claim = cited.get(id(beside))
        edition, number = quotation.edition, quotation.number
        if not claim or not claim.edition or not edition or claim.verdict != "exact":
            return
        if beside.document:
            return
        if number != claim.number or quotation.game != claim.game or edition == claim.edition:
            return
        now = self._rulebooks.successor(claim.game or "", edition, claim.edition, number or "")
        if now and now != number and quotation.node:
            cited[id(beside)] = replace(
                _with_node(claim, quotation.node),
                verdict="other edition",
                expected=now,
                renumbered=now,
                said=_moved(number, edition, now, claim.edition),
            )

    def _games_of_quotations(self, offset: int) -> tuple[str, ...]:
        """Return the games whose rules may be quoted at some place, the likeliest first."""
        likely = self.context.games_at(offset)
        others = () if self._asked_game else self._rulebooks.games
        return tuple(dict.fromkeys([*likely, *others]))

    def _game_quoted(self, quotations: Sequence[Quotation]) -> str | None:
        """Return the game whose rules are quoted to the letter in a text that names only games
        without rules; None for another text."""
        loaded = self._rulebooks.games
        if self.context.game is None or self.context.game in loaded or self._asked_game:
            return None
        long = [one for one in quotations if one.sure and word_count(one.text) >= _LONG]
        for quotation in long[:_MOST_TRIED]:
            for source in self._sources.find(Wanted(quotation.text))[:1]:
                if source.is_same and source.game in loaded and source.node.kind == "rule":
                    return source.game
        return None

    def _known(self) -> frozenset[str]:
        """Return the numbers of the rules of the games that the text is about."""
        last = self.context.games_at(len(self._readable.text))
        games = {self.context.game, *last, *self.context.named_games}
        return frozenset().union(*map(self._rulebooks.known, games))

    # -- citations ---------------------------------------------------------------------------------

    def _may_cite(self, cited: CitedRules) -> bool:
        """Whether a number is a rule's: not a number without a word that says so, in a form that no
        rulebook meant has."""
        if cited.sure:
            return True
        return any(
            self._rulebooks.has_form(game, number)
            or (levels(number) >= _MANY_LEVELS and not self._deep.isdisjoint(known))
            for game in self._games_of(cited)
            for known in (self._rulebooks.known(game),)
            for number in cited.numbers
        )

    def _games_of(self, cited: CitedRules) -> Sequence[str]:
        """Return the games that a citation may be of; all, if the text is about none."""
        games = self.context.games_of(cited.numbers, cited.start)
        return games or ([] if self.context.game else list(self._rulebooks.games))

    def _citation(
        self, cited: CitedRules, games: Sequence[str] = (), lang: str | None = None
    ) -> Claim:
        """Return the verdict on a citation by itself.

        games: that it may be of; empty for those that the text names. lang: of the rulebook; None
            for that of the lines around.
        """
        span = self._readable.span(cited.start, cited.end)
        written = self._readable.text[cited.start : cited.end]
        if cited.document:
            return replace(self._section(cited), span=span, text=written)
        games = games or self._games_of(cited)
        edition = self.context.edition_at(cited.start)
        ends = dict.fromkeys((cited.numbers[0], cited.numbers[-1]))
        lang = self._lang or lang or self.context.lang_at(cited.start)
        named = self._lang_named(cited.start)
        verdicts = [
            replace(one, span=span, text=written)
            for one in (self._number(number, tuple(games), edition, lang, named) for number in ends)
        ]
        worst = max(verdicts, key=lambda one: _BADNESS[one.verdict])
        if worst.verdict != "exact":
            return worst
        if cited.slip:
            return replace(
                worst,
                verdict="repaired",
                expected=cited.numbers[0],
                said=Reason("number_is", number=cited.numbers[0]),
            )
        number = cited.numbers[0]
        if number not in written and number in fold_width(written):
            return replace(worst, verdict="typographic", expected=number)
        return worst

    def _lang_named(self, offset: int) -> str | None:
        """Return the language that a person asks for, or that a place in the text names; None
        where a person asks for an edition, which is meant in whatever language there is."""
        if self._asked_edition:
            return None
        return self._lang or self.context.lang_named(offset)

    def _section(self, cited: CitedRules) -> Claim:
        """Return the verdict on a citation of a document beside the rules: whether some edition of
        it has the section; in the language and of the game that is meant, if any has."""
        number = cited.numbers[0]
        claim = Claim(0, 0, 0, "", "citation", "not found", number=number)
        sections = [
            node
            for node in self._store.find_by_number(number, "document")
            if node.series == cited.document and self._asked_game in (None, node.game)
        ]
        if not sections:
            name = cited.document.replace("-", " ") if cited.document else ""
            said = Reason("no_section_loaded", number=number, document=name)
            return replace(claim, said=said)
        named = self._readable.text[max(0, cited.start - 4) : cited.start + 1].strip()
        lang = self._lang or ("en" if named.isascii() else "ja")
        sections.sort(key=lambda node: (node.game != self.context.game, node.lang != lang))
        return replace(_with_node(claim, sections[0]), verdict="exact")

    def _verdict_on(
        self,
        number: str,
        games: tuple[str, ...],
        date: str | None,
        lang: str,
        named: str | None,
    ) -> Claim:
        """Return the verdict on a number that a text cites, without its place.

        date: of the edition that is meant. lang: by the letters of the text; named: by its words.
        """
        claim = Claim(0, 0, 0, "", "citation", "not found")
        also = self._elsewhere(number, games)
        if not games:
            game = self.context.game
            said = Reason("no_rules_of", game=game) if game else Reason("no_rules")
            return replace(claim, number=number, said=said, also=also)
        editions = {game: self._rulebooks.own_edition(game, date, named) for game in games}
        found = {game: self._rulebooks.find(game, number, editions[game], lang) for game in games}
        for rule in found.values():
            if rule.rules and rule.stands:
                return self._of_rule(claim, rule.rules, also, self._lang_note(rule, lang))
        for game, rule in found.items():
            if rule.rules and not rule.is_of_language:
                return self._of_other_language(claim, game, rule, editions[game], lang)
            if rule.rules:
                other = self._of_other_edition(claim, game, number, rule, editions[game], also)
                if named and self._rulebooks.is_between(game, date, editions[game]):
                    return replace(other, verdict="not loaded")
                return other
        game = games[0]
        edition = editions[game]
        meant = edition or self._rulebooks.latest(game, None, None)
        partly = found[game].partly
        said = Reason(
            "no_rule_loaded" if partly else "no_rule_of_edition",
            number=number,
            game=game,
            edition=meant,
            others=tuple(one.partition(" ")[0] for one in also[:3]),
            partly=partly,
            near=self._rulebooks.neighbours(game, edition, number),
        )
        is_beside = self._rulebooks.has_beside(game, number)
        verdict: Verdict = "not found" if is_beside or not partly else "not loaded"
        return replace(claim, verdict=verdict, number=number, game=game, said=said, also=also)

    def _elsewhere(self, number: str, games: Sequence[str]) -> tuple[str, ...]:
        """Return the other games that have a number, for `also`."""
        if self._asked_game:
            return ()
        return tuple(
            f"{game} {number}"
            for game in self._rulebooks.games
            if game not in games[:1] and number in self._rulebooks.known(game)
        )

    def _lang_note(self, rule: CitedRule, lang: str) -> Reason | None:
        if self._lang and rule.rules[0].lang != lang:
            return Reason("rule_not_in_language", number=rule.rules[0].number, lang=lang)
        return None

    def _of_rule(
        self, claim: Claim, rules: Sequence[Node], also: tuple[str, ...], said: Reason | None
    ) -> Claim:
        return replace(_with_node(claim, rules[0]), verdict="exact", also=also, said=said)

    def _of_other_language(
        self, claim: Claim, game: str, cited: CitedRule, edition: str | None, lang: str
    ) -> Claim:
        """Return the verdict on a number that the rules have in another language alone, with the
        number of that rule in the language of the text."""
        rule = cited.rules[0]
        meant = edition or self._rulebooks.latest(game, None, lang) or ""
        now = self._rulebooks.number_in(rule, meant, lang)
        # Of what is newer than all that is loaded in the language, nobody can tell.
        is_loaded = bool(edition) or self._rulebooks.is_loaded_in(game, cited.edition or "", lang)
        verdict: Verdict = "not loaded" if not is_loaded else "repaired" if now else "not found"
        code = "is_in_language" if now else "is_in_no_language"
        return replace(
            _with_node(claim, rule),
            verdict=verdict,
            expected=now,
            said=Reason(
                "number_of_language",
                number=rule.number,
                lang=rule.lang,
                edition=rule.edition,
                went=Reason(code, number=now, lang=lang, edition=meant),
                unread=None if is_loaded else lang,
            ),
        )

    def _of_other_edition(
        self,
        claim: Claim,
        game: str,
        number: str,
        rule: CitedRule,
        edition: str | None,
        also: tuple[str, ...],
    ) -> Claim:
        """Return the verdict on a number of another edition, with where its rule went.

        Of an edition that is loaded in part, nobody can say that it has no such rule."""
        meant = edition or self._rulebooks.latest(game, None, rule.rules[0].lang) or ""
        assert rule.edition
        if edition and self._rulebooks.is_outside(game, edition, number):
            partly = self._rulebooks.partly_loaded(game, edition)
            said = Reason("found_in_edition", edition=rule.edition, partly=partly)
            return self._of_rule(claim, rule.rules, also, said)
        now = self._rulebooks.successor(game, rule.edition, meant, number) if meant else None
        went = self._rulebooks.absence(rule.rules[0], meant)
        if now:
            went = Reason("is_there", number=now)
        verdict: Verdict = "other edition"
        if rule.partly or not self._rulebooks.is_whole(game, meant):
            went = self._rulebooks.partly_loaded(game, meant) or went
            if not now and self._rulebooks.is_outside(game, meant, number):
                verdict = "not loaded"
        return replace(
            _with_node(claim, rule.rules[0]),
            verdict=verdict,
            expected=now,
            renumbered=now,
            said=Reason(
                "rule_of_edition", number=number, edition=rule.edition, meant=meant, went=went
            ),
            also=also,
        )

    def _corrected(self, citation: Claim, source: Source, quotation: Claim) -> Claim:
        """Return a citation whose quoted words are another rule's, or of another version of its
        own: then the number is right."""
        if citation.node and citation.node.rule == source.node.rule:
            return citation
        right = source.node.number or quotation.number
        series = citation.node.series if citation.node else "rule"
        if citation.number and source.game == citation.game and right and series == "rule":
            for node in self._rulebooks.all_numbered(citation.game or "", citation.number):
                if node.edition == citation.edition or node.edition is None:
                    continue
                moved = self._rulebooks.successor(
                    citation.game or "", node.edition, source.edition or "", citation.number
                )
                if moved == right:
                    return replace(
                        _with_node(citation, node),
                        verdict="other edition",
                        expected=right,
                        renumbered=right,
                        said=_moved(citation.number, node.edition, right, source.edition),
                    )
        if right == citation.number and source.node.series in ("", series):
            return citation
        named = right if source.node.series in ("", series) else None
        name = named or source.node.section or source.node.id
        return replace(
            citation,
            verdict="repaired",
            expected=right,
            said=Reason("quoted_of", name=name, numbers=(citation.number,)),
        )

    def _reported(self, cited: CitedRules, claim: Claim, quoted: SpanIndex[Quotation]) -> Claim:
        """Return the verdict on a citation, after what the text says in its own words that the rule
        says."""
        clause = reported_clause(self._readable.text, cited.start, cited.end)
        if not clause or not claim.stands or quoted.touches(*clause):
            return claim
        words = self._readable.text[slice(*clause)].strip()
        rule = self._text_in(claim, lang_of(words))
        found = contradiction(words, rule) if rule else None
        if found is None:
            return claim
        return replace(claim, **self._contradicted(claim, *found), expected=rule[:_MOST_SHOWN])

    def _text_in(self, citation: Claim, lang: str) -> str:
        """Return the text of a rule cited, with its sub-rules, if possible in a language."""
        rules = self._rulebooks.find(
            citation.game or "", citation.number or "", citation.edition, lang
        ).rules
        if not rules:
            return ""
        below = self._store.get(self._store.with_sub_rules([rules[0].id])).values()
        others = [one.text or "" for one in below if one.id != rules[0].id]
        return "\n".join([rules[0].text or rules[0].label or "", *others])

    # -- quotations --------------------------------------------------------------------------------

    def _quotation(
        self, quotation: Quotation, beside: Beside | None, citation: Claim | None
    ) -> Iterator[tuple[Claim, Source | None]]:
        """Yield the claims of a quotation, none if it is no quotation of a text; each with the
        source that shows the citation beside it to be wrong, if one does.

        citation: the verdict on the citation beside it; None without one.
        """
        words = word_count(quotation.text)
        is_beside = bool(beside and beside.sure)
        is_official = (
            bool(beside)
            and _OFFICIAL.search(
                self._readable.text, max(0, quotation.start - _LONGEST_LEAD), quotation.start
            )
            is not None
        )
        if words < (_SHORTEST_BESIDE if is_beside or is_official else _SHORTEST):
            if beside and citation and citation.stands:
                yield from self._in_a_word(quotation, beside, citation)
            for one in quotation.inner:
                yield from self._quotation(one, None, None)
            return
        if words <= 12 and self._is_name(quotation.text):
            return
        wanted = self._wanted(quotation, beside, citation)
        sources = self._sources.find(wanted)
        source = self._best(sources, beside)
        best = self._of_edition_meant(source, wanted)
        has_moved = best is not source  # the rule cited has these words, under another number
        strange = self._of_another_game(quotation, best)
        if strange is not None and best and best.is_same:
            yield strange, None
            return
        if best is None or not best.is_same:
            inner = [
                pair for one in quotation.inner for pair in self._quotation(one, beside, citation)
            ]
            alike = best and best.match.similarity > _SURELY_ALIKE
            own = words - sum(word_count(one.text) for one in quotation.inner)
            is_more = is_beside and own >= _LONG
            if any(claim.stands for claim, _ in inner) and not alike and not is_more:
                yield from inner
                return
        if best is None or (not best.is_same and best.match.similarity < _SURELY_ALIKE):
            parts = self._sources.parts(wanted) if quotation.sure else []
            known = [(sentence, source) for sentence, source in parts if source]
            if len(parts) > 1 and known and word_count(known[0][0]) >= _SHORTEST:
                yield self._joined(quotation, parts), None
                return
        if best is None:
            if self._is_claimed(quotation, words, is_beside, is_official):
                yield self._not_found(quotation, wanted), None
            return
        if best.is_same and (word := self._sense_at_ends(quotation, best)):
            yield self._differing(quotation, _with_whole_sentences(best, word), wanted), None
            return
        if best.is_same:
            claim = self._of_headword(self._same(quotation, best, wanted), quotation, sources)
            wrong = is_beside and not best.is_cited and self._may_be_wrong(beside, best)
            nearly = [one for one in sources if one.is_cited and one.match.similarity >= _ALL_BUT]
            if wrong and nearly and words <= _FEW and not has_moved:
                judge = self._same if nearly[0].is_same else self._differing
                yield judge(quotation, nearly[0], wanted), None
                return
            if wrong and words < _LEAST_OF_OTHER and not has_moved:
                # So few words are many rules'; who cites this one may have them from it, nearly.
                numbers = tuple(beside.cited.numbers[:2]) if beside else ()
                claim = replace(
                    self._not_found(quotation, wanted),
                    said=Reason("another_says_this", numbers=numbers, name=_name(best)),
                )
                yield claim, None
                return
            if claim.stands and wrong and beside:
                numbers = tuple(beside.cited.numbers[:2])
                said = Reason("words_of_another", name=_name(best), numbers=numbers)
                claim = replace(claim, said=said)
            yield claim, best if wrong else None
            return
        is_of_other = is_beside and not best.is_cited and self._may_be_wrong(beside, best)
        if (is_of_other and best.match.similarity < _OF_OTHER) or not self._is_alike(
            quotation, best, words, is_beside
        ):
            if self._is_claimed(quotation, words, is_beside, is_official):
                yield self._not_found(quotation, wanted), None
            return
        claim = self._differing(quotation, best, wanted)
        cited = max((one.match.similarity for one in sources if one.is_cited), default=0.0)
        wrong = (
            is_beside
            and not best.is_cited
            and self._may_be_wrong(beside, best)
            and best.match.similarity >= _OTHER_RULE
            and best.match.similarity - cited >= _CLEARLY_MORE
        )
        yield claim, best if wrong else None

    def _in_a_word(
        self, quotation: Quotation, beside: Beside, citation: Claim
    ) -> Iterator[tuple[Claim, None]]:
        """Yield the claim of a quotation of a word or two, if a rule is said to say just that."""
        place = quotation.start, quotation.end
        if not is_what_it_says(self._readable.text, beside.cited.end, place):
            return
        rule = self._text_in(citation, lang_of(quotation.text))
        if not rule or self._is_name(quotation.text):
            return
        wanted = self._wanted(quotation, beside, citation)
        cited = [one for one in self._sources.find(wanted) if one.is_same and one.is_cited]
        if cited:
            yield self._same(quotation, cited[0], wanted), None
        elif found := contradiction(quotation.text, rule):
            claim = replace(self._claim(quotation, wanted.numbers), expected=rule[:_MOST_SHOWN])
            changed = self._contradicted(citation, *found)
            named = _with_node(claim, citation.node) if citation.node else claim
            yield replace(named, **changed), None
        elif lang_of(rule) == lang_of(quotation.text):
            yield self._not_found(quotation, wanted), None

    @staticmethod
    def _contradicted(citation: Claim, said: str, right: str) -> dict[str, Any]:
        """Return the verdict on what a rule is said to say, and why."""
        code = "rule_says" if said and right else "rule_says_more" if right else "rule_does_not_say"
        reason = Reason(code, number=citation.number, right=right, words=said)
        return {"verdict": "contradicts", "said": reason}

    def _wanted(
        self, quotation: Quotation, beside: Beside | None, citation: Claim | None
    ) -> Wanted:
        """Return what is known of a quotation before its source is looked for."""
        games = self._games_of_quotations(quotation.start)
        offset = beside.cited.start if beside and beside.sure else quotation.start
        named = self.context.game_of_sentence(quotation.start) or self.context.game
        if citation and citation.game and citation.stands:
            games, named = tuple(dict.fromkeys((citation.game, *games))), citation.game
        return Wanted(
            quotation.text,
            beside.numbers if beside else (),
            games,
            self.context.edition_at(offset),
            (named,) if named and named in self._rulebooks.games else (),
            bool(beside and beside.sure),
            beside.cited.document if beside else None,
        )

    def _sense_at_ends(self, quotation: Quotation, source: Source) -> str:
        """Return the word directly beside the words of a cited rule without which they say
        something else; empty without one."""
        if not source.is_cited or quotation.dress == "written out":
            return ""
        lead = self._readable.text[max(0, quotation.start - _LONGEST_LEAD) : quotation.start]
        match = source.match
        return sense_at_ends(lead, quotation.text, source.text, match.start, match.end)

    def _best(self, sources: Sequence[Source], beside: Beside | None) -> Source | None:
        """Return the best source; of those that are as good, one that refers to the rule cited."""
        if not sources or beside is None or sources[0].is_cited:
            return sources[0] if sources else None
        least = sources[0].match.similarity - _AS_GOOD
        alike = [one for one in sources if one.match.similarity >= least][:_MOST_TRIED]
        refers = (one for one in alike if self._sources.refers_to(one, beside.numbers))
        return next(refers, sources[0])

    def _of_another_game(self, quotation: Quotation, best: Source | None) -> Claim | None:
        """Return the verdict on words of a rule of another game than the only one that the sentence
        names; None if they are of that game, or of a page."""
        game = self.context.game_of_sentence(quotation.start)
        if game is None or best is None or best.game in (None, game):
            return None
        if best.node.kind != "rule" or best.game not in self._rulebooks.games:
            return None
        said = Reason("words_of_another_game", name=_name(best), game=best.game, meant=game)
        return replace(self._claim(quotation), said=said)

    def _may_be_wrong(self, beside: Beside | None, source: Source) -> bool:
        """Whether a citation is wrong if the words beside it are of a source that it doesn't name:
        not if it only says where to read on, as that source does itself."""
        if beside and source.node.series not in ("", beside.cited.document or "rule"):
            return True
        if beside is None or self._sources.refers_to(source, beside.numbers):
            return False
        own, number = source.node.number or "", beside.cited.numbers[0]
        return not beside.by_topic or (own[:-1] == number[:-1] and number not in source.text)

    def _is_name(self, text: str) -> bool:
        """Whether words are the name of a term, card or page, or a heading."""
        key = fold(text.strip(" .,。、"))
        if key not in self._names:
            self._names[key] = any(
                node.kind in ("term", "card", "page")
                or (
                    node.kind == "rule" and word_count(text) <= 8 and not re.search(r"[.。]$", text)
                )
                for node in self._store.find_by_label(key)
            )
        return self._names[key]

    @staticmethod
    def _is_claimed(quotation: Quotation, words: float, is_beside: bool, is_official: bool) -> bool:
        """Whether words that are found nowhere claim to be those of a rule or page."""
        if looks_like_name(quotation.text):
            return False
        if is_official and words >= _SHORTEST_BESIDE:
            return True
        if not quotation.sure:
            return False
        return words >= (_SHORTEST if is_beside else _LONG) and not looks_like_speech(
            quotation.text
        )

    @staticmethod
    def _is_alike(quotation: Quotation, best: Source, words: float, is_beside: bool) -> bool:
        """Whether words are so like a source that they are meant to be its words."""
        similarity = best.match.similarity
        if not (quotation.sure or (is_beside and quotation.dress == "marks")):
            return similarity >= _WRITTEN_OUT
        if is_beside and best.is_cited:
            return True
        if words < _LONG or looks_like_speech(quotation.text):
            return similarity >= _SURELY_ALIKE and words >= _SHORTEST + 1
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
            span=self._readable.span(first, last),
            cited=", ".join(wanted_numbers) or None,
        )

    def _same(self, quotation: Quotation, source: Source, wanted: Wanted) -> Claim:
        """Return the verdict on a quotation whose words a source has."""
        claim = _with_source(self._claim(quotation, wanted.numbers), source)
        likeness, note = source.match.likeness, _rest_of_sentence(quotation, source)
        if source.match.has_omissions:
            note = Reason("words_omitted")
        if self._is_of_other_edition(source, wanted):
            meant = self._meant(source, wanted)
            source = self._newest_with_words(source, wanted, meant)
            claim = _with_source(claim, source)
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

    def _newest_with_words(self, source: Source, wanted: Wanted, meant: str | None) -> Source:
        """Return the newest version of the rule of a source that has its words, before the edition
        that is meant; of a cited rule, of those with its number."""
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
        one that is not right."""
        name = name_before(self._readable.text, quotation.start)
        same = [one for one in sources if one.is_same]
        if not (claim.stands and name and same):
            return claim
        other = other_headword(self._store, name, quotation.text, same)
        if other is None:
            return claim
        headword, text = other
        return replace(
            claim,
            verdict="repaired",
            expected=text[:_MOST_SHOWN],
            said=Reason("words_of_headword", headword=headword, name=name),
        )

    def _meant(self, source: Source, wanted: Wanted) -> str | None:
        return self._rulebooks.own_edition(source.game, wanted.edition) or self._rulebooks.latest(
            source.game or "", source.node.number, source.lang
        )

    def _is_of_other_edition(self, source: Source, wanted: Wanted) -> bool:
        """Whether words are of another edition than the one meant, which has others instead."""
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
        """Return the words that the rule of a source has in the edition that is meant."""
        rule = self._rule_now(source, meant)
        return (rule.text or "")[:_MOST_SHOWN] if rule else None

    def _rule_now(self, source: Source, meant: str | None) -> Node | None:
        """Return the version of the rule of a source in the edition that is meant."""
        if not (meant and source.game and source.edition and source.node.number):
            return None
        number = self._rulebooks.successor(source.game, source.edition, meant, source.node.number)
        rules = self._rulebooks.all_numbered(source.game, number or "")
        of_meant = (one for one in rules if (one.edition, one.lang) == (meant, source.lang))
        return next(of_meant, None)

    def _of_edition_meant(self, source: Source | None, wanted: Wanted) -> Source | None:
        """Return a source of another edition than the one meant as its rule has the same words in
        that one, under another number."""
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
        """Return the verdict on a quotation that differs from its source in some words: that it
        contradicts it, if these turn the sense."""
        claim = _with_source(self._claim(quotation, wanted.numbers), source)
        text, match = quotation.text.strip(), source.match
        start, end = whole_clauses(text, source.text, match.start, match.end)
        expected = source.text[start:end]
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
        """Return that a name of one thing stands for that of another; None if it does not."""
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
            name=_name(source),
            game=source.game
            if has_rules and wanted.games[:1] not in ((), (source.game,))
            else None,
            edition=source.edition if self._is_of_other_edition(source, wanted) else None,
        )

    def _joined(self, quotation: Quotation, parts: Sequence[tuple[str, Source | None]]) -> Claim:
        """Return the verdict on a quotation of which only some sentences have a source, or each
        another one."""
        sources = [source for _, source in parts if source]
        claim = _with_source(self._claim(quotation), sources[0])
        names = list(dict.fromkeys(map(_name, sources)))
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
                rule = self._rulebooks.find(game, number, edition, self._lang or lang)
                if rule.rules:
                    node = rule.rules[0]
                    shown = (node.text or "")[:_MOST_SHOWN]
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

    # -- what was meant ----------------------------------------------------------------------------

    def against(self, claims: Sequence[Claim]) -> Iterator[Reason]:
        """Yield what the text was held against: of each game that it or a claim is of, the editions
        meant."""
        game = self.context.game
        meant = [game, *(claim.game for claim in claims)] if game else [*self._rulebooks.games]
        for name in dict.fromkeys(one for one in meant if one in self._rulebooks.games):
            used = self._editions_used(name or "", claims)
            books = self._rulebooks.describe(name or "")
            shown = tuple(book for book in books if book.values["edition"] in used)
            if shown:
                yield Reason("books_of_game", game=name, books=shown)

    def _editions_used(self, game: str, claims: Sequence[Claim]) -> set[str | None]:
        """Return the editions of a game that claims were held against: those of the claims, and the
        one that the text or a person names, or else the newest."""
        own = self._rulebooks.own_edition(game, self.context.edition_of_text)
        meant = own or self._rulebooks.latest(game, None, self._lang)
        return {meant, *(claim.edition for claim in claims if claim.game == game)}

    def also(self, claims: Sequence[Claim]) -> Iterator[LeftOut]:
        """Yield the games and editions that the text was not taken to be about; none where it
        claims nothing."""
        if not claims:
            return
        if not self._asked_game:
            used = {self.context.game, *(claim.game for claim in claims)}
            if games := tuple(name for name in self._rulebooks.games if name not in used):
                yield LeftOut(None, Reason("text_not_about", again(game=games[0]), games=games))
        game = self.context.game
        if game in self._rulebooks.games and not self._asked_edition:
            used = self._editions_used(game or "", claims)
            editions = self._rulebooks.games[game or ""].editions[::-1]
            if others := tuple(edition for edition in editions if edition not in used):
                ask = again(edition=others[0])
                yield LeftOut(None, Reason("editions_not_named", ask, editions=others))


_BADNESS = {
    "exact": 0, "typographic": 1, "not loaded": 2, "repaired": 3, "other edition": 4,
    "contradicts": 5, "not found": 6,
}  # fmt: skip


def _is_inside_words(cited: CitedRules, quoted: SpanIndex[Quotation]) -> bool:
    """Whether a citation is part of quoted words: the rule's own, not the text's."""
    return any(
        one.sure
        and one.dress != "written out"
        and one.first <= cited.start
        and cited.end <= one.last
        and word_count(one.text) >= _SHORTEST
        for one in quoted.around(cited.start, cited.end)
    )


def _rest_of_sentence(quotation: Quotation, source: Source) -> Reason | None:
    """Return how a sentence goes on that a quotation ends with a full stop; None if it ends there,
    too."""
    text, end = source.text, source.match.end
    if quotation.text.rstrip(_CLOSING)[-1:] not in (".", "。") or text[end - 1] in ".。":
        return None
    words = SENTENCE_END.split(text[end:], maxsplit=1)[0].strip()
    if not any(map(str.isalnum, words)):
        return None
    return Reason("goes_on_with", words=words[:_MOST_GOING_ON])


def _moved(number: str | None, edition: str | None, now: str, meant: str | None) -> Reason:
    """Return that a rule of one edition has another number in the one that is meant."""
    return Reason("rule_is_now", number=number, edition=edition, now=now, meant=meant)


def _with_whole_sentences(source: Source, hidden: str) -> Source:
    """Return a source with the whole sentences of its words, of which `hidden` is left out."""
    start, end = whole_sentences(source.text, source.match.start, source.match.end)
    return replace(source, match=replace(source.match, start=start, end=end, hidden=hidden))


def _name(source: Source) -> str:
    if source.node.number:
        return source.node.number
    return source.node.section or source.node.id


def _with_node(claim: Claim, node: Node) -> Claim:
    return replace(
        claim,
        node=node,
        edition=node.edition,
        game=node.game,
        lang=node.lang,
        number=node.number,
        url=node.url,
        rule=(node.text or node.label or "")[:_MOST_SHOWN],
    )


def _with_source(claim: Claim, source: Source) -> Claim:
    with_node = _with_node(claim, source.node)
    return replace(with_node, edition=source.edition, rule=(source.node.text or "")[:_MOST_SHOWN])


def changed_words(
    text: str, expected: str, changes: Sequence[Difference]
) -> tuple[ChangedWords, ...]:
    """Return the words of a quotation that differ from those of its source, in order.

    changes: where the two differ.

    >>> text, expected = "draw eight cards now", "draw seven cards"
    >>> found = changed_words(text, expected, word_changes(text, expected))
    >>> [(change.text, change.expected) for change in found]
    [('eight', 'seven'), ('now', '')]
    """
    found = []
    for one in changes:
        words, right = text[one.start : one.end], expected[one.other_start : one.other_end]
        if fold(words) != fold(right) and any(map(str.isalnum, words + right)):
            found.append(ChangedWords(one.start, one.end, words, right))
    return tuple(found)
