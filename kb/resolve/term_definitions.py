"""What terms mean, as their definitions say: the words that count, in any language alike."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from graphs.build.labels import DefiningPassage, NodeName
from kb.extract.glossary import is_action
from kb.extract.terms import game_of
from kb.language.fold import fold
from kb.language.tokens import Tokenizer
from kb.resolve.content_words import ContentWords, canonical_names, content_words

_LEAD = re.compile(r"^[「『]?([^、。]{1,40}?)[」』]?(?=とは|は、|[/／(（])")
_SENTENCE_END = {True: re.compile("。"), False: re.compile(r"(?<=[a-z)”\"])\.(?=\s|$)")}
_RULE_CITED = re.compile(r"\s*See (?:also )?(?:rules?|section) .*", re.DOTALL)
_NAMES = ""  # no id of a term


@dataclass(frozen=True, slots=True)
class Definition:
    """What one passage says of a term: the words that count in text[:end]; its first sentence
    is text[:first]."""

    passage: str
    lang: str
    text: str
    end: int
    first: int
    says: frozenset[str]


@dataclass(frozen=True, slots=True)
class DefinedTerm:
    """A term with its names, folded, by language; `main` are the preferred Japanese ones, `parts`
    the nouns that such a name is put together of, if they are several."""

    id: str
    game: str
    japanese: Mapping[str, str]
    english: Mapping[str, str]
    main: frozenset[str]
    words: frozenset[str]
    parts: frozenset[tuple[str, ...]]
    definitions: tuple[Definition, ...]


def action_test(
    named: Iterable[NodeName], defined: Iterable[DefiningPassage], words: Tokenizer
) -> Callable[[str], bool | None]:
    """Tells whether a term is something done, as far as its name or its gloss says: a verb is,
    a plain noun is not, and a noun that can be done (破壊する) may be either.

    >>> from kb.language.tokens import tokenizer
    >>> named = [NodeName("g/term/積む", "ja", "preferred", "積む", "積む"),
    ...          NodeName("g/term/Stack (2)", "en", "preferred", "stack", "Stack")]
    >>> defined = [DefiningPassage("g/term/Stack (2)", "en", "p", "2. A place for spells.", True)]
    >>> acts = action_test(named, defined, tokenizer())
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
            return names_action(known[node], words)
        return is_action(glosses[node]) if node in glosses else None

    return acts


def names_action(name: str, words: Tokenizer) -> bool | None:
    """Whether a name is of something done: a verb is, a plain noun is not; None of a noun that
    can be done."""
    morphemes = list(words.tokenize(name))
    if not morphemes:
        return None
    part = morphemes[-1].part_of_speech()
    if part[0] == "動詞":
        return True
    return None if part[2] == "サ変可能" else False


@dataclass(frozen=True, slots=True)
class TermDefinitions:
    """The terms by their ids, with what their definitions say; and what tells that of a text."""

    terms: Mapping[str, DefinedTerm]
    says: ContentWords

    def first(self, definition: Definition) -> frozenset[str]:
        """What the first sentence of a definition says."""
        return self.says(definition.text[: definition.first], definition.lang)

    def redefined(
        self, nodes: Collection[str], defined: Iterable[DefiningPassage]
    ) -> TermDefinitions:
        """The same with other definitions of some terms, all of which have the names they had."""
        passages = _by_term(defined)
        terms = dict(self.terms)
        for node in terms.keys() & nodes:
            found = _definitions(passages[node], terms[node].japanese.keys(), self.says)
            terms[node] = replace(terms[node], definitions=found)
        return TermDefinitions(terms, self.says)

    def packed(self, of: Collection[str] | None = None) -> dict[str, str]:
        """As texts that can be kept, by the ids of terms; of some of them only, if so asked, which
        can take the place of what was kept of them."""
        if of is not None:
            return {node: _packed(self.terms[node]) for node in self.terms.keys() & of}
        return {_NAMES: self.says.packed()} | {n: _packed(term) for n, term in self.terms.items()}

    @staticmethod
    def unpacked(kept: Mapping[str, str], words: Tokenizer) -> TermDefinitions:
        """What was `packed`."""
        rows = json.loads(f"[{','.join(kept[node] for node in sorted(kept) if node != _NAMES)}]")
        terms = {row[0]: _unpacked(*row) for row in rows}
        return TermDefinitions(terms, ContentWords.unpacked(kept[_NAMES], words))


