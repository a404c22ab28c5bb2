"""Recognises questions that another question of the base answers exactly, and asks it: which rules
cite one, what changed, what a term is called in English, how many there are.

The wordings are rows of `other_questions.tsv`. The words of a question have to name something that
is loaded, such as a rule, a term or an edition: else its row does not count. What the rulebook says
itself (what trample is, how many cards a player draws) has no row.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, islice, product
from pathlib import Path
from typing import Any

from graphs.model import Node
from graphs.sort_orders import edition_key
from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.language.fold import fold
from kb.query.answers.answer import OtherAnswer
from kb.query.answers.question import parse_question
from kb.query.editions.impact import newest_two
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.find_by_reference import resolve_edition
from kb.reason import Ask, Reason
from kb.rules.edition_dates import edition_dates
from kb.rules.loaded_editions import loaded_rules
from scraper.rulebook.numbering import parse_number
from scraper.sites.games import find_games

# By hand: twice the longest question of this kind that was seen. What tells a situation is longer.
_LONGEST = 120
# By hand: what fits above the passages on one screen. The question that is named gives the rest.
_MOST_LINES = 8
_LONGEST_LINE = 160  # characters: two lines of a terminal
_SIGNS = " 　.,:;?!。、，．・…「」『』“”\"'‘’《》()[]-–—/~"
_HYPHENS = re.compile(r"(?<=^\d{4})(?=\d)|(?<=^\d{6})(?=\d)")  # where a date takes them
_SPACE = re.compile(r"(?<=[^\x00-\x7f])\s+|\s+(?=[^\x00-\x7f])")  # in Japanese it says nothing
# A name of a game is NUL here, and goes with what joins it to the rest.
_IN_GAME = re.compile(
    r"\b(?:in|of|for|from|on)(?: the)?\s*\0(?:'s)?"
    r"|\0\s*(?:の|では|だと|で|には|に|における|は|、|[,:]|'s)*",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\b(?:since|from|after|compared|than)\b|から|以降|比べ|比較", re.IGNORECASE)
# What the steps of are parts of a turn, which the rulebook lists.
_PART_OF_TURN = re.compile(r"\b(?:phase|step|turn|combat|game)s?$", re.IGNORECASE)
_SHORTEST_MENDED = 5  # letters of a word in which a slip is mended: shorter ones are like too many
# Words that the table has with their beginnings alone, and a short one.
_MENDED = "what reference references changed changes difference differences called rulings".split()
_CHANGES = {
    "added": r"\badd|追加",
    "removed": r"\bremov|削除",
}  # {kind of change: what asks for it}
# By hand: parts of a question that may be its name, and places where two names may be joined. Real
# ones have fewer; these bound the time of what a stranger makes up.
_MOST_RESTS, _MOST_OF_HALF, _MOST_JOINTS = 200, 40, 6
_LONGEST_WORD = 8  # characters of a Japanese word of the table, at most
# A word in Latin letters, a sign, or what stands without spaces.
_WORD = re.compile(r"[a-z&][a-z&'-]*|[\x00-\x7f]|[^\x00-\x7f]+", re.IGNORECASE)
_MOST_PIECES = 8  # texts: a question, its halves
_JOINT = re.compile(
    r"\s(?:and|to|with|as|is|from|vs\.?|mean)\s|(?:から|って|と|は|が|も)、?|→", re.IGNORECASE
)
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
    for wording, ask, asked in _questions(store, text, game):
        quick = {"uses": False} if ask.question == "termbase" else {}  # how often is not shown
        try:
            result = follow(Ask(ask.question, **ask.arguments, **quick))
        except QuestionError:
            continue
        lines = list(_lines(ask, result, asked.games))
        same = getattr(result, "same", 0)  # that no rule changed is an answer, too
        if lines or same or ask.question == "rulings":  # that there is none is an answer, too
            said = Reason("other_answer", ask, count=len(lines), same=same)
            return OtherAnswer(ask, said, tuple(lines[:_MOST_LINES]), wording.sure, result)
    return None


# -- how the words stand ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Wording:
    """A row of the table.

    asked: what is asked. sure: whether for nothing else. names: how many there may be.
    stands: how the words stand, with N and X for names. words: what may be there besides; stems:
        the beginnings of such. own: those that few other rows have, of which one must be there.
    numbers: whether it counts only beside the number of a rule.
    """

    asked: str
    sure: bool
    names: tuple[int, ...]
    stands: re.Pattern[str]
    words: frozenset[str]
    stems: tuple[str, ...]
    own: tuple[str, ...]
    numbers: bool = False

    def allows(self, word: str) -> bool:
        """Whether a word may be there; signs and spaces may always."""
        return not word.strip(_SIGNS) or word in self.words or word.startswith(self.stems)


@cache
def _wordings() -> tuple[_Wording, ...]:
    """Return the rows of the table, in order."""
    table = Path(__file__).with_suffix(".tsv").read_text("utf-8")
    lists: dict[str, list[str]] = defaultdict(list)
    wordings = []
    for line in table.splitlines():
        if line[:1] == "{":
            name, written = line.split("\t")
            lists[name] += written.split()
        elif line[:1] not in ("", "#", "~"):
            asked, sure, names, stands, written = line.split("\t")
            own = [word for each in written.split() for word in lists.get(each, [each])]
            words = frozenset((*own, *lists["{any}"]))
            wordings.append(
                _Wording(
                    asked,
                    sure == "sure",
                    tuple(map(int, names.split())),
                    re.compile(stands),
                    words,
                    tuple(word[:-1] for word in words if word[-1] == "*"),
                    tuple(word.rstrip("*") for word in own),
                )
            )
    return tuple(wordings)


@cache
def _cues() -> tuple[_Wording, ...]:
    """Return the rows of the table that begin with ~: cues, whatever else is said."""
    table = Path(__file__).with_suffix(".tsv").read_text("utf-8")
    rows = (line[1:].split("\t") for line in table.splitlines() if line[:1] == "~")
    return tuple(
        _Wording(
            asked,
            sure == "sure",
            tuple(map(int, names.rstrip("N").split())),
            re.compile(stands),
            frozenset(),
            (),
            (),
            names.endswith("N"),
        )
        for asked, sure, names, stands in rows
    )


@lru_cache(_MOST_PIECES)
def _pieces(text: str) -> list[tuple[int, int, str]]:
    """Return (start, end, piece) of what may be a word in a text: those in Latin letters, and each
    string of up to eight other characters, in the order of where they begin."""
    pieces = []
    for word in _WORD.finditer(text):
        if word[0].isascii():
            pieces.append((word.start(), word.end(), word[0]))
        else:
            for start in range(*word.span()):
                ends = range(start + 1, min(start + _LONGEST_WORD, word.end()) + 1)
                pieces += ((start, end, text[start:end]) for end in ends)
    return pieces


def _rests(text: str, wording: _Wording) -> list[tuple[int, int]]:
    """Return (start, end) of what may be a name in a text, as all before and behind it are words
    that a wording allows; the longest first."""
    before, behind = _allowed(text, wording)
    spans = [
        (start, end)
        for start in before
        for end in behind
        if start < end and not text[start].isspace() and not text[end - 1].isspace()
    ]
    return sorted(spans, key=lambda span: (span[0] - span[1], span))[:_MOST_RESTS]


def _allowed(text: str, wording: _Wording) -> tuple[set[int], set[int]]:
    """Return up to where, and from where on, a text is made of words that a wording allows."""
    pieces = [piece for piece in _pieces(text.lower()) if wording.allows(piece[2])]
    before, behind = {0}, {len(text)}
    for start, end, _ in pieces:
        if start in before:
            before.add(end)
    for start, end, _ in reversed(pieces):
        if end in behind:
            behind.add(start)
    return before, behind


def _readings(text: str, wording: _Wording) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield (how the words stand, the names) for each way to read a text by a wording."""
    if not any(word in text.lower() for word in wording.own) and wording.own:
        return
    if 0 in wording.names and len(text) in _allowed(text, wording)[0]:
        yield text.lower(), ()
    if 1 in wording.names:
        for start, end in _rests(text, wording):
            yield _masked(text, (start, end)), (text[start:end],)
    for joint in islice(_JOINT.finditer(text), _MOST_JOINTS) if 2 in wording.names else ():
        left, right = text[: joint.start()], text[joint.end() :]
        for one, other in product(
            *(_rests(half, wording)[:_MOST_OF_HALF] for half in (left, right))
        ):
            masked = _masked(left, one) + joint[0].lower() + _masked(right, other)
            yield masked, (left[slice(*one)], right[slice(*other)])


