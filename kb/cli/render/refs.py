"""Prints references, paths and rankings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from kb.cli.render.output import (
    bold,
    cell_width,
    counted,
    dim,
    echo,
    end_of_result,
    marked,
    name_of,
    print_table,
    shortened,
    shortened_start,
    text_width,
)
from kb.cli.wording import command_with
from kb.shared_wording import VERBS, dotted, how_proposed, only_shared

if TYPE_CHECKING:
    from kb import (
        Edge,
        KnowledgeBase,
        Node,
        PageTitle,
        Paths,
        Reference,
        ReferenceGroup,
        Refs,
        Top,
        Wording,
    )
    from kb.cli.render.output import Part


def holding_node(edge: Edge, nodes: Mapping[str, Node], base: KnowledgeBase) -> Node | None:
    """Return the node whose text holds the words of an edge: its source, or the passage, such as
    the example below a rule; None if that is not in the knowledge base.

    nodes: by id; the source may be among them.
    """
    source = nodes.get(edge.source)
    if source and edge.evidence.text in (source.text or ""):
        return source
    return next(iter(base.show(edge.evidence.passage).matches), None)


def place_of(node: Node, page: PageTitle) -> str:
    """Return the title of a page and, behind ` › `, that of the section in which a node of it
    stands, if it stands in one with another title."""
    section = node.label if node.kind == "section" else node.section_title
    return f"{page.title} › {section}" if section and section != page.title else page.title or ""


def words_in_context(edge: Edge, source: Node | None) -> list[Part]:
    """Return the words of an edge, marked, with text of the same passage around them; about as
    much as fits two lines. Words that are their whole passage are not marked.

    source: the node that the edge leads from, whose text holds the words; None, or a node whose
        text does not hold them, for no context.
    """
    text = (source.text if source else None) or ""
    return _in_context(text, _position(edge, source) if source else -1, edge.evidence.text)


def translation_in_context(edge: Edge, base: KnowledgeBase) -> list[Part]:
    """Return the words that translate those of an edge, as `words_in_context` returns these; none
    if the edge does not say where they stand."""
    details = edge.details or {}
    target, start, end = (details.get(f"target_{part}") for part in ("passage", "start", "end"))
    if not isinstance(target, str) or not isinstance(start, int) or not isinstance(end, int):
        return []
    passage = next(iter(base.show(target).matches), None)
    if passage is None:
        return []
    text = passage.text or ""
    return _in_context(text, start, text[start:end])


def _in_context(text: str, start: int, words: str) -> list[Part]:
    """Return words that begin at some place of a text, marked, and what stands around them, about
    two lines in all; not marked if they are nine tenths of the text; nothing for no words.

    start: negative if the text does not have them.
    """
    room = text_width()
    if start < 0:
        return [marked(shortened(words, room))] if words.strip() else []
    if len(words.strip()) >= 0.9 * len(text.strip()):
        return [shortened(words, 2 * room)]
    before, after = text[:start], text[start + len(words) :]
    words = shortened(words, room)
    around = max(20, (3 * room // 2 - cell_width(words)) // 2)
    return [_before(before, around), marked(words), _after(after, around)]


def _before(text: str, columns: int) -> str:
    """Return the end of what stands before the words, with one space if there is any before
    them."""
    space = " " if text[-1:].isspace() else ""
    return shortened_start(text, columns) + space


def _after(text: str, columns: int) -> str:
    """Return the beginning of what stands behind the words, with the space before it; empty if that
    is only white space."""
    space = " " if text[:1].isspace() else ""
    return space + shortened(text, columns) if text.strip() else ""


def _position(edge: Edge, source: Node) -> int:
    """Return where the words begin in a node's text, or -1.

    The place in the passage is known. The text of a rule may be that of the passage without the
    number before it, so that of several such words those nearest to this place are taken.
    """
    evidence, text = edge.evidence, source.text or ""
    end = evidence.start + len(evidence.text)
    if source.id == evidence.passage and text[evidence.start : end] == evidence.text:
        return evidence.start
    if not evidence.text:
        return -1
    expected = max(0, evidence.start - len(source.number or "") - 1)
    behind = text.find(evidence.text, expected)
    before = text.rfind(evidence.text, 0, expected + len(evidence.text))
    if behind < 0 or before < 0:
        return max(behind, before)
    return behind if behind - expected <= expected - before else before


# Lengths of lists, by hand: what is not the words themselves stays within a line of 80; --json has
# all.
_MAX_EDITIONS = 6  # that are listed for one reference
_MAX_NEAR = 3  # near ends that are named in one line
_MISSING_RULE, _MISSING = "rule that is not loaded", "target that is not loaded"
_PLURALS = {_MISSING_RULE: "rules that are not loaded", _MISSING: "targets that are not loaded"}
_MAX_NOT_LOADED = 12  # targets that are not loaded, in one line; by hand, two lines of numbers


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
    references, lines = result.references(everything), result.groups(everything)
    _print_heading(result)
    sums = _sums(lines, result.headings) if result.counts is None else _sums_of_counts(result)
    if sums:
        echo(sums)
    elif not references:
        echo("No references of these kinds." if result.kinds else "No references.", err=True)
    in_play = _InPlay(result, references)
    cut = 0
    for (depth, inward), of_direction in groupby(
        lines, lambda line: (line.first.depth, line.first.inward)
    ):
        cut = max(cut, _print_group(list(of_direction), depth, inward, most, in_play, result, base))
    if not everything:
        _print_left_out(result)
    is_whole = with_parts or not (result.node.series and base.parts(result.node.id))
    if not is_whole and (references or _parts_have_some(result, base, everything)):
        echo(dim("Its sub-rules are not included"), command=command_with(with_parts=True))
    for reason in _reasons(references):
        echo(dim(f"Not loaded: {reason}"), hang=4)
    remark = (f"Cut at {most} in each direction", command_with(most=cut)) if cut else None
    end_of_result(
        cut=result.more or remark,
        left_out=result.also,
        notices=(node.notice for node in result.nodes.values()),
    )


def _parts_have_some(result: Refs, base: KnowledgeBase, everything: bool) -> bool:
    """Return whether the sub-rules of a rule have references of the kinds and directions asked
    for."""
    found = base.refs(result.node, direction=result.direction, kinds=result.kinds, with_parts=True)
    return bool(found.references(everything))


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
    langs = [node.lang for node in named]  # that of the words shown below comes first
    for lang, in_lang in groupby(
        sorted(named, key=lambda node: langs.index(node.lang)), lambda node: node.lang
    ):
        nodes = list(in_lang)
        number = nodes[0].number
        editions = [
            node.edition if node.number == number else f"{node.edition} ({node.number})"
            for node in reversed(nodes)
            if node.edition
        ]
        noun = "edition" if len(editions) == 1 else "editions"
        source = f"{noun} {', '.join(editions)}" if editions else nodes[0].source
        facts = dotted(nodes[0].kind, nodes[0].game, lang, source)
        name: list[Part] = [bold(name_of(nodes[0]))]
        heading = result.headings.get(nodes[0].id)
        name += [dim(f" ({heading})")] if heading else []
        echo(*name, "  ", dim(facts))


def _sums(lines: Iterable[ReferenceGroup], headings: Mapping[str, str]) -> str:
    """Return how many lines are printed of each kind: of rules, pages and others that refer to the
    named nodes or are referred to; empty for none. Only the nearest are counted, and what leads out
    comes first: `Cites 2 rules; cited by 5 rules, 3 pages and 1 card.`

    headings: those of `Refs`.
    """
    found: dict[tuple[str, bool], Counter[str]] = defaultdict(Counter)
    for line in lines:
        if line.first.depth == 1:
            noun = _counted_noun(line.first, headings)
            found[line.first.edge.kind, line.first.inward][noun] += 1
    sums = []
    for (kind, inward), nouns in sorted(found.items(), key=lambda item: not item[0][1]):
        counts = [
            counted(number, noun, _PLURALS.get(noun, "")) for noun, number in nouns.most_common()
        ]
        sums.append(f"{VERBS[kind][inward]} {_listed(counts)}")
    text = "; ".join(sums)
    return text[:1].upper() + text[1:] + "." if text else ""


def _sums_of_counts(result: Refs) -> str:
    """Return how many edges there are at the named nodes, of the kinds and directions that were
    asked for, in this part of the result or not; what leads from one of them to another counts
    at both. Empty if there is none."""
    sums: Counter[str] = Counter()
    for end, kind, number in result.asked_counts():
        sums[VERBS[kind][end == "in"]] += number  # some read alike from both ends
    text = "; ".join(f"{verb} {counted(number, 'place')}" for verb, number in sums.items())
    near = ", one step away" if any(depth > 1 for depth in result.depths) else ""
    return f"In all{near}: {text}." if text else ""


def _counted_noun(reference: Reference, headings: Mapping[str, str]) -> str:
    """Return what the far end of a reference is called in the sums, in the singular: the kind of a
    rule, document, term or card, `page` for all that stands on one, and words of their own for
    proposed names, entries of glossaries and what is not loaded."""
    node, edge = reference.other, reference.edge
    if edge.is_proposed:
        return "proposed name"
    if node is None:
        return _MISSING_RULE if edge.kind == "cites" else _MISSING
    if node.kind == "passage" and node.id in headings:
        return "glossary entry"
    return node.kind if node.kind in ("rule", "document", "term", "card") else "page"


def _listed(words: Sequence[str]) -> str:
    """Return words, one at least, with commas and an `and` before the last: `a, b and c`."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _print_group(
    lines: list[ReferenceGroup],
    depth: int,
    inward: bool,
    most: int,
    in_play: _InPlay,
    result: Refs,
    base: KnowledgeBase,
) -> int:
    """Print references of one direction and distance under headings of their kinds, `most` lines.

    Return how many lines there are if they are more, else 0.
    """
    away = f", {counted(depth, 'step')} away" if result.depths[-1] > 1 else ""
    echo()
    kinds = {line.first.edge.kind for line in lines}
    if len(kinds) > 1:
        echo(bold("Referred to by" if inward else "Refers to"), dim(away))
    for kind, of_kind in groupby(lines[:most], lambda line: line.first.edge.kind):
        verb = VERBS[kind][inward]
        if len(kinds) > 1:
            echo(dim(verb), indent=2)
        else:
            echo(bold(verb[:1].upper() + verb[1:]), dim(away))
        for line in of_kind:
            _print_line(line, 4 if len(kinds) > 1 else 2, in_play, result, base)
    rest = len(lines) - most
    if rest > 0:
        echo(dim(f"… and {rest:,} more"), indent=2)
    return len(lines) if rest > 0 else 0


