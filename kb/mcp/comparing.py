"""The tools `compare` (terms), `diff` and `impact` (editions) and `verify` (a text's claims)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

import kb
from kb import KnowledgeBase
from kb.mcp.citing import (
    ONE_OR_MORE,
    Game,
    Refs,
    Skip,
    listed,
    node_line,
    page_of,
)
from kb.mcp.replies import (
    Part,
    Reply,
    address,
    around,
    fact,
    name,
    one_line,
    part_of,
    quote,
    reply,
    said,
)
from kb.shared_wording import counted, dotted

if TYPE_CHECKING:
    from kb import Claim, Comparison, ComparisonRow, Diff, RuleChange, Touched, Verification

# Characters, by hand: less than the explorer takes in its ten seconds, and more than a model writes
# at once.
_LONGEST_TEXT = 60_000
# Characters of what a rule says, by hand, as of changes: 25 claims, of which few are wrong, fit an
# answer.
_LONGEST_WORDS = 700
_Text = Annotated[
    str,
    Field(
        min_length=1,
        max_length=_LONGEST_TEXT,
        description="Plain or Markdown, with its rule numbers, and quotations in quotation marks "
        "or behind >.",
    ),
]
_WrittenFor = Annotated[
    str | None,
    Field(
        description="The edition that the text was written for: 20231117. Without it the newest."
    ),
]
_HeldAgainst = Annotated[
    str | None, Field(description="Hold it against texts in this language alone: en.")
]
_OnlyWrong = Annotated[bool, Field(description="Leave out the claims that are right.")]
# By hand: right claims take two lines each, so that sixty may fit an answer.
_MostClaims = Annotated[int, Field(ge=1, le=60, description="Claims at most.")]


def verify(
    base: KnowledgeBase,
    text: _Text,
    game: Game = None,
    edition: _WrittenFor = None,
    lang: _HeldAgainst = None,
    only_wrong: _OnlyWrong = False,
    most: _MostClaims = 25,
    skip: Skip = 0,
) -> Reply:
    """Check the rule numbers and quotations of a text, such as your answer: each is exact, nearly
    right (with what should stand there), contradicted, of another edition, or not found; with the
    rule's words. Whether it follows from them you must read yourself."""
    found = base.verify(text, game=game, edition=edition, lang=lang)
    claims = [claim for claim in found.claims if claim.is_wrong or not only_wrong]
    part = part_of(claims, lambda claim: _claim_lines(claim, base), skip, most, "claims")
    lines = [
        _verdict_sums(found),
        *(f"held against {said(each, 200)}" for each in found.held_against),
    ]
    if found.left_out:
        lines.append(f"{counted(found.left_out, 'claim')} not looked at; verify the text in parts")
    lines += ["", *part.lines]
    items = [_claim_item(claim) for claim in claims[skip : part.stop]]
    nodes = [claim.node for claim in found.claims if claim.node]
    notices = [base.notice, *(node.notice for node in nodes)]
    return reply(lines, items, part, found.also, notices)


def _claim_item(claim: Claim) -> dict[str, Any]:
    """Return where a claim stands in the text, its verdict, and what it is of."""
    start, end = claim.span
    return {
        "line": claim.line,
        "start": start,
        "end": end,
        "verdict": claim.verdict,
        "stands": claim.stands,
        "id": claim.node.id if claim.node else None,
        "fix": claim.fix,
    }


def _verdict_sums(found: Verification) -> str:
    """Return whether all claims stand, and how many there are of each verdict: `not all stand: 3
    claims: 1 exact, 1 number exists, 1 not found`; of citations of which only the number was
    compared, that they must be read. A sentence that says so if there are no claims."""
    if not found.claims:
        return "the text cites no rule and quotes nothing: there is nothing to check"
    kinds = ", ".join(f"{count:,} {verdict}" for verdict, count in found.shown_counts.items())
    stand = "all stand" if all(claim.stands for claim in found.claims) else "none is wrong"
    stand = stand if found.stands else "not all stand"
    read = ""
    if "number exists" in found.shown_counts:
        stand = "none is wrong" if found.stands else stand
        read = "; where a number exists nothing else was compared: read whether the rule says so"
    return f"{stand}: {counted(len(found.claims), 'claim')}: {kinds}{read}"


