"""Holds a draft, or the file of one, against the termbase and the rules."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from graphs.model import Node
from graphs.store.reader import Store
from kb.checking.baseline import new_findings, read_baseline
from kb.checking.checks.card_names import CardNames
from kb.checking.checks.check_citations import Citations
from kb.checking.checks.check_numbers import changed_numbers
from kb.checking.checks.consistency import Consistency, VariedNames
from kb.checking.checks.missing_terms import missing_terms, missing_text
from kb.checking.checks.names_to_avoid import NamesToAvoid
from kb.checking.checks.opposites import can_deny, opposites
from kb.checking.checks.spellings import Spellings
from kb.checking.checks.swapped_terms import swapped_terms
from kb.checking.draft import KINDS, Finding, Segment
from kb.checking.drafts.read_draft import read_draft
from kb.checking.game_of_draft import game_of_draft
from kb.checking.house_translations import HouseTranslation, HouseTranslations
from kb.checking.house_usage import (
    House,
    ReadSegment,
    SourceRules,
    cards_of,
    game_terms,
    other_games_terms,
    without_listed_names,
)
from kb.checking.kept_tools import kept
from kb.errors import SourceError
from kb.interchange.decisions_file import read_decisions
from kb.language.fold import fold, is_japanese
from kb.language.nearest_value import refuse_unknown
from kb.language.translated_length import is_whole
from kb.query.editions.edition_choice import find_edition
from kb.query.lookup.arguments import path_of, text_of
from kb.reason import Argument, Reason
from kb.result import (
    UNREPORTED,
    ListResult,
    columns,
    fields_document,
    reported,
    reported_as,
)
from kb.rules.loaded_editions import LoadedRules, loaded_rules
from kb.termbase.decisions_applied import DecisionNotice, apply_decisions
from kb.termbase.model import Concept, Decision
from kb.termbase.termbase import decisions_on_nodes
from scraper.sites.translated_rulebook import stated_edition

# Kinds that are found together, and kinds of which a term gets one: see `_findings` and `_kept`.
_TO_AVOID = frozenset(("deprecated-term", "forbidden-term", "other-game-term"))
_OF_GAME = frozenset(("other-game-term", "spelling"))  # that say nothing where the game is unsure
_ABOUT_TERMS = _TO_AVOID | {"missing-term", "inconsistent-term", "merged-terms"}


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What a draft is, and what to look for.

    source_lang, target_lang: the languages of all segments that don't say theirs; None to see it by
        their letters.
    game: the game that it is about; None for the one that it names, or fits best.
    edition: the edition that it means; None for the newest.
    only: the kinds to look for; all if empty. skip: kinds to leave out.
    """

    source_lang: str | None = None
    target_lang: str | None = None
    game: str | None = None
    edition: str | None = None
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds to look for: `only`, or else all, without `skip`; empty if nothing is left.

        Raises QuestionError if one of either is no kind of finding."""
        for kind in (*self.only, *self.skip):
            refuse_unknown("kind of finding", kind, KINDS)
        return frozenset(self.only or KINDS) - frozenset(self.skip)


@dataclass(frozen=True, slots=True, repr=False)
class Check(ListResult[Finding], items="problems", item="problem"):
    """What is wrong with a draft, and what it was held against.

    file: the draft.
    problems: the findings, in the order of their places.
    game, edition: that it was held against; no edition if no rules of the game are loaded.
    segments: how many have a text; with_source: how many of them the draft gives a source of;
        from_rules: how many of them have a rule of the knowledge base as their source.
    held_against: what the segments were held against.
    not_compared: the lines of segments whose target is no translation of all of their source.
    ignored, in_baseline: how many findings a comment in the draft, or the baseline, keeps quiet.
    warnings: what wasn't read.
    nodes: the terms and cards that the problems are about, by id.
    """

    file: str
    problems: tuple[Finding, ...] = field(metadata=UNREPORTED)
    game: str | None = None
    edition: str | None = None
    segments: int = 0
    with_source: int = 0
    from_rules: int = 0
    held_against: tuple[Reason, ...] = ()
    not_compared: tuple[int, ...] = ()
    ignored: int = 0
    in_baseline: int = 0
    warnings: tuple[str, ...] = ()
    nodes: Mapping[str, Node] | None = field(default=None, metadata=UNREPORTED)

    _COLUMNS = columns("line start kind text expected authority message")

    def _about(self) -> str:
        return f"of {self.file}"

    @reported
    def against(self) -> tuple[str, ...]:
        """What the segments were held against, in sentences."""
        return tuple(map(str, self.held_against))

    @reported_as("problems")
    def problem_documents(self) -> list[Mapping[str, Any]]:
        """The fields of each problem, in order; `term` is the node of its term or card, or None,
        and `term_id` that node's id."""
        nodes = self.nodes or {}
        return [
            {**fields_document(each), "term_id": each.term, "term": nodes.get(each.term or "")}
            for each in self.problems
        ]

    @reported
    def counts(self) -> dict[str, int]:
        """{kind: how many problems}, the most frequent first, of ties the one that is met first;
        kinds without any are not there."""
        return dict(Counter(problem.kind for problem in self.problems).most_common())

    def as_sarif(self, version: str) -> dict[str, Any]:
        """Return the problems as a SARIF 2.1.0 log. version: of sansho."""
        from kb.checking.sarif import sarif

        return sarif(self.problems, self.file, version)

    def write_baseline(self, out: str | Path) -> int:
        """Write the problems to a file that a later check can take as its baseline; return how
        many there are. Raises StoreError if it can't be written."""
        from kb.checking.baseline import write_baseline

        return write_baseline(self.problems, out)


