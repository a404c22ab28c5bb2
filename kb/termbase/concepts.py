"""Makes concepts of the terms of a knowledge base, with all that its pages say of each, and the
status of each name: preferred, admitted, only proposed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, cast
from unicodedata import normalize

from graphs.model import Edge, Node
from graphs.sort_orders import edition_key
from graphs.store.file.connection import batches
from graphs.store.reader import Store
from graphs.store.termbase_rows import (
    NameRow,
    WrittenName,
    english_names,
    name_rows,
    remarked_terms,
    term_ids,
    written_names,
)
from kb.language.fold import fold, is_japanese
from kb.language.made_readings import is_kana, likeliest_reading
from kb.language.tokens import tokenizer
from kb.query.lookup.common_filters import EVERYTHING, Scope
from kb.query.lookup.preferred_names import LISTS, ROLES, RulebookUses, authority_of, by_authority
from kb.query.lookup.readings_of_namesakes import ReadingsElsewhere
from kb.query.show.term_profile import (
    TermDefinition,
    definitions_of,
    spelling_finder,
)
from kb.termbase.example_sentences import (
    SENTENCE_ENDS,
    EnglishUses,
    Use,
    english_uses,
    use_at,
    without_number,
)
from kb.termbase.model import (
    Concept,
    ConceptDefinition,
    ConceptName,
    ConceptSpelling,
    PartOfSpeech,
    Reason,
    RelatedConcept,
    Status,
)

_REASONS: dict[str, Reason] = {
    "alias": "alias",
    "redirect": "redirect",
    "abbreviation": "abbreviation",
}
PROPOSED = "proposed"  # of such names, and the `basis` of the edges that say what they rest on


@dataclass(frozen=True, slots=True)
class _Name:
    """The rows of one name, of all sources and editions, the one with most authority first."""

    rows: tuple[NameRow, ...]
    outdated: bool
    obsolete: str | None = None  # the edition since which a glossary calls it so; "" if it has none

    @property
    def best(self) -> NameRow:
        return self.rows[0]


# How glossaries mark a headword that the rules use no more.
_OBSOLETE = re.compile(
    r"[(（](?:obsolete|former(?:ly)?|deprecated|已废止|已廢止|旧|旧称|旧名|旧用語|廃語|廃止)[)）]$",
    re.IGNORECASE,
)
_ObsoleteNames = Mapping[tuple[str | None, str, str], "_Obsolete"]


class _Obsolete(NamedTuple):
    """The first and the last edition in which a glossary calls a name obsolete, each empty if the
    page has none, and the terms of which it does."""

    since: str
    last: str
    terms: frozenset[str]


# What is the same for every concept of a store, which does not change while it is open: the page of
# one term or card took two thirds of its time to read it (150 ms of 43,589 cards).
def _obsolete_names(store: Store) -> _ObsoleteNames:
    """Return {(game, language, folded name): where a glossary calls it obsolete}, of headwords such
    as `Bury (Obsolete)`; all names of a term whose own head is such a one."""
    heads: dict[str, set[str]] = defaultdict(set)  # by term
    whole: set[str] = set()
    for own, term in remarked_terms(store):
        if _OBSOLETE.search(own):
            heads[term].add(fold(_OBSOLETE.sub("", own.partition("/term/")[2])))
            whole |= {term} if own == term else set()
    found: dict[tuple[str | None, str, str], _Obsolete] = {}
    games = {node.id: node.game for node in store.get(heads).values()}
    for row in name_rows(store, heads):
        name = fold(row.text)
        if row.role in ROLES and (row.node in whole or name in heads[row.node]):
            key = games[row.node], row.lang, name
            edition = row.edition or ""
            known = found.get(key, _Obsolete(edition, edition, frozenset()))
            found[key] = _Obsolete(
                min(known.since, edition, key=edition_key),
                max(known.last, edition, key=edition_key),
                known.terms | {row.node},
            )
    return found


def _is_in_use(rows: Iterable[NameRow], node: str, lang: str, name: str, known: _Obsolete) -> bool:
    """Whether a term has a name as a headword of its own in the edition that calls the same name of
    another term obsolete: in Chinese 传奇, for Legendary and for Legend (Obsolete)."""
    return node not in known.terms and any(
        row.role == "preferred"
        and (row.lang, fold(row.text)) == (lang, name)
        and edition_key(row.edition or "") >= edition_key(known.last)
        for row in rows
    )


def names_with_statuses(
    rows: Iterable[NameRow],
    giver: Callable[[NameRow], NameRow] = lambda row: row,
    obsolete: Mapping[tuple[str, str], str] = MappingProxyType({}),
) -> list[ConceptName]:
    """Return the names that pages give one term, by language, each with its status, what that rests
    on, and who gives it; preferred ones first.

    rows: all names of the term. Names that differ only in case or width are one; readings and
        proposed names are left out.
    giver: returns the row of the page that is said to give a name, for its row with most authority.
    obsolete: {(language, folded name): edition}, as `_obsolete_names` has them of the term's game.

    Languages are sorted, Japanese first. One name of each is preferred, if any is a title and not
    outdated; behind it are the admitted, then the deprecated ones.

    Of the names that pages prefer, that of a title, a heading or an entry of a glossary comes
    before others, that of a rulebook before that of a wiki, and a newer edition's before an older
    one's; lists of names come last. A name is deprecated if only older editions of a source give
    it, and the newest that names the term in this language names it otherwise; or if a glossary
    calls it obsolete.
    """
    by_lang: dict[str, list[NameRow]] = {}
    for row in rows:
        if row.role in ROLES:
            by_lang.setdefault(row.lang, []).append(row)
    languages = sorted(by_lang, key=lambda lang: (lang != "ja", lang))
    return [name for lang in languages for name in _of_language(by_lang[lang], giver, obsolete)]


def _of_language(
    rows: Sequence[NameRow],
    giver: Callable[[NameRow], NameRow],
    obsolete: Mapping[tuple[str, str], str],
) -> list[ConceptName]:
    newest = _newest_editions(rows)
    spelled: dict[str, list[NameRow]] = {}
    for row in by_authority(rows):
        spelled.setdefault(normalize("NFKC", row.text).casefold(), []).append(row)
    names = []
    for of_name in spelled.values():
        since = obsolete.get((of_name[0].lang, fold(of_name[0].text)))
        is_old = since is not None or _is_outdated(of_name, newest)
        names.append(_Name(tuple(of_name), is_old, since))
    usable = (name for name in names if name.best.role == "preferred" and not name.outdated)
    preferred = next(usable, None)
    # Keeps the order of authority otherwise.
    names.sort(key=lambda name: (name is not preferred, name.outdated))
    return [_concept_name(name, preferred, giver(name.best)) for name in names]


def _newest_editions(rows: Iterable[NameRow]) -> Mapping[str | None, str]:
    """Return {source: its newest edition that names the term}, of sources with editions."""
    newest: dict[str | None, str] = {}
    for row in rows:
        if row.edition:
            known = newest.get(row.source, row.edition)
            newest[row.source] = max(known, row.edition, key=edition_key)
    return newest


def _is_outdated(rows: Iterable[NameRow], newest: Mapping[str | None, str]) -> bool:
    """Whether a name stands in older editions alone; lists of names do not count."""
    stated = [row for row in rows if row.source != LISTS]
    return bool(stated) and all(row.edition and row.edition != newest[row.source] for row in stated)


def _concept_name(name: _Name, preferred: _Name | None, giver: NameRow) -> ConceptName:
    best = name.best
    status: Status = "admitted"
    reason: Reason = _REASONS.get(best.role, "title")
    if name.outdated:
        status = "deprecated"
        reason = "older edition" if name.obsolete is None else "obsolete"
    elif name is preferred:
        status = "preferred"
    if name.obsolete is None and all(row.source == LISTS for row in name.rows):
        reason = "list"
    elif reason == "title" and preferred and _sources(name).isdisjoint(_sources(preferred)):
        reason = "other translator"
    return ConceptName(
        best.lang,
        best.text,
        status,
        reason,
        authority_of(giver.page, giver.edition, giver.source),
        giver.passage,
        giver.url,
        giver.edition,
        note=f"obsolete since {name.obsolete} or before" if name.obsolete else "",
    )


def _sources(name: _Name) -> set[str | None]:
    return {row.source for row in name.rows}


def proposed_names(
    term: str, rows: Iterable[NameRow], edges: Sequence[Edge], stated: Iterable[ConceptName]
) -> Iterator[ConceptName]:
    """Yield the names that are only proposed for a term: admitted, with the score of the proposal
    and what it rests on. One that pages state, too, is left out.

    rows: all names of the term, as the store has them.
    edges: the `translates` edges from or to the term.
    stated: the names that pages state.
    """
    known = {(name.lang, fold(name.text)) for name in stated}
    for row in rows:
        if row.role == PROPOSED and (row.lang, fold(row.text)) not in known:
            known.add((row.lang, fold(row.text)))
            details = _details(term, row, edges)
            score = details.get("score")
            yield ConceptName(
                row.lang,
                row.text,
                "admitted",
                "proposed",
                authority_of(row.page, row.edition, row.source),
                row.passage,
                row.url,
                row.edition,
                score=float(score) if isinstance(score, int | float) else None,
                note=_note(details),
            )


def _details(term: str, row: NameRow, edges: Iterable[Edge]) -> Mapping[str, object]:
    """Return the details of the edge that proposes a name; of several the one with most score, of
    ties the first; empty without one."""
    fitting = [
        edge.details
        for edge in edges
        if edge.details
        and edge.details.get("basis") == PROPOSED
        # The edge leads from the term with the English name, and has the Japanese name.
        and (edge.details.get("name") == row.text or (edge.target == term and row.lang == "en"))
    ]
    return max(fitting, key=lambda details: details.get("score", 0), default={})


def _note(details: Mapping[str, object]) -> str:
    """Return what a proposal rests on, in words, with its figures if the details have them."""
    both, of, measure, score = (details.get(key) for key in ("both", "of", "measure", "score"))
    if both is None or of is None:
        return "found by comparing aligned rules"
    return f"in {both} of {of} aligned texts with the other name; {measure} {score}"


Kind = Literal["term", "card"]

_LONGEST_ANALYSED = 80  # characters of a name: a guard of time; what is longer is a sentence
_UNKNOWN = "und"  # the language of a text of which none is known, as in BCP 47


# -- parts of speech ----------------------------------------------------------------------------
# Tells the part of speech of a name: of Japanese by its last word, of English by its gloss.
#
# Where a name may be several parts of speech, or an inflected form, nothing is said: a wrong part
# misleads more than none.

_SIGNS = frozenset({"補助記号", "空白"})
_NOUNS = frozenset({"名詞", "代名詞"})
_INFLECTED: dict[str, PartOfSpeech] = {"動詞": "verb", "形容詞": "adjective"}
_DICTIONARY_FORM = "終止形-一般"
# Auxiliaries that make another verb of a verb: される, させる. Others are tenses and negations.
_VOICES = frozenset({"れる", "られる", "せる", "させる"})
# As glossaries begin what they say of a verb: `To put…`, `A keyword action that means to put…`.
_VERB_GLOSS = re.compile(r"\W*(?:[0-9]{1,2}[.)]\s*)?(?:A keyword action\b.{0,80}? to|To) [a-z]")
_WORD = re.compile(r"[A-Za-z]+")
# What things are called in rulebooks; words that are verbs, too, are not among them.
_HEADS = frozenset(
    """ability abilities area arena area artifact battlefield card cards classification condition
    creature creatures deck effect effects element event game games graveyard icon instant item
    keyword keywords land library location loop mana object objects opponent opponents option
    permanent phase player players pile pool priority requirement round rule rules section sequence
    sorcery spell spells step steps subtype supertype symbol symbols team text token tokens
    type types value values variant victory zone zones""".split()
)
# Endings of words that are nouns and nothing else.
_NOUN_ENDINGS = ("ility", "tion", "sion", "ness", "ment", "ship", "hood", "ance", "ence")
# Letters of a word that is judged by its ending: shorter ones (`fence`, `dance`) are verbs, too.
# Longer ones that may be are in `_NO_NOUNS`.
_SHORTEST = 6
_NO_NOUNS = frozenset({"mention", "position", "function", "question", "condition", "experience",
                       "balance", "advance", "sentence", "reference", "influence", "sequence",
                       "implement", "supplement", "complement", "harness",
                       "witness"})  # fmt: skip


def part_of_japanese(morphemes: Sequence[Any]) -> PartOfSpeech | None:
    """Return the part of speech of a Japanese name; None if it is no noun and no dictionary form
    of a verb or adjective.

    morphemes: the name, as `kb.language.tokens.Tokenizer.tokenize` returns it.

    >>> from kb.language.tokens import tokenizer
    >>> [part_of_japanese(tokenizer().tokenize(name)) for name in ("引く", "表向き", "引いた")]
    ['verb', 'noun', None]
    """
    words = [morpheme for morpheme in morphemes if morpheme.part_of_speech()[0] not in _SIGNS]
    if not words:
        return None
    kind, detail, *_, form = words[-1].part_of_speech()
    if kind in _NOUNS or (kind == "接尾辞" and detail == "名詞的"):
        return "noun"
    if kind in _INFLECTED and form == _DICTIONARY_FORM:
        return _INFLECTED[kind]
    if _is_voice(words[-1]) and form == _DICTIONARY_FORM:
        return "verb" if any(word.part_of_speech()[0] == "動詞" for word in words[:-1]) else None
    return "adverb" if kind == "副詞" and len(words) == 1 else None


def _is_voice(word: Any) -> bool:
    return word.part_of_speech()[0] == "助動詞" and word.dictionary_form() in _VOICES


def part_of_english(name: str, glosses: Iterable[str]) -> PartOfSpeech | None:
    """Return the part of speech of an English name, `verb` or `noun`; None if neither a gloss nor
    the name's last word tells it, and if some glosses begin as a verb's and others don't.

    glosses: the texts that define the name in English.

    >>> part_of_english("Draw", ["To put the top card of a deck into a hand."])
    'verb'
    >>> part_of_english("Static Ability", []), part_of_english("Counter", ["1. A marker."])
    ('noun', None)
    """
    senses = [_VERB_GLOSS.match(gloss) is not None for gloss in glosses]
    if any(senses):
        return "verb" if all(senses) else None
    words = _WORD.findall(name.casefold())
    last = words[-1] if words else ""
    if last in _HEADS:
        return "noun"
    is_noun = len(last) >= _SHORTEST and last not in _NO_NOUNS and last.endswith(_NOUN_ENDINGS)
    return "noun" if is_noun else None


# -- concepts ------------------------------------------------------------------------------------
def concepts(store: Store, scope: Scope = EVERYTHING) -> Iterator[Concept]:
    """Yield the terms of a knowledge base as concepts, sorted by id.

    scope: its game, source and language (of a name) choose the terms; its edition is ignored.

    They are read in batches, so that memory does not grow with their number.
    """
    return concepts_of(store, term_ids(store, ("term",), scope.game, scope.source, scope.lang))


def concepts_of(store: Store, ids: Sequence[str], uses: bool = True) -> Iterator[Concept]:
    """Yield some terms and cards, given by ids, as concepts, in the order of the ids; unknown ids
    are left out.

    uses: whether to tell how often and where their names are used; all English passages are read
        for it, and in other languages many mentions.
    """
    outdated, obsolete = _whole_base(store)
    names = english_names(store, ids) if uses else ()
    found = english_uses(store, names, outdated)
    for batch in batches(ids):
        facts = _read(store, batch, {edition for of in outdated.values() for edition in of}, uses)
        facts.obsolete = obsolete
        for node_id in batch:
            if node := facts.nodes.get(node_id):
                yield _concept(node, facts, found)


@dataclass(slots=True)
class _Facts:
    """What the pages say of a batch of terms: each by the term's id."""

    nodes: Mapping[str, Node]
    definitions: Mapping[str, tuple[TermDefinition, ...]]
    readings: ReadingsElsewhere
    rulebooks: RulebookUses
    names: dict[str, list[NameRow]] = field(default_factory=lambda: defaultdict(list))
    written: dict[str, list[WrittenName]] = field(default_factory=lambda: defaultdict(list))
    edges: dict[str, list[Edge]] = field(default_factory=lambda: defaultdict(list))
    outdated: frozenset[str] = frozenset()  # editions
    obsolete: _ObsoleteNames = field(default_factory=dict)
    examples: dict[str, str] = field(default_factory=dict)  # texts that propose names, by passage


