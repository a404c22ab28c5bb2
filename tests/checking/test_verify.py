"""`verify`: each citation and quotation in a text gets its verdict."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import kb
from benchmarks.verify_claims import TEXTS, Score, read_text, score
from kb.checking.claims.find_rule_numbers import find_rule_numbers
from kb.rules.edition_dates import rules_languages
from tests.commands import printed
from tests.conftest import SHARED
from tests.rulebooks import base_of, base_of_files, build_books, rulebook, write_books
from tests.timing import grows_linearly

RULES = {
    "121": "Drawing a Card",
    "121.1": "A player draws by putting the top card of the pile into the hand.",
    "121.2": "A player may draw at most seven cards, and cannot draw more than that in one turn.",
    "121.2a": "Cards drawn in this way stay hidden from all other players.",
    "122": "Discarding",
    "122.1": "To discard, a player puts a card from the hand face up onto the heap.",
    "122.2": "A creature with a -1/-1 counter is weaker. A “worn” creature is tapped.",
}
GLOSSARY = [
    "Glossary", "",
    "Heap", "Where the discarded cards of a player lie in their order. See rule 122.1.", "",
    "Pile", "Where the cards lie that nobody has drawn so far. See rule 121.1.", "",
]  # fmt: skip
RULES_JA = {
    "121": "カードを引くこと",
    "121.1": "カードを引くには、山の一番上にある1枚を手札に加える。",
    "121.2": "プレイヤーは1ターンに7枚まで引くことができる。",
    "121.2a": "こうして引いたカードは、ほかのプレイヤーには見せない。",
}


MAGIC = "Magic: The Gathering Comprehensive Rules"
LORCANA = "Lorcana Comprehensive Rules"


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    """Two editions of a small rulebook; in the newer one a rule was inserted."""
    old = {**RULES, "122.2": "A creature that is worn is tapped and stays so for the whole turn."}
    old["122.3"] = "Nobody can look through the heap while a spell waits."
    new = {**RULES, "122.3": "The heap of a player is open to all.", "122.4": old["122.3"]}
    books = {
        ("20200124", "en"): rulebook(old, MAGIC),
        ("20230101", "en"): rulebook(new, MAGIC, "\n".join(["", *GLOSSARY])),
        ("20230101", "ja"): rulebook(RULES_JA, MAGIC),
    }
    return build_books(tmp_path_factory.mktemp("rules"), books, "mtg")


def of_two_games(
    folder: Path, magic: Mapping[str, Mapping[str, str]], lorcana: Mapping[str, str]
) -> kb.KnowledgeBase:
    """A knowledge base of Magic's rules, in some languages, and of Lorcana's."""
    books = {("20230101", lang): rulebook(texts, MAGIC) for lang, texts in magic.items()}
    other = {("20230101", "en"): rulebook(lorcana, LORCANA)}
    sources = [write_books(folder / "m", books, "mtg"), write_books(folder / "l", other, "lorcana")]
    return base_of(sources, folder / "kb.db")


def verdicts(base: kb.KnowledgeBase, text: str, **given: str) -> list[tuple[str, str]]:
    """(what is claimed, its verdict) of each claim."""
    return [(one.text, one.verdict) for one in base.verify(text, **given).claims]


@pytest.mark.parametrize(
    ("written", "verdict"),
    [
        ("rule 121.2a", "exact"),
        ("CR 121.2a", "exact"),
        ("[CR 121.2a]", "exact"),
        ("総合ルール121.2a", "exact"),
        ("(CR121.2a)", "exact"),
        ("121.2a", "exact"),
        ("rules 121.1-121.2", "exact"),
        ("ルール１２１．２", "typographic"),
        ("CR 121.2A", "repaired"),
        ("rule 121,2", "repaired"),
        ("rule 121.2 a", "repaired"),
        ("rule 121.2(a)", "repaired"),
        ("rule 122.3", "exact"),
        ("rule 114.6", "not loaded"),
        ("121.9", "not found"),
        ("rule 121.2z", "not found"),
        ("rule 121.2a1", "not found"),
        ("121.2a1", "not found"),
        ("rule 121.2aa", "not found"),
        ("rule 121.2a1.3", "not found"),
        ("121,2a", "repaired"),
        ("rules 121.1–121.9", "not found"),
    ],
)
def test_verdicts_on_citations(rules: kb.KnowledgeBase, written: str, verdict: str) -> None:
    claims = rules.verify(f"See {written}, please.").claims
    assert [one.verdict for one in claims] == [verdict]
    assert claims[0].text in written and claims[0].kind == "citation"


def test_a_comma_in_a_number_is_a_slip_where_rules_are_cited(rules: kb.KnowledgeBase) -> None:
    assert verdicts(rules, "It is rule 121.1, and 122,1 goes on.")[1] == ("122,1", "repaired")
    assert verdicts(rules, "It weighs 122,1 kg by rule 121.1.") == [("rule 121.1", "exact")]
    assert verdicts(rules, "They are 122,1 of the whole.") == []


@pytest.mark.parametrize(
    ("quoted", "verdict"),
    [
        ("puts a card from the hand face up onto the heap", "exact"),
        ("Puts a card from the hand face-up onto the heap.", "typographic"),
        ("puts  a card from\nthe hand face up", "typographic"),
        ("To discard, a player … face up onto the heap", "typographic"),
        ("[t]o discard, a player puts a card", "typographic"),
        ("puts two cards from the hand face up onto the heap", "repaired"),
        ("puts a card from the hand face down onto the heap", "contradicts"),
        ("puts a card from the hand onto the heap", "repaired"),
        ("puts a card from the hand face up onto the high heap", "repaired"),
        ("A player must draw at most seven cards", "contradicts"),
        ("A player may draw at most eight cards", "repaired"),
        ("cannot draw more than that in one turn", "exact"),
        ("can draw more than that in one turn", "contradicts"),
        ("A creature with a 1/1 counter is weaker", "repaired"),
        ("A creature with a −1/−1 counter is weaker", "typographic"),
        ("A ‘worn’ creature is tapped", "typographic"),
        ("Whoever owns the moon decides which spells are cast on Sundays", "not found"),
        ("プレイヤーは1ターンに7枚まで引くことができる", "exact"),
        ("プレイヤーは１ターンに７枚まで引くことができる。", "typographic"),
        ("プレイヤーは1ターンに8枚まで引くことができる", "repaired"),
        ("プレイヤーは1ターンに7枚まで引くことができない", "contradicts"),
        ("プレイヤーは月の満ち欠けに応じて、好きなだけ呪文を唱えてもよいものとする。", "not found"),
    ],
)
def test_verdicts_on_quotations(rules: kb.KnowledgeBase, quoted: str, verdict: str) -> None:
    for opening, closing in ("“”", '""', "「」", "『』"):
        claims = rules.verify(f"It says {opening}{quoted}{closing} there.").claims
        assert [one.verdict for one in claims] == [verdict], (opening, claims)
        assert claims[0].kind == "quotation"


@pytest.mark.parametrize(
    "form",
    [
        "{} {}", "- {} {}", "**{}** {}", "* **{}:** {}", "Rule {}: {}", "**Rule {}.** {}",
        "[CR {}] {}", "1. ({}) {}", "| {} | {} |", "### {} {}", "MTG CR {} — {}", "`{}` {}",
    ],
)  # fmt: skip
def test_lines_that_write_a_rule_out(rules: kb.KnowledgeBase, form: str) -> None:
    right = "A creature with a -1/-1 counter is weaker. A “worn” creature is tapped."
    for words in (right, right.replace("“", '"').replace("”", '"')):
        assert [one.kind for one in rules.verify(form.format("122.2", words)).claims] == [
            "citation", "quotation",
        ]  # fmt: skip
        assert rules.verify(form.format("122.2", words)).stands
        wrong = words.replace("counter is weaker", "token is stronger")
        found = rules.verify(form.format("122.2", wrong)).claims
        assert [one.verdict for one in found] == ["exact", "repaired"], (words, found)
    short = form.format("121.2", "A player may draw at most nine cards each game.")
    assert [one.verdict for one in rules.verify(short).claims] == ["exact", "repaired"]
    about = form.format("121.2", "says how many cards a player may draw, “at most seven cards”.")
    assert rules.verify(about).stands


def test_a_dash_within_a_quoted_block_begins_no_source(tmp_path: Path) -> None:
    book = "規則\n\n100. 札\n100.1. 浮遊 – 一定の期間だけ残る札である。\n100.2. 札は引く。\n"
    with base_of_files(
        tmp_path, {"book.txt": book}, site="rulebook", game="birds", lang="ja"
    ) as base:
        for source in ("— 100.1", "– ルール100.1", "100.1"):
            right = base.verify(f"> 浮遊 – 一定の期間だけ残る札である。\n> {source}\n")
            assert [one.verdict for one in right.claims] == ["exact", "exact"], source
            turned = base.verify(f"> 浮遊 – 一定の期間残る札である。\n> {source}\n")
            assert "contradicts" in [one.verdict for one in turned.claims], source


@pytest.mark.parametrize("opening", ["", "**", "*", "__", "''", "|", "="])
def test_marks_beside_quotation_marks(rules: kb.KnowledgeBase, opening: str) -> None:
    closings = (
        "{{CR|121.2}}", "[1]", "(121.2)", "—121.2", "*", "<ref>CR 121.2</ref>", "|121.2|", "¹",
        "[[x]]", "^1", "→121.2", "<sup>2</sup>", "=y", "#", "as rule 121.2 says",
    )  # fmt: skip
    for closing in (opening,) if opening else closings:
        for quoted in ('"{}."', "“{}.”", '“{}."', '"{}.”', "&quot;{}.&quot;"):
            words = quoted.format("A player may draw at most eight cards")
            found = rules.verify(f"It is so: {opening}{words}{closing}").claims
            quotations = [one for one in found if one.kind == "quotation"]
            assert [one.verdict for one in quotations] == ["repaired"], (words, closing)
            assert all(one.verdict == "exact" for one in found if one.kind == "citation")


def test_a_repair_shows_the_words_that_differ(rules: kb.KnowledgeBase) -> None:
    [claim] = rules.verify("“a player puts two cards from the hand face down onto the heap”").claims
    assert [(one.text, one.expected) for one in claim.changes] == [
        ("two cards", "a card"),
        ("down", "up"),
    ]
    for change in claim.changes:
        assert claim.text[change.start : change.end] == change.text
    assert claim.number == "122.1" and claim.rule == RULES["122.1"]


def test_what_a_repair_says(rules: kb.KnowledgeBase) -> None:
    for quoted, message in (
        (
            "A player may draw at most seven cards, and … draw more than that",
            "“cannot”, which is left",
        ),
        ("A player can’t draw at most seven cards", "“can’t” for “may”"),
    ):
        [claim] = rules.verify(f"“{quoted}”").claims
        assert claim.verdict == "contradicts" and message in claim.message, claim
    found = rules.verify("By the 2020-01-24 rules, see rule 121.1.")
    assert "20200124" in str(found.against[0])


SPARING = {
    "130": "Being Sparing",
    "130.1": "Unless a player pays for it first and shows the coin to everybody who is at the table"
    " on that day, that player can't keep a token. A player may keep a card. Nobody sees it.",
    "130.2": "Only the owner of a card may look at it. The table is not a zone. Tokens lie on it.",
    "130.3": "A player who runs out of cards loses the game."
    " A player starts with ten or more coins.",
    "130.4": "A player may trade tokens, but not coins. See rule 130.3, “Coins [of gold].”",
    "130.5": "A player may keep a ward. The bank lends tokens to whoever asks for them politely."
    " The token that is not on the table is the bank's.",
}
SPARING_JA = {
    "130": "倹約",
    "130.1": "コストを支払わないかぎり、プレイヤーはトークンを保持できない。"
    "カードは保持してもよい。",
    "130.2": "カードのオーナーのみがそれを見ることができる。卓は領域ではない。",
    "130.3": "カードがなくなったプレイヤーは、このゲームに敗北する。",
}


@pytest.fixture(scope="module")
def sparing(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    """A rulebook that forbids and limits, in two languages, and one of another game."""
    lorcana = {"1.1.1": "A player who has run out of cards wins the game at once."}
    folder = tmp_path_factory.mktemp("sparing")
    return of_two_games(folder, {"en": SPARING, "ja": SPARING_JA}, lorcana)


@pytest.mark.parametrize(
    ("number", "quoted", "hidden"),
    [
        # Plainly, in the middle and at the ends.
        ("130.1", "that player can keep a token", "“can” for “can't”"),
        ("130.1", "A player keep a card", "“may” is left out"),
        ("130.2", "The owner of a card may look at it", "“Only”"),
        ("130.2", "Only the owner of a card look at it", "“may”"),
        ("130.1", "a player pays for it first and shows the coin to everybody", "“Unless”"),
        ("130.2", "The table is a zone", "“not”"),
        # By an omission, short or long, also at the beginning or the end.
        ("130.1", "that player … keep a token", "“can't”, which is left out"),
        ("130.1", "Unless a player pays for it … keep a token", "“can't”, which is left out"),
        ("130.2", "… the owner of a card may look at it", "“Only”"),
        ("130.2", "Only the owner of a card … look at it", "“may”"),
        ("130.2", "… owner of a card may look at it. The table … a zone", "“Only”|“is not”"),
        # In Japanese.
        ("130.1", "プレイヤーはトークンを保持できる", "“できる” for “できない”"),
        ("130.1", "コストを支払うかぎり、プレイヤーはトークンを保持できない", "支払わない"),
        ("130.1", "カードは保持してはならない", "もよい"),
        ("130.2", "カードのオーナーがそれを見ることができる", "のみ"),
        ("130.2", "カードのオーナー…がそれを見ることができる", "のみ"),
        ("130.2", "卓は領域である", "ない"),
        # As a sentence, without the exception that it begins or ends with.
        ("130.1", "That player can't keep a token.", "“Unless”"),
        ("130.1", "プレイヤーはトークンを保持できない。", "ないかぎり"),
        ("130.5", "The … table is the bank's", "not"),
        ("130.4", "A player may trade tokens.", "“if able”|“other than”|“not”"),
    ],
)
def test_what_turns_the_sense_contradicts(
    sparing: kb.KnowledgeBase, number: str, quoted: str, hidden: str
) -> None:
    for form in ("Rule {} says “{}”.", "Magic's rule {}:\n\n> {}\n", "ルール{}には「{}」とある。"):
        claims = sparing.verify(form.format(number, quoted)).claims
        [claim] = [one for one in claims if one.kind == "quotation"]
        assert claim.verdict == "contradicts" and claim.number == number, claim
        assert any(word in claim.message for word in hidden.split("|")), claim.message


@pytest.mark.parametrize(
    ("sentence", "contradicts"),
    [
        ("A player starts with five or more coins (CR 130.3).", True),
        ("So it is. A player who runs out of cards wins the game (rule 130.3).", True),
        ("In short: that player can keep a token (130.1).", True),
        ("卓は領域である。カードがなくなったプレイヤーは、このゲームに勝利する（130.3）。", True),
        ("A player starts with ten coins (CR 130.3).", False),
        ("A player who runs out of cards loses (CR 130.3).", False),
        # What is left out, and what only refers to more, says nothing against the rule.
        ("The owner of a card may look at it (CR 130.2).", False),
        ("A player starts with five or more coins (see rule 130.3).", False),
        ("A player starts with five or more coins (CR 130.3), as it was (CR 130.2).", False),
        # A part of a sentence may lack what turns it.
        ("No player (not even the owner) may keep a token that is unpaid (CR 130.1).", False),
        (f"Nobody, {'be it an owner or not, ' * 15}can keep a token (CR 130.1).", False),
    ],
)
def test_a_sentence_is_held_against_the_rule_in_its_brackets(
    sparing: kb.KnowledgeBase, sentence: str, contradicts: bool
) -> None:
    verdicts = [claim.verdict for claim in sparing.verify(f"On Magic. {sentence}").claims]
    assert ("contradicts" in verdicts) == contradicts and len(verdicts) <= 2, verdicts


@pytest.mark.parametrize(
    "quoted",
    [
        "A player may keep a card. … Tokens",
        "Only the owner of a card may look at it. … Tokens lie on it.",
        "Unless a player pays for it … that player can't keep a token.",
        "who runs out … loses the game",
        "コストを支払わないかぎり、…トークンを保持できない",
        "カードのオーナーのみが…ことができる",
    ],
)
def test_what_turns_nothing_may_be_left_out(sparing: kb.KnowledgeBase, quoted: str) -> None:
    number = next((n for n, text in [*SPARING.items(), *SPARING_JA.items()]
                   if quoted.split("…")[0].strip() in text), "130.2")  # fmt: skip
    quoted = quoted.removesuffix(" … Tokens") if number == "130.1" else quoted
    found = sparing.verify(f"Rule {number} says “{quoted}”.")
    assert found.stands and len(found.claims) == 2, found.claims


@pytest.mark.parametrize(
    "text",
    [
        "Rule 130.1 says that a player may keep a card.",
        "Rule 130.2 lets the owner of a card look at it.",
        "- CR 130.2 (looking): if you own a card, you may look at it.",
        "> Rule 130.1 says “A player may keep a card.”",
        "Rule 130.1 has it:\n::> A player may keep a card.",
        "> 130.2によれば「卓は領域ではない。」とのこと。",
        "Rule 130.4: “See rule 130.3, “Coins [of gold].””",
        "It is so: “A player may keep a card.”[^1]\n\n[^1]: Magic CR 130.1",
        "Under 130.2 the table is not a zone.",
        "Rule 130.3 says you can't start with nine coins.",
        "Rule 130.3 says that a player doesn't lose the game until the cards run out.",
        "Rule 130.5 says the bank lends tokens to whoever doesn't ask for them rudely.",
        "You may keep a card (130.1), and “A player who runs out of cards loses the game.”",
        "Unlike 130.2, “A player who runs out of cards loses the game.”",
        "130.2 covers looks. “A player who runs out of cards loses the game” is 130.3.",
        "Rule 130.1 says that without paying for it, no player can keep a token.",
        "ルール130.2では、カードのオーナーのみがそれを見ることができるとされている。",
        "ルール130.1によると、コストを支払わないかぎり、プレイヤーはトークンを保持できず、失う。",
    ],
)
def test_what_is_true_stands_however_it_is_said(sparing: kb.KnowledgeBase, text: str) -> None:
    found = sparing.verify(text)
    assert found.stands and found.claims, found.claims
    assert all(claim.number and claim.number.startswith("130.") for claim in found.claims)


@pytest.mark.parametrize(
    "text",
    [
        "> Rule 130.2 says “A player may keep a card.”",
        "Rule 130.1: “A player may not keep a card. See rule 130.3, “Coins [of gold].””",
        "It is so: “A player may keep a card.”[^1]\n\n[^1]: Magic CR 130.2",
        "Under 130.2 the table is a zone.",
        "130.3によると、カードがなくなったプレイヤーは敗北しない。",
        "Rule 130.1: “Unless a player pays … Only the owner of a card may look at it.”",
    ],
)
def test_what_is_wrong_is_found_however_it_is_said(sparing: kb.KnowledgeBase, text: str) -> None:
    assert not sparing.verify(text).stands


def test_what_is_left_out_of_a_rule_does_not_go_on_into_the_next(sparing: kb.KnowledgeBase) -> None:
    text = "Rule 130.2: “The table is not a zone. … A player starts with ten or more coins.”"
    verdicts = [one.verdict for one in sparing.verify(text).claims]
    assert verdicts == ["exact", "not found"]


@pytest.mark.parametrize(
    ("text", "verdict", "number"),
    [
        # But for a word, those of the rule cited; to the letter, another's.
        ("Rule 130.1: “A player may keep a ward”.", "repaired", "130.1"),
        # Not quite the words of another rule either.
        ("Rule 130.3: “The bank sells coins to whoever asks for them.”", "not found", None),
    ],
)
def test_the_rule_cited_is_asked_before_others(
    sparing: kb.KnowledgeBase, text: str, verdict: str, number: str | None
) -> None:
    citation, quotation = sparing.verify(text).claims
    assert (citation.verdict, quotation.verdict, quotation.number) == ("exact", verdict, number)


def test_a_sentence_that_is_cut_with_a_full_stop_is_said_to_go_on(
    sparing: kb.KnowledgeBase,
) -> None:
    for words, said in (
        ("Only the owner of a card may look.", "The sentence goes on: “at it”"),
        ("Only the owner of a card may look", ""),
        ("Only the owner of a card may look at it.", ""),
    ):
        [_, quotation] = sparing.verify(f"Rule 130.2: “{words}”").claims
        assert (quotation.verdict, quotation.message) == ("exact", said)


def test_words_that_are_turned_before_the_quotation(sparing: kb.KnowledgeBase) -> None:
    assert sparing.verify("By rule 130.1 that player can't “keep a token”.").stands
    assert sparing.verify("By rule 130.2 “the owner of a card may look at it”.").problems.claims


@pytest.mark.parametrize(
    ("text", "said", "right"),
    [
        ("Rule 130.3 says “you win”.", "win", "loses"),
        ("Rule 130.3 says that you win the game.", "win", "loses"),
        ("According to rule 130.3, a player without cards wins.", "wins", "loses"),
        ("130.3によると「勝利する」。", "勝利", "敗北"),
        ("総合ルール130.3では、カードがなくなると勝利するとされている。", "勝利", "敗北"),
        ("CR 130.3 states a player begins with nine coins.", "nine", "ten"),
        ("Rule 130.1 says a player can't keep a card.", "can't", "may"),
        ("ルール130.1によれば、カードは保持できない。", "できない", "てもよい"),
    ],
)
def test_what_a_rule_is_said_to_say(
    sparing: kb.KnowledgeBase, text: str, said: str, right: str
) -> None:
    wrong = [one for one in sparing.verify(text).claims if not one.stands]
    assert [one.verdict for one in wrong] == ["contradicts"], sparing.verify(text).claims
    assert f"“{said}”" in wrong[0].message and f"“{right}”" in wrong[0].message, wrong[0].message


@pytest.mark.parametrize(
    "text",
    [
        "Rule 130.3 says “loses the game”, and rule 130.3 says a player loses.",
        "Rule 130.3 says you lose; a player without cards does not win.",
        "According to rule 130.3, running out of cards is bad.",
        "130.3によると、カードがなくなれば敗北する。",
        "Rule 130.1 says a token needs a coin. Rule 130.2 says that only owners look.",
        "CR 130.3 says a player starts with at least ten coins and 3 friends.",
    ],
)
def test_what_a_rule_is_truly_said_to_say(sparing: kb.KnowledgeBase, text: str) -> None:
    assert sparing.verify(text).stands, sparing.verify(text).claims


def test_nothing_is_put_right_from_elsewhere(sparing: kb.KnowledgeBase) -> None:
    for text in (
        # Nearly the words of the other game's rule, beside a citation and without one.
        "In Magic, rule 130.1 says “A player who has run out of coins wins the game at once”.",
        "In Magic, “whoever has run out of all coins wins in the game at once”.",
        "総合ルール130.2（Magic）には“A player who has run out of coins wins the game”とある。",
    ):
        [claim] = [one for one in sparing.verify(text).claims if one.kind == "quotation"]
        assert claim.verdict == "not found" and claim.game != "lorcana", claim
        assert "lorcana" not in claim.message and "1.1.1" not in (claim.expected or ""), claim


def test_each_sentence_has_its_own_game(sparing: kb.KnowledgeBase) -> None:
    for text in (
        "Rule 130.1 is strict. In Lorcana, rule 1.1.1 is another. Rule 130.2 is strict, too.",
        "See CR 130.1.\n\n## Lorcana\n\nSee 1.1.1, unlike CR 130.3.",
    ):
        found = sparing.verify(text)
        assert found.stands, found.claims
        games = [one.game for one in found.claims]
        assert sorted(set(games), key=str) == ["lorcana", "mtg"], games
    # An invented number is not looked for in the other game's book.
    assert not sparing.verify("In Magic see rule 130.1 and rule 1.1.1.").stands


def test_each_game_has_its_own_form_of_numbers(tmp_path: Path) -> None:
    sources = []
    for name, game, numbers in (
        ("Magic: The Gathering", "mtg", ("103", "103.2", "103.2a", "103.2b")),
        ("Riftbound", "riftbound", ("103", "103.2", "103.2.a", "103.2.b")),
        ("Lorcana", "lorcana", ("1", "1.1", "1.1.1", "1.1.2")),
    ):
        texts = {number: f"A card of {game} is {number}." for number in numbers}
        book = rulebook(texts, f"{name} Comprehensive Rules")
        sources.append(write_books(tmp_path / game, {("20230101", "en"): book}, game))
    with base_of(sources, tmp_path / "kb.db") as base:
        found = base.verify("Magic: rule 103.2b. Riftbound: 103.2.b. Lorcana: rule 1.1.2.")
    assert [(one.game, one.number, one.verdict) for one in found.claims] == [
        ("mtg", "103.2b", "exact"),
        ("riftbound", "103.2.b", "exact"),
        ("lorcana", "1.1.2", "exact"),
    ]


def test_words_of_another_rule_make_the_citation_wrong(rules: kb.KnowledgeBase) -> None:
    quoted = "puts a card from the hand face up onto the heap"
    for text in (
        f"Rule 121.2 says “{quoted}”.",
        f"It says “{quoted}” (CR 121.2).",
        f"> {quoted}\n> — CR 121.2\n",
        f"- 121.2: “{quoted}”",
        f"As rule 121.2 has it:\n\n> {quoted}\n",
    ):
        citation = next(one for one in rules.verify(text).claims if one.kind == "citation")
        assert (citation.verdict, citation.expected) == ("repaired", "122.1"), text


def test_a_few_words_under_another_rules_number(tmp_path: Path) -> None:
    texts = {
        "704": "Checks of the Tide",
        "704.5": "The tide is checked for what follows.",
        "704.5a": "A captain with 0 or less planks loses the voyage.",
        "704.5b": "A captain who pulled an oar from an empty rack drowns.",
        "704.5c": "A captain with ten or more leaks loses the voyage.",
        "810": "Fleets", "810.8": "A fleet with fifteen or more leaks loses the voyage.",
        "810.9": "A ship is put into the dry dock at dusk.",
        "811": "Docks", "811.1": "Any wreck is put into the dry dock, too.",
        "812": "Wind", "812.1": "A wind blows until the sun sets.",
    }  # fmt: skip
    base = build_books(tmp_path, {("20230101", "en"): rulebook(texts, MAGIC)}, "mtg")

    def claims(text: str) -> dict[str, kb.Claim]:
        return {one.kind: one for one in base.verify(text).claims}

    for text in (
        "A captain with “0 or less planks” loses (CR 704.5b).",
        "A captain with “0 or less planks” (CR 704.5b) loses.",
    ):
        found = claims(text)
        assert (found["citation"].verdict, found["citation"].expected) == ("repaired", "704.5a")
        assert found["quotation"].message.startswith("These words are of 704.5a, not of 704.5b")
    # Nearly the words of the rule cited: not those of another with other numbers.
    for words in ("eight or more leaks", "fifteen or more leaks"):
        found = claims(f"A captain with “{words}” loses the voyage (CR 704.5c).")
        quotation = found["quotation"]
        assert (quotation.number, quotation.expected) == ("704.5c", "ten or more leaks"), words
        assert quotation.is_wrong and found["citation"].stands
    # Of several rules none is chosen.
    found = claims("“is put into the dry dock” is said by CR 812.1.")
    assert (found["citation"].verdict, found["citation"].expected) == ("about something else", None)
    # What a rule has, and what is no rule's words, are left alone.
    assert base.verify("A captain with “ten or more leaks” loses (CR 704.5c).").stands
    assert base.verify("A captain who “has a fine beard” drowns (CR 704.5b).").stands


@pytest.mark.parametrize(
    ("number", "quoted", "expected"),
    [
        (
            "6.1",
            "A captain's starting purse is normally eight.",
            "Each captain takes a number of coins equal to their starting purse, "
            "which is normally seven",
        ),
        ("6.1", "effects can change a captain's starting purse", "Some winds can change"),
        ("6.2", "船長の最初の財布は通常8枚である。", "船長の最初の財布は通常7枚である"),
        ("6.3", "0 or fewer wood", "0 or less wood"),
        ("6.3", "0 or less woods", "0 or less wood"),
        ("6.3", "2 or less wood", "0 or less wood"),
    ],
)
def test_what_should_stand_is_in_one_sentence(
    tmp_path: Path, number: str, quoted: str, expected: str
) -> None:
    texts = {
        "6": "Setting Sail",
        "6.1": "Each captain takes a number of coins equal to their starting purse, which is"
        " normally seven. (Some winds can change a captain's starting purse.) A captain who is"
        " unhappy with their purse may take another one. Then each other captain does the same.",
        "6.2": "（風は船長の最初の財布を変える。）船長の最初の財布は通常7枚である。次の船長も"
        "同じことをする。",
        "6.3": "If a captain has 0 or less wood, that captain loses the voyage.",
    }
    base = build_books(tmp_path, {("20230101", "en"): rulebook(texts, MAGIC)}, "mtg")
    for form in ("By {}, “{}”", "It is “{1}” (rule {0})."):
        [claim] = [one for one in base.verify(form.format(number, quoted)).claims if one.changes]
        assert claim.verdict in ("repaired", "contradicts") and claim.number == number
        assert (claim.expected or "").startswith(expected), claim.expected
        assert "." not in (claim.expected or "") and ")" not in (claim.expected or "")


def test_the_citation_that_a_sentence_says_the_words_are_of(rules: kb.KnowledgeBase) -> None:
    words, ja = "A player may draw at most seven cards", RULES_JA["121.2"]
    for form in (
        f"“{words}” — that's rule {{}}.",
        f"“{words}.” This is what {{}} says.",
        f"“{words}”, and its number is {{}}.",
        f"“{words}” (rule number: {{}})",
        f"As 122.1 says; “{words}” ({{}})",
        f"122.1 is about the heap, but “{words}” [CR {{}}].",
        f"条文は「{ja}」で、番号は{{}}な。",
        f"「{ja}」です。これはルール{{}}の条文です。",
        f"「{ja}」（ルール番号：{{}}）",
    ):
        assert rules.verify(form.format("121.2")).stands, form
        found = rules.verify(form.format("121.1")).claims
        wrong = [(one.text[-5:], one.verdict, one.expected) for one in found if not one.stands]
        assert wrong == [("121.1", "repaired", "121.2")], (form, found)
    for other in (
        f"121.2 says “{words}” (see also 122.1).",
        f"“{words}”. That's why rule 122.1 is there.",
        f"「{ja}」（捨てることについては122.1を参照）",
    ):
        assert rules.verify(other).stands, other
    topic = f"「{RULES_JA['121.1']}」（手札については121.2を参照）"
    assert not rules.verify(topic).stands


def test_what_stands_above_and_below_a_cited_rule_counts(rules: kb.KnowledgeBase) -> None:
    text = "Rule 121 says “putting the top card of the pile into the hand”. "
    text += "Rule 121.2a says “A player may draw at most seven cards”."
    assert rules.verify(text).stands


def test_a_quotation_of_another_source_beside_a_citation(rules: kb.KnowledgeBase) -> None:
    text = "Rule 121.1 is short, and rule 122.1 is, too: “puts a card from the hand face up”."
    assert rules.verify(text).stands


def test_rules_of_other_editions(rules: kb.KnowledgeBase) -> None:
    words = "Nobody can look through the heap while a spell waits"
    found = rules.verify(f"Rule 122.3 says “{words}”.").claims
    assert (found[0].verdict, found[0].renumbered) == ("other edition", "122.4")
    older = rules.verify(f"Rule 122.3 says “{words}”.", edition="20200124", against="20200124")
    assert older.stands and older.edition == "20200124"
    now = rules.verify(f"Rule 122.3 says “{words}”.", edition="20200124").claims
    assert [(one.verdict, one.expected) for one in now] == [("moved", "122.4"), ("exact", None)]
    named = rules.verify(f"In the 2020-01-24 edition, rule 122.3 says “{words}”.")
    assert named.stands and {one.edition for one in named.claims} == {"20200124"}
    gone = "A creature that is worn is tapped and stays so for the whole turn"
    [claim] = rules.verify(f"“{gone}”").claims
    assert (claim.verdict, claim.edition) == ("other edition", "20200124")
    [claim] = rules.verify("Rule 122.4", edition="20200124").claims
    assert (claim.verdict, claim.renumbered) == ("other edition", "122.3")


OLD_RULES = "In the rules of January 24, 2020, rule 121 is the first"


@pytest.mark.parametrize(
    ("text", "edition"),
    [
        (f"Rule 122.4 is new.\n\n{OLD_RULES}, and rule 122.3 the last.", "20200124"),
        (f"{OLD_RULES},\nand the last one\nis rule 122.3.", "20200124"),
        (f"{OLD_RULES}. Rule 122.3 is the last.", "20230101"),
        (f"- {OLD_RULES}. Rule 122.3 is the last.", "20200124"),
        (f"- {OLD_RULES}.\n- Rule 122.3 is the last.", "20230101"),
        (f"- {OLD_RULES}\n- Rule 122.3 is the last.", "20230101"),
        (f"{OLD_RULES}.\n\nRule 122.3 is the last.", "20230101"),
        ("# By the rules of January 24, 2020\n\nOne.\n\nRule 122.3 is the last.", "20200124"),
        ("Harbours\n\nHeld to the edition 2020-01-24.\n\nA.\n\nB: rule 122.3", "20200124"),
        ("A\n\nB\n\nC\n\nD: the edition 2020-01-24.\n\nSee rule 122.3", "20230101"),
        ("# A\n\n## Edition 2020-01-24\n\nB.\n\n### C\n\nSee rule 122.3", "20200124"),
        ("# A\n\n## Edition 2020-01-24\n\nB.\n\n## C\n\nSee rule 122.3", "20230101"),
        ("I bought my ship on January 24, 2020, in Osaka. See rule 122.3.", "20230101"),
        ("I bought my ship on January 24, 2020, in Osaka (rule 122.3).", "20230101"),
        ("2020年1月24日に船を買った。ルール122.3を参照。", "20230101"),
        ("2020年1月24日版のルール122.3を参照。", "20200124"),
    ],
)
def test_a_date_decides_the_edition_of_its_sentence_item_or_section(
    rules: kb.KnowledgeBase, text: str, edition: str
) -> None:
    assert rules.verify(text).claims[-1].edition == edition


def test_an_edition_that_is_not_loaded_is_said_to_be_none(rules: kb.KnowledgeBase) -> None:
    for named in (
        "In the rules of April 1, 2013,", "By the 2013-04-01 rules", "In the April 2013 rules",
        "Rules effective 1 April 2013:", "2013年4月1日版の", "In the 20130401 edition",
    ):  # fmt: skip
        found = rules.verify(f"{named} rule 121.1 is there; rule 121.2 says “at most seven cards”.")
        assert found.stands and len(found.claims) == 3, named
        for one in found.claims:
            assert "201304" in one.message and "20200124" in one.message, (named, one)
    for other in ("On April 1, 2013, I read rule 121.1.", "Rule 121.1, printed 2013-04-01."):
        assert rules.verify(other).claims[0].message == ""


def test_the_edition_in_force_at_a_date(rules: kb.KnowledgeBase) -> None:
    """Editions of 20200124 and 20230101; in the newer one 122.3 became 122.4."""
    words = "Nobody can look through the heap while a spell waits"
    for given, edition in (
        ("In the rules of March 2021, rule 122.3 is the last.", "20200124"),
        ("Rule 122.3 (2022-12-31) is the last. Rule 121.1 is first.", "20200124"),
        ("Rule 122.3 (as of 2023) is one.", "20230101"),
        ("2021年3月時点のルール122.3である。", "20200124"),
        ("As of January 2020, rule 122.3 is the last.", "20200124"),
    ):
        claim = rules.verify(given).claims[0]
        assert (claim.verdict, claim.edition) == ("exact", edition), given
        assert edition in claim.message, given
    assert rules.verify("Rule 122.3 (2022-12-31) is the last. Rule 121.1 is first.").claims[
        1
    ].edition == ("20230101")
    for given in ("Rule 122.3 (2019) is old.", f"In the 2013 rules, rule 122.3 says “{words}”."):
        assert {claim.verdict for claim in rules.verify(given).claims} == {"not loaded"}, given
    # Words that only moved stand: their number is what is wrong.
    found = rules.verify(f"Rule 122.3 says “{words}”.").claims
    assert [(claim.verdict, claim.number) for claim in found] == [
        ("other edition", "122.3"), ("exact", "122.4"),
    ]  # fmt: skip


def test_a_heading_of_another_edition(tmp_path: Path) -> None:
    old = {"121": "Drawing a Card", "121.1": "A player draws from the pile.",
           "122": "Starting Anew", "122.1": "A player begins the game again."}  # fmt: skip
    new = {"121": "Drawing a Card", "121.1": "A player draws from the pile.",
           "122": "The Crown", "122.1": "One player at a time wears the crown.",
           "123": "Starting Anew", "123.1": "A player begins the game again."}  # fmt: skip
    books = {
        ("20200124", "en"): rulebook(old, MAGIC),
        ("20230101", "en"): rulebook(new, MAGIC),
    }
    base = build_books(tmp_path, books, "mtg")
    headed = "Rule 122. Starting Anew is the chapter."
    assert base.verify(headed).claims[0].verdict == "other edition"
    for text in ("Rule 122, “Starting Anew”", 'See rule 122, "Starting Anew."'):
        [claim] = base.verify(text).claims
        assert (claim.verdict, claim.edition, claim.renumbered) == (
            "other edition", "20200124", "123",
        )  # fmt: skip
    [claim] = base.verify("See rule 122 (Starting Anew).").claims
    assert (claim.verdict, claim.renumbered) == ("other edition", "123")
    assert base.verify("In the 2020-01-24 rules see rule 122, “Starting Anew”.").stands
    assert base.verify("Rule 122, “The Crown”, and rule 121, “Drawing a Card”.").stands
    [claim] = base.verify("By the 2020-01-24 rules see rule 122, “The Crown”.").claims
    assert claim.verdict == "other edition" and "there yet" in claim.message


def test_a_topic_whose_rule_stands_beside_the_one_cited(tmp_path: Path) -> None:
    book = {"121": "Drawing a Card", "121.1": "A player draws from the pile.",
            "122": "The Crown", "122.1": "One player at a time wears the crown.",
            "123": "Starting Anew", "123.1": "A player begins the game again."}  # fmt: skip
    base = build_books(tmp_path, {("20230101", "en"): rulebook(book, MAGIC)}, "mtg")
    for text in (
        "The Crown is in rule 123.",
        "The Crown (rule 123) is new.",
        "The Crown: rule 123",
    ):
        [claim] = base.verify(text).claims
        assert (claim.verdict, claim.expected) == ("repaired", "122"), text
    for text in ("The Crown is in rule 122.", "The Crown waits, as rule 123 begins it again.",
                 "After The Crown, Starting Anew is in rule 123."):  # fmt: skip
        assert base.verify(text).stands, text


def test_a_whole_number_before_a_quotation_and_the_version_of_a_book(tmp_path: Path) -> None:
    book = {"121": "Each player draws four cards from the pile.", "122": "The crown is worn."}
    base = build_books(tmp_path, {("20230101", "en"): rulebook(book, MAGIC)}, "mtg")
    for text in ("# 121: “Each player draws four cards from the pile.”",
                 "121 says “Each player draws four cards from the pile.”"):  # fmt: skip
        found = base.verify(text).claims
        assert [one.number for one in found if one.kind == "citation"] == ["121"], text
    assert not base.verify("We waited for 121 turns, and 999: “Each”.").claims
    assert not base.verify("By the Comprehensive Rules 2.2.0 all is well.").claims


def test_an_edition_binds_the_sentence_and_number_that_it_stands_beside(
    rules: kb.KnowledgeBase,
) -> None:
    first = "Rule 122.3 of the 2020-01-24 edition is short."
    text = f"{first}\n\nAs of 2023-01-01, rule 122.4 is new.\n\nRule 121.1 is first."
    assert [one.edition for one in rules.verify(text).claims] == ["20200124", *2 * ["20230101"]]
    japanese = "ルール122.3（2020-01-24版）は短い。ルール122.3（20230101）も短い。"
    assert [one.edition for one in rules.verify(japanese).claims] == ["20200124", "20230101"]
    quoted = "ルール122.3は「船は港に入る。」（2020-01-24版）とする。\n\nルール122.3を見よ。"
    editions = [one.edition for one in rules.verify(quoted).claims if one.kind == "citation"]
    assert editions == ["20200124", "20230101"]


def test_a_number_stands_whose_older_words_are_quoted(tmp_path: Path) -> None:
    kept = {"121": "Drawing a Card", "121.1": "A player draws from the pile."}
    old = "A heap that lies face down is never looked at by anybody but its owner."
    new = "A heap that lies face down can be looked at by its owner at any time."
    books = {
        ("20200124", "en"): rulebook({**kept, "121.2": old}, MAGIC),
        ("20230101", "en"): rulebook({**kept, "121.2": "A player may pass.", "121.3": new}, MAGIC),
    }
    base = build_books(tmp_path, books, "mtg")
    assert base.show("mtg/cr/20200124/en/121.2").matches[0].rule == "mtg/rule/121.3@20230101/en"
    citation, quotation = base.verify(f"Rule 121.3: “{old}”").claims
    assert citation.verdict == "exact" and quotation.verdict == "other edition"


def test_what_became_of_a_rule_whose_number_is_another_now(tmp_path: Path) -> None:
    """Few words of it are known by its new number; one that was merged is not gone."""
    moved, sunk = "Swift is a word of ships.", "A ship whose hull has a hole sinks at once."
    loaded = "A ship that carries two anchors sails with one of them."
    old = {"100": "Ships", "100.1": moved, "100.2": sunk, "100.3": loaded}
    new = {"100": "Ships", "100.1": f"{loaded} {sunk}", "101": "Words", "101.1": moved}
    books = {
        ("20200124", "en"): rulebook(old, MAGIC),
        ("20230101", "en"): rulebook(new, MAGIC),
    }
    base = build_books(tmp_path, books, "mtg")
    citation, quotation = base.verify(f"Rule 100.2 says “{sunk}”").claims
    assert "it is a part of 100.1 there" in citation.message
    citation, quotation = base.verify(f"Rule 100.1 says “{moved}”").claims
    assert citation.renumbered == "101.1" and quotation.verdict == "exact"
    assert quotation.node and quotation.node.number == "101.1"


def test_a_cited_rule_is_shown_with_its_heading(rules: kb.KnowledgeBase) -> None:
    """By which a reader sees that a number is another rule's now."""
    [own, below] = rules.verify("Rule 121, see rule 121.1.").claims
    assert own.heading == below.heading == "Drawing a Card"


