"""Articles as wiki engines serve and keep them: what MediaWiki 1.19 and PukiWiki 1.4.7 make of one.

Frames are as these engines have them, shortened; nothing is in them that they have not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import groupby
from typing import Literal, NamedTuple
from urllib.parse import quote

from benchmarks.prose import Link, Run

_KEPT = 1 << 16  # addresses and links that are written once: those of the commonest pages
Kind = Literal["box", "lead", "heading", "paragraph", "item", "step", "row"]


class Block(NamedTuple):
    """A piece of an article. The runs of a row are its cells, those of a box its lines; a line
    break within a run is one on the page."""

    kind: Kind
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Article:
    """A page of a wiki: the name in its address, its headword, its English, what stands on it;
    the page that redirects to it, where it was come to by that."""

    name: str
    headword: str
    english: str
    number: int
    blocks: tuple[Block, ...]
    redirected_from: str = ""


def _groups(blocks: Iterable[Block]) -> Iterator[tuple[Kind, list[Block]]]:
    """The items of one list, the rows of one table; all else is alone."""
    for kind, group in groupby(blocks, key=lambda block: block.kind):
        if kind in ("item", "step", "row"):
            yield kind, list(group)
        else:
            yield from ((kind, [block]) for block in group)


# -- MediaWiki 1.19, monobook ------------------------------------------------------------------


@lru_cache(_KEPT)
def mediawiki_title(name: str) -> str:
    """A page's name as MediaWiki writes it in addresses."""
    return quote(name.replace(" ", "_"), safe="/:(),")


def _dotted(anchor: str) -> str:
    return quote(anchor.replace(" ", "_"), safe="").replace("%", ".")


def mediawiki(article: Article) -> bytes:
    """The page as MediaWiki 1.19 serves it."""
    name, title = escape(article.name), mediawiki_title(article.name)
    moved, config = "", ""
    if origin := article.redirected_from:
        link = f'<a href="/index.php?title={mediawiki_title(origin)}&amp;redirect=no" '
        moved = f'（{link}title="{escape(origin)}">{escape(origin)}</a>から転送）'
        config = f',"wgRedirectedFrom":"{origin}"'
    return f"""<!DOCTYPE html>
<html lang="ja" dir="ltr" class="client-nojs">
<head>
<title>{name} - MTG Wiki</title>
<meta charset="UTF-8" />
<meta name="generator" content="MediaWiki 1.19.23" />
<script>if(window.mw){{
mw.config.set({{"wgCanonicalNamespace":"","wgNamespaceNumber":0,"wgPageName":"{article.name}",\
"wgArticleId":{article.number},"wgIsArticle":true,"wgAction":"view"{config}}});
}}</script>
</head>
<body class="mediawiki ltr sitedir-ltr ns-0 ns-subject skin-monobook action-view">
<div id="globalWrapper">
<div id="column-content"><div id="content">
\t<a id="top"></a>
\t<h1 id="firstHeading" class="firstHeading"><span dir="auto">{name}</span></h1>
\t<div id="bodyContent" class="mw-body">
\t\t<div id="siteSub">提供: MTG Wiki</div>
\t\t<div id="contentSub">{moved}</div>
\t\t<div id="jump-to-nav" class="mw-jump">移動: <a href="#column-one">案内</a></div>
\t\t<!-- start content -->
<div id="mw-content-text" lang="ja" dir="ltr" class="mw-content-ltr">{_mediawiki_body(article)}
</div><div class="printfooter">
「<a href="http://mtgwiki.com/wiki/{title}">http://mtgwiki.com/wiki/{title}</a>」から取得</div>
\t\t<div id='catlinks' class='catlinks catlinks-allhidden'></div>\t\t<!-- end content -->
\t\t\t\t<div class="visualClear"></div>
\t</div>
</div></div>
<div id="column-one">
\t<div id="p-cactions" class="portlet">
\t\t<h5>表示</h5>
\t\t<div class="pBody"><ul><li><a href="/wiki/{title}">ページ</a></li></ul></div>
\t</div>
</div><!-- end of the left (by default at least) column -->
<div class="visualClear"></div>
<div id="footer">
\t<ul id="f-list"><li id="about"><a href="/wiki/MTG_Wiki:About">About</a></li></ul>
</div>
</div>
</body></html>
""".encode()


