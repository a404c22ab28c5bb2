"""Drafts of every format are read as segments, each with its place, source and ignored kinds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.checking.draft import Draft, Segment
from kb.checking.drafts import (
    draft_file,
    read_csv,
    read_draft,
    read_html,
    read_markdown,
    read_text,
    read_tmx,
    read_xliff,
)  # fmt: skip
from kb.checking.drafts.draft_file import DraftFile
from kb.checking.drafts.read_text import wrap_width
from kb.checking.drafts.segments import LONGEST
from kb.errors import SourceError
from tests.timing import grows_linearly

XLIFF = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">\n'
    '<file source-language="ja-JP" target-language="en"><body><group>\n'
)
XLIFF_END = "\n</group></body></file></xliff>\n"
TMX = '<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4"><header srclang="ja"/><body>\n'
TMX_END = "\n</body></tmx>\n"

Read = Callable[..., Draft]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Writes a file, and another for its source if it is given, and reads both as a draft."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def read(name: str, content: str | bytes, source: str | None = None, **given: str) -> Draft:
        path = write(name, content)
        beside = None if source is None else write(f"source-{name}", source)
        return read_draft(path, source_path=beside, **given)

    return read


def targets(draft: Draft) -> list[str]:
    return [segment.target for segment in draft.segments]


def pairs(draft: Draft) -> list[tuple[str | None, str]]:
    return [(segment.source, segment.target) for segment in draft.segments]


def ignored(draft: Draft) -> dict[str, list[str] | None]:
    """What is ignored, by the text of the segments; None for all kinds."""
    return {
        segment.target: None if segment.ignored is None else sorted(segment.ignored)
        for segment in draft.segments
    }


# Plain text


def test_a_line_is_a_segment(read: Read) -> None:
    draft = read("a.txt", "  Draw a card.\n\n----\nカードを引く。\r\nTap it.")
    segments = list(draft.segments)
    assert [(s.id, s.line, s.target) for s in segments] == [
        ("1", 1, "Draw a card."), ("2", 4, "カードを引く。"), ("3", 5, "Tap it."),
    ]  # fmt: skip
    assert segments[0].place(0) == (1, 2)


def test_wrapped_lines_are_joined(read: Read) -> None:
    english = (
        "Whoever goes first skips the draw of that turn, as\n"
        "going first is worth more than one card. The other\n"
        "player draws as usual and may take a mulligan.\n\n"
        "- Each item stands alone, however long the line is\n"
        "  that says it: what is below its text is part of\n"
        "  it.\n"
        "- This is another one.\n"
    )
    japanese = (
        "先攻のプレイヤーは最初のターンにカードを引かない。\n"
        "そのかわりに先に行動できるので、ほとんどの場合はそ\n"
        "れで釣り合いが取れている。\n"
    )
    assert len(targets(read("a.txt", english))) == 3
    assert "as going first" in targets(read("a.txt", english))[0]
    assert "line is that says" in targets(read("a.txt", english))[1]
    assert targets(read("b.txt", japanese)) == [japanese.replace("\n", "")]


def test_short_lines_are_not_joined(read: Read) -> None:
    text = "Draw a card.\nDiscard a card.\nUntap your permanents.\nEnd the turn.\n"
    assert len(targets(read("a.txt", text))) == 4
    text = "Each of these lines is a sentence, all as long.\n" * 9
    assert len(targets(read("b.txt", text))) == 9


def test_broken_lines_of_a_rulebook_are_joined(read: Read) -> None:
    rule = "A player who is told to draw a card from an empty deck loses the game as soon\n     as"
    rule += " the check for this is made the next time, which is soon.\n"
    text = "".join(f"{n}.{m}. {rule}" for n in range(1, 4) for m in range(1, 9))
    found = targets(read("a.txt", text))
    assert len(found) == 24
    assert "as soon as the check" in found[5]


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "cp932", "euc_jp"])
def test_charsets(read: Read, charset: str) -> None:
    text = "カードを引く。\n手札を捨てる。\n"
    segments = list(read("a.txt", text.encode(charset)).segments)
    assert [s.target for s in segments] == ["カードを引く。", "手札を捨てる。"]
    assert segments[0].place(0) == (1, 0)


# Markdown


def test_what_a_reader_of_markdown_sees(read: Read) -> None:
    text = (
        "---\ntitle: Rules\n---\n# The *draw* step ##\n\n> Draw **a**\n> card.\n\n"
        "1. See [rule 2](rules.md#2 'x') or `code`.\n   - Nested &amp; 2\\*3\n\n"
        "| Term | a \\| b |\n|---|---|\n| 引く | Draw |\n\n"
        "```\ncode\n```\n\n    code\n\n<!-- note -->\n<div>In <b>HTML</b></div>\n\n"
        "日本語の\n文。\n\nSetext\n===\n\n[x]: https://example.com\n"
    )
    segments = list(read("a.md", text).segments)
    assert [(s.line, s.target) for s in segments] == [
        (4, "The draw step"), (6, "Draw a card."), (9, "See rule 2 or ."), (10, "Nested & 2*3"),
        (12, "Term"), (12, "a | b"), (14, "引く"), (14, "Draw"), (23, "In HTML"),
        (25, "日本語の文。"), (28, "Setext"),
    ]  # fmt: skip


def test_what_stands_between_two_lines_is_no_front_matter(read: Read) -> None:
    assert targets(read("a.md", "---\n\nDraw a card.\n\n---\n\nTap.\n")) == ["Draw a card.", "Tap."]


def test_blocks_that_are_nested_too_deeply_are_said(read: Read) -> None:
    draft = read("a.md", "a\n\n" + "> " * 300 + "b\n")
    assert targets(draft) == ["a"]
    assert "line 3: blocks are nested too deeply" in draft.warnings[0]


# HTML


def test_blocks_of_html(read: Read) -> None:
    text = (
        "<!DOCTYPE html><html lang=ja-JP><head><title>T</title></head><body>\n<p>カードを\n  引く"
        "&amp;<ruby>捨<rt>す</ruby>てる<!-- x --></p><script>no</script><ul><li>a<li>b <code>c"
        "</code></ul><svg><text>no</text></svg>x<br>y"
    )
    segments = list(read("a.html", text).segments)
    assert [(s.line, s.target) for s in segments] == [
        (2, "カードを引く&捨てる"), (3, "a"), (3, "b"), (3, "x y"),
    ]  # fmt: skip
    assert {s.target_lang for s in segments} == {"ja"}


# XLIFF


def test_units_of_xliff(read: Read) -> None:
    text = (
        f'{XLIFF}<trans-unit id="a"><source>引く<x id="1"/></source><seg-source>no</seg-source>'
        '<target state="translated">Draw <g id="1">a</g>\n  card<ph id="2">&lt;br/></ph>now &amp;'
        '<bpt id="3">{b}</bpt> then</target><alt-trans><source>no</source><target>no</target>'
        "</alt-trans></trans-unit>\n"
        '<trans-unit id="b"><source>引く</source></trans-unit>\n'
        '<trans-unit id="c"><source>捨てる</source><target/></trans-unit>\n'
        '<trans-unit id="d" translate="no"><source>X</source><target>X</target></trans-unit>\n'
        '<trans-unit id="e"><source>X</source><target state="new">X</target></trans-unit>\n'
        f'<trans-unit id="a"><source>表</source><target>Up</target></trans-unit>{XLIFF_END}'
    )
    draft = read("a.xlf", text)
    segments = list(draft.segments)
    assert [(s.id, s.source, s.target) for s in segments] == [
        ("a", "引く", "Draw a card now & then"), ("a#2", "表", "Up"),
    ]  # fmt: skip
    assert (segments[0].source_lang, segments[0].target_lang) == ("ja", "en")
    assert segments[0].place(segments[0].target.index("card")) == (5, 2)
    assert [warning.rpartition(" ")[2] for warning in draft.warnings] == ["2", "1", "1"]


def test_units_of_xliff_2(read: Read) -> None:
    text = (
        '<xliff version="2.0" srcLang="en" trgLang="ja"><file id="f"><unit id="u"><notes><note>'
        'sansho: ignore number</note></notes><segment id="s"><source>Draw</source><target>引<pc '
        'id="1">く</pc></target></segment><ignorable><source>x</source></ignorable><segment>'
        "<source>Tap</source><target>タップ</target></segment></unit></file></xliff>"
    )
    draft = read("a.xlf", text)
    assert [(s.id, s.source, s.target, s.target_lang) for s in draft.segments] == [
        ("u/s", "Draw", "引く", "ja"), ("u", "Tap", "タップ", "ja"),
    ]  # fmt: skip


def test_a_note_behind_a_unit_is_not_a_part_of_it(read: Read) -> None:
    unit = '<trans-unit id="{}"><source>Draw</source><target>引く</target></trans-unit>'
    note = "<note>sansho: {}</note>"
    text = XLIFF + note.format("ignore-start number") + unit.format("a")
    text += note.format("ignore-end") + unit.format("b") + XLIFF_END
    draft = read("a.xlf", text)
    ignored = [bool(segment.ignored) for segment in draft.segments]
    assert (ignored, draft.warnings) == ([True, False], [])


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp932"])
def test_charsets_of_xml(read: Read, charset: str) -> None:
    declared = "Shift_JIS" if charset == "cp932" else "UTF-16"
    text = XLIFF.replace("UTF-8", declared)
    text += "<trans-unit><source>Draw</source><target>引く</target></trans-unit>" + XLIFF_END
    assert targets(read("a.xlf", text.encode(charset))) == ["引く"]


# TMX


def test_units_of_tmx(read: Read) -> None:
    unit = '<tu tuid="{}"><tuv xml:lang="{}"><seg>{}</seg></tuv>{}</tu>\n'
    english = (
        '<tuv xml:lang="en-US"><seg>Draw <hi>a</hi><ph type="lb"/><ph>{1}</ph>card</seg></tuv>'
    )
    text = (
        TMX + unit.format("1", "JA", "引く", english) + unit.format("2", "ja", "表", "") + TMX_END
    )
    draft = read("a.tmx", text)
    assert [(s.id, s.line, s.source, s.target, s.target_lang) for s in draft.segments] == [
        ("1", 3, "引く", "Draw a card", "en")
    ]
    assert draft.warnings[0].endswith("units that have no translation and aren't checked: 1")
    assert pairs(read("a.tmx", text, target_lang="ja", source_lang="en")) == [
        ("Draw a card", "引く"), (None, "表"),
    ]  # fmt: skip


def test_the_target_of_several_languages_must_be_said(read: Read) -> None:
    texts = "".join(
        f'<tuv xml:lang="{lang}"><seg>{lang}</seg></tuv>' for lang in ("ja", "en", "fr")
    )
    text = f"{TMX}<tu>{texts}</tu>{TMX_END}"
    assert pairs(read("a.tmx", text, target_lang="fr")) == [("ja", "fr")]
    with pytest.raises(SourceError, match="line 3: a unit with texts in en, fr; say the target"):
        list(read("a.tmx", text).segments)


# CSV


def test_rows_of_csv(read: Read) -> None:
    text = '引く,"Draw ""a"", or\ntwo",note\n捨てる,Discard,\n表,,\n'
    draft = read("a.csv", text)
    segments = list(draft.segments)
    assert [(s.line, s.source, s.target) for s in segments] == [
        (1, "引く", 'Draw "a", or two'), (3, "捨てる", "Discard"),
    ]  # fmt: skip
    assert (segments[0].source_lang, segments[0].target_lang) == ("ja", "en")
    assert draft.warnings[0].endswith("1")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "source,target\n引く,Draw\n"),
        ("a.csv", "target;note;source\nDraw;x;引く\n"),
        ("a.csv", "Japanese,English\n引く,Draw\n"),
        ("a.tsv", "id\t原文\t訳文\nx\t引く\tDraw\n"),
        ("a.csv", "引く\tDraw\n"),
        ("a.csv", "\ufeff引く;Draw\n"),
    ],
)
def test_columns_are_recognised(read: Read, name: str, text: str) -> None:
    assert pairs(read(name, text)) == [("引く", "Draw")]


def test_given_languages_choose_the_columns(read: Read) -> None:
    text = "ja,en,fr\n引く,Draw,Piocher\n"
    assert pairs(read("a.csv", text, source_lang="en", target_lang="ja")) == [("Draw", "引く")]
    assert pairs(read("a.csv", text, target_lang="fr")) == [("引く", "Piocher")]
    with pytest.raises(SourceError, match="no column is in de"):
        list(read("a.csv", text, target_lang="de").segments)
    with pytest.raises(SourceError, match="say the target's language"):
        list(read("a.csv", text).segments)


# Source and translation in two files


def test_rules_are_paired_by_their_numbers(read: Read) -> None:
    source = "目次\n1. 総則\n\n1. 総則\n1.1 引く。\n1.2 捨てる。\n例：引く。\n(2) 二。\n1.3 表。\n"
    source += "1.4 裏。\n"
    target = "1. General\n1.1 Draw.\n1.2 Discard.\nExample: Draw.\n(2) Two.\n1.4 Back.\n1.5 New.\n"
    draft = read("a.txt", target, source)
    assert pairs(draft) == [
        ("1. 総則", "1. General"), ("1.1 引く。", "1.1 Draw."), ("1.2 捨てる。", "1.2 Discard."),
        ("例：引く。", "Example: Draw."), ("(2) 二。", "(2) Two."), ("1.4 裏。", "1.4 Back."),
        (None, "1.5 New."),
    ]  # fmt: skip
    assert any("a.txt: segments without a counterpart: 1 (lines 7)" in w for w in draft.warnings)


def test_numbers_of_other_rules_are_not_paired(read: Read) -> None:
    """Keywords are in the alphabetical order of each language."""
    chapter = "1. {0}\n1.1 {0} one.\n1.2 {0} two.\n"
    source = chapter.format("総則") + "2. 能力\n"
    target = chapter.format("General") + "2. Abilities\n"
    for number, count in enumerate((1, 2, 3, 4), 1):
        rules = [f"2.{number}.{n} {{}}.\n" for n in range(1, count + 1)]
        source += f"2.{number} 能力\n" + "".join(rules).format(*["能力"] * count)
        rules = [f"2.{number}.{n} Ability.\n" for n in range(1, 6 - count)]
        target += f"2.{number} Ability\n" + "".join(rules)
    draft = read("a.txt", target, source)
    paired = [target for source, target in pairs(draft) if source is not None]
    assert paired == target.splitlines()[:4]
    assert "equal numbers aren't equal rules: 2" in draft.warnings[0]


def test_texts_are_paired_line_by_line(read: Read) -> None:
    draft = read("a.txt", "Draw.\n\nTap.\nUntap.\n", "引く。\n\nタップ。\nアンタップ。\n")
    assert pairs(draft) == [("引く。", "Draw."), ("タップ。", "Tap."), ("アンタップ。", "Untap.")]
    assert draft.format == "pair" and not draft.warnings


def test_texts_are_paired_by_paragraphs(read: Read) -> None:
    draft = read("a.txt", "Draw.\nTap.\n\nUntap.\n", "引く。タップ。\n\nアンタップ。\n")
    segments = list(draft.segments)
    assert [(s.source, s.target) for s in segments] == [
        ("引く。タップ。", "Draw. Tap."), ("アンタップ。", "Untap."),
    ]  # fmt: skip
    assert segments[0].place(6) == (2, 0)


def test_what_can_not_be_paired_is_said(read: Read) -> None:
    draft = read("a.md", "# One\n\nTwo\n\nThree\n", "# 一\n\n二\n")
    assert {source for source, _ in pairs(draft)} == {None}
    assert len(draft.warnings) == 2
    assert "segments without a counterpart: 3 (lines 1, 3, 5)" in draft.warnings[0]


def test_a_bilingual_file_needs_no_source_file(read: Read) -> None:
    with pytest.raises(SourceError, match="check it without a source file"):
        read("a.csv", "a,b\n", "a,b\n")


def test_languages_that_can_hardly_be_meant_are_said(read: Read) -> None:
    draft = read("a.csv", "Draw,Draw a card\n")
    assert list(draft.segments) and "both in en, by their letters" in draft.warnings[0]
    draft = read("a.csv", "12,12\n")  # in no language by its letters
    assert list(draft.segments) and not draft.warnings
    unit = "<trans-unit><source>x</source><target>y</target></trans-unit>"
    draft = read("a.xlf", XLIFF + unit + XLIFF_END, target_lang="fr")
    assert {s.target_lang for s in draft.segments} == {"fr"}
    assert draft.warnings == [f"{draft.path}: says that it is in en; it is checked as fr"]
    draft = read("a.txt", "----\n")
    assert list(draft.segments) == [] and "has nothing to check" in draft.warnings[0]


# Comments


UNIT = '<trans-unit id="{0}"><source>x</source><target>{0}</target>{1}</trans-unit>'
TU = '<tu>{1}<tuv xml:lang="ja"><seg>x</seg></tuv><tuv xml:lang="en"><seg>{0}</seg></tuv></tu>'


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "a.txt",
            "a1\n# sansho: ignore\na2\na3 // sansho: ignore number, spelling (as printed)\n"
            "<!-- sansho: ignore-start number -->\na4\na5 # sansho: ignore spelling\n"
            "# sansho: ignore-end\na6\n",
            [[], None, ["number", "spelling"], ["number"], ["number", "spelling"], []],
        ),
        (
            "a.html",
            "<p>a1</p> <!-- sansho: ignore -->\n<p>a2</p><!-- sansho: ignore --><p>a3</p>\n"
            "<p>a4<!-- sansho: ignore number --></p><p>a5</p>",
            [None, [], None, ["number"], []],
        ),
        (
            "a.xlf",
            f"{XLIFF}{UNIT.format('a1', '<note>sansho: ignore number</note>')}\n"
            f"{UNIT.format('a2', '')}<!-- sansho: ignore -->\n{UNIT.format('a3', '')}\n"
            f"<!-- sansho: ignore -->\n{UNIT.format('a4', '')}{XLIFF_END}",
            [["number"], None, [], None],
        ),
        (
            "a.tmx",
            TMX + TU.format("a1", "<note>sansho: ignore</note>") + TU.format("a2", "") + TMX_END,
            [None, []],
        ),
        (
            "a.csv",
            "x,a1,sansho: ignore number\ny,a2,\nz,a3,# sansho: ignore\n",
            [["number"], [], None],
        ),
    ],
    ids=["text", "html", "xliff", "tmx", "csv"],
)
def test_comments(read: Read, name: str, text: str, expected: list[list[str] | None]) -> None:
    """What is ignored of the segments a1, a2, …"""
    assert ignored(read(name, text)) == {f"a{n}": kinds for n, kinds in enumerate(expected, 1)}


def test_rules_in_markdown_need_no_blank_lines(read: Read) -> None:
    draft = read("d.md", "8.9. Rush\n8.9.1. It may\n  attack.\n8.10. Shift\n\n2.1 and\n1.5 hours")
    assert targets(draft) == [
        "8.9. Rush",
        "8.9.1. It may attack.",
        "8.10. Shift",
        "2.1 and 1.5 hours",
    ]
    disordered = read("e.md", "8.9.1 It may attack. (See\n8.10.)\n8.2.3 It may not.\n8.1.1 Or so.")
    assert [segment.partition(" ")[0] for segment in targets(disordered)] == [
        "8.9.1", "8.2.3", "8.1.1",
    ]  # fmt: skip


def test_comments_in_markdown(read: Read) -> None:
    text = (
        "a1 <!-- sansho: ignore -->\n\n- a2\n- a3 <!-- sansho: ignore number -->\n- a4\n\n"
        "<!-- sansho: ignore -->\n\na5\n\n```\n<!-- sansho: ignore -->\n```\n\na6\n\n"
        "|b1|b2|\n|-|-|\n|b3|b4| <!-- sansho: ignore -->\n|b5|b6|\n"
    )
    found = ignored(read("a.md", text))
    assert {name for name, kinds in found.items() if kinds is None} == {"a1", "a5", "b3", "b4"}
    assert found["a3"] == ["number"] and found["a4"] == found["a6"] == found["b5"] == []


def test_a_comment_with_an_unknown_kind_is_said(read: Read) -> None:
    draft = read("a.txt", "# sansho: ignore speling\na1\n# sansho: ignore-start\n")
    assert ignored(draft) == {"a1": []}
    assert "speling, which is no kind of finding; nearest: spelling" in draft.warnings[0]
    assert "ignore-start has no ignore-end" in draft.warnings[1]


# Places

PIECES = st.sampled_from(
    ["a", "引", "く", " ", "\n", "\n\n", "draw a card", "。", "\t", "　", "𠮷", "word " * 9,
     "漢字" * 25, "**", "_", "`", "```\n", "- ", "> ", "# ", "\\", "\\*", "|", "\n|-|-|\n",
     "[", "](x)", "]", "<b>", "<!--", "-->", "<!-- sansho: ignore -->", "&amp;", "&#x5f15;",
     "&notit;", "<p>", "<br>", "<div>\n", "<code>", "<rt>", "</ruby>", "---\n", "~~", "\u2028",
     "\x0c", ",", '"', '""', ";", "104.3a ", "(2) ", "# sansho: ignore number\n", "<svg>",
     "</svg>", "    "]
)  # fmt: skip
READERS: dict[str, Callable[[DraftFile], object]] = {
    "text": lambda file: read_text.read(file, []),
    "markdown": lambda file: read_markdown.read(file, []),
    "html": lambda file: read_html.read(file, []),
    "csv": lambda file: read_csv.read(file, [], None, None),
}


def assert_places(segments: list[Segment], text: str, also: str = "") -> None:
    """Each character is where its place says; white space may be other white space there.

    also: the characters that may stand in the file in place of any other: the beginnings of markup.
    """
    lines = [line + "\n" for line in text.split("\n")]
    for segment in segments:
        assert segment.line == segment.place(0)[0]
        for offset, sign in enumerate(segment.target):
            line, column = segment.place(offset)
            there = lines[line - 1][column]
            assert there == sign or there in also or (sign == " " and there.isspace())


@pytest.mark.parametrize("form", READERS)
@given(pieces=st.lists(PIECES, max_size=25))
def test_each_character_has_its_place(form: str, pieces: list[str]) -> None:
    text = "".join(pieces)
    try:
        segments = list(READERS[form](DraftFile("a.csv", form, text)))  # type: ignore[call-overload]
    except SourceError:
        return
    assert_places(segments, text, {"html": "&<", "markdown": "&<"}.get(form, ""))


@given(
    st.lists(st.sampled_from(["a", "引く", " ", "\n", "&amp;", "<g>", "</g>", "<ph>x</ph>", "𠮷"]))
)
def test_each_character_of_xml_has_its_place(pieces: list[str]) -> None:
    inner = ""
    for piece in pieces:
        inner += "" if piece == "</g>" and inner.count("<g>") == inner.count("</g>") else piece
    inner += "</g>" * (inner.count("<g>") - inner.count("</g>"))
    unit = f"<trans-unit><source>x</source><target>{inner}</target></trans-unit>"
    text = XLIFF + unit + XLIFF_END
    segments = list(read_xliff.read(DraftFile("a.xlf", "xliff", text), []))
    assert_places(segments, text, "&")


# Wrong and hostile input


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.pdf", b"%PDF-1.7 ...", "a PDF file"),
        ("a.docx", b"PK\x03\x04...", "a zip file"),
        ("a.txt", b"a\0b", "not a text file"),
        ("a.xlf", "<tmy/>", "not XLIFF, as its root element is <tmy>"),
        ("a.tmx", "引く", "not TMX, as it is no XML"),
        ("a.xml", "<?xml version='1.0'?><martif/>", "root element <martif> is no draft"),
        ("a.xlf", XLIFF, "line 4: the XML is broken: no element found"),
        ("a.xlf", f"{XLIFF}\x01{XLIFF_END}", "line 4: the XML is broken"),
        ("a.tmx", '<!DOCTYPE tmx [<!ENTITY a "b">]><tmx>&a;</tmx>', "line 1: the entity a is one"),
        ("a.tmx", TMX + "&b;" + TMX_END, "line 3: the entity b is one"),
        ("a.tmx", TMX + "<a>" * 2000, "elements are nested more than 1000 deep"),
        ("a.tmx", TMX + "<!--" + "x" * 5_000_000, "line 3: a tag or comment that is too long"),
        ("a.csv", "a\nb\n", "has one column"),
        ("a.csv", "a,b,c,d\n", "has 4 columns; name two of them"),
    ],
)
def test_wrong_input_is_one_error(read: Read, name: str, content: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        list(read(name, content).segments)
    assert message in str(caught.value)
    assert name in str(caught.value) and "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.txt", "a\0b"):
        with pytest.raises(SourceError, match="can't be read"):
            read_draft(path)


def test_limits_are_said(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "ab cd " * 10_000
    segments = list(read("a.txt", text).segments)
    assert max(len(segment.target) for segment in segments) <= LONGEST
    assert "".join(segment.target for segment in segments) == text.strip()
    assert_places(segments, text)
    draft = read("a.csv", f"x,{text}\n")
    assert targets(draft) == []
    assert "longer than 20,000 characters and aren't checked: 1" in draft.warnings[0]
    monkeypatch.setattr(draft_file, "LARGEST", 1 << 10)
    with pytest.raises(SourceError, match="larger than 1 kB"):
        read("a.txt", text)


@pytest.mark.parametrize(
    ("form", "unit"),
    [
        ("text", "# sansho: ignore a, "), ("text", "引く # sansho: ignore\n"),
        ("markdown", "[a](b"), ("markdown", "``a`"), ("markdown", "[a]: b\n"),
        ("html", "<p>a</p><!-- sansho: ignore -->"), ("html", "&a"), ("csv", '"a,'),
        ("tmx", "<tu><note>sansho: ignore</note></tu>"),
    ],
)  # fmt: skip
def test_time_grows_with_the_size(form: str, unit: str) -> None:
    around = (TMX, TMX_END) if form == "tmx" else ("x,y\n", "")
    readers = {**READERS, "tmx": lambda file: read_tmx.read(file, [], None, None)}

    def work(size: int) -> int:
        text = around[0] + unit * (size // len(unit)) + around[1]
        return len(list(readers[form](DraftFile("a.csv", form, text))))  # type: ignore[call-overload]

    assert grows_linearly(work, 20_000)


@pytest.mark.slow
@pytest.mark.shared
def test_rulebooks_in_two_languages(shared: Path) -> None:
    folder = shared / "corpora"
    draft = read_draft(
        folder / "mtg-cr-ja" / "cr_ja_20260116_100-106.txt",
        source_path=folder / "mtg-cr-en" / "MagicCompRules_20260116.txt",
    )
    found = pairs(draft)
    rules = [(source, target) for source, target in found if target[:3].isdigit()]
    assert len(rules) > 200
    assert all(s is not None and s.split()[0] == t.split()[0].split("　")[0] for s, t in rules)


def test_empty_lines_between_wrapped_paragraphs_are_no_short_ones() -> None:
    wrapped = (
        "A ship that leaves the harbour at the turn of the tide, with the crew\n"
        "that its captain has chosen, keeps its cargo until it comes to another\n"
        "harbour."
    )
    assert 65 < (wrap_width("\n\n".join([wrapped] * 12)) or 0) < 75