def _read(store: Store, batch: Sequence[str], outdated: Iterable[str], uses: bool) -> _Facts:
    nodes = store.get(batch)
    terms = [node for node in nodes.values() if node.kind == "term"]
    names = (label.text for node in terms for label in node.labels if label.lang == "ja")
    readings = ReadingsElsewhere(store, names)
    rows = list(name_rows(store, batch))
    definitions = definitions_of(store, list(nodes.values()))
    facts = _Facts(nodes, definitions, readings, RulebookUses(store, rows))
    facts.outdated = frozenset(outdated)
    for row in rows:
        facts.names[row.node].append(row)
    for written in written_names(store, batch, outdated, SENTENCE_ENDS) if uses else ():
        facts.written[written.node].append(written)
    proposing = {
        row.passage for rows in facts.names.values() for row in rows if row.role == PROPOSED
    }
    examples = store.get(passage for passage in proposing if passage)
    facts.examples = {passage: node.text or "" for passage, node in examples.items()}
    for edge in store.edges(batch, "both", ["same_concept", "translates"]):
        for end in {edge.source, edge.target} & nodes.keys():
            facts.edges[cast(str, end)].append(edge)
    return facts


_WHOLE = "outdated editions and obsolete names"  # in what the store keeps


def _whole_base(store: Store) -> tuple[dict[str | None, set[str]], _ObsoleteNames]:
    """Return `_outdated_editions` and `_obsolete_names`, found once for each store: every term of a
    base is looked at for them, which takes longer than one concept."""
    if _WHOLE not in store.kept:
        store.kept[_WHOLE] = _outdated_editions(store), _obsolete_names(store)
    found: tuple[dict[str | None, set[str]], _ObsoleteNames] = store.kept[_WHOLE]
    return found


