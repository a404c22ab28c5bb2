"""Says which game and edition a place in a text is about, by what the text names."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from kb.checking.claims.loaded_rulebooks import Rulebooks
from kb.language.citations.citation_grammar import Citation, find_citations
from kb.rules.edition_dates import NamedEdition, rules_languages
from scraper.rulebook.languages import UNDETERMINED, detect_language
from scraper.sites.games import find_games

# Guards, as each is looked through for each citation, are `_MOST_NAMES` and those called longest;
# no prose needs as much.
_MOST_NAMES = 50  # of games before a place, that it may be about
_LONGEST_SENTENCE = 600  # characters before and behind a place
# A line or two around: more takes in a quotation in the other language, less has few letters.
_AROUND = 100  # characters before and behind a place, by whose letters the language is told
_FEWEST_LETTERS = 20  # of these, to tell by: fewer may be a game's name or a link
_LONGEST_WORD = 10  # characters of a citation before its number: `the English [rules 1.2]`
_LONGEST_LOOK = 20_000  # characters of a text by which its languages are told
_NEARLY_ALL = 0.7  # of the numbers cited: the others may be slips, or of former editions
_CLEARLY_MORE = 1.5  # by hand: less takes a few numbers that two games have for the other game's
_MOST_WEIGHED = 30  # citations whose sentences are read to tell the game: a guard of time
_LONGEST_ITEM = 3_000  # characters from an edition's name to a place that it may be meant at
_FIRST_LINES = 3  # that are not empty, in which an edition is named for all of a text: by hand
_BEFORE_DIGITS = re.compile(r"[^\W\d]{0,12}\s?")  # `rule `, ルール
_PARAGRAPH_END = re.compile(r"\n[ \t\u3000]*(?:\n|#)")
# Behind the name of an edition: the text comes back to the rules of today.
_TODAY = re.compile(
    r"\b(?:now|nowadays|today|current(?:ly)?|latest|newest|at present|these days|since then)\b"
    r"|現在|現行|最新|今日|今では|今の",
    re.IGNORECASE,
)
_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]")
# A line that begins something new; else a sentence may go on from the line before.
_NEW_LINE = re.compile(r"\n(?=[ \t\u3000]*(?:\n|#|\||>|[-*+•・][ \t]|・|\d+[.)]?\s|\d+\.\d))")
_ITEM = re.compile(r"[ \t\u3000]*(?:[-*+•][ \t]|・|\d+[.)]\s)")
# A game may be named to be set against the one that the text is about.
_NEXT_CLAUSE = re.compile(r"[,;] (?:and|but|while|whereas)\b|;|が、|一方")
_CONTRAST = re.compile(
    r"\b(?:unlike|like|contrary|contrast|whereas|instead|as in|as with|similar|same|compar\w*|than"
    r"|otherwise|other|differ\w*|but|while|although|not (?:in|of|like)|equivalent|players)\b"
    r"|違|異な|対し|比べ|同じ|同様|一方|ではなく|ほか|他の|似|とは",
    re.IGNORECASE,
)
_JAPANESE_LETTER = re.compile(r"[ぁ-ゖァ-ヺ一-鿿]")
_LATIN_LETTER = re.compile(r"[A-Za-z]")
# Not `SENTENCE_END`: a quotation that ends with a full stop goes on to its source, `“…” (rule 1)`,
# 「…。」（2020年版）.
_SENTENCE_END = re.compile(r"[。！？!?](?![」』”’]+\s?[（(〔【])|\n|\.(?=\s|[”\"’)]+\s+[A-Z「“\"])")


class TextContext:
    """The games and editions that a text names, and where."""

    def __init__(
        self, text: str, rulebooks: Rulebooks, game: str | None, edition: str | None
    ) -> None:
        """game, edition: what a person asked for; None for what the text says."""
        self._text, self._rulebooks, self._game, self._edition = text, rulebooks, game, edition
        self._take_names((start, name) for name, start, _ in self._names_of_games())
        named = sorted(rulebooks.editions_named(text, game))
        self._edition_of_number = {
            one.number_start: one.edition for one in named if one.number_start is not None
        }
        self._editions = [one for one in named if one.number_start is None]
        self.game = game or self._main_game()
        self.edition_of_text = edition or self._edition_of_text()

    def _take_names(self, named: Iterable[tuple[int, str]]) -> None:
        """Take the places of games' names in the text, in order: (where it stands, game)."""
        self._named = list(named)
        self._mentions = Counter(name for _, name in self._named)
        self.named_games = [name for name, _ in self._mentions.most_common()]

    def games_at(self, offset: int) -> list[str]:
        """Return the games with rules that a number at some place may be of, the likeliest first:
        the one that a person asked for, or that its sentence names, alone; else the one that its
        paragraph begins with, the text's, those named before it and the others named. In a text
        that names none, also all others; empty if none of these has rules."""
        if self._game:
            return [self._game] if self._game in self._rulebooks.games else []
        loaded = self._rulebooks.games
        if game := self.game_of_sentence(offset):
            return [game]
        index = bisect_right(self._named, (offset, "\U0010ffff"))
        before = [name for _, name in self._named[max(0, index - _MOST_NAMES) : index][::-1]]
        led = before[:1] if index and self._leads(*self._named[index - 1], offset) else []
        likely = [*led, *([self.game] if self.game else []), *before, *self.named_games]
        if not self._named:
            likely += loaded
        return [name for name in dict.fromkeys(likely) if name in loaded]

    def _leads(self, place: int, game: str, offset: int) -> bool:
        """Whether what follows the name of a game up to another place is likely about it: it is
        named more than once, or by a heading, or in the first sentence of that paragraph; not where
        it is only compared."""
        if self._mentions[game] > 1:
            return True
        start = self._text.rfind("\n", 0, place) + 1
        line = self._text[start:].partition("\n")[0]
        if offset >= start + len(line) and not _SENTENCE_END.search(line):
            return True
        ends = [end.end() for end in _PARAGRAPH_END.finditer(self._text, 0, offset)]
        sentence = self._sentence(place)
        begins = not self._text[ends[-1] if ends else 0 : sentence[0]].strip()
        return begins and sentence[1] <= offset and not _CONTRAST.search(self._text, *sentence)

    def games_of(self, numbers: Sequence[str], offset: int) -> list[str]:
        """Return the games that numbers cited at some place may be of, the likeliest first.

        Of those that the text names, the ones whose numbers have such a form, first those with such
        a rule in a section that the sentence names; in a text that names none, its own. If none of
        these has the number, any other that has it in such a section. If no number of these has the
        form, those that have all the numbers cited, first the one that has most that the text cites
        elsewhere; if none has, as `games_at`.
        """
        likely = self.games_at(offset)
        if self._game or (not likely and self.game) or self.game_of_sentence(offset):
            return likely
        has_form = self._rulebooks.has_form
        if self._named:
            known = self._rulebooks.known
            is_known = any(number in known(one) for one in likely for number in numbers)
            others = [] if is_known else [one for one in self._rulebooks.games if one not in likely]
            sentence = self._text[slice(*self._sentence(offset))]
            headed = [
                one
                for one in (*likely, *others)
                if any(self._rulebooks.is_headed(one, number, sentence) for number in numbers)
            ]
            likely = [*headed, *(one for one in likely if one not in headed)]
        shaped = [one for one in likely if any(has_form(one, number) for number in numbers)]
        if shaped:
            return shaped if self._named or self.game not in shaped else [self.game]
        others = [
            one
            for one in self._rulebooks.games
            if all(number in self._rulebooks.known(one) for number in numbers)
        ]
        share = {one: len(self._cited_set & self._rulebooks.known(one)) for one in others}
        return sorted(others, key=lambda one: (-share[one], one)) or likely

    @cached_property
    def _citations(self) -> list[Citation]:
        return find_citations(self._text, self._rulebooks.known(None))

    @cached_property
    def _cited(self) -> list[str]:
        return [one.number for one in self._citations]

    @cached_property
    def _cited_set(self) -> frozenset[str]:
        return frozenset(self._cited)

    def game_of_sentence(self, offset: int) -> str | None:
        """Return the only game that the sentence around a place names, if its rules are loaded and
        it is not named to be set against another, nor in a clause behind."""
        if self._game or not self._named:
            return None
        start, end = self._sentence(offset)
        first = bisect_left(self._named, (start, ""))
        last = bisect_left(self._named, (end, ""))
        names = {
            name
            for place, name in self._named[first:last]
            if place <= offset or not _NEXT_CLAUSE.search(self._text, offset, place)
        }
        if len(names) != 1 or not names <= self._rulebooks.games.keys():
            return None
        return None if _CONTRAST.search(self._text, start, end) else names.pop()

    def edition_at(self, offset: int) -> str | None:
        """Return the edition that a place in the text is about: the one that a person asked for,
        that stands in brackets behind a rule's number there, that its sentence names, or the text
        as a whole, or the text alone of its game; None for the newest."""
        if self._edition:
            return self._edition
        if self._edition_of_number:
            number = _BEFORE_DIGITS.match(self._text, offset)
            if number and number.end() in self._edition_of_number:
                return self._edition_of_number[number.end()]
        start, end = self._sentence(offset) if self._editions else (0, 0)
        here = [one for one in self._editions if start <= one.start < end]
        if here:
            before = [one for one in here if one.end <= offset]
            return (before[-1] if before else here[0]).edition
        return (
            self._carried_over(offset)
            or self._edition_of_section(offset)
            or self._edition_of_game(offset)
            or self.edition_of_text
        )

    def _edition_of_game(self, offset: int) -> str | None:
        """Return the only edition that the text names for all of it of the game that a place is
        about, where it names those of several games; None without one."""
        if len({one.edition for one in self._first_editions}) < 2:
            return None
        for game in self.games_at(offset)[:1]:
            editions = self._rulebooks.games[game].editions
            named = {one.edition for one in self._first_editions if one.edition in editions}
            return named.pop() if len(named) == 1 else None
        return None

    def _carried_over(self, offset: int) -> str | None:
        """Return the edition named last before a place in its list item, or in its sentence where
        that goes over several lines; not if the text comes back to the rules of today since. None
        then, or if none is named."""
        index = bisect_right(self._editions, offset, key=lambda one: one.start) - 1
        if index < 0 or offset - self._editions[index].end > _LONGEST_ITEM:
            return None
        start, end, edition, _ = self._editions[index]
        between = self._text[end:offset]
        if _NEW_LINE.search(between) or _TODAY.search(between):
            return None
        begins = [found.end() for found in _NEW_LINE.finditer(self._text, 0, start)]
        if _ITEM.match(self._text, begins[-1] if begins else 0):
            return edition
        # A full stop at the end of a line ends a sentence; the end of the line alone doesn't.
        return (
            None if _SENTENCE_END.search(re.sub(r"(?<![.。！？!?])\n", " ", between)) else edition
        )

    @cached_property
    def _sections(self) -> list[tuple[int, int, str | None]]:
        """(start, level, edition) of each heading: the only edition that it names."""
        found: list[tuple[int, int, str | None]] = []
        place = 0
        for line in self._text.splitlines(keepends=True):
            if heading := _HEADING.match(line):
                end = place + len(line)
                named = {one.edition for one in self._editions if place <= one.start < end}
                edition = named.pop() if len(named) == 1 else None
                found.append((place, len(heading[1]), edition))
            place += len(line)
        return found

    def _edition_of_section(self, offset: int) -> str | None:
        """Return the edition that the nearest heading above a place names, of those that it stands
        under; None without one."""
        level = 7
        for start, of_heading, edition in reversed(self._sections):
            if start <= offset and of_heading < level:
                if edition:
                    return edition
                level = of_heading
        return None

    def lang_named(self, offset: int) -> str | None:
        """Return the language of the rules that the sentence around a place names before it: `in
        the Japanese rules 8.9`, `英語版8.9`; None without one."""
        start, _ = self._sentence(offset)
        named = rules_languages(self._text, start, offset + _LONGEST_WORD)
        before = [lang for place, _, lang in named if place < offset]
        return before[-1] if before else None

    def lang_at(self, offset: int) -> str:
        """Return the language of the rules that a place is about: the one that its sentence names,
        or else that of the letters around it; where they are few, that of most of the text."""
        around = self._text[max(0, offset - _AROUND) : offset + _AROUND]
        is_japanese = _is_japanese(around)
        if is_japanese is None:
            is_japanese = bool(_is_japanese(self._text[:_LONGEST_LOOK], 0))
        return self.lang_named(offset) or self._langs[is_japanese]

    @cached_property
    def _langs(self) -> tuple[str, str]:
        """The languages of what the text has in Latin letters, and of the rest of it, if rules in
        them are loaded; else `en` and `ja`."""
        text = self._text[:_LONGEST_LOOK]
        latin = detect_language(_JAPANESE_LETTER.sub(" ", text))
        found = detect_language(_LATIN_LETTER.sub(" ", text))
        loaded = {lang for game in self._rulebooks.games.values() for _, lang in game.books}
        is_known = latin in loaded and latin != UNDETERMINED
        return latin if is_known else "en", found if found in loaded else "ja"

    def sentence_around(self, start: int, end: int) -> str:
        """Return the rest of the sentence or sentences that a span of the text is in."""
        begin, stop = self._sentence(start)[0], self._sentence(max(start, end - 1))[1]
        return f"{self._text[begin:start]} {self._text[end:stop]}"

    def _sentence(self, offset: int) -> tuple[int, int]:
        """Return where the sentence around a place begins and ends, with its sign: at most 600
        characters before and behind the place."""
        first = max(0, offset - _LONGEST_SENTENCE)
        last = min(len(self._text), offset + _LONGEST_SENTENCE)
        first = max(first, self._text.rfind("\n", first, offset))  # which ends one, too
        ends = [match.end() for match in _SENTENCE_END.finditer(self._text, first, offset)]
        behind = _SENTENCE_END.search(self._text, offset, last)
        return (ends[-1] if ends else first), (behind.end() if behind else last)

    @cached_property
    def _first_editions(self) -> list[NamedEdition]:
        """The editions that the first lines, up to a second heading, name in sentences that cite no
        rule."""
        lines = re.finditer(r"[^\n]*\S[^\n]*", self._text)
        first = [line for _, line in zip(range(_FIRST_LINES), lines, strict=False)]
        parts = [line.start() for line in first[1:] if _HEADING.match(line[0])]
        end = min([*parts, *(line.end() for line in first[-1:])], default=0)
        named = [one for one in self._editions if one.start < end]
        return [one for one in named if not self._is_beside_citation(one)]

    def _edition_of_text(self) -> str | None:
        """Return the edition that the text is about as a whole: the only one that its first lines
        name; of several the only one in the first line that names any; None without one."""
        found = self._first_editions
        if len({one.edition for one in found}) > 1:
            end = self._text.find("\n", found[0].start)
            found = [one for one in found if one.start < end]
        return found[0].edition if len({one.edition for one in found}) == 1 else None

    def _is_beside_citation(self, named: NamedEdition) -> bool:
        """Whether the sentence that names an edition cites a rule, too: by a word, or a number with
        a point; not by the digits of the edition's own name."""
        begin, end = self._sentence(named.start)
        cites = find_citations(self._text[begin:end], self._rulebooks.known(self.game))
        beside = (one for one in cites if not named.start <= begin + one.start < named.end)
        return any("." in c.number or c.end - c.start > len(c.number) for c in beside)

    def _names_of_games(self) -> list[tuple[str, int, int]]:
        """Return (game, start, end) of each place where the text names a game, in order.

        The name of a game without rules counts only if the text is not about another, by what it
        cites: not a name that is a word of those rules (Vanguard is a variant of Magic, too), nor
        one that is named in passing.
        """
        names = list(find_games(self._text))
        loaded = self._rulebooks.games
        if not names or any(name in loaded for name, _, _ in names) or not self._cited:
            return names
        for game in loaded:
            known = self._rulebooks.known(game)
            if 2 * sum(one in known for one in self._cited) > len(self._cited):
                names = [
                    one
                    for one in names
                    if not self._rulebooks.is_word(game, self._text[one[1] : one[2]])
                ]
        in_passing = len(names) == 1 and not self._cites_in_sentence(names[0][1])
        return [] if in_passing and self._game_of_citations(2) else names

    def _cites_in_sentence(self, offset: int) -> bool:
        """Whether the sentence around a place cites a rule, or is the text's first line."""
        begin, end = self._sentence(offset)
        known = self._rulebooks.known(None)
        is_first = begin == 0 and "\n" not in self._text[:offset].strip()
        return is_first or any(find_citations(self._text[begin:end], known))

    def _game_of_citations(self, least: int) -> str | None:
        """Return the only game that has nearly all numbers cited, which are at least so many
        different ones, all of three digits and a point (`704.5`), as few games have them; None
        without one."""
        cited = self._cited_set
        if len(cited) < least or not all(re.match(r"[1-9]\d\d\.", one) for one in cited):
            return None
        games = [
            game
            for game in self._rulebooks.games
            if len(cited & self._rulebooks.known(game)) >= _NEARLY_ALL * len(cited)
        ]
        return games[0] if len(games) == 1 else None

    def _rival(self, named: str) -> str | None:
        """Return the game that has clearly more of the numbers and sections that the text speaks of
        than the one that it names has of them and of mentions; None without one."""
        first = self._citations[:_MOST_WEIGHED]

        def votes(game: str) -> int:
            numbers = {one.number for one in first} & self._rulebooks.known(game)
            return len(numbers) + sum(
                self._rulebooks.is_headed(
                    game, one.number, self._text[slice(*self._sentence(one.start))]
                )
                for one in first
                if one.number in numbers
            )

        rival = max(self._rulebooks.games, key=votes)
        own = votes(named) + self._mentions[named]
        is_clear = votes(rival) >= max(own + 2, _CLEARLY_MORE * own)
        return rival if rival != named and is_clear else None

    def take_game(self, game: str) -> None:
        """Take the text to be about a game, and the names of games without rules for words."""
        self.game = game
        named = [one for one in self._named if one[1] in self._rulebooks.games]
        self._take_names(named or [(0, game)])

    def _main_game(self) -> str | None:
        """Return the game of the text: the one with rules that it names most often (unless its
        numbers are all another's, or `_rival` has another), else the one without rules that it
        names most often, else the only one with rules, else the one with rules that has most of the
        numbers it cites, then of their forms, then of rules; None if the text neither names a game
        nor cites a number."""
        loaded = self._rulebooks.games
        named = [name for name in self.named_games if name in loaded]
        if named:
            if rival := self._rival(named[0]):
                return rival
            has_form = self._rulebooks.has_form
            fits = not self._cited or any(has_form(named[0], one) for one in self._cited)
            return named[0] if fits else self._game_of_citations(1) or named[0]
        if self._named:
            return self.named_games[0]
        if len(loaded) < 2:
            return next(iter(loaded), None)
        known = {name: self._rulebooks.known(name) for name in loaded}
        cited = self._cited
        counts = {name: sum(number in known[name] for number in cited) for name in loaded}
        shaped = {
            name: sum(self._rulebooks.has_form(name, one) for one in cited) for name in loaded
        }
        if not cited:
            return None
        return max(loaded, key=lambda name: (counts[name], shaped[name], len(known[name])))


def _is_japanese(text: str, least: int = _FEWEST_LETTERS) -> bool | None:
    """Whether the letters of a text are Japanese or Chinese ones; None if it has fewer than
    `least`. One for three Latin letters suffices, as names and terms stay Latin in Japanese."""
    japanese = len(_JAPANESE_LETTER.findall(text))
    latin = len(_LATIN_LETTER.findall(text))
    return None if japanese + latin < least else 3 * japanese > latin
