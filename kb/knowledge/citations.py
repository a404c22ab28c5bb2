"""Citations of rules: extracted as edges; when all pages are in, the edition that each means."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from graphs.writing.edge_targets import ResolvedEdge
from graphs.writing.page_claims import EdgeClaim, PageClaims
from kb.knowledge.prepared_page import PageContext, StatedRule
from kb.knowledge.rules import editions
from kb.language.citations.citation_grammar import Citation, find_citations
from kb.language.citations.rule_numbers import LATEST, rule_id
from kb.language.citations.statute_citations import find_article_citations
from kb.language.fold import fold
from scraper import Passage
from scraper.rulebook.documents_beside_rulebook import RULEBOOK, document_of_edition
from scraper.rulebook.numbering import levels, number_at

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
