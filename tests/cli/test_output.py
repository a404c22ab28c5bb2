"""What is printed for people: lines that fit, nothing that controls a terminal, one way out."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

import kb
from kb.cli.render import output
from kb.cli.render.output import break_lines, cell_width, shortened, shortened_start
from tests.commands import printed

_NO_BEGINNING = "。、，．）」』】〕》…々ッャュョァィゥェォーっゃゅょ"
_TEXT = st.text(st.sampled_from("ab ,.(札を引く。、「」『（）ーッ\n"), max_size=80)


def lines_of(text: str, width: int) -> list[str]:
    return [text[start:end] for start, end in break_lines(text, width)]


@given(_TEXT, st.integers(10, 60))
def test_lines_fit_and_lose_nothing(text: str, width: int) -> None:
    lines = lines_of(text, width)
    assert all(wcswidth(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_no_line_begins_with_a_closing_sign() -> None:
    text = "プレイヤーは、カードを「1枚」引いてもよい。そうしたなら、手札を（2枚）捨てる。" * 8
    for width in range(12, 60):
        lines = lines_of(text, width)
        assert not [line for line in lines if line[0] in _NO_BEGINNING], width
        assert not [line for line in lines if line[-1] in "「（"], width


def test_no_line_ends_with_a_space() -> None:
    text = "ドローを行う。　ここで引く。 " * 20
    assert not [
        line for width in range(20, 60) for line in lines_of(text, width) if line[-1] in " 　"
    ]


def test_what_has_no_break_is_broken_anywhere() -> None:
    assert lines_of("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]


@given(_TEXT, st.integers(4, 60))
def test_shortened_text_fits(text: str, columns: int) -> None:
    for cut in (shortened(text, columns), shortened_start(text, columns)):
        assert cell_width(cut) <= columns
    assert shortened(text, 10_000) == " ".join(text.split())


def test_a_paragraph_hangs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    output.echo("引" * 60, indent=2, hang=4)
    first, *others = capsys.readouterr().out.splitlines()
    assert (
        first.startswith("  引")
        and others
        and all(line.startswith(" " * 6 + "引") for line in others)
    )
    output.field("cites", "704 状況起因処理、" * 6)
    first, *others = capsys.readouterr().out.splitlines()
    assert first.startswith("  cites     704") and others
    assert all(re.match(" {12}[^ ]", line) for line in others)


def test_a_style_is_no_text() -> None:
    with pytest.raises(TypeError):
        f"{output.bold('x')}"


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colours_are_off_where_they_should_be(
    environment: dict[str, str],
    coloured: bool,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    output.echo(output.bold("x"), "y")
    assert (capsys.readouterr().out == "\x1b[1mx\x1b[0my\n") == coloured


def test_a_table_fits(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    output.print_table(["term", "how many"], [["通常のドロー" * 9, "1"], ["x", "20"]], right=[1])
    lines = capsys.readouterr().out.splitlines()
    assert all(wcswidth(line) <= 60 for line in lines) and len(lines) == 6
    assert lines[-1].startswith("x ") and lines[-1].endswith(" 20")


def test_long_output_goes_to_a_pager(monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[str] = []
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(click, "echo_via_pager", lambda text, color: pages.append(text))
    monkeypatch.setenv("PAGER", "less")
    monkeypatch.setenv("LINES", "24")
    for count in (5, 50):
        with output.paged():
            for number in range(count):
                output.echo(str(number))
    [page] = pages
    assert page.split() == [str(number) for number in range(50)]
    monkeypatch.setenv("SANSHO_PAGER", "")
    with output.paged():
        output.echo("x\n" * 50)
    assert len(pages) == 1


# -- options ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def path(base: kb.KnowledgeBase) -> str:
    return str(base.file)


def test_options_stand_before_or_behind_the_command(path: str) -> None:
    behind = printed("show", "121.4", "--kb", path, "--lang", "ja", "--json")
    assert behind[0] == 0
    assert printed("--kb", path, "--json", "--lang=ja", "show", "121.4") == behind
    assert printed("--kb", path, "show", "--json", "121.4", "--lang", "ja") == behind
    code, _, said = printed("--depth", "2", "stats", "--kb", path)
    assert code == 2 and "No such option" in said
    assert "Look up" in printed("--help")[1] and "version" in printed("--version")[1]


def test_the_environment_names_the_knowledge_base(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert printed("show", "121.4")[0] == 2  # no sansho.db here
    monkeypatch.setenv("SANSHO_KB", path)
    assert printed("show", "121.4")[0] == 0
    assert printed("show", "121.4", "--kb", "none.db")[0] == 2


def test_a_mistyped_command_is_named_rightly() -> None:
    code, _, said = printed("serch", "x")
    assert code == 2 and "Did you mean search or serve?" in said


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    code, script, _ = printed("completion", shell)
    assert code == 0 and "_SANSHO_COMPLETE" in script and shell in script


def test_a_command_is_never_broken(capsys: pytest.CaptureFixture[str]) -> None:
    command = "sansho show 7.1 --tree --edition 20260501"
    for columns in (40, 60, 80):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("COLUMNS", str(columns))
            output.echo("6 sub-rules; in full", command=command, indent=4)
            output.field("cited by", "1 rule", command=command)
            output.field("read", command=command)
            output.field("", command=command)
            output.more(kb.Reason("goes_on"))
            output.print_nothing("No passage.", [kb.Reason("of_name", kind="rule")])
        lines = capsys.readouterr().out.splitlines()
        assert sum(line.endswith(command) for line in lines) == 4, columns
        assert all(line.strip() for line in lines)
