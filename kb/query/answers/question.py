"""What a question asks: the terms and words in it, the game, the kind of answer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from graphs.model import Node
from graphs.store.reader import Store
from kb.language import games, thesaurus
from kb.language.citation_grammar import find_citations
from kb.language.fold import fold, is_japanese, is_kana
from kb.language.tokens import Token, normal_forms, stem, tokenizer
from kb.language.verbs import verb_of_noun, verb_of_potential

_LONGEST = 8  # words in a name
_LONGEST_QUESTION = 500
_MOST_NAMES = 16  # other names of one term that are looked for
# Words that questions are made of, in their normal forms.
_ASKING = frozenset(
    "何 どう どの どれ 誰 何時 何処 何故 幾つ 幾ら 何枚 何回 何人 如何 どんな 為る 有る "
    "居る 成る 出来る 事 物 時 場合 為 訳 意味 定義 説明 教える 言う 呼ぶ 良い 其の 其れ "
    "此の 此れ 枚 回 人 方 様 必要 行う 下さる 思う 知る 分かる 起こる 起きる 順番 順序 "
    "手順 ルール 遣る 迄 私 僕 自分 持つ 後 前 中 度 所 何方 此方 其方 積もり 故 だけ "
    "どういう そういう こういう".split()
)
_ENGLISH_ASKING = frozenset(
    "a an the of to is are was be been do does did done what how when who whom whose which why "
    "where can could may might must will would should if in on at by with for from into as and or "
    "not no it its this that these those there they them their i my me you your he his she her we "
    "our happen happens mean means define definition work works exactly called call get gets have "
    "has had say says many much any some one then than count counts rule rules so just still ever "
    "each other".split()
)
_KINDS = (
    ("order", r"順番|順序|手順|流れ|\b(?:what|which) order\b|\bsteps\b"),
    ("rule", r"どのルール|何番のルール|ルール番号|\b(?:which|what) rules?\b"),
    ("definition", r"とは(?:何|なん|どう|どんな|[?？]|$)|って(?:何|なに|なん)|意味|定義|何のこと"
     r"|^what(?:['’]s| is| are| does| do| counts) |^how (?:does|do) .{1,40} work"
     r"|\bmean(?:s|ing)?\b|\bdefin"),
    ("many", r"何(?:枚|回|人|点|体|種|個|度)|いくつ|どれだけ|\bhow (?:many|much|often)\b"),
    ("who", r"誰|だれ|どのプレイヤー|どちらのプレイヤー|\bwho\b|\bwhich player\b"),
    ("when", r"いつ|どのタイミング|どの(?:時|とき)|\bwhen\b"),
    ("happens", r"どうな[るり]|どうする|何が(?:起き|起こ)|\bwhat happens\b"),
    ("may", r"でき(?:る|ます)|られ(?:る|ます)か|える(?:か|の|[?？])|\b(?:can|may|does|is)\b"),
)  # fmt: skip
_SAYS = {  # how much a word says, by its part of speech
    "動詞": 0.7, "形容詞": 0.6, "形状詞": 0.6, "副詞": 0.25, "接頭辞": 0.15, "接尾辞": 0.15,
    "代名詞": 0.1, "連体詞": 0.1, "感動詞": 0.1, "接続詞": 0.1,
}  # fmt: skip
_NUMBER = 0.3  # how much a number says
_AUXILIARY = frozenset(
    "行く 来る 仕舞う 置く 見る 居る 有る 貰う 呉れる 遣る 欲しい 頂く 下さる".split()
)
_NUMBERED = re.compile(r"(?<![\d.])\d{1,4}(?:\.\d{1,3})+[a-z]?(?![\d.])")
_CAPITAL = re.compile(r"[A-Z][a-zA-Zé'’-]{3,}")
_KATAKANA = re.compile("[ァ-ヺー]{3,}")


@dataclass(frozen=True, slots=True, eq=False)
class QueryTerm:
    """One thing that is asked for: `said`, in the question's words; the forms that it may have
    in a passage (normal forms of words, joined by spaces), by language; what says about the
    same; the terms it names; how much a word of its kind says; where in the question it
    stands; whether it is a name of its own, as far as the dictionary and its capital tell."""

    said: str
    forms: dict[str, frozenset[str]]
    kindred: frozenset[str] = frozenset()
    terms: tuple[str, ...] = ()
    says: float = 1.0
    start: int = 0
    end: int = 0
    proper: bool = False

    @property
    def every(self) -> list[str]:
        """Its forms in any language."""
        return sorted(frozenset().union(*self.forms.values()))

    @property
    def wide(self) -> list[str]:
        """Its forms in any language, and what says about the same."""
        return sorted(frozenset().union(self.kindred, *self.forms.values()))


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart; `rules` are those whose numbers it names."""

    text: str
    lang: str
    kind: str
    games: frozenset[str]
    wanted: tuple[QueryTerm, ...]
    rules: frozenset[str]


