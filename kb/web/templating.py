"""Renders the explorer's templates. All text enters a page here, cleaned and escaped."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

import kb
from kb.message import Argument, Ask, Edition, Message, Part, worded
from kb.web import marked_text
from kb.web.addresses import (
    asked_address,
    asked_parameters,
    node_address,
    question_address,
)
from kb.web.escaping import clean
from kb.web.loaded import loaded
from kb.web.safety import LONGEST_ADDRESS
from kb.web.taken import taken_messages
from kb.web.visit import Reply, Visit

# The questions that every page leads to: (the page's address, its name).
DOORS = (
    ("ask", "Ask"),
    ("compare", "Compare terms"),
    ("diff", "Compare editions"),
    ("align", "Side by side"),
    ("kwic", "Concordance"),
    ("path", "Paths"),
    ("top", "Cited most"),
    ("verify", "Verify a text"),
    ("audit", "Audit"),
)
_PIECES_BETWEEN_LOOKS = 500  # pieces of a page that are put together until the time is looked at
MOST_UNKNOWN = 8  # parameters that are said to be unknown
_WEB = re.compile(r"https?://[^\s\"'<>]+\Z")


def date_of(edition: str | None) -> str:
    """Return the date of an edition as people write it; other editions as they are.

    >>> date_of("20231117"), date_of("2.1"), date_of(None)
    ('2023-11-17', '2.1', '')
    """
    if edition and re.fullmatch(r"(19|20)\d{6}", edition):
        return f"{edition[:4]}-{edition[4:6]}-{edition[6:]}"
    return edition or ""


def dated(message: str | None) -> str:
    """Return a message with the editions in it as people write dates; other texts as they are.

    >>> from kb.message import Value
    >>> dated(Message("newer than ", Edition("20240730"), Value(", of 20240730")))
    'newer than 2024-07-30, of 20240730'
    """

    def word(part: Part) -> str:
        return date_of(part.text) if isinstance(part, Edition) else str(part)

    return worded(message or "", word)


def choices(message: str) -> list[dict[str, Any]]:
    """Return the parameters that a message names with their values, as those of pages; each once.

    >>> from kb.message import Value
    >>> choices(Message("say which: ", Argument("game", "mtg"), Value(' or game="dm"')))
    [{'game': 'mtg'}]
    """
    found = [
        asked_parameters(part)
        for part in (message.parts if isinstance(message, Message) else ())
        if isinstance(part, Ask) or (isinstance(part, Argument) and isinstance(part.value, str))
    ]
    return [each for place, each in enumerate(found) if each and each not in found[:place]]


def web_address(url: str | None) -> str | None:
    """Return an address that a browser may be sent to; None for any other scheme."""
    return url if url and _WEB.match(url) else None


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("kb.web"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=clean,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "date": date_of,
        "dated": dated,
        "web": web_address,
        "choices": choices,
    }
    environment.globals["doors"] = DOORS
    return environment


def render(visit: Visit, reply: Reply) -> str:
    """Return the page that shows a reply."""
    lang = visit.interface.lang
    values: dict[str, Any] = {
        "t": visit.interface,
        "lang": lang,
        "visit": visit,
        "base": visit.base,
        "loaded": loaded(visit.base),
        "again": partial(_address, visit, lang),
        "node_url": partial(node_address, lang),
        "url": partial(question_address, lang),
        "hinted_url": partial(_hinted_address, visit, lang),
        "repeats": _repeats_heading,
        "told": partial(_told, visit, lang),
        "in_language": lambda other: _address(visit, other),
        "as_json_url": _json_address(visit, lang) if reply.document else None,
        "linked": partial(marked_text.linked, partial(node_address, lang)),
        "marked": marked_text.marked,
        "old_spans": marked_text.old_spans,
        "new_spans": marked_text.new_spans,
        "ruby": marked_text.ruby,
        "unknown": (),
        "taken": taken_messages(),
    }
    template = _environment().get_template(reply.template)
    page = _rendered(template, values | dict(reply.values))
    # What is unknown is known when the page and its form have asked for what they know.
    if reply.status == 200 and (unknown := visit.unknown()):
        return _rendered(
            template, values | dict(reply.values) | {"unknown": unknown[:MOST_UNKNOWN]}
        )
    return page


def _rendered(template: Template, values: Mapping[str, Any]) -> str:
    """Return the text of a template; raises kb.OutOfTimeError where its time is over."""
    pieces = []
    for count, piece in enumerate(template.generate(values)):
        if count % _PIECES_BETWEEN_LOOKS == 0:
            kb.check_time()
        pieces.append(piece)
    return "".join(pieces)


def _repeats_heading(rule: Any) -> bool:
    """Whether the text of a rule, or of a line of an outline, is its heading and nothing more."""
    return bool(rule.label) and (rule.text or "").strip() == rule.label.strip()


def _told(visit: Visit, lang: str, hint: str) -> tuple[str, str | None]:
    """Return the words of a hint without the question that it ends with, and the address of that
    question's page; the hint as it is and None if no page answers it."""
    address = _hinted_address(visit, lang, hint)
    if address is None or not isinstance(hint, Message) or not isinstance(hint.parts[-1], Ask):
        return hint, None
    return str(Message(*hint.parts[:-1])).removesuffix(": "), address


def _hinted_address(visit: Visit, lang: str, hint: str) -> str | None:
    """Return the address of the question that a result hints at, or of the page that is visited
    with other parameters; None for other hints."""
    parts = hint.parts if isinstance(hint, Message) else ()
    ask = next((part for part in parts if isinstance(part, Ask)), None)
    if ask is None:
        return None
    if ask.question:
        return asked_address(lang, ask)
    # Another list begins at its beginning; of `diff`, `after` is an edition.
    start = {"start": None} if visit.path == "diff" else {"start": None, "after": None}
    parameters = asked_parameters(ask)
    if ask.without:
        parameters = {name: _without(visit, name, value) for name, value in parameters.items()}
    return _address(visit, lang, **start | parameters)


def _without(visit: Visit, name: str, gone: object) -> tuple[str, ...]:
    """Return the values of a parameter without some of them: one, several, or all for True."""
    values = gone if isinstance(gone, tuple) else (gone,)
    given = visit.parameters.get(name, ())
    return tuple(each for each in given if gone is not True and each not in values)


def _json_address(visit: Visit, lang: str) -> str | None:
    """Return the address of the JSON of the page that is visited; None if that is too long, as for
    a text that was sent by a form."""
    address = _address(visit, lang, format="json")
    return address if "format=json" in address else None


def _address(visit: Visit, lang: str, /, **more: object) -> str:
    """Return the address of the page that is visited, in a language of the explorer, with some
    parameters changed; without any if it would be too long to be asked for."""
    address = _whole_address(visit, lang, {**visit.parameters, **more})
    if len(address) > LONGEST_ADDRESS:
        return _whole_address(visit, lang, {})
    return address


def _whole_address(visit: Visit, lang: str, parameters: Mapping[str, Any]) -> str:
    if visit.path.startswith("node/"):
        address = node_address(lang, visit.path.removeprefix("node/"))
        mark = "&" if "?" in address else "?"
        query = question_address(lang, "", **parameters).partition("?")[2]
        return f"{address}{mark}{query}" if query else address
    return question_address(lang, visit.path, **parameters)
