"""Sources that are read in shards give the graph of an ordinary build, wherever the tasks run."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pytest
from filelock import FileLock

import kb
from graphs.writing.shard_loader import ShardLoader
from graphs.writing.shard_row_files import TableFile, read_rows
from kb.building import page_reader
from kb.building.shards import executors, shard_tasks, sharded_sources
from kb.building.shards.executors import InThisProcess
from kb.building.shards.shard_folder import Marker, ShardFolder
from scraper.sources import files_read_together
from tests.building.test_build import exported
from tests.children import interruptible
from tests.conftest import ROOT, SAMPLE
from tests.webs import mediawiki, web

_RECORDS = (
    "SELECT place, page, url, sha256, taken, notice, form, fitness, chars, chosen FROM capture",
    "SELECT reason, sum(chars) FROM left_out GROUP BY reason",
    "SELECT DISTINCT place, what FROM warning",
    "SELECT spelled, folded, normal FROM vocabulary",
    "SELECT n.id, w.words FROM passage_words w JOIN node n ON n.key = w.key",
    "SELECT s.game, s.spelled, n.id, s.name FROM spelling s JOIN node n ON n.key = s.node",
    "SELECT n.id, l.lang, l.text, l.role, l.shown, count(*) FROM label l "
    "JOIN node n ON n.key = l.node GROUP BY 1, 2, 3, 4, 5",
    "SELECT id, name, form, key, exact FROM name_key",
    "SELECT * FROM rule_versions",
    "SELECT * FROM editions",
    "SELECT * FROM book_steps",
)


FEW = SAMPLE / "dmwiki"  # pages, where it does not matter which


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has a shard of every few files."""
    monkeypatch.setattr(files_read_together, "_MOST_FILES", 3)


def records(path: Path) -> list[list[tuple[Any, ...]]]:
    """What a file holds beside what is exported."""
    db = sqlite3.connect(path)
    try:
        return [sorted(db.execute(query), key=repr) for query in _RECORDS]
    finally:
        db.close()


def assert_same(one: Path, other: Path) -> None:
    assert exported(one) == exported(other)
    assert records(one) == records(other)


