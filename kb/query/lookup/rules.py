"""Gives a rule with all its versions, as documents have it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from graphs.model import Node
from graphs.sort_orders import edition_key, language_key
from graphs.store.reader import Store
from graphs.store.rule_versions import VersionRow, merged_into, versions_of
from kb.reason import Ask, Reason
from kb.rules.change_kind_names import RENUMBERED, SAME_TEXT


@dataclass(frozen=True, slots=True)
class Version:
    """A rule in one edition and language.

    node: its id. change: what happened since the version before it in its language: a kind of
        change, `same`, `added`, `split`, or `first` if no earlier edition can tell.
    before: the number of that version, and those of rules that were merged into this one; of a
        `split` one that of the rule that it was part of; empty for `added` and `first`.
    grounds, sure: by what the version before was found to be the same rule, and how sure that is,
        from 0 to 1; None where there is none.
    removed_in: of the last version in its language, the edition that lacks the rule; None if none
        does, or nobody can say. merged_into: the id of the rule that it is in since then.
    """

    node: str
    edition: str
    lang: str
    number: str
    change: str
    before: tuple[str, ...]
    grounds: str | None
    sure: float | None
    removed_in: str | None
    merged_into: str | None


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule through all editions and languages.

    id, number: of its newest version. label: its heading in the newest version that was asked for,
        None without one.
    versions: the oldest edition first; of one edition, the languages as they are preferred.
    """

    id: str
    game: str
    number: str
    label: str | None
    versions: tuple[Version, ...]


def rules_of_nodes(store: Store, nodes: Iterable[Node]) -> tuple[Rule, ...]:
    """Return the rules of which some nodes are versions, with all their versions, in the order of
    the first node of each; nodes of other kinds are left out.

    >>> from kb import sample
    >>> [rule] = sample().show("121.4", lang="ja").rules
    >>> rule.number, [(version.lang, version.change) for version in rule.versions]
    ('121.4', [('ja', 'first'), ('en', 'first')])
    """
    first = {node.rule: node for node in reversed(list(nodes)) if node.rule}
    rows = versions_of(store, [node.id for node in first.values()])
    merged = merged_into(store, [row.id for row in rows])
    rows.sort(key=lambda row: language_key(row.lang))
    rows.sort(key=lambda row: edition_key(row.edition))
    rule_of = {row.id: row.rule for row in rows}
    found = []
    for rule, node in reversed(first.items()):
        own = (row for row in rows if row.rule == rule_of.get(node.id))
        versions = tuple(_version(row, merged.get(row.id, {}).values()) for row in own)
        number = versions[-1].number if versions else ""
        found.append(Rule(rule, node.game or "", number, node.label, versions))
    return tuple(found)


def _version(row: VersionRow, merged: Iterable[str]) -> Version:
    own = [number for number in (row.before_number, row.split_from_number) if number]
    return Version(
        row.id,
        row.edition,
        row.lang,
        row.number,
        row.change,
        tuple(dict.fromkeys([*own, *merged])),
        row.grounds,
        row.sure if row.before else None,
        row.gone_in,
        row.merged_into,
    )


def since(rows: Iterable[VersionRow], version: Node) -> Reason | None:
    """Return what became of a rule since one of its versions, in its language: that it was removed,
    merged, has other words, or else another number; None if it is as it was, or the version is the
    newest. Changes of typography and of the numbers that it cites are none.

    rows: all versions of the rule.
    """
    of_lang = [row for row in rows if row.lang == version.lang]
    if gone := gone_since(of_lang, version.lang):
        return gone
    own = edition_key(version.edition)
    later = [row for row in of_lang if edition_key(row.edition) > own]
    last = max(later, key=lambda row: edition_key(row.edition), default=None)
    if last is None:
        return None
    is_reworded = any(row.change not in SAME_TEXT | RENUMBERED for row in later)
    if last.number == version.number and not is_reworded:
        return None
    ask = Ask("show", ref=last.id)
    code = "rule_reworded_since" if is_reworded else "rule_renumbered_since"
    return Reason(code, ask, number=last.number, edition=last.edition)


def gone_since(rows: Iterable[VersionRow], lang: str | None) -> Reason | None:
    """Return that a rule is in no later edition in a language, if a build found so: that it was
    removed, or merged into another; else None. rows: all versions of the rule."""
    for row in rows:
        if row.lang == lang and row.gone and row.gone_in:
            if row.merged_into:
                ask, number = Ask("show", ref=row.merged_into), row.merged_into_number
                return Reason("rule_merged", ask, edition=row.gone_in, number=number)
            return Reason("rule_removed", edition=row.gone_in)
    return None
