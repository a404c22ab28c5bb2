"""Computes the features of a passage's sentences: what speaks for or against each as the one that
decides a question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from operator import add
from typing import NamedTuple

from kb.language.tokens import normal_forms, tokenizer
from kb.query.answers.bm25 import RELATED_WORTH
from kb.query.answers.question import ANSWER_WORDS, Question, stem_words
from kb.query.answers.term_weights import WeightedTerm, defined_term

# The weights were fitted to what these give: who changes one fits those again.
_MOST_CHARACTERS = 600  # of a sentence that are compared: a guard; one of a thousand has more
_EARLY = 13  # characters before the subject of a defining sentence: an article, an adjective
_DEFINED = 70  # characters from the subject on in which it is said what it is
_VERB = 0.5  # importance above which a word that is no noun is a verb or an adjective
# How questions are worded, besides their kind.
_ASKS_WHICH = re.compile(
    r"何|なに|なん|いつ|どこ|誰|だれ|どう|どの|どれ|どちら|どっち|いくつ|いくら|なぜ|どんな"
    r"|\b(?:what|whats|when|where|who|whose|why|how|which)\b",
    re.IGNORECASE,
)
_ASKS_WHETHER = re.compile(
    r"(?:^|[.,;:!?—-] *(?:(?:so|and|or|but|then) )?)(?:can|could|do|does|did|is|are|am|will|would"
    r"|must|may|should|has|have|was|were|doesn['’]t|don['’]t|isn['’]t|can['’]t|won['’]t)\b"
    r"|\b(?:ok|okay|allowed|legal|possible|right|or not)\s*\?"
    r"|\b(?:can|do|does|is|will|must|may|should) (?:i|we|it|he|she|they|my|the|that|this|you)\b",
    re.IGNORECASE,
)
_ASKS_RESULT = re.compile(
    r"どうな|どうする|何が起|その後|扱い"
    r"|\bwhat happens|what now|what do(?:es)?\b|then what|outcome",
    re.IGNORECASE,
)
_TELLS_CASE = re.compile(
    r"\b(?:if|when|my|i|opponent)\b|たら|とき|場合|れば|相手|自分", re.IGNORECASE
)
_NUMBER = re.compile(
    r"\d+|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twice|once|fifteen|twenty|thirty"
    r"|forty|sixty|half|double)\b|[一二三四五六七八九十半]+(?=つ|枚|人|回|個|体|点)"
)
_DUTY = (
    r"\b(?:must|may|can|has to|have to|is allowed|able to)\b"
    r"|できる|てもよい|なければならない|してよい|可能|必要がある|必ず"
)
_MEANING = (
    r"[”」』]\s?(?:means?\b|とは|という(?:の|こと)は)|\bmeans?,? [“\"「]"
    r"|^(?:For a player )?to [^,.]{3,40}, "
)
# How rules and glossaries word what a sentence does; one that is worded otherwise is a plain one.
# {feature: its pattern}
_PATTERNS = {
    "is_meaning": _MEANING,
    "names_meaning": r"\b(?:means?|represents?)\b|とは",
    "is_announcing": r"^[^.]{0,60}\b(?:is|are|represents?) (?:an? )?(?:\w+[ -]){0,2}"
    r"(?:abilit(?:y|ies)|keywords?|actions?)\b[^.“]{0,70}\.$"
    r"|^(?:Certain|Some|Many|There are)\b[^.]*\.$|[^。]*(?:が存在する|がある|ことがある)。$"
    r"|^(?:一部の|いくつかの|特定の)[^。]*(?:持つ|持ちます|ある|あります)。$"
    r"|^[^。]{0,30}(?:能力|キーワード)(?:の一種)?(?:である|です)。$",
    "is_classifying": r"^[^.]{0,60}\b(?:is|are) (?:an? )?(?:\w+[ -]){0,3}(?:abilit(?:y|ies)"
    r"|keywords?|actions?|designations?|steps?|zones?|phases?)\b[^.“]{0,40}\.$",
    "is_referring": r"^(?:[^。]{0,40}|[(（][^)）]*)(?:参照|見よ)[)）]?。?$"
    r"|^\W*(?:See|For more|Ignore this rule)\b"
    r"|^This is called\b|\binformally (?:called|known)\b|\bis referred to as\b"
    r"|^(?:この|これ|そ)[^。]{0,40}と(?:呼ばれ(?:る|ます)|呼ぶ|呼びます|いう|いいます)。$"
    r"|^(?:Some|Certain|The) (?:rules|cards|effects)[^.]{0,40} refer\b|^This makes a difference\b",
    "is_asking": r"[?？][”」』]?$|^[QＱ][：:0-9０-９]",
    "is_example": r"^(?:\W*Ex(?:ample\b|\.)|For example|For instance|例[:：、]|たとえば|例えば)",
    "is_aside": "^[(（]",
    "is_fragment": r"^[^。！？.!?]*$",
    "has_quotation": "[“「]",
    "has_clauses": ";",
}
# {feature: what must be asked, its pattern}
_ANSWERS = {
    **{f"says_{kind}": (kind, ANSWER_WORDS[kind]) for kind in ("who", "when", "order")},
    "says_result": ("result", ANSWER_WORDS["happens"]),
    "states_case": (
        "case",
        r"^(?:(?:However|Also|Then|Similarly|Otherwise|In addition), )?(?:if|when|whenever|while"
        r"|as long as|once|after|before|each time|unless|during|as)\b"
        r"|^[^。]{2,80}?(?:場合|とき|時|なら|たら|れば|際|かぎり|限り|と)(?:に)?(?:は|も)?、",
    ),
    "states_duty": ("no definition", _DUTY),
    "whether_duty": ("whether", _DUTY),
    "whether_negation": (
        "whether",
        r"\b(?:can(?:’|')t|cannot|not|no|never|isn(?:’|')t|doesn(?:’|')t|don(?:’|')t|won(?:’|')t"
        r"|aren(?:’|')t|nothing|neither|nor|without)\b|ない|ません|ず[、に]|なく",
    ),
    "whether_exception": (
        "whether",
        r"\b(?:unless|except(?:ion)?|however|but|only|even if|even though|instead|still|regardless"
        r"|although)\b|ただし|を除|以外|限り|のみ|だけ|なければ|代わりに|であっても|としても|例外",
    ),
    "definition_defining": (
        "definition",
        r"とは|(?:の)?こと。|の(?:略|総称)|を指す|という。|\b(?:means?|is an?|is the|are"
        r"|refers to)\b",
    ),
    "definition_meaning": ("definition", _MEANING),
    "definition_calling": (
        "definition",
        r"(?:と呼ぶ|と呼びます|と呼ばれ(?:る|ます))。$|\b(?:is|are) (?:also )?called\b",
    ),
}
_COMPILED = {
    **{name: ("", re.compile(of, re.IGNORECASE)) for name, of in _PATTERNS.items()},
    **{name: (asked, re.compile(of, re.IGNORECASE)) for name, (asked, of) in _ANSWERS.items()},
}
_IS = re.compile(r"\b(?:is|are|mean|repres|refer)\b|^\S+(?: \S+)? と は|事|言う|指す")


class SentenceFeatures(NamedTuple):
    """What speaks for or against a sentence; a number each, True is 1.

    Shares are of the weight of the question's words. A `definition_…` is 0 unless a definition is
    asked for, a `whether_…` unless it is asked whether something is so, a `says_…` unless it is
    asked for what is said.
    """

    overlap: float  # share that it has
    relative: float  # the same, compared with the sentence of the passage that has most
    so_far: float  # share that it has with all sentences before it
    after: float  # share that the sentence behind it has
    names: float  # share that it has, of the names of terms and cards alone
    actions: float  # share that it has, of the verbs and adjectives alone
    matched: float  # how many of the question's words it has, of all
    heaviest: float  # the heaviest word that it has, compared with the question's heaviest
    likeness: float  # of its letters to the question's
    length: float
    is_first: float
    is_last: float
    place: float  # 0 is the first
    says_who: float
    says_when: float
    says_order: float
    says_number: float  # one that the question does not have
    says_result: float
    states_case: float  # begins with a condition, and the question tells of a case
    states_duty: float  # what must, may or can be done; and no definition is asked for
    whether_negation: float
    whether_exception: float
    whether_duty: float
    definition_length: float
    definition_relative: float
    definition_place: float
    definition_first: float
    definition_second: float
    definition_of_subject: float  # what is asked about comes first, and what it is follows
    definition_defining: float
    definition_meaning: float
    definition_calling: float
    is_meaning: float  # says what words mean
    names_meaning: float
    is_announcing: float  # says only that something is, or of what kind
    is_classifying: float
    is_referring: float
    is_asking: float
    is_example: float
    is_aside: float  # begins with a bracket
    is_fragment: float
    has_quotation: float
    has_clauses: float  # joined by a semicolon


def sentence_features(
    sentences: Sequence[str], question: Question, terms: Sequence[WeightedTerm]
) -> list[SentenceFeatures]:
    """Return the features of the sentences of a passage, in their order; none for no sentence.

    terms: of the question, for the language of the passage, as `weighted_terms` returns them.
    """
    asked = _asked(question)
    numbers = set(_NUMBER.findall(question.text.casefold()))
    found = []
    for at, (sentence, words) in enumerate(
        zip(sentences, _word_features(sentences, question, terms), strict=True)
    ):
        place = at / len(sentences)
        new_numbers = set(_NUMBER.findall(sentence.casefold())) - numbers
        defines = float("definition" in asked)
        found.append(
            SentenceFeatures(
                **words,
                **{
                    name: float((not kind or kind in asked) and of.search(sentence) is not None)
                    for name, (kind, of) in _COMPILED.items()
                },
                is_first=at == 0,
                is_last=at == len(sentences) - 1,
                place=place,
                says_number="many" in asked and bool(new_numbers),
                definition_length=defines * words["length"],
                definition_relative=defines * words["relative"],
                definition_place=defines * place,
                definition_first=defines * (at == 0),
                definition_second=defines * (at == 1),
            )
        )
    return found


def _asked(question: Question) -> set[str]:
    """Return what a question asks for: its kind, and `whether`, `result`, `case` and `no
    definition` where they fit."""
    text, kind = question.text, question.kind
    which = _ASKS_WHICH.search(text) is not None
    whether = (
        kind == "may"
        or _ASKS_WHETHER.search(text) is not None
        or (not which and re.search("[?？か]", text) is not None)
    )
    if kind == "definition" or (which and kind in ("many", "who", "when", "why")):
        whether = False
    return {
        kind,
        "whether" if whether else "",
        "result" if _ASKS_RESULT.search(text) else "",
        "case" if _TELLS_CASE.search(text) else "",
        "no definition" if kind != "definition" else "",
    }


def _word_features(
    sentences: Sequence[str], question: Question, terms: Sequence[WeightedTerm]
) -> Iterator[dict[str, float]]:
    """Yield, a sentence, the features that compare its words with the question's."""
    weights = [term.weight for term in terms]
    total = sum(weights) or 1.0
    stemmed = [stemmed_words(sentence) for sentence in sentences]
    worths = [[worth_of(term, words) for term in terms] for words in stemmed]
    weighted = [[a * b for a, b in zip(worth, weights, strict=True)] for worth in worths]
    so_far = list(accumulate(weighted, lambda before, own: list(map(max, before, own))))
    shares = [sum(own) / total for own in weighted]
    most = max(shares, default=0.0) or 1.0
    subject = defined_term(terms) if question.kind == "definition" else None
    likenesses = _likenesses(question.text, sentences)
    for at, own in enumerate(weighted):
        of_terms = list(zip(own, (term.query_term for term in terms), strict=True))
        yield {
            "overlap": shares[at],
            "relative": shares[at] / most,
            "so_far": sum(so_far[at]) / total,
            "after": sum(shares[at + 1 : at + 2]),
            "names": sum(worth for worth, term in of_terms if term.term_ids) / total,
            "actions": sum(worth for worth, term in of_terms if _VERB < term.importance < 1)
            / total,
            "matched": sum(map(bool, own)) / (len(terms) or 1),
            "heaviest": max(own, default=0.0) / max(weights, default=1.0),
            "likeness": likenesses[at],
            "length": math.log(1 + stemmed[at].count(" ")),
            "definition_of_subject": float(_says_what_is(stemmed[at], subject)),
        }


