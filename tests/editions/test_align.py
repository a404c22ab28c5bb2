"""Rules in two languages: which are paired, which differences are problems; the page of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path

import pytest

import kb
from kb.cli.render.output import cell_width
from kb.rules.rules_across_languages import near_translations, translated_rules
from tests.commands import run
from tests.rulebooks import base_of, build_books, rulebook

ENGLISH = """Harbour Comprehensive Rules

Introduction

This book is for sailors. It may change.

1. Ships

100. General

100.1. A ship is a card with a sail. See rule 201.

100.1a Two sails are one sail too many.

100.2. To draw is to take the top card of the deck. See rules 200.1–200.3.

100.3. A captain draws seven cards. This is rule 100.3 itself, of rule 100.

Example: A captain with rule 201.1 in mind draws two.

100.4. See rule 202.1.

100.5. Boats float.

2. Winds

200. Gales

200.1. A gale lasts three rounds.

200.2. The gale with <b>two</b> & more names is a "gale".

200.3. Nothing else.

201. Calms

201.1. See rule 200.1, and rule 200 as a whole.

201.2. A calm.

202. Cargo

202.1. Cargo is heavy.
"""
JAPANESE = """Harbour 総合ルール

0. はじめに

この本は船乗りのためのものである。変わることがある。

1. 船

100. 総則

100.1. 船とは帆のある札である。rule 201参照。

100.1.a 二枚の帆は一枚多い。

100.2. 引くとは、山札の一番上の札を取ることである。rule 200.1、rule 200.2、rule 200.3参照。

100.3. 船長は６枚引く。rule 201.1も見よ。

100.4. rule 202.2参照。

風

200. 強風

200.1. 強風は3ラウンド続く。

200.2. 二つ以上の名を持つ<script>alert(1)</script>強風を「強風」という。

200.3. ほかには何もない。

201. 凪

201.1. 強風についてはrule 200.1を参照。

201.3. 和文にだけある。

202. 荷

202.1. 荷は重い。
"""
PROBLEMS = {
    ("2", "unnumbered"): {"en": ("2",)},
    ("100.3", "numbers"): {"ja": ("6",), "en": ("7",)},
    ("100.4", "citations"): {"ja": ("202.2",), "en": ("202.1",)},
    ("100.5", "missing"): {"en": ("100.5",)},
    ("201.2", "missing"): {"en": ("201.2",)},
    ("201.3", "missing"): {"ja": ("201.3",)},
}


def build(folder: Path, books: Mapping[str, str], game: str = "harbour") -> Path:
    """Build a base of an edition in several languages."""
    build_books(folder, {("20250101", lang): text for lang, text in books.items()}, game).close()
    return folder / "kb.db"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The book in two languages."""
    return build(tmp_path_factory.mktemp("align"), {"en": ENGLISH, "ja": JAPANESE})


@pytest.fixture
def base(path: Path) -> Iterator[kb.KnowledgeBase]:
    with kb.open(path) as base:
        yield base


def test_problems_are_what_both_sides_could_have(base: kb.KnowledgeBase) -> None:
    found = base.align("ja", "en")
    assert {(one.number, one.kind): dict(one.only) for one in found.problems} == PROBLEMS
    backwards = base.align("en", "ja")
    assert {(one.number, one.kind) for one in backwards.problems} == set(PROBLEMS)


def test_every_rule_that_both_have_is_paired(base: kb.KnowledgeBase) -> None:
    """In whatever way its number is written, and where it has none."""
    found = base.align("ja", "en")
    texts = {pair.number: pair.texts for pair in found.pairs}
    assert texts["0"]["en"] == "Introduction\nThis book is for sailors. It may change."
    assert texts["2"] == {"ja": "風", "en": "Winds"}
    assert texts["100.4"]["ja"] == "rule 202.2参照。"
    assert texts["100.1.a"]["en"] == "Two sails are one sail too many."
    assert len(texts) == 17 and not found.not_loaded
    rows = [row.number for row in found.rows("harbour", "20250101")]
    assert rows.index("100.5") == rows.index("100.4") + 1 and len(rows) == 20


def test_spans_are_the_words_that_differ(base: kb.KnowledgeBase) -> None:
    found = base.align("ja", "en")
    texts = {pair.number: pair.texts for pair in found.pairs}
    words = {
        (one.number, lang): [texts[one.number][lang][start:end] for start, end in spans]
        for one in found.problems
        for lang, spans in one.spans.items()
    }
    assert words == {
        ("100.3", "ja"): ["６"],
        ("100.3", "en"): ["seven"],
        ("100.4", "ja"): ["rule 202.2"],
        ("100.4", "en"): ["rule 202.1"],
    }
    [missing] = [one for one in found.problems if one.number == "201.3"]
    assert missing.texts == {"ja": "和文にだけある。"}