def _print_line(
    line: ReferenceGroup, indent: int, in_play: _InPlay, result: Refs, base: KnowledgeBase
) -> None:
    """Print the references at one far end: its name, the words of one place in their context, how
    many places there are, and the editions."""
    edge = _example(line, result)
    parts = _who(line, in_play, result)
    if edge.kind == "translates" and not line.first.inward:
        words = translation_in_context(edge, base)
    else:
        words = words_in_context(edge, holding_node(edge, result.nodes, base))
    if words:
        parts += ["  ", *words]
    counts = [f"×{line.times}"] * (line.times > 1)
    if line.mentioned:
        verb = "mentioned" if line.first.inward else "mentions it"
        counts.append(f"{verb} ×{line.mentioned}")
    if counts:
        parts.append(dim(f" {', '.join(counts)}"))
    remarks = [*_remarks(edge), *_editions(line, in_play, result)]
    if remarks:
        parts.append(dim(f" ({'; '.join(remarks)})"))
    echo(*parts, indent=indent, hang=2)
    own = line.first.other.number if line.first.other else None
    for other, number, editions in _wordings(line, in_play, result)[1:]:
        name = f"as {number}: " if number and number != own else ""
        echo(f"{name}“{other.evidence.text}”", dim(f" ({_some(editions)})"), indent=indent + 2)


