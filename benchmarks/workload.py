"""What a knowledge base is asked: of what is popular in it, and of anything at all.

Popular things are drawn as readers meet them: a node as often as edges lead to it, a word as
often as passages have it. Of all else each has the same chance.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from benchmarks.peers import Asked
from kb import KnowledgeBase
from kb.language.tokens import normal_forms, tokenizer
from kb.query.lookup.search_words import fulltext_query

_PASSAGES = 3000  # that words are drawn from
_TOP = 40  # nodes
_QUESTIONS = (  # one of each kind
    "{}とは何ですか？", "{}を引いたらどうなりますか？", "{}の手順は？", "{}は何枚まで選べますか？",
    "{}を捨てることはできますか？", "{}と{}の違いは何ですか？",
)  # fmt: skip


FIRST = 50  # references that are shown of a node
FIRST_REFS = f"refs depth 2 the first {FIRST}"


@dataclass(frozen=True, slots=True)
class Load:
    """One kind of question, and what it is asked of."""

    name: str
    ask: Callable[[KnowledgeBase, Any], object]
    arguments: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Nodes (id and label) and words of one knowledge base, drawn by chance, each once."""

    top: dict[str, str]
    popular: dict[str, str]
    any: dict[str, str]
    rules: list[str]
    pages: list[str]
    commonest_words: list[Asked]
    popular_words: list[Asked]
    any_words: list[Asked]
    two_words: list[Asked]
    phrases: list[Asked]


def drawn(db: sqlite3.Connection, many: int) -> Drawn:
    """So many of each, always the same ones."""
    rng = Random(1)

    def some(query: str) -> list[tuple[str, str]]:
        every = db.execute(query).fetchall()
        return rng.sample(every, min(many, len(every)))

    nodes = "SELECT id, coalesce(number, label) FROM node WHERE kind IN ({}) ORDER BY id"
    return Drawn(
        _top(db),
        _popular(db, many, rng),
        dict(some(nodes.format("'term', 'card'"))),
        [number for _, number in some(nodes.format("'rule'"))],
        [page for page, _ in some(nodes.format("'page'"))],
        *_words(db, many, rng),
    )


def _top(db: sqlite3.Connection) -> dict[str, str]:
    """The nodes to which the most edges lead."""
    return dict(
        db.execute(
            "SELECT t.id, t.label FROM (SELECT target, count(*) AS edges FROM edge "
            "WHERE target IS NOT NULL GROUP BY 1 ORDER BY 2 DESC LIMIT ?) "
            "JOIN node t ON t.key = target WHERE t.kind IN ('term', 'card') ORDER BY edges DESC",
            (_TOP,),
        ).fetchall()
    )


def _popular(db: sqlite3.Connection, many: int, rng: Random) -> dict[str, str]:
    """The ends of edges that are drawn by chance."""
    last = db.execute("SELECT max(rowid) FROM edge").fetchone()[0]
    found: dict[str, str] = {}
    for _ in range(20 * many):
        found |= db.execute(
            "SELECT t.id, t.label FROM edge e JOIN node t ON t.key = e.target "
            "WHERE e.rowid = ? AND t.kind IN ('term', 'card')",
            (rng.randint(1, last),),
        ).fetchall()
        if len(found) == many:
            break
    return found


def _words(db: sqlite3.Connection, many: int, rng: Random) -> list[list[Asked]]:
    """Words of passages that are drawn by chance: the commonest, popular ones, any, two of one
    passage, two that stand together."""
    last = db.execute("SELECT max(key) FROM passage_words").fetchone()[0]
    popular, pairs, phrases = [], [], []
    every: dict[str, Asked] = {}
    passages: Counter[str] = Counter()
    for _ in range(_PASSAGES):
        [text] = db.execute(
            "SELECT n.text FROM passage_words w JOIN node n USING (key) WHERE w.key >= ? "
            "ORDER BY w.key LIMIT 1",
            (rng.randint(1, last),),
        ).fetchone()
        found = [
            (form, start, end)
            for form, start, end in normal_forms(tokenizer()(text))
            if form.isalpha() and "\n" not in text[start:end]
        ]
        if len(found) < 2:
            continue
        single = [_asked(text[start:end], (form,)) for form, start, end in found]
        every |= {one.query: one for one in single}
        passages.update({one.query for one in single})
        one, other = rng.sample(single, 2)
        popular.append(one)
        pairs.append(_asked(f"{one.typed} {other.typed}", *one.phrases, *other.phrases))
        at = rng.randrange(len(found) - 1)
        (first, start, _), (second, _, end) = found[at : at + 2]
        phrases.append(_asked(text[start:end], (first, second)))
    shuffled = rng.sample(sorted(every.values()), len(every))
    commonest = [every[query] for query, _ in passages.most_common()]
    return [_alone(asked, many) for asked in (commonest, popular, shuffled, pairs, phrases)]


def _asked(typed: str, *phrases: tuple[str, ...]) -> Asked:
    query = " AND ".join('"' + " ".join(phrase) + '"' for phrase in phrases)
    return Asked(typed, query, phrases)


def _alone(asked: Sequence[Asked], many: int) -> list[Asked]:
    """Those that are read alone as they are in their passage, so that all search for the same."""
    return [one for one in dict.fromkeys(asked) if one.query == fulltext_query(one.typed)][:many]


def loads(chosen: Drawn) -> list[Load]:
    """All that is asked, in the order in which it is reported."""
    found = [
        Load("show, a rule", lambda base, ref: base.show(ref), chosen.rules),
        Load("opening, any page", lambda base, page: base.opening(page), chosen.pages),
    ]
    for which, nodes in (
        ("the most", chosen.top),
        ("popular", chosen.popular),
        ("any", chosen.any),
    ):
        first = lambda base, ref: base.refs(ref, depth=2, most=FIRST)  # noqa: E731
        found.append(Load(f"{FIRST_REFS}, {which}", first, list(nodes)))
    for which, nodes in (("popular", chosen.popular), ("any", chosen.any)):
        ids, names = list(nodes), list(nodes.values())
        ends = list(zip(ids, reversed(chosen.any), strict=False))
        questions = [
            _QUESTIONS[place % len(_QUESTIONS)].format(name, names[place - 1])
            for place, name in enumerate(names)
        ]
        found += [
            Load(f"show, {which}", lambda base, ref: base.show(ref), names),
            Load(f"refs, {which}", lambda base, ref: base.refs(ref), ids),
            Load(f"refs depth 2, {which}", lambda base, ref: base.refs(ref, depth=2), ids),
            Load(f"path, {which}", lambda base, pair: base.path(*pair), ends),
            Load(f"steps, {which}", lambda base, ref: base.steps(ref), ids),
            Load(f"outcomes, {which}", lambda base, ref: base.outcomes(ref), ids),
            Load(f"ask, {which}", lambda base, text: base.ask(text), questions),
        ]
    for which, asked in searches(chosen).items():
        typed = [one.typed for one in asked]
        found.append(Load(f"search, {which}", lambda base, text: base.search(text), typed))
        found.append(Load(f"kwic, {which}", lambda base, text: base.kwic(text), typed))
    return found


def searches(chosen: Drawn) -> dict[str, list[Asked]]:
    """What words are searched for, by how they are drawn."""
    return {
        "the commonest words": chosen.commonest_words,
        "a popular word": chosen.popular_words,
        "any word": chosen.any_words,
        "two words": chosen.two_words,
        "a phrase": chosen.phrases,
    }
