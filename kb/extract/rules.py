"""Numbered rules, their hierarchy and the edition they belong to."""

from __future__ import annotations

import re
from typing import NamedTuple

from graphs.model import Label, Node
from graphs.writing.claims import EdgeClaim, NodeClaim, PageClaims
from kb.extract.context import PageContext
from kb.language.headwords import label_claims
from scraper import Passage
from scraper.rulebook.numbering import number_at

NUMBER = re.compile(r"(\d{1,4}(?:\.\d{1,3})*[a-z]?)\.?(?:[ \u3000]+|$)")
_QUOTED = re.compile(r"(?:総合ルール|Comprehensive Rules)\s*(\d{8})")
_AUTHORITY = {"rulebook": 0, "wisdomguild": 1}  # by engine
_WIKI = 2
_STATED_IN = frozenset({"heading", "paragraph", "item"})
LATEST = "latest"


class StatedRule(NamedTuple):
    """The rule that a passage gives: its id, its number, where the text behind that begins."""

    rule: str
    number: str
    begin: int


def rule_id(game: str, edition: str, lang: str, number: str) -> str:
    """The id of a rule.

    >>> rule_id("mtg", "20231117", "ja", "121.4")
    'mtg/cr/20231117/ja/121.4'
    """
    return f"{game}/cr/{edition}/{lang}/{number}"


def parent_number(number: str) -> str | None:
    """The number of the rule that a rule is part of; None for a chapter.

    A section of three digits belongs to the chapter of its hundreds.

    >>> [parent_number(n) for n in ("121.2a", "121.2", "121", "1", "5.1.2", "5-1-2", "1.10")]
    ['121.2', '121', '1', None, '5.1', '5-1', '1']
    """
    if number[-1].isalpha():
        return number[:-1]
    if mark := max(number.rfind("."), number.rfind("-")) + 1:
        return number[: mark - 1]
    return number[:-2] if len(number) >= 3 else None


def stated_number(passage: Passage, engine: str) -> tuple[str, int, int, int] | None:
    """The number of the rule that a passage states: the number, where it starts and ends, and
    where the text after it begins.

    A rulebook's parser has told rules from other text by its kind, and rulebooks have more
    ways to write a number than the pages that quote them.

    >>> stated_number(Passage("heading", "第７章 領域"), "rulebook")
    ('7', 1, 2, 4)
    >>> stated_number(Passage("paragraph", "5-1-2 引く。"), "rulebook")
    ('5-1-2', 0, 5, 6)
    >>> stated_number(Passage("paragraph", "2-3 マナ"), "mediawiki")
    """
    if passage.kind not in _STATED_IN:
        return None
    if engine == "rulebook":
        written = number_at(passage.text) if passage.kind != "item" else None
        return (written.number, *written.span, written.start) if written else None
    found = NUMBER.match(passage.text)
    if not found or not _states_rule(passage, found[1]):
        return None
    return found[1], found.start(1), found.end(1), found.end()


def edition_of(text: str) -> str | None:
    """The edition that a heading such as `引用:総合ルール 20231117.0` names."""
    found = _QUOTED.search(text)
    return found[1] if found else None


def editions(context: PageContext) -> list[str | None]:
    """For each section of the page, the edition whose rules it gives, or None."""
    page = context.page
    found: list[str | None] = []
    whole = page.edition if page.engine in _AUTHORITY else None
    for section in page.sections:
        inherited = found[section.parent] if section.parent is not None else whole
        found.append(edition_of(section.title) or inherited)
    if page.engine == "rulebook":
        return [edition or "undated" for edition in found]
    return found


def extract(context: PageContext, claims: PageClaims) -> dict[int, StatedRule]:
    """The rules that the page gives; which passage gives which, by the passage's place."""
    page, per_section = context.page, editions(context)
    rank = context.rank(_AUTHORITY.get(page.engine, _WIKI))
    given: dict[int, StatedRule] = {}
    stated: set[str] = set()
    claimed: set[str] = set()
    for place, passage in enumerate(page.passages):
        edition = per_section[passage.section]
        stated_here = stated_number(passage, page.engine) if edition is not None else None
        if edition is None or stated_here is None:
            continue
        number, begin, end, after = stated_here
        text = passage.text[after:].strip()
        node_id = rule_id(context.game, edition, page.lang, number)
        given[place] = StatedRule(node_id, number, after)
        is_heading = page.engine == "rulebook" and passage.kind == "heading"
        heading = text if is_heading or number.isdigit() else None
        node = context.node(
            node_id, "rule", edition=edition, number=number, label=heading, text=text
        )
        claims.nodes.append(NodeClaim(node, rank))
        if heading:
            label = Label(page.lang, heading)
            claims.labels += label_claims(node_id, [label], context.passage_ids[place])
        if node_id not in stated:
            claims.edges.append(_part_of(node, context.passage_ids[place], begin, end))
        stated.add(node_id)
        if edition not in claimed:
            claimed.add(edition)
            _claim_edition(context, claims, edition, context.passage_ids[place])
    return given


def _states_rule(passage: Passage, number: str) -> bool:
    """Whether a passage that begins with a number states the rule of that number."""
    return "." in number or passage.kind == "heading" or not re.search(r"[。.]$", passage.text)


def _part_of(node: Node, passage: str, begin: int, end: int) -> EdgeClaim:
    assert node.number and node.edition and node.game and node.lang
    parent = parent_number(node.number)
    if parent is None:
        want, label = f"{node.game}/cr/{node.edition}", f"edition {node.edition}"
    else:
        want, label = rule_id(node.game, node.edition, node.lang, parent), parent
    reason = f"rule {label} is not among the loaded rules of {node.edition} ({node.lang})"
    return EdgeClaim("part_of", node.id, want, label, passage, begin, end, reason)


def _claim_edition(context: PageContext, claims: PageClaims, edition: str, passage: str) -> None:
    node_id = f"{context.game}/cr/{edition}"
    node = context.node(
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
