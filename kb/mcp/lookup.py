"""The tools `show`, what references name with all that belongs to it, and `loaded`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

import kb
from kb import KnowledgeBase
from kb.mcp.citing import (
    Game,
    Lang,
    Refs,
    Skip,
    Source,
    cited,
    listed,
    node_line,
    page_of,
    rule_names,
)
from kb.mcp.replies import (
    LONGEST_QUOTE,
    Reply,
    address,
    fact,
    name,
    part_of,
    quote,
    reply,
    said,
)
from kb.shared_wording import counted, dotted

if TYPE_CHECKING:
    from kb import ContentPart, Node, RuleContext, Shown, ShownEntry, Stats, TermProfile

# By hand, so that an answer fits MOST_TEXT of `replies` and a model gets the beginning of all that
# belongs to a thing; the text says how to get the rest.
_MOST_ENTRIES = 6
_MOST_LINES = 60  # passages of a page, or rules of a section, at once
# Of the text of what alone is shown: with LONGEST_QUOTE 7,500 characters, which leave room for what
# belongs to it.
_PIECES_AT_ONCE = 5
_MAX_DEFINITIONS = 3
_MAX_EXAMPLES = 3
_MAX_SECTIONS = 30
_MOST_STEPS = 20
_MOST_SUB_RULES = 20
_LONGEST_SUB_RULE = 300  # characters, by hand: of twenty half of an answer
_References = Annotated[
    Refs,
    Field(
        min_length=1,
        max_length=12,
        description="What, one or several: a rule's number (121.4, 702.9a), a term or card by any "
        "of its names in any language (引く, draw), a page's title, or an id from a result "
        "(mtg/cr/20231117/ja/121.4).",
    ),
]
_Edition = Annotated[
    str | None,
    Field(
        description="Only this edition of the rules: 20231117, or 'as of 2024-03-01' for the one "
        "in force then. Without it the newest, and which others have it."
    ),
]
_Whole = Annotated[
    bool,
    Field(description="Give a rule with the texts of all its sub-rules, a page from end to end."),
]


def show(
    base: KnowledgeBase,
    ref: _References,
    game: Game = None,
    edition: _Edition = None,
    lang: Lang = None,
    source: Source = None,
    whole: _Whole = False,
    skip: Skip = 0,
) -> Reply:
    """Look up rules, terms, cards or pages: the exact words, with number, edition and address to
    cite; a rule's place, what it cites and what cites it; a term's names and definitions; a
    card's values. Use it first when you have a number or a name, and before you quote. The same
    number may be another rule in another game."""
    filters: kb.Filters = {"game": game, "edition": edition, "lang": lang, "source": source}
    asked = [(each, base.show(each, tree=whole, **filters)) for each in ref]
    if not any(found.matches for _, found in asked):
        first = asked[0][1].why_none
        assert first
        refs = tuple(each for each, _ in asked)
        none = kb.Reason("none_found", refs=refs, first=first)
        raise kb.NotFoundError(first if len(asked) == 1 else none)
    pieces: list[_Piece] = []
    for _, found in asked:
        if not found.matches and found.why_none:
            pieces.append(_Piece([f"not found: {said(found.why_none)}"]))
        elif whole:
            pieces += _pieces_of_whole(found, base)
        else:
            several = len(asked) > 1 or len(found.entries) > 1
            pieces += [
                _Piece(_entry_lines(entry, found, base, several), entry.node, _item(entry))
                for entry in found.entries
            ]
    most = _MOST_LINES if whole else _MOST_ENTRIES + 2 * (len(asked) - 1)
    noun = "parts" if whole else "things"
    part = part_of(pieces, lambda piece: piece.lines, skip, most, noun)
    shown = pieces[skip : part.stop]
    text = part.lines
    if whole and skip and shown and shown[0].node:
        node = shown[0].node
        text = [f"goes on: {node_line(node, page_of(base, node))}", *text]
    items = {each.item["id"]: each.item for each in shown if each.item}
    notices = [base.notice, *(each.node.notice for each in shown if each.node)]
    also = [left_out for _, found in asked for left_out in found.also]
    return reply(text, items.values(), part, also, notices)


def _item(entry: ShownEntry) -> dict[str, Any]:
    """Return the item of what is shown: its versions of the same and of other words beside it."""
    versions = {"same": entry.same, "different": entry.different}
    newest = {"newest": entry.newest.id if entry.newest else None}
    return cited(entry.node) | {k: [each.id for each in v] for k, v in versions.items()} | newest


def read(base: KnowledgeBase, ref: str) -> Reply:
    """Return what a resource has, which takes no arguments: of a page, and of a rule with
    sub-rules, the text from its beginning; of others what `show` says. How to go on with the tool
    is said. Raises NotFoundError if nothing has the id, or it is empty."""
    if not ref.strip():
        raise kb.NotFoundError("empty_id")
    found = base.show(ref)
    whole = any(
        entry.page or entry.node.id in found.contents or (entry.rule and entry.rule.sub_rules)
        for entry in found.entries
    )
    answer = show(base, [ref], whole=whole)
    if not answer.document.get("skip"):
        return answer
    tool = f"to go on, call the tool show with ref={name(ref, 300)}, whole=true and that skip"
    return Reply(f"{answer.text}\n{tool}", answer.document)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of what is shown: its text, the node that it is of, and its item of the document."""

    lines: list[str]
    node: Node | None = None
    item: dict[str, Any] | None = None


