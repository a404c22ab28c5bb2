"""Puts the words of the command line into messages that name arguments as Python has them."""

from __future__ import annotations

import re

_CALLED = {
    "form": "format", "langs": "lang", "most": "max", "source_lang": "source-lang",
    "target_lang": "target-lang",
}  # options that Python calls by another name  # fmt: skip
_ARGUMENTS = (
    "add", "after", "again", "cards", "contact", "decisions", "edition", "form", "game", "into",
    "kb", "lang", "langs", "most", "names", "replace", "scheduler", "shards", "site", "sites",
    "source", "source_lang", "status", "target_lang", "workers",
)  # fmt: skip
# Not in an address or a path of a page, where `edition=…` is its own.
_ARGUMENT = re.compile(
    rf"(?<![\w?&=/.%-])({'|'.join(_ARGUMENTS)})=(?:True\b|…|(\d+)\b|\"([\w.+-]+)\")"
)

# At the beginning of a message about the value of an argument.
_WRONG = re.compile(rf"^({'|'.join(_ARGUMENTS)})(?= is \S+; give )")


def in_options(message: str) -> str:
    """Return a message with options of the command line in place of the arguments in it.

    >>> in_options('give replace=True, another kb=…, or names="terms"')
    'give --replace, another --kb, or --names terms'
    >>> in_options("most is 0; give a whole number from 1 to 100")
    '--max is 0; give a whole number from 1 to 100'
    """
    message = _WRONG.sub(lambda match: f"--{_CALLED.get(match[1], match[1])}", message)
    return _ARGUMENT.sub(_option, message)


def _option(match: re.Match[str]) -> str:
    """Return the option for an argument with its value."""
    name, number, text = match.groups()
    value = number or text
    return f"--{_CALLED.get(name, name)}" + (f" {value}" if value else "")
