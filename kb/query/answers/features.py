"""Computes the features of a shortlist's passages: the numbers that speak for or against each."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import NamedTuple

from kb.query.answers.bm25 import ScoredCandidate
from kb.query.answers.question import ANSWER_WORDS, QueryTerm, Question, stem_words
from kb.query.answers.sentence_features import ngrams, worth_of
from kb.query.answers.stop_words import STOP_WORDS
from kb.query.answers.term_weights import WeightedTerm, defined_term
from kb.query.answers.word_vectors import word_vectors
from kb.query.lookup.passage_places import without_rule_number
from kb.query.near.similarities import Similarity

# Set by hand; the weights of `rerank` were fitted to the features that these make.
# Characters of a sentence that are compared: a guard. In 60,000 passages of rulebooks one sentence
# of a thousand has more than 491.
_MOST_CHARACTERS = 2_000
# Characters before a name in a heading, one less at most: its number, such as `702.19 `. More would
# take a longer heading that only ends with the name for one on it.
_MOST_BEFORE_NAME = 8
# What a query term counts that is not in the passage but in its context, or in the passage before.
# The second lies below any worth of a term in the text or context: so those are told from it.
_CONTEXT_WORTH, _PRECEDING_WORTH = 0.8, 0.4
_WINDOW = 24  # words in which terms stand together: a sentence or so; half of the passages have 22
_MOST_PLACES = 40  # of the terms in a passage that are looked at: a guard for texts of one word


class Features(NamedTuple):
    """The features of one passage of a shortlist. Booleans count as 0 or 1."""

    first_score: float  # the rough score, as a share of the best passage's
    similarity: float  # of its best sentence, or two, to the question, by character n-grams
    coverage: float  # share of the query terms that it covers, with its context
    own_coverage: float  # share of the query terms that its own text has
    window_coverage: float  # share of the query terms that stand together in its text
    precision: float  # share of its words that the question has, in any wording
    name_coverage: float  # share of the named terms and cards that its text has
    subject: float  # share of the query terms that its page, heading or parent rule has
    neighbours: float  # share of the query terms that only the passages around it have
    brevity: float  # of that sentence: minus the logarithm of its length
    is_rule: float  # whether it gives a rule
    other_language: float  # whether it is in another language than the question
    other_coverage: float  # its coverage, if it is in another language
    other_score: float  # its rough score by the question's weight, if it is in another language
    language_lead: float  # by how much the best rough score of its language exceeds the other's
    is_example: float  # whether it is an example
    is_fragment: float  # whether it is a name or a table cell, not a sentence
    is_aside: float  # whether it only refers elsewhere, or says that repetition adds nothing
    has_answer_words: float  # whether it has what answers such a question: a number, a time…
    tells_result: float  # if it is asked what happens: whether it says what is lost, put, ended …
    states_answer: float  # whether a statement of the kind asked for was read from it
    is_definition: float  # if a definition is asked for: defines a term, or is cited for it
    opens_definition: float  # if one is asked for: begins with the term and says what it is
    first_subrule: float  # if one is asked for: how early a sub-rule of the rule on the term
    under_name: float  # if one is asked for: stands under the name of the term
    opens_condition: float  # if one is asked for: begins with a condition
    action_coverage: float  # share of the verbs and adjectives of the question that its text has
    context_similarity: float  # of what it stands under to the question, by character n-grams
    weight_share: float  # the rough score by the weight of the question
    length: float  # the logarithm of the number of its words
    word_nearness: float  # of its words to the question's, by learnt vectors of words
    cosine: float = 0.0  # of the vectors of its meaning and the question's, if there are vectors
    centred_cosine: float = 0.0  # the same, without the mean of each language
    turned_cosine: float = 0.0  # the same as the first, of a question that is turned to its answers


_SENTENCE = re.compile(r"(?<=[。！？])|(?<=[.!?])\s+|[\n\t]+")
_EXAMPLE = re.compile(r"（?例）?[：:]|Example:|Ex\.? (?=[A-Z])")  # as rulebooks begin examples
# What is true of many rules and answers nothing: that more than one of an ability adds nothing, and
# references alone.
_ASIDE = re.compile(
    r"multiple instances of|are redundant"
    r"|複数(?:個)?(?:の|もつ|持つ|あっても).{0,24}(?:意味|効果)(?:は|が)?な"
    r"|重複して(?:い|も)|^\W*(?:[\d.]+[a-z]?\W+)?(?:see|for more|some older cards)\b[^.]*\.[^.]*$"
    r"|^[^。]{0,40}(?:参照|を参照|を見よ)。?$",
    re.IGNORECASE,
)
# Characters; a longer text is no mere fragment. 19 of 20 names in rulebooks have up to 26.
_MOST_FRAGMENT = 25
_DEFINING = re.compile(
    r"とは|のこと|の略|総称|を指す|である|という。|ことをいう"
    r"|\b(?:means?|is an?|are|refers to|is the|is)\b",
    re.IGNORECASE,
)
# A sentence that only says of what kind something is, alone in its passage.
_CLASSIFYING = re.compile(
    r"(?i:[^.。]*(?:\b(?:is|are) (?:an? )?(?:\w+ )?(?:abilit|keyword|action)[^.]{0,60}\.\W*"
    r"(?:\([^)]*\)\W*)?$"
    r"|[^。]{0,30}(?:能力|キーワード)(?:の一種)?(?:である|です)。$))"
)
_CONDITION = re.compile(
    r"\W*(?:[\d.]+[a-z]?\W+)?(?:if|when|whenever|while|as|multiple|some|in an?)\b"
    r"|[^。]{0,60}(?:場合|なら|時|とき)、",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Shortlist:
    """The best candidates of a question, with what is needed to rerank them.

    ranked: the candidates, best first by their rough scores.
    texts: their texts, in the same order.
    neighbours: the normal forms of the passages before and after each, in the same order.
    question: the question.
    terms: the question's terms by the language of the passage, `ja` or `en`.
    frequencies: in how many passages each query term occurs.
    similarities: how near the meanings of the candidates are to the question's, in the same order;
        empty without vectors.
    """

    ranked: list[ScoredCandidate]
    texts: list[str]
    neighbours: list[str]
    question: Question
    terms: Mapping[str, Sequence[WeightedTerm]]
    frequencies: Mapping[QueryTerm, int]
    similarities: Sequence[Similarity] = ()


def features(shortlist: Shortlist, nearness: Sequence[float] | None = None) -> list[Features]:
    """Return the features of each candidate of a shortlist, in its order, before weighting.

    nearness: of the candidates' words to the question's; by default as `word_vectors` has it.

    `has_answer_words` is False if there is no pattern for the question's kind, and if it asks what
    happens: then `tells_result` counts instead. The features of definitions are False or 0 unless a
    definition is asked for. A fragment is a text of less than 25 characters without a full stop. An
    empty shortlist gives none.
    """
    question = shortlist.question
    nearness = word_nearness(shortlist) if nearness is None else nearness
    best_sentences = _best_sentences(question.text, shortlist.texts)
    covered = coverages(shortlist.ranked, shortlist.neighbours, shortlist.terms)
    asks_definition = question.kind == "definition"
    subjects = {lang: defined_term(terms) for lang, terms in shortlist.terms.items()}
    answer_words = re.compile(ANSWER_WORDS.get(question.kind, "$^"), re.IGNORECASE)
    total_weight = {
        lang: sum(term.weight for term in terms) or 1.0 for lang, terms in shortlist.terms.items()
    }
    shares = {
        lang: max((scored.score for scored in shortlist.ranked if scored.lang == lang), default=0.0)
        / total_weight[lang]
        for lang in ("ja", "en")
    }
    context_similarities = _best_sentences(
        question.text, [scored.candidate.above for scored in shortlist.ranked]
    )
    best_score = max((scored.score for scored in shortlist.ranked), default=0.0) or 1.0
    meanings = shortlist.similarities or [Similarity(0.0, 0.0, 0.0)] * len(shortlist.ranked)
    found = []
    for (
        scored,
        text,
        (similarity, length),
        coverage,
        (context_similarity, _),
        meaning,
        near,
    ) in zip(
        shortlist.ranked,
        shortlist.texts,
        best_sentences,
        covered,
        context_similarities,
        meanings,
        nearness,
        strict=True,
    ):
        lang = scored.lang
        body = without_rule_number(text, scored.passage.number or "")
        is_other = scored.lang != question.lang
        found.append(
            Features(
                first_score=scored.score / best_score,
                similarity=similarity,
                coverage=coverage.all,
                own_coverage=coverage.text,
                window_coverage=coverage.window,
                precision=coverage.precision,
                name_coverage=coverage.names,
                subject=coverage.context,
                neighbours=coverage.neighbours,
                brevity=-math.log(1 + length),
                is_rule=bool(scored.passage.rule),
                other_language=is_other,
                other_coverage=coverage.all * is_other,
                other_score=scored.score / total_weight[lang] * is_other,
                language_lead=shares[lang] - shares["ja" if lang == "en" else "en"],
                is_example=_EXAMPLE.match(body) is not None,
                is_fragment=len(body) < _MOST_FRAGMENT and not re.search("[。.]", body),
                is_aside=_ASIDE.search(body) is not None,
                has_answer_words=question.kind != "happens"
                and answer_words.search(text) is not None,
                tells_result=question.kind == "happens" and answer_words.search(text) is not None,
                states_answer=bool(scored.answers_as),
                is_definition=asks_definition and _defines(scored, subjects[lang]),
                opens_definition=asks_definition
                and _opens_definition(scored, body, subjects[lang]),
                first_subrule=asks_definition
                * _is_under(scored, subjects[lang])
                * _subrule_place(scored),
                under_name=asks_definition and _is_under(scored, subjects[lang]),
                opens_condition=asks_definition and _CONDITION.match(body) is not None,
                action_coverage=coverage.actions,
                context_similarity=context_similarity,
                weight_share=scored.score / total_weight[scored.lang],
                length=math.log(1 + scored.passage.words.count(" ")),
                word_nearness=near,
                cosine=meaning.cosine,
                centred_cosine=meaning.centred,
                turned_cosine=meaning.turned,
            )
        )
    return found


def words_to_compare(shortlist: Shortlist) -> tuple[list[str], list[list[str]]]:
    """Return the words of a question and of each of its candidates, as vectors of words have them:
    stemmed normal forms, of a term of several names the first."""
    question = shortlist.question
    forms = (sorted(term.forms[question.lang])[:1] for term in question.query_terms)
    asked = [word for form in chain.from_iterable(forms) for word in stem_words(form).split()]
    return asked, [stem_words(scored.passage.words).split() for scored in shortlist.ranked]


def word_nearness(shortlist: Shortlist) -> list[float]:
    """Return how near the words of each candidate are to those of the question, from -1 to 1."""
    vectors = word_vectors()
    asked, candidates = words_to_compare(shortlist)
    return vectors.nearness(vectors.places(asked), map(vectors.places, candidates))


def _defines(scored: ScoredCandidate, subject: WeightedTerm | None) -> bool:
    """Return whether a passage defines a term, or gives a rule that is cited for it; False without
    a term, or for a word that names none."""
    candidate = scored.candidate
    ids = subject.query_term.term_ids if subject else ()
    return candidate.defines in ids or candidate.cited_for in ids


def _is_under(scored: ScoredCandidate, subject: WeightedTerm | None) -> bool:
    """Return whether a passage stands under the name of a term: whether its heading, its page's
    name or the rule above ends with it, and has less than 8 characters before. False without
    one."""
    parent = scored.candidate.parent
    above = (scored.passage.under, scored.passage.page, parent.words if parent else None)
    names = [stem_words(name.lower()) for name in above if name]
    return subject is not None and any(
        name.endswith(form) and len(name) - len(form) < _MOST_BEFORE_NAME
        for name in names
        for form in subject.forms
    )


def _opens_definition(scored: ScoredCandidate, text: str, subject: WeightedTerm | None) -> bool:
    """Return whether a passage has a term within its first eight words and says within 120
    characters what it is; False if it begins with a condition, or only says of what kind it is.

    text: of the passage, without the number of its rule. subject: the term; False without one.
    """
    beginning = f" {stem_words(' '.join(scored.passage.words.split()[:8]))} "
    names = subject is not None and any(f" {form} " in beginning for form in subject.forms)
    return (
        names
        and _CONDITION.match(text) is None
        and _CLASSIFYING.match(text) is None
        and _DEFINING.search(text[:120]) is not None
    )


def _subrule_place(scored: ScoredCandidate) -> float:
    """Return how early a sub-rule stands below its rule: 1.0 for the first (a, or .1), 1/2 for the
    second, 1/3 and so on; 0.0 if the passage gives none, or a rule without levels."""
    last = re.search(r"(?:(?<=\d)([a-z])|\.(\d+))$", scored.passage.number or "")
    if last is None:
        return 0.0
    return 1 / (ord(last[1]) - ord("a") + 1 if last[1] else max(1, int(last[2])))


def _best_sentences(question: str, texts: Sequence[str]) -> list[tuple[float, int]]:
    """Return for each text (similarity, length) of the sentence, or two consecutive sentences,
    that are most similar to a question.

    The similarity is the cosine of the sets of character n-grams, from 0 to 1, each n-gram
    weighted by how rare it is among the texts. The length is the number of different n-grams. Of
    equally similar ones a sentence alone comes before two, and the first before others. For a text
    that shares none with the question the result is (0.0, 1).
    """
    sentences = [
        [sentence for sentence in _SENTENCE.split(text) if sentence and sentence.strip()]
        for text in texts
    ]
    grams = [[ngrams(sentence, _MOST_CHARACTERS) for sentence in split] for split in sentences]
    frequencies = Counter(gram for split in grams for gram in frozenset().union(*split))
    of_number = {n: math.log(1 + len(texts) / (0.5 + n)) ** 2 for n in {0, *frequencies.values()}}
    weights = {gram: of_number[number] for gram, number in frequencies.items()}
    unseen = of_number[0]
    wanted = ngrams(question, _MOST_CHARACTERS)
    question_norm = math.sqrt(sum(weights.get(gram, unseen) for gram in wanted)) or 1.0

    def weight(some: frozenset[str]) -> float:
        return sum(map(weights.__getitem__, some))

    results = []
    for split in grams:
        # Of each sentence, and of two: its weight, the weight that it shares, its n-grams' number.
        units = [(weight(sentence), weight(sentence & wanted), len(sentence)) for sentence in split]
        for (first, second), (a, b) in zip(pairwise(units[:]), pairwise(split), strict=True):
            both = a & b
            units.append(
                (
                    first[0] + second[0] - weight(both),
                    first[1] + second[1] - weight(both & wanted),
                    first[2] + second[2] - len(both),
                )
            )
        similarities = [
            (shared / (question_norm * (math.sqrt(total) or 1.0)), -place, size)
            for place, (total, shared, size) in enumerate(units)
        ]
        best, _, length = max(similarities, default=(0.0, 0, 1))
        results.append((best, length) if best else (0.0, 1))
    return results


class Coverage(NamedTuple):
    """The share of a question's terms, by weight, that …"""

    all: float  # a passage and its context have
    text: float  # its text has
    window: float  # stand together in its text
    precision: float  # of its text's words, that are the question's
    names: float  # its text has, of the names of terms and cards alone
    actions: float  # its text has, of the verbs and adjectives alone
    context: float  # what it stands under has
    neighbours: float  # only the passages around it have


