"""Prints a rule with its place, citations and editions, and outlines of sections."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kb import edition_key
from kb.cli.render.line_breaking import shortened
from kb.cli.render.node_names import place_name
from kb.cli.render.output import (
    Part,
    bold,
    counted,
    dim,
    echo,
    field,
    more,
    said,
    text_width,
    total,
    url,
)
from kb.cli.wording import command
from kb.reason import Ask

if TYPE_CHECKING:
    from kb import ChangedBelow, CitedBy, Evidence, Node, RuleName, RuleOutline, ShownEntry

# Lengths of lists, by hand: each takes one or two lines of 80, sub-rules a line each; the command
# behind a list gives all of it.
_MAX_DIFFERENCES = 6  # between two wordings of a rule
_MAX_CITING = 8  # numbers of rules that cite one
_MAX_SUB_RULES = 12
_MAX_CHANGED = 6  # numbers of sub-rules that differ in an edition
# Columns of a rule's number and heading beside another rule: behind a field's name they fit a line
# of 80.
_MAX_NAME = 60
_Within = Mapping[str, str | None]  # filters


def print_rule(
    entry: ShownEntry,
    examples: Mapping[str, Sequence[Evidence]],
    within: _Within,
    by_number: bool,
) -> None:
    """Print a rule: its place, its text and examples, what it cites and is cited by, and in which
    editions it says the same.

    examples: the examples of rules by their ids.
    within: its game, language and edition, where the commands that are suggested must name them.
    by_number: whether its number names it alone; else these commands name it by an id.
    """
    rule, context = entry.node, entry.rule
    if context is None:
        return
    _print_heading(entry)
    for line in _own_lines(rule.text, rule.number, rule.label):
        echo(line, indent=2, hang=0)
    for example in examples.get(rule.id, ()):
        echo(example.text, indent=4)
    _print_sub_rules(entry, within, by_number)
    if context.cites:
        _print_names("cites", context.cites)
    version = rule.id if within["edition"] else None
    asked = _asked("refs", rule, within, by_number, version, direction="in")
    _print_cited_by(context.cited_by, asked)
    if gone := entry.gone:
        field("gone", said(gone), command=command(gone.ask) if gone.ask else "")
    if newest := entry.newest:
        ask = Ask("show", ref=newest.id)
        now = f"{newest.number} in {newest.edition}"
        field("last" if entry.gone else "now", now, command=command(ask))
    is_newest = by_number and within["edition"] is None
    _print_editions(entry, _asked("trace", rule, within, is_newest, rule.id))
    for wording in (rule.details or {}).get("wordings", ()):
        _print_wording(rule.text or "", wording)
    if context.previous:
        field("before", *_name(context.previous))
    if context.next:
        field("after", *_name(context.next))
    if rule.url:
        url(rule.url)


def print_outline(
    entry: ShownEntry, outline: RuleOutline, within: _Within, by_number: bool
) -> None:
    """Print a rule with its sub-rules in full, or with the headings below it, indented by level.

    within, by_number: as for `print_rule`.
    """
    _print_heading(entry)
    if outline.full:
        root = outline.lines[0]
        _print_text("\n".join(_own_lines(root.text, root.number, root.label)), 2)
        for example in root.examples:
            _print_text(example, 4)
    for line in outline.lines[1:]:
        indent = 2 * line.depth
        if outline.full:
            text = "\n".join(_own_lines(line.text, line.number, line.label))
            heading: list[Part] = [" ", bold(line.label)] if line.label else []
            if line.label and text:
                echo(bold(line.number), *heading, indent=indent, hang=2)
                _print_text(text, indent + 2)
            else:
                _print_numbered(line.number, heading, text or "", indent)
            for example in line.examples:
                _print_text(example, indent + 2)
        else:
            below = dim(f"  {counted(line.below, 'rule')}") if line.below else ""
            echo(bold(line.number), f" {line.label or ''}", below, indent=indent)
    total(f"{counted(outline.rules, 'rule')} below {outline.lines[0].number}")
    if others := [*entry.same, *entry.different]:
        editions = sorted({*map(_edition, others)}, key=edition_key, reverse=True)
        version = max(others, key=lambda rule: edition_key(rule.edition))
        elsewhere = {**within, "edition": version.edition}
        other = _asked("show", version, elsewhere, by_number, version.id, tree=True)
        echo(dim(f"Also in {', '.join(editions)}"), command=command(other))
    more(outline.more)


def _own_lines(text: str | None, number: str | None, heading: str | None) -> list[str]:
    """Return the lines of a rule's text without those at its beginning that only repeat its
    heading, with or without its number; all lines if it has no heading, none for None."""
    lines = (text or "").splitlines()
    words = (heading or "").split()
    headings = (words, [number, *words], [f"{number}.", *words])
    while lines and words and lines[0].split() in headings:
        del lines[0]
    return lines


def _print_heading(entry: ShownEntry) -> None:
    rule = entry.node
    lang = f" ({rule.lang})" if rule.lang else ""
    heading = f" {rule.label}" if rule.label else ""
    origin = [rule.kind, rule.game, rule.edition and f"edition {rule.edition}", rule.source]
    echo(
        bold(f"{rule.number}{lang}{heading}"),
        "  ",
        dim(" · ".join(part for part in origin if part)),
    )
    if entry.rule and entry.rule.place:
        echo(dim(" › ".join(_text(name) for name in entry.rule.place)), indent=2)


def _print_text(text: str, indent: int) -> None:
    for line in text.splitlines():
        echo(line, indent=indent, hang=0)


def _print_numbered(number: str, heading: Sequence[Part], text: str, indent: int) -> None:
    """Print a rule behind its number; further lines hang behind the number."""
    first, _, rest = text.partition("\n")
    hang = len(number) + 1
    echo(bold(number), *heading, f" {first}" if first else "", indent=indent, hang=hang)
    if rest:
        _print_text(rest, indent + hang)


def _print_sub_rules(entry: ShownEntry, within: _Within, by_number: bool) -> None:
    """Print the first twelve sub-rules of a rule, a line each, and how to see all; nothing if it
    has none."""
    sub_rules = entry.rule.sub_rules if entry.rule else ()
    for rule in sub_rules[:_MAX_SUB_RULES]:
        text = " ".join((rule.label or rule.text or "").split())
        room = text_width() - 5 - len(rule.number)
        echo(rule.number, " ", dim(shortened(text, room)), indent=4)
    if sub_rules:
        number = len(sub_rules)
        left = number - _MAX_SUB_RULES
        count = f"and {counted(left, 'more sub-rule')}" if left > 0 else counted(number, "sub-rule")
        here = {**within, "edition": entry.node.edition if entry.node.kind == "rule" else None}
        node = entry.node
        whole = _asked("show", node, here, by_number, node.id, tree=True)
        echo(dim(f"{count}; in full"), command=command(whole), indent=4)


def _print_names(name: str, rules: Iterable[RuleName]) -> None:
    parts: list[Part] = []
    for rule in rules:
        parts += [", ", *_name(rule)] if parts else _name(rule)
    field(name, *parts)


def _print_cited_by(cited_by: CitedBy, ask: Ask) -> None:
    """Print how many rules (with the first eight numbers), entries of glossaries and pages cite a
    rule, and how to list them; nothing if none does. ask: for the list."""
    parts = []
    if rules := cited_by.rules:
        numbers = ", ".join(rules[:_MAX_CITING]) + (" …" if len(rules) > _MAX_CITING else "")
        parts.append(f"{counted(len(rules), 'rule')} ({numbers})")
    if cited_by.entries:
        parts.append(counted(cited_by.entries, "glossary entry"))
    if cited_by.pages:
        parts.append(counted(cited_by.pages, "page"))
    if cited_by.earlier:
        parts.append(f"{cited_by.earlier:,} of these only in older editions")
    if parts:
        field("cited by", ", ".join(parts), command=command(ask))


def _print_editions(entry: ShownEntry, ask: Ask) -> None:
    """Print in which other editions the rule says the same, which of its sub-rules do not say the
    same there, and in which editions the rule itself does not. ask: for its history."""
    trace = command(ask)
    has_sub_rules = bool(entry.rule and entry.rule.sub_rules)
    changed = entry.changed_below
    alike = [rule for rule in entry.same if not changed or rule.id not in changed]
    name = "the same"
    if alike and has_sub_rules and changed is None:
        not_compared = "its sub-rules are too many to be compared here"
        field(name, f"in {_listed(alike, entry.node)}; {not_compared}", command=trace)
    elif alike:
        field(
            name,
            f"in {_listed(alike, entry.node)}{', with all its sub-rules' if has_sub_rules else ''}",
        )
    otherwise: dict[ChangedBelow, list[Node]] = defaultdict(list)
    for rule in entry.same:
        if changed and (below := changed.get(rule.id)):
            otherwise[below].append(rule)
    for below, rules in otherwise.items():
        field(
            "" if alike or rules[0] is not entry.same[0] else name,
            f"in {_listed(rules, entry.node)}, but {_what_changed(below)}",
        )
    if changed and not entry.different:
        field("", command=trace)
    if entry.different:
        editions = [_edition_and_number(rule, entry.node) for rule in entry.different]
        field("otherwise", f"in {', '.join(editions)}", command=trace)


def _what_changed(changed: ChangedBelow) -> str:
    """Return how many sub-rules say otherwise in two editions, how many only one of them has, and
    the first six numbers of each; empty if none."""
    parts = []
    if numbers := changed.otherwise:
        parts.append(f"{_sub_rules(numbers)} say{'s' * (len(numbers) == 1)} otherwise")
    if numbers := changed.in_one_only:
        verb = "is" if len(numbers) == 1 else "are"
        parts.append(f"{_sub_rules(numbers)} {verb} found in only one of the two")
    return ", and ".join(parts)


def _sub_rules(numbers: Sequence[str]) -> str:
    listed = ", ".join(numbers[:_MAX_CHANGED]) + (" …" * (len(numbers) > _MAX_CHANGED))
    return f"{counted(len(numbers), 'sub-rule')} ({listed})"


def _asked(
    question: str,
    rule: Node,
    within: _Within,
    by_number: bool,
    version: str | None = None,
    **given: Any,
) -> Ask:
    """Return a question about a rule: by its number with the filters, if that names it, else by an
    id without them. question: such as `show`; given: its other arguments.

    version: the id of the version that is meant; None for the rule in all its versions.
    """
    if by_number and rule.kind == "rule":
        return Ask(question, ref=rule.number, **within, **given)
    return Ask(question, ref=version or rule.rule or rule.id, **given)


def _listed(rules: Iterable[Node], shown: Node) -> str:
    return ", ".join(_edition_and_number(rule, shown) for rule in rules)


def _edition_and_number(rule: Node, shown: Node) -> str:
    """Return the edition of a version of a rule, and its number if that is another one there:
    `20231117 (as 121.4)`; `?` for none."""
    edition = _edition(rule)
    return edition if rule.number == shown.number else f"{edition} (as {rule.number})"


def _edition(rule: Node) -> str:
    return rule.edition or "?"


def _print_wording(text: str, wording: Mapping[str, Any]) -> None:
    """Print where another page's wording of a rule differs from the rule's text.

    text: the rule's text.
    wording: the id of the other page in `page`, its wording in `text`, and in `differs` the spans
        (start and end in the rule's text, start and end in the page's wording).
    """
    other = wording["text"]
    differences = [
        f"「{text[start:end]}」→「{other[other_start:other_end]}」"
        for start, end, other_start, other_end in wording["differs"][:_MAX_DIFFERENCES]
    ]
    rest = " …" if len(wording["differs"]) > _MAX_DIFFERENCES else ""
    field("wording", f"of {place_name(wording['page'])}: {', '.join(differences)}{rest}")


def _name(rule: RuleName) -> list[Part]:
    if rule.id is None:
        return [_text(rule), dim(" (not loaded)")]
    return [_text(rule)]


def _text(rule: RuleName) -> str:
    return shortened(f"{rule.number} {rule.label or ''}", _MAX_NAME)
