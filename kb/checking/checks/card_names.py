"""Finds names of cards that a draft writes otherwise than they are printed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from kb.checking.draft import Finding, finding_at, given_by
from kb.checking.house_usage import House, ReadSegment
from kb.checking.kept_tools import cached_method
from kb.checking.rules_in_two_languages import aligned_texts
from kb.language.citations.citation_patterns import fold_width
from kb.language.fold import fold, is_japanese
from kb.reason import Reason
from kb.termbase.model import Concept, ConceptName

# How like a name a piece must be, of 100, to stand in its place: by hand. It is laxer than
# `_nearest`, as the source says that the card must be named. Lower takes other cards for it;
# higher leaves the finding without a place.
_LIKE_ENOUGH = 70
# As wikis mark the name of a card: 《…》 in Japanese, [[…]] in English. Names are shorter than 80.
_MARKED = re.compile(r"《([^《》\n]{1,80})》|\[\[([^\[\]\n]{1,80})\]\]")
# In quotation marks may be a name or anything: only printed names of cards count there.
_QUOTED = re.compile(r"[「『\"“]([^「」『』\"“”\n]{2,80})[」』\"”]")
# A name in Japanese with its English: 山/Mountain. The Japanese is one word without particles, of
# at most 30 letters, which also bounds what is tried again from each letter of a long run.
_BILINGUAL = re.compile(
    r"(?P<ja>[ァ-ヺー一-鿿・々＝=ぁ-ん]{1,30})[/／]"
    r"(?P<en>[A-Z][\w’',\-]*(?: (?:[A-Z][\w’',\-]*|of|the|to|and|for|from|in|with|a))*)"
)
# Words in capitals, with small ones between them that names of cards have: Rite of the Moon.
_CAPITALIZED = re.compile(
    r"[A-Z][\w’'\-]*,?(?: (?:[A-Z][\w’'\-]*,?|of|the|to|and|for|from|in|with|a|an|at|on|&))*"
)
# Between a character, who may be named alone, and its version.
_VERSION_MARK = re.compile(r"\s[–—-]\s")
# A card of several versions: its name, a dash, and what tells it from the others.
_JAPANESE_VERSION = re.compile(r"《([^《》\n]{1,40} [–—-] [^《》\n]{1,40})》")
_SMALL = "of|the|to|and|for|from|in|with|a|an|at|on|it|de"
_ENGLISH_VERSION = re.compile(
    rf"[A-Z][\w’'.]*(?: (?:[A-Z&][\w’'.]*|{_SMALL}))* [–—-] "
    rf"[A-Z][\w’'!?-]*(?: (?:[A-Z&][\w’'!?-]*|{_SMALL})(?=[ ,.;:’'!?)]|$))*"
)
_SMALL_END = re.compile(rf"(?: (?:{_SMALL}))+$")
_OF_RULES = "rules: "  # begins the id of a card that the rules alone name
# What is in Latin letters in a Japanese text: names of cards that aren't translated.
_LATIN = re.compile(
    rf"[A-Z][A-Za-z0-9’'.-]{{2,}}(?:,? (?:[A-Z][A-Za-z0-9’'-]+|{_SMALL})(?![A-Za-z0-9]))*"
)
_LATIN_ALIKE = 55  # of 100, by hand: as two versions of a card are, unless they begin alike
_LONG_WORD = 5  # letters of a name of one word: shorter ones are everyday words, too
_MOST_WORDS = 9  # of a name that is looked for unmarked: a guard, as all lengths are tried


class CardNames:
    """The printed names of a game's cards in the languages that are known of them; they are read
    for the first text that may name one."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._is_read = False

    def _read(self) -> None:
        house, self._is_read = self._house, True
        self._cards: dict[str, Concept] = {
            concept.id: concept for concept in house.concepts.values() if concept.kind == "card"
        }
        self._printed: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._folded: dict[str, dict[str, str]] = defaultdict(dict)
        for concept in self._cards.values():
            for name in concept.names:
                self._printed[name.lang][name.text].add(concept.id)
                self._folded[name.lang].setdefault(fold(name.text), name.text)
        for lang in ("ja", "en"):
            self._add_marked_in_rules(lang)
        self._add_translated_in_rules()
        self._terms = {
            fold(name.text)
            for concept in house.concepts.values()
            if concept.kind == "term"
            for name in concept.names
        }

    def _add_marked_in_rules(self, lang: str) -> None:
        """Add the names that the game's rules mark as those of cards, without a card: of rules that
        have 《 anywhere, what stands in 《…》 or [[…]] and is in the letters of the language."""
        for text in self._house.rule_texts(lang):
            for match in _MARKED.finditer(text) if "《" in text else ():
                name = match[match.lastindex or 1]
                if is_japanese(name) == (lang == "ja") and name not in self._printed[lang]:
                    self._printed[lang][name] = set()
                    self._folded[lang].setdefault(fold(name), name)

    def _add_translated_in_rules(self) -> None:
        """Add the names in both languages of cards that rules and their examples name with a dash,
        in the same order: 《エルサ – 氷の女王》, `Elsa – Snow Queen`. Of several translations of a
        name the one that most have counts; of a card that is known, none."""
        votes: dict[str, Counter[str]] = defaultdict(Counter)
        loaded = self._house.loaded
        if loaded is None:
            return
        for ours, theirs in aligned_texts(self._house.store, loaded, "ja", "en", True):
            names = [list(dict.fromkeys(_JAPANESE_VERSION.findall(ours)))]
            versions = (_SMALL_END.sub("", name) for name in _ENGLISH_VERSION.findall(theirs))
            names.append(list(dict.fromkeys(versions)))
            if len(names[0]) == len(names[1]):
                for name, translated in zip(*names, strict=True):
                    votes[name][translated] += 1
        for name, found in votes.items():
            [(translated, _)] = found.most_common(1)
            if not self._printed["ja"].get(name) and translated not in self._printed["en"]:
                both = ConceptName("ja", name), ConceptName("en", translated)
                card = Concept(f"{_OF_RULES}{name}", self._house.game, both, "card")
                self._cards[card.id] = card
                for one in both:
                    self._printed[one.lang].setdefault(one.text, set()).add(card.id)
                    self._folded[one.lang].setdefault(fold(one.text), one.text)

    def find(self, read: ReadSegment) -> Iterator[Finding]:
        """Yield the names of cards in a segment that are not as printed: those that its source
        names, in the source's order, then those that are marked as names elsewhere in its target.
        Nothing if no card's name is known."""
        yield from _latin_names(read)
        if not any(_may_name_card(text) for text in (read.source or "", read.target)):
            return
        if not self._is_read:
            self._read()
        if not self._cards and not any(self._printed.values()):
            return
        taken: set[tuple[int, int]] = set()
        for finding, span in self._of_source(read):
            taken.add(span)
            if finding:
                yield finding
        for start, end, text in _marked(read.target):
            if not any(first < end and start < last for first, last in taken):
                yield from self._marked_name(read, start, end, text)

    # -- cards that the source names -----------------------------------------------------------

    def _of_source(self, read: ReadSegment) -> Iterator[tuple[Finding | None, tuple[int, int]]]:
        """Yield, for each card that the source names and that has a name in the target's language,
        (the finding, None if a name is there as printed; the span in the target). The span is empty
        where nothing like the name is there; a card left in the source's language is skipped."""
        if read.source is None or read.source_lang is None or not read.is_whole:
            return
        lang = read.target_lang
        is_named = any(not self._known(text, lang) for _, _, text in _marked(read.target))
        for written, cards in self._named_in(read.source, read.source_lang, is_named):
            names = [
                name
                for card in sorted(cards)
                for name in self._cards[card].names
                if name.lang == lang
            ]
            if not names:
                continue
            plain = fold_width(read.target)
            places = ((plain.find(fold_width(n.text)), len(n.text)) for n in names)
            place = next(((at, at + length) for at, length in places if at >= 0), None)
            if place:
                yield None, place
                continue
            start, end = self._like(read, names[0], lang)
            if start == end and written in read.target:
                continue  # left in the source's language, as some do
            if _VERSION_MARK.split(names[0].text)[0] == read.target[start:end]:
                continue
            yield self._finding(read, start, end, names[0], sorted(cards)[0], written), (start, end)

    def _named_in(
        self, text: str, lang: str, is_named: bool = False
    ) -> Iterator[tuple[str, set[str]]]:
        """Yield (printed name, the cards called so) of what a text names, each name once: names in
        marks first, then those in quotation marks, then in English names of two words or more in
        capitals. The cards are empty if only the rules mark the name.

        is_named: whether its translation marks a name that is unknown; names of a word count, too.
        """
        seen: set[str] = set()
        printed = self._printed[lang]
        quoted = [match[1] for match in _QUOTED.finditer(text)]
        quoted = [name for name in quoted if name in printed and fold(name) not in self._terms]
        for name in [*(name for _, _, name in _marked(text)), *quoted]:
            for written in re.split("[/／]", name):
                part = self._folded[lang].get(fold(written), written)
                if part in printed and part not in seen:
                    seen.add(part)
                    yield part, printed[part]
        if lang == "en":
            for name in (*_versions(text, printed), *self._capitalized(text, printed, is_named)):
                if name not in seen:
                    seen.add(name)
                    yield name, printed[name]

    def _capitalized(
        self, text: str, printed: dict[str, set[str]], is_named: bool
    ) -> Iterator[str]:
        """Yield the printed names of two words or more among words in capitals, in order: at each
        word the longest one; without names of terms. They may repeat, and don't overlap.

        is_named: whether names of one long word count, too."""
        for match in _CAPITALIZED.finditer(text):
            words = match[0].split()
            at = 0
            while at < len(words):
                for length in range(min(_MOST_WORDS, len(words) - at), 0, -1):
                    name = " ".join(words[at : at + length])
                    name = name if name in printed else name.rstrip(",’'")
                    name = name if name in printed else re.sub("[’']s$", "", name)
                    is_name = " " in name or (is_named and len(name) >= _LONG_WORD)
                    if name in printed and is_name and fold(name) not in self._terms:
                        yield name
                        at += length - 1
                        break
                at += 1

    def _like(self, read: ReadSegment, name: ConceptName, lang: str) -> tuple[int, int]:
        """Return where a target has what is most like a name, of ties the last; if nothing is like
        it, the only marked name that is unknown, or else the only one of a card that the source
        doesn't name; (0, 0) without one, or if there are several."""
        from rapidfuzz import fuzz

        best = (0.0, 0, 0)
        for start, end, text in _candidates(read.target, lang):
            best = max(best, (fuzz.ratio(fold(text), fold(name.text)), start, end))
        if best[0] >= _LIKE_ENOUGH:
            return best[1], best[2]
        marked = list(_marked(read.target))
        unknown = [(start, end) for start, end, text in marked if not self._known(text, lang)]
        others = [(start, end) for start, end, text in marked if not self._is_named(text, read)]
        return next((each[0] for each in (unknown, others) if len(each) == 1), (0, 0))

    def _is_named(self, text: str, read: ReadSegment) -> bool:
        """Return whether the source of a segment names a card that is called so in its target."""
        cards = {
            card
            for part in (text, *re.split("[/／]", text))
            for card in self._printed[read.target_lang].get(part, ())
        }
        return any(
            name.text in (read.source or "")
            for card in cards
            for name in self._cards[card].names
            if name.lang == read.source_lang
        )

    def _known(self, text: str, lang: str) -> bool:
        return any(part in self._printed[lang] for part in (text, *re.split("[/／]", text)))

    # -- names in marks ------------------------------------------------------------------------

    def _marked_name(self, read: ReadSegment, start: int, end: int, text: str) -> Iterator[Finding]:
        """Yield what is wrong with a name in marks, in one language or two: that its two names are
        of different cards (the second is wrong), that it isn't the name of the card that the other
        one names, or that it is nearly a printed one. Of names of terms, and of a name that nothing
        is like, nothing."""
        parts = _parts(text)
        known = [self._printed[lang].get(part, set()) for part, lang in parts]
        if len(parts) == 2 and all(known) and not known[0] & known[1]:
            (_, lang), (other, other_lang) = parts
            card = sorted(known[0])[0]
            right = next(
                (name for name in self._cards[card].names if name.lang == other_lang), None
            )
            if right:
                at = start + text.rfind(other)
                yield self._finding(read, at, at + len(other), right, card, None)
            return
        for (part, lang), cards in zip(parts, known, strict=True):
            is_term = fold(part) in self._terms and fold(part) not in self._folded[lang]
            if cards or is_term or part in self._printed[lang]:
                continue
            of_other = sorted(card for found in known for card in found)
            misspelled, name = self._nearest(part, lang), None
            if misspelled and _VERSION_MARK.split(misspelled)[0] == part:
                continue
            card_id: str | None = None
            if of_other:
                card_id = of_other[0]
                name = next((one for one in self._cards[card_id].names if one.lang == lang), None)
            elif misspelled:
                card_id = min(self._printed[lang][misspelled], default=None)
                name = ConceptName(lang, misspelled)
            if name:
                at = start + text.find(part)
                yield self._finding(read, at, at + len(part), name, card_id, None)

    @cached_method(1 << 12)
    def _nearest(self, text: str, lang: str) -> str | None:
        """Return the printed name that a text is a misspelling of: equal when folded, else the most
        alike of at least 80 in 100; None if there is none, or for less than three characters."""
        if known := self._folded[lang].get(fold(text)):
            return known
        from rapidfuzz import fuzz, process

        if len(text) < 3:  # two signs are as like any name of three that has both
            return None
        # 80 by hand: one wrong sign of five still is a misspelling, more is another name.
        found = process.extractOne(
            fold(text), self._folded[lang].keys(), scorer=fuzz.ratio, score_cutoff=80
        )
        return self._folded[lang][found[0]] if found else None

    def _finding(
        self,
        read: ReadSegment,
        start: int,
        end: int,
        name: ConceptName,
        card: str | None,
        source_text: str | None,
    ) -> Finding:
        written = read.target[start:end]
        said = Reason("card_as_printed", card=source_text, name=name.text)
        if written:
            said = Reason("printed_as", written=written, name=name.text)
        return finding_at(
            read.segment,
            start,
            end,
            "card-name",
            said,
            expected=name.text,
            term=None if card and card.startswith(_OF_RULES) else card,
            giver=(given_by(name.authority) if card else None) or Reason("rules"),
            suggestion=name.text if written else None,
            source_text=source_text,
        )


