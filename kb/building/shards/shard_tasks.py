"""The two tasks of a shard, and which files a task reads together.

The first reads its pages, extracts, tokenizes, and keeps the rows; the second finds the mentions in
its passages, when all names are known.

The names, the links of the shard, and the mentions are Parquet files:

    spelling: game, spelled, term, name (the fields of `Spelling`), node (the key of the term)
    link: passage (number), start, end, label, node (key), id; a row for each node that is linked
    mention: source (reference), node (key), label, passage (number), start, end
"""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from threading import Lock
from typing import IO, Any

import pyarrow as pa

from graphs.writing.page_claims import NO_NODE, SHARED_COLUMNS, PageRows
from graphs.writing.passage_annotations import PassageText, SiteLink, Spelling, text_start
from graphs.writing.shard_row_files import RowFiles, TableFile, read_rows
from kb.building.capture_writer import capture_record
from kb.building.changed_sources import Sources
from kb.building.page_reader import extracted_part
from kb.building.program_fingerprint import build_fingerprint
from kb.building.shards.shard_folder import Marker, ShardFolder
from kb.building.shards.token_files import PassageWords, TokenFiles, read_passages, read_words
from kb.errors import BuildError
from kb.knowledge.names.mentions import Annotator
from kb.language.tokens import normal_text, tokenizer
from scraper import Hints, Part, ReadWarning, parts
from scraper.sources.files_read_together import FileGroup, file_groups, read_group, remote_groups
from scraper.sources.remote import is_remote

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


@dataclass(frozen=True, slots=True)
class Shard:
    """What one task reads. It can be sent to other processes and machines.

    files: the files, with what manifests state of them.
    hints: what the person who builds says of them.
    folder: where its rows are kept.
    """

    files: FileGroup
    hints: Hints
    folder: ShardFolder


def plan(sources: Sources, folder: str, own: Container[str]) -> Iterator[Shard | ReadWarning]:
    """Yield the shards of sources, and warnings of what can't be read before files are opened; in
    the order of the sources, those on object storage last. What is named twice with the same hints
    is one shard: two tasks must not write the same.

    folder: where all shards are kept. own: real paths of files that are no sources.
    """
    groups = (
        *((file_groups(place, own), hints) for place, hints in sources.places),
        *((remote_groups(url), hints) for url, hints in sources.urls),
    )
    planned = set()
    for found, hints in groups:
        for group in found:
            if isinstance(group, ReadWarning):
                yield group
            elif (name := _name(group, hints)) not in planned:
                planned.add(name)
                yield Shard(group, hints, ShardFolder.within(folder, name))


def _name(group: FileGroup, hints: Hints) -> str:
    """Return the name of the folder for a shard, 24 hexadecimal digits: the same for the same files
    and hints, whatever is in the files."""
    # 12 bytes: two of even a billion shards hardly have the same, and the name stays short.
    text = repr((group.source, group.paths, hints)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=12).hexdigest()


_KIND, _GAME, _LANG, _TEXT, _DETAILS = (
    ("kind", *SHARED_COLUMNS).index(name) for name in ("kind", "game", "lang", "text", "details")
)


@dataclass(frozen=True, slots=True)
class ShardRead:
    """A shard whose rows are kept.

    rows: the folder with them, in that of the shard.
    parts: how many parts were read for this build; 0 if they were there before, and unchanged.
    is_new: whether it was read for this build, be there anything in it or not.
    """

    rows: str
    parts: int
    is_new: bool = True


