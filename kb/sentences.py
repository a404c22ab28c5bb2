"""The sentences of `kb.reason`: one table, `sentences.tsv`, with a row for each reason.

A row has the code, the English and the Japanese sentence, with tabs between them. In a sentence
`{name}` is the place of a value. `{name:or}`, `{name:and}` and `{name:;}` join several;
`{name:date}` is an edition, which some doors write as a date; `{name:language}` a language by its
code; `{name:noun}` a word of the program, such as the kind of a node; `{name:a}` the same with an
article; `{name:count rule}` a number with its noun. What stands in square brackets is left out if
one of the values in it is empty; brackets without a place are brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from kb.reason import Argument, Ask, Reason
from kb.wording import counted

_PLACE = re.compile(r"\{(\w+)(?::([^{}]+))?\}")
_OPTIONAL = re.compile(r"\[([^\[\]]*\{[^\[\]]*)\]")
# Arguments that stand first, without their names.
_FIRST = frozenset(("ref", "refs", "start", "text", "words", "question", "before", "first", "out"))
_EMPTY: tuple[object, ...] = (None, "", (), [], 0)


class Wording:
    """How a door words reasons. A subclass says how it writes values, arguments and questions.

    >>> PYTHON.sentence(Reason("unknown_ref", ref="引け", near=("引く", "引き分け")))
    'nothing is called 引け; near it: 引く, 引き分け'
    """

    lang = "en"
    _BEFORE_ASK = ": "
    _SEPARATORS: Mapping[str, str] = {"or": " or ", "and": " and ", ";": "; "}

    def sentence(self, reason: Reason) -> str:
        """Return the sentence of a reason."""
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
        """Yield the sentence of a reason in pieces: words of the table, and values."""
        template = sentences(self.lang).get(reason.code, "{code}")
        values = {"ask": reason.ask, "code": reason.code, **reason.values}

        def given(match: re.Match[str]) -> str:
            names = [name for name, _ in _PLACE.findall(match[1])]
            return "" if any(values.get(name) in _EMPTY for name in names) else match[1]

        place = 0
        template = _OPTIONAL.sub(given, template)
        for match in _PLACE.finditer(template):
            yield template[place : match.start()]
            yield self.words(values.get(match[1]), match[2] or "")
            place = match.end()
        yield template[place:]

    def words(self, value: Any, form: str = "") -> str:
        """Return a value, or a part of a reason, in words.

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
        """Return an argument of a question."""
        name, value = argument.name, argument.value
        if value is None:
            return name
        return f"{name}={'…' if value is ... else self._python(value)}"

    def ask(self, ask: Ask) -> str:
        """Return how to ask a question."""
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
    """Return {code of a reason: its sentence with the places of its values}, `en` or `ja`."""
    table = (files("kb") / "sentences.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in table.splitlines() if line and line[0] != "#")
    column = 2 if lang == "ja" else 1
    return {row[0]: row[column] for row in rows}
