"""Finds substitutes for edge targets that are not loaded, and compares headings of cited rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from graphs.writing.edge_targets import ResolvedEdge
from kb.extract.rules import LATEST, rule_id
from kb.language.fold import fold, plain

_MAX_HEADING = 60  # characters; a longer text is the rule itself
_NUMBERED = re.compile(r" (?=[1-9]\d{0,3}\Z)")  # an anchor; the space before its number


def with_differing_heading(citation: ResolvedEdge) -> dict[str, Any]:
    """Return a citation's details, with the rule's own heading as `headed` if the citing text
    gives it another.

    citation: its details have the heading that the citing text gives as `heading`; an old `headed`
        is dropped. Its label and text are the rule's. Without a label, a text of at most 60
        characters that is no sentence is the rule's heading.

    Headings agree if one contains the other. A rule without a heading can't disagree, nor one
    whose heading is in another script, as that is a translation.

    >>> with_differing_heading(ResolvedEdge({"heading": "状況起因処理"}, "サブゲーム", ""))
    {'heading': '状況起因処理', 'headed': 'サブゲーム'}
    >>> with_differing_heading(ResolvedEdge({"heading": "誘発型能力"}, "誘発型能力の扱い", ""))
    {'heading': '誘発型能力'}
    """
    details = {key: value for key, value in citation.details.items() if key != "headed"}
    cited = fold(details.get("heading", ""))
    heading = citation.label or (citation.text if len(citation.text) <= _MAX_HEADING else "")
    actual = fold(heading)
    if not cited or not actual or cited.isascii() != actual.isascii() or heading[-1] in "。.":
        return details
    return details if cited in actual or actual in cited else details | {"headed": heading}


def sections_to_try(target: str) -> Iterable[str]:
    """Yield ids to try in place of a section that is not loaded; the last is that of its page.

    A link has a section's anchor, and its id has the title as `plain` writes it. `見出し 2` is also
    the anchor of the second section with the title `見出し`.

    target: the id of any node; there are no substitutes for nodes other than sections.

    >>> list(sections_to_try("mtgwiki/引く#見出し（その他） 2"))
    ['mtgwiki/引く#見出し(その他) 2', 'mtgwiki/引く#見出し(その他)_2', 'mtgwiki/引く']
    """
    page, mark, anchor = target.partition("#")
    if not mark:
        return
    title = plain(anchor)
    yield f"{page}#{title}"
    if _NUMBERED.search(title):
        yield f"{page}#{_NUMBERED.sub('_', title)}"
    yield page


def with_small_letter(target: str) -> list[str]:
    """Return the id of a page, or of a section, with a small letter at the beginning of the name,
    in a list; an empty one if there is none.

    Most wikis write the first letter large, so links are read so; some do not.

    >>> with_small_letter("wiki.example/EBay#use"), with_small_letter("mtgwiki/引く")
    (['wiki.example/eBay#use'], [])
    """
    source, mark, name = target.partition("/")
    small = f"{source}{mark}{name[:1].lower()}{name[1:]}"
    return [small] if small != target else []


def rules_to_try(target: str, editions: Sequence[tuple[str, str, str]]) -> Iterable[str]:
    """Yield ids of rules to try in place of a rule that is not loaded, the best first.

    A rule of the latest edition is looked for in every loaded edition. A rule of some edition is
    looked for in the same edition in other languages.

    target: the id of any node; there are no substitutes for nodes other than rules. It is
        itself among the results if its edition is loaded in its language.
    editions: the loaded ones, the newest first: (game, edition, language).

    >>> loaded = [("mtg", "2024", "en"), ("mtg", "2023", "ja")]
    >>> list(rules_to_try("mtg/cr/latest/ja/121.4", loaded))
    ['mtg/cr/2023/ja/121.4', 'mtg/cr/2024/en/121.4']
    """
    parts = target.split("/")
    if len(parts) != 5 or parts[1] != "cr":
        return
    game, _, edition, lang, number = parts
    candidates = [key for key in editions if key[0] == game and edition in (key[1], LATEST)]
    candidates.sort(key=lambda key: (key[2] != lang, key[1] == "undated"))
    for _, loaded_edition, loaded_lang in candidates:
        yield rule_id(game, loaded_edition, loaded_lang, number)