def test_the_name_of_another_thing_contradicts(tmp_path: Path) -> None:
    kept = {"121": "Raft", "121.1": "Rafts", "122": "Sail", "122.1": "Sails lie on a raft."}
    new = {**kept, "130": "Sinking"}
    new["130.3"] = "A ship that sinks is put on the raft of its owner at once."
    base = build_books(tmp_path, {("20230101", "en"): rulebook(new, MAGIC)}, "mtg")
    said = "“A ship that sinks is put on the {} of its owner at once.”"
    *_, claim = base.verify(f"Rule 130.3 says {said.format('sail')}").claims
    assert claim.verdict == "contradicts" and "“sail” for “raft”" in claim.message
    *_, claim = base.verify(f"Rule 130.3 says {said.format('rafts')}").claims
    assert claim.verdict == "repaired"


def test_a_whole_example_in_brackets_may_be_left_out(tmp_path: Path) -> None:
    rule = (
        "The active player checks whether anything keeps the card from moving (for example, that "
        "it has not been here since the turn began), and then pays what the move costs."
    )
    books = {("20230101", "en"): rulebook({"121": "Moving", "121.1": rule}, MAGIC)}
    base = build_books(tmp_path, books, "mtg")
    quoted = rule.replace(rule[rule.index(" (") : rule.index(")") + 1], "")
    *_, claim = base.verify(f"Rule 121.1: “{quoted}”").claims
    assert claim.verdict == "repaired" and "left out" in claim.message, claim.message


