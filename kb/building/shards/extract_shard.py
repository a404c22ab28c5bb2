"""The first task of a shard: reads its pages, extracts, tokenizes, and keeps the rows."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

from graphs.writing.page_rows import NO_NODE, SHARED_COLUMNS, PageRows
from graphs.writing.passage_annotations import text_start
from graphs.writing.row_files import RowFiles
from kb.building.capture_writer import capture_record
from kb.building.page_reader import extracted_part
from kb.building.program_fingerprint import build_fingerprint
from kb.building.shards.plan import Shard
from kb.building.shards.shard_folder import Marker
from kb.building.shards.token_files import PassageWords, TokenFiles
from kb.errors import BuildError
from kb.language.tokens import normal_text, tokenizer
from scraper import Part, ReadWarning, parts
from scraper.sources.file_groups import read_group
from scraper.sources.remote import is_remote

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
    if other and other != marker and (other.build == build or _are_alike(other, new)):
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


def _are_alike(one: Marker, other: Marker) -> bool:
    """Whether two tasks read the same content with the same program."""
    return (one.made_by, one.content) == (other.made_by, other.content)


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
