"""A knowledge base that is damaged says so, whatever is asked of it, and a build begins anew."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

import kb
from benchmarks.damaged_bases import (
    COMMANDS,
    DAMAGES,
    Base,
    Damage,
    change_bytes,
    cut_short,
    flip_a_bit,
    made_base,
    tried,
    zero_a_page,
)
from graphs.store.file import file_digest
from graphs.store.file.file_digest import is_damaged
from graphs.store.file.schema import append_trailer, checksum_matches, drop_trailer
from tests.altered import altering
from tests.building.test_build import exported
from tests.commands import run
from tests.conftest import SAMPLE


def change_the_version(data: bytearray, rng: Random) -> None:
    data[60 + rng.randrange(4)] ^= 1 << rng.randrange(8)


def change_the_application(data: bytearray, rng: Random) -> None:
    data[68 + rng.randrange(4)] ^= 1 << rng.randrange(8)


KINDS = [*dict.fromkeys(DAMAGES), change_the_version, change_the_application]


@pytest.fixture
def sample(base: kb.KnowledgeBase) -> Path:
    """The bundled sample, not to be changed."""
    return base.file


@pytest.fixture
def path(sample: Path, tmp_path: Path) -> Path:
    """The sample, to be changed."""
    return Path(shutil.copy(sample, tmp_path / "copy.db"))


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a few pages, not to be changed."""
    return Path(shutil.copytree(SAMPLE / "dmwiki", tmp_path_factory.mktemp("pages") / "dmwiki"))


@pytest.fixture(scope="session")
def built_small(pages: Path) -> Path:
    kb.build(pages, pages.parent / "small.db")
    return pages.parent / "small.db"


@pytest.fixture
def small(built_small: Path, tmp_path: Path) -> Path:
    """A knowledge base of these pages, to be changed."""
    return Path(shutil.copy(built_small, tmp_path / "small.db"))


def damage(path: Path, how: Damage, seed: int = 1) -> None:
    data = bytearray(path.read_bytes())
    before = bytes(data)
    rng = Random(seed)
    while data == before:
        how(data, rng)
    path.write_bytes(data)


# -- the checksum and SQLite --------------------------------------------------------------------


def test_sqlite_does_not_mind_the_checksum(path: Path) -> None:
    assert path.stat().st_size % 4096
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA page_count").fetchone()[0] == path.stat().st_size // 4096
        nodes = db.execute("SELECT count(*) FROM node").fetchone()
        with closing(sqlite3.connect(":memory:")) as other:
            db.backup(other)
            assert other.execute("SELECT count(*) FROM node").fetchone() == nodes
    assert not is_damaged(path)