def test_words_that_are_gone_are_of_the_last_edition_that_had_them(tmp_path: Path) -> None:
    """However the quotation marks are drawn."""
    kept = {"121": "Drawing a Card", "121.1": "A player draws from the pile."}
    gone = "A player's heap that is hidden stays so until the end of the turn."
    texts = {"20200124": gone, "20210101": gone.replace("'", "’"), "20230101": "All is seen."}
    books = {
        (edition, "en"): rulebook({**kept, "121.2": text}, MAGIC) for edition, text in texts.items()
    }
    base = build_books(tmp_path, books, "mtg")
    [claim] = base.verify(f"The rules say: “{gone}”").claims
    assert (claim.verdict, claim.edition) == ("other edition", "20210101")


def test_a_sentence_that_goes_on_now_is_of_the_edition_in_which_it_ended(tmp_path: Path) -> None:
    kept = {"121": "Drawing a Card", "121.1": "A player draws from the pile."}
    old = "A player whose pile is empty puts one counter on each ship in the harbour."
    new = old.replace(".", " that has a sail.")
    books = {
        ("20200124", "en"): rulebook({**kept, "121.2": old}, MAGIC),
        ("20230101", "en"): rulebook({**kept, "121.2": new}, MAGIC),
    }
    base = build_books(tmp_path, books, "mtg")
    *_, claim = base.verify(f"Rule 121.2 says: “{old}”").claims
    assert (claim.verdict, claim.edition) == ("other edition", "20200124")
    *_, claim = base.verify(f"Rule 121.2 says: “{old.replace(' in the harbour', '')}”").claims
    assert claim.verdict == "exact" and "goes on" in claim.message


