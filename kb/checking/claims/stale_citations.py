"""Says which citations and quotations were right when a text was written, and are not any more."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from graphs.model import Node
from graphs.sort_orders import edition_key
from graphs.store.reader import Store
from graphs.store.rule_versions import rules_above
from kb.checking.claims.claim import MOST_SHOWN, Claim, Verdict
from kb.checking.claims.loaded_rulebooks import Rulebooks
from kb.checking.claims.match_quotation import match_exactly
from kb.checking.kept_tools import cached_method
from kb.errors import QuestionError
from kb.query.editions.impact import RuleFates
from kb.reason import Reason
from kb.rules.changes import RuleChange
from scraper.rulebook.numbering import looks_like_heading

_OTHER_WORDS = frozenset(("changed", "moved+changed"))


class StaleClaims:
    """Holds what was right in the edition that a text was written for against a newer one."""

    def __init__(self, store: Store, rulebooks: Rulebooks, against: str | None) -> None:
        """against: the edition that should hold now; None for each game's newest."""
        self._store, self._rulebooks, self._against = store, rulebooks, against

    def now(self, claim: Claim, text: str = "") -> Claim:
        """Return a claim with what became of its rule: `moved` (`expected` is the number now),
        `gone`, or `changed` (`expected` is what the rule says now); a quotation only if its words
        aren't in the rule any more. As it is if it is wrong, of no rule, or as right as ever, and
        if its line has the heading that the number has in the newer edition, and not the one
        before.

        text: in which the claim has its span; empty if it stands alone."""
        node, after = claim.node, self._edition_after(claim)
        if node is None or after is None:
            return claim
        fates = self._fates(node.game or "", node.edition or "", after)
        change = fates.of_rule(node) if fates else None
        if not change or not fates or self._is_new_already(claim, node, after, text):
            return claim
        found = _changed(claim, change, node.edition or "", after)
        if (
            found.verdict != "moved"
            or claim.verdict != "exact"
            or not fates.has_moved_whole(change)
        ):
            return found
        fix = _with_number(claim.text, claim.number or "", found.expected or "")
        return replace(found, fix=fix)

    def _edition_after(self, claim: Claim) -> str | None:
        """Return the newer edition that a claim is held against; None for one that is wrong, of no
        rule, or of no older edition."""
        node = claim.node
        if node is None or node.series != "rule":
            return None
        after = self.after(node.game or "")
        is_older = after and edition_key(node.edition or "") < edition_key(after)
        return after if is_older and (claim.stands or claim.verdict == "repaired") else None

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

    def after(self, game: str) -> str | None:
        """Return the edition that should hold now; None for a game without rules."""
        return self._against or self._rulebooks.latest(game, None, None)

    def editions(self, claims: Iterable[Claim]) -> tuple[Reason, ...]:
        """Return against which editions claims are held, a reason each."""
        held = {
            (one.node.game or "", after)
            for one in claims
            if one.node and (after := self._edition_after(one))
        }
        return tuple(
            Reason("then_against", game=game, edition=after) for game, after in sorted(held)
        )

    @cached_method()
    def _fates(self, game: str, before: str, after: str) -> RuleFates | None:
        try:
            return RuleFates(self._store, game, before, after)
        except QuestionError:  # in no language in common: nobody can tell
            return None


def _changed(claim: Claim, change: RuleChange, edition: str, after: str) -> Claim:
    """Return a claim as a change of its rule leaves it."""
    number, now = claim.number, change.after
    if claim.kind == "quotation":
        if not now or match_exactly(claim.text, now.text):
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
