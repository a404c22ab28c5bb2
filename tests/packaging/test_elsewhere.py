"""The core works where there is nothing that only Linux has: see `elsewhere.py`."""

from __future__ import annotations

import ast
import json
import mimetypes
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import kb
from tests.conftest import ROOT, SAMPLE
from tests.packaging.elsewhere import UNIX_MODULES

# Worker processes even for a few pages; readers of archives with what was taken away, too.
_RUN = """
import sys
import kb.worker_pool, scraper.reader_process
kb.worker_pool.MIN_BYTES_FOR_WORKERS = 0
scraper.reader_process._ISOLATED = ("-c",)
from kb.cli import main
main()
"""


class Elsewhere:
    """A folder in which commands run as on another system."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        customs = folder / "customs"
        customs.mkdir()
        shutil.copy(Path(__file__).with_name("elsewhere.py"), customs / "sitecustomize.py")
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        self.environment = kept | {
            "ELSEWHERE_FOLDER": str(folder),
            "PYTHONPATH": os.pathsep.join([str(customs), str(ROOT)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUTF8": "0",
            "PYTHONCOERCECLOCALE": "0",
            "LC_ALL": "C",
            "PYTHONWARNDEFAULTENCODING": "1",
            # filelock takes what Windows has in place of fcntl, which isn't here either.
            "PYTHONWARNINGS": "error::EncodingWarning,ignore:only soft file lock",
            "TMPDIR": str(folder),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "SANSHO_ENCODER": "none",
        }

    def python(self, code: str, *words: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-c", code, *words],
            cwd=self.folder, env=self.environment, capture_output=True, timeout=300, check=False,
        )  # fmt: skip

    def sansho(self, *words: str) -> str:
        """What a command prints, whose exit code must be 0."""
        done = self.python(_RUN, *words)
        errors = done.stderr.decode("utf-8", "replace")
        assert done.returncode == 0, (words, errors)
        assert "Traceback" not in errors, errors
        return done.stdout.decode("utf-8")


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Elsewhere:
    return Elsewhere(tmp_path_factory.mktemp("elsewhere"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="imitates other systems on Linux")
def test_the_core_works_elsewhere(elsewhere: Elsewhere) -> None:
    assert "121.4" in elsewhere.sansho("demo")
    pages = elsewhere.folder / "pages"
    shutil.copytree(SAMPLE, pages)
    with zipfile.ZipFile(pages / "more.zip", "w") as archive:
        archive.write(SAMPLE / "dmwiki" / "draw.html", "draw.html")
    built = json.loads(elsewhere.sansho("build", "pages", "--workers", "2", "--json"))
    assert built["pages"] > 20
    elsewhere.sansho("build", "pages", "--json")  # again, in the place of the first
    rule = json.loads(elsewhere.sansho("show", "121.4", "--json"))
    assert rule["matches"]
    assert json.loads(elsewhere.sansho("refs", "121.4", "--json"))["edges"]
    asked = "空のライブラリーから引こうとするとどうなる？"
    assert json.loads(elsewhere.sansho("ask", asked, "--json"))["answers"]
    for _ in range(2):  # the second time in the place of the first
        elsewhere.sansho("export", "--format", "tbx", "--out", "terms.tbx")
    # Names of files are Unicode on macOS and Windows, whatever the charset of texts.
    elsewhere.environment["LC_ALL"] = "C.UTF-8"
    for _ in range(2):
        elsewhere.sansho("site", "site", "--lang", "en", "--game", "ygo")
    assert (elsewhere.folder / "terms.tbx").read_bytes().startswith(b"<?xml")
    left = [path.name for path in elsewhere.folder.iterdir() if path.name.startswith(".")]
    assert left == []


@pytest.mark.skipif(sys.platform != "linux", reason="imitates other systems on Linux")
@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import fcntl", "No module named 'fcntl'"),
        ("import os; os.sched_getaffinity(0)", "sched_getaffinity"),
        ("import signal; signal.SIGHUP", "SIGHUP"),
        ("import os; os.symlink('a', 'b')", "os.symlink"),
        ("open('a:b', 'wb')", "a name that Windows does not take"),
        ("open('/tmp/a', 'wb')", "written outside the folder"),
        ("f = open('a', 'wb'); import os; os.replace('a', 'b')", "used by a process"),
        ("f = open('a', 'wb'); import os; os.remove('a')", "used by a process"),
        ("import os; os.open('.', os.O_RDONLY)", "opens no folder"),
        ("import os; f = open('a', 'wb'); os.fsync(os.open('a', os.O_RDONLY))", "flushes no file"),
        ("open('a', 'w')", "EncodingWarning"),
    ],
)
def test_what_is_taken_away_is_missed(elsewhere: Elsewhere, code: str, why: str) -> None:
    done = elsewhere.python(code)
    assert done.returncode == 1 and why in done.stderr.decode()


def test_scripts_are_scripts_whatever_the_registry_says(base: kb.KnowledgeBase) -> None:
    from starlette.testclient import TestClient

    from kb.web.app import create_app

    mimetypes.add_type("text/plain", ".js")  # as the registry of Windows often has it
    with TestClient(create_app(kb.ReopenedBase(base.file)), "http://127.0.0.1") as client:
        kind = client.get("/static/sansho.js").headers["content-type"]
    assert kind.startswith("text/javascript")


def _without_charset(call: ast.Call) -> bool:
    """Whether a call opens text in whatever charset the system has."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if any(keyword.arg == "encoding" for keyword in call.keywords):
        return False
    if name in {"read_text", "write_text"}:
        return len(call.args) < (1 if name == "read_text" else 2)
    if name == "open" and isinstance(function, ast.Name):
        mode = call.args[1] if len(call.args) > 1 else None
        return not (isinstance(mode, ast.Constant) and "b" in str(mode.value))
    return any(
        keyword.arg in {"text", "universal_newlines"} for keyword in call.keywords
    ) and name in {"run", "Popen", "check_output"}


def _unix_imports(tree: ast.Module) -> list[ast.Import]:
    """The imports of modules of Unix for whose absence nothing is done: they stand in no `try`."""
    tried = [each for block in ast.walk(tree) if isinstance(block, ast.Try) for each in block.body]
    return [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.Import) and each not in tried
        if any(alias.name in UNIX_MODULES for alias in each.names)
    ]


@pytest.mark.slow
def test_charsets_are_named_and_modules_of_unix_may_be_missing() -> None:
    files = [path for room in ("graphs", "kb", "scraper") for path in (ROOT / room).rglob("*.py")]
    found = []
    for path in files:
        tree = ast.parse(path.read_text("utf-8"))
        calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call)]
        wrong = [*filter(_without_charset, calls), *_unix_imports(tree)]
        found += [f"{path.relative_to(ROOT)}:{each.lineno}" for each in wrong]
    assert len(files) > 300 and found == []


def test_an_import_of_unix_is_noticed() -> None:
    assert _unix_imports(ast.parse("def f():\n    import fcntl"))
    assert not _unix_imports(ast.parse("try:\n    import fcntl\nexcept ImportError:\n    pass"))


@pytest.mark.parametrize(
    ("code", "is_without"),
    [
        ("open(x)", True),
        ("open(x, 'rb')", False),
        ("open(x, encoding='utf-8')", False),
        ("p.read_text()", True),
        ("p.read_text('utf-8')", False),
        ("p.write_text(t)", True),
        ("run(x, text=True)", True),
    ],
)
def test_the_check_of_charsets_can_fail(code: str, is_without: bool) -> None:
    call = ast.parse(code, mode="eval").body
    assert isinstance(call, ast.Call) and _without_charset(call) is is_without
