"""Says of which citations the number is right, and the sentence speaks of another rule: by the
words of the rules, and by the things that a sentence says they define."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain
from math import log

from graphs.model import Node
from graphs.store.reader import Store
from graphs.store.rule_versions import rules_of
from kb.checking.claims.claim import Claim
from kb.checking.claims.loaded_rulebooks import Rulebooks
from kb.checking.kept_tools import cached_method
from kb.checking.term_finder import STOP_WORDS
from kb.language.fold import fold, is_japanese
from kb.language.sentences import sentences
from kb.language.tokens import stem
from kb.reason import Reason
from scraper.rulebook.numbering import looks_like_heading, parent_number, with_numbers_above

# By hand, as those further below.
_COMMON = 0.75  # a word of more rules than all to this power tells nothing: 410 of Magic's 3,050
_ALIKE = 0.9  # share of the best rule's weight with which others may be meant as well
_LARGEST_SECTION = 14  # rules that count as one, too; more have too many words
_LONGEST_RULE = 150  # words; more is a list of names
_WORD = re.compile(r"[A-Za-z][a-z]{2,}|[一-鿿]{2,}|[ァ-ヺー]{2,}")
_NUMBER = re.compile(r"(?<![\w.])\d{1,4}(?:[.-]\w+)*")


def words_of(text: str) -> set[str]:
    """Return the stems of the words of a text; of Japanese runs of kanji, and of katakana.

    >>> sorted(words_of("Creatures attack; 引く"))
    ['attack', 'creatur']
    """
    return set(map(_stem, _WORD.findall(text)))


@lru_cache(1 << 15)
def _stem(word: str) -> str:
    return stem(word.lower())


class RuleWords:
    """The words of the rules of an edition.

    weights: {word: how much it tells}, without those of many rules. languages: of the rules.
    """

    def __init__(self, rules: Iterable[Node]) -> None:
        self._own: dict[str, set[str]] = defaultdict(set)
        self._headings: dict[str, set[str]] = {}
        self._cites: dict[str, set[str]] = defaultdict(set)
        self._below: dict[str, list[str]] = defaultdict(list)
        self.languages: set[str | None] = set()
        counts: Counter[str] = Counter()
        total = 0
        for total, rule in enumerate(rules, 1):  # noqa: B007
            number, words = rule.number or "", words_of(rule.text or "")
            counts.update(words)
            self.languages.add(rule.lang)
            self._own[number] |= words
            self._cites[number].update(one.rstrip(".") for one in _NUMBER.findall(rule.text or ""))
            if rule.label:
                self._headings.setdefault(number, set()).update(words_of(rule.label))
        common = total**_COMMON
        self.weights = {word: log(common / n) for word, n in counts.items() if n < common}
        self._above = {number: with_numbers_above(number) for number in self._own}
        for number, above in self._above.items():
            for one in above[1:]:
                self._below[one].append(number)
        self._sections = {number: self._words_of_section(number) for number in self._headings}
        self._having: dict[str, list[str]] = defaultdict(list)
        for number, own in self._own.items():
            if len(own) <= _LONGEST_RULE:
                for word in self._told(number) & self.weights.keys():
                    self._having[word].append(number)

    def weight(self, words: Iterable[str]) -> float:
        """Return how much words tell together."""
        return sum(self.weights.get(word, 0.0) for word in words)

    def above(self, number: str) -> Sequence[str]:
        """Return a number and those of the rules above it, the nearest first."""
        return self._above.get(number) or with_numbers_above(number)

    def section(self, number: str) -> str:
        """Return the nearest rule with a heading, at a number or above it, else the outermost."""
        above = self.above(number)
        return next((one for one in above if one in self._headings), above[-1])

    def heading(self, number: str) -> Set[str]:
        """Return the words of the heading of a rule's section that tell something."""
        return self._headings.get(self.section(number), set()) & self.weights.keys()

    def named(self, label: Set[str], beside: str) -> str | None:
        """Return the section beside another that some words name: all of its heading, with a word
        more at most; None without one, or with several."""
        found = [
            one
            for one, heading in self._headings.items()
            if heading and heading <= label and len(label) <= len(heading) + 1
            if parent_number(one) == parent_number(beside) and one != beside
        ]
        return found[0] if len(found) == 1 else None

    def _words_of_section(self, number: str) -> set[str]:
        """Return the words of a rule with a heading and of a few below it; of others none."""
        below = self._below.get(number, ())
        if not 1 < len(below) <= _LARGEST_SECTION or any(one in self._headings for one in below):
            return set()
        return self._own[number].union(*(self._own[one] for one in below))

    def _told(self, number: str) -> set[str]:
        """Return the words of a rule, or of a small section as a whole, and the headings above."""
        own = self._sections.get(number) or self._own.get(number, set())
        return own.union(*(self._headings.get(one, ()) for one in self.above(number)))

    def around(self, number: str, said: Set[str]) -> Set[str]:
        """Return which words a rule and the rules above and below it have."""
        rules = (*self.above(number), *self._below.get(number, ()))
        own = (said & self._own[one] for one in rules if one in self._own)
        return set(said & self.heading(number)).union(*own)

    def of_rule(self, number: str, said: Set[str]) -> Set[str]:
        """Return which words a rule, or a small section as a whole, and the headings above have."""
        return said & self._told(number)

    def rivals(self, number: str, said: Set[str], least: float) -> list[str]:
        """Return the rules that have most of some words, or nearly as much, without those around a
        number: those of its section first, rules before sections, then what the words name.

        least: weight that they have at least.
        """
        own = {*self.above(number), *self._below.get(number, ())}
        likely = self._likely(frozenset(said), least)
        found = {one: weight for one, weight in likely.items() if one not in own}
        least = _ALIKE * max(found.values(), default=0.0)
        section = self.section(number)

        def order(one: str) -> tuple[object, ...]:
            named = self.weight(self.heading(one) & said)
            is_section = bool(self._sections.get(one))
            return self.section(one) != section, is_section, -named, -found[one], one

        return sorted((one for one, weight in found.items() if weight >= least), key=order)

    @cached_method(1024)  # comments are alike
    def _likely(self, said: frozenset[str], least: float) -> dict[str, float]:
        """Return {number: weight} of the rules that have so much of some words; of sections only
        those whose heading has one."""
        weights: dict[str, float] = defaultdict(float)
        for word in said:
            weight = self.weights[word]
            for one in self._having[word]:
                weights[one] += weight
        return {
            one: weight
            for one, weight in weights.items()
            if weight >= least and (not self._sections.get(one) or self._headings[one] & said)
        }

    def refers(self, number: str, to: str) -> bool:
        """Whether a rule cites another, or one below it; no sister also one above within it."""
        cited = self._cites.get(number, set())
        is_sister = parent_number(number) == parent_number(to)
        above = [to] if is_sister else [one for one in self.above(to) if "." in one]
        return not cited.isdisjoint(above) or any(
            one.startswith(to) and not one[len(to) :][:1].isdigit() for one in cited
        )


