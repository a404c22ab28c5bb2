"""Collects the names and definitions of terms, with the content words of each definition."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from graphs.model import kind_of_id
from graphs.writing.names_and_merges import DefiningPassage, NodeName
from kb.knowledge.glossary import is_action
from kb.knowledge.names.mentions import NameLinker, search_keys
from kb.knowledge.page_subject import game_of
from kb.language.fold import fold
from kb.language.sentences import defining_part, sentences
from kb.language.tokens import Tokenizer, stem

# What a definition begins with, if it has the term's name there: a name has 40 characters at most.
_LEAD = re.compile(r"^[「『]?([^、。]{1,40}?)[」』]?(?=とは|は、|[/／(（])")
_RULE_CITED = re.compile(r"\s*See (?:also )?(?:rules?|section) .*", re.DOTALL)
_EXTRACTOR = ""  # the key of the extractor in packed definitions; no term has this id
_ENGLISH_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_MEANINGFUL = re.compile(r"[^\W\d_]{2}|[一-鿿]")
# Words in an English name that is found in definitions. By hand: terms of rules seldom have more
# (`state-based actions` is two words); longer ones are read word by word.
_MAX_NAME_WORDS = 5
_STOP_WORDS = frozenset(
    "こと もの とき 場合 事 物 為る 有る 居る 成る 行う 際 時 為 一つ 一 又 其の 此の 言う 指す "
    "ゲーム".split()
)

_Key = tuple[str, str]  # language and folded name


class ContentWordExtractor:
    """Extracts the content words of texts, in which any name of a term has its canonical form.

    With canonical names, texts in different languages share the words for the terms that they
    name.

    names: for each Japanese name and way to find it: (canonical form, search key).
    english: the canonical forms of English names, by the names' stems.
    """

    def __init__(
        self,
        names: Iterable[tuple[str, str]],
        english: Mapping[tuple[str, ...], str],
        tokenizer: Tokenizer,
    ) -> None:
        self._names = frozenset(names)
        self._english = english
        self._tokenizer = tokenizer

    @cached_property
    def _linker(self) -> NameLinker:
        return NameLinker(self._names)

    def __call__(self, text: str, lang: str) -> frozenset[str]:
        """Return the content words of a text, each once: canonical names, else normal forms or
        stems, without words that say nothing (`_STOP_WORDS`) and short ones (in English, stems of
        four letters or fewer).

        lang: `en`; a text in any other language is read as Japanese.
        """
        words = self._english_words(text) if lang == "en" else self._japanese_words(text)
        return frozenset(word for word in words if word not in _STOP_WORDS)

    def packed(self) -> str:
        """Return this extractor's names as JSON, for the cache: sorted, so that equal ones are the
        same text."""
        return json.dumps([sorted(self._names), sorted(self._english.items())], ensure_ascii=False)

    @staticmethod
    def unpacked(packed: str, tokenizer: Tokenizer) -> ContentWordExtractor:
        """Return the extractor that was `packed`; raises ValueError for what is no JSON."""
        names, english = json.loads(packed)
        return ContentWordExtractor(
            map(tuple, names), {tuple(stems): word for stems, word in english}, tokenizer
        )

    def _japanese_words(self, text: str) -> Iterator[str]:
        entries, starts = self._tokenizer.entries(text)
        covered: set[int] = set()  # the characters that belong to names
        for match in self._linker.mentions(entries, starts):
            yield from match.terms  # here, canonical forms
            covered.update(range(match.start, match.end))
        for entry, start in zip(entries, starts, strict=False):  # the last start is the end
            if not entry.function and _MEANINGFUL.match(entry.normal) and start not in covered:
                yield entry.normal

    def _english_words(self, text: str) -> Iterator[str]:
        stems = english_stems(text)
        position = 0
        while position < len(stems):
            for length in range(min(_MAX_NAME_WORDS, len(stems) - position), 0, -1):
                name = self._english.get(stems[position : position + length])
                if name is not None:
                    yield name
                    position += length
                    break
            else:
                if len(stems[position]) > 4:
                    yield stems[position]
                position += 1


def content_word_extractor(
    names: Mapping[str, list[NodeName]], canonical: Mapping[_Key, str], tokenizer: Tokenizer
) -> ContentWordExtractor:
    """Return an extractor for texts about some terms.

    names: the names of each term, by the term's id.
    canonical: {(language, folded name): canonical form} for all these names, from
        `canonical_names`.
    """
    distinct = {(n.lang, n.role, n.folded, n.text) for group in names.values() for n in group}
    japanese = (
        (canonical[lang, folded], key)
        for lang, role, folded, text in distinct
        if lang == "ja" and role != "reading" and _is_word(text, tokenizer)
        for key in search_keys(text, tokenizer)
    )
    english = {
        english_stems(text): canonical[lang, folded]
        for lang, _, folded, text in sorted(distinct)
        if lang == "en"
    }
    return ContentWordExtractor(japanese, english, tokenizer)


def _is_word(name: str, tokenizer: Tokenizer) -> bool:
    """Whether a name is not a phrase (`the top of the pile`), the words of which are found
    separately.

    False also for names in ASCII and names of one character. A phrase is a name with a function
    word in it.
    """
    return (
        not name.isascii()
        and len(name) > 1
        and not any(token.entry.function for token in tokenizer(name))
    )


def english_stems(text: str) -> tuple[str, ...]:
    """Return the stems of the English words of a text, in order.

    >>> english_stems("Drawn cards")
    ('drawn', 'card')
    """
    return tuple(map(stem, _ENGLISH_WORD.findall(text.casefold())))


def as_written(words: Iterable[str], text: str) -> list[str]:
    """Return content words in their order, of which stems are replaced by the first word of a text
    that has them, in lower case; others as they are.

    >>> as_written(["whenev", "能力"], "Whenever it is drawn, a 能力 triggers.")
    ['whenever', '能力']
    """
    written = {stem(word): word for word in reversed(_ENGLISH_WORD.findall(text.casefold()))}
    return [written.get(word, word) for word in words]


def canonical_names(names: Mapping[str, list[NodeName]]) -> dict[_Key, str]:
    """Return {(language, folded name): canonical form} for all names, sorted by key.

    names: the names of each term, by the term's id. All names of a term have one canonical form,
    and so have all names of terms of different games that share a name. The form is a Japanese
    name that is not a reading, if there is one. Names that several terms of one game share are
    left out of this: they connect nothing, and each is its own canonical form. The forms are as
    written, not folded.

    >>> names = {
    ...     "g/term/引く": [
    ...         NodeName("g/term/引く", "ja", "preferred", "引く", "引く"),
    ...         NodeName("g/term/引く", "en", "preferred", "draw", "Draw"),
    ...     ]
    ... }
    >>> canonical_names(names)
    {('en', 'draw'): '引く', ('ja', '引く'): '引く'}
    """
    holders: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for node, group in names.items():
        for name in group:
            holders[game_of(node), name.lang, name.folded].add(node)
    parents: dict[_Key, _Key] = {}  # a union-find forest

    def root(key: _Key) -> _Key:
        while (parent := parents.setdefault(key, key)) != key:
            parents[key] = parents[parent]
            key = parents[key]
        return key

    texts: dict[_Key, str] = {}
    readings: set[_Key] = set()
    for node, group in names.items():
        keys = [(name.lang, name.folded) for name in group]
        for name in group:
            key = (name.lang, name.folded)
            texts[key] = min(texts.get(key, name.text), name.text)
            if name.role == "reading":
                readings.add(key)
            root(key)
        unshared = [key for key in keys if len(holders[game_of(node), *key]) == 1]
        for one, other in pairwise(unshared):
            first, second = sorted(
                (root(one), root(other)), key=lambda key: (key[0] != "ja", key in readings, key)
            )
            parents[second] = first
    return {key: texts[root(key)] for key in sorted(texts)}


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition of a term.

    passage: the passage's id.
    lang: its language.
    text: its text, of which text[:end] is the definition and text[:first] its first sentence.
    words: the content words of text[:end].
    """

    passage: str
    lang: str
    text: str
    end: int
    first: int
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class DefinedTerm:
    """A term with its names and definitions.

    japanese, english: its names in the language, as they are written, by their folded forms.
    preferred: the preferred Japanese names, folded.
    canonical: the canonical forms of all its names (see `definition_words.canonical_names`).
    compounds: for each preferred name that is a compound of several nouns, the nouns.
    definitions: empty if no passage defines it.
    """

    id: str
    game: str
    japanese: Mapping[str, str]
    english: Mapping[str, str]
    preferred: frozenset[str]
    canonical: frozenset[str]
    compounds: frozenset[tuple[str, ...]]
    definitions: tuple[Definition, ...]


