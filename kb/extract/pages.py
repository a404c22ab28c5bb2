"""Pages, their sections and passages."""

from __future__ import annotations

from collections.abc import Mapping

from graphs.model import Label
from graphs.writing.claims import PageClaims, PageNode
from kb.extract.context import PageContext
from kb.extract.rules import StatedRule
from kb.language.headwords import label_claims


def extract(context: PageContext, claims: PageClaims, given: Mapping[int, StatedRule]) -> None:
    """The page's own nodes. `given` tells which rule a passage gives, by its place."""
    page = context.page
    name = page.name if page.engine != "rulebook" else page.title
    claims.parts.append(
        PageNode(context.node(context.page_id, "page", label=name, edition=page.edition))
    )
    first = context.passage_ids[0] if context.passage_ids else ""
    names = dict.fromkeys(text for text in (name, page.title) if text)
    for place, text in enumerate(names):
        label = Label(page.lang, text, "alias" if place else "preferred")
        claims.labels += label_claims(context.page_id, [label], first)
    headings = {
        p.section: context.passage_ids[place]
        for place, p in reversed(list(enumerate(page.passages)))
        if p.kind == "heading"
    }
    for place, section in enumerate(page.sections[1:], 1):
        parent = context.section_ids[section.parent or 0]
        url = f"{page.url}#{section.anchor}" if page.url and section.anchor else page.url
        node = context.node(
            context.section_ids[place], "section", label=section.title, url=url or None
        )
        claims.parts.append(PageNode(node, parent, heading=headings.get(place)))
    for place, passage in enumerate(page.passages):
        section_id = context.section_ids[passage.section]
        parent = section_id if passage.parent is None else context.passage_ids[passage.parent]
        node = context.node(
            context.passage_ids[place], "passage", text=passage.text, section=section_id
        )
        rule = given[place].rule if place in given else None
        claims.parts.append(PageNode(node, parent, gives_rule=rule))