def _wordings(line: ReferenceGroup, in_play: _InPlay, result: Refs) -> list[Wording]:
    """Return the wordings by edition, where a rule cites; none of what stands on pages."""
    cites = line.first.edge.kind == "cites" and not line.is_page
    return line.wordings(result.nodes) if cites and in_play.editions else []


def _example(line: ReferenceGroup, result: Refs) -> Edge:
    """Return the first edge of a line whose source's text is more than twice as long as its words,
    as a heading's is not; else the first."""
    edges = [reference.edge for reference in line.references]
    for edge in edges:
        source = result.nodes.get(edge.source)
        if source and len(source.text or "") > 2 * len(edge.evidence.text):
            return edge
    return edges[0]


def _who(line: ReferenceGroup, in_play: _InPlay, result: Refs) -> list[Part]:
    """Return the parts that name the far end, and the near end where it is no named node."""
    reference = line.first
    node = reference.other
    if node is None:
        return [bold(reference.edge.target_label), dim(" (not loaded)")]
    parts: list[Part] = [bold(_name(line, node))]
    heading = result.headings.get(node.id)
    before = " › " if node.kind == "passage" else " "  # an entry of a glossary stands in a section
    parts += [dim(f"{before}{heading}")] if heading else []
    tags = dotted(node.game if in_play.games else None, node.lang if in_play.langs else None)
    parts += [dim(f" {tags}")] if tags else []
    if near := _near_names(line, result):
        parts.append(dim(f" → {near}" if reference.inward else f" ← {near}"))
    return parts


