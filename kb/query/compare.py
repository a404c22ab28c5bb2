"""Compares terms with the terms of other games that are the same concept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, islice

from graphs.model import Edge, Evidence, Label, Node
from graphs.store.passage_index import PassageFilter
from graphs.store.reader import Store
from graphs.store.termbase_rows import name_rows
from kb.language.fold import fold
from kb.language.made_readings import MadeReading
from kb.language.thesaurus import related_words, translations
from kb.query.lookup.named_nodes import split_into_things
from kb.query.lookup.preferred_names import RulebookUses, authority_of, by_authority
from kb.query.lookup.readings_of_namesakes import ReadingElsewhere, other_reading
from kb.query.lookup.search_words import fulltext_query, name_query
from kb.query.refs.path import GraphResult
from kb.query.show.term_profile import definitions_of, find_definitions
from kb.reason import Ask, LeftOut, Reason
from kb.result import UNREPORTED, ListResult, columns

_SPEAK_OF = "both definitions speak of "  # in the reason of a match, before words
_TWO_MEANINGS, _OTHER_LANGUAGES = Reason("two_meanings"), Reason("named_in_other_languages")
# Terms of one name that are compared with each other: a guard, as each pair becomes a line; 12 have
# 66. More than the games that a base usually has.
_MOST_OF_ONE_NAME = 12
_MOST_DEFINITIONS = 12  # that are read for other names, by hand: some editions of a few terms
_MOST_READ = 200  # passages of a game with a name that are looked at: a guard
# Of a definition, what it says the term is called, or is: not what it is a kind of (`is a zone`).
_SAME_AS = re.compile(
    r"\b(?:is (?:the|their|its|your)|called|known as)(?: the)? [“\"]?(?:the )?"
    r"([a-z][a-z-]+(?: [a-z][a-z-]+){0,2})(?=[.,;:”\"]|$)",
    re.IGNORECASE,
)
_MOST_COUNTED = 1_000  # passages with a word: how many more there are, nobody needs to know


@dataclass(frozen=True, slots=True)
class ComparedName:
    """A name of a term, and who gives it.

    lang, text: the language and the name.
    authority: the page, with its source or edition: `引く (mtgwiki)`.
    passage: the id of the passage that gives the name; None if none does by itself.
    proposed: whether no page states it, and aligned rules in two languages suggest it.
    """

    lang: str
    text: str
    authority: str
    passage: str | None
    proposed: bool


@dataclass(frozen=True, slots=True, repr=False)
class ComparisonRow:
    """A term of one game beside the others.

    game: the game of the term.
    term: the term's node.
    ja, reading, en: its first Japanese name, the reading of its name, its first English name. The
        reading is what a page gives for this term, or else for another term of the same name.
    names: its first name in each language, with who gives it.
    made_reading: if no page gives a reading of `ja`, one that is made by Sudachi, in katakana; it
        may be wrong. None for a name in kana.
    reading_basis: where a reading comes from that no page gives for this term, in words: `reading
        made by Sudachi`, `reading that dmwiki gives for dm/term/手札`; None if one does, or if
        there is no reading.
    definition: the text that defines it; None if no page does. Sentences that only announce a
        definition, or refer to one elsewhere, are no part of it.
    evidence: where the definition stands; None if there is none in a passage.
    edition, page, url: the edition, label and URL of the page that the definition stands on; each
        None if it has none.
    relation: how it relates to the term that was asked about: `exact` or `close`; `homonym` for
        another term of its game that has the name that was asked about, too; None for that
        term itself.
    basis: why the two are held to be the same concept, in words; None likewise.
    """

    game: str | None
    term: Node
    ja: str | None
    reading: str | None
    en: str | None
    definition: str | None
    evidence: Evidence | None
    relation: str | None
    basis: str | None
    edition: str | None = None
    page: str | None = None
    url: str | None = None
    names: tuple[ComparedName, ...] = ()
    made_reading: str | None = None
    reading_basis: str | None = None

    @property
    def node(self) -> Node:
        """The term's node: a row can be given as a reference, as other entries can."""
        return self.term

    @property
    def authority(self) -> str:
        """Who gives the definition, for people to read, such as `引く (mtgwiki)`; empty if no page
        does."""
        if self.evidence is None:
            return ""
        return authority_of(self.page, self.edition, self.evidence.page.partition("/")[0])

    def __repr__(self) -> str:
        """Return the term's id, its Japanese name, reading, English name and relation, of which it
        has, in one line."""
        names = (self.ja, self.reading, self.en, self.relation)
        return f"<ComparisonRow {self.term.id}: {', '.join(name for name in names if name)}>"


