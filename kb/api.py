"""The knowledge base as people use it: each question a method, each answer a typed object."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Unpack

from graphs.model import Node, NodeKind
from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.query.common_filters import Filters, Scope
from kb.query.find_nodes import find_named

if TYPE_CHECKING:  # each method imports what it needs when it is called
    from tempfile import TemporaryDirectory

    import networkx as nx

    from graphs.picture.draw import Picture
    from kb.interchange.export import ExportReport
    from kb.query.align import Alignment
    from kb.query.answers.ask import Answers
    from kb.query.audit import Audit
    from kb.query.compare import Comparison
    from kb.query.diff import Diff
    from kb.query.kwic import Concordance, LineOrder
    from kb.query.outcomes import Outcomes
    from kb.query.passage_filters import PassageFilters
    from kb.query.path import Paths
    from kb.query.refs import Refs
    from kb.query.search import Hits
    from kb.query.show import Shown
    from kb.query.stats import Stats
    from kb.query.steps import Procedures
    from kb.query.terms import Terms
    from kb.query.trace import Trace

Direction = Literal["in", "out", "both"]


class KnowledgeBase:
    """An open knowledge base, as `kb.open` returns it. Close it, or use it in a `with` statement.

    A `ref` is a rule's number (`121.4`), a term or card by any of its names (`引く`, `draw`), a
    page's title, or a node's id. The keyword arguments `game` (`mtg`), `edition` (`20231117`),
    `lang` (`ja`) and `source` (`mtgwiki`) narrow what it may mean. Unless a method says otherwise,
    a `ref` that names nothing raises QuestionError.
    """

    def __init__(self, path: str | Path) -> None:
        self._store = Store(Path(path))

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def __enter__(self) -> KnowledgeBase:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._store.__exit__(kind, error, trace)

    def __repr__(self) -> str:
        return f"<knowledge base {self.file}>"

    @property
    def file(self) -> Path:
        """The file that is open."""
        return self._store.path

    @property
    def notice(self) -> str:
        """What a reader must be told about the texts in this knowledge base; often empty."""
        return self._store.meta("notice") or ""

    @property
    def is_sample(self) -> bool:
        """Whether this is the bundled sample and nothing else."""
        return bool(self._store.meta("sample"))

    # -- questions ------------------------------------------------------------------------

    def show(self, ref: str, **filters: Unpack[Filters]) -> Shown:
        """Return the nodes that a reference names, the likeliest first. If there are none, the
        result is empty and suggests similar names; nothing is raised.

        >>> base = sample()
        >>> base.show("121.4", lang="ja").matches[0].id
        'mtg/cr/20231117/ja/121.4'
        >>> base.show("Normal Draw").matches[0].label
        '通常のドロー'
        """
        from kb.query.show import show

        return show(self._store, ref, Scope(**filters))

    def refs(
        self,
        ref: str,
        *,
        direction: Direction = "both",
        kinds: Iterable[str] = (),
        depth: int = 1,
        with_parts: bool = False,
        **filters: Unpack[Filters],
    ) -> Refs:
        """Return the edges at a node, each with the words it rests on. The edges of a page are
        those of all its passages.

        direction: edges into the node, out of it, or both.
        kinds: only edges of these kinds; all kinds if empty.
        depth: how many steps to follow; nearer edges come first.
        with_parts: take a rule together with its sub-rules: what cites 704.5b depends on 704.

        >>> found = sample().refs("121.2a", lang="ja", kinds=["cites"], direction="out")
        >>> {(edge.target_label, edge.evidence.text) for edge in found.edges}
        {('616.1g', 'rule 616.1g')}
        >>> found = sample().refs("704", direction="in", kinds=["cites"], with_parts=True)
        >>> {"mtg/cr/20231117/ja/704", "mtg/cr/20231117/ja/704.5b"} <= set(found.nodes)
        True
        """
        from kb.query.refs import refs

        node = self._named(ref, filters)[0]
        return refs(self._store, node, direction, tuple(kinds), depth, with_parts)

    def path(self, start: str, end: str, *, most: int = 3, **filters: Unpack[Filters]) -> Paths:
        """Return the paths between two nodes that cost least, cheapest first, at most `most`.
        Edges are followed in both directions. An edge's cost depends on its kind (citing and
        defining are cheap, links dearer, mentions dearest) and grows with the number of edges
        of its kind at its ends.

        >>> found = sample().path("121.2a", "616.1g", lang="ja")
        >>> [step.id if hasattr(step, "id") else step.kind for step in found.paths[0]]
        ['mtg/cr/20231117/ja/121.2a', 'cites', 'mtg/cr/20231117/ja/616.1g']
        """
        from kb.query.path import path

        return path(self._store, self._named(start, filters), self._named(end, filters), most)

    def search(
        self,
        text: str,
        *,
        most: int = 20,
        any_word: bool = False,
        **filters: Unpack[PassageFilters],
    ) -> Hits:
        """Return the passages that contain some words, in any inflection and spelling, best first.

        Words written together are a phrase; words separated by spaces must all occur (with
        `any_word`, at least one). Besides the usual filters there are `section` (part of a
        section's name), `kind` (what the passage states: rule, ruling, procedure, step, outcome),
        `mentions` and `cites` (terms, cards and rules that it must refer to).

        >>> base = sample()
        >>> "引" in base.search("カードを引かれた").hits[0].snippet
        True
        >>> [hit.node.source for hit in base.search("引く", mentions="置換効果", cites="614").hits]
        ['mtgwiki']
        """
        from kb.query.search import search

        return search(self._store, text, most, any_word, filters)

    def kwic(
        self,
        text: str,
        *,
        order: LineOrder = "place",
        width: int = 30,
        most: int = 100,
        **filters: Unpack[PassageFilters],
    ) -> Concordance:
        """Return a concordance: a line for each occurrence of some words, in any inflection and
        spelling, with `width` characters of context on each side. The lines are in the order of
        the pages, or sorted by the context to the `left` or to the `right`. Filters: as for
        `search`.

        >>> line = sample().kwic("引く", order="right", game="mtg").lines[0]
        >>> line.key[0]
        '引'
        """
        from kb.query.kwic import kwic

        return kwic(self._store, text, order, width, most, filters)

    def ask(self, question: str, *, top: int = 5, game: str | None = None) -> Answers:
        """Return the passages that answer a question, best first, each with the rules that it
        cites and the reasons why it was chosen. There are none if the pages do not say.

        Unless `game` is given, it is taken from the question's words.

        >>> answers = sample().ask("空のライブラリーから引こうとするとどうなりますか？").answers
        >>> "ライブラリー" in answers[0].passage.text
        True
        """
        from kb.query.answers.ask import ask

        return ask(self._store, question, top, game)

    def compare(self, *refs: str, game: str | None = None) -> Comparison:
        """Return terms beside the terms of other games that are the same concept, each with its
        names and its definition. `game` narrows the terms asked about, not those beside them.

        Raises QuestionError if none of the references is a term.

        >>> rows = sample().compare("引く", game="mtg").rows
        >>> rows[0].term.id, rows[0].relation
        ('mtg/term/引く', None)
        >>> {row.relation for row in rows[1:]} <= {"exact", "close"}
        True
        """
        from kb.query.compare import compare

        named = [node for ref in refs for node in self._named(ref, {"game": game})]
        terms = [node for node in named if node.kind == "term"]
        if not terms:
            raise QuestionError(f"no term is called {', '.join(refs)}")
        return compare(self._store, terms)

    def diff(
        self,
        before: str,
        after: str,
        *,
        rule: str | None = None,
        lang: str | None = None,
        game: str | None = None,
    ) -> Diff:
        """Return what changed between two editions of a rulebook: rules added, removed, moved
        (same text, other number), changed (same number, other text) or both; and how many are
        the same.

        rule: only this rule, by its number in either edition, and its sub-rules.
        lang: the language to compare; Japanese if both editions are there in several.

        Raises QuestionError if an edition or the rule is not there; the message lists the
        editions that are.

        >>> found = sample().diff("20231117", "20231117.0", rule="121")
        >>> found.changes, found.same > 5
        ((), True)
        """
        from kb.query.diff import diff

        return diff(self._store, before, after, rule, Scope(game=game, lang=lang))

    def trace(self, ref: str, **filters: Unpack[Filters]) -> Trace:
        """Return the history of one rule through all editions: where it is added, then whether
        it stays the same, moves or changes, until it is removed.

        A number that several editions have means the newest one's rule, unless `edition` is given.
        Raises QuestionError if there is no such rule, or if several games have one.

        >>> [(entry.edition, entry.number, entry.kind) for entry in sample().trace("121.4").history]
        [('20231117', '121.4', 'added')]
        """
        from kb.query.trace import trace

        rules = find_named(self._store, ref, "rule", scope=Scope(**filters))
        games = sorted({node.game or "" for node in rules})
        if len(games) > 1:
            raise QuestionError(f"{ref} is a rule of several games ({', '.join(games)}): say which")
        return trace(self._store, max(rules, key=lambda node: node.edition or ""))

    def align(
        self,
        lang: str,
        other: str,
        *,
        rule: str | None = None,
        edition: str | None = None,
        game: str | None = None,
    ) -> Alignment:
        """Return the rules of the same number and edition in two languages, side by side, and
        where they disagree: rules missing from one language, citations that differ.

        Raises QuestionError if no edition is there in both languages.

        >>> found = sample().align("ja", "en", rule="121.2a")
        >>> found.pairs[0].number, sorted(found.pairs[0].texts), found.problems
        ('121.2a', ['en', 'ja'], ())
        """
        from kb.query.align import align

        return align(self._store, lang, other, rule, Scope(game=game, edition=edition))

    def steps(self, ref: str, **filters: Unpack[Filters]) -> Procedures:
        """Return the procedures of a term, with their steps in order: those on its page, under
        its rule, or introduced by a passage that mentions it. There may be none.

        >>> found = sample().steps("ドローフェイズ").procedures[0]
        >>> found.why, [step.n for step in found.steps]
        ('page', [1, 2, 3, 4])
        """
        from kb.query.steps import steps

        return steps(self._store, ref, Scope(**filters))

    def outcomes(self, ref: str, **filters: Unpack[Filters]) -> Outcomes:
        """Return what happens on which condition, as stated on a term's page, under its rule, or
        of the term as a subject: subject, condition, result, modality, exception.

        Raises QuestionError if nothing has that name and nothing is stated of it.

        >>> found = sample().outcomes("通常のドロー").outcomes
        >>> {outcome.modality for outcome in found} >= {"is", "must", "cannot"}
        True
        """
        from kb.query.outcomes import outcomes

        return outcomes(self._store, ref, Scope(**filters))

    def terms(
        self, *, game: str | None = None, source: str | None = None, lang: str | None = None
    ) -> Terms:
        """Return all terms, or those of a game, from a source, with a name in a language.

        >>> found = sample().terms(game="ygo", lang="en").terms
        >>> "ygo/term/通常のドロー" in [term.id for term in found]
        True
        """
        from kb.query.terms import terms

        return terms(self._store, Scope(game=game, source=source, lang=lang))

    def audit(self) -> Audit:
        """Return where every character of the sources went, which edges dangle, and what could
        not be read.

        >>> sample().audit().lost
        0
        """
        from kb.query.audit import audit

        return audit(self._store)

    def stats(self) -> Stats:
        """Return the number of nodes by kind, source, game and edition, and of edges by kind.

        >>> sample().stats().games["ygo"] > 10
        True
        """
        from kb.query.stats import stats

        return stats(self._store)

    # -- the graph ------------------------------------------------------------------------

    def nodes(self, kind: NodeKind | None = None) -> list[Node]:
        """Return all nodes, or those of a kind, sorted by id.

        >>> "dm/term/使う" in [term.id for term in sample().nodes("term")]
        True
        """
        return self._store.nodes(kind)

    def parts(self, node_id: str) -> list[Node]:
        """Return what a node consists of: a page's sections, a section's passages, a rule's
        sub-rules.

        >>> [part.number for part in sample().parts("mtg/cr/20231117/ja/121.6")]
        ['121.6a', '121.6b', '121.6c']
        """
        return self._store.parts(node_id)

    def opening(self, page_id: str, most: int = 2) -> list[Node]:
        """Return the first passages of a page, without its title and headings.

        >>> [passage.kind for passage in sample().opening("dmwiki/山札")]
        ['passage', 'passage']
        """
        return self._store.first_passages(page_id, most)

    def export(self, out: str | Path, form: str = "jsonl") -> ExportReport:
        """Write the whole graph to a file in an interchange format; `-` is standard output.

        Raises QuestionError for an unknown format, and StoreError if the file can't be written;
        an existing file is then left as it was.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     sample().export(Path(folder) / "graph.jsonl").nodes > 100
        True
        """
        from kb.interchange.export import export

        return export(self._store, str(out), form)

    def graph(self, dangling: bool = False) -> nx.MultiDiGraph[str]:
        """Return the whole graph for networkx, with the nodes' and edges' fields as attributes.
        `dangling` includes edges whose target is not loaded.

        >>> graph = sample().graph()
        >>> graph.nodes["mtg/term/引く"]["kind"]
        'term'
        """
        from graphs.networkx_view import as_networkx

        return as_networkx(self._store.nodes(), self._store.all_edges(), dangling)

    def draw(
        self,
        ref: str,
        *,
        most: int = 24,
        direction: Direction = "both",
        kinds: Iterable[str] = (),
        depth: int = 1,
        with_parts: bool = False,
        **filters: Unpack[Filters],
    ) -> Picture:
        """Return a picture of what `refs` finds at a node, with at most `most` nodes: those at
        the strongest edges. A notebook shows it; its `save` writes SVG or PNG.

        Raises DrawError if matplotlib or the font is missing: `pip install 'sansho[draw]'`.

        >>> sample().draw("121.4", most=8)
        <a picture: nodes 8, edges 7; 4 more nodes are left out>
        """
        found = self.refs(
            ref,
            direction=direction,
            kinds=kinds,
            depth=depth,
            with_parts=with_parts,
            **filters,
        )
        return found.draw(most)

    def _named(self, ref: str, filters: Filters) -> list[Node]:
        return find_named(self._store, ref, scope=Scope(**filters))


def sample() -> KnowledgeBase:
    """Open the bundled sample. It is built once per process, into a temporary file.

    >>> with sample() as base:
    ...     base.is_sample
    True
    """
    return KnowledgeBase(Path(_sample_folder().name) / "sample.db")


@cache
def _sample_folder() -> TemporaryDirectory[str]:
    from tempfile import TemporaryDirectory

    from kb.building.pipeline import build

    folder = TemporaryDirectory(prefix="sansho-")
    build(kb=Path(folder.name) / "sample.db")
    return folder
