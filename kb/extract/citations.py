"""Citations of rules, as edges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphs.facts import Aimed, Facts, Want
from kb.extract.reading import Reading
from kb.extract.rules import LATEST, Given, editions, rule_id
from kb.fold import fold
from kb.grammar import Citation, citations

_CITES_ALONE = frozenset(("rulebook", "wisdom-guild", "mtgwiki"))  # other wikis' numbers are not
_LONGEST_HEADING = 60  # characters; a longer text is the rule itself


def extract(reading: Reading, facts: Facts, given: Mapping[int, Given]) -> None:
    """Every citation as an edge from the rule that the passage gives, or from the passage.

    It resolves in the edition of the text that cites: the section's, else the one edition
    that the page quotes, else the newest there is.
    """
    if reading.page.source == "namelist":
        return  # `Machina Armored Unit Rule 1` is a name
    per_section = editions(reading)
    quoted = {edition for edition in per_section if edition}
    only = quoted.pop() if len(quoted) == 1 else LATEST
    page = reading.page
    known = {rule.number for rule in given.values()}
    alone = page.source in _CITES_ALONE
    for place, passage in enumerate(page.passages):
        if passage.kind in {"title", "heading"}:
            continue
        edition = per_section[passage.section] or only
        own = given.get(place)
        found = list(citations(passage.text, known, own.begin if own else 0, alone))
        found += [
            Citation(link.target, link.start, link.end)
            for link in passage.links
            if link.kind == "rule"
            and link.target
            and not any(c.start < link.end and link.start < c.end for c in found)
        ]
        source = own.rule if own else reading.passage_ids[place]
        for citation in found:
            want = _want(reading, source, edition, reading.passage_ids[place], citation)
            facts.wants.append(want)


def _want(reading: Reading, source: str, edition: str, passage: str, found: Citation) -> Want:
    lang = reading.page.lang
    of = "any loaded edition" if edition == LATEST else f"{edition} ({lang})"
    return Want(
        "cites", source, rule_id(reading.game, edition, lang, found.number), found.number, passage,
        found.start, found.end, f"rule {found.number} is not among the loaded rules of {of}",
        {"how": found.how} | ({"heading": found.heading} if found.heading else {}),
    )  # fmt: skip


def other_heading(cited: Aimed) -> dict[str, Any]:
    """A citation's details, with what the rule is headed where the text that cites it gives it
    another heading.

    A rule without a heading can't disagree, nor one whose heading is in another script: that is
    a translation.

    >>> other_heading(Aimed({"heading": "状況起因処理"}, "サブゲーム", ""))
    {'heading': '状況起因処理', 'headed': 'サブゲーム'}
    >>> other_heading(Aimed({"heading": "誘発型能力"}, "誘発型能力の扱い", ""))
    {'heading': '誘発型能力'}
    """
    details = {key: value for key, value in cited.details.items() if key != "headed"}
    said = fold(details.get("heading", ""))
    headed = cited.label or (cited.text if len(cited.text) <= _LONGEST_HEADING else "")
    there = fold(headed)
    if not said or not there or said.isascii() != there.isascii() or headed[-1] in "。.":
        return details
    return details if said in there or there in said else details | {"headed": headed}
