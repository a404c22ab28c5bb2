"""Verifies a text: which of its citations and quotations are those of the knowledge base."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from glob import glob
from pathlib import Path
from typing import Any

from graphs.model import Node
from graphs.sort_orders import edition_key
from graphs.store.reader import Store
from kb.checking.baseline import fingerprints, read_baseline, write_baseline
from kb.checking.claims.citation_verdicts import NumberVerdicts
from kb.checking.claims.claim import Claim, VerifiedText
from kb.checking.claims.find_quotations import word_count
from kb.checking.claims.loaded_rulebooks import Rulebooks
from kb.checking.claims.other_subjects import OtherSubjects
from kb.checking.claims.quotation_sources import QuotationSources
from kb.checking.claims.stale_citations import StaleClaims
from kb.checking.claims.verifier import Verifier
from kb.checking.code_text import is_code, written_words
from kb.checking.draft import Finding
from kb.checking.fix_numbers import (
    FixedFile,
    WrittenNumber,
    file_key,
    fixed_files,
    number_in,
    remembered,
    tell_apart,
    written_into,
)
from kb.checking.kept_tools import kept
from kb.errors import QuestionError, SourceError
from kb.language.nearest_value import shown
from kb.query.lookup.arguments import text_of
from kb.reason import Argument, LeftOut, Reason
from kb.result import UNREPORTED, ListResult, columns, reported
from kb.worker_pool import WorkerPool, default_workers
from scraper.rulebook.numbering import parent_number

# Guards of time and memory; the longest rulebook, Magic's, has less than a million characters.
LONGEST = 2_000_000  # characters of a text
_FARTHEST = 200  # characters between a quotation and the number that it stands beside
MOST_CLAIMS = 10_000  # that are looked at; the rest is counted
_WRITTEN = "written numbers"  # of what is kept with an open base
LARGEST = 8 << 20  # bytes of a text: four for each character of `LONGEST`


@dataclass(frozen=True, slots=True, repr=False)
class Verification(ListResult[Claim], items="claims", item="claim"):
    """What a text claims of the rules, and what of it stands.

    claims: its citations and quotations, in their order.
    counts: {verdict: how many claims}, the most frequent first.
    game, edition: that it was taken to be about, or that a person asked for; None if its claims are
        of several, or of the newest edition.
    held_against: what it was held against.
    also: the games and editions that it was not taken to be about, and how to choose them.
    left_out: how many claims were not looked at, because there are too many.
    files: how many files were read; 0 for a text.
    shown_counts: `counts` by the verdict as people read it: `number exists` for the citations of
        which nothing but the number was compared.
    """

    claims: tuple[Claim, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    game: str | None = None
    edition: str | None = None
    held_against: tuple[Reason, ...] = ()
    also: tuple[LeftOut, ...] = ()
    left_out: int = 0
    files: int = 0
    shown_counts: Mapping[str, int] = field(default_factory=dict, metadata=UNREPORTED)

    _COLUMNS = columns("file line start kind text verdict number edition expected message")

    @reported
    def against(self) -> tuple[str, ...]:
        """What it was held against, in words, a sentence each."""
        return tuple(map(str, self.held_against))

    @reported
    def stands(self) -> bool:
        """Whether no claim is wrong, as far as what is loaded tells it; False if some were not
        looked at, True if there are none."""
        return not self.left_out and not any(claim.is_wrong for claim in self.claims)

    def as_sarif(self, version: str) -> dict[str, Any]:
        """Return the wrong claims as a SARIF 2.1.0 log. version: of sansho."""
        from kb.checking.sarif import sarif_of_claims

        found: dict[str, list[Finding]] = {}
        for claim in self.problems.claims:
            found.setdefault(claim.file, []).append(_finding(claim))
        return sarif_of_claims(found, version)

    def write_baseline(self, out: str | Path) -> int:
        """Write the wrong claims as a baseline for `without`, and return how many there are.

        out: the file, which is replaced, or `-`. Raises StoreError if it can't be written.
        """
        return write_baseline(map(_finding, self.problems.claims), out)

    def without(self, baseline: str | Path) -> Verification:
        """Return the same without the wrong claims that a baseline has; `counts` are those of all.

        Raises SourceError if the file is no baseline.
        """
        known = read_baseline(baseline)
        wrong = [claim for claim in self.claims if claim.is_wrong]
        prints = [each for _, each in fingerprints(map(_finding, wrong))]
        old = {id(claim) for claim, each in zip(wrong, prints, strict=True) if each in known}
        return replace(self, claims=tuple(one for one in self.claims if id(one) not in old))

    def fixed(self, left_out: dict[str, Reason] | None = None) -> list[FixedFile]:
        """Return the files in which a number can be mended, with it mended; nothing is written.

        left_out: is given the files in which none can be, and why.

        Raises SourceError if a file can't be read any more.
        """
        by_file: dict[str, list[Claim]] = {}
        for claim in self.claims:
            by_file.setdefault(claim.file, []).append(claim)
        return list(fixed_files(by_file, left_out))

    @property
    def problems(self) -> Verification:
        """The same with only those claims that are wrong; `counts` are those of all."""
        return replace(self, claims=tuple(claim for claim in self.claims if claim.is_wrong))


def _finding(claim: Claim) -> Finding:
    """Return a wrong claim as a finding, for a baseline or SARIF."""
    return Finding(
        claim.line,
        claim.start,
        claim.end,
        claim.text,
        claim.verdict.replace(" ", "-"),
        claim.expected,
        said=claim.said,
        suggestion=claim.fix,
        segment_text=f"{file_key(claim.file)}\n{claim.text}",
        end_line=claim.end_line,
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of texts.

    game, edition, lang: what they are about; None for what they say themselves, and the newest
        edition.
    against: the edition that should hold now, if `edition` says what they were written for; None
        for the newest.
    """

    game: str | None = None
    edition: str | None = None
    lang: str | None = None
    against: str | None = None


