"""The tools `refs` and `path`: what refers to what, with the words that each reference rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

import kb
from kb import KnowledgeBase
from kb.mcp.citing import (
    ONE_OR_MORE,
    Edition,
    End,
    Game,
    Lang,
    Ref,
    Skip,
    Source,
    Start,
    cited,
    listed,
    node_line,
    page_of,
)
from kb.mcp.replies import Reply, around, fact, name, part_of, quote, reply
from kb.shared_wording import VERBS, counted, how_proposed, only_shared

if TYPE_CHECKING:
    from kb import Edge, Node, Paths, Reference, Refs

# That are read at once, and after which no further step is taken. By hand: far more than a model
# pages through, while terms have tens of thousands and would take the time of a question.
_MOST_EDGES = 3_000
# The kinds of edges that are followed more than one step: of mentions and links a few nodes have
# so many that two steps lead to everything.
_FOLLOWED = ("cites", "defines", "redirects_to", "same_concept", "succeeds", "translates")
# References at one far end that are listed together; of many the others follow.
# By hand, so that one far end does not fill an answer, nor its document.
_TOGETHER, _EDGES_TOGETHER = 5, 30
_MOST_NAMED = 4  # things asked for, such as versions of a rule, that are cited; others give ids
_CONTAINMENT = ("part_of", "quotes")
_MOST_PATHS = 8  # by hand: with their words they fill an answer
# Characters of the words that an edge rests on: longer ones are cut, and need no text around them.
_MOST_WORDS = 200
_Direction = Annotated[
    Literal["in", "out", "both"],
    Field(description="in: what refers to it; out: what it refers to."),
]
_Kind = Literal[
    "cites", "mentions", "links_to", "defines", "quotes", "same_concept", "succeeds", "translates",
    "redirects_to", "part_of",
]  # fmt: skip
_Kinds = Annotated[
    list[_Kind],
    ONE_OR_MORE,
    Field(
        description="Only these: cites (a rule by its number), mentions (a term or card by name)… "
        "Empty: all."
    ),
]
# By hand: each step may multiply the edges, and a question has half a minute.
_Depth = Annotated[
    int,
    Field(ge=1, le=3, description="How many steps to follow."),
]
_WithParts = Annotated[
    bool,
    Field(description="A rule with its sub-rules: what cites 704.5b, too, cites 704."),
]
_Edition = Annotated[
    str | None,
    Field(description="Only in this edition: 20231117. Without it, in all together."),
]
# With the words of each, 50 are about what fits an answer.
_MostRefs = Annotated[int, Field(ge=1, le=50, description="References at most.")]
_MostPaths = Annotated[int, Field(ge=1, le=_MOST_PATHS, description="Paths at most.")]


def refs(
    base: KnowledgeBase,
    ref: Ref,
    direction: _Direction = "both",
    kinds: _Kinds = [],  # noqa: B006
    depth: _Depth = 1,
    with_parts: _WithParts = False,
    game: Game = None,
    edition: _Edition = None,
    lang: Lang = None,
    source: Source = None,
    most: _MostRefs = 40,
    skip: Skip = 0,
) -> Reply:
    """List what a rule, term, card or page refers to and what refers to it, each with its words.
    Use it for "what cites 704?" or "which rules depend on it?" (direction="in", kinds=["cites"],
    with_parts=true, edition: without it all), "where is this term used?"."""
    filters: kb.Filters = {"game": game, "edition": edition, "lang": lang, "source": source}
    if depth > 1 and (weak := [kind for kind in kinds if kind not in _FOLLOWED]):
        raise kb.QuestionError("weak_kinds", kinds=tuple(weak), followed=tuple(_FOLLOWED))
    # In parts: of the most used terms there are more references than anybody can read.
    found = base.refs(
        ref, direction=direction, kinds=kinds, with_parts=with_parts, most=_MOST_EDGES, **filters
    )
    counts, is_part, steps = found.counts or {}, found.more is not None, 1
    while steps < depth and len(found.edges) < _MOST_EDGES:
        steps += 1
        found = base.refs(
            ref,
            direction=direction,
            kinds=kinds or _FOLLOWED,
            depth=steps,
            with_parts=with_parts,
            **filters,
        )
    every = _items(found)
    items = [item for item in every if _is_in_language(item, lang)]
    part = part_of(items, _ItemText(found).lines, skip, most, "references")
    lines = [*_named_lines(found, base), *_sums(counts, direction, bool(edition))]
    if not items:
        lines.append("none of these kinds, or none in this direction")
    text = [*lines, *([""] if part.lines else []), *part.lines]
    if len(items) < len(every):
        text.append(f"({len(every) - len(items):,} in other languages left out by lang={lang})")
    if is_part:
        text.append(f"(only the strongest {_MOST_EDGES:,} are listed: narrow them by kinds, …)")
    if depth > 1 and not kinds:
        text.append(f"(followed along {', '.join(_FOLLOWED)}, not along mentions and links)")
    if steps < depth:
        text.append(f"(followed {steps} of {depth} steps: there are very many references)")
    document = [_document_item(item) for item in items[skip : part.stop]]
    notices = [base.notice, *(node.notice for node in found.named)]
    return reply(text, document, part, found.also, notices)


def _is_in_language(item: _Item, lang: str | None) -> bool:
    """Whether the far end of some references is in a language, or in none, as terms and cards are;
    versions in other languages are what the edge is about."""
    other = item.first.other
    is_across = item.first.edge.kind in ("translates", "same_concept", "succeeds")
    if lang is None or other is None or is_across or other.kind in ("term", "card"):
        return True
    return other.lang in (None, lang)


def _document_item(item: _Item) -> dict[str, Any]:
    """Return the item of a far end: what it is (without an id if it is not loaded), how it is
    connected, and the passages whose words say so."""
    first = item.first
    return {
        **(cited(first.other) if first.other else {}),
        "reference": first.edge.kind,
        "direction": "in" if first.inward else "out",
        "depth": first.depth,
        "passages": list(dict.fromkeys(edges[0].evidence.passage for _, edges in item.parts)),
    }


def _sums(
    counts: Mapping[str, Mapping[str, int]], asked: str, is_of_one_edition: bool
) -> list[str]:
    """Return how many direct references of each kind there are, in a line for each direction asked
    for that has any; parts and quotations are not counted."""
    counted = "references" if is_of_one_edition else "references of every edition"
    sums = []
    for direction, of_kind in counts.items():
        if asked not in (direction, "both"):
            continue
        said = [
            f"{VERBS[kind][direction == 'in']} {number:,}"
            for kind, number in of_kind.items()
            if number and kind not in _CONTAINMENT
        ]
        sums += (
            [f"{direction} ({counted}; a passage may have several): {', '.join(said)}"]
            if said
            else []
        )
    return sums


@dataclass(frozen=True, slots=True)
class _Item:
    """References at one far end that are listed together.

    first: the reference at that far end that is shown; times: how many places there have it.
    parts: the references, each with those of its edges that belong here.
    number: how many edges of the far end the items before this one have; of: how many it has.
    inside: whether both ends are what was asked for, or the words are listed as a link, too.
    """

    first: Reference
    times: int
    editions: tuple[str, ...]
    parts: tuple[tuple[Reference, tuple[Edge, ...]], ...]
    number: int
    of: int
    inside: bool = False

    @property
    def edges(self) -> list[Edge]:
        return [edge for _, edges in self.parts for edge in edges]


def _items(found: Refs) -> list[_Item]:
    """Return all references, those at one far end together; at the end those that lead from what
    was asked for to itself, and mentions that are links as well."""
    items: list[_Item] = []
    listed_edges: set[Edge] = set()
    for group in found.groups():
        references = (*group.references, *group.mentions)
        listed_edges |= {edge for reference in references for edge in reference.edges}
        parts = [(reference, reference.edges) for reference in references]
        items += _cut_group(group.first, group.times, group.editions, parts)
    for reference in found.references(everything=True):
        rest = tuple(edge for edge in reference.edges if edge not in listed_edges)
        if rest and (reference.edge.kind not in _CONTAINMENT or reference.edge.kind in found.kinds):
            cut = _cut_group(reference, len(rest), reference.editions, [(reference, rest)])
            items += [replace(item, inside=True) for item in cut]
    return items


def _cut_group(
    first: Reference,
    times: int,
    editions: tuple[str, ...],
    references: Iterable[tuple[Reference, tuple[Edge, ...]]],
) -> Iterator[_Item]:
    """Yield the references at one far end in their order, in items of up to five of them and thirty
    edges; the edges of one reference may be in several items."""
    pieces = [
        (reference, edges[start : start + _EDGES_TOGETHER])
        for reference, edges in references
        for start in range(0, len(edges), _EDGES_TOGETHER)
    ]
    of, number = sum(len(edges) for _, edges in pieces), 0
    while pieces:
        taken = 1
        size = len(pieces[0][1])
        while taken < min(_TOGETHER, len(pieces)) and size <= _EDGES_TOGETHER:
            size += len(pieces[taken][1])
            taken += size <= _EDGES_TOGETHER
        together, pieces = tuple(pieces[:taken]), pieces[taken:]
        yield _Item(first, times, editions, together, number, of)
        number += sum(len(edges) for _, edges in together)


def _named_lines(found: Refs, base: KnowledgeBase) -> list[str]:
    """Return the citations of what was asked for, a line each; of more than four the first, and the
    ids of the others in one line."""
    lines = [
        f"references of {node_line(node, page_of(base, node))}"
        for node in found.named[:_MOST_NAMED]
    ]
    if others := [name(node.id, 200) for node in found.named[_MOST_NAMED:]]:
        lines.append(f"and of {listed(others, 12)}")
    return lines


class _ItemText:
    """Makes the text of references at one far end."""

    def __init__(self, found: Refs) -> None:
        self._found = found
        self._words = WordsText()

    def lines(self, item: _Item) -> list[str]:
        first, edge = item.first, item.edges[0]
        verb = VERBS[edge.kind][first.inward]
        away = f"{first.depth} steps away: " if first.depth > 1 else ""
        if first.other:
            heading = self._found.headings.get(first.other.id, "")
            far_end = node_line(first.other, first.page, heading)
        else:
            reason = f": {name(edge.reason, 200)}" if edge.reason else ""
            far_end = f"{name(edge.target_label)} (not loaded{reason})"
        times = f" ×{item.times}" if item.times > 1 else ""
        if item.number:
            times = (
                f", further ({item.number + 1:,}–{item.number + len(item.edges):,} of {item.of:,})"
            )
        inside = "within itself, or linked there, too: " if item.inside else ""
        proposed = f" ({how_proposed(edge)})" if edge.is_proposed else ""
        lines = [f"- {away}{inside}{verb} {far_end}{times}{proposed}"]
        if len(item.editions) > 1:
            lines.append(f"  in editions {listed(map(fact, item.editions))}")
        if first.depth > 1 and first.near:
            lines.append(f"  of {node_line(first.near, first.near_page)}")
        for reference, edges in item.parts:
            near = reference.near if len(self._found.named) > 1 and not first.inward else None
            lines += self._words.lines(edges[0], self._found.nodes.get(edges[0].source), near)
        return lines


def _texts(node: Node | None) -> list[str]:
    """Return the texts in which the words of a reference may stand: a node's own and its examples;
    empty without a node."""
    if node is None:
        return []
    examples = (node.details or {}).get("examples", ())
    return [node.text or "", *(each for each in examples if isinstance(each, str))]


class WordsText:
    """Quotes the words that edges rest on within the text around them; words in a text that was
    quoted just before are not quoted again."""

    def __init__(self) -> None:
        self._last = ("", "")

    def lines(self, edge: Edge, source: Node | None, where: Node | None = None) -> list[str]:
        """Return the lines for an edge: its words alone if the source's text does not have them or
        they are longer than 200 characters; none if it has no words.

        source: the node that it leads from, if its text may hold the words.
        where: the node that is named as the one that has them, where this is not plain.
        """
        words = edge.evidence.text
        if not words.strip():
            return []
        text = next((each for each in _texts(source) if words in each), "")
        start = text.find(words)
        if start < 0 or len(words) > _MOST_WORDS:
            return quote(words, _MOST_WORDS, "  ")
        if self._last[0] == text and words in self._last[1]:
            return [f"  the words {name(words)} there, too"]
        shown = around(text, start, start + len(words))
        self._last = text, shown
        place = f" {node_line(where)}:" if where else ""
        said = [f"  the words {name(words)} in{place}"] if shown != words or where else []
        return [*said, *quote(shown, indent="  ")]


def path(
    base: KnowledgeBase,
    start: Start,
    end: End,
    game: Game = None,
    edition: Edition = None,
    lang: Lang = None,
    source: Source = None,
    most: _MostPaths = 3,
) -> Reply:
    """Show how two things are connected: the cheapest chains of references from one to the other,
    each step with its words. Use it for "what has X to do with Y?"; for what refers to one thing
    use refs."""
    filters: kb.Filters = {"game": game, "edition": edition, "lang": lang, "source": source}
    found = base.path(start, end, most=min(2 * most, _MOST_PATHS), **filters)
    # What stands in one chapter is connected by that, too, which says little.
    ranked = sorted(
        zip(found.paths, found.costs, found.lists, strict=True),
        key=lambda each: (each[2] is not None, _says_little(*each[:2])),
    )
    paths = ranked[:most]
    lines = [] if found.paths else [f"no path from {name(start)} to {name(end)}"]
    if found.paths and not any(found.costs):
        lines = [f"{name(start)} and {name(end)} are names of the same thing:"]
    for rank, (steps, cost, shared) in enumerate(paths, 1):
        in_list = f"; {only_shared(shared.kind)}" if shared else ""
        lines += [
            f"path {rank}: {counted(len(steps) // 2, 'step')}, cost {cost}{in_list}",
            *_steps(steps, found),
            "",
        ]
    nodes = [step for steps, *_ in paths for step in steps if isinstance(step, kb.Node)]
    more = "there are more paths; narrow them by game, edition or language"
    if most < _MOST_PATHS:
        more = f"most={min(2 * most, _MOST_PATHS)} gives more paths"
    items = [
        {"cost": cost, "ids": [step.id for step in steps if isinstance(step, kb.Node)]}
        for steps, cost, _ in paths
    ]
    notices = [base.notice, *(node.notice for node in nodes)]
    return reply(
        lines, items, None, found.also, notices, more if found.more or ranked[most:] else None
    )


def _says_little(steps: Sequence[Node | Edge], cost: float) -> bool:
    """Whether a path only leads up to what both ends are part of, in whatever language, and down
    again."""
    kinds = {step.kind for step in steps if not isinstance(step, kb.Node)}
    return cost > 0 and kinds <= {"part_of", "translates", "succeeds"}


def _steps(steps: Sequence[Node | Edge], found: Paths) -> Iterator[str]:
    """Yield the lines of a path: its nodes, and between them what connects them."""
    nodes = {step.id: step for step in steps if isinstance(step, kb.Node)}
    words, last = WordsText(), ""
    for step in steps:
        if isinstance(step, kb.Node):
            yield node_line(step, found.page_of(step))
            last = step.id
        else:
            proposed = f" ({how_proposed(step)})" if step.is_proposed else ""
            yield f"  ↓ {VERBS[step.kind][step.source != last]}{proposed}"
            if step.kind not in _CONTAINMENT:  # whose words are the whole passage
                yield from words.lines(step, nodes.get(step.source))
