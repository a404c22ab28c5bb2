"""Reads the records of the user's own sites from a TOML file (`--sites FILE`, `sites.toml`)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scraper.errors import SourceError
from scraper.sites.games import is_id
from scraper.sites.site_catalogue import (
    BUILT_IN,
    Site,
    Wiki,
    engines_of_plugins,
    plain_host,
    without_mobile,
)
from scraper.sources import limits
from scraper.sources.files import message, open_file
from scraper.sources.saved_pages import SITES

_KEYS = frozenset(
    "name game engine hosts mobile charset pages script unescaped lists changes".split()
)
_CHARSETS = {"utf-8": "utf-8", "utf8": "utf-8", "euc-jp": "euc_jp", "eucjp": "euc_jp",
             "euc_jp": "euc_jp"}  # fmt: skip
_ENGINES = ("mediawiki", "pukiwiki")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*(?::\d+)?")


def find_sites(places: Iterable[Path], file: Path | None = None) -> tuple[Site, ...]:
    """Return the sites that the user describes.

    They are read from `file`. If that is None, they are read from the `sites.toml` in or beside
    each of the places. The result is sorted by name; it is empty if there is no such file.

    places: the files and folders that are read or written; they need not exist.

    Raises SourceError if a file can't be read, if a record can't be used, or if two records
    have the same name or host.
    """
    files = [file] if file is not None else _files_at(places)
    sites: dict[Site, Path] = {}
    for path in files:
        sites |= dict.fromkeys(read_sites(path), path)
    _check_distinct(sites)
    return tuple(sorted(sites, key=lambda site: site.name))


def _files_at(places: Iterable[Path]) -> list[Path]:
    """Return the file `sites.toml` of each place: the one in it, else the one beside it.

    They are absolute, in the order of the places, each once; a place with neither gives none.
    """
    files: dict[Path, None] = {}
    for place in places:
        with suppress(OSError):  # an impossible place is reported where it is read or written
            for folder in (place, place.absolute().parent):
                if (folder / SITES).exists():
                    files[(folder / SITES).resolve()] = None
                    break
    return list(files)


def _check_distinct(sites: dict[Site, Path]) -> None:
    """Raise SourceError if two sites, or one and a built-in site, have the same name or host.

    sites: the files of the sites.
    """
    taken = {key: "sansho itself" for site in BUILT_IN for key in _unique_claims(site)}
    for site, file in sites.items():
        for key in _unique_claims(site):
            if key in taken:
                raise SourceError(f"{file}: {key} has a record in {taken[key]} already")
        taken |= dict.fromkeys(_unique_claims(site), str(file))


def _unique_claims(site: Site) -> Iterator[str]:
    """Yield what only one site may have, in words: `the name X`, and `the host Y` for each host."""
    yield f"the name {site.name}"
    yield from {f"the host {host}": 0 for wiki in site.wikis for host in wiki.hosts}


def read_sites(file: Path) -> tuple[Site, ...]:
    """Return the sites that a TOML file describes, each in a table `[[site]]`, in their order.

    Whether two have the same name or host is not checked: see `find_sites`.

    Raises SourceError if the file can't be read, or if a record in it can't be used.
    """
    try:
        with open_file(file) as opened, BufferedReader(opened) as buffered:
            data = buffered.read(limits.SITES_FILE + 1)
        if len(data) > limits.SITES_FILE:
            raise SourceError(f"{file}: larger than {limits.size(limits.SITES_FILE)}; not read")
        document = tomllib.loads(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except OSError as error:
        raise SourceError(f"{file}: can't be read: {message(error)}") from None
    except (ValueError, RecursionError) as error:  # also a number with too many digits
        raise SourceError(f"{file}: not TOML: {message(error)}") from None
    records = document.get("site")
    if isinstance(records, dict):
        raise SourceError(f"{file}: [site] must be written [[site]], as there may be several")
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
    """Return the site, with a single wiki, that a table describes.

    Hosts lose port, `www.`, `m.` and `mobile.`. Only `name`, `game`, `engine` and `hosts` must be
    there: the charset is UTF-8 by default, and the URLs are those of a new installation.

    Raises ValueError if the record can't be used: an unknown key, or a missing or wrong value.
    """
    if unknown := sorted(record.keys() - _KEYS):
        raise ValueError(f"no key {unknown[0]!r}; there are: {', '.join(sorted(_KEYS))}")
    name, game, engine = (_text(record, key) for key in ("name", "game", "engine"))
    for key, value in (("name", name), ("game", game)):
        if not is_id(value):
            raise ValueError(f"{key}: {value!r} has more in it than letters, digits and - . _ +")
    if name == game:
        raise ValueError(f"name: {name!r} is the id of the game; call the site otherwise")
    if engine not in (engines := (*_ENGINES, *engines_of_plugins())):
        raise ValueError(
            f"engine: {engine!r} is none of {', '.join(engines)}; if a plug-in reads it, that is "
            "not installed, or plug-ins are off (SANSHO_PLUGINS)"
        )
    charset = _CHARSETS.get(_text(record, "charset", "utf-8").lower())
    if charset is None:
        raise ValueError(f"charset: {record['charset']!r} is neither utf-8 nor euc-jp")
    hosts = [host.lower() for host in _texts(record, "hosts")]
    mobile = [host.lower() for host in _texts(record, "mobile")]
    if not hosts:
        raise ValueError("hosts is missing")
    if wrong := [host for host in hosts + mobile if not _HOST.fullmatch(host)]:
        raise ValueError(f"hosts: {wrong[0]!r} is not the name of a host, without http:// or path")
    pages, script = _page_and_script_urls(record, engine, hosts[0])
    if plain_host(urlsplit(pages)) not in map(_plain_host, hosts):
        raise ValueError(f"pages: the host of {pages!r} is not among the hosts")
    pukiwiki_unescaped = "/:" if charset == "utf-8" else ""
    unescaped = pukiwiki_unescaped if engine == "pukiwiki" else "/:(),"
    wiki = Wiki(
        hosts=tuple(dict.fromkeys(map(_plain_host, hosts + mobile))),
        pages=pages,
        script=script,
        charset=charset,
        unescaped=_text(record, "unescaped", unescaped),
        lists=tuple(_texts(record, "lists")),
        changes=tuple(_texts(record, "changes")),
    )
    return Site(name, game, engine, (wiki,))


def _page_and_script_urls(record: dict[str, Any], engine: str, host: str) -> tuple[str, str]:
    """Return how the URLs of articles begin, and how all others do (`Wiki.pages`, `Wiki.script`).

    What the record does not say is as in a new installation of the engine.

    record: a table of the file, with the keys in `_KEYS`; host: the site's first host.

    Raises ValueError if `pages` is not the URL of a host, or a value is not a text.
    """
    defaults = {"mediawiki": f"https://{host}/wiki/", "pukiwiki": f"https://{host}/index.php?"}
    pages = _text(record, "pages", defaults.get(engine, f"https://{host}/"))
    try:
        parts = urlsplit(pages)
    except ValueError as error:
        raise ValueError(f"pages: {pages!r}: {error}") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"pages: {pages!r} does not begin with http:// or https:// and a host")
    folder = parts.path.rpartition("/")[0] if engine != "mediawiki" else ""
    script = _text(record, "script", f"{parts.scheme}://{parts.netloc}{folder}/index.php")
    return pages, script


def _plain_host(host: str) -> str:
    """Return a host's name as a catalogue holds it: without port, `www.`, `m.` or `mobile.`.

    host: in lower case.
    """
    return without_mobile(host.partition(":")[0])


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
