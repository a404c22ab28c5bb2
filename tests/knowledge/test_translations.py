"""Rules, headings and glosses in several languages are joined; aligned rules propose names."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

import kb
from graphs.model import Edge, Label
from graphs.writing.names_and_merges import NodeName
from graphs.writing.rules import StatedRule
from kb.knowledge.translations.aligned_texts import AlignedText
from kb.knowledge.translations.proposed_names import proposed_names
from kb.knowledge.translations.translations import (
    AlignedRules,
    HeadingPair,
    TermNames,
    comparable_rules,
    labels_by_headings,
    renumbered_headings,
    translations,
)
from kb.language.fold import fold
from kb.language.tokens import tokenizer
from tests.bilingual_books import GLOSSARY, ROWS, book, english, japanese
from tests.building.test_build import exported
from tests.commands import run
from tests.conftest import ROOT
from tests.rulebooks import write_books
from tests.timing import grows_linearly

DAY = "20260116"
Books = Mapping[tuple[str, str], str]


def edition(lang: str, number: str, day: str = DAY) -> str:
    return f"harbour/cr/{day}/{lang}/{number}"


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Books], kb.KnowledgeBase]:
    """Builds rulebooks, each set once, and opens the base."""
    known: dict[tuple[tuple[tuple[str, str], str], ...], kb.KnowledgeBase] = {}

    def built(books: Books) -> kb.KnowledgeBase:
        key = tuple(books.items())
        if key not in known:
            folder = tmp_path_factory.mktemp("books")
            kb.build([write_books(folder / "books", books)], folder / "x.db", workers=1)
            known[key] = kb.open(folder / "x.db")
        return known[key]

    return built


@pytest.fixture(scope="module")
def harbour(build: Callable[[Books], kb.KnowledgeBase]) -> kb.KnowledgeBase:
    return build({(DAY, "ja"): japanese(), (DAY, "en"): english()})


def translates(base: kb.KnowledgeBase) -> list[Edge]:
    sources = [node.id for kind in ("rule", "term", "passage") for node in base.nodes(kind)]
    return base._store.edges(sources, "out", ["translates"])


def details(edge: Edge) -> Mapping[str, Any]:
    assert edge.details is not None
    return edge.details


def evidence(edge: Edge) -> str:
    assert edge.evidence is not None and edge.evidence.text is not None
    return edge.evidence.text


def by_basis(base: kb.KnowledgeBase, basis: str) -> list[Edge]:
    return [edge for edge in translates(base) if details(edge)["basis"] == basis]


def labels(base: kb.KnowledgeBase, name: str) -> list[tuple[str, str, str]]:
    """The (language, name, role) of the labels of the term that has a name."""
    [found] = [
        node.labels
        for node in base.nodes("term")
        if any(label.text == name for label in node.labels)
    ]
    return [(label.lang, label.text, label.role) for label in found]


def all_labels(base: kb.KnowledgeBase) -> list[Label]:
    return [label for node in base.nodes("term") for label in node.labels]


# -- rules, headings, glosses -----------------------------------------------------------------


def test_each_rule_of_one_number_is_joined(harbour: kb.KnowledgeBase) -> None:
    found = {
        (edge.source, edge.target) for edge in translates(harbour) if "/cr/" in edge.source[:12]
    }
    assert found == {(edition("en", number), edition("ja", number)) for number, _, _ in ROWS}
    headings = {edge.source for edge in by_basis(harbour, "same heading")}
    assert headings == {edition("en", n) for n in ("1", "101", "102", "103", "104")}


def test_both_sides_are_evidence(harbour: kb.KnowledgeBase) -> None:
    """The span of the source is the edge's evidence, that of the target stands in its details."""
    of_number = {number: (ja, en) for number, ja, en in ROWS}
    edges = list(translates(harbour))
    assert edges
    for edge in edges:
        passage = harbour._store.node(details(edge)["target_passage"])
        assert passage and passage.text
        target = passage.text[details(edge)["target_start"] : details(edge)["target_end"]]
        if details(edge)["basis"] == "proposed":
            assert fold(target) == fold(details(edge)["name"])
            assert evidence(edge).casefold() in ("anchor", "hold", "sail")
        else:
            assert (target, evidence(edge)) == of_number[edge.source.rpartition("/")[2]]


