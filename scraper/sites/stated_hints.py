"""Checks what manifests and people state about a source: impossible values, wrong languages."""

from __future__ import annotations

from dataclasses import replace

from scraper.page import Page, ReadWarning
from scraper.rulebook.edition import edition_of
from scraper.rulebook.languages import LANGUAGE_CODES, other_language
from scraper.sites import site_catalogue
from scraper.sites.games import is_id
from scraper.sources.snapshot import Snapshot

_FOR_LANGUAGE = 50_000  # characters of a page that are looked at
_LONGEST_VALUE = 40  # characters of a value in a warning


def without_wrong_hints(snapshot: Snapshot) -> tuple[Snapshot, list[ReadWarning]]:
    """Return a snapshot without those of its hints that can't be, and a warning for each of them:
    they are detected instead. A date is written as ids write it.

    Such values come from manifests; those that a person gives are refused before.
    """
    hints, problems = snapshot.hints, []
    if hints.lang and hints.lang not in LANGUAGE_CODES:
        known = ", ".join(LANGUAGE_CODES)
        problems.append(f"language {_short(hints.lang)}: there are {known}; it is detected instead")
        hints = replace(hints, lang=None)
    if hints.edition and (name := edition_of(hints.edition)) != hints.edition:
        if name is None:
            what = "neither a date nor a version; it is detected instead"
            problems.append(f"edition {_short(hints.edition)}: {what}")
        hints = replace(hints, edition=name)
    if hints.game and not is_id(hints.game):
        problems.append(f"game {_short(hints.game)}: no short name; it is detected instead")
        hints = replace(hints, game=None)
    if hints.site and not site_catalogue.engine_of(hints.site):
        known = ", ".join(site_catalogue.names())
        problems.append(f"site {_short(hints.site)}: there are {known}; it is detected instead")
        hints = replace(hints, site=None)
    if hints is snapshot.hints:
        return snapshot, []
    warnings = [ReadWarning(snapshot.where, problem) for problem in problems]
    return replace(snapshot, hints=hints), warnings


def wrong_language(page: Page, snapshot: Snapshot) -> list[ReadWarning]:
    """Return a warning if a page is clearly written in another language than is stated for it."""
    stated = snapshot.hints.lang
    if not stated or page.engine == "namelist":
        return []
    text = "\n".join(passage.text for passage in page.passages)[:_FOR_LANGUAGE]
    found = other_language(text, stated)
    if found is None:
        return []
    what = f"stated to be in the language {stated}, but written in {found}; filed as {stated}"
    return [ReadWarning(snapshot.where, what)]


def _short(value: str) -> str:
    return value if len(value) <= _LONGEST_VALUE else value[:_LONGEST_VALUE] + "…"
