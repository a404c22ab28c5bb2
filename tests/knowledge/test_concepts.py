"""Terms of several games are joined where they are one concept, and homonyms stay apart."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from graphs.writing.names_and_merges import DefiningPassage, NodeName
from graphs.writing.page_claims import EdgeClaim
from kb.knowledge.compared_definitions import (
    TermDefinitions,
    action_test,
    term_definitions,
)
from kb.knowledge.cross_game_concepts import same_concepts
from kb.knowledge.names.merged_names import synonymous_terms
from kb.knowledge.names.naming_phrases import names_in_other_games
from kb.language.fold import fold
from kb.language.tokens import tokenizer
from tests.pages.test_wikitext import export, page_xml
from tests.rulebooks import base_of, described, wiki_source
from tests.timing import grows_linearly

Term = tuple[str, str, str]  # id, other names parted by strokes, definition


def known(*terms: Term) -> tuple[list[NodeName], list[DefiningPassage]]:
    named, defined = [], []
    for node, others, text in terms:
        name = node.partition("/term/")[2].partition(" (")[0]
        for one in [name, *filter(None, others.split("/"))]:
            lang = "en" if one.isascii() else "ja"
            named.append(NodeName(node, lang, "preferred", fold(one), one))
        if text:
            lang = "en" if text.isascii() else "ja"
            defined.append(DefiningPassage(node, lang, f"p/{node}", text, True))
    return named, defined


def joined(*terms: Term) -> dict[tuple[str, str], str]:
    return {
        (want.source, want.target): (want.details or {})["relation"]
        for want in same_concepts(term_definitions(*known(*terms), tokenizer()), tokenizer())
    }


def test_one_name_and_one_meaning() -> None:
    """Also where one definition is Japanese and one English."""
    found = joined(
        ("g1/term/山", "Pile", ""),
        ("g1/term/手", "Hand", ""),
        ("g1/term/引く", "Draw", "To take the top card of a pile into a hand."),
        ("g2/term/引く", "", "山の一番上から手に加えること。手は非公開である。"),
        ("g2/term/山", "", ""),
        ("g2/term/手", "", ""),
    )
    assert found == {("g1/term/引く", "g2/term/引く"): "exact"}


def test_a_place_is_not_joined_with_an_action_of_its_name() -> None:
    """Though both are called so and their definitions speak of the same things."""
    action = ("g2/term/捨てる", "discard", "To put a card from a player's hand onto their pile.")
    pile = "A pile of cards. Put a card from a player's hand onto their pile."
    assert joined(("g1/term/捨て札", "discard", pile), action) == {}
    again = "To put a card from the player's hand onto their pile."
    assert joined(("g1/term/捨て去る", "discard", again), action)


def test_what_has_a_name_alone_is_not_joined() -> None:
    assert joined(("g1/term/城", "", ""), ("g2/term/城", "", "守る建物。")) == {}


@pytest.mark.parametrize("name", ["変身", "飛行"])
def test_a_given_name_is_no_proof(name: str) -> None:
    """Two games give one word to different things."""
    here = (f"g1/term/{name}", "", "両面カードを裏返すこと。")
    there = (f"g2/term/{name}", "", "別の駒に重ねて出せる能力。")
    assert joined(here, there) == {}


def test_homonyms_in_english_stay_apart() -> None:
    """A tie is no drawing of cards, though both are `draw`."""
    assert joined(
        ("g1/term/引く", "Draw", "山から手札に札を加える行為。"),
        ("g2/term/引き分け", "Draw", "勝者も敗者もない試合の結果。"),
        ("g2/term/ドロー", "Draw", "山から手札へ札を加えること。"),
    ) == {("g1/term/引く", "g2/term/ドロー"): "close"}


def test_basic_words_and_names_that_say_what_they_are() -> None:
    """A game's other terms are defined by the one; the other is put together of words."""
    assert joined(
        ("g1/term/コスト", "", "行動のために払うもの。"),
        ("g1/term/起動", "", "コストを払って使う。"),
        ("g1/term/置換効果", "", "A thing that is in place of another."),
        ("g2/term/コスト", "", "左上の数字。"),
        ("g2/term/召喚", "", "コストの分だけ魔力を減らして出す。"),
        ("g2/term/置換効果", "", "起きる代わりに別の事が起きる。"),
    ) == {
        ("g1/term/コスト", "g2/term/コスト"): "close",
        ("g1/term/置換効果", "g2/term/置換効果"): "close",
    }


def test_the_one_word_in_which_two_definitions_differ() -> None:
    found = joined(
        ("g1/term/書庫", "", ""),
        ("g1/term/手札", "", ""),
        ("g2/term/山札", "", ""),
        ("g2/term/手札", "", ""),
        ("g1/term/引く", "", "書庫の一番上を手札に加える。"),
        ("g2/term/引く", "", "山札の一番上を手札に加える。"),
    )
    assert found == {
        ("g1/term/引く", "g2/term/引く"): "exact",
        ("g1/term/書庫", "g2/term/山札"): "close",
    }


