"""The tool `show`: what a reference names, with its text and all that belongs to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

import kb
from kb import KnowledgeBase
from kb.mcp.citing import (
    Edition,
    Game,
    Lang,
    Ref,
    Skip,
    Source,
    also_lines,
    listed,
    node_line,
    page_of,
    rule_names,
)
from kb.mcp.replies import LONGEST_QUOTE, Reply, address, fact, name, part_of, quote, reply, said
from kb.shared_wording import counted

if TYPE_CHECKING:
    from kb import ContentPart, Node, OutlineLine, RuleContext, Shown, ShownEntry, TermProfile

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
_Whole = Annotated[
    bool,
    Field(
        description="Give a rule with all its sub-rules in full, a page from its beginning to its "
        "end, in parts."
    ),
]


def show(
    base: KnowledgeBase,
    ref: Ref,
    game: Game = None,
    edition: Edition = None,
    lang: Lang = None,
    source: Source = None,
    whole: _Whole = False,
    skip: Skip = 0,
) -> Reply:
    """Look up a rule, a term, a card or a page: its exact words, with number, edition and address
    to cite it by; a rule's place and neighbours, what it cites and what cites it, in which editions
    it says otherwise; a term's names in all languages and its definitions. Use it first when you
    have a number or a name, and always before you quote. Without `edition` and `lang` a number
    means the newest edition in each language; other games may have the number, too."""
    found = base.show(ref, tree=whole, game=game, edition=edition, lang=lang, source=source)
    if not found.matches:
        assert found.why_none
        raise kb.NotFoundError(found.why_none)
    if whole:
        pieces = _pieces_of_whole(found, base)
        part = part_of(pieces, lambda piece: piece.lines, skip, _MOST_LINES, "parts", _size)
        shown = pieces[skip : part.stop]
        nodes = {piece.node for piece in shown}
        entries = tuple(entry for entry in found.entries if entry.node.id in nodes)
    else:
        several = len(found.entries) > 1
        part = part_of(
            found.entries,
            lambda entry: _entry_lines(entry, found, base, several),
            skip,
            _MOST_ENTRIES,
            "things of this name",
        )
        entries, shown = found.entries[skip : part.stop], []
    text: list[str] = []
    if shown and skip:
        node = next(entry.node for entry in entries if entry.node.id == shown[0].node)
        text.append(f"goes on: {node_line(node, page_of(base, node))}")
    text += part.lines
    text += also_lines(found.also)
    document = _document(found, entries, shown if whole else None) | {"more": part.more}
    notices = [base.notice, *(entry.node.notice for entry in entries)]
    return reply(text, document, notices)


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
    answer = show(base, ref, whole=whole)
    if not answer.document["more"]:
        return answer
    tool = f"to go on, call the tool show with ref={name(ref, 300)}, whole=true and that skip"
    return Reply(f"{answer.text}\n{tool}", answer.document)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of what is shown whole: its text, the node that it is of, and for the document the
    mapping and the list in it that have the node's parts, and what it is there."""

    lines: list[str]
    node: str
    place: tuple[str, str] = ("", "")
    item: OutlineLine | ContentPart | None = None


def _size(piece: _Piece) -> int:
    """Return how many characters a piece takes in the document; 0 if it has no part of its own."""
    return len(json.dumps(asdict(piece.item), ensure_ascii=False)) if piece.item else 0


def _document(
    found: Shown, entries: Sequence[ShownEntry], pieces: Sequence[_Piece] | None
) -> dict[str, Any]:
    """Return the document of what is shown, without the nodes of other entries, and without the
    captures, whose files are nobody else's business.

    pieces: what is shown of things that are shown whole; None if nothing is.
    """
    document = found.as_json()
    document["captures"] = {}  # paths of files on this machine
    nodes = {each.node.id for each in entries}
    if pieces is None:
        nodes |= {node.id for each in entries for node in (*each.same, *each.different)}
    document["matches"] = [node for node in document["matches"] if node["id"] in nodes]
    in_parts = {piece.node for piece in pieces or () if piece.item or piece.place[0]}
    of_entries = {each["node"]: each for each in document["entries"]}
    document["entries"] = [
        _entry_document(of_entries[entry.node.id], entry.node.id in in_parts) for entry in entries
    ]
    for key in ("examples", "tree", "contents"):
        document[key] = {one: each for one, each in document[key].items() if one in nodes}
    if pieces is None:
        return document
    shown: dict[tuple[str, str, str], dict[int, Any]] = {}
    for key, name_of_list in (("tree", "lines"), ("contents", "parts")):
        shown |= {(key, node, name_of_list): {} for node in document[key]}
    for piece in pieces:
        if piece.item:  # a long text is several pieces, and one item
            key, name_of_list = piece.place
            of_list = shown.setdefault((key, piece.node, name_of_list), {})
            of_list[id(piece.item)] = asdict(piece.item)
    for (key, node, name_of_list), items in shown.items():
        document[key][node][name_of_list] = list(items.values())
    return document


