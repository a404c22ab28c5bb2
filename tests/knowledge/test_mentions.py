"""Where passages speak of terms, in a knowledge base as it is built."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

import kb
from graphs.writing.passage_annotations import PassageText, SiteLink
from kb.knowledge.names.mentions import Annotator, NameLinker, search_keys, spellings
from kb.language.tokens import dictionary_form, tokenizer
from scraper import Hints, Link, Page, Passage, Snapshot, read_pages, snapshots
from tests.rulebooks import base_of, described

PAGES = {
    "引く": "*引く/Draw [#top]\nカードを手札に加えること。~\n-[[ドロー]]を見る。\n",
    "ドロー・ステップ": "*ドロー・ステップ [#top]\nここで''カード''を引いた。~\n-[[引く]]\n",
    "打ち消す": "*打ち消す [#top]\n呪文を[[カウンター>カウンター置き場]]する。~\n-[[引く]]\n",
    "カウンター": "*カウンター [#top]\n置くもの。カウンターを3個置く。~\n-[[引く]]\n",
    "カウンター置き場": "*カウンター置き場 [#top]\n場所。~\n-[[引く]]\n",
    "手順": "*手順 [#top]\nドローステップに引かれる。ドローソースは別。~\n-[[引く]]\n",
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[kb.KnowledgeBase]:
    folder = tmp_path_factory.mktemp("mentions")
    for name, text in PAGES.items():
        (folder / f"{name.encode().hex().upper()}.txt").write_text(text, "utf-8")
    with base_of([folder], folder / "kb.db", game="demo") as opened:
        yield opened


def mentions(base: kb.KnowledgeBase, term: str) -> list[tuple[str, str]]:
    edges = base.refs(f"demo/term/{term}", direction="in", kinds=["mentions"]).edges
    return sorted((edge.evidence.page.rpartition("/")[2], edge.evidence.text) for edge in edges)


def test_any_inflection_and_the_longest_name(base: kb.KnowledgeBase) -> None:
    found = mentions(base, "引く")
    assert ("ドロー・ステップ", "引い") in found and ("手順", "引か") in found
    assert ("手順", "ドローステップ") in mentions(base, "ドロー・ステップ")


def test_the_sites_own_link_is_not_contradicted(base: kb.KnowledgeBase) -> None:
    """The word カウンター is a link to another term there."""
    assert ("打ち消す", "カウンター") not in mentions(base, "カウンター")
    assert ("カウンター", "カウンター") in mentions(base, "カウンター")


def test_each_edge_has_its_words(base: kb.KnowledgeBase) -> None:
    for name in PAGES:
        edges = base.refs(f"demo/term/{name}", direction="in", kinds=["mentions"]).edges
        assert edges, name
        for edge in edges:
            [passage] = base.show(edge.evidence.passage).matches
            assert passage.text is not None
            assert passage.text[edge.evidence.start : edge.evidence.end] == edge.evidence.text
            assert edge.target_label == name and edge.status == "resolved"


NAMES = {
    "引く": ("引く", "カードを引く"),
    "カード": ("カード",),
    "山札": ("山札",),
    "山札の一番上": ("山札の一番上",),
    "唱える": ("唱える",),
    "印": ("印", "カウンター"),
    "打ち消す": ("打ち消す", "カウンター"),
    "神": ("神",),
    "神の加護": ("神の加護",),
    "死": ("死",),
}


@pytest.fixture(scope="module")
def annotator() -> Annotator:
    names = [("g", f"g/term/{term}", name) for term, names in NAMES.items() for name in names]
    return Annotator(spellings(names, tokenizer()), tokenizer())


def mentioned(annotator: Annotator, markup: str, lang: str = "ja") -> list[tuple[str, str]]:
    """The mentions in a text with links, as (words, term).

    markup: a link is `[words>page]`, or `[words>page:node,node]` with the nodes that it leads to.
    """
    text, links = "", []
    for before, words, target in re.findall(r"([^\[]*)(?:\[([^>\]]*)>([^\]]*)\])?", markup):
        start = len(text) + len(before)
        text += before + words
        if target:
            label, _, nodes = target.partition(":")
            given = frozenset(f"g/{node}" for node in nodes.split(",") if node)
            links.append(SiteLink(start, len(text), given, label))
    found = annotator([PassageText("g", lang, text, tuple(links))])[0].mentions
    assert all(mention.node == f"g/term/{mention.label}" for mention in found)
    return [(text[mention.start : mention.end], mention.label) for mention in found]


@pytest.mark.parametrize(
    ("markup", "wanted"),
    [
        # A name around links, and its parts that the site links; the link may be of a verb's stem.
        (
            "ここで[カード>カード:term/カード]を[引>引く:term/引く]かせる",
            [("カード", "カード"), ("カードを引か", "引く"), ("引か", "引く")],
        ),
        (
            "[山札>山札:term/山札]の一番上を見る",
            [("山札", "山札"), ("山札の一番上", "山札の一番上")],
        ),
        ("それを[唱え>唱える:term/唱える]る間", [("唱える", "唱える")]),
        # A target that no page gives: the words say which term it is.
        ("[山札>やま]の一番上", [("山札", "山札"), ("山札の一番上", "山札の一番上")]),
        # Without links the longest name alone.
        (
            "山札の一番上でカードを引く",
            [("山札の一番上", "山札の一番上"), ("カードを引く", "引く")],
        ),
        # The site says which homonym, or that it is something else altogether.
        ("[カウンター>印:term/印]を置く。カウンター", [("カウンター", "印")]),
        ("[そうする>引く:term/引く]", [("そうする", "引く")]),
        ("[カード>引く:term/引く]を見る", [("カード", "引く")]),
        # The page of a term that shows cards in passing; the page of a card that is on terms, too.
        ("[引い>引く:term/引く,card/予言]た", [("引い", "引く")]),
        ("[神>《死の神》:card/死の神,term/神]", []),
        # The words of a card's name are no terms, but the card's name may be part of one.
        ("[死の神>死の神:card/死の神]が死", [("死", "死")]),
        ("[死の神>死の神/God of Death]が死", [("死", "死")]),
        ("《死の神》が死", [("死", "死")]),
        ("[《カード》>《カード》]", []),
        ("[神>神:card/神]の加護", [("神の加護", "神の加護")]),
        # A link to something unknown, which is no name, says nothing.
        ("[カードを引く方法>//example.org/]", [("カードを引く", "引く")]),
        ("[山札の話>山札#話]", [("山札", "山札")]),
        # Two links that cross a name at its ends leave it out.
        ("[この山札>束:term/印]の一番上", [("この山札", "印")]),
    ],
)
def test_links_and_names(annotator: Annotator, markup: str, wanted: list[tuple[str, str]]) -> None:
    assert mentioned(annotator, markup) == wanted


@pytest.mark.parametrize(
    ("name", "found", "not_found"),
    [
        ("あなた", ["あなた", "貴方", "アナタ"], ["あんた", "アンタ"]),
        ("無し", ["無し"], ["ねえ", "ねぇ"]),
        ("此方", ["此方", "こちら"], ["こっち"]),
        ("表", ["オモテ", "表"], []),
        ("生け贄", ["いけにえ", "生贄", "イケニエ"], []),
        ("プレイヤー", ["プレーヤー", "プレイヤー"], []),
        ("叩く", ["たたいた", "たたける", "叩ける", "叩こう"], []),
    ],
)
def test_a_name_is_found_in_its_spellings_but_not_as_another_word_of_that_meaning(
    name: str, found: list[str], not_found: list[str]
) -> None:
    names = spellings([("g", "g/term/x", name)], tokenizer())
    annotator = Annotator(names, tokenizer())
    assert found
    for word in found + not_found:
        text = f"それは{word}。"
        spans = [m[2:] for m in annotator([PassageText("g", "ja", text, ())])[0].mentions]
        assert bool(spans) == (word in found), word


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("引く", "山札から引き、引き出し、引き分けに引っかかる", ["引き"]),
        ("引く", "引き始める。引き直す。引きながら", ["引き", "引き", "引き"]),
        ("効果", "効果音と効果的な効果の効果化、効果する", ["効果", "効果", "効果"]),
        ("色", "金色や黄色の色", ["色"]),
        ("無効化", "それを無効化する。無効化できる", ["無効化", "無効化"]),
        ("カード", "カードプールのカード", ["カード", "カード"]),
        ("出す", "思い出すのは場に出すとき", ["出す"]),
    ],
)
def test_a_name_inside_a_longer_word_is_no_mention(name: str, text: str, found: list[str]) -> None:
    annotator = Annotator(spellings([("g", "g/term/x", name)], tokenizer()), tokenizer())
    spans = [m[2:] for m in annotator([PassageText("g", "ja", text, ())])[0].mentions]
    assert [text[start:end] for start, end in spans] == found


def test_in_other_languages_only_links_are_mentions(annotator: Annotator) -> None:
    markup = "Then [draw>引く:term/引く] カード"
    assert mentioned(annotator, markup, "en") == [("draw", "引く")]


def test_many_links_in_one_passage_cost_no_more_than_their_number(annotator: Annotator) -> None:
    """Links inside one another, over many names: each name is compared with few of them."""
    text = "カードを引く。" * 8000
    links = tuple(SiteLink(n, len(text) - n, frozenset(), "神") for n in range(0, 20_000, 2))
    assert annotator([PassageText("g", "ja", text, links)])[0].mentions


def wiki(folder: Path, pages: dict[str, str]) -> None:
    """Write pages of a MediaWiki, as their source."""
    (folder / "manifest.jsonl").unlink(missing_ok=True)
    for number, (name, text) in enumerate(pages.items()):
        url = f"http://mtgwiki.com/index.php?title={name}&action=raw"
        described(folder, {f"{number}.wiki": text}, url=url)


def test_a_link_to_a_redirect_is_a_mention_also_when_that_changes(tmp_path: Path) -> None:
    pages = {
        "引く": "引くとは手札を増やすことである。",
        "捨てる": "捨てるとは手札を減らすことである。",
        "手札の増減": "#転送 [[引く]]",
        "心得": "毎回[[手札の増減|これ]]を忘れないこと。",
    }
    graphs = []
    for target in ("引く", "捨てる", "心得", "引く"):
        wiki(tmp_path / "wiki", pages | {"手札の増減": f"#転送 [[{target}]]"})
        found = []
        for file in ("updated.db", f"{len(graphs)}.db"):  # updated, and built from nothing
            kb.build([tmp_path / "wiki"], tmp_path / file)
            with closing(sqlite3.connect(tmp_path / file)) as db:
                found.append(
                    db.execute(
                        "SELECT term.id, p.id, e.start FROM edge e "
                        "JOIN node term ON term.key = e.target JOIN node p ON p.key = e.passage "
                        "WHERE e.kind = 'mentions' ORDER BY 1, 2, 3"
                    ).fetchall()
                )
        assert found[0] == found[1]
        graphs.append([term for term, passage, _ in found[0] if passage.startswith("mtgwiki/心得")])
    assert graphs == [["mtg/term/引く"], ["mtg/term/捨てる"], ["mtg/term/心得"], ["mtg/term/引く"]]


CARD_PAGES = {
    "引く": "*引く/Draw [#top]\n手札を増やすこと。~\n-[[手札]]\n",
    "手札": "*手札 [#top]\n持っているもの。~\n-[[引く]]\n",
    "《手札の番人》": "*《手札の番人》\n"
    "|~手札|引くと増える。|\n|~[[引く]]|手札が増える。|\n|~フレーバー|手札を見せるな。|\n"
    "|手札|引く|\n手札を引く。~\n",
    "一覧": "*一覧\n|~手札|~引く|\n|~手札|見る。|\n",
}


def test_labels_and_names_in_a_cards_box_are_no_mentions(tmp_path: Path) -> None:
    for name, text in CARD_PAGES.items():
        (tmp_path / f"{name.encode().hex().upper()}.txt").write_text(text, "utf-8")
    with base_of([tmp_path], tmp_path / "kb.db", game="dm") as base:
        found = [
            (edge.evidence.passage.rpartition("/")[2].partition("#")[0], edge.evidence)
            for term in ("手札", "引く")
            for edge in base.refs(f"dm/term/{term}", direction="in", kinds=["mentions"]).edges
        ]
        on_card = sorted(
            (evidence.passage.rpartition("¶")[2], evidence.start, evidence.text)
            for page, evidence in found
            if page == "《手札の番人》"
        )
    assert on_card == [
        ("2", 3, "引く"),  # a row 手札⇥引くと増える。
        ("3", 3, "手札"),
        ("5", 0, "手札"),
        ("5", 3, "引く"),
        ("6", 0, "手札"),
        ("6", 3, "引く"),
    ]
    assert [evidence.text for page, evidence in found if page == "一覧"] == ["手札", "手札", "引く"]


CAPTURE = """\
隠し事の決まり
総合ルールビューア
9.
隠し事
9.1
プレイヤー
が
カード
を
引
くときは、
山札
の上から取る。
9.2
カードを引く
とは、
山札
から取ることである。
© 2024
"""


def test_links_of_a_text_capture(tmp_path: Path) -> None:
    """Each link stands on a line of its own there. 9.2 gives a longer name, which 9.1 has, too."""
    described(tmp_path, {"rules.txt": CAPTURE}, url="http://whisper.wisdom-guild.net/cr/r/9")
    with base_of([tmp_path], tmp_path / "kb.db") as base:
        found = {
            (term, edge.evidence.passage.rpartition("¶")[2], edge.evidence.text)
            for term in ("引く", "カードを引く", "山札", "カード")
            for edge in base.refs(f"mtg/term/{term}", direction="in", kinds=["mentions"]).edges
        }
        hits = base.search("取る", mentions="引く").hits
    assert found == {
        ("カード", "2", "カード"),
        ("引く", "2", "引く"),
        ("カードを引く", "2", "カードを引く"),
        ("山札", "2", "山札"),
        ("カードを引く", "3", "カードを引く"),
        ("山札", "3", "山札"),
    }
    assert [hit.node.id.rpartition("¶")[2] for hit in hits] == ["2"]


# The lines of a section of the rules, as captured, that are links to its glossary; labelled by
# hand. A verb is linked without its ending.
LINKED_VERBS = {
    "引": "引く", "唱え": "唱える", "支払": "支払う", "動か": "動かす", "与え": "与える",
    "として扱": "として扱う",
}  # fmt: skip
LINKED_NOUNS = (
    "カード プレイヤー ライブラリー 手札 ドロー・ステップ ターン起因処理 呪文 能力 コスト 効果 "
    "置換効果 軽減効果 公開 アクティブ・チーム アクティブ・プレイヤー 優先権 状況起因処理 "
    "誘発 起動 特性 裏向き イベント 不正な処理 「共有チーム・ターン」選択ルール"
).split()


@pytest.mark.shared
def test_every_term_link_of_the_captured_rules_is_a_mention(
    shared: Path, built: Callable[..., kb.KnowledgeBase]
) -> None:
    """Measured: all 214 links in the section's rules but those of 場合, also all 50 of 引."""
    [capture] = (shared / "seeds").glob("002_*.txt")
    links = list(linked_lines(capture.read_text("utf-8")))
    base = built(shared / "seeds")
    found = mentions_of_rules(base.file)
    hits = [
        any(
            (rule, found_term) == (found_rule, term) and start <= place < end
            for found_rule, found_term, start, end in found
        )
        for rule, term, place in links
    ]
    drawn = [hit for hit, (_, term, _) in zip(hits, links, strict=True) if term == "引く"]
    assert len(links) == 214 and sum(hits) >= 0.98 * 214
    assert len(drawn) == 50 and all(drawn)
    shown = base.search("カード", most=1000, mentions="引く", source="wisdom-guild").hits
    assert {rule for rule, term, _ in links if term == "引く"} <= {hit.node.number for hit in shown}


