"""The pages for reading: which rulebooks there are, and a rulebook from cover to cover."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

import kb
from kb.web.base_counts import loaded, recent
from kb.web.pages.editions import is_heading, outermost_rules
from kb.web.pages.nearby import MOST_COMMENTS
from kb.web.pages.node import examples_of, rules_below
from kb.web.request_and_reply import Reply, Visit
from kb.web.term_marks import frequent_terms

# Rulebooks that number from 000 to 1099 without chapters open a part at each full hundred.
_FLAT_NUMBER = re.compile(r"\d{3,4}")
_SECTION_LEVEL = 2  # of the headings of a chapter's sections
_LOWEST_HEADING = 4  # deeper ones look the same: more sizes are not told apart
_NO_DATE = 10**6  # days: more than lie between any two editions
_MOST_INDENT = 2  # by hand: a phone has no room for more


class Chapter(NamedTuple):
    """A chapter of a rulebook, or one of its sections: what is read on one page.

    rules: the first is its heading; of a rulebook without chapters all that stand in it follow.
    sections: the rules that are listed below it in the contents.
    """

    rules: Sequence[kb.Node]
    sections: Sequence[kb.Node]

    @property
    def rule(self) -> kb.Node:
        """The rule that is its heading."""
        return self.rules[0]

    @property
    def number(self) -> str:
        """The number of its heading."""
        return self.rule.number or ""

    @property
    def numbers(self) -> str:
        """The number of its heading, or, where other headings follow at the same level, the first
        and the last: what stands behind `400 Draw` may be of something else."""
        last = self.rules[-1].number or ""
        return self.number if len(self.rules) == 1 else f"{self.number}–{last}"


@dataclass(frozen=True)
class Paragraph:
    """A rule as it is read.

    level: of its heading, 2 to 4; 0 if it is no heading. section: the id of the section that it
        stands in, such as 103, however many headings that has. indent: how much deeper it is than
        what stands directly below its heading, up to 2.
    examples: of the rule. other: the rule in the language beside, None if it is not there.
    """

    rule: kb.Node
    level: int
    section: str
    indent: int
    examples: tuple[str, ...]
    other: kb.Node | None = None
    other_examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Reading:
    """A chapter as it was read from the base: what does not depend on how it is shown."""

    chapters: Sequence[Chapter]
    chapter: Chapter
    above: Chapter | None
    paragraphs: Sequence[Paragraph]
    texts: Mapping[str, kb.LinkedText]
    said: Mapping[str, kb.Commentary]
    frequent: frozenset[str]
    beside: kb.Node | None = None  # the chapter's rule in the language beside


def read(visit: Visit) -> Reply:
    """Return a chapter of a rulebook, or a section, on one page; without `game` the list of what
    can be read, without JSON.

    Parameters: `game`, `lang` (if there is none: the interface's), `edition` (the newest), `at` (a
    date: the edition that was in force then), `chapter` (the number of a chapter or section, or of
    a rule in it; the first), `beside` (another language). kb.NotFoundError if nothing of the book
    or no such chapter is loaded.
    """
    books = [book for book in loaded(visit.base).rulebooks if book.rules]
    game, beside = visit.text("game"), visit.text("beside")
    given = {name: visit.text(name) for name in ("lang", "edition", "at", "chapter")}
    if not game:
        return Reply("books.html", {"shelves": _shelves(visit, books)})
    books = [book for book in books if book.game == game]
    lang = given["lang"] or _language(visit, books)
    of_lang = _newest_first(book for book in books if book.lang == lang)
    edition = given["edition"] or (of_lang[0].edition if of_lang else "")
    if given["at"]:
        edition = _edition_at(visit, game, lang, given["at"])
    others = _beside(books, lang, edition)
    other = next((book for book in others if book.lang == beside), None)
    if beside and other is None:
        raise kb.NotFoundError("no_book", game=game, edition=edition, lang=beside)
    reading = recent(
        visit.base,
        ("read", game, edition, lang, given["chapter"], other),
        lambda: _read(visit.base, game, edition, lang, given["chapter"], other),
    )
    pages = _pages(reading)
    place = [page.number for page in pages].index(reading.chapter.number)
    values = {
        "game": game,
        "edition": edition,
        "book_lang": lang,
        "book": next((book for book in of_lang if book.edition == edition), None),
        "beside": other,
        "others": others,
        "editions": of_lang,
        "reading": reading,
        "chapter": reading.chapter,
        "frequent": reading.frequent,
        "previous": pages[place - 1] if place else None,
        "next": pages[place + 1] if place + 1 < len(pages) else None,
        "outline": _outline(reading.paragraphs),
    }
    rules = [reading.chapter.rule, *(each.rule for each in reading.paragraphs)]
    return Reply("read.html", values, lambda: {"nodes": [rule.as_json() for rule in rules]})


def _shelves(
    visit: Visit, books: Sequence[kb.LoadedEdition]
) -> list[tuple[str, list[kb.LoadedEdition]]]:
    """Return (game, its newest rulebook in each language), by the games' names; the interface's
    language first."""
    own, shelves = visit.interface.lang, []
    for game in sorted({book.game for book in books}, key=visit.interface.game):
        of_game = _newest_first(book for book in books if book.game == game)
        langs = sorted({book.lang for book in of_game}, key=lambda lang: (lang != own, lang))
        newest = [next(book for book in of_game if book.lang == lang) for lang in langs]
        shelves.append((game, newest))
    return shelves


def _newest_first(books: Iterator[kb.LoadedEdition]) -> list[kb.LoadedEdition]:
    return sorted(books, key=lambda book: kb.edition_key(book.edition), reverse=True)


def _language(visit: Visit, books: Sequence[kb.LoadedEdition]) -> str:
    """Return the interface's language if the game has a rulebook in it, else that of its newest."""
    langs = [book.lang for book in _newest_first(iter(books))]
    own = visit.interface.lang
    return own if own in langs or not langs else langs[0]


