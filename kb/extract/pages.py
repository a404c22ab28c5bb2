"""Pages, their sections and passages."""

from __future__ import annotations

from collections.abc import Mapping

from graphs.facts import Facts, Own
from graphs.model import Label
from kb.extract.labels import named
from kb.extract.reading import Reading
from kb.extract.rules import Given


def extract(reading: Reading, facts: Facts, given: Mapping[int, Given]) -> None:
    """The page's own nodes. `given` tells which rule a passage gives, by its place."""
    page = reading.page
    name = page.name if page.source != "rulebook" else page.title
    facts.nodes.append(Own(reading.node(reading.page_id, "page", label=name, edition=page.edition)))
    first = reading.passage_ids[0] if reading.passage_ids else ""
    names = dict.fromkeys(text for text in (name, page.title) if text)
    for place, text in enumerate(names):
        label = Label(page.lang, text, "alias" if place else "preferred")
        facts.labels += named(reading.page_id, [label], first)
    headings = {
        p.section: reading.passage_ids[place]
        for place, p in reversed(list(enumerate(page.passages)))
        if p.kind == "heading"
    }
    for place, section in enumerate(page.sections[1:], 1):
        parent = reading.section_ids[section.parent or 0]
        url = f"{page.url}#{section.anchor}" if page.url and section.anchor else page.url
        node = reading.node(reading.section_ids[place], "section", label=section.title,
                            url=url or None)  # fmt: skip
        facts.nodes.append(Own(node, parent, heading=headings.get(place)))
    for place, passage in enumerate(page.passages):
        section_id = reading.section_ids[passage.section]
        parent = section_id if passage.parent is None else reading.passage_ids[passage.parent]
        node = reading.node(reading.passage_ids[place], "passage", text=passage.text,
                            section=section_id)  # fmt: skip
        rule = given[place].rule if place in given else None
        facts.nodes.append(Own(node, parent, speaks_for=rule))
