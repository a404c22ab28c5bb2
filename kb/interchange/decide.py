"""Writes a person's decisions on names into a file beside the knowledge base, where they win."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

from graphs.store.file.atomic_file import open_output
from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.interchange.csv_terms import guarded
from kb.interchange.decisions_file import read_decisions
from kb.language.fold import is_japanese
from kb.query.lookup.common_filters import Scope
from kb.reason import Reason, again
from kb.termbase.model import Concept, Decision, Status
from kb.termbase.termbase import Termbase, termbase

_COLUMNS = ("term", "lang", "name", "status", "game", "note")


def decisions_beside(kb: Path) -> Path:
    """Return the file of decisions that is used without being asked for: `FILE.decisions.csv`."""
    return kb.with_name(f"{kb.name}.decisions.csv")


def decide(
    store: Store,
    term: str,
    names: Sequence[tuple[Status, str]],
    note: str = "",
    lang: str | None = None,
    game: str | None = None,
    out: Path | None = None,
) -> Termbase:
    """Write what a person decides of the names of a concept, besides what was decided before, and
    return the concept as it is then.

    term: the concept, by any of its names or its id. names: (status, name) of each.
    note: why. lang: of the names; None for that of a known name, else by their letters.
    out: the file; None for that beside the knowledge base.

    A name that was decided on before has the new status; another preferred name of the concept in
    its language is admitted. Raises QuestionError if the term names several concepts, or no name is
    given; NotFoundError if it names none; SourceError if the file can't be read.
    """
    if not names:
        raise QuestionError("decide_what")
    found = termbase(store, term, Scope(game=game)).concepts
    if len(found) > 1:
        choices = tuple(again(term=concept.id) for concept in found)
        raise QuestionError("decide_which", term=term, choices=choices)
    [concept] = found
    path = out or decisions_beside(store.path)
    decided = [
        Decision(concept.id, lang or _lang(name, concept), name, status, note, concept.game)
        for status, name in names
    ]
    known = list(read_decisions(path)) if path.exists() else []
    merged = [*_kept(known, decided), *decided]
    _write(merged, path)
    return termbase(store, concept.id, Scope(), merged)


def _lang(name: str, concept: Concept) -> str:
    known = next((one.lang for one in concept.names if one.text == name), None)
    return known or ("ja" if is_japanese(name) else "en")


def _kept(known: Iterable[Decision], new: Sequence[Decision]) -> Iterable[Decision]:
    """Yield earlier decisions as new ones leave them."""
    again_decided = {(one.term, one.lang, one.name) for one in new}
    preferred = {(one.term, one.lang) for one in new if one.status == "preferred"}
    for one in known:
        if (one.term, one.lang, one.name) in again_decided:
            continue
        is_second = one.status == "preferred" and (one.term, one.lang) in preferred
        yield replace(one, status="admitted") if is_second else one


def _write(decisions: Iterable[Decision], path: Path) -> None:
    text = StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_COLUMNS)
    for one in decisions:
        cells = (one.term, one.lang, one.name, one.status, one.game or "", one.note)
        table.writerow(map(guarded, cells))
    with open_output(path) as output:
        output.write(text.getvalue().encode("utf-8-sig"))


def used_beside(kb: Path) -> tuple[tuple[Decision, ...], Reason | None]:
    """Return the decisions beside a knowledge base, and that they are used; none and None without
    such a file. Raises SourceError if it can't be read."""
    path = decisions_beside(kb)
    if not path.is_file():
        return (), None
    found = tuple(read_decisions(path))
    return found, Reason("decisions_beside", file=path.name, count=len(found))
