"""Writes the explorer's pages as files: for a host without a server, and for a folder."""

from __future__ import annotations

import asyncio
import json
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any
from unicodedata import normalize
from urllib.parse import unquote

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.types import ASGIApp, Message

import kb
from kb.result import Result
from kb.shared_wording import date_of
from kb.web.addresses import clean
from kb.web.app import create_app
from kb.web.base_counts import loaded
from kb.web.interface_language import LANGUAGES, Interface, InterfaceLanguage
from kb.web.pages.reading import pages_of_book
from kb.web.site_links import Links, as_file, file_names, first_questions, node_page

_KINDS: tuple[kb.NodeKind, ...] = ("rule", "document", "term", "card", "page")
_MARK = "sansho-site.json"  # in a folder that a site may be written over
_AT_ONCE = 40  # pages that a worker is given, by hand: fewer are sent more often than needed
_BYTES = 40_000  # that a page is counted as, so that workers are started for some dozens
_KNOWN = 20_000  # addresses whose files a worker remembers: a few MB
_SECONDS = 600  # for a page; nobody waits for it
# Bytes of the names for the field of search: what a browser reads in a moment, also from a phone.
_MOST_NAMES = 3_000_000
_MOST_LABELS = 6  # of a term, by which it is found
_SEARCH = (
    '<div class="find" role="search"><p class="facts" id="find" data-up="{{up}}{lang}/" '
    'data-label="{label}" data-none="{none}">{words}</p></div>'
)


@dataclass(frozen=True, slots=True)
class SiteReport(Result):
    """What `sansho site` wrote.

    folder: that has it. pages: how many pages there are, of each language of the explorer.
    bytes: of all files. search: whether names can be searched for.
    notice: what readers are told of the texts.
    """

    folder: str
    pages: dict[str, int]
    bytes: int
    search: bool
    notice: str


@dataclass(frozen=True)
class _Job:
    """What a worker must know: the file of the base, the folder to write to, which pages there are,
    and what stands in each head and in the place of the search, by language."""

    kb_file: str
    folder: str
    links: Links
    head: str
    search: dict[InterfaceLanguage, str]


def write_site(
    kb_file: str | Path,
    out: str | Path,
    *,
    game: str = "",
    edition: str = "",
    langs: Sequence[InterfaceLanguage] = LANGUAGES,
    workers: int | None = None,
) -> SiteReport:
    """Write the pages of a knowledge base into a folder: as the explorer shows them, with links
    between files, so that any host serves them and a browser opens them from the folder.

    out: the folder; one that is there is replaced when the new one is whole, if it is empty or has
        such a site. game, edition: the only ones that are written. langs: of the explorer.
    workers: processes; by default one for each core, up to four.

    Raises kb.QuestionError for a folder of something else, and for a game or an edition that
    nothing has; kb.StoreError if the base can't be read or the folder not written.

    >>> import tempfile
    >>> out = Path(tempfile.mkdtemp(), "site")
    >>> report = write_site(kb.sample().file, out, game="ygo", langs=("ja",), workers=1)
    >>> (out / "ja/index.html").is_file(), report.pages["ja"] > 10
    (True, True)
    """
    folder = Path(out).absolute()
    _refuse_other_folder(folder)
    with kb.open(kb_file) as base:
        nodes = _nodes(base, game, edition)
        chapters = {
            (book.game, book.edition, book.lang): pages_of_book(base, book)
            for book in loaded(base).rulebooks
            if game in ("", book.game) and edition in ("", book.edition)
        }
        names = file_names(node.id for node in nodes)
        links = Links(names, tuple(langs), game, edition, chapters)
        new = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.writing")
        try:
            new.mkdir(parents=True)
            has_search = _write_static(base, new, nodes, links)
            job = _Job(
                str(Path(kb_file).absolute()),
                str(new),
                links,
                _HEAD if has_search else "",
                {lang: _search_words(Interface(lang), has_search) for lang in langs},
            )
            pages = _write_pages(base, job, kb.default_workers() if workers is None else workers)
            _write_entrance(base, new, langs)
            (new / _MARK).write_text(json.dumps({"pages": pages}) + "\n", "utf-8")
            size = sum(file.stat().st_size for file in new.rglob("*") if file.is_file())
            _replace(folder, new)
        except OSError as error:
            raise kb.StoreError(f"{folder}: can't be written: {error.strerror}") from error
        finally:
            shutil.rmtree(new, ignore_errors=True)
        return SiteReport(str(out), pages, size, has_search, base.notice)


def _refuse_other_folder(folder: Path) -> None:
    """Raise kb.QuestionError unless a site may be written in the place of a folder."""
    if folder.is_dir() and ((folder / _MARK).is_file() or not any(folder.iterdir())):
        return
    if folder.exists() or folder.is_symlink():
        raise kb.QuestionError("folder_is_no_site", folder=str(folder))


def _replace(folder: Path, new: Path) -> None:
    """Put a new folder in the place of another one, which is deleted then."""
    old = new.with_suffix(".old")
    if folder.exists():
        folder.rename(old)
    new.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _nodes(base: kb.KnowledgeBase, game: str, edition: str) -> list[kb.Node]:
    """Return the nodes that get a page; of a game and an edition those that are of no other. Raises
    kb.QuestionError if nothing is of it."""
    base.top(most=1, game=game or None, edition=edition or None)  # says what there is instead
    return [
        node
        for kind in _KINDS
        for node in base.nodes(kind)
        if (not game or node.game in (None, game))
        and (not edition or node.edition in (None, edition))
    ]


# -- pages -----------------------------------------------------------------------------------------


