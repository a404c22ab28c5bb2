"""`sansho check`: what it finds in drafts, and what it leaves alone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import kb
from graphs.store.reader import Store
from kb.checking.check import Check, CheckOptions, check
from kb.checking.draft import Segment
from kb.termbase.model import Decision, Status
from tests.commands import printed
from tests.rulebooks import described, write_books
from tests.timing import grows_linearly

EN_OLD = """
100. Boats
100.1. A boat carries up to three crates.
100.2. Each skipper begins with ten coins.
101. Anchors
101.1. An anchored boat can’t sail.
101.2. See rule 102 for lanterns.
102. Lanterns
102.1. A lit lantern burns for two turns.
102.2. A skipper may douse a lantern.
"""
EN = """
100. Boats
100.1. A boat carries up to three crates.
100.2. Each skipper begins with ten coins.
101. Anchors
101.1. An anchored boat can’t sail.
101.2. See rule 103 for lanterns.
101.3. Raising an anchor costs two coins.
101.4. A skipper may raise the anchor of a boat.
101.5. The anchor of a sunken boat is lost.
101.6. An anchor is never traded.
102. Tides
102.1. High tide lifts each grounded boat.
102.2. Low tide lasts one turn.
103. Lanterns
103.1. A lit lantern burns for two turns.
103.2. A skipper may douse a lantern.
"""
JA = """
100. 舟
100.1. 舟は木箱を最大3つまで運ぶ。
100.2. 各船長は硬貨10枚で始める。
101. 錨
101.1. 錨を下ろした舟は航行できない。
101.2. ランタンについてはrule 103参照。
101.3. 錨を上げるには硬貨2枚がかかる。
101.4. 船長は舟の錨を上げてもよい。
101.5. 沈んだ舟の錨は失われる。
101.6. 錨は決して取引されない。
102. 潮
102.1. 満潮は座礁した舟をそれぞれ浮かせる。
102.2. 干潮は1ターン続く。
103. ランタン
103.1. ともしたランタンは2ターン燃える。
103.2. 船長はランタンを消してもよい。
"""
TERMS = {
    "anchor": "錨", "lantern": "ランタン", "skipper": "船長", "boat": "舟", "high tide": "満潮",
    "signal flag": "信号旗",
}  # fmt: skip


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("harbour")
    books = {("20240101", "en"): EN_OLD, ("20250101", "en"): EN, ("20250101", "ja"): JA}
    kb.build([write_books(folder / "books", books)], folder / "kb.db")
    return folder / "kb.db"


@pytest.fixture(scope="module")
def store(path: Path) -> Iterator[Store]:
    with Store(path) as opened:
        yield opened


def decisions(*others: tuple[str, str, str, Status]) -> list[Decision]:
    """Return decisions that name the terms in both languages, and others: (term, lang, name,
    status)."""
    pairs = [
        Decision(english, lang, name)
        for english, japanese in TERMS.items()
        for lang, name in (("en", english), ("ja", japanese))
    ]
    return pairs + [Decision(term, lang, name, status) for term, lang, name, status in others]


def checked(
    store: Store,
    source: str | None,
    target: str,
    *more: tuple[str, str, str, Status],
    to: str = "ja",
    edition: str | None = None,
) -> Check:
    """Check one segment of a draft."""
    lang = "en" if to == "ja" else "ja"
    segment = Segment("1", 1, target, to, source, lang if source else None)
    options = CheckOptions(game="harbour", edition=edition)
    return check(store, [segment], "draft", options, decisions(*more))


def kinds(result: Check) -> list[str]:
    return [problem.kind for problem in result.problems]


MISSING = [
    ("Raise the anchor.", "碇石を上げる。", "ja"),
    ("Light a lantern.", "灯火をともす。", "ja"),
    ("The skippers wait.", "親方たちは待つ。", "ja"),
    ("At high tide, wait.", "大潮のとき、待つ。", "ja"),
    ("Raise a signal-flag.", "合図の布を掲げる。", "ja"),
    ("錨を上げる。", "Raise the hook.", "en"),
    ("ランタンをともす。", "Light a lamp.", "en"),
    ("船長は待つ。", "The captain waits.", "en"),
    ("満潮のとき、待つ。", "Wait while the water is up.", "en"),
    ("信号旗を掲げる。", "Raise a banner.", "en"),
]
NAMED = [
    ("Raise the anchors.", "錨を上げる。", "ja"),
    ("Two lanterns are lit.", "2つのランタンがともる。", "ja"),
    ("The skipper’s boats wait.", "船長の舟は待つ。", "ja"),
    ("At High Tide, wait.", "満潮のとき、待つ。", "ja"),
    ("Raise a signal-flag.", "信号旗を掲げる。", "ja"),
    ("錨を上げる。", "Raise both anchors.", "en"),
    ("ランタンをともす。", "Light lanterns.", "en"),
    ("船長は待つ。", "The skippers wait.", "en"),
    ("満潮のとき、待つ。", "Wait at high tide.", "en"),
    ("信号旗を掲げる。", "Raise the signal flags.", "en"),
]


@pytest.mark.parametrize(("source", "target", "to"), MISSING)
def test_a_term_in_other_words_is_found(store: Store, source: str, target: str, to: str) -> None:
    [problem] = checked(store, source, target, to=to).problems
    assert problem.kind in ("missing-term", "inconsistent-term")
    assert problem.source_text and problem.source_text in source
    assert problem.expected in (*TERMS, *TERMS.values())


@pytest.mark.parametrize(("source", "target", "to"), NAMED)
def test_a_term_by_its_name_in_any_inflection_is_no_problem(
    store: Store, source: str, target: str, to: str
) -> None:
    assert kinds(checked(store, source, target, to=to)) == []


def test_the_rules_show_which_terms_must_be_named(store: Store) -> None:
    segment = Segment("1", 1, "鉤を投げる。", "ja", "Throw the anchor.", "en")
    pairs = [
        Decision("anchor", "en", "anchor", "admitted"),
        Decision("anchor", "ja", "錨", "admitted"),
    ]
    [problem] = check(store, [segment], "draft", CheckOptions(game="harbour"), pairs).problems
    assert problem.kind == "missing-term" and "aligned rules" in (problem.authority or "")


def test_a_checked_rule_does_not_excuse_itself(store: Store) -> None:
    pairs = [
        Decision("tide", "en", "low tide", "admitted"),
        Decision("tide", "ja", "引き潮", "admitted"),
    ]
    segment = Segment("1", 1, "干潮は1ターン続く。", "ja", "Low tide lasts one turn.", "en")
    result = check(store, [segment], "draft", CheckOptions(game="harbour"), pairs)
    assert all("aligned" not in (problem.authority or "") for problem in result.problems)


@pytest.mark.parametrize(
    ("source", "target", "to", "expected"),
    [
        ("Move three crates.", "木箱を4つ動かす。", "ja", "3"),
        ("Pay ten coins.", "硬貨を11枚払う。", "ja", "10"),
        ("It burns for two turns.", "それは5ターン燃える。", "ja", "2"),
        ("Pay at least two coins.", "硬貨を2枚払う。", "ja", "at least two"),
        ("木箱を3つ動かす。", "Move four crates.", "en", "3"),
        ("硬貨を10枚払う。", "Pay twelve coins.", "en", "10"),
    ],
)
def test_a_changed_number_is_found(
    store: Store, source: str, target: str, to: str, expected: str
) -> None:
    [problem] = checked(store, source, target, to=to).problems
    assert (problem.kind, problem.expected) == ("number", expected)


@pytest.mark.parametrize(
    ("source", "target", "to"),
    [
        ("Move three crates.", "木箱を３つ動かす。", "ja"),
        ("Move a crate.", "木箱を1つ動かす。", "ja"),
        ("Both players wait.", "2人のプレイヤーは待つ。", "ja"),
        ("Pay at least two coins.", "硬貨を2枚以上払う。", "ja"),
        ("木箱を3つ動かす。", "Move 3 crates.", "en"),
        ("rule 103参照。", "See rule 103.", "en"),
    ],
)
def test_a_number_in_other_words_is_no_problem(
    store: Store, source: str, target: str, to: str
) -> None:
    assert kinds(checked(store, source, target, to=to)) == []


def test_a_changed_or_lost_citation_is_found(store: Store) -> None:
    [changed] = checked(store, "See rule 101.3.", "rule 101.4参照。").problems
    assert (changed.kind, changed.text, changed.expected) == ("rule-number", "rule 101.4", "101.3")
    assert changed.suggestion == "rule 101.3"
    [lost] = checked(store, "Wait (see rule 101.3).", "待つ。").problems
    assert (lost.kind, lost.text, lost.expected) == ("rule-number", "", "101.3")
    [english] = checked(store, "rule 101.3参照。", "See rule 101.4.", to="en").problems
    assert english.kind == "rule-number"
    assert kinds(checked(store, "See rules 101.3 and 101.4.", "rule 101.3、101.4参照。")) == []


def test_a_citation_that_means_another_rule_by_now_is_found(store: Store) -> None:
    old = "A skipper may douse the lantern, see rule 102."
    [problem] = checked(store, None, old, to="en", edition="20250101").problems
    assert (problem.kind, problem.text, problem.expected) == ("moved-citation", "rule 102", "103")
    new = "High tide lifts boats, see rule 102."
    assert kinds(checked(store, None, new, to="en", edition="20250101")) == []
    assert kinds(checked(store, None, old, to="en", edition="20240101")) == []
    assert kinds(checked(store, None, "See rule 100.", to="en", edition="20250101")) == []


def test_forbidden_and_deprecated_names_are_found(store: Store) -> None:
    more: tuple[tuple[str, str, str, Status], ...] = (
        ("lantern", "ja", "カンテラ", "forbidden"),
        ("skipper", "ja", "頭領", "deprecated"),
    )
    [forbidden] = checked(store, None, "カンテラをともす。", *more).problems
    assert (forbidden.kind, forbidden.text) == ("forbidden-term", "カンテラ")
    assert forbidden.suggestion == "ランタン"
    [deprecated] = checked(store, "A skipper waits.", "頭領は待つ。", *more).problems
    assert (deprecated.kind, deprecated.expected) == ("deprecated-term", "船長")
    assert kinds(checked(store, "A chief waits.", "頭領は待つ。", *more)) == []


def test_an_obsolete_name_is_found_whatever_the_source_calls_it(tmp_path: Path) -> None:
    """A phrase that the glossary calls so; of a single word the source must have the term."""
    glossary = "\nGlossary\n\nBilge Fee (Obsolete)\nWhat was paid.\n\nHoist (Obsolete)\nTo raise.\n"
    books = {("20250101", "en"): EN + glossary, ("20250101", "ja"): JA}
    kb.build([write_books(tmp_path / "books", books)], tmp_path / "kb.db")
    with Store(tmp_path / "kb.db") as opened:
        [problem] = checked(
            opened, "賃料を払う。", "Pay the bilge fee and hoist it.", to="en"
        ).problems
        assert (problem.kind, problem.text) == ("deprecated-term", "bilge fee")


def test_what_is_admitted_is_no_problem(store: Store) -> None:
    more: tuple[str, str, str, Status] = ("skipper", "ja", "親方", "admitted")
    assert kinds(checked(store, "The skipper waits.", "親方は待つ。", more)) == []


def test_another_spelling_is_found(store: Store) -> None:
    [long] = checked(store, "Light a lantern.", "ランターンをともす。").problems[-1:]
    assert (long.kind, long.text, long.expected) == ("spelling", "ランターン", "ランタン")
    assert kinds(checked(store, "Light a lantern.", "ランタンをともす。")) == []


def test_each_term_is_found_once_a_segment_and_the_longest_first(store: Store) -> None:
    result = checked(store, "An anchor, an anchor.", "鉤、鉤。")
    assert len(result) == 1
    more: tuple[str, str, str, Status] = ("tide", "en", "tide", "preferred")
    both = (more, ("tide", "ja", "潮汐", "preferred"))
    result = checked(store, "High tide comes.", "高潮が来る。", *both)
    assert [problem.source_text for problem in result.problems] == ["High tide"]


def test_a_segment_that_is_no_translation_of_its_source_is_left_alone(store: Store) -> None:
    source = "The skipper of an anchored boat lights a lantern at high tide. " * 4
    result = checked(store, source, "待つ。")
    assert not result.problems and result.not_compared == (1,)


DRAFT = """101.4. 船長は舟の鉤を上げてもよい。
101.3. 錨を上げるには硬貨3枚がかかる。
103.2. 船長はランタンを消してもよい。
"""


def test_a_draft_without_source_is_held_against_the_rules(path: Path, tmp_path: Path) -> None:
    draft = tmp_path / "draft.txt"
    draft.write_text(DRAFT, "utf-8")
    code, text, _ = printed("check", draft, "--only", "number", of=path)
    assert code == 1
    assert "draft.txt:2:" in text.replace("\n", "") and "number" in text
    assert "3 segments held against the English rules of harbour 20250101" in " ".join(text.split())


def test_what_is_kept_for_the_next_draft_changes_no_finding(path: Path, tmp_path: Path) -> None:
    drafts = {"one.txt": DRAFT, "two.txt": "\n".join(reversed(DRAFT.splitlines())), "en.txt": "No."}
    with kb.open(path) as base:
        reader = base.proofreader()
        for name, text in [*drafts.items(), *reversed(drafts.items())]:
            (tmp_path / name).write_text(text, "utf-8")
            assert reader.check(tmp_path / name) == base.check(tmp_path / name)


def test_formats_baseline_and_exit_codes(path: Path, tmp_path: Path) -> None:
    draft, known = tmp_path / "draft.txt", tmp_path / "known.json"
    draft.write_text(DRAFT, "utf-8")
    code, text, _ = printed("check", draft, "--json", "--write-baseline", known, of=path)
    problems = json.loads(text)["problems"]
    assert code == 1 and problems
    assert {"line", "start", "end", "text", "kind", "expected", "term", "authority"} <= set(
        problems[0]
    )
    lines = DRAFT.splitlines()
    assert all(lines[one["line"] - 1][one["start"] : one["end"]] == one["text"] for one in problems)
    code, text, _ = printed("check", draft, "--format", "sarif", of=path)
    assert code == 1 and json.loads(text)["version"] == "2.1.0"
    code, text, _ = printed("check", draft, "--baseline", known, of=path)
    assert code == 0 and "0 problems" in text and "in the baseline" in text
    assert printed("check", tmp_path / "none.txt", of=path)[0] == 2
    code, _, text = printed("check", draft, "--only", "typo", of=path)
    assert code == 2 and "no kind of finding typo" in text
    code, _, text = printed("check", draft, "--game", "harbor", of=path)
    assert code == 2 and "nearest: harbour" in text


def test_a_decisions_file_wins(path: Path, tmp_path: Path) -> None:
    draft, decided = tmp_path / "draft.csv", tmp_path / "decisions.csv"
    draft.write_text("en,ja\nRaise a pennant.,吹き流しを上げる。\n", "utf-8")
    decided.write_text("term,lang,name\npennant,en,pennant\npennant,ja,三角旗\n", "utf-8")
    with kb.open(path) as base:
        assert not base.check(draft, game="harbour").problems
        [problem] = base.check(draft, game="harbour", decisions=decided).problems
    assert (problem.kind, problem.expected) == ("missing-term", "三角旗")


def test_a_decision_on_a_game_that_is_not_there_is_said(path: Path, tmp_path: Path) -> None:
    draft, decided = tmp_path / "draft.csv", tmp_path / "decided.csv"
    draft.write_text("en,ja\nRaise a pennant.,吹き流しを上げる。\n", "utf-8")
    decided.write_text("term,lang,name,status,note,game\npennant,ja,三角旗,preferred,,harbur\n")
    with kb.open(path) as base:
        found = base.check(draft, game="harbour", decisions=decided)
    assert not found.problems and "there is no game harbur" in found.warnings[0]


def test_the_name_that_a_person_prefers_is_asked_for_once(tmp_path: Path) -> None:
    wiki = "*錨/anchor\n**解説\n舟を止める道具。\n"
    described(tmp_path, {"錨.txt": wiki}, site="pukiwiki", game="harbour")
    kb.build([tmp_path], tmp_path / "kb.db", workers=1)
    draft, decided = tmp_path / "draft.csv", tmp_path / "decided.csv"
    draft.write_text("en,ja\nRaise the anchor.,錨を上げる。\n", "utf-8")
    with kb.open(tmp_path / "kb.db") as base:
        assert not base.check(draft, game="harbour").problems
        for row, kind, said in (
            ("", "missing-term", "“anchor” should be アンカー here, not “錨”"),
            ("anchor,ja,錨,forbidden\n", "forbidden-term", "“錨” is forbidden; write アンカー"),
        ):
            rows = f"term,lang,name,status\nanchor,ja,アンカー,preferred\n{row}"
            decided.write_text(rows, "utf-8")
            [problem] = base.check(draft, game="harbour", decisions=decided).problems
            assert (problem.kind, problem.message) == (kind, said)
            assert "decided.csv:" in (problem.authority or "")


def test_a_name_is_forbidden_for_one_term_and_right_for_another(path: Path, tmp_path: Path) -> None:
    draft, decided = tmp_path / "draft.csv", tmp_path / "decided.csv"
    decided.write_text("term,lang,name,status\nAnchors,ja,舟,forbidden\n", "utf-8")
    with kb.open(path) as base:
        for source, number in (("Lift the boats.", 0), ("Lift the anchors.", 1)):
            draft.write_text(f"en,ja\n{source},舟を上げる。\n", "utf-8")
            found = base.check(draft, game="harbour", decisions=decided, only=["forbidden-term"])
            assert len(found.problems) == number, source


def test_what_a_list_calls_a_term_changes_no_finding(path: Path, tmp_path: Path) -> None:
    """Neither is its name a spelling of the term's, nor does it make a name one of two terms."""
    draft, rows = tmp_path / "draft.csv", tmp_path / "list.csv"
    draft.write_text("en,ja\nLift the anchors.,重り石を上げる。\n", "utf-8")
    rows.write_text("用語,英語\n重り石,Anchors\n綱巻き,Boats\n", "utf-8")
    shutil.copy(path, tmp_path / "kb.db")
    kb.build([rows], tmp_path / "kb.db", add=True, game="harbour")
    with kb.open(path) as without, kb.open(tmp_path / "kb.db") as base:
        assert base.show("重り石").matches
        assert base.check(draft).problems == without.check(draft).problems


