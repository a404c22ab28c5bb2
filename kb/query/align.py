"""Aligns an edition of a rulebook in two languages, rule by rule, and lists where they differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.query.common_filters import Scope
from kb.query.diff import list_editions
from kb.query.find_nodes import normalize_rule_number, resolve_edition
from kb.query.list_result import ListResult
from kb.query.rule_successors import is_under
from kb.query.table_result import Table, table_row
from scraper.rulebook.numbering import number_key


@dataclass(frozen=True, slots=True)
class AlignedPair:
    """A rule that is there in both languages; `texts` is its text by language."""

    game: str
    edition: str
    number: str
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Problem:
    """A difference between the two languages at one rule.

    kind: `missing` if the rule is not there in one language, `citations` if the texts cite
        different rules.
    what: the difference in words.
    only: what only one language has, by language: the rule's number, or the numbers that it
        cites.
    """

    game: str
    edition: str
    number: str
    kind: str
    what: str
    only: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, repr=False)
class Alignment(ListResult[AlignedPair]):
    """Rules in two languages, by edition and in the order of their numbers.

    langs: the two languages.
    pairs: the rules that are there in both.
    problems: where the two differ.
    """

    langs: tuple[str, str]
    pairs: tuple[AlignedPair, ...]
    problems: tuple[Problem, ...]

    _ITEM = "pair"

    def _items(self) -> tuple[AlignedPair, ...]:
        return self.pairs

    def _about(self) -> str:
        return f"of {self.langs[0]} and {self.langs[1]}"

    def table(self) -> Table:
        """Return a table with a row per rule: `game`, `edition`, `number`, the text in each
        language, and the `problem` of the rule in words, if it has one. Rules that only one
        language has are at the end."""
        rules = {(pair.game, pair.edition, pair.number): pair.texts for pair in self.pairs}
        problems: dict[tuple[str, str, str], list[str]] = {}
        for problem in self.problems:
            key = problem.game, problem.edition, problem.number
            rules.setdefault(key, {})
            problems.setdefault(key, []).append(problem.what)
        return Table(
            tuple(
                table_row(
                    game=key[0],
                    edition=key[1],
                    number=key[2],
                    **{lang: texts.get(lang) for lang in self.langs},
                    problem="; ".join(problems.get(key, ())),
                )
                for key, texts in rules.items()
            )
        )

    def as_json(self) -> dict[str, Any]:
        """Return {"langs", "pairs", "problems"}, the object that `sansho align --json` prints.

        A pair is {"game", "edition", "number", "texts": {language: text}}; a problem has "kind",
        "what" and "only": {language: numbers of rules} in place of the texts.
        """
        return asdict(self)


def align(
    store: Store, first_lang: str, second_lang: str, rule: str | None, scope: Scope
) -> Alignment:
    """Return the rules of all editions that are there in two languages, side by side.

    first_lang, second_lang: the languages, such as `ja` and `en`, in the order of the result.
    rule: only this rule, by its number as a person writes it, and its sub-rules; None for all.
    scope: its game and edition select; its language and source are ignored.

    Raises QuestionError if the languages are the same, if no edition is there in both, if the
    rule is in neither, or if `rule` is no number of a rule.
    """
    if first_lang == second_lang:
        raise QuestionError(f"{first_lang} and {second_lang} are one language; name two")
    rule = normalize_rule_number(rule) if rule else None
    books: dict[tuple[str, str], list[str]] = defaultdict(list)
    langs_by_edition: dict[tuple[str, str], set[str]] = defaultdict(set)
    wanted = resolve_edition(store, scope.edition) if scope.edition else None
    for game, edition, lang in store.editions():
        books[game, lang].append(edition)
        if scope.game in (None, game) and wanted in (None, edition):
            langs_by_edition[game, edition].add(lang)
    both = [key for key, langs in langs_by_edition.items() if {first_lang, second_lang} <= langs]
    if not both:
        problem = (
            f"no edition{f' {wanted}' if wanted else ''} is there in both "
            f"{first_lang} and {second_lang}"
        )
        raise QuestionError(f"{problem}; there are {list_editions(books)}")
    pairs, problems = [], []
    for key in sorted(both):
        edition_pairs, edition_problems = _align_edition(
            store, *key, (first_lang, second_lang), rule
        )
        pairs += edition_pairs
        problems += edition_problems
    if rule and not pairs and not problems:
        raise QuestionError(f"no rule {rule} is there in {first_lang} or {second_lang}")
    return Alignment((first_lang, second_lang), tuple(pairs), tuple(problems))


def _align_edition(
    store: Store, game: str, edition: str, langs: tuple[str, str], rule: str | None
) -> tuple[list[AlignedPair], list[Problem]]:
    """Return the rules of one edition that both languages have, and where the languages differ,
    both sorted by number; a rule that cites differently is in both lists.

    rule: only the rule of this normalized number and its sub-rules; None for all.
    """
    texts = {
        lang: {
            node.number: node.text or "" for node in store.rules(game, edition, lang) if node.number
        }
        for lang in langs
    }
    citations = {lang: _cited_numbers(store, game, edition, lang) for lang in langs}
    pairs, problems = [], []
    for number in sorted({n for book in texts.values() for n in book}, key=number_key):
        if rule and not is_under(number, rule):
            continue
        having = [lang for lang in langs if number in texts[lang]]
        if len(having) < 2:
            lacking = next(lang for lang in langs if lang not in having)
            what = f"rule {number} is there in {having[0]}, not in {lacking}"
            only_here = {having[0]: (number,)}
            problems.append(Problem(game, edition, number, "missing", what, only_here))
            continue
        pairs.append(
            AlignedPair(game, edition, number, {lang: texts[lang][number] for lang in langs})
        )
        only = {lang: tuple(cited) for lang, cited in _cited_alone(citations, number, langs)}
        if any(only.values()):
            parts = [f"{lang} alone cites {', '.join(only[lang])}" for lang in langs if only[lang]]
            what = "; ".join(parts)
            problems.append(Problem(game, edition, number, "citations", what, only))
    return pairs, problems


def _cited_alone(
    citations: Mapping[str, Mapping[str, set[str]]], number: str, langs: tuple[str, str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield, for each of two languages, (language, numbers that a rule cites in that one only).

    The numbers are sorted; there are none if the rule cites the same rules in both.

    citations: {language: {number of a rule: numbers that it cites}}, with both languages.
    """
    for lang, other_lang in (langs, langs[::-1]):
        alone = citations[lang].get(number, set()) - citations[other_lang].get(number, set())
        yield lang, sorted(alone, key=number_key)


def _cited_numbers(store: Store, game: str, edition: str, lang: str) -> dict[str, set[str]]:
    """Return {number of a rule: numbers of the rules that it cites}, without rules that cite none.
    The cited rules need not be loaded.

    Keys are the rules of this edition in this language. A cited number is the last part of the
    cited rule's id.
    """
    cited: dict[str, set[str]] = defaultdict(set)
    for number, cited_id in store.citations(game, edition, lang):
        cited[number].add(cited_id.rpartition("/")[2])
    return cited
