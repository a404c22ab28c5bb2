"""Says who gives a name or a definition, and whose word counts most."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from graphs.sort_orders import edition_key
from graphs.store.passage_index import PassageFilter
from graphs.store.reader import Store
from graphs.store.termbase_rows import NameRow, names_in_rulebooks

OFFICIAL = "rulebook"  # the source whose names stand before those of others
LISTS = "namelist"  # the source of lists of names, which stand behind all others
_RULEBOOK_PAGE = re.compile(r"rulebook/[^/]+/[^/]+/[^/]+/(?P<lang>[a-z]+)#")
_SECTION_PAGE = re.compile(r"cr/r/([0-9]{1,3})")  # the name of a page of a rule viewer
# Of names that pages and lists state: the order in which they count, those first that are the
# name of a thing, and not one that leads to it. Only the order matters.
ROLES = {"preferred": 0, "alias": 1, "abbreviation": 2, "redirect": 3, "listed": 4}


def authority_of(page: str | None, edition: str | None, source: str | None) -> str:
    """Return who says something, in words of no language: the page, with the source that it stands
    in, unless that is a rulebook, and its edition, unless its title has that. Without a page it is
    the source and edition, with a space between, or empty.

    >>> authority_of("COMPREHENSIVE RULES", "20260709", "rulebook")
    'COMPREHENSIVE RULES (20260709)'
    >>> authority_of("Core Rules Last Updated: 2025-10-01", "20251001", "rulebook")
    'Core Rules Last Updated: 2025-10-01'
    >>> authority_of("引く", None, "mtgwiki")
    '引く (mtgwiki)'
    >>> authority_of("cr/r/121", "20231117", "wisdom-guild")  # has no title: a rulebook's section
    '総合ルール 121 (wisdom-guild, 20231117)'
    """
    if not page:
        return " ".join(filter(None, [source, edition]))
    if source != OFFICIAL and (section := _SECTION_PAGE.fullmatch(page)):
        page = f"総合ルール {section[1]}"
    if edition and _has_edition(page, edition):
        edition = None
    where = ", ".join(filter(None, [None if source == OFFICIAL else source, edition]))
    return f"{page} ({where})" if where else page


def _has_edition(title: str, edition: str) -> bool:
    """Return whether a title has an edition in it as it is, or with hyphens, slashes or full stops
    between its digits, but not as a part of a longer number."""
    in_title = rf"(?<!\d){re.escape(edition)}(?!\d)"
    forms = title, re.sub(r"(?<=\d)[-/.](?=\d)", "", title)
    return any(re.search(in_title, form) for form in forms)


def by_authority(rows: Iterable[NameRow]) -> list[NameRow]:
    """Return names in the order of their authority: those that a page prefers first; of these those
    of titles, headings and entries of glossaries; of these a rulebook's, the pages of single cards
    last, which only use a name; then the newest edition's, then those with most uses, then by their
    text. Lists of names come last.
    """
    by_text = sorted(rows, key=lambda row: (-row.count, row.text))
    by_text.sort(key=lambda row: edition_key(row.edition), reverse=True)
    return sorted(
        by_text,
        key=lambda row: (
            row.source == LISTS,
            ROLES.get(row.role, len(ROLES)),
            not row.defines,
            row.source != OFFICIAL,
            "/card/" in (row.passage or ""),
        ),
    )


class RulebookUses:
    """Who gives a name that no page defines: a rulebook that writes it comes before other pages."""

    def __init__(self, store: Store, rows: Iterable[NameRow]) -> None:
        """rows: all names of the terms that are asked about."""
        self._store = store
        defined: dict[tuple[str, str, str], bool] = {}
        for row in rows:
            if row.role == "preferred":  # others are said by their page alone
                name = row.node, row.lang, row.text
                defined[name] = defined.get(name, False) or row.defines
        nodes = dict.fromkeys(
            node for (node, _, _), is_defined in defined.items() if not is_defined
        )
        self._newest: dict[tuple[str, str, str], tuple[str | None, ...]] = {}
        for node, lang, words, edition, *place in names_in_rulebooks(store, nodes, OFFICIAL):
            name = node, lang, words
            known = self._newest.get(name)
            if defined.get(name) is False and (
                known is None or edition_key(edition) > edition_key(known[0])
            ):
                self._newest[name] = edition, *place

    def giver(self, row: NameRow) -> NameRow:
        """Return a row of a name as it is, or with the newest edition of a rulebook that writes the
        name as the page that gives it, if no page defines it by this name and the row's is older,
        of another source, or a rulebook in another language than the name's."""
        use = self._newest.get((row.node, row.lang, row.text)) or self._in_own_language(row)
        if use is None or row.role != "preferred":
            return row
        edition, passage, page, url = use
        is_foreign = _is_in_another_language(row)
        if row.edition and not is_foreign and edition_key(edition) <= edition_key(row.edition):
            return row
        return replace(row, source=OFFICIAL, edition=edition, passage=passage, page=page, url=url)

    def _in_own_language(self, row: NameRow) -> tuple[str | None, ...] | None:
        """Return (edition, passage, page, url) of a passage with a name in the newest rulebook in
        the name's language, for a name that a rulebook in another language gives; else None."""
        if not _is_in_another_language(row):
            return None
        from kb.query.lookup.search_words import name_query  # few bases need it

        query = name_query(row.text)
        game = row.node.partition("/")[0]
        editions = [
            each for of, each, lang in self._store.editions() if (of, lang) == (game, row.lang)
        ]
        narrow = PassageFilter(game, OFFICIAL, editions[-1] if editions else None, row.lang)
        found = self._store.passages.occurrences(query, narrow) if query and editions else iter(())
        passage = next((passage for passage, *_ in found), None)
        page = self._store.node((passage or "").partition("#")[0])
        return (page.edition, passage, page.label, page.url) if passage and page else None


def _is_in_another_language(row: NameRow) -> bool:
    """Whether a name is given by a rulebook that is in another language than the name."""
    match = _RULEBOOK_PAGE.match(row.passage or "")
    return match is not None and match["lang"] != row.lang and not row.defines