@pytest.mark.parametrize("term", ["錨", "anchor", "Anchor", "harbour/term/錨"])
def test_a_decision_applies_as_in_the_termbase_where_a_card_has_the_name(
    tmp_path: Path, term: str
) -> None:
    wiki = "*錨/anchor\n**解説\n舟を止める道具。\n"
    described(tmp_path, {"錨.txt": wiki}, site="pukiwiki", game="harbour")
    (tmp_path / "cards.csv").write_text("カード名,英語\n錨,Anchor\n舟,Boat\n潮,Tide\n", "utf-8")
    kb.build([tmp_path], tmp_path / "kb.db", game="harbour", workers=1)
    draft, decided = tmp_path / "draft.csv", tmp_path / "decisions.csv"
    draft.write_text("ja,en\n錨を上げる。,Raise the anchor.\n", "utf-8")
    decided.write_text(f"term,lang,name,status\n{term},en,anchor,forbidden\n", "utf-8")
    with kb.open(tmp_path / "kb.db") as base:
        found = {node.id for node in base.show("錨").matches}
        assert {"harbour/term/錨", "harbour/card/錨"} <= found
        result = base.check(draft, game="harbour", decisions=decided)
        [concept] = base.termbase("harbour/term/錨", decisions=decided).concepts
    assert [problem.kind for problem in result.problems] == ["forbidden-term"]
    assert not result.warnings
    assert "forbidden" in [name.status for name in concept.names]


