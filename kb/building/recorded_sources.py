"""What a knowledge base is built from: sets of sources with their hints, as its file records it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from graphs.store.file.file_digest import is_damaged
from graphs.store.file.schema import read_meta
from kb.errors import QuestionError, StoreError
from kb.reason import Reason
from scraper import Hints
from scraper.sites.site_catalogue import Site
from scraper.sites.sites_file import find_sites
from scraper.sources.files import storable_path, walk

BUNDLED_SAMPLE = "the bundled sample"
BUILT_FROM = "built from"  # the key of what is recorded
_LONGEST_PATH = 4_096  # characters; no system takes longer ones (Linux has PATH_MAX of 4,096 bytes)
_MOST_SHOWN = 5  # places of a set, in a message of a line or two; the rest is counted
_PART_END = re.compile(r"[!/\\]" if os.sep == "\\" else "[!/]")


@dataclass(frozen=True, slots=True)
class SourceSet:
    """Sources that were named together, with what was said of all of them.

    places: files and folders; none for the bundled sample.
    hints: what the person who builds says of them.
    sites: a TOML file with more wikis, if one was given.
    corrections: a TOML file that says which rules are the same, if one was given.
    urls: files and folders on object storage, which are read in shards.
    """

    places: tuple[Path, ...]
    hints: Hints = field(default_factory=Hints)
    sites: Path | None = None
    urls: tuple[str, ...] = ()
    corrections: Path | None = None

    @property
    def is_sample(self) -> bool:
        """Whether this is the bundled sample: no source was named."""
        return not self.places and not self.urls

    def find_sites(self) -> tuple[Site, ...]:
        """Return the wikis that the user describes for these sources. Raises SourceError if a file
        can't be read or used."""
        return tuple(find_sites(self.places, self.sites))

    def says_the_same(self, other: SourceSet) -> bool:
        """Whether the same was said of the sources of both sets (hints, sites and corrections), and
        neither is the sample."""
        same = self.hints, self.sites, self.corrections
        others = other.hints, other.sites, other.corrections
        return same == others and not self.is_sample and not other.is_sample


