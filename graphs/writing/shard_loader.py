"""Load the rows of shards into a new graph: choose captures, assign keys, and write all in bulk.

What needs all shards at once (which capture of a page is the fittest, and the key of each id) is
found by DuckDB, which keeps on disk what does not fit into memory. The rows themselves pass through
once, shard by shard, in the order of their keys. Needs duckdb, numpy and pyarrow:
`pip install 'sansho[dist]'`.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from graphs.store.build_records import CaptureRecord
from graphs.writing.page_claims import SHARED_COLUMNS
from graphs.writing.shard_row_files import read_rows
from graphs.writing.writer import INSERT_CLAIM, INSERT_EDGE, INSERT_LABEL, INSERT_NODE, Writer

# For DuckDB; what is more goes to its temporary files. By hand: what any machine that builds from
# shards can spare; more lets it write less of these.
MEMORY_MB = 1000
_REFERENCES = ("section", "parent", "gives_rule", "heading")
_VALUES = ("kind", *SHARED_COLUMNS)
_NO_NUMBER = np.iinfo(np.int64).min  # stands for null, which numpy has not: no reference is so low
# The place of a row among all shards: that of its shard, and in the 32 bits below the row in it.
_PLACE = "shard * 4294967296 + row"
Whole = np.ndarray[Any, np.dtype[np.int64]]


class ShardRows(NamedTuple):
    """A shard to load: its name, and what opens one of its files (`shard_row_files`) by name."""

    name: str
    open: Callable[[str], IO[bytes]]


class ShardKeys(NamedTuple):
    """The keys of the nodes that the rows of a shard name.

    first, end: the private nodes of its chosen captures have the keys from `first` up to `end`,
        which is excluded.
    private, shared: the key of each node by its number (see `shard_row_files`); 0 for the private
        nodes of captures that are not chosen.
    """

    first: int
    end: int
    private: Whole
    shared: Whole

    def of(self, references: pa.Array) -> Whole:
        """Return the keys for references, as `shard_row_files` defines them, in their order; 0
        where there is none, and for private nodes of captures that are not chosen."""
        numbers = references.fill_null(_NO_NUMBER).to_numpy(zero_copy_only=False)
        keys = np.zeros(len(numbers), np.int64)
        is_private = numbers >= 0
        is_shared = ~is_private & (numbers != _NO_NUMBER)
        keys[is_private] = self.private[numbers[is_private]]
        keys[is_shared] = self.shared[-1 - numbers[is_shared]]
        return keys

    def of_one(self, reference: int) -> int:
        """Return the key for a reference, which must not be null; 0 as in `of`."""
        return int(self.private[reference] if reference >= 0 else self.shared[-1 - reference])


class ShardLoader:
    """Loads shards into a graph that is new and empty. A context manager."""

    def __init__(self, writer: Writer, shards: Sequence[ShardRows], scratch: Path) -> None:
        """scratch: a folder for temporary files, which take about as much as the ids of nodes."""
        self._writer = writer
        self._shards = shards
        self._db = duckdb.connect(
            scratch / "merge.duckdb",
            config={"memory_limit": f"{MEMORY_MB}MB", "temp_directory": str(scratch / "spilled")},
        )
        self._db.execute("SET enable_progress_bar = false")  # notebooks would show one

    def __enter__(self) -> ShardLoader:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def load(self, not_chosen: str, advance: Callable[[str], None]) -> None:
        """Write the rows of all shards.

        not_chosen: why the characters of a capture are left out that is not chosen.
        advance: called twice with the name of each shard, when some of it is written.
        """
        self._choose_captures()
        self._assign_keys()
        for number, shard in enumerate(self._shards):
            self._writer_of(number, shard).write(self._parts(number), not_chosen)
            advance(shard.name)
        for number, shard in enumerate(self._shards):
            self._writer_of(number, shard).write_public_nodes(self._own_ids(number))
            advance(shard.name)
        self._writer.finish_loading()

    def _writer_of(self, number: int, shard: ShardRows) -> _ShardWriter:
        return _ShardWriter(self._writer, shard, self.keys(number), self._chosen(number))

    # -- what needs all shards ---------------------------------------------------------------
    def _choose_captures(self) -> None:
        """Choose one capture of each page: the fittest, of equally fit ones the first. A part that
        several shards have counts once, in the first."""
        db = self._db
        db.execute("CREATE TABLE stored_part (shard BIGINT, row BIGINT, identity BLOB)")
        db.execute(
            "CREATE TABLE capture (shard BIGINT, row BIGINT, part BIGINT, page TEXT, fitness TEXT, "
            "private BIGINT)"
        )
        for number, shard in enumerate(self._shards):
            self._copy("part", ["identity"], number, shard, "stored_part")
            self._copy("capture", ["part", "page", "fitness", "private"], number, shard, "capture")
        db.execute(
            f"CREATE TABLE part AS SELECT min({_PLACE}) AS place FROM stored_part GROUP BY identity"
        )
        db.execute(
            "CREATE TABLE chosen AS SELECT shard, row, private, page IS NOT NULL AND row_number() "
            "OVER (PARTITION BY page ORDER BY fitness, shard, row) = 1 AS is_chosen FROM capture "
            "WHERE shard * 4294967296 + part IN (SELECT place FROM part)"
        )
        db.execute("DROP TABLE stored_part")

    def _assign_keys(self) -> None:
        """Give each shared id a key, in the order of the shards that give its node, or else name
        it: so the rows of a shard are written in the order of their keys. The private nodes have
        the keys before these."""
        db = self._db
        [private] = self._only("SELECT coalesce(sum(private), 0) FROM chosen WHERE is_chosen")
        db.execute("CREATE TABLE named (shard BIGINT, row BIGINT, id TEXT, public BOOL)")
        for number, shard in enumerate(self._shards):
            self._copy("shared", ["id", "public"], number, shard, "named")
        db.execute(
            "CREATE TABLE key AS SELECT id, place >> 32 AS shard, row_number() OVER (ORDER BY "
            f"place) + {private} AS key FROM (SELECT id, coalesce(min({_PLACE}) FILTER "
            f"(WHERE public), min({_PLACE})) AS place FROM named GROUP BY id)"
        )
        db.execute(
            "CREATE TABLE shared AS SELECT n.shard, n.row, k.key FROM named n JOIN key k USING (id)"
            " ORDER BY n.shard, n.row"
        )
        db.execute("DROP TABLE named")
        db.execute("CREATE TABLE own AS SELECT shard, key, id FROM key ORDER BY shard, key")
        db.execute("DROP TABLE key")

    def _copy(
        self, file: str, columns: list[str], number: int, shard: ShardRows, table: str
    ) -> None:
        """Copy columns of a shard's file into a table of DuckDB, with the shard and the row."""
        row = 0
        with shard.open(f"{file}.parquet") as opened:
            for batch in read_rows(opened, columns):
                places = [np.full(len(batch), number), np.arange(row, row + len(batch))]
                row += len(batch)
                given = pa.Table.from_arrays(
                    [*map(pa.array, places), *batch.columns], ["shard", "row", *columns]
                )
                self._db.register("given", given)
                self._db.execute(f"INSERT INTO {table} SELECT * FROM given")
                self._db.unregister("given")

    def _only(self, query: str, *values: Any) -> tuple[Any, ...]:
        """Return the first row that a query gives, of which there must be one."""
        row = self._db.execute(query, values).fetchone()
        assert row is not None
        return row

    def waiting_parts(self) -> dict[int, set[bytes]]:
        """Return the identities of parts with pages that were not written, as they wait for others,
        by the places of their shards; shards without any are left out."""
        found: dict[int, set[bytes]] = {}
        for number, shard in enumerate(self._shards):
            parts = self._parts(number)
            with shard.open("part.parquet") as file:
                rows = (row for batch in read_rows(file) for row in batch.to_pylist())
                identities = {
                    part["identity"]
                    for row, part in enumerate(rows)
                    if part["waits"] and row in parts
                }
            if identities:
                found[number] = identities
        return found

    # -- of one shard ------------------------------------------------------------------------
    def keys(self, shard: int) -> ShardKeys:
        """Return the keys of the nodes of a shard, by its place among the shards."""
        [before] = self._only(
            "SELECT coalesce(sum(private), 0) FROM chosen WHERE is_chosen AND shard < ?", shard
        )
        captures = self._db.execute(
            "SELECT c.private, coalesce(d.is_chosen, false) FROM capture c LEFT JOIN chosen d "
            "USING (shard, row) WHERE c.shard = ? ORDER BY c.row",
            [shard],
        ).fetchnumpy()
        private, is_chosen = (np.asarray(column) for column in captures.values())
        given = np.repeat(is_chosen.astype(bool), private.astype(np.int64))
        first = 1 + int(before)
        keys = np.where(given, np.cumsum(given) + first - 1, 0)
        shared = self._db.execute(
            "SELECT key FROM shared WHERE shard = ? ORDER BY row", [shard]
        ).fetchnumpy()["key"]
        return ShardKeys(first, first + int(given.sum()), keys, np.asarray(shared, np.int64))

    def _chosen(self, shard: int) -> dict[int, bool]:
        """Return whether each capture of a shard is chosen, by its row; captures of parts that an
        earlier shard has are left out."""
        query = "SELECT row, is_chosen FROM chosen WHERE shard = ?"
        return dict(self._db.execute(query, [shard]).fetchall())

    def _parts(self, shard: int) -> dict[int, int]:
        """Return the key of each part of a shard, by its row; parts that an earlier shard has are
        left out."""
        [before] = self._only("SELECT count(*) FROM part WHERE place >> 32 < ?", shard)
        rows = self._db.execute(
            "SELECT place & 4294967295 FROM part WHERE place >> 32 = ? ORDER BY 1", [shard]
        )
        return {row: key for key, (row,) in enumerate(rows.fetchall(), 1 + before)}

    def _own_ids(self, shard: int) -> list[tuple[int, str]]:
        """Return (key, id) of the shared nodes whose keys belong to a shard, in this order."""
        query = "SELECT key, id FROM own WHERE shard = ? ORDER BY key"
        return self._db.execute(query, [shard]).fetchall()


