"""Prints what was said of a text, and what was written to a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, cast

from kb.cli.render.lookup import print_definition_place
from kb.cli.render.output import (
    Part,
    also,
    bad,
    bold,
    counted,
    dim,
    echo,
    end_of_result,
    field,
    good,
    more,
    name_of,
    place_name,
    print_nothing,
    printable,
    said,
    total,
    warning,
    with_marks,
)
from kb.shared_wording import dotted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb import (
        Check,
        Claim,
        Concept,
        ConceptName,
        DecisionNotice,
        ExportReport,
        Finding,
        LeftOut,
        Matches,
        PackageReport,
        Picture,
        ReturnedPackage,
        Termbase,
        Verification,
    )

# By hand: with the words of a problem about a line of 80; a path that is longer would leave none
# for the problem itself.
_WIDEST = 60  # characters of a segment that are shown around a problem, half on each side
_LONGEST_PATH = 40  # that is shown whole before each problem
_MOST_LINES = 10  # numbers of lines that are listed, by hand: to tell where to look


def print_check(result: Check, notice: str) -> None:
    """Print the problems of a draft, each with its place and the words around it; below them what
    the draft was held against, and how many problems there are of each kind.

    notice: the knowledge base's notice to readers; empty if there is none.
    """
    for problem in result.problems:
        _print_problem(result.file, problem)
    if result.problems:
        echo()
    for reason in result.held_against:
        text = said(reason)
        echo(dim(text[:1].upper() + text[1:]))
    if result.not_compared:
        lines = ", ".join(map(str, result.not_compared[:_MOST_LINES]))
        more = " …" if len(result.not_compared) > _MOST_LINES else ""
        what = counted(len(result.not_compared), "segment")
        echo(dim(f"{what} too long or short for their source, not compared: lines {lines}{more}"))
    for unread in result.warnings:
        echo(warning(f"! {unread}"))
    kinds = ", ".join(f"{count} {kind}" for kind, count in result.counts.items())
    quiet = [
        f"{number} {how}"
        for number, how in (
            (result.ignored, "ignored by comments"),
            (result.in_baseline, "in the baseline"),
        )
        if number
    ]
    sums = f"{counted(len(result.problems), 'problem')} in {counted(result.segments, 'segment')}"
    sums += f": {kinds}" if kinds else ""
    sums += f" ({', '.join(quiet)})" if quiet else ""
    end_of_result(sums=sums, notices=[notice])


def _print_problem(file: str, problem: Finding) -> None:
    """Print a problem: its place (file, line, and character of the line counted from 1), what is
    wrong and on whose authority, and the words around it, or the beginning of the segment if the
    words are not in it."""
    name = file if len(file) <= _LONGEST_PATH else Path(file).name  # a broken one opens nothing
    place = f"{name}:{problem.line}:{problem.start + 1}"
    authority = f" ({problem.authority})" if problem.authority else ""
    message = said(problem.said) if problem.said else ""
    echo(bold(place), "  ", warning(problem.kind), f"  {message}", dim(authority))
    text = " ".join(problem.segment_text.split())
    at = text.find(problem.text) if problem.text else -1
    if at < 0:
        cut = "…" if len(text) > _WIDEST else ""
        echo(dim(text[:_WIDEST] + cut), indent=4)
        return
    start = max(0, at - _WIDEST // 2)
    end = at + len(problem.text)
    stop = min(len(text), end + _WIDEST // 2)
    before = ("…" if start else "") + text[start:at]
    behind = text[end:stop] + ("…" if stop < len(text) else "")
    echo(dim(before), bad(text[at:end]), dim(behind), indent=4)


# By hand: three lines of 80; a name of half a line, as of a draft's problems.
_WIDEST_CLAIM = 240  # characters of a text
_LONGEST_NAME = 60


def print_verification(result: Verification, notice: str, name: str) -> None:
    """Print each claim with its place, its verdict and the rule that shows it; below them what the
    text was held against, and how many claims there are of each verdict.

    name: of a text; each claim of a file has the file's. notice: the knowledge base's notice to
        readers; empty if there is none.
    """
    for claim in result.claims:
        place = claim.file or name
        _print_claim(place if len(place) <= _LONGEST_NAME else Path(place).name, claim)
    if result.claims:
        echo()
    for reason in result.held_against:
        echo(dim(f"Held against {said(reason)}"))
    if result.left_out:
        echo(warning(f"! {counted(result.left_out, 'claim')} not looked at; verify it in parts"))
    kinds = ", ".join(f"{count} {verdict}" for verdict, count in result.shown_counts.items())
    total = sum(result.counts.values())
    sums = f"{counted(result.files, 'file')}: " if result.files > 1 else ""
    sums += counted(total, "claim") + (f": {kinds}" if kinds else "")
    if "number exists" in result.shown_counts:
        sums += "; where a number exists, nothing else was compared"
    if hidden := total - len(result.claims):
        sums += f"; the {hidden} others are shown with --all"
    end_of_result(sums=sums, left_out=result.also, notices=[notice])


def print_annotations(result: Verification) -> None:
    """Print each wrong claim as a command by which GitHub's CI marks the line of its file."""
    for claim in result.problems.claims:
        level = "warning" if claim.verdict in ("changed", "repaired", "other edition") else "error"
        place = f"file={claim.file},line={claim.line},col={claim.start + 1}"
        message = f"{claim.verdict}: {claim.text}"
        message += f" → {claim.expected}" if claim.expected and claim.kind == "citation" else ""
        message += f". {claim.message}" if claim.said else ""
        escaped = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        print(printable(f"::{level} {place.replace('%', '%25')}::{escaped}"))


