"""Parses PukiWiki's source text, from a data folder or a source view, into pages.

`scraper.markup.pukiwiki_blocks` finds the blocks that PukiWiki would serve of it, of which
`scraper.markup.block_writer` makes passages, as it does of a tree of HTML. So a page has the same
passages from its source as from its HTML, except for what plugins add. Marks of the markup are
counted under their reasons as they are parsed. The page's name is not in its source, but it is
the title passage and counted with the text.
"""

from __future__ import annotations

import re
from pathlib import Path

from scraper.markup.html_walk import Element, all_text, count_text
from scraper.markup.page_builder import PageBuilder
from scraper.markup.pukiwiki_blocks import PukiWikiBlockParser
from scraper.markup.pukiwiki_inline import Here
from scraper.page import Page, text_size
from scraper.sites import page_address, site_catalogue
from scraper.sites.pukiwiki import names_in_utf8, text_in_utf8
from scraper.sources.saved_pages import Snapshot

# Markup that hardly any other text has. Bounds in these patterns are guards of time: names and
# spans of a line are shorter.
_STRONG_SIGNS = (
    re.compile(r"(?m)^\*{1,3}[^\n\[]{0,200}\[#[A-Za-z][\w-]{1,60}\]"),
    re.compile(r"(?m)^#(?:author\(|freeze\b|contents\b|pcomment\b|region\b|norelated\b|br\b)"),
    re.compile(r"(?m)^[-+]{1,3} ?\[\[[^\]\n]{1,200}\]\]"),
    re.compile(r"&(?:ruby|size|color|new|attachref|aname)[({][^\n;]{1,200};"),
    re.compile(r"\[\[[^\]\n|>]{1,100}>[^\]\n|>]{1,100}\]\]"),
)
# Markup that other formats may also have.
_WEAK_SIGNS = (
    re.compile(r"(?m)[^\n]~$"),
    re.compile(r"(?m)^\|[^\n]{0,2000}\|[hfc]?$"),
    re.compile(r"''[^'\n]{1,200}''"),
    re.compile(r"\[\[[^\]\n|]{1,100}\]\]"),
    re.compile(r"(?m)^----"),
    re.compile(r"(?m)^[-+]{1,3}[^-+\s]"),
    re.compile(r"(?m)^\*{1,3}[^*\s]"),
    re.compile(r"&br;"),
    re.compile(r"(?m)^//"),
)
# What only HTML and wikitext have, and captures of views.
_OTHER_FORMAT = re.compile(
    r"\A\s{0,99}<|^\[ ?トップ ?[\]|]|^PukiWiki \d[\d.]+ .*(?:©|Copyright)"
    r"|\{\{|\[\[(?:Category|カテゴリ|File|ファイル):|^==+[^=\n]{1,200}==+[ \t]*$"
    r"|<ref\b|<br\s{0,9}/?>",
    re.MULTILINE | re.IGNORECASE,
)
_HEX_NAME = re.compile(r"(?:[0-9A-Fa-f]{2}){1,200}")  # file systems take 255 signs in a name
_NOT_IN_NAME = re.compile("[\x00-\x1f\x7f\ufffd]")  # bytes of no name: hex digits of a date, say


def recognises(text: str, url: str) -> bool:
    """Whether a text is the source of a PukiWiki page, judged by the markup in it.

    It has a strong sign and another one, strong or weak, and nothing of another format, in its
    first 100,000 characters. The URL is ignored.

    >>> recognises("*引く [#top]\\n-[[ドロー]]を見る。~\\n", "")
    True
    >>> recognises("== 引く ==\\n* [[ドロー]]\\n", ""), recognises("*注意* -[[a]]", "")
    (False, False)
    """
    start = text[:100_000]
    if _OTHER_FORMAT.search(start):
        return False
    strong = sum(sign.search(start) is not None for sign in _STRONG_SIGNS)
    return strong > 0 and strong + sum(s.search(start) is not None for s in _WEAK_SIGNS) >= 2


