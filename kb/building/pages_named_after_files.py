"""Writes pages that are named after their files: files of one name are told apart by folders.

Which files have the same name is known when all are read, so these pages wait until then.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass

from graphs.writing.writer import UpdateImpossible, Writer
from kb.building.capture_writer import CaptureWriter
from kb.building.page_reader import ExtractedPage, extracted_as
from scraper.page_names import page_name

_META = "pages named after files"


@dataclass(frozen=True, slots=True)
class _Unnamed:
    """A capture of a page that is named after its file.

    page_id: the id that the page would have if no other page had it.
    origin: what is the same for two captures of one page: the URL, or else the content.
    place: the file.
    written_as: the id of the page in the graph; empty if it is not there yet.
    """

    page_id: str
    origin: str
    place: str
    written_as: str = ""


def write_unnamed(writer: Writer, captures: CaptureWriter) -> None:
    """Write the pages without names among captures, whose other pages are all written, except lists
    of names.

    Raises UpdateImpossible if, in an update, the change affects how other such pages are called.
    """
    text = writer.meta(_META)
    stored = [_Unnamed(*item) for item in json.loads(text)] if text else []
    new = [(_of(extracted), part, extracted) for part, extracted in captures.unnamed]
    if not stored and not new:
        return
    in_graph = [known for known in stored if _is_in_graph(writer, known)]
    own = {(known.written_as, known.place) for known in stored}

    def has_named_page(page_id: str) -> bool:
        found = writer.provenance.captures(page_id)
        return any((page_id, capture.place) not in own for _, capture in found)

    ids = _distinct_ids([*in_graph, *(item for item, _, _ in new)], has_named_page)
    for known in in_graph:
        if ids[known.page_id, known.origin] != known.written_as:
            raise UpdateImpossible(f"{known.page_id}: several pages have this name")
    written = set(in_graph)
    for item, part, extracted in new:
        page_id = ids[item.page_id, item.origin]
        _write(writer, captures, extracted, part, page_id)
        written.add(_Unnamed(item.page_id, item.origin, item.place, page_id))
    kept = sorted(map(astuple, written))
    writer.set_meta(_META, json.dumps(kept, ensure_ascii=False))


def _of(extracted: ExtractedPage) -> _Unnamed:
    page = extracted.unnamed
    assert page is not None
    origin = extracted.url or extracted.sha256
    return _Unnamed(f"{page.source}/{page.name}", origin, extracted.place)


def _is_in_graph(writer: Writer, known: _Unnamed) -> bool:
    found = writer.provenance.captures(known.written_as)
    return any(capture.place == known.place for _, capture in found)


def _distinct_ids(
    unnamed: Iterable[_Unnamed], has_named_page: Callable[[str], bool]
) -> dict[tuple[str, str], str]:
    """Return the ids of pages by (the id without others, origin), whatever the order of them: the
    id itself where one origin alone has it, else longer ones that no other page has.

    has_named_page: whether a page that does have a name has an id.
    """
    places: dict[str, dict[str, str]] = defaultdict(dict)
    for item in unnamed:
        same = places[item.page_id]
        same[item.origin] = min(item.place, same.get(item.origin, item.place))
    taken = set(places)
    ids: dict[tuple[str, str], str] = {}
    for page_id, same in sorted(places.items()):
        if len(same) == 1 and not has_named_page(page_id):
            [origin] = same
            ids[page_id, origin] = page_id
            continue
        source, _, name = page_id.partition("/")

        def is_free(other: str, source: str = source) -> bool:
            other_id = f"{source}/{other}"
            return other_id not in taken and not has_named_page(other_id)

        for origin, own_name in distinct_names(same, is_free, "", name).items():
            ids[page_id, origin] = f"{source}/{own_name}"
            taken.add(ids[page_id, origin])
    return ids


def _write(
    writer: Writer, captures: CaptureWriter, extracted: ExtractedPage, part: int, page_id: str
) -> None:
    """Write a page with the id that it gets, with a warning if that is not of its file's name. Its
    title changes with its name only if the two were the same."""
    page = extracted.unnamed
    assert page is not None
    name = page_id.removeprefix(f"{page.source}/")
    title = page.title if page.title != page.name else name
    written, warnings = extracted_as(extracted, page.with_(name=name, title=title))
    captures.put_page(written, part)
    if name != page.name:
        other = f"{page.source}/{page.name}"
        warnings.append(f"other pages are also called {other}; this one is {page_id}")
    for what in warnings:
        writer.provenance.add_warning(part, extracted.place, what)


def distinct_names(
    places: Mapping[str, str], is_free: Callable[[str], bool], prefix: str, name: str
) -> dict[str, str]:
    """Return {origin of a page: name of it} for pages that have the same name, by the fewest last
    parts of their places that differ, and are free; if all of the places give no such names, `name`
    with the start of a hash of the origin behind it. Endings stay only where they tell files apart.

    places: {origin: path or URL}; at least one.
    is_free: whether no other page has a name.
    prefix: what all names begin with; name: the name that the pages have.

    >>> distinct_names({"1": "a/x.html", "2": "b/x.html"}, lambda name: True, "", "x")
    {'1': 'a/x', '2': 'b/x'}
    """
    paths = {origin: _path_parts(place) for origin, place in places.items()}
    stems = {_without_ending(parts[-1]) for parts in paths.values()}
    endings = {parts[-1] for parts in paths.values()}
    for depth in range(1, 1 + max(map(len, paths.values()))):
        names = {}
        for origin, parts in paths.items():
            path = "/".join(parts[-depth:])
            keeps_ending = len(endings) > len(stems)
            names[origin] = page_name(prefix + (path if keeps_ending else _without_ending(path)))
        if len(set(names.values())) == len(names) and all(map(is_free, names.values())):
            return names
    return {
        origin: f"{name}/{hashlib.sha256(origin.encode()).hexdigest()[:12]}" for origin in paths
    }


def _path_parts(place: str) -> list[str]:
    """Return the parts of a path or URL, without empty ones and dots; an archive is a folder. A
    place without any other is one part."""
    parts = place.replace("\\", "/").replace("!", "/").split("/")
    return [part for part in parts if part.strip(".")] or [place]


def _without_ending(name: str) -> str:
    """Return the name or path of a file without its ending, which begins at the last dot; a name
    that begins with its only dot stays."""
    end = name.rfind(".")
    return name[:end] if end > name.rfind("/") + 1 else name