def test_json_keeps_its_fields(path: Path) -> None:
    document = json.loads(run("align", "ja", "en", "--json", of=path).stdout)
    assert document["pairs"][0].keys() >= {"game", "edition", "number", "texts"}
    assert document["problems"][0].keys() >= {"number", "kind", "what", "only", "spans", "texts"}
    assert [one["share"] for one in document["loaded"]] == [0.9444, 1.0]


def test_a_list_of_citations_that_differs_in_form_alone(tmp_path: Path) -> None:
    english = {
        "100.1": "See rules 200.1–200.3.",
        "100.2": "See rules 200.1 and 200.2.",
        "100.3": "See rule 200.2.",
        "100.4": "See rule 200.2.",
    }
    japanese = {
        "100.1": "rule 200.1から200.3参照。",
        "100.2": "rule 200.2、rule 200.1参照。",
        "100.3": "200.2に従う。",
        "100.4": "rule 200参照。",
    }
    rest = {f"200.{n}": "A ship." for n in range(1, 4)}
    books = {
        lang: "Harbour Rules\n\n1. A\n\n100. B\n\n"
        + "\n\n".join(f"{n}. {text}" for n, text in (own | rest).items()).replace(
            "200.1. ", "2. C\n\n200. D\n\n200.1. "
        )
        for lang, own in (("en", english), ("ja", japanese))
    }
    with kb.open(build(tmp_path, books)) as base:
        problems = base.align("ja", "en").problems
    assert [(one.number, one.only["en"]) for one in problems] == [("100.4", ("200.2",))]


KEYWORDS = {  # the name and the rules of a keyword in English, and in Japanese
    "Anchor": (["An anchor holds a ship, whatever the wind may be.", "It weighs four."], None),
    "Bilge": (["The bilge takes water.", "A full bilge sinks the ship that has it at once; "
               "nothing that floats beside it is touched.", "See 10.3."],
              ["水を汲む所である。", "溜まると、それを持つ船はただちに沈む。"
               "隣に浮かぶものには何も起こらない。", "10.2参照。"]),
    "Compass": (["A compass points. While a ship has one, it may turn before it moves, once in "
                 "each round, and no storm carries it off."],
                ["羅針盤は方角を指す。これを持つ船は、各ラウンドに一度、動く前に向きを変えてよい。"
                 "嵐に流されることもない。"]),
    "Deck": (["Decks are washed.", "A washed deck is clean.", "Clean decks earn praise.",
              "Praise nine!", "All is well."],
             ["甲板は洗う。", "洗えばきれいになる。", "きれいな甲板は褒められる。", "褒めよ。"]),
}  # fmt: skip


def test_sections_that_a_translation_numbers_on(tmp_path: Path) -> None:
    def book(title: str, head: str, sections: list[tuple[str, list[str]]]) -> str:
        lines = [title, f"1. {head}", f"1.1. {head}.", f"10. {head}"]
        for n, (name, rules) in enumerate(sections, 1):
            lines.append(f"10.{n}. {name}")
            lines += [f"10.{n}.{m}. {rule}" for m, rule in enumerate(rules, 1)]
        return "\n\n".join(lines)

    general = ("General", ["Keywords are short.", "They stand for rules that are long."])
    there = ("総則", ["キーワードは短い。", "長いルールの代わりになる。"])
    english = [general, *((name, rules) for name, (rules, _) in KEYWORDS.items())]
    japanese = [there, *(("語" + name[0], own) for name, (_, own) in KEYWORDS.items() if own)]
    books = {"en": book("Harbour Rules", "Words", english), "ja": book("港ルール", "語", japanese)}
    with kb.open(build(tmp_path, books)) as base:
        found = base.align("ja", "en")
        backwards = base.align("en", "ja")
        of_either = base.align("ja", "en", rule="10.4")
        bilge = base.align("ja", "en", rule="Bilge")
        of_two = base.align("ja", "en", rule="10.2")
    # A person has the number of a rule in one of the languages, whichever.
    assert {pair.texts["en"] for pair in of_either} >= {"Compass", "Deck"}
    assert [pair.texts["en"] for pair in bilge][:1] == ["Bilge"]
    assert [one.kind for one in bilge.problems] == ["renumbered"]
    # The rule of that number in the second language is a row of its own.
    assert "is “語B” in Japanese, and “Anchor” in English" in str(of_two.also[0].reason)
    rows = [row for row in of_two.table().rows if row["number"] == "10.2"]
    assert [(row["ja"], row["en"]) for row in rows] == [("語B", "Bilge"), ("", "Anchor")]
    assert {pair.number: dict(pair.numbers) for pair in found if pair.number == "10.2"} == {
        "10.2": {"ja": "10.2", "en": "10.3"}
    }
    names = {pair.texts["ja"]: pair.texts["en"] for pair in found if pair.numbers}
    assert names["語B"] == "Bilge" and names["語C"] == "Compass" and names["語D"] == "Deck"
    assert {(one.number, one.kind) for one in found.problems} == {
        ("10.2", "renumbered"), ("10.3", "renumbered"), ("10.4", "renumbered"),
        ("10.2", "missing"), ("10.2.1", "missing"), ("10.2.2", "missing"), ("10.5.5", "missing"),
        ("10.4.4", "numbers"),
    }  # fmt: skip
    assert {one.number for one in backwards.problems if one.kind == "missing"} == {
        "10.2", "10.2.1", "10.2.2", "10.5.5",
    }  # fmt: skip
    page = _Page(run("align", "ja", "en", "--html", "-", of=tmp_path / "kb.db").stdout)
    ids = [one["id"] for _, one in page.tags if one.get("id")]
    assert len(ids) == len(set(ids))