def _may_name_card(text: str) -> bool:
    """Whether a text marks or quotes anything, or has words in capitals: what has not names no
    card."""
    if any(pattern.search(text) for pattern in (_MARKED, _QUOTED, _BILINGUAL)):
        return True
    return any(" " in match[0] for match in _CAPITALIZED.finditer(text))


def _versions(text: str, printed: Mapping[str, object]) -> Iterator[str]:
    """Yield the printed English names with a dash in a text, in order, each in full."""
    for match in _ENGLISH_VERSION.finditer(text):
        words = match[0].split()
        names = (" ".join(words[:end]) for end in range(len(words), 2, -1))
        yield from islice((name for name in names if name in printed), 1)


def _latin_names(read: ReadSegment) -> Iterator[Finding]:
    """Yield the names that a Japanese source has in Latin letters, or that a Japanese target does,
    and that the other text has otherwise: each with the one that is most like it."""
    langs = {read.source_lang, read.target_lang}
    if read.source is None or langs != {"ja", "en"} or not read.is_whole:
        return
    from rapidfuzz import fuzz

    texts = {read.source_lang: read.source, read.target_lang: read.target}
    ours, theirs = (list(_LATIN.finditer(texts[lang])) for lang in ("ja", "en"))
    lost = [one for one in ours if fold(one[0]) not in fold(texts["en"])]
    for one in lost:
        free = [other for other in theirs if other[0] not in texts["ja"]]
        best = max(free, key=lambda other: fuzz.ratio(one[0], other[0]), default=None)
        if best is None:
            continue
        is_like = one[0].split()[0] == best[0].split()[0]
        if not is_like and fuzz.ratio(one[0], best[0]) < _LATIN_ALIKE:
            continue
        written, right = (one, best) if read.target_lang == "ja" else (best, one)
        yield finding_at(
            read.segment,
            *written.span(),
            "card-name",
            Reason("source_says_not", source=right[0], written=written[0]),
            expected=right[0],
            giver=Reason("source"),
            suggestion=right[0],
            source_text=right[0],
        )


