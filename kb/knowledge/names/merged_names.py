"""Merges synonyms in one game: terms that share an English name, that a redirect names, or that are
one name in two spellings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Set

from graphs.writing.names_and_merges import NodeLabels, NodeName
from kb.knowledge import claim_ranks
from kb.language.fold import fold, is_japanese

# Of Japanese in a name that signs may be left out of. By hand: names of two letters that differ in
# signs are often two things.
_FEWEST_LETTERS = 3
_Key = tuple[str, str]  # a game and a folded name


def synonymous_terms(
    names: Iterable[NodeName], is_action: Callable[[str], bool | None] = lambda node: None
) -> dict[str, str]:
    """Return {id of a term to be merged: id of the term that it is merged into}, sorted by key.

    names: all names of all nodes; those of nodes other than terms are ignored.
    is_action: whether a term, given by its id, is something done; None if unknown.

    Japanese terms whose preferred names differ in nothing but what `fold` takes away (カードプール,
    カード・プール) are one, the first by id; but not names of fewer than three letters of Japanese,
    such as D・D and DD, which signs tell apart.

    A term with only an English name is merged into the Japanese term of its game that has that
    name too. A term of a third language, with an English name, is merged into that Japanese term,
    or into the only one with an English name alone. Of a term with several, such as the
    forms of a word that an entry lists, the first decides, else the others. A term whose name is a
    redirect is merged into the target, also over several steps.
    `is_action` decides where several Japanese terms share an English name (カウンター and
    打ち消す are both `counter`), or several English terms do (the senses of a glossary entry): a
    verb is the sense that is an action, a noun the sense that is not. A term that still has
    several candidates is not merged.

    English terms of different names (Enchant and Enchantment) are never merged into the same
    Japanese term, even if it has both names: only the one that is an action as it is, or is not
    as it is not.

    Of homonymous Japanese terms that their English tells apart (刻印 (Engrave)) the one is merged
    into the term of the bare name (刻印) that has this English, too.

    >>> names = [
    ...     ("mtg/term/引く", "ja", "preferred", "引く"),
    ...     ("mtg/term/引く", "en", "preferred", "draw"),
    ...     ("mtg/term/Draw", "en", "preferred", "draw"),
    ...     ("mtg/term/引く", "ja", "redirect", "どろー"),
    ...     ("mtg/term/ドロー", "ja", "preferred", "どろー"),
    ... ]
    >>> synonymous_terms(NodeName(*name) for name in names)
    {'mtg/term/Draw': 'mtg/term/引く', 'mtg/term/ドロー': 'mtg/term/引く'}
    >>> names = [("g/term/カードプール", "かーどぷーる"), ("g/term/カード・プール", "かーどぷーる")]
    >>> synonymous_terms(NodeName(node, "ja", "preferred", folded) for node, folded in names)
    {'g/term/カード・プール': 'g/term/カードプール'}
    """
    terms: set[str] = set()
    japanese: set[str] = set()
    others: set[str] = set()  # terms with a preferred name in a further language
    by_english: dict[_Key, set[str]] = defaultdict(set)
    by_alias: dict[_Key, set[str]] = defaultdict(set)  # English, too
    by_redirect: dict[_Key, set[str]] = defaultdict(set)
    by_japanese: dict[_Key, set[str]] = defaultdict(set)
    for name in names:
        game, mark, _ = name.node.partition("/term/")
        if not mark:
            continue
        terms.add(name.node)
        if name.role == "redirect":
            by_redirect[game, name.folded].add(name.node)
        elif name.role == "preferred" and name.lang == "ja":
            japanese.add(name.node)
            if name.folded == fold(name.node.partition("/term/")[2]):
                by_japanese[game, name.folded].add(name.node)
        elif name.role == "preferred" and name.lang != "en":
            others.add(name.node)
        elif name.role == "preferred":
            by_english[game, name.folded].add(name.node)
        elif name.role == "alias" and name.lang == "en":
            by_alias[game, name.folded].add(name.node)
    candidates: dict[str, set[str]] = defaultdict(set)
    english_names: dict[str, set[str]] = defaultdict(set)
    for (_, folded), nodes in by_english.items():
        for node in nodes - japanese - others:
            english_names[node].add(folded)
        english_only = nodes - japanese - others
        with_japanese = nodes & japanese
        for node in nodes & others:
            candidates[node] |= with_japanese or english_only
        if len(english_only) == 1:
            candidates[english_only.pop()] |= with_japanese
            continue
        senses = {node: is_action(node) for node in english_only}
        counts = Counter(senses.values())
        for node, action in senses.items():
            if action is not None and counts[action] == 1:
                candidates[node] |= {term for term in with_japanese if is_action(term) is action}
    for key, nodes in by_alias.items():
        entries = nodes - japanese - others
        named_so = by_english.get(key, set()) & japanese
        if len(entries) == 1 and not candidates[node := entries.pop()]:
            english_names[node].add(key[1])
            candidates[node] |= named_so
    for node in _rivals(candidates, english_names, is_action):
        candidates[node].clear()
    for (game, folded), nodes in by_english.items():
        for node in nodes & japanese:
            bare, _, qualifier = node.partition("/term/")[2].partition(" (")
            usual = f"{game}/term/{bare}"
            if fold(qualifier.removesuffix(")")) == folded and usual in nodes & japanese:
                candidates[node].add(usual)
    for (_, folded), nodes in by_japanese.items():
        if len(nodes) > 1 and sum(map(is_japanese, folded)) >= _FEWEST_LETTERS:
            first = min(nodes)
            for node in nodes - {first}:
                candidates[node].add(first)
    for node in terms:
        game, _, label = node.partition("/term/")
        candidates[node] |= by_redirect.get((game, fold(label)), set()) - {node}
    targets = {node: next(iter(nodes)) for node, nodes in candidates.items() if len(nodes) == 1}
    return {node: last for node in sorted(targets) if (last := _last(node, targets)) != node}


def _rivals(
    candidates: Mapping[str, Set[str]],
    english_names: Mapping[str, Set[str]],
    is_action: Callable[[str], bool | None],
) -> list[str]:
    """Return the English terms that must not be merged, as another one of another name would be
    merged into the same Japanese term: all such, but for the only one that is an action as that
    term is, or is not as it is not.

    candidates: the Japanese terms of the name of each English term; those with one are merged.
    english_names: the names of each English term.
    is_action: as for `synonymous_terms`.
    """
    merged: dict[str, list[str]] = defaultdict(list)
    for node, targets in candidates.items():
        if len(targets) == 1 and node in english_names:
            merged[next(iter(targets))].append(node)
    rivals: list[str] = []
    for target, nodes in merged.items():
        if any(english_names[node].isdisjoint(english_names[nodes[0]]) for node in nodes):
            action = is_action(target)
            alike = [node for node in nodes if action is not None and is_action(node) is action]
            rivals += [node for node in nodes if alike != [node]]
    return rivals


def _last(node: str, targets: dict[str, str]) -> str:
    """Return the last target of a chain that begins at a node; the node itself if it has no target,
    or the chain leads into a loop.

    targets: {id of a node: id of the next}.
    """
    seen = {node}
    end = node
    while (target := targets.get(end)) is not None:
        if target in seen:
            return node
        seen.add(target)
        end = target
    return end


def cards_that_are_terms(labels: NodeLabels) -> dict[str, str]:
    """Return {id of a card that texts only name: id of the term of that name}, sorted by key, as
    `terms_of_cards` does; empty if there are none."""
    cards = labels.claimed_at_best("card", claim_ranks.NAMED_IN_TWO_LANGUAGES, claim_ranks.NOTICE)
    if not cards:
        return {}
    terms = {card: card.replace("/card/", "/term/", 1) for card in cards}
    names = [*labels.names_of("card", cards), *labels.names_of("term", terms.values())]
    return terms_of_cards(terms, names)


def terms_of_cards(terms: Mapping[str, str], names: Iterable[NodeName]) -> dict[str, str]:
    """Return those of some cards whose term exists, and has an English name in common or none, as
    {id of the card: id of the term}, sorted by key.

    terms: {id of a card: id that the term of that name has}.
    names: all names of the cards and of the terms that exist.

    >>> names = [
    ...     NodeName("g/card/山", "en", "preferred", "mount", "Mount"),
    ...     NodeName("g/term/山", "ja", "preferred", "山", "山"),
    ... ]
    >>> terms_of_cards({"g/card/山": "g/term/山", "g/card/川": "g/term/川"}, names)
    {'g/card/山': 'g/term/山'}
    """
    english: dict[str, set[str]] = defaultdict(set)
    named = set()
    for name in names:
        named.add(name.node)
        if name.lang == "en":
            english[name.node].add(name.folded)
    return {
        card: term
        for card, term in sorted(terms.items())
        if term in named and (not english[term] or english[term] & english[card])
    }
