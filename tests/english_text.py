"""English on a Japanese page that the program says: neither quoted words nor names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lxml import html

import kb

_ENGLISH_WORD = r"[A-Za-z][A-Za-z’'\-]*"
_SENTENCE = re.compile(rf"{_ENGLISH_WORD}(?:[\s,;:.()“”\"]+{_ENGLISH_WORD}){{2,}}")
_SHOWN = ("title", "aria-label", "placeholder", "alt")
# Words of pages and of people: by their elements, and by their classes.
_QUOTED = frozenset(("q", "mark", "pre", "textarea", "script", "style"))
_QUOTED_CLASSES = frozenset(("text", "words", "example"))
_INLINE = frozenset(("a", "b", "bdi", "i", "span", "time", "ruby", "rt", "rp", "em", "strong"))


class KnownWords:
    """The words of a knowledge base: three that follow each other in any text, name or notice."""

    def __init__(self, base: kb.KnowledgeBase) -> None:
        self._threes: set[tuple[str, ...]] = set()
        for node in base.nodes():
            names = (name.text for name in node.labels)
            for text in (node.id, node.label, node.text, node.notice, *names):
                words = _words(text or "")
                self._threes.update(zip(words, words[1:], words[2:], strict=False))

    def unknown(self, sentence: str) -> list[str]:
        """Return the words of a sentence that are in no three that the base has."""
        words = _words(sentence)
        known = {
            place
            for start in range(len(words) - 2)
            if tuple(words[start : start + 3]) in self._threes
            for place in range(start, start + 3)
        }
        return [word for place, word in enumerate(words) if place not in known]


def _words(text: str) -> list[str]:
    return re.findall(_ENGLISH_WORD, text.replace("'", "’").casefold())


def english_sentences(page: str, known: KnownWords) -> Iterator[str]:
    """Yield the stretches of a page of three English words and more that the program says."""
    for text in _texts(html.fromstring(page)):
        for match in _SENTENCE.finditer(text):
            if len(known.unknown(match[0])) > 1:
                yield match[0]


def _texts(tree: html.HtmlElement) -> Iterable[str]:
    """Return the texts of a page, a block each, and those of attributes; without what is quoted."""
    found: list[str] = []

    def read(element: html.HtmlElement, block: list[str]) -> None:
        if _is_quoted(element):
            block.append(" ◆ ")
            # Why a reference within a quoted text dangles is said by the program.
            found.extend(
                each.get("title", "") for each in element.iterfind('.//*[@class="dangling"]')
            )
        else:
            found.extend(element.attrib[name] for name in _SHOWN if name in element.attrib)
            own = block if element.tag in _INLINE else []
            own.append(element.text or "")
            for child in element:
                read(child, own)
            if own is not block:
                found.append(" ".join("".join(own).split()))
                block.append(" ◆ ")
        block.append(element.tail or "")

    read(tree, [])
    return found


def _is_quoted(element: html.HtmlElement) -> bool:
    if not isinstance(element.tag, str) or element.tag in _QUOTED:
        return True
    classes = element.get("class", "").split()
    # What the program says is Japanese here, and stands under no other language.
    is_said = "why" in classes or "facts" in classes
    return not _QUOTED_CLASSES.isdisjoint(classes) or (
        element.get("lang", "ja") != "ja" and not is_said
    )
