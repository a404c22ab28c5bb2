"""The same concept in several games: terms that share a name, and definitions that agree.

A shared name alone proves little: two games give one word to different things. So both terms
must be defined, and the definitions must speak of the same things, in whatever language; only
a name that says itself what it is, being put together of several words, or that is the basic
vocabulary in which both games define their other terms, is believed without.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from typing import Literal

from graphs.facts import Defined, Facts, Named, Want
from kb.extract.glossary import is_action
from kb.extract.mentions import Linker
from kb.extract.reading import Reading
from kb.extract.terms import defines_term, node_of_page, term_id
from kb.fold import fold
from kb.words import Words
from scraper import address

Relation = Literal["exact", "close"]

_COMMON = 8  # what one definition in so many has says little
_FEW = 4  # definitions, in which nothing is common
_LEAD = re.compile(r"^[「『]?([^、。]{1,40}?)[」』]?(?=とは|は、|[/／(（])")
_GAME_NAMES = {
    "mtg": r"(?:Magic(?:: ?[Tt]he Gathering)?|M:?[Tt]G|マジック(?:[:：・]ザ・ギャザリング)?)",
    "ygo": r"遊戯王(?:OCG|オフィシャルカードゲーム)?",
    "dm": r"(?:デュエル・マスターズ|デュエマ)",
    "lorcana": r"(?:ディズニー・?)?(?:ロルカナ|Lorcana)",
}
_ANY_GAME = re.compile("|".join(_GAME_NAMES.values()))
_CALLED = (
    r"(?:において)?では[^「」]*「(?P<name>[^「」]{1,20})」"
    r"(?:で(?:統一|表記|表現)され|(?:と|とも)(?:呼ば?[ぶれ]|称[さす]|表記|表現|言[いうわ]|い[いうわ])"
    r"|に(?:相当|あた|当た))(?!.{0,6}ない)"
)
_SENTENCE = re.compile(r".*?(?:。|$)", re.DOTALL)
_SENTENCE_END = {True: re.compile("。"), False: re.compile(r"(?<=[a-z)”\"])\.(?=\s|$)")}
_RULE_CITED = re.compile(r"\s*See (?:also )?(?:rules?|section) .*", re.DOTALL)
_ENGLISH_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_ENDING = re.compile(r"(?:ies|ing|ed|e?s|e)$")
_LETTER = re.compile(r"[^\W\d_]{2}|[一-鿿]")
_LONGEST = 5  # words in an English name
_ANY = frozenset(
    "こと もの とき 場合 事 物 為る 有る 居る 成る 行う 際 時 為 一つ 一 又 其の 此の 言う 指す "
    "ゲーム".split()
)


@dataclass(frozen=True, slots=True)
class _Definition:
    """What one passage says of a term: the words that count, and those of the first sentence;
    text[:end] is what was read."""

    passage: str
    lang: str
    text: str
    end: int
    says: frozenset[str]
    first: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Term:
    """A term with its names, folded, by language; `main` are the preferred Japanese ones."""

    id: str
    game: str
    japanese: Mapping[str, str]
    english: Mapping[str, str]
    main: frozenset[str]
    words: frozenset[str]
    definitions: tuple[_Definition, ...]


@dataclass(frozen=True, slots=True)
class _Judged:
    """That two terms are one concept: on what basis, where it can be read, by which names."""

    relation: Relation
    basis: str
    at: _Definition
    names: list[str]


def same_concepts(named: Iterable[Named], defined: Iterable[Defined], words: Words) -> list[Want]:
    """Edges between terms of different games that are one concept, in the order of their ids.

    `details` say the relation, `exact` or `close`, and on what basis; the evidence is in the
    definition of one of the two.

    >>> from kb.words import words
    >>> named = [
    ...     Named("g1/term/捨てる", "ja", "preferred", "捨てる", "捨てる"),
    ...     Named("g2/term/捨てる", "ja", "preferred", "捨てる", "捨てる"),
    ... ]
    >>> defined = [
    ...     Defined("g1/term/捨てる", "ja", "p1", "捨てるとは、駒を盤から箱へ移す行為。", True),
    ...     Defined("g2/term/捨てる", "ja", "p2", "盤にある駒を箱に移すこと。", True),
    ... ]
    >>> [want] = same_concepts(named, defined, words())
    >>> want.source, want.want, want.details["relation"]
    ('g1/term/捨てる', 'g2/term/捨てる', 'exact')
    """
    names = _of_terms(named)
    if len({_game(node) for node in names}) < 2:
        return []
    passages = defaultdict(list)
    for one in sorted(set(defined), key=lambda d: (d.node, d.passage)):
        passages[one.node].append(one)
    terms = _terms(names, passages, words)
    judge = _Judge(terms, words)
    found: dict[tuple[str, str], _Judged] = {}
    for pair in sorted(_candidates(terms, words)):
        if judged := judge(terms[pair[0]], terms[pair[1]]):
            found[pair] = judged
    for pair, judged in judge.over_a_third({p for p, j in found.items() if j.relation == "exact"}):
        if pair not in found or found[pair].relation == "close":
            found[pair] = judged
    exact = sorted(pair for pair, judged in found.items() if judged.relation == "exact")
    for pair, judged in judge.counterparts(exact):
        found.setdefault(pair, judged)
    return [_want(terms, pair, found[pair]) for pair in sorted(found)]


def action(
    named: Iterable[Named], defined: Iterable[Defined], words: Words
) -> Callable[[str], bool | None]:
    """Tells whether a term is something done, as far as its name or its gloss says: a verb is,
    a plain noun is not, and a noun that can be done (破壊する) may be either.

    >>> from kb.words import words
    >>> named = [Named("g/term/積む", "ja", "preferred", "積む", "積む"),
    ...          Named("g/term/Stack (2)", "en", "preferred", "stack", "Stack")]
    >>> defined = [Defined("g/term/Stack (2)", "en", "p", "2. A place for spells.", True)]
    >>> acts = action(named, defined, words())
    >>> acts("g/term/積む"), acts("g/term/Stack (2)"), acts("g/term/?")
    (True, False, None)
    """
    known: dict[str, str] = {}
    for name in sorted(set(named), key=lambda n: (n.node, n.text)):
        if name.lang == "ja" and name.role == "preferred":
            known.setdefault(name.node, name.text)
    glosses: dict[str, str] = {}
    for one in sorted(set(defined), key=lambda d: (d.node, d.passage)):
        if one.lang == "en" and one.sure:
            glosses.setdefault(one.node, one.text)

    def acts(node: str) -> bool | None:
        if node in known:
            return _done(known[node], words)
        return is_action(glosses[node]) if node in glosses else None

    return acts


def _done(name: str, words: Words) -> bool | None:
    morphemes = list(words.tokenize(name))
    if not morphemes:
        return None
    part = morphemes[-1].part_of_speech()
    if part[0] == "動詞":
        return True
    return None if part[2] == "サ変可能" else False


# -- statements ---------------------------------------------------------------------------


def extract(reading: Reading, facts: Facts) -> None:
    """What a term's page says another game calls it, as an edge to that game's term.

    On the page of 使う, `本家Magicでは「プレイ」で統一されている` says that プレイ is that there.
    """
    page = reading.page
    if page.redirect or not page.name or not defines_term(page.name):
        return
    called = page.title if page.name.endswith(f"/{page.title}") else page.name
    node_id, _ = node_of_page(reading.game, page.source, called)
    if page.source not in address.GAMES or "/term/" not in node_id:
        return
    for place, passage in enumerate(page.passages):
        for game, name, start, end in stated(passage.text):
            if game != reading.game:
                details = {"relation": "close", "basis": f"the page says so: {passage.text}"}
                reason = f"no page here is about {name} of {game}"
                facts.wants.append(
                    Want("same_concept", node_id, term_id(game, name), name,
                         reading.passage_ids[place], start, end, reason, details)
                )  # fmt: skip


def stated(text: str) -> Iterator[tuple[str, str, int, int]]:
    """The words that a text says another game has for its subject: game, word, start and end.

    >>> list(stated("デュエル・マスターズでは「山」と呼ぶ。"))
    [('dm', '山', 13, 14)]
    >>> list(stated("遊戯王では「山」とは呼ばない。デュエル・マスターズの「山」とは異なる。"))
    []
    """
    if not _ANY_GAME.search(text):
        return
    for sentence in _SENTENCE.finditer(text):
        for game, written in _GAME_NAMES.items():
            for found in re.finditer(written + _CALLED, sentence[0]):
                start = sentence.start() + found.start("name")
                yield game, found["name"], start, start + len(found["name"])


# -- terms --------------------------------------------------------------------------------


def _game(node: str) -> str:
    return node.partition("/")[0]


def _of_terms(named: Iterable[Named]) -> dict[str, list[Named]]:
    names: dict[str, list[Named]] = defaultdict(list)
    for name in sorted(set(named), key=lambda n: (n.node, n.lang, n.role, n.text)):
        if "/term/" in name.node and name.folded:
            names[name.node].append(name)
    return names


def _terms(
    names: Mapping[str, list[Named]], passages: Mapping[str, list[Defined]], words: Words
) -> dict[str, _Term]:
    says = _Says(names, words)
    terms: dict[str, _Term] = {}
    for node, own in names.items():
        japanese = {n.folded: n.text for n in own if n.lang == "ja"}
        defining = list(_defining(passages.get(node, ()), set(japanese)))
        terms[node] = _Term(
            node, _game(node), japanese, {n.folded: n.text for n in own if n.lang == "en"},
            frozenset(n.folded for n in own if n.lang == "ja" and n.role == "preferred"),
            says.of(own),
            tuple(_definition(d, end, says) for d, end in defining),
        )  # fmt: skip
    return terms


def _definition(one: Defined, end: int, says: _Says) -> _Definition:
    whole, first = says(one.text[:end], one.lang), _end(one, 1)
    said = whole if first == end else says(one.text[:first], one.lang)
    return _Definition(one.passage, one.lang, one.text, end, whole, said)


def _defining(found: Iterable[Defined], names: set[str]) -> Iterator[tuple[Defined, int]]:
    """The passages that define, and where in them the definition ends: those that a page is
    sure of; behind a heading the first that begins with the name, or else the first sentence."""
    openings = []
    for one in found:
        if one.sure:
            yield one, _end(one)
        elif "。" in one.text and "\t" not in one.text:
            openings.append(one)
    leads = [o for o in openings if (lead := _LEAD.match(o.text)) and fold(lead[1]) in names]
    for one in (leads or openings)[:1]:
        yield one, _end(one)


def _end(one: Defined, sentences: int = 2) -> int:
    """A definition is the first two sentences; what it cites is none of it."""
    text = one.text if one.lang == "ja" else _RULE_CITED.sub("", one.text)
    ends = [found.end() for found in _SENTENCE_END[one.lang == "ja"].finditer(text)]
    return ends[sentences - 1] if len(ends) >= sentences else len(text)


class _Says:
    """What a text says: the words that mean something, a term's name as what it names.

    All names of a term are one word, so that what is said in two languages can be compared.
    """

    def __init__(self, names: Mapping[str, list[Named]], words: Words) -> None:
        self._words = words
        self._of = _one_word(names)
        every = {(n.lang, n.role, n.folded, n.text) for own in names.values() for n in own}
        self._linker = Linker(
            sorted((self._of[lang, folded], text) for lang, role, folded, text in every
                   if lang == "ja" and role != "reading" and self._is_word(text)), words
        )  # fmt: skip
        self._english = {
            _stems(text): self._of[lang, folded]
            for lang, _, folded, text in sorted(every)
            if lang == "en"
        }

    def of(self, names: Iterable[Named]) -> frozenset[str]:
        """The words that a term's names are."""
        return frozenset(self._of[n.lang, n.folded] for n in names)

    def __call__(self, text: str, lang: str) -> frozenset[str]:
        found = self._english_words(text) if lang == "en" else self._japanese(text)
        return frozenset(word for word in found if word not in _ANY)

    def _is_word(self, name: str) -> bool:
        """A phrase (the top of a pile) is no word; what it is made of is found by itself."""
        return (
            not name.isascii() and len(name) > 1
            and not any(word.entry.function for word in self._words(name))
        )  # fmt: skip

    def _japanese(self, text: str) -> Iterator[str]:
        entries, starts = self._words.entries(text)
        taken: set[int] = set()
        for mention in self._linker.mentions(entries, starts):
            yield from mention.terms
            taken.update(range(mention.start, mention.end))
        for entry, start in zip(entries, starts, strict=False):  # the last start is the end
            if not entry.function and _LETTER.match(entry.normal) and start not in taken:
                yield entry.normal

    def _english_words(self, text: str) -> Iterator[str]:
        stems = _stems(text)
        at = 0
        while at < len(stems):
            for long in range(min(_LONGEST, len(stems) - at), 0, -1):
                if (word := self._english.get(stems[at : at + long])) is not None:
                    yield word
                    at += long
                    break
            else:
                if len(stems[at]) > 4:
                    yield stems[at]
                at += 1


