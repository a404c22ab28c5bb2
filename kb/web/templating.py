"""Renders the explorer's templates. All text enters a page here, cleaned and escaped: with links in
place, words marked, readings above them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

import kb
from kb.reason import warning_reason
from kb.web.addresses import asked_address, node_address, question_address
from kb.web.escaping import clean, escaped
from kb.web.interface import Interface
from kb.web.loaded import loaded
from kb.web.safety import LONGEST_ADDRESS
from kb.web.visit import Reply, Visit
from kb.web.wording import PageWords, parameters_of
from kb.wording import date_of

if TYPE_CHECKING:
    from scraper import ReadWarning

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
        "web": web_address,
        "parameters": parameters_of,
    }
    environment.globals["doors"] = DOORS
    return environment


def render(visit: Visit, reply: Reply) -> str:
    """Return the page that shows a reply."""
    lang = visit.interface.lang
    words = PageWords(visit.interface, visit)
    values: dict[str, Any] = {
        "t": visit.interface,
        "lang": lang,
        "visit": visit,
        "base": visit.base,
        "loaded": loaded(visit.base),
        "again": partial(_address, visit, lang),
        "node_url": partial(node_address, lang),
        "url": partial(question_address, lang),
        "repeats": _repeats_heading,
        "told": words.told,
        "warned": partial(_warned, visit.interface),
        "rest": lambda more: more and asked_address(lang, more.ask),
        "sentence": lambda reason: Markup(words.sentence(reason)),
        "in_language": lambda other: _address(visit, other),
        "as_json_url": _json_address(visit, lang) if reply.document else None,
        "linked": partial(linked, partial(node_address, lang), visit.interface.stated),
        "marked": marked,
        "old_spans": old_spans,
        "new_spans": new_spans,
        "ruby": ruby,
        "unknown": (),
        "taken": visit.taken,
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


def _warned(interface: Interface, warning: ReadWarning) -> kb.Reason:
    """Return what could not be read, in the language of the page."""
    return warning_reason(replace(warning, what=interface.stated(warning.what)))


def _repeats_heading(rule: Any) -> bool:
    """Whether the text of a rule, or of a line of an outline, is its heading and nothing more."""
    return bool(rule.label) and (rule.text or "").strip() == rule.label.strip()


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


def linked(
    address: Callable[[str], str],
    stated: Callable[[str], str],
    text: kb.LinkedText,
    own: str | None = None,
) -> Markup:
    """Return a text with every citation, link and mention linked in place.

    address: gives the address of a node's page; stated: why a reference dangles, in the language
        of the page.
    own: the id of the node whose page this is; what refers to itself is not linked.
    """
    parts: list[Markup] = []
    end = 0
    for link in text.links:
        parts.append(escaped(text.text[end : link.start]))
        words = escaped(text.text[link.start : link.end])
        if link.target is None:
            parts.append(_DANGLING.format(title=stated(link.reason or ""), words=words))
        elif link.target == own:
            parts.append(words)
        else:
            parts.append(
                _LINK.format(
                    kind=link.kind, url=address(link.target), title=link.label, words=words
                )
            )
        end = link.end
    return Markup("").join([*parts, escaped(text.text[end:])])


_LINK = Markup('<a class="{kind}" href="{url}" title="{title}">{words}</a>')
_DANGLING = Markup('<span class="dangling" title="{title}">{words}</span>')


def marked(text: str, spans: Iterable[tuple[int, int]], kind: str = "found") -> Markup:
    """Return a text with the words in some spans marked.

    spans: (start, end) in characters, sorted and without overlaps
    kind: the class of the marks: `found`, `deciding`, `deleted`, `inserted`

    >>> marked("a < b", [(4, 5)])
    Markup('a &lt; <mark class="found">b</mark>')
    """
    parts: list[Markup] = []
    end = 0
    for start, stop in spans:
        if start < end:
            continue
        parts.append(escaped(text[end:start]))
        if stop > start:
            words = escaped(text[start:stop])
            parts.append(Markup('<mark class="{}">{}</mark>').format(kind, words))
        end = stop
    return Markup("").join([*parts, escaped(text[end:])])


def ruby(name: str, reading: str | None) -> Markup:
    """Return a name with its reading above it.

    >>> ruby("引く", "ヒク")
    Markup('<ruby>引く<rp>（</rp><rt>ヒク</rt><rp>）</rp></ruby>')
    """
    if not reading or reading == name:
        return escaped(name)
    return Markup("<ruby>{}<rp>（</rp><rt>{}</rt><rp>）</rp></ruby>").format(
        escaped(name), escaped(reading)
    )


def old_spans(changes: Iterable[tuple[int, int, int, int]]) -> list[tuple[int, int]]:
    """Return the spans of the words that changes took away, in the text before."""
    return [(span[0], span[1]) for span in changes]


def new_spans(changes: Iterable[tuple[int, int, int, int]]) -> list[tuple[int, int]]:
    """Return the spans of the words that changes brought, in the text after."""
    return [(span[2], span[3]) for span in changes]
