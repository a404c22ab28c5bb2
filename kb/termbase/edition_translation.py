"""What a translator of a new edition has to do: of each text of the edition its translation so far,
from the edition before, with what the new one changed.

What stayed the same keeps its translation; of what cites rules that have other numbers now, the
numbers are rewritten in both languages. All else is left to a person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from graphs.model import Node
from graphs.store.reader import Store
from graphs.store.rule_versions import translated_editions, translated_numbers
from graphs.store.termbase_rows import term_ids
from kb.errors import QuestionError
from kb.knowledge.translations.aligned_texts import NamesInBoth
from kb.language.amounts import differing_amounts
from kb.language.citations.citation_grammar import find_citations
from kb.language.citations.citation_patterns import fold_width
from kb.language.english_inflection import EnglishFinder
from kb.language.translated_length import is_whole
from kb.language.word_diff import differences, likeness
from kb.query.editions.diff import ChangeFilters, Diff, diff, glossary_texts
from kb.query.lookup.common_filters import Scope
from kb.rules.change_kind_names import RENUMBERED
from kb.rules.changes import RuleText
from kb.termbase.translation_memory import UNSPACED, Match, match
from scraper.rulebook.numbering import number_key

State = Literal["final", "needs-review", "new"]
# Kinds of changes that leave the words of a rule as they were.
_SAME_WORDS = frozenset(("same", "typographic", "examples", "moved"))
GLOSSARY = "glossary"  # begins the place of an entry: `glossary/Draw`
_MOST_TERMS = 12  # of a text that a note names; by hand: more are common words of the game


@dataclass(frozen=True, slots=True)
class WorkUnit:
    """A text of the new edition, and its translation so far.

    id: `704.5k` of a rule, `704.5k.example-1` of its first example, `entry-3.name` and `entry-3` of
        the headword and the text of the third entry of the glossary.
    place: for people: the number, or `glossary/` and the headword.
    kind: what the edition did with it, as `diff` says it; `same` if nothing.
    state: `final` (its translation holds), `needs-review` (it has one of the text before), `new`
        (it has none).
    old_source, old_target: the text before, and its translation, if the words are others now.
    spans: (start, end, start, end) of the words that differ, in old_source and in source.
    near: how the text that is most like it was translated, of what is new.
    terms: (name in the source, name in the target language) of terms in it.
    notes: what a translator should know, in sentences.
    """

    id: str
    place: str
    kind: str
    state: State
    source: str
    target: str = ""
    old_source: str = ""
    old_target: str = ""
    spans: tuple[tuple[int, int, int, int], ...] = ()
    near: Match | None = None
    terms: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """How like it is to the text that has the best translation, from 0 to 1."""
        if self.state == "final":
            return 1.0
        if self.old_target:
            return likeness(self.old_source, self.source)
        return self.near.score if self.near else 0.0


@dataclass(frozen=True, slots=True)
class EditionWork:
    """The texts of a new edition with their translations so far.

    game, before, after: the editions that were compared. source_lang, target_lang: the languages.
    translated: the edition in the target language whose texts are used.
    units: in the order of the book, the glossary last.
    changes: what `diff` says of the rules. gone: its changes of rules that are gone.
    unpaired: numbers of rules, and headwords, of the older translation that are paired with none of
        the source: a translation of what seems to be new may be there.
    """

    game: str
    before: str
    after: str
    source_lang: str
    target_lang: str
    translated: str
    units: tuple[WorkUnit, ...]
    changes: Mapping[str, int] = field(default_factory=dict)
    gone: tuple[RuleText, ...] = ()
    unpaired: tuple[str, ...] = ()


def edition_work(
    store: Store,
    after: str,
    before: str,
    langs: tuple[str, str],
    game: str | None = None,
    near: bool = True,
) -> EditionWork:
    """Return what of a new edition is translated already, and what is to be done.

    after: the new edition, loaded in the source language. before: the one that is loaded in both.
    langs: source and target language. game: None for the one that has both editions.
    near: whether to look for what is like a new text, which takes most of the time.

    Raises QuestionError if an edition is not there, or the older one has no translation.
    """
    filters = ChangeFilters(typographic=True, examples=True)
    found = diff(store, before, after, Scope(game=game, lang=langs[0]), filters)
    translated = translated_editions(store, found.game, *langs).get(found.before)
    if translated is None:
        raise QuestionError(
            "no_translation", game=found.game, edition=found.before, lang=langs[0], other=langs[1]
        )
    work = _Work(store, found, langs, translated, near)
    units = [*work.of_rules(), *work.of_glossary()]
    return EditionWork(
        found.game,
        found.before,
        found.after,
        *langs,
        translated,
        tuple(units),
        {"same": found.same} | found.counts,
        tuple(one.before for one in found.changes if one.before and not one.after),
        tuple(work.unpaired()),
    )


class _Work:
    """Makes the units of an edition."""

    def __init__(
        self, store: Store, found: Diff, langs: tuple[str, str], translated: str, near: bool
    ) -> None:
        self._looks_near = near
        self._names = _NamesOfTerms(store, found.game, langs)
        self._store, self._diff, self._langs = store, found, langs
        game, lang = found.game, langs[0]
        self._old = _by_number(store.rules(game, found.before, lang))
        self._new = _by_number(store.rules(game, found.after, lang))
        self._targets = _by_number(store.rules(game, translated, langs[1]))
        self._pairs = translated_numbers(store, game, found.before, *langs, translated)
        self._changes = {one.after.number: one for one in found.changes if one.after}
        gone = {one.before.number for one in found.changes if one.before and not one.after}
        moved = {
            one.before.number: one.after.number for one in found.changes if one.before and one.after
        }
        # {number before: number now} of the rules that are still there, for citations.
        self._numbers = {
            number: moved.get(number, number) for number in self._old if number not in gone
        }
        self._known = {
            lang: frozenset((*self._old, *self._new)),
            langs[1]: frozenset(self._targets),
        }
        self._glossaries = [  # before, after, and the translation of the one before
            glossary_texts(store, game, of_lang, edition)
            for of_lang, edition in (
                (lang, found.before), (lang, found.after), (langs[1], translated),
            )
        ]  # fmt: skip

    # -- rules ---------------------------------------------------------------------------------

    def of_rules(self) -> Iterator[WorkUnit]:
        """Yield the rules in the order of their numbers, each before its examples."""
        for number in sorted(self._new, key=number_key):
            rule, change = self._new[number], self._changes.get(number)
            kind = change.kind if change else "same"
            old_number = change.before.number if change and change.before else number
            is_there = change is None or change.before is not None
            old = self._old.get(old_number) if is_there else None
            there = self._pairs.get(old_number) if old else None
            target = self._targets.get(there[0]) if there else None
            unit = self._unit(
                number, number, kind, _text(rule), _text(old) if old else "",
                _text(target) if target else "",
            )  # fmt: skip
            yield unit if there is None or there[1] else _to_review(unit, _UNSURE)
            yield from self._examples(number, rule, old, target)

    def _examples(
        self, number: str, rule: Node, old: Node | None, target: Node | None
    ) -> Iterator[WorkUnit]:
        """Yield the examples of a rule: those that the old edition has, too, with their translation
        if both languages have as many."""
        before, there = _examples(old), _examples(target)
        known = dict(zip(before, there, strict=True)) if len(before) == len(there) else {}
        found = list[WorkUnit]()
        for place, example in enumerate(_examples(rule), 1):
            nearest = max(known, key=lambda one: likeness(one, example), default="")
            kind = "same" if nearest == example else "changed"
            is_like = nearest and likeness(nearest, example) >= _LIKE
            texts = (nearest, known[nearest]) if is_like else ("", "")
            unit = self._unit(
                f"{number}.example-{place}",
                f"{number}, example {place}",
                kind if is_like else "added",
                example,
                *texts,
            )
            found.append(unit)
        # They are paired by their order: where one isn't the translation, the others are unsure.
        doubtful = any(unit.notes for unit in found if unit.target)
        yield from (_to_review(unit, *([_BESIDE] if doubtful else [])) for unit in found)

    # -- glossary ------------------------------------------------------------------------------

    def of_glossary(self) -> Iterator[WorkUnit]:
        """Yield the headword and the text of each entry of the glossary, in its order."""
        before, after, there = self._glossaries
        for place, (term, entry) in enumerate(after.items(), 1):
            old, target = before.get(term), there.get(term)
            where = f"{GLOSSARY}/{entry.number}"
            name, text = (
                self._unit(
                    unit_id,
                    where,
                    "added" if given is None else "same" if new == given else "changed",
                    new,
                    given or "",
                    (translation or "") if given else "",
                )
                for unit_id, new, given, translation in (
                    (
                        f"entry-{place}.name", entry.number,
                        old and old.number, target and target.number,
                    ),
                    (f"entry-{place}", entry.text, old and old.text, target and target.text),
                )
            )  # fmt: skip
            doubtful = text.kind == "same" and text.target and text.notes
            yield _to_review(name, *([_ENTRY] if doubtful else []))
            yield text

    def unpaired(self) -> Iterator[str]:
        """Yield what of the older translation nothing is paired with: numbers, then headwords."""
        paired = {number for number, _ in self._pairs.values()}
        yield from (
            number for number in sorted(self._targets, key=number_key) if number not in paired
        )
        known, _, there = self._glossaries
        yield from (entry.number for term, entry in there.items() if term not in known)

    # -- a unit --------------------------------------------------------------------------------

    def _unit(
        self,
        unit_id: str,
        place: str,
        kind: str,
        source: str,
        old: str,
        target: str,
    ) -> WorkUnit:
        """Return the unit of a text. old, target: the text before and its translation, empty where
        there is none."""
        unit, lang = WorkUnit(unit_id, place, kind, "new", source), self._langs[0]
        if not target:
            if old:
                unit = replace(unit, notes=(_UNTRANSLATED.format(edition=self._diff.before),))
            near = self._near(source)
            return replace(unit, near=near, terms=self._names.in_text(source))
        if kind in _SAME_WORDS or source == old:
            unit = replace(unit, state="final", target=target)
            return _to_review(unit, *self._doubts(source, target))
        written, notes = self._rewritten(old, source, target)
        if kind in RENUMBERED or _with_numbers(old, self._numbers, self._known[lang]) == source:
            unit = replace(unit, state="final", target=written)
            return _to_review(unit, *notes, *self._doubts(source, written))
        spans = tuple(tuple(each) for each in differences(old, source))
        return replace(
            unit,
            state="needs-review",
            target=written,
            old_source=old,
            old_target=target,
            spans=spans,  # type: ignore[arg-type]
            notes=notes,
            terms=self._names.in_text(source),
        )

    def _rewritten(self, old: str, new: str, target: str) -> tuple[str, tuple[str, ...]]:
        """Return a translation of the old text with the numbers of rules as they are now, and what
        is doubtful about it."""
        lang, other = self._langs
        cited = [
            [one.number for one in find_citations(text, self._known[lang])] for text in (old, new)
        ]
        numbers = {number: self._numbers.get(number, number) for number in cited[0]}
        if len(cited[0]) == len(cited[1]):
            numbers.update(zip(*cited, strict=True))
        written = _with_numbers(target, numbers, self._known[other])
        theirs = Counter(one.number for one in find_citations(written, self._known[other]))
        lost = sorted(Counter(cited[1]) - theirs, key=number_key)
        return written, (_CITATIONS.format(numbers=", ".join(lost)),) if lost else ()

    def _doubts(self, source: str, target: str) -> Iterator[str]:
        """Yield what makes it doubtful that a text is the translation of another, a sentence each:
        rules that one of them cites alone, other amounts, another length, few of the same terms."""
        lang, other = self._langs
        cited, theirs = (
            dict.fromkeys(one.number for one in find_citations(text, self._known[of_lang]))
            for text, of_lang in ((source, lang), (target, other))
        )
        if lost := [number for number in cited if number not in theirs]:
            yield _CITATIONS.format(numbers=", ".join(lost))
        if alone := [number for number in theirs if number not in cited]:
            now = (
                f"{number} (now {self._numbers[number]})"
                if self._numbers.get(number, number) != number
                else number
                for number in alone
            )
            yield _ALONE.format(numbers=", ".join(now))
        if any(differing_amounts(source, lang, target, other)):
            yield _AMOUNTS
        if not is_whole(source, lang, target, other):
            yield _LENGTH
        if self._names.are_unlike(source, target):
            yield _UNLIKE

    def _near(self, source: str) -> Match | None:
        is_asked = any(map(str.isalnum, source)) and len(source) <= _LONGEST_NEAR
        if not is_asked or not self._looks_near:
            return None
        found = match(self._store, source, *self._langs, game=self._diff.game, most=1)
        return next(iter(found.matches), None)


_LIKE = 0.5  # of 1, by hand: half of the words of an example; less like it, it is another one
_LONGEST_NEAR = 2_000  # characters, as `match` takes them
_UNSURE = "That the two rules translate each other is not sure."
_UNTRANSLATED = "Edition {edition} has it; no translation of it is known."
_ALONE = "The translation alone cites {numbers}."
_AMOUNTS = "The amounts in the two texts differ."
_LENGTH = "One of the texts is much longer than the translation of the other usually is."
_UNLIKE = "The two texts name few of the same terms."
_BESIDE = "Another example of this rule is hardly the translation of the one it is paired with."
_ENTRY = "The text of this entry is hardly the translation of the one it is paired with."
# Names of terms and numbers that the shorter list must have, to say anything, and the share of
# them that both texts must have. By hand, on the examples of Lorcana's two books of 2025.
_FEWEST_NAMES, _LEAST_COMMON = 3, 0.34
_CITATIONS = "The text cites {numbers}; the translation does not."


def _to_review(unit: WorkUnit, *notes: str) -> WorkUnit:
    """Return a unit that is not final if there are notes, with these."""
    state: State = "needs-review" if notes and unit.state == "final" else unit.state
    return replace(unit, state=state, notes=tuple(dict.fromkeys((*unit.notes, *notes))))


class _NamesOfTerms:
    """The names of a game's terms in two languages: which of them texts have."""

    def __init__(self, store: Store, game: str, langs: tuple[str, str]) -> None:
        self._lang, self._other = langs
        self._targets: dict[str, str] = {}
        own: list[tuple[str, str]] = []
        pairs: list[tuple[str, str]] = []
        for term in store.get(term_ids(store, ("term",), game, None, None)).values():
            stated = [each for each in term.labels if each.role not in ("reading", "proposed")]
            stated.sort(key=lambda label: label.role != "preferred")
            names = [[each.text for each in stated if each.lang == lang] for lang in langs]
            if names[0] and names[1]:
                self._targets[term.id] = names[1][0]
                own += [(term.id, name) for name in names[0]]
                sides = names if langs[1] == "en" else names[::-1]
                pairs += [(one, english) for one in sides[0] for english in sides[1]]
        self._finder = EnglishFinder(own)
        self._own = sorted(own, key=lambda pair: -len(pair[1]))
        # It looks for English names, and for others as in Japanese.
        self._both = NamesInBoth(pairs) if "en" in langs and pairs else None

    def are_unlike(self, source: str, target: str) -> bool:
        """Return whether two texts have few of the same terms and numbers, of those that they
        have; false where there are too few, or neither language is English."""
        if self._both is None:
            return False
        ours, theirs = (
            self._both.of(text, "en" if lang == "en" else "ja")
            for text, lang in ((source, self._lang), (target, self._other))
        )
        least = min(ours.total(), theirs.total())
        return least >= _FEWEST_NAMES and (ours & theirs).total() < _LEAST_COMMON * least

    def in_text(self, text: str) -> tuple[tuple[str, str], ...]:
        """Return (name as the text has it, name in the target language) of the terms in a text, in
        its order, each name once."""
        found: dict[str, str] = {}
        if self._lang in UNSPACED:
            rest, places = text, list[tuple[int, str, str]]()
            for term, name in self._own:
                if (at := rest.find(name)) >= 0 and len(name) > 1:
                    places.append((at, name, self._targets[term]))
                    rest = rest.replace(name, "\0" * len(name))
            found = {name: target for _, name, target in sorted(places)}
        else:
            for use in self._finder.find(text):
                written = text[use.start : use.end]
                found.setdefault(written, self._targets[use.concepts[0]])
        return tuple(found.items())[:_MOST_TERMS]


def _by_number(rules: Iterable[Node]) -> dict[str, Node]:
    return {rule.number: rule for rule in rules if rule.number}


def _text(rule: Node) -> str:
    return (rule.text or rule.label or "").strip()


def _examples(rule: Node | None) -> Sequence[str]:
    return tuple(((rule.details if rule else None) or {}).get("examples", ()))


def _with_numbers(text: str, numbers: Mapping[str, str], known: frozenset[str]) -> str:
    """Return a text with the numbers of the rules that it cites replaced, all at once.

    numbers: {number before: number now}. known: the numbers of the text's own book.

    >>> _with_numbers("rule 7.1 と rule 7.2", {"7.1": "7.2", "7.2": "7.3"}, frozenset())
    'rule 7.2 と rule 7.3'
    """
    pieces, end = list[str](), 0
    for one in find_citations(text, known):
        start = fold_width(text).find(one.number, max(one.start, end), one.end)
        if start >= 0 and one.number in numbers:
            pieces += [text[end:start], numbers[one.number]]
            end = start + len(one.number)
    return "".join(pieces) + text[end:]
