"""Wikis that are written to be measured: they build as real ones do, and can be asked."""

from __future__ import annotations

from pathlib import Path

import pytest

import kb
from benchmarks.growth import ask, beside_graphs, beside_searches, contents
from benchmarks.synthetic import write, write_shards
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_there_is_all_that_wikis_have(built: tuple[kb.BuildReport, Path]) -> None:
    found, _ = built
    kinds = {"section", "passage", "term", "rule", "card", "ruling", "procedure", "step", "outcome"}
    assert kinds <= found.nodes.keys()
    assert {"links_to", "cites", "mentions", "defines", "redirects_to"} <= found.edges.keys()


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("form", ["warc", "parquet"])
def test_shards_give_the_graph_of_the_folder(
    built: tuple[kb.BuildReport, Path], tmp_path: Path, form: str
) -> None:
    """All but the places of captures: addresses and types suffice to know what a page is."""
    write_shards(PAGES, tmp_path / "shards", shards=3, form=form)
    found = kb.build([tmp_path / "shards"], tmp_path / "shards.db")
    assert len(list((tmp_path / "shards").glob("shard-*"))) == 3 and found.warnings == ()
    exports = []
    for path in (built[1], tmp_path / "shards.db"):
        with kb.open(path) as base:
            base.export(tmp_path / "x.jsonl")
        exports.append((tmp_path / "x.jsonl").read_bytes())
    assert exports[0] == exports[1]


@pytest.mark.parametrize("form", ["warc", "parquet"])
def test_the_same_seed_gives_the_same_shards(tmp_path: Path, form: str) -> None:
    contents_of = []
    for name in ("first", "second"):
        write_shards(PAGES, tmp_path / name, shards=2, form=form)
        contents_of.append([path.read_bytes() for path in sorted((tmp_path / name).iterdir())])
    assert contents_of[0] == contents_of[1] and len(contents_of[0]) == 3  # and the rulebook


@pytest.mark.slow
def test_it_can_be_asked_all_that_is_measured(
    built: tuple[kb.BuildReport, Path], tmp_path: Path
) -> None:
    path, size = built[1], Size(PAGES)
    with Store(path) as store, kb.open(path) as base:
        size.figures |= contents(store.db, path)
        chosen = drawn(store.db, 12)
        size.times |= ask(base, loads(chosen))
        size.beside |= beside_graphs(base, store, chosen, tmp_path)  # raises if any differs
        searched, same = beside_searches(base, store, chosen, tmp_path)
        size.beside |= searched
        assert not same < 100  # no number where tantivy is not installed
    twice = Size(2 * PAGES, size.figures, size.times, size.beside)
    lines = list(report([size, twice]))
    assert all(any(line.startswith(load.name) for line in lines) for load in loads(chosen))
    assert any("networkx" in line and "×1.0" in line for line in lines)