def _name(line: ReferenceGroup, node: Node) -> str:
    """Return the name of the far end; what stands on a page is named by its place, and several
    sections of a page by the page.

    node: the far end of the first reference.
    """
    reference = line.first
    if reference.page is None or node.kind == "page":
        return name_of(node)
    place = place_of(node, reference.page)
    if not line.is_page:
        return f"{place}: {name_of(node)}" if node.kind == "ruling" else place
    places = {
        place_of(each.other, each.page) for each in line.references if each.other and each.page
    }
    return place if len(places) == 1 else reference.page.title or place


def _near_names(line: ReferenceGroup, result: Refs) -> str:
    """Return the names of the near ends that are no named nodes, with commas, the first three and
    `…` for others; empty if all are, or if it is only the name of what was asked for."""
    named = {node.id for node in result.named}
    ends = [(each, each.near) for each in line.near if each.near and each.near.id not in named]
    names = list(dict.fromkeys(_near_name(near, each, result.node) for each, near in ends))
    if names == [result.node.label]:
        return ""
    more = ", …" if len(names) > _MAX_NEAR else ""
    return ", ".join(names[:_MAX_NEAR]) + more


def _near_name(node: Node, reference: Reference, asked: Node) -> str:
    """Return a short name of the nearer end of a reference.

    asked: the node that was asked for; where it is a page, its title is not repeated.
    """
    if node.series:
        return node.number or ""
    if reference.near_page is None or node.kind == "page":
        return name_of(node)
    place = place_of(node, reference.near_page)
    return place.removeprefix(f"{asked.label} › ") if asked.kind == "page" else place


def _editions(line: ReferenceGroup, in_play: _InPlay, result: Refs) -> list[str]:
    """Return the editions in which references stand, in one text: those of the far end, of the near
    end, or of both with ` → ` in the direction of the references. None where all stand in the same
    edition, or some in none."""
    everywhere = all(each.editions or each.near_editions for each in line.references)
    if not (in_play.editions and everywhere):
        return []
    inward = line.first.inward
    wordings = _wordings(line, in_play, result)
    of_words = wordings[0].editions if wordings else line.editions
    far, near = _some(of_words), _some(line.near_editions)
    if not near:
        return [far] if far else []
    if not far:
        return [f"→ edition {near}" if inward else near]
    return [f"{far} → {near}" if inward else f"{near} → {far}"]


def _some(editions: Sequence[str]) -> str:
    """Return editions with commas; of more than six the last, which are the newest, behind `…,
    `."""
    more_before = "…, " if len(editions) > _MAX_EDITIONS else ""
    return more_before + ", ".join(editions[-_MAX_EDITIONS:])


