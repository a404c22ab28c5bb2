"""Parses plain-text captures: texts that a text extractor made of a site's HTML pages.

There are three kinds of pages: MediaWiki's (`[編集]` at headings, a table of contents), PukiWiki's
(`†` at headings) and Wisdom Guild's rules viewer. Extractors differ: list items may have `- ` or
`•`, blocks may have blank lines between them, and a line may be a paragraph or only the text
between two tags; `scraper.sites.plain_text_capture_lines` joins the latter. In the viewer such
lines are kept, as they show where the site's links begin and end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from scraper.markup.page_builder import LinkTarget, PageBuilder, TextRun
from scraper.page import Page, Passage, PassageKind, text_size
from scraper.sites import page_address, site_catalogue
from scraper.sites.plain_text_capture_lines import (
    CaptureLines,
    has_frame,
    is_marked,
    join_fragments,
    mediawiki_lines,
    pukiwiki_lines,
    view_of,
)
from scraper.sites.wisdom_guild_rules import NUMBER, viewer_page
from scraper.sources.saved_pages import Snapshot

_TAGLINE = re.compile(r"^提供:\s*\S")
_VIEWER = "総合ルールビューア"
_SENTENCE_END = "。.!?！？…:：、」"
_ITEM = re.compile(r"^(\s*)(?:([•◦▪*-])|(\d+)\.)\s+(\S.*)$")
_EDIT = re.compile(r"^\[\s*編集\s*\]|\[\s*編集\s*\]$")
_QUESTION, _ANSWER = re.compile("[QＱ][:：]"), re.compile("[AＡ][:：]")
# Lines above its answer; by hand: a question without one would take up what is below it.
_LONGEST_QUESTION = 8
_GOES_ON = "―—、:："  # at the end of a line
# Lines on average, if blank lines separate blocks at all. By hand: what stands between two blank
# lines is a heading, a paragraph or a list; without such lines all of a capture is a block or two.
_LARGEST_BLOCKS = 8
_LONGEST_ORDINAL = 9  # digits; a knowledge base stores no longer number
_FRONT = 80  # lines in which the tagline is looked for, as in `plain_text_capture_lines`
_NO_HEADING = re.compile(r"^(?:[―※(（•·・]|[QAＱＡ][:：])")
_QUALIFIER = re.compile(r"[(（][^()（）]*[)）]")
_RULE = re.compile(r"rules? (\d[\d.]*[a-z]?)")
# The viewer's title alone in its line, or with the chapter behind it.
_VIEWER_TITLE = re.compile(rf"(?m)^[ \t]*{_VIEWER}(?=[ \t]*(?:$|\d{{1,3}}\. ))")
_STATED = re.compile(r"(\d+\.\d+[a-z]?\.?)\s+(\S.*)")
_RULE_NUMBER = re.compile(r"(?m)^\s*\d{1,3}(?:\.\d+[a-z]?|\. |\.$)")  # of Magic: 100, 100.1a
# Characters below the viewer's title in which a rule begins; by hand: in the viewer only a few
# words stand between, in an article that links to it the next number may be anywhere.
_VIEWER_TOP = 500
_KANA = re.compile(r"[ぁ-ゖー]+")
# Characters in the lines at the beginning of a box, a name with its cost and a line of types; by
# hand: longer ones are prose. Also bounds the time of the patterns.
_LONGEST = 120
_FULL_STOP = "。"
# The first line of a box with its name, and what the second line must have, by form of the box:
# name, civilization and cost; or a name in 《》.
_BEGINNINGS = (
    (
        re.compile(r".*(?:文明|無色).*[(（][0-9０-９XＸ∞?？]{1,3}[)）]"),
        re.compile(r"[:：]|呪文|城|ギア"),
    ),
    (re.compile(r"《[^《》]*》[ \u3000†]*"), re.compile(r"モンスター|魔法|罠")),
)  # fmt: skip


def recognises(text: str, url: str) -> bool:
    """Whether a text is a capture of a page of a known site.

    With the URL of a known site, every text is. Else it must have the tagline of MediaWiki near the
    beginning, the title of the rules viewer with rules below it, or the frame of a wiki. `url` may
    be empty.

    >>> recognises("引く\\n提供:MTG Wiki\\nカードを…", "")
    True
    """
    known = bool(url) and site_catalogue.known_site(url) is not None
    return known or "\n提供:" in text[:2000] or _is_viewer(text, url) or has_frame(text)


def read(snapshot: Snapshot, text: str) -> list[Page]:
    """Return the page that a capture shows, in a list.

    The layout is judged by the text, and by the URL if its site is known; one without a tagline or
    a viewer's title is parsed as PukiWiki. The page's name is that in the URL; without a URL, the
    title. A view that is no article (edit form, difference) has no name and no passages.

    text: the decoded capture.
    """
    lines = text.splitlines()
    if _is_viewer(text, snapshot.url):
        page = viewer_page(snapshot, _read_viewer(lines), text_size(text))
        return [page.with_(form="text capture")]
    lines = join_fragments(lines)
    site = site_catalogue.known_site(snapshot.url) if snapshot.url else None
    mediawiki = any(_TAGLINE.match(line.strip()) for line in lines[:_FRONT]) or (
        site is not None and site.engine == "mediawiki"
    )
    found = page_address.read(snapshot.url, snapshot.url, mediawiki) if snapshot.url else None
    name = found.name if found else ""
    capture = mediawiki_lines(lines) if mediawiki else pukiwiki_lines(lines)
    builder = PageBuilder()
    for reason, left_out in capture.left_out:
        builder.leave_out(reason, left_out)
    capture.view = capture.view or view_of(snapshot.url)
    if name.startswith(("特別:", "Special:")):
        capture.view = "special page"
    if capture.view:
        builder.left_out = Counter({f"not an article: {capture.view}": text_size(text)})
    elif mediawiki:
        _read_mediawiki(builder, capture)
    else:
        name = name or capture.title
        _read_pukiwiki(builder, capture.lines, name)
    title = next((p.text for p in builder.passages if p.kind in {"title", "heading"}), "")
    default_source = site_catalogue.site_with("mediawiki").name if mediawiki else "pukiwiki"
    source = page_address.named_source(snapshot.url, snapshot.hints.site, default_source)
    return [
        builder.page(
            source=source,
            name="" if capture.view else name or title,
            title=title or capture.title,
            url=snapshot.url,
            game=site_catalogue.game_of(source),
            engine="mediawiki" if mediawiki else "pukiwiki",
            form="text capture",
            chars=text_size(text),
            old=capture.old,
        )
    ]


def _is_viewer(text: str, url: str) -> bool:
    """Whether a text is a capture of the rules viewer, rather than of a page that links to it.

    Numbers of rules follow its title. `url` may be empty.
    """
    site = site_catalogue.known_site(url) if url else None
    if (site is not None and site.engine != "wisdomguild") or has_frame(text):
        return False
    titles = _VIEWER_TITLE.finditer(text)
    return any(_RULE_NUMBER.search(text, m.end(), m.end() + _VIEWER_TOP) for m in titles)


def _ordinal(digits: str | None) -> int | None:
    """Return the number of a list item; None without digits, or with more than any list has."""
    return int(digits) if digits and len(digits) <= _LONGEST_ORDINAL else None


def _passage(kind: PassageKind, text: str, **fields: int | None) -> Passage:
    """Return a passage of a text without white space at its ends. `fields` are its other fields."""
    return Passage(kind, text.strip(), **fields)  # type: ignore[arg-type]


# -- MediaWiki --------------------------------------------------------------------------------


def _read_mediawiki(builder: PageBuilder, capture: CaptureLines) -> None:
    """Parse the lines of a capture of a MediaWiki page.

    A line that begins with an edit link (`[編集] 概要`) is a heading, or ends with one, and so is
    the title of a section in the table of contents. If there is neither, short lines that are no
    sentences are headings; in a capture with blank lines only if they stand between these. List
    items are `item`s of depth 1, other lines paragraphs. Edit links and list marks are left out.
    """
    lines = capture.lines
    if capture.title:
        builder.add(_passage("title", capture.title))
    is_stated = bool(capture.contents) or any(_EDIT.search(line) for line in lines)
    has_blanks = _has_blank_lines(lines)
    block = 0
    for number, line in enumerate(lines):
        text, item = line.strip(), _ITEM.match(line)
        block += not item
        if not text:
            continue
        bare = _EDIT.sub("", text).strip()
        if bare != text:
            builder.leave_out("edit link", "".join(_EDIT.findall(text)))
        if bare and (bare != text or bare in capture.contents):
            builder.heading(_passage("heading", bare), 1 + capture.contents.get(bare, 1))
        elif item:
            builder.leave_out("list mark", item[2] or item[3] + ".")
            ordinal = _ordinal(item[3])
            builder.add(_passage("item", item[4], block=block, depth=1, ordinal=ordinal))
        elif (
            not is_stated
            and _looks_like_heading(text)
            and (not has_blanks or _stands_alone(lines, number))
        ):
            builder.heading(_passage("heading", text), 2)
        elif bare:
            builder.add(_passage("paragraph", text, block=block))


def _has_blank_lines(lines: Sequence[str]) -> bool:
    """Whether blank lines separate what a capture has: paragraphs, headings, lists.

    True also of fewer than `_LARGEST_BLOCKS` lines, with blank ones or not; false of none.
    """
    return len(list(_blocks(lines))) * _LARGEST_BLOCKS > sum(bool(line.strip()) for line in lines)


def _stands_alone(lines: Sequence[str], n: int) -> bool:
    """Whether a line has a blank line, or an end of the text, on both sides. `n` is its index.

    The end of a sentence above it and a sentence below it are as good.
    """
    before = lines[n - 1].strip() if n else ""
    following = lines[n + 1].strip() if n + 1 < len(lines) else ""
    return (not before or before.endswith("。")) and (not following or "。" in following)


def _looks_like_heading(text: str) -> bool:
    """Whether a line is short and neither a sentence nor a list item.

    Short is at most 60 characters, set by hand. Notes (`※`, `―`, `（`) and `Q:`, `A:` are no
    headings either.

    text: not empty.
    """
    return (
        len(text) <= 60
        and text[-1] not in _SENTENCE_END
        and not _NO_HEADING.match(text)
        and (not _ITEM.match(text) and "。" not in text)
    )


# -- PukiWiki ---------------------------------------------------------------------------------


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the runs of lines between blank lines, as they are; none of them is empty."""
    block: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line)
        elif block:
            yield block
            block = []


