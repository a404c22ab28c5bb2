"""The explorer as an ASGI application: its routes, and how a request becomes a page."""

from __future__ import annotations

import asyncio
import csv
import mimetypes
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib.resources import files
from io import StringIO
from itertools import cycle
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

import kb
from kb.control_characters import json_text
from kb.reason import warning_reason
from kb.web.addresses import asked_address, clean, escaped, node_address, question_address
from kb.web.base_counts import loaded
from kb.web.caching import cached
from kb.web.interface_language import LANGUAGES, Interface, InterfaceLanguage, preferred_language
from kb.web.openapi import openapi
from kb.web.pages import PAGES
from kb.web.request_and_reply import NOTHING_ELSE, Page, Reply, Visit
from kb.web.safety import (
    LARGEST_FORM,
    LONGEST_ADDRESS,
    MOST_FIELDS,
    SECONDS,
    BusyError,
    GoneError,
    SafeAnswers,
    Turns,
)
from kb.web.term_marks import Marks, TermMarks, crowded, end_of_word
from kb.web.wording import PageWords, cut, parameters_of

if TYPE_CHECKING:
    from scraper import ReadWarning

# The questions that every page leads to: (the page's address, its name).
DOORS = (
    ("read", "Read"),
    ("ask", "Ask"),
    ("compare", "Compare terms"),
    ("diff", "Compare editions"),
    ("impact", "Stale pages"),
    ("align", "Side by side"),
    ("kwic", "Concordance"),
    ("path", "Paths"),
    ("top", "Cited most"),
    ("verify", "Verify a text"),
    ("audit", "Audit"),
)
# Pieces of a page that are put together until the time is looked at. By hand: a look at each
# piece would slow every page, and 500 still end one soon after its time.
_PIECES_BETWEEN_LOOKS = 500
_LONGEST_NAME = 80  # characters of the name of a file, by hand: what folders show whole
MOST_UNKNOWN = 8  # parameters that are said to be unknown, by hand: an address may have hundreds
# Without white space, quotation marks and angle brackets, which no address of a page has as they
# are.
_WEB = re.compile(r"https?://[^\s\"'<>]+\Z")


def web_address(url: str | None) -> str | None:
    """Return an address that a browser may be sent to, with `http` or `https` in small letters;
    None for any other scheme, for what is no address, and for None."""
    return url if url and _WEB.match(url) else None


def readable(address: str) -> str:
    """Return an address as people read it, on paper; as it is if it would have signs that do not
    show.

    >>> readable("http://x/%E5%BC%95%E3%81%8F"), readable("http://x/%0A")
    ('http://x/引く', 'http://x/%0A')
    """
    words = unquote(address)
    return words if words.isprintable() else address


@cache
def _environment(lang: InterfaceLanguage = "en") -> Environment:
    """Return the templates, with dates in a language of the explorer."""
    environment = Environment(
        loader=PackageLoader("kb.web"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=clean,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "cut": cut,
        "date": Interface(lang).date,
        "web": web_address,
        "readable": readable,
        "parameters": parameters_of,
    }
    environment.globals["doors"] = DOORS
    return environment


def render(visit: Visit, reply: Reply) -> str:
    """Return the page that shows a reply, as HTML; it says which parameters of its address nothing
    has asked for. Raises kb.OutOfTimeError where its time is over."""
    lang = visit.interface.lang
    words = PageWords(visit.interface, visit)
    # An error's page must come, whatever its address says.
    mode: Marks = visit.choice("marks", Marks, "quiet") if reply.status == 200 else "quiet"
    marks = TermMarks(mode, reply.values.get("frequent", frozenset()))
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
        "as_json_url": _data_address(visit, lang, "json") if reply.document else None,
        "as_csv_url": _data_address(visit, lang, "csv") if reply.table else None,
        "linked": partial(linked, partial(node_address, lang), visit.interface.stated, marks),
        "marks": marks.mode,
        "marked": marked,
        "old_spans": old_spans,
        "new_spans": new_spans,
        "ruby": ruby,
        "unknown": (),
        "taken": visit.taken,
    }
    template = _environment(lang).get_template(reply.template)
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
    return _BARE_DATE.sub(
        lambda found: f"<time>{found[2]}</time>" if found[2] else found[0], "".join(pieces)
    )