def _stems(text: str) -> tuple[str, ...]:
    return tuple(
        _ENDING.sub("", word) if len(word) > 3 else word
        for word in _ENGLISH_WORD.findall(text.casefold())
    )


def _one_word(names: Mapping[str, list[Named]]) -> dict[tuple[str, str], str]:
    """For each name (language, folded) the word that it is, names of one term being one word.

    A name that several terms of a game have joins nothing.
    """
    holders: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for node, own in names.items():
        for name in own:
            holders[_game(node), name.lang, name.folded].add(node)
    above: dict[tuple[str, str], tuple[str, str]] = {}

    def top(key: tuple[str, str]) -> tuple[str, str]:
        while (higher := above.setdefault(key, key)) != key:
            above[key] = above[higher]
            key = above[key]
        return key

    text: dict[tuple[str, str], str] = {}
    readings: set[tuple[str, str]] = set()
    for node, own in names.items():
        keys = [(n.lang, n.folded) for n in own]
        for name in own:
            key = (name.lang, name.folded)
            text[key] = min(text.get(key, name.text), name.text)
            if name.role == "reading":
                readings.add(key)
            top(key)
        clear = [k for k in keys if len(holders[_game(node), *k]) == 1]
        for one, other in pairwise(clear):
            first, second = sorted(
                (top(one), top(other)), key=lambda k: (k[0] != "ja", k in readings, k)
            )
            above[second] = first
    return {key: text[top(key)] for key in sorted(text)}


