"""Parses PukiWiki's inline markup: splits a line of source into texts and what is beside them.

Every character of a line ends in a piece that is shown, or is left out under a reason. Pairs of
brackets are matched in one pass over the line, so that the time is linear in its length.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from html import unescape
from html.entities import name2codepoint
from typing import Literal, NamedTuple

from scraper.markup.page_builder import LinkTarget
from scraper.markup.size_limits import fit_text
from scraper.page import text_size

# Where markup may begin. The pattern begins with one set of characters, few of which are in
# Japanese text: `re` finds them several times as fast as it tries alternatives at each character.
_MARK = re.compile(
    r"""[&'%(\[}hfnCS]
    (?: (?<=&)(?=[#\w]) | (?<=')'+ | (?<=%)%%? | (?<=\()\( | (?<=\[)\[ | (?<=\})
      | (?<=h)ttps?:// | (?<=f)tp:// | (?<=n)ews:// | (?<=C)OLOR\( | (?<=S)IZE\( )""",
    re.ASCII | re.VERBOSE,
)
_URL = re.compile(r"(?:(?:https?|ftp|news)://|mailto:)[\w/@$()!?&%#:;.,~'=*+-]+", re.ASCII)
# Bounds of 64 here and below, and of 30 for references, are guards: they bound time.
_MAIL = re.compile(r"[\w.-]{1,64}@[\w-]{1,64}\.[\w.-]+", re.ASCII)
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});", re.ASCII)
_PLUGIN = re.compile(r"&(\w{1,64})([({;])", re.ASCII)
_PLUGIN_BRACKET = re.compile(r"&\w{1,64}[({]|\)[;{]|\};", re.ASCII)
_NOTE_BRACKET = re.compile(r"\(\(|\)\)")
_STYLE = re.compile(r"(?:COLOR|SIZE)\([^()]*\)[:{]")
_PAGE = re.compile(r'(?!\s)(:?[^\r\n\t\f\[\]<>#&":]+:?)?(?<!\s)(?:#([A-Za-z][\w-]*)?)?', re.ASCII)
_INTERWIKI = re.compile(r":?[^\s:\[\]<>]+:[^>\[\]]+")
# Nested pieces; what is nested deeper is shown as it is. A guard of the recursion: the sources of a
# wiki of 19,598 pages go to 3.
_DEEPEST = 20
_FACES = frozenset("smile bigsmile huh oh wink sad heart worried sweat tear umm".split())
# The reason to leave out a plugin that shows no text of the page, by its name.
_SILENT = {"aname": "anchor mark", "ref": "picture", "counter": "plugin", "online": "plugin",
           "now": "plugin", "date": "plugin", "time": "plugin", "version": "plugin",
           "lastmod": "plugin", "page": "plugin", "fpage": "plugin", "t": "plugin",
           "tag": "plugin", "attachref": "picture", "null": "plugin"}  # fmt: skip
_EMPHASIS = frozenset(("%%%", "%%", "'''", "''"))
LeaveOut = Callable[[str, str], None]  # counts a text that is not shown, by a reason
MarkKind = Literal["sign", "break", "note", "link", "strong", "ruby", "end", "end of ruby"]


class Mark(NamedTuple):
    """What is in a line beside its texts.

    what: its kind. `link`, `strong` and `ruby` begin what `end` or `end of ruby` ends. `sign` is a
        mark of emphasis that is not yet paired.
    text: the sign, the source of a `note` (a footnote), or the reading that ends a `ruby`.
    to: what a `link` leads to.
    """

    what: MarkKind
    text: str = ""
    to: LinkTarget | None = None


Piece = str | Mark  # a text that is shown, which is never empty, or what is beside it
_BREAK, _STRONG, _RUBY, _END = Mark("break"), Mark("strong"), Mark("ruby"), Mark("end")


@dataclass(frozen=True, slots=True)
class Here:
    """The page that a line is on, which relative links start from.

    name: the full name of the page.
    prefix: what all names of a second wiki on the same site begin with; links leave it out.

    >>> Here("遊戯王/カード").full_name("../用語"), Here("a/b").full_name("./c")
    ('遊戯王/用語', 'a/b/c')
    """

    name: str
    prefix: str = ""

    def full_name(self, name: str) -> str:
        """Return the full name of the page that a link with this name leads to.

        Names that begin with `./` or `../` are relative to this page, all others to the top of the
        wiki. An empty name or `./` leads to this page, `/` to `FrontPage`.

        name: the name as in the link, without `#` and an anchor. The result has the prefix.
        """
        if name and name[0] not in "./":
            return self.prefix + name
        current = self.name.removeprefix(self.prefix)
        if name in {"", "./"}:
            target = current
        elif name.startswith("./"):
            target = "/".join([current, *filter(None, name[2:].split("/"))])
        elif name.startswith("../"):
            target = _resolve_parents(current, [part for part in name.split("/") if part])
        else:
            target = name.removeprefix("/") or "FrontPage"
        return self.prefix + target


def _resolve_parents(current: str, steps: list[str]) -> str:
    """Return the name that steps, the first of them `..`, lead to from the current page.

    The top of the wiki, and all above it, is `FrontPage`.

    current: its name without prefix; steps: the parts of the link between the slashes, none empty.
    """
    base = [part for part in current.split("/") if part]
    up = 0
    while up < len(steps) and steps[up] == "..":
        up += 1
    base = base[: max(0, len(base) - up)] or ["FrontPage"]
    return "/".join([*base, *steps[up:]])


def _uncounted(_reason: str, _text: str) -> None:
    """Leave out a text without counting it."""


def pieces(
    line: str, here: Here, leave_out: LeaveOut = _uncounted, links: bool = True, depth: int = 0
) -> list[Piece]:
    """Parse the inline markup of a line into pieces, in their order.

    Emphasis is paired: no piece is a `sign`. An empty line has no pieces.

    line: the source without the marks of block markup.
    here: the page that it is on, which relative links start from.
    leave_out: called for each part of the line that is not shown.
    links: if false, only plugins and emphasis are parsed, as in the words of a link.
    depth: how deep the line is nested in other pieces; what is too deep is text as it is written.

    >>> found = pieces("[[引く>ドロー]]は''強い''", Here("X"))
    >>> [piece if isinstance(piece, str) else piece.what for piece in found]
    ['link', '引く', 'end', 'は', 'strong', '強い', 'end']
    """
    mark = _MARK.search(line)
    if mark is None or depth > _DEEPEST:
        return [line] if line else []
    parser = _Parser(line, here, leave_out, links, depth)
    parser.parse(mark)
    return _pair_emphasis(parser.pieces, leave_out) if parser.has_signs else parser.pieces


@dataclass(slots=True)
class _Parser:
    """Parses one line. The methods for marks take where a mark starts in the line.

    They append pieces and return where the mark ends, or its start if it is only text.

    pieces: the result so far; has_signs: whether there are marks of emphasis in it.
    braces: how many braces of COLOR and SIZE are open.
    plugin_ends, note_ends: where brackets are closed, by where they are opened; None before they
        are looked for.
    closing: the position of the last `]]` that was looked for; -1 if there is no more, -2 before.
    target_span, target: the span of the last link target that was parsed, and the result.
    separator: where the last `>` stands before `closing`; -1 if there is none.
    scheme, colon: where the first `://` behind the last `[[` stands, or -1; and the colon of the
        URL up to `closing` that begins with it, or -1. All brackets before it have the same.
    """

    line: str
    here: Here
    leave_out: LeaveOut
    links: bool
    depth: int
    pieces: list[Piece] = field(default_factory=list)
    has_signs: bool = False
    braces: int = 0
    plugin_ends: dict[int, int] | None = None
    note_ends: dict[int, int] | None = None
    closing: int = -2
    target_span: tuple[int, int] = (-1, -1)
    target: LinkTarget | None = None
    separator: int = -1
    scheme: int = -1
    colon: int = -1

    def parse(self, mark: re.Match[str] | None) -> None:
        """Parse the line; the result is in `pieces`. Marks of emphasis in it are not yet paired.

        mark: the first match of `_MARK`.
        """
        line, pieces = self.line, self.pieces
        done = 0
        while mark:
            start = mark.start()
            before = len(pieces)
            end = self.parse_mark(start, mark[0])
            if end > start:
                if start > done:
                    pieces.insert(before, line[done:start])
                done = end
            mark = _MARK.search(line, max(end, start + 1))  # `[[` is text in `[[[page]]]`
        if done < len(line):
            pieces.append(line[done:])

    def parse_inside(self, text: str, links: bool) -> list[Piece]:
        """Parse the words of a link or a plugin. If `links` is false, links in them are text."""
        return pieces(text, self.here, self.leave_out, links, self.depth + 1)

    def parse_mark(self, start: int, sign: str) -> int:
        """Parse what begins with a mark; return where it ends, or `start` if it is only text.

        Quotes and `%` become a `sign` piece. If `links` is false, footnotes, links in brackets and
        URLs are text; plugins and styles are parsed even then.

        start: the offset of the mark in the line; sign: the mark, as `_MARK` matches it.
        """
        if sign[0] in "'%":
            self.pieces.append(Mark("sign", sign))
            self.has_signs = True
            return start + len(sign)
        if sign == "&":
            return self.parse_plugin(start)
        if sign in {"COLOR(", "SIZE("}:
            return self.parse_style(start)
        if sign == "}":
            return self.parse_brace(start)
        if not self.links:
            return start
        if sign == "((":
            return self.parse_note(start)
        return self.parse_bracket(start) if sign == "[[" else self.parse_url(start)

    def parse_style(self, start: int) -> int:
        """Parse the beginning of COLOR(…){…} or SIZE(…){…}, or of these with a colon.

        It is left out. After a brace `braces` is one more; its end is parsed by `parse_brace`.

        start: the offset of the style's name in the line.
        """
        if not (match := _STYLE.match(self.line, start)):
            return start
        self.braces += match[0][-1] == "{"
        self.leave_out("style mark", match[0])
        return match.end()

    def parse_brace(self, start: int) -> int:
        """Parse the brace that ends COLOR(…){…} or SIZE(…){…}. It is text if `braces` is 0.

        start: the offset of the brace in the line.
        """
        if not self.braces:
            return start
        self.braces -= 1
        self.leave_out("style mark", "}")
        return start + 1

    def parse_note(self, start: int) -> int:
        """Parse a footnote: ((…)). Its source becomes one `note` piece, not parsed.

        It is text if `note_ends` has no end for it.

        start: the offset of `((` in the line.
        """
        if self.note_ends is None:
            self.note_ends = _note_ends(self.line)
        end = self.note_ends.get(start)
        if end is None:
            return start
        self.leave_out("markup", "(())")
        self.pieces.append(Mark("note", self.line[start + 2 : end]))
        return end + 2

    def parse_url(self, start: int) -> int:
        match = _URL.match(self.line, start)
        if not match:
            return start
        self.pieces += (Mark("link", "", LinkTarget("external", match[0])), match[0], _END)
        return match.end()

    # -- [[words>target]] -----------------------------------------------------------------
    def parse_bracket(self, start: int) -> int:
        """Parse a link in brackets: [[target]], [[words>target]] or [[words:URL]].

        The last `>` separates. Words are parsed without links in them; a target alone is shown as
        it is written. All is text if there is no `]]`, or the target can't be one.

        start: the offset of `[[` in the line.
        """
        if self.closing != -1 and self.closing < start + 2:
            self.closing = self.line.find("]]", start + 2)
            self.separator = self.line.rfind(">", start + 2, self.closing)
            self.find_url(start + 2, self.closing)
        end = self.closing
        if end < 0:
            return start
        words_end = self.separator
        if self.separator < start + 2:
            colon = self.url_colon(start + 2, end)
            words_end = colon if colon >= 0 else end
        target_start = words_end + 1 if words_end < end else start + 2
        to = self.parse_target(target_start, end) if words_end > start + 2 else None
        if to is None:
            return start
        self.leave_out("markup", "[[]]")
        words = self.line[start + 2 : words_end]
        self.pieces.append(Mark("link", "", to))
        if words_end == end:
            self.pieces.append(words)
        else:
            self.pieces += self.parse_inside(words, False)
            self.leave_out("link target", self.line[words_end:end])
        self.pieces.append(_END)
        return end + 2

    def parse_target(self, start: int, end: int) -> LinkTarget | None:
        """Return the target of a link, which is line[start:end]; None if it can't be one.

        The last result is cached, as every bracket before it asks for the same span.
        """
        if self.target_span != (start, end):
            self.target_span = (start, end)
            self.target = _parse_target(self.line, start, end, self.here)
        return self.target

    def url_colon(self, start: int, end: int) -> int:
        """Return the offset in the line of the colon in [[words:URL]], or -1.

        start, end: the span of what is between the brackets.
        """
        if -1 < self.scheme < start:
            self.find_url(start, end)
        return self.colon if self.colon > start else -1

    def find_url(self, start: int, end: int) -> None:
        """Find the first `://` in line[start:end], and the colon before the URL that it is in,
        which must go up to `end`; set `scheme` and `colon`, each -1 if there is none."""
        self.scheme = self.line.find("://", start, end)
        self.colon = self.line.rfind(":", start, self.scheme) if self.scheme > 0 else -1
        match = _URL.match(self.line, self.colon + 1, end) if self.colon >= 0 else None
        if match is None or match.end() != end:
            self.colon = -1

    # -- &plugin(options){words}; and references ------------------------------------------
    def parse_plugin(self, start: int) -> int:
        """Parse what begins with an ampersand: a character reference or an inline plugin.

        A reference gives its character as text. `&name;` is parsed by `parse_bare_plugin`.
        `&name(…);` is left out. Of `&name(…){words};` and `&name{words};` the words are parsed and
        shown, for `ruby` as a `ruby` piece with the options as reading.

        start: the offset of the ampersand in the line.

        Return where it ends; `start` if it is only text (not closed, or unknown), which the caller
        then adds.
        """
        reference = _REFERENCE.match(self.line, start)
        if reference and (character := _character(reference[0])):
            self.pieces.append(fit_text(character))
            self.leave_out(
                "character reference", reference[0][: len(reference[0]) - text_size(character)]
            )
            return reference.end()
        match = _PLUGIN.match(self.line, start)
        if not match:
            return start
        name, sign = match[1].lower(), match[2]
        if sign == ";":
            return self.parse_bare_plugin(start, match.end(), name)
        if self.plugin_ends is None:
            self.plugin_ends = _plugin_ends(self.line)
        end = self.plugin_ends.get(match.end() - 1)
        if end is None:
            return start
        options_end = match.end() - 1
        if sign == "(":
            options_end = end + 1
            if self.line[options_end] == ";":
                self.leave_out(_SILENT.get(name, "plugin"), self.line[start : options_end + 1])
                return options_end + 1
            end = self.plugin_ends.get(options_end, -1)
            if end < 0:
                return start
        words = self.parse_inside(self.line[options_end + 1 : end], self.links)
        if name == "ruby" and sign == "(":
            reading = self.line[match.end() : options_end - 1]
            self.leave_out("markup", self.line[start : match.end()] + "){};")
            self.pieces += (_RUBY, *words, Mark("end of ruby", reading))
        else:
            self.leave_out(
                "style mark" if name in {"size", "color"} else "plugin",
                self.line[start : options_end + 1] + "};",
            )
            self.pieces += words
        return end + 2

    def parse_bare_plugin(self, start: int, end: int, name: str) -> int:
        """Parse a plugin without options or words, such as `&br;`.

        `br` gives a `break` piece; faces and the plugins of `_SILENT` are left out. Return `end`,
        or `start` if the plugin is not known, so that it is text.

        start, end: its span in the line; name: its name in lower case.
        """
        if name == "br":
            self.leave_out("line break", self.line[start:end])
            self.pieces.append(_BREAK)
        elif name in _FACES or name in _SILENT:
            self.leave_out("face" if name in _FACES else _SILENT[name], self.line[start:end])
        else:
            return start
        return end


def _character(reference: str) -> str:
    """Return the character that a reference such as `&amp;` stands for; empty if it is none.

    reference: with its `&` and `;`. Only the named references of HTML 4 are known.
    """
    if reference[1] != "#" and reference[1:-1] not in name2codepoint:
        return ""
    return unescape(reference)


def _parse_target(line: str, start: int, end: int, here: Here) -> LinkTarget | None:
    """Parse line[start:end] as the target of a link; None if it is none.

    Its kind is `page` (with the full name; also for a page that does not exist), `anchor` (in this
    page) or `external` (a URL, `mailto:…`, or a page of another wiki as it is written).

    here: the page that the line is on; relative names start from it.
    """
    if line[start].isascii():  # as all addresses are
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
    interwiki = _INTERWIKI.match(line, start, end)
    if interwiki and interwiki.end() == end:
        return LinkTarget("external", interwiki[0].removeprefix(":"))
    return None


def _plugin_ends(line: str) -> dict[int, int]:
    """Return where the bracket of each inline plugin's options or words is closed.

    Both positions are offsets in the line, of the opening (key) and of the closing bracket (value).
    A bracket that is not closed has no key.
    """
    ends: dict[int, int] = {}
    open_words: list[int] = []
    open_options = -1
    for bracket in _PLUGIN_BRACKET.finditer(line):
        last = bracket.end() - 1
        if bracket[0] == "};":
            if open_words:
                ends[open_words.pop()] = bracket.start()
        elif bracket[0][0] == ")":
            if open_options >= 0:
                ends[open_options] = bracket.start()
                if bracket[0] == "){":
                    open_words.append(last)
                open_options = -1
        elif bracket[0][-1] == "{":
            open_words.append(last)
        elif open_options < 0:
            open_options = last
    return ends


def _note_ends(line: str) -> dict[int, int]:
    """Return where each footnote in a line is closed, by where it is opened.

    Both are offsets in the line, of `))` and of `((`. One that is not closed has no key.
    """
    ends: dict[int, int] = {}
    open_notes: list[int] = []
    for bracket in _NOTE_BRACKET.finditer(line):
        if bracket[0] == "((":
            open_notes.append(bracket.start())
        elif open_notes:
            ends[open_notes.pop()] = bracket.start()
    return ends


# -- emphasis ---------------------------------------------------------------------------------
def _pair_emphasis(parts: list[Piece], leave_out: LeaveOut) -> list[Piece]:
    """Return pieces with their marks of emphasis paired; a mark without a partner is text.

    What is between two `''` is in `strong` and `end`. What is between two `%%%`, `%%` or `'''`
    stays as it is, only the marks are left out. The last of an odd number has no partner; of three
    quotes it counts as two and a character.
    """
    count = Counter(part.text for part in parts if isinstance(part, Mark) and part.what == "sign")
    if count["'''"] % 2:
        count["''"] += 1
    left = count.copy()  # how many of each sign are still to come
    paired: list[Piece] = []
    is_strong = False
    for part in parts:
        if isinstance(part, str) or part.what != "sign":
            paired.append(part)
            continue
        sign, rest = part.text, ""
        left[sign] -= 1
        if sign == "'''" and not left[sign] and count[sign] % 2:
            sign, rest = "''", "'"
            left[sign] -= 1
        if sign not in _EMPHASIS or (not left[sign] and count[sign] % 2):
            paired.append(sign)
        else:
            leave_out("markup", sign)
            if sign == "''":
                paired.append(_END if is_strong else _STRONG)
                is_strong = not is_strong
        if rest:
            paired.append(rest)
    return paired
