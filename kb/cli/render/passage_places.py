"""Says where passages stand, for people: a heading line, other places, addresses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kb.cli.render.line_breaking import cell_width
from kb.cli.render.output import bold, dim, echo, text_width, url

if TYPE_CHECKING:
    from kb import Place

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
    return " · ".join(part for part in (place.game, edition, lang, source) if part)


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
