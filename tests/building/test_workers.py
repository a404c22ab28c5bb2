"""Any number of processes gives the same graph; none outlives a build, or is there for nothing."""

from __future__ import annotations

import itertools
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kb
from kb import worker_pool
from kb.building.capture_writer import CaptureWriter
from kb.building.page_reader import ExtractedPart
from kb.language.tokens import Tokenizer
from kb.worker_pool import WorkerPool
from tests.building.test_build import assert_whole, exported, struck
from tests.conftest import ROOT, SAMPLE
from tests.pages.test_wikitext import export, page_xml
from tests.rulebooks import base_of

# starts workers for whatever there is
EAGER = "import kb.worker_pool; kb.worker_pool.MIN_BYTES_FOR_WORKERS = 0; "


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Has workers started for whatever there is to do; gives their processes."""
    found: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *words: Any, **more: Any) -> None:
            super().__init__(*words, **more)
            found.append(self)

    monkeypatch.setattr(worker_pool, "MIN_BYTES_FOR_WORKERS", 0)
    monkeypatch.setattr(subprocess, "Popen", Noted)
    return found


# -- a pool -----------------------------------------------------------------------------------


def counting(by: int) -> Callable[[int], tuple[int, int]]:
    """Gives a number's product, and where it was found; the lower ones take longer."""

    def work(number: int) -> tuple[int, int]:
        time.sleep(0.03 / (number + 1))
        return number * by, os.getpid()

    return work


def failing(how: str) -> Callable[[int], int]:
    def work(number: int) -> int:
        if number == 3 and how == "is killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if number == 3 and how == "ends":
            os._exit(5)
        if number == 3 and how == "raises":
            raise kb.SourceError("page 3: no page")
        if number == 3 and how == "raises what can't be sent":
            raise Unsendable("page", 3)
        return number

    return work


class Unsendable(Exception):
    def __init__(self, what: str, number: int) -> None:
        super().__init__(f"{what} {number}: no page")


def size(_: object) -> int:
    return 1


@pytest.mark.slow
def test_answers_come_in_the_order_of_pieces(started: list[subprocess.Popen[bytes]]) -> None:
    with WorkerPool(2) as pool:
        found = list(pool.map(counting, 7, range(30), size))
        again = list(pool.map(counting, 2, range(9), size))  # the same workers do other work
        beside = pool.submit(sum, [1, 2, 3])
        assert [number for number, _ in pool.map(counting, 1, range(5), size)] == [*range(5)]
        assert beside() == 6
    assert [number for number, _ in found] == [number * 7 for number in range(30)]
    assert [number for number, _ in again] == [number * 2 for number in range(9)]
    processes = {process for _, process in found}
    assert processes == {one.pid for one in started} and os.getpid() not in processes
    assert all(one.returncode is not None for one in started)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "error", "said"),
    [
        ("is killed", kb.BuildError, "killed"),
        ("ends", kb.BuildError, "ended with code 5"),
        ("raises", kb.SourceError, "page 3: no page"),
        ("raises what can't be sent", RuntimeError, "Unsendable: page 3: no page"),
    ],
)
def test_what_goes_wrong_in_a_worker_is_told(
    started: list[subprocess.Popen[bytes]], how: str, error: type[Exception], said: str
) -> None:
    answers = []
    with pytest.raises(error, match=said) as raised, WorkerPool(2) as pool:
        answers += pool.map(failing, how, range(50), size)
    assert len(started) == 2 and all(one.returncode is not None for one in started)
    if how == "raises":
        assert "in failing" not in str(raised.value)  # where it was is for who looks for it
        assert any("in work" in note for note in raised.value.__notes__)


