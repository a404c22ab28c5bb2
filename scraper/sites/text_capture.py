"""Plain-text captures: what a text extractor leaves of a page of one of the sites.

Three layouts are met: MediaWiki pages (`- ` before each list item), PukiWiki pages (`•` with
indents, headings between blank lines) and the rules viewer with one element a line, where
the line breaks are the borders of the site's own links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scraper.markup.page_builder import PageBuilder, TextRun
from scraper.page import LinkKind, Page, Passage, PassageKind, text_size
from scraper.sites import address, catalogue
from scraper.sites.wisdom_guild_rules import NUMBER, viewer_page
from scraper.sources.snapshot import Snapshot

_TAGLINE = re.compile(r"^提供:\s*\S")
_VIEWER = "総合ルールビューア"
_SENTENCE_END = "。.!?！？…:：、」"
_ITEM = re.compile(r"^(\s*)(?:([•◦▪*-])|(\d+)\.)\s+(\S.*)$")
_EDIT = re.compile(r"^\[編集\]\s*")
_NO_HEADING = re.compile(r"^(?:[―※(（•·・]|[QAＱＡ][:：])")
_QUALIFIER = re.compile(r"[(（][^()（）]*[)）]")
_RULE = re.compile(r"rules? (\d[\d.]*[a-z]?)")
_KANA = re.compile(r"[ぁ-ゖー]+")


def recognises(text: str, url: str) -> bool:
    """Whether the text is a capture of a page of a known site.

    >>> recognises("引く\\n提供:MTG Wiki\\nカードを…", "")
    True
    """
    known = bool(url) and catalogue.known_site(url) is not None
    return known or "\n提供:" in text[:2000] or f"\n{_VIEWER}\n" in text


def read(snapshot: Snapshot, text: str) -> list[Page]:
    """The page that the capture shows."""
    lines = text.splitlines()
    if f"\n{_VIEWER}\n" in text:
        page = viewer_page(snapshot, _viewer(lines), text_size(text))
        return [page.with_(form="text capture")]
    found = address.read(snapshot.url) if snapshot.url else None
    mediawiki = any(_TAGLINE.match(line) for line in lines[:5])
    composer = _mediawiki(lines) if mediawiki else _pukiwiki(lines, found.name if found else "")
    first = next((p.text for p in composer.passages if p.kind in {"title", "heading"}), "")
    engine = "mtgwiki" if mediawiki else "pukiwiki"
    source = address.named_source(snapshot.url, snapshot.hints.site, engine)
    return [
        composer.page(
            source=source,
            name=found.name if found else first,
            title=first,
            url=snapshot.url,
            game=catalogue.game_of(source),
            engine="mediawiki" if mediawiki else "pukiwiki",
            form="text capture",
            chars=text_size(text),
        )
    ]


def _passage(kind: PassageKind, text: str, **where: int | None) -> Passage:
    return Passage(kind, text.strip(), **where)  # type: ignore[arg-type]


# -- MediaWiki --------------------------------------------------------------------------------


def _mediawiki(lines: Sequence[str]) -> PageBuilder:
    composer = PageBuilder()
    marked = any(_EDIT.match(line) for line in lines)
    block = 0
    for number, line in enumerate(lines):
        text, item = line.strip(), _ITEM.match(line)
        block += not item
        if not text:
            continue
        if number == 0:
            composer.add(_passage("title", text))
        elif _TAGLINE.match(text):
            composer.leave_out("tagline", text)
        elif text.rstrip("| ") == "目次":
            composer.leave_out("table of contents", text)
        elif mark := _EDIT.match(text):
            composer.leave_out("edit link", mark[0])
            composer.heading(_passage("heading", text[mark.end() :]), 2)
        elif item:
            composer.leave_out("list mark", item[2] or item[3] + ".")
            ordinal = int(item[3]) if item[3] else None
            composer.add(_passage("item", item[4], block=block, depth=1, ordinal=ordinal))
        elif not marked and _like_heading(text):
            composer.heading(_passage("heading", text), 2)
        else:
            composer.add(_passage("paragraph", text, block=block))
    return composer


def _like_heading(text: str) -> bool:
    return (
        len(text) <= 60
        and text[-1] not in _SENTENCE_END
        and not _NO_HEADING.match(text)
        and (not _ITEM.match(text) and "。" not in text)
    )


# -- PukiWiki ---------------------------------------------------------------------------------


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Runs of lines between blank ones."""
    block: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line)
        elif block:
            yield block
            block = []


