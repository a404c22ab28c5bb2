"""Says of an edition that is given what it can't mean: the newest by a word, or that of an id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import kb
from kb.mcp.quoting import name, one_line

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
        raise kb.QuestionError(
            f"no edition is called {given}: leave edition out, and the newest comes first; or give "
            "its date, such as 20231117"
        )


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
            own = getattr(node, key) if node else value
            if own != _normal(value) and own != value:
                of = f"of {key} {one_line(own)}" if own else f"of no {key}"
                lines.append(
                    f"not used: {key} {one_line(value, 60)}: an id names one thing, and "
                    f"{name(reference, 200)} is {of}"
                )
    return lines


def _normal(edition: str) -> str:
    """Return the date of an edition as ids have it.

    >>> _normal("2023-11-17"), _normal("20231117.0")
    ('20231117', '20231117')
    """
    return edition.strip().replace("-", "").removesuffix(".0")