def _mediawiki_body(article: Article) -> str:
    body, title, sections = [], mediawiki_title(article.name), 0
    for kind, group in _groups(article.blocks):
        cells = [[_mediawiki_run(run, article.name) for run in block.runs] for block in group]
        texts = ["".join(runs) for runs in cells]
        if kind == "box":
            first, card_type, text = map(str, group[0].runs)
            body.append(
                f'<div class="card"><b>{first}</b> (２)(白)<br />{card_type}<p>{text}</p>2/2</div>'
            )
        elif kind == "heading":
            sections += 1
            edit = f"/index.php?title={title}&amp;action=edit&amp;section={sections}"
            body.append(
                f'<h2><span class="editsection">[<a href="{edit}" title="節を編集: {texts[0]}">編集'
                f'</a>]</span> <span class="mw-headline" id="{_dotted(texts[0])}">{texts[0]}'
                "</span></h2>"
            )
        elif kind in ("item", "step"):
            tag = "ul" if kind == "item" else "ol"
            body.append(f"<{tag}><li> " + "\n</li><li> ".join(texts) + f"\n</li></{tag}>")
        elif kind == "row":
            rows = "</tr>\n<tr>".join(
                "".join(f"\n<td> {cell}\n</td>" for cell in row) for row in cells
            )
            body.append(f'<table class="wikitable">\n<tr>{rows}</tr></table>')
        elif kind == "lead":
            english = f"/<i>{article.english}</i>" if article.english else ""
            body.append(f"<p><b>{article.headword}</b>{english}{texts[0]}\n</p>")
        else:
            body.append(f"<p>{texts[0]}\n</p>")
    return "\n".join(body)


def _mediawiki_run(run: Run, own: str) -> str:
    if isinstance(run, str):
        return escape(run, quote=False).replace("\n", "<br />\n")
    return f'<strong class="selflink">{own}</strong>' if run.name == own else _mediawiki_link(run)


@lru_cache(_KEPT)
def _mediawiki_link(link: Link) -> str:
    title, shown = mediawiki_title(link.name), escape(link.name.partition("/")[0])
    if not link.there:
        return (
            f'<a href="/index.php?title={title}&amp;action=edit&amp;redlink=1" class="new" '
            f'title="{escape(link.name)} (存在しないページ)">{shown}</a>'
        )
    redirect = ' class="mw-redirect"' if link.redirect else ""
    return f'<a href="/wiki/{title}" title="{escape(link.name)}"{redirect}>{shown}</a>'


# -- PukiWiki 1.4.7, EUC-JP --------------------------------------------------------------------

_INDENT = 'class="list1" style="padding-left:16px;margin-left:16px"'


@lru_cache(_KEPT)
def pukiwiki_name(name: str) -> str:
    """A page's name as a PukiWiki in EUC-JP writes it in addresses."""
    return quote(name.encode("euc_jp"), safe="")


def pukiwiki(article: Article, script: str, site: str) -> bytes:
    """The page as PukiWiki 1.4.7 serves it in EUC-JP; `script` is the wiki's address."""
    name, encoded = escape(article.name), pukiwiki_name(article.name)
    own = f"{script}?{encoded}"
    return f"""<?xml version="1.0" encoding="EUC-JP" ?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="ja">
<head>
 <meta http-equiv="content-type" content="application/xhtml+xml; charset=EUC-JP" />

 <title>{name} - {site}</title>
</head>
<body>

<div id="header">
 <h1 class="title"><a href="{script}?plugin=related&amp;page={encoded}">{name}</a> </h1>

    <a href="{own}"><span class="small">{own}</span></a>
</div>

<div id="navigator">
 [ <a href="{script}?FrontPage" >トップ</a> ] &nbsp;
 [ <a href="{script}?cmd=edit&amp;page={encoded}" >編集</a> ]
</div>

<hr class="full_hr" />
<table border="0" style="width:100%">
 <tr>
  <td class="menubar">
   <div id="menubar"><ul>
<li><a href="{script}?FrontPage" title="FrontPage (9d)">トップ</a></li></ul></div>
  </td>
  <td valign="top">
   <div id="body">{_pukiwiki_body(article, script, own)}</div>
  </td>
 </tr>
</table>

<hr class="full_hr" />
<div id="lastmodified">Last-modified: 2025-05-06 (火) 08:19:30  (199d)</div>

<div id="footer">
 <strong>PukiWiki 1.4.7</strong> Copyright &copy; 2001-2006
 <a href="http://pukiwiki.sourceforge.jp/">PukiWiki Developers Team</a>.
</div>

</body>
</html>
""".encode("euc_jp")


