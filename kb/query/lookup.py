"""Which nodes a person means by a rule's number, a name or an id."""

from __future__ import annotations

import re
from dataclasses import replace

from graphs.model import Node, NodeKind
from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.language.fold import fold, plain
from kb.query.scope import EVERYTHING, Scope

_RULE = re.compile(
    r"(?:rules?\s*|CR\s*[:：]?\s*)?(\d{1,4}(?:[.\-]\d{1,3})*[a-z]?)\.?", re.IGNORECASE
)
_ORDER = {"term": 0, "card": 1, "rule": 2, "page": 3, "edition": 4, "section": 5}


def _is_homonym(node: Node) -> bool:
    """Whether a term's id tells it from another of its name: that other is meant first."""
    return node.kind == "term" and node.id.endswith(")") and node.label != node.id.split("/", 2)[2]


def find(store: Store, ref: str, scope: Scope = EVERYTHING) -> list[Node]:
    """The nodes that `ref` names, the likeliest first.

    A node's id names that node alone; a rule's number the rule in every edition, newest
    first; anything else whatever has it among its names, terms before cards before rules
    before pages.
    """
    ref = ref.strip()
    if scope.edition:
        scope = replace(scope, edition=edition_of(store, scope.edition))
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
    return [node for node in found if scope.includes(node)]


def find_named(store: Store, ref: str, *kinds: NodeKind, scope: Scope = EVERYTHING) -> list[Node]:
    """The nodes that `ref` names, of some kinds or of any. Raises QuestionError if there are none,
    and then says what the name is of, or what has one that begins like it."""
    found = find(store, ref, scope)
    if not found:
        raise unknown_ref(store, ref)
    fitting = [node for node in found if not kinds or node.kind in kinds]
    if not fitting:
        raise QuestionError(f"{ref} is no {' or '.join(kinds)}; it names {found[0].id}")
    return fitting


def unknown_ref(store: Store, ref: str) -> QuestionError:
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