def _pieces_of_whole(found: Shown, base: KnowledgeBase) -> list[_Piece]:
    """Return the rules or passages of what is shown whole, below the citation of each rule, page or
    section; a long text is several pieces."""
    pieces: list[_Piece] = []
    for entry in found.entries:
        node = entry.node
        outline, content = found.tree.get(node.id), found.contents.get(node.id)
        if outline or content:
            first = [node_line(node, page_of(base, node)), f"id: {name(node.id, 300)}"]
            pieces.append(_Piece(first, node, _item(entry)))
        else:
            lines = _entry_lines(entry, found, base, several=False)
            pieces.append(_Piece(lines, node, _item(entry)))
            rest = _cut_up(node.text)[_PIECES_AT_ONCE:]
            pieces += [_Piece(quote(text), node) for text in rest]
        if outline and outline.more:
            pieces[-1].lines.append(f"headings only: {said(outline.more)}")
        for line in outline.lines if outline else ():
            numbered = fact(line.number) + (f" {name(line.label)}" if line.label else "")
            texts = [text for each in (line.text, *line.examples) for text in _cut_up(each)]
            first = [numbered, *(quote(texts[0]) if texts else ())]
            item = {"id": line.id, "number": line.number}
            pieces.append(_Piece(first, node, None if line.id == node.id else item))
            pieces += [_Piece([f"{numbered}, further:", *quote(text)], node) for text in texts[1:]]
        for part in content.parts if content else ():
            pieces += [_Piece(each, node, {"id": part.id}) for each in _content_lines(part)]
    return pieces


def _cut_up(text: str | None) -> list[str]:
    """Return a text in pieces that are quoted whole, of up to LONGEST_QUOTE characters; most are
    one, an empty text and None are none."""
    text = text or ""
    return [text[start : start + LONGEST_QUOTE] for start in range(0, len(text), LONGEST_QUOTE)]


def _content_lines(part: ContentPart) -> list[list[str]]:
    """Return the one line of a section's heading, with its id, or the lines of each piece of a
    passage; nothing for a passage without text."""
    if part.heading is not None:
        return [[f"section {name(part.heading)} (id: {name(part.id, 300)})"]]
    return [quote(text) for text in _cut_up(part.text)]


