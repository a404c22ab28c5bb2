"""The patterns that citations are found by, made from the words of `scraper.rulebook.languages`.

They hold the words of all languages, as a text in one language may cite with the words of another
(Japanese wikis write `rule 614`). All are for text that `fold_width` has returned. A pattern named
`…_BEFORE` ends where a number begins; one named `…_BEHIND` begins where it ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from kb.language.citations.rule_numbers import (
    DASHED,
    FIRST_LETTERS,
    MIXED,
    POINTED_REST,
    ROMAN_LEVEL,
)
from scraper.rulebook.documents_beside_rulebook import DOCUMENT_NAMES
from scraper.rulebook.languages import LANGUAGES, RulebookLanguage, Words, alternatives

How = Literal["see", "exception", "subject to", "as defined in"]
_Field = Callable[[RulebookLanguage], Words]

_FOLDED = {chr(0xFF01 + n): chr(0x21 + n) for n in range(94)} | dict(
    zip("\u3000‐‑−﹣‒―─━～∼∽〰﹏˜⁓ー", " ----––––〜〜〜〜〜〜〜–", strict=True)
)
# The sign of a long vowel is a dash between digits alone (`１ー２`).
_TO_FOLD = re.compile(rf"[{re.escape(''.join(_FOLDED))}](?:(?<!ー)|(?<=\dー)(?=\d))")


def fold_width(text: str) -> str:
    """Return a text in half-width digits, letters and signs, with two kinds of dashes (- and –) and
    one wave (〜). Kana, case and spaces but the ideographic one stay.

    It is as long as the text, so that offsets in both are the same.

    >>> fold_width("規則１．２ａ（Ａ－１）～２")
    '規則1.2a(A-1)〜2'
    """
    return _TO_FOLD.sub(lambda sign: _FOLDED[sign[0]], text)


def _spaced(field: _Field) -> str:
    return alternatives(lambda language: field(language) if language.spaced else ())


def _unspaced(field: _Field) -> str:
    return alternatives(lambda language: () if language.spaced else field(language))


def _before(field: _Field, gap: str = r"\s") -> str:
    """Return a pattern for the words of a field before a number: in a spaced language whole words
    and `gap` behind them, in any other the words with a space or none."""
    return rf"(?:(?<![A-Za-z]){_spaced(field)}{gap}|{_unspaced(field)}\s?)"


def _behind(field: _Field) -> str:
    """Return a pattern for the words of a field behind a number, whole words in a spaced language,
    with a space before them or none."""
    return rf"\s?(?:{_spaced(field)}(?![A-Za-z])|{_unspaced(field)})"


def _quoted(quotes: str) -> str:
    """Return a pattern for text between two quotation marks, which is its only group: one line of
    at most 80 characters, as headings are; longer ones are prose.

    quotes: the opening mark and the closing one. If the two are the same sign, it must stand apart:
        `2.5" by 3.5"` are inches.
    """
    apart = r"(?<=[\s,.:])" if quotes[0] == quotes[1] else ""
    inside = rf"([^{re.escape(quotes)}\n]{{1,80}}?)[,;.。、]?"
    return rf"{apart}{re.escape(quotes[0])}{inside}{re.escape(quotes[1])}"


_quotes = sorted({quotes for language in LANGUAGES for quotes in language.quotes})
_headings = "|".join(map(_quoted, _quotes))
_closing = "".join(sorted({re.escape(quotes[1]) for quotes in _quotes})) + "】"
_bare_suffix = alternatives(lambda language: language.bare_suffixes)
_numerals = "".join(sorted({sign for language in LANGUAGES for sign in language.numerals}))
_numeral_prefix = "".join(  # single signs, as 第 is
    sorted(
        {sign for language in LANGUAGES if language.numerals for sign in language.cited_prefixes}
    )
)
_prefix = alternatives(lambda language: language.cited_prefixes)
_suffix = alternatives(lambda language: language.cited_suffixes)
_number_suffix = alternatives(lambda language: language.number_suffixes)
_range = rf"\s?(?:[-–—〜~ー]{{1,2}}|{alternatives(lambda language: language.ranges)})\s?"
_range_end = alternatives(lambda language: language.range_ends)
_conjunction = alternatives(lambda language: language.conjunctions)
_unspaced_conjunction = _unspaced(lambda language: language.conjunctions)
_article = alternatives(lambda language: language.articles)
# What stands before the word for a rule in what rulebooks are called: 総合.
_rule_word = alternatives(lambda language: language.rule_words)
_adjective = "|".join(
    re.sub(_rule_word, "", language.book, flags=re.IGNORECASE).strip() for language in LANGUAGES
)

_lead = (
    rf"(?<![A-Za-z])(?P<rule>{_spaced(lambda language: language.rule_words)})\s*"
    rf"|(?<![A-Za-z])(?P<section>{_spaced(lambda language: language.section_words)})\s+"
    rf"|(?<![A-Za-z])(?P<code>{alternatives(lambda language: language.rule_codes)})\s?[:=]?\s?"
    rf"|(?P<document>{DOCUMENT_NAMES})\s?[:の]?\s?"
    rf"|(?P<wide>{_unspaced(lambda language: language.rule_words)}) ?"
    rf"|(?P<wide_section>{_unspaced(lambda language: language.section_words)})\s?"
    rf"|(?P<part>{_prefix})\s?"
)
_lead_unnamed = re.sub(r"\?P<\w+>", "?:", f"(?:{_lead})")
_see_behind = _behind(lambda language: language.see_behind)


# A word behind what may be missing of it: what must not stand before it, its first character, the
# rest.
_BEGINNING = re.compile(r"^(?:(?:\(\?:[^()]*\)|[^\\()])\?)?(\(\?<![^()]*\))?([^\\()\[.])(.*)$")


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _compile_both(field: _Field) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of the words of a field before a number, which end where it begins: those
    of spaced languages, then the others, apart because what stands directly before the number tells
    which to try."""
    return _compile(rf"(?<![A-Za-z]){_spaced(field)}\s$"), _compile(rf"{_unspaced(field)}\s?$")


