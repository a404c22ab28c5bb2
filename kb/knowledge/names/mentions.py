"""Finds mentions: where a passage names a term, in any inflection and spelling."""

from __future__ import annotations

import logging
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import NamedTuple, TypeVar

from graphs.model import kind_of_id
from graphs.writing.names_and_merges import NodeName
from graphs.writing.passage_annotations import Annotation, Mention, PassageText, Spelling
from kb.knowledge.page_subject import game_of
from kb.language.fold import fold, is_hiragana
from kb.language.headwords import parse_headword
from kb.language.tokens import MAX_WORDS, Entry, Tokenizer, normal_text, tokenizer

_LOG = logging.getLogger(__name__)
_MAX_WORDS = 16  # in a name, as Sudachi splits it: of 47,000 names of cards two have more
# Characters; enough to rule out most words that begin no name. Longer ones take more memory,
# shorter ones more searches.
_PREFIX_LENGTH = 4
# By the last kana of a verb (引く): that of its noun (引き), and that before る of its potential
# (引ける).
_ENDINGS = {
    "う": ("い", "え"), "く": ("き", "け"), "ぐ": ("ぎ", "げ"), "す": ("し", "せ"),
    "つ": ("ち", "て"), "ぬ": ("に", "ね"), "ぶ": ("び", "べ"), "む": ("み", "め"),
    "る": ("り", "れ"),
}  # fmt: skip
# Before る: the kana of verbs that only drop る (加える, 捨てる).
_I_AND_E_ROWS = frozenset("いきぎしじちにひびみりえけげせぜてでねへべめれ")
# Nouns that only join sentences. Glossaries have entries for some (`if` is 場合), but a text that
# has one does not speak of it.
JOINING_NOUNS = frozenset("場合 とき 時 際 もの 物 こと 事 ところ 所 ため 為".split())
_PREFIXES = frozenset("非未不")
_SUFFIXES = frozenset("的機")
# Behind a noun they make a verb of it; behind a verb they say that it begins, ends, comes again.
_HELPING_VERBS = frozenset(
    "する できる 出来る 直す なおす 始める はじめる 続ける つづける 終わる おわる 終える おえる "
    "過ぎる すぎる".split()
)
_MAX_KNOWN = 1 << 13  # passages: about all of two editions of a long rulebook, which repeat most
_LONGEST_NAME = 200  # characters, of a page's name; a guard: longer words are no name
_CARD = re.compile(r"《([^《》\n]{1,160})》")  # as in `cards`: the longest name has 141 characters

Match = TypeVar("Match", bound=tuple[int, int, object])


class NameMatch(NamedTuple):
    """A name found in text[start:end], and the terms that have it: several if homonyms."""

    start: int
    end: int
    terms: tuple[str, ...]


