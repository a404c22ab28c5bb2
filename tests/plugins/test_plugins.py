"""Plug-ins: those of docs/plugins, each used by a command, and one that raises everywhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

PLUGINS = Path(__file__).parents[2] / "docs" / "plugins"
NAMES = sorted(path.name for path in PLUGINS.iterdir() if path.is_dir())
_MOST_LINES = 120


def lay_out(project: Path, into: Path) -> None:
    """Lay a package out as pip installs it: its modules, and the folder that describes it."""
    about = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]
    for module in project.glob("*.py"):
        shutil.copy(module, into)
    info = into / f"{about['name'].replace('-', '_')}-{about['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n", "utf-8"
    )
    groups = about["entry-points"].items()
    lines = (
        f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in rows.items()) for group, rows in groups
    )
    (info / "entry_points.txt").write_text("\n".join(lines), "utf-8")


@pytest.fixture(scope="module")
def all_six(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plugins")
    for name in NAMES:
        lay_out(PLUGINS / name, folder)
    return folder


def run_all(commands: Iterable[Sequence[str]], base: str) -> None:
    """Run commands on a base in this process, each of which must end well."""
    from kb.cli.group import main

    for words in commands:
        with pytest.raises(SystemExit) as ended:
            main([*words, "--kb", base])
        assert not ended.value.code, words


def run(
    folder: Path,
    *words: str,
    code: int | None = 0,
    program: str = "from kb.cli import main; main()",
    **variables: str,
) -> subprocess.CompletedProcess[str]:
    """Run the command, or a program, in a process that has the plug-ins of a folder."""
    path = os.pathsep.join([str(Path(__file__).parents[2]), str(folder)])
    own = {name: value for name, value in os.environ.items() if name != "SANSHO_RAISE"}
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        env={**own, "PYTHONPATH": path, "PYTHONUTF8": "1", **variables},
        capture_output=True, text=True, encoding="utf-8", cwd=folder, check=False,
    )  # fmt: skip
    assert code is None or done.returncode == code, (done.stdout, done.stderr)
    return done


def _page(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, "utf-8")


_DOKUWIKI = """<!DOCTYPE html><html><head><title>手札 [札の家]</title>
<meta name="generator" content="DokuWiki"/>
<link rel="canonical" href="https://wiki.example/doku.php?id={id}"/></head><body>
<div id="dokuwiki__site" class="dokuwiki mode_show"><div id="dokuwiki__header">札の家</div>
<div id="dokuwiki__content"><div class="page group"><div id="dw__toc">目次</div>
{body}</div></div><div id="dokuwiki__footer">最終更新</div></div></body></html>"""
_DUTCH = """Kaartenhuis: volledige regels
Geldig vanaf 1 maart 2026

100 Begin van het spel
100.1 Elke speler trekt vijf kaarten. Zie regel 100.2.
100.2 De speler met de langste naam begint, zie ook regel 101.1.
101 Het einde
101.1 Een speler die geen kaart kan trekken verliest het spel (volgens regel 100.1).
101.2 Het spel is voorbij als er een speler over is.
101.3 Wie over is, wint.
"""


@pytest.fixture(scope="module")
def base(all_six: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A knowledge base of pages that only plug-ins can read."""
    sources = tmp_path_factory.mktemp("sources") / "pages"
    body = (
        '<h1 id="a">手札</h1><p>引いた札は<a class="wikilink1" href="/doku.php?id=山札">山札</a>'
        "から来る。</p>"
    )
    _page(sources, "tefuda.html", _DOKUWIKI.format(id="手札", body=body))
    body = (
        "<h1>2026年4月1日の改訂</h1><h2>禁止カード</h2><ul><li>《空の龍》</li></ul>"
        "<h2>制限カード</h2><ul><li>《海の龍》</li></ul>"
    )
    _page(sources, "list.html", _DOKUWIKI.format(id="改訂", body=body))
    _page(sources, "kaartenhuis-regels.txt", _DUTCH)
    out = sources.parent / "own.db"
    run(all_six, "build", str(sources), "--game", "kaartenhuis", "--kb", str(out))
    return out


def test_there_are_six_short_ones() -> None:
    assert len(NAMES) == 6
    for name in NAMES:
        files = [*(PLUGINS / name).glob("*.py"), PLUGINS / name / "pyproject.toml"]
        lines = sum(len(file.read_text("utf-8").splitlines()) for file in files)
        assert lines < _MOST_LINES, (name, lines)


def test_all_are_listed_without_a_problem(all_six: Path) -> None:
    document = json.loads(run(all_six, "plugins", "--json").stdout)
    assert {row["distribution"] for row in document["plugins"]} == {
        f"sansho-{name.replace('_', '-')}" for name in NAMES
    }
    assert not [row for row in document["plugins"] if row["problem"]]


