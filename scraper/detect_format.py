"""Detects which site or format a snapshot comes from, and parses it into pages.

A document that no parser could read becomes a page of plain text, so that no text is lost.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple, Protocol, runtime_checkable

from scraper import plugins
from scraper.errors import SourceError
from scraper.markup.html_tokens import BLOCKS, tokens
from scraper.markup.html_walk import Element, count_text, parse
from scraper.markup.page_builder import PageBuilder
from scraper.markup.size_limits import (
    HTML_MARKS,
    LINES,
    MOST_MARKS,
    MOST_TEXT_MARKS,
    TEXT_MARKS,
    parsed_beginning,
    with_rest,
)
from scraper.page import Page, Passage, ReadWarning, text_size
from scraper.page_names import with_bounded_names, with_fit_characters, with_name
from scraper.rulebook import pdf
from scraper.rulebook.edition import edition_of
from scraper.rulebook.languages import LANGUAGE_CODES, other_language
from scraper.sites import (
    mediawiki,
    mediawiki_api,
    mediawiki_dump,
    mediawiki_source,
    name_list,
    page_address,
    plain_text_capture,
    pukiwiki,
    pukiwiki_source,
    rulebook_html,
    rulebook_text,
    site_catalogue,
    translated_rulebook,
    wisdom_guild_card,
    wisdom_guild_rules,
)
from scraper.sites.games import is_id
from scraper.sites.plain_text_capture_lines import has_frame
from scraper.sources.charset import decode
from scraper.sources.saved_pages import Snapshot

_NO_TEXT = {"script": "script", "style": "style sheet"}


def failures_are_raised() -> bool:
    """Whether errors of parsers and extractors are raised instead of being warnings."""
    return bool(os.environ.get(plugins.RAISE))


def failure(error: Exception) -> str:
    """Return the warning of a page that could not be read: what was wrong, on one line, of which
    200 characters are shown.

    >>> failure(ValueError("a\\nb"))
    'could not be read (ValueError: a b); its text is kept as plain text'
    """
    what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return f"could not be read ({what}); its text is kept as plain text"


def plain_text_page(snapshot: Snapshot, text: str, name: str = "", is_html: bool = False) -> Page:
    """Return a page with a passage for each line of a text that is not blank, stripped, and without
    links and sections. Of HTML, an element of a block begins a line; scripts and styles are left
    out.

    snapshot: gives the URL and the site.
    text: the decoded document; is_html: whether it is HTML, whose tags are no text then.
    name: the page's name, or empty.

    >>> page = plain_text_page(Snapshot("a", b""), "<p>a<b>b</b><p>c<script>d</script>", "", True)
    >>> [passage.text for passage in page.passages], dict(page.left_out), page.lost
    (['ab', 'c'], {'script': 1}, 0)
    """
    builder = PageBuilder(name)
    pieces = _text_of_html(text, builder) if is_html else iter((text,))
    for line in "".join(pieces).splitlines():
        if line.strip():
            builder.add(Passage("paragraph", line.strip(), block=len(builder.passages)))
    kept = sum(text_size(passage.text) for passage in builder.passages)
    return builder.page(
        source=page_address.named_source(snapshot.url, snapshot.hints.site, "unread"),
        name=name,
        title=name,
        url=snapshot.url,
        form="html" if is_html else "plain text",
        chars=kept + sum(builder.left_out.values()),
    )


def _text_of_html(text: str, builder: PageBuilder) -> Iterator[str]:
    """Yield the text of an HTML document in pieces, with line ends for blocks.

    Scripts and what is never closed are counted in `builder` as left out.
    """
    inside = ""
    for token in tokens(text):
        if token.kind == "unclosed":
            builder.leave_out("tag or comment that is never closed", token.text)
        elif token.kind == "text" and inside in _NO_TEXT:
            builder.leave_out(_NO_TEXT[inside], token.text)
        elif token.kind == "text":
            yield token.text
        elif token.text in BLOCKS:
            yield "\n"
        inside = token.text if token.kind == "start" and not token.empty else ""


# Characters of a page that are looked at, as in `rulebook_text`: a guard of time, as a language
# shows in far fewer.
_FOR_LANGUAGE = 50_000
_LONGEST_VALUE = 40  # characters of a value in a warning, which is one line


def without_wrong_hints(snapshot: Snapshot) -> tuple[Snapshot, list[ReadWarning]]:
    """Return a snapshot without those of its hints that can't be, and a warning for each of them:
    they are detected instead. A date is written as ids write it.

    Such values come from manifests; those that a person gives are refused before.
    """
    hints, problems = snapshot.hints, []
    if hints.lang and hints.lang not in LANGUAGE_CODES:
        known = ", ".join(LANGUAGE_CODES)
        problems.append(f"language {_short(hints.lang)}: there are {known}; it is detected instead")
        hints = replace(hints, lang=None)
    if hints.edition and (name := edition_of(hints.edition)) != hints.edition:
        if name is None:
            what = "neither a date nor a version; it is detected instead"
            problems.append(f"edition {_short(hints.edition)}: {what}")
        hints = replace(hints, edition=name)
    if hints.game and not is_id(hints.game):
        problems.append(f"game {_short(hints.game)}: no short name; it is detected instead")
        hints = replace(hints, game=None)
    if hints.site and not site_catalogue.engine_of(hints.site):
        known = ", ".join(site_catalogue.names())
        problems.append(f"site {_short(hints.site)}: there are {known}; it is detected instead")
        hints = replace(hints, site=None)
    if hints is snapshot.hints:
        return snapshot, []
    warnings = [ReadWarning(snapshot.where, problem) for problem in problems]
    return replace(snapshot, hints=hints), warnings


def wrong_language(page: Page, snapshot: Snapshot) -> list[ReadWarning]:
    """Return a warning, in a list, if a page is clearly written in another language than is stated
    for it; else an empty list, also if none is stated, and for a list of names."""
    stated = snapshot.hints.lang
    if not stated or page.engine == "namelist":
        return []
    text = "\n".join(passage.text for passage in page.passages)[:_FOR_LANGUAGE]
    found = other_language(text, stated)
    if found is None:
        return []
    what = f"stated to be in the language {stated}, but written in {found}; filed as {stated}"
    return [ReadWarning(snapshot.where, what)]


def _short(value: str) -> str:
    return value if len(value) <= _LONGEST_VALUE else value[:_LONGEST_VALUE] + "…"


@runtime_checkable
class HtmlSite(Protocol):
    """A module, or an object of a plug-in, that parses the HTML pages of a family of sites."""

    def recognises(self, text: str, url: str) -> bool:
        """Whether a document is a page of these sites.

        text: the decoded document; url: where it is from, empty if that is not known.
        """

    def read(self, snapshot: Snapshot, text: str, root: Element) -> list[Page]:
        """Return the pages that a document shows.

        text: the decoded document; root: its tree.
        """


@dataclass(frozen=True, slots=True)
class _OfPlugin:
    """The parser of a plug-in, whose errors name it."""

    plugin: plugins.Plugin
    site: HtmlSite

    def recognises(self, text: str, url: str) -> bool:
        try:
            return bool(self.site.recognises(text, url))
        except plugins.FAILURES as error:  # then others may know the page
            self.plugin.failed(error)
            return False

    def read(self, snapshot: Snapshot, text: str, root: Element) -> list[Page]:
        """Raises PluginError for whatever is wrong; then others may know the page."""
        try:
            pages = list(self.site.read(snapshot, text, root))
            for page in pages:
                check_page(page)
            return [page.with_(engine=self.plugin.name) for page in pages]
        except plugins.FAILURES as error:
            raise plugins.PluginError(self.plugin.failed(error, snapshot.where)) from error


def check_page(page: Page) -> None:
    """Raise TypeError or ValueError, whose message says what, for a page of a plug-in's parser that
    can't be stored: that names a section or a span which is not there, or a game or a source that
    is no name."""
    if not isinstance(page, Page):
        raise TypeError(f"not a Page but {type(page).__name__}")
    for name, value in (("game", page.game or "x"), ("source", page.source)):
        if not is_id(value):
            raise ValueError(f"the {name} of a page is {value!r}, which is no name")
    if page.edition is not None and edition_of(page.edition) != page.edition:
        raise ValueError(f"the edition of a page is {page.edition!r}, neither a date nor a version")
    for number, passage in enumerate(page.passages):
        inside = len(passage.text)
        if not 0 <= passage.section < len(page.sections):
            raise ValueError(f"passage {number} is in section {passage.section}, which isn't there")
        if any(not 0 <= link.start <= link.end <= inside for link in passage.links):
            raise ValueError(f"a link of passage {number} is not within its text")
    if page.lost:
        raise ValueError(
            f"{page.lost:,} characters of the page are in no passage and under no reason"
        )


@cache
def html_sites() -> dict[str, HtmlSite]:
    """Return the parsers of HTML by the engine that they read, in the order in which they are
    asked: those of plug-ins first, as who installs one wants it."""
    added = plugins.loaded("sites", HtmlSite, taken=_HTML_SITES)
    return {plugin.name: _OfPlugin(plugin, site) for plugin, site in added} | _HTML_SITES


class TextSite(Protocol):
    """A module that parses a kind of plain-text document."""

    def recognises(self, text: str, url: str) -> bool:
        """Whether a document is of this kind.

        text: the decoded document; url: where it is from, empty if that is not known.
        """

    def read(self, snapshot: Snapshot, text: str) -> list[Page]:
        """Return the pages that a document shows. `text` is the decoded document."""


# The first module that recognises a document parses it: sites by marks of their own come before
# rulebooks, which are known by their numbers alone, and captures, which nearly anything of a site
# may be, come last.
_HTML_SITES: dict[str, HtmlSite] = {
    "mediawiki": mediawiki, "pukiwiki": pukiwiki, "wisdomguild card": wisdom_guild_card,
    "wisdomguild": wisdom_guild_rules, "rulebook": rulebook_html,
}  # fmt: skip
TEXT_SITES: tuple[TextSite, ...] = (name_list, pukiwiki_source, rulebook_text, plain_text_capture)
_TEXT_SITE_BY_HINT: dict[str, TextSite] = {
    "rulebook": rulebook_text, "namelist": name_list, "pukiwiki": pukiwiki_source,
}  # fmt: skip
_NO_RULEBOOK = (
    "a page of a wiki, not a rulebook; left out (it is read without the hint that it is one)"
)
# Of an article as it is; not of one in a backup.
_SOURCE_VIEW = re.compile(
    r"(?<!履歴)(?<!バックアップ)ソース|^(?!.*=backup).*[?&](?:plugin|action|cmd)=source"
)
_WIKITEXT = (".wiki", ".wikitext", ".mediawiki")  # endings of files
_JSON = re.compile(r"\{\s*[\"}]|\[\s*\{")
_DOCUMENT_END = re.compile(r"</html>\s*(?:<!--.*?-->\s*)*$", re.S | re.I)
_MARKUP = re.compile(r"<(?:!doctype|html|head|meta|link|title|body|div|table|p)\b", re.IGNORECASE)
_DOCUMENT = re.compile(r"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE)
_STRUCTURE = re.compile(
    r"</(?:html|head|title|body|div|table|t[rdh]|p|a|[uo]l|li|h[1-6]|script|style)\s*>",
    re.IGNORECASE,
)


def read_pages(snapshot: Snapshot) -> tuple[list[Page], list[ReadWarning]]:
    """Parse a snapshot: return its pages, and warnings for what could not be read.

    Never raises because of what the bytes hold. A document that no parser recognises gives no
    page and a warning. The warnings of the pages themselves (`Page.warnings`) are among the
    warnings, too. A view that is not an article gives a page without name and passages.

    snapshot: the bytes with their metadata. Its hints on game, language and edition replace what
        is detected; its hint on the site decides what a plain text is, and what an HTML document
        is that no parser recognises.
    """
    results = list(stream_pages(snapshot))
    pages = [result for result in results if isinstance(result, Page)]
    return pages, [result for result in results if isinstance(result, ReadWarning)]


def stream_pages(snapshot: Snapshot) -> Iterator[Page | ReadWarning]:
    """Yield the pages and warnings of a snapshot, mixed: each page before its own warnings.

    Only one page of a dump is in memory at a time.
    """
    for part in parts(snapshot):
        for found in read_part(part):
            if isinstance(found, ReadWarning) or found.form:
                yield found


@dataclass(frozen=True, slots=True)
class Part:
    """The smallest piece of a source that can be read by itself, in any process.

    snapshot: the snapshot; for a page of a dump, the dump's without its bytes.
    entry: the page of a dump; None for any other snapshot.
    """

    snapshot: Snapshot
    entry: mediawiki_dump.Entry | None = None

    @property
    def identity(self) -> bytes:
        """A key that is the same for parts that give the same pages: see `Snapshot.identity`."""
        if not self.entry:
            return self.snapshot.identity
        content = repr(self.entry).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(self.snapshot.identity + content, digest_size=16).digest()

    @property
    def sha256(self) -> str:
        """The SHA-256 of the bytes in hex; for a page of a dump, of its entry."""
        if not self.entry:
            return self.snapshot.sha256
        return hashlib.sha256(repr(self.entry).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def size(self) -> int:
        """About how much there is to read: bytes, or characters for a page of a dump."""
        return len(self.entry.text if self.entry else self.snapshot.data)


def parts(snapshot: Snapshot) -> Iterator[Part]:
    """Yield the parts of a snapshot in their order, not yet parsed.

    They are the pages of a dump (a snapshot with a `stream`), of which only one is in memory at a
    time; for any other snapshot the snapshot itself, whatever number of pages it has.
    """
    if snapshot.stream is None:
        yield Part(snapshot)
        return
    dump = replace(snapshot, data=b"", stream=None)
    for entry in mediawiki_dump.entries(snapshot):
        yield Part(dump, entry)


def read_part(part: Part) -> Iterator[Page | ReadWarning]:
    """Yield the pages of a part, and warnings for what could not be read.

    Warnings about the whole part come first; those of a page come right after it. The hints of
    the snapshot are in place of what was detected. What is refused whole is a page without name,
    passages and form, so that its text can be counted.
    """
    snapshot, wrong_hints = without_wrong_hints(part.snapshot)
    yield from wrong_hints
    try:
        read = _read_entry(part.entry) if part.entry else _read_snapshot(snapshot)
        results = list(_finished(read, snapshot))
    except Exception as error:  # one page must never end a build, whatever is wrong with a parser
        if failures_are_raised():
            raise
        results = list(_finished(_read_as_plain_text(snapshot, part.entry, error), snapshot))
    yield from results


class _Read(NamedTuple):
    """What a parser gives of a part.

    warnings: those about the whole part.
    replaced: how many U+FFFD are in its text before it is parsed.
    """

    pages: Sequence[Page]
    warnings: Sequence[ReadWarning] = ()
    replaced: int = 0


def _read_entry(entry: mediawiki_dump.Entry) -> _Read:
    """Parse a page of a dump."""
    return _Read([mediawiki_dump.read(entry)])


def _finished(read: _Read, snapshot: Snapshot) -> Iterator[Page | ReadWarning]:
    """Yield the warnings and pages of a part, each page with a name, with texts that can be stored
    and with what is stated of it, and before its own warnings."""
    yield from read.warnings
    for number, page in enumerate(read.pages):
        named, unnamed = with_name(page, snapshot.where, number)
        bounded, too_long = with_bounded_names(named, snapshot.where)
        fitting, unfit = with_fit_characters(bounded, snapshot.where, read.replaced)
        yield _with_hints(fitting, snapshot)
        yield from (*unnamed, *too_long, *unfit, *wrong_language(fitting, snapshot))
        yield from (_within(snapshot, warning) for warning in page.warnings)


def _read_as_plain_text(
    snapshot: Snapshot, entry: mediawiki_dump.Entry | None, error: Exception
) -> _Read:
    """Return the text of a part that its parser raised an error for, and a warning that says so.

    A PDF gives no page.
    """
    if entry:
        page = plain_text_page(replace(snapshot, url=entry.url), entry.text, entry.title)
        amount = sum(entry.besides.values())
        page = page.with_(chars=page.chars + amount, left_out={**page.left_out, **entry.besides})
        return _Read([page], [ReadWarning(snapshot.where, failure(error))])
    if snapshot.data.startswith(pdf.MAGIC):
        return _Read([], [ReadWarning(snapshot.where, f"a PDF that can't be read: {error}")])
    text = decode(snapshot.data, snapshot.content_type).text
    page = plain_text_page(snapshot, text, is_html=bool(_MARKUP.search(text[:8192])))
    return _Read([page], [ReadWarning(snapshot.where, failure(error))], text.count("\ufffd"))


def _read_snapshot(snapshot: Snapshot) -> _Read:
    """Parse a snapshot that is not a dump.

    A PDF is parsed as a rulebook. Other bytes are decoded and parsed as a format of MediaWiki,
    HTML or plain text, whichever fits first. Blank bytes give no page and a warning, except in a
    file whose name is that of a PukiWiki page. What is no page by its status is refused; who found
    it has warned of it. Hints other than `site` are not applied.
    """
    if snapshot.data.startswith(pdf.MAGIC):
        return _Read(*_read_pdf(snapshot)) if snapshot.is_page else _Read([])
    decoded = decode(snapshot.data, snapshot.content_type)
    if not snapshot.is_page:
        reason = f"an answer with the status {snapshot.status}"
        return _Read([_refused_page(snapshot, decoded.text, reason)])
    warnings = [_within(snapshot, warning) for warning in decoded.warnings]
    text = decoded.text
    if (not text or text.isspace()) and not pukiwiki_source.named_by_file(snapshot.where):
        return _Read([], [*warnings, ReadWarning(snapshot.where, "an empty file")])
    pages: list[Page]
    is_html = _is_html(snapshot, text)
    by_hint = snapshot.hints.site == "rulebook" and not is_html
    result = None if by_hint else _read_other_format(snapshot, text)
    if result is not None:
        pages, problems = result
    elif is_html:
        pages, problems = _read_html(snapshot, text)
    else:
        pages, problems = _read_plain_text(snapshot, text)
    replaced = text.count("\ufffd") if "\ufffd" in text else 0  # `in` is ten times as fast
    return _Read(pages, warnings + problems, replaced)


def _within(snapshot: Snapshot, warning: ReadWarning) -> ReadWarning:
    """Return a warning with its place in a snapshot as one in all sources."""
    return replace(warning, where=f"{snapshot.where}: {warning.where}")


def _is_html(snapshot: Snapshot, text: str) -> bool:
    """Whether a document is HTML, not a text with some `<keyword>` in it.

    A tag of HTML shows it at the beginning; but without an element that ends, a numbered rulebook
    is text, and so is what begins with something else than a tag, unless a site of HTML recognises
    it. With the hint `rulebook`, or in a file whose name is that of a page's source, only a whole
    document is HTML.
    """
    start = text[:8192]
    if _DOCUMENT.search(start):
        return True
    is_source = snapshot.where.endswith(_WIKITEXT) or pukiwiki_source.named_by_file(snapshot.where)
    if snapshot.hints.site == "rulebook" or is_source or not _MARKUP.search(start):
        return False
    if not start.lstrip("\ufeff \r\n\t").startswith("<"):
        return any(site.recognises(text, snapshot.url) for site in html_sites().values())
    return bool(_STRUCTURE.search(text)) or not rulebook_text.recognises(text, snapshot.url)


def _read_pdf(snapshot: Snapshot) -> tuple[list[Page], list[ReadWarning]]:
    """Parse a PDF of a rulebook: return its pages, and warnings for what could not be read of it.

    No page, and a warning that says so, if the PDF can't be read, or if its text is no numbered
    rulebook and the hint on the site is not `rulebook`.
    """
    try:
        found = pdf.read_pdf(snapshot.data)
    except SourceError as error:
        return [], [ReadWarning(snapshot.where, str(error))]
    text, warnings = found.text, [ReadWarning(snapshot.where, what) for what in found.problems]
    if snapshot.hints.site != "rulebook" and not rulebook_text.recognises(text, snapshot.url):
        refused, unlike = _refused(snapshot, text, "a PDF that is no numbered rulebook; left out")
        return refused, warnings + unlike
    return [
        page.with_(form="PDF") for page in _read_text_site(rulebook_text, snapshot, text)
    ], warnings


def _read_html(snapshot: Snapshot, text: str) -> tuple[list[Page], list[ReadWarning]]:
    """Parse an HTML document: return its pages, and what is wrong with it.

    The site is the first that recognises it, else that of the hint's engine; if there is neither,
    it is refused. A source view of PukiWiki is parsed as source text. Pages of a document
    without `</html>` are marked as not whole.
    """
    known = html_sites()
    hinted = known.get(site_catalogue.engine_of(snapshot.hints.site or ""))
    sites = [site for site in known.values() if site.recognises(text, snapshot.url)]
    site = next(iter(sites), hinted)
    if site is None:
        what = "a page of no site that sansho knows; left out"
        return _refused(snapshot, text, what, ("site",))
    ends = _DOCUMENT_END.search(text[-2000:]) is not None
    text, rest = parsed_beginning(text, HTML_MARKS, MOST_MARKS)
    root, trouble = parse(text)
    pages: list[Page] = []
    if site is pukiwiki and _SOURCE_VIEW.search(_title(text) + snapshot.url):
        pages = pukiwiki_source.from_view(snapshot, text, root)
    problems = [ReadWarning(snapshot.where, trouble)] if trouble else []
    for each in () if pages else (*sites, *([hinted] if hinted else ())):
        try:
            pages = each.read(snapshot, text, root)
            break
        except plugins.PluginError as error:
            problems.append(ReadWarning(snapshot.where, str(error)))
    else:
        if not pages:
            raise SourceError("no parser that knows the page could read it")
    pages = [*pages[:-1], *(with_rest(page, rest, MOST_MARKS) for page in pages[-1:])]
    if ends:
        return pages, problems
    if "</html>" in text.lower():
        beyond = "goes on behind </html>; what stands there is read, too"
        return pages, [*problems, ReadWarning(snapshot.where, beyond)]
    broken = "ends before its end (truncated?); read as far as it goes"
    problems.append(ReadWarning(snapshot.where, broken))
    return [page.with_(whole=False) for page in pages], problems


def _title(text: str) -> str:
    """Return the title of an HTML document, as written in its first 8,192 characters, with its
    entities; empty if it has none."""
    return text[:8192].partition("<title>")[2].partition("<")[0]


def _read_plain_text(snapshot: Snapshot, text: str) -> tuple[list[Page], list[ReadWarning]]:
    """Parse a plain-text document: return its pages, and what is wrong with it.

    What has a wiki's frame around it is a capture, whatever it lists. Else the parser that the hint
    of the snapshot names comes first, then PukiWiki's source text by the file's name, then what
    recognises the text. A name of one or two letters comes last: `41.txt`
    may be the 41st file as well as the page A. If nothing recognises the text, it is a plain-text
    capture if there is any hint on the site, else it is refused. With the hint `rulebook`,
    captures of wikis are refused: the words of their menus would name games and editions.
    """
    hint = snapshot.hints.site or ""
    if hint == "rulebook" and plain_text_capture.recognises(text, snapshot.url):
        return _refused(snapshot, text, _NO_RULEBOOK)
    site = plain_text_capture if has_frame(text) else _TEXT_SITE_BY_HINT.get(hint)
    named = pukiwiki_source.named_by_file(snapshot.where)
    if site is None and (len(named) > 2 or not named.isascii()):
        site = pukiwiki_source
    site = site or next((s for s in TEXT_SITES if s.recognises(text, snapshot.url)), None)
    site = site or (pukiwiki_source if named else None)
    site = site or (plain_text_capture if hint else None)
    if site is None:
        what = "a text of no kind that sansho knows; left out"
        return _refused(snapshot, text, what, ("site",))
    return _read_text_site(site, snapshot, text), []


def _read_text_site(site: TextSite, snapshot: Snapshot, text: str) -> list[Page]:
    """Parse a plain-text document: return its pages. Of a huge one the rest is not parsed."""
    marks = TEXT_MARKS if site is pukiwiki_source else LINES
    beginning, rest = parsed_beginning(text, marks, MOST_TEXT_MARKS)
    pages = site.read(snapshot, beginning)
    return [*pages[:-1], *(with_rest(page, rest, MOST_TEXT_MARKS) for page in pages[-1:])]


def _read_other_format(
    snapshot: Snapshot, text: str
) -> tuple[list[Page], list[ReadWarning]] | None:
    """Parse wikitext, an export or an API answer of MediaWiki, or an edition that came back from a
    translator: its pages, and what is wrong.

    Other JSON and XML documents are refused. None for HTML and other plain text.
    """
    start = text[:2048].lstrip("\ufeff \r\n\t")
    if start.startswith("<") and translated_rulebook.recognises(text):
        return translated_rulebook.read(snapshot, text)
    if _is_wikitext(snapshot):
        return mediawiki_source.read(snapshot, text), []
    if start.startswith("<") and mediawiki_dump.recognises(text, snapshot.url):
        return list(mediawiki_dump.pages(snapshot)), []
    if start.startswith(("<", "{")) and mediawiki_api.recognises(text, snapshot.url):
        try:
            pages = mediawiki_api.pages(snapshot, text)
        except mediawiki_api.TooLargeAnswer as error:
            return [plain_text_page(snapshot, text)], [ReadWarning(snapshot.where, str(error))]
        if pages:
            return pages, []
        return _refused(snapshot, text, "an answer of the API without a page's text; left out")
    if _JSON.match(start) and not name_list.recognises(text, snapshot.url):
        return _refused(snapshot, text, "a JSON document of no kind that sansho knows; left out")
    if start.startswith("<?xml") and not re.search(r"<html\b", text[:8192], re.IGNORECASE):
        return _refused(snapshot, text, "an XML document of no kind that sansho knows; left out")
    return None


def _refused(
    snapshot: Snapshot, text: str, what: str, hints: tuple[str, ...] = ()
) -> tuple[list[Page], list[ReadWarning]]:
    """Return the page of a document that is refused, and the warning that says so.

    what: the warning's text; the reason is what stands before its semicolon. hints: those that
        make it readable.
    """
    warning = ReadWarning(snapshot.where, what, hints)
    return [_refused_page(snapshot, text, what.partition(";")[0])], [warning]


def _refused_page(snapshot: Snapshot, text: str, reason: str) -> Page:
    """Return a page without name, passages and form, in which all characters of a document are
    counted under the reason for which it is refused."""
    rest = ""
    if is_html := _is_html(snapshot, text):
        text, rest = parsed_beginning(text, HTML_MARKS, MOST_MARKS)
    chars = text_size(rest) + (count_text(parse(text).root) if is_html else text_size(text))
    left_out = {reason: chars} if chars else {}
    return Page("", "", snapshot.url, form="", chars=chars, left_out=left_out)


def _is_wikitext(snapshot: Snapshot) -> bool:
    """Whether what is known of a document, beside its text, says that it is MediaWiki's source."""
    if snapshot.content_type.startswith("text/x-wiki") or "action=raw" in snapshot.url:
        return True
    engine = site_catalogue.engine_of(snapshot.hints.site or "")
    return snapshot.where.endswith(_WIKITEXT) and engine in {"mediawiki", ""}


def _with_hints(page: Page, snapshot: Snapshot) -> Page:
    """Return a page with its canonical URL, and with the hints in place of what was detected.

    Game, language and edition are replaced if the snapshot has a hint for them.
    """
    hints = snapshot.hints
    return page.with_(
        url=page_address.canonical(page.url),
        game=hints.game or page.game,
        lang=hints.lang or page.lang,
        edition=hints.edition or page.edition,
    )
