"""Makes the shortlist of a question: the candidates that are ranked closely.

Those are left out that say the same as a better one, in another edition, capture or page. Where
there are vectors, the meanings of the question and of passages are compared, too.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from graphs.sort_orders import edition_key
from graphs.store.passage_index import IndexedPassage, PassageFilter
from graphs.store.reader import Store
from graphs.store.rule_versions import VersionRow, versions_of
from kb.query.answers.bm25 import ScoredCandidate, score_candidate
from kb.query.answers.candidates import any_of_query, find_candidates
from kb.query.answers.features import Shortlist
from kb.query.answers.question import QueryTerm, Question, parse_question
from kb.query.answers.stop_words import STOP_WORDS
from kb.query.answers.term_weights import PASSAGES, weighted_terms
from kb.query.lookup.common_filters import EVERYTHING, Scope
from kb.query.lookup.passage_places import find_copies
from kb.query.near.build_vectors import has_vectors
from kb.query.near.encoders import Encoder
from kb.query.near.installed_encoder import encoder_or_none
from kb.query.near.similarities import Similarity, nearest, similarities

_BY_NUMBER = "number "  # before the number of a rule, in a key
# By hand. Lower takes another rule for the same where an edition renumbered its rules; higher shows
# a rule twice that an edition worded in another way.
_LEAST_LIKENESS = 75  # of 100, of a rule's words in two editions; less is another rule
# The same, of two versions that a build found to be one rule: only what has hardly a word in common
# is kept apart.
_LEAST_OF_RULE = 40
_MOST_OF_RULES = 30  # candidates, the best, whose rules are looked up: more than are ever shown
# The number of a rule among the words of a passage; before a full stop it is several words.
_SIGNS = re.compile(r"[.-]")
_LETTER = r"(?: [a-z](?= |$))?"
_NUMBER = re.compile(
    rf" \d+(?:\.\d+)+{_LETTER}|(?:(?<= rule)|(?<= rules)) \d+(?:[ .]\d+)*{_LETTER}"
)


def deduplicated(ranked: list[ScoredCandidate]) -> list[ScoredCandidate]:
    """Return ranked candidates without those that give the same rule, or consist of the same
    words, as a better one.

    Of what several editions state in the same words, or nearly so in a rule of the same number, the
    newest is kept, at the place of the best; of a rule's passages, the one that states it before
    its further paragraphs and examples. The ids of those left out are in the `copies` of the one
    that is kept, which is changed so.

    ranked: the candidates, best first.
    """
    places: dict[str, int] = {}
    kept: list[ScoredCandidate] = []
    for scored in ranked:
        keys = _sameness_keys(scored.passage)
        known_places = [
            places[key]
            for key in keys
            if key in places and _is_same(scored.passage, kept[places[key]].passage, key)
        ]
        if not known_places:
            for key in keys:
                places.setdefault(key, len(kept))
            kept.append(scored)
            continue
        place = min(known_places)
        if _is_better_text(scored.passage, kept[place].passage):
            scored.copies += [*kept[place].copies, kept[place].passage.id]
            kept[place] = scored
        else:
            kept[place].copies.append(scored.passage.id)
    return kept


def newest_of_rules(store: Store, ranked: Sequence[ScoredCandidate]) -> list[ScoredCandidate]:
    """Return candidates of which each rule is one, in a language: what the newest edition says of
    it, at the place of the best of its versions.

    A version that has hardly a word in common with the one that was found takes no one's place:
    what is sought may stand in another rule since. Only the rules of the 30 best candidates are
    looked up; others, and passages without a rule, stay. The ids of what is left out are added to
    the `copies` of what stays.
    """
    some = {scored.passage.rule for scored in ranked[:_MOST_OF_RULES] if scored.passage.rule}
    rows = {row.id: row for row in versions_of(store, some)}
    newest: dict[tuple[str, str], VersionRow] = {}
    for row in sorted(rows.values(), key=lambda row: edition_key(row.edition)):
        newest[row.rule, row.lang] = row
    first = store.passages.first_passage_giving({row.id for row in newest.values()})
    passages = store.passages.lookup(first.values())
    places: dict[tuple[str, str], int] = {}
    kept: list[ScoredCandidate] = []
    for scored in ranked:
        own = rows.get(scored.passage.rule or "")
        if own is None:
            kept.append(scored)
            continue
        key = own.rule, own.lang
        if key in places:
            kept[places[key]].copies.append(scored.passage.id)
            continue
        last = newest[key]
        other = passages.get(first.get(last.id, ""))
        if other and last.id != own.id and _is_alike(other, scored.passage):
            candidate = replace(scored.candidate, passage=other)
            scored = replace(
                scored, candidate=candidate, copies=[*scored.copies, scored.passage.id]
            )
        places[key] = len(kept)
        kept.append(scored)
    return kept


def newest_of_same(
    store: Store, ranked: Sequence[ScoredCandidate], scope: Scope
) -> tuple[list[ScoredCandidate], dict[str, list[str]]]:
    """Return candidates, in order, with the newest edition's passage in place of an older one that
    says the same; and {passage: the ids of the others that say the same, newest first}.

    The ranking sees no more than what it was given: of a rule that several editions state in the
    same words, the search may have found an older one alone.

    scope: if it has an edition, nothing takes another's place.
    """
    copies = find_copies(store, {scored.passage.id: scored.copies for scored in ranked})
    known = store.passages.lookup(same[0] for same in copies.values() if same)
    shown = {scored.passage.id for scored in ranked}
    newest: list[ScoredCandidate] = []
    for scored in ranked:
        own, same = scored.passage, copies.get(scored.passage.id, [])
        other = known.get(same[0]) if same and not scope.edition else None
        if (
            other
            and other.id not in shown
            and own.edition
            and edition_key(other.edition) > edition_key(own.edition)
        ):
            candidate = replace(scored.candidate, passage=other)
            merged = [*scored.copies, own.id]
            scored = replace(scored, candidate=candidate, copies=merged)
            copies |= find_copies(store, {other.id: [own.id, *same]})
            shown.add(other.id)
        newest.append(scored)
    return newest, copies


def _sameness_keys(passage: IndexedPassage) -> list[str]:
    """Return the keys one of which two passages share if they may say the same: their words and
    their rule (or id without one); in a rulebook also, with game and language, their words without
    the numbers of rules, and the number of their rule."""
    keys = [passage.words, passage.rule or passage.id]
    if passage.edition:
        where = f"{passage.game} {passage.lang} "
        keys.append(where + _wording(passage))
        if passage.number:
            keys.append(f"{_BY_NUMBER}{where}{passage.number}")
    return keys


def _is_same(passage: IndexedPassage, kept: IndexedPassage, key: str) -> bool:
    """Return whether two passages with a key in common say the same: always by their words or rule;
    by the words without numbers if their editions differ; by the number if also three quarters of
    the wording are alike."""
    if key in (passage.words, passage.rule, passage.id):
        return True
    # Within one edition, only the numbers tell apart what two rules say of different things.
    if passage.edition == kept.edition:
        return False
    if not key.startswith(_BY_NUMBER):
        return True
    from rapidfuzz import fuzz

    # A number may be another rule's in the next edition.
    return fuzz.ratio(_wording(passage), _wording(kept)) >= _LEAST_LIKENESS


def _is_alike(passage: IndexedPassage, other: IndexedPassage) -> bool:
    from rapidfuzz import fuzz

    return fuzz.ratio(_wording(passage), _wording(other)) >= _LEAST_OF_RULE


def _wording(passage: IndexedPassage) -> str:
    """Return the words of a passage without the number of its rule, and with a sign for the other
    numbers of rules: these change from edition to edition."""
    words = f" {passage.words}"
    if passage.number:
        number, taken, rest = _SIGNS.sub("", passage.number), "", words.split()
        while rest and number.startswith(taken + _SIGNS.sub("", rest[0])):
            taken += _SIGNS.sub("", rest.pop(0))
        words = f" {' '.join(rest)}" if taken == number else words
    return _NUMBER.sub(" #", words)


def _is_better_text(passage: IndexedPassage, kept: IndexedPassage) -> bool:
    """Whether a passage is of a newer edition than another; of one edition, whether its rule's id
    sorts behind the other's (or the other has none), or it alone of two passages of a rule begins
    with the number. A passage without a rule is better only by its edition."""
    if passage.edition and kept.edition and passage.edition != kept.edition:
        return edition_key(passage.edition) > edition_key(kept.edition)
    if not passage.rule:
        return False
    rule, kept_rule = passage.rule, kept.rule or "~"
    number = rule.rpartition("/")[2].lower()
    begins, kept_begins = (
        words.replace(" ", "").startswith(number) for words in (passage.words, kept.words)
    )
    return rule > kept_rule or (rule == kept_rule and begins and not kept_begins)


# Passages that are looked at; of other games and editions are among them. By hand: some times what
# is kept, so that enough are left once these are taken out.
_MOST_NEAREST = 120
# Of them that are candidates whatever their words. By hand: each is ranked closely, beside 60 that
# were found by words; fewer lose answers in other words than the question's.
_MOST_KEPT = 20
_MOST_NEW = 4  # passages that are embedded for a question; each takes some 70 ms


def usable_encoder(store: Store) -> Encoder | None:
    """Return the encoder whose vectors of the passages lie beside a knowledge base; None if none is
    installed, or if `sansho near build` has not made them."""
    encoder = encoder_or_none()
    return encoder if encoder is not None and has_vectors(store, encoder) else None


def nearest_passages(
    store: Store, encoder: Encoder, question: Question, scope: Scope
) -> frozenset[str]:
    """Return the ids of the passages whose meaning is nearest to a question's, at most 20 by each
    of the two comparisons, of its games and within its scope; of other games and scopes only 120
    are passed over, so that there may be fewer, or none."""
    found: set[str] = set()
    for rows in nearest(store, encoder, question.text, _MOST_NEAREST):
        passages = store.passages.lookup(passage for passage, _ in rows)
        fitting = [
            passage
            for passage, _ in rows
            if passage in passages
            and (not question.games or passages[passage].game in question.games)
            and scope.edition in (None, passages[passage].edition)
            and scope.lang in (None, passages[passage].lang)
        ]
        found.update(fitting[:_MOST_KEPT])
    return frozenset(found)


def compare_meanings(
    store: Store, encoder: Encoder, question: Question, passages: list[str]
) -> list[Similarity]:
    """Return how near the meanings of passages are to a question's, in the order of `passages`.

    A passage that has no vector yet, beyond the four that are made at once, gets the mean of the
    others; if none has one, all are 0.

    passages: their ids.
    """
    found = similarities(store, encoder, question.text, passages, most_new=_MOST_NEW)
    known = [each for each in found if each is not None]
    if not known:
        return [Similarity(0.0, 0.0, 0.0)] * len(passages)
    mean = Similarity(*(sum(values) / len(known) for values in zip(*known, strict=True)))
    return [each or mean for each in found]


# Of the query terms, by weight, by a passage on the shortlist. By hand, halved when refusals were
# fitted by features: what covers little is refused there, and here only noise is kept away.
_LEAST_COVERAGE = 0.1
# Passages that are reranked: in the language of the question, and in the other one. By hand, raised
# from 40 in all: more cost time, fewer lose answers that only the features tell.
_MOST_SHORTLISTED, _MOST_OTHER_LANGUAGE = 60, 45
# The rough score of an answer beside the rule that a question names. By hand: some two rare words
# in a short passage; lower adds passages that share a word with the question.
_LEAST_SCORE = 9.0
# Of the translations that aligned rules show, all by hand:
_MOST_TERMS = 3  # words of a question that are looked up: each takes some 20 ms
_LEAST_IMPORTANCE = 0.6  # of these words: an adjective's, the least that is more than an adverb's
_MOST_PASSAGES = 80  # with the word, that are looked at: more take longer and count the same
_LEAST_PAIRS = 3  # of aligned rules that have both words: fewer may be chance
_MOST_COMPARED = 2  # words of the other language, the likeliest
_LEAST_DICE = 0.4  # Dice's coefficient of two words that translate each other; 1 is always together
# Translations of a word, by hand: a third is mostly a word that stands beside it, and draws in
# other passages.
_MOST_WORDS = 2


def shortlist(
    store: Store,
    text: str,
    game: str | None = None,
    scope: Scope = EVERYTHING,
    encoder: Encoder | None = None,
) -> Shortlist | None:
    """Return the best candidates by their rough scores, ready to be reranked: at most 60 in the
    question's language and 45 in the other, besides the nearest in meaning; None if there is no
    answer.

    There is none if the question has neither query terms nor the number of a rule, if it is about a
    game that is not loaded, or if no passage has its words. Of what says the same one is there.

    text, game: as for `ask`. scope: its edition and language, if any, are those of the passages.
    encoder: makes vectors of meanings, if they are to be compared; the passages nearest to the
        question are on the shortlist, too.
    """
    question = with_aligned_words(store, parse_question(store, text, game, scope))
    if question.missing_games and not question.games:
        return None
    frequencies = term_frequencies(store, question)
    if not frequencies and not question.rule_ids:
        return None  # nothing to search for
    terms = {lang: weighted_terms(question, frequencies, lang) for lang in ("ja", "en")}
    nearest: frozenset[str] = frozenset()
    if encoder and not question.rule_ids:
        nearest = nearest_passages(store, encoder, question, scope)
    scored_candidates = [
        score_candidate(
            candidate, question, terms["en" if candidate.passage.lang == "en" else "ja"]
        )
        for candidate in find_candidates(store, question, frequencies, scope, nearest)
    ]
    # If the question names a rule, that rule is the answer; others must match very well.
    least_score = _LEAST_SCORE if question.rule_ids else 0.0
    ranked = [
        scored
        for scored in scored_candidates
        if (scored.coverage >= _LEAST_COVERAGE and scored.score > least_score)
        or scored.passage.id in nearest
    ]
    ranked.sort(key=lambda scored: (-scored.score, scored.passage.id))
    if not ranked:
        return None
    ranked = _shortened(deduplicated(ranked), question.lang, nearest)
    ids = [scored.passage.id for scored in ranked]
    nodes, neighbours = store.get(ids), store.passages.neighbouring_words(ids)
    return Shortlist(
        ranked,
        [nodes[passage_id].text or "" for passage_id in ids],
        [neighbours.get(passage_id, "") for passage_id in ids],
        question,
        terms,
        frequencies,
        compare_meanings(store, encoder, question, ids) if encoder else (),
    )


def _shortened(
    ranked: list[ScoredCandidate], lang: str, nearest: Collection[str]
) -> list[ScoredCandidate]:
    """Return the best of ranked candidates, 60 in the question's language and 45 in others, in
    their order: scores of one language say little beside those of another.

    lang: the language of the question, `ja` or `en`. nearest: ids of passages that are kept,
        however many there are.
    """
    left = {True: _MOST_SHORTLISTED, False: _MOST_OTHER_LANGUAGE}
    kept = []
    for scored in ranked:
        is_own = (scored.passage.lang == "en") == (lang == "en")
        if left[is_own] or scored.passage.id in nearest:
            left[is_own] = max(0, left[is_own] - 1)
            kept.append(scored)
    return kept


def term_frequencies(store: Store, question: Question) -> dict[QueryTerm, int]:
    """Return in how many passages each query term of a question occurs, in any of its forms; 0 if
    in none. Related forms don't count."""
    return {
        query_term: store.passages.frequency(any_of_query(query_term.all_forms))
        for query_term in question.query_terms
    }


