"""The words of a search: widths, phrases, function words, and what is said where nothing is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kb
from kb.language.tokens import normal_forms, normal_text, tokenizer
from kb.query.lookup.search_words import find_phrases, parse_words
from tests.commands import run
from tests.rulebooks import base_of, build_books, described, rulebook
from tests.timing import grows_linearly

# Latin letters of several widths, and signs that are compositions of them.
SAME_WORDS = [
    ("ＤＲＡＷ", "draw"),
    ("Ｄｒａｗ", "draw"),
    ("ｄraw", "draw"),
    ("𝐝𝐫𝐚𝐰", "draw"),
    ("ＰＲＩＯＲＩＴＹ", "priority"),
    ("ｔｈｅ", "the"),
    ("ＭＴＧ", "mtg"),
    ("ﬁrst", "first"),
    ("it’s", "it's"),
    ("ﾄﾞﾛｰ", "ドロー"),
]


@pytest.mark.parametrize(("written", "usual"), SAME_WORDS)
def test_width_does_not_count(written: str, usual: str) -> None:
    forms = [[form for form, _, _ in normal_forms(tokenizer()(w))] for w in (written, usual)]
    assert forms[0] == forms[1] == [usual]


@pytest.mark.parametrize(
    "text", ["札をオモテ向きに置く。", "札の表の向きを変える。", "絵は表。向きは横。", "表・向き"]
)
def test_the_index_has_the_words_that_are_searched_for(text: str) -> None:
    """A word of two parts, as 表向き, only where they touch."""
    forms = [form for form, _, _ in normal_forms(tokenizer()(text))]
    assert normal_text(tokenizer().entries(text)[0]) == " ".join(forms)
    assert ("表向き" in forms) == ("オモテ向き" in text)


def test_signs_and_numbers_stay_as_they_are() -> None:
    assert [form for form, _, _ in normal_forms(tokenizer()("Ⅳ １２ 引く ℃"))] == [
        "4", "12", "引く", "度",
    ]  # fmt: skip


def spans(text: str, words: str) -> list[str]:
    return [text[s:e] for s, e in find_phrases(text, parse_words(words).phrases)]


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("See 100.1a and 100.1.", "100.1", ["100.1"]),
        ("See 100.1a and 100.1.", "100.1a", ["100.1a"]),
        ("rules 121, 121.4, 121a, 1121 and 4.121", "121", ["121"]),
        ("5-3-1 5-3 5", "5-3", ["5-3"]),
        ("She draws, drew, drawing a card", "draw", ["draws", "drawing"]),
        ("One can't; one can’t", "can't", ["can't", "can’t"]),
        ("One can't; one can’t", "can’t", ["can't", "can’t"]),
        ("カードを引かれた。カードに引く", "カードを引く", ["カードを引か", "カードに引く"]),
        ("Draw the card", '"draw a card"', []),
        ("2枚引く", "2枚", ["2枚"]),
    ],
)
def test_occurrences(text: str, words: str, found: list[str]) -> None:
    assert spans(text, words) == found


@pytest.mark.parametrize(
    ("typed", "phrases", "sequence"),
    [
        ("draw the card", (("draw",), ("card",)), ("draw", "the", "card")),
        ("the", (("the",),), ()),
        ("of the", (("of",), ("the",)), ()),
        ("“draw a card”", (("draw", "a", "card"),), ()),
        ('"draw a card', (("draw",), ("card",)), ("draw", "a", "card")),
        ('"" draw', (("draw",),), ()),
        ("札 draw", (("札",), ("draw",)), ()),
        ("引\u200bく", (("引く",),), ()),
        ("ト\u3099ロー", (("ドロー",),), ()),
        ("…", (), ()),
    ],
)
def test_phrases(typed: str, phrases: object, sequence: object) -> None:
    words = parse_words(typed)
    assert (words.phrases, words.sequence) == (phrases, sequence)


@pytest.mark.parametrize("piece", ['"', "“a ", "a ", "1.", "a'", "引く"])
def test_long_queries_take_time_by_their_length(piece: str) -> None:
    def parse_and_find(length: int) -> None:
        list(find_phrases("札を引く。", parse_words(piece * length).phrases))
        list(find_phrases(piece * length, parse_words("a card").phrases))

    assert grows_linearly(parse_and_find, 4_000)


# -- searches -----------------------------------------------------------------------------------

BOOK = {
    "1": "Harbour",
    "100": "Unload Step",
    "100.1": "During the unload step a sailor may unload a crate.",
    "100.1a": "Rule 100.1 does not count for a wet crate. A crate may be unloaded once.",
    "100.2": "Unload the ship; then each crate is weighed. Deathgrip holds.",
    "100.3": "Sailors unload a crate and weigh the ship.",
}
WIKI = "*札\n**解説\n札は引くことができる。\n**FAQ\nQ：札は引ける？\nA：引ける。\n"


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[kb.KnowledgeBase]:
    folder = tmp_path_factory.mktemp("harbour")
    text = rulebook(BOOK, "Harbour Rules", "\nGlossary\n\nDeathgrip\nHolds.\n")
    given = {"lang": "en", "edition": "20200101", "site": "rulebook", "game": "harbour"}
    described(folder, {"book.txt": text}, **given)
    page = {"引く.txt": WIKI.replace("札\n**解", "引く\n**解")}
    described(folder, page, site="pukiwiki", lang="ja", game="harbour")
    with base_of([folder], folder / "x.db", workers=1) as base:
        yield base


def numbers(found: kb.Hits | kb.Concordance) -> list[str | None]:
    return [each.node.number for each in found]


def test_full_width_finds_what_half_width_finds(harbour: kb.KnowledgeBase) -> None:
    assert numbers(harbour.search("ＵＮＬＯＡＤ")) == numbers(harbour.search("unload")) != []
    assert harbour.kwic("ＵＮＬＯＡＤ").lines == harbour.kwic("unload").lines


def test_a_phrase_comes_first(harbour: kb.KnowledgeBase) -> None:
    found = harbour.search("unload a crate")
    assert set(numbers(found)[:2]) == {"100.1", "100.3"}
    assert set(numbers(found)) == {"100.1", "100.1a", "100.2", "100.3"}
    assert (found.with_phrase, found.total) == (2, 4)
    scores = [hit.score for hit in found]
    assert scores == sorted(scores, reverse=True)
    quoted = harbour.search('"unload a crate"')
    assert set(numbers(quoted)) == {"100.1", "100.3"} and quoted.with_phrase is None


def test_lines_are_of_the_phrase(harbour: kb.KnowledgeBase) -> None:
    found = harbour.kwic("unload a crate")
    assert [line.key for line in found] == ["unload a crate"] * 2
    assert [left.reason.values for left in found.also] == [{"passages": 2}]
    apart = harbour.kwic("weigh the crate")  # nowhere a phrase: its content words, in either form
    assert {line.key for line in apart} == {"weigh", "weighed", "crate"} and not apart.also


def test_a_number_is_found_whole(harbour: kb.KnowledgeBase) -> None:
    assert [line.key for line in harbour.kwic("100.1")] == ["100.1", "100.1"]
    assert {line.node.number for line in harbour.kwic("100.1")} == {"100.1", "100.1a"}


def test_a_name_alone_comes_last(harbour: kb.KnowledgeBase) -> None:
    found = harbour.search("unload")
    assert numbers(found)[-1] == "100"
    assert harbour.search("deathgrip")[0].node.number == "100.2"


@pytest.mark.parametrize(
    ("typed", "near", "told"),
    [
        ("ひく", "引く", "引く is read ひく"),
        ("hiku", "引く", "引く is read hiku"),
        ("deathgrap", "Deathgrip", "near deathgrap: Deathgrip"),
        ('"death grip"', "Deathgrip", 'near "death grip": Deathgrip'),
        ("crate deathgrap", "Deathgrip", "near deathgrap: Deathgrip"),
    ],
)
def test_near_names_are_suggested_and_not_taken(
    harbour: kb.KnowledgeBase, typed: str, near: str, told: str
) -> None:
    found = harbour.search(typed)
    assert not found.hits and found.near == (near,)
    assert str(found.hints[0]) == f'{told}: base.search("{near}")'
    assert harbour.follow(found.hints[0].ask).hits
    assert harbour.kwic(typed).near == (near,)
    ran = run("search", typed, of=harbour)
    assert ran.exit_code == 1 and not ran.stdout
    assert f"{told}: sansho search {near} --kb" in ran.stderr


def test_suggestions_fit_the_filters(harbour: kb.KnowledgeBase) -> None:
    assert harbour.search("deathgrap", lang="ja").near == ()


@pytest.mark.parametrize(("command", "number"), [("search", "4 passages"), ("kwic", "5 lines")])
def test_the_filter_that_leaves_all_out(
    harbour: kb.KnowledgeBase, command: str, number: str
) -> None:
    found = getattr(harbour, command)("引く", lang="en", game="harbour")
    [left_out] = found.also
    assert str(left_out).startswith(f'{number} left out by lang="en" alone: base.')
    assert harbour.follow(left_out.reason.ask)
    ran = run(command, "引く", "--lang", "en", of=harbour)
    assert ran.exit_code == 1 and not ran.stdout and "left out by --lang en alone" in ran.stderr
    [both] = getattr(harbour, command)("引く", lang="en", kind="step").also
    assert harbour.follow(both.reason.ask)


def test_words_that_occur_but_not_together(harbour: kb.KnowledgeBase) -> None:
    [hint] = harbour.search("札 crate").hints
    assert str(hint) == "each by itself: 札: 2 passages, crate: 4 passages"


@pytest.mark.parametrize("words", ["unload", "引く", "a crate"])
def test_nothing_is_cut_inside_a_word(harbour: kb.KnowledgeBase, words: str) -> None:
    lines = harbour.kwic(words, width=7).lines
    assert lines
    for line in lines:
        text = harbour.show(line.passage).matches[0].text or ""
        first, last = line.start - len(line.left), line.end + len(line.right)
        for place in (first, last):
            around = text[max(0, place - 1) : place + 1]
            assert not (len(around) == 2 and around.isascii() and around.isalnum() and place > 0)
        assert line.cut == (bool(text[:first].strip()), bool(text[last:].strip()))


# -- questions over editions --------------------------------------------------------------------


@pytest.fixture(scope="module")
def editions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[kb.KnowledgeBase]:
    """Two editions: a rule moves with its words, and its old number becomes another rule's."""
    stow = "To stow a barrel means to lash it below deck. Stowing ends the shift."
    old = {"1": "Cargo", "10": "Stow", "10.1": stow, "11": "Tar", "11.1": "Tar is sticky."}
    new = {"1": "Cargo", "10": "Brew", "10.1": "To brew means to heat tar.", "12": "Stow",
           "12.1": stow, "12.2": "A barrel is stowed as rule 12.1 says."}  # fmt: skip
    books = {}
    for edition, rules, number in (("20200101", old, 10), ("20210101", new, 12)):
        glossary = f"\nGlossary\n\nStow\nTo lash a barrel below deck. See rule {number}.1.\n"
        books[edition, "en"] = rulebook(rules, "Cargo Rules", glossary)
    with build_books(tmp_path_factory.mktemp("editions"), books, "cargo") as base:
        yield base


