"""Says which citations and quotations were right when a text was written, and are not any more; and
of which right numbers the sentence speaks of another rule."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from math import log

from graphs.model import Node
from graphs.sort_orders import edition_key
from graphs.store.reader import Store
from graphs.store.rule_versions import rules_above, rules_below, rules_of
from kb.checking.claims.claim import MOST_SHOWN, Claim, Verdict
from kb.checking.claims.loaded_rulebooks import Rulebooks
from kb.errors import QuestionError
from kb.language.sentences import sentences
from kb.language.tokens import stem
from kb.language.typography import fold_typography
from kb.query.editions.impact import RuleFates
from kb.reason import Reason
from kb.rules.changes import RuleChange
from scraper.rulebook.numbering import looks_like_heading, parent_number

_OTHER_WORDS = frozenset(("changed", "moved+changed"))


class StaleClaims:
    """Holds what was right in the edition that a text was written for against a newer one."""

    def __init__(self, store: Store, rulebooks: Rulebooks, against: str | None) -> None:
        """against: the edition that should hold now; None for each game's newest."""
        self._store, self._rulebooks, self._against = store, rulebooks, against
        self._fates: dict[tuple[str, str, str], RuleFates | None] = {}

    def now(self, claim: Claim, text: str = "") -> Claim:
        """Return a claim with what became of its rule: `moved` (`expected` is the number now),
        `gone`, or `changed` (`expected` is what the rule says now); a quotation only if its words
        aren't in the rule any more. As it is if it is wrong, of no rule, or as right as ever, and
        if its line has the heading that the number has in the newer edition, and not the one
        before.

        text: in which the claim has its span; empty if it stands alone."""
        node = claim.node
        if (
            node is None
            or node.series != "rule"
            or not (claim.stands or claim.verdict == "repaired")
        ):
            return claim
        game, edition = node.game or "", node.edition or ""
        after = self._against or self._rulebooks.latest(game, None, None)
        if not after or edition_key(after) <= edition_key(edition):
            return claim
        fates = self._fates_between(game, edition, after)
        change = fates.of(node.id) if fates else None
        if not change or not fates or self._is_new_already(claim, node, after, text):
            return claim
        found = _changed(claim, change, edition, after)
        if (
            found.verdict != "moved"
            or claim.verdict != "exact"
            or not fates.has_moved_whole(change)
        ):
            return found
        fix = _with_number(claim.text, claim.number or "", found.expected or "")
        return replace(found, fix=fix)

    def _is_new_already(self, claim: Claim, node: Node, after: str, text: str) -> bool:
        """Return whether the line of a citation has the heading that its number stands under in the
        newer edition, and not that of the edition before: `701.17a (Mill)`."""
        if claim.kind != "citation" or not claim.number:
            return False
        first, last = text.rfind("\n", 0, claim.span[0]) + 1, text.find("\n", claim.span[1])
        line = text[first : last if last >= 0 else len(text)].casefold()
        headings = [self._headings(node, edition) for edition in (node.edition or "", after)]
        old, new = ({one for one in of_edition if one in line} for of_edition in headings)
        return bool(new - headings[0]) and not old - headings[1]

    def _headings(self, node: Node, edition: str) -> frozenset[str]:
        """Return the headings, in small letters, of the rules that have the number of a rule in an
        edition and of those above them, but for that of the chapter."""
        found: set[str] = set()
        for same in self._rulebooks.all_numbered(node.game or "", node.number or ""):
            if same.edition == edition:
                above = rules_above(self._store, same.id)
                labels = [same.label, *(row.label for row in above[1:] or above)]
                found.update(one.casefold() for one in labels if one and looks_like_heading(one))
        return frozenset(found)

    def editions(self) -> tuple[Reason, ...]:
        """Return against which editions claims were held, a reason each."""
        return tuple(
            Reason("then_against", game=game, edition=after)
            for game, after in sorted({(game, after) for game, _, after in self._fates})
        )

    def _fates_between(self, game: str, before: str, after: str) -> RuleFates | None:
        key = game, before, after
        if key not in self._fates:
            try:
                self._fates[key] = RuleFates(self._store, game, before, after)
            except QuestionError:  # in no language in common: nobody can tell
                self._fates[key] = None
        return self._fates[key]