def check(
    store: Store,
    segments: Iterable[Segment],
    file: str,
    options: CheckOptions = CheckOptions(),
    decisions: Sequence[Decision] = (),
) -> Check:
    """Return what is wrong with the segments of a draft.

    segments: read once, before anything is checked; errors in reading them are raised. Those with
        an empty target are left out.
    file: what to call the draft.
    decisions: a person's, which win over what pages say.

    Raises QuestionError for a game, edition or kind that isn't there, and if nothing in the
    knowledge base can say what is right.
    """
    kinds = options.kinds
    read = [segment for segment in segments if segment.target.strip()]
    rules = loaded_rules(store)
    games = sorted({*store.games_with_terms(), *rules})
    known = {each: frozenset().union(*rules[each].numbers.values()) for each in rules}
    meant = game_of_draft(store, read, options.game, games, known)
    game = meant.game
    loaded = rules.get(game)
    edition: str | None
    if options.edition:
        edition = find_edition(store, rules, options.edition, game)
    else:
        edition = _edition_of(store, loaded, read) if loaded else None
    if meant.others:
        kinds -= _OF_GAME
    own = tuple(one for one in decisions if one.game in (None, game))
    with kept(store, _Tools, game, edition, own, loaded=loaded) as tools:
        checker = _Checker(tools, options, kinds)
        problems = checker.problems(read)
    ids = {problem.term for problem in problems if problem.term}
    return Check(
        file=file,
        problems=tuple(problems),
        game=game,
        edition=edition,
        segments=len(read),
        with_source=checker.with_source,
        from_rules=sum(checker.from_rules.values()),
        held_against=(*meant.guess(), *checker.against(options)),
        not_compared=tuple(checker.not_compared),
        ignored=checker.ignored,
        warnings=tuple(
            dict.fromkeys(
                map(str, [*tools.notices, *meant.doubts(), *_of_no_game(decisions, games)])
            )
        ),
        nodes=store.get(ids),
    )


def _of_no_game(decisions: Iterable[Decision], games: Sequence[str]) -> Iterator[DecisionNotice]:
    """Yield a notice of each decision on a term of a game that nothing is known of, in order;
    decisions that name no game are fine.

    games: all that the knowledge base has terms or rules of.
    """
    for one in decisions:
        if one.game and one.game not in games:
            said = Reason("decided_on_no_game", game=one.game, games=tuple(games))
            yield DecisionNotice(one.where, one.term, said)


def _edition_of(store: Store, loaded: LoadedRules, segments: Sequence[Segment]) -> str:
    """Return the edition that has most of a draft's texts, source or target, as rules in any
    language, letter for letter when folded; of ties, and if none has any, the newest."""
    if len(loaded.editions) == 1:
        return loaded.editions[0]
    texts = {hash(fold(text)) for one in segments for text in (one.source, one.target) if text}
    with kept(store, _folded_texts, loaded.game) as known:
        found = {edition: len(known[edition] & texts) for edition in loaded.editions}
    most = max(found.values())
    return next(edition for edition in reversed(loaded.editions) if found.get(edition, 0) == most)