@dataclass(frozen=True, slots=True)
class Origin:
    """What a knowledge base is built from: one set of sources, or several that were added up."""

    sets: tuple[SourceSet, ...]

    @property
    def is_sample(self) -> bool:
        """Whether it is the bundled sample and nothing else; true without any set, too."""
        return all(source_set.is_sample for source_set in self.sets)

    @property
    def places(self) -> tuple[Path, ...]:
        """The files and folders of all sets, in order, without addresses."""
        return tuple(place for source_set in self.sets for place in source_set.places)

    @property
    def urls(self) -> tuple[str, ...]:
        """The files and folders of all sets that are on object storage."""
        return tuple(url for source_set in self.sets for url in source_set.urls)

    def with_added(self, new: SourceSet) -> Origin:
        """Return this and a new set of sources beside it.

        A source that is there already, by its real path, takes the hints of the new set; sets with
        the same hints become one. A set that is left without files and folders goes. The new set
        has no addresses: these are read in shards, and no source is added to such a build.

        >>> before = Origin((SourceSet((Path("a"),)),))
        >>> [len(sources.places) for sources in before.with_added(SourceSet((Path("b"),))).sets]
        [2]
        >>> of_a_game = SourceSet((Path("b"),), Hints(game="ws"))
        >>> [len(sources.places) for sources in before.with_added(of_a_game).sets]
        [1, 1]
        """
        named = {os.path.realpath(place): place for place in new.places}
        sets: list[SourceSet] = []
        joined = False
        for old in self.sets:
            if old.says_the_same(new):
                known = set(map(os.path.realpath, old.places))
                more = (place for real, place in named.items() if real not in known)
                sets.append(replace(old, places=(*old.places, *more)))
                joined = True
            else:
                places = tuple(p for p in old.places if os.path.realpath(p) not in named)
                if places or old.urls or old.is_sample:
                    sets.append(replace(old, places=places))
        return Origin(tuple(sets) if joined else (*sets, new))

    def without(self, places: Iterable[Path]) -> Origin:
        """Return this without some files and folders, as they are named; a set without any other
        source is left out, so that there may be no set."""
        gone = frozenset(places)
        rest = (
            replace(old, places=tuple(place for place in old.places if place not in gone))
            for old in self.sets
            if old.is_sample or old.urls or not gone.issuperset(old.places)
        )
        return Origin(tuple(rest))

    def in_words(self, named: Collection[Path] = ()) -> Iterator[str]:
        """Yield for each set of sources what is read for it, joined by commas, the first five and
        how many more, but for what was just named; nothing for a set of which that is all.

        >>> list(Origin((SourceSet((Path("a"), Path("b"))), SourceSet(()))).in_words())
        ['a, b', 'the bundled sample']
        """
        for one in self.sets:
            places = [str(place) for place in one.places if place not in named] + [*one.urls]
            if len(places) > _MOST_SHOWN:
                places[_MOST_SHOWN:] = [f"{len(places) - _MOST_SHOWN} more"]
            if places or one.is_sample:
                sites = f", with the wikis of {one.sites}" if one.sites else ""
                yield f"{', '.join(places) or BUNDLED_SAMPLE}{sites}"

    def with_files(self, sites: Path | None, corrections: Path | None) -> Origin:
        """Return this with other files that describe wikis or say which rules are the same, for all
        of its sets; None for those of before."""
        sets = (
            replace(old, sites=sites or old.sites, corrections=corrections or old.corrections)
            for old in self.sets
        )
        return Origin(tuple(sets))

    @property
    def correction_files(self) -> list[Path]:
        """The files that say which rules are the same, each once, in the order of the sets."""
        return list(dict.fromkeys(one.corrections for one in self.sets if one.corrections))

    def find_sites(self) -> tuple[Site, ...]:
        """Return the wikis that the user describes, for all sets together, sorted by name.

        Where two sets describe a wiki of one name, the description of the later set is taken.
        Raises SourceError if a file can't be read or used.
        """
        sites = {site.name: site for source_set in self.sets for site in source_set.find_sites()}
        return tuple(site for _, site in sorted(sites.items()))

    def places_with_hints(
        self, sites: tuple[Site, ...], sample: Path
    ) -> Iterator[tuple[Path, Hints]]:
        """Yield each file and folder with the hints for it, in order; the sample's folder in the
        place of its set.

        sites: the wikis that the user describes; they become part of the hints.
        sample: the folder of the bundled sample.
        """
        for source_set in self.sets:
            for place in (sample,) if source_set.is_sample else source_set.places:
                yield place, replace(source_set.hints, sites=sites)

    def urls_with_hints(self, sites: tuple[Site, ...]) -> Iterator[tuple[str, Hints]]:
        """Yield each file and folder on object storage with the hints for it, in order, as
        `places_with_hints` does for the others."""
        for source_set in self.sets:
            for url in source_set.urls:
                yield url, replace(source_set.hints, sites=sites)

    def as_meta(self) -> str:
        """Return the JSON that is stored in the file: an object of `folder` (the current one, to
        which paths are relative) and `sets`, each with `places`, `urls`, `hints`, `sites` and
        `corrections` (paths, or null)."""
        sets = [
            {
                "places": list(map(str, source_set.places)),
                "urls": list(source_set.urls),
                "hints": _hints_as_json(source_set.hints),
                "sites": str(source_set.sites) if source_set.sites else None,
                "corrections": str(source_set.corrections) if source_set.corrections else None,
            }
            for source_set in self.sets
        ]
        return json.dumps({"folder": current_folder(), "sets": sets})

    @staticmethod
    def of(kb: Path) -> Origin:
        """Return what a knowledge base was built from; relative places lead from the folder of that
        build. The hints are as they were given.

        Raises QuestionError if the file does not say, or not in a form that a build writes, and
        StoreError if it is no knowledge base or a damaged one.
        """
        if is_damaged(kb):
            raise StoreError(Reason("damaged_origin", kb=str(kb)))
        try:
            folder, sets = _folder_and_sets(read_meta(kb, BUILT_FROM))
        except ValueError:
            raise QuestionError("unknown_origin", kb=str(kb)) from None
        start = Path() if folder == current_folder() else Path(folder)
        origin = Origin(tuple(_set_from_json(one, start) for one in sets))
        files = [one.sites for one in origin.sets if one.sites] + origin.correction_files
        for place in (*origin.places, *files):
            if place.exists() and not (place.is_file() or place.is_dir()):
                raise QuestionError("origin_is_no_file", kb=str(kb), place=str(place))
        return origin