def _claim_lines(claim: Claim, base: KnowledgeBase) -> list[str]:
    """Return the lines for a claim: its line, verdict, kind and words, what is said of it, its
    source, and the words that should stand there, or of a citation those of the rule."""
    lines = [f"line {claim.line}: {claim.shown_verdict} {claim.kind}: {name(claim.text, 300)}"]
    if claim.said:
        lines.append(said(claim.said, 400))
    if claim.node:
        lines.append(f"source: {node_line(claim.node, page_of(base, claim.node))}")
    if claim.heading and claim.heading not in lines[-1]:
        lines.append(f"under the heading {name(claim.heading)}")
    # The rule's words below its own number, before another one that should stand there.
    if claim.rule and claim.rule != claim.expected and claim.kind != "quotation":
        lines += quote(claim.rule, _LONGEST_WORDS)
    if claim.expected and not claim.stands:
        lines += ["what should stand there:", *quote(claim.expected, _LONGEST_WORDS)]
    if claim.also:
        lines.append(f"the number is also {listed(map(name, claim.also))}")
    return lines


# Characters of a rule's text before or after a change, by hand: ten changes, with both texts of
# each, are about what an answer may hold (MOST_TEXT of `replies`).
_LONGEST_CHANGED = 700
_SHORTER = (300, 200, 120, 60)  # where more changes are asked for than fit
_MOST_CHANGED_WORDS = 5  # of a rule in a line, by hand
# Changes in the order in which they matter to a reader; behind them those in which a rule's own
# words stayed, which are often most.
_ORDER = ("removed", "added", "merged", "split", "changed", "moved+changed")
# Sections with changes, or headwords of a glossary, in a line: by hand; `rule` asks for one
# section.
_MAX_SECTIONS = 25
# Bounds of arguments: guards of time, and of what fits an answer; texts of 300 characters as `Ref`.
_Terms = Annotated[
    Refs,
    Field(min_length=1, max_length=6, description="Terms by any of their names, or ids."),
]
_MostRows = Annotated[int, Field(ge=1, le=20, description="Terms at most.")]
_LangOfRules = Annotated[
    str | None,
    Field(description="The language in which the rules are compared: en. Without it the fullest."),
]
_GameOfTerms = Annotated[str | None, Field(description="The game of the terms asked about: mtg.")]
_EditionDate = Field(min_length=1, max_length=60)
_Before = Annotated[str, _EditionDate, Field(description="The older edition: 20231117.")]
_After = Annotated[
    str, _EditionDate, Field(description="The newer edition; without it the newest.")
]
_Rule = Annotated[
    str | None,
    Field(max_length=40, description="Only this rule and its sub-rules: 903."),
]
_Kinds = Annotated[
    list[
        Literal[
            "added", "split", "removed", "merged", "moved", "changed", "moved+changed",
            "renumbered", "moved+renumbered",
        ]
    ],
    ONE_OR_MORE,
    Field(description="Only these; empty: all."),
]  # fmt: skip
_Words = Annotated[
    str, Field(max_length=300, description="Only rules with these words in either edition.")
]
_Mentions = Annotated[
    Refs | None,
    Field(max_length=8, description="Only rules with all these terms in either edition."),
]
_MostChanges = Annotated[int, Field(ge=1, le=40, description="Changes at most.")]


def compare(
    base: KnowledgeBase,
    terms: _Terms,
    game: _GameOfTerms = None,
    most: _MostRows = 10,
    skip: Skip = 0,
) -> Reply:
    """Compare terms with the same concepts in other games: names in each language, definitions, why
    they are held to be one. Use it for "what is X called in Y?". For the names to use in a
    translation use termbase."""
    found, rows, note = _compared(base, terms, game)
    part = part_of(rows, _row_lines, skip, most, "terms")
    alone = [f"no term of another game was joined with {name(term, 300)}" for term in found.alone]
    apart = [
        f"not one concept: {listed(name(term, 200) for term in each.terms)}: {said(each.why, 300)}"
        for each in found.not_joined
    ]
    there = {row.game for row in found.rows}
    lacking = [fact(each) for each in sorted(base.stats().games) if each not in there]
    without = [
        f"nobody has joined these with a term of {listed(lacking)}, which may have one all the same"
    ]
    without = without if rows and lacking else []
    text = [*note, *part.lines, "", *alone[:8], *apart[:8], *without]
    items = [
        {"id": row.term.id, "game": row.game, "relation": row.relation}
        for row in rows[skip : part.stop]
    ]
    return reply(text, items, part, found.also, [base.notice, *(row.term.notice for row in rows)])


