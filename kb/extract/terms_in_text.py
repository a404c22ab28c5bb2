"""Terms that a text itself names: between quotes, behind `とは`, before an English word.

Pages define more than the term in their titles. What is met: `「X/English」`, `X/Englishと呼ぶ`,
`「X」と呼ばれる`, `「X」とは`, `Xとは` where a rule begins, `Xのことを「Y」という`, a list of
entries and their glosses, the types on cards (`天使(Angel)`), the headings of a Japanese rulebook.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from graphs.model import Label
from graphs.writing.claims import EdgeClaim, NodeClaim, PageClaims
from kb.extract.context import PageContext
from kb.extract.rules import StatedRule
from kb.extract.terms import term_id
from kb.language.fold import fold, is_japanese
from kb.language.headwords import Headword, label_claims, labels_of, parse_headword
from scraper import Passage

# The patterns, apart from what is done with them.
_NAME = r"[^\s、。,.:：;!?！？「」『』“”()（）《》〔〕【】/／]"
_ENGLISH = r"[A-Za-z][A-Za-z0-9 '’,\-]{1,60}"
_CALLED = r"と(?:も|は|して)?(?:呼[ばびぶべん]|称[さしす])"
_OR = r"(?:[(（](?:または|又は|もしくは|あるいは|略して)「?(?P<other>{name}{{1,25}})」?[)）])?"
_QUOTED_PAIR = re.compile(rf"[「『“](?P<ja>{_NAME}{{1,30}})\s?[/／]\s?(?P<en>{_ENGLISH})[」』”]")
_CALLED_PAIR = re.compile(
    rf"(?:^|[、。\s「『])(?P<ja>{_NAME}{{1,30}})\s?[/／]\s?(?P<en>{_ENGLISH}){_CALLED}"
)
_CALLED_SO = re.compile(rf"[「『“](?P<ja>{_NAME}{{2,30}})[」』”]{_OR.format(name=_NAME)}{_CALLED}")
_MEANS = re.compile(rf"[「『“](?P<ja>{_NAME}{{2,20}})[」』”]とは")
_BEGINS = re.compile(
    r"(?P<ja>[^\s、。「」（）()をがはにでもへの]{2,20}?)(?<!こ)とは(?!い|言|異|違|別|関係|限)"
)
_ALSO = re.compile(
    rf"^[\s\u3000]*「?(?P<ja>{_NAME}{{2,20}}?)」?の(?:こと|事)を、?「(?P<other>{_NAME}{{2,20}})」と"
)
_BY_NAMES = (_QUOTED_PAIR, _CALLED_PAIR, _CALLED_SO, _MEANS, _ALSO)
_ALIAS = re.compile(rf"(?:^|[、。\s])「?(?P<other>{_NAME}{{2,20}}?)」?とも(?:呼|言|い[うわ]|。|$)")
_ON_CARD = re.compile(
    r"(?P<ja>[ァ-ヶー]{2,20}|[一-鿿々]{1,8}|(?<=[・—])[^\s・—()（）、。：をがはのとか]{1,12})"
    r"[(（](?P<en>[A-Za-z][A-Za-z' \-]{1,40})[)）]"
)
_SIGNS = re.compile(r"[「『“/／]|とは|とも")
_NAMES_NONE = frozenset(
    "総則 原則 概要 一般 序文 目次 附則 付則 用語集 索引 更新履歴 改訂履歴 謝辞".split()
)
_ON_CARDS = ("タイプ\t", "テキスト\t")  # the rows of a card's table that name types
_LONGEST_ENTRY = 30
# What is pointed at or begins within a phrase is no name.
_NO_NAME = re.compile(r"(?:そ[のれ]|こ[のれ]|あの|ある|どの|あなた|[にをがはへと])")
_FROM_HEADING, _FROM_TEXT = 40, 60  # a term's own page, or a glossary of it, speaks before


@dataclass(frozen=True, slots=True)
class NamedTerm:
    """That text[start:end] names a term; its other names; whether the text says what it is."""

    name: Headword
    start: int
    end: int
    others: tuple[str, ...] = ()
    defines: bool = False


def named_terms(text: str, begin: int = 0, rule: bool = False) -> Iterator[NamedTerm]:
    """The terms that a text names, in the order of the patterns.

    begin: where the text of a rule starts behind its number; rule: whether it is one.

    >>> [(n.name.label, n.name.english) for n in named_terms("これを「青い札/blue card」という。")]
    [('青い札', 'blue card')]
    >>> [(n.name.label, n.others) for n in named_terms("これは「札の掟」(または掟)と呼ばれる。")]
    [('札の掟', ('掟',))]
    >>> [n.name.label for n in named_terms("二人戦とは、二人で戦うこと。", rule=True)]
    ['二人戦']
    """
    if rule and (found := _BEGINS.match(text, begin)) and not _NO_NAME.match(found["ja"]):
        yield _naming(found, defines=True)
    if not _SIGNS.search(text, begin):
        return
    seen: set[int] = set()
    for pattern in _BY_NAMES:
        for found in pattern.finditer(text, begin):
            if found.start("ja") in seen or _NO_NAME.match(found["ja"]):
                continue
            if is_japanese(found["ja"]):
                seen.add(found.start("ja"))
                yield _naming(found, defines=pattern is _MEANS)


def _naming(found: re.Match[str], defines: bool = False) -> NamedTerm:
    parts = found.groupdict()
    english, other = parts.get("en"), parts.get("other")
    name = Headword(parts["ja"], english=english.strip(" ,-") if english else None)
    end = found.end("en") if english else found.end("ja")
    return NamedTerm(name, found.start("ja"), end, (other,) if other else (), defines)


def extract(context: PageContext, claims: PageClaims, given: Mapping[int, StatedRule]) -> None:
    """A term for each name that the page's text gives one."""
    page = context.page
    if page.game is None or page.lang != "ja" or page.engine == "namelist":
        return
    for place, passage in enumerate(page.passages):
        found: Sequence[NamedTerm] = ()
        if passage.kind in {"paragraph", "item", "quote", "gloss"}:
            rule = given.get(place)
            found = list(named_terms(passage.text, rule.begin if rule else 0, rule is not None))
        elif passage.kind in {"row", "note"} and context.game == "mtg":
            found = list(_types(passage))
        for naming in found:
            if not _in_link(passage, naming):
                _claim(context, claims, place, naming, _FROM_TEXT)
    _entries(context, claims)
    _headings(context, claims, given)