def _print_claim(place: str, claim: Claim) -> None:
    """Print a claim: where it stands and its verdict, then its words, its source and what is
    expected."""
    style = bad if claim.is_wrong else dim if claim.number_alone else good
    verdict = style(claim.shown_verdict)
    where = bold(f"{place}:{claim.line}:{claim.start + 1}")
    echo(where, "  ", verdict, dim(f"  {claim.kind}"))
    echo(*_words(claim), indent=4)
    if claim.said:
        message = said(claim.said)
        echo(warning(message) if claim.is_wrong else dim(message), indent=4)
    if source := _source(claim):
        echo(dim(source), indent=4)
    if not claim.is_wrong:
        return
    if claim.expected and claim.kind == "quotation":
        spans = _expected_spans(claim)
        echo("→ ", *with_marks(_cut(claim.expected), spans, "good"), indent=4)
    elif claim.rule and claim.node:
        if not claim.expected or claim.expected in (claim.number, claim.rule):
            echo("→ ", _cut(claim.rule), indent=4)
        else:  # the arrow leads to what should stand there, not to the rule cited wrongly
            echo(_cut(claim.rule), indent=4)
            echo("→ ", _cut(claim.expected), indent=4)


def _words(claim: Claim) -> list[Part]:
    """Return the words of a claim on one line, cut to 240 characters, with those marked that differ
    from its source."""
    text = _cut(claim.text.replace("\n", " "))
    return with_marks(text, [(one.start, one.end) for one in claim.changes], "bad")


def _expected_spans(claim: Claim) -> list[tuple[int, int]]:
    """Return where the words stand in what is expected that the claim has not: the first place of
    each, in order and behind the one before; words that are not found there are left out."""
    spans, position = [], 0
    for change in claim.changes:
        if not change.expected or not claim.expected:
            continue
        start = claim.expected.find(change.expected, position)
        if start >= 0:
            position = start + len(change.expected)
            spans.append((start, position))
    return spans


def _source(claim: Claim) -> str:
    """Return the citation line of a claim, with ` · `: the number and heading, or the id, and the
    game, edition, language and address as far as they are known; empty without a source."""
    if claim.node is None:
        return ""
    what = f"rule {claim.number}" if claim.number else claim.node.id
    what = f"{what} {claim.heading}" if claim.heading else what
    return dotted(what, claim.game, claim.edition, claim.lang, claim.url)


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST_CLAIM else text[:_WIDEST_CLAIM] + "…"


# By hand, as `show` has: more than nearly every name has, in two or three lines.
_MAX_SPELLINGS = 8


def print_termbase(result: Termbase, *, whole: bool, notice: str) -> None:
    """Print a block for each concept with its names, and how many there are of each status.

    whole: print also definitions, sentences that use the names, spellings and related concepts.
    notice: the knowledge base's notice to readers; empty if there is none.
    """
    for index, concept in enumerate(result.concepts):
        if index:
            echo()
        _print_concept(concept, whole)
        if langs := result.lacking.get(concept.id):
            echo(dim(f"no name in {', '.join(langs)}"), indent=2)
    if result.notices:
        echo()
        print_notices(result.notices)
    statuses = Counter(name.status for concept in result.concepts for name in concept.names)
    by_status = ", ".join(f"{number:,} {status}" for status, number in statuses.most_common())
    names = counted(statuses.total(), "name")
    sums = f"{counted(len(result.concepts), 'concept')}, {names}: {by_status}"
    end_of_result(sums=sums, left_out=result.also, notices=[notice])


def print_notices(notices: Iterable[DecisionNotice]) -> None:
    """Print what is to be said of decisions, a line each."""
    for notice in notices:
        echo(warning(f"! {notice}"), indent=2)


def _print_concept(concept: Concept, whole: bool) -> None:
    firsts: dict[str, str] = {}
    for name in concept.names:
        firsts.setdefault(name.lang, name.text)
    heading = " / ".join(dict.fromkeys(firsts.values())) or concept.id
    echo(bold(heading), "  ", dim(dotted(concept.game, concept.id)))
    lang = None
    for name in concept.names:
        _print_name(name, "" if name.lang == lang else name.lang, whole)
        lang = name.lang
    if whole:
        _print_rest(concept)


