"""Renders the explorer's templates. All text enters a page here, cleaned and escaped."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from kb.web import marked_text
from kb.web.addresses import (
    command_address,
    node_address,
    option_parameters,
    options_in,
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
# An edition in a sentence: no part of an id, and not behind an option of a command.
_EDITION = re.compile(
    r"(?<![\w/#.-])(?<!--edition )((?:19|20)\d\d)(0[1-9]|1[0-2])([0-3]\d)(?![\w/-]|\.\w)"
)
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


def dated(text: str | None) -> str:
    """Return a text with the editions in it as people write dates; ids and commands as they are.

    >>> dated("the rules, edition 20240730"), dated("mtg/cr/20240730/en/1 or --edition 20240730")
    ('the rules, edition 2024-07-30', 'mtg/cr/20240730/en/1 or --edition 20240730')
    """
    return _EDITION.sub(r"\1-\2-\3", text or "")


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
        "options": options_in,
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
        "command_url": partial(_hinted_address, visit, lang),
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
    page = template.render(values | dict(reply.values))
    # What is unknown is known when the page and its form have asked for what they know.
    if reply.status == 200 and (unknown := visit.unknown()):
        return template.render(values | dict(reply.values) | {"unknown": unknown[:MOST_UNKNOWN]})
    return page


def _repeats_heading(rule: Any) -> bool:
    """Whether the text of a rule, or of a line of an outline, is its heading and nothing more."""
    return bool(rule.label) and (rule.text or "").strip() == rule.label.strip()


def _told(visit: Visit, lang: str, hint: str) -> tuple[str, str | None]:
    """Return the words of a hint without the command that it ends with, and the address of that
    command's page; the hint as it is and None if no page gives what it names."""
    words, command, rest = hint.rpartition(": sansho ")
    address = _hinted_address(visit, lang, f"sansho {rest}") if command else None
    return (words, address) if address else (hint, None)


def _hinted_address(visit: Visit, lang: str, hint: str) -> str | None:
    """Return the address of what a result hints at: a command's page, or the page that is visited
    with more parameters; None for other hints.

    hint: a command such as `sansho refs 704 --max 200`, or options such as `--edition 20231117`.
    """
    if hint.startswith("without --"):
        return _address(visit, lang, start=None, after=None, **_without(visit, hint))
    if options := option_parameters(hint):
        return _address(visit, lang, **{"start": None, "after": None} | options)
    return command_address(lang, hint)


def _without(visit: Visit, hint: str) -> dict[str, tuple[str, ...]]:
    """Return parameters without those that some options of a command say: the options that a hint
    names behind `without`."""
    gone = option_parameters(hint.removeprefix("without "))
    return {
        name: tuple(each for each in visit.texts(name) if each != value)
        for name, value in gone.items()
    }


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
