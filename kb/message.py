"""Messages that know which of their words are values, arguments or questions.

A message is a text, as Python shows it. It also keeps its parts, so that each door puts arguments
and questions into its own words, and nothing else: what a person typed and what a file says comes
through unchanged, whatever it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from shlex import quote
from typing import Any, NoReturn, TypeAlias

# Arguments that the command line calls otherwise. A ranking is a flag by itself: `--mentioned`.
_OPTIONS = {
    "any_word": "any", "form": "format", "kinds": "kind", "langs": "lang", "most": "max",
}  # fmt: skip
# What needs no quotes in a shell: letters of any script, too. Compiled when it is first needed.
_SAFE_WORD = r"(?!-)[\w.,:/%+@=-]+"


class _Part:
    """A part of a message that is more than words of the program."""

    # No dataclasses: to make these takes a look-up's process milliseconds.
    __slots__ = ()

    def _fields(self) -> tuple[object, ...]:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is type(self)
            and isinstance(other, _Part)
            and (self._fields() == other._fields())
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._fields()))})"

    def __format__(self, _spec: str) -> NoReturn:
        raise TypeError("a part by itself for `Message`; a format loses what it is")


class Value(_Part):
    """What a person typed, or what a file says. No door translates it.

    >>> str(Value("game=…"))
    'game=…'
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def _fields(self) -> tuple[object, ...]:
        return (self.text,)

    def __str__(self) -> str:
        return self.text


class Edition(Value):
    """The name of an edition, which people may be shown as a date."""

    __slots__ = ()


class Argument(_Part):
    """An argument of a question or a build, by its name in Python.

    value: a text, a number, True, or `…` for any value; None for the argument as such.

    >>> [str(Argument("game", value)) for value in ("mtg", ..., None)]
    ['game="mtg"', 'game=…', 'game']
    """

    __slots__ = ("name", "value")

    def __init__(self, name: str, value: object = None) -> None:
        self.name = name
        self.value = value

    def _fields(self) -> tuple[object, ...]:
        return self.name, self.value

    def __str__(self) -> str:
        if self.value is None:
            return self.name
        if isinstance(self.value, str):
            return f"{self.name}={in_quotes(self.value)}"
        return f"{self.name}={'…' if self.value is ... else self.value}"

    def as_option(self) -> str:
        """Return the argument as the command line has it.

        >>> [Argument("most", value).as_option() for value in (40, ...)]
        ['--max 40', '--max']
        """
        return _option(self.name, True if self.value in (None, ...) else self.value)


class Ask(_Part):
    """A question that gives what a result lacks.

    question: the name of its method and its command; empty for what was asked, asked again.
    refs: what it is asked of, in order.
    without: whether it is asked without the arguments, and not with them.
    arguments: by their names in Python; those that are None, False or empty are left out.

    Its text is a command, or the options that are to be added.

    >>> str(Ask("show", "Draw card", lang="en")), str(Ask(most=40))
    ("sansho show 'Draw card' --lang en", '--max 40')
    >>> str(Ask(without=True, lang="en", kind="step"))
    'without --lang en --kind step'
    """

    __slots__ = ("arguments", "question", "refs", "without")

    def __init__(
        self, question: str = "", /, *refs: str, without: bool = False, **arguments: Any
    ) -> None:
        self.question = question
        self.refs = refs
        self.without = without
        self.arguments: Mapping[str, Any] = {
            name: value for name, value in arguments.items() if value not in (None, False, "", ())
        }

    def _fields(self) -> tuple[object, ...]:
        return self.question, *self.refs, self.without, dict(self.arguments)

    def __str__(self) -> str:
        words = ["sansho", self.question, *map(shell_word, self.refs)] if self.question else []
        words += ["without"] * self.without
        return " ".join([*words, *(_option(*each) for each in self.arguments.items())])


Part: TypeAlias = Value | Argument | Ask


class Message(str):
    """A text for people whose parts are known. Texts among the parts are words of the program.

    >>> found = Message("nothing is called ", Value("game=…"), "; give ", Argument("game", ...))
    >>> found
    'nothing is called game=…; give game=…'
    >>> worded(found, lambda part: part.as_option() if isinstance(part, Argument) else str(part))
    'nothing is called game=…; give --game'
    """

    parts: tuple[str | Part, ...]

    def __new__(cls, *parts: str | Part) -> Message:
        """parts: texts, values, arguments, questions, and messages, whose parts are taken."""
        flat: list[str | Part] = []
        for part in parts:
            flat += part.parts if isinstance(part, Message) else (part,)
        message = super().__new__(cls, "".join(map(str, flat)))
        message.parts = tuple(flat)
        return message


def joined(separator: str, parts: Iterable[str | Part]) -> Message:
    """Return parts of a message with words of the program between them.

    >>> joined(" or ", [Argument("game", "mtg"), Argument("game", "dm")])
    'game="mtg" or game="dm"'
    """
    between = [each for part in parts for each in (separator, part)]
    return Message(*between[1:])


def values(texts: Iterable[str], separator: str = ", ") -> Message:
    """Return several values with words of the program between them.

    >>> values(["引く", "手札"])
    '引く, 手札'
    """
    return joined(separator, map(Value, texts))


def worded(message: str, word: Callable[[Part], str]) -> str:
    """Return a message with each of its parts that is no word of the program as a door has it; a
    text whose parts are not known as it is."""
    if not isinstance(message, Message):
        return message
    return "".join(part if isinstance(part, str) else word(part) for part in message.parts)


def message_of(error: BaseException) -> str:
    """Return the message of an exception, with its parts if they are known.

    >>> message_of(ValueError(Message("give ", Argument("game", ...)))).parts
    ('give ', Argument('game', Ellipsis))
    """
    said = error.args[0] if error.args else None
    return said if isinstance(said, Message) else str(error)


def _option(name: str, value: object) -> str:
    """Return an argument as the command line has it."""
    if name == "by":
        return f"--{value}"
    option = f"--{_OPTIONS.get(name, name).replace('_', '-')}"
    if value is True:
        return option
    values = value if isinstance(value, tuple | list) else (value,)
    return " ".join(f"{option} {shell_word(str(each))}" for each in values)


def shell_word(text: str) -> str:
    """Return a text as one word of a command, in quotation marks if a shell needs them.

    >>> shell_word("引く"), shell_word("Draw card(s)")
    ('引く', "'Draw card(s)'")
    """
    return text if re.fullmatch(_SAFE_WORD, text) else quote(text)


def in_quotes(text: str) -> str:
    """Return a text in quotation marks that every shell takes."""
    return quote(text) if any(sign in text for sign in '"$`\\!') else f'"{text}"'
