"""The addresses of the explorer's pages: of nodes, and of questions.

Here is also the one door by which text enters a page: cleaned, then escaped.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, urlencode

from markupsafe import Markup

from kb.control_characters import CONTROLS
from kb.reason import Argument, Ask


def clean(value: object) -> object:
    """Return what a template may print: text without characters that change the direction of
    what follows, or that HTML can't hold; each shows as �. None is nothing.

    >>> clean("a\\u202eb"), clean(None), clean(3)
    ('a�b', '', 3)
    """
    if value is None:
        return ""
    if isinstance(value, Markup):
        return value
    return CONTROLS.sub("\ufffd", value) if isinstance(value, str) else value


def escaped(text: str) -> Markup:
    """Return a text as HTML that shows it.

    >>> escaped("<b>\\x9b")
    Markup('&lt;b&gt;�')
    """
    return Markup.escape(clean(text))


# The signs that may stand in a path by RFC 3986, so that ids stay legible.
_UNESCAPED_IN_PATH = "/:@!$&'()*+,;=~"
# What pages call otherwise than Python.
_PARAMETERS = {"kinds": "kind", "text": "q", "question": "q", "refs": "ref", "term": "ref"}
_OF_ALIGN = {"lang": "first", "other": "second"}
# The pages of questions, by what Python calls the question: those that `kb.web.pages` routes. The
# command that a sentence advises for any other is shown as words, without a link.
_PAGES = {
    question: question
    for question in (
        "show refs path search kwic ask compare diff impact trace align steps outcomes rulings top "
        "draw verify audit"
    ).split()
} | {"chapter_citations": "chapters", "stats": ""}


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
    parameters: those that are None, False, 0 or empty are left out, True is 1; a sequence gives
        several values.

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

    >>> asked_address("en", Ask("show", ref="Draw card", lang="en"))
    '/en/show?ref=Draw+card&lang=en'
    >>> asked_address("en", Ask("chapter_citations", game="mtg"))
    '/en/chapters?game=mtg'
    >>> asked_address("en", Ask("export")) is None
    True
    """
    page = _PAGES.get(ask.question)
    return None if page is None else question_address(interface, page, **asked_parameters(ask))


def asked_parameters(ask: Ask | Argument) -> dict[str, Any]:
    """Return the parameters of a page that stand for the arguments of a question, or for one, by
    the names that the page has for them.

    >>> asked_parameters(Ask("refs", ref="121", kinds="cites", most=40))
    {'ref': '121', 'kind': 'cites', 'most': 40}
    """
    if isinstance(ask, Argument):
        return {_PARAMETERS.get(ask.name, ask.name): ask.value}
    arguments = dict(ask.arguments)
    if ask.question == "verify" and "text" in arguments:
        return arguments
    names = _OF_ALIGN if ask.question == "align" else _PARAMETERS
    if ask.question == "kwic":
        arguments["each_edition"] = not arguments.pop("merge_editions", False)
    return {names.get(name, name): value for name, value in arguments.items()}
