"""Gathers what the pages say of a term or card: definitions, spellings, mentions, cited rules.

A term is defined on its own pages and in the glossaries of rulebooks. Readings of its names are
also taken from other terms that are written so.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from unicodedata import normalize

from graphs.model import Edge, Evidence, Node
from graphs.sort_orders import edition_key
from graphs.store.reader import Store
from graphs.store.references import (
    MentionedWords,
    count_mentions,
    count_rulings,
    mentioned_words,
)
from graphs.store.titles import page_name
from kb.language.fold import fold
from kb.language.sentences import announces_own_page, defining_part, stands_for_other_page
from kb.language.typography import fold_typography
from kb.query.lookup.preferred_names import authority_of
from kb.query.show.rule_context import RuleName, cited_rules

# A number before a text, 4.2.3.1., which must end with a sign: 4 cards has none. The bounds keep
# the pattern linear; no number of a rule has so many digits or levels.
_NUMBER_BEFORE = re.compile(r"^\s*[0-9]{1,4}(?:[.-][0-9a-z]{1,4}){0,8}[.)]\s")
_NO_WORDS = re.compile(r"[\W_]+")
# By hand. Passages after a title or heading in which a page says what it is about: fewer miss
# definitions behind a picture's caption or a menu, more take what is said of something else.
_OPENING = 4
# Passages of a page among which its first text is looked for: some more, as those that only
# announce do not count.
_MOST_OPENING = 6
_MAX_READ_AFTER = (
    10  # passages after it that are read; those that only announce do not count as opening
)
_MAX_PAGES = 5  # of a term whose openings are read: a bound; most terms have one of their own


@dataclass(frozen=True, slots=True)
class TermDefinition:
    """A text that defines a term.

    evidence: the part of a passage that defines it, without sentences that only announce a
        definition or refer to one.
    lang: the language of the text.
    edition: the newest edition of the rulebook that has it; None for a page of a wiki.
    same_in: older editions that have the same text, newest first.
    page, url: the label and the URL of the page that it stands on; None if it has none.
    """

    evidence: Evidence
    lang: str | None
    edition: str | None
    same_in: tuple[str, ...] = ()
    page: str | None = None
    url: str | None = None

    @property
    def authority(self) -> str:
        """Who gives the definition, for people to read: `COMPREHENSIVE RULES (20260709)`."""
        return authority_of(self.page, self.edition, self.evidence.page.partition("/")[0])


def find_definitions(store: Store, term: Node) -> tuple[TermDefinition, ...]:
    """Return the texts that define a term, the best first: those on its own pages, then the entries
    of glossaries, Japanese before other languages, newer editions before older ones.

    Of the first passages after the title or heading of a page or section, the first counts that
    has a sentence and defines something (`kb.language.sentences`). A row of a list of
    names defines nothing. Texts that differ only in signs, or in a number before
    them, are one, whatever their source. A term that nothing else defines is
    defined by the rule of its game that is headed so, if there is one: by its own text, or by that
    of its first sub-rule. Empty if nothing defines the term.
    """
    return definitions_of(store, [term])[term.id] or tuple(_rules_headed_so(store, term))


def _rules_headed_so(store: Store, term: Node) -> Iterator[TermDefinition]:
    """Yield for each language the text of the newest rule of a term's game that has a name of the
    term as its heading, or of its first sub-rule if it has no text of its own."""
    newest: dict[str | None, Node] = {}
    for name in dict.fromkeys(fold(label.text) for label in term.labels if term.kind == "term"):
        for node in store.find_by_label(name):
            known = newest.get(node.lang, node)
            if node.kind == "rule" and node.game == term.game:
                newest[node.lang] = max(known, node, key=lambda one: edition_key(one.edition))
    for rule in newest.values():
        parts = store.parts(rule.id) if rule.text in (None, rule.label) else [rule]
        first = next((each for each in parts if each.kind == "rule" and each.text), None)
        quoting = store.edges([first.id], "in", ["quotes"])[:1] if first else []
        for edge in quoting:
            page = store.node(edge.evidence.page)
            text = (first and first.text) or ""
            yield TermDefinition(
                replace(edge.evidence, text=text),
                rule.lang,
                rule.edition,
                page=page.label if page else None,
                url=page.url if page else None,
            )


def definitions_of(store: Store, terms: Sequence[Node]) -> dict[str, tuple[TermDefinition, ...]]:
    """Return {id of a term: the texts that define it, as `find_definitions` returns them} for all
    of some terms at once, which is much faster than one after the other; empty for those
    without."""
    headings: dict[str, list[Edge]] = {}
    entries: dict[str, list[Edge]] = {}
    for edge in store.edges([term.id for term in terms], "in", ["defines"]):
        if edge.target and not edge.gives_names_only:
            is_entry = edge.source == edge.evidence.passage
            (entries if is_entry else headings).setdefault(edge.target, []).append(edge)
    openings = {term.id: _own_headings(term, headings.get(term.id, [])) for term in terms}
    following = store.passages.following(
        {edge.evidence.passage for edges in openings.values() for edge in edges}, _MAX_READ_AFTER
    )
    wanted = {passage for opening in following.values() for passage in opening}
    passages = store.get(wanted | {edge.source for of in entries.values() for edge in of})
    found = {
        term.id: [
            *_openings(openings[term.id], following, passages),
            *_glossary_entries(entries.get(term.id, ()), passages),
        ]
        for term in terms
    }
    pages = store.get({each.page for of_term in found.values() for each in of_term})
    return {term: tuple(_merged(of_term, pages)) for term, of_term in found.items()}


def _own_headings(term: Node, headings: Sequence[Edge]) -> Sequence[Edge]:
    """Return the edges of the titles and headings below which a term is defined, the first five:
    those on pages of its own name, if it has such pages, else all."""
    if not headings:
        return ()
    names = {fold(label.text) for label in term.labels}
    own = [e for e in headings if fold(e.evidence.page.partition("/")[2]) in names]
    return (own or headings)[:_MAX_PAGES]


@dataclass(frozen=True, slots=True)
class _Defining:
    evidence: Evidence
    lang: str | None
    page: str


def _openings(
    headings: Sequence[Edge], following: Mapping[str, Sequence[str]], passages: Mapping[str, Node]
) -> Iterator[_Defining]:
    """Yield the definition below each title or heading that has one, in the order of the headings.

    following: the ids of the passages after each title or heading.
    """
    pages = {edge.evidence.passage: edge.evidence.page for edge in headings}
    for title, page in pages.items():
        opening = following.get(title, ())
        found = first_definition([passages[each] for each in opening if each in passages])
        if found:
            passage, span = found
            yield _Defining(_evidence(page, passage, span), passage.lang, page)


def first_definition(opening: Sequence[Node]) -> tuple[Node, tuple[int, int]] | None:
    """Return the first passage that defines something and has a sentence, and the span (start, end)
    of its text that does; None if none of the first four does.

    opening: the passages after a title or heading, in order.
    """
    for passage in _telling(opening):
        text = passage.text or ""
        ends = ". " in f"{text} " if passage.lang == "en" else "。" in text
        if ends and (span := defining_part(text, passage.lang)):
            return passage, span
    return None


def opening_text(store: Store, page: str) -> str | None:
    """Return the first text of a page, given by its id, that defines something, else its first
    text; None without any."""
    passages = store.first_passages(page, _MOST_OPENING)
    defining = first_definition(passages)
    opening = defining[0] if defining else next(iter(passages), None)
    return opening.text if opening else None


def _telling(passages: Sequence[Node]) -> list[Node]:
    """Return the opening of a page, four passages and those that announce that it explains its name
    itself, without what stands for other meanings of its name.

    A page that begins with the meanings of its name says of one that it explains that itself, and
    where the others are explained.
    """
    announcing = [announces_own_page(passage.text or "", passage.lang) for passage in passages]
    if any(announcing[:_OPENING]):
        passages = [
            passage
            for passage, announces in zip(passages, announcing, strict=True)
            if announces or not stands_for_other_page(passage.text or "", passage.lang)
        ]
    stubs = sum(announcing)
    return list(passages[: _OPENING + stubs])


def _glossary_entries(entries: Sequence[Edge], passages: Mapping[str, Node]) -> Iterator[_Defining]:
    """Yield the definitions that glossaries give, Japanese ones first; of one that only refers to
    another place there is none."""
    for edge in sorted(entries, key=lambda e: passages[e.source].lang != "ja"):
        passage = passages[edge.source]
        if span := defining_part(passage.text or "", passage.lang):
            page = edge.evidence.page
            yield _Defining(_evidence(page, passage, span), passage.lang, page)


def _evidence(page: str, passage: Node, span: tuple[int, int]) -> Evidence:
    start, end = span
    return Evidence(page, passage.id, start, end, (passage.text or "")[start:end])


def _merged(found: Sequence[_Defining], pages: dict[str, Node]) -> Iterator[TermDefinition]:
    """Yield the definitions with what is known of their pages: those of wikis in their order, then
    those of editions, newest first within their language; each different text once, at its
    first."""
    ordered = [each for each in found if not _edition(pages, each)]
    languages = list(dict.fromkeys(each.lang for each in found if _edition(pages, each)))
    for lang in languages:
        dated = [each for each in found if each.lang == lang and _edition(pages, each)]
        ordered += sorted(dated, key=lambda each: edition_key(_edition(pages, each)), reverse=True)
    editions: dict[str, list[str]] = {}
    first: dict[str, _Defining] = {}
    for each in ordered:
        key = _words(each.evidence.text)
        first.setdefault(key, each)
        editions.setdefault(key, []).extend(filter(None, [_edition(pages, each)]))
    for key, each in first.items():
        page = pages.get(each.page)
        own = _edition(pages, each)
        same_in = tuple(edition for edition in dict.fromkeys(editions[key]) if edition != own)
        label, url = (page_name(page), page.url) if page else (None, None)
        yield TermDefinition(each.evidence, each.lang, own, same_in, label, url)


def _words(text: str) -> str:
    """Return the words of a definition, without signs and without the number before them, to find
    those that two sources give.

    >>> _words("4.2.3.1. Drawing is slow.") == _words("Drawing is slow") != _words("4 cards")
    True
    """
    bare = _NUMBER_BEFORE.sub("", normalize("NFKC", text), count=1)
    return _NO_WORDS.sub("", bare).casefold() or fold_typography(text)


def _edition(pages: dict[str, Node], definition: _Defining) -> str | None:
    page = pages.get(definition.page)
    return page.edition if page else None


# Mentions whose words are read: a bound. Lowered from 5,000, by which the page of a name that is
# mentioned very often comes in two thirds of the time; `MOST_MENTIONS` is the same elsewhere.
_MAX_READ = 2_000
# Of a spelling that are named, by hand: as examples to look at, which fit in a line of a terminal;
# `kwic` has them all.
_MAX_PLACES = 3
_QUOTES = '《》〈〉「」『』【】"“”'  # around a name in a text; no part of its spelling
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{1,9}://", re.IGNORECASE)
# What forms of one word differ in: the kana behind kanji, and the common English inflections.
_ENDING = re.compile(r"[ぁ-ん]*$")
_ENGLISH_ENDING = re.compile(r"(?:ies|es|s|ed|ing|y|e)?$")


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a name is written on pages.

    text: the words, as they stand there; of several forms of one word (引い, 引か) the name that
        they are forms of.
    count: how many times.
    forms: the forms that were met, the most frequent first, if `text` is not the only one.
    places: the ids of the first few passages that have it.
    is_name: whether it is one of the term's names, or a form of one; if not, it was taken for a
        name because it differs from one only in spelling, or because the page links it so.
    """

    text: str
    count: int
    forms: tuple[tuple[str, int], ...]
    places: tuple[str, ...]
    is_name: bool