def _outdated_editions(store: Store) -> dict[str | None, set[str]]:
    """Return {game: its editions but the newest of each language that has rules}."""
    newest: dict[tuple[str, str], str] = {}
    editions: dict[str | None, set[str]] = defaultdict(set)
    for game, edition, lang in store.editions():
        known = newest.get((game, lang), edition)
        newest[game, lang] = max(known, edition, key=edition_key)
        editions[game].add(edition)
    for (game, _), edition in newest.items():
        editions[game].discard(edition)
    return editions


def _concept(node: Node, facts: _Facts, uses: EnglishUses) -> Concept:
    rows = facts.names[node.id]
    definitions = tuple(_definitions(node, facts.definitions.get(node.id, ())))
    edges = facts.edges[node.id]
    obsolete = {
        (lang, name): known.since
        for (game, lang, name), known in facts.obsolete.items()
        if game == node.game and not _is_in_use(rows, node.id, lang, name, known)
    }
    obsolete |= {
        (each.lang, fold(row.text)): each.edition or ""
        for each in definitions
        if each.text.startswith("(Obsolete)") and _is_only_one(each, definitions)
        for row in rows
        if row.lang == each.lang and row.role in ROLES
    }
    stated = names_with_statuses(rows, facts.rulebooks.giver, obsolete)
    names = [*stated, *proposed_names(node.id, rows, edges, stated)]
    used, spellings = _uses(names, node, facts, uses)
    glosses = [each.text for each in definitions if each.lang == "en"]
    readings = [row for row in rows if row.role == "reading"]
    names = [
        _complete(name, node, readings, facts.readings, glosses, *used[name.text]) for name in names
    ]
    return Concept(
        node.id,
        node.game,
        tuple(names),
        "card" if node.kind == "card" else "term",
        definitions,
        tuple(_related(node.id, edges)),
        tuple(spellings),
        node.url,
    )


