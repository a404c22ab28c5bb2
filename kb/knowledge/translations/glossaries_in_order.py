"""English names of terms in further languages, such as Chinese: by the headings of one rule, and by
the order of the glossaries, which a translation keeps that isn't sorted anew.

Japanese terms have theirs by `labels_by_headings` and `labels_by_glosses`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from graphs.sort_orders import edition_key, natural_key
from graphs.writing.names_and_merges import DefiningPassage, DerivedLabel, NodeName
from graphs.writing.rules import StatedRule
from kb.knowledge.page_subject import game_of
from kb.knowledge.translations.aligned_texts import EnglishName, GlossaryEntry, english_key
from kb.language.fold import fold

_WELL_KNOWN = ("ja", "en")
# The numbers of the rules that a gloss cites: the same in both languages, where only an edition
# parts them. One level is no number of a rule in most books, and of a chapter says little.
_RULE = re.compile(r"\d+\.\d+(?:\.\d+)*[a-z]?|\d{3}")
# Entries that must be known to stand for each other before an order tells anything, and how many of
# the entries that cite they must be. By hand: of Magic's Chinese glossary of 2022 they are 466 of
# 566, of Lorcana's German one, which is sorted anew, 6 of 19.
_FEWEST_ANCHORS, _MOSTLY = 12, 0.6
_ROUNDS = 5  # of looking between what the one before found: a guard, as the fourth finds no more

_Heading = tuple[str, str, str]  # game, language, folded heading of a rule
_Heads = tuple[GlossaryEntry, ...]  # entries of one headword: its senses
_Pair = tuple[int, int]  # places of entries in two glossaries


def labels_of_further_languages(
    definitions: Iterable[DefiningPassage],
    names: Iterable[NodeName],
    groups: Iterable[Sequence[StatedRule]],
) -> list[DerivedLabel]:
    """Return the English names of terms that pages name in neither Japanese nor English, sorted: by
    such a name a term is merged with the English one.

    definitions: the passages that define terms. names: those of all terms; both as pages state
    them. groups: the rules that are there in several languages, of one number each.
    """
    of_node: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    by_name: dict[_Heading, set[str]] = defaultdict(set)
    english_terms: dict[tuple[str, EnglishName], set[str]] = defaultdict(set)
    for name in names:
        if name.role == "preferred":
            game = game_of(name.node)
            of_node[name.node][name.lang].append(name.text)
            by_name[game, name.lang, fold(name.text)].add(name.node)
            if name.lang == "en":
                english_terms[game, english_key(name.text)].add(name.text)
    foreign = {
        node
        for node, of_lang in of_node.items()
        for lang in of_lang
        if lang not in _WELL_KNOWN and not of_lang.keys() & {*_WELL_KNOWN}
    }
    if not foreign:
        return []
    found: dict[str, DerivedLabel] = {}
    heads: dict[_Heading, str] = {}
    for heading, (english, passage) in sorted(dict(_headings(groups)).items()):
        heads[heading] = fold(english)
        nodes = by_name[heading]
        if len(nodes) == 1 and (node := next(iter(nodes))) in foreign:
            # Headings stand in the plural where terms don't.
            terms = english_terms.get((heading[0], english_key(english)), set())
            found[node] = _label(node, min(terms) if len(terms) == 1 else english, passage)
    for theirs, ours in _books(_entries(definitions, of_node)):
        for one, other in _pairs(theirs, ours, heads):
            if len(one) == len(other) == 1 and one[0].node in foreign:
                found[one[0].node] = _label(one[0].node, other[0].names[0], other[0].passage)
    return sorted(found.values())


def _label(node: str, english: str, passage: str) -> DerivedLabel:
    return DerivedLabel(node, "en", english, "preferred", fold(english), passage)


def _headings(
    groups: Iterable[Sequence[StatedRule]],
) -> Iterator[tuple[_Heading, tuple[str, str]]]:
    """Yield headings of rules that a further language and English have, with (English heading,
    passage that has it), the newest edition last. Left out are headings in a language that stand
    for several English ones in an edition."""
    rules = [
        (rule, english)
        for group in groups
        for english in group
        if english.lang == "en" and english.heading
        for rule in group
        if rule.lang not in _WELL_KNOWN and rule.heading and rule.is_sure
    ]
    rules.sort(key=lambda pair: edition_key(pair[0].edition))
    several = Counter(
        {
            (rule.game, rule.edition, rule.lang, fold(rule.heading), fold(english.heading))
            for rule, english in rules
        }
    )
    meanings = Counter(key[:4] for key in several)
    for rule, english in rules:
        if meanings[rule.game, rule.edition, rule.lang, fold(rule.heading)] == 1:
            key = rule.game, rule.lang, fold(rule.heading)
            yield key, (english.heading, english.passage)


def _entries(
    definitions: Iterable[DefiningPassage], names: Mapping[str, Mapping[str, Sequence[str]]]
) -> dict[str, list[_Heads]]:
    """Return {page of a rulebook: the entries of its glossary in their order, those of one headword
    together}, of languages but Japanese."""
    stated = [
        GlossaryEntry(one.node, one.lang, tuple(texts), one.passage, one.text)
        for one in definitions
        if one.sure and one.passage.startswith("rulebook/") and one.lang != "ja"
        if (texts := names.get(one.node, {}).get(one.lang, ()))
    ]
    stated.sort(key=lambda entry: natural_key(entry.passage))
    pages: dict[str, list[_Heads]] = {}
    for page, of_page in groupby(stated, key=lambda entry: entry.page):
        heads = pages.setdefault(page, [])
        for _, of_head in groupby(of_page, key=lambda entry: fold(entry.names[0])):
            nodes = {entry.node: entry for entry in of_head}
            heads.append(tuple(nodes.values()))
    return pages


def _books(
    pages: Mapping[str, Sequence[_Heads]],
) -> Iterator[tuple[Sequence[_Heads], Sequence[_Heads]]]:
    """Yield each glossary in a further language with the English one of its edition, else of the
    nearest edition of the same document, an older one first."""
    english = {page: heads for page, heads in pages.items() if heads[0][0].lang == "en"}
    for page, heads in sorted(pages.items()):
        of_document = [
            other for other in english if english[other][0][0].document == heads[0][0].document
        ]
        if page not in english and of_document:
            own = edition_key(_edition(page))
            of_document.sort(key=lambda other: edition_key(_edition(other)))
            older = [other for other in of_document if edition_key(_edition(other)) <= own]
            yield heads, english[older[-1] if older else of_document[0]]


def _edition(page: str) -> str:
    """Return the edition in the id of a rulebook's page: `rulebook/mtg/cr/20220610/zh`."""
    return page.rpartition("/")[0].rpartition("/")[2]


