"""Finds where a term is defined: on its own pages, and in the glossaries of rulebooks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from unicodedata import normalize

from graphs.edition_order import edition_key
from graphs.model import Edge, Evidence, Node
from graphs.store.reader import Store
from kb.language.fold import fold
from kb.language.sentences import announces_own_page, defining_part, stands_for_other_page
from kb.language.typography import fold_typography
from kb.query.lookup.preferred_names import authority_of

# A number before a text, 4.2.3.1., which must end with a sign: 4 cards has none. The bounds keep
# the pattern linear; no number of a rule has so many digits or levels.
_NUMBER_BEFORE = re.compile(r"^\s*[0-9]{1,4}(?:[.-][0-9a-z]{1,4}){0,8}[.)]\s")
_NO_WORDS = re.compile(r"[\W_]+")
# By hand. Passages after a title or heading in which a page says what it is about: fewer miss
# definitions behind a picture's caption or a menu, more take what is said of something else.
_OPENING = 4
_MAX_READ = 10  # passages after it that are read; those that only announce do not count as opening
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
    them, are one, whatever their source. Empty
    if nothing defines the term.
    """
    return definitions_of(store, [term])[term.id]


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
        {edge.evidence.passage for edges in openings.values() for edge in edges}, _MAX_READ
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
        label, url = (page.label, page.url) if page else (None, None)
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