@pytest.mark.parametrize("statement", ["VACUUM", "CREATE TABLE t AS SELECT * FROM node", "REINDEX"])
def test_what_another_program_writes_is_told(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(statement)
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with pytest.raises(kb.StoreError, match="changed by another program"):
        kb.open(path)


def test_the_checksum_is_appended_and_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for data in (b"", b"some bytes"):
        path.write_bytes(data)
        drop_trailer(path)
        assert path.read_bytes() == data
        append_trailer(path)
        with path.open("rb", buffering=0) as file:
            assert checksum_matches(file)
        whole = path.read_bytes()
        for at in range(len(data), len(whole)):  # no half of it is taken for a whole one
            path.write_bytes(whole[:at])
            with path.open("rb", buffering=0) as file:
                assert checksum_matches(file) is None
        for at in {0, *range(len(data), len(whole))}:
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
            with path.open("rb", buffering=0) as file:
                assert not checksum_matches(file)
        path.write_bytes(whole)
        drop_trailer(path)
        assert path.read_bytes() == data


def test_an_update_has_one_checksum(tmp_path: Path, pages: Path, small: Path) -> None:
    (tmp_path / "甲.txt").write_text("甲\n提供:MTG Wiki\n甲は試験の語である。", "utf-8")
    assert kb.build([pages, tmp_path / "甲.txt"], small).changes
    assert not is_damaged(small) and small.read_bytes().count(b"\nsansho crc-32 1\n") == 1


# -- questions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("how", KINDS)
def test_every_damage_is_one_line(path: Path, how: Damage) -> None:
    for seed in range(3):
        damage(path, how, seed)
        with pytest.raises(kb.StoreError) as error:
            kb.open(path)
        assert str(path) in str(error.value) and "\n" not in str(error.value)


def test_files_of_others_are_not_called_damaged(tmp_path: Path, path: Path) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as db, db:
        db.execute("CREATE TABLE t (x)")
    with pytest.raises(kb.StoreError, match="no knowledge base of sansho"):
        kb.open(other)
    with altering(path, without_checksum=True) as db:
        db.execute("PRAGMA user_version = 8")
    with pytest.raises(kb.StoreError, match="older sansho"):
        kb.open(path)


# -- what is damaged ----------------------------------------------------------------------------


def test_a_deep_audit_of_a_whole_file(path: Path, small: Path, pages: Path, tmp_path: Path) -> None:
    (tmp_path / "甲.txt").write_text("甲\n提供:MTG Wiki\n甲は試験の語である。", "utf-8")
    for sources in ([pages, tmp_path / "甲.txt"], [pages]):
        assert kb.build(sources, small).changes
        assert kb.find_damage(small) == ()
    with kb.open(path) as base:
        assert base.audit(deep=True).damage == () and base.audit().damage is None
    done = run("audit", "--deep", "--json", "--kb", path)
    assert done.exit_code == 0 and json.loads(done.stdout)["damage"] == []
    assert json.loads(run("audit", "--json", "--kb", path).stdout)["damage"] is None
    assert "as it was built" in run("audit", "--deep", "--kb", path).stdout


@pytest.mark.parametrize("how", KINDS)
def test_a_deep_audit_notices_every_damage(path: Path, how: Damage) -> None:
    damage(path, how)
    done = run("audit", "--deep", "--json", "--kb", path)
    assert done.exit_code == 2 and done.stderr.count("\n") == 1
    found = json.loads(done.stdout)["damage"]
    assert found[0]["where"] == "file" and "checksum" in found[0]["what"]
    assert "file: damaged" in run("audit", "--deep", "--kb", path).stdout


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("UPDATE edge SET target = 999999999 WHERE rowid = 5", "edge target"),
        ("UPDATE edge SET wanted = 999999999 WHERE rowid = 5", "edge wanted"),
        ("UPDATE edge SET kind = 'nears' WHERE rowid = 5", "edge kind"),
        ("UPDATE edge SET details = '{' WHERE rowid = 5", "edge details"),
        ("UPDATE edge SET start = -1, \"end\" = 3 WHERE rowid = 5", "edge start end"),
        ("UPDATE edge SET \"end\" = 99999 WHERE rowid = 5", "edge start end"),
        ("UPDATE edge SET start = 'x' WHERE rowid = 5", 'edge "start"'),
        ("UPDATE node SET text = x'ff' WHERE key = 5", 'node "text"'),
        ("UPDATE node SET text = CAST(x'ff' AS TEXT) WHERE key = 5", "node"),
        ("UPDATE node SET page = 999999999 WHERE kind = 'passage'", "node page"),
        ("UPDATE label SET role = 'name' WHERE rowid = 5", "label role"),
        ("UPDATE meta SET value = '' WHERE key = 'values'", "meta value"),
        ("DELETE FROM part", "capture part"),
        ("INSERT INTO passage_words VALUES (999999999, 'x')", "passage_words key"),
        ("DELETE FROM passage_words WHERE key = (SELECT max(key) FROM passage_words)",
         "search_docsize id"),
        ("INSERT INTO derived_edge VALUES (999999999)", "derived_edge edge"),
    ],
)  # fmt: skip
def test_rows_that_no_build_writes(path: Path, statement: str, where: str) -> None:
    """The checksum and SQLite's own checks find nothing."""
    with altering(path) as db:
        db.execute(statement)
    found = kb.find_damage(path)
    assert where in {one.where for one in found}, found
    assert not {"file", "SQLite"} & {one.where for one in found}


