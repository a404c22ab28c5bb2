"""A second build reads what changed, and gives the graph that a build from nothing gives."""

from __future__ import annotations

import bz2
import json
import os
import shutil
from pathlib import Path
from random import Random

import pytest

import kb
from benchmarks import crashes
from graphs.store.file.schema import VERSION
from kb.knowledge.names_changed_in_update import passages_with_name
from tests.altered import altering
from tests.building.test_build import exported, sansho
from tests.conftest import SAMPLE
from tests.edits import run
from tests.pages.test_wikitext import export, page_xml
from tests.rulebooks import base_of


@pytest.fixture(scope="module")
def first_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A knowledge base of the sample's pages in the folder `pages` beside it."""
    folder = tmp_path_factory.mktemp("renew")
    shutil.copytree(SAMPLE, folder / "pages")
    kb.build([folder / "pages"], folder / "x.db")
    return folder / "x.db"


@pytest.fixture
def pages(first_build: Path) -> Path:
    """The sample's pages, to be changed: always in one folder, and there as they were built."""
    folder = first_build.with_name("pages")
    shutil.rmtree(folder)
    return Path(shutil.copytree(SAMPLE, folder))


@pytest.fixture
def path(tmp_path: Path, pages: Path, first_build: Path) -> Path:
    """A knowledge base of them."""
    return Path(shutil.copy(first_build, tmp_path / "x.db"))


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), "utf-8")


def renewed(pages: Path, path: Path) -> kb.BuildReport:
    """Build again; the graph is that of a build from nothing."""
    report = kb.build([pages], path)
    other = path.with_name("other.db")
    other.unlink(missing_ok=True)
    whole = kb.build([pages], other)
    assert exported(path) == exported(other)
    assert (report.nodes, report.edges, report.warnings) == (
        whole.nodes,
        whole.edges,
        whole.warnings,
    )
    return report


# -- the same graph ---------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_any_sequence_of_edits(tmp_path: Path, seed: int) -> None:
    """`python -m tests.edits` runs 200 of them."""
    done = run(seed, tmp_path, rounds=2)
    assert done.differences == [], done.edits
    assert done.renewed == done.builds


@pytest.mark.slow
def test_nothing_changed(pages: Path, path: Path) -> None:
    """Then nothing is read, and the file is not written."""
    before = path.stat()
    report = kb.build([pages], path)
    assert (report.read, bool(report.changes)) == (0, False) and report.changes is not None
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_other_times_and_the_same_bytes(pages: Path, path: Path) -> None:
    for file in pages.rglob("*"):
        os.utime(file, (0, 0))
    assert kb.build([pages], path).read == 0


@pytest.mark.slow
def test_one_page_changed(pages: Path, path: Path) -> None:
    edit(pages / "mtgwiki" / "hand.html", "。", "。山札切れを見よ。")
    report = renewed(pages, path)
    assert report.read == 1 and report.changes
    assert report.changes.nodes["page"] == {"changed": 1}
    assert ("changed", "page", "mtgwiki/手札") in report.changes.named


@pytest.mark.slow
def test_what_changed_as_json(pages: Path, path: Path) -> None:
    shutil.copy(path, path.with_name("y.db"))
    (pages / "mtgwiki" / "library.html").unlink()
    done = sansho("build", pages, "--kb", path, "--json")
    assert done.returncode == 0, done.stderr
    said, changes = json.loads(done.stdout), kb.build([pages], path.with_name("y.db")).changes
    assert changes and said["changes"]["nodes"] == changes.nodes and "page" in changes.nodes
    assert said["changes"]["edges"] == changes.edges and changes.edges["links_to"]["changed"] > 3
    assert said["changes"]["named"] == [list(one) for one in changes.named]


@pytest.mark.slow
def test_a_page_gone_and_back(pages: Path, path: Path) -> None:
    file = pages / "mtgwiki" / "library.html"
    data = file.read_bytes()
    file.unlink()
    report = renewed(pages, path)
    assert report.read == 0 and report.changes and report.pages == 28
    assert report.changes.nodes["page"] == {"removed": 1}
    with kb.open(path) as base:
        [links] = {
            edge.status
            for edge in base.audit().dangling
            if edge.target_label == "ライブラリー" and edge.kind == "links_to"
        }
        assert links == "dangling"
    file.write_bytes(data)
    report = renewed(pages, path)
    assert report.changes and report.changes.nodes["page"] == {"added": 1}
    assert report.changes.edges["links_to"]["changed"] > 3  # they dangled, and lead there again


