"""The pages about editions: contents, what changed between two, a rule's history, alignment."""

from __future__ import annotations

from typing import Any, cast

import kb
from kb.web.loaded import loaded
from kb.web.visit import Reply, Visit

_AT_ONCE = 100  # changes, or aligned rules, on a page


def contents(visit: Visit) -> Reply:
    """Return the chapters and sections of a rulebook.

    Parameters: `game`, `edition`, `lang`.
    """
    game, edition, lang = visit.text("game"), visit.text("edition"), visit.text("lang")
    parts = visit.base.parts(f"{game}/cr/{edition}")
    chapters = [part for part in parts if part.kind == "rule" and part.lang == lang]
    if not chapters:
        raise kb.NotFoundError(f"no rulebook of {game}, edition {edition}, in {lang}")
    sections = {chapter.id: visit.base.parts(chapter.id) for chapter in chapters}
    values = {
        "game": game, "edition": edition, "lang_": lang, "chapters": chapters, "sections": sections,
    }  # fmt: skip
    return Reply("contents.html", values, lambda: {"nodes": [one.as_json() for one in chapters]})


def diff(visit: Visit) -> Reply:
    """Return what changed between two editions.

    Parameters: `before`, `after`, `game`, `lang`, `under` or `rule` (several), `kind` (several),
    `words`, `mentions` (several), `typographic`, `examples`, `start` (which change is the first).
    """
    known = loaded(visit.base)
    values: dict[str, Any] = {"known": known, "found": None, "start": 0}
    before, after = visit.text("before"), visit.text("after")
    if not (before and after):
        return Reply("diff.html", values | {"pairs": known.edition_pairs()})
    found = visit.base.diff(
        before,
        after,
        under=(*visit.texts("rule"), *visit.texts("under")),
        kinds=cast("tuple[Any, ...]", visit.texts("kind")),
        words=visit.text("words"),
        mentions=visit.texts("mentions"),
        typographic=visit.flag("typographic"),
        examples=visit.flag("examples"),
        **visit.filters("game", "lang"),
    )
    start = visit.number("start", 0, 1_000_000, least=0)
    values |= {
        "found": found,
        "start": start,
        "changes": found.changes[start : start + _AT_ONCE],
        "next": start + _AT_ONCE if start + _AT_ONCE < len(found.changes) else None,
    }
    return Reply("diff.html", values, found.as_json)


def trace(visit: Visit) -> Reply:
    """Return the history of a rule over all editions.

    Parameters: `ref`, and the filters of `KnowledgeBase.trace`.
    """
    ref = visit.text("ref")
    if not ref:
        return Reply("trace.html", {"ref": "", "found": None})
    found = visit.base.trace(ref, **visit.filters())
    return Reply("trace.html", {"ref": ref, "found": found, "picture": ""}, found.as_json)


def align(visit: Visit) -> Reply:
    """Return rules in two languages side by side.

    Parameters: `first`, `second` (languages), `rule`, `edition`, `game`, `start`.
    """
    known = loaded(visit.base)
    first, second = visit.text("first"), visit.text("second")
    values: dict[str, Any] = {"known": known, "found": None}
    if not (first and second):
        return Reply("align.html", values | {"pairs_of_languages": known.language_pairs()})
    rule = visit.text("rule") or None
    found = visit.base.align(first, second, rule=rule, **visit.filters("game", "edition"))
    start = visit.number("start", 0, 1_000_000, least=0)
    problems: dict[tuple[str, str, str], list[kb.Problem]] = {}
    for problem in found.problems:
        problems.setdefault((problem.game, problem.edition, problem.number), []).append(problem)
    values |= {
        "found": found,
        "start": start,
        "pairs": found.pairs[start : start + _AT_ONCE],
        "problems": problems,
        "next": start + _AT_ONCE if start + _AT_ONCE < len(found.pairs) else None,
    }
    return Reply("align.html", values, found.as_json)
