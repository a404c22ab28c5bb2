"""Prints what a reference names, for `sansho show`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from kb.cli.render.line_breaking import cell_width, shortened
from kb.cli.render.node_names import name_of, origin_of
from kb.cli.render.output import (
    bold,
    counted,
    dim,
    echo,
    end_of_result,
    field,
    more,
    text_width,
    url,
)
from kb.cli.wording import command
from kb.reason import Ask

if TYPE_CHECKING:
    from kb import Capture, KnowledgeBase, Node, PageContent, Shown, ShownEntry

# Lengths of lists, by hand: filters narrow entries, and --json has all of them and all sections.
_MAX_ENTRIES = 20
_MAX_SECTIONS = 30
_VALUE_COLUMN = 12  # where the values of fields begin: `field`'s indent and its column of names
_MAX_NAME = 60  # columns of what was asked for, in a message, by hand: its line of 80 at most twice


def print_matches(
    result: Shown,
    ref: str,
    base: KnowledgeBase,
    tree: bool = False,
    filters: Mapping[str, str | None] | None = None,
) -> None:
    """Print what a reference names.

    ref: the reference, as the person typed it.
    base: the knowledge base that was asked.
    tree: whether the sub-rules of rules were asked for.
    filters: those that were asked for, such as a game or a language.
    """
    printed: set[str] = set()  # definitions and addresses: none is printed twice
    for index, entry in enumerate(result.entries[:_MAX_ENTRIES]):
        if index:
            echo()
        _print_entry(entry, result, ref, printed, base, filters or {})
    rest = len(result.entries) - _MAX_ENTRIES
    if tree and not (result.tree or result.contents):
        more(f"--tree is for rules, pages and sections; {shortened(ref, _MAX_NAME)} names none")
    end_of_result(
        sums=_sums(result) if len(result.entries) > 1 else "",
        cut=f"{rest} more are not shown: --game, --source, --lang narrow; --json has them all"
        if rest > 0
        else None,
        left_out=result.also,
        notices=(node.notice for node in result.matches),
    )


def _print_entry(
    entry: ShownEntry,
    result: Shown,
    ref: str,
    printed: set[str],
    base: KnowledgeBase,
    filters: Mapping[str, str | None],
) -> None:
    """Print one thing that a reference names.

    printed: definitions and addresses that were printed before; those of this entry are added.
    filters: as for `print_matches`; what else has the number of a rule is then not known.
    """
    node = entry.node
    if entry.rule:  # each kind of node loads what prints it: loading is most of a look-up's time
        from kb.cli.render.lookup.show_rule import print_outline, print_rule

        named = [each for each in result.matches if each.series]
        games = len({each.game for each in named})
        # Found by another name than its number: other games may have that number.
        by_name = (node.number or "").casefold() not in ref.casefold()
        within = {
            "game": node.game if any(filters.values()) or games > 1 or by_name else None,
            "lang": node.lang if filters.get("lang") or filters.get("edition") else None,
            "edition": node.edition if filters.get("edition") or ref.strip() == node.id else None,
        }
        # A number names this rule if it is the only one that was found by it.
        is_one = len({each.rule for each in named}) == 1 and len({e.lang for e in named}) == 1
        by_number = is_one and not by_name and "/" not in ref
        if outline := result.tree.get(node.id):
            print_outline(entry, outline, within, by_number)
        else:
            print_rule(entry, result.examples, within, by_number)
        return
    from kb.cli.render.lookup.show_term import print_card_values, print_term

    echo(bold(name_of(node)), "  ", dim(origin_of(node)))
    if entry.term:
        printed.update(each.evidence.text for each in entry.term.definitions)
        printed.update(each.url for each in entry.term.definitions if each.url)
        print_term(node, entry.term, ref)
    elif node.kind == "ruling":
        echo(dim("Q "), node.label or "", indent=2)
        echo(dim("A "), node.text or "(none given)", indent=2)
    elif node.text and node.text != node.label:
        _print_text(node.text)
    content = result.contents.get(node.id)
    if content:
        _print_content(content)
    if entry.page and not content:
        _print_page(entry, printed, base)
    if entry.page:
        _print_captures(result.captures.get(node.id, ()))
    if not entry.term:
        _print_names(node)
        if node.kind not in ("ruling", "page"):
            print_card_values(node)
    field("id", dim(node.id))
    if node.url and node.url not in printed:
        url(node.url)
        printed.add(node.url)


def _print_text(text: str) -> None:
    for line in text.splitlines():
        echo(line, indent=2, hang=0)


def _print_content(content: PageContent) -> None:
    """Print the text of a page or section: each passage a paragraph, below the headings of the
    sections in it; where it was cut, how to go on; and an empty line."""
    for part in content.parts:
        if part.heading is not None:
            echo()
            echo(bold(part.heading), indent=2 + 2 * part.depth)
        else:
            for line in (part.text or "").splitlines():
                echo(line, indent=2 + 2 * part.depth)
    more(content.more)
    echo()


def _print_names(node: Node) -> None:
    """Print the other names of a node, with language and role."""
    from kb.cli.render.lookup.show_term import print_names

    print_names([label for label in node.labels if label.text != node.label])


def _print_page(entry: ShownEntry, printed: Iterable[str], base: KnowledgeBase) -> None:
    """Print a page's opening (unless it was printed as a definition), its sections, and how to
    read them."""
    page = entry.page
    if page is None:
        return
    opening = page.opening or ""
    if opening and not any(text in opening for text in printed):
        _print_text(opening)
    for index, (level, heading) in enumerate(page.sections[:_MAX_SECTIONS]):
        field("" if index else "sections", "  " * (level - 1), heading)
    if len(page.sections) > _MAX_SECTIONS:
        rest = counted(len(page.sections) - _MAX_SECTIONS, "more section")
        field("", dim(f"and {rest}: --json has them"))
    field("read", command=command(Ask("show", ref=entry.node.id, tree=True)))
    if len(page.sections) > 1 and (example := _command_for_a_section(entry.node, base)):
        field("", command=example)


def _command_for_a_section(page: Node, base: KnowledgeBase) -> str | None:
    """Return a command that shows a section of a page, as an example: for the first of its first
    thirty sections whose command fits a line; None if there is none.

    Where all of a page stands below its title, it is one of the sections in that.
    """
    sections = [part for part in base.parts(page.id) if part.kind == "section"]
    if len(sections) == 1:
        sections = [part for part in base.parts(sections[0].id) if part.kind == "section"]
    commands = (command(Ask("show", ref=section.id)) for section in sections[:_MAX_SECTIONS])
    room = text_width() - _VALUE_COLUMN
    return next((each for each in commands if cell_width(each) <= room), None)


def _print_captures(captures: Sequence[Capture]) -> None:
    """Print when a page was captured and from which file it was read; and how many other captures
    there are, by the reasons why it is not read from them."""
    others: dict[str, list[Capture]] = {}
    for capture in captures:
        if capture.why_not:
            others.setdefault(capture.why_not, []).append(capture)
        else:
            when = capture.taken or "at an unknown time"
            field("taken", dim(f"{when}: {capture.place} ({capture.form})"))
    for index, (reason, group) in enumerate(others.items()):
        name = "" if index else "not read"
        if len(group) == 1:
            when = group[0].taken or "at an unknown time"
            field(name, dim(f"{reason}: {group[0].place} ({group[0].form}), taken {when}"))
        else:
            field(name, dim(f"{reason}: {counted(len(group), 'capture')}; --json has them"))


def _sums(result: Shown) -> str:
    """Return how many things there are of each kind, in the order of the result: `1 term, 2
    cards`."""
    kinds: dict[str, int] = {}
    for entry in result.entries:
        kinds[entry.node.kind] = kinds.get(entry.node.kind, 0) + 1
    return ", ".join(counted(number, kind) for kind, number in kinds.items())