def _packed(t: DefinedTerm) -> str:
    sets = sorted(t.main), sorted(t.words), sorted(t.parts)
    definitions = [
        [d.passage, d.lang, d.text, d.end, d.first, sorted(d.says)] for d in t.definitions
    ]
    return json.dumps([t.id, t.game, t.japanese, t.english, *sets, definitions], ensure_ascii=False)


def _unpacked(
    node: str,
    game: str,
    japanese: dict[str, str],
    english: dict[str, str],
    main: list[str],
    words: list[str],
    parts: list[list[str]],
    definitions: list[list[Any]],
) -> DefinedTerm:
    defined = tuple(
        Definition(passage, lang, text, end, first, frozenset(says))
        for passage, lang, text, end, first, says in definitions
    )
    return DefinedTerm(
        node,
        game,
        japanese,
        english,
        frozenset(main),
        frozenset(words),
        frozenset(map(tuple, parts)),
        defined,
    )


def term_definitions(
    named: Iterable[NodeName], defined: Iterable[DefiningPassage], words: Tokenizer
) -> TermDefinitions:
    """What terms mean; no terms, if all are of one game.

    named: every name of every node; defined: the passages that may define them.
    """
    names: dict[str, list[NodeName]] = defaultdict(list)
    for name in sorted(set(named), key=lambda n: (n.node, n.lang, n.role, n.text)):
        if "/term/" in name.node and name.folded:
            names[name.node].append(name)
    if len({game_of(node) for node in names}) < 2:
        return TermDefinitions({}, ContentWords((), {}, words))
    word = canonical_names(names)
    says = content_words(names, word, words)
    passages = _by_term(defined)
    terms: dict[str, DefinedTerm] = {}
    for node, own in names.items():
        japanese = {n.folded: n.text for n in own if n.lang == "ja"}
        main = frozenset(n.folded for n in own if n.lang == "ja" and n.role == "preferred")
        parts = frozenset(name_parts(japanese[name], words) for name in main)
        terms[node] = DefinedTerm(
            node,
            game_of(node),
            japanese,
            {n.folded: n.text for n in own if n.lang == "en"},
            main,
            frozenset(word[n.lang, n.folded] for n in own),
            frozenset(nouns for nouns in parts if len(nouns) > 1),
            _definitions(passages[node], japanese.keys(), says),
        )
    return TermDefinitions(terms, says)


def _by_term(defined: Iterable[DefiningPassage]) -> dict[str, list[DefiningPassage]]:
    passages: dict[str, list[DefiningPassage]] = defaultdict(list)
    for one in sorted(set(defined), key=lambda d: (d.node, d.passage)):
        passages[one.node].append(one)
    return passages


def name_parts(name: str, words: Tokenizer) -> tuple[str, ...]:
    """The nouns that a name is put together of; a suffix between them counts for nothing. None
    if it is no such name.

    >>> from kb.language.tokens import tokenizer
    >>> name_parts("起動型能力", tokenizer()), name_parts("起動する", tokenizer())
    (('起動', '能力'), ())
    """
    morphemes = [m for m in words.tokenize(name) if m.part_of_speech()[0] != "補助記号"]
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
    named: Iterable[NodeName], defined: Iterable[DefiningPassage]
) -> set[tuple[str, str, str, str]]:
    """The passages that define terms, of those that may: (term, language, passage, text)."""
    names: dict[str, set[str]] = defaultdict(set)
    for name in named:
        if name.lang == "ja":
            names[name.node].add(name.folded)
    return {
        (node, one.lang, one.passage, one.text)
        for node, found in _by_term(defined).items()
        for one, _ in _defining(found, names[node])
    }


def _definitions(
    found: Iterable[DefiningPassage], names: Collection[str], says: ContentWords
) -> tuple[Definition, ...]:
    return tuple(
        Definition(d.passage, d.lang, d.text, end, _end(d, 1), says(d.text[:end], d.lang))
        for d, end in _defining(found, names)
    )


def _defining(
    found: Iterable[DefiningPassage], names: Collection[str]
) -> Iterator[tuple[DefiningPassage, int]]:
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


def _end(one: DefiningPassage, sentences: int = 2) -> int:
    """A definition is the first two sentences; what it cites is none of it."""
    text = one.text if one.lang == "ja" else _RULE_CITED.sub("", one.text)
    ends = [found.end() for found in _SENTENCE_END[one.lang == "ja"].finditer(text)]
    return ends[sentences - 1] if len(ends) >= sentences else len(text)
