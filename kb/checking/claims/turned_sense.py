"""Tells whether what a quotation leaves out or changes turns its sense: negations, limits, words
that say the opposite."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kb.language.fold import is_japanese
from kb.language.sentences import SENTENCE_END, STOPS
from kb.language.word_diff import Difference, differences
from kb.reason import Reason

# Words that turn a sentence when they are taken away, in both languages. The order matters: of two
# that begin at one place the first counts, so that an obligation (なければならない) is no negation.
_WORDS = {
    # Words that look like the others and turn nothing.
    "neither": (
        r"\bor not\b|\bnot only\b",
        r"だけでなく|のみならず|少な[いくか]|かもしれな|に過ぎない|間もなく|違いない|関係な[くし]|[か関]かわらず"
        r"|問わず|なくな[るりっれ]|必ず|まず(?=[、は])",
    ),
    "obligation": (
        r"\bmust\b(?! not| n)|\b(?:has|have|had) to\b",
        r"(?:なければ|ねば|なくては|なくちゃ|ないと)(?:なら|いけ)(?:な[いくか]|ず|ません)|べき",
    ),
    "exception": (
        r"\b(?:unless|except|excluding|with(?:out| no)|other than|rather than|apart from)\b",
        r"ない(?:限|かぎ)り|ずに(?!は)|な(?:し|く)(?:に|して)|以外|除[いきく外]|ただし|但し",
    ),
    "negation": (
        r"\b\w+n['’]t\b|\b(?:may|can|could|must|shall|should|will|would|do|does|did|is|are|was|were"
        r"|has|have|had) not\b|\b(?:not|cannot|never|no|none|nobody|nothing|neither|nor)\b"
        # In German, French, Spanish, Italian and Portuguese.
        r"|\b(?:nicht|kein(?:e[nmrs]?)?|nie(?:mals)?|weder|ne|pas|jamais|aucune?|nunca|ningún|non"
        r"|nessun[oa]?|não|nenhuma?)\b",
        r"な(?:い|かっ|く|けれ)|ません|ず(?=[、。にがは」）]|$)|ぬ(?=[、。」）]|$)|不可|禁止|禁じ",
    ),
    "limit": (
        r"\b(?:only|solely|exclusively)\b",
        r"のみ|だけ|しか|に限[ら-ろっ定]|にかぎ[ら-ろっ]",
    ),
    "leave": (r"\bmay\b", r"[てで]も(?:よ[いくか]|良[いくか]|いい|構わな|かまわな)"),
    "ability": (r"\b(?:can|could)\b", r"でき(?:る|ます|た|れば|て)|可能"),
}
# Words that say the opposite of each other; either stands for the other in no true quotation.
_OPPOSITES = tuple(
    (re.compile(one, re.IGNORECASE), re.compile(other, re.IGNORECASE))
    for one, other in (
        (r"\b(?:win|wins|won|winning|gains?)\b", r"\b(?:los[et]|loses|losing|loss)\b"),
        (r"\b(?:gr?eater|more|higher|most|highest|at least)\b",
         r"\b(?:less|fewer|lower|least|lowest|at most)\b"),
        (r"\b(?:larger|largest|bigger)\b", r"\b(?:smaller|smallest)\b"),
        (r"\b(?:before|begin(?:s|ning)?|start(?:s|ing)?)\b", r"\b(?:after|end(?:s|ing)?)\b"),
        (r"\bmehr\b", r"\bweniger\b"),
        (r"\bbevor\b", r"\bnachdem\b"),
        (r"\btop\b", r"\bbottom\b"),
        (r"\bfirst\b", r"\blast\b"),
        (r"\b(?:tapped|exerted|exhausted)\b", r"\b(?:untapped|ready|readied)\b"),
        (r"\bactive\b", r"\b(?:nonactive|inactive)\b"),
        (r"\b(?:face[ -]?)?up\b", r"\b(?:face[ -]?)?down\b"),
        (r"\b(?:add(?:s|ed)?|increas(?:es?|ed))\b", r"\b(?:remov(?:es?|ed)|reduc(?:es?|ed))\b"),
        (r"\byour? own\b|\byour\b", r"\bopponent['’]?s?\b"),
        (r"\bbereit(?:e[nrs]?)?\b", r"\berschöpft(?:e[nrs]?)?\b"),
        (r"\b(?:gewinn(?:t|en)|beh(?:ä|a)lt(?:en)?)\b", r"\bverlier(?:t|en)\b"),
        (r"\bgagne(?:nt|r)?\b", r"\bperd(?:ent|re)?\b"),
        (r"勝[つちっ利者]", r"負け|敗[北者]"),
        (r"以上", r"以下|未満"),
        (r"より(?:大き|多|高)", r"より(?:小さ|少な|低)"),
        (r"増[やえ加]", r"減[らっ少]"),
        (r"得[るた]", r"失[うっ]"),
        (r"表向き", r"裏向き"),
        (r"一番上", r"一番下"),
        (r"切り上げ", r"切り捨て"),
        (r"(?:最も|もっとも)先", r"(?:最も|もっとも)後"),
        (r"最初|最大", r"最後|最小"),
        (r"(?<=の)前|以前", r"(?<=の)[後あ]|以後|以降"),
        (r"自分", r"相手"),
        (r"(?<![\d/])[+＋][\dNX]", r"(?<![\d/])[-−－–][\dNX]"),
    )
)  # fmt: skip
# Characters beside a change of a sign, or in Japanese, that belong to such a word: 以[上], [+]1.
_BESIDE = 2
# Where they are hidden by an omission, these say nothing.
_IDLE = frozenset(("neither", "obligation", "ability"))
_EXCLUDING = frozenset(("exception", "negation", "limit"))  # what they exclude stands beside them
_ENGLISH = re.compile("|".join(f"(?P<{kind}>{en})" for kind, (en, _) in _WORDS.items()), re.I)
_JAPANESE = re.compile("|".join(f"(?P<{kind}>{ja})" for kind, (_, ja) in _WORDS.items()))

# Both by hand: words, or in Japanese letters.
_SHORT_GAP = 20, 60  # as much is one thought, a clause; all of it counts
# So many may stand with one that turns those in whose place they stand: more are other words, which
# a misquotation has for a negation in its own.
_MOST_BESIDE = 1, 8
_APOSTROPHES = ("'", "’")
_EXAMPLE_IN_BRACKETS = re.compile(
    r"\s*[(（](?:例|たとえば|e\.g\.|for (?:example|instance)|such as|see |z\. ?B\.|par ex)"
    r"[^()（）]*[)）]\s*",
    re.IGNORECASE,
)
_STOPS = (*STOPS, "\n")


class SenseWord(NamedTuple):
    """A word that turns a sentence: what kind it is, and where it stands."""

    kind: str
    start: int
    end: int


def sense_words(text: str) -> Iterator[SenseWord]:
    """Yield the words of a text that turn what it says, in order, without overlaps: kinds are
    `obligation`, `exception`, `negation`, `limit`, `leave` and `ability`. Japanese ones in a text
    with Japanese letters, else English and other European ones.

    >>> [(word.kind, word.start) for word in sense_words("You may not, unless you can.")]
    [('negation', 4), ('exception', 13), ('ability', 24)]
    >>> [word.kind for word in sense_words("引けない。少ないほうを選ばなければならない。")]
    ['negation', 'obligation']
    """
    pattern = _JAPANESE if is_japanese(text) else _ENGLISH
    for match in pattern.finditer(text):
        kind = match.lastgroup or ""
        if kind != "neither":
            yield SenseWord(kind, *match.span())


def hidden_sense(text: str, start: int, end: int) -> str:
    """Return the first word of text[start:end] that can't be left out between what stands before
    and behind it; empty if there is none.

    Whole sentences can be left out. Of a long gap, what belongs to the sentences at its ends
    counts.

    >>> rule = "A player can't draw. A player may discard. A player loses."
    >>> hidden_sense(rule, 8, 15), hidden_sense(rule, 20, 43)
    ("can't", '')
    """
    gap = text[start:end]
    is_begun, is_ended = _begins_sentence(text, start), _ends_sentence(text, end)
    if not gap.strip() or (is_begun and is_ended):
        return ""
    for piece in _pieces(gap, is_begun, is_ended):
        for word in sense_words(piece):
            if word.kind not in _IDLE:
                return piece[word.start : word.end]
    return ""


def _pieces(gap: str, is_begun: bool, is_ended: bool) -> list[str]:
    """Return what of a gap may turn the sentences around it: the rest of the one before it, and
    the beginning of the one behind it; all of a short gap that neither begins nor ends one."""
    words, letters = _SHORT_GAP
    is_short = len(gap) <= letters if is_japanese(gap) else len(gap.split()) <= words
    is_part = is_short and not is_begun and not is_ended
    ends = [] if is_part else [match.end() for match in SENTENCE_END.finditer(gap)]
    if not ends:
        return [gap]
    return ([] if is_begun else [gap[: ends[0]]]) + ([] if is_ended else [gap[ends[-1] :]])


def _begins_sentence(text: str, start: int) -> bool:
    """Whether what stands behind a place begins a sentence or line, but for the sign that ends the
    one before."""
    before = text[:start].rstrip()
    return (
        not before
        or "\n" in text[len(before) : start]
        or before[-1] in _STOPS
        or text[start : start + 1] in _STOPS
    )


def _ends_sentence(text: str, end: int) -> bool:
    """Whether what stands before a place ends a sentence or line, with quotation marks or brackets
    behind it, or the text."""
    before = text[:end].rstrip(' \t\u3000”’")）」』')
    return not text[end:].strip() or before[-1:] in _STOPS or before.endswith("\n")


# Directly before or behind words that are quoted without it: a word that turns them.
_EDGE_BEFORE = re.compile(
    r"(?:\b(?P<en>\w+n['’]t|cannot|not|never|only|may|unless|except|without|no|neither|nor)\s+)$",
    re.IGNORECASE,
)
_EDGE_BEHIND = re.compile(
    r"\s*,?\s*(?:(?P<en>unless|except|only)\b|(?P<ja>に?のみ|だけ|しか|以外|を除))", re.IGNORECASE
)
# The same, if the quotation ends there as a sentence does.
_GOES_ON = re.compile(
    r"\s*,?\s*(?:but\s+)?(?P<en>not|other than|without|rather than|instead|if able)\b",
    re.IGNORECASE,
)
# What the sentence begins with that is quoted without its beginning.
_LED_BY = re.compile(
    r"(?P<en>\b(?:unless|except|other than|apart from)\b)[^.!?]*,\s*$"
    r"|(?P<ja>ない(?:限|かぎ)り|を?除[いき]|以外(?!の[^、。]{1,12}では))[^。！？\n]{0,12}$",
    re.IGNORECASE,
)
_AS_WELL = re.compile(
    r"(?:n['’]t|\b(?:cannot|not|never|only|may|unless|except|without|no|neither|nor|un\w+))\W+"
    r"(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)


def sense_at_ends(lead: str, quotation: str, text: str, start: int, end: int) -> str:
    """Return the word before or behind text[start:end] without which it says something else; empty
    if there is none, or if who quotes it says it in his own words.

    lead: what stands before the quotation. quotation: its words as they are quoted, of which
    text[start:end] are the rule's own; what adds to a sentence (`if able`) counts only if the
    quotation ends with a full stop there. Whether `lead` says the word itself matters only for
    words before it.

    >>> sense_at_ends("It says ", "draw a card", "You can't draw a card.", 10, 21)
    "can't"
    >>> sense_at_ends("It says you can't ", "draw a card", "You can't draw a card.", 10, 21)
    ''
    >>> sense_at_ends("It says ", "You lose.", "Unless you can win, you lose.", 20, 28)
    'Unless'
    >>> sense_at_ends("It says ", "You draw.", "You draw, if able.", 0, 8)
    'if able'
    """
    if before := _EDGE_BEFORE.search(text, max(0, start - 20), start):
        return "" if _AS_WELL.search(lead) else before["en"]
    behind = _EDGE_BEHIND.match(text, end)
    if behind is None and quotation.rstrip("”’\"' ")[-1:] in _STOPS:
        behind = _GOES_ON.match(text, end)
    if behind:
        return behind["en"] or behind.groupdict().get("ja", "")
    word = "" if _AS_WELL.search(lead) else _sense_before(quotation, text, start, end)
    return "" if word and word.lower() in lead.lower() else word


def _sense_before(quotation: str, text: str, start: int, end: int) -> str:
    """Return the word of an exception that the sentence of text[start:end] begins with, if the
    quotation makes a sentence of the rest of it; empty without one."""
    if is_japanese(quotation):
        is_sentence = text[end : end + 1] in ("", *_STOPS) or text[end - 1] in _STOPS
    else:
        is_sentence = quotation.lstrip("“‘\"'")[:1].isupper() and text[start : start + 1].islower()
    if not is_sentence:
        return ""
    begins = [match.end() for match in SENTENCE_END.finditer(text, 0, start)]
    led = _LED_BY.search(text, max([0, *begins]), start)
    return (led["en"] or led["ja"]) if led else ""


def changed_sense(text: str, expected: str, changes: Sequence[Difference]) -> Reason | None:
    """Return how a quotation turns the sense of its source, by the first change that does: that has
    other kinds of words that turn, or else says the opposite; None if it does not.

    changes: where the two differ, in whole words.

    >>> def turned(text, expected):
    ...     return str(changed_sense(text, expected, word_changes(text, expected)))
    >>> turned("You can draw two cards.", "You can't draw a card.")
    "“can” for “can't”"
    >>> turned("プレイヤーが引く。", "プレイヤーのみが引く。")
    '“のみ” is left out'
    >>> turned("If you win, draw.", "If you lose, draw.")
    '“win” for “lose”'
    >>> turned("It can attack but not block.", "It can block but not attack.")
    '“attack but not block” for “block but not attack”'
    >>> turned("You can't draw two cards.", "You can't draw a card.")
    'None'
    """
    words, others = list(sense_words(text)), list(sense_words(expected))
    for one in changes:
        here = _within(words, one.start, one.end)
        there = _within(others, one.other_start, one.other_end)
        if one.start < one.end and (
            _is_other_text(text, one.start, one.end, here)
            or _is_other_text(expected, one.other_start, one.other_end, there)
        ):
            continue
        if Counter(word.kind for word in here) == Counter(word.kind for word in there):
            continue
        said, right = text[one.start : one.end], expected[one.other_start : one.other_end]
        if not said and _EXAMPLE_IN_BRACKETS.fullmatch(right):
            continue
        return changed(said, right)
    opposite = next(filter(None, (_opposite(text, expected, one) for one in changes)), None)
    return opposite or _exchanged(text, expected)


def _exchanged(text: str, expected: str) -> Reason | None:
    """Return that words on both sides of a negation or limit changed places (“attack but not block”
    for “block but not attack”); None if the words are not the same, and for Japanese, whose words
    no spaces set apart."""
    words, others = (re.findall(r"\w+", one.casefold()) for one in (text, expected))
    if words == others or Counter(words) != Counter(others):
        return None
    first, *_, last = (
        place for place, two in enumerate(zip(words, others, strict=True)) if two[0] != two[1]
    )
    if any(one.kind in _EXCLUDING for one in sense_words(" ".join(words[first:last]))):
        return changed(" ".join(words[first : last + 1]), " ".join(others[first : last + 1]))
    return None


def _opposite(text: str, expected: str, change: Difference) -> Reason | None:
    """Return that a changed word says the opposite of the one in its place; None if it does not."""
    is_sign = not any(map(str.isalnum, text[change.start : change.end]))
    beside = _BESIDE if is_sign or is_japanese(expected) else 0
    said = text[max(0, change.start - beside) : change.end + beside]
    right = expected[max(0, change.other_start - beside) : change.other_end + beside]
    for pair in _OPPOSITES:
        for one, other in (pair, pair[::-1]):
            words, opposite = one.search(said), other.search(right)
            if words and opposite and not one.search(right) and not other.search(said):
                return changed(words[0], opposite[0])
    return None


def changed(words: str, right: str) -> Reason:
    """Return which words stand for others, are left out (`words` is empty) or are added (`right`
    is).

    >>> print(changed("can", "can't"))
    “can” for “can't”
    """
    if words and right:
        return Reason("words_for_others", words=words, right=right)
    return Reason("words_left_out", right=right) if right else Reason("words_added", words=words)


def _is_other_text(text: str, start: int, end: int, turning: Sequence[SenseWord]) -> bool:
    """Whether words in a span, instead of others, say more than what turns these: more than a word,
    in Japanese more than eight letters."""
    most, letters = _MOST_BESIDE
    words = text[start:end]
    beside = sum(word.end - word.start for word in turning)
    if is_japanese(words):
        return len(words) - beside > letters
    turn = sum(len(text[word.start : word.end].split()) for word in turning)
    return len(words.split()) - turn > most


def word_changes(text: str, expected: str) -> list[Difference]:
    """Return where two texts differ, in whole words: `can` and `can’t`, not nothing and `’t`.

    >>> [tuple(one) for one in word_changes("I can go", "I can't go")]
    [(2, 5, 2, 7)]
    """
    found = []
    for one in differences(text, expected):
        begin, other = one.start, one.other_start
        if text[begin : begin + 1] in _APOSTROPHES or expected[other : other + 1] in _APOSTROPHES:
            while begin and other and text[begin - 1].isalpha() and expected[other - 1].isalpha():
                begin, other = begin - 1, other - 1
        found.append(Difference(begin, one.end, other, one.other_end))
    return found


def _within(words: Sequence[SenseWord], start: int, end: int) -> list[SenseWord]:
    return [word for word in words if word.start < end and start < word.end]
