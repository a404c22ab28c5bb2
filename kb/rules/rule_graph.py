"""The graph of rules: a node for each rule through all editions, an edge for each reference."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from graphs.networkx_view import storable
from graphs.sort_orders import in_order
from graphs.store.reader import Store
from graphs.store.rule_versions import VersionOfRule, all_versions, edges_between_versions

if TYPE_CHECKING:
    import networkx as nx

_FIELDS = ("kind", "game", "edition", "lang", "number", "label", "text")


def rule_graph(store: Store, game: str | None = None) -> nx.MultiDiGraph[str]:
    """Return the rules of a game, or of all games, as `KnowledgeBase.graph` does with `by="rule"`.

    A rule that cites another one in several editions and languages has one edge to it, whose
    `times` is how often one version cites it at most, and a rule is part of what it stands below in
    its newest version. Citations of what is not loaded, or of another game, have no edge. For an
    unknown game the graph is empty.
    """
    import networkx as nx

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    versions = all_versions(store, game)
    of_rule: dict[str, list[VersionOfRule]] = defaultdict(list)
    for version in versions:
        of_rule[version.rule].append(version)
    for newest in filter(lambda version: version.is_newest, versions):
        fields = {name: value for name in _FIELDS if (value := getattr(newest, name))}
        fields |= {"name": newest.label or newest.number} | _where(of_rule[newest.rule])
        graph.add_node(
            storable(newest.rule), **{name: storable(value) for name, value in fields.items()}
        )
    of_key = {version.key: version for version in versions}
    citing: dict[tuple[str, str], list[VersionOfRule]] = defaultdict(list)
    for kind, source_key, target_key in edges_between_versions(store):
        source, target = of_key.get(source_key), of_key.get(target_key)
        if source and target and kind == "cites":
            citing[source.rule, target.rule].append(source)
        elif source and target and source.is_newest:
            ends = storable(source.rule), storable(target.rule)
            graph.add_edge(*ends, "part_of", kind="part_of")
    for (source_rule, target_rule), times in sorted(citing.items()):
        graph.add_edge(
            storable(source_rule),
            storable(target_rule),
            "cites",
            kind="cites",
            times=max(Counter(version.key for version in times).values()),
            **_where(times),
        )
    return graph


def _where(versions: Iterable[VersionOfRule]) -> dict[str, str]:
    """Return {"editions", "languages"}: the editions of versions, the oldest first, and their
    languages, sorted, each once and joined with ", "."""
    return {
        "editions": ", ".join(in_order(version.edition for version in versions)),
        "languages": ", ".join(sorted({version.lang for version in versions})),
    }
