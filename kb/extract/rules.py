"""Extracts numbered rules, their hierarchy and their editions."""

from __future__ import annotations

import re
from typing import NamedTuple

from graphs.model import Label, Node
from graphs.writing.page_claims import EdgeClaim, NodeClaim, PageClaims
from kb.extract.page_context import PageContext
from kb.language.headwords import label_claims
from scraper import Passage
from scraper.rulebook.numbering import number_at

_NUMBER = re.compile(r"(\d{1,4}(?:\.\d{1,3})*[a-z]?)\.?(?:[ \u3000]+|$)")
_EDITION_HEADING = re.compile(r"(?:総合ルール|Comprehensive Rules)\s*(\d{8})")
_RANKS = {"rulebook": 0, "wisdomguild": 1}  # of claims on rules, by engine
_WIKI_RANK = 2
_STATING_KINDS = frozenset({"heading", "paragraph", "item"})
LATEST = "latest"  # the edition of a cited rule, in ids, if the citing text belongs to no edition


class StatedNumber(NamedTuple):
    """The number of the rule that a passage states.

    start, end: the span of the number in the passage's text.
    text_start: where the text after the number starts.
    """

    number: str
    start: int
    end: int
    text_start: int


class StatedRule(NamedTuple):
    """The rule that a passage states.

    id: the rule's id.
    number: its number, such as `121.4`.
    text_start: where the text after the number starts in the passage.
    """

    id: str
    number: str
    text_start: int


def rule_id(game: str, edition: str, lang: str, number: str) -> str:
    """Return the id of a rule.

    edition: an edition such as `20231117`, `undated`, or `latest` for a rule that is cited without
        an edition.
    number: the rule's number, such as `121.4`; it is not normalized.

    >>> rule_id("mtg", "20231117", "ja", "121.4")
    'mtg/cr/20231117/ja/121.4'
    """
    return f"{game}/cr/{edition}/{lang}/{number}"


def parent_number(number: str) -> str | None:
    """Return the number of the rule that a rule is part of; None for a chapter.

    A section of three digits belongs to the chapter of its hundreds.

    number: a number as it is stored, with half-width digits and no `.` at its end; not empty.

    >>> [parent_number(n) for n in ("121.2a", "121.2", "121", "1", "5.1.2", "5-1-2", "1.10")]
    ['121.2', '121', '1', None, '5.1', '5-1', '1']
    """
    if number[-1].isalpha():
        return number[:-1]
    if separator_end := max(number.rfind("."), number.rfind("-")) + 1:
        return number[: separator_end - 1]
    return number[:-2] if len(number) >= 3 else None


def stated_number(passage: Passage, engine: str) -> StatedNumber | None:
    """Return the number of the rule that a passage states; None if it states no rule.

    The result is (number, start, end, text_start): the number is at text[start:end] of the
    passage, the rule's words begin at text[text_start]. Whether the passage's section states the
    rules of some edition at all is not checked.

    engine: what made the page, such as `rulebook` or `mediawiki`. A rulebook's parser has already
        distinguished rules from other text by the kind of the passage, and rulebooks have more
        ways to write a number than the pages that quote them.

    >>> tuple(stated_number(Passage("heading", "第７章 領域"), "rulebook"))
    ('7', 1, 2, 4)
    >>> tuple(stated_number(Passage("paragraph", "5-1-2 引く。"), "rulebook"))
    ('5-1-2', 0, 5, 6)
    >>> stated_number(Passage("paragraph", "2-3 マナ"), "mediawiki")
    """
    if passage.kind not in _STATING_KINDS:
        return None
    if engine == "rulebook":
        line = number_at(passage.text) if passage.kind != "item" else None
        return StatedNumber(line.number, *line.span, line.start) if line else None
    match = _NUMBER.match(passage.text)
    if not match or not _states_rule(passage, match[1]):
        return None
    return StatedNumber(match[1], match.start(1), match.end(1), match.end())


def _states_rule(passage: Passage, number: str) -> bool:
    """Return whether a passage on a wiki that begins with a number states the rule of that number.

    A whole number before a sentence may number a list.
    """
    return "." in number or passage.kind == "heading" or not re.search(r"[。.]$", passage.text)


def edition_of(text: str) -> str | None:
    """Return the edition that a heading names; None if it names none.

    >>> edition_of("引用:総合ルール 20231117.0"), edition_of("ルール")
    ('20231117', None)
    """
    match = _EDITION_HEADING.search(text)
    return match[1] if match else None


