"""Extracts the names that the text of a page gives in both languages: `闇の腹心/Dark Confidant`,
and in rulebooks with the English in brackets: `メインデッキ(Main Deck)`.

Wikis write names so, linked or not. Where they are linked, `links` extracts them; here are those
in quoted text, old revisions and captures that lost their links.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any, NamedTuple

from graphs.model import Label, NodeKind, kind_of_id
from graphs.writing.page_claims import EdgeClaim, NodeClaim, PageClaims
from kb.knowledge import claim_ranks
from kb.knowledge.cards import card_id
from kb.knowledge.page_subject import term_id
from kb.knowledge.prepared_page import PageContext
from kb.language.bilingual_names import BilingualName, bilingual_names, slashes
from kb.language.english_inflection import inflection_base
from kb.language.fold import fold, plain
from kb.language.headwords import label_claims
from kb.language.tokens import Tokenizer, tokenizer
from kb.language.transliteration import likeness
from scraper import Passage
from scraper.sites import site_catalogue

_PAGE_LINKS = frozenset({"page", "missing"})
# The kinds of passages whose names `page_subject` extracts, and `cards` from pages of details.
_GIVEN_BY_TERMS = frozenset({"title"})
_GIVEN_BY_CARDS = _GIVEN_BY_TERMS | {"row"}
_GIVEN_BY_GLOSSARY = _GIVEN_BY_TERMS | {"entry"}
_SKIPPED = {"wisdomguild": _GIVEN_BY_CARDS, "rulebook": _GIVEN_BY_GLOSSARY}
# Characters before the bracket that may belong to the name. By hand: rulebooks call nothing by a
# name as long; where the run of nouns is longer, it is unclear where the name begins.
_LONGEST_NAME = 30
# A name has six words at most: longer English in brackets is a remark.
_ENGLISH = re.compile(
    r"[(（]((?:[A-Z][A-Za-z'’-]+|[a-z]{1,3}(?= ))(?: [A-Za-z][A-Za-z'’-]*){0,5})[)）]"
)
_LOWER = re.compile(r"[(（]([a-z][a-z'’-]+(?: [a-z'’-]+){0,4})[)）](?=と(?:いう|は|呼)|[」』])")
_KATAKANA = re.compile(r"[ァ-ヺー・＝]+")
_PARTICLES = frozenset({"助詞", "補助記号", "空白", "接続詞"})
_FORM = re.compile("(?:ed|en|ing)$")
_SOUNDS_ALIKE = 0.7  # as `_LIKE` of `kb.language.bilingual_names`, which says what it parts


_Placed = tuple[int, BilingualName]  # and the index of the passage that has it


def extract(context: PageContext, claims: PageClaims) -> None:
    """Add the names that passages give in both languages, as names of terms or cards, and an edge
    from the passage, or the rule that it states, to each card.

    A name that the other extractors claim belongs to what they claim it for, so they come first.
    Nothing is added for names that are linked as a whole, on pages in other languages
    or of no known game, and on lists of names. Titles are left out, too, as are a rulebook's
    glossary heads and the rows of a details page. A name that occurs again adds no label again.
    """
    page = context.page
    if not context.is_game_known or page.lang != "ja" or page.engine == "namelist":
        return
    skipped = _SKIPPED.get(page.engine, _GIVEN_BY_TERMS)
    places = [
        place
        for place, passage in enumerate(page.passages)
        if passage.kind not in skipped
        and (_may_have_names(passage) or _may_have_brackets(context, passage))
    ]
    if not places:
        return
    named = _named_nodes(claims)
    english_names = {
        (claim.node, claim.folded) for claim in claims.labels if claim.label.lang == "en"
    }
    read = {(claim.node, claim.folded) for claim in claims.labels if claim.label.lang == "ja"}
    defined = {edge.target for edge in claims.edges if edge.kind == "defines"}
    known = _names_of_nodes(claims)
    bracketed = _without_words_before(list(_bracketed(context, places)))
    usual = _usual_names(page.passages, bracketed, named)
    names = [*_names(page.passages, places, known), *bracketed]
    for place, name in sorted(names, key=lambda each: fold(each[1].japanese) in usual):
        label, passage_id = plain(name.japanese), context.passage_ids[place]
        if fold(label) in usual and fold(label) not in named:
            named[fold(label)] = node = named[usual[fold(label)]]
            claims.labels += label_claims(node, [Label("ja", label, "alias")], passage_id)
        node = named.get(fold(label)) or _new_node(context, place, name)
        if node not in named.values():
            kind: NodeKind = "card" if kind_of_id(node) == "card" else "term"
            named[fold(label)] = node
            new = context.make_node(node, kind, label=label, url=None)
            claims.nodes.append(NodeClaim(new, context.rank(claim_ranks.NAMED_IN_TWO_LANGUAGES)))
            claims.labels += label_claims(node, [Label("ja", label)], passage_id)
        if name.reading and (node, fold(name.reading)) not in read:
            read.add((node, fold(name.reading)))
            claims.labels += label_claims(node, [Label("ja", name.reading, "reading")], passage_id)
        english = plain(name.english)
        if (node, fold(english)) not in english_names:
            english_names.add((node, fold(english)))
            claims.labels += label_claims(node, [Label("en", english)], passage_id)
        if kind_of_id(node) == "term" and _defines(page.passages[place].text, name):
            claims.edges.append(_definition(node, label, passage_id, page.passages[place].text))
        if kind_of_id(node) == "card" and node not in defined:
            source = context.stated_rules[place].id if place in context.stated_rules else passage_id
            claims.edges.append(_mention(node, label, source, passage_id, name))


_SAYS_WHAT_IT_IS = re.compile("(?:という(?:用語|言葉|語)(?:は|とは)|とは)")


def _defines(text: str, name: BilingualName) -> bool:
    """Return whether a sentence begins with a name in brackets and says what it is: `表向き(face
    up)という用語は…`, `ルーン(Rune)とは…`."""
    begins = not text[: name.start].strip(" 0123456789.・*") or text[: name.start].endswith("。")
    follows = _SAYS_WHAT_IT_IS.match(text, name.end)
    return begins and text[name.end - 1] in ")）" and follows is not None


def _definition(node: str, label: str, passage_id: str, text: str) -> EdgeClaim:
    """Return the edge `defines` from a passage to a term that it says the meaning of; the evidence
    is the whole passage."""
    return EdgeClaim(
        kind="defines",
        source=passage_id,
        target=node,
        target_label=label,
        passage=passage_id,
        start=0,
        end=len(text),
    )


def _mention(node: str, label: str, source: str, passage_id: str, name: BilingualName) -> EdgeClaim:
    """Return the edge `mentions` to a card, with both names as evidence and the English one in its
    details."""
    return EdgeClaim(
        kind="mentions",
        source=source,
        target=node,
        target_label=label,
        passage=passage_id,
        start=name.start,
        end=name.end,
        details={"english": name.english},
    )


def _named_nodes(claims: PageClaims) -> dict[str, str]:
    """Return {folded Japanese name: id} of the terms and cards that a page claims. Of several with
    the same name, it is the one with the name in its id, or else the first."""
    named: dict[str, str] = {}
    for claim in claims.labels:
        is_rule = "/cr/" in claim.node  # a heading names a rule, and may name a term, too
        if claim.label.lang == "ja" and claim.label.role != "reading" and not is_rule:
            in_id = fold(claim.node.rpartition("/")[2]) == claim.folded
            if in_id or claim.folded not in named:
                named[claim.folded] = claim.node
    return named


def _new_node(context: PageContext, place: int, name: BilingualName) -> str:
    """Return the id of the term or card that has a name which the page does not claim otherwise.

    It is a card if it is written as one, 《X/Y》, or if the page names cards so; otherwise a term.

    place: the index of the name's passage in the page.
    """
    is_marked = context.page.passages[place].text[: name.start].endswith("《")
    is_card = is_marked or names_cards_in_both_languages(context)
    return (card_id if is_card else term_id)(context.game, name.japanese)


def names_cards_in_both_languages(context: PageContext) -> bool:
    """Return whether a name in both languages is a card's on a page: on a MediaWiki, and wherever
    else a game is written of that has a MediaWiki in the catalogue; but not in a rulebook."""
    if context.page.engine in {"mediawiki", "rulebook"}:
        return context.page.engine == "mediawiki"
    return any(
        site.game == context.game and site.engine == "mediawiki"
        for site in site_catalogue.current().sites.values()
    )


class _LinkSpans(NamedTuple):
    """The spans of some links in a passage.

    starts: where they start, in order.
    reach: up to where they and all before them reach.
    """

    starts: list[int]
    reach: list[int]

    @classmethod
    def of(cls, passage: Passage, bilingual: bool) -> _LinkSpans:
        """Return the spans of a passage's links to pages, loaded or red.

        bilingual: whether to take only links to pages with a slash in their name.
        """
        spans = sorted(
            (link.start, link.end)
            for link in passage.links
            if link.kind in _PAGE_LINKS and ("/" in link.target or not bilingual)
        )
        return cls([start for start, _ in spans], [*accumulate((end for _, end in spans), max)])

    def overlap(self, start: int, end: int) -> bool:
        """Return whether a link starts before `end` and ends behind `start`; of an empty span,
        whether it is within a link."""
        index = bisect_left(self.starts, end)
        return index > 0 and self.reach[index - 1] > start


def _may_have_names(passage: Passage) -> bool:
    """Return whether a passage may have a name in both languages that no link covers: a slash
    between the two that is in no link to a page with a slash in its name."""
    offsets = slashes(passage.text)
    if not offsets or not passage.links:
        return bool(offsets)
    links = _LinkSpans.of(passage, bilingual=True)
    return not all(links.overlap(offset, offset + 1) for offset in offsets)


def _may_have_brackets(context: PageContext, passage: Passage) -> bool:
    """Return whether a passage may have a name with the English in brackets: only in rulebooks, as
    wikis put other things there."""
    return context.page.engine == "rulebook" and has_bracketed_names(passage.text)


def _bracketed(context: PageContext, places: Iterable[int]) -> Iterator[tuple[int, BilingualName]]:
    """Yield (index of the passage, name) for the names with the English in brackets, in order; none
    for pages other than rulebooks."""
    for place in places:
        passage = context.page.passages[place]
        if _may_have_brackets(context, passage):
            yield from ((place, name) for name in bracketed_names(passage.text, tokenizer()))


def _without_words_before(names: Sequence[_Placed]) -> Sequence[_Placed]:
    """Return names in brackets without those that end in another of the same English, as the words
    before that are none of the name: 現在ルーン(Rune) beside ルーン(Rune)."""
    given = defaultdict(set)
    for _, name in names:
        given[_base(name.english)].add(name.japanese)
    return [
        (place, name)
        for place, name in names
        if not any(
            name.japanese != other and name.japanese.endswith(other)
            for other in given[_base(name.english)]
        )
    ]


def _usual_names(
    passages: Sequence[Passage], names: Sequence[_Placed], named: Container[str]
) -> Mapping[str, str]:
    """Return {folded Japanese name: folded name that its term is called by}, of names in brackets
    whose English another name of the page has, too: what a translation calls one thing in several
    ways (ムーブ and 移動, both Move).

    A name belongs to the English that it has most often. The usual one is that of which the page
    tells more, `named`, else that of a heading, else the one given most often, or first.
    """
    pairs = [(fold(plain(name.japanese)), _base(name.english)) for _, name in names]
    counts = Counter(pairs)
    headings = {
        pair
        for (place, _), pair in zip(names, pairs, strict=True)
        if passages[place].kind == "heading"
    }
    english: dict[str, str] = {}
    for (japanese, base), _ in counts.most_common():
        english.setdefault(japanese, base)
    called: dict[str, list[str]] = defaultdict(list)
    for japanese in dict.fromkeys(japanese for japanese, _ in pairs):
        called[english[japanese]].append(japanese)
    usual: dict[str, str] = {}
    for base, group in called.items():
        best = max(
            group,
            key=lambda one: (one in named, (one, base) in headings, counts[one, base]),
        )
        usual |= {one: best for one in group if one != best}
    return usual


def _base(english: str) -> str:
    """Return what the singular and plural of an English name share; not other forms, for which the
    Japanese has names of their own: `Hide`, `Hidden`."""
    words = (word.casefold() for word in english.split())
    return " ".join(word if _FORM.search(word) else inflection_base(word) for word in words)


def _names_of_nodes(claims: PageClaims) -> dict[str, str]:
    """Return {English name: Japanese name} of the terms and cards that a page claims, as they are
    written; the Japanese one is preferred. Of several, the last counts."""
    japanese = {
        claim.node: claim.label.text
        for claim in claims.labels
        if claim.label.lang == "ja" and claim.label.role == "preferred"
    }
    return {
        claim.label.text: japanese[claim.node]
        for claim in claims.labels
        if claim.label.lang == "en" and claim.node in japanese
    }


def _names(
    passages: Sequence[Passage], places: Sequence[int], known: Mapping[str, str]
) -> Iterator[tuple[int, BilingualName]]:
    """Yield (index of the passage, name) for each name in both languages that no link covers.

    What one passage shows of a name helps in the others: where it stands alone, it is clear which
    words belong to it.

    places: the indices of the passages that may have such names.
    known: {English name: Japanese name} of the names that the page gives otherwise.
    """
    found = {
        place: [*bilingual_names(passages[place].text, tokenizer(), known)] for place in places
    }
    known = _common_endings(found.values()) | dict(known)
    for place in places:
        passage, names = passages[place], found[place]
        is_unclear = len(names) < len(slashes(passage.text))
        if is_unclear or any(known.get(n.english, n.japanese) != n.japanese for n in names):
            names = [*bilingual_names(passage.text, tokenizer(), known)]
        yield from ((place, name) for name in _unlinked(passage, names))


def _common_endings(found: Iterable[Sequence[BilingualName]]) -> dict[str, str]:
    """Return {English name: Japanese name} for the names that passages give.

    Of Japanese names that end alike, beside the same English, the shortest is the name; names that
    do not end alike are left out.
    """
    candidates: dict[str, set[str]] = defaultdict(set)
    for name in chain.from_iterable(found):
        candidates[name.english].add(name.japanese)
    shortest = {english: min(names, key=len) for english, names in candidates.items()}
    return {
        english: name
        for english, name in shortest.items()
        if all(other.endswith(name) for other in candidates[english])
    }


def _unlinked(passage: Passage, names: Iterable[BilingualName]) -> Iterator[BilingualName]:
    """Yield the names in a passage that no link to a page of such a name covers. Left out, too, are
    those in which a link ends that begins before them, as it is not cut where the name is."""
    bilingual = _LinkSpans.of(passage, bilingual=True)
    every = _LinkSpans.of(passage, bilingual=False)
    for name in names:
        if not bilingual.overlap(name.start, name.end) and not every.overlap(
            name.start, name.start
        ):
            yield name


def has_bracketed_names(text: str) -> bool:
    """Return whether a text may have a name with the English in brackets behind it.

    >>> has_bracketed_names("ルーン(Rune)を置く。"), has_bracketed_names("1枚(2枚)")
    (True, False)
    """
    return bool(_ENGLISH.search(text) or _LOWER.search(text))


def bracketed_names(text: str, tokenizer: Tokenizer) -> Iterator[BilingualName]:
    """Yield the names that a Japanese text gives with the English in brackets, in order, spans
    with the brackets. English in small letters counts only before と(いう) or a closing 」.

    The Japanese name is the run of nouns that ends at the bracket. Nothing is found where it is
    unclear where the name begins: behind a verb or an adverb, or behind の where the English has
    more words than the run, unless the two sound alike.

    >>> from kb.language.tokens import tokenizer
    >>> text = "自分のメインデッキ(Main Deck)とルーン(Rune)を置く。"
    >>> [(name.japanese, name.english) for name in bracketed_names(text, tokenizer())]
    [('メインデッキ', 'Main Deck'), ('ルーン', 'Rune')]
    """
    matches = sorted(
        (*_ENGLISH.finditer(text), *_LOWER.finditer(text)), key=lambda match: match.start()
    )
    for match in matches:
        start = _beginning_before(text, match.start(), match[1], tokenizer)
        if start is not None:
            japanese = text[start : match.start()]
            yield BilingualName(start, match.end(), japanese, match[1])


def _beginning_before(text: str, bracket: int, english: str, tokenizer: Tokenizer) -> int | None:
    """Return where the name before a bracket begins; None if that is unclear, if no noun stands
    there, or if it might begin farther away than 30 characters."""
    offset = max(0, bracket - _LONGEST_NAME)
    morphemes = list(tokenizer.tokenize(text[offset:bracket]))
    first = len(morphemes)
    while first and _is_of_name(morphemes[first - 1]):
        first -= 1
    while first < len(morphemes) and morphemes[first].surface() in "・＝":
        first += 1
    run = morphemes[first:]
    if not run or (first == 0 and offset):
        return None
    name = "".join(morpheme.surface() for morpheme in run)
    sounds = _KATAKANA.fullmatch(name) and likeness(name, english, whole=True) >= _SOUNDS_ALIKE
    if not sounds and first:
        before = morphemes[first - 1]
        if before.part_of_speech()[0] not in _PARTICLES:
            return None
        if before.surface() == "の" and len(run) < len(english.split()):
            return None
    return offset + int(run[0].begin())


def _is_of_name(morpheme: Any) -> bool:
    """Whether one of Sudachi's morphemes may belong to a name: a noun but for numbers, an
    adjectival noun, an affix, or ・ or ＝."""
    kind, surface = morpheme.part_of_speech(), str(morpheme.surface())
    if kind[0] == "名詞":
        return str(kind[1]) != "数詞"
    return kind[0] in ("接頭辞", "接尾辞", "形状詞") or surface in ("・", "＝")