def test_no_process_for_little(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def popen(*_: object, **__: object) -> None:
        raise AssertionError("a process is started")

    monkeypatch.setattr(subprocess, "Popen", popen)
    kb.build(kb=tmp_path / "x.db", workers=4)
    monkeypatch.setattr(worker_pool, "MIN_BYTES_FOR_WORKERS", 0)
    kb.build(kb=tmp_path / "x.db", workers=1)
    kb.build([SAMPLE / "dmwiki" / "draw.html"], tmp_path / "x.db", workers=4, replace=True)
    with pytest.raises(kb.QuestionError, match="whole number from 1"):
        kb.build(kb=tmp_path / "x.db", workers=0)


# -- builds -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_any_number_of_workers_same_graph(
    started: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    """The graph, the warnings and what is told on the way: captures of one page in several forms,
    a dump, made-up pages and files that are none among them."""
    folder = tmp_path / "pages"
    folder.mkdir()
    dice = random.Random(704)
    words = (
        "カード 引く 手札 場合、 できない 。 [[引く]] [[手札]] Draw ＤＲＡＷ '' / // /* /==手順==/"
    )
    pieces = words.replace("/", "\n").split(" ")
    made = ["".join(dice.choices(pieces, k=40)) for _ in range(120)]
    dump = export(*(page_xml(f"甲{number}", text) for number, text in enumerate(made)))
    (folder / "dump.xml").write_bytes(dump[:-400])
    for number, text in enumerate(made[:20]):
        (folder / f"{f'乙{number}'.encode().hex().upper()}.txt").write_text(text, "utf-8")
        (folder / f"{number}.txt").write_text(text, "utf-8")
    graphs, told = [], []
    for number in (1, 3):
        told_on_the_way: list[kb.BuildProgress] = []
        path = tmp_path / f"{number}.db"
        report = kb.build(
            [SAMPLE, folder, SAMPLE / "mtgwiki"],
            path,
            progress=told_on_the_way.append,
            workers=number,
        )
        graphs.append(exported(path))
        places = [progress.place for progress in told_on_the_way if progress.place]
        told.append((report.pages, report.warnings, places))
        with kb.open(path) as base:
            audit = base.audit()
            assert audit.lost == 0 and len(audit.warnings) == len(report.warnings) > 20
    assert len(started) == 3
    assert graphs[0] == graphs[1] and graphs[0].count("甲119") > 1
    assert told[0] == told[1]


def test_a_word_is_the_same_whatever_was_met_before() -> None:
    """The dictionary knows these as one word; which was met first depends on the worker."""
    one, other = Tokenizer(), Tokenizer()
    narrow, wide = "www", "ＷＷＷ"
    forms = [
        [words(text)[0].entry.normal for text in texts]
        for words, texts in ((one, (narrow, wide)), (other, (wide, narrow)))
    ]
    assert forms[0] == forms[1][::-1]


@pytest.mark.slow
def test_a_worker_is_killed(
    started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old = tmp_path / "old.db"
    kb.build([SAMPLE / "dmwiki"], old, workers=1)
    put, pages = CaptureWriter.put, itertools.count(1)

    def kill(shelf: CaptureWriter, part: ExtractedPart) -> None:
        put(shelf, part)
        if next(pages) == 12:
            started[0].kill()

    monkeypatch.setattr(CaptureWriter, "put", kill)
    with pytest.raises(kb.BuildError, match="what was there before is kept"):
        kb.build(SAMPLE, old, workers=2)
    assert_whole(old)
    assert len(started) == 2 and all(one.returncode is not None for one in started)
    assert not list(tmp_path.glob(".*.building"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "workers"),
    [(signal.SIGINT, 1), (signal.SIGINT, 2), (signal.SIGTERM, 2), (signal.SIGKILL, 2)],
)
def test_nothing_is_left_running(tmp_path: Path, how: signal.Signals, workers: int) -> None:
    old = tmp_path / "old.db"
    kb.build([SAMPLE / "dmwiki"], old, workers=1)
    build = struck(how, old, workers)
    assert_whole(old)
    assert build.returncode == -how
    if how == signal.SIGKILL:
        assert build.stderr == b""
    else:
        assert build.stderr.decode() == "sansho: interrupted; what was there before is kept\n"
        assert [file.name for file in tmp_path.iterdir()] == ["old.db"]


@pytest.mark.slow
def test_a_script_need_not_guard_itself(tmp_path: Path) -> None:
    """What calls `build` is not run again by the workers."""
    script = tmp_path / "script.py"
    script.write_text(
        f"{EAGER}import kb; print('once'); "
        f"print(kb.build({[str(SAMPLE)]}, {str(tmp_path / 'x.db')!r}, workers=2).pages)"
    )
    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert (done.stdout, done.stderr) == ("once\n29\n", "")


# -- names that no wiki allows ----------------------------------------------------------------


def test_sections_and_pages_of_like_names(tmp_path: Path) -> None:
    """A section `甲_2` beside two of the name `甲`; a page named as a passage of another is."""
    for name, text in {
        "山": "*甲\n一つ。\n*甲\n二つ。\n*甲_2\n三つ。\n",
        "山¶1": "*乙\n四つ。\n",
    }.items():
        (tmp_path / f"{name.encode().hex().upper()}.txt").write_text(text, "utf-8")
    for sources in ([tmp_path], [*sorted(tmp_path.iterdir(), reverse=True)]):
        with base_of(sources, tmp_path / "x.db", game="demo") as base:
            ids = [node.id for node in base.nodes()]
            assert len(ids) == len(set(ids))
            sections = [node.id.rpartition("#")[2] for node in base.nodes("section")]
            assert {"甲", "甲_2", "甲_2_2"} <= set(sections)
