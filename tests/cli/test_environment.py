"""Whatever a process is started with: closed streams, other charsets, little memory, signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import kb
from kb.cli.standard_streams import Output
from tests.building.test_build import COMMAND
from tests.children import interruptible

# As the installed program, which does not look for modules in the current folder: Python 3.13.0
# fails by itself where that is gone.
RUN = f"exec '{sys.executable}' -P -c 'from kb.cli import main; main()' \"$@\""


@pytest.fixture(scope="module")
def path(base: kb.KnowledgeBase) -> Path:
    return base.file


def shell(
    before: str, after: str, words: list[str | bytes], env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a command by a shell, with something before it and redirections after it."""
    command = ["sh", "-c", f"{before}\n{RUN} {after}", "sh", *words]
    full = {**os.environ, **(env or {})}
    return subprocess.run(command, capture_output=True, timeout=60, env=full, cwd="/")


# -- standard streams ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("after", "words", "code", "said"),
    [
        ("<&-", "show 121.4", 0, ""),
        (">&-", "show 121.4", 2, "sansho: standard output: Bad file descriptor\n"),
        ("2>&-", "show nowhere", 1, ""),
        ("<&- >&- 2>&-", "export --out -", 2, ""),
        ("> /dev/full", "stats --json", 2, "sansho: standard output: No space left on device\n"),
        ("> /dev/full", "--help", 2, "sansho: standard output: No space left on device\n"),
        ("2> /dev/full", "show nowhere", 1, ""),
    ],
)
def test_streams(path: Path, after: str, words: str, code: int, said: str) -> None:
    done = shell("", after, [*words.split()], {"SANSHO_KB": str(path)})
    assert (done.returncode, done.stderr.decode()) == (code, said)


@pytest.mark.slow
def test_nothing_is_written_into_a_file_that_took_the_place_of_a_stream(tmp_path: Path) -> None:
    """Descriptors 1 and 2 are free, and the first files that are opened would get them."""
    done = shell("", "<&- >&- 2>&-", ["build", "--kb", str(tmp_path / "x.db")])
    assert done.returncode == 2  # what was printed is lost
    with kb.open(tmp_path / "x.db") as base:
        assert base.show("121.4").matches
    assert [file.name for file in tmp_path.iterdir()] == ["x.db"]


def test_the_first_failure_is_raised_and_kept() -> None:
    output = Output(os.open("/dev/full", os.O_WRONLY), "w")
    with pytest.raises(OSError, match="standard output"):
        output.write(b"x")
    assert output.write(b"x") == 1 and output.failure
    output.close()


# -- charsets and other things in the environment --------------------------------------------------


@pytest.mark.parametrize(
    ("env", "charset", "shown"),
    [
        ({"PYTHONIOENCODING": "ascii"}, "ascii", r"\u5f15\u304f  term"),
        ({"PYTHONIOENCODING": "cp932"}, "cp932", r"引く  term \xb7 mtg"),
        ({"PYTHONIOENCODING": "utf-16"}, "utf-16", "引く  term · mtg"),
    ],
)
def test_charsets(path: Path, env: dict[str, str], charset: str, shown: str) -> None:
    env = {**env, "SANSHO_KB": str(path)}
    done = shell("", "", ["show", "引く"], env)
    assert (done.returncode, done.stderr) == (0, b"") and shown in done.stdout.decode(charset)


def test_json_is_utf_8_in_any_charset(path: Path) -> None:
    env = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = shell("", "", ["show", "引く", "--json", "--kb", str(path)], env)
    assert json.loads(done.stdout.decode())["matches"][0]["id"] == "mtg/term/引く"


def test_arguments_that_are_not_in_the_charset(path: Path) -> None:
    done = shell("", "", ["show", b"\xff\xfe", "--kb", str(path)])
    assert (done.returncode, done.stderr.decode()) == (
        1,
        "sansho: nothing is called \ufffd\ufffd\n",
    )


