"""The pages in docs/: links and commands are right, the reference is current."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import kb
from kb.cli.group import main
from tests import reference_pages
from tests.build_site import FETCHED, FETCHED_BY_STYLE
from tests.cli.test_cli import shell_lines
from tests.commands import run
from tests.conftest import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
_CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
# They fetch, serve, need a file of the reader's, or take a while; their tests are elsewhere.
_NOT_RUN = {"build", "crawl", "lsp", "mcp", "near", "serve", "update"}
# A command and what it prints of the sample, or parts of that with `…` between them.
_SHOWN = re.compile(r"^\$ (sansho .*)\n((?:(?!\$ |```).*\n)+)", re.MULTILINE)


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts and the site make them."""
    text = _CODE.sub("", page.read_text("utf-8"))
    words = (re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading) for heading in _HEADING.findall(text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in words}


def _broken(page: Path) -> Iterator[str]:
    """Yield the links of a page that lead nowhere in the repository."""
    for link in _LINK.findall(_CODE.sub("", page.read_text("utf-8"))):
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", path):
            continue
        target = page.parent / path if path else page
        is_there = target.is_file() and target.resolve().is_relative_to(ROOT)
        if not is_there or (anchor and anchor not in _anchors(target)):
            yield link


@pytest.mark.parametrize("page", [*sorted(ROOT.glob("*.md")), *PAGES], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    assert list(_broken(page)) == []


def test_a_broken_link_is_noticed(tmp_path: Path) -> None:
    page = DOCS / "tasks" / "ask.md"
    copy = DOCS / "security.md"
    assert "answers-by-meaning" in _anchors(page)
    assert "no-such-heading" not in _anchors(copy)
    wrong = tmp_path / "wrong.md"
    wrong.write_text("# A\n[x](none.md) [y](#b) [z](#a) [w](https://x.invalid)\n", "utf-8")
    assert list(_broken(wrong))[:2] == ["none.md", "#b"]


def test_every_page_is_in_the_contents_once() -> None:
    text = (DOCS / "index.md").read_text("utf-8")
    blocks = re.findall(r"^```{toctree}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    named = [line for block in blocks for line in block.splitlines() if line and line[0] != ":"]
    pages = [str(page.relative_to(DOCS).with_suffix("")) for page in PAGES]
    assert sorted(named) == sorted(set(pages) - {"index"})


def test_every_notebook_is_named() -> None:
    text = (DOCS / "tasks" / "notebooks.md").read_text("utf-8")
    named = {*re.findall(r"`(\w+\.ipynb)`", text)}
    assert named == {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_command_has_a_line_with_its_options_and_its_task(name: str) -> None:
    lines = (DOCS / "commands.md").read_text("utf-8").splitlines()
    assert len(lines) <= 110
    found = [line for line in lines if line.startswith(f"| [`sansho {name}")]
    assert len(found) == 1
    options, task, *_ = _LINK.findall(found[0])
    assert options == f"reference/command-line.md#{name}"
    page = DOCS / (task.partition("#")[0] or "commands.md")
    assert f"sansho {name}" in page.read_text("utf-8")


@pytest.mark.parametrize("name", reference_pages.pages())
def test_the_reference_is_current(name: str) -> None:
    stored = (reference_pages.FOLDER / name).read_text("utf-8")
    current = reference_pages.pages()[name]
    assert stored == current, "python -m tests.reference_pages writes it; read the difference"


def test_every_public_name_is_in_the_reference() -> None:
    pages = reference_pages.pages()
    headings = set(_HEADING.findall(pages["python.md"] + pages["results.md"]))
    named = {name.rpartition(".")[2] for name in headings}
    values = {name for name in kb.__all__ if not callable(getattr(kb, name))}
    types = {name for name in kb.__all__ if not hasattr(getattr(kb, name), "__mro__")}
    assert set(kb.__all__) - values - types <= named
    assert {"open", "build", "sample", "show", "refs"} <= named


def _commands() -> list[tuple[str, str]]:
    """The (page, command) of all commands of sansho that the pages show."""
    return [
        (page.name, line)
        for page in PAGES
        if "reference" not in page.parts
        for line in shell_lines(page.read_text("utf-8"))
    ]


def _printed() -> list[tuple[str, str]]:
    """Each (command, what the page says that it prints)."""
    return [found for page in PAGES for found in _SHOWN.findall(page.read_text("utf-8"))]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to be in: the sample is its knowledge base, and it has the files of the pages."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("SANSHO_KB", raising=False)
    (tmp_path / "docs").symlink_to(DOCS)
    answer = "By rule 704.5b a player loses. By rule 704.5c you win.\n"
    (tmp_path / "answer.txt").write_text(answer, "utf-8")
    comment = "# Rule 200.3: at night the player whose turn it is sends moths out.\n"
    (tmp_path / "rules.py").write_text(comment, "utf-8")
    with kb.sample() as base:
        shutil.copy(base.file, tmp_path / "sansho.db")
    return tmp_path


def test_every_option_that_the_pages_name_is_there() -> None:
    shown = _commands()
    assert len(shown) > 40
    for page, line in shown:
        name, *words = shlex.split(line)[1:]
        command = main.commands[name]
        if isinstance(command, click.Group):
            command = command.commands[words[0]]
        options = {option for param in command.params for option in param.opts}
        used = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert used <= options, (page, line)


@pytest.mark.slow
def test_the_commands_of_the_tasks_run(desk: Path) -> None:
    shutil.copy(desk / "sansho.db", desk / "before.db")
    done_well = 0
    for page, line in _commands():
        words = shlex.split(line)[1:]
        if words[0] in _NOT_RUN or not (DOCS / "tasks" / page).is_file():
            continue
        mends = "--fix" in words
        finds_faults = words[0] in {"check", "verify"} or "--check" in words
        done = run(*words)
        assert done.exit_code == (finds_faults and not mends), (page, line, done.stderr)
        assert done.stdout or mends, (page, line)
        done_well += 1
    assert done_well > 60


def test_what_the_tasks_show_is_printed(desk: Path) -> None:
    shown = _printed()
    assert len(shown) > 20
    for line, text in shown:
        printed = run(*shlex.split(line)[1:]).stdout
        for part in re.split(r"^…\n", text, flags=re.MULTILINE):
            assert part in printed, line


def test_the_python_of_the_tasks_runs(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with_output = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", re.DOTALL)
    shown = ["mtg/cr/20231117/ja/121.4"]
    for page in sorted((DOCS / "tasks").glob("*.md")):
        for code, printed in with_output.findall(page.read_text("utf-8")):
            exec(compile(code, str(page), "exec"), {})
            shown.append(printed)
    out = capsys.readouterr().out
    assert len(shown) > 4
    assert [printed for printed in shown if printed not in out] == []


def test_what_a_built_page_fetches_is_noticed() -> None:
    assert FETCHED.search('<script async src="https://cdn.invalid/x.js">')
    assert FETCHED.search("<link rel=stylesheet href='//fonts.invalid/css'>")
    assert not FETCHED.search('<script src="_static/x.js"></script><a href="https://x.invalid">')
    assert FETCHED_BY_STYLE.search("src: url(https://fonts.invalid/a.woff2)")
