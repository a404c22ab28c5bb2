"""Says of which text mentions are not counted: names are looked for in Japanese alone."""

from __future__ import annotations

from graphs.model import Node
from graphs.store.reader import Store
from kb.message import Ask, Message
from kb.query.left_out import LeftOut

_SEARCHED = "ja"  # as `kb.resolve.mentions` has it


def text_without_mentions(
    store: Store, game: str | None = None, node: Node | None = None
) -> tuple[LeftOut, ...]:
    """Return one entry if there is text that is not searched for names, and how to search it; else
    none.

    game: of the text; None for all games.
    node: what is looked for by its name; None if nothing particular is.
    """
    sources = store.values()["source"]
    languages = {lang for each in sources for lang in store.languages_of(each, game)} - {_SEARCHED}
    if not languages:
        return ()
    why = "names are looked for in Japanese text alone"
    if node and not any(label.lang == _SEARCHED for label in node.labels):
        why += ", and this has no Japanese name"
    words = next((name for name in _names(node) if name.isascii()), "") if node else ""
    how = Message(Ask("search", words)) if words else Message("sansho search WORDS")
    return (LeftOut(f"text in {', '.join(sorted(languages))}", Message(why), how),)


def _names(node: Node) -> list[str]:
    """Return the names of a node, its own label first."""
    return [name for name in (node.label, *(label.text for label in node.labels)) if name]