class KnownRules:
    """What is read of a knowledge base once, for several texts.

    against: the edition that should hold now; None for the newest.
    """

    def __init__(self, store: Store, against: str | None) -> None:
        self._store, self.rulebooks = store, Rulebooks(store)
        self._sources = cache(partial(QuotationSources, store, self.rulebooks))
        self._numbers = cache(partial(NumberVerdicts, self.rulebooks))
        self.subjects = OtherSubjects(store, self.rulebooks)
        self.stale = StaleClaims(store, self.rulebooks, against)

    def verifier(self, text: str, asked: Asked, edition: str | None, is_code: bool) -> Verifier:
        """Return what holds a text, written for an edition, against the rules."""
        of = asked.game, edition, asked.lang
        sources = self._sources(asked.game, asked.lang)
        read = VerifiedText(self._store, text, *of, self.rulebooks, sources, is_code)
        return Verifier(read, self._numbers(asked.game, asked.lang))


def written_numbers(store: Store) -> Mapping[str, tuple[WrittenNumber, ...]]:
    """Return what `remembered` does, read once for an open base."""
    if _WRITTEN not in store.kept:
        store.kept[_WRITTEN] = remembered(store.path)
    found: Mapping[str, tuple[WrittenNumber, ...]] = store.kept[_WRITTEN]
    return found


def forget_written_numbers(store: Store) -> None:
    """Let `written_numbers` read them again, as there may be more."""
    store.kept.pop(_WRITTEN, None)


def verify(store: Store, text: str, asked: Asked, file: str = "") -> Verification:
    """Return what a text cites and quotes, each with a verdict.

    file: that has the text, by whose path numbers are known that were mended before.

    Raises QuestionError if the text is longer than 2,000,000 characters.
    """
    if len(text) > LONGEST:
        sizes = {"characters": len(text), "most": LONGEST}
        raise QuestionError("verified_text_too_long", argument=Argument("text"), **sizes)
    edition, against = asked.edition, asked.against
    if edition and against and edition_key(against) < edition_key(edition):
        raise QuestionError("impact_order", before=edition, after=against)
    written = written_into(file, written_numbers(store))
    with kept(store, KnownRules, against) as known:
        return _verified(text, asked, known, bool(file) and is_code(file), written)


