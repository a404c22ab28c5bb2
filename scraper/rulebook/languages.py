"""The words of rulebooks in each language: what cites a rule, heads a part, begins an example.

A language is one record of `LANGUAGES`; a further one needs a record and its tests, no code. All
words are pieces of regular expressions, matched without regard to case against text in half-width
letters and digits. They hold no capturing group.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from scraper import plugins

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RulebookLanguage:
    """The words that rulebooks in one language are read by.

    code: the language, as pages and ids write it (`ja`).

    Telling the language of a text:
    letters: a character class of letters that only this language, or few others, are written in;
        empty for what is written in letters of many languages.
    letters_share: the least share of a text's letters that these are, from 0 to 1.
    common: the most frequent words, by which a text without such letters is told.

    The structure of a rulebook:
    numerals: the characters of the numbers from zero to ten; empty without such.
    chapter_prefixes, chapter_suffixes: words before and behind the number of a chapter's heading.
    glossary, credits, history, contents: headings of those parts, each the whole heading. An index
        behind the rules is read as credits are: it states nothing.
    appendix: words that begin the heading of an appendix.
    excerpt: words by which a book says in front of its rules that it holds a part of them.
    example: words that begin an example, without colon or brackets.
    page: words beside the number of a page.
    effective: words beside the date from which the rules are in force.
    updated: words beside the date on which they were last changed.
    other_editions: words that show a date to be that of another edition.
    months: the names of the months, from January on; empty where months are numbered.
    book: what the comprehensive rules of a game are called; no regular expression.
    generic_titles: words in the title of a rulebook that do not name the game.

    Citations:
    spaced: whether spaces separate words, so that there is one between `rule` and its number.
    rule_words: words directly before the number of a rule. Such a word, as those of the next two
        fields, ends with a sign that stands for itself, by which it is looked for.
    rule_codes: signs for such a word, also with a colon or equals sign behind (`CR:704.5a`).
    section_words: words directly before the number of a section or chapter, never of three digits
        (`section 120` may be a seat).
    cited_prefixes, cited_suffixes: signs directly before and behind a chapter's number (第…章).
    bare_suffixes: those suffixes that need no prefix (`7章`).
    ranges: words between the first and the last number of a range.
    range_ends: words that may stand behind the last number of a range (まで).
    conjunctions: words between the numbers of a list.
    articles: words that may stand between such a conjunction and the next number.
    number_suffixes: words that may stand between the number of a rule and its heading.
    quotes: the pairs of quotation marks and brackets that a heading behind a number stands in.
    see_before, see_behind: words that send the reader to the rule whose number stands behind or
        before them.
    cited_before, cited_behind: further words that show a number with levels to be a citation. What
        is behind follows directly upon the number or its closing quotation mark.
    used_behind: words behind a number of two levels with a hyphen (`8-3`) that show that it is not
        a score, where the book has a rule of this number.
    units: words behind a number that counts or measures something, so that it cites nothing.
    amounts: words behind a number of two levels alone that show it to be a decimal (`1.5 of it`).
    quantities: words before a number that is none of a rule, such as a page, version or figure.
    former_before, former_behind: words before and behind a number that a rule had in an edition
        before, so that it cites nothing. Those before end with a sign that stands for itself.
    exception_before, exception_behind, subject_before, subject_behind, definition_before,
    definition_behind: words that show how a rule is cited: as one that is departed from, one that
        governs, one that defines. They end directly before the citation, or begin behind it.
    """

    code: str
    letters: str = ""
    letters_share: float = 0.0
    common: str = ""
    numerals: str = ""
    chapter_prefixes: Words = ()
    chapter_suffixes: Words = ()
    glossary: Words = ()
    credits: Words = ()
    history: Words = ()
    contents: Words = ()
    appendix: Words = ()
    excerpt: Words = ()
    example: Words = ()
    page: Words = ()
    effective: Words = ()
    updated: Words = ()
    other_editions: Words = ()
    months: Words = ()
    book: str = "Comprehensive Rules"
    generic_titles: Words = ()
    spaced: bool = False
    rule_words: Words = ()
    rule_codes: Words = ()
    section_words: Words = ()
    cited_prefixes: Words = ()
    cited_suffixes: Words = ()
    bare_suffixes: Words = ()
    ranges: Words = ()
    range_ends: Words = ()
    conjunctions: Words = ()
    articles: Words = ()
    number_suffixes: Words = ()
    quotes: Words = ()
    see_before: Words = ()
    see_behind: Words = ()
    cited_before: Words = ()
    cited_behind: Words = ()
    used_behind: Words = ()
    units: Words = ()
    amounts: Words = ()
    quantities: Words = ()
    former_before: Words = ()
    former_behind: Words = ()
    exception_before: Words = ()
    exception_behind: Words = ()
    subject_before: Words = ()
    subject_behind: Words = ()
    definition_before: Words = ()
    definition_behind: Words = ()


_JAPANESE = RulebookLanguage(
    code="ja",
    book="総合ルール",
    letters="ぁ-んァ-ヺ",
    letters_share=0.03,  # kana are over half of a Japanese book; a Chinese one may quote some
    numerals="〇一二三四五六七八九十",
    chapter_prefixes=("第",),
    chapter_suffixes=("章", "部", "編"),
    glossary=("(?:[ァ-ヶー一-鿿]{1,10}の?)?(?:用語|術語)の?(?:集|解説集?|一覧|辞典|事典|説明|定義)",),
    credits=("クレジット", "索引"),
    history=(r"(?:過去の)?(?:更新|改訂|改定|変更|修正)(?:履歴|記録|一覧)",),
    contents=(r"目\s*次", "もくじ"),
    excerpt=("抜粋", "抄録", "一部(?:のみ|だけ|しか|を収)"),
    appendix=("付録", "附録", "補遺", "巻末資料", "[附付]則"),
    example=("例", "具体例"),
    page=("ページ", "頁"),
    effective=("施行", "発効", "適用", "有効"),
    updated=("更新", "改訂", "改定", "修正", "改正"),
    other_editions=(
        "前回", "次回", "旧版", "前版", "以前", "廃止", "予定", "発売", "に基づ",
        r"第?[二三四五六七八九2-9]\d*刷", "増刷", "重版",
        "(?:英語|英文|中国語|韓国語)の?(?:版|原文|ルール)",
    ),
    generic_titles=(
        "(?:総合|詳細|完全|基本|コア|大会|フロア|イベント|トーナメント|競技)*(?:ゲーム)?"
        "(?:ルール|規則|規定|規約)(?:ブック|集|書)?",
        "(?:違反|処罰|罰則|ペナルティ|ジャッジ)?(?:処置|処理|対応)?(?:指針|ガイド(?:ライン)?)",
        "(?:日本語)?(?:和訳|翻訳|訳文)版?",
        "(?:オフィシャル|公式)(?=ルール|総合|$)", "公式", r"第?[\d.]+版",
        "第[〇一二三四五六七八九十]+版", "日本語版?", "印刷用", "全文", "現在",
        "(?:最終)?(?:更新|改訂|改定)日?", "(?:から)?(?:施行|有効|適用|発効)日?", "はじめに",
        "序文", "まえがき",
        "の?(?:遊び方|あそびかた)", "公認(?=大会|イベント|$)",
    ),
    rule_words=("(?<![ァ-ヶー])ルール", "(?<!不)規則"),
    cited_prefixes=("第",),
    cited_suffixes=("章", "節", "項(?!目)", "編(?!集|成)"),
    bare_suffixes=("章", "節", "項(?!目)", "編(?!集|成)"),
    ranges=("から",),
    range_ends=("まで",),
    conjunctions=("および", "及び", "または", "又は", "並びに", "ならびに", "や", "と"),
    quotes=("〔〕", "「」", "『』"),
    see_before=("参照[:：]",),
    see_behind=("[をも]?ご?参照", "[をも](?:見|読)", "[をも]ご(?:覧|確認)"),
    cited_before=("【", "総合ルールの"),
    cited_behind=(
        "】", "に(?:従|戻|進|記|書か|定め|基づ|よ[りる]|置[かきく]|移[しす])",
        "で(?:定め|定義|規定|説明)", "を除",
        "の(?:手順|規則|規定|定め|ルール|定義|条件|表現|図)", "手順",
    ),
    used_behind=("[にへ](?:戻|進|移)", "を(?:行[いうっわ]|実行|適用|処理)"),
    units=(
        "番台", "枚", "個", "つ(?!の章)", "点", "人", "回", "体", "種", "度", "年", "月", "日",
        "円", "ドル", "版", "倍", "周年", "ページ", "頁", "試合", "勝", "秒", "分", "時",
        "インチ", "センチ", "ミリ", "メートル", "キロ", "グラム", "パーセント", "ユーロ",
    ),
    quantities=("バージョン", "版", "約", "およそ", "合計", "図", "(?<!裏)表"),
    former_before=("旧", "旧総合"),
    former_behind=(
        "から(?:[^、。\n]{0,20}[にへ])?(?:移動|移設|移行|変更|改番|繰り?[上下])",
    ),
    exception_before=(r"例外(?!を除)[^。]{0,50}\(",),
    exception_behind=("の(?:唯一の|みの)?例外", "を除", "に反し", "にかかわらず"),
    subject_behind=(
        "(?:の[^、。の]{0,10})?に(?:従[いうっわ]|準じ|則|のっと)", "の(?:制限|制約)を受",
    ),
    definition_behind=(
        "に(?:定め|規定|記載|書か|記され|示|基づ)", "で(?:定め|定義|規定|説明)", "が(?:定め|定義)",
    ),
)  # fmt: skip

_ENGLISH = RulebookLanguage(
    code="en",
    common="the a of to is and or in that it this be as on an are its if with for by",
    chapter_prefixes=("chapter", "part", "section"),
    glossary=(
        r"(?:(?:alphabetical|game|rules?|keywords?|cards?|terms?|index and)\s+){0,2}glossary"
        r"(?:\s+(?:of|for)\s+[\w' ]{1,30})?", "(?:key )?terms and definitions", "key terms",
        r"(?:definitions|list) of (?:\w+ )?terms",
    ),
    credits=("credits", "(?:rules |alphabetical )?index"),
    history=(
        "(?:previous )?(?:(?:cr |rules? )?updates:?|update summary|revision history|change ?log"
        "|version history|summary of changes)",
    ),
    contents=(r"(?:table\s+of\s+)?contents",),
    excerpt=(
        r"\b(?:excerpt|extract)s?\b", r"\babridged\b", "part of the rules", "selected rules",
    ),
    appendix=("appendix", "annex"),
    example=("example",),
    page=("page", r"p\."),
    effective=(r"effective\b", r"in (?:force|effect)\b", "valid from", r"appl(?:y|ies|icable)\b"),
    updated=(r"updated?\b", r"revis(?:ed|ion)\b", r"amended\b", r"modified\b", r"changed\b"),
    other_editions=(
        r"replac(?:es|ing)\b", r"supersed(?:es|ing)\b", r"previous", r"prior\b", r"until\b",
        r"next\b", r"expires?\b", r"planned\b", r"scheduled\b", r"upcoming\b", r"based on\b",
        r"(?:translated|translation) (?:from|of)\b", r"releases\b",
        r"will be (?:released|published)\b",
        r"(?:japanese|french|german|korean|chinese) (?:edition|version|original|text|rules)\b",
    ),
    months=(
        "january", "february", "march", "april", "may", "june", "july", "august", "september",
        "october", "november", "december",
    ),
    generic_titles=(
        r"(?:\b(?:comprehensive|complete|core|detailed|advanced|basic|tournament|official|general"
        r"|comp\.?)\s+)*(?:game\s+)?\brule(?:\s*books?|s?(?:\s+(?:of\s+play|reference|manual"
        r"|document|guide))?)\b",
        r"\b(?:tournament|event|floor|penalt(?:y|ies)|infractions?|judges?|procedures?|policy)\b",
        r"\bguide(?:lines?)?\b", r"\bofficial\b", r"\b(?:open\s+)?playtest\b", r"\bmanual\b",
        r"\bdeck(?:\s*building)?(?=\s+rules)", r"\bver(?:sion|\.)?\s*[\d.]+",
        r"(?:last\s+)?(?:updated?|revised)\b", r"effective(?:\s+(?:date|as\s+of|from))?\b",
        r"\benglish(?:\s+version)?\b", "introduction", "preface", "foreword",
        r"\bedition\b",
        r"\b(?:learn|how)\s+to\s+play\b", r"\bcompendium\b",
    ),
    spaced=True,
    rule_words=("(?:sub-?)?rule", "(?:sub-?)?rules", r"rule\(s\)", "rules? number", r"rules? no\."),
    rule_codes=("CR", "§?§"),
    section_words=("section", "sections", "chapter", "chapters"),
    ranges=("through", "thru", "to"),
    conjunctions=("and/or", "and", "or"),
    articles=("the",),
    quotes=("“”", '""', "‘’"),
    see_before=(
        "see(?: also)?:?", "compare", r"cf\.", r"ref\.", "refer to",
        "(?:described|explained|defined|listed|laid out|set out|given) (?:in|under)",
    ),
    cited_before=(
        "also", "follow(?:ing)?", "(?:proceed|go|return|back|skip|jump|continue) to", "repeat",
        "under", "exceptions? to", "according to", "in accordance with",
        r"(?:described|specified|listed|outlined|defined|stated|found|given|steps|ability"
        r"|abilities|actions?|process) (?:in|by)",
    ),
    units=(
        "mm", "cm", "kg", "(?:kilo)?grams?", "inch(?:es)?", "feet",
        "(?:centi|milli)?met(?:er|re)s?", "ounces?", "percent", "dollars?", "euros?",
        "points?", "cards?", "players?", "times", "days?", "hours?", "minutes?", "seconds?",
    ),
    used_behind=("applies", "(?:does|do) not apply", "is (?:carried out|performed|followed)"),
    amounts=(
        "of", "or (?:more|less|fewer|higher|lower|greater)", "at (?:most|least)", "per", "km",
        "kilomet(?:er|re)s?", "miles?", "credits?", "counters?", "tokens?", "coins?", "gold",
        "games?", "turns?", "rounds?", "wins?", "hits?", "damage",
    ),
    quantities=(
        "version", r"vers?\.", "v", "pages?", r"pp?\.", "about", "approximately", "figures?",
        r"figs?\.", "tables?",
    ),
    former_before=(
        "(?:moved|renumbered|relocated|transferred|changed) from", "formerly", "previously", "old",
        "former",
    ),
    former_behind=(
        "of (?:the|an) (?:previous|former|earlier|older|old|last) (?:edition|version|rules)",
        r"is now(?= (?:sub-?)?(?:rule )?\d)", "(?:was|has been) (?:moved|renumbered) to",
    ),
    exception_before=(
        r"exceptions? (?:to|of|in|for)(?: the)?", r"(?:except|unless)\b[^.;,]{0,40}",
        "(?:despite|regardless of|notwithstanding|contrary to|other than|overrides?)(?: the)?",
    ),
    subject_before=(
        "(?:subject to|(?:modified|restricted|limited|governed|constrained) by|according to"
        "|in accordance with|in compliance with)(?: the)?",
    ),
    definition_before=(
        "(?:defined|described|specified|determined|stated|explained|set out|laid out"
        "|as (?:given|noted|outlined|detailed|provided|mentioned|shown)) (?:in|by|under)(?: the)?",
    ),
)  # fmt: skip

_CHINESE = RulebookLanguage(
    code="zh",
    book="综合规则",
    letters="一-鿿",
    letters_share=0.1,  # they are 0.97 of a Chinese book; an English one may quote some
    numerals="〇一二三四五六七八九十",
    chapter_prefixes=("第",),
    chapter_suffixes=("章", "部分", "编", "編", "篇"),
    glossary=(
        "(?:游戏|遊戲|规则|規則|关键)?(?:词汇|詞彙|术语|術語|用语|用語|名词|名詞)"
        "(?:[表集]|列表|一[览覽]|解释|解釋|[说說]明)", "术语", "術語",
    ),
    credits=("索引", "版权信息", "版權資訊", "致谢", "致謝", "鸣谢", "鳴謝", "制作(?:人员|名单)"),
    history=("(?:更新|修订|修訂|变更|變更|版本)(?:历史|歷史|记录|記錄|纪录|紀錄|说明|說明|摘要)",),
    contents=(r"目\s*录", r"目\s*錄"),
    excerpt=("节选", "節選", "摘录", "摘錄"),
    appendix=("附录", "附錄", "附[则則]"),
    example=("例如", "例", "范例", "範例", "示例"),
    page=("第", "页", "頁"),
    effective=("生效", "施行", "有效"),
    updated=("更新", "修订", "修訂", "修改"),
    other_editions=(
        "上次", "下次", "此前", "取代", "废止", "廢止", "发售", "發售", "上市", "印刷",
        "根据", "根據",
        "(?:英|日)(?:文|语|語)", "初版", "首版",
    ),
    generic_titles=(
        "(?:完整|综合|綜合|详细|詳細|官方|核心)?(?:游戏|遊戲)?(?:规则|規則)(?:书|書|手册|手冊|说明书|說明書)?",
        "官方", r"第?[\d.]+版", "版本", "(?:最[后後近])?(?:更新|修订|修訂)(?:日期?)?", "生效日?期?",
        "(?:简体|繁體|繁体)?中文版?", "简介", "簡介", "前言",
        "(?:集换式|集換式|对战|對戰|交换|交換)卡牌",
        "(?<![一-鿿])(?:卡牌|卡片)(?:对战|對戰)?(?:游戏|遊戲)?(?![一-鿿])",
        "(?:比赛|比賽|赛事|賽事)?(?:规则|規則)?(?:手册|手冊)", "封面",
    ),
    rule_words=("规则", "規則", "规则条目", "規則條目", "条款", "條款"),
    section_words=("章节", "章節"),
    cited_prefixes=("第",),
    cited_suffixes=("章", "节", "節", "编(?!辑|写)", "編(?!輯|寫|集|成)", "篇"),
    bare_suffixes=("章",),
    ranges=("至", "到"),
    range_ends=("为止", "為止", "止"),
    conjunctions=("以及", "及", "和/或", "和", "与", "與", "或者", "或是", "或", "还有", "還有"),
    number_suffixes=("部分",),
    quotes=("“”", "‘’", "「」", "『』", "《》", "〈〉"),
    see_before=(
        "参见", "參見", "参阅", "參閱", "参照", "參照", "参考", "參考", "详见", "詳見", "请见",
        "請見", "[请請]看", r"(?<![看遇听聽可常])[见見]",
    ),
    cited_before=(
        "依照", "按照", "根据", "根據", "依据", "依據", "遵循", "回到", "返回", "跳[到至]", "【",
    ),
    cited_behind=(
        "】", "所(?:述|叙述|規定|规定|定义|定義)", "中(?:的|所)?(?:叙述|规定|定义|说明)",
        "的(?:例外|规定|规则|流程)",
    ),
    used_behind=("(?:所)?(?:规定|規定)", "(?:进行|進行)?(?:处理|處理)"),
    units=(
        "张", "張", "个", "個", "点", "點", "人", "次(?![第にのは])", "位", "名(?![称稱前])",
        "岁", "歲", "年", "月", "日", "元", "版", "倍", "页", "頁", "秒", "分(?![别別])",
        "小时", "小時", "英寸", "厘米", "毫米", "公分", "公斤", "美元", "欧元",
    ),
    amounts=("公里", "公尺", "米"),
    quantities=("版本", "约", "約", "共", "[图圖表]"),
    former_before=("旧", "舊", "原", "移自"),
    former_behind=("移(?:动|動)?[至到]",),
    exception_before=("例外[^。]{0,30}\\(参见", "除了?"),
    exception_behind=("[的之](?:唯一)?例外", "的特殊情[况形]", "以外"),
    subject_before=("(?:按照|依照|依据|根据|遵循|遵照|受到?)(?:如)?",),
    definition_behind=(
        "(?:部分)?[中里]?所(?:述|叙述|描述|规定|定义|列出)",
        "中的?(?:叙述|描述|规定|定义|说明|确定)",
    ),
)  # fmt: skip


def latin_language(code: str, **words: Any) -> RulebookLanguage:
    """Return the record of a language that is written in Latin letters, with spaces.

    words: the fields of `RulebookLanguage` by name.
    """
    return RulebookLanguage(code=code, spaced=True, **words)


_GERMAN = latin_language(
    "de",
    common="der die das und ist ein eine einer nicht wenn wird werden von mit auf den dem oder",
    book="Umfassende Regeln",
    chapter_prefixes=("kapitel", "teil", "abschnitt"),
    glossary=(
        "(?:(?:schlüsselwort|begriffs|regel)-?)?glossar",
        "(?:begriffs|wörter|stichwort|schlagwort)(?:erklärungen|verzeichnis|liste)",
    ),
    credits=("impressum", "mitwirkende", "(?:stichwort|sach)?(?:register|verzeichnis)"),
    history=(
        "(?:update|aktualisierungs|änderungs)-?(?:zusammenfassung|historie|verlauf|protokoll)",
        "versions(?:historie|geschichte)",
    ),
    contents=("inhalt(?:sverzeichnis)?",),
    excerpt=("auszug", "gekürzt"),
    appendix=("anhang",),
    example=("beispiele?",),
    page=("seite",),
    effective=("gültig ab", "in kraft(?: ab)?", "gilt ab", "anwendbar", "anzuwenden"),
    updated=("aktualisier(?:t|ung)", "stand", "geändert"),
    other_editions=(
        "ersetzt", "vorherige", "nächste", "bis zum", "geplant", "voraussichtlich", "erscheint",
        r"(?:japanisch|englisch|französisch)e[nr]? (?:fassung|ausgabe|version|original)",
        "beruht auf", "basier(?:t|end) auf", r"übersetzung (?:der|des)\b",
    ),
    months=(
        "januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september",
        "oktober", "november", "dezember",
    ),
    generic_titles=(
        r"(?:spiel|turnier|gesamt|grund|basis|detail|haupt|einsteiger|experten|profi)?-?"
        r"reg(?:eln?|elwerk|elbuch|elheft|lement)\b",
        r"\b(?:umfassend|vollständig|offiziell|allgemein|komplett|ausführlich|detailliert|erweitert"
        r"|aktuell|gültig)e[mnrs]?\b",
        r"\b(?:spiel|kurz)?anleitung\b", r"\b(?:spieler)?handbuch\b", r"\bleitfaden\b",
        r"\b(?:fassung|ausgabe|auflage)\b", r"\b(?:zuletzt )?aktualisiert(?:\s+am)?\b",
        "einleitung", "vorwort",
    ),
    rule_words=("regel", "regeln", "unterregel", "unterregeln"),
    section_words=("abschnitt", "abschnitte", "abschnitten", "kapitel", "kapiteln"),
    ranges=("bis",),
    conjunctions=("und", "oder", "sowie", "beziehungsweise"),
    articles=("die", "der"),
    quotes=("„“", "»«"),
    see_before=("siehe(?: auch)?:?", r"vgl\.", r"s\."),
    subject_before=("(?:gemäß|laut|entsprechend)(?: der| den)?",),
    cited_before=("gemäß", "nach", "laut", "entsprechend", "unter"),
    units=(
        "karten?", "spielern?", "punkten?", "schaden", "mal", "stunden?", "minuten?", "sekunden?",
        "tagen?", "prozent", "zentimetern?",
    ),
    quantities=("version", r"vers?\.", "seiten?", "etwa", "ungefähr", "abbildung", "tabelle"),
    former_before=("ehemals", "früher", "verschoben von"),
    exception_before=("(?:ausnahmen?|abweichend) (?:zu|von)",),
    definition_before=("(?:definiert|beschrieben|festgelegt|erläutert) (?:in|unter|durch)",),
)  # fmt: skip

_FRENCH = latin_language(
    "fr",
    common="le la les des et est un une dans pour que qui sur par vous ou ne pas du",
    book="Règles complètes",
    chapter_prefixes=("chapitre", "partie", "section"),
    glossary=("glossaire", "lexique"),
    credits=("crédits", "index(?: alphabétique)?"),
    history=("historique des (?:modifications|versions|mises à jour)", "journal des modifications"),
    contents=("table des matières", "sommaire"),
    excerpt=("extraits?", "abrégée?"),
    appendix=("annexe", "appendice"),
    example=("exemple",),
    page=("page",),
    effective=("en vigueur", "applicables?"),
    updated=("mise?s? à jour", "modifiée?", "révisée?"),
    other_editions=(
        "remplace", "précédente", "prochaine", "jusqu", "prévue", "paraîtra", "sortira",
        "d['’]après", "traduit de",
        r"(?:édition|version) (?:japonaise|anglaise|américaine|allemande)",
    ),
    months=(
        "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre",
        "octobre", "novembre", "décembre",
    ),
    generic_titles=(
        r"\brègle(?:s|ments?)?(?:\s+(?:complètes|officielles|générales|détaillées|de tournoi"
        r"|de jeu|du jeu))*\b",
        r"\b(?:livret|livre|manuel|guide)(?: (?:de règles|d[eu] (?:jeu|joueur)|de référence))?\b",
        r"\b(?:complet|détaillé|général|avancé)(?:e?s?|ètes?|aux)\b", r"\bédition\b",
        r"\bcomment jouer\b", r"\bjeu de cartes(?: à (?:collectionner|jouer))?\b",
        r"\bà (?:compter|partir) d[eu]\b", r"\bofficielle?s?\b", "introduction", "préface",
        r"\b(?:dernière )?mise à jour\b",
    ),
    rule_words=("règle", "règles", "sous-règle"),
    section_words=("sections", "chapitre", "chapitres", "paragraphe"),
    ranges=("à", "jusqu'à"),
    conjunctions=("et", "ou"),
    articles=("la", "le", "les"),
    quotes=("«»",),
    see_before=("voir(?: aussi)?", "consultez", "cf\\."),
    cited_before=("selon", "conformément à"),
    subject_before=("(?:selon|conformément à)(?: la| les)?",),
    units=("cartes?", "joueurs?", "points?", "fois", "heures?", "minutes?", "secondes?", "jours?"),
    quantities=("environ", "pages?", "figures?", "tableau"),
    definition_before=("(?:défini|décrit|expliqué)e?s? (?:dans|par|en)",),
)  # fmt: skip

_SPANISH = latin_language(
    "es",
    common="el la los las de que y en un una es no se por con para del al su",
    book="Reglas completas",
    chapter_prefixes=("capítulo", "parte", "sección"),
    glossary=("glosario",),
    credits=("créditos",),
    history=("(?:historial|registro) de (?:cambios|revisiones|versiones)",),
    contents=("índice", "contenidos?", "tabla de contenidos?"),
    excerpt=("extracto", "abreviad[oa]"),
    appendix=("apéndice", "anexo"),
    example=("ejemplo",),
    page=("página",),
    effective=("en vigor", "vigente", "efectiv[oa]s?", "aplicables?", "válid[oa]s? desde"),
    updated=("actualiza(?:d[oa]s?|ción)", "revisad[oa]s?"),
    other_editions=(
        "reemplaza", "anterior", "próxima", "hasta", "previst[ao]", "sustituye", "saldrá",
        "se publicará", "basad[ao] en", "traducid[ao] de",
        r"(?:edición|versión) (?:japonesa|inglesa)",
    ),
    months=(
        "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
        "octubre", "noviembre", "diciembre",
    ),
    generic_titles=(
        r"\breg(?:las?|lamento)(?:\s+(?:completas|oficiales|generales|detalladas|de torneos?"
        r"|de juego|del juego))*\b",
        r"\b(?:libro|manual|guía)(?: (?:de (?:reglas|juego|referencia)|del jugador))?\b",
        r"\b(?:complet|detallad|avanzad|básic)[ao]s?\b", r"\bedición\b",
        r"\bcómo (?:se juega|jugar)\b", r"\bjuego de cartas(?: coleccionables?)?\b",
        r"\ba partir del?\b", r"\boficial(?:es)?\b", "introducción", "prólogo",
        r"\b(?:última )?actualización\b",
    ),
    rule_words=("regla", "reglas", "subregla"),
    section_words=("sección", "secciones", "capítulo", "capítulos", "apartado", "apartados"),
    ranges=("hasta", r"(?<=\s)al?(?=\s)"),
    conjunctions=("y", "o"),
    articles=("la", "el", "las", "los"),
    quotes=("“”", "«»"),
    see_before=("véase(?: también)?", "véanse", "consult[ae]"),
    cited_before=("según", "conforme a"),
    units=("cartas?", "jugador(?:es)?", "puntos?", "veces", "horas?", "minutos?", "días?"),
    quantities=("versión", "edición", "aproximadamente", "páginas?", "figuras?", "tabla"),
    definition_before=("(?:definid|descrit|explicad)[oa]s? (?:en|por)",),
)  # fmt: skip

_ITALIAN = latin_language(
    "it",
    common="il lo la gli le di che e un una è non si per con del della nel sono",
    book="Regole complete",
    chapter_prefixes=("capitolo", "parte", "sezione"),
    glossary=("glossario",),
    credits=("crediti", "riconoscimenti"),
    history=("(?:cronologia|registro|storico) delle (?:modifiche|revisioni|versioni)",),
    contents=("indice", "sommario"),
    excerpt=("estratto", "abbreviat[oa]"),
    appendix=("appendice", "allegato"),
    example=("esempio",),
    page=("pagina",),
    effective=("in vigore", "valid[oe] dal", "applicabil[ei]"),
    updated=("aggiorna(?:t[oie]|mento)", "revision[ei]"),
    other_editions=(
        "sostituisce", "precedente", "prossima", "fino al", "uscirà", "sarà pubblicat",
        "titolo originale", "basat[ao] su", "tradott[ao] da",
        r"(?:edizione|versione) (?:giapponese|inglese)",
    ),
    months=(
        "gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto",
        "settembre", "ottobre", "novembre", "dicembre",
    ),
    generic_titles=(
        r"\b(?:libro|manuale|guida)(?: (?:delle regole|di gioco|del giocatore))?\b",
        r"\b(?:complet|dettagliat|avanzat)[aeio]\b", r"\bedizione\b", r"\bcome si gioca\b",
        r"\bgioco di carte(?: collezionabil[ei])?\b",
        r"\breg(?:ol[ae]|olamento)(?:\s+(?:complete|ufficiali|generali|dettagliate|di torneo"
        r"|di gioco|del gioco))*\b",
        r"\bufficial[ei]\b", "introduzione", "prefazione", r"\b(?:ultimo )?aggiornamento\b",
    ),
    rule_words=("regola", "regole"),
    section_words=("sezione", "sezioni", "capitolo", "capitoli", "paragrafo"),
    ranges=("fino a", r"(?<=\s)al?(?=\s)"),
    conjunctions=("e", "o"),
    articles=("la", "il", "le"),
    quotes=("“”", "«»"),
    see_before=("ved[ia](?: anche)?", "si veda", "cfr\\."),
    cited_before=("secondo",),
    units=("carte", "carta", "giocator[ei]", "punti", "volte", "ore", "minuti", "giorni"),
    quantities=("circa", "pagine?", "figur[ae]", "tabella"),
    definition_before=("(?:definit|descritt|spiegat)[oaie] (?:in|nella|nel|da)",),
)  # fmt: skip

_PORTUGUESE = latin_language(
    "pt",
    common="o os as do da dos das que e em um uma é não se por com para ao são",
    book="Regras completas",
    chapter_prefixes=("capítulo", "parte", "seção"),
    glossary=("glossário",),
    credits=("créditos",),
    history=("histórico de (?:alterações|revisões|versões)", "registro de alterações"),
    contents=("índice", "sumário"),
    excerpt=("extrato", "abreviad[oa]"),
    appendix=("apêndice", "anexo"),
    example=("exemplo",),
    page=("página",),
    effective=("em vigor", "vigente", "aplicáve(?:l|is)", "válid[oa]s? desde"),
    updated=("atualiza(?:d[oa]s?|ção)", "revisad[oa]s?"),
    other_editions=(
        "substitui", "anterior", "próxima", "até", "sairá", "será lançad", "será publicad",
        "basead[ao] n", "traduzid[ao] d", r"(?:edição|versão) (?:japonesa|inglesa)",
    ),
    months=(
        "janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro",
        "outubro", "novembro", "dezembro",
    ),
    generic_titles=(
        r"\b(?:livro|manual|guia)(?: (?:de (?:regras|jogo)|do jogador))?\b",
        r"\b(?:complet|detalhad|avançad)[ao]s?\b", r"\bedição\b", r"\bcomo (?:se joga|jogar)\b",
        r"\bjogo de cartas(?: colecion(?:ável|áveis))?\b",
        r"\breg(?:ras?|ulamento)(?:\s+(?:completas|oficiais|gerais|detalhadas|de torneios?"
        r"|de jogo|do jogo))*\b",
        r"\boficia(?:l|is)\b", "introdução", "prefácio", r"\b(?:última )?atualização\b",
    ),
    rule_words=("regra", "regras"),
    section_words=("seção", "seções", "capítulo", "capítulos"),
    ranges=("até", r"(?<=\s)ao?(?=\s)"),
    conjunctions=("e", "ou"),
    articles=("a", "o", "as", "os"),
    quotes=("“”", "«»"),
    see_before=("veja(?: também)?", "consulte"),
    cited_before=("segundo", "conforme"),
    units=("cartas?", "jogador(?:es)?", "pontos?", "vezes", "horas?", "minutos?", "dias?"),
    quantities=("cerca de", "páginas?", "figuras?", "tabela"),
    definition_before=("(?:definid|descrit|explicad)[oa]s? (?:em|por|na|no)",),
)  # fmt: skip

_KOREAN = RulebookLanguage(
    code="ko",
    book="종합 규칙",
    letters="가-힣",
    letters_share=0.1,  # as for Chinese
    chapter_prefixes=("제",),
    chapter_suffixes=("장", "부", "편"),
    glossary=("용어\\s?(?:집|해설|사전|설명|정의|목록)?",),
    credits=("제작진", "크레딧", "색인", "찾아보기"),
    history=("(?:개정|변경|수정|업데이트)\\s?(?:이력|내역|기록)",),
    contents=("목\\s*차", "차례"),
    excerpt=("발췌", "초록"),
    appendix=("부록", "부칙"),
    example=("예시?", "예를 들어"),
    page=("페이지", "쪽"),
    effective=("시행", "적용", "발효"),
    updated=("갱신", "개정", "수정", "업데이트"),
    other_editions=(
        "이전", "다음", "폐지", "출시", "발매", "인쇄",
        r"(?:영문|영어|일본어|일어)\s?(?:판|버전|원문)",
    ),
    generic_titles=(
        "(?:종합|상세|공식|기본|대회|핵심)?\\s?(?:게임)?\\s?(?:규칙|룰)(?:서|집|북)?",
        "(?:트레이딩\\s?)?카드\\s?게임", "(?:플레이|게임|룰)?\\s?가이드(?:북)?", "공식",
        "개정일?", "(?:최종)?\\s?(?:업데이트|수정일?)", "머리말", "서문", "한국어판?",
    ),
    spaced=True,
    rule_words=("규칙", "룰"),
    cited_prefixes=("제",),
    cited_suffixes=("장(?!의 카드)", "절", "항(?!목)"),
    bare_suffixes=(),
    ranges=("부터",),
    range_ends=("까지",),
    conjunctions=("및", "또는", "와", "과", "그리고", "혹은"),
    quotes=("「」", "『』", "“”"),
    see_before=("참[고조]\\s?[:：]",),
    see_behind=("[을를]?\\s?참[고조]", "[을를]\\s?보"),
    cited_before=("【",),
    exception_behind=("[의을를]\\s?(?:예외|제외)",),
    cited_behind=("에\\s?(?:따라|따른|의해|의한|정의|명시|기술|서)", "의\\s?(?:절차|규칙|정의)"),
    units=(
        "장(?!의 규칙)", "개", "명", "점", "번", "회", "턴", "년", "월", "일", "시간", "분", "초",
        "원",
    ),
    quantities=(r"ver\.?", "v", "버전", "약", "총", "그림", "표"),
)  # fmt: skip

_BUILT_IN: tuple[RulebookLanguage, ...] = (
    _JAPANESE, _KOREAN, _CHINESE, _ENGLISH, _GERMAN, _FRENCH, _SPANISH, _ITALIAN, _PORTUGUESE,
)  # fmt: skip


def _check(name: str, language: RulebookLanguage) -> None:
    """Raise ValueError for the record of a plug-in that would break all patterns."""
    if language.code != name or any(language.code == known.code for known in _BUILT_IN):
        raise ValueError(f"{language.code!r} is built in, or the entry point, {name!r}, is no code")
    for field in fields(language):
        words = getattr(language, field.name)
        if isinstance(field.default, tuple) != isinstance(words, tuple):
            raise ValueError(f"{field.name}: {words!r} is no tuple of words")
        for word in words if isinstance(words, tuple) and field.name != "quotes" else ():
            try:
                groups = re.compile(word).groups
            except (re.error, TypeError) as error:
                raise ValueError(f"{field.name}: {word!r}: {error}") from error
            if groups:
                raise ValueError(f"{field.name}: {word!r} has a capturing group")


_ADDED: tuple[RulebookLanguage, ...] = tuple(
    language for _, language in plugins.loaded("rulebook_languages", RulebookLanguage, _check)
)
LANGUAGES = (*_BUILT_IN, *_ADDED)
# The most frequent words of further languages, and the scripts that one language is written in.
_FURTHER = {
    "nl": "de het een van en is dat niet je wordt met op voor zijn als kan deze",
    "pl": "i w na z do nie się jest to że lub gracz karty może jego",
    "sv": "och att det som en på är av för med till den inte ett om har",
    "da": "og at det som en på er af for med til den ikke et om har",
    "cs": "a je na se že v hráč karty nebo pro když své který",
    "hu": "a az és hogy nem egy van ha vagy lap játékos",
    "tr": "ve bir bu için ile da de kart oyuncu olarak veya ise",
    "fi": "ja on ei se että pelaaja kortin tai jos hän kun",
    "id": "dan yang di dari untuk dengan ini kartu pemain tidak adalah atau",
    "vi": "và của là một các cho được trong không người chơi bài khi",
}
_SCRIPTS = {"CYRILLIC": "ru", "THAI": "th", "GREEK": "el", "ARABIC": "ar", "HEBREW": "he"}
LANGUAGE_CODES = tuple(
    sorted({lang.code for lang in LANGUAGES} | _FURTHER.keys() | set(_SCRIPTS.values()))
)
_FEWEST_LETTERS = 40  # of a text whose language can be told; by hand: half a line has some words
# How many times fewer, or more, letters of a language there are than decide for it. By hand: in
# between, a book may be in two languages, or quote a second one.
_CLEARLY = 3
DEFAULT_LANGUAGE = "en"  # whose words a book in a language without a record is read by
UNDETERMINED = "und"  # the code of a language that can't be told (ISO 639-2)


def detect_language(text: str) -> str:
    """Return the code of the language that a text is written in; `und` if it can't be told, as
    of an empty text.

    Kana decide for Japanese, Hangul for Korean, Chinese characters without them for Chinese; else
    the script, if it is that of one language, or the most frequent words. Only letters count, as a
    table of contents may be all dots and numbers. The first chapters of a book are enough.

    >>> [detect_language(text) for text in ("カードを引く。", "参见规则9。", "See it.", "Xyzzy")]
    ['ja', 'zh', 'en', 'und']
    """
    size = len(_LETTER.findall(text))
    for language in LANGUAGES:
        if language.letters and size:
            count = len(re.findall(f"[{language.letters}]", text))
            if count >= language.letters_share * size:
                return language.code
    return _by_script(text) or _by_words(text) or UNDETERMINED


def _by_script(text: str) -> str | None:
    """Return the language of the script that most letters of a text are of; None if that has
    several languages, or none that is known, or there are no letters."""
    scripts = Counter[str]()
    for letter, count in Counter(_LETTER.findall(text)).items():
        scripts[unicodedata.name(letter, "").partition(" ")[0]] += count
    usual = scripts.most_common(1)
    return _SCRIPTS.get(usual[0][0]) if usual else None


def _by_words(text: str) -> str | None:
    """Return the language whose frequent words a text has most of, of several the first of
    `LANGUAGES`; None if it has none."""
    words = Counter(_WORD.findall(text.lower()))
    common = {lang.code: lang.common for lang in LANGUAGES} | _FURTHER
    found = {code: sum(words[word] for word in text.split()) for code, text in common.items()}
    best = max(found, key=lambda code: found[code])
    return best if found[best] else None


_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+")


def other_language(text: str, code: str) -> str | None:
    """Return the language that a text is clearly written in instead of the one that is stated; None
    if it may well be that, if the text is short, or if the stated language has no record.

    The text must lack the letters of the stated language, or be full of those of another: a book
    that only quotes another language is not told from one that is in two.

    code: the language that is stated.

    >>> english = "Each player draws a card at the beginning of the turn."
    >>> other_language(english, "ja"), other_language(english, "en")
    ('en', None)
    """
    letters = len(_LETTER.findall(text))
    stated = next((language for language in LANGUAGES if language.code == code), None)
    found = detect_language(text)
    if letters < _FEWEST_LETTERS or stated is None or found == code:
        return None
    if stated.letters and _share(text, stated, letters) * _CLEARLY < stated.letters_share:
        return found
    other = language_of(found)
    is_clear = other.letters and _share(text, other, letters) > _CLEARLY * other.letters_share
    return found if is_clear else None


def _share(text: str, language: RulebookLanguage, letters: int) -> float:
    """Return the share of a language's own letters among the letters of a text, which are at least
    one; the language has such letters."""
    return len(re.findall(f"[{language.letters}]", text)) / letters


def language_of(code: str) -> RulebookLanguage:
    """Return the record of a language by its code; that of `DEFAULT_LANGUAGE` if there is none.

    >>> language_of("zh").contents[0], language_of("tlh").code
    ('目\\\\s*录', 'en')
    """
    records = {language.code: language for language in LANGUAGES}
    return records.get(code, records[DEFAULT_LANGUAGE])


def in_digits(number: str) -> str:
    """Return a number in digits that may be written in the numerals of a language: below a hundred,
    or digit by digit.

    A number with any other sign in it is returned as it is.

    >>> in_digits("十二"), in_digits("一〇"), in_digits("二〇二五"), in_digits("x")
    ('12', '10', '2025', 'x')
    """
    for language in LANGUAGES:
        if language.numerals and number and set(number) <= set(language.numerals):
            digits, ten = language.numerals[:10], language.numerals[10]
            tens, has_ten, ones = number.partition(ten)
            if has_ten and len(tens) < 2 and len(ones) < 2 and ten not in ones:
                return str(digits.index(tens or digits[1]) * 10 + digits.index(ones or digits[0]))
            return "".join(str(language.numerals.index(digit)) for digit in number)
    return number


def alternatives(words: Callable[[RulebookLanguage], Iterable[str]]) -> str:
    """Return the words of all languages as the alternatives of a regular expression, longest first.

    The result is a group that captures nothing; it matches nowhere if no language has such words.

    words: takes the words from a language's record.

    >>> import re
    >>> pattern = re.compile(alternatives(lambda language: language.rule_words), re.IGNORECASE)
    >>> [pattern.fullmatch(word) is not None for word in ("ルール", "Rules", "规则", "rulers")]
    [True, True, True, False]
    >>> re.match(alternatives(lambda language: language.chapter_suffixes), "部分")[0]
    '部分'
    """
    found = {word for language in LANGUAGES for word in words(language)}
    return f"(?:{'|'.join(sorted(found, key=lambda word: (-len(word), word))) or '(?!)'})"


@cache
def _example() -> re.Pattern[str]:
    """Return the pattern of the word that begins an example, in brackets, with a colon or as a
    sentence of its own."""
    word = alternatives(lambda lang: lang.example) + r"s?\s*[A-Z\d]{0,2}\s*"
    alone = rf"(?-i:(?=[A-Z])){alternatives(lambda lang: lang.example)}\.(?=\s)"
    return re.compile(
        rf"{word}(?:[:：]|$)|{alone}|[(（【\[<＜〔]\s*{word}[)）】\]>＞〕:：]", re.IGNORECASE
    )


def begins_example(text: str) -> bool:
    """Whether a text begins as an example of a rule does, in any language.

    >>> [begins_example(text) for text in ("例：カードを引く。", "Example A: Draw.", "例外")]
    [True, True, False]
    >>> [begins_example(text) for text in ("Exemple. Anna pioche.", "example. A player", "例")]
    [True, False, True]
    """
    return _example().match(text) is not None
