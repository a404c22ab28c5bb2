"""Tells the arguments in the warnings that a file keeps, which are texts there.

A parser asks for a hint in a sentence of its own, such as "say which with game=…". Only a warning
that is such a sentence from its beginning to its end is taken for one: any other may hold the words
of a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.message import Argument, Message, Value

_NAMES = r"[0-9,]+ \((?:“[^”=]*”(?:, …)?(?:, )?)+\)"  # of a list, and how many
_SAY_IT = r'say it with names="terms" or names="cards"'
_ASKING = tuple(
    re.compile(sentence)
    for sentence in (
        r"a (?:page of no site|text of no kind) that sansho knows; left out \(hint: site=…\)",
        r'a page of a wiki, not a rulebook; left out \(it is read without site="rulebook"\)',
        r"no game is named in front of the rules; say which with game=…, or in the manifest",
        r"(?:no date of the edition was found in the text|the date [\w ./,-]{1,60} may be read in "
        r"several ways); name its edition with edition=…, or in the manifest",
        r"no game is known for this list: what it names stands under the name of the list instead "
        r"of a game's, and meets nothing; build it with game=…, or name the game in its manifest",
        rf"nothing says what its [0-9,]+ names are of; judged by those that other pages know, they "
        rf"are names of (?:terms|cards)(?:; {_NAMES} that no page has as terms are left out)?; "
        rf"{_SAY_IT}",
        rf"nothing says whether its {_NAMES} are names of cards or of terms; they are looked up as "
        rf"cards(?:, but for {_NAMES} that pages have as terms)?, and no termbase and no check "
        rf"uses them; {_SAY_IT}",
    )
)
_ARGUMENT = re.compile(r'([a-z]+)=(?:…|"([a-z]+)")')


def with_arguments(what: str) -> Message:
    """Return what a warning says, with its arguments known where it asks for a hint.

    >>> with_arguments("a text of no kind that sansho knows; left out (hint: site=…)").parts[1]
    Argument('site', Ellipsis)
    """
    if not any(sentence.fullmatch(what) for sentence in _ASKING):
        return Message(Value(what))
    return Message(*_parts(what))


def _parts(sentence: str) -> Iterator[str | Argument]:
    """Yield the words of a sentence and the arguments between them."""
    end = 0
    for found in _ARGUMENT.finditer(sentence):
        yield sentence[end : found.start()]
        yield Argument(found[1], found[2] or ...)
        end = found.end()
    yield sentence[end:]
