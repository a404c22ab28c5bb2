"""Says of an edition that is given what it can't mean: the newest by a word, or that of an id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import kb
from kb.mcp.quoting import fact, name

_WORDS_FOR_NEWEST = frozenset({"latest", "newest", "current", "now", "最新", "最新版"})
_REFERENCES = ("ref", "start", "end")
_FILTERS = ("game", "edition", "lang", "source")


def refuse_words_for_newest(arguments: Mapping[str, Any]) -> None:
    """Raise QuestionError if the edition is given as a word such as `latest`: the newest is another
    one in each game and language.

    >>> refuse_words_for_newest({"ref": "121.4", "edition": "20231117"})
    """
    given = str(arguments.get("edition") or "").strip()
    if given.casefold() in _WORDS_FOR_NEWEST:
        raise kb.QuestionError("newest_by_word", edition=given)


def unused_filters(base: kb.KnowledgeBase, arguments: Mapping[str, Any]) -> list[str]:
    """Return a line for each id among references that names something else than what the filters
    beside it ask for: an id names one thing, whatever these are."""
    given = {key: str(arguments[key]) for key in _FILTERS if arguments.get(key)}
    lines = []
    for reference in (str(arguments.get(key) or "").strip() for key in _REFERENCES):
        if not given or "/" not in reference:
            continue
        node = next((n for n in base.show(reference).matches if n.id == reference), None)
        for key, value in given.items():
            if node and not _is_of(base, node, key, value):
                own = getattr(node, key)
                of = f"of {key} {fact(own)}" if own else f"of no {key}"
                lines.append(
                    f"not used: {key} {name(value, 60)}: an id names one thing, and "
                    f"{name(reference, 200)} is {of}"
                )
    return lines


def _is_of(base: kb.KnowledgeBase, node: kb.Node, key: str, value: str) -> bool:
    """Whether a node is of the game, edition, language or source that a value means: case and width
    do not count, and an edition may be given in several forms.

    key: `game`, `edition`, `lang` or `source`.
    """
    if getattr(node, key) == value:
        return True
    filters: kb.Filters = {key: value}  # type: ignore[misc]
    named = base.show(node.number or node.label or node.id, **filters).matches
    return any(match.id == node.id for match in named)
