"""Answers questions in words that another question of the base answers exactly: which rules cite
one, what changed, what a term is called in English, how many there are.

`question_kinds` tells what is asked; the words have to name something that is loaded, such as a
rule, a term or an edition. What the rulebook says itself (what trample is, how many cards a player
draws) is left to passages.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from graphs.model import Node
from graphs.sort_orders import edition_key
from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.language.fold import fold, is_japanese
from kb.language.tokens import tokenizer
from kb.query.answers.answer import OtherAnswer
from kb.query.answers.question_kinds import (
    ORDINARY,
    QUOTED,
    RULE_NUMBER,
    asking_words,
    question_kinds,
)
from kb.query.editions.impact import newest_two
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.find_by_reference import resolve_edition
from kb.reason import Ask, Reason
from kb.rules.edition_dates import edition_dates
from kb.rules.loaded_editions import LoadedRules, loaded_rules
from scraper.rulebook.numbering import parse_number
from scraper.sites.games import find_games, known_games

# By hand: half as long again as the longest labelled one. What tells a situation is longer.
_LONGEST = 160
# How probable it must be that a question is no ordinary one. Of a fifth that is kept apart by
# `benchmarks.fit_question_kinds --apart`, 8 in 10 are then told rightly, and 2 in 100 ordinary ones
# are taken for others: of those that were written to be like them.
LIKELY = 0.5
_POSSIBLE = 0.15  # by hand: of a second kind, where the first finds nothing
_SURE = 0.9  # by hand: then passages are no answer, too
# By hand: what fits above the passages on one screen. The question that is named gives the rest.
_MOST_LINES = 8
_LONGEST_LINE = 160  # characters: two lines of a terminal
_MOST_WORDS = 40  # of a question in which names are looked for: longer ones tell a situation
_LONGEST_NAME = 7  # words
_SIGNS = " 　.,:;?!。、，．・…「」『』“”\"'‘’《》()[]-–—/~"
_HYPHENS = re.compile(r"(?<=^\d{4})(?=\d)|(?<=^\d{6})(?=\d)")  # where a date takes them
# A name of a game is NUL here, and goes with what joins it to the rest.
_IN_GAME = re.compile(
    r"\b(?:in|of|for|from|on)(?: the)?\s*\0(?:'s)?"
    r"|\0\s*(?:の|では|だと|で|には|に|における|は|、|[,:]|'s)*",
    re.IGNORECASE,
)
# A number is that of an older edition, and not the one that the newest has.
_OLD_NUMBER = re.compile(
    r"\b(?:old|former|previous|earlier)\b|旧|以前の|昔の|前の版の", re.IGNORECASE
)
# It is today's, and asked is which one it was then.
_THEN = re.compile(r"\b(?:did|was|had)\b.*\bin (?:the )?@|@年?版?(?:で|に)は?何番", re.IGNORECASE)
_SINCE = re.compile(r"\b(?:since|from|after|compared|than)\b|から|以降|比べ|比較", re.IGNORECASE)
# What the steps of are parts of a turn, which the rulebook lists.
_PART_OF_TURN = re.compile(r"\b(?:phase|step|turn|combat|game)s?$", re.IGNORECASE)
_CHANGES = {
    "added": r"\badd|追加",
    "removed": r"\b(?:remov|delet|dropp)|削除|消え|なくな|無くな",
}  # {kind of change: what asks for it}
# What stands in a line of a result, of the columns of its table.
_COLUMNS = {
    "top": "count number label",
    "trace": "edition number kind text",
    "diff": "kind number_before number_after text_after text_before",
    "termbase": "game lang name status authority",
    "path": "path source kind target words",
    "steps": "text",
    "terms": "label en reading",
    "search": "number text",
    "rulings": "question answer",
}


@dataclass(frozen=True, slots=True)
class _Name:
    """A name in a question: the reference, and what it names, each node in a game that is meant."""

    ref: str
    nodes: tuple[Node, ...]

    @property
    def is_number(self) -> bool:
        """Whether it is the number of a rule."""
        return parse_number(self.ref) is not None

    def newest(self, *kinds: str) -> Node:
        """Return its node of the newest edition, of some kinds. Raises LookupError without one."""
        of_kinds = [node for node in self.nodes if not kinds or node.kind in kinds]
        if not of_kinds:
            raise LookupError(self.ref)
        return max(of_kinds, key=lambda node: edition_key(node.edition))


@dataclass(frozen=True, slots=True)
class WrittenQuestion:
    """A question in words.

    text: the question in the form of NFKC, without the games, with @ for each date.
    games, editions: those that it names.
    """

    text: str
    games: tuple[str, ...]
    editions: tuple[str, ...]


def written_question(text: str, own_games: Iterable[str] = ()) -> WrittenQuestion:
    """Return a question in words, read. own_games: the ids of games that no catalogue has."""
    body, games = _without_games(unicodedata.normalize("NFKC", text), tuple(own_games))
    dates = list(edition_dates(body, (), every=True))
    for date in reversed(dates):
        body = f"{body[: date.start]}@{body[date.end :]}"
    return WrittenQuestion(body, games, tuple(date.edition for date in dates))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question asks. names: those that it has. games: that it names, or that was given.
    editions: the dates that it names. text: the question without these."""

    store: Store
    names: Sequence[_Name]
    games: Sequence[str]
    editions: Sequence[str]
    text: str

    @property
    def game(self) -> str | None:
        """The game, if one alone is meant."""
        return self.games[0] if len(self.games) == 1 else None

    def in_language(self, name: _Name) -> _Name:
        """Return what a name means where it is in several games and none is said: what is of those
        that have it in the question's language, if any has."""
        lang = "ja" if is_japanese(self.text) else "en"
        games = {node.game for node in name.nodes if node.lang == lang}
        nodes = tuple(node for node in name.nodes if node.game in games)
        return _Name(name.ref, nodes or name.nodes)

    def of_name(self, question: str, **arguments: Any) -> Ask:
        """Return a question about the name that was asked about."""
        return Ask(question, ref=self.names[0].ref, game=self.game, **arguments)