def test_every_kind_of_row_is_checked(path: Path) -> None:
    nowhere = 999_999_999
    wrong = {
        "claim original_node": f"UPDATE claim SET original_node = {nowhere}",
        "label original_node": f"UPDATE label SET original_node = {nowhere}",
        "label original_role": "UPDATE label SET original_role = 'name'",
        "label shown": "UPDATE label SET shown = 7",
        "edge original_source": f"UPDATE edge SET original_source = {nowhere}",
        "edge original_wanted": f"UPDATE edge SET original_wanted = {nowhere}",
        "spelling node": f"INSERT INTO spelling VALUES ('mtg', 'x', {nowhere}, 'x')",
        "merged old": f"INSERT INTO merged VALUES ({nowhere}, 1)",
        "merged new": f"INSERT INTO merged VALUES (1, {nowhere})",
        "page_rows page": f"UPDATE page_rows SET page = {nowhere} WHERE page = (SELECT max(page) "
        "FROM page_rows)",
        "page_rows ranges": "UPDATE page_rows SET ranges = x'00'",
        "warning part": f"INSERT INTO warning VALUES ({nowhere}, 'x', 'x', '')",
        "left_out capture": f"INSERT INTO left_out VALUES ({nowhere}, 'x', 1)",
        "left_out chars": "UPDATE left_out SET chars = -1",
        "capture chars": "UPDATE capture SET chars = -1",
        "capture chosen": "UPDATE capture SET chosen = 2",
        "node position": "UPDATE node SET position = NULL WHERE kind = 'page'",
        "node id": "UPDATE node SET id = (SELECT id FROM node WHERE key = 1) WHERE key = 2",
        "node details": "UPDATE node SET details = '{\"subject\": 1}' WHERE key = 5",
        "meta value": "UPDATE meta SET value = '{' WHERE key = 'built from'",
        "node parent": "UPDATE node SET parent = key WHERE kind = 'section'",
        "search_config": "INSERT INTO search_config VALUES ('rank', 'x')",
        "search_docsize id": f"INSERT INTO search_docsize VALUES ({nowhere}, x'00')",
    }
    with altering(path) as db:
        db.execute("PRAGMA writable_schema = ON")
        for statement in wrong.values():
            db.execute(statement)
    found = {one.where for one in kb.find_damage(path)}
    assert found >= wrong.keys(), wrong.keys() - found


def test_a_deep_audit_of_what_is_no_knowledge_base(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"words" * 99)
    for name in ("x.db", "nothing.db", "."):
        done = run("audit", "--deep", "--kb", tmp_path / name)
        assert done.exit_code == 2 and done.stderr.count("\n") == 1 and not done.stdout


