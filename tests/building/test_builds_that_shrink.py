"""A build never takes pages away in silence: it stops before it loses many, and tells all."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

import kb
from graphs.store.file.schema import VERSION
from tests.altered import altering
from tests.building.test_build import exported, sansho
from tests.rulebooks import base_of


def write_pages(folder: Path, names: Iterable[str], extra: str = "") -> Path:
    """Write small captured pages of one wiki into a folder; return it."""
    folder.mkdir(exist_ok=True)
    for name in names:
        text = f"{name}\n提供:MTG Wiki\n{name}は試験の語である。{extra}"
        (folder / f"{name}.txt").write_text(text, "utf-8")
    return folder


def pages_in(path: Path) -> set[str]:
    with kb.open(path) as base:
        return {page.id for page in base._store.nodes("page")}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.db"


@pytest.fixture
def first(tmp_path: Path, path: Path) -> Path:
    """Six pages in a folder `first`, and a knowledge base of them."""
    folder = write_pages(tmp_path / "first", "甲乙丙丁戊己")
    kb.build(folder, path)
    return folder


@pytest.fixture
def second(tmp_path: Path) -> Path:
    return write_pages(tmp_path / "second", "庚辛")


# -- a build that would take away many ----------------------------------------------------------


def test_other_pages_are_refused(path: Path, first: Path, second: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(kb.BuildError) as error:
        kb.build([second], path)
    assert path.read_bytes() == before
    message = str(error.value)
    assert "6 of its 6 pages" in message and str(first) in message and "mtgwiki/丁" in message
    assert all(way in message for way in ("add=True", "replace=True", "kb=…"))


@pytest.mark.slow
def test_on_the_command_line(path: Path, first: Path, second: Path) -> None:
    done = sansho("build", second, "--kb", path)
    assert done.returncode == 2 and "--replace" in done.stderr and not done.stdout
    assert len(pages_in(path)) == 6
    done = sansho("build", second, "--kb", path, "--replace", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 0 and report["removed"]["nodes"]["page"] == 6
    assert report["removed"]["named"][0] == ["page", "mtgwiki/丁"]


@pytest.mark.parametrize(("left", "refused"), [(4, False), (3, True)])
def test_more_than_a_third(path: Path, first: Path, left: int, refused: bool) -> None:
    for file in sorted(first.iterdir())[left:]:
        file.unlink()
    if refused:
        with pytest.raises(kb.BuildError, match="3 of its 6 pages"):
            kb.build(first, path)
        assert len(pages_in(path)) == 6
    else:
        assert kb.build(first, path).removed.nodes["page"] == 2
        assert len(pages_in(path)) == 4


def test_the_sample_into_pages_of_ones_own(path: Path, first: Path) -> None:
    with pytest.raises(kb.BuildError, match="no source is named"):
        kb.build(kb=path)
    assert kb.build(kb=path, replace=True).removed.nodes["page"] == 6


def test_the_sample_is_named_where_it_would_go(path: Path, second: Path) -> None:
    kb.build(kb=path)
    with pytest.raises(kb.BuildError, match="the bundled sample"):
        kb.build(second, path)


@pytest.mark.parametrize("change", ["another program", "another schema"])
def test_a_file_of_another_version(path: Path, first: Path, second: Path, change: str) -> None:
    with altering(path, without_checksum=change == "another schema") as db:
        if change == "another program":
            db.execute("UPDATE meta SET value = 'x' WHERE key = 'made by'")
        else:
            db.execute(f"PRAGMA user_version = {VERSION - 1}")
    with pytest.raises(kb.BuildError, match="6 of its 6 pages"):
        kb.build(second, path)
    assert kb.build(kb=path, again=True).pages == 6


def test_what_is_only_called_differently_is_not_gone(path: Path, first: Path) -> None:
    """The same bytes under another id: hints may say that a page is of another wiki."""
    report = kb.build(first, path, site="dmwiki")
    assert report.pages == 6 and report.removed.nodes["page"] == 6
    assert pages_in(path).isdisjoint({"mtgwiki/甲"})


def test_a_moved_folder_is_not_gone(tmp_path: Path, path: Path, first: Path) -> None:
    report = kb.build(shutil.move(first, tmp_path / "moved"), path)
    assert report.pages == 6 and not report.removed


def test_a_damaged_file_is_no_obstacle(path: Path, first: Path, second: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    assert kb.build(second, path).pages == 2


def test_nothing_to_read_leaves_the_old_file(tmp_path: Path, path: Path, first: Path) -> None:
    before = path.read_bytes()
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    for replace in (False, True):
        with pytest.raises(kb.ERRORS):
            kb.build(nothing, path, replace=replace)
    assert path.read_bytes() == before


# -- what went is told ---------------------------------------------------------------------------


def test_removals_of_an_update_and_of_a_whole_build_are_the_same(path: Path, first: Path) -> None:
    copy = path.with_name("copy.db")
    shutil.copy(path, copy)
    with altering(copy) as db:
        db.execute("UPDATE meta SET value = 'x' WHERE key = 'made by'")
    (first / "甲.txt").unlink()
    updated, whole = kb.build(first, path), kb.build(first, copy)
    assert updated.changes is not None and whole.changes is None
    assert updated.removed == whole.removed
    assert updated.removed.nodes == {"page": 1, "term": 1}
    assert updated.removed.named == (("page", "mtgwiki/甲"), ("term", "mtg/term/甲"))


@pytest.mark.slow
def test_an_update_that_only_takes_away_says_so(path: Path, first: Path) -> None:
    (first / "甲.txt").unlink()
    ran = sansho("build", str(first), "--kb", str(path))
    assert "files are gone, and none is new or changed" in ran.stdout
    assert ran.stdout.index("− page mtgwiki/甲") < ran.stdout.index("− term mtg/term/甲")


@pytest.mark.slow
def test_how_many_more_nodes_changed_is_counted_beyond_those_that_json_names(
    path: Path, tmp_path: Path
) -> None:
    folder = write_pages(tmp_path / "many", (f"語{n}" for n in range(300)))
    kb.build(folder, path)
    for number in range(70):
        (folder / f"語{number}.txt").unlink()
    ran = sansho("build", str(folder), "--kb", str(path))
    shown = ran.stdout.count("\n            −")
    assert f"and {2 * 70 - shown} more: --json names the first hundred" in ran.stdout


def test_nothing_is_removed_where_nothing_went(path: Path, first: Path) -> None:
    write_pages(first, ["壬"])
    report = kb.build(first, path)
    assert not report.removed and report.as_json()["removed"] == {"nodes": {}, "named": []}


# -- beside the old sources -----------------------------------------------------------------------


def test_added_sources_stand_beside_the_old(
    tmp_path: Path, path: Path, first: Path, second: Path
) -> None:
    report = kb.build(second, path, add=True)
    assert report.pages == 8 and not report.removed
    other = tmp_path / "other.db"
    kb.build([first, second], other)
    assert exported(path) == exported(other)
    write_pages(first, ["甲"], "今日は別の文もある。")
    again = kb.build(kb=path, again=True)
    assert again.pages == 8 and again.read == 1


def test_each_set_keeps_its_hints(tmp_path: Path, path: Path, second: Path) -> None:
    """`--again` and a further `--add` repeat each with what was said of it."""
    lists = {}
    for game in ("ws", "fab"):
        lists[game] = tmp_path / game
        lists[game].mkdir()
        (lists[game] / f"{game}.csv").write_text("ja,en\n控え室,Waiting Room\n", "utf-8")
    kb.build(lists["ws"], path, site="namelist", game="ws", names="terms")
    kb.build(lists["fab"], path, site="namelist", game="fab", names="terms", add=True)
    with base_of(second, path, add=True) as base:
        games = set(base.stats().games)
        assert {"ws", "fab", "mtg"} <= games
    before = exported(path)
    assert kb.build(kb=path, again=True).read == 0
    assert exported(path) == before


def test_the_same_source_again_is_there_once(path: Path, first: Path) -> None:
    report = kb.build(first, path, add=True)
    assert (report.pages, report.read) == (6, 0)
    report = kb.build(first.parent / "." / "first" / ".." / "first", path, add=True)
    assert (report.pages, report.read) == (6, 0)


def test_a_source_takes_the_hints_that_were_given_last(path: Path, first: Path) -> None:
    kb.build(first, path, site="dmwiki", add=True)
    assert kb.build(kb=path, again=True).sources == {"dm": {"dmwiki": 6}}


def test_what_is_added_to_nothing_is_built(path: Path, second: Path) -> None:
    assert kb.build(second, path, add=True).pages == 2


@pytest.mark.slow
def test_the_sample_may_be_kept(path: Path, second: Path) -> None:
    pages = kb.build(kb=path).pages
    assert kb.build(second, path, add=True).pages == pages + 2
    with kb.open(path) as base:
        assert not base.is_sample
    assert kb.build(kb=path, again=True).pages == pages + 2


@pytest.mark.parametrize("how", ["gone", "empty"])
def test_an_old_source_that_is_missing(path: Path, first: Path, second: Path, how: str) -> None:
    shutil.rmtree(first)
    if how == "empty":
        first.mkdir()
    for arguments in ({"sources": second, "add": True}, {"again": True}):
        with pytest.raises(kb.BuildError) as error:
            kb.build(kb=path, **arguments)  # type: ignore[arg-type]
        assert str(first) in str(error.value) and "6 pages" in str(error.value)
        assert "replace=True" in str(error.value) and len(pages_in(path)) == 6
    report = kb.build(second, path, add=True, replace=True)
    assert report.pages == 2 and report.removed.nodes["page"] == 6
    assert report.warnings[0].where == str(first)
    assert kb.build(kb=path, again=True).pages == 2


def test_when_no_source_is_left(path: Path, first: Path) -> None:
    shutil.rmtree(first)
    with pytest.raises(kb.QuestionError, match="none of the sources"):
        kb.build(kb=path, again=True, replace=True)
    assert len(pages_in(path)) == 6


def test_again_and_add_do_not_go_together(path: Path, first: Path, second: Path) -> None:
    for arguments in ({"sources": second, "again": True, "add": True}, {"add": True}):
        with pytest.raises(kb.QuestionError, match="again=True"):
            kb.build(kb=path, **arguments)  # type: ignore[arg-type]


def test_what_an_older_version_recorded(path: Path, first: Path, second: Path) -> None:
    """It recorded one set of places, without `sets`."""
    with altering(path) as db:
        [stored] = db.execute("SELECT value FROM meta WHERE key = 'built from'").fetchone()
        [only] = json.loads(stored)["sets"]
        old = json.dumps({**only, "folder": str(path.parent)})
        db.execute("UPDATE meta SET value = ? WHERE key = 'built from'", (old,))
    assert kb.build(second, path, add=True).pages == 8


# -- sources as they are given in Python ----------------------------------------------------------


def test_one_source_is_not_its_characters(tmp_path: Path, first: Path) -> None:
    for number, source in enumerate((str(first), first, [str(first)], (first,))):
        assert kb.build(source, tmp_path / f"{number}.db").pages == 6


@pytest.mark.parametrize("sources", [5, None, b"a", [5], "", [""], [None]])
def test_what_is_no_source(path: Path, first: Path, sources: object) -> None:
    with pytest.raises(kb.QuestionError, match="no file or folder"):
        kb.build(sources, path)  # type: ignore[arg-type]
    assert len(pages_in(path)) == 6


def test_sources_may_come_one_by_one(tmp_path: Path, first: Path) -> None:
    one_by_one = (source for source in [first])
    assert kb.build(one_by_one, tmp_path / "y.db").pages == 6  # type: ignore[arg-type]


# -- nothing is left behind -----------------------------------------------------------------------


def test_nothing_is_left_beside_the_file(path: Path, first: Path, second: Path) -> None:
    def files() -> set[str]:
        return {file.name for file in path.parent.iterdir()}

    expected = {"x.db", "first", "second"}
    assert files() == expected
    with pytest.raises(kb.BuildError):
        kb.build(second, path)
    assert files() == expected
    with pytest.raises(kb.SourceError):
        kb.build(path.parent / "nowhere", path)
    assert files() == expected

    def interrupt(progress: kb.BuildProgress) -> None:
        if progress.phase == "finding mentions":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kb.build([first, second], path, progress=interrupt)
    assert files() == expected


_CONTENDER = """
import os, sys, time
from pathlib import Path
from graphs.errors import StoreError
from graphs.store.file.atomic_file import write_lock

target, inside = Path(sys.argv[1]), Path(sys.argv[2])
end, held = time.monotonic() + 1.5, 0
while time.monotonic() < end:
    try:
        with write_lock(target):
            os.close(os.open(inside, os.O_CREAT | os.O_EXCL))  # fails if another is in here
            inside.unlink()
            held += 1
    except StoreError as error:
        assert "another build" in str(error), error
print(held)
"""


@pytest.mark.slow
def test_a_lock_file_goes_away_and_two_never_hold_it(tmp_path: Path) -> None:
    """Several processes take the lock and delete its file as fast as they can."""
    words = [sys.executable, "-c", _CONTENDER, str(tmp_path / "x.db"), str(tmp_path / "inside")]
    contenders = [
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for contender in contenders:
        out, err = contender.communicate(timeout=60)
        assert contender.returncode == 0, err
        assert int(out) > 10
    assert list(tmp_path.iterdir()) == []
