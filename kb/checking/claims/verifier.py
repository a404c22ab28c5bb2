"""Verifies a text: pairs its citations with its quotations, and lets each decide what the other
means."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from graphs.time_limit import check_time
from kb.checking.claims.citation_verdicts import (
    CitationVerdicts,
    NumberVerdicts,
    contradicted,
    moved,
)
from kb.checking.claims.claim import MOST_SHOWN, Claim, SpanIndex, Verdict, VerifiedText, with_node
from kb.checking.claims.claimed_headings import bare_heading, heading_claim, topic_before
from kb.checking.claims.find_quotations import (
    Quotation,
    find_quotations,
    word_count,
)
from kb.checking.claims.find_rule_numbers import CitedRules
from kb.checking.claims.indirect_speech import contradiction, reported_clause
from kb.checking.claims.pair_claims import pair_claims
from kb.checking.claims.quotation_sources import Source, Wanted, lang_of
from kb.checking.claims.quotation_verdicts import LONG, MOST_TRIED, SHORTEST, QuotationVerdicts
from kb.reason import LeftOut, Reason, again

# Characters between a rule's number and its words in a line: a full stop, bracket and dash with
# spaces. The same as in `pair_claims`, for what is written out.
_FARTHEST_NUMBER = 8


class Verifier:
    """Holds a text's citations and quotations against a knowledge base."""

    def __init__(self, text: VerifiedText, numbers: NumberVerdicts) -> None:
        self._text, self._rulebooks, self._context = text, text.rulebooks, text.context
        self._citations = CitationVerdicts(text, numbers)
        self._quotations = QuotationVerdicts(text, self._citations)
        self._noted: set[str] = set()  # editions that were said to be taken for others
        self.left_out = 0

    @property
    def game(self) -> str | None:
        """The game that the text is about; None if that isn't clear."""
        return self._context.game

    @property
    def edition(self) -> str | None:
        """The edition that a person asked for, or the text names as a whole; else None."""
        return self._context.edition_of_text

    def claims(self, most: int) -> list[Claim]:
        """Return the claims, in the order of their spans, without lines and columns; of at most so
        many citations and quotations, citations first. `left_out` counts the others."""
        text = self._text.readable.text
        quotations = find_quotations(self._text.readable)
        if self._text.is_code:  # where a comment goes on behind a number, it is its own words
            quotations = [one for one in quotations if one.dress != "written out"]
        if game := self._game_quoted(quotations):
            self._context.take_game(game)
        citations = self._citations.find()
        quotations = list(self._settled(quotations, citations))
        quoted = SpanIndex(quotations)
        surely = SpanIndex(one for one in quotations if one.sure)
        citations = [one for one in citations if not _is_inside_words(one, quoted)]
        pairs = pair_claims(text, quotations, citations, self._text.readable.notes)
        self.left_out = max(0, len(quotations) + len(citations) - most)
        cited = {id(one): self._citations.verdict(one) for one in citations[:most]}
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
            for unnoted, corrected in self._quotations.verdicts(quotation, beside, citation):
                claim = self._with_edition_taken(unnoted, quotation.start)
                is_told = not citation or citation.node or citation.verdict != "not loaded"
                if claim.verdict == "not found" and not is_told:  # the rule may say it
                    claim = replace(
                        claim, verdict="not loaded", said=citation.said if citation else None
                    )
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
            name = one.heading or bare_heading(self._text.store, text, one.end, cited[id(one)])
            name = name or topic_before(self._rulebooks, text, one.start, cited[id(one)])
            if name:
                is_quoted = bool(one.heading) and text[one.end :].lstrip()[:1] not in "(（"
                with_heading = self._headed(name, one, cited[id(one)], is_quoted)
                cited[id(one)] = with_heading or cited[id(one)]
            cited[id(one)] = self._reported(one, cited[id(one)], surely)
            cited[id(one)] = self._with_edition_taken(cited[id(one)], one.start)
        with_headings = map(self._with_heading, cited.values())
        return sorted([*with_headings, *found], key=lambda claim: (claim.span, claim.kind))

    def _with_heading(self, citation: Claim) -> Claim:
        """Return a citation with the heading that its rule has, or the nearest rule above it that
        has one; as it is if it has no rule."""
        rule = citation.node
        if rule is None or not rule.series:
            return citation
        return replace(citation, heading=self._rulebooks.heading_above(rule))

    def _headed(
        self, heading: str, cited: CitedRules, claim: Claim, is_quoted: bool = False
    ) -> Claim | None:
        """Return a claim with the verdict that the heading beside the citation gives, as
        `heading_claim` does."""
        game, named = claim.game or "", self._text.lang_named(cited.start)
        lang = self._text.asked_lang or self._context.lang_at(cited.start)
        edition = self._rulebooks.own_edition(game, self._context.edition_at(cited.start), named)
        meant = edition or self._rulebooks.latest(game, None, lang) or ""
        return heading_claim(
            self._text.store, self._rulebooks, heading, claim, (meant, lang), named, is_quoted
        )

    def _with_edition_taken(self, claim: Claim, offset: int) -> Claim:
        """Return a claim with a word on the edition that the text names there, if it is not loaded;
        of what is older than all that is loaded, nobody can say whether it stands: `not loaded`."""
        edition = self._context.edition_at(offset)
        game, lang = claim.game or self._context.game, self._text.lang_named(offset)
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
        """Whether words behind the number of a rule are its words, or meant to be, by
        `QuotationSources.is_rule_written_out`."""
        games = tuple(self._text.games_quoted(quotation.start))
        edition = self._context.edition_at(quotation.start)
        wanted = Wanted(quotation.text, cited.numbers, games, edition)
        return self._text.sources.is_rule_written_out(wanted)

    def _of_game(self, cited: dict[int, Claim], beside: CitedRules, quotation: Claim) -> None:
        """Take the rule of the game and language whose words stand beside a citation, where the
        number alone does not tell them."""
        claim = cited.get(id(beside))
        if not claim or quotation.game not in self._rulebooks.games:
            return
        if claim.game != quotation.game or claim.verdict == "other edition":
            games = (quotation.game or "",)
            other = self._citations.verdict(beside, games, quotation.lang)
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
                with_node(claim, quotation.node),
                verdict="other edition",
                expected=now,
                renumbered=now,
                said=moved(number, edition, now, claim.edition),
            )

    def _game_quoted(self, quotations: Sequence[Quotation]) -> str | None:
        """Return the game whose rules are quoted to the letter, by the first five long quotations:
        of a text that is about a game without rules the first such game, of one that names no game
        the only one that two are of; None for another text."""
        loaded, is_named = self._rulebooks.games, bool(self._context.named_games)
        if self._text.asked_game or self._context.game is None:
            return None
        if is_named and self._context.game in loaded:
            return None
        long = [one for one in quotations if one.sure and word_count(one.text) >= LONG]
        found: list[str] = []
        for quotation in long[:MOST_TRIED]:
            sources = self._text.sources.find(Wanted(quotation.text))[:1]
            rules = (one for one in sources if one.is_same and one.node.kind == "rule")
            found += [one.game for one in rules if one.game and one.game in loaded]
        if is_named:
            return found[0] if found else None
        return found[0] if len(found) > 1 and len(set(found)) == 1 else None

    def _corrected(self, citation: Claim, source: Source, quotation: Claim) -> Claim:
        """Return a citation whose quoted words are another rule's: `other edition` if that rule had
        its number in another one, else `repaired` with the number of the source; as it is if they
        are of another version of its own rule, or of one of the same number."""
        if citation.node and citation.node.rule == source.node.rule:
            return citation
        right = source.node.number or quotation.number
        series = citation.node.series if citation.node else "rule"
        if citation.number and source.game == citation.game and right and series == "rule":
            for node in self._rulebooks.all_numbered(citation.game or "", citation.number):
                if node.edition == citation.edition or node.edition is None:
                    continue
                number = self._rulebooks.successor(
                    citation.game or "", node.edition, source.edition or "", citation.number
                )
                if number == right:
                    return replace(
                        with_node(citation, node),
                        verdict="other edition",
                        expected=right,
                        renumbered=right,
                        said=moved(citation.number, node.edition, right, source.edition),
                    )
        if right == citation.number and source.node.series in ("", series):
            return citation
        named = right if source.node.series in ("", series) else None
        name = named or source.node.section or source.node.id
        is_one = not source.others or source.is_chosen  # of several, none is chosen
        return replace(
            citation,
            verdict="repaired" if is_one else "about something else",
            expected=right if is_one else None,
            said=Reason(
                "quoted_of",
                name=name,
                numbers=(citation.number,),
                others=source.others[:MOST_TRIED],
            ),
        )

    def _reported(self, cited: CitedRules, claim: Claim, quoted: SpanIndex[Quotation]) -> Claim:
        """Return the verdict on a citation, after what the text says in its own words that the rule
        says: `contradicts` if both can't be true; as it is if nothing is said, or in quotation
        marks, or if it doesn't stand."""
        clause = reported_clause(self._text.readable.text, cited.start, cited.end)
        if not clause or not claim.stands or quoted.touches(*clause):
            return claim
        words = self._text.readable.text[slice(*clause)].strip()
        rule = self._citations.text_in(claim, lang_of(words))
        found = contradiction(words, rule) if rule else None
        # A sentence with the number behind it may say less than the rule, and leave words out.
        if found is None or (clause[1] <= cited.start and not all(found)):
            return claim
        return replace(claim, **contradicted(claim, *found), expected=rule[:MOST_SHOWN])

    def against(self, claims: Sequence[Claim]) -> Iterator[Reason]:
        """Yield what the text was held against: of each game that it or a claim is of, the editions
        meant; of a text that is about no game, of all that are loaded."""
        game = self._context.game
        meant = [game, *(claim.game for claim in claims)] if game else [*self._rulebooks.games]
        for name in dict.fromkeys(one for one in meant if one in self._rulebooks.games):
            used = self._editions_used(name or "", claims)
            books = self._rulebooks.describe(name or "")
            shown = tuple(book for book in books if book.values["edition"] in used)
            asked = tuple(one for one in shown if one.values["lang"] == self._text.asked_lang)
            shown = asked or shown
            if shown:
                yield Reason("books_of_game", game=name, books=shown)

    def _editions_used(self, game: str, claims: Sequence[Claim]) -> set[str | None]:
        """Return the editions of a game that claims were held against: those of the claims, and the
        one that the text or a person names, or else the newest."""
        own = self._rulebooks.own_edition(game, self._context.edition_of_text)
        meant = own or self._rulebooks.latest(game, None, self._text.asked_lang)
        return {meant, *(claim.edition for claim in claims if claim.game == game)}

    def also(self, claims: Sequence[Claim]) -> Iterator[LeftOut]:
        """Yield the games and editions that the text was not taken to be about; none where it
        claims nothing."""
        if not claims:
            return
        if not self._text.asked_game:
            used = {self._context.game, *(claim.game for claim in claims)}
            if games := tuple(name for name in self._rulebooks.games if name not in used):
                yield LeftOut(None, Reason("text_not_about", again(game=games[0]), games=games))
        game = self._context.game
        if game in self._rulebooks.games and not self._text.asked_edition:
            used = self._editions_used(game or "", claims)
            editions = self._rulebooks.games[game or ""].editions[::-1]
            if others := tuple(edition for edition in editions if edition not in used):
                ask = again(edition=others[0])
                yield LeftOut(None, Reason("editions_not_named", ask, editions=others))


def _is_inside_words(cited: CitedRules, quoted: SpanIndex[Quotation]) -> bool:
    """Whether a citation is part of four quoted words or more: the rule's own, not the text's."""
    return any(
        one.sure
        and one.dress != "written out"
        and one.first <= cited.start
        and cited.end <= one.last
        and word_count(one.text) >= SHORTEST
        for one in quoted.around(cited.start, cited.end)
    )
