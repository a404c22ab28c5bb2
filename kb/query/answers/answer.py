"""What `ask` returns: the answers to a question, each with its passage and the reasons for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from graphs.model import Edge, Evidence, Node
from kb.query.answers.limits import Limit
from kb.query.lookup.passage_places import Place
from kb.query.lookup.search_words import cut_before, cut_behind
from kb.reason import Ask, Reason
from kb.result import UNREPORTED, ListResult, columns, reported_as


@dataclass(frozen=True, slots=True)
class Citation:
    """A rule that an answer cites.

    node: its id; None if it is not loaded. label: its number, as it is cited.
    heading: what it is about; empty if unknown, as for a rule that is not loaded.
    evidence: the words that cite it.
    """

    node: str | None
    label: str
    heading: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Answer:
    """A passage that answers a question.

    rank: its place among the answers, from 1.
    score: its score after reranking; only comparable among the answers to one question.
    passage: the passage.
    node: the rule that the passage gives, or the passage itself if it gives none.
    citations: the edges to the rules that `node` cites.
    why: the reasons why it was chosen, the strongest first.
    decides: (start, end) of the sentence in the passage's text that decides the question; of two,
        if the second goes on from the first and both may.
    limits: at most two sentences that limit that one, of the passage or of sub-rules beside it.
    not_found: words of the question that neither the passage nor what it stands under has.
    place: where the passage stands.
    same: where else the same text stands: other editions, captures and pages.
    headings: what the cited rules are about, in the order of `citations`; empty if unknown.
    reworded: where older editions have the rule in other words.
    part: the words of the part of the question that it is on, separated by commas if it is on
        several; empty for a question that asks about one thing.
    group: the id of the rule that it is a sub-rule of, if another answer is one of its sub-rules,
        too; else empty.
    above: the words of that rule, without its number; empty without a group.
    since: of a rule in an older edition, what became of it, and in which edition; else None.
    """

    rank: int
    score: float
    passage: Node
    node: Node
    citations: tuple[Edge, ...] = field(metadata=UNREPORTED)
    why: tuple[Reason, ...]
    decides: tuple[int, int]
    not_found: tuple[str, ...]
    place: Place
    same: tuple[Place, ...]
    headings: tuple[str, ...] = field(metadata=UNREPORTED)
    reworded: tuple[Place, ...] = ()
    part: str = ""
    group: str = ""
    above: str = ""
    since: Reason | None = None
    limits: tuple[Limit, ...] = ()

    @reported_as("citations")
    def cited(self) -> tuple[Citation, ...]:
        """The rules that it cites, with what they are about; one for each of `citations`, in order.

        A rule that is cited twice comes twice.
        """
        return tuple(
            Citation(edge.target, edge.target_label, heading, edge.evidence)
            for edge, heading in zip(self.citations, self.headings, strict=True)
        )

    def context(self, most: int) -> tuple[str, str]:
        """Return what the passage says before and behind the sentence that decides, without the
        number of its rule, on one line each; either is empty if there is nothing.

        most: at most how many characters there are of both; … stands where more is left out, and
            comes on top. What stands before gets a third of them, or what the rest leaves free.
        """
        text, (start, end) = self.passage.text or "", self.decides
        left = " ".join(text[self.place.number_length(text) : start].split())
        right = " ".join(text[end:].split())
        before = max(most // 3, most - len(right))
        behind = most - min(len(left), before)
        if len(left) > before:
            left = "…" + left[cut_behind(left, len(left) - before, len(left)) :].lstrip()
        if len(right) > behind:
            right = right[: cut_before(right, behind, 0)].rstrip() + "…"
        return left, right


@dataclass(frozen=True, slots=True)
class OtherAnswer:
    """The answer of another question, such as `refs` or `diff`, that a question in words asks for.

    ask: that question.
    said: what it is, and how much it has.
    lines: its first entries, each on a line.
    sure: whether it is all that was asked for, so that no passages were looked for.
    result: the whole, as the method of that name returns it; `ask` gives it in the document.
    """

    ask: Ask
    said: Reason
    lines: tuple[str, ...]
    sure: bool
    result: Any = field(metadata=UNREPORTED)


@dataclass(frozen=True, slots=True, repr=False)
class Answers(ListResult[Answer], items="answers", item="answer"):
    """A question and its answers, best first; there are none if the pages do not say.

    unknown: words of the question that no passage at all has; of a question with answers, only
        those for which no passage has other words.
    near, hints: names that are like these words, and reasons that say how, which games are loaded
        and what else to ask; both are empty where there are answers.
    missing_games: the ids of games that the question names and that are not loaded.
    of_others: terms that the question names, that other games have, and of which the game that it
        is about says nothing: what is answered is then only what is nearest.
    other: if another question answers it exactly, such as which rules cite one, that answer; else
        None. There are no answers beside one that is sure.
    """

    question: str
    answers: tuple[Answer, ...]
    unknown: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    hints: tuple[Reason, ...] = ()
    missing_games: tuple[str, ...] = ()
    of_others: tuple[Reason, ...] = ()
    other: OtherAnswer | None = None

    _COLUMNS = columns(
        "rank part game=node.game number=node.number label=node.label text=passage.text "
        "cites=citations.target_label why passage=passage.id notice=node.notice"
    )

    def __bool__(self) -> bool:
        return bool(self.answers or self.other)

    def _about(self) -> str:
        return f"to {self.question}"

    def _what_else(self) -> Iterator[str]:
        """Yield the answer of another question, then what there is besides."""
        if self.other:
            yield from (f"  {each}" for each in (self.other.said, *self.other.lines))
        yield from ListResult._what_else(self)