def _verified(
    text: str, asked: Asked, known: KnownRules, code: bool, written: Sequence[WrittenNumber]
) -> Verification:
    """Return what a text cites and quotes. code: whether it is source code or data. written: the
    numbers that were written into its file."""
    starts, edition = _line_starts(text), asked.edition
    verifier = known.verifier(text, asked, edition, code)
    drafts = verifier.claims(MOST_CLAIMS)
    against_now: tuple[Reason, ...] = ()
    if edition is None:
        drafts = known.subjects.held(drafts, text)
    else:
        mended = _Mended(text, drafts, written)
        old = [draft for draft in drafts if draft not in mended]
        held = known.subjects.held(old, text, known.stale.after)
        drafts = [known.stale.now(draft, text) for draft in held]
        drafts = [replace(one, fix=None) if one.span in mended.unsure else one for one in drafts]
        against_now = known.stale.editions(held)
        if mended.places:
            now = known.verifier(text, asked, asked.against, code)
            drafts += [one for one in now.claims(MOST_CLAIMS) if one in mended]
            drafts.sort(key=lambda one: one.span)
    quoted = {one.cited for one in drafts if one.kind == "quotation" and one.stands}
    drafts = [
        replace(one, number_alone=one.number not in quoted)
        if one.kind == "citation" and one.stands
        else one
        for one in drafts
    ]
    claims = tuple(_placed(draft, text, starts) for draft in drafts)
    return Verification(
        claims,
        dict(Counter(claim.verdict for claim in claims).most_common()),
        verifier.game,
        verifier.edition,
        (*verifier.against(claims), *against_now),
        tuple(verifier.also(claims)),
        verifier.left_out,
        shown_counts=dict(Counter(claim.shown_verdict for claim in claims).most_common()),
    )


class _Mended:
    """Which claims of a text have numbers that a repair wrote into its file.

    places: {span of a citation: its number}. unsure: spans of those of which that can't be told.
    """

    def __init__(
        self, text: str, claims: Iterable[Claim], written: Sequence[WrittenNumber]
    ) -> None:
        spans = [one.span for one in claims if one.kind == "citation"] if written else []
        new, self.unsure = tell_apart(text, spans, written)
        self.places = {span: number_in(text, *span)[2] for span in new}

    def __contains__(self, claim: Claim) -> bool:
        """Whether a citation is there, or stands beside a quotation."""
        if claim.kind == "citation":
            return claim.span in self.places
        start, end = claim.span
        return any(
            claim.cited == number and first < end + _FARTHEST and start - _FARTHEST < last
            for (first, last), number in self.places.items()
        )


def _line_starts(text: str) -> list[int]:
    starts = [0]
    position = text.find("\n")
    while position >= 0:
        starts.append(position + 1)
        position = text.find("\n", position + 1)
    return starts


def _placed(claim: Claim, text: str, starts: list[int]) -> Claim:
    """Return a claim with its lines and columns, which follow from its span."""
    start, end = claim.span
    line = bisect_right(starts, start)
    last = bisect_right(starts, max(start, end - 1))
    return replace(
        claim,
        line=line,
        start=start - starts[line - 1],
        end=end - starts[last - 1],
        end_line=last,
        text=text[start:end],
    )


def text_to_verify(given: object) -> str:
    """Return the text that a person gives: as text, as bytes, or as the path of a file. Of bytes
    and files the charset is recognised, and each line ends with a line feed alone.

    Raises SourceError if a file can't be read, if it or bytes are too large or no text, and
    QuestionError for anything else.

    >>> text_to_verify("See 121.4".encode("utf-16"))
    'See 121.4'
    """
    if isinstance(given, str):
        return text_of("text", given, empty=True)
    if isinstance(given, bytes):
        return _decoded(given)
    if isinstance(given, Path):
        from kb.checking.drafts.draft_file import open_draft

        return open_draft(given, LARGEST).text
    raise QuestionError("no_text_to_verify", argument=Argument("text"), given=shown(given))


def _decoded(data: bytes) -> str:
    if len(data) > LARGEST:
        raise SourceError(f"larger than {LARGEST >> 20} MB; verify it in parts")
    from scraper.sources.charset import decode

    text = decode(data).text
    if "\0" in text:
        raise SourceError("not a text (it has NUL characters)")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