def test_sections_of_equal_numbers_stay_together() -> None:
    """Where no other matching is far better; lengths alone prove little."""
    first = {f"1.{n}": f"name {n}" for n in range(1, 9)}
    first |= {f"1.{n}.{m}": "word " * (n * m % 7 + 3) for n in range(1, 9) for m in range(1, 4)}
    second = {number: text * 2 for number, text in first.items() if number[:3] != "1.8"}
    for one, other in ((first, second), (second, first)):
        pairs = translated_rules(one, other)
        assert [pair.number for pair in pairs] == list(second)
        assert all(pair.number == pair.other and pair.is_sure for pair in pairs)
    assert translated_rules({}, first) == []


# -- what is printed ----------------------------------------------------------------------------


def test_what_is_loaded_comes_first_and_then_the_problems(path: Path) -> None:
    lines = run("align", "ja", "en", of=path).stdout.splitlines()
    assert lines[0] == "harbour 20250101  rules loaded: Japanese 17 of 18 (94 %), English 18"
    assert lines[2:4] == [
        "3 missing rules, 1 heading without its number, 1 difference of citations, 1",
        "  difference of numbers",
    ]
    assert "  100.4  Japanese alone cites 202.2; English alone cites 202.1" in lines
    assert "  2      has no number in Japanese: 風 · Winds" in lines
    assert "  2 rules in English alone: 100.5, 201.2" in lines
    assert "17 pairs, 6 problems" in lines
    assert "A ship is a card" not in "\n".join(lines)
    assert max(cell_width(line) for line in lines if "sansho " not in line) <= 80
    assert "A ship is a card" in run("align", "ja", "en", "--pairs", of=path).stdout
    assert "A ship is a card" in run("align", "ja", "en", "--rule", "100.1", of=path).stdout