def _folded_texts(store: Store, game: str) -> dict[str, set[int]]:
    """Return {edition: hashes of the folded texts of its rules}."""
    known: dict[str, set[int]] = defaultdict(set)
    for edition, text in store.rule_texts(game):
        known[edition].add(hash(fold(text)))  # a tenth of the memory that the texts take
    return known


class _Tools:
    """What drafts about one edition of a game are held against, read once for an open base."""

    def __init__(
        self,
        store: Store,
        game: str,
        edition: str | None,
        decisions: Sequence[Decision],
        loaded: LoadedRules | None,
    ) -> None:
        resolved = decisions_on_nodes(store, decisions, game)
        known = [*game_terms(store, game), *cards_of(store, game)]
        concepts = without_listed_names(apply_decisions(known, resolved))
        self.house = house = House(store, game, loaded, concepts, edition)
        self.notices = resolved.notices
        self.citations = Citations(house)
        self.cards = CardNames(house)
        self.spellings = cache(partial(Spellings, house))  # these by language
        self.varied_names = cache(partial(VariedNames, house))
        self.names_to_avoid = cache(lambda lang: NamesToAvoid(house, self._others, lang))
        self.translations = cache(partial(HouseTranslations, house))  # by both languages

    @cached_property
    def _others(self) -> list[Concept]:
        return list(other_games_terms(self.house.store, self.house.game))


