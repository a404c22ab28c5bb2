"""Shows the nodes that a reference names, and the captures of the pages among them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from graphs.model import Evidence, Node
from graphs.store.reader import Store
from kb.building.best_capture import reason_not_chosen
from kb.query.common_filters import Scope
from kb.query.find_nodes import look_up, near_names
from kb.query.list_result import ListResult
from kb.query.table_result import Table, table_row
from scraper.rulebook.languages import begins_example


@dataclass(frozen=True, slots=True)
class Capture:
    """A capture of a page.

    place: the file that it was read from.
    url: its URL.
    taken: when it was taken, as its manifest or the server says; empty if neither does.
    form: its form, such as `html`.
    why_not: why the page is not read from this capture but from another; empty for the capture
        that the page is read from.
    """

    place: str
    url: str
    taken: str
    form: str
    why_not: str


@dataclass(frozen=True, slots=True, repr=False)
class Shown(ListResult[Node]):
    """The nodes that a reference names.

    matches: the nodes, the likeliest first.
    near: if there are none, names to suggest, the likeliest first.
    taken_as: if nothing has the name, but the nodes are those of the one name that is spelled the
        same but for accents and signs, or sounds the same: which name, and how; None otherwise.
    captures: the captures of the pages among the nodes, by the page's id, the fittest first.
    examples: the examples of the rules among the nodes, by the rule's id, in the order of the page:
        evidence with the passage of each.
    """

    matches: tuple[Node, ...]
    near: tuple[str, ...] = ()
    captures: Mapping[str, tuple[Capture, ...]] = field(default_factory=dict)
    examples: Mapping[str, tuple[Evidence, ...]] = field(default_factory=dict)
    taken_as: str | None = None

    _ITEM = "node"

    def _items(self) -> tuple[Node, ...]:
        return self.matches

    def table(self) -> Table:
        """Return a table with a row per node and all its names.

        The columns are `kind`, `game`, `lang`, `edition`, `number`, `label`, `names` (all different
        labels, joined with commas), `text`, `id` and `notice`. `near`, `captures` and `examples`
        are left out.
        """
        return Table(
            tuple(
                table_row(
                    kind=node.kind,
                    game=node.game,
                    lang=node.lang,
                    edition=node.edition,
                    number=node.number,
                    label=node.label,
                    names=", ".join(dict.fromkeys(label.text for label in node.labels)),
                    text=node.text,
                    id=node.id,
                    notice=node.notice,
                )
                for node in self.matches
            )
        )

    def as_json(self) -> dict[str, Any]:
        """Return the object that `sansho show --json` prints.

        `matches` is a list of nodes as in `Node.as_json`. `captures` is {id of a page: list of
        dicts with the fields of `Capture`}, `examples` {id of a rule: list of evidence}; each key
        is missing if there are none. `taken_as` is a text or None; `near` is there only if there
        are no matches.
        """
        captures = {
            page: [asdict(capture) for capture in of_page]
            for page, of_page in self.captures.items()
        }
        examples = {
            rule: [asdict(evidence) for evidence in of_rule]
            for rule, of_rule in self.examples.items()
        }
        document: dict[str, Any] = {
            "matches": [node.as_json() for node in self.matches],
            "taken_as": self.taken_as,
        }
        if not self.matches:
            document["near"] = list(self.near)
        if captures:
            document["captures"] = captures
        if examples:
            document["examples"] = examples
        return document


def show(store: Store, ref: str, scope: Scope) -> Shown:
    """Return the nodes that a reference names, and the captures of the pages among them.

    ref, scope: as for `find_nodes`. If nothing is found, nothing is raised: `matches` is empty
        and `near` has names to suggest. If the reference was taken for another name, `taken_as`
        says so.
    """
    found = look_up(store, ref, scope)
    nodes = found.nodes
    if not nodes:
        return Shown((), near_names(store, ref, scope))
    captures = {node.id: _captures(store, node.id) for node in nodes if node.kind == "page"}
    return Shown(
        tuple(nodes), captures=captures, examples=_examples(store, nodes), taken_as=found.taken_as
    )


def _examples(store: Store, nodes: Iterable[Node]) -> dict[str, tuple[Evidence, ...]]:
    """Return the examples of the rules among some nodes, by the rule's id, in the order in which
    they stand; rules without examples are left out."""
    rules = [node.id for node in nodes if node.kind == "rule"]
    examples: dict[str, list[Evidence]] = defaultdict(list)
    for edge in store.edges(rules, "in", ["quotes"]):
        if edge.target and begins_example(edge.evidence.text):
            examples[edge.target].append(edge.evidence)
    return {
        rule: tuple(sorted(of_rule, key=lambda e: (e.page, int(e.passage.rpartition("¶")[2]))))
        for rule, of_rule in examples.items()
    }


def _captures(store: Store, page: str) -> tuple[Capture, ...]:
    """Return the captures of a page, the fittest first.

    page: the page's id. Captures that the page is not read from are included, with the reason in
        `why_not`. The result is empty if no capture of it is recorded.
    """
    records = [record for _, record in store.provenance.captures(page)]
    best = next((record.fitness for record in records if record.chosen), "")
    return tuple(
        Capture(
            record.place,
            record.url,
            record.taken,
            record.form,
            reason_not_chosen(record.fitness, best),
        )
        for record in records
    )
