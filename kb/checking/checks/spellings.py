"""Finds names of terms that a draft spells otherwise than the house does."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from kb.checking.checks.swapped_terms import lone_names
from kb.checking.draft import Finding, finding_at
from kb.checking.house_usage import House, ReadSegment
from kb.checking.term_finder import STOP_WORDS
from kb.language.english_inflection import FoundName
from kb.language.fold import fold
from kb.reason import Reason
from kb.termbase.model import ConceptName

# By hand: of one or two uses either may be a slip, more would leave rare terms unchecked.
_ENOUGH = 3  # uses in the game's rules, to say how the house spells a name
_RARELY = 0.05  # the share of a spelling that the house doesn't stand for: slips of its own
# Of three signs or more: shorter words are too many that differ in a small sign only.
_KATAKANA = re.compile("[ァ-ヺー]{3,}(?:・[ァ-ヺー]+)*")
_WORD = re.compile("[ァ-ヺー]{3,}")
# Words that may be misspelt names, and how like one they must be, of 100: one wrong sign of five.
_LONG_WORD = re.compile(r"[ァ-ヺー・]{5,}|[A-Za-z][A-Za-z’'-]{4,}")
_NEARLY = 80
_NEARLY_SURE = 65  # the same in katakana, where the rules reliably have the name: two wrong signs
# What spellings of one word differ in: small letters, ヂヅヴ, the sign for a long vowel, the dot.
_LOOSE_KATAKANA = str.maketrans("ァィゥェォッャュョヮヂヅヴ", "アイウエオツヤユヨワジズブ", "ー・")
# Signs for a long vowel: プレイヤー and プレーヤー, サーバー and サーバ.
_LONG_VOWEL = re.compile(
    "(?<=[エケセテネヘメレゲゼデベペヱ])イ|(?<=[オコソトノホモヨロヲゴゾドボポ])ウ"
)
_HIRAGANA_END = re.compile("[ぁ-ん]+$")  # of a verb or adjective: what inflections change
# Of each word, but not behind an apostrophe: `opponent’s`.
_INITIAL = re.compile(r"(?<![\w'’])[a-z]")
_SEPARATORS = re.compile(r"[\s\-‐‑]+")


class Spellings:
    """How the house spells the names of its terms in one language."""

    def __init__(self, house: House, lang: str) -> None:
        self._house, self._lang = house, lang
        self._uses: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        self._inside: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        self._loose: dict[str, set[str]] = {}
        self._texts = house.rule_texts(lang)
        own = house.finder(lang)
        for text in self._texts:
            for name in own.find(text):
                written = text[name.start : name.end]
                self._uses[name.concepts][_shape(written, lang)] += 1
                if _is_inside(text, name.start):
                    self._inside[name.concepts][_capitals(written)] += 1
        if lang == "ja":
            self._loose = self._katakana_names()

    def find(self, read: ReadSegment) -> Iterator[Finding]:
        """Yield the names in a segment's target that the house spells otherwise, each spelling
        once: in order those of terms, then words in katakana that are nearly a name."""
        seen: set[str] = set()
        for name in read.target_names:
            written = read.target[name.start : name.end].rstrip("・ ")
            name = name._replace(end=name.start + len(written))
            if written in seen or "・" in (
                read.target[name.start - 1 : name.start],
                read.target[name.end :][:1],
            ):
                continue  # known, or part of another name
            expected = self._expected(name, written, read.target)
            if expected:
                seen.add(written)
                yield self._finding(read, name.start, name.end, expected, name.concepts[0])
        if self._lang == "ja":
            yield from self._katakana(read, seen)
        yield from self._nearly(read, seen)
        yield from self._nearly_beside(read, seen)

    def _finding(
        self, read: ReadSegment, start: int, end: int, expected: str, term: str | None
    ) -> Finding:
        written = read.target[start:end]
        return finding_at(
            read.segment,
            start,
            end,
            "spelling",
            Reason("spelled_here", written=written, name=expected),
            expected=expected,
            term=term,
            giver=Reason("of_rules", game=self._house.game) if self._texts else None,
            suggestion=expected,
        )

    def _expected(self, name: FoundName, written: str, text: str) -> str | None:
        """Return how the house spells a name; None if as it is written, or if it isn't settled."""
        names = self._house.usable_names(name.concepts, self._lang)
        first = written.partition(" ")[0].casefold()
        if not names or (first in STOP_WORDS and not any(" " in one.text for one in names)):
            return None  # `be holding` is not `Behold`
        if self._lang == "ja":
            if any(_is_form_of(written, one.text) for one in names):
                return None
            return self._usual(name, written, names)
        shape = _shape(written, self._lang)
        is_varied = all(_shape(one.text, self._lang) != shape for one in names)
        expected = self._usual(name, written, names) if is_varied else None
        return expected or self._usual_capitals(name, written, text)

    def _usual(self, name: FoundName, written: str, names: tuple[ConceptName, ...]) -> str | None:
        """Return the name in the spelling that most uses in rules have, if hardly any has the
        written one; if rules use it less than three times, the preferred one, unless passages
        hardly have that, or spell the name as it is written. None if neither settles it."""
        uses = self._uses.get(name.concepts)
        shape = _shape(written, self._lang)
        if uses is None or uses.total() < _ENOUGH:
            known = self._house.with_uses
            concepts = [known[one] for one in name.concepts if one in known]
            met = {other.text: other.count for one in concepts for other in one.spellings}
            preferred = names[0]
            own = (each for one in concepts for each in one.names)
            count = max((each.count for each in own if each.text == preferred.text), default=0)
            if count < _ENOUGH or met.get(written, 0) > _RARELY * count:
                return None
            return preferred.text
        if uses[shape] > _RARELY * uses.total():
            return None
        [(usual, count)] = uses.most_common(1)
        if count < 0.5 * uses.total():
            return None
        return next((one.text for one in names if _shape(one.text, self._lang) == usual), None)

    def _usual_capitals(self, name: FoundName, written: str, text: str) -> str | None:
        """Return an English name with the capitals that the rules (nearly) always give it inside a
        sentence; None if it has these, if fewer than nine uses tell them or uses differ, and at the
        beginning of a sentence or before a word in capitals."""
        if not _is_inside(text, name.start) or text[name.end :].lstrip()[:1].isupper():
            return None
        inside = self._inside.get(name.concepts)
        # Three times as many as for spellings: capitals vary more within one book.
        if inside is None or inside.total() < 3 * _ENOUGH:
            return None
        [(usual, count)] = inside.most_common(1)
        is_as_usual = _capitals(written) == usual
        if is_as_usual or usual == "mixed" or count < (1 - _RARELY / 2) * inside.total():
            return None
        if usual == "lower":
            is_word = not _SEPARATORS.search(
                written
            )  # a capital may mark a word as a term: Limited
            return None if is_word or written.isupper() else written.lower()
        return _INITIAL.sub(lambda letter: letter[0].upper(), written)

    def _nearly(self, read: ReadSegment, seen: set[str]) -> Iterator[Finding]:
        """Yield words that are nearly the name of a term that the source has and the target lacks:
        words in katakana or Latin letters of five or more that no rule of the house has."""
        from rapidfuzz import fuzz, process

        lost = [one for one in lone_names(read, self._house) if one.is_absent]
        words = {match[0]: match for match in _LONG_WORD.finditer(read.target) if lost}
        for one in lost:
            for name in one.names:
                is_reliable = one.is_sure and one.usage.rules >= _ENOUGH and self._lang == "ja"
                least = _NEARLY_SURE if is_reliable else _NEARLY
                near = process.extractOne(
                    name.text, list(words), scorer=fuzz.ratio, score_cutoff=least
                )
                if near:
                    word = near[0]
                    is_known = any(word in text for text in self._texts if text not in read.target)
                    if word not in seen and not is_known:
                        seen.add(word)
                        term = one.name.concepts[0]
                        yield self._finding(read, *words[word].span(), name.text, term)

    def _nearly_beside(self, read: ReadSegment, seen: set[str]) -> Iterator[Finding]:
        """Yield what `_nearly` does of terms that the target may name elsewhere, too: words that
        are part of no name there, and of no rule of the house."""
        from rapidfuzz import fuzz

        wanted = sorted(
            (name.text, concept)
            for concept in {one for found in read.source_names for one in found.concepts}
            for name in self._house.usable_names((concept,), self._lang)
        )
        for match in _LONG_WORD.finditer(read.target) if wanted else ():
            word, (start, end) = match[0], match.span()
            if word in seen or any(
                one.start < end and start < one.end for one in read.target_names
            ):
                continue
            near = [each for each in wanted if fuzz.ratio(each[0], word) >= _NEARLY]
            is_known = any(fold(word) in fold(text) for text, _ in near)
            if near and not is_known and not any(word in text for text in self._texts):
                seen.add(word)
                yield self._finding(read, start, end, *near[0])

    # -- katakana ----------------------------------------------------------------------------

    def _katakana_names(self) -> dict[str, set[str]]:
        """Return {katakana as `_loosely` returns it: how the house's names write it}, of whole runs
        with middle dots and of each word in them."""
        loose: dict[str, set[str]] = defaultdict(set)
        for concept in self._house.concepts.values():
            for name in concept.names:
                if name.lang == "ja":
                    runs = [*_KATAKANA.findall(name.text), *_WORD.findall(name.text)]
                    for word in runs:
                        loose[_loosely(word)].add(word)
        return dict(loose)

    def _katakana(self, read: ReadSegment, seen: set[str]) -> Iterator[Finding]:
        """Yield words in katakana that differ from a single name only in a long vowel, a middle dot
        or a small letter, and that the house's rules don't have: whole runs with middle dots, then
        words. They are added to `seen`, and those in it are left out."""
        found = [*_KATAKANA.finditer(read.target), *_WORD.finditer(read.target)]
        for match in found:
            word = match[0]
            names = self._loose.get(_loosely(word), set())
            if word in names or word in seen or len(names) != 1:
                continue
            whole = re.compile(f"(?<![ァ-ヺー]){word}(?![ァ-ヺー])")
            if any(whole.search(text) for text in self._texts if text not in read.target):
                continue
            if "・" in (
                read.target[match.start() - 1 : match.start()],
                read.target[match.end() :][:1],
            ):
                continue  # part of another name
            [expected] = names
            is_long = word.rstrip("ー") == expected.rstrip("ー")
            if is_long and not any(expected in text for text in self._texts):
                continue  # the sign at its end, by a name that no rule uses
            seen.add(word)
            yield self._finding(read, match.start(), match.end(), expected, None)


