"""Holds what a text names beside a citation or quotation against the headings of the rulebook: the
heading that it gives a rule, and the headword of a glossary before a quotation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from graphs.edition_order import edition_key
from graphs.model import Node
from graphs.store.reader import Store
from kb.checking.claims.claim import Claim
from kb.checking.claims.find_quotations import word_count
from kb.checking.claims.match_quotation import match_exactly
from kb.checking.claims.quotation_sources import Source
from kb.checking.claims.rulebooks import Rulebooks
from kb.language.fold import fold
from kb.reason import Reason
from scraper.rulebook.numbering import ends_sentence, looks_like_heading

_LONGEST = 8.0  # words
_ALIKE = 70  # percent of the letters of a heading that is misspelt
_MOST_BEFORE = 60  # characters before a quotation
_FAR = 6  # passages between a headword and a sense of it
_NAMED = re.compile(
    r"(?:^|[\n.。!?#*•・–—])\s*(?P<name>[A-Z][\w'’ /-]{1,40}?|[ァ-ヺ一-鿿ー・]{2,20})"
    r"(?:\s?[.:：]|とは、?)\s*$"
)


def heading_claim(
    store: Store, rulebooks: Rulebooks, heading: str, citation: Claim, sure: bool
) -> Claim | None:
    """Return a citation with the verdict that the heading beside it gives; None if the words are
    no heading, or nothing can be said.

    sure: whether the words surely belong to the citation.
    """
    node = citation.node
    if node is None or not sure or word_count(heading) > _LONGEST:
        return None
    rules = rulebooks.all_numbered(node.game or "", node.number or "")
    headings = {
        rule.lang: name
        for rule in rules
        for name in (rule.label or rule.text or "",)
        if name and looks_like_heading(name)
    }
    if not headings:
        return None
    given = fold(heading.strip(" .,。、"))
    names = {fold(name): name for name in headings.values()}
    same = [
        rule
        for rule in rules
        if given == fold(rule.label or rule.text or "")
        or any(given == fold(label.text) for label in rule.labels)
    ]
    if same:
        return _of_another_edition(store, rulebooks, given, citation, same) or citation
    if citation.verdict != "exact":
        return None
    named = store.find_by_label(given)
    # A heading that is loaded in another language alone is known by the names of its term.
    translated = {
        fold(label.text)
        for term in named
        if term.kind == "term" and term.game == node.game
        for label in term.labels
        if label.lang == node.lang and label.role != "proposed"
    }
    if fold(node.label or node.text or "") in translated:
        return citation
    named += [rule for name in sorted(translated) for rule in store.find_by_label(name)]
    owners = [
        rule
        for rule in named
        if rule.kind == "rule" and rule.game == node.game and rule.number != node.number
    ]
    shown = node.label or headings.get(node.lang) or next(iter(headings.values()))
    if owners:
        newest = max(
            owners, key=lambda rule: (rule.edition == node.edition, edition_key(rule.edition))
        )
        return replace(
            citation,
            verdict="repaired",
            expected=newest.number,
            said=Reason(
                "heading_of_another",
                written=heading,
                other=newest.number,
                number=node.number,
                heading=shown,
            ),
        )
    from rapidfuzz import fuzz

    if max(fuzz.ratio(given, name) for name in names) >= _ALIKE:
        return replace(
            citation,
            verdict="repaired",
            expected=shown,
            said=Reason("heading_is", number=node.number, heading=shown, written=heading),
        )
    return None


def _of_another_edition(
    store: Store, rulebooks: Rulebooks, given: str, citation: Claim, same: Sequence[Node]
) -> Claim | None:
    """Return a citation whose number has the heading only in another edition than the one cited;
    None if it has it there, or may have.

    given: the heading, folded. same: the rules of the number with this heading.
    """
    edition, game, number = citation.edition, citation.game or "", citation.number or ""
    if citation.verdict != "exact" or edition is None:
        return None
    for rule in same:
        if rule.edition in (None, edition):
            return None
    editions = rulebooks.games[game].editions if game in rulebooks.games else ()
    newest = max(same, key=lambda rule: list(editions).index(rule.edition or ""))
    moved = rulebooks.successor(game, newest.edition or "", edition, number)
    owners = [
        rule.number
        for rule in store.find_by_label(given)
        if (rule.kind, rule.game, rule.edition) == ("rule", game, edition)
    ]
    now = next((one for one in owners if one), moved)
    is_renamed = now == number  # or has the heading there, too, in a language not asked for
    if is_renamed and owners:
        return None
    heading = newest.label or newest.text
    heading_now = (citation.node.label or citation.node.text) if citation.node else None
    if is_renamed:
        went = Reason("is_headed", heading=heading_now)
    elif now:
        went = Reason("is_there", number=now)
    else:
        went = rulebooks.absence(game, newest.edition or "", edition)
    return replace(
        citation,
        verdict="other edition",
        expected=heading_now if is_renamed else now,
        renumbered=None if is_renamed else now,
        node=newest,
        edition=newest.edition,
        rule=newest.text or newest.label,
        lang=newest.lang,
        url=newest.url,
        said=Reason(
            "heading_in_edition",
            number=number,
            heading=heading,
            edition=newest.edition,
            meant=edition,
            went=went,
        ),
    )


def name_before(text: str, start: int) -> str | None:
    """Return what is named directly before a quotation, to be explained by it; None if nothing is.

    start: where the quotation begins.

    >>> name_before("Heap: “where cards lie”", 6), name_before("It says “draw”", 8)
    ('Heap', None)
    """
    begin = max(0, start - _MOST_BEFORE)
    found = _NAMED.search(text[begin:start])
    return found["name"].strip() if found else None


def other_headword(
    store: Store, name: str, quotation: str, sources: Sequence[Source]
) -> tuple[str, str] | None:
    """Return (headword whose words are quoted, what the glossary says of the one that is named);
    None if the words are of the one named, or nothing can be said.

    sources: of the same words, best first.
    """
    best = sources[0].node
    if best.kind != "passage" or best.source != "rulebook":
        return None
    entries = [
        node
        for node in store.find_by_label(fold(name))
        if node.kind == "term" and (node.source, node.game) == (best.source, best.game)
    ]
    texts = [node.text for node in entries if node.text and node.lang == best.lang]
    if not texts or any(match_exactly(quotation, text) for text in texts):
        return None
    headwords = [_headword(store, one.node.id) for one in sources if one.node.kind == "passage"]
    if not headwords[0] or any(one and fold(one) == fold(name) for one in headwords):
        return None
    return headwords[0], texts[0]


def _headword(store: Store, passage: str) -> str | None:
    """Return the headword of a passage of a glossary: the last one before it that is no sentence;
    None without one."""
    before = store.passages.preceding([passage], _FAR)[passage]
    texts = store.passages.texts(before)
    for one in before:
        words = texts[one].text.strip() if one in texts else ""
        if words and not ends_sentence(words):
            is_headword = any(
                node.kind == "term" and node.source == "rulebook"
                for node in store.find_by_label(fold(words))
            )
            return words if is_headword else None
    return None