def _read_pukiwiki(builder: PageBuilder, lines: Sequence[str], name: str) -> None:
    """Parse the lines of a capture of a PukiWiki page.

    Headings are the lines marked with `†`; if none is, short lines between blank ones. Blocks of
    lines are separated by blank lines; if there are hardly any, each line is a block, but for a
    question with its answer.

    name: the page's name, or empty if it is not known. The blocks before the line with the name are
        left out as a site notice, if it is among the first 12 blocks: a notice has a few at most.
    """
    marked = any(is_marked(lines, n) for n in range(len(lines)))
    if _has_blank_lines(lines):
        blocks = [part for block in _blocks(lines) for part in _split_block(block)]
    else:
        blocks = list(_line_blocks(lines))
    start = next((n for n, b in enumerate(blocks[:12]) if name and _is_title(b, name)), 0)
    for block in blocks[:start]:
        builder.leave_out("site notice", "".join(block))
    for number, block in enumerate(blocks[start:]):
        if is_marked(block, 0):
            builder.leave_out("anchor mark", "†")
            text = "".join(block).rstrip().removesuffix("†")
            bare = _EDIT.sub("", text)
            builder.leave_out("edit link", "".join(_EDIT.findall(text)))
            builder.heading(_passage("heading", bare), 3 if len(builder.sections) > 1 else 2)
        elif number == 0 and name and _is_title(block, name):
            builder.heading(_passage("heading", block[0]), 2)
        else:
            _add_pukiwiki_block(builder, block, number, guess_headings=not marked)


