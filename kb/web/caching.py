"""What browsers may keep: each page has a tag by which they ask whether it is still the same."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import date
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from threading import Lock

from starlette.requests import Request
from starlette.responses import Response

import kb

# Pages that depend on more than the base: on the vectors beside it, which are made meanwhile. The
# front page says how far they are.
_OF_MORE = ("ask",)
_SUFFIXES = (".py", ".html", ".css", ".js", ".tsv")
_LONG = 0.1  # seconds, by hand: what takes less is made anew as fast as a reader can tell
_MOST_BYTES = 32_000_000  # of pages that are kept: some hundreds
_LETTERS = 24  # of a tag: half of the digest is enough to tell pages apart


def cached(
    served: kb.ReopenedBase, request: Request, page: str, make: Callable[[], Response]
) -> Response:
    """Return what a function makes, with a tag and the word to ask each time whether it still
    holds; or 304, and nothing made, if the browser has the page of this tag.

    The tag is made of the digest of the base, the address (with its language) and the explorer
    itself; a page that depends on more than these has none, nor has one with another status.

    page: its path below the language.
    """
    if request.method == "POST" or page in _OF_MORE or (not page and served.vectors is not None):
        return make()
    try:
        with served.base() as base:
            tag = _tag(base, str(request.url))
    except kb.StoreError:
        return make()  # which says so
    given = request.headers.get("if-none-match", "").split(",")
    if tag in (each.strip() for each in given):
        return Response(status_code=304, headers={"ETag": tag, "Cache-Control": "no-cache"})
    if (kept := _SLOW.get(tag)) is not None:
        return kept
    began = time.perf_counter()
    response = make()
    if response.status_code == 200:
        response.headers["ETag"] = tag
        response.headers.setdefault("Cache-Control", "no-cache")
        if time.perf_counter() - began > _LONG:
            _SLOW.keep(tag, response)
    return response


class _SlowPages:
    """The last pages that took long, by their tags, as far as they fit: those of the commonest
    terms, which many readers ask for. Several threads may use it."""

    def __init__(self) -> None:
        self._pages: OrderedDict[str, Response] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, tag: str) -> Response | None:
        """Return a page of its own to send; None if it is not kept."""
        with self._lock:
            if (kept := self._pages.get(tag)) is None:
                return None
            self._pages.move_to_end(tag)
        return _copy(kept)

    def keep(self, tag: str, response: Response) -> None:
        """Keep a page, and let go of those that were not asked for longest."""
        with self._lock:
            if tag not in self._pages:
                self._pages[tag] = _copy(response)
                self._bytes += len(response.body)
            while self._bytes > _MOST_BYTES:
                self._bytes -= len(self._pages.popitem(last=False)[1].body)


def _copy(response: Response) -> Response:
    """Return a response with headers of its own: compressing changes them."""
    copy = Response(response.body, response.status_code)
    copy.raw_headers = list(response.raw_headers)
    return copy


_SLOW = _SlowPages()


def _tag(base: kb.KnowledgeBase, address: str) -> str:
    """Return the tag of a page; weak, as it may be sent compressed. The day of the file is in it
    because pages tell it."""
    built = date.fromtimestamp(base.file.stat().st_mtime).isoformat()
    parts = "\n".join((base.digest, built, _explorer(), address))
    return f'W/"{sha256(parts.encode("utf-8", "replace")).hexdigest()[:_LETTERS]}"'


@cache
def _explorer() -> str:
    """Return a digest of the program that answers: its code, templates and words. A version would
    not tell what is changed between two."""
    digest = sha256()
    for package in ("kb", "graphs"):
        for file in _files_below(files(package)):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _files_below(folder: Traversable) -> list[Traversable]:
    found: list[Traversable] = []
    for each in sorted(folder.iterdir(), key=lambda one: one.name):
        if each.is_dir():
            found += _files_below(each)
        elif each.name.endswith(_SUFFIXES):
            found.append(each)
    return found
