"""Rulings: a question and its answer, in all the forms that wikis write them in."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from graphs.writing.claims import EdgeClaim, PageClaims, PageNode
from kb.extract.cards import card_id
from kb.extract.context import PageContext
from kb.extract.terms import defines_term, node_of_page
from scraper import Passage

_QUESTION = re.compile(r"[\s\u3000]*[QＱ]\s?[0-9０-９]{0,3}\s?[：:.．]\s*")
_ANSWER = re.compile(r"[\s\u3000]*[AＡ]\s?[0-9０-９]{0,3}\s?[：:.．]\s*")
_ALONE = {"Q": _QUESTION, "Ｑ": _QUESTION, "A": _ANSWER, "Ａ": _ANSWER}  # `;Q:` in wikitext
_DATE = re.compile(
    r"\s*[(（]\s*(?P<year>\d{4}|\d{2})\s?[/.年-]\s?(?P<month>\d{1,2})\s?[/.月-]\s?"
    r"(?P<day>\d{1,2})日?[^()（）\d]{0,30}[)）]\s*$"
)
_CARD = re.compile(r"《([^《》\n]{1,80})》")


@dataclass(slots=True)
class Ruling:
    """A question and its answer: their words, and the places of the passages that hold them.

    date: the day of the ruling, as YYYY-MM-DD, where the answer ends with one.
    """

    place: int
    start: int
    question: str = ""
    answer: str = ""
    answers: list[int] = field(default_factory=list)
    date: str | None = None
    answered: bool = False


def rulings(passages: Sequence[Passage]) -> Iterator[Ruling]:
    """The rulings in a page's passages, in order.

    >>> faq = [Passage("paragraph", "Ｑ：引けますか？\\nＡ：はい。（22/08/05）")]
    >>> [(r.question, r.answer, r.date) for r in rulings(faq)]
    [('引けますか？', 'はい。', '2022-08-05')]
    """
    held: Ruling | None = None
    for place, passage in enumerate(passages):
        if passage.kind in {"heading", "title"}:
            yield from _finished(held, passages)
            held = None
            continue
        at = 0
        text = passage.text + ":" * (passage.kind == "entry" and passage.text.strip() in _ALONE)
        for number, line in enumerate(text.split("\n")):
            if asked := _QUESTION.match(line):
                yield from _finished(held, passages)
                held = Ruling(place, at + asked.end(), line[asked.end() :])
            elif held and (told := _ANSWER.match(line)):
                held.answered = True
                _answer(held, place, line[told.end() :])
            elif held and (number or _goes_on(held, place, passages)):
                if held.answered:
                    _answer(held, place, line)
                else:
                    held.question += "\n" + line
            else:
                yield from _finished(held, passages)
                held = None
            at += len(line) + 1
    yield from _finished(held, passages)


def _answer(held: Ruling, place: int, line: str) -> None:
    held.answer += ("\n" if held.answer else "") + line
    if line.strip() and place not in held.answers:
        held.answers.append(place)


def _goes_on(held: Ruling, place: int, passages: Sequence[Passage]) -> bool:
    """Whether a passage belongs to the ruling: a table for an answer, or what hangs under it."""
    passage = passages[place]
    if passage.kind == "gloss" and passage.parent is not None:
        entry = passages[passage.parent].text.strip()
        if entry in _ALONE and (_ALONE[entry] is _ANSWER) == held.answered:
            return True
    if not held.answered:
        return False
    if passage.kind == "row":
        before = passages[place - 1]
        return not held.answer.strip() or (before.kind == "row" and place - 1 in held.answers)
    last = held.answers[-1] if held.answers else held.place
    parent = passage.parent
    while parent is not None and parent != last:
        parent = passages[parent].parent
    return parent is not None


def _finished(held: Ruling | None, passages: Sequence[Passage]) -> Iterator[Ruling]:
    """The ruling, if it has been answered: its lines trimmed, its date read."""
    if held is None or not held.answered or not held.question.strip():
        return
    held.question = _trimmed(held.question)
    dates = set()
    if any(passages[place].kind == "row" for place in held.answers):
        rows = [_dated(line)[1] for line in held.answer.split("\n")]
        dates = {date for date in rows if date}
        held.answer = _trimmed(held.answer)
    else:
        held.answer, date = _dated(_trimmed(held.answer))
        dates = {date} if date else set()
    held.date = dates.pop() if len(dates) == 1 else None
    yield held


def _trimmed(text: str) -> str:
    return "\n".join(line.strip() for line in text.split("\n")).strip()


def _dated(text: str) -> tuple[str, str | None]:
    """A text without the date that it ends with, and the date.

    >>> _dated("はい。（２０２０年12月24日）"), _dated("はい。(22/13/40)")
    (('はい。', '2020-12-24'), ('はい。(22/13/40)', None))
    """
    narrow = text.translate(_DIGITS)
    found = _DATE.search(narrow)
    if not found:
        return text, None
    year, month, day = (int(found[part]) for part in ("year", "month", "day"))
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return text, None
    return text[: found.start()], f"{year if year > 99 else 2000 + year}-{month:02}-{day:02}"


_DIGITS = {ord(char): unicodedata.normalize("NFKC", char) for char in "０１２３４５６７８９"}


def extract(context: PageContext, claims: PageClaims) -> None:
    """A node for each ruling, with what its question is about."""
    page = context.page
    count: Counter[int] = Counter()
    for ruling in rulings(page.passages):
        passage = page.passages[ruling.place]
        section = context.section_ids[passage.section]
        count[passage.section] += 1
        node = context.node(
            f"{section}?{count[passage.section]}",
            "ruling",
            label=ruling.question,
            text=ruling.answer or None,
            date=ruling.date,
        )
        asked = context.passage_ids[ruling.place]
        claims.parts.append(PageNode(node, section, heading=asked))
        claims.edges += _about(context, node.id, ruling)


def _about(context: PageContext, node: str, ruling: Ruling) -> Iterator[EdgeClaim]:
    """The cards that a question names and the pages that it links to, each once."""
    page, passage = context.page, context.page.passages[ruling.place]
    asked = context.passage_ids[ruling.place]
    end = _end(passage.text, ruling)
    named = [
        (card_id(context.game, found[1]), found[1], found.start(), found.end())
        for found in _CARD.finditer(passage.text, ruling.start, end)
    ]
    named += [
        (node_of_page(context, link.target)[0], link.target, link.start, link.end)
        for link in passage.links
        if link.kind in {"page", "missing"}
        and ruling.start <= link.start < end
        and defines_term(link.target)
    ]
    seen: set[str] = set()
    for target, label, start, stop in named:
        if target not in seen:
            seen.add(target)
            reason = f"no page on {label} is in this knowledge base"
            yield EdgeClaim("mentions", node, target, label, asked, start, stop, reason)


def _end(text: str, ruling: Ruling) -> int:
    """Where the question ends in its passage."""
    at = ruling.start
    for line in text[ruling.start :].split("\n"):
        if at > ruling.start and (_ANSWER.match(line) or _QUESTION.match(line)):
            return at
        at += len(line) + 1
    return len(text)
