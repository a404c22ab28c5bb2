"""Reads a person's decisions on names from a file of any format that has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from kb.errors import SourceError
from kb.interchange import csv_terms, omegat, tmx, toml_decisions
from kb.interchange.decision_values import shown_value
from kb.interchange.text_lines import text_lines
from kb.language.nearest import shown
from kb.termbase.model import Decision
from scraper.sources.files import message, open_file

MOST_DECISIONS = 2_000_000
_GLOSSARIES = (".tsv", ".txt", ".tab", ".utf8")


def read_decisions(path: str | Path, langs: tuple[str, str] | None = None) -> Iterator[Decision]:
    """Yield the decisions of a file, in its order; the suffix tells the format.

    `.toml` and `.csv` are written by hand (`toml_decisions` and `csv_terms` say how); `.csv` is
    also what `csv_terms` writes. `.txt`, `.utf8`, `.tab` and `.tsv` are glossaries of OmegaT, or
    tables like the CSV if their first line names its columns; `.tbx` is TBX of 2008 or 2019;
    `.tmx` is a memory of terms.

    langs: source and target language. A glossary of OmegaT does not say its languages; in other
        files None stands for those that they say.

    Raises SourceError, with the line, if the file can't be read or a value in it is wrong. In what
    is written by hand it is raised, too, if one decision contradicts another: two preferred names
    for a concept in one language, or two statuses for a name. In a termbase of another tool two
    entries may have one name; the second preferred name is admitted then.
    """
    name = str(path)
    try:
        with open_file(path) as opened, BufferedReader(opened) as file:
            for number, decision in enumerate(_read(file, name, langs)):
                if number == MOST_DECISIONS:
                    raise SourceError(f"{name}: more than {MOST_DECISIONS} decisions; not read")
                if not decision.is_proposed:
                    yield decision
    except OSError as error:
        raise SourceError(f"{name}: can't be read: {message(error)}") from None


def _read(file: BinaryIO, name: str, langs: tuple[str, str] | None) -> Iterator[Decision]:
    """Return the decisions of an open file, read as its suffix says."""
    suffix = Path(name).suffix.lower()
    if suffix == ".toml":
        return _without_contradictions(toml_decisions.read(file, name))
    if suffix == ".csv":
        return _without_contradictions(csv_terms.read(file, name))
    if suffix in _GLOSSARIES:
        return _read_table(file, name, langs)
    if suffix == ".tbx":
        from kb.interchange import tbx

        return _with_one_preferred(tbx.read(file, name))
    if suffix == ".tmx":
        return tmx.read(file, name, langs)
    raise SourceError(
        f"{name}: no format of decisions is known by the suffix {shown(suffix)}; "
        f"there are: .toml .csv {' '.join(_GLOSSARIES)} .tbx .tmx"
    )


def _read_table(file: BinaryIO, name: str, langs: tuple[str, str] | None) -> Iterator[Decision]:
    """Return the decisions of a table with named columns, or else of a glossary of OmegaT."""
    with closing(text_lines(file, name)) as lines:
        first = next((line for line in lines if line.strip()), "")
    file.seek(0)
    if csv_terms.is_header(first):
        return _without_contradictions(csv_terms.read(file, name))
    if langs is None:
        raise SourceError(
            f"{name}: a glossary of OmegaT does not say its languages; give both, such as ja,en"
        )
    return omegat.read(file, name, langs)


def _with_one_preferred(decisions: Iterable[Decision]) -> Iterator[Decision]:
    """Yield decisions; of several preferred names of a concept in a language, the first is kept so
    and others are admitted."""
    preferred: dict[tuple[str | None, str, str], str] = {}
    for decision in decisions:
        if decision.status == "preferred":
            concept = (decision.game, decision.term, decision.lang)
            if preferred.setdefault(concept, decision.name) != decision.name:
                decision = replace(decision, status="admitted")
        yield decision


def _without_contradictions(decisions: Iterable[Decision]) -> Iterator[Decision]:
    """Yield decisions; raise SourceError at the first that contradicts one before it."""
    preferred: dict[tuple[str | None, str, str], Decision] = {}
    decided: dict[tuple[str | None, str, str, str], Decision] = {}
    for decision in decisions:
        concept = (decision.game, decision.term, decision.lang)
        same_name = decided.setdefault((*concept, decision.name), decision)
        if same_name.status != decision.status:
            raise _contradiction(decision, same_name)
        if decision.status == "preferred":
            first = preferred.setdefault(concept, decision)
            if first.name != decision.name:
                raise _contradiction(decision, first)
        yield decision


def _contradiction(decision: Decision, earlier: Decision) -> SourceError:
    """Return the error for a decision that contradicts an earlier one."""
    return SourceError(
        f"{decision.where}: {shown_value(decision.name)} is {decision.status} for "
        f"{shown_value(decision.term)} ({decision.lang}), but {earlier.where} says "
        f"{shown_value(earlier.name)} is {earlier.status}; keep one"
    )