def other_answer(
    store: Store, text: str, game: str | None, follow: Callable[[Ask], Any]
) -> OtherAnswer | None:
    """Return the answer of another question that a text asks for in words; None if it asks for
    none, or if nothing is found.

    game: as for `ask`. follow: answers a question, or raises QuestionError.
    """
    nothing = None
    for ask, sure, games in _questions(store, text, game):
        quick = {"uses": False} if ask.question == "termbase" else {}  # how often is not shown
        try:
            result = follow(Ask(ask.question, **ask.arguments, **quick))
        except QuestionError:
            continue
        lines = list(_lines(ask, result, games))
        same = getattr(result, "same", 0)  # that no rule changed is an answer, too
        said = Reason("other_answer", ask, count=len(lines), same=same)
        found = OtherAnswer(ask, said, tuple(lines[:_MOST_LINES]), sure, result)
        if lines or same:
            return found
        if sure and ask.question in _MAY_BE_NONE:
            nothing = nothing or replace(found, sure=ask.question == "rulings")
    return nothing


def shown_rule(hints: Iterable[Reason], follow: Callable[[Ask], Any]) -> OtherAnswer | None:
    """Return the rule that a question without answers names, with its sub-rules: where it is only a
    heading, no passage gives it. None if it names no rule, or several.

    hints: of the answers. follow: as for `other_answer`.
    """
    asks = [reason.ask for reason in hints if reason.code == "rule_to_show" and reason.ask]
    for ask in asks if len(asks) == 1 else ():
        with suppress(QuestionError):
            shown = Ask(ask.question, **ask.arguments, tree=True)
            result = follow(shown)
            if lines := list(_lines(shown, result, ())):
                said = Reason("other_answer", shown, count=len(lines), same=0)
                return OtherAnswer(shown, said, tuple(lines[:_MOST_LINES]), True, result)
    return None


