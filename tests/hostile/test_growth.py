"""Twice the text takes about twice the time: names, links, brackets, and the lines of a PDF."""

from __future__ import annotations

import io

import pytest
from reportlab.pdfgen.canvas import Canvas

import kb
from graphs.writing.page_claims import PageClaims
from kb.knowledge.names.name_lists import ListEntry, list_entries
from kb.knowledge.prepared_page import PageContext
from kb.knowledge.rulings import _question_end, _split_date, rulings
from kb.knowledge.rulings import extract as extract_rulings
from kb.language.headwords import parse_headword
from kb.language.tokens import dictionary_form, tokenizer
from kb.language.word_diff import differences
from kb.query.answers.candidates import any_of_query
from scraper import Page, Passage, Snapshot, read_pages
from scraper.markup.pukiwiki_inline import Here, pieces
from scraper.page import Link
from scraper.rulebook import pdf
from scraper.rulebook.classified_lines import _TABLE_RULER
from tests.children import pdfs_read_here
from tests.timing import grows_linearly


@pytest.mark.parametrize("unit", ["X（X）", "引（引）", "漢", "引く/Draw", "霧/", "漢a", "(", "《"])
def test_names(unit: str) -> None:
    assert grows_linearly(lambda size: parse_headword(unit * (size // len(unit))), 8_000)


@pytest.mark.parametrize("inside", ["[", "[[", "[[a|", "[[a>", "[[://", "[[a:http://"])
def test_brackets_of_pukiwiki(inside: str) -> None:
    assert grows_linearly(
        lambda size: pieces(f"[[{inside * (size // len(inside))}]]", Here("X")), 20_000
    )


def test_links_in_one_passage() -> None:
    assert grows_linearly(lambda size: _forms("引く。" * (size // 3)), 9_000)


def _forms(text: str) -> list[str]:
    tokens = tokenizer()(text)
    return [dictionary_form(text, tokens, start, start + 1) for start in range(0, len(text), 3)]


def _letters(count: int) -> bytes:
    """A PDF with a line of letters, each drawn by itself, the last one first."""
    made = io.BytesIO()
    canvas = Canvas(made, pagesize=(40 * count, 100))
    for n in range(count):
        canvas.drawString(40 * (count - n), 50, "a")
    canvas.save()
    return made.getvalue()


@pytest.mark.slow
def test_letters_of_a_pdf_drawn_from_right_to_left() -> None:
    files = {count: _letters(count) for count in (300, 3_000, 6_000)}
    with pdfs_read_here():
        assert grows_linearly(lambda count: pdf.read_pdf(files[count]), 3_000)
    assert pdf.read_pdf(files[6_000]).text == " ".join("a" * 6_000)


def test_signs_that_are_long_in_nfkc() -> None:
    text = "㍿ﷺ" * 9_000
    tokens = tokenizer()(text)
    assert "".join(text[token.start : token.end] for token in tokens) == text


@pytest.mark.parametrize("tag", ['a href="/wiki/{}"', "b", "ruby"])
def test_spans_in_each_other(tag: str) -> None:
    """Each passage has the links that are open: a thousand in each other must not be in all."""

    def passages(count: int) -> int:
        opened = "".join(f"<{tag.format(n)}>語<p>文{n}</p>" for n in range(count))
        html = f'<h1 id="firstHeading">X</h1><div id="bodyContent">{opened}</div>'
        pages, _ = read_pages(Snapshot("x.html", html.encode()))
        return sum(len(p.links) + len(p.strong) + len(p.ruby) for p in pages[0].passages)

    assert passages(400) < 2.3 * passages(200) + 100


def test_a_name_of_thousands_of_words_is_asked_for_by_its_first() -> None:
    assert any_of_query(["引く " * 5_000]) == any_of_query(["引く " * 32])


def test_words_to_search_for_have_a_limit() -> None:
    with kb.sample() as base:
        for ask in (base.search, base.kwic):
            with pytest.raises(kb.QuestionError, match="2,001 characters; give at most 2,000"):
                ask("引" * 2_001)
            ask("引" * 2_000)


def test_the_whole_of_a_question_is_read_or_none_of_it() -> None:
    with kb.sample() as base:
        with pytest.raises(kb.QuestionError, match="901 characters; give at most 900"):
            base.ask("引" * 901)
        base.ask("ﷺ" * 900)
        asked = "Please tell me, as I want to know it. " * 20 + "What is 121.4?"
        assert any(answer.node.number == "121.4" for answer in base.ask(asked).answers)


def test_a_line_of_spaces_is_no_table_of_markdown() -> None:
    assert _TABLE_RULER.fullmatch(" | --- | :---: | ") and _TABLE_RULER.fullmatch("---|---")
    assert not _TABLE_RULER.fullmatch("| -- |")
    assert grows_linearly(lambda size: _TABLE_RULER.fullmatch(" " * size), 10_000)


def test_many_rulings_in_one_passage() -> None:
    def questions(size: int) -> list[str]:
        text = "Q: 引くか？\nA: 引く。\n" * (size // 15)
        found = rulings([Passage("paragraph", text)])
        return [text[each.start : _question_end(text, each)] for each in found]

    assert questions(30) == ["引くか？\n"] * 2
    assert grows_linearly(questions, 30_000)


def test_spaces_in_a_name_of_a_list() -> None:
    def names(size: int) -> list[ListEntry]:
        return list(list_entries([f"引く{'　' * size}い / 札\tDraw{' ' * size}x"], head=False))

    assert [name.label for name in names(1)[0].term] == ["引く い", "札"]
    assert grows_linearly(names, 10_000)


def test_a_ruling_with_a_very_long_answer() -> None:
    def answer(size: int) -> str:
        rows = [Passage("row", f"札{n}\t引く", block=2) for n in range(size)]
        [found] = rulings([Passage("paragraph", "Q: 引くか？\nA: "), *rows])
        assert len(found.answers) == size
        return found.answer

    assert answer(2) == "札0\t引く\n札1\t引く"
    assert grows_linearly(answer, 10_000)


def test_many_rulings_with_links_in_one_passage() -> None:
    def mentions(size: int) -> int:
        line = "Q: 引くか？\nA: 引く。\n"
        links = (Link(n * len(line) + 3, n * len(line) + 5, "page", f"引{n}") for n in range(size))
        passage = Passage("paragraph", line * size, links=tuple(links))
        page = Page("w", "P", url="", game="mtg", engine="mediawiki", passages=(passage,))
        claims = PageClaims("w/P")
        extract_rulings(PageContext.of(page, tokenizer(), ""), claims)
        return len(claims.edges)

    assert mentions(20) == 20
    assert grows_linearly(mentions, 1_500)


def test_spaces_before_the_date_of_a_ruling() -> None:
    assert _split_date("はい。  （２０２０年12月24日）") == ("はい。", "2020-12-24")
    assert grows_linearly(lambda size: _split_date("　" * size + "い"), 10_000)


def test_wordings_that_repeat_a_word_differ_in_what_is_between() -> None:
    text, other = "draw " * 2_000 + "a card " + "end " * 900, "draw " * 2_000 + "end " * 900
    assert differences(text, other) == [(10_000, 10_006, 9_999, 9_999)]


def test_what_is_between_words_that_are_repeated_is_compared_word_by_word() -> None:
    around = "draw " * 1_400
    text, other = around + "one card or two " + around, around + "a card or three " + around
    assert [(text[d[0] : d[1]], other[d[2] : d[3]]) for d in differences(text, other)] == [
        ("one", "a"),
        ("two", "three"),
    ]


def test_wordings_that_repeat_words_everywhere_are_one_difference() -> None:
    text, other = "a " + "draw " * 1_400 + "b", "c " + "draw " * 1_399 + "d"
    assert differences(text, other) == [(0, len(text), 0, len(other))]


def test_a_list_of_hundreds_of_names_is_compared_word_by_word() -> None:
    names = [f"name{n}" for n in range(600)]
    text, other = ", ".join(names), ", ".join([*names[:90], "more", *names[90:500], *names[501:]])
    assert [(text[d[0] : d[1]], other[d[2] : d[3]]) for d in differences(text, other)] == [
        ("", ", more"),
        ("name500,", ""),
    ]


def test_texts_of_too_many_words_differ_as_a_whole_if_one_of_them_is() -> None:
    text, other = "one two " * 1600, "one three"
    assert differences(text, other) == [(0, len(text), 0, len(other))]
