"""Names the kinds of changes of a rule between two editions."""

from __future__ import annotations

from typing import Literal, get_args

ListedChangeKind = Literal[
    "added",
    "split",
    "removed",
    "merged",
    "moved",
    "changed",
    "moved+changed",
    "renumbered",
    "moved+renumbered",
    "typographic",
    "examples",
]
RuleChangeKind = Literal[ListedChangeKind, "not loaded"]

# What may be wrong in a statement on a rule that an edition changed: its number, the words that are
# quoted, or what it says of the rule.
ImpactKind = Literal["number", "words", "sense"]

_KINDS: dict[str, RuleChangeKind] = {kind: kind for kind in get_args(RuleChangeKind)}
# As a build stores them: the text is the same but for typography, whatever its number.
SAME_TEXT = frozenset(("same", "typographic", "examples", "moved"))
_ALIKE = ("typographic", "examples")  # no change of what a rule says


def stored_change(stored: str) -> RuleChangeKind | None:
    """Return the kind of change that a build stored; None if a rule stayed the same, and for any
    text that is no kind, such as `first`."""
    return _KINDS.get(stored)


def told_change(stored: str) -> RuleChangeKind | None:
    """Return the kind of change that a history tells of a version; None if it stayed the same, or
    but for typography or examples.

    stored: as the build wrote it, such as `same`.

    >>> told_change("same"), told_change("typographic"), told_change("moved")
    (None, None, 'moved')
    """
    return None if stored in _ALIKE else stored_change(stored)


RENUMBERED = frozenset(("renumbered", "moved+renumbered"))
