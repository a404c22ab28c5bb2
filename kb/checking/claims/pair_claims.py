"""Says which quotation stands beside which citation, and so is said to be that rule's words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kb.checking.claims.claim import SpanIndex
from kb.checking.claims.find_quotations import Quotation
from kb.checking.claims.find_rule_numbers import CitedRules

# By hand. Farther, the number is one that the text had gone on from.
_FARTHEST = 160  # characters between a citation and what it introduces
_FARTHEST_MARK = 3  # places behind a quotation for a footnote's mark: full stop and bracket between
_LONGEST_LEAD = 40  # characters of a footnote before its citation, such as `See Magic's rules`
# A guard: more than `_FARTHEST` with a citation's own words, so that only it decides.
_NEAR = 300  # characters around a quotation in which its citation is looked for
# Not `SENTENCE_END`: a number goes on to the words that it introduces, `121.4. “…”`, also in a line
# below it.
_SENTENCE_END = re.compile(r"[。！？!?]|\.(?=\s+[^\s“\"「『(（>])|\n[ \t\u3000]*\n")
# Sources other than rules: a quotation behind such a word is of that source.
_OTHER_SOURCE = re.compile(
    r"\b(?:glossary|rulings?|oracle|card text|gatherer|wiki|article|faq|reminder text)\b"
    r"|用語集|裁定|ウィキ|Wiki|ページ|記事|FAQ|注釈文|カードのテキスト|カードテキスト",
    re.IGNORECASE,
)
_JUST_BEHIND = re.compile(
    r"[\s.,;:、。]{0,3}(?:と|って|とは|という[のこ]?[とは]?)?[\s,、]{0,2}[（(\[［【〔{|—–―~→*-]{0,3}\s*"
    r"(?:(?:see|cf\.?|from|per|in|as per|source|出典|参照|引用|根拠|→|(?:ルール|条文|規則)?番号"
    r"|(?:rule )?number)"
    r"\s*[はが]?[:：]?\s*)?"
    r"(?:(?:MTG|the|Magic|Lorcana|Riftbound|Comprehensive|Comp|総合|CR)[\s|]*){0,3}[\s,、:：]{0,2}",
    re.IGNORECASE,
)
# Between a quotation and its source, without a word such as `see`.
_PLAIN_SOURCE = re.compile(
    r"[.。]?\s?[（(\[［【〔{|—–―-]{1,3}\s?(?:(?:MTG|Magic|Lorcana|Riftbound|総合|CR)[\s|]*){0,2}"
)
_ENDS_CLAUSE = re.compile(
    r"\s*(?:[）)\]］】〕]|[.,;。、]?\s*(?:$|\n)|[.;。](?:\s|$)|(?:に|で|が|は|から|より)(?!\d))"
)
# What says behind a quotation that it is the words of the rule cited next: `… — that's rule 1.2`.
_IS_THAT = re.compile(
    r"[\s.,;:!)]{0,3}[—–-]{0,2}\s*"
    r"(?:(?:and|but|so|I (?:think|believe|guess)|if I recall)[,\s]{0,2})?"
    r"(?:(?:(?:that|this|those|these|which|it|number)(?:\s?(?:['’]s|is|was|are|were|being)|['’]re)"
    r"|(?:I (?:think|believe) )?(?:the|its|their|whose) (?:rule )?(?:number|source|citation)"
    r" (?:is|was|being|should be))\s+(?:(?:what|in|from|the (?:words?|wording|text|words) of)\s)*"
    r"|(?:です|だ|である|という(?:条文|文|もの|ルール|規定)|と(?:ある|なって(?:いる|います)))?"
    r"(?:がある|があり|であり)?[で、。，\s]{0,4}"
    r"(?:(?:これ|それ|こちら|上)(?:は|が)|(?:その|この|条文|ルール|規則)?(?:の)?番号(?:は|が)|出典は))"
    r"[\s、:：]{0,2}(?:(?:MTG|Magic|Lorcana|Riftbound|the|Comprehensive|総合|CR)\s*){0,3}",
    re.IGNORECASE,
)
_THAT_ENDS = re.compile(
    r"\s*(?:$|[.,;!)\]。、！）」—–\n-]|says?\b|reads?\b|states?\b|in\b|of\b|for you\b|"
    r"の(?:条文|内容|規定|文|全文|ルール|引用)|な|だ|です|で(?:[すあ、。]|し[たょ])|と(?:な|思)|ね|か)"
)
# `“…” (for planeswalkers see 1.2c)`: the topic, and then the number.
_TOPIC = re.compile(
    r"[\s.。、]{0,2}[（(\[［〔]\s*(?:(?P<ja>[^（()）\n]{1,30}?)(?:については?|に関して(?:は|の)?)[、\s]{0,2}"
    r"|(?:for|on|about|regarding|as to)\s(?P<en>[^()\n]{1,40}?),?\s(?:see|cf\.?|compare)\s)"
    r"(?:(?:CR|総合|MTG)\s*){0,2}",
    re.IGNORECASE,
)
# Behind a number: it closed the clause before, `at most two (1.2), and “…”`.
_CLOSES_CLAUSE = re.compile(
    r"\s?[)）\]］〕](?:\s?[,、;；—–]\s?(?:and|but|while|so|or)\b|(?:で|が|し|ので|ため)、|\s(?:and|but)\b)",
    re.IGNORECASE,
)
# Behind a number in brackets that ends a sentence: `(1.2). “…”`.
_CLOSES_SENTENCE = re.compile(r"\s?[)）\]］〕]\s?[.。](?:\s|$)")
_NEXT_ITEM = re.compile(r"\n(?:[*+•-]|\d{1,2}[.)])[ \t]")  # not ` * `, as comments go on
# A quotation and its source in the next line of a comment: `“…”:`.
_COLON_BEHIND = re.compile(r"[.。]?\s?[:：]\s*(?:(?:\*|//+|#+|--)\s*)?")
_FULL_STOP = re.compile(r"\w[.。]\s+$")
# Before a number: it is another than that of the words.
_CONTRAST = re.compile(
    r"\b(?:exceptions? to|unlike|instead of|contrary to|as opposed to|besides|apart from)\s"
    r"(?:(?:rule|CR|the)\s){0,2}$",
    re.IGNORECASE,
)
# A line of a program between a comment with a citation and the next one.
_CODE_BETWEEN = re.compile(
    r"\n[ \t]*[\w.\[\]]+(?:\([^\n]*\)|\s*[-+*/]?=[^\n]*)[;:{]?[ \t]*\n|[{};][ \t]*\n"
)
# Behind a quotation that ends as a sentence does: the next one, which is not about its source.
_NEW_SENTENCE = re.compile(
    r"\s+(?!(?:That|This|These|Those|It|Which|The (?:source|text|words?|rule)|Source|From|See"
    r"|Taken)\b)[A-Z]"
)
_STOPS = (".", "!", "?", "。")
# From a quotation to the number that ends its sentence in brackets: `“0 life” loses (1.2).`
_MORE_WORDS = re.compile(r"[^.。!?！？\n()（）“”\"「」『』„‘’]{1,60}[（(]\s?")
_BRACKET_ENDS = re.compile(r"\s?[）)]")
_SAID_BEHIND = re.compile(r"[^.。!?！？\n“”\"「」『』]{0,60}")


@dataclass(frozen=True, slots=True)
class Beside:
    """The citation that a quotation stands beside.

    cited: the rules. sure: whether nothing else can be meant, so that other words are wrong.
    others: that may be meant, too.
    by_topic: whether the text only refers to the rule for what the quotation is about; then it is
        wrong if the words are those of the rule beside it in the rulebook.
    ends_sentence: whether the rule is only named in brackets behind the words that the sentence
        goes on with: `“0 life” loses (1.2)`. The quotation may be of something else, so that it is
        wrong only if a rule has its words.
    """

    cited: CitedRules
    sure: bool
    others: tuple[CitedRules, ...] = ()
    by_topic: bool = False
    ends_sentence: bool = False

    @property
    def numbers(self) -> tuple[str, ...]:
        """The numbers of all rules that may be meant."""
        return (*self.cited.numbers, *(n for one in self.others for n in one.numbers))


def pair_claims(
    text: str,
    quotations: Sequence[Quotation],
    citations: Sequence[CitedRules],
    notes: Mapping[int, int],
) -> Mapping[int, Beside]:
    """Return {index of a quotation: the citation that it stands beside}, without those that stand
    beside none.

    That is the one that the footnote behind it begins with; else the one that introduces it in its
    sentence, line or the line above, or the one directly behind it: `“…” (rule 1.2)`; else one for
    what it is about. Where the sentence before and the brackets behind name one each, the one
    behind if it is another clause's, with the other in `others`.

    quotations, citations: in order. A citation within a quotation's words is none of it.
    notes: {where the mark of a footnote stood: where the footnote begins}.
    """
    quoted = SpanIndex(quotations)
    outside = SpanIndex(one for one in citations if not _is_within_quotation(one, quoted))
    citations_by_place = SpanIndex(citations)
    taken: set[int] = set()
    found: dict[int, Beside] = {}
    for index, quotation in enumerate(quotations):
        near = outside.beginning_in(quotation.start - _NEAR, quotation.end + _NEAR)
        previous = quoted.last_end(quotation.start)
        before = _before(text, quotation, near, previous, taken)
        behind = _directly_behind(text, quotation, near)
        later = _later(text, quotation, near, quoted)
        in_note = _in_note(text, quotation, citations_by_place, notes) if notes else None
        if before and before.sure:
            gap = text[before.cited.end : quotation.start]
            later = later if _FULL_STOP.search(gap) else None
        if in_note:
            found[index] = Beside(in_note, True)
        elif behind and (before is None or not before.sure):
            found[index] = Beside(behind, True)
            taken.add(id(behind))
        elif before and behind and _is_other_clause(text, before.cited, quotation, behind):
            found[index] = Beside(behind, True, (before.cited,))
            taken.add(id(behind))
        elif later:
            found[index] = Beside(later, True)
        elif before:
            # `As 1.1 explains, “…” (1.2)`: the words may be of either.
            others = (behind,) if behind else ()
            found[index] = Beside(before.cited, before.sure, others)
        elif on_topic := _on_topic(text, quotation, near):
            found[index] = Beside(on_topic, True, by_topic=True)
        elif at_end := _at_end(text, quotation, near):
            found[index] = Beside(at_end, False, ends_sentence=True)
    return found


def _in_note(
    text: str, quotation: Quotation, citations: SpanIndex[CitedRules], notes: Mapping[int, int]
) -> CitedRules | None:
    """Return the first citation in the first 40 characters and first line of the footnote behind a
    quotation; None without a footnote, or if it begins otherwise."""
    for place in range(quotation.end, quotation.end + _FARTHEST_MARK):
        if place in notes:
            begin = notes[place]
            cited = citations.beginning_in(begin, begin + _LONGEST_LEAD)
            return cited[0] if cited and "\n" not in text[begin : cited[0].start] else None
    return None


def _is_within_quotation(cited: CitedRules, quoted: SpanIndex[Quotation]) -> bool:
    """Whether a citation stands among the words of a quotation."""
    return any(
        one.first <= cited.start and cited.end <= one.last
        for one in quoted.around(cited.start, cited.end)
    )


def _is_other_clause(
    text: str, before: CitedRules, quotation: Quotation, behind: CitedRules
) -> bool:
    """Whether the citation before a quotation stands in another clause than it, and the one behind
    it names its source: `as 1.1 says; “…” (1.2)`, but not `1.1 says “…” (see 1.2)`."""
    gap = text[before.end : quotation.start]
    if not re.search(r"[,;、；，—–]|\b(?:and|but|while|whereas)\b|\n", gap):
        return False
    return _PLAIN_SOURCE.fullmatch(text, quotation.end, behind.start) is not None


def _on_topic(
    text: str, quotation: Quotation, citations: Sequence[CitedRules]
) -> CitedRules | None:
    """Return the citation in brackets behind a quotation for a thing that the quotation names:
    `“…” (for planeswalkers see 1.2c)`; None without one."""
    behind = next((one for one in citations if one.start >= quotation.end), None)
    if behind is None or behind.start - quotation.end > 80:
        return None
    found = _TOPIC.fullmatch(text, quotation.end, behind.start)
    topic = (found["ja"] or found["en"] or "").strip().lower() if found else ""
    return behind if topic and topic in quotation.text.lower() else None


def _at_end(text: str, quotation: Quotation, citations: Sequence[CitedRules]) -> CitedRules | None:
    """Return the citation that stands alone in brackets behind a quotation and up to sixty
    characters of the same sentence, without another quotation; None without one."""
    behind = next((one for one in citations if one.start >= quotation.end), None)
    if behind is None or not _BRACKET_ENDS.match(text, behind.end):
        return None
    return behind if _MORE_WORDS.fullmatch(text, quotation.end, behind.start) else None


def _directly_behind(
    text: str, quotation: Quotation, citations: Sequence[CitedRules]
) -> CitedRules | None:
    """Return the citation directly behind a quotation: in brackets, behind a dash or at the end of
    the clause; or the one that a block ends with. None without one, and where a sentence or line
    ended between them (but for a dash)."""
    for one in citations:
        if quotation.last <= one.start < quotation.end:  # the source of a block
            return one
        gap = one.start - quotation.end
        if _COLON_BEHIND.fullmatch(text, quotation.end, one.start):
            return one
        if 0 <= gap <= 50 and _JUST_BEHIND.fullmatch(text, quotation.end, one.start):
            between = text[quotation.end : one.start]
            if quotation.dress != "block" and re.search(r"[.。]\s|\n(?!\s*[—–―])", between):
                return None
            bracketed = re.search(r"[（(\[［【〔{|—–―→-]", between)
            return one if bracketed or _ENDS_CLAUSE.match(text, one.end) else None
    return None


def _before(
    text: str,
    quotation: Quotation,
    citations: Sequence[CitedRules],
    previous: int,
    taken: set[int],
) -> Beside | None:
    """Return the last citation before a quotation that introduces it, or the number that a block or
    written-out rule begins with; None if there is none, or another source is named between them.
    It is sure only if nothing ended or set it apart between them, and no quotation did.

    previous: where the quotation before it ends. taken: the ids of citations that are not meant.
    """
    for one in citations:  # the number at the beginning of a block or line
        if quotation.start <= one.start and one.end <= quotation.first:
            return Beside(one, True)
    if quotation.dress == "written out":
        near = [one for one in citations if 0 <= quotation.start - one.end <= 8]
        return Beside(near[-1], True) if near else None
    before = [one for one in citations if one.end <= quotation.start and id(one) not in taken]
    if not before:
        return None
    one = before[-1]
    gap = text[one.end : quotation.start]
    if len(gap) > _FARTHEST:
        return None
    if one.end < previous:
        # Behind another quotation: `rule 1.2 says “A” and “B”`.
        middle = text[previous : quotation.start]
        is_joined = len(middle) <= 30 and not _SENTENCE_END.search(middle)
        return Beside(one, False) if is_joined and not _OTHER_SOURCE.search(gap) else None
    if _CODE_BETWEEN.search(gap):
        return None
    rest = gap if _NEXT_ITEM.search(gap) else re.sub(r"^[.．]\W*$", "", gap)  # `121.4. “…”`
    is_block = quotation.dress == "block"
    if is_block:
        rest = rest.rstrip().removesuffix(".").removesuffix("。")
    ended = _SENTENCE_END.search(rest)
    if _OTHER_SOURCE.search(rest):
        return None
    if is_block and not ended:
        others = [c for c in citations if c.end <= quotation.start and one.start - c.end < 100]
        return Beside(one, len(others) <= 1 or len(rest) < 20)
    if ended:
        return Beside(one, False) if "\n" not in gap else None
    is_of_other = (
        _CLOSES_CLAUSE.match(gap)
        or _CLOSES_SENTENCE.match(gap)
        or _CONTRAST.search(text, max(0, one.start - 30), one.start)
    )
    return Beside(one, not is_of_other)


def _later(
    text: str,
    quotation: Quotation,
    citations: Sequence[CitedRules],
    quoted: SpanIndex[Quotation],
) -> CitedRules | None:
    """Return the first citation behind a quotation if it names its source in the same sentence:
    `“…” is from rule 1.2`; None if it doesn't, or introduces the next quotation."""
    for one in citations:
        if one.start < quotation.end:
            continue
        if one.start - quotation.end <= 80 and bool(
            _IS_THAT.fullmatch(text, quotation.end, one.start) and _THAT_ENDS.match(text, one.end)
        ):
            return None if _introduces(text, one, quotation, quoted) else one
        if not _SAID_BEHIND.fullmatch(text, quotation.end, one.start):
            return None
        between = text[quotation.end : one.start]
        if quotation.text.rstrip()[-1:] in _STOPS and _NEW_SENTENCE.match(between):
            return None
        is_source = re.search(
            r"\b(?:from|says|said|states|stated|reads|written|found|according to|in|of|under|by)\b"
            r"|と(?:は|いう|の|して|書|あ|定|述)|^[はがも]、?$|^\s*(?:is|was|are)(?:\s(?:how|what))?\s*$",
            between,
        )
        introduces = _introduces(text, one, quotation, quoted)
        return one if is_source and not introduces and not _OTHER_SOURCE.search(between) else None
    return None


def _introduces(
    text: str, cited: CitedRules, quotation: Quotation, quoted: SpanIndex[Quotation]
) -> bool:
    """Whether a citation behind a quotation introduces the next one: that begins within 60
    characters, in the same sentence."""
    return any(
        not _SENTENCE_END.search(text[cited.end : other.start])
        for other in quoted.beginning_in(cited.end, cited.end + 60)
        if other is not quotation
    )