@pytest.mark.slow
def test_the_time_of_a_check_grows_with_the_draft(store: Store) -> None:
    decided = decisions()

    def work(number: int) -> None:
        segments = [
            Segment(
                str(n), n, f"船長は{n}回目に舟の錨を上げる。", "ja", f"Skipper {n} lifts.", "en"
            )
            for n in range(1, number)
        ]
        check(store, segments, "draft", CheckOptions(game="harbour"), decided)

    assert grows_linearly(work, 400)


# -- one thing for another ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "target", "to", "wrong", "expected"),
    [
        ("Raise the anchor.", "ランタンを上げる。", "ja", "ランタン", "錨"),
        ("錨を上げる。", "Raise the lantern.", "en", "lantern", "anchor"),
        ("船長は舟で待つ。", "The skipper waits with the anchor.", "en", "anchor", "boat"),
        ("A boat and an anchor wait.", "舟とランタンが待つ。", "ja", "ランタン", "錨"),
    ],
)
def test_the_name_of_another_term_is_marked(
    store: Store, source: str, target: str, to: str, wrong: str, expected: str
) -> None:
    [problem] = checked(store, source, target, to=to).problems
    assert (problem.kind, problem.text, problem.expected) == ("merged-terms", wrong, expected)


def test_a_term_that_shares_a_word_with_one_of_the_source_is_another(store: Store) -> None:
    """Also if the term of the source has no name in the language of the target."""
    found = checked(
        store,
        "It burns until the storm lantern is lit.",
        "それは海図ランタンがともるまで燃える。",
        ("storm lantern", "en", "storm lantern", "preferred"),
        ("chart lantern", "en", "chart lantern", "preferred"),
        ("chart lantern", "ja", "海図ランタン", "preferred"),
    ).problems
    assert [(one.kind, one.text) for one in found] == [("merged-terms", "海図ランタン")]
    assert "is the name of another term" in str(found[0].said)


