"""PukiWiki's inline marks: what one line of source shows, piece by piece.

Every character of a line ends in a piece that is shown (`text`, inside or outside a link) or
in one that is left out under a reason, so that the caller only has to add them up. Pairs of
brackets are matched in one pass over the line before it is read; nothing here looks at the
same stretch of a line again and again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import unescape
from html.entities import name2codepoint
from typing import Literal

from scraper.markup.html_walk import LinkTarget
from scraper.page import text_size

_MARK = re.compile(
    r"''+|%%%?|&(?=[#\w])|\(\(|\[\[|(?:https?|ftp|news)://|(?:COLOR|SIZE)\(|\}", re.ASCII
)
_URL = re.compile(r"(?:(?:https?|ftp|news)://|mailto:)[\w/@$()!?&%#:;.,~'=*+-]+", re.ASCII)
_MAIL = re.compile(r"[\w.-]{1,64}@[\w-]{1,64}\.[\w.-]+", re.ASCII)
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});", re.ASCII)
_PLUGIN = re.compile(r"&(\w{1,64})([({;])", re.ASCII)
_PLUGIN_SIGN = re.compile(r"&\w{1,64}[({]|\)[;{]|\};", re.ASCII)
_NOTE_SIGN = re.compile(r"\(\(|\)\)")
_STYLE = re.compile(r"(?:COLOR|SIZE)\([^()]*\)[:{]")
_PAGE = re.compile(r'(?!\s)(:?[^\r\n\t\f\[\]<>#&":]+:?)?(?<!\s)(?:#([A-Za-z][\w-]*)?)?', re.ASCII)
_INTERWIKI = re.compile(r":?[^\s:\[\]<>]+:[^>\[\]]+")
_DEEPEST = 20
_FACES = frozenset("smile bigsmile huh oh wink sad heart worried sweat tear umm".split())
_SILENT = {"aname": "anchor mark", "ref": "picture", "counter": "plugin", "online": "plugin",
           "now": "plugin", "date": "plugin", "time": "plugin", "version": "plugin",
           "lastmod": "plugin", "page": "plugin", "fpage": "plugin", "t": "plugin",
           "tag": "plugin", "attachref": "picture", "null": "plugin"}  # fmt: skip
What = Literal["text", "out", "sign", "break", "link", "strong", "ruby", "note"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a line. `text` is shown (text), left out for `reason` (out), the reading
    (ruby) or the source of a footnote (note); `inside` is what a link, a strong or a ruby
    piece holds."""

    what: What
    text: str = ""
    reason: str = ""
    inside: tuple[Piece, ...] = ()
    to: LinkTarget | None = None


@dataclass(frozen=True, slots=True)
class Here:
    """The page that a line stands on, which its links start from.

    >>> Here("遊戯王/カード").full_name("../用語"), Here("a/b").full_name("./c")
    ('遊戯王/用語', 'a/b/c')
    """

    name: str
    prefix: str = ""

    def full_name(self, name: str) -> str:
        """The name of the page that a link's words lead to."""
        own = self.name.removeprefix(self.prefix)
        if name in {"", "./"}:
            found = own
        elif name.startswith("./"):
            found = "/".join([own, *filter(None, name[2:].split("/"))])
        elif name.startswith("../"):
            found = _upward(own, [part for part in name.split("/") if part])
        else:
            found = name.removeprefix("/") or "FrontPage"
        return self.prefix + found


def _upward(own: str, steps: list[str]) -> str:
    base = [part for part in own.split("/") if part]
    up = 0
    while up < len(steps) and steps[up] == "..":
        up += 1
    base = base[: max(0, len(base) - up)] or ["FrontPage"]
    return "/".join([*base, *steps[up:]])


def pieces(line: str, here: Here, links: bool = True, depth: int = 0) -> tuple[Piece, ...]:
    """What a line of source shows and what it does not.

    Without `links` only plugins and emphasis are read, as in the words of a link.

    >>> [p.what for p in pieces("[[引く>ドロー]]は''強い''", Here("X"))]
    ['out', 'link', 'out', 'out', 'text', 'out', 'strong', 'out']
    """
    if depth > _DEEPEST:
        return (Piece("text", line),)
    if not _MARK.search(line):
        return (Piece("text", line),) if line else ()
    return tuple(_paired(_Reader(line, here, links, depth).read()))


