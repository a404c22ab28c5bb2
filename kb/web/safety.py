"""What keeps the explorer safe: headers on every answer, and what is refused before it is read."""

from __future__ import annotations

import logging
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST_ADDRESS = 8_000  # bytes of path and query: as many as servers usually take
# Bytes of a text that is sent to be verified: the most that `kb.web.pages.verify_texts` takes
# (LONGEST), in Japanese, where a letter takes nine bytes, and some more for the other fields.
LARGEST_FORM = 1_000_000
MOST_FIELDS = 50  # of such a form, a guard: it has five
SAFE_HEADERS = {
    # Neither scripts nor styles inside a page, and nothing from elsewhere.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # With `no-referrer`, browsers send `Origin: null` with the explorer's own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class SafeAnswers:
    """The outermost layer of the explorer: it puts the headers of safety on every answer, also on
    that of an error of the program, and refuses requests that are too long and texts that another
    site's page sends."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; of an error of the program with 500, if no answer has begun."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        is_begun = False

        async def send_safely(message: Message) -> None:
            nonlocal is_begun
            if message["type"] == "http.response.start":
                is_begun = True
                headers = MutableHeaders(scope=message)
                for name, value in SAFE_HEADERS.items():
                    headers[name] = value
            await send(message)

        try:
            await (_refusal(scope) or self._app)(scope, receive, send_safely)
        except Exception:
            _LOG.exception("an error of the program, at %s", scope["path"])
            if not is_begun:
                answer = PlainTextResponse("Something is wrong in sansho.", status_code=500)
                await answer(scope, receive, send_safely)


def _refusal(scope: Scope) -> PlainTextResponse | None:
    """Return the answer to a request that is refused before it is read: 414 for a long address, 403
    for a text that another site's page sends; None for others."""
    if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_ADDRESS:
        return PlainTextResponse("The address is too long.", status_code=414)
    if scope["method"] not in ("GET", "HEAD") and _is_foreign(Headers(scope=scope)):
        return PlainTextResponse("A page of another site may not send texts here.", 403)
    return None


def _is_foreign(headers: Headers) -> bool:
    """Whether a request comes from a page that is not the explorer's, as browsers say: in `Origin`
    and `Sec-Fetch-Site`. What is no browser sends neither."""
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()


_LOG = logging.getLogger("uvicorn.error")