def test_of_rules_with_the_same_words_the_one_that_is_named_or_near(tmp_path: Path) -> None:
    same = "A boat with sails can't be stopped but by boats with sails and oars."
    texts = {
        "121": "Sails", "121.1": same, "122": "Rest", "122.1": "A boat at rest stays.",
        "128": "Oars", "128.1": same, "129": "Tides", "129.1": "The tide comes in.",
    }  # fmt: skip
    base = build_books(tmp_path, {("20230101", "en"): rulebook(texts, MAGIC)}, "mtg")
    for text, right, other in (
        ("Sails are defined in 129.1: “{}”", "121.1", "128.1"),
        ("See rule 122.1: “{}”", "121.1", "128.1"),
        ("See rule 129.1: “{}”", "128.1", "121.1"),
    ):
        citation, quotation = base.verify(text.format(same)).claims
        is_named = "Sails" in text  # else none of the two is chosen
        verdict = ("repaired", right) if is_named else ("about something else", None)
        assert (citation.verdict, citation.expected) == verdict, text
        assert quotation.number == right
        assert f"in {other}, too" in citation.message


def test_another_game_named_in_passing_pulls_no_citations(tmp_path: Path) -> None:
    lorcana = {"121": "Quests", "121.1": "A character quests.", "130.5": "The bag is empty."}
    base = of_two_games(tmp_path, {"en": RULES}, lorcana)
    text = (
        "Drawing a card is in rule 121.2. Discarding is in rule 122.1, and rule 122.2 is on tapped "
        "ones. See also rule 121.1. Players of Lorcana know that already."
    )
    found = base.verify(text)
    assert found.game == "mtg" and {one.game for one in found.claims} == {"mtg"}
    found = base.verify(f"{text} In Lorcana rule 130.5 says so.")
    assert [one.game for one in found.claims] == ["mtg"] * 4 + ["lorcana"]
    found = base.verify("In Lorcana rule 121.1 is on quests. See rule 130.5 and rule 199.9.")
    assert {one.game for one in found.claims} == {"lorcana"}
    [*_, absent] = found.claims
    assert absent.message.startswith("No rule 199.9 of Disney Lorcana is loaded")


