"""Extracts terms that a page names in its text, its lists of words and its rule headings.

A page defines more terms than the one in its title. The text names a term in one of these forms:
`「X/English」`, `X/Englishと呼ぶ`, `「X」と呼ばれる`, `「X」とは`, `Xとは` at the beginning of a
rule, `Xのことを「Y」という`, and on cards a type with its English, `天使(Angel)`. The entries of a
list with glosses and the headings of a Japanese rulebook are terms, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graphs.model import Label
from graphs.writing.page_claims import EdgeClaim, NodeClaim, PageClaims
from kb.knowledge import claim_ranks
from kb.knowledge.names.names_in_two_languages import names_cards_in_both_languages
from kb.knowledge.page_subject import subject_of, term_id
from kb.knowledge.prepared_page import PageContext
from kb.language.bilingual_names import is_title
from kb.language.citations.citation_grammar import is_citation
from kb.language.fold import fold, is_japanese
from kb.language.headwords import Headword, label_claims, labels_of, parse_headword
from kb.language.sentences import sentences
from scraper import Passage
from scraper.sites.games import ANY_MENTIONED, GAMES

# The patterns. Their groups: `ja`, the name; `en`, its English; `other`, another name. Of names of
# terms 20 to 30 characters are looked at (60 in English): longer ones are clauses.
_NAME = r"[^\s、。,.:：;!?！？「」『』“”()（）《》〔〕【】/／]"
_ENGLISH = r"[A-Za-z][A-Za-z0-9 '’,\-]{1,60}"
_CALLED = r"と(?:も|は|して)?(?:呼[ばびぶべん]|称[さしす])"
_OR = r"(?:[(（](?:または|又は|もしくは|あるいは|略して)「?(?P<other>{name}{{1,25}})」?[)）])?"
_QUOTED_PAIR = re.compile(rf"[「『“](?P<ja>{_NAME}{{1,30}})\s?[/／]\s?(?P<en>{_ENGLISH})[」』”]")
_CALLED_PAIR = re.compile(
    rf"(?:^|[、。\s「『])(?P<ja>{_NAME}{{1,30}})\s?[/／]\s?(?P<en>{_ENGLISH}){_CALLED}"
)
_CALLED_NAME = re.compile(
    rf"[「『“](?P<ja>{_NAME}{{2,30}})[」』”]{_OR.format(name=_NAME)}{_CALLED}"
)
_IS_CALLED = re.compile("と(?:は|も|い[うわ]|言|呼|称|し|名)")
_MEANS = re.compile(rf"[「『“](?P<ja>{_NAME}{{2,20}})[」』”]とは")
_OPENING = re.compile(
    r"(?P<ja>[^\s、。「」（）()をがはにでもへの]{2,20}?)(?<!こ)とは(?!い|言|異|違|別|関係|限)"
)
_ALSO_CALLED = re.compile(
    rf"^[\s\u3000]*「?(?P<ja>{_NAME}{{2,20}}?)」?の(?:こと|事)を、?「(?P<other>{_NAME}{{2,20}})」と"
)
_NAMING_PATTERNS = (_QUOTED_PAIR, _CALLED_PAIR, _CALLED_NAME, _MEANS, _ALSO_CALLED)
_ALIAS = re.compile(rf"(?:^|[、。\s])「?(?P<other>{_NAME}{{2,20}}?)」?とも(?:呼|言|い[うわ]|。|$)")
_CARD_TYPE = re.compile(
    r"(?P<ja>[ァ-ヶー]{2,20}|[一-鿿々]{1,8}|(?<=[・—])[^\s・—()（）、。：をがはのとか]{1,12})"
    r"[(（](?P<en>[A-Za-z][A-Za-z' \-]{1,40})[)）]"
)
# Only texts with one of these signs can match _NAMING_PATTERNS.
_SIGNS = re.compile(r"[「『“/／]|とは|とも")
_GENERIC_HEADINGS = frozenset(
    "総則 原則 概要 一般 序文 目次 附則 付則 用語集 索引 更新履歴 改訂履歴 謝辞".split()
)
_TYPE_ROWS = ("タイプ\t", "テキスト\t")  # the rows of a card's table that name types
_LONGEST_ENTRY = 30  # characters; a longer entry is no name, as in the patterns above
# Not a name: what begins with a demonstrative, or in the middle of a phrase.
_NO_NAME = re.compile(r"(?:そ[のれ]|こ[のれ]|あの|ある|どの|あなた|[にをがはへと])")
# Behind the name of a game: では「name」と呼ばれる. Bounded, so that a text that says the game's
# name again and again takes time by its length; sentences seldom have 200 characters between.
_CALLED_THERE = (
    r"(?:において)?では[^「」]{0,200}「(?P<name>[^「」]{1,20})」"
    r"(?:で(?:統一|表記|表現)され|(?:と|とも)(?:呼ば?[ぶれ]|称[さす]|表記|表現|言[いうわ]|い[いうわ])"
    r"|に(?:相当|あた|当た))(?!.{0,6}ない)"
)


@dataclass(frozen=True, slots=True)
class NamedTerm:
    """A term that a text names.

    name: the name, with its English if that stands beside it.
    start, end: the span of the name in the text; the English name is part of it.
    others: other names of the term.
    defines: whether the text defines the term.
    """

    name: Headword
    start: int
    end: int
    others: tuple[str, ...] = ()
    defines: bool = False


def named_terms(text: str, begin: int = 0, rule: bool = False) -> Iterator[NamedTerm]:
    """Yield the terms that a text names, in the order of the patterns, not of the text.

    Only Japanese names are found. `start` and `end` of a term are offsets in `text`. One place
    comes once, by the first pattern that matches, except the opening of a rule, which another
    pattern may match again.

    begin: where to start, as an offset in `text`: behind the number, if the text is a rule.
    rule: whether the text is a rule. A rule may define a term by its opening, `Xとは`.

    >>> [(n.name.label, n.name.english) for n in named_terms("これを「青い札/blue card」という。")]
    [('青い札', 'blue card')]
    >>> [(n.name.label, n.others) for n in named_terms("これは「札の掟」(または掟)と呼ばれる。")]
    [('札の掟', ('掟',))]
    >>> [n.name.label for n in named_terms("二人戦とは、二人で戦うこと。", rule=True)]
    ['二人戦']
    """
    if rule and (match := _OPENING.match(text, begin)) and not _NO_NAME.match(match["ja"]):
        yield _named_term(match, defines=True)
    if not _SIGNS.search(text, begin):
        return
    seen: set[int] = set()  # where the names start
    for pattern in _NAMING_PATTERNS:
        for match in pattern.finditer(text, begin):
            if match.start("ja") in seen or _NO_NAME.match(match["ja"]):
                continue
            if is_japanese(match["ja"]):
                seen.add(match.start("ja"))
                yield _named_term(match, defines=pattern is _MEANS)


def _named_term(match: re.Match[str], defines: bool = False) -> NamedTerm:
    """Return the term that a pattern matches. The pattern's groups are `ja`, the name, and where
    it has them `en`, the English name, and `other`, another name.

    The span begins at the name and ends behind the English name if there is one, else behind the
    name. White space, commas and hyphens around the English name are left out.

    defines: whether the text defines the term, for the result's field `defines`.
    """
    groups = match.groupdict()
    english, other = groups.get("en"), groups.get("other")
    english = None if english and is_citation(english) else english
    return NamedTerm(
        name=Headword(groups["ja"], english=english.strip(" ,-") if english else None),
        start=match.start("ja"),
        end=match.end("en") if english else match.end("ja"),
        others=(other,) if other else (),
        defines=defines,
    )


def extract(context: PageContext, claims: PageClaims) -> None:
    """Add the terms that the text, the lists of words and the headings of a Japanese page name.

    Pages in other languages, of no known game, or that are lists of names add nothing.
    """
    page = context.page
    if page.game is None or page.lang != "ja" or page.engine == "namelist":
        return
    for place, passage in enumerate(page.passages):
        terms: Sequence[NamedTerm] = ()
        if passage.kind in {"paragraph", "item", "quote", "gloss", "example"}:
            rule = context.stated_rules.get(place)
            text_start = rule.text_start if rule else 0
            terms = list(named_terms(passage.text, text_start, rule is not None and rule.states))
        elif passage.kind in {"row", "note"} and context.game == "mtg":
            terms = list(_card_types(passage))
        for term in terms:
            if not _is_in_card_link(passage, term) and not _is_card(context, passage, term):
                _claim(context, claims, place, term, claim_ranks.NAMED_IN_TEXT)
    _claim_entries(context, claims)
    _claim_headings(context, claims)


def _card_types(passage: Passage) -> Iterator[NamedTerm]:
    """Yield the card types that a card's table or text names with their English.

    A row of a table names types only if it is the one headed タイプ or テキスト. In order; a type
    that is named twice comes twice.

    >>> row = Passage("row", "タイプ\\tクリーチャー — 岩(Rock)・空飛ぶ者(Flyer)")
    >>> [(n.name.label, n.name.english) for n in _card_types(row)]
    [('岩', 'Rock'), ('空飛ぶ者', 'Flyer')]
    """
    if passage.kind == "row" and not passage.text.startswith(_TYPE_ROWS):
        return
    for match in _CARD_TYPE.finditer(passage.text):
        yield _named_term(match)


def _is_in_card_link(passage: Passage, term: NamedTerm) -> bool:
    """Return whether a term's name overlaps a link to a card: on MTG Wiki, to `X/English`.

    A link counts, to a loaded page or a red one, if there is a slash in the name of its target.

    passage: the passage whose text names the term, as the term's span is one in that text.
    """
    return any(
        link.kind in {"page", "missing"}
        and "/" in link.target
        and link.start < term.end
        and term.start < link.end
        for link in passage.links
    )


def _is_card(context: PageContext, passage: Passage, term: NamedTerm) -> bool:
    """Return whether a term is rather a card, which `names_in_two_languages` adds: a quotation of a
    name in both languages, written as titles are, behind which nothing says that something is
    called so.

    passage: the passage whose text names the term.
    """
    english = term.name.english
    return (
        english is not None
        and is_title(english)
        and passage.text[: term.start].endswith(("「", "『", "“"))
        and not _IS_CALLED.match(passage.text, term.end + 1)
        and names_cards_in_both_languages(context)
    )


def _claim_entries(context: PageContext, claims: PageClaims) -> None:
    """Add the entries of a wiki's list of words as terms, with their glosses as text.

    Nothing is added for a rulebook. Glosses without `。` are skipped, and so are entries that are
    too long, have one character only, or contain white space or punctuation. Names before とも呼ぶ
    and the like in the gloss become other names of the term.
    """
    passages = context.page.passages
    if context.page.engine == "rulebook":
        return  # `glossary` extracts the entries of rulebooks
    for passage in passages:
        if passage.kind != "gloss" or passage.parent is None or "。" not in passage.text:
            continue
        entry = passages[passage.parent].text.strip()
        name = parse_headword(entry)
        if len(entry) > _LONGEST_ENTRY or not re.fullmatch(rf"{_NAME}{{2,}}", name.label):
            continue
        term = NamedTerm(
            name,
            start=0,
            end=len(passages[passage.parent].text),
            others=tuple(match["other"] for match in _ALIAS.finditer(passage.text)),
        )
        _claim(context, claims, passage.parent, term, claim_ranks.NAMED_IN_TEXT, passage.text)


def _claim_headings(context: PageContext, claims: PageClaims) -> None:
    """Add the headings of a Japanese rulebook as terms; nothing for other pages.

    Left out are phrases, headings that occur twice, and those that any book has, such as 総則
    (`_GENERIC_HEADINGS`).

    A qualifier in the heading becomes another name of the term, its English name if it is Latin.
    """
    page = context.page
    if page.engine != "rulebook":
        return
    names = {
        place: (rule, parse_headword(page.passages[place].text[rule.text_start :].strip("“”「」 ")))
        for place, rule in context.stated_rules.items()
        if page.passages[place].kind == "heading"
    }
    label_counts = Counter(name.label for _, name in names.values())
    for place, (rule, name) in names.items():
        start = page.passages[place].text.find(name.label, rule.text_start)
        end = start + len(name.label)
        if start < 0 or label_counts[name.label] > 1 or name.label in _GENERIC_HEADINGS:
            continue
        if _is_phrase(context, place, start, end):
            continue
        other, english = name.qualifier, name.english
        if other and other.isascii() and not name.label.isascii():
            other, english = None, english or other  # ガンキング(Ganking)
        term = NamedTerm(
            name=Headword(name.label, name.reading, english),
            start=start,
            end=end,
            others=(other,) if other else (),
        )
        _claim(context, claims, place, term, claim_ranks.NAMED_IN_HEADING)


def _is_phrase(context: PageContext, place: int, start: int, end: int) -> bool:
    """Return whether any word that begins in a span of a passage is a function word or a sign.
    The middle dot is not counted, as it occurs within names.

    place: the index of the passage in the page.
    start, end: the span, as offsets in the passage's text.
    """
    text = context.page.passages[place].text
    return any(
        token.entry.function
        and start <= token.start < end
        and text[token.start : token.end] != "・"
        for token in context.tokens(place)
    )


def _claim(
    context: PageContext,
    claims: PageClaims,
    place: int,
    term: NamedTerm,
    rank: int,
    definition: str | None = None,
) -> None:
    """Add a term with its names, and the defining edge if it has a definition.

    The definition is the text of the passage if `term.defines`, else `definition`. A term without
    one is only named, and no edge is added.

    place: the index in `context.page.passages` of the passage that names the term.
    rank: the rank of the claim: of several on a node, the lowest describes it. On a page with a
        notice to readers it comes behind all claims of pages without one.
    definition: the defining text, if another passage has it.
    """
    node_id = term_id(context.game, term.name.label)
    passage_id = context.passage_ids[place]
    if term.defines:
        definition = context.page.passages[place].text
    node = context.make_node(node_id, "term", label=term.name.label, text=definition, url=None)
    claims.nodes.append(NodeClaim(node, context.rank(rank)))
    labels = labels_of(term.name)
    labels += [
        Label("ja", other, "alias") for other in term.others if fold(other) != fold(term.name.label)
    ]
    claims.labels += label_claims(node_id, labels, passage_id)
    if term.defines or definition:
        claims.edges.append(
            EdgeClaim(
                kind="defines",
                source=passage_id,
                target=node_id,
                target_label=term.name.label,
                passage=passage_id,
                start=term.start,
                end=term.end,
            )
        )


class NameInOtherGame(NamedTuple):
    """What a text says another game calls the text's subject.

    game: the id of the other game.
    name: its name for the subject, at text[start:end].
    """

    game: str
    name: str
    start: int
    end: int


def extract_names_in_other_games(context: PageContext, claims: PageClaims) -> None:
    """Add an edge from the page's term to each term of another game that the page says is the
    same concept, whether or not there is such a term. Nothing for a page on a card or a redirect,
    or of no known game.

    On the page of 使う, `本家Magicでは「プレイ」で統一されている` says that Magic calls it プレイ.
    """
    page = context.page
    subject = subject_of(context) if context.is_game_known and not page.redirect else None
    if subject is None or "/term/" not in subject.node:
        return
    for place, passage in enumerate(page.passages):
        for other in names_in_other_games(passage.text):
            if other.game != context.game:
                claims.edges.append(
                    EdgeClaim(
                        kind="same_concept",
                        source=subject.node,
                        target=term_id(other.game, other.name),
                        target_label=other.name,
                        passage=context.passage_ids[place],
                        start=other.start,
                        end=other.end,
                        reason=f"no page here is about {other.name} of {other.game}",
                        details={
                            "relation": "close",
                            "basis": f"the page says so: {passage.text}",
                        },
                    )
                )


def names_in_other_games(text: str) -> Iterator[NameInOtherGame]:
    """Yield the names that a text says games have for its subject.

    Each is (id of the game, name, start, end), where the name is text[start:end]; sentence by
    sentence, and in one in the order of `GAMES`. The game of the text itself is not excluded.

    >>> [tuple(name) for name in names_in_other_games("デュエル・マスターズでは「山」と呼ぶ。")]
    [('dm', '山', 13, 14)]
    >>> text = "遊戯王では「山」とは呼ばない。デュエル・マスターズの「山」とは異なる。"
    >>> list(names_in_other_games(text))
    []
    """
    # What _CALLED_THERE matches has both, which few texts have.
    if "では" not in text or "「" not in text or not ANY_MENTIONED.search(text):
        return
    for begin, end in sentences(text, "ja"):
        for game in GAMES:
            for match in re.finditer(game.mentioned + _CALLED_THERE, text[begin:end]):
                start = begin + match.start("name")
                yield NameInOtherGame(game.id, match["name"], start, start + len(match["name"]))
