"""Prints what was kept, left out, lost, dangling and unreadable, for `sansho audit`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import kb as public
from kb.cli.render.line_breaking import shortened, shortened_start
from kb.cli.render.node_names import name_of, place_name
from kb.cli.render.output import (
    Part,
    bad,
    bold,
    counted,
    dim,
    echo,
    field,
    marked,
    more,
    print_table,
    text_width,
    total,
    url,
)
from kb.cli.render.warnings import print_warnings
from kb.cli.wording import command_with

if TYPE_CHECKING:
    from kb import Audit, Edge, MissingTarget

_MAX_CITATIONS = 12  # dangling citations that are listed if no kind is asked for
_MAX_REASONS = 8  # of a kind of edge
_MAX_LEFT_OUT = 12  # reasons for leaving text out
_MAX_TARGETS = 5  # of a kind of edge that are named as examples
_LONGEST_NAME = 40  # columns of a target's name
_NO_SUCH = re.compile(r"\bno (\w+) …")
_THE_NAMED = re.compile(r"\b(page|rule|section|card|term) …")
_ACROSS = 30  # columns of text on each side of the words of an edge


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
        for warning in book.warnings:
            echo(bad("! "), warning, indent=2, hang=2)
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
    of citations each of the first."""
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
    """Print the reasons why edges of a kind dangle, a line each."""
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
    """Print the names that most edges aim at."""
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
    """Print all dangling edges of some kinds, under the pages that they stand on."""
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
        origin = [edition, node.lang, node.source] if node else []
        name = (node.label if node else None) or place_name(page)
        described = " · ".join(part for part in origin if part)
        echo(bold(name), dim(f"  {described}"), indent=indent)
        if node and node.url:
            url(node.url, indent=indent + 2)
        for same_words in _by_words(of_page):
            _print_edges(result, same_words, indent + 2)


def _by_words(edges: Iterable[Edge]) -> list[list[Edge]]:
    """Return edges in groups that lead from one node and rest on the same words, as the citations
    of a range of rules do."""
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
    """Return the words that an edge rests on, with some text on both sides."""
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