@dataclass(frozen=True, slots=True)
class NotJoined:
    """Terms that have a name in common and are not held to be the same concept.

    terms: their ids, two or more.
    why: the reason.
    """

    terms: tuple[str, ...]
    why: Reason


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(ListResult[ComparisonRow], GraphResult, items="rows", item="term"):
    """Terms and the terms of other games that are the same concept.

    rows: the terms that were asked about, then the others, exact ones first.
    edges: the `same_concept` edges between the terms and the `defines` edges into them.
    nodes: the other ends of these edges, by id.
    alone: the ids of the terms that were asked about and that no other game has.
    also: rules and cards of the same names, which are not compared; why references name nothing;
        and what has the name, or the word, in games of which no term was joined with these.
    unfound: the references that name nothing.
    not_joined: which of the terms that were asked about have the same name, and why they are not
        the same concept all the same.
    """

    rows: tuple[ComparisonRow, ...]
    edges: tuple[Edge, ...] = field(metadata=UNREPORTED)
    nodes: Mapping[str, Node] = field(metadata=UNREPORTED)
    alone: tuple[str, ...] = ()
    also: tuple[LeftOut, ...] = ()
    not_joined: tuple[NotJoined, ...] = ()
    unfound: tuple[str, ...] = ()

    _COLUMNS = columns(
        "game ja reading made_reading reading_basis en authority=names.authority definition "
        "relation basis term=term.id notice=term.notice"
    )

    def _nodes_and_edges(self) -> tuple[Iterable[Node], Iterable[Edge]]:
        return [*(row.term for row in self.rows), *self.nodes.values()], self.edges


def compare(store: Store, named: Sequence[Sequence[Node]]) -> Comparison:
    """Return some terms beside all terms that are the same concept as one of them.

    named: what each name names, the likeliest first: nodes of terms, of one or several games; if
        one occurs twice, it gets one row. Rules and cards among them are left out, and are in
        `also`; other nodes are ignored.

    The rows are these terms in their order, those behind the first of a game as homonyms, or as
    close if they are known by a name in another language; then the terms that a `same_concept` edge
    joins to one of them: exact matches first, then by game and id. Without such edges only these
    terms are returned.
    """
    every = [node for nodes in named for node in nodes]
    asked = {term.id: term for term in every if term.kind == "term"}
    first = {term.id: term for nodes in named for term in _first_of_each_game(nodes)}
    later = [term for term in asked.values() if term.id not in first]
    same_concept = store.edges(asked, kinds=["same_concept"])
    others: dict[str, Edge] = {}
    for edge in same_concept:
        for end in (edge.source, edge.target):
            if end and end not in asked:
                others.setdefault(end, edge)
    nodes = store.get(others)
    rows = [_row(store, term, None) for term in asked.values()]
    for place, row in enumerate(rows):
        if row.term in later:
            before = [term for term in first.values() if term.game == row.game]
            relation = (
                "homonym" if any(map(partial(_share_language, row.term), before)) else "close"
            )
            basis = _TWO_MEANINGS if relation == "homonym" else _OTHER_LANGUAGES
            rows[place] = replace(row, relation=relation, basis=str(basis))
    related = [
        _row(store, nodes[term_id], edge) for term_id, edge in others.items() if term_id in nodes
    ]
    related.sort(key=lambda row: (row.relation != "exact", row.game or "", row.term.id))
    rows += related
    defines = store.edges([row.term.id for row in rows], "in", ["defines"])
    nodes |= store.get(edge.source for edge in defines)
    joined = {end for edge in same_concept for end in (edge.source, edge.target)}
    alone = tuple(term for term in asked if term not in joined)
    return Comparison(
        tuple(rows),
        (*same_concept, *defines),
        nodes,
        alone,
        (*_no_terms(every), *_of_other_games(store, rows, every)),
        tuple(_not_joined(rows[: len(asked)], same_concept)),
    )


def _share_language(one: Node, other: Node) -> bool:
    """Whether the names that two terms are known by are of one language: if not, a name that both
    have is a translation of one of them, and they may well be the same."""
    langs = [
        {label.lang for label in term.labels if label.text == term.label} for term in (one, other)
    ]
    return not langs[0].isdisjoint(langs[1])


def _first_of_each_game(nodes: Iterable[Node]) -> Iterable[Node]:
    """Return the first term of each game, in the order of the nodes; other kinds are passed
    over."""
    first: dict[str | None, Node] = {}
    for node in nodes:
        if node.kind == "term":
            first.setdefault(node.game, node)
    return first.values()