class NameLinker:
    """Finds the names of terms in texts; where several begin at a word, the longest.

    It is made of (term, search key) pairs: see `search_keys`.

    >>> from kb.language.tokens import tokenizer
    >>> names = [("t1", "引く"), ("t2", "ドロー・ステップ"), ("t3", "ドロー")]
    >>> linker = NameLinker(
    ...     (term, key) for term, name in names for key in search_keys(name, tokenizer())
    ... )
    >>> text = "ドローステップにカードを引かせる。"
    >>> [(text[m.start:m.end], m.terms) for m in linker.mentions(*tokenizer().entries(text))]
    [('ドローステップ', ('t2',)), ('引か', ('t1',))]
    """

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        """names: (id of a term, search key of one of its names), in any order.

        A key that several terms share stands for all of them, sorted by id.
        """
        self._terms: dict[str, tuple[str, ...]] = {}
        homonyms: dict[str, set[str]] = defaultdict(set)
        for term, key in names:
            single = (term,)
            if self._terms.setdefault(key, single) != single:
                homonyms[key].add(term)
        for key, terms in homonyms.items():
            self._terms[key] = tuple(sorted(terms.union(self._terms[key])))
        # Only short prefixes are stored: those of all lengths would take most of the memory.
        self._sorted = sorted(self._terms)
        self._prefixes = {
            key[:n] for key in self._sorted for n in range(1, min(len(key), _PREFIX_LENGTH) + 1)
        }
        self._beginnings = _Beginnings(self._beginning)

    def mentions(self, entries: list[Entry], starts: list[int]) -> Iterator[NameMatch]:
        """Yield the names in a text in order, without overlaps.

        A match is a NameMatch: the span in the text, and the terms that have the name, sorted. At
        each word the longest name that begins there counts. A name inside a longer word (公開 in
        非公開) is left out, and with it all names that begin within it. A function word alone is no
        name.

        entries, starts: the text's words and where they start, as `Tokenizer.entries` returns
            them; `starts` has the text's end as its last item.
        """
        beginnings, next_free = self._beginnings, 0
        found = [beginnings[entry] for entry in entries]
        for first, beginning in enumerate(found):
            if beginning is None or first < next_free:
                continue
            last, key = first, beginning.name
            if beginning.goes_on:
                last, key = self._longest_name(first, key, entries)
            if not key or (last == first and _only_joins(entries[first])):
                continue  # a name may begin with a function word (として扱う)
            next_free = last + 1
            if not _is_part_of_word(first, last, entries):
                yield NameMatch(starts[first], starts[next_free], self._terms[key])

    def terms_named(
        self, entries: Sequence[Entry], starts: Sequence[int], start: int, end: int
    ) -> tuple[str, ...]:
        """Return the terms that have all of text[start:end] as a name, sorted; empty if none, if
        words of the text begin or end elsewhere, and for an empty span or one of over 16 words.

        entries, starts: the text's words, as for `mentions`.
        """
        first, last = bisect_left(starts, start), bisect_left(starts, end)
        if not 0 < last - first <= _MAX_WORDS or starts[first] != start or starts[last] != end:
            return ()
        words, ending = entries[first:last], entries[last - 1]
        if self._beginnings[words[0]] is None:
            return ()
        spelled = "".join(entry.spelled for entry in words[:-1])
        normal = "".join(entry.folded for entry in words)
        keys = (spelled + ending.spelled, spelled + ending.folded, normal)
        return next((self._terms[key] for key in keys if key in self._terms), ())

    def _longest_name(self, first: int, name: str, entries: list[Entry]) -> tuple[int, str]:
        """Return the last word of the longest name that begins with the word `first`, and the
        name's search key, which is empty if no name begins there.

        A name has at most `_MAX_WORDS` words. They match as spelled, with the last in its normal
        form, or all in normal forms, in this order. A name can't end in a sign such as ・.

        first: the word, by its index in `entries`.
        name: the search key of the word alone; empty if it is no name.
        """
        last, begins, terms = first, self._begins_name, self._terms
        word = entries[first]
        spelled, normal = word.spelled, word.folded  # the words so far, in both forms
        for place in range(first + 1, min(first + _MAX_WORDS, len(entries))):
            word = entries[place]
            if word.spelled == word.folded and spelled == normal:  # the usual case, made fast
                spelled = normal = spelled + word.spelled
                if spelled in terms and word.spelled:
                    last, name = place, spelled
                if not begins(spelled):
                    break
                continue
            # all as spelled; the last in its normal form; all in normal forms
            keys = (spelled + word.spelled, spelled + word.folded, normal + word.folded)
            spelled, _, normal = keys
            if word.spelled:  # a sign such as ・ is empty when folded, and can't end a name
                for key in keys:
                    if key in terms:
                        last, name = place, key
                        break
            if not any(map(begins, keys)):
                break
        return last, name

    def _begins_name(self, text: str) -> bool:
        """Whether any search key begins with a text."""
        if len(text) <= _PREFIX_LENGTH:
            return text in self._prefixes
        place = bisect_left(self._sorted, text)
        return place < len(self._sorted) and self._sorted[place].startswith(text)

    def _begins_longer_name(self, text: str) -> bool:
        """Whether any search key begins with a text and is longer."""
        place = bisect_right(self._sorted, text)
        return place < len(self._sorted) and self._sorted[place].startswith(text)

    def _beginning(self, word: Entry) -> _Beginning | None:
        """What a word is to names that begin with it; None if there are none."""
        if not word.spelled:  # a sign such as ・
            return None
        forms = (word.spelled, word.folded)
        name = next((form for form in forms if form in self._terms), "")
        goes_on = any(form and self._begins_longer_name(form) for form in forms)
        return _Beginning(name, goes_on) if name or goes_on else None


