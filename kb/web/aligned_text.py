"""A rule beside its translation as HTML: terms and citations linked, what differs marked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from markupsafe import Markup

from kb.web.escaping import escaped

if TYPE_CHECKING:
    import kb


def aligned(
    address: Callable[[str], str],
    text: str,
    marks: Iterable[kb.TextMark],
    differing: Iterable[tuple[int, int]],
) -> Markup:
    """Return a text with its terms and citations linked, and the words that the other language
    lacks marked.

    address: gives the address of a node's page.
    marks: the terms and citations, as `KnowledgeBase.align` gives them.
    differing: (start, end) of the words that the other language lacks.
    """
    pieces: list[tuple[int, int, kb.TextMark | None]] = [
        (start, end, None) for start, end in set(differing) if start < end
    ]
    pieces += [(mark.start, mark.end, mark) for mark in marks]
    # Of what overlaps, the difference stays and the link goes.
    pieces.sort(key=lambda piece: (piece[0], piece[2] is not None))
    differences = [(start, end) for start, end, mark in pieces if mark is None]
    parts: list[Markup] = []
    done = 0
    for start, end, mark in pieces:
        overlaps = mark is not None and any(s < end and start < e for s, e in differences)
        if overlaps or start < done or end > len(text):
            continue
        words = escaped(text[start:end])
        parts += [escaped(text[done:start]), _marked(address, words, mark)]
        done = end
    return Markup("").join([*parts, escaped(text[done:])])


def _marked(address: Callable[[str], str], words: Markup, mark: kb.TextMark | None) -> Markup:
    if mark is None:
        return _DIFFERS.format(words=words)
    if "/" not in mark.target:  # the rule that is cited is not loaded
        return _DANGLING.format(words=words)
    kind = "mentions" if mark.kind == "term" else "cites"
    names = (f"{name} ?" if name in mark.proposed else name for name in mark.names)
    return _LINK.format(
        kind=kind, url=address(mark.target), title=escaped(" · ".join(names)), words=words
    )


_DIFFERS = Markup('<mark class="differs">{words}</mark>')
_DANGLING = Markup('<span class="dangling">{words}</span>')
_LINK = Markup('<a class="{kind}" href="{url}" title="{title}">{words}</a>')