def action_test(
    names: Iterable[NodeName], passages: Iterable[DefiningPassage], tokenizer: Tokenizer
) -> Callable[[str], bool | None]:
    """Return a test of whether a term, given by its id, is something done.

    It goes by the term's Japanese name (see `names_action`), else by its English gloss, and
    returns None if neither decides.

    names: names of any nodes; only the preferred Japanese ones count.
    passages: those that may define the terms; only English ones that are sure to count.

    >>> from kb.language.tokens import tokenizer
    >>> names = [NodeName("g/term/積む", "ja", "preferred", "積む", "積む"),
    ...          NodeName("g/term/Stack (2)", "en", "preferred", "stack", "Stack")]
    >>> gloss = DefiningPassage("g/term/Stack (2)", "en", "p", "2. A place for spells.", True)
    >>> acts = action_test(names, [gloss], tokenizer())
    >>> acts("g/term/積む"), acts("g/term/Stack (2)"), acts("g/term/?")
    (True, False, None)
    """
    preferred: dict[str, str] = {}
    for name in sorted(set(names), key=lambda n: (n.node, n.text)):
        if name.lang == "ja" and name.role == "preferred":
            preferred.setdefault(name.node, name.text)
    glosses: dict[str, str] = {}
    for passage in sorted(set(passages), key=lambda p: (p.node, p.passage)):
        if passage.lang == "en" and passage.sure:
            glosses.setdefault(passage.node, passage.text)

    def acts(node: str) -> bool | None:
        if node in preferred:
            return names_action(preferred[node], tokenizer)
        return is_action(glosses[node]) if node in glosses else None

    return acts


