"""Wikis on hosts that no built-in record knows: by their pages, or by a record of one's own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

import kb
from scraper.errors import SourceError
from scraper.sites.sites_file import find_sites
from tests.cli.test_cli import run
from tests.conftest import SAMPLE
from tests.crawling import lines
from tests.rulebooks import base_of
from tests.webs import Says, Web, links, pukiwiki, web

UNKNOWN = "wiki.example"


def sample_of(site: str, into: Path, host: str = "") -> tuple[Path, str]:
    """The sample's pages of a site, served from another host if that is given; and the game."""
    shutil.copytree(SAMPLE / site, into / site)
    entries = [json.loads(line) for line in (SAMPLE / "manifest.jsonl").open(encoding="utf-8")]
    own = [entry for entry in entries if entry["file"].startswith(f"{site}/")]
    hosts = {urlsplit(entry["url"]).netloc for entry in own}
    for entry in own if host else ():
        del entry["site"]
        entry["url"] = urlsplit(entry["url"])._replace(netloc=host).geturl()
        file = into / entry["file"]
        data = file.read_bytes()
        for known in hosts:
            data = data.replace(f"//{known}".encode(), f"//{host}".encode())
        file.write_bytes(data)
    (into / "manifest.jsonl").write_text("\n".join(map(json.dumps, own)), encoding="utf-8")
    return into, {"mtgwiki": "mtg", "yugioh-wiki": "ygo", "dmwiki": "dm"}[site]


Fact = tuple[str, ...]


def facts(path: Path, source: str, game: str) -> dict[str, set[Fact]]:
    """What a knowledge base says, without its source's and its game's names."""

    def neutral(node_id: str | None) -> str:
        node_id = node_id or ""
        for name, stand_in in ((f"{source}/", "SOURCE/"), (f"{game}/", "GAME/")):
            if node_id.startswith(name):
                return stand_in + node_id.removeprefix(name)
        return node_id

    with kb.open(path) as base:
        found: dict[str, set[Fact]] = {"terms": set(), "cards": set()}
        for kind in ("term", "card"):
            for node in base.nodes(kind):  # type: ignore[arg-type]
                names = sorted((one.lang, one.text, one.role) for one in node.labels)
                found[f"{kind}s"].add((neutral(node.id), str(names), str(node.details)))
        for _, _, edge in base.graph(dangling=True).edges(data=True):
            found.setdefault(edge["kind"], set())
        for source_id, target, edge in base.graph(dangling=True).edges(data=True):
            place = neutral(edge["passage"]), str(edge["span_start"]), edge["text"]
            found[edge["kind"]].add((neutral(source_id), neutral(target), *place))
    return found


@pytest.mark.parametrize("site", ["dmwiki", "yugioh-wiki", "mtgwiki"])
@pytest.mark.parametrize("said", ["own", "ws"])
def test_the_same_knowledge_from_an_unknown_host(site: str, said: str, tmp_path: Path) -> None:
    """With the game said, be it one that nobody knows."""
    known, game = sample_of(site, tmp_path / "known")
    unknown, _ = sample_of(site, tmp_path / "unknown", UNKNOWN)
    other = game if said == "own" else said
    kb.build([known], tmp_path / "known.db")
    report = kb.build([unknown], tmp_path / "unknown.db", game=other)
    wanted = facts(tmp_path / "known.db", site, game)
    found = facts(tmp_path / "unknown.db", UNKNOWN, other)
    for kind in ("terms", "cards", "mentions", "links_to", "defines", "cites", "redirects_to"):
        assert found.get(kind, set()) == wanted.get(kind, set()), kind
    assert len(wanted["terms"]) > 8 and len(wanted["mentions"]) > 50
    assert not any("no game" in warning.what for warning in report.warnings)


