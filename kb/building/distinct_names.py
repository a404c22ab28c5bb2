"""Tells pages of one name apart by the folders of their files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

from scraper.page_names import page_name


def distinct_names(
    places: Mapping[str, str], is_free: Callable[[str], bool], prefix: str, name: str
) -> dict[str, str]:
    """Return {origin of a page: name of it} for pages that have the same name, by the fewest last
    parts of their places that differ.

    places: {origin: path or URL}.
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
    """Return the parts of a path or URL; an archive is a folder."""
    parts = place.replace("\\", "/").replace("!", "/").split("/")
    return [part for part in parts if part.strip(".")] or [place]


def _without_ending(name: str) -> str:
    """Return the name of a file without its ending; one that begins with the dot stays."""
    end = name.rfind(".")
    return name[:end] if end > name.rfind("/") + 1 else name
