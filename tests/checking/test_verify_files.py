"""`sansho verify` of files and folders: source code, editions, what it mends."""

from __future__ import annotations

import json
import stat
import subprocess
from pathlib import Path

import pytest

import kb
from kb.checking.code_text import is_code, written_words
from tests.commands import printed
from tests.rulebooks import base_of, rulebook, write_books

OLD = {
    "100": "Ships",
    "100.1": "A ship leaves the harbour when its owner hoists the sail.",
    "100.2": "To moor a ship, its owner pays two coins and turns it upright.",
    "100.3": "A wreck is a ship that has more holes than planks.",
    "100.4": "An anchor holds one ship for as long as nobody lifts it.",
    "100.4a": "An anchor that is lifted goes back to its owner’s hand.",
    "100.5": "Each lantern burns for two turns and is then put out.",
    "100.6": "The tide turns all ships that no anchor holds.",
}
# 100.3 is gone, so that those behind it move; 100.2 says another number of coins.
NEW = {
    "100": "Ships",
    "100.1": OLD["100.1"],
    "100.2": OLD["100.2"].replace("two coins", "three coins"),
    "100.3": OLD["100.4"],
    "100.3a": OLD["100.4a"],
    "100.4": OLD["100.5"],
    "100.5": OLD["100.6"],
    "100.6": "A crate that nobody owns sinks at the end of the turn.",
}
README = "See rule 100.4a “for” it.\r\nNothing.\r\n"
CODE = """// CR 100.1: sails. See CR 100.4 and rule 100.3.
int cost(float x) { return x * 100.4; } /* CR 100.2 */
const char* why = "CR 100.5";
// version 1.100.4, rule 100.99
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    folder = tmp_path_factory.mktemp("books")
    title = "Magic: The Gathering Comprehensive Rules"
    books = {("20230101", "en"): rulebook(OLD, title), ("20240101", "en"): rulebook(NEW, title)}
    return base_of([write_books(folder, books, "mtg")], folder / "kb.db")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "log").write_text("CR 100.4")
    (tmp_path / "src" / "cost.cpp").write_text(CODE)
    (tmp_path / "README.md").write_bytes(
        "See rule 100.4a “for” it.\r\nNothing.\r\n".encode("utf-16")
    )
    return tmp_path


def found(result: kb.Verification) -> list[tuple[str, str, str, str | None]]:
    return [(Path(one.file).name, one.text, one.verdict, one.expected) for one in result.claims]


def test_what_a_newer_edition_made_of_citations(base: kb.KnowledgeBase, project: Path) -> None:
    result = base.verify_files(project, edition="20230101", game="mtg")
    assert [each[:3] for each in found(result)] == [
        ("README.md", "rule 100.4a", "moved"),
        ("cost.cpp", "CR 100.1", "exact"),
        ("cost.cpp", "CR 100.4", "moved"),
        ("cost.cpp", "rule 100.3", "gone"),
        ("cost.cpp", "CR 100.2", "changed"),
        ("cost.cpp", "CR 100.5", "moved"),
        ("cost.cpp", "rule 100.99", "not found"),
    ]
    by_text = {one.text: one for one in result.claims}
    assert by_text["CR 100.4"].expected == "100.3" and by_text["CR 100.4"].fix == "CR 100.3"
    assert by_text["CR 100.2"].expected == NEW["100.2"] and by_text["CR 100.2"].fix is None
    assert not result.stands and result.files == 2
    assert any("2024-01-01" in line or "20240101" in line for line in result.against)


def test_what_is_kept_of_one_text_says_nothing_of_the_next(base: kb.KnowledgeBase) -> None:
    first, nothing, again = (
        base.verify(text, edition="20230101", game="mtg")
        for text in ("See rule 100.4.", "It cites nothing.", "See rule 100.4.")
    )
    assert "then_against" in {reason.code for reason in first.held_against}
    assert "then_against" not in {reason.code for reason in nothing.held_against}
    assert again == first


def test_against_an_edition(base: kb.KnowledgeBase, project: Path) -> None:
    same = base.verify_files(project, edition="20230101", against="20230101", game="mtg")
    assert {one.verdict for one in same.claims} == {"exact", "not found"}
    with pytest.raises(kb.QuestionError):
        base.verify_files(project, edition="20230101", against="2042", game="mtg")


def test_without_an_edition_the_words_tell(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    words = "An anchor that somebody lifts goes back to its owner (rule 100.4)."
    (tmp_path / "a.txt").write_text(words)
    [claim] = base.verify_files(tmp_path, game="mtg").claims
    assert (claim.verdict, claim.expected) == ("about something else", "100.3")
    (tmp_path / "a.txt").write_text("Each lantern burns for two turns (rule 100.4).")
    [claim] = base.verify_files(tmp_path, game="mtg").claims
    assert claim.verdict == "exact"


def test_a_file_that_only_quotes_is_read(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    """Straight quotation marks and quoted lines are claims, too, where no number stands."""
    quoted = "To moor a ship, its owner pays nine coins and turns it upright."
    for text in (f'"{quoted}"\n', f"> {quoted}\n"):
        (tmp_path / "a.md").write_text(text)
        [claim] = base.verify_files(tmp_path, game="mtg").claims
        assert (claim.verdict, claim.number) == ("repaired", "100.2"), text


def test_fix_writes_what_is_sure_once(base: kb.KnowledgeBase, project: Path) -> None:
    path = str(base.file)
    code, readme = project / "src" / "cost.cpp", project / "README.md"
    code.chmod(0o640)
    asked = ["verify", str(project), "--edition", "20230101", "--game", "mtg", "--kb", path]
    _, shown, said = printed(*asked, "--diff")
    assert "-// CR 100.1: sails. See CR 100.4" in shown and "3 numbers in 2 files" in said
    assert code.read_text() == CODE
    printed(*asked, "--fix")
    assert code.read_text() == (
        CODE.replace("See CR 100.4", "See CR 100.3").replace('"CR 100.5"', '"CR 100.4"')
    )
    assert readme.read_bytes() == README.replace("4a", "3a").encode("utf-16")
    assert stat.S_IMODE(code.stat().st_mode) == 0o640
    before = code.read_bytes(), readme.read_bytes()
    assert "0 numbers in 0 files" in printed(*asked, "--fix")[2]
    assert before == (code.read_bytes(), readme.read_bytes())
    record = base.file.with_name(f"{base.file.name}.mended")
    record.write_text("{")  # else all would be mended again
    status, _, said = printed(*asked, "--fix")
    assert status == 2 and "numbers that were mended before" in " ".join(said.split())
    assert before == (code.read_bytes(), readme.read_bytes())
    record.unlink()


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("#\tCR 100.4 holds.\r\n\r\n# Not this.\r\n", "utf-8"),
        ("# CR 100.4 holds.\n# Last.", "utf-8-sig"),
        ("# ルール 100.4。\n", "cp932"),
    ],
)
def test_the_difference_is_a_patch(
    base: kb.KnowledgeBase, tmp_path: Path, text: str, charset: str
) -> None:
    given = text.encode(charset)
    (tmp_path / "a.py").write_bytes(given)
    found = base.verify_files(tmp_path / "a.py", edition="20230101", game="mtg")
    [fixed] = found.fixed()
    renamed = fixed.patch().replace(str(tmp_path / "a.py").encode(), b"a.py")
    git = ["git", "-C", str(tmp_path), "apply", "-"]
    subprocess.run(git, input=renamed, check=True)
    assert (tmp_path / "a.py").read_bytes() == given.replace(b"100.4", b"100.3")


@pytest.mark.parametrize(
    "line",
    [
        "Formerly rule 100.4a, now rule 100.3a.",
        "- lifts as rule 100.3a says (was 100.4a)",
        "- 2026-02-01: lifting is rule 100.4a",
        "rule 100.4 mm, CR 100.4 € each, rule 100.4 ± 0.05",
        "FRCP rule 100.4; sample rule 100.4",
        "see 100.4a.md and resistor 100.4a",
        "rules 100.4a, b and 100.2a-b; rule 100.4 and rule 100.4(a)",
    ],
)
def test_what_is_not_surely_to_be_mended(base: kb.KnowledgeBase, tmp_path: Path, line: str) -> None:
    (tmp_path / "a.txt").write_text(line)
    assert not base.verify_files(tmp_path, game="mtg", edition="20230101").fixed()


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.yaml", 'lift: { rule: "100.4a", note: "once" }\n'),
        ("a.csv", "card,asked,note,rule\nBuoy,2021-09-02,lifted,CR 100.4a\n"),
        ("a.wiki", "* [[Lift]] – {{CR|100.4a}}\n"),
        ("a.html", '<dt data-rule="100.4a">Lift</dt>\n'),
        ("a.json", '{"rule": "100.4a"}\n'),
        ("a.txt", "錨はルール100.4aを参照。\n"),
        ("b.txt", "See rule 100.4a (lifting), 100.4a (again).\n"),
    ],
)
def test_numbers_in_data_are_mended(
    base: kb.KnowledgeBase, tmp_path: Path, name: str, line: str
) -> None:
    (tmp_path / name).write_text(line)
    [fixed] = base.verify_files(tmp_path, game="mtg", edition="20230101").fixed()
    assert fixed.after == line.replace("100.4a", "100.3a")


@pytest.mark.parametrize(
    "line",
    [
        "// bug 100.4, issue #100.4a, release 100.4 and sha 100.4ab",
        "// prices 100.4 and 100.5; score 100.4a/1000; rev=100.4a",
        "// As of 2024-01-01, CR 100.4 is the lantern.",
        "// Since January 1, 2024 an anchor is rule 100.3a, a lantern rule 100.4.",
    ],
)
def test_what_may_be_no_citation_of_that_edition_is_not_mended(
    base: kb.KnowledgeBase, tmp_path: Path, line: str
) -> None:
    file = tmp_path / "a.ts"
    file.write_text(f"{line}\n")
    found = base.verify_files(file, edition="20230101", game="mtg")
    assert not found.fixed()


def test_a_column_of_measures_cites_nothing(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    rows = "".join(f"run {n},100.{n}\n" for n in range(1, 20))
    (tmp_path / "times.csv").write_text(f"{rows}anchor,CR 100.4a\n")
    (tmp_path / "rules.csv").write_text("moor,100.2\nanchor,100.4a\n")
    found = base.verify_files(tmp_path, edition="20230101", game="mtg").claims
    assert [(Path(one.file).name, one.text) for one in found] == [
        ("rules.csv", "100.2"), ("rules.csv", "100.4a"), ("times.csv", "CR 100.4a"),
    ]  # fmt: skip


def test_a_line_with_the_heading_of_today_is_of_today(tmp_path: Path) -> None:
    title = "Magic: The Gathering Comprehensive Rules"
    old = {"100": "Ships", "100.1": "A ship sails.", "101": "Tides", "101.1": "A tide turns."}
    new = {"100": "Crates", "100.1": "A crate sinks.", "101": "Ships", "101.1": "A ship sails."}
    new |= {"102": "Tides", "102.1": "A tide turns."}
    books = {("20230101", "en"): rulebook(old, title), ("20240101", "en"): rulebook(new, title)}
    base = base_of([write_books(tmp_path, books, "mtg")], tmp_path / "kb.db")
    file = tmp_path / "a.py"
    file.write_text("# CR 101.1 (Ships)\n# CR 101.1 (Tides)\n# CR 101.1\n")
    found = base.verify_files(file, edition="20230101", game="mtg")
    assert [(one.verdict, one.fix) for one in found.claims] == [
        ("exact", None), ("moved", "CR 102.1"), ("moved", "CR 102.1"),
    ]  # fmt: skip


def test_what_was_not_mended_in_a_line_is_still_reported(
    base: kb.KnowledgeBase, tmp_path: Path
) -> None:
    file = tmp_path / "a.md"
    file.write_text("CR 100.4a; gone: rule 100.3; changed: rule 100.2\n")
    asked = ["verify", str(file), "--edition", "20230101", "--game", "mtg", "--kb", str(base.file)]
    printed(*asked, "--fix")
    assert file.read_text() == "CR 100.3a; gone: rule 100.3; changed: rule 100.2\n"
    result = base.verify_files(file, edition="20230101", game="mtg")
    assert [one.verdict for one in result.claims] == ["exact", "gone", "changed"]
    assert not result.fixed()
    base.file.with_name(f"{base.file.name}.mended").unlink()


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("One (rule 100.4).\nTwo (rule 100.5).\n", "One (rule 100.3).\nTwo (rule 100.4).\n"),
        ("See rule 100.4.\nSee rule 100.5.\n", "See rule 100.3.\nSee rule 100.4.\n"),
        ("f(); // see rules 100.4 and 100.5\n", "f(); // see rules 100.3 and 100.4\n"),
    ],
)
def test_a_file_that_was_restored_is_mended_again_as_before(
    base: kb.KnowledgeBase, tmp_path: Path, text: str, mended: str
) -> None:
    file = tmp_path / "a.cpp" if "//" in text else tmp_path / "a.md"
    asked = ["verify", str(file), "--edition", "20230101", "--game", "mtg", "--kb", str(base.file)]
    for _ in range(2):
        file.write_text(text)
        printed(*asked, "--fix")
        assert file.read_text() == mended
    assert "0 numbers in 0 files" in printed(*asked, "--fix")[2]
    elsewhere = tmp_path / "other" / tmp_path.name / file.name
    elsewhere.parent.mkdir(parents=True)
    elsewhere.write_text(mended.replace("100.3", "100.5"))
    found = base.verify_files(elsewhere, edition="20230101", game="mtg")
    assert {one.verdict for one in found.claims} == {"moved"}
    base.file.with_name(f"{base.file.name}.mended").unlink()


def test_a_mended_line_that_was_edited_is_not_mended_again(
    base: kb.KnowledgeBase, tmp_path: Path
) -> None:
    file = tmp_path / "a.md"
    file.write_text("The harbour closes (rule 100.5).\n")
    asked = ["verify", str(file), "--edition", "20230101", "--game", "mtg", "--kb", str(base.file)]
    printed(*asked, "--fix")
    edited = file.read_text().replace("closes", "opens") + "New (rule 100.5).\n"
    file.write_text(edited)
    assert "1 number in 1 file mended" in printed(*asked, "--fix")[2]
    assert file.read_text() == edited.replace("100.5", "100.4")
    base.file.with_name(f"{base.file.name}.mended").unlink()


def test_files_that_are_not_mended_are_said(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("The rules as of January 1, 2023.\nSee rule 100.4a.\n")
    (tmp_path / "b.md").write_bytes("caf\xe9: see rule 100.4a.\n\x81".encode("latin-1"))
    asked = ["verify", str(tmp_path), "--edition", "20230101", "--game", "mtg"]
    _, _, said = printed(*asked, "--fix", of=base)
    assert "a.md: not mended, as it names the edition" in " ".join(said.split())
    assert "b.md: not mended" in " ".join(said.split())
    assert "0 numbers in 0 files mended" in said


def test_fix_needs_to_know_the_edition(base: kb.KnowledgeBase, project: Path) -> None:
    status, _, said = printed("verify", str(project), "--fix", "--kb", str(base.file))
    assert status == 2 and "--edition" in said


def test_a_baseline_keeps_quiet(base: kb.KnowledgeBase, project: Path, tmp_path: Path) -> None:
    asked = ["verify", str(project / "src"), "--edition", "20230101", "--kb", str(base.file)]
    known = str(tmp_path / "known.json")
    assert printed(*asked, "--write-baseline", known)[0] == 1
    assert printed(*asked, "--baseline", known)[0] == 0
    (project / "src" / "new.py").write_text("# CR 100.4\n")
    status, shown, _ = printed(*asked, "--baseline", known, "--problems")
    assert status == 1 and "new.py:1:3" in shown and "cost.cpp" not in shown


def test_for_code_hosts(base: kb.KnowledgeBase, project: Path) -> None:
    asked = ["verify", str(project), "--edition", "20230101", "--kb", str(base.file)]
    log = json.loads(printed(*asked, "--format", "sarif")[1])
    results = log["runs"][0]["results"]
    assert [one["ruleId"] for one in results] == [
        "moved", "moved", "gone", "changed", "moved", "not-found",
    ]  # fmt: skip
    assert len(log["runs"][0]["artifacts"]) == 2
    lines = printed(*asked, "--format", "github")[1].splitlines()
    assert len(lines) == 6 and "cost.cpp,line=1,col=25::moved: CR 100.4 → 100.3" in lines[1]


def test_paths_and_patterns(base: kb.KnowledgeBase, project: Path) -> None:
    assert base.verify_files(f"{project}/**/*.cpp", game="mtg").files == 1
    assert base.verify_files(project / "README.md", project, game="mtg").files == 2
    with pytest.raises(kb.SourceError, match="no such file"):
        base.verify_files(project / "nothing")
    (project / "x.txt").write_bytes(b"rule 100.1\0\0\0")
    odd = base.verify_files(project, game="mtg")
    assert odd.files == 3 and "x.txt" in str(odd.also[0].reason)
    assert printed("verify", str(project / "x.txt"), "--kb", str(base.file))[0] == 2
    assert base.verify_files(project / "README.md").also == base.verify(README).also


@pytest.mark.parametrize(
    ("name", "code", "kept"),
    [
        ("a.py", 'x = 1.5  # CR 1.1\ns = "rule 2.2"\n', ["# CR 1.1", "rule 2.2"]),
        ("a.rs", "let x = 1.5; // CR 1.1\n/// rule 2.2\n", ["// CR 1.1", "/// rule 2.2"]),
        ("a.html", "<!-- CR 1.1 --><p title='2.2' d='1.5'>3.3</p>", ["CR 1.1", "2.2", "3.3"]),
        ("a.json", '{"rule": "1.1", "let": 1.5}', ["rule", "1.1"]),
        ("a.ts", "const a = `rule ${x} 3.3`; /* CR 1.1 */", ["/* CR 1.1 */", "3.3"]),
    ],
)  # fmt: skip
def test_written_words_alone_are_kept(name: str, code: str, kept: list[str]) -> None:
    text = written_words(name, code)
    assert len(text) == len(code) and text.count("\n") == code.count("\n")
    assert all(part in text for part in kept)
    assert "1.5" not in text and "const" not in text and "<!--" not in text


@pytest.mark.parametrize(
    "line",
    [
        "// as in RFC 9110, section 100.1", "// a frame of IEEE 100.2", "// see 16 CFR 100.1",
        "// 100.2 microseconds", "# tar 100.2 or newer", "倉庫は100.2号室", "sixteen  100.2  33.0",
        "// crashes on driver 100.2", 'x = "1.100.2"; // 100.1 ms', "y = 100.1;",
    ],
)  # fmt: skip
def test_what_is_no_rule_of_the_game(base: kb.KnowledgeBase, tmp_path: Path, line: str) -> None:
    (tmp_path / "a.ts").write_text(f"{line}\n")
    assert base.verify_files(tmp_path, game="mtg").claims == ()


def test_what_is_code() -> None:
    code = ("x/engine.cpp", "Makefile", "a.kt", "a.json", "a.yaml")
    prose = ("a.md", "a.html", "a.csv", "notes", "a.wikitext")
    assert [name for name in (*code, *prose) if is_code(name)] == [*code]


@pytest.mark.parametrize(
    ("name", "line", "cited"),
    [
        ("a.yaml", "rules:\n  - 100.1\n  - 100.4a\n", ["100.1", "100.4a"]),
        ("a.yaml", "moor: { rule: 100.2, coins: 100.5 }\n", ["rule  100.2"]),
        ("a.yaml", "timeout: 100.2\nimage: 100.3\n", []),
        ("a.yaml", "lifts:\n  - CR 100.4a\n  - see rule 100.2, too\n", ["CR 100.4a", "rule 100.2"]),
        ("a.ipynb", '{"cells": [{"source": ["See **CR 100.2**.\\n"]}]}', ["CR 100.2"]),
        ("a.py", "def test_100_4a_lifted(): ...\n", ["100_4a"]),
        ("a.java", "enum E { RULE_100_4A, RULE_100_6 }\n", ["RULE_100_4A", "RULE_100_6"]),
        ("a.po", 'msgid "Moor it (CR 100.2)."\nmsgstr[1] "x"\n', ["CR 100.2"]),
        ("a.rs", "fn cr_100_6_tide() {}\nfn span_100_6_200() {}\n", ["cr_100_6"]),
        ("a.go", "func TestCR100_4a(t *testing.T) {}\nvar size_200_4a int\n", ["CR100_4a"]),
        ("a.kt", "fun `rule 100_4a moors`() = 1\n", ["rule 100_4a"]),
        ("a.sql", "INSERT INTO r VALUES ('100.2'), ('100.42');", ["100.2", "100.42"]),
        ("a.ts", "// C.R. 100.1, cr. 100.2\n", ["C.R. 100.1", "cr. 100.2"]),
        ("a.ts", "// so C.R.100.3 says\n", ["C.R.100.3"]),
        ("a.csv", 'name,rule,note\nTide,100.6,"turns, all; ""ships"" of it"\n', ["100.6"]),
    ],
)  # fmt: skip
def test_where_code_and_data_cite(
    base: kb.KnowledgeBase, tmp_path: Path, name: str, line: str, cited: list[str]
) -> None:
    (tmp_path / name).write_text(line)
    claims = base.verify_files(tmp_path, game="mtg", edition="20230101").claims
    assert [claim.text for claim in claims] == cited


def test_names_of_tests_are_not_written_anew(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def test_100_4a_lifted(): ...\n")
    [claim] = base.verify_files(tmp_path, game="mtg", edition="20230101").claims
    assert (claim.verdict, claim.expected, claim.fix) == ("moved", "100.3a", None)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.md", 'The shop says "whenever somebody paints a lantern, it floats" all day.'),
        ("a.csv", 'thing,price\nCrate,100.77,"market price in euro, never in a shop of ours"\n'),
        ("a.py", 's = "box for 100.50 dollars"  # rule 100.1 is free\n'),
        ("a.json", '{"version": "100.4a-rc2", "tag": "100.4a-beta"}'),
        ("a.md", "Moors: CR 100.2.\n\n> **Note** The print on the mat is none of our business.\n"),
        ("a.md", '- Sail: rule 100.1.\n- "Whenever a lantern sinks into the sea of mud" is odd.\n'),
    ],
)  # fmt: skip
def test_what_claims_nothing(base: kb.KnowledgeBase, tmp_path: Path, name: str, line: str) -> None:
    (tmp_path / name).write_text(line)
    claims = base.verify_files(tmp_path, game="mtg").claims
    assert [one for one in claims if not one.stands] == []


def test_what_a_file_says_the_rules_say(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    said = 'The rules say: "whenever somebody paints a lantern, it floats away".\n'
    beside = (
        'Of a ship (100.2). "An anchor holds one crate for as long as nobody lifts it":\n100.3.'
    )
    (tmp_path / "a.txt").write_text(said)
    (tmp_path / "b.txt").write_text(beside)
    claims = base.verify_files(tmp_path, game="mtg").claims
    assert [(one.text[:11], one.verdict, one.cited) for one in claims] == [
        ("whenever so", "not found", None),
        ("100.2", "exact", None),
        ("An anchor h", "repaired", "100.3"),
        ("100.3", "exact", None),
    ]


def test_a_bare_number_in_a_string_of_code_that_no_rule_has(
    base: kb.KnowledgeBase, tmp_path: Path
) -> None:
    file = tmp_path / "a.cpp"
    file.write_text('// CR 100.2\nf("100.2", "100.42");  // 100.43\n')
    found = base.verify_files(file, game="mtg").claims
    assert [one.text for one in found] == ["CR 100.2", "100.2", "100.43"]
