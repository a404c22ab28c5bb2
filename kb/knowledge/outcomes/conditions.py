"""Finds conditions and their results in sentences: the words that say "if A then B".

A sentence is cut into clauses at conjunctions (が、ため、ので). A clause that contains a condition
states something: the condition, and behind it the result. What is in brackets or quotation marks
is a name or a remark, and no condition of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Modality = Literal["must", "may", "cannot", "is"]

# The patterns. Most are matched against masked text: quotations are masked as _QUOTED, what is in
# brackets as _ASIDE. How many characters may stand between two words bounds the time, and keeps
# words of different clauses apart: by hand, about the length of the longest phrase that is meant.
_QUOTED = "■"
_ASIDE = "□"
# Characters; a longer sentence is a list or no prose. A guard of the patterns' time, too: Japanese
# rulebooks have none of more than 170, and eight of Magic's 11,700 English ones are longer: lists.
_LONGEST_SENTENCE = 600
# Particles behind a condition's noun.
_PARTICLES = (
    r"(?:に限り|に限って|にのみ|のみ|だけ|には|にも|に|など(?:に(?:は)?)?|は|であっても|でも|も)?"
)
_NO_CONDITION = r"(?![のがをとかやまだで点限間期刻])"  # 場合がある, 時の, 時限: only a noun
_ENDING = "るたいうくすつぬむぶぐ"  # the last kana of verbs and adjectives
# The words that end a condition: see `_condition_ends`.
_STRONG = re.compile(
    r"(?=[場時と際た度限かなれけせてべめげ使払行あす代タ])(?:"  # the first character, to fail fast
    rf"(?:場合|(?<=[{_ENDING}だなの■□])(?:時|とき|際)){_PARTICLES}(?:いつでも)?{_NO_CONDITION}|"
    rf"場合を除(?:いて|き)|(?<=[{_ENDING}])(?:たび|度)(?:に|(?=、))|(?<=[るいた])(?:限り|かぎり)|"
    r"ならば|(?<!なぜ)なら(?![なぬずいんでびう])|たら(?=、)|(?:[れけせてべめげ]|[使払行]え)ば(?=、)|"
    r"(?:あれ|なけれ|すれ)ば(?!なら|なり|いけ|よ|良|い|だめ|駄目)|"
    rf"(?<=[{_ENDING}の])(?:代|か)わりに|(?<=[るたい])ターン(?=、)|"
    r"(?<!よる)(?<!いう)(?<!言う)(?<!考える)(?<!比べる)(?<!見る)(?<=[るうくすつむぶぐ])と(?=、)|"
    r"(?<=ない)と(?=、))"
)
_ATTEMPT = re.compile("うとした(?=プレイヤーは)")
_CONCESSIVE = re.compile(
    r"(?=[な無とで状間て])(?:(?<!少)(?<!すく)(?:なく|無く)(?:と|て)も|(?<=た)としても|であっても|(?:状態|間)でも(?!な)|"
    r"(?<!つい)(?<!おい)(?<!対し)(?<!関し)(?<!よっ)(?<!とっ)(?<!とし)(?<!と)"
    r"て(?:い)?も(?![よ良い構差らうのつ]|かま|な))"
)
_WEAK = re.compile(
    rf"(?<=[{_ENDING}])時点で(?:は)?|この時点(?:で|をもって)|この後(?:に|は|、)|"
    r"(?<=[たい])(?:後|あと)(?:は|(?=、))|(?<=[るい])間(?:は|も|(?=、))|向きの間(?:は|(?=、))|"
    r"(?:最初の|次の|自分の|相手の|[るた])ターン(?:中)?は|いつでも|前に(?=、)"
)
_ENGLISH_CONDITIONAL = [*"if when whenever unless while".split(), "as long as"]
# Only texts with one of these words can contain a condition. Each alternative begins with one
# character, not with a set or \b: only so does `re` skip fast to where one may begin.
CONDITIONAL = re.compile(
    "場合|時|とき|際|たび|度に|度、|限り|かぎり|なら|たら|わりに|ターン|前に|うとした|と、|"
    "れば|けば|せば|てば|べば|めば|げば|使ば|払ば|行ば|ても|でも|なも|いも|とも|"
    "後|あと|あは|あに|あ、|間は|間も|間、|間に|間で|"
    + "|".join(
        rf"{first}(?<!\w{first}){word[1:]}\b"
        for word in _ENGLISH_CONDITIONAL
        for first in (word[0], word[0].upper())
    )
)
# A conjunction at which a sentence is cut into clauses.
_CONJUNCTION = re.compile(  # each alternative begins with one character, as in CONDITIONAL
    rf"が(?<=[{_ENDING}だ]が)(?=、)|ため(?=、)|為(?=、)|から(?=、)|"
    rf"ので(?<=[{_ENDING}]ので)(?![はあなすし])"
)
# What may stand at the beginning of a sentence before its statement.
OPENING = re.compile(
    r"(?:[\s※・→―*＊]|\d{1,4}(?:[.-]\d{1,3}){1,4}[a-z]?\.?\s(?![でのにをはが])|[(（][0-9０-９XＸ]{1,2}[)）][:：]?|"
    r"[0-9０-９]{1,2}[.．]\s|"
    r"(?P<exception>ただし|但し|例外として|(?:この|その)[^、。]{0,12}例外として)、?|"
    r"(?P<then>その後)、|(?P<more>また|さらに|更に|(?:その)?一方)、|"
    r"(?:なお|例えば|たとえば|そして|同様に|つまり|よって|従って|したがって|基本的に|通常|原則)は?、|"
    r"例えば|たとえば|もし|まず|例\s?[A-Z0-9０-９]{0,2}\s?[:：]\s?)*"
)
# The beginning of a sentence that only explains another, and the end of a question.
EXPLANATION = re.compile(r"(?:これ|それ|これら)は(?:、|$)|前者|後者|以下|上記(?:は|の表)")
QUESTION_END = re.compile(r"(?:か|[?？])[?？]?$")
# Results that are no rule: that something exists or is likely, advice, events of the past.
_NO_RESULT = re.compile(
    r"(?:場合|こと|事|もの|効果|能力|カード|例|面|可能性)(?:が|も)(?:ある|あり|多い|存在する)|"
    r"^(?:が|も)?(?:ある|あり|多い|少ない)|(?:が|も)(?:多い|少ない|高い|低い|強い|弱い)$|"
    r"(?:たい|だろう|でしょう|かもしれない|やすい|にくい|[てで]しまう|ください|だった|[いっし]た|"
    r"(?:られ|され|なっ)た|ておこう|しよう|(?:良|よ)い|有効だ|有用だ|便利だ|重要だ|違いが生じる)"
    r"(?:が|もの)?$(?<!もよい)(?<!も良い)|考えられ|思われ|とよい$|テキストとなる$"
)
# A result whose beginning or end is missing; しか turns what follows into its opposite.
_CUT_OFF = re.compile(
    r"^(?:[をへ]|の(?=[一-鿿ァ-ヺ■])|[がは](?=[一-鿿ァ-ヺ、■□])|に(?=[一-鿿ァ-ヺ、■□]))|^(?:に|で|は|から|まで|と)*しか|"
    r"(?:[にをがのはへや、]|(?<!こ)と|から|まで|より|および|及び|または|又は|かつ)$(?<!もの)(?<!ように)"
)
# Words by which a result can't, may or must be done.
_CANNOT = re.compile(
    r"でき(?:ない|ず|ません|なくな)|(?<!なく)[てで]は(?:(?:なら|いけ)ない|(?:なり|いけ)ません)|不可能|禁止|(?<!与え)(?<!かけ)られ(?:ない|ません)|"
    r"[使行払扱]えない|[選呼]べない|[引置]けない|(?:[出戻]|動か)せない|[持打]てない|[積読]めない|[取送]れない"
)
_NEGATION = re.compile("ない|ず|ません|なくな|不可能|禁止")  # in each match of _CANNOT
_MAY = re.compile(
    r"でき(?:る|ます)(?![一-鿿ァ-ヺのよも])|[てで]も(?:よ|良|い)い|[てで]も(?:かま|構)(?:わない|いません)|"
    r"なくてもよい|可能(?:である|です|だ|とな|にな|$)|"
    r"(?:[使行払扱]え|[選呼]べ|[引置]け|[出戻]せ)(?:る|ます)|(?<![をが])得る$"
)
_MUST = re.compile(
    r"な(?:けれ|く)(?:ば|ては)(?:(?:なら|いけ)ない|(?:なり|いけ)ません)|ねば(?:ならない|なりません)|必要(?:があ[るり]|で(?:ある|す)?$)|べき(?:である|です|だ)$|必須|義務|必ず.{0,40}[うくすつむる]$"
)
# The end of an action, which must be done; and what only looks like an action.
_ACTION = re.compile(
    r"(?:を.{0,60}|適用|処理|宣言|公開|破壊|追放|解決)[うくすつぬむぶぐる]$|"
    r"(?:積む|戻す|引く|置く|捨てさせる|打ち消す|取り除く|加える)$"
)
_LAST_OF_ACTION = frozenset("うくすつぬむぶぐる")  # characters
_NO_ACTION = re.compile(
    r"^[^をにではが、]{1,30}が|(?<!プレイヤー)(?<!あなた)(?<!自分)は|"
    r"(?:失う|負ける|勝つ|[敗勝][北利]する|[なに残戻あ]る|得る|受ける|持つ|満たす|与える|とばす|"
    r"置き換える|扱う|もたらす|従う|[しっい]ている|"
    r"(?:指|意味|示|表)す|意味する|呼ぶ|始まる|終わる)$|"
    r"(?:失い|負け|勝ち|[敗勝][北利]し|[なに残戻あ]り|得|受け|持ち|満たし|与え|置き換え|扱い|もたらし|従い|"
    r"[しっい]てい|(?:指|意味|示|表)し|呼び|始まり|終わり)ます$|^[^をはがにでらへ]{1,20}を行う$|なくなる$"
)
# Behind a quotation that is a rule; behind a result.
_STATED = re.compile(r"(?:」|』)?と(?:いう|の)(?:ルール|裁定|原則)")
# The beginning of a question or an answer.
_SPEAKER = re.compile(r"[\s　]*([QＱAＡ])[\s0-9０-９]{0,4}[：:.．]")
LINE = re.compile(r"[^\n\t]+")
# Of lines in which what is quoted or in brackets is masked: no sign in them ends a sentence, nor
# does one in the name of a card, which is not masked.
_SENTENCE = re.compile(r"(?:[^。！.]|\.(?=\S)|！(?=[^《》]{0,30}》))+")
# A label before a colon at the beginning of a line, behind the number of a rule.
_LABEL = re.compile(
    r"[\s　]*(?:\d[\d.\-]{0,20}[a-z]?[\s　]+)?"
    r"([^\s。、：:0-9０-９][^。、：:0-9０-９]{0,19})[：:](?=.)"
)
_NO_LABEL = re.compile("[■□]|^[QＱAＡ]$|^(?:例(?!外)|注)")
# The end of a condition in brackets.
_BRACKETED_CONDITION = re.compile(r"(?:場合も?|限り|時も?|ときも?|」も)[)）]$")
_SKIPPED = "、 　□"  # around a result
# Adverbs before a result.
_LEADING_ADVERB = re.compile(r"(?:その後に?|結果的に|同様に|上記の通り|原則として)(?:は|、)?")
# The end of a clause that gives a reason.
_REASON = re.compile(r"(?:ため|為|から|わけ|の)である$|(?:ため|為|から)だ?$")
# A comma that separates two conditions.
_CONDITION_COMMA = re.compile(r"(?<![をはがにでのもへと])、")
# {closing bracket: opening bracket}
_OPENING_OF = {
    "」": "「",
    "』": "『",
    "）": "（",
    ")": "(",
    "〕": "〔",
    "】": "【",
    "”": "“",
    "’": "‘",
}
_BRACKET = re.compile(f"[{re.escape(''.join(_OPENING_OF) + ''.join(_OPENING_OF.values()))}]")


class Sentence(NamedTuple):
    """A sentence of a text: text[start:end].

    masked: the sentence with all characters replaced that are quoted (■) or in brackets (□).
    label: what stands before a colon at the beginning of the sentence's line; else empty.
    """

    start: int
    end: int
    masked: str
    label: str = ""


class Clause(NamedTuple):
    """A condition with its result.

    condition, result: their spans in the text.
    limits: whether the result limits that of the clause before it in the sentence.
    """

    condition: tuple[int, int]
    result: tuple[int, int]
    limits: bool = False


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of a text, and those that it quotes as rules.

    `start` and `end` of a sentence are offsets in `text`; its full stop is left out, and so is
    the label, such as 例外：, which is in `label`. Lines and table cells are read separately. A
    rule in quotation marks comes before the sentence that quotes it. The questions of rulings and
    sentences of more than 600 characters are left out.

    >>> [(s.masked, s.label) for s in sentences("例外：カード（手札）を引く。戻す。")]
    [('カード□□□□を引く', '例外'), ('戻す', '例外')]
    """
    in_question = False
    for line in LINE.finditer(text):
        line_start, line_text = line.start(), line[0]
        if speaker := _SPEAKER.match(line_text):
            in_question = speaker[1] in "QＱ"
        if in_question:
            continue
        brackets = _bracket_spans(line_text)
        masked = _mask(line_text, brackets)
        if brackets:
            for start, end in brackets:
                if _STATED.match(line_text, end) and end - start <= _LONGEST_SENTENCE:
                    yield Sentence(
                        start=line_start + start + 1,
                        end=line_start + end - 1,
                        masked=line_text[start + 1 : end - 1],
                    )
        label_match = _LABEL.match(masked)
        label = label_match[1] if label_match and not _NO_LABEL.search(label_match[1]) else ""
        for match in _SENTENCE.finditer(masked, label_match.end() if label_match else 0):
            if len(match[0]) <= _LONGEST_SENTENCE:
                start, end = match.span()
                yield Sentence(line_start + start, line_start + end, match[0], label)