@pytest.mark.parametrize(
    ("source", "target", "to"),
    [
        ("The skipper raises it.", "船長は錨を上げる。", "ja"),  # said for `it`
        ("船長は錨を上げ、錨は戻る。", "The skipper raises the anchor, and it comes back.", "en"),
        ("A boat, an anchor and a lantern.", "ランタン、舟、錨。", "ja"),
    ],
)
def test_terms_that_are_added_reordered_or_told_by_pronouns_are_no_problem(
    store: Store, source: str, target: str, to: str
) -> None:
    assert kinds(checked(store, source, target, to=to)) == []


@pytest.mark.parametrize(
    ("to", "affirmed", "denied"),
    [
        ("de", "Das Boot darf jederzeit segeln.", "Das Boot darf nicht segeln."),
        ("fr", "Le bateau peut naviguer.", "Le bateau ne peut pas naviguer."),
        ("es", "El barco puede navegar.", "El barco no puede navegar nunca."),
        ("it", "La barca può navigare.", "La barca non può mai navigare."),
        ("pt", "O barco pode navegar.", "O barco não pode navegar."),
        ("zh", "船可以航行。", "船不能航行。"),
        ("ko", "배는 항해할 수 있다.", "배는 항해할 수 없다."),
    ],
)
def test_a_turned_sense_in_other_languages(
    store: Store, to: str, affirmed: str, denied: str
) -> None:
    for source, target, is_turned in (
        ("The boat can sail.", affirmed, False),
        ("The boat can sail.", denied, True),
        ("The boat can’t sail.", denied, False),
        ("The boat can’t sail.", affirmed, True),
    ):
        segment = Segment("1", 1, target, to, source, "en")
        result = check(store, [segment], "draft", CheckOptions(game="harbour"))
        assert ("opposite" in result.counts) == is_turned, (source, target)
        assert not any("turned sense" in said for said in result.against)