def test_glosses_of_one_headword_are_joined(build: Callable[[Books], kb.KnowledgeBase]) -> None:
    ja = book("ja", [(n, ja) for n, ja, _ in ROWS], {"嵐/Storm": "風の吹くラウンド。"})
    base = build({(DAY, "ja"): ja, (DAY, "en"): english()})
    [edge] = by_basis(base, "same headword")
    assert evidence(edge).endswith(GLOSSARY["Storm"])
    target = base._store.node(edge.target or "")
    assert target and target.text and target.text.endswith("風の吹くラウンド。")
    assert details(edge)["target_end"] == len(target.text)


def test_every_two_of_three_languages_are_joined(
    build: Callable[[Books], kb.KnowledgeBase],
) -> None:
    zh = book("zh", [("1", "基础"), ("101", "货物"), ("101.1", "货物放在船舱里。")])
    base = build({(DAY, "ja"): japanese(), (DAY, "en"): english(), (DAY, "zh"): zh})
    found = {
        (edge.source, edge.target)
        for edge in translates(base)
        if edge.source.endswith("/101.1") and "/cr/" in edge.source
    }
    assert found == {
        (edition(one, "101.1"), edition(other, "101.1"))
        for one, other in (("en", "ja"), ("en", "zh"), ("ja", "zh"))
    }
    assert ("ja", "船倉", "proposed") in labels(base, "Hold")


def test_rules_of_two_editions_are_not_joined(build: Callable[[Books], kb.KnowledgeBase]) -> None:
    base = build({(DAY, "ja"): japanese(), ("20251031", "en"): english()})
    assert translates(base) == []
    assert not [label for label in all_labels(base) if label.role == "proposed"]


# -- names that headings state ------------------------------------------------------------------


def test_headings_of_one_rule_merge_terms(harbour: kb.KnowledgeBase) -> None:
    assert set(labels(harbour, "沈没処理")) == {
        ("ja", "沈没処理", "preferred"), ("en", "Sinking-Based Duties", "preferred"),
    }  # fmt: skip
    assert ("en", "Storm", "preferred") in labels(harbour, "嵐")


def test_a_heading_behind_a_citation_names_a_rule_of_the_other_language(
    build: Callable[[Books], kb.KnowledgeBase],
) -> None:
    rules = [(number, ja) for number, ja, _ in ROWS if not number.startswith("103")]
    rules += [("105", "終わり"), ("105.1", "終わりに、rule 103〔航海の図面〕を見よ。")]
    glossary = {"Charts": "Paper with the coast on it."}
    base = build({(DAY, "ja"): book("ja", rules), (DAY, "en"): english(glossary=glossary)})
    assert ("ja", "航海の図面", "preferred") in labels(base, "Charts")


def test_a_sentence_is_no_name(build: Callable[[Books], kb.KnowledgeBase]) -> None:
    """The first rules of a chapter may have no heading, but a sentence each."""
    base = build({(DAY, "ja"): japanese(), (DAY, "en"): english()})
    names = {label.text for label in all_labels(base)}
    assert not names & {text for _, ja, en in ROWS for text in (ja, en) if text[-1] in "。."}


# -- names that are only proposed ----------------------------------------------------------------


def test_names_are_proposed(harbour: kb.KnowledgeBase) -> None:
    proposed = {
        (edge.source, details(edge)["name"]): edge for edge in by_basis(harbour, "proposed")
    }
    assert {name for name in proposed if name[0].startswith("harbour/term/")} == {
        ("harbour/term/Anchor", "錨"), ("harbour/term/Hold", "船倉"), ("harbour/term/Sail", "帆"),
    }  # fmt: skip
    said = details(proposed["harbour/term/Hold", "船倉"])
    assert said["measure"] == "log-likelihood ratio"
    assert (said["both"], said["of"]) == (5, 5) and said["score"] > 10
    assert len(said["passages"]) == 3 and said["target_passage"] in said["passages"]
    assert ("ja", "船倉", "proposed") in labels(harbour, "Hold")


