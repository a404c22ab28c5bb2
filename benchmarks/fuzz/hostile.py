"""Pieces of text that parsers have broken on, in all kinds of programs."""

from __future__ import annotations

from random import Random

_MARKUP = (
    "<p>", "</p>", "<ul><li>", "</li></ul>", "<table><tr><td>", "</td></tr></table>", "<dl><dt>",
    "<dd>", "</dl>", "<h2>", "</h2>", "<h1>", "<h1></h1>", "<pre>", "</pre>", "<b>", "<div>",
    "</div>", "<td colspan=99999999999>", "<td rowspan=-1>", "<ol start=99999999999999999999>",
    "<li value=-1>", "<ruby>引<rt>ひ</rt></ruby>", "<ruby><rb>引<rb>手<rt>ひ<rt>て", "<rt>",
    "<rp>(",
    "<!--", "-->", "<![CDATA[", "]]>", "<?php", "<?xml version='1.0' encoding='utf-16'?>",
    "<!DOCTYPE html>", "<!DOCTYPE x [<!ENTITY a 'b'>]>", "<script>", "</script>", "<style>",
    "<title>", "</title>", "<html>", "</html>", "<body>", "</body>", "<head>", "<base href='//['>",
    "<link rel=canonical href='http://[x'>", "<link rel='canonical' href=''>",
    "<meta charset=utf-7>", "<meta charset='x'>", "<meta charset=euc-jp>",
    "<meta http-equiv=content-type content='text/html; charset=utf-16'>",
    "<meta http-equiv=refresh content='0;url=?'>", "<a href='http://[x'>a</a>", "<a href=''>",
    "<a href='?%FF%FE'>甲</a>", "<a href='javascript:x'>", "<a name=x>", "<a href='#'>", "</a>",
    "<svg><title>", "<math><mi>", "<template>", "<textarea>", "<noscript>", "<plaintext>",
    "<frameset>", "<select><option>", "<br>", "<hr>", "<img alt='甲'>", "<input value='x'>", "<",
    ">", "</", "<a", "<a b='", "&", "&amp", "&amp;", "&#0;", "&#xD800;", "&#x110000;",
    "&#99999999999;", "&#x202E;", "&nbsp;", "&lt;p&gt;", "&nosuch;", "&#27;", "&#13;",
    '<div id="body">', '<div id="bodyContent">', '<h1 id="firstHeading">', '<div id="note">',
    '<div class="mw-parser-output">', '<div id="contentSub">', '<h1 class="title">',
    '<span class="noexists">', '<a class="note_super" href="#n">*1</a>', '<div class="jumpmenu">',
    '<div class="redirectMsg">', '<ul class="redirectText"><li><a href="?X">X</a>',
    '<div class="wg-whisper-card-detail">', "総合ルールビューア", '<div id="catlinks">',
)  # fmt: skip
_WIKI = (
    "[[", "]]", "[[引く]]", "[[引く|", "[[:Category:x]]", "[[Category:甲]]", "[[File:x|thumb|[[a]]",
    "[[引く>", "[[引く#a]]", "[[甲:乙]]", "[[http://[ x]]", "{{", "}}", "{{引く}}", "{{{1|", "}}}",
    "{{#if:|", "{{x|a=b|c}}", "{|", "|}", "|-", "!", "|+", "||", "'''", "''", "'''''", "==", "== ",
    " ==", "======", "=======", "----", "~~~~", "__TOC__", "<nowiki>", "</nowiki>", "<ref>",
    "</ref>", "<ref name=x/>", "<references/>", "<includeonly>", "<noinclude>", "<onlyinclude>",
    "#REDIRECT [[引く]]", "#転送 [[X]]", "#redirect [[", "#REDIRECT [[#]]", "#", "##", "*", "**:;#",
    ";a:b", ":", "*[#a]", "*#a*", "-", "---", "----", "+", "+++", ">", ">>>", "<<", "#contents",
    "#include(引く)", "#ref(x)", "#table_edit", "&ruby(ひ){引};", "&ruby(", "&color(red){", "};",
    "&br;", "&aname(x){y};", "((", "))", "((((a))))", "%%", "%%%", "''x'''", "//", "|a|b|h",
    "|>|a|",
    "|~|b|", ",a,b", "LEFT:", "RIGHT:", "~", "#norelated", "#freeze", "TITLE:", "*引く [#a]",
    "-{zh-hans:a;zh-hant:b}-", "-{", "《", "》", "【", "】", "「", "」", "『", "』",
)  # fmt: skip
_RULES = (
    "1.", "1.1", "1.1.", "100.1a", "１２１．４．", "121.4", "(1)", "①", "㊀", "Ⅳ.", "a.", "i.",
    "第1章",
    "第一条", "1-1-1", "1.1.1.1.1.1.1.1.1", "0.", "00.0", "999999999999.1", "1..1", "1.a", "1.-1",
    "¹.²", "٣.٤", "๑.๒", "௧", "𝟏.𝟐", "一.二", "壱", "零", "1．", "1。", "1,1", "1 .1", "§1",
    "CR 121",
    "Rule 121.4", "総合ルール121.4", "ルール 121", "rules 1-9", "rule 1.1 and 2.2", "702.1a-z",
    "Glossary", "用語集", "Credits", "Contents", "目次", "These rules are effective as of",
    "January 99, 20231", "2023年11月17日", "2023年13月45日", "0000-00-00", "9999999-1-1",
    "20231117",
    "Example:", "例：", "Q.", "A.", "Q：", "A：", "Ｑ＆Ａ", "See rule", "を参照", "同上", "上記",
    "引く/Draw", "引く（ひく）", "引く(Draw)", "X（X）", "／", "/", "もし", "場合、", "ならば",
    "if ",
    "instead", "unless ", "手札", "カード", "引く", "山札", "デッキ", "ドロー", "ライブラリー",
    "提供:MTG Wiki", "出典:", "最終更新", "- 1 ", "広告", "♥", "©",
)  # fmt: skip
_SIGNS = (
    "\0", "\x01", "\x07", "\b", "\x0b", "\x0c", "\x1b[2J", "\x1b]0;x\x07", "\x1b]8;;http://x\x1b\\",
    "\x1c", "\x1d", "\x1e", "\x1f", "\x7f", "\x80", "\x85", "\x9b31m", "\xa0", "\xad", "\u061c",
    "\u180e", "\u200b", "\u200d", "\u200e", "\u2028", "\u2029", "\u202a", "\u202e", "\u2060",
    "\u2066", "\u2069", "\u3000", "\ufeff", "\ufffd", "\ufffe", "\uffff", "\U000e0041",
    "\U0010ffff",
    "\ud800", "\udfff", "\udc80", "a\u0301\u0301\u0301", "\u3099", "か\u3099", "ｶﾞ", "ﾞ", "㍿",
    "ﷺ",
    "ß", "ﬃ", "İ", "ı", "ſ", "K", "Å", "①", "½", "㋿", "〜", "～", "−", "－", "\r", "\n", "\r\n",
    "\n\n", "\t", " ", "¶", "#", "§", "|", "\\", "/", "%", "%s", "{0}", "$1", "'", '"', "`", ";",
    "--",
    "..", "../../x", ":", "?", "*", "NaN", "null", "true", "-0", "1e999", "[]", "{}", "\u0130" * 9,
    "👨‍👩‍👧‍👦", "𠮷", "葛󠄀",
)  # fmt: skip
_BYTES = (
    b"\x00", b"\xff", b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc0\xaf",
    b"\xf4\x90\x80\x80", b"\x80", b"\x8f", b"\x8e", b"\xa1", b"\xa1\xa1", b"\x1b$B", b"\x1b(B",
    b"\x1b$B0z\x1b(B", b"\x0e\x0f", b"\x82\xa0", b"\x81", b"\xfc\xfc", b"+AGE-", b"%PDF-",
    b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\x00", b"WARC/1.0\r\n", b"<mediawiki>",
    b"\x00\x00\xfe\xff", b"%PDF-1.4\n%%EOF",
)  # fmt: skip
_TEXTS = (_MARKUP, _WIKI, _RULES, _SIGNS)
_REPEATABLE = ("<b>", "<div>", "<ul><li>", "[[", "{{", "(", "（", "「", "《", "1.", "9", "９", "あ",
               "ア", "a", "カード", "引く。", "X（X）", "''", "=", "-", "+", ">", "|", "|a", "#",
               "*", "&",
               "<", "<!--", "\n", "\n1.1 ", "　", " ", "\t", "\u0301", "/", "%", "。", "、", "もし",
               "場合", "if ", "rule 1.1 ", "<table><tr><td>", "<ruby>a<rt>", "&amp;", "\0",
               "\ufffd")  # fmt: skip


def piece(random: Random) -> bytes:
    """Return a hostile piece of text or bytes, now and then a long run of one."""
    choice = random.random()
    if choice < 0.06:
        return run(random)
    if choice < 0.14:
        return random.choice(_BYTES)
    return text(random).encode("utf-8", "surrogatepass")


def text(random: Random) -> str:
    """Return a short hostile piece of text; it may hold lone surrogates."""
    return random.choice(random.choice(_TEXTS))


def run(random: Random) -> bytes:
    """Return one piece again and again, up to some thousands of characters."""
    unit = random.choice(_REPEATABLE)
    longest = random.choice((20, 100, 300, 1000, 6000))
    return (unit * (longest // len(unit) + 1)).encode()
