"""Answers a question: parses it, finds candidate passages, ranks and reranks them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from graphs.model import Edge, Node
from graphs.store.passage_index import IndexedPassage
from graphs.store.reader import Store
from graphs.store.sql_passage_filter import PassageFilter
from kb.query.answers.aligned_words import with_aligned_words
from kb.query.answers.bm25 import ScoredCandidate, score_candidate
from kb.query.answers.candidates import any_of_query, find_candidates, links_alone
from kb.query.answers.counterparts import with_counterparts
from kb.query.answers.deciding_sentence import deciding_sentence
from kb.query.answers.features import Features, Shortlist
from kb.query.answers.meanings import compare_meanings, nearest_passages, usable_encoder
from kb.query.answers.parts import Part, find_parts, speaks_of, with_parts
from kb.query.answers.question import QueryTerm, Question, parse_question
from kb.query.answers.reasons import content_words, in_words, reasons, words_not_found
from kb.query.answers.refusal import is_refused
from kb.query.answers.rerank import rerank
from kb.query.answers.term_weights import weighted_terms
from kb.query.common_filters import EVERYTHING, Scope
from kb.query.list_result import ListResult
from kb.query.near.encoder import Encoder
from kb.query.nothing_found import near_names
from kb.query.places import Place, find_copies, find_headings, find_places
from kb.query.table_result import Table, table_row
from kb.query.word_boundaries import cut_before, cut_behind

_LEAST_COVERAGE = 0.1  # of the query terms, by weight, by a passage on the shortlist
# Passages that are reranked: in the language of the question, and in the other one.
_MOST_SHORTLISTED, _MOST_OTHER_LANGUAGE = 60, 45
_LONGEST_SUBJECT = 80  # characters
_ASKING = re.compile(
    r"(?:とは|って|の意味|は)?(?:何|なに|なん|どういう意味|どんな意味)?(?:ですか|でしょうか|か)?[?？。]*$"
)
_BY_NUMBER = "number "  # before the number of a rule, in a key
_LEAST_LIKENESS = 75  # of 100, of a rule's words in two editions; less is another rule
# The number of a rule among the words of a passage; before a full stop it is several words.
_SIGNS = re.compile(r"[.-]")
_LETTER = r"(?: [a-z](?= |$))?"
_NUMBER = re.compile(
    rf" \d+(?:\.\d+)+{_LETTER}|(?:(?<= rule)|(?<= rules)) \d+(?:[ .]\d+)*{_LETTER}"
)
_LEAST_SCORE = 9.0  # the rough score of an answer beside the rule that a question names


@dataclass(frozen=True, slots=True)
class Answer:
    """A passage that answers a question.

    rank: its place among the answers, from 1.
    score: its score after reranking; only comparable among the answers to one question.
    passage: the passage.
    node: the rule that the passage gives, or the passage itself if it gives none.
    citations: the edges to the rules that `node` cites.
    why: the reasons why it was chosen, in words.
    decides: (start, end) of the sentence in the passage's text that decides the question.
    not_found: words of the question that neither the passage nor what it stands under has.
    place: where the passage stands.
    same: where else the same text stands: other editions, captures and pages.
    headings: what the cited rules are about, in the order of `citations`; empty if unknown.
    reworded: where older editions have the rule in other words.
    part: the words of the part of the question that it is on, separated by commas if it is on
        several; empty for a question that asks about one thing.
    group: the id of the rule that it is a sub-rule of, if another answer is one of its sub-rules,
        too; else empty.
    """

    rank: int
    score: float
    passage: Node
    node: Node
    citations: tuple[Edge, ...]
    why: tuple[str, ...]
    decides: tuple[int, int]
    not_found: tuple[str, ...]
    place: Place
    same: tuple[Place, ...]
    headings: tuple[str, ...]
    reworded: tuple[Place, ...] = ()
    part: str = ""
    group: str = ""

    def context(self, most: int) -> tuple[str, str]:
        """Return what the passage says before and behind the sentence that decides, without the
        number of its rule, on one line each; either is empty if there is nothing.

        most: at most how many characters there are of both; … stands where more is left out.
        """
        text, (start, end) = self.passage.text or "", self.decides
        left = " ".join(text[self.place.number_length(text) : start].split())
        right = " ".join(text[end:].split())
        before = max(most // 3, most - len(right))
        behind = most - min(len(left), before)
        if len(left) > before:
            left = "…" + left[cut_behind(left, len(left) - before, len(left)) :].lstrip()
        if len(right) > behind:
            right = right[: cut_before(right, behind, 0)].rstrip() + "…"
        return left, right


@dataclass(frozen=True, slots=True, repr=False)
class Answers(ListResult[Answer]):
    """A question and its answers, best first; there are none if the pages do not say.

    unknown: words of the question that no passage at all has; of a question with answers, only
        those for which no passage has other words.
    near, hints: names that are like these words, and sentences that say how, and which games are
        loaded; without answers only.
    missing_games: the ids of games that the question names and that are not loaded.
    """

    question: str
    answers: tuple[Answer, ...]
    unknown: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    missing_games: tuple[str, ...] = ()

    _ITEM = "answer"

    def _items(self) -> tuple[Answer, ...]:
        return self.answers

    def table(self) -> Table:
        """Return a table with a row per answer, best first.

        Its columns are rank, part, game, number, label, text, cites (the cited rules, separated by
        commas), why (the reasons, separated by semicolons), passage (its id) and notice.
        """
        return Table(
            tuple(
                table_row(
                    rank=answer.rank,
                    part=answer.part,
                    game=answer.node.game,
                    number=answer.node.number,
                    label=answer.node.label,
                    text=answer.passage.text,
                    cites=", ".join(dict.fromkeys(edge.target_label for edge in answer.citations)),
                    why="; ".join(answer.why),
                    passage=answer.passage.id,
                    notice=answer.node.notice,
                )
                for answer in self.answers
            )
        )

    def _about(self) -> str:
        return f"to {self.question}"

    def as_json(self) -> dict[str, Any]:
        """Return the object that `sansho ask --json` prints: the fields, by their names.

        An answer is {"rank", "part", "group", "score", "passage", "node", "why", "decides",
        "not_found", "place", "same", "reworded", "citations"}: `passage` and `node` as
        `Node.as_json` gives them, `why` a list of reasons, `place`, `same` and `reworded` as in
        `Place.as_json`, and a citation {"node": the id of the cited rule or None, "label",
        "heading", "evidence"}.
        """
        return {
            "question": self.question,
            "answers": [
                {
                    "rank": answer.rank,
                    "part": answer.part,
                    "group": answer.group,
                    "score": answer.score,
                    "passage": answer.passage.as_json(),
                    "node": answer.node.as_json(),
                    "why": list(answer.why),
                    "decides": list(answer.decides),
                    "not_found": list(answer.not_found),
                    "place": answer.place.as_json(),
                    "same": [place.as_json() for place in answer.same],
                    "reworded": [place.as_json() for place in answer.reworded],
                    "citations": [
                        {
                            "node": edge.target,
                            "label": edge.target_label,
                            "heading": heading,
                            "evidence": edge.as_json()["evidence"],
                        }
                        for edge, heading in zip(answer.citations, answer.headings, strict=True)
                    ],
                }
                for answer in self.answers
            ],
            "unknown": list(self.unknown),
            "near": list(self.near),
            "hints": list(self.hints),
            "missing_games": list(self.missing_games),
        }


def ask(
    store: Store,
    text: str,
    top: int = 5,
    game: str | None = None,
    edition: str | None = None,
    lang: str | None = None,
) -> Answers:
    """Return at most `top` passages that answer a question, best first.

    text: the question in a person's words, Japanese or English.
    game: the id of the game that it is about; by default the one that its words name, if any.
    edition, lang: only passages of this edition of a rulebook, or in this language. Without an
        edition, what several state in the same words is one answer, that of the newest.

    There are no answers if the pages hardly mention what is asked.
    """
    scope = Scope(edition=edition, lang=lang)
    candidates = shortlist(store, text, game, scope, usable_encoder(store))
    best = rerank(candidates) if candidates else []
    if not candidates or is_refused(candidates.question, candidates.frequencies, best):
        return _no_answers(store, text, PassageFilter(game=game, edition=edition, lang=lang))
    answers = _ranked(store, candidates, best)
    parts = find_parts(candidates.question, candidates.terms[candidates.question.lang])
    if parts:
        of_parts = [shortlist(store, part.question, game, scope) for part in parts]
        rankings = [_ranked(store, found, rerank(found)) if found else [] for found in of_parts]
        answers = [
            _scored_for(scored, candidates) for scored in with_parts(answers, parts, rankings)[:top]
        ]
    return _make_answers(store, text, answers[:top], candidates, parts)


def _ranked(
    store: Store, candidates: Shortlist, best: Iterable[tuple[ScoredCandidate, Features]]
) -> list[ScoredCandidate]:
    """Return the reranked candidates of a shortlist, best first, each in the question's language
    if it has a counterpart there, without those that say nothing."""
    ranked = with_counterparts(store, candidates.question, [scored for scored, _ in best])
    # They are taken out at the end: the ranking compares each candidate with all others.
    empty = links_alone(store, [scored.passage.id for scored in ranked])
    return [scored for scored in ranked if scored.passage.id not in empty]


def _scored_for(scored: ScoredCandidate, candidates: Shortlist) -> ScoredCandidate:
    """Return a candidate as one for the question of a shortlist, if it was found for a part of the
    question, with its place and final score as before."""
    if all(term in candidates.question.query_terms for _, term in scored.matches):
        return scored
    terms = candidates.terms["en" if scored.passage.lang == "en" else "ja"]
    whole = score_candidate(scored.candidate, candidates.question, terms)
    whole.final_score, whole.copies = scored.final_score, scored.copies
    return whole


def _no_answers(store: Store, text: str, narrow: PassageFilter) -> Answers:
    """Return an empty result, with the words that nothing has and names that are like them."""
    unknown = _unknown_words(store, text, narrow.game)
    # What a question asks about may be a word that is written as it sounds: ひくとは.
    subject = _ASKING.sub("", text[:_LONGEST_SUBJECT]).strip()
    asked = [subject] if subject and " " not in subject and subject not in unknown else []
    near, hints = near_names(store, [*asked, *unknown], narrow, "")
    missing = parse_question(store, text, narrow.game).missing_games
    if missing:
        loaded = in_words(sorted(store.values()["game"])) if store.values()["game"] else "none"
        hints = (f"games that are loaded: {loaded}", *hints)
    return Answers(text, (), unknown, near, hints, missing)


def shortlist(
    store: Store,
    text: str,
    game: str | None = None,
    scope: Scope = EVERYTHING,
    encoder: Encoder | None = None,
) -> Shortlist | None:
    """Return the best candidates by their rough scores, at most 40, ready to be reranked; None
    if there is no answer.

    There is none if the question has neither query terms nor the number of a rule, if it is about a
    game that is not loaded, or if no passage has its words.

    text, game: as for `ask`. scope: its edition and language, if any, are those of the passages.
    encoder: makes vectors of meanings, if they are to be compared; the passages nearest to the
        question are on the shortlist, too.
    """
    question = with_aligned_words(store, parse_question(store, text, game))
    if question.missing_games and not question.games:
        return None
    frequencies = _frequencies(store, question)
    if not frequencies and not question.rule_ids:
        return None  # nothing to search for
    terms = {lang: weighted_terms(question, frequencies, lang) for lang in ("ja", "en")}
    nearest = nearest_passages(store, encoder, question, scope) if encoder else frozenset()
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
    ranked = _shortened(_deduplicated(ranked), question.lang, nearest)
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
    """Return the best of ranked candidates, each language's: scores of one language say little
    beside those of another.

    lang: the language of the question, `ja` or `en`. nearest: ids of passages that are kept.
    """
    left = {True: _MOST_SHORTLISTED, False: _MOST_OTHER_LANGUAGE}
    kept = []
    for scored in ranked:
        is_own = (scored.passage.lang == "en") == (lang == "en")
        if left[is_own] or scored.passage.id in nearest:
            left[is_own] = max(0, left[is_own] - 1)
            kept.append(scored)
    return kept


def _frequencies(store: Store, question: Question) -> dict[QueryTerm, int]:
    """Return in how many passages each query term of a question occurs."""
    return {
        query_term: store.passages.frequency(any_of_query(query_term.all_forms))
        for query_term in question.query_terms
    }


def _unknown_words(store: Store, text: str, game: str | None) -> tuple[str, ...]:
    """Return the words of a question that no passage has, in any inflection or spelling."""
    frequencies = _frequencies(store, parse_question(store, text, game))
    return tuple(content_words(term for term, number in frequencies.items() if not number))


def _deduplicated(ranked: list[ScoredCandidate]) -> list[ScoredCandidate]:
    """Return ranked candidates without those that give the same rule, or consist of the same
    words, as a better one.

    Of what several editions state in the same words, or nearly so in a rule of the same number, the
    newest is kept, at the place of the best; of a rule's passages, the one that states it before
    its further paragraphs and examples.

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


