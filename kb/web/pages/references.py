"""The pages about references (refs, paths, most cited, pictures), and about terms in games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

import kb
from kb.web.addresses import node_address, question_address
from kb.web.base_counts import loaded
from kb.web.examples import Examples
from kb.web.request_and_reply import NOTHING_ELSE, Reply, Visit


def compare(visit: Visit) -> Reply:
    """Return terms beside the terms of other games that are the same concept; without `ref` the
    form, with an example and without JSON.

    Parameters: `ref` (several), `game`.
    """
    refs = visit.references("ref")
    values: dict[str, Any] = {"refs": refs, "found": None}
    if not refs:
        example = Examples(visit.base, visit.interface).compared
        return Reply("compare.html", values | {"example": example})
    found = visit.base.compare(*refs, **visit.filters("game"))
    terms = {row.term.id: row.term for row in found.rows}
    defined = {row.term.id for row in found.rows if row.definition is not None}
    # Terms of which one lacks a definition were not compared: that is said, not that they differ.
    uncompared = [
        each
        for each in found.not_joined
        if not defined.issuperset(each.terms)
        and len({terms[term].game for term in each.terms if term in terms}) > 1
    ]
    said = {term for each in uncompared for term in each.terms}
    rows = tuple(_in_own_language(visit, row) for row in found.rows)
    values |= {
        "found": replace(found, rows=rows),
        "terms": terms,
        "uncompared": uncompared,
        "alone": [term for term in found.alone if term not in said],
    }
    return Reply("compare.html", values, found.as_json, table=found.table)


def _in_own_language(visit: Visit, row: kb.ComparisonRow) -> kb.ComparisonRow:
    """Return the row of a term with its definition in the language of the explorer, if it has one
    in that."""
    own = visit.base.preview(row.term.id, lang=visit.interface.lang).definition
    if own is None or own.lang != visit.interface.lang:
        return row
    return replace(
        row,
        term=replace(row.term, lang=own.lang),
        definition=own.evidence.text,
        evidence=own.evidence,
        edition=own.edition,
        page=own.page,
        url=own.url,
    )


def rulings(visit: Visit) -> Reply:
    """Return the rulings on a term, card, rule or page; without `ref` the form, with an example and
    without JSON. Parameters: `ref`, `most`, and filters."""
    ref = visit.reference("ref")
    values: dict[str, Any] = {"ref": ref, "found": None, "most": 0}
    if not ref:
        return Reply(
            "rulings.html", values | {"example": Examples(visit.base, visit.interface).ruled}
        )
    most = visit.number("most", 20, 10_000)
    found = visit.base.rulings(ref, most=most, **visit.filters())
    return Reply(
        "rulings.html", values | {"found": found, "most": most}, found.as_json, table=found.table
    )


def steps(visit: Visit) -> Reply:
    """Return the procedures of a term; without `ref` the form, with examples and without JSON.
    Parameters: `ref`, and filters."""
    ref = visit.reference("ref")
    values: dict[str, Any] = {"ref": ref, "procedures": None, "outcomes": None}
    if not ref:
        return Reply(
            "statements.html", values | {"examples": Examples(visit.base, visit.interface)}
        )
    found = visit.base.steps(ref, **visit.filters())
    return Reply(
        "statements.html", values | {"procedures": found}, found.as_json, table=found.table
    )


def outcomes(visit: Visit) -> Reply:
    """Return what happens to a term on which condition; without `ref` the form, with examples and
    without JSON. Parameters: `ref`, `most`, and filters."""
    ref = visit.reference("ref")
    values: dict[str, Any] = {"ref": ref, "procedures": None, "outcomes": None}
    if not ref:
        return Reply(
            "statements.html", values | {"examples": Examples(visit.base, visit.interface)}
        )
    found = visit.base.outcomes(ref, most=visit.number("most", 50, 10_000), **visit.filters())
    return Reply("statements.html", values | {"outcomes": found}, found.as_json, table=found.table)


_AT_ONCE = 100  # references on a page, by hand, as of changes between editions
# Edges that are read whole, so that what stands in several editions is one line, and lines are
# counted: by hand, a third of a second at most; of more, each part is put in lines by itself.
_MOST_IN_LINES = 4000
# Steps from a node, by hand: each step may multiply the edges, and a page has ten seconds; the
# command takes up to twenty.
_DEEPEST = 3
_MOST_PATHS = 100  # as the command takes
_KIND_BY_RANKING = {"cited": "cites", "mentioned": "mentions", "linked": "links_to"}


def refs(visit: Visit) -> Reply:
    """Return the references of a node, the nearest first, in parts if there are many; without `ref`
    the form, with an example and without JSON.

    Parameters: `ref`, `direction`, `kind` (several), `with_parts`, `depth`, `most`, `after` (where
    the part before ended), and the filters of `KnowledgeBase.refs`.
    """
    ref = visit.reference("ref")
    direction = visit.choice("direction", kb.Direction, "both")
    values: dict[str, Any] = {"ref": ref, "direction": direction, "found": None}
    if not ref:
        example = Examples(visit.base, visit.interface).rule
        return Reply("refs.html", values | {"example": example})
    question: dict[str, Any] = {
        "direction": direction,
        "kinds": visit.texts("kind"),
        "depth": visit.number("depth", 1, _DEEPEST),
        "with_parts": visit.flag("with_parts"),
        "after": visit.text("after") or None,
        **visit.filters(),
    }
    found = visit.base.refs(ref, most=visit.number("most", _AT_ONCE, 500), **question)
    edges, whole = sum(number for _, _, number in found.asked_counts()), found
    if found.more and not visit.text("most") and edges <= _MOST_IN_LINES:
        whole = visit.base.refs(ref, **question)
    values |= {
        "found": whole,
        "lines": whole.groups(lang=visit.text("lang") or visit.interface.lang),
        "within": whole.groups_within() if question["with_parts"] else [],
    }
    if not whole.more:
        start, following = visit.part_of(len(values["lines"]), _AT_ONCE)
        values |= {"start": start, "next": following}
    return Reply("refs.html", values, found.as_json, table=whole.table)


def path(visit: Visit) -> Reply:
    """Return how two things are connected, as a picture, too, if they are; without `start` or `end`
    the form, with an example and without JSON.

    Parameters: `start`, `end`, `most`, and the filters of `KnowledgeBase.path`.
    """
    start, end = visit.reference("start"), visit.reference("end")
    values: dict[str, Any] = {"start": start, "end": end, "found": None}
    if not (start and end):
        example = Examples(visit.base, visit.interface).path
        return Reply("path.html", values | {"example": example})
    most = visit.number("most", 3, _MOST_PATHS)
    found = visit.base.path(start, end, most=most, **visit.filters())
    values |= {"found": found, "most": most, "wide": "", "narrow": ""}
    if found.paths:
        drawn, links, words = found.draw(), _links(visit), visit.picture_words()
        values |= {
            "wide": Markup(drawn.svg(links, standalone=False, words=words)),
            "narrow": Markup(drawn.svg(links, narrow=True, standalone=False, words=words)),
        }
    return Reply("path.html", values, found.as_json, table=found.table)


def top(visit: Visit) -> Reply:
    """Return what is cited, mentioned or linked most, fifty nodes unless `most` says otherwise.

    Parameters: `by`, `most`, `kind`, `under`, and the filters of `KnowledgeBase.top`.
    """
    by = visit.choice("by", kb.Ranking, "cited")
    kind = visit.text("kind") or None
    if kind is not None:
        kind = visit.choice("kind", kb.NodeKind, "rule")
    under = visit.text("under") or None
    most = visit.number("most", 50, 10_000)
    found = visit.base.top(by, most=most, kind=kind, under=under, **visit.filters())
    values = {"found": found, "by": by, "most": most, "kinds_by": _KIND_BY_RANKING}
    return Reply("top.html", values, found.as_json, table=found.table)


def draw(visit: Visit) -> Reply:
    """Return the picture of a node and what is around it; with status 404 if nothing is called so.
    Without `ref` it is the form, with an example and without JSON.

    Parameters: `ref`, `most`, `direction`, `kind` (several), and the filters of
    `KnowledgeBase.draw`.
    """
    ref = visit.reference("ref")
    values: dict[str, Any] = {"ref": ref, "node": None, "most": 0}
    if not ref:
        example = Examples(visit.base, visit.interface).rule
        return Reply("draw.html", values | {"example": example})
    most = visit.number("most", 24, 100, least=2)
    shown = visit.base.show(ref, **visit.filters())
    if not shown.matches:
        values = {"reason": shown.why_none, "near": shown.near, **NOTHING_ELSE}
        return Reply("error.html", values, shown.as_json, 404)
    node, others = _one_rule(visit, shown.matches)
    drawn = visit.base.draw(
        node if others else ref,
        most=most,
        direction=visit.choice("direction", kb.Direction, "both"),
        kinds=visit.texts("kind"),
        **visit.filters(),
    )
    links, words = _links(visit, "draw"), visit.picture_words()
    values |= {
        "node": node,
        "others": others,
        "most": most,
        "drawn": drawn,
        "wide": Markup(drawn.svg(links, standalone=False, words=words)),
        "narrow": Markup(drawn.svg(links, narrow=True, standalone=False, words=words)),
    }
    return Reply("draw.html", values, drawn.as_json)


def _one_rule(visit: Visit, named: Sequence[kb.Node]) -> tuple[kb.Node, list[kb.Node]]:
    """Return the node that a picture is of, and the others of which it might be.

    Of a number that several rules have, in other languages, editions and games, it is the rule in
    the language of the explorer, of a rulebook that is loaded whole, and of the newest edition;
    the others are the newest in each other language and game, and the other editions in its own.

    named: what the reference names, the likeliest first; the others are empty if these are not
        rules alone.
    """
    if len(named) == 1 or any(node.kind != "rule" for node in named):
        return named[0], []
    books = loaded(visit.base).rulebooks
    whole = {(book.game, book.edition, book.lang) for book in books if book.whole}
    ordered = sorted(named, key=lambda node: kb.edition_key(node.edition), reverse=True)
    ordered.sort(key=lambda node: (node.game, node.edition, node.lang) not in whole)
    ordered.sort(key=lambda node: node.lang != visit.interface.lang)
    ordered.sort(key=lambda node: node.game != named[0].game)
    first = ordered[0]
    newest: dict[tuple[str | None, str | None], kb.Node] = {}
    for node in ordered:
        newest.setdefault((node.game, node.lang), node)
    same_book = [node for node in ordered if (node.game, node.lang) == (first.game, first.lang)]
    return first, [*same_book[1:], *[*newest.values()][1:]]


def _links(visit: Visit, page: str = "") -> Callable[[str], str | None]:
    """Return a function from the id of a node to the address of its page, or of its `draw`; None
    for what is not loaded, whose id in a picture begins with `? `."""
    lang = visit.interface.lang

    def address(node_id: str) -> str | None:
        if node_id.startswith("? "):
            return None
        return question_address(lang, page, ref=node_id) if page else node_address(lang, node_id)

    return address