def test_proposed_names_are_kept_apart(harbour: kb.KnowledgeBase) -> None:
    """They are found, and are no name by which anything else is found or merged."""
    shown = harbour.show("船倉")
    assert [node.id for node in shown] == ["harbour/term/Hold"]
    said = "船倉 is taken for Hold (proposed by aligned rules; no page says so)"
    assert [str(reason) for reason in shown.taken_as] == [said]
    assert not harbour.show("Hold").taken_as
    found = harbour.path("船倉", "Hold")
    assert found.costs == (0,) and found.taken_as == shown.taken_as
    assert {node.id for node in harbour._store.terms(None, None, "ja")} == {
        f"harbour/term/{name}" for name in ("基礎", "積み荷", "沈没処理", "海図", "嵐")
    }
    mentioned = [
        edge.evidence.text
        for term in harbour.nodes("term")
        for edge in harbour.refs(term.id, direction="in", kinds=["mentions"]).edges
        if edge.evidence
    ]
    assert "嵐" in mentioned and not {"船倉", "帆", "錨"} & set(mentioned)
    assert not harbour._store.edges(["harbour/term/Hold"], "both", ["same_concept"])


def test_what_is_nobodys_term_is_not_proposed(harbour: kb.KnowledgeBase) -> None:
    """航海士 and navigator go together more often than anything else."""
    assert not [label for label in all_labels(harbour) if label.text == "航海士"]


def test_a_name_that_pages_state_is_not_proposed(
    build: Callable[[Books], kb.KnowledgeBase],
) -> None:
    ja = book("ja", [(n, ja) for n, ja, _ in ROWS], {"船倉/Hold": "積み荷の場所。"})
    base = build({(DAY, "ja"): ja, (DAY, "en"): english()})
    assert ("ja", "船倉", "preferred") in labels(base, "Hold")
    assert {details(edge)["name"] for edge in by_basis(base, "proposed")} == {"錨", "帆"}


def texts(*pairs: tuple[str, str], times: int = 3) -> list[AlignedText]:
    return [AlignedText(f"j{n}", f"e{n}", *pair) for n, pair in enumerate(pairs * times)]


def proposals(pairs: Iterable[AlignedText], *names: str) -> set[tuple[str, str]]:
    found = proposed_names(pairs, names, (), (), tokenizer())
    return {(name.english, name.japanese) for name in found}


OTHERS = (("鳥は飛ぶ。", "A bird flies."), ("魚は泳ぐ。", "A fish swims."), ("終わる。", "End."))


def test_a_verb_is_proposed_in_its_dictionary_form() -> None:
    drawing = ("札を引いた。", "She drew it: draw a card."), ("引いてよい。", "You may draw.")
    assert ("Draw", "引く") in proposals(texts(*drawing, *OTHERS), "Draw")


def test_what_explains_one_name_is_no_evidence_for_another() -> None:
    """呪文 goes with every spell; what is left for the caster is 使い手."""
    pairs = texts(
        ("使い手が呪文を見る。", "The caster sees the spell."),
        ("呪文が消える。", "The spell vanishes."),
        ("使い手が呪文を選ぶ。", "The caster picks the spell."),
        *OTHERS,
    )
    assert {("Spell", "呪文"), ("Caster", "使い手")} <= proposals(pairs, "Spell", "Caster")


def test_a_heading_that_is_translated_in_several_ways_names_nothing() -> None:
    pairs = [
        HeadingPair("g", "1", number, one, other, f"j{number}", f"e{number}")
        for number, one, other in (
            ("100", "原則", "General"), ("200", "総則", "General"), ("300", "帆", "Sails")
        )
    ]  # fmt: skip
    names = TermNames(
        NodeName(f"g/term/{text}", "en", "preferred", fold(text), text)
        for text in ("General", "Sail")
    )
    labels = labels_by_headings(pairs, names)
    assert [(label.node, label.lang, label.text) for label in labels] == [
        ("g/term/Sail", "ja", "帆")
    ]


def test_a_heading_of_the_newest_edition_names_a_term() -> None:
    pairs = [
        HeadingPair("g", edition, number, ja, en, f"j{edition}{number}", f"e{edition}{number}")
        for edition, number, ja, en in (
            ("20200101", "1", "帆", "Canvas"), ("20230101", "1", "帆", "Sails"),
            ("20200101", "2", "旗", "Flags"), ("20230101", "2", "旗", "FLAGS"),
        )
    ]  # fmt: skip
    names = TermNames(
        NodeName(f"g/term/{text}", "ja", "preferred", fold(text), text) for text in ("帆", "旗")
    )
    labels = labels_by_headings(pairs, names)
    assert [(label.node, label.text) for label in labels] == [
        ("g/term/帆", "Sails"), ("g/term/旗", "Flags"),
    ]  # fmt: skip


