"""The tool `show`: what a reference names, with its text and all that belongs to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

import kb
from kb import KnowledgeBase
from kb.mcp.arguments import Edition, Game, Lang, Ref, Skip, Source
from kb.mcp.citing import also_lines, counted, listed, node_line, rule_names
from kb.mcp.quoting import address, name, one_line, quote
from kb.mcp.replies import Reply, part_of, reply

if TYPE_CHECKING:
    from kb import ContentPart, Node, OutlineLine, RuleContext, Shown, ShownEntry, TermProfile

_MOST_ENTRIES = 6
_MOST_LINES = 60  # passages of a page, or rules of a section, at once
_WHOLE_TEXT = 8_000  # characters of the text of what alone is shown
_MAX_DEFINITIONS = 3
_MAX_EXAMPLES = 3
_MAX_SECTIONS = 30
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
        raise kb.NotFoundError(found.why_none, found.near)
    if whole and (found.tree or found.contents):
        part = part_of(_lines_of_whole(found), lambda line: line, skip, _MOST_LINES, "parts")
        entries = found.entries
    else:
        several = len(found.entries) > 1
        part = part_of(
            found.entries,
            lambda entry: _entry_lines(entry, found, several),
            skip,
            _MOST_ENTRIES,
            "things of this name",
        )
        entries = found.entries[skip : part.stop]
    text = [f"taken as: {one_line(found.taken_as, 300)}"] if found.taken_as else []
    text += part.lines
    text += also_lines(found.also)
    document = _document(found, entries) | {"more": part.more}
    notices = [base.notice, *(entry.node.notice for entry in entries)]
    return reply(text, document, notices)


def _document(found: Shown, entries: Sequence[ShownEntry]) -> dict[str, Any]:
    """Return the document of what is shown, without the nodes of other entries."""
    document = found.as_json()
    document.pop("captures", None)  # paths of files on this machine
    nodes = {node.id for each in entries for node in (each.node, *each.same, *each.different)}
    document["matches"] = [node for node in document["matches"] if node["id"] in nodes]
    document["entries"] = [entry.as_json() for entry in entries]
    for key in ("examples", "tree", "contents"):
        if key in document:
            document[key] = {one: each for one, each in document[key].items() if one in nodes}
    return document


def _lines_of_whole(found: Shown) -> list[list[str]]:
    """Return the lines of each rule or passage of what is shown whole, below the citation of each
    rule, page or section."""
    parts: list[list[str]] = []
    for entry in found.entries:
        node = entry.node
        parts.append([node_line(node), f"id: {one_line(node.id, 300)}"])
        if outline := found.tree.get(node.id):
            parts += [_outline_lines(line) for line in outline.lines]
        elif content := found.contents.get(node.id):
            parts += [_content_lines(part) for part in content.parts]
        else:
            parts.append(quote(node.text or ""))
    return parts


def _outline_lines(line: OutlineLine) -> list[str]:
    numbered = one_line(line.number) + (f" {name(line.label)}" if line.label else "")
    texts = [line.text or "", *line.examples]
    return [numbered, *(quoted for text in texts if text for quoted in quote(text))]


def _content_lines(part: ContentPart) -> list[str]:
    if part.heading is not None:
        return [f"section {name(part.heading)} (id: {one_line(part.id, 300)})"]
    return quote(part.text or "")


def _entry_lines(entry: ShownEntry, found: Shown, several: bool) -> list[str]:
    """Return the text of one thing that a reference names.

    several: whether it is one of several, so that a long text is cut.
    """
    node = entry.node
    lines = [node_line(node)]
    if node.kind == "ruling":
        lines += ["question:", *quote(node.label or ""), "answer:"]
    if node.text and node.text != node.label and not (entry.term and entry.term.definitions):
        lines += quote(node.text) if several else quote(node.text, _WHOLE_TEXT)
    if entry.rule:
        lines += _rule_lines(entry, entry.rule, found)
    if entry.term:
        lines += _term_lines(node, entry.term)
    lines += _details_lines(node.details or {})
    content = found.contents.get(node.id)
    if content:
        lines += [line for part in content.parts[:_MOST_LINES] for line in _content_lines(part)]
    elif entry.page:
        lines += _page_lines(entry)
    return [*lines, f"id: {one_line(node.id, 300)}"]


def _rule_lines(entry: ShownEntry, rule: RuleContext, found: Shown) -> Iterator[str]:
    node = entry.node
    for example in found.examples.get(node.id, ())[:_MAX_EXAMPLES]:
        yield from ("example:", *quote(example.text))
    if rule.place:
        above = (rule_names([(each.number, each.label)]) for each in rule.place)
        yield f"in: {' › '.join(above)}"
    for said, other in (("before", rule.previous), ("after", rule.next)):
        if other:
            yield f"{said}: {rule_names([(other.number, other.label)])}"
    if rule.sub_rules:
        numbers = listed([one_line(each.number) for each in rule.sub_rules], 20)
        yield f"sub-rules: {numbers}; whole=true gives their texts"
    if rule.cites:
        yield "cites: " + listed(
            rule_names([(each.number, each.label)]) + (" (not loaded)" if each.id is None else "")
            for each in rule.cites
        )
    if cited := _cited_by(rule):
        yield f"cited by: {cited}; refs lists them"
    for said, others in (("the same words", entry.same), ("other words", entry.different)):
        if others:
            yield f"{said} in edition {listed(one_line(each.edition or '?') for each in others)}"


def _cited_by(rule: RuleContext) -> str:
    """Return how much cites a rule; empty if nothing does."""
    cited = rule.cited_by
    parts = [f"{counted(len(cited.rules), 'rule')} ({listed(map(one_line, cited.rules))})"] * bool(
        cited.rules
    )
    parts += [counted(cited.entries, "entry of the glossary")] * bool(cited.entries)
    parts += [counted(cited.pages, "page of wikis")] * bool(cited.pages)
    return "; ".join(parts)


def _term_lines(node: Node, term: TermProfile) -> Iterator[str]:
    for definition in term.definitions[:_MAX_DEFINITIONS]:
        facts = [
            name(definition.page or definition.evidence.page),
            definition.edition and f"edition {definition.edition}",
            definition.lang,
            address(definition.url),
        ]
        yield f"definition in {' · '.join(fact for fact in facts if fact)}:"
        yield from quote(definition.evidence.text)
    if len(term.definitions) > _MAX_DEFINITIONS:
        yield f"and {len(term.definitions) - _MAX_DEFINITIONS} more"
    names = dict.fromkeys(
        f"{name(label.text)} ({one_line(label.lang)}, {label.role})" for label in node.labels
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


def _details_lines(details: Mapping[str, Any]) -> Iterable[str]:
    """Return what is printed on a card besides its text, and the parts of an outcome."""
    values = {
        key: ", ".join(map(str, value)) if isinstance(value, list) else value
        for key, value in details.items()
        if isinstance(value, str | list) and key not in ("faces", "text", "wordings", "examples")
    }
    return [f"{one_line(key, 40)}: {name(value, 200)}" for key, value in values.items() if value]
