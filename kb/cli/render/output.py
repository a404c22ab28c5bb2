"""Prints text for people: the one place where text goes to the terminal.

Everything is wrapped to the terminal's width, and characters that control a terminal are shown as
marks: text of a page can neither move the cursor nor hide anything. Colours are used on a terminal
alone, and what is longer than a terminal's screen goes to a pager.

Text is broken into lines by its width in a terminal, as Japanese and English are broken.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TextIO

import click

from kb import page_and_section
from kb.cli.signals import interrupts_as_exceptions
from kb.control_characters import CONTROLS
from kb.shared_wording import counted as counted
from kb.shared_wording import dotted

if TYPE_CHECKING:
    from kb import LeftOut, Node, Reason

# What stays together on a line: a word with the signs at it, or a wide character with the
# opening signs before it and the closing ones behind it. By the rules of Japanese typesetting an
# opening sign ends no line, and a closing one, a small kana or a mark of repetition begins none.
_OPENING = "（「『【〔《〈［｛([{“‘"
_CLOSING = (
    "、。，．・：；？！）」』】〕》〉］｝ー…々ゝゞ)]}”’,.;:?!"
    + "ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ"
)
# From the radicals to the ideographs, with kana and punctuation but not the wide space (U+3000),
# where a line may end; further ideographs; full-width forms. Hangul has spaces between its words.
_WIDE = r"\u2e80-\u2fff\u3001-\u9fff\uf900-\ufaff\uff00-\uffef"
_UNIT = re.compile(
    rf"[{re.escape(_OPENING)}]*(?:[{_WIDE}]|[^\s{_WIDE}]+)(?: ?[{re.escape(_CLOSING)}])*"
    rf"|[{re.escape(_OPENING)}]+"
)
_INVISIBLE = {"Mn", "Me", "Cf"}  # Unicode categories of characters without a width


def cell_width(text: str) -> int:
    """Return how many columns a text takes in a terminal.

    >>> cell_width("札 a")
    4
    """
    if text.isascii():
        return len(text)
    return sum(map(_character_width, text))


def _character_width(character: str) -> int:
    if unicodedata.category(character) in _INVISIBLE:
        return 0
    return 1 + (unicodedata.east_asian_width(character) in "WF")


def break_lines(text: str, width: int, first_width: int | None = None) -> list[tuple[int, int]]:
    """Return the start and end of each line into which a text is broken, in order; none for a text
    without any but white space. The spaces around a line are in none.

    text: its line ends are kept; lines without any text are left out.
    width: of a line, in columns; what can't be broken and is wider is broken anywhere.
    first_width: of the first line, if that is another.

    >>> [("a bc d"[start:end]) for start, end in break_lines("a bc d", 4)]
    ['a bc', 'd']
    """
    lines: list[tuple[int, int]] = []
    for paragraph in re.finditer(r"\S[^\n]*", text):
        start = end = paragraph.start()
        columns = 0
        for unit_start, unit_end in _units(
            text, *paragraph.span(), min(width, first_width or width)
        ):
            room = width if lines or first_width is None else first_width
            added = cell_width(text[end:unit_end])
            if columns and columns + added > room:
                lines.append((start, end))
                start, columns, added = unit_start, 0, cell_width(text[unit_start:unit_end])
            columns += added
            end = unit_end
        if end > start:
            lines.append((start, end))
    return lines


def _units(text: str, start: int, end: int, width: int) -> list[tuple[int, int]]:
    """Return the start and end of each piece of text[start:end] that stays on one line, in order
    and without the spaces between; none is wider than `width`, unless it is a single character."""
    units = []
    for match in _UNIT.finditer(text, start, end):
        piece_start, columns = match.start(), 0
        if cell_width(match[0]) > width:
            for position in range(match.start(), match.end()):
                character_width = _character_width(text[position])
                if columns + character_width > width:
                    units.append((piece_start, position))
                    piece_start, columns = position, 0
                columns += character_width
        units.append((piece_start, match.end()))
    return units


def shortened(text: str, columns: int) -> str:
    """Return a text on one line, cut off with `…` if it is wider than some columns.

    >>> shortened("引く（ドロー）", 8)
    '引く（…'
    """
    text = " ".join(text.split())
    if cell_width(text) <= columns:
        return text
    room = columns - 1
    for position, character in enumerate(text):
        room -= _character_width(character)
        if room < 0:
            return text[:position].rstrip() + "…"
    return text


def shortened_start(text: str, columns: int) -> str:
    """Return the end of a text on one line, after `…` if it is wider than some columns.

    >>> shortened_start("通常のドロー", 8)
    '…ドロー'
    """
    text = " ".join(text.split())
    if cell_width(text) <= columns:
        return text
    return shortened(text[::-1], columns)[::-1]


_MAX_QUESTION = 60  # columns of a ruling's question, by hand: with where it is from a line of 80


def name_of(node: Node) -> str:
    """Return the name that people use for a node: a rule's number and heading, a ruling's question
    (in 「」, cut to 60 columns), the place of a passage or section, another node's label, or its id
    if it has none. Of terms of one game and name all but one are numbered: `Draw (2)`."""
    if node.series:
        heading = f" {node.label}" if node.label else ""
        return f"{node.number}{heading}"
    if node.kind == "ruling":
        return f"「{shortened(node.label or '', _MAX_QUESTION)}」"
    if node.kind in ("passage", "section"):
        return place_name(node.id)
    if node.kind == "term" and node.label and node.id.endswith(")"):
        # Another term of the game has the name, and the id says which this is: `Draw (2)`.
        own = node.id.split("/", 2)[-1]
        return own if own.startswith(f"{node.label} (") else node.label
    return node.label or node.id


def origin_of(node: Node) -> str:
    """Return a node's kind, game, edition (`edition 20231117`), date, language and source, in this
    order and as far as it has them, in one text with ` · ` between them."""
    edition = node.edition and f"edition {node.edition}"
    return dotted(node.kind, node.game, edition, node.date, node.lang, node.source)


def place_name(place: str) -> str:
    """Return where something stands, for people: the page, and the section behind `›`.

    place: the id of a page, section or passage; the names in it are the page's own.

    >>> place_name("mtgwiki/引く#ルール¶4"), place_name("mtgwiki/引く¶2")
    ('引く › ルール', '引く')
    >>> place_name("rulebook/mtg/cr/20231117/en#Glossary¶382")
    'mtg/cr/20231117/en › Glossary'
    """
    page, section = page_and_section(place)
    page = page.partition("/")[2] or page
    return f"{page} › {section}" if section else page


Style = Literal["bold", "dim", "marked", "good", "bad", "warning"]
_STYLES: dict[Style, dict[str, Any]] = {
    "bold": {"bold": True},
    "dim": {"dim": True},
    "marked": {"bold": True, "fg": "green"},
    "good": {"fg": "green"},
    "bad": {"fg": "red"},
    "warning": {"fg": "yellow"},
}
# Columns, by hand: below 40 indents and columns of names leave no room for Japanese words, and
# lines above 120 are tiring to read.
_NARROWEST, _WIDEST = 40, 120
_UNLIMITED = 1 << 30  # columns; any number that no text reaches
_NAME_WIDTH = 10  # columns of a field's name: `mentioned` and `otherwise`, the longest, and a space
_MAX_ALSO = 6  # things left out that are listed, by hand: a line or two each; --json has all
# White space that would move the cursor, and Unicode's ends of lines and paragraphs, which are
# such.
_SPACES = str.maketrans({"\t": " ", "\r": " ", "\u2028": "\n", "\u2029": "\n", "\x0b": " "})


@dataclass(frozen=True, slots=True)
class Styled:
    """A text in a style, to be a part of what `echo` prints."""

    text: str
    style: Style

    def __format__(self, _spec: str) -> NoReturn:
        raise TypeError("a styled text is a part of its own for `echo`; a format loses its style")


Part = str | Styled


def bold(text: str) -> Styled:
    """Return a text styled as a heading."""
    return Styled(text, "bold")


def dim(text: str) -> Styled:
    """Return a text styled as secondary."""
    return Styled(text, "dim")


def marked(text: str) -> Styled:
    """Return a text styled as what was looked for."""
    return Styled(text, "marked")


def good(text: str) -> Styled:
    """Return a text styled as something added or right."""
    return Styled(text, "good")


def bad(text: str) -> Styled:
    """Return a text styled as something removed or wrong."""
    return Styled(text, "bad")


def warning(text: str) -> Styled:
    """Return a text styled as a warning."""
    return Styled(text, "warning")


def with_marks(text: str, spans: Iterable[tuple[int, int]], style: Style = "marked") -> list[Part]:
    """Return a text as parts in which some spans have a style; no part is empty.

    spans: (start, end) in the text, in order; one that is empty or begins in the one before has no
        style.

    >>> with_marks("a b c", [(2, 3)])
    ['a ', Styled(text='b', style='marked'), ' c']
    """
    parts: list[Part] = []
    position = 0
    for start, end in spans:
        if start < position or end <= start:
            continue
        parts += [text[position:start], Styled(text[start:end], style)]
        position = end
    return [part for part in (*parts, text[position:]) if part]


def text_width() -> int:
    """Return how many columns text is wrapped to: the terminal's, or those of `COLUMNS`, at least
    40 and at most 120; 80 where there is no terminal."""
    return max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size((80, 24)).columns))


def printable(text: str) -> str:
    """Return a text in which characters that control a terminal are marks (of those outside ASCII
    `<U+009B>`); tabs and carriage returns are spaces, line ends stay.

    >>> printable("a\\x1b[2Jb"), printable("a\\tb")
    ('a␛[2Jb', 'a b')
    """
    return CONTROLS.sub(_mark, text.translate(_SPACES))


def _mark(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)  # Unicode's pictures of control characters
    return "␡" if code == 0x7F else f"<U+{code:04X}>"


# -- paragraphs and lines ---------------------------------------------------------------------


def echo(
    *parts: Part,
    command: str = "",
    separator: str = ": ",
    indent: int = 0,
    hang: int = 2,
    err: bool = False,
) -> None:
    """Print one paragraph, wrapped; without parts an empty line.

    parts: text and styled text, one behind the other. Line ends in them are kept.
    command: what is to be typed or opened, behind the parts. It is never broken: where it doesn't
        fit the line it has its own.
    separator: what is between the parts and a command on one line.
    indent: columns before the first line. hang: how many more columns are before all other lines.
    err: print on standard error; only on a terminal it is wrapped there.
    """
    width = _UNLIMITED if err and not sys.stderr.isatty() else text_width()
    behind = f"{separator if parts else ''}{command}"
    if command and indent + cell_width("".join(map(_text, parts)) + behind) <= width:
        parts, command = (*parts, dim(behind)), ""
    if parts or not command:
        for line in _paragraph_lines(parts, width, indent, hang, _has_colours(err)):
            _write(line, err)
    if command:
        url(command, indent + hang, err)


def field(
    name: str, *parts: Part, command: str = "", separator: str = "; ", indent: int = 2
) -> None:
    """Print a value behind its name; further lines hang behind the name.

    name: dim, in a column of its own; `""` continues the field above.
    command, separator: as for `echo`.
    """
    column = indent + _NAME_WIDTH
    if not name:
        echo(*parts, command=command, separator=separator, indent=column, hang=0)
        return
    start = (dim(name), " " * max(1, _NAME_WIDTH - cell_width(name)))
    separator = separator if parts else ""
    hang = _NAME_WIDTH
    echo(*start, *parts, command=command, separator=separator, indent=indent, hang=hang)


def url(address: str, indent: int = 2, err: bool = False) -> None:
    """Print an address or a command dim on a line of its own, whole however long it is: a broken
    one can't be opened or typed. Line ends in it are printed as spaces."""
    line = f"{' ' * indent}{printable(address)}".replace("\n", " ")
    _write(_in_style(line, "dim", _has_colours(err)), err)


