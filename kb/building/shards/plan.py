"""Plans the shards of sources: which files a task reads together."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterator
from dataclasses import dataclass

from kb.building.changed_sources import Sources
from kb.building.shards.shard_folder import ShardFolder
from scraper import Hints, ReadWarning
from scraper.sources.file_groups import FileGroup, file_groups, remote_groups


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
