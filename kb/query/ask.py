"""Answers to questions: the passages that speak of what is asked for, best first, and why."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any

from graphs.model import Edge, Node
from graphs.store import Placed, Store
from kb.query.question import Question, Wanted, read_question, stems
from kb.query.table import Table, Tabular, row
from kb.words import normal_forms, words
from scraper.numbering import key_of

_TOGETHER, _EACH, _PAIR = 250, 40, 60  # passages that words bring up: any, one, two of them
_RAREST = 8  # of what is asked for, that bring passages up
_MANY = 5_000  # passages; what stands in more brings none up by itself
_DEFINING = 40  # passages that define one term
_LENGTH = 45  # words in a passage of usual length
_UNDER = 0.7  # what a word in a heading above counts, or in the rule that this one is part of
_BESIDE = 0.2  # of what is asked for, that a further answer covers
_COVERED = 0.42  # of what is asked for; what covers less is no answer
_TERM = 1.25  # a term says more than another word of the same frequency
_PASSAGES = 50_000  # what frequencies are held against
_LEVELS = 3  # of a list, above a passage
_OPENING = 4  # passages with which a page on a term says what it is
_DEFINED_BELOW, _BELOW_EACH = 3, 5  # sub-rules of a rule that defines, of any other
_SAYS = 3  # words beside those asked for; a passage with fewer says nothing of them
_RIGHT_KIND = {  # what a passage has that answers such a question; in normal forms
    "order": r"手順|順|先ず|最初|次|\b(?:order|first|then)\b",
    "many": r"[0-9一二三四五六七八九十] ?(?:枚|回|人|点|体|つ)|\b(?:one|two|three|seven|\d+)\b",
    "who": r"プレーヤー|相手|コントローラー|オーナー|\b(?:player|controller|owner|opponent)s?\b",
    "when": r"時|際|前|後|フェーズ|ステップ|ターン|\b(?:when|step|phase|turn|beginning|end)\b",
    "happens": r"場合|時|度|\b(?:if|when|instead|would)\b",
    "may": r"出来る|良い|\b(?:can|may|cannot|must)\b",
}  # fmt: skip
_STATED_BY = {  # kinds of questions, by what answers them
    "step": {"order"}, "procedure": {"order"}, "outcome": {"happens", "may", "when", "many"},
    "ruling": {"happens", "may", "when", "many"},
}  # fmt: skip
_EXPLAINS = 10  # words with which a rule says more than what kind of thing it is on
_STATES, _CROSSING, _PHRASE = 1.25, 0.5, 0.4
_OF_KIND, _DEFINES, _HEADED, _BELOW = 1.08, 1.6, 2.4, 1.15


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


@dataclass(slots=True)
class _Found:
    """A candidate: what is known of the passage, its score, and the reasons."""

    told: Placed
    score: float = 0.0
    covered: float = 0.0
    why: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Defining:
    """The passages that define what a question names, and the rules that these cite for it,
    each with the term."""

    passages: Mapping[str, str]
    rules: Mapping[str, str]


def ask(store: Store, text: str, top: int = 5, game: str | None = None) -> Answers:
    """The passages that answer a question, best first; none if too little of it is covered."""
    question = read_question(store, text, game)
    if not question.wanted:
        return Answers(text, ())
    often = {one: store.frequency(_any(one.every)) for one in question.wanted}
    if any(not times and one.proper for one, times in often.items()):
        return Answers(text, ())  # it is on something that no page here speaks of
    weights = {one: _weight(one, times) for one, times in often.items()}
    defining = _defining(store, question)
    told = _candidates(store, question, often, defining)
    above = _above(store, told)
    wholes = _wholes(store, told)
    found = [
        _judged(one, question, weights, defining, wholes, above[one.passage])
        for one in told.values()
        if not one.heading and not one.title
        and (not question.games or one.game in question.games)
    ]  # fmt: skip
    if max((one.covered for one in found), default=0.0) < _COVERED:
        return Answers(text, ())
    ranked = [one for one in found if one.covered >= _BESIDE and one.score > 0]
    ranked.sort(key=lambda one: (-one.score, one.told.passage))
    return _answers(store, text, _distinct(ranked)[:top])


def _weight(one: Wanted, often: int) -> float:
    """How much a thing that is asked for says: the rarer it is, the more."""
    return math.log(1 + _PASSAGES / (1 + often)) * (_TERM if one.terms else one.says)


def _any(forms: Iterable[str]) -> str:
    quoted = ('"' + form.replace('"', " ") + '"' for form in forms if any(map(str.isalnum, form)))
    return " OR ".join(quoted) or '""'


def _defining(store: Store, question: Question) -> _Defining:
    """Passages of which a page is sure, the openings of the terms' own pages; and what rules
    the first of these cite: a glossary is short, and says where to read on."""
    passages: dict[str, str] = {}
    openings: dict[str, str] = {}
    for one in question.wanted:
        for edge in store.edges(one.terms, "in", ["defines"])[:_DEFINING]:
            own_page = edge.source == edge.evidence.page
            (openings if own_page else passages).setdefault(
                edge.evidence.passage, edge.target or ""
            )
    for passage, behind in store.behind(openings, _OPENING).items():
        passages |= {one: openings[passage] for one in behind if one not in passages}
    cited = store.edges(passages, "out", ["cites"])
    rules = {edge.target: passages[edge.source] for edge in cited if edge.target}
    below = _sub_rules(store, rules, _DEFINED_BELOW)
    return _Defining(passages, {rule: rules[above] for rule, above in below.items()} | rules)


def _candidates(
    store: Store, question: Question, often: Mapping[Wanted, int], defining: _Defining
) -> dict[str, Placed]:
    """Passages that have the words, define the terms, or stand next to those that do."""
    rarest = sorted(question.wanted, key=lambda one: often[one])[:_RAREST]
    # What stands in every other passage brings nothing up, and takes long to rank.
    alone = [one for one in rarest if often[one] <= _MANY] or rarest[:1]
    queries = [_any(one.every) for one in alone]
    rows = [(" OR ".join(queries), _TOGETHER), *((query, _EACH) for query in queries)]
    rows += [
        (f"({_any(one.every)}) AND ({_any(other.every)})", _PAIR)
        for one, other in combinations(rarest, 2)
        if one in alone
    ]
    ids = dict.fromkeys(defining.passages)
    for query, most in rows:
        ids |= dict.fromkeys(row[0] for row in store.matching(query, most))
    told = store.placed(ids)
    best = [one.rule for one in told.values() if one.rule][:_PAIR]
    family = [*_rules_above(store, best).values(), *_sub_rules(store, best, _BELOW_EACH)]
    beside = store.givers([*family, *defining.rules])
    return told | store.placed(passage for passage in beside.values() if passage not in told)


def _above(store: Store, told: Mapping[str, Placed]) -> dict[str, str]:
    """For each passage the normal forms of what it stands under: its page's name, its heading,
    the list items above it."""
    known = dict(told)
    for _ in range(_LEVELS):
        parents = {one.parent for one in known.values() if one.parent} - known.keys()
        known |= store.placed(sorted(parents))
    pages = {
        page: " ".join(form for form, _, _ in normal_forms(words()(page)))
        for page in {one.page for one in told.values() if one.page}
    }
    found = {}
    for passage, one in told.items():
        parts, above = [pages.get(one.page or "", ""), one.under or ""], one
        while above.parent in known and len(parts) < _LEVELS + 2:
            above = known[above.parent]
            parts.append(above.words)
        found[passage] = f" {stems(' '.join(parts))} "
    return found


def _wholes(store: Store, told: Mapping[str, Placed]) -> dict[str, Placed]:
    """For each rule that is given the one that it is part of, where that is given too."""
    given = {one.rule: one for one in told.values() if one.rule}
    above = _rules_above(store, given)
    return {rule: given[above[rule]] for rule in given if above.get(rule) in given}


def _rules_above(store: Store, rules: Iterable[str]) -> dict[str, str]:
    """For rules those that they are part of."""
    edges = store.edges(rules, "out", ["part_of"])
    return {edge.source: edge.target for edge in edges if edge.target}


def _sub_rules(store: Store, rules: Iterable[str], most: int) -> dict[str, str]:
    """The first sub-rules of each of some rules, each with the rule."""
    found: dict[str, str] = {}
    below: dict[str, set[str]] = defaultdict(set)
    for edge in store.edges(rules, "in", ["part_of"]):
        below[edge.target or ""].add(edge.source)
    for rule in sorted(below):
        first = sorted(below[rule], key=lambda one: key_of(one.rpartition("/")[2]))[:most]
        found |= dict.fromkeys(first, rule)
    return found


def _judged(
    told: Placed, question: Question, weights: Mapping[Wanted, float], defining: _Defining,
    wholes: Mapping[str, Placed], above: str,
) -> _Found:  # fmt: skip
    """Score a passage: what it has of what is asked for, and what it is."""
    one, asks_what = _Found(told), question.kind == "definition"
    lang = "en" if told.lang == "en" else "ja"
    whole_rule = wholes.get(told.rule or "")
    text = f" {stems(told.words)} "
    above += f"{stems(whole_rule.words)} " if whole_rule else ""
    length = text.count(" ") - 1
    defines = defining.passages.get(told.passage, "")
    about_rule = defining.rules.get(told.rule or "", "") if asks_what else ""
    whole = have = score = 0.0
    said = 0
    for wanted in question.wanted:
        if lang != question.lang and not wanted.terms:
            continue  # a word of another language can't be there
        weight, forms = weights[wanted], wanted.forms[lang]
        whole += weight
        times = sum(text.count(f" {form} ") for form in forms)
        if defines in wanted.terms:  # what it says is said of the term, named or not
            times = max(times, 1)
        if times:
            have += weight
            said += 1
            long = max(length, _LENGTH if about_rule in wanted.terms else 0)
            score += weight * times * 2.2 / (times + 1.2 * (0.4 + 0.6 * long / _LENGTH))
            one.why.append(f"speaks of {wanted.said}")
        elif any(f" {form} " in above for form in forms):
            have += weight * 0.8
            score += weight * _UNDER
            one.why.append(f"stands under {wanted.said}")
    score += _together(question, weights, lang, text + above)
    if not whole or length - said < _SAYS:
        return one
    one.covered = have / whole
    one.score = score * one.covered**1.5 * (1.0 if lang == question.lang else _CROSSING)
    for kind in (told.states or "").split(","):
        if question.kind in _STATED_BY.get(kind, ()):
            one.score *= _STATES
            one.why.append(f"states {'an' if kind == 'outcome' else 'a'} {kind}")
    if (right := _RIGHT_KIND.get(question.kind)) and re.search(right, told.words):
        one.score *= _OF_KIND
    if term := defining.rules.get(told.rule or ""):
        one.score *= _HEADED if about_rule and length >= _EXPLAINS else _OF_KIND
        one.why.append(f"cited where {term.rpartition('/')[2]} is defined")
    elif asks_what and whole_rule and _names(whole_rule, question, lang):
        one.score *= _BELOW
        one.why.append(f"part of rule {(whole_rule.rule or '').rpartition('/')[2]} on it")
    if defines:
        one.score *= _DEFINES if asks_what else _OF_KIND
        one.why.append(f"defines {defines.rpartition('/')[2]}")
    return one


def _together(question: Question, weights: Mapping[Wanted, float], lang: str, text: str) -> float:
    """What it counts that words which stand together in the question do so in a passage."""
    found = 0.0
    for one, other in pairwise(question.wanted):
        if one.end == other.start and any(
            f" {a} {b} " in text for a in one.forms[lang] for b in other.forms[lang]
        ):
            found += _PHRASE * (weights[one] + weights[other])
    return found


def _names(told: Placed, question: Question, lang: str) -> bool:
    """Whether a rule says no more than the name of something that is asked for."""
    text = stems(told.words).partition(" ")[2]
    forms = {form for one in question.wanted for form in one.forms[lang]}
    return any(text.endswith(form) and len(text) - len(form) < 6 for form in forms)


def _distinct(ranked: list[_Found]) -> list[_Found]:
    """Of passages that give one rule, or say the same in the same words, the first; of a rule
    in several editions the newest, where the best of them stands."""
    places: dict[str, int] = {}
    kept: list[_Found] = []
    for one in ranked:
        rule = (one.told.rule or "").split("/")
        keys = {one.told.words, f"{rule[0]} {rule[-2:]}" if one.told.rule else one.told.passage}
        known = {places[key] for key in keys if key in places}
        if not known:
            places |= dict.fromkeys(keys, len(kept))
            kept.append(one)
        elif one.told.rule:
            place = min(known)
            if (one.told.rule or "") > (kept[place].told.rule or "~"):
                kept[place] = one
    return kept


def _answers(store: Store, text: str, ranked: list[_Found]) -> Answers:
    ids = [one.told.rule or one.told.passage for one in ranked]
    nodes = store.get([*ids, *(one.told.passage for one in ranked)])
    cited: dict[str, list[Edge]] = defaultdict(list)
    for edge in store.edges(ids, "out", ["cites"]):
        cited[edge.source].append(edge)
    return Answers(text, tuple(
        Answer(rank, round(one.score, 3), nodes[one.told.passage], nodes[node],
               tuple(cited[node]), tuple(dict.fromkeys(one.why)))
        for rank, (node, one) in enumerate(zip(ids, ranked, strict=True), 1)
    ))  # fmt: skip
