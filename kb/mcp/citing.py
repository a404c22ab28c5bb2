"""Citation lines: what a text is called, and its game, edition, language, source and address."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kb.mcp.quoting import address, name, one_line
from kb.mcp.wording import in_arguments

if TYPE_CHECKING:
    from kb import LeftOut, Node, PageTitle, Place

_MAX_LISTED = 8


def node_line(node: Node, page: PageTitle | None = None, heading: str = "") -> str:
    """Return the citation of a node.

    page: that it stands on, for what has no name of its own, such as passages.
    heading: of the rule or section above, for a rule that has none.

    >>> from kb import sample
    >>> node_line(sample().show("121.4", lang="ja").matches[0])
    '121.4 · rule · mtg · edition 20231117 · ja'
    """
    game, edition, source = node.game, node.edition, node.source
    if page:
        game, edition, source = page.game or game, page.edition or edition, page.source or source
    facts = [node.kind, game, edition and f"edition {edition}", node.date, node.lang]
    facts += [source] if source != "rulebook" else []
    return _line(_called(node, page, heading), facts, node.url)


def place_line(place: Place) -> str:
    """Return the citation of a passage by its place: the rule that it gives, or its page."""
    if place.number:
        called = f"{place.number} {name(place.heading)}" if place.heading else place.number
    else:
        section = place.section if place.section != place.page else ""
        called = name(f"{place.page} › {section}" if section else place.page)
    edition = place.edition and f"edition {place.edition}"
    source = "" if place.source == "rulebook" else place.source
    return _line(called, [place.game, edition, place.lang, source], place.url)


def short_place(place: Place) -> str:
    """Return a place in few words, as one of several that have the same text."""
    called = place.number or name(place.page)
    source = "" if place.source == "rulebook" else place.source
    facts = [called, place.edition and f"edition {place.edition}", place.lang, source]
    return one_line(" ".join(filter(None, facts)))


def rule_names(rules: Iterable[tuple[str, str | None]]) -> str:
    """Return rules by (number, heading), with commas; of very many the first.

    >>> rule_names([("704", "State-Based Actions"), ("704.5a", None)])
    '704 “State-Based Actions”, 704.5a'
    """
    shown = [
        one_line(number) + (f" {name(heading, 60)}" if heading else "") for number, heading in rules
    ]
    return listed(shown)


def listed(words: Iterable[str], most: int = _MAX_LISTED) -> str:
    """Return words with commas between them; of very many the first, and how many more."""
    words = list(words)
    more = [f"and {len(words) - most:,} more"] if len(words) > most else []
    return ", ".join([*words[:most], *more])


def counted(number: int, noun: str) -> str:
    """Return a number with a noun in the singular or plural.

    >>> counted(1, "page of wikis"), counted(1_200, "entry")
    ('1 page of wikis', '1,200 entries')
    """
    if number == 1:
        return f"1 {noun}"
    first, space, rest = noun.partition(" ")
    plural = f"{first[:-1]}ies" if first.endswith("y") else f"{first}s"
    return f"{number:,} {plural}{space}{rest}"


def also_lines(also: Iterable[LeftOut]) -> list[str]:
    """Return a line for each thing that a result leaves out: what, why, how to get it."""
    return [
        f"also: {one_line(each.id, 200)} ({one_line(each.why, 200)}): "
        + in_arguments(one_line(each.how, 200))
        for each in also
    ]


def _called(node: Node, page: PageTitle | None, heading: str) -> str:
    """Return what a node is called: a rule by its number and heading, others by their names."""
    if node.kind == "rule" and node.number:
        about = node.label or heading
        return one_line(node.number) + (f" {name(about)}" if about else "")
    if node.kind in ("passage", "section"):
        title = (page and page.title) or _page_of(node.id)
        section = node.label if node.kind == "section" else (node.section or "").partition("#")[2]
        return name(f"{title} › {section}" if section and section != title else title)
    return name(node.label or node.id)


def _page_of(node_id: str) -> str:
    """Return the name of the page that an id of a passage or section has in it.

    >>> _page_of("mtgwiki/引く#ルール¶4")
    '引く'
    """
    page = (node_id.rpartition("¶")[0] or node_id).partition("#")[0]
    return page.partition("/")[2] or page


def _line(called: str, facts: Iterable[str | None], url: str | None) -> str:
    parts = [called, *(one_line(fact) for fact in facts if fact), address(url)]
    return " · ".join(part for part in parts if part)