def _not_joined(rows: Sequence[ComparisonRow], same_concept: Iterable[Edge]) -> Iterator[NotJoined]:
    """Yield each pair of terms of some rows that have a name in common and no edge between them,
    and why; a pair with several common names once. Readings are no names here. Of a name only the
    first 12 terms are compared."""
    edges = {frozenset((edge.source, edge.target)) for edge in same_concept}
    of_name: dict[str, dict[str, ComparisonRow]] = {}
    for row in rows:
        for label in row.term.labels:
            if label.role != "reading":
                of_name.setdefault(fold(label.text), {})[row.term.id] = row
    pairs = (
        pair
        for group in of_name.values()
        for pair in combinations(islice(group.values(), _MOST_OF_ONE_NAME), 2)
    )
    apart: dict[frozenset[str], tuple[ComparisonRow, ComparisonRow]] = {}
    for one, other in pairs:
        apart.setdefault(frozenset((one.term.id, other.term.id)), (one, other))
    for ids, (one, other) in apart.items():
        if ids not in edges:
            yield NotJoined((one.term.id, other.term.id), _why_not_joined(one, other))


def _why_not_joined(one: ComparisonRow, other: ComparisonRow) -> Reason:
    """Return why two terms of one name are not the same concept: they are two meanings in one game,
    one or both have no definition, or their definitions have little in common."""
    if one.game == other.game:
        return _TWO_MEANINGS if _share_language(one.term, other.term) else _OTHER_LANGUAGES
    undefined = [row for row in (one, other) if row.definition is None]
    if len(undefined) == 2:
        return Reason("not_defined_either")
    if undefined:
        return Reason("not_defined_there", game=undefined[0].game)
    return Reason("little_in_common")


def _no_terms(named: Sequence[Node]) -> tuple[LeftOut, ...]:
    """Return the rules and cards among some nodes, each once: a rule by its newest edition, with
    the other numbers that it has in others; empty if there are none."""
    others = {node.id: node for node in named if node.kind in ("rule", "card")}
    found: list[LeftOut] = []
    for newest, *older in split_into_things(others.values()):
        numbers = tuple(dict.fromkeys(node.number or "" for node in older))
        renumbered = tuple(number for number in numbers if number != newest.number)
        ask = Ask("show", ref=newest.id)
        reason = Reason("only_terms_compared", ask, kind=newest.kind, numbers=renumbered)
        found.append(LeftOut(newest.id, reason))
    return tuple(found)


def _of_other_games(
    store: Store, rows: Sequence[ComparisonRow], asked: Sequence[Node]
) -> Iterator[LeftOut]:
    """Yield for each game that has none of some rows, and nothing that was asked about, what it has
    of the names of the terms asked about: a term or the newest rule of the name or reading, and a
    term that a definition speaks of; if there is neither, how many passages have the word. Nobody
    has compared these; nothing for a game without any.

    asked: what the references name.
    """
    games = set(store.values()["game"]) - {row.game for row in rows} - {n.game for n in asked}
    terms = [node for node in asked if node.kind == "term"]
    labels = [label for term in terms for label in term.labels]
    labels.sort(key=lambda label: label.role == "reading")
    named: dict[str, LeftOut] = {}
    for label in labels:
        found = [node for node in store.find_by_label(fold(label.text)) if node.game in games]
        found = [node for node in found if node.kind in ("term", "rule")]
        found.sort(key=lambda node: node.kind != "term")
        for node, *_ in split_into_things(found):
            ask = Ask("show", ref=node.id)
            said = Reason("named_alike", ask, kind=node.kind, game=node.game, name=label.text)
            named.setdefault(node.game or "", LeftOut(node.id, said))
    words = list(dict.fromkeys(label.text for label in labels if label.role == "preferred"))
    defined: dict[str, LeftOut] = {}
    of_game = Counter(row.game for row in rows)  # of two terms of a game, one is another concept
    sure = [row.term for row in rows if row.relation is None or of_game[row.game] == 1]
    for each in _by_definitions(store, sure, games):
        defined.setdefault(each.reason.values["game"], each)
    for game in sorted(games):
        found_there = {of[game].id: of[game] for of in (defined, named) if game in of}
        yield from found_there.values() or _passages_with(store, words, game)


def _by_definitions(store: Store, terms: Sequence[Node], games: set[str]) -> Iterator[LeftOut]:
    """Yield the terms of some games whose name the English definitions of some terms give for the
    same (`A player's graveyard is their discard pile.`), or whose definitions give a name of
    several words of these. A name counts in its translations in the vocabulary of games, too, and
    in what players call both."""
    definitions = [each for of in definitions_of(store, terms).values() for each in of]
    names = {label.text for term in terms for label in term.labels if label.role != "reading"}
    own = {fold(name) for name in names}
    called = {
        fold(name): said
        for each in definitions[:_MOST_DEFINITIONS]
        for said in _SAME_AS.findall(each.evidence.text)
        for name in (said, *_other_names(said.lower(), own))
    }
    for name, node in store.find_by_names(list(called)):
        if node.kind == "term" and node.game in games:
            yield _candidate(node, called[name])
    names |= {each for name in names for each in _other_names(name, own)}
    for name in sorted(each for each in names if each.isascii() and " " in each):
        query = name_query(name)
        for game in sorted(games):
            found = store.passages.occurrences(query, PassageFilter(game=game, lang="en"))
            passages = [passage for passage, _, _ in islice(found, _MOST_READ)]
            same = [
                passage
                for passage, text in store.passages.texts(passages).items()
                if fold(name) in map(fold, _SAME_AS.findall(text.text))
            ]
            defined = store.edges(same, "out", ["defines"])
            for node in store.get(edge.target for edge in defined if edge.target).values():
                if node.kind == "term":
                    yield _candidate(node, name)