@dataclass(slots=True)
class _Reader:
    line: str
    here: Here
    links: bool
    depth: int
    found: list[Piece] = field(default_factory=list)
    braces: int = 0
    plugin_ends: dict[int, int] = field(default_factory=dict)
    note_ends: dict[int, int] = field(default_factory=dict)
    closing: int = -2
    target_at: tuple[int, int] = (-1, -1)
    target: LinkTarget | None = None

    def read(self) -> list[Piece]:
        self.plugin_ends = _plugin_ends(self.line) if "&" in self.line else {}
        self.note_ends = _note_ends(self.line) if "((" in self.line else {}
        at = done = 0
        while mark := _MARK.search(self.line, at):
            start = mark.start()
            size_before = len(self.found)
            end = self.mark(start, mark[0])
            if end > start:
                new = self.found[size_before:]
                del self.found[size_before:]
                self.text(self.line[done:start])
                self.found += new
                done = end
            at = max(end, mark.end())
        self.text(self.line[done:])
        return self.found

    def text(self, data: str) -> None:
        if data:
            self.found.append(Piece("text", data))

    def out(self, reason: str, data: str) -> None:
        if data:
            self.found.append(Piece("out", data, reason))

    def inner(self, data: str, links: bool) -> tuple[Piece, ...]:
        return pieces(data, self.here, links, self.depth + 1)

    def mark(self, start: int, sign: str) -> int:
        """Read what begins at `start`; gives where it ends, or `start` if it is only text."""
        if sign[0] in "'%":
            self.found.append(Piece("sign", sign))
            return start + len(sign)
        if sign == "&":
            return self.plugin(start)
        if sign in {"COLOR(", "SIZE("}:
            return self.style(start)
        if sign == "}":
            return self.brace(start)
        if not self.links:
            return start
        if sign == "((":
            return self.note(start)
        return self.bracket(start) if sign == "[[" else self.url(start)

    def style(self, start: int) -> int:
        if not (found := _STYLE.match(self.line, start)):
            return start
        self.braces += found[0][-1] == "{"
        self.out("style mark", found[0])
        return found.end()

    def brace(self, start: int) -> int:
        if not self.braces:
            return start
        self.braces -= 1
        self.out("style mark", "}")
        return start + 1

    def note(self, start: int) -> int:
        end = self.note_ends.get(start)
        if end is None:
            return start
        self.out("markup", "((")
        self.found.append(Piece("note", self.line[start + 2 : end]))
        self.out("markup", "))")
        return end + 2

    def url(self, start: int) -> int:
        found = _URL.match(self.line, start)
        if not found:
            return start
        self.link(LinkTarget("external", found[0]), (Piece("text", found[0]),))
        return found.end()

    def link(self, to: LinkTarget, inside: tuple[Piece, ...]) -> None:
        self.found.append(Piece("link", inside=inside, to=to))

    # -- [[words>target]] -----------------------------------------------------------------
    def bracket(self, start: int) -> int:
        if self.closing != -1 and self.closing < start + 2:
            self.closing = self.line.find("]]", start + 2)
        end = self.closing
        if end < 0:
            return start
        split = self.line.rfind(">", start + 2, end)
        words_end = split
        if split < 0:
            colon = self.url_after_colon(start + 2, end)
            words_end = colon if colon >= 0 else end
        target = words_end + 1 if words_end < end else start + 2
        to = self.target_from(target, end) if words_end > start + 2 else None
        if to is None:
            return start
        self.out("markup", "[[")
        words = self.line[start + 2 : words_end]
        plain = words_end == end
        self.link(to, (Piece("text", words),) if plain else self.inner(words, False))
        if not plain:
            self.out("link target", self.line[words_end:end])
        self.out("markup", "]]")
        return end + 2

    def target_from(self, start: int, end: int) -> LinkTarget | None:
        """What a link leads to. The same stretch is asked for by every bracket before it."""
        if self.target_at != (start, end):
            self.target_at = (start, end)
            self.target = _target(self.line, start, end, self.here)
        return self.target

    def url_after_colon(self, start: int, end: int) -> int:
        """Where the colon of [[words:URL]] stands, or -1."""
        place = self.line.find("://", start, end)
        begin = self.line.rfind(":", start, place) if place > 0 else -1
        if begin <= start:
            return -1
        found = _URL.match(self.line, begin + 1, end)
        return begin if found and found.end() == end else -1

    # -- &plugin(options){words}; and references ------------------------------------------
    def plugin(self, start: int) -> int:
        reference = _REFERENCE.match(self.line, start)
        if reference and (shown := _character(reference[0])):
            self.text(shown)
            self.out("character reference", reference[0][: len(reference[0]) - text_size(shown)])
            return reference.end()
        found = _PLUGIN.match(self.line, start)
        if not found:
            return start
        name, sign = found[1].lower(), found[2]
        if sign == ";":
            return self.bare_plugin(start, found.end(), name)
        end = self.plugin_ends.get(found.end() - 1)
        if end is None:
            return start
        options_end = found.end() - 1
        if sign == "(":
            options_end = end + 1
            if self.line[options_end] == ";":
                self.out(_SILENT.get(name, "plugin"), self.line[start : options_end + 1])
                return options_end + 1
            end = self.plugin_ends.get(options_end, -1)
            if end < 0:
                return start
        words = self.inner(self.line[options_end + 1 : end], self.links)
        if name == "ruby" and sign == "(":
            reading = self.line[found.end() : options_end - 1]
            self.out("markup", self.line[start : found.end()] + "){};")
            self.found.append(Piece("ruby", reading, inside=words))
        else:
            self.out(
                "style mark" if name in {"size", "color"} else "plugin",
                self.line[start : options_end + 1] + "};",
            )
            self.found += words
        return end + 2

    def bare_plugin(self, start: int, end: int, name: str) -> int:
        if name == "br":
            self.out("line break", self.line[start:end])
            self.found.append(Piece("break"))
        elif name in _FACES or name in _SILENT:
            self.out("face" if name in _FACES else _SILENT[name], self.line[start:end])
        else:
            return start
        return end