# -- pairs --------------------------------------------------------------------------------


def _candidates(terms: Mapping[str, _Term], words: Words) -> set[tuple[str, str]]:
    """The pairs of terms of different games that share a name, and that are both defined."""
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for node, term in terms.items():
        if term.definitions:
            for folded in term.japanese:
                groups["ja", folded].append(node)
            for folded in term.english:
                groups["en", folded].append(node)
            for parts in {_parts(term.japanese[main], words) for main in term.main}:
                if len(parts) > 1:
                    groups["parts", *parts].append(node)
    return {
        (min(pair), max(pair))
        for group in groups.values()
        for pair in combinations(group, 2)
        if _game(pair[0]) != _game(pair[1])
    }


def _parts(name: str, words: Words) -> tuple[str, ...]:
    """The nouns that a name is put together of; a suffix between them counts for nothing. None
    if it is no such name.

    >>> from kb.words import words
    >>> _parts("起動型能力", words()), _parts("起動する", words())
    (('起動', '能力'), ())
    """
    morphemes = [m for m in words.tokenize(name) if m.part_of_speech()[0] != "補助記号"]
    kinds = [m.part_of_speech()[0] for m in morphemes]
    if not kinds or kinds[-1] == "接頭辞" or set(kinds) - {"名詞", "接尾辞", "接頭辞"}:
        return ()
    last = len(kinds) - 1
    return tuple(
        m.surface() for place, m in enumerate(morphemes)
        if kinds[place] != "接尾辞" or place == last
    )  # fmt: skip