# A date that stands in a sentence, which no line tears: what else there is comes first, so that it
# is passed over. Pages write their tags with values in quotation marks, and escape what they quote.
_BARE_DATE = re.compile(
    r"<(time|title|option|textarea|pre|script|style|text)\b.*?</\1>|<[^>]*>"
    r"|(?<![\w-])(\d{4}-\d\d-\d\d)(?![\w-])",
    re.DOTALL,
)


def _warned(interface: Interface, warning: ReadWarning) -> kb.Reason:
    """Return what could not be read as a reason, with its words in the language of the page."""
    return warning_reason(replace(warning, what=interface.stated(warning.what)))


def _repeats_heading(rule: Any) -> bool:
    """Whether the text of a rule, or of a line of an outline, is its heading and nothing more."""
    return bool(rule.label) and (rule.text or "").strip() == rule.label.strip()


def _data_address(visit: Visit, lang: str, form: str) -> str | None:
    """Return the address of the JSON or CSV of the page that is visited; None if that is too long,
    as for a text that was sent by a form."""
    address = _address(visit, lang, format=form)
    return address if f"format={form}" in address else None


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
    marks: TermMarks,
    text: kb.LinkedText,
    own: str | None = None,
    within: str = "",
    *,
    with_terms: bool = True,
) -> Markup:
    """Return a text with every citation, link and mention linked in place; those that dangle are
    marked, and pointing at one shows why.

    address: gives the address of a node's page; stated: why a reference dangles, in the language
        of the page; marks: which terms are marked.
    own: the id of the node whose page this is; what refers to itself is not linked.
    within: the section in which the first mention of a term is marked. with_terms: False for a
        text beside another, where terms are links already.
    """
    parts: list[Markup] = []
    end, too_many = 0, crowded(text)
    for link in text.links:
        parts.append(escaped(text.text[end : link.start]))
        end = end_of_word(text.text, link.start, link.end, link.target or "")
        words = escaped(text.text[link.start : end])
        is_shown = with_terms or link.kind == "cites"
        kind = marks.kind(link, within, too_many) if is_shown else None
        if link.target is None:
            parts.append(_DANGLING.format(title=stated(link.reason or ""), words=words))
        elif link.target == own or kind is None:
            parts.append(words)
        else:
            link_markup = _LINK_AGAIN if kind.endswith("again") else _LINK
            if len(words) <= _SHORT:
                kind += " short"
            parts.append(
                link_markup.format(
                    kind=kind, url=address(link.target), title=link.label, words=words
                )
            )
    return Markup("").join([*parts, escaped(text.text[end:])])


_SHORT = 6  # characters of words that no line tears: they fit into any
_LINK = Markup('<a class="{kind}" href="{url}" title="{title}">{words}</a>')
# What was marked above is no stop of the Tab key again.
_LINK_AGAIN = Markup('<a class="{kind}" href="{url}" tabindex="-1">{words}</a>')
_DANGLING = Markup('<span class="dangling" title="{title}">{words}</span>')


def marked(
    text: str, spans: Iterable[tuple[int, int]], kind: str = "found", number: str | None = None
) -> Markup:
    """Return a text with the words in some spans marked.

    spans: (start, end) in characters, sorted; one that is empty, or begins in the one before, is
        not marked
    kind: the class of the marks: `found`, `deciding`, `deleted`, `inserted`
    number: of the rule, which stands before the text already: a text that begins with it comes
        without

    >>> marked("a < b", [(4, 5)])
    Markup('a &lt; <mark class="found">b</mark>')
    >>> marked("121.6. Draw.", [(7, 11)], number="121.6")
    Markup('<mark class="found">Draw</mark>.')
    """
    parts: list[Markup] = []
    before = re.match(rf"{re.escape(number)}\.?\s+", text) if number else None
    end = before.end() if before else 0
    for start, stop in spans:
        if start < end:
            continue
        parts.append(escaped(text[end:start]))
        if stop > start:
            words = escaped(text[start:stop])
            parts.append(Markup('<mark class="{}">{}</mark>').format(kind, words))
        end = stop
    return Markup("").join([*parts, escaped(text[end:])])


_KANA = "ぁ-ゖァ-ヺー"
_PARTS_OF_NAME = re.compile(f"([{_KANA}・＝=]+)")
_MOST_PARTS = 12  # of a name with a reading; a guard, as each may take any part of the reading
_TO_HIRAGANA = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}


