"""Checks a draft that is a file: reads it, its decisions and its baseline, and checks it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from graphs.store.reader import Store
from kb.checking.baseline import new_findings, read_baseline
from kb.checking.check import Check, CheckOptions, check
from kb.checking.drafts.read_draft import read_draft
from kb.errors import SourceError
from kb.interchange.decisions_file import read_decisions
from kb.query.lookup.arguments import path_of, text_of


def check_file(
    store: Store,
    path: str | Path,
    source: str | Path | None,
    langs: tuple[str | None, str | None],
    game: str | None,
    edition: str | None,
    decisions: str | Path | None,
    baseline: str | Path | None,
    only: tuple[str, ...],
    skip: tuple[str, ...],
) -> Check:
    """Return what is wrong with a draft, without what a baseline has.

    path: of the draft. source: of the text that it translates; None if it has both, or none.
    langs: the languages of source and draft. decisions, baseline: paths.
    The others are as for `CheckOptions`.

    Raises SourceError if a file can't be read, or if no segment could be paired with one of
    `source`; and what `check` raises.
    """
    assert store.db  # a closed base is the first thing to be said
    path = path_of("draft", path)
    source, decisions, baseline = (
        None if one is None else path_of(name, one)
        for name, one in (("original", source), ("decisions", decisions), ("baseline", baseline))
    )
    source_lang, target_lang = (
        None if one is None else text_of(name, one)
        for name, one in zip(("source_lang", "target_lang"), langs, strict=True)
    )
    options = CheckOptions(source_lang, target_lang, game, edition, only, skip)
    known = read_baseline(baseline) if baseline else frozenset[str]()
    both = (source_lang, target_lang) if source_lang and target_lang else None
    decided = list(read_decisions(decisions, both)) if decisions else []
    draft = read_draft(path, source_path=source, source_lang=source_lang, target_lang=target_lang)
    result = check(store, draft.segments, draft.path, options, decided)
    if source and result.segments and not result.with_source:
        raise SourceError(
            f"{path}: no segment could be paired with one of {source}, so nothing was compared; "
            "a CSV file with both in columns pairs them as you say"
        )
    new = tuple(new_findings(result.problems, known))
    return replace(
        result,
        problems=new,
        in_baseline=len(result.problems) - len(new),
        warnings=(*result.warnings, *draft.warnings),
    )