class _Page(HTMLParser):
    """The tags, ids and links of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_has_both_texts_side_by_side(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "rules.html"
    done = run("align", "ja", "en", "--html", str(file), of=path)
    assert done.exit_code == 0 and "side by side in" in done.stdout.replace("\n", " ")
    page = _Page(file.read_text("utf-8"))
    ids = [found["id"] for _, found in page.tags if found.get("id")]
    links = {found["href"] for tag, found in page.tags if tag == "a"}
    assert len(ids) == len(set(ids)) == 20
    assert {link.removeprefix("#") for link in links if link} == set(ids)
    assert {found.get("lang") for tag, found in page.tags if tag == "p"} >= {"ja", "en"}
    assert not {tag for tag, _ in page.tags} & {"script", "link", "img", "iframe"}
    text = "".join(page.texts)
    assert "94 %" in text and "Japanese alone cites 202.2" in text
    assert "和文にだけある。" in text and "not in English" in text


def test_text_of_a_rule_stays_text_on_the_page(path: Path) -> None:
    html = run("align", "ja", "en", "--html", "-", of=path).stdout
    assert html.startswith("<!DOCTYPE html>")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html and "<script" not in html
    assert "&lt;b&gt;" in html and "<b>two" not in html


def test_terms_are_marked_in_both_languages(tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    with base_of((), file) as base:
        [pair] = base.align("ja", "en", rule="121.6", marks=True).pairs[:1]
        assert not base.align("ja", "en", rule="121.6").pairs[0].marks
    marks = {
        lang: {(pair.texts[lang][one.start : one.end], one.kind) for one in found}
        for lang, found in pair.marks.items()
    }
    assert ("カードを引く", "term") in marks["ja"] or ("引く", "term") in marks["ja"]
    assert ("draw", "term") in marks["en"]
    html = run("align", "ja", "en", "--rule", "121.6", "--html", "-", of=file).stdout
    assert re.search(r'<span class="term" title="[^"]*draw', html, re.IGNORECASE)


def test_the_page_and_json_cannot_both_be_standard_output(path: Path) -> None:
    done = run("align", "ja", "en", "--html", "-", "--json", of=path)
    assert done.exit_code == 2 and "--html -" in done.stderr


def test_a_page_that_cannot_be_written_is_one_line(path: Path, tmp_path: Path) -> None:
    done = run("align", "ja", "en", "--html", str(tmp_path / "no" / "rules.html"), of=path)
    assert done.exit_code == 2 and len(done.stderr.splitlines()) == 1


# -- real rulebooks -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.shared
def test_no_rule_is_missing_that_both_files_have(tmp_path: Path, shared: Path) -> None:
    more = shared / "corpora" / "rulebooks-more"
    sources = [more / f"riftbound-core-rules.20251001.{lang}.txt" for lang in ("en", "ja")]
    with base_of(sources, tmp_path / "x.db") as base:
        found = base.align("ja", "en")
    assert len(found) == 1616
    assert {(one.number, one.kind) for one in found.problems} == {
        ("000", "unnumbered"), ("300", "unnumbered"), ("700", "unnumbered"),
        ("414.1", "citations"),
    }  # fmt: skip


def test_a_rule_that_a_translation_lacks_within_a_section() -> None:
    english = {
        "4": "Trade",
        "4.1": "A ship that is in harbour may trade 2 goods.",
        "4.2": "Goods are cards.",
        "4.3": "A ship that is at sea cannot trade, unless it stands beside another ship of its"
        " fleet and both of them have room for at least 12 goods.",
        "4.4": "The “master” of a ship decides what is traded.",
        "4.5": "If 2 masters can’t agree, nothing is traded until 3 rounds have gone by.",
    }
    japanese = {
        "4": "交易",
        "4.1": "港にある船は、2つの商品を交易してよい。",
        "4.2": "海上にある船は、同じ船団の他の船と並んでおり、"
        "双方に12個以上の商品の空きがある場合を除いて、交易できない。",
        "4.3": "船の「船長」が、何を交易するかを決める。",
        "4.4": "2人の船長が同意できない場合、3ラウンドが過ぎるまで何も交易されない。",
    }
    pairs = [(one, other) for one, other, _ in translated_rules(english, japanese)]
    assert pairs[1:] == [("4.1", "4.1"), ("4.3", "4.2"), ("4.4", "4.3"), ("4.5", "4.4")]
    back = [(one, other) for one, other, _ in translated_rules(japanese, english)]
    assert sorted((other, one) for one, other in back) == sorted(pairs)


def test_a_rule_that_has_grown_between_two_dates_is_the_same() -> None:
    """Where its siblings before and behind are translations."""
    first = {
        f"1.{n}": "Eine Karte wird gezogen, wenn der Spieler am Zug ist." for n in range(1, 41)
    }
    second = {f"1.{n}": "A card is drawn when it is the turn of the player." for n in range(1, 41)}
    grown = second | {"1.7": second["1.7"] * 3}
    assert len(near_translations(first, grown)) == 40
    elsewhere = grown | {"1.8": "No."}
    missing = {pair.number for pair in near_translations(first, elsewhere)} ^ first.keys()
    assert missing == {"1.7", "1.8"}


def test_what_only_the_newer_edition_has_is_probably_new(tmp_path: Path) -> None:
    """Unless its own language had it when the older one was made: then a translation lacks it."""
    german = {"1": "Hafen", "1.1": "Ein Schiff hat ein Segel."}
    english = {"1": "Harbour", "1.1": "A ship has a sail."}
    for n in range(2, 40):
        german[f"1.{n}"] = f"Eine Karte wird gezogen, wenn {n} Spieler am Zug sind."
        english[f"1.{n}"] = f"A card is drawn when it is the turn of {n} players."
    german.pop("1.20")
    newer = english | {"1.40": "A wreck is a ship with a hole."}
    books = {
        ("20240101", "en"): rulebook(english),
        ("20240601", "de"): rulebook(german, "Hafen Umfassende Regeln"),
        ("20240801", "en"): rulebook(newer),
    }
    found = build_books(tmp_path, books).align("de", "en")
    assert found.translated_by
    new = {one.number: one.probably_new for one in found.problems if one.kind == "missing"}
    assert new == {"1.20": False, "1.40": True}
    [said] = [one.what for one in found.problems if one.probably_new]
    assert said.endswith("; probably new in 20240801, as 20240601 is older")