class _Checker:
    """Reads the segments of a draft and collects what is wrong with them."""

    def __init__(self, tools: _Tools, options: CheckOptions, kinds: frozenset[str]) -> None:
        self._house, self._options, self._kinds = tools.house, options, kinds
        self._tools = tools
        self._sources = SourceRules(tools.house, options.source_lang)
        self._consistency = Consistency(tools.house)
        self.with_source = self.ignored = 0
        self.from_rules: Counter[tuple[str, str]] = Counter()  # by edition and language
        self.langs: Counter[tuple[str | None, str]] = Counter()
        self.not_compared: list[int] = []

    def problems(self, segments: Sequence[Segment]) -> list[Finding]:
        """Return what is wrong with segments, in their order and by place in each; a place, and a
        term, once a segment (see `_kept`)."""
        lang = self._options.target_lang or _language_of(segments)
        found: dict[str, list[Finding]] = {}
        order = {segment.id: place for place, segment in enumerate(segments)}
        by_id = {segment.id: segment for segment in segments}
        for segment, following in zip_longest(segments, segments[1:]):
            read = self._read(segment, lang, following.target if following else "")
            known = self._known_translation(read, following.target if following else "")
            found.setdefault(segment.id, []).extend(self._all_findings(read, known))
            if "inconsistent-term" in self._kinds and (known is None or not known.is_close):
                self._consistency.add(read)
        for finding in self._consistency.findings():
            found[finding.segment].append(finding)
        kept: list[Finding] = []
        for segment_id in sorted(found, key=order.__getitem__):
            kept += self._kept(found[segment_id], by_id[segment_id])
        return kept

    def against(self, options: CheckOptions) -> Iterator[Reason]:
        """Yield what the segments were held against: the terms; then, of each if there are any, how
        many had sources, how many rules of which edition and language, how many nothing, and in
        which languages a turned sense was not looked for."""
        house = self._house
        several = house.edition and house.loaded and len(house.loaded.editions) > 1
        yield Reason(
            "held_against_terms",
            game=house.game,
            how=None if options.game else Reason("game_of_most_terms"),
            edition=house.edition,
            argument=Argument("edition") if several and not options.edition else None,
        )
        if self.with_source:
            yield Reason("with_source", segments=self.with_source)
        for (edition, lang), number in self.from_rules.items():
            yield Reason(
                "held_against_rules",
                segments=number,
                lang=lang,
                game=house.game,
                edition=edition,
            )
        alone = self.langs.total() - self.with_source - sum(self.from_rules.values())
        if alone:
            yield Reason("without_source", segments=alone)
        compared = (each for langs in self.langs if langs[0] for each in langs)
        for one in dict.fromkeys(compared) if "opposite" in self._kinds else ():
            if not can_deny(one or ""):
                yield Reason("sense_not_looked_at", lang=one)

    def _read(self, segment: Segment, lang: str, following: str) -> ReadSegment:
        """Return a segment with its source and the names in it, and count it in `langs`.

        Its source is the one that the draft gives, else the rule that it translates. It has none if
        there is neither, or if that is in the language of the target; only what is no translation
        of all of its source is not whole.

        following: the target of the next."""
        target_lang = segment.target_lang or lang
        source, source_lang, rule = segment.source, segment.source_lang, None
        if source is not None and source.strip():
            self.with_source += 1
            source_lang = source_lang or self._options.source_lang
            source_lang = source_lang or ("ja" if is_japanese(source) else "en")
        elif found := self._sources.rule(segment.target, target_lang, following):
            rule, source, source_lang, edition = found
            self.from_rules[edition, source_lang] += 1
        else:
            source = source_lang = None
        self.langs[source_lang, target_lang] += 1
        whole = True
        source_names: Sequence[Any] = ()
        if source is not None and source_lang is not None:
            if source_lang == target_lang:
                source = source_lang = None
            else:
                whole = is_whole(source, source_lang, segment.target, target_lang)
                source_names = self._house.finder(source_lang).find(source)
        if not whole:
            self.not_compared.append(segment.line)
        target_names = self._house.finder(target_lang).find(segment.target)
        return ReadSegment(
            segment, source, source_lang, target_lang, source_names, target_names, rule, whole
        )

    def _known_translation(self, read: ReadSegment, following: str) -> HouseTranslation | None:
        """Return the translation that the house has of a segment's source, if its target follows
        it. following: the target of the next segment."""
        if read.source is None or read.source_lang is None:
            return None
        return self._tools.translations(read.source_lang, read.target_lang).of(read, following)

    def _all_findings(self, read: ReadSegment, known: HouseTranslation | None) -> Iterator[Finding]:
        """Yield what is wrong with a segment: by the translation that it follows closely; else by
        the terms and rules, behind what another wording of a known translation leaves out.

        Amounts that the known translation itself changes or loses are no fault of the draft, nor is
        a sense that seems turned in it, too."""
        if known is None:
            yield from self._findings(read)
        elif known.is_close:
            yield from self._departures(read, known)
        else:
            assert read.source_lang is not None
            translations = self._tools.translations(read.source_lang, read.target_lang)
            yield from translations.findings_in_rewording(read, known)
            as_house = replace(read, segment=replace(read.segment, target=known.text, places=()))
            also_lost = {one.source_text for one in changed_numbers(as_house)}
            is_turned = any(opposites(as_house))
            for finding in self._findings(read):
                if finding.kind == "opposite" and is_turned:
                    continue
                if finding.kind != "number" or finding.source_text not in also_lost:
                    yield finding

    def _departures(self, read: ReadSegment, known: HouseTranslation) -> Iterator[Finding]:
        """Yield where a segment departs from the translation that the house has, and what is wrong
        with it whatever the house has: deprecated and forbidden names that this translation doesn't
        have, and citations; the latter first."""
        assert read.source_lang is not None
        kinds = self._kinds
        if kinds & _TO_AVOID:
            for finding in self._tools.names_to_avoid(read.target_lang).find(read):
                if finding.kind != "other-game-term" and finding.text not in known.text:
                    yield finding
        if "moved-citation" in kinds:
            yield from self._tools.citations.moved(read)
        if "rule-number" in kinds:
            yield from self._tools.citations.changed(read)
        if "number" in kinds and known.differs:
            yield from changed_numbers(read)
        yield from self._tools.translations(read.source_lang, read.target_lang).findings(
            read, known
        )

    def _findings(self, read: ReadSegment) -> Iterator[Finding]:
        """Yield what is wrong with a segment by itself; of kinds that nobody asks for, too, where
        they come from the same comparison."""
        kinds, lang = self._kinds, read.target_lang
        if kinds & _TO_AVOID:
            yield from self._tools.names_to_avoid(lang).find(read)
        if kinds & {"missing-term", "merged-terms"}:
            yield from swapped_terms(read, self._house)
            yield from missing_terms(read, self._house)
        if "missing-text" in kinds:
            yield from missing_text(read)
        if kinds & {"missing-term", "inconsistent-term"}:
            yield from self._tools.varied_names(lang).find(read)
        if "number" in kinds:
            yield from changed_numbers(read)
        if "moved-citation" in kinds:
            yield from self._tools.citations.moved(read)
        if "rule-number" in kinds:
            yield from self._tools.citations.changed(read)
        if "card-name" in kinds:
            yield from self._tools.cards.find(read)
        if "spelling" in kinds:
            yield from self._tools.spellings(lang).find(read)
        if "opposite" in kinds:
            yield from opposites(read)

    def _kept(self, findings: Iterable[Finding], segment: Segment) -> list[Finding]:
        """Return the findings of a segment that are asked for and not ignored (these are counted in
        `ignored`): of those about one term, or at one place, the first. A term is not missing
        where the same name is misspelled. They are sorted by line and start."""
        kept: list[Finding] = []
        findings = list(findings)
        misspelled = {finding.expected for finding in findings if finding.kind == "spelling"}
        terms: set[str] = set()
        places: set[tuple[int, int, int | None]] = set()
        for finding in findings:
            if finding.kind not in self._kinds:
                continue
            if finding.kind == "missing-term" and finding.expected in misspelled:
                continue
            if finding.kind in _ABOUT_TERMS and finding.term:
                if finding.term in terms:
                    continue
                terms.add(finding.term)
            place = finding.line, finding.start, finding.end
            if finding.text:
                if place in places:
                    continue
                places.add(place)
            if segment.ignores(finding.kind):
                self.ignored += 1
                continue
            kept.append(finding)
        return sorted(kept, key=lambda finding: (finding.line, finding.start))


