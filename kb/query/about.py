"""What is stated on a term: its procedures and outcomes, and the list of all terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from graphs.model import Evidence, Node
from graphs.store import Store
from kb.fold import fold, plain
from kb.query.lookup import edition_of, find, unknown
from kb.query.table import Table, Tabular, row

_NUMBER = re.compile(r"\d+$")
_FORMS = ("{}", "「{}」", "《{}》", "“{}”", "the {}", "a {}", "an {}")  # of a subject


@dataclass(frozen=True, slots=True)
class Step:
    """One of the things that a procedure asks to be done, counted from 1."""

    n: int
    text: str
    node: Node


@dataclass(frozen=True, slots=True)
class Procedure:
    """An order of steps. `why` says how it belongs to the term: it stands on the term's
    `page`, under its `rule`, or its introduction makes `mention` of it."""

    node: Node
    steps: tuple[Step, ...]
    why: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Procedures:
    """The procedures that belong to a term."""

    procedures: tuple[Procedure, ...]

    def as_json(self) -> dict[str, Any]:
        """As `sansho steps --json` prints it."""
        return {
            "procedures": [
                {"node": found.node.as_json(),
                 "steps": [{"n": s.n, "text": s.text, "node": s.node.as_json()}
                           for s in found.steps],
                 "why": found.why, "evidence": asdict(found.evidence)}
                for found in self.procedures
            ]
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """If `condition`, then `result`, for `subject`. `exception_to` is the id of another
    outcome, or the words to which this is an exception."""

    subject: str
    condition: str
    result: str
    modality: str
    exception_to: str | None
    node: Node
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Outcomes(Tabular):
    """The outcomes on a term, in the order in which its pages state them."""

    outcomes: tuple[Outcome, ...]

    def table(self) -> Table:
        """A row an outcome, with the passage that states it."""
        return Table(
            tuple(
                row(game=one.node.game, subject=one.subject, condition=one.condition,
                    result=one.result, modality=one.modality, exception_to=one.exception_to,
                    passage=one.evidence.passage, notice=one.node.notice)
                for one in self.outcomes
            )
        )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """As `sansho outcomes --json` prints it."""
        return {
            "outcomes": [
                {"subject": found.subject, "condition": found.condition, "result": found.result,
                 "modality": found.modality, "exception_to": found.exception_to,
                 "node": found.node.as_json(), "evidence": asdict(found.evidence)}
                for found in self.outcomes
            ]
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Terms(Tabular):
    """Terms, in the order of their ids."""

    terms: tuple[Node, ...]

    def table(self) -> Table:
        """A row a term, with all its names."""
        return Table(
            tuple(
                row(game=node.game, label=node.label, reading=node.reading,
                    names=", ".join(dict.fromkeys(label.text for label in node.labels)),
                    term=node.id, notice=node.notice)
                for node in self.terms
            )
        )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """As `sansho terms --json` prints it."""
        return {"terms": [node.as_json() for node in self.terms]}


def terms(store: Store, game: str | None, source: str | None, lang: str | None) -> Terms:
    """All terms, or those of a game, of a source, with a name in a language."""
    return Terms(tuple(store.terms(game, source, lang)))


def steps(
    store: Store, ref: str, game: str | None, edition: str | None, lang: str | None
) -> Procedures:
    """The procedures on a term's page, under its rule, or that its name introduces."""
    named = _named(store, ref, game)
    if not named.nodes:
        raise unknown(store, ref)
    why: dict[str, str] = {}
    nodes: dict[str, Node] = {}
    for reason, found in (
        ("page", _on_pages(store, named, "procedure")),
        ("rule", store.stated_in("procedure", store.giving(_rules(store, named, cited=True)))),
        ("mention", _introduced(store, named)),
    ):
        for node in found:
            why.setdefault(node.id, reason)
            nodes.setdefault(node.id, node)
    said = list(_stated(store, nodes.values(), game, edition, lang))
    order = ("page", "rule", "mention")
    said.sort(key=lambda pair: order.index(why[pair[0].id]))
    return Procedures(tuple(
        Procedure(node, _steps(store, node), why[node.id], evidence) for node, evidence in said
    ))  # fmt: skip


def outcomes(
    store: Store, ref: str, game: str | None, edition: str | None, lang: str | None
) -> Outcomes:
    """The outcomes on a term's page, under its rule, or whose subject is the term."""
    named = _named(store, ref, game)
    found = _on_pages(store, named, "outcome")
    found += store.stated_in("outcome", store.giving(_rules(store, named)))
    subjects = [form.format(name) for name in named.names for form in _FORMS]
    games = {node.game for node in named.nodes}
    found += (
        node for node in store.outcomes_on(named.terms, subjects) if not games or node.game in games
    )
    if not found:  # a glossary's entry says where the rules on it are
        found = store.stated_in("outcome", store.giving(_rules(store, named, cited=True)))
    if not found and not named.nodes:
        raise unknown(store, ref)
    said = _stated(store, {node.id: node for node in found}.values(), game, edition, lang)
    return Outcomes(tuple(_outcome(node, evidence) for node, evidence in said))