@pytest.mark.parametrize(
    ("to", "source", "right", "wrong", "words"),
    [
        ("ja", "A player must row.", "漕がなければならない。", "漕いでもよい。", "でもよ"),
        (
            "ja",
            "Put it on top of the deck.",
            "デッキの上に置く。",
            "デッキの下に置く。",
            "デッキの下",
        ),
        ("ja", "The turn player rows.", "ターンプレイヤーは漕ぐ。", "各プレイヤーは漕ぐ。", "各"),
        ("ja", "The effects cease to exist.", "効果は消滅する。", "効果は残る。", "残る"),
        (
            "ja",
            "Raise all anchors of weight 3 or more.",
            "重さ3以上の錨をすべて上げる。",
            "重さ3以上の錨のいずれかを上げる。",
            "いずれか",
        ),
        ("ja", "Raise one of them.", "どれか1つを上げる。", "それらを全て上げる。", "全て"),
        ("de", "All boats sink.", "Alle Boote sinken.", "Eines der Boote sinkt.", "Eines der"),
        ("de", "That player loses.", "Diese Person verliert.", "Diese Person gewinnt.", "gewinnt"),
        ("de", "A player must row.", "Man muss rudern.", "Man darf rudern.", "darf"),
        (
            "de",
            "Each player rows.",
            "Jeder rudert.",
            "Der aktive Spieler rudert.",
            "aktive Spieler",
        ),
        ("de", "Put it on top of the deck.", "Lege es auf dein Deck.", "Unter dein Deck.", "Unter"),
        ("de", "It ceases to exist.", "Es verschwindet.", "Es bleibt.", "bleibt"),
        ("zh", "A player must row.", "牌手必须划船。", "牌手可以划船。", "可以"),
        ("zh", "That player loses.", "该牌手输掉。", "该牌手获胜。", "获胜"),
    ],
)
def test_a_word_in_place_of_its_opposite(
    store: Store, to: str, source: str, right: str, wrong: str, words: str
) -> None:
    for target, found in ((right, []), (wrong, [words])):
        segment = Segment("1", 1, target, to, source, "en")
        problems = check(store, [segment], "draft", CheckOptions(game="harbour")).problems
        at = [one.text for one in problems if one.kind == "opposite"]
        assert [one[: len(words)] for one in at] == found, target


