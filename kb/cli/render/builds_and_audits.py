"""Prints what a base is made of: builds, crawls, audits, sums."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from shlex import quote
from typing import TYPE_CHECKING

import kb as public
from kb.cli.render.output import (
    Part,
    bad,
    bold,
    cell_width,
    counted,
    dim,
    echo,
    end_of_result,
    field,
    good,
    marked,
    more,
    name_of,
    place_name,
    print_table,
    said,
    shortened,
    shortened_start,
    text_width,
    total,
    url,
    warning,
)
from kb.cli.render.passages import print_answers
from kb.cli.render.progress import duration
from kb.cli.wording import command_with
from kb.reason import warning_reason
from kb.shared_wording import dotted

if TYPE_CHECKING:
    from kb import (
        Answers,
        Audit,
        BuildReport,
        CrawlReport,
        Edge,
        GraphChanges,
        LoadedEdition,
        MissingTarget,
        Plugins,
        ReadWarning,
        Removals,
        SharedPages,
        Stats,
        VectorEstimate,
        VectorReport,
    )
    from kb.web.site import SiteReport

_MOST_PLACES = 3  # of warnings that say the same; by hand: `audit --json` has all
# What may differ in warnings that say the same: numbers, bytes (two hexadecimal digits), and what
# is quoted; so that an error that a whole site has is one warning with its number.
_PARTICULAR = re.compile(r"\b[0-9a-f]{2}\b|\d+|「[^」]*」|'[^']*'|\"[^\"]*\"")


def print_warnings(
    warnings: Sequence[ReadWarning], most: int | None = None, err: bool = False
) -> None:
    """Print warnings, those that say the same as one with its number and first three places, the
    most frequent first; of what is said of a place only what differs from the first.

    most: the greatest number of different ones; None prints all. err: print on standard error.
    """
    groups = _grouped(replace(each, what=said(warning_reason(each))) for each in warnings)
    for group in groups[:most]:
        others = f" ({counted(len(group), 'time')})" if len(group) > 1 else ""
        echo(warning(f"! {group[0].what}{others}"), indent=2, err=err)
        for item in group[:_MOST_PLACES]:
            differs = item.what != group[0].what
            echo(f"{item.where}: {item.what}" if differs else item.where, indent=4, err=err)
        if len(group) > _MOST_PLACES:
            echo(f"and {len(group) - _MOST_PLACES:,} more", indent=4, err=err)
    if most is not None and len(groups) > most:
        rest = sum(map(len, groups[most:]))
        echo(f"and {counted(rest, 'other warning')}: sansho audit lists them", indent=2, err=err)


def _grouped(warnings: Iterable[ReadWarning]) -> list[list[ReadWarning]]:
    """Return warnings that say the same but for numbers and quoted names in groups, the largest
    first, groups of one size in the order of their first warnings; within a group in the order
    given."""
    groups: dict[str, list[ReadWarning]] = {}
    for item in warnings:
        groups.setdefault(_PARTICULAR.sub("#", item.what), []).append(item)
    return sorted(groups.values(), key=len, reverse=True)


_DEFAULT_FILE = "sansho.db"
# Lengths of lists, by hand: what a build says fits a screen, and --json has the rest.
_MAX_NAMED = 12  # changed nodes that are listed
_MAX_WARNINGS = 6  # different ones
_MAX_SOURCES = 4  # from which pages are taken that several have
_MAX_EXAMPLES = 3  # of these pages


def print_build(report: BuildReport, next_steps: bool = True) -> None:
    """Print the pages by game and source, the nodes and edges, what changed and what went, and, on
    standard error, the warnings.

    next_steps: print also what to do next.
    """
    print_summary(report)
    if report.changes is not None:
        _print_changes(report.changes)
    elif report.removed:
        _print_removals(report.removed)
    print_warnings(report.warnings, _MAX_WARNINGS, err=True)
    if next_steps:
        print_next(
            ("show NAME", "look up a rule, term, card or page"),
            ("audit", "see what dangles or could not be read"),
            kb_file=report.kb,
        )


def print_summary(report: BuildReport) -> None:
    """Print the file, its pages by game and source, and the numbers of nodes and edges."""
    echo(
        bold(report.kb),
        f"  {counted(report.pages, 'page')} ",
        dim(f"in {report.seconds:.1f} s{_what_was_read(report)}"),
    )
    print_pages(report.sources)
    _print_shared(report.shared)
    field("nodes", _listed(report.nodes, plural=True))
    dangling = f"; {report.dangling:,} of them dangle" if report.dangling else ""
    field("edges", _listed(report.edges), dangling)


def print_pages(sources: Mapping[str, Mapping[str, int]]) -> None:
    """Print the number of pages of each source under the games that they are of.

    sources: {game: {source: pages}}; the game is empty where none is known.
    """
    games = [game or "no game" for game in sources]
    width = max(map(cell_width, games), default=0) + 2
    for game, numbers in zip(games, sources.values(), strict=True):
        named = [f"{number:,} of {source}" for source, number in numbers.items()]
        first = next(iter(numbers.values()))
        named[0] = named[0].replace(" of", " page of" if first == 1 else " pages of", 1)
        padding = " " * (max(10, width) - cell_width(game))
        hang = min(max(10, width), text_width() // 2)
        echo(dim(game), padding, ", ".join(named), indent=2, hang=hang)


def _what_was_read(report: BuildReport) -> str:
    """Return what a build over shards or an update read, behind `; `: the first reads shards, the
    second files, and captures that are not used count, too. Empty for a first build."""
    if report.shards:
        return f"; {report.shards['read']} of {counted(report.shards['all'], 'shard')} read"
    if report.changes is None:
        return ""
    if not report.read and report.changes:
        return "; files are gone, and none is new or changed"
    if not report.read:
        return "; nothing in the sources is new or changed"
    return f"; {counted(report.read, 'file')} read, as new or changed"


def _print_shared(shared: SharedPages) -> None:
    """Print how many pages several sources have, and from which sources how many are taken, with
    up to three of them; four sources at most. Nothing if no page is in several."""
    number = sum(shared.taken_from.values())
    for index, (source, pages) in enumerate(shared.taken_from.items()):
        if index == _MAX_SOURCES:
            field(
                "", dim(f"and {len(shared.taken_from) - index:,} more sources: --json names them")
            )
            break
        examples = [page for page, taken in shared.named if taken == source][:_MAX_EXAMPLES]
        more = ", …" if pages > len(examples) else ""
        head = f"{counted(number, 'page')} in several sources; taken from " if not index else ""
        field(
            "" if index else "shared",
            f"{head}{source}: {pages:,}",
            dim(f" ({', '.join(examples)}{more})") if examples else "",
        )


def print_next(*steps: tuple[str, str], kb_file: str) -> None:
    """Print commands to type next, each behind what it gives, below an empty line.

    steps: (command without `sansho` and the file, what it gives).
    kb_file: the knowledge base that they are for; it is named unless it is the default.
    """
    default = os.environ.get("SANSHO_KB", _DEFAULT_FILE)
    option = "" if kb_file == default else f" --kb {quote(kb_file)}"
    echo()
    for index, (command, gives) in enumerate(steps):
        name = "next" if not index else ""
        field(name, gives, command=f"sansho {command}{option}", separator=": ", indent=0)


def _listed(numbers: Mapping[str, int], plural: bool = False) -> str:
    """Return numbers by kind with commas, the greatest first, equal ones by name; empty for none.

    plural: put a kind into the plural where there are several: kinds of edges are verbs.
    """
    ranked = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(
        counted(number, kind) if plural else f"{number:,} {kind}" for kind, number in ranked
    )


def _print_changes(changes: GraphChanges) -> None:
    """Print how many nodes and edges of each kind were added (`+`), removed (`−`) and changed
    (`~`), and by name the first twelve pages, editions, terms, rules and cards of them, with the
    same signs, those that were removed first; without changes, that nothing changed."""
    if not changes:
        field("changed", "nothing")
        return
    for title, kinds in (("nodes", changes.nodes), ("edges", changes.edges)):
        parts: list[Part] = [f"{title}: "]
        for index, (kind, numbers) in enumerate(kinds.items()):
            parts.append(f"{', ' if index else ''}{kind}")
            for change in ("added", "removed", "changed"):
                if number := numbers.get(change):
                    parts += [" ", _signed(change, f"{number:,}")]
        if kinds:
            field("changed", *parts)
    names = [(change, f"{kind} {node_id}") for change, kind, node_id in changes.named]
    _print_named(names, changes.nameable)


def _print_removals(removed: Removals) -> None:
    """Print how many pages, rules, terms… went, and the first twelve of them."""
    field("went", bad(", ".join(counted(number, kind) for kind, number in removed.nodes.items())))
    names = [("removed", f"{kind} {node_id}") for kind, node_id in removed.named]
    _print_named(names, sum(removed.nodes.values()))


def _print_named(nodes: Sequence[tuple[str, str]], number: int) -> None:
    """Print the first twelve of some nodes, a line each, and how many others there are.

    nodes: (what became of it, its kind and id); number: how many there are, named or not.
    """
    for change, name in nodes[:_MAX_NAMED]:
        echo(_signed(change, f" {name}"), indent=12)
    if number > _MAX_NAMED:
        rest = f"and {number - _MAX_NAMED:,} more: --json names the first hundred"
        echo(dim(rest), indent=12)


def _signed(change: str, text: str) -> Part:
    """Return a text behind the sign of what became of it: a green `+` for `added`, a red `−` for
    `removed`, a plain `~` for anything else."""
    if change == "added":
        return good(f"+{text}")
    return bad(f"−{text}") if change == "removed" else f"~{text}"


def print_vectors(result: VectorReport) -> None:
    """Print the file, how many passages have a vector, what was made, how large and how long."""
    echo(bold(result.file), f"  {counted(result.passages, 'passage')}, {_size(result.bytes)}")
    made = f"{counted(result.made, 'vector')} made"
    deleted = f", {result.deleted:,} deleted" if result.deleted else ""
    echo(made + deleted, dim(f" in {result.seconds:,.1f} s by {result.encoder}"), indent=2)


def vectors_to_make(missing: VectorEstimate, kb_file: str) -> str:
    """Return how to make the vectors that are missing, and about how long that takes."""
    command = f"sansho near build --kb {quote(kb_file)}"
    if not missing.passages:
        return f"few passages lack a vector for answers by meaning: {command}"
    passages = counted(missing.passages, "passage")
    rest = f"about {passages}, {duration(missing.seconds)} here; serve does it in the background"
    return f"to answer by meaning, too, make vectors: {command} ({rest})"


def _size(number: int) -> str:
    """Return a number of bytes for people.

    >>> _size(300_000), _size(41_260_000)
    ('0.3 MB', '41.3 MB')
    """
    return f"{number / 1e6:,.1f} MB"


def print_demo(result: Answers, report: BuildReport) -> None:
    """Print what was built, a question with its answers, and commands to try next.

    result: the answers, which also contain the question, as `ask` gives them.
    report: the build of the sample that was asked.
    """
    print_summary(report)
    echo()
    echo(bold(f"Q  {result.question}"), hang=3)
    echo()
    print_answers(result)
    print_next(
        ("show 121.4", "the rule"),
        ("path 引く 状況起因処理", "how they connect"),
        ("trace 301.4", "a rule through its editions"),
        ("impact --game lanterns", "what the newest edition makes stale"),
        kb_file=report.kb,
    )
    field("", "your own pages", command="sansho build FOLDER", separator=": ", indent=0)
    field("", "everything else", command="sansho --help", separator=": ", indent=0)


_MAX_FAILURES = 12  # of pages, by hand: --json lists all


def print_crawl(result: CrawlReport, into: str, command: str) -> None:
    """Print how many pages were fetched, are unchanged, were skipped (by reason) and are left to
    fetch, what to do next, and on standard error the first 12 that failed.

    into: the folder or WARC file that the pages are kept in, as it was given.
    command: the crawl itself, as a shell takes it.
    """
    echo(
        bold(into),
        f"  {counted(result.fetched, 'page')} fetched",
        dim(f", {result.unchanged:,} unchanged"),
    )
    for index, (reason, number) in enumerate(result.skipped.items()):
        field("" if index else "skipped", f"{number:,}  {reason}")
    for failure in result.failed[:_MAX_FAILURES]:
        echo(warning(f"! {failure.what}: {failure.url}"), indent=2, err=True)
    if len(result.failed) > _MAX_FAILURES:
        rest = len(result.failed) - _MAX_FAILURES
        echo(f"and {rest:,} more that failed: --json lists them", indent=2, err=True)
    if result.given_up:
        hosts = ", ".join(host.url for host in result.given_up)
        failed = len(result.failed) - len(result.given_up)
        echo()
        echo(
            f"{hosts} is left alone, with {counted(result.left, 'page')} known and not asked for "
            f"and {failed:,} that failed. This goes on with them:"
        )
        url(command)
    if result.fetched or result.unchanged:
        echo()
        field("next", command=f"sansho build {quote(into)}", indent=0)
    if result.left and not result.given_up:
        more(
            f"{counted(result.left, 'page')} known and not fetched yet: "
            "the same command, with a higher --max, goes on"
        )


# Lengths of lists, by hand: an audit of a large base is a few screens long, and its lines tell
# which command lists all.
_MAX_CITATIONS = 12  # dangling citations that are listed if no kind is asked for
_MAX_REASONS = 8  # of a kind of edge
_MAX_LEFT_OUT = 12  # reasons for leaving text out
_MAX_TARGETS = 5  # of a kind of edge that are named as examples
_LONGEST_NAME = 40  # columns of a target's name, by hand: half a line of 80
# In reasons, where `…` stands for names: `no page …` of several becomes `no such page`.
_NO_SUCH = re.compile(r"\bno (\w+) …")
_THE_NAMED = re.compile(r"\b(page|rule|section|card|term) …")  # `rule …`: `the rule`
# Columns of text on each side of the words of an edge: with the words about a line of 80, of which
# up to 14 are indent. Words of more than twice this stand without any.
_ACROSS = 30


def print_audit(result: Audit, kinds: Collection[str] = (), books: bool = False) -> None:
    """Print the sum of characters, what dangles by kind and reason, and the warnings.

    kinds: the kinds of dangling edges that were asked for: then these are printed, and all of them,
        each where it stands and with its words.
    books: print how well each rulebook seems to be read instead.
    """
    if books:
        _print_books(result)
        return
    if kinds:
        _print_kinds(result, kinds)
        return
    _print_text(result)
    echo()
    _print_dangling(result)
    echo()
    _print_parts(result)
    echo(bold("Warnings"), dim(f"  {counted(len(result.warnings), 'warning')}"))
    print_warnings(result.warnings)
    echo()
    if result.damage is not None:
        print_damage(result)
        echo()
    total(
        f"{counted(result.lost, 'character')} lost, "
        f"{counted(_number_dangling(result), 'dangling edge')}, "
        f"{counted(len(result.warnings), 'warning')}"
    )


def print_damage(result: Audit) -> None:
    """Print what is wrong with the file itself, or that nothing is; nothing if that is not known.

    result: an audit, or what has its `damage`.
    """
    if result.damage is None:
        return
    places = counted(len(result.damage), "place")
    echo(bold("File"), dim(f"  damaged in {places}" if result.damage else "  as it was built"))
    for damage in result.damage:
        echo(bad(f"{damage.where}: {damage.what}"), indent=2)


def _print_books(result: Audit) -> None:
    """Print of each rulebook its rules, what its citations miss, and what may be amiss with it."""
    for book in result.books:
        name = " ".join(filter(None, (book.game or "no game", book.edition, f"({book.lang})")))
        missing = f", {counted(book.dangling, 'citation')} without a target" * bool(book.dangling)
        echo(bold(name), f"  {shortened(book.title, _LONGEST_NAME)}")
        echo(f"{counted(book.rules, 'rule')}{missing}", indent=2)
        for doubt in book.warnings:
            echo(bad("! "), doubt, indent=2, hang=2)
    doubtful = sum(bool(book.warnings) for book in result.books)
    total(f"{counted(len(result.books), 'book')}, {doubtful} with something to look at")


def _print_parts(result: Audit) -> None:
    """Print which editions of rulebooks are loaded only in part; nothing if all are whole."""
    if not result.parts:
        return
    echo(bold("Not whole"), dim("  editions of which only a part is loaded, in a language"))
    for part in result.parts:
        of = f" of {part.of:,}" if part.of and part.of > part.rules else ""
        echo(f"{part.game} {part.edition} in {part.language}: {part.rules:,}{of} rules", indent=2)
    echo()


def _print_text(result: Audit) -> None:
    """Print where the characters of the sources went; what was lost stands first and in red."""
    if result.lost:
        echo(bad(f"{counted(result.lost, 'character')} lost: neither kept nor left out by name"))
    echo(bold("Text"), dim("  in characters, without white space"))
    left_out = list(result.left_out.items())
    rows: list[tuple[Part, Part]] = [
        ("in the sources", f"{result.chars:,}"),
        ("kept in passages", f"{result.kept:,}"),
        *((f"left out: {reason}", f"{number:,}") for reason, number in left_out[:_MAX_LEFT_OUT]),
    ]
    if rest := left_out[_MAX_LEFT_OUT:]:
        sum_of_rest = sum(number for _, number in rest)
        rows.append((f"left out for {counted(len(rest), 'other reason')}", f"{sum_of_rest:,}"))
    lost = f"{result.lost:,}"
    print_table(("", ""), [*rows, ("lost", bad(lost) if result.lost else lost)], right=(1,))


def _number_dangling(result: Audit) -> int:
    return sum(target.edges for target in result.missing)


def _print_dangling(result: Audit) -> None:
    """Print how many edges of each kind dangle for which reason, with the most frequent targets;
    of citations the first twelve, each where it stands; and how to list all."""
    echo(bold("Dangling"), dim(f"  {counted(_number_dangling(result), 'edge')} without a target"))
    for kind in result.reasons:
        edges = [edge for edge in result.dangling if edge.kind == kind]
        _print_reasons(result, kind)
        if kind == "cites":
            _print_places(result, edges[:_MAX_CITATIONS])
            if len(edges) > _MAX_CITATIONS:
                shown = f"{' ' * 12}{_MAX_CITATIONS} of {len(edges):,}"
                more((shown, command_with(kinds=["cites"])))
        else:
            _print_targets(target for target in result.missing if target.kind == kind)
    if result.missing:
        kind = result.missing[0].kind
        more((f"All edges of a kind ({kind}), where they stand", command_with(kinds=[kind])))


def _print_reasons(result: Audit, kind: str) -> None:
    """Print the reasons why edges of a kind dangle, a line each with their number, in the order of
    the result, eight at most; then how many edges there are for others."""
    names: dict[str, list[str]] = defaultdict(list)
    for target in result.missing:
        if target.kind == kind:
            names[target.reason].append(target.target)
    listed = list(result.reasons[kind].items())
    for index, (reason, number) in enumerate(listed[:_MAX_REASONS]):
        field("" if index else kind, f"{number:,}  {_reason_in_words(reason, names[reason])}")
    if len(listed) > _MAX_REASONS:
        rest = sum(number for _, number in listed[_MAX_REASONS:])
        field("", f"{rest:,}  for other reasons")


def _reason_in_words(reason: str, targets: Sequence[str]) -> str:
    """Return why targets are not there. `…` in a reason stands for the name of a target: it becomes
    the name if there is just one, else a word for all of them.

    >>> _reason_in_words("rule … is not loaded", ["100.1"])
    'rule 100.1 is not loaded'
    >>> _reason_in_words("rule … is not loaded", ["100.1", "100.2"])
    'the rule is not loaded'
    """
    if len(targets) == 1:
        return reason.replace("…", shortened(targets[0], _LONGEST_NAME))
    reason = _NO_SUCH.sub(r"no such \1", reason)
    return _THE_NAMED.sub(r"the \1", reason).replace(" …", " it") or "no reason is known"


def _print_targets(targets: Iterable[MissingTarget]) -> None:
    """Print the first five targets of some (the audit has those of most edges first), with the
    number of edges if several, and how many others there are."""
    listed = list(targets)
    named = ", ".join(
        shortened(target.target, _LONGEST_NAME)
        + (f" ({target.edges:,})" if target.edges > 1 else "")
        for target in listed[:_MAX_TARGETS]
    )
    rest = len(listed) - _MAX_TARGETS
    others = f" and {counted(rest, 'other')}" if rest > 0 else ""
    field("", dim(f"to {named}{others}"))


def _print_kinds(result: Audit, kinds: Collection[str]) -> None:
    """Print all dangling edges of some kinds, under the pages that they stand on, and their sum; a
    kind of which none dangles is not mentioned."""
    for kind in result.reasons:
        edges = [edge for edge in result.dangling if edge.kind == kind]
        if kind not in kinds:
            continue
        _print_reasons(result, kind)
        echo()
        _print_places(result, edges, indent=2)
        echo()
    total(f"{counted(len(result.dangling), 'dangling edge')} of kind {', '.join(kinds)}")


def _print_places(result: Audit, edges: Iterable[Edge], indent: int = 12) -> None:
    """Print edges under the pages that they stand on: what each aims at, where, in which words."""
    by_page: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        by_page[edge.evidence.page].append(edge)
    for page, of_page in by_page.items():
        node = result.nodes.get(page)
        edition = f"edition {node.edition}" if node and node.edition else ""
        described = dotted(edition, node.lang, node.source) if node else ""
        name = (node.label if node else None) or place_name(page)
        echo(bold(name), dim(f"  {described}"), indent=indent)
        if node and node.url:
            url(node.url, indent=indent + 2)
        for same_words in _by_words(of_page):
            _print_edges(result, same_words, indent + 2)


def _by_words(edges: Iterable[Edge]) -> list[list[Edge]]:
    """Return edges in groups that lead from one node and rest on the same words in one place, as
    the citations of a range of rules do; in the order of their first edges."""
    groups: dict[tuple[str, str, int, int], list[Edge]] = defaultdict(list)
    for edge in edges:
        evidence = edge.evidence
        groups[edge.source, evidence.passage, evidence.start, evidence.end].append(edge)
    return list(groups.values())


def _print_edges(result: Audit, edges: Sequence[Edge], indent: int) -> None:
    """Print what edges with the same words aim at, the rule or section that they lead from, and
    their words in their context."""
    edge = edges[0]
    source = result.nodes.get(edge.source)
    is_rule = source is not None and source.kind == "rule"
    section = place_name(edge.source).removeprefix(place_name(edge.evidence.page))
    name = name_of(source) if source and is_rule else section.removeprefix(" › ")
    where = f" in {shortened(name, 40)}" if name else ""
    labels = sorted({edge.target_label for edge in edges}, key=public.natural_key)
    target = shortened(", ".join(labels), text_width() - indent)
    echo(bold(target), f"{where}: ", *_words(result, edge), indent=indent)


def _words(result: Audit, edge: Edge) -> list[Part]:
    """Return the words that an edge rests on, marked, with 30 columns of text on both sides; alone,
    and cut to 60, if they are longer than that or the passage does not have them there."""
    evidence = edge.evidence
    passage = result.nodes.get(evidence.passage)
    text = (passage.text or "") if passage else ""
    if text[evidence.start : evidence.end] != evidence.text or len(evidence.text) > 2 * _ACROSS:
        return [marked(shortened(evidence.text, 2 * _ACROSS))]
    before, after = text[: evidence.start], text[evidence.end :]
    return [
        shortened_start(before, _ACROSS) + " " * before.endswith(" "),
        marked(evidence.text),
        " " * after.startswith(" ") + shortened(after, _ACROSS),
    ]


def print_plugins(result: Plugins) -> None:
    """Print the plug-ins in a table, and what is wrong with those that are of no use."""
    rows = [
        (plugin.group, bad(plugin.name) if plugin.problem else plugin.name,
         f"{plugin.distribution} {plugin.version}", result.groups.get(plugin.group, ""))
        for plugin in result.plugins
    ]  # fmt: skip
    if rows:
        print_table(("GROUP", "NAME", "PACKAGE", "WHAT IT ADDS"), rows)
    for plugin in result.plugins:
        if plugin.problem:
            echo(warning(f"{plugin} is of no use: {plugin.problem}"))
    sums = f"{counted(len(rows), 'plug-in')}, interface {result.interface}"
    end_of_result(sums=sums if rows else f"no plug-in is installed; {sums}")


def print_stats(result: Stats, notice: str) -> None:
    """Print the pages by game and source, the rules by edition and language, and the numbers of
    nodes and edges by kind.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    pages = sum(sum(sources.values()) for sources in result.pages.values())
    echo(bold("Pages"), dim(f"  {pages:,}"))
    print_pages(result.pages)
    if result.rulebooks:
        _print_editions("Rules", result.rulebooks)
    if result.documents:
        _print_editions("Documents beside the rules", result.documents)
    nodes, edges = sum(result.kinds.values()), sum(result.edges.values())
    echo()
    _print_counts(result)
    end_of_result(
        sums=f"{counted(nodes, 'node')}, {counted(edges, 'edge')}, "
        f"{result.dangling:,} of them dangling",
        notices=[notice],
    )


