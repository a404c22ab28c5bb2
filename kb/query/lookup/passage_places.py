"""Says where passages stand, in the words of their pages: page, section, rule, edition, address."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from graphs.model import Edge, Node
from graphs.sort_orders import edition_key
from graphs.store.passage_index import PassagePlace, PassageText
from graphs.store.reader import Store
from scraper.rulebook.numbering import with_numbers_above

_NUMBERED = re.compile(r"[\d.]+[\s.．:：、]+(?=\S)")  # how the heading of a section begins
# Of several levels, so that no amount is taken for one.
_RULE_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)+[a-z]?(?!\w)")
_SIGNS_AFTER_NUMBER = " .．:：)）\u3000\t"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a passage stands. Text that does not apply is empty.

    passage, page_id: the ids of the passage and of its page.
    page, section: the names of its page, and of its section if it stands in one.
    rule: the id of the rule that it gives, and `number` that rule's number.
    heading: what that rule is about: its own heading, or that of the rule or section above it,
        without the number.
    edition: of the rule or of the page.
    game, lang, source, url: of the passage and its page.
    entry: the headword of the glossary entry that the passage is, or begins.
    """

    passage: str
    page_id: str
    page: str
    section: str
    rule: str
    number: str
    heading: str
    edition: str
    game: str
    lang: str
    source: str
    url: str
    entry: str = ""

    def number_length(self, text: str) -> int:
        """Return how many characters the number of the rule takes at the beginning of a text, with
        the signs behind it; 0 if the text does not begin with it."""
        return len(text) - len(without_rule_number(text, self.number))


def find_places(store: Store, passages: Iterable[str]) -> dict[str, Place]:
    """Return where some passages stand, by their ids. An id that is no passage's is left out."""
    rows = list(store.passages.places(passages))
    headings = _headings_above(store, rows)
    entries = find_entries(store, [row.passage for row in rows if row.edition and not row.rule])
    return {
        row.passage: Place(
            row.passage,
            row.page,
            row.page_label or row.page,
            row.section_label or "",
            row.rule or "",
            row.number or "",
            headings.get(row.rule or "", ""),
            row.edition or "",
            row.game or "",
            row.lang or "",
            row.source or "",
            row.url or "",
            entries.get(row.passage, ""),
        )
        for row in rows
    }


def find_entries(store: Store, passages: Iterable[str]) -> dict[str, str]:
    """Return {id of a passage: the headword of the glossary entry that it gives}: the term that it
    defines, as the glossary writes it where that is known. Other passages are left out.

    passages: ids of passages of rulebooks that give no rule.
    """
    defined: dict[str, str] = {}
    for edge in store.edges(list(passages), "out", ["defines"]):
        if edge.target:
            defined.setdefault(edge.source, edge.target)
    terms = store.get(defined.values())
    return {
        passage: _headword(terms[term], passage)
        for passage, term in defined.items()
        if term in terms
    }


class EntryName(NamedTuple):
    """What a passage beside the rules of a book has in common with the same one in other editions:
    its language, its section, and the headword of its entry in a glossary, else empty."""

    lang: str
    section: str
    headword: str


def entry_names(store: Store, passages: Collection[str]) -> dict[str, EntryName]:
    """Return {id of a passage of a rulebook: what tells it from others in any edition}, read from
    the id alone but for the headword; for all of them, in their order."""
    headwords = find_entries(store, passages)
    found = {}
    for passage in passages:
        page, _, section = passage.partition("#")
        lang, section = page.rpartition("/")[2], section.rpartition("¶")[0]
        found[passage] = EntryName(lang, section, headwords.get(passage, ""))
    return found


def _headword(term: Node, passage: str) -> str:
    """Return the first name of a term in the language of the rulebook that a passage stands in,
    else its label; empty if it has none. passage: its id."""
    lang = passage.partition("#")[0].rpartition("/")[2]
    known = (label.text for label in term.labels if label.lang == lang and label.role != "reading")
    return next(known, term.label or "")


