"""Reads the whole text of a page or section: its passages and sections, in the page's order."""

from __future__ import annotations

from dataclasses import dataclass

from graphs.model import Node
from graphs.store.reader import Store
from kb.reason import Ask, Reason

_MOST_PARTS = 1_000  # passages and sections


@dataclass(frozen=True, slots=True)
class ContentPart:
    """A passage of a page, or a section with its heading.

    id: of the passage or section.
    depth: in how many sections it stands below the page or section that was asked for.
    heading: of a section; None for a passage.
    text: of a passage, whole; None for a section.
    """

    id: str
    depth: int
    heading: str | None
    text: str | None


@dataclass(frozen=True, slots=True)
class PageContent:
    """What a page or section says, in its order.

    parts: its passages and the sections in it. Its own heading is not among them, nor are passages
        that are the heading of a section.
    more: how to read the rest, if there are very many; None if `parts` has all.
    """

    parts: tuple[ContentPart, ...]
    more: Reason | None = None


def page_content(store: Store, node: Node, most: int = _MOST_PARTS) -> PageContent:
    """Return what a page or section says; of a very long one the beginning.

    most: at most how many parts.
    """
    parts: list[ContentPart] = []
    stack = _below(store, node, 0)
    seen = {node.id}
    while stack and len(parts) < most:
        depth, part = stack.pop()
        if part.id in seen:  # a damaged file may go in circles
            continue
        seen.add(part.id)
        if part.kind == "section":
            parts.append(ContentPart(part.id, depth, part.label or "", None))
            stack += _below(store, part, depth + 1)
        else:
            parts.append(ContentPart(part.id, depth, None, part.text or ""))
    section = next((part.id for part in parts if part.heading is not None), None)
    if not stack:
        return PageContent(tuple(parts))
    if section is None:
        return PageContent(tuple(parts), Reason("first_parts_only", parts=most))
    more = Reason("first_parts", Ask("show", ref=section), parts=most)
    return PageContent(tuple(parts), more)


def _below(store: Store, node: Node, depth: int) -> list[tuple[int, Node]]:
    """Return (depth, part) of the passages and sections that a page or section directly has, the
    last first. Its own passages come before its sections: text behind a heading is the section's.
    """
    heading = (node.label or "").strip()
    parts = store.parts(node.id)
    passages = [part for part in parts if part.kind == "passage"]
    own = [part for part in passages if part.text and part.text.strip() != heading]
    sections = [part for part in parts if part.kind == "section"]
    return [(depth, part) for part in reversed([*own, *sections])]
