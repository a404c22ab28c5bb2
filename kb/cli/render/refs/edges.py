"""What edges say, for people: verbs, and the words that an edge rests on in their context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kb.cli.render.line_breaking import cell_width, shortened, shortened_start
from kb.cli.render.output import marked, text_width

if TYPE_CHECKING:
    from kb import Edge, KnowledgeBase, Node, PageTitle
    from kb.cli.render.output import Part


def holding_node(edge: Edge, nodes: Mapping[str, Node], base: KnowledgeBase) -> Node | None:
    """Return the node whose text holds the words of an edge: its source, or the passage, such as
    the example below a rule.

    nodes: by id; the source may be among them.
    """
    source = nodes.get(edge.source)
    if source and edge.evidence.text in (source.text or ""):
        return source
    return next(iter(base.show(edge.evidence.passage).matches), None)


def place_of(node: Node, page: PageTitle) -> str:
    """Return the title of a page and that of the section in which a node of it stands."""
    section = node.label if node.kind == "section" else node.section_title
    return f"{page.title} › {section}" if section and section != page.title else page.title or ""


def words_in_context(edge: Edge, source: Node | None) -> list[Part]:
    """Return the words of an edge, marked, with text of the same passage around them; about as
    much as fits two lines. Words that are their whole passage are not marked.

    source: the node that the edge leads from, whose text holds the words; None, or a node whose
        text does not hold them, for no context.
    """
    text = (source.text if source else None) or ""
    return _in_context(text, _position(edge, source) if source else -1, edge.evidence.text)


def translation_in_context(edge: Edge, base: KnowledgeBase) -> list[Part]:
    """Return the words that translate those of an edge, as `words_in_context` returns these; none
    if the edge does not say where they stand."""
    details = edge.details or {}
    target, start, end = (details.get(f"target_{part}") for part in ("passage", "start", "end"))
    if not isinstance(target, str) or not isinstance(start, int) or not isinstance(end, int):
        return []
    passage = next(iter(base.show(target).matches), None)
    if passage is None:
        return []
    text = passage.text or ""
    return _in_context(text, start, text[start:end])


def _in_context(text: str, start: int, words: str) -> list[Part]:
    """Return words that begin at some place of a text, marked, and what stands around them.

    start: negative if the text does not have them.
    """
    room = text_width()
    if start < 0:
        return [marked(shortened(words, room))] if words.strip() else []
    if len(words.strip()) >= 0.9 * len(text.strip()):
        return [shortened(words, 2 * room)]
    before, after = text[:start], text[start + len(words) :]
    words = shortened(words, room)
    around = max(20, (3 * room // 2 - cell_width(words)) // 2)
    return [_before(before, around), marked(words), _after(after, around)]


def _before(text: str, columns: int) -> str:
    """Return the end of what stands before the words, with the space before them."""
    space = " " if text[-1:].isspace() else ""
    return shortened_start(text, columns) + space


def _after(text: str, columns: int) -> str:
    """Return the beginning of what stands behind the words, with the space before it."""
    space = " " if text[:1].isspace() else ""
    return space + shortened(text, columns) if text.strip() else ""


def _position(edge: Edge, source: Node) -> int:
    """Return where the words begin in a node's text, or -1.

    The place in the passage is known. The text of a rule may be that of the passage without the
    number before it, so that of several such words those nearest to this place are taken.
    """
    evidence, text = edge.evidence, source.text or ""
    end = evidence.start + len(evidence.text)
    if source.id == evidence.passage and text[evidence.start : end] == evidence.text:
        return evidence.start
    if not evidence.text:
        return -1
    expected = max(0, evidence.start - len(source.number or "") - 1)
    behind = text.find(evidence.text, expected)
    before = text.rfind(evidence.text, 0, expected + len(evidence.text))
    if behind < 0 or before < 0:
        return max(behind, before)
    return behind if behind - expected <= expected - before else before
