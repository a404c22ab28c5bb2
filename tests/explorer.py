"""The explorer in a real browser: a server, Chromium, and pages that say what went wrong in them.

A test asks for the fixture `visit` (see conftest.py), which opens pages of the explorer over the
bundled sample and at the end fails if anything was amiss: an error in the console, an exception, a
request that failed or left the server, something that the Content-Security-Policy forbade.
"""

from __future__ import annotations

import importlib.util
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM = Path(os.environ.get("SANSHO_CHROMIUM", "/usr/bin/chromium"))
REQUIRED = os.environ.get("SANSHO_BROWSER_TESTS") == "required"
WIDE, PHONE = {"width": 1200, "height": 900}, {"width": 360, "height": 740}

# What a browser does by itself, off: it looks for updates and for hosts on the network.
_ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
_SERIOUS = frozenset({"serious", "critical"})
# Kept by the browser's own event, before any script of the page runs.
_WATCH = """
window.forbidden = [];
document.addEventListener('securitypolicyviolation', event => {
  window.forbidden.push(`${event.effectiveDirective}: ${event.blockedURI} ${event.sample}`);
});
"""


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """Serve an application on a free port of loopback, in a thread; give its address."""
    import uvicorn

    from kb.web.server import settings

    config = settings(app)
    config.port = 0
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)


def missing() -> str | None:
    """Why there is no browser to test with; None if there is one."""
    if importlib.util.find_spec("playwright") is None:
        return "no Playwright: pip install -e '.[test]'"
    if not CHROMIUM.is_file():
        return f"no browser at {CHROMIUM}: apt-get install chromium, or set SANSHO_CHROMIUM"
    return None


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the system's Chromium; skip the test if there is none, or fail if it is required."""
    if reason := missing():
        (pytest.fail if REQUIRED else pytest.skip)(f"not tested in a browser: {reason}")
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=list(_ARGUMENTS),
            env={**os.environ, "FONTCONFIG_FILE": str(_fonts(Path(folder)))},
        )
        try:
            yield browser
        finally:
            browser.close()


def _fonts(folder: Path) -> Path:
    """Write a configuration with the system's fonts and the Japanese one that `draw` uses, so that
    text has the same width on every machine."""
    spec = importlib.util.find_spec("noto_cjk_sans_jp_regular")
    bundled = Path(spec.origin).parent if spec and spec.origin else folder
    path = folder / "fonts.conf"
    path.write_text(
        f'<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>'
        f'<include ignore_missing="yes">/etc/fonts/fonts.conf</include><dir>{bundled}</dir>'
        f"<cachedir>{folder}</cachedir></fontconfig>",
        "utf-8",
    )
    return path


@dataclass
class Visitor:
    """Opens pages of one server in one browser, and keeps what was amiss in them."""

    browser: Browser
    server: str
    amiss: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)
    _contexts: list[BrowserContext] = field(default_factory=list)

    def __call__(self, address: str = "/", **options: Any) -> Page:
        """Open an address of the server in a context of its own (see `new_context` of Playwright
        for the options: viewport, locale, color_scheme, java_script_enabled…)."""
        context = self.browser.new_context(**{"viewport": WIDE, "locale": "en"} | options)
        self._contexts.append(context)
        context.set_default_timeout(10_000)
        context.add_init_script(_WATCH)
        page = context.new_page()
        self._listen(page)
        self.go(page, address)
        return page

    def go(self, page: Page, address: str) -> None:
        """Open another address of the server in the same page."""
        page.goto(self.server + address)

    def allow(self, beginning: str) -> None:
        """Take what is amiss and begins so as expected."""
        self.allowed.append(beginning)

    def close(self) -> None:
        """Close all pages; fail if anything was amiss in any of them."""
        for context in self._contexts:
            for page in context.pages:
                self.amiss += (f"forbidden: {each}" for each in forbidden(page))
            context.close()
        wrong = [each for each in self.amiss if not each.startswith(tuple(self.allowed))]
        assert not wrong, "\n".join(wrong)

    def _listen(self, page: Page) -> None:
        def keep(kind: str, text: Callable[[Any], str]) -> Callable[[Any], None]:
            return lambda event: self.amiss.append(f"{kind}: {text(event)}")

        page.on(
            "console",
            lambda message: (
                self.amiss.append(f"console {message.type}: {message.text}")
                if message.type in ("error", "warning")
                else None
            ),
        )
        page.on("pageerror", keep("exception", str))
        page.on("requestfailed", self._fails)
        page.on("popup", keep("another window", lambda popup: popup.url))
        page.on("request", self._stays)
        page.on("dialog", self._dismiss)

    def _fails(self, request: Any) -> None:
        if request.failure != "net::ERR_ABORTED":  # by going on to another page
            self.amiss.append(f"request failed: {request.url} {request.failure}")

    def _stays(self, request: Any) -> None:
        if not request.url.startswith(self.server + "/"):
            self.amiss.append(f"request to another server: {request.url}")

    def _dismiss(self, dialog: Any) -> None:
        self.amiss.append(f"dialog: {dialog.message}")
        dialog.dismiss()


def forbidden(page: Page) -> list[str]:
    """What the Content-Security-Policy forbade in a page; always empty without JavaScript."""
    try:
        found: list[str] = page.evaluate("window.forbidden || []")
    except Exception:  # a page without scripts, or none at all
        return []
    return found


def barriers(page: Page, *rules: str) -> list[str]:
    """What axe-core finds serious or critical in a page: the rule, the element and the reason.

    rules: only these of its rules; none means all.
    """
    from axe_playwright_python.sync_playwright import Axe

    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    violations = Axe().run(page, options=options).response["violations"]
    return [
        f"{page.url} {violation['id']} ({violation['impact']}): {node['html'][:200]}"
        f" {' '.join(str(node.get('failureSummary', '')).split())[:300]}"
        for violation in violations
        if violation["impact"] in _SERIOUS
        for node in violation["nodes"][:3]
    ]


def overflow(page: Page) -> list[str]:
    """The elements that make a page wider than its window; empty if it is not."""
    found: list[str] = page.evaluate(_OVERFLOW)
    return found


_OVERFLOW = """() => {
  const root = document.scrollingElement, width = window.innerWidth;
  if (root.scrollWidth <= width) return [];
  const wide = [...document.body.querySelectorAll('*')].filter(
    element => element.getBoundingClientRect().left + element.scrollWidth > width + 0.5);
  return [`${location.pathname}: ${root.scrollWidth} of ${width} pixels`].concat(
    wide.slice(0, 5).map(element => element.outerHTML.slice(0, 160)));
}"""