def total(text: str) -> None:
    """Print the line with the sums that ends a result."""
    echo(bold(text))


def more(cut: Reason | tuple[str, str] | str | None) -> None:
    """Print how to go on where a list was cut, or a sentence and a command; nothing for None."""
    if isinstance(cut, str):
        echo(dim(cut))
    elif cut:
        from kb.cli.wording import TERMINAL  # most results say nothing

        said = cut if isinstance(cut, tuple) else TERMINAL.sentence_and_command(cut)
        echo(dim(said[0]), command=said[1])


def said(reason: Reason) -> str:
    """Return the sentence of a reason, with the command that gives the rest in it, if there is
    one."""
    from kb.cli.wording import TERMINAL

    return TERMINAL.with_ask(reason)


def also(left_out: Sequence[LeftOut]) -> None:
    """Print what an answer left out, why, and how to ask for it: the first six, and how many others
    there are; nothing if nothing was."""
    for index, item in enumerate(left_out[:_MAX_ALSO]):
        parts, command = left_out_parts(item)
        name = "" if index else "also"
        field(name, *parts, command=command, separator=": ", indent=0)
    if len(left_out) > _MAX_ALSO:
        field("", dim(f"and {len(left_out) - _MAX_ALSO} more: --json names them"), indent=0)


def left_out_parts(item: LeftOut) -> tuple[list[Part], str]:
    """Return what to print of something that was left out: its id and why, or only why if it has no
    id; and the command, which may be empty."""
    from kb.cli.wording import TERMINAL

    sentence, command = TERMINAL.sentence_and_command(item.reason)
    parts: list[Part] = [sentence] if item.id is None else [item.id, dim(f" ({sentence})")]
    return parts, command


