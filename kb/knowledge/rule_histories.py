"""Decides, when all pages are in, which versions are one rule, and what became of each rule."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b

from graphs.store.rule_versions import BookRow
from graphs.writing.rules import (
    Book,
    RuleOfBook,
    RuleVersionTables,
    StepsRow,
    VersionRow,
)
from graphs.writing.writer import Writer
from kb.rules.changes import EditionComparison
from kb.rules.corrections_by_persons import Correction, PairCorrections, corrections_between
from kb.rules.loaded_editions import LoadedRules, measured_rules
from kb.rules.versions_of_one_rule import (
    BookSteps,
    RuleVersion,
    Step,
    Version,
    pairs_to_align,
    rule_versions,
    steps_between,
)
from scraper.rulebook.documents_beside_rulebook import document_of_edition

_Rules = Mapping[Book, Mapping[str, RuleOfBook]]


def write_rule_histories(writer: Writer, corrections: Sequence[Correction] = ()) -> None:
    """Write the books of a graph, and which of their rules are versions of one rule.

    writer: has resolved all rules and their translations. Of an updated graph only those books are
        aligned again whose rules, gaps or corrections are others than in the build before.
    corrections: what a person says of which rules are the same.
    """
    tables = RuleVersionTables(writer)
    stored = tables.steps()
    books: list[BookRow] = []
    steps: list[StepsRow] = []
    versions: list[VersionRow] = []
    for game, of_game in tables.books().items():
        translated = tables.translated(game)
        for document in sorted({document_of_edition(book[0]) or "" for book in of_game}):
            rules = {
                book: found
                for book, found in of_game.items()
                if (document_of_edition(book[0]) or "") == document
            }
            numbers = {book: frozenset(found) for book, found in rules.items()}
            loaded = measured_rules(game, numbers, partial(tables.cited, game))
            books += _book_rows(loaded)
            found_steps = list(_aligned(loaded, rules, stored, corrections))
            steps += found_steps
            found = rule_versions(
                numbers,
                map(_unpacked, found_steps),
                [pair for pair in translated if all(one[:2] in numbers for one in pair)],
                partial(_is_whole, loaded),
                [each for each in corrections if each.game == game],
            )
            versions += (_version_row(version, rules) for version in found)
    tables.write(books, steps, versions)


def _book_rows(loaded: LoadedRules) -> Iterator[BookRow]:
    for position, edition in enumerate(loaded.editions):
        for lang in sorted(loaded.langs(edition)):
            one = loaded.loaded(edition, lang)
            yield BookRow(loaded.game, edition, lang, position, one.rules, one.of, one.whole)


def _aligned(
    loaded: LoadedRules,
    rules: _Rules,
    stored: Mapping[tuple[str, ...], StepsRow],
    corrections: Sequence[Correction],
) -> Iterator[StepsRow]:
    """Yield what became of the rules between each two books that are to be aligned, by language and
    then in the order of `pairs_to_align`: as it is stored, if it was made of the same."""
    for lang in sorted({lang for _, lang in rules}):
        editions = [edition for edition in loaded.editions if (edition, lang) in rules]
        for before, after in pairs_to_align(editions, partial(_is_whole, loaded, lang=lang)):
            corrected = corrections_between(corrections, loaded.game, lang, before, after)
            digest = _digest(loaded, rules, lang, (before, after), corrected)
            known = stored.get((loaded.game, lang, before, after))
            if known and known.digest == digest:
                yield known
                continue
            old, new = rules[before, lang], rules[after, lang]
            texts = EditionComparison(
                {number: rule.text for number, rule in old.items()},
                {number: rule.text for number, rule in new.items()},
                loaded.gaps(before, lang),
                loaded.gaps(after, lang),
                corrected=corrected,
            )
            examples = EditionComparison(
                {number: rule.examples for number, rule in old.items()},
                {number: rule.examples for number, rule in new.items()},
            )
            steps = steps_between(texts, examples)
            yield StepsRow(loaded.game, lang, before, after, digest, _packed(steps))


def _is_whole(loaded: LoadedRules, edition: str, lang: str) -> bool:
    return loaded.loaded(edition, lang).whole


def _digest(
    loaded: LoadedRules,
    rules: _Rules,
    lang: str,
    editions: tuple[str, str],
    corrected: PairCorrections,
) -> str:
    """Return a digest of all that the alignment of two editions depends on: corrections, gaps, and
    the numbers, texts and examples of their rules. Not the program: a new one builds anew."""
    digest = blake2b(digest_size=16)  # bytes: two different books never have the same by chance
    said = [sorted(corrected.same.items()), sorted(corrected.different)]
    digest.update(json.dumps(said).encode())
    for edition in editions:
        gaps = loaded.gaps(edition, lang)
        digest.update(json.dumps([sorted(gaps.numbers), gaps.others]).encode())
        for number, rule in sorted(rules[edition, lang].items()):
            digest.update(f"{number}\0{rule.text}\0{rule.examples}\0".encode())
    return digest.hexdigest()


def _packed(steps: tuple[Step, ...]) -> str:
    rows = [
        [step.before, step.after, step.change, step.into, step.grounds, round(step.sure, 3)]
        for step in steps
    ]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


def _unpacked(row: StepsRow) -> BookSteps:
    steps = tuple(Step(*step) for step in json.loads(row.steps))
    return BookSteps(row.lang, row.before, row.after, steps)


def _version_row(found: RuleVersion, rules: _Rules) -> VersionRow:
    def key(version: Version) -> int:
        edition, lang, number = version
        return rules[edition, lang][number].key

    lang = found.version[1]
    return VersionRow(
        key(found.version),
        key(found.rule),
        found.change,
        key((found.before[1], lang, found.before[0])) if found.before else None,
        found.absent_in or None,
        key((found.absent_in, lang, found.split_from)) if found.split_from else None,
        found.gone or None,
        found.gone_in or None,
        key((found.gone_in, lang, found.into)) if found.into else None,
        found.grounds or None,
        round(found.sure, 3),
    )
