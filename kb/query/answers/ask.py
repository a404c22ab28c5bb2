"""Answers a question: parses it, finds candidate passages, ranks and reranks them."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from graphs.model import Edge
from graphs.sort_orders import in_order
from graphs.store.passage_index import PassageFilter
from graphs.store.reader import Store
from graphs.store.rule_versions import versions_of
from kb.errors import QuestionError
from kb.query.answers.answer import Answer, Answers
from kb.query.answers.bm25 import ScoredCandidate, score_candidate
from kb.query.answers.candidates import Candidate, any_of_query, links_alone
from kb.query.answers.deciding_sentence import deciding_sentence
from kb.query.answers.features import Features, Shortlist
from kb.query.answers.limits import MOST_LIMITS, limits_beside, limits_within
from kb.query.answers.question import QueryTerm, Question, parse_question
from kb.query.answers.refusal import is_refused
from kb.query.answers.rerank import rerank, reread
from kb.query.answers.shortlist import (
    newest_of_rules,
    newest_of_same,
    shortlist,
    term_frequencies,
    usable_encoder,
)
from kb.query.answers.stop_words import ASKING_WORDS
from kb.query.answers.term_weights import WeightedTerm
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.find_by_reference import resolve_edition
from kb.query.lookup.nothing_found import near_names
from kb.query.lookup.passage_places import Place, find_headings, find_places, without_rule_number
from kb.query.lookup.rules import since
from kb.query.lookup.search_words import fulltext_query
from kb.query.near.encoders import EncoderDiedError
from kb.reason import Ask, Reason, reason_of, take_for
from kb.rules.edition_dates import edition_dates, rules_languages
from scraper.sites.games import find_games

# By hand, for the five answers that `ask` gives by default: each part gets one of these, and
# something is left for the whole question. Six answers for the parts left it too little.
_MOST_PARTS = 3
_MOST_OF_WHOLE = 4  # answers to the whole question before more answers for its parts
_MOST_OF_PARTS = 4  # answers for the parts, together
_WHAT_IS = {"ja": "{}とは何？", "en": "What does {} do?"}
# Of a part, as a share of the heaviest one's. By hand: lower makes a part of such words as カード,
# which are in most passages; higher drops the commoner of two names.
_LEAST_WEIGHT = 0.5
# What may stand between two parts: signs and words that join, with what goes with these.
_JOINED = re.compile(
    r"[\s\d]*(?:\s*[,、，・&＆+＋/／]\s*(?:\b(?:and|or)\b)?"
    r"|\b(?:and|or|plus|versus|vs)\b\.?(?:\s+(?:in|on|with|of|for|to|both|is|are|has|have)\b)?"
    r"|とか|と、?|や|及び|および|かつ|または|それとも)+\s*(?:\b(?:the|an?)\b\s*)?",
    re.IGNORECASE,
)
_LAST_OF_LIST = re.compile(r"\s*,\s*(?:and|or)\b", re.IGNORECASE)
_IF = re.compile(r"[うくぐすつぬぶむる]と")  # 引くと: if one draws; any verb ends so
_NO_NOUN = re.compile(r"[ぁ-ん]+|and|or|plus|with|(?:versus|vs)\.?", re.IGNORECASE)
_SIDE_BY_SIDE = re.compile(r"[\s-]*")  # what may stand between the words of one compound
_BOTH = re.compile("両方|それぞれ")


@dataclass(frozen=True, slots=True)
class Part:
    """One of several things that a question names.

    words: as the question writes them.
    terms: the query terms in these words.
    question: what it is, as a question, with the games that the whole question names.
    """

    words: str
    terms: tuple[QueryTerm, ...]
    question: str


def find_parts(question: Question, terms: Sequence[WeightedTerm]) -> list[Part]:
    """Return the parts of a question, in its order; none if it names one thing.

    They are two names, or two nouns, joined by a word such as `and` or by a sign; if nothing is
    joined and 両方 or それぞれ is there, all names. Of more than three, the heaviest are parts.
    What has less than half the weight of the heaviest, as it is in most passages, is no part beside
    it.

    terms: those of the question, weighted, for passages in its language.
    """
    weights = {term.query_term: term.weight for term in terms}
    units = _units(question)
    heads = [max(weights.get(term, 0.0) for term in unit) for unit in units]
    is_named = [bool(unit[0].term_ids) for unit in units]
    chosen = {
        place
        for pair in _joined(question.text, units, heads)
        if is_named[pair[0]] == is_named[pair[1]]
        for place in pair
    }
    if len(chosen) < 2 and _BOTH.search(question.text):
        chosen |= {place for place, named in enumerate(is_named) if named}
    least = _LEAST_WEIGHT * max((heads[place] for place in chosen), default=0.0)
    heaviest = sorted(chosen, key=lambda place: -heads[place])[:_MOST_PARTS]
    kept = sorted(place for place in heaviest if heads[place] >= least)
    if len(kept) < 2:
        return []
    spans = [(units[place][0].start, units[place][-1].end) for place in kept]
    games = "".join(f" {question.text[start:end]}" for _, start, end in find_games(question.text))
    return [
        Part(
            question.text[start:end],
            tuple(units[place]),
            _WHAT_IS[question.lang].format(question.text[start:end]) + games,
        )
        for place, (start, end) in zip(kept, spans, strict=True)
    ]


def _units(question: Question) -> list[list[QueryTerm]]:
    """Return the names in a question, each alone, and its other nouns, those that stand side by
    side together, in its order. Verbs, adjectives, numbers and words in hiragana are left out."""
    units: list[list[QueryTerm]] = []
    for term in sorted(question.query_terms, key=lambda term: term.start):
        if not term.term_ids and (term.importance < 1 or _NO_NOUN.fullmatch(term.text)):
            continue
        is_of_last = (
            units
            and not term.term_ids
            and not units[-1][-1].term_ids
            and _SIDE_BY_SIDE.fullmatch(question.text, units[-1][-1].end, term.start)
        )
        if is_of_last:
            units[-1].append(term)
        else:
            units.append([term])
    return units


def _joined(
    text: str, units: Sequence[Sequence[QueryTerm]], heads: Sequence[float]
) -> list[tuple[int, int]]:
    """Return which two units are joined, as pairs of their places, in order; a unit may be in two
    pairs. Of units side by side, as in `first strike creatures and trample creatures`, the heaviest
    counts, and of equal ones the first.

    heads: the weight of each unit's heaviest term.
    """
    gaps = list(pairwise(units))
    adjacent = [
        _SIDE_BY_SIDE.fullmatch(text, one[-1].end, other[0].start) is not None
        for one, other in gaps
    ]
    found: list[tuple[int, int]] = []
    for place, (one, other) in enumerate(gaps):
        gap = one[-1].end, other[0].start
        if not _JOINED.fullmatch(text, *gap) or _IF.match(text, gap[0] - 1):
            continue
        if _LAST_OF_LIST.match(text, *gap) and not found:
            continue  # of two, it joins sentences
        first, last = place, place + 1
        while first and adjacent[first - 1]:
            first -= 1
        while last < len(units) - 1 and adjacent[last]:
            last += 1
        found.append(
            (
                max(range(first, place + 1), key=lambda n: heads[n]),
                max(range(place + 1, last + 1), key=lambda n: heads[n]),
            )
        )
    return found


def speaks_of(scored: ScoredCandidate, part: Part) -> bool:
    """Return whether a candidate has a word of a part, in any way that counts as a match: written
    as the question writes it, or a name of the same term or card in any language."""
    names = {name for term in part.terms for name in term.term_ids}
    texts = {term.text for term in part.terms}
    return any(
        bool(names.intersection(term.term_ids)) or term.text in texts for _, term in scored.matches
    )


def with_parts(
    ranked: Sequence[ScoredCandidate],
    parts: Sequence[Part],
    rankings: Sequence[Sequence[ScoredCandidate]],
) -> list[ScoredCandidate]:
    """Return the candidates for a question, best first, in such an order that the first answers
    speak of all its parts.

    The first stays, if it speaks of any. Then comes the best for each part that none before speaks
    of, then the four best for the whole question, up to four for the parts in turn, and all others.
    Each rule, and each passage without a rule, comes once; what only a part found may be among
    them.

    ranked: for the whole question, best first.
    rankings: for each part, found by this part alone; best first.
    """
    whole = {_key(scored): scored for scored in ranked}
    of_parts = [
        [whole.get(_key(scored), scored) for scored in ranking if speaks_of(scored, part)]
        for part, ranking in zip(parts, rankings, strict=True)
    ]
    order = [scored for scored in ranked[:1] if any(speaks_of(scored, part) for part in parts)]
    order += [
        one
        for part, best in zip(parts, of_parts, strict=True)
        if not any(speaks_of(scored, part) for scored in order)
        for one in best[:1]
    ]
    order += ranked[:_MOST_OF_WHOLE]
    order += [
        one
        for best in zip_longest(*(best[: _MOST_OF_PARTS // len(parts)] for best in of_parts))
        for one in best
        if one
    ]
    return list({_key(scored): scored for scored in [*order, *ranked]}.values())


def _key(scored: ScoredCandidate) -> str:
    """Return the id of the rule that a candidate gives, or of the passage if it gives none."""
    return scored.passage.rule or scored.passage.id


# Characters of a question in which its subject is looked for: any number would do that keeps a long
# text out of the comparison with all names. 99 of 100 names in rulebooks have up to 78.
_LONGEST_SUBJECT = 80
_ASKING = re.compile(  # how a question for a meaning ends, behind what it asks about
    r"(?:とは|って|の意味|は)?(?:何|なに|なん|どういう意味|どんな意味)?(?:ですか|でしょうか|か)?[?？。]*$"
)
_COMPOUND = re.compile(r"[一-鿿々ァ-ヺー]+")  # kanji and katakana: what Japanese compounds are of
# Numbers, prefixes, pronouns and the like are no reason: 0.3 is `_NUMBER_IMPORTANCE` of `question`;
# what tells more, from adjectives (0.6) on, is above it.
_LEAST_IMPORTANCE = 0.3
_HYPHENS = re.compile(r"(?<=^\d{4})(?=\d)|(?<=^\d{6})(?=\d)")  # where a date takes them: 20231117
# When a rulebook came into force, which stands at its head and answers nothing else.
_DATE_ALONE = re.compile(
    r"\W*\d{4}\s*年\s*\d{1,2}\s*月\s*\d{1,2}\s*日\s*(?:施行|発効|適用|更新|改訂|版)?\W*"
)
_ALIKE = 0.5  # by hand: questions that have half of their words in common, by weight, ask alike
# Kinds of match in `ScoredCandidate.matches`, the strongest first: so reasons are given.
_MATCHES = ("text", "related", "context")
# Answers, the best, whose rules are looked up. By hand: twice the five that are shown by default;
# more costs a look-up, and moves what nobody sees.
_MOST = 10


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

    There are no answers if the pages hardly mention what is asked: then the result says which words
    nothing has and what to try. Of a question that names several things the first answers speak of
    each. An unknown game, edition or language raises nothing: nothing is found in it.
    """
    asked = text
    if edition is None and lang is None:
        edition, lang = _version_named(store, text, game)
        if edition or lang:  # the words that name it are not looked for
            asked = _without_version(text)
    scope = Scope(edition=edition, lang=lang)
    candidates = _shortlist_by_meaning(store, asked, game, scope)
    best = rerank(candidates) if candidates else []
    if not candidates or is_refused(candidates.question, candidates.frequencies, best):
        return _no_answers(store, text, PassageFilter(game=game, edition=edition, lang=lang))
    answers = _ranked(store, candidates, best, lang)
    if os.environ.get("SANSHO_RERANKER"):  # else nothing of it is imported
        answers = reread(store, text, answers)
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