class _ShardWriter:
    """Writes the rows of one shard."""

    def __init__(
        self, writer: Writer, shard: ShardRows, keys: ShardKeys, chosen: Mapping[int, bool]
    ) -> None:
        """chosen: whether each capture is chosen, by its row."""
        self._writer = writer
        self._db = writer.db
        self._shard = shard
        self._keys = keys
        self._chosen = chosen
        nodes = [ref for batch in self._batches("capture", ["node"]) for ref in batch["node"]]
        self._pages = np.array(  # the key of the page of each chosen capture; else 0
            [keys.of_one(ref.as_py()) if chosen.get(row) else 0 for row, ref in enumerate(nodes)],
            np.int64,
        )

    def write(self, parts: Mapping[int, int], not_chosen: str) -> None:
        """Write all but the nodes that other pages may name, too.

        parts: the key of each part, by its row. not_chosen: see `ShardLoader.load`.
        """
        self._write_records(parts, not_chosen)
        self._insert("private_node", INSERT_NODE, self._nodes)
        before = self._writer.last_rowids()
        counts = [
            self._insert(table, statement, make_rows)
            for table, statement, make_rows in (
                ("edge", INSERT_EDGE, self._edges),
                ("claim", INSERT_CLAIM, self._claims),
                ("label", INSERT_LABEL, self._labels),
            )
        ]
        self._write_ranges(before, counts)

    def write_public_nodes(self, own: Sequence[tuple[int, str]]) -> None:
        """Write the pages and sections, and the ids of nodes that pages only name.

        own: (key, id) of those whose keys belong to this shard, in the order of the keys.
        """
        given: dict[int, tuple[Any, ...]] = {}
        for batch, pages in self._chosen_rows("public_node"):
            given.update((row[0], row) for row in self._nodes(batch, pages))
        nothing = (None,) * (INSERT_NODE.count("?") - 2)
        rows = [given.pop(key, (key, node_id, *nothing)) for key, node_id in own]
        self._db.executemany(INSERT_NODE, rows)
        self._db.executemany(INSERT_NODE, given.values())

    # -- records -----------------------------------------------------------------------------
    def _write_records(self, parts: Mapping[int, int], not_chosen: str) -> None:
        """Write what was read: parts, warnings, captures."""
        provenance = self._writer.provenance
        for row, part in enumerate(self._each("part")):
            if row in parts:
                added = provenance.add_part(part["identity"])
                assert added == parts[row], (added, parts[row])
        for warning in self._each("warning"):
            part = warning["part"]
            if part is None or part in parts:
                key = None if part is None else parts[part]
                hints = filter(None, warning["hints"].split(","))
                provenance.add_warning(key, warning["place"], warning["what"], hints)
        for row, stored in enumerate(self._each("capture")):
            if row in self._chosen:
                fields = {name: stored[name] for name in CaptureRecord._fields}
                fields |= {"part": parts[stored["part"]], "chosen": self._chosen[row]}
                left_out = json.loads(stored["left_out"])
                if stored["page"] is not None and not self._chosen[row]:
                    left_out = {not_chosen: stored["chars"]}
                provenance.add_capture(CaptureRecord(**fields), left_out)

    def _write_ranges(self, before: Sequence[int], counts: Sequence[Whole]) -> None:
        """Record where the rows of each page are, as the writer does for a single page.

        before: the last rowids before the rows of the shard; counts: how many rows each capture
        has, of the tables `edge`, `claim`, `label`.
        """
        rowids = list(before)
        first = self._keys.first
        rows = []
        for row, capture in enumerate(self._each("capture", ["private", "public"])):
            if not self._pages[row]:
                continue
            ends = [rowid + int(count[row]) for rowid, count in zip(rowids, counts, strict=True)]
            end = first + capture["private"]
            public = map(self._keys.of_one, capture["public"])
            ranges = array("q", (*rowids, *ends, first, end, *public))
            rows.append((int(self._pages[row]), ranges.tobytes()))
            rowids, first = ends, end
        self._db.executemany("INSERT INTO page_rows VALUES (?, ?)", rows)

    # -- rows --------------------------------------------------------------------------------
    def _insert(
        self,
        table: str,
        statement: str,
        make_rows: Callable[[pa.RecordBatch, Whole], Iterator[tuple[Any, ...]]],
    ) -> Whole:
        """Insert the rows of a file that belong to chosen captures; return how many each has."""
        counts = np.zeros(len(self._pages), np.int64)
        for batch, pages in self._chosen_rows(table):
            self._db.executemany(statement, make_rows(batch, pages))
            captures = batch["capture"].to_numpy()
            counts += np.bincount(captures, minlength=len(counts))
        return counts

    def _chosen_rows(self, table: str) -> Iterator[tuple[pa.RecordBatch, Whole]]:
        """Yield the rows of a file that belong to chosen captures, with the keys of their pages."""
        for batch in self._batches(table):
            pages = self._pages[batch["capture"].to_numpy()]
            is_chosen = pages > 0
            yield (batch, pages) if is_chosen.all() else (batch.filter(is_chosen), pages[is_chosen])

    def _nodes(self, batch: pa.RecordBatch, pages: Whole) -> Iterator[tuple[Any, ...]]:
        values = (batch[name].to_pylist() for name in _VALUES)
        others = (self._keys_or_none(batch[name]) for name in _REFERENCES)
        return zip(
            self._keys.of(batch["node"]).tolist(),
            batch["id"].to_pylist(),
            *values,
            pages.tolist(),
            *others,
            batch["position"].to_pylist(),
            strict=True,
        )

    def _edges(self, batch: pa.RecordBatch, _: Whole) -> Iterator[tuple[Any, ...]]:
        return zip(
            batch["kind"].to_pylist(),
            self._keys_or_none(batch["source"]),
            self._keys_or_none(batch["target"]),
            batch["label"].to_pylist(),
            batch["reason"].to_pylist(),
            self._keys_or_none(batch["passage"]),
            *(batch[name].to_pylist() for name in ("start", "end", "details")),
            strict=True,
        )

    def _claims(self, batch: pa.RecordBatch, pages: Whole) -> Iterator[tuple[Any, ...]]:
        values = (batch[name].to_pylist() for name in ("rank", *_VALUES))
        return zip(self._keys.of(batch["node"]).tolist(), pages.tolist(), *values, strict=True)

    def _labels(self, batch: pa.RecordBatch, pages: Whole) -> Iterator[tuple[Any, ...]]:
        return zip(
            self._keys.of(batch["node"]).tolist(),
            pages.tolist(),
            *(batch[name].to_pylist() for name in ("lang", "text", "role", "folded")),
            self._keys_or_none(batch["passage"]),
            strict=True,
        )

    def _keys_or_none(self, references: pa.Array) -> list[int | None]:
        """Return the keys for references; None where `of` gives 0."""
        return [key or None for key in self._keys.of(references).tolist()]

    def _each(self, table: str, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """Yield the rows of a small file in their order, each as {column: value}."""
        for batch in self._batches(table, columns):
            yield from batch.to_pylist()

    def _batches(
        self, table: str, columns: Sequence[str] | None = None
    ) -> Iterator[pa.RecordBatch]:
        with self._shard.open(f"{table}.parquet") as file:
            yield from read_rows(file, columns)
