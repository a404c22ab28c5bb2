"""Which nodes a person means by a number, a name or an id."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from graphs.model import Node, NodeKind
from graphs.store import Store
from kb.errors import QuestionError
from kb.fit import unfitness
from kb.fold import fold, plain
from kb.query.table import Table, Tabular, row

_RULE = re.compile(
    r"(?:rules?\s*|CR\s*[:：]?\s*)?(\d{1,4}(?:[.\-]\d{1,3})*[a-z]?)\.?", re.IGNORECASE
)
_ORDER = {"term": 0, "card": 1, "rule": 2, "page": 3, "edition": 4, "section": 5}


@dataclass(frozen=True, slots=True)
class Capture:
    """Something that was read of a page: the file, its URL, when it was taken (as its manifest or
    server says; empty if neither does), its form, and why the page is not taken from it; that is
    empty for the one that it is taken from."""

    place: str
    url: str
    taken: str
    form: str
    why_not: str


@dataclass(frozen=True, slots=True)
class Shown(Tabular):
    """The nodes that a reference names, the likeliest first; where there are none, names
    that begin alike. And what was read of the pages among them, the fittest first."""

    matches: tuple[Node, ...]
    near: tuple[str, ...] = ()
    captures: Mapping[str, tuple[Capture, ...]] = field(default_factory=dict)

    def table(self) -> Table:
        """A row a node, with all its names."""
        return Table(
            tuple(
                row(kind=node.kind, game=node.game, lang=node.lang, edition=node.edition,
                    number=node.number, label=node.label,
                    names=", ".join(dict.fromkeys(label.text for label in node.labels)),
                    text=node.text, id=node.id, notice=node.notice)
                for node in self.matches
            )
        )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """As `sansho show --json` prints it."""
        captures = {page: [asdict(one) for one in found] for page, found in self.captures.items()}
        matches = [node.as_json() for node in self.matches]
        return {"matches": matches, "captures": captures} if captures else {"matches": matches}


def _is_homonym(node: Node) -> bool:
    """Whether a term's id tells it from another of its name: that other is meant first."""
    return node.kind == "term" and node.id.endswith(")") and node.label != node.id.split("/", 2)[2]


def find(
    store: Store,
    ref: str,
    game: str | None = None,
    edition: str | None = None,
    lang: str | None = None,
) -> list[Node]:
    """The nodes that `ref` names, the likeliest first.

    A node's id names that node alone; a rule's number the rule in every edition, newest
    first; anything else whatever has it among its names, terms before cards before rules
    before pages.
    """
    ref, edition = ref.strip(), edition_of(store, edition) if edition else None
    exact = store.node(ref)
    if exact:
        return [exact]
    found: list[Node] = []
    if numbered := _RULE.fullmatch(plain(ref)):
        found = store.numbered(numbered[1].lower())
    if not found:
        found = sorted(
            store.labelled(fold(ref)),
            key=lambda node: (
                _ORDER.get(node.kind, 9),
                _is_homonym(node),
                node.label != ref,
                node.id,
            ),
        )
    return [
        node
        for node in found
        if (game is None or node.game == game)
        and (edition is None or node.edition == edition)
        and (lang is None or node.lang == lang)
    ]


def show(store: Store, ref: str, game: str | None, edition: str | None, lang: str | None) -> Shown:
    """The nodes that `ref` names, and the captures of the pages among them."""
    found = find(store, ref, game, edition, lang)
    if not found:
        return Shown((), tuple(store.near(fold(ref))))
    captures = {node.id: _captures(store, node.id) for node in found if node.kind == "page"}
    return Shown(tuple(found), captures=captures)


def _captures(store: Store, page: str) -> tuple[Capture, ...]:
    found = [taken for _, taken in store.ledger.captures(page)]
    best = next((one.fit for one in found if one.speaks), "")
    return tuple(
        Capture(one.place, one.url, one.taken, one.form, unfitness(one.fit, best)) for one in found
    )


def named(
    store: Store, ref: str, *kinds: NodeKind, game: str | None = None,
    edition: str | None = None, lang: str | None = None,
) -> list[Node]:  # fmt: skip
    """The nodes that `ref` names, of some kinds or of any. Raises QuestionError if there are none,
    and then says what the name is of, or what has one that begins like it."""
    found = find(store, ref, game, edition, lang)
    if not found:
        raise unknown(store, ref)
    fitting = [node for node in found if not kinds or node.kind in kinds]
    if not fitting:
        raise QuestionError(f"{ref} is no {' or '.join(kinds)}; it names {found[0].id}")
    return fitting


def unknown(store: Store, ref: str) -> QuestionError:
    """The error that says that nothing has a name, and what has one that begins like it."""
    near = "、".join(store.near(fold(ref)))
    return QuestionError(f"nothing is called {ref}" + (f"; near it: {near}" if near else ""))


def rule_number(given: str) -> str:
    """The number that a person gives, as the graph writes it.

    >>> rule_number("121.2A."), rule_number("rule ５．１")
    ('121.2a', '5.1')
    >>> rule_number("引く")
    Traceback (most recent call last):
    kb.errors.QuestionError: 引く is no number of a rule
    """
    number = _RULE.fullmatch(plain(given))
    if not number:
        raise QuestionError(f"{given} is no number of a rule")
    return number[1].lower()


def edition_of(store: Store, given: str) -> str:
    """The edition that a person means: by its own date, or by the date in its file's name, which
    is often that of publishing and some days later."""
    name = edition_name(given)
    if any(name == edition for _, edition, _ in store.editions()):
        return name
    files = store.editions_in(name) if name.isdigit() else []
    return files[0] if len(files) == 1 else name


def edition_name(given: str) -> str:
    """An edition as the graph names it, from the ways in which people write it.

    >>> [edition_name(e) for e in ("20231117.0", "2023-11-17", "mtg/cr/20231117")]
    ['20231117', '20231117', '20231117']
    """
    name = given.strip().rpartition("/")[2].removesuffix(".0")
    digits = name.replace("-", "")
    return digits if digits.isdigit() else name
