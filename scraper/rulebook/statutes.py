"""Finds the rules of books that are laid out as statutes: articles that are numbered through
(`第1条`, `§ 1`, `Article 1`), below chapters that are no part of their numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Sequence

from scraper.rulebook.languages import in_digits
from scraper.rulebook.numbering import (
    Form,
    NumberedLine,
    ends_sentence,
    levels,
    number_at,
    number_key,
)

# Numbers up to 999, in kanji up to 99, as `in_digits` reads them: by hand, more than a game needs.
_ARTICLE = re.compile(
    r"(?P<sign>§\s?|第\s?|제\s?|(?:Article|Artikel|Artículo|Artigo|Articolo|Art\.)\s)"
    r"(?P<number>\d{1,3}|[０-９]{1,3}|[〇一二三四五六七八九十]{1,4})(?P<letter>[a-z](?![\w.]))?"
    r"(?P<end>\s?[条조](?:[のノ之의]\s?(?P<branch>\d{1,2}|[０-９]{1,2}|[一二三四五六七八九十]{1,2}))?)?"
    r"(?P<mark>[.．:：)）]?)"
    # What follows a citation at the beginning of a broken line.
    r"(?!\s?(?:Abs|Nr|Satz|para|al\.|[,;]|der\b|des\b|of\b|du\b)"
    r"|(?:に|の|及|また|か|から|で|を|は、|は第|は前|、|第|제))"
    r"\s*"
)
# A cheap first look: a text without such a line is spared the search for articles.
MAY_BE_ARTICLE = re.compile(
    r"(?m)^[#* \t\u3000]*(?:§\s?\d|第\S{1,4}\s?条|제\s?\d{1,3}\s?조|Art\S*\s\d)"
)
# An article whose first paragraph begins on its own line, behind its heading in brackets.
_FIRST_PARAGRAPH = re.compile(
    r"(?m)^([#* \t\u3000]*"
    r"(?:§\s?\d{1,3}[a-z]?\.?|第\S{1,4}\s?条\S{0,3}?|제\s?\d{1,3}\s?조(?:의\s?\d{1,2})?)"
    r"\s*(?:[(（][^()（）\n]{1,40}[)）])?)[ \t\u3000]*(?=①|[(（][1１][)）])"
)
# A word for a chapter with what counts it, on either side: `Zweiter Teil`, `Part II`.
_CHAPTER = re.compile(
    r"(?:\S+\s)?(?:Abschnitt|Teil|Kapitel|Titel|Buch|Chapitre|Titre|Partie|Section|Chapter|Part"
    r"|Title|Capítulo|Título|Sección|Parte|Capitolo|Titolo|Sezione|Seção)(?:\s\S{1,12})?",
    re.IGNORECASE,
)
_FORM = "article"  # in the form of a number
# All by hand.
_FEWEST = 5  # articles of a book: fewer may be citations with which lines begin
# From an article to the next: two may be repealed; over more a cited number would go on for one.
_LARGEST_STEP = 3
# Characters of a line that are looked at: its number is at the beginning. Headings of chapters and
# entries of contents have at most half of them; text that is broken may be longer.
_LONGEST_LINE = 120
# Columns that the title of a chapter is indented at least, below its number, by hand: a paragraph
# has one or two, or a wide character; with more, long titles are missed, which begin further left.
_CENTRED = 4


def is_article(rule: NumberedLine) -> bool:
    """Whether a rule is an article of a statute, by the form of its number."""
    return rule.form[1:2] == (_FORM,)


def with_paragraphs_apart(text: str) -> str:
    """Return a text with the first paragraphs of articles on lines of their own, where they have
    a number (`①`, `(1)`); the text itself if no line begins as an article does.

    >>> with_paragraphs_apart("제3조(승패) ① 먼저 놓은 사람이 이긴다.")
    '제3조(승패)\\n① 먼저 놓은 사람이 이긴다.'
    """
    return _FIRST_PARAGRAPH.sub(r"\1\n", text) if MAY_BE_ARTICLE.search(text) else text


def article_rules(
    lines: Sequence[str], omitted: Container[int], numbered: Sequence[NumberedLine]
) -> list[NumberedLine]:
    """Return the articles of a book that is laid out as a statute, in order; empty for others.

    It is one if it has at least five articles in order, from the first on (1, or 0), and no fewer
    of them than lines with numbers of several levels. Up to two numbers in a row may be missing.
    Where the contents have the same articles, those of the text count.

    omitted: the indices of lines that are skipped.
    numbered: the lines that begin with a number of another kind; they are only counted.

    >>> lines = [f"第{n}条　札を{n}枚引く。" for n in range(1, 7)]
    >>> [rule.number for rule in article_rules(lines, (), ())]
    ['1', '2', '3', '4', '5', '6']
    >>> article_rules(lines[:4], (), ())
    []
    """
    found = [
        article
        for n, line in enumerate(lines)
        if n not in omitted and (article := _article_at(line.strip()[:_LONGEST_LINE], n))
    ]
    others = sum(len(levels(rule.number)) > 1 for rule in numbered)
    if len(found) < max(_FEWEST, others):
        return []
    chain = _longest(found, _without_text(lines, found))
    return chain if len(chain) >= max(_FEWEST, others) and chain[0].key[0] <= 1 else []


def chapter_headings(
    lines: Sequence[str], omitted: Container[int], articles: Collection[int]
) -> frozenset[int]:
    """Return the lines that are headings of chapters in a book of articles: they have no number
    that anybody cites.

    Such a line has a chapter's number (第2章) or is a word for one with what counts it (`Part II`),
    or is the indented title below such a line; at most 60 characters, between the articles or in
    the four lines above the first.

    articles: the lines of the articles, without which there are none.
    """
    if not articles:
        return frozenset()
    begin, end = min(articles), max(articles)
    found: set[int] = set()
    for n in range(max(0, begin - 4), end):  # the first chapter, its title, blank lines
        text = lines[n].strip()
        if n in omitted or n in articles or not text or len(text) > _LONGEST_LINE // 2:
            continue
        number = number_at(text + " .", n)
        is_title = n - 1 in found and lines[n][:_CENTRED].isspace() and not ends_sentence(text)
        if is_title or (number and number.form[0] is True) or _CHAPTER.fullmatch(text):
            found.add(n)
    return frozenset(found)


def _article_at(text: str, line: int) -> NumberedLine | None:
    """Return the article that a line begins with, behind Markdown's marks; None if it begins with
    none. Its number is `14` for `第１４条` and `第十四条`, `14-2` for `第14条の2`, `14a` for
    `§ 14a`.
    """
    match = _ARTICLE.match(text.lstrip("#* \t\u3000"))
    if match is None or bool(match["end"]) != (match["sign"][0] in "第제"):
        return None
    indent = len(text) - len(text.lstrip("#* \t\u3000"))
    number = in_digits(match["number"])
    if not number.isdigit():
        return None
    number = str(int(number))
    stop = match.end("number")
    if match["branch"]:  # 第14条の2, which was put in behind 第14条
        number, stop = f"{number}-{int(in_digits(match['branch']))}", match.end("branch")
    elif match["letter"]:  # § 14a
        number, stop = number + match["letter"], match.end("letter")
    span = match.start("number") + indent, stop + indent
    form: Form = (False, _FORM, match["sign"][0])
    return NumberedLine(line, number, number_key(number), form, span, match.end() + indent)


def _without_text(lines: Sequence[str], found: Sequence[NumberedLine]) -> frozenset[int]:
    """Return the lines of articles directly above another one, blank lines aside, that are short:
    most of a table of contents are."""
    places = {article.line for article in found}
    entries = set()
    for article in found:
        below = (n for n in range(article.line + 1, len(lines)) if lines[n].strip())
        if next(below, None) in places and len(lines[article.line].strip()) < _LONGEST_LINE // 2:
            entries.add(article.line)
    return frozenset(entries)


def _longest(found: Sequence[NumberedLine], entries: Container[int]) -> list[NumberedLine]:
    """Return the longest chain of articles whose keys ascend by small steps, where one without
    text counts a tenth; of equal chains the last, as a table of contents comes first.

    found: the articles in the order of their lines, at least one; each goes on from one of the 199
        before it. entries: the lines of those without text.
    """
    best: list[tuple[float, int | None]] = []  # by article: the weight of its chain, that before it
    for n, article in enumerate(found):
        own = 0.1 if article.line in entries else 1.0
        before: tuple[float, int | None] = (0.0, None)
        for m in range(n - 1, max(-1, n - 200), -1):  # bounds time
            key, earlier = article.key, found[m].key
            is_next = earlier < key and key[0] - earlier[0] <= _LARGEST_STEP
            if is_next and best[m][0] > before[0]:
                before = best[m][0], m
        best.append((own + before[0], before[1]))
    last: int | None = max(range(len(found)), key=lambda n: (best[n][0], n))
    chain = []
    while last is not None:
        chain.append(found[last])
        last = best[last][1]
    return chain[::-1]