def _changed(claim: Claim, change: RuleChange, edition: str, after: str) -> Claim:
    """Return a claim as a change of its rule leaves it."""
    number, now = claim.number, change.after
    if claim.kind == "quotation":
        if not now or fold_typography(claim.text) in fold_typography(now.text):
            return claim
        if change.kind not in _OTHER_WORDS:
            return claim
        said = Reason("words_changed", number=now.number, edition=edition, meant=after)
        return replace(claim, verdict="changed", expected=now.text[:MOST_SHOWN], said=said)
    if now is None:
        said = Reason(
            "cited_rule_gone", number=number, edition=edition, meant=after, into=change.into
        )
        return replace(claim, verdict="gone", expected=change.into, said=said)
    verdict: Verdict = "changed"
    if change.before and now.number != change.before.number:
        said = Reason("rule_is_now", number=number, edition=edition, now=now.number, meant=after)
        verdict, expected = "moved", now.number
    elif change.kind in _OTHER_WORDS:
        said = Reason("rule_changed", number=number, edition=edition, meant=after)
        expected = now.text[:MOST_SHOWN]
    else:
        return claim
    renumbered = now.number if verdict == "moved" else None
    return replace(claim, verdict=verdict, expected=expected, renumbered=renumbered, said=said)


_WIDE = str.maketrans("0123456789.", "０１２３４５６７８９．")


def _with_number(text: str, number: str, now: str) -> str | None:
    """Return the words of a citation with another number; None if the number doesn't stand there
    just once, such as in a range.

    >>> _with_number("CR 701.15a", "701.15a", "701.19a")
    'CR 701.19a'
    >>> _with_number("701.15–701.15a", "701.15", "701.19")
    """
    for old, new in ((number, now), (number.translate(_WIDE), now.translate(_WIDE))):
        if text.count(old) == 1 and len(re.findall(r"\d+", text)) == len(re.findall(r"\d+", old)):
            return text.replace(old, new)
    return None


# Shares of the weight of a sentence's words that a rule has, by hand, with the rules of Magic of
# 2023 held against those of 2026, and texts by people: what is cited must have little of it, the
# other rule clearly more. Sisters say much the same, so that of them next to nothing is left.
_OWN_HAS, _OTHER_HAS, _CLEARLY = 0.3, 0.3, 0.22
_SISTER_HAS = 0.12
_LEAST_WEIGHT = 5.0  # of the words that both the sentence and the other rule have: two rare ones
_FAR = 240  # characters of a sentence on either side of a number that count
_MOST_RULES = 60  # sub-rules whose words count for a rule: a guard
_WORD = re.compile(r"[A-Za-z][a-z]{2,}|[一-鿿]{2,}|[ァ-ヺー]{2,}")