def _definitions(node: Node, found: Iterable[TermDefinition]) -> Iterator[ConceptDefinition]:
    """Yield the texts that define a term, without rule numbers; of those in editions, the newest
    edition's of each language.

    found: editions newest first."""
    newest: dict[str | None, str] = {}
    for definition in found:
        if definition.edition and newest.setdefault(definition.lang, definition.edition) != (
            definition.edition
        ):
            continue  # editions come newest first
        text = without_number(definition.evidence.text)
        lang = definition.lang or ("ja" if is_japanese(text) else node.lang or _UNKNOWN)
        yield ConceptDefinition(
            lang,
            text,
            definition.authority,
            definition.evidence.passage,
            definition.url,
            definition.edition,
        )


def _is_only_one(definition: ConceptDefinition, all_of_them: Sequence[ConceptDefinition]) -> bool:
    """Whether a definition is the only one in its language."""
    return all(one is definition or one.lang != definition.lang for one in all_of_them)


def _related(node_id: str, edges: Iterable[Edge]) -> Iterator[RelatedConcept]:
    for edge in edges:
        details = edge.details or {}
        other = edge.target if edge.source == node_id else edge.source
        relation = details.get("relation")
        if edge.kind == "same_concept" and other and relation in ("exact", "close"):
            yield RelatedConcept(other, relation, str(details.get("basis", "")))


