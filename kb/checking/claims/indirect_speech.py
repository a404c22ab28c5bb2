"""Holds what a text says that a rule says, in a word or in its own words, against that rule."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from kb.checking.claims.match_quotation import (
    match_exactly,
    match_nearly,
    sentences,
    whole_clauses,
)
from kb.checking.claims.turned_sense import SenseWord, sense_words
from kb.language.amounts import amounts
from kb.language.fold import is_japanese

_LONGEST = 300  # characters of a clause: a guard, and what is longer is no clause
_SAYS = (
    r"(?:says?|said|states?|stated|reads?|tells? (?:us|you|players?|them)|specif(?:y|ies)|provides?"
    r"|explains?|requires?|establish(?:es)?|dictates?|means?|makes? (?:it )?clear)"
)
# Between a rule's number and what it says.
_BEFORE_CLAUSE = re.compile(
    r"(?:\s(?:of|in) (?:the )?[A-Z][\w ]{2,30}?)?,?\s"
    rf"(?:clearly |explicitly |also |then |simply )?{_SAYS}"
    r"(?:\s(?:clearly|explicitly))?(?:\sthat)?[,:]?\s+"
    r"|(?:に(?:よると|よれば|従うと|したがうと)|で(?:は|、)|に(?:は|、)|は)、?"
)
_ACCORDING_TO = re.compile(
    r"\b(?:according to|as per|per|under|by|following)\s(?:the\s)?(?:[A-Z][\w:]*\s){0,3}$", re.I
)
_BEHIND_ACCORDING = re.compile(
    r"(?:\s(?:of|in) (?:the )?[A-Z][\w ]{2,30}?)?"
    r"(?:,\s+(?=\w)|\s+(?=(?:an?|the|each|any|no|all|players?|you|if|when)\s))"
)
_ENGLISH_END = re.compile(r"[.!?;](?=\s|$)|[(“\"\n]|,\s(?:but|so|and (?:rule|CR))\b|$")
# In Japanese the verb of saying stands behind the clause; `によると` needs none.
_JAPANESE_END = re.compile(
    r"(?P<said>(?:もの)?(?:と|よう)(?:され|定め|書|あ[るり]|規定|述べ|記|なって|いう)|(?:こと|もの)と(?:され|定め|なって)"
    r"|(?:こと|旨)(?:が|を)(?:定め|書|規定))|[。！？「『（(\n]|$"
)
_BEHIND_ALL = re.compile(
    r"\s*(?:[.,;:!)\]—–-]|$|\n|(?:and|but|so|while|when|which)\b)|(?:もの)?(?:と|よう)(?:され|定め|書|あ[るり]|規定"
    r"|述べ|記|なって|いう)|[。、）]"
)
_OPENING = ("(", "（", "[", "［")
_SENTENCE_ENDS = re.compile(r"[)）\]］]\s*(?:[.。!?！？]|$|\n)")  # behind the number in brackets
_BEGINNING = re.compile(
    r"[.!?][)）\"”]?(?=\s)|[。！？][）」』]?|[:：\n]"
)  # what a sentence follows
_OTHER_NUMBER = re.compile(r"[(（\[［][^()（）\[\]［］]*\d")
_SHORTEST = 8  # characters of a sentence that says something
# How like a rule a clause must be, for a word that turns it to count: at first sight, and the share
# of its words that the rule has in this order; `_ALL` where only one of the two has such a word.
# By hand, so that true paraphrases stand: lower faults what is said of another thing.
_ROUGHLY, _NEARLY, _ALL = 0.5, 0.75, 0.9
# As a negation.
_LACKING = re.compile(
    r"\b(?:without|with no|empty)\b|な[くし]に|ずに(?!は)|空(?=[のでにだ])"
    r"|(?<!\d)[0０](?=[枚個つ点体])",
    re.I,
)
# What holds even there says nothing against the rest, whether it is denied or not.
_EVEN_THERE = re.compile(
    r"[^、。は]*(?:(?<![ついだれ誰何])でも|ても|(?:とき|時|場合)に?も|としても)(?!よ|い|良|な)"
    r"|\beven (?:if|when|where|though)\b[^,.;]*",
    re.I,
)
_CLAUSE_END = re.compile(r"[,;:](?=\s)\s*|、")
_MOST_CLAUSES = 8  # ends of clauses whose runs are all compared: a guard, as it takes the square
_AS_LIKE = 0.1  # of two shares: runs so near the best may be meant as well
_WORD = re.compile(r"[A-Za-z]{3,}|[一-鿿々]+|[ァ-ヺー]{2,}")
# Words that don't tell what a clause is about: little ones, and those that nearly all rules have.
_SMALL = frozenset(
    "the that this you your they their his her its and for from with not can may must will would"
    " are was were has have had does did any all each who which when then there than into onto says"
    " player players game rule rules プレイヤー ゲーム".split()
)
# By hand: lower takes a rule on another thing for one that says the opposite.
_SHARED = 0.5  # of the clause's other words, for words that are opposites to speak of one thing
_SHARED_OF_GAME = 0.34  # the same for who wins and who loses, which a rule says once
_DENIED_BEFORE = re.compile(r"\b(?:\w+n['’]t|cannot|not|never)\s+(?:\w+\s+)?$", re.I)
_DENIED_BEHIND = re.compile(
    r"(?:し|でき|する?ことは?(?:でき|あり)?|られ|され|にはなら)?(?:な[いくか]|ませ|ず(?=[、。]))"
)
# What denies something only for a time or a case: the rule may say it of another.
_NOT_YET = re.compile(
    r"\b(?:until|unless|yet|immediately|at once|if)\b|まで|すぐ|まだ|直ちに|かぎり|限り", re.I
)
_COUNTED_BEFORE = re.compile(r"((?:[a-z]+ ){1,2})(?:of|to|is|at) (?:normally |usually )?$")
_NOUN = 4  # words behind a number, among which is what is counted: `ten or more poison counters`

# Words that can't both be true of one thing, in both languages: (one, the other, the least share of
# the clause's other words that the rule must have). Negated forms such as 不適正 aren't the plain.
_OPPOSITES = tuple(
    (re.compile(one, re.I), re.compile(other, re.I), shared)
    for one, other, shared in (
        (
            r"\bw[io]ns?\b|\bwinning\b|勝利|勝[つちっ]",
            r"\blos(?:e|es|ing|t)\b|敗北|負け|敗け",
            _SHARED_OF_GAME,
        ),
        (r"\bgains?\b|得[るたてら]", r"\blos(?:e|es|ing)\b|失[うっわい]", _SHARED),
        (r"\buntap(?:s|ped)?\b|アンタップ", r"\btap(?:s|ped)?\b|(?<!アン)タップ", _SHARED),
        (r"\bface[ -]?up\b|(?:表|オモテ)向き", r"\bface[ -]?down\b|(?:裏|ウラ)向き", _SHARED),
        (r"\btop\b|一番上", r"\bbottom\b|一番下", _SHARED),
        (r"\bincreas\w+|増[えやすし加]", r"\b(?:reduc|decreas)\w+|減[らっりるす少]", _SHARED),
        (r"\blegal\b|(?<!不)適正", r"\billegal\b|不適正|不正", _SHARED),
        (r"\bpublic\b|(?<!非)公開", r"\bhidden\b|非公開", _SHARED),
    )
)


def is_what_it_says(text: str, number_end: int, quoted: tuple[int, int]) -> bool:
    """Whether a quotation is all that a rule is said to say: between its number and the quotation
    stands nothing but a verb of saying, or `according to` before the number; and the sentence does
    not go on behind it.

    >>> is_what_it_says("Rule 1.2 says “you win”.", 8, (14, 23))
    True
    >>> is_what_it_says("Rule 1.2 says “SBAs” are checked.", 8, (14, 20))
    False
    """
    start, end = quoted
    between = text[number_end:start]
    is_said = _BEFORE_CLAUSE.fullmatch(between) or (
        not between.strip(" ,") and _ACCORDING_TO.search(text[max(0, number_end - 60) : number_end])
    )
    return bool(is_said and _BEHIND_ALL.match(text, end))


def reported_clause(text: str, number_start: int, number_end: int) -> tuple[int, int] | None:
    """Return the span of the clause that a rule is said to say, in the text's own words: behind its
    number, or in the sentence that gives it in brackets. None if nothing is said of it, or if it is
    quoted.

    number_start, number_end: of the citation, with words such as `rule`.

    >>> text = "Rule 1.2 says that you win the game. So there."
    >>> text[slice(*reported_clause(text, 0, 8))]
    'you win the game'
    >>> text = "So there. You win the game (CR 1.2)."
    >>> text[slice(*reported_clause(text, 28, 34))]
    'You win the game'
    >>> text = "704.5bによると、プレイヤーは勝利する。"
    >>> text[slice(*reported_clause(text, 0, 6))]
    'プレイヤーは勝利する'
    """
    before = _BEFORE_CLAUSE.match(text, number_end)
    if before is None and _ACCORDING_TO.search(text, max(0, number_start - 40), number_start):
        before = _BEHIND_ACCORDING.match(text, number_end)
    if before is None:
        return _sentence_with_brackets(text, number_start, number_end)
    start = before.end()
    japanese = is_japanese(text[start : start + 40])
    found = (_JAPANESE_END if japanese else _ENGLISH_END).search(text, start, start + _LONGEST)
    end = found.start() if found else start
    if (
        japanese
        and found
        and not found["said"]
        and not before[0].startswith(("によ", "に従", "にし"))
    ):
        return None
    return (start, end) if len(text[start:end].strip()) >= 4 else None


def _sentence_with_brackets(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span of what a sentence says before the brackets at its end that have a citation
    alone; None without such brackets, as for `(see rule 1.2)`, which gives more than it says, and
    for a sentence that is longer than a clause or gives another number for a part of it: of either
    a part may lack what turns it.

    >>> text = "No player wins (CR 1.2) or loses (CR 1.3)."
    >>> _sentence_with_brackets(text, 34, 40) is None
    True
    """
    before = text[max(0, start - _LONGEST) : start]
    if not before.endswith(_OPENING) or not _SENTENCE_ENDS.match(text, end):
        return None
    *earlier, said = _BEGINNING.split(before[:-1])
    is_whole = earlier or start <= _LONGEST
    said = said.strip()
    if not is_whole or len(said) < _SHORTEST or _OTHER_NUMBER.search(said):
        return None
    first = text.rindex(said, 0, start)
    return first, first + len(said)