class _Judge:
    """Says of two terms whether they are one concept, and why."""

    def __init__(self, terms: Mapping[str, _Term], words: Words) -> None:
        self._terms = terms
        self._words = words
        self._said: dict[str, Counter[str]] = defaultdict(Counter)
        for term in terms.values():
            for word in {w for d in term.definitions for w in d.says}:
                self._said[term.game][word] += 1
        self._all = sum((Counter(c) for c in self._said.values()), Counter[str]())
        defined = sum(1 for term in terms.values() if term.definitions)
        self._common = max(_FEW, defined / _COMMON)
        self._holders: Counter[tuple[str, str]] = Counter(
            (term.game, name) for term in terms.values() for name in term.main
        )
        self._named: dict[tuple[str, str], list[str]] = defaultdict(list)
        for term in terms.values():
            for word in sorted(term.words):
                self._named[term.game, word].append(term.id)

    def __call__(self, a: _Term, b: _Term) -> _Judged | None:
        agreed, one, other = self._agreement(a, b)
        main = sorted(a.main & b.main)
        japanese = sorted(set(a.japanese) & set(b.japanese))
        english = sorted(set(a.english) & set(b.english))
        shown = [n for n in japanese if n in a.main or n in b.main] or japanese
        names = [a.japanese[n] for n in shown] + [a.english[n] for n in english]
        basis = f"both are called {' and '.join(names)}" if names else "their names are alike"
        clear = [word for word in agreed if self._all[word] <= self._common]
        if agreed:
            basis += f"; both definitions speak of {', '.join(agreed)}"
        if japanese and len(clear) + bool(english) > 1 and clear:
            return _Judged("exact", basis, one, names)
        if (main and clear) or len(agreed) > 1:
            return _Judged("close", basis, one, names)
        if main and all(self._holders[t.game, n] == 1 for t in (a, b) for n in main):
            compared = one.lang == other.lang and not agreed
            if len(_parts(a.japanese[main[0]], self._words)) > 1 and not compared:
                return _Judged("close", f"{basis}, a name that says what it is", one, names)
            if self._basic(a, b) and _done(a.japanese[main[0]], self._words) is not True:
                return _Judged("close", f"{basis}, by which both games define others", one, names)
        return None

    def _agreement(self, a: _Term, b: _Term) -> tuple[list[str], _Definition, _Definition]:
        """What two definitions both speak of beside the names, and which two that do most."""
        own = a.words | b.words
        names = [_stems(name) for name in (*a.english.values(), *b.english.values())]
        stems = tuple(name[0] for name in names if len(name) == 1 and name[0][3:])
        best = max(
            product(a.definitions, b.definitions),
            key=lambda pair: len((pair[0].says & pair[1].says) - own),
        )
        agreed = (best[0].says & best[1].says) - own
        return sorted(w for w in agreed if not (stems and w.startswith(stems))), *best

    def _basic(self, a: _Term, b: _Term) -> bool:
        """Whether each game defines others of its terms by this one."""
        return all(any(self._said[t.game][word] > any(word in d.says for d in t.definitions)
                       for word in t.words) for t in (a, b))  # fmt: skip

    def over_a_third(
        self, exact: set[tuple[str, str]]
    ) -> Iterator[tuple[tuple[str, str], _Judged]]:
        """Terms that are exactly one with the same third, and speak of the same as each other."""
        beside: dict[str, set[str]] = defaultdict(set)
        for one, other in exact:
            beside[one].add(other)
            beside[other].add(one)
        for third in sorted(beside):
            for pair in combinations(sorted(beside[third]), 2):
                a, b = (self._terms[node] for node in pair)
                agreed, at, _ = self._agreement(a, b)
                if a.game != b.game and pair not in exact and len(agreed) > 1:
                    basis = (
                        f"both are one with {_label(self._terms[third])} of {_game(third)}; "
                        f"both definitions speak of {', '.join(agreed)}"
                    )
                    yield pair, _Judged("exact", basis, at, [*a.japanese.values()])

    def counterparts(
        self, exact: Iterable[tuple[str, str]]
    ) -> Iterator[tuple[tuple[str, str], _Judged]]:
        """Terms that stand for each other in two definitions of one concept: all else that the
        two speak of is the same."""
        for pair in exact:
            a, b = (self._terms[node] for node in pair)
            for one, other in product(a.definitions, b.definitions):
                same = (one.first & other.first) - a.words - b.words
                left = self._terms_in(a, one.first - other.first - b.words)
                right = self._terms_in(b, other.first - one.first - a.words)
                if len(same) < 2 or len(left) != 1 or len(right) != 1:
                    continue
                mine, theirs = left[0], right[0]
                basis = (
                    f"{_label(self._terms[mine])} and {_label(self._terms[theirs])} are the terms "
                    f"by which the definitions of {_label(a)} and {_label(b)} differ"
                )
                at = one if mine < theirs else other
                names = [*self._terms[min(mine, theirs)].japanese.values()]
                yield (min(mine, theirs), max(mine, theirs)), _Judged("close", basis, at, names)

    def _terms_in(self, term: _Term, said: frozenset[str]) -> list[str]:
        """The other terms of its game that these words are, and that name a thing."""
        nodes = (self._named.get((term.game, word), []) for word in said - term.words)
        found = {node for group in nodes for node in group}
        return sorted(node for node in found if self._names_thing(self._terms[node]))

    def _names_thing(self, term: _Term) -> bool:
        """Whether a term's name is a noun: not 加える, and not 自分."""
        parts = [self._words.tokenize(term.japanese[name]) for name in sorted(term.main)]
        kinds = {morphemes[-1].part_of_speech()[0] for morphemes in parts if len(morphemes)}
        return not kinds & {"動詞", "代名詞"}


def _label(term: _Term) -> str:
    return term.id.partition("/term/")[2]


def _want(terms: Mapping[str, _Term], pair: tuple[str, str], judged: _Judged) -> Want:
    source, target = pair
    at = judged.at
    start, end = 0, at.end
    for name in sorted(judged.names, key=len, reverse=True):
        if (place := at.text.find(name)) >= 0:
            start, end = place, place + len(name)
            break
    details = {"relation": judged.relation, "basis": judged.basis}
    return Want(
        "same_concept", source, target, _label(terms[target]), at.passage, start, end, "", details
    )
