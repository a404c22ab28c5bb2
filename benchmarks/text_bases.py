"""Knowledge bases whose pages and rulebooks repeat a text, and the questions to ask of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from urllib.parse import quote

from kb import KnowledgeBase

Asked = Callable[[KnowledgeBase, str], object]  # by a base and a text that a person types

TIMES = 18  # how often the text stands in a base
_PAGE = (
    '<html><head><link rel="canonical" href="http://mtgwiki.com/wiki/{at}"/></head><body>'
    '<h1 id="firstHeading">{name}</h1><div id="bodyContent">{body}</div></body></html>'
)
_CARD = (
    '<html><body><div class="wg-whisper-card-title"><h1 class="wg-title">{name}</h1></div>'
    '<div class="wg-whisper-card-detail"><table><tr><th>テキスト</th><td>{body}</td></tr></table>'
    "</div></body></html>"
)
_JAPANESE = """マジック 総合ルール
1. ゲーム
1.1. 引く。
1.2. {line}{more}
1.3. 捨てる。
{text}
8. 終わり
8.1. rule 1.2〔ゲーム〕参照。
用語集
引く/Draw
　{line}{more}
"""
_ENGLISH = """Comprehensive Rules
1. Game
1.1. Draw.
1.2. {line}{more}
1.3. Discard.
{text}
8. End
8.1. See rule 1.2.
Glossary
Draw
{line}
"""
_RULEBOOKS = (  # edition, language, text, what the edition adds
    ("20230101", "ja", _JAPANESE, ""),
    ("20240101", "ja", _JAPANESE, "引く。"),
    ("20240101", "en", _ENGLISH, " Draw."),
)


def write_sources(folder: Path, text: str) -> None:
    """Write pages, a card, and rulebooks of two editions and two languages into a folder, with a
    text in their paragraphs, markup, headings, names, links, rules, and glossary."""
    line = " ".join(text.split())
    shown = escape(line)
    pages = {
        "text": ("引く", f"<h2>概要</h2><p>{shown}</p><ul><li>{shown}</li></ul>"),
        "markup": ("捨てる", text),
        "heading": ("除く", f"<h2>{shown}</h2><p>引く。</p>"),
        "name": (shown, f"<h2>概要</h2><p>引く。{shown}</p>"),
        "link": ("裏", f'<p><a href="/wiki/{quote(line)}">{shown}</a>は引く。</p>'),
    }
    for at, (name, body) in pages.items():
        page = _PAGE.format(at=at, name=name, body=body)
        (folder / f"{at}.html").write_text(page, "utf-8", "replace")
    (folder / "card.html").write_text(_CARD.format(name="表", body=shown), "utf-8", "replace")
    entries = []
    for edition, lang, book, more in _RULEBOOKS:
        name = f"rulebook.{edition}.{lang}.txt"
        written = book.format(line=line, text=text, more=more)
        (folder / name).write_text(written, "utf-8", "replace")
        entry = {"file": name, "site": "rulebook", "game": "mtg", "lang": lang, "edition": edition}
        entries.append(json.dumps(entry) + "\n")
    (folder / "manifest.jsonl").write_text("".join(entries), "utf-8")


# Asked of a base that was built from the text; typed is the text's beginning.
ABOUT_TEXT: Mapping[str, Asked] = {
    "show term": lambda base, _: base.show("引く"),
    "show rule": lambda base, _: base.show("1.2", tree=True),
    "show page": lambda base, _: base.show("mtgwiki/引く", tree=True),
    "search": lambda base, _: base.search("引く"),
    "search beginning": lambda base, typed: base.search(typed),
    "search any": lambda base, typed: base.search(typed, any_word=True),
    "search mentions": lambda base, _: base.search(mentions=["引く"]),
    "kwic": lambda base, _: base.kwic("引く"),
    "kwic beginning": lambda base, typed: base.kwic(typed, merge_editions=True),
    "kwic mentions": lambda base, _: base.kwic(mentions=["引く"], order="left"),
    "ask": lambda base, _: base.ask("引くとは？"),
    "ask beginning": lambda base, typed: base.ask(typed),
    "compare": lambda base, _: base.compare("引く"),
    "terms": lambda base, _: base.terms(),
    "refs": lambda base, _: base.refs("引く"),
    "refs of rule": lambda base, _: base.refs("1.2", depth=3, with_parts=True),
    "path": lambda base, _: base.path("1.2", "引く"),
    "steps": lambda base, _: base.steps("引く"),
    "outcomes": lambda base, _: base.outcomes("引く"),
    "diff": lambda base, _: base.diff("20230101", "20240101", lang="ja"),
    "diff words": lambda base, _: base.diff("20230101", "20240101", lang="ja", words="引く"),
    "trace": lambda base, _: base.trace("1.2", lang="ja"),
    "align": lambda base, _: base.align("ja", "en"),
    "top": lambda base, _: base.top("mentioned"),
    "audit": lambda base, _: base.audit(),
    "nodes": lambda base, _: [node.as_json() for node in base.nodes()],
}
# Asked of the sample; typed is the whole text.
TYPED: Mapping[str, Asked] = {
    "show": lambda base, typed: base.show(typed),
    "search": lambda base, typed: base.search(typed[:2_000]),
    "search any": lambda base, typed: base.search(typed[:2_000], any_word=True),
    "search section": lambda base, typed: base.search("引く", section=typed),
    "search mentions": lambda base, typed: base.search("引く", mentions=[typed]),
    "kwic": lambda base, typed: base.kwic(typed[:2_000]),
    "ask": lambda base, typed: base.ask(typed[:900]),
    "compare": lambda base, typed: base.compare(typed),
    "terms": lambda base, typed: base.terms(game=typed),
    "refs": lambda base, typed: base.refs(typed),
    "path": lambda base, typed: base.path(typed, "121.1"),
    "steps": lambda base, typed: base.steps(typed),
    "outcomes": lambda base, typed: base.outcomes(typed),
    "diff edition": lambda base, typed: base.diff(typed, "20240730"),
    "diff rule": lambda base, typed: base.diff("20231117", "20240730", rule=typed),
    "diff words": lambda base, typed: base.diff("20231117", "20240730", words=typed[:2_000]),
    "trace": lambda base, typed: base.trace(typed),
    "align": lambda base, typed: base.align("ja", "en", rule=typed),
}