def _pukiwiki(lines: Sequence[str], name: str) -> PageBuilder:
    composer = PageBuilder()
    blocks = list(_blocks(lines))
    start = next((n for n, b in enumerate(blocks[:12]) if name and _is_title(b, name)), 0)
    for block in blocks[:start]:
        composer.leave_out("site notice", "".join(block))
    for number, block in enumerate(blocks[start:]):
        if number == 0 and name and _is_title(block, name):
            composer.heading(_passage("heading", block[0]), 2)
        else:
            _pukiwiki_block(composer, block, number)
    return composer


def _is_title(block: Sequence[str], name: str) -> bool:
    line = block[0].strip()
    return len(block) == 1 and _QUALIFIER.sub("", line).startswith(_QUALIFIER.sub("", name))


def _pukiwiki_block(composer: PageBuilder, block: Sequence[str], number: int) -> None:
    first = block[0]
    if len(block) == 1 and first.strip() == "広告":
        composer.leave_out("advertisement", first)
    elif _ITEM.match(first):
        _items(composer, block, number)
    elif len(block) == 1 and not first.startswith((" ", "　")) and _like_heading(first.strip()):
        level = 3 if len(composer.sections) > 1 else 2
        composer.heading(_passage("heading", first), level)
    else:
        text = "\n".join(line.strip() for line in block)
        composer.add(_passage("paragraph", text, block=number))


def _items(composer: PageBuilder, block: Sequence[str], number: int) -> None:
    """A list: an item a bullet, deeper lines without one go on with the item above."""
    items: list[tuple[int, int | None, list[str]]] = []
    for line in block:
        if found := _ITEM.match(line):
            composer.leave_out("list mark", found[2] or found[3] + ".")
            ordinal = int(found[3]) if found[3] else None
            items.append((len(found[1]) // 2 or 1, ordinal, [found[4].strip()]))
        elif items:
            items[-1][2].append(line.strip())
    above: dict[int, int] = {}
    for depth, ordinal, texts in items:
        above = {shallower: place for shallower, place in above.items() if shallower < depth}
        parent = above[max(above)] if above else None
        where = {"block": number, "depth": depth, "ordinal": ordinal, "parent": parent}
        above[depth] = composer.add(_passage("item", "\n".join(texts), **where))


# -- the rules viewer -------------------------------------------------------------------------


def _viewer(lines: Sequence[str]) -> PageBuilder:
    """One element a line: lines between two numbers are one rule, joined without a gap."""
    composer = PageBuilder()
    texts = [line.strip() for line in lines if line.strip()]
    start = texts.index(_VIEWER) + 1
    end = next((n for n in range(start, len(texts)) if texts[n].startswith("©")), len(texts))
    for text in texts[:start]:
        composer.add(_passage("paragraph", text))
    groups: list[list[str]] = []
    for text in texts[start:end]:
        if NUMBER.fullmatch(text) or not groups or re.match(r"\d{1,2}\. ", text):
            groups.append([text])
        else:
            groups[-1].append(text)
    for number, *parts in groups:
        composer.add(_linked(number, parts))
    for text in texts[end:]:
        composer.add(_passage("paragraph", text))
    return composer


def _linked(number: str, parts: Sequence[str]) -> Passage:
    run = TextRun()
    run.text(number + (" " if parts else ""))
    for text, is_link in zip(parts, link_lines(parts), strict=True):
        if not is_link:
            run.text(text)
            continue
        rule = _RULE.fullmatch(text)
        kind: LinkKind = "rule" if rule else "glossary"
        span = run.open_link(kind, rule[1] if rule else "")
        run.text(text)
        run.close(span)
    return run.passage("paragraph")


def link_lines(parts: Sequence[str]) -> list[bool]:
    """Which lines of a rule are links, where every border of a link is a line break.

    Two lines of plain text are never neighbours (they would be one line), two links may be.
    Under that condition the labelling that suits the looks of the lines best is taken.

    >>> link_lines(["カード", "を", "引", "くとは、自分の", "ライブラリー", "の一番上"])
    [True, False, True, False, True, False]
    """
    link, plain = 0.0, float("-inf")
    after_plain: list[bool] = []  # whether the best way to a link at n comes from plain text
    for text in parts:
        weight = _plainness(text)
        after_plain.append(plain > link)
        link, plain = max(link, plain) - weight, link + weight
    labels: list[bool] = []
    is_link = link >= plain
    for from_plain in reversed(after_plain):
        labels.append(is_link)
        is_link = not from_plain if is_link else True
    return labels[::-1]


def _plainness(text: str) -> float:
    """How much a line looks like the words between links (above zero) or like a link."""
    if _RULE.fullmatch(text):
        return -4.0
    if re.search(r"[、。]", text) or not any(char.isalnum() for char in text):
        return 3.0
    if _KANA.fullmatch(text):
        return 2.5
    if re.match(r"[ぁ-ゖ]", text) or re.search(r"[()（）]", text):
        return 1.5
    return 0.8 if re.search(r"[のをにはがで]$", text) else -1.5