def test_any_order_gives_the_same() -> None:
    named, defined = known(
        ("g1/term/引く", "Draw", "山から手札に札を加える行為。"),
        ("g2/term/ドロー", "Draw/引く", "山から手札へ札を加えること。"),
        ("g3/term/引く", "", "山から手札へ札を一枚加える。"),
    )
    first = same_concepts(term_definitions(named, defined, tokenizer()), tokenizer())
    for seed in range(5):
        random.Random(seed).shuffle(named)
        random.Random(seed).shuffle(defined)
        assert details(
            same_concepts(term_definitions(named, defined, tokenizer()), tokenizer())
        ) == details(first)


def test_another_definition_gives_what_all_anew_gives() -> None:
    """Of terms whose meanings were kept: one is defined in other words, one no more."""
    terms = [
        ("g1/term/引く", "Draw", "山から手札に札を加える行為。"),
        ("g1/term/手札", "Hand", "Cards that you hold."),
        ("g2/term/引く", "ドロー/Draw", "魚を網で海から取ること。"),
        ("g2/term/手札", "Hand", "持っている札。Drawすると増える。"),
    ]
    before = term_definitions(*known(*terms), tokenizer())
    terms[2] = ("g2/term/引く", "ドロー/Draw", "山から手札へ札を加えること。札を手札に入れる。")
    terms[3] = ("g2/term/手札", "Hand", "")
    named, defined = known(*terms)
    again = TermDefinitions.unpacked(before.packed(), tokenizer())
    assert again.terms == before.terms != {}
    changed = {"g2/term/引く", "g2/term/手札", "g3/term/none"}
    again = again.redefined(changed, [one for one in defined if one.node in changed])
    again = TermDefinitions.unpacked(before.packed() | again.packed(changed), tokenizer())
    anew = term_definitions(named, defined, tokenizer())
    assert again.terms == anew.terms != before.terms
    assert (
        details(same_concepts(again, tokenizer()))
        == details(same_concepts(anew, tokenizer()))
        != []
    )
    assert same_concepts(before, tokenizer()) != same_concepts(anew, tokenizer())


def details(wants: Iterable[EdgeClaim]) -> list[object]:
    return [(want, want.details) for want in wants]


def test_senses_go_to_the_verb_and_to_the_noun() -> None:
    named, defined = known(
        ("g/term/打ち消す", "Counter", ""),
        ("g/term/カウンター", "Counter", ""),
        ("g/term/Counter (1)", "", "1. To cancel a spell."),
        ("g/term/Counter (2)", "", "2. A marker on a thing."),
    )
    assert synonymous_terms(named, action_test(named, defined, tokenizer())) == {
        "g/term/Counter (1)": "g/term/打ち消す",
        "g/term/Counter (2)": "g/term/カウンター",
    }


def test_a_form_that_an_entry_lists_joins_it_with_the_term_of_that_name() -> None:
    names = [
        NodeName("g/term/退場", "ja", "preferred", "退場", "退場"),
        NodeName("g/term/退場", "en", "preferred", "banished", "banished"),
        NodeName("g/term/banish", "en", "preferred", "banish", "banish"),
        NodeName("g/term/banish", "en", "alias", "banished", "banished"),
    ]
    assert synonymous_terms(names) == {"g/term/banish": "g/term/退場"}
    own = NodeName("g/term/追放", "en", "preferred", "banish", "banish")
    own_japanese = NodeName("g/term/追放", "ja", "preferred", "追放", "追放")
    assert synonymous_terms([*names, own, own_japanese]) == {"g/term/banish": "g/term/追放"}


def test_pages_are_joined_with_evidence(tmp_path: Path) -> None:
    """By their definitions, and by what a page says another game calls it."""
    pages = [
        page_xml("ドロー", "'''ドロー'''とは、山札から手札にカードを加えること。"),
        page_xml("プレイ", "'''プレイ'''とは、唱えること。"),
    ]
    described(tmp_path, {"dump.xml": export(*pages)}, site="mtgwiki")
    texts = {
        "ドロー": "*ドロー [#top]\n\n山札からカードを手札に加える行為。~\n",
        "使う": "*使う [#top]\n\n宣言すること。~\n\n本家Magicでは「プレイ」と呼ばれる。~\n",
    }
    with base_of([wiki_source(tmp_path, texts, "dmwiki")], tmp_path / "kb.db") as base:
        [drawn] = base.refs("dm/term/ドロー", kinds=["same_concept"]).edges
        assert (drawn.source, drawn.target) == ("dm/term/ドロー", "mtg/term/ドロー")
        assert drawn.evidence.text and drawn.details
        assert drawn.details["relation"] == "exact" and "ドロー" in drawn.details["basis"]
        [used] = base.refs("dm/term/使う", kinds=["same_concept"]).edges
        assert (used.target, used.evidence.text) == ("mtg/term/プレイ", "プレイ")


def test_names_of_other_games_are_found_in_linear_time() -> None:
    """Also where one sentence speaks of the game again and again, and never names anything."""
    assert grows_linearly(
        lambda size: list(names_in_other_games("「。" + ("遊戯王では" * size)[:size])), 50_000
    )


@pytest.mark.slow
@pytest.mark.shared
def test_links_of_the_captures_join_games(shared: Path) -> None:
    from tests.accuracy import known

    terms, links = known()
    assert len(links) > 40
    for source, target in links:
        assert target is not None and terms[source].game != terms[target].game
