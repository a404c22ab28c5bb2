"""The schema of the SQLite file that stores a graph: its tables, columns and indexes.

Every node has a key, an integer that is valid inside one file only. Columns that refer to a node
hold its key: `page`, `section`, `passage`, `parent`, `term` and so on. The tables with a * are
needed only to update a graph; a look-up does not read them.

Behind SQLite's last page stands a checksum of the file, as the last paragraph says.

meta: facts about the whole file.
    key, value:
        `built from`: JSON of the sources and hints of the build, so that it can be repeated: the
            `folder` that paths lead from, and `sets` of `places`, `hints` and `sites`
        `made by`: a fingerprint of the program; another program's file is not updated
        `sample`: `1` if the graph was built from the bundled sample
        `notice`: the notices to readers of all captures, one a line
        `ambiguous`: `1` if pages gave different nodes the same id; such a graph is not updated
        `values`: JSON of the values that nodes have, each list sorted: {"game", "lang" (also of
            labels), "source", "edition"}
        `most edges out`: JSON {kind: how many edges of it lead out of one node at most}, without
            containment
        `indexed`: how many passages the full-text index has, and how many characters their words
            have; what was asked of other ones is told by it

node: the nodes, and ids that edges aim at. See `graphs.model.Node` for columns that are its fields.
    key: the passages of a page have consecutive keys, in the page's order
    id: names the node in every build
    kind: NULL if no page gives the node: an edge aims at it, or it was merged into another
    details: JSON
    page: the page that the node stands on, for a page itself. NULL for terms, rules, cards and
        editions, which several pages may give: their columns hold what the table `claim` says
    section: of a passage, the section or page that it stands in
    parent: the node that this one is part of (an edge `part_of`)
    gives_rule: of a passage, the rule whose text it gives (an edge `quotes`)
    heading: of a section, the passage that is its heading; of a ruling, procedure, step or
        outcome, the passage that states it
    position: the place of the node among the nodes of its page, which are in the page's order

claim: what one page says about a term, rule, card or edition.
    node, page: the node that the claim is about, and the page that makes it
    rank: the claim with the least rank, then page, becomes the row of `node`; a reading, text or
        details that it lacks are taken from the next claims
    kind … details: as in `node`
    original_node: the node that the page names, if that was merged into `node`; else NULL

label: a name that one page gives a node. A name that several pages give has several rows.
    role: see `graphs.model.Role`
    folded: the form in which the name is looked up (see `kb.language.fold`)
    passage: the passage that gives the name; NULL if none does by itself
    original_node, original_role: what the page says, if its node was merged into `node`
    shown: 1 for the first three rows of the same name and role; a look-up does not read the others

edge: the edges, except those that the columns `parent` and `gives_rule` of `node` stand for.
    source: the node that the edge leads from
    wanted: the node that the page's words aim at, in the graph or not
    target: the node that the edge leads to: `wanted`, or the one in its place, such as a page
        instead of a section that it does not have; NULL if the edge is dangling
    label: the name of the target, as the page puts it; may be empty
    reason: why the target is missing, should it be; of no meaning for other edges
    passage, start, end: the evidence: a span of the passage's text, in characters, end excluded
    details: JSON
    original_source, original_wanted: what the page says, if those nodes were merged

part*: what was read at once: a snapshot, or one page of a dump.
    identity: a hash of its bytes and of all else that its reading depends on

capture: what was read of a page. The columns are the fields of
    `graphs.store.build_records.CaptureRecord`; `part` is the key of a part, `page` is an id.

left_out: how many characters of a capture are in no passage.
    capture: its key
    reason, chars: the number for one reason

warning: something that could not be read.
    part: the key of the part that it is in; NULL if there is none
    place: the file, with the place in it if that is known
    what: the reason
    hints: the names of the hints that help, with commas between them

page_rows*: which rows a page put into the graph, so that they can be deleted without a search.
    ranges: an array of 64-bit integers. For each of the tables edge, claim and label, the row id
        before the first of the page's rows; then for each of these tables its last row id; then
        the first key and the end of the keys of the page's passages and of what they state;
        then the keys of the page and of its sections

merged*: which nodes were merged, because they are the same term.
    old, new: the node that was merged, and the node that holds all its claims, labels and edges

derived_edge*: the edges that come from the whole graph and not from one page (`same_concept`,
    `translates`).
    edge: the row id in the table edge

derived_label*: the labels that follow from several pages: a rule's heading in another language, and
    names that are only proposed. Their page is that of their passage.
    label: the row id in the table label

spelling*: how the names of terms are found in passages.
    game: of the term and of the passages
    spelled: a folded text which, where a passage has it, is a mention
    node, name: the term, and which of its names this is

vocabulary*: every word of the passages, in each spelling.
    spelled: the word as it stands in passages, folded
    folded: its normal form, folded
    normal: its normal form as in `passage_words`; empty if the word is not indexed

cached_definition*: what a build found out about the definitions of terms.
    term: the id of the term; empty for what concerns all terms
    packed: JSON (see `kb.knowledge.compared_definitions`)

book: the editions of rulebooks, and of documents beside them, in each language.
    position: the place of the edition among those of its game, or of that document, from 0 on
    rules, total: how many of its rules are there, and how many it has; NULL if nobody can say
    whole: whether all of it is there, as far as that shows

book_steps: what became of the rules from one edition to another one of the same language.
    before, after: the editions
    digest: of all that the steps were found by; in an update those with the same digest stay
    steps: JSON, a list of [number before, number after, change, number after of the rule that it
        was merged into, or number before of the one that it was split from, grounds, how sure], see
        `kb.rules.versions_of_one_rule.Step`

rule_version: the rules, and sections of documents: which of them are one, and what became of it.
    node: the rule in one edition and language
    rule: the newest of the nodes that are versions of the same rule
    change: what happened since the version before it in its language: `same`, `changed`, `moved`…;
        `added`, `split`, or `first` if no earlier edition can tell
    before: that version
    absent_in: of an added or split rule the newest earlier edition that is known to lack it;
        split_from: the rule there that a split one was part of
    gone, gone_in: of the last version in its language, whether the rule was `removed` or `merged`,
        and in which edition; merged_into: the rule there that has most of the words of a merged one
    grounds, sure: by what it was found that `before` is the same rule, and how sure that is, from
        0 to 1

passage_words: the words of each passage, for the full-text index.
    key: of the passage
    words: normal forms, separated by spaces

search: the full-text index of `passage_words`; its row ids are the keys of passages.

name_key: the forms in which shown names of terms, cards, rules and pages are compared with what a
    person types. It depends on the names alone, and is the same in every build of the same pages.
    id: the length of the key, and a hash of the row: see `graphs.store.name_index.first_row_id`
    name: the text of labels
    form: how the key was made from the name (see `kb.language.name_keys`)
    key: the form to compare; a name may have several, one of each form or more
    exact: the same with what the key leaves out, such as the length of vowels

name_gram: the index of all three adjacent characters of the keys in `name_key`; its row ids are
    theirs. A key is indexed with the marks that `graphs.store.name_index.indexed_key` adds.

name_gram_count: how many keys have each three characters.

edge_count: how many edges of a kind lead to a node, where they are many: see
    `graphs.store.edge_counts`. Containment (`part_of`, `quotes`) is not counted.
    target, kind, number: the node, the kind and how many

any_edge: a view of all edges: those of the table `edge`, and those that the columns `parent` and
    `gives_rule` of `node` stand for. Where `end` is NULL, the evidence is the whole passage, of
    `part_of` its first 1,000 characters.

The other views are for people who ask the file in SQL: see `graphs.store.file.sql_views`.

The checksum at the end of a graph's file: it is appended to a finished file, and compared.

SQLite reads as many pages as the file's header counts, and does not look at what stands behind
them. There sansho writes `MAGIC`, the number of bytes before it, and a checksum of all bytes
before the checksum itself. Every byte of the file is covered: a trailer that is damaged itself
does not match, or is none. It tells damage, not forgery: who changes a file on purpose can make
the checksum right again.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

from graphs.errors import StoreError
from graphs.store.file.untrusted_file import has_tables, open_untrusted

MAGIC = b"\nsansho crc-32 1\n"  # another checksum must have another magic
_SIZE_BYTES, _CHECKSUM_BYTES = 8, 4  # the size of any file; a CRC-32
_LENGTH = len(MAGIC) + _SIZE_BYTES + _CHECKSUM_BYTES
_READ_AT_ONCE = 1 << 18  # bytes; they stay in the processor's own memory while they are summed up


def append_trailer(path: Path) -> None:
    """Append the trailer to a finished file, which has none. Raises OSError if that is impossible.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "graph")
    ...     length = path.write_bytes(b"pages")
    ...     append_trailer(path)
    ...     with path.open("rb") as file:
    ...         print(checksum_matches(file))
    ...     drop_trailer(path)
    ...     path.read_bytes()
    True
    b'pages'
    """
    with path.open("r+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        file.write(MAGIC + size.to_bytes(_SIZE_BYTES, "big"))
        checksum = _checksum(file, size + len(MAGIC) + _SIZE_BYTES)
        file.write(checksum.to_bytes(_CHECKSUM_BYTES, "big"))


def drop_trailer(path: Path) -> None:
    """Cut the trailer off a file; one without a trailer stays as it is."""
    with path.open("r+b") as file:
        if _stored_trailer(file):
            file.truncate(file.seek(0, os.SEEK_END) - _LENGTH)


def has_trailer(file: BinaryIO) -> bool:
    """Whether a file ends with a trailer, of a checksum that may be right or wrong."""
    return _stored_trailer(file) is not None


def checksum_matches(file: BinaryIO) -> bool | None:
    """Whether the checksum at the end of a file is that of its bytes; None if it has no trailer.

    file: open for reading bytes, without a buffer to be quick; it is read to its end.
    """
    trailer = _stored_trailer(file)
    if trailer is None:
        return None
    size = file.seek(0, os.SEEK_END)
    counted = int.from_bytes(trailer[len(MAGIC) : -_CHECKSUM_BYTES], "big")
    if counted != size - _LENGTH:
        return False
    checksum = int.from_bytes(trailer[-_CHECKSUM_BYTES:], "big")
    return _checksum(file, size - _CHECKSUM_BYTES) == checksum


def stored_checksum(file: BinaryIO) -> str:
    """Return the size and checksum that stand at the end of a file, in hexadecimal digits; empty if
    it has no trailer. What tells the content of one finished file from that of another."""
    return (_stored_trailer(file) or MAGIC)[len(MAGIC) :].hex()


def _stored_trailer(file: BinaryIO) -> bytes | None:
    """Return the whole trailer of a file, MAGIC included, or None if the file has none."""
    size = file.seek(0, os.SEEK_END)
    if size < _LENGTH:
        return None
    file.seek(size - _LENGTH)
    trailer = file.read(_LENGTH)
    return trailer if len(trailer) == _LENGTH and trailer.startswith(MAGIC) else None


def _checksum(file: BinaryIO, size: int) -> int:
    """Return the CRC-32 of the first bytes of a file, as many as `size` says, or of all if it has
    fewer."""
    from zlib import crc32  # here: a file that is known to be whole is opened without it

    buffer = memoryview(bytearray(_READ_AT_ONCE))
    checksum = 0
    file.seek(0)
    while size > 0 and (read := file.readinto(buffer[:size])):  # type: ignore[attr-defined]
        checksum = crc32(buffer[:read], checksum)
        size -= read
    return checksum


APPLICATION = 0x73616E73  # "sans", SQLite's application_id: marks the file as a knowledge base
# Of this schema, SQLite's user_version: one more with every change of the schema. Files of other
# versions are not read.
VERSION = 17
# The columns of `node` by whose values queries are filtered; the keys of `values` in `meta`.
FILTERED_COLUMNS = ("game", "lang", "source", "edition")
# Bytes, in SQLite's file format.
_HEADER_SIZE, _VERSION_OFFSET, _APPLICATION_OFFSET = 100, 60, 68
_SQLITE = b"SQLite format 3\0"

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
CREATE TABLE warning (
  part INTEGER, place TEXT NOT NULL, what TEXT NOT NULL, hints TEXT NOT NULL
);
CREATE TABLE page_rows (page INTEGER PRIMARY KEY, ranges BLOB NOT NULL);
CREATE TABLE merged (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
CREATE TABLE derived_edge (edge INTEGER PRIMARY KEY);
CREATE TABLE derived_label (label INTEGER PRIMARY KEY);
CREATE TABLE spelling (
  game TEXT, spelled TEXT, node INTEGER, name TEXT, PRIMARY KEY (game, spelled, node, name)
) WITHOUT ROWID;
CREATE TABLE vocabulary (
  spelled TEXT, folded TEXT, normal TEXT, PRIMARY KEY (spelled, folded, normal)
) WITHOUT ROWID;
CREATE TABLE cached_definition (term TEXT PRIMARY KEY, packed TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE book (
  game TEXT NOT NULL, edition TEXT NOT NULL, lang TEXT NOT NULL, position INTEGER NOT NULL,
  rules INTEGER NOT NULL, total INTEGER, whole INTEGER NOT NULL
);
CREATE TABLE book_steps (
  game TEXT NOT NULL, lang TEXT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL,
  digest TEXT NOT NULL, steps TEXT NOT NULL
);
CREATE TABLE rule_version (
  node INTEGER PRIMARY KEY, rule INTEGER NOT NULL, change TEXT NOT NULL, before INTEGER,
  absent_in TEXT, split_from INTEGER, gone TEXT, gone_in TEXT, merged_into INTEGER, grounds TEXT,
  sure REAL NOT NULL
);
CREATE TABLE passage_words (key INTEGER PRIMARY KEY, words TEXT NOT NULL);
CREATE VIRTUAL TABLE search USING fts5(
  words, content='passage_words', content_rowid='key', tokenize='porter unicode61'
);
CREATE TABLE name_key (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, form TEXT NOT NULL, key TEXT NOT NULL,
  exact TEXT NOT NULL
);
CREATE VIRTUAL TABLE name_gram USING fts5(
  key, content='', detail='none', columnsize=0, tokenize='trigram case_sensitive 1'
);
CREATE VIRTUAL TABLE name_gram_count USING fts5vocab(name_gram, row);
CREATE TABLE edge_count (
  target INTEGER, kind TEXT, number INTEGER NOT NULL, PRIMARY KEY (target, kind)
) WITHOUT ROWID;
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

# Created when all pages are in the graph, because resolving it needs them. The others are created
# when the graph is complete. Rows are inserted faster without an index.
EARLY_INDEXES = """
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
CREATE INDEX node_page ON node (id) WHERE kind = 'page';
CREATE INDEX label_folded ON label (folded, shown);
CREATE INDEX label_text ON label (text) WHERE shown;
CREATE INDEX label_original ON label (original_node) WHERE original_node NOT NULL;
CREATE INDEX label_node ON label (node, shown);
CREATE INDEX edge_source ON edge (source, kind);
CREATE INDEX edge_target ON edge (target, kind) WHERE target IS NOT NULL;
CREATE INDEX edge_wanted ON edge (wanted);
CREATE INDEX edge_dangling ON edge (wanted) WHERE target IS NULL;
CREATE INDEX edge_cited ON edge (label) WHERE kind = 'cites';
CREATE INDEX rule_version_rule ON rule_version (rule);
CREATE INDEX rule_version_merged ON rule_version (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX rule_version_split ON rule_version (split_from) WHERE split_from IS NOT NULL;
CREATE INDEX capture_page ON capture (page) WHERE page IS NOT NULL;
CREATE INDEX capture_part ON capture (part);
CREATE INDEX left_out_capture ON left_out (capture);
CREATE INDEX warning_part ON warning (part);
CREATE INDEX vocabulary_folded ON vocabulary (folded);
"""


def may_overwrite(path: Path) -> bool:
    """Whether a knowledge base may be written to a path without destroying something else.

    True if there is nothing, an empty file, or a knowledge base of any version, even a damaged
    one, if its beginning or its end still says that it is one. False for other files, folders and
    devices. Raises OSError if the file can't be read.
    """
    if not path.is_file():
        return not path.exists()
    with path.open("rb") as file:
        if not file.read(1):
            return True
        file.seek(0)
        return application_and_version(file)[0] == APPLICATION or has_trailer(file)


def application_and_version(file: BinaryIO) -> tuple[int, int]:
    """Return SQLite's application_id and user_version of a file; (0, 0) if it is not of SQLite, or
    cut off before them.

    file: open for reading bytes, at its beginning.
    """
    header = file.read(_HEADER_SIZE)
    if not header.startswith(_SQLITE):
        return 0, 0
    application, version = (
        int.from_bytes(header[offset : offset + 4], "big")
        for offset in (_APPLICATION_OFFSET, _VERSION_OFFSET)
    )
    return application, version


def read_meta(path: Path, key: str) -> str | None:
    """Return a fact from the table `meta` of a knowledge base, or None if it is not recorded.

    The file may be of another version; None if it is so old or damaged that it can't be read.
    Raises StoreError if there is no knowledge base.

    key: such as `built from`
    """
    if not path.is_file() or not may_overwrite(path):
        raise StoreError(f"{path}: no knowledge base there")
    try:
        with closing(open_untrusted(path)) as db:
            if not has_tables(db, "meta"):
                return None
            row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    except (sqlite3.Error, UnicodeDecodeError):
        return None
    return row[0] if row and isinstance(row[0], str) else None