def stemmed_words(text: str) -> str:
    """Return the normal forms of a text's words, English ones stemmed, with a space around each.

    >>> stemmed_words("Players draw cards.")
    ' player draw card '
    """
    return f" {stem_words(' '.join(form for form, _, _ in normal_forms(tokenizer()(text))))} "


def worth_of(term: WeightedTerm, words: str) -> float:
    """Return 1.0 if a text has a term in any form, 0.7 if it has a related word, else 0.0.

    words: the text, as `stemmed_words` returns it.
    """
    if any(f" {form} " in words for form in term.forms):
        return 1.0
    return RELATED_WORTH if any(f" {form} " in words for form in term.related) else 0.0


def _says_what_is(words: str, subject: WeightedTerm | None) -> bool:
    """Return whether a sentence begins with a term and says soon what it is; False without one."""
    forms = (*subject.forms, *subject.related) if subject else ()
    places = [at for form in forms if (at := words.find(f" {form} ")) >= 0]
    at = min(places, default=-1)
    return 0 <= at <= _EARLY and _IS.search(words[at + 1 : at + _DEFINED]) is not None


def _likenesses(question: str, sentences: Sequence[str]) -> list[float]:
    """Return the cosine of each sentence's n-grams of letters with the question's, from 0 to 1,
    those weighted that few of the sentences have."""
    wanted, *grams = (ngrams(text, _MOST_CHARACTERS) for text in (question, *sentences))
    counts = Counter(gram for own in grams for gram in own)

    def weight(some: frozenset[str]) -> float:
        return sum(len(gram) * math.log(1 + len(grams) / (counts[gram] or 0.5)) for gram in some)

    norm = weight(wanted) or 1.0
    return [weight(own & wanted) / math.sqrt(norm * (weight(own) or 1.0)) for own in grams]


def ngrams(text: str, most: int) -> frozenset[str]:
    """Return the n-grams of one, two and three letters in a text, without case and punctuation.

    White space is dropped, too, so n-grams run across words. Only the first `most` characters that
    are left count. A text of signs alone has none.
    """
    plain = re.sub(r"\W", "", text.casefold())[:most]
    pairs = list(map(add, plain, plain[1:]))
    return frozenset([*plain, *pairs, *map(add, pairs, plain[2:])])
