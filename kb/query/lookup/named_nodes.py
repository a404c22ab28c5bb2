"""Splits what a reference names: the nodes that are answered together, and those left out.

A reference such as `401.5` names a rule in every loaded edition and language: these are the same
thing, and are answered together. What it names besides, such as the page 引く beside the term 引く,
or the term of another game, is another thing: it is left out, and said to be.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from graphs.model import Node
from graphs.sort_orders import edition_key, in_order
from graphs.store.reader import Store
from graphs.store.rule_versions import versions_of
from kb.language.fold import fold
from kb.query.lookup.common_filters import EVERYTHING, FILTERS, Scope
from kb.query.lookup.find_by_reference import find_named, find_nodes
from kb.reason import Ask, LeftOut, Reason, again
from scraper.rulebook.numbering import parse_number

_FIRST_WORDS = 40  # characters of a rule's text: half a line of a terminal
_MOST_LEFT_OUT = 12  # things that are left out one by one; more are one entry: by hand, to be read

_Answers = Callable[[Iterable[Node]], bool]  # whether the question has an answer of some nodes
_Thing = tuple[object, ...]  # the same for nodes that are one thing in several editions


@dataclass(frozen=True, slots=True)
class NamedNodes:
    """What a reference names, split into what is answered and what is left out.

    nodes: the nodes that are one thing in several editions and languages, the likeliest first;
        at least one.
    also: the other things that the reference names, the likeliest first.
    """

    nodes: tuple[Node, ...]
    also: tuple[LeftOut, ...] = ()


def named_nodes(
    store: Store,
    ref: str,
    scope: Scope = EVERYTHING,
    has_answer: _Answers = bool,
) -> NamedNodes:
    """Return the nodes that a reference names, split into one thing and what else it names.

    The thing is the likeliest that `find_nodes` finds: a rule in all its versions, under whatever
    numbers, a page of a rulebook in all its editions, or a single term, card, page or section. A
    number means the rule that has it in the newest edition; of several games, one of which the
    question has an answer. The id of a version names that version alone.

    ref, scope: as for `find_nodes`; NotFoundError as for `find_named`.
    has_answer: whether the question that is being answered finds anything at some nodes; those of
        which it does not are to be shown, not asked about again.
    """
    nodes = find_named(store, ref, scope=scope)
    things = split_into_things(nodes)
    if len(things) > 1 and parse_number(ref) is not None:
        # A number says nothing of the game: one in which its rule has an answer comes first.
        answers = {thing[0].game: has_answer(thing) for thing in reversed(things)}
        things.sort(key=lambda thing: not answers[thing[0].game])
    answered, *others = things
    number = answered[0].number
    if answered[0].rule == ref.strip() and number:
        # Who asks for a rule by its id has looked its number up, which others may have had.
        of_game = find_nodes(store, number, replace(scope, game=answered[0].game))
        others += (
            thing
            for thing in split_into_things(of_game)
            if thing[0].rule not in (None, answered[0].rule)
            and thing[0].series == answered[0].series
        )
    if answered[0].rule and answered[0].id != ref.strip():
        answered = _all_versions(store, answered, scope)
    return NamedNodes(tuple(answered), tuple(_left_out(ref, answered, others, has_answer)))


@dataclass(frozen=True, slots=True)
class NamedThings:
    """What a reference names, when any of it will do.

    ref: the reference.
    things: the nodes of each thing in all its editions and languages, the likeliest thing first;
        at least one.
    """

    ref: str
    things: tuple[tuple[Node, ...], ...]

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes of all things; of the rules of a game that had a number in turn, only of that
        which has it in the newest edition."""
        found: list[Node] = []
        games: set[str | None] = set()
        for thing in self.things:
            if thing[0].rule and parse_number(self.ref):
                if thing[0].game in games:
                    continue
                games.add(thing[0].game)
            found += thing
        return tuple(found)

    def left_out(self, taken: Container[str]) -> Iterator[LeftOut]:
        """Yield the things that were not taken, the likeliest first.

        taken: the ids of the nodes that were; if none of these is named, all but the likeliest
            thing are yielded.
        """
        is_taken = [any(node.id in taken for node in thing) for thing in self.things]
        first = is_taken.index(True) if any(is_taken) else 0
        others = [
            list(thing)
            for index, thing in enumerate(self.things)
            if index != first and not is_taken[index]
        ]
        return _left_out(self.ref, self.things[first], others)


