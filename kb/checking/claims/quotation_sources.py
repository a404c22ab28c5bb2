"""Finds what a quotation is from: the rule that it is said to be of, or any passage."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, combinations, islice, takewhile

from graphs.model import Node
from graphs.store.passage_index import PassageFilter, PassageText
from graphs.store.reader import Store
from graphs.store.rule_versions import rules_above
from kb.checking.claims.loaded_rulebooks import Rulebooks, has_words
from kb.checking.claims.match_quotation import (
    LEAST,
    Match,
    comparable_text,
    match_exactly,
    match_nearly,
    overlap,
    sentences,
)
from kb.checking.kept_tools import cached_method
from kb.language.fold import is_japanese
from kb.language.sentences import SENTENCE_END
from kb.rules.alignment import is_under
from scraper.rulebook.documents_beside_rulebook import document_of_edition
from scraper.rulebook.numbering import ends_sentence, number_key

# Two guards of time. Of Magic's rules only 701 and 702 are longer with all of their sub-rules
# (53,000 and 135,000 characters); the next has 16,000.
_LONGEST_RULE = 40_000  # characters of a rule with its sub-rules that are compared
_MOST_COMPARED = 8  # passages that are compared letter by letter, those most alike by `overlap`
# Of `overlap`, by hand: what has less is hardly `LEAST` alike; with so much, others aren't sought.
_LEAST_OVERLAP = 0.2
_ENOUGH_OVERLAP = 0.5
_AROUND = 6  # passages before and behind another that a longer quotation may be from: a guard
# How like a rule's words those behind its number must be, to be meant to be them: a sentence may
# be less, as what follows a number in prose (`1.2 lets you draw`) is none.
_ALIKE_WORDS = 0.85
_ALIKE_SENTENCE = 0.7
_FIRST_WORDS, _FIRST_LETTERS = 4, 8  # in which a sentence begins like the rule: two letters a word
_SURELY = 0.85  # how like the rule cited a quotation must be for no other to be looked for
# How like the words of another rule a quotation must be, to be of that one: more than `LEAST`, as
# the number beside it says otherwise.
_ALIKE_OTHER = 0.75
_MORE_SENTENCES = re.compile(r"[.!?][”’\")）]*\s|[。！？][」』）]*(?=.)|\n|…|\.\.\.")
# Guards: each bounds the queries of one quotation. Fewer words would overlook a passage where one
# of them is misquoted; more find nothing that the rarest don't.
_MOST_WORDS = 24  # of a quotation, whose frequencies are asked for
_RAREST = 8  # words that are searched for
_FEW = 4  # words that must all be there, in the first search
_MOST_FOUND = 40  # passages, of each search
_MOST_COMMON = 4_000  # passages up to which a word's are counted: beyond, all are as common
# Passages that the words searched for are in, all together: FTS5 ranks one in 4 µs, these in 3 ms.
_MOST_RANKED = 800
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Source:
    """A text that has the words of a quotation, all or nearly.

    node: the rule, or else the passage.
    text: of the rule or passage; match: where in it the words are.
    is_cited: whether the rule is the one that the quotation is said to be of, above or below it.
    edition, game, lang: of the rule or passage; None if it has none.
    others: the numbers of the other rules of its edition that have the words, the likeliest first.
    is_chosen: whether these don't count: the sentence names the section of this rule alone, or this
        rule alone has a sentence that ends where the quotation has a full stop.
    """

    node: Node
    text: str
    match: Match
    is_cited: bool
    edition: str | None
    game: str | None
    lang: str | None
    others: tuple[str, ...] = ()
    is_chosen: bool = False

    @property
    def is_same(self) -> bool:
        """Whether the words are the same, but for typography, and none that turn their sense are
        left out."""
        return self.match.likeness != "repaired" and not self.match.hidden


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is known of a quotation before its source is looked for.

    numbers: of the rules that it is said to be of. games: likely ones, the likeliest first.
    edition: that is meant; None for the newest.
    meant: the games that it may be of, if its words are not quite right; empty for any.
    is_named: whether the sentence names that game, so that no other is.
    is_sure: whether no other rule than those of the numbers can be meant.
    document: whose sections the numbers are; None if they are rules.
    beside: the rest of its sentence, which may name the section that it is of.
    """

    text: str
    numbers: tuple[str, ...] = ()
    games: tuple[str, ...] = ()
    edition: str | None = None
    meant: tuple[str, ...] = ()
    is_sure: bool = False
    document: str | None = None
    is_named: bool = False
    beside: str = ""


