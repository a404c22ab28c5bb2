"""Decides whether the pages answer a question at all: by how much of it the best passages cover,
and by whether questions like it were answered before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kb.query.answers.asked_before import asked_before
from kb.query.answers.bm25 import ScoredCandidate
from kb.query.answers.features import Features
from kb.query.answers.fitted_weights import fitted_weights
from kb.query.answers.question import ANSWER_WORDS, QueryTerm, Question, stem_words
from kb.query.answers.term_weights import weight_of_term

# By hand; the weights below were fitted to the features that these make.
# Answers that are looked at: what is asked often stands in several; further down any word does.
_BEST = 3
_WORTH = {"text": 1.0, "defined": 1.0, "related": 0.8, "context": 0.8}  # of a match
# Prices, dates, products, tournaments, bans, advice, stories, people. Normal forms; English words
# are stemmed.
SELDOM_SAID = frozenset(
    "値段 価格 相場 幾ら 円 買う 買える 売る 売れる 高い 安い 通販 転売 購入 定価 買取 発売 "
    "発売日 発売元 再販 再録 初出 登場 収録 新弾 弾 パック 封入 封入率 レアリティ レア 絶版 "
    "セット 大会 公式大会 店舗 予選 制限時間 分 時間 秒 ペナルティ 反則 遅刻 審判 ジャッジ "
    "スリーブ 参加費 賞金 優勝 世界大会 禁止 禁止カード 制限改訂 規制 解禁 殿堂 殿堂入り "
    "使用禁止 お勧め 最強 強い 弱い 勝率 環境 人気 流行る 採用 構築 組む 入れる べき 相性 "
    "対策 コツ 初心者 物語 ストーリー 背景 声優 アニメ 漫画 イラスト 絵師 絵 生まれ 出身 性格 "
    "年齢 誕生 デザイナー 作者 会社 読み方 由来 アプリ オンライン ダウンロード サイト".split()
) | frozenset(
    "price cost dollar cent buy sell worth expens cheap market ebay releas date publish "
    "reprint printing rarity mythic rare uncommon common booster pack expans set tournament "
    "event round minut hour clock penalti judg sleev prize prizemoney entri fee swiss ban "
    "banned legal list restrict errata best strong strongest weak tier meta recommend popular "
    "winrat deckbuild budget beginn stori lore novel anim artist voic born backstori flavor "
    "charact artwork design app onlin download websit arena".split()
)


class RefusalFeatures(NamedTuple):
    """What speaks for or against answering a question. Shares are by the weight of the terms."""

    constant: float  # always 1
    coverage: float  # the greatest share of the terms that one of the best answers covers
    together: float  # the share of the terms that the best answers cover together
    noun_coverage: float  # the greatest share of the nouns and names that one of them covers
    similarity: float  # the greatest similarity of one of them, by character n-grams
    weight_share: float  # the greatest rough score of one of them, by the question's weight
    window_coverage: float  # the greatest share of terms that stand together in one of them
    unknown_nouns: float  # the share of nouns and names that no passage has in any wording
    missing_nouns: float  # the share of nouns and names that none of the best answers covers
    unknown_name: float  # whether a proper name is in no passage
    missing_name: float  # whether a named term or card is in none of the best answers
    seldom_said: float  # how many words for prices, dates … the best lack, at most 2
    undefined_name: float  # whether a proper name is not what the best answer stands under
    other_language: float  # whether the best answer is in another language
    asks_definition: float  # whether a definition is asked for
    defines: float  # whether one of the best answers defines the term that is asked for
    length: float  # the logarithm of the number of terms
    lacks_answer_words: float  # whether none of the best has what answers such a question
    action_coverage: float  # the greatest share of the verbs and adjectives in one of the best
    context_similarity: float  # the greatest similarity of what one of the best stands under
    is_rule: float  # whether the best answer gives a rule
    asked_before: float  # how like the question is to those that rules answer
    asked_in_vain: float  # how like it is to those that no rule answers
    turned_cosine: float = 0.0  # the greatest nearness of meaning, if there are vectors


WEIGHTS, WEIGHTS_WITH_MEANINGS = fitted_weights("refusal", RefusalFeatures)


def is_refused(
    question: Question,
    frequencies: Mapping[QueryTerm, int],
    best: Sequence[tuple[ScoredCandidate, Features]],
) -> bool:
    """Return whether a question is better left without an answer: whether its weighted features
    fall below zero. A question that names a rule of the graph is answered if there is any answer.

    The arguments are as for `refusal_features`; without answers it is refused.
    """
    if not best or question.rule_ids:
        return not best
    values = refusal_features(question, frequencies, best)
    weights = WEIGHTS_WITH_MEANINGS if values.turned_cosine else WEIGHTS
    return sum(weight * value for weight, value in zip(weights, values, strict=True)) < 0


def refusal_features(
    question: Question,
    frequencies: Mapping[QueryTerm, int],
    best: Sequence[tuple[ScoredCandidate, Features]],
) -> RefusalFeatures:
    """Return the features of a question with its ranked answers.

    frequencies: in how many passages each query term occurs. Without terms all shares are 0.
    best: the answers with their features, best first; at least one, or max() raises ValueError. The
        first three count.
    """
    best = best[:_BEST]
    asked = asked_before(question.text)
    matched = {id(term) for scored, _ in best for _, term in scored.matches}
    weights = {term: weight_of_term(term, number) for term, number in frequencies.items()}
    nouns = [term for term in weights if term.term_ids or term.importance >= 1]
    of_nouns = sum(weights[term] for term in nouns) or 1.0
    of_all = sum(weights.values()) or 1.0
    covered = [
        (
            sum(weights[term] * worth for term, worth in worths.items()) / of_all,
            sum(weights[term] * worths.get(term, 0) for term in nouns) / of_nouns,
        )
        for worths in ({term: _WORTH[how] for how, term in scored.matches} for scored, _ in best)
    ]
    return RefusalFeatures(
        constant=1.0,
        coverage=max(share for share, _ in covered),
        together=sum(weight for term, weight in weights.items() if id(term) in matched) / of_all,
        noun_coverage=max(share for _, share in covered),
        similarity=max(features.similarity for _, features in best),
        weight_share=min(2.0, max(features.weight_share for _, features in best)),
        window_coverage=max(features.window_coverage for _, features in best),
        unknown_nouns=sum(
            weights[term] for term in nouns if not frequencies[term] and not term.related
        )
        / of_nouns,
        missing_nouns=sum(weights[term] for term in nouns if id(term) not in matched) / of_nouns,
        unknown_name=any(term.is_proper_name and not frequencies[term] for term in weights),
        missing_name=any(term.term_ids and id(term) not in matched for term in weights),
        seldom_said=min(
            2, sum(_is_seldom_said(term) and id(term) not in matched for term in weights)
        ),
        undefined_name=any(
            term.is_proper_name
            and all(_place_of(term, scored) not in {"context", "defined"} for scored, _ in best)
            for term in weights
        ),
        other_language=best[0][1].other_language,
        asks_definition=question.kind == "definition",
        defines=any(features.is_definition for _, features in best),
        length=math.log(1 + len(weights)),
        lacks_answer_words=question.kind in ANSWER_WORDS
        and not any(features.has_answer_words for _, features in best),
        action_coverage=max(features.action_coverage for _, features in best),
        context_similarity=max(features.context_similarity for _, features in best),
        is_rule=best[0][1].is_rule,
        asked_before=asked.answered,
        asked_in_vain=asked.in_vain,
        turned_cosine=max(features.turned_cosine for _, features in best),
    )


def _is_seldom_said(term: QueryTerm) -> bool:
    """Return whether a word of any form of a term is one of `SELDOM_SAID`, stemmed."""
    return any(stem_words(word) in SELDOM_SAID for form in term.all_forms for word in form.split())


def _place_of(term: QueryTerm, scored: ScoredCandidate) -> str:
    """Return where an answer has a term: `text`, `related`, `context` or `defined`, as
    `ScoredCandidate.matches`; empty if nowhere."""
    return next((how for how, matched in scored.matches if matched is term), "")