def _masked(text: str, span: tuple[int, int]) -> str:
    """Return a text in small letters with N for a number of a rule in a span, X for another name;
    without spaces beside Japanese."""
    start, end = span
    sign = "N" if parse_number(text[start:end]) else "X"
    return _SPACE.sub("", f"{text[:start].lower()}{sign}{text[end:].lower()}")


def _questions(store: Store, text: str, game: str | None) -> Iterator[tuple[_Wording, Ask, _Asked]]:
    """Yield the questions that a text may ask in words, the likeliest first."""
    if len(text) > _LONGEST:
        return
    body, games = _without_games(unicodedata.normalize("NFKC", text))
    dates = list(edition_dates(body, (), every=True))
    for date in reversed(dates):
        body = f"{body[: date.start]}@{body[date.end :]}"
    editions = tuple(date.edition for date in dates)
    names = _Names(store, (game,) if game else games)
    for written, wording in product(dict.fromkeys((body, _mended(body))), _wordings()):
        fits = False
        for stands, found in _readings(written, wording):
            if wording.stands.search(stands):
                with suppress(LookupError, QuestionError):
                    named = [names.find(each, wording.asked == "steps") for each in found]
                    asked = _Asked(store, named, names.games, editions, stands)
                    asks = list(_ASKS[wording.asked](asked))
                    fits = fits or bool(asks)
                    yield from ((wording, ask, asked) for ask in asks)
        if fits:  # what cites a rule is no answer to what it cites
            return
    yield from _cued(store, body, editions, names)