def test_a_wiki_without_a_game_is_warned_of(tmp_path: Path) -> None:
    pages, _ = sample_of("dmwiki", tmp_path / "pages", UNKNOWN)
    report = kb.build([pages], tmp_path / "x.db")
    warned = [one for one in report.warnings if "no game is known" in one.what]
    assert [one.where for one in warned] == [UNKNOWN]
    with kb.open(tmp_path / "x.db") as base:
        assert [one for one in base.audit().warnings if "no game" in one.what] == warned


# -- a record of one's own --------------------------------------------------------------------

NAMES = ("トリガー", "キャラ", "クライマックス")


def record(site: Web) -> str:
    """A wiki in EUC-JP below a folder, as a person describes it."""
    return f"""
[[site]]
name = "wswiki"
game = "ws"
engine = "pukiwiki"
hosts = ["127.0.0.1"]
charset = "euc-jp"
pages = "{site.url}/ws/index.php?"
"""


def serve(site: Web, text: Callable[[str], str]) -> None:
    """Have a server play a PukiWiki about a game of which sansho knows nothing."""

    def target(name: str) -> str:
        return f"/ws/index.php?{quote(name.encode('euc_jp'))}"

    for name in NAMES:
        others = [other for other in NAMES if other != name]
        body = text(name) + "と".join(f'<a href="{target(o)}">{o}</a>' for o in others)
        site.pages[target(name)] = Says(pukiwiki(name, body), kind="text/html; charset=EUC-JP")
    listing = pukiwiki("一覧", links(*map(target, NAMES)))
    site.pages["/ws/index.php?cmd=list"] = Says(listing, kind="text/html; charset=EUC-JP")


def test_a_wiki_by_a_record_alone(tmp_path: Path) -> None:
    """Its list of pages, its addresses, its links and its terms."""
    into = tmp_path / "pages"
    into.mkdir()
    with web() as site:
        serve(site, lambda name: f"{name}とは、カードの種類である。")
        (into / "sites.toml").write_text(record(site), encoding="utf-8")
        assert kb.crawl(["wswiki"], into, delay=0.0).fetched == 3
        assert kb.crawl(["wswiki", "キャラ"], tmp_path / "one", delay=0.0,
                        sites=into / "sites.toml").fetched == 1  # fmt: skip
        urls = {line["url"] for line in lines(into)}
        feed = "".join(
            f"<item><link>{site.url}/ws/index.php?{quote(name.encode('euc_jp'))}</link>"
            f"<description>Sat, 21 Nov {year} 09:19:30 JST</description></item>"
            for name, year in (("キャラ", 2099), ("トリガー", 2020))
        )
        site.pages["/ws/index.php?cmd=rss"] = Says(
            f'<?xml version="1.0"?><rss version="0.91">{feed}</rss>', kind="application/xml"
        )
        serve(site, lambda name: f"{name}とは、今は別のものである。")
        site.log.clear()
        done = kb.crawl(["wswiki"], into, delay=0.0)
        assert (done.fetched, done.unchanged) == (1, 2)
        assert len(site.asked) == 2  # the feed, and the one page that it names as new
    assert urls == {f"{site.url}/ws/index.php?{quote(name.encode('euc_jp'))}" for name in NAMES}
    report = kb.build([into], tmp_path / "x.db")
    assert report.pages == 3 and not report.warnings
    with kb.open(tmp_path / "x.db") as base:
        assert [page.id for page in base.nodes("page")] == sorted(f"wswiki/{n}" for n in NAMES)
        assert {term.id for term in base.nodes("term")} >= {f"ws/term/{n}" for n in NAMES}
        found = base.refs("wswiki/キャラ", direction="out", kinds=["links_to"]).edges
        assert {edge.target for edge in found} == {"wswiki/トリガー", "wswiki/クライマックス"}
        assert all(page.url in urls for page in base.nodes("page"))


