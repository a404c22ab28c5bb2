"""The commands about a whole knowledge base: export, audit, stats, and what a build prints."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wcwidth import wcswidth

import kb
from graphs.model import Edge, Evidence
from kb.interchange.export import FORMATS
from kb.knowledge.links import WIKI_PART, is_of_wiki
from kb.query.audit import reason_in_general
from tests.altered import altering
from tests.building.test_builds_that_shrink import write_pages
from tests.commands import run


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("whole") / "sample.db"
    kb.build(kb=found)
    return found


@pytest.fixture
def copy(path: Path, tmp_path: Path) -> Path:
    """The sample, to be changed."""
    return Path(shutil.copy(path, tmp_path / "copy.db"))


def change(path: Path, statement: str) -> None:
    with altering(path) as db:
        db.executescript(statement)


# -- export -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["x.jsonl", "x.JSONL", "x.ndjson", "a.b.jsonl"])
def test_export_by_the_suffix(path: Path, tmp_path: Path, name: str) -> None:
    with kb.open(path) as base:
        assert base.export(tmp_path / name).format == "jsonl"
    assert json.loads((tmp_path / name).read_text("utf-8").splitlines()[0])["node"]


def test_formats_have_names_of_their_own() -> None:
    assert len({known.name for known in FORMATS}) == len(FORMATS)
    assert all(s.startswith(".") and s == s.lower() for known in FORMATS for s in known.suffixes)


# -- audit --------------------------------------------------------------------------------------


def test_citations_come_first_and_links_last(path: Path) -> None:
    with kb.open(path) as base:
        found = base.audit()
    kinds = list(dict.fromkeys(edge.kind for edge in found.dangling))
    assert kinds[0] == "cites" and kinds[-1] == "links_to"
    assert list(found.reasons) == kinds
    assert sum(sum(reasons.values()) for reasons in found.reasons.values()) == len(found.dangling)
    assert sum(target.edges for target in found.missing) == len(found.dangling)
    text = run("audit", "--kb", path).stdout
    assert text.index("  cites") < text.index("  links_to")


@pytest.mark.parametrize("given", [["cites"], ["cites", "mentions"]])
def test_dangling_edges_of_some_kinds(path: Path, given: list[str]) -> None:
    with kb.open(path) as base:
        every = base.audit()
        found = base.audit(given)
        assert found.dangling == tuple(edge for edge in every.dangling if edge.kind in given)
        assert found.missing == every.missing
        assert base.audit("cites").dangling == base.audit(["cites"]).dangling
    for edge in found.dangling:
        assert {edge.source, edge.evidence.passage, edge.evidence.page} <= set(found.nodes)
    repeated = [word for kind in given for word in ("--dangling", kind)]
    text = run("audit", *repeated, "--kb", path).stdout
    assert text == run("audit", "--dangling", ",".join(given), "--kb", path).stdout
    for edge in found.dangling:
        assert edge.target_label in text
        page = found.nodes[edge.evidence.page]
        assert (page.label or "") in text and (page.url or "") in text
    document = json.loads(run("audit", *repeated, "--kb", path, "--json").stdout)
    assert len(document["dangling"]) == len(found.dangling)


def test_an_unknown_kind_of_edge(path: Path) -> None:
    done = run("audit", "--dangling", "cite", "--kb", path)
    assert done.exit_code == 2 and "nearest: cites" in done.stderr


def test_what_is_lost_stands_first(copy: Path) -> None:
    change(copy, "UPDATE capture SET chars = chars + 7 WHERE key = 1")
    text = run("audit", "--kb", copy).stdout
    assert text.splitlines()[0].startswith("7 characters lost")
    assert text.splitlines()[-1].startswith("7 characters lost")


def dangling(label: str, reason: str) -> Edge:
    return Edge("links_to", "w/p¶1", None, label, Evidence("w/p", "w/p¶1", 0, 1, "x"), reason)


@pytest.mark.parametrize(
    "label",
    ["search.php", "Special:検索", "特別:最近", "User talk:某", "利用者‐会話:某", "index.php?a"],
)
def test_pages_of_a_wiki_itself(label: str) -> None:
    assert is_of_wiki(label)


@pytest.mark.parametrize("label", ["引く", "Specialist", "《特別：な札》", "php", "CR:121.4"])
def test_other_pages(label: str) -> None:
    assert not is_of_wiki(label)
    edge = dangling(label, f"page {label} is not in this knowledge base")
    assert reason_in_general(edge) == "page … is not in this knowledge base"


def test_pages_of_a_wiki_itself_come_last(copy: Path) -> None:
    change(
        copy,
        f"UPDATE edge SET label = 'search.php', reason = '{WIKI_PART}' "
        "WHERE target IS NULL AND kind = 'links_to' AND rowid % 3 > 0",
    )
    with kb.open(copy) as base:
        targets = [target for target in base.audit().missing if target.kind == "links_to"]
    assert targets[-1].reason == WIKI_PART and targets[-1].edges > targets[0].edges
    text = run("audit", "--kb", copy).stdout
    assert "search.php" not in text and WIKI_PART in " ".join(text.split())


# -- stats --------------------------------------------------------------------------------------


def test_what_is_whole_and_what_is_a_part(copy: Path) -> None:
    with kb.open(copy) as base:
        books = {(book.edition, book.lang): book for book in base.stats().rulebooks}
    assert books["20231117", "ja"].rules > 100
    change(
        copy,
        "INSERT INTO book SELECT game, edition, 'zh', position, 100, total, 0 FROM book "
        "WHERE edition = '20231117' AND lang = 'ja'; UPDATE book SET rules = rules - 100 "
        "WHERE edition = '20231117' AND lang = 'ja'",
    )
    document = json.loads(run("stats", "--kb", copy, "--json").stdout)
    whole = {(book["edition"], book["lang"]): book["whole"] for book in document["rulebooks"]}
    assert not whole["20231117", "zh"]
    with kb.open(copy) as base:
        assert ("20231117", "zh") in {(part.edition, part.lang) for part in base.audit().parts}
    assert "Not whole" in run("audit", "--kb", copy).stdout
    assert sum(book["rules"] for book in document["rulebooks"]) == document["kinds"]["rule"]
    assert "part: " in run("stats", "--kb", copy).stdout
    pages = sum(sum(sources.values()) for sources in document["pages"].values())
    assert pages == document["kinds"]["page"]


# -- what a build prints ------------------------------------------------------------------------


def test_warnings_that_say_the_same_are_one(tmp_path: Path) -> None:
    pages = write_pages(tmp_path / "pages", "甲乙丙")
    for number in range(5):
        (pages / f"{number}.html").write_bytes(b"")
    done = run("build", pages, "--kb", tmp_path / "x.db")
    assert done.exit_code == 0 and done.stderr.count("an empty file") == 1
    assert "(5 times)" in done.stderr and "and 2 more" in done.stderr
    assert "3 pages of mtgwiki" in done.stdout and "sansho audit --kb" in done.stdout
    for name in "甲乙丙":
        (pages / f"{name}.txt").unlink()
    write_pages(pages, "甲丁戊")
    done = run("build", pages, "--kb", tmp_path / "x.db", "--replace")
    assert "−2" in done.stdout and "− page mtgwiki/乙" in done.stdout
    (pages / "丁.txt").unlink()
    change(tmp_path / "x.db", "UPDATE meta SET value = 'x' WHERE key = 'made by'")
    done = run("build", pages, "--kb", tmp_path / "x.db")
    assert "went" in done.stdout and "− page mtgwiki/丁" in done.stdout


@pytest.mark.parametrize("columns", [40, 80, 120])
@pytest.mark.parametrize(
    "command", ["audit", "audit --dangling cites,links_to", "stats", "build --again"]
)
def test_lines_fit(path: Path, command: str, columns: int) -> None:
    done = run(*command.split(), "--kb", path, columns=columns)
    assert done.exit_code == 0
    for line in done.stdout.splitlines():
        # Addresses and commands are never broken.
        if not line.strip().startswith(("http", "sansho ")):
            assert wcswidth(line) <= columns, line
            assert line == line.rstrip() and not line.strip().startswith(("。", "、"))


# -- demo ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The demo's knowledge base, and what the demo prints."""
    file = tmp_path_factory.mktemp("demo") / "demo.db"
    for _ in range(2):  # again over its own file
        done = run("demo", "--kb", file, columns=120)
        assert done.exit_code == 0
    return file, done.stdout


