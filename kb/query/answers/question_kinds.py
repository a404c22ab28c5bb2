"""Tells what kind of answer a question asks for, and the words that such an answer has."""

from __future__ import annotations

import re

_COUNTED = "枚|回|人|点|体|種|個|度|マナ|ターン"
# Kinds of questions, each with the pattern of its wording; the first that matches counts.
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


def question_kind(text: str) -> str:
    """Return what kind of answer a question asks for: `order`, `rule`, `definition`, `many`, `who`,
    `when`, `why`, `happens` or `may`; empty if its wording does not tell.

    >>> question_kind("召喚って何？"), question_kind("How many cards do I draw?")
    ('definition', 'many')
    """
    return next(
        (kind for kind, pattern in _KIND_PATTERNS if re.search(pattern, text, re.IGNORECASE)), ""
    )
