"""What sansho knows, a kind at a time: what a page says of it, and how that is resolved when all
pages are in.

`KINDS` has what is extracted from each page, in order; `kb.knowledge.resolve_graph` what follows
then.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from graphs.model import Node
from graphs.store.file.row_checks import (
    EDGE_KINDS,
    ROLES,
    check_form,
    check_node,
    check_one_of,
    parse_details,
)
from graphs.writing.page_claims import EdgeClaim, LabelClaim, NodeClaim, PageClaims, PageNode
from kb.knowledge import (
    cards,
    citations,
    glossary,
    links,
    page_structure,
    page_subject,
    procedures,
    rules,
    rulings,
)
from kb.knowledge.names import name_lists, names_in_two_languages, naming_phrases
from kb.knowledge.names.name_lists import NamedNodes
from kb.knowledge.outcomes import outcomes
from kb.knowledge.prepared_page import PageContext, extracted_size
from kb.language.tokens import Tokenizer
from kb.shared_wording import counted
from scraper import Page, plugins
from scraper.markup.size_limits import LONGEST_NAME, LONGEST_TARGET

# Characters of a page that anything is extracted from; a line break counts for more than one. A
# guard of memory: the longest rulebooks have less than a million.
MOST_EXTRACTED = 4_500_000


class Kind(NamedTuple):
    """A kind of knowledge.

    extract: adds what a page says of it to the page's claims.
    of_facts: whether only pages that state facts say anything of it, such as no talk pages.
    """

    extract: Callable[[PageContext, PageClaims], None]
    of_facts: bool = True


# In their order: what one makes of a page, those behind it may use. Plug-ins come behind them.
KINDS = (
    Kind(page_subject.extract),
    Kind(naming_phrases.extract),
    Kind(glossary.extract),
    Kind(cards.extract),
    Kind(rulings.extract),
    Kind(procedures.extract),
    Kind(outcomes.extract),
    Kind(citations.extract, of_facts=False),
    Kind(links.extract, of_facts=False),
    Kind(naming_phrases.extract_names_in_other_games, of_facts=False),
    Kind(names_in_two_languages.extract, of_facts=False),
)
_LONGEST_ID = 2 * LONGEST_TARGET  # of an edge's target: the address of a link, with what it is


def unextracted(page: Page) -> str:
    """Return what to warn of in a page that is too long to be extracted whole; empty for others,
    and for any list of names, which is extracted in pieces."""
    if page.engine == "namelist" or sum(map(extracted_size, page.passages)) <= MOST_EXTRACTED:
        return ""
    size = sum(len(passage.text) for passage in page.passages)
    return (
        f"a page of {size:,} characters; rules, terms, citations and links are taken from the "
        f"first {MOST_EXTRACTED:,} at most, the rest can only be searched and read"
    )


def extract(page: Page, tokenizer: Tokenizer, notice: str = "") -> PageClaims:
    """Return everything that one page puts into the graph, with targets of edges still to be
    resolved. Of a huge page only the beginning states anything: see `unextracted`. A page that
    states no facts (`page_subject.states_facts`) gives only rules, passages, citations, links and
    names in the text.

    page: an article, which has a name.
    notice: a warning about the source that readers must see; empty if there is none.

    >>> from kb.language.tokens import tokenizer
    >>> from scraper import Passage
    >>> text = Passage("paragraph", "山札がない場合、カードを引けない。")
    >>> page = Page("mtgwiki", "引く", url="", game="mtg", engine="mediawiki", passages=(text,))
    >>> claims = extract(page, tokenizer())
    >>> [part.node.kind for part in claims.parts], [claim.node.id for claim in claims.nodes]
    (['page', 'passage', 'outcome'], ['mtg/term/引く'])
    """
    context = PageContext.of(page, tokenizer, notice)
    claims = PageClaims(page=context.page_id)
    if page.engine == "namelist":  # names are no sentences: they state and cite nothing
        page_structure.extract(context, claims)
        name_lists.extract(context, claims)
        return claims
    beginning = context.beginning(MOST_EXTRACTED)
    rules.extract(beginning, claims)  # what a passage that states a rule cites starts from the rule
    page_structure.extract(context, claims)
    states_facts = page_subject.states_facts(page.name)
    for kind in KINDS:
        if states_facts or not kind.of_facts:
            kind.extract(beginning, claims)
    for plugin, kind in kinds_of_plugins():
        if states_facts or not kind.of_facts:
            _extract_by_plugin(plugin, kind, beginning, claims)
    return claims


@cache
def kinds_of_plugins() -> list[tuple[plugins.Plugin, Kind]]:
    return plugins.loaded("kinds", Kind)


def _extract_by_plugin(
    plugin: plugins.Plugin, kind: Kind, context: PageContext, claims: PageClaims
) -> None:
    """Add what a plug-in extracts from a page; if it raises, a problem that names it instead."""
    before = _sizes(claims)
    try:
        kind.extract(context, claims)
        _check_added(context, claims, before)
    except plugins.FAILURES as error:
        _drop_added(claims, before)
        claims.problems.append(plugin.failed(error, claims.page))


_Sizes = Mapping[str, int]

_TYPES: Mapping[str, type] = {
    "parts": PageNode, "nodes": NodeClaim, "labels": LabelClaim, "edges": EdgeClaim,
}  # fmt: skip


def _sizes(claims: PageClaims) -> _Sizes:
    """Return how many claims of each sort there are."""
    return {name: len(getattr(claims, name)) for name in _TYPES}


def _drop_added(claims: PageClaims, before: _Sizes) -> None:
    """Remove what was added since there were so many."""
    for name, number in before.items():
        del getattr(claims, name)[number:]


def _check_added(context: PageContext, claims: PageClaims, before: _Sizes) -> None:
    """Raise TypeError, ValueError or RowError, whose message says what, unless all that was added
    since there were so many claims can be stored and read back: kinds and roles that there are, ids
    and dates of their forms, details that are flat, spans within the text of their passages.

    A file with anything else would be taken for damaged.
    """
    for name, kind in _TYPES.items():
        for added in getattr(claims, name)[before[name] :]:
            if not isinstance(added, kind):
                raise TypeError(f"not a {kind.__name__} but {type(added).__name__}")
    known = {part.node.id for part in claims.parts[: before["parts"]]}
    for part in claims.parts[before["parts"] :]:
        if part.node.id in known:
            raise ValueError(f"the id {part.node.id!r} is another part's")
        if part.parent not in known or part.heading not in (None, *context.passage_ids):
            raise ValueError(f"{part.node.id!r} has no parent or heading on the page")
        known.add(part.node.id)
    added_nodes = (part.node for part in claims.parts[before["parts"] :])
    for node in (*added_nodes, *(claim.node for claim in claims.nodes[before["nodes"] :])):
        _check_node(node)
    for label in claims.labels[before["labels"] :]:
        check_one_of(label.label.role, ROLES, f"a name of {label.node}")
        check_form("lang", label.label.lang, f"a name of {label.node}")
        _check_texts(label.node, label.label.text, label.folded)
    _check_edges(context, claims.edges[before["edges"] :])


def _check_node(node: Node) -> None:
    check_node(node.id, node.kind, node.game, node.source, node.lang, node.edition, node.number)
    check_form("date", node.date, f"the node {node.id!r}")
    if node.kind == "rule" and not node.edition:
        raise ValueError(f"the rule {node.id!r} has no edition")
    _check_texts(*(value for value in (node.label, node.text, node.url) if value is not None))
    _check_details(node.details, f"the node {node.id!r}")


def _check_edges(context: PageContext, edges: Iterable[EdgeClaim]) -> None:
    texts = dict(
        zip(context.passage_ids, (each.text for each in context.page.passages), strict=True)
    )
    for edge in edges:
        check_one_of(edge.kind, EDGE_KINDS, "an edge")
        _check_texts(edge.source, edge.target, edge.target_label, edge.reason)
        text = texts.get(edge.passage)
        if text is None or not 0 <= edge.start <= edge.end <= len(text):
            raise ValueError(f"the edge to {edge.target!r} rests on no words of {edge.passage!r}")
        _check_details(edge.details, f"the edge to {edge.target!r}")


def _check_texts(*values: Any) -> None:
    for value in values:
        if not isinstance(value, str):
            raise TypeError(f"not a text but {type(value).__name__}: {str(value)[:40]!r}")


def _check_details(details: Mapping[str, Any] | None, what: str) -> None:
    if details is not None:
        parse_details(json.dumps(dict(details)), what)


def extract_list(
    page: Page, tokenizer: Tokenizer, notice: str, named: NamedNodes
) -> Iterator[PageClaims]:
    """Yield what `extract` returns for a list of names, in pieces: of a list of very many rows all
    that they state takes much memory. The first piece has the page with its passages and nothing
    else; there is always another behind it.

    named: what its rows name.
    """
    context = PageContext.of(page, tokenizer, notice)
    claims = PageClaims(page=context.page_id)
    page_structure.extract(context, claims)
    yield claims
    yield from name_lists.in_pieces(context, named)


def extract_text(page: Page, tokenizer: Tokenizer, notice: str = "") -> PageClaims:
    """Return only the text of a page, its node and passages, without what it says: for one that
    `extract` can't take."""
    context = PageContext.of(page, tokenizer, notice)
    claims = PageClaims(page=context.page_id)
    page_structure.extract(context, claims)
    return claims