@pytest.mark.slow
def test_a_new_term_is_linked_where_it_was_spoken_of_before(pages: Path, path: Path) -> None:
    """Among them passages of pages that did not change."""
    new = pages / "mtgwiki" / "new.html"
    shutil.copy(pages / "mtgwiki" / "hand.html", new)
    new.write_text(new.read_text("utf-8").replace("手札", "条件"), "utf-8")
    report = renewed(pages, path)
    assert report.read == 1 and report.changes
    assert ("added", "term", "mtg/term/条件") in report.changes.named
    with kb.open(path) as base:
        found = base.refs("mtg/term/条件", direction="in", kinds=["mentions"]).edges
    assert len({edge.evidence.page for edge in found}) > 4
    new.unlink()
    renewed(pages, path)


@pytest.mark.slow
def test_a_renamed_file(pages: Path, path: Path) -> None:
    (pages / "mtgwiki" / "hand.html").rename(pages / "mtgwiki" / "te.html")
    assert renewed(pages, path).read == 1


@pytest.mark.slow
def test_what_a_manifest_says_counts(pages: Path, path: Path) -> None:
    manifest = pages / "manifest.jsonl"
    text = manifest.read_text("utf-8")
    line = next(line for line in text.splitlines() if "hand.html" in line)
    said = json.loads(line) | {"notice": ""}
    manifest.write_text(text.replace(line, json.dumps(said)), "utf-8")
    assert renewed(pages, path).read == 1


def test_a_page_of_a_dump(tmp_path: Path) -> None:
    """Of a dump, which is one file, the pages that changed are read."""
    dump, path = tmp_path / "dump.xml", tmp_path / "x.db"
    texts = {f"項目{n}": f"'''項目{n}'''は[[項目{n + 1}]]の次である。" for n in range(40)}
    for changed in (None, "項目7"):
        if changed:
            texts[changed] += "\n\n新しい段落。"
        dump.write_bytes(export(*(page_xml(title, text) for title, text in texts.items())))
        report = kb.build([dump], path)
    assert report.read == 1 and renewed(dump, path).pages == 40


@pytest.mark.parametrize("kind", ["{}.xml", "{}.xml.bz2"])
def test_a_page_in_two_dumps(tmp_path: Path, kind: str) -> None:
    """Which of them speaks does not depend on what else is in its dump."""
    others = [page_xml(f"項目{n}", f"文{n}。") for n in range(8)]
    dumps, path = [tmp_path / kind.format(name) for name in "ab"], tmp_path / "x.db"
    pack = bz2.compress if kind.endswith("bz2") else bytes
    for turn in range(6):
        for dump, text in zip(dumps, ("甲", "乙"), strict=True):
            same = page_xml("ドロー", f"ドローとは、{text}の文である。")
            new = page_xml("新", f"新とは文{turn}。")
            dump.write_bytes(pack(export(*[same, *others, new][:: 1 if text == "甲" else -1])))
        kb.build(dumps, path)
        anew = tmp_path / "anew.db"
        anew.unlink(missing_ok=True)
        kb.build(dumps, anew)
        assert exported(path) == exported(anew)
        with kb.open(path) as one, kb.open(anew) as other:
            captures = one.show("ドロー").captures
            assert captures == other.show("ドロー").captures and len(captures) == 1


@pytest.mark.slow
def test_hints_are_part_of_what_was_read(pages: Path, path: Path) -> None:
    with base_of([pages], path, game="other") as base:
        assert set(base.stats().games) == {"other"}


def test_a_page_whose_name_reads_like_a_passage_is_a_change_like_any(tmp_path: Path) -> None:
    folder, path = tmp_path / "pages", tmp_path / "x.db"
    folder.mkdir()
    for number in range(8):
        name = f"山{number or ''}".encode().hex().upper()
        (folder / f"{name}.txt").write_text("*甲\n一つ。\n", "utf-8")
    kb.build([folder], path, game="demo")
    (folder / f"{'山¶1'.encode().hex().upper()}.txt").write_text("*乙\n四つ。\n", "utf-8")
    report = kb.build([folder], path, game="demo")
    assert report.changes and report.read == 1
    kb.build([folder], tmp_path / "y.db", game="demo")
    assert exported(path) == exported(tmp_path / "y.db")


