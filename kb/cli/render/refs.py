"""Prints what a node refers to and what refers to it, for `sansho refs`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from kb.cli.render.edges import VERBS, holding_node, place_of, words_in_context
from kb.cli.render.node_names import name_of
from kb.cli.render.output import bold, counted, dim, echo, end_of_result

if TYPE_CHECKING:
    from kb import Edge, KnowledgeBase, Node, Reference, Refs
    from kb.cli.render.output import Part

_MAX_EDITIONS = 6  # that are listed for one reference


def print_refs(
    result: Refs, base: KnowledgeBase, with_parts: bool, most: int, everything: bool
) -> None:
    """Print the named nodes, sums, and two groups: what they refer to, and what refers to them.

    Each reference is a paragraph: who, and the words in their context. Below is what was left out:
    further references, what else the reference names, and why targets of edges are not loaded.

    base: the knowledge base that was asked; it tells whether a rule has sub-rules.
    with_parts: whether a rule was taken together with its sub-rules.
    most: how many references are printed at most, in each group.
    everything: print also containment, and what the node says of itself.
    """
    references = result.references(everything)
    _print_heading(result)
    if not references:
        echo("No references of these kinds." if result.kinds else "No references.", err=True)
    else:
        echo(_sums(references))
    in_play = _InPlay(result, references)
    cut = 0
    for (depth, inward), of_group in groupby(references, lambda each: (each.depth, each.inward)):
        cut = max(cut, _print_group(list(of_group), depth, inward, most, in_play, result, base))
    if not everything:
        _print_left_out(result)
    if result.node.kind == "rule" and not with_parts and base.parts(result.node.id):
        echo(dim("Its sub-rules are not included; --with-parts takes them too."))
    for reason in dict.fromkeys(each.edge.reason for each in references if each.edge.reason):
        echo(dim(f"not loaded: {reason}"), hang=4)
    end_of_result(
        cut=f"The groups are cut at {most}; --max {cut} shows all." if cut else None,
        left_out=result.also,
        notices=(node.notice for node in result.nodes.values()),
    )


class _InPlay:
    """What must be said of each reference, because it is not the same for all."""

    def __init__(self, result: Refs, references: Iterable[Reference]) -> None:
        nodes = list(result.named)
        editions = {node.edition for node in nodes if node.edition}
        for reference in references:
            nodes += [reference.other] if reference.other else []
            editions.update(reference.editions, reference.near_editions)
        # A rule's heading says its edition; a term or a page has none.
        self.editions = len(editions) > 1 or not all(node.edition for node in result.named)
        self.langs = len({node.lang for node in nodes if node.lang}) > 1
        self.games = len({node.game for node in nodes if node.game}) > 1


def _print_heading(result: Refs) -> None:
    """Print the name of the named nodes, and what tells them apart."""
    named = result.named
    for lang, in_lang in groupby(
        sorted(named, key=lambda node: node.lang or ""), lambda node: node.lang
    ):
        nodes = list(in_lang)
        editions = [node.edition for node in reversed(nodes) if node.edition]
        noun = "edition" if len(editions) == 1 else "editions"
        facts = [nodes[0].kind, nodes[0].game, lang, editions and f"{noun} {', '.join(editions)}"]
        facts += [None if editions else nodes[0].source]
        name: list[Part] = [bold(name_of(nodes[0]))]
        heading = result.headings.get(nodes[0].id)
        name += [dim(f" ({heading})")] if heading else []
        echo(*name, "  ", dim(" · ".join(fact for fact in facts if fact)))


def _sums(references: Iterable[Reference]) -> str:
    """Return how many rules, pages and others refer to the named nodes and are referred to.

    Only the nearest are counted; a rule in several editions or languages is one.
    """
    things: dict[tuple[str, bool], dict[tuple[object, ...], str]] = defaultdict(dict)
    for reference in references:
        if reference.depth == 1:
            key = reference.edge.kind, reference.inward
            thing, noun = _counted_thing(reference)
            things[key][thing] = noun
    sums = []
    for (kind, inward), found in sorted(things.items(), key=lambda item: not item[0][1]):
        nouns = Counter(found.values())
        counts = [counted(number, noun) for noun, number in nouns.most_common()]
        sums.append(f"{VERBS[kind][inward]} {_listed(counts)}")
    text = "; ".join(sums)
    return text[:1].upper() + text[1:] + "." if text else ""


def _counted_thing(reference: Reference) -> tuple[tuple[object, ...], str]:
    """Return what counts once in the sums, and what it is called there."""
    node, edge = reference.other, reference.edge
    if node is None:
        return (edge.target_label,), "target that is not loaded"
    if node.kind in ("rule", "term", "card"):
        return (node.kind, node.game, node.number or node.id), node.kind
    return (edge.evidence.page if reference.inward else node.id.partition("#")[0],), "page"


def _listed(words: Sequence[str]) -> str:
    """Return words with commas, and an `and` before the last."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _print_group(
    references: list[Reference],
    depth: int,
    inward: bool,
    most: int,
    in_play: _InPlay,
    result: Refs,
    base: KnowledgeBase,
) -> int:
    """Print references of one direction and distance under headings of their kinds.

    Return their number if there are more than `most`, else 0.
    """
    away = f", {counted(depth, 'step')} away" if result.depths[-1] > 1 else ""
    echo()
    kinds = {reference.edge.kind for reference in references}
    if len(kinds) > 1:
        echo(bold("Referred to by" if inward else "Refers to"), dim(away))
    for kind, of_kind in groupby(references[:most], lambda reference: reference.edge.kind):
        verb = VERBS[kind][inward]
        if len(kinds) > 1:
            echo(dim(verb), indent=2)
        else:
            echo(bold(verb[:1].upper() + verb[1:]), dim(away))
        for reference in of_kind:
            _print_reference(reference, 4 if len(kinds) > 1 else 2, in_play, result, base)
    rest = len(references) - most
    if rest > 0:
        echo(dim(f"… and {rest:,} more"), indent=2)
    return len(references) if rest > 0 else 0