def with_aligned_words(store: Store, question: Question) -> Question:
    """Return a question whose words have translations from aligned rules as related forms.

    Only nouns, verbs and adjectives that neither the graph nor the thesaurus has in the other
    language, three of them at most, the rarest that any passage has: looking them up takes some
    20 ms a word. If all rules are in one language, the question is returned as it is.
    """
    other_is_ascii = question.lang == "ja"
    unknown = [
        term
        for term in question.query_terms
        if term.importance >= _LEAST_IMPORTANCE
        and all(form.isascii() != other_is_ascii for form in term.expanded_forms)
    ]
    if not unknown or len({lang for _, _, lang in store.editions()}) < 2:
        return question  # or no rules are aligned
    frequency = {
        term: store.passages.frequency(any_of_query(term.forms[question.lang])) for term in unknown
    }
    rare = sorted((term for term in unknown if frequency[term]), key=lambda term: frequency[term])
    found = {
        term: replace(
            term,
            related=term.related | aligned_words(store, term.forms[question.lang], question.lang),
        )
        for term in rare[:_MOST_TERMS]
    }
    terms = tuple(found.get(term, term) for term in question.query_terms)
    return replace(question, query_terms=terms)


def aligned_words(store: Store, forms: Iterable[str], lang: str) -> frozenset[str]:
    """Return the words of the other language that translate a word, as aligned rules show; two at
    most.

    Rules with the word are looked up, and the rules that translate them; a word of these that
    stands there and seldom elsewhere is its translation (Dice's coefficient of at least 0.4). Empty
    if fewer than three such rules are aligned, or if no word stands out.

    forms: the word, in normal forms; any of them counts. lang: its language, `ja` or `en`.
    """
    pairs = _aligned_rules(store, forms, lang)
    if len(pairs) < _LEAST_PAIRS:
        return frozenset()
    texts = _words(store, pairs.values())
    counts = Counter(word for words in texts.values() for word in words)
    frequent = [
        word
        for word, count in counts.items()
        if count >= max(_LEAST_PAIRS, len(texts) / 3)
        and word.isalpha()
        and word not in STOP_WORDS
        and word.isascii() == (lang == "ja")
    ]
    rarity = {word: store.passages.frequency(any_of_query([word])) for word in frequent}
    frequent.sort(key=lambda word: (-counts[word] * math.log(PASSAGES / (1 + rarity[word])), word))
    other = "en" if lang == "ja" else "ja"
    found: dict[str, float] = {}
    for word in frequent[:_MOST_COMPARED]:
        aligned = len(_aligned_rules(store, [word], other))
        dice = 2 * counts[word] / (len(texts) + max(aligned, counts[word]))
        if dice >= _LEAST_DICE:
            found[word] = dice
    return frozenset(sorted(found, key=lambda word: (-found[word], word))[:_MOST_WORDS])


def _aligned_rules(store: Store, forms: Iterable[str], lang: str) -> dict[str, str]:
    """Return {rule: the rule that it is a translation of, or the other way} for rules of a language
    that have one of some forms, among the 80 best passages; without rules that are not aligned."""
    narrow = PassageFilter(lang=lang)
    rows = store.passages.matching(any_of_query(forms), _MOST_PASSAGES, narrow)
    rules = {rule for _, rule, _ in rows if rule}
    pairs = {}
    for edge in store.edges(rules, "both", ["translates"]):
        source, target = edge.source, edge.target or ""
        pairs.update({source: target} if source in rules else {target: source})
    return pairs


def _words(store: Store, rules: Iterable[str]) -> Mapping[str, set[str]]:
    """Return {id of a passage: its words} for the first passages that give some rules, by ids."""
    passages = store.passages.first_passage_giving(rules).values()
    return {key: set(found.words.split()) for key, found in store.passages.lookup(passages).items()}