def test_a_language_whose_denials_are_not_known_is_named(store: Store) -> None:
    result = checked(store, "The boat can’t sail.", "Łódź może płynąć.", to="pl")
    assert "opposite" not in result.counts
    assert "not looked at for Polish: a turned sense" in result.against


def test_a_second_draft_is_held_against_what_was_read_for_the_first(path: Path) -> None:
    with Store(path) as opened:
        first = checked(opened, "The boat can sail.", "舟は航行できない。", to="ja")
        kept = dict(opened.kept)
        assert checked(opened, "The boat can sail.", "舟は航行できない。", to="ja") == first
        assert opened.kept.keys() == kept.keys()
        assert all(opened.kept[key] is one for key, one in kept.items())
        decided = ("boat", "ja", "船", "preferred")
        result = checked(opened, "The boat can sail.", "舟は航行できる。", decided, to="ja")
        assert [one.expected for one in result.problems] == ["船"]
        assert checked(opened, "The boat can sail.", "舟は航行できない。", to="ja") == first
    assert not opened.kept


@pytest.mark.parametrize(
    ("source", "target", "to", "wrong"),
    [
        ("舟は航行できない。", "The boat can sail.", "en", "can sail"),
        ("The boat can sail.", "舟は航行できない。", "ja", "航行できない"),
        ("沈んでいないかぎり、舟は残る。", "If it has sunk, the boat stays.", "en", "has sunk"),
        ("Put it on top of the pile.", "それを束の一番下に置く。", "ja", "一番下"),
        ("対戦相手の舟が沈む。", "Your own boat sinks.", "en", "own"),
        ("The boat is revealed.", "舟は非公開である。", "ja", "非公開"),
        ("沈みますか。いいえ、沈みません。", "Does it sink? Yes, it does.", "en", "Yes"),
        # Another denial stays: the one too few, or too many.
        (
            "舟は沈まない。錨は上げられない。",
            "The boat doesn't sink. The anchor can be raised.",
            "en",
            "can be",
        ),
        (
            "No boat sinks, but a lantern waits.",
            "舟は沈まず、ランタンも待ちません。",
            "ja",
            "待ちません",
        ),
        # Words that limit or lack the same on both sides stand for each other.
        ("舟は空のときだけ沈む。", "It sinks only if the boat isn't empty.", "en", "isn't"),
        ("錨を持たない舟を運べます。", "It can't carry a boat without an anchor.", "en", "can't"),
        ("使わなかった硬貨は失われる。", "Unspent coins are not lost.", "en", "not"),
        (
            "It returns when you become the captain.",
            "船長でなくなったときに戻る。",
            "ja",
            "船長でなくなっ",
        ),
    ],
)
def test_the_opposite_is_found(store: Store, source: str, target: str, to: str, wrong: str) -> None:
    problems = checked(store, source, target, to=to).problems
    found = [problem.text for problem in problems if problem.kind == "opposite"]
    assert found == [wrong]


@pytest.mark.parametrize(
    ("source", "target", "to"),
    [
        ("舟は満潮のときにしか航行できない。", "The boat can sail at high tide only.", "en"),
        (
            "The boat can’t sail unless the tide is up.",
            "舟は潮が満ちていなければ航行できない。",
            "ja",
        ),
        ("舟は1つだけ運べる。", "The boat can carry no more than one.", "en"),
        ("You must raise it before you sail.", "上げるまで航行できない。", "ja"),
        ("航行してもかまわない。", "It may sail.", "en"),
        ("まず、舟が進む。", "First, the boat goes on.", "en"),
        ("It stops unless it is lit.", "ともしてあれば別だが、それは止まる。", "ja"),
        (
            "何枚払ってもかまいませんが、舟は航行できません。",
            "Pay any number, but no boat can sail.",
            "en",
        ),
        (
            "Every skipper must pass before it sails.",
            "全員がパスしないかぎり、舟は航行できません。",
            "ja",
        ),
        ("最後に沈んだ舟から上げる。", "The boat that sank last is raised first.", "en"),
        ("同じ名前の舟は並べられない。", "All boats must have different names.", "en"),
        ("それは誰にもできない。", "Nobody can do it.", "en"),
        ("自分の舟も例外ではありません。", "That is so of your own boat, too.", "en"),
        (
            "舟でも錨でもないので、ともせない。",
            "It can't be lit, being neither boat nor anchor.",
            "en",
        ),
        ("それを待っても問題ありません。", "It's fine if you wait for it.", "en"),
        ("探してもよいし、探さなくてもかまいません。", "You may look, or decline to.", "en"),
        ("An unhappy captain may wait.", "満足できない船長は待ってもかまいません。", "ja"),
        ("Q. 待ってもかまいませんか。 A. かまいません。", "Q. May I wait? A. By all means.", "en"),
        ("Waiting isn't sailing.", "待つことは航行とは違います。", "ja"),
        ("沈んだ舟には手を出せません。", "Sunken boats are out of reach.", "en"),
        ("It doesn't need to be lit.", "ともさなくてもかまいません。", "ja"),
        ("The boats on either side sail.", "両脇の舟が航行する。", "ja"),
        ("Raise any boat that sank.", "沈んだ舟をすべて上げる。", "ja"),
        ("いずれかの舟が沈むと、各船長が待つ。", "If any boat sinks, each captain waits.", "en"),
        ("All boats wait, whatever sinks.", "どれかが沈んでも、舟はすべて待つ。", "ja"),
        ("It stays lit at all times.", "いずれかのときも、それはともっている。", "ja"),
        ("待ちすぎると沈みます。", "Be careful not to wait, or it sinks.", "en"),
    ],
)
def test_what_is_denied_in_other_words_is_no_opposite(
    store: Store, source: str, target: str, to: str
) -> None:
    assert "opposite" not in kinds(checked(store, source, target, to=to))


