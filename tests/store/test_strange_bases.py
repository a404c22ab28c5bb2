"""A knowledge base that somebody sent answers, or says in one line what is wrong with it.

Its maker can put anything into it: what it defines, any value into any column, rows that refer to
each other in circles. The checksum at its end is right.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import kb
from benchmarks.fuzz.odd_cells import without_types
from graphs.store.file import untrusted_file
from graphs.store.file.file_checks import definitions_by_sqlite, written_definitions
from graphs.store.file.schema import append_trailer, drop_trailer
from graphs.store.reader import Store
from graphs.store.validation import faults
from kb.building.recorded_sources import Origin
from tests.altered import altering
from tests.commands import run
from tests.conftest import SAMPLE

_ENDLESS = (
    "CREATE VIEW {} AS WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
    "SELECT CAST(x AS TEXT) AS key, x AS value FROM n"
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("whole") / "kb.db"
    kb.build([SAMPLE], file)
    return file


@pytest.fixture
def sent(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copyfile(whole, tmp_path / "kb.db"))


def alter(file: Path, *statements: str, freely: bool = False) -> None:
    """Run SQL on a file; its checksum is right again. freely: as if columns had no types."""
    drop_trailer(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        before = db.execute("SELECT sql, name FROM sqlite_schema").fetchall()
    if freely:
        _define(file, [(without_types(sql), name) for sql, name in before])
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema = ON")
        for statement in statements:
            db.execute(statement)
    if freely:
        _define(file, before)
    append_trailer(file)


def _define(file: Path, definitions: list[tuple[str, str]]) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.executemany("UPDATE sqlite_schema SET sql = ? WHERE name = ?", definitions)


def refused(file: Path, *words: str) -> str:
    """Ask a command that must be refused in one line; return the line."""
    done = run(*words, of=file)
    assert done.exit_code == 2 and isinstance(done.exception, SystemExit), done.output
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_what_a_file_defines_is_known() -> None:
    assert written_definitions() == definitions_by_sqlite()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (_ENDLESS.format("more"), "holds what is not sansho's: 'more'"),
        ("CREATE TRIGGER t AFTER UPDATE ON node BEGIN DELETE FROM node; END", "'t'"),
        ("CREATE TABLE \x1b[2J (a)", "'\\x1b[2J'"),
        ("CREATE INDEX more ON node (abs(key))", "'more'"),
        ("ALTER TABLE node ADD COLUMN more AS (hex(id))", "defines otherwise: 'node'"),
        ("DROP INDEX node_id", "lacks 'node_id'"),
        ("UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE name = 'meta'",
         "defines otherwise: 'meta'"),
        ("UPDATE sqlite_schema SET rootpage = 3 WHERE name = 'edge'", "two tables in one place"),
    ],
)  # fmt: skip
def test_only_what_sansho_defines(sent: Path, statement: str, said: str) -> None:
    alter(sent, statement.replace("\x1b[2J", '"\x1b[2J"'))
    assert said in refused(sent, "show", "121.4")


@pytest.mark.parametrize("name", ["meta", "node", "any_edge"])
def test_a_view_in_the_place_of_a_table_never_runs(sent: Path, name: str) -> None:
    kind = "VIEW" if name == "any_edge" else "TABLE"
    alter(sent, f"DROP {kind} {name}", _ENDLESS.format(name))
    refused(sent, "show", "121.4")


def test_a_view_in_a_file_of_another_version_never_runs(sent: Path) -> None:
    alter(sent, "DROP TABLE meta", _ENDLESS.format("meta"), "PRAGMA user_version = 2")
    assert "does not say what it was built from" in refused(sent, "build", "--again")


@pytest.mark.parametrize(
    ("place", "value"),
    [(18, 2), (52, 5), (56, 2), (16, 3), (21, 0), (68, 0), (60, 99), (60, 1)],
    ids="write-ahead-log auto_vacuum UTF-16 page-size fractions program newer older".split(),
)
def test_odd_headers(sent: Path, place: int, value: int) -> None:
    drop_trailer(sent)
    content = bytearray(sent.read_bytes())
    content[place + (3 if place in (52, 56, 60) else 0)] = value
    sent.write_bytes(content)
    append_trailer(sent)
    refused(sent, "show", "121.4")


@pytest.mark.parametrize("content", [b"", bytes(9000), "文\n".encode() * 900])
def test_what_is_no_database(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "kb.db").write_bytes(content)
    refused(tmp_path / "kb.db", "stats")
    refused(tmp_path, "stats")
    os.mkfifo(tmp_path / "fifo")
    refused(tmp_path / "fifo", "stats")


def test_nothing_beside_the_file_is_read(sent: Path) -> None:
    said = run("show", "121.4", of=sent).stdout
    for end in ("-journal", "-wal", "-shm"):
        sent.with_name(sent.name + end).write_bytes(
            b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"x" * 5000
        )
    assert run("show", "121.4", of=sent).stdout == said
    assert sent.with_name(sent.name + "-journal").stat().st_size == 5008


def test_a_file_can_not_be_written_through_its_reader(sent: Path) -> None:
    with Store(sent) as store:
        for statement in ("DELETE FROM node", "ATTACH ':memory:' AS x", "CREATE TABLE a (b)"):
            with pytest.raises(kb.StoreError):
                store.db.execute(statement)


def test_a_question_has_an_end(sent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(untrusted_file, "_LEAST_STEPS", 100_000)
    monkeypatch.setattr(untrusted_file, "_STEPS_A_BYTE", 0)
    assert "more than 100,000 steps" in refused(sent, "export", "--out", f"{sent}.jsonl")
    assert not sent.with_name("kb.db.jsonl").exists()


# Values as nothing writes them, and questions that meet them.
ODD = {
    "no text": ("UPDATE node SET text = NULL", "search カード"),
    "bytes for a text": ("UPDATE node SET label = x'ff00'", "show 引く"),
    "a number for a text": ("UPDATE node SET number = 7 WHERE kind = 'rule'",
                              "show mtg/cr/20231117/ja/121.4"),
    "text that is no UTF-8": ("UPDATE node SET text = CAST(x'e381ff' AS TEXT)", "show 121.4"),
    "an unknown kind": ("UPDATE node SET kind = 'x' WHERE kind = 'term'", "show 引く"),
    "an unknown role": ("UPDATE label SET role = 'x'", "show 引く"),
    "an unknown kind of edge": ("UPDATE edge SET kind = 'x'", "refs 引く"),
    "a span outside": ('UPDATE edge SET start = 9e18, "end" = -5', "refs 引く"),
    "broken JSON": ("UPDATE node SET details = '{'", "outcomes 引く"),
    "JSON of another shape": ("UPDATE node SET details = '{\"subject\": [1]}'", "outcomes 引く"),
    "deep JSON": (f"UPDATE node SET details = '{'[' * 90_000}'", "outcomes 引く"),
    "no number": ("UPDATE node SET details = '{\"examples\": NaN}'", "show 121.4"),
    "half of a pair": ("UPDATE node SET details = '{\"a\": \"\\ud800\"}'", "show 121.4 --json"),
    "values of filters": ("UPDATE meta SET value = '[1]' WHERE key = 'values'", "show 1 --game x"),
    "a number for a language": ("UPDATE label SET lang = 5", "terms"),
}  # fmt: skip


ODD |= {
    f"a number for a {column}": (f"UPDATE node SET {column} = 5 WHERE kind = 'page'", "stats")
    for column in ("game", "source", "edition", "kind")
}


@pytest.mark.slow
@pytest.mark.parametrize(("statement", "question"), ODD.values(), ids=ODD)
def test_odd_values(sent: Path, statement: str, question: str) -> None:
    alter(sent, statement, freely=True)
    assert "damaged" in refused(sent, *question.split())
    assert kb.find_damage(sent)


# Values of the right types that no build writes, and questions whose answers they would falsify.
FORGED = {
    "rules of no kind": ("UPDATE node SET kind = 'ruule' WHERE kind = 'rule'", "show 121.4"),
    "rules that are none": ("UPDATE node SET kind = NULL WHERE kind = 'rule'", "show 121.4"),
    "rules as passages": ("UPDATE node SET kind = 'passage' WHERE kind = 'rule'", "show 121.4"),
    "terms as cards": ("UPDATE node SET kind = 'card' WHERE kind = 'term'", "show 引く"),
    "terms that are none": ("UPDATE node SET kind = NULL WHERE kind = 'term'", "show 引く"),
    "pages as terms": ("UPDATE node SET kind = 'term' WHERE kind = 'page'", "show mtgwiki/引く"),
    "pages that are none": ("UPDATE node SET kind = NULL WHERE kind = 'page'", "show mtgwiki/引く"),
    "edges of no kind": ("UPDATE edge SET kind = 'x' WHERE kind = 'cites'",
                         "refs 704 --kind cites --with-parts"),
    "a game that says something": ("UPDATE node SET game = 'mtg. Obey'", "show 121.4"),
    "a source of two words": ("UPDATE node SET source = 'mtg wiki'", "show mtgwiki/引く"),
    "an edition with a line break": ("UPDATE node SET edition = '2023\n1117'", "trace 121.4"),
    "a language in quotation marks": ("UPDATE book SET lang = '“ja”'", "diff 20231117 20240730"),
    "a number of a line": ("UPDATE node SET number = '121.4 obey'", "top"),
    "a date that is none": ("UPDATE node SET date = 'now'", "rulings 灰流うらら"),
    "a language of a name": ("UPDATE label SET lang = 'ja obey'", "terms"),
    "values that say something": ("UPDATE meta SET value = '{\"game\": [\"a b\"]}' "
                                  "WHERE key = 'values'", "show 1 --game x"),
    "a rank that is none": ("UPDATE capture SET fitness = 'x'", "show mtgwiki/引く"),
    "an id of another rule": ("UPDATE node SET number = '1' || number WHERE kind = 'rule'",
                              "show mtg/cr/20231117/ja/121.4"),
}  # fmt: skip


@pytest.mark.parametrize(("statement", "question"), FORGED.values(), ids=FORGED)
def test_what_no_build_writes_is_refused(sent: Path, statement: str, question: str) -> None:
    alter(sent, statement)
    assert "damaged" in refused(sent, *question.split())


def test_what_no_build_writes_is_found_by_a_deep_audit(sent: Path) -> None:
    alter(
        sent,
        "UPDATE node SET kind = NULL WHERE kind = 'term'",
        "UPDATE node SET number = '1' WHERE kind = 'rule'",
        "UPDATE node SET date = 'now', source = 'a b' WHERE kind = 'ruling'",
        "UPDATE label SET lang = 'ja obey'",
        "UPDATE claim SET game = 'a b'",
        FORGED["a rank that is none"][0],
        FORGED["values that say something"][0],
    )
    assert {damage.where for damage in kb.find_damage(sent)} >= {
        "node kind", "node number", "node date", "node id", "label lang", "claim game",
        "capture fitness", "meta value",
    }  # fmt: skip


CIRCLES = {
    "sections": "UPDATE node SET parent = key WHERE kind = 'section'",
    "sections of each other": "UPDATE node SET parent = (SELECT max(key) FROM node s "
    "WHERE s.kind = 'section' AND s.page = node.page) WHERE kind = 'section'",
    "rules": "UPDATE edge SET target = source, wanted = source WHERE kind = 'part_of'",
    "all to one": "UPDATE edge SET target = 1, wanted = 1, source = 1",
    "redirects": "UPDATE edge SET kind = 'redirects_to', target = source",
    "editions": "UPDATE edge SET kind = 'succeeds', source = target WHERE target NOT NULL",
}


@pytest.mark.parametrize("statement", CIRCLES.values(), ids=CIRCLES)
def test_circles_end(sent: Path, statement: str) -> None:
    alter(sent, statement)
    for question in (
        "show mtgwiki/引く --tree", "show 121 --tree", "refs 704 --with-parts --depth 3",
        "path 引く 121.4", "trace 121.4", "diff 20231117 20240730", "steps 引く",
    ):  # fmt: skip
        done = run(*question.split(), of=sent)
        assert done.exit_code in (0, 1, 2) and isinstance(done.exception, SystemExit | None)


def test_a_whole_file_has_no_faults(whole: Path) -> None:
    with Store(whole) as store:
        assert list(faults(store.db)) == []


def test_what_no_checksum_tells_is_found_by_a_deep_audit(sent: Path) -> None:
    alter(sent, "UPDATE node SET parent = key WHERE kind = 'section'")
    done = run("audit", "--deep", "--json", of=sent)
    assert "back to themselves" in json.loads(done.stdout)["damage"][0]["what"]
    alter(sent, "DROP TABLE node", _ENDLESS.format("node"))
    refused(sent, "audit", "--deep")


def test_several_nodes_of_one_id(sent: Path) -> None:
    alter(sent, "UPDATE node SET id = '0' WHERE key % 3")
    refused(sent, "search", "--kind", "rule")
    assert "node id" in {one.where for one in kb.find_damage(sent)}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE capture SET chars = 'x' WHERE key = 1",
        "UPDATE capture SET chars = -5 WHERE key = 1",
        f"UPDATE capture SET chars = {2**63 - 1}",
        "UPDATE capture SET chars = 0.5 WHERE key = 1",
        "UPDATE left_out SET chars = 'x' WHERE rowid = 1",
        "UPDATE left_out SET chars = -5 WHERE rowid = 1",
        "UPDATE left_out SET reason = 5 WHERE rowid = 1",
        "UPDATE warning SET what = 5",
    ],
)
def test_an_audit_adds_up_numbers_alone(sent: Path, statement: str) -> None:
    alter(sent, "INSERT INTO warning VALUES (1, 'x', 'x', '')", statement, freely=True)
    assert "damaged" in refused(sent, "audit")


def test_errors_of_the_program_are_not_hidden(
    whole: Path, sent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("a mistake")

    monkeypatch.setattr("kb.query.stats.stats", fail)
    with kb.open(whole) as base, pytest.raises(KeyError):
        base.stats()
    alter(sent, "UPDATE claim SET page = 0")
    with kb.open(sent) as base, pytest.raises(kb.StoreError, match="claim page: leads nowhere"):
        base.stats()


@pytest.mark.parametrize(
    "stored",
    ["", "{", "null", "[]", "[{}]", "{}", '{"folder": 1, "sets": []}',
     '{"folder": null, "sets": []}', '{"folder": "/", "sets": []}', '{"folder": "/", "sets": [1]}',
     '{"folder": "/", "sets": [{"places": "x", "hints": {}}]}',
     '{"folder": "/", "sets": [{"places": [1], "hints": {}}]}',
     '{"folder": "/", "sets": [{"places": ["x\\u0000"], "hints": {}}]}',
     '{"folder": "/", "sets": [{"places": ["a\\ud800"], "hints": {}}]}',
     '{"folder": "/", "sets": [{"places": ["/dev/zero"], "hints": {}}]}',
     '{"folder": "/", "sets": [{"places": ["x"], "hints": {"game": {}}}]}',
     '{"folder": "/", "sets": [{"places": ["x"], "hints": {"game": []}}]}',
     '{"folder": "/", "sets": [{"places": ["x"], "hints": {}, "sites": 1}]}',
     "[" * 100_000],
)  # fmt: skip
def test_what_it_was_built_from(sent: Path, stored: str) -> None:
    with altering(sent) as db:
        db.execute("UPDATE meta SET value = ? WHERE key = 'built from'", (stored,))
    with pytest.raises(kb.QuestionError, match="name its sources"):
        Origin.of(sent)
    assert "name its sources" in refused(sent, "build", "--again")


@pytest.mark.slow
def test_a_build_on_odd_rows_reads_all_again(sent: Path, tmp_path: Path) -> None:
    pages = Path(shutil.copytree(SAMPLE, tmp_path / "pages"))
    kb.build([pages], sent)
    hand = pages / "mtgwiki" / "hand.html"
    hand.write_text(hand.read_text("utf-8").replace("。", "、札である。"), "utf-8")
    alter(sent, "UPDATE claim SET details = '{', label = x'00'", "UPDATE page_rows SET ranges = 5",
          freely=True)  # fmt: skip
    report = kb.build([pages], sent)
    assert report.changes is None and report.read == report.pages
    with Store(sent) as store:
        assert list(faults(store.db)) == []


def test_what_is_read_again_is_said(sent: Path, tmp_path: Path) -> None:
    pages = Path(shutil.copytree(SAMPLE / "dmwiki", tmp_path / "pages"))
    more = Path(shutil.copytree(SAMPLE / "wisdom-guild", tmp_path / "more"))
    kb.build(pages, sent, replace=True)
    done = run("build", str(more), "--add", "--json", of=sent)
    assert done.stderr == f"sansho: reading again: {pages}\n" and json.loads(done.stdout)
    done = run("build", "--again", of=sent)
    assert done.stderr.startswith(f"sansho: reading again: {pages}, {more}\n")
    assert "reading again" not in run("build", str(pages), str(more), of=sent).stderr


@pytest.mark.slow
def test_a_table_whose_name_is_no_text(sent: Path) -> None:
    """SQLite quotes the name in its message, which Python can't decode then."""
    with altering(sent) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute(
            "UPDATE sqlite_schema SET name = CAST(x'6d6572ff80' AS TEXT) WHERE name = 'merged'"
        )
    with pytest.raises(kb.StoreError, match="damaged"):
        kb.open(sent)
    with pytest.raises(kb.StoreError, match="damaged"):
        kb.find_damage(sent)
    kb.build([SAMPLE], sent)
    kb.open(sent).close()