def _reasons(references: Iterable[Reference]) -> list[str]:
    """Return why targets of edges are not loaded; those for the same reason in one text, in the
    order of the first references. None if all are loaded."""
    labels: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for reference in references:
        edge = reference.edge
        if edge.reason:
            before, named, after = edge.reason.partition(edge.target_label)
            labels[before if named else f"{before}: ", after].setdefault(edge.target_label)
    return [_reason(list(of_reason), *words) for words, of_reason in labels.items()]


def _reason(labels: Sequence[str], before: str, after: str) -> str:
    """Return a reason that several targets share as one sentence, in the plural (`rules … are`); of
    more than 12 targets it names the first ones and how many more there are.

    labels: of the targets, one or more. before, after: the words of the reason around one label.
    """
    if len(labels) == 1:
        return f"{before}{labels[0]}{after}"
    rest = len(labels) - _MAX_NOT_LOADED
    shown = [*labels[:_MAX_NOT_LOADED], *([f"{rest:,} more"] if rest > 0 else [])]
    if before.endswith("rule "):
        before, after = f"{before[:-1]}s ", after.replace(" is ", " are ", 1)
    return f"{before}{_listed(shown)}{after}"


def _remarks(edge: Edge) -> list[str]:
    """Return what else is known of an edge, a text each: how it cites (but not `see`), the relation
    of concepts, what it rests on or how its name was proposed, the heading that is there, and
    whether a heading tells the edition."""
    details = edge.details or {}
    remarks = [details.get(name) for name in ("how", "relation")]
    if edge.is_proposed:
        remarks.append(how_proposed(edge))
    elif edge.kind != "translates":  # that their numbers are the same is seen
        remarks.append(details.get("basis"))
    remarks += [f"headed {details['headed']} there"] if "headed" in details else []
    remarks += ["edition by its heading"] if "edition_by" in details else []
    return [remark for remark in remarks if remark and remark != "see"]


def _print_left_out(result: Refs) -> None:
    """Print how many edges were left out because they say nothing new: parts and quotations,
    references to itself, mentions that are links too; and how to see them. Nothing if none were."""
    edges = result.self_references()
    contained = sum(edge.kind in ("part_of", "quotes") for edge in edges)
    own = len(edges) - contained
    left_out = [f"parts and quotations of it ({contained:,})"] * bool(contained)
    left_out += [f"references to itself ({own:,})"] * bool(own)
    links = result.linked_mentions()
    left_out += [f"mentions that are links ({links:,})"] * bool(links)
    if left_out:
        echo(dim(f"Left out: {_listed(left_out)}"), command=command_with(everything=True))


_SHORT_TEXT = 40  # columns of a passage that is shown whole, by hand: half a line, as headings are
_CONTAINMENT = ("part_of", "quotes")  # their words are the whole passage


def print_paths(result: Paths, base: KnowledgeBase, start: str, end: str) -> None:
    """Print each path as its nodes with what connects them, the cheapest path first; if there is
    none, a message on standard error.

    base: the knowledge base that was asked, for the texts around the words of edges.
    start, end: the references that were given, as the person typed them.
    """
    from kb import Node

    if not result.paths:
        echo(f"No path from {start} to {end}.", err=True)
    if result.paths and not any(result.costs):
        _print_same(result, start, end)
        return
    nodes = {step.id: step for path in result.paths for step in path if isinstance(step, Node)}
    fields = (result.paths, result.costs, result.editions, result.languages, result.lists)
    for rank, (path, cost, editions, languages, shared) in enumerate(zip(*fields, strict=True), 1):
        if rank > 1:
            echo()
        in_list = f"; {only_shared(shared.kind)}" if shared else ""
        echo(bold(f"{rank}. {counted(len(path) // 2, 'step')}"), dim(f"  cost {cost}{in_list}"))
        last = ""
        of_nodes = zip(editions, languages, strict=True)
        for step in path:
            if isinstance(step, Node):
                _print_node(step, *next(of_nodes), result)
                last = step.id
            else:
                _print_edge(step, last, nodes, holding_node(step, nodes, base))
    end_of_result(
        cut=result.more,
        left_out=result.also,
        notices=(node.notice for node in nodes.values()),
    )


