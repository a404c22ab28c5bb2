"""The addresses of the explorer's pages: of nodes, and of questions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, urlencode

from kb.message import Argument, Ask

_UNESCAPED_IN_PATH = "/:@!$&'()*+,;=~"
_PARAMETERS = {"kinds": "kind"}  # that pages call otherwise than Python
# What a page calls that which a question is asked of.
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


def asked_address(interface: str, ask: Ask) -> str | None:
    """Return the address of the page that answers a question; None if no page does.

    >>> asked_address("en", Ask("show", "Draw card", lang="en"))
    '/en/show?ref=Draw+card&lang=en'
    >>> asked_address("en", Ask("export")) is None
    True
    """
    names = _ARGUMENTS.get(ask.question)
    if names is None or len(ask.refs) > len(names) > 1:
        return None
    # A page with a single one, such as `compare`, takes several values of it.
    refs = [(names[min(place, len(names) - 1)], ref) for place, ref in enumerate(ask.refs)]
    values: dict[str, list[str]] = {}
    for name, ref in refs:
        values.setdefault(name, []).append(ref)
    return question_address(interface, ask.question, **values, **asked_parameters(ask))


def asked_parameters(ask: Ask | Argument) -> dict[str, Any]:
    """Return the parameters of a page that stand for the arguments of a question, or for one.

    >>> asked_parameters(Ask("refs", "121", kinds="cites", most=40))
    {'kind': 'cites', 'most': 40}
    """
    arguments = {ask.name: ask.value} if isinstance(ask, Argument) else ask.arguments
    return {_PARAMETERS.get(name, name): value for name, value in arguments.items()}