def test_one_answer_for_what_editions_state_alike(editions: kb.KnowledgeBase) -> None:
    found = editions.ask("what does stow a barrel mean", top=20)
    stowing = [answer for answer in found if "lash it below" in (answer.passage.text or "")]
    assert [answer.place.number for answer in stowing] == ["12.1"]
    assert [(p.edition, p.number) for p in stowing[0].same] == [("20200101", "10.1")]
    entries = [answer for answer in found if "See rule" in (answer.passage.text or "")]
    assert [answer.place.edition for answer in entries] == ["20210101"]
    assert [p.edition for p in entries[0].same] == ["20200101"]
    ran = run("ask", "what does stow a barrel mean", of=editions)
    assert "also in edition 20200101 (as 10.1)" in ran.stdout


def test_another_rule_of_the_same_number_is_another_answer(editions: kb.KnowledgeBase) -> None:
    found = editions.ask("what does brew mean", top=20)
    assert "To brew" in (found[0].passage.text or "") and not found[0].same


def test_questions_of_one_edition_or_language(editions: kb.KnowledgeBase) -> None:
    found = editions.ask("what does stow a barrel mean", edition="20200101", top=20)
    assert found and {answer.place.edition for answer in found} == {"20200101"}
    assert editions.ask("what does stow a barrel mean", lang="en")
    with pytest.raises(kb.QuestionError, match="no language ja"):
        editions.ask("what does stow a barrel mean", lang="ja")
    ran = run("ask", "stow a barrel", "--edition", "20200101", "--lang", "en", of=editions)
    assert ran.exit_code == 0 and "10.1 Stow  cargo · edition 20200101" in ran.stdout
    assert ran.stdout.count("12.1") == 2 and "now 12.1 in edition 20210101" in ran.stdout


def test_reasons_are_true_of_the_passage(editions: kb.KnowledgeBase) -> None:
    answers = editions.ask("what does stow mean", top=20).answers
    of_stow = [
        answer
        for answer in answers
        if any(str(why).startswith("speaks of stow") for why in answer.why)
    ]
    assert of_stow
    for answer in of_stow:
        assert "stow" in (answer.passage.text or "").lower()


def test_near_names_for_a_question(harbour: kb.KnowledgeBase) -> None:
    found = harbour.ask("what is deathgrap")
    assert (found.answers, found.near) == ((), ("Deathgrip",))
    ran = run("ask", "what is deathgrap", of=harbour)
    assert ran.exit_code == 1 and "near deathgrap: Deathgrip" in ran.stderr


def test_what_is_left_out_is_marked(editions: kb.KnowledgeBase) -> None:
    [answer, *_] = editions.ask("stow a barrel lash it below deck", edition="20210101")
    before, behind = answer.context(12)
    assert behind.endswith("…") or before.startswith("…") or not (before or behind)
    whole = answer.context(1000)
    assert "…" not in "".join(whole)
