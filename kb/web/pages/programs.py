"""What programs read: the description of their interface, and the feed of what changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import kb
from kb.shared_wording import date_of
from kb.web.addresses import question_address
from kb.web.base_counts import loaded
from kb.web.examples import Examples, kept
from kb.web.interface_words import QUESTIONS_IN_WORDS
from kb.web.openapi import openapi
from kb.web.request_and_reply import Reply, Visit

_MOST_ENTRIES = 20  # by hand: of each game and language one comparison, which takes half a second


def programs(visit: Visit) -> Reply:
    """Return the description of the interface for programs; as JSON the OpenAPI document."""
    document = openapi()
    operations = [each["get"] for each in document["paths"].values()]
    example = Examples(visit.base, visit.interface).rule
    words = example.number or "" if example else "1"
    answer = visit.base.search(words, most=1).as_json()
    values = {
        "operations": [(each, _fields(document, each)) for each in operations],
        "questions": QUESTIONS_IN_WORDS,
        "example": words,
        "answer": json.dumps(answer, ensure_ascii=False, indent=2),
    }
    return Reply("programs.html", values, lambda: document)


def _fields(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Sequence[str]:
    """Return the names of the fields of an answer."""
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    name = schema.get("$ref", "").rpartition("/")[2]
    return [*document["components"]["schemas"].get(name, {}).get("properties", ())]


def newest_pairs(base: kb.KnowledgeBase, game: str = "") -> Sequence[tuple[str, str, str, str]]:
    """Return (game, language, edition before, newest edition) of each rulebook that can be compared
    with one before it, the newest first; of one game, or of all."""
    newest = {pair[:2]: pair for pair in loaded(base).edition_pairs() if game in ("", pair[0])}
    return sorted(newest.values(), key=lambda pair: kb.edition_key(pair[3]), reverse=True)


def feed(visit: Visit) -> Reply:
    """Return an Atom feed of what changed in the newest edition of each rulebook, an entry for each
    of at most twenty; of one game, or of all. Its JSON has the same.

    Parameters: `game`.
    """
    pairs = newest_pairs(visit.base, visit.text("game"))[:_MOST_ENTRIES]
    entries = [_entry(visit, *pair) for pair in pairs]
    values = {"entries": entries, "updated": max((e["updated"] for e in entries), default="")}
    return Reply("feed.xml", values, lambda: {"entries": entries})


def _entry(visit: Visit, game: str, lang: str, before: str, after: str) -> dict[str, Any]:
    """Return an entry of the feed: its id and address, when it was, the kinds of changes, and the
    sections that changed, each with how many of its rules did."""
    counts, changed = kept(
        visit.base,
        (f"changes of {game} from {before} to {after}", lang),
        lambda: _changes(visit.base.diff(before, after, game=game, lang=lang)),
    )
    own = visit.interface.lang
    day = date_of(after)
    day = day if len(day) == len("2026-01-16") else loaded(visit.base).built
    between = {"before": before, "after": after, "game": game, "lang": lang}
    sections = [
        {
            "number": each.number,
            "heading": each.heading,
            "changes": count,
            # Not the rule of this number: in the edition after that may be another one.
            "address": visit.site + question_address(own, "diff", rule=each.number, **between),
        }
        for each, count in changed
    ]
    address = question_address(own, "diff", **between)
    book = f"{visit.interface.game(game)}, {visit.interface.language(lang)}"
    return {
        "id": f"urn:sansho:changes:{game}:{lang}:{before}:{after}",
        "title": f"{book}: {visit.interface.date(after)}",
        "address": visit.site + address,
        "updated": f"{day}T00:00:00Z",
        "before": before,
        "after": after,
        "changes": sum(counts.values()),
        "counts": counts,
        "sections": sections,
    }


def _changes(
    found: kb.Diff,
) -> tuple[Mapping[str, int], Sequence[tuple[kb.SectionChanges, int]]]:
    """Return ({kind of change: how many}, [(section, how many of its rules changed)]), without what
    is none."""
    sections = ((section, sum(section.counts.values())) for section in found.sections)
    counts = {kind: count for kind, count in found.counts.items() if count}
    return counts, [(section, count) for section, count in sections if count]