@pytest.fixture
def tiny_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has a shard of every file."""
    monkeypatch.setattr(files_read_together, "_MOST_FILES", 1)


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few pages, built as always."""
    path = tmp_path_factory.mktemp("few") / "few.db"
    kb.build([FEW], path)
    return path


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, built as always."""
    path = tmp_path_factory.mktemp("ordinary") / "sample.db"
    kb.build([SAMPLE], path)
    return path


# -- the same graph ---------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("workers", [1, 2])
def test_shards_give_the_same_graph(tmp_path: Path, ordinary: Path, workers: int) -> None:
    report = kb.build([SAMPLE], tmp_path / "a.db", shards=tmp_path / "shards", workers=workers)
    assert len(list((tmp_path / "shards").glob(".*/complete.json"))) == report.shards["all"] > 4
    assert report.shards["read"] == report.shards["all"]
    assert report.read == kb.build([SAMPLE], tmp_path / "b.db").read
    assert_same(tmp_path / "a.db", ordinary)
    assert not list(
        (tmp_path / "shards" / ".merge.shard").iterdir()
    )  # nothing of the merge is left
    assert not list(tmp_path.glob(".*.merging"))


def captures(folder: Path) -> Path:
    """Pages that need all others: several captures of one, lists of names, pages without names."""
    for page in ("mtgwiki", "yugioh-wiki"):
        shutil.copytree(SAMPLE / page, folder / page)
    pages = sorted((SAMPLE / "mtgwiki").glob("*.html"))
    manifest = []
    for number, page in enumerate(pages[:2]):
        for time in ("2020-01-01", "2030-01-01"):
            name = f"{number}-{time}.html"
            (folder / name).write_bytes(page.read_bytes() + f"<!-- {time} -->".encode())
            url = f"http://mtgwiki.com/wiki/{page.stem}"
            manifest.append(f'{{"file": "{name}", "url": "{url}", "taken": "{time}"}}\n')
    (folder / "manifest.jsonl").write_text("".join(manifest), "utf-8")
    (folder / "lists").mkdir()
    (folder / "lists" / "names.csv").write_text("ja,en\n引く,draw\n山札,library\n", "utf-8")
    for name in ("one", "two"):
        (folder / name).mkdir()
        text = f"<html><body><h1>覚え書き</h1><p>{name}では札を引く。</p></body></html>"
        (folder / name / "note.html").write_text(text, "utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.usefixtures("small_shards")
def test_captures_lists_and_pages_without_names(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    captures(folder)
    sources = [folder, folder / "one"]  # both have the same file
    kb.build(sources, tmp_path / "a.db")
    kb.build(sources, tmp_path / "b.db", shards=tmp_path / "s", workers=1)
    assert_same(tmp_path / "a.db", tmp_path / "b.db")
    with kb.open(tmp_path / "b.db") as base:
        audit = base.audit()
        assert audit.left_out["another capture of the page is used"] > 0
        assert audit.lost == 0
        assert "namelist/names" in {page.id for page in base.nodes("page")}


@pytest.mark.slow
@pytest.mark.usefixtures("small_shards")
def test_an_ordinary_build_updates_what_shards_gave(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    captures(folder)
    kb.build([folder], tmp_path / "a.db", shards=tmp_path / "s", workers=1)
    page = next((folder / "mtgwiki").glob("*.html"))
    page.write_bytes(page.read_bytes().replace("引".encode(), "曳".encode()))
    next((folder / "yugioh-wiki").glob("*.html")).unlink()
    report = kb.build([folder], tmp_path / "a.db", replace=True)
    assert report.changes is not None and report.read < 5
    kb.build([folder], tmp_path / "fresh.db")
    assert exported(tmp_path / "a.db") == exported(tmp_path / "fresh.db")


# -- only what changed --------------------------------------------------------------------------


@pytest.mark.usefixtures("tiny_shards")
def test_only_the_changed_shard_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "pages"
    shutil.copytree(FEW, folder)
    build: Callable[[], kb.BuildReport] = lambda: kb.build(  # noqa: E731
        [folder], tmp_path / "a.db", shards=tmp_path / "s", workers=1
    )
    first = build()
    assert build().read == 0
    page = next(folder.glob("*.html"))
    page.write_bytes(page.read_bytes() + b"<!-- later -->")
    assert build().read == 1 < first.read
    monkeypatch.setattr(shard_tasks, "build_fingerprint", lambda: "another version")
    with pytest.raises(kb.BuildError, match="another version"):
        build()


@pytest.mark.slow
@pytest.mark.usefixtures("tiny_shards")
def test_a_damaged_shard_is_read_again(tmp_path: Path, few: Path) -> None:
    def build() -> int:
        report = kb.build([FEW], tmp_path / "a.db", shards=tmp_path / "s", workers=1)
        return report.shards["read"]

    assert build() == 4 and build() == 0
    marker, *_ = tmp_path.glob("s/.*/complete.json")
    marker.write_text("{}")
    assert build() == 1
    markers = sorted(tmp_path.glob("s/.*/complete.json"))
    rows = [
        each.parent / json.loads(each.read_text())["rows"] / "claim.parquet" for each in markers
    ]
    changed = bytearray(rows[0].read_bytes())
    changed[len(changed) // 2] ^= 5
    rows[0].write_bytes(changed)
    rows[1].unlink()
    rows[2].write_bytes(b"")
    shutil.rmtree(rows[3].parent)
    assert build() == 4
    assert_same(tmp_path / "a.db", few)


@pytest.mark.slow
@pytest.mark.usefixtures("tiny_shards")
def test_a_forged_marker_has_nothing_deleted(tmp_path: Path, few: Path) -> None:
    """What it names is a folder of rows, in its own folder, or it is no marker."""
    outside = ["../../victim", str(tmp_path / "victim"), "", ".", "..", "../x/0", 5, ["a"]]
    names = [*outside, "notes", "0123abcd", "deep"]
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "kept").touch()

    def build() -> None:
        kb.build([FEW], tmp_path / "a.db", shards=tmp_path / "s", workers=1)

    build()
    for start in range(0, len(names), 4):
        markers = sorted(tmp_path.glob("s/.*/complete.json"))
        for marker, name in zip(markers, names[start:], strict=False):
            stored = json.loads(marker.read_text())
            marker.write_text(json.dumps({**stored, "rows": name, "content": "another"}))
            if name == "deep":
                marker.write_text("[" * 100_000)
            for folder in ("notes", "0123abcd"):
                (marker.parent / folder).mkdir(exist_ok=True)
                (marker.parent / folder / "kept").touch()
        build()
    assert (tmp_path / "victim" / "kept").exists()
    for folder in ("notes", "0123abcd"):
        assert len(list(tmp_path.glob(f"s/.*/{folder}/kept"))) == len(markers)
    assert len(list(tmp_path.glob("s/.*/" + "?" * 32))) == len(markers)  # none of before is left
    assert_same(tmp_path / "a.db", few)


def test_links_among_rows_lead_to_nothing_that_is_deleted_or_written(tmp_path: Path) -> None:
    for name in ("victim", "other", "s"):
        (tmp_path / name).mkdir()
    rows, marker = tmp_path / "victim" / ("0" * 32), tmp_path / "victim" / "complete.json"
    rows.mkdir()
    marker.write_text(json.dumps(asdict(Marker("0" * 32, "", "", 0, "", {}))))
    (tmp_path / "s" / ".a.shard").symlink_to(tmp_path / "victim")
    linked = ShardFolder.within(str(tmp_path / "s"), "a")
    linked.delete("0" * 32)
    linked.delete_unfinished()
    (tmp_path / "s" / ".c.shard").symlink_to(tmp_path / "other")
    in_its_place = ShardFolder.within(str(tmp_path / "s"), "c")
    with in_its_place.create(in_its_place.new_rows())("claim.parquet") as file:
        file.write(b"rows")
    assert not list((tmp_path / "other").iterdir())
    folder = ShardFolder.within(str(tmp_path / "s"), "b")
    new = folder.new_rows()
    (tmp_path / "s" / ".b.shard" / ("0" * 32)).symlink_to(rows)
    (tmp_path / "s" / ".b.shard" / "complete.json").symlink_to(marker)
    before = marker.read_text()
    folder.complete(Marker(new, "", "", 0, "", {}))
    assert rows.is_dir() and marker.read_text() == before
    assert sorted(path.name for path in (tmp_path / "s" / ".b.shard").iterdir()) == sorted(
        ["complete.json", new]
    )


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("failing", ["claim.parquet", "spelling.parquet"])
def test_a_full_disk_is_that_of_the_rows(
    tmp_path: Path, few: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    class Full(io.BytesIO):
        def write(self, data: Any) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    create = ShardFolder.create
    with monkeypatch.context() as patch:
        patch.setattr(
            ShardFolder,
            "create",
            lambda self, rows: lambda name: Full() if name == failing else create(self, rows)(name),
        )
        with pytest.raises(kb.BuildError, match="s: rows can't be kept there: No space left"):
            kb.build([FEW], tmp_path / "a.db", shards=tmp_path / "s", workers=1)
    assert not (tmp_path / "a.db").exists()
    kb.build([FEW], tmp_path / "a.db", shards=tmp_path / "s", workers=1)
    assert_same(tmp_path / "a.db", few)


def test_what_a_killed_merge_left_is_deleted(tmp_path: Path) -> None:
    (tmp_path / ".a.db.0123abcd.merging").mkdir()
    (tmp_path / ".a.db.0123abcd.merging" / "merge.duckdb").touch()
    kb.build([FEW], tmp_path / "a.db", workers=1)
    assert [path.name for path in tmp_path.iterdir()] == ["a.db"]


def test_two_builds_do_not_share_their_rows(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    another = FileLock(tmp_path / "s" / ".rows.lock")
    with another, pytest.raises(kb.BuildError, match="another build keeps its rows there"):
        kb.build([FEW], tmp_path / "a.db", shards=tmp_path / "s", workers=1)


@pytest.mark.slow
def test_the_bundled_sample_in_shards(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    shutil.copytree(SAMPLE / "dmwiki", pages)
    assert kb.build(kb=tmp_path / "a.db", shards=pages / "rows", workers=1).pages > 10
    report = kb.build([pages], tmp_path / "b.db")  # rows are no pages
    assert not report.warnings and report.sources.keys() == {"dm"}


def test_what_is_of_many_pages_is_a_shard(tmp_path: Path) -> None:
    for name in ("a.html", "b.tar.gz", "c.html", "d.WARC", "e.html"):
        (tmp_path / name).write_text("text")
    groups = [
        each for each in files_read_together.file_groups(tmp_path) if not hasattr(each, "what")
    ]
    names = [[Path(path).name for path in group.paths] for group in groups]
    assert names == [["a.html"], ["b.tar.gz"], ["c.html"], ["d.WARC"], ["e.html"]]


@pytest.mark.slow
def test_what_is_named_twice_is_one_shard(tmp_path: Path, few: Path) -> None:
    page = next(FEW.glob("*.html"))
    sources = [FEW, FEW, page, page]
    report = kb.build(sources, tmp_path / "a.db", shards=tmp_path / "s", workers=2)
    assert report.shards == {"all": 2, "read": 2}
    assert_same(tmp_path / "a.db", few)


@pytest.mark.usefixtures("tiny_shards")
def test_what_killed_tasks_left_is_deleted(tmp_path: Path) -> None:
    def build() -> list[Path]:
        kb.build([FEW], tmp_path / "a.db", shards=tmp_path / "s", workers=1)
        return sorted((tmp_path / "s").glob(".*/*"))

    before = build()
    for shard in (".merge.shard", before[0].parent.name):
        (tmp_path / "s" / shard / "0123abcd").mkdir()
        (tmp_path / "s" / shard / "0123abcd" / "word.parquet").touch()
    assert build() == before


@pytest.mark.usefixtures("tiny_shards")
def test_a_source_that_a_worker_does_not_see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pages would be missing. A link that leads nowhere is no such file: it is there."""
    pages = shutil.copytree(FEW, tmp_path / "pages")
    (pages / "nowhere.html").symlink_to(tmp_path / "gone")
    (pages / "z.html").touch()
    given: dict[str, Any] = {"kb": tmp_path / "a.db", "shards": tmp_path / "s", "workers": 1}
    assert any("nowhere" in one.where for one in kb.build([pages], **given).warnings)
    read = shard_tasks.extract_shard

    def elsewhere(*given: Any) -> Any:
        (pages / "z.html").unlink(missing_ok=True)
        return read(*given)

    monkeypatch.setattr(sharded_sources, "extract_shard", elsewhere)
    with pytest.raises(kb.BuildError, match=r"z\.html.* must see the same sources"):
        kb.build([pages], **given)


