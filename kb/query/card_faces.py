"""What is printed on a card besides its text: cost, type, power… face by face."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_FACE_NAMES = ("name", "reading", "english")
# Details that are shown elsewhere: as the text of a node, or under a name of their own.
_NO_VALUES = frozenset(("faces", "text", "wordings", "examples", *_FACE_NAMES))


@dataclass(frozen=True, slots=True)
class CardFace:
    """What is printed on a card, or on one of its faces.

    name: of the face, in the languages that it is printed in; empty for the card itself.
    values: (what it is, in English; its value), in the order of the source.
    """

    name: str
    values: tuple[tuple[str, str], ...]


def card_faces(details: Mapping[str, Any] | None) -> tuple[CardFace, ...]:
    """Return what the details of a node say of a card, the card itself first and then its faces;
    of another node, whatever values its source gives.

    >>> card_faces({"mana_cost": "(1)(青)", "abilities": ["飛行", "警戒"]})
    (CardFace(name='', values=(('mana cost', '(1)(青)'), ('abilities', '飛行, 警戒'))),)
    """
    details = details or {}
    faces = [CardFace("", _values(details))]
    for face in details.get("faces") or ():
        if isinstance(face, Mapping):
            names = [str(face[name]) for name in _FACE_NAMES if face.get(name)]
            faces.append(CardFace(" / ".join(names), _values(face)))
    return tuple(face for face in faces if face.name or face.values)


def _values(details: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name.replace("_", " "), ", ".join(map(str, value)) if isinstance(value, list) else value)
        for name, value in details.items()
        if name not in _NO_VALUES and value and isinstance(value, str | list)
    )