def _print_reference(
    reference: Reference, indent: int, in_play: _InPlay, result: Refs, base: KnowledgeBase
) -> None:
    """Print a reference: the other node, the words in their context, how often and where."""
    parts = _who(reference, in_play, result)
    words = words_in_context(reference.edge, holding_node(reference.edge, result.nodes, base))
    if words:
        parts += ["  ", *words]
    if reference.times > 1:
        parts.append(dim(f" ×{reference.times}"))
    remarks = [*_remarks(reference.edge), *_editions(reference, in_play)]
    if remarks:
        parts.append(dim(f" ({'; '.join(remarks)})"))
    echo(*parts, indent=indent, hang=2)


def _who(reference: Reference, in_play: _InPlay, result: Refs) -> list[Part]:
    """Return the parts that name the other node, with the nearer end if that is no named node."""
    node = reference.other
    if node is None:
        return [bold(reference.edge.target_label), dim(" (not loaded)")]
    parts: list[Part] = [bold(_name(node, reference))]
    heading = result.headings.get(node.id)
    parts += [dim(f" {heading}")] if heading else []
    tags = [node.game if in_play.games else None, node.lang if in_play.langs else None]
    shown = " · ".join(tag for tag in tags if tag)
    parts += [dim(f" {shown}")] if shown else []
    near = reference.near
    if near and near.id not in {named.id for named in result.named}:
        end = _near_name(near, reference, result.node)
        parts.append(dim(f" → {end}" if reference.inward else f" ← {end}"))
    return parts


def _name(node: Node, reference: Reference) -> str:
    """Return the name of the other node; what stands on a page is named by its place."""
    if reference.page is None or node.kind == "page":
        return name_of(node)
    place = place_of(node, reference.page)
    return f"{place}: {name_of(node)}" if node.kind == "ruling" else place


def _near_name(node: Node, reference: Reference, asked: Node) -> str:
    """Return a short name of the nearer end of a reference.

    asked: the node that was asked for; where it is a page, its title is not repeated.
    """
    if node.kind == "rule":
        return node.number or ""
    if reference.near_page is None or node.kind == "page":
        return name_of(node)
    place = place_of(node, reference.near_page)
    return place.removeprefix(f"{asked.label} › ") if asked.kind == "page" else place


def _editions(reference: Reference, in_play: _InPlay) -> list[str]:
    """Return the editions in which a reference stands, in at most one text."""
    if not in_play.editions:
        return []
    far, near = _some(reference.editions), _some(reference.near_editions)
    if not near:
        return [far] if far else []
    if not far:
        return [f"→ edition {near}" if reference.inward else near]
    return [f"{far} → {near}" if reference.inward else f"{near} → {far}"]


def _some(editions: Sequence[str]) -> str:
    """Return editions with commas; of very many the newest."""
    more_before = "…, " if len(editions) > _MAX_EDITIONS else ""
    return more_before + ", ".join(editions[-_MAX_EDITIONS:])


def _remarks(edge: Edge) -> list[str]:
    """Return what else is known of an edge, such as how it cites (but not `see`)."""
    details = edge.details or {}
    remarks = [details.get(name) for name in ("how", "relation", "basis")]
    remarks += [f"headed {details['headed']} there"] if "headed" in details else []
    return [remark for remark in remarks if remark and remark != "see"]


def _print_left_out(result: Refs) -> None:
    """Print how many edges were left out because they say nothing new."""
    edges = result.self_references()
    contained = sum(edge.kind in ("part_of", "quotes") for edge in edges)
    own = len(edges) - contained
    left_out = [f"parts and quotations of it ({contained:,})"] * bool(contained)
    left_out += [f"references to itself ({own:,})"] * bool(own)
    links = result.linked_mentions()
    left_out += [f"mentions that are links ({links:,})"] * bool(links)
    if left_out:
        echo(dim(f"Left out: {_listed(left_out)}; --all shows them."))
