"""The documents that mutated ones are made from."""

from __future__ import annotations

import random as randomness
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.fuzz import hostile, mutators, own_seeds, structure
from benchmarks.fuzz.case import Piece
from scraper import Hints, Snapshot, SourceError, snapshots

SAMPLE = Path(__file__).parents[2] / "kb" / "sample"
SHARED = Path(__file__).parents[3] / "shared"
LARGEST = 16_000  # bytes of a seed; a part is taken of what is larger
_LARGEST_CASE = 60_000
_FEW = 12  # seeds at most of one folder and kind
_SHARED = (
    "pages/mw119", "pages/mw139", "pages/puki147euc", "pages/puki154utf", "pages/wisdom-guild",
    "pages/encoding", "seeds", "corpora/mtg-cr-ja", "corpora/lorcana-cr-en",
    "corpora/lorcana-cr-ja", "corpora/mtg-cr-en", "corpora/mtg-cr-zh", "corpora/rulebooks-more",
    "corpora/lexicon",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Seeds:
    """Documents by what they are: each a `Piece` whose `about` has url, content_type and site."""

    all: tuple[Piece, ...]

    def choose(self, random: randomness.Random, suffixes: tuple[str, ...] = ()) -> Piece:
        """Return a document; with suffixes, one whose name ends with one of them."""
        fitting = [seed for seed in self.all if not suffixes or seed.name.endswith(suffixes)]
        return random.choice(fitting)

    def mutated(self, random: randomness.Random, suffixes: tuple[str, ...] = ()) -> Piece:
        """Return a document that was changed in one or more ways, or rarely not at all."""
        seed = self.choose(random, suffixes)
        data = part_of(random, seed.data)
        for _ in range(random.choice((0, 1, 1, 1, 2, 2, 3, 4, 6, 10))):
            data = self._changed(random, seed.name, data)
        about = dict(seed.about)
        if random.random() < 0.06:
            key = random.choice(("url", "content_type", "site"))
            about[key] = _ODD_ABOUT[key](random)
        return Piece(seed.name, data[:_LARGEST_CASE], about)

    def _changed(self, random: randomness.Random, name: str, data: bytes) -> bytes:
        choice = random.random()
        if choice < 0.25:
            return random.choice(mutators.BYTES)(random, data)
        if choice < 0.33:
            other = part_of(random, self.choose(random).data)
            return mutators.splice(random, data, other)
        if name.endswith((".json", ".jsonl")) and choice < 0.9:
            return structure.json_value(random, data)
        if name.endswith((".html", ".xml")) and choice < 0.9:
            return structure.markup(random, data)
        if choice < 0.85:
            return mutators.lines(random, data)
        return mutators.insert(random, data)


_SITES = ("rulebook", "namelist", "pukiwiki", "mtgwiki", "yugioh-wiki", "dmwiki", "wisdom-guild",
          "mediawiki", "nosuch", "")  # fmt: skip
_ODD_ABOUT = {
    "url": lambda random: random.choice(
        ("http://[x", "::", "http://mtgwiki.com/wiki/%FF%00", "//", "http://x:99999/", "?", "")
    ) + random.choice(("", hostile.text(random))),
    "content_type": lambda random: "text/html; charset=" + random.choice(
        ("utf-16", "utf-7", "idna", "hex", "rot13", "euc_jp", "x\0", "unicode_escape", "'", "zlib")
    ),
    "site": lambda random: random.choice(_SITES),
}  # fmt: skip


def part_of(random: randomness.Random, data: bytes) -> bytes:
    """Return the data, or if it is large its beginning and a part from anywhere."""
    if len(data) <= LARGEST:
        return data
    beginning = random.choice((0, 300, 2000))
    start = random.randrange(len(data))
    start = data.find(b"\n", start) + 1 or start
    return data[:beginning] + data[start : start + random.choice((2000, 6000, LARGEST))]


@cache
def load(shared: Path | None = SHARED) -> Seeds:
    """Return all documents: our own, the sample's, and some of the shared captures if there are.

    shared: the folder of captures; None to do without.
    """
    found = [*_own(), *_snapshots([SAMPLE])]
    if shared and shared.is_dir():
        found += _snapshots(shared / name for name in _SHARED)
    return Seeds(tuple(found))


def _own() -> Iterator[Piece]:
    for name, text, charset, url, site in own_seeds.DOCUMENTS:
        data = text.encode(charset, "xmlcharrefreplace")
        yield Piece(name, data, {"url": url, "content_type": "", "site": site})


def _snapshots(folders: Iterable[Path]) -> Iterator[Piece]:
    """Yield the documents in folders: the smallest few of each kind of name."""
    for folder in folders:
        try:
            found = [one for one in snapshots(folder, Hints()) if isinstance(one, Snapshot)]
        except SourceError:  # a folder that is not here
            continue
        by_kind: dict[str, list[Snapshot]] = {}
        for snapshot in found:
            name = Path(snapshot.where).name
            kind = name.partition("_")[0] + snapshot.where.rpartition(".")[2]
            by_kind.setdefault(kind, []).append(snapshot)
        for kind in sorted(by_kind):
            by_size = sorted(by_kind[kind], key=lambda one: (len(one.data), one.where))
            for one in [one for one in by_size if one.data and one.stream is None][:_FEW]:
                if not one.data.startswith(b"%PDF-"):
                    yield Piece(Path(one.where).name, one.data, _about(one))


def _about(snapshot: Snapshot) -> dict[str, str]:
    return {
        "url": snapshot.url,
        "content_type": snapshot.content_type,
        "site": snapshot.hints.site or "",
    }
