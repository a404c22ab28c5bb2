"""Conditions and their results in a text: which words of it say "if A then B".

A sentence is cut into clauses where one statement ends and the next begins (が、ため、ので). A
clause with a condition in it states something: the condition, and behind it the result. What
stands in brackets or in quotation marks is a name or a remark, and no condition of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Modality = Literal["must", "may", "cannot", "is"]

_LONGEST = 600  # of a sentence that is read; a longer one is a list or no prose
_BEHIND = (
    r"(?:に限り|に限って|にのみ|のみ|だけ|には|にも|に|など(?:に(?:は)?)?|は|であっても|でも|も)?"
)
_NO_CONDITION = r"(?![のがをとかやまだで点])"  # 場合がある, 時の, ときから: no more than a noun
_VERB = "るたいうくすつぬむぶぐ"
_STRONG = re.compile(
    r"(?=[場時と際た度限かなれけせてべめげ使払行あす代タ])(?:"  # a quick look at the first sign
    rf"(?:場合|(?<=[{_VERB}だなの■□])(?:時|とき|際)){_BEHIND}(?:いつでも)?{_NO_CONDITION}|"
    rf"場合を除(?:いて|き)|(?<=[{_VERB}])(?:たび|度)(?:に|(?=、))|(?<=[るいた])(?:限り|かぎり)|"
    r"ならば|なら(?![なぬずいんでびう])|たら(?=、)|(?:[れけせてべめげ]|[使払行]え)ば(?=、)|"
    r"(?:あれ|なけれ|すれ)ば(?!なら|いけ|よ|良|い)|"
    rf"(?<=[{_VERB}の])(?:代|か)わりに|(?<=[るたい])ターン(?=、)|"
    r"(?<!よる)(?<!いう)(?<!言う)(?<!考える)(?<!比べる)(?<!見る)(?<=[るうくすつむぶぐ])と(?=、)|"
    r"(?<=ない)と(?=、))"
)
_TRIES = re.compile("うとした(?=プレイヤーは)")
_CONCESSIVE = re.compile(
    r"(?=[な無とで状間て])(?:(?<!少)(?<!すく)(?:なく|無く)(?:と|て)も|(?<=た)としても|であっても|(?:状態|間)でも|"
    r"(?<!つい)(?<!おい)(?<!対し)(?<!関し)(?<!よっ)(?<!とっ)(?<!とし)(?<!と)"
    r"て(?:い)?も(?![よ良い構差らうのつ]|かま|な))"
)
_WEAK = re.compile(
    rf"(?<=[{_VERB}])時点で(?:は)?|この時点(?:で|をもって)|この後(?:に|は|、)|"
    r"(?<=[たい])(?:後|あと)(?:は|(?=、))|(?<=[るい])間(?:は|も|(?=、))|向きの間(?:は|(?=、))|"
    r"(?:最初の|次の|自分の|相手の|[るた])ターン(?:中)?は|いつでも|前に(?=、)"
)
CONDITIONAL = re.compile(
    "場合|時|とき|際|たび|度に|度、|限り|かぎり|なら|たら|[れけせてべめげ使払行]ば|わりに|ターン|前に|"
    "うとした|と、|[てで]も|[なてい]も|とも|[後あ][とはに、]|後|間は|間も|間、|間に|間で|"
    r"\b(?:[Ii]f|[Ww]hen|[Ww]henever|[Uu]nless|[Ww]hile|[Aa]s long as)\b"
)
_LINK = re.compile(
    rf"(?:(?<=[{_VERB}だ])が|(?:ため|為)|から)(?=、)|(?<=[{_VERB}])ので(?![はあなすし])"
)
BEGINS = re.compile(
    r"(?:[\s※・→―*＊]|\d{1,4}(?:[.-]\d{1,3}){1,4}[a-z]?\.?\s|[(（][0-9０-９XＸ]{1,2}[)）][:：]?|"
    r"[0-9０-９]{1,2}[.．]\s|"
    r"(?P<exception>ただし|但し|例外として|(?:この|その)[^、。]{0,12}例外として)、?|"
    r"(?P<then>その後)、|(?P<more>また|さらに|更に)、|"
    r"(?:なお|例えば|たとえば|そして|同様に|つまり|よって|従って|したがって|基本的に|通常|原則)は?、|"
    r"例えば|たとえば|もし|まず)*"
)
EXPLAINS = re.compile(r"(?:これ|それ|これら)は(?:、|$)|前者|後者|以下|上記(?:は|の表)")
ASKS = re.compile(r"(?:か|[?？])[?？]?$")
_NO_RESULT = re.compile(
    r"(?:場合|こと|事|もの|効果|能力|カード|例|面|可能性)(?:が|も)(?:ある|あり|多い|存在する)|"
    r"^(?:が|も)?(?:ある|あり|多い|少ない)|(?:が|も)(?:多い|少ない|高い|低い|強い|弱い)$|"
    r"(?:たい|だろう|でしょう|かもしれない|やすい|にくい|[てで]しまう|ください|だった|[いっし]た|"
    r"(?:られ|され|なっ)た|ておこう|しよう|(?:良|よ)い|有効だ|有用だ|便利だ|重要だ|違いが生じる)"
    r"(?:が|もの)?$(?<!もよい)(?<!も良い)|考えられ|思われ|とよい$|テキストとなる$"
)
_CANNOT = re.compile(
    r"でき(?:ない|ず|ません|なくな)|(?<!なく)[てで]は(?:なら|いけ)ない|不可能|禁止|(?<!与え)(?<!かけ)られない|"
    r"\b(?:can't|can’t|cannot|may not|must not)\b|"
    r"[使行払扱]えない|[選呼]べない|[引置]けない|(?:[出戻]|動か)せない|[持打]てない|[積読]めない|[取送]れない"
)
_MAY = re.compile(
    r"でき(?:る|ます)(?![一-鿿ァ-ヺのよも])|[てで]も(?:よ|良|い)い|[てで]も(?:かま|構)わない|"
    r"なくてもよい|可能(?:である|です|だ|とな|にな|$)|"
    r"\b(?:may|can)\b|[使行払扱]える|[選呼]べる|[引置]ける|[出戻]せる|(?<![をが])得る$"
)
_MUST = re.compile(
    r"な(?:けれ|く)(?:ば|ては)(?:なら|いけ)ない|ねばならない|必要がある|必須|義務|必ず.{0,40}[うくすつむる]$|"
    r"\b(?:must|ha[sv]e? to)\b"
)
_DONE = re.compile(
    r"(?:を.{0,60}|適用|処理|宣言|公開|破壊|追放|解決)[うくすつぬむぶぐる]$|"
    r"(?:積む|戻す|引く|置く|捨てさせる|打ち消す|取り除く|加える)$"
)
_NOT_DONE = re.compile(
    r"^[^をにではが、]{1,30}が|(?<!プレイヤー)(?<!あなた)(?<!自分)は|"
    r"(?:失う|負ける|勝つ|[敗勝][北利]する|[なに残戻あ]る|得る|受ける|持つ|満たす|与える|とばす|"
    r"置き換える|扱う|もたらす|従う|[しっい]ている)$|^[^をはがにでらへ]{1,20}を行う$|なくなる$"
)
_STATED = re.compile(r"(?:」|』)?と(?:いう|の)(?:ルール|裁定|原則)")
_SPOKEN = re.compile(r"[\s　]*([QＱAＡ])[\s0-9０-９]{0,4}[：:.．]")
_LINE = re.compile(r"[^\n\t]+")
_SENTENCE = re.compile(r"(?:[^。！.]|\.(?=\S))+")
_IF = re.compile(
    r"\b(?P<condition>(?:If|When|Whenever|Unless|As long as|While)\s[^,]{1,300}),\s*"
    r"(?P<result>.{2,})"
)
_THEN = re.compile(
    r"(?:^|,\s)(?P<result>[^,]{2,300}?)\s"
    r"(?P<condition>(?:if|when|whenever|unless|as long as)\s.{2,})"
)
_LABEL = re.compile(
    r"[\s　]*(?:\d[\d.\-]{0,20}[a-z]?[\s　]+)?"
    r"([^\s。、：:0-9０-９][^。、：:0-9０-９]{0,19})[：:](?=.)"
)
_BLOTTED = re.compile("[■□]|^[QＱAＡ]$")
_REMARK = re.compile(r"(?:場合も?|限り|時も?|ときも?|」も)[)）]$")
_QUOTED = "■"
_ASIDE = "□"
_SKIPPED = "、 　□"
_LEADS = re.compile(r"(?:その後|結果的に|同様に|上記の通り|原則として)(?:は|、)?")
_REASON = re.compile(r"(?:ため|為|から|わけ|の)である$|(?:ため|為|から)だ?$")
_NEW = re.compile(r"(?<![をはがにでのもへと])、")
_CLOSES = {"」": "「", "』": "『", "）": "（", ")": "(", "〕": "〔", "】": "【", "”": "“"}
_MARK = re.compile(f"[{re.escape(''.join(_CLOSES) + ''.join(_CLOSES.values()))}]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """text[start:end]; the same with what is in brackets or quoted blotted out; what stands
    before a colon at the beginning of its line."""

    start: int
    end: int
    masked: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition and its result as spans of a passage's text, and whether the result limits
    what the clause before it in the sentence says."""

    condition: tuple[int, int]
    result: tuple[int, int]
    limits: bool = False


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text, and those that it quotes as rules; no questions of rulings."""
    asked = False
    for line in _LINE.finditer(text):
        at, words = line.start(), line[0]
        if spoken := _SPOKEN.match(words):
            asked = spoken[1] in "QＱ"
        if asked:
            continue
        masked = words
        if pairs := _brackets(words):
            masked = _blotted(words, pairs)
            for start, end in pairs:
                if _STATED.match(words, end) and end - start <= _LONGEST:
                    yield Sentence(at + start + 1, at + end - 1, words[start + 1 : end - 1])
        label = _LABEL.match(masked)
        for found in _SENTENCE.finditer(masked, label.end() if label else 0):
            if len(found[0]) <= _LONGEST:
                name = label[1] if label and not _BLOTTED.search(label[1]) else ""
                yield Sentence(at + found.start(), at + found.end(), found[0], name)


def _brackets(line: str) -> list[tuple[int, int]]:
    """Where brackets and quotation marks stand that have their like, the outermost ones."""
    pairs: list[tuple[int, int]] = []
    opened: list[tuple[int, str]] = []
    for mark in _MARK.finditer(line):
        opens = _CLOSES.get(mark[0])
        if opens is None:
            opened.append((mark.start(), mark[0]))
            continue
        for back in range(1, 4):
            if len(opened) >= back and opened[-back][1] == opens:
                start = opened[-back][0]
                del opened[-back:]
                while pairs and pairs[-1][0] > start:
                    pairs.pop()
                pairs.append((start, mark.end()))
                break
    return pairs


def _blotted(line: str, pairs: list[tuple[int, int]]) -> str:
    """A line with what is quoted and what is in brackets made unreadable, each in its way."""
    parts, at = [], 0
    for start, end in pairs:
        blot = _QUOTED if line[start] in "「『“" else _ASIDE
        parts += [line[at:start], blot * (end - start)]
        at = end
    return "".join([*parts, line[at:]])


def clauses(sentence: Sentence, at: int, held: tuple[int, int] | None) -> Iterator[Clause]:
    """The conditions of a sentence with their results. `held` is a condition that an earlier
    sentence has set and this one goes on from."""
    masked, link = sentence.masked, ""
    cuts = [*_LINK.finditer(masked, at)]
    bounds = [at, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(masked)]
    for start, end in zip(bounds, ends, strict=True):
        own = list(_conditions(masked, start, end))
        if own:
            for (c, c_end), (r, r_end) in own:
                held = sentence.start + c, sentence.start + c_end
                result = _result(sentence, r, r_end)
                if result:
                    yield Clause(held, result)
        elif held:
            limits = link == "が"
            result = _result(sentence, start, end)
            if not result or _REASON.search(masked, start, end):
                held = None
            elif not limits or _CANNOT.search(masked, start, end):
                yield Clause(held, result, limits)
            else:
                held = None
        link = masked[end : end + 1]


def _conditions(
    masked: str, start: int, end: int
) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The conditions in masked[start:end] with what stands behind each up to the next.

    Conditions that follow at once (AならばBの時) are one together.
    """
    while start < end and masked[start] in _SKIPPED:
        start += 1
    if tries := _TRIES.search(masked, start, end):
        found = [tries]
    else:
        found = [*_STRONG.finditer(masked, start, end)]
        found += _CONCESSIVE.finditer(masked, start, min(end, found[0].start() if found else end))
        found = found or [*_WEAK.finditer(masked, start, end)]
    at, since = start, start
    spans: list[tuple[int, int]] = []
    for one in sorted(found, key=lambda m: m.start()):
        between = masked[since : one.start()]
        if spans and (cut := _NEW.search(between)):
            at = since + cut.start() + 1
            spans.append((at, one.end()))
        else:
            spans = [*spans[:-1], (spans[-1][0] if spans else at, one.end())]
        since = one.end() + 1
    for n, (begin, stop) in enumerate(spans):
        yield (begin, stop), (stop, spans[n + 1][0] if n + 1 < len(spans) else end)