def names_action(name: str, tokenizer: Tokenizer) -> bool | None:
    """Return whether a Japanese name is that of something done.

    True for a verb, False for a plain noun, and None for a noun that する makes a verb (破壊), or
    for an empty name. The last word decides.

    >>> from kb.language.tokens import tokenizer
    >>> [names_action(name, tokenizer()) for name in ("引く", "墓地", "破壊")]
    [True, False, None]
    """
    morphemes = list(tokenizer.tokenize(name))
    if not morphemes:
        return None
    part_of_speech = morphemes[-1].part_of_speech()
    if part_of_speech[0] == "動詞":
        return True
    return None if part_of_speech[2] == "サ変可能" else False


@dataclass(frozen=True, slots=True)
class TermDefinitions:
    """All terms with their definitions.

    terms: the terms by their ids.
    content_words: the extractor that was used; it knows the names of all terms.
    """

    terms: Mapping[str, DefinedTerm]
    content_words: ContentWordExtractor

    def first_sentence_words(self, definition: Definition) -> frozenset[str]:
        """Return the content words of a definition's first sentence; they may be none."""
        return self.content_words(definition.text[: definition.first], definition.lang)

    def redefined(
        self, nodes: Collection[str], passages: Iterable[DefiningPassage]
    ) -> TermDefinitions:
        """Return a copy in which some terms have new definitions.

        nodes: the ids of these terms, whose names must be unchanged; unknown ids are ignored.
        passages: all passages that may define them now; without any, a term has no definition.
        """
        by_term = _by_term(passages)
        terms = dict(self.terms)
        for node in terms.keys() & nodes:
            names = terms[node].japanese.keys()
            definitions = _definitions(by_term[node], names, self.content_words)
            terms[node] = replace(terms[node], definitions=definitions)
        return TermDefinitions(terms, self.content_words)

    def packed(self, nodes: Collection[str] | None = None) -> dict[str, str]:
        """Return JSON for the cache, by the ids of terms, for `unpacked`.

        nodes: the ids of the terms to pack, to update a cache (unknown ids are ignored); if None,
            all terms, and the extractor too, under an empty key.
        """
        if nodes is not None:
            return {node: _packed(self.terms[node]) for node in self.terms.keys() & nodes}
        terms = {node: _packed(term) for node, term in self.terms.items()}
        return {_EXTRACTOR: self.content_words.packed()} | terms

    @staticmethod
    def unpacked(packed: Mapping[str, str], tokenizer: Tokenizer) -> TermDefinitions:
        """Return the definitions that were `packed`.

        packed: a whole cache, with the extractor under its empty key (else KeyError).
        """
        terms_json = ",".join(packed[node] for node in sorted(packed) if node != _EXTRACTOR)
        terms = {row[0]: _unpacked(*row) for row in json.loads(f"[{terms_json}]")}
        extractor = ContentWordExtractor.unpacked(packed[_EXTRACTOR], tokenizer)
        return TermDefinitions(terms, extractor)


