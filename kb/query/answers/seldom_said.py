"""Words for what people ask of card games and pages on rules seldom say."""

from __future__ import annotations

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
