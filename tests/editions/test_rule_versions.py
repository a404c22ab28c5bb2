"""Which versions are one rule, as a build stores it: ids, histories, order, second builds, SQL."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import kb
from kb.rules.versions_of_one_rule import BookSteps, Step, pairs_to_align, rule_versions
from tests.commands import run
from tests.rulebooks import rulebook

FIRST = {
    "1": "Zones",
    "1.1": "A harbour is the pile of cards that its owner keeps turned down.",
    "1.2": "To moor a ship, its owner pays two coins and turns it upright.",
    "1.3": "To hoist a sail, its owner shows it to everybody (see rule 1.2).",
    "1.4": "A wreck is a ship that has more holes than planks.",
}
# 1.2 and 1.3 change places, 1.4 is gone, 1.5 is new.
SECOND = {
    "1": "Zones",
    "1.1": FIRST["1.1"],
    "1.2": FIRST["1.3"].replace("1.2", "1.3"),
    "1.3": FIRST["1.2"],
    "1.5": "An anchor holds one ship for as long as nobody lifts it.",
}
JAPANESE = {
    "1": "領域",
    "1.1": "港は持ち主が裏向きにしておくカードの束である。",
    "1.2": "帆を上げるには持ち主がそれを全員に見せる（1.3参照）。",
    "1.3": "船を係留するには持ち主が硬貨を二枚払って立てる。",
    "1.5": "錨は誰かが上げるまで船を一隻とどめる。",
}
BOOKS = {("2021-01-01", "en"): FIRST, ("2022-01-01", "en"): SECOND, ("2022-01-01", "ja"): JAPANESE}


def stored(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """What the file says of rules, for SQL."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
        return {
            view: sorted(db.execute(f"SELECT * FROM {view}").fetchall(), key=str)
            for view in ("rule_versions", "editions", "rule_citations")
        } | {"steps": sorted(db.execute("SELECT * FROM book_steps").fetchall())}


def written(folder: Path, books: dict[tuple[str, str], dict[str, str]]) -> list[Path]:
    folder.mkdir(exist_ok=True)
    paths = []
    for (edition, lang), texts in books.items():
        path = folder / f"{edition}-{lang}.txt"
        title = "Harbour Comprehensive Rules" if lang == "en" else "Harbour 総合ルール"
        path.write_text(f"{title}\n{edition}\n\n{rulebook(texts)}", encoding="utf-8")
        paths.append(path)
    return paths


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    folder = tmp_path_factory.mktemp("harbour")
    kb.build(written(folder / "books", BOOKS), folder / "kb.db", site="rulebook", game="harbour")
    return kb.open(folder / "kb.db")


def test_a_rule_keeps_its_id_whatever_its_number(base: kb.KnowledgeBase) -> None:
    mooring = "harbour/rule/1.3@20220101/en"
    versions = [
        "harbour/cr/20210101/en/1.2", "harbour/cr/20220101/en/1.3", "harbour/cr/20220101/ja/1.3",
    ]  # fmt: skip
    assert {base.show(each).matches[0].rule for each in versions} == {mooring}
    for triple in ("1.2@20210101/en", "1.3@20220101/ja", "1.3@20220101/en"):
        found = base.show(f"harbour/rule/{triple}").matches
        assert found[0].id == "harbour/cr/20220101/en/1.3"
        assert {node.id for node in found} == set(versions)
    with pytest.raises(kb.NotFoundError):
        base.refs("harbour/rule/1.9@20210101/en")


def test_a_rule_with_all_its_versions(base: kb.KnowledgeBase) -> None:
    [rule] = base.show("1.3", edition="20220101", lang="ja").rules
    assert (rule.id, rule.number) == ("harbour/rule/1.3@20220101/en", "1.3")
    assert [(v.edition, v.lang, v.number, v.change, v.before) for v in rule.versions] == [
        ("20210101", "en", "1.2", "first", ()),
        ("20220101", "ja", "1.3", "first", ()),
        ("20220101", "en", "1.3", "moved", ("1.2",)),
    ]  # fmt: skip
    assert rule.versions[2].grounds == "same text" and rule.versions[2].sure == 1
    given = json.loads(run("show", "1.3", "--lang", "ja", "--json", of=base).stdout)
    assert given["rules"][0]["versions"][2]["node"] == "harbour/cr/20220101/en/1.3"