@pytest.mark.parametrize(
    ("before", "words", "said"),
    [
        ("ulimit -v 60000", "search 引く", "sansho: not enough memory"),
        ("ulimit -f 10", "export --out x.jsonl", "sansho: x.jsonl: can't be written: File too"),
        ("mkdir g; cd g; rmdir ../g", "export --out x.jsonl", "sansho: the current folder"),
    ],
)
def test_limits(tmp_path: Path, path: Path, before: str, words: str, said: str) -> None:
    before = f"cd '{tmp_path}'; {before}"
    done = shell(before, "", [*words.split(), "--kb", str(path)])
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith(said) and done.stderr.count(b"\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_whole_paths_need_no_current_folder(tmp_path: Path) -> None:
    (tmp_path / "a.wiki").write_text("カードを引く。", "utf-8")
    words = ["build", str(tmp_path), "--site", "mtgwiki", "--kb", str(tmp_path / "x.db")]
    done = shell(f"cd '{tmp_path}'; mkdir g; cd g; rmdir ../g", "", words)
    assert done.returncode == 0 and (tmp_path / "x.db").exists(), done.stderr


# -- signals ---------------------------------------------------------------------------------------

STRIKE = "import os; os.kill(os.getpid(), {})"
AT_START = """
import sys
from importlib.abc import MetaPathFinder
class Striker(MetaPathFinder):
    def find_spec(self, name, *_):
        if name == "click":  # the first that is imported of what takes time
            {strike}
sys.meta_path.insert(0, Striker())
from kb.cli import main
main()
"""


def struck_at_start(how: signal.Signals, words: list[str]) -> subprocess.CompletedProcess[bytes]:
    code = AT_START.format(strike=STRIKE.format(int(how)))
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, capture_output=True, timeout=60, **interruptible())


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_modules_are_imported(how: signal.Signals) -> None:
    done = struck_at_start(how, ["stats"])
    assert (done.returncode, done.stdout, done.stderr) == (-how, b"", b"")


def test_signals_that_were_ignored_stay_so(path: Path) -> None:
    """As of `nohup`, or of a job that a shell runs in the background."""
    code = AT_START.format(strike=STRIKE.format(1) + "; " + STRIKE.format(2))
    ignoring = ["sh", "-c", 'trap "" INT HUP; exec "$@"', "sh"]
    command = [*ignoring, sys.executable, "-c", code, "stats", "--json", "--kb", str(path)]
    done = subprocess.run(command, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"") and json.loads(done.stdout)


def test_a_second_signal_does_not_disturb_the_cleanup(tmp_path: Path, path: Path) -> None:
    """Both come while a file is written: nothing is left of it."""
    code = f"""if True:
        import atexit, os
        from kb.cli import main
        import kb.interchange.jsonl as jsonl
        def lines(store):
            atexit.register(os.kill, os.getpid(), {int(signal.SIGINT)})  # in the cleanup
            yield "x" * 100_000
            os.kill(os.getpid(), {int(signal.SIGTERM)})
            yield "y"
        jsonl.lines = lines
        main()"""
    words = ["export", "--kb", str(path), "--out", str(tmp_path / "x.jsonl")]
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, capture_output=True, timeout=60, **interruptible())
    assert (done.returncode, done.stderr) == (-signal.SIGTERM, b"")
    assert not list(tmp_path.iterdir())


def test_what_a_killed_export_left_is_cleared_by_the_next(tmp_path: Path, path: Path) -> None:
    from graphs.store.file.atomic_file import open_output

    out = tmp_path / "x.jsonl"
    (tmp_path / ".x.jsonl.0123abcd.writing").write_text("half")
    with open_output(out) as file:  # another that is at work keeps its own
        subprocess.run([*COMMAND, "export", "--kb", path, "--out", out], check=True, stdout=-3)
        file.write(b"mine")
    assert out.read_bytes() == b"mine" and list(tmp_path.iterdir()) == [out]
