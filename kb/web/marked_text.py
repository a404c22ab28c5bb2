"""Texts of pages as HTML: with links in place, with words marked, with readings above them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from markupsafe import Markup

from kb.web.escaping import escaped

if TYPE_CHECKING:
    import kb


def linked(address: Callable[[str], str], text: kb.LinkedText, own: str | None = None) -> Markup:
    """Return a text with every citation, link and mention linked in place.

    address: gives the address of a node's page.
    own: the id of the node whose page this is; what refers to itself is not linked.
    """
    parts: list[Markup] = []
    end = 0
    for link in text.links:
        parts.append(escaped(text.text[end : link.start]))
        words = escaped(text.text[link.start : link.end])
        if link.target is None:
            parts.append(_DANGLING.format(title=link.reason or "", words=words))
        elif link.target == own:
            parts.append(words)
        else:
            parts.append(
                _LINK.format(
                    kind=link.kind, url=address(link.target), title=link.label, words=words
                )
            )
        end = link.end
    return Markup("").join([*parts, escaped(text.text[end:])])


_LINK = Markup('<a class="{kind}" href="{url}" title="{title}">{words}</a>')
_DANGLING = Markup('<span class="dangling" title="{title}">{words}</span>')


def marked(text: str, spans: Iterable[tuple[int, int]], kind: str = "found") -> Markup:
    """Return a text with the words in some spans marked.

    spans: (start, end) in characters, sorted and without overlaps
    kind: the class of the marks: `found`, `deciding`, `deleted`, `inserted`

    >>> marked("a < b", [(4, 5)])
    Markup('a &lt; <mark class="found">b</mark>')
    """
    parts: list[Markup] = []
    end = 0
    for start, stop in spans:
        if start < end:
            continue
        parts.append(escaped(text[end:start]))
        if stop > start:
            words = escaped(text[start:stop])
            parts.append(Markup('<mark class="{}">{}</mark>').format(kind, words))
        end = stop
    return Markup("").join([*parts, escaped(text[end:])])


def ruby(name: str, reading: str | None) -> Markup:
    """Return a name with its reading above it.

    >>> ruby("引く", "ヒク")
    Markup('<ruby>引く<rp>（</rp><rt>ヒク</rt><rp>）</rp></ruby>')
    """
    if not reading or reading == name:
        return escaped(name)
    return Markup("<ruby>{}<rp>（</rp><rt>{}</rt><rp>）</rp></ruby>").format(
        escaped(name), escaped(reading)
    )


def old_spans(changes: Iterable[tuple[int, int, int, int]]) -> list[tuple[int, int]]:
    """Return the spans of the words that changes took away, in the text before."""
    return [(span[0], span[1]) for span in changes]


def new_spans(changes: Iterable[tuple[int, int, int, int]]) -> list[tuple[int, int]]:
    """Return the spans of the words that changes brought, in the text after."""
    return [(span[2], span[3]) for span in changes]