def end_of_result(
    *,
    sums: str = "",
    cut: Reason | tuple[str, str] | str | None = None,
    left_out: Sequence[LeftOut] = (),
    notices: Iterable[str | None] = (),
) -> None:
    """Print what ends every result, in the same order behind an empty line: the sums, how to go on
    where it was cut, what was left out, and notices to readers. What is empty is not printed."""
    notices = {notice for notice in notices if notice}
    if sums or cut or left_out or notices:
        echo()
    if sums:
        total(sums)
    more(cut)
    also(left_out)
    note(notices)


def some_of(before: int, shown: int) -> str:
    """Return which ones of many a part of a result shows, without how many there are.

    >>> some_of(0, 20), some_of(1000, 20), some_of(20, 1)
    ('20', '1,001–1,020', '21')
    """
    if not before:
        return f"{shown:,}"
    first, last = before + 1, before + shown
    return f"{first:,}–{last:,}" if shown > 1 else f"{first:,}"


def note(notices: Iterable[str | None]) -> None:
    """Print notices to readers below a result, a line each behind `Note: `, each different one
    once, sorted; nothing for None and empty ones."""
    for notice in sorted({notice for notice in notices if notice}):
        echo(dim(f"Note: {notice}"), hang=6)


# -- tables -----------------------------------------------------------------------------------