def test_the_game_that_a_sentence_names(tmp_path: Path) -> None:
    lorcana = {"1.1.1": "Whoever has twenty lore wins the game."}
    base = of_two_games(tmp_path, {"en": RULES}, lorcana)
    words = "Whoever has twenty lore wins the game"
    assert base.verify(f"In Lorcana, “{words}” (1.1.1). In Magic see rule 121.1.").stands
    assert base.verify("In Magic see rule 121.1. Unlike in Lorcana, see rule 122.1 of it.").stands
    assert base.verify(f"Lorcana! “{words}” says 1.1.1, and in Magic it is 121.1.").stands
    for text in (
        f"In Magic: The Gathering, rule 1.1.1 says “{words}”.",
        "In Lorcana see rule 121.1. In Magic see rule 1.1.1.",
        f"In Magic, rule 1.1.1 says “{words.replace('twenty', 'thirty')}”.",
    ):
        found = base.verify(text).claims
        assert len(found) == 2 and not any(one.stands for one in found), text
        assert all("Magic" in one.message or one.number == "1.1.1" for one in found), found
        # What nearly has the words, in another game, puts nothing right.
        assert all("thirty" not in text or not one.expected for one in found)


def test_altered_words_of_a_game_that_the_sentence_does_not_name(tmp_path: Path) -> None:
    """The text is about another game; so near the words, that game is not taken for it."""
    lorcana = {"1.1.1": "Whoever has twenty lore at the end of a turn wins the game at once."}
    base = of_two_games(tmp_path, {"en": RULES}, lorcana)
    words = lorcana["1.1.1"].replace("twenty", "thirty")
    text = f"Magic has its own way to win (121.1). There is another rule: “{words}”"
    *_, claim = base.verify(text).claims
    assert (claim.verdict, claim.game, claim.expected) == ("repaired", "lorcana", lorcana["1.1.1"])


