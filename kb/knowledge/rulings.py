"""Extracts rulings: questions with their answers, in all the forms in which wikis write them."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import groupby
from operator import attrgetter

from graphs.writing.page_claims import EdgeClaim, PageClaims, PageNode
from kb.knowledge.cards import card_id
from kb.knowledge.page_subject import defines_term, node_of_page
from kb.knowledge.prepared_page import PageContext
from scraper import Passage
from scraper.page import Link

# `Q:`, `Q1：` and the like. A date may have words before and behind it in its brackets, as in
# `_split_date`, but no prose.
_QUESTION = re.compile(r"[\s\u3000]*[QＱ]\s?[0-9０-９]{0,3}\s?[：:.．]\s*")
_QUESTION_SIGN = re.compile(r"[QＱ]\s?[0-9０-９]{0,3}\s?[：:.．]")  # in each question, found fast
_ANSWER = re.compile(r"[\s\u3000]*[AＡ]\s?[0-9０-９]{0,3}\s?[：:.．]\s*")
# Entries of a definition list (`;Q:` in wikitext) whose gloss is a question or an answer.
_QA_ENTRIES = {"Q": _QUESTION, "Ｑ": _QUESTION, "A": _ANSWER, "Ａ": _ANSWER}
_DATE = re.compile(
    r"[(（][^()（）]{0,60}?(?<!\d)(?P<year>\d{4}|\d{2})\s?[/.年-]\s?(?P<month>\d{1,2})\s?[/.月-]\s?"
    r"(?P<day>\d{1,2})日?[^()（）\d]{0,30}[)）]\s*$"
)
_CARD = re.compile(r"《([^《》\n]{1,80})》")
_DIGITS = {ord(char): unicodedata.normalize("NFKC", char) for char in "０１２３４５６７８９／．－"}
_OLDEST_YEAR = 90  # in two digits: the games are no older (the first is of 1993)


@dataclass(frozen=True, slots=True)
class Ruling:
    """A question and its answer.

    place: the index of the passage that the question begins in.
    start: where the question begins in that passage's text.
    question, answer: their texts, without the signs Q and A.
    answers: the indices of the passages that contain the answer.
    date: the day of the ruling, as YYYY-MM-DD, if the answer ends with one; of a table the newest
        of its rows.
    dates: of a table, those that its rows end with, each once and in their order.
    """

    place: int
    start: int
    question: str
    answer: str
    answers: tuple[int, ...] = ()
    date: str | None = None
    dates: tuple[str, ...] = ()


@dataclass(slots=True)
class _Unfinished:
    """A ruling that is being read: as in `Ruling`, with the lines of its texts.

    answered: whether an answer has begun.
    """

    place: int
    start: int
    question: list[str]
    answer: list[str] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    answered: bool = False


def rulings(passages: Sequence[Passage]) -> Iterator[Ruling]:
    """Yield the rulings in a page's passages, in order; questions without an answer are left out,
    but not those whose answer is empty: a capture may have lost it.

    `question` and `answer` may have several lines, separated by line breaks. `answers` and `place`
    are indices into `passages`. The date is cut from the answer, unless that is a table.

    >>> faq = [Passage("paragraph", "Ｑ：引けますか？\\nＡ：はい。（22/08/05）")]
    >>> [(r.question, r.answer, r.date) for r in rulings(faq)]
    [('引けますか？', 'はい。', '2022-08-05')]
    """
    ruling: _Unfinished | None = None  # the one being read
    for place, passage in enumerate(passages):
        if passage.kind in {"heading", "title"}:
            yield from _finished(ruling, passages)
            ruling = None
            continue
        line_start = 0
        is_qa_entry = passage.kind == "entry" and passage.text.strip() in _QA_ENTRIES
        text = passage.text + ":" * is_qa_entry
        if ruling is None and not _QUESTION_SIGN.search(text):
            continue  # as in most passages of most pages
        for line_number, line in enumerate(text.split("\n")):
            if question := _QUESTION.match(line):
                yield from _finished(ruling, passages)
                end = question.end()
                ruling = _Unfinished(place, line_start + end, [line[end:]])
            elif ruling and (answer := _ANSWER.match(line)):
                ruling.answered = True
                _add_to_answer(ruling, place, line[answer.end() :])
            elif ruling and (line_number or _belongs_to_ruling(ruling, place, passages)):
                if ruling.answered:
                    _add_to_answer(ruling, place, line)
                else:
                    ruling.question.append(line)
            else:
                yield from _finished(ruling, passages)
                ruling = None
            line_start += len(line) + 1
    yield from _finished(ruling, passages)


def _add_to_answer(ruling: _Unfinished, place: int, line: str) -> None:
    """Add a line of a passage to the answer of a ruling. place: the index of the passage.

    The index is added to `ruling.answers` once, and not for a blank line.
    """
    ruling.answer.append(line)
    if line.strip() and ruling.answers[-1:] != [place]:
        ruling.answers.append(place)


def _belongs_to_ruling(ruling: _Unfinished, place: int, passages: Sequence[Passage]) -> bool:
    """Return whether a passage without a sign Q or A belongs to the ruling before it.

    The gloss of an entry Q or A does, the rows of a table that is the answer, and what is nested
    in the last passage of the answer.

    place: the index of the passage in `passages`.
    """
    passage = passages[place]
    if passage.kind == "gloss" and passage.parent is not None:
        entry = passages[passage.parent].text.strip()
        if entry in _QA_ENTRIES and (_QA_ENTRIES[entry] is _ANSWER) == ruling.answered:
            return True
    if not ruling.answered:
        return False
    if passage.kind == "row":
        follows_row = passages[place - 1].kind == "row" and ruling.answers[-1:] == [place - 1]
        return not ruling.answers or follows_row
    last = ruling.answers[-1] if ruling.answers else ruling.place
    parent = passage.parent
    while parent is not None and parent != last:
        parent = passages[parent].parent
    return parent is not None


def _finished(ruling: _Unfinished | None, passages: Sequence[Passage]) -> Iterator[Ruling]:
    """Yield a ruling that has a question and an answer, perhaps an empty one, with its lines
    stripped and its date moved from the answer to `date`. Yield nothing for None, or a ruling
    whose question is empty or that no sign A follows.

    Dates stay in an answer that is a table: each is that of its row.

    passages: those that `ruling.answers` has the indices of.
    """
    if ruling is None or not ruling.answered:
        return
    question, answer = _text_of(ruling.question), _text_of(ruling.answer)
    if not question:
        return
    if any(passages[place].kind == "row" for place in ruling.answers):
        dates = tuple(dict.fromkeys(filter(None, (_split_date(line)[1] for line in ruling.answer))))
        date = max(dates, default=None)
    else:
        dates = ()
        answer, date = _split_date(answer)
    yield Ruling(ruling.place, ruling.start, question, answer, tuple(ruling.answers), date, dates)


def _text_of(lines: Sequence[str]) -> str:
    """Return lines as one text, without white space around it and around each of them."""
    return "\n".join(line.strip() for line in lines).strip()


def _split_date(text: str) -> tuple[str, str | None]:
    """Return a text without the date that it ends with, and the date as YYYY-MM-DD or None.

    The date is in parentheses, as year, month, day, with no other number behind it; a year of two
    digits is one from 1990 to 2089. A day that there is not is no date, and stays in the text.

    >>> _split_date("はい。（２０２０年12月24日）"), _split_date("はい。(22/2/30)")
    (('はい。', '2020-12-24'), ('はい。(22/2/30)', None))
    >>> _split_date("はい。（事務局回答98／12／01）")
    ('はい。', '1998-12-01')
    """
    match = _DATE.search(text.translate(_DIGITS))
    if not match:
        return text, None
    year, month, day = (int(match[part]) for part in ("year", "month", "day"))
    if len(match["year"]) == 2:
        year += 1900 if year >= _OLDEST_YEAR else 2000
    try:
        said = date(year, month, day)
    except ValueError:
        return text, None
    return text[: match.start()].rstrip(), said.isoformat()


def extract(context: PageContext, claims: PageClaims) -> None:
    """Add a node for each ruling, with edges to what its question mentions.

    The node's id is that of its section with `?` and its number there, from 1; its label is the
    question, its text the answer, None if that is empty.
    """
    page = context.page
    counts: Counter[int] = Counter()  # of rulings, by section
    for place, of_passage in groupby(rulings(page.passages), attrgetter("place")):
        passage, passage_id = page.passages[place], context.passage_ids[place]
        section_id = context.section_ids[passage.section]
        links = sorted(filter(names_term, passage.links), key=attrgetter("start"))
        for ruling in of_passage:
            counts[passage.section] += 1
            node = context.make_node(
                f"{section_id}?{counts[passage.section]}",
                "ruling",
                label=ruling.question,
                text=ruling.answer or None,
                date=ruling.date,
                details={"dates": list(ruling.dates)} if len(ruling.dates) > 1 else None,
            )
            claims.parts.append(PageNode(node, section_id, heading=passage_id))
            claims.edges += _mentions(context, node.id, ruling, links)


def names_term(link: Link) -> bool:
    """Whether a link leads to the page of a term or a card, by the page's name; also a red link,
    never an external one."""
    return link.kind in {"page", "missing"} and defines_term(link.target)


def _mentions(
    context: PageContext, node: str, ruling: Ruling, links: Sequence[Link]
) -> Iterator[EdgeClaim]:
    """Return edges to the cards that a question names in 《》, and to the terms or cards that the
    pages it links to are about, each once. Only the question's first passage is searched.

    node: the id of the ruling.
    links: those of the passage to terms and cards, in their order.
    """
    passage = context.page.passages[ruling.place]
    question_end = _question_end(passage.text, ruling)
    first, end = (
        bisect_left(links, place, key=attrgetter("start")) for place in (ruling.start, question_end)
    )
    targets = [  # id, label, start and end of each
        (card_id(context.game, match[1]), match[1], match.start(), match.end())
        for match in _CARD.finditer(passage.text, ruling.start, question_end)
    ]
    targets += [
        (node_of_page(context, link.target).node, link.target, link.start, link.end)
        for link in links[first:end]
    ]
    return mentions(context, node, ruling.place, targets)


def mentions(
    context: PageContext, node: str, place: int, targets: Iterable[tuple[str, str, int, int]]
) -> Iterator[EdgeClaim]:
    """Yield edges from a node to what the text of its passage names, each target once, where it
    comes first, in the order given.

    place: the index of the passage. targets: (id, label, start, end) of each.
    """
    seen: set[str] = set()
    for target, label, start, end in targets:
        if target not in seen:
            seen.add(target)
            yield EdgeClaim(
                kind="mentions",
                source=node,
                target=target,
                target_label=label,
                passage=context.passage_ids[place],
                start=start,
                end=end,
                reason=f"no page on {label} is in this knowledge base",
            )


def _question_end(text: str, ruling: Ruling) -> int:
    """Return where the question of a ruling ends in the text of its passage: at the line of the
    next sign Q or A, or at the end of the text.

    A sign at the start of the ruling itself doesn't count. The line break before the end belongs to
    the question.
    """
    # Not text.split("\n"): a passage of many rulings would be split once for each of them.
    line_end = text.find("\n", ruling.start)
    while line_end >= 0:
        line_start, line_end = line_end + 1, text.find("\n", line_end + 1)
        line = text[line_start : line_end if line_end >= 0 else None]
        if _ANSWER.match(line) or _QUESTION.match(line):
            return line_start
    return len(text)
