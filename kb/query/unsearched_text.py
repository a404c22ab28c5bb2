"""Says of which text mentions are not counted: names are looked for in Japanese alone."""

from __future__ import annotations

from graphs.model import Node
from graphs.store.reader import Store
from kb.reason import Ask, LeftOut, Reason

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
    is_english = node and not any(label.lang == _SEARCHED for label in node.labels)
    code = "names_in_japanese_alone" if is_english else "names_in_japanese"
    words = next((name for name in _names(node) if name.isascii()), "") if node else ""
    ask = Ask("search", text=words) if words else None
    return (LeftOut(None, Reason(code, ask, langs=tuple(sorted(languages)))),)


def _names(node: Node) -> list[str]:
    """Return the names of a node, its own label first."""
    return [name for name in (node.label, *(label.text for label in node.labels)) if name]
