"""How often a page asks the base: counted with SQLite's own trace, and bounded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import kb
from kb.web.app import render
from kb.web.interface_language import Interface
from kb.web.pages import PAGES
from kb.web.request_and_reply import Visit

# Statements for one page of a node, on the sample, by hand: what they take now and a tenth more.
# A higher number needs a reason: each question more is asked of every page.
_MOST = {
    "card": 42, "document": 60, "outcome": 15, "page": 98, "passage": 27,
    "procedure": 8, "rule": 100, "ruling": 18, "section": 38, "step": 11, "term": 82,
}  # fmt: skip


@contextmanager
def _statements(base: kb.KnowledgeBase) -> Iterator[list[str]]:
    """Collect the statements that SQLite runs for a base in this thread."""
    said: list[str] = []
    base._store.db.set_trace_callback(
        lambda text: None if text.startswith("--") else said.append(text)
    )
    try:
        yield said
    finally:
        base._store.db.set_trace_callback(None)


def _asked(base: kb.KnowledgeBase, node_id: str) -> list[str]:
    """Return the statements for the page of a node, in the way in which the explorer makes it."""
    path = f"node/{node_id}"
    with base.remembering(), kb.asking(path) as asked, _statements(base) as said:
        visit = Visit(base, Interface("en"), path, {}, taken=asked.taken)
        render(visit, PAGES["node/{id:path}"](visit))
    return said


@pytest.fixture(scope="module")
def asked(base: kb.KnowledgeBase) -> dict[str, dict[str, list[str]]]:
    """{kind: {id: the statements for its page}} of up to twenty nodes of each kind."""
    found: dict[str, dict[str, list[str]]] = {}
    for kind in _MOST:
        nodes = base.nodes(kind)
        some = nodes[:: max(1, len(nodes) // 20)]
        if some:
            _asked(base, some[0].id)  # what is read once for all pages
        found[kind] = {node.id: _asked(base, node.id) for node in some}
    return found


def test_a_page_asks_seldom(asked: dict[str, dict[str, list[str]]]) -> None:
    most = {
        kind: max((len(said), node) for node, said in of_kind.items())
        for kind, of_kind in asked.items()
        if of_kind
    }
    assert not {kind: found for kind, found in most.items() if found[0] > _MOST[kind]}


def test_nothing_is_asked_twice(asked: dict[str, dict[str, list[str]]]) -> None:
    assert asked
    for of_kind in asked.values():
        for node, said in of_kind.items():
            twice = {text: n for text, n in Counter(said).items() if n > 1}
            assert not twice, (node, twice)


def test_what_is_remembered_ends_with_the_block(base: kb.KnowledgeBase) -> None:
    with base.remembering():
        with _statements(base) as first:
            shown = base.show("121.4")
        with _statements(base) as second:
            assert base.show("121.4") == shown
            details = base.show("mtg/card/予言").matches[0].details
    assert first and not any("'121.4'" in text for text in second)
    assert details is not None
    details["name"] = "changed"
    with base.remembering():
        card = base.show("mtg/card/予言").matches[0]
        assert card.details is not None
        card.details["name"] = "changed"
        assert base.show("mtg/card/予言").matches[0].details != card.details
    with _statements(base) as third:
        base.show("121.4")
    assert len(third) >= len(first)
