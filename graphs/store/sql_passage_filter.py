"""The filter of a full-text search: builds the SQL condition that limits it to some passages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from graphs.model import EdgeKind

# In these conditions `p` is the node of the passage and `r` that of the rule that it gives, if any.
_STATES_KIND = (
    "EXISTS (SELECT 1 FROM node k WHERE k.heading = p.key AND k.kind = ? "
    "AND k.kind IN ('step', 'procedure', 'outcome', 'ruling'))"
)
_EDITION = "coalesce(r.edition, p.edition, (SELECT b.edition FROM node b WHERE b.key = p.page))"
_MATCHING_EDGES = (
    "FROM edge WHERE kind = ? AND target IN "
    "(SELECT key FROM node WHERE id IN (SELECT value FROM json_each(?)))"
)
# The first condition follows from the second, and leads from the edges to their passages: else all
# passages would be read.
_HAS_EDGE = (
    f"(p.key IN (SELECT passage {_MATCHING_EDGES} UNION SELECT source {_MATCHING_EDGES} "
    f"UNION SELECT key FROM node WHERE gives_rule IN (SELECT source {_MATCHING_EDGES})) "
    f"AND (coalesce(p.gives_rule, p.key) IN (SELECT source {_MATCHING_EDGES}) "
    f"OR p.key IN (SELECT passage {_MATCHING_EDGES})))"
)


@dataclass(frozen=True, slots=True)
class PassageFilter:
    """The properties that a passage must have, all of them. A field that is None or empty asks for
    nothing.

    game, lang: of the rule that the passage gives, or of the passage itself.
    edition: of the rule that it gives, or else of its page.
    source: where its page comes from, such as `mtgwiki`.
    kind: what the passage states: `rule`, `ruling`, `procedure`, `step` or `outcome`.
    section: called with the id of the passage's section; returns whether the passage may match.
    edges: pairs of an edge kind and the ids of nodes. For each pair the passage must have an edge
        of that kind to any of the nodes. The edges of a rule count for the passages that give it.
    """

    game: str | None = None
    source: str | None = None
    edition: str | None = None
    lang: str | None = None
    kind: str | None = None
    section: Callable[[str], bool] | None = None
    edges: tuple[tuple[EdgeKind, tuple[str, ...]], ...] = ()

    def condition(self) -> tuple[str, list[str]]:
        """Return an SQL condition and its parameters, for all fields but `section`.

        In the query, `p` must be the node of the passage and `r` that of the rule that it gives.

        >>> PassageFilter(source="mtgwiki", kind="rule").condition()
        ('p.source = ? AND p.gives_rule IS NOT NULL', ['mtgwiki'])
        >>> ALL_PASSAGES.condition()
        ('1', [])
        """
        conditions = list(self._conditions())
        return (
            " AND ".join(condition for condition, _ in conditions) or "1",
            [value for _, values in conditions for value in values],
        )

    def edge_condition(self, edge: str) -> tuple[str, list[str]]:
        """Return an SQL condition and its parameters: that an edge is one that `edges` asks for.

        edge: the name of the table `edge` in the query.

        >>> PassageFilter(edges=(("cites", ("mtg/cr/20231117/ja/121",)),)).edge_condition("e")[1]
        ['cites', '["mtg/cr/20231117/ja/121"]']
        >>> ALL_PASSAGES.edge_condition("e")
        ('0', [])
        """
        condition = (
            f"({edge}.kind = ? AND {edge}.target IN "
            "(SELECT key FROM node WHERE id IN (SELECT value FROM json_each(?))))"
        )
        values = [value for kind, ids in self.edges for value in (kind, json.dumps(ids))]
        any_of = " OR ".join([condition] * len(self.edges))
        return (f"({any_of})" if any_of else "0"), values

    def _conditions(self) -> Iterator[tuple[str, list[str]]]:
        """Yield a condition and its parameters for each property.

        Properties that are None or empty are skipped, and so is `section`, which is no SQL. The
        kind `rule` asks for a passage that gives a rule, any other for one that states such a node.
        """
        for column in ("game", "lang"):
            if value := getattr(self, column):
                yield f"coalesce(r.{column}, p.{column}) = ?", [value]
        if self.edition:  # a glossary gives no rules: its edition is that of its book
            yield f"{_EDITION} = ?", [self.edition]
        if self.source:
            yield "p.source = ?", [self.source]
        if self.kind == "rule":
            yield "p.gives_rule IS NOT NULL", []
        elif self.kind:
            yield _STATES_KIND, [self.kind]
        for kind, ids in self.edges:
            yield _HAS_EDGE, [kind, json.dumps(ids)] * 5


ALL_PASSAGES = PassageFilter()
