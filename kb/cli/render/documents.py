"""Writes a document to be published: its headings, paragraphs, lists and tables as Markdown, HTML.

All text may be a stranger's. In either format it shows as it is: no sign in it is markup, and no
control character is left. A page needs nothing else: no scripts, no fonts, no other files.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby, zip_longest
from typing import Literal, NamedTuple

from kb.cli.render.output import printable
from kb.control_characters import xml_text

_PAGE_STYLE = """\
:root { color-scheme: light dark; --ink: #1b1b18; --paper: #fdfdfb; --faint: #66665e;
  --line: #deded6; --term: #2c6fa8; --cite: #5b5b8c; --bad: #a4300f; --bad-paper: #fdeee6;
  --good: #1d6b35; --good-paper: #e6f5ea; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e0; --paper: #171716; --faint: #a0a096;
  --line: #3a3a36; --term: #86bdeb; --cite: #b3b3e6; --bad: #ff9d78; --bad-paper: #3b2118;
  --good: #7fd69a; --good-paper: #16301e; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 76rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.6 system-ui, "Hiragino Sans", "Noto Sans CJK JP",
  "Yu Gothic", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.3; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
a { color: inherit; text-decoration-color: var(--faint); }
"""
_STYLE = """\
body { max-width: 52rem; } h3 { font-size: 1rem; margin: 1.8rem 0 .2rem; }
table { border-collapse: collapse; } th, td { padding: .15rem 1.2rem .15rem 0; text-align: left;
  vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
ul.rules { list-style: none; margin: 0; padding: 0; } ul.rules li { display: grid; gap: 0 1rem;
  grid-template-columns: 9rem 1fr; padding: .4rem 0; border-top: 1px solid var(--line); }
ul.rules div { white-space: pre-line; } del { color: var(--bad); background: var(--bad-paper); }
ins { color: var(--good); background: var(--good-paper); text-decoration: none; font-weight: 600; }
@media (max-width: 40rem) { ul.rules li { grid-template-columns: 1fr; } }
@media print { body { max-width: none; padding: 0; font-size: 9pt; } nav { display: none; } }
"""


class Piece(NamedTuple):
    """A piece of a text: words as they are, words that were added or removed, or what can be typed
    into a shell. Spaces at the ends of what was added or removed are not marked."""

    text: str
    kind: Literal["", "added", "removed", "typed"] = ""


class Heading(NamedTuple):
    """A heading; level 1 is the document's title. lang: of its text."""

    level: int
    text: str
    lang: str = "en"


class Paragraph(NamedTuple):
    """A paragraph."""

    pieces: Sequence[Piece]


class Entry(NamedTuple):
    """An entry of a list: a name, such as a rule's number, and what it says in a language."""

    name: str
    pieces: Sequence[Piece]
    lang: str = "en"


class Rows(NamedTuple):
    """A table: the names of its columns, its rows, and the languages of the columns."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    langs: Sequence[str] = ()


Block = Heading | Paragraph | Entry | Rows

# -- Markdown ------------------------------------------------------------------------------------

# References stand for what some dialects do not take an escape of, and for what templates that are
# filled before the Markdown is read look for (`{{`, `{%`).
_ESCAPES = str.maketrans(
    {sign: f"\\{sign}" for sign in "\\`*_[]#~$"}
    | {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;"}
)
_TEMPLATE = re.compile(r"\{(?=[{%#:])")
_BEGINS_BLOCK = re.compile(r"^(\d{1,9})?([-+=.)])")  # of a paragraph's line: a list, a rule
_MARKS = {"added": "**", "removed": "~~"}


def markdown(text: str) -> str:
    r"""Return a text as Markdown that shows it, on one line that does not begin a block by itself
    where it stands behind another text.

    >>> print(markdown("a *b* <i>\n{{c}} [d](e)"))
    a \*b\* &lt;i&gt;<br>&#123;{c}} \[d\](e)
    """
    shown = _TEMPLATE.sub("&#123;", printable(text).translate(_ESCAPES))
    return re.sub(r"\s*\n\s*", "<br>", shown)


def markdown_lines(blocks: Iterable[Block]) -> Iterator[str]:
    """Yield the lines of a document in Markdown, for CommonMark with the tables and the `~~` of
    GitHub's."""
    last: Block | None = None
    for block in blocks:
        if last and not (isinstance(block, Entry) and isinstance(last, Entry)):
            yield ""
        last = block
        match block:
            case Heading():
                yield f"{'#' * block.level} {markdown(block.text)}"
            case Paragraph():
                yield _BEGINS_BLOCK.sub(r"\1\\\2", _in_markdown(block.pieces))
            case Entry():
                yield f"- {_code(block.name)} {_in_markdown(block.pieces)}".rstrip()
            case Rows():
                for row in (block.columns, ["---"] * len(block.columns), *block.rows):
                    yield f"| {' | '.join(map(markdown, row))} |"


def _code(text: str) -> str:
    """Return a name or a command as code; one that code could not show as plain text."""
    line = " ".join(printable(text).split())
    return (
        f"`{line}`" if line and "`" not in line and not _TEMPLATE.search(line) else markdown(line)
    )


def _in_markdown(pieces: Iterable[Piece]) -> str:
    """Return pieces as Markdown.

    `**` and `~~` mark nothing where a sign is on their one side and a letter on the other, as in
    `harbour**,**`; a letter that is written as a reference ends in a sign.
    """
    words, is_behind_sign = "", False
    for text, kind in pieces:
        mark, core = _MARKS.get(kind, ""), text.strip()
        if mark and core:
            lead, _, trail = text.partition(core)
            words += markdown(lead)
            if _is_sign(core[0]) and words[-1:].isalnum():
                words = f"{words[:-1]}&#{ord(words[-1])};"
            words += f"{mark}{markdown(core)}{mark}{markdown(trail)}"
            is_behind_sign = _is_sign(core[-1]) and not trail
        elif text:
            letter = f"&#{ord(text[0])};" if is_behind_sign and text[0].isalnum() else ""
            words += letter + (_code(text) if kind == "typed" else markdown(text[bool(letter) :]))
            is_behind_sign = False
    return re.sub(" {2,}", " ", words).strip()


def _is_sign(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


# -- HTML ----------------------------------------------------------------------------------------

_TAGS = {"added": "ins", "removed": "del", "typed": "code"}


def page_lines(blocks: Sequence[Block]) -> Iterator[str]:
    """Yield the lines of a document as a page by itself, with links to its parts before the first
    of them. blocks: with a title first, and a part, which a heading of level 2 begins."""
    headings = [block for block in blocks if isinstance(block, Heading)]
    parts = [block for block in headings if block.level == 2]
    first = blocks.index(parts[0])
    yield page_head(headings[0].text, _STYLE)
    yield from html_lines(blocks[:first])
    links = (f'<a href="#part-{n}">{escaped(part.text)}</a>' for n, part in enumerate(parts))
    yield f"<nav><ul><li>{'<li>'.join(links)}</ul></nav>"
    yield from html_lines(blocks[first:], parts)
    yield "</body></html>"


def page_head(title: str, style: str) -> str:
    """Return the lines of a page up to its body. style: beside what all pages have."""
    return f"""\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escaped(title)}</title>
<style>
{_PAGE_STYLE}{style}</style></head><body>"""


def html_lines(blocks: Iterable[Block], parts: Sequence[Heading] = ()) -> Iterator[str]:
    """Yield the lines of a part of a page, which are well-formed XML, too. parts: the headings to
    which links lead."""
    for is_list, group in groupby(blocks, key=lambda block: isinstance(block, Entry)):
        yield from ['<ul class="rules">'] if is_list else []
        for block in group:
            match block:
                case Heading(level, text, lang):
                    place = f' id="part-{parts.index(block)}"' if block in parts else ""
                    yield f"<h{level}{_lang(lang)}{place}>{escaped(text)}</h{level}>"
                case Paragraph(pieces):
                    yield f"<p>{_in_html(pieces)}</p>"
                case Entry(name, pieces, lang):
                    words = f"<div{_lang(lang)}>{_in_html(pieces)}</div>"
                    yield f"<li><b>{escaped(name)}</b> {words}</li>"
                case Rows(columns, rows, langs):
                    names = "</th><th>".join(map(escaped, columns))
                    yield f"<table><tr><th>{names}</th></tr>"
                    for row in rows:
                        cells = zip_longest(row, langs, fillvalue="en")
                        line = (f"<td{_lang(lang)}>{escaped(cell)}</td>" for cell, lang in cells)
                        yield f"<tr>{''.join(line)}</tr>"
                    yield "</table>"
        yield from ["</ul>"] if is_list else []


def escaped(text: str) -> str:
    """Return a text for HTML and XML, with marks in place of control characters."""
    return escape(xml_text(printable(text)))


def _in_html(pieces: Iterable[Piece]) -> str:
    html = ""
    for text, kind in pieces:
        core = text.strip()
        if kind and core:
            lead, _, trail = text.partition(core)
            html += f"{escaped(lead)}<{_TAGS[kind]}>{escaped(core)}</{_TAGS[kind]}>{escaped(trail)}"
        else:
            html += escaped(text)
    return re.sub(" {2,}", " ", html)


def _lang(lang: str) -> str:
    return f' lang="{escaped(lang)}" dir="auto"' if lang != "en" else ""