@pytest.mark.parametrize("shards", [None, "s"])
def test_without_any_article_it_says_what_there_is(tmp_path: Path, shards: str | None) -> None:
    page = (SAMPLE / "mtgwiki" / "hand.html").read_bytes()
    name = tmp_path / "form.html"
    name.write_bytes(page.replace(b'"wgAction":"view"', b'"wgAction":"edit"'))
    rows = shards and tmp_path / shards
    with pytest.raises(kb.QuestionError) as raised:
        kb.build([name], tmp_path / "a.db", site="mtgwiki", shards=rows, workers=1)
    first = f"{name}: not an article: edit form"
    assert str(raised.value) == f"{name}: no article in it; first: {first}"


@pytest.mark.usefixtures("tiny_shards")
def test_the_first_error_ends_it_in_one_process_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def fail(shard: Any, *_: Any) -> None:
        tried.append(shard)
        raise kb.BuildError("the disk is full")

    monkeypatch.setattr(sharded_sources, "extract_shard", fail)
    with pytest.raises(kb.BuildError, match="the disk is full"):
        kb.build([FEW], tmp_path / "a.db", shards=tmp_path / "s", workers=1)
    assert len(tried) == 1


def test_lists_are_read_once_and_must_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for all others is read again when all are there."""
    pages = tmp_path / "pages"
    pages.mkdir()
    captures(pages)
    kb.build([pages], tmp_path / "a.db", shards=tmp_path / "s", workers=1)
    load = ShardLoader.load

    def change(*given: Any) -> None:
        load(*given)
        (pages / "lists" / "names.csv").write_text("ja,en\n引く,take\n", "utf-8")

    monkeypatch.setattr(ShardLoader, "load", change)
    with pytest.raises(kb.BuildError, match=r"was changed during the build; build again"):
        kb.build([pages], tmp_path / "a.db", shards=tmp_path / "s", workers=1)


def test_long_texts_do_not_wait_in_memory(tmp_path: Path) -> None:
    schema = pa.schema([("text", pa.string())])
    with (tmp_path / "x").open("wb") as file, TableFile(file, schema) as table:
        for number in range(1_000):
            text = "a" * 10_000 if number < 500 else "b"
            table.add((text,), text)
    with (tmp_path / "x").open("rb") as written:
        sizes = [batch.num_rows for batch in read_rows(written)]
    assert sum(sizes) == 1_000 and max(sizes[:2]) < 200 and sizes[-1] > 500


# -- object storage -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("small_shards")
def test_sources_and_rows_on_object_storage(tmp_path: Path) -> None:
    import fsspec

    storage = fsspec.filesystem("memory")
    storage.put(str(SAMPLE / "mtgwiki"), "/pages/mtgwiki", recursive=True)
    storage.put(str(SAMPLE / "manifest.jsonl"), "/pages/manifest.jsonl")

    def build(name: str, pages: str = "memory://pages") -> kb.BuildReport:
        return kb.build(pages, tmp_path / name, shards="memory://rows", workers=1)

    first = build("a.db")
    assert first.pages > 5
    with kb.open(tmp_path / "a.db") as base:  # the manifest says where they are from
        assert all(page.url for page in base.nodes("page"))
    assert build("b.db").read == build("b.db", "memory://pages/").read == 0
    [page] = [path for path in storage.find("/pages") if path.endswith("draw.html")]
    storage.pipe(page, storage.cat(page).replace("引".encode(), "曳".encode()))
    assert 0 < build("b.db").read <= 3
    with pytest.raises(kb.QuestionError, match="read in shards: name all its sources"):
        kb.build(kb=tmp_path / "b.db", again=True)
    with pytest.raises(kb.QuestionError, match="give shards"):
        kb.build("memory://pages", tmp_path / "c.db")
    for shards in (tmp_path / "s", None):
        with pytest.raises(kb.SourceError, match="a crawl fetches pages"):
            kb.build("https://example.org/pages", tmp_path / "c.db", shards=shards, workers=1)


# -- where the tasks run --------------------------------------------------------------------------


class Dying(Executor):
    """Runs tasks in a pool of one thread; the first attempt of each is lost."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(1)
        self.tasks = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.tasks += 1
        fn(*args, **kwargs)  # done once by a worker of whom nobody heard again
        return self._threads.submit(fn, *args, **kwargs)


