"""Where a name may stand: the passages that have the words it can be written in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from kb.language.tokens import JOINED, Tokenizer
from kb.resolve.mentions import search_keys

Known = Callable[[Sequence[str]], Iterable[tuple[str, str, str]]]


def passages_with_name(way: str, words: Known) -> str | None:
    """A full-text query that finds every passage in which a name may stand, and some others.

    way: what the name is found by, folded (`kb.extract.mentions.spelled`). It stands where words
    follow each other whose spellings or normal forms make that up.
    words: the words that passages have, of those that some pieces may be: (as spelled, normal and
    folded, normal form; that is empty where the word is not searched for).

    None if any passage may have it; an empty query if none has.

    >>> def words(pieces):
    ...     known = [("ひく", "引く", "引く"), ("カード", "カード", "カード"), ("を", "を", "")]
    ...     return [word for word in known if set(word[:2]) & set(pieces)]
    >>> passages_with_name("カードを引く", words)
    '("カード") AND ("引く")'
    >>> passages_with_name("札を引く", words)
    ''
    """
    pieces = sorted({way[i:j] for i in range(len(way)) for j in range(i, len(way) + 1)})
    normal: dict[str, set[str]] = defaultdict(set)
    for as_spelled, folded, form in words([piece for piece in pieces if piece]):
        normal[as_spelled].add(form)
        normal[folded].add(form)
    return _query(way, normal)


def name_queries(name: str, words: Tokenizer, known: Known) -> Iterator[str | None]:
    """Full-text queries that find every passage in which a name may stand, in whatever form: of an
    English one also any whose words have the same stems."""
    if name.isascii() and any(map(str.isalnum, name)):
        yield from _asks(name)
    for way in search_keys(name, words):
        yield passages_with_name(way, known)


def _query(way: str, normal: Mapping[str, set[str]]) -> str | None:
    """Each character of the name is part of some word: of those words, one must be there."""
    end = len(way)
    pieces = {(i, j) for i in range(end) for j in range(i + 1, end + 1) if way[i:j] in normal}
    begun, done = {0}, {end}  # up to where, from where on, words make the name up
    for i, j in sorted(pieces):
        begun |= {j} if i in begun else set()
    for i, j in sorted(pieces, key=lambda piece: -piece[1]):
        done |= {i} if j in done else set()
    if 0 not in done:
        return ""
    fitting = [(i, j) for i, j in pieces if i in begun and j in done]
    asked = set()
    for at in range(end):
        forms = {form for i, j in fitting if i <= at < j for form in normal[way[i:j]]}
        if all(any(map(str.isalnum, form)) for form in forms):  # else it may be one not asked for
            asked.add(frozenset(one for form in forms for one in _asks(form)))
    least = [words for words in asked if not any(other < words for other in asked)]
    return " AND ".join(sorted(f"({' OR '.join(sorted(words))})" for words in least)) or None


def _asks(form: str) -> Iterator[str]:
    """What to ask for that a word be there: itself, or what it is joined into."""
    for one in (form, *(joined for parts, joined in JOINED.items() if form in parts)):
        yield '"' + one.replace('"', '""') + '"'
