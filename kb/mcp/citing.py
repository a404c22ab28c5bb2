"""What several tools share: citation lines (name, edition, language, source) and arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field

import kb
from kb.mcp.replies import address, fact, name
from kb.shared_wording import dotted

if TYPE_CHECKING:
    from kb import KnowledgeBase, Node, PageTitle, Place

# Characters of a reference, by hand: a page's title in MediaWiki has up to 255 bytes, and an id has
# the source and the section besides.
_LONGEST_REF = 300
_ONE = Field(min_length=1, max_length=_LONGEST_REF)
_REF = (
    "a rule's number, a name in any language (引く, draw), a page's title, or an id from a result"
)
Ref = Annotated[str, _ONE, Field(description=f"What: {_REF}.")]
Start = Annotated[str, _ONE, Field(description="From what: named as in show.")]
End = Annotated[str, _ONE, Field(description="To what.")]
Game = Annotated[str | None, Field(description="Only this game: mtg.")]
Edition = Annotated[
    str | None,
    Field(description="Only this edition: 20231117."),
]
Lang = Annotated[str | None, Field(description="Only this language: ja.")]
Source = Annotated[str | None, Field(description="Only this source: mtgwiki.")]
# The bound is a guard: more than any list of a tool has (10,000 hits, 3,000 edges).
Skip = Annotated[int, Field(ge=0, le=100_000, description="To go on: as `more` says.")]


def _as_list(value: Any) -> Any:
    """Return one text, also an empty one, as a list of it; other values as they are.

    >>> _as_list("cites"), _as_list(["cites"])
    (['cites'], ['cites'])
    """
    return [value] if isinstance(value, str) else value


# In the annotation of a list: models often give one value without its brackets.
ONE_OR_MORE = BeforeValidator(_as_list)
Refs = Annotated[list[Annotated[str, _ONE]], ONE_OR_MORE]


def cited(node: Node) -> dict[str, Any]:
    """Return what a document has of a node: its id, and of a rule its number and edition.

    >>> from kb import sample
    >>> cited(sample().show("121.4", lang="ja").matches[0])["id"]
    'mtg/cr/20231117/ja/121.4'
    """
    return {key: getattr(node, key) for key in CITED}


CITED: Mapping[str, type] = dict.fromkeys(("id", "number", "edition"), str)
"""The fields of what `cited` returns."""


_MAX_LISTED = 8  # words of a list in a line, by hand: a model pays for each; documents have all
_ON_A_PAGE = frozenset({"passage", "section", "ruling", "procedure", "step", "outcome"})


def node_line(node: Node, page: PageTitle | None = None, heading: str = "") -> str:
    """Return the citation of a node in one line: what it is called, its kind, game, edition, date,
    language, source (but for a rulebook) and address, as far as it has them.

    page: that it stands on, for what has no name of its own, such as passages.
    heading: of the rule or section above, for a rule that has none.

    >>> from kb import sample
    >>> node_line(sample().show("121.4", lang="ja").matches[0])
    '121.4 · rule · mtg · edition 20231117 · ja'
    """
    game, edition, source = node.game, node.edition, node.source
    if page:
        game, edition, source = page.game or game, page.edition or edition, page.source or source
    beside = (game, edition, node.date, node.lang, "" if source == "rulebook" else source)
    called = _called(node, page, heading)
    return dotted(called, node.kind, *_facts(*beside), address(node.url))


def place_line(place: Place) -> str:
    """Return the citation of a passage by its place, in the form of `node_line` without the kind:
    of the rule that it gives, or of its page and section."""
    if place.number:
        called = fact(place.number) + (f" {name(place.heading)}" if place.heading else "")
    else:
        section = place.section if place.section != place.page else ""
        called = name(f"{place.page} › {section}" if section else place.page)
    source = "" if place.source == "rulebook" else place.source
    facts = _facts(place.game, place.edition, "", place.lang, source)
    return dotted(called, *facts, address(place.url))


def short_place(place: Place) -> str:
    """Return a place in few words, as one of several that have the same text: the rule's number or
    the page, the edition, the language and, but for a rulebook, the source and the address."""
    called = fact(place.number) if place.number else name(place.page)
    source = "" if place.source == "rulebook" else place.source
    facts = [called, *_facts("", place.edition, "", place.lang, source), address(place.url)]
    return " ".join(filter(None, facts))


def rule_names(rules: Iterable[tuple[str, str | None]]) -> str:
    """Return rules by (number, heading), with commas; of more than eight the first, and how many
    more; empty for none.

    >>> rule_names([("704", "State-Based Actions"), ("704.5a", None)])
    '704 “State-Based Actions”, 704.5a'
    """
    shown = [
        fact(number) + (f" {name(heading, 60)}" if heading else "") for number, heading in rules
    ]
    return listed(shown)


def listed(words: Iterable[str], most: int = _MAX_LISTED) -> str:
    """Return words with commas between them; of more than `most` the first, and how many more:
    `a, b, and 3 more`; empty for none."""
    words = list(words)
    more = [f"and {len(words) - most:,} more"] if len(words) > most else []
    return ", ".join([*words[:most], *more])


def page_of(base: KnowledgeBase, node: Node) -> PageTitle | None:
    """Return the title of the page that a node stands on, and what is known of that; None for what
    stands on no single page, such as rules and terms, and if the page is not there."""
    if node.kind not in _ON_A_PAGE:
        return None
    page = next(iter(base.show(kb.page_and_section(node.id)[0]).matches), None)
    if page is None:
        return None
    return kb.PageTitle(kb.page_name(page), page.game, page.source, page.edition, page.lang)


def _called(node: Node, page: PageTitle | None, heading: str) -> str:
    """Return what a node is called: a rule by its number and heading, what stands on a page by the
    page and its section, others by their names."""
    if node.series and node.number:
        about = node.label or heading
        return fact(node.number) + (f" {name(about)}" if about else "")
    if node.kind in _ON_A_PAGE:
        page_id, section = kb.page_and_section(node.id)
        title = (page and page.title) or page_id.partition("/")[2] or page_id
        return name(f"{title} › {section}" if section and section != title else title)
    return name(node.label or node.id)


def _facts(
    game: str | None, edition: str | None, date: str | None, lang: str | None, source: str | None
) -> list[str]:
    """Return what is known of a text besides its name, in the order of citations and of the
    parameters; what is None or empty is left out."""
    of_edition = f"edition {fact(edition)}" if edition else ""
    others = (fact(each) if each else "" for each in (date, lang, source))
    return [each for each in (fact(game) if game else "", of_edition, *others) if each]