def named_things(store: Store, ref: str, scope: Scope = EVERYTHING) -> NamedThings:
    """Return all that a reference names, as things, the likeliest first; see `named_nodes`. Raises
    NotFoundError if it names nothing."""
    nodes = find_named(store, ref, scope=scope)
    things = split_into_things(nodes)
    return NamedThings(
        ref,
        tuple(
            tuple(
                _all_versions(store, thing, scope)
                if thing[0].rule and thing[0].id != ref.strip()
                else thing
            )
            for thing in things
        ),
    )


def split_into_things(nodes: Iterable[Node]) -> list[list[Node]]:
    """Return nodes in groups that are one thing in several editions and languages, in the order of
    the first node of each; in a group the newest edition comes first.

    The versions of a rule are one thing, whatever their numbers. Of other things there are no two
    nodes in the same edition and language. Nodes without an edition are things by themselves.

    >>> rules = [Node(f"x/{e}/5", "rule", edition=e, rule="5@2") for e in ("1", "2")]
    >>> [[node.id for node in thing] for thing in split_into_things([*rules, Node("a", "page")])]
    [['x/2/5', 'x/1/5'], ['a']]
    """
    things: dict[_Thing, list[Node]] = {}
    occurrences: dict[_Thing, int] = {}
    for node in nodes:
        thing = _thing(node)
        place = *thing, node.edition, node.lang
        occurrences[place] = occurrences.get(place, 0) + 1
        things.setdefault((*thing, occurrences[place]), []).append(node)
    return [_newest_first(thing) for thing in things.values()]


def _newest_first(thing: list[Node]) -> list[Node]:
    """Return the nodes of a thing, the newest edition first, otherwise in the order they had."""
    return sorted(thing, key=lambda node: edition_key(node.edition), reverse=True)


def _thing(node: Node) -> _Thing:
    """Return what nodes that are one thing in several editions have in common: the rule; without
    one the id, or of a node with an edition its kind, game, source, number and folded label."""
    if node.rule or node.edition is None:
        return (node.rule or node.id,)
    return node.kind, node.game, node.source, node.number, fold(node.label or "")


def _all_versions(store: Store, named: list[Node], scope: Scope) -> list[Node]:
    """Return all versions of a rule that are in a scope, the newest first, but those that a
    reference names before others of the same edition; of a scope with an edition, all versions of
    that one."""
    editions = {node.edition for node in named} if scope.edition else None
    scope = replace(scope, edition=None)  # the rules are of the editions that it admits
    versions = store.get(row.id for row in versions_of(store, [named[0].id]))
    others = [
        node
        for node_id, node in sorted(versions.items())
        if editions is None or node.edition in editions
        if scope.includes(node) and node not in named
    ]
    return _newest_first([*named, *others])


def _left_out(
    ref: str, answered: Sequence[Node], things: list[list[Node]], has_answer: _Answers = bool
) -> Iterator[LeftOut]:
    """Yield what is left out: the twelve likeliest things one by one, all others as one entry
    without a node; nothing if there are none.

    ref: the reference that names them. answered: what is not left out, the likeliest first.
    """
    for thing in things[:_MOST_LEFT_OUT]:
        is_shown = thing[0].kind == answered[0].kind and not has_answer(thing)
        yield _one_left_out(ref, answered, thing, things, is_shown)
    rest = things[_MOST_LEFT_OUT:]
    if rest:
        kinds = tuple(sorted({thing[0].kind for thing in rest}))
        yield LeftOut(
            None, Reason("more_of_name", Ask("show", ref=ref), more=len(rest), kinds=kinds)
        )


