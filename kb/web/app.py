"""The explorer as an ASGI application: its routes, and how a request becomes a page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.resources import files
from typing import Any

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
from kb.web.addresses import question_address
from kb.web.interface import LANGUAGES, Interface, preferred_language
from kb.web.pages import PAGES
from kb.web.safety import LARGEST_FORM, MOST_FIELDS, SafeAnswers
from kb.web.templating import MOST_UNKNOWN, render
from kb.web.turns import SECONDS, BusyError, GoneError, Turns
from kb.web.visit import NOTHING_ELSE, Page, Reply, Visit
from kb.web.wording import PageWords

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
    routes: list[Any] = [
        Route("/", _choose_language),
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
    """Send a browser to the front page in the language that it prefers."""
    lang = preferred_language(request.headers.get("accept-language", ""))
    return RedirectResponse(f"/{lang}/", status_code=302, headers={"Vary": "Accept-Language"})


async def _picture_styles(_: Request) -> Response:
    """Answer with the styles of pictures, whose SVG is a part of pages."""
    return Response(kb.picture_css(), media_type="text/css")


async def _answer(
    served: kb.ReopenedBase, turns: Turns, interface: Interface, page: Page, request: Request
) -> Response:
    """Answer a request with a page, or with the JSON of the same answer."""
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
    path = request.path_params.get("id", "")
    path = f"node/{path}" if path else request.url.path.split("/", 2)[2]
    wants_json = parameters.pop("format", ("html",)) == ("json",)
    make = partial(_page, served, interface, page, path, parameters, wants_json)
    return await _in_time(turns, interface, request, wants_json, make)


async def _in_time(
    turns: Turns,
    interface: Interface,
    request: Request,
    wants_json: bool,
    make: Callable[[], Response],
) -> Response:
    """Answer a request with what a function makes, when it is its turn; or say that it took too
    long."""
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
    """Return what a form sent; None if it is too long, or has too many fields."""
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
    """Return {name: its values}; values of spaces alone are left out."""
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
    wants_json: bool,
) -> Response:
    """Return a page; in a thread, because the knowledge base is read there."""
    try:
        with served.base() as base, kb.asking(path) as asked:
            visit = Visit(base, interface, path, parameters, taken=asked.taken)
            try:
                return _response(visit, page(visit), wants_json)
            except kb.ERRORS as error:
                status = 404 if isinstance(error, kb.NotFoundError) else 400
                reply = _error(kb.reason_of(error), status, getattr(error, "near", ()))
                return _response(visit, reply, wants_json)
    except kb.StoreError as error:
        return PlainTextResponse(f"sansho: {error}", status_code=503)


def _error(reason: kb.Reason, status: int, near: Sequence[str] = ()) -> Reply:
    """Return the page of an error."""
    document = {"error": reason.as_json(), "near": list(near)}
    values = {"reason": reason, "near": near, **NOTHING_ELSE}
    return Reply("error.html", values, lambda: document, status)


def _response(visit: Visit, reply: Reply, wants_json: bool) -> Response:
    if wants_json:
        if reply.document is None:
            reply = _error(kb.Reason("nothing_asked"), 400)
        elif reply.status == 200 and (unknown := visit.unknown()):
            reply = _error(kb.Reason("not_understood", names=unknown[:MOST_UNKNOWN]), 400)
        assert reply.document
        return Response(json_text(reply.document()), reply.status, media_type="application/json")
    return HTMLResponse(render(visit, reply), reply.status)


async def _no_such_page(
    served: kb.ReopenedBase, turns: Turns, request: Request, _error_: Exception
) -> Response:
    """Answer a request for a page that the explorer does not have."""
    lang = request.url.path.split("/")[1]
    wants_json = request.query_params.get("format") == "json"
    if lang not in LANGUAGES:
        return RedirectResponse("/", status_code=302) if not lang else _plain_404(wants_json)
    interface = Interface("ja" if lang == "ja" else "en")
    path = request.url.path.split("/", 2)[-1]

    def page(_: Visit) -> Reply:
        return _error(kb.Reason("no_such_page", path=path), 404)

    make = partial(_page, served, interface, page, "", {}, wants_json)
    return await _in_time(turns, interface, request, wants_json, make)


def _plain_404(wants_json: bool) -> Response:
    """Answer a request for an address without a language."""
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