@pytest.mark.parametrize(
    ("way", "query"),
    [
        ("引く", '("引く")'),
        ("引くを", '("引く")'),
        ("を", None),
        ("山", ""),
        ("引く山", ""),
        ("表向き", '("向き" OR "表向き" OR "裏向き") AND ("表" OR "表向き")'),
    ],
)
def test_where_a_name_may_stand(way: str, query: str | None) -> None:
    known = {"引く": "引く", "を": "", "表": "表", "向き": "向き"}
    assert (
        passages_with_name(way, lambda pieces: [(p, p, known[p]) for p in pieces if p in known])
        == query
    )


def test_where_a_long_name_may_stand() -> None:
    """It can be put together of words in thousands of ways; the query stays short."""
    way = "やわらか戦車の難易度表" * 3
    query = passages_with_name(way, lambda pieces: [(p, p, p) for p in pieces if len(p) < 4])
    assert query and len(query) < 4000


# -- several captures -------------------------------------------------------------------------


@pytest.mark.slow
def test_the_newest_capture_speaks(pages: Path, path: Path) -> None:
    """An older one is named, and speaks where the newer goes."""
    new = pages / "later.html"
    shutil.copy(pages / "mtgwiki" / "hand.html", new)
    edit(new, "。", "。新しい話。")
    manifest = pages / "manifest.jsonl"
    before = manifest.read_text("utf-8")
    line = next(line for line in before.splitlines() if "hand.html" in line)
    said = json.loads(line) | {"file": "later.html", "taken": "2026-12-24T00:00:00Z"}
    manifest.write_text(f"{before}{json.dumps(said)}\n", "utf-8")
    report = renewed(pages, path)
    assert report.read == 1 and report.pages == 29
    with kb.open(path) as base:
        newest, older = base.show("mtgwiki/手札").captures["mtgwiki/手札"]
        assert (newest.place, newest.why_not) == (str(new), "")
        assert (older.taken, older.why_not) == ("2026-11-20T00:00:00Z", "older")
        assert base.search("新しい話").hits
    done = sansho("show", "mtgwiki/手札", "--kb", path)
    said = " ".join(done.stdout.split())
    assert "taken 2026-12-24T00:00:00Z" in said
    assert "not read older: " in said and "taken 2026-11-20T00:00:00Z" in said
    new.unlink()
    manifest.write_text(before, "utf-8")
    renewed(pages, path)
    with kb.open(path) as base:
        [only] = base.show("mtgwiki/手札").captures["mtgwiki/手札"]
        assert only.why_not == "" and not base.search("新しい話").hits


def test_a_newer_capture_that_breaks_off_does_not_speak(pages: Path, path: Path) -> None:
    data = (pages / "mtgwiki" / "hand.html").read_bytes()
    (pages / "later.html").write_bytes(data[: data.index(b"printfooter")])
    manifest = pages / "manifest.jsonl"
    line = next(one for one in manifest.read_text("utf-8").splitlines() if "hand.html" in one)
    said = json.loads(line) | {"file": "later.html", "taken": "2026-12-24T00:00:00Z"}
    with manifest.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(said) + "\n")
    with base_of([pages], path) as base:
        whole, broken = base.show("mtgwiki/手札").captures["mtgwiki/手札"]
    assert (whole.why_not, broken.why_not) == ("", "it breaks off")


# -- other makers, other files ----------------------------------------------------------------


@pytest.mark.slow
def test_another_sansho_reads_all(pages: Path, path: Path) -> None:
    with altering(path) as db:
        db.execute("UPDATE meta SET value = 'another' WHERE key = 'made by'")
    assert kb.build([pages], path).changes is None