@pytest.mark.slow
def test_the_demo_answers_as_ask_does(demo: tuple[Path, str]) -> None:
    """In the same words, on the terminal and as JSON; they cite rules, and are a paraphrase."""
    file, text = demo
    assert "敗北" in text and "not the official text" in text and re.search(r"cites +\d", text)
    document = json.loads(run("demo", "--kb", file, "--json").stdout)
    words = ("ask", document["question"], "--top", "3", "--kb", file)
    assert json.loads(run(*words, "--json").stdout) == document
    asked = run(*words, columns=120).stdout
    assert asked in text and text.index("sansho show 121.4") > text.index(asked)


@pytest.mark.slow
def test_commands_that_the_demo_names_work(demo: tuple[Path, str]) -> None:
    commands = [
        line.partition("sansho ")[2].split()
        for line in demo[1].splitlines()
        if "sansho " in line and "--kb" in line
    ]
    assert len(commands) == 4
    for command in commands:
        assert run(*command).exit_code == 0


# -- progress -----------------------------------------------------------------------------------


def phases(build: Callable[[Callable[[kb.BuildProgress], None]], Any]) -> list[kb.BuildProgress]:
    told: list[kb.BuildProgress] = []
    build(told.append)
    return told


def test_progress_names_what_is_done(tmp_path: Path) -> None:
    pages, path = write_pages(tmp_path / "pages", "甲乙丙丁"), tmp_path / "x.db"
    told = phases(lambda progress: kb.build(pages, path, progress=progress))
    names = list(dict.fromkeys(progress.phase for progress in told))
    assert names[:3] == ["comparing with the last build", "looking for files", "reading"]
    assert names[-1] == "indexing and writing" and "finding mentions" in names
    assert all(progress.phase for progress in told)
    reading = [progress for progress in told if progress.phase == "reading" and progress.place]
    assert [progress.done for progress in reading] == [0, 1, 2, 3]
    assert {progress.total for progress in reading} == {4}
    assert [Path(progress.place).stem for progress in reading] == sorted("甲乙丙丁")
    mentions = [progress for progress in told if progress.phase == "finding mentions"]
    assert mentions[-1].done == mentions[-1].total == 8
    (pages / "甲.txt").write_text("甲\n提供:MTG Wiki\n甲は札を引く。", "utf-8")
    told = phases(lambda progress: kb.build(pages, path, progress=progress))
    assert [(p.done, p.total) for p in told if p.phase == "reading what changed"][-1] == (1, 1)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_progress_on_a_terminal_and_nothing_elsewhere(tmp_path: Path) -> None:
    import pty
    import subprocess

    from tests.building.test_build import COMMAND

    pages = write_pages(tmp_path / "pages", "甲乙丙丁")
    words = [*COMMAND, "build", str(pages), "--kb", str(tmp_path / "x.db"), "--json"]
    quiet = subprocess.run(words, capture_output=True, text=True, check=True)
    assert quiet.stderr == "" and json.loads(quiet.stdout)["pages"] == 4
    (tmp_path / "x.db").unlink()
    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=child, env=environment, check=True)
    os.close(child)
    seen = b""
    try:
        while chunk := os.read(parent, 4096):
            seen += chunk
    except OSError:  # the end, as Linux says it
        pass
    os.close(parent)
    assert json.loads(done.stdout)["pages"] == 4
    assert "indexing and writing" in seen.decode("utf-8", "replace")