def test_one_address_for_all_forms(tmp_path: Path) -> None:
    """Mobile hosts, http, ports and parameters lead to the address that the record gives."""
    file = tmp_path / "sites.toml"
    file.write_text(
        '[[site]]\nname = "wswiki"\ngame = "ws"\nengine = "pukiwiki"\ncharset = "euc-jp"\n'
        'hosts = ["ws.example.jp"]\npages = "https://ws.example.jp/wiki/index.php?"\n',
        encoding="utf-8",
    )
    name = "%A5%AD%A5%E3%A5%E9"  # キャラ
    page = pukiwiki("キャラ", "本文")
    for place, url in enumerate((
        f"http://m.ws.example.jp:80/wiki/index.php?cmd=read&page={name}",
        f"https://www.ws.example.jp/wiki/?{name}",
        f"https://ws.example.jp:443/wiki/index.php?{name}#top",
    )):  # fmt: skip
        folder = tmp_path / str(place)
        folder.mkdir()
        (folder / "a.html").write_bytes(page)
        line = {"file": "a.html", "url": url, "headers": {"content-type": "text/html"}}
        (folder / "manifest.jsonl").write_text(json.dumps(line), encoding="utf-8")
        with base_of([folder], tmp_path / f"{place}.db", sites=file) as base:
            [node] = base.nodes("page")
            assert node.id == "wswiki/キャラ" and node.game == "ws"
            assert (node.url or "").partition("#")[
                0
            ] == f"https://ws.example.jp/wiki/index.php?{name}"
        again = kb.build(kb=tmp_path / f"{place}.db", again=True)  # it remembers the file
        assert again.read == 0


def test_a_mediawiki_by_a_record_alone(tmp_path: Path) -> None:
    """Its articles may be anywhere below the host."""
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "sites.toml").write_text(
        '[[site]]\nname = "w"\ngame = "ws"\nengine = "mediawiki"\nhosts = ["w.example"]\n'
        'pages = "https://w.example/w/"\n', encoding="utf-8",
    )  # fmt: skip
    from tests.webs import mediawiki

    for name, other in (("甲", "乙"), ("乙", "甲")):
        (folder / f"{name}.html").write_text(
            mediawiki(name, f'<a href="/w/{quote(other)}">{other}</a>を見る。'), encoding="utf-8"
        )
    said = [{"file": f"{n}.html", "url": f"https://w.example/w/{quote(n)}"} for n in ("甲", "乙")]
    (folder / "manifest.jsonl").write_text("\n".join(map(json.dumps, said)), encoding="utf-8")
    assert not kb.build([folder], tmp_path / "x.db").warnings
    with kb.open(tmp_path / "x.db") as base:
        found = base.refs("w/甲", direction="out", kinds=["links_to"]).edges
        assert [edge.target for edge in found] == ["w/乙"]
        assert {term.id for term in base.nodes("term")} == {"ws/term/甲", "ws/term/乙"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[[site]\n", "not TOML"),
        ("x = 1\n", "no table [[site]]"),
        ('[[site]]\nname = "a"\ngame = "ws"\n', "engine is missing"),
        ('[[site]]\nname = "a"\ngame = "g"\nengine = "wordpress"\nhosts = ["a.jp"]', "none of"),
        ('[[site]]\nname = "a"\ngame = "g"\nengine = "pukiwiki"\nhosts = ["http://a.jp"]', "hosts"),
        ('[[site]]\nname = "a"\ngame = "g"\nengine = "pukiwiki"\nhost = "a.jp"', "no key 'host'"),
        ('[[site]]\nname = "a"\ngame = "g"\nengine = "pukiwiki"\n', "hosts is missing"),
        ('[[site]]\nname = "a\\nb"\ngame = "g"\nengine = "pukiwiki"\nhosts = ["a.jp"]', "name"),
        ('[[site]]\nname = "a"\ngame = "a"\nengine = "pukiwiki"\nhosts = ["a.jp"]',
         "id of the game"),
        ('[[site]]\nname = "a"\ngame = "g/h"\nengine = "pukiwiki"\nhosts = ["a.jp"]', "game"),
        ('[[site]]\nname = "a"\ngame = "g"\nengine = "pukiwiki"\nhosts = ["a.jp"]\n'
         'pages = "https://b.jp/?"', "not among the hosts"),
        ('[[site]]\nname = "dmwiki"\ngame = "g"\nengine = "pukiwiki"\nhosts = ["a.jp"]', "already"),
        ('[[site]]\nname = "a"\ngame = "g"\nengine = "pukiwiki"\nhosts = ["dmwiki.net"]',
         "already"),
        ("".join(f'[[site]]\nname = "{name}"\ngame = "g"\nengine = "pukiwiki"\nhosts = ["{host}"]\n'
                 for name, host in (("a", "www.a.jp"), ("b", "m.a.jp:81"))), "the host a.jp"),
        ('[site]\nname = "a"\n', "[[site]]"),
        ('[[site]]\nname = "a"\ngame = "g"\nengine = "pukiwiki"\nhosts = ["a.jp"]\n'
         'charset = "latin-1"', "charset"),
    ],
)  # fmt: skip
def test_a_record_that_can_not_be_used(text: str, why: str, tmp_path: Path) -> None:
    file = tmp_path / "sites.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=r"sites\.toml") as error:
        find_sites([tmp_path])
    assert why in str(error.value)
    shown = run("build", str(tmp_path), "--kb", str(tmp_path / "x.db"))
    assert shown.exit_code == 2 and why in shown.stderr