@pytest.mark.slow
def test_an_older_schema_is_built_again(pages: Path, path: Path) -> None:
    """On request, and never read as it is; it knows what it was built from."""
    with altering(path, without_checksum=True) as db:
        db.execute(f"PRAGMA user_version = {VERSION - 1}")
    done = sansho("show", "引く", "--kb", path)
    assert done.returncode == 2 and "with --again" in done.stderr
    done = sansho("build", "--again", "--kb", path)
    assert done.returncode == 0 and "29 pages" in done.stdout
    assert sansho("show", "引く", "--kb", path).returncode == 0
    done = sansho("build", pages, "--again", "--kb", path)
    assert done.returncode == 2 and "not both" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_file_is_built_from_nothing(pages: Path, path: Path, seed: int) -> None:
    """It is told what is wrong with it, and a build begins anew."""
    rng, data = Random(seed), bytearray(path.read_bytes())
    at = rng.randrange(4096, len(data) // 2)
    data[at : len(data) if seed % 2 else at + 40_000] = b"" if seed % 2 else b"?" * 40_000
    path.write_bytes(data)
    done = sansho("export", "--format", "jsonl", "--out", path.with_suffix(".jsonl"), "--kb", path)
    assert done.returncode == 2 and "x.db" in done.stderr and "Traceback" not in done.stderr
    edit(pages / "mtgwiki" / "hand.html", "。", "。山札切れを見よ。")
    report = kb.build([pages], path)
    assert report.pages == 29 and report.changes is None


@pytest.mark.slow
def test_when_no_page_is_left_the_old_ones_are_kept(tmp_path: Path) -> None:
    folder, path = tmp_path / "pages", tmp_path / "x.db"
    folder.mkdir()
    shutil.copy(SAMPLE / "dmwiki" / "tsukau.html", folder)
    kb.build([folder], path)
    before = exported(path)
    (folder / "tsukau.html").write_bytes(b"")
    done = sansho("build", folder, "--kb", path)
    assert done.returncode == 2 and "no page in it" in done.stderr
    assert exported(path) == before and not list(tmp_path.glob(".*.building"))


@pytest.mark.slow
@pytest.mark.parametrize("data", [b"notes that nobody wants to lose\n" * 9, b"SQLite format 3\0"])
def test_a_file_that_is_no_knowledge_base_is_not_replaced(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "notes.db"
    path.write_bytes(data)
    done = sansho("build", SAMPLE / "dmwiki", "--kb", path)
    assert done.returncode == 2 and "no knowledge base" in done.stderr
    assert path.read_bytes() == data


@pytest.mark.slow
@pytest.mark.parametrize("command", ["build", "demo", "show 引く", "stats"])
def test_a_device_is_no_knowledge_base(tmp_path: Path, command: str) -> None:
    device = tmp_path / "x.db"
    os.mkfifo(device)
    done = sansho(*command.split(), "--kb", device)
    assert done.returncode == 2, done.stderr
    assert "named pipe" in done.stderr or "no knowledge base" in done.stderr
    assert device.is_fifo() and done.stderr.count("\n") == 1


def test_a_link_to_a_knowledge_base_stays_one(tmp_path: Path, pages: Path, path: Path) -> None:
    link = tmp_path / "elsewhere" / "link.db"
    link.parent.mkdir()
    link.symlink_to(path)
    edit(pages / "mtgwiki" / "hand.html", "。", "。山札切れを見よ。")
    assert kb.build([pages], link).read == 1 and link.is_symlink()
    assert kb.build([pages], path).read == 0
    assert [file.name for file in link.parent.iterdir()] == ["link.db"]


# -- crashes and neighbours -------------------------------------------------------------------


@pytest.mark.slow
def test_struck_by_signals_and_without_room(tmp_path: Path) -> None:
    """`python -m benchmarks.crashes` does it 1,600 times."""
    words = ["--only", "builds", "--kills", "1", "--full", "1", "--pages", "12"]
    seen = crashes.measure(crashes.arguments(words), tmp_path)
    assert sum(seen.values()) >= 4  # and one without room, where that can be had
    assert not [outcome for _, outcome in seen if outcome.startswith("WRONG")]


@pytest.mark.slow
def test_a_copy_made_while_it_is_renewed(pages: Path, path: Path) -> None:
    """A reader that has it open and a copy of the file are as whole as before and after."""
    before = exported(path)
    edit(pages / "mtgwiki" / "hand.html", "。", "。見慣れない話である。")
    copies = []

    def copy(_: kb.BuildProgress) -> None:
        copies.append(Path(shutil.copy(path, path.with_name(f"copy{len(copies)}.db"))))

    with kb.open(path) as reader:
        kb.build([pages], path, progress=copy)
        assert not reader.search("見慣れない話").hits
    different = {one.read_bytes(): one for one in copies}.values()
    assert copies and {exported(one) for one in different} == {before}
    assert exported(path) != before
