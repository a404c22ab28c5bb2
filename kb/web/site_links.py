"""The explorer's pages as files: what each is called, and where its links lead."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape, unescape
from unicodedata import normalize
from urllib.parse import parse_qs, quote, unquote, urlsplit

import kb
from kb.web.addresses import node_address, question_address
from kb.web.interface_language import Interface, InterfaceLanguage

# The pages of questions that are written, with the parameters that they may have. Others have too
# many answers to write them all, or what is asked is typed.
QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "": (),
    "audit": (),
    "chapters": ("game", "edition", "lang"),
    "contents": ("game", "edition", "lang"),
    "glossary": ("game", "letter"),
    "read": ("game", "edition", "lang", "chapter"),
    "top": (),
}
# What names of files may hold on every system; `~` stands before what is written otherwise.
_UNSAFE = re.compile(r'[\x00-\x20\x7f"*:<>?|\\~%#&;]|[. ]\Z|\A\.')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)", re.IGNORECASE)
_BOOK = ("game", "edition", "lang")
_CUTS = re.compile(r"[.a-z]")  # before which the number of the rule above ends
_LONGEST = 120  # bytes of a step, well below the 255 that systems take, with the mark of its digest
_MARK = 8  # letters of that digest
# The explorer writes its tags itself: names in small letters, values in quotation marks, what pages
# say escaped.
_LINK = re.compile(r'(?P<tag><a\b[^>]*?)\shref="(?P<to>[^"]*)"(?P<rest>[^>]*>.*?</a>)', re.DOTALL)
_ASSET = re.compile(r'(?<=\s)(?P<name>href|src)="(?P<to>/static/[^"]*)"')
_NAVIGATION = re.compile(r"<nav\b.*?</nav>", re.DOTALL)
_UNLINKED = re.compile(r"<a\b(?![^>]*\shref=)[^>]*>.*?</a>\s*", re.DOTALL)
_FORM = re.compile(r"<form\b(?P<tag>[^>]*)>.*?</form>", re.DOTALL)
_SCRIPT = re.compile(r"<script\b[^>]*></script>\n?")
# What is of use with the explorer's script or server alone: buttons, the dialog on keys, the feed.
_ALIVE = re.compile(
    r'<button\b.*?</button>|<dialog\b.*?</dialog>|<link\b[^>]*type="application/atom\+xml"[^>]*>',
    re.DOTALL,
)
_DATA = re.compile(r'\sdata-[a-z-]+="/[^"]*"')  # addresses that a script would ask
_SEARCH_MARK = 'role="search"'


def file_names(ids: Iterable[str]) -> dict[str, str]:
    """Return {id of a node: the path of its file below the language, without the suffix}.

    Ids whose paths would be the same where case does not count have a digest behind them, all but
    the first.

    >>> file_names(["mtg/cr/1/en/121.4", "mtg/card/X", "mtg/card/x", "w/何?"])["w/何?"]
    'node/w/何~3f'
    >>> sorted(file_names(["a/X", "a/x"]).values())
    ['node/a/X', 'node/a/x~1653a068']
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for node_id in sorted(ids):
        path = "/".join(["node", *map(_step, node_id.split("/"))])
        if _folded(path) in taken:
            path = f"{path}~{_digest(node_id)}"
        taken.add(_folded(path))
        names[node_id] = path
    return names


def _step(text: str) -> str:
    """Return a part of an id as a part of a path."""
    safe = _UNSAFE.sub(lambda sign: f"~{ord(sign[0]):x}", text) or "~"
    if _RESERVED.match(safe):
        safe += "~"
    if len(encoded := safe.encode("utf-8", "replace")) <= _LONGEST:
        return safe
    return f"{encoded[:_LONGEST].decode('utf-8', 'ignore')}~{_digest(text)}"


def _folded(path: str) -> str:
    return normalize("NFC", path).casefold()


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:_MARK]


