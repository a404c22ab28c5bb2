"""Reads which rules are versions of one rule, what became of each, and how much of a book there is.

A build decides all of it (`kb.knowledge.rule_histories`); the tables are described in
`graphs.store.file.schema`.

It also reads rules as short rows: what stands above, below and beside a rule, without its labels;
and how the rules of an edition are nested and cite each other, as ids alone.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphs.sort_orders import edition_key
from graphs.store.file.connection import batches
from graphs.store.file.row_checks import (
    RowError,
    check_columns,
    check_one_of,
    of_file,
    parse_json,
    record,
)
from graphs.store.file.sql_views import PAGE_NAME, RULE_ID
from graphs.store.reader import Store

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
    return rules_above_each(store, [rule])[rule]


def rules_above_each(store: Store, rules: Iterable[str]) -> dict[str, list[RuleRow]]:
    """Return {id of a rule: the rules that it is part of}, each list as `rules_above` returns it;
    one query for each level."""
    above: dict[str, RuleRow] = {}
    asked = list(dict.fromkeys(rules))
    level, known = asked, set(asked)
    while level:
        for batch in batches(level):
            rows = store.db.execute(
                f"SELECT n.id, {_COLUMNS} FROM node n "
                "JOIN edge e ON e.source = n.key AND e.kind = 'part_of' "
                f"JOIN node r ON r.key = e.target AND r.kind {_NUMBERED} "
                f"WHERE n.id IN ({','.join('?' * len(batch))}) ORDER BY r.id",
                batch,
            )
            for rule, *row in rows:
                above.setdefault(rule, record(RuleRow, row))
        level = sorted({above[rule].id for rule in level if rule in above} - known)
        known.update(level)
    return {rule: _way_up(rule, above) for rule in asked}


def _way_up(rule: str, above: Mapping[str, RuleRow]) -> list[RuleRow]:
    """Return the rules on the way up from a rule, the outermost first."""
    found: list[RuleRow] = []
    seen = {rule}
    while (row := above.get(rule)) and row.id not in seen:  # a damaged file may go in circles
        rule = row.id
        seen.add(rule)
        found.append(row)
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
    return rules_beside_each(store, [rule]).get(rule, [])


def rules_beside_each(store: Store, rules: Iterable[str]) -> dict[str, list[RuleRow]]:
    """Return {id of a rule: the rules beside it}, each list as `rules_beside` returns it; rules
    that are part of nothing are left out."""
    found: dict[str, list[RuleRow]] = defaultdict(list)
    for batch in batches(dict.fromkeys(rules)):
        rows = store.db.execute(
            f"SELECT DISTINCT n.id, {_COLUMNS} FROM node n "
            "JOIN edge up ON up.source = n.key AND up.kind = 'part_of' "
            "JOIN edge down ON down.target = up.target AND down.kind = 'part_of' "
            f"JOIN node r ON r.key = down.source AND r.kind {_NUMBERED} "
            "AND r.edition IS n.edition AND r.lang IS n.lang "
            f"WHERE n.id IN ({','.join('?' * len(batch))})",
            batch,
        )
        for rule, *row in rows:
            found[rule].append(record(RuleRow, row))
    return found


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


_VERSION = (
    "SELECT n.id, r.id, n.edition, n.lang, n.number, v.change, b.id, b.edition, b.number, "
    "v.absent_in, f.id, f.number, v.gone, v.gone_in, i.id, i.number, v.grounds, v.sure "
    "FROM rule_version v JOIN node n ON n.key = v.node JOIN node r ON r.key = v.rule "
    "LEFT JOIN node b ON b.key = v.before LEFT JOIN node i ON i.key = v.merged_into "
    "LEFT JOIN node f ON f.key = v.split_from "
)
# All that `kb.rules` says of a version or of what became of it; validation refuses other words.
CHANGES = frozenset(
    "first added split same typographic renumbered examples changed moved moved+changed "
    "moved+renumbered removed merged".split()
) | {"not loaded"}
_STEP = (str | None, str | None, str, str | None, str, int | float)


@dataclass(frozen=True, slots=True)
class BookRow:
    """How much of an edition there is in a language.

    position: its place among the editions of the game, or of the document, from 0 on.
    rules, total: how many of its rules there are, and how many it has; None if nobody can say.
    whole: whether all of it is there, as far as that shows.
    """

    game: str
    edition: str
    lang: str
    position: int
    rules: int
    total: int | None
    whole: bool


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A rule in one edition and language.

    id, rule: its id, and that of the newest version of the same rule.
    change: what happened since the version before it in its language: a kind of change, `same`,
        `added`, `split`, or `first` if no earlier edition can tell.
    before, before_edition, before_number: that version; None for `added`, `split` and `first`.
    absent_in: of an added or split rule the newest earlier edition that is known to lack it.
    split_from, split_from_number: the rule there that a split one was part of.
    gone, gone_in: of the last version in its language, whether the rule was `removed` or `merged`
        since, and in which edition; None if it is not, or nobody can say.
    merged_into, merged_into_number: the rule that a merged one is in.
    grounds, sure: by what `before` was found to be the same rule, and how sure that is.
    """

    id: str
    rule: str
    edition: str
    lang: str
    number: str
    change: str
    before: str | None
    before_edition: str | None
    before_number: str | None
    absent_in: str | None
    split_from: str | None
    split_from_number: str | None
    gone: str | None
    gone_in: str | None
    merged_into: str | None
    merged_into_number: str | None
    grounds: str | None
    sure: float