@dataclass(frozen=True, slots=True)
class TermProfile:
    """What pages say of a term or card.

    definitions: the texts that define it, the best first.
    mentions: how many times passages mention it.
    pages: on how many pages; of the first `read` mentions, if there are more.
    spellings: how it is written there, the most frequent first.
    read: how many mentions were read for `spellings` and `pages`; less than `mentions` if there are
        very many.
    rulings: how many rulings mention it; of the first `read` mentions, if there are more.
    cites: the rules that its definitions cite.
    """

    definitions: tuple[TermDefinition, ...]
    mentions: int
    pages: int
    spellings: tuple[Spelling, ...]
    read: int
    rulings: int
    cites: tuple[RuleName, ...]


def term_profile(store: Store, term: Node) -> TermProfile:
    """Return what pages say of a term or card; without definitions or mentions these are empty or
    0."""
    definitions = find_definitions(store, term)
    words = mentioned_words(store, term.id, _MAX_READ)
    edges = count_mentions(store, term.id)
    names = [label.text for label in term.labels if label.role != "reading"]
    return TermProfile(
        definitions,
        len(words) if edges <= _MAX_READ else edges,
        len({each.page for each in words}),
        _spellings(words, names),
        len(words),
        count_rulings(store, term.id, _MAX_READ),
        cited_rules(store, [each.evidence.passage for each in definitions]),
    )