def _packed(term: DefinedTerm) -> str:
    """A term as a JSON array: the arguments of `_unpacked`."""
    sets = sorted(term.preferred), sorted(term.canonical), sorted(term.compounds)
    definitions = [
        [d.passage, d.lang, d.text, d.end, d.first, sorted(d.words)] for d in term.definitions
    ]
    return json.dumps(
        [term.id, term.game, term.japanese, term.english, *sets, definitions], ensure_ascii=False
    )


def _unpacked(
    node: str,
    game: str,
    japanese: dict[str, str],
    english: dict[str, str],
    preferred: list[str],
    canonical: list[str],
    compounds: list[list[str]],
    definitions: list[list[Any]],
) -> DefinedTerm:
    return DefinedTerm(
        node,
        game,
        japanese,
        english,
        frozenset(preferred),
        frozenset(canonical),
        frozenset(map(tuple, compounds)),
        tuple(
            Definition(passage, lang, text, end, first, frozenset(words))
            for passage, lang, text, end, first, words in definitions
        ),
    )


def term_definitions(
    names: Iterable[NodeName], passages: Iterable[DefiningPassage], tokenizer: Tokenizer
) -> TermDefinitions:
    """Return all terms with their definitions; no terms if all are of one game, as only terms of
    different games are compared.

    names: every name of every node; those of nodes other than terms are ignored.
    passages: the passages that may define the terms.
    """
    by_node: dict[str, list[NodeName]] = defaultdict(list)
    for name in sorted(set(names), key=lambda n: (n.node, n.lang, n.role, n.text)):
        if kind_of_id(name.node) == "term" and name.folded:
            by_node[name.node].append(name)
    if len({game_of(node) for node in by_node}) < 2:
        return TermDefinitions({}, ContentWordExtractor((), {}, tokenizer))
    canonical = canonical_names(by_node)
    content_words = content_word_extractor(by_node, canonical, tokenizer)
    passages_by_term = _by_term(passages)
    terms: dict[str, DefinedTerm] = {}
    for node, group in by_node.items():
        japanese = {n.folded: n.text for n in group if n.lang == "ja"}
        preferred = frozenset(n.folded for n in group if n.lang == "ja" and n.role == "preferred")
        parts = frozenset(name_parts(japanese[name], tokenizer) for name in preferred)
        terms[node] = DefinedTerm(
            node,
            game_of(node),
            japanese,
            {n.folded: n.text for n in group if n.lang == "en"},
            preferred,
            frozenset(canonical[n.lang, n.folded] for n in group),
            frozenset(nouns for nouns in parts if len(nouns) > 1),
            _definitions(passages_by_term[node], japanese.keys(), content_words),
        )
    return TermDefinitions(terms, content_words)