class QuotationSources:
    """Finds the sources of quotations in a knowledge base."""

    def __init__(
        self, store: Store, rulebooks: Rulebooks, game: str | None, lang: str | None
    ) -> None:
        """game, lang: only passages of these; None for all."""
        self._store, self._rulebooks = store, rulebooks
        self._game, self._lang = game, lang
        self._index = CandidatePassages(store, PassageFilter(game=game, lang=lang))
        self._candidates = lru_cache(2048)(self._index.find)
        self._more_candidates = lru_cache(2048)(self._index.find_more)
        self._node = lru_cache(4096)(store.node)

    @cached_method(2048)
    def find(self, wanted: Wanted) -> list[Source]:
        """Return the sources of a quotation, best first, at most one a rule or passage: those with
        the same words, and behind them rules cited with nearly the same; without any of the same,
        those with nearly the same; empty if there are none."""
        cited = self._cited_sources(replace(wanted, is_sure=False))
        passages: list[Source] = []
        if not any(one.is_same and self._is_meant(one, wanted) for one in cited):
            passages = list(self._in_passages(wanted, any(map(_is_surely, cited))))
        if same := [one for one in (*cited, *passages) if one.is_same]:
            ranked = sorted(_distinct(same), key=lambda one: self._rank(one, wanted))
            first, others = ranked[0], tuple(_numbers_beside(ranked))
            named = {one.node.number for one in ranked if self._is_headed(one.node, wanted)}
            whole = {one.node.number for one in ranked if not rest_of_sentence(wanted.text, one)}
            is_chosen = any(
                first.node.number in best and best.isdisjoint(others) for best in (named, whole)
            )
            ranked[0] = replace(first, others=others, is_chosen=is_chosen)
            return [*ranked, *(one for one in cited if not one.is_same)]
        near = self._repairing(cited, wanted)
        if not any(_is_surely(one) for one in near):
            near += self._near_in_passages(passages, wanted)
        return sorted(
            _distinct(near),
            key=lambda one: (
                -round(self._score(one, wanted), 2),
                tuple(-ord(char) for char in one.edition or ""),
                one.node.id,
            ),
        )

    def _repairing(self, cited: Sequence[Source], wanted: Wanted) -> list[Source]:
        """Return the sources by which a quotation may be put right, of the rules that it is said to
        be of: those of the game and edition that are meant; if none is, those of the game. Rules of
        other games that have such a number count, too, if they are like it."""
        of_game = [
            one
            for one in cited
            if one.game in (wanted.meant or (one.game,))
            or (not wanted.is_named and one.match.similarity >= _ALIKE_OTHER)
        ]
        return [one for one in of_game if self._is_meant(one, wanted)] or of_game

    def is_rule_written_out(self, wanted: Wanted) -> bool:
        """Whether words behind a rule's number are meant to be its words: they are like them, or
        are a sentence that begins like them."""
        words = wanted.text.strip()
        is_sentence = ends_sentence(words) and not words[:1].islower()
        for source in self._cited_sources(wanted):
            least = _ALIKE_SENTENCE if is_sentence else _ALIKE_WORDS
            if source.match.similarity >= least:
                return True
            if is_sentence and _begins_alike(words, source.text):
                return True
        return False

    # -- the rule that a quotation is said to be of ----------------------------------------------

    @cached_method(2048)
    def _cited_sources(self, wanted: Wanted) -> list[Source]:
        """Return the rules of the numbers (the first 20) that have the words; what stands above and
        below them counts, too. If the edition meant has none with all of the words, other editions'
        with all of them; if these have none, either's (first the one meant) with nearly all."""
        cited = [
            node
            for number in wanted.numbers[:20]
            for game in wanted.games
            for node in self._rulebooks.all_numbered(game, number, wanted.document)
            if self._lang in (None, node.lang)
        ]
        # Japanese words are of no rule in English, nor others of one in Japanese.
        other_lang = "en" if is_japanese(wanted.text) else "ja"
        nodes = [node for node in cited if node.lang != other_lang]
        lang = lang_of(wanted.text)
        if all(node.lang != lang for node in nodes):
            nodes += self._rulebooks.in_language(cited, lang)  # may have another number there
        meant = [node for node in nodes if self._is_of_meant(node, node.edition, wanted)]
        found = [one for node in meant for one in self._exactly(self._rule_texts(node.id), wanted)]
        if any(one.is_same for one in found):
            return found
        others = [node for node in nodes if node not in meant]
        found += [one for node in others for one in self._exactly(_own_texts(node), wanted)]
        if any(one.is_same for one in found):
            return found
        for node in meant or others:
            near = self._nearly_in(_own_texts(node), wanted)
            if near is None or not _is_surely(near):
                near = self._nearly_in(self._rule_texts(node.id), wanted)
            found += [near] if near else []
        return found

    def _exactly(self, texts: Sequence[tuple[Node, str]], wanted: Wanted) -> Iterator[Source]:
        """Yield one source at most: the first text that has the words of a quotation. A text that
        has them but for some that turn their sense counts if it is the first of all, or if no other
        has them."""
        hidden = None
        for index, (of, text) in enumerate(texts):
            if match := match_exactly(wanted.text, text):
                source = self._source(of, text, match, True)
                if source.is_same or index == 0:
                    yield source
                    return
                hidden = hidden or source
        if hidden:
            yield hidden

    def _nearly_in(self, texts: Sequence[tuple[Node, str]], wanted: Wanted) -> Source | None:
        """Return the text that is most like a quotation, of ties the first; None if none is alike
        enough (`LEAST`)."""
        near = [
            (of, text, match)
            for of, text in texts
            if overlap(wanted.text, text) > _LEAST_OVERLAP / 2
            and (match := match_nearly(wanted.text, text))
        ]
        best = max(near, key=lambda each: each[2].similarity, default=None)
        return self._source(*best, True) if best else None

    @cached_method(4096)
    def _rule_texts(self, node_id: str) -> tuple[tuple[Node, str], ...]:
        """Return the texts that a quotation of a rule may be from, each with its rule: its own, its
        examples, its sub-rules', all of these in one, those above it, and other wordings of it on
        pages. Empty ones are left out, and what is beyond 80,000 characters together."""
        node = self._store.node(node_id)
        if node is None:
            return ()
        texts = list(_own_texts(node))
        below = self._store.get(self._store.with_sub_rules([node_id]))
        rules = sorted(below.values(), key=lambda rule: (number_key(rule.number or ""), rule.id))
        texts += [(rule, rule.text or "") for rule in rules if rule.id != node_id]
        if len(rules) > 1 or _examples(node):
            whole = "\n".join(
                "\n".join([f"{rule.number} {rule.text or ''}", *_examples(rule)]) for rule in rules
            )
            texts.append((node, whole[:_LONGEST_RULE]))
        above = self._store.get(row.id for row in rules_above(self._store, node_id))
        texts += [(rule, rule.text or "") for rule in above.values()]
        passages = self._store.passages.passages_giving([node_id])
        texts += [(node, one.text) for one in self._store.passages.texts(passages).values()]
        total, kept = 0, []
        for of, text in texts:
            total += len(text)
            if total > 2 * _LONGEST_RULE:
                break
            if text:
                kept.append((of, text))
        return tuple(kept)

    # -- any passage -------------------------------------------------------------------------------

    def _in_passages(self, wanted: Wanted, is_known: bool) -> Iterator[Source]:
        """Yield the passages that have the words of a quotation, those that all rare words bring up
        first; passages around one count as one text where a longer quotation needs them.

        is_known: whether the rule cited has surely nearly these words; then one search will do.
        """
        for search in (self._candidates, self._more_candidates):
            candidates = search(wanted.text)
            found = list(self._with_words(wanted, candidates))
            yield from found
            if found or is_known or self._is_alike(wanted.text, candidates):
                return

    def _with_words(self, wanted: Wanted, candidates: Sequence[Candidate]) -> Iterator[Source]:
        found = False
        for one in candidates:
            if match := match_exactly(wanted.text, one.text.text):
                found = True
                yield self._of_passage(one, one.text.text, match, wanted)
        if found or not _MORE_SENTENCES.search(wanted.text.strip()):
            return
        for one in self._by_likeness(wanted.text, candidates)[:3]:
            text = self._surroundings(one, len(wanted.text))
            match = match_exactly(wanted.text, text)
            # What is left out of a rule does not go on into the next one.
            if match and not (one.rule and match.has_omissions):
                yield self._of_passage(one, text, match, wanted)
                return

    def _is_alike(self, words: str, candidates: Sequence[Candidate]) -> bool:
        """Whether one of the passages is so like a quotation that no more are needed."""
        return any(overlap(words, one.text.text) >= _ENOUGH_OVERLAP for one in candidates)

    def _near_in_passages(self, found: Sequence[Source], wanted: Wanted) -> Iterator[Source]:
        """Yield the passages that have nearly the words of a quotation, in the game and edition
        that are meant, and those of other games that are very like it, unless the sentence names
        the game; beside a citation that surely is of another rule, only those very like it.

        found: those that have its words, but for some that turn their sense.
        """
        least = _ALIKE_OTHER if wanted.is_sure else LEAST
        of_meant = (one for one in found if self._is_meant(one, wanted))
        for source in (*of_meant, *self._nearly(wanted, least)):
            is_surely = not wanted.is_named and source.match.similarity >= _SURELY
            if is_surely or source.game in (wanted.meant or (source.game,)):
                yield source

    def _nearly(self, wanted: Wanted, least: float) -> Iterator[Source]:
        """Yield the passages of the edition that is meant with nearly the words of a quotation."""
        candidates = self._candidates(wanted.text)
        if not self._is_alike(wanted.text, candidates):
            candidates = [*candidates, *self._more_candidates(wanted.text)]
        of_meant = (
            one
            for one in self._by_likeness(wanted.text, dict.fromkeys(candidates))
            if (node := self._node(one.rule or one.passage))
            and self._is_of_meant(node, node.edition or one.text.edition, wanted)
        )
        for one in islice(of_meant, _MOST_COMPARED):
            text = one.text.text
            if len(text) < len(wanted.text):
                text = self._surroundings(one, len(wanted.text))
            if match := match_nearly(wanted.text, text, least):
                yield self._of_passage(one, text, match, wanted)

    def _by_likeness(self, words: str, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Return the passages that are alike enough to be compared, the most alike first."""
        alike = [(overlap(words, one.text.text), one) for one in candidates]
        alike = [pair for pair in alike if pair[0] >= _LEAST_OVERLAP]
        alike.sort(key=lambda pair: (-pair[0], pair[1].passage))
        return [one for _, one in alike]

    def _surroundings(self, one: Candidate, length: int) -> str:
        """Return the text of a passage with those of the six before and behind it, in lines; cut
        behind 40 times the length of the quotation and 4,000 characters, a guard."""
        before = self._store.passages.preceding([one.passage], _AROUND)[one.passage]
        behind = self._store.passages.following([one.passage], _AROUND)[one.passage]
        texts = self._store.passages.texts([*before, *behind])
        pieces = [texts[each].text for each in (*before[::-1], *behind) if each in texts]
        pieces.insert(sum(each in texts for each in before), one.text.text)
        return "\n".join(pieces)[: 40 * length + 4_000]

    def refers_to(self, source: Source, numbers: Iterable[str]) -> bool:
        """Whether a passage that gives no rule cites one of some rules, or one above or below them,
        there or beside it: a glossary's entry (to its end) the rule that says more, a page (within
        six passages) the rule that it explains."""
        if source.node.kind != "passage":
            return False
        passage = source.node.id
        if source.node.source == "rulebook":
            passages = [passage, *self._rest_of_entry(passage)]
        else:
            before = self._store.passages.preceding([passage], _AROUND)[passage]
            behind = self._store.passages.following([passage], _AROUND)[passage]
            passages = [*before, passage, *behind]
        cited = {
            edge.target.rpartition("/")[2]
            for edge in self._store.edges(passages, "out", ("cites",))
            if edge.target
        }
        return any(
            is_under(one, number) or is_under(number, one) for one in cited for number in numbers
        )

    def cites(self, rule: Node, other: Node) -> bool:
        """Whether a rule refers to another, or to one above or below it."""
        targets = [edge.target or "" for edge in self._store.edges([rule.id], "out", ("cites",))]
        cited = [target.rpartition("/")[2] for target in targets]
        number = other.number or ""
        return any(is_under(one, number) or is_under(number, one) for one in cited if one)

    def _rest_of_entry(self, passage: str) -> list[str]:
        """Return the ids of the passages behind one of a glossary, at most six, up to the next
        headword, which is not a sentence."""
        behind = self._store.passages.following([passage], _AROUND)[passage]
        texts = self._store.passages.texts(behind)
        rest: list[str] = []
        for one in behind:
            if one not in texts or not ends_sentence(texts[one].text):
                break
            rest.append(one)
        return rest

    def parts(self, wanted: Wanted) -> list[tuple[str, Source | None]]:
        """Return the sentences of a quotation (the first 20, a guard), in order, each with a source
        of the same words, or None; empty if it is a single one."""
        found = []
        pieces = list(sentences(wanted.text))[:20]
        for sentence in pieces if len(pieces) > 1 else ():
            part = replace(wanted, text=sentence)
            sources = [one for one in self.find(part) if one.is_same]
            found.append((sentence, sources[0] if sources else None))
        return found

    # -- sources -----------------------------------------------------------------------------------

    def _of_passage(self, candidate: Candidate, text: str, match: Match, wanted: Wanted) -> Source:
        node = self._store.node(candidate.rule or candidate.passage)
        assert node is not None
        number, game = node.number, node.game
        is_cited = (
            number is not None
            and game in wanted.games
            and node.series in ("", wanted.document or "rule")
            and any(is_under(number, one) or is_under(one, number) for one in wanted.numbers)
        )
        return self._source(node, text, match, is_cited, candidate.text.edition)

    def _source(
        self, node: Node, text: str, match: Match, is_cited: bool, edition: str | None = None
    ) -> Source:
        return Source(node, text, match, is_cited, node.edition or edition, node.game, node.lang)

    def _is_meant(self, source: Source, wanted: Wanted) -> bool:
        """Whether a source is of the edition that is meant."""
        return self._is_of_meant(source.node, source.edition, wanted)

    def _is_of_meant(self, node: Node, edition: str | None, wanted: Wanted) -> bool:
        """Whether a rule or passage, of some edition, is of the edition that is meant; True of what
        has no edition or game."""
        if edition is None or node.game is None:
            return True
        if node.kind == "document":
            return not document_of_edition(wanted.edition or "") or edition == wanted.edition
        meant = self._rulebooks.own_edition(node.game, wanted.edition)
        return edition == (meant or self._rulebooks.latest(node.game, node.number, node.lang))

    def _rank(self, source: Source, wanted: Wanted) -> tuple[object, ...]:
        games = [*wanted.games, source.game]
        return (
            not self._is_meant(source, wanted) and bool(source.is_cited is False),
            not source.is_cited,
            games.index(source.game),
            not self._is_meant(source, wanted),
            source.match.likeness != "exact",
            source.node.kind != "rule",
            tuple(-ord(char) for char in source.edition or ""),
            rest_of_sentence(wanted.text, source) != "",
            not self._is_headed(source.node, wanted),
            _distance(source.node, wanted),
            -len(source.node.number or ""),
            source.node.id,
        )

    def _is_headed(self, node: Node, wanted: Wanted) -> bool:
        """Whether the sentence names the section of a rule: `Flying is defined in …`."""
        if node.kind != "rule" or not wanted.beside:
            return False
        heading = self._rulebooks.heading_above(node)
        return bool(heading) and has_words(wanted.beside, heading or "")

    def _score(self, source: Source, wanted: Wanted) -> float:
        return (
            source.match.similarity
            + 0.1 * source.is_cited
            + 0.05 * self._is_meant(source, wanted)
            + 0.02 * (source.node.kind == "rule")
            + 0.02 * (source.game in wanted.games)
            + 0.05 * (source.game in wanted.games[:1])
        )


def _distance(node: Node, wanted: Wanted) -> tuple[int, int]:
    """Return how far the number of a rule is from the nearest one cited: how many levels less they
    have in common, then how far they are apart on the next. (0, 0) where none is cited."""
    own, found = number_key(node.number or ""), [(0, 0)] * (not wanted.numbers or not node.number)
    for number in () if found else wanted.numbers:
        pairs = list(zip(own, number_key(number), strict=False))
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        one, other = pairs[common] if common < len(pairs) else (0, 0)
        found.append((-common, abs(one - other)))
    return min(found)


def _numbers_beside(sources: Sequence[Source]) -> Iterator[str]:
    """Yield the numbers of the rules in the book of the first source, but for its own, each once.
    Those above and below it have its words as well as it."""
    first = sources[0]
    if first.node.kind != "rule" or first.node.number is None:
        return
    seen = [first.node.number]
    for one in sources[1:]:
        number = one.node.number
        if number is None or (one.game, one.edition, one.lang, one.node.kind) != (
            first.game, first.edition, first.lang, "rule",
        ):  # fmt: skip
            continue
        if not any(is_under(number, known) or is_under(known, number) for known in seen):
            seen.append(number)
            yield number


_CLOSING = "”’\"'」』）) "


def rest_of_sentence(words: str, source: Source) -> str:
    """Return how the sentence of a source goes on where a quotation ends with a full stop; empty if
    it ends there, too, or if the quotation has no full stop."""
    text, end = source.text, source.match.end
    if words.rstrip(_CLOSING)[-1:] not in (".", "。") or text[end - 1] in ".。":
        return ""
    rest = SENTENCE_END.split(text[end:], maxsplit=1)[0].strip()
    return rest if any(map(str.isalnum, rest)) else ""


def _is_surely(source: Source) -> bool:
    """Whether a rule cited is so like a quotation that no other can be meant."""
    return source.match.similarity >= _SURELY


def _own_texts(node: Node) -> tuple[tuple[Node, str], ...]:
    """Return the text of a rule and its examples, each with the rule."""
    return tuple((node, text) for text in (node.text or node.label or "", *_examples(node)))


def _begins_alike(words: str, text: str) -> bool:
    """Whether a text begins with the first four words of some others, or Japanese with the same
    eight letters; never for fewer words."""
    folded, other = (comparable_text(one[:400]) for one in (words, text))
    if is_japanese(words):
        return folded[:_FIRST_LETTERS] == other[:_FIRST_LETTERS]
    first = words.split()[:_FIRST_WORDS]
    return len(first) == _FIRST_WORDS and other.startswith(comparable_text(" ".join(first)))


def _examples(node: Node) -> list[str]:
    examples = (node.details or {}).get("examples", ())
    return [str(example) for example in examples] if isinstance(examples, list | tuple) else []


def _distinct(sources: Iterable[Source]) -> list[Source]:
    """Return the sources, of each node the most alike, of ties the first; in the order in which the
    nodes first come."""
    found: dict[str, Source] = {}
    for one in sources:
        known = found.get(one.node.id)
        if known is None or known.match.similarity < one.match.similarity:
            found[one.node.id] = one
    return list(found.values())


def lang_of(text: str) -> str:
    """Return `ja` or `en`, by the letters of a text."""
    return "ja" if is_japanese(text) else "en"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that a quotation may be from.

    passage: its id. rule: the id of the rule that it gives; None without one.
    """

    passage: str
    rule: str | None
    text: PassageText