def test_numbers_are_no_names() -> None:
    pairs = texts(("3枚見る。", "See three cards."), ("3枚取る。", "Take three cards."), *OTHERS)
    assert not [name for name in proposals(pairs, "Three", "Cards") if "3" in name[1]]


def test_a_noun_that_stands_in_longer_names_alone_is_none() -> None:
    """旗艦 is 旗艦長 and 旗艦隊 in all rules: what is not said alone translates nothing alone."""
    pairs = texts(
        ("旗艦長が見る。", "The captain looks."),
        ("旗艦隊が進む。", "The squadron goes."),
        ("旗艦長が旗艦隊を見る。", "The captain sees a squadron."),
        *OTHERS,
    )
    found = proposals(pairs, "Captain", "Squadron")
    assert found == {("Captain", "旗艦長"), ("Squadron", "旗艦隊")}


@pytest.mark.parametrize(("homonyms", "expected"), [((), set()), ([("draw",)], {("Draw", "引分")})])
def test_a_second_name_needs_much_unless_another_term_of_the_name_has_none(
    homonyms: list[tuple[str, ...]], expected: set[tuple[str, str]]
) -> None:
    pairs = texts(("札を引く。", "Draw a card."), *OTHERS, times=20)
    pairs += texts(("引分で終わる。", "It ends in a draw."), times=4)
    known = [("引く", "Draw")]
    found = proposed_names(pairs, ["Draw"], (), known, tokenizer(), homonyms=homonyms)
    assert {(name.english, name.japanese) for name in found} == expected


def test_articles_within_a_name_are_ignored() -> None:
    pairs = texts(("札を失う。", "He loses the card."), ("敗れる。", "Lose the game."), *OTHERS)
    assert ("Lose the Game", "敗れる") in proposals(pairs, "Lose the Game")


def test_a_verb_and_its_noun_are_one() -> None:
    pairs = texts(
        ("船が負ける。", "A ship loses."), ("負けとする。", "Lose."),
        ("船が沈む。", "Ships sink."), *OTHERS,
    )  # fmt: skip
    [found] = proposed_names(pairs, ["Lose"], (), (), tokenizer())
    assert (found.japanese, found.both, found.of) == ("負ける", 6, 6)


def test_who_does_something_is_told_from_what_is_done() -> None:
    pairs = texts(
        ("攻撃者が見る。", "The attacker looks."), ("攻撃する。", "It attacks."), *OTHERS
    )  # fmt: skip
    found = proposals(pairs, "Attacker", "Attack")
    assert found == {("Attacker", "攻撃者"), ("Attack", "攻撃")}


def test_a_name_may_be_joined_by_no() -> None:
    pairs = texts(
        ("船首の旗を見る。", "See the bow flag."), ("船首の旗が立つ。", "A bow flag stands."),
        ("旗を取る。", "Take a flag."), *OTHERS,
    )  # fmt: skip
    assert ("Bow Flag", "船首の旗") in proposals(pairs, "Bow Flag", "Flag")


@pytest.mark.parametrize("name", ["For Free", "Under", "In Play"])
def test_what_begins_with_a_preposition_is_given_no_noun(name: str) -> None:
    pairs = texts(("無料で代価を払う。", f"Pay it {name.lower()}."), *OTHERS)
    assert proposals(pairs, name) == set()


def test_symbols_in_brackets_are_no_part_of_a_name() -> None:
    pairs = texts(("攻撃力を見る。", "See its strength."), *OTHERS)
    assert proposals(pairs, "Strength {S}") == {("Strength {S}", "攻撃力")}


# -- what people read -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ref", "expected"),
    [
        ("Hold", ("Translates 1 proposed name", "proposed: together in 5 of 5 rules", "船倉に")),
        ("104.3 --lang en", ("104.3 嵐", "嵐は船倉を空にする。")),
        ("104.3 --lang ja", ("104.3 Storms", "A storm empties each hold.")),
    ],
)
def test_refs_says_what_the_other_language_has(
    harbour: kb.KnowledgeBase, ref: str, expected: tuple[str, ...]
) -> None:
    command = ["refs", *ref.split(), "--kind", "translates", "--kb", str(harbour.file)]
    done = run(*command)
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert all(part in said for part in expected), said


# -- chapters that are numbered differently --------------------------------------------------