def _compile_any(field: _Field) -> re.Pattern[str]:
    """Return a pattern that finds fast whether a text has any of the words of a field, in any case.

    Each alternative begins with one character, as `re` looks only for such at once: what may be
    missing before it is left out, and what must not stand before it is looked for behind it.
    """
    found: set[str] = set()
    for word in {word for language in LANGUAGES for word in field(language)}:
        apart, first, rest = _BEGINNING.findall(word)[0]
        for letter in (first.lower(), first.upper()):
            not_before = f"{apart[:-1]}{letter})" if apart else ""
            found.add(f"{letter}{not_before}(?i:{rest})")
    return re.compile("|".join(sorted(found)))


# Numbers. One that hardly is anything but a rule's, as its levels are those of Magic's: a section
# of three digits, and rules below it.
LIKE_A_RULE = r"[1-9]\d\d\.\d{1,3}(?P<letter>\.?[a-z])?"
# The pattern begins with a set of signs alone, as `re` looks for those fast.
DIGIT = re.compile(f"[0-9０-９{_numeral_prefix}]")
# Three numerals (二十三) are the longest that a chapter has.
NUMBER = re.compile(
    rf"[0-9{_numeral_prefix}](?:(?<=[{_numeral_prefix}])\s?(?P<numeral>[{_numerals}]{{1,3}})"
    rf"(?=\s?{_bare_suffix})"
    rf"|(?<=[0-9])(?<![\d_][0-9])(?:(?<!\.[0-9])|(?<=[A-Z]\.[0-9])){POINTED_REST}(?![\d%]|\.\d))",
    re.ASCII,
)
# A chapter of a book whose chapters have Roman numerals: behind a word in any case, in capitals.
ROMAN_CHAPTER = re.compile(
    rf"(?<![A-Za-z])(?i:{_spaced(lambda language: language.section_words)})\s+"
    r"(?P<numeral>[IVX]{1,5})(?![\w-]|\.[\dA-Za-z])"
)
# A rule of a book that is laid out as an outline, and the last of a range: `I.B.2 to I.B.4`.
OUTLINE = r"[IVX]{1,5}\.[A-Z](?:\.\d{1,2}(?:\.[a-z])?)?(?![\w-]|\.\w)"
OUTLINE_NUMBER = re.compile(
    rf"(?<![\w.-])(?P<first>{OUTLINE})(?:(?i:{_range})(?P<last>{OUTLINE}))?"
)
DASHED_NUMBER = re.compile(rf"(?<![\w.-]){DASHED}(?![\w-])", re.ASCII)
MIXED_NUMBER = re.compile(rf"{MIXED}(?![\w-])", re.ASCII)
GLUED_NUMBER = re.compile(rf"(?<![\w.-])[A-Z]{MIXED}(?![\w-])", re.ASCII)  # A1.1
LETTERS_BEFORE = re.compile(rf"(?<![\w.-]){FIRST_LETTERS}$", re.ASCII)
RANGE_BEHIND = re.compile(
    rf"(?i:\.?{_range}{_lead_unnamed}?)"
    rf"(?P<last>[0-9]{POINTED_REST}|(?<![A-Za-z])[a-z](?![A-Za-z])|\([0-9a-z]{{1,2}}\))(?![\w%]|\.\d)",
    re.ASCII,
)
DASHED_RANGE_BEHIND = re.compile(
    rf"(?i:\.?{_range}{_lead_unnamed}?)"
    rf"(?P<last>(?:{FIRST_LETTERS})?(?:{DASHED}|[0-9]{POINTED_REST}))(?![\w%-]|\.\d)",
    re.ASCII,
)
CHAPTER_BEHIND = _compile(rf"\s?(?P<suffix>{_suffix})")
BARE_CHAPTER_BEHIND = _compile(rf"\s?{_bare_suffix}")
CHAPTERS_BEHIND = _compile(rf"(?:{_range}\d{{1,2}})?\s?{_bare_suffix}")
CHAPTER_RANGE_BEHIND = _compile(
    rf"{_range}{_prefix}?\s?(?P<last>\d{{1,2}}|[{_numerals}]{{1,3}})\s?{_suffix}"
)
# The item of a list in a rule that is cited: `1-2③`, `1.3.1 c)`, `§ 4 Abs. 1`; and the next.
_label = r"(?:(?P<circled>[①-⑳])|\(?(?P<label>[a-z]|(?<=\()\d)\))"
ITEM_BEHIND = _compile(
    rf"(?:\s?[の의条項항]\s?|,?\s(?:letra|lettre|lettera|letter|buchstabe)\s|\s)?{_label}"
    r"|(?:\sabs(?:atz|\.)\s|[条조]?\s?[第제])(?P<paragraph>\d)(?!\d)[項항]?"
)
NEXT_ITEM_BEHIND = _compile(
    rf"(?:(?P<range>{_range})|\s?[、,/&・]\s?(?:{_conjunction}\s?)?|\s?{_conjunction}\s?){_label}"
)
ROMAN_LEVEL_BEHIND = re.compile(ROMAN_LEVEL)
# A number that the end of a line breaks behind the sign between two levels.
BROKEN_NUMBER = re.compile(rf"{MIXED}(?P<sign>[-–.])\s{{1,2}}\d{{1,3}}(?!\d)", re.ASCII)
NEXT_LETTER_BEHIND = _compile(
    rf"(?:\s?[、,/&]\s?(?:{_conjunction}\s?)?|\s{_conjunction}\s|\s?{_unspaced_conjunction}\s?)"
    r"(?P<first>[a-z])(?:[-–—〜~](?P<last>[a-z]))?(?![A-Za-z])"
)
CONJUNCTION = _compile(
    rf"\.?\)?\s?(?:[、,;]\s?{_conjunction}?|{_conjunction}|[・&/〜])\s?(?:{_article}\s)?"
)
HEADING_BEHIND = _compile(rf"{_number_suffix}?\.?[,:]?\s?(?:{_headings})")

