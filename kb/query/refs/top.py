"""Ranks nodes by how often they are cited, mentioned or linked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from graphs.model import EdgeKind, Node
from graphs.sort_orders import edition_key, language_key, natural_key
from graphs.store.file.connection import batches
from graphs.store.reader import Store
from graphs.store.references import (
    Target,
    count_from_editions,
    count_references,
    count_rules,
    targets,
)
from graphs.store.rule_versions import Citing, citations_of_rules
from graphs.store.titles import inherited_headings
from kb.query.lookup.arguments import MOST_LISTED, Ranking
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.cursor import longer_list
from kb.query.lookup.find_by_reference import find_named
from kb.query.lookup.passage_places import EntryName, entry_names
from kb.query.refs.grouped_edges import text_without_mentions
from kb.reason import LeftOut, Reason, again
from kb.result import ListResult, columns

_RULEBOOK = "rulebook"  # the source of rulebooks
_EDGE_KINDS: Mapping[Ranking, EdgeKind] = {
    "cited": "cites", "mentioned": "mentions", "linked": "links_to",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RankedNode:
    """A node, and how often it is cited, mentioned or linked."""

    node: Node
    count: int


@dataclass(frozen=True, slots=True, repr=False)
class Top(ListResult[RankedNode], items="nodes", item="node"):
    """The nodes that are cited, mentioned or linked most often.

    by: what was counted: `cited`, `mentioned` or `linked`.
    nodes: the nodes with their counts, the greatest first.
    more: how to get further nodes, if there are any; else None.
    also: the editions that are not counted, what is counted otherwise where nothing was found, and
        the text in which no mentions are looked for.
    headings: for rules without a heading, that of the nearest rule above, by id.
    """

    by: Ranking
    nodes: tuple[RankedNode, ...]
    more: Reason | None = None
    also: tuple[LeftOut, ...] = ()
    headings: Mapping[str, str] = field(default_factory=dict)

    _COLUMNS = columns(
        "count kind=node.kind game=node.game lang=node.lang edition=node.edition "
        "number=node.number label id=node.id notice=node.notice",
        label=lambda found, ranked: ranked.node.label or found.headings.get(ranked.node.id),
    )

    def _about(self) -> str:
        return self.by


def top(
    store: Store, by: Ranking, most: int, kind: str | None, under: str | None, scope: Scope
) -> Top:
    """Return the nodes that are cited, mentioned or linked most often.

    by: what is counted.
    most: at most how many nodes are returned.
    kind: only nodes of this kind; None for all.
    under: only this rule and its sub-rules, by its number or heading; None for all nodes.
    scope: only nodes with these values. Without an edition, a rule that is cited counts once for
        all its versions, in all languages, by what cites any of them; and of what is mentioned or
        linked, of each game's editions only the newest counts that is there in more than a
        fragment. With one,
        nodes that have no edition, such as terms, are counted as often as this edition refers to
        them.

    Of equal counts the node of the smaller id comes first. If nothing is counted, the result is
    empty, and `also` says by which ranking there is something.

    Raises NotFoundError if `under` names nothing, QuestionError if it names no rule.
    """
    inside = _keys_under(store, under, scope) if under is not None else None
    if by == "cited" and (ranked := _cited_rules(store, kind, inside, scope, most)):
        return ranked
    editions = _Editions() if scope.edition else _choose_editions(store, scope)

    def is_of_scope(target: Target) -> bool:
        return (
            kind in (None, target.kind)
            and scope.game in (None, target.game)
            and scope.lang in (None, target.lang)
            and scope.source in (None, target.source)
            and (inside is None or target.key in inside)
        )

    def is_wanted(target: Target) -> bool:
        edition = scope.edition or editions.chosen.get(target.game)
        return target.edition in (None, edition) and is_of_scope(target)

    def find(ranking: Ranking, most: int) -> list[tuple[Target, int]]:
        counted = _counted(store, _EDGE_KINDS[ranking], scope, editions)
        return _greatest(store, counted, is_wanted, most)

    found = find(by, most + 1)
    also: list[LeftOut] = []
    if not found:
        rankings = [other for other in _EDGE_KINDS if other != by and find(other, 1)]
        also = [
            LeftOut(None, Reason(f"counted_{each}", again(by=each), kind=kind or "node", by=by))
            for each in rankings
        ]
    everywhere = (
        _sorted_counts(count_references(store.db, _EDGE_KINDS[by])) if editions.others else []
    )

    def has_any(game: str, edition: str) -> bool:
        """Return whether there is anything to count if an edition is asked for."""
        given = count_from_editions(store.db, _EDGE_KINDS[by], {(game, edition)})

        def is_of(place: tuple[str, str | None]) -> Callable[[Target], bool]:
            return lambda each: (each.game, each.edition) == place and is_of_scope(each)

        return bool(
            _greatest(store, everywhere, is_of((game, edition)), 1)
            or _greatest(store, _sorted_counts(given), is_of((game, None)), 1)
        )

    also += _other_editions(editions, has_any)
    if by == "mentioned":
        also += text_without_mentions(store, scope.game)
    return _ranked(store, by, found, most, tuple(also))


def _cited_rules(
    store: Store, kind: str | None, inside: set[int] | None, scope: Scope, most: int
) -> Top | None:
    """Return the rules that are cited most, each once for all its versions in the scope: by how
    many rules, entries of glossaries and pages. None if none is cited.

    A language of the scope says which rules are listed, and in which version: each has the same
    count as without it, by what cites it in any language.

    kind: `rule`, `document` for the rules of other documents, or None for both; None is returned
        for any other.
    inside: the keys of the rules that count; None for all.
    most: how many are listed.
    """
    if kind not in (None, "rule", "document"):
        return None
    found = list(citations_of_rules(store, _RULEBOOK))
    known = targets(store.db, {each.version for each in found})
    of_scope = {
        key
        for key, target in known.items()
        if scope.game in (None, target.game)
        and scope.source in (None, target.source)
        and scope.edition in (None, target.edition)
        and kind in (None, target.kind)
        and (inside is None or key in inside)
    }
    entries = entry_names(store, {each.passage for each in found if each.passage})
    citing: dict[int, set[object]] = defaultdict(set)
    shown: dict[int, int] = {}
    for each in found:
        if each.version not in of_scope:
            continue
        citing[each.rule].add(each.citing or _place(entries, each))
        if scope.lang in (None, known[each.version].lang):
            versions = shown.get(each.rule, each.version), each.version
            shown[each.rule] = max(versions, key=lambda key: (key == each.rule, _rank(known[key])))
    newest = {rule: known[version] for rule, version in shown.items()}
    order = sorted(shown, key=lambda rule: (-len(citing[rule]), natural_key(newest[rule].id)))
    if not order:
        return None
    ranked = [(newest[rule], len(citing[rule])) for rule in order[: most + 1]]
    counted = (known[key] for key in of_scope) if scope.edition is None else ()
    return _ranked(store, "cited", ranked, most, tuple(_counted_editions(counted)))


def _counted_editions(targets: Iterable[Target]) -> Iterator[LeftOut]:
    """Yield, of each game with rules in several editions, sorted by game, that what cites any of
    them is counted, and how to count what cites the newest alone."""
    editions: dict[str, set[str]] = defaultdict(set)
    for target in targets:
        if target.game and target.edition and target.kind == "rule":
            editions[target.game].add(target.edition)
    for game, found in sorted(editions.items()):
        if len(found) > 1:
            newest = max(found, key=edition_key)
            ask = again(game=game, edition=newest)
            reason = Reason("all_editions_counted", ask, game=game, number=len(found))
            yield LeftOut(None, reason)


def _place(entries: Mapping[str, EntryName], each: Citing) -> object:
    """Return what counts once for all editions: the entry or section of a rulebook, with its
    language, or the page of a wiki, that cites a rule."""
    if not each.passage:
        return "page", each.page
    entry = entries[each.passage]
    return entry.lang, entry.headword or entry.section


def _rank(target: Target) -> tuple[object, ...]:
    place, lang = language_key(target.lang)
    return edition_key(target.edition), -place, lang, target.id


def _counted(
    store: Store, kind: EdgeKind, scope: Scope, editions: _Editions
) -> list[tuple[int, int]]:
    """Return (key, number of edges of a kind that lead to it), the greatest number first.

    Of an edition that is asked for, all edges are counted; of nodes without an edition those from
    this edition. If none is asked for, edges from editions that were not chosen are not counted.
    """
    everything = count_references(store.db, kind)
    if scope.edition is None:
        others = {(game, edition) for game, edition, _ in editions.others}
        for key, count in count_from_editions(store.db, kind, others).items():
            everything[key] -= count
        return _sorted_counts(everything)
    of_edition = {
        (game, edition)
        for game, edition, *_ in count_rules(store.db)
        if edition == scope.edition and scope.game in (None, game)
    }
    nodes = targets(store.db, everything)
    counts = {
        key: count for key, count in everything.items() if nodes[key].edition == scope.edition
    }
    from_edition = count_from_editions(store.db, kind, of_edition).items()
    counts |= {key: count for key, count in from_edition if nodes[key].edition is None}
    return _sorted_counts(counts)


def _sorted_counts(counts: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return (key, number), the greatest number first, without those of 0."""
    pairs = [(key, count) for key, count in counts.items() if count > 0]
    return sorted(pairs, key=itemgetter(1), reverse=True)