def _spellings(words: Iterable[MentionedWords], names: Sequence[str]) -> tuple[Spelling, ...]:
    """Return how a term is written in some mentions, the most frequent spelling first, equally
    frequent ones by their text; words that are an address are left out.

    names: of the term, the first of those that have one stem being the spelling.
    """
    spelling_of, known = spelling_finder(names), frozenset(names)
    met: dict[str, list[str]] = defaultdict(list)  # the passages of each text, as it stands there
    for each in words:
        if not _ADDRESS.match(each.text):  # a link may show its address; that is no spelling
            met[each.text].append(each.passage)
    forms: dict[str, dict[str, int]] = defaultdict(dict)
    passages: dict[str, set[str]] = defaultdict(set)
    for text, places in met.items():
        spelling = spelling_of(text)
        forms[spelling][text] = len(places)
        passages[spelling].update(places)
    found = [
        Spelling(
            spelling,
            sum(of_spelling.values()),
            tuple(sorted(of_spelling.items(), key=lambda form: (-form[1], form[0])))
            if set(of_spelling) != {spelling}
            else (),
            tuple(nsmallest(_MAX_PLACES, passages[spelling])),
            spelling in known,
        )
        for spelling, of_spelling in forms.items()
    ]
    return tuple(sorted(found, key=lambda each: (-each.count, each.text)))