def chapter(shift: int, size: int = 8) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """A chapter of eight headings, of which the second language begins with a later one."""
    ja, en = list(ANIMALS), list(ANIMALS.values())
    one: list[tuple[str, str]] = [("2", "生き物")]
    other: list[tuple[str, str]] = [("2", "Animals")]
    for n in range(size):
        at = (n + shift) % size
        one += [(f"20{n}", f"{ja[n]}の話"), (f"20{n}.1", f"{ja[n]}は{ja[n]}を見る。")]
        other += [(f"20{n}", f"About {en[at]}"), (f"20{n}.1", f"A {en[at]} sees a {en[at]}.")]
    return one, other


ANIMALS = dict(
    zip("鯨鮫亀蟹蛸鷲狐熊", "Whale Shark Turtle Crab Octopus Eagle Fox Bear".split(), strict=True)
)
SURE = book("ja", [("1", "名")], {f"{ja}/{en}": "生き物。" for ja, en in ANIMALS.items()})


@pytest.mark.parametrize("shift", [0, 1, 2])
def test_a_chapter_that_is_numbered_differently_is_left_out(
    build: Callable[[Books], kb.KnowledgeBase], shift: int
) -> None:
    """Its neighbours are not. The names are known by an older edition."""
    one, other = chapter(shift)
    ja = book("ja", [*((n, ja) for n, ja, _ in ROWS), *one])
    en = book("en", [*((n, en) for n, _, en in ROWS), *other], GLOSSARY)
    base = build({(DAY, "ja"): ja, (DAY, "en"): en, ("20240101", "ja"): SURE})
    sources = {edge.source.rpartition("/")[2] for edge in translates(base)}
    assert {number for number, _, _ in ROWS} <= sources
    for number in ("203", "203.1", "207"):
        assert (number in sources) is (shift == 0)


# -- a second build --------------------------------------------------------------------------


def same_as_fresh(folder: Path, path: Path) -> None:
    """Build again; the graph is that of a build from nothing."""
    kb.build([folder], path, workers=1, replace=True)
    fresh = path.with_name("fresh.db")
    fresh.unlink(missing_ok=True)
    kb.build([folder], fresh, workers=1)
    assert exported(path) == exported(fresh)


def test_updates_give_what_a_fresh_build_gives(tmp_path: Path) -> None:
    path, folder = tmp_path / "x.db", tmp_path / "books"
    both = {(DAY, "en"): english(), (DAY, "ja"): japanese()}
    write_books(folder, {(DAY, "en"): english()})
    kb.build([folder], path, workers=1)
    write_books(folder, both)  # a second language
    same_as_fresh(folder, path)
    assert "proposed" in exported(path) and "沈没処理" in exported(path)
    rows = [(n, ja.replace("船倉", "船底"), en) for n, ja, en in ROWS]
    write_books(folder, both | {(DAY, "ja"): japanese(rows)})  # other rules
    same_as_fresh(folder, path)
    assert "船倉" not in exported(path) and "船底" in exported(path)
    rows = [(n, "難破処理" if n == "102" else ja, en) for n, ja, en in ROWS]
    write_books(folder, both | {(DAY, "ja"): japanese(rows)})  # another heading
    same_as_fresh(folder, path)
    (folder / f"harbour.{DAY}.ja.txt").unlink()  # one language alone
    write_books(folder, {(DAY, "en"): english()})
    same_as_fresh(folder, path)
    assert "translates" not in exported(path)


BUILD = """
import sys, kb, kb.worker_pool
kb.worker_pool.MIN_BYTES_FOR_WORKERS = 0
if __name__ == "__main__":
    kb.build([sys.argv[1]], sys.argv[2], workers=1 + int(sys.argv[3]))
"""


@pytest.mark.slow
def test_any_number_of_workers_and_any_order_of_hashes(tmp_path: Path) -> None:
    folder = write_books(tmp_path / "b", {(DAY, "ja"): japanese(), (DAY, "en"): english()})
    kb.build([folder], tmp_path / "one.db", workers=1)
    for seed in ("0", "1"):
        command = [sys.executable, "-c", BUILD, str(folder), str(tmp_path / f"{seed}.db"), seed]
        environment = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run(command, check=True, env=environment, cwd=ROOT, timeout=60)
        assert exported(tmp_path / f"{seed}.db") == exported(tmp_path / "one.db")


# -- hostile rules ---------------------------------------------------------------------------


