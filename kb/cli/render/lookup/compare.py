"""Prints one concept in several games, for `sansho compare`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kb.cli.render.lookup.show_term import print_definition_place
from kb.cli.render.node_names import name_of
from kb.cli.render.output import bold, counted, dim, echo, end_of_result, field, said

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
                elif edge.target is None:
                    relation = (edge.details or {}).get("relation", "")
                    missing = f"with {edge.target_label} as the page says; {edge.reason}"
                    field(relation, missing)
        above[row.term.id] = row
    _print_without_counterpart(result, above)
    end_of_result(
        sums=_sums(result, above),
        left_out=result.also,
        notices=(row.term.notice for row in result.rows),
    )


def _print_without_counterpart(result: Comparison, rows: Mapping[str, ComparisonRow]) -> None:
    """Print which terms that were asked about have no counterpart, and why those of one name are
    not taken for one concept."""
    apart = [terms for terms in result.not_joined if rows.keys() >= set(terms.terms)]
    same_name = {term for terms in apart for term in terms.terms}
    alone = [rows[term] for term in result.alone if term in rows]
    if apart or alone:
        echo()
    for terms in apart:
        games = {rows[term].game for term in terms.terms}
        names = _names([rows[term] for term in terms.terms])
        called = "" if len(games) == 1 else " have the same name, but are not joined"
        echo(f"{names}{called}: {said(terms.why)}.")
    games_asked = {row.game for row in alone}
    if alone and (len(games_asked) == 1 or not same_name.issuperset(r.term.id for r in alone)):
        echo(f"No other game has the same concept as {_names(alone)}.")


def _sums(result: Comparison, rows: Mapping[str, ComparisonRow]) -> str:
    """Return how many terms there are in how many games, and how they relate; empty for one."""
    if len(result.rows) < 2:
        return ""
    relations = [
        (edge.details or {}).get("relation", "")
        for edge in result.edges
        if edge.kind == "same_concept" and {edge.source, edge.target} <= rows.keys()
    ]
    kinds = [f"{relations.count(kind)} {kind}" for kind in dict.fromkeys(relations)]
    count = counted(len({row.game for row in result.rows}), "game")
    related = f": {', '.join(kinds)}" if kinds else ""
    return f"{counted(len(result.rows), 'term')} in {count}{related}"


def _print_row(row: ComparisonRow) -> None:
    heading = " / ".join(dict.fromkeys(filter(None, [row.ja, row.en])))
    heading = heading or row.term.label or row.term.id
    if heading == row.term.label:
        heading = name_of(row.term)
    echo(bold(heading), "  ", dim(" · ".join(filter(None, [row.game, row.term.id]))))
    for name in row.names:
        facts = [name.authority, "only proposed" if name.proposed else ""]
        if name.lang == "ja":
            basis = f", a {row.reading_basis}" if row.reading_basis else ""
            reading = row.reading or row.made_reading
            facts.insert(0, f"{reading}{basis}" if reading else "")
        field(name.lang, name.text, dim("  " + " · ".join(filter(None, facts))))
    if row.definition:
        for line in row.definition.splitlines():
            echo(line, indent=2, hang=0)
        print_definition_place(row.authority, row.url)
    elif row.term.text:
        echo(dim("no definition; its entry says: "), row.term.text, indent=2)
    else:
        echo(dim("no page defines it"), indent=2)


def _print_relation(edge: Edge, other: ComparisonRow) -> None:
    """Print that a term is the same concept as another one, and the reason."""
    details = edge.details or {}
    field(details.get("relation", ""), f"with {_names([other])}: {details.get('basis', '')}")


def _names(rows: Iterable[ComparisonRow]) -> str:
    """Return the names of terms, with the game behind those of each: `Draw, 引く (mtg) and ドロー
    (ygo)`; empty for none."""
    by_game: dict[str | None, list[str]] = {}
    for row in rows:
        by_game.setdefault(row.game, []).append(name_of(row.term))
    return " and ".join(f"{', '.join(names)} ({game})" for game, names in by_game.items())
