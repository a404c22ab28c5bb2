"""The tools `search` and `ask`: passages with some words, and passages that answer a question."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from kb import KnowledgeBase
from kb.mcp.citing import (
    ONE_OR_MORE,
    Edition,
    Game,
    Lang,
    Skip,
    Source,
    also_lines,
    listed,
    place_line,
    rule_names,
    short_place,
)
from kb.mcp.replies import Reply, name, part_of, quote, reply, said

if TYPE_CHECKING:
    from kb import Answer, Answers, Hit, Place

# Hits, by hand: `skip` reads all before it again, and nobody reads so many; the guide says the
# number.
_MOST_LISTED = 10_000
_NO_FURTHER = f"no more than the first {_MOST_LISTED:,} hits are listed: narrow the search"
_MAX_SAME = 4  # places that have the same text, by hand; the document has all
# Characters of the passage around the sentence that decides: by hand, four passages, as many as are
# usual, take less than half of an answer.
_LONGEST_ANSWER = 1_200
# Bounds of arguments: guards of time, and of what fits an answer; texts of 300 characters as `Ref`.
_Words = Annotated[
    str,
    Field(
        max_length=300,
        description="The words, in any inflection and spelling: together they are a phrase "
        "(カードを引かれた finds カードを引く), separated by spaces all must occur. Empty to list "
        "what fits the filters.",
    ),
]
_Section = Annotated[
    str | None, Field(max_length=200, description="Only sections with this in their heading.")
]
_Kind = Annotated[
    Literal["rule", "ruling", "procedure", "step", "outcome"] | None,
    Field(description="Only passages that state this."),
]
_Mentions = Annotated[
    list[Annotated[str, Field(max_length=300)]] | None,
    Field(max_length=8, description="Only passages that mention all of these terms or cards."),
    ONE_OR_MORE,
]
_Cites = Annotated[
    list[Annotated[str, Field(max_length=300)]] | None,
    Field(
        max_length=8,
        description="Only passages that cite all of these rules, or their sub-rules.",
    ),
    ONE_OR_MORE,
]
_AnyWord = Annotated[bool, Field(description="Passages with at least one of the words.")]
_MostHits = Annotated[int, Field(ge=1, le=30, description="How many passages at most.")]
# As long as `kb.query` takes a question (_MOST_ASKED), which is as much as Sudachi splits at once.
_Question = Annotated[
    str,
    Field(
        min_length=1,
        max_length=900,
        description="One question as a person asks it, in Japanese or English, with the terms of "
        "the game as the rules have them if you know them.",
    ),
]
# With up to _LONGEST_ANSWER each, ten fill an answer.
_Top = Annotated[int, Field(ge=1, le=10, description="How many passages at most.")]


def search(
    base: KnowledgeBase,
    text: _Words = "",
    game: Game = None,
    edition: Edition = None,
    lang: Lang = None,
    source: Source = None,
    section: _Section = None,
    kind: _Kind = None,
    mentions: _Mentions = None,
    cites: _Cites = None,
    any_word: _AnyWord = False,
    most: _MostHits = 10,
    skip: Skip = 0,
) -> Reply:
    """Find passages of rules and pages by words, best first. Use it when you know words that the
    text must have, or to list what mentions a term or cites a rule. To find what answers a question
    use ask; for a rule's number or a term's name use show."""
    found = base.search(
        text,
        most=min(_MOST_LISTED, skip + most),
        any_word=any_word,
        game=game,
        edition=edition,
        lang=lang,
        source=source,
        section=section,
        kind=kind,
        mentions=mentions,
        cites=cites,
    )
    part = part_of(found.hits, _hit_lines, skip, most, "hits")
    lines = list(part.lines)
    if found.more and skip >= len(found.hits):
        lines = [f"{_NO_FURTHER} (of {found.total:,} passages with their copies)"]
    if not found.hits:
        lines = ["nothing found" + f" for {name(text)}" * bool(text)]
        lines += [said(hint, 300) for hint in found.hints]
    more = part.more
    if skip < len(found.hits) and (more or found.more):
        more = f"hits {skip + 1:,}–{part.stop:,}, of {found.total:,} passages with their copies; "
        is_end = part.stop >= _MOST_LISTED
        more += _NO_FURTHER if is_end else f"skip={part.stop} gives the next"
    hits = found.hits[skip : part.stop]
    document = found.as_json() | {"more": more}
    document["hits"] = document["hits"][skip : part.stop]
    text_lines = [*lines, *also_lines(found.also)]
    return reply(text_lines, document, [base.notice, *(hit.node.notice for hit in hits)])


def _hit_lines(hit: Hit) -> list[str]:
    return [
        place_line(hit.place),
        *quote(hit.snippet),
        *_same("the same text in", hit.same),
        *_same("in other words in", hit.reworded),
        f"id: {name(hit.node.id, 300)}",
    ]


def _same(words: str, places: Iterable[Place]) -> list[str]:
    others = list(dict.fromkeys(map(short_place, places)))
    return [f"{words} {listed(others, _MAX_SAME)}"] if others else []


def ask(
    base: KnowledgeBase,
    question: _Question,
    game: Game = None,
    edition: Edition = None,
    lang: Lang = None,
    top: _Top = 4,
) -> Reply:
    """Find the passages that answer a question about the rules, best first: each with the sentence
    that decides, where it stands, the rules it cites. Use it for "what happens if…", "can I…",
    "how many…". It finds words, it does not reason: read whether the passage fits, and look up the
    rules that it cites with show. It says so when the pages don't say. What cites a rule, what
    changed, what a term is called and how many there are it answers from the base itself, first."""
    found = base.ask(question, top=top, game=game, edition=edition, lang=lang)
    lines: list[str] = []
    shown: set[str] = set()
    if found.other:
        lines += [said(found.other.said), *quote("\n".join(found.other.lines)), ""]
    for answer in found.answers:
        if answer.above and answer.group not in shown:
            rule = answer.group.rpartition("/")[2]
            lines += [f"under {name(rule)}:", *quote(answer.above, _LONGEST_ANSWER)]
        shown.add(answer.group)
        lines += [*_answer_lines(answer), ""]
    missing = _missing(found)
    if not found:
        lines.append("The pages don't say" + (f": {missing}." if missing else "."))
        lines += [said(hint, 300) for hint in found.hints]
    elif missing:
        lines.append(f"But {missing}.")
    lines += [said(other, 300) for other in found.of_others]
    notices = [base.notice, *(answer.node.notice for answer in found.answers)]
    return reply(lines, found.as_json(), notices)


def _missing(found: Answers) -> str:
    """Return which games and words of a question nothing is known of, with `; ` between games and
    words and without a full stop; empty if there are none."""
    games = [f"the game {name(game)} is not loaded" for game in found.missing_games]
    words = [f"nothing here speaks of {' or '.join(map(name, found.unknown))}"]
    return "; ".join([*games, *(words if found.unknown else [])])


def _answer_lines(answer: Answer) -> list[str]:
    text = answer.passage.text or ""
    start, end = answer.decides
    lines = [f"{answer.rank}. {place_line(answer.place)}", *quote(text[start:end])]
    for limit in answer.limits:
        lines += [f"but {name(limit.number)}:" if limit.number else "but:", *quote(limit.text)]
    if any(answer.context(_LONGEST_ANSWER)):  # there is more than that sentence
        start = max(0, min(start - _LONGEST_ANSWER // 2, len(text) - _LONGEST_ANSWER))
        lines += ["in the passage:", *quote("…" * (start > 0) + text[start:], _LONGEST_ANSWER)]
    if answer.citations:
        cited = zip(answer.citations, answer.headings, strict=True)
        by_number = {edge.target_label: heading for edge, heading in cited}
        lines.append(f"cites: {rule_names(by_number.items())}")
    lines += [said(answer.since)] if answer.since else []
    lines += _same("the same text in", answer.same)
    lines += _same("in other words in", answer.reworded)
    lines += [f"on: {name(answer.part)}"] if answer.part else []
    if answer.not_found:
        lines.append(f"it does not have: {listed(map(name, answer.not_found))}")
    return [*lines, f"id: {name(answer.node.id, 300)}"]