def test_a_sites_file_that_is_not_there(tmp_path: Path) -> None:
    shown = run("build", "--sites", str(tmp_path / "none.toml"), "--kb", str(tmp_path / "x.db"))
    assert shown.exit_code == 2 and "none.toml" in shown.stderr


def described(name: str, host: str) -> str:
    return f'[[site]]\nname = "{name}"\ngame = "ws"\nengine = "pukiwiki"\nhosts = ["{host}"]\n'


def test_where_records_are_looked_for(tmp_path: Path) -> None:
    """In the folder, else beside it; of several places together, whatever their order."""
    places = [tmp_path / "a" / "pages", tmp_path / "b"]
    for place in places:
        place.mkdir(parents=True)
    (tmp_path / "a" / "sites.toml").write_text(described("a", "a.jp"), encoding="utf-8")
    (tmp_path / "b" / "sites.toml").write_text(described("b", "www.b.jp"), encoding="utf-8")
    found = find_sites(places)
    assert [(site.name, site.wikis[0].hosts) for site in found] == [
        ("a", ("a.jp",)),
        ("b", ("b.jp",)),
    ]
    assert find_sites(places[::-1]) == found
    (tmp_path / "b" / "sites.toml").write_text(described("c", "m.a.jp"), encoding="utf-8")
    for order in (places, places[::-1]):
        with pytest.raises(SourceError, match=r"the host a\.jp has a record in .*already"):
            find_sites(order)


def test_external_links_to_the_page_s_own_host(tmp_path: Path) -> None:
    from tests.webs import mediawiki

    link = '<a class="external" href="http://{}/wiki/%E4%B9%99">乙</a>を見る。'
    (tmp_path / "a.html").write_text(
        mediawiki("甲", link.format("w.example") + link.format("v.example")), encoding="utf-8"
    )
    entry = {"file": "a.html", "url": "http://w.example/wiki/%E7%94%B2"}
    (tmp_path / "manifest.jsonl").write_text(json.dumps(entry), encoding="utf-8")
    with base_of([tmp_path], tmp_path / "x.db", game="ws") as base:
        edges = base.refs("w.example/甲", direction="out", kinds=["links_to"]).edges
        assert [edge.reason for edge in edges] == [
            "page 乙 of w.example is not in this knowledge base",
            "outside the known sites",
        ]


@pytest.mark.parametrize("game", ["w s", "a/b", "a#b", "-x"])
def test_a_game_that_would_tear_ids(game: str, tmp_path: Path) -> None:
    shown = run("build", f"--game={game}", "--kb", str(tmp_path / "x.db"))
    assert shown.exit_code == 2 and f"game {game}: may have letters" in shown.stderr