def test_a_number_is_a_question(base: kb.KnowledgeBase) -> None:
    """1.2 is the rule that has the number now; the one that had it before is told."""
    found = base.refs("1.2", kinds="cites")
    assert {node.number for node in found.named} == {"1.2", "1.3"}
    assert {node.rule for node in found.named} == {"harbour/rule/1.2@20220101/en"}
    [other] = [each for each in found.also if each.reason.code == "another_rule_of_number"]
    assert other.reason.values["editions"] == ("20210101",)
    asked = base.follow(other.reason.ask)
    assert asked.node.rule == "harbour/rule/1.3@20220101/en"
    # In both editions hoisting refers to mooring, under whatever numbers.
    [line] = asked.groups()
    assert line.first.inward and line.first.other.rule == found.node.rule
    assert line.editions == ("20210101", "20220101")
    alone = base.refs("harbour/cr/20210101/en/1.2").named
    assert [node.id for node in alone] == ["harbour/cr/20210101/en/1.2"]


def test_a_question_may_name_a_date_and_a_language_of_a_rule(base: kb.KnowledgeBase) -> None:
    asked = {
        "What did rule 1.3 say in 2021?": "harbour/cr/20210101/en/1.3",
        "What does rule 1.3 say?": "harbour/cr/20220101/en/1.3",
        "What is rule 1.3 in Japanese?": "harbour/cr/20220101/ja/1.3",
        "2021年のルール1.3は？": "harbour/cr/20210101/en/1.3",
    }
    assert {text: base.ask(text).answers[0].node.id for text in asked} == asked
    found = base.ask("What did rule 1.3 say in 2021?")
    assert [reason.code for reason in found.taken_as] == ["edition_in_force"]
    [reason] = base.ask("What did rule 1.3 say in 1999?").taken_as
    assert reason.code == "nothing_in_force"


def test_the_edition_in_force_is_said_of_what_it_lacks(base: kb.KnowledgeBase) -> None:
    for question in (("show", "1.5"), ("refs", "1.5")):
        done = run(*question, "--as-of", "2021-06-01", of=base)
        assert done.exit_code == 1 and "20210101 was in force" in done.stderr


def test_a_newer_edition_in_another_language_is_said(tmp_path: Path) -> None:
    """Of the newer edition the English one is not there yet."""
    first = {
        "1": JAPANESE["1"],
        "1.1": JAPANESE["1.1"],
        "1.2": JAPANESE["1.3"],
        "1.3": JAPANESE["1.2"].replace("1.3", "1.2"),
        "1.4": "難破船とは板より穴の多い船である。",
    }
    books = {
        ("2021-01-01", "en"): FIRST,
        ("2021-01-01", "ja"): first,
        ("2022-01-01", "ja"): JAPANESE,
    }
    folder = written(tmp_path / "books", books)
    kb.build(folder, tmp_path / "kb.db", site="rulebook", game="harbour")
    with kb.open(tmp_path / "kb.db") as base:
        found = base.show("1.2", edition="as of 2022-08-01", lang="en")
        assert [node.edition for node in found.matches] == ["20210101"]
        [said] = [each for each in found.also if each.reason.code == "newer_in_force"]
        assert said.id == "harbour/cr/20220101/ja/1.3" and "there this rule is 1.3" in str(said)
        before = base.show("1.2", edition="as of 2021-06-01", lang="en")
        assert not any(each.reason.code == "newer_in_force" for each in before.also)


