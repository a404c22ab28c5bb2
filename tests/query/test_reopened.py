"""A knowledge base that is served is opened anew when its file was built again."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

import kb
from kb.reopened_base import ReopenedBase
from tests.rulebooks import write_books


@pytest.fixture
def file(base: kb.KnowledgeBase, tmp_path: Path) -> Path:
    """A copy of the sample."""
    return Path(shutil.copy(base.file, tmp_path / "kb.db"))


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small knowledge base with other pages."""
    folder = tmp_path_factory.mktemp("other")
    text = "1. 始め\n100. 準備\n100.1. 札を並べる。\n100.2. 手札を引く。\n"
    kb.build([write_books(folder / "books", {("20300101", "ja"): text})], folder / "kb.db")
    return folder / "kb.db"


def _replace(file: Path, by: Path) -> None:
    """Put a copy of another file in the place of one, as a build does."""
    Path(shutil.copy(by, file.with_suffix(".new"))).replace(file)


def _editions(served: ReopenedBase) -> set[str]:
    with served.base() as base:
        return set(base.stats().editions)


def test_a_file_that_was_built_again_is_opened_anew(file: Path, other: Path) -> None:
    served = ReopenedBase(file)
    with served.base() as first, served.base() as again:
        assert first is again
    _replace(file, other)
    assert _editions(served) == {"20300101"}
    served.close()


def test_a_base_in_use_stays_open_until_its_block_ends(file: Path, other: Path) -> None:
    served = ReopenedBase(file)
    with served.base() as old:
        _replace(file, other)
        with served.base() as new:
            assert new is not old
        assert old.show("121.4", lang="ja").matches
    with pytest.raises(kb.StoreError, match="closed"):
        old.show("121.4")
    assert _editions(served) == {"20300101"}


def test_users_in_several_threads_are_counted(file: Path, other: Path) -> None:
    served = ReopenedBase(file)
    entered, replaced = Event(), Event()

    def ask_before_and_after() -> bool:
        with served.base() as base:
            assert base.show("121.4", lang="ja").matches
            entered.set()
            replaced.wait(20)
            return bool(base.show("121.4", lang="ja").matches)

    with ThreadPoolExecutor(2) as pool:
        asked = pool.submit(ask_before_and_after)
        entered.wait(20)
        _replace(file, other)
        assert pool.submit(_editions, served).result() == {"20300101"}
        replaced.set()
        assert asked.result()


def test_a_new_file_that_cannot_be_opened_leaves_the_old_one(file: Path, other: Path) -> None:
    served = ReopenedBase(file)
    before = _editions(served)
    file.rename(file.with_suffix(".old"))
    assert _editions(served) == before, "between the removal of a file and the next one"
    file.write_bytes(b"half a file")
    assert _editions(served) == before
    with ThreadPoolExecutor(1) as pool, pytest.raises(kb.StoreError, match="not a knowledge base"):
        pool.submit(_editions, served).result()  # this thread never read the old file
    _replace(file, other)
    assert _editions(served) == {"20300101"}


def test_what_cannot_be_opened_says_why(tmp_path: Path, file: Path) -> None:
    with pytest.raises(kb.StoreError, match="build one"):
        ReopenedBase(tmp_path / "none.db")
    served = ReopenedBase(file)
    served.close()
    with pytest.raises(kb.StoreError, match="closed"), served.base():
        pass
