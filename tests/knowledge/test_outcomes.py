"""Outcomes: conditions and their results, in the forms that rules are written in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kb
from graphs.writing.page_claims import PageClaims
from kb.knowledge.outcomes import outcomes as extractor
from kb.knowledge.outcomes.outcomes import Outcome, outcomes
from kb.knowledge.prepared_page import PageContext
from kb.language.tokens import tokenizer
from scraper import Link, Page, Passage, Section
from scraper.page import RuleNumber
from tests.accuracy import passages


def said(text: str, lang: str = "ja") -> list[tuple[str, str, str]]:
    found = outcomes([Passage("paragraph", text)], lang)
    return [(o.condition, o.result, o.modality) for o in found]


@pytest.mark.parametrize(
    ("text", "condition", "result", "modality"),
    [
        ("札が尽きた場合、そのプレイヤーは敗北する。", "札が尽きた場合", "敗北", "is"),
        ("札を伏せたとき、もう1枚引いてもよい。", "札を伏せたとき", "もう1枚引いてもよい", "may"),
        ("駒が倒れるたび、札を1枚捨てる。", "駒が倒れるたび", "札を1枚捨てる", "must"),
        ("代価を払わない限り、この駒は動かせない。", "払わない限り", "動かせない", "cannot"),
        ("札を引く代わりに、駒を1つ置くことができる。", "札を引く代わりに", "置く", "may"),
        ("手札が0枚なら、この駒は倒れない。", "手札が0枚なら", "倒れない", "is"),
        ("順番が決まっていなければ、年少者が先に引く。", "決まっていなければ", "引く", "is"),
        ("相手の駒が無くても、この札は使える。", "無くても", "使える", "may"),
        ("駒が裏返ると、その印は消える。", "駒が裏返ると", "消える", "is"),
        ("特別な場合を除いて、札は戻せない。", "特別な場合を除いて", "戻せない", "cannot"),
        ("空の山から引こうとしたプレイヤーは負ける。", "引こうとした", "負ける", "is"),
        ("駒は、盤の端にある時はいつでも動ける。", "盤の端にある時", "動ける", "is"),
        ("札を全て引いた時点で勝負は終わる。", "引いた時点で", "勝負は終わる", "is"),
        ("駒がある場合、札を1枚捨てなければならない。", "駒がある場合", "捨て", "must"),
    ],
)
def test_forms(text: str, condition: str, result: str, modality: str) -> None:
    [(a, b, c)] = said(text)
    assert condition in a and result in b and c == modality


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("ja", "駒は盤に置く。"),
        ("ja", "札が無い場合もある。"),
        ("ja", "駒を多く置いた場合、勝てるだろう。"),
        ("ja", "札を伏せた場合、次はどうなりますか？"),
        ("ja", "Ｑ：駒が倒れた場合、札を引けますか？"),
        ("ja", "これは、駒が倒れた場合に違いが生じる。"),
        ("ja", "「札が尽きた場合、負ける」と書いてある。"),
        ("ja", "例えば赤の札は強い。"),
        ("ja", "駒が倒れた場合。"),
        ("ja", "少なくとも2枚の札を持つ。"),
        # What is cut off, or asks.
        ("ja", "これは駒が倒れた場合などごく限られた場合にしか起こらない。"),
        ("ja", "駒が倒れた場合、それを隣の場所に"),
        ("ja", "駒が倒れた場合、または"),
        ("ja", "それは赤い駒でなければなりません。"),
        ("en", "A move that has no end only if a pawn stands."),
        ("en", "The rules ask for a count to see if a pawn stands."),
        ("en", "Any mark is enough for the purpose of determining if a pawn stands."),
        ("en", "A trap that triggers when a pawn falls is red."),
        ("en", "A hit causes its owner, or the team if it has no owner, to lose a mark."),
        ("en", "Similar to when in the box."),
        ("en", "If a pawn."),
        ("en", "A word for a pawn unless it stands."),
        ("en", "Does a pawn fall if it stands?"),
        ("en", "The board is square. Each player has a hand."),
    ],
)
def test_no_outcome(lang: str, text: str) -> None:
    assert said(text, lang) == []


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        (
            "en",
            "If the deck is empty, that player loses.",
            [("If the deck is empty", "that player loses", "is")],
        ),
        (
            "en",
            "You can’t draw unless you pay one.",
            [("unless you pay one", "You can’t draw", "cannot")],
        ),
        (
            "en",
            "A player may pass when the board is full.",
            [("when the board is full", "A player may pass", "may")],
        ),
        (
            "en",
            "If a pawn falls, its owner draws, but if a tower falls, its owner may draw.",
            [
                ("If a pawn falls", "its owner draws", "is"),
                ("if a tower falls", "its owner may draw", "may"),
            ],
        ),
        (  # a reason is a result too
            "ja",
            "駒が倒れた場合、印は残っているため、次の駒が動く。",
            [("駒が倒れた場合", "印は残っている", "is"), ("駒が倒れた場合", "次の駒が動く", "is")],
        ),
        (  # a rule that is quoted
            "ja",
            "「駒が倒れても印は戻らない」というルールによる。",
            [("駒が倒れても", "印は戻らない", "is")],
        ),
    ],
)
def test_all_outcomes_of_a_text(lang: str, text: str, expected: list[tuple[str, str, str]]) -> None:
    assert said(text, lang) == expected


@pytest.mark.parametrize(
    ("text", "condition", "result"),
    [
        # a condition goes on over lists and over clauses with a conjunction
        (
            "If a pawn has power above 0, it has a mark, and the mark is red, that pawn falls.",
            "If a pawn has power above 0, it has a mark, and the mark is red",
            "that pawn falls",
        ),
        (
            "If a flag is on a wrong pawn or tower, or is not on a pawn, the flag is lost.",
            "If a flag is on a wrong pawn or tower, or is not on a pawn",
            "the flag is lost",
        ),
        (
            "If a rule names the price, extra price, or full price of a pawn, the owner pays it.",
            "If a rule names the price, extra price, or full price of a pawn",
            "the owner pays it",
        ),
        (
            "When a pawn falls, but nobody sees it, the game continues, and the pawn stays.",
            "When a pawn falls, but nobody sees it",
            "the game continues, and the pawn stays",
        ),
        ("If a rule says “go,” “run,” or “hop,” it moves it.", "or “hop,”", "it moves it"),
        ("In a team game, if a pawn falls, both teams draw.", "In a team game, if", "both teams"),
        ("When a pawn falls, then remove the mark.", "When a pawn falls", "remove the mark"),
        ("If a round is over, its winner draws.", "If a round is over", "its winner draws"),
        # conditions at the end
        (
            "A change to a move is applied even if no pawn is there.",
            "even if no pawn is there",
            "A change to a move is applied",
        ),
        ("A move counts only if it is seen.", "only if it is seen", "A move counts"),
        (
            "A player may jump if it is their turn, the field is empty, and no pawn stands there.",
            "if it is their turn, the field is empty, and no pawn stands there",
            "A player may jump",
        ),
        (
            "A red, blue, or green pawn goes back when it falls.",
            "when it falls",
            "A red, blue, or green pawn goes back",
        ),
        ("A mark stays for as long as the pawn stands.", "for as long as the", "A mark stays"),
        # the number of a rule and a label are no part of it
        ("12.3a If a pawn falls, its owner draws.", "If a pawn falls", "its owner draws"),
        ("• 4.2.1. A pawn “falls” if it is hit.", "if it is hit", "A pawn “falls”"),
        ("Example: If a pawn falls, you draw.", "If a pawn falls", "you draw"),
        # verbs that no list has
        ("If a pawn stands, the wizard zaps at once.", "If a pawn stands", "the wizard zaps"),
        ("A wizard zaps when a pawn stands.", "when a pawn stands", "A wizard zaps"),
    ],
)
def test_english_conditions(text: str, condition: str, result: str) -> None:
    [(found_condition, found_result, _)] = said(text, "en")
    assert condition in found_condition and result in found_result
    assert not found_result.startswith(("and", "or", "but")) and found_result in text
    assert found_condition[0].isalpha() and not found_result[0].isdigit()


@pytest.mark.parametrize(
    ("text", "subject", "modality"),
    [
        ("駒または札は、倒れた場合、印を失う。", "駒または札", "is"),
        ("「駒を動かす」とは、駒が隣へ行く時に用いられる語である。", "「駒を動かす」", "is"),
        ("盤の端に複数の駒が置かれた場合、印は消える。", "印", "is"),
        ("新しく駒が置かれた場合、すぐに倒れる。", "駒", "is"),
        ("例：駒が倒れた場合、印は消える。", "印", "is"),
        ("If a pawn falls, it goes back.", "a pawn", "is"),
        ("If a player has no pawn, they can't win.", "a player", "cannot"),
        ("If an effect moves a pawn, it never stops.", "it", "is"),
        ("This makes a difference if a pawn falls.", "This", "is"),
        ("When a pawn falls, draw a card.", "", "must"),
        ("When a pawn falls, do not draw.", "", "cannot"),
        ("A pawn that was hit must go back if it stands.", "A pawn that was hit", "must"),
        (
            "If it falls, the player who moved the pawn loses.",
            "the player who moved the pawn",
            "is",
        ),
        ("If a pawn falls, a place in which cards are kept is shut.", "a place", "is"),
        ("Such a pawn goes back if it falls.", "Such a pawn", "is"),
        ("If a source has no pawns, they can't move.", "they", "cannot"),
        ("If at any time during the turn, a pawn falls, the turn ends.", "the turn", "is"),
        ("駒が倒れた場合、現在の印が消える。", "現在の印", "is"),
        ("駒が倒れた場合、いずれかの人が札を引く。", "いずれかの人", "is"),
        ("If a pawn falls, the owner of that pawn may draw.", "the owner of that pawn", "may"),
        ("If a pawn falls, you choose what you may take.", "you", "is"),
        ("If a ship sinks, you need to pay an anchor.", "you", "must"),
        ("If no ship sinks, you can choose not to sail.", "you", "may"),
        (
            "If the captain of the sunken ship is not at sea, they lose.",
            "the captain of the sunken ship",
            "is",
        ),
        (
            "If a raft holds a ship, changing control of the raft doesn't turn it.",
            "changing control of the raft",
            "is",
        ),
        (
            "When a pawn is put down, the player adding the pawn must show it.",
            "the player adding the pawn",
            "must",
        ),
        ("If the wind blows, the pawns are only able to move back.", "the pawns", "may"),
        ("この効果が駒を置く場合、その効果が駒を動かしたとは扱われない。", "その効果", "is"),
        ("札を確かめた場合は、その時間を与えられるべきである。", "その時間", "must"),
        ("If its captain is lost, it sinks.", "it", "is"),
        ("If a pawn can't be put back, it's illegal to move it.", "it", "is"),
        ("When a player turns the pawns of a raft, they fall.", "they", "is"),
        ("If a raft is lost, the pawn it carries is put back.", "the pawn it carries", "is"),
    ],
)
def test_subjects(text: str, subject: str, modality: str) -> None:
    [found] = outcomes([Passage("paragraph", text)], "en" if text.isascii() else "ja")
    assert (found.subject, found.modality) == (subject, modality)


def test_an_english_exception() -> None:
    text = "If a pawn falls, it is lost. However, if it is red, it stays."
    assert [o.exception_to for o in outcomes([Passage("paragraph", text)], "en")] == [None, 0]


@given(st.text(alphabet='ifan,;.“”"( )—–1s:', max_size=200), st.sampled_from(["en", "ja"]))
def test_any_text_can_be_read(before: str, lang: str) -> None:
    sure = {
        "en": "If a pawn falls, it is lost.",
        "ja": "札が尽きた場合、そのプレイヤーは敗北する。",
    }
    text = f"{before}\n{sure[lang]}"
    every = outcomes([Passage("paragraph", text)], lang)
    assert every, text
    for found in every:
        assert found.condition in text and found.result in text


def test_a_second_result_limits_the_first() -> None:
    first, second = outcomes(
        [Passage("item", "同時に置く場合、全て並べるが、赤の駒は1つしか置けない。")]
    )
    assert first.condition == second.condition == "同時に置く場合"
    assert (first.exception_to, second.exception_to, second.modality) == (None, 0, "cannot")


def test_a_condition_in_brackets() -> None:
    assert [c for c, _, _ in said("駒が倒れた場合（印が消えた場合も）、勝負は終わる。")] == [
        "駒が倒れた場合",
        "印が消えた場合も",
    ]


def test_an_exception_is_to_what_stands_before_or_above() -> None:
    same = "駒が倒れた場合、印は消える。ただし、赤い駒の場合、印は残る。"
    assert [o.exception_to for o in outcomes([Passage("paragraph", same)])] == [None, 0]
    above = [
        Passage("item", "駒が倒れた場合、印は消える。", depth=1),
        Passage("item", "ただし、赤い駒の場合、印は残る。", depth=2, parent=0),
    ]
    assert [o.exception_to for o in outcomes(above)] == [None, 0]
    words_only = "印は必ず消える。ただし、赤い駒の場合、印は残る。"
    [found] = outcomes([Passage("paragraph", words_only)])
    assert found.exception_to == "印は必ず消える"


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("すべての駒が倒れたら、終わりの手順へ進む。", ""),
        ("駒が倒れても、札がない場合は印を置く。", ""),
        ("駒が倒れると、その印は消える。", "その印"),
        ("駒が倒れた後、その駒を戻す効果が存在します。", "その駒を戻す効果"),
        ("この場合、駒を動かすためには札の支払いが必要です。", "札の支払い"),
        ("駒が倒れても、印がなくなることはありません。", "印"),
        ("駒を倒した場合は、実際に札を支払ったかどうかを確認する。", ""),
        ("一方、青い札は、その札が倒れたとしても戻らない。", "青い札"),
        ("条件を満たした場合、新しく追放された札は使える。", "新しく追放された札"),
        ("札を出すたびに、今出た札が持つ能力を確認する。", ""),
    ],
)
def test_in_a_rulebook_the_sentence_names_its_subject(text: str, subject: str) -> None:
    number = RuleNumber("1.1", 0, 3, 4)
    rule = Passage("item", f"1.1 {text}", rule=number, parent=0)
    [found] = outcomes([Passage("item", "1. 駒", rule=RuleNumber("1", 0, 1, 3)), rule])
    assert found.subject == subject


def test_a_sub_item_has_the_subject_of_its_list() -> None:
    page = [
        Passage("item", "赤い駒について。", depth=1),
        Passage("item", "倒れた場合、印は消える。", depth=2, parent=0),
        Passage("item", "なお、この後に別の駒を置く事はできない。", depth=3, parent=1),
    ]
    assert [(o.subject, o.subject_place, o.modality) for o in outcomes(page)] == [
        ("赤い駒", 0, "is"),
        ("赤い駒", 0, "cannot"),
    ]


def test_nodes_and_what_their_subject_links_to() -> None:
    text = "赤い駒は、倒れた場合、印を失う。ただし、王の隣にいる場合、印を失わない。"
    page = Page(
        "mtgwiki",
        "駒",
        "",
        game="g",
        sections=(Section("駒"),),
        passages=(Passage("paragraph", text, links=(Link(0, 3, "page", "赤い駒"),)),),
    )
    claims = PageClaims(page="mtgwiki/駒")
    extractor.extract(PageContext.of(page, tokenizer()), claims)
    first, second = (own.node for own in claims.parts)
    assert (first.id, first.kind, first.label) == ("mtgwiki/駒~1", "outcome", "赤い駒")
    assert first.text == "赤い駒は、倒れた場合、印を失う"
    assert first.details == {
        "subject": "赤い駒",
        "condition": "倒れた場合",
        "result": "印を失う",
        "modality": "is",
        "exception_to": None,
    }
    assert second.details and second.details["exception_to"] == first.id
    assert {own.heading for own in claims.parts} == {"mtgwiki/駒¶1"}
    [want] = claims.edges
    assert (want.kind, want.source) == ("mentions", first.id)
    assert text[want.start : want.end] == "赤い駒"


@pytest.mark.shared
def test_the_table_of_effects_instead_of_a_draw() -> None:
    source = "pages/puki147euc/ygo/page_tsujo-no-draw.html"
    page = next(iter(passages(source).values()))[0]
    found = list(outcomes(page.passages))
    table: dict[tuple[str, str], list[Outcome]] = {}
    for one in found:
        for column in ("無効にされた場合", "不発になった場合", "複数発動する場合", "不発の場合"):
            if one.condition.removesuffix("は").endswith(column):
                table.setdefault((one.subject, column), []).append(one)

    def results(row: str, column: str) -> list[tuple[str, str]]:
        return [(o.result, o.modality) for o in table[row, column]]

    assert results("コストタイプ", "無効にされた場合") == [("通常のドローは行わない", "is")]
    assert results("コストタイプ", "不発になった場合") == [("通常のドローは行わない", "is")]
    assert results("効果タイプ", "無効にされた場合") == [("通常のドローを行う", "is")]
    assert results("効果タイプ", "不発になった場合") == [("通常のドローは行わない", "is")]
    cost = table["コストタイプ", "複数発動する場合"]
    assert [o.modality for o in cost] == ["must", "cannot"]
    assert cost[1].exception_to == found.index(cost[0])
    effect = table["効果タイプ", "複数発動する場合"]
    assert effect[0].modality == "must"
    assert any(o.condition == "効果タイプならば" and o.modality == "may" for o in found)
    exceptions = table["効果タイプ", "不発の場合"]
    assert "永続カード" in exceptions[0].condition
    assert exceptions[1].result == "通常のドローを行える"
    [fizzles] = table["効果タイプ", "不発になった場合"]
    assert {o.exception_to for o in exceptions} == {found.index(fizzles)}


PIECES = "駒札がをはに、。\n\t「」（）場合時なら限り代わりにただしため後のでも1Aif ,."


@given(st.lists(st.text(st.sampled_from(PIECES) | st.characters(codec="utf-8")), max_size=5))
def test_any_text_is_read_and_spans_are_right(texts: list[str]) -> None:
    texts = [*texts, "札が尽きた場合、そのプレイヤーは敗北する。\nIf a pawn falls, it is lost."]
    page = [Passage("item", t, parent=n - 1 if n else None) for n, t in enumerate(texts)]
    for lang in ("ja", "en"):
        every = outcomes(page, lang)
        assert every, texts
        for n, found in enumerate(every):
            statement = texts[found.place][found.start : found.end]
            assert found.condition in statement and found.result in statement
            assert found.condition and found.result
            where = found.place if found.subject_place is None else found.subject_place
            assert found.subject in texts[where]
            assert not isinstance(found.exception_to, int) or 0 <= found.exception_to < n


CARD_PAGE = """霧の番人 R 水文明 (3)
クリーチャー:リキッド 2000
この札が場に出た時、札を1枚引く。
相手が札を置いた時、相手は次の番をとばす。"""


def test_what_a_card_prints_is_about_the_card() -> None:
    page = [Passage("paragraph", line) for line in (CARD_PAGE, "駒が倒れた場合、印は消える。")]
    found = [(o.card, o.subject) for o in outcomes(page, game="dm")]
    assert found == [("霧の番人", "この札"), ("霧の番人", "霧の番人"), (None, "印")]
    assert {o.card for o in outcomes(page)} == {None}


def test_polite_modalities() -> None:
    text = "駒が倒れた場合、{}。"
    ends = ["印を置いてもかまいません", "印を置かなければなりません", "印を置いてはなりません"]
    assert [said(text.format(end))[0][2] for end in ends] == ["may", "must", "cannot"]


def test_outcomes_are_cut_at_a_limit() -> None:
    base = kb.sample()
    every = base.outcomes("通常のドロー")
    assert every.more is None and every.total == len(every) > 1
    first = base.outcomes("通常のドロー", most=1)
    assert (len(first), first.total) == (1, every.total) and base.follow(first.more.ask) == every
    assert first.as_json()["total"] == every.total


def test_the_abilities_of_cards_are_no_outcomes_of_a_term() -> None:
    base = kb.sample()
    found = base.outcomes("使う")
    assert {one.card for one in found} == {None}
    cards = {left_out.reason.values["card"] for left_out in found.also}
    assert cards and all(card in {one.card for one in base.outcomes(card)} for card in cards)


def test_what_stands_on_a_page_that_shows_a_card_is_not_the_cards(base: kb.KnowledgeBase) -> None:
    """The page 引く shows the card 予言; what the page says of drawing is not said of the card."""
    assert len(base.outcomes("引く").outcomes) > 5
    assert base.outcomes("mtg/card/予言").outcomes == ()
    # What its own page says of a card, or its box, is the card's.
    assert base.outcomes("ygo/card/灰流うらら").outcomes
    own = base.outcomes("dm/card/サイバー・I・チョイス").outcomes
    assert {one.evidence.page for one in own} <= {"dmwiki/使う"} and len(own) < 3


def test_at_any_time_is_part_of_the_condition() -> None:
    [(condition, _, _)] = said("駒が倒れた場合いつでも札を引くことができる。")
    assert condition == "駒が倒れた場合いつでも"
