"""What people say, and what rules say of the same: groups of words that stand for one another.

Rules have one word for a thing; those who ask have many. Only questions are widened by this,
never a text. The words are general ones of card games; what single terms are called, in either
language, stands in the graph.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from kb.language.tokens import normal_forms, tokenizer

# One group a line. A word may stand in several groups; those do not run into one another.
_JAPANESE = """
負ける 負け 敗北 敗れる
勝つ 勝ち 勝利
引き分け 引き分ける 決着
投了 降参 サレンダー
伏せる 裏向き 裏 裏返す 裏側
表 表向き 表側
見せる 公開 見る 見える 表向き
見る 確認 確かめる 覗く 調べる
調べる 確認 チェック 見る 優先権
開ける 開封 剥く
回す 渡す 送る
払う 支払う 支払い
消える 取り除く 除去 失う 無くなる 離れる 消滅
消える 取り除く 残る 終わる まで
殴る 攻撃 アタック
倒す 破壊 壊す 死ぬ 墓地
死ぬ 死亡 墓地 破壊
選ぶ 選択 決める 決定 指定
決める 決定 定める 規定 規則
定める 定義 規定 書く 記述 明記 扱う
書く 記述 明記 指示 指定 書き方
探す サーチ
混ぜる シャッフル 切り直す
止める 無効 打ち消す 防ぐ 阻止
無効 打ち消す 止める 不発
空 空っぽ 無い 零 尽きる 切れる
無い 零 空 残る
切れる 尽きる 無い 空 無くなる
同時 一緒 一斉 同じ時
最低 最小 以上 少なくとも 必要
最大 以下 まで 上限
全部 全て 皆 一度
全員 全て 各 複数 皆 それぞれ 各々
両者 全員 各 双方 両方 互い
只 無料 支払う 踏み倒す
踏み倒す 支払う コスト
始め 最初 開始 初め 始まる 始める
終わり 最後 終了 終わる 終える 完了
移る 移動 動かす 移す 動く
移動 動かす 置く 移す 出す 加える
当てはめる 適用 当てはまる 働く
置き換える 置換 代わり 換える
置換 代わる 代わり
増やす 増える 追加 足す 加える 増加
減らす 減る 軽減 減少 失う 取り除く
変える 変更 変わる 置換 修整
片付ける 処理 解決
処理 手順 解決 順
段階 手順 ステップ 順
順番 手順 順 先 後
溜まる 負う 受ける 貯まる 積もる 置く
持つ 溜まる 置く 有る
当たる 扱う 扱い 見做す 該当
入る 含む 数える 扱う 該当
扱い 扱う 見做す 含む
数える 含む 入る 枚数
うち 含む 扱う
別物 新しい オブジェクト
出来事 イベント
何度 一度 複数 繰り返す 回
幾つ 数 任意 複数
重ねる 積む 複数 重複
好きなだけ 任意 幾つ
側 隣 左 右 左隣 右隣
取る 選ぶ ドラフト ピック 得る
途中 間 最中 中
戻る 返る 返す 戻す
普通 通常
普段 通常
やり直す 巻き戻す
許す 出来る 可能
捨てる 墓地 ディスカード
使う 使用 発動 プレイ 唱える 起動
出す 置く 登場 場
置く 出す 入れる
呼ぶ 言う 称する 名称 呼称 用語
言い分ける 用語 語句 統一
タイミング 時 機会 際 直前
いつ 時 機会 直前 開始
要る 必要 以上
残り 残る 枚数
危ない 危険 リスク
沢山 大量 多い 複数
まとめる 複数 一度 同時 纏める
上手い 得意 優れる
組む 構築 作る 作成
作る 作成 構築 生み出す
狙う 対象
持ち主 オーナー
同名 同じ名前
蘇生 戻す 墓地
反転 裏返す 変身
横にする タップ
起こす アンタップ
攻撃力 パワー
体力 タフネス ライフ
命 ライフ
割り込む 優先権 チェーン 間
義務 必ず 強制
任意 良い 選ぶ
代わり 置換 代替
免れる 防ぐ 避ける
理由 為 基づく
駄目 不可 出来る
禁止 不可 出来る
持ち込む 使う 入れる
入れる 加える 置く 含む
席 座る
売る 発売
発売 リリース 登場
出る 発売 登場
早い 先
遅い 後
二回 再び 再度 もう一度
改めて 再び 再度
"""
_ENGLISH = """
die dies graveyard destroyed
kill destroy dies
destroy destroyed graveyard
destroy|blow up
graveyard|get rid of|destroy|sacrifice|discard
remove|get rid of|take off|come off
attached|wearing|wear|enchanted|equipped
remove|wear off|end|ends|ending
anybody anyone somebody someone everybody everyone player players
respond response responded priority
act priority action actions
first starting active
starting|go first|goes first|going first|first
same name|second copy|two copies|duplicate|duplicates
legend legendary
allowed can may permitted able
forbidden can't cannot prohibited illegal
begin start starting beginning begins starts
start starting total
smallest fewest minimum least
biggest largest most maximum highest
minimum|at least|fewer than
maximum|no more than|at most
deck library
hit attack damage deals
swing attack
fizzle illegal countered resolve
cheaper reduce reduces less
expensive increase increases more
twice second again additional two
tie draw drawn
concede|give up|quit|surrender
friend teammate team
ally teammate team
enemy opponent opposing
sick control continuously
undo reverse reversed
fall unattached
vanish cease exist
disappear cease exist
peek look
see look revealed
show reveal revealed
find search
tutor search
banish exile
throw discard
dump discard mill
victory win wins
defeat lose loses lost
simultaneously same
same time|at once|simultaneously|together
choose pick select decide chooses
swap exchange switch
steal control gain
flip turn turned
hidden face down
secret hidden
split divide divided
infinite|forever|endless|loop|loops
stop prevent
number amount many
sum total add
wait delayed next
free without paying
skip skips
extra additional another
bonus additional
happen trigger triggers
trigger|go off|goes off|going off
health toughness life
strength power
size power toughness
battlefield|in play|on the board|on the table|into play
graveyard|discard pile|grave
library|draw pile
mana value|cmc|converted mana cost
commander edh general
leave leaves left
owner belongs own
share shared
break ties order
order timestamp
copy copies duplicate
empty no
run|out|no
refund spent
keep remain stays
stay remain remains
last remain until
pay paying paid payment
count considered counts treated
reset restart
restart begin
hurt damage dealt
heal gain life
survive destroyed lethal
bury graveyard
lie put
limit maximum number
redo mulligan
reshuffle shuffle mulligan
quit leaves concede
loser loses
drop put
"""
# What rules say in the one language and in the other; terms have their names in the graph.
_CROSSING = """
プレイヤー = player
対戦相手 相手 敵 = opponent
自分 = own you your
味方 チームメイト = teammate team
全員 皆 各 それぞれ = each all every
全て 全部 = all every each
両方 両者 双方 互い = both each
一人 = one single
複数 幾つ = multiple several more two
他 別 = other another
同じ = same
違う 異なる = different
同時 一緒 = same simultaneously
同名 = same name
名前 名称 = name
最初 初め 始め 先攻 = first starting
最後 = last final
次 = next
前 = before previous
後 = after
間 途中 最中 = while during
直前 = before
直後 すぐ = immediately
毎ターン = each turn
開始 始まる 始め = begin beginning start starting
終了 終わる 終わり = end ends ending
消える 無くなる 空 = empty empties lose removed cease remain
残る 残り = left remain remains remaining
離れる = leave leaves
無い 零 = no zero none
空 = empty no
新しい 別物 = new
存在 = exist exists
持つ = have has with
飛ぶ 飛行 = flying
色 = color colored
無色 = colorless
数 枚数 個数 = number amount many
最大 上限 以下 = maximum more most limit
最低 最小 以上 = minimum least fewer
順 順番 順序 並び = order
入れ替える 並べ替える = change order exchange
変える 変更 変わる = change modify
手順 段階 = step steps
処理 = process perform
選ぶ 選択 決める = choose chooses choice
宣言 = announce declare
指定 = choose specified
支払う 払う = pay pays paying
コスト 費用 = cost
無料 只 = without paying free
引く ドロー = draw draws
唱える = cast casting
使う プレイ = play use cast
起動 = activate activated activation
発動 = activate activated activation
誘発 = trigger triggers triggered
解決 = resolve resolves resolution
打ち消す 無効 = counter countered negate negated
コピー = copy copies copied
対象 狙う = target targets
攻撃 殴る アタック = attack attacks attacking
ブロック 防ぐ = block blocks blocking prevent
ダメージ = damage
致死 = lethal
与える = deal deals dealt
受ける 喰らう = dealt damage
負う = marked
死亡 死ぬ = die dies graveyard
破壊 壊す = destroy destroyed
追放 除外 = exile exiled
生け贄 リリース = sacrifice sacrifices
捨てる ディスカード = discard discards
切り直す シャッフル 混ぜる = shuffle shuffles
探す サーチ = search searches searching find
見る 覗く 確認 = look looks see
公開 見せる = reveal reveals revealed
裏向き 伏せる 裏 = face down
表向き 表 = face up
移動 移る 動かす 移す = move moves moved change
置く 出す 入れる = put puts
加える 足す 追加 = add adds additional
戻す 返す 戻る 返る = return returns back
残す 保つ = keep keeps
取り除く 除去 = remove removed removes
得る 貰う = gain gains get
回復 = gain gains
失う 減る = lose loses
減らす 軽減 = reduce reduces reduction
増やす 増える 増加 = increase increases
勝つ 勝利 = win wins
負ける 敗北 = lose loses lost
引き分け = draw tie
投了 降参 = concede concedes
離脱 = leave leaves
代わり 置換 = instead replace replacement replaces
防ぐ = prevent prevents
適用 当てはめる 働く = apply applies applied
影響 = affect affects affected
許す 出来る 可能 = can may able
出来ない 不可 禁止 = can't cannot
必ず 強制 義務 = must
任意 = may
書く 記述 テキスト 文章 = text says written
定める 規定 = rule defined
意味 = means
数える 含む 入る 扱う = count counts counted considered treated
構築 = constructed
持ち込む = contain sideboard
デッキ = deck
基本 = basic
組 束 山 = pile
重ねる 積む = stack put
上 = top
下 底 = bottom
左 左隣 = left
右 右隣 = right
隣 = next left right
回す 渡す 送る = pass passes
分ける = separate divide piles
開ける 開封 = open opens
割り込む = respond priority
優先権 = priority
対応 チェーン = respond response chain
継続 続く = continue continuous
期限 まで = until
毎回 度 = each whenever
もう一度 再び 二回 = again second twice
半分 = half
切り上げる = up round
切り捨てる = down round
合計 総 = total sum
値 = value
初期 = starting
反転 変身 = flip transform
付ける 付く 装備 = attach attached equip
外れる 外す = unattached attached
裏面 = back face
横 = tapped
起きる = untap
無視 = ignore ignored
不可能 = impossible
不正 = illegal
例外 = exception except
矛盾 = contradicts conflict
優先 勝る = precedence
繰り返す ループ 無限 = loop repeat repeats
終わらない = loop
発売 登場 = released release
大会 = tournament
理由 何故 = because
倍 二倍 = double doubled
ランダム 無作為 = random randomly
投げる = flip roll
コイン = coin
席 座る = seat seated
チーム = team
ゲーム 試合 対戦 = game match
デュエル = duel game
手番 = turn
"""


@cache
def _groups() -> Mapping[str, frozenset[str]]:
    """For a word, or several that make one, what says about the same; all in normal forms."""
    found: dict[str, set[str]] = defaultdict(set)
    for line in f"{_JAPANESE}{_ENGLISH}".split("\n"):
        said = line.split("|") if "|" in line else line.split()
        forms = [_normal(one) for one in said]
        for form in forms:
            found[form] |= {other for other in forms if other and other != form}
    for line in _CROSSING.strip().split("\n"):
        ours, theirs = ({_normal(one) for one in side.split()} for side in line.split(" = "))
        for one in ours:
            found[one] |= theirs
        for other in theirs:
            found[other] |= ours
    return {form: frozenset(others) for form, others in found.items() if form}


def _normal(said: str) -> str:
    return " ".join(form for form, _, _ in normal_forms(tokenizer()(said)))


def related_words(form: str) -> frozenset[str]:
    """What says about the same as a word, or as words that make one, in normal forms.

    >>> {"負ける", "lose"} <= related_words("敗北")
    True
    """
    return _groups().get(form, frozenset())


@cache
def longest_phrase() -> int:
    """How many words the longest of these has."""
    return max(form.count(" ") + 1 for form in _groups())
