"""Procedures: what is to be done in an order, and its steps.

Two forms are met: an ordered list under words that say that it is an order (手順, 順番, steps),
and sub-rules of a rule that are counted off (まず…次に…最後に, First… Second…) or that the rule
says are followed in order. A list that is merely numbered is no procedure.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from graphs.writing.claims import PageClaims, PageNode
from kb.extract.context import PageContext
from kb.extract.rules import StatedRule, parent_number
from scraper import Passage

_ORDERED = re.compile(
    r"手順|順番|順序|順に|順で|流れ|進め方|行程|段取り|"
    r"\b(?:steps|in (?:this |the following )?order|procedure|sequence)\b",
    re.IGNORECASE,
)
_IN_ORDER = re.compile(
    r"(?:始め|進め)方$|\bStarting the Game$|順に(?!従)|(?:次|以下)の(?:手順|順)|つの手順|"
    r"手順(?:で|から|を踏|に従)|"
    r"\b(?:steps?\b[^.]{0,80}\bin order|in the following order|in order\b|following steps|"
    r"steps listed below|-part sequence|(?:followed|performed|done) (?:first|last)\b)",
    re.IGNORECASE,
)
_FIRST = re.compile(r"(?:まず|最初に|第一に|第1に|1番目に|はじめに|First\b)", re.IGNORECASE)
_COUNTED = re.compile(
    r"(?:まず|最初に|次に|続いて|最後に|そののち|第[一二三四五六七八九十1-9]に|[2-9]番目に|"
    r"(?:First|Second|Third|Fourth|Fifth|Sixth|Seventh|Then|Next|Finally|Lastly)\b)"
)
_FEWEST = 2


@dataclass(frozen=True, slots=True)
class Procedure:
    """The place of the passage that introduces an order, and those of its steps."""

    intro: int
    steps: tuple[int, ...]


def procedures(passages: Sequence[Passage], numbers: Mapping[int, str]) -> Iterator[Procedure]:
    """The procedures in a page's passages. `numbers` are those of the rules that they give.

    >>> page = [Passage("paragraph", "次の手順で行う。"),
    ...         Passage("item", "置く。", depth=1, ordinal=1),
    ...         Passage("item", "引く。", depth=1, ordinal=2)]
    >>> list(procedures(page, {}))
    [Procedure(intro=0, steps=(1, 2))]
    """
    yield from _lists(passages)
    yield from _rules(passages, numbers)


def _lists(passages: Sequence[Passage]) -> Iterator[Procedure]:
    """Ordered lists of the outermost depth, under words that say that they are orders.

    A list that goes on behind an indented remark is one with what came before.
    """
    steps: list[int] = []
    intro = -1
    for place, passage in enumerate(passages):
        if passage.kind == "item" and passage.ordinal is not None and passage.depth == 1:
            if not steps:
                intro = place - 1
            steps.append(place)
        elif steps and passage.depth < 1 and passage.kind != "gloss":
            yield from _stated(passages, intro, steps)
            steps = []
    yield from _stated(passages, intro, steps)


def _stated(passages: Sequence[Passage], intro: int, steps: list[int]) -> Iterator[Procedure]:
    if len(steps) < _FEWEST or intro < 0:
        return
    said = passages[intro].text
    section = passages[steps[0]].section
    before = (p for p in reversed(passages[:intro]) if p.section == section)
    heading = next((p.text for p in before if p.kind == "heading"), "")
    if _ORDERED.search(said) or _ORDERED.search(heading):
        yield Procedure(intro, tuple(steps))


def _rules(passages: Sequence[Passage], numbers: Mapping[int, str]) -> Iterator[Procedure]:
    """Rules whose sub-rules are counted off, or are to be followed in order."""
    places = {number: place for place, number in numbers.items()}
    below: dict[str, list[int]] = defaultdict(list)
    for place, number in numbers.items():
        if (above := parent_number(number)) in places:
            below[above or ""].append(place)
    for number, children in below.items():
        counted = [n for n in children if _COUNTED.match(_words(passages[n]))]
        begins = counted and _FIRST.match(_words(passages[counted[0]]))
        if begins and len(counted) >= _FEWEST:
            yield Procedure(places[number], tuple(counted))
        elif len(children) >= _FEWEST and _IN_ORDER.search(passages[places[number]].text):
            yield Procedure(places[number], tuple(children))


def _words(passage: Passage) -> str:
    """What a rule says behind its number."""
    return re.sub(r"^[\d.\-a-z]+[.．]?\s*", "", passage.text, count=1)


def extract(context: PageContext, claims: PageClaims, given: Mapping[int, StatedRule]) -> None:
    """A node for each procedure and, in their order, for its steps."""
    page = context.page
    numbers = {place: rule.number for place, rule in given.items()}
    count: Counter[int] = Counter()
    for procedure in procedures(page.passages, numbers):
        intro = page.passages[procedure.intro]
        section = context.section_ids[intro.section]
        count[intro.section] += 1
        node = context.node(f"{section}!{count[intro.section]}", "procedure", label=intro.text)
        claims.parts.append(PageNode(node, section, heading=context.passage_ids[procedure.intro]))
        for n, place in enumerate(procedure.steps, 1):
            step = replace(
                node,
                id=f"{node.id}.{n}",
                kind="step",
                number=str(n),
                label=None,
                text=page.passages[place].text,
            )
            claims.parts.append(PageNode(step, node.id, heading=context.passage_ids[place]))
