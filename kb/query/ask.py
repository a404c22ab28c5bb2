"""Answers to questions: the passages that speak of what is asked for, best first, and why."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from graphs.model import Edge, Node
from graphs.store import Store
from kb.query.candidates import any_of, candidates
from kb.query.question import read_question
from kb.query.ranking import Found, asked_for, judged
from kb.query.signs import Close, closely
from kb.query.table import Table, Tabular, row

_BESIDE = 0.2  # of what is asked for, that a further answer covers
_CLOSELY = 40  # passages that are held against each other
_ENOUGH = 9.0  # the score of the best; less is no answer: what is asked for is hardly spoken of


@dataclass(frozen=True, slots=True)
class Answer:
    """A passage that answers, or the rule that it gives; the rules that it cites; why it was
    chosen, in words."""

    rank: int
    score: float
    passage: Node
    node: Node
    citations: tuple[Edge, ...]
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answers(Tabular):
    """A question and its answers, the best first; none where the pages do not say."""

    question: str
    answers: tuple[Answer, ...]

    def table(self) -> Table:
        """A row an answer, with the rules that it cites and why it was chosen."""
        return Table(
            tuple(
                row(rank=one.rank, game=one.node.game, number=one.node.number,
                    label=one.node.label, text=one.passage.text,
                    cites=", ".join(dict.fromkeys(edge.target_label for edge in one.citations)),
                    why="; ".join(one.why), passage=one.passage.id, notice=one.node.notice)
                for one in self.answers
            )
        )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """As `sansho ask --json` prints it."""
        return {
            "question": self.question,
            "answers": [
                {"rank": one.rank, "score": one.score, "passage": one.passage.as_json(),
                 "node": one.node.as_json(), "why": list(one.why),
                 "citations": [{"node": edge.target, "label": edge.target_label,
                                "evidence": edge.as_json()["evidence"]} for edge in one.citations]}
                for one in self.answers
            ],
        }  # fmt: skip


def ask(store: Store, text: str, top: int = 5, game: str | None = None) -> Answers:
    """The passages that answer a question, best first; none if the pages hardly speak of it."""
    near = closest(store, text, game)
    return _answers(store, text, closely(near)[:top] if near else [])


def closest(store: Store, text: str, game: str | None = None) -> Close | None:
    """The passages that come nearest to answering a question, ranked roughly; None if
    none comes near."""
    question = read_question(store, text, game)
    often = {one: store.texts.frequency(any_of(one.every)) for one in question.wanted}
    unknown = any(not times and one.proper for one, times in often.items())
    if unknown or (not often and not question.rules):
        return None  # it asks for nothing, or for something that no page here speaks of
    asked = {lang: asked_for(question, often, lang) for lang in ("ja", "en")}
    found = [
        judged(one, question, asked["en" if one.told.lang == "en" else "ja"])
        for one in candidates(store, question, often)
    ]
    least = _ENOUGH if question.rules else 0.0  # beside a rule that is named, hardly any other
    ranked = [one for one in found if one.covered >= _BESIDE and one.score > least]
    ranked.sort(key=lambda one: (-one.score, one.told.passage))
    asks_what = question.kind == "definition"
    defined = asks_what and any(one.candidate.defines for one in ranked)
    if not defined and max((one.score for one in ranked), default=0.0) < _ENOUGH:
        return None
    ranked = _distinct(ranked)[:_CLOSELY]
    ids = [one.told.passage for one in ranked]
    nodes, before = store.get(ids), store.texts.before(ids)
    return Close(
        ranked, [nodes[one].text or "" for one in ids], [before.get(one, "") for one in ids],
        question, asked,
    )  # fmt: skip


def _distinct(ranked: list[Found]) -> list[Found]:
    """Of passages that give one rule, or say the same in the same words, the first; of a rule
    in several editions the newest, where the best of them stands."""
    places: dict[str, int] = {}
    kept: list[Found] = []
    for one in ranked:
        rule = (one.told.rule or "").split("/")
        keys = {
            one.told.words,
            f"{rule[0]} {rule[-2:]}" if one.told.rule else one.told.passage,
        }
        known = {places[key] for key in keys if key in places}
        if not known:
            places |= dict.fromkeys(keys, len(kept))
            kept.append(one)
        elif one.told.rule:
            place = min(known)
            if (one.told.rule or "") > (kept[place].told.rule or "~"):
                kept[place] = one
    return kept


def _answers(store: Store, text: str, ranked: list[Found]) -> Answers:
    ids = [one.told.rule or one.told.passage for one in ranked]
    nodes = store.get([*ids, *(one.told.passage for one in ranked)])
    cited: dict[str, list[Edge]] = defaultdict(list)
    for edge in store.edges(ids, "out", ["cites"]):
        cited[edge.source].append(edge)
    return Answers(text, tuple(
        Answer(rank, round(one.close, 3), nodes[one.told.passage], nodes[node],
               tuple(cited[node]), tuple(dict.fromkeys(one.why)))
        for rank, (node, one) in enumerate(zip(ids, ranked, strict=True), 1)
    ))  # fmt: skip
