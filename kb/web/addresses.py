"""The addresses of the explorer's pages: of nodes, and of questions by name or command."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from urllib.parse import quote, urlencode

_UNESCAPED_IN_PATH = "/:@!$&'()*+,;=~"
# The options of commands whose page names the parameter otherwise.
_PARAMETERS = {"max": "most", "sort": "order"}
# Options that stand for a value of a parameter.
_VALUES = {"cited": ("by", "cited"), "mentioned": ("by", "mentioned"), "linked": ("by", "linked")}
_ARGUMENT = re.compile(r'\b(game|edition|lang|source)="([\w.+-]+)"')  # as Python has it
_OPTION = re.compile(r"--[a-z][a-z-]* [^\s,;:()]+")  # in a message: with its value
_ARGUMENTS = {
    "show": ("ref",),
    "refs": ("ref",),
    "path": ("start", "end"),
    "search": ("q",),
    "kwic": ("q",),
    "ask": ("q",),
    "compare": ("ref",),
    "diff": ("before", "after"),
    "trace": ("ref",),
    "align": ("first", "second"),
    "steps": ("ref",),
    "outcomes": ("ref",),
    "rulings": ("ref",),
    "top": (),
    "termbase": ("ref",),
}


def node_address(interface: str, node_id: str) -> str:
    """Return the address of a node's page.

    >>> node_address("en", "mtg/cr/20231117/en/121.4")
    '/en/node/mtg/cr/20231117/en/121.4'
    >>> node_address("ja", "mtgwiki/x#y"), node_address("ja", "dmwiki/../x")
    ('/ja/node/mtgwiki/x%23y', '/ja/node?id=dmwiki%2F..%2Fx')
    """
    # A browser would shorten some paths, and a route's path has no line feed.
    if "\n" in node_id or any(step in ("", ".", "..") for step in node_id.split("/")):
        return question_address(interface, "node", id=node_id)
    return f"/{interface}/node/{quote(node_id, safe=_UNESCAPED_IN_PATH)}"


def question_address(interface: str, name: str, /, **parameters: object) -> str:
    """Return the address of a question's page.

    name: of the question; empty for the front page.
    parameters: those that are None, False or empty are left out; a sequence gives several values.

    >>> question_address("en", "refs", ref="121.4", kind=["cites", "mentions"], lang=None)
    '/en/refs?ref=121.4&kind=cites&kind=mentions'
    """
    pairs = [
        (name, str(int(value) if isinstance(value, bool) else value))
        for name, values in parameters.items()
        for value in _several(values)
        if value not in (None, False, "")
    ]
    return f"/{interface}/{name}" + (f"?{urlencode(pairs)}" if pairs else "")


def _several(values: object) -> Iterable[object]:
    if isinstance(values, Iterable) and not isinstance(values, str):
        return values
    return (values,)


def command_address(interface: str, command: str) -> str | None:
    """Return the address of the page that gives what a command gives; None if no page does.

    command: as results name it, where they say how to get what they left out.

    >>> command_address("en", "sansho show 121.4 --lang en")
    '/en/show?ref=121.4&lang=en'
    >>> command_address("en", "base.parts has all") is None
    True
    """
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    if len(words) < 2 or words[0] != "sansho" or words[1] not in _ARGUMENTS:
        return None
    names = list(_ARGUMENTS[words[1]])
    parameters: list[tuple[str, str]] = []
    rest = words[2:]
    while rest:
        word = rest.pop(0)
        if word.startswith("--"):
            parameters.append(_option(word, rest))
        elif names:
            parameters.append((names[0] if len(names) == 1 else names.pop(0), word))
        else:
            return None
    return f"/{interface}/{words[1]}" + (f"?{urlencode(parameters)}" if parameters else "")


def option_parameters(options: str) -> dict[str, str]:
    """Return the parameters that say what some options of a command say; none for other words.

    >>> option_parameters("--edition 20231117 --max 200"), option_parameters("--mentioned")
    ({'edition': '20231117', 'most': '200'}, {'by': 'mentioned'})
    >>> option_parameters("sansho show 121.4"), option_parameters("base.parts has all")
    ({}, {})
    """
    try:
        rest = shlex.split(options)
    except ValueError:
        return {}
    found: dict[str, str] = {}
    while rest:
        word = rest.pop(0)
        if not word.startswith("--"):
            return {}
        name, value = _option(word, rest)
        found[name] = value
    return found


def options_in(message: str) -> list[dict[str, str]]:
    """Return the parameters that the options in a message for people stand for, each once.

    >>> options_in("a rule of several games; say which: --game mtg or --game ygo")
    [{'game': 'mtg'}, {'game': 'ygo'}]
    >>> options_in('several games have rules; say which: game="mtg"')
    [{'game': 'mtg'}]
    """
    found = [option_parameters(option) for option in _OPTION.findall(message)]
    found += [{name: value} for name, value in _ARGUMENT.findall(message)]
    return [each for place, each in enumerate(found) if each and each not in found[:place]]


def _option(word: str, rest: list[str]) -> tuple[str, str]:
    """Return the parameter and value that an option says. rest: the words behind it, from which its
    value is taken."""
    name, _, value = word[2:].partition("=")
    if name in _VALUES:
        return _VALUES[name]
    has_value = bool(rest) and not rest[0].startswith("--")
    value = value or (rest.pop(0) if has_value else "1")
    return _PARAMETERS.get(name, name.replace("-", "_")), value