def _cued(
    store: Store, text: str, editions: Sequence[str], names: _Names
) -> Iterator[tuple[_Wording, Ask, _Asked]]:
    """Yield the questions that cues of a text ask for, whatever else it says, of what it names: of
    the numbers of rules in it, or else of the names of terms and cards. The first cue counts."""
    numbers: list[_Name] | None = None
    words: list[_Name] | None = None
    for cue in _cues():
        if not cue.stands.search(text.lower()):
            continue
        if numbers is None:
            numbers = list(_numbers(text, names))
        needs_words = max(cue.names) > len(numbers) and not (cue.numbers and max(cue.names) == 1)
        if needs_words and words is None:
            words = list(_named_words(store, text, names, {one.ref for one in numbers}))
        named = [*numbers, *((words or ()) if not cue.numbers or numbers else ())]
        named = named[: max(cue.names)]
        if len(named) not in cue.names or (cue.numbers and not numbers):
            continue
        asked = _Asked(store, named, names.games, editions, text.lower())
        with suppress(LookupError, QuestionError):
            if asks := list(_ASKS[cue.asked](asked)):
                yield from ((cue, ask, asked) for ask in asks)
                return


_NUMBER = re.compile(
    r"(?<![\w.@-])(?:§|rule |cr ?|section |chapter )?"
    r"(\d{3}|\d{1,4}(?:\.\d{1,3})+[a-z]?)(?![\d%])(?!\.\d)"
    r"|(?:section |chapter )(\d{1,4})(?!\d)|第(\d{1,4})[章節条項]|(?<!\d)(\d{1,2})章",
    re.IGNORECASE,
)


def _numbers(text: str, names: _Names) -> Iterator[_Name]:
    """Yield the rules whose numbers a text has, in its order, each once."""
    for number in dict.fromkeys(filter(None, chain(*_NUMBER.findall(text)))):
        with suppress(LookupError):
            name = names.find(number, deeds=False)
            if name.is_number:
                yield name


def _named_words(store: Store, text: str, names: _Names, others: Container[str]) -> Iterator[_Name]:
    """Yield what the words of a text name, terms and cards, the longest first."""
    question = parse_question(store, text, names.games[0] if len(names.games) == 1 else None)
    terms = [term for term in question.query_terms if term.term_ids]
    for term in sorted(terms, key=lambda term: term.start - term.end):
        for words in (term.text, term.word):
            with suppress(LookupError):
                if words and (name := names.find(words, deeds=True)).ref not in others:
                    yield name
                    break


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


