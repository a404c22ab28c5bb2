"""Extracts procedures and their steps from ordered lists and from rules with sub-rules.

An ordered list is a procedure if its introduction or heading says so (手順, 順番, steps). A rule
is one if its sub-rules are counted (まず…次に…最後に, First… Second…), or if it says that they are
followed in order. A list that is only numbered is no procedure.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from graphs.writing.page_claims import PageClaims, PageNode
from kb.knowledge.prepared_page import PageContext
from kb.language.citations.citation_grammar import find_citations
from scraper import Passage
from scraper.rulebook.numbering import parent_number

# The heading or introduction of a list that is a procedure.
_ORDERED = re.compile(
    r"手順|順番|順序|順に|順で|流れ|進め方|行程|段取り|"
    r"\b(?:steps|in (?:this |the following )?order|procedure|sequence)\b",
    re.IGNORECASE,
)
# A rule whose sub-rules are steps. The counts of characters between two words keep these in one
# phrase, by hand.
_IN_ORDER = re.compile(
    r"(?:始め|進め)方$|\bStarting the Game$|(?:次|以下)の(?:手順|順)|"
    r"[\d一二三四五六七八九十]つの手順|"
    r"(?:(?:処理|手順|以下|次)[^。]{0,12}|[a-z] ?[-–〜~～] ?[a-z][^。]{0,20})順に(?!従)|"
    r"手順(?:で|から|を踏|に従)|"
    r"\b(?:steps?\b[^.]{0,80}\bin order|in the following order|in order(?! to\b| for\b| that\b)|"
    r"following steps|"
    r"steps listed below|-part sequence|(?:followed|performed|done) (?:first|last)\b)",
    re.IGNORECASE,
)
# What a sentence says of the rules that it cites, if their order does not count.
_UNORDERED = re.compile(
    r"\bin no (?:specific|particular) order\b|\bin any order\b|\bone of the\b|順不同|順序は問わ|"
    r"順番は問わ|いずれか",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.。]*(?:\.(?=\S)[^.。]*)*[.。]?")
# How the first step of a sequence begins, and how any step does.
_FIRST = re.compile(r"(?:まず|最初に|第一に|第1に|1番目に|はじめに|First\b)", re.IGNORECASE)
_COUNTED = re.compile(
    r"(?:まず|最初に|次に|続いて|最後に|そののち|第[一二三四五六七八九十1-9]に|[2-9]番目に|"
    r"(?:First|Second|Third|Fourth|Fifth|Sixth|Seventh|Then|Next|Finally|Lastly)\b)"
)
_FEWEST_STEPS = 2  # one step has no order


@dataclass(frozen=True, slots=True)
class Procedure:
    """A procedure of a page; passages are given by their indices.

    intro: the passage that introduces it.
    steps: the passages of its steps, in order.
    """

    intro: int
    steps: tuple[int, ...]


def procedures(passages: Sequence[Passage], numbers: Mapping[int, str]) -> Iterator[Procedure]:
    """Yield the procedures in a page's passages: first the ordered lists, in the order of the page,
    then the rules, by their first sub-rules.

    `intro` and `steps` of a procedure are indices into `passages`. A rule with a list may be
    yielded as both.

    numbers: the numbers of the rules that passages state, such as `121.4`, by the passages'
        indices.

    >>> page = [Passage("paragraph", "次の手順で行う。"),
    ...         Passage("item", "置く。", depth=1, ordinal=1),
    ...         Passage("item", "引く。", depth=1, ordinal=2)]
    >>> list(procedures(page, {}))
    [Procedure(intro=0, steps=(1, 2))]
    """
    yield from _list_procedures(passages)
    yield from _rule_procedures(passages, numbers)


def _list_procedures(passages: Sequence[Passage]) -> Iterator[Procedure]:
    """Yield the procedures that are ordered lists. The steps are the items of the outermost list.

    A list that continues after an indented remark counts as one list. Lists of fewer than two items
    are skipped, and so are those whose introduction and heading don't say that it is an order.

    passages: all passages of the page. `intro` and `steps` are indices into them.
    """
    steps: list[int] = []
    intro = -1
    for place, passage in enumerate(passages):
        if passage.kind == "item" and passage.ordinal is not None and passage.depth == 1:
            if not steps:
                intro = place - 1
            steps.append(place)
        elif steps and passage.depth < 1 and passage.kind != "gloss":
            yield from _introduced_list(passages, intro, steps)
            steps = []
    yield from _introduced_list(passages, intro, steps)


def _introduced_list(
    passages: Sequence[Passage], intro: int, steps: list[int]
) -> Iterator[Procedure]:
    """Yield an ordered list, if the passage before it or the last heading of its section says
    that it is an order. Yield nothing for fewer than two items.

    intro, steps: the index of the passage before the list, and those of its items; `intro` is
        negative if there is no passage before it.
    """
    if len(steps) < _FEWEST_STEPS or intro < 0:
        return
    section = passages[steps[0]].section
    preceding = (p for p in reversed(passages[:intro]) if p.section == section)
    heading = next((p.text for p in preceding if p.kind == "heading"), "")
    if _ORDERED.search(passages[intro].text) or _ORDERED.search(heading):
        yield Procedure(intro, tuple(steps))


def _rule_procedures(
    passages: Sequence[Passage], numbers: Mapping[int, str]
) -> Iterator[Procedure]:
    """Yield the procedures that are rules with their sub-rules.

    The steps, two or more, are the sub-rules that begin with a word such as `First` or `Then`, the
    first of them with `First`. Else they are the sub-rules that a rule says are followed in order:
    all, or those that it cites for it (`_cited_in_order`).

    numbers: the numbers of the rules that passages state, by the passages' indices.
    """
    places = {number: place for place, number in numbers.items()}
    sub_rules: dict[str, list[int]] = defaultdict(list)  # by the number of the rule
    for place, number in numbers.items():
        if (parent := parent_number(number)) in places:
            sub_rules[parent or ""].append(place)
    for number, children in sub_rules.items():
        counted = [place for place in children if _COUNTED.match(_text_of_rule(passages[place]))]
        has_first = counted and _FIRST.match(_text_of_rule(passages[counted[0]]))
        if has_first and len(counted) >= _FEWEST_STEPS:
            yield Procedure(places[number], tuple(counted))
        elif _IN_ORDER.search(text := passages[places[number]].text):
            ordered = _cited_in_order(text, {numbers[place] for place in children})
            steps = [place for place in children if numbers[place] in ordered]
            if len(steps) >= _FEWEST_STEPS:
                yield Procedure(places[number], tuple(steps))


def _cited_in_order(text: str, numbers: set[str]) -> set[str]:
    """Return which sub-rules of a rule are steps: all, unless it cites some whose order, it says,
    does not count; then only the others that it cites. Of a rule that is cited twice, the last
    sentence decides.

    numbers: those of the sub-rules.
    """
    cited: dict[str, bool] = {}
    for sentence in _SENTENCE.findall(text):
        is_ordered = not _UNORDERED.search(sentence)
        cited |= {each.number: is_ordered for each in find_citations(sentence)}
    own = {number: cited[number] for number in numbers & cited.keys()}
    return numbers if all(own.values()) else {number for number in own if own[number]}


def _text_of_rule(passage: Passage) -> str:
    """Return the text of a passage that states a rule, without the rule's number: without digits,
    points, hyphens and small letters that it begins with."""
    return re.sub(r"^[\d.\-a-z]+[.．]?\s*", "", passage.text, count=1)


def extract(context: PageContext, claims: PageClaims) -> None:
    """Add a node for each procedure and, in their order, for its steps, numbered from 1.

    A procedure's id is that of the section of its introduction with `!` and a number there; that of
    a step has `.` and the step's number behind it. Their labels and texts are whole passages."""
    page = context.page
    numbers = {place: rule.number for place, rule in context.stated_rules.items() if rule.states}
    counts: Counter[int] = Counter()  # of procedures, by section
    for procedure in procedures(page.passages, numbers):
        intro = page.passages[procedure.intro]
        section_id = context.section_ids[intro.section]
        counts[intro.section] += 1
        node = context.make_node(
            f"{section_id}!{counts[intro.section]}", "procedure", label=intro.text
        )
        intro_id = context.passage_ids[procedure.intro]
        claims.parts.append(PageNode(node, section_id, heading=intro_id))
        for number, place in enumerate(procedure.steps, 1):
            step = replace(
                node,
                id=f"{node.id}.{number}",
                kind="step",
                number=str(number),
                label=None,
                text=page.passages[place].text,
            )
            claims.parts.append(PageNode(step, node.id, heading=context.passage_ids[place]))
