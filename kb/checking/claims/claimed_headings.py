"""Holds what a text names beside a citation or quotation against the headings of the rulebook: the
heading that it gives a rule, and the headword of a glossary before a quotation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from graphs.model import Node
from graphs.sort_orders import edition_key
from graphs.store.reader import Store
from kb.checking.claims.claim import Claim, Verdict
from kb.checking.claims.find_quotations import word_count
from kb.checking.claims.loaded_rulebooks import Rulebooks
from kb.checking.claims.match_quotation import match_exactly
from kb.checking.claims.quotation_sources import Source
from kb.language.fold import fold, is_japanese
from kb.reason import Reason
from scraper.rulebook.numbering import ends_sentence, looks_like_heading

_LONGEST = 8.0  # words of a heading, as `word_count` has them: Magic's have seven at most
_ALIKE = 70  # percent of the letters of a misspelt heading; by hand: less is another's heading
_MOST_BEFORE = 60  # characters before a quotation: what `_NAMED` takes at most, and signs around it
_FAR = 6  # passages between a headword and a sense of it; by hand: entries have few senses
# `8.9 Shift`, `8.9. Shift`, `8.9 is Shift`, `8.9 変身、`, `8.9は変身である`
_BARE = re.compile(
    r"(?:\.?(?!\s*\n\s*\n)\s+(?:is\s+)?[“\"\[]?(?P<en>[A-Z][\w'’-]*(?:(?:\s(?:of|the|an?|in|into|to|and|or|from|with))*"
    r"\s[A-Z][\w'’-]*){0,3})"
    r"|(?:\s+is\s|\.?\s)?\s*(?P<ja>[ァ-ヺ一-鿿ー]{2,12})(?=[、。，．,.;；:：)）」\]\n/]|\s|$)"
    r"|\s?は「?(?P<ja2>[ァ-ヺ一-鿿ー]{2,12})」?(?=で[すあは]|だ|。|$))"
)
# `Heap: “…”`, `Heap. “…”`, ヒープとは「…」, at the beginning of a sentence or line.
# What stands between a topic and the number of its rule.
_TOPIC_END = re.compile(
    r"(?:の[^、。，．\n]{1,12})?(?:について|に関して)?(?:は|なら)?、?[（(「【]?第?\s?"
    r"|\s?[(\[:：–—-]\s?|,? (?:see|cf\.|siehe) "
    r"|,? (?:is|are|ist|sind|was|war) (?:[a-z]+ )?(?:(?:in|under|at|by|on|unter|bei) )?"
)
_IN_COMPOUND = re.compile("[ァ-ヺー一-鿿・]")
_SHORTEST_TOPIC = 2  # letters; a single kanji is a part of too many words
_NAMED = re.compile(
    r"(?:^|[\n.。!?#*•・–—])\s*(?P<name>[A-Z][\w'’ /-]{1,40}?|[ァ-ヺ一-鿿ー・]{2,20})"
    r"(?:\s?[.:：]|とは、?)\s*$"
)


def heading_claim(
    store: Store,
    rulebooks: Rulebooks,
    heading: str,
    citation: Claim,
    meant: tuple[str, str],
    lang: str | None = None,
    is_quoted: bool = False,
) -> Claim | None:
    """Return a citation with the verdict that the heading beside it gives, unchanged if it is
    right; None if the words are no heading, or nothing can be said.

    It is compared with the headings of all versions of the rule, in whatever language.

    meant: the edition and the language of the rules that the text is about. lang: that the text
        says it cites in; None if it says nothing. is_quoted: whether the words
        stand in quotation marks directly behind the number, as only a heading does.
    """
    node = citation.node
    if node is None or node.kind != "rule" or word_count(heading) > _LONGEST:
        return None
    given = fold(heading.strip(" .,。、"))
    own = rulebooks.all_versions(node.id)
    of_number = rulebooks.all_numbered(node.game or "", node.number or "")
    if not any(looks_like_heading(_heading(rule)) for rule in (*own, *of_number)):
        return None
    called = [rule for rule in own if _is_called(rule, given)]
    if any((one.edition, one.lang) == (node.edition, node.lang) for one in called):
        return citation
    if any(one.lang != node.lang for one in called):
        is_told = citation.verdict == "not loaded" and citation.expected
        return replace(citation, verdict="repaired") if is_told else citation
    called += [one for one in of_number if one not in called and _is_called(one, given)]
    if same_lang := [one for one in called if one.lang == node.lang]:
        return _of_another_edition(store, rulebooks, given, citation, same_lang) or citation
    if called:
        return _of_another_language(rulebooks, citation, called, lang)
    if citation.verdict == "not loaded":
        return None
    is_there = citation.verdict == "exact"
    book = (node.edition or "", node.lang or "") if is_there else meant
    found = _of_another_rule(store, rulebooks, heading, citation, book)
    if not is_there:  # the heading tells better than the number which rule is meant
        return found if found and found.expected else None
    found = found or _misspelt(heading, citation, own)
    return found or (_unknown(store, heading, citation, own) if is_quoted else None)


def _heading(rule: Node) -> str:
    return rule.label or rule.text or ""


def _is_called(rule: Node, given: str) -> bool:
    """Whether a rule's heading or another of its labels is a folded name; also the heading without
    the English one in brackets behind it."""
    heading = _heading(rule)
    names = (heading, heading.partition("(")[0], *(label.text for label in rule.labels))
    return any(given == fold(name) for name in names)


def _singular(folded: str) -> str:
    """Return a folded name without an s at its end, be it of a plural or not."""
    return folded.removesuffix("s")


def _of_another_rule(
    store: Store, rulebooks: Rulebooks, heading: str, citation: Claim, book: tuple[str, str]
) -> Claim | None:
    """Return a citation whose heading is another rule's as `repaired`, with that rule's number in
    the book if it is there; unchanged where the heading is, by the names of a term, a translation
    of its own; None if no rule has it.

    book: the edition and language in which to look for it."""
    node = citation.node
    assert node
    edition, lang = book
    named = store.find_by_label(fold(heading.strip(" .,。、")))
    names = {
        (label.lang, fold(label.text))
        for term in named
        if term.kind == "term" and term.game == node.game
        for label in term.labels
        if label.role != "proposed"
    }
    if _singular(fold(_heading(node))) in {_singular(name) for of, name in names if of == lang}:
        return citation
    translated = {name for _, name in names}
    named += [rule for name in sorted(translated) for rule in store.find_by_label(name)]
    owners = [one for one in named if (one.kind, one.game) == ("rule", node.game)]
    owners.sort(key=lambda one: (one.edition == edition, one.lang == lang), reverse=True)
    there = [(number, one) for one in owners if (number := rulebooks.number_in(one, edition, lang))]
    if any(number == node.number for number, _ in there):
        return citation
    if not owners:
        return None
    number, owner = there[0] if there else (owners[0].number or "", owners[0])
    if citation.verdict != "exact" and (not there or number == citation.expected):
        return citation if there else None
    return replace(
        citation,
        verdict="repaired",
        expected=number,
        said=Reason(
            "heading_of_another",
            written=heading,
            other=number,
            edition=None if there else owner.edition,
            lang=None if there or owner.lang == lang else owner.lang,
            number=node.number,
            heading=_heading(node) if citation.verdict == "exact" else None,
        ),
    )


def _misspelt(heading: str, citation: Claim, own: Sequence[Node]) -> Claim | None:
    """Return a citation whose heading is nearly that of a version of its rule as `repaired`, with
    the heading that is most alike; None for another."""
    from rapidfuzz import fuzz

    given = fold(heading.strip(" .,。、"))
    names = {fold(_heading(rule)): _heading(rule) for rule in own}
    best = max(names, key=lambda name: fuzz.ratio(given, name))
    is_alike = fuzz.ratio(given, best) >= _ALIKE
    return _repaired(heading, citation, names[best]) if is_alike else None


def _repaired(heading: str, citation: Claim, right: str) -> Claim:
    said = Reason("heading_is", number=citation.number, heading=right, written=heading)
    return replace(citation, verdict="repaired", expected=right, said=said)


def _unknown(store: Store, heading: str, citation: Claim, own: Sequence[Node]) -> Claim | None:
    """Return a citation with a heading that no rule has: `repaired` if the heading of the rule is
    loaded in that language, else `not loaded`, as nobody can tell; None for words of the rule, and
    where either is no heading."""
    node, given = citation.node, fold(heading)
    assert node
    if not looks_like_heading(heading) or not looks_like_heading(_heading(node)):
        return None
    texts = [*own, *store.get(store.with_sub_rules([rule.id for rule in own])).values()]
    if any(given in fold(one.text or "") or fold(_heading(one)) in given for one in texts):
        return None
    lang = "ja" if is_japanese(heading) else node.lang if node.lang != "ja" else "en"
    in_lang = [rule for rule in own if rule.lang == lang and looks_like_heading(_heading(rule))]
    if in_lang:
        newest = max(
            in_lang, key=lambda one: (one.edition == node.edition, edition_key(one.edition))
        )
        return _repaired(heading, citation, _heading(newest))
    said = Reason(
        "heading_not_known", number=node.number, written=heading, heading=_heading(node), lang=lang
    )
    return replace(citation, verdict="not loaded", said=said)


def bare_heading(store: Store, text: str, end: int, citation: Claim) -> str | None:
    """Return the name that a text gives a rule behind its number, without quotation marks, if it is
    the heading of a rule of as many levels in the same game: the first words, as many as make one.
    None for other words, and of a rule without a heading.

    end: where the citation ends.
    """
    node = citation.node
    found = _BARE.match(text, end)
    if not found or not node or node.kind != "rule" or not looks_like_heading(_heading(node)):
        return None
    words = (found["en"] or found["ja"] or found["ja2"]).split()
    depth = (node.number or "").count(".")
    names = (" ".join(words[:size]) for size in range(len(words), 0, -1))
    return next(
        (
            name
            for name in names
            for rule in store.find_by_label(fold(name))
            if (rule.kind, rule.game) == ("rule", node.game)
            and (rule.number or "").count(".") == depth
            and looks_like_heading(_heading(rule))
        ),
        None,
    )


def topic_before(rulebooks: Rulebooks, text: str, start: int, citation: Claim) -> str | None:
    """Return the heading of a rule that stands beside the one cited, if the words directly before
    the number give it: `護衛は10.4節です`, `Bodyguard is in 10.4`, `Bodyguard (10.4)`. None if they
    give another name, and of a rule without a heading.

    start: where the citation begins, with words such as `rule`.
    """
    node = citation.node
    if not node or node.kind != "rule" or not looks_like_heading(_heading(node)):
        return None
    before = text[max(0, start - _MOST_BEFORE) : start]
    own = _heading(node)
    names = rulebooks.headings_beside(node.id)
    found = [name for name in names if name != own and _is_topic(name, before)]
    return max(found, key=len) if found and not _is_topic(own, before) else None


def _is_topic(heading: str, before: str) -> bool:
    """Whether words before a number name a heading and say no more of it."""
    name = heading.partition("(")[0].strip(" .。")
    place = before.rfind(name)
    if len(name) < _SHORTEST_TOPIC or place < 0:
        return False
    is_begun = place > 0 and before[place - 1].isalnum() and name[0].isascii()
    is_begun = is_begun or (place > 0 and _IN_COMPOUND.match(before[place - 1]) is not None)
    return not is_begun and _TOPIC_END.fullmatch(before, place + len(name)) is not None


def _by_version(citation: Claim, rule: Node, **changes: Any) -> Claim:
    """Return a citation as one of another version of a rule, with further changes of its fields."""
    return replace(
        citation,
        node=rule,
        edition=rule.edition,
        rule=rule.text or rule.label,
        lang=rule.lang,
        url=rule.url,
        **changes,
    )


def _of_another_language(
    rulebooks: Rulebooks, citation: Claim, called: Sequence[Node], lang: str | None
) -> Claim:
    """Return a citation whose number has the heading in another language alone, as one of the rule
    there: in the edition cited, else the newest. `repaired` with its number in the language of the
    citation if the text says it cites in that one, `other edition` if it is of an older one.

    called: the rules of the number with this heading. lang: that the text says it cites in.
    """
    node = citation.node
    assert node
    rule = max(called, key=lambda one: (one.edition == node.edition, edition_key(one.edition)))
    now = rulebooks.number_in(rule, node.edition or "", node.lang or "")
    is_wrong = bool(lang and lang != rule.lang)
    newest = rulebooks.games[node.game or ""].editions_in(rule.lang or "")[-1]
    verdict: Verdict = "repaired" if is_wrong else citation.verdict
    if rule.edition not in (node.edition, newest):
        verdict, is_wrong = "other edition", True
    return _by_version(
        citation,
        rule,
        verdict=verdict,
        expected=now if is_wrong else citation.expected,
        said=Reason(
            "heading_in_language",
            number=node.number,
            heading=_heading(rule),
            lang=rule.lang,
            edition=rule.edition,
            now=now,
            meant=node.lang if now else None,
        ),
    )


def _of_another_edition(
    store: Store, rulebooks: Rulebooks, given: str, citation: Claim, same: Sequence[Node]
) -> Claim | None:
    """Return a citation whose number has the heading only in another edition than the one cited, as
    `other edition` with where that rule went; None if it has it there, or may have, and for a
    citation that isn't `exact`.

    given: the heading, folded. same: the rules of the number with this heading, and earlier
        versions of the rule that had it, in the language of the rule.
    """
    edition, game, number = citation.edition, citation.game or "", citation.number or ""
    if citation.verdict != "exact" or edition is None or citation.node is None:
        return None
    if any(rule.edition in (None, edition) for rule in same):
        return None
    editions = list(rulebooks.games[game].editions) if game in rulebooks.games else []
    same = [rule for rule in same if rule.number == number] or same
    newest = max(same, key=lambda rule: editions.index(rule.edition or ""))
    lang = citation.node.lang
    owners = [
        rule.number
        for rule in store.find_by_label(given)
        if (rule.kind, rule.game, rule.edition, rule.lang) == ("rule", game, edition, lang)
    ]
    moved = rulebooks.number_in(newest, edition, lang or "")
    now = next((one for one in owners if one), moved)
    heading_now = _heading(citation.node)
    is_renamed = now == number
    if is_renamed:
        went = Reason("is_headed", heading=heading_now)
    elif now:
        went = Reason("is_there", number=now)
    else:
        went = rulebooks.absence(newest, edition)
    return _by_version(
        citation,
        newest,
        verdict="other edition",
        expected=heading_now if is_renamed else now,
        renumbered=None if is_renamed else now,
        said=Reason(
            "heading_in_edition",
            number=number,
            heading=_heading(newest),
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
    """Return the headword of a passage of a glossary: the last of the six passages before it that
    is no sentence; None without one, and if it isn't the name of a rulebook's term."""
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