def _compared(
    base: KnowledgeBase, terms: list[str], game: str | None
) -> tuple[Comparison, list[ComparisonRow], list[str]]:
    """Return a comparison, the rows that are shown, and the lines that must be said of these, which
    are usually none.

    A game that has no term of a name may be the one in which the term's name is asked for: then
    what was joined with it there is shown. Raises the QuestionError of `compare` if no game has the
    names, and another if nothing in the game is joined with the terms of others.
    """
    try:
        found = base.compare(*terms, game=game)
    except kb.QuestionError as error:
        if game is None:
            raise
        try:
            found = base.compare(*terms)
        except kb.QuestionError:
            raise error from None
        rows = [row for row in found.rows if row.relation is None or row.game == game]
        if not any(row.game == game for row in rows):
            raise kb.QuestionError("no_term_joined", game=game, terms=tuple(terms)) from None
        asked = listed(name(term, 60) for term in terms)
        return found, rows, [f"no term of {fact(game)} is called {asked}; it was joined with:", ""]
    rows, notes = list(found.rows), []
    for term in found.unfound:
        try:
            joined = [row for row in base.compare(term).rows if row.game == game]
        except kb.QuestionError:  # no other game has it, either: `also` says so
            continue
        if joined:
            rows += joined
            names = listed(name(row.term.label or row.term.id) for row in joined)
            notes.append(
                f"no term of {fact(game or '')} is called {name(term, 60)}; joined: {names}"
            )
    return found, rows, [*notes, ""] if notes else []


def _row_lines(row: ComparisonRow) -> list[str]:
    called = " / ".join(dict.fromkeys(name(each) for each in (row.ja, row.en) if each))
    facts = [called or name(row.term.label or row.term.id), "term", row.game and fact(row.game)]
    lines = [dotted(*facts, address(row.term.url))]
    for each in row.names:
        proposed = "; only proposed" if each.proposed else ""
        lines.append(
            f"{fact(each.lang)}: {name(each.text)} (given by {name(each.authority)}{proposed})"
        )
    if row.reading or row.made_reading:
        made = "; may be wrong" if row.made_reading else ""
        basis = f" ({name(row.reading_basis)}{made})" if row.reading_basis else ""
        lines.append(f"reading: {name(row.reading or row.made_reading or '')}{basis}")
    if row.definition:
        edition = row.edition and f"edition {fact(row.edition)}"
        stands = [name(row.page or "a page without a title"), edition, address(row.url)]
        lines += [f"definition in {dotted(*stands)}:"]
        lines += quote(row.definition)
    else:
        lines.append("no page defines it")
    if row.relation:
        what = row.relation if row.relation == "homonym" else f"{row.relation} match"
        lines.append(f"{fact(what)}: {name(row.basis or '', 400)}")
    return [*lines, f"id: {name(row.term.id, 300)}"]


def diff(
    base: KnowledgeBase,
    before: Annotated[_Before | None, Field()] = None,
    after: Annotated[_After | None, Field()] = None,
    rule: _Rule = None,
    kinds: _Kinds = [],  # noqa: B006
    words: _Words = "",
    mentions: _Mentions = None,
    game: Game = None,
    lang: _LangOfRules = None,
    most: _MostChanges = 25,
    skip: Skip = 0,
) -> Reply:
    """List what changed between two editions of a rulebook: rules added, removed, moved, reworded,
    with the words before and after. Use it for "what is new?" or "what changed in 903?"
    (rule="903"). For one rule through all editions use trace."""
    if not (before and after):  # the newest, and the one before, as impact takes them
        newest = base.impact(*([after] if after else []), game=game, lang=lang, most=1)
        before, after, game = before or newest.before, after or newest.after, newest.game
    found = base.diff(
        before,
        after,
        rule=rule,
        kinds=kinds,
        words=words,
        mentions=mentions or (),
        game=game,
        lang=lang,
    )
    changes, moves = _by_importance(found.changes)
    if kinds or not changes or len(found.changes) <= most:
        changes, moves = [*changes, *moves], []
    for longest in (_LONGEST_CHANGED, *_SHORTER):
        part = _part_of_changes(found, changes, longest, skip, most)
        if part.stop >= min(skip + most, len(changes)):
            break
    text = [*_sums(found), *([] if skip else _sections(found, len(found.changes) > most))]
    if moves:
        counts = Counter(each.kind for each in moves)
        sums = ", ".join(f"{count:,} {kind}" for kind, count in counts.items())
        text.append(f"not listed: {sums}; kinds={json.dumps([*counts])} lists these moves")
    if longest in _SHORTER and part.lines:
        text.append('texts are shortened, so that all fit; rule="…" gives those of a rule')
    text += ["", *part.lines] if part.lines else []
    items = [_change_item(each) for each in changes[skip : part.stop]]
    return reply(text, items, part, found.also, [base.notice])