@dataclass(frozen=True, slots=True)
class StepRow:
    """What became of a rule from one edition to another one: the fields of
    `kb.rules.versions_of_one_rule.Step`."""

    before: str | None
    after: str | None
    change: str
    into: str | None
    grounds: str
    sure: float


def book_rows(store: Store) -> list[BookRow]:
    """Return how much of each book there is, sorted by game, the oldest edition first, then by
    language."""
    rows = store.db.execute("SELECT * FROM book ORDER BY game, position, lang")
    with of_file(store.path):
        return [record(BookRow, row) for row in rows]


def rules_of(store: Store, nodes: Iterable[str]) -> dict[str, str]:
    """Return {id of a rule's version: id of the newest version of that rule}; ids of other nodes
    are left out."""
    query = (
        "SELECT n.id, r.id FROM node n JOIN rule_version v ON v.node = n.key "
        "JOIN node r ON r.key = v.rule WHERE n.id IN ({})"
    )
    return dict(_of_nodes(store, query, nodes, (str, str)))


def _of_nodes(
    store: Store, query: str, nodes: Iterable[str], columns: tuple[Any, ...], what: str = "rules"
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query that asks for some nodes by their ids, 400 at a time: these stand
    at its `{}`. columns, what: as for `check_columns`."""
    for batch in batches(sorted(set(nodes))):
        rows = store.db.execute(query.format(",".join("?" * len(batch))), batch)
        with of_file(store.path):
            yield from check_columns(rows, columns, what)


def versions_of(store: Store, nodes: Iterable[str]) -> list[VersionRow]:
    """Return all versions of the rules of which some nodes are versions, in no order."""
    found: dict[str, VersionRow] = {}
    for batch in batches(sorted(set(nodes))):
        marks = ",".join("?" * len(batch))
        where = (
            "WHERE v.rule IN (SELECT o.rule FROM node m JOIN rule_version o ON o.node = m.key "
            f"WHERE m.id IN ({marks}))"
        )
        found.update((row.id, row) for row in _versions(store, where, batch))
    return list(found.values())


def versions_with_number(
    store: Store, game: str, lang: str, number: str, exactly: bool = False
) -> list[VersionRow]:
    """Return the versions in a language whose numbers begin with some characters (`12`: also
    `120.1`), or are exactly these, in no order."""
    where = "WHERE n.number >= ? AND n.number <= ? AND n.game = ? AND n.lang = ?"
    last = number if exactly else f"{number}\U0010ffff"
    return list(_versions(store, where, (number, last, game, lang)))


def _versions(store: Store, where: str, values: Iterable[str]) -> Iterator[VersionRow]:
    rows = store.db.execute(_VERSION + where, tuple(values))
    with of_file(store.path):
        for row in rows:
            version = record(VersionRow, row)
            check_one_of(version.change, CHANGES, "the change of a rule")
            check_one_of(version.gone or "removed", CHANGES, "the change of a rule")
            yield version


def merged_into(store: Store, nodes: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return {id of a version: {id of the last version of a rule that was merged into it: its
    number}}, sorted by these ids; versions into which none were are left out."""
    return _naming(store, "merged_into", nodes)


def split_from(store: Store, nodes: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return {id of a version: {id of a rule that was split from it: the number that it got}},
    sorted by these ids; versions from which none were are left out."""
    return _naming(store, "split_from", nodes)


def _naming(store: Store, column: str, nodes: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return {id of a version: {id: number} of the versions that name it in a column}, sorted by
    the ids of these."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    query = (
        f"SELECT i.id, n.id, n.number FROM node i CROSS JOIN rule_version v ON v.{column} = i.key "
        "JOIN node n ON n.key = v.node WHERE i.id IN ({}) ORDER BY n.id"
    )
    for node, other, number in _of_nodes(store, query, nodes, (str, str, str)):
        found[node][other] = number
    return found


def matched_numbers(
    store: Store, game: str, lang: str, before: str, after: str, other_lang: str | None = None
) -> dict[str, str]:
    """Return {number in an edition: number in another one} of the rules of which both have a
    version, in a language.

    other_lang: of the other edition; None for the same.
    """
    rows = store.db.execute(
        "SELECT a.number, b.number FROM node a CROSS JOIN rule_version v ON v.node = a.key "
        "CROSS JOIN rule_version w ON w.rule = v.rule CROSS JOIN node b ON b.key = w.node "
        "WHERE a.kind IN ('rule', 'document') AND a.game = ? AND a.lang = ? AND a.edition = ? "
        "AND b.lang = ? AND b.edition = ?",
        (game, lang, before, other_lang or lang, after),
    )
    with of_file(store.path):
        return dict(check_columns(rows, (str, str), "rules"))


def translated_numbers(
    store: Store, game: str, edition: str, lang: str, other: str, other_edition: str | None = None
) -> dict[str, tuple[str, bool]]:
    """Return {number of a rule in a language: (its number in another one, whether that is sure)} of
    the rules of an edition of which a build found that they translate each other; if a rule has
    several translations, one of them.

    other_edition: of the other language, as `translated_editions` returns it; None for the same.
    """
    rows = store.db.execute(
        _both_ways("a.number, b.number, coalesce(json_extract(e.details, '$.sure'), 1)")
        .format("AND a.edition = ?4 AND b.edition = ?5"),
        (game, lang, other, edition, other_edition or edition),
    )  # fmt: skip
    with of_file(store.path):
        columns = check_columns(rows, (str, str, int), "translations")
        return {number: (there, bool(is_sure)) for number, there, is_sure in columns}


def translations_of(store: Store, rules: Iterable[str], lang: str) -> dict[str, str]:
    """Return {id of a rule: id of its translation in a language} of those that a build found to
    have one, by id; if a rule has several, one of them.

    rules: ids, in any order; a rule that is not there has no translation.
    """
    ends = ("source", "target"), ("target", "source")
    query = " UNION ALL ".join(
        f"SELECT a.id, b.id FROM json_each(?1) g CROSS JOIN node a ON a.id = g.value "
        f"CROSS JOIN edge e ON e.{here} = a.key AND e.kind = 'translates' "
        f"CROSS JOIN node b ON b.key = e.{there} WHERE b.kind = 'rule' AND b.lang = ?2"
        for here, there in ends
    )
    found: dict[str, str] = {}
    for batch in batches(sorted(set(rules))):
        with of_file(store.path):
            rows = store.db.execute(query, (json.dumps(batch), lang))
            found.update(check_columns(rows, (str, str), "translations"))
    return found


def translated_editions(store: Store, game: str, lang: str, other: str) -> dict[str, str]:
    """Return {edition that is there in a language: the edition in another language that a build
    found to have its rules}: the same, or of those of near dates the one with most of them."""
    rows = store.db.execute(
        f"SELECT edition, there, count(*) FROM "
        f"({_both_ways('a.edition, b.edition AS there').format('')}) GROUP BY edition, there",
        (game, lang, other),
    )
    with of_file(store.path):
        found = list(check_columns(rows, (str, str, int), "translations"))
    found.sort(key=lambda row: (row[0] == row[1], row[2], edition_key(row[1])))
    return {edition: there for edition, there, _ in found}  # the last of each counts


def _both_ways(columns: str) -> str:
    """Return a query of the rules `a` in a language and `b` in another one that translate each
    other, whichever of the two the edge begins at; with a place for more conditions."""
    # CROSS JOIN: from the rules of the edition to their edges, not through all edges.
    from_end = (
        f"SELECT {columns} FROM node a CROSS JOIN edge e ON e.{{here}} = a.key "
        "CROSS JOIN node b ON b.key = e.{there} WHERE a.kind = 'rule' AND a.game = ?1 "
        "AND a.lang = ?2 AND e.kind = 'translates' AND b.kind = 'rule' AND b.lang = ?3 {{0}}"
    )
    ends = ("source", "target"), ("target", "source")
    return " UNION ALL ".join(from_end.format(here=here, there=there) for here, there in ends)


class Citing(NamedTuple):
    """What cites a rule, once for each version that is cited and each place.

    rule: the key of the newest version of the cited rule; version: that of the cited one.
    citing: the key of the newest version of the rule that cites; None if no rule does.
    page: the key of the page that it stands on.
    passage: the id of the passage, if no rule cites and it stands in a rulebook; else None.
    """

    rule: int
    version: int
    citing: int | None
    page: int
    passage: str | None


def citations_of_rules(store: Store, rulebook: str) -> Iterator[Citing]:
    """Yield all that cites rules, in no order.

    rulebook: the source of the pages of rulebooks.
    """
    rows = store.db.execute(
        "SELECT w.rule, e.target, v.rule, p.page, "
        "iif(v.rule IS NULL AND g.source IS ?1, p.id, NULL) "
        "FROM edge e CROSS JOIN rule_version w ON w.node = e.target "
        "LEFT JOIN rule_version v ON v.node = e.source JOIN node p ON p.key = e.passage "
        "JOIN node g ON g.key = p.page WHERE e.kind = 'cites'",
        (rulebook,),
    )
    columns = (int, int, int | None, int, str | None)
    with of_file(store.path):
        yield from map(Citing._make, check_columns(rows, columns, "citations"))


class StatementOnRule(NamedTuple):
    """What a page says of a rule: it cites it, or gives its words.

    kind: `cites` or `quotes`. source: the id of the node that says it.
    target: the id of the version that it is resolved to; wanted: of the one that it means, in which
        an edition that it doesn't name is `latest`.
    page, passage, text, start, end: where it says it; the text is the passage's, whole.
    source_kind, label: of the node that says it; lang, title, url: of the page, as far as known.
    target_source: the source of the page that gives the version; None if none does.
    """

    kind: str
    source: str
    target: str
    wanted: str
    page: str
    passage: str
    text: str
    start: int
    end: int
    source_kind: str
    label: str | None
    lang: str | None
    title: str | None
    url: str | None
    target_source: str | None


_STATEMENTS = (
    "SELECT * FROM (SELECT e.kind, a.id, b.id, w.id, g.id, p.id AS passage, "
    "coalesce(p.text, ''), e.start, coalesce(e.\"end\", length(p.text), 0), "
    f"a.kind, a.label, g.lang, {PAGE_NAME.format('g')}, g.url, b.source, p.key AS place "
    "FROM node b CROSS JOIN edge e ON e.target = b.key "
    "AND e.kind IN ('cites', 'quotes') JOIN node a ON a.key = e.source "
    "JOIN node w ON w.key = e.wanted JOIN node p ON p.key = e.passage "
    "JOIN node g ON g.key = p.page WHERE {rules} AND g.source IS NOT ?1 "
    "UNION ALL SELECT 'quotes', p.id, b.id, b.id, g.id, p.id, coalesce(p.text, ''), 0, "
    "coalesce(length(p.text), 0), p.kind, NULL, g.lang, "
    f"{PAGE_NAME.format('g')}, g.url, b.source, p.key "
    "FROM node b CROSS JOIN node p ON p.gives_rule = b.key JOIN node g ON g.key = p.page "
    "WHERE {rules} AND g.source IS NOT ?1) ORDER BY 5, place, 8, 3"
)
_STATEMENT_COLUMNS = (
    *(str,) * 7, int, int, str, *(str | None,) * 5, int,
)  # fmt: skip


def statements_on_rules(store: Store, game: str, rulebook: str) -> Iterator[StatementOnRule]:
    """Yield what pages say of a game's rules, by page, in the order of the passages; not what the
    rules' own books say of each other.

    rulebook: the source of the pages of rulebooks.
    """
    return _statements(store, "b.kind = 'rule' AND b.game = ?2", (rulebook, game))


def statements_on(
    store: Store, rules: Iterable[str], rulebook: str
) -> Iterator[tuple[str, StatementOnRule]]:
    """Yield (rule, statement) of what `statements_on_rules` yields of some rules, in any of their
    versions: one query for 400 rules. The rule is the one of the given ids that it speaks of; of
    two versions of one rule, both.

    rules: ids of versions. rulebook: the source of the pages of rulebooks.
    """
    for batch in batches(sorted(set(rules))):
        marks = ",".join(f"?{n}" for n in range(2, len(batch) + 2))
        of_rules = (
            "b.key IN (SELECT v.node FROM node m JOIN rule_version o ON o.node = m.key "
            f"JOIN rule_version v ON v.rule = o.rule WHERE m.id IN ({marks}))"
        )
        found = list(_statements(store, of_rules, (rulebook, *batch)))
        newest = rules_of(store, {*batch, *(each.target for each in found)}) if found else {}
        asked: dict[str, list[str]] = defaultdict(list)
        for rule in batch:
            asked[newest.get(rule, rule)].append(rule)
        for each in found:
            yield from ((rule, each) for rule in asked[newest[each.target]])


def _statements(store: Store, rules: str, values: tuple[str, ...]) -> Iterator[StatementOnRule]:
    rows = store.db.execute(_STATEMENTS.format(rules=rules), values)
    with of_file(store.path):
        for row in check_columns(rows, _STATEMENT_COLUMNS, "statements"):
            yield StatementOnRule(*row[:-1])


def glossary_of(
    store: Store, source: str, game: str, edition: str, lang: str
) -> list[tuple[str, str, str, str]]:
    """Return (id of a term, headword, text, id of the passage) of the entries in the glossary of an
    edition, in its order; an entry of several paragraphs is as many rows.

    source: of the pages of rulebooks.
    """
    pages = store.db.execute(
        "SELECT key, id FROM node WHERE kind = 'page' AND source = ? AND game = ? AND edition = ? "
        "AND lang = ? ORDER BY id",
        (source, game, edition, lang),
    )
    found: list[tuple[str, str, str, str]] = []
    for key, page in pages.fetchall():
        # By the ids of a page's passages, which all begin with its own.
        rows = store.db.execute(
            "SELECT t.id, e.label, coalesce(p.text, ''), p.id FROM node p CROSS JOIN edge e "
            "ON e.source = p.key AND e.kind = 'defines' JOIN node t ON t.key = e.target "
            "WHERE p.id >= ? AND p.id < ? AND p.page = ? AND p.gives_rule IS NULL ORDER BY p.key",
            (page, f"{page}\U0010ffff", key),
        )
        with of_file(store.path):
            found += check_columns(rows, (str, str, str, str), "a glossary")
    return found


class UnsureRow(NamedTuple):
    """Two versions that were matched: the ids of the rule by each, their texts, and on what grounds
    and how sure that is."""

    game: str
    lang: str
    before: str
    after: str
    before_text: str
    after_text: str
    change: str
    grounds: str
    sure: float


def unsure_versions(
    store: Store, sure: float, game: str | None, edition: str | None, lang: str | None
) -> list[UnsureRow]:
    """Return the matches that are less sure than a number, the least sure first.

    game, edition, lang: of the newer version; None for all.
    """
    rows = store.db.execute(
        f"SELECT n.game, n.lang, {RULE_ID.format('b')}, {RULE_ID.format('n')}, "
        "coalesce(b.text, ''), coalesce(n.text, ''), v.change, coalesce(v.grounds, ''), v.sure "
        "FROM rule_version v JOIN node n ON n.key = v.node JOIN node b ON b.key = v.before "
        "WHERE v.sure < ?1 AND (?2 IS NULL OR n.game = ?2) AND (?3 IS NULL OR n.edition = ?3) "
        "AND (?4 IS NULL OR n.lang = ?4) ORDER BY v.sure, n.id",
        (sure, game, edition, lang),
    )
    columns = (str, str, str, str, str, str, str, str, int | float)
    with of_file(store.path):
        return list(map(UnsureRow._make, check_columns(rows, columns, "rule_version")))


class VersionOfRule(NamedTuple):
    """A version of a rule for a graph of rules: the key of its node, the id of its rule, whether it
    is the newest one, which names the rule, and what the node says."""

    key: int
    rule: str
    is_newest: int
    kind: str
    game: str
    edition: str
    lang: str
    number: str
    label: str | None
    text: str | None


def all_versions(store: Store, game: str | None) -> list[VersionOfRule]:
    """Return all versions of the rules of a game, or of all games, by edition, language and number
    (as a text); only those of the newest versions have a text."""
    rows = store.db.execute(
        f"SELECT v.node, {RULE_ID.format('r')}, v.node = v.rule, n.kind, n.game, n.edition, "
        "n.lang, n.number, n.label, iif(v.node = v.rule, n.text, NULL) FROM rule_version v "
        "JOIN node n ON n.key = v.node JOIN node r ON r.key = v.rule "
        "WHERE ?1 IS NULL OR n.game = ?1",
        (game,),
    )
    columns = (int, str, int, str, str, str, str, str, str | None, str | None)
    with of_file(store.path):
        found = list(map(VersionOfRule._make, check_columns(rows, columns, "rule_version")))
    return sorted(found, key=lambda row: (edition_key(row.edition), row.lang, row.number))


def edges_between_versions(store: Store) -> Iterator[tuple[str, int, int]]:
    """Yield (kind, key of the source, key of the target) of the edges `cites` and `part_of` between
    versions of rules, in no order."""
    rows = store.db.execute(
        "SELECT e.kind, e.source, e.target FROM rule_version v CROSS JOIN edge e "
        "ON e.source = v.node AND e.kind IN ('cites', 'part_of') "
        "JOIN rule_version w ON w.node = e.target"
    )
    with of_file(store.path):
        yield from check_columns(rows, (str, int, int), "edges of rules")


def texts_of(store: Store, nodes: Iterable[str]) -> dict[str, str]:
    """Return {id: text} of some nodes; the text is empty where a node has none, and unknown ids are
    left out."""
    query = "SELECT id, coalesce(text, '') FROM node WHERE id IN ({})"
    return dict(_of_nodes(store, query, nodes, (str, str), "texts"))


def steps_between(
    store: Store, game: str, lang: str, before: str, after: str
) -> list[StepRow] | None:
    """Return what became of the rules from one edition to another, in the order of the numbers;
    None if a build did not align these two."""
    row = store.db.execute(
        "SELECT steps FROM book_steps WHERE game = ? AND lang = ? AND before = ? AND after = ?",
        (game, lang, before, after),
    ).fetchone()
    if row is None:
        return None
    with of_file(store.path):
        steps = parse_json(row[0], "steps")
        if not isinstance(steps, list) or any(not isinstance(step, list) for step in steps):
            raise RowError("steps are no list of lists")
        return [StepRow(*step) for step in check_columns(map(tuple, steps), _STEP, "steps")]