def _marked(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, name) of what is marked as the name of a card, without its marks, and then
    of what is named in two languages with a slash outside of marks: `山/Mountain`, whole."""
    spans: list[tuple[int, int]] = []
    for match in _MARKED.finditer(text):
        group = match.lastindex or 1
        spans.append(match.span())
        yield (*match.span(group), match[group])
    for match in _BILINGUAL.finditer(text):
        if not any(start <= match.start() < end for start, end in spans):
            yield (*match.span(), match[0])


def _parts(text: str) -> list[tuple[str, str]]:
    """Return (name, language) of a name in marks: two of a bilingual one, Japanese first, else one;
    what has no Japanese letters is `en`."""
    pieces = re.split("[/／]", text)
    if len(pieces) == 2 and is_japanese(pieces[0]) and not is_japanese(pieces[1]):
        return [(pieces[0], "ja"), (pieces[1], "en")]
    return [(text, "ja" if is_japanese(text) else "en")]


def _candidates(target: str, lang: str) -> Iterable[tuple[int, int, str]]:
    """Yield (start, end, piece) of what may be the name of a card: the parts of marked names, then
    in Japanese what stands in quotation marks, else runs of words in capitals."""
    for start, _, text in _marked(target):
        for part, _ in _parts(text):
            at = start + text.find(part)
            yield at, at + len(part), part
    pattern = _CAPITALIZED if lang != "ja" else re.compile(r"[「『“\"]([^」』”\"]{2,40})[」』”\"]")
    for match in pattern.finditer(target):
        group = match.lastindex or 0
        yield (*match.span(group), match[group])
