"""The termbase: concepts of a store, the statuses of their names, decisions, aligned texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kb
from graphs.store.reader import Store
from graphs.store.termbase_rows import NameRow
from kb.language.made_readings import MADE_BY_SUDACHI
from kb.language.tokens import tokenizer
from kb.query.lookup.common_filters import Scope
from kb.termbase.concepts import concepts, names_with_statuses, part_of_english, part_of_japanese
from kb.termbase.decisions_applied import NamedConcept, apply_decisions, resolve_decisions
from kb.termbase.example_sentences import translation_units, use_at
from kb.termbase.model import Concept, ConceptName, Decision
from tests.bilingual_books import english
from tests.rulebooks import base_of

GLOSSARY_JA = """合成ゲーム 総合ルール
このルールは{date}から有効です。

1. ゲームの考え方

100. 原則

100.1. プレイヤーは自分の山札から札を一枚引くことができる。

100.2. 手札は山札の札ではない。

100.3. 引く前に手札を確かめる。

用語集

引く ({draw})
山札の一番上の札を手札に加えること。

手札 (Hand)
引いた札を使うまで持っておく領域のこと。
"""
GLOSSARY_EN = """Made-up Game Comprehensive Rules
These rules are effective as of {date}.

1. Game Concepts

100. General

100.1. A player may draw the top card of a deck.

100.2. Cards in a hand are no cards of a deck.

100.3. A player looks at a hand before a draw.

Glossary

Draw
To put the top card of a deck into a hand.

