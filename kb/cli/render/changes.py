"""Prints and writes what changed between two editions (`sansho changes`), what that makes stale
(`sansho impact`), and what an update (`sansho update`) or another build brought.

`changes_blocks` is the whole document of `sansho changes`, `feed` the same as an Atom feed with an
entry for each section.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import groupby
from pathlib import PurePath
from typing import TYPE_CHECKING
from urllib.parse import quote

from kb import QuestionError
from kb.cli.render.builds_and_audits import print_build
from kb.cli.render.documents import (
    Block,
    Entry,
    Heading,
    Paragraph,
    Piece,
    Rows,
    html_lines,
    markdown,
    markdown_lines,
    page_lines,
)
from kb.cli.render.editions import changed_citations, numbers_of, print_old_and_new
from kb.cli.render.output import (
    also,
    bold,
    cell_width,
    counted,
    dim,
    echo,
    field,
    more,
    note,
    printable,
    shortened,
    total,
    warning,
)
from kb.cli.wording import PUBLISHED
from kb.control_characters import xml_text
from kb.reason import Argument
from kb.shared_wording import date_of

if TYPE_CHECKING:
    from kb import (
        BuildChanges,
        ChangedSection,
        Changes,
        CrawlReport,
        Impact,
        LoadedEdition,
        MovedRules,
        Reason,
        RuleChange,
        Touched,
        UpdateReport,
    )

_MOST_PAGES = 50  # that are named, by hand: about a screen; the command lists all
_LONGEST = 70  # columns of a moved rule's words, by hand: with both numbers from a line of 100
# By hand, on rules of three games. Columns between two changes that are marked as one, if both are
# as wide: two short words; and the share of a rule's text that must be in both, so that it is not
# given as two texts.
_JOINED, _LEAST_COMMON = 12, 0.4
_Span = tuple[int, int, int, int]  # start and end in the text before, and in the text after
_MOVED, _RENUMBERED = ("moved", "moved+renumbered"), ("renumbered",)
# The parts of the document, each with the kinds of changes that it lists; each kind is in one.
_PARTS = {
    "New {}": ("added",),
    "Changed {}": ("changed", "moved+changed"),
    "{} split off from others": ("split",),
    "Merged {}": ("merged",),
    "Removed {}": ("removed",),
    "Moved {}": _MOVED,
    "{} that cite other numbers": _RENUMBERED,
}
_ABOUT_MOVES = (
    "Rules that moved with the rule that they are under are counted with it. What has other words, "
    "too, is among the changed rules, with both numbers. The numbers that rules cite follow."
)


def changes_blocks(result: Changes, notice: str) -> Iterator[Block]:
    """Yield the document. notice: the knowledge base's notice to readers; empty without one."""
    yield Heading(1, _title(result))
    yield from _introduction(result, notice)
    changes = [change for section in result.sections for change in section.changes]
    for part, kinds in _PARTS.items():
        if not (count := _count(result, kinds)):
            continue
        yield Heading(2, f"{_named(part, 'rules')} ({count:,})")
        if kinds == _MOVED:
            yield Paragraph([Piece(_ABOUT_MOVES)])
        if kinds in (_MOVED, _RENUMBERED):  # a line each
            yield from _listed(changes, result.moves, kinds, result.lang)
            continue
        for section in result.sections:
            found = _entries(section.changes, kinds, result.lang)
            yield from _under(Heading(3, _name(section), result.lang), found)
    yield from _under(Heading(2, "Glossary"), _glossary(result))
    yield Heading(2, "Pages that may be stale now")
    yield from _pages(result)
    yield from _under(Heading(2, "Not in this document"), _left_out(result))


def _title(result: Changes) -> str:
    editions = f"{date_of(result.before)} to {date_of(result.after)}"
    return f"{result.name}: what changed in the rules from {editions}"


def _name(section: ChangedSection) -> str:
    return f"{section.number} {section.heading}".strip()


def _count(result: Changes, kinds: Iterable[str]) -> int:
    return sum(result.counts.get(kind, 0) for kind in kinds)


def _named(part: str, things: str) -> str:
    name = part.format(things)
    return name[:1].upper() + name[1:]


def _introduction(result: Changes, notice: str) -> Iterator[Block]:
    """Yield what was compared, the notice, and how many rules are in each part."""
    loaded = " and ".join(f"{one.edition} ({_share(one)})" for one in result.loaded)
    part = f" Only rule {' or '.join(result.under)} and what is below it." if result.under else ""
    yield Paragraph([Piece(f"Compared in {result.loaded[0].language}: {loaded}.{part}")])
    if notice:
        yield Paragraph([Piece(notice)])
    sums = {_named(part, "rules"): _count(result, kinds) for part, kinds in _PARTS.items()}
    sums["Rules that are the same"] = result.same
    rows = [(name, f"{count:,}") for name, count in sums.items() if count]
    yield Rows(("what became of the rules", "how many"), rows)


