"""Decides which claim describes a node that several pages claim, such as a rule or term, and which
of its names are shown, when all pages are in: the claim with the lowest rank stands.

In an update only the nodes in the table `touched` are decided again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from graphs.model import NodeKind
from graphs.sort_orders import edition_key
from graphs.writing.page_claims import SHARED_COLUMNS, details_as_json
from graphs.writing.writer import Writer

# Positions in a claim's values: the kind, then SHARED_COLUMNS.
_FILLED_COLUMNS = tuple(1 + SHARED_COLUMNS.index(name) for name in ("reading", "text", "details"))
_NOTICE = 1 + SHARED_COLUMNS.index("notice")
# Passages shown for one name of a node. By hand: who looks it up needs one or two; a common name
# has thousands, which no look-up should read.
_SHOWN_LABELS = 3
# Pages in order: of one source a page before its copy in another wiki of the site, whose name has
# that of the wiki before it (`rush/引く`).
_PAGES_IN_ORDER = (
    "substr(p.id, 1, instr(p.id, '/')), length(p.id) - length(replace(p.id, '/', '')), p.id"
)


class SharedNodes:
    """Resolves the claims and labels of a graph that all pages have been added to."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._db = writer.db

    def resolve(self) -> None:
        """Resolve which claims describe shared nodes, and which labels are shown.

        The claim of the least rank describes a node; of the passages that give it the same name,
        three are shown. In an update only touched nodes are resolved.
        """
        self._resolve_claims()
        self._resolve_labels()

    def _resolve_claims(self) -> None:
        """Describe each shared node as its best claim does: by rank, then by page, text and label.

        If the best claim has no reading, text or details, they are those of the next claim that
        has them. In an update, touched nodes that no page claims any more lose their kind.
        """
        columns = ", ".join(f"c.{name}" for name in SHARED_COLUMNS)
        claims = self._db.execute(
            f"SELECT c.node, c.kind, {columns} FROM claim c JOIN node p ON p.key = c.page "
            f"WHERE 1 {self._writer.and_touched('c.node')} "
            f"ORDER BY c.node, c.rank, {_PAGES_IN_ORDER}, c.text, c.label"
        )
        assignments = ", ".join(f"{name} = ?" for name in ("kind", *SHARED_COLUMNS))
        self._db.executemany(f"UPDATE node SET {assignments} WHERE key = ?", _best_claims(claims))
        if not self._writer.is_new:
            resets = ", ".join(f"{name} = NULL" for name in ("kind", *SHARED_COLUMNS))
            self._db.execute(
                f"UPDATE node SET {resets} WHERE key IN (SELECT key FROM touched) "
                "AND page IS NULL AND key NOT IN (SELECT node FROM claim)"
            )

    def _resolve_labels(self) -> None:
        """Mark the labels to show: of many pages that give a node the same name, only a few.

        These are three rows for each name, language and role of a node: those with a passage before
        those without, then by page and by place on the page.
        """
        if not self._writer.is_new:
            touched = self._writer.and_touched("node")
            self._db.execute(f"UPDATE label SET shown = NULL WHERE 1 {touched}")
        self._db.execute(
            "UPDATE label SET shown = 1 WHERE rowid IN (SELECT row FROM (SELECT l.rowid AS row, "
            "row_number() OVER (PARTITION BY l.node, l.lang, l.text, l.role "
            f"ORDER BY l.passage IS NULL, {_PAGES_IN_ORDER}, q.position) AS place "
            "FROM label l JOIN node p ON p.key = l.page LEFT JOIN node q ON q.key = l.passage "
            f"WHERE 1 {self._writer.and_touched('l.node')}) WHERE place <= ?)",
            (_SHOWN_LABELS,),
        )

    def keep_wordings(
        self, kind: NodeKind, differences: Callable[[str, str], Sequence[Sequence[int]]]
    ) -> None:
        """Store in the details of nodes of a kind how other claims word the same text.

        The details get a list `wordings` of {"page": the id of the page, "text": its text,
        "differs": what `differences` returned}, if there are any.

        differences: takes the node's text and the other; returns (start, end in the first, start,
            end in the second) of each difference, and nothing if they count as the same
        """
        rows = self._db.execute(
            "SELECT n.key, n.text, n.details, p.id, c.text FROM claim c "
            "JOIN node n ON n.key = c.node JOIN node p ON p.key = c.page "
            f"WHERE c.kind = ? AND c.text <> n.text {self._writer.and_touched('n.key')} "
            "ORDER BY n.key, p.id, c.text",
            (kind,),
        )
        for key, claims in groupby(rows.fetchall(), key=itemgetter(0)):
            wordings: list[Mapping[str, Any]] = []
            details: dict[str, Any] = {}
            for _, text, stored, page, other in claims:
                details = json.loads(stored) if stored else {}
                if other and (spans := differences(text, other)):
                    wordings.append({"page": page, "text": other, "differs": spans})
            if wordings:
                details["wordings"] = wordings
                self._db.execute(
                    "UPDATE node SET details = ? WHERE key = ?", (details_as_json(details), key)
                )

    def editions(self) -> list[tuple[str, str, str]]:
        """Return the (game, edition, language) of the rules in the graph, and of documents beside.

        They are sorted by game, and the newest edition of a game comes first, its languages by
        their codes. A field that is not known is empty.
        """
        rows = self._db.execute(
            "SELECT DISTINCT game, edition, lang FROM claim WHERE kind IN ('rule', 'document') "
            "ORDER BY game, lang"
        )
        found = [(game or "", edition or "", lang or "") for game, edition, lang in rows]
        found.sort(key=lambda each: edition_key(each[1]), reverse=True)
        return sorted(found, key=itemgetter(0))


def _best_claims(claims: Iterable[Sequence[Any]]) -> Iterator[list[Any]]:
    """Yield the values of each node's best claim, then the node's key.

    claims: (key of the node, values) of each claim, ordered by node and the best first. Values
    that the best claim lacks are filled in from the other claims, unless these have a notice that
    the best does not have.
    """
    for node, claims_of_node in groupby(claims, key=itemgetter(0)):
        best, *others = (list(values) for _, *values in claims_of_node)
        for column in _FILLED_COLUMNS:
            fitting = (other[column] for other in others if other[_NOTICE] in (None, best[_NOTICE]))
            best[column] = best[column] or next(filter(None, fitting), None)
        yield [*best, node]