# Folders of tools, whose files nobody writes by hand.
_NOT_ENTERED = frozenset(
    ".git .hg .svn .tox .nox .venv venv node_modules __pycache__ .mypy_cache .ruff_cache "
    ".pytest_cache target dist build .idea .gradle vendor".split()
)
_BINARY = frozenset(
    ".png .jpg .jpeg .gif .webp .ico .pdf .zip .gz .bz2 .xz .7z .tar .jar .class .o .a .so .dll "
    ".exe .pyc .woff .woff2 .ttf .otf .mp3 .mp4 .ogg .wav .db .sqlite .parquet .bin .lock".split()
)
_MOST_FILES = 100_000  # a guard
# Without any of these in it, a file cites and quotes nothing: most files of a project have none.
_MAY_CITE = re.compile(
    r"\d{1,4}[.,．_][\d０-９]|(?i:\brules?\b|\bCR\s?\d)|ルール|規則|§|[「『“]|総合|[０-９]{3}"
)

# In prose: words in straight quotation marks, or behind the sign of a quotation.
_MAY_QUOTE = re.compile(r'"[^"\n]{20,}|^\s*>|&quot;|[«„]', re.MULTILINE)


def verify_files(
    store: Store, paths: Sequence[str | Path], asked: Asked, workers: int | None = None
) -> Verification:
    """Return what files cite and quote, each claim with its file and verdict, in the order of the
    files' names.

    paths: files, folders (with all below them, but for those of tools such as `.git`), and patterns
    such as `src/**/*.py`. Of source code comments and strings count. Files that are no text, or too
    large, are left out, and said.
    workers: processes; None for one a core, up to four.

    Raises SourceError if a path is not there, or names a file that can't be read as text.
    """
    named = {str(path) for path in paths}
    files = list(find_files(paths))
    claims: list[Claim] = []
    nodes: dict[str, Node] = {}  # each once: workers send copies
    texts: dict[str, str] = {}
    held: dict[str, Reason] = {}
    unread: list[str] = []
    also: dict[str, LeftOut] = {}
    left_out = 0
    with WorkerPool(workers or default_workers()) as pool:
        for file, found in zip(
            files, pool.map(_verifier, (store.path, asked), files, os.path.getsize), strict=True
        ):
            if isinstance(found, str):
                if file in named:
                    raise SourceError(Reason("said", text=found))
                unread.append(found)
                continue
            for claim in found.claims:
                node = nodes.setdefault(claim.node.id, claim.node) if claim.node else None
                rule = texts.setdefault(claim.rule, claim.rule) if claim.rule else None
                claims.append(replace(claim, file=file, node=node, rule=rule))
            held.update((str(reason), reason) for reason in found.held_against)
            also.update((str(one.reason), one) for one in found.also if len(files) == 1)
            left_out += found.left_out
    if unread:
        reason = Reason("files_unread", count=len(unread), files=tuple(unread[:12]))
        also[str(reason)] = LeftOut(None, reason)
    return Verification(
        tuple(claims),
        dict(Counter(claim.verdict for claim in claims).most_common()),
        asked.game,
        asked.edition,
        tuple(held.values()),
        tuple(also.values()),
        left_out,
        len(files),
        dict(Counter(claim.shown_verdict for claim in claims).most_common()),
    )


def find_files(paths: Iterable[str | Path]) -> Iterator[str]:
    """Yield the files that paths name, sorted below each path, each once; links to folders are not
    followed.

    Raises SourceError for a path or pattern that names nothing, and for too many files.
    """
    seen: set[str] = set()
    for path in paths:
        found = list(_below(str(path)))
        if not found:
            raise SourceError(Reason("no_file_to_verify", path=str(path)))
        for file in found:
            if file not in seen:
                seen.add(file)
                yield file
        if len(seen) > _MOST_FILES:
            raise SourceError(Reason("too_many_files", most=_MOST_FILES))


def _below(path: str) -> Iterator[str]:
    if Path(path).is_file():
        yield path
    elif Path(path).is_dir():
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name not in _NOT_ENTERED)
            for name in sorted(names):
                file = Path(folder, name)
                if file.suffix.lower() not in _BINARY and file.is_file():
                    yield str(file)
    else:
        found = sorted(glob(path, recursive=True))  # noqa: PTH207  # Path.glob takes no "/…/*"
        yield from (file for file in found if Path(file).is_file())


