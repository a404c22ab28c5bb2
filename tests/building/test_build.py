"""A build gives the same graph whatever the order, and never harms the file that was there."""

from __future__ import annotations

import json
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

import kb
from benchmarks.raw_text import raw_text_size
from tests.children import interruptible
from tests.conftest import SAMPLE
from tests.pages.test_warc import record
from tests.rulebooks import base_of

COMMAND = [sys.executable, "-c", "from kb.cli import main; main()"]


def sansho(*words: str | Path, **more: object) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **more)  # type: ignore[call-overload, no-any-return]


def exported(path: Path) -> str:
    out = path.with_suffix(".jsonl")
    with kb.open(path) as base:
        base.export(out)
    return out.read_text("utf-8")


def files() -> list[Path]:
    return sorted(p for p in SAMPLE.rglob("*") if p.is_file() and p.suffix != ".jsonl")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A knowledge base that must survive: the sample's Duel Masters pages."""
    path = tmp_path / "old.db"
    kb.build([SAMPLE / "dmwiki"], path)
    return path


def assert_whole(path: Path) -> None:
    """The old knowledge base is there, answers, and has nothing of another."""
    with kb.open(path) as base:
        assert base.show("使う").matches[0].id == "dm/term/使う"
        assert set(base.stats().games) == {"dm"}


# -- the same graph ---------------------------------------------------------------------------


@pytest.mark.slow
def test_same_input_same_graph(tmp_path: Path) -> None:
    kb.build(kb=tmp_path / "one.db")
    kb.build(kb=tmp_path / "two.db")
    assert exported(tmp_path / "one.db") == exported(tmp_path / "two.db")