class _Beginning(NamedTuple):
    """A word that begins a name.

    name: the search key of the word alone; empty if it is no name by itself.
    goes_on: whether a longer name begins with the word.
    """

    name: str
    goes_on: bool


class _Beginnings(dict[Entry, _Beginning | None]):
    """A cache: what words are to the names that begin with them; a word that is missing is looked
    up, and all are forgotten once it is full."""

    def __init__(self, of: Callable[[Entry], _Beginning | None]) -> None:
        """of: returns what is to be cached for a word."""
        self._of = of

    def __missing__(self, word: Entry) -> _Beginning | None:
        if len(self) >= MAX_WORDS:
            self.clear()
        beginning = self[word] = self._of(word)
        return beginning


def _only_joins(entry: Entry) -> bool:
    """Whether a word is a function word, or a noun that does what they do (`JOINING_NOUNS`)."""
    return entry.function or entry.normal in JOINING_NOUNS


def _is_part_of_word(first: int, last: int, entries: list[Entry]) -> bool:
    """Whether entries[first:last + 1] are part of a longer word, which means something else.

    The longer word has an affix (非公開, 効果的), or it is in the dictionary (効果音, 引き出す,
    金色). Only the entry directly before and the one directly after count.
    """
    if first:
        before = entries[first - 1]
        if before.spelled in _PREFIXES or (
            not before.function and _are_one_word(before, entries[first])
        ):
            return True
    if last + 1 < len(entries):
        after = entries[last + 1]
        return after.spelled in _SUFFIXES or (
            not after.function and _are_one_word(entries[last], after)
        )
    return False


def _are_one_word(first: Entry, second: Entry) -> bool:
    """Whether two words in sequence make up one word of the dictionary: the first as spelled, with
    the second in dictionary form. Not if either is a function word, or the second a helping verb
    such as する."""
    if first.function or second.function or second.dictionary in _HELPING_VERBS:
        return False
    return tokenizer().is_word(first.spelled + (second.dictionary or second.spelled))


class Annotator:
    """Annotates passages with their words and the terms that they mention.

    What the site links to a term is a mention of it, also within a longer name; no other name is
    looked for in the linked words. A name that several terms of a game share mentions none of them.
    """

    def __init__(self, spellings: Iterable[Spelling], tokenizer: Tokenizer) -> None:
        """spellings: all forms to look for, of all games; see `spellings`."""
        self._tokenizer = tokenizer
        self._names: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for spelling in spellings:
            self._names[spelling.game].append((spelling.term, spelling.spelled))
        self._linkers: dict[str, NameLinker] = {}
        self._no_names = NameLinker(())
        self._met: set[Entry] = set()
        # The last passages: most words of a rulebook are those of its last edition.
        self._known: dict[PassageText, Annotation] = {}

    def __call__(self, passages: Iterable[PassageText]) -> list[Annotation]:
        """Return, for each passage in order, its search words, its mentions in order, and the words
        this object meets first, or that it has forgotten again.

        Names are looked for in Japanese passages of games with names; elsewhere only the site's
        links are mentions. The same passage has no `new_words` when it is given again.
        """
        known, given = self._known, list(passages)
        # All are tokenized first: Sudachi is a tenth faster while the processor's caches hold
        # nothing but its dictionary.
        tokenized = [
            (passage, *self._tokenizer.entries(passage.text))
            for passage in dict.fromkeys(given)
            if passage not in known
        ]
        new = {words[0]: self._annotation(*words) for words in tokenized}
        known.update((passage, each._replace(new_words=())) for passage, each in new.items())
        found = [new.pop(each) if each in new else known[each] for each in given]
        for passage in list(islice(known, max(0, len(known) - _MAX_KNOWN))):
            del known[passage]
        return found

    def _annotation(
        self, passage: PassageText, entries: list[Entry], starts: list[int]
    ) -> Annotation:
        """Return what is found in a passage: its search words, its mentions, and its words that are
        met first, in any order. entries, starts: as `Tokenizer.entries` returns them for its text.
        """
        new_entries = set(entries).difference(self._met)
        if new_entries:
            if len(self._met) >= MAX_WORDS:
                self._met.clear()
            self._met |= new_entries
        new_words = tuple(
            (entry.spelled, entry.folded, "" if entry.function else entry.normal)
            for entry in new_entries
            if entry.spelled
        )
        return Annotation(normal_text(entries), self.mentions(passage, entries, starts), new_words)

    def mentions(
        self, passage: PassageText, entries: list[Entry], starts: list[int]
    ) -> list[Mention]:
        """Return the mentions in a passage, in the order of their spans, which overlap only where
        the site links a part of a longer name; none before `passage.start`.

        entries, starts: its words and where they start, as `Tokenizer.entries` returns them.
        """
        linker = self._linker(passage)
        matches: Iterable[NameMatch] = linker.mentions(entries, starts)
        marked: list[MarkedName] = []
        if passage.links or "《" in passage.text:
            marked = marked_names(passage, starts, partial(linker.terms_named, entries, starts))
            matches = beside(marked, matches)
        spans = [(start, end, terms[0]) for start, end, terms in matches if len(terms) == 1]
        if marked:
            spans = sorted({*spans, *(name for name in marked if name.term)})
        return [
            Mention(term, term.partition("/term/")[2], start, end)
            for start, end, term in spans
            if start >= passage.start
        ]

    def _linker(self, passage: PassageText) -> NameLinker:
        """Return what finds names in a passage; one that finds none if the passage is not Japanese,
        or its game has no names."""
        game = passage.game
        if passage.lang != "ja" or game not in self._names:
            return self._no_names
        linker = self._linkers.get(game)
        if linker is None:
            linker = self._linkers[game] = NameLinker(self._names[game])
            self._names[game] = []  # no longer needed, and large
        return linker