def _shortlist_by_meaning(
    store: Store, text: str, game: str | None, scope: Scope
) -> Shortlist | None:
    """Return the shortlist of a question, as `shortlist` does, with meanings compared if there are
    vectors; where their encoder fails, without, and the answer says so."""
    try:
        return shortlist(store, text, game, scope, usable_encoder(store))
    except EncoderDiedError as error:
        take_for(Reason("without_vectors", why=reason_of(error)))
        return shortlist(store, text, game, scope)


def _version_named(store: Store, text: str, game: str | None) -> tuple[str | None, str | None]:
    """Return the edition in force at the date, and the language, that a question names beside a
    rule's number, or the edition that it names beside a word for rules; None for what it does not
    name, or its rules don't have.

    Both are None if its rules are of no game or of several; of several languages none counts.
    """
    if edition := _edition_in_words(store, text, game):
        return edition, None
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


def _edition_in_words(store: Store, text: str, game: str | None) -> str | None:
    """Return the edition that a question without a rule's number names beside a word for rules, as
    in `the 2024 edition`; None if it names none, or if not just one of its games has one then."""
    named = next(edition_dates(text, ()), None)
    if named is None or named.number_start is not None:
        return None
    question = parse_question(store, text, game)
    games = question.games or {each for each, _, _ in store.editions() if each}
    of_date = {
        each for each, edition, _ in store.editions() if edition.startswith(named.edition)
    } & games
    if question.rule_ids or len(of_date) != 1:
        return None
    return resolve_edition(store, f"as of {_HYPHENS.sub('-', named.edition)}", of_date.pop())


