"""What browsers may keep: each page has a tag by which they ask whether it is still the same."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response

import kb

# Pages that depend on more than the base: on the vectors beside it, which are made meanwhile.
_OF_MORE = ("ask",)
_SUFFIXES = (".py", ".html", ".css", ".js", ".tsv")
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
    if request.method == "POST" or page in _OF_MORE or served.vectors is not None:
        return make()
    try:
        with served.base() as base:
            tag = _tag(base, str(request.url))
    except kb.StoreError:
        return make()  # which says so
    given = request.headers.get("if-none-match", "").split(",")
    if tag in (each.strip() for each in given):
        return Response(status_code=304, headers={"ETag": tag, "Cache-Control": "no-cache"})
    response = make()
    if response.status_code == 200:
        response.headers["ETag"] = tag
        response.headers.setdefault("Cache-Control", "no-cache")
    return response


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
