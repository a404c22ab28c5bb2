"""Says what rules of older editions are today: their numbers, whether they are gone, and what has
their numbers now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from graphs.model import Node
from graphs.sort_orders import edition_key
from graphs.store.reader import Store
from graphs.store.rule_versions import VersionRow, versions_of
from kb.result import Result


@dataclass(frozen=True, slots=True, repr=False)
class PresentRule(Result):
    """The newest version of a rule of which an older one is read.

    of, was: the edition and the number of the older one.
    id, number, edition, lang: of the newest version, in the language of the older one if it is
        there.
    gone_in: the edition in which the rule is no more, if it was removed or merged since; then `id`
        is its last version.
    other: the rule that has the number of the older one in the newest edition, if that is another
        one; None if there is none.
    """

    of: str
    was: str
    id: str
    number: str
    edition: str
    lang: str
    gone_in: str | None
    other: Node | None


def present_rules(
    store: Store, rules: Iterable[str], *, same_language: bool = False
) -> dict[str, PresentRule]:
    """Return {id of a rule: what it is today} of those that are of an older edition; a few queries
    for all together. Ids of anything else, and rules of which no newer version is loaded and that
    are not known to be gone, are left out.

    same_language: whether only editions in the language of the older one count.
    """
    wanted = list(dict.fromkeys(rules))
    of_rule: dict[str, list[VersionRow]] = defaultdict(list)
    for row in versions_of(store, wanted):
        of_rule[row.rule].append(row)
    by_id = {row.id: row for rows in of_rule.values() for row in rows}
    pairs = [
        (old, _newest(rows, old.lang))
        for each in wanted
        if (old := by_id.get(each))
        for rows in [
            [row for row in of_rule[old.rule] if not same_language or row.lang == old.lang]
        ]
    ]
    pairs = [(old, new) for old, new in pairs if new.gone_in or new.edition != old.edition]
    same_numbers = store.get({_same_number(old, new) for old, new in pairs})
    found = {}
    for old, new in pairs:
        other = same_numbers.get(_same_number(old, new))
        if other and any(other.id == row.id for row in of_rule[old.rule]):
            other = None
        found[old.id] = PresentRule(
            old.edition, old.number, new.id, new.number, new.edition, new.lang, new.gone_in, other
        )
    return found


def _newest(versions: Iterable[VersionRow], lang: str) -> VersionRow:
    """Return the newest of some versions of a rule, of one edition that in a language."""
    return max(versions, key=lambda row: (edition_key(row.edition), row.lang == lang, row.lang))


def _same_number(old: VersionRow, new: VersionRow) -> str:
    """Return the id of the rule that has an old version's number in the newest edition."""
    book = new.id.removesuffix(f"/{new.edition}/{new.lang}/{new.number}")
    return f"{book}/{new.gone_in or new.edition}/{new.lang}/{old.number}"