def _by_term(passages: Iterable[DefiningPassage]) -> dict[str, list[DefiningPassage]]:
    """Return {id of a term: the passages that may define it}; an empty list for any other id.

    Terms and their passages are sorted by their ids, and no passage occurs twice for a term.
    """
    by_term: dict[str, list[DefiningPassage]] = defaultdict(list)
    for passage in sorted(set(passages), key=lambda p: (p.node, p.passage)):
        by_term[passage.node].append(passage)
    return by_term


def name_parts(name: str, tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return the nouns that a name is a compound of, without suffixes between them.

    The result has one item for a simple noun, and is empty for a name that isn't made of nouns.

    >>> from kb.language.tokens import tokenizer
    >>> name_parts("起動型能力", tokenizer()), name_parts("起動する", tokenizer())
    (('起動', '能力'), ())
    """
    morphemes = [m for m in tokenizer.tokenize(name) if m.part_of_speech()[0] != "補助記号"]
    kinds = [m.part_of_speech()[0] for m in morphemes]
    if not kinds or kinds[-1] == "接頭辞" or set(kinds) - {"名詞", "接尾辞", "接頭辞"}:
        return ()
    last = len(kinds) - 1
    return tuple(
        m.surface()
        for place, m in enumerate(morphemes)
        if kinds[place] != "接尾辞" or place == last
    )


def defining_passages(
    names: Iterable[NodeName], passages: Iterable[DefiningPassage]
) -> set[tuple[str, str, str, str]]:
    """Return those passages that do define terms, as (term, language, passage, text).

    The term and the passage are ids; the text is the passage's whole text.

    names: the names of the terms, of which only the Japanese ones count.
    passages: those that may define the terms.
    """
    japanese: dict[str, set[str]] = defaultdict(set)
    for name in names:
        if name.lang == "ja":
            japanese[name.node].add(name.folded)
    return {
        (node, passage.lang, passage.passage, passage.text)
        for node, candidates in _by_term(passages).items()
        for passage, _ in _select_definitions(candidates, japanese[node])
    }


def _definitions(
    passages: Iterable[DefiningPassage], names: Collection[str], extractor: ContentWordExtractor
) -> tuple[Definition, ...]:
    """The definitions of a term, those that are sure first, else in the order given.

    passages: those that may define it, in order.
    names: its Japanese names, folded.
    extractor: called with the text of a definition and its language; returns its content words.
    """
    return tuple(
        Definition(p.passage, p.lang, p.text, end, _end(p, 1), extractor(p.text[:end], p.lang))
        for p, end in _select_definitions(passages, names)
    )


def _select_definitions(
    passages: Iterable[DefiningPassage], names: Collection[str]
) -> Iterator[tuple[DefiningPassage, int]]:
    """The passages that define a term, and where in their texts the definition ends.

    passages: those that may define it, in order.
    names: its Japanese names, folded.

    These are all that are sure to, and behind them one of those that follow the term's heading and
    have a `。`, no tab, and do not only announce a definition or refer to one: the first that
    begins with the name, or else the first.
    """
    openings = []
    for passage in passages:
        if passage.sure:
            yield passage, _end(passage)
        elif "。" in passage.text and "\t" not in passage.text and _defines(passage):
            openings.append(passage)
    named = [p for p in openings if (lead := _LEAD.match(p.text)) and fold(lead[1]) in names]
    for passage in (named or openings)[:1]:
        yield passage, _end(passage)


def _defines(passage: DefiningPassage) -> bool:
    """Whether a passage says more than where something is explained (see `defining_part`)."""
    return defining_part(passage.text, passage.lang) is not None


def _end(passage: DefiningPassage, number: int = 2) -> int:
    """Where the first `number` sentences of a passage end; in a text that is not Japanese, what
    follows from `See rule …` on is left out.

    A definition is the first two sentences: those behind them are rules and advice. If there are
    fewer, that is the end of the text (without the reference).
    """
    text = passage.text if passage.lang == "ja" else _RULE_CITED.sub("", passage.text)
    ends = [end for _, end in sentences(text, passage.lang)]
    return ends[number - 1] if len(ends) >= number else len(text)
