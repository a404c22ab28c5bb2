"""The rows of a shard's pages as Parquet files: written by one task, read by the merge.

A shard is what is read at once of very large sources. Its rows name nodes by references, which are
integers inside one shard: a private node (a passage, or what is stated in one) by its number in the
shard, from 0; any other by `-1 - n`, where n is its row in the file `shared`; no node by null.

The files, and their columns:

    part: identity (see `graphs.store.file.schema`), waits (whether pages of it wait for all others)
    warning: part (its row, or null), place, what, hints (with commas between them)
    capture: a column for each field of `CaptureRecord`, of which `part` is a row and `chosen` means
        nothing yet; left_out (JSON); private (how many private nodes the page has); node (the
        page's reference); public (those of the page and its sections)
    shared: id, public (whether it is a page or a section of this shard)
    private_node, public_node: capture (its row), id, node, section, parent, gives_rule, heading
        (references), position, kind, and the shared columns of nodes
    claim: capture, node, rank, kind, and the shared columns
    label: capture, node, lang, text, role, folded, passage
    edge: capture, kind, source, target, label, reason, passage, start, end, details

Rows stand in the order of their captures. Needs pyarrow: `pip install 'sansho[dist]'`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from graphs.store.build_records import CaptureRecord
from graphs.writing.page_claims import NO_NODE, SHARED_COLUMNS, PageRows

# Rows of a table in memory, at most; with a long text one counts as several. By hand: bounds
# memory, to two million characters of long texts; lower makes more groups in the files.
_BUFFERED = 20_000
_LONG = 100  # characters of a text that count as another row: about what a row is without one
_TEXT, _WHOLE, _FLAG = pa.string(), pa.int64(), pa.bool_()
_VALUES = [(name, _TEXT) for name in ("kind", *SHARED_COLUMNS)]
_TEXT_VALUE = _VALUES.index(("text", _TEXT))
_NODE = [
    ("capture", _WHOLE),
    ("id", _TEXT),
    *((name, _WHOLE) for name in ("node", "section", "parent", "gives_rule", "heading")),
    ("position", _WHOLE),
    *_VALUES,
]
_CAPTURE_TYPES = {"part": _WHOLE, "chars": _WHOLE, "chosen": _FLAG}
TABLES: Mapping[str, pa.Schema] = {
    name: pa.schema(columns)
    for name, columns in {
        "part": [("identity", pa.binary()), ("waits", _FLAG)],
        "warning": [("part", _WHOLE), ("place", _TEXT), ("what", _TEXT), ("hints", _TEXT)],
        "capture": [
            *((name, _CAPTURE_TYPES.get(name, _TEXT)) for name in CaptureRecord._fields),
            ("left_out", _TEXT),
            ("private", _WHOLE),
            ("node", _WHOLE),
            ("public", pa.list_(_WHOLE)),
        ],
        "shared": [("id", _TEXT), ("public", _FLAG)],
        "private_node": _NODE,
        "public_node": _NODE,
        "claim": [("capture", _WHOLE), ("node", _WHOLE), ("rank", _WHOLE), *_VALUES],
        "label": [
            ("capture", _WHOLE),
            ("node", _WHOLE),
            *((name, _TEXT) for name in ("lang", "text", "role", "folded")),
            ("passage", _WHOLE),
        ],
        "edge": [
            ("capture", _WHOLE),
            ("kind", _TEXT),
            ("source", _WHOLE),
            ("target", _WHOLE),
            ("label", _TEXT),
            ("reason", _TEXT),
            ("passage", _WHOLE),
            ("start", _WHOLE),
            ("end", _WHOLE),
            ("details", _TEXT),
        ],
    }.items()
}


class TableFile:
    """Writes rows to one Parquet file, some thousands at a time. A context manager; without an
    error in the `with` block, the file is complete behind it."""

    def __init__(self, file: IO[bytes], schema: pa.Schema) -> None:
        self._writer = pq.ParquetWriter(file, schema, compression="zstd")
        self._schema = schema
        self._rows: list[Sequence[Any]] = []
        self._size = 0  # of these rows

    def add(self, row: Sequence[Any], text: str | None = None) -> None:
        """Write a row: a value for each column. text: what may be long in it."""
        self._rows.append(row)
        self._size += 1 + len(text) // _LONG if text else 1
        if self._size >= _BUFFERED:
            self._flush()

    def __enter__(self) -> TableFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._flush()
                self._writer.close()
        finally:
            self._writer.is_open = False  # else it writes to the file again when it is deleted

    def _flush(self) -> None:
        if self._rows:
            columns = [
                pa.array(column, field.type)
                for column, field in zip(zip(*self._rows, strict=True), self._schema, strict=True)
            ]
            self._writer.write_table(pa.Table.from_arrays(columns, schema=self._schema))
            self._rows.clear()
            self._size = 0


def opened_table(
    stack: ExitStack, create: Callable[[str], IO[bytes]], name: str, schema: pa.Schema
) -> TableFile:
    """Return a table that is complete when `stack` is closed, in a new file of its name."""
    return stack.enter_context(TableFile(stack.enter_context(create(f"{name}.parquet")), schema))


def read_rows(file: IO[bytes], columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a Parquet file in batches, as they were written. columns: those to read;
    None for all."""
    table = pq.ParquetFile(file)
    for group in range(table.num_row_groups):  # of one group: a batch of several may be large
        yield from table.iter_batches(_BUFFERED, [group], columns)


