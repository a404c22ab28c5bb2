"""Prints one concept in several games, for `sansho compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.cli.render.output import bold, counted, dim, echo, end_of_result, field
from kb.cli.render.show_term import print_definition_place

if TYPE_CHECKING:
    from kb import Comparison, ComparisonRow, Edge


def print_comparison(result: Comparison) -> None:
    """Print a block for each term: its names, its definition and where that stands, and why it is
    the same concept as a term above it; then how many there are, and which of the terms that were
    asked about no other game has."""
    above: dict[str, ComparisonRow] = {}
    for row in result.rows:
        if above:
            echo()
        _print_row(row)
        for edge in result.edges:
            if edge.kind == "same_concept" and row.term.id in (edge.source, edge.target):
                other = above.get(edge.source) or above.get(edge.target or "")
                if other:
                    _print_relation(edge, other)
        above[row.term.id] = row
    if result.alone:
        names = ", ".join(_name(above[term]) for term in result.alone if term in above)
        echo()
        echo(f"No other game has the same concept as {names}.")
    sums = ""
    if len(result.rows) > len(result.alone):
        relations = [
            (edge.details or {}).get("relation", "")
            for edge in result.edges
            if edge.kind == "same_concept" and {edge.source, edge.target} <= above.keys()
        ]
        kinds = [f"{relations.count(kind)} {kind}" for kind in dict.fromkeys(relations)]
        count = counted(len({row.game for row in result.rows}), "game")
        sums = f"{counted(len(result.rows), 'term')} in {count}: {', '.join(kinds)}"
    end_of_result(sums=sums, left_out=result.also, notices=(row.term.notice for row in result.rows))


def _print_row(row: ComparisonRow) -> None:
    names = [name for name in (row.ja, row.reading, row.en) if name]
    heading = " / ".join(dict.fromkeys(names)) or row.term.label or row.term.id
    echo(bold(heading), "  ", dim(" · ".join(filter(None, [row.game, row.term.id]))))
    if row.definition:
        for line in row.definition.splitlines():
            echo(line, indent=2, hang=0)
        print_definition_place(row.page, row.edition, row.url)
    elif row.term.text:
        echo(dim("no definition; its entry says: "), row.term.text, indent=2)
    else:
        echo(dim("no page defines it"), indent=2)


def _print_relation(edge: Edge, other: ComparisonRow) -> None:
    """Print that a term is the same concept as another one, and the reason."""
    details = edge.details or {}
    field(details.get("relation", ""), f"with {_name(other)}: {details.get('basis', '')}")


def _name(row: ComparisonRow) -> str:
    return f"{row.term.label or row.term.id} ({row.game})"
