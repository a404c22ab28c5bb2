"""Splits HTML into tags and text as browsers do, and finds markup that is never closed.

lxml parses pages; this is for the few that it would lose a part of. Other than in browsers, a
comment or a tag that is never closed hides nothing: it is a token of its own as far as it is
markup, and the text behind it is read. `<script/>` and the like are empty, as in XHTML.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

_TAG_START = re.compile(r"<(/?)([A-Za-z][^ \t\n\r\f/>]*)")
# All attributes that are whole, and what may stand between them.
_ATTRIBUTES = re.compile(
    r"""(?>[ \t\n\r\f/]++
        | [^ \t\n\r\f/>][^ \t\n\r\f/>=]*+
          (?>[ \t\n\r\f]*+=[ \t\n\r\f]*+
             (?>"[^"]*+"|'[^']*+'|[^ \t\n\r\f"'>][^ \t\n\r\f>]*+|(?=>))
             |(?![ \t\n\r\f]*+=))
    )*+""",
    re.VERBOSE,
)
_ATTRIBUTE = re.compile(
    r"""([^ \t\n\r\f/>][^ \t\n\r\f/>=]*)
        (?:[ \t\n\r\f]*=[ \t\n\r\f]*(?:"([^"]*)"|'([^']*)'|([^ \t\n\r\f"'>][^ \t\n\r\f>]*)))?""",
    re.VERBOSE,
)
_OPEN_QUOTE = re.compile(r"[^ \t\n\r\f/>][^ \t\n\r\f/>=]*+[ \t\n\r\f]*+=[ \t\n\r\f]*+[\"']")
_SCRIPT_MARK = re.compile(r"(<!--)|(-->)|<(/?)script(?=[ \t\n\r\f/>])", re.IGNORECASE)
_NUMBER = re.compile(r"&#(?:[xX]([0-9A-Fa-f]+)|([0-9]+));?")
# Digits of a number that may be one of a character, zeros before it aside: 0x10FFFF has 7 at most.
# A guard, as `int` takes the square of the digits.
_LONGEST_NUMBER = 8
# Elements in which tags are text, and how they end; in two of them references are resolved.
_RAW_END = {
    name: re.compile(rf"</{name}(?=[ \t\n\r\f/>])", re.IGNORECASE)
    for name in ("title", "textarea", "style", "xmp", "iframe", "noembed", "noframes")
}
_WITH_REFERENCES = frozenset(("title", "textarea"))
# Elements that begin and end a line of text.
BLOCKS = frozenset(
    "address article aside blockquote body br caption center dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html "
    "legend li main menu nav noframes noscript ol optgroup option p pre search section select "
    "summary table tbody td textarea tfoot th thead title tr ul".split()
)


class Token(NamedTuple):
    """A piece of an HTML document; comments, declarations and instructions are none.

    kind: text, the start or the end of an element, or `unclosed`: markup that is never closed.
    start, end: where it is in the document.
    text: the text with its references resolved, the name of the element in lower case, or the
        markup as it stands there.
    attributes: the attributes of a start tag, as they stand there.
    empty: whether the start tag closes its element too (`<br/>`).
    """

    kind: Literal["text", "start", "end", "unclosed"]
    start: int
    end: int
    text: str
    attributes: str = ""
    empty: bool = False


def tokens(document: str) -> Iterator[Token]:
    """Yield the tokens of an HTML document in their order, in time linear in its length.

    >>> [(token.kind, token.text) for token in tokens("<b title=x>&lt;a</B><!-- b <i>c</i><a ")]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('start', 'b'), ('text', '<a'), ('end', 'b'), ('unclosed', '<!--'), ('text', ' b '),
     ('start', 'i'), ('text', 'c'), ('end', 'i'), ('unclosed', '<a ')]
    """
    done = position = 0  # the beginning of the text that is not yet given; where markup is sought
    last = document.rfind("-->"), document.rfind("--!>")
    while (start := document.find("<", position)) >= 0:
        found: Token | None = None
        if tag := _TAG_START.match(document, start):
            found = _tag(document, tag)
            end = found.end
        elif document.startswith("<!--", start):
            end = _comment_end(document, start, last)
            if end < 0:
                end = start + 4
                found = Token("unclosed", start, end, "<!--")
        elif document.startswith(("<!", "<?", "</"), start) and document[start:] != "</":
            end = document.find(">", start) + 1
            if not end:
                end = len(document)
                found = Token("unclosed", start, end, document[start:])
        else:
            position = start + 1
            continue
        if done < start:
            yield Token("text", done, start, resolve_references(document[done:start]))
        done = position = end
        if found is None:
            continue
        yield found
        if found.kind == "start" and not found.empty:
            done = position = _raw_end(document, found)
            if position > end:
                raw = document[end:position]
                text = resolve_references(raw) if found.text in _WITH_REFERENCES else raw
                yield Token("text", end, position, text)
    if done < len(document):
        yield Token("text", done, len(document), resolve_references(document[done:]))