def _entry_document(document: dict[str, Any], in_parts: bool) -> dict[str, Any]:
    """Return the document of an entry with what its text has.

    document: with all. in_parts: whether the text has its rules or passages in place of what
        belongs to it.
    """
    if in_parts:
        return document | dict.fromkeys(("rule", "term", "page", "changed_below"))
    if rule := document["rule"]:
        return document | {"rule": rule | {"sub_rules": rule["sub_rules"][:_MOST_SUB_RULES]}}
    return document


def _pieces_of_whole(found: Shown, base: KnowledgeBase) -> list[_Piece]:
    """Return the rules or passages of what is shown whole, below the citation of each rule, page or
    section; a long text is several pieces."""
    pieces: list[_Piece] = []
    for entry in found.entries:
        node = entry.node.id
        outline, content = found.tree.get(node), found.contents.get(node)
        if outline or content:
            cited = node_line(entry.node, page_of(base, entry.node))
            kind = ("tree", "lines") if outline else ("contents", "parts")
            pieces.append(_Piece([cited, f"id: {name(node, 300)}"], node, kind))
        else:
            pieces.append(_Piece(_entry_lines(entry, found, base, several=False), node))
            rest = _cut_up(entry.node.text)[_PIECES_AT_ONCE:]
            pieces += [_Piece(quote(text), node) for text in rest]
        if outline and outline.more:
            pieces[-1].lines.append(f"headings only: {said(outline.more)}")
        for line in outline.lines if outline else ():
            numbered = fact(line.number) + (f" {name(line.label)}" if line.label else "")
            texts = [text for each in (line.text, *line.examples) for text in _cut_up(each)]
            first = [numbered, *(quote(texts[0]) if texts else ())]
            lines = [first, *([f"{numbered}, further:", *quote(text)] for text in texts[1:])]
            pieces += [_Piece(each, node, ("tree", "lines"), line) for each in lines]
        for part in content.parts if content else ():
            pieces += [
                _Piece(each, node, ("contents", "parts"), part) for each in _content_lines(part)
            ]
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
        name = "last" if entry.gone else "now"
        yield f"{name}: {fact(newest.number or '')} in edition {fact(newest.edition or '')}"
    for words, others in (("the same words", entry.same), ("other words", entry.different)):
        if others:
            yield f"{words} in edition {listed(_edition(each, node) for each in others)}"


def _edition(rule: Node, shown: Node) -> str:
    """Return the edition of a version of a rule, and its number if that is another one there."""
    edition = fact(rule.edition or "?")
    return edition if rule.number == shown.number else f"{edition} (as {fact(rule.number or '?')})"


def _cited_by(rule: RuleContext) -> str:
    """Return how much cites a rule: `2 rules (704.5a, 121.4); 1 entry of the glossary; 3 pages of
    wikis`; empty if nothing does."""
    cited = rule.cited_by
    parts = [f"{counted(len(cited.rules), 'rule')} ({listed(map(fact, cited.rules))})"] * bool(
        cited.rules
    )
    parts += [counted(cited.entries, "entry of the glossary")] * bool(cited.entries)
    parts += [counted(cited.pages, "page of wikis")] * bool(cited.pages)
    return "; ".join(parts)


def _term_lines(node: Node, term: TermProfile) -> Iterator[str]:
    for definition in term.definitions[:_MAX_DEFINITIONS]:
        facts = [
            name(definition.page or definition.evidence.page),
            definition.edition and f"edition {fact(definition.edition)}",
            definition.lang and fact(definition.lang),
            address(definition.url),
        ]
        yield f"definition in {' · '.join(each for each in facts if each)}:"
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
        yield f'rulings: {term.rulings:,}; search with mentions and kind="ruling" lists them'
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