def editions(context: PageContext) -> list[str | None]:
    """Return for each section of the page, in order, the edition whose rules it states, or None.

    A section has the edition that its heading names, else that of its parent section. The
    rules of a rulebook without a date have the edition `undated`.
    """
    page = context.page
    section_editions: list[str | None] = []
    page_edition = page.edition if page.engine in _RANKS else None
    for section in page.sections:
        parent = section.parent
        inherited = section_editions[parent] if parent is not None else page_edition
        section_editions.append(edition_of(section.title) or inherited)
    if page.engine == "rulebook":
        return [edition or "undated" for edition in section_editions]
    return section_editions


def extract(context: PageContext, claims: PageClaims) -> dict[int, StatedRule]:
    """Add the rules that the page states, with their editions and the rules they are part of.

    Return the rules that passages state, by the passages' indices; empty if the page states none.

    Sections without a known edition and passages without a number are skipped. A rule that several
    passages state is claimed for each, but gets one edge to its parent. Each edition is added once.
    """
    page, section_editions = context.page, editions(context)
    stated_rules: dict[int, StatedRule] = {}
    rule_ids: set[str] = set()
    claimed_editions: set[str] = set()
    for place, passage in enumerate(page.passages):
        edition = section_editions[passage.section]
        stated = stated_number(passage, page.engine) if edition is not None else None
        if edition is None or stated is None:
            continue
        node = _claim_rule(context, claims, place, edition, stated)
        stated_rules[place] = StatedRule(node.id, stated.number, stated.text_start)
        if node.id not in rule_ids:
            claims.edges.append(_part_of(node, context.passage_ids[place], stated))
        rule_ids.add(node.id)
        if edition not in claimed_editions:
            claimed_editions.add(edition)
            _claim_edition(context, claims, edition, context.passage_ids[place])
    return stated_rules


def _claim_rule(
    context: PageContext, claims: PageClaims, place: int, edition: str, stated: StatedNumber
) -> Node:
    """Add the rule that a passage states, with its heading as a name, and return its node.

    place: the index of the passage.
    stated: the rule's number and where it stands in the passage.
    """
    page = context.page
    passage = page.passages[place]
    text = passage.text[stated.text_start :].strip()
    is_heading = page.engine == "rulebook" and passage.kind == "heading"
    heading = text if is_heading or stated.number.isdigit() else None
    node = context.make_node(
        rule_id(context.game, edition, page.lang, stated.number),
        "rule",
        edition=edition,
        number=stated.number,
        label=heading,
        text=text,
    )
    claims.nodes.append(NodeClaim(node, context.rank(_RANKS.get(page.engine, _WIKI_RANK))))
    if heading:
        label = Label(page.lang, heading)
        claims.labels += label_claims(node.id, [label], context.passage_ids[place])
    return node


def _part_of(rule: Node, passage: str, stated: StatedNumber) -> EdgeClaim:
    """Return the edge from a rule to its parent rule, or from a chapter to its edition.

    passage: the id of the passage that states the rule; its number there is the evidence.
    """
    assert rule.number and rule.edition and rule.game and rule.lang
    parent = parent_number(rule.number)
    if parent is None:
        target, label = f"{rule.game}/cr/{rule.edition}", f"edition {rule.edition}"
    else:
        target, label = rule_id(rule.game, rule.edition, rule.lang, parent), parent
    return EdgeClaim(
        kind="part_of",
        source=rule.id,
        target=target,
        target_label=label,
        passage=passage,
        start=stated.start,
        end=stated.end,
        reason=f"rule {label} is not among the loaded rules of {rule.edition} ({rule.lang})",
    )


def _claim_edition(context: PageContext, claims: PageClaims, edition: str, passage: str) -> None:
    """Add an edition of the game's rules. passage: the id of a passage that states one of them.

    The node belongs to no source and no language. Its label is `総合ルール` and the edition; its
    name in Japanese is the edition alone.
    """
    node_id = f"{context.game}/cr/{edition}"
    node = context.make_node(
        node_id,
        "edition",
        edition=edition,
        label=f"総合ルール {edition}",
        source=None,
        lang=None,
        url=None,
    )
    claims.nodes.append(NodeClaim(node, context.rank()))
    claims.labels += label_claims(node_id, [Label("ja", edition)], passage)
