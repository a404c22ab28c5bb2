"""The one SQLite file that a graph lives in."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from graphs.errors import StoreError

APPLICATION = 0x73616E73  # "sans": tells a knowledge base from any other SQLite file
VERSION = 6
_HEADER, _APPLICATION_AT = 100, 68  # of SQLite's files

# A node without a kind is only wanted: some edge aims at it, no page gives it.
# Containment (part_of) and the giving of a rule (quotes) are columns of the node itself;
# the view `link` shows them beside the edges proper.
# What `said_…` holds is what a page says, where nodes were made one and the column beside it holds
# the one that it became. Of many pages that give one name a few are `shown`.
# `part`, `lies`, `merged`, `joined`, `spelling`, `word` and `kept` are for the next build, which
# starts from here: what was read, where lies what a page gave, which nodes were made one, which
# edges no page gives alone, how names are found in passages, which words there are, and what was
# worked out of some nodes.
TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE node (
  key INTEGER PRIMARY KEY, id TEXT NOT NULL, kind TEXT,
  game TEXT, source TEXT, lang TEXT, edition TEXT, number TEXT, label TEXT, reading TEXT,
  text TEXT, url TEXT, notice TEXT, date TEXT, details TEXT,
  page INTEGER, section INTEGER, parent INTEGER, speaks INTEGER, heading INTEGER,
  position INTEGER
);
CREATE TABLE claim (
  node INTEGER NOT NULL, page INTEGER NOT NULL, rank INTEGER NOT NULL, kind TEXT NOT NULL,
  game TEXT, source TEXT, lang TEXT, edition TEXT, number TEXT, label TEXT, reading TEXT,
  text TEXT, url TEXT, notice TEXT, date TEXT, details TEXT, said_node INTEGER
);
CREATE TABLE label (
  node INTEGER NOT NULL, page INTEGER NOT NULL, lang TEXT NOT NULL, text TEXT NOT NULL,
  role TEXT NOT NULL, folded TEXT NOT NULL, passage INTEGER,
  said_node INTEGER, said_role TEXT, shown INTEGER
);
CREATE TABLE edge (
  kind TEXT NOT NULL, source INTEGER NOT NULL, want INTEGER NOT NULL, target INTEGER,
  label TEXT NOT NULL, reason TEXT NOT NULL,
  passage INTEGER NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, details TEXT,
  said_source INTEGER, said_want INTEGER
);
CREATE TABLE part (key INTEGER PRIMARY KEY, identity BLOB NOT NULL);
CREATE TABLE snapshot (
  key INTEGER PRIMARY KEY, part INTEGER NOT NULL, place TEXT NOT NULL, page TEXT,
  url TEXT NOT NULL, sha256 TEXT NOT NULL, taken TEXT NOT NULL, notice TEXT NOT NULL,
  form TEXT NOT NULL, fit TEXT NOT NULL, chars INTEGER NOT NULL, speaks INTEGER NOT NULL
);
CREATE TABLE left_out (snapshot INTEGER NOT NULL, reason TEXT NOT NULL, chars INTEGER NOT NULL);
CREATE TABLE warning (part INTEGER, place TEXT NOT NULL, what TEXT NOT NULL);
CREATE TABLE lies (page INTEGER PRIMARY KEY, places BLOB NOT NULL);
CREATE TABLE merged (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
CREATE TABLE joined (edge INTEGER PRIMARY KEY);
CREATE TABLE spelling (
  game TEXT, spelled TEXT, node INTEGER, name TEXT, PRIMARY KEY (game, spelled, node, name)
) WITHOUT ROWID;
CREATE TABLE word (
  spelled TEXT, folded TEXT, normal TEXT, PRIMARY KEY (spelled, folded, normal)
) WITHOUT ROWID;
CREATE TABLE kept (node TEXT PRIMARY KEY, what TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE words (key INTEGER PRIMARY KEY, words TEXT NOT NULL);
CREATE VIRTUAL TABLE search USING fts5(
  words, content='words', content_rowid='key', tokenize='porter unicode61'
);
CREATE VIEW link AS
  SELECT kind, source, want, target, label, reason, passage, start, "end", details
  FROM edge
  UNION ALL
  SELECT 'part_of', n.key, n.parent, n.parent, '', '', coalesce(n.heading, n.key), 0, NULL,
    NULL
  FROM node n WHERE n.parent IS NOT NULL
  UNION ALL
  SELECT 'quotes', n.key, n.speaks, n.speaks, '', '', n.key, 0, NULL, NULL
  FROM node n WHERE n.speaks IS NOT NULL;
"""

# Made when all pages are in the graph, for what is settled then; the others when it is whole.
LOOKED_UP = """
CREATE INDEX node_id ON node (id);
CREATE INDEX claim_node ON claim (node);
CREATE INDEX claim_said ON claim (said_node) WHERE said_node NOT NULL;
"""
INDEXES = """
CREATE INDEX node_number ON node (number) WHERE number IS NOT NULL;
CREATE INDEX node_parent ON node (parent) WHERE parent IS NOT NULL;
CREATE INDEX node_speaks ON node (speaks) WHERE speaks IS NOT NULL;
CREATE INDEX node_heading ON node (heading, kind)
  WHERE heading IS NOT NULL AND kind IN ('step', 'procedure', 'outcome', 'ruling');
CREATE INDEX node_subject ON node (label COLLATE NOCASE) WHERE kind = 'outcome';
CREATE INDEX node_kind ON node (kind, source);
CREATE INDEX label_folded ON label (folded);
CREATE INDEX label_said ON label (said_node) WHERE said_node NOT NULL;
CREATE INDEX label_node ON label (node, shown);
CREATE INDEX edge_source ON edge (source, kind);
CREATE INDEX edge_target ON edge (target, kind) WHERE target IS NOT NULL;
CREATE INDEX edge_want ON edge (want);
CREATE INDEX edge_dangling ON edge (want) WHERE target IS NULL;
CREATE INDEX snapshot_page ON snapshot (page) WHERE page IS NOT NULL;
CREATE INDEX snapshot_part ON snapshot (part);
CREATE INDEX left_out_snapshot ON left_out (snapshot);
CREATE INDEX warning_part ON warning (part);
CREATE INDEX word_folded ON word (folded);
"""


def is_ours(path: Path) -> bool:
    """Whether a knowledge base may be written to a path: there is one, of any version and be it
    damaged, or nothing."""
    if not path.is_file():
        return not path.exists()  # a device is something
    with path.open("rb") as file:
        start = file.read(_HEADER)
    application = int.from_bytes(start[_APPLICATION_AT : _APPLICATION_AT + 4], "big")
    return not start or (start.startswith(b"SQLite format 3\0") and application == APPLICATION)


def noted(path: Path, key: str) -> str | None:
    """A fact on a knowledge base as a whole, be it of another version; None if it notes none.

    Raises StoreError if there is no knowledge base.
    """
    if not path.is_file() or not is_ours(path):
        raise StoreError(f"{path}: no knowledge base there")
    with closing(sqlite3.connect(path.absolute().as_uri() + "?mode=ro", uri=True)) as db:
        try:
            row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        except sqlite3.DatabaseError:
            return None
    return row[0] if row else None
