"""Citations of rules, as edges."""

from __future__ import annotations

from collections.abc import Mapping

from graphs.writing.claims import EdgeClaim, PageClaims
from kb.extract.context import PageContext
from kb.extract.rules import LATEST, StatedRule, editions, rule_id
from kb.language.citation_grammar import Citation, find_citations


def extract(context: PageContext, claims: PageClaims, given: Mapping[int, StatedRule]) -> None:
    """Every citation as an edge from the rule that the passage gives, or from the passage.

    It resolves in the edition of the text that cites: the section's, else the one edition
    that the page quotes, else the newest there is.
    """
    if context.page.engine == "namelist":
        return  # `Machina Armored Unit Rule 1` is a name
    per_section = editions(context)
    quoted = {edition for edition in per_section if edition}
    only = quoted.pop() if len(quoted) == 1 else LATEST
    page = context.page
    known = {rule.number for rule in given.values()}
    alone = page.engine in {"rulebook", "wisdomguild"} or (
        page.engine == "mediawiki" and context.is_game_known
    )  # a number alone on another wiki is hardly ever a rule's
    for place, passage in enumerate(page.passages):
        if passage.kind in {"title", "heading"}:
            continue
        edition = per_section[passage.section] or only
        own = given.get(place)
        found = list(find_citations(passage.text, known, own.begin if own else 0, alone))
        found += [
            Citation(link.target, link.start, link.end)
            for link in passage.links
            if link.kind == "rule"
            and link.target
            and not any(c.start < link.end and link.start < c.end for c in found)
        ]
        source = own.rule if own else context.passage_ids[place]
        for citation in found:
            want = _want(context, source, edition, context.passage_ids[place], citation)
            claims.edges.append(want)


def _want(
    context: PageContext, source: str, edition: str, passage: str, found: Citation
) -> EdgeClaim:
    lang = context.page.lang
    of = "any loaded edition" if edition == LATEST else f"{edition} ({lang})"
    return EdgeClaim(
        "cites",
        source,
        rule_id(context.game, edition, lang, found.number),
        found.number,
        passage,
        found.start,
        found.end,
        f"rule {found.number} is not among the loaded rules of {of}",
        {"how": found.how} | ({"heading": found.heading} if found.heading else {}),
    )
