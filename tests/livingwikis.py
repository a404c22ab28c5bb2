"""Two wikis that are edited between one crawl and the next.

`MediaWiki` says when a page was last changed and answers 304 to who has it. `PukiWiki` is one of
version 1.4.7 in EUC-JP: it says nothing of the kind, and no two answers of it are the same, for
ages, convert times, lists of what is recent and digests in forms differ each time. All texts are
made up (`benchmarks.synthetic`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass, field
from email.utils import formatdate
from random import Random
from typing import ClassVar

from benchmarks import markup
from benchmarks.markup import Article, Block
from benchmarks.prose import Link
from benchmarks.synthetic import Wiki
from tests.testsite import Answer, Asked, place

_BEGINNING = 1_760_000_000  # when all pages were written
_AN_HOUR = 3600


@dataclass
class _Living(ABC):
    """What the two have in common: pages by rank, of which the first links to all others. `good`
    are the places of all (see `tests.testsite.place`)."""

    pages: int = 500
    seed: int = 1
    base: str = ""
    edits: Counter[int] = field(default_factory=Counter)
    good: set[str] = field(default_factory=set)
    source: ClassVar[str]  # whose names the pages have
    first: ClassVar[str]  # the name of the page that links to all others

    def __post_init__(self) -> None:
        self.wiki = Wiki(self.source, self.pages, 100, self.seed)
        self.ranks = {self._place(self._name(rank)): rank for rank in range(self.pages)}
        self.good = set(self.ranks)

    @abstractmethod
    def _place(self, name: str) -> str:
        """The place of the page of a name."""

    def _name(self, rank: int) -> str:
        return self.wiki.name(rank) if rank else self.first

    def edit(self, rank: int) -> str:
        """Somebody writes a sentence on a page; gives the page's place."""
        self.edits[rank] += 1
        return self._place(self._name(rank))

    def _article(self, rank: int) -> Article:
        if rank == 0:
            names = [self._name(other) for other in range(1, self.pages)]
            items = [Block("item", (Link(name, True),)) for name in names]
            return Article(self.first, self.first, "", 1, (Block("lead", ("は入口。",)), *items))
        article = self.wiki.article(rank)
        added = [Block("paragraph", (f"{n + 1}度目の手直し。",)) for n in range(self.edits[rank])]
        blocks = (*article.blocks, *added)
        name = self._name(rank)
        return Article(name, article.headword, article.english, article.number, blocks)


class MediaWiki(_Living):
    """Serves `Last-Modified`, and 304 to whom has that version."""

    source = "mtgwiki"
    first = "メインページ"

    @property
    def start(self) -> str:
        return f"/wiki/{markup.mediawiki_title(self.first)}"

    def _place(self, name: str) -> str:
        return place(f"/wiki/{markup.mediawiki_title(name)}")

    def answer(self, asked: Asked) -> Answer:
        if asked.place == "/robots.txt":
            return Answer(body=b"User-agent: *\nDisallow: /index.php\n", content_type="text/plain")
        rank = self.ranks.get(asked.place)
        if rank is None:
            return Answer(404, markup.mediawiki(Article("無い", "無い", "", 0, ())))
        changed = formatdate(_BEGINNING + (rank + self.edits[rank]) * _AN_HOUR, usegmt=True)
        headers = (
            ("Last-Modified", changed),
            ("Vary", "Accept-Encoding, Cookie"),
            ("Cache-Control", "private, must-revalidate, max-age=0"),
        )
        if asked.headers.get("if-modified-since") == changed:
            return Answer(304, headers=headers)
        body = markup.mediawiki(self._article(rank)).replace(
            b"http://mtgwiki.com", self.base.encode()
        )
        return Answer(200, body, headers=headers)