def _share(loaded: LoadedEdition) -> str:
    of = "" if loaded.whole or not loaded.of else f" of its {loaded.of:,}"
    return f"{loaded.rules:,}{of} rules"


def _under(heading: Heading, blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks below a heading; nothing without blocks."""
    if found := list(blocks):
        yield from (heading, *found)


def _listed(
    changes: Sequence[RuleChange], moves: Iterable[MovedRules], kinds: Sequence[str], lang: str
) -> Iterator[Block]:
    """Yield the rules of some kinds of changes; those that moved as a table."""
    return _moves(moves, changes, lang) if kinds == _MOVED else _entries(changes, kinds, lang)


def _entries(changes: Iterable[RuleChange], kinds: Sequence[str], lang: str) -> Iterator[Block]:
    """Yield the rules, or entries of the glossary, of some kinds of changes: their words, or what
    they cite now if nothing else changed."""
    for change in changes:
        if change.kind == "renumbered" and change.kind in kinds:
            yield Entry(numbers_of(change), [Piece(changed_citations(change))])
        elif change.kind in kinds:
            numbers = numbers_of(change)
            if change.took_in and change.kind == "merged":
                numbers = f"{', '.join(change.took_in)} → {numbers}"
            yield Entry(numbers, words_of(change), lang)


def words_of(change: RuleChange) -> list[Piece]:
    """Return a rule's words: those of the newer edition, with what was removed before what was
    added; or those of the one edition that has it. Of a rule that was written anew they are its old
    text and, on a line of its own, its new one."""
    before, after = ((rule.text if rule else "") for rule in (change.before, change.after))
    if not (change.before and change.after):
        return [Piece(before or after)]
    spans = _joined(before, after, change.spans)
    common = len(after) - sum(new_end - new_start for _, _, new_start, new_end in spans)
    if len(spans) > 2 and common < _LEAST_COMMON * max(len(before), len(after)):
        return [Piece(before, "removed"), Piece("\n"), Piece(after, "added")]
    pieces: list[Piece] = []
    place = 0
    for start, end, new_start, new_end in spans:
        removed = before[start:end]
        if removed:  # with the spaces around it, which are no part of the newer text
            start, end = start - before[:start].endswith(" "), end + before[end:].startswith(" ")
            is_behind_space = new_start < new_end and after[:new_start].endswith(" ")
            removed = before[start:end] + " " * is_behind_space
        pieces += [Piece(after[place:new_start]), Piece(removed, "removed")]
        pieces.append(Piece(after[new_start:new_end], "added"))
        place = new_end
    return [piece for piece in (*pieces, Piece(after[place:])) if piece.text]


def _joined(before: str, after: str, spans: Iterable[_Span]) -> list[_Span]:
    """Return the spans of the words that differ, those as one between which there is little that
    both texts have: marks on each second word can't be read."""
    joined: list[_Span] = []
    last_width = 0
    for start, end, new_start, new_end in spans:
        width = max(cell_width(before[start:end]), cell_width(after[new_start:new_end]))
        if joined:
            common = cell_width(after[joined[-1][3] : new_start].strip())
            if common <= min(_JOINED, width, last_width):
                start, _, new_start, _ = joined.pop()
                width += last_width
        joined.append((start, end, new_start, new_end))
        last_width = width
    return joined


def _moves(
    moves: Iterable[MovedRules], changes: Iterable[RuleChange], lang: str
) -> Iterator[Block]:
    """Yield the table of the rules that moved. One that moved alone and has other words is none of
    them: it stands among the changed rules, with both numbers."""
    changed = {one.after.number for one in changes if one.after and one.kind == "moved+changed"}
    rows = [
        (move.before, move.after, shortened(move.text, _LONGEST), f"{move.rules:,}")
        for move in moves
        if move.rules > 1 or move.after not in changed
    ]
    if rows:
        yield Rows(("before", "now", "words", "rules"), rows, ("en", "en", lang))


def _glossary(result: Changes) -> Iterator[Block]:
    """Yield the entries of the glossary that changed, by what became of them."""
    for part, kinds in _PARTS.items():
        found = list(_entries(result.glossary or (), kinds, result.lang))
        yield from _under(Heading(3, f"{_named(part, 'entries')} ({len(found):,})"), found)


def _pages(result: Changes) -> Iterator[Block]:
    """Yield how many statements of which pages may be stale, and how to list them."""
    if not result.more:
        yield Paragraph([Piece("No loaded page cites or quotes a rule that changed.")])
        return
    rows = [(page, f"{count:,}") for page, count in result.pages.items()]
    pages = counted(len(rows), "page")
    most = f"; the first {_MOST_PAGES}:" if len(rows) > _MOST_PAGES else ":"
    statements = counted(sum(result.pages.values()), "statement")
    yield Paragraph([Piece(f"{statements} that cite or quote what changed, on {pages}{most}")])
    yield Rows(("page", "statements"), rows[:_MOST_PAGES])
    yield Paragraph(_pieces_of(result.more))


def _left_out(result: Changes) -> Iterator[Block]:
    return (Paragraph(_pieces_of(one.reason)) for one in result.also)


def _pieces_of(reason: Reason) -> list[Piece]:
    """Return the sentence of a reason, and the command that gives the rest if there is one."""
    sentence, typed = PUBLISHED.sentence_and_command(reason)
    sentence = sentence[:1].upper() + sentence[1:]
    return [Piece(f"{sentence}: "), Piece(typed, "typed")] if typed else [Piece(f"{sentence}.")]


# -- the feed ------------------------------------------------------------------------------------

_ATOM = "http://www.w3.org/2005/Atom"


def feed(result: Changes, notice: str) -> bytes:
    """Return the document as an Atom feed (RFC 4287): an entry for each section that changed, one
    for the glossary. What else there is to say is the feed's subtitle.

    The ids are made of game, editions, language and section; that of the feed has no editions, so
    that a publisher's next feed continues it. The times are those of the newer edition.

    Raises QuestionError if that has no date.
    """
    updated = _time_of(result.after)
    about = [*_introduction(result, notice), *_pages(result), *_left_out(result)]
    names = (result.game, result.lang)
    entries = (
        ((result.before, result.after, *name), title, blocks)
        for name, title, blocks in _feed_entries(result)
    )
    return atom(names, _title(result), updated, about, entries)


def atom(
    name: tuple[str, ...],
    title: str,
    updated: str,
    about: Iterable[Block],
    entries: Iterable[tuple[tuple[str, ...], str, Iterable[Block]]],
) -> bytes:
    """Return an Atom feed. name: what its id is made of. about: its subtitle. entries: for each the
    end of its id, its title and its content."""
    from lxml import etree

    def add(parent: etree._Element, name: str, text: str = "", **attributes: str) -> etree._Element:
        element = etree.SubElement(parent, f"{{{_ATOM}}}{name}", attributes)
        element.text = xml_text(printable(text)) or None
        return element

    root = etree.Element(f"{{{_ATOM}}}feed", nsmap={None: _ATOM})  # type: ignore[dict-item]
    add(root, "id", _urn(*name))
    add(root, "title", title)
    add(root, "subtitle", "\n".join(html_lines(about)), type="html")
    add(root, "updated", updated)
    add(add(root, "author"), "name", "sansho")
    for of_entry, heading, blocks in entries:
        entry = add(root, "entry")
        add(entry, "id", _urn(*name, *of_entry))
        add(entry, "title", heading)
        add(entry, "updated", updated)
        add(entry, "content", "\n".join(html_lines(blocks)), type="html")
    xml: bytes = etree.tostring(root, xml_declaration=True, encoding="utf-8", pretty_print=True)
    return xml


def _feed_entries(result: Changes) -> Iterator[tuple[tuple[str, ...], str, list[Block]]]:
    """Yield the end of the id, the title and the content of each entry."""
    for section in result.sections:
        blocks: list[Block] = []
        for part, kinds in _PARTS.items():
            found = _listed(section.changes, section.moves, kinds, result.lang)
            blocks += _under(Heading(3, _named(part, "rules")), found)
        # A section of the older edition alone is not that which has its number now.
        is_gone = not any(change.after for change in section.changes)
        name = (section.number, "removed") if is_gone else (section.number,)
        yield name, _name(section), blocks
    if result.glossary:
        yield ("glossary",), "Glossary", list(_glossary(result))


def _urn(*names: str) -> str:
    return ":".join(["urn:sansho:changes", *(quote(xml_text(name), safe="") for name in names)])


def _time_of(edition: str) -> str:
    """Return the first moment of an edition's day, which may stand behind the name of a document,
    as Atom writes times; raise QuestionError if it has none."""
    try:
        return f"{date.fromisoformat(date_of(edition.rpartition('-')[2]))}T00:00:00Z"
    except ValueError:
        raise QuestionError("no_date_for_feed", edition=edition) from None


# -- the file ------------------------------------------------------------------------------------

_SUFFIXES = {".md": "markdown", ".html": "html", ".atom": "atom"}


def format_of(out: str) -> str:
    """Return the format of a file by its suffix; of standard output Markdown. Raises QuestionError
    if no format has the suffix."""
    suffix = ".md" if out == "-" else PurePath(out).suffix
    if found := _SUFFIXES.get(suffix.lower()):
        return found
    raise QuestionError(
        "unknown_suffix" if suffix else "no_suffix",
        out=out,
        suffix=suffix,
        form=Argument("form", ...),
        formats=tuple(_SUFFIXES),
    )


def document(result: Changes, form: str, notice: str) -> bytes:
    """Return the whole file. form: `markdown`, `html` or `atom`. Raises as `feed`."""
    if form == "atom":
        return feed(result, notice)
    return _as_file(list(changes_blocks(result, notice)), form)


def _as_file(blocks: Sequence[Block], form: str) -> bytes:
    lines = markdown_lines(blocks) if form == "markdown" else page_lines(blocks)
    return "".join(f"{line}\n" for line in lines).encode()


def print_written(result: Changes, out: str) -> None:
    """Print which file was written, how many rules it is about, and what it has not."""
    echo(f"{out}: {result.game} {result.before} → {result.after}")
    total(f"{counted(sum(result.counts.values()), 'change')} of rules, {result.same:,} the same")
    also(result.also)


# Characters of a statement's words: two lines of 80, by hand; --json has them whole.
_LONGEST_STATEMENT = 160
_MEANS = {
    "number": "cite a number that is another now, or is gone",
    "words": "give words that are others now",
    "sense": "cite a rule that says something else now",
}


def print_impact_as_text(result: Impact, notice: str) -> None:
    """Print how many statements are touched, then those of each page, the words that differ marked.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    echo(bold(f"{result.before} → {result.after}"), dim(f"  {result.game} · {result.lang}"))
    stale = f"{counted(result.total, 'statement')} on {counted(len(result.pages), 'page')}"
    total(f"{stale} may be stale now, of {result.checked:,} looked at")
    if result.unchecked:
        checked = f"{counted(result.unchecked, 'statement')} could not be checked"
        echo(
            warning(f"{checked}: only a part of these editions is loaded in {result.lang}"),
            indent=2,
        )
    for kind, count in result.counts.items():
        echo(f"{count:,} {_MEANS[kind]}", indent=2)
    for page, touched in _by_page(result):
        echo()
        echo(bold(page), dim(f"  {counted(result.pages[page], 'statement')}"))
        for one in touched:
            _print_one(one)
    more(result.more)
    also(result.also)
    if notice:
        echo()
        note([notice])


def _by_page(result: Impact) -> Iterator[tuple[str, Iterable[Touched]]]:
    return groupby(result.touched, key=lambda one: one.evidence.page)


def _print_one(one: Touched) -> None:
    words = " ".join(one.sentence.split())
    echo(bold(one.kind), f"  {_numbers(one)} {one.change}  ", dim(one.evidence.passage), indent=2)
    echo(shortened(words, _LONGEST_STATEMENT), indent=4)
    if one.kind != "number" or one.change not in ("moved", "merged"):
        print_old_and_new(one, indent=4)


def _numbers(one: Touched) -> str:
    """Return the number before and after, `121.4 → 121.5`; once if it stayed."""
    numbers = [each.number for each in (one.before, one.after) if each]
    return " → ".join(dict.fromkeys([*numbers, *([one.into] if one.into else [])]))


def print_impact_as_csv(result: Impact, notice: str) -> None:
    """Print a row for each statement, below the names of the columns. notice: is not printed."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    found = result.table()
    table.writerow(found.declared)
    table.writerows([[row.get(name, "") for name in found.declared] for row in found.rows])
    print(printable(text.getvalue()), end="")


def print_impact_as_markdown(result: Impact, notice: str) -> None:
    """Print a heading for each page and an item to tick off for each statement. notice: is printed
    at the end."""
    lines = checklist(result)
    print(printable("\n".join([*lines, *(["", markdown(notice)] if notice else [])])))


def checklist(result: Impact) -> list[str]:
    """Return the lines of a list in Markdown: a heading for each page, an item to tick off for each
    statement."""
    lines = [
        f"# {result.game}: {result.before} → {result.after}",
        "",
        f"{result.total:,} of {result.checked:,} statements may be stale now.",
    ]
    for page, touched in _by_page(result):
        lines += ["", f"## {markdown(page)}", ""]
        for one in touched:
            words = shortened(" ".join(one.sentence.split()), _LONGEST_STATEMENT)
            lines.append(f"- [ ] {_numbers(one)} ({one.change}, {one.kind}): {markdown(words)}")
    return lines


_MOST_NAMED = 10  # of each list, on a screen; by hand. The document has all


def print_update(result: UpdateReport, written: str | None) -> None:
    """Print what each crawl fetched, what the build read, what came, changed or went, and how much
    that makes stale. written: the file that has it as Markdown."""
    for place, one in result.crawled.items():
        field("crawled", f"{place}: {_fetched(one)}")
    for place, why in result.failed.items():
        field("failed", f"{place}: {why}")
    print_build(result.build, next_steps=False)
    _print_lists(result.changes)
    for impact in result.impact:
        pages = counted(len(impact.pages), "page")
        field("stale", f"{counted(impact.total, 'statement')} on {pages} of {impact.game}")
    if written:
        total(f"written to {written}")


def update_as_markdown(result: UpdateReport) -> str:
    """Return what came as Markdown: crawls, what two builds differ in, and each stale statement as
    an item to tick off."""
    lines = [f"# {result.build.kb}", ""]
    for place, one in result.crawled.items():
        lines.append(f"- {place}: {_fetched(one)}")
    lines += [f"- {place}: not crawled: {why}" for place, why in result.failed.items()]
    lines += ["", *markdown_lines(_build_parts(result.changes))]
    for impact in result.impact:
        lines += ["", *checklist(impact)]
    return printable("\n".join([*lines, ""]))


def _fetched(crawl: CrawlReport) -> str:
    return f"{counted(crawl.fetched, 'page')} fetched, {crawl.unchanged:,} unchanged"


def _lists(result: BuildChanges) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each list of what came, changed or went that has something, and its
    lines."""
    lists = {
        "New editions": [_edition(one) for one in result.editions_added],
        "Editions that went": [_edition(one) for one in result.editions_removed],
        "New pages": result.pages_added,
        "Changed pages": result.pages_changed,
        "Pages that went": result.pages_removed,
        "New terms": result.terms_added,
        "Terms that went": result.terms_removed,
        "New names of terms": [_term_name(one) for one in result.names_added],
        "Names that went": [_term_name(one) for one in result.names_removed],
    }
    return ((name, list(lines)) for name, lines in lists.items() if lines)


def _edition(edition: tuple[str, str, str]) -> str:
    game, date, lang = edition
    return f"{game} {date} ({lang})"


def _term_name(name: tuple[str, str, str]) -> str:
    term, lang, text = name
    return f"{term}: {text} ({lang})"


def _print_lists(result: BuildChanges) -> None:
    for name, lines in _lists(result):
        rest = f"; {len(lines) - _MOST_NAMED:,} more" if len(lines) > _MOST_NAMED else ""
        field(name.lower(), f"{len(lines):,}: {', '.join(lines[:_MOST_NAMED])}{rest}")


def _build_parts(result: BuildChanges) -> Iterator[Block]:
    """Yield the lists, each with its heading, and how many edges of each kind there were and
    are."""
    for name, lines in _lists(result):
        yield Heading(2, f"{name} ({len(lines):,})")
        yield from (Entry(line, ()) for line in lines)
    if result.edges:
        yield Heading(2, "References")
        rows = [(kind, f"{old:,}", f"{new:,}") for kind, (old, new) in result.edges.items()]
        yield Rows(("kind", "before", "now"), rows)
    if not result.edges and not any(_lists(result)):
        yield Heading(2, "Nothing changed")


def build_changes_document(result: BuildChanges, form: str, notice: str, updated: str) -> bytes:
    """Return what two builds differ in as a file.

    form: `markdown`, `html` or `atom`, a feed with an entry for each list. notice: the notice of
    the knowledge base to readers. updated: when the newer one was built, as Atom writes times.
    """
    title = f"What changed in {result.after} since {result.before}"
    first: list[Block] = [Paragraph([Piece(notice)])] if notice else []
    first.append(Paragraph([Piece(f"{counted(result.pages_same, 'page')} with the same text.")]))
    if form == "atom":
        entries = (
            ((name,), f"{name} ({len(lines):,})", [Entry(line, ()) for line in lines])
            for name, lines in _lists(result)
        )
        return atom(("builds", updated), title, updated, first, entries)
    return _as_file([Heading(1, title), *first, *_build_parts(result)], form)


def print_build_changes(result: BuildChanges, out: str) -> None:
    """Print which file was written, and what two builds differ in."""
    echo(f"{out}: {result.before} → {result.after}")
    _print_lists(result)
    total(f"{counted(result.pages_same, 'page')} with the same text")
