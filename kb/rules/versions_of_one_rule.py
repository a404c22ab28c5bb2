"""Says which versions are one rule, and what became of each from edition to edition.

Every book (an edition in a language) is aligned with the books of its language before it, back to
the nearest one that is whole; so a rule that a fragment lacks is still found behind it. What the
alignments and the translations join is one rule, which has at most one version in a book.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from graphs.sort_orders import edition_key
from kb.rules.changes import EditionComparison
from kb.rules.corrections_by_persons import BY_A_PERSON, Correction

# Fragments that a book is aligned with, where no whole book is near: a bound, as each is one more
# alignment. Books are mostly whole, and then one is enough.
_MOST_BACK = 8
BY_ANOTHER = "another book"  # the grounds of what a third book joins
Version = tuple[str, str, str]  # edition, language, number


@dataclass(frozen=True, slots=True)
class Step:
    """What became of a rule from one book to another one of its language.

    before, after: its number in each; None where it is not.
    change: a `RuleChangeKind`, or `same`.
    into: of a merged rule, the number after of the one that it is in now; of a split one, the
        number before of the one that it was part of.
    grounds: by what the two were matched, one of `kb.rules.alignment.Grounds`; empty if one of
        them is None.
    sure: how sure the match is, from 0 to 1.
    """

    before: str | None
    after: str | None
    change: str
    into: str | None = None
    grounds: str = ""
    sure: float = 1.0


@dataclass(frozen=True, slots=True)
class BookSteps:
    """What became of each rule from one book to another, in the order of the numbers."""

    lang: str
    before: str
    after: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class RuleVersion:
    """A rule in one book, and what became of it.

    rule: the newest version of the rule, which names it.
    change: what happened since the version before it in its language: a `RuleChangeKind`, `same`,
        or `first` if no earlier book can tell.
    before: the number and edition of that version; None for `first`, `added` and `split`.
    absent_in: of an added or split rule, the newest earlier edition that is known to lack it.
    split_from: of a split one, the number there of the rule that it was part of; else empty.
    gone, gone_in, into: of the last version in its language, whether the rule was `removed` or
        `merged`, in which edition, and the number there of the rule that it is in; else empty.
    grounds, sure: as in `Step`, of the match with `before`.
    """

    version: Version
    rule: Version
    change: str
    before: tuple[str, str] | None = None
    absent_in: str = ""
    split_from: str = ""
    gone: str = ""
    gone_in: str = ""
    into: str = ""
    grounds: str = ""
    sure: float = 1.0


def pairs_to_align(
    editions: Sequence[str], is_whole: Callable[[str], bool]
) -> list[tuple[str, str]]:
    """Return the (edition before, edition after) that are to be aligned in a language: each edition
    with those before it, back to the nearest whole one.

    editions: those that are loaded in the language, the oldest first.

    >>> pairs_to_align(["1", "2", "3", "4"], lambda edition: edition != "2")
    [('1', '2'), ('2', '3'), ('1', '3'), ('3', '4')]
    """
    found: list[tuple[str, str]] = []
    for place, after in enumerate(editions):
        for before in reversed(editions[max(0, place - _MOST_BACK) : place]):
            found.append((before, after))
            if is_whole(before):
                break
    return found


def steps_between(
    compared: EditionComparison, examples: EditionComparison | None = None
) -> tuple[Step, ...]:
    """Return what became of each rule from one edition to another, in the order of
    `EditionComparison.pairs`.

    compared: the texts of the rules; examples: those below them, likewise; None if they don't
        count.

    >>> old, new = {"1": "Draw two cards.", "2": "End."}, {"1": "End.", "3": "Draw a coin."}
    >>> [(s.before, s.after, s.change) for s in steps_between(EditionComparison(old, new))]
    [('1', None, 'removed'), ('2', '1', 'moved'), (None, '3', 'added')]
    """
    steps = []
    for before, after in compared.pairs():
        change = compared.kind(before, after) or "same"
        if before is None or after is None:
            into = compared.merged.get(before or "") if change == "merged" else None
            into = compared.split.get(after or "") if change == "split" else into
            steps.append(Step(before, after, change, into))
        else:
            grounds, sure = compared.grounds(before)
            if change in ("same", "typographic") and examples and examples.differ(before, after):
                change = "examples"
            steps.append(Step(before, after, change, None, grounds, sure))
    return tuple(steps)


def rule_versions(
    books: Mapping[tuple[str, str], Iterable[str]],
    aligned: Iterable[BookSteps],
    translated: Iterable[tuple[Version, Version]],
    is_whole: Callable[[str, str], bool],
    corrections: Iterable[Correction] = (),
) -> list[RuleVersion]:
    """Return every version of the rules of a game, with the rule that it is of.

    books: {(edition, language): the numbers of its rules}.
    aligned: what became of the rules between the books that were aligned.
    translated: versions of one edition in two languages that are known to be one rule.
    is_whole: whether a book is, by edition and language; what whole books say comes first.
    corrections: what a person says of which of these are one rule, and which are not.

    The result is sorted by edition, language and number, and does not depend on any order given.
    """
    histories = _Histories(books, aligned)
    histories.correct(corrections)
    histories.join_editions(is_whole)
    histories.join_languages(translated)
    return histories.with_fates_of_translations(list(histories.versions()))


class _Histories:
    """Joins versions to rules: a union of sets, each with one version in a book at most."""

    def __init__(
        self, books: Mapping[tuple[str, str], Iterable[str]], aligned: Iterable[BookSteps]
    ) -> None:
        self._numbers = {book: sorted(numbers) for book, numbers in books.items()}
        self._aligned = sorted(
            aligned, key=lambda pair: (edition_key(pair.after), edition_key(pair.before), pair.lang)
        )
        self._versions_of: dict[Version, dict[tuple[str, str], Version]] = {}
        self._rule: dict[Version, Version] = {}
        self._apart: dict[Version, set[Version]] = defaultdict(set)
        self._said: set[tuple[Version, Version]] = set()
        for (edition, lang), numbers in self._numbers.items():
            for number in numbers:
                version = edition, lang, number
                self._rule[version] = version
                self._versions_of[version] = {(edition, lang): version}

    def correct(self, corrections: Iterable[Correction]) -> None:
        """Join what a person says to be one rule, and remember what he says not to be; what is said
        of versions that are not there does nothing."""
        for correction in sorted(corrections):
            one, other = correction.one, correction.other
            if one in self._rule and other in self._rule:
                if correction.is_same:
                    self._join(one, other)
                    self._said |= {(one, other), (other, one)}
                else:
                    self._apart[one].add(other)
                    self._apart[other].add(one)

    def join_editions(self, is_whole: Callable[[str, str], bool]) -> None:
        """Join the versions that the alignments match: first those between two whole books. Of a
        rule that would get two versions in a book, or one that is said to be another, nothing is
        joined.
        """

        def is_fragment(pair: BookSteps) -> bool:
            return not (is_whole(pair.before, pair.lang) and is_whole(pair.after, pair.lang))

        for pair in sorted(self._aligned, key=is_fragment):
            for step in pair.steps:
                if step.before and step.after:
                    old = pair.before, pair.lang, step.before
                    self._join(old, (pair.after, pair.lang, step.after))

    def join_languages(self, translated: Iterable[tuple[Version, Version]]) -> None:
        """Join the versions that translate each other, those of the newest editions first."""
        for one, other in sorted(
            map(sorted, translated), key=lambda pair: (edition_key(pair[0][0]), pair), reverse=True
        ):
            if one in self._rule and other in self._rule:
                self._join(one, other)

    def _join(self, one: Version, other: Version) -> None:
        first, second = self._rule[one], self._rule[other]
        ours, theirs = self._versions_of[first], self._versions_of[second]
        if first == second or not ours.keys().isdisjoint(theirs):
            return
        if self._apart and any(
            self._rule[other] == second
            for version in ours.values()
            for other in self._apart.get(version, ())
        ):
            return
        if len(ours) < len(theirs):
            first, second, ours, theirs = second, first, theirs, ours
        for version in theirs.values():
            self._rule[version] = first
        ours.update(theirs)
        del self._versions_of[second]

    def versions(self) -> Iterator[RuleVersion]:
        """Yield all versions, sorted by edition, language and number."""
        sizes = {book: len(numbers) for book, numbers in self._numbers.items()}

        def rank(version: Version) -> tuple[object, ...]:
            edition, lang, number = version
            return edition_key(edition), sizes[edition, lang], lang == "en", lang, number

        newest = {
            rule: max(versions.values(), key=rank) for rule, versions in self._versions_of.items()
        }
        editions: dict[str, list[str]] = defaultdict(list)
        for edition, lang in sorted(self._numbers, key=lambda book: edition_key(book[0])):
            editions[lang].append(edition)
        steps = _StepsByNumber(self._aligned)
        for edition, lang in sorted(
            self._numbers, key=lambda book: (edition_key(book[0]), book[1])
        ):
            place = editions[lang].index(edition)
            earlier, later = editions[lang][:place][::-1], editions[lang][place + 1 :]
            for number in self._numbers[edition, lang]:
                version = edition, lang, number
                rule = self._rule[version]
                known = self._versions_of[rule]
                before = next((known[e, lang] for e in earlier if (e, lang) in known), None)
                is_last = not any((e, lang) in known for e in later)
                found = steps.since(version, newest[rule], before, earlier)
                if before and (before, version) in self._said:
                    found = replace(found, grounds=BY_A_PERSON, sure=1.0)
                yield steps.with_fate(found, later) if is_last else found

    def with_fates_of_translations(self, versions: list[RuleVersion]) -> list[RuleVersion]:
        """Return versions, in their order. One that seems removed, of whose rule a translation is
        merged into another rule, is given as merged into that rule, in its own language and in the
        edition that no longer has it. The first such translation by edition and language counts;
        without one, or where the other rule is not in that edition, the version stays."""
        of_book: dict[Version, list[tuple[tuple[str, str], Version]]] = defaultdict(list)
        for found in versions:
            if found.gone == "merged":
                edition, lang, _ = found.version
                into = self._rule.get((found.gone_in, lang, found.into))
                if into:
                    of_book[self._rule[found.version]].append(((edition, lang), into))

        def fate(found: RuleVersion) -> RuleVersion:
            rule = self._rule[found.version]
            for _, into in sorted(of_book.get(rule, ())) if found.gone == "removed" else ():
                there = self._versions_of[into].get((found.gone_in, found.version[1]))
                if there and into != rule:
                    return replace(found, gone="merged", into=there[2])
            return found

        return [fate(found) for found in versions]


class _StepsByNumber:
    """Looks up what became of a rule between two books that were aligned."""

    def __init__(self, aligned: Iterable[BookSteps]) -> None:
        self._forth: dict[tuple[str, str, str], dict[str, Step]] = {}
        self._back: dict[tuple[str, str, str], dict[str, Step]] = {}
        for pair in aligned:
            books = pair.lang, pair.before, pair.after
            self._forth[books] = {step.before: step for step in pair.steps if step.before}
            self._back[books] = {step.after: step for step in pair.steps if step.after}

    def since(
        self, version: Version, rule: Version, before: Version | None, earlier: Iterable[str]
    ) -> RuleVersion:
        """Return a version of a rule with what happened since the one before it.

        before: that version in its language, if there is one; earlier: the editions before it in
            its language, the newest first.
        """
        edition, lang, number = version
        if before:
            step = self._back.get((lang, before[0], edition), {}).get(number)
            if step is None or step.before != before[2]:
                # Joined by way of a third book, such as that of another language.
                change = "changed" if before[2] == number else "moved+changed"
                step = Step(before[2], number, change, grounds=BY_ANOTHER, sure=0.5)
            old = before[2], before[0]
            return RuleVersion(
                version, rule, step.change, old, grounds=step.grounds, sure=step.sure
            )
        for other in earlier:
            step = self._back.get((lang, other, edition), {}).get(number)
            if step and step.change == "split":
                into = step.into or ""
                return RuleVersion(version, rule, "split", absent_in=other, split_from=into)
            if step is None or step.change != "not loaded":
                return RuleVersion(version, rule, "added", absent_in=other)
        return RuleVersion(version, rule, "first")

    def with_fate(self, last: RuleVersion, later: Iterable[str]) -> RuleVersion:
        """Return the last version of a rule in its language with whether the rule is gone since: by
        the first later edition that can tell. If none can, it is returned as it is.

        later: the editions behind it in its language, the oldest first.
        """
        edition, lang, number = last.version
        for other in later:
            step = self._forth.get((lang, edition, other), {}).get(number)
            if step is None:
                break
            if step.change == "merged":
                return replace(last, gone="merged", gone_in=other, into=step.into or "")
            if step.change != "not loaded":  # removed, or its match is another rule's version
                return replace(last, gone="removed", gone_in=other)
        return last
