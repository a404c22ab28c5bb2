"""Reads rules as short rows: what stands above, below and beside a rule, without its labels; and
how the rules of an edition are nested and cite each other, as ids alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from graphs.store.file.row_checks import check_columns, of_file, record
from graphs.store.reader import Store
from graphs.store.sql_batches import batches

_COLUMNS = "r.id, r.number, r.label, r.text"
_NUMBERED = "IN ('rule', 'document')"
_OF_EDITION = f"a.kind {_NUMBERED} AND a.game = ? AND a.edition = ? AND a.lang = ?"


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule: its id, number, heading and text; a heading or text that it lacks is None."""

    id: str
    number: str
    label: str | None
    text: str | None


def rules_above(store: Store, rule: str) -> list[RuleRow]:
    """Return the rules that a rule is part of, the outermost first, without itself; empty for an
    unknown id. If one is part of several, the first by id is taken."""
    found: list[RuleRow] = []
    seen = {rule}
    while row := store.db.execute(
        f"SELECT {_COLUMNS} FROM node n JOIN edge e ON e.source = n.key AND e.kind = 'part_of' "
        f"JOIN node r ON r.key = e.target AND r.kind {_NUMBERED} "
        "WHERE n.id = ? ORDER BY r.id LIMIT 1",
        (rule,),
    ).fetchone():
        rule = row[0]
        if rule in seen:  # a damaged file may go in circles
            break
        seen.add(rule)
        found.append(record(RuleRow, row))
    return found[::-1]


def rules_below(store: Store, rules: Iterable[str]) -> dict[str, list[RuleRow]]:
    """Return {id of a rule: its direct sub-rules}, in no order; rules without any are left out."""
    found: dict[str, list[RuleRow]] = defaultdict(list)
    for batch in batches(list(rules)):
        marks = ",".join("?" * len(batch))
        rows = store.db.execute(
            f"SELECT DISTINCT n.id, {_COLUMNS} FROM node n "
            "JOIN edge e ON e.target = n.key AND e.kind = 'part_of' "
            f"JOIN node r ON r.key = e.source AND r.kind {_NUMBERED} WHERE n.id IN ({marks})",
            batch,
        )
        for parent, *row in rows:
            found[parent].append(record(RuleRow, row))
    return dict(found)


def rules_beside(store: Store, rule: str) -> list[RuleRow]:
    """Return the rules of the same edition and language that are part of what a rule is part of,
    itself among them, in no order; empty for an unknown id."""
    rows = store.db.execute(
        f"SELECT DISTINCT {_COLUMNS} FROM node n "
        "JOIN edge up ON up.source = n.key AND up.kind = 'part_of' "
        "JOIN edge down ON down.target = up.target AND down.kind = 'part_of' "
        f"JOIN node r ON r.key = down.source AND r.kind {_NUMBERED} "
        "AND r.edition IS n.edition AND r.lang IS n.lang WHERE n.id = ?",
        (rule,),
    )
    return [record(RuleRow, row) for row in rows]


def rule_parents(store: Store, game: str, edition: str, lang: str) -> dict[str, str | None]:
    """Return {id of a rule: id of the rule that it is part of, None if of none} for the rules of an
    edition in a language. If it is part of several, the first by id."""
    rows = store.db.execute(
        "SELECT a.id, min(b.id) FROM node a LEFT JOIN (edge e JOIN node b ON b.key = e.target "
        f"AND b.kind {_NUMBERED}) ON e.source = a.key AND e.kind = 'part_of' "
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
