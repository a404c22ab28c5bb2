"""The Command class: a command that, given more words than it takes, says where they belong."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Any

import click

from kb.cli.wording import RUNNING, in_quotes, shell_word

_OF_RULES = frozenset({"rule", "under"})  # options whose value is a rule's number
# Bytes of an argument that Python could not decode: `surrogateescape` puts them at U+DC80 to
# U+DCFF.
_ESCAPED = re.compile("[\udc80-\udcff]")
_PATHS = frozenset({"into", "kb_file", "out", "sites", "sources"})  # parameters that name files
# Of a rule, such as 702.19a or 8-3-1. Those of the gold histories have up to four levels of up to
# three digits; of a longer one the message only does not advise an option.
_NUMBER = re.compile(r"\d{1,5}(?:[.-]\d{1,5}){0,6}\.?[a-z]{0,2}")
GIVEN_WORDS = "sansho.given_words"  # in a context's `meta`: all that was typed behind the command


class Command(click.Command):
    """A command of sansho. Of too many words, its error says what to do: put them in quotes, ask
    for one at a time, or give them by an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, and make those that name no files text (`as_text`).

        Raises UsageError if there are more words than the command takes. Returns these words: none,
        but where a shell asks for completions.
        """
        ctx.meta[RUNNING] = ctx
        given = ctx.meta[GIVEN_WORDS] = list(args)
        ctx.allow_extra_args = True
        surplus = super().parse_args(ctx, args)
        for name in ctx.params.keys() - _PATHS:
            ctx.params[name] = as_text(ctx.params[name])
        if surplus and not ctx.resilient_parsing:
            from kb.cli.render.output import printable

            ctx.fail(printable(f"{self._takes(len(surplus))}. {self._advice(given, surplus)}"))
        return surplus

    @property
    def _words(self) -> list[str]:
        """The names of the words that the command takes, as its usage shows them: `REF`,
        `[WORDS]...`."""
        arguments = [param for param in self.params if isinstance(param, click.Argument)]
        return [argument.metavar or (argument.name or "").upper() for argument in arguments]

    def _takes(self, surplus: int) -> str:
        """Return what the command takes, and how many words it got: `show takes REF, and got 3
        words`. surplus: how many of them were too many."""
        names = self._words
        number = surplus + len(names)
        got = f"got {number} word{'s' * (number > 1)}"
        return f"{self.name} takes {' and '.join(names) or 'options only'}, and {got}"

    def _advice(self, given: Sequence[str], surplus: Sequence[str]) -> str:
        """Return what to do with the words, as a sentence without its full stop: give those that
        fit an option by it; else, of a command without words, see its help; else ask for numbers
        one after the other (three commands at most); else put a name in quotes.

        given: all that stands behind the command. surplus: the words that were too many.
        """
        names, words = self._words, _leading_words(given)
        at = given.index("--kb") + 1 if "--kb" in given else len(given)
        file = f" --kb {shell_word(given[at])}" if at < len(given) else ""
        taken = " ".join(["sansho", self.name or "", *(words or names)[: len(names)]])
        by_flag = [flag for word in surplus for flag in self._flags_called(word)]
        by_option = [f"{option} {word}" for word in surplus for option in self._options_for(word)]
        if by_flag or by_option:
            return f"Write: {taken} {' or '.join(dict.fromkeys([*by_flag, *by_option]))}"
        if not names:
            example = f"sansho show {in_quotes(' '.join(surplus))}{file}"
            return f"Its options are in {taken} --help; to look it up: {example}"
        if words and all(word[0].isdecimal() for word in words if word):
            asked = zip(*(words[at:] for at in range(len(names))), strict=False)
            calls = [f"\n  sansho {self.name} {' '.join(together)}{file}" for together in asked]
            return f"Ask one after the other:{''.join(calls[:3])}"
        if words and len(names) == 1:
            quoted = in_quotes(" ".join(words))
            return f"Put a name of several words in quotes: sansho {self.name} {quoted}{file}"
        return "Put a name of several words in quotes"

    def _options_for(self, word: str) -> Iterator[str]:
        """Yield the options that plainly take such a value, in the order of the help, as `--max`: a
        number within its range, one of its few words, a rule's number, an edition (eight digits),
        a file to write (with a suffix of letters)."""
        for option in self._options():
            kind = option.type
            if isinstance(kind, click.IntRange):
                fits = option.name == "most" and _is_in(word, kind)
            elif isinstance(kind, click.Choice):
                fits = word.lower() in kind.choices
            elif option.name == "edition":
                fits = word.isdecimal() and len(word) == 8
            elif option.name in _OF_RULES:
                fits = _NUMBER.fullmatch(word) is not None
            else:
                fits = option.name == "out" and bool(PurePath(word).suffix[1:].isalpha())
            if fits:
                yield option.opts[0]

    def _flags_called(self, word: str) -> Iterator[str]:
        """Yield the flag that a word is the name of, without its dashes: `--tree` for `tree`;
        nothing for other words."""
        flags = (option for option in self._options() if option.is_flag)
        return (name for flag in flags for name in flag.opts if name == f"--{word}")

    def _options(self) -> Iterator[click.Option]:
        return (param for param in self.params if isinstance(param, click.Option))


def as_text(value: Any) -> Any:
    """Return the value of an argument as text that can be looked up: bytes that are not in the
    locale's charset are taken for UTF-8, and those that are not UTF-8 become U+FFFD.

    value: anything; what is no text, nor a tuple or list of texts, is returned as it is.

    >>> as_text("引く"), as_text(("a\\udce5\\udcbc\\udc95", "\\udcff")), as_text(3)
    ('引く', ('a引', '\ufffd'), 3)
    """
    if isinstance(value, tuple | list):
        return type(value)(map(as_text, value))
    if not isinstance(value, str) or value.isascii():
        return value
    with suppress(UnicodeEncodeError):  # of what is no argument of a process
        return os.fsencode(value).decode("utf-8", "replace") if _ESCAPED.search(value) else value
    return value


def _is_in(word: str, numbers: click.IntRange) -> bool:
    """Return whether a word is a whole number within a range; where that has no end, 10,000 is."""
    limit = numbers.max if numbers.max is not None else 10_000
    return word.isdecimal() and len(word) < 7 and (numbers.min or 0) <= int(word) <= limit


def _leading_words(given: Sequence[str]) -> list[str]:
    """Return the words before the first that begins with `-`; all if none does."""
    stop = next((at for at, word in enumerate(given) if word.startswith("-")), len(given))
    return list(given[:stop])
