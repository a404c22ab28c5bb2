"""Counts which chapter of a rulebook cites which, or which section of a chapter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphs.model import Node
from graphs.sort_orders import edition_key, natural_key
from graphs.store.reader import Store
from graphs.store.rule_versions import rule_citations, rule_parents
from kb.errors import NotFoundError, QuestionError
from kb.language.nearest_value import shown
from kb.query.editions.edition_choice import find_edition
from kb.reason import Argument, Ask, LeftOut, Reason, again
from kb.result import ID_ALONE, ListResult, columns
from kb.rules.loaded_editions import (
    LoadedRules,
    describe_loaded,
    loaded_rules,
    refuse_unknown_scope,
)

if TYPE_CHECKING:
    from graphs.picture.picture import Picture
    from graphs.picture.scene import Said

_MOST_DRAWN = 60  # chapters in a picture: as many rows and columns as can be told apart on a screen
_NAME = 60  # characters of a chapter's name: 99 of 100 headings have up to 42, a sentence is cut
_MOST_NAMED = 6  # editions in a message: a line or two
_MOST_ALSO = 24  # editions and languages that are listed: twelve editions in two languages, by hand


@dataclass(frozen=True, slots=True)
class ChapterCitation:
    """How often the rules of one chapter cite those of another, or of the same.

    source, target: the nodes of the chapters, which are rules; or of the sections.
    citations: how many pairs of rules there are of which the first cites the second, at least one.
    """

    source: Node = field(metadata=ID_ALONE)
    target: Node = field(metadata=ID_ALONE)
    citations: int = 1


@dataclass(frozen=True, slots=True, repr=False)
class ChapterCitations(ListResult[ChapterCitation], items="citations", item="pair"):
    """Which chapter of a rulebook cites which: an item for each two that do, the most first.

    game, edition, lang: of the rulebook.
    chapters: all its chapters in order, as nodes of rules; or all sections, if those of one chapter
        were asked for.
    within: that chapter; None if the whole rulebook was asked for.
    leaving: how many citations lead from the sections to what is in none of them.
    not_loaded: how many citations lead to what is not loaded.
    also: the other editions and languages of the rulebook, the newest first, how much of each is
        loaded, and what to give for it; of very many the first.
    """

    game: str
    edition: str
    lang: str
    chapters: tuple[Node, ...]
    citations: tuple[ChapterCitation, ...]
    within: Node | None = None
    leaving: int = 0
    not_loaded: int = 0
    also: tuple[LeftOut, ...] = ()

    _COLUMNS = columns(
        "source target citations",
        source=lambda _found, pair: _name(pair.source),
        target=lambda _found, pair: _name(pair.target),
    )

    def _about(self) -> str:
        part = f"chapter {self.within.number}, " if self.within else ""
        return f"of {part}{self.game} {self.edition} ({self.lang})"

    def draw(self) -> Picture:
        """Return the citations as a matrix: rows cite, columns are cited; the darker, the more. Of
        more than 60 chapters, or sections, those are drawn that cite and are cited most; `left_out`
        counts the others."""
        from graphs.picture.matrix import MatrixItem, matrix
        from graphs.picture.scene import Said

        items = [
            MatrixItem(chapter.id, chapter.number or chapter.id, _name(chapter))
            for chapter in self._drawn()
        ]
        counts = {(pair.source.id, pair.target.id): pair.citations for pair in self.citations}
        number = self.within.number if self.within else None
        values = {"number": number, "game": self.game, "edition": self.edition, "lang": self.lang}
        title = Said(
            "which chapter cites which of chapter {number}, {game} {edition} ({lang})"
            if number
            else "which chapter cites which of {game} {edition} ({lang})",
            values,
        )
        amount, of = "{number} citations", len(self.chapters)
        return matrix(items, counts, title, amount, of, self._remarks())

    def _drawn(self) -> list[Node]:
        """Return the chapters that are drawn, in order: all, or the 60 with most citations from and
        to them, of equal ones the first."""
        numbers: Counter[str] = Counter()
        for pair in self.citations:
            numbers[pair.source.id] += pair.citations
            numbers[pair.target.id] += pair.citations
        ranked = sorted(self.chapters, key=lambda chapter: -numbers[chapter.id])
        most = {chapter.id for chapter in ranked[:_MOST_DRAWN]}
        return [chapter for chapter in self.chapters if chapter.id in most]

    def _remarks(self) -> list[str | Said]:
        """Return what the picture shows, how many citations it does not, if any, and the notices of
        its chapters, sorted, each once."""
        from graphs.picture.scene import Said

        remarks: list[str | Said] = [Said("rows cite, columns are cited")]
        if self.leaving:
            leaving = {"number": self.leaving}
            remarks.append(Said("{number} citations lead out of what is shown", leaving))
        if self.not_loaded:
            not_loaded = {"number": self.not_loaded}
            remarks.append(Said("{number} citations lead to what is not loaded", not_loaded))
        notices = {chapter.notice for chapter in self.chapters if chapter.notice}
        return [*remarks, *sorted(notices)]


def _name(chapter: Node) -> str:
    """Return the number and the heading of a chapter, of one without the beginning of its text; of
    more than 60 characters the last is …."""
    words = chapter.label or " ".join((chapter.text or "").split())
    name = f"{chapter.number} {words.removeprefix(chapter.number or '').lstrip('. ')}".strip()
    return name if len(name) <= _NAME else name[: _NAME - 1] + "…"


def chapter_citations(
    store: Store, game: str | None, edition: str | None, lang: str | None, chapter: str | None
) -> ChapterCitations:
    """Return which chapter of a rulebook cites which.

    game: needed if several games have rules. edition: None for the newest that is whole; if none
        is, for the one of which most rules are loaded. lang: None for the one in which most of it
        is loaded.
    chapter: the number of a rule whose direct sub-rules are counted instead; None for the chapters.

    Raises QuestionError for an unknown game, edition or language, or if several games have rules;
    NotFoundError if the edition has no such rule; it names editions that have it.
    """
    games = loaded_rules(store)
    refuse_unknown_scope(games, game, lang)
    found_edition = find_edition(store, games, edition, game) if edition else None
    loaded, book_edition, book_lang = _book(games, game, found_edition, lang)
    parents = rule_parents(store, loaded.game, book_edition, book_lang)
    above = f"{loaded.game}/cr/{book_edition}/{book_lang}/{chapter}" if chapter else None
    if above and above not in parents:
        raise NotFoundError(
            "no_rule_in_book",
            rule=shown(chapter or ""),
            game=loaded.game,
            edition=book_edition,
            lang=book_lang,
            instead=_where_instead(loaded, chapter or ""),
        )
    group_of = _groups(parents, above)
    counts: Counter[tuple[str, str]] = Counter()
    leaving = not_loaded = 0
    for source, target, number in rule_citations(store, loaded.game, book_edition, book_lang):
        if source not in group_of:
            continue
        if target is None:
            not_loaded += number
        elif target in group_of:
            counts[group_of[source], group_of[target]] += number
        else:
            leaving += number
    nodes = store.get({*group_of.values(), *([above] if above else [])})
    chapters = sorted(set(group_of.values()), key=natural_key)
    return ChapterCitations(
        loaded.game,
        book_edition,
        book_lang,
        tuple(nodes[each] for each in chapters),
        tuple(
            ChapterCitation(nodes[source], nodes[target], number)
            for (source, target), number in sorted(counts.items(), key=_by_number)
        ),
        nodes[above] if above else None,
        leaving,
        not_loaded,
        tuple(_other_books(loaded, (book_edition, book_lang))),
    )


def _where_instead(loaded: LoadedRules, chapter: str) -> Reason:
    """Return as a message which editions have a chapter, the newest six and how many more; if none
    has it, that a number of a chapter is wanted."""
    books = [book for book in _newest_first(loaded.numbers) if chapter in loaded.numbers[book]]
    if not books:
        return Reason("give_chapter")
    named = tuple(
        Reason("argument_in", argument=Argument("edition", edition), lang=lang)
        for edition, lang in books[:_MOST_NAMED]
    )
    return Reason("chapter_is_in", books=named, more=max(0, len(books) - _MOST_NAMED))


def _other_books(loaded: LoadedRules, shown_book: tuple[str, str]) -> Iterator[LeftOut]:
    """Yield the editions and languages of a rulebook but for the one that is shown, the newest
    first; 24 at most."""
    others = [book for book in _newest_first(loaded.numbers) if book != shown_book]
    for edition, lang in others[:_MOST_ALSO]:
        reason = Reason(
            "other_book",
            again(edition=edition, lang=lang),
            lang=lang,
            loaded=describe_loaded([loaded.loaded(edition, lang)]),
        )
        yield LeftOut(f"{loaded.game}/cr/{edition}/{lang}", reason)


def _newest_first(books: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return editions in languages, the newest first and then by the language."""
    by_language = sorted(books, key=lambda book: book[1])
    return sorted(by_language, key=lambda book: edition_key(book[0]), reverse=True)


