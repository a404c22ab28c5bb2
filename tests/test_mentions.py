"""Where passages speak of terms, in a knowledge base as it is built."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kb
from kb.language.tokens import tokenizer
from kb.language.verbs import dictionary_form
from kb.resolve.mentions import NameLinker, search_keys
from scraper import Hints, Link, Page, Passage, Snapshot, read_pages, snapshots

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
    kb.build([folder], folder / "kb.db", game="demo")
    with kb.open(folder / "kb.db") as opened:
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
        for edge in base.refs(f"demo/term/{name}", direction="in", kinds=["mentions"]).edges:
            [passage] = base.show(edge.evidence.passage).matches
            assert passage.text is not None
            assert passage.text[edge.evidence.start : edge.evidence.end] == edge.evidence.text
            assert edge.target_label == name and edge.status == "resolved"


@pytest.mark.shared
@pytest.mark.parametrize(
    ("folder", "named", "links", "least"),
    [("seeds", "002_", 234, 0.97), ("pages/wisdom-guild", "card_", 447, 0.95)],
)
def test_the_sites_term_links_are_found_in_the_text_alone(
    shared: Path, folder: str, named: str, links: int, least: float
) -> None:
    """Measured: 0.991 of the 234 links of a section of the rules, 0.980 of the cards' 447."""
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
    found = sum(spoken_of(linker, *one) for one in stated)
    assert found >= least * links


def spoken_of(linker: NameLinker, passage: Passage, link: Link, term: str) -> bool:
    return any(
        term in mention.terms and mention.start < link.end and link.start < mention.end
        for mention in linker.mentions(*tokenizer().entries(passage.text))
    )


def pages(folder: Path, named: str) -> Iterator[Page]:
    for shot in snapshots(folder, Hints()):
        if isinstance(shot, Snapshot) and named in shot.where:
            yield from read_pages(shot)[0]
