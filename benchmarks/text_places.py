"""The places of a document in which a repeated text may stand: each form of page, each slot."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from urllib.parse import quote

from scraper import Hints, Snapshot

Place = Callable[[str], Snapshot]  # a document with a text in it

_MEDIAWIKI = (
    '<html><head><title>{title}</title></head><body><h1 id="firstHeading">{name}</h1>'
    '<div id="bodyContent">{body}</div></body></html>'
)
_PUKIWIKI = (
    '<html><body><h1 class="title"><a href="?X">{name}</a></h1><div id="navigator">n</div>'
    '<div id="body">{body}</div>PukiWiki</body></html>'
)
_VIEWER = (
    "<html><title>総合ルールビューア</title><body>総合ルールビューア<h1>1. 引く</h1>"
    "<p>{}</p>© x</body></html>"
)
_CARD = (
    '<html><body><div class="wg-whisper-card-title"><h1 class="wg-title">{name}</h1></div>'
    '<div class="wg-whisper-card-detail"><table><tr><th>テキスト</th><td>{body}</td></tr></table>'
    "</div></body></html>"
)
_DUMP = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><siteinfo><base>'
    "http://mtgwiki.com/wiki/X</base></siteinfo><page><title>{name}</title><ns>0</ns><id>1</id>"
    '<revision><id>1</id><text xml:space="preserve">{body}</text></revision></page></mediawiki>'
)
_RULES = "総合ルール\n1. ゲーム\n1.1. 引く。\n1.2. 捨てる。\n2. 終わり\n2.1. 負ける。\n"
_GLOSSARY = "用語集\n引く/Draw\n　カードを取ること。\n捨てる/Discard\n　カードを置くこと。\n"
_MARKDOWN = "# Rules\n\n## 1. Game\n\n- **1.1.** Draw.\n- **1.2.** Discard.\n\n"
_MW, _YW = (
    "http://mtgwiki.com/wiki/X",
    "https://yugioh-wiki.net/index.php?X",
)
_RAW = "http://mtgwiki.com/index.php?title=X&action=raw"


def _mediawiki(body: str, name: str = "X", title: str = "") -> Snapshot:
    html = _MEDIAWIKI.format(name=name, body=body, title=title)
    return Snapshot("mediawiki.html", html.encode(), _MW)


def _pukiwiki(body: str, name: str = "X") -> Snapshot:
    return Snapshot("p.html", _PUKIWIKI.format(name=name, body=body).encode(), _YW)


def _rulebook(text: str) -> Snapshot:
    hints = Hints(site="rulebook", game="mtg")
    return Snapshot("rulebook.20240101.ja.txt", text.encode(), hints=hints)


def _wikitext(text: str) -> Snapshot:
    return Snapshot("X.wiki", text.encode(), _RAW)


def _puki_source(text: str, where: str = "X.txt") -> Snapshot:
    hints = Hints(site="pukiwiki", game="ygo")
    return Snapshot(where, text.encode(), hints=hints)


def _list(where: str, text: str) -> Snapshot:
    return Snapshot(where, text.encode(), hints=Hints(site="namelist", game="mtg"))


def _capture(text: str, url: str) -> Snapshot:
    return Snapshot("capture.txt", text.encode(), url, hints=Hints(site="mtgwiki"))


def _api(text: dict[str, object]) -> Snapshot:
    return Snapshot("api.json", json.dumps({"parse": text}, ensure_ascii=False).encode(), _MW)


def _inline(text: str) -> str:
    return " ".join(text.split("\n"))


PARSED: dict[str, Place] = {
    "any text": lambda t: Snapshot("any.txt", t.encode()),
    "any HTML": lambda t: Snapshot("any.html", f"<html>{t}".encode()),
    "mediawiki markup": lambda t: _mediawiki(t),
    "mediawiki text": lambda t: _mediawiki(f"<p>{escape(t)}</p>"),
    "mediawiki heading": lambda t: _mediawiki(f"<h2>{escape(t)}</h2><p>引く。</p>"),
    "mediawiki name": lambda t: _mediawiki("<p>引く。</p>", escape(t)),
    "mediawiki title": lambda t: _mediawiki("<p>引く。</p>", title=escape(t)),
    "mediawiki link": lambda t: _mediawiki(f'<p><a href="/wiki/{quote(t)}">{escape(t)}</a>'),
    "mediawiki cell": lambda t: _mediawiki(f"<table><tr><th>名<td>{escape(t)}</table>"),
    "mediawiki item": lambda t: _mediawiki(f"<ul><li>{escape(t)}</ul>"),
    "mediawiki strong": lambda t: _mediawiki(f"<p><b>{escape(t)}</b>は引く。"),
    "pukiwiki markup": lambda t: _pukiwiki(t),
    "pukiwiki text": lambda t: _pukiwiki(f"<p>{escape(t)}</p>"),
    "pukiwiki heading": lambda t: _pukiwiki(f"<h2>{escape(t)}</h2><p>引く。"),
    "pukiwiki name": lambda t: _pukiwiki("<p>引く。", escape(t)),
    "pukiwiki item": lambda t: _pukiwiki(f"<ul><li>{escape(t)}</ul>"),
    "pukiwiki cell": lambda t: _pukiwiki(f"<table><tr><td>名<td>{escape(t)}</table>"),
    "pukiwiki source view": lambda t: Snapshot(
        "v.html",
        _PUKIWIKI.format(name="Xのソース", body=f'<pre id="source">{escape(t)}</pre>').encode(),
        "https://yugioh-wiki.net/index.php?plugin=source&page=X",
    ),
    "pukiwiki diff view": lambda t: Snapshot(
        "d.html",
        _PUKIWIKI.format(name="X の変更点", body=f"<pre>{escape(t)}</pre>").encode(),
        "https://yugioh-wiki.net/index.php?cmd=diff&page=X",
    ),
    "viewer": lambda t: Snapshot("w.html", _VIEWER.format(escape(t)).encode()),
    "viewer markup": lambda t: Snapshot("w.html", _VIEWER.format(t).encode()),
    "viewer rule": lambda t: Snapshot("w.html", _VIEWER.format("1.1 " + escape(t)).encode()),
    "card text": lambda t: Snapshot("c.html", _CARD.format(name="引く", body=escape(t)).encode()),
    "card markup": lambda t: Snapshot("c.html", _CARD.format(name="引く", body=t).encode()),
    "card name": lambda t: Snapshot("c.html", _CARD.format(name=escape(t), body="引く").encode()),
    "dump text": lambda t: Snapshot("d.xml", _DUMP.format(name="X", body=escape(t)).encode()),
    "dump name": lambda t: Snapshot("d.xml", _DUMP.format(name=escape(t), body="引く").encode()),
    "api html": lambda t: _api({"title": "X", "text": {"*": t}}),
    "api wikitext": lambda t: _api({"title": "X", "wikitext": {"*": t}}),
    "api name": lambda t: _api({"title": t, "text": {"*": "<p>引く。"}}),
    "wikitext": lambda t: _wikitext(t),
    "wikitext question": lambda t: _wikitext(f"Q: {_inline(t)}\n\nA: {_inline(t)}\n"),
    "wikitext line": lambda t: _wikitext(_inline(t)),
    "wikitext heading": lambda t: _wikitext(f"== {_inline(t)} ==\n引く。"),
    "wikitext link": lambda t: _wikitext(f"[[{t}]] [[引く|{t}]]"),
    "wikitext template": lambda t: _wikitext("{{" + t + "}}"),
    "wikitext table": lambda t: _wikitext("{|\n|-\n|" + t + "\n|}"),
    "pukiwiki source": lambda t: _puki_source("*引く [#top]\n-[[ドロー]]\n" + t),
    "pukiwiki source line": lambda t: _puki_source("*引く [#top]\n" + _inline(t)),
    "pukiwiki source heading": lambda t: _puki_source(f"*{_inline(t)} [#top]\n引く"),
    "pukiwiki source link": lambda t: _puki_source(f"*引く\n[[{t}]] [[{t}>引く]]"),
    "pukiwiki source table": lambda t: _puki_source(f"*引く\n|{_inline(t)}|\n|名|{_inline(t)}|\n"),
    "rulebook": lambda t: _rulebook(_RULES + t),
    "rulebook only": lambda t: _rulebook(t),
    "rulebook rule": lambda t: _rulebook(f"{_RULES}2.2. {_inline(t)}\n2.3. 引く。\n"),
    "rulebook number": lambda t: _rulebook(f"{_RULES}{_inline(t)} 引く。\n2.3. 引く。\n"),
    "rulebook chapter": lambda t: _rulebook(f"{_RULES}3. {_inline(t)}\n3.1. 引く。\n"),
    "rulebook glossary": lambda t: _rulebook(f"{_RULES}{_GLOSSARY}{t}"),
    "rulebook headword": lambda t: _rulebook(f"{_RULES}{_GLOSSARY}{_inline(t)}\n　引くこと。\n"),
    "rulebook gloss": lambda t: _rulebook(f"{_RULES}{_GLOSSARY}語\n　{_inline(t)}\n"),
    "rulebook contents": lambda t: _rulebook(f"総合ルール\n目次\n{t}\n{_RULES}"),
    "rulebook title": lambda t: _rulebook(f"{t}\n{_RULES}"),
    "markdown": lambda t: _rulebook(_MARKDOWN + t),
    "markdown rule": lambda t: _rulebook(f"{_MARKDOWN}- **2.1.** {_inline(t)}\n"),
    "csv": lambda t: _list("cards.csv", f"ja,en\n森,Forest\n山,Mountain\n{t}"),
    "csv only": lambda t: _list("cards.csv", t),
    "csv name": lambda t: _list("cards.csv", f"ja,en\n森,Forest\n山,Mountain\n{_inline(t)},X\n"),
    "csv English name": lambda t: _list("cards.csv", f"ja,en\n森,Forest\n山,{_inline(t)}\n"),
    "tsv name": lambda t: _list(
        "cards.tsv", f"ja\ten\n森\tForest\n山\tMountain\n{_inline(t)}\tX\n"
    ),
    "json name": lambda t: _list(
        "cards.json", json.dumps([{"ja": name, "en": "X"} for name in ("森", "山", t)])
    ),
    "json only": lambda t: _list("cards.json", t),
    "capture mediawiki": lambda t: _capture(f"X\n提供:MTG Wiki\n{t}", _MW),
    "capture line": lambda t: _capture(f"X\n提供:MTG Wiki\n{_inline(t)}\n\n引く。\n", _MW),
    "capture name": lambda t: _capture(f"{_inline(t)}\n提供:MTG Wiki\n\n引く。\n", ""),
    "capture pukiwiki": lambda t: _capture(f"X\n{t}\n", _YW),
    "capture viewer": lambda t: _capture(f"総合ルールビューア\n1. 引く\n1.1 引く。\n{t}", ""),
    "url": lambda t: Snapshot(
        "u.html",
        _MEDIAWIKI.format(name="", title="", body="<p>引く。").encode(),
        f"http://mtgwiki.com/wiki/{quote(t)}",
    ),
    "file name": lambda t: _puki_source("*引く [#top]\n-[[ドロー]]", t.encode().hex() + ".txt"),
}
