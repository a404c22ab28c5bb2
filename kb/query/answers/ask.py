"""Answers a question: parses it, finds candidate passages, ranks and reranks them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from graphs.edition_order import in_order
from graphs.model import Edge
from graphs.store.reader import Store
from graphs.store.rule_versions import versions_of
from graphs.store.sql_passage_filter import PassageFilter
from kb.errors import QuestionError
from kb.query.answers.answer import Answer, Answers
from kb.query.answers.bm25 import ScoredCandidate, score_candidate
from kb.query.answers.candidates import Candidate, links_alone
from kb.query.answers.deciding_sentence import deciding_sentence
from kb.query.answers.features import Features, Shortlist
from kb.query.answers.meanings import usable_encoder
from kb.query.answers.parts import Part, find_parts, speaks_of, with_parts
from kb.query.answers.question import QueryTerm, Question, parse_question
from kb.query.answers.refusal import is_refused
from kb.query.answers.rerank import rerank
from kb.query.answers.same_passages import newest_of_rules, newest_of_same
from kb.query.answers.shortlist import shortlist, term_frequencies
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.find_nodes import resolve_edition
from kb.query.lookup.nothing_found import near_names
from kb.query.lookup.places import Place, find_headings, find_places
from kb.query.lookup.rules import since
from kb.query.lookup.search_words import parse_words, phrases_query
from kb.reason import Ask, Reason, reason_of, take_for
from kb.rules.edition_dates import edition_dates, rules_languages

_LONGEST_SUBJECT = 80  # characters
_ASKING = re.compile(
    r"(?:とは|って|の意味|は)?(?:何|なに|なん|どういう意味|どんな意味)?(?:ですか|でしょうか|か)?[?？。]*$"
)
_COMPOUND = re.compile(r"[一-鿿々ァ-ヺー]+")
_LEAST_IMPORTANCE = 0.3  # numbers, prefixes, pronouns and the like are no reason
_HYPHENS = re.compile(r"(?<=^\d{4})(?=\d)|(?<=^\d{6})(?=\d)")  # within a date
_MATCHES = ("text", "related", "context")  # kinds of match in `ScoredCandidate.matches`
_MOST = 10  # answers, the best, whose rules are looked up


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
    edition, lang: only passages of this edition of a rulebook, or in this language; by default
        those that the question names beside the number of a rule. Without an edition, what several
        state in the same words is one answer, that of the newest.

    There are no answers if the pages hardly mention what is asked.
    """
    asked = text
    if edition is None and lang is None:
        edition, lang = _version_named(store, text, game)
        if edition or lang:  # the words that name it are not looked for
            asked = _without_version(text)
    scope = Scope(edition=edition, lang=lang)
    candidates = shortlist(store, asked, game, scope, usable_encoder(store))
    best = rerank(candidates) if candidates else []
    if not candidates or is_refused(candidates.question, candidates.frequencies, best):
        return _no_answers(store, text, PassageFilter(game=game, edition=edition, lang=lang))
    answers = _ranked(store, candidates, best, lang)
    parts = find_parts(candidates.question, candidates.terms[candidates.question.lang])
    if parts:
        of_parts = [shortlist(store, part.question, game, scope) for part in parts]
        rankings = [
            _ranked(store, found, rerank(found), lang) if found else [] for found in of_parts
        ]
        answers = [
            _scored_for(scored, candidates) for scored in with_parts(answers, parts, rankings)[:top]
        ]
    if not scope.edition:
        answers = newest_of_rules(store, answers)
    newest = newest_of_same(store, answers[:top], scope)
    return _make_answers(store, text, *newest, candidates, parts)


def _version_named(store: Store, text: str, game: str | None) -> tuple[str | None, str | None]:
    """Return the edition in force at the date, and the language, that a question names beside a
    rule's number; None for what it does not name, or its rules don't have."""
    date = _date_named(text)
    named = {lang for *_, lang in rules_languages(text, 0, len(text))}
    lang = named.pop() if len(named) == 1 else None
    if not date and not lang:
        return None, None
    rules = store.get(parse_question(store, text, game, Scope(lang=lang)).rule_ids).values()
    games = {rule.game for rule in rules}
    if len(games) != 1:
        return None, None
    edition = None
    if date:
        try:
            edition = resolve_edition(store, date, games.pop(), lang)
        except QuestionError as error:
            take_for(reason_of(error))
    return edition, lang if any(rule.lang == lang for rule in rules) else None