def _print_name(name: ConceptName, lang: str, whole: bool) -> None:
    facts = [f"{name.status}: {name.why}", name.authority]
    if name.reading and name.reading != name.text:
        facts.insert(0, name.reading)
    if name.part_of_speech:
        facts.insert(0, name.part_of_speech)
    if name.count and whole:
        facts.append(f"{name.count:,}×")
    if name.note:
        facts.append(name.note)
    field(lang, name.text, dim(f"  {dotted(*facts)}"))
    if whole and name.context:
        place = place_name(name.context_passage or "")
        field("", dim("e.g. "), name.context, dim(f"  ({place})"))


def _print_rest(concept: Concept) -> None:
    for definition in concept.definitions:
        field("means", dim(f"({definition.lang}) "), definition.text)
        print_definition_place(definition.authority, definition.url)
    for related in concept.related:
        field(related.relation, f"{related.id}: {related.basis}")
    if concept.spellings:
        written = [f"{each.text} {each.count:,}×" for each in concept.spellings[:_MAX_SPELLINGS]]
        left = len(concept.spellings) - _MAX_SPELLINGS
        rest = dim(f" and {counted(left, 'more spelling')}: --json has them") if left > 0 else ""
        field("written", ", ".join(written), rest)


def print_export(result: ExportReport) -> None:
    """Print the file that was written and how much is in it, what was left out and how to get it,
    and what is to be said of decisions."""
    echo(bold(result.out), f"  {_content(result)}", dim(f" in {result.format}"))
    if result.source_lang:
        pair = f"from {result.source_lang} into {result.target_lang}"
        echo(pair, dim("; --source-lang and --target-lang choose others"), indent=2)
    if result.proposed:
        proposed = f"{counted(result.proposed, 'name')} of these only proposed"
        echo(proposed, dim("; --status approved leaves them out"), indent=2)
    also(result.also)
    print_notices(result.notices)


def _content(result: ExportReport) -> str:
    if result.entries is None:
        return f"{counted(result.nodes or 0, 'node')}, {counted(result.edges or 0, 'edge')}"
    names = (result.names or {}).items()
    noun = "text" if result.format == "tmx" else "name"
    by_lang = ", ".join(f"{number:,} {lang}" for lang, number in names)
    total = counted(sum(number for _, number in names), noun)
    texts = f", {counted(result.units, 'aligned text')}" if result.units is not None else ""
    entries = counted(result.entries, "entry")
    return f"{entries} of {total}" + (f" ({by_lang})" if by_lang else "") + texts


def print_picture(result: Picture, out: str) -> None:
    """Print how many nodes and edges a picture shows, how many nodes it leaves out, and what else.

    out: the file that the picture was saved in; it is only named, not written.
    """
    sizes = f"{counted(result.nodes, 'node')}, {counted(result.edges, 'edge')}"
    more = f"; {counted(result.left_out, 'more node')} left out (--max)" if result.left_out else ""
    echo(f"{out}: {sizes}{more}")
    also(cast("Sequence[LeftOut]", result.also))


_MOST_OPEN = 20  # texts that are named of each kind: by hand, a screen; --json has all


def print_translations(result: Matches) -> None:
    """Print each match: score, place, the text with the words that differ marked, its translation
    below it."""
    if not result.matches:
        print_nothing(f"No text in {result.lang} and {result.target_lang} is like it.")
        return
    for index, one in enumerate(result.matches):
        if index:
            echo()
        edition = f"edition {one.editions[0]}" if one.editions else ""
        others = f"and {len(one.editions) - 1} more" if len(one.editions) > 1 else ""
        about = dotted(one.kind, one.node.game, " ".join(filter(None, (edition, others))))
        echo(bold(f"{one.score:4.0%}"), f"  {name_of(one.node)}  ", dim(about))
        spans = [span[2:] for span in one.spans]
        echo(dim(result.lang), "  ", *with_marks(one.source, spans), indent=2)
        echo(dim(result.target_lang), "  ", one.target, indent=2)
    more(result.more)


def print_package(result: PackageReport) -> None:
    """Print what became of the rules, how many texts are done, how many words are how new, and
    which files were written."""
    langs = f"{result.source_lang} → {result.target_lang}"
    echo(bold(f"{result.before} → {result.after}"), dim(f"  {result.game} · {langs}"))
    field("rules", ", ".join(f"{kind} {number:,}" for kind, number in result.counts.items()))
    field("texts", ", ".join(f"{state} {number:,}" for state, number in result.states.items()))
    field(result.measure, ", ".join(f"{band} {number:,}" for band, number in result.words.items()))
    print_notices(result.notices)
    total(f"wrote {counted(len(result.files), 'file')} into {result.folder}")
    for file in result.files:
        echo(file, indent=2)


def print_returned(result: ReturnedPackage) -> None:
    """Print how many texts are done, and those that are open, by what is open."""
    total(f"{result.done:,} of {counted(result.units, 'text')} are done")
    by_what = sorted(result.open, key=lambda one: one.what)
    for what, found in groupby(by_what, key=lambda one: one.what):
        places = [one.place or one.id for one in found]
        others = f" and {len(places) - _MOST_OPEN:,} more" if len(places) > _MOST_OPEN else ""
        field(what, f"{len(places):,}: {', '.join(places[:_MOST_OPEN])}{others}")
