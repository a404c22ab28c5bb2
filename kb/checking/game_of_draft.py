"""Says which game a draft is about: by the names of games, its cards, its terms and the numbers of
its rules."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from graphs.store.reader import Store
from kb.checking.draft import Segment
from kb.checking.house_usage import names_only
from kb.checking.term_finder import STOP_WORDS, finder
from kb.errors import QuestionError
from kb.language.fold import fold, is_japanese
from kb.language.nearest_value import known_value
from kb.language.tokens import tokenizer
from kb.reason import Argument, Reason
from scraper.sites.games import find_games

# All by hand. Segments that are read, from the beginning: each is searched for the terms of every
# game, so that more take longer; a few may name nothing but words that all games have.
_SAMPLE = 200
_MOSTLY = 0.7  # of the names of games, to be about that one; others may be compared with it
_CARD = 3.0  # how much a card says: as three terms that no other game has
_WORD = 0.3  # how much an English term of one word does, as `time` and `limit` are words, too
_NEARLY = 0.6  # of the best score: another game that has so much may be meant
_FEWEST_NAMES = 20  # of a game in a language, for what it lacks to speak against it
_FEWEST_NUMBERS = 2  # that a draft has and some game has: one may be a price
_LITTLE = 0.5  # for a segment, of what speaks for the game: less is a guess
_MARKED = re.compile(r"《([^《》\n]{2,60})》|\[\[([^\[\]\n]{2,60})\]\]")
_RULE_NUMBER = re.compile(r"(?<![\w.])\d{1,4}\.\d{1,3}(?:\.\d{1,3})*[a-z]?(?![\d%])")
_CAPITALIZED = re.compile(r"[A-Z][\w’'-]+(?: (?:(?:of|the|to|and) )?[A-Z][\w’'-]+)+")


@dataclass(frozen=True, slots=True)
class GameOfDraft:
    """The game that a draft is held against.

    others: games that it may be about as well; empty if it names its game, or if that was given.
    is_guessed: whether little in the draft fits the game.
    """

    game: str
    others: tuple[str, ...] = ()
    is_guessed: bool = False

    def guess(self) -> Iterator[Reason]:
        """Yield that the game was guessed, if it was, and how to say which it is."""
        if self.is_guessed:
            yield Reason("game_guessed", game=self.game, argument=Argument("game"))

    def doubts(self) -> Iterator[Reason]:
        """Yield that the draft may be about another game, if it may, and how to say so."""
        if self.others:
            choices = tuple(Argument("game", game) for game in (self.game, *self.others))
            yield Reason("game_is_unsure", game=self.game, others=self.others, choices=choices)


def game_of_draft(
    store: Store,
    segments: Sequence[Segment],
    given: str | None,
    games: Sequence[str],
    known: Mapping[str, Collection[str]],
) -> GameOfDraft:
    """Return the game of a draft: the one that is given; or that its first 200 segments name; or
    whose cards, terms and numbers of rules they fit best, what other games have counting less.

    games: those that the knowledge base has terms or rules of. known: {game: numbers of its rules}.

    Raises QuestionError if the given one is unknown, and if there are no games."""
    if given:
        return GameOfDraft(known_value("game", given, games))
    if not games:
        raise QuestionError("nothing_to_check_by")
    if len(games) == 1:
        return GameOfDraft(games[0])
    texts = [
        text for one in segments[:_SAMPLE] for text in (one.target, one.source) if text is not None
    ]
    named = Counter(game for text in texts for game, _, _ in find_games(text) if game in games)
    for game, times in named.most_common(1):
        if times >= _MOSTLY * named.total():
            return GameOfDraft(game)
    cards, terms = _cards(store, texts), _terms(store, texts)
    numbers = _numbers(texts, known)
    scores = {game: _score(game, cards, terms, numbers) for game in games}
    ranked = sorted(games, key=lambda game: (-scores[game], game))
    best = scores[ranked[0]]
    others = (game for game in ranked[1:] if scores[game] and scores[game] >= _NEARLY * best)
    fits = sum(each.get(ranked[0], 0.0) for each in (cards, numbers, *terms))
    is_guessed = fits < _LITTLE * min(len(segments), _SAMPLE)
    return GameOfDraft(ranked[0], tuple(others), is_guessed)


def _score(
    game: str,
    cards: Mapping[str, float],
    terms: Sequence[Mapping[str, float]],
    numbers: Mapping[str, float],
) -> float:
    """Return how much speaks for a game: the mean of its shares of what cards and terms say, over
    the languages in which it has terms, and of what numbers of rules say. Of a game whose terms
    have no English names, what English texts name says nothing against it."""
    shares = []
    for of_lang in terms:
        if game in of_lang:
            total = sum(of_lang.values()) + sum(cards.values())
            shares.append((of_lang[game] + cards.get(game, 0.0)) / total if total else 0.0)
    if game in numbers:
        shares.append(numbers[game] / sum(numbers.values()))
    return sum(shares) / len(shares) if shares else 0.0


def _numbers(texts: Iterable[str], known: Mapping[str, Collection[str]]) -> dict[str, float]:
    """Return {game with rules: what the numbers say for it that texts have}, the less the more
    games have a number; empty if there are fewer than two."""
    cited = {number for text in texts for number in _RULE_NUMBER.findall(text)}
    games = {number: [game for game in known if number in known[game]] for number in cited}
    if sum(map(bool, games.values())) < _FEWEST_NUMBERS:
        return {}
    scores = dict.fromkeys(known, 0.0)
    for of_number in games.values():
        for game in of_number:
            scores[game] += 1 / len(of_number)
    return scores


def _cards(store: Store, texts: Iterable[str]) -> dict[str, float]:
    """Return {game: what the cards say for it that texts mark as such, or write in capitals}."""
    names: set[str] = set()
    for text in texts:
        names.update(fold(match[1] or match[2]) for match in _MARKED.finditer(text))
        names.update(fold(match[0]) for match in _CAPITALIZED.finditer(text))
    games: dict[str, set[str]] = defaultdict(set)
    for name, node in store.find_by_names(sorted(names), listed=True):
        if node.kind == "card" and node.game:
            games[name].add(node.game)
    scores: dict[str, float] = defaultdict(float)
    for found in games.values():
        for game in found:
            scores[game] += _CARD / len(found)
    return scores


def _terms(store: Store, texts: Iterable[str]) -> list[dict[str, float]]:
    """Return {game: what the terms that texts name say for it} for Japanese and English, as far as
    there are texts: each name once a text, the less the more games have it. Games with fewer than
    twenty names in a language are there only if the texts have one of them."""
    of_lang: dict[str, list[str]] = {"ja": [], "en": []}
    for text in texts:
        of_lang["ja" if is_japanese(text) else "en"].append(text)
    names: dict[str, dict[str, set[str]]] = {"ja": defaultdict(set), "en": defaultdict(set)}
    for concept in names_only(store.names_of_kind("term")):
        for name in concept.names:
            if name.lang in names and concept.game and fold(name.text) not in STOP_WORDS:
                names[name.lang][name.text].add(concept.game)
    found: list[dict[str, float]] = []
    for lang, known in names.items():
        if of_lang[lang]:
            counts = Counter(game for games in known.values() for game in games)
            scores = dict.fromkeys(counts, 0.0)
            own = finder(lang, ((name, name) for name in known), tokenizer())
            for text in of_lang[lang]:
                for met in {one for place in own.find(text) for one in place.concepts}:
                    weight = 1.0 if lang == "ja" or " " in met else _WORD
                    for game in known[met]:
                        scores[game] += weight / len(known[met])
            kept = (game for game in scores if scores[game] or counts[game] >= _FEWEST_NAMES)
            found.append({game: scores[game] for game in kept})
    return found