def test_a_text_that_names_no_game_is_about_the_one_that_it_quotes(tmp_path: Path) -> None:
    """121.1 is a number of Magic, too; two rules are quoted to the letter, of Lorcana."""
    lorcana = {
        "121.1": "Whoever has twenty lore at the end of a turn wins the game at once.",
        "121.2": "Whoever has no card left at the end of a turn loses the game at once.",
    }
    base = of_two_games(tmp_path, {"en": RULES}, lorcana)
    text = f"“{lorcana['121.1']}” And “{lorcana['121.2']}” See rule 121.1."
    assert [one.game for one in base.verify(text).claims] == ["lorcana"] * 3


def test_altered_words_are_found_among_many_editions(tmp_path: Path) -> None:
    """The rarest word is the altered one, and other words are in as many rules as there are."""
    rules = {
        "1": "Poison",
        "1.1": "A player who has ten counters of poison loses the game at once.",
        **{f"1.{n}": f"A player with counters of rule {n} has nine lives." for n in range(2, 60)},
    }
    books = {(f"20{year}0101", "en"): rulebook(rules, MAGIC) for year in range(10, 24)}
    base = build_books(tmp_path, books, "mtg")
    [claim] = base.verify(
        "“A player who has nine counters of poison loses the game at once.”"
    ).claims
    assert (claim.verdict, claim.number, claim.expected) == ("repaired", "1.1", rules["1.1"])