def coverages(
    ranked: Sequence[ScoredCandidate],
    neighbours: Sequence[str],
    terms: Mapping[str, Sequence[WeightedTerm]],
) -> list[Coverage]:
    """Return for each candidate, in order, which share of the query terms it covers, from 0 to 1.

    Terms are weighted by their importance and by how few of the candidates have them; one that none
    has tells them not apart and has no weight. If none has any, all shares but the precision are 0.

    neighbours: the normal forms of the passages before and after each candidate.
    terms: the question's terms by the language of the passage, `ja` or `en`.
    """
    places = [
        [f" {stem_words(part)} " for part in (scored.passage.words, scored.candidate.above, around)]
        for scored, around in zip(ranked, neighbours, strict=True)
    ]
    worths = [
        [_worth(term, scored.candidate.defines, *parts) for term in terms[scored.lang]]
        for scored, parts in zip(ranked, places, strict=True)
    ]
    frequencies: Counter[QueryTerm] = Counter()
    for scored, term_worths in zip(ranked, worths, strict=True):
        frequencies.update(
            term.query_term
            for term, worth in zip(terms[scored.lang], term_worths, strict=True)
            if max(worth.text, worth.context) > _PRECEDING_WORTH
        )
    coverages = []
    for scored, term_worths, parts in zip(ranked, worths, places, strict=True):
        weights = [
            # What none of the candidates has tells them not apart.
            math.log(1 + len(ranked) / (0.5 + frequencies[term.query_term]))
            * term.query_term.importance
            * bool(frequencies[term.query_term])
            for term in terms[scored.lang]
        ]
        coverages.append(_coverage(terms[scored.lang], weights, term_worths, parts[0]))
    return coverages


