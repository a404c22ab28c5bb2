"""The knowledge base as people use it: each question a method, each answer typed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Unpack

from graphs.model import Node, NodeKind
from graphs.store import Store
from kb.errors import QuestionError
from kb.query.lookup import Shown, named, show

if TYPE_CHECKING:  # each question loads what it needs when it is asked
    from tempfile import TemporaryDirectory

    import networkx as nx

    from graphs.draw import Picture
    from kb.export import Exported
    from kb.query.about import Outcomes, Procedures, Terms
    from kb.query.align import Alignment
    from kb.query.ask import Answers
    from kb.query.compare import Comparison
    from kb.query.demo import Demonstration
    from kb.query.diff import Diff, Trace
    from kb.query.kwic import Lines, Order
    from kb.query.search import Hits
    from kb.query.walk import Paths, Refs
    from kb.query.whole import Audit, Stats
    from kb.query.within import Where

Direction = Literal["in", "out", "both"]


class KnowledgeBase:
    """An open knowledge base. Made by `kb.open`; close it, or use it in a `with`.

    A `ref` is a rule's number (`121.4`), a term or card in any of its names (`引く`, `draw`),
    a page's title or a node's id. `game` (`mtg`), `edition` (`20231117`) and `lang` (`ja`)
    narrow what it may mean. A question about a `ref` that names nothing raises QuestionError.
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
        self._store.__exit__(kind, error, trace)

    @property
    def notice(self) -> str:
        """What a reader must be told of the texts in this knowledge base; often empty."""
        return self._store.meta("notice") or ""

    @property
    def is_sample(self) -> bool:
        """Whether this is the bundled sample and nothing else."""
        return bool(self._store.meta("sample"))

    # -- questions ------------------------------------------------------------------------

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
        return show(self._store, ref, game, edition, lang)

    def refs(
        self, ref: str, *, direction: Direction = "both", kinds: Iterable[str] = (),
        depth: int = 1, with_parts: bool = False, game: str | None = None,
        edition: str | None = None, lang: str | None = None,
    ) -> Refs:  # fmt: skip
        """The edges at a node, each with the words it rests on; a page's are those of all
        that it consists of. With `depth` also those further out, nearest first. `with_parts`
        takes a rule together with its sub-rules: what cites 704.5b depends on 704.

        >>> found = sample().refs("121.2a", lang="ja", kinds=["cites"], direction="out")
        >>> {(edge.target_label, edge.evidence.text) for edge in found.edges}
        {('616.1g', 'rule 616.1g')}
        >>> found = sample().refs("704", direction="in", kinds=["cites"], with_parts=True)
        >>> {"mtg/cr/20231117/ja/704", "mtg/cr/20231117/ja/704.5b"} <= set(found.nodes)
        True
        """
        from kb.query.walk import refs

        node = self._named(ref, game, edition, lang)[0]
        return refs(self._store, node, direction, tuple(kinds), depth, with_parts)

    def path(
        self, start: str, end: str, *, most: int = 3, game: str | None = None,
        edition: str | None = None, lang: str | None = None,
    ) -> Paths:  # fmt: skip
        """The ways from one node to another that cost least, least first; edges are followed both
        ways. An edge costs by its kind (to cite or to define is close, to link less, to mention
        least) and more, the more edges of its kind its nodes have.

        >>> ways = sample().path("121.2a", "616.1g", lang="ja")
        >>> [step.id if hasattr(step, "id") else step.kind for step in ways.paths[0]]
        ['mtg/cr/20231117/ja/121.2a', 'cites', 'mtg/cr/20231117/ja/616.1g']
        """
        from kb.query.walk import between

        starts = self._named(start, game, edition, lang)
        return between(self._store, starts, self._named(end, game, edition, lang), most)

    def search(
        self, text: str, *, most: int = 20, any_word: bool = False, **where: Unpack[Where]
    ) -> Hits:
        """The passages that hold some words, in any inflection and spelling, best first.

        Words that stand together are a phrase; words set apart by spaces must all be there
        (or any of them, with `any_word`). `where` narrows: `game`, `source`, `edition`, `lang`;
        `section`, a part of a section's name; `kind`, what the passage gives or states (rule,
        ruling, procedure, step, outcome); `mentions` and `cites`, the terms, cards and rules that
        it must mention and cite, a rule with its sub-rules.

        >>> base = sample()
        >>> "引" in base.search("カードを引かれた").hits[0].snippet
        True
        >>> [hit.node.source for hit in base.search("引く", mentions="置換効果", cites="614").hits]
        ['mtgwiki']
        """
        from kb.query.search import search

        return search(self._store, text, most, any_word, where)

    def kwic(
        self, text: str, *, order: Order = "place", width: int = 30, most: int = 100,
        **where: Unpack[Where],
    ) -> Lines:  # fmt: skip
        """A concordance: each place where words stand, in any inflection and spelling, with
        `width` characters on each side; by place, or sorted by what stands left or right.
        `where` narrows it as it does `search`.

        >>> line = sample().kwic("引く", order="right", game="mtg").lines[0]
        >>> line.key[0]
        '引'
        """
        from kb.query.kwic import kwic

        return kwic(self._store, text, order, width, most, where)

    def ask(self, question: str, *, top: int = 5, game: str | None = None) -> Answers:
        """The passages that answer a question, best first, each with the rules that it cites and
        the reasons why it was chosen; no answers where the pages do not say.

        The game is told from the question's words, unless it is given.

        >>> answers = sample().ask("空のライブラリーから引こうとするとどうなりますか？").answers
        >>> "ライブラリー" in answers[0].passage.text
        True
        """
        from kb.query.ask import ask

        return ask(self._store, question, top, game)

    def compare(self, *refs: str, game: str | None = None) -> Comparison:
        """Terms, in any of their names, and those of other games that are the same concept, each
        with its names and the words that define it. `game` narrows the terms asked for.

        Raises QuestionError if a name is no term's.

        >>> rows = sample().compare("引く", game="mtg").rows
        >>> rows[0].term.id, rows[0].relation
        ('mtg/term/引く', None)
        >>> {row.relation for row in rows[1:]} <= {"exact", "close"}
        True
        """
        from kb.query.compare import compare

        terms = [node for ref in refs for node in self._named(ref, game, None, None)
                 if node.kind == "term"]  # fmt: skip
        if not terms:
            raise QuestionError(f"no term is called {', '.join(refs)}")
        return compare(self._store, terms)

    def diff(
        self, before: str, after: str, *, rule: str | None = None, lang: str | None = None,
        game: str | None = None,
    ) -> Diff:  # fmt: skip
        """What changed between two editions of a rulebook: rules added, removed, moved (same
        text, other number), changed (same number, other text) or both; how many are the same.

        `rule` narrows to one rule, by its number in either edition, and its sub-rules. Of
        several languages Japanese is taken. Raises QuestionError, which lists the editions
        that are there, if one is not; also for a rule that neither has.

        >>> found = sample().diff("20231117", "20231117.0", rule="121")
        >>> found.changes, found.same > 5
        ((), True)
        """
        from kb.query.diff import diff

        return diff(self._store, before, after, rule, lang, game)

    def trace(
        self, ref: str, *, game: str | None = None, edition: str | None = None,
        lang: str | None = None,
    ) -> Trace:  # fmt: skip
        """One rule through all editions that are there, by what `diff` finds: where it first
        stands (added), then whether it is the same, moved or changed, until it is removed.

        A number that several editions have is the newest one's rule; `edition` says otherwise.
        Raises QuestionError if there is no such rule, or one in each of several games.

        >>> [(one.edition, one.number, one.kind) for one in sample().trace("121.4").history]
        [('20231117', '121.4', 'added')]
        """
        from kb.query.diff import trace

        rules = named(self._store, ref, "rule", game=game, edition=edition, lang=lang)
        games = sorted({node.game or "" for node in rules})
        if len(games) > 1:
            raise QuestionError(f"{ref} is a rule of several games ({', '.join(games)}): say which")
        return trace(self._store, max(rules, key=lambda node: node.edition or ""))

    def align(
        self, lang: str, other: str, *, rule: str | None = None, edition: str | None = None,
        game: str | None = None,
    ) -> Alignment:  # fmt: skip
        """The rules of the same number and edition in two languages, side by side, and what
        does not agree: rules missing on a side, citations that differ.

        Raises QuestionError if no edition is there in both languages.

        >>> found = sample().align("ja", "en", rule="121.2a")
        >>> found.pairs[0].number, sorted(found.pairs[0].texts), found.problems
        ('121.2a', ['en', 'ja'], ())
        """
        from kb.query.align import align

        return align(self._store, lang, other, rule, edition, game)

    def steps(
        self, ref: str, *, game: str | None = None, edition: str | None = None,
        lang: str | None = None,
    ) -> Procedures:  # fmt: skip
        """The procedures of a term, with their steps in order: on the page that defines it,
        under its rule, or with an introduction that mentions it; none is no error.

        Raises QuestionError if nothing has that name.

        >>> found = sample().steps("ドローフェイズ").procedures[0]
        >>> found.why, [step.n for step in found.steps]
        ('page', [1, 2, 3, 4])
        """
        from kb.query.about import steps

        return steps(self._store, ref, game, edition, lang)

    def outcomes(
        self, ref: str, *, game: str | None = None, edition: str | None = None,
        lang: str | None = None,
    ) -> Outcomes:  # fmt: skip
        """What happens on which condition, by the page of a term, its rule, or statements
        whose subject it is: subject, condition, result, modality, exception.

        Raises QuestionError if nothing has that name and nothing is stated of it.

        >>> found = sample().outcomes("通常のドロー").outcomes
        >>> {one.modality for one in found} >= {"is", "must", "cannot"}
        True
        """
        from kb.query.about import outcomes

        return outcomes(self._store, ref, game, edition, lang)

    def terms(
        self, *, game: str | None = None, source: str | None = None, lang: str | None = None
    ) -> Terms:
        """All terms, or those of a game, that a source speaks of, with a name in a language.

        >>> found = sample().terms(game="ygo", lang="en").terms
        >>> "ygo/term/通常のドロー" in [term.id for term in found]
        True
        """
        from kb.query.about import terms

        return terms(self._store, game, source, lang)

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

    def demonstrate(self) -> Demonstration:
        """One question on the sample, answered by its passages and what they cite.

        >>> sample().demonstrate().answers[0].hit.node.kind
        'rule'
        """
        from kb.query.demo import demonstrate

        return demonstrate(self._store)

    # -- the graph ------------------------------------------------------------------------

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
        """The first passages of a page, its title and headings left out.

        >>> [passage.kind for passage in sample().opening("dmwiki/山札")]
        ['passage', 'passage']
        """
        return self._store.first_passages(page_id, most)

    def export(self, out: str | Path, form: str = "jsonl") -> Exported:
        """Write the whole graph in an interchange format; `-` is standard output.

        Raises QuestionError for a format that is not known, StoreError if the file can't be
        written; what was there before is kept then.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     sample().export(Path(folder) / "graph.jsonl").nodes > 100
        True
        """
        from kb.export import export

        return export(self._store, str(out), form)

    def graph(self, dangling: bool = False) -> nx.MultiDiGraph[str]:
        """The whole graph as networkx knows graphs, with the nodes' and edges' fields.

        >>> graph = sample().graph()
        >>> graph.nodes["mtg/term/引く"]["kind"]
        'term'
        """
        from graphs.view import as_networkx

        return as_networkx(self._store.nodes(), self._store.all_edges(), dangling)

    def draw(
        self, ref: str, *, most: int = 24, direction: Direction = "both",
        kinds: Iterable[str] = (), depth: int = 1, with_parts: bool = False,
        game: str | None = None, edition: str | None = None, lang: str | None = None,
    ) -> Picture:  # fmt: skip
        """A picture of what `refs` finds at a node, of `most` nodes at most: those to which the
        strongest edges lead. A notebook shows it; its `save` writes it as SVG or PNG.

        Raises DrawError where `pip install 'sansho[draw]'` is wanting.

        >>> sample().draw("121.4", most=8)
        <a picture: nodes 8, edges 7; 4 more nodes are left out>
        """
        found = self.refs(ref, direction=direction, kinds=kinds, depth=depth,
                          with_parts=with_parts, game=game, edition=edition, lang=lang)  # fmt: skip
        return found.draw(most)

    def _named(
        self, ref: str, game: str | None, edition: str | None, lang: str | None
    ) -> list[Node]:
        return named(self._store, ref, game=game, edition=edition, lang=lang)


def sample() -> KnowledgeBase:
    """The bundled sample, open: built once a process, into a temporary file.

    >>> with sample() as base:
    ...     base.is_sample
    True
    """
    return KnowledgeBase(Path(_sample_folder().name) / "sample.db")


@cache
def _sample_folder() -> TemporaryDirectory[str]:
    from tempfile import TemporaryDirectory

    from kb.builder import build

    folder = TemporaryDirectory(prefix="sansho-")
    build(kb=Path(folder.name) / "sample.db")
    return folder