def test_a_number_that_no_rule_has_any_more(tmp_path: Path) -> None:
    first = {number: FIRST[number] for number in ("1", "1.1", "1.2", "1.3")}
    second = {"1": FIRST["1"], "1.1": FIRST["1.1"], "1.2": FIRST["1.3"]}
    books = {("2021-01-01", "en"): first, ("2022-01-01", "en"): second}
    file = tmp_path / "kb.db"
    kb.build(written(tmp_path / "books", books), file, site="rulebook", game="harbour")
    with kb.open(file) as base:
        found = base.show("1.3")
        assert found.matches[0].rule == "harbour/rule/1.2@20220101/en"
        [reason] = found.taken_as
        assert (reason.code, reason.values["numbers"]) == ("number_of_older_rules", ("1.2",))
        assert not base.show("1.2").taken_as


def test_what_became_of_each_version(base: kb.KnowledgeBase) -> None:
    rows = {
        (edition, number): (change, before, gone, gone_in)
        for _, _, edition, lang, number, _, change, _, before, _, _, gone, gone_in, *_ in stored(
            base.file
        )["rule_versions"]
        if lang == "en"
    }
    assert rows["20210101", "1.4"] == ("first", None, "removed", "20220101")
    assert rows["20220101", "1.1"] == ("same", "1.1", None, None)
    assert rows["20220101", "1.2"] == ("moved+renumbered", "1.3", None, None)
    assert rows["20220101", "1.3"] == ("moved", "1.2", None, None)
    assert rows["20220101", "1.5"] == ("added", None, None, None)
    [citation] = stored(base.file)["rule_citations"]
    assert citation[-3:] == (3, "20210101", "20220101")


def test_a_translation_tells_where_a_rule_went() -> None:
    books = {(edition, lang): ["1", "2"][: 3 - int(edition)] for edition in "12" for lang in "ab"}
    kept = Step("1", "1", "same", None, "unchanged")
    aligned = [
        BookSteps("a", "1", "2", (kept, Step("2", None, "merged", "1"))),
        BookSteps("b", "1", "2", (kept, Step("2", None, "removed"))),
    ]
    translated = [
        ((edition, "a", n), (edition, "b", n)) for (edition, _), ns in books.items() for n in ns
    ]
    versions = rule_versions(books, aligned, translated, lambda *book: True)
    fates = {found.version[1]: (found.gone, found.into) for found in versions if found.gone}
    assert fates == {"a": ("merged", "1"), "b": ("merged", "1")}


def test_a_rule_that_a_fragment_lacks_is_found_behind_it() -> None:
    assert pairs_to_align(["1", "2", "3"], lambda edition: edition != "2") == [
        ("1", "2"), ("2", "3"), ("1", "3"),
    ]  # fmt: skip
    aligned = [
        BookSteps("en", "1", "2", (Step("5", None, "not loaded"), Step("6", "6", "same"))),
        BookSteps("en", "2", "3", (Step("6", "7", "moved"), Step(None, "8", "not loaded"))),
        BookSteps("en", "1", "3", (Step("5", "8", "moved"), Step("6", "7", "moved"))),
    ]
    books = {("1", "en"): ["5", "6"], ("2", "en"): ["6"], ("3", "en"): ["7", "8"]}
    found = {
        one.version: one
        for one in rule_versions(books, aligned, [], lambda edition, _: edition != "2")
    }
    assert found["3", "en", "8"].before == ("5", "1")
    assert found["3", "en", "7"].before == ("6", "2")
    assert len({one.rule for one in found.values()}) == 2
    assert not any(one.gone for one in found.values())


def test_a_rule_has_one_version_in_a_book() -> None:
    """Of translations that contradict each other one is believed."""
    aligned = [BookSteps("en", "1", "2", (Step("5", "5", "same"), Step("6", "6", "same")))]
    books = {("1", "en"): ["5", "6"], ("1", "ja"): ["5"], ("2", "en"): ["5", "6"]}
    translated = [(("1", "ja", "5"), ("1", "en", "5")), (("1", "ja", "5"), ("1", "en", "6"))]
    for given in (translated, translated[::-1]):
        found = rule_versions(books, aligned, given, lambda *_: True)
        rules = {one.version: one.rule for one in found}
        assert rules["1", "ja", "5"] == rules["2", "en", "6"] != rules["2", "en", "5"]