def _one_left_out(
    ref: str, versions: Sequence[Node], thing: list[Node], things: list[list[Node]], is_shown: bool
) -> LeftOut:
    """Return a thing that is left out, why, and how to ask for it.

    Another game's thing is the same question of that game, if it is the likeliest of it and nothing
    else narrowed what the reference may mean; of the end of a path, to which there may be none, it
    is shown. Anything else is asked for by its id, a rule by that of the rule through all
    editions.

    versions: what is answered, the likeliest first.
    is_shown: whether it is to be shown in any case.
    """
    answered = versions[0]
    node = thing[0]
    of_game = (other for other in things if other[0].game == node.game)
    # Which edges were asked for may not be what a node of another kind has.
    left = FILTERS if node.kind == answered.kind else (*FILTERS, "direction", "kinds")
    if node.game != answered.game:
        asked = again().arguments
        is_narrowed = any(asked.get(name) is not None for name in FILTERS if name != "game")
        is_likeliest = node.game is not None and next(of_game) is thing and not is_narrowed
        if is_shown or "start" in asked:
            ask = Ask("show", ref=node.id)
        elif is_likeliest:
            ask = again(without=left, game=node.game)
        else:
            ask = _by_id(ref, node.id, left)
        return LeftOut(node.id, Reason("of_another_game", ask, kind=node.kind))
    name = node.rule or node.id
    ask = Ask("show", ref=name) if is_shown else _by_id(ref, name, left)
    if node.rule and answered.rule and node.number == (parse_number(ref) or answered.number):
        if not any(version.lang == node.lang for version in versions):
            return number_in_language(ask, thing)
        return another_rule_of_number(ask, thing)
    if len(thing) > 1 and node.number:
        return LeftOut(node.id, Reason("in_editions", ask, kind=node.kind, editions=len(thing)))
    code = "of_name" if node.kind != answered.kind else "another_of_name"
    return LeftOut(node.id, Reason(code, ask, kind=node.kind))


def another_rule_of_number(ask: Ask, versions: Sequence[Node]) -> LeftOut:
    """Return a rule that had the number of another one, as left out by the id of its newest
    version.
    versions: those that did, the newest first; at least one."""
    editions = tuple(in_order(node.edition for node in versions if node.edition))
    words = first_words(versions[0].label or versions[0].text or "")
    reason = Reason("another_rule_of_number", ask, editions=editions, words=words)
    return LeftOut(versions[0].id, reason)


def number_in_language(ask: Ask, versions: Sequence[Node]) -> LeftOut:
    """Return the rule that has a number in another language, of which nothing says that it is the
    same one. versions: its versions there, the newest first."""
    node = versions[0]
    words = first_words(node.label or node.text or "")
    editions = tuple(in_order(each.edition for each in versions if each.edition))
    reason = Reason("number_in_language", ask, lang=node.lang, editions=editions, words=words)
    return LeftOut(node.id, reason)


def first_words(text: str) -> str:
    """Return the beginning of a text on one line, of at most 40 characters, the last … if it is
    cut, which is behind a whole word of Latin letters, if it has a space before.

    >>> first_words("Draw\\na card."), first_words("Its owner puts it in a hand, or not at all")
    ('Draw a card.', 'Its owner puts it in a hand, or not at…')
    """
    text = " ".join(text.split())
    if len(text) <= _FIRST_WORDS:
        return text
    cut, behind = text[: _FIRST_WORDS - 1], text[_FIRST_WORDS - 1]
    if behind.isascii() and behind.isalnum() and cut[-1].isascii():
        cut = cut.rpartition(" ")[0] or cut
    return f"{cut.rstrip()}…"


def _by_id(ref: str, other: str, without: tuple[str, ...]) -> Ask:
    """Return the question that is being answered, of something else (`other`) in place of a
    reference, and without some arguments; if the reference is none of its arguments, to show it."""
    asked = again(without=without)
    arguments = {name: other if value == ref else value for name, value in asked.arguments.items()}
    if other not in arguments.values():
        return Ask("show", ref=other)
    return Ask(asked.question, **arguments)
