"""Says what to try where no passage has some words: without a filter, with a near name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from graphs.store.passage_index import ALL_PASSAGES, PassageFilter
from graphs.store.reader import Store
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.find_names import SimilarName, names_beginning, similar_names
from kb.query.lookup.passage_filters import PassageFilters, references
from kb.query.lookup.search_words import Phrase, name_query, parse_words, phrases_query
from kb.reason import Argument, LeftOut, Reason, again

_MOST_COUNTED = 1_000  # passages; whether there are more, nobody who found nothing needs to know
_MOST_NAMES = 3  # that are suggested for one word: what one sentence names
_MOST_WORDS = 4  # for which names are suggested: a line each; what more words mean is a question
_LEAST_LIKENESS = 70.0  # as `_LIKE_ENOUGH` of `find_names`, without its exception for slips
_LONGEST = 60  # characters of a word for which names are looked for; more is a sentence


@dataclass(frozen=True, slots=True)
class Suggestions:
    """What to try where nothing was found.

    near: names that are like the words, and that passages have; the likeliest first.
    hints: why these are near, and what else may help.
    also: what the filters leave out, an entry for each without which there would be passages.
    """

    near: tuple[str, ...] = ()
    hints: tuple[Reason, ...] = ()
    also: tuple[LeftOut, ...] = ()


def suggestions(
    store: Store,
    text: str,
    narrow: PassageFilter,
    filters: PassageFilters,
    command: str,
    count_lines: Callable[[PassageFilter, int], int] | None = None,
) -> Suggestions:
    """Return what to try instead of a search that found nothing: first what the filters leave out,
    alone if they do; else names like the words that no passage has, or, if each word is in some,
    how many have each. Empty for words that are signs alone.

    text: the words that were looked for; empty if filters were given alone.
    narrow: the filters as `passage_filter` returns them. filters: as the person gave them.
    command: the command that was asked, for the hints: `search` or `kwic`.
    count_lines: if the answer has lines, a function that returns how many there are with other
        filters, and at most a number; None if it has passages.
    """
    words = parse_words(text)
    query = phrases_query(words.phrases)
    if text.strip() and not query:
        return Suggestions()
    count = count_lines or partial(store.passages.count, query)
    noun = "lines" if count_lines else "passages"
    also = tuple(_without_each_filter(narrow, filters, bool(query), count, noun))
    if also or not query:
        return Suggestions(also=also)
    unknown = [p for p in words.phrases if not store.passages.frequency(phrases_query([p]), 1)]
    if not unknown:
        return Suggestions(hints=_each_alone(store, words.phrases, narrow))
    typed = [text, *(word for word in text.split() if word != text)]
    near, hints = near_names(store, typed, narrow, command)
    numbers = _each_alone(store, words.phrases, narrow) if len(words.phrases) > 1 else ()
    return Suggestions(near, (*hints, *numbers))


def near_names(
    store: Store, words: Iterable[str], narrow: PassageFilter, command: str
) -> tuple[tuple[str, ...], tuple[Reason, ...]]:
    """Return names that are like words that nothing has, in the order of the words and then the
    likeliest first, and a reason for each word that has any; both may be empty.

    Only names that some passage has are suggested, each once. Words that some passage has, of more
    than 60 characters, and after the fourth are passed over.

    words: as they were typed. narrow: which passages count.
    command: the question that is to be asked with the name; empty for none.
    """
    near: list[str] = []
    hints: list[Reason] = []
    for word in islice(words, _MOST_WORDS):
        if len(word) > _LONGEST or store.passages.frequency(name_query(word) or '""', 1):
            continue
        names = _names_for(store, word, narrow)
        new = [name for name in names if name.name not in near]
        if new:
            near += (name.name for name in new)
            hints.append(_hint(word, new, command))
    return tuple(near), tuple(hints)


def _names_for(store: Store, word: str, narrow: PassageFilter) -> list[SimilarName]:
    """Return the names that are like a word and that passages of a filter have, or begin with it,
    the likeliest first, three at most; only those that are certain, if there are any."""
    scope = Scope(game=narrow.game)
    names = [
        *similar_names(store, word, scope, _MOST_NAMES),
        *names_beginning(store, word, scope, _MOST_NAMES),
    ]
    names = list({name.name: name for name in reversed(names)}.values())[::-1]
    found = [name for name in names if _is_found(store, name.name, narrow)]
    # A word of three letters is one slip from many names that nobody means.
    found = [name for name in found if name.certainty or name.likeness >= _LEAST_LIKENESS]
    certain = [name for name in found if name.certainty]
    distinct = {name.name.casefold(): name for name in reversed(certain or found)}
    return list(distinct.values())[::-1][:_MOST_NAMES]


def _is_found(store: Store, name: str, narrow: PassageFilter) -> bool:
    query = name_query(name)
    return bool(query) and store.passages.count(query, narrow, 1) > 0


def _hint(word: str, names: Sequence[SimilarName], command: str) -> Reason:
    """Return which names are near to a word, and how, with the question to ask of the first of
    them, if there is a command. names: at least one."""
    ask = again(without=("after",), text=names[0].name) if command else None
    listed = tuple(name.name for name in names)
    if {_how(name) for name in names} != {"reading"}:
        return Reason("near", ask, typed=word, names=listed)
    return Reason("are_read" if len(names) > 1 else "is_read", ask, typed=word, names=listed)


def _how(name: SimilarName) -> str:
    """Return `reading` if a name is for certain what was typed by its reading; else empty."""
    return "reading" if name.certainty and name.how.startswith("reading") else ""


def _each_alone(
    store: Store, phrases: Sequence[Phrase], narrow: PassageFilter
) -> tuple[Reason, ...]:
    """Return one reason that says how many passages have each of some phrases by itself, of the
    first four; none for fewer than two phrases."""
    numbers = tuple(
        Reason(
            "words_in",
            words=(" " if phrase[0].isascii() else "").join(phrase),
            passages=_counted(store.passages.count(phrases_query([phrase]), narrow, _MOST_COUNTED)),
        )
        for phrase in phrases[:_MOST_WORDS]
    )
    return (Reason("each_alone", numbers=numbers),) if len(phrases) > 1 else ()


def _counted(number: int, noun: str = "passages") -> Reason:
    """Return a number of `passages` or `lines` as a message: that there are none, so many, or, from
    1,000 on, so many or more."""
    if not number:
        return Reason("no_passage")
    if number >= _MOST_COUNTED:
        return Reason("more_lines" if noun == "lines" else "more_passages", number=number)
    return Reason("lines" if noun == "lines" else "passages", number=number)


def _without_each_filter(
    narrow: PassageFilter,
    filters: PassageFilters,
    has_words: bool,
    count: Callable[[PassageFilter, int], int],
    noun: str,
) -> Iterator[LeftOut]:
    """Yield how much there is without a filter, for each without which there is anything; if for
    none, without all of them.

    has_words: whether words were looked for, too. count: returns how much there is with a filter,
    and at most a number.
    noun: what is counted, as for `_counted`.
    """
    relaxed = list(_relaxed(narrow, filters))
    given: dict[str, object] = {**filters}
    found = False
    for name, value, wider in relaxed if has_words or len(relaxed) > 1 else ():
        number = count(wider, _MOST_COUNTED)
        if number:
            found = True
            ask = again(**{name: _without(given[name], value)})
            counted, argument = _counted(number, noun), Argument(name, value)
            yield LeftOut(None, Reason("left_out_by", ask, passages=counted, filter=argument))
    if not found and len(relaxed) > 1 and has_words:
        number = count(ALL_PASSAGES, _MOST_COUNTED)
        if number:
            ask = again(without=tuple(name for name, *_ in relaxed))
            arguments = tuple(Argument(name, value) for name, value, _ in relaxed)
            counted = _counted(number, noun)
            yield LeftOut(
                None, Reason("left_out_together", ask, passages=counted, filters=arguments)
            )


def _without(given: object, gone: str) -> tuple[str, ...]:
    """Return the values of a filter without one of them; empty if it has only one value."""
    return tuple(each for each in given if each != gone) if isinstance(given, tuple) else ()


def _relaxed(
    narrow: PassageFilter, filters: PassageFilters
) -> Iterator[tuple[str, str, PassageFilter]]:
    """Yield (name of the argument, its value as it was given, the filters without it) for each that
    is given; of mentions and citations for each reference."""
    given: dict[str, Any] = {**filters}
    for name in ("game", "source", "edition", "lang", "kind", "section"):
        if given.get(name):
            without: dict[str, Any] = {name: None}
            yield name, given[name], replace(narrow, **without)
    # Each reference has its edges, in the same order.
    refs = [("mentions", ref) for ref in references(filters, "mentions")]
    refs += [("cites", ref) for ref in references(filters, "cites")]
    edges = narrow.edges
    for index, (name, ref) in enumerate(refs):
        yield name, ref, replace(narrow, edges=(*edges[:index], *edges[index + 1 :]))