@pytest.mark.usefixtures("tiny_shards")
def test_any_executor_will_do(tmp_path: Path, few: Path) -> None:
    executor = Dying()
    report = kb.build([FEW], tmp_path / "a.db", shards=tmp_path / "s", executor=executor)
    assert executor.tasks == 8
    assert report.read == kb.build([FEW], tmp_path / "b.db").read  # what was lost counts once
    assert_same(tmp_path / "a.db", few)
    assert InThisProcess().submit(int, "7").result() == 7
    with pytest.raises(ValueError, match="invalid literal"):
        InThisProcess().submit(int, "seven").result()


def dies_once(marker: str) -> int:
    """Kill the process at the first call."""
    try:
        Path(marker).touch(exist_ok=False)
    except FileExistsError:
        return os.getpid()
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def dies(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_a_lost_workers_task_is_done_by_another(tmp_path: Path) -> None:
    from kb.worker_pool import WorkerPool

    with WorkerPool(2) as pool:
        done = pool.executor().submit(dies_once, str(tmp_path / "marker"))
        assert done.result() not in {0, os.getpid()}
        with pytest.raises(kb.BuildError, match="killed"):
            pool.executor().submit(dies, 1).result()
        assert pool.executor().submit(os.getpid).result() != os.getpid()


class Cancelling(Executor):
    """What runs tasks goes away, as a Dask scheduler does."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.cancel()
        return future


def test_tasks_that_are_cancelled(tmp_path: Path) -> None:
    with pytest.raises(kb.BuildError, match=r"gone, or was shut down.*build again"):
        kb.build([FEW], tmp_path / "a.db", shards=tmp_path / "s", executor=Cancelling())


class Waiting(Executor):
    """Its tasks wait for workers that do not come."""

    looks = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return Future()

    def check_workers(self) -> None:
        self.looks += 1
        if self.looks > 2:
            raise kb.BuildError("no workers any more")


def test_tasks_that_nobody_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "_LOOK", 0.01)
    with pytest.raises(kb.BuildError, match="no workers any more"):
        kb.build([FEW], tmp_path / "a.db", shards=tmp_path / "s", executor=Waiting())


class Cluster:
    """What is known of a Dask cluster's workers, look by look."""

    def __init__(self, *workers: int | Exception) -> None:
        self._workers = iter(workers)

    def nthreads(self) -> dict[str, int]:
        found = next(self._workers)
        if isinstance(found, Exception):
            raise found
        return dict.fromkeys(map(str, range(found)), 1)

    def get_executor(self, pure: bool) -> Executor:
        return InThisProcess()


def test_a_cluster_without_workers() -> None:
    from kb.building.shards.executors import DaskExecutor

    most = 12
    restarted: Any = Cluster(*[0] * (most - 1), 1, *[0] * most)
    executor = DaskExecutor(restarted, "tcp://a:1")
    for _ in range(2 * most - 1):
        executor.check_workers()
    with pytest.raises(kb.BuildError, match=r"has no workers any more.*dask worker tcp://a:1"):
        executor.check_workers()
    gone: Any = Cluster(OSError("timed out"))
    with pytest.raises(kb.BuildError, match="answers no more"):
        DaskExecutor(gone, "tcp://a:1").check_workers()


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_merge_leaves_nothing_behind(
    tmp_path: Path, how: signal.Signals
) -> None:
    code = f"""if True:
        import os, time
        from kb.cli import main
        from graphs.writing.shard_loader import ShardLoader
        ShardLoader.load = lambda *_: (os.kill(os.getpid(), {int(how)}), time.sleep(60))
        main()"""
    words = ["build", str(FEW), "--kb", "a.db", "--shards", "s", "--workers", "1"]
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, **interruptible())
    assert (done.returncode, done.stdout) == (-how, b"") and b"interrupted" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Any]:
    """A Dask cluster of two processes on this machine."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=None,
        local_directory=str(tmp_path / "dask"),
        worker_dashboard_address=None,
    ) as cluster:
        yield cluster


@pytest.mark.slow
@pytest.mark.usefixtures("small_shards")
def test_dask_gives_the_same_graph(
    tmp_path: Path, ordinary: Path, dask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of rows is the one here, though workers run in another folder."""
    monkeypatch.chdir(tmp_path)
    kb.build([SAMPLE], "a.db", shards="s", scheduler=dask.scheduler_address)
    assert_same(tmp_path / "a.db", ordinary)
    assert (tmp_path / "s").is_dir()