def contradiction(clause: str, rule: str) -> tuple[str, str] | None:
    """Return (what a clause says, what the rule says) where they can't both be true; None if they
    may. Of two languages only words that are opposites in both are compared.

    >>> contradiction("you win the game", "If the library is empty, that player loses the game.")
    ('win', 'loses')
    >>> contradiction("a player can draw a card", "A player can't draw a card.")
    ('can', "can't")
    >>> contradiction("nine poison counters", "A player with ten or more poison counters loses.")
    ('nine', 'ten')
    >>> contradiction("勝利する", "That player loses the game.")
    ('勝利', 'loses')
    >>> contradiction("you lose", "That player loses the game.") is None
    True
    >>> contradiction("not on top but on the bottom", "Reveal the top card. It goes on the bottom.")
    """
    if match_exactly(clause, rule):
        return None
    if found := _opposites(clause, rule):
        return found
    if is_japanese(clause) != is_japanese(rule):
        return None
    return _counts(clause, rule) or _turned(clause, rule)


def _opposites(clause: str, rule: str) -> tuple[str, str] | None:
    is_negated = any(word.kind == "negation" for word in sense_words(clause))
    for first, second, least in _OPPOSITES:
        for one, other in ((first, second), (second, first)):
            if is_negated:  # `you don't win` is what `you lose` says; `bottom, not top` is bottom
                if not other.search(clause) and (found := _denied(one, clause, rule, least)):
                    return found
                continue
            said, right = one.search(clause), other.search(rule)
            if not said or not right or other.search(clause) or one.search(rule):
                continue
            if _share(clause, rule, said[0]) >= least:
                return said[0], right[0]
    return None