def _pairs(
    theirs: Sequence[_Heads],
    ours: Sequence[_Heads],
    headings: Mapping[_Heading, str],
) -> Iterator[tuple[_Heads, _Heads]]:
    """Yield the entries of two glossaries that are one, if the one keeps the order of the other.

    theirs: in the further language; ours: in English.
    headings: {heading: folded English heading}.
    """
    first = theirs[0][0]
    game = game_of(first.node)
    keys = [_key(head, headings.get((game, first.lang, fold(head[0].names[0])))) for head in theirs]
    english = {fold(head[0].names[0]) for head in ours} & {*headings.values()}
    others = [
        _key(head, name if (name := fold(head[0].names[0])) in english else None) for head in ours
    ]
    anchors = _anchors(keys, others)
    citing = sum(any(key) for key in keys)
    if len(anchors) < _FEWEST_ANCHORS or len(anchors) < _MOSTLY * citing:
        return
    for place, other in _filled(anchors, keys, others):
        yield theirs[place], ours[other]


_Key = tuple[frozenset[str], str]  # the rules that an entry cites; its heading, if a rule has it


def _key(head: _Heads, heading: str | None) -> _Key:
    cited = {number for entry in head for number in _RULE.findall(fold(entry.text))}
    return frozenset(cited), heading or ""


def _anchors(keys: Sequence[_Key], others: Sequence[_Key]) -> list[_Pair]:
    """Return the places whose keys are the same and that no other entry has, in one order; then,
    between each two of them, those that are alone there, and so on."""
    kept: list[_Pair] = []
    for _ in range(_ROUNDS):
        ends = [(-1, -1), *kept, (len(keys), len(others))]
        found = [
            pair
            for (first, other), (last, other_last) in pairwise(ends)
            for pair in _alone(keys, others, (first + 1, other + 1), (last, other_last))
        ]
        if not found:
            break
        kept = sorted([*kept, *found])
    return kept


def _alone(keys: Sequence[_Key], others: Sequence[_Key], start: _Pair, end: _Pair) -> list[_Pair]:
    """Return the places between two pairs of places whose keys are the same and that no other entry
    there has, in one order."""
    ours, theirs = keys[start[0] : end[0]], others[start[1] : end[1]]
    counts, counts_of_other = Counter(ours), Counter(theirs)
    places = {key: place for place, key in enumerate(theirs, start[1])}
    return _rising(
        [
            (place, places[key])
            for place, key in enumerate(ours, start[0])
            if any(key) and counts[key] == 1 == counts_of_other.get(key, 0)
        ]
    )


def _rising(pairs: Sequence[_Pair]) -> list[_Pair]:
    """Return the most pairs, sorted by the first number, of which the second rises, too."""
    lasts: list[int] = []  # the least second number that ends a rising row of each length
    rows: list[tuple[_Pair, int]] = []  # a pair, and the place of the one before it in its row
    ends: list[int] = []  # by length: the place in `rows` of the pair that ends it
    for pair in pairs:
        length = bisect_left(lasts, pair[1])
        rows.append((pair, ends[length - 1] if length else -1))
        lasts[length : length + 1] = [pair[1]]
        ends[length : length + 1] = [len(rows) - 1]
    found: list[_Pair] = []
    place = ends[-1] if ends else -1
    while place >= 0:
        pair, place = rows[place]
        found.append(pair)
    return found[::-1]


def _filled(
    anchors: Sequence[_Pair], keys: Sequence[_Key], others: Sequence[_Key]
) -> Iterator[_Pair]:
    """Yield pairs of places and those between each two of them, in order, where as many entries of
    the one glossary stand as of the other, and each cites what its counterpart cites."""
    ends = [(-1, -1), *anchors, (len(keys), len(others))]
    for (first, other), (last, other_last) in pairwise(ends):
        if first >= 0:
            yield first, other
        between = [*zip(range(first + 1, last), range(other + 1, other_last), strict=False)]
        if last - first == other_last - other and all(
            keys[one][0] == others[two][0] for one, two in between
        ):
            yield from between