class RowFiles:
    """Writes the rows of a shard: see the module. A context manager; without an error in the `with`
    block, the files are complete behind it."""

    def __init__(self, create: Callable[[str], IO[bytes]]) -> None:
        """create: returns a new file, by its name, that is open for writing bytes."""
        self._open = ExitStack()
        self._files = {
            name: opened_table(self._open, create, name, schema) for name, schema in TABLES.items()
        }
        self._open.push(self._add_shared)
        self._shared: dict[str, int] = {}  # rows in the file `shared`, by id
        self._public: set[str] = set()
        self._parts = self._captures = self._private = 0

    def __enter__(self) -> RowFiles:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def _add_shared(self, kind: type[BaseException] | None, *_: object) -> None:
        """Write what is known of shared nodes only when all is read."""
        if kind is None:
            for node_id in self._shared:
                self._files["shared"].add((node_id, node_id in self._public))

    def add_part(self, identity: bytes, waits: bool) -> int:
        """Write a part, and return its row. waits: whether pages of it are not written, because
        they wait for all others."""
        self._files["part"].add((identity, waits))
        self._parts += 1
        return self._parts - 1

    def add_warning(
        self, part: int | None, place: str, what: str, hints: Iterable[str] = ()
    ) -> None:
        """Write what could not be read of a part; None if no part could be made of it."""
        self._files["warning"].add((part, place, what, ",".join(hints)))

    def add_capture(
        self, capture: CaptureRecord, left_out: Mapping[str, int], rows: PageRows | None
    ) -> int:
        """Write a capture with the rows of its page; None if it is no article. Return the number of
        the first private node of the page."""
        first, node, public = self._private, None, list[int]()
        if rows is not None:
            refs = self._references(rows)
            node, public = refs[rows.page], refs[rows.private : rows.owned]
            self._public.update(rows.ids[rows.private : rows.owned])
            self._add_rows(rows, [*refs, None])
            self._private += rows.private
        packed = json.dumps(left_out, ensure_ascii=False)
        self._files["capture"].add((*capture, packed, self._private - first, node, public))
        self._captures += 1
        return first

    def reference(self, node_id: str) -> int:
        """Return the reference of a shared node that was written, by its id; KeyError for another,
        and for a private one."""
        return -1 - self._shared[node_id]

    def _references(self, rows: PageRows) -> list[Any]:
        """Return the references of `rows.ids`, in their order."""
        private = range(self._private, self._private + rows.private)
        shared, add = self._shared, self._shared.setdefault
        return [*private, *(-1 - add(node_id, len(shared)) for node_id in rows.ids[rows.private :])]

    def _add_rows(self, rows: PageRows, refs: Sequence[int | None]) -> None:
        """Write what a page states. refs: the references by the indices in the rows, at the end
        None, so that `refs[NO_NODE]` is."""
        assert NO_NODE == -1
        capture = self._captures
        tables = self._files["public_node"], self._files["private_node"]
        for position, (node, section, parent, rule, heading, values) in enumerate(rows.nodes):
            named = (refs[node], refs[section], refs[parent], refs[rule], refs[heading])
            table = tables[node < rows.private]
            table.add((capture, rows.ids[node], *named, position, *values), values[_TEXT_VALUE])
        claims, labels, edges = (self._files[name] for name in ("claim", "label", "edge"))
        for node, rank, values in rows.claims:
            claims.add((capture, refs[node], rank, *values), values[_TEXT_VALUE])
        for node, *name, passage in rows.labels:
            labels.add((capture, refs[node], *name, refs[passage]))
        for kind, source, target, label, reason, passage, *rest in rows.edges:
            ends = refs[source], refs[target]
            edges.add((capture, kind, *ends, label, reason, refs[passage], *rest))