class _Worth(NamedTuple):
    """How much of a query term a passage's text has, what it stands under, and its neighbours.

    Each is 0 or 1; of the text 0.7, if it has only a related word.
    """

    text: float
    context: float
    neighbours: float


def _coverage(
    terms: Sequence[WeightedTerm], weights: Sequence[float], worths: Sequence[_Worth], text: str
) -> Coverage:
    """Return the coverage of one passage, of the weight and the worth of each term, in their order.

    text: the stemmed forms of the passage, with a space at both ends.
    """
    of_terms = list(zip((term.query_term for term in terms), weights, worths, strict=True))
    every = [(weight, worth) for _, weight, worth in of_terms]
    names = [(weight, worth) for term, weight, worth in of_terms if term.term_ids]
    actions = [
        (weight, worth)
        for term, weight, worth in of_terms
        if not term.term_ids and term.importance < 1
    ]

    def share(some: Sequence[tuple[float, _Worth]], value: Callable[[_Worth], float]) -> float:
        covered = sum(weight * value(worth) for weight, worth in some)
        return covered / (sum(weight for weight, _ in some) or 1.0)

    return Coverage(
        share(every, lambda own: max(own.text, _CONTEXT_WORTH * own.context, 0.4 * own.neighbours)),
        share(every, lambda own: own.text),
        _window_weight(terms, weights, text) / (sum(weights) or 1.0),
        _precision(terms, text),
        share(names, lambda own: own.text),
        share(actions, lambda own: own.text),
        share(every, lambda own: own.context),
        share(every, lambda own: 0.0 if own.text + own.context else own.neighbours),
    )