def mask_brackets(line: str) -> str:
    """Return a line with all characters replaced that are quoted (■) or in brackets (□).

    >>> mask_brackets("引く（1枚）")
    '引く□□□□'
    """
    return _mask(line, _bracket_spans(line))


def _bracket_spans(line: str) -> list[tuple[int, int]]:
    """Return the spans of the outermost pairs of brackets and quotation marks in a line, in order.

    The marks themselves are part of a span.

    A closing mark forms a pair with one of the last three open marks; those behind that mark
    are unpaired, as is a closing mark without such a one. Three is by hand: a stray mark or two
    within brackets does not break them, one far before does not swallow the line.
    """
    spans: list[tuple[int, int]] = []
    open_marks: list[tuple[int, str]] = []
    for mark in _BRACKET.finditer(line):
        opening = _OPENING_OF.get(mark[0])
        if opening is None:
            open_marks.append((mark.start(), mark[0]))
            continue
        for back in range(1, 4):
            if len(open_marks) >= back and open_marks[-back][1] == opening:
                start = open_marks[-back][0]
                del open_marks[-back:]
                while spans and spans[-1][0] > start:
                    spans.pop()
                spans.append((start, mark.end()))
                break
    return spans


def _mask(line: str, brackets: list[tuple[int, int]]) -> str:
    """Return a line with each character in some bracketed spans replaced by _QUOTED if the span
    begins with a quotation mark (「, 『, “, ‘ or 【), else by _ASIDE. Its length stays.

    brackets: the spans (start, end), each with its marks, sorted and without overlaps; `end` is
        behind the closing mark.
    """
    parts, position = [], 0
    for start, end in brackets:
        sign = _QUOTED if line[start] in "「『“‘【" else _ASIDE
        parts += [line[position:start], sign * (end - start)]
        position = end
    return "".join([*parts, line[position:]])