_DEFINED = (
    r"(?:defined|explained|described|covered|detailed|treated|handled|found|specified|definiert"
    r"|erklärt|beschrieben|geregelt)"
)
_DEFINES = re.compile(
    rf"\b{_DEFINED}\b|\b(?:defines|explains|describes|covers)\b|定義|説明|規定|定め|解説",
    re.IGNORECASE,
)
# Between the name of a thing and the number of its rule: `scry is defined in Magic rule 1.2`. In
# the second half of a sentence the verb is left out: `and mill in 1.3`.
_TO_NUMBER = re.compile(
    r"(?P<is>\s+(?:is|are|was|were|ist|sind|wird|werden)(?:\s+(?:also|now|fully|auch))?"
    rf"(?:\s+{_DEFINED})?)?(?P<in>\s+(?:in|by|at|under|durch|unter))?"
    r"(?:\s+(?:the\s+)?(?:Magic|Lorcana|Riftbound|MTG|CR|Comprehensive Rules?|rulebook))*"
    r"(?:\s+(?:rules?|section|Regel))?\s*$",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(
    r"(?:^|[,;:.(–—]\s*|\b(?=(?:and|but|while|whereas|und|aber)\s))"
    r"(?:(?:and|but|while|whereas|und|aber)\s+)?(?:(?:the|an?|keyword|term|concept|word|der|die|das)\s+)*[“\"„]?"
    r"(?P<name>[^\W\d][^,;:.()“”\"„\n]{1,38}?)[”\"“]?(?:\s+(?:keyword|ability|action|mechanic))*$",
    re.IGNORECASE,
)
_NAME_BEHIND = re.compile(
    r"\s*(?:defines|explains|describes|covers|introduces|details|is about|deals with|definiert"
    r"|erklärt|is the rule (?:for|on|about|of))\s+"
    r"(?:(?:how|what|the|an?|keyword|term|der|die|das)\s+)*[“\"„]?"
    r"(?P<name>[^\W\d][\w'’-]*(?: [\w'’-]+){0,4})",
    re.IGNORECASE,
)
_NAME_ENDS = re.compile(
    r"$|[”\"“.,;:)]|\s+(?:works?|is|are|does|means|and|ist|und)\b", re.IGNORECASE
)
_JAPANESE_BEFORE = re.compile(
    r"(?:^|[、。，；\s「『（(])(?P<name>[^\s、。，「」『』（）はが]{2,20})[」』]?(?:の(?:定義|説明|ルール|規則))?"
    r"(?:は|が|について(?:は)?)、?[^、。]{0,8}$"
)
_JAPANESE_BEHIND = re.compile(
    r"\s*(?:(?:で|に(?:て|お|は)?|の|が)[^、。]{0,4}?(?:定義|説明|規定|定め|記載|載|書|解説|あ[るり])|です|である|だ(?:。|$))"
)
_JAPANESE_GOES_ON = re.compile(r"\s*[、，]")


@dataclass(frozen=True, slots=True)
class DefinedThing:
    """What a sentence says that a rule defines: its name, and the numbers of the rules that it is
    the matter of, the one that has it as its heading first."""

    name: str
    numbers: tuple[str, ...]


class DefinedThings:
    """Knows which rules the terms and headings of an edition are the matter of."""

    def __init__(self, store: Store, rulebooks: Rulebooks) -> None:
        self._store, self._rulebooks = store, rulebooks

    def named(
        self, lead: str, behind: str, sentence: str, book: tuple[str, str, str]
    ) -> DefinedThing | None:
        """Return what the words around a number say that its rule defines or is; None if they name
        nothing so, or nothing that the edition has a rule for.

        lead, behind: of its sentence, up to the next numbers. sentence: all of it.
        book: game, edition and language.
        """
        for name in names_defined(lead, behind, sentence):
            if numbers := self._matter(fold(name), book):
                return DefinedThing(name, numbers)
        return None

    def words(self, name: str, game: str) -> Sequence[Set[str]]:
        """Return the words of each name of a thing."""
        terms = [one for one in self._store.find_by_label(fold(name)) if one.game == game]
        labels = {label.text for term in terms if term.kind == "term" for label in term.labels}
        return [words_of(one) for one in sorted({name, *labels})]

    @cached_method(4096)
    def _matter(self, name: str, book: tuple[str, str, str]) -> tuple[str, ...]:
        game, edition, lang = book
        named = [one for one in self._store.find_by_label(name) if one.game == game]
        rules = [one for one in named if one.kind == "rule"]
        of_edition = [one for one in rules if one.edition == edition]
        headed = [self._rulebooks.number_in(one, edition, lang) for one in of_edition or rules]
        terms = [one.id for one in named if one.kind == "term"]
        defines = [edge.source for edge in self._store.edges(terms, "in", ("defines",))]
        beginning = f"{game}/cr/{edition}/"
        passages = [one for one in defines if one.startswith(f"rulebook/{beginning}")]
        cited = [
            edge.target.rpartition("/")[2]
            for edge in self._store.edges(passages, "out", ("cites", "quotes"))
            if edge.target and edge.target.startswith(beginning)
        ]
        return tuple(dict.fromkeys(number for number in (*headed, *cited) if number))


def names_defined(lead: str, behind: str, sentence: str = "") -> Iterator[str]:
    """Yield what may be the name of the thing that a sentence says a rule defines or is, by the
    words before and behind the rule's number; the verb may stand elsewhere in the sentence.

    >>> list(names_defined("In Magic, scry is defined in ", " since then."))
    ['scry']
    >>> list(names_defined("The legend rule is ", "."))
    ['legend rule', 'legend']
    >>> list(names_defined("Rule ", " explains how priority works."))
    ['priority works', 'priority']
    >>> list(names_defined("占術はルール", "で定義されている。"))
    ['占術']
    >>> list(names_defined("You may draw a card ", "."))
    []
    """
    tail = _TO_NUMBER.search(lead)
    is_defined = tail and (tail["is"] or (tail["in"] and _DEFINES.search(sentence)))
    if tail and is_defined and (found := _NAME_BEFORE.search(lead[: tail.start()].rstrip())):
        yield found["name"]
        if found["name"].endswith(" rule"):
            yield found["name"].removesuffix(" rule")
    if found := _NAME_BEHIND.match(behind):
        words = found["name"].split(" ")
        for size in range(len(words), 0, -1):
            name = " ".join(words[:size])
            if _NAME_ENDS.match(behind, found.start("name") + len(name)):
                yield name
    goes_on = _JAPANESE_GOES_ON.match(behind) and _DEFINES.search(sentence)
    if (goes_on or _JAPANESE_BEHIND.match(behind)) and (found := _JAPANESE_BEFORE.search(lead)):
        yield found["name"]


# All by hand, with 6,000 citations that are right, of comments, glossaries and ten rulebooks, and
# the same with numbers of other rules. Shares and weights are of the words of a sentence.
_LITTLE = 3.0  # weight of one that says so little that the sentence before counts, too
_OWN_HAS, _AROUND_HAS = 0.5, 0.25  # share that the cited rule has at most; that its section has
_SISTER_HAS, _OTHER_HAS = 0.6, 0.55  # share that the other rule has, in that section or elsewhere
_SISTER_MORE, _OTHER_MORE = 6.0, 7.0  # weight of what it has and the cited one has not
# The same of a rule that had the number in another edition.
_FORMER_OWN_HAS, _FORMER_HAS, _FORMER_MORE = 0.3, 0.4, 4.0
_LEAST = 0.4  # share that a rule has that may be meant at all
_ALL, _NONE = 0.8, 0.1  # shares that are all but a word or two, and hardly one
_FEWEST, _SOME = 3, 0.5  # words that only the other rule has, and their weight
_TELLING = 1.0  # weight of a heading; a section without it is general, and cited for anything
_RARE = 1.4  # weight of a word that is of the cited section's own; two of them may be chance
_NAME, _NAME_CITED = 4.0, 2.0  # of a heading that is all that is said, and that of the cited rule
_FAR = 600  # characters of a paragraph on either side of a number
_LABEL = 6  # numbers beside which a text has a word that tells nothing then, as a column's name
_BLANK_LINES = re.compile(r"\n\s*\n")
_BOOK = re.compile(r"(?i)\b(?:magic(?:: the gathering)?\W+)?comprehensive rules\b")
_LABELLED = re.compile(r"\W*([^:：.。]{2,40})[:：]")
_LONGEST_LABEL = 3  # words
_LINE_MARK = re.compile(r"^[ \t]*(?://[/!]?|\*+|#+|--+|;+|[|=─-]+)", re.MULTILINE)


# Of which any rule may have one: they don't tell that a sentence speaks of it.
_LITTLE_WORDS = words_of(" ".join(STOP_WORDS)) | words_of("rule rules see says ルール 規則 参照")


@dataclass(frozen=True, slots=True)
class _Beside:
    """What a text says beside a citation.

    clause: the words of its sentence, from the citation before to the one behind.
    labels: what may name the thing: those before a colon, all of a few, and a few before.
    before: the sentence before, if that cites nothing. paragraph: all lines up to blank ones.
    cited: what else the sentence cites.
    lead, behind: of the sentence, before and behind the number, from the citation before to the
        next one. sentence: all of it.
    """

    clause: Set[str]
    labels: Sequence[Set[str]]
    before: str
    paragraph: str
    cited: Collection[str]
    is_japanese: bool
    lead: str
    behind: str
    sentence: str


class OtherSubjects:
    """Finds citations whose number is a rule's while the sentence speaks of another rule.

    That another rule has more of the words is no sign by itself, nor is its heading: comments and
    rules cite what they rest on. So the cited rule and its section must have next to nothing of
    what is said, the other rule most of it, and it mustn't cite the first one.
    """

    def __init__(self, store: Store, rulebooks: Rulebooks) -> None:
        self._store, self._rulebooks = store, rulebooks
        self._things = DefinedThings(store, rulebooks)

    def held(
        self,
        claims: Sequence[Claim],
        text: str,
        after: Callable[[str], str | None] | None = None,
    ) -> list[Claim]:
        """Return the claims of a text, right citations that are surely of another rule as
        `about something else`; `expected` is the number that this has now.

        text: in which the claims have their spans. after: returns the edition of that number by
        the game, for a text of a known edition; None for the rule's own. Then a rule that had the
        number in another edition is likelier.
        """
        reader = _Reader(text, claims)
        found: dict[int, Claim] = {}
        for place, claim in enumerate(claims):
            if not _is_right(claim):
                continue
            beside = reader.beside(claim)
            about = self._of_thing(claim, beside, after)
            if not about and self._about(claim, beside, after):
                # Only now, as it takes all that the text says beside numbers.
                about = self._about(claim, reader.beside(claim, reader.labels), after)
            found[place] = about or self._alone(claim, beside)
        return [found.get(place, claim) for place, claim in enumerate(claims)]

    def _of_thing(
        self, claim: Claim, beside: _Beside, after: Callable[[str], str | None] | None
    ) -> Claim | None:
        """Return a citation as `about something else` whose sentence says that the rule defines, or
        is, what is another rule's matter; None for another citation. The rule cited must name that
        nowhere, nor a rule above or below it."""
        assert claim.node
        node, number = claim.node, claim.node.number or ""
        game, edition = node.game or "", node.edition or ""
        book_cited = game, edition, node.lang or ""
        thing = self._things.named(beside.lead, beside.behind, beside.sentence, book_cited)
        if thing is None or _are_beside(number, thing.numbers):
            return None
        book = self._words(game, edition)
        names = [words & book.weights.keys() for words in self._things.words(thing.name, game)]
        if not any(names) or any(words and words <= book.around(number, words) for words in names):
            return None
        if any(book.refers(number, one) or book.refers(one, number) for one in thing.numbers):
            return None
        now: str | None = thing.numbers[0]
        if (meant := after(game) if after else None) and meant != edition:
            now = self._rulebooks.successor(game, edition, meant, thing.numbers[0])
        said = Reason("thing_of_another", name=thing.name, number=claim.number, now=now)
        return replace(claim, verdict="about something else", expected=now, said=said)

    def _alone(self, claim: Claim, beside: _Beside) -> Claim:
        """Return a citation, with a word on it if the rule, those around it and their headings have
        no word of its sentence, and its paragraph doesn't name the heading: then the number is all
        that was compared."""
        assert claim.node
        node = claim.node
        book = self._words(node.game or "", node.edition or "")
        if claim.said or ("ja" if beside.is_japanese else node.lang) not in book.languages:
            return claim
        said = words_of(f"{beside.lead} {beside.behind}") - _LITTLE_WORDS
        number = node.number or ""
        heading = words_of(claim.heading or "")
        if heading and (said & heading or heading <= words_of(beside.paragraph)):
            return claim
        if book.around(number, said) or book.around(book.section(number), said):
            return claim
        return replace(claim, said=Reason("number_alone", number=claim.number))

    def _about(
        self, claim: Claim, beside: _Beside, after: Callable[[str], str | None] | None
    ) -> Claim | None:
        """Return a citation as `about something else`; None if that isn't sure."""
        assert claim.node
        node, number = claim.node, claim.node.number or ""
        game, edition = node.game or "", node.edition or ""
        book = self._words(game, edition)
        if ("ja" if beside.is_japanese else node.lang) not in book.languages:
            return None
        said = beside.clause & book.weights.keys()
        if book.weight(said) < _LITTLE:
            said |= words_of(beside.before) & book.weights.keys()
        if book.weight(book.around(number, said)) > _OWN_HAS * book.weight(said):
            return None
        former = None if after else self._former_meant(book, node, said, beside.cited)
        now = former.now if former else _other_rule(book, number, said, beside)
        if not former and not now:
            return None
        heading: str | None = None
        if former:
            heading = former.rule.label if looks_like_heading(former.rule.label or "") else None
        elif now and book.section(now) != book.section(number):
            rules = self._rulebooks.find(game, now, edition, node.lang).rules
            heading = self._rulebooks.heading_above(rules[0]) if rules else None
        meant = after(game) if after else None
        if now and meant and meant != edition:
            now = self._rulebooks.successor(game, edition, meant, now)
        before = former.rule.edition if former else None
        holds = meant or edition
        is_newest = holds == self._rulebooks.latest(game, None, None)
        said_so = Reason(
            "about_something_else",
            number=claim.number,
            heading=heading,
            before=before,
            now=now if is_newest else None,
            there=None if is_newest else now,
            edition=holds,
        )
        return replace(claim, verdict="about something else", expected=now, said=said_so)

    def _former_meant(
        self, book: RuleWords, node: Node, said: Set[str], cited: Collection[str]
    ) -> _Former | None:
        """Return the rule that had a number in another edition and is surely meant by some words;
        None without one."""
        own, total = book.around(node.number or "", said), book.weight(said)
        if book.weight(own) > _FORMER_OWN_HAS * total:
            return None
        found: list[tuple[float, _Former]] = []
        for former in self._former(node.id):
            has = said & former.words
            if former.now:
                has = has | book.around(former.now, said)
            more = book.weight(has - own)
            if (
                more >= _FORMER_MORE
                and book.weight(has) >= _FORMER_HAS * total
                and (not former.now or not _are_beside(former.now, cited))
            ):
                found.append((more, former))
        return max(found, key=lambda each: each[0])[1] if found else None

    @cached_method()
    def _former(self, rule_id: str) -> list[_Former]:
        """Return the other rules that had the number of a rule in other editions."""
        node = self._store.node(rule_id)
        assert node
        game, edition, number = node.game or "", node.edition or "", node.number or ""
        same = self._rulebooks.all_numbered(game, number)
        rules = rules_of(self._store, [node.id, *(one.id for one in same)])
        newest = {rules[one.id]: one for one in reversed(same) if one.id in rules}
        newest.pop(rules.get(node.id, ""), None)
        found: list[_Former] = []
        for rule in newest.values():
            now: str | None = number
            if rule.edition != edition:
                now = self._rulebooks.successor(game, rule.edition or "", edition, number)
            words = words_of(f"{rule.label} {rule.text}")
            found.append(_Former(rule, now, words))
        return found

    @cached_method()
    def _words(self, game: str, edition: str) -> RuleWords:
        """Return the words of an edition, in the languages in which all of it is loaded."""
        loaded = self._rulebooks.games[game]
        rules = chain.from_iterable(self._rulebooks.read(game, edition).values())
        return RuleWords(one for one in rules if loaded.loaded(edition, one.lang or "").whole)


@dataclass(frozen=True, slots=True)
class _Former:
    """A rule that had a number in another edition: its version there, its number now, its words."""

    rule: Node
    now: str | None
    words: Set[str]


def _is_right(claim: Claim) -> bool:
    return (
        claim.kind == "citation"
        and claim.stands
        and claim.node is not None
        and (claim.node.series == "rule")
    )


def _are_beside(number: str, cited: Iterable[str]) -> bool:
    """Whether a sentence cites a rule as well, or one above or below it."""
    above = with_numbers_above(number)
    return any(one in above or number in with_numbers_above(one) for one in cited)


def _other_rule(book: RuleWords, number: str, said: Set[str], beside: _Beside) -> str | None:
    """Return the rule of an edition that some words are surely of, other than that of a number;
    None without one."""
    if named := _named_beside(book, number, beside):
        return named
    total = book.weight(said)
    if total - book.weight(book.around(number, said)) < _NAME:
        return None
    rivals = book.rivals(number, said, max(_NAME, _LEAST * total))
    if not rivals or not _is_of_other(book, number, rivals[0], said, beside.paragraph):
        return None
    if any(book.refers(one, number) for one in rivals) or _are_beside(rivals[0], beside.cited):
        return None
    return rivals[0]


def _named_beside(book: RuleWords, number: str, beside: _Beside) -> str | None:
    """Return the section beside that of a number that a label names, as in `Delve: exile cards …`:
    where the paragraph doesn't name the cited one, and this says nothing of the other."""
    section = book.section(number)
    named = (book.named(label, section) for label in beside.labels) if "." in section else ()
    other = next(filter(None, named), None)
    if (
        other is None
        or book.heading(number) & words_of(beside.paragraph)
        or book.around(section, book.heading(other))
        or book.refers(number, other)
        or book.refers(other, section)
        or _are_beside(other, beside.cited)
    ):
        return None
    return other


def _is_of_other(book: RuleWords, number: str, other: str, said: Set[str], paragraph: str) -> bool:
    """Whether some words are surely of another rule than that of a number, by what each has."""
    has, own, total = book.of_rule(other, said), book.around(number, said), book.weight(said)
    share = book.weight(has) / total
    if book.section(other) == book.section(number):
        return share >= _SISTER_HAS and _is_enough(book, has - own, _SISTER_MORE)
    cited_heading, heading = book.heading(number), book.heading(other)
    is_named = bool(heading) and heading <= said
    if "." not in number and not is_named:  # a whole section is cited for anything
        return False
    nearby = own | book.around(book.section(number), said)
    rare = {word for word in nearby if book.weights[word] >= _RARE}
    bonus = book.weight(heading & said) / 2  # what names the rule tells more
    telling = max((book.weights[word] for word in cited_heading), default=0.0)
    is_all = is_named and share >= _ALL and book.weight(own) <= _NONE * total
    if is_named and not nearby and telling >= _NAME_CITED and share >= _SISTER_HAS:
        is_meant = book.weight(has) >= _NAME
    elif book.weight(has) + bonus < _OTHER_HAS * (total + bonus):
        is_meant = False
    else:
        is_apart = is_all or book.weight(nearby) <= _AROUND_HAS * total
        is_meant = is_apart and _is_enough(book, has - rare, _OTHER_MORE - bonus)
    return is_meant and book.weight(cited_heading & words_of(paragraph)) < _TELLING


def _is_enough(book: RuleWords, words: Set[str], weight: float) -> bool:
    telling = [word for word in words if book.weights[word] >= _SOME]
    return len(telling) >= _FEWEST and book.weight(words) >= weight


def _labels_of(clause: str, before: str) -> Iterator[Set[str]]:
    """Yield the words of a clause and of the sentence before it, if they are few, and those before
    a colon at their beginnings."""
    for text in (clause, before):
        labelled = _LABELLED.match(text)
        for part in (labelled[1] if labelled else "", text):
            if 0 < len(words := words_of(part)) <= _LONGEST_LABEL:
                yield words


class _Reader:
    """Reads what a text says beside its citations."""

    def __init__(self, text: str, claims: Iterable[Claim]) -> None:
        text = _LINE_MARK.sub(lambda mark: " " * len(mark[0]), text)
        self._text = _BOOK.sub(lambda name: " " * len(name[0]), text)
        citations = (claim for claim in claims if claim.kind == "citation")
        self._citations = sorted(citations, key=lambda claim: claim.span)
        self._starts = [claim.span[0] for claim in self._citations]
        breaks = [blank.span() for blank in _BLANK_LINES.finditer(self._text)]
        self._begins, self._ends = [end for _, end in breaks], [start for start, _ in breaks]

    @cached_property
    def labels(self) -> Set[str]:
        """The words that stand beside many numbers, as the names of columns do."""
        numbers: dict[str, set[str | None]] = defaultdict(set)
        for claim in self._citations:
            for word in self.beside(claim).clause:
                numbers[word].add(claim.number)
        return {word for word, beside in numbers.items() if len(beside) >= _LABEL}

    def beside(self, claim: Claim, labels: Set[str] = frozenset()) -> _Beside:
        """Return what the text says beside a citation, without some words."""
        text, (start, end) = self._text, claim.span
        first, last = self._paragraph(start, end)
        near = self._citations[bisect_left(self._starts, first) : bisect_left(self._starts, last)]
        others = [one.span for one in near if one.span != claim.span]
        # Lines that cite by themselves speak of their own rules.
        line, line_end = text.rfind("\n", 0, start), text.find("\n", end)
        begin = max([first, *(text.find("\n", stop) for _, stop in others if stop <= line)])
        behind = (text.rfind("\n", 0, one) for one, _ in others if one > line_end >= 0)
        part = text[begin : min([last, *behind])]
        in_japanese = is_japanese(part)
        spans = [(begin + a, begin + z) for a, z in sentences(part, "ja" if in_japanese else "en")]
        at = next((n for n, span in enumerate(spans) if span[1] > start), 0)
        (a, z), before = spans[at], spans[at - 1] if at else (0, 0)
        cited = {one.number or "" for one in near if a <= one.span[0] < z and one is not claim}
        a = max([a, *(stop for _, stop in others if stop <= start)])
        z = min([z, *(one for one, _ in others if one >= end)])
        if not text[line + 1 : start].strip() and not text[end:line_end].strip(" ,;"):
            z = min(z, max(line_end, end))  # a name under its comment, as `RULE_704_5A,` is
        if cited or any(before[0] <= one < before[1] for one, _ in others):
            before = 0, 0
        clause = f"{text[a:start]} {text[end:z]}"
        return _Beside(
            words_of(clause) - labels,
            list(_labels_of(clause, text[slice(*before)])),
            text[slice(*before)],
            f"{text[first:start]} {text[end:last]}",
            cited,
            in_japanese,
            text[a:start],
            text[end:z],
            text[slice(*spans[at])],
        )

    def _paragraph(self, start: int, end: int) -> tuple[int, int]:
        """Return where the lines around a place begin and end that no blank one sets apart."""
        before, behind = bisect_right(self._begins, start), bisect_left(self._ends, end)
        begin = self._begins[before - 1] if before else 0
        stop = self._ends[behind] if behind < len(self._ends) else len(self._text)
        return max(begin, start - _FAR), min(stop, end + _FAR)
