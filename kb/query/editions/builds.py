"""Compares two builds of a knowledge base: which editions, pages, terms and names came, changed or
went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

from graphs.store.reader import Store
from kb.result import Result

_PAGE_TEXTS = (
    "SELECT p.id, n.text FROM node n JOIN node p ON p.key = n.page "
    "WHERE n.kind = 'passage' AND p.kind = 'page' AND n.text NOT NULL ORDER BY p.id, n.key"
)
_TERM_NAMES = (
    "SELECT n.id, l.lang, l.text FROM node n JOIN label l ON l.node = n.key "
    "WHERE n.kind = 'term' AND l.role <> 'proposed'"
)
Edition = tuple[str, str, str]
Name = tuple[str, str, str]


class BuildContents(NamedTuple):
    """What a build has, as far as it is compared.

    editions: the (game, edition, language) of its rules. pages: {id of a page: digest of its text}.
    names: {id of a term: the (language, name) of its stated names}. edges: {kind: how many}.
    """

    editions: frozenset[Edition]
    pages: Mapping[str, bytes]
    names: Mapping[str, frozenset[tuple[str, str]]]
    edges: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class BuildChanges(Result):
    """What an older build of a knowledge base and a newer one differ in, each list sorted.

    before, after: the files.
    editions_added, editions_removed: (game, edition, language) of each.
    pages_added, pages_changed, pages_removed: ids. A page counts as changed if its text is another;
        of a rulebook's edition the pages are its parts.
    pages_same: how many pages have the same text in both.
    terms_added, terms_removed: ids.
    names_added, names_removed: (id of the term, language, name), of terms that are in both.
    edges: {kind: (how many before, how many now)} where they differ.
    """

    before: str
    after: str
    editions_added: tuple[Edition, ...]
    editions_removed: tuple[Edition, ...]
    pages_added: tuple[str, ...]
    pages_changed: tuple[str, ...]
    pages_removed: tuple[str, ...]
    pages_same: int
    terms_added: tuple[str, ...]
    terms_removed: tuple[str, ...]
    names_added: tuple[Name, ...]
    names_removed: tuple[Name, ...]
    edges: Mapping[str, tuple[int, int]]


def build_contents(store: Store) -> BuildContents:
    """Return what a build has to be compared with another: before the file is replaced, if it is
    to be."""
    digests: dict[str, blake2b] = {}
    for page, text in store.table(_PAGE_TEXTS, str, str):
        digests.setdefault(page, blake2b(digest_size=16)).update(f"{text}\0".encode())
    pages = dict.fromkeys(
        (page for (page,) in store.table("SELECT id FROM node WHERE kind = 'page'", str)), b""
    )
    pages |= {page: digest.digest() for page, digest in digests.items()}
    names: dict[str, set[tuple[str, str]]] = {}
    for term, lang, name in store.table(_TERM_NAMES, str, str, str):
        names.setdefault(term, set()).add((lang, name))
    edges = store.table("SELECT kind, count(*) FROM any_edge GROUP BY kind", str, int)
    return BuildContents(
        frozenset(store.editions()),
        pages,
        {term: frozenset(each) for term, each in names.items()},
        dict(edges),
    )


def between_builds(
    before: BuildContents, after: BuildContents, files: tuple[str, str]
) -> BuildChanges:
    """Return what two builds differ in. files: the names of the older and of the newer."""
    both = before.pages.keys() & after.pages.keys()
    changed = {page for page in both if before.pages[page] != after.pages[page]}
    terms = before.names.keys() & after.names.keys()
    had = {(term, *name) for term in terms for name in before.names[term]}
    has = {(term, *name) for term in terms for name in after.names[term]}
    counts = {
        kind: (before.edges.get(kind, 0), after.edges.get(kind, 0))
        for kind in sorted(before.edges.keys() | after.edges.keys())
    }
    return BuildChanges(
        *files,
        editions_added=tuple(sorted(after.editions - before.editions)),
        editions_removed=tuple(sorted(before.editions - after.editions)),
        pages_added=tuple(sorted(after.pages.keys() - before.pages.keys())),
        pages_changed=tuple(sorted(changed)),
        pages_removed=tuple(sorted(before.pages.keys() - after.pages.keys())),
        pages_same=len(both) - len(changed),
        terms_added=tuple(sorted(after.names.keys() - before.names.keys())),
        terms_removed=tuple(sorted(before.names.keys() - after.names.keys())),
        names_added=tuple(sorted(has - had)),
        names_removed=tuple(sorted(had - has)),
        edges={kind: count for kind, count in counts.items() if count[0] != count[1]},
    )