def print_table(
    headings: Sequence[str], rows: Sequence[Sequence[Part]], right: Iterable[int] = ()
) -> None:
    """Print a table of short cells. Where it is wider than the terminal, the widest columns are
    made narrower and their cells wrapped.

    headings: one a column; no line of headings is printed if all are empty.
    right: the indexes of columns that are aligned to the right.
    """
    table = [[printable(_text(cell)) for cell in row] for row in rows]
    widths = _column_widths([list(headings), *table])
    aligned = frozenset(right)
    if any(headings):
        _print_row([dim(heading) for heading in headings], widths, aligned)
        echo(dim("  ".join("─" * width for width in widths)))
    for row in rows:
        _print_row(row, widths, aligned)


def _column_widths(table: Sequence[Sequence[str]]) -> list[int]:
    """Return the widths of columns so that a row fits the terminal, with gaps of two columns; a row
    is wider all the same where no column is wider than six.

    table: rows of as many cells each, one at least; ValueError if not.
    """
    widths = [max(map(cell_width, column)) for column in zip(*table, strict=True)]
    room = text_width() - 2 * (len(widths) - 1)
    while sum(widths) > room and max(widths) > 6:
        widths[widths.index(max(widths))] -= 1
    return widths


def _print_row(row: Sequence[Part], widths: Sequence[int], right: frozenset[int]) -> None:
    """Print a row of a table; cells that are wider than their column take several lines."""
    colours = _has_colours(False)
    cells = []
    for cell, width in zip(row, widths, strict=True):
        text = printable(_text(cell)).replace("\n", " ")
        cells.append([text[start:end] for start, end in break_lines(text, width)])
    for index in range(max(map(len, cells), default=0)):
        line = ""
        for column, (lines, width) in enumerate(zip(cells, widths, strict=True)):
            text = lines[index] if index < len(lines) else ""
            padding = " " * (width - cell_width(text))
            cell = row[column]
            styled = _in_style(text, cell.style, colours) if isinstance(cell, Styled) else text
            line += (padding + styled if column in right else styled + padding) + "  "
        _write(line.rstrip(), err=False)


# -- the way out ------------------------------------------------------------------------------

_ERASE_LINE = "\r\x1b[2K"
_held: list[str] | None = None  # lines that wait for the end of a result, while `paged`
_progress_stands = False  # whether the last line of standard error is one of progress


@contextmanager
def paged() -> Iterator[None]:
    """Hold back what is printed on standard output until the block ends, and then print it; if it
    is longer than the terminal's screen, in a pager.

    The pager is `$SANSHO_PAGER`, else `$PAGER`, else `less`; an empty value or `cat` is none. There
    is none where standard input or output is no terminal.
    """
    global _held
    pager = os.environ.get("SANSHO_PAGER", os.environ.get("PAGER", "less"))
    if pager in ("", "cat") or not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield
        return
    _held = []
    try:
        yield
    finally:
        lines, _held = _held, None
        if len(lines) < shutil.get_terminal_size().lines:
            for line in lines:
                _write(line, err=False)
        else:
            os.environ["PAGER"] = pager
            os.environ.setdefault("LESS", "FRX")  # colours; no pager if all fits; leave it printed
            with interrupts_as_exceptions():  # a pager handles them itself; click waits for it
                click.echo_via_pager("\n".join(lines) + "\n", color=_has_colours(False))


