"""Collects the names and definitions of terms, with the content words of each definition."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from graphs.writing.labels import DefiningPassage, NodeName
from kb.extract.glossary import is_action
from kb.extract.terms import game_of
from kb.language.definition_sentences import defining_part
from kb.language.fold import fold
from kb.language.tokens import Tokenizer
from kb.resolve.definition_words import (
    ContentWordExtractor,
    canonical_names,
    content_word_extractor,
)

_LEAD = re.compile(r"^[「『]?([^、。]{1,40}?)[」』]?(?=とは|は、|[/／(（])")
_SENTENCE_END = {True: re.compile("。"), False: re.compile(r"(?<=[a-z)”\"])\.(?=\s|$)")}
_RULE_CITED = re.compile(r"\s*See (?:also )?(?:rules?|section) .*", re.DOTALL)
_EXTRACTOR = ""  # the key of the extractor in packed definitions; no term has this id


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
        """Return the content words of a definition's first sentence."""
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
    """Return all terms with their definitions; no terms if all are of one game.

    names: every name of every node; those of nodes other than terms are ignored.
    passages: the passages that may define the terms.
    """
    by_node: dict[str, list[NodeName]] = defaultdict(list)
    for name in sorted(set(names), key=lambda n: (n.node, n.lang, n.role, n.text)):
        if "/term/" in name.node and name.folded:
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
    """Return {id of a term: the passages that may define it}.

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
    """The definitions of a term.

    passages: those that may define it, in order.
    names: its Japanese names, folded.
    extractor: called with the text of a definition and its language; returns its content words.
    """
    return tuple(
        Definition(
            p.passage, p.lang, p.text, end, _end(p, sentences=1), extractor(p.text[:end], p.lang)
        )
        for p, end in _select_definitions(passages, names)
    )


def _select_definitions(
    passages: Iterable[DefiningPassage], names: Collection[str]
) -> Iterator[tuple[DefiningPassage, int]]:
    """The passages that define a term, and where in their texts the definition ends.

    passages: those that may define it, in order.
    names: its Japanese names, folded.

    These are all that are sure to, and one of those that follow the term's heading: the first
    that begins with the name, or else the first that contains a sentence and does not only announce
    a definition or refer to one.
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
    """Whether a passage says more than where something is explained."""
    return defining_part(passage.text, passage.lang) is not None


def _end(passage: DefiningPassage, sentences: int = 2) -> int:
    """Where the first sentences of a passage end; a reference to a rule at its end is left out.

    A definition is the first two sentences. If there are fewer, that is the end of the text
    (without the reference).
    """
    text = passage.text if passage.lang == "ja" else _RULE_CITED.sub("", passage.text)
    ends = [match.end() for match in _SENTENCE_END[passage.lang == "ja"].finditer(text)]
    return ends[sentences - 1] if len(ends) >= sentences else len(text)
