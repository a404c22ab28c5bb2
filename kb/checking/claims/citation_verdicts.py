"""Gives each citation in a text its verdict: whether the rule is there, by its number alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from graphs.model import Node
from graphs.sort_orders import edition_key
from kb.checking.claims.claim import Claim, Verdict, VerifiedText, with_node
from kb.checking.claims.find_rule_numbers import CitedRules, find_rule_numbers
from kb.checking.claims.loaded_rulebooks import CitedRule, Rulebooks, levels
from kb.checking.kept_tools import cached_method
from kb.language.citations.citation_patterns import fold_width
from kb.reason import Reason

# Levels of a number that may be a rule's in a text that has a known one of so many, even if its
# game has no such form: 1.2.3 is hardly a price or a count, 1.2 often is.
_MANY_LEVELS = 3
# Behind a number: the text says itself that there is no such rule.
_NOT_THERE = re.compile(
    r"[」』”]?\s?(?:は|が|も)、?(?:この|その|現在の|現行の?|最新の?|今の|本)?版?に?は?、?"
    r"(?:な[いくか]|ありません|存在し(?:な|ま)|無[いくか])"
    r"|\s(?:is|are|was)(?:n['’]t|\snot|\sno longer)\s(?:in|part of)\s(?:this|that|the)\s"
    r"(?:\w+\s){0,2}?(?:edition|rules|rulebook|version)\b"
    r"|\sdoes(?:n['’]t|\snot)\sexist\b",
    re.IGNORECASE,
)


class CitationVerdicts:
    """Finds the citations of a text, and holds them against the rules."""

    def __init__(self, text: VerifiedText, numbers: NumberVerdicts) -> None:
        self._text, self._rulebooks, self._context = text, text.rulebooks, text.context
        self._numbers = numbers
        self._deep: set[str] = set()  # numbers of many levels that the text has

    def find(self) -> list[CitedRules]:
        """Return the citations of the text, in order of their places; none of numbers that are
        hardly a rule's."""
        numbers = find_rule_numbers(self._text.readable.text, self._text.known_numbers())
        self._deep = {n for one in numbers for n in one.numbers if levels(n) >= _MANY_LEVELS}
        return [one for one in numbers if self._may_cite(one)]

    def _may_cite(self, cited: CitedRules) -> bool:
        """Whether a number may be a rule's: a word says so, or a rulebook meant has numbers of its
        form, or it has many levels, as other numbers of the text that the rulebook has."""
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
        """Return the games with rules that a citation may be of, the likeliest first; all, if the
        text is about none; empty if it is about one without rules."""
        games = self._context.games_of(cited.numbers, cited.start)
        return games or ([] if self._context.game else list(self._rulebooks.games))

    def verdict(
        self, cited: CitedRules, games: Sequence[str] = (), lang: str | None = None
    ) -> Claim:
        """Return the verdict on a citation by itself; of a range, the worse one of its two ends.

        A right number that is written with a slip is `repaired`, in full width `typographic`.

        games: that it may be of; empty for those that the text names. lang: of the rulebook; None
            for that of the lines around.
        """
        span = self._text.readable.span(cited.start, cited.end)
        written = self._text.readable.text[cited.start : cited.end]
        if cited.document:
            return replace(self._section(cited), span=span, text=written)
        games = games or self._games_of(cited)
        edition = self._context.edition_at(cited.start)
        ends = dict.fromkeys((cited.numbers[0], cited.numbers[-1]))
        lang = self._text.asked_lang or lang or self._context.lang_at(cited.start)
        named, about = self._text.lang_named(cited.start), self._context.game
        verdicts = [
            replace(one, span=span, text=written)
            for number in ends
            for one in (self._numbers.verdict(number, tuple(games), edition, lang, named, about),)
        ]
        worst = max(verdicts, key=lambda one: _BADNESS[one.verdict])
        if worst.verdict != "exact":
            is_denied = _NOT_THERE.match(self._text.readable.text, cited.end)
            if is_denied and worst.verdict in ("not found", "other edition", "repaired"):
                return replace(worst, verdict="exact", node=None, expected=None, renumbered=None)
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

    def _section(self, cited: CitedRules) -> Claim:
        """Return the verdict on a citation of a document beside the rules: whether some edition of
        it has the section (`exact`, with one in the game and language that are meant if it can be),
        else `not found`."""
        number = cited.numbers[0]
        claim = Claim(0, 0, 0, "", "citation", "not found", number=number)
        sections = [
            node
            for node in self._text.store.find_by_number(number, "document")
            if node.series == cited.document and self._text.asked_game in (None, node.game)
        ]
        if not sections:
            name = cited.document.replace("-", " ") if cited.document else ""
            said = Reason("no_section_loaded", number=number, document=name)
            return replace(claim, said=said)
        named = self._text.readable.text[max(0, cited.start - 4) : cited.start + 1].strip()
        lang = self._text.asked_lang or ("en" if named.isascii() else "ja")
        sections.sort(key=lambda node: (node.game != self._context.game, node.lang != lang))
        return replace(with_node(claim, sections[0]), verdict="exact")

    def text_in(self, citation: Claim, lang: str) -> str:
        """Return the text of a rule cited, and those of its sub-rules in lines behind it, if
        possible in a language; empty if there is no such rule."""
        rules = self._rulebooks.find(
            citation.game or "", citation.number or "", citation.edition, lang
        ).rules
        if not rules:
            return ""
        below = self._text.store.get(self._text.store.with_sub_rules([rules[0].id])).values()
        others = [one.text or "" for one in below if one.id != rules[0].id]
        return "\n".join([rules[0].text or rules[0].label or "", *others])