def _without_version(text: str) -> str:
    """Return a question with spaces for the dates and languages of rules in it, in its length."""
    dates = ((named.start, named.end) for named in edition_dates(text, (), every=True))
    langs = ((start, end) for start, end, _ in rules_languages(text, 0, len(text)))
    for start, end in (*dates, *langs):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _date_named(text: str) -> str | None:
    """Return the first date in a text as `resolve_edition` takes it, such as `as of 2023-11-17`, or
    `as of 2023` for a year; None without one."""
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
    texts = zip(candidates.ranked, candidates.texts, strict=True)
    empty |= {scored.passage.id for scored, text in texts if _DATE_ALONE.fullmatch(text)}
    return [scored for scored in ranked if scored.passage.id not in empty]


def _scored_for(scored: ScoredCandidate, candidates: Shortlist) -> ScoredCandidate:
    """Return a candidate that was found for a part of a question as one for the whole question of a
    shortlist: with its matches, and with the final score and copies that it has. Any other
    candidate is returned as it is."""
    if all(term in candidates.question.query_terms for _, term in scored.matches):
        return scored
    terms = candidates.terms[scored.lang]
    whole = score_candidate(scored.candidate, candidates.question, terms)
    whole.final_score, whole.copies = scored.final_score, scored.copies
    return whole


