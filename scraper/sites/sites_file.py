"""Reads the records of the user's own sites from a TOML file (`--sites FILE`, `sites.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlsplit

from scraper.errors import SourceError
from scraper.sites.site_catalogue import Engine, Site, Wiki
from scraper.sources.snapshot import SITES

_KEYS = frozenset(
    "name game engine hosts mobile charset pages script unescaped lists changes".split()
)
_CHARSETS = {"utf-8": "utf-8", "utf8": "utf-8", "euc-jp": "euc_jp", "eucjp": "euc_jp",
             "euc_jp": "euc_jp"}  # fmt: skip


def find_sites(places: Iterable[Path], file: Path | None = None) -> tuple[Site, ...]:
    """Return the sites that the user describes.

    They are read from `file`. If that is None, they are read from every `sites.toml` that is in
    one of the places (if it is a folder) or beside it (if it is a file).

    Raises SourceError if `file` can't be read, or if a record can't be used.
    """
    if file is not None:
        return read_sites(file)
    files: dict[Path, None] = {}
    for place in places:
        with suppress(OSError):  # an impossible place is reported where it is read or written
            candidate = (place if place.is_dir() else place.parent) / SITES
            if candidate.is_file():
                files[candidate.resolve()] = None
    return tuple(site for path in files for site in read_sites(path))


def read_sites(file: Path) -> tuple[Site, ...]:
    """Return the sites that a TOML file describes, each in a table `[[site]]`.

    Raises SourceError if the file can't be read, or if a record in it can't be used.
    """
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise SourceError(f"{file}: can't be read: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SourceError(f"{file}: no TOML: {error}") from None
    records = document.get("site")
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise SourceError(f"{file}: no table [[site]] in it; see docs/extending.md")
    sites = []
    for number, record in enumerate(records, 1):
        try:
            sites.append(_parse_record(record))
        except ValueError as error:
            raise SourceError(f"{file}: [[site]] number {number}: {error}") from None
    return tuple(sites)


def _parse_record(record: dict[str, Any]) -> Site:
    """Return the site that a table describes. Raises ValueError if the record can't be used."""
    if unknown := sorted(record.keys() - _KEYS):
        raise ValueError(f"no key {unknown[0]!r}; there are: {', '.join(sorted(_KEYS))}")
    name, game, engine = (_text(record, key) for key in ("name", "game", "engine"))
    if "/" in name:
        raise ValueError(f"name: {name!r} has a slash in it")
    if engine not in get_args(Engine):
        raise ValueError(f"engine: {engine!r} is none of {', '.join(get_args(Engine))}")
    charset = _CHARSETS.get(_text(record, "charset", "utf-8").lower())
    if charset is None:
        raise ValueError(f"charset: {record['charset']!r} is neither utf-8 nor euc-jp")
    hosts = [host.lower() for host in _texts(record, "hosts")]
    if not hosts or any("/" in host for host in hosts):
        raise ValueError("hosts: must be names of hosts, without http:// and paths")
    pages, script = _page_and_script_urls(record, engine, hosts[0])
    pukiwiki_unescaped = "/:" if charset == "utf-8" else ""
    unescaped = pukiwiki_unescaped if engine == "pukiwiki" else "/:(),"
    wiki = Wiki(
        hosts=tuple(_without_port(host) for host in [*hosts, *_texts(record, "mobile")]),
        pages=pages,
        script=script,
        charset=charset,
        unescaped=_text(record, "unescaped", unescaped),
        lists=tuple(_texts(record, "lists")),
        changes=tuple(_texts(record, "changes")),
    )
    return Site(name, game, engine, (wiki,))  # type: ignore[arg-type]  # the engine was checked


def _page_and_script_urls(record: dict[str, Any], engine: str, host: str) -> tuple[str, str]:
    """Return how the URLs of articles begin, and how all others do (`Wiki.pages`, `Wiki.script`).

    What the record does not say is as in a new installation of the engine.
    """
    defaults = {"mediawiki": f"https://{host}/wiki/", "pukiwiki": f"https://{host}/index.php?"}
    pages = _text(record, "pages", defaults.get(engine, f"https://{host}/"))
    parts = urlsplit(pages)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"pages: {pages!r} does not begin with http:// or https:// and a host")
    folder = parts.path.rpartition("/")[0] if engine != "mediawiki" else ""
    script = _text(record, "script", f"{parts.scheme}://{parts.netloc}{folder}/index.php")
    return pages, script


def _without_port(host: str) -> str:
    """Return a host's name without its port, if it has one."""
    return host.partition(":")[0]


def _text(record: dict[str, Any], key: str, default: str | None = None) -> str:
    """Return the text under a key of a record.

    default: what to return if the key is missing; without it, an empty text is refused too.

    Raises ValueError if there is no such text.
    """
    value = record.get(key, default)
    if not isinstance(value, str) or (not value and default is None):
        raise ValueError(f"{key}: must be a text" if key in record else f"{key} is missing")
    return value


def _texts(record: dict[str, Any], key: str) -> list[str]:
    """Return the texts under a key of a record, which may be a single text; empty if missing.

    Raises ValueError if they are anything else.
    """
    value = record.get(key, [])
    value = [value] if isinstance(value, str) else value
    if not isinstance(value, list) or not all(isinstance(text, str) and text for text in value):
        raise ValueError(f"{key}: must be a list of texts")
    return value
