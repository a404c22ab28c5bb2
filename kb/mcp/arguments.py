"""The arguments that several tools have, with what a model must know to fill them in."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

# Characters of a reference, by hand: a page's title in MediaWiki has up to 255 bytes, and an id has
# the source and the section besides.
_LONGEST_REF = 300
_REF = (
    "a rule's number (121.4, 903, 702.9a), a term or card by any of its names in any language "
    "(引く, ドロー, draw), a page's title, or an id from another result "
    "(mtg/cr/20231117/ja/121.4, mtg/term/引く)"
)
Ref = Annotated[str, Field(min_length=1, max_length=_LONGEST_REF, description=f"What: {_REF}.")]
Start = Annotated[str, Field(min_length=1, max_length=_LONGEST_REF, description=f"From: {_REF}.")]
End = Annotated[str, Field(min_length=1, max_length=_LONGEST_REF, description=f"To: {_REF}.")]
Game = Annotated[
    str | None,
    Field(
        description="Only this game, by its short name, such as mtg. Give it when the question is "
        "about one game: many numbers and names are in several."
    ),
]
Edition = Annotated[
    str | None,
    Field(
        description="Only this edition of a rulebook, by its date, such as 20231117; or as of "
        "2024-03-01, for the one in force then. Without it "
        "the newest edition that has something is shown, and said which others have it, in the "
        "same or other words; refs takes all together. An id has its own; terms and wiki pages "
        "have none."
    ),
]
Lang = Annotated[str | None, Field(description="Only this language: ja, en, …")]
Source = Annotated[
    str | None,
    Field(description="Only this source: rulebook, or a wiki, such as mtgwiki."),
]
# The bound is a guard: more than any list of a tool has (10,000 hits, 3,000 edges).
Skip = Annotated[
    int,
    Field(
        ge=0, le=100_000, description="How many to skip, to go on: the number that `more` gives."
    ),
]


def _as_list(value: Any) -> Any:
    """Return one text, also an empty one, as a list of it; other values as they are.

    >>> _as_list("cites"), _as_list(["cites"])
    (['cites'], ['cites'])
    """
    return [value] if isinstance(value, str) else value


# In the annotation of a list: models often give one value without its brackets.
ONE_OR_MORE = BeforeValidator(_as_list)