def ruby(name: str, reading: str | None) -> Markup:
    """Return a name with its reading in hiragana above what is no kana of it; the name alone if it
    has no reading, or nothing but kana and Latin letters.

    >>> ruby("引く", "ヒク")
    Markup('<ruby>引<rp>（</rp><rt>ひ</rt><rp>）</rp></ruby>く')
    >>> ruby("ドロー", "ドロー")
    Markup('ドロー')
    """
    parts = _PARTS_OF_NAME.split(name)
    if not reading or not _KANJI.search(name) or len(parts) > _MOST_PARTS:
        return escaped(name)
    sound = reading.translate(_TO_HIRAGANA)
    own = "".join(
        _spoken(part) if is_kana else "(.+?)" if part else "()"
        for part, is_kana in zip(parts, cycle((False, True)), strict=False)
    )
    found = re.fullmatch(own, sound)
    above = list(found.groups()) if found else [sound]
    parts = parts if found else [name]
    return Markup("").join(
        escaped(part) if index % 2 else _above(part, above[index // 2])
        for index, part in enumerate(parts)
    )


_KANJI = re.compile("[\u3400-\u9fff々〆ヶ]")
_RUBY = Markup("<ruby>{}<rp>（</rp><rt>{}</rt><rp>）</rp></ruby>")


def _above(part: str, reading: str) -> Markup:
    return _RUBY.format(escaped(part), escaped(reading)) if part else Markup("")


def _spoken(kana: str) -> str:
    """Return the pattern of kana of a name in a reading, where signs are left out."""
    letters = kana.translate(_TO_HIRAGANA)
    return "".join("" if sign in "・＝=" else re.escape(sign) for sign in letters) + "[・＝=]?"


def old_spans(changes: Iterable[tuple[int, int, int, int]]) -> list[tuple[int, int]]:
    """Return (start, end) of the words that changes took away, in the text before; one that only
    added has an empty span."""
    return [(span[0], span[1]) for span in changes]


def new_spans(changes: Iterable[tuple[int, int, int, int]]) -> list[tuple[int, int]]:
    """Return (start, end) of the words that changes brought, in the text after; one that only took
    away has an empty span."""
    return [(span[2], span[3]) for span in changes]


LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")


def create_app(
    served: kb.ReopenedBase, hosts: Sequence[str] = LOCAL_HOSTS, seconds: float = SECONDS
) -> ASGIApp:
    """Return the explorer of a knowledge base.

    served: the knowledge base; when its file is built again, the next request sees the new one.
    hosts: the names by which browsers may call it; others are refused, so that no page elsewhere
        can read it through the reader's browser.
    seconds: that a request may take; then its work ends.
    """
    turns = Turns(seconds)
    # The registry of Windows may say otherwise, and then browsers take no script and no style.
    for suffix, kind in (".css", "text/css"), (".js", "text/javascript"), (".svg", "image/svg+xml"):
        mimetypes.add_type(kind, suffix)
    routes: list[Any] = [
        Route("/", _choose_language),
        Route("/openapi.json", _openapi),
        Route("/static/picture.css", _picture_styles),
        Mount("/static", StaticFiles(directory=str(files("kb.web") / "static"))),
    ]
    for lang in LANGUAGES:
        for path, page in PAGES.items():
            endpoint = partial(_answer, served, turns, Interface(lang), page)
            methods = ["GET", "POST"] if path == "verify" else ["GET"]
            routes.append(Route(f"/{lang}/{path}", endpoint, methods=methods))
    middleware = [
        Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False),
        Middleware(GZipMiddleware, minimum_size=2_000),
    ]
    app = Starlette(
        routes=routes,
        middleware=middleware,
        exception_handlers={404: partial(_no_such_page, served, turns)},
    )
    return SafeAnswers(app)


async def _choose_language(request: Request) -> Response:
    """Send a browser to the front page in the language that it prefers, with 302."""
    lang = preferred_language(request.headers.get("accept-language", ""))
    return RedirectResponse(f"/{lang}/", status_code=302, headers={"Vary": "Accept-Language"})


async def _picture_styles(_: Request) -> Response:
    """Answer with the styles of pictures, whose SVG is a part of pages."""
    return Response(kb.picture_css(), media_type="text/css")


async def _openapi(_: Request) -> Response:
    """Answer with the description of the interface for programs."""
    return Response(json_text(openapi()), media_type="application/json")


async def _answer(
    served: kb.ReopenedBase, turns: Turns, interface: Interface, page: Page, request: Request
) -> Response:
    """Answer a request with a page, or with the JSON of the same answer (`format=json`). Of a form
    the answer is 408 if it does not arrive in time, 413 if it is too long, 499 if its sender went
    away."""
    pairs = list(request.query_params.multi_items())
    if request.method == "POST":
        try:
            async with asyncio.timeout(turns.seconds):
                form = await _sent_form(request)
        except TimeoutError:
            return PlainTextResponse("The text did not arrive in time.", 408, _AND_CLOSE)
        except ClientDisconnect:
            return Response(status_code=499)  # nobody reads it
        if form is None:
            words = "The text is too long, or in too many parts."
            return PlainTextResponse(words, 413, _AND_CLOSE)
        pairs += form
    parameters = _parameters(pairs)
    path = request.url.path.split("/", 2)[2]
    if node_id := request.path_params.get("id", ""):
        path = f"{path.partition('/')[0]}/{node_id}"
    wanted = parameters.pop("format", ("html",))[0]
    site = f"{request.url.scheme}://{request.url.netloc}"
    make = partial(_page, served, interface, page, path, parameters, wanted, site)
    make = partial(cached, served, request, path, make)
    return await _in_time(turns, interface, request, wanted != "html", make)


async def _in_time(
    turns: Turns,
    interface: Interface,
    request: Request,
    wants_json: bool,
    make: Callable[[], Response],
) -> Response:
    """Answer a request with what a function makes, when it is its turn; or with 503, as a page or
    as JSON, if that took too long or the client asks for too much at once; with 499, empty, if it
    went away."""
    try:
        return await turns.answer(request, make)
    except GoneError:
        return Response(status_code=499)  # nobody reads it
    except kb.OutOfTimeError:
        reason = kb.Reason("page_took_too_long", seconds=f"{turns.seconds:g}")
    except BusyError:
        reason = kb.Reason("too_much_to_do")
    # Without the knowledge base, which may be what takes the time.
    if wants_json:
        document = json_text({"error": reason.as_json(), "near": []})
        return Response(document, 503, {"Retry-After": "60"}, "application/json")
    shown = _MESSAGE.format(lang=interface.lang, words=PageWords(interface).sentence(reason))
    return HTMLResponse(shown, 503, {"Retry-After": "60"})


async def _sent_form(request: Request) -> list[tuple[str, str]] | None:
    """Return (name, value) of the fields of a form, as it sent them, without those that are empty;
    None if it is too long, or has too many fields. What is no UTF-8 becomes U+FFFD."""
    from urllib.parse import parse_qsl

    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > LARGEST_FORM:
        return None
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_FORM:
            return None
    try:
        return parse_qsl(body.decode("utf-8", "replace"), max_num_fields=MOST_FIELDS)
    except ValueError:
        return None


def _parameters(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Return {name: its values}, both in the order given, values without white space around them;
    those of white space alone are left out."""
    found: dict[str, tuple[str, ...]] = {}
    for name, value in pairs:
        if value.strip():
            found[name] = (*found.get(name, ()), value.strip())
    return found


def _page(
    served: kb.ReopenedBase,
    interface: Interface,
    page: Page,
    path: str,
    parameters: dict[str, tuple[str, ...]],
    form: str,
    site: str = "",
) -> Response:
    """Return a page; in a thread, because the knowledge base is read there. An error of the
    question is a page with 404 or 400, a knowledge base that can't be opened a line of text with
    503."""
    try:
        with served.base() as base, kb.asking(path) as asked:
            visit = Visit(
                base,
                interface,
                path,
                parameters,
                taken=asked.taken,
                vectors=served.vectors,
                site=site,
            )
            try:
                return _response(visit, page(visit), form)
            except kb.ERRORS as error:
                status = 404 if isinstance(error, kb.NotFoundError) else 400
                reply = _error(kb.reason_of(error), status, getattr(error, "near", ()))
                return _response(visit, reply, form)
    except kb.StoreError as error:
        return PlainTextResponse(f"sansho: {error}", status_code=503)


def _error(reason: kb.Reason, status: int, near: Sequence[str] = ()) -> Reply:
    """Return the page of an error, and its JSON. near: references that are like the one asked
    for."""
    document = {"error": reason.as_json(), "near": list(near)}
    values = {"reason": reason, "near": near, **NOTHING_ELSE}
    return Reply("error.html", values, lambda: document, status)


def _response(visit: Visit, reply: Reply, form: str) -> Response:
    if form == "csv" and reply.table and not visit.unknown():
        named = {"Content-Disposition": f'attachment; filename="{_file_name(visit)}.csv"'}
        return Response(csv_text(reply.table()), 200, named, "text/csv; charset=utf-8")
    if form != "html":
        if reply.document is None:
            reply = _error(kb.Reason("nothing_asked"), 400)
        elif reply.status == 200 and (unknown := visit.unknown()):
            reply = _error(kb.Reason("not_understood", names=unknown[:MOST_UNKNOWN]), 400)
        assert reply.document
        return Response(json_text(reply.document()), reply.status, media_type="application/json")
    if reply.leads_to:
        return RedirectResponse(reply.leads_to, status_code=302)
    media = "application/atom+xml" if reply.template.endswith(".xml") else "text/html"
    age = {"Cache-Control": f"private, max-age={reply.max_age}"} if reply.max_age else None
    return Response(render(visit, reply), reply.status, age, media)


def _file_name(visit: Visit) -> str:
    """Return the name of a file for what a page shows: the question, and what was asked, as far as
    any system takes it."""
    asked = (value for name, values in visit.parameters.items() if name[-3:] != "-id"
             for value in values)  # fmt: skip
    words = re.findall(r"[\w.]+", " ".join((visit.path, *asked)))
    return "-".join(word for word in words if word.isascii())[:_LONGEST_NAME].strip(".-")


# What a spreadsheet takes for a formula; in full width, too, as a Japanese one does.
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠\t\r]")


def csv_text(table: kb.Table) -> str:
    """Return a table as CSV, with a byte order mark, by which spreadsheets know UTF-8. A cell that
    one would take for a formula begins with an apostrophe.

    >>> csv_text(kb.Table(({"name": "=1+1", "count": 2},), ("name", "count")))
    "\\ufeffname,count\\r\\n'=1+1,2\\r\\n"
    """
    names = list(table.declared or dict.fromkeys(name for row in table.rows for name in row))
    out = StringIO(newline="")
    written = csv.writer(out)
    written.writerow(names)
    for row in table.rows:
        cells = (str(clean(row.get(name, ""))) for name in names)
        written.writerow([f"'{cell}" if _FORMULA.match(cell) else cell for cell in cells])
    return f"\ufeff{out.getvalue()}"


async def _no_such_page(
    served: kb.ReopenedBase, turns: Turns, request: Request, _error_: Exception
) -> Response:
    """Answer a request for a page that the explorer does not have: with 404, in the language that
    its address begins with or else in English; `/` and `//…` lead to the front page."""
    lang = request.url.path.split("/")[1]
    wants_json = request.query_params.get("format") == "json"
    if lang not in LANGUAGES:
        return RedirectResponse("/", status_code=302) if not lang else _plain_404(wants_json)
    interface = Interface("ja" if lang == "ja" else "en")
    path = request.url.path.split("/", 2)[-1]

    def page(_: Visit) -> Reply:
        return _error(kb.Reason("no_such_page", path=path), 404)

    make = partial(_page, served, interface, page, "", {}, "json" if wants_json else "html")
    return await _in_time(turns, interface, request, wants_json, make)


def _plain_404(wants_json: bool) -> Response:
    """Answer a request for an address without a language: with 404, in English."""
    if wants_json:
        document = {"error": kb.Reason("no_such_page", path="").as_json(), "near": []}
        return Response(json_text(document), 404, media_type="application/json")
    return HTMLResponse(_NOTHING_HERE.format(front=question_address("en", "")), 404)


_AND_CLOSE = {"Connection": "close"}  # what still comes of the text is not waited for
_MESSAGE = """<!doctype html>
<html lang="{lang}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>sansho</title><link rel="stylesheet" href="/static/sansho.css"></head>
<body><main id="content"><p class="message" role="alert">{words}</p></main></body>
</html>
"""
_NOTHING_HERE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Nothing here · sansho</title><link rel="stylesheet" href="/static/sansho.css"></head>
<body><main id="content"><h1>Nothing here</h1>
<p><a href="{front}">Begin at the front page</a></p></main></body>
</html>
"""