def _precision(terms: Sequence[WeightedTerm], text: str) -> float:
    """Return the share of the different words of a text, without stop words and numbers, that some
    terms have in their forms or related forms; 0.0 if it has no words."""
    words = {word for word in text.split() if word not in STOP_WORDS and word[0].isalpha()}
    asked = {
        word for term in terms for form in (*term.forms, *term.related) for word in form.split()
    }
    return len(words & asked) / (len(words) or 1)


def _window_weight(terms: Sequence[WeightedTerm], weights: Sequence[float], text: str) -> float:
    """Return the greatest sum of the weights of terms that stand within 24 words of a text, each
    once; 0.0 if it has none. Of a term that stands in many places only the first are looked at.

    weights: of the terms, in their order. text: as for `_coverage`.
    """
    places: list[tuple[int, int]] = []
    for number, term in enumerate(terms):
        for form in (*term.forms, *term.related):
            at = text.find(f" {form} ")
            while at >= 0 and len(places) < _MOST_PLACES * (1 + number):
                places.append((text.count(" ", 0, at), number))
                at = text.find(f" {form} ", at + 1)
    places.sort()
    best, first = 0.0, 0
    for last, (place, _) in enumerate(places):
        while places[first][0] < place - _WINDOW:
            first += 1
        best = max(best, sum(weights[n] for n in {n for _, n in places[first : last + 1]}))
    return best


def _worth(term: WeightedTerm, defines: str, text: str, context: str, neighbours: str) -> _Worth:
    """Return how much of a query term a passage covers, each from 0 to 1. A passage that defines
    the term has it, although it may not contain the name.

    defines: the id of the term that the passage defines; empty if it defines none.
    text, context, neighbours: the stemmed forms of the passage, of what it stands under, and of
        the passages around it, each with a space at both ends.
    """
    return _Worth(
        worth_of(term, text) or float(bool(defines) and defines in term.query_term.term_ids),
        float(any(f" {form} " in context for form in term.forms)),
        float(any(f" {form} " in neighbours for form in term.forms)),
    )