def test_the_order_of_files_and_second_builds_change_nothing(tmp_path: Path) -> None:
    books = {
        **BOOKS,
        ("2020-01-01", "en"): {n: t for n, t in FIRST.items() if n != "1.4"},
        ("2023-01-01", "en"): {**SECOND, "1.6": "A buoy marks where a wreck lies below the tide."},
    }
    chance = random.Random(5)
    folder = tmp_path / "books"
    there: dict[tuple[str, str], dict[str, str]] = {}
    for step in range(8):
        for book in chance.sample(sorted(books), 2):
            if book in there and len(there) > 2:
                del there[book]
            else:
                there[book] = dict(books[book])
        edited = chance.choice(sorted(there))
        number = chance.choice(sorted(there[edited].keys() - {"1"}))
        there[edited] = {**there[edited], number: f"{there[edited][number]} Edit {step}."}
        for path in folder.glob("*.txt"):
            path.unlink()
        paths = written(folder, there)
        kb.build([folder], tmp_path / "again.db", site="rulebook", game="harbour", replace=True)
        kb.build(paths[::-1], tmp_path / "new.db", site="rulebook", game="harbour", replace=True)
        assert stored(tmp_path / "again.db") == stored(tmp_path / "new.db")
        assert kb.find_damage(tmp_path / "again.db") == ()


def test_only_what_changed_is_aligned_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import kb.knowledge.rule_histories as histories

    aligned: list[object] = []
    steps_between = histories.steps_between
    monkeypatch.setattr(
        histories, "steps_between", lambda *given: aligned.append(given) or steps_between(*given)
    )
    three = {("2021-01-01", "en"): FIRST, ("2022-01-01", "en"): SECOND}
    written(tmp_path / "books", three)
    kb.build([tmp_path / "books"], tmp_path / "kb.db", site="rulebook", game="harbour")
    assert len(aligned) == 1
    newer = {**SECOND, "1.6": "A buoy marks where a wreck lies below the tide."}
    written(tmp_path / "books", {**three, ("2023-01-01", "en"): newer})
    kb.build([tmp_path / "books"], tmp_path / "kb.db", site="rulebook", game="harbour")
    assert len(aligned) == 2  # 2022 with 2023; what 2021 became is known


@pytest.mark.shared
def test_regenerate_and_goad(rules_and_pages: kb.KnowledgeBase) -> None:
    """701.15 was regenerate until 2024 and is goad since; each keeps its own citations."""
    goad, regenerate = (
        rules_and_pages.refs(number, direction="in", kinds="cites", game="mtg")
        for number in ("701.15", "701.19")
    )
    assert {node.label for node in goad.named if node.lang == "en"} == {"Goad"}
    assert {node.label for node in regenerate.named if node.lang == "en"} == {"Regenerate"}
    assert {node.number for node in regenerate.named} == {"701.15", "701.19"}
    cited_by = {line.first.other.number for line in regenerate.groups() if line.first.other}
    assert {"614.8", "506.4"} <= cited_by
    assert not cited_by & {line.first.other.number for line in goad.groups()} - {None}
    said = run("refs", "701.15", "--game", "mtg", of=rules_and_pages).stdout
    assert "“Regenerate”" in said and "mtg/rule/701.19@20260116/en" in said


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_shards_store_the_same(tmp_path: Path, base: kb.KnowledgeBase, workers: int) -> None:
    sources = written(tmp_path / "books", BOOKS)
    given = {"site": "rulebook", "game": "harbour", "workers": workers}
    kb.build(sources, tmp_path / "a.db", shards=tmp_path / "shards", **given)
    kb.build(sources[::-1], tmp_path / "b.db", **given)
    assert stored(tmp_path / "a.db") == stored(tmp_path / "b.db")
    assert len(stored(tmp_path / "a.db")["rule_versions"]) == sum(map(len, BOOKS.values()))