@pytest.mark.slow
def test_a_worker_without_sansho(
    tmp_path: Path, dask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed import Client

    from kb.building.shards import executors

    with Client(dask.scheduler_address) as client:
        client.run(hide_sansho)
    with pytest.raises(kb.QuestionError, match=r"can't run sansho \(ModuleNotFound.*install"):
        kb.build([FEW], tmp_path / "a.db", shards=tmp_path / "s", scheduler=dask.scheduler_address)
    monkeypatch.setattr(executors, "_CONNECT", 0.5)
    with web({}) as other, pytest.raises(kb.QuestionError, match="no Dask"):
        place = other.url.replace("http://", "tcp://").rstrip("/")
        kb.build([FEW], tmp_path / "a.db", shards=tmp_path / "s", scheduler=place)


def hide_sansho() -> None:
    """Have a process find no module of the project any more."""
    for name in list(sys.modules):
        if name.split(".")[0] == "kb":
            sys.modules[name] = None  # type: ignore[assignment]


# -- what does not go together ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"scheduler": "tcp://127.0.0.1:1"}, "needs shards"),
        ({"executor": InThisProcess()}, "needs shards"),
        ({"shards": "s", "add": True}, "name all sources"),
        ({"shards": "s", "scheduler": "tcp://127.0.0.1:1", "executor": InThisProcess()}, "either"),
        ({"shards": "s", "scheduler": "nonsense://"}, "no Dask scheduler"),
        ({"shards": "s", "scheduler": "tls://127.0.0.1:1"}, "no Dask scheduler"),
        ({"shards": "foo://bar"}, "read are files on this machine"),
        ({"shards": SAMPLE / "manifest.jsonl"}, "a file"),
        ({"shards": "s", "executor": 3}, "no executor"),
        ({"shards": " "}, "shards=… is empty"),
        ({"shards": "a\0b"}, "shards is 'a.x00b'; name a folder"),
        ({"shards": "s", "scheduler": ""}, "scheduler=… is empty"),
        ({"shards": "memory://s", "workers": 2}, "the memory of one process"),
        ({"shards": "/dev/null/s"}, "no folder can be made there"),
        ({"shards": FEW / "rows"}, "names a folder elsewhere"),
    ],
)
def test_what_does_not_go_together(tmp_path: Path, given: dict[str, Any], said: str) -> None:
    with pytest.raises(kb.ERRORS, match=said):
        kb.build([FEW], tmp_path / "a.db", **given)