def attributes_of(token: Token) -> Iterator[tuple[str, str]]:
    """Yield the names, in lower case, and values of a start tag's attributes, in their order; a
    name may come twice, and one without a value has an empty one."""
    for match in _ATTRIBUTE.finditer(token.attributes):
        yield match[1].lower(), resolve_references(match[2] or match[3] or match[4] or "")


def _tag(document: str, start: re.Match[str]) -> Token:
    """Return the tag that begins at a match of `_TAG_START`, or the markup of one without end.

    That is all up to a quote that is never closed, else up to the end of the document.
    """
    inside = _ATTRIBUTES.match(document, start.end())
    end = inside.end() if inside else start.end()
    if document[end : end + 1] != ">":
        quote = _OPEN_QUOTE.match(document, end)
        end = quote.end() if quote else len(document)
        return Token("unclosed", start.start(), end, document[start.start() : end])
    attributes = document[start.end() : end]
    empty = attributes.endswith("/") and _ends_with_slash(attributes)
    kind: Literal["start", "end"] = "end" if start[1] else "start"
    return Token(kind, start.start(), end + 1, start[2].lower(), attributes, empty)


def _ends_with_slash(attributes: str) -> bool:
    """Whether the slash at the end of some attributes is not the end of a value (`href=a/`)."""
    end = 0
    for match in _ATTRIBUTE.finditer(attributes):
        end = match.end()
    return end < len(attributes)


def _comment_end(document: str, start: int, last: tuple[int, int]) -> int:
    """Return the end of the comment that begins at `start`; -1 if it is never closed.

    last: where the last `-->` and the last `--!>` of the document are.
    """
    if document.startswith((">", "->"), start + 4):
        return document.index(">", start) + 1
    ends = [document.find("-->", start + 4) + 3] if start + 4 <= last[0] else []
    if start + 4 <= last[1]:
        odd = document.find("--!>", start + 4, *ends)
        ends += [odd + 4] if odd >= 0 else []
    return min(ends, default=-1)


def _raw_end(document: str, tag: Token) -> int:
    """Return where the text ends in which no tags are, behind a start tag (`script`, `title` and
    the like), at the end tag or the end of the document; its own end if tags are tags in it."""
    if tag.text == "plaintext":
        return len(document)
    if tag.text == "script":
        return _script_end(document, tag.end)
    if tag.text not in _RAW_END:
        return tag.end
    end = _RAW_END[tag.text].search(document, tag.end)
    return end.start() if end else len(document)


def _script_end(document: str, start: int) -> int:
    """Return where a script ends that begins at `start`: at its end tag, which is not included, or
    at the end of the document.

    An end tag within `<!-- <script>` is one of that inner script.
    """
    in_comment = in_script = False
    position = start
    while mark := _SCRIPT_MARK.search(document, position):
        opening, closing, slash = mark.groups()
        position = mark.end()
        if opening:
            position -= 0 if in_comment else 2  # the dashes may also be those of its end
            in_comment = True
        elif closing:
            in_comment = in_script = False
        elif not slash:
            in_script = in_comment
        elif not in_script:
            return mark.start()
        else:
            in_script = False
    return len(document)


def resolve_references(text: str) -> str:
    """Return a text with its references to characters resolved (`&lt;`, `&#24341;`).

    A number that is no character's is U+FFFD.

    >>> resolve_references("&lt;&#24341;く&gt;")
    '<引く>'
    """
    if "&" not in text:
        return text
    pieces: list[str] = []
    done = 0
    for number in _NUMBER.finditer(text):  # html.unescape drops some, and raises for long ones
        pieces += html.unescape(text[done : number.start()]), _character(number)
        done = number.end()
    return "".join([*pieces, html.unescape(text[done:])])


def _character(number: re.Match[str]) -> str:
    """Return the character of a numeric reference, a match of `_NUMBER`; U+FFFD if it has none. A
    number from 0x80 to 0x9F means that of Windows-1252, as in browsers."""
    digits = (number[1] or number[2]).lstrip("0")
    if not digits or len(digits) > _LONGEST_NUMBER:
        return "\ufffd"
    code = int(digits, 16 if number[1] else 10)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return "\ufffd"
    return html.unescape(f"&#{code};") if 0x80 <= code < 0xA0 else chr(code)
