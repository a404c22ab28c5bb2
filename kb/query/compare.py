"""One concept side by side, across games and sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from graphs.model import Edge, Evidence, Node
from graphs.store.reader import Store
from kb.query.graph_result import GraphResult
from kb.query.table_result import Table, TableResult, table_row

_OPENING = 4  # passages behind a title or heading in which a page says what it is about


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """A term of one game: its names, how the pages define it, with the words; how it relates to
    the term that was asked for (None for that one itself) and on what basis."""

    game: str | None
    term: Node
    ja: str | None
    reading: str | None
    en: str | None
    definition: str | None
    evidence: Evidence | None
    relation: str | None
    basis: str | None


@dataclass(frozen=True, slots=True)
class Comparison(TableResult, GraphResult):
    """The terms asked for, and those of other games that are the same concept; the edges that say
    so, those by which pages define them, and the nodes at their ends, by id."""

    rows: tuple[ComparisonRow, ...]
    edges: tuple[Edge, ...]
    nodes: Mapping[str, Node]

    def table(self) -> Table:
        """A row a term, with its names and definition, and how it relates to the one asked for."""
        return Table(
            tuple(
                table_row(
                    game=one.game,
                    ja=one.ja,
                    reading=one.reading,
                    en=one.en,
                    definition=one.definition,
                    relation=one.relation,
                    basis=one.basis,
                    term=one.term.id,
                    notice=one.term.notice,
                )
                for one in self.rows
            )
        )

    def as_json(self) -> dict[str, Any]:
        """As `sansho compare --json` prints it."""
        return {
            "rows": [
                {
                    "game": table_row.game,
                    "term": table_row.term.as_json(),
                    "ja": table_row.ja,
                    "reading": table_row.reading,
                    "en": table_row.en,
                    "definition": table_row.definition,
                    "evidence": asdict(table_row.evidence) if table_row.evidence else None,
                    "relation": table_row.relation,
                    "basis": table_row.basis,
                }
                for table_row in self.rows
            ]
        }

    def _nodes_and_edges(self) -> tuple[Iterable[Node], Iterable[Edge]]:
        return [*(one.term for one in self.rows), *self.nodes.values()], self.edges


def compare(store: Store, terms: Sequence[Node]) -> Comparison:
    """Rows for some terms and for all that are one concept with them, the exact ones first."""
    asked = {term.id: term for term in terms}
    same = store.edges(asked, kinds=["same_concept"])
    others: dict[str, Edge] = {}
    for edge in same:
        for end in (edge.source, edge.target):
            if end and end not in asked:
                others.setdefault(end, edge)
    nodes = store.get(others)
    rows = [_row(store, term, None) for term in asked.values()]
    related = [_row(store, nodes[key], edge) for key, edge in others.items() if key in nodes]
    related.sort(
        key=lambda table_row: (
            table_row.relation != "exact",
            table_row.game or "",
            table_row.term.id,
        )
    )
    rows += related
    defining = store.edges([table_row.term.id for table_row in rows], "in", ["defines"])
    nodes |= store.get(edge.source for edge in defining)
    return Comparison(tuple(rows), (*same, *defining), nodes)


def _row(store: Store, term: Node, edge: Edge | None) -> ComparisonRow:
    def called(lang: str) -> str | None:
        names = (n.text for n in term.labels if n.lang == lang and n.role != "reading")
        return next(names, None)

    evidence = _defined(store, term)
    details = (edge.details if edge else None) or {}
    return ComparisonRow(
        term.game,
        term,
        called("ja"),
        term.reading,
        called("en"),
        evidence.text if evidence else term.text,
        evidence,
        details.get("relation"),
        details.get("basis"),
    )


def _defined(store: Store, term: Node) -> Evidence | None:
    """The words that define a term: a passage that is said to, in Japanese before English; or
    the first of the term's own page that says anything."""
    edges = store.edges([term.id], "in", ["defines"])
    own = [edge for edge in edges if edge.source == edge.evidence.passage]
    pages = {edge.evidence.passage: edge.evidence.page for edge in edges if edge not in own}
    openings = store.passages.following(pages, _OPENING)
    passages = store.get(
        [*(p for behind in openings.values() for p in behind), *(edge.source for edge in own)]
    )
    for stated, behind in openings.items():
        for key in behind:
            text = passages[key].text or ""
            if "。" in text:
                return Evidence(pages[stated], key, 0, len(text), text)
    for edge in sorted(own, key=lambda edge: passages[edge.source].lang != "ja"):
        text = passages[edge.source].text or ""
        return Evidence(edge.evidence.page, edge.source, 0, len(text), text)
    return None