def linked_lines(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield (rule, term, offset in the rule's text) of each line that is a link, by lines alone."""
    terms = LINKED_VERBS | {noun: noun for noun in LINKED_NOUNS}
    rule, length = "", 0
    for line in map(str.strip, text.partition("総合ルールビューア")[2].splitlines()):
        if re.fullmatch(r"121\.\d+[a-z]?", line):
            rule, length = line, len(line) + 1
        elif rule and line.startswith("©"):
            return
        elif rule:
            if line in terms:
                yield rule, terms[line], length
            length += len(line)


def mentions_of_rules(path: Path) -> list[tuple[str, str, int, int]]:
    """Return (number of a rule, term, start, end) of all mentions that start from rules."""
    with closing(sqlite3.connect(path)) as db:
        return db.execute(
            'SELECT rule.number, substr(term.id, 10), e.start, e."end" FROM edge e '
            "JOIN node rule ON rule.key = e.source JOIN node term ON term.key = e.target "
            "WHERE e.kind = 'mentions' AND rule.kind = 'rule'"
        ).fetchall()


@pytest.mark.shared
@pytest.mark.parametrize(
    ("folder", "named", "links", "least"),
    [("seeds", "002_", 234, 0.97), ("pages/wisdom-guild", "card_", 447, 0.95)],
)
def test_the_sites_term_links_are_found_in_the_text_alone(
    shared: Path, folder: str, named: str, links: int, least: float
) -> None:
    """Measured: 0.991 of the 234 links of a section of the rules, 0.980 of the cards' 447. Of links
    to what only joins sentences none is looked for."""
    stated = [
        (
            passage,
            link,
            dictionary_form(passage.text, tokenizer()(passage.text), link.start, link.end),
        )
        for page in pages(shared / folder, named)
        for passage in page.passages
        for link in passage.links
        if link.kind == "glossary"
    ]
    assert len(stated) == links
    terms = {term for _, _, term in stated}
    linker = NameLinker((term, way) for term in terms for way in search_keys(term, tokenizer()))
    named = [one for one in stated if one[2] != "場合"]  # the site's `if`: it only joins sentences
    found = sum(spoken_of(linker, *one) for one in named)
    assert found >= least * len(named) > 200 * least


def spoken_of(linker: NameLinker, passage: Passage, link: Link, term: str) -> bool:
    return any(
        term in mention.terms and mention.start < link.end and link.start < mention.end
        for mention in linker.mentions(*tokenizer().entries(passage.text))
    )


def pages(folder: Path, named: str) -> Iterator[Page]:
    for shot in snapshots(folder, Hints()):
        if isinstance(shot, Snapshot) and named in shot.where:
            yield from read_pages(shot)[0]