def _character(reference: str) -> str:
    """What a character reference stands for; empty where it is none."""
    if reference[1] != "#" and reference[1:-1] not in name2codepoint:
        return ""
    return unescape(reference)


def _target(line: str, start: int, end: int, here: Here) -> LinkTarget | None:
    url = _URL.match(line, start, end)
    if url and url.end() == end:
        return LinkTarget("external", url[0])
    mail = _MAIL.match(line, start, end)
    if mail and mail.end() == end:
        return LinkTarget("external", "mailto:" + mail[0])
    page = _PAGE.match(line, start, end)
    if page and page.end() == end and end > start:
        if page[1]:
            return LinkTarget("page", here.full_name(page[1]), page[2] or "")
        return LinkTarget("anchor", here.name, page[2] or "")
    other = _INTERWIKI.match(line, start, end)
    if other and other.end() == end:
        return LinkTarget("external", other[0].removeprefix(":"))
    return None


def _plugin_ends(line: str) -> dict[int, int]:
    """Where the bracket of each inline plugin's options and words is closed."""
    ends: dict[int, int] = {}
    open_words: list[int] = []
    options = -1
    for sign in _PLUGIN_SIGN.finditer(line):
        last = sign.end() - 1
        if sign[0] == "};":
            if open_words:
                ends[open_words.pop()] = sign.start()
        elif sign[0][0] == ")":
            if options >= 0:
                ends[options] = sign.start()
                if sign[0] == "){":
                    open_words.append(last)
                options = -1
        elif sign[0][-1] == "{":
            open_words.append(last)
        elif options < 0:
            options = last
    return ends


def _note_ends(line: str) -> dict[int, int]:
    """Where each footnote that begins in a line ends."""
    ends: dict[int, int] = {}
    begun: list[int] = []
    for sign in _NOTE_SIGN.finditer(line):
        if sign[0] == "((":
            begun.append(sign.start())
        elif begun:
            ends[begun.pop()] = sign.start()
    return ends


# -- emphasis ---------------------------------------------------------------------------------
def _paired(found: list[Piece]) -> Iterator[Piece]:
    """The pieces with their emphasis marks paired; one that has no partner is text."""
    for sign in ("%%%", "%%", "'''"):
        found = _pair(found, sign, lambda inside: list(inside))
    found = [part for piece in found for part in _loose_quotes(piece)]
    found = _pair(found, "''", lambda inside: [Piece("strong", inside=tuple(inside))])
    for piece in found:
        yield from _settled(piece)


def _settled(piece: Piece) -> Iterator[Piece]:
    if piece.what == "sign":
        yield Piece("text", piece.text)
    elif piece.what == "strong":
        inside = tuple(part for held in piece.inside for part in _settled(held))
        yield Piece("strong", inside=inside)
    else:
        yield piece


def _loose_quotes(piece: Piece) -> tuple[Piece, ...]:
    """Three quotes without a partner hold two that may have one."""
    if piece.what == "sign" and piece.text == "'''":
        return (Piece("sign", "''"), Piece("text", "'"))
    return (piece,)


def _pair(found: list[Piece], sign: str, wrap: Callable[[list[Piece]], list[Piece]]) -> list[Piece]:
    places = [n for n, piece in enumerate(found) if piece.what == "sign" and piece.text == sign]
    if len(places) < 2:
        return found
    out = Piece("out", sign, "markup")
    paired: list[Piece] = []
    done = 0
    for first, last in zip(places[::2], places[1::2], strict=False):
        inside = found[first + 1 : last]
        paired += [*found[done:first], out, *wrap(inside), out]
        done = last + 1
    return paired + found[done:]