@dataclass(frozen=True)
class Links:
    """Which pages are written, and as which files.

    nodes: {id of a node: its path}, as `file_names` gives them.
    langs: the languages of the explorer. game, edition: those that are written alone; empty for
        all.
    chapters: {(game, edition, language) of a book: {number: number of the page that it is read
        on}}, as `pages_of_book` gives it: of each chapter one page is written, and no more.
    """

    nodes: Mapping[str, str]
    langs: Collection[InterfaceLanguage]
    game: str = ""
    edition: str = ""
    chapters: Mapping[tuple[str, str, str], Mapping[str, str]] = field(default_factory=dict)

    def file_of(self, address: str) -> str | None:
        """Return the path of the file of an address of the explorer, below the site's folder; None
        if it is not written. What stands on a page leads to the page."""
        parts = urlsplit(address)
        _, lang, name, *rest = [*unquote(parts.path).split("/", 3), ""][:4]
        if lang not in self.langs:
            return None
        given = parse_qs(parts.query)
        if name == "node":
            node_id = rest[0] or "".join(given.get("id", ()))
            path = self.nodes.get(node_id) or self.nodes.get(kb.page_and_section(node_id)[0])
            return f"{lang}/{path}.html" if path else None
        known = QUESTIONS.get(name)
        if known is None or any(rest) or not given.keys() <= {*known} or not self._fits(given):
            return None
        if name == "read" and "chapter" in given:
            given["chapter"] = [self._page_of(given)]
        values = [f"{each}={_step(given[each][0])}" for each in known if each in given]
        return f"{lang}/{'/'.join([name or 'index', *values])}.html"

    def _page_of(self, given: Mapping[str, list[str]]) -> str:
        """Return the number of the page on which a rule is read."""
        number = given["chapter"][0]
        game, edition, lang = ("".join(given.get(each, ())) for each in _BOOK)
        pages = self.chapters.get((game, edition, lang), {})
        above = (number[: cut.start()].rstrip(".") for cut in reversed([*_CUTS.finditer(number)]))
        return next((pages[each] for each in (number, *above) if each in pages), number)

    def _fits(self, given: Mapping[str, list[str]]) -> bool:
        """Whether a question is of the game and the edition that are written."""
        wanted = {"game": self.game, "edition": self.edition}
        return all(
            len(values) == 1 and wanted.get(name) in (None, "", values[0])
            for name, values in given.items()
        )


def node_page(lang: str, node_id: str) -> str:
    """Return the address of the page of a node, as `Links.file_of` takes it."""
    return node_address(lang, node_id)


def first_questions(lang: str, books: Iterable[kb.LoadedEdition]) -> list[str]:
    """Return the addresses from which a site is written: its front page and its rulebooks."""
    return [question_address(lang, "")] + [
        question_address(lang, "contents", game=book.game, edition=book.edition, lang=book.lang)
        for book in books
    ]


def as_file(
    html: str,
    path: str,
    file_of: Callable[[str], str | None],
    t: Interface,
    head: str,
    search: str,
) -> tuple[str, list[str]]:
    """Return the HTML of a page as it is written to a file, and the addresses of the pages of
    questions that it leads to.

    Links are relative; those to pages that are not written become text, and are left out of
    navigation, and so is what leads to data. A form becomes a sentence, as it needs a server.

    path: of the file, below the site's folder. file_of: says where the page of an address is, as
        `Links.file_of` does. head: what stands before the end of the head, such as a script.
        search: what stands in the place of the field for searches. In both `{up}` is the way up to
        the site's folder.
    """
    up = "../" * path.count("/")
    leads_to: dict[str, None] = {}

    def link(found: re.Match[str]) -> str:
        to = unescape(found["to"])
        if not to.startswith("/"):
            return found[0]
        if "format=" in to or "/static/" in to:  # data of a page, of which there are no files
            return ""
        address, _, place = to.partition("#")
        file = file_of(address)
        if file is None:
            return f"{found['tag']}{found['rest']}"
        if "/node" not in address:
            leads_to[address] = None
        relative = up + quote(file) + (f"#{place}" if place else "")
        return f'{found["tag"]} href="{escape(relative)}"{found["rest"]}'

    def form(found: re.Match[str]) -> str:
        if _SEARCH_MARK in found["tag"]:
            return search.format(up=up)
        return f'<p class="facts">{escape(t("This form needs the explorer, sansho serve."))}</p>'

    html = _FORM.sub(form, _ALIVE.sub("", _SCRIPT.sub("", html)))
    html = _LINK.sub(link, html)
    html = _NAVIGATION.sub(lambda found: _UNLINKED.sub("", found[0]), html)
    html = _ASSET.sub(lambda found: f'{found["name"]}="{up}{found["to"][1:]}"', html)
    html = _DATA.sub("", html).replace("</head>", head.format(up=up) + "</head>", 1)
    return html, list(leads_to)
