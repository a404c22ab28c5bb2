"""The four commands of docs/translators.md, run as they stand there, up to OmegaT's door; and what
the pages of its tasks say of decisions and formats."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from lxml import etree

from kb.cli.group import main
from kb.interchange.export import FORMATS
from tests.conftest import ROOT

GUIDE = ROOT / "docs" / "translators.md"
TASKS = ROOT / "docs" / "tasks"


def commands() -> list[str]:
    block = re.search(r"^```sh\n(.*?)^```$", GUIDE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert block
    return block[1].splitlines()


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Result]]:
    folder = tmp_path_factory.mktemp("clone")
    (folder / "docs").mkdir()
    (folder / "docs" / "draft.csv").write_bytes((ROOT / "docs" / "draft.csv").read_bytes())
    first, *others = commands()
    assert first == "pip install ." and len(others) == 3
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "300")
        results = [CliRunner().invoke(main, shlex.split(line)[1:]) for line in others]
    return folder, results


@pytest.mark.slow
def test_the_project_folder_is_one_that_omegat_opens(done: tuple[Path, list[Result]]) -> None:
    folder, (built, exported, _) = done
    assert built.exit_code == exported.exit_code == 0
    project = folder / "translation"
    settings = etree.parse(project / "omegat.project").getroot()
    assert settings.tag == "omegat" and settings[0].get("version") == "1.0"
    for name in ("source", "target", "omegat", "glossary", "tm", "dictionary"):
        assert (project / name).is_dir()
    rows = (project / "glossary" / "sansho.utf8").read_text("utf-8").splitlines()
    assert any(row.split("\t")[:2] == ["Library", "ライブラリー"] for row in rows)


@pytest.mark.slow
def test_the_draft_is_checked_as_the_guide_shows(done: tuple[Path, list[Result]]) -> None:
    checked = done[1][2]
    assert checked.exit_code == 1
    shown = re.findall(r"^docs/draft\.csv:\S+  .*$", GUIDE.read_text("utf-8"), re.MULTILINE)
    assert len(shown) == 3
    for line in shown:
        assert line.partition(" (…)")[0] in checked.stdout
    assert "3 problems in 3 segments" in checked.stdout


@pytest.mark.slow
def test_the_decisions_of_the_guide_forbid_what_they_say(
    done: tuple[Path, list[Result]], tmp_path: Path
) -> None:
    page = (TASKS / "a-term-in-two-languages.md").read_text("utf-8")
    block = re.search(r"^```toml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert block and tomllib.loads(block[1])
    (tmp_path / "mine.toml").write_text(block[1], encoding="utf-8")
    words = ["check", str(done[0] / "docs" / "draft.csv"), "--kb", str(done[0] / "rules.db")]
    result = CliRunner().invoke(main, [*words, "--decisions", str(tmp_path / "mine.toml")])
    assert result.exit_code == 1 and "forbidden-term" in result.stdout


def test_the_page_on_export_has_the_formats_and_suffixes_that_there_are() -> None:
    rows = [line for line in (TASKS / "export.md").read_text("utf-8").splitlines() if "`" in line]
    named = {name for row in rows for name in re.findall(r"`([a-z0-9.-]+)`", row)}
    assert {known.name for known in FORMATS} <= named
    assert {suffix for known in FORMATS for suffix in known.suffixes} <= named