def _types(passage: Passage) -> Iterator[NamedTerm]:
    """The types that a card's table or text gives with their English.

    >>> row = Passage("row", "タイプ\\tクリーチャー — 岩(Rock)・空飛ぶ者(Flyer)")
    >>> [(n.name.label, n.name.english) for n in _types(row)]
    [('岩', 'Rock'), ('空飛ぶ者', 'Flyer')]
    """
    if passage.kind == "row" and not passage.text.startswith(_ON_CARDS):
        return
    for found in _ON_CARD.finditer(passage.text):
        yield _naming(found)


def _in_link(passage: Passage, naming: NamedTerm) -> bool:
    """Whether the site's own link names something there: MTG Wiki's cards are `X/English`."""
    return any(
        link.kind in {"page", "missing"}
        and "/" in link.target
        and link.start < naming.end
        and naming.start < link.end
        for link in passage.links
    )


def _entries(context: PageContext, claims: PageClaims) -> None:
    """The entries of a wiki's list of words, each with its gloss."""
    passages = context.page.passages
    if context.page.engine == "rulebook":
        return  # its glossary is read as one
    for passage in passages:
        if passage.kind != "gloss" or passage.parent is None or "。" not in passage.text:
            continue
        entry = passages[passage.parent].text.strip()
        name = parse_headword(entry)
        if len(entry) > _LONGEST_ENTRY or not re.fullmatch(rf"{_NAME}{{2,}}", name.label):
            continue
        others = tuple(found["other"] for found in _ALIAS.finditer(passage.text))
        naming = NamedTerm(name, 0, len(passages[passage.parent].text), others)
        _claim(context, claims, passage.parent, naming, _FROM_TEXT, passage.text)


def _headings(context: PageContext, claims: PageClaims, given: Mapping[int, StatedRule]) -> None:
    """The headings of a Japanese rulebook that are one name: no phrase, and not `General`."""
    page = context.page
    if page.engine != "rulebook":
        return
    names = {
        place: (rule, parse_headword(page.passages[place].text[rule.begin :].strip("“”「」 ")))
        for place, rule in given.items()
        if page.passages[place].kind == "heading"
    }
    often = Counter(name.label for _, name in names.values())
    for place, (rule, name) in names.items():
        text = page.passages[place].text
        start = text.find(name.label, rule.begin)
        end = start + len(name.label)
        phrase = any(
            word.entry.function
            and start <= word.start < end
            and text[word.start : word.end] != "・"
            for word in context.words(place)
        )
        if phrase or start < 0 or often[name.label] > 1 or name.label in _NAMES_NONE:
            continue
        others = (name.qualifier,) if name.qualifier else ()
        bare = Headword(name.label, name.reading, name.english)
        naming = NamedTerm(bare, start, end, others)
        _claim(context, claims, place, naming, _FROM_HEADING)


def _claim(
    context: PageContext,
    claims: PageClaims,
    place: int,
    naming: NamedTerm,
    rank: int,
    text: str | None = None,
) -> None:
    node_id = term_id(context.game, naming.name.label)
    passage = context.passage_ids[place]
    if naming.defines:
        text = context.page.passages[place].text
    node = context.node(node_id, "term", label=naming.name.label, text=text, url=None)
    claims.nodes.append(NodeClaim(node, context.rank(rank)))
    labels = labels_of(naming.name)
    labels += [
        Label("ja", other, "alias")
        for other in naming.others
        if fold(other) != fold(naming.name.label)
    ]
    claims.labels += label_claims(node_id, labels, passage)
    if naming.defines or text:
        claims.edges.append(
            EdgeClaim(
                "defines",
                passage,
                node_id,
                naming.name.label,
                passage,
                naming.start,
                naming.end,
                "",
            )
        )
