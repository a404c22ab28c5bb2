"""Chooses the rule of the edition that a citation means, when all pages are in.

`kb.knowledge.citations` extracts the citations as edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from graphs.writing.edge_targets import ResolvedEdge
from kb.language.citations.rule_numbers import LATEST, rule_id
from kb.language.fold import fold
from scraper.rulebook.other_documents import document_of_edition

# Characters; a longer text is the rule itself. The longest heading of Magic's rules has 52.
_MAX_HEADING = 60


def rules_to_try(target: str, editions: Sequence[tuple[str, str, str]]) -> Iterable[str]:
    """Yield ids of rules to try in place of a rule that is not loaded, the best first; likewise of
    sections of documents beside the rules.

    A rule of the latest edition is looked for in every loaded edition, first in its own language,
    the newest first. A rule of some edition is looked for in the same edition in other languages.
    The ids need not exist; none are yielded if no such edition is loaded.

    target: the id of any node; there are no substitutes for nodes other than rules. It is
        itself among the results if its edition is loaded in its language.
    editions: the loaded ones, the newest first: (game, edition, language).

    >>> loaded = [("mtg", "2024", "en"), ("mtg", "2023", "ja")]
    >>> list(rules_to_try("mtg/cr/latest/ja/121.4", loaded))
    ['mtg/cr/2023/ja/121.4', 'mtg/cr/2024/en/121.4']
    """
    parts = target.split("/")
    if len(parts) != 5 or parts[1] not in ("cr", "document"):
        return
    game, _, edition, lang, number = parts
    document = document_of_edition(edition)
    is_latest = edition == (f"{document}-{LATEST}" if document else LATEST)
    candidates = [
        key
        for key in editions
        if key[0] == game
        and (is_latest or edition == key[1])
        and document_of_edition(key[1]) == document
    ]
    candidates.sort(key=lambda key: key[2] != lang)
    for _, loaded_edition, loaded_lang in candidates:
        yield rule_id(game, loaded_edition, loaded_lang, number)


def edition_by_heading(rules: Sequence[ResolvedEdge]) -> int:
    """Return which of the rules of a number a citation means, by its place: the first, which is the
    newest, unless the text gives it a heading that only the rule of another edition has.

    rules: the citation as it would be resolved to each; at least one.

    >>> rules = [ResolvedEdge({"heading": "Goad"}, label, "") for label in ("Regenerate", "Goad")]
    >>> edition_by_heading(rules), edition_by_heading(rules[:1])
    (1, 0)
    """
    if "headed" not in with_differing_heading(rules[0]):
        return 0
    heading = fold(rules[0].details["heading"])
    headings = (fold(_heading_of(rule)) for rule in rules)
    return next((place for place, other in enumerate(headings) if other == heading), 0)


def _heading_of(rule: ResolvedEdge) -> str:
    """Return the heading of a cited rule: its label; without one, its text if that has at most 60
    characters; else nothing."""
    return rule.label or (rule.text if len(rule.text) <= _MAX_HEADING else "")


def with_differing_heading(citation: ResolvedEdge) -> dict[str, Any]:
    """Return a citation's details, with the rule's own heading as `headed` if the citing text
    gives it another.

    citation: its details have the heading that the citing text gives as `heading`; an old `headed`
        is dropped. Its label and text are the rule's. Without a label, a text of at most 60
        characters that is no sentence is the rule's heading.

    Headings agree if one contains the other, folded. A rule without a heading can't disagree, nor
    one whose heading is in another script (ASCII or not), as that is a translation.

    >>> with_differing_heading(ResolvedEdge({"heading": "状況起因処理"}, "サブゲーム", ""))
    {'heading': '状況起因処理', 'headed': 'サブゲーム'}
    >>> with_differing_heading(ResolvedEdge({"heading": "誘発型能力"}, "誘発型能力の扱い", ""))
    {'heading': '誘発型能力'}
    """
    details = {key: value for key, value in citation.details.items() if key != "headed"}
    cited = fold(details.get("heading", ""))
    heading = _heading_of(citation)
    actual = fold(heading)
    if not cited or not actual or cited.isascii() != actual.isascii() or heading[-1] in "。.":
        return details
    return details if cited in actual or actual in cited else details | {"headed": heading}