def _loosely(katakana: str) -> str:
    """Return katakana without what spellings of one word differ in.

    >>> _loosely("プレーヤー") == _loosely("プレイヤー"), _loosely("サーバ") == _loosely("サーバー")
    (True, True)
    """
    return _LONG_VOWEL.sub("", katakana.translate(_LOOSE_KATAKANA))


def _shape(written: str, lang: str) -> str:
    """Return what counts of a spelling: of English the sign between its words, "", "-" or " ", or
    `mixed`; of Japanese all but hiragana at its end, unless it has nothing else."""
    if lang == "ja":
        return _HIRAGANA_END.sub("", written) or written
    marks = {"-" if mark.strip() else " " for mark in _SEPARATORS.findall(written)}
    return "mixed" if len(marks) > 1 else (marks or {""}).pop()


def _is_form_of(written: str, name: str) -> bool:
    """Return whether a Japanese word is a name as it is spelled, or differs from it only in the
    hiragana at the end; a name that doesn't end in hiragana has no other forms."""
    if written == name:
        return True
    stem = _HIRAGANA_END.sub("", name)
    if stem == name:
        return False
    return bool(stem) and _HIRAGANA_END.sub("", written) == stem


def _is_inside(text: str, start: int) -> bool:
    """Return whether the word at an offset stands inside a sentence, so that its capital isn't that
    of the beginning, of a heading or of a quotation: behind a word of two letters or more that ends
    with a small one, or behind that and a comma."""
    before = text[:start].rstrip().removesuffix(",")
    word = before.rpartition(" ")[2]
    return len(word) > 1 and word.isalpha() and word[-1].islower()


def _capitals(written: str) -> str:
    """Return how the words of an English name are capitalized: `lower`, `title` (all words begin
    with a capital) or `mixed`; `lower` if it has no words that begin with a letter."""
    words = [word for word in _SEPARATORS.split(written) if word[:1].isalpha()]
    if all(word.islower() for word in words):
        return "lower"
    return "title" if all(word[0].isupper() for word in words) else "mixed"