def _complete(
    name: ConceptName,
    node: Node,
    readings: Iterable[NameRow],
    elsewhere: ReadingsElsewhere,
    glosses: Iterable[str],
    count: int,
    use: Use | None,
) -> ConceptName:
    """Return a name with its reading, its part of speech and its uses.

    readings: what pages give as readings of the names. elsewhere: what pages give as readings of
        other terms' names. glosses: what defines the term in English.
    """
    reading, part, note = None, None, name.note
    if name.lang == "en" and node.kind == "term":
        part = part_of_english(name.text, glosses)
    elif name.lang == "ja":
        reading = _stated_reading(name, node, readings)
        # Of names of cards Sudachi knows nothing.
        if node.kind == "term" and len(name.text) <= _LONGEST_ANALYSED:
            morphemes = tokenizer().tokenize(name.text)
            part = part_of_japanese(morphemes)
            if reading is None:
                reading, basis = _other_reading(name.text, node, elsewhere, morphemes)
                note = "; ".join(filter(None, [note, basis]))
    return replace(
        name,
        reading=reading,
        part_of_speech=part,
        note=note,
        count=count,
        context=use.sentence if use else None,
        context_passage=use.passage if use else None,
    )


def _other_reading(
    name: str, node: Node, elsewhere: ReadingsElsewhere, morphemes: Iterable[Any]
) -> tuple[str | None, str]:
    """Return a reading of a name that no page gives for this term, and why: one that a page gives
    the same name of another term, or else one that is made; (None, "") if there is neither."""
    found = elsewhere.of(name, node.id, node.game) or likeliest_reading(morphemes)
    return (found.kana, found.basis) if found else (None, "")