def searchable_names(names: Iterable[NodeName]) -> set[tuple[str, str, str]]:
    """Return those names of terms that passages are searched for, as (game, term, name): the
    term is its id, the name as it is written. Those passages are Japanese.

    If a name is preferred for one term and an alias of another, it belongs to the first alone.
    Left out are readings, single hiragana, and names in ASCII or of a third language: in Chinese a
    creature is 生物, which in Japanese is any living thing.
    """
    fit = [
        (game_of(name.node), name)
        for name in names
        if name.role != "reading"
        and name.lang in ("ja", "en")
        and not name.text.isascii()
        and (len(name.text) > 1 or not _is_hiragana(name.text))
    ]
    preferred = {(game, name.folded) for game, name in fit if name.role == "preferred"}
    if _LOG.isEnabledFor(logging.DEBUG):
        for game, name in fit:
            if name.role != "preferred" and (game, name.folded) in preferred:
                why = "it is the name of another term"
                _LOG.debug("%s is not looked for as %s: %s", name.text, name.node, why)
    return {
        (game, name.node, name.text)
        for game, name in fit
        if name.role == "preferred" or (game, name.folded) not in preferred
    }


def spellings(names: Iterable[tuple[str, str, str]], tokenizer: Tokenizer) -> Iterator[Spelling]:
    """Yield each search key of some names, several for most names and none for names of signs
    alone; those of one name in any order.

    names: (game, id of the term, name as it is written), as `searchable_names` returns them.
    """
    for game, term, name in names:
        for key in search_keys(name, tokenizer):
            yield Spelling(game, key, term, name)


def search_keys(name: str, tokenizer: Tokenizer) -> set[str]:
    """Return the folded strings by which a name is found; empty for a name of signs alone.

    They are its spelling, so that オモテ向き is found as 表向き; the normal forms of its words, so
    that 引く is found in 引いた; and for a verb its noun and its potential.

    >>> from kb.language.tokens import tokenizer
    >>> sorted(search_keys("引く", tokenizer()))
    ['引き', '引く', '引ける']
    """
    tokens = tokenizer(name)
    keys = {fold(name), "".join(token.entry.folded for token in tokens)}
    if tokens and tokens[-1].entry.inflected and name and name[-1] in _ENDINGS:
        stem, before = fold(name[:-1]), name[-2:-1]
        noun, potential = _ENDINGS[name[-1]]
        if name[-1] == "る" and (before in _I_AND_E_ROWS or not _is_hiragana(before)):
            keys.add(stem)  # 加え, 捨て
        if name[-1] != "る" or before not in _I_AND_E_ROWS:
            keys |= {stem + noun, stem + potential + "る"}
    return {key for key in keys if key}