def _split_block(block: Sequence[str]) -> Iterator[list[str]]:
    """Yield the parts of a block: headings marked with `†`, and what is between them.

    A heading is one line, or two if `†` stands on a line of its own. No part is empty.
    """
    part: list[str] = []
    skip = False
    for n, line in enumerate(block):
        if skip:
            skip = False
        elif is_marked(block, n):
            if part:
                yield part
            part = []
            skip = not line.strip().endswith("†")
            yield [line, block[n + 1]] if skip else [line]
        else:
            part.append(line)
    if part:
        yield part


def _line_blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield blocks of a capture without blank lines: lists, questions with answers, single lines.

    A marked heading is a block too. A line continues a list item that ends with `―`, `—`, `、` or
    `:`; an item after an item is in the same list.
    """
    for part in _split_block([line for line in lines if line.strip()]):
        if is_marked(part, 0):
            yield part
            continue
        held: list[str] = []
        for line in part:
            if held and not _continues_block(held, line):
                yield held
                held = []
            held.append(line)
        yield held


def _continues_block(block: Sequence[str], line: str) -> bool:
    """Whether a line belongs to the block above it, in a capture without blank lines.

    It does if both are items of a list, if the item above it goes on, and from a question up to its
    answer, of `_LONGEST_QUESTION` lines at most. Neither the block nor its lines are empty.
    """
    if _ITEM.match(block[0]):
        return bool(_ITEM.match(line)) or block[-1].rstrip()[-1] in _GOES_ON
    if not _QUESTION.match(block[0].strip()) or len(block) > _LONGEST_QUESTION:
        return False
    has_answer = any(_ANSWER.match(other.strip()) for other in block)
    return not has_answer and not _QUESTION.match(line.strip())


def _is_title(block: Sequence[str], name: str) -> bool:
    """Whether a block is a single line that begins with the page's name, parentheses ignored."""
    line = block[0].strip()
    return len(block) == 1 and _QUALIFIER.sub("", line).startswith(_QUALIFIER.sub("", name))


