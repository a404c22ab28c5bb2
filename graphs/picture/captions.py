"""What pictures say in words of their own: sentences, which a web page may have in its language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

Words = Mapping[str, str]


class Said(NamedTuple):
    """A sentence with the values of its places.

    sentence: in English, with the names of values in braces.
    values: texts, numbers, and tuples of what is said, which commas part; `kind` is one of edges.

    >>> Said("{left_out} more nodes are left out", {"left_out": 1200}).in_words({})
    '1,200 more nodes are left out'
    """

    sentence: str
    values: Mapping[str, object] = {}

    def in_words(self, words: Words) -> str:
        """Return the sentence as `words` has it, in English if it has it not, with its values in
        their places; each value is put into words itself. Raises KeyError for a place without a
        value."""
        values = {
            name: kind_in_words(str(value), words) if name == "kind" else _in_words(value, words)
            for name, value in self.values.items()
        }
        return words.get(self.sentence, self.sentence).format(**values)


def _in_words(value: object, words: Words) -> str:
    if isinstance(value, Said):
        return value.in_words(words)
    if isinstance(value, tuple):
        return comma(words).join(_in_words(each, words) for each in value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def comma(words: Words) -> str:
    """Return what stands between the parts of a list: a comma and a space, unless `words` has
    something else for these."""
    return words.get(", ", ", ")


def kind_in_words(kind: str, words: Words) -> str:
    """Return the name of a kind of nodes or edges, or of what became of a rule: as `words` has it,
    or else the kind with spaces for its underscores."""
    return words.get(kind, kind.replace("_", " "))
