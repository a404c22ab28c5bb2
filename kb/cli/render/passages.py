"""Prints passages that were found, with where they stand: heading line, other places, addresses."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import groupby
from typing import TYPE_CHECKING

from kb.cli.render.output import (
    bold,
    cell_width,
    counted,
    dim,
    echo,
    end_of_result,
    field,
    marked,
    print_nothing,
    printable,
    said,
    shortened,
    shortened_start,
    some_of,
    text_width,
    url,
    warning,
    with_marks,
)
from kb.shared_wording import dotted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb import (
        Answer,
        Answers,
        Concordance,
        ConcordanceLine,
        Hit,
        Hits,
        OtherAnswer,
        Place,
    )

# Pages that are named where a text stands elsewhere, too. By hand: a line or two; some texts stand
# on dozens of pages.
_MAX_OTHERS = 4


def place_name(place: Place) -> str:
    """Return the name of a place: a rule's number and heading, or the page and its section (and the
    entry of a glossary) with ` › `; the page alone if the section's heading only repeats it."""
    if place.number:
        return f"{place.number} {place.heading}".rstrip()
    if place.section and not _repeats(place.section, place.page):
        return f"{place.page} › {place.section}" + (f" › {place.entry}" if place.entry else "")
    return place.page


def _repeats(section: str, page: str) -> bool:
    """Return whether a heading only repeats the name of its page, as the first one often does, with
    a reading or a translation behind it (`札/Card`).

    >>> _repeats("《札/Card》", "《札》"), _repeats("札の種類", "札"), _repeats("札", "札")
    (True, False, True)
    """
    name = page.rstrip("》")
    return section.startswith(name) and section[len(name) :][:1] in {"", "/", "／", "(", "（", "》"}


def place_origin(place: Place) -> str:
    """Return the game, edition, language and source of a place in one text.

    The source is left out where it is a rulebook, and the language where it is no rulebook's.
    """
    edition = f"edition {place.edition}" if place.edition else ""
    lang = place.lang if place.edition else ""
    source = "" if place.source == "rulebook" else place.source
    return dotted(place.game, edition, lang, source)


def section_name(place: Place) -> str:
    """Return the name of the section that a place is in: of a rule the section of the rules, which
    begins with its number, or else its heading; of others page and section, as `place_name`."""
    if place.number and (place.section[:1].isdigit() or not place.section):
        return place.section or place.heading
    return f"{place.page} › {place.section}" if place.number else place_name(place)


def print_place(place: Place, indent: int = 0, name: str = "") -> None:
    """Print the name of a place, with its origin behind it or, where the line is too short for
    both, below it. Without indent the name is a heading.

    name: printed instead of the place's own.
    """
    name, origin = name or place_name(place), place_origin(place)
    shown = name if indent else bold(name)
    if indent + cell_width(name) + 2 + cell_width(origin) <= text_width():
        echo(shown, "  ", dim(origin), indent=indent)
    else:
        echo(shown, indent=indent)
        echo(dim(origin), indent=indent + 2)


def elsewhere(place: Place, same: Iterable[Place]) -> str:
    """Return where else a text stands, in words; empty if nowhere.

    Other editions come first, with the rule's number if it was another one; then other pages, the
    first four: `editions 20231117, 20240730 (as 121.5), 札, the rulebook`.
    """
    editions: dict[str, list[str]] = {}  # the numbers that the rule has there
    pages: dict[str, None] = {}
    for other in same:
        if other.edition and other.edition != place.edition:
            numbers = editions.setdefault(other.edition, [])
            if other.number not in numbers:
                numbers.append(other.number)
        elif other.page_id != place.page_id:
            pages["the rulebook" if other.source == "rulebook" else other.page] = None
    parts = []
    if editions:
        named_editions = [
            edition
            if place.number in numbers or not any(numbers)
            else f"{edition} (as {', '.join(filter(None, numbers))})"
            for edition, numbers in editions.items()
        ]
        parts.append(f"edition{'s' * (len(editions) > 1)} {', '.join(named_editions)}")
    named = list(pages)[:_MAX_OTHERS]
    if len(pages) > len(named):
        named.append(f"{len(pages) - len(named)} more pages")
    return ", ".join([*parts, *named])


def print_elsewhere(place: Place, same: Iterable[Place], indent: int = 2) -> None:
    """Print where else a text stands; nothing if nowhere."""
    if others := elsewhere(place, same):
        echo(dim(f"also in {others}"), indent=indent)


class Addresses:
    """Prints the address of each page once."""

    def __init__(self) -> None:
        self._printed: set[str] = set()

    def print_new(self, place: Place, indent: int = 2) -> None:
        """Print the address of a place's page, unless it was printed or there is none."""
        if place.url and place.url not in self._printed:
            self._printed.add(place.url)
            url(place.url, indent)


