"""Names the kinds of changes of a rule between two editions."""

from __future__ import annotations

from typing import Literal

ListedChangeKind = Literal[
    "added",
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

RENUMBERED = frozenset(("renumbered", "moved+renumbered"))