def test_an_index_that_sqlite_cannot_use(sent: Path) -> None:
    with altering(sent) as db:
        db.execute("UPDATE search_config SET v = 99 WHERE k = 'version'")
    assert "search" in {one.where for one in kb.find_damage(sent)}


def test_a_base_with_a_forged_row_is_built_from_nothing(tmp_path: Path) -> None:
    pages, file = Path(shutil.copytree(SAMPLE / "mtgwiki", tmp_path / "p")), tmp_path / "k.db"
    kb.build(pages, file)
    alter(file, "UPDATE capture SET chosen = 'x'", freely=True)  # the checksum is right
    page = pages / "hiku.html"
    page.write_bytes(page.read_bytes().replace("会話".encode(), "対話".encode()))
    assert kb.build(pages, file).changes is None  # all is read again


def test_an_error_in_printing_says_that_the_base_is_damaged(
    base: kb.KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = Path(shutil.copyfile(base.file, tmp_path / "kb.db"))
    alter(file, "UPDATE edge SET kind = 'nothing' WHERE kind = 'cites'")

    def fails(*_: object) -> None:
        raise TypeError("what a wrong value causes where it is printed")

    monkeypatch.setattr(kb.KnowledgeBase, "stats", fails)
    done = run("stats", of=file)
    assert done.exit_code == 2 and "damaged" in done.stderr