def _print_editions(title: str, books: Sequence[LoadedEdition]) -> None:
    """Print a table of editions, in the order given, with a column for each language: how many
    rules of it are there, `part: …` if not all, `–` if none."""
    languages = sorted({book.lang or "" for book in books})
    rules = {(book.game, book.edition, book.lang or ""): book for book in books}
    editions = list(dict.fromkeys((book.game, book.edition) for book in books))
    rows: list[list[Part]] = []
    for game, edition in editions:
        row: list[Part] = [game or "no game", edition or "no edition"]
        for lang in languages:
            book = rules.get((game, edition, lang))
            row.append(
                dim("–") if book is None
                else f"{book.rules:,}" if book.whole
                else dim(f"part: {book.rules:,}")
            )  # fmt: skip
        rows.append(row)
    echo()
    echo(bold(title), dim("  by edition and language; “part”: not the whole edition is loaded"))
    headings = ["game", "edition", *(lang or "no language" for lang in languages)]
    print_table(headings, rows, right=range(2, len(headings)))


def _print_counts(result: Stats) -> None:
    """Print the numbers of nodes and of edges by kind, side by side, the greatest first."""
    empty = ("", "")
    columns = zip_longest(_ranked(result.kinds), _ranked(result.edges), fillvalue=empty)
    rows = [(*node, *edge) for node, edge in columns]
    print_table(("nodes", "", "edges", ""), rows, right=(1, 3))


def _ranked(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return (kind, number as text), the greatest number first, equal ones by kind."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(kind, f"{count:,}") for kind, count in ranked]


def print_site(result: SiteReport) -> None:
    """Print how many pages there are, what readers are told of the texts, and what to mind."""
    for lang, pages in result.pages.items():
        field(lang, counted(pages, "page"))
    field("search", "by name, in the browser" if result.search else "left out: too many names")
    for line in result.notice.splitlines():
        field("notice", line)
    total(f"wrote {result.bytes / 1e6:,.1f} MB into {result.folder}; open index.html")
    echo(dim("It has the texts whole: who publishes the folder passes them on (docs/rights.md)."))