def rule(number: str, lang: str, text: str, heading: str = "") -> StatedRule:
    passage = f"rulebook/{lang}/{number}"
    node = edition(lang, number)
    return StatedRule(
        node, "harbour", DAY, number, lang, heading, passage, text, 0, len(text)
    )  # fmt: skip


def name(text: str, lang: str) -> NodeName:
    return NodeName(f"harbour/term/{text}", lang, "preferred", fold(text), text)


def work(rows: Iterable[tuple[str, str, str, str]], names: Iterable[NodeName]) -> int:
    """How many edges there are of (number, heading, Japanese text, English text)."""
    known = list(names)
    groups = tuple(
        (rule(n, "en", en, heading), rule(n, "ja", ja, heading)) for n, heading, ja, en in rows
    )
    comparable = comparable_rules(AlignedRules(groups, ()), known, tokenizer())
    return len(translations(comparable.groups, known, tokenizer()).edges)


CAT = [name("Cat", "en"), name("猫", "ja")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("japanese_unit", "english_unit"),
    [("猫", "cat "), ("猫、", "cat, "), ("猫を引く。", "Draw a cat. "), ("カ", "a"), ("の", "\n")],
)
def test_a_rule_of_a_megabyte(japanese_unit: str, english_unit: str) -> None:
    def edges(size: int) -> int:
        ja, en = (unit * (size // len(unit)) for unit in (japanese_unit, english_unit))
        return work([("1", "", ja, en), ("2", "", "猫", "cat")], CAT)

    assert grows_linearly(edges, 500_000)


@pytest.mark.parametrize(
    ("heading", "ja", "en"),
    [
        ("", "猫と犬と山と川", "cat dog hill river"),
        ("x", "{}番目の猫と{}番目の犬", "cat {} and dog {}"),
        ("", "猫{}を引く。", "Draw cat {}."),
    ],
)
def test_thousands_of_rules(heading: str, ja: str, en: str) -> None:
    def rows(size: int) -> int:
        each = (
            (f"1.{n}", heading, ja.replace("{}", str(n)), en.replace("{}", str(n)))
            for n in range(size)
        )
        return work(each, [*CAT, name("Dog", "en")])

    assert grows_linearly(rows, 400)


def test_thousands_of_terms_of_one_name() -> None:
    """Cat 1, Cat 2 … have one name but for the number; which is meant, nobody can tell."""
    terms = [name(f"Cat {n}", "en") for n in range(500)]
    rows = [(str(n), "", f"猫{n}を引く。", f"Draw cat {n}.") for n in range(30)]
    assert work(rows, terms) == len(rows)


def test_thousands_of_headings_are_compared_with_those_near_them() -> None:
    def rows(size: int) -> object:
        groups = [
            (rule(f"1.{n}", "en", f"cat dog {n}", "x"), rule(f"1.{n}", "ja", f"猫犬{n}", "x"))
            for n in range(size)
        ]
        return renumbered_headings(groups, [("猫", "cat"), ("犬", "dog")] * 50)

    assert grows_linearly(rows, 200)


def test_books_of_near_dates_translate_each_other(tmp_path: Path) -> None:
    """A publisher dates a translation by its own day: of a language without any edition of another
    one's date the newest that has nearly the same rules is aligned with it."""
    numbers = [f"{n // 10 + 1}.{n % 10 + 1}" for n in range(60)]

    def text(words: str, lengths: Iterable[int]) -> str:
        rules = (f"{n}. {words * length}" for n, length in zip(numbers, lengths, strict=True))
        return "\n\n".join(["1. A", *rules])

    lengths = [n % 7 + 1 for n in range(60)]
    unlike = [(n * n) % 11 + 1 for n in range(60)]
    for name, theirs in (("near", lengths), ("other", unlike)):
        books = {
            ("20250301", "en"): text("A ship sails to a port. ", lengths),
            ("20250415", "ja"): text("船は港へ行く。", theirs),
        }
        kb.build([write_books(tmp_path / name, books)], tmp_path / f"{name}.db")
        with kb.open(tmp_path / f"{name}.db") as base:
            [rule] = base.show("1.5", lang="en").matches
            joined = len(base.show(rule.rule).matches)
            edges = base.refs(rule, kinds="translates").edges
        assert (len(edges), joined) == ((1, 2) if theirs is lengths else (0, 1))