def _by_importance(changes: Iterable[RuleChange]) -> tuple[list[RuleChange], list[RuleChange]]:
    """Return the changes of rules that came or went, or whose words changed, in the order in which
    they matter, those that were merged behind what they are in; and the others."""

    def place(change: RuleChange) -> tuple[int, Any]:
        into = change.into or (change.after.number if change.after and change.took_in else "")
        return _ORDER.index(change.kind), kb.natural_key(into if change.kind == "merged" else "")

    changes = list(changes)
    return (
        sorted((each for each in changes if each.kind in _ORDER), key=place),
        [each for each in changes if each.kind not in _ORDER],
    )


def _part_of_changes(
    found: Diff, changes: Sequence[RuleChange], longest: int, skip: int, most: int
) -> Part:
    """Return a part of some changes, as `part_of` does. longest: characters of a text, of which the
    two of a change that is not listed in full give the words that differ alone."""
    editions = found.before, found.after

    def render(change: RuleChange) -> list[str]:
        whole = longest == _LONGEST_CHANGED
        return change_lines(change, *editions) if whole else _short_lines(change, longest)

    return part_of(changes, render, skip, most, "changes")


def _short_lines(change: RuleChange, longest: int) -> list[str]:
    """Return one line for what happened to a rule, and one for the beginning of its text, or for
    the words that differ."""
    [line, *_] = change_lines(change, "", "")
    rule = change.after or change.before
    if words := _changed_words(change, 2, longest):
        return [line, *words]
    text = one_line(rule.text, longest) if rule else ""
    return [line, f"> {text}".rstrip()]


def _change_item(change: RuleChange) -> dict[str, Any]:
    """Return what happened to a rule, and its numbers."""
    before, after = (each.number if each else None for each in (change.before, change.after))
    return {
        "change": change.kind,
        "before": before,
        "after": after,
        "into": change.into,
        "took_in": change.took_in,
    }


def _sums(found: Diff) -> Iterator[str]:
    """Yield what was compared, how many changes there are by kind, and what of typography, the
    glossary, the filters and parts that are not loaded must be said; a line each."""
    yield (
        f"rules · {fact(found.game)} · edition {fact(found.before)} → edition "
        f"{fact(found.after)} · {fact(found.lang)}"
    )
    listed_kinds = {change.kind for change in found.changes}
    counts = [f"{n:,} {kind}" for kind, n in found.counts.items() if kind in listed_kinds]
    yield f"{', '.join(counts) or 'no changes'}; {found.same:,} the same"
    if found.typographic and "typographic" not in listed_kinds:
        yield f"of the same, {found.typographic:,} differ in typography alone"
    if found.examples and "examples" not in listed_kinds:
        yield f"of the same, {found.examples:,} differ in their examples alone"
    if found.glossary:
        headwords = [
            name(entry.number, 60)
            for change in found.glossary
            if (entry := change.after or change.before)
        ]
        yield f"glossary: {len(headwords):,} entries changed: {listed(headwords, _MAX_SECTIONS)}"
    if found.filtered_out:
        left = [f"{count:,} {kind}" for kind, count in found.filtered_out.items()]
        yield f"left out by the filters: {', '.join(left)}"
    for edition, count in found.not_loaded.items():
        yield (
            f"not compared: {count:,} rules that are in a part of edition {fact(edition)} "
            "which is not loaded"
        )