def _add_pukiwiki_block(
    builder: PageBuilder, block: Sequence[str], number: int, guess_headings: bool
) -> None:
    """Add the passages of a block, or leave it out if it is an advertisement.

    A block that begins with a list item is a list. A single short line without indent is a heading,
    of level 2 if it is the page's first, else 3. Any other block is one paragraph of several lines,
    or one for each box of a card.

    block: its lines, with their indents; number: its index on the page, for `Passage.block`.
    guess_headings: whether short lines may be headings.
    """
    first = block[0]
    single = len(block) == 1
    if single and first.strip() == "広告":
        builder.leave_out("advertisement", first)
    elif _ITEM.match(first):
        _add_list(builder, block, number)
    elif (
        guess_headings
        and single
        and not first.startswith((" ", "　"))
        and _looks_like_heading(first.strip())
    ):
        level = 3 if len(builder.sections) > 1 else 2
        builder.heading(_passage("heading", first), level)
    else:
        for lines in split_at_card_boxes(block):
            text = "\n".join(line.strip() for line in lines)
            builder.add(_passage("paragraph", text, block=number))


def _add_list(builder: PageBuilder, block: Sequence[str], number: int) -> None:
    """Add the items of a list. A line without a bullet continues the item above.

    The depth of an item is half of its indent, at least 1. Its parent is the last item above that
    is less deep.

    block, number: as for `_add_pukiwiki_block`.
    """
    items: list[tuple[int, int | None, list[str]]] = []  # depth, ordinal, lines
    for line in block:
        if match := _ITEM.match(line):
            builder.leave_out("list mark", match[2] or match[3] + ".")
            ordinal = _ordinal(match[3])
            items.append((len(match[1]) // 2 or 1, ordinal, [match[4].strip()]))
        elif items:
            items[-1][2].append(line.strip())
    ancestors: dict[int, int] = {}  # the indices of the open items' passages, by depth
    for depth, ordinal, texts in items:
        ancestors = {level: index for level, index in ancestors.items() if level < depth}
        parent = ancestors[max(ancestors)] if ancestors else None
        fields = {"block": number, "depth": depth, "ordinal": ordinal, "parent": parent}
        ancestors[depth] = builder.add(_passage("item", "\n".join(texts), **fields))


# -- the rules viewer -------------------------------------------------------------------------


def _read_viewer(lines: Sequence[str]) -> PageBuilder:
    """Parse the lines of a capture of the rules viewer, with an element on each line.

    A number and the lines up to the next number are one rule, joined without spaces. So is a line
    such as `121. …`. The lines up to the viewer's title and those from `©` on are a paragraph each.
    Raises ValueError without a line that begins with the title, which `_is_viewer` makes sure of.
    """
    builder = PageBuilder()
    texts = list(_viewer_lines(lines))
    start = texts.index(_VIEWER) + 1
    end = next((n for n in range(start, len(texts)) if texts[n].startswith("©")), len(texts))
    for text in texts[:start]:
        builder.add(_passage("paragraph", text))
    rules: list[list[str]] = []
    for text in texts[start:end]:
        if NUMBER.fullmatch(text) or not rules or re.match(r"\d{1,3}\. ", text):
            rules.append([text])
        else:
            rules[-1].append(text)
    for number, *parts in rules:
        builder.add(_rule_passage(number, parts))
    for text in texts[end:]:
        builder.add(_passage("paragraph", text))
    return builder


def _viewer_lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield the stripped lines of a capture, the viewer's title and numbers of rules apart.

    Blank lines are dropped. Numbers are only taken off the lines where none stands alone.
    """
    texts = [line.strip() for line in lines if line.strip()]
    stand_alone = any("." in text[1:-1] and NUMBER.fullmatch(text) for text in texts)
    for text in texts:
        if text.startswith(_VIEWER):
            yield _VIEWER
            yield from filter(None, [text.removeprefix(_VIEWER).strip()])
        elif not stand_alone and (stated := _STATED.fullmatch(text)):
            yield from stated.groups()
        else:
            yield text


def _rule_passage(number: str, parts: Sequence[str]) -> Passage:
    """Return the passage of a rule, with the links that its lines show.

    number: the rule's number as in the text, such as `121.1.`; parts: the lines after it, which may
        be none. They are joined without spaces. A link to the glossary has no target.
    """
    run = TextRun()
    run.text(number + (" " if parts else ""))
    for text, is_link in zip(parts, link_lines(parts), strict=True):
        if not is_link:
            run.text(text)
            continue
        rule = _RULE.fullmatch(text)
        span = run.open(LinkTarget("rule", rule[1]) if rule else LinkTarget("glossary"))
        run.text(text)
        run.close(span)
    return run.passage("paragraph")


def link_lines(parts: Sequence[str]) -> list[bool]:
    """Return for each line of a rule whether it is a link.

    Every link begins and ends at a line break. Two lines of plain text are never adjacent (they
    would be one line), but two links may be. Of all labellings that satisfy this, the one that
    agrees best with the looks of the lines is found by dynamic programming.

    parts: the stripped lines of one rule, without its number; the result has the same length.

    >>> link_lines(["カード", "を", "引", "くとは、自分の", "ライブラリー", "の一番上"])
    [True, False, True, False, True, False]
    """
    # The best total score of the lines so far if the last one is a link, or plain text.
    as_link, as_plain = 0.0, float("-inf")
    follows_plain: list[bool] = []  # whether plain text is the best label before a link, by line
    for text in parts:
        score = _plainness(text)
        follows_plain.append(as_plain > as_link)
        as_link, as_plain = max(as_link, as_plain) - score, as_link + score
    labels: list[bool] = []
    is_link = as_link >= as_plain
    for after_plain in reversed(follows_plain):
        labels.append(is_link)
        is_link = not after_plain if is_link else True
    return labels[::-1]


def _plainness(text: str) -> float:
    """Return how much a line looks like plain text (above zero) or like a link (below zero).

    Most like a link is the reference to a rule. Punctuation, hiragana alone or at the beginning,
    parentheses and a particle at the end speak for text; without any of these it may be a link.
    The weights are set by hand: the surer a sign, the more lines beside it does it outweigh.
    """
    if _RULE.fullmatch(text):
        return -4.0
    if re.search(r"[、。]", text) or not any(char.isalnum() for char in text):
        return 3.0
    if _KANA.fullmatch(text):
        return 2.5
    if re.match(r"[ぁ-ゖ]", text) or re.search(r"[()（）]", text):
        return 1.5
    return 0.8 if re.search(r"[のをにはがで]$", text) else -1.5


def split_at_card_boxes(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the lines of a block in parts: a part for each box of a card that begins in it.

    What is before the first box is a part too. Without a box there is one part.

    >>> boxes = ["例。", "霧の番人 R 水文明 (3)", "クリーチャー:乙 2000", "引く。"]
    >>> list(split_at_card_boxes(boxes))
    [['例。'], ['霧の番人 R 水文明 (3)', 'クリーチャー:乙 2000', '引く。']]
    """
    starts = [n for n in range(1, len(lines) - 1) if _begins_box(lines[n], lines[n + 1])]
    for start, end in zip([0, *starts], [*starts, len(lines)], strict=True):
        yield list(lines[start:end])


def _begins_box(line: str, following: str) -> bool:
    """Whether a line and the one below it are the first two of a box: the name of a card with its
    civilization and cost, or alone in `《》`, above a line with the card's kind. No sentences."""
    if max(len(line), len(following)) > _LONGEST or _FULL_STOP in line + following:
        return False
    return any(
        name.fullmatch(line.strip()) and kind.search(following) for name, kind in _BEGINNINGS
    )