class OtherSubjects:
    """Finds citations whose number exists while the sentence speaks of another rule, which had the
    number in another edition.

    Rules whose headings a sentence has are no sign: of 250 rules of Lorcana's own book 16 cite what
    they only refer to, beside such a word."""

    def __init__(self, store: Store, rulebooks: Rulebooks) -> None:
        self._store, self._rulebooks = store, rulebooks
        self._weights: dict[tuple[str, str], Mapping[str, float]] = {}  # by game and edition
        self._words: dict[str, frozenset[str]] = {}
        self._rivals: dict[str, list[Node]] = {}

    def held(self, claim: Claim, text: str) -> Claim:
        """Return a right citation as `about something else` if that is sure, with the number that
        the rule which is meant has now; else as it is.

        text: in which the claim has its span, as people read it.
        """
        node = claim.node
        if claim.kind != "citation" or not claim.stands or node is None or node.series != "rule":
            return claim
        around = _sentence(text, *claim.span)
        weights = self._weights_in(node.game or "", node.edition or "")
        said = {word for word in _words(around) if word in weights}
        own = _share(said, self._words_of(node), weights)
        if not said or own > _OWN_HAS:
            return claim
        shares = [(_share(said, self._words_of(one), weights), one) for one in self._former(node)]
        best, rule = max(shares, key=lambda found: found[0], default=(0.0, None))
        if rule is None or best < _OTHER_HAS or best - own < _CLEARLY:
            return claim
        if sum(weights[word] for word in said & self._words_of(rule)) < _LEAST_WEIGHT:
            return claim
        about = self._about(claim, node, rule)
        is_sister = parent_number(about.expected or "") == parent_number(node.number or "")
        return claim if is_sister and own > _SISTER_HAS else about

    def _about(self, claim: Claim, node: Node, rule: Node) -> Claim:
        game, edition = node.game or "", node.edition or ""
        now = rule.number
        if rule.edition != edition:
            now = self._rulebooks.successor(game, rule.edition or "", edition, rule.number or "")
        reason = Reason(
            "about_something_else",
            number=claim.number,
            heading=rule.label if looks_like_heading(rule.label or "") else None,
            before=rule.edition if rule.edition != edition else None,
            now=now,
        )
        return replace(claim, verdict="about something else", expected=now, said=reason)

    def _former(self, node: Node) -> list[Node]:
        """Return the other rules that had the number of a rule in other editions."""
        if node.id not in self._rivals:
            same = self._rulebooks.all_numbered(node.game or "", node.number or "")
            rules = rules_of(self._store, [node.id, *(one.id for one in same)])
            own = rules.get(node.id)
            newest = {rules[one.id]: one for one in reversed(same) if one.id in rules}
            self._rivals[node.id] = [one for rule, one in newest.items() if rule != own]
        return self._rivals[node.id]

    def _words_of(self, rule: Node) -> frozenset[str]:
        """Return the words of a rule, of what stands above and below it, in the languages in which
        its edition is loaded."""
        if rule.id not in self._words:
            found: set[str] = set()
            same = [
                one
                for one in self._rulebooks.all_numbered(rule.game or "", rule.number or "")
                if one.edition == rule.edition
            ]
            for version in same or [rule]:
                below = rules_below(self._store, [version.id]).get(version.id, [])[:_MOST_RULES]
                rows = [*rules_above(self._store, version.id), *below]
                texts = [version.label, version.text, *(row.label for row in rows)]
                texts += [row.text for row in below]
                found.update(*(_words(text) for text in texts if text))
            self._words[rule.id] = frozenset(found)
        return self._words[rule.id]

    def _weights_in(self, game: str, edition: str) -> Mapping[str, float]:
        """Return {word of the rules of an edition, in all its languages: how much it tells}: the
        fewer rules have it, the more."""
        if (game, edition) not in self._weights:
            loaded = self._rulebooks.games[game]
            rules = [
                rule
                for each in loaded.langs(edition)
                for rule in self._store.rules(game, edition, each)
            ]
            counts = Counter(word for rule in rules for word in _words(rule.text or ""))
            total = max(len(rules), 1)
            self._weights[game, edition] = {
                word: log(1 + total / count) for word, count in counts.items()
            }
        return self._weights[game, edition]


def _words(text: str) -> set[str]:
    return {stem(word.lower()) for word in _WORD.findall(text)}


def _share(said: set[str], has: frozenset[str], weights: Mapping[str, float]) -> float:
    """Return how much of what a sentence says a rule has, from 0 to 1."""
    total = sum(weights[word] for word in said)
    return sum(weights[word] for word in said & has) / total if total else 0.0


def _sentence(text: str, start: int, end: int) -> str:
    """Return the sentence around a citation, without it."""
    first = max(0, start - _FAR, text.rfind("\n\n", 0, start) + 1)
    stop = text.find("\n\n", end)
    last = min(len(text), end + _FAR, stop if stop >= 0 else len(text))
    part = text[first:last]
    at = start - first
    spans = [span for span in sentences(part, "en") if span[0] <= at < span[1]]
    begin, finish = spans[0] if spans else (0, len(part))
    return f"{part[begin:at]} {part[min(end - first, finish) : finish]}"