def _language_of(segments: Iterable[Segment]) -> str:
    """Return `ja` or `en`, whichever most targets are written in by their letters; of ties the one
    met first. Segments that say their language don't count; without others, `en`."""
    counts = Counter(
        "ja" if is_japanese(segment.target) else "en"
        for segment in segments
        if not segment.target_lang
    )
    return counts.most_common(1)[0][0] if counts else "en"


def check_file(
    store: Store,
    path: str | Path,
    source: str | Path | None,
    langs: tuple[str | None, str | None],
    game: str | None,
    edition: str | None,
    decisions: str | Path | None,
    baseline: str | Path | None,
    only: tuple[str, ...],
    skip: tuple[str, ...],
) -> Check:
    """Return what is wrong with a draft, without what a baseline has.

    path: of the draft. source: of the text that it translates; None if it has both, or none.
    langs: the languages of source and draft. decisions, baseline: paths.
    edition: None for that which XLIFF of a package says, or the newest.
    The others are as for `CheckOptions`.

    Raises SourceError if a file can't be read, or if no segment could be paired with one of
    `source`; and what `check` raises.
    """
    assert store.db  # a closed base is the first thing to be said
    path = path_of("draft", path)
    source, decisions, baseline = (
        None if one is None else path_of(name, one)
        for name, one in (("original", source), ("decisions", decisions), ("baseline", baseline))
    )
    source_lang, target_lang = (
        None if one is None else text_of(name, one)
        for name, one in zip(("source_lang", "target_lang"), langs, strict=True)
    )
    stated = None if edition else stated_edition(path)
    if stated and stated in {(one, each) for one, each, _ in store.editions()}:
        game, edition = game or stated[0], stated[1]
    options = CheckOptions(source_lang, target_lang, game, edition, only, skip)
    known = read_baseline(baseline) if baseline else frozenset[str]()
    both = (source_lang, target_lang) if source_lang and target_lang else None
    decided = list(read_decisions(decisions, both)) if decisions else []
    draft = read_draft(path, source_path=source, source_lang=source_lang, target_lang=target_lang)
    result = check(store, draft.segments, draft.path, options, decided)
    if source and result.segments and not result.with_source:
        raise SourceError(
            f"{path}: no segment could be paired with one of {source}, so nothing was compared; "
            "a CSV file with both in columns pairs them as you say"
        )
    new = tuple(new_findings(result.problems, known))
    return replace(
        result,
        problems=new,
        in_baseline=len(result.problems) - len(new),
        warnings=(*result.warnings, *draft.warnings),
    )
