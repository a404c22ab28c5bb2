"""Extracts terms from the glossary of a rulebook: its entries with their glosses."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from graphs.model import Label
from graphs.writing.page_claims import EdgeClaim, NodeClaim, PageClaims
from kb.extract.page_context import PageContext
from kb.extract.terms import qualified_label, term_id
from kb.language.fold import fold
from kb.language.glossary_heads import GlossaryHead, parse_heads
from kb.language.headwords import Headword, label_claims, labels_of
from scraper import Passage
from scraper.rulebook.numbering import parent_number
from scraper.rulebook.part_headings import part_of_heading

_BASE_RANK = 10**8  # behind the claims of wikis: a page on the term gives its usual name
_OLDER_NAME = re.compile(
    r"(?:An?|The) (?:obsolete|older|former) (?:term|name) for (?:an? |the )?(?P<name>[^.]{1,40}?)"
    r"(?: casual variant)?\."
)
_NUMBERED = re.compile(r"^(?:(\d{1,2})[.．、]|[(（](\d{1,2})[)）]|([①-⑳]))\s*")
_WORD = re.compile(r"[a-z]{4,}")
_RULE_WORDS = frozenset(  # words of any gloss: two that share them need not be related
    "rule rules section that this those when which with from into".split()
)
_Sense = tuple[str | None, list[int]]  # a number or None, and the indices of glosses


def senses(label: str, glosses: Sequence[str]) -> list[_Sense]:
    """Return the senses of an entry of an English glossary, as (number, indices of its glosses).

    The number is that of the first gloss of the sense, in digits; None if the entry has only one.
    Numbered glosses belong to several senses if one is an action and another is not, or if they
    have no words in common: a zone and the cards in it do not justify two terms. A gloss without
    a number belongs to all senses.

    label: the entry's name.
    glosses: the texts of its glosses, in order, with their numbers, such as `1. `, `(1)` or `①`.

    >>> senses("Stack", ["1. To pile cards up.", "2. A place for spells.", "See rule 9."])
    [('1', [0, 2]), ('2', [1, 2])]
    >>> senses("Den", ["1. A place for beasts.", "2. All beasts in a den."])
    [(None, [0, 1])]
    """
    numbers = [_NUMBERED.match(gloss) for gloss in glosses]
    groups: list[list[int]] = []
    for index, number in enumerate(numbers):
        if number:
            gloss = glosses[index]
            related = (group for group in groups if _same_sense(label, glosses[group[0]], gloss))
            group = next(related, None)
            if group is None:
                groups.append(group := [])
            group.append(index)
    if len(groups) < 2:
        return [(None, list(range(len(glosses))))]
    unnumbered = [index for index, number in enumerate(numbers) if not number]
    return [(_number(glosses[group[0]]), sorted(group + unnumbered)) for group in groups]


def _number(gloss: str) -> str:
    """Return the number of a numbered gloss, in digits; empty if it has none."""
    match = _NUMBERED.match(gloss)
    return unicodedata.normalize("NFKC", match[match.lastindex or 0]) if match else ""


def _same_sense(label: str, gloss: str, later_gloss: str) -> bool:
    """Return whether two numbered glosses of an entry explain the same sense: both or neither are
    actions, and they share two words, or the later one contains the entry's name.

    Only words of four letters or more count, in any case, without common ones such as `rule`. The
    name must be a whole word of the later gloss; the earlier gloss need not contain it.

    label: the entry's name.
    """
    if is_action(gloss) != is_action(later_gloss):
        return False
    shared = set(_WORD.findall(gloss.casefold())) & set(_WORD.findall(later_gloss.casefold()))
    contains_name = re.search(rf"(?i)\b{re.escape(label)}\b", _NUMBERED.sub("", later_gloss))
    return contains_name is not None or len(shared - _RULE_WORDS) > 1


def is_action(gloss: str) -> bool:
    """Return whether an English gloss explains an action: whether it begins with `To `.

    >>> is_action("1. To pile cards up."), is_action("A place for spells.")
    (True, False)
    """
    return _NUMBERED.sub("", gloss).startswith("To ")


def extract(context: PageContext, claims: PageClaims) -> None:
    """Add a term for every entry of a rulebook's glossary, or for each sense of an entry that has
    several. Its text is the definition. Pages that are no rulebooks add nothing.

    If several editions define a term, the newest describes it.
    """
    page = context.page
    if page.engine != "rulebook":
        return
    gloss_places = _gloss_places(page.passages)
    date = int(re.sub(r"\D", "", page.edition or "")[:8] or 0)  # of an edition named otherwise, 0
    # Of two languages of an edition the Japanese describes a term that both define.
    rank = context.rank(_BASE_RANK - 2 * date + (page.lang != "ja"))
    heads = parse_heads(
        [_without_number(page.passages[entry]) for entry in gloss_places],
        [[_without_number(page.passages[n]) for n in places] for places in gloss_places.values()],
        page.lang,
    )
    names = [head.headword for head in heads]
    current = {fold(name.label): name for name in names if not name.qualifier}
    for head, all_places in zip(heads, gloss_places.values(), strict=True):
        name, places = head.headword, all_places[head.glosses_of_names :]
        glosses = [_without_number(page.passages[place]) for place in places]
        _claim_older_name(context, claims, name, places[0], current)
        entry_senses: list[_Sense] = [(None, list(range(len(glosses))))]
        # Japanese and Chinese name an action otherwise than a thing (引く, ドロー), so that numbers
        # there part aspects of one sense; and English words are needed to compare glosses.
        if page.lang == "en":
            entry_senses = senses(name.label, glosses)
        for number, indices in entry_senses:
            sense_name = replace(name, qualifier=number) if number else name
            sense = replace(head, headword=sense_name)
            _claim_term(context, claims, sense, [places[index] for index in indices], rank)


def _gloss_places(passages: Sequence[Passage]) -> dict[int, list[int]]:
    """Return the places of the glosses of each entry of a rulebook, by the place of the entry.

    In a glossary that is a chapter of rules, the headings below the chapter's are the entries, and
    their glosses the rules and paragraphs directly below them.
    """
    places: dict[int, list[int]] = defaultdict(list)
    chapter: str | None = None  # the number of a glossary's heading
    entry: tuple[int, str] | None = None  # the place and number of the last heading in it
    for place, passage in enumerate(passages):
        if passage.kind == "gloss" and passage.parent is not None:
            places[passage.parent].append(place)
        elif passage.kind == "heading" and part_of_heading(passage.text) == "glossary":
            chapter, entry = passage.rule.number if passage.rule else "", None
        elif chapter == "" and passage.rule and not passage.rule.number[0].isalpha():
            chapter = None  # what follows is no glossary in an appendix with a letter
        elif (
            chapter is not None
            and passage.rule
            and parent_number(passage.rule.number) == (chapter or passage.rule.number[0])
        ):
            entry = (place, passage.rule.number) if passage.kind == "heading" else None
        elif entry and _is_directly_below(passage, *entry):
            places[entry[0]].append(place)
    return places


def _is_directly_below(passage: Passage, place: int, number: str) -> bool:
    """Return whether a passage belongs to the heading of a rule: as a rule directly below it, or as
    a paragraph or list item of it.

    place, number: the place of the heading, and the number of its rule.
    """
    if passage.rule:
        return parent_number(passage.rule.number) == number
    return passage.parent == place and passage.kind != "example"


def _without_number(passage: Passage) -> str:
    """Return the text of a passage without the number of the rule that it states."""
    return passage.text[passage.rule.text_start :] if passage.rule else passage.text


def _claim_older_name(
    context: PageContext,
    claims: PageClaims,
    name: Headword,
    place: int,
    current: Mapping[str, Headword],
) -> None:
    """Add the name of an entry as an alias of another entry, if its gloss says that it is an
    older name for that.

    place: the index of the passage with the entry's first gloss.
    current: the names of the entries without a qualifier, by their folded labels.
    """
    match = _OLDER_NAME.match(context.page.passages[place].text)
    current_name = current.get(fold(match["name"])) if match else None
    if current_name:
        alias = [Label(context.page.lang, name.label, "alias")]
        claims.labels += label_claims(
            term_id(context.game, current_name.label), alias, context.passage_ids[place]
        )


def _claim_term(
    context: PageContext, claims: PageClaims, head: GlossaryHead, places: list[int], rank: int
) -> None:
    """Add the term of one sense, which some glosses define.

    head: the entry's names; its qualifier is the number of the sense, if there are several.
    places: the indices of the passages with the glosses.
    rank: the rank of the claim; the lowest describes the term.
    """
    page, name = context.page, head.headword
    node_id = term_id(context.game, qualified_label(name))
    glosses = (_without_number(page.passages[place]) for place in places)
    text = "\n".join(glosses)[head.gloss_start :]
    node = context.make_node(node_id, "term", label=name.label, reading=name.reading, text=text)
    claims.nodes.append(NodeClaim(node, rank))
    labels = labels_of(name, page.lang)
    labels += [Label(page.lang, other, "alias") for other in head.others]
    labels += [Label("ja", head.japanese)] if head.japanese else []
    claims.labels += label_claims(node_id, labels, context.passage_ids[places[0]])
    for place in places:
        gloss = context.passage_ids[place]
        claims.edges.append(
            EdgeClaim(
                kind="defines",
                source=gloss,  # not the page, which would then connect all terms as a hub
                target=node_id,
                target_label=name.label,
                passage=gloss,
                start=0,
                end=len(page.passages[place].text),
                reason="",
            )
        )