def _sections(found: Diff, many: bool) -> list[str]:
    """Return a line with the sections and the numbers of their changes, one that says how to get
    those of one, and one with the headings that are new; nothing if all are read at once, and of
    the sections nothing if there is one.

    many: whether there are more changes than are shown.
    """
    if not many:
        return []
    headings = [f"{fact(each.number)} {name(each.text, 60)}" for each in found.new_headings]
    new = [f"new headings: {listed(headings, _MAX_SECTIONS)}"] if headings else []
    if len(found.sections) < 2:
        return new
    sections = [
        f"{fact(each.number)} {name(each.heading, 60) if each.heading else ''}".rstrip()
        + f": {sum(each.counts.values()):,}"
        for each in found.sections
    ]
    by_section = f"by section: {listed(sections, _MAX_SECTIONS)}"
    return [by_section, 'rule="…" gives those of a section', *new]


_ImpactKinds = Annotated[
    list[Literal["number", "words", "sense"]],
    ONE_OR_MORE,
    Field(description="Only where this may be wrong; empty: all."),
]
_Source = Annotated[
    str | None, Field(max_length=60, description="Only pages of this wiki: mtgwiki.")
]


def impact(
    base: KnowledgeBase,
    before: Annotated[_Before | None, Field()] = None,
    after: Annotated[_After | None, Field()] = None,
    kinds: _ImpactKinds = [],  # noqa: B006
    source: _Source = None,
    game: Game = None,
    lang: _LangOfRules = None,
    most: _MostChanges = 25,
    skip: Skip = 0,
) -> Reply:
    """List what a newer edition makes stale: sentences of pages and rulings that cite or quote
    rules which changed, moved or went. Use it for "which pages are wrong since the new edition?".
    Without editions, the newest is held against the one before."""
    if before and not after:  # alone it would be taken for the newer one
        after = _newest_edition(base, before, game, lang)
    editions = [each for each in (before, after) if each]
    found = base.impact(*editions, kinds=kinds, source=source, game=game, lang=lang, most=10_000)
    # Of the rulebook's own glossary diff tells; nobody calls the older edition's stale.
    touched = [e for e in found.touched if not e.evidence.page.startswith("rulebook/")]
    own = len(found.touched) - len(touched)
    part = part_of(
        list(enumerate(touched)),
        lambda at: _touched_lines(at[1], touched[at[0] - 1] if at[0] else None, base),
        skip,
        most,
        "statements",
    )
    counts = Counter(each.kind for each in touched).most_common()
    sentences = len({(each.node, each.sentence) for each in touched})
    text = [
        f"rules · {fact(found.game)} · edition {fact(found.before)} → edition "
        f"{fact(found.after)} · {fact(found.lang)}",
        f"{counted(len(touched), 'statement')} in {counted(sentences, 'sentence')} may be stale "
        f"({found.checked:,} looked at): "
        + (", ".join(f"{n:,} {kind}" for kind, n in counts) or "none"),
    ]
    if found.unchecked:
        text.insert(
            1,
            f"could not be checked: {counted(found.unchecked, 'statement')}, as only a part of "
            f"these editions is loaded in {fact(found.lang)}; see below for other languages",
        )
    if own:
        text.append(f"left out: {own:,} of the rulebook's own glossary; diff tells what changed")
    if touched and not skip:
        by_page = Counter(each.evidence.page for each in touched).most_common()
        pages = [f"{name(page, 80)}: {n:,}" for page, n in by_page]
        text.append(f"by page: {listed(pages, _MAX_SECTIONS)}")
    text += ["", *part.lines] if part.lines else []
    items = [
        {"id": each.node, "rule": each.rule, "change": each.change, "stale": each.kind}
        for each in touched[skip : part.stop]
    ]
    return reply(text, items, part, found.also, [base.notice])


def _newest_edition(
    base: KnowledgeBase, before: str, game: str | None, lang: str | None
) -> str | None:
    """Return the newest edition of the game that has an edition, in a language or in any; None if
    nothing has it."""
    books = base.stats().rulebooks
    games = {book.game for book in books if book.edition == before and game in (None, book.game)}
    editions = (book.edition for book in books if book.game in games and lang in (None, book.lang))
    return max(editions, key=kb.edition_key, default=None)


