"""Lists of names beside other pages: every list is kept, and its names meet those of the pages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

import kb
from kb.cli.group import main

WIKI = {
    "飛行.txt": "*飛行\n**解説\n[[到達]]を持つものだけが止められる能力。[[警戒]]とは別。\n",
    "引く.txt": "*引く\n**解説\n[[山札]]の一番上を手札に加えること。\n",
    "《灰の竜》.txt": "*《灰の竜》\n**解説\n[[飛行]]を持つ。《森の賢者》に弱い。\n",
}
TERMS = "飛行,Flying\n到達,Reach\n警戒,Vigilance\n接死,Deathtouch\n"


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture
def wiki(tmp_path: Path) -> Path:
    folder = write(tmp_path / "wiki", WIKI)
    names = (*WIKI, "速攻.txt")  # the last one comes later, in one test
    lines = (json.dumps({"file": name, "site": "pukiwiki", "game": "dm"}) for name in names)
    (folder / "manifest.jsonl").write_text("\n".join(lines), "utf-8")
    return folder


def english(base: kb.KnowledgeBase, node: str) -> set[str]:
    [found] = [n for n in base.show(node).matches if n.id == node]
    return {label.text for label in found.labels if label.lang == "en"}


def listed(base: kb.KnowledgeBase) -> dict[str, str]:
    """The text of each passage of a list."""
    nodes = base.graph().nodes(data=True)
    return {
        name: data["text"]
        for name, data in nodes
        if data["kind"] == "passage" and data["source"] == "namelist"
    }


# -- lists of one name ------------------------------------------------------------------------

A = "森,Forest\n島,Island\n沼,Swamp\n"
B = "山,Mountain\n平地,Plains\n荒地,Wastes\n"


@pytest.mark.parametrize(
    ("files", "pages"),
    [
        ({"a/names.csv": A, "b/names.csv": B}, {"dm/a/names", "dm/b/names"}),
        ({"names.csv": A, "names.tsv": B.replace(",", "\t")}, {"dm/names.csv", "dm/names.tsv"}),
        ({"a/x/names.csv": A, "b/x/names.csv": B}, {"dm/a/x/names", "dm/b/x/names"}),
        ({"a/names.csv": A, "b/names.csv": A}, {"dm/names"}),
        ({"a/names.csv": A, "b/names.csv": A, "c/names.csv": B}, {"dm/a/names", "dm/c/names"}),
        ({"a/names.csv": A, "b/other.csv": B}, {"dm/names", "dm/other"}),
    ],
)
def test_every_list_is_kept(tmp_path: Path, files: dict[str, str], pages: set[str]) -> None:
    folder = write(tmp_path / "lists", files)
    report = kb.build([folder], tmp_path / "kb.db", game="dm", workers=1)
    with kb.open(tmp_path / "kb.db") as base:
        rows = listed(base)
        audit = base.audit()
    assert {row.partition("¶")[0] for row in rows} == {f"namelist/{page}" for page in pages}
    assert len(rows) == 3 * len(pages)
    assert audit.lost == 0
    renamed = [w.where for w in report.warnings if "also called" in w.what]
    assert len(renamed) == (len(files) if "dm/names" not in pages else 0)


def test_the_order_of_the_sources_does_not_matter(tmp_path: Path) -> None:
    folder = write(tmp_path, {"a/names.csv": A, "b/names.csv": B})
    sources = [folder / "a/names.csv", folder / "b/names.csv"]
    found = []
    for number, order in enumerate((sources, sources[::-1])):
        kb.build(order, tmp_path / f"{number}.db", workers=1)
        with kb.open(tmp_path / f"{number}.db") as base:
            found.append(listed(base))
    assert found[0] == found[1] and len(found[0]) == 6


def test_a_list_of_the_same_name_comes_later(tmp_path: Path) -> None:
    folder, path = write(tmp_path / "l", {"a/names.csv": A}), tmp_path / "kb.db"
    kb.build([folder], path, workers=1)
    write(folder, {"b/names.csv": B})
    kb.build([folder], path, workers=1)
    with kb.open(path) as base:
        assert {row.partition("¶")[0] for row in listed(base)} == {
            "namelist/a/names",
            "namelist/b/names",
        }
    (folder / "a/names.csv").unlink()
    kb.build([folder], path, workers=1, replace=True)
    with kb.open(path) as base:
        assert {row.partition("¶")[0] for row in listed(base)} == {"namelist/names"}


def test_two_files_of_other_kinds_with_one_name(tmp_path: Path) -> None:
    first, second = WIKI["飛行.txt"], WIKI["引く.txt"]
    folder = write(tmp_path / "wiki", {"a/頁.txt": first, "b/頁.txt": second, "c/頁.txt": first})
    report = kb.build([folder], tmp_path / "kb.db", site="pukiwiki", game="dm", workers=1)
    said = [w for w in report.warnings if "gives the page pukiwiki/頁" in w.what]
    assert report.pages == 1 and len(said) in {1, 2}


# -- what is named ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "hints"),
    [
        ("用語,英語\n" + TERMS, {}),
        (TERMS, {"names": "terms"}),
        (TERMS, {}),  # three of the four names are those of terms of the wiki
    ],
)
def test_terms_of_a_list_are_those_of_the_wiki(
    tmp_path: Path, wiki: Path, text: str, hints: dict[str, str]
) -> None:
    folder = write(tmp_path / "lists", {"list.csv": text})
    report = kb.build([wiki, folder], tmp_path / "kb.db", game="dm", workers=1, **hints)  # type: ignore[arg-type]
    with kb.open(tmp_path / "kb.db") as base:
        assert english(base, "dm/term/飛行") == {"Flying"}
        assert english(base, "dm/term/接死") == {"Deathtouch"}
        assert not [n for n in base.show("飛行").matches if n.kind == "card"]
        [label] = [
            name for name in base.show("dm/term/飛行").matches[0].labels if name.lang == "en"
        ]
        assert label.text == "Flying"
    said = [w.what for w in report.warnings if "nothing says" in w.what]
    assert len(said) == (text == TERMS and not hints)


def test_a_name_that_is_known_joins_its_node_whatever_the_list_names(
    tmp_path: Path, wiki: Path
) -> None:
    text = "灰の竜,Ash Dragon\n森の賢者,Forest Sage\n飛行,Flying\n黒の城,Black Castle\n"
    folder = write(tmp_path / "lists", {"list.csv": text})
    kb.build([wiki, folder], tmp_path / "kb.db", game="dm", workers=1)
    with kb.open(tmp_path / "kb.db") as base:
        assert english(base, "dm/card/灰の竜") == {"Ash Dragon"}
        assert english(base, "dm/term/飛行") == {"Flying"}
        assert english(base, "dm/card/黒の城") == {"Black Castle"}


def test_a_name_joins_by_its_spelling_or_its_english(tmp_path: Path, wiki: Path) -> None:
    write(wiki, {"引く.txt": "*引く/Draw\n**解説\n山札の上を手札に加えること。\n"})
    text = "用語,英語\nドローする,Draw\nヒコウ,Flying\n飛 行,Flight\n"
    folder = write(tmp_path / "lists", {"list.csv": text})
    kb.build([wiki, folder], tmp_path / "kb.db", game="dm", workers=1)
    with kb.open(tmp_path / "kb.db") as base:
        assert "ドローする" in {n.text for n in base.show("dm/term/引く").matches[0].labels}
        assert english(base, "dm/term/飛行") == {"Flight"}


def test_a_card_called_like_a_term_is_not_the_term(tmp_path: Path, wiki: Path) -> None:
    write(
        wiki, {"飛行.txt": "*飛行/Flying\n**解説\n空を飛ぶ能力。《黒の城》《白の城》《青の城》\n"}
    )
    text = "灰の竜,Ash Dragon\n森の賢者,Sage\n黒の城,B\n白の城,W\n青の城,Blue\n飛行,Flight\n"
    folder = write(tmp_path / "lists", {"list.csv": text})
    kb.build([wiki, folder], tmp_path / "kb.db", game="dm", workers=1)
    with kb.open(tmp_path / "kb.db") as base:
        assert english(base, "dm/term/飛行") == {"Flying"}
        assert english(base, "dm/card/飛行") == {"Flight"}


def test_the_game_of_a_list_is_that_of_its_names(tmp_path: Path, wiki: Path) -> None:
    folder = write(tmp_path / "lists", {"list.csv": TERMS})
    kb.build([wiki, folder], tmp_path / "kb.db", workers=1)
    with kb.open(tmp_path / "kb.db") as base:
        assert english(base, "dm/term/飛行") == {"Flying"}


def test_a_list_of_an_unknown_game_says_so(tmp_path: Path) -> None:
    folder = write(tmp_path / "lists", {"list.csv": TERMS})
    report = kb.build([folder], tmp_path / "kb.db", workers=1)
    assert "no game is known for this list" in report.warnings[0].what


def test_what_other_pages_know_changes(tmp_path: Path, wiki: Path) -> None:
    folder, path = write(tmp_path / "lists", {"list.csv": TERMS}), tmp_path / "kb.db"
    kb.build([folder], path, game="dm", workers=1)
    with kb.open(path) as base:
        assert english(base, "dm/card/飛行") == {"Flying"}
    for name in (*WIKI, "manifest.jsonl"):
        write(folder, {name: (wiki / name).read_text("utf-8")})
    kb.build([folder], path, game="dm", workers=1)
    with kb.open(path) as base:
        assert english(base, "dm/term/飛行") == {"Flying"}
        assert not [n for n in base.show("飛行").matches if n.kind == "card"]


def edited(folder: Path, path: Path, step: str) -> None:
    files = {
        "page": {"速攻.txt": "*速攻\n**解説\n[[接死]]とは別。すぐ攻撃できる。\n"},
        "list": {"x.csv": "用語,英語\n" + TERMS + "速攻,Haste\n"},
        "open": {"y.csv": "速攻,Haste\n瞬速,Flash\n灰の竜,Ash Dragon\n"},
        "same": {"z/x.csv": "用語,英語\n瞬速,Flash\n"},
        "game": {"飛行.txt": WIKI["飛行.txt"].replace("警戒", "速攻")},
    }
    write(folder, files[step])
    kb.build([folder], path, game="dm", site=None, workers=1)


@pytest.mark.parametrize("steps", ["page list open same game", "open page same list game"])
def test_an_update_gives_the_same_graph(tmp_path: Path, wiki: Path, steps: str) -> None:
    path = tmp_path / "kb.db"
    kb.build([wiki], path, game="dm", workers=1)
    for step in steps.split():
        edited(wiki, path, step)
        kb.build([wiki], tmp_path / f"{step}.db", game="dm", workers=1)
        exported = []
        for file in (path, tmp_path / f"{step}.db"):
            with kb.open(file) as base:
                base.export(str(tmp_path / "out.jsonl"))
                exported.append(sorted((tmp_path / "out.jsonl").read_text("utf-8").splitlines()))
        assert exported[0] == exported[1]


def test_a_row_defines_nothing(tmp_path: Path, wiki: Path) -> None:
    folder = write(tmp_path / "lists", {"list.csv": "用語,英語\n" + TERMS})
    kb.build([wiki, folder], tmp_path / "kb.db", game="dm", workers=1)
    with kb.open(tmp_path / "kb.db") as base:
        answers = base.ask("到達とは？").answers + base.ask("飛行とは？").answers
        assert not [one for one in answers if one.passage.source == "namelist"]
        assert base.compare("接死").rows[0].definition is None


def test_the_command_says_what_lists_name(tmp_path: Path) -> None:
    folder = write(tmp_path / "lists", {"list.csv": TERMS})
    command = ["build", str(folder), "--kb", str(tmp_path / "kb.db"), "--game", "dm", "--json"]
    ran = CliRunner().invoke(main, [*command, "--names", "terms"])
    assert ran.exit_code == 0 and json.loads(ran.stdout)["nodes"]["term"] == 4
    assert CliRunner().invoke(main, [*command, "--names", "things"]).exit_code == 2
    again = CliRunner().invoke(main, ["build", "--again", *command[2:4], "--json"])
    assert json.loads(again.stdout)["nodes"]["term"] == 4