def test_an_edition_is_asked_for_by_when_it_was_in_force(base: kb.KnowledgeBase) -> None:
    """1.3 is about sails in the first edition, and about mooring in the second."""
    shown = base.show("1.3", edition="as of 2021-06-30", lang="en")
    assert [(node.edition, (node.text or "")[:4]) for node in shown.matches] == [
        ("20210101", "To h")
    ]
    assert [each.code for each in shown.taken_as] == ["edition_in_force"]
    for given, edition in (("as of 2022-01-01", "20220101"), ("As of 2021-12", "20210101"),
                           ("as of 2021", "20210101"), ("as of 2030", "20220101")):  # fmt: skip
        assert {node.edition for node in base.show("1.3", edition=given).matches} == {edition}
    assert base.diff("as of 2021", "as of 2023", lang="en").changes
    with pytest.raises(kb.QuestionError, match="the oldest is 20220101"):
        base.show("1.3", edition="as of 2021-06-30", lang="ja")  # what is there in Japanese
    with pytest.raises(kb.QuestionError, match="the oldest is 20210101"):
        base.show("1.3", edition="as of 2020-05")
    with pytest.raises(kb.QuestionError, match="no date"):
        base.show("1.3", edition="as of yesterday")
    said = run("show", "1.3", "--as-of", "2021-06-30", "--lang", "en", of=base)
    assert said.exit_code == 0 and "To hoist a sail" in said.stdout
    assert "20210101 was in force as of" in said.stderr and "the next is 20220101" in said.stderr
    said = run("refs", "1.2", "--as-of=2021-06-30", "--max", "1", of=base)
    assert said.exit_code == 0 and "--as-of" not in said.stdout


def test_what_was_in_force_is_of_one_game(tmp_path: Path) -> None:
    kb.build(written(tmp_path / "a", BOOKS), tmp_path / "kb.db", site="rulebook", game="harbour")
    other = {("2021-03-01", "en"): FIRST}
    kb.build(
        written(tmp_path / "b", other), tmp_path / "kb.db", site="rulebook", game="quay", add=True
    )
    with kb.open(tmp_path / "kb.db") as base:
        with pytest.raises(kb.QuestionError, match="give the game") as error:
            base.show("1.3", edition="as of 2021-06-30")
        assert "harbour" in str(error.value) and "quay" in str(error.value)
        [node] = base.show("1.3", edition="as of 2021-06-30", game="quay").matches
        assert node.edition == "20210301"


def test_the_graph_of_rules_has_each_rule_and_reference_once(base: kb.KnowledgeBase) -> None:
    graph = base.graph(by="rule")
    sails = graph.nodes["harbour/rule/1.2@20220101/en"]
    assert sails["text"].startswith("To hoist a sail") and sails["number"] == "1.2"
    assert sails["editions"] == "20210101, 20220101" and sails["languages"] == "en, ja"
    edges = list(graph.edges("harbour/rule/1.2@20220101/en", keys=True, data=True))
    cites = [edge for edge in edges if edge[2] == "cites"]
    assert [(edge[1], edge[3]) for edge in cites] == [
        (
            "harbour/rule/1.3@20220101/en",
            {"kind": "cites", "times": 1, "editions": "20210101, 20220101", "languages": "en, ja"},
        )
    ]
    assert [edge[1] for edge in edges if edge[2] == "part_of"] == ["harbour/rule/1@20220101/en"]
    assert len(graph) == 6  # the wreck among them, which is gone
    assert len(base.graph(game="harbour")) and not base.graph(by="rule", game="harbour").has_node(
        "1"
    )
    with pytest.raises(kb.QuestionError):
        base.graph(by="edition")  # type: ignore[arg-type]
    with pytest.raises(kb.QuestionError):
        base.graph(game="chess")


