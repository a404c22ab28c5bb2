"""The tests in a browser notice what they are there to notice."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from tests.explorer import PHONE, Visitor, barriers, overflow, serving

_POLICY = {"Content-Security-Policy": "default-src 'none'; form-action 'self'"}
_PAGE = (
    "<!doctype html><html lang='en'><title>A page</title><main><h1>A page</h1>"
    "<script>window.ran = 1; alert(1)</script>"
    "<img src='http://127.0.0.1:9/elsewhere' onerror='window.ran = 2'>"
    f"<p>{'x' * 500}</p></main>"
)


def _app(headers: dict[str, str]) -> Starlette:
    return Starlette(routes=[Route("/", lambda _: HTMLResponse(_PAGE, headers=headers))])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("headers", "expected", "ran"),
    [
        (_POLICY, {"console error", "request failed", "forbidden"}, None),
        ({}, {"console error", "request failed", "request to another server", "dialog"}, 2),
    ],
)
def test_what_a_page_does_is_noticed(browser, headers, expected, ran):
    with serving(_app(headers)) as server:
        visit = Visitor(browser, server)
        page = visit("/", viewport=PHONE)
        assert page.evaluate("window.ran") == ran
        assert "image-alt" in " ".join(barriers(page))
        assert len(overflow(page)) > 1
        with pytest.raises(AssertionError):
            visit.close()
    assert expected <= {each.split(":")[0] for each in visit.amiss}