def _edition_at(visit: Visit, game: str, lang: str, date: str) -> str:
    """Return the edition that was in force at a date; the page says so. Raises kb.QuestionError if
    none was, or if it is no date."""
    visit.base.show("1", game=game, lang=lang, edition=f"as of {date}")
    [*_, taken] = (each for each in visit.taken if each.code == "edition_in_force")
    return str(taken.values["edition"])


def _beside(books: Sequence[kb.LoadedEdition], lang: str, edition: str) -> list[kb.LoadedEdition]:
    """Return what can stand beside an edition: in each other language the one that is nearest in
    time, the same if it is there; of two as near the younger."""
    return [
        min(
            _newest_first(book for book in books if book.lang == other),
            key=lambda book: _days_between(book.edition, edition),
        )
        for other in sorted({book.lang for book in books} - {lang})
    ]


def _days_between(edition: str, other: str) -> int:
    """Return how many days two editions lie apart; very many where one has no date."""
    try:
        dates = [datetime.strptime(each, "%Y%m%d") for each in (edition, other)]
    except ValueError:
        return 0 if edition == other else _NO_DATE
    return abs((dates[0] - dates[1]).days)


def _read(
    base: kb.KnowledgeBase,
    game: str,
    edition: str,
    lang: str,
    number: str,
    other: kb.LoadedEdition | None,
) -> _Reading:
    """Return a chapter with its texts and links; raises kb.NotFoundError if it is not there."""
    chapters = _chapters(base, outermost_rules(base, game, edition, lang))
    chapter, above = _find(base, chapters, number)
    beside = _versions(base, other) if other else {}
    paragraphs = list(_paragraphs(base, chapter, beside))
    rules = [chapter.rule, *(each.rule for each in paragraphs)]
    texts = _bodies(base, rules)
    others = _bodies(base, [each.other for each in paragraphs if each.other])
    frequent = frequent_terms(texts.values()) | frequent_terms(others.values())
    said = base.commentary([rule.id for rule in rules], most=MOST_COMMENTS)
    other_heading = beside.get(chapter.rule.rule) if chapter.rule.rule else None
    return _Reading(
        chapters, chapter, above, paragraphs, texts | others, said, frequent, other_heading
    )


def _bodies(base: kb.KnowledgeBase, rules: Sequence[kb.Node]) -> dict[str, kb.LinkedText]:
    """Return the texts of rules with their links, without the headings that they begin with; of
    rules that are headings alone none."""
    texts = base.linked_texts([rule.id for rule in rules])
    found = {}
    for rule in rules:
        text = texts.get(rule.id)
        if text is None or _stands_alone(rule):
            continue
        cut = len(rule.label or "") + 1 if _begins_with_heading(rule) else 0
        links = (
            replace(link, start=link.start - cut, end=link.end - cut)
            for link in text.links
            if link.start >= cut
        )
        found[rule.id] = replace(text, text=text.text[cut:], links=tuple(links))
    return found


def _chapters(base: kb.KnowledgeBase, rules: Sequence[kb.Node]) -> list[Chapter]:
    """Return the chapters of a rulebook, from its outermost rules: each heading with what follows
    it, or where rules have three digits or more each hundred of them."""
    groups: list[list[kb.Node]] = []
    last = None
    for rule in rules:
        number = rule.number or ""
        part = number[:-2] if _FLAT_NUMBER.fullmatch(number) else number
        if not groups or (part != last and is_heading(rule)):
            groups.append([])
        groups[-1].append(rule)
        last = part
    return [
        Chapter(group, base.parts(group[0]) if len(group) == 1 else _headings(group[1:]))
        for group in groups
    ]


