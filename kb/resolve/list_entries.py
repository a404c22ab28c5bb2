"""Resolves which terms and cards of a game the rows of a list of names name.

A list has only names. What they are names of is known from the list's own headings, from a person,
or from the other pages, which name some of the same terms and cards.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphs.model import NodeKind
from graphs.writing.labels import NodeName
from kb.extract.name_lists import ListEntry, own_node
from kb.extract.terms import game_of
from kb.language.fold import fold
from kb.language.tokens import Tokenizer
from kb.resolve.term_definitions import names_action
from scraper.page import NamedKind

_FEWEST_KNOWN = 3  # names that are known in a game, or half of them, if nothing else gives it
_CLEARLY_MORE = 3  # times as many of one kind as of the other
_AGREES, _SAYS_NOTHING, _DISAGREES = 2, 1, 0  # the English name of a row and of a node


class KnownNames:
    """The names that pages other than lists give to terms and cards, to be looked up."""

    def __init__(self, names: Iterable[NodeName]) -> None:
        """names: in any order; readings are no names."""
        self._nodes: dict[tuple[str, str, str], set[str]] = defaultdict(set)
        self._english: dict[str, set[str]] = defaultdict(set)
        self._japanese: dict[str, set[str]] = defaultdict(set)
        self._games: dict[str, set[str]] = defaultdict(set)
        for name in names:
            if name.role == "reading":
                continue
            game = game_of(name.node)
            self._nodes[game, name.lang, name.folded].add(name.node)
            if name.lang == "en":
                self._english[name.node].add(name.folded)
            elif name.lang == "ja":
                self._games[name.folded].add(game)
                self._japanese[name.node].add(name.text)

    def games(self, name: str) -> set[str]:
        """Return the games in which a Japanese name is known."""
        return self._games.get(fold(name), set())

    def nodes(self, game: str, lang: str, kind: NodeKind, name: str) -> list[str]:
        """Return the ids of the nodes of a kind that have a name in a language, sorted."""
        found = self._nodes.get((game, lang, fold(name)), ())
        return sorted(node for node in found if f"/{kind}/" in node)

    def japanese_name(self, node: str) -> str | None:
        """Return a Japanese name of a node, always the same one; None if it has none."""
        return min(self._japanese.get(node, ()), default=None)

    def agreement(self, node: str, english: Iterable[str]) -> int:
        """Return whether some English names are those of a node: `_AGREES`, `_DISAGREES`, or
        `_SAYS_NOTHING` if either has none."""
        known, given = self._english.get(node, set()), set(map(fold, english))
        if not known or not given:
            return _SAYS_NOTHING
        return _AGREES if known & given else _DISAGREES


@dataclass(frozen=True, slots=True)
class ResolvedList:
    """What the rows of a list name.

    game: the game; None if it is not known.
    kind: what the list names, where no other page says it of a single name.
    nodes: {index of a row among the passages: ids of the terms and cards that it names}, for the
        rows that name other nodes than those of the list's kind that have the same name.
    """

    game: str | None
    kind: NamedKind
    nodes: Mapping[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Match:
    """The term or the card that a row may name.

    node: its id; agreement: as `KnownNames.agreement` returns it.
    """

    node: str
    agreement: int


_Matches = tuple[_Match | None, _Match | None]  # a term, a card


def resolve_list(
    entries: Sequence[ListEntry],
    game: str | None,
    stated: NamedKind | None,
    known: KnownNames,
    tokenizer: Tokenizer,
) -> ResolvedList:
    """Return which terms and cards a list names.

    An entry names the node that has its Japanese name, else the one that has its English name. If
    there is both a term and a card of that name, English names decide, then the kind of the whole
    list: that of most of its names that are known; cards, if as many are both.

    game: the game that the list says; if None, it is the one that knows clearly the most of its
        names, if any does.
    stated: what the list says that it names; then only nodes of this kind are found.
    """
    game = game or _likely_game(entries, known)
    if game is None:
        return ResolvedList(None, stated or "card", {})
    kinds: tuple[NodeKind, ...] = (stated,) if stated else ("term", "card")
    matches: list[_Matches] = []
    for entry in entries:
        found = {kind: _match(entry, kind, game, known, tokenizer) for kind in kinds}
        matches.append((found.get("term"), found.get("card")))
    terms = sum(_speaks_for(term, card) for term, card in matches)
    cards = sum(_speaks_for(card, term) for term, card in matches)
    kind: NamedKind = stated or ("term" if terms > cards else "card")
    clear = max(terms, cards) >= _CLEARLY_MORE * (1 + min(terms, cards))
    nodes = {}
    for entry, (term, card) in zip(entries, matches, strict=True):
        own = own_node(game, entry, kind)
        ids = _chosen(term, card, kind, own, clear=clear and not stated)
        if entry.marked and not card and not stated:
            ids = (own_node(game, entry, "card"),)
        if ids != (own,):
            nodes[entry.place] = ids
    return ResolvedList(game, kind, nodes)


def _speaks_for(match: _Match | None, other: _Match | None) -> bool:
    """Whether a name in a list speaks for the list's being of the kind of a match: it is known as
    nothing else, and not with another English name."""
    return bool(match and not other and match.agreement != _DISAGREES)


def _likely_game(entries: Sequence[ListEntry], known: KnownNames) -> str | None:
    """Return the game in which clearly the most names of a list are known; None if none is."""
    counts: Counter[str] = Counter()
    for entry in entries:
        counts.update(known.games(entry.card) | known.games(entry.term[0].label))
    ranked = [*counts.most_common(2), ("", 0), ("", 0)]
    (game, most), (_, second) = ranked[:2]
    enough = most >= _FEWEST_KNOWN or 2 * most >= len(entries)
    return game if most and enough and most >= _CLEARLY_MORE * second else None


def _match(
    entry: ListEntry, kind: NodeKind, game: str, known: KnownNames, tokenizer: Tokenizer
) -> _Match | None:
    """Return the node of a kind that an entry may name; None if no other page names it.

    Of several with the same Japanese name it is the one with the same id, else the one with the
    same English name; else none. A node is only found by its English name if this is not an action
    where the entry's is none, or the other way.
    """
    own = own_node(game, entry, kind)
    names = [entry.card] if kind == "card" else [name.label for name in entry.term]
    english = [entry.card_english or ""] if kind == "card" else list(entry.term_english)
    english = [name for name in english if name]
    for name in names:
        nodes = known.nodes(game, "ja", kind, name)
        agreeing = [node for node in nodes if known.agreement(node, english) == _AGREES]
        node = own if own in nodes else _only(nodes) or _only(agreeing)
        if node:
            return _Match(node, known.agreement(node, english))
        if nodes:
            return None
    for name in english:
        nodes = known.nodes(game, "en", kind, name)
        node = _only(nodes)
        if node is None:
            if nodes:  # the name is known, but not which of them has it
                return _Match(own, _AGREES)
            continue
        japanese = known.japanese_name(node)
        if japanese is None and kind == "term":  # synonyms are merged into Japanese terms
            return _Match(own, _AGREES)
        if japanese and kind == "term" and not _same_action(japanese, names[0], tokenizer):
            return _Match(own, _AGREES)
        return _Match(node, _AGREES)
    return None


def _only(nodes: Sequence[str]) -> str | None:
    """Return the only item; None if there is none, or several."""
    return nodes[0] if len(nodes) == 1 else None


def _same_action(name: str, other: str, tokenizer: Tokenizer) -> bool:
    """Return whether two Japanese names can be of one term: both of actions, or neither.

    カウンター and 打ち消す are both `counter`, and are two terms.
    """
    actions = {names_action(name, tokenizer), names_action(other, tokenizer)}
    return not actions >= {True, False}


def _chosen(
    term: _Match | None, card: _Match | None, kind: NamedKind, own: str, *, clear: bool
) -> tuple[str, ...]:
    """Return the ids of the nodes that an entry names: of the term, of the card, or of both.

    term, card: the nodes that have its name.
    kind: the kind of the whole list; own: the id of the node of this kind with its name.
    clear: whether the list is clearly of this kind. Then every entry names a node of this kind,
        and one of the other kind only if it has the same English name, as a card may be called
        like a term.
    """
    expected, other = (term, card) if kind == "term" else (card, term)
    if other and other.agreement < (_AGREES if clear else _SAYS_NOTHING):
        other = None
    if clear and other:
        return tuple(sorted({expected.node if expected else own, other.node}))
    if expected is None:
        return (other.node,) if other else (own,)
    if other and other.agreement == expected.agreement == _AGREES:
        return tuple(sorted({expected.node, other.node}))
    if other and other.agreement > expected.agreement:
        return (other.node,)
    return (expected.node,)