def test_pages_that_would_go_are_kept_by_naming_all_sources(tmp_path: Path) -> None:
    kb.build([FEW, SAMPLE / "mtgwiki"], tmp_path / "a.db", workers=1)
    with pytest.raises(kb.BuildError, match="name their sources, too, to keep them"):
        kb.build([FEW], tmp_path / "a.db", shards=tmp_path / "s", workers=1)


def test_an_executor_that_takes_no_tasks(tmp_path: Path) -> None:
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(kb.BuildError, match="takes no tasks"):
        kb.build([FEW], tmp_path / "a.db", shards=tmp_path / "s", executor=executor)


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["duckdb", "distributed"])
def test_without_the_extra_it_says_what_to_install(tmp_path: Path, missing: str) -> None:
    code = f"import sys; sys.modules['{missing}'] = None; from kb.cli import main; sys.exit(main())"
    command = ["build", str(SAMPLE), "--kb", "a.db", "--shards", "s", "--scheduler", "tcp://x:1"]
    done = subprocess.run(
        [sys.executable, "-c", code, *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "pip install 'sansho[dist]'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_an_ordinary_build_imports_nothing_of_the_extra(tmp_path: Path) -> None:
    code = (
        "import sys, kb; kb.build(kb=sys.argv[1]); "
        "print([name for name in ('duckdb', 'pyarrow', 'fsspec', 'distributed', 'dask') "
        "if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.db")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_of_equally_fit_captures_that_of_the_first_shard_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page stands further back in the first shard than in the second."""
    monkeypatch.setattr(page_reader, "fitness", lambda *_, **__: "00000 0 0 0.0 0 same")
    words = {"a": "先の内容である。", "b": "後の内容である。"}
    for folder, text in words.items():
        (tmp_path / folder).mkdir()
        page = mediawiki("錨", f"<b>錨</b>とは、{text}")
        (tmp_path / folder / ("z.html" if folder == "a" else "c.html")).write_text(page, "utf-8")
    (tmp_path / "a" / "y.html").write_text(mediawiki("帆", "<b>帆</b>とは、布である。"), "utf-8")
    for order in ("ab", "ba"):
        sources = [tmp_path / folder for folder in order]
        given: dict[str, Any] = {"game": "mtg", "lang": "ja", "site": "mtgwiki", "workers": 1}
        kb.build(sources, tmp_path / f"{order}.db", **given)
        kb.build(sources, tmp_path / f"{order}-shards.db", **given, shards=tmp_path / f"s-{order}")
        assert_same(tmp_path / f"{order}.db", tmp_path / f"{order}-shards.db")
        with kb.open(tmp_path / f"{order}-shards.db") as base:
            texts = [part.text or "" for part in base.parts("mtgwiki/錨")]
            assert any(words[order[0]] in text for text in texts), (order, texts)


def test_a_page_twice_in_one_source_is_shared_with_no_other(tmp_path: Path) -> None:
    for copy in "ab":  # one page twice in one source: an address that is a protocol alone
        fsspec.filesystem("memory").put(str(SAMPLE / "mtgwiki"), f"/{copy}/mtgwiki", recursive=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.txt").write_text("Nothing here.")
    sources = ["memory://", str(tmp_path / "other")]
    try:
        assert not kb.build(sources, tmp_path / "a.db", shards=tmp_path / "s", workers=1).shared
    finally:
        for copy in "ab":
            fsspec.filesystem("memory").rm(f"/{copy}", recursive=True)