def test_a_trial_of_the_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m benchmarks.damaged_bases` runs a thousand."""
    monkeypatch.chdir(tmp_path)
    base: Base = made_base("pages", [SAMPLE / "dmwiki"])
    for number in range(3):
        outcome = tried(base, f"test/{number}", forged=False, build=number == 0)
        assert not outcome.wrong and outcome.counts["noticed by audit --deep"]
    assert outcome.counts["one line and exit code 2"] >= len(COMMANDS)


# -- builds -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_build_on_a_damaged_file_begins_anew(tmp_path: Path, small: Path) -> None:
    """Of other sources than before, as what would go of a damaged file is not known."""
    fresh, sources = tmp_path / "fresh.db", SAMPLE / "wisdom-guild"
    kb.build(sources, fresh)
    old = small.read_bytes()
    for how in (flip_a_bit, zero_a_page, change_the_version, change_the_application, cut_short):
        small.write_bytes(old)
        damage(small, how)
        report = kb.build(sources, small)
        assert report.changes is None and not report.removed
        assert "damaged" in report.warnings[0].what and str(small) == report.warnings[0].where
        assert exported(small) == exported(fresh), how.__name__
    assert kb.build(sources, small).warnings == report.warnings[1:]


def test_what_is_changed_in_silence_is_not_carried_on(pages: Path, small: Path) -> None:
    """A passage with another character in it is sound to SQLite."""
    before = exported(small)
    data = small.read_bytes()
    at = data.index("コスト".encode())
    small.write_bytes(data[:at] + "ゴ".encode() + data[at + 3 :])
    assert kb.build(pages, small).changes is None
    assert exported(small) == before


@pytest.mark.slow
def test_the_sample_again(path: Path, sample: Path) -> None:
    damage(path, change_bytes)
    assert run("build", "--kb", path).exit_code == 0
    assert exported(path) == exported(sample)


def test_the_sample_does_not_take_the_place_of_a_damaged_file(small: Path) -> None:
    damage(small, flip_a_bit)
    before = small.read_bytes()
    with pytest.raises(kb.BuildError) as error:
        kb.build(kb=small)
    assert "no source is named" in str(error.value) and small.read_bytes() == before


@pytest.mark.parametrize(
    "arguments", [{"again": True}, {"add": True, "sources": SAMPLE / "mtgwiki"}]
)
def test_a_damaged_file_does_not_say_what_it_was_built_from(
    small: Path, arguments: dict[str, object]
) -> None:
    damage(small, flip_a_bit)
    before = small.read_bytes()
    with pytest.raises(kb.StoreError, match="name its sources"):
        kb.build(kb=small, **arguments)  # type: ignore[arg-type]
    assert small.read_bytes() == before


def test_a_strangers_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    for data in (b"words" * 100, b"SQLite format 3\0" + bytes(200), b"sansho crc-32 1\n" * 9):
        path.write_bytes(data)
        with pytest.raises(kb.StoreError, match="no knowledge base"):
            kb.build(SAMPLE / "dmwiki", path)
        assert path.read_bytes() == data


# -- the memory of large files ------------------------------------------------------------------


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where it is kept that files are whole, with every file taken for a large one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(file_digest, "_ALWAYS_READ", 0)
    monkeypatch.setattr(file_digest, "_LEFT_ALONE", 0)
    return tmp_path / "cache" / "sansho" / "verified"


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A 1 for every time that a file is read."""
    found: list[int] = []
    monkeypatch.setattr(
        file_digest, "checksum_matches", lambda file: found.append(1) or checksum_matches(file)
    )
    return found


def test_a_large_file_is_read_once(path: Path, memory: Path, readings: list[int]) -> None:
    for _ in range(3):
        kb.open(path).close()
    assert len(readings) == 1 and len(memory.read_bytes()) < 200
    assert memory.stat().st_mode & 0o77 == 0


@pytest.mark.parametrize("restore", [False, True])
def test_a_large_file_that_changes_is_read_again(
    path: Path, memory: Path, readings: list[int], restore: bool
) -> None:
    kb.open(path).close()
    known = path.stat()
    time.sleep(0.02)  # longer than a step of the file system's clock
    damage(path, flip_a_bit)
    if restore:
        os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))
    with pytest.raises(kb.StoreError, match="damaged"):
        kb.open(path)
    assert len(readings) == 2


def test_a_file_that_has_just_changed_is_not_remembered(
    path: Path, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_digest, "_LEFT_ALONE", 60_000_000_000)
    kb.open(path).close()
    assert not memory.exists()


def test_a_build_does_not_believe_the_memory(path: Path, memory: Path) -> None:
    damage(path, flip_a_bit)
    file_digest._remember(path.stat(), time.time_ns())
    kb.open(path).close()  # as where a disk loses bits
    assert is_damaged(path)
    with pytest.raises(kb.StoreError, match="damaged"):
        kb.build(kb=path, again=True)


def test_a_memory_that_is_of_no_use(
    tmp_path: Path, path: Path, memory: Path, readings: list[int]
) -> None:
    spoilt: dict[str, Callable[[], object]] = {
        "a folder": lambda: memory.mkdir(parents=True),
        "a pipe": lambda: os.mkfifo(memory),
        "a link": lambda: memory.symlink_to(tmp_path / "elsewhere"),
        "nonsense": lambda: memory.write_bytes(Random(1).randbytes(9000)),
        "huge": lambda: memory.write_bytes(b"x\n" * 50_000),
    }
    for name, spoil in spoilt.items():
        spoil()
        readings.clear()
        kb.open(path).close()
        kb.open(path).close()
        assert len(readings) == (1 if name in ("nonsense", "huge") else 2), name
        memory.rmdir() if memory.is_dir() else memory.unlink()
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("value", ["", "relative", "/proc/nothing", "/dev/null"])
def test_no_place_for_the_memory(
    path: Path, memory: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", value)
    monkeypatch.delenv("HOME", raising=False)
    kb.open(path).close()
    assert not memory.exists()