Hand
The zone for cards that were drawn and not yet used.
"""


def build(folder: Path, **files: str) -> kb.KnowledgeBase:
    sources = folder / "sources"
    sources.mkdir()
    for name, text in files.items():
        (sources / f"{name}.txt").write_text(text, "utf-8")
    return base_of([sources], folder / "x.db", game="made", site="rulebook")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    return build(
        tmp_path_factory.mktemp("base"),
        ja=GLOSSARY_JA.format(draw="Draw", date="2026年1月16日"),
        older=GLOSSARY_JA.format(draw="Pull", date="2024年7月30日"),
        en=GLOSSARY_EN.format(date="January 16, 2026"),
    )


@pytest.fixture(scope="module")
def draw(base: kb.KnowledgeBase) -> Concept:
    [concept] = base.termbase("Draw")
    return concept


def name(concept: Concept, text: str) -> ConceptName:
    [found] = [each for each in concept.names if each.text == text]
    return found


# -- concepts -----------------------------------------------------------------------------------


def test_names_have_a_status_and_an_authority(draw: Concept) -> None:
    japanese, english, older = name(draw, "引く"), name(draw, "Draw"), name(draw, "Pull")
    assert (japanese.status, japanese.why) == ("preferred", "title")
    assert (english.status, english.lang) == ("preferred", "en")
    assert (older.status, older.why, older.edition) == ("deprecated", "older edition", "20240730")
    assert "20260116" in japanese.authority and japanese.edition == "20260116"
    assert japanese.passage and "20260116/ja" in japanese.passage


def test_a_made_reading_is_marked(draw: Concept) -> None:
    japanese = name(draw, "引く")
    assert (japanese.reading, japanese.part_of_speech) == ("ヒク", "verb")
    assert japanese.note == MADE_BY_SUDACHI


def test_definitions_are_those_of_the_newest_edition(draw: Concept) -> None:
    assert sorted(each.lang for each in draw.definitions) == ["en", "ja"]
    assert {each.edition for each in draw.definitions} == {"20260116"}
    assert all(each.passage and each.authority for each in draw.definitions)


def test_a_sentence_uses_the_name_and_is_whole(draw: Concept) -> None:
    for text, sentence in (
        ("引く", "プレイヤーは自分の山札から札を一枚引くことができる。"),
        ("Draw", "A player may draw the top card of a deck."),
    ):
        found = name(draw, text)
        assert found.context == sentence and found.count > 1
        assert found.context_passage and "20260116" in found.context_passage


@pytest.mark.parametrize("signs", ["İ", "ßİﬁ", "Ω ŉ ", "ẞ’"])
def test_letters_that_are_two_in_lower_case_shift_no_place(tmp_path: Path, signs: str) -> None:
    text = GLOSSARY_EN.format(date="January 16, 2026").replace(
        "A player may draw the top card of a deck.", f"{signs * 9} A player may draw a card."
    )
    with build(tmp_path, en=text) as opened:
        [concept] = opened.termbase("Draw")
    context = name(concept, "Draw").context
    assert context and f" {context}\n" in text  # a whole sentence


def test_each_scope(base: kb.KnowledgeBase) -> None:
    assert len(base.termbase()) == len(base.termbase(game="made")) == len(base.termbase(lang="en"))
    assert [concept.id for concept in base.termbase()] == sorted(c.id for c in base.termbase())
    with pytest.raises(kb.NotFoundError):
        base.termbase("ない")


def test_the_sample_has_related_concepts_and_cards_left_out() -> None:
    with kb.sample() as sample:
        [concept] = sample.termbase("引く", game="mtg")
        assert "exact" in {each.relation for each in concept.related}
        assert name(concept, "ドロー").why == "redirect"
        assert name(concept, "カードを引く").why == "alias"
        assert concept.url and concept.url.startswith("http")
        [left] = sample.termbase().also
        assert str(left).startswith("12 cards: ") and left.reason.ask == kb.Ask(
            "termbase", cards=True
        )
        assert sample.termbase(cards=True).also == ()
        stated = name(sample.termbase("通常のドロー", game="ygo")[0], "通常のドロー")
        assert (stated.reading, stated.note) == ("つうじょうのドロー", "")


def test_a_definition_that_only_announces_is_none() -> None:
    with kb.sample() as sample:
        texts = [each.text for concept in sample.termbase() for each in concept.definitions]
    assert texts and not [text for text in texts if text.endswith(("参照。", "解説する。"))]


def test_a_proposed_name_is_marked_with_what_it_rests_on() -> None:
    with kb.sample() as sample:
        names = [n for c in sample.termbase() for n in c.names if n.why == "proposed"]
    assert names
    for each in names:
        assert each.status == "admitted" and each.score and "aligned" in each.note
        assert each.passage and each.count == 0


# -- statuses -----------------------------------------------------------------------------------


def row(text: str, source: str = "rulebook", edition: str | None = None, **more: object) -> NameRow:
    fields = {"role": "preferred", "defines": True, "count": 1, "lang": "ja"} | more
    return NameRow(
        node="x/term/y",
        text=text,
        source=source,
        edition=edition,
        passage=f"{source}/{text}¶1",
        page=text,
        url=None,
        **fields,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [row("乙", "somewiki"), row("甲")],
            [("甲", "preferred", "title"), ("乙", "admitted", "other translator")],
        ),
        (
            [row("甲", edition="1.9"), row("乙", edition="1.26")],
            [("乙", "preferred", "title"), ("甲", "deprecated", "older edition")],
        ),
        (  # a wiki still has it
            [row("甲", edition="2024"), row("甲", "somewiki"), row("乙", edition="2026")],
            [("乙", "preferred", "title"), ("甲", "admitted", "title")],
        ),
        (  # a list of names has no edition, and says nothing of how new a name is
            [
                row("甲", edition="2024"),
                row("甲", "namelist", role="listed", defines=False),
                row("丙", "namelist", role="listed", defines=False),
                row("乙", edition="2026"),
            ],
            [
                ("乙", "preferred", "title"),
                ("丙", "admitted", "list"),
                ("甲", "deprecated", "older edition"),
            ],
        ),
        (  # the newest edition does not name the term in this language
            [row("甲", edition="2024"), row("Kou", edition="2026", lang="en")],
            [("甲", "preferred", "title"), ("Kou", "preferred", "title")],
        ),
        (
            [row("Ｄｒａｗ", lang="en"), row("draw", lang="en", count=2)],
            [("draw", "preferred", "title")],
        ),
        (
            [row("甲"), row("乙", role="abbreviation"), row("こう", role="reading")],
            [("甲", "preferred", "title"), ("乙", "admitted", "abbreviation")],
        ),
        ([row("甲", role="alias")], [("甲", "admitted", "alias")]),
        ([row("甲", role="proposed")], []),
        (
            [row("甲", defines=False, count=9), row("乙")],
            [("乙", "preferred", "title"), ("甲", "admitted", "title")],
        ),
    ],
)
def test_statuses(rows: list[NameRow], said: list[tuple[str, str, str]]) -> None:
    for given in (rows, rows[::-1]):
        found = names_with_statuses(given)
        assert [(each.text, each.status, each.why) for each in found] == said


def test_what_a_glossary_calls_obsolete_is_deprecated(tmp_path: Path) -> None:
    glossary = {
        "Hold (Obsolete)": "An older name for the Bilge.",
        "Bilge": "The place where a ship keeps what it carries.",
        "Furled": "(Obsolete) Some older charts said so of a sail.",
        "Furl, Furls (Obsolete)": "What was done with a sail.",
    }
    (tmp_path / "book.txt").write_text(english(glossary=glossary), "utf-8")
    kb.build([tmp_path / "book.txt"], tmp_path / "kb.db")
    with Store(tmp_path / "kb.db") as store:
        names = [(name.text, name.status, name.why) for c in concepts(store) for name in c.names]
    assert {name for name, status, why in names if (status, why) == ("deprecated", "obsolete")} >= {
        "Hold",
        "Furled",
        "Furl",
        "Furls",
    }
    assert ("Bilge", "preferred", "title") in names
    assert not any(name == "Hold" and status != "deprecated" for name, status, _ in names)


# -- readings, parts of speech, sentences ---------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "part"),
    [("引く", "verb"), ("カードを引く", "verb"), ("退場させる", "verb"), ("引いた", None),
     ("引か", None), ("山札", "noun"), ("起動型能力", "noun"), ("速い", "adjective"),
     ("無色の", None), ("「」", None), ("コストを支払わずに", None)],
)  # fmt: skip
def test_the_part_of_speech_of_a_japanese_name(text: str, part: str | None) -> None:
    assert part_of_japanese(tokenizer().tokenize(text)) == part


@pytest.mark.parametrize(
    ("text", "glosses", "part"),
    [("Draw", ["To take a card."], "verb"), ("Draw", ["1. To take it.", "2. A result."], None),
     ("Static Ability", [], "noun"), ("Turn", [], None), ("Flying", ["A keyword ability."], None),
     ("Protection", [], "noun"), ("Harness", [], None), ("", [], None)],
)  # fmt: skip
def test_the_part_of_speech_of_an_english_name(
    text: str, glosses: list[str], part: str | None
) -> None:
    assert part_of_english(text, glosses) == part


@pytest.mark.parametrize(
    ("text", "lang", "sentence"),
    [
        ("3.1. 山札から札を引くことができる。", "ja", "山札から札を引くことができる。"),
        ("引くこと", "ja", None),  # no sentence
        ("カードを引くことについては121を参照。", "ja", None),  # only refers
        ("引く。", "ja", None),
        ("Nobody may 引く a card. Then they go on.", "en", "Nobody may 引く a card."),
        ("引く" + "ことができる" * 60 + "。", "ja", None),
    ],
)
def test_sentences_that_use_a_name(text: str, lang: str, sentence: str | None) -> None:
    found = use_at(text, text.index("引く"), "引く", lang, "x¶1", False)
    assert (found.sentence if found else None) == sentence


# -- decisions ------------------------------------------------------------------------------------


DRAWING = Concept(
    "mtg/term/引く",
    "mtg",
    (ConceptName("ja", "引く"), ConceptName("ja", "ドロー", "admitted", "redirect"),
     ConceptName("en", "Draw", edition="2026", url="http://x")),
)  # fmt: skip
OTHER = Concept("ygo/term/ドロー", "ygo", (ConceptName("ja", "ドロー"), ConceptName("en", "Draw")))


def decided(*decisions: Decision) -> list[Concept]:
    concepts = [DRAWING, OTHER]
    named = [
        NamedConcept(one.id, one.game, tuple(name.text for name in one.names)) for one in concepts
    ]
    return list(apply_decisions(concepts, resolve_decisions(decisions, named)))


def test_a_preferred_name_takes_the_place_of_the_other() -> None:
    [first, second] = decided(
        Decision("mtg/term/引く", "ja", "ドロー", note="shorter", where="d.csv:2")
    )
    assert [(n.text, n.status) for n in first.names if n.lang == "ja"] == [
        ("ドロー", "preferred"), ("引く", "admitted"),
    ]  # fmt: skip
    chosen = first.names[0]
    assert (chosen.why, chosen.authority, chosen.note) == ("decision", "d.csv:2", "shorter")
    assert second == OTHER


@pytest.mark.parametrize("status", ["admitted", "deprecated", "forbidden"])
def test_each_status_is_given(status: kb.Decision) -> None:
    [first, _] = decided(Decision("引く", "en", "Draw", status))  # type: ignore[arg-type]
    found = name(first, "Draw")
    assert (found.status, found.why, found.url, found.edition) == (status, "decision", None, None)
    assert not [n for n in first.names if n.lang == "en" and n.status == "preferred"]


def test_a_name_of_several_games_is_decided_on_in_all_but_a_game_narrows() -> None:
    for game, changed in ((None, 2), ("ygo", 1)):
        found = decided(Decision("Draw", "en", "Pull", game=game))
        assert sum("Pull" in [n.text for n in c.names] for c in found) == changed


def test_a_folded_name_counts_where_no_name_is_the_same_to_the_letter() -> None:
    [first, second] = decided(Decision("ＤＲＡＷ", "en", "draw"))
    assert [n.text for n in first.names if n.lang == "en"] == ["draw"]
    assert [n.text for n in second.names if n.lang == "en"] == ["draw"]


def test_a_new_name_and_a_new_concept() -> None:
    *_, new = decided(
        Decision("引く", "fr", "piocher", reading=None, part_of_speech="verb"),
        Decision("新語", "en", "New Word", definition="A word that is new.", where="d.csv:3"),
        Decision("新語", "en", "Novel Word", "forbidden", where="d.csv:4"),
    )
    assert new.id == "decision/新語" and new.definitions[0].authority == "d.csv:3"
    assert [(n.lang, n.text, n.status) for n in new.names] == [
        ("ja", "新語", "preferred"), ("en", "New Word", "preferred"),
        ("en", "Novel Word", "forbidden"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("decision", "concepts_", "said"),
    [
        (Decision("x", "en", "y"), [], "no term is called x"),
        (Decision("x", "en", "X"), [], "with a name in en only"),
        (Decision("mtg/term/x", "en", "y"), [], "there is no mtg/term/x"),
        (
            Decision("x", "en", "y"),
            [NamedConcept("g/term/x (1)", "g", ("x",)), NamedConcept("g/term/x (2)", "g", ("x",))],
            "x may be g/term/x (1), g/term/x (2)",
        ),
    ],
)
def test_what_cannot_be_applied_is_said(
    decision: Decision, concepts_: list[NamedConcept], said: str
) -> None:
    [notice] = resolve_decisions([decision], concepts_).notices
    assert said in notice.what


def test_a_stated_name_is_meant_before_a_proposed_one_and_a_term_before_a_card() -> None:
    known = [
        NamedConcept("g/term/a", "g", ("x",)),
        NamedConcept("g/term/b", "g", ("y",), unsure=("x",)),
        NamedConcept("g/card/x", "g", ("x",), "card"),
    ]
    resolved = resolve_decisions([Decision("x", "en", "z")], known)
    assert set(resolved.of_concept) == {"g/term/a"} and not resolved.notices


def test_contradictions_are_said_and_the_later_counts() -> None:
    decisions = [
        Decision("引く", "en", "Pull", where="d:1"), Decision("引く", "en", "Take", where="d:2"),
        Decision("引く", "en", "Draw", "forbidden", where="d:3"),
        Decision("引く", "en", "Draw", "admitted", where="d:4"),
    ]  # fmt: skip
    known = [NamedConcept(DRAWING.id, "mtg", ("引く",))]
    assert [n.where for n in resolve_decisions(decisions, known).notices] == ["d:2", "d:4"]
    [first, _] = decided(*decisions)
    assert {n.text: n.status for n in first.names if n.lang == "en"} == {
        "Draw": "admitted", "Pull": "admitted", "Take": "preferred",
    }  # fmt: skip


def test_decisions_on_a_base(base: kb.KnowledgeBase) -> None:
    decisions = [Decision("引く", "en", "Pull", where="d:1"), Decision("なし", "en", "None")]
    found = base.termbase(decisions=decisions)
    draw = next(concept for concept in found if name_is(concept, "引く"))
    assert name(draw, "Pull").status == "preferred" and name(draw, "Draw").status == "admitted"
    assert found[-1].id == "decision/なし" and len(found.notices) == 1
    [alone] = base.termbase("Pull", decisions=decisions)
    assert alone == draw
    [new] = base.termbase("なし", decisions=decisions)
    assert new.id == "decision/なし"
    assert "Pull" in str(found.table()) and found.as_json()["notices"]


def name_is(concept: Concept, text: str) -> bool:
    return any(each.text == text for each in concept.names)


def test_a_decided_card_is_among_the_terms() -> None:
    with kb.sample() as sample:
        card = next(node for node in sample.nodes("card") if node.label)
        found = sample.termbase(decisions=[Decision(card.id, "en", "My Card")])
        assert [c.kind for c in found if c.id == card.id] == ["card"]
        elsewhere = sample.termbase(
            game="ygo" if card.game != "ygo" else "mtg",
            decisions=[Decision(card.id, "en", "My Card", where="d:1")],
        )
        assert not [c for c in elsewhere if c.kind == "card"] and elsewhere.notices


# -- aligned texts ------------------------------------------------------------------------------


def test_units_of_rules_and_glosses(base: kb.KnowledgeBase) -> None:
    with Store(base.file) as store:
        units = {unit.id: unit for unit in translation_units(store, langs=("ja", "en"))}
        assert not list(translation_units(store, Scope(edition="20240730")))
        assert not list(translation_units(store, langs=("ja", "fr")))
    rule = units["made/cr/20260116/100.2"]
    assert rule.texts == (
        ("ja", "手札は山札の札ではない。"), ("en", "Cards in a hand are no cards of a deck."),
    )  # fmt: skip
    glosses = [unit for unit in units.values() if unit.kind == "gloss"]
    assert len(glosses) == 2 and all(unit.edition == "20260116" for unit in glosses)


# -- size -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_number_of_queries_is_that_of_batches(tmp_path: Path) -> None:
    names = {f"Card Number {i}": f"{chr(0x4E00 + i)}の札" for i in range(900)}
    (tmp_path / "names.json").write_text(json.dumps(names), "utf-8")
    kb.build([tmp_path / "names.json"], tmp_path / "x.db", game="made", names="terms")
    queries: list[str] = []
    with Store(tmp_path / "x.db") as store:
        store.db.set_trace_callback(queries.append)
        found = sum(1 for _ in concepts(store))
    assert found == 900 and len(queries) < 90


def test_a_name_in_any_language_finds_what_has_one_in_the_language_asked_for(
    base: kb.KnowledgeBase,
) -> None:
    """The language is that of the name that is wanted, not of the one that is given."""
    for given in ("引く", "Draw", "draw"):
        for lang in ("ja", "en"):
            [found] = base.termbase(given, lang=lang, game="made")
            assert lang in {each.lang for each in found.names}
    with kb.sample() as sample:
        terms = sample.termbase(uses=False)
        alone = next(each for each in terms if {name.lang for name in each.names} == {"ja"})
        with pytest.raises(kb.NotFoundError, match="has no name in English, only in Japanese"):
            sample.termbase(alone.id, lang="en")