def _sameness_keys(passage: IndexedPassage) -> list[str]:
    """Return the keys one of which two passages share if they may say the same: their words, their
    rule, their words without the numbers of rules, and the number of their rule."""
    keys = [passage.words, passage.rule or passage.id]
    if passage.edition:
        where = f"{passage.game} {passage.lang} "
        keys.append(where + _wording(passage))
        if passage.number:
            keys.append(f"{_BY_NUMBER}{where}{passage.number}")
    return keys


def _is_same(passage: IndexedPassage, kept: IndexedPassage, key: str) -> bool:
    """Return whether two passages with a key in common say the same."""
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
    """Whether a passage is of a newer edition than another, or the one of the two that begins with
    the rule's number."""
    if passage.edition and kept.edition and passage.edition != kept.edition:
        return passage.edition > kept.edition
    if not passage.rule:
        return False
    rule, kept_rule = passage.rule, kept.rule or "~"
    number = rule.rpartition("/")[2].lower()
    begins, kept_begins = (
        words.replace(" ", "").startswith(number) for words in (passage.words, kept.words)
    )
    return rule > kept_rule or (rule == kept_rule and begins and not kept_begins)


def _make_answers(
    store: Store,
    text: str,
    ranked: list[ScoredCandidate],
    candidates: Shortlist,
    parts: Sequence[Part],
) -> Answers:
    """Return the answers for ranked candidates, with their nodes, places and citations looked up.

    text: the question. candidates: the shortlist that they are from. parts: of the question;
        candidates for these may be others.

    An answer's node is the rule that the passage gives, or else the passage; citations are those of
    this node. Scores are rounded to three places; ranks begin at 1.
    """
    passages = [scored.passage.id for scored in ranked]
    ids = [scored.passage.rule or scored.passage.id for scored in ranked]
    nodes = store.get([*ids, *passages])
    citations: dict[str, list[Edge]] = defaultdict(list)
    for edge in store.edges(ids, "out", ["cites"]):
        citations[edge.source].append(edge)
    copies = find_copies(store, {scored.passage.id: scored.copies for scored in ranked})
    others = {copy for scored in ranked for copy in scored.copies}
    others.update(copy for same in copies.values() for copy in same)
    places = find_places(store, others.union(passages))
    groups = _groups(store, ids)
    headings = find_headings(store, [edge for edges in citations.values() for edge in edges])
    answers = []
    for rank, (node_id, scored) in enumerate(zip(ids, ranked, strict=True), 1):
        passage = nodes[scored.passage.id]
        place = places[passage.id]
        same = tuple(places[copy] for copy in copies.get(passage.id, ()))
        question = candidates.question
        terms = candidates.terms["en" if scored.passage.lang == "en" else "ja"]
        answers.append(
            Answer(
                rank,
                round(scored.final_score, 3),
                passage,
                nodes[node_id],
                tuple(citations[node_id]),
                reasons(scored),
                deciding_sentence(passage.text or "", place.number, question, terms),
                words_not_found(scored, question.query_terms),
                place,
                same,
                tuple(headings.get(edge.target or "", "") for edge in citations[node_id]),
                _reworded(place, same, [places[copy] for copy in scored.copies]),
                ", ".join(part.words for part in parts if speaks_of(scored, part)),
                groups.get(node_id, ""),
            )
        )
    unknown = (
        term
        for term, number in candidates.frequencies.items()
        if not number and not term.related and (term.term_ids or term.importance >= 1)
    )
    return Answers(
        text,
        tuple(answers),
        tuple(content_words(unknown)),
        missing_games=candidates.question.missing_games,
    )


def _groups(store: Store, rules: Iterable[str]) -> dict[str, str]:
    """Return {id of a rule: id of the rule that it is a sub-rule of}, for those of some rules of
    which another is a sub-rule of the same."""
    above = {
        edge.source: edge.target
        for edge in store.edges(rules, "out", ["part_of"])
        if edge.target and "." in edge.target.rpartition("/")[2]
    }
    sizes = Counter(above.values())
    return {rule: parent for rule, parent in above.items() if sizes[parent] > 1}


def _reworded(place: Place, same: Iterable[Place], merged: Iterable[Place]) -> tuple[Place, ...]:
    """Return where other editions have a passage in other words, each edition once, newest first.

    place: of the passage. same: where its very text stands. merged: where passages stand that were
        taken for the same.
    """
    known = {place.edition, *(other.edition for other in same)}
    reworded = {
        other.edition: other
        for other in merged
        if other.edition not in known and (other.game, other.lang) == (place.game, place.lang)
    }
    return tuple(reworded[edition] for edition in sorted(reworded, reverse=True) if edition)