def stems(form: str) -> str:
    """The words of a normal form, each without its ending."""
    return " ".join(map(stem, form.split()))


def parse_question(store: Store, text: str, game: str | None = None) -> Question:
    """Take a question apart, with what the graph knows of its words; of a text that is longer
    than any question, the beginning."""
    text = text[:_LONGEST_QUESTION]
    lang = "ja" if is_japanese(text) else "en"
    said = next((one for one, called in games.CALLED.items() if re.search(called, text)), None)
    about = frozenset(filter(None, [game or said]))
    rules, body = _rules(store, games.ANY.sub(" ", text), lang, about)
    found = [word for word in tokenizer()(body) if word.entry.spelled]
    spans = _named(store, body, found)
    kinds = {m.begin(): m.part_of_speech()[0] for m in tokenizer().tokenize(body)}
    wanted, at = [], 0
    while at < len(found):
        if at in spans:
            end, nodes = spans[at]
            wanted.append(_term(store, body, found[at:end], nodes))
            at = end
            continue
        end = _phrase(found, at, spans)
        before = found[at - 1].entry.normal if at else ""
        says = _SAYS.get(kinds.get(found[at].start, ""), 1.0)
        says = _NUMBER if found[at].entry.normal.isdigit() else says
        if own := _word(body, found[at:end], before, says):
            wanted.append(own)
        at = end
    kind = next((k for k, p in _KINDS if re.search(p, text, re.IGNORECASE)), "")
    return Question(text, lang, kind, about, tuple(_distinct(wanted)), rules)


def _rules(
    store: Store, text: str, lang: str, about: Collection[str]
) -> tuple[frozenset[str], str]:
    """The rules that a question names by their numbers: of each game the newest, in the
    question's language if it is there; and the question without the numbers."""
    alone = {number for number in _NUMBERED.findall(text) if store.numbered(number)}
    named: dict[tuple[str, str | None], str] = {}
    for citation in find_citations(text, alone):
        text = text[: citation.start] + " " * (citation.end - citation.start) + text[citation.end :]
        nodes = [one for one in store.numbered(citation.number) if not about or one.game in about]
        for node in sorted(nodes, key=lambda one: one.lang != lang):
            named.setdefault((citation.number, node.game), node.id)
    return frozenset(named.values()), text


def _distinct(wanted: Iterable[QueryTerm]) -> list[QueryTerm]:
    seen: dict[tuple[str, ...], QueryTerm] = {}
    for one in wanted:
        seen.setdefault(tuple(one.every), one)
    return list(seen.values())


def _phrase(found: Sequence[Token], at: int, named: Collection[int]) -> int:
    """Where words end that people say for one thing; the next word if they are none."""
    for end in range(min(len(found), at + thesaurus.longest_phrase()), at + 1, -1):
        inside = found[at:end]
        if any(word.entry.function for word in inside) or set(range(at, end)) & set(named):
            continue
        if thesaurus.related_words(" ".join(word.entry.normal for word in inside)):
            return end
    return at + 1


