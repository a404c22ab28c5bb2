"""Says who gives a name or a definition, and whose word counts most."""

from __future__ import annotations

from collections.abc import Iterable

from graphs.natural_order import natural_key
from graphs.store.termbase_rows import NameRow

OFFICIAL = "rulebook"  # the source whose names stand before those of others
ROLES = {"preferred": 0, "alias": 1, "abbreviation": 2, "redirect": 3}  # of names that pages state


def authority_of(page: str | None, edition: str | None, source: str | None) -> str:
    """Return who says something, for people to read: the page, with the source that it stands in,
    unless that is a rulebook, and its edition.

    >>> authority_of("COMPREHENSIVE RULES", "20260709", "rulebook")
    'COMPREHENSIVE RULES, edition 20260709'
    >>> authority_of("引く", None, "mtgwiki")
    '引く (mtgwiki)'
    """
    of_source = f" ({source})" if source and source != OFFICIAL else ""
    dated = f", edition {edition}" if edition else ""
    return f"{page}{of_source}{dated}" if page else f"{source or ''}{dated}".removeprefix(", ")


def by_authority(rows: Iterable[NameRow]) -> list[NameRow]:
    """Return names in the order of their authority: those that a page prefers first; of these those
    of titles, headings and entries of glossaries; of these a rulebook's, then the newest edition's.
    """
    by_text = sorted(rows, key=lambda row: (-row.count, row.text))
    by_text.sort(key=lambda row: natural_key(row.edition or ""), reverse=True)
    return sorted(
        by_text,
        key=lambda row: (ROLES.get(row.role, len(ROLES)), not row.defines, row.source != OFFICIAL),
    )