def _no_answers(store: Store, text: str, narrow: PassageFilter) -> Answers:
    """Return a result without answers, with the words that nothing has, names that are like them
    and
    hints: rules without such a number, rules and games that may be asked for, names, and last a
    search for the question's words, if passages of `narrow` have any."""
    question = parse_question(store, text, narrow.game)
    frequencies = term_frequencies(store, question).items()
    unknown = tuple(
        content_words(term for term, number in frequencies if not number and not _asks(term))
    )
    # What a question asks about may be a word that is written as it sounds: ひくとは.
    subject = _ASKING.sub("", text[:_LONGEST_SUBJECT]).strip()
    asked = [subject] if subject and " " not in subject and subject not in unknown else []
    near, hints = near_names(store, [*asked, *unknown], narrow, "")
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
        query = fulltext_query(words, any_word=True)
        if query and store.passages.count(query, narrow, 1):
            search = Ask("search", text=words, any_word=True, **scope)
            hints = (*hints, Reason("passages_with_words", search))
    others = tuple(terms_of_others(store, question))
    return Answers(text, (), unknown, near, hints, question.missing_games, others)


def _rules_to_show(
    store: Store, text: str, rules: Iterable[str], narrow: PassageFilter
) -> Iterator[Reason]:
    """Yield how to show the rules that a question names, by their ids: in the edition of `narrow`,
    else as at the date that the question names, if any. Rules of other games are left out.

    rules: their ids.
    """
    as_of = _date_named(text)
    for rule in store.get(sorted(rules)).values():
        if narrow.game in (None, rule.game):
            ask = Ask("show", ref=rule.number, game=rule.game, edition=narrow.edition or as_of)
            if narrow.edition or not as_of or _was_in_force(store, as_of, rule.game):
                yield Reason("rule_to_show", ask, rule=rule.number)


