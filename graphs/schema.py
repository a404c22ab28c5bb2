"""The one SQLite file that a graph lives in."""

from __future__ import annotations

APPLICATION = 0x73616E73  # "sans": tells a knowledge base from any other SQLite file
VERSION = 4

# A node without a kind is only wanted: some edge aims at it, no page gives it.
# Containment (part_of) and the giving of a rule (quotes) are columns of the node itself;
# the view `link` shows them beside the edges proper.
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
  text TEXT, url TEXT, notice TEXT, date TEXT, details TEXT
);
CREATE TABLE label (
  node INTEGER NOT NULL, page INTEGER NOT NULL, lang TEXT NOT NULL, text TEXT NOT NULL,
  role TEXT NOT NULL, folded TEXT NOT NULL, passage INTEGER
);
CREATE TABLE edge (
  kind TEXT NOT NULL, source INTEGER NOT NULL, want INTEGER NOT NULL, target INTEGER,
  label TEXT NOT NULL, reason TEXT NOT NULL,
  passage INTEGER NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, details TEXT
);
CREATE TABLE snapshot (
  key INTEGER PRIMARY KEY, place TEXT NOT NULL, page INTEGER, url TEXT, sha256 TEXT NOT NULL,
  taken TEXT, chars INTEGER NOT NULL
);
CREATE TABLE left_out (snapshot INTEGER NOT NULL, reason TEXT NOT NULL, chars INTEGER NOT NULL);
CREATE TABLE warning (place TEXT NOT NULL, what TEXT NOT NULL);
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

INDEXES = """
CREATE INDEX node_number ON node (number) WHERE number IS NOT NULL;
CREATE INDEX node_parent ON node (parent) WHERE parent IS NOT NULL;
CREATE INDEX node_speaks ON node (speaks) WHERE speaks IS NOT NULL;
CREATE INDEX node_heading ON node (heading, kind)
  WHERE heading IS NOT NULL AND kind IN ('step', 'procedure', 'outcome', 'ruling');
CREATE INDEX node_subject ON node (label COLLATE NOCASE) WHERE kind = 'outcome';
CREATE INDEX node_kind ON node (kind, source);
CREATE INDEX label_folded ON label (folded);
CREATE INDEX label_node ON label (node);
CREATE INDEX edge_source ON edge (source, kind);
CREATE INDEX edge_target ON edge (target, kind) WHERE target IS NOT NULL;
CREATE INDEX edge_dangling ON edge (want) WHERE target IS NULL;
"""