def _without_version(text: str) -> str:
    """Return a question with spaces for the dates and languages of rules in it."""
    dates = ((named.start, named.end) for named in edition_dates(text, (), every=True))
    langs = ((start, end) for start, end, _ in rules_languages(text, 0, len(text)))
    for start, end in (*dates, *langs):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _date_named(text: str) -> str | None:
    """Return the first date in a text as `resolve_edition` takes it; None without one."""
    named = next(edition_dates(text, (), every=True), None)
    return f"as of {_HYPHENS.sub('-', named.edition)}" if named else None


def _ranked(
    store: Store,
    candidates: Shortlist,
    best: Iterable[tuple[ScoredCandidate, Features]],
    lang: str | None,
) -> list[ScoredCandidate]:
    """Return the reranked candidates of a shortlist, best first, without those that say nothing.
    If no language was asked for, each is in the question's if it has a counterpart there."""
    ranked = [scored for scored, _ in best]
    if lang is None:
        ranked = with_counterparts(store, candidates.question, ranked)
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
    question = parse_question(store, text, narrow.game)
    if question.missing_games:
        games = tuple(sorted(store.values()["game"]))
        hints = (Reason("games_loaded", games=games), *hints)
    hints = (*_rules_to_show(store, text, question.rule_ids, narrow), *hints)
    if question.missing_numbers:
        hints = (Reason("no_rule_numbered", numbers=tuple(question.missing_numbers)), *hints)
    if not question.query_terms and not question.rule_ids and not question.missing_numbers:
        hints = (Reason("no_word_to_look_for"), *hints)
    elif not unknown and not question.missing_games and not question.missing_numbers:
        words = " ".join(content_words(question.query_terms))
        scope = {"game": narrow.game, "edition": narrow.edition, "lang": narrow.lang}
        query = phrases_query(parse_words(words).phrases, any_word=True)
        if query and store.passages.count(query, narrow, 1):
            search = Ask("search", text=words, any_word=True, **scope)
            hints = (*hints, Reason("passages_with_words", search))
    return Answers(text, (), unknown, near, hints, question.missing_games)


def _rules_to_show(
    store: Store, text: str, rules: Iterable[str], narrow: PassageFilter
) -> Iterator[Reason]:
    """Yield how to show the rules that a question names, as at the date that it names, if any."""
    as_of = _date_named(text)
    for rule in store.get(sorted(rules)).values():
        if narrow.game in (None, rule.game):
            ask = Ask("show", ref=rule.number, game=rule.game, edition=narrow.edition or as_of)
            yield Reason("rule_to_show", ask, rule=rule.number)


def _unknown_words(store: Store, text: str, game: str | None) -> tuple[str, ...]:
    """Return the words of a question that no passage has, in any inflection or spelling."""
    frequencies = term_frequencies(store, parse_question(store, text, game))
    return tuple(content_words(term for term, number in frequencies.items() if not number))


def _make_answers(
    store: Store,
    text: str,
    ranked: list[ScoredCandidate],
    copies: Mapping[str, Sequence[str]],
    candidates: Shortlist,
    parts: Sequence[Part],
) -> Answers:
    """Return the answers for ranked candidates, with their nodes, places and citations looked up.

    text: the question. copies: for each passage, those that say the same, by their ids.
    candidates: the shortlist that they are from. parts: of the question; candidates for these may
        be others.

    An answer's node is the rule that the passage gives, or else the passage; citations are those of
    this node. Scores are rounded to three places; ranks begin at 1.
    """
    passages = [scored.passage.id for scored in ranked]
    ids = [scored.passage.rule or scored.passage.id for scored in ranked]
    nodes = store.get([*ids, *passages])
    citations: dict[str, list[Edge]] = defaultdict(list)
    for edge in store.edges(ids, "out", ["cites"]):
        citations[edge.source].append(edge)
    others = {copy for scored in ranked for copy in scored.copies}
    others.update(copy for same in copies.values() for copy in same)
    places = find_places(store, others.union(passages))
    versions = versions_of(store, ids)
    rule_of = {row.id: row.rule for row in versions}
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
                since(
                    [row for row in versions if row.rule == rule_of.get(node_id)], nodes[node_id]
                ),
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
    return tuple(reworded[edition] for edition in in_order(reworded, newest_first=True))