@pytest.mark.parametrize(
    ("source", "target", "to", "wrong"),
    [
        ("硬貨を8枚以上払う。", "Pay more than eight coins.", "en", "more than eight"),
        ("Pay no more than two coins.", "硬貨を2枚以上払う。", "ja", "2枚以上"),
        ("ちょうど{2}を払う。", "Pay exactly {1}.", "en", "{1}"),
        ("硬貨を払う。", "Pay half of the coins.", "en", "half"),
        ("上限は15枚です。", "It holds at least 15 coins.", "en", "at least 15"),
        ("1ターンに1回だけともす。", "It is lit twice per turn.", "en", "twice"),
        ("それ以上の値のものを払う。", "Pay one of a value greater than it.", "en", "greater than"),
        ("舟は錨の数以上になる。", "It has more boats than anchors.", "en", "more boats than "),
        ("Carry no more than two crates.", "木箱を3つまで運ぶ。", "ja", "3"),
        ("13時から18時まで。", "From 1 p.m. to 8 p.m.", "en", "8 p.m."),
        (
            "Its cost is equal to or greater than that.",
            "コストがそれ以下の舟。",
            "ja",
            "それ以下",
        ),
        ("It is equal to or greater than its value.", "値より大きい。", "ja", "より大き"),
    ],
)
def test_a_turned_limit_another_symbol_and_a_half_are_found(
    store: Store, source: str, target: str, to: str, wrong: str
) -> None:
    [problem] = checked(store, source, target, to=to).problems
    assert (problem.kind, problem.text) == ("number", wrong)


@pytest.mark.parametrize(
    ("source", "target", "to"),
    [
        ("硬貨を3枚以上払う。", "Pay more than two coins.", "en"),
        ("40枚以上60枚以下を払う。", "Pay 40 to 60 coins.", "en"),
        ("It begins at 6:30 p.m.", "18時30分に始まる。", "ja"),
        ("午後1時から6時まで。", "From 13:00 to 6 p.m.", "en"),
        ("2人がそれぞれ払う。", "Each of you pays.", "en"),
        ("4枚までしか払えない。", "Nobody can't pay more than four coins.", "en"),
        ("始め方と終え方を述べる。", "Two things are told: how to begin, and how to end.", "en"),
    ],
)
def test_limits_ranges_and_times_of_day_in_other_words_are_no_problem(
    store: Store, source: str, target: str, to: str
) -> None:
    assert "number" not in kinds(checked(store, source, target, to=to))


@pytest.mark.parametrize(
    ("source", "target", "wrong", "expected"),
    [
        (
            "Mira, Lamplighter waits.",
            "Mira, Helmswomanは待つ。",
            "Mira, Helmswoman",
            "Mira, Lamplighter",
        ),
        ("Light the lanterns.", "ランターンをともす。", "ランターン", "ランタン"),
        ("Light the Lantern.", "ランダンをともす。", "ランダン", "ランタン"),
    ],
)
def test_names_that_are_nearly_right_are_found(
    store: Store, source: str, target: str, wrong: str, expected: str
) -> None:
    problems = checked(store, source, target).problems
    assert (wrong, expected) in [(problem.text, problem.expected) for problem in problems]


def test_a_slip_is_found_although_the_name_is_there_too(store: Store) -> None:
    target = "A lantern lights another lanterm."
    problems = checked(store, "ランタンがランタンをともす。", target, to="en").problems
    assert [(one.kind, one.text) for one in problems] == [("spelling", "lanterm")]


def test_words_of_any_text_are_no_terms_that_are_asked_for(store: Store) -> None:
    more = (("if", "ja", "場合", "preferred"), ("if", "en", "if", "admitted"))
    assert kinds(checked(store, "If it sinks, wait.", "沈んだら待つ。", *more)) == []


def test_the_game_of_a_draft_is_what_it_names_or_what_other_games_lack(tmp_path: Path) -> None:
    pages = [Path(__file__).parent.parent.parent / "kb" / "sample"]
    kb.build(pages, tmp_path / "kb.db")
    draft = tmp_path / "draft.csv"
    with kb.open(tmp_path / "kb.db") as base:
        draft.write_text("遊戯王のデッキを切り直す。,Shuffle your deck.\n", "utf-8")
        assert base.check(draft).game == "ygo"
        draft.write_text("ライブラリーからカードを引く。,Draw a card from your library.\n", "utf-8")
        assert base.check(draft).game == "mtg"


