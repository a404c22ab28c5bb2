"""Small documents in every form that the bundled sample has not, written for the fuzzer."""

from __future__ import annotations

import json

WIKITEXT = """'''潮引き'''（しおびき/''Tide Draw''）は、[[カード]]を引く[[処理]]である。
{{注意|手札}}
==解説==
*潮引きは[[手札]]から始める。
**手札がない場合、[[山札|山]]の上を見る。
#一枚目を公開する。
#二枚目を[[捨て札#置き場|置き場]]に置く。
;置き場:公開された場所。
===処理の手順===
{| class="wikitable"
! 段階 !! 内容
|-
| 一 || 札を引く<ref>総合ルール 121.4 参照</ref>
|-
| 二 || ''何もしない''
|}
<ruby>潮<rt>しお</rt></ruby>が満ちたとき、もし山札がないならば引けない。
 整形済みの行
*[[CR:121|総合ルール121.1]]を参照。
[http://example.org/ 外の頁] <nowiki>[[そのまま]]</nowiki>
[[Category:処理]]
"""
PUKIWIKI = """*潮引き/Tide Draw [#tide]
札を引く[[処理]]。[[手札>ハンド]]が空のとき、&ruby(しお){潮};は引けない。~
二行目。((註は下に出る。))
-一枚目の''札''を公開する。
--その[[札>カード#omote]]を見る。
+手順の一
+手順の二
:用語|その説明
|~段階|~内容|h
|一|札を引く|
|>|二つ分|
**関連カード [#rel]
#contents
>引用の行
 整形済み
Ｑ：手札がない場合、どうなるか？~
Ａ：何も起きない。（09/12/01）
//見えない行
#ref(tide.png)
"""
RULEBOOK = """Tide Cards Comprehensive Rules
These rules are effective as of January 5, 2024.

Contents
1. Basics
2. Turns
Glossary

1. Basics
100. General
100.1. These rules apply to games of two or more players.
100.1a A game of two players is a duel.
100.2. If a card contradicts these rules, the card takes precedence. See rule 200.1.
Example: A card says "draw two cards". Its player draws two cards.
2. Turns
200. Parts of a turn
200.1. A turn has a tide step and an ebb step, in this order (see rules 100.1a and 200.1b).
200.1a During the tide step a player draws a card unless the deck is empty.
200.1b If a player can't draw, that player loses the game instead.

Glossary
Deck
The cards that a player has not drawn yet. See rule 200.1a.
Draw
1. To put the top card of the deck into the hand.
2. A game that nobody wins.

Credits
"""
MARKDOWN = """# 潮札 総合ルール ver.1.2.0
最終更新日：2024年1月5日

## 第1章 基本
### 1.1 総則
- 1.1.1 このルールは二人以上の試合に使う。
- 1.1.2 カードの文がルールと矛盾する場合、カードが優先される。1.1.1を参照。
  - 1.1.2.1 例：「二枚引く」とあれば二枚引く。
### 1.2 手札
- 1.2.1 手札とは、引いたカードの置き場である。

## 用語集
**手札（てふだ）/Hand**
: 引いたカードの置き場。1.2.1を参照。
"""
CAPTURE = """潮引き
提供:MTG Wiki
移動: 案内, 検索

潮引き/Tide Draw（しおびき）
札を引く処理。手札がない場合、引くことはできない。

目次
1 解説
2 ルール

解説
潮が満ちると札を引く。
・一枚目を公開する。
・二枚目を置く。
ルール
- 121 Drawing a Card
- 121.1 A player draws a card at the tide.
- 121.1a If the deck is empty, nothing is drawn.
「https://mtgwiki.com/index.php?title=潮引き&oldid=1」から取得
カテゴリ: 処理
"""
CSV = """en,ja,読み
"Tide, the Caller",潮を呼ぶもの,しおをよぶもの
Harbour,港,みなと
"""
TSV = (
    "id\ten\tja\tja_ruby_html\n1\tTide\t潮\t<ruby>潮<rt>しお</rt></ruby>\n2\tEbb Song\t引き潮の歌\t"
    "<ruby>引<rt>ひ</rt></ruby>き<ruby>潮<rt>しお</rt></ruby>の<ruby>歌<rt>うた</rt></ruby>\n"
)
NAMES = {"Tide": "潮", "Harbour Guard": "港の番人", "Fire/Ice": "火//氷"}
RECORDS = [
    {"name": "Tide", "lang": "en", "ja": "潮"},
    {"name": "Ebb", "lang": "en", "ja": "引き潮"},
]

API_PARSE = {
    "parse": {
        "title": "潮引き", "pageid": 7, "displaytitle": "潮引き", "categories": [{"*": "処理"}],
        "text": {"*": "<p>札を<a href='/wiki/X'>引く</a>処理。</p><h2>解説</h2><ul><li>一"},
        "wikitext": {"*": WIKITEXT},
    }
}  # fmt: skip
API_QUERY = {
    "query": {
        "redirects": [{"from": "ドロー", "to": "潮引き", "tofragment": "解説"}],
        "pages": {
            "7": {"pageid": 7, "ns": 0, "title": "潮引き", "revisions": [{"slots": {"main": {
                "contentmodel": "wikitext", "*": WIKITEXT}}}]},
            "8": {"pageid": 8, "ns": 0, "title": "X", "revisions": [{"*": "#REDIRECT [[潮引き]]"}]},
            "-1": {"title": "無い頁", "missing": ""},
        },
    }
}  # fmt: skip
API_XML = (
    '<?xml version="1.0"?><api><query><pages><page pageid="7" ns="0" title="潮引き"><revisions>'
    '<rev xml:space="preserve">札を引く[[処理]]。</rev></revisions></page></pages></query></api>'
)