def _greatest(
    store: Store,
    counted: Sequence[tuple[int, int]],
    is_wanted: Callable[[Target], bool],
    most: int,
) -> list[tuple[Target, int]]:
    """Return the wanted nodes with the greatest numbers, at most `most`, each with its number; of
    equal numbers by their ids.

    counted: (key, number), the greatest number first. Nodes are looked up only as far as needed.
    """
    found: list[tuple[Target, int]] = []
    for batch in batches(counted):
        if len(found) >= most and batch[0][1] < found[most - 1][1]:
            break
        nodes = targets(store.db, (key for key, _ in batch))
        found += [(nodes[key], count) for key, count in batch if is_wanted(nodes[key])]
    found.sort(key=lambda pair: (-pair[1], natural_key(pair[0].id)))
    return found[:most]


def _keys_under(store: Store, under: str, scope: Scope) -> set[int]:
    """Return the keys of a rule, in all editions and languages of the scope, and of its sub-rules.

    Raises NotFoundError or QuestionError if there is no such rule.
    """
    rules = find_named(store, under, "rule", scope=replace(scope, source=None))
    return set(store.keys(store.with_sub_rules(rule.id for rule in rules)))


@dataclass(frozen=True, slots=True)
class _Editions:
    """The edition of each game whose rules are counted, and the others.

    chosen: {game: the newest of its editions that is no mere fragment}.
    others: (game, edition, number of its rules) of all other editions, the newest first.
    """

    chosen: Mapping[str | None, str] = field(default_factory=dict)
    others: tuple[tuple[str, str, int], ...] = ()