def source_of(place: str, sources: Collection[str]) -> str | None:
    """Return the source that a file is, or is in: the innermost folder or archive of them; None if
    there is none. The time that it takes does not depend on their number.

    place: the path of the file; behind `!` may be the place in an archive. Names may have `!`, too.
    sources: files and folders as `plain_path` writes them; a set, or the keys of a dict.

    >>> source_of("a/b.zip!c.html", {"a"}), source_of("a/b.zip!c.html", {"a", "a/b.zip"})
    ('a', 'a/b.zip')
    >>> source_of("ab.html", {"a"}), source_of("ab.html", {"."})
    (None, '.')
    """
    ends = [found.start() for found in _PART_END.finditer(place)]
    for end in (len(place), *reversed(ends)):
        if place[:end] in sources:
            return place[:end]
    root = place[:1] if place.startswith("/") else "."
    return root if root in sources else None


def plain_path(source: str | Path) -> str:
    """Return the path of a source as the places of its files begin with it, which can be stored:
    without `./` and a slash behind it.

    >>> plain_path("./pages/"), plain_path(Path("."))
    ('pages', '.')
    """
    return storable_path(str(Path(source)))


def is_in_sample(place: str) -> bool:
    """Whether a file is one of the bundled sample: whether `/kb/sample/` is in its path."""
    return "/kb/sample/" in Path(place).as_posix()


def recorded_places(kb: Path) -> list[str]:
    """Return the files and folders that a knowledge base was built from, as they were named then;
    none if its file does not say so in a form that a build writes. Raises StoreError if it is no
    knowledge base."""
    try:
        _, sets = _folder_and_sets(read_meta(kb, BUILT_FROM))
    except ValueError:
        return []
    return [place for source_set in sets for place in (*source_set["places"], *_urls(source_set))]


def _urls(stored: dict[str, Any]) -> tuple[str, ...]:
    """Return the addresses in the JSON of a set of sources; older files have none."""
    return tuple(stored.get("urls", ()))


def current_folder() -> str:
    """Return the path of the current folder; empty if it is not there any more."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""


def is_gone(place: Path) -> bool:
    """Whether a source is not there any more: a file that is gone, or a folder without any file in
    it, at any depth."""
    if place.is_dir():
        return not any(isinstance(path, str) for path in walk(place))
    return not place.exists()


def _folder_and_sets(stored: object) -> tuple[str, list[dict[str, Any]]]:
    """Return the folder of a build and its sets of sources, from what a file records.

    stored: JSON, as `Origin.as_meta` returns it; older files have one set, unnamed.

    Raises ValueError if it is anything else, such as None: a build can't have written it.
    """
    if not isinstance(stored, str):
        raise ValueError("nothing is recorded")
    try:
        meta = json.loads(stored)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if not isinstance(meta, dict) or not _is_path(meta.get("folder")):
        raise ValueError("no folder")
    sets = meta.get("sets", [meta])
    if not isinstance(sets, list) or not sets or not all(map(_is_set, sets)):
        raise ValueError("no sets of sources")
    return meta["folder"], sets


def _is_set(stored: object) -> bool:
    """Whether a value from JSON is a set of sources, with lists of paths, hints that are texts or
    null, and perhaps files; other keys don't matter."""
    if not isinstance(stored, dict):
        return False
    places, hints = stored.get("places"), stored.get("hints")
    files = stored.get("sites"), stored.get("corrections")
    return (
        isinstance(places, list)
        and all(map(_is_path, places))
        and isinstance(stored.get("urls", []), list)
        and all(map(_is_path, stored.get("urls", [])))
        and isinstance(hints, dict)
        and all(value is None or isinstance(value, str) for value in hints.values())
        and all(file is None or _is_path(file) for file in files)
    )


def _is_path(stored: object) -> bool:
    """Whether a value from JSON can be the path of a file: a text that is not empty, of at most
    4,096 characters, without NUL, and in the encoding of file names."""
    if not isinstance(stored, str) or not 0 < len(stored) <= _LONGEST_PATH or "\0" in stored:
        return False
    try:
        os.fsencode(stored)
    except UnicodeEncodeError:
        return False
    return True


def _set_from_json(stored: dict[str, Any], folder: Path) -> SourceSet:
    """Return a set of sources from its JSON, which `_is_set` has found to be one; unknown hints are
    left out. folder: what relative paths lead from."""
    hints = {name: stored["hints"].get(name) for name in _hints_as_json(Hints())}
    sites, corrections = stored.get("sites"), stored.get("corrections")
    return SourceSet(
        tuple(folder / place for place in stored["places"]),
        Hints(**hints),
        folder / sites if sites else None,
        _urls(stored),
        folder / corrections if corrections else None,
    )


def _hints_as_json(hints: Hints) -> dict[str, Any]:
    """Return hints as they are stored: the wikis among them are found anew in each build."""
    return {name: value for name, value in asdict(hints).items() if name != "sites"}
