"""Parses pages of Wisdom Guild's rules viewer: a section of the rules with its terms linked.

The rules are recognised by their numbers and the edition by its form, not by the page's frame.
So the same code serves for saved pages and for plain-text captures of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from scraper.markup.html_walk import Element, MarkupRules, count_text, walk
from scraper.markup.page_builder import LinkTarget, PageBuilder
from scraper.page import Page, Passage, PassageKind
from scraper.rulebook.languages import begins_example
from scraper.sites import page_address, site_catalogue
from scraper.sources.saved_pages import Snapshot

NUMBER = re.compile(r"\d+(?:\.\d+)*[a-z]?\.?")
_NUMBERED = re.compile(NUMBER.pattern + r"\s")
_EDITION = re.compile(r"訳\s*(\d{8})")  # the site's note on its translation, with a date
_GLOSSARY = re.compile(r"/cr/glossary/g_([^/?#]+)")
_RULE = re.compile(r"/cr/(?:r/|cr\.php\?r=)(\d[\w.]*)")
_VIEWER = "総合ルールビューア"


def recognises(text: str, url: str) -> bool:
    """Whether a text is an HTML page of the rules viewer. `url` may be empty or on an unknown host.

    HTML is not checked for: a plain-text capture with the viewer's title passes too.

    >>> recognises("<title>121. / 総合ルールビューア</title>", "http://whisper.wisdom-guild.net/cr/r/121")
    True
    """
    return _VIEWER in text and site_catalogue.may_have_engine(url, "wisdomguild")


def read(snapshot: Snapshot, text: str, root: Element) -> list[Page]:
    """Return the page of the rules that a viewer page shows, in a list.

    text: the document; root: its tree.
    """
    builder = PageBuilder()
    bodies = root.xpath("//body")[:1] or [root]
    walk(root, MarkupRules(bodies, links={"a": _link}), builder)
    return [viewer_page(snapshot, builder, count_text(root))]


def viewer_page(snapshot: Snapshot, raw: PageBuilder, chars: int) -> Page:
    """Return the page of the rules in the passages of a viewer page or a capture of one.

    Without a URL, the page's name is `cr/r/` and the number in its last heading, or nothing behind
    that without a heading. The edition is the first date in the text (`訳 20231117`), or None.

    raw: all its passages, the frame included; chars: the number of characters of the document
        without white space, as `text_size` counts. `left_out` of `raw` is changed.
    """
    found = page_address.read(snapshot.url) if snapshot.url else None
    name = found.name if found else ""
    edition = next((match[1] for p in raw.passages if (match := _EDITION.search(p.text))), None)
    builder = PageBuilder()
    builder.left_out = raw.left_out
    builder.warnings = raw.warnings
    _add_rules(builder, raw.passages)
    site = site_catalogue.site_with("wisdomguild")
    heading = next((p.text for p in reversed(builder.passages) if p.kind == "heading"), "")
    return builder.page(
        source=page_address.named_source(snapshot.url, snapshot.hints.site, site.name),
        engine="wisdomguild",
        name=name or f"cr/r/{heading.partition('.')[0]}",
        title=heading,
        url=snapshot.url,
        game=site.game,
        chars=chars,
        edition=edition,
    )


def _add_rules(builder: PageBuilder, passages: Sequence[Passage]) -> None:
    """Add the passages of a viewer page that are rules; count the others as left out.

    A number that is a passage of its own is joined with the next. Rules such as `1.` or `121.` are
    headings, of level 1 if the number has one or two digits, else 2; all others are paragraphs.
    """
    start, end = _span_of_rules(passages)
    for passage in passages[:start]:
        builder.leave_out("navigation", passage.text)
    for passage in passages[end:]:
        builder.leave_out("site footer", passage.text)
    rules = list(passages[start:end])
    if rules and rules[0].text.startswith(_VIEWER):
        builder.leave_out("navigation", _VIEWER)
        rules[0] = _without_start(rules[0], len(_VIEWER))
    rule: int | None = None  # the index of the last rule, to which what has no number belongs
    for passage in _join_numbers(rules):
        plain = replace(passage, parent=None, depth=0, ordinal=None)
        if re.match(r"\d+\.(?:\s|$)", passage.text):
            level = 1 if len(passage.text.partition(".")[0]) < 3 else 2
            rule = builder.heading(plain, level)
        elif _NUMBERED.match(passage.text):
            rule = builder.add(replace(plain, kind="paragraph", block=len(builder.passages)))
        else:
            kind: PassageKind = "example" if begins_example(passage.text) else "paragraph"
            builder.add(replace(plain, kind=kind, parent=rule, block=len(builder.passages)))


def _span_of_rules(passages: Sequence[Passage]) -> tuple[int, int]:
    """Return the index of the first rule, after the viewer's title, and that of the footer.

    If the first rule's passage begins with the viewer's title, that is still in it. Without a title
    the first index is 0; without a footer the second one is the number of passages.
    """
    start = next((n + 1 for n, p in enumerate(passages) if p.text == _VIEWER), None)
    if start is None:
        start = next((n for n, p in enumerate(passages) if p.text.startswith(_VIEWER)), 0)
    end = next(
        (n for n in range(start, len(passages)) if passages[n].text.startswith("©")), len(passages)
    )
    return start, end


def _join_numbers(passages: Sequence[Passage]) -> list[Passage]:
    """Return passages in which a number that is a passage of its own is joined with the next.

    A space is between them, and the spans of the next passage are moved; those of the number are
    dropped. A number that is the last passage stays alone.
    """
    joined: list[Passage] = []
    number: Passage | None = None
    for passage in passages:
        if number is not None and NUMBER.fullmatch(number.text):
            text = f"{number.text} {passage.text}"
            passage = _with_moved_spans(passage, text, len(number.text) + 1)
            number = None
        elif NUMBER.fullmatch(passage.text):
            number = passage
            continue
        joined.append(passage)
    return [*joined, number] if number is not None else joined


def _without_start(passage: Passage, length: int) -> Passage:
    """Return a passage without its first characters and the white space after them.

    length: how many characters, not counting that white space.
    """
    rest = passage.text[length:].lstrip()
    return _with_moved_spans(passage, rest, len(rest) - len(passage.text))


def _with_moved_spans(passage: Passage, text: str, offset: int) -> Passage:
    """Return a passage with another text, its links, readings and emphasis moved by an offset,
    which may be negative.

    What would begin before the text is dropped.
    """
    links = (
        replace(link, start=link.start + offset, end=link.end + offset) for link in passage.links
    )
    ruby = (replace(one, start=one.start + offset, end=one.end + offset) for one in passage.ruby)
    strong = ((start + offset, end + offset) for start, end in passage.strong)
    return replace(
        passage,
        text=text,
        links=tuple(link for link in links if link.start >= 0),
        ruby=tuple(one for one in ruby if one.start >= 0),
        strong=tuple(span for span in strong if span[0] >= 0),
    )


def _link(element: Element) -> LinkTarget | None:
    """Return what an element links to; None for a link to a chapter, or of a rule's own number.

    The target is a glossary key or a rule's number, as in the URL; else the external URL. A link to
    a rule counts as its own number if its text is nothing but a number. None too if it is no link.
    """
    href = element.get("href", "")
    if glossary := _GLOSSARY.search(href):
        return LinkTarget("glossary", glossary[1])
    if "/cr/c/" in href:
        return None
    if rule := _RULE.search(href):
        is_own_number = NUMBER.fullmatch((element.text or "").strip())
        return None if is_own_number else LinkTarget("rule", rule[1])
    return LinkTarget("external", href) if href else None