def reasons(scored: ScoredCandidate) -> tuple[Reason, ...]:
    """Return why a candidate was chosen, the strongest reason first."""
    found = [scored.named] if scored.named else []
    for kind in _MATCHES:
        words = content_words(term for how, term in scored.matches if how == kind)
        if words:
            found.append(Reason(f"words_in_{kind}", first=tuple(words[:-1]), last=words[-1]))
    found += (Reason(f"is_{kind}") for kind in scored.answers_as)
    return (*found, *scored.reasons)


def content_words(terms: Iterable[QueryTerm]) -> list[str]:
    """Return the words of a question that say something, as they are written in it, each once.

    Nouns that stand side by side in the question are one word: 初期手札.

    terms: in the order of the question.
    """
    words: list[str] = []
    end = -1
    for term in terms:
        if term.importance <= _LEAST_IMPORTANCE:
            continue
        word = term.word or term.text
        if term.start == end and _COMPOUND.fullmatch(words[-1] + word):
            words[-1] += word
        else:
            words.append(word)
        end = term.end
    return list(dict.fromkeys(words))


def words_not_found(scored: ScoredCandidate, terms: Iterable[QueryTerm]) -> tuple[str, ...]:
    """Return the words of a question that neither a passage nor what it stands under has.

    terms: those of the question.
    """
    matched = {id(term) for _, term in scored.matches}
    return tuple(content_words(term for term in terms if id(term) not in matched))


def with_counterparts(
    store: Store, question: Question, ranked: Sequence[ScoredCandidate]
) -> list[ScoredCandidate]:
    """Return ranked answers in which a rule in another language than the question's gives its
    place to the rule that it translates, or that translates it, in the question's language.

    A counterpart that stands further down moves up; of each pair one is left. Only the ten best
    are looked at. Passages that give no rule, and rules without a counterpart, stay.

    ranked: the answers, best first.
    """
    foreign = {
        scored.passage.rule: scored
        for scored in ranked[:_MOST]
        if scored.passage.rule and (scored.passage.lang == "en") != (question.lang == "en")
    }
    counterparts: dict[str, str] = {}
    for edge in store.edges(foreign, "both", ["translates"]):
        if edge.target:
            counterparts.setdefault(edge.source, edge.target)
            counterparts.setdefault(edge.target, edge.source)
    known = {scored.passage.rule: scored for scored in ranked if scored.passage.rule}
    wanted = {counterparts[rule] for rule in foreign if rule in counterparts}
    giving = store.passages.first_passage_giving(wanted - known.keys())
    passages = store.passages.lookup(giving.values())
    answers: dict[str, ScoredCandidate] = {}
    for scored in ranked:
        rule = scored.passage.rule or ""
        other = counterparts.get(rule, "") if rule in foreign else ""
        chosen = known.get(other)
        if chosen is None and giving.get(other) in passages:
            candidate = Candidate(passages[giving[other]], "", None, "", "")
            chosen = replace(scored, candidate=candidate, copies=[])
        if chosen is not None:
            answers.setdefault(chosen.passage.id, _moved(chosen, scored))
        else:
            answers.setdefault(scored.passage.id, scored)
    return list(answers.values())


def _moved(chosen: ScoredCandidate, scored: ScoredCandidate) -> ScoredCandidate:
    """Return an answer that stands for its translation: it has the better score of the two."""
    number = (scored.passage.rule or "").rpartition("/")[2]
    return replace(
        chosen,
        final_score=max(chosen.final_score, scored.final_score),
        reasons=[
            *chosen.reasons,
            Reason("is_translated_by", rule=number, lang=scored.passage.lang),
        ],
        copies=[*chosen.copies, scored.passage.id],
    )