def dump(*pages: tuple[str, str]) -> str:
    """Return a MediaWiki export of (title, wikitext) pages, the last of them with a redirect."""
    entries = "".join(
        f"<page><title>{title}</title><ns>0</ns><id>{number}</id><revision><id>{number}</id>"
        "<timestamp>2024-01-05T00:00:00Z</timestamp><contributor><username>甲</username>"
        "</contributor><model>wikitext</model><format>text/x-wiki</format>"
        f'<text xml:space="preserve">{_escaped(text)}</text></revision></page>\n'
        for number, (title, text) in enumerate(pages, 1)
    )
    return (
        '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" version="0.10" '
        'xml:lang="ja">\n<siteinfo><sitename>MTG Wiki</sitename><base>'
        "http://mtgwiki.com/wiki/X</base><case>first-letter</case></siteinfo>\n"
        f"{entries}<page><title>満潮</title><ns>0</ns><id>99</id>"
        '<redirect title="潮引き"/><revision><text>#転送 [[潮引き]]</text></revision></page>\n'
        "</mediawiki>\n"
    )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _card() -> str:
    rows = "".join(
        f'<tr><th class="dc">{label}</th><td class="lc">{value}</td></tr>'
        for label, value in (
            ("英語名", "Tide Caller"),
            ("日本語名", "潮を呼ぶもの（しおをよぶもの）"),
            ("コスト", "(２)(青)"),
            ("タイプ", "クリーチャー --- マーフォーク"),
            ("テキスト", "戦場に出たとき、カードを<a href='/cr/glossary/g_draw/'>引く</a>。"),
            ("Ｐ／Ｔ", "２/１"),
            ("Oracle", "When this enters, draw a card."),
        )
    )
    return (
        "<html><head><title>潮を呼ぶもの</title></head><body>"
        '<div class="wg-whisper-card-title"><h1 class="wg-title">潮を呼ぶもの/Tide Caller</h1>'
        "</div>"
        f'<div class="wg-whisper-card-detail"><table>{rows}</table></div></body></html>'
    )


def _source_view() -> str:
    return (
        "<html><head><title>潮引き のソース - 遊戯王カードWiki</title></head><body>"
        '<h1 class="title">潮引き のソース</h1><div id="navigator">編集</div><div id="body">'
        f'<pre id="source">{_escaped(PUKIWIKI)}</pre></div>PukiWiki 1.5.4</body></html>'
    )


_MTG, _YGO = "http://mtgwiki.com/", "https://yugioh-wiki.net/index.php"
_RAW = _MTG + "index.php?title=%E6%BD%AE&action=raw"
_API = _MTG + "api.php?action=query&format=json"
_HEX = "潮引き".encode("euc-jp").hex().upper()

# (file name, text, charset, URL, hint on the site)
DOCUMENTS: tuple[tuple[str, str, str, str, str], ...] = (
    ("tide.wiki", WIKITEXT, "utf-8", _RAW, ""),
    ("redirect.wiki", "#転送 [[潮引き#解説]]\n", "utf-8", _RAW, ""),
    ("parse.json", json.dumps(API_PARSE), "utf-8", _API, ""),
    ("query.json", json.dumps(API_QUERY, ensure_ascii=False), "utf-8", _API, ""),
    ("query.xml", API_XML, "utf-8", _API, ""),
    ("tide.txt", PUKIWIKI, "utf-8", _YGO + "?tide", "pukiwiki"),
    (f"{_HEX}.txt", PUKIWIKI, "euc-jp", "", ""),
    ("source.html", _source_view(), "utf-8", _YGO + "?cmd=source&page=tide", ""),
    ("source.euc.html", _source_view(), "euc-jp", _YGO + "?plugin=source&page=tide", ""),
    ("card.html", _card(), "utf-8", "http://whisper.wisdom-guild.net/card/X1/", ""),
    ("rules.txt", RULEBOOK, "utf-8", "", ""),
    ("stated.txt", RULEBOOK, "utf-16", "", "rulebook"),
    ("rules.md", MARKDOWN, "utf-8", "", ""),
    ("capture.txt", CAPTURE, "utf-8", "", ""),
    ("capture.sjis.txt", CAPTURE, "shift_jis", "", "mtgwiki"),
    ("names.csv", CSV, "utf-8", "", ""),
    ("names.tsv", TSV, "utf-8", "", ""),
    ("names.json", json.dumps(NAMES, ensure_ascii=False), "utf-8", "", ""),
    ("records.json", json.dumps(RECORDS), "utf-8", "", "namelist"),
    ("records.jsonl", "\n".join(map(json.dumps, RECORDS)), "utf-8", "", "namelist"),
    ("export.xml", dump(("潮引き", WIKITEXT), ("港", "船の[[港]]。")), "utf-8", _MTG, ""),
)
