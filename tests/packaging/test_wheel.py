"""What is published: what wheel and sdist hold, and that the wheel alone serves in an empty
environment, as `pipx run` and `uv tool run` make one."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import tomllib
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

from tests.conftest import ROOT, SAMPLE

pytestmark = pytest.mark.slow

_ROOMS = ("graphs", "kb", "scraper")
_VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
# Bytes: 3.1, 7.9 and 4.4 million, and a quarter to a third more. Who adds data raises them.
_MOST_WHEEL, _MOST_UNPACKED, _MOST_SDIST = 4_000_000, 10_000_000, 6_000_000
_SUFFIXES = {".bin", ".css", ".html", ".js", ".jsonl", ".npz", ".py", ".pyi", ".svg", ".tsv",
             ".txt", ".typed", ".xml"}  # fmt: skip
# One of each kind without which a command fails.
_NEEDED = {
    "graphs/py.typed", "kb/__init__.pyi", "kb/py.typed", "kb/reasons.tsv",
    "kb/checking/checks/opposites.tsv", "kb/language/thesaurus.tsv",
    "kb/query/answers/asked_before.tsv", "kb/query/answers/word_vectors.bin",
    "kb/query/near/question_adapter.npz", "kb/sample/manifest.jsonl",
    "kb/sample/rulebook/comprehensive-rules.20231117.ja.txt", "kb/web/japanese.tsv",
    "kb/web/static/sansho.css", "kb/web/static/sansho.js", "kb/web/templates/base.html",
    "scraper/py.typed",
}  # fmt: skip
# What lies about where somebody works, and must not be published.
_DEBRIS = (
    "sansho-demo.db", "kb/sansho.db", "kb/sample/.sansho.db.lock", "graphs/__pycache__/model.pyc",
    "kb/.sansho.db.0123abcd.building", ".mypy_cache/x.json", "corpora/rules.txt", "notes.txt",
    "dist/sansho-0.0.0.tar.gz", "build/lib/kb/api.py",
)  # fmt: skip


@dataclass(frozen=True)
class Environment:
    """A virtual environment of the Python that runs, with nothing of ours in it."""

    folder: Path

    @classmethod
    def new(cls, folder: Path) -> Environment:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=300)
        return cls(folder)

    def program(self, name: str) -> str:
        programs = self.folder / ("Scripts" if os.name == "nt" else "bin")
        return str(programs / (f"{name}.exe" if os.name == "nt" else name))

    def install(self, *what: str) -> None:
        """Install packages by pip; the test is skipped where its index can't be reached, if what is
        wanted is a tool, and fails if it is sansho."""
        command = [self.program("python"), "-m", "pip", "install", "--quiet", *what]
        done = subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", timeout=600
        )
        if done.returncode and not any("sansho" in each for each in what):
            pytest.skip(f"pip can't install {what}: {done.stderr.strip()[-200:]}")
        assert done.returncode == 0, done.stderr

    def run(
        self, folder: Path, program: str, *words: str, code: int = 0
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [self.program(program), *words], cwd=folder, env=outside(folder),
            capture_output=True, encoding="utf-8", timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == code, (words, done.stdout[-500:], done.stderr[-2000:])
        return done


def outside(folder: Path) -> dict[str, str]:
    """The variables of a person who has no clone."""
    ours = ("PYTHON", "SANSHO", "COV_", "COVERAGE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {"XDG_CACHE_HOME": str(folder / "cache"), "PYTHONUTF8": "1"}


def _tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("git does not say which files are ours")
    names = listed.stdout.decode("utf-8").split("\0")
    return [name for name in names if name and (ROOT / name).is_file()]


@dataclass(frozen=True)
class Published:
    """A wheel and an sdist, and the files that git knows."""

    wheel: Path
    sdist: Path
    tracked: frozenset[str]
    tools: Environment


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """Both built from a copy of what git knows, among which debris lies."""
    folder = tmp_path_factory.mktemp("published")
    tree, tracked = folder / "tree", _tracked()
    for name in tracked:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    for name in _DEBRIS:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_bytes(b"debris")
    tools = Environment.new(folder / "tools")
    tools.install("hatchling>=1.24")
    tools.run(tree, "hatchling", "build", "--directory", str(folder / "out"))
    [wheel], [sdist] = (folder / "out").glob("*.whl"), (folder / "out").glob("*.tar.gz")
    return Published(wheel, sdist, frozenset(tracked), tools)


def _contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_has_the_packages_and_nothing_else(published: Published) -> None:
    contents = _contents(published.wheel)
    about = f"sansho-{_VERSION}.dist-info/"
    files = {name for name in contents if not name.startswith(about)}
    assert files == {each for each in published.tracked if each.startswith(_ROOMS)}
    assert files >= _NEEDED
    assert {PurePosixPath(name).suffix for name in files} <= _SUFFIXES
    assert not [name for name in files if re.search(r"(^|/)(tests?|corpora)/|\.db$|cache", name)]
    assert f"{about}licenses/LICENSE" in contents
    assert b"sansho = kb.cli:main" in contents[f"{about}entry_points.txt"]
    assert published.wheel.name == f"sansho-{_VERSION}-py3-none-any.whl"
    assert published.wheel.stat().st_size < _MOST_WHEEL
    assert sum(map(len, contents.values())) < _MOST_UNPACKED


def test_the_sdist_has_what_git_knows_and_gives_the_same_wheel(
    published: Published, tmp_path: Path
) -> None:
    with tarfile.open(published.sdist) as archive:
        names = {each.name.partition("/")[2] for each in archive.getmembers()}
        archive.extractall(tmp_path, filter="data")
    assert names - {"PKG-INFO"} == published.tracked
    assert published.sdist.stat().st_size < _MOST_SDIST
    tree = tmp_path / f"sansho-{_VERSION}"
    published.tools.run(tree, "hatchling", "build", "-t", "wheel", "-d", str(tmp_path))
    assert _contents(next(tmp_path.glob("*.whl"))) == _contents(published.wheel)


def test_the_wheel_alone_serves_in_an_empty_environment(
    published: Published, tmp_path: Path
) -> None:
    alone, here = Environment.new(tmp_path / "alone"), tmp_path / "here"
    here.mkdir()
    alone.install(str(published.wheel))
    place = alone.run(here, "python", "-c", "import kb; print(kb.__file__)").stdout
    assert str(tmp_path) in place and str(ROOT) not in place
    assert _VERSION in alone.run(here, "sansho", "--version").stdout
    assert "121.4" in alone.run(here, "sansho", "demo").stdout
    assert "sansho[web]" in alone.run(here, "sansho", "serve", code=2).stderr
    (here / "pages").mkdir()
    shutil.copy(SAMPLE / "mtgwiki" / "hiku.html", here / "pages")
    shutil.copy(SAMPLE / "rulebook" / "comprehensive-rules.20231117.ja.txt", here / "pages")
    built = json.loads(alone.run(here, "sansho", "build", "pages", "--json").stdout)
    assert built["pages"] == 2
    asked = "空のライブラリーから引こうとするとどうなる？"
    assert json.loads(alone.run(here, "sansho", "ask", asked, "--json").stdout)["answers"]
    alone.install(f"{published.wheel}[web]")
    assert "121.4" in _served(alone, here)
    alone.install(*(str(path) for path in (ROOT / "docs" / "plugins").iterdir() if path.is_dir()))
    added = json.loads(alone.run(here, "sansho", "plugins", "--json").stdout)["plugins"]
    assert len({one["distribution"] for one in added}) == 6
    assert not [one for one in added if one["problem"]]
    assert "circles" in alone.run(here, "sansho", "--help").stdout
    alone.run(here, "sansho", "export", "--out", "graph.cypher")


def _served(environment: Environment, folder: Path) -> str:
    """The page of a rule, as `sansho serve` shows it."""
    log = folder / "served"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [environment.program("sansho"), "serve", "--port", "0"],
            cwd=folder, env=outside(folder), stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        for _ in range(600):
            if found := re.search(r"http://\S+:\d+/", log.read_text("utf-8", "replace")):
                break
            assert server.poll() is None, log.read_text("utf-8", "replace")
            time.sleep(0.1)
        assert found
        with urllib.request.urlopen(f"{found[0]}en/show?ref=121.4", timeout=60) as answer:
            return str(answer.read().decode("utf-8"))
    finally:
        server.terminate()
        server.wait(60)