def _entry_lines(entry: ShownEntry, found: Shown, base: KnowledgeBase, several: bool) -> list[str]:
    """Return the lines for one thing that a reference names: its citation, its text, what belongs
    to it by its kind, and last its id.

    several: whether it is one of several, so that a long text is cut.
    """
    node = entry.node
    lines = [node_line(node, page_of(base, node))]
    if node.kind == "ruling":
        lines += ["question:", *quote(node.label or ""), "answer:"]
    if node.kind == "procedure":
        lines += quote(node.label or "")
        for step in base.parts(node)[:_MOST_STEPS]:
            lines += [f"step {fact(step.number or '?')}:", *quote(step.text or "")]
    if node.text and node.text != node.label and not (entry.term and entry.term.definitions):
        lines += quote(node.text) if several else quote(node.text, _PIECES_AT_ONCE * LONGEST_QUOTE)
    if entry.rule:
        lines += _rule_lines(entry, entry.rule, found)
        if not several and node.text in (None, node.label):  # a heading: what it says is below
            for rule in base.parts(node)[:_MOST_SUB_RULES]:
                lines += [fact(rule.number or "?"), *quote(rule.text or "", _LONGEST_SUB_RULE)]
    if entry.term:
        lines += _term_lines(node, entry.term)
    lines += _details_lines(node)
    content = found.contents.get(node.id)
    if content:
        pieces = [piece for part in content.parts for piece in _content_lines(part)]
        lines += [line for piece in pieces[:_MOST_LINES] for line in piece]
        if len(pieces) > _MOST_LINES:
            lines.append("(this is the beginning; whole=true gives all)")
    elif entry.page:
        lines += _page_lines(entry)
    return [*lines, f"id: {name(node.id, 300)}"]


def _rule_lines(entry: ShownEntry, rule: RuleContext, found: Shown) -> Iterator[str]:
    node = entry.node
    for example in found.examples.get(node.id, ())[:_MAX_EXAMPLES]:
        yield from ("example:", *quote(example.text))
    if rule.place:
        above = (rule_names([(each.number, each.label)]) for each in rule.place)
        yield f"in: {' › '.join(above)}"
    for place, other in (("before", rule.previous), ("after", rule.next)):
        if other:
            yield f"{place}: {rule_names([(other.number, other.label)])}"
    if rule.sub_rules:
        numbers = listed([fact(each.number) for each in rule.sub_rules], _MOST_SUB_RULES)
        yield f"sub-rules: {numbers}; whole=true gives their texts"
    if rule.cites:
        yield "cites: " + listed(
            rule_names([(each.number, each.label)]) + (" (not loaded)" if each.id is None else "")
            for each in rule.cites
        )
    if cited := _cited_by(rule):
        yield f"cited by: {cited}; refs lists them"
    if entry.gone:
        yield said(entry.gone)
    if newest := entry.newest:
        called = "last" if entry.gone else "now"
        is_same = (newest.label, newest.text) == (node.label, node.text)
        words = "not to the letter the same: trace says more"
        if entry.is_same_now:
            words = "the same words" if is_same else "the same words: typography alone differs"
        where = f"{fact(newest.number or '')} in edition {fact(newest.edition or '')}"
        yield f"{called}: {where}, {words}"
    for words, others in (("the same words", entry.same), ("other words", entry.different)):
        if others:
            yield f"{words} in edition {listed(_edition(each, node) for each in others)}"
    for version in entry.same:
        if below := (entry.changed_below or {}).get(version.id):
            numbers = listed(map(fact, (*below.otherwise, *below.in_one_only)))
            edition = fact(version.edition or "?")
            yield f"but sub-rules, as numbered here, not as in edition {edition}: {numbers}"
            break  # the newest that differs: trace tells of all


def _edition(rule: Node, shown: Node) -> str:
    """Return the edition of a version of a rule, and its number if that is another one there."""
    edition = fact(rule.edition or "?")
    return edition if rule.number == shown.number else f"{edition} (as {fact(rule.number or '?')})"