def test_names_of_cards_in_quotation_marks(tmp_path: Path) -> None:
    rows = "カード名,英語\n雷神鳥,Thunderhen\n錨の番人,Anchor Warden\n"
    (tmp_path / "cards.csv").write_text(rows, "utf-8")
    (tmp_path / "terms.csv").write_text("用語,英語\n錨,Anchor\n", "utf-8")
    draft = tmp_path / "draft.csv"
    draft.write_text(
        "source,target\n"
        '"""Thunderhen"" sinks a boat.",《錨の番人》は舟を沈める。\n'
        '"""Anchor Warden"" waits.",《錨の番人》は待つ。\n'
        '"""Anchor Lifter"" waits.",《重い鎖》は待つ。\n',
        "utf-8",
    )
    kb.build(tmp_path / "cards.csv", tmp_path / "kb.db", game="harbour", names="cards")
    kb.build(tmp_path / "terms.csv", tmp_path / "kb.db", game="harbour", names="terms", add=True)
    with kb.open(tmp_path / "kb.db") as base:
        problems = base.check(draft, game="harbour").problems
        found = [(one.segment, one.kind, one.text, one.expected) for one in problems]
    assert found == [("1", "card-name", "錨の番人", "雷神鳥")]  # the anchor is part of a name


LONG = "舟は木箱を最大3つまで運ぶ。沈んだ舟の錨は失われ、船長はランタンを消してもよい。"


@pytest.mark.parametrize(
    ("target", "percent"),
    [("A boat carries up to three crates.", "39 %"), ("A boat carries crates, or none.", "36 %")],
)
def test_a_sentence_that_is_left_out(store: Store, target: str, percent: str) -> None:
    [problem] = [
        one for one in checked(store, LONG, target, to="en").problems if one.kind == "missing-text"
    ]
    assert percent in problem.message and "1 of 2 sentences" in problem.message


def test_a_terse_translation_of_all_sentences_lacks_no_text(store: Store) -> None:
    target = "A boat holds three crates. Lost anchors sink; lanterns may go out."
    assert "missing-text" not in kinds(checked(store, LONG, target, to="en"))


@pytest.mark.parametrize(
    ("source", "target", "wrong"),
    [
        (
            "運ぶのは舟である。ランタンは決して運ばれない。",
            "Only a lantern carries. A boat is never carried.",
            "lantern",
        ),
        (
            "舟には灯りがないが、ランタンにはある。",
            "A lantern has no light, but a boat has.",
            "lantern",
        ),
    ],
)
def test_two_terms_that_are_exchanged(store: Store, source: str, target: str, wrong: str) -> None:
    [problem] = [
        one
        for one in checked(store, source, target, to="en").problems
        if one.kind == "merged-terms"
    ]
    assert (problem.text, problem.expected) == (wrong, "boat")


def test_terms_in_another_order_within_a_sentence_are_not_exchanged(store: Store) -> None:
    found = checked(
        store,
        "舟がランタンを運ぶ。錨は待つ。",
        "The lantern is on a boat. The anchor waits.",
        to="en",
    )
    assert "merged-terms" not in kinds(found)


def test_a_word_in_an_everyday_phrase_is_no_term(store: Store) -> None:
    """`die` in `die roll` is another word than the game's."""
    more = ("die", "en", "die", "preferred"), ("die", "ja", "沈没", "preferred")
    found = checked(store, "コイン投げに勝つ。", "Win the die roll, or roll a die.", *more, to="en")
    assert "merged-terms" not in kinds(found)


def test_a_number_in_brackets_may_be_that_of_the_book_in_the_other_language(tmp_path: Path) -> None:
    books = {("20250101", "en"): EN, ("20240101", "ja"): f"{JA}103.9. ランタンは高い。\n"}
    kb.build([write_books(tmp_path / "books", books)], tmp_path / "kb.db")
    with Store(tmp_path / "kb.db") as store:
        [found] = checked(store, "A boat sinks (103.1).", "舟は沈む(103.9)。").problems
    assert (found.kind, found.text) == ("rule-number", "103.9")


def test_the_game_that_numbers_and_names_fit_is_taken_and_a_guess_is_said(tmp_path: Path) -> None:
    draft = tmp_path / "draft.md"
    with kb.sample() as base:
        draft.write_text(
            "301.4. ランタンを暗転するとは、その持ち主の次の黄昏より前に点火できる。\n\n"
            "303.1b 最後のランタンが消えたプレイヤーはゲームに勝利する。\n",
            "utf-8",
        )
        found = base.check(draft)
        assert found.game == "lanterns" and found.counts["opposite"] == 2
        assert not any(reason.code == "game_guessed" for reason in found.held_against)
        draft.write_text("The weather was fine.\n\nThen the train left, and we slept.\n", "utf-8")
        assert base.check(draft).held_against[0].code == "game_guessed"
        assert base.check(draft, game="mtg").held_against[0].code != "game_guessed"
