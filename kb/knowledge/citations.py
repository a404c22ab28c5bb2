"""Extracts citations of rules as edges; `kb.knowledge.cited_edition` chooses the rule meant."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from graphs.writing.page_claims import EdgeClaim, PageClaims
from kb.knowledge.page_context import PageContext, StatedRule
from kb.knowledge.rules import editions
from kb.language.citations.article_citations import find_article_citations
from kb.language.citations.citation_grammar import Citation, find_citations
from kb.language.citations.rule_numbers import LATEST, rule_id
from scraper import Passage
from scraper.rulebook.numbering import levels, number_at
from scraper.rulebook.other_documents import RULEBOOK

_ARTICLE = re.compile(r"[条조§]|\bArt")  # before the number of a rule in a book of articles
_NOT_CITING = frozenset({"title", "contents"})  # kinds of passages


class _Citing(NamedTuple):
    """Where a citation stands.

    source: the id of the rule or passage that cites.
    passage: the id of the passage.
    edition: the edition in which the citation resolves.
    """

    source: str
    passage: str
    edition: str


def extract(context: PageContext, claims: PageClaims) -> None:
    """Add an edge to `claims` for every citation, from the rule that its passage states, or else
    from the passage. Titles, lists of names, entries of contents, and headings but those of a
    rulebook's rules, cite nothing; and no rule cites itself.

    A number without a word such as `rule` counts if the page states a rule of this number; any
    other only in a rulebook, on a details page, or on a MediaWiki wiki whose game is known.

    A citation resolves in the edition of the text that cites: that of the section, else the only
    edition that the page quotes, else the latest; or the latest whose rule of the number has the
    heading that the text gives it, see `edition_by_heading`. If the text
    names another document beside the number, it resolves in the latest of that.
    """
    page = context.page
    if page.engine == "namelist":
        return  # `Machina Armored Unit Rule 1` is a name
    section_editions = editions(context)
    quoted = {edition for edition in section_editions if edition}
    page_edition = quoted.pop() if len(quoted) == 1 else LATEST
    known_numbers = {rule.number for rule in context.stated_rules.values()}
    headings = _headings(page.passages, context.stated_rules) if page.engine == "rulebook" else {}
    heads = [
        page.passages[place].text[: rule.text_start]
        for place, rule in context.stated_rules.items()
        if not rule.number.endswith(")")  # paragraphs of articles
    ]
    has_articles = 2 * sum(_ARTICLE.search(head) is not None for head in heads) > len(heads)
    in_order = list(dict.fromkeys(rule.number for rule in context.stated_rules.values()))
    # On other wikis a number alone is hardly ever that of a rule.
    bare_numbers = page.engine in {"rulebook", "wisdomguild"} or (
        page.engine == "mediawiki" and context.is_game_known
    )
    for place, passage in enumerate(page.passages):
        rule = context.stated_rules.get(place)
        if passage.kind in _NOT_CITING or (passage.kind == "heading" and not (rule and headings)):
            continue
        text_start = rule.text_start if rule else 0
        if headings and not (rule and rule.states):
            text_start = max(text_start, _number_before(passage))
        found = _citations(passage, known_numbers, text_start, bare_numbers, headings)
        if has_articles:
            own = rule.number if rule else _number_above(page.passages, place, context)
            found = [
                *(citation for citation in found if citation.document),
                *find_article_citations(passage.text, in_order, own, text_start),
            ]
        if not found:
            continue
        passage_id = context.passage_ids[place]
        citing = _Citing(
            source=rule.id if rule else passage_id,
            passage=passage_id,
            edition=section_editions[passage.section] or page_edition,
        )
        for citation in found:
            if page.document and citation.document is None:
                citation = _of_rulebook(citation, known_numbers)
            edge = _edge(context, citing, citation)
            if edge.target != edge.source:
                claims.edges.append(edge)


def _number_above(passages: Sequence[Passage], place: int, context: PageContext) -> str:
    """Return the number of the rule that a passage's parent states; empty if it has no parent, or
    this states none."""
    above = passages[place].parent
    rule = context.stated_rules.get(above) if above is not None else None
    return rule.number if rule else ""


def _of_rulebook(citation: Citation, known_numbers: Collection[str]) -> Citation:
    """Return a citation in a document beside the rules as one of the rules, if its first level has
    three digits or more, as in many rulebooks, and the document has no such number; else as it
    is."""
    has_hundreds = len(levels(citation.number)[0]) > 2 and citation.number[0].isdigit()
    is_own = citation.number in known_numbers or not has_hundreds
    return citation if is_own else replace(citation, document=RULEBOOK)


def _number_before(passage: Passage) -> int:
    """Return where the text of a paragraph of a rulebook starts, behind a number that would be that
    of a rule if it were in order, and cites none; 0 without one of two levels or more, and for
    other kinds of passages."""
    number = number_at(passage.text) if passage.kind == "paragraph" else None
    return number.start if number and len(levels(number.number)) > 1 else 0


def _headings(passages: Sequence[Passage], rules: Mapping[int, StatedRule]) -> dict[str, str]:
    """Return the headings of a rulebook by their numbers, in order; none of a number whose heading
    is empty. Of two headings with one number the last counts.

    rules: the rules that passages state, by the place of the passage.
    """
    return {
        rule.number: heading
        for place, rule in rules.items()
        if rule.states and passages[place].kind == "heading"
        for heading in (passages[place].text[rule.text_start :].strip(),)
        if heading
    }


def _citations(
    passage: Passage,
    known_numbers: Collection[str],
    text_start: int,
    bare_numbers: bool,
    headings: Mapping[str, str],
) -> list[Citation]:
    """Return the citations in a passage's text, in order, then its links to rules that overlap none
    of them.

    known_numbers: the numbers of rules that the page states; they need no word such as `rule`.
    text_start: where to start in the text: behind the number of the rule that it states, else 0.
    bare_numbers: whether a number without a word such as `rule` may be a citation at all.
    headings: the headings of the page's rules, by number.
    """
    citations = find_citations(passage.text, known_numbers, text_start, bare_numbers, headings)
    if not passage.links:
        return citations
    return citations + [
        Citation(link.target, link.start, link.end)
        for link in passage.links
        if link.kind == "rule"
        and link.target
        and not any(c.start < link.end and link.start < c.end for c in citations)
    ]


def _edge(context: PageContext, citing: _Citing, citation: Citation) -> EdgeClaim:
    """Return the edge of a citation. Its target is a rule's id, whether or not there is such a
    rule; its details are `how` it cites, and the `heading` that it gives the rule, if any. Its
    reason says where the rule would have been found, for the case that it is not loaded."""
    lang, edition = context.page.lang, citing.edition
    named, own = citation.document, context.page.document or RULEBOOK
    if named and named != own:
        edition = LATEST if named == RULEBOOK else f"{named}-{LATEST}"
    searched = "any loaded edition" if edition == LATEST else f"{edition} ({lang})"
    reason = f"rule {citation.number} is not among the loaded rules of {searched}"
    if named and edition.endswith(f"-{LATEST}"):
        reason = f"section {citation.number} of the {named.replace('-', ' ')} is not loaded"
    return EdgeClaim(
        kind="cites",
        source=citing.source,
        target=rule_id(context.game, edition, lang, citation.number),
        target_label=citation.number,
        passage=citing.passage,
        start=citation.start,
        end=citation.end,
        reason=reason,
        details={"how": citation.how} | ({"heading": citation.heading} if citation.heading else {}),
    )


# -- when all pages are in ------------------------------------------------------------------