def _without_games(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text without the games that it names, with what joins them to it, and these. They
    may be in small letters, too: nobody asks here for magic as such."""
    games: dict[str, None] = {}
    written = (text, text.title(), text.upper())
    found = (find_games(each) for each in written if len(each) == len(text))
    for game, start, end in reversed(next(filter(None, found), [])):
        games[game] = None
        text = f"{text[:start]}\0{text[end:]}" if end > start else text
    return " ".join(_IN_GAME.sub(" ", text).split()), tuple(games)


def _mended(text: str) -> str:
    """Return a text in which English words with one slip are those of the wordings.

    >>> _mended("Wich rules refernce 704, and waht chagned")
    'which rules reference 704, and what changed'
    """
    return _WORD.sub(lambda word: _slips().get(word[0].lower(), word[0]), text)


@cache
def _slips() -> Mapping[str, str]:
    """Return {word with a slip: the word}, for the English words of the wordings: a letter that
    lacks or is twice, two letters that changed places. What is a word itself is not there."""
    words = {word for each in _wordings() for word in each.words if word.isascii()}
    slips: dict[str, str] = {}
    long = (word for word in words if len(word) >= _SHORTEST_MENDED and word[-1] != "*")
    for word in sorted((*long, *_MENDED)):
        for n in range(1, len(word)):
            for wrong in (
                word[:n] + word[n + 1 :],
                word[:n] + word[n - 1] + word[n:],
                word[: n - 1] + word[n] + word[n - 1] + word[n + 1 :],
            ):
                slips.setdefault(wrong, word)
    return {wrong: word for wrong, word in slips.items() if wrong not in words}


# -- which question asks for it --------------------------------------------------------------------


def _cited(asked: _Asked) -> Iterator[Ask]:
    [name] = asked.names
    kinds = ("cites",) if name.is_number else ("cites", "mentions")
    yield asked.of_name("refs", direction="in", kinds=kinds)
    if not name.is_number:
        yield from _about(asked)


def _trace(asked: _Asked) -> Iterator[Ask]:
    newest = asked.names[0].newest("rule")
    yield Ask("trace", ref=newest.number, game=newest.game)


def _diff(asked: _Asked) -> Iterator[Ask]:
    """Ask what changed: of a rule, of a term, or in all; between the editions that are named, else
    between the newest two."""
    narrow: dict[str, Any] = {}
    game = asked.game
    for name in asked.names:
        is_rule = any(node.kind == "rule" for node in name.nodes)
        newest = name.newest("rule") if is_rule else name.newest()
        narrow = {"under": newest.number} if is_rule else {"mentions": name.ref}
        game = game or newest.game
    kinds = tuple(kind for kind, words in _CHANGES.items() if re.search(words, asked.text))
    older, newer, game = _editions(asked, game)
    yield Ask("diff", before=older, after=newer, game=game, kinds=kinds, **narrow)


def _editions(asked: _Asked, game: str | None) -> tuple[str, str, str]:
    """Return the older and the newer edition that are meant, and their game: of several games the
    one with the newest edition, if none is named. Raises LookupError if there are not two."""
    games = {
        one: rules
        for one, rules in loaded_rules(asked.store).items()
        if len(rules.editions) > 1 and one in ([game] if game else asked.games or [one])
    }
    named = [_edition(asked.store, each, [*games]) for each in asked.editions[:2]]
    games = {one: rules for one, rules in games.items() if {*named} <= {*rules.editions}}
    if not games:
        raise LookupError("editions")
    game = max(games, key=lambda one: edition_key(games[one].editions[-1]))
    after, before = newest_two(games, Scope(game=game), None)
    if len(named) > 1:
        before, after = sorted(named, key=edition_key)
    elif named and _SINCE.search(asked.text):
        before = named[0]
    elif named:
        after, before = newest_two(games, Scope(game=game), named[0])
    if before == after:
        raise LookupError("editions")
    return before, after, game


def _edition(store: Store, date: str, games: Sequence[str]) -> str:
    """Return the edition that a date means: its own, or the one in force then."""
    game = games[0] if len(games) == 1 else None
    edition = resolve_edition(store, date, game)
    if any(edition == known for _, known, _ in store.editions()):
        return edition
    return resolve_edition(store, f"as of {_HYPHENS.sub('-', date)}", game)


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
    "cited": _cited, "same": _same, "path": _path, "far path": _path, "trace": _trace,
    "diff": _diff, "termbase": _termbase, "steps": _steps, "parts": _parts, "about": _about,
    "rulings": lambda asked: [asked.of_name("rulings")],
    "top": lambda asked: [Ask("top", game=asked.game, kind="rule")],
    "terms": lambda asked: [Ask("terms", game=asked.game)],
    "stats": lambda asked: [Ask("stats")],
}  # fmt: skip

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
        yield from ([row.get(name) for name in names] for row in result.table().cells)
