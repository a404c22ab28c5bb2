"""What an edge leads to if the node it names is not loaded; whether a cited heading agrees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from graphs.build.resolution import ResolvedEdge
from kb.extract.rules import LATEST, rule_id
from kb.language.fold import fold

_LONGEST_HEADING = 60  # characters; a longer text is the rule itself


def other_heading(cited: ResolvedEdge) -> dict[str, Any]:
    """A citation's details, with what the rule is headed where the text that cites it gives it
    another heading.

    A rule without a heading can't disagree, nor one whose heading is in another script: that is
    a translation.

    >>> other_heading(ResolvedEdge({"heading": "状況起因処理"}, "サブゲーム", ""))
    {'heading': '状況起因処理', 'headed': 'サブゲーム'}
    >>> other_heading(ResolvedEdge({"heading": "誘発型能力"}, "誘発型能力の扱い", ""))
    {'heading': '誘発型能力'}
    """
    details = {key: value for key, value in cited.details.items() if key != "headed"}
    said = fold(details.get("heading", ""))
    headed = cited.label or (cited.text if len(cited.text) <= _LONGEST_HEADING else "")
    there = fold(headed)
    if not said or not there or said.isascii() != there.isascii() or headed[-1] in "。.":
        return details
    return details if said in there or there in said else details | {"headed": headed}


def section_or_page(wanted: str) -> list[str]:
    """What to take where a section is not there: its page."""
    page, mark, _ = wanted.partition("#")
    return [page] if mark else []


def stand_ins(wanted: str, loaded: Sequence[tuple[str, str, str]]) -> Iterable[str]:
    """Rules to take where a wanted one is not there: a citation that names no edition goes to
    the newest that has the rule; then the same edition in another language serves."""
    parts = wanted.split("/")
    if len(parts) != 5 or parts[1] != "cr":
        return
    game, _, edition, lang, number = parts
    fitting = [k for k in loaded if k[0] == game and edition in (k[1], LATEST)]
    for _, one, other in sorted(fitting, key=lambda k: (k[2] != lang, k[1] == "undated")):
        yield rule_id(game, one, other, number)