# What no number shows: of the kinds of change, and of what may be wrong.
_MEANING = {
    "renumbered": "renumbered (it cites a rule that has another number)",
    "moved+renumbered": "moved+renumbered (and it cites a rule that has another number)",
    "number": "number (the one given may be wrong)",
    "words": "words (those that are given may be others now)",
    "sense": "sense (what is said of it may be wrong)",
}


def _touched_lines(one: Touched, before: Touched | None, base: KnowledgeBase) -> list[str]:
    """Return the lines for something that is touched: the rule, what became of it and what may be
    wrong, where it stands, the sentence, unless it is in the one before's, and the rule's words
    before and now."""
    numbers = _numbers_of(one)
    change, kind = (_MEANING.get(each, each) for each in (one.change, one.kind))
    page = next(iter(base.show(one.evidence.page).matches), None)
    place = [name(one.evidence.page, 80), address(page.url if page else None)]
    lines = [dotted(numbers, change, kind, *place)]
    if one.kind == "number" and one.before and one.before.number not in one.evidence.text:
        lines.append(f"cited as {name(one.evidence.text, 80)}")
    is_above = before and before.evidence.passage == one.evidence.passage
    if before and is_above and one.sentence in before.sentence:
        lines.append("in the words above")
    else:
        lines += quote(one.sentence, _LONGEST_CHANGED)
    if before and (before.before, before.after) == (one.before, one.after):
        lines.append("the rule's words before and now: as above")
    elif one.before and one.after and one.before.text != one.after.text:
        for words, text, side in (("before", one.before.text, 0), ("now", one.after.text, 2)):
            lines += [f"{words}:", *quote(_changed_part(text, one.spans, side), _LONGEST_CHANGED)]
        lines += _changed_words(one)
    return lines


def _changed_words(
    one: Touched | RuleChange, most: int = _MOST_CHANGED_WORDS, longest: int = 80
) -> list[str]:
    """Return a line with the words that differ before and now, the first of them; none if that is
    unknown. most: how many; longest: characters of each."""
    texts = [each.text if each else "" for each in (one.before, one.after)]
    parts = [(texts[0][was:gone], texts[1][now:end]) for was, gone, now, end in one.spans]
    changed = [
        " → ".join(name(each, longest) for each in pair if each) + ("" if all(pair) else mark)
        for pair in parts
        for mark in [" (added)" if pair[1] else " (removed)"]
    ]
    return [f"changed: {listed(changed, most)}"] if changed else []


def _numbers_of(one: RuleChange | Touched) -> str:
    """Return a rule's numbers before and after, each once, and that of what it was merged into."""
    numbers = (*(each.number for each in (one.before, one.after) if each), one.into)
    return " → ".join(dict.fromkeys(fact(each) for each in numbers if each))


def change_lines(change: RuleChange, before: str, after: str) -> list[str]:
    """Return the lines for what happened to a rule between two editions."""
    old, new = change.before, change.after
    takes_in = f", takes in {listed(map(fact, change.took_in))}" if change.took_in else ""
    lines = [f"{_numbers_of(change)} · {change.kind}{takes_in}"]
    if old and new and old.text == new.text:
        return [*lines, *quote(new.text, _LONGEST_CHANGED)]
    for text, edition, side, examples in (
        (old, before, 0, change.other_examples[0]),
        (new, after, 2, change.other_examples[1]),
    ):
        if text:
            lines.append(f"edition {fact(edition)}:")
            lines += quote(_changed_part(text.text, change.spans, side), 2 * _LONGEST_CHANGED)
            for example in examples:
                lines += ["example:", *quote(example, _LONGEST_CHANGED)]
    return lines


def _changed_part(text: str, spans: Sequence[tuple[int, int, int, int]], side: int) -> str:
    """Return a rule's text in one edition, of one that is longer than 700 characters the part that
    changed, of that the first 700, with some text around it.

    spans: of what changed. side: where a span has its start in this text: 0 before, 2 after.
    """
    if len(text) <= _LONGEST_CHANGED or not spans:
        return text
    start = min(span[side] for span in spans)
    end = min(max(span[side + 1] for span in spans), start + _LONGEST_CHANGED)
    return around(text, start, end)