# Passages; a search and a concordance count no further: `MOST_COUNTED` of the index of passages.
_MOST_COUNTED = 50_000
_MOST_WORDS = 80  # columns of the words in a message, by hand: about a line


def print_hits(result: Hits, words: str, narrowed: bool) -> None:
    """Print the passages that a search found, with the words in them highlighted; if there is none,
    a message on standard error.

    words: the words that were searched for, as the person typed them.
    narrowed: whether there were filters.
    """
    if not result.hits:
        print_no_passage(result, words, narrowed)
        return
    addresses = Addresses()
    for number, (_, hits) in enumerate(groupby(result.hits, _where)):
        if number:
            echo()
        _print_hits_of_place(list(hits), addresses)
    end_of_result(
        sums=sum_of_passages(result),
        cut=result.more,
        left_out=result.also,
        notices=(hit.node.notice for hit in result.hits),
    )


def print_no_passage(result: Hits | Concordance, words: str, narrowed: bool) -> None:
    """Print, on standard error, that no passage has some words, and what to try instead.

    narrowed: whether there were filters; then other passages may have them.
    """
    found = f"has {shortened(words, _MOST_WORDS)}" if words else "is there"
    print_nothing(f"No {'such ' * narrowed}passage {found}.", result.hints, result.also)


def sum_of_passages(result: Hits) -> str:
    """Return how many passages are shown, and of how many: `12 passages`, `21–40 of the hits (more
    than 50,000 passages …)`."""
    shown, in_all = len(result.hits), result.total
    known = f"more than {in_all:,}" if in_all >= _MOST_COUNTED else f"{in_all:,}"
    phrase = f", {result.with_phrase:,} of these with the phrase" if result.with_phrase else ""
    others = "with other paragraphs, editions and copies counted"
    if result.more:
        hits = f"{some_of(result.before, shown)} of the hits"
        return f"{hits} ({known} passages {others}{phrase})"
    last = f"{some_of(result.before, shown)}, the last of them" if result.before else ""
    if in_all > result.before + shown:
        return f"{last or counted(shown, 'passage')} ({known} {others}{phrase})"
    return f"{last or counted(shown, 'passage')}{phrase}"


def _where(hit: Hit) -> tuple[str, ...]:
    """Return what the heading of a hit says (its name, its origin, where else it stands); hits of
    one place that follow each other share it."""
    place = hit.place
    others = elsewhere(place, hit.same), elsewhere(place, hit.reworded)
    return place_name(place), place_origin(place), *others


def _print_hits_of_place(hits: list[Hit], addresses: Addresses) -> None:
    """Print where some passages stand, a snippet of each with the words highlighted, and where else
    the text stands; the number of a rule, which the heading has, is left out of the snippet."""
    place = hits[0].place
    print_place(place)
    mark = [dim("· ")] if len(hits) > 1 else []
    for hit in hits:
        cut = hit.place.number_length(hit.snippet)
        spans = [(start - cut, end - cut) for start, end in hit.spans if start >= cut]
        snippet = hit.snippet[cut:].replace("\n", " ")
        echo(*mark, *with_marks(snippet, spans), indent=2, hang=2 * len(mark))
    print_elsewhere(place, hits[0].same)
    if reworded := elsewhere(place, hits[0].reworded):
        echo(dim(f"in other words in {reworded}"), indent=2)
    addresses.print_new(place)


# Widths are in columns of the terminal; a Japanese letter takes two.
# By hand: on a line of 80 a place gets a quarter, at most 20, and the words up to 24 (12 Japanese
# letters), so that some context is left on both sides; with less than eight there is none to speak
# of.
_MAX_PLACE = 24  # the place at the end of a line
_MAX_KEY = 24
_MIN_CONTEXT = 8