def _choose_editions(store: Store, scope: Scope) -> _Editions:
    """Return the editions of the games, as far as they are in the scope; none if there are no
    rules.

    Of a newer edition a wiki may quote a handful of rules: an edition is a fragment if it has less
    than half as many rules as the fullest one of its game.
    """
    rules: dict[str, dict[str, int]] = {}  # {game: {edition: rules in its fullest language}}
    for game, edition, lang, number in count_rules(store.db):
        if scope.game in (None, game) and scope.lang in (None, lang):
            of_game = rules.setdefault(game, {})
            of_game[edition] = max(number, of_game.get(edition, 0))
    chosen: dict[str | None, str] = {}
    others: list[tuple[str, str, int]] = []
    for game, editions in rules.items():
        fullest = max(editions.values())
        whole = [edition for edition, number in editions.items() if 2 * number >= fullest]
        chosen[game] = max(whole, key=edition_key)
        others += [(game, *pair) for pair in editions.items() if pair[0] != chosen[game]]
    others.sort(key=lambda other: edition_key(other[1]), reverse=True)
    return _Editions(chosen, tuple(others))


def _other_editions(editions: _Editions, has_any: Callable[[str, str], bool]) -> Iterator[LeftOut]:
    """Yield the editions that are not counted and in which there is anything to count, why, and how
    to ask for them; the newest first.

    has_any: of a game and an edition, whether there is anything to count in it.
    """
    for game, edition, number in editions.others:
        if not has_any(game, edition):
            continue
        chosen = editions.chosen[game]
        is_older = edition_key(edition) < edition_key(chosen)
        code = "older_edition" if is_older else "smaller_edition"
        values = {"edition": edition, "game": game, "rules": number, "chosen": chosen}
        yield LeftOut(None, Reason(code, again(game=game, edition=edition), **values))


def _ranked(
    store: Store,
    by: Ranking,
    found: list[tuple[Target, int]],
    most: int,
    also: tuple[LeftOut, ...],
) -> Top:
    """Return the result for the nodes that were found, of which the first `most` are shown.

    found: in their order; more than `most` if there are more to ask for. `more` then asks for twice
    as many, up to the 10,000 that are listed at most; it is None if these are shown.
    """
    nodes = store.get([target.id for target, _ in found[:most]])
    without_heading = [node.id for node in nodes.values() if node.kind == "rule" and not node.label]
    return Top(
        by,
        tuple(RankedNode(nodes[target.id], count) for target, count in found[:most]),
        longer_list(2 * most, most, MOST_LISTED) if len(found) > most else None,
        also,
        inherited_headings(store.db, without_heading),
    )
