"""The knowledge base as people use it: each question a method, each answer a typed object."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache, wraps
from os import PathLike
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, TypeVar, Unpack, cast

from graphs.errors import OlderFileError
from graphs.model import EdgeKind, Node, NodeKind
from graphs.store.reader import Store
from kb.errors import NotFoundError, QuestionError, StoreError, answering
from kb.language.nearest_value import shown
from kb.query.lookup.arguments import (
    MOST_LISTED,
    MOST_PATHS,
    Direction,
    LineOrder,
    Ranking,
    check_arguments,
    checked,
    given_arguments,
    listed,
    path_of,
    signature,
    text_of,
)
from kb.query.lookup.common_filters import Filters, Ref, Scope
from kb.query.lookup.find_by_reference import find_named
from kb.query.lookup.passage_filters import PassageFilters
from kb.reason import Argument, Ask, LeftOut, Reason, asking, take_for
from kb.result import Result
from kb.rules.change_kind_names import ImpactKind, ListedChangeKind

if TYPE_CHECKING:  # each method imports what it needs when it is called
    from tempfile import TemporaryDirectory

    import networkx as nx

    from graphs.picture.picture import Picture
    from kb.build_progress import Watcher
    from kb.checking.check import Check
    from kb.checking.proofreader import Proofreader
    from kb.checking.verify import Verification
    from kb.interchange.export import ExportReport
    from kb.interchange.package import PackageReport, ReturnedPackage
    from kb.query.answers.answer import Answers
    from kb.query.audit import Audit
    from kb.query.compare import Comparison
    from kb.query.editions.align import Alignment
    from kb.query.editions.builds import BuildChanges
    from kb.query.editions.changes import Changes
    from kb.query.editions.diff import Diff
    from kb.query.editions.impact import Impact
    from kb.query.editions.present_rules import PresentRule
    from kb.query.editions.trace import Trace, UnsureMatches
    from kb.query.lookup.find_names import Suggestions
    from kb.query.lookup.named_nodes import NamedNodes
    from kb.query.near.build_vectors import VectorEstimate, VectorReport
    from kb.query.passages.kwic import Concordance
    from kb.query.passages.search import Hits
    from kb.query.refs.chapter_citations import ChapterCitations
    from kb.query.refs.commentary import Commentary
    from kb.query.refs.path import Paths
    from kb.query.refs.refs import Refs
    from kb.query.refs.top import Top
    from kb.query.show.linked_text import LinkedText
    from kb.query.show.preview import Preview
    from kb.query.show.show import Shown
    from kb.query.statements.rulings import Rulings
    from kb.query.statements.steps_and_outcomes import Outcomes, Procedures
    from kb.query.stats import Stats, Terms
    from kb.termbase.model import Decision, Status
    from kb.termbase.termbase import Termbase
    from kb.termbase.translation_memory import Matches

# Edges that are read for a picture: several may be one line. By hand: fewer leave nodes out that
# there is room for, more only take longer, as the strongest come first.
_LEAST_EDGES, _EDGES_PER_NODE = 250, 8
_LISTED = 8  # editions, or games, in the representation of a knowledge base: it is one line
_P = ParamSpec("_P")
_R = TypeVar("_R")


def _question(
    filters: type | None = None, **allowed: Any
) -> Callable[
    [Callable[Concatenate[KnowledgeBase, _P], _R]], Callable[Concatenate[KnowledgeBase, _P], _R]
]:
    """Decorate a method whose arguments `kb.query.lookup.arguments` checks before it is called.

    filters, allowed: as for `check_arguments`.
    """
    # Here and not beside `check_arguments`: examples in docstrings are tested where the function
    # that has them is defined.

    def decorate(
        method: Callable[Concatenate[KnowledgeBase, _P], _R],
    ) -> Callable[Concatenate[KnowledgeBase, _P], _R]:
        @wraps(method)
        def call(self: KnowledgeBase, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
            try:
                given = signature(method).bind(self, *args, **kwargs)
            except TypeError:
                return method(self, *args, **kwargs)  # Python's own message
            with answering(self._store), asking(method.__name__) as asked:
                check_arguments(method, self._store, given, filters, allowed)
                asked.arguments = given_arguments(method, given)
                found = method(*given.args, **given.kwargs)
            is_result = asked.taken and isinstance(found, Result)
            return replace(found, taken_as=tuple(asked.taken)) if is_result else found  # type: ignore

        return call

    return decorate


class KnowledgeBase:
    """An open knowledge base, as `kb.open` returns it. Close it, or use it in a `with` statement.
    Several threads may use it at once, and any of them may close it.

    A `ref` is a rule's number (`121.4`), a term or card by any of its names (`引く`, `draw`), a
    page's title, or a node's id. A node itself, or an entry of a result that has one as its `node`,
    stands for the node's id; where a rule's number is meant, for that. The keyword arguments `game`
    (`mtg`), `edition` (`20231117`), `lang` (`ja`) and `source` (`mtgwiki`) narrow what it may mean.
    Unless a method says otherwise, a `ref` that names nothing raises QuestionError.

    Values that nothing has, arguments of a wrong type and numbers out of range raise QuestionError,
    with the nearest value that there is; case and width of a value do not count. After `close`
    every question raises StoreError.
    """

    def __init__(self, path: str | Path) -> None:
        """Open the file of a knowledge base for reading; `kb.open` says what is raised."""
        try:
            self._store = Store(path_of("path", path))
        except OlderFileError as error:
            reason = Reason("older_file", text=str(error), again=Argument("again", True))
            raise StoreError(reason) from None

    def close(self) -> None:
        """Close the file, for all threads; again does nothing."""
        self._store.close()

    def remembering(self) -> AbstractContextManager[None]:
        """Return a context manager within which this thread reads nothing twice: questions that
        have parts in common, as those of one page, find these in memory.

        >>> base = sample()
        >>> with base.remembering():
        ...     base.show("121.4") == base.show("121.4")
        True
        """
        return self._store.remembering()

    def __enter__(self) -> KnowledgeBase:
        self._store.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._store.__exit__(kind, error, trace)

    def __repr__(self) -> str:
        """Return the file, the number of pages, the games and the editions (the first eight each),
        in one line; or that it is closed, or can't be read."""
        if self._store.is_closed:
            return f"<knowledge base {self.file}: closed>"
        try:
            with answering(self._store):
                pages, values = self._store.provenance.page_count(), self._store.values()
        except StoreError as error:
            return f"<knowledge base {self.file}: can't be read ({error})>"
        from kb.shared_wording import counted

        facts = [counted(pages, "page")]
        for name, noun in (("game", "games"), ("edition", "editions")):
            if found := values[name]:
                facts.append(f"{noun} {', '.join(found[:_LISTED])}{' …' * (len(found) > _LISTED)}")
        return f"<knowledge base {self.file}: {'; '.join(facts)}>"

    def __dir__(self) -> list[str]:
        """Return the names of the public attributes and methods."""
        return [name for name in object.__dir__(self) if not name.startswith("_")]

    @property
    def file(self) -> Path:
        """The file that is open."""
        return self._store.path

    @property
    def digest(self) -> str:
        """What tells the content of the file from that of any other: its size and the checksum that
        a build wrote behind it, in hexadecimal digits.

        >>> sample().digest == sample().digest
        True
        """
        return self._store.digest

    @property
    def notice(self) -> str:
        """What a reader must be told about the texts in this knowledge base, for people to read;
        empty if there is nothing to tell."""
        with answering(self._store):
            return self._store.meta("notice") or ""

    @property
    def is_sample(self) -> bool:
        """Whether this is the bundled sample and nothing else."""
        return bool(self._store.meta("sample"))

    def follow(self, ask: Ask) -> Any:
        """Return the answer to a question that another answer holds: what gives the rest of a list,
        or what was left out of it. Raises QuestionError for what is no question.

        >>> base = sample()
        >>> top = base.top(lang="ja", most=1)
        >>> len(base.follow(top.more.ask))
        2
        """
        if not isinstance(ask, Ask) or not hasattr(type(self), ask.question):
            raise QuestionError("no_question", given=shown(ask))
        arguments = dict(ask.arguments)
        refs = arguments.pop("refs", ())  # of `compare`, which takes them one by one
        return getattr(self, ask.question)(*refs, **arguments)

    # -- questions ------------------------------------------------------------------------

    @_question(Filters)
    def show(self, ref: Ref, *, tree: bool = False, **filters: Unpack[Filters]) -> Shown:
        """Return the nodes that a reference names, the likeliest first: in `matches`. In `entries`
        the editions of a rule are merged, and each thing has what belongs to it: a rule its place
        and what cites it, a term its definitions and spellings, a page its sections.

        ref: a rule's number, a term or card by any of its names, a page's title, or a node's id.
        tree: give rules with all their sub-rules, in `tree`, and pages whole, in `contents`, where
            sections are always.
        filters: `game`, `edition`, `lang` and `source`; they don't apply to an id.

        If it names nothing, `matches` is empty and `near` suggests similar names; nothing is
        raised.

        >>> base = sample()
        >>> base.show("121.4", lang="ja").matches[0].id
        'mtg/cr/20231117/ja/121.4'
        >>> found = base.show("Normal Draw")
        >>> found.matches[0].label, base.show(found[0]) == found
        ('通常のドロー', True)
        >>> outlines = base.show("121.6", lang="ja", tree=True).tree
        >>> [line.number for line in outlines["mtg/cr/20231117/ja/121.6"].lines]
        ['121.6', '121.6a', '121.6b', '121.6c']
        """
        from kb.query.show.show import show

        return show(self._store, str(ref), Scope(**filters), tree)

    @_question(Filters, most=(None, range(1, MOST_LISTED + 1)), after=(None, str))
    def refs(
        self,
        ref: Ref,
        *,
        direction: Direction = "both",
        kinds: EdgeKind | Iterable[str] = (),
        depth: int = 1,
        with_parts: bool = False,
        most: int | None = None,
        after: str | None = None,
        **filters: Unpack[Filters],
    ) -> Refs:
        """Return the edges at a node, each with the words it rests on. The edges of a page are
        those of all its passages.

        ref: a reference as for `show`. Of a rule the edges of all its versions are returned, and
            `named` has these; a number means the rule that has it in the newest edition, and the id
            of a version that one alone. What else it names, such as another rule that had the
            number, or the page beside the term, is in `also`.
        direction: edges into the node (`in`), out of it (`out`), or `both`.
        kinds: only edges of these kinds, such as `cites`; all kinds if empty. A string is one kind.
        depth: how many steps to follow; nearer edges come first. A page's or section's edges are
            followed one step only.
        with_parts: take a rule together with its sub-rules: what cites 704.5b depends on 704.
        most: return only so many edges, and read no more: nearer edges first, of these the
            strongest kinds (`kb.STRENGTH`), out of the node before into it. `counts` says how many
            there are at the node, and `more` is what to give as `after` for the next ones. What a
            page refers to within itself is then only among the edges out of it. What
            contains what (`part_of`, `quotes`) is left out, and not followed, unless `kinds` names
            it.
        after: with `most`, `more` of the part before.

        Dangling edges are included; their `target` is None. Raises QuestionError if the reference
        names nothing, for an unknown kind of edge, and if `after` is of another question.

        >>> found = sample().refs("121.2a", lang="ja", kinds=["cites"], direction="out")
        >>> {(edge.target_label, edge.evidence.text) for edge in found.edges}
        {('616.1g', 'rule 616.1g')}
        >>> found = sample().refs("704", direction="in", kinds=["cites"], with_parts=True)
        >>> {"mtg/cr/20231117/ja/704", "mtg/cr/20231117/ja/704.5b"} <= set(found.nodes)
        True
        >>> part = sample().refs("704", lang="ja", most=2)
        >>> len(part.edges), part.more is None, part.counts["in"]["cites"]
        (2, False, 7)
        """
        from kb.query.refs.refs import refs, refs_in_parts

        if most is None and after is not None:
            raise QuestionError("needs_most", after=Argument("after"), most=Argument("most"))
        asked = self._referring(ref, direction, kinds, with_parts, filters)
        if most is None:
            return refs(self._store, asked, direction, tuple(kinds), depth, with_parts)
        return refs_in_parts(
            self._store, asked, direction, tuple(kinds), with_parts, most, after, depth
        )

    @_question(ids=list)
    def linked_texts(self, ids: Ref | Iterable[Ref]) -> Mapping[str, LinkedText]:
        """Return the texts of some nodes with their references in place: which words cite, link or
        mention what. By id, in the order given; nodes without a text, and unknown ids, are left
        out.

        ids: of passages, rules, rulings, steps, outcomes, terms and cards. A text is `node.text`:
            of a rule without its number, of a ruling the answer.

        Dangling references are included; their `target` is None. What the words that define a
        node, or give a rule, say of themselves is no reference.

        >>> text = sample().linked_texts(["mtg/cr/20231117/ja/121.4"])["mtg/cr/20231117/ja/121.4"]
        >>> [(text.text[link.start : link.end], link.target) for link in text.links][-1]
        ('rule 704', 'mtg/cr/20231117/ja/704')
        """
        from kb.query.show.linked_text import linked_texts

        return linked_texts(self._store, checked(ids))

    @_question(lang=object)  # a preference: nothing may be in it
    def preview(self, ref: Ref, *, lang: str | None = None) -> Preview:
        """Return what a node is, in a few lines: a term's names, reading and definition, a rule's
        text, a card's names; and the best two references.

        ref: the id of a node, or the node. Raises NotFoundError if there is none.
        lang: of the definition and of what refers to a term, where there is a choice.

        >>> found = sample().preview("mtg/term/引く")
        >>> found.names, found.definition.evidence.text[:11]
        ((('ja', '引く'), ('en', 'Draw')), 'カードを引く/Draw')
        """
        from kb.query.show.preview import preview

        return preview(self._store, str(ref), lang)

    @_question(rules=list, most=(None, range(1, MOST_LISTED + 1)))
    def commentary(
        self, rules: str | Iterable[str], *, most: int | None = None
    ) -> Mapping[str, Commentary]:
        """Return what pages beside the rulebooks say of some rules, by id: the sentences and
        rulings that cite a rule, in any of its versions, or quote it, with what became of the rule
        since the edition that they speak of. Rules of which nothing is said are left out.

        rules: ids of versions of rules. most: comments of each rule; None for all.

        >>> [found] = sample().commentary(["mtg/cr/20231117/ja/121.4"], most=1).values()
        >>> found.comments[0].kind, found.comments[0].page
        ('cites', 'ライブラリーアウト (mtgwiki)')
        """
        from kb.query.refs.commentary import commentary

        return commentary(self._store, checked(rules), most)

    @_question(rules=list)
    def present_rules(
        self, rules: str | Iterable[str], *, same_language: bool = False
    ) -> Mapping[str, PresentRule]:
        """Return what rules of older editions are today, by id: their numbers in the newest
        edition, or since which one they are gone, and what has their numbers now. Those of the
        newest edition are left out, and what is no rule.

        rules: ids of versions of rules. same_language: whether only editions in the language of
            each count, so that the newest Japanese one is not old because an English one is newer.

        >>> [today] = sample().present_rules(["mtg/cr/20231117/ja/905.1"]).values()
        >>> today.of, today.number, today.edition
        ('20231117', '905.1', '20240730')
        """
        from kb.query.editions.present_rules import present_rules

        return present_rules(self._store, checked(rules), same_language=same_language)

    @_question(Filters, by=Ranking, kind=NodeKind, most=range(1, MOST_LISTED + 1))
    def top(
        self,
        by: Ranking = "cited",
        *,
        most: int = 20,
        kind: NodeKind | None = None,
        under: Ref | None = None,
        **filters: Unpack[Filters],
    ) -> Top:
        """Return the nodes that are cited, mentioned or linked most often, with their counts, the
        greatest first.

        by: what is counted: references to a node as a rule (`cited`), as a name in a text
            (`mentioned`), or by a link (`linked`).
        most: at most how many nodes.
        kind: only nodes of this kind, such as `rule` or `term`.
        under: only a rule and its sub-rules, by its number: `702`.
        filters: of the nodes that are counted. Without `edition`, of each game only the rules of
            the newest edition are counted; other editions are in `also`. With it, terms and others
            that have no edition are counted as often as that edition's rules refer to them.

        Raises QuestionError for a value that nothing has.

        >>> [(ranked.node.number, ranked.count) for ranked in sample().top(lang="ja", most=1).nodes]
        [('704', 6)]
        """
        from kb.query.refs.top import top

        return top(self._store, by, most, kind, cast("str | None", under), Scope(**filters))

    @_question(Filters, most=range(1, MOST_PATHS + 1))
    def path(self, start: Ref, end: Ref, *, most: int = 3, **filters: Unpack[Filters]) -> Paths:
        """Return the paths between two nodes that cost least, cheapest first, at most `most`.
        Edges are followed in both directions. An edge's cost depends on its kind (citing and
        defining are cheap, links dearer, mentions dearest) and grows with the number of edges
        of its kind at its ends.

        start, end: references as for `show`. A path may begin and end at any node that they name
            within the filters, which apply to both; those at which none does are in `also`.

        With an edition, paths lead through its rules and what has no edition alone; without one
        through the newest edition of each game, if there is such a path. One through a list that
        both are in, such as a list of names, says so in `lists` and comes last.

        Each path alternates nodes and edges, with a node at both ends. There may be no path.
        Raises QuestionError if a reference names nothing.

        >>> found = sample().path("121.2a", "616.1g", lang="ja")
        >>> [step.id if hasattr(step, "id") else step.kind for step in found.paths[0]]
        ['mtg/cr/20231117/ja/121.2a', 'cites', 'mtg/cr/20231117/ja/616.1g']
        """
        from kb.query.lookup.named_nodes import named_things
        from kb.query.refs.path import path

        scope = Scope(**filters)
        begin = named_things(self._store, str(start), scope)
        return path(self._store, begin, named_things(self._store, str(end), scope), most, scope)

    @_question(PassageFilters, after=(None, str))
    def search(
        self,
        text: str = "",
        *,
        most: int = 20,
        any_word: bool = False,
        after: str | None = None,
        **filters: Unpack[PassageFilters],
    ) -> Hits:
        """Return the passages that contain some words, in any inflection and spelling, best first;
        without words those that fit the filters, in the order of the pages.

        Words written together are a phrase, and so are those in quotation marks; words separated by
        spaces must all occur (with `any_word`, at least one). Of several words of English the
        passages with the phrase come first. Besides the usual filters there are `section` (part of
        a section's name), `kind` (what the passage states: rule, ruling, procedure, step, outcome),
        `mentions` and `cites` (terms, cards and rules that it must refer to: one reference or
        several, all of which count).

        If no passage has the phrases, passages with all their words anywhere are returned. There
        are at most `most` hits; passages that give the same rule, or the same text in several
        editions, are one. Passages that are only links, a heading or the words themselves come
        last. `more` is what to give as `after` for the next ones, if there are any.

        Raises QuestionError without words and filters, for an unknown kind or section, if a
        filter's reference names nothing, and if `after` is of another question.

        >>> base = sample()
        >>> "引" in base.search("カードを引かれた").hits[0].snippet
        True
        >>> [hit.node.source for hit in base.search("引く", mentions="置換効果", cites="614").hits]
        ['mtgwiki']
        """
        from kb.query.passages.search import search

        return search(self._store, text, most, any_word, filters, after)

    @_question(PassageFilters, after=(None, str))
    def kwic(
        self,
        text: str = "",
        *,
        order: LineOrder = "place",
        width: int = 30,
        most: int = 100,
        merge_editions: bool = False,
        after: str | None = None,
        with_lang: str | None = None,
        **filters: Unpack[PassageFilters],
    ) -> Concordance:
        """Return a concordance: a line for each occurrence of some words, in any inflection and
        spelling, with `width` characters of context on each side. The lines are in the order of
        the pages (`place`), or sorted by the context to the `left` or to the `right`. Filters and
        errors: as for `search`. Without words, each mention or citation that the filters
        `mentions` and `cites` ask for is a line; without these, QuestionError is raised.

        text: words as a person types them. Words written together are a phrase; of several phrases
            separated by spaces each occurrence is a line, in passages that contain all of them.
        most: at most how many lines, after sorting.
        merge_editions: what several editions have in the same words gives lines once, for the
            newest edition.
        after: `more` of the part before, for the next lines.
        with_lang: a language in which lines of rules get their `translation`: a concordance in two
            languages.

        >>> "引" in sample().kwic(mentions="引く", section="ルール").lines[0].key
        True
        >>> line = sample().kwic("引く", order="right", game="mtg").lines[0]
        >>> line.key[0]
        '引'
        """
        from kb.query.passages.kwic import kwic

        lang = None if with_lang is None else text_of("with_lang", with_lang)
        return kwic(self._store, text, order, width, most, merge_editions, filters, after, lang)

    @_question(most=range(1, 101))
    def match(
        self,
        text: str,
        *,
        lang: str | None = None,
        target_lang: str | None = None,
        game: str | None = None,
        most: int = 5,
    ) -> Matches:
        """Return how a sentence, or what is nearest to it, was translated before: in rules, their
        headings and examples, glosses, and names of terms and cards, the likest first.

        text: a sentence or several, or a name, in at most 2,000 characters.
        lang: its language; None for Japanese or English, by its script. target_lang: of the
            translations; None for English of a Japanese text, else Japanese.
        game: only of this game. most: at most how many.

        Raises QuestionError if both languages are one, or nothing is loaded in one of them.

        >>> found = sample().match("A player who tries to draw from an empty library loses.")
        >>> found.lang, found.target_lang, found.matches[0].kind
        ('en', 'ja', 'rule')
        """
        from kb.termbase.translation_memory import match

        given, other = (
            None if each is None else text_of(name, each)
            for name, each in (("lang", lang), ("target_lang", target_lang))
        )
        return match(self._store, text_of("text", text), given, other, game, most)

    @_question(Filters, most=range(1, 51))
    def suggest(self, typed: str, *, most: int = 8, **filters: Unpack[Filters]) -> Suggestions:
        """Return what a person may mean who is typing: rules whose number begins so, and terms,
        cards and pages whose name begins so, or is like it, in spelling or sound.

        typed: the beginning of a number or name: kana, kanji, romaji or English.
        most: at most how many.

        >>> [found.node.id for found in sample().suggest("hik", game="mtg", most=1)]
        ['mtg/term/引く']
        >>> sample().suggest("121.4")[0].name
        '121.4'
        """
        from kb.query.lookup.find_names import suggest

        return suggest(self._store, typed, Scope(**filters), most)

    @_question()
    def ask(
        self,
        question: str,
        *,
        top: int = 5,
        game: str | None = None,
        edition: str | None = None,
        lang: str | None = None,
    ) -> Answers:
        """Return the passages that answer a question, best first, each with the rules that it
        cites and the reasons why it was chosen. There are none if the pages do not say. What
        another question answers exactly, such as which rules cite one, or what a term is called
        in English, is in `other`, with how to ask it.

        question: a question in Japanese or English, as a person asks it, in at most 900 characters.
        top: at most how many passages.
        game: the game that it is about, such as `mtg`; if None, the one that its words name, if
            any.
        edition, lang: only passages of this edition of a rulebook, or in this language. Without an
            edition, what several say in the same words is one answer, from the newest.

        >>> answers = sample().ask("空のライブラリーから引こうとするとどうなりますか？").answers
        >>> "ライブラリー" in answers[0].passage.text
        True
        >>> found = sample().ask("Which rules cite 704?").other
        >>> found.ask.question, found.ask.arguments["ref"], found.result.node.number
        ('refs', '704', '704')
        """
        from kb.query.answers.answer import Answers
        from kb.query.answers.ask import ask
        from kb.query.answers.other_questions import other_answer, shown_rule

        other = other_answer(self._store, question, game, self.follow)
        if other and other.sure:
            return Answers(question, (), other=other)
        found = ask(self._store, question, top, game, edition, lang)
        other = other or (None if found.answers else shown_rule(found.hints, self.follow))
        return replace(found, other=other)

    @_question()
    def compare(self, *refs: Ref, game: str | None = None) -> Comparison:
        """Return terms beside the terms of other games that are the same concept, each with its
        names and its definition. `game` narrows the terms asked about, not those beside them.

        refs: references as for `show`; all terms that they name are asked about. In the result
            they come first, with None as their `relation`; `alone` has the ids of those that no
            other game has.

        A reference that names nothing is in `unfound`, and `also` says why. Raises QuestionError if
        all name nothing, or if none of them names a term.

        >>> rows = sample().compare("引く", game="mtg").rows
        >>> rows[0].term.id, rows[0].relation
        ('mtg/term/引く', None)
        >>> {row.relation for row in rows[1:]} <= {"exact", "close"}
        True
        """
        from kb.query.compare import compare

        if not refs:
            raise QuestionError("compare_what")
        named: list[list[Node]] = []
        unfound: dict[str, NotFoundError] = {}
        for ref in checked(refs):
            try:
                named.append(find_named(self._store, ref, scope=Scope(game=game)))
            except NotFoundError as error:
                unfound[ref] = error
        if not named:
            first_error = next(iter(unfound.values()))
            if len(unfound) == 1:
                raise first_error
            raise NotFoundError("none_found", refs=refs, first=first_error.reason)
        if not any(node.kind == "term" for nodes in named for node in nodes):
            first = named[0][0]
            if first.id in refs:
                raise QuestionError("only_terms", node=first.id, kind=first.kind)
            raise QuestionError("no_term", refs=refs, node=first.id)
        found = compare(self._store, named)
        why = (LeftOut(None, error.reason) for error in unfound.values())
        return replace(found, unfound=tuple(unfound), also=(*why, *found.also))

    @_question(kinds=ListedChangeKind, under=list)
    def diff(
        self,
        before: Ref,
        after: Ref,
        *,
        rule: Ref | None = None,
        under: Ref | Iterable[Ref] = (),
        kinds: str | Iterable[ListedChangeKind] = (),
        words: str = "",
        mentions: Ref | Iterable[Ref] = (),
        lang: str | None = None,
        game: str | None = None,
        typographic: bool = False,
        examples: bool = False,
    ) -> Diff:
        """Return what changed between two editions of a rulebook: rules added, removed, moved
        (same text, other number), changed (same number, other text) or both, and renumbered (only
        the numbers of cited rules changed, as these rules did); and how many are the same.

        A change of quotation marks, dashes, width, spaces or line ends alone is none; how many
        rules have one is in `typographic`. Where an edition is loaded in part, what it may have or
        not is neither added nor removed; how many rules these are is in `not_loaded`.

        before, after: the editions, by their dates, such as `20231117`.
        rule: only this rule, by its number in either edition, its heading, or a term with one rule
            of its own; and its sub-rules.
        under: the same, for one rule or several.
        kinds: only these kinds of changes, such as `added` or `moved+changed`; with `merged` also
            the rules that others were merged into.
        words: only rules that have these words in either edition, in any inflection and spelling.
        mentions: only rules that mention this term or card in either edition, or all of several.
        lang: the language to compare; if None, the one in which both editions are most complete.
            `also` names the others.
        game: the game; needed only if both editions are there of several games.
        typographic: list also the rules that differ only typographically.
        examples: list also the rules that differ only in the examples below them.

        What `kinds`, `words` and `mentions` leave out is counted in `filtered_out`. Raises
        QuestionError if an edition is not there, or if several games have both editions; the
        message names the nearest editions. Raises NotFoundError if neither has the rule.

        >>> found = sample().diff("20231117", "20231117.0", rule="121")
        >>> found.changes, found.same > 5
        ((), True)
        """
        from kb.query.editions.diff import ChangeFilters, diff
        from kb.query.lookup.rules_of_terms import rules_by_name

        numbers: list[str] = []
        for given in (*([str(rule)] if rule else []), *checked(under)):
            named = rules_by_name(self._store, given, Scope(game=game, lang=lang))
            editions = [self._edition(each, game) for each in (str(after), str(before))]
            there = [node for each in editions for node in named if node.edition == each]
            numbers.append((there[0].number if there else None) or given)
        filters = ChangeFilters(
            tuple(numbers),
            tuple(kinds),
            words,
            checked(mentions),
            typographic,
            examples,
        )
        return diff(self._store, str(before), str(after), Scope(game=game, lang=lang), filters)

    @_question(under=list)
    def changes(
        self,
        before: Ref,
        after: Ref,
        *,
        under: Ref | Iterable[Ref] = (),
        lang: str | None = None,
        game: str | None = None,
    ) -> Changes:
        """Return what changed from an older edition of a rulebook to a newer one, as a document to
        be published tells it: by section, with rules that moved together as one, the glossary, and
        which loaded pages may be stale. The command `sansho changes` writes it as Markdown, as a
        page, and as a feed.

        before, after, under, lang, game: as for `diff`.

        Raises as `diff`, and QuestionError if the first edition is not the older one.

        >>> found = sample().changes("20231117", "20240730", under="121")
        >>> found.name, found.before, len(found.pages)
        ('Magic: The Gathering', '20231117', 0)
        """
        from kb.query.editions.changes import changes

        scope = Scope(game=game, lang=lang)
        return changes(self._store, str(before), str(after), scope, checked(under))

    def changes_since(self, older: str | Path) -> BuildChanges:
        """Return what differs between an older build of this knowledge base and this one: which
        editions, pages, terms and names came, changed or went. The command is `sansho changes
        --since FILE`.

        older: the file of the older build, which may be of other sources.

        Raises StoreError as `kb.open` does.

        >>> base = sample()
        >>> base.changes_since(base.file).pages_changed
        ()
        """
        from kb.query.editions.builds import between_builds, build_contents

        now = build_contents(self._store)
        with KnowledgeBase(older) as before:
            return between_builds(build_contents(before._store), now, (str(older), str(self.file)))

    @_question(kinds=ImpactKind, most=range(1, 100_001))
    def impact(
        self,
        *editions: Ref,
        kinds: str | Iterable[ImpactKind] = (),
        source: str | None = None,
        game: str | None = None,
        lang: str | None = None,
        most: int = 1_000,
    ) -> Impact:
        """Return what a newer edition of the rules touches in the loaded pages, rulings, quoted
        rules and terms: which of them are stale now, by page, each with what changed.

        editions: the older and the newer one, by their dates; the newer one alone, for the one
            before it; or none, for the newest two of which half or more is loaded.
        kinds: only these: `number` (a rule that is cited has another number now, or is gone),
            `words` (the words that are quoted are others now), `sense` (a rule that is cited says
            something else now).
        source: only pages of this source. game, lang: of the rules that are compared.
        most: at most how many are listed; `counts` and `pages` count all.

        A statement is held against the rule as it was in the edition that its page names, if that
        is newer than the older one here, else in the older one. Raises QuestionError if an edition
        is not there, or several games have such editions.

        >>> found = sample().impact("20231117", "20240730")
        >>> found.total, found.checked > 5
        (0, True)
        """
        from kb.query.editions.impact import impact

        if len(editions) > 2:
            raise QuestionError("too_many_editions", editions=editions)
        before, after = [None, None, *map(str, editions)][-2:]
        scope = Scope(game=game, lang=lang, source=source)
        return impact(self._store, after, before, scope, tuple(checked(kinds)), most)

    @_question(Filters)
    def trace(self, ref: Ref, **filters: Unpack[Filters]) -> Trace:
        """Return the history of one rule through all editions: where it is first, then whether
        it stays the same, moves or changes, until it is removed. The oldest edition comes first.
        An entry says also which of the rule's sub-rules changed.

        ref: a reference as for `show` that names a rule.

        A number that several editions have means the newest one's rule, unless `edition` is given;
        `also` names the other rules that had it, and the other languages. An edition of which only
        a part is loaded, without the rule's place, has the kind `not loaded`.

        Raises QuestionError if there is no such rule, or if several games have one.

        >>> [(entry.edition, entry.number, entry.kind) for entry in sample().trace("121.4").history]
        [('20231117', '121.4', 'first'), ('20240730', '121.4', 'not loaded')]
        """
        from kb.query.editions.trace import trace

        return trace(self._store, str(ref), Scope(**filters))

    @_question()
    def unsure_matches(
        self,
        *,
        most: int = 20,
        game: str | None = None,
        edition: str | None = None,
        lang: str | None = None,
    ) -> UnsureMatches:
        """Return which versions of rules the build took for one without being sure, the least sure
        first: a list for a person to read, whose corrections `kb.build` takes.

        most: at most how many.
        game, lang: only matches of these. edition: only those whose newer version is of it.

        >>> sample().unsure_matches().total
        0
        """
        from kb.query.editions.trace import unsure_matches

        return unsure_matches(self._store, most, Scope(game=game, edition=edition, lang=lang))

    @_question()
    def align(
        self,
        lang: str,
        other: str,
        *,
        rule: Ref | None = None,
        edition: str | None = None,
        game: str | None = None,
        marks: bool = False,
    ) -> Alignment:
        """Return the rules of the same number and edition in two languages, side by side, and
        where they disagree: rules missing from one language, citations and numbers that differ.

        lang, other: the two languages, as codes such as `ja`.
        rule: only this rule, by its number, its heading, or a term with one rule of its own; and
            its sub-rules.
        edition: only this edition; if None, all that are there in both languages.
        marks: whether the pairs say where terms and citations stand in their texts.

        Rules that one language lacks because only a part of the edition is loaded in it are no
        problems; `not_loaded` counts them. Raises QuestionError if the languages are the same, if
        no edition is there in both, or if the rule is in neither.

        >>> found = sample().align("ja", "en", rule="121.2a")
        >>> found.pairs[0].number, sorted(found.pairs[0].texts), found.problems
        ('121.2a', ['en', 'ja'], ())
        """
        from kb.query.editions.align import align

        scope = Scope(game=game, edition=edition)
        return align(self._store, lang, other, cast("str | None", rule), scope, marks)

    @_question(only=list, skip=list)
    def check(
        self,
        draft: str | Path,
        *,
        original: str | Path | None = None,
        source_lang: str | None = None,
        target_lang: str | None = None,
        game: str | None = None,
        edition: str | None = None,
        decisions: str | Path | None = None,
        baseline: str | Path | None = None,
        only: Iterable[str] = (),
        skip: Iterable[str] = (),
    ) -> Check:
        """Return where a translator's draft departs from the termbase, the rules and its source.

        draft: a file: plain text, Markdown, HTML, XLIFF, TMX, or CSV with a column of sources and
            one of translations.
        original: the file that a draft in plain text, Markdown or HTML translates. Without it, what
            begins with the number of a rule is held against that rule in another language.
        source_lang, target_lang: the languages, as codes such as `ja`; None to see them.
        game: that the draft is about; None for the one that its names and numbers fit best.
        edition: of the rules that it means; None for the one it translates, or the newest.
        decisions: a file with a person's decisions on names, which win.
        baseline: a file with problems that are known; they are left out.
        only, skip: kinds of problems to look for, and not to look for.

        Raises SourceError if a file can't be read, or if no segment could be paired with the
        original; QuestionError if there is no such game, edition or kind, and if the knowledge base
        has nothing to check by.
        """
        from kb.checking.check import check_file

        if decisions is None:
            from kb.interchange.decide import decisions_beside, used_beside

            _, said = used_beside(self._store.path)
            if said:
                take_for(said)
                decisions = decisions_beside(self._store.path)
        return check_file(
            self._store,
            draft,
            original,
            (source_lang, target_lang),
            game,
            edition,
            decisions,
            baseline,
            tuple(only),
            tuple(skip),
        )

    @_question(Filters)
    def steps(self, ref: Ref, **filters: Unpack[Filters]) -> Procedures:
        """Return the procedures of a term, with their steps in order: those on its page, under
        its rule, or introduced by a passage that mentions it. There may be none.

        filters: `game` narrows what the reference may mean; all of them narrow the procedures.
            Without `edition`, what a newer edition words otherwise is left out; `also` says so.

        Raises QuestionError if the reference names nothing.

        >>> found = sample().steps("ドローフェイズ").procedures[0]
        >>> found.why, [step.n for step in found.steps]
        ('page', [1, 2, 3, 4])
        """
        from kb.query.statements.steps_and_outcomes import steps

        return steps(self._store, str(ref), Scope(**filters))

    @_question(Filters, most=range(1, MOST_LISTED + 1))
    def outcomes(self, ref: Ref, *, most: int = 50, **filters: Unpack[Filters]) -> Outcomes:
        """Return what happens on which condition, as stated on a term's page, under its rule, or
        of the term as a subject: subject, condition, result, modality, exception.

        most: at most how many outcomes; `more` says so if there are more.
        filters: as for `steps`.

        Raises QuestionError if nothing has that name and nothing is stated of it.

        >>> found = sample().outcomes("通常のドロー").outcomes
        >>> {outcome.modality for outcome in found} >= {"is", "must", "cannot"}
        True
        """
        from kb.query.statements.steps_and_outcomes import outcomes

        return outcomes(self._store, str(ref), Scope(**filters), most)

    @_question(Filters, most=range(1, MOST_LISTED + 1))
    def rulings(self, ref: Ref, *, most: int = 20, **filters: Unpack[Filters]) -> Rulings:
        """Return the rulings that speak of a term, card, rule or page: those on its page, then
        those whose words cite, link or mention it. There may be none.

        most: at most how many rulings; `more` says so if there are more.
        filters: `game` narrows what the reference may mean; all of them narrow the rulings, but
            `edition` which rule is meant.

        Raises QuestionError if the reference names nothing.

        >>> found = sample().rulings("灰流うらら").rulings[0]
        >>> found.question[-6:], found.place.page, found.date
        ('使えますか？', '《灰流うらら》', None)
        """
        from kb.query.statements.rulings import rulings

        return rulings(self._store, str(ref), Scope(**filters), most)

    @_question()
    def terms(
        self, *, game: str | None = None, source: str | None = None, lang: str | None = None
    ) -> Terms:
        """Return all terms, or those of a game, from a source, with a name in a language; sorted
        by id. There may be none. `sources` has the sources of each, `left_out` says how many
        terms the filters leave out.

        game, source, lang: such as `mtg`, `mtgwiki` and `en`; None narrows nothing.

        >>> found = sample().terms(game="ygo", lang="en").terms
        >>> "ygo/term/通常のドロー" in [term.id for term in found]
        True
        """
        from kb.query.stats import terms

        return terms(self._store, Scope(game=game, source=source, lang=lang))

    @_question()
    def termbase(
        self,
        term: Ref | None = None,
        *,
        game: str | None = None,
        source: str | None = None,
        lang: str | None = None,
        decisions: str | Path | Iterable[Decision] | None = None,
        cards: bool = False,
        uses: bool = True,
    ) -> Termbase:
        """Return terms as concepts: their names in every language, each with its status, what that
        rests on and who gives it; readings, definitions, a sentence that uses the name, and the
        same concepts of other games.

        term: a term or card by any of its names, or its id; None for all terms.
        game, source, lang: narrow the terms; `lang` is that of any of their names.
        decisions: a person's own decisions, which win: a file (`.toml`, `.csv`, `.tbx`, `.tmx`, a
            glossary of OmegaT) or `kb.Decision` objects. What could not be applied is in `notices`.
        cards: whether cards are among them; how many are not is in `also`.
        uses: whether to count how often each name is used, and to find a sentence that uses it;
            all English passages are read for it, and in other languages many mentions.

        Raises NotFoundError if `term` names no term or card, and SourceError if the decisions can't
        be read.

        >>> concept = sample().termbase("引く", game="mtg")[0]
        >>> [(name.text, name.status, name.why) for name in concept.names if name.lang == "en"]
        [('Draw', 'preferred', 'title'), ('Draw card(s)', 'admitted', 'other translator')]
        """
        from kb.termbase.termbase import termbase

        scope = Scope(game=game, source=source, lang=lang)
        return termbase(
            self._store, cast("str | None", term), scope, self._decisions(decisions), cards, uses
        )

    @_question()
    def decide(
        self,
        term: Ref,
        *,
        prefer: str | None = None,
        forbid: str | None = None,
        admit: str | None = None,
        note: str = "",
        lang: str | None = None,
        game: str | None = None,
        into: str | Path | None = None,
    ) -> Termbase:
        """Write what you decide of a concept's names into a file beside the knowledge base,
        `FILE.decisions.csv`, which `termbase`, `check` and `export` then use without being asked,
        and say so. Return the concept as it is then.

        term: the concept, by any of its names or its id.
        prefer, forbid, admit: a name; one of them at least. It need not be known yet.
        note: why, for readers. game: of the term.
        lang: of the names; None for that of a known name, else by their letters.
        into: another file, to be given to the others as `decisions`.

        A name that was decided on before has the new status. Raises QuestionError if the term names
        several concepts, or no name is given; NotFoundError if it names none.

        >>> import shutil, tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(shutil.copy(sample().file, folder))
        ...     with KnowledgeBase(file) as base:
        ...         found = base.decide("引く", prefer="pull", game="mtg")[0]
        >>> [name.text for name in found.names if name.status == "preferred" and name.lang == "en"]
        ['pull']
        """
        from kb.interchange.decide import decide

        given = (("preferred", prefer), ("forbidden", forbid), ("admitted", admit))
        names = [
            (cast("Status", status), text_of(status, name))
            for status, name in given
            if name is not None
        ]
        file = None if into is None else path_of("into", into)
        why = text_of("note", note, empty=True)
        return decide(self._store, str(term), names, why, lang, game, file)

    def _decisions(
        self,
        given: str | Path | Iterable[Decision] | None,
        source_lang: str | None = None,
        target_lang: str | None = None,
    ) -> tuple[Decision, ...]:
        """Return decisions as they are given, or as a file has them; for None those beside the
        knowledge base, of which it is said that they are used.

        source_lang, target_lang: of a file that does not say its languages; both or neither.

        Raises SourceError if a file can't be read, QuestionError for what is neither path nor
        decision.
        """
        from kb.interchange.decide import used_beside
        from kb.interchange.decisions_file import read_decisions
        from kb.termbase.model import Decision

        if given is None:
            beside, said = used_beside(self._store.path)
            if said:
                take_for(said)
            return beside
        if not isinstance(given, str | PathLike):
            found = tuple(given) if isinstance(given, Iterable) else (given,)
            if all(isinstance(each, Decision) for each in found):
                return found
        langs = (source_lang, target_lang) if source_lang and target_lang else None
        return tuple(read_decisions(path_of("decisions", given), langs))

    def audit(self, dangling: str | Iterable[str] = (), *, deep: bool = False) -> Audit:
        """Return where every character of the sources went, which edges dangle, and what could
        not be read. White space is not counted.

        dangling: only dangling edges of these kinds, such as `cites`, as a list or with commas
            between them; all kinds if empty. Raises QuestionError for an unknown kind.
        deep: whether to check the file itself, too, from its first byte to its last (`damage`).
            What can't be opened any more is checked by `kb.find_damage`.

        The number of characters (`chars`) is that of those in passages (`kept`), those left out,
        by reason (`left_out`), and the rest (`lost`).

        >>> sample().audit().lost
        0
        """
        from kb.query.audit import audit

        with answering(self._store):
            return audit(self._store, dangling, deep)

    def stats(self) -> Stats:
        """Return the number of nodes by kind (`kinds`), `sources`, `games` and `editions`, and of
        edges by kind (`edges`, dangling ones included); and of each game how many pages of which
        source there are (`pages`), and rules of which edition in which language (`rulebooks`).

        >>> sample().stats().games["ygo"] > 10
        True
        """
        from kb.query.stats import stats

        with answering(self._store):
            return stats(self._store)

    # -- the graph ------------------------------------------------------------------------

    @_question(kind=NodeKind)
    def nodes(self, kind: NodeKind | None = None) -> list[Node]:
        """Return all nodes, passages included, or those of a kind, sorted by id.

        >>> "dm/term/使う" in [term.id for term in sample().nodes("term")]
        True
        """
        return self._store.nodes(kind)

    @_question()
    def chapter_citations(
        self,
        *,
        game: str | None = None,
        edition: str | None = None,
        lang: str | None = None,
        chapter: Ref | None = None,
    ) -> ChapterCitations:
        """Return which chapter of a rulebook cites which, and how often; its `draw` is a matrix.
        A rule that cites another counts once, however often it does.

        game: needed only if several games have rules.
        edition: of the rulebook; by default the newest that is loaded whole, or else the one of
            which most is. `also` has the others.
        lang: by default the one in which most of the edition is loaded.
        chapter: the number of a chapter, such as `7`: its sections are counted instead. Any rule
            with sub-rules will do.

        Raises QuestionError if no rules are loaded, or those of several games; NotFoundError if
        there is no such chapter.

        >>> found = sample().chapter_citations(edition="20231117", lang="ja")
        >>> [(pair.source.number, pair.target.number, pair.citations) for pair in found[:2]]
        [('6', '6', 14), ('1', '7', 4)]
        """
        from kb.query.refs.chapter_citations import chapter_citations

        return chapter_citations(self._store, game, edition, lang, cast("str | None", chapter))

    @_question()
    def parts(self, node_id: Ref) -> list[Node]:
        """Return what a node directly consists of: a page's sections, a section's passages, a
        rule's sub-rules. They are in the page's order, sub-rules in that of their numbers.

        The result is empty for a node without parts and for an unknown id.

        node_id: the id of a node. Other references, such as `121.6`, are not looked up.

        >>> [part.number for part in sample().parts("mtg/cr/20231117/ja/121.6")]
        ['121.6a', '121.6b', '121.6c']
        """
        return self._store.parts(str(node_id))

    @_question()
    def opening(self, page_id: Ref, most: int = 2) -> list[Node]:
        """Return the first passages of a page, at most `most`, without its title and headings.

        page_id: the id of the page, not its title; an unknown id gives an empty list.

        >>> [passage.kind for passage in sample().opening("dmwiki/山札")]
        ['passage', 'passage']
        """
        return self._store.first_passages(str(page_id), most)

    @_question()
    def export(
        self,
        out: str | Path,
        form: str | None = None,
        *,
        game: str | None = None,
        langs: str | Iterable[str] = (),
        source_lang: str | None = None,
        target_lang: str | None = None,
        decisions: str | Path | Iterable[Decision] | None = None,
        cards: bool = False,
        status: str | None = None,
    ) -> ExportReport:
        """Write the graph, the termbase or aligned texts to a file in an interchange format; `-` is
        standard output. Return what was written, and in `also` what was left out.

        form: the format; by default that of the file's suffix. `jsonl` and `graphml` hold the whole
            graph; `tbx`, `tbx2008`, `skos`, `jsonld` and `csv` terms with their names in all
            languages; `omegat` and `utx` terms in two; `tmx` aligned rules and glosses.
        game: only this game.
        langs: only names, or texts, in these languages, such as `["ja", "en"]`.
        source_lang, target_lang: the languages of a glossary in two; by default the commonest.
        decisions: as for `termbase`.
        cards: write cards besides terms.
        status: `approved` leaves out names that are deprecated, forbidden or only proposed; `all`
            is the default.

        Raises QuestionError for an unknown format, suffix or value, for an option that the format
        has no use for, and if `out` is the knowledge base; SourceError if the decisions can't be
        read; and StoreError if the file can't be written; an existing file is then left as it was.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     sample().export(Path(folder) / "graph.jsonl").nodes > 100
        True
        """
        from kb.interchange.export import chosen_format, export, options_of

        if decisions is None and not chosen_format(self._store, str(out), form).takes("decisions"):
            decisions = ()  # what is kept beside the file is nothing that was asked for
        options = options_of(
            game=game,
            langs=listed("langs", langs),
            source_lang=source_lang,
            target_lang=target_lang,
            decisions=self._decisions(decisions, source_lang, target_lang),
            cards=cards,
            status=status,
        )
        return export(self._store, str(out), form, options)

    @_question()
    def package(
        self,
        after: Ref,
        before: Ref,
        out: str | Path,
        source_lang: str,
        target_lang: str,
        *,
        game: str | None = None,
        decisions: str | Path | Iterable[Decision] | None = None,
        replace: bool = False,
    ) -> PackageReport:
        """Write the work of a new edition for a translator into a folder, and return what it has:
        XLIFF 1.2 and 2.1, a project of OmegaT, termbase, memory, and a report.

        Texts that stayed the same keep their translation and are final; of those that only cite
        rules with other numbers the numbers are rewritten. Of changed ones the text before and its
        translation stand beside it; of new ones what is most like them.

        after: the new edition, loaded in the source language. before: the one that is loaded in
            both. out: the folder. decisions: as for `termbase`.
        replace: whether XLIFF in the folder that somebody has translated in is replaced, too.

        Raises QuestionError if an edition is not there, or has no translation, and for such XLIFF;
        StoreError if a file can't be written.
        """
        from kb.interchange.package import package

        langs = text_of("source_lang", source_lang), text_of("target_lang", target_lang)
        decided = self._decisions(decisions, *langs)
        folder = str(path_of("out", out))
        return package(self._store, str(after), str(before), langs, folder, game, decided, replace)

    @_question()
    def check_package(
        self, file: str | Path, before: Ref, *, game: str | None = None
    ) -> ReturnedPackage:
        """Return what is open in the XLIFF of a package that came back from a translator: texts
        that are missing, untranslated, not final, of another source, or cite other rules.

        before: the edition that the package was made from. `check` looks at the words of the same
        file, and a build takes it as the edition in the target language.

        Raises SourceError if the file can't be read, or is of no package.
        """
        from kb.interchange.package import check_returned

        return check_returned(self._store, str(path_of("file", file)), str(before), game)

    @_question(by=Literal["node", "rule"])
    def graph(
        self,
        dangling: bool = False,
        *,
        by: Literal["node", "rule"] = "node",
        game: str | None = None,
    ) -> nx.MultiDiGraph[str]:
        """Return the whole graph for networkx: nodes by id, with their fields that are not empty as
        attributes; edges with `kind`, `reason`, `details`, and `text`, `passage`, `span_start`,
        `span_end` of their evidence. All are texts or whole numbers (`labels`, `named_by` and
        `details` are JSON texts), so that `networkx.write_graphml`, `write_gexf` and `write_gml`
        take the graph as it is.

        dangling: include edges whose target is not loaded; each leads to a node without attributes
            that is called `? ` and the target's label.
        by: `rule` for the rules alone: one node a rule through all editions, by its id, with the
            fields of its newest version, `editions` and `languages`; one edge `cites` for each rule
            that it refers to, with `editions`, `languages` and `times`: how often, in the version
            that does it most often; and `part_of` for what it stands below.
        game: only what is of this game; edges to other games are left out.

        >>> graph = sample().graph()
        >>> graph.nodes["mtg/term/引く"]["kind"]
        'term'
        >>> rules = sample().graph(by="rule")
        >>> rules.nodes["mtg/rule/121.4@20231117/ja"]["editions"]
        '20231117'
        """
        if by == "rule":
            from kb.rules.rule_graph import rule_graph

            return rule_graph(self._store, game)
        from graphs.networkx_view import as_networkx

        nodes, edges = self._store.all_nodes(), self._store.all_edges()
        if game is None:
            return as_networkx(nodes, edges, dangling)
        of_game = {node.id: node for node in nodes if node.game == game}
        inside = (
            edge
            for edge in edges
            if edge.source in of_game and (edge.target is None or edge.target in of_game)
        )
        return as_networkx(of_game.values(), inside, dangling)

    @_question(text=object)
    def verify(
        self,
        text: str | bytes | Path,
        *,
        game: str | None = None,
        edition: str | None = None,
        lang: str | None = None,
        against: str | None = None,
    ) -> Verification:
        """Return what a text cites and quotes, each with a verdict: `exact`, `typographic` (exact
        but for quotation marks, dashes, width, spaces), `repaired` (nearly; the words that differ
        are in `changes`), `contradicts` (what differs or is left out turns the sense), of an `other
        edition`, `about something else` (the number is there, and the sentence speaks of the rule
        that had it before), `not found`, or `not loaded` (nobody can tell); with the words of the
        rule. If `edition` says what the text was written for, also `moved`, `changed` and `gone`.
        `.problems` has only those that are wrong, which `not loaded` is not.

        text: plain or Markdown, in Japanese or English: what an assistant answered, a draft, a
            post. A `Path` is a file to read, bytes are what a file holds.
        game: that it is about; None for what its words say.
        edition: that it was written for; None for the one that it names, or else the newest.
        against: the edition that should hold now, of a text with `edition`; None for the newest.
        lang: the language of the rules and pages that it is held against; None for all.

        Quoted names of terms and cards are no claims. Raises QuestionError if the text is too
        long, SourceError if a file can't be read.

        >>> found = sample().verify("CR 121.4: “a library that has run out of cards”; see 121.12")
        >>> [(claim.text, claim.verdict) for claim in found.claims][1:]
        [('a library that has run out of cards', 'exact'), ('121.12', 'not found')]
        """
        from kb.checking.verify import Asked, text_to_verify, verify

        assert self._store.db  # a closed base is the first thing to be said
        asked = Asked(game, edition, lang, self._edition(against, game))
        return verify(self._store, text_to_verify(text), asked)

    def _edition(self, given: str | None, game: str | None) -> str | None:
        """Return the edition of rules that a person means; None for None. Raises QuestionError."""
        from kb.query.editions.edition_choice import find_edition
        from kb.rules.loaded_editions import loaded_rules

        if given is None:
            return None
        given = text_of("against", given)
        return find_edition(self._store, loaded_rules(self._store, None), given, game)

    @_question(paths=object, workers=(None, range(1, 65)))
    def verify_files(
        self,
        *paths: str | Path,
        game: str | None = None,
        edition: str | None = None,
        lang: str | None = None,
        against: str | None = None,
        workers: int | None = None,
    ) -> Verification:
        """Return what files cite and quote, as `verify` does, each claim with its `file`: text,
        data and source code, of which comments and strings count.

        paths: files, folders with all that is below them, and patterns such as `src/**/*.py`.
        workers: processes; None for one a core, up to four. The others as for `verify`.

        Raises SourceError if a path names nothing. Files that are no text are left out, and said.

        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "draw.c").write_text("int n; // CR 121.4, see rule 121.12")
        ...     found = sample().verify_files(folder)
        >>> [(claim.text, claim.verdict) for claim in found.claims]
        [('CR 121.4', 'exact'), ('rule 121.12', 'not found')]
        """
        from kb.checking.verify import Asked, verify_files

        asked = Asked(game, edition, lang, self._edition(against, game))
        named = [path_of("paths", path) for path in paths]
        return verify_files(self._store, named, asked, workers)

    @_question()
    def proofreader(
        self,
        *,
        game: str | None = None,
        edition: str | None = None,
        lang: str | None = None,
        against: str | None = None,
    ) -> Proofreader:
        """Return what verifies and checks many texts, or many versions of one, and reads the
        knowledge base once for all, as an editor needs it. It is of use while this is open.

        The arguments, and QuestionError, are those of `verify`, for all texts.

        >>> reader = sample().proofreader(game="mtg")
        >>> text = "CR 121.4: “a library that has run of cards”"
        >>> wrong = reader.verify(text).problems
        >>> [edit.text for repair in reader.repairs(text, wrong) for edit in repair.edits]
        [' out']
        """
        from kb.checking.proofreader import Proofreader
        from kb.checking.verify import Asked

        assert self._store.db
        return Proofreader(self._store, Asked(game, edition, lang, self._edition(against, game)))

    @_question(Filters, most=range(2, 201))
    def draw(
        self,
        ref: Ref,
        *,
        most: int = 24,
        direction: Direction = "both",
        kinds: EdgeKind | Iterable[str] = (),
        depth: int = 1,
        with_parts: bool = False,
        **filters: Unpack[Filters],
    ) -> Picture:
        """Return a picture of what `refs` finds at a node, with at most `most` nodes: those at
        the strongest edges. Of a node with very many edges only the strongest are read; `also` says
        of which kinds there are more. A notebook shows it; its `svg` is for web pages, its `save`
        writes SVG or PNG.

        The other parameters and QuestionError are those of `refs`.

        >>> sample().draw("121.4", lang="ja", most=8)
        <a picture: nodes 8, edges 7; 4 more nodes are left out>
        """
        from kb.query.refs.refs import refs

        asked = self._referring(ref, direction, kinds, with_parts, filters)
        read = max(_LEAST_EDGES, _EDGES_PER_NODE * most)
        found = refs(self._store, asked, direction, tuple(kinds), depth, with_parts, read)
        return found.draw(most)

    def _referring(
        self,
        ref: Ref,
        direction: Direction,
        kinds: EdgeKind | Iterable[str],
        with_parts: bool,
        filters: Filters,
    ) -> NamedNodes:
        """Return the nodes whose edges are asked for; what else is named is to be asked about if it
        has any."""
        from kb.query.lookup.named_nodes import named_nodes
        from kb.query.refs.refs import has_references

        def has_any(nodes: Iterable[Node]) -> bool:
            return has_references(self._store, nodes, direction, tuple(kinds), with_parts)

        return named_nodes(self._store, str(ref), Scope(**filters), has_any)


