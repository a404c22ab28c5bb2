"""Finds what a book of articles cites of itself: `第12条第2項`, `前条`, `§ 4 Abs. 1 und 3`,
`Articles 3 to 5`.

Numbers are as `scraper.rulebook.statutes` gives them: `12(2)` is a paragraph, `14-2` is 第14条の2.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb.language.citations import citation_patterns as patterns
from kb.language.citations.citation_grammar import Citation
from scraper.rulebook.languages import in_digits

_KANJI = "〇一二三四五六七八九十"  # without 百: an article above 99 is found in digits alone
# Statutes and terms of play have articles of up to three digits, paragraphs of up to two.
_NUMBER = rf"(?:\d{{1,3}}|[{_KANJI}]{{1,4}})"
_SIGN = r"(?:§§?|(?<!\w)(?:Art(?:ik[eu]ln?|icles?|ículos?|icol[oi]|igos?)|artt?\.))\s?"
_PARAGRAPH_WORD = (
    r"(?:(?:Abs(?:\.|atz|atzes|ätzen?)|paragraphs?|paras?\.|alinéas?|al\.|apartados?|comm[ai])\s"
    r"|n\.º\s)"
)
_ARTICLE = (
    rf"(?:[第제]\s?(?P<wide>{_NUMBER})\s?[条조](?:[のノ之의]\s?(?P<branch>{_NUMBER}))?"
    rf"|{_SIGN}(?P<number>\d{{1,3}}[a-z]?)(?![\w.]*\d)"
    rf"|(?P<relative>[前次同本](?P<back>[二三四五])?条)|(?P<korean>[전동]조|같은\s조))"
)
_PARAGRAPH = (
    rf"(?:\s?[第제]\s?(?P<paragraph>{_NUMBER})\s?[項항]|,?\s?{_PARAGRAPH_WORD}(?P<named>\d{{1,2}})(?!\d)"
    r"|\s?\((?P<closed>\d{1,2})\))"
)
_OWN_PARAGRAPH = (
    rf"(?P<before>前(?P<times>[二三四五])?項|次項|전항)|[第제]\s?(?P<own>{_NUMBER})\s?[項항]"
    rf"|(?<!\w){_PARAGRAPH_WORD}(?P<own_named>\d{{1,2}})(?!\d)"
)
_CITED = re.compile(rf"(?:{_ARTICLE})(?:{_PARAGRAPH})?|{_OWN_PARAGRAPH}", re.IGNORECASE)
_RANGE = re.compile(
    rf"\s?(?:から|ないし|乃至|내지|[〜～~–—-]|bis|to|through|à|a(?=\s)|al?|부터)\s?(?:{_SIGN}|{_PARAGRAPH_WORD})?"
    rf"[第제]?(?P<last>{_NUMBER})(?P<letter>[a-z](?!\w))?(?P<unit>\s?[条項조항])?",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\s?(?:[,、]\s?(?:und|and|et|y|e)?|und|and|et|y|e|sowie|oder|or|ou)\s(?P<next>\d{1,3}[a-z]?)(?![\w.]*\d)"
    r"(?!\s(?:Karten|cards|cartes|[%:]))"
)
_OTHER_STATUTE = re.compile(  # before a number: 民法第549条, 大会運営規程第12条
    r"(?:[法程約令則典]|(?<!本)規約|細則|要領|ハンドブック|ガイド|マニュアル|법|규정|지침|요령)[』」》]?の?\s?$"
)
_OF_OTHER = re.compile(  # behind it: § 762 BGB, § 7 Abs. 3 der Turnierordnung
    r"\s(?:[A-ZÄÖÜ]{2,8}\b|(?:der|des|of the|du|de la|del|della|do|da)\s[A-ZÄÖÜÉ]\w+)"
)
_OWN = re.compile(r"\s(?:der|des|of the|du|de la|del|della|do|da)\s(?:Regel|Spielregel|Rules)")


@dataclass(frozen=True, slots=True)
class Place:
    """An article, or one of its paragraphs.

    article: its number, such as `14-2`; paragraph: 0 for the whole article.
    """

    article: str
    paragraph: int = 0

    @classmethod
    def of(cls, number: str) -> Place:
        """Return the place of a rule's number.

        >>> Place.of("14-2(3)"), Place.of("5")
        (Place(article='14-2', paragraph=3), Place(article='5', paragraph=0))
        """
        article, _, paragraph = number.partition("(")
        digits = paragraph.rstrip(")")
        return cls(article, int(digits) if digits.isdigit() else 0)

    def number(self, known: Sequence[str]) -> str:
        """Return the number of a place, `14-2` or `14-2(3)`, whether the book has it or not.

        The first paragraph of an article is the article itself, where that is in `known` and its
        paragraph has no 1, as in Japanese law."""
        if not self.paragraph:
            return self.article
        number = f"{self.article}({self.paragraph})"
        is_first = self.paragraph == 1 and number not in known and self.article in known
        return self.article if is_first else number


def article_numbers(text: str) -> tuple[str, ...]:
    """Return the numbers that a text may mean which is nothing but an article, or a paragraph of
    one, the likeliest first; none for another, or if it only means one relative to where it stands.
    A first paragraph may have no number of its own, so that the article comes behind it.

    >>> article_numbers("第14条の2"), article_numbers("§ 3 Abs. 2"), article_numbers("第2条第1項")
    (('14-2',), ('3(2)',), ('2(1)', '2'))
    >>> article_numbers("前条"), article_numbers("第3章")
    ((), ())
    """
    match = _CITED.fullmatch("".join(map(_folded, text)))
    if match is None or not (match["wide"] or match["number"]):
        return ()
    [place] = _places(match, Place(""), Place(""), ())
    numbers = (place.number(()), *((place.article,) if place.paragraph == 1 else ()))
    return tuple(dict.fromkeys(numbers))


def find_article_citations(
    text: str, known: Sequence[str], own: str = "", begin: int = 0
) -> list[Citation]:
    """Return what a text in a book of articles cites of the book, in order; none of other statutes,
    as these are named beside the number. The places of a list or range share one span.

    A number is returned whether the book has it or not; a relative word (前条) cites nothing if
    there is no article there, or `own` is empty or not of the book.

    known: the numbers of the book's articles and paragraphs, in its order, which 前条 and ranges of
        articles follow.
    own: the number of the article or paragraph that the text is of, which 前条 and 前項 go from.
    begin: where to start in the text.

    >>> known = ["1", "1(2)", "2", "2(2)", "2(3)", "3"]
    >>> [c.number for c in find_article_citations("前条及び前項並びに第3条", known, "2(3)")]
    ['1', '2(2)', '3']
    >>> [c.number for c in find_article_citations("nach § 2 Abs. 2 und 3, § 1 BGB", known)]
    ['2(2)', '2(3)']
    >>> [c.number for c in find_article_citations("第1条から第3条まで（民法第1条）", known)]
    ['1', '2', '3']
    """
    folded = " " * begin + "".join(map(_folded, text[begin:]))
    here = Place.of(own)
    articles = list(dict.fromkeys(Place.of(number).article for number in known))
    last, found, end = Place(""), list[Citation](), begin
    while match := _CITED.search(folded, end):
        end = match.end()
        places = list(_places(match, here, last, articles))
        if not places or _is_of_other(folded, match):
            continue
        places, end = _with_following(folded, end, places, articles)
        last = places[-1]
        found += (Citation(place.number(known), match.start(), end) for place in places)
    return found


def _folded(sign: str) -> str:
    """Return a sign in half width, if it is one sign then; else the sign as it is, so that offsets
    stay."""
    folded = unicodedata.normalize("NFKC", sign)
    return folded if len(folded) == 1 else sign


def _is_of_other(text: str, match: re.Match[str]) -> bool:
    """Whether the words beside a citation name another statute or document: those up to 12
    characters before it, or those that follow at once, unless they mean the rules themselves."""
    # `_OTHER_STATUTE` needs 9 characters at most: ハンドブック』の and a space.
    before, behind = text[max(0, match.start() - 12) : match.start()], match.end()
    if _OTHER_STATUTE.search(before):
        return True
    other = _OF_OTHER.match(text, behind) or patterns.OTHER_DOCUMENT_BEHIND.match(text, behind)
    return other is not None and not _OWN.match(text, behind)


def _places(
    match: re.Match[str], here: Place, last: Place, articles: Sequence[str]
) -> Iterator[Place]:
    """Yield the places that a match names, in order: one, or several for 前三条 and 前二項; none
    where there is no such article or paragraph, or `here` is no place and it goes from that.

    here, last: the place of the text, and the one that it cited last.
    """
    written = match["paragraph"] or match["named"] or match["closed"]
    paragraph = int(in_digits(written)) if written else 0
    if number := match["wide"] or match["number"]:
        article = str(int(in_digits(number))) if number[0] in _KANJI else number.lstrip("0")
        branch = f"-{int(in_digits(match['branch']))}" if match["branch"] else ""
        yield Place(article + branch, paragraph)
    elif relative := match["relative"] or match["korean"]:
        for article in _relative(relative[0], match["back"], here, last, articles):
            yield Place(article, paragraph)
    elif match["before"] and here.article:
        ahead = match["before"] == "次項"
        times = int(in_digits(match["times"])) if match["times"] else 1
        steps = (1,) if ahead else range(-times, 0)
        yield from (
            Place(here.article, number)
            for step in steps
            if (number := max(here.paragraph, 1) + step) > 0
        )
    elif (own := match["own"] or match["own_named"]) and here.article:
        yield Place(here.article, int(in_digits(own)))


def _relative(
    sign: str, back: str | None, here: Place, last: Place, articles: Sequence[str]
) -> Sequence[str]:
    """Return the articles that a relative word means, in the book's order: 前条, 前三条, 次条,
    同条, 本条.

    Empty where there is none: before the first, behind the last, 同条 with nothing cited yet, or an
    article that is not of the book. 前三条 may give fewer than three.
    """
    if sign in "同동같":
        return [last.article] if last.article else []
    if here.article not in articles:
        return []
    at = articles.index(here.article)
    if sign == "次":
        return articles[at + 1 : at + 2]
    if sign == "本":
        return [here.article]
    return articles[max(0, at - (int(in_digits(back)) if back else 1)) : at]


def _with_following(
    text: str, end: int, places: list[Place], articles: Sequence[str]
) -> tuple[list[Place], int]:
    """Return the places with those that a range or list goes on to, and where these end:
    `§§ 8, 9 und 10`, 第25条から第27条, `Abs. 1 und 3`. The same and `end` if none follows.

    Between the ends of a range come the articles of the book; if it lacks either end, only both
    ends. Paragraphs are counted up."""
    first = places[-1]
    reach = _RANGE.match(text, end)
    unit = (reach["unit"] or "").strip() if reach else ""
    if reach and (not unit or (unit in "項항") == bool(first.paragraph)):
        last = in_digits(reach["last"]) + (reach["letter"] or "")
        if first.paragraph:
            further = [
                Place(first.article, n)
                for n in range(first.paragraph + 1, int(in_digits(reach["last"])) + 1)
            ]
        elif first.article in articles and last in articles:
            between = articles[articles.index(first.article) + 1 : articles.index(last) + 1]
            further = [Place(article) for article in between]
        else:
            further = [Place(last)]
        return [*places, *further], reach.end()
    while following := _NEXT.match(text, end):
        number = following["next"]
        if first.paragraph and not number.isdigit():
            break
        places = [*places, Place(first.article, int(number)) if first.paragraph else Place(number)]
        end = following.end()
    return places, end