def name_of(snapshot: Snapshot) -> str:
    """Return the name of a page: from its URL, or the file's name, decoded if it is in hex digits.

    A file's name in anything but hex digits is the name without folder and ending. Never the title
    in the text, which PukiWiki's source does not have.

    >>> name_of(Snapshot("wiki/BBC8A4A6.txt", b"")), name_of(Snapshot("使う.txt", b""))
    ('使う', '使う')
    """
    url, in_utf8 = snapshot.url, text_in_utf8(snapshot.data)
    found = page_address.read(url, url, in_utf8) if url else None
    if found and found.name:
        return found.name
    return named_by_file(snapshot.where, in_utf8) or _stem(snapshot.where)


def named_by_file(where: str, in_utf8: bool = False) -> str:
    """Return the name of the page in a file of PukiWiki's data folder, which is in hex digits.

    Empty if the file has another name, or if the digits give no name, as those of a date.

    where: the path of the file. The digits are the bytes of the name in EUC-JP or UTF-8.
    in_utf8: whether it is known to be UTF-8.

    >>> named_by_file("wiki/BBC8A4A6.txt"), named_by_file("rules/20240802.txt")
    ('使う', '')
    """
    stem = _stem(where)
    if not where.endswith(".txt") or not _HEX_NAME.fullmatch(stem):
        return ""
    digits = (stem[n : n + 2] for n in range(0, len(stem), 2))
    name = page_address.name_from_percent("".join(f"%{pair}" for pair in digits), in_utf8)
    return "" if _NOT_IN_NAME.search(name) else name


def _stem(where: str) -> str:
    """Return the name of a file without folder and ending.

    where: a path, or a place in an archive; only what follows the last `/` counts.
    """
    return Path(where.rpartition("/")[2]).stem


def read(snapshot: Snapshot, text: str) -> list[Page]:
    """Parse the source text of a page; return the page in a list.

    Its name is that of `name_of`. The name is also the first passage, and counted in `chars`.
    """
    return [_parse_page(snapshot, text, name_of(snapshot))]


def from_view(snapshot: Snapshot, text: str, root: Element) -> list[Page]:
    """Return the page whose source an HTML view shows (`plugin=source`, or a backup's source).

    The rest of the view is left out as its frame. The list is empty if there is no source in it.
    The page is `old` if the view shows a backup, else `via`. Its name is that in the URL, else that
    in the view's title.

    text: the HTML of the view; root: its tree.
    """
    sources = root.xpath('//pre[@id="source"]') or root.xpath('//*[@id="body"]/pre')
    if not sources:
        return []
    source = all_text(sources[0])
    title = "".join(root.xpath("//title/text()"))
    page = _parse_page(snapshot, source, _name_in_view(snapshot.url, text, title))
    whole = count_text(root)
    frame = whole - text_size(source)
    left_out = {**page.left_out, **({"page frame": frame} if frame else {})}
    old = any(words in title for words in ("のバックアップ", "の履歴"))
    return [page.with_(chars=page.chars + frame, left_out=left_out, old=old, via=not old)]


def _name_in_view(url: str, text: str, title: str) -> str:
    """Return the name of the page whose source a view shows, from its URL or its title.

    text: the HTML of the view, whose links show the charset of names.

    It is the name that the URL gives; else the part of the title before `のバックアップ`,
    `の履歴ソース`, `のソース` or the last ` - `. Empty if none of these is there.
    """
    found = page_address.read(url, url, names_in_utf8(text, url)) if url else None
    if found and found.name:
        return found.name
    for words in ("のバックアップ", "の履歴ソース", "のソース"):
        if words in title:
            return title.rpartition(words)[0].strip()
    return title.rpartition(" - ")[0].strip()


def _parse_page(snapshot: Snapshot, text: str, name: str) -> Page:
    """Parse the source text of a page with a name, which is also its title passage.

    name: with the wiki's prefix or without; links get the prefix only if the name has it. Its
        characters are added to those of the text in `chars`.
    """
    url, builder = snapshot.url, PageBuilder(name)
    prefix = page_address.name_prefix(url)
    prefix = prefix if name.startswith(prefix) else ""
    PukiWikiBlockParser(Here(name, prefix), builder).parse(text, name)
    source = page_address.named_source(url, snapshot.hints.site, "pukiwiki")
    return builder.page(
        source=source,
        name=name,
        url=url,
        game=site_catalogue.game_of(source),
        engine="pukiwiki",
        form="pukiwiki source",
        title=name.removeprefix(prefix),
        chars=text_size(text) + text_size(name),
    )