def clauses(sentence: Sentence, start: int, inherited: tuple[int, int] | None) -> Iterator[Clause]:
    """Yield the conditions of a Japanese sentence with their results, in order; none of a sentence
    without both. One condition may come with several results.

    A clause without a condition has that of the clause before it. `condition` and `result` of a
    clause are spans in the text that the sentence is from, not in the sentence. `limits` is True
    for a clause behind が that has no condition itself and says what can't be done.

    start: where the statement begins, as an index into `sentence.masked`: behind words such as
        その後; 0 if there are none.
    inherited: the span in the text of a condition of an earlier sentence that holds in this one,
        too; None if there is none.

    >>> text = "山札がない場合、引けないが、捨てることもできない。"
    >>> [sentence] = sentences(text)
    >>> [(text[slice(*c.result)], c.limits) for c in clauses(sentence, 0, None)]
    [('引けない', False), ('捨てることもできない', True)]
    """
    masked, condition, conjunction = sentence.masked, inherited, ""
    cuts = [*_CONJUNCTION.finditer(masked, start)]
    clause_starts = [start, *(cut.end() for cut in cuts)]
    clause_ends = [*(cut.start() for cut in cuts), len(masked)]
    for clause_start, clause_end in zip(clause_starts, clause_ends, strict=True):
        spans = list(_conditions(masked, clause_start, clause_end))
        for condition_span, result_span in spans:
            condition = _in_text(sentence, condition_span)
            if result := _find_result(sentence, *result_span):
                yield Clause(condition, result)
        if condition and not spans:
            limits = conjunction == "が"
            result = _find_result(sentence, clause_start, clause_end)
            is_reason = _REASON.search(masked, clause_start, clause_end)
            if (
                result
                and not is_reason
                and (not limits or _CANNOT.search(masked, clause_start, clause_end))
            ):
                yield Clause(condition, result, limits)
            else:
                condition = None
        conjunction = masked[clause_end : clause_end + 1]  # its first character is enough


