"""The command line: help for everything, the JSON of the contract, what people read."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest

import kb
from kb.cli.group import main
from tests.commands import run
from tests.conftest import ROOT, SAMPLE

NODE = {"id", "kind", "game", "source", "lang", "edition", "number", "label", "labels", "reading",
        "text", "section", "url"}  # fmt: skip
EDGE = {"kind", "source", "target", "target_label", "status", "reason", "evidence"}
EVIDENCE = {"page", "passage", "start", "end", "text"}


@pytest.fixture(scope="module")
def path(base: kb.KnowledgeBase) -> str:
    return str(base.file)


def answer(*words: str, code: int = 0) -> Any:
    done = run(*words, "--json")
    assert done.exit_code == code, done.stderr
    return json.loads(done.stdout)


def check_edge(edge: dict[str, Any], texts: dict[str, str]) -> None:
    assert set(edge) >= EDGE and set(edge["evidence"]) >= EVIDENCE
    assert (edge["status"] == "dangling") == (edge["target"] is None) == bool(edge["reason"])
    words = edge["evidence"]
    assert words["text"] == texts[words["passage"]][words["start"] : words["end"]] != ""


@pytest.fixture(scope="module")
def texts(path: str) -> dict[str, str]:
    with kb.open(path) as base:
        return {node.id: node.text or "" for node in base.nodes("passage")}


# -- help and documentation -------------------------------------------------------------------

REFERENCE = ROOT / "docs" / "reference" / "command-line.md"
SERVERS = {"lsp", "mcp", "serve"}  # which answer in other ways than on standard output, to be read


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_command_is_explained(name: str) -> None:
    command = main.commands[name]
    assert command.help and f"## {name}\n" in REFERENCE.read_text("utf-8")
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.name}"
    assert run(name, "--help").exit_code == 0
    has_json = any(option.name == "as_json" for option in command.params)
    assert has_json or name in {"completion", *SERVERS}


@pytest.mark.parametrize(
    "name", sorted(set(main.commands) - {"completion", "demo", "site", *SERVERS})
)
def test_every_command_has_a_python_twin(name: str) -> None:
    name = "build_vectors" if name == "near" else name
    assert callable(getattr(kb.KnowledgeBase, name, None) or getattr(kb, name, None))


def shell_lines(text: str) -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", text, re.S)
    lines = [line.partition("#")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("sansho ")]


@pytest.mark.slow
def test_every_command_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "PAGES").symlink_to(SAMPLE)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / "answer.md").write_text("A player loses then: see rule 121.4.")
    lines = shell_lines((ROOT / "README.md").read_text("utf-8"))
    assert len(lines) >= 15 and run("demo").exit_code == 0
    for line in lines:
        if line.startswith("sansho crawl "):
            continue  # run in test_crawl_named, where a server on loopback plays the sites
        done = run(*shlex.split(line)[1:])
        has_problems = line.startswith("sansho check ")
        assert done.exit_code == has_problems and done.stdout, (line, done.stderr)


def test_the_answers_of_the_readme_are_those_of_the_sample(path: str) -> None:
    shown = re.findall(
        r"```console\n\$ sansho (.*)\n([^`]*)```", (ROOT / "README.md").read_text("utf-8")
    )
    assert len(shown) == 2
    for command, answer_there in shown:
        done = run(*shlex.split(command), of=path)
        assert done.stdout.startswith(answer_there), command


def test_the_python_of_the_readme_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)
    for block in code:
        exec(block, {})
    assert "121.4 → 704 「rule 704」" in capsys.readouterr().out


# -- the contract -----------------------------------------------------------------------------


@pytest.mark.slow
def test_build(tmp_path: Path) -> None:
    report = answer("build", str(SAMPLE), "--kb", str(tmp_path / "x.db"))
    assert {"kb", "pages", "nodes", "edges", "dangling", "warnings", "seconds"} <= set(report)
    assert report["nodes"]["rule"] > 50 and report["edges"]["cites"] > 20
    report = answer("build", str(SAMPLE), str(ROOT / "README.md"), "--kb", str(tmp_path / "x.db"))
    assert set(report["warnings"][0]) == {"where", "what", "hints"}


def test_show(path: str) -> None:
    matches = answer("show", "121.4", "--kb", path)["matches"]
    assert all(set(node) >= NODE for node in matches)
    assert [node["lang"] for node in matches] == ["ja", "en"]
    term = answer("show", "draw", "--game", "mtg", "--kb", path)["matches"][0]
    assert term["id"] == "mtg/term/引く"
    assert {"lang": "ja", "text": "引く", "role": "preferred"} in term["labels"]
    preferred = [label["lang"] for label in term["labels"] if label["role"] == "preferred"]
    assert len(preferred) == len(set(preferred))


@pytest.mark.parametrize(
    ("ref", "node_id"),
    [
        ("121.4", "mtg/cr/20231117/ja/121.4"),
        ("rule 121.4", "mtg/cr/20231117/ja/121.4"),
        ("CR:704.5B", "mtg/cr/20231117/ja/704.5b"),
        ("１２１．４", "mtg/cr/20231117/ja/121.4"),
        ("カードを引く", "mtg/term/引く"),
        ("つうじょうのドロー", "ygo/term/通常のドロー"),
        ("ふぁくと おあ ふぃくしょん", None),
        ("fact or fiction", "mtg/card/嘘か真か"),
        ("《灰流うらら》", "ygo/card/灰流うらら"),
        ("mtgwiki/引く", "mtgwiki/引く"),
        ("カードを引くこと", "mtg/cr/20231117/ja/121"),
        ("20231117", "mtg/cr/20231117"),
    ],
)
def test_what_a_reference_names(path: str, ref: str, node_id: str | None) -> None:
    matches = answer("show", ref, "--kb", path, code=0 if node_id else 1)["matches"]
    assert (matches[0]["id"] if matches else None) == node_id


def test_refs(path: str, texts: dict[str, str]) -> None:
    found = answer("refs", "121.8", "--lang", "ja", "--direction", "out", "--kb", path)
    assert set(found["node"]) >= NODE
    for edge in found["edges"]:
        check_edge(edge, texts)
    cited = {e["target_label"] for e in found["edges"] if e["kind"] == "cites"}
    assert cited == {"601.2i", "728"}
    only = answer("refs", "121.8", "--kind", "part_of,cites", "--kb", path)
    assert {edge["kind"] for edge in only["edges"]} == {"part_of", "cites"}


def test_refs_into_a_rule(path: str, texts: dict[str, str]) -> None:
    """What leans on 704: rules and wiki passages, by the words that say so."""
    edges = answer(
        "refs", "mtg/cr/20231117/ja/704", "--direction", "in", "--kind", "cites", "--kb", path
    )["edges"]
    assert {"mtg/cr/20231117/ja/121.4", "mtg/cr/20231117/ja/120.5"} <= {e["source"] for e in edges}
    for edge in edges:
        check_edge(edge, texts)
        assert "704" in edge["evidence"]["text"]


def test_a_closure_has_each_edge_once_nearest_first(path: str) -> None:
    words = ["refs", "121.4", "--lang", "ja", "--direction", "out", "--kind", "cites,part_of"]
    near = answer(*words, "--kb", path)["edges"]
    far = answer(*words, "--depth", "3", "--kb", path)["edges"]
    assert far[: len(near)] == near and len(far) > len(near)
    seen = [json.dumps(edge, sort_keys=True) for edge in far]
    assert len(set(seen)) == len(seen)


def test_what_depends_on_a_rule_and_its_sub_rules(path: str) -> None:
    words = ["refs", "704", "--lang", "ja", "--direction", "in", "--kind", "cites"]
    itself = answer(*words, "--kb", path)["edges"]
    found = answer(*words, "--with-parts", "--depth", "2", "--kb", path)
    near = [edge for edge, depth in zip(found["edges"], found["depths"], strict=True) if depth == 1]
    assert [edge for edge in near if edge["target"].endswith("/704")] == itself
    assert {"mtg/cr/20231117/ja/704.5b", "mtg/cr/20231117/ja/704.3"} <= {e["target"] for e in near}
    far = found["edges"][len(near) :]
    assert {edge["target"] for edge in far} <= {edge["source"] for edge in near} and far
    said = run(*words, "--with-parts", "--depth", "2", "--kb", path).stdout
    assert "Cited by, 1 step away" in said and "Cited by, 2 steps away" in said
    assert "(CR:121.4)" in "".join(said.split())  # in the words around it
    assert "--with-parts" in run(*words, "--kb", path).stdout
    within = answer("refs", "121.6", "--with-parts", "--kb", path)["edges"]
    assert "part_of" not in {edge["kind"] for edge in within}


def test_path(path: str, texts: dict[str, str]) -> None:
    found = answer("path", "引く", "状況起因処理", "--kb", path)
    paths, costs = found["paths"], found["costs"]
    assert paths and costs == sorted(costs) and len(paths) == len(costs)
    for way in paths:
        assert all(set(step) >= NODE for step in way[::2])
        for before, edge, after in zip(way[::2], way[1::2], way[2::2], strict=False):
            check_edge(edge, texts)
            assert {edge["source"], edge["target"]} == {before["id"], after["id"]}
    assert paths[0][0]["id"] == "mtg/term/引く"
    [[*way]] = answer("path", "引く", "山札", "--max", "1", "--kb", path)["paths"]
    assert "same_concept" in {edge["kind"] for edge in way[1::2]}  # from one game to another


@pytest.mark.parametrize("words", ["引く", "引かれた", "カードを引こう", "引いて", "オモテ向き"])
def test_search_finds_any_inflection(path: str, words: str) -> None:
    found = answer("search", words, "--kb", path, code=1 if words == "オモテ向き" else 0)["hits"]
    for hit in found:
        assert {"node", "score", "snippet", "spans"} <= set(hit)
        assert any("引" in hit["snippet"][start:end] for start, end in hit["spans"])
    scores = [hit["score"] for hit in found]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("words", ['"', "'", "AND", "a OR", "*", "(", "NEAR(", '引く"', "-", "^x:"])
def test_search_takes_any_words(path: str, words: str) -> None:
    assert run("search", "--kb", path, "--json", "--", words).exit_code in {0, 1}


def test_diff_and_trace(path: str) -> None:
    """The sample has one whole edition: nothing changed; what changes is in test_editions."""
    found = answer("diff", "20231117.0", "2023-11-17", "--rule", "121", "--kb", path)
    assert found["changes"] == [] and found["same"] > 10 and found["lang"] == "ja"
    first, second = answer("trace", "121.4", "--kb", path)["history"]
    assert set(first) == {
        "edition", "number", "kind", "text", "sub_rules", "change", "took_in", "split_off",
    }  # fmt: skip
    assert (second["edition"], second["kind"]) == ("20240730", "not loaded")
    assert (first["edition"], first["kind"]) == ("20231117", "first")


def test_align(path: str) -> None:
    found = answer("align", "ja", "en", "--game", "mtg", "--kb", path)
    numbers = [pair["number"] for pair in found["pairs"]]
    assert {"121.2", "121.4", "704.5b"} <= set(numbers) and numbers.index("121.4") > 0
    for pair in found["pairs"]:
        assert pair["edition"] == "20231117" and set(pair["texts"]) == {"ja", "en"}
    assert all({"number", "kind", "what"} <= set(problem) for problem in found["problems"])


def test_steps(path: str) -> None:
    [found] = answer("steps", "Draw Phase", "--kb", path)["procedures"]
    assert set(found["node"]) >= NODE and found["node"]["kind"] == "procedure"
    assert [step["n"] for step in found["steps"]] == [1, 2, 3, 4]
    assert all(step["text"] == step["node"]["text"] for step in found["steps"])
    nothing = answer("steps", "手札", "--kb", path, code=1)
    assert nothing == {"taken_as": [], "procedures": [], "also": []}


def test_outcomes(path: str, texts: dict[str, str]) -> None:
    found = answer("outcomes", "通常のドロー", "--kb", path)["outcomes"]
    for one in found:
        assert set(one) >= {"subject", "condition", "result", "modality", "exception_to"}
        assert set(one["node"]) >= NODE
        words = one["evidence"]
        assert words["text"] == texts[words["passage"]][words["start"] : words["end"]] != ""
        assert one["result"] in words["text"] and one["condition"] in texts[words["passage"]]
    assert {one["modality"] for one in found} >= {"is", "must", "cannot"}


def test_terms(path: str) -> None:
    every = answer("terms", "--kb", path)["terms"]
    ids = [term["id"] for term in every]
    assert {"mtg/term/引く", "dm/term/使う"} <= set(ids)
    games = [term["game"] for term in every]
    assert games == sorted(games) and len(set(ids)) == len(ids)
    readings = {term["id"]: term["reading"] for term in every if term["reading"]}
    for game in set(games):
        of_game = [reading for node, reading in readings.items() if node.startswith(f"{game}/")]
        assert of_game == sorted(of_game)
    some = answer("terms", "--game", "ygo", "--source", "yugioh-wiki", "--lang", "en", "--kb", path)
    for term in some["terms"]:
        assert term["game"] == "ygo" and "en" in {label["lang"] for label in term["labels"]}
    assert 0 < len(some["terms"]) < len(every)
    empty = answer("terms", "--game", "dm", "--source", "mtgwiki", "--kb", path, code=1)
    assert empty["terms"] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["diff", "20231117", "20240101"], "no edition 20240101; nearest: 2023"),
        (["diff", "20231117", "20231117", "--rule", "999"], "has a rule 999"),
        (["diff", "20231117", "20231117", "--rule", "x"], "x is no number"),
        (["trace", "999.9"], "nothing is called 999.9"),
        (["trace", "引く"], "引く is a term with several rules"),
        (["align", "ja", "fr"], "no language fr (there are: en, ja)"),
        (["align", "ja", "ja"], "are one language"),
        (["steps", "なし"], "nothing is called なし"),
        (["outcomes", "なし"], "nothing is called なし"),
    ],
)
def test_what_cannot_be_asked(path: str, words: list[str], said: str) -> None:
    done = run(*words, "--kb", path)
    code = 1 if "nothing is called" in said or "has a rule" in said else 2
    assert (done.exit_code, done.stdout) == (code, "") and said in done.stderr


def test_audit_and_stats(path: str, texts: dict[str, str]) -> None:
    found = answer("audit", "--kb", path)
    text = found["text"]
    assert text["chars"] == text["kept"] + sum(text["left_out"].values()) + text["lost"]
    assert text["lost"] == 0 and found["warnings"] == []
    for edge in found["dangling"]:
        assert edge["status"] == "dangling"
        check_edge(edge, texts)
    counts = answer("stats", "--kb", path)
    assert counts["kinds"]["page"] == 29 and counts["dangling"] == len(found["dangling"])


def test_export(path: str, tmp_path: Path) -> None:
    out = tmp_path / "graph.jsonl"
    written = answer("export", "--out", str(out), "--kb", path)
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert len(lines) == written["nodes"] + written["edges"]
    assert all(set(line["node"]) >= NODE for line in lines if "node" in line)
    assert run("export", "--out", "-", "--kb", path).stdout.count("\n") == len(lines)
    done = run("export", "--out", str(tmp_path / "no" / "x"), "--kb", path)
    assert done.exit_code == 2 and "can't be written" in done.stderr


@pytest.mark.parametrize("command", ["show", "search", "kwic", "ask", "steps", "refs", "compare"])
def test_what_is_no_text(path: str, command: str) -> None:
    """As a shell gives bytes that are not UTF-8: an ordinary word."""
    done = run(command, "a\udcff", "--kb", path, "--json")
    assert not isinstance(done.exception, Exception), done.exception
    assert done.exit_code in {0, 1} and isinstance(json.loads(done.stdout), dict)


@pytest.mark.parametrize("command", ["show 引く", "build", "stats"])
def test_a_name_that_no_file_can_have(command: str) -> None:
    done = run(*command.split(), "--kb", "n" * 300)
    assert done.exit_code == 2 and done.stderr.count("\n") == 1 and "too long" in done.stderr


def test_a_word_said_often_is_asked_for_once(path: str) -> None:
    often = answer("search", " ".join(["引く"] * 600), "--kb", path)
    assert often["hits"] == answer("search", "引く", "--kb", path)["hits"] and often["hits"]


def test_export_spares_what_is_no_file(path: str, tmp_path: Path) -> None:
    """The knowledge base itself, by whatever name, is not written over, a device is written to."""
    link, device = tmp_path / "link", tmp_path / "null"
    link.symlink_to(path)
    device.symlink_to(os.devnull)
    done = run("export", "--out", str(link), "--kb", path)
    assert done.exit_code == 2 and "the knowledge base itself" in done.stderr
    assert answer("export", "--out", str(device), "--kb", path)["nodes"] > 100
    assert Path(os.devnull).is_char_device() and device.is_symlink()
    link.unlink()
    link.symlink_to(tmp_path / "graph.jsonl")
    answer("export", "--out", str(link), "--kb", path)
    assert link.is_symlink() and (tmp_path / "graph.jsonl").stat().st_size > 10_000


@pytest.mark.parametrize("name", ["a b.db", "it's.db", "a;id.db", "$(id).db", "引く.db"])
def test_a_build_says_what_to_type_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    book = "1. Play\n\n1.1. A player draws.\n\n1.2. A player wins.\n\n1.3. A player loses.\n"
    (tmp_path / "book.txt").write_text(book, "utf-8")
    done = run("build", "book.txt", "--site", "rulebook", "--game", "x", "--kb", name)
    said = done.stdout
    command = said[said.index("sansho show") :].splitlines()[0]
    assert shlex.split(command) == ["sansho", "show", "NAME", "--kb", name]


@pytest.mark.slow
def test_commands_after_the_demo_find_its_base(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("show", "121.4").exit_code == 2  # there is neither
    assert run("demo").exit_code == 0
    shown = run("show", "121.4")
    assert shown.exit_code == 0 and "the bundled sample" in shown.stderr
    missing = run("show", "121.4", "--kb", "other.db")
    assert missing.exit_code == 2, "a file that somebody named is not replaced by another"


# -- what people read -------------------------------------------------------------------------


def test_nothing_found(path: str) -> None:
    done = run("show", "ドロ", "--kb", path)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "nothing is called ドロ" in done.stderr and "ドロー" in done.stderr
    assert answer("show", "ドロ", "--kb", path, code=1)["near"][:1] == ["ドロー"]
    done = run("show", "灰流うらら", "--game", "mtg", "--kb", path)
    assert done.exit_code == 1 and "without the filters: 灰流うらら (" in done.stderr
    done = run("refs", "引く", "--kind", "links,cites", "--kb", path)
    assert done.exit_code == 2 and "no kind of edge links; nearest: links_to" in done.stderr
    done = run("refs", "なし", "--kb", path)
    assert done.exit_code == 1 and "nothing is called なし" in done.stderr


def test_page_text_is_no_console_markup(tmp_path: Path) -> None:
    """Text that looks like markup of the terminal library comes out as it is."""
    page = (SAMPLE / "mtgwiki" / "hand.html").read_text("utf-8")
    page = page.replace('title="カード', 'title="カード', 1).replace("手札", "[bold]手札[/x]")
    (tmp_path / "hand.html").write_text(page, "utf-8")
    file = str(tmp_path / "x.db")
    kb.build([tmp_path / "hand.html"], file)
    done = run("refs", "[bold]手札[/x]", "--kb", file)
    assert done.exit_code == 0 and "[bold]手札[/x]" in done.stdout
