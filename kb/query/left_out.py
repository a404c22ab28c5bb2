"""The LeftOut class: what a reference also names, and an answer leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that a reference also names, and that an answer leaves out.

    id: of the node; or the edition or language, in words.
    why: the reason.
    how: the option or command that gives it.

    Both are messages whose parts are known (see `kb.message`), so that each door has a way of its
    own to say them; of a plain text the doors know nothing.
    """

    id: str
    why: str
    how: str

    def as_json(self) -> dict[str, str]:
        """Return the three fields by their names.

        >>> LeftOut("mtg/cr/20220218/ja/121.4", "an older edition", "--edition 20220218").as_json()
        {'id': 'mtg/cr/20220218/ja/121.4', 'why': 'an older edition', 'how': '--edition 20220218'}
        """
        return {"id": self.id, "why": self.why, "how": self.how}


def left_out_as_json(left_out: Iterable[LeftOut]) -> list[dict[str, str]]:
    """Return the value of the key `also` in a JSON document: the fields of each, in order.

    >>> left_out_as_json(())
    []
    """
    return [each.as_json() for each in left_out]
