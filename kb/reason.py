"""What is said to people, as data: a reason with its values, and the question that gives the rest.

Each door (Python, the command line, the explorer, the assistants) makes its own sentences, in its
reader's language: a `Wording` says how it writes values, arguments and questions. The words are in
one table, `reasons.tsv`, with a row for each reason: its code, the English and the Japanese
sentence, with tabs between them. What a person typed and what a file says is a value, and comes
through as it is.

In a sentence `{name}` is the place of a value. `{name:or}`, `{name:and}` and `{name:;}` join
several; `{name:date}` is an edition, which some doors write as a date; `{name:language}` a language
by its code; `{name:noun}` a word of the program, such as the kind of a node; `{name:a}` the same
with an article; `{name:count rule}` a number with its noun. What stands in square brackets is left
out if one of the values in it is empty; brackets without a place are brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.shared_wording import counted

if TYPE_CHECKING:
    from scraper import ReadWarning


_PLACE = re.compile(r"\{(\w+)(?::([^{}]+))?\}")
_OPTIONAL = re.compile(r"\[([^\[\]]*\{[^\[\]]*)\]")
# Arguments that stand first, without their names.
_FIRST = frozenset(("ref", "refs", "start", "text", "words", "question", "before", "first", "out"))
OF_TWO_EDITIONS = frozenset(("diff", "changes"))  # in which `after` is an edition, not a place
_EMPTY: tuple[object, ...] = (None, "", (), [], 0)


class Part:
    """What makes up a reason; two are equal if their fields are."""

    # No dataclasses: to make these takes a look-up's process milliseconds.
    __slots__: tuple[str, ...] = ()

    def _fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Part)
            and type(other) is type(self)
            and self._fields() == other._fields()
        )

    def __hash__(self) -> int:
        return hash((type(self), repr(self._fields())))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._fields()))})"

    def __str__(self) -> str:
        """Return the part in words, as Python has it."""
        return PYTHON.with_ask(self) if isinstance(self, Reason) else PYTHON.words(self)


class Argument(Part):
    """An argument of a question or a build, by its name in Python.

    value: a text, a number, True, or `…` for any value; None for the argument as such.

    >>> [str(Argument("game", value)) for value in ("mtg", ..., None)]
    ['game="mtg"', 'game=…', 'game']
    """

    __slots__ = ("name", "value")

    def __init__(self, name: str, value: object = None) -> None:
        self.name = name
        self.value = value

    def as_json(self) -> dict[str, Any]:
        """Return `{"argument", "value"}`; the value is None where any will do."""
        return {"argument": self.name, "value": None if self.value is ... else self.value}


class Ask(Part):
    """A question that can be asked: its name, which is that of its method, of its command and of
    its page; and its arguments, by their names in Python. None and what is empty are left out.

    >>> Ask("show", ref="Draw card", lang="en", source=None).arguments
    {'ref': 'Draw card', 'lang': 'en'}
    >>> print(Ask("show", ref="Draw card", lang="en"))
    base.show("Draw card", lang="en")
    """

    __slots__ = ("arguments", "question")

    def __init__(self, question: str, /, **arguments: Any) -> None:
        self.question = question
        self.arguments: Mapping[str, Any] = {
            name: value for name, value in arguments.items() if value not in (None, "", (), [])
        }

    def as_json(self) -> dict[str, Any]:
        """Return `{"question", "arguments"}`."""
        return {"question": self.question, "arguments": _as_json(self.arguments)}


class Reason(Part):
    """Something that is said, by the name of its sentence in the table.

    code: the name.
    values: what stands in the places of the sentence: texts, numbers, reasons, arguments, questions
        and tuples of these, by the names of the places.
    ask: the question that gives what the reason speaks of, if there is one.

    >>> reason = Reason("no_rule_number", given="引く")
    >>> reason.code, reason.values, str(reason)
    ('no_rule_number', {'given': '引く'}, '引く is no number of a rule')
    """

    __slots__ = ("ask", "code", "values")

    def __init__(self, code: str, /, ask: Ask | None = None, **values: Any) -> None:
        self.code = code
        self.ask = ask
        self.values: Mapping[str, Any] = values

    def as_json(self) -> dict[str, Any]:
        """Return `{"reason", "values", "ask"}`, the form of reasons in every document."""
        ask = self.ask.as_json() if self.ask else None
        return {"reason": self.code, "values": _as_json(self.values), "ask": ask}


def _as_json(value: Any) -> Any:
    """Return a value as JSON has it: parts by their `as_json`, tuples as lists, and what JSON
    doesn't have as its text."""
    if isinstance(value, Mapping):
        return {name: _as_json(each) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [_as_json(each) for each in value]
    if isinstance(value, Argument | Ask | Reason):
        return value.as_json()
    return value if value is None or isinstance(value, str | int | float) else str(value)


class LeftOut(Part):
    """Something that a reference also names, or that belongs to an answer, and is left out.

    id: of its node; None if it is none.
    reason: what it is, why it is left out, and which question gives it.
    """

    __slots__ = ("id", "reason")

    def __init__(self, id: str | None, reason: Reason) -> None:
        self.id = id
        self.reason = reason

    def __str__(self) -> str:
        """Return what is left out and why, in words, with the question that gives it."""
        return str(self.reason) if self.id is None else f"{self.id} ({self.reason})"

    def as_json(self) -> dict[str, Any]:
        """Return `{"id", "reason", "values", "ask"}`."""
        return {"id": self.id, **self.reason.as_json()}


class Asking:
    """A question while it is being answered.

    taken: what references and editions were taken for that nothing has by that name.
    """

    def __init__(self, question: str, arguments: Mapping[str, Any]) -> None:
        self.question = question
        self.arguments = arguments
        self.taken: list[Reason] = []


_ASKING: ContextVar[Asking | None] = ContextVar("_ASKING", default=None)


@contextmanager
def asking(question: str, /, **arguments: Any) -> Iterator[Asking]:
    """Answer a question within a `with` block: `again` and `take_for` then speak of it.

    What is taken for something else within a question is so in the one around it, too.
    """
    outer, asked = _ASKING.get(), Asking(question, arguments)
    token = _ASKING.set(asked)
    try:
        yield asked
    finally:
        _ASKING.reset(token)
        if outer:
            outer.taken += (each for each in asked.taken if each not in outer.taken)


def again(*, without: tuple[str, ...] = (), **changes: Any) -> Ask:
    """Return the question that is being answered, with some arguments changed and without others.
    A place to go on from (`after`) is kept only for the same list: if nothing but `most` changes.
    Outside of `asking` it is a question without a name.

    >>> with asking("refs", ref="704", most=20, lang="ja"):
    ...     print(again(without=("lang",), most=40))
    base.refs("704", most=40)
    """
    asked = _ASKING.get() or Asking("", {})
    if asked.question not in OF_TWO_EDITIONS and (without or changes.keys() - {"most"}):
        without = (*without, "after")
    kept = {name: value for name, value in asked.arguments.items() if name not in without}
    return Ask(asked.question, **kept | changes)


def take_for(reason: Reason) -> None:
    """Keep for the answer that something was taken for something else, or that it had to do without
    something; each once."""
    asked = _ASKING.get()
    if asked and reason not in asked.taken:
        asked.taken.append(reason)


def taken(code: str) -> Reason | None:
    """Return the last reason with a code that was kept for the answer (`take_for`), or None.

    >>> with asking("show"):
    ...     take_for(Reason("said", text="so"))
    ...     print(taken("said"), taken("near"))
    so None
    """
    asked = _ASKING.get()
    return (
        next((each for each in reversed(asked.taken) if each.code == code), None) if asked else None
    )


def reason_of(error: BaseException) -> Reason:
    """Return what an exception says; the text of one that is no reason is its only value.

    >>> reason_of(OSError("no space left")).values
    {'text': 'no space left'}
    """
    said = error.args[0] if error.args else None
    return said if isinstance(said, Reason) else Reason("said", text=str(error))


def warning_reason(warning: ReadWarning) -> Reason:
    """Return what could not be read, and the arguments of a build that help, if any do.

    >>> from scraper import ReadWarning
    >>> print(warning_reason(ReadWarning("a.txt", "a text of no kind", ("site",))))
    a text of no kind (hint: site=…)
    """
    hints = tuple(Argument(name, ...) for name in warning.hints)
    return Reason("read_warning", what=warning.what, hints=hints)


# -- words -----------------------------------------------------------------------------------------


class Wording:
    """How a door words reasons. A subclass says how it writes values, arguments and questions.

    >>> PYTHON.sentence(Reason("unknown_ref", ref="引け", near=("引く", "引き分け")))
    'nothing is called 引け; near it: 引く, 引き分け'
    """

    lang = "en"
    _BEFORE_ASK = ": "
    _SEPARATORS: Mapping[str, str] = {"or": " or ", "and": " and ", ";": "; "}

    def sentence(self, reason: Reason) -> str:
        """Return the sentence of a reason; its code if the table has none."""
        return "".join(self.pieces(reason))

    def with_ask(self, reason: Reason) -> str:
        """Return the sentence of a reason, and behind it the question that gives the rest, unless
        that stands in the sentence."""
        ask = self.ask(reason.ask) if reason.ask else ""
        said = self.sentence(reason)
        return said if not ask or self.holds_ask(reason) else f"{said}{self._BEFORE_ASK}{ask}"

    def holds_ask(self, reason: Reason) -> bool:
        """Whether the sentence of a reason has a place for the question that gives the rest."""
        return "{ask}" in sentences(self.lang).get(reason.code, "")

    def pieces(self, reason: Reason) -> Iterator[str]:
        """Yield the sentence of a reason in pieces, in turn words of the table and values in words;
        what stands in brackets around a value that is empty is left out."""
        template = sentences(self.lang).get(reason.code, "{code}")
        values = {"ask": reason.ask, "code": reason.code, **reason.values}

        def given(match: re.Match[str]) -> str:
            names = [name for name, _ in _PLACE.findall(match[1])]
            return "" if any(self._is_empty(values.get(name)) for name in names) else match[1]

        place = 0
        template = _OPTIONAL.sub(given, template)
        for match in _PLACE.finditer(template):
            yield template[place : match.start()]
            yield self.words(values.get(match[1]), match[2] or "")
            place = match.end()
        yield template[place:]

    def _is_empty(self, value: Any) -> bool:
        """Whether there is no value, or a question that can't be asked here."""
        return value in _EMPTY or (isinstance(value, Ask) and not self.ask(value))

    def words(self, value: Any, form: str = "") -> str:
        """Return a value, or a part of a reason, in words: nothing for None, several joined, a
        number with commas between thousands, a game by its name where that is known, a text by
        `value` unless the form says otherwise.

        form: what stands behind the name of its place, if anything does.
        """
        if isinstance(value, tuple | list):
            separator = self._SEPARATORS.get(form) or self._SEPARATORS.get("", ", ")
            return separator.join(self.words(each, form) for each in value)
        if isinstance(value, Reason):
            return self.sentence(value)
        if isinstance(value, Argument):
            return self.argument(value)
        if isinstance(value, Ask):
            return self.ask(value)
        if value is None:
            return ""
        if form.startswith("count "):
            return self.counted(value, form.removeprefix("count "))
        if not isinstance(value, str):
            return f"{value:,}"
        if form == "date":
            return self.edition(value)
        if form == "game":
            from scraper.sites.games import game_name

            return self.value(game_name(value, self.lang) or value)
        if form == "language":
            return sentences(self.lang).get(f"language_{value}") or self.value(value)
        if form in ("noun", "a"):
            return self.noun(value, form == "a")
        return self.value(value)

    def value(self, text: str) -> str:
        """Return what a person typed or a file says."""
        return text

    def edition(self, edition: str) -> str:
        """Return the name of an edition."""
        return self.value(edition)

    def noun(self, word: str, article: bool) -> str:
        """Return a word of the program, such as the kind of a node."""
        noun = word.replace("_", " ")
        return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}" if article else noun

    def counted(self, number: int, noun: str) -> str:
        """Return a number with its noun, in the singular or plural."""
        return counted(number, noun)

    def argument(self, argument: Argument) -> str:
        """Return an argument of a question: its name, with `=…` for any value, or as a call in
        Python has it."""
        name, value = argument.name, argument.value
        if value is None:
            return name
        return f"{name}={'…' if value is ... else self._python(value)}"

    def ask(self, ask: Ask) -> str:
        """Return how to ask a question, here as a call in Python; a door returns "" where it can't
        be asked."""
        words: list[str] = []
        for name, value in ask.arguments.items():
            is_first = not words and name in _FIRST
            named = "" if is_first else f"{name}="
            values = _several(value) if is_first else (value,)
            words += [f"{named}{self._python(each)}" for each in values]
        return f"base.{ask.question}({', '.join(words)})"

    @staticmethod
    def _python(value: object) -> str:
        """Return a value as Python writes it, a text in double quotation marks."""
        text = f"Path({str(value)!r})" if isinstance(value, Path) else repr(value)
        is_plain = isinstance(value, str) and text[:1] == "'" and '"' not in text
        return f'"{text[1:-1]}"' if is_plain else text


PYTHON = Wording()


def _several(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, tuple | list) else (value,)


@cache
def sentences(lang: str) -> dict[str, str]:
    """Return {code of a reason: its sentence with the places of its values}; `ja`, or English for
    any other language."""
    table = Path(__file__).with_name("reasons.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in table.splitlines() if line and line[0] != "#")
    column = 2 if lang == "ja" else 1
    return {row[0]: row[column] for row in rows}