# -- what a name stands for ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Named:
    """What a person's words name: nodes, the terms among them, and all names of these."""

    nodes: tuple[Node, ...]
    terms: tuple[str, ...]
    names: tuple[str, ...]


def _named(store: Store, ref: str, game: str | None) -> _Named:
    nodes = tuple(find(store, ref, game))
    found = [node for node in nodes if node.kind in {"term", "card"}]
    labels = [label.text for node in found for label in node.labels if label.role != "reading"]
    names = dict.fromkeys([plain(ref), *(plain(text) for text in labels), ref.strip(), *labels])
    return _Named(nodes, tuple(node.id for node in found), tuple(names))


def _on_pages(store: Store, named: _Named, kind: str) -> list[Node]:
    """What is stated on the pages and sections that define a term or are called so.

    A glossary defines all terms of a rulebook: of it the one entry counts, not the page.
    """
    within = [node.id for node in named.nodes if node.kind in {"page", "section"}]
    entries = []
    definers = store.get(edge.source for edge in store.edges(named.terms, "in", ["defines"]))
    for node in definers.values():
        if node.kind in {"page", "section"}:
            within.append(node.id)
        elif node.section and node.source != "rulebook":
            within.append(node.section)
        else:
            entries.append(node.id)
    inside = (part for place in dict.fromkeys(within) for part in store.inside(place)[0])
    found = [node for node in store.get(inside).values() if node.kind == kind]
    return found + store.stated_in(kind, entries)


def _rules(store: Store, named: _Named, cited: bool = False) -> list[str]:
    """The rules that are headed by a term's name, and those that its definition cites."""
    games = {node.game for node in named.nodes}
    rules = [node for node in named.nodes if node.kind == "rule"]
    for name in named.names if named.terms else ():
        rules += (node for node in store.labelled(fold(name)) if node.kind == "rule")
    found = [node.id for node in rules if node.game in games]
    if cited and named.terms:
        glosses = [edge.source for edge in store.edges(named.terms, "in", ["defines"])]
        passages = [n.id for n in store.get(glosses).values() if n.source == "rulebook"]
        found += (edge.target for edge in store.edges(passages, "out", ["cites"]) if edge.target)
    return list(dict.fromkeys(found))


def _introduced(store: Store, named: _Named) -> list[Node]:
    """The procedures whose introduction speaks of a term; in English, by its very name."""
    found = store.procedures_on(named.terms)
    english = [re.escape(name) for name in named.names if name.isascii()]
    if english and named.terms:
        games = sorted({node.game for node in named.nodes if node.game})
        word = re.compile(rf"\b(?:{'|'.join(english)})\b", re.IGNORECASE)
        procedures = store.procedures_in("en", games)
        found += (node for node in procedures if word.search(node.label or ""))
    return found


# -- what is stated, and where --------------------------------------------------------------


def _stated(
    store: Store, nodes: Iterable[Node], game: str | None, edition: str | None, lang: str | None
) -> Iterator[tuple[Node, Evidence]]:
    """Statements and the passages that make them, in the order of the pages.

    Of a rulebook that is there in several editions, those of one edition: the newest, if none
    is asked for.
    """
    found = {node.id: node for node in nodes if lang in (None, node.lang)
             and game in (None, node.game)}  # fmt: skip
    edges = {edge.source: edge.evidence for edge in store.edges(found, "out", ["part_of"])}
    pages = store.get({evidence.page for evidence in edges.values()})
    edition = edition_of(store, edition) if edition else None
    newest: dict[tuple[str | None, str | None], str] = {}
    for page in pages.values():
        key = page.game, page.lang
        newest[key] = max(page.edition or "", newest.get(key, ""))
    order = {evidence.passage: place for place, evidence in enumerate(edges.values())}
    for node_id in sorted(edges, key=lambda one: (order[edges[one].passage], _counted(one))):
        node, evidence = found[node_id], edges[node_id]
        page = pages[evidence.page]
        if page.edition in (None, edition or newest[page.game, page.lang]):
            yield node, _words(node, evidence)


def _counted(node_id: str) -> int:
    """The number at the end of the id of a statement."""
    number = _NUMBER.search(node_id)
    return int(number[0]) if number else 0


def _words(node: Node, evidence: Evidence) -> Evidence:
    """The very words of a statement within its passage."""
    start = evidence.text.find(node.text) if node.text else -1
    if not node.text or start < 0:
        return evidence
    return replace(evidence, start=start, end=start + len(node.text), text=node.text)


def _steps(store: Store, node: Node) -> tuple[Step, ...]:
    return tuple(
        Step(int(part.number or n), part.text or "", part)
        for n, part in enumerate(store.parts(node.id), 1)
        if part.kind == "step"
    )


def _outcome(node: Node, evidence: Evidence) -> Outcome:
    said = node.details or {}
    return Outcome(
        said.get("subject", ""), said.get("condition", ""), said.get("result", ""),
        said.get("modality", ""), said.get("exception_to"), node, evidence,
    )  # fmt: skip