def _other_names(name: str, own: set[str]) -> set[str]:
    """Return what else a name of a definition is called: its translations, and what the vocabulary
    has both for it and for one of the folded names of what is defined."""
    related = (each for each in related_words(name) if own & set(map(fold, related_words(each))))
    return {*translations(name), *related}


def _candidate(node: Node, words: str) -> LeftOut:
    """Return a term that a definition suggests, as not joined."""
    ask = Ask("show", ref=node.id)
    reason = Reason(
        "defined_alike", ask, kind=node.kind, game=node.game or "", name=node.label, words=words
    )
    return LeftOut(node.id, reason)


def _passages_with(store: Store, words: Iterable[str], game: str) -> Iterator[LeftOut]:
    """Yield how many passages of a game have the first of some words that any has, if any does."""
    for word in words:
        query = fulltext_query(word)
        count = store.passages.count(query, PassageFilter(game=game), _MOST_COUNTED) if query else 0
        if count:
            counted = Reason(
                "more_passages" if count == _MOST_COUNTED else "passages", number=count
            )
            ask = Ask("search", text=word, game=game)
            yield LeftOut(
                None, Reason("word_not_joined", ask, word=word, game=game, passages=counted)
            )
            return


def _row(store: Store, term: Node, edge: Edge | None) -> ComparisonRow:
    """Return the row of a term; `edge` is its `same_concept` edge, None for a term asked about.

    The names are the first Japanese and the first English label that is not a reading, or None.
    The definition is the first that `find_definitions` returns. Relation and basis are None
    without an edge. A reading from elsewhere or made is looked for only if the term has none.
    """

    names = tuple(_first_names(store, term))
    of_lang = {name.lang: name.text for name in names}
    definition = next(iter(find_definitions(store, term)), None)
    details = (edge.details if edge else None) or {}
    other = None if term.reading else other_reading(store, of_lang.get("ja"), term)
    return ComparisonRow(
        term.game,
        term,
        of_lang.get("ja"),
        other.kana if isinstance(other, ReadingElsewhere) else term.reading,
        of_lang.get("en"),
        definition.evidence.text if definition else None,
        definition.evidence if definition else None,
        details.get("relation"),
        _as_written(details.get("basis"), definition.evidence.text if definition else ""),
        definition.edition if definition else None,
        definition.page if definition else None,
        definition.url if definition else None,
        names,
        other.kana if isinstance(other, MadeReading) else None,
        other.basis if other else None,
    )


def _as_written(basis: str | None, definition: str) -> str | None:
    """Return the reason of a match with English words as the definition has them first: the graph
    has what their forms share. What is not found there, other reasons and None stay as they are.

    >>> _as_written("both definitions speak of condit, カード", "A condition of a card.")
    'both definitions speak of condition, カード'
    """
    before, speak, words = (basis or "").rpartition(_SPEAK_OF)
    if not speak:
        return basis
    written = [
        match[0]
        if word.isascii()
        and (match := re.search(rf"\b{re.escape(word)}\w*", definition, re.IGNORECASE))
        else word
        for word in words.split(", ")
    ]
    return before + speak + ", ".join(written)


def _first_names(store: Store, term: Node) -> Iterator[ComparedName]:
    """Yield the first label of a term in each language that is not a reading, and who gives it, in
    the order of its labels; without a giver the authority is empty and the passage None."""
    first: dict[str, Label] = {}
    for label in term.labels:
        if label.role != "reading":
            first.setdefault(label.lang, label)
    rows = by_authority(name_rows(store, [term.id]))
    rulebooks = RulebookUses(store, rows)
    for lang, label in first.items():
        given = (row for row in rows if row.lang == lang and row.text == label.text)
        row = next((rulebooks.giver(row) for row in given if row.role != "reading"), None)
        authority = authority_of(row.page, row.edition, row.source) if row else ""
        passage = row.passage if row else None
        yield ComparedName(lang, label.text, authority, passage, label.role == "proposed")