def _write_pages(base: kb.KnowledgeBase, job: _Job, workers: int) -> dict[str, int]:
    """Write all pages, those of questions as far as pages lead to them; return how many there are
    of each language."""
    books = [book for book in loaded(base).rulebooks if book.rules]
    waiting = [
        address
        for lang in job.links.langs
        for address in (
            *first_questions(lang, books),
            *(node_page(lang, node_id) for node_id in job.links.nodes),
        )
    ]
    written: set[str] = set()
    with kb.WorkerPool(workers) as pool:
        while waiting:
            by_file = {job.links.file_of(each): each for each in waiting}
            new = [each for file, each in by_file.items() if file and file not in written]
            written.update(file for file in by_file if file)
            waiting = [
                address
                for found in pool.map(_writer, job, _chunks(new), lambda part: _BYTES * len(part))
                for address in found
            ]
    return {lang: sum(file.startswith(f"{lang}/") for file in written) for lang in job.links.langs}


def _chunks(addresses: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(addresses)
    while part := list(islice(rest, _AT_ONCE)):
        yield part


def _writer(job: _Job) -> Callable[[Sequence[str]], list[str]]:
    """Return a function that writes the pages of some addresses, and returns those of questions to
    which these lead."""
    app = create_app(kb.ReopenedBase(job.kb_file), seconds=_SECONDS)
    loop = asyncio.new_event_loop()
    file_of = lru_cache(_KNOWN)(job.links.file_of)  # most links of a page are those of the last one

    def write(addresses: Sequence[str]) -> list[str]:
        found: dict[str, None] = {}
        for address in addresses:
            path = file_of(address)
            assert path
            t = Interface("ja" if address.startswith("/ja/") else "en")
            html = loop.run_until_complete(_page(app, address))
            text, leads_to = as_file(html, path, file_of, t, job.head, job.search[t.lang])
            file = Path(job.folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8", newline="\n")
            found |= dict.fromkeys(leads_to)
        return list(found)

    return write


async def _page(app: ASGIApp, address: str) -> str:
    """Return the HTML with which the explorer answers a request, whatever its status."""
    path, _, query = address.partition("?")
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(b"host", b"localhost")],
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
    }
    body: list[bytes] = []
    asked = False

    async def receive() -> Message:
        nonlocal asked
        if asked:
            await asyncio.Event().wait()  # nobody goes away
        asked = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        body.append(message.get("body", b""))

    await app(scope, receive, send)
    return b"".join(body).decode()


# -- what stands beside the pages ------------------------------------------------------------------

_HEAD = (
    '<script src="{up}static/site-names.js" defer></script>\n'
    '<script src="{up}static/site-search.js" defer></script>\n'
)


def _write_static(
    base: kb.KnowledgeBase, folder: Path, nodes: Sequence[kb.Node], links: Links
) -> bool:
    """Write styles, and the names by which nodes are found if these are few enough; return whether
    they are."""
    static = folder / "static"
    static.mkdir()
    names = "".join(_names(nodes, links))
    has_search = len(names) < _MOST_NAMES
    for file in (files("kb.web") / "static").iterdir():
        if file.name != "sansho.js" and (has_search or not file.name.endswith(".js")):
            (static / file.name).write_bytes(file.read_bytes())
    (static / "picture.css").write_text(kb.picture_css(), "utf-8")
    if has_search:
        text = f"// What pages are called, and where they are.\nconst siteNames = [\n{names}];\n"
        (static / "site-names.js").write_text(text, "utf-8", newline="\n")
    return has_search


def _names(nodes: Sequence[kb.Node], links: Links) -> Iterator[str]:
    """Yield a line of JSON for each node: its names, what it is, its file. Of a rule the newest
    version in each language is found, as its page leads to the others."""
    newest: dict[tuple[str | None, ...], kb.Node] = {}
    for node in nodes:
        key = (node.rule, node.lang) if node.rule else (node.id,)
        known = newest.get(key)
        if not known or kb.edition_key(node.edition) > kb.edition_key(known.edition):
            newest[key] = node
    for node in newest.values():
        labels = dict.fromkeys(label.text for label in node.labels[:_MOST_LABELS])
        names = [node.number, node.label, *labels] if not node.rule else [node.number, node.label]
        shown = " · ".join(dict.fromkeys(normalize("NFKC", each) for each in names if each))
        about = " · ".join(filter(None, (node.game, node.lang if node.rule else "")))
        row = [str(clean(shown or node.id)), about, links.nodes[node.id]]
        # In a file of JavaScript these two end a line.
        line = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
        yield line.replace("\u2028", " ").replace("\u2029", " ") + ",\n"


def _search_words(t: Interface, has_search: bool) -> str:
    """Return what stands in the place of the field of search: a sentence, and what a script needs
    to make a field of it."""
    from markupsafe import escape

    words = t("Searching needs JavaScript here, or the explorer, sansho serve.")
    if not has_search:
        words = t("Searching needs the explorer, sansho serve.")
    label, none = t("Search for a rule, a term or a card by its name"), t("none")
    return _SEARCH.format(lang=t.lang, label=escape(label), none=escape(none), words=escape(words))


def _write_entrance(
    base: kb.KnowledgeBase, folder: Path, langs: Sequence[InterfaceLanguage]
) -> None:
    """Write the page that a folder opens with: the languages, and whose texts these are."""
    environment = Environment(
        loader=PackageLoader("kb.web"), autoescape=True, undefined=StrictUndefined, finalize=clean,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    values: dict[str, Any] = {
        "interfaces": [Interface(lang) for lang in langs],
        "loaded": loaded(base),
        "date": date_of,
    }
    text = environment.get_template("site.html").render(values)
    (folder / "index.html").write_text(text, "utf-8", newline="\n")
