"""The one SQLite file that a graph lives in."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from graphs.errors import StoreError

APPLICATION = 0x73616E73  # "sans": tells a knowledge base from any other SQLite file
VERSION = 7
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
  page INTEGER, section INTEGER, parent INTEGER, gives_rule INTEGER, heading INTEGER,
  position INTEGER
);
CREATE TABLE claim (
  node INTEGER NOT NULL, page INTEGER NOT NULL, rank INTEGER NOT NULL, kind TEXT NOT NULL,
  game TEXT, source TEXT, lang TEXT, edition TEXT, number TEXT, label TEXT, reading TEXT,
  text TEXT, url TEXT, notice TEXT, date TEXT, details TEXT, original_node INTEGER
);
CREATE TABLE label (
  node INTEGER NOT NULL, page INTEGER NOT NULL, lang TEXT NOT NULL, text TEXT NOT NULL,
  role TEXT NOT NULL, folded TEXT NOT NULL, passage INTEGER,
  original_node INTEGER, original_role TEXT, shown INTEGER
);
CREATE TABLE edge (
  kind TEXT NOT NULL, source INTEGER NOT NULL, wanted INTEGER NOT NULL, target INTEGER,
  label TEXT NOT NULL, reason TEXT NOT NULL,
  passage INTEGER NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, details TEXT,
  original_source INTEGER, original_wanted INTEGER
);
CREATE TABLE part (key INTEGER PRIMARY KEY, identity BLOB NOT NULL);
CREATE TABLE capture (
  key INTEGER PRIMARY KEY, part INTEGER NOT NULL, place TEXT NOT NULL, page TEXT,
  url TEXT NOT NULL, sha256 TEXT NOT NULL, taken TEXT NOT NULL, notice TEXT NOT NULL,
  form TEXT NOT NULL, fitness TEXT NOT NULL, chars INTEGER NOT NULL, chosen INTEGER NOT NULL
);
CREATE TABLE left_out (capture INTEGER NOT NULL, reason TEXT NOT NULL, chars INTEGER NOT NULL);
CREATE TABLE warning (part INTEGER, place TEXT NOT NULL, what TEXT NOT NULL);
CREATE TABLE page_rows (page INTEGER PRIMARY KEY, ranges BLOB NOT NULL);
CREATE TABLE merged (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
CREATE TABLE derived_edge (edge INTEGER PRIMARY KEY);
CREATE TABLE spelling (
  game TEXT, spelled TEXT, node INTEGER, name TEXT, PRIMARY KEY (game, spelled, node, name)
) WITHOUT ROWID;
CREATE TABLE vocabulary (
  spelled TEXT, folded TEXT, normal TEXT, PRIMARY KEY (spelled, folded, normal)
) WITHOUT ROWID;
CREATE TABLE cached_definition (term TEXT PRIMARY KEY, packed TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE passage_words (key INTEGER PRIMARY KEY, words TEXT NOT NULL);
CREATE VIRTUAL TABLE search USING fts5(
  words, content='passage_words', content_rowid='key', tokenize='porter unicode61'
);
CREATE VIEW any_edge AS
  SELECT kind, source, wanted, target, label, reason, passage, start, "end", details
  FROM edge
  UNION ALL
  SELECT 'part_of', n.key, n.parent, n.parent, '', '', coalesce(n.heading, n.key), 0, NULL,
    NULL
  FROM node n WHERE n.parent IS NOT NULL
  UNION ALL
  SELECT 'quotes', n.key, n.gives_rule, n.gives_rule, '', '', n.key, 0, NULL, NULL
  FROM node n WHERE n.gives_rule IS NOT NULL;
"""

# Made when all pages are in the graph, for what is settled then; the others when it is whole.
LOOKED_UP = """
CREATE INDEX node_id ON node (id);
CREATE INDEX claim_node ON claim (node);
CREATE INDEX claim_original ON claim (original_node) WHERE original_node NOT NULL;
"""
INDEXES = """
CREATE INDEX node_number ON node (number) WHERE number IS NOT NULL;
CREATE INDEX node_parent ON node (parent) WHERE parent IS NOT NULL;
CREATE INDEX node_gives_rule ON node (gives_rule) WHERE gives_rule IS NOT NULL;
CREATE INDEX node_heading ON node (heading, kind)
  WHERE heading IS NOT NULL AND kind IN ('step', 'procedure', 'outcome', 'ruling');
CREATE INDEX node_subject ON node (label COLLATE NOCASE) WHERE kind = 'outcome';
CREATE INDEX node_kind ON node (kind, source);
CREATE INDEX label_folded ON label (folded);
CREATE INDEX label_original ON label (original_node) WHERE original_node NOT NULL;
CREATE INDEX label_node ON label (node, shown);
CREATE INDEX edge_source ON edge (source, kind);
CREATE INDEX edge_target ON edge (target, kind) WHERE target IS NOT NULL;
CREATE INDEX edge_wanted ON edge (wanted);
CREATE INDEX edge_dangling ON edge (wanted) WHERE target IS NULL;
CREATE INDEX capture_page ON capture (page) WHERE page IS NOT NULL;
CREATE INDEX capture_part ON capture (part);
CREATE INDEX left_out_capture ON left_out (capture);
CREATE INDEX warning_part ON warning (part);
CREATE INDEX vocabulary_folded ON vocabulary (folded);
"""


def may_overwrite(path: Path) -> bool:
    """Whether a knowledge base may be written to a path: there is one, of any version and be it
    damaged, or nothing."""
    if not path.is_file():
        return not path.exists()  # a device is something
    with path.open("rb") as file:
        start = file.read(_HEADER)
    application = int.from_bytes(start[_APPLICATION_AT : _APPLICATION_AT + 4], "big")
    return not start or (start.startswith(b"SQLite format 3\0") and application == APPLICATION)


def read_meta(path: Path, key: str) -> str | None:
    """A fact on a knowledge base as a whole, be it of another version; None if it notes none.

    Raises StoreError if there is no knowledge base.
    """
    if not path.is_file() or not may_overwrite(path):
        raise StoreError(f"{path}: no knowledge base there")
    with closing(sqlite3.connect(path.absolute().as_uri() + "?mode=ro", uri=True)) as db:
        try:
            row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        except sqlite3.DatabaseError:
            return None
    return row[0] if row else None