def _questions(
    store: Store, text: str, game: str | None
) -> Iterator[tuple[Ask, bool, Sequence[str]]]:
    """Yield (question, whether nothing else is asked for, the games that are meant) of those that a
    text may ask in words, the likeliest first."""
    own_games = set(store.values()["game"]) - {*known_games(), None}
    written = written_question(text, own_games) if len(text) <= _LONGEST else None
    kinds = question_kinds(written.text) if written else []
    ordinary = dict(kinds).get(ORDINARY, 1.0)
    if not written or ordinary > 1 - LIKELY:
        return
    games = (game,) if game else written.games
    named = _Named(store, games, written.text)
    for kind, probability in kinds:
        if kind == ORDINARY or probability < _POSSIBLE:
            continue
        sure = ordinary < 1 - _SURE and kind not in _BESIDE_PASSAGES
        for names in named.of_kind(kind):
            # What else it speaks of may be what it is about, though nothing is called so.
            sure = sure and (bool(names) or not named.speaks_of_more)
            asked = _Asked(store, names, games, written.editions, written.text.lower())
            with suppress(LookupError, QuestionError):
                yield from ((ask, sure, games) for ask in list(_ASKS[kind](asked)))


# -- what it names ---------------------------------------------------------------------------------


class _Named:
    """What a text names, in some games (in all for none), each looked up when it is asked for."""

    def __init__(self, store: Store, games: Sequence[str], text: str) -> None:
        self._text = text
        self._names = _Names(store, games)

    def of_kind(self, kind: str) -> Iterator[Sequence[_Name]]:
        """Yield the names that a kind of question may be about, the likeliest first: as many as it
        needs, in the order of the text. A number is rather meant than a word."""
        number = _NAMES[kind]
        if not number:
            if kind == "diff":
                yield from ([name] for _, name in (*self._numbers, *self._words)[:1])
            yield []
            return
        found = [*self._numbers, *(self._deeds if kind == "steps" else self._words)]
        if kind in _OF_WORDS:
            found = self._words
        if len(found) >= number:
            yield [name for _, name in sorted(found[:number], key=lambda one: one[0])]

    @cached_property
    def speaks_of_more(self) -> bool:
        """Whether the text has a word besides those with which people ask."""
        tokens = tokenizer()(self._text.replace("@", " "))
        entries = ((self._text[token.start : token.end], token.entry) for token in tokens)
        return any(
            entry.spelled and not entry.function and word.lower() not in asking_words()
            for word, entry in entries
            if word.strip(_SIGNS) and not word.isdigit()
        )

    @cached_property
    def _numbers(self) -> list[tuple[int, _Name]]:
        """(Start, rule) of the numbers of rules in the text, in its order, each once."""
        found: dict[str, tuple[int, _Name]] = {}
        for match in RULE_NUMBER.finditer(self._text):
            with suppress(LookupError):
                name = self._names.find(next(filter(None, match.groups())), deeds=False)
                if name.is_number:
                    found.setdefault(name.ref, (match.start(), name))
        return list(found.values())

    @cached_property
    def _words(self) -> list[tuple[int, _Name]]:
        return self._names_in_words(deeds=False)

    @cached_property
    def _deeds(self) -> list[tuple[int, _Name]]:
        return self._names_in_words(deeds=True)

    @cached_property
    def _quoted(self) -> list[tuple[int, int]]:
        """(start, end) of what is in quotation marks: if it names nothing, no part of it does."""
        matches = QUOTED.finditer(self._text)
        return [match.span(1) if match[1] else match.span(2) for match in matches]

    def _names_in_words(self, deeds: bool) -> list[tuple[int, _Name]]:
        """Return (start, what it names) of the words of the text that name something, first what
        stands in quotation marks, then the longest, none within another. deeds: as for `find`."""
        taken: list[tuple[int, int]] = []
        found: dict[str, tuple[int, _Name]] = {}
        for start, end in (*self._quoted, *self._spans()):
            if all(end <= first or last <= start for first, last in taken):
                taken += [(start, end)] if (start, end) in self._quoted else []
                with suppress(LookupError):
                    name = self._names.find(self._text[start:end], deeds)
                    if not name.is_number:
                        taken.append((start, end))
                        found.setdefault(name.ref, (start, name))
        return list(found.values())

    def _spans(self) -> Iterator[tuple[int, int]]:
        """Yield (start, end) of what may be a name, the longest first: strings of whole words that
        are not all words of asking."""
        tokens = [token for token in tokenizer()(self._text) if token.start < token.end]
        words = [self._text[token.start : token.end].lower() for token in tokens[:_MOST_WORDS]]
        asks = [word in asking_words() or not word.strip(_SIGNS) for word in words]
        spans = [
            (tokens[first].start, tokens[last].end)
            for first in range(len(words))
            for last in range(first, min(first + _LONGEST_NAME, len(words)))
            if not all(asks[first : last + 1]) and words[first].strip() and words[last].strip()
        ]
        yield from sorted(spans, key=lambda span: (span[0] - span[1], span))