def _pukiwiki_body(article: Article, script: str, own: str) -> str:
    refer = pukiwiki_name(article.name)
    body = [_pukiwiki_heading(2, 0, _headed(article), own)]
    sections = 0
    for kind, group in _groups(article.blocks):
        cells = [[_pukiwiki_run(run, script, refer) for run in block.runs] for block in group]
        texts = ["".join(runs) for runs in cells]
        if kind == "box":
            body.append("<pre>" + "\n".join(map(str, group[0].runs)) + "</pre>")
        elif kind == "heading":
            sections += 1
            jump = '\n<div class="jumpmenu"><a href="#navigator">&uarr;</a></div>'
            body.append(jump + _pukiwiki_heading(3, sections, texts[0], own))
        elif kind in ("item", "step"):
            tag = "ul" if kind == "item" else "ol"
            body.append(f"<{tag} {_INDENT}><li>" + "</li>\n<li>".join(texts) + f"</li></{tag}>")
        elif kind == "row":
            rows = "".join(
                "<tr>" + "".join(f'<td class="style_td">{cell}</td>' for cell in row) + "</tr>"
                for row in cells
            )
            body.append(
                '<div class="ie5"><table class="style_table" cellspacing="1" border="0">'
                f"<tbody>{rows}</tbody></table></div>"
            )
        else:
            before = article.headword if kind == "lead" else ""
            body.append(f"<p>　{before}{texts[0]}<br /></p>")
    return "\n".join(body)


def _headed(article: Article) -> str:
    """A page's first heading, which gives its English name too."""
    headed = f"{article.headword}/{article.english}" if article.english else article.headword
    return f"《{headed}》" if article.name.startswith("《") else headed


def _pukiwiki_heading(level: int, number: int, text: str, own: str) -> str:
    anchor = "top" if number == 0 else f"x{number:07d}"
    return (
        f'<h{level} id="content_1_{number}">{text}  <a class="anchor_super" id="{anchor}" '
        f'href="{own}#{anchor}" title="{anchor}">&dagger;</a></h{level}>'
    )


def _pukiwiki_run(run: Run, script: str, refer: str) -> str:
    if isinstance(run, str):
        return escape(run, quote=False).replace("\n", "<br />\n")
    name, encoded = escape(run.name), pukiwiki_name(run.name)
    if run.there:
        return f'<a href="{script}?{encoded}" title="{name} (20d)">{name}</a>'
    edit = f"{script}?cmd=edit&amp;page={encoded}&amp;refer={refer}"
    return f'<span class="noexists">{name}<a href="{edit}">?</a></span>'


# -- PukiWiki's own source ---------------------------------------------------------------------

_SIGNS = {"item": "-", "step": "+", "heading": "**"}


def pukiwiki_source(article: Article) -> bytes:
    """The page as PukiWiki keeps it, in EUC-JP."""
    lines = [f"*{_headed(article)} [#top]"]
    for kind, group in _groups(article.blocks):
        for block in group:
            if kind == "box":
                lines += [f"|{line}|" for line in block.runs]
            elif kind == "row":
                lines.append("|" + "|".join(map(_source_run, block.runs)) + "|")
            else:
                before = article.headword if kind == "lead" else ""
                sign = _SIGNS.get(kind, "　")
                anchor = f" [#x{len(lines):07d}]" if kind == "heading" else ""
                text = "".join(map(_source_run, block.runs)).replace("\n", "~\n")
                lines.append(f"{sign}{before}{text}{anchor}")
        lines.append("")
    return "\n".join(lines).encode("euc_jp")


def _source_run(run: Run) -> str:
    return f"[[{run.name}]]" if isinstance(run, Link) else run


def pukiwiki_file(name: str) -> str:
    """The file in which PukiWiki keeps a page.

    >>> pukiwiki_file("引く")
    'B0FAA4AF.txt'
    """
    return name.encode("euc_jp").hex().upper() + ".txt"