def spelling_finder(names: Sequence[str]) -> Callable[[str], str]:
    """Return a function from words of a passage that mention a term to their spelling: the one of
    the term's names that they are a form of, or else the words without quotation marks.

    >>> spelling_of = spelling_finder(["引く", "draw"])
    >>> spelling_of("引か"), spelling_of("「ドロー」"), spelling_of("drawing")
    ('引く', 'ドロー', 'draw')
    """
    known = frozenset(names)
    of_stem = {_stem(name): name for name in reversed(names)}

    def spelling_of(words: str) -> str:
        bare = words.strip(_QUOTES) or words
        spelling = bare if bare in known else of_stem.get(_stem(bare), bare)
        if spelling not in known and known.issuperset(bare.split("/")):
            return bare.split("/")[0]  # as wikis write a card in two languages: 山/Mountain
        return spelling

    return spelling_of


def _stem(word: str) -> str:
    """What the forms of a word have in common: all but kana at its end, or an English ending.

    A word in kana alone is its own stem.

    >>> _stem("引か"), _stem("ドロー"), _stem("drawing"), _stem("Cards"), _stem("ため")
    ('引', 'ドロー', 'draw', 'card', 'ため')
    """
    if word.isascii():
        lower = word.casefold()
        return _ENGLISH_ENDING.sub("", lower, count=1) or lower
    return _ENDING.sub("", word) or word
