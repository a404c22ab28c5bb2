"""Texts that show names in use: sentences with a name, and texts in several languages.

The latter are rules of one number and glosses of one term.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase, ascii_uppercase

from graphs.model import Node
from graphs.store.file.connection import batches
from graphs.store.reader import Store
from graphs.store.rule_versions import translated_numbers
from graphs.store.termbase_rows import PassageOfGame, passages_in, term_ids
from kb.language.sentences import only_announces, sentences
from kb.query.editions.diff import texts_by_number
from kb.query.lookup.common_filters import EVERYTHING, Scope
from kb.query.lookup.preferred_names import LISTS
from kb.query.show.term_profile import TermDefinition, definitions_of
from kb.rules.loaded_editions import loaded_rules
from kb.termbase.model import TranslationUnit
from scraper.rulebook.numbering import number_key

SENTENCE_ENDS = ("。", ".", "！", "!")
_CLOSING = "」』）)”\"'’"
_NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9a-z]+)+[.)]?|[0-9]+[.)]|[・•○●※*-])[ \u3000]*")
_WORD = re.compile(r"[A-Za-z0-9]+(?:['’-][A-Za-z0-9]+)*")
# Letter by letter: `str.lower` makes two of one letter where a language has a dotted capital İ.
_FOLDED = str.maketrans(ascii_uppercase + "’", ascii_lowercase + "'")
# By hand, for display in tables and glossaries: shorter sentences say nothing of a name, longer
# ones don't fit. Japanese needs half of the characters.
_LENGTHS = range(8, 201)  # characters of a sentence that is short and says something
_BEST_LENGTH = {"en": 80}  # of a sentence; of other languages:
_BEST_OTHERWISE = 40
_MOST_WORDS = 8  # of an English name that is looked for: a guard; a longer one is a sentence


@dataclass(frozen=True, slots=True)
class Use:
    """A sentence that uses a name, and the id of the passage that has it.

    rank: the less, the better is the sentence.
    """

    rank: tuple[bool, bool, int, str]
    sentence: str
    passage: str


def use_at(
    text: str,
    start: int,
    name: str,
    lang: str | None,
    passage: str,
    outdated: bool,
    best: Use | None = None,
) -> Use | None:
    """Return the sentence of a passage that uses a name; None if it is not a whole sentence of a
    handy length (8 to 200 characters), if it only refers to another place, or if it is no better
    than the best so far. A sentence is better that is not outdated, then that has the name as it is
    written, then of about 80 characters (40 in other languages than English).

    start: where in the text the name begins, perhaps in another form.

    >>> use_at("4.1. 準備する。札を引く。終わる。", 11, "引く", "ja", "x", False) is None
    True
    >>> use_at("4.1. 準備をする。次に山札から札を引く。", 18, "引く", "ja", "x", False).sentence
    '次に山札から札を引く。'
    """
    for begin, end in sentences(text, lang):
        if end <= start:
            continue
        sentence = without_number(text[begin:end])
        fits = len(sentence) in _LENGTHS and len(sentence) > len(name) + 4
        is_ended = sentence.rstrip(_CLOSING).endswith(SENTENCE_ENDS)
        if begin > start or not fits or not is_ended or "\n" in sentence:
            return None
        length = abs(len(sentence) - _BEST_LENGTH.get(lang or "", _BEST_OTHERWISE))
        rank = (outdated, name.casefold() not in sentence.casefold(), length, passage)
        if (best and rank >= best.rank) or only_announces(sentence):
            return None
        return Use(rank, sentence, passage)
    return None


def without_number(text: str) -> str:
    """Return a text without the number of a rule, or the sign of a list, that it begins with, and
    then without white space at its ends; any other text as it is.

    >>> without_number("4.2.3.1. 引くとは、取ること。"), without_number("1 枚引く。")
    ('引くとは、取ること。', '1 枚引く。')
    """
    number = _NUMBER.match(text)
    return text[number.end() :].strip() if number else text


@dataclass(slots=True)
class _Found:
    count: int = 0
    best: Use | None = None


@dataclass(slots=True)
class EnglishUses:
    """Where English passages use the names of terms, which no mentions say.

    found: {(game, the name's words): its uses}.
    """

    found: dict[tuple[str | None, tuple[str, ...]], _Found] = field(default_factory=dict)

    def of(self, game: str | None, name: str) -> tuple[int, Use | None]:
        """Return how many times passages of a game have a name, and the best sentence, if any."""
        found = self.found.get((game, _words(name)))
        return (found.count, found.best) if found else (0, None)


def english_uses(
    store: Store, names: Iterable[tuple[str | None, str]], outdated: Mapping[str | None, set[str]]
) -> EnglishUses:
    """Return where English passages use some names, found in one pass over all passages.

    names: (game, name) of each. Case and the plural do not count; of names within each other the
        longest counts.
    outdated: {game: editions} from which no sentence is taken if there is another.
    """
    lengths: dict[tuple[str | None, str], set[int]] = {}
    known: set[tuple[str | None, tuple[str, ...]]] = set()
    for game, name in names:
        words = _words(name)
        if words and len(words) <= _MOST_WORDS:
            known.add((game, words))
            lengths.setdefault((game, words[0]), set()).add(len(words))
    uses = EnglishUses()
    if not known:
        return uses
    tried: dict[tuple[str | None, str], list[int]] = {}
    for (game, first), of_first in lengths.items():
        for word in (first, f"{first}s"):
            both = of_first | lengths.get((game, word), set())
            tried[game, word] = sorted(both, reverse=True)
    for passage in passages_in(store, "en", without=LISTS):
        is_old = passage.edition in outdated.get(passage.game, ())
        for words, start in _names_in(passage, known, tried):
            found = uses.found.setdefault((passage.game, words), _Found())
            found.count += 1
            _improve(found, passage, start, " ".join(words), is_old)
    return uses


def _names_in(
    passage: PassageOfGame,
    known: set[tuple[str | None, tuple[str, ...]]],
    lengths: Mapping[tuple[str | None, str], list[int]],
) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield (the name's words, as in `known`; where it starts) of the names in a passage, in order,
    without overlaps, the longest at each place.

    lengths: {(game, first word of names): of how many words these names are, the greatest first}.
    """
    game, words = passage.game, _words(passage.text)
    starts: list[int] = []
    free = 0  # the first word behind the last name
    for place, word in enumerate(words):
        if place < free:
            continue
        for length in lengths.get((game, word), ()):
            name = words[place : place + length]
            if (game, name) not in known:
                name = (*name[:-1], name[-1].removesuffix("s"))
            if len(name) == length and (game, name) in known:
                starts = starts or [match.start() for match in _WORD.finditer(passage.text)]
                yield name, starts[place]
                free = place + length
                break


def _improve(found: _Found, passage: PassageOfGame, start: int, name: str, is_old: bool) -> None:
    """Keep the sentence of a use in `found.best` if it is better than what was found before."""
    length = abs(min(len(passage.text), 400) - _BEST_LENGTH["en"])
    # A passage that is much longer is seldom better: its sentences are not looked at.
    if found.best and (is_old, length // 4) > found.best.rank[0::2]:
        return
    found.best = (
        use_at(passage.text, start, name, "en", passage.id, is_old, found.best) or found.best
    )


def _words(text: str) -> tuple[str, ...]:
    """Return the words of an English text, in small letters and with straight apostrophes: as many
    as `_WORD` finds in the text itself."""
    return tuple(_WORD.findall(text.translate(_FOLDED)))


_LEAST = 2  # languages of a unit: with one there is no translation


def translation_units(
    store: Store, scope: Scope = EVERYTHING, langs: Sequence[str] = ()
) -> Iterator[TranslationUnit]:
    """Yield the rules that an edition has in several languages, by game, edition (the oldest first)
    and number, and then the glosses that an edition's glossaries give a term in several languages,
    by term. Where the languages number rules otherwise, a rule's number is that in the first.

    scope: its game and edition choose; the rest is ignored.
    langs: the languages of the texts, two or more; all if empty.

    Texts have no numbers before them. Of a term with several senses the glosses are paired in
    their order if there are as many in each language; else they are left out.
    """
    for game, loaded in sorted(loaded_rules(store).items()):
        if scope.game not in (None, game):
            continue
        for edition in loaded.editions:
            here = _chosen(loaded.langs(edition), langs)
            if scope.edition in (None, edition) and len(here) >= _LEAST:
                yield from _rules(store, game, edition, here)
    yield from _glosses(store, scope, langs)


def _chosen(found: Iterable[str], langs: Sequence[str]) -> list[str]:
    """Return the languages that are found and asked for, in the order in which they are asked for;
    if none is asked for, all that are found, sorted."""
    known = set(found)
    return [lang for lang in langs if lang in known] if langs else sorted(known)


def _rules(
    store: Store, game: str, edition: str, langs: Sequence[str]
) -> Iterator[TranslationUnit]:
    texts = {lang: texts_by_number(store.rules(game, edition, lang)) for lang in langs}
    first, *others = langs
    same = {lang: translated_numbers(store, game, edition, first, lang) for lang in others}
    alone = {n for lang in others for n in texts[lang]} - {
        number for pairs in same.values() for number, _ in pairs.values()
    }
    for number in sorted({*texts[first], *alone}, key=number_key):
        numbers = {first: number} | {
            lang: same[lang].get(number, ("",))[0] if number in texts[first] else number
            for lang in others
        }
        of_number = [(lang, texts[lang].get(numbers[lang], "").strip()) for lang in langs]
        given = tuple((lang, text) for lang, text in of_number if text)
        if len(given) >= _LEAST:
            yield TranslationUnit(
                f"{game}/cr/{edition}/{number}", "rule", given, game=game, edition=edition
            )


def _glosses(store: Store, scope: Scope, langs: Sequence[str]) -> Iterator[TranslationUnit]:
    for batch in batches(term_ids(store, ("term",), scope.game, None, None)):
        yield from (unit for _, unit in glosses_of(store, batch, langs, scope.edition))


def glosses_of(
    store: Store, terms: Sequence[str], langs: Sequence[str], edition: str | None = None
) -> Iterator[tuple[Node, TranslationUnit]]:
    """Yield (term, its gloss in several languages) for some terms, by term, as `translation_units`
    has them. terms: ids. edition: only of this one; None for all."""
    nodes = store.get(terms)
    definitions = definitions_of(store, list(nodes.values()))
    for term in terms:
        dated = [each for each in definitions.get(term, ()) if each.edition and each.lang]
        for of_edition in dict.fromkeys(filter(None, (each.edition for each in dated))):
            if edition in (None, of_edition):
                units = _of_term(term, nodes[term].game, of_edition, dated, langs)
                yield from ((nodes[term], unit) for unit in units)


def _of_term(
    term: str,
    game: str | None,
    edition: str,
    definitions: Iterable[TermDefinition],
    langs: Sequence[str],
) -> Iterator[TranslationUnit]:
    """Yield the glosses of a term that an edition gives in several languages: one unit a sense, in
    order; none if the languages have different numbers of them."""
    senses: dict[str, list[str]] = {}
    for each in definitions:
        if each.lang and edition in (each.edition, *each.same_in):
            senses.setdefault(each.lang, []).append(without_number(each.evidence.text))
    here = _chosen(senses, langs)
    if len(here) < _LEAST or len({len(senses[lang]) for lang in here}) > 1:
        return
    for index, texts in enumerate(zip(*(senses[lang] for lang in here), strict=True), start=1):
        unit_id = f"{term}#{edition}" + (f"-{index}" if len(senses[here[0]]) > 1 else "")
        yield TranslationUnit(
            unit_id, "gloss", tuple(zip(here, texts, strict=True)), game=game, edition=edition
        )