# Words that make a number a citation. Those of LEAD end with one of LEAD_SIGNS, but for
# signs of LEAD_GAP behind that.
LEAD_GAP = " :=\t\n"
LEAD_SIGNS = {
    sign
    for language in LANGUAGES
    for word in (
        *language.rule_words, *language.rule_codes, *language.section_words,
        *language.cited_prefixes,
    )
    for sign in (word[-1], word[-1].upper())
} | {"R", "G"}  # fmt: skip
LEAD_WORD = _compile_any(
    lambda language: language.rule_words + language.rule_codes + language.section_words
)
LEAD = _compile(rf"(?:{_lead})$")
# Between the name of a document and the number, or the word before it, and between these and the
# name behind them: `section 4 of the Sample Game Tournament Rules`. Eight words are more than any
# name of a document has before the words it is known by; the bounds also keep a long text cheap.
DOCUMENT_BEFORE = re.compile(r"[\s,、:の「『“‘\"(（§®™」』》”’]{0,4}")
DOCUMENT_BEHIND = _compile(
    r"[\s,)”\"]{0,3}(?:of|in|from|under|per|der|des|aus|von|im|du|de|dans|del|della|dei|dos|das|nas)"
    r"\s+(?:[^\W\d_][^\s\d]{0,20}\s+){0,8}?"
)
SEE_BEFORE = _compile_both(lambda language: language.see_before)
CITED_BEFORE = _compile_both(lambda language: language.see_before + language.cited_before)
SEE_BEHIND = _compile(rf"\.?[{_closing}]?{_see_behind}")
CITED_BEHIND = _compile(
    rf"\.?(?:{_range_end}の?)?(?:[{_closing}]?"
    rf"{_behind(lambda language: language.see_behind + language.cited_behind)}"
    r"|\.(?=[ぁ-ゖァ-ヺ一-鿿]))"  # `4.1.2.の`: versions and decimals are not written so
)
# What may stand around citations that nothing else stands beside, as in brackets.
BESIDE_CITATIONS = _compile(
    rf"(?:\s|[、,;・&を]|{LIKE_A_RULE}|{_adjective}|{_conjunction}"
    rf"|{alternatives(lambda language: language.see_before)}|{_see_behind})*"
)
# What stands around the number of a chapter that the text sends the reader to: no word before it
# that it could count or number (`図3を参照`), nothing behind it that it could count.
APART_BEFORE = re.compile(r"(?:^|[^\w\].:/–-]|[ぁ-ん])$")
ENDING_BEHIND = re.compile(
    rf"\.?(?:\s?[,;:、。)\]{_closing}]|\s*$|\n|(?:{CONJUNCTION.pattern})\d)", re.IGNORECASE
)
REFERENCE_BEFORE = re.compile(r"[a-z]\[$")  # `zone[3]`
# A section in brackets (`an astral ruler (1024)`), but for amounts (`one hundred (100)`).
BRACKET_BEFORE = re.compile(r"(?<!hundred )(?<!thousand )\($", re.IGNORECASE)
BRACKET_BEHIND = re.compile(r"\.?\)")
TITLE_BEFORE = re.compile(r"[«“]\s?([A-ZÀ-Þ][^«»“”]{2,40}?)[,.;]?\s?[»”],?\s?$")
# The number of a rule whose text stands elsewhere, as that of a column which was torn off.
LABEL_BEFORE = re.compile(r"(?:^|[.。!?」)\n])\s*$")
LABEL_BEHIND = re.compile(r"\.\s*(?:\n|\d|$)")
TITLE_BEHIND = re.compile(  # between a number and a heading without quotation marks
    r"\s?(?:[.:–]|(?P<of>の))?\s?"
)
# What another document is called that has no name in `documents`, before a number and behind it:
# `PCG 2.4`, 《多人指南》, `section 2.1 of the Judge Handbook`, but not `of this handbook`.
_JAPANESE_DOCUMENT = (
    "ガイド(?:ライン|ブック)?|(?<!本)規[程約]|要[項綱]|マニュアル|ハンドブック|手引き?|便覧|説明書"
)
_KOREAN_DOCUMENT = "지침서?|안내서|설명서|매뉴얼|핸드북|가이드"
_LATIN_DOCUMENT = (
    "Handbook|Almanac|Guide|Manual|Policy|Booklet|Supplement|Primer|Annex|Regulations"
    "|Guía|Código|Reglamento|Ayuda|Suplemento|Code|Manuel|Règlement|Livret|Annexe|Guida|Codice"
    "|Regolamento|Guia|Regulamento|[A-ZÄÖÜ]?[a-zäöüß]*(?:[Oo]rdnung|[Hh]andbuch|[Ll]eitfaden"
    "|[Bb]eiheft|[Aa]nleitung)"
)
_OWN = r"(?:this|these|dies\w*|cet?(?:te)?|est[ea]|quest[oa])\s"
OTHER_DOCUMENT_BEFORE = re.compile(
    rf"(?:(?<![A-Za-z])[A-Z]{{3,5}}\s|(?:{_JAPANESE_DOCUMENT}|{_KOREAN_DOCUMENT}|》)[』」》”]?\s?의?"
    rf"\s?[の第제]?|(?<!\w)(?<!this\s)(?<!cette\s)(?<!est[ea]\s)(?<!ce\s)"
    rf"(?:{_LATIN_DOCUMENT})(?!\w)[^.;:()\d]{{0,40}},?\s?)$"
)
OTHER_DOCUMENT_BEHIND = re.compile(
    r"\s(?:of|in|from|der|des|aus|im|du|de|del|della|do|da)\s(?:(?:the|la|los|las|le|l[’'])\s?)?"
    rf"(?!{_OWN})(?:[^\W\d_a-zà-ÿ][\w’'-]*\s){{0,4}}?(?:{_LATIN_DOCUMENT})"
)
OPENING = frozenset("([【") | {quotes[0] for quotes in _quotes}