def test_a_wiki_of_another_engine_is_read(all_six: Path, base: Path) -> None:
    shown = json.loads(run(all_six, "refs", "dokuwiki/手札", "--kb", str(base), "--json").stdout)
    assert any(edge["target_label"] == "山札" for edge in shown["edges"])


def test_a_ban_list_gives_rulings_with_dates(all_six: Path, base: Path) -> None:
    document = json.loads(run(all_six, "rulings", "空の龍", "--kb", str(base), "--json").stdout)
    [ruling] = document["rulings"]
    assert (ruling["answer"], ruling["date"]) == ("banned", "2026-04-01")


def test_a_rulebook_in_another_language_and_of_another_game(all_six: Path, base: Path) -> None:
    found = json.loads(run(all_six, "refs", "100.1", "--kb", str(base), "--json").stdout)
    cited = {
        (edge["source"].rpartition("/")[2], (edge["target"] or "").rpartition("/")[2])
        for edge in found["edges"]
        if edge["kind"] == "cites"
    }
    assert cited == {("100.1", "100.2"), ("101.1", "100.1")}
    shown = json.loads(run(all_six, "show", "100.1", "--kb", str(base), "--json").stdout)
    [rule] = shown["matches"]
    assert (rule["lang"], rule["edition"], rule["game"]) == ("nl", "20260301", "kaartenhuis")


def test_a_question_with_its_command(all_six: Path, base: Path) -> None:
    done = run(all_six, "circles", "--kb", str(base))
    assert "kaartenhuis: 3 rules" in done.stdout
    other = run(all_six, "circles", "--kb", str(base), "--game", "mtg", code=2)
    assert "no game mtg" in other.stderr
    assert "circles" in run(all_six, "--help").stdout


def test_a_format(all_six: Path, base: Path, tmp_path: Path) -> None:
    out = tmp_path / "graph.cypher"
    run(all_six, "export", "--kb", str(base), "--out", str(out))
    text = out.read_text("utf-8")
    assert "CREATE (:Sansho:Rule {" in text and "[:CITES {" in text
    assert all(line.endswith(";") for line in text.splitlines())


def test_a_reranker(all_six: Path, base: Path) -> None:
    asked = ("ask", "Welke speler verliest, trekken?", "--kb", str(base), "--json")
    document = json.loads(run(all_six, *asked, SANSHO_RERANKER="overlap").stdout)
    assert "overlap of 2 characters" in json.dumps(document)
    failing = run(all_six, *asked, SANSHO_RERANKER="overlap:x")
    assert "plug-in overlap" in failing.stdout + failing.stderr


_RULES = """Rules

100 Start
100.1 Each player draws a card, see rule 100.2.
100.2 A player who can't draw a card loses.
100.3 The others go on.
101 Turn
101.1 The player plays a card.
101.2 The player attacks.
101.3 The turn ends.
"""
_KIND = "from kb.knowledge import Kind\nfrom graphs.writing.page_claims import *\n"
# Each module is named after its group, which may stand there several times with another digit.
_RAISING = {
    "sites": "def recognises(text, url): raise OSError('no sites')\ndef read(*a): raise OSError",
    "sites2": "def recognises(text, url): return 'broken' in text\n"
    "def read(*a): raise KeyError('x')",
    "games": "raise ImportError('no games')",
    "rulebook_languages": "from scraper.rulebook.languages import latin_language\n"
    "object = latin_language('xx', rule_words=('(a',))",
    "rulebook_languages2": "from scraper.rulebook.languages import latin_language\n"
    "object = latin_language('yy', rule_words=('zasada'))",
    "kinds": _KIND + "def f(context, claims):\n    claims.nodes.append(1)\nobject = Kind(f)",
    "kinds2": _KIND + "def f(context, claims):\n"
    "    node = context.make_node(context.section_ids[0] + '?9', 'erratum', label='x')\n"
    "    claims.parts.append(PageNode(node, context.section_ids[0]))\nobject = Kind(f)",
    "kinds3": _KIND + "def f(context, claims):\n    node = context.make_node("
    "context.section_ids[0] + '?9', 'ruling', label='x', details={'a': {'b': 'c'}})\n"
    "    claims.parts.append(PageNode(node, context.section_ids[0]))\nobject = Kind(f)",
    "commands": "import click\n@click.command()\ndef object(): raise_",
    "commands2": "raise SystemError('no command')",
    "commands3": "import sys\nsys.exit('needs a folder')",
    "formats": "object = 3",
    "formats2": "from kb.interchange.export import Format\n"
    "def write(store, out): raise KeyError('f')\n"
    "object = Format('formats2', ('.bad',), 'graph', __name__, 'Bad')",
    "encoders": "def object(model): raise RuntimeError('no vectors')",
    "encoders2": "class object:\n    def __init__(self, model): ...",
    "rerankers": "def object(model): raise RuntimeError('no order')",
}