class _Names:
    """Looks up names in some games (in all for none), each once."""

    def __init__(self, store: Store, games: Sequence[str]) -> None:
        self.games = games
        self._store = store
        self._found: dict[str, tuple[Node, ...]] = {}

    def find(self, words: str, deeds: bool) -> _Name:
        """Return what some words name, in any spelling. Raises LookupError if it is nothing.

        deeds: whether the words for something that is done stand for its verb, too.
        """
        for ref in (*_spellings(words), *(_deeds(words) if deeds else ())):
            if ref not in self._found:
                number = parse_number(ref)
                nodes = self._store.find_by_number(number) if number else []
                nodes = nodes or self._store.find_by_label(fold(ref))
                self._found[ref] = tuple(
                    node for node in nodes if not self.games or node.game in self.games
                )
            if nodes_there := self._found[ref]:
                return _Name(parse_number(ref) or ref, nodes_there)
        raise LookupError(words)


def _spellings(words: str) -> Iterator[str]:
    """Yield a name as it is written, then without quotation marks, and in the other number."""
    bare = words.strip(_SIGNS)
    for each in dict.fromkeys((words.strip(), bare)):
        if each:
            yield from (each, f"{each}s", each.removesuffix("s")) if each.isascii() else (each,)


def _deeds(words: str) -> Iterator[str]:
    """Yield other names of something that is done: its heading, then its verb.

    >>> list(_deeds("cast a spell")), list(_deeds("能力を起動する"))
    (['casting spell', 'casting spells', 'cast', 'caste'], ['起動する', '起動'])
    """
    words = words.strip(_SIGNS)
    if words.isascii():
        first, *rest = re.sub(r"\b(?:an?|the|your|my) ", "", words).split() or [""]
        verb = first.removesuffix("ing")
        doing = " ".join([first if first != verb else f"{verb.removesuffix('e')}ing", *rest])
        yield from (doing, f"{doing}s", verb, f"{verb}e")
    elif "を" in words:
        verb = words.rpartition("を")[2]
        yield from (verb, verb.removesuffix("する"))


