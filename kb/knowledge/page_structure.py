"""Extracts a page, its sections and its passages as nodes."""

from __future__ import annotations

import re

from graphs.model import Label, kind_of_id
from graphs.writing.page_claims import PageClaims, PageNode
from kb.knowledge.page_subject import subject_of
from kb.knowledge.prepared_page import PageContext
from kb.knowledge.rules import edition_of_page
from kb.language.fold import fold
from kb.language.headwords import Headword, label_claims, parse_headword
from scraper import Passage

# Rows whose value is a name or a story, by what heads them, in both languages: nothing in it speaks
# of the game's terms.
_NO_RULES = re.compile(
    r"\s*(?:フレ[ーイ]バ|カード名|名前|名称|読み|英語名|イラスト|絵師|flavou?r|artist|illus|name)",
    re.IGNORECASE,
)


def extract(context: PageContext, claims: PageClaims) -> None:
    """Add the nodes of the page, of its sections and of its passages, and the page's names.

    A passage is a part of the passage that it is nested in, else of its section. If it does not
    begin with running text, its details say where that begins (`text_start`). An entry of contents
    has none, nor has a row of a list: they name something, and mention nothing. What is no
    paragraph on a site says how it is set (`set_as`, `ordinal`).
    """
    _add_page(context, claims)
    _add_sections(context, claims)
    card = card_of_page(context)
    for place, passage in enumerate(context.page.passages):
        section_id = context.section_ids[passage.section]
        parent = section_id if passage.parent is None else context.passage_ids[passage.parent]
        start = start_of_running_text(passage, card) if card else 0
        if passage.kind == "contents" or context.page.engine == "namelist":
            start = len(passage.text)
        node = context.make_node(
            context.passage_ids[place],
            "passage",
            text=passage.text,
            section=section_id,
            details=(({"text_start": start} if start else {}) | _setting(context, passage)) or None,
        )
        rule = context.stated_rules[place].id if place in context.stated_rules else None
        claims.parts.append(PageNode(node, parent, gives_rule=rule))


_SET = frozenset({"item", "row", "entry", "gloss", "pre", "quote", "caption", "footnote"})


def _setting(context: PageContext, passage: Passage) -> dict[str, str | int]:
    """Return how a passage is set, for its details: its kind in `_SET`, or `head` for a table's
    heading row, and the number of an item in an ordered list. Rulebooks and lists of names, which
    are set by what they say, have none: they would be half the passages."""
    if passage.kind not in _SET or context.page.engine in ("rulebook", "namelist"):
        return {}
    ordinal = {} if passage.ordinal is None else {"ordinal": passage.ordinal}
    return {"set_as": "head" if passage.head else passage.kind, **ordinal}


def _add_page(context: PageContext, claims: PageClaims) -> None:
    """Add the node of the page, and its names: its name on the site and its title.

    A rulebook's only name is its title. The first name is the preferred label, a title that differs
    from it an alias, both in the page's language. Their evidence is the first passage, if any.
    """
    page = context.page
    name = page.name if page.engine != "rulebook" else page.title
    claims.parts.append(
        PageNode(
            context.make_node(context.page_id, "page", label=name, edition=edition_of_page(page))
        )
    )
    first_passage = context.passage_ids[0] if context.passage_ids else ""
    names = dict.fromkeys(text for text in (name, page.title) if text)
    for number, text in enumerate(names):
        label = Label(page.lang, text, "alias" if number else "preferred")
        claims.labels += label_claims(context.page_id, [label], first_passage)


def _add_sections(context: PageContext, claims: PageClaims) -> None:
    """Add the nodes of the sections, but for section 0, which is the page itself.

    A section's parent is the section above it, or the page. Its URL is the page's, with its
    anchor if it has one; None if the page has none. Its heading is its first heading passage, or
    None.
    """
    page = context.page
    headings = {  # the first heading of each section
        passage.section: context.passage_ids[place]
        for place, passage in reversed(list(enumerate(page.passages)))
        if passage.kind == "heading"
    }
    for index, section in enumerate(page.sections[1:], 1):
        parent = context.section_ids[section.parent or 0]
        url = f"{page.url}#{section.anchor}" if page.url and section.anchor else page.url
        node = context.make_node(
            context.section_ids[index], "section", label=section.title, url=url or None
        )
        claims.parts.append(PageNode(node, parent, heading=headings.get(index)))


def card_of_page(context: PageContext) -> Headword | None:
    """Return the name of the card that a page is about, by its title on a page of details, else by
    the page's name; None for a page about anything else."""
    page = context.page
    if page.engine == "wisdomguild":
        is_details = bool(page.passages) and page.passages[0].kind == "title"
        return parse_headword(page.passages[0].text) if is_details else None
    subject = subject_of(context)
    return subject.name if subject and kind_of_id(subject.node) == "card" else None


def start_of_running_text(passage: Passage, card: Headword) -> int:
    """Return where the running text of a passage on the page of a card begins.

    Before it is a label of the card's box (the header of the row), or the name of the card. It is
    the end of the passage if that has no running text: a title or heading with the card's name, a
    row of names, flavour text or artists. 0 for any other passage.

    >>> start_of_running_text(Passage("row", "タイプ\\tクリーチャー", row_heads=1), Headword("霧"))
    4
    """
    text = passage.text
    if passage.kind in {"title", "heading"}:
        name = fold(card.label)
        return len(text) if name and name in fold(text) else 0
    if not passage.row_heads or _NO_RULES.match(text):
        return len(text) if passage.row_heads else 0
    cells = text.split("\t", passage.row_heads)
    return len(text) - len(cells[-1]) if len(cells) > passage.row_heads else 0