def _broken(into: Path, name: str, modules: Mapping[str, str]) -> None:
    """Lay out a package whose modules, named after their groups, have this code; each entry point
    is called after its module."""
    info = into / f"{name}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n", "utf-8")
    lines = []
    for called, code in modules.items():
        (into / f"{name}_{called}.py").write_text(code, "utf-8")
        group = called.rstrip("0123456789")
        value = f"{name}_{called}" + ("" if group == "sites" else ":object")
        lines += [f"[sansho.{group}]", f"{called} = {value}"]
    (info / "entry_points.txt").write_text("\n".join(lines), "utf-8")


def test_one_that_raises_everywhere_leaves_all_else_as_it_was(tmp_path: Path) -> None:
    bad, pages = tmp_path / "bad", tmp_path / "pages"
    bad.mkdir()
    _broken(bad, "broken", _RAISING)
    _page(pages, "a.html", "<html><body><div id='body'><p>broken</p></div></body></html>")
    _page(pages, "rules.txt", _RULES)
    out = str(tmp_path / "own.db")
    built = run(bad, "build", str(pages), "--game", "ws", "--kb", out)
    said = built.stdout + built.stderr
    for name in ("sites", "sites2", "kinds", "kinds2", "kinds3"):
        assert f"plug-in {name} (" in said
    assert "unknown kind 'erratum'" in said and "details of another shape" in said
    commands = [
        ("show", "100.1"), ("refs", "100.1"), ("search", "card"), ("ask", "who can't draw a card?"),
        ("stats",), ("audit", "--deep"), ("top",), ("export", "--out", str(tmp_path / "x.jsonl")),
    ]  # fmt: skip
    code = f"from tests.plugins.test_plugins import run_all; run_all({commands!r}, {out!r})"
    assert "Traceback" not in run(bad, code=0, program=code).stderr
    listed = run(bad, "plugins", code=1).stdout
    for name in ("games", "rulebook_languages", "rulebook_languages2", "commands2", "formats"):
        assert f"plug-in {name} (" in listed
    assert "no command" in run(bad, "commands2", code=2).stderr
    assert "needs a folder" in run(bad, "commands3", code=2).stderr
    made = run(bad, "near", "build", "--kb", out, code=2, SANSHO_ENCODER="encoders").stderr
    assert "no vectors" in made
    made = run(bad, "near", "build", "--kb", out, code=2, SANSHO_ENCODER="encoders2").stderr
    assert "it has no" in made and "name" in made
    wrong = run(bad, "export", "--kb", out, "--out", str(tmp_path / "x.bad"), code=2).stderr
    assert "plug-in formats2" in wrong
    asked = run(bad, "ask", "who can't draw a card?", "--kb", out, SANSHO_RERANKER="rerankers")
    assert "no order" in asked.stdout + asked.stderr
    without = run(bad, "plugins", SANSHO_PLUGINS="none").stdout
    assert "no plug-in is installed" in without


def test_names_that_are_taken_are_said(tmp_path: Path) -> None:
    command = "import click\n@click.command()\ndef object(): ..."
    for name in ("one", "two"):
        _broken(tmp_path, name, {"commands": command})
    _broken(tmp_path, "three", {"commands": command, "kind": ""})
    entries = tmp_path / "three-1.dist-info" / "entry_points.txt"
    entries.write_text(entries.read_text("utf-8").replace("commands =", "show ="), "utf-8")
    listed = " ".join(run(tmp_path, "plugins", code=1).stdout.split())
    assert "has one of this name, too" in listed
    assert "show is built in" in listed and "no group kind" in listed


_ENCODER = """
class object:
    name, dimension = "toy", 8
    def __init__(self, model): self.model = model
    def passages(self, texts):
        return [[float(len(text) % 7 == at) + 0.1 for at in range(8)] for text in texts]
    def questions(self, texts):
        if self.model == "lost":
            raise RuntimeError("model lost")
        return self.passages(texts)
"""


def test_an_encoder(tmp_path: Path, base: Path) -> None:
    _broken(tmp_path, "toy", {"encoders": _ENCODER})
    own = Path(shutil.copy(base, tmp_path / "own.db"))
    run(tmp_path, "near", "build", "--kb", str(own), SANSHO_ENCODER="encoders:lost")
    asked = ("ask", "Welke speler verliest, trekken?", "--kb", str(own))
    assert "model lost" in run(tmp_path, *asked, SANSHO_ENCODER="encoders:lost").stderr
    assert "lost" not in run(tmp_path, *asked, SANSHO_ENCODER="encoders").stderr


def test_a_plugin_is_part_of_the_fingerprint(all_six: Path) -> None:
    code = "from kb.building.program_fingerprint import build_fingerprint as b; print(b())"
    with_them = run(all_six, program=code).stdout
    assert "ban_list of sansho-ban-list 0.1.0" in with_them
    assert with_them != run(all_six, program=code, SANSHO_PLUGINS="none").stdout
