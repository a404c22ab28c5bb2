"""Wikis that are written to be measured: they build as real ones do, and can be asked."""

from __future__ import annotations

from pathlib import Path

import pytest

import kb
from benchmarks.growth import ask, beside_graphs, beside_searches, contents
from benchmarks.synthetic import write
from benchmarks.table import Size, report
from benchmarks.workload import drawn, loads
from graphs.store.reader import Store

PAGES = 200


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("synthetic") / "wiki"
    write(PAGES, folder)
    return folder


@pytest.fixture(scope="module")
def built(wiki: Path) -> tuple[kb.BuildReport, Path]:
    path = wiki.parent / "wiki.db"
    return kb.build([wiki], path), path


def test_every_page_is_read_and_nothing_is_lost(built: tuple[kb.BuildReport, Path]) -> None:
    found, path = built
    assert found.warnings == ()
    assert found.pages == PAGES + 1  # and the rulebook
    with kb.open(path) as base:
        assert base.audit().lost == 0
        assert {page.source for page in base.nodes("page")} == {
            "mtgwiki",
            "yugioh-wiki",
            "dmwiki",
            "rulebook",
        }


def test_there_is_all_that_wikis_have(built: tuple[kb.BuildReport, Path]) -> None:
    found, _ = built
    kinds = {"section", "passage", "term", "rule", "card", "ruling", "procedure", "step", "outcome"}
    assert kinds <= found.nodes.keys()
    assert {"links_to", "cites", "mentions", "defines", "redirects_to"} <= found.edges.keys()


def test_links_lead_to_what_is_there(built: tuple[kb.BuildReport, Path]) -> None:
    with kb.open(built[1]) as base:
        pages = {page.id for page in base.nodes("page")}
        dangling = base.audit().dangling
    assert len(dangling) < built[0].edges["links_to"] / 2
    for edge in dangling:  # red links alone
        assert edge.kind in {"links_to", "mentions"}
        assert f"{edge.source.partition('/')[0]}/{edge.target_label}" not in pages


def test_the_same_seed_gives_the_same_bytes(wiki: Path, tmp_path: Path) -> None:
    def contents_of(folder: Path) -> dict[str, bytes]:
        files = (path for path in folder.rglob("*") if path.is_file())
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}

    write(PAGES, tmp_path / "again")
    write(PAGES, tmp_path / "other", seed=2)
    assert contents_of(tmp_path / "again") == contents_of(wiki)
    assert contents_of(tmp_path / "other") != contents_of(wiki)


def test_it_can_be_asked_all_that_is_measured(
    built: tuple[kb.BuildReport, Path], tmp_path: Path
) -> None:
    path, size = built[1], Size(PAGES)
    with Store(path) as store, kb.open(path) as base:
        size.figures |= contents(store.db, path)
        chosen = drawn(store.db, 12)
        for load in loads(chosen):
            size.times[load.name] = ask(base, load)
        size.beside |= beside_graphs(base, store, chosen, tmp_path)  # raises if any differs
        searched, same = beside_searches(base, store, chosen, tmp_path)
        size.beside |= searched
        assert not same < 100  # no number where tantivy is not installed
    twice = Size(2 * PAGES, size.figures, size.times, size.beside)
    lines = list(report([size, twice]))
    assert all(any(line.startswith(load.name) for line in lines) for load in loads(chosen))
    assert any("networkx" in line and "×1.0" in line for line in lines)