def _word(text: str, found: Sequence[Token], before: str, says: float) -> QueryTerm | None:
    """A word that means something, and is not one that questions are made of; or several that
    make one."""
    form = " ".join(word.entry.normal for word in found)
    entry = found[0].entry
    if entry.function or not any(c.isalnum() for c in form) or form in _ASKING:
        return None
    if form.isascii() and (form in _ENGLISH_ASKING or (len(form) < 2 and not form.isdigit())):
        return None
    if re.fullmatch("[ぁ-ん]{1,2}", form):
        return None
    if before in {"て", "で"} and form in _AUXILIARY and is_kana(entry.dictionary):
        return None  # 引いておく, 唱えてしまう
    forms = {form, *filter(None, [verb_of_potential(form), verb_of_noun(form)])}
    kindred = frozenset().union(*map(thesaurus.related_words, forms)) - forms
    said = text[found[0].start : found[-1].end]
    return QueryTerm(
        said,
        {"ja": frozenset(forms), "en": frozenset(forms)},
        kindred,
        (),
        says,
        found[0].start,
        found[-1].end,
        _proper(text, found[0]),
    )


def _proper(text: str, word: Token) -> bool:
    said = text[word.start : word.end]
    if said.isascii():
        return word.start > 0 and _CAPITAL.fullmatch(said) is not None
    morpheme = tokenizer().tokenize(said)[0]
    unknown = morpheme.is_oov() and _KATAKANA.fullmatch(said) is not None
    return unknown or morpheme.part_of_speech()[1] == "固有名詞"


def _named(store: Store, text: str, found: Sequence[Token]) -> dict[int, tuple[int, list[Node]]]:
    """The longest names of terms, cards and rules in a question: where each begins among its
    words, where it ends, and what has it."""
    candidates: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for first in range(len(found)):
        if found[first].entry.function:
            continue
        for end in range(first + 1, min(len(found), first + _LONGEST) + 1):
            last = found[end - 1]
            if last.entry.function:
                continue
            written = text[found[first].start : found[end - 2].end] if end - first > 1 else ""
            for form in {
                text[found[first].start : last.end],
                written + last.entry.normal,
                written + stem(last.entry.spelled),
            }:
                candidates[fold(form)].append((first, end))
    named: dict[tuple[int, int], dict[str, Node]] = defaultdict(dict)
    for folded, node in store.named(list(candidates)):
        if node.kind not in {"term", "card"}:
            continue
        for span in candidates[folded]:
            # Many an English word is a card's name; one that is meant is written as a name.
            if node.kind == "term" or not text[found[span[0]].start].islower():
                named[span][node.id] = node
    chosen: dict[int, tuple[int, list[Node]]] = {}
    taken: set[int] = set()
    for first, end in sorted(named, key=lambda span: (span[0] - span[1], span)):
        inside = set(range(first, end))
        everyday = all(
            word.entry.function or word.entry.normal in _ASKING | _ENGLISH_ASKING
            for word in found[first:end]
        )
        if not inside & taken and not everyday:
            taken |= inside
            nodes = named[first, end]
            chosen[first] = end, [nodes[key] for key in sorted(nodes)]
    return chosen


def _term(store: Store, text: str, found: Sequence[Token], nodes: list[Node]) -> QueryTerm:
    """What a named term may be called in a passage: by all its names, and those of the terms of
    other games that are the same concept."""
    own = " ".join(form for form, _, _ in normal_forms(found))
    edges = store.edges([node.id for node in nodes], kinds=["same_concept"])
    same = store.get(end for edge in edges for end in (edge.source, edge.target) if end)
    forms: dict[str, set[str]] = {"ja": {own}, "en": {own}}
    for node in [*nodes, *(same[key] for key in sorted(same))]:
        for label in [one for one in node.labels if one.role != "reading"][:_MOST_NAMES]:
            form = " ".join(f for f, _, _ in normal_forms(tokenizer()(label.text)))
            if form:
                forms["en" if label.text.isascii() else "ja"].add(form)
    said = text[found[0].start : found[-1].end]
    return QueryTerm(
        said,
        {lang: frozenset(every) for lang, every in forms.items()},
        thesaurus.related_words(own),
        tuple(node.id for node in nodes),
        1.0,
        found[0].start,
        found[-1].end,
    )