def _denied(word: re.Pattern[str], clause: str, rule: str, least: float) -> tuple[str, str] | None:
    """Return (a word that a clause denies, with its negation; the rule's word), if the rule has the
    word and never denies it; None if not, and where the clause may mean another time (`until`)."""
    said, right = word.search(clause), word.search(rule)
    if not said or not right or not (denial := _denial(clause, said)) or _NOT_YET.search(clause):
        return None
    if any(_denial(rule, one) for one in word.finditer(rule)):
        return None
    return (denial, right[0]) if _share(clause, rule, said[0]) >= least else None


def _denial(text: str, word: re.Match[str]) -> str:
    """Return a word with the negation directly before or behind it in a text, and what stands
    between; empty if it has none."""
    before = _DENIED_BEFORE.search(text, max(0, word.start() - 30), word.start())
    behind = _DENIED_BEHIND.match(text, word.end())
    start = before.start() if before else word.start()
    return text[start : behind.end() if behind else word.end()] if before or behind else ""


def _share(clause: str, rule: str, but: str) -> float:
    """Return the share of a clause's words of weight that a rule has, English ones by their first
    five letters; 1 if the clause has none. Of two languages 0.34, as it is unknown.

    but: a word that doesn't count."""
    if is_japanese(clause) != is_japanese(rule):
        return _SHARED_OF_GAME  # unknown: enough for who wins and who loses
    folded = rule.lower()
    words = {word.lower() for word in _WORD.findall(clause)} - {but.lower()} - _SMALL
    there = sum((word[:5] if word.isascii() else word) in folded for word in words)
    return there / len(words) if words else 1.0


def _counts(clause: str, rule: str) -> tuple[str, str] | None:
    """Return the number of a thing, as written, in a clause and in a rule that has no such number
    at all; None if there is none, and for a clause with a negation or an exception."""
    if any(word.kind in ("negation", "exception") for word in sense_words(clause)):
        return None  # `can't have five` is what `up to four` says
    lang = "ja" if is_japanese(clause) else "en"
    right = amounts(rule, lang)
    values = {one.value for one in right}
    for said in amounts(clause, lang):
        if not said.certain or said.value in values:
            continue
        things = _counted(clause, said.start, said.end)
        for one in right:
            if one.certain and things & _counted(rule, one.start, one.end):
                return clause[said.start : said.end], rule[one.start : one.end]
    return None


