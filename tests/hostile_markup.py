"""Sources in which every text tries to control the browser that it is shown in.

    python -m tests.hostile_markup FOLDER

writes them and builds FOLDER/hostile.db, to be looked at with `sansho serve`.
"""

from __future__ import annotations

import json
import sys
from html import escape
from pathlib import Path
from urllib.parse import quote

import kb

# What browsers and templates obey where it is not escaped: as text, as the value of an attribute,
# as an address, in a script. Each script says that it ran.
PAYLOADS = (
    "<script>ran=1</script>", "</title><script>ran=2</script>", "</script><script>ran=3</script>",
    "</textarea></option></style><img src=x onerror=ran=4>", "<svg onload=ran=5>",
    "<svg><title><a href='javascript:ran=6'>x</a></title></svg>", "<b onclick=ran=7>",
    '" autofocus onfocus="ran=8', "' autofocus onfocus='ran=9", "` autofocus onfocus=ran=10 `",
    '"><svg onload=ran=11>', "javascript:ran=12", "JaVaScRiPt\t:ran=13",
    "data:text/html,<script>ran=14</script>", '<a href="javascript:ran=15">x</a>',
    "<style>*{display:none!important}</style>", "}*{display:none}", "//evil.example/x",
    "<link rel=stylesheet href=//evil.example/x.css>", "<base href=//evil.example/>",
    "<meta http-equiv=refresh content=0;url=//evil.example>", "<object data=//evil.example>",
    "<iframe srcdoc='<script>parent.ran=16</script>'>", "<form action=//evil.example><button>x",
    "<!--", "-->", "]]>", "<![CDATA[", "<?xml version='1.0'?>", "<", ">", "&", '"', "'",
    "<b><i></b>", "&lt;script&gt;ran=17&lt;/script&gt;", "&#x3c;script>ran=18</script>",
    "\\x3cscript>ran=19", "{{7919*7907}}", "{%include 'x'%}", "{#", "${7919*7907}", "#{7919*7907}",
    "%(q)s", "%s", "{0}",
    "\r\nSet-Cookie: ran=20\r\n\r\n<script>ran=21</script>", "../../../etc/passwd", "..", "/../",
    "%2e%2e%2f", "%00", "%0d%0aran: 1", "?format=json", "#part", "\\", "\0", "\x01", "\x7f", "\x9f",
    "\u202e", "\u2066", "\u2067", "\u200f", "\u2028", "\ufeff", "\ufffe", "w" * 300, "長" * 300,
)  # fmt: skip
PRODUCT = str(7919 * 7907)  # what a template engine would make of some of them

_JAPANESE = "プレイヤーは{}カードを1枚引く。もし手札がないなら、そのプレイヤーは負ける。"
_ENGLISH = "A player draws {} a card; see rule 100.1. If a player can’t, that player loses."
_TITLES = {
    "en": "Magic: The Gathering Comprehensive Rules\n\nThese rules are effective as of {}.\n\n",
    "ja": "マジック：ザ・ギャザリング 総合ルール\n\nこのルールは{}に発効する。\n\n",
}
_DATES = {
    ("en", 2023): "November 17, 2023", ("en", 2024): "November 8, 2024",
    ("ja", 2023): "2023年11月17日", ("ja", 2024): "2024年11月8日",
}  # fmt: skip


def write_sources(folder: Path) -> list[Path]:
    """Write sources of several kinds into a folder, and return their paths.

    Each payload is in a title, a heading, a link and its address, a term's name and definition, a
    step, an outcome, a rule of two editions in two languages, a rule's heading, a headword, a
    gloss, a name of a list and the name of a file, wherever these may have it.
    """
    return [
        _pages(folder),
        *(_rulebook(folder, lang, year) for lang, year in _DATES),
        _names(folder),
    ]


def _pages(folder: Path) -> Path:
    pages = folder / "pages"
    pages.mkdir()
    manifest = []
    for number, payload in enumerate(PAYLOADS):
        name = f"引く{payload}"
        shown, address = escape(name), escape(quote(name))
        file = pages / f"{number}{payload.translate({0: None, ord('/'): None})[:60]}.html"
        file.write_text(
            f'<html><head><title>{shown}</title></head><body><h1 id="firstHeading">{shown}</h1>'
            f'<div id="bodyContent"><p><b>{shown}</b>（{escape("Draw" + payload)}）とは、'
            f"{escape(_JAPANESE.format(payload))}</p><h2>{escape('ルール' + payload)}</h2>"
            f'<p>{escape(payload)}<a href="/wiki/{address}" title="{shown}">{shown}</a>と'
            f'<a href="{escape(payload)}">{escape(payload)}</a>を見よ(CR:100.{number + 1})。</p>'
            f"<ol><li>{escape(_JAPANESE.format(payload))}<li>{escape(payload)}手札を捨てる。</ol>"
            f"{payload}<p>{payload}</p></div></body></html>",
            "utf-8",
        )
        manifest.append(
            {
                "file": file.name,
                "url": f"http://mtgwiki.com/wiki/{quote(name)}",
                "notice": payload,
            }
        )
    (pages / "manifest.jsonl").write_text("".join(f"{json.dumps(m)}\n" for m in manifest), "utf-8")
    return pages


def _rulebook(folder: Path, lang: str, year: int) -> Path:
    """Write an edition in which rule 100.N has the Nth payload, and another beside it in 2024."""
    text = _ENGLISH if lang == "en" else _JAPANESE
    rules, glossary = [], []
    for number, payload in enumerate(map(one_line, PAYLOADS)):
        other = one_line(PAYLOADS[number - 1]) if year == 2024 else ""
        rules.append(f"100.{number + 1} {text.format(payload + other)}")
        glossary.append(f"Draw {payload}\n{_ENGLISH.format(payload)}")
    chapters = "\n\n".join(
        f"{101 + number}. {payload}\n\n{101 + number}.1 {text.format(payload)}"
        for number, payload in enumerate(map(one_line, PAYLOADS[:40]))
    )
    path = folder / f"book-{lang}-{year}.txt"
    path.write_text(
        f"{_TITLES[lang].format(_DATES[lang, year])}1. Concepts{one_line(PAYLOADS[0])}\n\n"
        f"100. General{one_line(PAYLOADS[1])}\n\n{_paragraphs(rules)}\n\n{chapters}\n\n"
        f"{'Glossary' if lang == 'en' else '用語集'}\n\n{_paragraphs(glossary)}\n",
        "utf-8",
    )
    return path


def _names(folder: Path) -> Path:
    rows = [f"Forest{one_line(p)}\t森{one_line(p)}" for p in PAYLOADS]
    path = folder / "names.tsv"
    path.write_text("English\tJapanese\n" + "\n".join(rows) + "\n", "utf-8")
    return path


def _paragraphs(texts: list[str]) -> str:
    return "\n\n".join(texts)


def one_line(payload: str) -> str:
    """Return a payload as a line of a plain text may have it: a file with a null is none."""
    return " ".join(payload.translate({0: None, 1: None}).split())


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(exist_ok=True)
    print(kb.build(write_sources(target), target / "hostile.db"))