def _in_text(sentence: Sentence, span: tuple[int, int]) -> tuple[int, int]:
    """Return a span in a sentence's `masked` as a span in the text that the sentence is from."""
    return sentence.start + span[0], sentence.start + span[1]


def _conditions(
    masked: str, start: int, end: int
) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield the spans of the conditions in masked[start:end], each with the span that its result
    is in: between it and the next condition, or `end`. All are indices into `masked`.

    Conditions that follow each other at once (AならばBの時) are one.
    """
    while start < end and masked[start] in _SKIPPED:
        start += 1
    spans: list[tuple[int, int]] = []
    previous_end = start
    for match in _condition_ends(masked, start, end):
        comma = _CONDITION_COMMA.search(masked[previous_end : match.start()])
        if spans and comma:
            spans.append((previous_end + comma.start() + 1, match.end()))
        else:
            spans = [*spans[:-1], (spans[-1][0] if spans else start, match.end())]
        previous_end = match.end() + 1  # behind a comma that may follow the condition
    for index, (condition_start, condition_end) in enumerate(spans):
        next_start = spans[index + 1][0] if index + 1 < len(spans) else end
        yield (condition_start, condition_end), (condition_end, next_start)


def _condition_ends(masked: str, start: int, end: int) -> list[re.Match[str]]:
    """Return the matches of the words that end the conditions in masked[start:end], in order.

    Concessive words (ても) count only before the first strong one (場合, ならば), weak ones (後は,
    いつでも) only if there are no others. An attempt (うとした) excludes all others. Empty if there
    are none.
    """
    if attempt := _ATTEMPT.search(masked, start, end):
        return [attempt]
    matches = [*_STRONG.finditer(masked, start, end)]
    concessive_end = matches[0].start() if matches else end
    matches += _CONCESSIVE.finditer(masked, start, min(end, concessive_end))
    matches = matches or [*_WEAK.finditer(masked, start, end)]
    return sorted(matches, key=lambda match: match.start())


def _find_result(sentence: Sentence, start: int, end: int) -> tuple[int, int] | None:
    """Return the span in the text of the result in sentence.masked[start:end]; None if the words
    there can't be the result of a rule. Commas, adverbs and reasons around it are left out.

    Also left out is what follows words that call it a rule or ruling, such as というルール. None if
    less than two characters are left, or if they say that something exists or is likely, give
    advice, or tell of the past.
    """
    masked = sentence.masked
    while start < end and masked[start] in _SKIPPED:
        start += 1
    if adverb := _LEADING_ADVERB.match(masked, start, end):
        start = adverb.end()
    if stated := _STATED.search(masked, start, end):
        end = stated.start()
    if reason := _REASON.search(masked, start, end):
        end = reason.start()
    while start < end and masked[end - 1] in _SKIPPED:
        end -= 1
    words = masked[start:end]
    if end - start < 2 or _NO_RESULT.search(words) or _CUT_OFF.search(words):
        return None
    return _in_text(sentence, (start, end))


def bracketed_conditions(text: str, clause: Clause) -> Iterator[Clause]:
    """Yield a clause for a condition in brackets that stands alone between the condition and the
    result of another clause, and has the same result. There is at most one; its span is without
    the brackets.

    text: the text that the spans of the clauses refer to, not only their sentence.
    """
    between = text[clause.condition[1] : clause.result[0]].strip("、 　")
    if between[:1] in ("(", "（") and _BRACKETED_CONDITION.search(between):
        start = text.index(between, clause.condition[1]) + 1
        yield Clause((start, start + len(between) - 2), clause.result)


def modality_of(result: str) -> Modality:
    """Return whether a Japanese result must, may or cannot be done, or simply is so (`is`); of
    several that apply, `cannot` goes before `may`, and that before `must`. An action in the plain
    form (カードを引く) must be done.

    >>> [modality_of(r) for r in ("引けない", "引いてもよい", "捨てなくてはならない", "敗北する")]
    ['cannot', 'may', 'must', 'is']
    >>> modality_of("使用宣言を行えます"), modality_of("使用宣言を行います")
    ('may', 'must')
    """
    if _NEGATION.search(result) and _CANNOT.search(result):
        return "cannot"
    if _MAY.search(result):
        return "may"
    if _MUST.search(result):
        return "must"
    is_action = result[-1:] in _LAST_OF_ACTION and _ACTION.search(result)
    return "must" if is_action and not _NO_ACTION.search(result) else "is"