def _book(
    games: Mapping[str, LoadedRules], game: str | None, edition: str | None, lang: str | None
) -> tuple[LoadedRules, str, str]:
    """Return the rules of the game that is meant, the edition and the language: the newest edition
    that is whole; of one edition the language with most rules, and of equal ones the last by name.
    If none is whole and no edition is asked for, the book of which most rules are loaded.

    Raises QuestionError if there is no such book, or in several games.
    """
    fitting = {
        name: sorted(
            key
            for key in loaded.numbers
            if game in (None, name) and edition in (None, key[0]) and lang in (None, key[1])
        )
        for name, loaded in games.items()
    }
    found = [name for name, books in fitting.items() if books]
    if not found:
        raise QuestionError("no_such_rules", ask=Ask("stats"))
    if len(found) > 1:
        choices = tuple(again(game=name) for name in sorted(found))
        raise QuestionError("rules_of_several_games", choices=choices)
    loaded = games[found[0]]
    books = fitting[found[0]]
    whole = [book for book in books if loaded.loaded(*book).whole]
    if edition is None and not whole:
        most = max(len(loaded.numbers[book]) for book in books)
        books = [book for book in books if len(loaded.numbers[book]) == most]
    newest, chosen = max(
        whole or books,
        key=lambda book: (edition_key(book[0]), len(loaded.numbers[book]), book[1]),
    )
    return loaded, newest, chosen


def _groups(parents: Mapping[str, str | None], above: str | None) -> dict[str, str]:
    """Return {rule: the direct part of `above` that it is in, or is}, all by id, without rules that
    are in none.

    parents: {rule: the rule that it is part of}
    """
    group_of: dict[str, str] = {}
    for rule in parents:
        way: list[str] = []
        at: str | None = rule
        while at is not None and at != above and at not in group_of and at not in way:
            way.append(at)
            at = parents.get(at)
        if at == above and way:
            group_of |= dict.fromkeys(way, way[-1])
        elif at in group_of:
            group_of |= dict.fromkeys(way, group_of[at])
    return group_of


def _by_number(pair: tuple[tuple[str, str], int]) -> tuple[int, Iterable[object]]:
    (source, target), number = pair
    return -number, (natural_key(source), natural_key(target))