def without_long_names(claims: PageClaims) -> int:
    """Remove nodes, labels and edges from claims where a name is too long or an id would be, and
    cut the headings of rules that are, with … at their end.

    The claims are changed in place; the text stays, as passages do. Return how many names, or ids
    if these are more, were too long, without the headings.
    """
    claims.nodes = [
        claim._replace(node=replace(claim.node, label=f"{heading[: LONGEST_NAME - 1]}…"))
        if claim.node.kind == "rule" and len(heading := claim.node.label or "") > LONGEST_NAME
        else claim
        for claim in claims.nodes
    ]
    long_ids = {
        claim.node.id
        for claim in claims.nodes
        if len(claim.node.label or "") > LONGEST_NAME or len(claim.node.id) > _LONGEST_ID
    }
    long_ids |= {edge.target for edge in claims.edges if len(edge.target) > _LONGEST_ID}
    names = {claim.label.text for claim in claims.labels if len(claim.label.text) > LONGEST_NAME}
    if not (long_ids or names):
        return 0
    claims.nodes = [claim for claim in claims.nodes if claim.node.id not in long_ids]
    claims.labels = [
        claim
        for claim in claims.labels
        if claim.node not in long_ids and claim.label.text not in names
    ]
    claims.edges = [edge for edge in claims.edges if edge.target not in long_ids]
    return max(len(long_ids), len(names))


def long_names_warning(number: int) -> str:
    """Return what to warn of where so many names were too long; empty for 0.

    >>> long_names_warning(2)
    '2 names of more than 500 characters; not taken for names, the text is kept'
    """
    if not number:
        return ""
    return (
        f"{counted(number, 'name')} of more than {LONGEST_NAME:,} characters; not taken for names, "
        "the text is kept"
    )
