"""Resolves which terms and cards of a game the rows of a list of names name.

A list has only names. What they are names of is known from the list's own headings and columns,
from a person, or from the other pages, which name some of the same terms and cards.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graphs.model import NodeKind
from graphs.writing.labels import NodeName
from kb.extract.name_lists import ListEntry, NamedNodes, own_node
from kb.extract.terms import game_of
from kb.language.fold import fold
from kb.language.tokens import Tokenizer
from kb.resolve.term_definitions import names_action
from scraper.page import NamedKind

_FEWEST_KNOWN = 3  # names that say of which game or kind a list is, if nothing else does
_CLEARLY_MORE = 3  # times as many of one kind, or game, as of the other
_SHARE_OF_TERMS = 0.5  # of the names in a list: so many are known as terms if it is one of terms
_AGREES, _SAYS_NOTHING, _DISAGREES = 2, 1, 0  # the English name of a row and of a node


class KnownNames:
    """The names that pages other than lists give to terms and cards, to be looked up."""

    def __init__(self, names: Iterable[NodeName]) -> None:
        """names: in any order; readings are no names."""
        self._nodes: dict[tuple[str, str, str], set[str]] = defaultdict(set)
        self._english: dict[str, set[str]] = defaultdict(set)
        self._japanese: dict[str, set[str]] = defaultdict(set)
        self._games: dict[str, set[str]] = defaultdict(set)
        nodes: set[str] = set()
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
            nodes.add(name.node)
        self._counts = Counter(tuple(node.split("/", 2)[:2]) for node in nodes)

    def count(self, game: str, kind: NodeKind) -> int:
        """Return how many nodes of a kind a game has."""
        return self._counts[game, kind]

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
    kind: what the list names; None if nothing says whether these are terms or cards.
    named: the terms and cards that the rows name.
    """

    game: str | None
    kind: NamedKind | None
    named: NamedNodes


@dataclass(frozen=True, slots=True)
class _Match:
    """The term or the card that a row may name.

    node: its id; None if several may be meant.
    agreement: as `KnownNames.agreement` returns it.
    """

    node: str | None
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

    An entry names the node that has its Japanese name, else the one that has its English name. A
    list of cards names cards alone, as many are called like a term. A list of terms names those
    that other pages name; others only if it is `stated` that it names terms. What an entry itself
    says that it names goes before that. If nothing says what the names are of, the entries are
    taken for cards, of which they give no preferred name; those that are known as terms name
    nothing, nor does the name of a term that several have.

    game: the game that the list says; if None, it is the one that knows clearly the most of its
        names, if any does.
    stated: what the list, or a person, says that it names; if None, it is judged by the names that
        other pages know.
    """
    game = game or _likely_game(entries, known)
    if game is None:
        unsure = frozenset() if stated else frozenset(entry.place for entry in entries)
        return ResolvedList(None, stated, NamedNodes(aliases=unsure))
    matches: list[_Matches] = []
    for entry in entries:
        term = _match(entry, "term", game, known, tokenizer)
        matches.append((term, _match(entry, "card", game, known, tokenizer)))
    kind = stated or _likely_kind(matches, game, known)
    nodes: dict[int, tuple[str, ...]] = {}
    aliases: set[int] = set()
    node: str | None
    for entry, (term, card) in zip(entries, matches, strict=True):
        says = entry.said or stated
        if (says or kind) == "card" or (entry.marked and not says):
            node = (card and card.node) or own_node(game, entry, "card")
            if card and card.node and card.agreement == _DISAGREES:
                aliases.add(entry.place)
        elif says == "term":
            node = term.node if term else own_node(game, entry, "term")
        else:
            node = _known_node(entry, term, card, kind, game)
        if not (says or kind):
            aliases.add(entry.place)
        if node != own_node(game, entry, kind or "card"):
            nodes[entry.place] = (node,) if node else ()
    return ResolvedList(game, kind, NamedNodes(nodes, frozenset(aliases)))


def _known_node(
    entry: ListEntry,
    term: _Match | None,
    card: _Match | None,
    kind: NamedKind | None,
    game: str,
) -> str | None:
    """Return the node that an entry of a list names of which nobody says that it names terms; None
    if it names nothing for sure.

    term, card: the term and the card that it may name.
    kind: what the list was judged to name.
    """
    if kind == "term" and term and term.agreement != _DISAGREES:
        return term.node
    if card:
        return card.node
    return None if term or kind else own_node(game, entry, "card")


def _likely_kind(matches: Sequence[_Matches], game: str, known: KnownNames) -> NamedKind | None:
    """Return what a list names, by the names in it that other pages know as one thing alone; None
    if these don't tell.

    A list of cards has clearly more of the cards that are known than of the terms; one of terms the
    other way. As cards may be called like any term, a list of which few names are known to be terms
    is none of terms.
    """
    terms = sum(_speaks_for(term, card) for term, card in matches)
    cards = sum(_speaks_for(card, term) for term, card in matches)
    all_terms, all_cards = known.count(game, "term"), known.count(game, "card")
    if (
        _are_enough(cards, len(matches), all_cards)
        and cards * all_terms >= _CLEARLY_MORE * terms * all_cards
    ):
        return "card"
    if (
        _are_enough(terms, len(matches), all_terms)
        and terms * all_cards >= _CLEARLY_MORE * cards * all_terms
        and terms >= _SHARE_OF_TERMS * len(matches)
    ):
        return "term"
    return None


def _are_enough(number: int, *of: int) -> bool:
    """Whether a number of names that are known is enough to judge a list by: three, or half of
    something, such as of all its names."""
    return number >= _FEWEST_KNOWN or (number > 0 and 2 * number >= min(of))


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
    return game if _are_enough(most, len(entries)) and most >= _CLEARLY_MORE * second else None


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
        node = _only(nodes) or _only([node for node in nodes if known.japanese_name(node)])
        japanese = known.japanese_name(node) if node else None
        if japanese and kind == "term" and not _same_action(japanese, names[0], tokenizer):
            node = None
        if nodes:  # the name is known, if not which of them has it
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