def test_a_person_corrects_what_is_one_rule(tmp_path: Path) -> None:
    sources = written(tmp_path / "books", BOOKS)
    given = {"site": "rulebook", "game": "harbour"}
    path, corrections = tmp_path / "kb.db", tmp_path / "corrections.toml"
    kb.build(sources, path, **given)
    plain = stored(path)
    corrections.write_text(
        'different = [["harbour/rule/1.1@20210101/en", "harbour/cr/20220101/en/1.1"]]\n'
        'same = [["harbour/rule/1.4@20210101/en", "harbour/rule/1.5@20220101/en"]]\n',
        encoding="utf-8",
    )
    kb.build(sources, path, corrections=corrections, **given)
    with kb.open(path) as base:
        assert {node.edition for node in base.show("harbour/rule/1.1@20210101/en").matches} == {
            "20210101"
        }
        assert [(e.edition, e.number, e.kind) for e in base.trace("1.5", lang="en").history] == [
            ("20210101", "1.4", "first"), ("20220101", "1.5", "moved+changed"),
        ]  # fmt: skip
        kinds = {(c.before and c.before.number, c.after and c.after.number): c.kind
                 for c in base.diff("20210101", "20220101", lang="en").changes}  # fmt: skip
        assert kinds["1.4", "1.5"] == "moved+changed" and kinds["1.1", None] == "removed"
    corrected = stored(path)
    # From nothing, with the files in another order, it is the same; and `again` keeps them.
    kb.build(sources[::-1], tmp_path / "b.db", corrections=corrections, **given)
    assert stored(tmp_path / "b.db") == corrected
    kb.build((), path, again=True)
    assert stored(path) == corrected
    corrections.write_text("", encoding="utf-8")
    kb.build((), path, again=True)
    assert stored(path) == plain


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("same = [", "can't be read as TOML"),
        ("other = []", "unknown key 'other'; there are same and different"),
        ("same = 3", "must be a list of pairs"),
        ('same = [["1.4"]]', "is no pair of ids"),
        ('same = [["1.4", "1.5"]]', "'1.4' is no id of a rule, such as"),
        ('same = [["a/rule/1@2/en", "b/rule/1@3/en"]]', "two versions of rules of one game"),
        ('same = [["a/rule/1@2/en", "a/rule/1@3/en"]]\ndifferent = [["a/cr/3/en/1", '
         '"a/rule/1@2/en"]]', "are the same and different"),
    ],
)  # fmt: skip
def test_corrections_that_can_not_be_used(tmp_path: Path, text: str, said: str) -> None:
    sources = written(tmp_path / "books", {("2021-01-01", "en"): FIRST})
    corrections = tmp_path / "corrections.toml"
    corrections.write_text(text, encoding="utf-8")
    with pytest.raises(kb.SourceError, match=r"corrections\.toml") as error:
        kb.build(sources, tmp_path / "kb.db", site="rulebook", corrections=corrections)
    assert said in str(error.value)
    assert not (tmp_path / "kb.db").exists()


def test_what_a_build_is_not_sure_of_is_listed(tmp_path: Path) -> None:
    rewritten = FIRST | {"1.2": "A ship is moored while its owner has paid two coins for it."}
    sources = written(
        tmp_path / "books", {("2021-01-01", "en"): FIRST, ("2022-01-01", "en"): rewritten}
    )
    kb.build(sources, tmp_path / "kb.db", site="rulebook", game="harbour")
    with kb.open(tmp_path / "kb.db") as base:
        found = base.unsure_matches()
        assert [(m.before, m.after) for m in found.matches] == [
            ("harbour/rule/1.2@20210101/en", "harbour/rule/1.2@20220101/en")
        ]
        assert found.total == 1 and 0 < found.matches[0].sure < 0.6
        assert not base.unsure_matches(edition="20210101").matches
        said = run("trace", "--unsure", of=base)
        assert said.exit_code == 0 and "harbour/rule/1.2@20220101/en" in said.stdout
        assert (
            run("trace", of=base).exit_code
            == run("trace", "1.4", "--unsure", of=base).exit_code
            == 2
        )


def test_a_rule_that_is_gone_says_so(base: kb.KnowledgeBase) -> None:
    [entry] = base.show("harbour/rule/1.4@20210101/en").entries
    assert str(entry.gone) == "removed in edition 20220101"
    assert all(entry.gone is None for entry in base.show("1.2").entries)
    said = run("show", "harbour/rule/1.4@20210101/en", of=base).stdout
    assert "gone      removed in edition 20220101" in said


