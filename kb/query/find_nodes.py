"""Looks up the nodes that a reference names: by id, by a rule's number or by a name."""

from __future__ import annotations

from dataclasses import replace

from graphs.model import Node, NodeKind
from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.language.fold import fold
from kb.query.common_filters import EVERYTHING, Scope
from scraper.rulebook.numbering import parse_number

_SHORTEST_DATE = 6  # digits: 231117; fewer are in the names of other editions' files, too
_ORDER = {"term": 0, "card": 1, "rule": 2, "page": 3, "edition": 4, "section": 5}


def _is_homonym(node: Node) -> bool:
    """Return whether a term's id has a suffix in parentheses, to distinguish it from another term
    of the same name. The term without a suffix is the likelier one."""
    return node.kind == "term" and node.id.endswith(")") and node.label != node.id.split("/", 2)[2]


def find_nodes(store: Store, ref: str, scope: Scope = EVERYTHING) -> list[Node]:
    """Return the nodes that a reference names, the likeliest first; an empty list if none.

    A node's id names that node alone, whatever the scope. A rule's number names the rule in every
    edition, newest first. Anything else names all nodes with that name, in any spelling: terms
    before cards before rules before pages.

    ref: a node's id, a rule's number (`121.2a`, `rule 121.2a`) or a name, as a person writes it.
    scope: leaves out nodes without these values; its edition may be written in any form.
    """
    ref = ref.strip()
    if scope.edition:
        scope = replace(scope, edition=resolve_edition(store, scope.edition))
    exact = store.node(ref)
    if exact:
        return [exact]
    nodes: list[Node] = []
    if number := parse_number(ref):
        nodes = store.find_by_number(number)
    if not nodes:
        nodes = sorted(
            store.find_by_label(fold(ref)),
            key=lambda node: (
                _ORDER.get(node.kind, 9),
                _is_homonym(node),
                node.label != ref,
                node.id,
            ),
        )
    return [node for node in nodes if scope.includes(node)]


def find_named(store: Store, ref: str, *kinds: NodeKind, scope: Scope = EVERYTHING) -> list[Node]:
    """Return the nodes that a reference names, likeliest first; only those of some kinds, if any
    are given.

    ref, scope: as for `find_nodes`.

    Never empty: raises QuestionError if there are none. The message suggests similar names, or
    says which node of another kind has the name.
    """
    nodes = find_nodes(store, ref, scope)
    if not nodes:
        raise unknown_ref(store, ref)
    fitting = [node for node in nodes if not kinds or node.kind in kinds]
    if not fitting:
        raise QuestionError(f"{ref} is no {' or '.join(kinds)}; it names {nodes[0].id}")
    return fitting


def unknown_ref(store: Store, ref: str) -> QuestionError:
    """Return (not raise) the error for a reference that names nothing; it suggests names with the
    same beginning.

    Up to five names are suggested, those that begin with its first two letters when folded. If
    there are none, the message has no suggestions.
    """
    suggestions = "、".join(store.suggest_names(fold(ref)))
    return QuestionError(
        f"nothing is called {ref}" + (f"; near it: {suggestions}" if suggestions else "")
    )


def normalize_rule_number(given: str) -> str:
    """Return a rule's number, however a person writes it, in the form that the graph stores.

    given: the number alone, or after a word such as `rule`, `CR` or 规则; a final full stop does
        not count.

    Raises QuestionError if it is not the number of a rule.

    >>> normalize_rule_number("121.2A."), normalize_rule_number("rule ５．１")
    ('121.2a', '5.1')
    >>> normalize_rule_number("引く")
    Traceback (most recent call last):
    kb.errors.QuestionError: 引く is no number of a rule
    """
    number = parse_number(given)
    if number is None:
        raise QuestionError(f"{given} is no number of a rule")
    return number


def resolve_edition(store: Store, given: str) -> str:
    """Return the edition that a person means, in the form that the graph stores.

    It may be given by its own date, or by the date in its file's name: that is often the day when
    it was published, some days later. What matches neither is returned normalized, even if there
    is no such edition; nothing is raised.
    """
    name = normalize_edition(given)
    if any(name == edition for _, edition, _ in store.editions()):
        return name
    is_date = name.isdigit() and len(name) >= _SHORTEST_DATE
    editions = store.editions_in(name) if is_date else []
    return editions[0] if len(editions) == 1 else name


def normalize_edition(given: str) -> str:
    """Return an edition, however a person writes it, in the form that the graph stores.

    A date loses its hyphens, and any edition a path before it and `.0` behind it. What has the
    form already, such as `1.2`, is returned as it is.

    >>> [normalize_edition(e) for e in ("20231117.0", "2023-11-17", "mtg/cr/20231117")]
    ['20231117', '20231117', '20231117']
    """
    name = given.strip().rpartition("/")[2].removesuffix(".0")
    digits = name.replace("-", "")
    return digits if digits.isdigit() else name