def _print_same(result: Paths, start: str, end: str) -> None:
    """Print that both references name the same, and what this is."""
    echo(bold(f"{start} and {end} are names of the same thing."))
    from kb import Node

    nodes = [step for path in result.paths for step in path if isinstance(step, Node)]
    for node, editions, languages in zip(nodes, result.editions, result.languages, strict=True):
        _print_node(node, editions[0], languages[0], result)
    end_of_result(
        cut=result.more,
        left_out=result.also,
        notices=(node.notice for node in nodes),
    )


def _print_node(
    node: Node, editions: Sequence[str], languages: Sequence[str], result: Paths
) -> None:
    """Print a node's name and where it is from, with the editions and languages in which it is on
    the path."""
    page = result.page_of(node)
    name = place_of(node, page) if page else name_of(node)
    noun = "edition" if len(editions) == 1 else "editions"
    of_editions = f"{noun} {', '.join(editions)}" if editions else None
    facts = dotted(node.kind, node.game, ", ".join(languages), of_editions)
    if node.kind == "passage" and node.text and cell_width(node.text) <= _SHORT_TEXT:
        name += f": {node.text}"  # a heading, or the head of an entry
    echo(bold(name), "  ", dim(facts), indent=3, hang=4)


def _print_edge(edge: Edge, last: str, nodes: Mapping[str, Node], source: Node | None) -> None:
    """Print what connects a node with the one below, the words that it rests on, and why a rule
    cites one of another language.

    last: the id of the node above, which is the edge's source or its target.
    nodes: both nodes, by id.
    source: the node whose text holds the words.
    """
    forward = edge.source == last
    words: list[Part] = [] if edge.kind in _CONTAINMENT else words_in_context(edge, source)
    verb = VERBS[edge.kind][0 if forward else 1]
    parts: list[Part] = ["  ", *words] if words else []
    if edge.is_proposed:
        parts.append(dim(f" ({how_proposed(edge)})"))
    if why := _why_other_language(edge, nodes):
        parts.append(dim(f" ({why})"))
    echo(dim(f"↓ {verb}"), *parts, indent=5, hang=4)


def _why_other_language(edge: Edge, nodes: Mapping[str, Node]) -> str:
    """Return why a rule cites a rule in another language: `121.4 in ja is not loaded`; empty if it
    does not.

    nodes: the ends of the edge, by id.
    """
    citing, cited = nodes[edge.source], nodes[edge.target or edge.source]
    if edge.kind != "cites" or citing.lang == cited.lang or not (citing.lang and cited.lang):
        return ""
    return f"{cited.number} in {citing.lang} is not loaded"


_NOTHING = {
    "cited": "No citations of such nodes.",
    "mentioned": "No mentions of such nodes.",
    "linked": "No links to such nodes.",
}


def print_top(result: Top) -> None:
    """Print a table of the nodes in their order, the greatest count first: rank, count, name and
    origin; if there is none, a message on standard error."""
    if not result.nodes:
        echo(_NOTHING[result.by], err=True)
    nodes = [ranked.node for ranked in result.nodes]
    origins = [dotted(node.kind, node.game, node.lang, node.edition) for node in nodes]
    room = text_width() - max(map(len, origins), default=0) - len("100  100,000    ")
    rows: list[list[Part]] = []
    for rank, (ranked, origin) in enumerate(zip(result.nodes, origins, strict=True), 1):
        heading = result.headings.get(ranked.node.id)
        name = name_of(ranked.node) + (f" ({heading})" if heading else "")
        rows.append([dim(str(rank)), f"{ranked.count:,}", bold(shortened(name, room)), dim(origin)])
    if rows:
        print_table(("", result.by, "", ""), rows, right=(0, 1))
    end_of_result(
        cut=result.more,
        left_out=result.also,
        notices=(ranked.node.notice for ranked in result.nodes),
    )
