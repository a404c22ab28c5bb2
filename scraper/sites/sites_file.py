"""Sites of one's own: reads the records of a TOML file (`--sites FILE`, `sites.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlsplit

from scraper.errors import SourceError
from scraper.sites.catalogue import Engine, Site, Wiki
from scraper.sources.snapshot import SITES

_KEYS = frozenset(
    "name game engine hosts mobile charset pages script unescaped lists changes".split()
)
_CHARSETS = {"utf-8": "utf-8", "utf8": "utf-8", "euc-jp": "euc_jp", "eucjp": "euc_jp",
             "euc_jp": "euc_jp"}  # fmt: skip


def find_sites(places: Iterable[Path], file: Path | None = None) -> tuple[Site, ...]:
    """The sites that a file describes, or else the `sites.toml` in or beside each of some places.

    Raises SourceError if the file is not there, or if a record in it can't be used.
    """
    if file is not None:
        return read_sites(file)
    found: dict[Path, None] = {}
    for place in places:
        beside = (place if place.is_dir() else place.parent) / SITES
        if beside.is_file():
            found[beside.resolve()] = None
    return tuple(site for path in found for site in read_sites(path))


def read_sites(file: Path) -> tuple[Site, ...]:
    """The sites that a TOML file describes, each in a table `[[site]]`.

    Raises SourceError, which says what is wrong and where.
    """
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise SourceError(f"{file}: can't be read: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SourceError(f"{file}: no TOML: {error}") from None
    records = document.get("site")
    if not isinstance(records, list) or not all(isinstance(one, dict) for one in records):
        raise SourceError(f"{file}: no table [[site]] in it; see docs/extending.md")
    sites = []
    for number, record in enumerate(records, 1):
        try:
            sites.append(_site(record))
        except ValueError as error:
            raise SourceError(f"{file}: [[site]] number {number}: {error}") from None
    return tuple(sites)


def _site(record: dict[str, Any]) -> Site:
    """The site of one table. Raises ValueError, which says what is wrong."""
    if unknown := sorted(record.keys() - _KEYS):
        raise ValueError(f"no key {unknown[0]!r}; there are: {', '.join(sorted(_KEYS))}")
    name, game, engine = (_text(record, key) for key in ("name", "game", "engine"))
    if "/" in name or "://" in name:
        raise ValueError(f"name: {name!r} has a slash in it")
    if engine not in get_args(Engine):
        raise ValueError(f"engine: {engine!r} is none of {', '.join(get_args(Engine))}")
    charset = _CHARSETS.get(_text(record, "charset", "utf-8").lower())
    if charset is None:
        raise ValueError(f"charset: {record['charset']!r} is neither utf-8 nor euc-jp")
    hosts = [host.lower() for host in _texts(record, "hosts")]
    if not hosts or any("/" in host for host in hosts):
        raise ValueError("hosts: names of hosts are wanted, without http:// and paths")
    pages, script = _addresses(record, engine, hosts[0])
    usual = {"mediawiki": "/:(),", "wisdomguild": "/:(),"}.get(engine, "/:" * (charset == "utf-8"))
    wiki = Wiki(
        hosts=tuple(_without_port(host) for host in [*hosts, *_texts(record, "mobile")]),
        pages=pages,
        script=script,
        charset=charset,
        unescaped=_text(record, "unescaped", usual),
        lists=tuple(_texts(record, "lists")),
        changes=tuple(_texts(record, "changes")),
    )
    return Site(name, game, engine, (wiki,))  # type: ignore[arg-type]  # the engine was checked


def _addresses(record: dict[str, Any], engine: str, host: str) -> tuple[str, str]:
    """How the addresses of pages and of everything else begin: as given, else as the engine has
    them when it is new."""
    usual = {"mediawiki": f"https://{host}/wiki/", "pukiwiki": f"https://{host}/index.php?"}
    pages = _text(record, "pages", usual.get(engine, f"https://{host}/"))
    parts = urlsplit(pages)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"pages: {pages!r} does not begin with http:// or https:// and a host")
    folder = parts.path.rpartition("/")[0] if engine != "mediawiki" else ""
    script = _text(record, "script", f"{parts.scheme}://{parts.netloc}{folder}/index.php")
    return pages, script


def _without_port(host: str) -> str:
    return host.partition(":")[0]


def _text(record: dict[str, Any], key: str, default: str | None = None) -> str:
    value = record.get(key, default)
    if not isinstance(value, str) or (not value and default is None):
        raise ValueError(f"{key}: a text is wanted" if key in record else f"{key} is missing")
    return value


def _texts(record: dict[str, Any], key: str) -> list[str]:
    value = record.get(key, [])
    value = [value] if isinstance(value, str) else value
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise ValueError(f"{key}: a list of texts is wanted")
    return value