def _headings(rules: Sequence[kb.Node]) -> list[kb.Node]:
    return [rule for rule in rules if is_heading(rule)]


def _find(
    base: kb.KnowledgeBase, chapters: Sequence[Chapter], number: str
) -> tuple[Chapter, Chapter | None]:
    """Return (the chapter or section of a number, the chapter that a section is of): of a rule
    deeper down the section that it stands in. Without a number it is the first chapter."""
    first, known = chapters[0].rule, _known(chapters)
    if not number:
        return chapters[0], None
    if number not in known:
        node_id = f"{first.id.removesuffix(first.number or '')}{number}"
        entry = next(iter(base.show(node_id).entries), None)
        place = entry.rule.place if entry and entry.rule else ()
        number = next((each.number for each in reversed(place) if each.number in known), number)
    if number not in known:
        raise kb.NotFoundError("no_node", node=number)
    return known[number]


def _known(chapters: Sequence[Chapter]) -> dict[str, tuple[Chapter, Chapter | None]]:
    """Return {number: (the chapter or section that it heads or is in, the chapter that a section is
    of)} of the outermost rules of a book and those that head its sections."""
    known: dict[str, tuple[Chapter, Chapter | None]] = {}
    for chapter in reversed(chapters):
        if len(chapter.rules) == 1:
            of_chapter = (Chapter([each], ()) for each in chapter.sections)
            known |= {section.number: (section, chapter) for section in of_chapter}
        known |= {rule.number or "": (chapter, None) for rule in chapter.rules}
    return known


def pages_of_book(base: kb.KnowledgeBase, book: kb.LoadedEdition) -> dict[str, str]:
    """Return {number of a rule: number of the chapter or section on whose page it is read} of the
    rules that head one, or stand below no other."""
    rules = outermost_rules(base, book.game, book.edition, book.lang)
    chapters = _chapters(base, rules) if rules else []
    return {number: page.number for number, (page, _) in _known(chapters).items()}


def _versions(base: kb.KnowledgeBase, book: kb.LoadedEdition) -> Mapping[str | None, kb.Node]:
    """Return the rules of a book by the rule that each is a version of."""
    return recent(
        base,
        ("versions", book),
        lambda: {
            rule.rule: rule
            for outer in outermost_rules(base, book.game, book.edition, book.lang)
            for rule in (outer, *(below for _, below in rules_below(base, outer.id)))
        },
    )


def _paragraphs(
    base: kb.KnowledgeBase, chapter: Chapter, beside: Mapping[str | None, kb.Node]
) -> Iterator[Paragraph]:
    """Yield the rules of a chapter as they are read, without its own heading."""
    heading, *following = chapter.rules
    rules = list(rules_below(base, heading.id))
    for outer in following:
        rules += [(1, outer), *((depth + 1, rule) for depth, rule in rules_below(base, outer.id))]
    section, depth_of_section = heading.id, 0
    for depth, rule in rules:
        is_headed = _stands_alone(rule) or _begins_with_heading(rule)
        level = min(depth + 1, _LOWEST_HEADING) if is_headed else 0
        if level:
            depth_of_section = depth
        if level == _SECTION_LEVEL:
            section = rule.id
        indent = min(max(depth - depth_of_section - 1, 0), _MOST_INDENT)
        other = beside.get(rule.rule)
        examples = examples_of(other) if other else ()
        yield Paragraph(rule, level, section, indent, examples_of(rule), other, examples)


def _stands_alone(rule: kb.Node) -> bool:
    """Whether a rule is a heading and nothing more."""
    return is_heading(rule) and (rule.text or "").strip() in ("", (rule.label or "").strip())


def _begins_with_heading(rule: kb.Node) -> bool:
    """Whether the first line of a rule is its heading, and text follows."""
    return is_heading(rule) and (rule.text or "").startswith(f"{rule.label}\n")


def _pages(reading: _Reading) -> list[Chapter]:
    """Return the pages among which one turns: the chapters, or of a section all sections."""
    if reading.above is None:
        return list(reading.chapters)
    return [
        Chapter([section], ())
        for chapter in reading.chapters
        if len(chapter.rules) == 1
        for section in chapter.sections
    ]


def _outline(paragraphs: Sequence[Paragraph]) -> list[tuple[kb.Node, list[kb.Node]]]:
    """Return the headings of a page, each with those below it."""
    outline: list[tuple[kb.Node, list[kb.Node]]] = []
    for each in paragraphs:
        if each.level == 2:
            outline.append((each.rule, []))
        elif each.level == 3 and outline:
            outline[-1][1].append(each.rule)
    return outline