def _verifier(asked_of: tuple[Path, Asked]) -> Callable[[str], Verification | str]:
    """Return the function that verifies a file; it returns why a file can't be read.

    asked_of: the file of the knowledge base, and what is asked of each.
    """
    kb, asked = asked_of
    store = Store(kb)
    written_numbers(store)  # what is wrong with them is raised before any file is read

    def verified(file: str) -> Verification | str:
        try:
            with Path(file).open("rb") as opened:
                text = text_to_verify(opened.read(LARGEST + 1))
            if len(text) > LONGEST:
                raise SourceError(f"larger than {LARGEST >> 20} MB")
        except OSError as error:
            return f"{file}: " + (error.strerror or "can't be read")
        except SourceError as error:
            return f"{file}: {error}"
        return verify_text_of_file(store, text, file, asked)

    return verified


def verify_text_of_file(store: Store, text: str, file: str, asked: Asked) -> Verification:
    """Return what the text of a file cites and quotes, of source code its comments and strings;
    without what only looks like a claim.

    file: its name, by which its language is known.
    """
    # Most files have nothing that could cite or quote.
    may_cite = _MAY_CITE.search(text) or (not is_code(file) and _MAY_QUOTE.search(text))
    text = written_words(file, text) if may_cite else ""
    if not text:
        return Verification(())
    found = verify(store, text, asked, file)
    lines = text.split("\n")
    cited = {parent_number(one.number) for one in found.claims if one.number and one.node}
    code, is_data = is_code(file), file.lower().endswith(".sql")
    are_amounts = _are_amounts(found.claims)
    kept = (
        claim
        for claim in found.claims
        if not (are_amounts and _is_bare(claim))
        if not _is_chance(claim, code, is_data, lines[claim.line - 1], cited)
    )
    return replace(found, claims=tuple(kept))


_LED = re.compile(
    r"(?i)(?<![A-Za-z])(?:C\.?R\b|CR_|rules?(?![A-Za-z]))|ルール|規則|§|\d{3}[._]\d+[a-z]$"
)
_MONEY = re.compile(
    r"(?i)\b(?:prices?|euros?|dollars?|USD|EUR|GBP|JPY)\b|[€£¥￥]|\$\d|価格|値段|\d円"
)
_SAYS = re.compile(r"(?i)\b(?:rules?|rulebook|CR)\b[^.!?\n]{0,40}$|(?:ルール|規則)[^。\n]{0,20}$")
_COMMENT = re.compile(r"//|/\*|^\s*\*|#|--|;|%|<!")  # before a number: what begins a comment
_LONG = 12  # words, by hand: that so many are like a rule's is no chance


# Bare numbers in a file that tell what they are, and the share of them that no edition has, from
# which on they are prices, times or versions. By hand: of a list of rules a few may be misprinted.
_FEWEST_BARE, _NO_RULES = 10, 0.2


def _is_bare(claim: Claim) -> bool:
    """Whether a citation is a number alone, without a word or letter that says what it is."""
    return claim.kind == "citation" and not _LED.search(claim.text)


def _are_amounts(claims: Iterable[Claim]) -> bool:
    """Whether the bare numbers of a file are no citations: many of them are no rules."""
    bare = [claim for claim in claims if _is_bare(claim)]
    wrong = sum(claim.verdict == "not found" for claim in bare)
    return len(bare) >= _FEWEST_BARE and wrong >= _NO_RULES * len(bare)


def _is_chance(
    claim: Claim, code: bool, is_data: bool, line: str, cited: Collection[str | None]
) -> bool:
    """Whether something in a file only looks like a claim: a quotation of nothing that stands
    beside no citation, or in code; a bare number that no rule has, if it is an amount of money, or
    in code that cites no rule of its section, or in a string, and has no letter.

    is_data: whether the strings of the code are values. line: that it stands in. cited: what the
        numbers that are rules' in the file are part of.
    """
    if claim.stands or claim.verdict not in ("not found", "not loaded", "repaired"):
        return False
    if claim.kind == "quotation":
        is_marked = claim.cited or _SAYS.search(line, 0, max(0, claim.start - 1))
        is_like = claim.verdict == "repaired" and word_count(claim.text) >= _LONG
        return code or not (is_marked or is_like)
    if _LED.search(claim.text):
        return False
    if claim.verdict == "not found" and _MONEY.search(line):
        return True
    section = parent_number(claim.number or "")
    is_string = code and not is_data and not _COMMENT.search(line, 0, claim.start)
    return code and (section is None or section not in cited or is_string)
