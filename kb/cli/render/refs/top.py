"""Prints what is cited, mentioned or linked most often, for `sansho top`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.cli.render.node_names import name_of
from kb.cli.render.output import (
    bold,
    dim,
    echo,
    end_of_result,
    print_table,
    shortened,
    text_width,
)

if TYPE_CHECKING:
    from kb import Node, Top
    from kb.cli.render.output import Part

_NOTHING = {
    "cited": "No citations of such nodes.",
    "mentioned": "No mentions of such nodes.",
    "linked": "No links to such nodes.",
}


def print_top(result: Top) -> None:
    """Print a table of the nodes: rank, count, name and origin; the greatest count first."""
    if not result.nodes:
        echo(_NOTHING[result.by], err=True)
    origins = [_origin(ranked.node) for ranked in result.nodes]
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


def _origin(node: Node) -> str:
    """Return a node's kind, game, language and edition."""
    return " · ".join(part for part in (node.kind, node.game, node.lang, node.edition) if part)
