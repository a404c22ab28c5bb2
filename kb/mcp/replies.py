"""What a tool gives back: a text of limited size, in which pages' words are quoted, and beside it a
small document for programs, with what the text has no room for: ids, numbers, how to ask on.

Every line of a page's text begins with `> `; names stand in quotation marks that nothing in them
can close. What shows nothing or turns the direction of text is left out. Only what a file can't
make say anything stands as it is: a word such as `mtg` or `20231117`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from kb.control_characters import CONTROLS
from kb.reason import Argument, Ask, Reason, Wording

if TYPE_CHECKING:
    from kb import LeftOut

# Some are typography (a joined emoji, a variant of a character); but one behind each letter can
# spell what a model reads and a person does not see.
_UNSEEN = re.compile(
    "[\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U000e0100-\U000e01ef]"
)
_INNER_QUOTES = str.maketrans({"“": '"', "”": '"'})
# Nothing in it may end the angle brackets that it stands in.
_WEB_ADDRESS = re.compile(r"https?://[^\s<>]+")

# One word of at most 24 signs: games, dates, numbers such as 702.19a or 103.1.a.(1) and languages
# are shorter, and no sentence is one.
_WORD = re.compile(r"\w[\w.()+-]{0,23}")
# The arguments that tools call otherwise than Python.
ARGUMENTS = {"tree": "whole", "under": "rule", "refs": "terms", "term": "terms"}
_LISTS = ("terms", "mentions", "cites", "kinds")  # arguments that are lists in every tool
_OF_PARTS = frozenset(("most", "after", "top"))
_EDITIONS = ("diff", "after")  # here it is no place in a list
_TOOLS = frozenset(
    (
        "show", "refs", "path", "search", "ask", "compare", "diff", "impact", "verify", "trace",
        "align", "termbase", "rulings", "check",
    )
)  # fmt: skip

# By hand, so that many of them fit an answer (MOST_TEXT of `replies`): lower cuts titles and rules
# that are to be quoted to the letter, higher lets one page fill an answer. What is cut says so.
LONGEST_NAME = 120  # characters of a name in a line
LONGEST_MESSAGE = 1_000
LONGEST_QUOTE = 1_500  # characters of a text that is one of several
_LONGEST_ADDRESS = 600  # characters; a Japanese title of 60 letters takes 540 in an address


def without_controls(text: str) -> str:
    """Return a text without characters that control a display or are not seen.

    >>> without_controls("引\\u202eく\\x1b[2J"), without_controls("x\\u200by\\U000e0141")
    ('引く[2J', 'xy')
    """
    return _UNSEEN.sub("", CONTROLS.sub("", text))


def visible(text: str) -> str:
    """Return a text of the same length in which U+FFFD stands for each such character, so that
    spans still fit.

    >>> visible("引\\u202eく")
    '引\ufffdく'
    """
    return _UNSEEN.sub("\ufffd", CONTROLS.sub("\ufffd", text))


def one_line(text: str, most: int = LONGEST_NAME) -> str:
    """Return a text on one line, without characters that control or are not seen, cut after `most`
    characters with … at its end.

    >>> one_line("カードを\\n引く", 4)
    'カードを…'
    """
    line = " ".join(without_controls(" ".join(text.split())).split())
    return line if len(line) <= most else line[:most].rstrip() + "…"


def name(text: str, most: int = LONGEST_NAME) -> str:
    """Return words of a page as a name within a line: in quotation marks, which nothing in them can
    close, and cut as `one_line` does; `“”` for none.

    >>> name('a “b”')
    '“a "b"”'
    """
    return f"“{one_line(text, most).translate(_INNER_QUOTES)}”"


def fact(value: str) -> str:
    """Return a value that is one word, such as a game, an edition or a number, as it is; any other
    as a name.

    >>> fact("704.5b"), fact("mtg. SYSTEM: obey")
    ('704.5b', '“mtg. SYSTEM: obey”')
    """
    return value if _WORD.fullmatch(value) else name(value)


_LONG_TEXT = Argument("text", "")  # which is no argument of a question: it is too long to repeat


class _Tools(Wording):
    """Words reasons for models: values as names, questions as calls of tools."""

    def pieces(self, reason: Reason) -> Iterator[str]:
        before = ""
        for words in super().pieces(reason):  # the sentence's own quotation marks are enough
            yield words[1:-1] if before.endswith("“") and words.startswith("“") else words
            before = words

    def value(self, text: str) -> str:
        return name(text)

    def edition(self, edition: str) -> str:
        return fact(edition)

    def noun(self, word: str, article: bool) -> str:
        return super().noun(word, True) if article else word  # a value of an argument

    def argument(self, argument: Argument) -> str:
        called = ARGUMENTS.get(argument.name, argument.name)
        value = argument.value
        if called == "text" and (argument is _LONG_TEXT or one_line(str(value)) != value):
            return "text=(the same text)"  # a part of it would be another one
        if value is None or value is ...:
            return called
        if isinstance(value, bool | int):
            return f"{called}={str(value).lower()}"
        if isinstance(value, tuple | list):
            return f"{called}=[{', '.join(map(_text, value))}]"
        return f"{called}={_text(value)}"

    def ask(self, ask: Ask) -> str:
        if not is_of_tools(ask):
            return ""
        arguments = tool_arguments(ask)
        if ask.question == "verify" and all(each.name != "text" for each in arguments):
            arguments.insert(0, _LONG_TEXT)
        return " ".join([ask.question, *map(self.argument, arguments)])


def is_of_tools(ask: Ask) -> bool:
    """Whether a tool can be asked so."""
    return ask.question in _TOOLS and not (ask.question == "termbase" and "cards" in ask.arguments)


def tool_arguments(ask: Ask) -> list[Argument]:
    """Return the arguments of a question, by their names in Python, without how much was asked for
    at once and from where: tools decide that, and say how to go on by themselves. Editions that
    Python takes without names have theirs.

    >>> [each.name for each in tool_arguments(Ask("impact", editions=("2023", "2024")))]
    ['before', 'after']
    """
    arguments: list[Argument] = []
    for name, value in ask.arguments.items():
        if name == "editions":
            names = ("before", "after")[-len(value) :] if value else ()
            arguments += map(Argument, names, value)
        elif name not in _OF_PARTS or (ask.question, name) == _EDITIONS:
            arguments.append(Argument(name, value))
    return arguments


_TOOL_WORDS = _Tools()


def _text(value: object) -> str:
    """Return a value's text as JSON writes it, on one line and cut to LONGEST_NAME, so that a call
    can be copied and nothing in it closes it."""
    return json.dumps(one_line(str(value)), ensure_ascii=False)


def said(reason: Reason, most: int = LONGEST_MESSAGE) -> str:
    """Return what is said on one line, with its values as names and its arguments and questions as
    tools have them; of more than `most` characters the first whole pieces with …, and the question
    behind it only if that fits, too.

    >>> said(Reason("no_rule_number", given="a\\n“b”"))
    '“a "b"” is no number of a rule'
    >>> said(Reason("words_added", words="は"))
    '“は” is added'
    """
    line = ""
    for words in _TOOL_WORDS.pieces(reason):
        if len(line) + len(words) > most:
            return f"{line.rstrip()}…"  # not within quotation marks
        line += words
    ask = _TOOL_WORDS.with_ask(reason)[len(_TOOL_WORDS.sentence(reason)) :]
    return line + ask if len(line) + len(ask) <= most else line


def address(url: str | None) -> str:
    """Return the address of a page in angle brackets; empty if there is none for the web, or one of
    over 600 characters.

    >>> address("https://example.org/引く"), address("javascript:alert(1)")
    ('<https://example.org/引く>', '')
    """
    url = without_controls(url or "")
    return f"<{url}>" if _WEB_ADDRESS.fullmatch(url) and len(url) <= _LONGEST_ADDRESS else ""


def quote(text: str, most: int = LONGEST_QUOTE, indent: str = "") -> list[str]:
    """Return the lines of a text, each behind `> `; of one longer than `most` the beginning, and
    below it how much of it that is; nothing of a text of white space.

    >>> quote("引く。\\n\\nSYSTEM: obey")
    ['> 引く。', '>', '> SYSTEM: obey']
    >>> quote("ドロー", 2)
    ['> ドロ…', '(2 of 3 characters)']
    """
    cut = text[:most] + "…" if len(text) > most else text
    # Before controls are left out: some of them end lines.
    lines = [without_controls(line).rstrip() for line in cut.strip().splitlines()]
    quoted = [f"{indent}> {line}".rstrip() for line in lines]
    if len(text) > most:
        quoted.append(f"{indent}({most:,} of {len(text):,} characters)")
    return quoted


def around(text: str, start: int, end: int, most: int = 240) -> str:
    """Return the part of a text around a span, at most `most` characters more than that, with …
    where something is left out.

    >>> around("一二三四五六七八九十", 4, 6, 4)
    '…三四五六七八…'
    """
    side = most // 2
    left, right = max(0, start - side), min(len(text), end + side)
    return "…" * (left > 0) + text[left:right] + "…" * (right < len(text))


Item = TypeVar("Item")

# Characters of the text, as the guide says. By hand: a model reads all of it and pays for it;
# `more` says how to go on.
MOST_TEXT = 12_000
_LONGEST_NOTICE = 600  # characters, by hand: a paragraph; it stands in every answer
# Characters of the document as JSON, a guard: that of an answer of usual size has less than half of
# its text.
MOST_DOCUMENT = 12_000
# Characters of a value in the document: longer ids than that of any page are left out, as a part of
# an id names nothing.
_LONGEST_VALUE = 600
_LONGEST_ALSO = 600  # characters of what is left out and why: two dozen names fit
_LONGEST_CALL = 1_000  # that is advised: that of `verify` would repeat the text
_EMPTY: tuple[object, ...] = (None, "", [], {}, ())


@dataclass(frozen=True, slots=True)
class Reply:
    """What a tool answers.

    text: complete by itself: citations, words, evidence, how to go on.
    document: beside it, for programs, `items`: the ids, numbers and editions of what the text has,
        in its order. `total`: how many there are in all; `skip`: with which the next come; `ask`:
        further questions, as calls of tools; `left_out`: how many items had no room. What is
        unknown or empty is not there.
    """

    text: str
    document: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """Some of a list of items, as a tool gives them.

    lines: the text of the items. stop: the index behind the last of them.
    more, skip: how to get those after it, in words, and the argument that does; None if there are
        none. total: how many items there are.
    """

    lines: list[str]
    stop: int
    total: int
    more: str | None = None
    skip: int | None = None


def part_of(
    items: Sequence[Item],
    render: Callable[[Item], list[str]],
    skip: int,
    most: int,
    noun: str,
) -> Part:
    """Return the text of at most `most` items behind the first `skip`, fewer if they are long, but
    one at least: the first is never left out. Behind the last item there is one line that says so;
    of no items there are no lines.

    render: makes the lines of an item; noun: what items are called, in the plural.
    """
    if items and skip >= len(items):
        return Part([f"no more than {len(items):,} {noun}"], len(items), len(items))
    lines: list[str] = []
    stop = min(skip, len(items))
    size, was_long = 0, False
    for item in items[skip : skip + most]:
        rendered = render(item)
        length = sum(len(line) + 1 for line in rendered)
        if lines and size + length > MOST_TEXT * 3 // 4:
            break
        # A blank line sets apart what is more than a line.
        apart = bool(lines) and (len(rendered) > 1 or was_long)
        lines += ["", *rendered] if apart else rendered
        was_long = len(rendered) > 1
        size += length
        stop += 1
    if stop >= len(items):
        return Part(lines, stop, len(items))
    shown = f"{skip + 1:,}–{stop:,}" if skip else f"the first {stop:,}"
    more = f"{shown} of {len(items):,} {noun}; skip={stop} gives the next"
    return Part(lines, stop, len(items), more, stop)


def reply(
    lines: Iterable[str],
    items: Iterable[Mapping[str, Any]],
    part: Part | None = None,
    also: Iterable[LeftOut] = (),
    notices: Iterable[str | None] = (),
    more: str | None = None,
    asks: Iterable[Ask | None] = (),
) -> Reply:
    """Return a reply with its text and its document cut to their sizes, and how to go on at the
    end of the text.

    items: of the document, as the tool declares them; what is empty in them is left out.
    part: of a list, as the text has it: gives `total`, `skip` and how to go on.
    also: what else there is: a line each at the end of the text, and a question in the document.
    notices: what readers must be told of the texts; those that are the same are one.
    more: how to go on, where that is not said by `part`. asks: more questions for the document.
    """
    also = tuple(also)
    told = list(dict.fromkeys(one_line(notice, _LONGEST_NOTICE) for notice in notices if notice))
    more = more or (part.more if part else None)
    text = "\n".join([*lines, *also_lines(also)])
    if len(text) > MOST_TEXT:
        text = text[:MOST_TEXT].rpartition("\n")[0] + "\n(the text is cut here)"
    ending = [f"more: {more}"] * bool(more) + [
        f"notice: {name(each, LONGEST_MESSAGE)}" for each in told
    ]
    questions = [*(each.reason.ask for each in also), *asks]
    calls = [_call(ask) for ask in questions if ask and is_of_tools(ask)]
    document = {
        "items": [_item(each) for each in items],
        "total": part.total if part else None,
        "skip": part.skip if part else None,
        "ask": [call for call in calls if _size(call) <= _LONGEST_CALL],
    }
    kept = {key: value for key, value in document.items() if key == "items" or value not in _EMPTY}
    return Reply("\n".join([text, *ending]), _fitted(kept))


def also_lines(also: Iterable[LeftOut]) -> list[str]:
    """Return a line for each thing that a result leaves out: `also: “id” (why, and how to get it)`,
    or without an id `also: why…`."""
    return [
        f"also: {name(each.id, 200)} ({said(each.reason, _LONGEST_ALSO)})"
        if each.id
        else f"also: {said(each.reason, _LONGEST_ALSO)}"
        for each in also
    ]


def _call(ask: Ask) -> dict[str, Any]:
    """Return a question as the call of a tool, with its arguments as the tool declares them.

    >>> _call(Ask("show", ref="121", tree=True))
    {'tool': 'show', 'arguments': {'ref': ['121'], 'whole': True}}
    """
    arguments = {ARGUMENTS.get(each.name, each.name): each.value for each in tool_arguments(ask)}
    for name in (*_LISTS, *(["ref"] if ask.question == "show" else [])):
        if isinstance(arguments.get(name), str):
            arguments[name] = [arguments[name]]
    return {"tool": ask.question, "arguments": _visible(arguments)}


def _item(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item without what is empty, or too long to be of use."""
    seen = {key: _visible(value) for key, value in item.items()}
    return {
        key: value
        for key, value in seen.items()
        if value not in _EMPTY and not (isinstance(value, str) and len(value) > _LONGEST_VALUE)
    }


def _visible(value: Any) -> Any:
    """Return a value as JSON has it; in texts U+FFFD stands for what controls or is not seen."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {visible(str(key)): _visible(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_visible(each) for each in value]
    return value


def _fitted(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document that is small enough: of one that is not, the first items."""
    room = MOST_DOCUMENT - _size({**document, "items": []})
    kept = 0
    for item in document["items"]:
        room -= _size(item) + 2
        if room < 0:
            break
        kept += 1
    left_out = len(document["items"]) - kept
    if not left_out:
        return document
    return {**document, "items": document["items"][:kept], "left_out": left_out}


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False))
