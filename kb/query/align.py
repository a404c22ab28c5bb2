"""One edition of a rulebook in two languages, side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.query.diff import list_editions
from kb.query.lookup import edition_of, rule_number
from kb.query.rule_alignment import is_under
from kb.query.scope import Scope
from scraper.rulebook.numbering import number_key


@dataclass(frozen=True, slots=True)
class AlignedPair:
    """A rule that both languages have; `texts` are by language."""

    game: str
    edition: str
    number: str
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Problem:
    """What two languages do not have alike: a rule is `missing` from one, or the `citations`
    differ. `only` has what one side has alone, by language: the rule, or the numbers cited."""

    game: str
    edition: str
    number: str
    kind: str
    what: str
    only: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Alignment:
    """Two languages side by side, in the order of the numbers."""

    langs: tuple[str, str]
    pairs: tuple[AlignedPair, ...]
    problems: tuple[Problem, ...]

    def as_json(self) -> dict[str, Any]:
        """As `sansho align --json` prints it."""
        return asdict(self)


def align(store: Store, one: str, other: str, rule: str | None, scope: Scope) -> Alignment:
    """The editions that are there in both languages, rule by rule."""
    if one == other:
        raise QuestionError(f"{one} and {other} are one language; name two")
    rule = rule_number(rule) if rule else None
    books: dict[tuple[str, str], list[str]] = defaultdict(list)
    there: dict[tuple[str, str], set[str]] = defaultdict(set)
    wanted = edition_of(store, scope.edition) if scope.edition else None
    for one_game, name, lang in store.editions():
        books[one_game, lang].append(name)
        if scope.game in (None, one_game) and wanted in (None, name):
            there[one_game, name].add(lang)
    both = [place for place, langs in there.items() if {one, other} <= langs]
    if not both:
        said = f"no edition{f' {wanted}' if wanted else ''} is there in both {one} and {other}"
        raise QuestionError(f"{said}; there are {list_editions(books)}")
    pairs, problems = [], []
    for place in sorted(both):
        edition_pairs, edition_problems = _side_by_side(store, *place, (one, other), rule)
        pairs += edition_pairs
        problems += edition_problems
    if rule and not pairs and not problems:
        raise QuestionError(f"no rule {rule} is there in {one} or {other}")
    return Alignment((one, other), tuple(pairs), tuple(problems))


def _side_by_side(
    store: Store, game: str, edition: str, langs: tuple[str, str], rule: str | None
) -> tuple[list[AlignedPair], list[Problem]]:
    texts = {
        lang: {
            node.number: node.text or "" for node in store.rules(game, edition, lang) if node.number
        }
        for lang in langs
    }
    cited = {lang: _cited(store, game, edition, lang) for lang in langs}
    pairs, problems = [], []
    for number in sorted({n for book in texts.values() for n in book}, key=number_key):
        if rule and not is_under(number, rule):
            continue
        has = [lang for lang in langs if number in texts[lang]]
        if len(has) < 2:
            lacks = next(lang for lang in langs if lang not in has)
            what = f"rule {number} is there in {has[0]}, not in {lacks}"
            problems.append(Problem(game, edition, number, "missing", what, {has[0]: (number,)}))
            continue
        pairs.append(
            AlignedPair(game, edition, number, {lang: texts[lang][number] for lang in langs})
        )
        only = {lang: tuple(numbers) for lang, numbers in _alone(cited, number, langs)}
        if any(only.values()):
            said = [f"{lang} alone cites {', '.join(only[lang])}" for lang in langs if only[lang]]
            what = "; ".join(said)
            problems.append(Problem(game, edition, number, "citations", what, only))
    return pairs, problems


def _alone(
    cited: Mapping[str, Mapping[str, set[str]]], number: str, langs: tuple[str, str]
) -> Iterator[tuple[str, list[str]]]:
    """What the rule of a number cites in each language alone."""
    for lang, other in (langs, langs[::-1]):
        alone = cited[lang].get(number, set()) - cited[other].get(number, set())
        yield lang, sorted(alone, key=number_key)


def _cited(store: Store, game: str, edition: str, lang: str) -> dict[str, set[str]]:
    """The numbers that each rule cites."""
    found: dict[str, set[str]] = defaultdict(set)
    for number, wanted in store.citations(game, edition, lang):
        found[number].add(wanted.rpartition("/")[2])
    return found
