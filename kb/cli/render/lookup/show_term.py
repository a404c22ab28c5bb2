"""Prints a term or card: what defines it, its names and spellings, where it is mentioned."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING
from unicodedata import normalize

import kb as public
from kb.cli.render.line_breaking import cell_width, shortened
from kb.cli.render.node_names import place_name
from kb.cli.render.output import Part, counted, dim, echo, field, url
from kb.cli.wording import command
from kb.reason import Ask

if TYPE_CHECKING:
    from kb import Label, Node, Spelling, TermDefinition, TermProfile

# All that may differ between the places of a text in two editions: the date and the passage's
# number. A longer run of digits is taken in pieces.
_NUMBER = re.compile(r"[0-9]{1,18}")
_KANJI = re.compile(r"[々一-鿿]")  # of Unicode's first block, which has all that are in daily use
# Lengths of lists, by hand: a line or two for each entry; --json has the rest.
_MAX_NAMES = 12
# Columns of a page's title with its source and edition, by hand: behind its indent a little more
# than a line of 80, in which most titles are whole.
_MAX_TITLE = 80
_MAX_DEFINITIONS = 6
_MAX_SPELLINGS = 8
_MAX_FORMS = 5
_NAME_COLUMN = 10  # columns of a field's name, as in `output` (_NAME_WIDTH)
# Columns of a value's name beside its value, by hand: nine Japanese letters. A higher one would
# push all values of a card to the right for one long name.
_WIDEST_VALUE_NAME = 18


def print_term(node: Node, profile: TermProfile, ref: str) -> None:
    """Print a term or card behind its heading.

    ref: the reference, as the person typed it, for the commands that are suggested.
    """
    if node.kind == "card":
        _print_card(node)
    elif profile.definitions:
        _print_definitions(profile.definitions, node.lang)
    elif node.text:
        echo(dim("no definition; its entry says: "), node.text, indent=2)
    print_names(
        [label for label in node.labels if label.text != node.label and label.role != "reading"]
    )
    if node.reading:
        field("reading", node.reading)
    elif node.kind == "term" and _KANJI.search(node.label or ""):
        ask = Ask("termbase", term=node.id)
        field("reading", "its pages give none, one is found or made", command=command(ask))
    _print_spellings(profile)
    if profile.mentions:
        _print_mentions(node, profile, ref)
    if profile.rulings:
        ask = Ask("search", mentions=(node.id,), kind="ruling")
        rulings = counted(profile.rulings, "ruling")
        if profile.read < profile.mentions:
            rulings += f" among the first {profile.read:,} mentions"
        field("rulings", rulings, command=command(ask))
    if profile.cites:
        cited = [f"{rule.number} {rule.label or ''}".strip() for rule in profile.cites]
        field("cites", ", ".join(cited))


def print_card_values(node: Node) -> None:
    """Print what is printed on a card besides its text (cost, type, power…), face by face; nothing
    of a node without such values."""
    for face in public.card_faces(node.details):
        if face.name:
            echo(face.name, dim("  face"), indent=2)
        _print_values(face.values, indent=4 if face.name else 2)


def _print_values(values: Sequence[tuple[str, str]], indent: int) -> None:
    """Print values behind their names, in a column as wide as the longest name; a name that is too
    wide for it stands on a line of its own."""
    widths = [width for name, _ in values if (width := cell_width(name)) <= _WIDEST_VALUE_NAME]
    column = max([_NAME_COLUMN, *(width + 1 for width in widths)])
    for name, value in values:
        if (width := cell_width(name)) > _WIDEST_VALUE_NAME:
            echo(dim(name), indent=indent)
            echo(value, indent=indent + column, hang=0)
        else:
            echo(dim(name), " " * (column - width), value, indent=indent, hang=column)


def _print_card(node: Node) -> None:
    if node.text and node.text != node.label:
        for line in node.text.splitlines():
            echo(line, indent=2, hang=0)
    print_card_values(node)


def _print_definitions(definitions: Sequence[TermDefinition], lang: str | None) -> None:
    """Print the first six texts that define a term, each with the page and edition that has it.

    lang: the language of the heading; texts in another language are marked.
    """
    for definition in definitions[:_MAX_DEFINITIONS]:
        mark = f"({definition.lang}) " if definition.lang and definition.lang != lang else ""
        for line in definition.evidence.text.splitlines():
            echo(dim(mark), line, indent=2, hang=0)
            mark = ""
        print_definition_place(definition.authority, definition.url, definition.same_in)
    if len(definitions) > _MAX_DEFINITIONS:
        left = counted(len(definitions) - _MAX_DEFINITIONS, "more definition")
        echo(dim(f"and {left}: --json has them"), indent=4)


def print_definition_place(
    authority: str, address: str | None, same_in: Sequence[str] = ()
) -> None:
    """Print where a definition stands: who gives it, the other editions that do, its address; of
    these what is known."""
    same = f", the same in {', '.join(same_in)}" if same_in else ""
    if authority or same:
        echo(dim(f"— {shortened(authority, _MAX_TITLE)}{same}"), indent=4)
    if address:
        url(address, indent=4)


def print_names(labels: Iterable[Label]) -> None:
    """Print names by language, each with its role and where it comes from: the first twelve, the
    languages in the order of their first names. Those that differ only in case or width are one
    line, and so is one that is the same in several languages."""
    same: dict[str, list[Label]] = {}
    for label in labels:
        same.setdefault(normalize("NFKC", label.text).casefold(), []).append(label)
    languages = list(dict.fromkeys(of_name[0].lang for of_name in same.values()))
    groups = sorted(same.values(), key=lambda of_name: languages.index(of_name[0].lang))
    for index, of_name in enumerate(groups[:_MAX_NAMES]):
        names = ", ".join(dict.fromkeys(label.text for label in of_name))
        facts = [*dict.fromkeys(label.lang for label in of_name), of_name[0].role]
        if passages := of_name[0].passages:
            facts.append(place_name(_in_newest_edition(passages)))
        field("" if index else "names", names, dim(f" ({', '.join(facts)})"))
    if len(groups) > _MAX_NAMES:
        field("", dim(f"and {len(groups) - _MAX_NAMES} more: --json has them"))


def _in_newest_edition(passages: Sequence[str]) -> str:
    """Return the first of some passages, one at least; of the same place in several editions the
    newest's.

    >>> _in_newest_edition(["x/cr/2023/en#Glossary¶382", "x/cr/2026/en#Glossary¶4", "y/2027#Z¶1"])
    'x/cr/2026/en#Glossary¶4'
    """
    places = {passage: _NUMBER.sub("", passage) for passage in passages}
    first = places[passages[0]]
    same_place = (passage for passage in passages if places[passage] == first)
    return max(same_place, key=public.natural_key)


def _print_spellings(profile: TermProfile) -> None:
    """Print how a term is written on pages: first its names with their forms, then what was taken
    for it in another spelling."""
    names = [spelling for spelling in profile.spellings if spelling.is_name]
    others = [spelling for spelling in profile.spellings if not spelling.is_name]
    parts: list[Part] = []
    for spelling in names[:_MAX_SPELLINGS]:
        parts += [", "] if parts else []
        parts += [f"{spelling.text} {spelling.count:,}×", dim(_forms(spelling))]
    if parts:
        field("written", *parts)
    for index, spelling in enumerate(others[:_MAX_SPELLINGS]):
        places = list(dict.fromkeys(place_name(passage) for passage in spelling.places))
        listed = ", ".join(places) + (" …" if spelling.count > len(spelling.places) else "")
        number = counted(spelling.count, "place")
        name = "" if index else "also"
        field(name, f"written {spelling.text}", dim(f" ({number}: {listed})"))
    if len(others) > _MAX_SPELLINGS:
        left = counted(len(others) - _MAX_SPELLINGS, "more spelling")
        field("", dim(f"and {left}: --json has them"))


def _forms(spelling: Spelling) -> str:
    """Return the forms of a word that were met, each with its number, in brackets behind a space:
    the first five, ` (引く 3, 引いた 2)`; empty if there is only one."""
    if len(spelling.forms) < 2:
        return ""
    forms = [f"{text} {count:,}" for text, count in spelling.forms[:_MAX_FORMS]]
    return f" ({', '.join(forms)}{' …' if len(spelling.forms) > _MAX_FORMS else ''})"


def _print_mentions(node: Node, profile: TermProfile, ref: str) -> None:
    """Print how often a term is mentioned, and how to list the places."""
    name = ref if any(label.text == ref for label in node.labels) else node.id
    game = node.game if name == ref else None
    ask = Ask("refs", ref=name, kinds=("mentions",), game=game)
    times = counted(profile.mentions, "time")
    pages = counted(profile.pages, "page")
    if profile.read < profile.mentions:
        first = f"{times}; the first {profile.read:,} are on {pages}, and only their spellings are"
        field("mentioned", f"{first} counted", command=command(ask))
    else:
        field("mentioned", f"{times}, on {pages}", command=command(ask))
