"""Parses a question: its query terms, its game, the rules it names, the kind of answer asked."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from graphs.model import Node
from graphs.store.reader import Store
from kb.language import thesaurus
from kb.language.citations.citation_grammar import find_citations
from kb.language.fold import fold, is_hiragana, is_japanese
from kb.language.tokens import Token, normal_forms, stem, tokenizer, verb_of_noun, verb_of_potential
from kb.query.answers.stop_words import (
    COMMON_ENGLISH_WORDS,
    ENGLISH_STOP_WORDS,
    JAPANESE_STOP_WORDS,
    STOP_WORDS,
)
from kb.query.lookup.common_filters import EVERYTHING, Scope
from scraper.sites.games import find_games, known_games

# In the name of a term or card: nine tenths of the names in rulebooks have up to 8, and what is
# longer is hardly asked for in full. Each more costs a look-up for each word of a question.
_MOST_NAME_TOKENS = 8
# Of one term that passages are searched for: a guard; 95 of 100 terms in rulebooks have up to 11.
_MOST_NAMES = 16
# Of a word, by its part of speech; 1.0 for nouns and all others. By hand: verbs and adjectives may
# be worded in another way, adverbs and pronouns are seldom what is asked for.
_IMPORTANCE = {
    "動詞": 0.7, "形容詞": 0.6, "形状詞": 0.6, "副詞": 0.25, "接頭辞": 0.15, "接尾辞": 0.15,
    "代名詞": 0.1, "連体詞": 0.1, "感動詞": 0.1, "接続詞": 0.1,
}  # fmt: skip
_NUMBER_IMPORTANCE = 0.3  # by hand; what has no more is no reason for an answer (`ask`)
_COMMON_IMPORTANCE = 0.25  # of words of everyday English (really, put): as of a Japanese adverb
_AUXILIARY_VERBS = frozenset(  # that may follow て or で and then mean little: 引いておく
    "行く 来る 仕舞う 置く 見る 居る 有る 貰う 呉れる 遣る 欲しい 頂く 下さる".split()
)
# Of several levels, with a letter behind: 702.19b. A plain number in a question is an amount.
# Digits and full stops of numbers as Japanese keyboards write them, each of one character.
_HALF_WIDTH = str.maketrans("０１２３４５６７８９．", "0123456789.")
_RULE_NUMBER = re.compile(r"(?<![\d.])\d{1,4}(?:\.\d{1,3})+[a-z]?(?![\d.])")
# 徘徊って何？ asks for 徘徊, which Sudachi would read as a verb: さまよって. とは is as long.
_ASKED_WORD = re.compile(
    r"(?<=[^\sぁ-ん])って(?=(?:何|なに|なん)(?:です|だ|の?こと|の?意味|[?？。\s]|$))"
)
# Words that may be proper names. Shorter ones are mostly abbreviations, or common words.
_CAPITALIZED = re.compile(r"[A-Z][a-zA-Zé'’-]{3,}")
_KATAKANA = re.compile("[ァ-ヺー]{3,}")
_COUNTED = "枚|回|人|点|体|種|個|度|マナ|ターン"
# Kinds of questions, each with the pattern of its wording; the first that matches counts, so what
# is asked for in particular comes before what many questions have: `can`, `is`.
_KIND_PATTERNS = (
    ("order", r"順番|順序|手順|流れ|\b(?:what|which) order\b|\bsteps\b"),
    ("rule", r"どのルール|何番のルール|ルール番号|\b(?:which|what) rules?\b"),
    ("definition", r"とは(?:何|なに|なん|どう|どんな|[?？]|$)"
     rf"|って(?:結局|要するに)?、?(?:何|なに|なん)(?!{_COUNTED})"
     r"|意味|定義|何のこと|なんのこと|どういう(?:もの|こと|状態|能力|カード|効果|用語|ルール)"
     r"|どんな(?:もの|能力|状態|用語|ルール|ゾーン)"
     r"|(?:何|なに|なん)をする(?:こと|能力|もの|キーワード)|何が起き(?:てる|ている)|の説明"
     r"|\bwhat(?:['’]s| is| are| does| do| counts)(?: this| that| an?| the)? "
     r"(?!happen|the (?:maximum|most|least|minimum|order)|order)"
     r"|\bhow (?:does|do) .{1,40} work"
     r"|\bwhat (?:is|are) (?:that|it|they)\b|\bmean(?:s|ing)?\b|\bdefin|\bexplain"),
    ("many", r"何(?:枚|回|人|点|体|種|個|度)|いくつ|どれだけ|\bhow (?:many|much|often)\b"),
    ("who", r"誰|だれ|どのプレイヤー|どちらのプレイヤー|\bwho\b|\bwhich player\b"),
    ("when", r"いつ|どのタイミング|どの(?:時|とき)|\bwhen\b"),
    ("why", r"なぜ|何故|どうして|なんで|\bwhy\b"),
    ("happens", r"どうな[るり]|どうする|何が(?:起き|起こ)|\bwhat happens\b"),
    ("may", r"でき(?:る|ます)|られ(?:る|ます)か|える(?:か|の|[?？])|\b(?:can|may|does|is)\b"),
)  # fmt: skip
# {kind of question: pattern of the words that an answer to it contains}
ANSWER_WORDS = {
    "many": r"[0-9０-９一二三四五六七八九十]+\s*(?:枚|回|人|点|体|つ|個|種|以上|以下|マナ)"
    r"|\t[0-9０-９]|任意|好きな(?:数|枚数)|複数|すべて|no more than|at least|any number"
    r"|\b(?:\d+|twice|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|forty|sixty)\b"
    r"|\{\d+\}",
    "when": r"の(?:開始|終了|最初|最後|際|とき|時|間)|前に|後に|直前|まで|次に|フェイズ|ステップ"
    r"|\d年|タイミング|\b(?:when|whenever|after|before|until|beginning|end of|during|step|phase)\b",
    "who": r"プレイヤー|オーナー|コントローラー|相手|自分|あなた"
    r"|\b(?:player|controller|owner|opponent)s?\b",
    "order": r"まず|最初|次に|その後|順|先に|第[一二三123]|逆|上から"
    r"|\b(?:first|then|next|order|after|top|last)\b",
    "may": r"でき|られる|てもよい|ない。|ません|ではない|含"
    r"|\b(?:can|can’t|may|isn’t|must|not|only)\b",
    "happens": r"負け|敗北|勝(?:つ|利)|引き分け|置かれ|破壊|追放|消滅|失う|打ち消|生け贄|戻さ|"
    r"取り除|何も起こら"
    r"|\b(?:loses? the|wins? the|is a draw|(?:is|are) put|dies|destroyed|exiled?|ceases?|countered"
    r"|removed|nothing happens|becomes?|sacrificed?)\b",
    "definition": r"とは|こと。|行為|指す|である|もの。|\b(?:means?|is an?|are)\b",
    "why": r"ため|ので|から|理由|よう(?:に|な)|\b(?:because|since|so that|as|therefore)\b",
}  # fmt: skip


# Compared by identity (eq=False): terms are keys of dicts, and `forms` can't be hashed.
@dataclass(frozen=True, slots=True, eq=False)
class QueryTerm:
    """A word, phrase or name in a question that passages are searched for.

    text: how the question writes it.
    forms: what it may be called in a passage, by the language of the passage (`ja`, `en`). Each
        form is one or more normal forms of words, joined by spaces.
    related: forms with a similar meaning, from the thesaurus, in any language.
    term_ids: ids of the terms and cards that it is a name of; empty for any other word.
    importance: how much its kind of word says: 1.0 for a name or noun, less for others.
    start, end: where it stands in the question.
    is_proper_name: whether it looks like a proper name that is not the name of a term or card.
    word: the whole word or words as the question writes them, with the endings of an inflected
        word (引けます).
    """

    text: str
    forms: dict[str, frozenset[str]]
    related: frozenset[str] = frozenset()
    term_ids: tuple[str, ...] = ()
    importance: float = 1.0
    start: int = 0
    end: int = 0
    is_proper_name: bool = False
    word: str = ""

    @property
    def all_forms(self) -> list[str]:
        """The forms in all languages, sorted, each once; without related ones."""
        return sorted(frozenset().union(*self.forms.values()))

    @property
    def expanded_forms(self) -> list[str]:
        """The forms in all languages and the related forms, sorted: for query expansion."""
        return sorted(frozenset().union(self.related, *self.forms.values()))


@dataclass(frozen=True, slots=True)
class Question:
    """A parsed question.

    text: the question.
    lang: its language, `ja` or `en`.
    kind: what kind of answer it asks for: `order`, `rule`, `definition`, `many`, `who`, `when`,
        `why`, `happens` or `may`; empty if unknown.
    games: the game that was given, or else the loaded games that it names; empty if it may be any.
    query_terms: what to search for, in the order of the question, each once.
    rule_ids: the ids of the rules whose numbers it contains, one of each game.
    missing_games: the ids of games that it names and that are not loaded.
    missing_numbers: the numbers of rules that it cites and that no loaded rule has.
    """

    text: str
    lang: str
    kind: str
    games: frozenset[str]
    query_terms: tuple[QueryTerm, ...]
    rule_ids: frozenset[str]
    missing_games: tuple[str, ...] = ()
    missing_numbers: tuple[str, ...] = ()


def stem_words(form: str) -> str:
    """Return a form (words joined by spaces) with each English word stemmed.

    form: words in lower case; upper case is not folded.

    >>> stem_words("draws a card"), stem_words("カード 引く")
    ('draw a card', 'カード 引く')
    """
    return " ".join(map(stem, form.split()))


def parse_question(
    store: Store, text: str, game: str | None = None, scope: Scope = EVERYTHING
) -> Question:
    """Return a parsed question; the store is asked which terms, cards and rules it names.

    text: the question in a person's words, Japanese or English, of at most 900 characters. With
        no words to search for, the result has no query terms.
    game: the id of the game that it is about; by default those that its words name, if any. It
        is not checked to exist.
    scope: the number of a rule means its rule of this edition and in this language, if there is
        one.

    A question with any Japanese letter is Japanese; one with none is English, in whatever language.
    """
    lang = "ja" if is_japanese(text) else "en"
    loaded = set(store.values()["game"])
    mentions = _games_meant(store, text, loaded)
    named_games = {named for named, _, _ in mentions}
    asked_games = frozenset([game] if game else named_games & loaded)
    missing_games = tuple(sorted(named_games - loaded))
    rule_ids, missing_numbers, body = _extract_rules(
        store, _blanked(text, mentions).translate(_HALF_WIDTH), lang, asked_games, scope
    )
    body = _ASKED_WORD.sub("とは", body)
    tokens = [token for token in tokenizer()(body) if token.entry.spelled]
    names = _find_names(store, body, tokens, asked_games)
    morphemes = list(tokenizer().tokenize(body))
    parts_of_speech = {m.begin(): m.part_of_speech()[0] for m in morphemes}
    endings = {m.begin(): m.end() for m in morphemes if m.part_of_speech()[0] == "助動詞"}
    prefixes = {m.end(): m.begin() for m in morphemes if m.part_of_speech()[0] == "接頭辞"}
    query_terms: list[QueryTerm] = []
    query_term: QueryTerm | None
    position = 0
    while position < len(tokens):
        # A name gives way to a longer compound that is in the thesaurus: 山札切れ to 山札.
        end = _phrase_end(tokens, position, names.keys() - {position})
        is_compound = all(
            token.start == before.end and not token.entry.function
            for before, token in pairwise(tokens[position:end])
        )
        if position in names and (names[position][0] >= end or not is_compound):
            end, nodes = names[position]
            query_term = _name_term(store, body, tokens[position:end], nodes)
        else:
            before = tokens[position - 1].entry.normal if position else ""
            importance = _IMPORTANCE.get(parts_of_speech.get(tokens[position].start, ""), 1.0)
            normal = tokens[position].entry.normal
            importance = _NUMBER_IMPORTANCE if normal.isdigit() else importance
            importance = _COMMON_IMPORTANCE if normal in COMMON_ENGLISH_WORDS else importance
            query_term = _word_term(body, tokens[position:end], before, importance)
        if query_term:
            query_terms.append(
                _with_whole_word(query_term, body, tokens[end - 1], prefixes, endings)
            )
        position = end
    return Question(
        text,
        lang,
        question_kind(text),
        asked_games,
        tuple(_distinct(query_terms)),
        rule_ids,
        missing_games,
        missing_numbers,
    )


def _games_meant(store: Store, text: str, loaded: Collection[str]) -> list[tuple[str, int, int]]:
    """Return the mentions of games in a question as `find_games` does, (game, start, end) in order,
    without what is the name of a term and of a game that is not loaded: ヴァンガード is a format of
    Magic.

    loaded: the ids of the games in the graph.
    """
    mentions = find_games(text, set(loaded) - set(known_games()))
    names = {fold(text[start:end]) for game, start, end in mentions if game not in loaded}
    terms = {folded for folded, node in store.find_by_names(list(names)) if node.kind == "term"}
    return [
        (game, start, end)
        for game, start, end in mentions
        if game in loaded or fold(text[start:end]) not in terms
    ]


def _blanked(text: str, mentions: Iterable[tuple[str, int, int]]) -> str:
    """Return a text with spaces for the names of games, in the same length."""
    for _, start, end in mentions:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _with_whole_word(
    query_term: QueryTerm,
    text: str,
    last: Token,
    prefixes: Mapping[int, int],
    endings: Mapping[int, int],
) -> QueryTerm:
    """Return a query term with its whole word: a verb's or adjective's with the endings behind it,
    and any word's with the prefix (お) before it.

    last: its last token in the text.
    prefixes: {end: start} of the prefixes in the text. endings: {start: end} of the auxiliaries.
    """
    start, end = prefixes.get(query_term.start, query_term.start), last.end
    while last.entry.inflected and end in endings:
        end = endings[end]
    return replace(query_term, word=text[start:end])


def _extract_rules(
    store: Store, text: str, lang: str, asked_games: Collection[str], scope: Scope
) -> tuple[frozenset[str], tuple[str, ...], str]:
    """Return the ids of the rules that a question cites, the cited numbers that no rule of the
    games has, in its order, and the question with all citations blanked out with spaces, in the
    same length.

    lang: the question's language, `ja` or `en`.
    asked_games: the ids of the games whose rules count; empty for all.
    scope: as for `parse_question`.

    A number means the rule of the newest edition in each game, in the question's language if
    there is one. A number without a word such as `rule` counts only if some rule has it.
    """
    known_numbers = {
        number for number in _RULE_NUMBER.findall(text) if store.find_by_number(number)
    }
    cited: dict[tuple[str, str | None], str] = {}
    missing: dict[str, None] = {}
    for citation in find_citations(text, known_numbers):
        text = text[: citation.start] + " " * (citation.end - citation.start) + text[citation.end :]
        rules = [
            rule
            for rule in store.find_by_number(citation.number)
            if not asked_games or rule.game in asked_games
        ]
        if not rules:
            missing[citation.number] = None
        rules = [rule for rule in rules if scope.includes(rule)] or rules
        for rule in sorted(rules, key=lambda rule: rule.lang != lang):
            cited.setdefault((citation.number, rule.game), rule.id)
    return frozenset(cited.values()), tuple(missing), text


def _distinct(query_terms: Iterable[QueryTerm]) -> list[QueryTerm]:
    """Return query terms in order, without those that have the same forms as an earlier one.

    The forms in all languages are compared together; related forms don't count.
    """
    seen: dict[tuple[str, ...], QueryTerm] = {}
    for query_term in query_terms:
        seen.setdefault(tuple(query_term.all_forms), query_term)
    return list(seen.values())


def _phrase_end(tokens: Sequence[Token], start: int, names: Collection[int]) -> int:
    """Return the index after the longest phrase of the thesaurus that starts at a token.

    It is `start + 1` if there is no such phrase of two tokens or more. A phrase has none of the
    tokens with which a name begins (`names`), and no particles in it but those that link words.

    start, names: indices into `tokens`, as is the result.
    """
    longest = 2 * thesaurus.longest_phrase() - 1  # with a particle or sign between any two words
    for end in range(min(len(tokens), start + longest), start + 1, -1):
        if set(range(start, end)) & set(names):
            continue
        if thesaurus.related_words(thesaurus.phrase_form(tokens[start:end])):
            return end
    return start + 1


def _word_term(
    text: str, tokens: Sequence[Token], before: str, importance: float
) -> QueryTerm | None:
    """Return the query term for a word or a phrase; None if there is nothing to search for: for
    particles, signs, stop words, auxiliary verbs behind て, single Latin letters, and words of one
    or two hiragana. Its forms are the same in both languages.

    text: the text that the tokens are from.
    tokens: the word, or the words of the phrase.
    before: the normal form of the token before them; empty at the beginning of the text.

    importance: the result's `importance`: how much the kind of word says, 1.0 for a noun.
    """
    form = thesaurus.phrase_form(tokens) or tokens[0].entry.normal
    entry = tokens[0].entry
    if entry.function or not any(c.isalnum() for c in form) or form in JAPANESE_STOP_WORDS:
        return None
    if form.isascii() and (form in ENGLISH_STOP_WORDS or (len(form) < 2 and not form.isdigit())):
        return None
    if re.fullmatch("[ぁ-ん]{1,2}|[何幾].{1,2}", form):  # 何分, 幾つ: what is asked, not said
        return None
    if before in {"て", "で"} and form in _AUXILIARY_VERBS and is_hiragana(entry.dictionary):
        return None  # as in 引いておく, 唱えてしまう
    forms = {form, *filter(None, [verb_of_potential(form), verb_of_noun(form)])}
    related = frozenset().union(*map(thesaurus.related_words, forms)) - forms
    written = text[tokens[0].start : tokens[-1].end]
    return QueryTerm(
        written,
        {"ja": frozenset(forms), "en": frozenset(forms)},
        related,
        (),
        importance,
        tokens[0].start,
        tokens[-1].end,
        _is_proper_name(text, tokens[0]),
    )


def _is_proper_name(text: str, token: Token) -> bool:
    """Return whether a word looks like a proper name.

    In English that is a capitalized word of at least four letters that is not the first; in
    Japanese a proper noun of the dictionary, or a word of three katakana or more that the
    dictionary lacks.

    text: the text that the token is from.
    """
    written = text[token.start : token.end]
    if written.isascii():
        return token.start > 0 and _CAPITALIZED.fullmatch(written) is not None
    morpheme = tokenizer().tokenize(written)[0]
    is_unknown = morpheme.is_oov() and _KATAKANA.fullmatch(written) is not None
    return is_unknown or morpheme.part_of_speech()[1] == "固有名詞"


def _find_names(
    store: Store, text: str, tokens: Sequence[Token], games: Collection[str]
) -> dict[int, tuple[int, list[Node]]]:
    """Return the names of terms and cards in a question, the longest where several overlap, and of
    equally long ones the first.

    Where terms of these games have the name, those of others don't count. A term may also be called
    by what card games call it in the other language, if the graph has no term of that name. Names
    of more than eight tokens are not found.

    The result is {index of the first token: (index after the last token, nodes of that name)},
    the nodes sorted by id. The last word of a name may be inflected in the question. Names of stop
    words alone are left out, as are cards whose name the question begins in lower case.

    tokens: all tokens of the text. games: ids of games; empty for any.
    """
    spans_by_name: dict[str, list[tuple[int, int]]] = defaultdict(list)
    spans_by_translation: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for start in range(len(tokens)):
        if tokens[start].entry.function:
            continue
        for end in range(start + 1, min(len(tokens), start + _MOST_NAME_TOKENS) + 1):
            last = tokens[end - 1]
            if last.entry.function:
                continue
            prefix = text[tokens[start].start : tokens[end - 2].end] if end - start > 1 else ""
            for name in {
                text[tokens[start].start : last.end],
                prefix + last.entry.normal,
                prefix + stem(last.entry.spelled),
            }:
                spans_by_name[fold(name)].append((start, end))
            for name in thesaurus.translations(thesaurus.phrase_form(tokens[start:end])):
                spans_by_translation[fold(name)].append((start, end))
    nodes_by_span: dict[tuple[int, int], dict[str, Node]] = defaultdict(dict)
    found = store.find_by_names([*{**spans_by_name, **spans_by_translation}])
    for folded, node in found:
        if node.kind not in {"term", "card"}:
            continue
        for span in spans_by_name.get(folded, ()):
            # Many common English words are also names of cards: a card is meant only if the
            # question does not begin the name with a lower-case letter.
            if node.kind == "term" or not text[tokens[span[0]].start].islower():
                nodes_by_span[span][node.id] = node
    known = {
        span
        for span, nodes in nodes_by_span.items()
        if any(node.kind == "term" and (not games or node.game in games) for node in nodes.values())
    }
    for folded, node in found:
        if node.kind == "term":
            for span in spans_by_translation.get(folded, ()):
                if span not in known:
                    nodes_by_span[span][node.id] = node
    chosen: dict[int, tuple[int, list[Node]]] = {}
    taken: set[int] = set()
    for start, end in sorted(nodes_by_span, key=lambda span: (span[0] - span[1], span)):
        indexes = set(range(start, end))
        is_common = all(
            token.entry.function or token.entry.normal in STOP_WORDS for token in tokens[start:end]
        )
        if not indexes & taken and not is_common:
            taken |= indexes
            nodes = nodes_by_span[start, end]
            if in_games := {key: node for key, node in nodes.items() if node.game in games}:
                nodes = in_games
            chosen[start] = end, [nodes[key] for key in sorted(nodes)]
    return chosen


def _name_term(store: Store, text: str, tokens: Sequence[Token], nodes: list[Node]) -> QueryTerm:
    """Return the query term for a name of some terms or cards.

    Its forms are the name, all other names of these nodes (16 of a node at most), and the names of
    the terms of other games that are the same concept; readings are left out.

    text: the text that the tokens are from.
    tokens: those of the name.
    nodes: the terms and cards of that name.
    """
    question_form = " ".join(form for form, _, _ in normal_forms(tokens))
    edges = store.edges([node.id for node in nodes], kinds=["same_concept"])
    same = store.get(end for edge in edges for end in (edge.source, edge.target) if end)
    forms: dict[str, set[str]] = {"ja": {question_form}, "en": {question_form}}
    for node in [*nodes, *(same[key] for key in sorted(same))]:
        for label in [label for label in node.labels if label.role != "reading"][:_MOST_NAMES]:
            form = " ".join(word for word, _, _ in normal_forms(tokenizer()(label.text)))
            if form:
                forms["en" if label.text.isascii() else "ja"].add(form)
    written = text[tokens[0].start : tokens[-1].end]
    return QueryTerm(
        written,
        {lang: frozenset(found) for lang, found in forms.items()},
        thesaurus.related_words(question_form),
        tuple(node.id for node in nodes),
        1.0,
        tokens[0].start,
        tokens[-1].end,
    )


def question_kind(text: str) -> str:
    """Return what kind of answer a question asks for: `order`, `rule`, `definition`, `many`, `who`,
    `when`, `why`, `happens` or `may`, in this order the first that fits; empty if its wording does
    not tell.

    >>> question_kind("召喚って何？"), question_kind("How many cards do I draw?")
    ('definition', 'many')
    """
    return next(
        (kind for kind, pattern in _KIND_PATTERNS if re.search(pattern, text, re.IGNORECASE)), ""
    )
