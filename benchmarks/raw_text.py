"""Counts the text of a page's raw bytes, without any of the parser's code, to check its counts.

`scraper.page.Page.chars` says how much text a page has, and the parser proves that all of it is in
passages or under a reason. But what the parser never saw is in no count of its own. So here the
same bytes are read in another way: HTML by a tokenizer of its own, after the HTML standard, that
builds no tree; the other formats with the standard library. The sum of `chars` over the pages of
a document must be what `raw_text_size` says.

What is text: all characters but white space, outside tags, comments, document types and processing
instructions; those in scripts, style sheets and the document's head, too. A reference to a
character is one character. A NUL is the character U+FFFD, and so is a byte that the charset does
not have. Two things are other than in browsers, so that no text can vanish:

- A comment or a quoted attribute that is never closed would hide everything behind it. So what is
  behind its `<!--` or its open quote is read as usual, and the markup up to there is text; of a
  tag or declaration that the document's end cuts off, all is.
- `<script/>`, `<title/>` and the like are empty, as in XHTML.

The two may differ where a warning of the page says so: behind the most markup that is parsed (all
that follows is kept with its markup), and in an export that is not well-formed XML.

A `<![CDATA[` is a comment up to the next `>`, as in browsers, also within `svg` and `math`.

>>> raw_text_size("<title>a</title><p title='b'>カードを &amp; 引く".encode())
8
>>> raw_text_size(b"<p>a<!-- b <i>c</i>"), raw_text_size(b"<p>a<i titl")
(7, 7)
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from html.entities import html5
from typing import Any

# What PukiWiki writes around a page, two of which show that a document is its.
_OF_PUKIWIKI = (
    'id="body"',
    'id="navigator"',
    "PukiWiki",
    'class="anchor_super"',
    'class="jumpmenu"',
)
_SPACE = "[ \t\n\r\f]"
# A tag behind its name, without its `>`. Attributes are as browsers read them: names may have
# quotes in them, and values without quotes anything but white space and `>`.
_TAG_INSIDE = re.compile(
    rf"""(?>[ \t\n\r\f/]++
         | [^ \t\n\r\f/>][^ \t\n\r\f/>=]*+
           (?>{_SPACE}*+=(?>{_SPACE}*+)(?>"[^"]*+"|'[^']*+'|(?=>)|[^ \t\n\r\f"'>][^ \t\n\r\f>]*+)
           |(?!{_SPACE}*+=))
       )*+""",
    re.VERBOSE,
)
_ATTRIBUTE = re.compile(
    rf"""[^ \t\n\r\f/>][^ \t\n\r\f/>=]*
        (?:{_SPACE}*={_SPACE}*(?:"[^"]*"|'[^']*'|[^ \t\n\r\f"'>][^ \t\n\r\f>]*)?)?""",
    re.VERBOSE,
)
_REVISION = re.compile(r"<rev\b((?:[^>\"']|\"[^\"]*\"|'[^']*')*)>(.*?)</rev>", re.DOTALL)
_XML_TAG = re.compile(r"<[^>]*>")
_OPEN_QUOTE = re.compile(rf"[^ \t\n\r\f/>][^ \t\n\r\f/>=]*+{_SPACE}*+={_SPACE}*+[\"']")
_TAG_NAME = re.compile(r"[A-Za-z][^ \t\n\r\f/>]*")
_COMMENT_END = re.compile(r"--!?>")
_REFERENCE = re.compile(r"&(?:#[xX]([0-9A-Fa-f]+);?|#([0-9]+);?|([A-Za-z][A-Za-z0-9]*;?))")
_SCRIPT_TOKEN = re.compile(r"<!--|-->|<(/?)script(?=[ \t\n\r\f/>])", re.IGNORECASE)
_RAW = {
    name: re.compile(rf"</{name}(?=[ \t\n\r\f/>])", re.IGNORECASE)
    for name in ("title", "textarea", "style", "xmp", "iframe", "noembed", "noframes")
}
_WITH_REFERENCES = frozenset(("title", "textarea"))
_XML_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[(.*?)(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)|<[^>]*(?:>|\Z)", re.DOTALL
)
_DECLARED = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?([^>]*?)[ /;'">]""", re.IGNORECASE)
_DECLARED_XML = re.compile(rb"""^\s*<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["']""", re.IGNORECASE)


def raw_text_size(
    data: bytes, content_type: str = "", form: str = "html", names: tuple[str, ...] = ()
) -> int:
    """Return the number of characters of the text in a document's bytes, without white space.

    It is what `Page.chars` is in sum for the pages of the document.

    data: the bytes as served; content_type: the whole header, or empty.
    form: what kind of document its pages are said to be, as `Page.form`: everything but `html` and
        `wikitext` is plain text, unless it looks like markup or JSON. Not for a `PDF`.
    names: the names of its pages. They are counted for PukiWiki's source text, of which the name
        of a page is a part although its bytes lack it.
    """
    is_export = form in ("html", "wikitext") and b"<mediawiki" in data[:4096]
    text = data.decode("utf-8", "replace") if is_export else decoded(data, content_type)
    start = text[:4096].lstrip("\ufeff \r\n\t")
    named = sum(map(_size, names)) if form == "pukiwiki source" else 0
    if form in ("html", "wikitext"):
        if is_export:
            return _xml_size(text[text.index("<mediawiki") :])
        if start.startswith("{") and ('"parse"' in text or '"query"' in text):
            return _answer_size(_json(text.lstrip("\ufeff \r\n\t")))
        if start.startswith("<api") or "<api" in start[:200]:
            return _xml_answer_size(text)
    if form == "html" or (form == "pukiwiki source" and _is_source_view(text)):
        return html_text_size(text) + named
    return _size(text) + named


def _is_source_view(text: str) -> bool:
    """Whether a document is the page on which PukiWiki shows the source text of another."""
    start = text[:8192]
    is_whole = re.search(r"<(?:!doctype|html)\b", start, re.I)
    has_tags = re.search(r"<(?:head|meta|link|title|body|div|table|p)\b", start, re.I)
    shows_wiki = sum(mark in text for mark in _OF_PUKIWIKI) > 1
    is_piece = has_tags and (shows_wiki or start.lstrip("\ufeff \r\n\t").startswith("<"))
    return "<pre" in text and bool(is_whole or is_piece)


def html_text_size(text: str) -> int:
    """Return the number of characters of the text in an HTML document, without white space.

    text: the decoded document, or a fragment of one.
    """
    return sum(_size(piece) for piece in html_text(text))


def html_text(text: str) -> Iterator[str]:
    """Yield the text of an HTML document in pieces, with its references resolved.

    text: the decoded document, or a fragment of one. The time is linear in its length.
    """
    text = text.lstrip("\ufeff").replace("\0", "\ufffd")  # byte order marks are no text
    position = 0
    while (start := text.find("<", position)) >= 0:
        yield _resolved(text[position:start])
        following = text[start + 1 : start + 2]
        letter = text[start + 2 : start + 3] if following == "/" else following
        if letter.isascii() and letter.isalpha():
            position, pieces = _after_tag(text, start)
            yield from pieces
        elif text.startswith("<!--", start):
            position = _after_comment(text, start)
            if position < 0:
                yield "<!--"
                position = start + 4
        elif following in ("!", "?") or (following == "/" and letter):
            position = text.find(">", start) + 1
            if not position:
                yield text[start:]
                return
        else:  # no markup
            yield "<"
            position = start + 1
    yield _resolved(text[position:])


def _after_tag(text: str, start: int) -> tuple[int, list[str]]:
    """Return where the text goes on behind a tag, and the raw text that the tag begins, if any.

    Of a tag that is never closed it goes on behind the open quote, and the tag itself is text.

    start: the offset of its `<`.
    """
    is_end = text[start + 1] == "/"
    name = _TAG_NAME.match(text, start + 1 + is_end)
    assert name is not None
    inside = _TAG_INSIDE.match(text, name.end())
    assert inside is not None
    end = inside.end()
    if text[end : end + 1] != ">":
        quote = _OPEN_QUOTE.match(text, end)
        end = quote.end() if quote else len(text)
        return end, [text[start:end]]
    end += 1
    if is_end or (text.endswith("/>", start, end) and _closes_itself(text, name.end(), end)):
        return end, []
    tag = name[0].lower()
    if tag == "plaintext":
        return len(text), [text[end:]]
    if tag == "script":
        stop = _script_end(text, end)
    elif tag in _RAW:
        found = _RAW[tag].search(text, end)
        stop = found.start() if found else len(text)
    else:
        return end, []
    raw = text[end:stop]
    return stop, [_resolved(raw) if tag in _WITH_REFERENCES else raw]


def _closes_itself(text: str, start: int, end: int) -> bool:
    """Whether the slash before a tag's `>` closes it, and is not the end of an attribute's value.

    start, end: where the rest of the tag behind its name is.
    """
    if not _TAG_INSIDE.fullmatch(text, start, end - 2):
        return False
    return all(value.end() < end - 1 for value in _ATTRIBUTE.finditer(text, start, end - 1))


def _script_end(text: str, start: int) -> int:
    """Return where a script ends: at its end tag, which does not count in `<!-- <script>`."""
    escaped = double = False
    position = start
    while token := _SCRIPT_TOKEN.search(text, position):
        position = token.end()
        if token[0] == "<!--":
            if not escaped:
                escaped, position = True, token.end() - 2  # `<!-->` is closed at once
        elif token[0] == "-->":
            escaped = double = False
        elif not token[1]:
            double = double or escaped
        elif not double:
            return token.start()
        else:
            double = False
    return len(text)


def _after_comment(text: str, start: int) -> int:
    """Return the end of the comment that begins at `start`; -1 if it is never closed."""
    position = start + 2
    while end := _COMMENT_END.search(text, position):
        if end[0] == "-->" or end.start() >= start + 4:
            return end.end()
        position = end.start() + 1
    return -1


def _resolved(text: str) -> str:
    """Return a text with its references to characters resolved, as browsers do it."""
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    """Return the text that a reference stands for; one that names nothing stands for itself."""
    if name := match[3]:
        for length in range(min(len(name), 40), 1, -1):
            if (value := html5.get(name[:length])) is not None:
                return value + name[length:]
        return match[0]
    digits, base = (match[1], 16) if match[1] else (match[2], 10)
    digits = digits.lstrip("0")
    number = int(digits or "0", base) if len(digits) < 8 else 0x110000
    if not 0 < number < 0x110000 or 0xD800 <= number < 0xE000:
        return "\ufffd"
    if 0x80 <= number < 0xA0:
        return bytes((number,)).decode("cp1252", "replace")
    return chr(number)


def _size(text: str) -> int:
    """Return the number of characters of a text that are not white space."""
    return len("".join(text.split()))


# -- other formats ----------------------------------------------------------------------------


def _xml_size(text: str) -> int:
    """Return the size of the text of an XML document, in which CDATA is text."""
    size, done = 0, 0
    for markup in _XML_MARKUP.finditer(text):
        size += _size(_resolved(text[done : markup.start()])) + _size(markup[1] or "")
        done = markup.end()
    return size + _size(_resolved(text[done:]))


def _json(text: str) -> Any:
    """Return a JSON document; its numbers, which may have any number of digits, are all 0."""

    def zero(_: str) -> int:
        return 0

    return json.loads(text, parse_int=zero, parse_float=zero, parse_constant=zero)


def _answer_size(answer: Any) -> int:
    """Return the size of the text of the pages in an answer of MediaWiki's API, in JSON."""
    size = 0
    parse = answer.get("parse") if isinstance(answer, dict) else None
    if isinstance(parse, dict):
        html = _content(parse.get("text"))
        size += html_text_size(html) if html else _size(_content(parse.get("wikitext")) or "")
    query = answer.get("query") if isinstance(answer, dict) else None
    if isinstance(query, dict):
        for redirect in _objects(query.get("redirects")):
            size += _size(redirect["to"]) if isinstance(redirect.get("to"), str) else 0
        for page in _objects(query.get("pages")):
            revisions = [r for r in _objects(page.get("revisions")) if _content(r) is not None]
            newest = max(revisions, key=lambda r: str(r.get("timestamp", "")), default=None)
            size += _size(_content(newest) or "") if newest else 0
    return size


def _xml_answer_size(text: str) -> int:
    """Return the size of the text of the pages in an answer of MediaWiki's API, in XML."""
    html = re.search(r"<text\b[^>]*>(.*?)</text>", text, re.DOTALL)
    if html:
        return html_text_size(_resolved(html[1]))
    targets = re.findall(r"<r\b[^>]*?\bto=\"([^\"]*)\"", text)
    pages = [_REVISION.findall(page) for page in text.split("<page ")]
    newest = [max(page, key=lambda revision: _timestamp(revision[0])) for page in pages if page]
    texts = [_XML_TAG.sub("", source) for _, source in newest]  # markup there is damage
    return sum(_size(_resolved(piece)) for piece in targets + texts)


def _timestamp(attributes: str) -> str:
    found = re.search(r"\btimestamp=\"([^\"]*)\"", attributes)
    return found[1] if found else ""


def _content(value: object) -> str | None:
    """Return the text in a value of an answer, wherever the API's versions have it; None if there
    is none."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return None
    main = value.get("slots", {}).get("main", {}) if isinstance(value.get("slots"), dict) else {}
    places = [value, *([main] if isinstance(main, dict) else [])]
    texts = (place.get(key) for place in places for key in ("*", "content"))
    return next((text for text in texts if isinstance(text, str)), None)


def _objects(value: object) -> list[Mapping[str, Any]]:
    """Return the objects in a list, or in an object by their ids."""
    values = list(value.values()) if isinstance(value, dict) else value
    return [item for item in values if isinstance(item, dict)] if isinstance(values, list) else []


# -- charsets ---------------------------------------------------------------------------------


def decoded(data: bytes, content_type: str = "") -> str:
    """Return a document's text: by its byte order mark, as UTF-8, or in the charset of those that
    it declares and of Japanese ones in which it has the fewest bytes that are no text.

    Each of these is U+FFFD; half a surrogate pair stays as it is.
    """
    for mark, charset in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            return data.decode(charset, "replace")
    try:
        return data.decode()
    except UnicodeDecodeError:
        pass
    try:  # halves of surrogate pairs, of which one alone is no character
        halves = data.decode("utf-8", "surrogatepass")
        return re.sub("[\ud800-\udbff][\udc00-\udfff]", "?", halves)
    except UnicodeDecodeError:
        pass
    header = re.search(r"charset=\s*[\"']?([^;\"']*)", content_type, re.IGNORECASE)
    inside = _DECLARED_XML.search(data[:4096]) or _DECLARED.search(data[:4096])
    labels = [header[1] if header else "", inside[1].decode("latin-1") if inside else ""]
    charsets = [name for label in labels if (name := _python_name(label))]
    best: tuple[int, str] | None = None
    for charset in dict.fromkeys([*charsets, "euc_jp", "cp932", "utf-8"]):
        errors = "raw_text" if charset == "euc_jp" else "replace"
        text = data.decode(charset, errors)
        own = data.count(b"\xef\xbf\xbd") if charset == "utf-8" else 0
        broken = text.count("\ufffd") - own
        if best is None or broken < best[0]:
            best = broken, text
    assert best is not None
    return best[1]


def _python_name(label: str) -> str:
    """Return Python's name of a charset by its label on the web; empty if it is none."""
    label = label.strip().lower()
    if re.fullmatch(r"x-sjis|shift[_-]jis|sjis|windows-31j|ms932", label):
        return "cp932"
    if re.fullmatch(r"(?:x-)?euc-?jp(?:-win)?|cp51932|ujis", label):
        return "euc_jp"
    try:
        name = codecs.lookup(label).name.replace("-", "_")
    except (LookupError, ValueError):
        return ""
    known = re.match(r"utf_8|ascii|iso8859|cp\d|koi8|euc|iso2022|big5|gb|shift|latin|mac", name)
    return ("utf-8" if name == "utf_8" else name) if known else ""


def _windows_character(error: UnicodeError) -> tuple[str, int]:
    """Decode a character that only Windows' EUC-JP has; any other byte is U+FFFD."""
    assert isinstance(error, UnicodeDecodeError)
    pair = error.object[error.start : error.start + 2]
    if len(pair) == 2 and all(0xA1 <= byte <= 0xFE for byte in pair):
        row, cell = pair[0] - 0xA1, pair[1] - 0xA1  # from 0
        lead = row // 2 + (0x81 if row < 62 else 0xC1)
        trail = cell + (0x9F if row % 2 else 0x40 if cell < 63 else 0x41)
        try:
            return bytes((lead, trail)).decode("cp932"), error.start + 2
        except UnicodeDecodeError:
            pass
    return "\ufffd", max(error.end, error.start + 1)


codecs.register_error("raw_text", _windows_character)