def _cited_by(rule: RuleContext) -> str:
    """Return how much cites a rule: `2 rules (704.5a, 121.4); 1 entry of the glossary; 3 pages of
    wikis`; empty if nothing does."""
    cited = rule.cited_by
    rules = f"{counted(len(cited.rules), 'rule')} ({listed(map(fact, cited.rules))})"
    parts = [rules if cited.rules else ""]
    parts += [counted(cited.entries, "entry of the glossary") if cited.entries else ""]
    parts += [counted(cited.pages, "page of wikis") if cited.pages else ""]
    return "; ".join(filter(None, parts))


def _term_lines(node: Node, term: TermProfile) -> Iterator[str]:
    for definition in term.definitions[:_MAX_DEFINITIONS]:
        facts = [
            name(definition.page or definition.evidence.page),
            definition.edition and f"edition {fact(definition.edition)}",
            definition.lang and fact(definition.lang),
            address(definition.url),
        ]
        yield f"definition in {dotted(*facts)}:"
        yield from quote(definition.evidence.text)
    if len(term.definitions) > _MAX_DEFINITIONS:
        yield f"and {len(term.definitions) - _MAX_DEFINITIONS} more"
    names = dict.fromkeys(
        f"{name(label.text)} ({fact(label.lang)}, {label.role})" for label in node.labels
    )
    if names:
        yield f"names: {listed(names, 12)}"
    if term.mentions:
        times, pages = counted(term.mentions, "time"), counted(term.pages, "page")
        yield f"mentioned {times}, on {pages}; refs lists them"
    if term.rulings:
        yield f"{counted(term.rulings, 'ruling')}; rulings lists them"
    if term.cites:
        cited = rule_names((each.number, each.label) for each in term.cites)
        yield f"its definitions cite: {cited}"


def _page_lines(entry: ShownEntry) -> Iterator[str]:
    page = entry.page
    if page is None:
        return
    if page.opening:
        yield from quote(page.opening)
    if page.sections:
        headings = [name(heading, 60) for _, heading in page.sections]
        yield f"sections: {listed(headings, _MAX_SECTIONS)}"
    yield "whole=true gives the page's text"


def _details_lines(node: Node) -> Iterable[str]:
    """Yield what is printed on a card besides its text, face by face, and the parts of an outcome:
    a line each; nothing of a node without such values."""
    for face in kb.card_faces(node.details):
        if face.name:
            yield f"face: {name(face.name, 200)}"
        yield from (f"{fact(what)}: {name(value, 200)}" for what, value in face.values)


def loaded(base: KnowledgeBase, game: Game = None) -> Reply:
    """List what is loaded now: games by their short names, the editions of their rulebooks in each
    language, other documents, wikis."""
    stats = base.stats()
    if game is not None and game not in stats.games:
        base.terms(game=game)  # raises the error that names the games
    games = [each for each in sorted(stats.games) if game in (None, each)]
    text = [line for each in games for line in _loaded_lines(stats, each)]
    items = [
        {
            "game": each,
            "editions": sorted({b.edition for b in stats.rulebooks if b.game == each}),
            "sources": sorted(stats.pages.get(each, {})),
        }
        for each in games
    ]
    return reply(text, items, notices=[base.notice])


def _loaded_lines(stats: Stats, game: str) -> Iterator[str]:
    yield f"{fact(game)}:"
    for kind, books in (("rules", stats.rulebooks), ("document", stats.documents)):
        for book in books:
            if book.game == game:
                part = "" if book.whole else " (a part)"
                edition = f"edition {fact(book.edition)} · {fact(book.lang)}"
                yield f"- {kind} · {edition} · {counted(book.rules, 'rule')}{part}"
    for source, pages in sorted(stats.pages.get(game, {}).items()):
        if source != "rulebook":
            yield f"- {fact(source)} · {counted(pages, 'page')}"