def _result(sentence: Sentence, start: int, end: int) -> tuple[int, int] | None:
    """The result in a stretch of a sentence as a span of the text, if a rule can have it."""
    masked = sentence.masked
    while start < end and masked[start] in _SKIPPED:
        start += 1
    if begins := _LEADS.match(masked, start, end):
        start = begins.end()
    if stated := _STATED.search(masked, start, end):
        end = stated.start()
    if reason := _REASON.search(masked, start, end):
        end = reason.start()
    while start < end and masked[end - 1] in _SKIPPED:
        end -= 1
    if end - start < 2 or _NO_RESULT.search(masked[start:end]):
        return None
    return sentence.start + start, sentence.start + end


def remarks(text: str, clause: Clause) -> Iterator[Clause]:
    """A condition in brackets between another and its result, which it has too."""
    between = text[clause.condition[1] : clause.result[0]].strip("、 　")
    if between[:1] in ("(", "（") and _REMARK.search(between):
        start = text.index(between, clause.condition[1]) + 1
        yield Clause((start, start + len(between) - 2), clause.result)


def english(sentence: Sentence) -> Iterator[Clause]:
    """The condition of an English sentence, before its result or behind it."""
    found = _IF.search(sentence.masked) or _THEN.search(sentence.masked)
    if found and not ASKS.search(sentence.masked):
        (c, c_end), (r, r_end) = found.span("condition"), found.span("result")
        at = sentence.start
        yield Clause((at + c, at + c_end), (at + r, at + r_end))


def modality_of(result: str) -> Modality:
    """Whether a result must, may or cannot be, or is.

    >>> [modality_of(r) for r in ("引けない", "引いてもよい", "捨てなくてはならない", "敗北する")]
    ['cannot', 'may', 'must', 'is']
    """
    if _CANNOT.search(result):
        return "cannot"
    if _MAY.search(result):
        return "may"
    if _MUST.search(result) or (_DONE.search(result) and not _NOT_DONE.search(result)):
        return "must"
    return "is"
