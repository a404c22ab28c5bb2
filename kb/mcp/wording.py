"""Puts the arguments of tools into messages that name commands and their options."""

from __future__ import annotations

import re

_TOOLS = "show|refs|path|search|ask|compare|diff|verify"
_COMMAND = re.compile(rf"\bsansho (?=(?:{_TOOLS})\b)")
_OPTION = re.compile(r"--([a-z]+(?:-[a-z]+)*)(?:[ =]((?!--)[^\s,;)]+|\"[^\"]*\"))?")
_CALLED = {"max": "most", "kind": "kinds", "tree": "whole", "under": "rule"}
_FLAGS = {"with-parts", "tree", "any", "all"}


def in_arguments(text: str) -> str:
    """Return a text with arguments of tools in place of commands and their options.

    >>> in_arguments("sansho show 704 --lang ja"), in_arguments("--max 40 shows more")
    ('show 704 lang="ja"', 'most=40 shows more')
    >>> in_arguments("sansho trace 121.4"), in_arguments("--with-parts takes them")
    ('sansho trace 121.4', 'with_parts=true takes them')
    """
    return _OPTION.sub(_argument, _COMMAND.sub("", text))


def _argument(match: re.Match[str]) -> str:
    option, value = match[1], match[2] or ""
    called = _CALLED.get(option, option.replace("-", "_"))
    if option in _FLAGS or not value:
        return f"{called}=true" + (f" {value}" if value else "")
    if value.isdecimal() and option == "max":
        return f"{called}={value}"
    return f"{called}={value}" if value.startswith('"') else f'{called}="{value}"'