def print_lines(result: Concordance, words: str, narrowed: bool) -> None:
    """Print a line per occurrence, with the words one below the other; if there is none, a message
    on standard error.

    words: the words that were looked for, as the person typed them; empty if the filters say it.
    narrowed: whether there were filters.
    """
    if not result.lines:
        print_no_passage(result, words, narrowed)
        return
    named = _distinguished(result.lines)
    places = [printable(_place(line, named)) for line in result.lines]
    place_width = min(_MAX_PLACE, text_width() // 4, max(map(cell_width, places)))
    for line, place in zip(result.lines, places, strict=True):
        _print_line(line, shortened(place, place_width), place_width)
        if line.translation:
            echo(dim(" ".join(line.translation.split())), indent=4)
    if (count := max(map(_editions, result.lines))) > 1:
        echo()
        echo(
            dim(f"×{count}: same words in {count} editions; --each-edition prints a line for each")
        )
    end_of_result(
        sums=_sum(result),
        cut=result.more,
        left_out=result.also,
        notices=(line.node.notice for line in result.lines),
    )


def _print_line(line: ConcordanceLine, place: str, place_width: int) -> None:
    """Print the context to the left, the words, the context to the right, and the place.

    The context on each side has half of the room: the words begin in the same column on each line.
    """
    room = text_width() - place_width - 2
    side = max(_MIN_CONTEXT, room // 2 - 4)
    left = ("…" if line.cut[0] else "") + printable(line.left).lstrip()
    left = shortened_start(left.rstrip(), side)
    key = shortened(printable(line.key), _MAX_KEY)
    gap = side - cell_width(left)
    right_room = max(_MIN_CONTEXT, room - side - 2 - cell_width(key))
    right = printable(line.right).strip() + ("…" if line.cut[1] else "")
    right = shortened(right, right_room)
    padding = right_room - cell_width(right) + 2
    before = [left, " "] if left else []
    indent = gap if left else gap + 1
    echo(*before, marked(key), " ", right, " " * padding, dim(place), indent=indent, hang=0)


def _distinguished(lines: Iterable[ConcordanceLine]) -> frozenset[str]:
    """Return in which of `game`, `lang` and `edition` the places of lines differ; places without
    one do not count."""
    values: dict[str, set[str]] = {"game": set(), "lang": set(), "edition": set()}
    for line in lines:
        for name, known in values.items():
            known.add(getattr(line.place, name))
    return frozenset(name for name, known in values.items() if len(known - {""}) > 1)


def _place(line: ConcordanceLine, named: Collection[str]) -> str:
    """Return the place of a line in a few words, and how many editions have it, if several do.

    named: which of `game`, `lang` and `edition` tell the places of lines apart.
    """
    place = line.place
    name = place.number or (place.section if place.edition else place.page)
    game = place.game if "game" in named else ""
    lang = place.lang if "lang" in named else ""
    edition = place.edition if "edition" in named else ""
    count = f"×{_editions(line)}" if _editions(line) > 1 else ""
    return " ".join(filter(None, (game, lang, name, edition, count)))


def _editions(line: ConcordanceLine) -> int:
    """Return how many editions have the words of a line; 1 for a page without an edition."""
    return len({line.place.edition, *(other.edition for other in line.same)})


def _sum(result: Concordance) -> str:
    """Return how many lines there are here and in all, and in how many passages: `12 lines in 9
    passages`, `1–50 of 212 lines in 140 passages (200 with older editions)`."""
    shown = len(result.lines)
    number = result.total - result.older
    known = number < _MOST_COUNTED
    passages = counted(number, "passage")
    passages = passages if known else f"more than {passages}"
    editions = f" ({result.total:,} with older editions)" if result.older and known else ""
    if result.more or result.before:
        lines = counted(result.line_total, "line") if result.line_total else "the lines"
        return f"{some_of(result.before, shown)} of {lines} in {passages}{editions}"
    return f"{counted(shown, 'line')} in {passages}{editions}"


# By hand: about four lines of 80, twice that in Japanese; what of a rule is about something else is
# read with show.
_MAX_REST = 300  # characters of a passage besides the sentence that decides
_MAX_CITED = 8  # citations that are printed, by hand: with their headings two or three lines
_INDENT = 3  # columns: those of `1. `


def print_answers(result: Answers, why: bool = False) -> None:
    """Print the passages that answer a question: first the sentence that decides, then where it
    stands and what it cites; without any, a message on standard error. What another question
    answers stands above.

    why: print also the reasons why each was chosen, and what was asked and not found.
    """
    if result.other:
        _print_other(result.other)
        if result.answers:
            echo()
    elif not result.answers:
        _print_nothing(result)
    for other in result.of_others:
        echo(warning(said(other)))
    addresses = Addresses()
    beneath: dict[str, list[Answer]] = {}
    for answer in result.answers:
        beneath.setdefault(answer.group or answer.passage.id, []).append(answer)
    for answer, *siblings in beneath.values():
        if answer.rank > 1:
            echo()
        if siblings:
            _print_above(answer)
        _print_answer(answer, addresses, why)
        if siblings:
            _print_siblings(answer, siblings, why)
    if result.answers and (missing := _missing(result)):
        echo()
        echo(dim(f"{missing[0].upper()}{missing[1:]}."))
    end_of_result(notices=(answer.node.notice for answer in result.answers))


def _print_other(other: OtherAnswer) -> None:
    """Print which other question answers, with the command that asks it, and its first lines."""
    from kb.cli.wording import TERMINAL

    sentence, command = TERMINAL.sentence_and_command(other.said)
    echo(bold(sentence), command=command)
    for line in other.lines:
        echo(line, indent=_INDENT, hang=_INDENT)


def _print_nothing(result: Answers) -> None:
    """Print that the pages do not say, of which words nothing speaks, which game is not loaded, and
    what is near to them."""
    missing = _missing(result)
    print_nothing(
        f"No passage here seems to answer this{': ' if missing else ''}{missing}.", result.hints
    )


def _missing(result: Answers) -> str:
    """Return what of a question is not loaded and which of its words no page has, without a full
    stop: `chess is not loaded; nothing here speaks of en or passant`; empty if none."""
    games = f"{_or(result.missing_games)} is not loaded" if result.missing_games else ""
    words = f"nothing here speaks of {_or(result.unknown)}" if result.unknown else ""
    return "; ".join(filter(None, [games, words]))


def _or(words: tuple[str, ...]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def _print_answer(answer: Answer, addresses: Addresses, why: bool) -> None:
    """Print one answer."""
    place = answer.place
    text = answer.passage.text or ""
    start, end = answer.decides
    echo(f"{answer.rank}. ".ljust(_INDENT), bold(_on_one_line(text[start:end])), hang=_INDENT)
    _print_limits(answer, _INDENT)
    if rest := _rest(answer):
        echo(dim(rest), indent=_INDENT, hang=0)
    print_place(place, _INDENT)
    print_elsewhere(place, answer.same, _INDENT)
    if others := elsewhere(place, answer.reworded):
        echo(dim(f"in other words in {others}"), indent=_INDENT)
    if answer.since:
        echo(warning(said(answer.since)), indent=_INDENT)
    addresses.print_new(place, _INDENT)
    if cited := _cited(answer):
        field("cites", cited, indent=_INDENT)
    if answer.part:
        field("on", answer.part, indent=_INDENT)
    if why:
        _print_why(answer, _INDENT)


def _print_above(answer: Answer) -> None:
    """Print the rule whose sub-rules some answers are, above them: its number and its words."""
    number = answer.group.rpartition("/")[2]
    above = shortened(_on_one_line(answer.above or answer.place.heading), _MAX_REST)
    echo(dim(f"under {number} {above}".rstrip()), hang=_INDENT)


def _print_limits(answer: Answer, indent: int) -> None:
    """Print the sentences that limit the one that decides, each with the number of the sub-rule
    beside it that says it, if one does."""
    for limit in answer.limits:
        label = f"but {limit.number}: " if limit.number else "but: "
        echo(label, _on_one_line(limit.text), indent=indent, hang=_INDENT)


def _print_siblings(answer: Answer, siblings: Sequence[Answer], why: bool) -> None:
    """Print the answers that are sub-rules of the same rule as one above them: of each its number
    and the sentence that decides."""
    rule = answer.group.rpartition("/")[2]
    echo(f"also under {rule}:", indent=_INDENT)
    for sibling in siblings:
        start, end = sibling.decides
        sentence = _on_one_line((sibling.passage.text or "")[start:end])
        label = f"{sibling.rank}. {sibling.place.number}  "
        echo(label, sentence, indent=_INDENT, hang=_INDENT)
        inner = 2 * _INDENT
        _print_limits(sibling, inner)
        if sibling.part and sibling.part != answer.part:
            field("on", sibling.part, indent=inner)
        if why:
            _print_why(sibling, inner)


def _print_why(answer: Answer, indent: int) -> None:
    """Print why an answer was chosen, and what it does not have."""
    field("why", "; ".join(map(said, answer.why)), indent=indent)
    if answer.not_found:
        field("not there", ", ".join(answer.not_found), indent=indent)


def _rest(answer: Answer) -> str:
    """Return the passage around the sentence that decides, which is … here; empty if there is
    nothing else. What is long is cut to 300 characters, with another …."""
    before, behind = answer.context(_MAX_REST)
    rest = f"{before} … {behind}" if before or behind else ""
    for limit in answer.limits:  # stands above already
        rest = rest.replace(_on_one_line(limit.text), "…")
    return re.sub(r"…[\s…]*…", "…", rest).strip() if rest.strip(" …") else ""


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _cited(answer: Answer) -> str:
    """Return the rules that an answer cites, each once and with its heading, in the order cited:
    `121.4 Drawing a Card; 704`; the first eight, and how many others. Empty if it cites none."""
    cited: dict[str, str] = {}
    for edge, heading in zip(answer.citations, answer.headings, strict=True):
        cited[edge.target_label] = cited.get(edge.target_label) or heading
    parts = [f"{number} {heading}".rstrip() for number, heading in cited.items()]
    more = [f"and {len(parts) - _MAX_CITED} more"] if len(parts) > _MAX_CITED else []
    return "; ".join([*parts[:_MAX_CITED], *more])