def rewrite_progress(text: str) -> None:
    """Print progress on standard error, in one line in place of the line before if that was of
    progress. What is printed next takes its place, too."""
    global _progress_stands
    _progress_stands = True
    columns = os.get_terminal_size(sys.stderr.fileno()).columns or text_width()
    line = shortened(printable(text), columns - 1)
    click.echo(_ERASE_LINE + line, sys.stderr, nl=False, color=True)


def erase_progress() -> None:
    """Erase the line of progress if there is one, past the buffer of standard error, which may be
    in use when a signal ends the process."""
    global _progress_stands
    if _progress_stands:
        _progress_stands = False
        os.write(sys.stderr.fileno(), _ERASE_LINE.encode())


def _write(line: str, err: bool) -> None:
    """Print a line that is ready for the terminal, in place of progress; while `paged` holds it
    back, keep it."""
    erase_progress()
    if _held is not None and not err:
        _held.append(line)
    else:
        # Of a stream that is not named, click changes the charset where that is ASCII.
        click.echo(line, sys.stderr if err else sys.stdout, color=_has_colours(err))


def _has_colours(err: bool) -> bool:
    """Return whether standard output (or error) shows styles: on a terminal that knows them, unless
    `NO_COLOR` is set; anywhere if `FORCE_COLOR` is. Of both `NO_COLOR` wins; an empty one is not
    set."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return is_screen(err)


def is_screen(err: bool) -> bool:
    """Return whether standard output (or error) is a terminal that obeys control sequences: any but
    one whose `TERM` is `dumb`."""
    stream: TextIO = sys.stderr if err else sys.stdout
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _paragraph_lines(
    parts: Sequence[Part], width: int, indent: int, hang: int, colours: bool
) -> list[str]:
    """Return the lines of a paragraph, indented and with styles if there are colours; one empty
    line for an empty one. However deep the indent is, ten columns are left for text."""
    pieces = [printable(_text(part)) for part in parts]
    text = "".join(pieces)
    styles: list[tuple[int, int, Style]] = []
    position = 0
    for piece, part in zip(pieces, parts, strict=True):
        if isinstance(part, Styled) and colours:
            styles.append((position, position + len(piece), part.style))
        position += len(piece)
    later_width = max(_NARROWEST // 4, width - indent - hang)
    lines: list[str] = []
    for start, end in break_lines(text, later_width, max(_NARROWEST // 4, width - indent)):
        margin = " " * (indent + (hang if lines else 0))
        lines.append(margin + _with_styles(text, start, end, styles))
    return lines or [""]


def _with_styles(text: str, start: int, end: int, styles: list[tuple[int, int, Style]]) -> str:
    """Return text[start:end] with escape sequences for the styles that are in it.

    styles: (start, end, style) in the text, in order, without overlap.
    """
    line = ""
    for style_start, style_end, style in styles:
        first, last = max(style_start, start), min(style_end, end)
        if first < last:
            line += text[start:first] + _in_style(text[first:last], style, True)
            start = last
    return line + text[start:end]


def _in_style(text: str, style: Style, colours: bool) -> str:
    return click.style(text, **_STYLES[style]) if colours and text else text


def _text(part: Part) -> str:
    return part.text if isinstance(part, Styled) else part


def print_nothing(
    message: str, hints: Iterable[Reason] = (), left_out: Sequence[LeftOut] = ()
) -> None:
    """Print a message that nothing was found, with hints and what was left out below it: all on
    standard error, as one is of no use without the other.

    message: begins with `No`, and is put otherwise where not all were looked at.
    """
    from kb.cli.wording import TERMINAL

    if any(item.reason.code.endswith("_of_first_mentions") for item in left_out):
        message = f"Of those that were looked at, n{message[1:]}"
    echo(message, err=True)
    for reason in hints:
        sentence, command = TERMINAL.sentence_and_command(reason)
        echo(sentence, command=command, indent=2, err=True)
    for item in left_out:
        parts, command = left_out_parts(item)
        echo(*parts, command=command, indent=2, err=True)
