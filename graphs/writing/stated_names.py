"""Read the names that pages give to nodes while a graph is being written."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from sys import intern

from graphs.model import NodeKind
from graphs.writing.labels import NodeName
from graphs.writing.writer import Writer


def stated_names(
    writer: Writer, kinds: Sequence[NodeKind], without: Collection[str] = ()
) -> Iterator[NodeName]:
    """Yield each name that pages give to nodes of some kinds, once, in no order.

    Only nodes that some page claims to exist are named. What pages state counts, as if no nodes
    were merged. It may be called before `Writer.finish_pages`.

    without: the ids of pages whose names and claims don't count.
    """
    pages = [key for page in without if (key := writer.key(page))]
    others = f"page NOT IN ({','.join(map(str, pages))})"
    marks = ",".join("?" * len(kinds))
    rows = writer.db.execute(
        "SELECT DISTINCT coalesce(original_node, node), lang, coalesce(original_role, role), "
        f"folded, text FROM label WHERE {others} "
        "AND rowid NOT IN (SELECT label FROM derived_label) AND coalesce(original_node, node) IN "
        f"(SELECT coalesce(original_node, node) FROM claim WHERE kind IN ({marks}) AND {others})",
        kinds,
    ).fetchall()
    ids = writer.shared_ids({row[0] for row in rows})
    for key, lang, role, folded, text in rows:
        yield NodeName(ids[key], intern(lang), intern(role), folded, text)


def passage_texts(writer: Writer, page: str) -> list[str]:
    """Return the texts of the passages of a page that is in the graph, in their order."""
    rows = writer.db.execute(
        "SELECT text FROM node WHERE page = ? AND kind = 'passage' ORDER BY position",
        (writer.must_shared_key(page),),
    )
    return [text or "" for (text,) in rows]