@pytest.fixture(scope="module")
def forwards(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The graph of the sample, each file as a source of its own."""
    path = tmp_path_factory.mktemp("forwards") / "one.db"
    kb.build(files(), path)
    return exported(path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_any_order_same_graph(tmp_path: Path, forwards: str, seed: int) -> None:
    """Each file as a source of its own: forwards, backwards, shuffled."""
    other = files()[::-1]
    if seed:
        random.Random(seed).shuffle(other)
    kb.build(other, tmp_path / "other.db")
    assert forwards == exported(tmp_path / "other.db") and forwards.count("\n") > 1000


def test_a_page_twice_is_there_once(tmp_path: Path) -> None:
    """A page and a view of it by a redirect: one page, its text counted once, nothing lost."""
    views = [SAMPLE / "mtgwiki" / "hiku.html", SAMPLE / "mtgwiki" / "redirect_draw.html"]
    kb.build([*views], tmp_path / "two.db")
    kb.build(views[::-1], tmp_path / "turned.db")
    assert exported(tmp_path / "two.db") == exported(tmp_path / "turned.db")
    with kb.open(tmp_path / "two.db") as base:
        assert [page.id for page in base.nodes("page")] == ["mtgwiki/ドロー", "mtgwiki/引く"]
        assert base.audit().lost == 0
        assert base.audit().left_out["another capture of the page is used"] > 0
        assert base.show("ドロー").matches[0].id == "mtg/term/引く"


def test_markup_is_preferred_to_a_text_capture(tmp_path: Path) -> None:
    text = tmp_path / "hiku.txt"
    text.write_text("引く\n提供:MTG Wiki\nカードを引く。\n", "utf-8")
    (tmp_path / "manifest.jsonl").write_text(
        '{"file": "hiku.txt", "url": "http://mtgwiki.com/wiki/%E5%BC%95%E3%81%8F"}\n', "utf-8"
    )
    report = kb.build([text, SAMPLE / "mtgwiki" / "hiku.html"], tmp_path / "x.db")
    assert report.pages == 1
    with kb.open(tmp_path / "x.db") as base:
        assert base.search("ライブラリー").hits
        taken, other = base.show("mtgwiki/引く").captures["mtgwiki/引く"]
    assert (taken.form, taken.why_not) == ("html", "")
    assert (other.place, other.why_not) == (str(text), "its text alone")


# -- what bad input gets ----------------------------------------------------------------------


def bad_sources(folder: Path) -> dict[str, Path]:
    page = (SAMPLE / "mtgwiki" / "hiku.html").read_bytes()
    made = {
        "missing": folder / "no-such-file",
        "empty folder": folder / "empty",
        "empty file": folder / "empty.html",
        "binary": folder / "picture.png",
        "unknown site": folder / "other.html",
        "another text": folder / "notes.txt",
        "edit form": folder / "edit.html",
    }
    made["empty folder"].mkdir()
    made["empty file"].write_bytes(b"")
    made["binary"].write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    made["unknown site"].write_text("<html><body><p>こんにちは</p></body></html>", "utf-8")
    made["another text"].write_text("買い物: 牛乳、卵\n", "utf-8")
    made["edit form"].write_bytes(page.replace(b'"wgAction":"view"', b'"wgAction":"edit"'))
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("missing", "no such file"),
        ("empty folder", "an empty folder"),
        ("empty file", "empty file"),
        ("binary", "a binary file"),
        ("unknown site", "no site that sansho knows"),
        ("another text", "of no kind"),
        ("edit form", "edit form"),
    ],
)
def test_bad_source(tmp_path: Path, old: Path, what: str, said: str) -> None:
    """One line that says what and where, exit code 2, and the old file whole."""
    source = bad_sources(tmp_path)[what]
    done = sansho("build", source, "--kb", old)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and said in done.stderr and source.name in done.stderr
    assert "Traceback" not in done.stderr and done.stdout == ""
    assert_whole(old)


def test_one_bad_page_among_good_ones_is_a_warning(tmp_path: Path) -> None:
    """A folder with every kind of bad file is built all the same; each is told."""
    folder = tmp_path / "folder"
    folder.mkdir()
    bad = bad_sources(folder)
    shutil.copy(SAMPLE / "mtgwiki" / "library.html", folder)
    cut = (SAMPLE / "mtgwiki" / "hand.html").read_bytes()
    (folder / "cut.html").write_bytes(cut[: cut.index(b"printfooter")])
    report = kb.build([folder], tmp_path / "x.db")
    told = {Path(warn.where).name: warn.what for warn in report.warnings}
    assert {"picture.png", "other.html", "notes.txt", "empty.html", "cut.html"} <= set(told)
    assert "truncated" in told["cut.html"] and report.pages == 2
    assert bad["edit form"].name not in told
    with kb.open(tmp_path / "x.db") as base:
        assert base.audit().lost == 0
        assert base.audit().left_out["not an article: edit form"] > 0


def test_what_is_refused_whole_is_in_the_sum(tmp_path: Path) -> None:
    """Under its reason, however the knowledge base came about."""
    folder, more, shards = tmp_path / "folder", tmp_path / "more", tmp_path / "shards"
    folder.mkdir()
    more.mkdir()
    page = (SAMPLE / "mtgwiki" / "library.html").read_text("utf-8")
    article = raw_text_size(page.encode())
    (folder / "library.html").write_text(page, "utf-8")
    bad_sources(folder)
    gone = "<html><head><title>無</title></head><body><p>ページがない</p></body></html>"
    (folder / "gone.html").write_text(gone, "utf-8")
    (folder / "gone.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    (folder / "gone.pdf").write_bytes(b"%PDF-1.4")
    stated = [{"file": f"gone.{end}", "status": 404} for end in ("html", "png", "pdf")]
    (folder / "manifest.jsonl").write_text("\n".join(map(json.dumps, stated)), "utf-8")
    (more / "answers.warc").write_bytes(
        record(gone.encode(), status="503 No") + record(page.encode(), status="301 Moved")
    )
    others = {
        "a.json": '{"カード": 1}',
        "b.xml": "<?xml version='1.0'?><x>札</x>",
        "c.txt": "札 山",
    }
    for name, text in others.items():
        (more / name).write_text(text, "utf-8")
    (more / "d.json").write_text('{"query": {"pages": {}}}', "utf-8")
    expected = {
        "not an article: edit form": raw_text_size((folder / "edit.html").read_bytes()),
        "a page of no site that sansho knows": len("こんにちは"),
        "a text of no kind that sansho knows": len("買い物:牛乳、卵") + len("札山"),
        "a JSON document of no kind that sansho knows": len('{"カード":1}'),
        "an XML document of no kind that sansho knows": len("<?xmlversion='1.0'?><x>札</x>"),
        "an answer of the API without a page's text": len('{"query":{"pages":{}}}'),
        "an answer with the status 404": len("無ページがない"),
        "an answer with the status 503": len("無ページがない"),
        "an answer with the status 301": article,
    }

    kb.build([folder, more], tmp_path / "at-once.db", workers=1)
    kb.build([folder, more], tmp_path / "shards.db", workers=1, shards=shards)
    kb.build([folder], tmp_path / "added.db", workers=1)
    kb.build([more], tmp_path / "added.db", workers=1, add=True)
    (folder / "notes.txt").write_text("買い物: 牛乳\n", "utf-8")
    kb.build([folder, more], tmp_path / "again.db", workers=1)
    (folder / "notes.txt").write_text("買い物: 牛乳、卵\n", "utf-8")
    assert kb.build([folder, more], tmp_path / "again.db", workers=1).read == 1
    for name in ("at-once", "shards", "added", "again"):
        with kb.open(tmp_path / f"{name}.db") as base:
            audit = base.audit(deep=True)
        assert not audit.damage, name
        assert {reason: audit.left_out[reason] for reason in expected} == expected, name
        assert (audit.chars, audit.lost) == (article + sum(expected.values()), 0), name


@pytest.mark.slow
def test_no_place_to_write(tmp_path: Path) -> None:
    done = sansho("build", "--kb", tmp_path / "no" / "such" / "x.db")
    assert done.returncode == 2 and "no such folder" in done.stderr
    done = sansho("build", "--kb", tmp_path)
    assert done.returncode == 2 and "a folder" in done.stderr


def test_demo_does_not_replace_a_knowledge_base(old: Path) -> None:
    done = sansho("demo", "--kb", old)
    assert done.returncode == 2 and "not the sample" in done.stderr
    assert_whole(old)


# -- crashes and neighbours -------------------------------------------------------------------


def start(words: Sequence[str | Path]) -> subprocess.Popen[bytes]:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    return subprocess.Popen([*COMMAND, *map(str, words)], **quiet, **interruptible())


def struck(how: signal.Signals, path: Path, workers: int) -> subprocess.CompletedProcess[bytes]:
    """A build that meets a signal when half of its pages are in. Workers have the build's
    standard error, which is at its end when the last of them ends."""
    code = f"""if True:
        import itertools, os, kb.cli, kb.worker_pool
        from kb.building.capture_writer import CaptureWriter
        put, pages, kb.worker_pool.MIN_BYTES_FOR_WORKERS = CaptureWriter.put, itertools.count(1), 0
        def struck(*words):
            put(*words)
            if next(pages) == 12:
                os.kill(os.getpid(), {int(how)})
        CaptureWriter.put = struck
        kb.cli.main()"""
    words = ["build", SAMPLE, "--replace", "--kb", path, "--workers", workers]
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(
        command, stderr=subprocess.PIPE, timeout=120, check=False, **interruptible()
    )


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path: Path, old: Path) -> None:
    """SIGKILL 3 times, anywhere in a build; each time what was there opens and answers.

    `python -m benchmarks.crashes` does it 1,600 times.
    """
    began = time.monotonic()
    assert start(["build", "--kb", tmp_path / "timed.db"]).wait(120) == 0
    whole = time.monotonic() - began
    dice, killed = random.Random(704), 0
    while killed < 3:
        build = start(["build", "--replace", "--kb", old])
        time.sleep(dice.uniform(0.15, 0.95) * whole)
        build.kill()
        if build.wait(60) == -signal.SIGKILL:
            killed += 1
        else:
            whole *= 0.9  # the machine is quicker than it was
        with kb.open(old) as base:
            games = set(base.stats().games)
            assert base.show("使う").matches[0].id == "dm/term/使う"
        assert games in (
            {"dm"},
            {"dm", "lanterns", "mtg", "ygo"},
        )  # the old one, or the new one: whole
        if games != {"dm"}:  # this build was not killed in time
            kb.build([SAMPLE / "dmwiki"], old, replace=True)
    kb.build([SAMPLE / "dmwiki"], old, replace=True)
    assert not list(tmp_path.glob("*.building"))  # what killed builds left is cleared away


def test_what_an_interrupted_build_left_is_deleted_in_the_end(tmp_path: Path) -> None:
    from graphs.store.file.atomic_file import write_lock

    with write_lock(tmp_path / "x.db"):
        (tmp_path / ".x.db.0a1b2c3d.merging").mkdir()
        (tmp_path / ".x.db.0a1b2c3d.building").touch()
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_a_name_that_begins_alike(tmp_path: Path) -> None:
    """Its build may be running: what that keeps beside it stays."""
    from graphs.store.file.atomic_file import replacing, write_lock

    with write_lock(tmp_path / "x.db.new"), replacing(tmp_path / "x.db.new", copy=False) as other:
        (tmp_path / ".x.db.new.0a1b2c3d.merging").mkdir()
        with write_lock(tmp_path / "x.db"):
            pass
        assert other.exists() and (tmp_path / ".x.db.new.0a1b2c3d.merging").exists()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_what_is_replaced_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    base, out = tmp_path / "x.db", tmp_path / "x.jsonl"
    for page in ("yamafuda.html", "draw.html"):
        with base_of([SAMPLE / "dmwiki" / page], base, replace=True) as opened:
            before = out.read_bytes() if out.exists() else b""
            opened.export(out)
        assert out.read_bytes() != before
        if not before:
            base.chmod(mode)
            out.chmod(mode)
    assert [stat.S_IMODE(file.stat().st_mode) for file in (base, out)] == [mode, mode]


def test_a_new_file_has_the_mode_of_the_umask_which_is_left_alone(tmp_path: Path) -> None:
    """It is the process's, and other threads make files meanwhile."""
    code = """if True:
        import os, sys
        from pathlib import Path
        from graphs.store.file.atomic_file import open_output, replacing
        masks, change, modes = [0o22, 0o77, 0o2], os.umask, []
        def refuse(mask): raise AssertionError("the umask of all threads")
        for mask in masks:
            change(mask)
            os.umask = refuse
            for name, make in (("a", open_output), ("b", lambda path: replacing(path, copy=False))):
                path = Path(sys.argv[1], f"{name}{mask}")
                with make(path):
                    pass
                modes.append(f"{path.stat().st_mode & 0o777:o}")
        print(*modes)"""
    done = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("644 644 600 600 664 664\n", "")


@pytest.mark.slow
def test_two_builds_at_once(old: Path) -> None:
    from graphs.store.file.atomic_file import write_lock

    with write_lock(old):
        done = sansho("build", SAMPLE, "--kb", old)
        assert done.returncode == 2 and "another build" in done.stderr
        assert_whole(old)  # and a reader is not in its way


@pytest.mark.slow
def test_disk_full(tmp_path: Path, old: Path) -> None:
    """Here a limit on the size of files: SQLite can't write on, in the middle of the build."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

    done = sansho("build", SAMPLE, "--kb", old, preexec_fn=limit)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert "can't be written" in done.stderr and "Traceback" not in done.stderr
    assert_whole(old)
    assert not list(tmp_path.glob("*.building"))


@pytest.mark.slow
def test_file_system_full(tmp_path: Path) -> None:
    """A real file system of 400 kB, where the tests may make one."""
    small = tmp_path / "small"
    small.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(small)], capture_output=True
    )
    if made.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        path = small / "old.db"
        kb.build([SAMPLE / "dmwiki" / "yamafuda.html"], path)
        before = path.read_bytes()
        done = sansho("build", SAMPLE, "--kb", path)
        assert done.returncode == 2 and "full" in done.stderr
        assert path.read_bytes() == before
    finally:
        subprocess.run(["umount", str(small)], check=False)


def test_reader_during_a_swap(tmp_path: Path, old: Path) -> None:
    """Who has the old file open goes on reading it; who opens anew reads the new one."""
    with kb.open(old) as before:
        kb.build([SAMPLE / "yugioh-wiki"], old, replace=True)
        assert before.show("使う").matches
        with kb.open(old) as after:
            assert not after.show("使う").matches and after.show("デッキ").matches


@pytest.mark.slow
def test_the_sample_never_speaks_where_a_real_text_does(tmp_path: Path) -> None:
    """The same rulebook, as if official, older and beside the paraphrase: it speaks."""
    book = SAMPLE / "rulebook" / "comprehensive-rules.20231117.en.txt"
    official = tmp_path / "official.txt"
    official.write_text(book.read_text("utf-8").replace("A player", "OFFICIAL: a player"), "utf-8")
    viewer = tmp_path / "viewer.html"
    page = (SAMPLE / "wisdom-guild" / "cr_r_121.html").read_text("utf-8")
    viewer.write_text(page.replace("残りが0枚の", "正式：残りが0枚の"), "utf-8")
    for sources in ([official, viewer, SAMPLE], [SAMPLE, viewer, official]):
        with base_of(sources, tmp_path / "x.db") as base:
            ja, en = (base.show("121.4", lang=lang).matches[0] for lang in ("ja", "en"))
            assert (ja.notice, en.notice) == (None, None)
            assert "OFFICIAL" in (en.text or "") and "正式" in (ja.text or "")


# -- hints ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_hint_names_a_site_that_detection_can_not(tmp_path: Path) -> None:
    """A capture without its URL, and a page from another host: the hint says whose they are."""
    (tmp_path / "draw.txt").write_text("ドロー/Draw\n\n カードを引くこと。\n", "utf-8")
    page = (SAMPLE / "yugioh-wiki" / "deck.html").read_bytes()
    (tmp_path / "deck.html").write_bytes(page.replace(b"yugioh-wiki.net", b"127.0.0.1:8000"))
    done = sansho("build", tmp_path / "draw.txt", "--kb", tmp_path / "x.db")
    assert done.returncode == 2 and "--site" in done.stderr
    with base_of([tmp_path], tmp_path / "x.db", site="yugioh-wiki", game="ygo") as base:
        assert [p.id for p in base.nodes("page")] == [
            "yugioh-wiki/デッキ",
            "yugioh-wiki/ドロー/Draw",
        ]
        assert base.show("draw").matches[0].game == "ygo"
        assert len(base.refs("yugioh-wiki/デッキ", kinds=["links_to"], direction="out").edges) > 10
    done = sansho("build", tmp_path, "--site", "nowhere", "--kb", tmp_path / "x.db")
    assert done.returncode == 2 and "no site nowhere" in done.stderr


def test_the_knowledge_base_may_lie_among_its_sources(tmp_path: Path) -> None:
    shutil.copy(SAMPLE / "mtgwiki" / "hand.html", tmp_path)
    for _ in range(2):
        report = kb.build([tmp_path], tmp_path / "x.db")
        assert (report.pages, report.warnings) == (1, ())