def _counted(text: str, start: int, end: int) -> set[str]:
    """Return what a number may count: of the four words behind it in the clause those of weight, in
    small letters and without the s of a plural, and those before it with `of` or `to` between (`a
    life total of 20`); in Japanese the one letter behind it."""
    if is_japanese(text[end : end + 2]):
        return {text[end : end + 1]}
    behind = re.split(r"[.,;:()]", text[end : end + 60].lower(), maxsplit=1)[0]
    words = re.findall(r"[a-z]+", behind)[:_NOUN]
    if before := _COUNTED_BEFORE.search(text[max(0, start - 40) : start].lower()):
        words += before[1].split()
    return {word.removesuffix("s") for word in words if len(word) > 3 and word not in _SMALL}


def _turned(clause: str, rule: str) -> tuple[str, str] | None:
    """Return the words that turn a clause, and those that turn what is most like it in the rule,
    several joined with " … ", none as ""; None if some of that is turned as the clause is, or
    nothing is like it."""
    said = _Sense(clause)
    found: list[tuple[float, str]] = []
    for sentence in sentences(rule):
        match = match_nearly(clause, sentence, _ROUGHLY)
        if match is None:
            continue
        start, end = whole_clauses(clause, sentence, match.start, match.end)
        runs = _runs(sentence[start:end])
        found += [(_share_in_order(clause, run), run) for run in runs]
    best = max((share for share, _ in found), default=0.0)
    alike = [_Sense(run) for share, run in found if share >= max(_NEARLY, best - _AS_LIKE)]
    if not alike or any(map(said.may_mean, alike)):
        return None
    more, less = said.words_beyond(alike[0]), alike[0].words_beyond(said)
    if not more and not less:
        return None  # nothing could be shown that turns it
    # Where only one has such a word, the other may say it in words of its own.
    return (more, less) if best >= (_NEARLY if more and less else _ALL) else None


class _Sense:
    """How words are turned: by how many negations, exceptions and limits."""

    def __init__(self, text: str) -> None:
        text = _EVEN_THERE.sub("", text)
        self._words = [
            (word.kind, text[_start_with_verb(text, word) : word.end]) for word in sense_words(text)
        ]
        kinds = Counter(kind for kind, _ in self._words)
        self._negations = kinds["negation"] + len(_LACKING.findall(text))
        self._has_exception = bool(kinds["exception"])
        self._has_limit = bool(kinds["limit"])

    def may_mean(self, other: _Sense) -> bool:
        """Whether words may say what those of a rule say: they negate as much, and add no limit. An
        exception of the rule may be left out, and `can only … by` is `can't … except by`."""
        is_limited = other._has_limit or other._has_exception or other._negations
        if self._has_limit and not is_limited:
            return False
        is_only = self._has_limit and other._has_exception
        return is_only or self._negations % 2 == other._negations % 2

    def words_beyond(self, other: _Sense) -> str:
        """Return the words of the kinds that another text has less of, the last ones of each kind,
        in order, joined with " … "; empty without any."""
        theirs = Counter(kind for kind, _ in other._words)
        found = []
        for kind, word in self._words:
            theirs[kind] -= 1
            if theirs[kind] < 0:
                found.append(word)
        return " … ".join(found)


def _start_with_verb(text: str, word: SenseWord) -> int:
    """Return where a word that turns a text begins, with what it stands by: できない, not ない."""
    return word.start - 2 * text.endswith("でき", 0, word.start)


def _runs(text: str) -> Iterator[str]:
    """Yield a text, and then all runs of clauses in it, the text once more among them; of one with
    seven ends of clauses or more only the text."""
    yield text
    ends = [0, *(match.end() for match in _CLAUSE_END.finditer(text)), len(text)]
    if len(ends) <= _MOST_CLAUSES:
        for first, last in combinations(ends, 2):
            yield text[first:last]


def _share_in_order(clause: str, text: str) -> float:
    """Return the share of a clause's words, of a Japanese one's letters, that a text has in their
    order, but for those that turn the sense; 0 if either has none. Case doesn't count."""
    from rapidfuzz.distance import LCSseq

    first, second = (
        list(one) if is_japanese(one) else one.lower().split()
        for one in map(_without_turning, (clause, text))
    )
    return LCSseq.similarity(first, second) / len(first) if first and second else 0.0


def _without_turning(text: str) -> str:
    for word in reversed(list(sense_words(text))):
        start = _start_with_verb(text, word)
        if text[start : word.end].lower().endswith(" not"):  # of `is not`, the verb stays
            start = word.end - len(" not")
        text = text[:start] + text[word.end :]
    return text