def _without_games(text: str, own_games: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return a text without the games that it names, with what joins them to it, and these. They
    may be in small letters, too: nobody asks here for magic as such."""
    games: dict[str, None] = {}
    written = (text, text.title(), text.upper())
    found = (find_games(each, own_games) for each in written if len(each) == len(text))
    for game, start, end in reversed(next(filter(None, found), [])):
        games[game] = None
        text = f"{text[:start]}\0{text[end:]}" if end > start else text
    return " ".join(_IN_GAME.sub(" ", text).split()), tuple(games)


# -- which question asks for it --------------------------------------------------------------------


def _cited(asked: _Asked) -> Iterator[Ask]:
    [name] = asked.names
    kinds = ("cites",) if name.is_number else ("cites", "mentions")
    yield asked.of_name("refs", direction="in", kinds=kinds)
    if not name.is_number:
        yield from _about(asked)


def _trace(asked: _Asked) -> Iterator[Ask]:
    """Ask for the history of a rule: by the number of an edition that is named, or of the one
    before the newest if an old number is, or else by the newest that has it."""
    newest = asked.in_language(asked.names[0]).newest("rule")
    about = {"ref": newest.number, "game": newest.game}
    if asked.editions and not _THEN.search(asked.text):
        yield Ask("trace", **about, edition=_edition(asked.store, asked.editions[0], newest.game))
    elif _OLD_NUMBER.search(asked.text):
        older = {node.edition for node in asked.names[0].nodes if node.game == newest.game}
        if older := older - {newest.edition}:
            yield Ask("trace", **about, edition=max(older, key=edition_key))
    yield Ask("trace", **about)


def _diff(asked: _Asked) -> Iterator[Ask]:
    """Ask what changed: of a rule, of a term, or in all; between the editions that are named, else
    between the newest two."""
    narrow: dict[str, Any] = {}
    game, is_rule = asked.game, False
    for name in asked.names:
        is_rule = any(node.kind == "rule" for node in name.nodes)
        newest = name.newest("rule") if is_rule else name.newest()
        narrow = {"under": newest.number} if is_rule else {"mentions": name.ref}
        game = game or newest.game
    kinds = tuple(kind for kind, words in _CHANGES.items() if re.search(words, asked.text))
    try:
        older, newer, game = _editions(asked, game)
    except LookupError:  # the editions aren't loaded: what is known of the rule
        if is_rule:
            yield from _trace(asked)
        return
    yield Ask("diff", before=older, after=newer, game=game, kinds=kinds, **narrow)


def _editions(asked: _Asked, game: str | None) -> tuple[str, str, str]:
    """Return the older and the newer edition that are meant, and their game: of several games the
    one with the newest edition, if none is named; and both in one language. Raises LookupError if
    there are not two."""
    games = {
        one: rules
        for one, rules in loaded_rules(asked.store).items()
        if len(rules.editions) > 1 and one in ([game] if game else asked.games or [one])
    }
    newest = {one: max(map(edition_key, rules.editions)) for one, rules in games.items()}
    for rules in sorted(games.values(), key=lambda each: newest[each.game], reverse=True):
        for lang in dict.fromkeys(
            lang
            for edition in sorted(rules.editions, key=edition_key, reverse=True)
            for lang in rules.langs(edition)
        ):
            with suppress(QuestionError):
                before, after = _pair(asked, rules, lang)
                if before != after:
                    return before, after, rules.game
    raise LookupError("editions")


def _pair(asked: _Asked, rules: LoadedRules, lang: str) -> tuple[str, str]:
    """Return the older and the newer edition that are meant, of a game's rules in a language. They
    are the same where only one is there."""
    scope = Scope(game=rules.game, lang=lang)
    named = [_edition(asked.store, each, rules.game, lang) for each in asked.editions[:2]]
    there = [edition for edition in rules.editions if lang in rules.langs(edition)]
    if not {*named} <= {*there}:
        return "", ""
    if len(named) > 1:
        return min(named, key=edition_key), max(named, key=edition_key)
    if named and _SINCE.search(asked.text):
        return named[0], max(there, key=edition_key)
    after, before = newest_two({rules.game: rules}, scope, named[0] if named else None)
    return before, after


def _edition(store: Store, date: str, game: str | None, lang: str | None = None) -> str:
    """Return the edition that a date means: its own, or the one in force then."""
    edition = resolve_edition(store, date, game, lang)
    if any(edition == known for _, known, _ in store.editions()):
        return edition
    return resolve_edition(store, f"as of {_HYPHENS.sub('-', date)}", game, lang)


def _termbase(asked: _Asked) -> Iterator[Ask]:
    asked.names[0].newest("term", "card")
    yield Ask("termbase", term=asked.names[0].ref, game=asked.game)


def _same(asked: _Asked) -> Iterator[Ask]:
    """Ask for the names of a term, if it is called both."""
    one, other = asked.names
    terms = {node.id for node in one.nodes if node.kind == "term"}
    if one.ref != other.ref and terms & {node.id for node in other.nodes}:
        yield from _termbase(asked)


def _path(asked: _Asked) -> Iterator[Ask]:
    start, end = (name.ref for name in asked.names)
    if start != end:
        yield Ask("path", start=start, end=end, game=asked.game)


def _steps(asked: _Asked) -> Iterator[Ask]:
    """Ask for the steps of something that is done; a turn and its parts have steps in another
    sense, which the rulebook lists."""
    if not _PART_OF_TURN.search(asked.names[0].ref):
        yield asked.of_name("steps")


def _parts(asked: _Asked) -> Iterator[Ask]:
    """Ask for a rule with its sub-rules: the chapter on keyword abilities lists them."""
    asked.names[0].newest("rule")
    yield asked.of_name("show", tree=True)


def _about(asked: _Asked) -> Iterator[Ask]:
    """Ask for the rules that have a name, or its other names: the rules may be in one language."""
    [name] = asked.names
    labels = (label for node in name.nodes[:1] for label in node.labels)
    others = (label.text for label in labels if label.role == "preferred")
    for each in dict.fromkeys((name.ref, *others)):
        yield Ask("search", text=each, game=asked.game, kind="rule")


_ASKS: Mapping[str, Callable[[_Asked], Iterable[Ask]]] = {
    "citing": lambda asked: [asked.of_name("refs", direction="out", kinds=("cites",))],
    "cited": _cited, "same": _same, "path": _path, "trace": _trace,
    "diff": _diff, "termbase": _termbase, "steps": _steps, "parts": _parts, "about": _about,
    "rulings": lambda asked: [asked.of_name("rulings")],
    "top": lambda asked: [Ask("top", game=asked.game, kind="rule")],
    "terms": lambda asked: [Ask("terms", game=asked.game)],
    "stats": lambda asked: [Ask("stats")],
}  # fmt: skip

# How many names each is about; `diff` may be about none or one.
_NAMES = {"same": 2, "path": 2, "diff": 0, "top": 0, "terms": 0, "stats": 0} | dict.fromkeys(
    "citing cited trace termbase steps parts about rulings".split(), 1
)
_OF_WORDS = frozenset({"termbase", "same", "about", "rulings"})  # a word is rather meant
_MAY_BE_NONE = frozenset({"refs", "rulings", "terms"})  # that there is none is an answer, too
_BESIDE_PASSAGES = frozenset({"steps"})  # of which the rulebook's own text is an answer, too

# -- its answer ------------------------------------------------------------------------------------


def _lines(ask: Ask, result: Any, games: Sequence[str]) -> Iterator[str]:
    """Yield a result as lines: each entry in a few words, once."""
    found: dict[str, None] = {}
    for cells in _cells(ask, result, games):
        words = (" ".join(str(cell).split()) for cell in cells if cell)
        line = "  ".join(words)
        found[line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…"] = None
    yield from filter(None, found)


def _cells(ask: Ask, result: Any, games: Sequence[str]) -> Iterator[Iterable[object]]:
    """Yield what stands in each line of a result."""
    if ask.question == "refs":
        for each in result.references():
            heading = each.other and (each.other.label or result.headings.get(each.other.id))
            title = each.page.title if each.page else heading
            yield each.other and each.other.number, title, each.edge.evidence.text
    elif ask.question == "show":
        parts = [[line for line in each.lines if line.depth == 1] for each in result.tree.values()]
        for line in max(parts, key=len, default=()):
            yield line.number, line.label or line.text
    elif ask.question == "stats":
        yield (f"{kind} {number:,}" for kind, number in result.kinds.items())
        for book in result.rulebooks:
            if not games or book.game in games:
                yield book.game, book.edition, book.lang, f"{book.rules:,}"
    else:
        names = _COLUMNS[ask.question].split()
        rows = result.table().cells
        for row in reversed(rows) if ask.question == "trace" else rows:  # the newest first
            yield [row.get(name) for name in names]