def _is_hiragana(text: str) -> bool:
    """Whether a character is hiragana; false for an empty text."""
    return "ぁ" <= text <= "ん"


class MarkedName(NamedTuple):
    """Words that are marked as a name, by 《》 or by a link; with the okurigana behind the link.

    term: the id of the term that they name; empty if they name something else, such as a card.
    """

    start: int
    end: int
    term: str


def marked_names(
    passage: PassageText, starts: Sequence[int], terms_named: Callable[[int, int], Sequence[str]]
) -> list[MarkedName]:
    """Return the names that are marked as such in a passage, in the order of their spans; in a
    passage without 《》 in that of its links. They may overlap and repeat.

    A link to a target that no page gives marks its words if they are the name of the target and
    that of a card, or a term's name. What stands in 《》 is a card's name if it is no term's, its
    span with the brackets. Links outside the text mark nothing.

    starts: where the words of the passage start, and its end, as `Tokenizer.entries` returns them.
    terms_named: returns the ids of the terms that have text[start:end] as a name.
    """
    text, marked = passage.text, []
    for start, end, nodes, label in passage.links:
        if not start < end <= len(text):
            continue
        word_end = starts[bisect_left(starts, end)]
        if end != word_end and is_hiragana(text[end:word_end]):
            end = word_end  # sites link only the stem of a verb
        if len(nodes) == 1:
            [node] = nodes
            marked.append(MarkedName(start, end, node if kind_of_id(node) == "term" else ""))
        elif nodes:
            term = _term_of_page(nodes, label, terms_named(start, end))
            marked.append(MarkedName(start, end, term))
        elif _is_name_of_card(label) and fold(text[start:end][:_LONGEST_NAME]) in fold(label):
            marked.append(MarkedName(start, end, ""))
        elif len(named := terms_named(start, end)) == 1:
            marked.append(MarkedName(start, end, named[0]))
    if "《" not in text:
        return marked
    cards = [
        MarkedName(match.start(), match.end(), "")
        for match in _CARD.finditer(text)
        if not terms_named(*match.span(1))
    ]
    return sorted(marked + cards)


def _term_of_page(nodes: Collection[str], label: str, named: Sequence[str]) -> str:
    """Return the id of the term that a page with several nodes is about; empty if none, or it is
    about a card, or several remain.

    label: the page's name; named: the terms that a link to it names, to choose from several.
    """
    target = fold(label)
    cards = (node.partition("/card/")[2] for node in nodes)
    if any(card and fold(card) in target for card in cards):
        return ""  # else it may show cards in passing
    terms = [node for node in nodes if kind_of_id(node) == "term"]
    if len(terms) > 1:
        terms = [term for term in terms if term in named]
    return terms[0] if len(terms) == 1 else ""


@lru_cache(1 << 14)  # sites link the same pages again and again
def _is_name_of_card(label: str) -> bool:
    """Whether the name of a page is written as a card's: in 《》, or in both languages."""
    if "《" not in label and "/" not in label and "／" not in label:
        return False
    name = parse_headword(label)
    return name.card or name.english is not None


def beside(marked: Sequence[MarkedName], matches: Iterable[Match]) -> Iterator[Match]:
    """Yield the matches that agree with what the site marks: those that overlap with no marked
    name, or contain it and more.

    marked, matches: both in the order of their spans; matches don't overlap.
    """
    place = reached = 0  # how many marked names begin before the match, and where they end
    for match in matches:
        start, end = match[0], match[1]
        while place < len(marked) and marked[place].start < start:
            reached = max(reached, marked[place].end)
            place += 1
        is_contained = start < reached
        while place < len(marked) and marked[place].start < end:
            name = marked[place]
            is_contained |= name.end > end or (name.start, name.end) == (start, end)
            reached = max(reached, name.end)
            place += 1
        if not is_contained:
            yield match