class CandidatePassages:
    """Searches passages by the rare words of quotations; words are counted once."""

    def __init__(self, store: Store, passage_filter: PassageFilter) -> None:
        self._store, self._filter = store, passage_filter
        self._words = lru_cache(64)(_words)

    def find(self, quotation: str) -> list[Candidate]:
        """Return the passages that have all of the rarest four words of a quotation, best first, at
        most 40; words that no passage has are left out. Empty if nothing is left."""
        words = self._rarest(quotation)[:_FEW]
        return self._matching(" AND ".join(_quoted(words))) if words else []

    def find_more(self, quotation: str) -> list[Candidate]:
        """Return the passages that have all but one of the rarest five words of a quotation, best
        first, at most 40; without any, those that have any of the rarest, of words that too many
        have only the rarest one. Empty if no passage has any."""
        words = self._rarest(quotation)
        most = _quoted(words[: _FEW + 1])
        if len(most) > _FEW:
            all_but_one = (" AND ".join(one) for one in combinations(most, len(most) - 1))
            if found := self._matching(" OR ".join(f"({each})" for each in all_but_one)):
                return found
        few = self._few_passages(words)
        return self._matching(" OR ".join(_quoted(few))) if few else []

    def _matching(self, query: str) -> list[Candidate]:
        found = {
            passage: rule
            for passage, rule, _ in self._store.passages.matching(query, _MOST_FOUND, self._filter)
        }
        texts = self._store.passages.texts(found)
        return [
            Candidate(passage, rule, texts[passage])
            for passage, rule in found.items()
            if passage in texts
        ]

    def _few_passages(self, words: Sequence[str]) -> list[str]:
        """Return the first words that no more passages have than are ranked fast; one at least."""
        totals = accumulate(self._frequency(word) for word in words)
        few = sum(1 for total in totals if total <= _MOST_RANKED)
        return list(words[: max(1, few)])

    def _rarest(self, quotation: str) -> list[str]:
        """Return the eight words of a quotation that fewest passages have, but at least one has,
        the rarest first, of ties the longest."""
        return sorted(filter(self._frequency, self._words(quotation)), key=self._frequency)[
            :_RAREST
        ]

    @cached_method()
    def _frequency(self, word: str) -> int:
        """Return how many passages have a word, up to one more than `_MOST_COMMON`."""
        return self._store.passages.frequency(f'"{word}"', _MOST_COMMON + 1)


def _quoted(words: Iterable[str]) -> list[str]:
    return [f'"{word}"' for word in words]


def _words(text: str) -> list[str]:
    """Return the different words of a text as the index has them, the longest first, at most 24."""
    if is_japanese(text):
        from kb.language.tokens import normal_forms, tokenizer

        forms = " ".join(form for form, _, _ in normal_forms(tokenizer()(text)))
    else:
        forms = text.casefold()
    words = dict.fromkeys(_WORD.findall(forms))
    return sorted(words, key=lambda word: (-len(word), word))[:_MOST_WORDS]
