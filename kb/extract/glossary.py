"""Terms, from the glossary of a rulebook: an entry, and what explains it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from graphs.model import Label
from graphs.writing.claims import EdgeClaim, NodeClaim, PageClaims
from kb.extract.context import PageContext
from kb.extract.terms import labelled, term_id
from kb.language.fold import fold
from kb.language.headwords import Headword, label_claims, labels_of, parse_headword

_AFTER_WIKIS = 10**8  # what a wiki has a page on goes by that page's name
_OLDER = re.compile(
    r"(?:An?|The) (?:obsolete|older|former) (?:term|name) for (?:an? |the )?(?P<name>[^.]{1,40}?)"
    r"(?: casual variant)?\."
)
_NUMBERED = re.compile(r"^(\d)\. ")
_WORD = re.compile(r"[a-z]{4,}")
_OF_RULES = frozenset("rule rules section that this those when which with from into".split())


def senses(label: str, glosses: Sequence[str]) -> list[tuple[str | None, list[int]]]:
    """What an English entry explains, each with its first sense's number and its glosses' places.

    Numbered senses are several things if one is an action and another is none, or if they have
    no words in common; a zone and the cards in it are not worth two terms. A gloss without a
    number is of them all.

    >>> senses("Stack", ["1. To pile cards up.", "2. A place for spells.", "See rule 9."])
    [('1', [0, 2]), ('2', [1, 2])]
    >>> senses("Den", ["1. A place for beasts.", "2. All beasts in a den."])
    [(None, [0, 1])]
    """
    numbers = [_NUMBERED.match(gloss) for gloss in glosses]
    groups: list[list[int]] = []
    for place, number in enumerate(numbers):
        if number:
            same = (g for g in groups if _one_thing(label, glosses[g[0]], glosses[place]))
            group = next(same, None)
            if group is None:
                groups.append(group := [])
            group.append(place)
    if len(groups) < 2:
        return [(None, list(range(len(glosses))))]
    tail = [place for place, number in enumerate(numbers) if not number]
    return [(glosses[g[0]][0], sorted(g + tail)) for g in groups]


def _one_thing(label: str, gloss: str, other: str) -> bool:
    if is_action(gloss) != is_action(other):
        return False
    shared = set(_WORD.findall(gloss.casefold())) & set(_WORD.findall(other.casefold()))
    own = re.search(rf"(?i)\b{re.escape(label)}\b", _NUMBERED.sub("", other))
    return own is not None or len(shared - _OF_RULES) > 1


def is_action(gloss: str) -> bool:
    """Whether an English gloss says what it is to do something.

    >>> is_action("1. To pile cards up."), is_action("A place for spells.")
    (True, False)
    """
    return _NUMBERED.sub("", gloss).startswith("To ")


def extract(context: PageContext, claims: PageClaims) -> None:
    """A term for every entry of a rulebook's glossary, its text being the definition; for each
    sense of one that has several.

    The newest edition speaks for a term that several define.
    """
    page = context.page
    if page.engine != "rulebook":
        return
    glosses: dict[int, list[int]] = defaultdict(list)
    for place, passage in enumerate(page.passages):
        if passage.kind == "gloss" and passage.parent is not None:
            glosses[passage.parent].append(place)
    rank = context.rank(_AFTER_WIKIS - int(page.edition or 0))
    names = {entry: parse_headword(page.passages[entry].text) for entry in glosses}
    current = {fold(name.label): name for name in names.values() if not name.qualifier}
    for entry, places in glosses.items():
        name = names[entry]
        texts = [page.passages[place].text for place in places]
        _older(context, claims, name, places[0], current)
        every: list[tuple[str | None, list[int]]] = [(None, list(range(len(texts))))]
        for number, group in senses(name.label, texts) if page.lang == "en" else every:
            one = replace(name, qualifier=number) if number else name
            _term(context, claims, one, [places[place] for place in group], rank)


def _older(
    context: PageContext,
    claims: PageClaims,
    name: Headword,
    place: int,
    current: Mapping[str, Headword],
) -> None:
    """An entry that is an older word for another's is another name of that."""
    found = _OLDER.match(context.page.passages[place].text)
    meant = current.get(fold(found["name"])) if found else None
    if meant:
        alias = [Label(context.page.lang, name.label, "alias")]
        claims.labels += label_claims(
            term_id(context.game, meant.label), alias, context.passage_ids[place]
        )


def _term(
    context: PageContext, claims: PageClaims, name: Headword, places: list[int], rank: int
) -> None:
    page = context.page
    node_id = term_id(context.game, labelled(name))
    text = "\n".join(page.passages[place].text for place in places)
    node = context.node(node_id, "term", label=name.label, reading=name.reading, text=text)
    claims.nodes.append(NodeClaim(node, rank))
    claims.labels += label_claims(
        node_id, labels_of(name, page.lang), context.passage_ids[places[0]]
    )
    for place in places:  # the gloss itself defines: as a hub the page would join all terms
        gloss, end = context.passage_ids[place], len(page.passages[place].text)
        claims.edges.append(EdgeClaim("defines", gloss, node_id, name.label, gloss, 0, end, ""))
