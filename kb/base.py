"""The knowledge base as people use it: each question a method, each answer typed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal

from graphs import Edge, Node
from graphs.model import NodeKind
from graphs.store import Store
from kb.errors import QuestionError
from kb.query import lookup
from kb.results import (
    Audit, Cited, Demonstration, Exported, Hits, Paths, Refs, Shown, Stats,
)  # fmt: skip

if TYPE_CHECKING:
    import networkx as nx

Direction = Literal["in", "out", "both"]


class KnowledgeBase:
    """An open knowledge base. Made by `kb.open`; close it, or use it in a `with`.

    A `ref` is a rule's number (`121.4`), a term or card in any of its names (`引く`, `draw`),
    a page's title or a node's id. `game` (`mtg`), `edition` (`20231117`) and `lang` (`ja`)
    narrow what it may mean.
    """

    def __init__(self, path: str | Path) -> None:
        self._store = Store(Path(path))

    def close(self) -> None:
        """Let go of the file."""
        self._store.close()

    def __enter__(self) -> KnowledgeBase:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    @property
    def notice(self) -> str:
        """What a reader must be told of the texts in this knowledge base; often empty."""
        return self._store.meta("notice") or ""

    @property
    def is_sample(self) -> bool:
        """Whether this is the bundled sample and nothing else."""
        return bool(self._store.meta("sample"))

    def show(
        self, ref: str, *, game: str | None = None, edition: str | None = None,
        lang: str | None = None,
    ) -> Shown:  # fmt: skip
        """The nodes that a reference names, the likeliest first; none is no error.

        >>> base = sample()
        >>> base.show("121.4", lang="ja").matches[0].id
        'mtg/cr/20231117/ja/121.4'
        >>> base.show("Normal Draw").matches[0].label
        '通常のドロー'
        """
        matches = lookup.find(self._store, ref, game, edition, lang)
        near = () if matches else tuple(self._store.near(lookup.fold(ref)))
        return Shown(tuple(matches), near)

    def refs(
        self, ref: str, *, direction: Direction = "both", kinds: Iterable[str] = (),
        depth: int = 1, game: str | None = None, edition: str | None = None,
        lang: str | None = None,
    ) -> Refs:  # fmt: skip
        """The edges at a node, each with the words it rests on; a page's include those of
        its passages. `depth` steps further out, nearest first.

        Raises QuestionError if nothing has that name.

        >>> found = sample().refs("121.2a", lang="ja", kinds=["cites"])
        >>> [(edge.target_label, edge.evidence.text) for edge in found.edges]
        [('616.1g', 'rule 616.1g')]
        """
        from graphs.walk import closure

        node = self._one(ref, game, edition, lang)
        kinds = tuple(kinds)
        if node.kind in {"page", "section"}:
            edges = self._of_page(node, direction, kinds)
        else:
            edges = closure(self._store, node.id, depth, direction, kinds)
        ends = {end for edge in edges for end in (edge.source, edge.target) if end}
        return Refs(node, tuple(edges), self._store.get(ends))

    def path(
        self, start: str, end: str, *, most: int = 3, game: str | None = None,
        edition: str | None = None, lang: str | None = None,
    ) -> Paths:  # fmt: skip
        """The shortest ways from one node to another, edges followed both ways.

        Raises QuestionError if nothing has one of the names.

        >>> ways = sample().path("121.2a", "616.1g", lang="ja")
        >>> [step.id if hasattr(step, "id") else step.kind for step in ways.paths[0]]
        ['mtg/cr/20231117/ja/121.2a', 'cites', 'mtg/cr/20231117/ja/616.1g']
        """
        from graphs.walk import paths

        starts = self._all(start, game, edition, lang)
        ends = self._all(end, game, edition, lang)
        found = paths(self._store, [n.id for n in starts], [n.id for n in ends], most)
        return Paths(tuple(tuple(way) for way in found))

    def search(self, text: str, *, most: int = 20, any_word: bool = False) -> Hits:
        """The passages that hold some words, in any inflection and spelling, best first.

        Words that stand together are a phrase; words set apart by spaces must all be there
        (or any of them, with `any_word`).

        >>> hits = sample().search("カードを引かれた").hits
        >>> "引" in hits[0].snippet
        True
        """
        from kb.query.search import search

        return search(self._store, text, most, any_word)

    def audit(self) -> Audit:
        """Where every character of the sources went, which edges dangle, what was unreadable.

        >>> sample().audit().lost
        0
        """
        from kb.query.whole import audit

        return audit(self._store)

    def stats(self) -> Stats:
        """How many nodes there are of each kind, source, game and edition; edges by kind.

        >>> sample().stats().games["ygo"] > 10
        True
        """
        from kb.query.whole import stats

        return stats(self._store)

    def nodes(self, kind: NodeKind | None = None) -> list[Node]:
        """All nodes, or those of a kind, in the order of their ids.

        >>> "dm/term/使う" in [term.id for term in sample().nodes("term")]
        True
        """
        return self._store.nodes(kind)

    def parts(self, node_id: str) -> list[Node]:
        """What a node consists of: a page's sections, a section's passages, a rule's sub-rules.

        >>> [n.number for n in sample().parts("mtg/cr/20231117/ja/121.6")]
        ['121.6a', '121.6b', '121.6c']
        """
        return self._store.parts(node_id)

    def opening(self, page_id: str, most: int = 2) -> list[Node]:
        """The passages that a page opens with."""
        return self._store.first_passages(page_id, most)

    def export(self, out: str | Path, format: str = "jsonl") -> Exported:
        """Write the whole graph in an interchange format; `-` writes to standard output.

        The file is replaced when the new one is whole. Raises QuestionError for a format
        that is not known, StoreError if the file can't be written.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     sample().export(Path(folder) / "graph.jsonl").nodes > 100
        True
        """
        from graphs.jsonl import write

        if format != "jsonl":
            raise QuestionError(f"no format {format}; there is: jsonl")
        nodes, edges = write(self._store, str(out))
        return Exported(str(out), format, nodes, edges)

    def demonstrate(self) -> Demonstration:
        """One question on the sample, answered by its passages and what they cite.

        >>> sample().demonstrate().answers[0].hit.node.kind
        'rule'
        """
        question = "ライブラリーから引こうとしたプレイヤーが敗北するのはどんなとき？"
        hits = [h for h in self.search(question, any_word=True).hits if h.node.lang == "ja"]
        answers = (
            Cited(hit, self.refs(hit.node.id, direction="out", kinds=["cites"]).edges)
            for hit in hits[:3]
        )
        return Demonstration(question, tuple(answers))

    def graph(self, dangling: bool = False) -> nx.MultiDiGraph[str]:
        """The whole graph as networkx knows graphs.

        >>> graph = sample().graph()
        >>> graph.nodes["mtg/term/引く"]["kind"]
        'term'
        """
        from graphs.view import as_networkx

        return as_networkx(self._store, dangling)

    def _all(
        self, ref: str, game: str | None, edition: str | None, lang: str | None
    ) -> list[Node]:
        found = lookup.find(self._store, ref, game, edition, lang)
        if not found:
            near = "、".join(self._store.near(lookup.fold(ref)))
            raise QuestionError(f"nothing is called {ref}" + (f"; near it: {near}" if near else ""))
        return found

    def _one(self, ref: str, game: str | None, edition: str | None, lang: str | None) -> Node:
        return self._all(ref, game, edition, lang)[0]

    def _of_page(self, node: Node, direction: Direction, kinds: tuple[str, ...]) -> list[Edge]:
        """The edges of all that a page or section consists of, its own structure left out."""
        inside, spoken_for = self._store.inside(node.id)
        edges = self._store.edges([*inside, *spoken_for], direction, kinds)
        within = set(inside)
        return [
            edge
            for edge in edges
            if (edge.kind != "part_of" or "part_of" in kinds)
            and (edge.evidence.passage in within or edge.target in within)
        ]


def sample() -> KnowledgeBase:
    """The bundled sample, built into a temporary file: for documentation and tests.

    >>> sample().is_sample
    True
    """
    return _sample()


def _make_sample() -> Iterator[KnowledgeBase]:
    import tempfile

    from kb.builder import build

    with tempfile.TemporaryDirectory() as folder:
        build(kb=Path(folder) / "sample.db")
        with KnowledgeBase(Path(folder) / "sample.db") as base:
            while True:
                yield base


_samples: Iterator[KnowledgeBase] = _make_sample()


def _sample() -> KnowledgeBase:
    return next(_samples)