RANGE_SIGN = _compile(_range)
USED_BEHIND = _compile(rf"\.?(?:{_range_end})?{_behind(lambda language: language.used_behind)}")

# Words that make it the number of an edition before.
FORMER_SIGNS = {
    sign
    for language in LANGUAGES
    for word in language.former_before
    for sign in (word[-1], word[-1].upper())
}
FORMER_BEFORE = _compile(rf"{_before(lambda language: language.former_before)}$")
FORMER_BEHIND = _compile(rf"{_behind(lambda language: language.former_behind)}")

# Words and signs that make it a quantity.
AMOUNT_BEHIND = _compile(_behind(lambda language: language.amounts))
UNIT_BEHIND = _compile(
    rf"{_behind(lambda language: language.units)}|\s?[%‰℃°″′€£¥$×]|\s(?:x|by)\s\d|x\d"
)
QUANTITY_BEFORE = _compile(
    rf"(?:{_before(lambda language: language.quantities, chr(92) + 's?')}|[$€£¥±+]\s?|\d:|×\s?"
    r"|\d\s?x\s?|[\d\"”″]\s?by\s)$"
)

# How a rule is cited; the groups are keys of HOWS.
HOWS: dict[str, How] = {
    "exception": "exception", "subject": "subject to", "definition": "as defined in",
}  # fmt: skip
HOW_BEFORE = _compile(
    "(?:"
    + rf"(?P<exception>{_before(lambda language: language.exception_before, ' ?')})"
    + rf"|(?P<subject>{_before(lambda language: language.subject_before, ' ?')})"
    + rf"|(?P<definition>{_before(lambda language: language.definition_before, ' ?')})"
    + ")$"
)
HOW_BEHIND = _compile(
    rf"(?P<exception>{_behind(lambda language: language.exception_behind)})"
    rf"|(?P<subject>{_behind(lambda language: language.subject_behind)})"
    rf"|(?P<definition>{_behind(lambda language: language.definition_behind)})"
)
CLOSING = _compile(rf"[.{_closing}]{{0,2}}")  # may stand between a citation and the words behind it
