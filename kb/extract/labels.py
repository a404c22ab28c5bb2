"""The names that a page gives to what it speaks of."""

from __future__ import annotations

from collections.abc import Iterable

from graphs.facts import LabelClaim
from graphs.model import Label, Role
from kb.fold import fold
from kb.names import Name


def labels_of(name: Name, lang: str = "ja", role: Role = "preferred") -> list[Label]:
    """A name as labels: the word itself, its English, its reading. `role` is the word's.

    >>> [label.text for label in labels_of(Name("引く", "ひく", "Draw"))]
    ['引く', 'Draw', 'ひく']
    """
    labels = [Label(lang, name.label, role)]
    labels += [Label("en", name.english)] if name.english else []
    labels += [Label("ja", name.reading, "reading")] if name.reading else []
    return labels


def named(node: str, labels: Iterable[Label], passage: str) -> list[LabelClaim]:
    """That a passage gives a node these names, each once."""
    return [LabelClaim(node, one, fold(one.text), passage) for one in dict.fromkeys(labels)]
