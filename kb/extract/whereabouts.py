"""Where a name may stand: the passages that have the words it can be written in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from kb.extract.mentions import spelled
from kb.words import JOINED, Words

_LONGEST = 4000  # characters of a query

Known = Callable[[Sequence[str]], Iterable[tuple[str, str, str]]]


def search(way: str, words: Known) -> str | None:
    """A full-text query that finds every passage in which a name may stand, and some others.

    way: what the name is found by, folded (`kb.extract.mentions.spelled`). It stands where words
    follow each other whose spellings or normal forms make that up.
    words: the words that passages have, of those that some pieces may be: (as spelled, normal and
    folded, normal form; that is empty where the word is not searched for).

    None if any passage may have it, or that can't be asked in short; an empty query if none has.

    >>> def words(pieces):
    ...     known = [("ひく", "引く", "引く"), ("カード", "カード", "カード"), ("を", "を", "")]
    ...     return [word for word in known if set(word[:2]) & set(pieces)]
    >>> search("カードを引く", words)
    '("カード" AND "引く")'
    >>> search("札を引く", words)
    ''
    """
    pieces = sorted({way[i:j] for i in range(len(way)) for j in range(i, len(way) + 1)})
    normal: dict[str, set[str]] = defaultdict(set)
    for as_spelled, folded, form in words([piece for piece in pieces if piece]):
        normal[as_spelled].add(form)
        normal[folded].add(form)
    return _exact(way, normal)


def searches(name: str, words: Words, known: Known) -> Iterator[str | None]:
    """Full-text queries that find every passage in which a name may stand, in whatever form: of an
    English one also any whose words have the same stems."""
    if name.isascii():
        yield _asks(name)
    for way in spelled(name, words):
        yield search(way, known)


def _exact(way: str, normal: Mapping[str, set[str]]) -> str | None:
    """From behind: what the words of each ending ask of a passage. An ending that can't be put
    together of words is not there, one that asks nothing has an empty query."""
    behind: dict[int, set[str]] = {len(way): {""}}
    for start in range(len(way) - 1, -1, -1):
        found: set[str] = set()
        for end in sorted(behind):
            for form in normal.get(way[start:end], ()):
                found |= {_both(_asks(form), rest) for rest in behind[end]}
        if found:
            behind[start] = {""} if "" in found else found
        if sum(map(len, found)) > _LONGEST:
            return None
    queries = behind.get(0, set())
    return None if "" in queries else " OR ".join(sorted(queries))


def _asks(form: str) -> str:
    """What a word asks of a passage: nothing, if it is none that is searched for."""
    if not any(map(str.isalnum, form)):
        return ""
    forms = [form, *(joined for parts, joined in JOINED.items() if form in parts)]
    quoted = ['"' + one.replace('"', '""') + '"' for one in forms]
    return quoted[0] if len(quoted) == 1 else f"({' OR '.join(quoted)})"


def _both(one: str, other: str) -> str:
    return f"({one} AND {other})" if one and other else one or other
