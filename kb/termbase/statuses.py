"""Decides which of the names that pages give a term is preferred, admitted or outdated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from unicodedata import normalize

from graphs.edition_order import edition_key
from graphs.model import Edge
from graphs.store.termbase_rows import NameRow
from kb.language.fold import fold
from kb.query.lookup.authority import LISTS, ROLES, authority_of, by_authority
from kb.termbase.model import ConceptName, Reason, Status

_REASONS: dict[str, Reason] = {
    "alias": "alias",
    "redirect": "redirect",
    "abbreviation": "abbreviation",
}
PROPOSED = "proposed"  # of such names, and the `basis` of the edges that say what they rest on


@dataclass(frozen=True, slots=True)
class _Name:
    """The rows of one name, of all sources and editions, the one with most authority first."""

    rows: tuple[NameRow, ...]
    outdated: bool

    @property
    def best(self) -> NameRow:
        return self.rows[0]


def names_with_statuses(
    rows: Iterable[NameRow], giver: Callable[[NameRow], NameRow] = lambda row: row
) -> list[ConceptName]:
    """Return the names that pages give one term, by language, each with its status, what that rests
    on, and who gives it; preferred ones first.

    rows: all names of the term. Names that differ only in case or width are one; readings and
        proposed names are left out.
    giver: returns the row of the page that is said to give a name, for its row with most authority.

    Of the names that pages prefer, that of a title, a heading or an entry of a glossary comes
    before others, that of a rulebook before that of a wiki, and a newer edition's before an older
    one's; lists of names come last. A name is deprecated if only older editions of a source give
    it, and the newest that names the term in this language names it otherwise.
    """
    by_lang: dict[str, list[NameRow]] = {}
    for row in rows:
        if row.role in ROLES:
            by_lang.setdefault(row.lang, []).append(row)
    languages = sorted(by_lang, key=lambda lang: (lang != "ja", lang))
    return [name for lang in languages for name in _of_language(by_lang[lang], giver)]


def _of_language(rows: Sequence[NameRow], giver: Callable[[NameRow], NameRow]) -> list[ConceptName]:
    newest = _newest_editions(rows)
    spelled: dict[str, list[NameRow]] = {}
    for row in by_authority(rows):
        spelled.setdefault(normalize("NFKC", row.text).casefold(), []).append(row)
    names = [_Name(tuple(of_name), _is_outdated(of_name, newest)) for of_name in spelled.values()]
    usable = (name for name in names if name.best.role == "preferred" and not name.outdated)
    preferred = next(usable, None)
    # Keeps the order of authority otherwise.
    names.sort(key=lambda name: (name is not preferred, name.outdated))
    return [_concept_name(name, preferred, giver(name.best)) for name in names]


def _newest_editions(rows: Iterable[NameRow]) -> Mapping[str | None, str]:
    """Return {source: its newest edition that names the term}, of sources with editions."""
    newest: dict[str | None, str] = {}
    for row in rows:
        if row.edition:
            known = newest.get(row.source, row.edition)
            newest[row.source] = max(known, row.edition, key=edition_key)
    return newest


def _is_outdated(rows: Iterable[NameRow], newest: Mapping[str | None, str]) -> bool:
    """Whether a name stands in older editions alone; lists of names do not count."""
    stated = [row for row in rows if row.source != LISTS]
    return bool(stated) and all(row.edition and row.edition != newest[row.source] for row in stated)


def _concept_name(name: _Name, preferred: _Name | None, giver: NameRow) -> ConceptName:
    best = name.best
    status: Status = "admitted"
    reason: Reason = _REASONS.get(best.role, "title")
    if name.outdated:
        status, reason = "deprecated", "older edition"
    elif name is preferred:
        status = "preferred"
    if all(row.source == LISTS for row in name.rows):
        reason = "list"
    elif reason == "title" and preferred and _sources(name).isdisjoint(_sources(preferred)):
        reason = "other translator"
    return ConceptName(
        best.lang,
        best.text,
        status,
        reason,
        authority_of(giver.page, giver.edition, giver.source),
        giver.passage,
        giver.url,
        giver.edition,
    )


def _sources(name: _Name) -> set[str | None]:
    return {row.source for row in name.rows}


def proposed_names(
    term: str, rows: Iterable[NameRow], edges: Sequence[Edge], stated: Iterable[ConceptName]
) -> Iterator[ConceptName]:
    """Yield the names that are only proposed for a term: admitted, with the score of the proposal
    and what it rests on. One that pages state, too, is left out.

    rows: all names of the term, as the store has them.
    edges: the `translates` edges from or to the term.
    stated: the names that pages state.
    """
    known = {(name.lang, fold(name.text)) for name in stated}
    for row in rows:
        if row.role == PROPOSED and (row.lang, fold(row.text)) not in known:
            known.add((row.lang, fold(row.text)))
            details = _details(term, row, edges)
            score = details.get("score")
            yield ConceptName(
                row.lang,
                row.text,
                "admitted",
                "proposed",
                authority_of(row.page, row.edition, row.source),
                row.passage,
                row.url,
                row.edition,
                score=float(score) if isinstance(score, int | float) else None,
                note=_note(details),
            )


def _details(term: str, row: NameRow, edges: Iterable[Edge]) -> Mapping[str, object]:
    """Return the details of the edge that proposes a name; of several the one with most score."""
    fitting = [
        edge.details
        for edge in edges
        if edge.details
        and edge.details.get("basis") == PROPOSED
        # The edge leads from the term with the English name, and has the Japanese name.
        and (edge.details.get("name") == row.text or (edge.target == term and row.lang == "en"))
    ]
    return max(fitting, key=lambda details: details.get("score", 0), default={})


def _note(details: Mapping[str, object]) -> str:
    """Return what a proposal rests on, in words."""
    both, of, measure, score = (details.get(key) for key in ("both", "of", "measure", "score"))
    if both is None or of is None:
        return "found by comparing aligned rules"
    return f"in {both} of {of} aligned texts with the other name; {measure} {score}"