def build_vectors(kb: str | Path = "sansho.db", *, progress: Watcher | None = None) -> VectorReport:
    """Make sentence vectors of all passages of a knowledge base, and keep them beside it, in
    FILE.near. Those that are there already are not made again. Return what was made.

    kb: the file of the knowledge base.
    progress: called with each `kb.BuildProgress`.

    The environment variable SANSHO_ENCODER names the encoder (docs/tasks/ask.md). Raises
    QuestionError if none is installed, and StoreError if the knowledge base can't be read or the
    vectors can't be kept.
    """
    from kb.building.build_arguments import check_functions
    from kb.query.near.build_vectors import build_vectors
    from kb.query.near.installed_encoder import required_encoder

    check_functions({"progress": progress})
    with Store(path_of("kb", kb)) as store, answering(store):
        return build_vectors(store, required_encoder(), progress)


def missing_vectors(kb: str | Path = "sansho.db") -> VectorEstimate | None:
    """Return about how many passages of a knowledge base lack a sentence vector, and how long
    `build_vectors` would take for them here. None if it was called since the knowledge base was
    built, or if no encoder is installed or wanted.

    kb: the file of the knowledge base.

    Raises QuestionError if the encoder can't be used, and StoreError if the knowledge base can't be
    read.
    """
    from kb.query.near.build_vectors import estimate_vectors
    from kb.query.near.installed_encoder import encoder_or_none

    if (encoder := encoder_or_none()) is None:
        return None
    with Store(path_of("kb", kb)) as store, answering(store):
        return estimate_vectors(store, encoder)


def sample() -> KnowledgeBase:
    """Open the bundled sample; each call opens it anew. It is built once per process, into a
    temporary file.

    >>> with sample() as base:
    ...     base.is_sample
    True
    """
    with _BUILDING_SAMPLE:
        folder = _sample_folder()
    return KnowledgeBase(Path(folder.name) / "sample.db")


_BUILDING_SAMPLE = Lock()


@cache
def _sample_folder() -> TemporaryDirectory[str]:
    """Build the bundled sample; return the folder with it, as the file `sample.db`."""
    from tempfile import TemporaryDirectory

    from kb.building.pipeline import build

    folder = TemporaryDirectory(prefix="sansho-")
    build(kb=Path(folder.name) / "sample.db")
    return folder
