"""The words that questions are made of, and that say nothing of what is asked (stop words)."""

from __future__ import annotations

# In the normal forms of Sudachi, so in kanji where people write kana: 為る for する.
JAPANESE_STOP_WORDS = frozenset(
    "何 どう どの どれ 誰 何時 何処 何故 幾つ 幾ら 何枚 何回 何人 如何 どんな 為る 有る "
    "居る 成る 出来る 事 物 時 場合 為 訳 意味 定義 説明 教える 言う 呼ぶ 良い 其の 其れ "
    "此の 此れ 枚 回 人 方 様 必要 行う 下さる 思う 知る 分かる 起こる 起きる 順番 順序 "
    "手順 ルール 遣る 迄 私 僕 自分 持つ 後 前 中 度 所 何方 此方 其方 積もり 故 だけ "
    "どういう そういう こういう".split()
)
ENGLISH_STOP_WORDS = frozenset(
    "a an the of to is are was be been do does did done what how when who whom whose which why "
    "where can could may might must will would should if in on at by with for from into as and or "
    "not no it its this that these those there they them their i my me you your he his she her we "
    "our happen happens mean means define definition work works exactly called call get gets have "
    "has had say says many much any some one then than count counts rule rules so just still ever "
    "each other".split()
)
STOP_WORDS = JAPANESE_STOP_WORDS | ENGLISH_STOP_WORDS
# Words of everyday English that rules use, too, but that seldom say what a question is about. In
# Japanese the part of speech tells such words.
COMMON_ENGLISH_WORDS = frozenset(
    "actually after again ago ahead all allow allowed almost alone along already also although "
    "always am amount and another anybody anyone anything anyway anywhere apart apparently around "
    "ask asked at away back bad be because become becomes before beginner behind being believe "
    "best better between big bin bit both bring brings bunch but came care case certain certainly "
    "chance come comes coming completely correct correctly couple current currently deal decide "
    "different directly else ended ends enough entire etc even everybody everyone everything "
    "exact explain fact far fast few figure fine follow for found friend from "
    "full fully further gave general generally give given gives giving go goes going gone gonna "
    "good got gotta great guess guy guys half handle hang hard having help here hey hi him "
    "himself hold holding hope huge idea immediately including instead involved judge keep keeps "
    "kind knew know known large last late later least leave leaves left less let lets like likely "
    "little long longer look looking lot lots made main make makes making matter maybe me meant "
    "might mind mine moment more most mostly must myself need needed needs never new next nice "
    "nobody none normal normally nothing now number obviously off often ok okay old once only "
    "onto opposite otherwise out over own part particular people perhaps person place plain "
    "please point possible possibly pretty previous probably proper properly put puts putting "
    "question quick quickly quite rather really reason regular related remain rest right said "
    "same saw second see seem seems seen sense sent separate several short should show shows "
    "side simple simply since situation small somebody somehow someone something sometimes "
    "somewhere soon sort start started starts stay stays straight stuff such suddenly suppose "
    "supposed sure take taken takes taking talk tell terms thing things think third though "
    "thought through together told too took totally tried tries true try trying twice two under "
    "understand until up upon use used using usual usually various very via wait want wanted "
    "wants was way ways well went were whatever whenever wherever whether while whole whoever "
    "wondering word words world worry would wrong yeah yes yet yours".split()
)

# Words of how a question is put. Passages may have them, so they are looked for; that nothing has
# one tells nobody what is missing. Normal forms.
ASKING_WORDS = frozenset(
    "違う 違い 相違 異なる 差 比べる 比較 関係 意味 説明 教える 知る 同じ 一緒 質問 差異 区別 "
    "differ different difference compare comparison versus explain describe tell mean meaning cite "
    "cited refer reference same relation question edition version list per please "
    "版 エディション バージョン 一覧 リスト 変わる 変わった".split()
)
