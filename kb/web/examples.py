"""Questions to begin with that a knowledge base can answer: found in it, not thought up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import kb
from kb.web.base_counts import loaded
from kb.web.interface_language import Interface

# Terms that a question is tried of. By hand: each takes as long as an answer, for which the first
# page waits; that none of the most mentioned terms is defined says that there are no definitions.
_MOST_TRIED = 8
# Of all games, of which each has some on the front page: one ranking takes as long as of a game.
_MOST_READ = 300
_MOST_MENTIONED = 6  # of a game on the front page, by hand: a line or two
_MOST_QUESTIONS = 3
# Questions that beginners ask of a game, in the words that they use.
_ASKED = (
    ("mtg", "What happens when I draw from an empty library?",
     "ライブラリーが空のときにカードを引くとどうなりますか？"),
    ("lorcana", "How do I win a game of Lorcana?", "ロルカナではどうすればゲームに勝利しますか？"),
    ("dm", "What happens if I am attacked without shields in Duel Masters?",
     "デュエル・マスターズでシールドが0枚のときに攻撃されるとどうなりますか？"),
    ("mtg", "Can a creature attack on the turn it comes into play?",
     "出したターンにクリーチャーで攻撃できますか？"),
)  # fmt: skip
_Found = TypeVar("_Found")


@dataclass(frozen=True)
class Examples:
    """Examples of what may be asked of a knowledge base, each None if it has nothing of the kind.

    Each is looked for when it is first asked for, and then kept as long as the knowledge base.
    """

    base: kb.KnowledgeBase
    interface: Interface

    @property
    def rule(self) -> kb.Node | None:
        """The rule that is cited most of those with a heading, or of all if none of the first
        twenty has one; in the interface's language if rules in it are loaded."""
        return self._kept("rule", self._find_rule)

    @property
    def term(self) -> kb.Node | None:
        """The term that is mentioned most of those with a name in the interface's language, else of
        all; of the forty that are mentioned most."""
        return self._kept("term", lambda: next(self._terms(), None))

    @property
    def compared(self) -> kb.Node | None:
        """A term that another game has as well, in the order of `term`."""
        return self._kept("compared", self._find_compared)

    @property
    def ruled(self) -> str | None:
        """The id of the first page that has a ruling, in the order of a search."""
        return self._kept("ruled", self._find_ruled)

    @property
    def question(self) -> str | None:
        """A question that has an answer: what the first of eight terms is for which there is
        one."""
        return self._kept("question", self._find_question)

    @property
    def questions(self) -> Sequence[str]:
        """Questions as people put them about games that are loaded, that have an answer; three at
        most."""
        return self._kept("questions", self._find_questions)

    def terms_of(self, game: str) -> Sequence[kb.Node]:
        """Return the terms of a game, six at most, that are among those mentioned most."""
        return [node for node in self._mentioned if node.game == game][:_MOST_MENTIONED]

    @property
    def _mentioned(self) -> Sequence[kb.Node]:
        def find() -> Sequence[kb.Node]:
            return [e.node for e in self.base.top("mentioned", kind="term", most=_MOST_READ).nodes]

        return kept(self.base, ("mentioned", ""), find)

    @property
    def cited(self) -> kb.Top:
        """The twenty rules that are cited most, in the interface's language if rules in it are
        loaded."""
        langs = {book.lang for book in loaded(self.base).rulebooks if book.rules}
        own = self.interface.lang if self.interface.lang in langs else None
        return self._kept("cited", lambda: self.base.top(most=20, kind="rule", lang=own))

    @property
    def path(self) -> tuple[kb.Node, kb.Node] | None:
        """A rule, and the one of `rule`, which it cites."""
        return self._kept("path", self._find_path)

    @property
    def editions(self) -> tuple[str, str, str, str] | None:
        """(game, language, older edition, next edition): the fullest pair."""
        return self.fullest_editions(loaded(self.base).edition_pairs())

    def fullest_editions(
        self, pairs: Sequence[tuple[str, str, str, str]]
    ) -> tuple[str, str, str, str] | None:
        """Return the fullest of some pairs as `Loaded.edition_pairs` gives them: that of which the
        smaller edition has most rules, of equals the first; None for none."""
        return self._fullest(pairs, (0, 1, 2), (0, 1, 3))

    @property
    def languages(self) -> tuple[str, str, str, str] | None:
        """(game, edition, language, other language): the fullest pair."""
        return self.fullest_languages(loaded(self.base).language_pairs())

    def fullest_languages(
        self, pairs: Sequence[tuple[str, str, str, str]]
    ) -> tuple[str, str, str, str] | None:
        """Return the fullest of some pairs as `Loaded.language_pairs` gives them, of those with the
        interface's language if there are any; None for none."""
        own = [pair for pair in pairs if self.interface.lang in pair[2:]]
        return self._fullest(own or pairs, (0, 2, 1), (0, 3, 1))

    def name(self, node: kb.Node) -> str:
        """Return the name of a node: the first in the interface's language, else its label, its
        number or its id."""
        named = (label.text for label in node.labels if label.lang == self.interface.lang)
        return next(named, node.label or node.number or node.id)

    def _kept(self, name: str, find: Callable[[], _Found]) -> _Found:
        """Return what was found before by this name in the interface's language, be it None; else
        look for it, and keep it."""
        return kept(self.base, (name, self.interface.lang), find)

    def _find_rule(self) -> kb.Node | None:
        ranked = self.cited.nodes
        titled = [each.node for each in ranked if each.node.label]
        return next(iter(titled or [each.node for each in ranked]), None)

    def _terms(self) -> Iterator[kb.Node]:
        """Yield the forty terms that are mentioned most, those with a name in the interface's
        language first; the most mentioned first of either."""
        terms, lang = self._mentioned[:40], self.interface.lang
        yield from sorted(terms, key=lambda term: lang not in {name.lang for name in term.labels})

    def _find_compared(self) -> kb.Node | None:
        for term in self._terms():
            if len(self.base.compare(term).rows) > 1:
                return term
        return None

    def _find_question(self) -> str | None:
        for term, _ in zip(self._terms(), range(_MOST_TRIED), strict=False):
            question = self.interface("What is {name}?", name=self.name(term))
            if self.base.ask(question, top=1).answers:
                return question
        return None

    def _find_questions(self) -> Sequence[str]:
        games = {book.game for book in loaded(self.base).rulebooks if book.rules}
        own = 1 if self.interface.lang == "en" else 2
        asked = (each[own] for each in _ASKED if each[0] in games)
        answered = (each for each in asked if self.base.ask(each, top=1).answers)
        return list(islice(answered, _MOST_QUESTIONS))

    def _find_ruled(self) -> str | None:
        ruling = next(iter(self.base.search(kind="ruling", most=1).hits), None)
        return ruling.place.page_id if ruling else None

    def _find_path(self) -> tuple[kb.Node, kb.Node] | None:
        if (rule := self.rule) is None:
            return None
        found = self.base.refs(rule, direction="in", kinds="cites", most=20)
        citing = (found.nodes.get(edge.source) for edge in found.edges)
        start = next((node for node in citing if node and node.kind == "rule"), None)
        return (start, rule) if start else None

    def _fullest(
        self,
        pairs: Sequence[tuple[str, str, str, str]],
        one: tuple[int, int, int],
        other: tuple[int, int, int],
    ) -> tuple[str, str, str, str] | None:
        """Return the pair of which the smaller part has most rules, the first of equals; None for
        none.

        one, other: where game, language and edition of either part stand in a pair.
        """
        books = loaded(self.base).rulebooks
        rules = {(book.game, book.lang, book.edition): book.rules for book in books}

        def size(pair: tuple[str, str, str, str]) -> int:
            return min(rules[pair[a], pair[b], pair[c]] for a, b, c in (one, other))

        return max(pairs, key=size, default=None)


_KNOWN: WeakKeyDictionary[kb.KnowledgeBase, dict[tuple[str, str], Any]] = WeakKeyDictionary()
_LOCK = Lock()


def kept(base: kb.KnowledgeBase, key: tuple[str, str], find: Callable[[], _Found]) -> _Found:
    """Return what was found before by this key; else look for it, and keep it."""
    with _LOCK:
        known = _KNOWN.setdefault(base, {})
    if key not in known:
        known[key] = find()  # twice, if two ask at once: it is the same
    found: _Found = known[key]
    return found