class PukiWiki(_Living):
    """Serves no validator, and never the same bytes twice."""

    source = "yugioh-wiki"
    first = "FrontPage"
    start = "/index.php?FrontPage"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.answers = 0

    def _place(self, name: str) -> str:
        return f"/index.php?{markup.pukiwiki_name(name)}"

    def answer(self, asked: Asked) -> Answer:
        self.answers += 1
        rng = Random(self.answers)
        if asked.place == "/robots.txt":
            return Answer(404, b"<p>none", "text/html")
        where = "/index.php?FrontPage" if asked.place in ("/", "/index.php") else asked.place
        where = where.replace("?cmd=read&page=", "?")
        rank = self.ranks.get(where)
        html = self._view(rng) if rank is None else self._page(rank, rng)
        headers = (("Cache-Control", "no-cache"), ("Pragma", "no-cache"))
        return Answer(200, html.encode("euc_jp"), "text/html; charset=EUC-JP", headers)

    @property
    def _script(self) -> str:
        return f"{self.base}/index.php"

    def _page(self, rank: int, rng: Random) -> str:
        """An article, as it is shown this one time."""
        html = markup.pukiwiki(self._article(rank), self._script, "遊戯の書").decode("euc_jp")
        days = 1 + self.answers // 7
        name = markup.pukiwiki_name(self._name(rank))
        replaced = {
            "(20d)": f"({20 + days}d)",
            "(9d)": f"({9 + days}d)",
            "(199d)": f"({199 + days}d)",
            "http://pukiwiki.sourceforge.jp/": "http://sansho.invalid/",
            "</ul></div>\n  </td>": f"</ul>{self._recent(rng)}</div>\n  </td>",
            "</div>\n  </td>\n </tr>": f"{self._comment(name, rng)}</div>\n  </td>\n </tr>",
            '\n<div id="footer">': f'\n{self._related(rng)}\n<div id="footer">',
            "</a>.\n</div>\n\n</body>": "</a>.\n Powered by PHP 5.6.40. HTML convert time: "
            f"{rng.random():.3f} sec.\n</div>\n\n</body>",
        }
        for old, new in replaced.items():
            assert old in html or old == "(20d)", f"{old!r} is not in the frame any more"
            html = html.replace(old, new) if old.startswith("(") else html.replace(old, new, 1)
        return html

    def _links(self, rng: Random, many: int, age: str) -> list[str]:
        """Links to pages, drawn anew each time, whose ages differ."""
        names = [self._name(rng.randrange(self.pages)) for _ in range(many)]
        return [
            f'<a href="{self._script}?{markup.pukiwiki_name(name)}"{age.format(rng.randrange(400))}'
            for name in names
        ]

    def _recent(self, rng: Random) -> str:
        items = "</li>\n <li>".join(
            f"{link}頁</a>" for link in self._links(rng, 5, ' title="頁 ({}d)">')
        )
        day = f"2026-11-{1 + rng.randrange(28):02}"
        return (
            f"<h5>最新の5件</h5>\n<div><strong>{day}</strong>\n<ul>\n <li>{items}</li></ul></div>"
        )

    def _related(self, rng: Random) -> str:
        items = "\n ".join(self._links(rng, 3, ">頁</a>({}d)"))
        return f'<div id="related">Link: {items}</div>'

    def _comment(self, name: str, rng: Random) -> str:
        """The form for a comment, whose digest is that of the page as it stands."""
        return (
            f'<form action="{self._script}" method="post">\n<div>'
            '<input type="hidden" name="plugin" value="comment" />'
            f'<input type="hidden" name="refer" value="{name}" />'
            f'<input type="hidden" name="digest" value="{rng.getrandbits(128):032x}" />'
            '<input type="text" name="msg" size="70" />'
            '<input type="submit" name="go" value="書き込む" /></div>\n</form>'
        )

    def _view(self, rng: Random) -> str:
        """Whatever is no article: the form to write it, as every missing page is shown."""
        return f"""<?xml version="1.0" encoding="EUC-JP" ?>
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="ja">
<head>
 <meta http-equiv="content-type" content="application/xhtml+xml; charset=EUC-JP" />
 <meta name="robots" content="NOINDEX,NOFOLLOW" />
 <title>無い頁 の編集 - 遊戯の書</title>
</head>
<body>
<div id="header"><h1 class="title">無い頁 の編集</h1></div>
<div id="navigator">[ <a href="{self._script}?FrontPage" >トップ</a> ]</div>
<div id="body"><div class="edit_form"><form action="{self._script}" method="post">
<input type="hidden" name="digest" value="{rng.getrandbits(128):032x}" />
<textarea name="msg" rows="20" cols="80"></textarea></form></div></div>
<div id="footer"><strong>PukiWiki 1.4.7</strong></div>
</body>
</html>
"""