def extract_shard(shard: Shard, made_by: str, build: str) -> ShardRead:
    """Keep the rows of a shard, unless they are there already and whole; return where.

    made_by: the fingerprint of the program that builds. build: a name of this build: a task is done
    again if the worker is lost that was to tell its result. Raises BuildError if this process runs
    another program or does not see a file, and SourceError if a file can't be read at all; then
    nothing new is kept.
    """
    if build_fingerprint() != made_by:
        raise BuildError("other_version_on_worker")
    marker = shard.folder.marker()
    if marker and marker.build == build:
        return ShardRead(marker.rows, marker.parts)
    _check_there(shard)
    if (
        marker
        and marker.made_by == made_by
        and marker.content == _content(shard)
        and marker.files == shard.folder.digests(marker.rows)
    ):
        return ShardRead(marker.rows, 0, is_new=False)
    rows = shard.folder.new_rows()
    try:
        content, parts = _write(shard, rows)
    except BaseException:
        shard.folder.delete(rows)
        raise
    new = Marker(
        rows, made_by, shard.files.version or content, parts, build, shard.folder.digests(rows)
    )
    other = shard.folder.marker()
    alike = other and (other.made_by, other.content) == (new.made_by, new.content)
    if other and other != marker and (other.build == build or alike):
        shard.folder.delete(rows)  # somebody took this worker for lost, and another did it
        return ShardRead(other.rows, other.parts)
    shard.folder.complete(new)
    return ShardRead(rows, parts)


def _check_there(shard: Shard) -> None:
    """Raise BuildError if a file is not there that was when the build began: this worker may see
    others than whoever builds. A link that leads nowhere is there; what reads it says so."""
    for path in shard.files.paths:
        if not is_remote(path) and not os.path.lexists(path):
            raise BuildError("unseen_by_worker", path=str(path))


def _content(shard: Shard) -> str:
    """Return what tells this content of a shard from another: what its storage says of it, or a
    hash of all that is read, as `_write` returns it; for that all of the shard is read."""
    if shard.files.version:
        return shard.files.version
    digest = hashlib.blake2b(digest_size=16)
    for found in found_in(shard):
        digest.update(_identity(found))
    return digest.hexdigest()


def found_in(shard: Shard) -> Iterator[Part | ReadWarning]:
    """Yield the parts of a shard, and warnings of what can't be read, in the order of its files."""
    for found in read_group(shard.files, shard.hints):
        if isinstance(found, ReadWarning):
            yield found
        else:
            yield from parts(found)


def _identity(found: Part | ReadWarning) -> bytes:
    return repr(found).encode() if isinstance(found, ReadWarning) else found.identity


def _write(shard: Shard, rows: str) -> tuple[str, int]:
    """Read a shard into a folder for rows; return a hash of what was read, and the number of its
    parts."""
    number = 0
    digest = hashlib.blake2b(digest_size=16)
    create = shard.folder.create(rows)
    with RowFiles(create) as row_files, TokenFiles(create) as token_files:
        for found in found_in(shard):
            digest.update(_identity(found))
            if isinstance(found, ReadWarning):
                row_files.add_warning(None, found.where, found.what, found.hints)
            else:
                _write_part(found, row_files, token_files)
                number += 1
    return digest.hexdigest(), number


def _write_part(part: Part, row_files: RowFiles, token_files: TokenFiles) -> None:
    extracted = extracted_part(part)
    waiting = [page for page in extracted.pages if page.waits]
    row = row_files.add_part(extracted.identity, bool(waiting))
    for warning in extracted.warnings:
        row_files.add_warning(row, warning.where, warning.what, warning.hints)
    for page in extracted.pages:
        if not page.waits:
            record = capture_record(page, row, chosen=False)
            first = row_files.add_capture(record, page.left_out, page.rows)
            if page.rows:
                _write_words(page.rows, first, row_files, token_files)


def _write_words(rows: PageRows, first: int, row_files: RowFiles, token_files: TokenFiles) -> None:
    """Tokenize the passages of a page, and write them with their words. first: the number of its
    first private node."""
    for node, _, _, rule, _, values in rows.nodes:
        if values[_KIND] == "passage":
            text = values[_TEXT] or ""
            entries, starts = tokenizer().entries(text)
            token_files.add(
                PassageWords(
                    first + node,
                    values[_GAME] or "",
                    values[_LANG] or "",
                    text,
                    text_start(values[_DETAILS]),
                    None if rule == NO_NODE else row_files.reference(rows.ids[rule]),
                    normal_text(entries),
                    entries,
                    starts,
                )
            )
