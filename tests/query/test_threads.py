"""A knowledge base may be used from several threads at once, and closed by any of them."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

import kb
from benchmarks.threads import measure, mixed_questions
from graphs.store.file.connection import ReadConnection
from kb.language.tokens import stem, tokenizer

_CLOSED_WHILE_ASKED = """
import sys, threading, time
import kb

base = kb.open(sys.argv[1])
wrong = []

def ask():
    try:
        while True:
            base.refs("引く")
            base.graph()
            base.kwic("引く")
    except kb.StoreError as error:
        if "closed" not in str(error):
            wrong.append(error)
    except BaseException as error:
        wrong.append(error)

threads = [threading.Thread(target=ask) for _ in range(6)]
for thread in threads:
    thread.start()
time.sleep(0.4)
base.close()
for thread in threads:
    thread.join()
sys.exit(repr(wrong) if wrong else 0)
"""


@pytest.fixture
def file(base: kb.KnowledgeBase, tmp_path: Path) -> Path:
    """A copy of the sample."""
    return Path(shutil.copy(base.file, tmp_path / "kb.db"))


def test_threads_get_the_answers_that_one_gets(base: kb.KnowledgeBase) -> None:
    measured = measure(base, mixed_questions(base.file, 60), 4)
    assert not measured.different


def test_one_base_closed_while_others_ask(file: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CLOSED_WHILE_ASKED, str(file)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def _open_files(file: Path) -> int:
    """How often this process has a file open."""
    handles = Path("/proc/self/fd")
    if not handles.is_dir():
        pytest.skip("this system does not list the open files of a process")
    found = 0
    for handle in handles.iterdir():
        try:
            found += os.readlink(handle) == str(file)  # noqa: PTH115
        except OSError:
            continue
    return found


def test_threads_that_ended_leave_no_file_open(file: Path) -> None:
    with kb.open(file) as base:
        for _ in range(5):
            thread = Thread(target=base.stats)
            thread.start()
            thread.join()
        assert _open_files(file) == 1
    assert _open_files(file) == 0


def test_close_closes_the_connections_of_all_threads(file: Path) -> None:
    base, all_asked, may_end = kb.open(file), Barrier(4), Barrier(4)

    def ask() -> None:
        base.stats()
        all_asked.wait()
        may_end.wait()

    threads = [Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    all_asked.wait()
    assert _open_files(file) == 4
    base.close()
    base.close()
    assert _open_files(file) == 0
    may_end.wait()
    for thread in threads:
        thread.join()


def test_a_thread_does_not_read_another_graph_than_those_before_it(file: Path) -> None:
    with kb.open(file) as base, ThreadPoolExecutor(1) as pool:
        shutil.copy(file, file.with_name("new.db"))
        file.with_name("new.db").replace(file)
        assert base.stats()
        with pytest.raises(kb.StoreError, match="built again since it was opened"):
            pool.submit(base.stats).result()


def test_the_sample_may_be_opened_by_all_at_once() -> None:
    with ThreadPoolExecutor(4) as pool:
        assert len({base.file for base in pool.map(lambda _: kb.sample(), range(8))}) == 1


def test_words_are_told_apart_by_several_threads_at_once() -> None:
    text, words = "カードを引いたプレイヤーは、手札からカードを捨てる。" * 20, ["drawing", "cards"]
    expected = tokenizer()(text), [stem(word) for word in words]

    def both(_: int) -> Any:
        stem.cache_clear()
        return tokenizer()(text), [stem(word) for word in words]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(both, range(100))) == [expected] * 100


def test_a_connection_that_python_has_closed_is_closed_in_silence(base: kb.KnowledgeBase) -> None:
    connection = ReadConnection(Path(base.file))
    sqlite3.Connection.close(connection)  # as Python 3.13 does with what nobody refers to
    connection.close()
    assert connection.running.is_closed
