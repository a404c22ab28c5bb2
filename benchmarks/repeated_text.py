"""Kinds of text that repeat one thing without end: what makes a parser or a question slow.

Each kind is made at any size. `text(kind, size, run)` gives a text that no run before had, so that
no cache answers for the work.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

Numbered = Callable[[int], str]  # a unit by its number

_SAME: dict[str, str] = {
    "kanji": "漢", "kana": "かな", "katakana": "カード", "latin word": "draw",
    "kanji and kana": "引く", "sentence": "カードを引く。", "english sentence": "Draw a card. ",
    "name and reading": "引く(ひく)", "X（X）": "X（X）", "引（引）": "引（引）",
    "name, ruby and space": "引く （ひく） ", "『X』(X)": "『引』(ひ)",
    "《X/X》": "《引く/Draw》", "names with slash": "引/Draw/", "japanese/english": "引く/Draw、",
    "「": "「", "『": "『", "《": "《", "〔": "〔", "【": "【", "（": "（", "(": "(", "[": "[",
    "[[": "[[", "{": "{", "{{": "{{", "{|": "{|\n", "<": "<", "<ruby>": "<ruby>", "<rt>": "<rt>",
    "「」": "「」", "「引く」": "「引く」", "」": "」", "）": "）", "()": "()", "(()": "(()",
    "[[a|": "[[a|", "[[a]]": "[[a]]", "[[a>b]]": "[[a>b]]", "{{a|": "{{a|", "{{a}}": "{{a}}",
    "[http://a": "[http://a ", "url": "http://a.example/", "url path": "http://a.example/a",
    "www.": "www.a.", "mail": "a@", "((": "((", "((x": "((x", "((x))": "((x))", "~": "~",
    "~ lines": "~\n", "&amp;": "&amp;", "&": "&", "&#x3042;": "&#x3042;", "&size(1){": "&size(1){",
    "&ruby(a){b};": "&ruby(a){b};", "#region": "#region(\n", "<b>": "<b>", "</b>": "</b>",
    "<p>": "<p>", "<li>": "<li>", "<ul><li>": "<ul><li>", "<!--": "<!--", "<td>": "<td>",
    "<table>": "<table><tr><td>", "<br>": "<br>", "<a>x</a>": '<a href="/wiki/引く">引く</a>',
    "<a>": '<a href="/wiki/引く">', "<h2>": "<h2>", "<ref>": "<ref>", "<nowiki>": "<nowiki>",
    "<pre>": "<pre>", "stars": "*", "star lines": "*\n", "* items": "* 引く\n",
    "- items": "- 引く\n", "+ items": "+ 引く\n", ": items": ":引く|カード\n", "; items": ";引く\n",
    "> quotes": ">引く\n", "= heading": "= 引く =\n", "== heading": "== 引く ==\n", "=": "=",
    "# heading": "# 引く\n", "PukiWiki heading": "* 引く [#a]\n", "'": "'", "''": "''",
    "'''": "'''", "dash -": "-", "dash —": "—", "dash lines": "----\n", "minus −": "−",
    "middle dot": "・", "・words": "・引", "dots": "…", "ellipsis ...": "...", "colon": ":",
    "：": "：", "Ｑ：Ａ：": "Ｑ：Ａ：", "Q: lines": "Q: 引くか？\nA: 引く。\n", "。": "。",
    "、": "、",
    ".": ".", ",": ",", "?": "？", "!": "！", "quotation": '"', "“": "“", "“x”": "“x” ",
    "spaces": " ", "full-width spaces": "　", "NBSP": "\xa0", "newlines": "\n",
    "blank lines": " \n", "tabs": "\t", "form feeds": "\f", "carriage returns": "\r",
    "letters apart": "a ", "kanji apart": "引 ", "digits": "1", "full-width digits": "１",
    "1.": "1.", "1.1 ": "1.1 ", "1-": "1-", "1, ": "1, ", "1.1 lines": "1.1 引く\n",
    "1.1. lines": "1.1. Draw.\n", "rule 1.1, ": "rule 1.1, ", "rules 1.1, and ": "rules 1.1 and ",
    "CR:1.1 ": "CR:1.1 ", "第1章": "第1章", "1章": "1章 ", "ranges": "1.1-1.2、", "1a-": "1a-",
    "see rule": "See rule 1.1, “Draw.” ", "参照": "rule 1〔引く〕参照。", "rule": "rule ",
    "if ": "if ", "if, then": "If you draw, you lose. ", "unless": "unless ", "もし": "もし",
    "場合": "場合、", "たら": "引いたら", "ならば": "引くならば、", "ただし": "ただし",
    "とき": "とき",
    "できない": "ことはできない", "する。場合": "引く場合、引かない。ただし", "you may": "you may ",
    "and": "and ", "、と": "引くと、", "の": "の", "である": "とは、", "という": "という",
    "を": "カードを",
    "Aとは": "引くとは引くことである。", "adjectives": "大きい", "ADJ chain": "美しく",
    "suru": "召喚する",
    "two words": "引く 捨てる ", "two words together": "引く捨てる", "romaji": "kya",
    "long romaji": "tsu", "prolonged": "ー", "カー": "カー", "small tsu": "っ", "iteration": "々",
    "combining": "か\u3099", "combining marks": "\u0301", "halfwidth dakuten": "ｶﾞ",
    "dakuten alone": "ﾞ", "variation selectors": "葛\U000e0100", "selectors": "\ufe0f",
    "emoji": "🎴", "family emoji": "👩\u200d", "flags": "🇯", "zero width": "\u200b",
    "right to left": "\u202e", "arabic": "ا", "ligature": "㍿", "ﷺ": "ﷺ", "roman numerals": "Ⅳ",
    "circled": "①", "NUL": "\0", "surplus": "\ufffd", "hangul": "각", "jamo": "ᄀ",
    "table |": "|", "|a": "|引く", "|a| lines": "|引く|カード|\n", "|- lines": "|-\n|引く\n",
    "csv": "引く,Draw\n", "csv cells": "引く,", 'csv "': '"', '""': '"",', "tsv": "引く\tDraw\n",
    "json": '{"ja":"引く"},', "json [": "[", "json {": '{"a":', "%E3": "%E3%81%82", "%": "%",
    "hex": "A4", "\\": "\\", "/": "/", "//": "//\n", "#": "#", "_": "_", "@": "@", "†": "†",
    "† lines": "引く †\n", "[編集]": "[編集] 引く\n", "redirect": "#REDIRECT [[引く]]\n",
    "提供:": "提供:\n", "card box": "マナコスト：(1)\nタイプ：引く\n", "mana": "{1}", "(1)": "(1)",
    "Example:": "例：引く。\n", "short lines": "引く\n", "english lines": "Draw\n",
    "glossary": "Draw\nTo take a card.\n\n", "用語": "引く/Draw\nカードを取る。\n\n",
    "Glossary": "Glossary\n", "contents": "1. Game . . . . 1\n", "TOC dots": ". ",
    "page": "Page 1\n",
    "pages": "1\n\f", "bullets": "• 引く\n", "(a) lines": "(a) 引く\n", "a. lines": "a. Draw.\n",
}  # fmt: skip
_NUMBERED: dict[str, Numbered] = {
    "other words": lambda n: f"語{n} ",
    "other names": lambda n: f"「語{n}」",
    "other readings": lambda n: f"語{n}（ご{n}）",
    "other headings": lambda n: f"== 語{n} ==\n",
    "other PukiWiki headings": lambda n: f"*語{n} [#a{n}]\n",
    "other HTML headings": lambda n: f"<h2>語{n}</h2><p>引く。</p>",
    "other links": lambda n: f'<a href="/wiki/{n}">語{n}</a>',
    "other wiki links": lambda n: f"[[語{n}]]",
    "other footnotes": lambda n: f"((注{n}))",
    "other items": lambda n: f"-語{n}\n",
    "deeper items": lambda n: f"{'-' * (n % 3 + 1)}語{n}\n",
    "other rules": lambda n: f"{n // 99 + 1}.{n % 99 + 1}. 引く。\n",
    "other rules cited": lambda n: f"rule {n // 99 + 1}.{n % 99 + 1}, ",
    "other chapters": lambda n: f"{n}. 章\n",
    "subrules": lambda n: f"1.1{chr(97 + n % 26)} 引く{n}。\n",
    "deeper numbers": lambda n: f"{n}.",
    "other terms": lambda n: f"語{n}/Word{n}\n　引くこと。\n",
    "other english terms": lambda n: f"Word{n}\nTo draw.\n\n",
    "other rows": lambda n: f"語{n},Word{n}\n",
    "other columns": lambda n: f"{n},",
    "other sentences": lambda n: f"語{n}を引く。",
    "other conditions": lambda n: f"語{n}を引く場合、{n}枚捨てる。",
    "other questions": lambda n: f"Q: 語{n}は？\nA: 引く。\n",
    "other lines": lambda n: f"語{n}\n",
    "other paragraphs": lambda n: f"語{n}を引く。\n\n",
    "other letters": lambda n: chr(0x4E00 + n % 20000),
    "other brackets": lambda n: "「『《（([【〔<"[n % 9],
    "nested items": lambda n: "-" * (n % 200 + 1) + "\n",
    "templates nested": lambda n: "{{a|b=",
    "redirects": lambda n: f"#REDIRECT [[語{n}]]\n",
    "hex names": lambda n: f"{n:X}A4",
}

# The same between two letters: what is trimmed of ends stays inside.
_ENCLOSED: dict[str, str] = {
    "spaces inside": " ", "full-width spaces inside": "　", "tabs inside": "\t",
    "NBSP inside": "\xa0", "letters apart inside": "a ",
    "digits inside": "1", "stops inside": "、", "dashes inside": "-",
    "middle dots inside": "・", "slashes inside": "/", "brackets inside": "（",
    "open quotes inside": "「",
    "numbers inside": "1.", "dots inside": ".", "lines inside": "\n", "spaced lines inside": " \n",
}  # fmt: skip

# The kinds that differ most from each other, those among them that once took the square.
MOST_DIFFERENT = (
    "kanji", "katakana", "kanji and kana", "sentence", "english sentence", "X（X）", "引（引）",
    "《X/X》", "names with slash", "「", "(()", "[[a|", "{{a|", "((x", "url", "&ruby(a){b};",
    "<b>", "<ul><li>", "<table>", "<a>x</a>", "<ref>", "''", "Q: lines", "spaces", "letters apart",
    "1.1 ", "1.1 lines", "ranges", "see rule", "場合", "する。場合", "ただし", "Aとは",
    "combining marks", "right to left", "card box", "other headings", "other rules",
    "other terms", "other links", "full-width spaces inside", "spaces inside",
)  # fmt: skip


def kinds() -> tuple[str, ...]:
    """Return the names of all kinds."""
    return (*_SAME, *_ENCLOSED, *_NUMBERED)


def text(kind: str, size: int, run: int = 0) -> str:
    """Return a text of a kind, of about so many characters; another one in every run.

    >>> text("kanji", 3), text("dots inside", 3), text("other words", 8)
    ('漢漢漢', '引...く', '語0 語1 ')
    """
    if kind in _SAME:
        unit = _SAME[kind]
        return unit * (max(1, size // len(unit)) + run)
    if kind in _ENCLOSED:
        unit = _ENCLOSED[kind]
        return f"引{unit * (max(1, size // len(unit)) + run)}く"
    unit_of = _NUMBERED[kind]
    parts: list[str] = []
    length = 0
    for n in count(run):
        part = unit_of(n)
        length += len(part)
        if parts and length > size:
            return "".join(parts)
        parts.append(part)
    raise AssertionError