def _stated_reading(name: ConceptName, node: Node, readings: Iterable[NameRow]) -> str | None:
    """Return the name itself if it is in kana, else the reading that the name's passage gives, else
    that of the node if the name is its label; None without any."""
    if is_kana(name.text):
        return name.text
    beside = (row.text for row in readings if row.passage and row.passage == name.passage)
    return next(beside, node.reading if name.text == node.label else None)


def _uses(
    names: Sequence[ConceptName], node: Node, facts: _Facts, uses: EnglishUses
) -> tuple[dict[str, tuple[int, Use | None]], list[ConceptSpelling]]:
    """Return ({name: (number of its uses, the best sentence that uses it)}, the spellings that are
    none of the names, the most frequent first). Of proposed and listed names no uses count."""
    found: dict[str, tuple[int, Use | None]] = {}
    for name in names:
        if name.why in ("proposed", "list"):  # where it is written, it may mean another term
            found.setdefault(name.text, (0, _example(name, facts)))
        else:
            english = name.lang == "en"
            found[name.text] = uses.of(node.game, name.text) if english else (0, None)
    others: dict[tuple[str, str], int] = defaultdict(int)
    written_so = facts.written.get(node.id, ())
    spelling_of = spelling_finder(list(found)) if written_so else str
    for written in written_so:
        spelling = spelling_of(written.words)
        if spelling in found:
            count, best = found[spelling]
            use = _use(written, spelling, best, facts.outdated)
            found[spelling] = (count + written.count, use or best)
        else:
            others[_language(written), spelling] += written.count
    spellings = [ConceptSpelling(lang, text, count) for (lang, text), count in others.items()]
    return found, sorted(spellings, key=lambda each: (-each.count, each.lang, each.text))


def _example(name: ConceptName, facts: _Facts) -> Use | None:
    """Return the sentence for which a name is proposed, if it is a handy one (see `use_at`); None
    if not, or without its text."""
    passage = name.passage or ""
    text = facts.examples.get(passage, "")
    found = re.search(re.escape(name.text), text, re.IGNORECASE)
    return use_at(text, found.start(), name.text, name.lang, passage, False) if found else None


def _use(written: WrittenName, name: str, best: Use | None, outdated: Iterable[str]) -> Use | None:
    if written.text is None:
        return None
    is_old = any(f"/{edition}/" in written.passage for edition in outdated)
    return use_at(written.text, written.start, name, written.lang, written.passage, is_old, best)


def _language(written: WrittenName) -> str:
    return written.lang or ("ja" if is_japanese(written.words) else _UNKNOWN)
