"""Store names of nodes that follow from several pages together, and that no page alone gives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from graphs.model import Role
from graphs.writing.writer import Writer


class DerivedLabel(NamedTuple):
    """A name that follows from several pages.

    node: the id of the node.
    folded: the name as it is looked up.
    passage: the id of a passage that has the name.
    """

    node: str
    lang: str
    text: str
    role: Role
    folded: str
    passage: str


class DerivedLabels:
    """The derived labels of a graph that all pages have been added to.

    An update deletes them and inserts them anew: which there are may depend on any page.
    """

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._db = writer.db

    def delete(self) -> None:
        """Delete all derived labels; nodes that had one are touched by the update."""
        if not self._writer.is_new:
            self._db.execute(
                "INSERT OR IGNORE INTO touched SELECT node FROM label "
                "WHERE rowid IN (SELECT label FROM derived_label)"
            )
        self._db.execute("DELETE FROM label WHERE rowid IN (SELECT label FROM derived_label)")
        self._db.execute("DELETE FROM derived_label")

    def insert(self, labels: Iterable[DerivedLabel]) -> None:
        """Insert derived labels beside those that there are; their nodes are touched."""
        for label in labels:
            node = self._writer.must_shared_key(label.node)
            [passage, page] = self._db.execute(
                "SELECT key, page FROM node WHERE id = ? AND kind = 'passage'", (label.passage,)
            ).fetchone()
            row = self._db.execute(
                "INSERT INTO label (node, page, lang, text, role, folded, passage) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (node, page, label.lang, label.text, label.role, label.folded, passage),
            ).lastrowid
            self._db.execute("INSERT INTO derived_label VALUES (?)", (row,))
            if not self._writer.is_new:
                self._writer.touch([node])
