"""Reads how the rules of one edition are nested, and which cite which, as ids alone."""

from __future__ import annotations

from graphs.store.reader import Store
from graphs.store.row_checks import check_columns, of_file

_OF_EDITION = "a.kind = 'rule' AND a.game = ? AND a.edition = ? AND a.lang = ?"


def rule_parents(store: Store, game: str, edition: str, lang: str) -> dict[str, str | None]:
    """Return {id of a rule: id of the rule that it is part of, None if of none} for the rules of an
    edition in a language. If it is part of several, the first by id."""
    rows = store.db.execute(
        "SELECT a.id, min(b.id) FROM node a LEFT JOIN (edge e JOIN node b ON b.key = e.target "
        "AND b.kind = 'rule') ON e.source = a.key AND e.kind = 'part_of' "
        f"WHERE {_OF_EDITION} GROUP BY a.id",
        (game, edition, lang),
    )
    with of_file(store.path):
        return dict(check_columns(rows, (str, str | None), "rules"))


def rule_citations(
    store: Store, game: str, edition: str, lang: str
) -> list[tuple[str, str | None, int]]:
    """Return (id of a rule, id of what it cites, 1) for the rules of an edition in a language,
    sorted, each two once, however often the one cites the other. Of what is not loaded the id is
    None and the number says how many different things that is."""
    rows = store.db.execute(
        "SELECT a.id, b.id, count(DISTINCT coalesce(e.target, e.wanted)) "
        "FROM node a CROSS JOIN edge e ON e.source = a.key "
        f"AND e.kind = 'cites' LEFT JOIN node b ON b.key = e.target WHERE {_OF_EDITION} "
        "GROUP BY 1, 2 ORDER BY 1, 2",
        (game, edition, lang),
    )
    with of_file(store.path):
        return list(check_columns(rows, (str, str | None, int), "citations"))
