"""The tools `search`, `ask` and `rulings`: passages with some words, those that answer a question,
and the rulings on something."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from kb import KnowledgeBase, edition_key
from kb.mcp.citing import (
    Edition,
    Game,
    Lang,
    Ref,
    Refs,
    Skip,
    Source,
    cited,
    listed,
    place_line,
    rule_names,
    short_place,
)
from kb.mcp.replies import Reply, fact, name, part_of, quote, reply, said
from kb.shared_wording import VERBS, counted

if TYPE_CHECKING:
    from kb import Answer, Answers, Hit, Place, Ruling

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
        description="Words, in any inflection: together a phrase, with spaces all must occur. "
        "Empty: what fits the filters.",
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
    Refs | None,
    Field(max_length=8, description="Only passages that mention all these terms or cards."),
]
_Cites = Annotated[
    Refs | None,
    Field(max_length=8, description="Only passages that cite all these rules or their sub-rules."),
]
_LangOfTexts = Annotated[
    str | None,
    Field(description="Only texts in this language, whatever that of the question."),
]
_AnyWord = Annotated[bool, Field(description="At least one of the words is enough.")]
_MostHits = Annotated[int, Field(ge=1, le=30, description="Passages at most.")]
# As long as `kb.query` takes a question (_MOST_ASKED), which is as much as Sudachi splits at once.
_Question = Annotated[
    str,
    Field(
        min_length=1,
        max_length=900,
        description="One whole question, in Japanese or English, in the terms of the game.",
    ),
]
# With up to _LONGEST_ANSWER each, ten fill an answer.
_Top = Annotated[int, Field(ge=1, le=10, description="Passages at most.")]
_MostRulings = Annotated[int, Field(ge=1, le=30, description="Rulings at most.")]


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
    """Find passages of rules and pages by their words, best first. Use it when you know words that
    the text must have, or to list what mentions a term or cites a rule. For a question in a
    sentence use ask; for a number or a name, show."""
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
    part = replace(part, total=found.total)
    if skip < len(found.hits) and (part.more or found.more):
        is_end = part.stop >= _MOST_LISTED
        more = f"hits {skip + 1:,}–{part.stop:,}, of {found.total:,} passages with their copies; "
        more += _NO_FURTHER if is_end else f"skip={part.stop} gives the next"
        part = replace(part, more=more, skip=None if is_end else part.stop)
    hits = found.hits[skip : part.stop]
    items = [
        cited(hit.node) | {"same": [each.rule or each.passage for each in hit.same]} for hit in hits
    ]
    notices = [base.notice, *(hit.node.notice for hit in hits)]
    asks = () if found.hits else [hint.ask for hint in found.hints]
    return reply(lines, items, part, found.also, notices, asks=asks)


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
    lang: _LangOfTexts = None,
    top: _Top = 5,
) -> Reply:
    """Find the passages that answer a question about the rules, best first: the sentence that
    decides, where it stands, the rules it cites. Use it for "what happens if…", "can I…", "how
    many…". It finds words and does not reason: read whether the passage fits, and show what it
    cites."""
    found = base.ask(question, top=top, game=game, edition=edition, lang=lang)
    lines = _partly_searched(base, game, lang)
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
        lines.append("No passage here seems to answer this" + (f": {missing}." if missing else "."))
        lines += [said(hint, 300) for hint in found.hints]
    elif missing:
        lines.append(f"But {missing}.")
    lines += [said(other, 300) for other in found.of_others]
    notices = [base.notice, *(answer.node.notice for answer in found.answers)]
    items = [_answer_item(answer) for answer in found.answers]
    asks = [found.other.ask if found.other else None, *(hint.ask for hint in found.hints)]
    return reply(lines, items, notices=notices, asks=asks)


def _partly_searched(base: KnowledgeBase, game: str | None, lang: str | None) -> list[str]:
    """Return a line for each game of whose newest rules only a part is loaded in the language in
    which they are searched; none without a language."""
    books = [each for each in base.stats().rulebooks if lang == each.lang] if lang else []
    newest = {each.game: each for each in sorted(books, key=lambda each: edition_key(each.edition))}
    return [
        f"only {counted(book.rules, 'rule')} of {fact(of)} edition {fact(book.edition)} are loaded "
        f"in {fact(book.lang)}; without lang all texts are searched"
        for of, book in newest.items()
        if game in (None, of) and not book.whole
    ]


def _answer_item(answer: Answer) -> dict[str, Any]:
    cites = [edge.target for edge in answer.citations if edge.target]
    return cited(answer.node) | {"passage": answer.passage.id, "cites": cites}


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


def rulings(
    base: KnowledgeBase,
    ref: Ref,
    game: Game = None,
    lang: Lang = None,
    source: Source = None,
    most: _MostRulings = 10,
    skip: Skip = 0,
) -> Reply:
    """List the rulings (questions and official answers) on a card, term, rule or page: those on its
    own page first, then those whose words speak of it. Use it for "is there a ruling on…?"; for
    words within rulings use search with kind="ruling"."""
    found = base.rulings(ref, most=skip + most, game=game, lang=lang, source=source)
    copies: dict[tuple[str, str], list[Ruling]] = {}
    for each in found.rulings:
        copies.setdefault((each.question.strip(), each.answer.strip()), []).append(each)
    different = list(copies.values())
    part = part_of(different, lambda each: list(_ruling_lines(*each)), skip, most, "rulings")
    lines = part.lines if found.rulings else [f"no ruling on {name(ref)}"]
    if game and not found.rulings and not base.search(kind="ruling", game=game, most=1).hits:
        lines.append(f"no ruling of {fact(game)} is loaded at all; search looks in its other texts")
    shown = [each[0] for each in different[skip : part.stop]]
    if found.more and not part.more:
        more = f"there are more than {part.stop:,} rulings; skip={part.stop} gives the next"
        part = replace(part, more=more, skip=part.stop)
    items = [
        cited(each.node) | {"date": each.date, "why": each.why, "passage": each.evidence.passage}
        for each in shown
    ]
    notices = [base.notice, *(each.node.notice for each in shown)]
    return reply(lines, items, part, found.also, notices)


def _ruling_lines(ruling: Ruling, *copies: Ruling) -> Iterator[str]:
    yield place_line(ruling.place) + (f" · {fact(ruling.date)}" if ruling.date else "")
    yield from ("question:", *quote(ruling.question), "answer:", *quote(ruling.answer))
    if ruling.why != "page":
        yield f"it {VERBS[ruling.why][False]} what was asked for: {name(ruling.evidence.text)}"
    yield from _same("the same ruling in", (each.place for each in copies))
    yield f"id: {name(ruling.node.id, 300)}"
