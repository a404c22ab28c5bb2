"""Reads a whole file and says what in it is not as sansho writes it: every value, not every word.

Look-ups check the rows that they read only as far as they use them. When one of them fails all the
same, this tells whether the file or the program is at fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from graphs.store.reader import Store
from graphs.store.row_checks import (
    EDGE_KINDS,
    NODE_KINDS,
    ROLES,
    RowError,
    check_one_of,
    parse_details,
    parse_json,
)

_TYPES = {"INTEGER": int, "TEXT": str, "BLOB": bytes}
# The columns that every node of a kind has a value in, besides `id`.
_ON_A_PAGE = ("page", "position")
_STATED = (*_ON_A_PAGE, "parent", "heading")
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "page": _ON_A_PAGE,
    "section": (*_ON_A_PAGE, "parent"),
    "passage": (*_ON_A_PAGE, "text", "section", "parent"),
    "ruling": _STATED,
    "procedure": _STATED,
    "step": _STATED,
    "outcome": (*_STATED, "details"),
    "rule": ("number",),
}
# The columns that hold the key of a node.
_KEYS = {
    "node": ("page", "section", "parent", "gives_rule", "heading"),
    "claim": ("node", "page"),
    "label": ("node", "page", "passage"),
    "edge": ("source", "wanted", "target", "passage"),
}
_ABOVE = (
    ("parent", "SELECT key, parent FROM node WHERE parent NOT NULL"),
    ("rule above", "SELECT source, target FROM edge WHERE kind = 'part_of' AND target NOT NULL"),
)
_MOST_ROWS_NAMED = 1_000
_LONGEST_ID = 60  # characters of it in a message


def faults(store: Store) -> Iterator[str]:
    """Yield what is wrong in a file, each in a few words; nothing if all is as sansho writes it.

    It takes a second or two for each 100 MB, and memory for the keys of the nodes.

    Raises StoreError where SQLite can't read the file.
    """
    store.begin_question()
    texts = _lengths_of_texts(store)
    for table in _own_tables(store):
        yield from _faults_in(store, table, texts)
    yield from _circles(store)
    for node_id, _ in store.db.execute(
        "SELECT id, count(*) FROM node GROUP BY id HAVING count(*) > 1 LIMIT 1"
    ):
        yield f"several nodes have the id {str(node_id)[:_LONGEST_ID]!r}"
    store.begin_question()
    for (what,) in store.db.execute("PRAGMA integrity_check(3)"):
        if what != "ok":
            yield str(what)


def first_fault(store: Store) -> str | None:
    """Return the first thing that is wrong in a file; None if nothing is. As `faults`."""
    return next(faults(store), None)


def _own_tables(store: Store) -> list[str]:
    """Return the names of the tables that are not SQLite's own."""
    return [
        name
        for (name,) in store.db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 "
            "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT GLOB 'search_*' "
            "AND name NOT GLOB 'name_gram_*'"
        )
    ]


def _lengths_of_texts(store: Store) -> dict[int, int]:
    """Return {key: number of characters of its text} of all nodes; 0 for those without text."""
    return dict(
        store.db.execute("SELECT key, iif(typeof(text) = 'text', length(text), 0) FROM node")
    )


def _faults_in(store: Store, table: str, texts: Mapping[int, int]) -> Iterator[str]:
    """Yield what is wrong in the rows of a table; of very many wrong rows the first."""
    columns = [
        (name, _TYPES[kind], bool(not_null or key))
        for _, name, kind, not_null, _, key in store.db.execute(f"PRAGMA table_info({table})")
    ]
    names = [name for name, _, _ in columns]
    allowed = [(kind,) if needed else (kind, type(None)) for _, kind, needed in columns]
    check = _CHECKS.get(table, _no_check)
    keys = [names.index(name) for name in _KEYS.get(table, ())]
    known: set[tuple[type, ...]] = set()
    wrong = 0
    for row in store.db.execute(f"SELECT * FROM {table}"):
        types = tuple(map(type, row))
        if types not in known:
            for name, kind, may_be in zip(names, types, allowed, strict=True):
                if kind not in may_be:
                    wrong += 1
                    yield f"{name} of a {table} is of a wrong type: {kind.__name__}"
                    break
            else:
                known.add(types)
        if types in known:
            try:
                for at in keys:
                    if row[at] is not None and row[at] not in texts:
                        raise RowError(f"{names[at]} of a {table} leads nowhere")
                check(dict(zip(names, row, strict=True)), texts)
            except RowError as error:
                wrong += 1
                yield str(error)
        if wrong > _MOST_ROWS_NAMED:
            return


def _check_node(row: Mapping[str, Any], _: Mapping[int, int]) -> None:
    """Raise RowError unless a node has what its kind needs."""
    if row["kind"] is None:
        return
    check_one_of(row["kind"], NODE_KINDS, "a node")
    for column in _NEEDED.get(row["kind"], ()):
        if row[column] is None:
            raise RowError(f"a {row['kind']} lacks its {column}")
    parse_details(row["details"], "a node")


def _check_claim(row: Mapping[str, Any], _: Mapping[int, int]) -> None:
    check_one_of(row["kind"], NODE_KINDS, "a claim")
    parse_details(row["details"], "a claim")


def _check_label(row: Mapping[str, Any], _: Mapping[int, int]) -> None:
    for column in ("role", "original_role"):
        if row[column] is not None:
            check_one_of(row[column], ROLES, "a label")


def _check_edge(row: Mapping[str, Any], texts: Mapping[int, int]) -> None:
    """Raise RowError unless an edge is of a kind and rests on words that are there."""
    check_one_of(row["kind"], EDGE_KINDS, "an edge")
    if not 0 <= row["start"] <= row["end"] <= texts[row["passage"]]:
        raise RowError("an edge rests on words that are not there")
    parse_details(row["details"], "an edge")


def _check_capture(row: Mapping[str, Any], _: Mapping[int, int]) -> None:
    if row["chars"] < 0:
        raise RowError("a capture has less than no characters")


def _check_left_out(row: Mapping[str, Any], _: Mapping[int, int]) -> None:
    if row["chars"] < 0:
        raise RowError("less than no characters are left out")


def _check_meta(row: Mapping[str, Any], _: Mapping[int, int]) -> None:
    """Raise RowError unless the facts that are JSON are."""
    if row["key"] == "values":
        parse_details(row["value"], "the list of values")
    elif row["key"] == "built from":
        parse_json(row["value"], "the list of sources")


def _check_page_rows(row: Mapping[str, Any], _: Mapping[int, int]) -> None:
    if len(row["ranges"]) % 8 or len(row["ranges"]) < 9 * 8:
        raise RowError("the list of a page's rows is cut off")


def _no_check(_: Mapping[str, Any], __: Mapping[int, int]) -> None:
    return


_CHECKS: Mapping[str, Callable[[Mapping[str, Any], Mapping[int, int]], None]] = {
    "node": _check_node,
    "claim": _check_claim,
    "label": _check_label,
    "edge": _check_edge,
    "capture": _check_capture,
    "left_out": _check_left_out,
    "meta": _check_meta,
    "page_rows": _check_page_rows,
}


def _circles(store: Store) -> Iterator[str]:
    """Yield where nodes are above each other in a circle."""
    for what, query in _ABOVE:
        above = dict(store.db.execute(query))
        sound: set[int] = set()
        for node in above:
            chain: dict[int, None] = {}
            while node in above and node not in sound and node not in chain:
                chain[node] = None
                node = above[node]
            if node in chain:
                yield f"nodes whose {what} leads back to themselves"
                break
            sound.update(chain)