def _was_in_force(store: Store, as_of: str, game: str | None) -> bool:
    """Whether an edition of a game was in force at a date."""
    try:
        resolve_edition(store, as_of, game)
    except QuestionError:
        return False
    return True


def _asks(term: QueryTerm) -> bool:
    """Whether a term is a word of how the question is put, such as 違い."""
    return not ASKING_WORDS.isdisjoint(term.all_forms)


def _make_answers(
    store: Store,
    text: str,
    ranked: list[ScoredCandidate],
    copies: Mapping[str, Sequence[str]],
    candidates: Shortlist,
    parts: Sequence[Part],
) -> Answers:
    """Return the answers for ranked candidates, with their nodes, places and citations looked up.

    text: the question. ranked: best first; none gives an empty result. copies: for each passage,
        those that say the same, by their ids.
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
    above = _rules_above(store, ids)
    sizes = Counter(above.values())
    groups = {rule: parent for rule, parent in above.items() if sizes[parent] > 1}
    words_above = _words_of_rules(store, set(groups.values()))
    question = candidates.question
    decided = {
        passage: deciding_sentence(
            nodes[passage].text or "",
            places[passage].number,
            question,
            candidates.terms["en" if nodes[passage].lang == "en" else "ja"],
        )
        for passage in passages
    }
    beside = limits_beside(
        store,
        above,
        {
            rule: (nodes[passage].text or "")[slice(*decided[passage])]
            for rule, passage in zip(ids, passages, strict=True)
        },
    )
    headings = find_headings(store, [edge for edges in citations.values() for edge in edges])
    answers = []
    for rank, (node_id, scored) in enumerate(zip(ids, ranked, strict=True), 1):
        passage = nodes[scored.passage.id]
        place = places[passage.id]
        same = tuple(places[copy] for copy in copies.get(passage.id, ()))
        text_limits = limits_within(passage.text or "", place.number, decided[passage.id])
        answers.append(
            Answer(
                rank,
                round(scored.final_score, 3),
                passage,
                nodes[node_id],
                tuple(citations[node_id]),
                reasons(scored),
                decided[passage.id],
                words_not_found(scored, question.query_terms),
                place,
                same,
                tuple(headings.get(edge.target or "", "") for edge in citations[node_id]),
                _reworded(place, same, [places[copy] for copy in scored.copies]),
                ", ".join(part.words for part in parts if speaks_of(scored, part)),
                groups.get(node_id, ""),
                words_above.get(groups.get(node_id, ""), ""),
                since(
                    [row for row in versions if row.rule == rule_of.get(node_id)], nodes[node_id]
                ),
                tuple([*text_limits, *beside.get(node_id, ())][:MOST_LIMITS]),
            )
        )
    unknown = (
        term
        for term, number in candidates.frequencies.items()
        if not number and not term.related and (term.term_ids or term.importance >= 1)
        if not _asks(term)
    )
    return Answers(
        text,
        tuple(answers),
        tuple(content_words(unknown)),
        missing_games=candidates.question.missing_games,
        of_others=tuple(terms_of_others(store, candidates.question)),
    )


def terms_of_others(store: Store, question: Question) -> Iterator[Reason]:
    """Yield the terms that a question on some games names and that only others have: of these games
    no passage has any of their names."""
    for term in question.query_terms:
        games = sorted({name.partition("/")[0] for name in term.term_ids})
        if not games or not question.games or not question.games.isdisjoint(games):
            continue
        query = any_of_query(term.all_forms)
        if not any(
            store.passages.count(query, PassageFilter(game=game), 1) for game in question.games
        ):
            yield Reason(
                "term_of_others",
                Ask("show", ref=term.term_ids[0]),
                term=term.word or term.text,
                games=tuple(games),
                asked=tuple(sorted(question.games)),
            )


def _rules_above(store: Store, rules: Iterable[str]) -> dict[str, str]:
    """Return {id of a rule: id of the rule that it is a sub-rule of}; chapters and sections, whose
    numbers have no full stop, are above nothing."""
    return {
        edge.source: edge.target
        for edge in store.edges(rules, "out", ["part_of"])
        if edge.target and "." in edge.target.rpartition("/")[2]
    }


def _words_of_rules(store: Store, rules: Collection[str]) -> dict[str, str]:
    """Return {id of a rule: its words, without its number}, of those that a passage gives."""
    first = store.passages.first_passage_giving(rules)
    nodes, places = store.get(first.values()), find_places(store, first.values())
    return {
        rule: without_rule_number(nodes[passage].text or "", places[passage].number).strip()
        for rule, passage in first.items()
    }


def _reworded(place: Place, same: Iterable[Place], merged: Iterable[Place]) -> tuple[Place, ...]:
    """Return where other editions have a passage in other words, each edition once, newest first;
    only those of its game and language. Of several places in one edition the last is taken.

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
    """Return why a candidate was chosen, the strongest reason first: that the question names its
    rule; the words that its text, related words and context have; what it states; that it answers
    a question like this one; and the rest. A term that it defines without its name is among no
    words."""
    found = [scored.named] if scored.named else []
    for kind in _MATCHES:
        words = content_words(term for how, term in scored.matches if how == kind)
        if words:
            found.append(Reason(f"words_in_{kind}", first=tuple(words[:-1]), last=words[-1]))
    found += (Reason(f"is_{kind}") for kind in scored.answers_as)
    if scored.asked_before >= _ALIKE:
        found.append(Reason("asked_before"))
    return (*found, *scored.reasons)


def content_words(terms: Iterable[QueryTerm]) -> list[str]:
    """Return the words of a question that say something, as they are written in it, each once.

    Nouns that stand side by side in the question, without a space, are one word: 初期手札. Numbers,
    prefixes, pronouns, adverbs and words of everyday English are left out.

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
    """Return the words of a question that neither a passage nor what it stands under has, in any
    wording, as `content_words` gives them.

    terms: those of the question that the candidate was scored for: others count as not found.
    """
    matched = {id(term) for _, term in scored.matches}
    return tuple(content_words(term for term in terms if id(term) not in matched))


def with_counterparts(
    store: Store, question: Question, ranked: Sequence[ScoredCandidate]
) -> list[ScoredCandidate]:
    """Return ranked answers in which a rule in another language than the question's gives its
    place to the rule that it translates, or that translates it, in the question's language.

    A counterpart that stands further down moves up; of each pair one is left, with the better score
    and a reason that names the other. Only the ten best are looked at. Passages that give no rule,
    and rules without a counterpart, stay. Of several counterparts the first in the store counts.

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
    """Return an answer that stands for its translation: it has the better score of the two, a
    reason that names the other rule, and the other passage among its copies.

    chosen: the answer that is returned changed; scored: the one whose place it takes.
    """
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