def _headings_above(store: Store, rows: Iterable[PassagePlace]) -> dict[str, str]:
    """Return {id of a rule: what it is about}, for the rules that passages give.

    That is the rule's own heading, or that of the nearest rule above it that has one; or that of
    the section which it stands in, if this begins with a number as sections of the rules do; else
    empty.
    """
    chains: dict[str, list[str]] = {}
    sections: dict[str, str] = {}
    for row in rows:
        if row.rule and row.number:
            book = row.rule.removesuffix(row.number)
            chains[row.rule] = [book + number for number in with_numbers_above(row.number)]
            sections[row.rule] = _without_number(row.section_label or "")
    labels = store.labels_of({rule for chain in chains.values() for rule in chain})
    return {
        rule: next((labels[above] for above in chain if above in labels), sections[rule])
        for rule, chain in chains.items()
    }


def find_copies(store: Store, candidates: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Return, for passages by their ids, the ids of the passages with the same text in the same
    game and language: in other editions, captures and pages. The newest edition comes first, in it
    the least id. A passage without copies has an empty list; an id that is no passage's is left
    out.

    candidates: for each passage, others that may have its text. The rules of the same number in
        other editions are looked at in any case.
    """
    others = {passage: {*ids} for passage, ids in candidates.items()}
    texts = store.passages.texts(candidates)
    for passage, text in texts.items():
        rules = store.find_by_number(text.number) if text.number else []
        same_game = [rule.id for rule in rules if (rule.game, rule.lang) == (text.game, text.lang)]
        others[passage] |= set(store.passages.passages_giving(same_game))
    known = texts | store.passages.texts({copy for ids in others.values() for copy in ids})
    found: dict[str, list[str]] = {}
    for passage, text in texts.items():
        own = _saying(text)
        copies = [
            known[copy]
            for copy in sorted(others[passage])
            if copy != passage and copy in known and _saying(known[copy]) == own
        ]
        copies.sort(key=lambda copy: edition_key(copy.edition), reverse=True)
        found[passage] = [copy.id for copy in copies]
    return found


def _saying(text: PassageText) -> tuple[str | None, ...]:
    """Return what two passages have in common that say the same: game, language and text; the
    numbers of rules in it do not count, as they change from edition to edition."""
    words = comparable_text(text.text, text.number or "")
    return text.game, text.lang, _RULE_NUMBER.sub("#", words) if text.edition else words


def find_headings(store: Store, citations: Iterable[Edge]) -> dict[str, str]:
    """Return {id of a cited rule: what it is about}: its own heading, or that of the nearest rule
    above it or of its section.

    Rules that are not loaded or that no passage gives, and rules without any heading, are left out.
    """
    rules = {edge.target for edge in citations if edge.target}
    places = find_places(store, store.passages.first_passage_giving(rules).values())
    return {place.rule: place.heading for place in places.values() if place.heading}


def comparable_text(text: str, number: str) -> str:
    """Return a passage's text for comparing it with that of another edition: without the number
    of its rule and without differences of typography.

    number: of the rule that the passage gives; empty if it gives none.

    >>> comparable_text("121.4. Draw  one card.", "121.4")
    'Draw one card.'
    """
    from kb.language.typography import fold_typography  # its patterns take 10 ms, a look-up none

    return fold_typography(without_rule_number(text, number))


def without_rule_number(text: str, number: str) -> str:
    """Return a text without the number of its rule at its beginning, and the spaces and signs
    behind it (. : )); as it is, with its white space, if it does not begin with the number, or only
    with a longer one: 121.4 is not removed from 121.4a.

    >>> without_rule_number("121.4a 札を引く。", "121.4a"), without_rule_number("札を引く。", "")
    ('札を引く。', '札を引く。')
    """
    stripped = text.lstrip()
    if not number or not stripped.lower().startswith(number.lower()):
        return text
    rest = stripped[len(number) :]
    if rest[:1].isalnum() and rest[:1].isascii():
        return text  # another, longer number
    return rest.lstrip(_SIGNS_AFTER_NUMBER)


def _without_number(heading: str) -> str:
    """Return a heading without the number at its beginning; empty if it begins with none.

    >>> _without_number("121. カードを引くこと"), _without_number("ルール")
    ('カードを引くこと', '')
    """
    match = _NUMBERED.match(heading)
    return heading[match.end() :] if match else ""