class NumberVerdicts:
    """The verdicts on numbers, without what else a text says: of all texts of one question."""

    def __init__(
        self, rulebooks: Rulebooks, asked_game: str | None, asked_lang: str | None
    ) -> None:
        """asked_game, asked_lang: what a person says that the texts are about; None for nothing."""
        self._rulebooks, self._asked_game, self._asked_lang = rulebooks, asked_game, asked_lang

    @cached_method(1 << 14)
    def verdict(
        self,
        number: str,
        games: tuple[str, ...],
        date: str | None,
        lang: str,
        named: str | None,
        about: str | None,
    ) -> Claim:
        """Return the verdict on a number that a text cites, without its place: of the first game
        that has it as it is meant, else of the first that has it at all, else of `games[0]`.

        date: of the edition that is meant. lang: by the letters of the text; named: by its words.
        about: the game of the text.
        """
        claim = Claim(0, 0, 0, "", "citation", "not found")
        also = self._elsewhere(number, games)
        if not games:
            said = Reason("no_rules_of", game=about) if about else Reason("no_rules")
            return replace(claim, verdict="not loaded", number=number, said=said, also=also)
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
        """Return the other games that have a number, as `riftbound 121.4`, for `also`; none if a
        person asked for one game."""
        if self._asked_game:
            return ()
        return tuple(
            f"{game} {number}"
            for game in self._rulebooks.games
            if game not in games[:1] and number in self._rulebooks.known(game)
        )

    def _lang_note(self, rule: CitedRule, lang: str) -> Reason | None:
        if self._asked_lang and rule.rules[0].lang != lang:
            return Reason("rule_not_in_language", number=rule.rules[0].number, lang=lang)
        return None

    def _of_rule(
        self, claim: Claim, rules: Sequence[Node], also: tuple[str, ...], said: Reason | None
    ) -> Claim:
        return replace(with_node(claim, rules[0]), verdict="exact", also=also, said=said)

    def _of_other_language(
        self, claim: Claim, game: str, cited: CitedRule, edition: str | None, lang: str
    ) -> Claim:
        """Return the verdict on a number that the rules have in another language alone: `repaired`
        with the number of that rule in the language of the text, `not found` if it has none there,
        `other edition` if only older rules have it, `not loaded` where that language's rules are
        not loaded so far."""
        rule = cited.rules[0]
        meant = edition or self._rulebooks.latest(game, None, lang) or ""
        now = self._rulebooks.number_in(rule, meant, lang)
        # Of what is newer than all that is loaded in the language, nobody can tell.
        is_loaded = bool(edition) or self._rulebooks.is_loaded_in(game, cited.edition or "", lang)
        is_older = edition_key(cited.edition) < edition_key(meant)
        verdict: Verdict = "repaired" if now else "not found"
        if is_older:
            verdict = "other edition"
        elif not is_loaded:
            verdict = "not loaded"
        code = "is_in_language" if now else "is_in_no_language"
        return replace(
            with_node(claim, rule),
            verdict=verdict,
            expected=now,
            renumbered=now if is_older else None,
            said=Reason(
                "number_of_language",
                number=rule.number,
                lang=rule.lang,
                edition=rule.edition,
                went=Reason(code, number=now, lang=lang, edition=meant),
                unread=None if is_loaded or is_older else lang,
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
        """Return the verdict on a number of another edition, with where its rule went: `other
        edition`, `expected` is its number in the one that is meant, None if it has none there.

        Of an edition that is loaded in part, nobody can say that it has no such rule: `exact` or
        `not loaded`."""
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
            with_node(claim, rule.rules[0]),
            verdict=verdict,
            expected=now,
            renumbered=now,
            said=Reason(
                "rule_of_edition", number=number, edition=rule.edition, meant=meant, went=went
            ),
            also=also,
        )


# Of the ends of a range the worse counts: first what stands, then what can't be told, what can be
# put right, and last what nothing is known of.
_BADNESS = {
    "exact": 0, "typographic": 1, "not loaded": 2, "changed": 3, "repaired": 4, "moved": 5,
    "other edition": 6, "about something else": 7, "contradicts": 8, "gone": 9, "not found": 10,
}  # fmt: skip


def moved(number: str | None, edition: str | None, now: str, meant: str | None) -> Reason:
    """Return that a rule of one edition has another number in the one that is meant."""
    return Reason("rule_is_now", number=number, edition=edition, now=now, meant=meant)


def contradicted(citation: Claim, said: str, right: str) -> dict[str, Any]:
    """Return `verdict` and `said` of a citation that contradicts its rule, as fields to replace.

    said: the words of the text that do; empty if it leaves the rule's out. right: the rule's words;
        empty if it has none in their place.
    """
    code = "rule_says" if said and right else "rule_says_more" if right else "rule_does_not_say"
    reason = Reason(code, number=citation.number, right=right, words=said)
    return {"verdict": "contradicts", "said": reason}