def test_the_lines_of_a_comment_in_code_are_one_quotation(rules: kb.KnowledgeBase) -> None:
    words = RULES["121.1"].replace("the top card", "the\n * top card")
    text = f"/**\n * It says “{words}”\n */"
    assert [one.verdict for one in rules.verify(text).claims] == ["typographic"]


def test_each_game_has_the_edition_that_the_text_names_of_it(tmp_path: Path) -> None:
    editions = {date: rulebook(RULES, MAGIC) for date in ("20200124", "20230101")}
    books = {(date, "en"): text for date, text in editions.items()}
    other = {("20220601", "en"): rulebook({"1.1.1": "Whoever has twenty lore wins."}, LORCANA)}
    sources = [
        write_books(tmp_path / "m", books, "mtg"),
        write_books(tmp_path / "l", other, "lorcana"),
    ]
    base = base_of(sources, tmp_path / "kb.db")
    text = (
        "# Two games (June 2022)\n\nLorcana of 2022-06-01, Magic of 2023-01-01.\n\n"
        "In Magic, see rule 121.1."
    )
    [claim] = base.verify(text).claims
    assert (claim.verdict, claim.edition) == ("exact", "20230101")


def test_a_heading_beside_a_citation(rules: kb.KnowledgeBase) -> None:
    assert rules.verify("See rule 121, “Drawing a Card.”").stands
    [claim] = rules.verify("See rule 121, “Discarding.”").claims
    assert (claim.verdict, claim.expected) == ("repaired", "122")


@pytest.mark.parametrize(
    "text",
    [
        "The “stack” and the “Drawing a Card” rule, 「手札」, “Llanowar Elves of the Deep Wood”.",
        "He asked “Can I respond to that in my own turn, do you think?”",
        "A player draws from the pile, and no more than seven cards.",
        "It costs $121.10, weighs 121.9 kg, and version 121.9 came on 2023.1.5.",
        "https://example.org/rules/114.6 and `x = 3`",
        "",
    ],
)
def test_what_is_no_claim(rules: kb.KnowledgeBase, text: str) -> None:
    assert rules.verify(text).claims == ()


def test_numbers_of_three_levels_without_a_word(tmp_path: Path) -> None:
    numbers = ("1", "1.1", "1.1.1", "1.1.2", "10", "10.1", "10.1.1")
    texts = {number: f"A player does the thing of {number} in the turn." for number in numbers}
    base = build_books(tmp_path, {("20250101", "en"): rulebook(texts, LORCANA)}, "lorcana")
    for text in ("手順は1.1.2で、定義は{}にあります。", "It is as in 1.1.2 and {}."):
        for number in ("12.5.7", "1.5.7", "12.5.7.b"):
            found = verdicts(base, text.format(number))
            assert found == [("1.1.2", "exact"), (number, "not found")]
    none = "1.1.2、バージョン2.3.1、v1.4.2、step 4.1.9、2026.1.16、12.30.45、2.9.9パッチ、図2.9.9、"
    none += "アプリ 3.19.9、スコアは3.9.9、価格1.200.300円、iOS 17.9.9、192.168.0.1、patch 1.9.9"
    assert verdicts(base, none) == [("1.1.2", "exact")]


def test_a_gloss_beside_the_rule_that_it_refers_to(rules: kb.KnowledgeBase) -> None:
    words = "Where the discarded cards of a player lie in their order"
    for form in ("“{}” ({})", "“{}.” See {}.", "**Heap**: “{}” (rule {})"):
        assert rules.verify(form.format(words, "122.1")).stands, form
        wrong = rules.verify(form.format(words, "121.1")).claims
        assert {one.kind for one in wrong if not one.stands} == {"citation"}
        misquoted = rules.verify(form.format(words.replace("cards", "tokens"), "122.1")).claims
        assert {one.kind for one in misquoted if not one.stands} == {"quotation"}


def test_a_gloss_under_another_headword(rules: kb.KnowledgeBase) -> None:
    words = "Where the discarded cards of a player lie in their order"
    for form in ("**{}.** “{}.”", "{}: “{}”", "## {}:\n“{}.”"):
        assert rules.verify(form.format("Heap", words)).stands, form
        assert rules.verify(form.format("Nothing", words)).stands, form
        [claim] = rules.verify(form.format("Pile", words)).claims
        assert claim.verdict == "repaired" and "“Heap”" in claim.message, form


def test_words_of_a_rule_that_is_not_loaded_in_their_language(rules: kb.KnowledgeBase) -> None:
    for text in (
        "ルール122.1の公式訳は「捨てるには、手札の札を場に置く」となっている。",
        "MTGの122.1。公式日本語訳は「札を場に置く」です。",
    ):
        [citation, quotation] = rules.verify(text).claims
        assert (citation.verdict, quotation.verdict) == ("exact", "not loaded")
        assert "not loaded in Japanese" in quotation.message and quotation.expected is None


def test_places_are_those_of_the_text(rules: kb.KnowledgeBase) -> None:
    text = "# A\n\nSee **rule 121.1** and\n> puts a card from\n> the hand face up\n\n「引く」 121.9"
    found = rules.verify(text)
    for one in found.claims:
        assert text[slice(*one.span)] == one.text
        lines = text.split("\n")
        assert one.text.startswith(lines[one.line - 1][one.start :][:4])
        assert lines[one.end_line - 1][: one.end].endswith(one.text[-4:])
    assert found.claims[0].text == "rule 121.1"


def test_a_part_of_an_edition_is_said_to_be_one(base: kb.KnowledgeBase) -> None:
    [claim] = base.verify("Rule 999.1", game="mtg", edition="20231117").claims
    assert claim.verdict == "not loaded" and "only" in claim.message and not claim.is_wrong


def test_games_that_are_not_loaded(base: kb.KnowledgeBase) -> None:
    with pytest.raises(kb.QuestionError):
        base.verify("rule 121.1", game="chess")
    assert base.verify("“A player at 0 life or below loses the game”", lang="ja").counts in (
        {},
        {"not found": 1},
    )


def test_games_that_a_text_only_names(rules: kb.KnowledgeBase) -> None:
    quoted = "puts a card from the hand face up onto the heap"
    cites = "See 121.1, 121.2, 121.2a and 122.1."
    for text in (
        f"# Piles\n\nIn Lorcana it is otherwise. {cites}",
        f"# Piles\n\nDrawing a Card is unlike in Yu-Gi-Oh. {cites} Also 121.9.",
        f"Unlike in Pokémon: “{quoted}” (122.1).",
    ):
        found = rules.verify(text)
        assert found.game == "mtg"
        assert {one.verdict for one in found.claims if "121.9" not in one.text} == {"exact"}
    for text in (
        "In Pokémon, rule 121.1 is about energy.",
        f"# Digimon\n\nOf digital monsters. {cites}",
        "Cardfight!! Vanguard: rules 5.2.1, 7.3 and 121.1.",
    ):
        found = rules.verify(text)
        assert found.game != "mtg" and found.claims
        assert all("No rules of" in one.message for one in found.claims)


