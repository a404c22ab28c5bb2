"""Extracts numbered rules, their hierarchy and their editions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence

from graphs.model import Label, Node
from graphs.writing.page_claims import EdgeClaim, NodeClaim, PageClaims
from kb.knowledge import claim_ranks
from kb.knowledge.prepared_page import PageContext, StatedRule
from kb.language.citations.rule_numbers import edition_id, rule_id
from kb.language.headwords import label_claims, parts_of_heading
from scraper import Page, Passage
from scraper.page import RuleNumber
from scraper.rulebook.languages import language_of
from scraper.rulebook.numbering import number_at, parent_number
from scraper.sites.games import game_name

# As wikis quote rules: sections of up to four digits, levels of up to three, a letter.
_NUMBER = re.compile(r"(\d{1,4}(?:\.\d{1,3})*[a-z]?)\.?(?:[ \u3000]+|$)")
_EDITION_HEADING = re.compile(r"(?:総合ルール|Comprehensive Rules)\s*(\d{8})")
# Characters of a paragraph in which its number stands: the longest numbers have a dozen, with words
# or signs before them. It only saves time.
_LONGEST_HEAD = 40
_STATING_KINDS = frozenset({"heading", "paragraph", "item"})


def stated_number(passage: Passage, engine: str) -> RuleNumber | None:
    """Return the number of the rule that a passage states; None if it states no rule.

    Whether the passage's section states the rules of some edition at all is not checked.

    engine: what made the page, such as `rulebook` or `mediawiki`. A rulebook's parser has already
        found the rules, in the many ways in which rulebooks write their numbers; on other pages
        the passage must begin with a number such as `121.4`.

    >>> tuple(stated_number(Passage("item", "121.4 引く。"), "mediawiki"))
    ('121.4', 0, 5, 6)
    >>> stated_number(Passage("paragraph", "2-3 マナ"), "mediawiki")
    """
    if passage.kind not in _STATING_KINDS or engine == "rulebook":
        return passage.rule
    match = _NUMBER.match(passage.text)
    if not match or not _states_rule(passage, match[1]):
        return None
    return RuleNumber(match[1], match.start(1), match.end(1), match.end())


def _states_rule(passage: Passage, number: str) -> bool:
    """Return whether a passage on a wiki that begins with a number states the rule of that number.

    A number with a point does, and any in a heading. A whole number before a sentence, which ends
    with a full stop, may number a list and states none.
    """
    return "." in number or passage.kind == "heading" or not re.search(r"[。.]$", passage.text)


def edition_of(text: str) -> str | None:
    """Return the edition that a heading names; None if it names none.

    >>> edition_of("引用:総合ルール 20231117.0"), edition_of("ルール")
    ('20231117', None)
    """
    match = _EDITION_HEADING.search(text)
    return match[1] if match else None


def edition_of_page(page: Page) -> str | None:
    """Return the edition of a page as a whole, None if it has none; that of a document beside a
    rulebook begins with its name (`tournament-rules-20240101`, `tournament-rules-undated`)."""
    return f"{page.document}-{page.edition or 'undated'}" if page.document else page.edition


def editions(context: PageContext) -> list[str | None]:
    """Return for each section of the page, in order, the edition whose rules it states, or None.

    A section has the edition that its heading names, else that of its parent section; the page's
    own counts only in a rulebook and a rules viewer, so that wikis quote where a heading says so.
    The rules of a rulebook without a date have the edition `undated`; those of a document beside
    it have its name before (`tournament-rules-20240101`).
    """
    page = context.page
    section_editions: list[str | None] = []
    page_edition = edition_of_page(page) if page.engine in claim_ranks.WHOLE_RULES else None
    for section in page.sections:
        parent = section.parent
        inherited = section_editions[parent] if parent is not None else page_edition
        section_editions.append(edition_of(section.title) or inherited)
    if page.engine == "rulebook":
        return [edition or "undated" for edition in section_editions]
    return section_editions


def extract(context: PageContext, claims: PageClaims) -> None:
    """Add the rules that the page states, with their editions and the rules they are part of, and
    put them into `context.stated_rules`: in a rulebook also for the further paragraphs, lists and
    examples under a rule.

    Sections without a known edition and passages without a number are skipped. A rule that several
    passages state is claimed for each, but gets one edge to its parent. Each edition is added once.
    """
    page, section_editions = context.page, editions(context)
    numbers = _stated_numbers(context, section_editions)
    below = _passages_below(context)
    all_numbers = {stated.number for stated in numbers.values()}
    rules = context.stated_rules
    rule_ids: set[str] = set()
    claimed_editions: set[str] = set()
    for place, stated in numbers.items():
        edition = section_editions[page.passages[place].section]
        assert edition is not None
        node = _claim_rule(context, claims, place, edition, stated, below.get(place, ()))
        rules[place] = StatedRule(node.id, stated.number, stated.text_start, True)
        for other in below.get(place, ()):
            start = _start_of_text(page.passages[other].text, stated.number)
            rules[other] = StatedRule(node.id, stated.number, start, False)
        if node.id not in rule_ids:
            above = _number_above(context, stated.number, all_numbers)
            claims.edges.append(_part_of(node, above, context.passage_ids[place], stated))
        rule_ids.add(node.id)
        if edition not in claimed_editions:
            claimed_editions.add(edition)
            _claim_edition(context, claims, edition, context.passage_ids[place])


def _stated_numbers(
    context: PageContext, section_editions: Sequence[str | None]
) -> dict[int, RuleNumber]:
    """Return the numbers of the rules that passages state, by the passages' indices, in order.

    section_editions: the edition of each section; passages in sections without one are left out.
    """
    page = context.page
    return {
        place: stated
        for place, passage in enumerate(page.passages)
        if section_editions[passage.section] is not None
        and (stated := stated_number(passage, page.engine))
    }


def _start_of_text(text: str, number: str) -> int:
    """Return where the text of a rule's further paragraph starts: behind the rule's own number, if
    a rulebook gives the same number twice, else at 0."""
    repeated = number_at(text) if number in text[:_LONGEST_HEAD] else None
    return repeated.start if repeated and repeated.number == number else 0


def _passages_below(context: PageContext) -> dict[int, list[int]]:
    """Return the indices of the passages that belong to a passage, by its index, in order; in a
    rulebook and a rules viewer these are what stands between a rule and the next. Passages below
    those are not theirs. Empty for other pages."""
    below: dict[int, list[int]] = defaultdict(list)
    if context.page.engine in claim_ranks.WHOLE_RULES:
        for place, passage in enumerate(context.page.passages):
            if passage.parent is not None:
                below[passage.parent].append(place)
    return below


def _number_above(context: PageContext, number: str, numbers: Container[str]) -> str | None:
    """Return the number of the rule that a rule is part of; None if it is directly below the
    edition.

    A rulebook is whole: where it has no rule of the number above (no chapter 1 above 100, or 5.1.1
    directly in chapter 5), the rule is part of the next one above that is there. Other pages quote
    a few rules, and those above may be elsewhere. Where chapters are numbered 5.0, each digit is a
    level: 5.31 is part of 5.3, and that of 5.0.

    numbers: the numbers of all rules that the page states.
    """
    above = parent_number(number)
    if context.page.engine == "rulebook":
        if above not in numbers and (chapter := f"{above}.0") in numbers and number != chapter:
            return number[:-1] if number[:-1] in numbers else chapter
        while above is not None and above not in numbers:
            above = parent_number(above)
    return above


def _claim_rule(
    context: PageContext,
    claims: PageClaims,
    place: int,
    edition: str,
    stated: RuleNumber,
    below: Iterable[int],
) -> Node:
    """Add the rule that a passage states, with its heading as a name, and return its node. On other
    pages than rulebooks only a whole number (`121`) has a heading, which is all of its text.

    Its text is that of the passage behind the number, and of the paragraphs and list items below
    it; examples are in its details, and passages of their own.

    place: the index of the passage; below: those of the passages that belong to it.
    stated: the rule's number and where it stands in the passage.
    """
    page = context.page
    passage = page.passages[place]
    text = passage.text[stated.text_start :].strip()
    is_heading = page.engine == "rulebook" and passage.kind == "heading"
    heading = text if is_heading or stated.number.isdigit() else None
    passages = [page.passages[n] for n in below]
    further = [passage.text for passage in passages if passage.kind != "example"]
    examples = [passage.text for passage in passages if passage.kind == "example"]
    node = context.make_node(
        rule_id(context.game, edition, page.lang, stated.number),
        "document" if page.document else "rule",
        edition=edition,
        number=stated.number,
        label=heading,
        text="\n".join([text, *further]),
        details={"examples": examples} if examples else None,
    )
    rank = claim_ranks.WHOLE_RULES.get(page.engine, claim_ranks.QUOTED_RULE)
    claims.nodes.append(NodeClaim(node, context.rank(rank)))
    if heading:
        labels = [Label(page.lang, heading)]
        labels += [Label(page.lang, part, "alias") for part in parts_of_heading(heading)]
        claims.labels += label_claims(node.id, labels, context.passage_ids[place])
    return node


def _part_of(rule: Node, above: str | None, passage: str, stated: RuleNumber) -> EdgeClaim:
    """Return the edge from a rule to the rule above it, or to its edition.

    above: the number of the rule above it; None for a chapter.
    passage: the id of the passage that states the rule; its number there is the evidence.
    """
    assert rule.number and rule.edition and rule.game and rule.lang
    if above is None:
        target, label = edition_id(rule.game, rule.edition), f"edition {rule.edition}"
    else:
        target, label = rule_id(rule.game, rule.edition, rule.lang, above), above
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

    The node belongs to no source and no language. Its label is what the language of the page calls
    such rules, after the game's name if it is known, and the edition (`マジック：ザ・ギャザリング
    総合ルール 20231117`); its name is the edition alone.
    """
    node_id = edition_id(context.game, edition)
    lang = context.page.lang
    document = context.page.document
    book = document.replace("-", " ") if document else language_of(lang).book
    title = (game_name(context.game, lang), book, edition.removeprefix(f"{document}-"))
    node = context.make_node(
        node_id,
        "edition",
        edition=edition,
        label=" ".join(part for part in title if part),
        source=None,
        lang=None,
        url=None,
    )
    claims.nodes.append(NodeClaim(node, context.rank()))
    claims.labels += label_claims(node_id, [Label(lang, edition)], passage)
