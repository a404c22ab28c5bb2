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

from graphs.facts import Claim, Facts, Want
from graphs.model import Label
from kb.extract.labels import labels_of, named
from kb.extract.reading import Reading
from kb.extract.rules import Given
from kb.extract.terms import term_id
from kb.fold import fold, is_japanese
from kb.names import Name, read_name
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
class Naming:
    """That text[start:end] names a term; its other names; whether the text says what it is."""

    name: Name
    start: int
    end: int
    others: tuple[str, ...] = ()
    defines: bool = False


def namings(text: str, begin: int = 0, rule: bool = False) -> Iterator[Naming]:
    """The terms that a text names, in the order of the patterns.

    begin: where the text of a rule starts behind its number; rule: whether it is one.

    >>> [(n.name.label, n.name.english) for n in namings("これを「青い札/blue card」という。")]
    [('青い札', 'blue card')]
    >>> [(n.name.label, n.others) for n in namings("これは「札の掟」(または掟)と呼ばれる。")]
    [('札の掟', ('掟',))]
    >>> [n.name.label for n in namings("二人戦とは、二人で戦うこと。", rule=True)]
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


def _naming(found: re.Match[str], defines: bool = False) -> Naming:
    parts = found.groupdict()
    english, other = parts.get("en"), parts.get("other")
    name = Name(parts["ja"], english=english.strip(" ,-") if english else None)
    end = found.end("en") if english else found.end("ja")
    return Naming(name, found.start("ja"), end, (other,) if other else (), defines)


def extract(reading: Reading, facts: Facts, given: Mapping[int, Given]) -> None:
    """A term for each name that the page's text gives one."""
    page = reading.page
    if page.game is None or page.lang != "ja" or page.source == "namelist":
        return
    for place, passage in enumerate(page.passages):
        found: Sequence[Naming] = ()
        if passage.kind in {"paragraph", "item", "quote", "gloss"}:
            rule = given.get(place)
            found = list(namings(passage.text, rule.begin if rule else 0, rule is not None))
        elif passage.kind in {"row", "note"} and reading.game == "mtg":
            found = list(_types(passage))
        for naming in found:
            if not _in_link(passage, naming):
                _claim(reading, facts, place, naming, _FROM_TEXT)
    _entries(reading, facts)
    _headings(reading, facts, given)


def _types(passage: Passage) -> Iterator[Naming]:
    """The types that a card's table or text gives with their English.

    >>> row = Passage("row", "タイプ\\tクリーチャー — 岩(Rock)・空飛ぶ者(Flyer)")
    >>> [(n.name.label, n.name.english) for n in _types(row)]
    [('岩', 'Rock'), ('空飛ぶ者', 'Flyer')]
    """
    if passage.kind == "row" and not passage.text.startswith(_ON_CARDS):
        return
    for found in _ON_CARD.finditer(passage.text):
        yield _naming(found)


def _in_link(passage: Passage, naming: Naming) -> bool:
    """Whether the site's own link names something there: MTG Wiki's cards are `X/English`."""
    return any(
        link.kind in {"page", "missing"}
        and "/" in link.target
        and link.start < naming.end
        and naming.start < link.end
        for link in passage.links
    )


def _entries(reading: Reading, facts: Facts) -> None:
    """The entries of a wiki's list of words, each with its gloss."""
    passages = reading.page.passages
    if reading.page.source == "rulebook":
        return  # its glossary is read as one
    for passage in passages:
        if passage.kind != "gloss" or passage.parent is None or "。" not in passage.text:
            continue
        entry = passages[passage.parent].text.strip()
        name = read_name(entry)
        if len(entry) > _LONGEST_ENTRY or not re.fullmatch(rf"{_NAME}{{2,}}", name.label):
            continue
        others = tuple(found["other"] for found in _ALIAS.finditer(passage.text))
        naming = Naming(name, 0, len(passages[passage.parent].text), others)
        _claim(reading, facts, passage.parent, naming, _FROM_TEXT, passage.text)


def _headings(reading: Reading, facts: Facts, given: Mapping[int, Given]) -> None:
    """The headings of a Japanese rulebook that are one name: no phrase, and not `General`."""
    page = reading.page
    if page.source != "rulebook":
        return
    names = {
        place: (rule, read_name(page.passages[place].text[rule.begin :].strip("“”「」 ")))
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
            for word in reading.words(place)
        )
        if phrase or start < 0 or often[name.label] > 1 or name.label in _NAMES_NONE:
            continue
        others = (name.qualifier,) if name.qualifier else ()
        bare = Name(name.label, name.reading, name.english)
        naming = Naming(bare, start, end, others)
        _claim(reading, facts, place, naming, _FROM_HEADING)


def _claim(
    reading: Reading, facts: Facts, place: int, naming: Naming, rank: int, text: str | None = None
) -> None:
    node_id = term_id(reading.game, naming.name.label)
    passage = reading.passage_ids[place]
    if naming.defines:
        text = reading.page.passages[place].text
    node = reading.node(node_id, "term", label=naming.name.label, text=text, url=None)
    facts.claims.append(Claim(node, reading.rank(rank)))
    labels = labels_of(naming.name)
    labels += [Label("ja", other, "alias") for other in naming.others
               if fold(other) != fold(naming.name.label)]  # fmt: skip
    facts.labels += named(node_id, labels, passage)
    if naming.defines or text:
        facts.wants.append(
            Want("defines", passage, node_id, naming.name.label, passage, naming.start,
                 naming.end, "")
        )  # fmt: skip
