"""The second task of a shard: finds the mentions in its passages, when all names are known.

The names, the links of the shard, and the mentions are Parquet files:

    spelling: game, spelled, term, name (the fields of `Spelling`), node (the key of the term)
    link: passage (number), start, end, label, node (key), id; a row for each node that is linked
    mention: source (reference), node (key), label, passage (number), start, end
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from threading import Lock
from typing import IO, Any

import pyarrow as pa

from graphs.writing.passage_annotations import PassageText, SiteLink, Spelling
from graphs.writing.row_files import TableFile, read_rows
from kb.building.shards.shard_folder import ShardFolder
from kb.building.shards.token_files import PassageWords, read_passages, read_words
from kb.knowledge.names.mentions import Annotator
from kb.language.tokens import tokenizer

_one_at_a_time = Lock()  # where a process has several threads, they share the names
SPELLING = pa.schema([*((name, pa.string()) for name in Spelling._fields), ("node", pa.int64())])
LINK = pa.schema(
    [
        ("passage", pa.int64()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("label", pa.string()),
        ("node", pa.int64()),
        ("id", pa.string()),
    ]
)
MENTION = pa.schema(
    [
        ("source", pa.int64()),
        ("node", pa.int64()),
        ("label", pa.string()),
        ("passage", pa.int64()),
        ("start", pa.int64()),
        ("end", pa.int64()),
    ]
)


@dataclass(frozen=True, slots=True)
class ShardToAnnotate:
    """A shard in a merge.

    number: its place among the shards of the merge.
    folder, rows: where its rows are kept.
    merge, files: the folder for what the merge and its tasks tell each other, and the folder for
        rows in that.
    """

    number: int
    folder: ShardFolder
    rows: str
    merge: ShardFolder
    files: str


def annotate_shard(shard: ShardToAnnotate) -> str:
    """Write the mentions in the passages of a shard; return the name of the file in the merge's
    folder, `mention-3.parquet` for shard 3. One task of a process runs at a time."""
    with _one_at_a_time:
        return _annotate(shard)


def _annotate(shard: ShardToAnnotate) -> str:
    annotator, keys = _annotator(shard.merge, shard.files)
    read = shard.folder.open(shard.rows)
    links, linked = _links(shard.merge.open(shard.files), shard.number)
    name = f"mention-{shard.number}.parquet"
    with (
        shard.merge.create(shard.files)(name) as file,
        TableFile(file, MENTION) as mentions,
    ):
        for passage in read_passages(read, read_words(read)):
            for row in _mentions(passage, annotator, links.get(passage.number, [])):
                node, source, *rest = row
                mentions.add((source, keys.get(node) or linked[node], *rest))
    return name


def _mentions(
    passage: PassageWords, annotator: Annotator, links: list[SiteLink]
) -> Iterator[tuple[Any, ...]]:
    """Yield (id of the node, reference of the source, label, number of the passage, start, end) of
    each mention in a passage, in order. The source is the rule that the passage gives, else it."""
    text = PassageText(passage.game, passage.lang, passage.text, tuple(links), passage.start)
    source = passage.number if passage.rule is None else passage.rule
    for mention in annotator.mentions(text, passage.entries, passage.starts):
        yield mention.node, source, mention.label, passage.number, mention.start, mention.end


@lru_cache(1)  # of the merge that this process works for: the names of one take much memory
def _annotator(merge: ShardFolder, files: str) -> tuple[Annotator, dict[str, int]]:
    """Return what finds the names of a merge, and the keys of its terms by their ids; kept for the
    next shard of the same merge."""
    keys: dict[str, int] = {}

    def spellings() -> Iterator[Spelling]:
        with merge.open(files)("spelling.parquet") as file:
            for batch in read_rows(file):
                *fields, nodes = (column.to_pylist() for column in batch.columns)
                spellings = list(map(Spelling, *fields))
                keys.update(
                    (spelling.term, node) for spelling, node in zip(spellings, nodes, strict=True)
                )
                yield from spellings

    return Annotator(spellings(), tokenizer()), keys


def _links(
    open_file: Callable[[str], IO[bytes]], shard: int
) -> tuple[dict[int, list[SiteLink]], dict[str, int]]:
    """Return the links of a shard by the numbers of their passages, and the keys of the nodes that
    are linked by their ids. A link to nothing that is there, whose key is 0, has no nodes."""
    links: dict[int, list[SiteLink]] = defaultdict(list)
    keys: dict[str, int] = {}
    with open_file(f"link-{shard}.parquet") as file:
        rows = (
            row
            for batch in read_rows(file)
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)
        )
        for (passage, start, end, label), same in groupby(rows, key=itemgetter(0, 1, 2, 3)):
            nodes = {node_id: key for *_, key, node_id in same if key}
            keys |= nodes
            links[passage].append(SiteLink(start, end, frozenset(nodes), label))
    return links, keys