def test_the_command(tmp_path: Path, base: kb.KnowledgeBase) -> None:
    def run(text: str, *options: str, given: str = "-") -> tuple[int, str]:
        return printed("verify", given, *options, of=base, text=text)[:2]

    code, said = run("See rule 121.4 and rule 121.12")
    assert code == 1 and "not found" in said and "rule 121.4" in said
    code, said = run("See rule 121.4", "--json")
    document = json.loads(said)
    assert code == 0 and document["claims"][0]["verdict"] == "exact"
    assert {"line", "start", "end", "text", "kind", "verdict", "node", "expected"} <= set(
        document["claims"][0]
    )
    assert document["claims"][0]["node"]["number"] == "121.4"
    file = tmp_path / "answer.md"
    file.write_bytes("総合ルール121.12".encode("cp932"))
    assert run("", given=str(file))[0] == 1
    code, said = run("See rule 121.4 and rule 121.12", "--problems")
    assert code == 1 and "rule 121.12" in said and "    rule 121.4" not in said
    assert "2 claims" in said and "--all" in said
    document = json.loads(run("See rule 121.4 and rule 121.12", "--problems", "--json")[1])
    assert len(document["claims"]) == 1 and sum(document["counts"].values()) == 2
    assert run("", given=str(tmp_path / "none.md"))[0] == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "1.2.3.4 CR 704.5b, MTG 1.1 ",
        "「カードを引く」121.4。",
        "Rule 121.1 says “draw a card” (121.4), 2020-01-24. ",
        "> a b c d e 121.4\n",
        "121.4 A player draws.\n",
        "「カードを引く",
        '"a b c ',
        "[x](y) **a ",
        "> a\n",
    ],
)
def test_time_grows_with_the_text(base: kb.KnowledgeBase, piece: str) -> None:
    assert grows_linearly(lambda size: base.verify((piece * size)[:size]), 3_000)


def _scores(names: list[str], bases: dict[str, kb.KnowledgeBase]) -> tuple[Score, list[str]]:
    total, notes = Score(), []
    for name in names:
        text = read_text(TEXTS / f"{name}.md", bases)
        assert text
        total.add(score(text, bases[text.base], notes))
    return total, notes


def test_planted_faults_are_found_in_texts_about_the_sample(base: kb.KnowledgeBase) -> None:
    names = [one.stem for one in TEXTS.glob("*.md") if "base: sample" in one.read_text("utf-8")]
    total, notes = _scores(names, {"sample": base})
    assert total.faults >= 20
    assert total.found == total.right == total.faults and not total.wrong, notes


@pytest.mark.shared
def test_planted_faults_are_found_in_captures(
    shared: Path, built: Callable[..., kb.KnowledgeBase]
) -> None:
    base = built(shared / "seeds", shared / "corpora" / "mtg-cr-ja")
    total, notes = _scores(["05", "10", "11"], {"real": base})
    assert total.found == total.faults > 4 and not total.wrong, notes


@pytest.mark.slow
@pytest.mark.shared
def test_what_is_not_loaded_is_no_fault(tmp_path: Path) -> None:
    """A page whose rules are Japanese ones of 2023, held against 2026, of which only English is
    loaded there: each quotation can't be told, and in English 21 of the 22 are unchanged. But
    701.15, in Japanese by the name that its term has, is another rule now."""
    books = sorted((SHARED / "corpora" / "mtg-cr-en").glob("*_20231117.txt"))
    books += sorted((SHARED / "corpora" / "mtg-cr-en").glob("*_20260116.txt"))
    page = next((SHARED / "seeds").glob("001_*.txt"))
    with base_of([SHARED / "seeds", *books], tmp_path / "x.db") as base:
        found = base.verify(page, edition="20260116")
    assert found.counts == {"exact": 44, "not loaded": 22, "repaired": 1}
    not_loaded = [claim for claim in found.claims if claim.verdict == "not loaded"]
    assert sum("is unchanged" in claim.message for claim in not_loaded) == 21
    [wrong] = found.problems.claims
    assert (wrong.number, wrong.expected) == ("701.15", "701.19")


def test_without_rules_a_number_is_of_no_game(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("en,ja\nDraw,引く\n", "utf-8")
    kb.build([tmp_path / "list.csv"], tmp_path / "x.db", game="mtg")
    with kb.open(tmp_path / "x.db") as base:
        assert {claim.verdict for claim in base.verify("See rule 121.4.")} == {"not loaded"}


def test_a_japanese_denial_behind_a_quotation_counts(tmp_path: Path) -> None:
    words = "プレイヤーは空になった山の上からさらにカードを引く"
    books = {
        ("20230101", "ja"): rulebook({"121": "山", "121.1": f"{words}ことはありません。"}, MAGIC)
    }
    [claim] = build_books(tmp_path, books, "mtg").verify(f"総合ルールは「{words}」と言う。").claims
    assert claim.verdict == "repaired"


def test_the_same_words_are_of_the_newest_edition_though_it_is_fuller_in_another_language(
    tmp_path: Path,
) -> None:
    words = "山にある札をすべて手札に加え、よく切ってから山に戻す。"
    ja = rulebook({"121": "引くこと", "121.1": "山の上から札を1枚引く。", "121.4": words}, MAGIC)
    en = {
        "121": "Drawing",
        **{f"121.{n}": f"A player draws {n} cards now." for n in (1, 2, 3, 5, 7, 9)},
    }
    books = {
        ("20230101", "en"): rulebook(en, MAGIC),
        ("20230101", "ja"): ja,
        ("20200101", "ja"): ja,
    }
    [claim] = (
        build_books(tmp_path, books, "mtg").verify(f"「{words[:-1]}」と総合ルールにある。").claims
    )
    assert claim.node and claim.node.edition == "20230101"


def test_a_rule_behind_a_chapter_is_cited_though_a_word_follows() -> None:
    def numbers(known: set[str]) -> list[tuple[str, ...]]:
        return [one.numbers for one in find_rule_numbers("chapter 2; 20 lore", known)]

    assert numbers({"2", "20"}) == [("2",), ("20",)]
    assert numbers({"2"}) == [("2",)]


def test_the_language_of_the_rules_is_named_by_its_name_alone() -> None:
    text = "英語だと8.10、日本語版では8.9"
    assert list(rules_languages(text, 0, len(text))) == [(0, 4, "en"), (9, 13, "ja")]


def test_words_of_two_rules_are_of_the_one_whose_sentence_ends_there(tmp_path: Path) -> None:
    sinks = "If a ship has six or more leaks, its captain loses the game"
    texts = {
        "104": "Losing",
        "104.3": f"{sinks} the next time a tide would turn.",
        "704": "Checks of the Tide",
        "704.5": f"{sinks}. Ignore this in calm weather.",
        "704.6": "A ship without any captain left drifts out to the sea.",
    }
    base = build_books(tmp_path, {("20230101", "en"): rulebook(texts, MAGIC)}, "mtg")
    for text, numbers in (
        (f"“{sinks}.”", ["704.5"]),
        (f"CR 704.6: “{sinks}.”", ["704.6", "704.5"]),
    ):
        found = base.verify(text).claims
        assert [one.number for one in found] == numbers and found[-1].stands, text
        assert "goes on" not in found[-1].message
    [citation, _] = base.verify(f"CR 704.6: “{sinks}.”").claims
    assert (citation.expected, citation.rule) == ("704.5", texts["704.6"])


def test_only_the_language_asked_for_is_said_to_be_held_against(rules: kb.KnowledgeBase) -> None:
    (held,) = rules.verify("CR 121.1", lang="en").against
    assert "English" in held and "Japanese" not in held


@pytest.mark.parametrize(
    ("text", "verdicts_there"),
    [
        ("See rule 120.3, and rule 704.5d.", ["not loaded", "not loaded"]),  # gaps of the sample
        ("See rule 117, “Timing and Priority”.", ["not loaded", "not loaded"]),
        ("See rule 121.12, and rule 614.99.", ["not found", "not found"]),
    ],
)
def test_what_a_part_of_an_edition_lacks_cannot_be_told(
    base: kb.KnowledgeBase, text: str, verdicts_there: list[str]
) -> None:
    assert [one.verdict for one in base.verify(text, game="mtg").claims] == verdicts_there


@pytest.mark.parametrize(
    ("text", "edition", "verdict"),
    [
        ("Rule 200.9 is not in this edition.", None, "exact"),
        ("Rule 200.5 isn’t in this edition.", "20250401", "exact"),
        ("# 2025年4月1日版のルール\n\nCR:200.5はこの版にない。", None, "exact"),
        ("Rule 200.9 is a rule of this edition.", None, "not found"),
        ("See chapter 4 of my book.", None, None),
        ("この本の第4章を参照。", None, None),
        ("See chapter 4 of the rules.", None, "not found"),
    ],
)
def test_what_is_said_not_to_be_there_and_chapters_of_books(
    base: kb.KnowledgeBase, text: str, edition: str | None, verdict: str | None
) -> None:
    found = base.verify(text, game="lanterns", edition=edition)
    assert [one.verdict for one in found.claims] == ([verdict] if verdict else [])