def test_a_glossary_is_compared_too(tmp_path: Path) -> None:
    def book(date: str, entries: dict[str, str]) -> str:
        glossary = "\n\n".join(f"{word}\n{text}" for word, text in entries.items())
        return (
            f"Harbour Comprehensive Rules\n{date}\n\nContents\n1. Zones\nGlossary\n\n"
            f"{rulebook(FIRST)}\n\nGlossary\n\n{glossary}\n"
        )

    old = {
        "Anchor": "What holds a ship. See rule 1.2.",
        "Deck": "What a sailor stands on. See rule 1.1.",
        "Mast": "A tree on a ship. See rule 1.3.",
        "Quay": "A wall beside the water. See rule 1.1.",
    }
    new = old | {
        "Anchor": "What holds a ship or a raft. See rule 1.2.",
        "Deck": "What a sailor stands on. See rule 1.4.",
        "Rudder": "What a ship is steered by. See rule 1.1.",
    }
    del new["Mast"]
    for date, entries in (("2021-01-01", old), ("2022-01-01", new)):
        (tmp_path / f"{date}.txt").write_text(book(date, entries), encoding="utf-8")
    sources = sorted(tmp_path.glob("*.txt"))
    kb.build(sources, tmp_path / "kb.db", site="rulebook", game="harbour")
    with kb.open(tmp_path / "kb.db") as base:
        found = base.diff("20210101", "20220101")
        assert found.glossary is not None
        assert [(c.kind, (c.after or c.before).number) for c in found.glossary] == [  # type: ignore[union-attr]
            ("changed", "Anchor"), ("renumbered", "Deck"), ("removed", "Mast"), ("added", "Rudder"),
        ]  # fmt: skip
        assert base.diff("20210101", "20220101", under="1.1").glossary is None
        said = run("diff", "20210101", "20220101", of=base).stdout
        assert "glossary: 1 added, 1 removed, 1 changed, 1 renumbered" in said
        listed = run("diff", "20210101", "20220101", "--glossary", of=base).stdout
        assert "Anchor  changed" in listed and "{+or a raft+}" in listed.replace(" {+", "{+")
        of_rafts = base.diff("20210101", "20220101", words="raft").glossary
        assert of_rafts and [change.kind for change in of_rafts] == ["changed"]


def test_the_senses_of_a_headword_are_those_that_are_alike(tmp_path: Path) -> None:
    senses = {
        "2021-01-01": "Hold\nA room below the deck of a ship. See rule 1.1.",
        "2022-01-01": "Hold\n1. A room below the deck of a ship. See rule 1.1.\n"
        "2. To keep a card in the hand. See rule 1.2.",
    }
    for date, entry in senses.items():
        rules = rulebook(FIRST, glossary=f"\nGlossary\n\n{entry}\n\nSail\nWhat is hoisted.\n")
        text = f"Harbour Rules\n{date}\n\n{rules}"
        (tmp_path / f"{date}.txt").write_text(text, encoding="utf-8")
    sources = sorted(tmp_path.glob("*.txt"))
    kb.build(sources, tmp_path / "kb.db", site="rulebook", game="harbour")
    with kb.open(tmp_path / "kb.db") as base:
        found = base.diff("20210101", "20220101").glossary
        assert found and {change.kind for change in found} == {"changed", "added"}
        [added] = [change.after for change in found if change.kind == "added"]
        assert added and "To keep" in added.text


def test_an_old_version_says_what_it_is_now(base: kb.KnowledgeBase) -> None:
    """In its own language, also where the newest version of all is in another one."""
    for number, now in (("1.2", "1.3"), ("1.3", "1.2")):
        [entry] = base.show(number, edition="20210101").entries
        assert entry.newest and entry.newest.id == f"harbour/cr/20220101/en/{now}"
    assert all(entry.newest is None for entry in base.show("1.2").entries)
    said = run("show", "1.2", "--edition", "20210101", of=base).stdout
    assert "now       1.3 in 20220101" in said
    question = "What must the owner pay to moor a ship?"
    [answer, *_] = base.ask(question, edition="20210101")
    assert str(answer.since).startswith("now 1.3 in edition 20220101")
    [answer, *_] = base.ask("What is a wreck?", edition="20210101")
    assert str(answer.since) == "removed in edition 20220101"
    [answer, *_] = base.ask(question)
    assert answer.since is None
