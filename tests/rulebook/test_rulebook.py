"""Numbered rulebooks: every numbering style, hard-wrapped text, page furniture, whole corpora."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scraper import Hints, Page, Snapshot, read_pages
from scraper.rulebook.columns_in_text_files import in_reading_order
from scraper.rulebook.numbering import parent_number
from scraper.rulebook.page_layout import width
from scraper.sites import rulebook_text
from tests.rulebooks import base_of


def read(text: str) -> Page:
    return rulebook_text.read(Snapshot("book.txt", text.encode(), hints=Hints()), text)[0]


def rules(page: Page) -> dict[str, str]:
    """The rules by their numbers, each of which must come once."""
    found: dict[str, str] = {}
    for passage in page.passages:
        if stated := passage.rule:
            assert stated.number not in found
            found[stated.number] = passage.text[stated.text_start :]
    return found


WRAPPED = """サンプルゲーム 総合ルール
2024年3月1日施行

目次
1. 総則 .......... 1
2. 領域 .......... 2

1. 総則
 1.1. 基本
  1.1.1. プレイヤーはデッキから
    3 枚のカードを引き、そのうち
    1 枚を捨てる。
    例：ターンの初めに、2 枚を
      引くことになった場合。
  1.1.2. 引き分け になったら次の
サンプルゲーム 総合ルール
- 1 -
\f    処理を行う。
  ・手札を捨てる。
2. 領域
 2.1. 手札
  2.1.1. 手札は非公開である。
サンプルゲーム 総合ルール
- 2 -
\f用語集
手札
 引いたカードを置く領域。
改訂履歴
1.1.2. を変更した。
"""


def test_chapters_counted_in_kanji() -> None:
    chapters = "".join(
        f"第{kanji}章 {title}\n{n}.1 定め\n{n}.1.1 カードを引く。\n{n}.1.2 手札に加える。\n"
        for n, kanji, title in ((9, "九", "総則"), (10, "十", "領域"), (11, "十一", "その他"))
    )
    page = read("見本ゲーム 総合ルール\n2024年3月1日施行\n\n" + chapters)
    assert page.lang == "ja"
    assert [number for number in rules(page) if number.isdigit()] == ["9", "10", "11"]
    assert rules(page)["11"] == "その他"


def test_wrapped_with_page_furniture() -> None:
    page = read(WRAPPED)
    assert page.lost == 0 and page.edition == "20240301" and page.game == "サンプルゲーム"
    assert rules(page) == {
        "1": "総則",
        "1.1": "基本",
        "1.1.1": "プレイヤーはデッキから3 枚のカードを引き、そのうち1 枚を捨てる。",
        "1.1.2": "引き分け になったら次の処理を行う。",
        "2": "領域",
        "2.1": "手札",
        "2.1.1": "手札は非公開である。",
    }
    assert {"page number", "running head", "table of contents"} <= set(page.left_out)
    example = next(p for p in page.passages if p.text.startswith("例"))
    assert example.parent is not None and page.passages[example.parent].text.startswith("1.1.1.")
    assert [p.kind for p in page.passages][-4:] == ["entry", "gloss", "heading", "note"]


@pytest.mark.parametrize(
    "numbers",
    [
        ("1", "1.1", "1.1.1", "1.1.2", "1.2", "2", "2.1"),
        ("5", "5-1", "5-1-1", "5-1-2", "5-2", "6", "6-1"),
        ("1", "100", "100.1", "100.1a", "100.1b", "100.2", "101"),
    ],
)
@pytest.mark.parametrize("form", ["{}. {}", "{} {}", "{}.　{}"])
def test_styles(numbers: tuple[str, ...], form: str) -> None:
    lines = [form.format(n, "総則" if n.isdigit() else "カードを引く。") for n in numbers]
    assert list(rules(read("規則\n" + "\n".join(lines)))) == list(numbers)


def test_full_width_and_chapters() -> None:
    page = read("規則\n第７章 領域\n７－１　手札\n７－１－１　手札は非公開である。\n第８章 勝敗\n")
    assert rules(page) == {"7": "領域", "7-1": "手札", "7-1-1": "手札は非公開である。", "8": "勝敗"}


def test_parents() -> None:
    wanted = {
        "5-1-2": "5-1",
        "1.10": "1",
        "5.1.2": "5.1",
        "704.5k": "704.5",
        "704": "7",
        "12": None,
    }
    assert {n: parent_number(n) for n in wanted} == wanted


@given(
    st.text(
        st.sampled_from("1234567890.-－１ \n\n\f　第章aZ。・例：目次用語集更新履歴…カ"),
        max_size=400,
    )
)
def test_any_text(text: str) -> None:
    assert read(text).lost == 0


@given(
    st.lists(st.lists(st.integers(8, 60), min_size=1, max_size=5), min_size=1, max_size=4),
    st.integers(16, 80),
)
def test_wrapped_at_any_width(chapters: list[list[int]], width: int) -> None:
    """Sentences that hold numbers, which a break may bring to the start of a line."""
    lines = []
    for n, sizes in enumerate(chapters, 1):
        lines.append(f"{n}. 章題")
        for m, size in enumerate(sizes, 1):
            lines.append(f"{n}.{m}. " + ("手札を3枚捨て7体選び" * 7)[:size] + "終わる。")
    assume(any(len(line) > 1.6 * width for line in lines))
    wrapped = [line[at : at + width] for line in lines for at in range(0, len(line), width)]
    assert rules(read("規則書\n\n" + "\n".join(wrapped))) == rules(
        read("規則書\n\n" + "\n".join(lines))
    )


def corpus(folder: Path, name: str) -> Page:
    return read(next((folder / "corpora").glob(f"*/{name}")).read_text("utf-8-sig"))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "edition", "dotted"),
    [
        ("MagicCompRules_20231117.txt", "20231117", 2899),
        ("MagicCompRules_20240802.txt", "20240730", 2993),
        ("MagicCompRules_20260116.txt", "20260116", 3114),
        ("cr_ja_20260116_100-106.txt", "20260116", 120),
        ("comprehensive-rules-en.20251031.txt", "20251031", 433),
        ("comprehensive-rules-jp.20250829.txt", "20250829", 397),
        ("comprehensive-rules-jp.20251031.txt", "20251031", 397),
    ],
)
def test_corpora(shared: Path, name: str, edition: str, dotted: int) -> None:
    page = corpus(shared, name)
    found = rules(page)
    assert (page.lost, page.edition) == (0, edition)
    assert sum("." in number for number in found) == dotted
    assert all(parent_number(n) in found for n in found if parent_number(n))
    assert not [t for t in found.values() if "©" in t or "disneylorcana.com" in t]


@pytest.mark.shared
@pytest.mark.parametrize(
    "name",
    [
        "comprehensive-rules-en.20251031.txt",
        "comprehensive-rules-jp.20250829.txt",
        "comprehensive-rules-jp.20251031.txt",
    ],
)
def test_lorcana_counts_without_a_gap(shared: Path, name: str) -> None:
    """Told apart from the parser: each number is a first child, or has its elder sibling."""
    numbers = [tuple(map(int, n.split("."))) for n in rules(corpus(shared, name))]
    assert all(before < after for before, after in pairwise(numbers))
    assert not [n for n in numbers if n[-1] > 1 and (*n[:-1], n[-1] - 1) not in numbers]


@pytest.mark.shared
def test_lorcana_in_two_languages(shared: Path) -> None:
    """English has conditions (5.1), two keywords (Alert, Boost) and Vanish that Japanese has
    not; chapter 10 is therefore numbered otherwise."""
    ja, en = (
        set(rules(corpus(shared, f"comprehensive-rules-{lang}.20251031.txt")))
        for lang in ("jp", "en")
    )
    chapter = {n for n in ja ^ en if not n.startswith("10.")}
    assert {n for n in chapter if not n.startswith("5.1.")} == {
        "6.2.3.1",
        "7.7.8",
        "7.7.9",
        "8.2.4.1",
    }
    assert chapter <= en


@pytest.mark.parametrize("edition", ["2024-07-30", "v1", "1.26.1"])
def test_an_edition_that_a_person_names(edition: str, tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text(
        "総合ルール\n1. 準備\n1.1. カードを引く。\n1.2. 山札を切る。\n2. 終了\n2.1. 1.1を見よ。\n"
        "用語集\n手札\n持っているカード。\n", encoding="utf-8",
    )  # fmt: skip
    with base_of(
        [tmp_path / "rules.txt"],
        tmp_path / "x.db",
        site="rulebook",
        game="ws",
        lang="ja",
        edition=edition,
    ) as base:
        [rule] = base.show("1.1", edition=edition).matches
        assert rule.edition == edition.replace("-", "")


_FURNITURE = re.compile(r"©|disneylorcana\.com|^Based on|^\W*(?:[ivx]+|\d+)\W*$")
_NUMBERED = re.compile(
    r"(\d+(?:\.(?:\d+|[a-z](?![a-z])))*(?:(?<=\d)[a-z](?![a-z]))?)\.?(?=\s|[A-Z一-鿿])"
)
_OTHER_PARTS = re.compile(r"(?i)glossary|credits|词汇表|update summary|更新履歴|用語集")


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "first"),
    [
        *((f"MagicCompRules_{edition}.txt", "100.1") for edition in
          ("20200124", "20220218", "20231117", "20240802", "20260116", "20220610.zh")),
        ("cr_ja_20260116_100-106.txt", "100.1"),
        ("riftbound-core-rules.20251001.en.txt", "000"),
        ("riftbound-core-rules.20251001.ja.txt", "001"),
        ("lorcana-comprehensive-rules-2.2.0.en.txt", "1.1.1"),
        ("comprehensive-rules-en.20251031.txt", "1.1.1"),
        ("comprehensive-rules-jp.20250829.txt", "1.1.1"),
    ],
)  # fmt: skip
def test_every_line_between_two_rules_belongs_to_the_first(
    shared: Path, name: str, first: str
) -> None:
    """Counted on the lines of the file alone: what is printed behind a number and before the next
    is in that rule's passage or in one below it."""
    text = next((shared / "corpora").glob(f"*/{name}")).read_text("utf-8-sig")
    page = read(text)
    whole: dict[int, str] = {}  # by the place of a rule: its text and what belongs to it
    for place, passage in enumerate(page.passages):
        rule = place if passage.rule else passage.parent
        if rule is not None and (rule in whole or passage.rule):
            whole[rule] = whole.get(rule, "") + "".join(passage.text.split())
    texts = {p.rule.number: whole[n] for n, p in enumerate(page.passages) if p.rule}
    lines = [line.strip() for line in text.splitlines()]
    begin = next(n for n, line in enumerate(lines) if line.startswith((f"{first}.", f"{first} ")))
    number, checked = first, 0
    for line in lines[begin:]:
        if _OTHER_PARTS.fullmatch(_NUMBERED.sub("", line).strip()):
            break
        if not line or _FURNITURE.search(line):
            continue
        match, compact = _NUMBERED.match(line), "".join(line.split())
        if match and texts.get(match[1], "").startswith(compact[: len(match[1]) + 8]):
            number = match[1]
        assert compact in texts[number], (number, line)
        checked += 1
    assert checked > 100


def test_further_paragraphs_in_the_rules_viewer_belong_to_the_rule(tmp_path: Path) -> None:
    page = (
        "<html><head><title>9. / 総合ルールビューア</title></head><body><h1>総合ルールビューア</h1>"
        "<p>900. 手札</p><p>900.1 手札は非公開である。</p><p>枚数は公開する。rule 900.2 参照。</p>"
        "<p>例：rule 900.3 による。</p><p>900.2 手札を数える。</p><p>900.3 手札を見せる。</p>"
        "<p>MJMJ訳 20240101.0 版</p></body></html>"
    )
    (tmp_path / "r.html").write_text(page, encoding="utf-8")
    url = "http://whisper.wisdom-guild.net/cr/r/900"
    (tmp_path / "manifest.jsonl").write_text(json.dumps({"file": "r.html", "url": url}))
    with base_of([tmp_path], tmp_path / "x.db") as base:
        [rule] = base.show("900.1").matches
        assert rule.text == "手札は非公開である。\n枚数は公開する。rule 900.2 参照。"
        cited = base.refs("900.1", direction="out", kinds=["cites"]).edges
        assert {edge.target_label for edge in cited} == {"900.2", "900.3"}


def test_a_heading_may_be_a_call_or_a_question() -> None:
    """The name of an ability above its sub-rules is a heading; a sentence there is none."""
    text = (
        "Sample Game Rules\n1. Words\n1.1. Go, Pawns!\n1.1a A pawn with “go, pawns!” may run.\n"
        "1.2. Who Begins?\n1.2a The youngest player begins.\n"
        "1.3. Stop! Nobody moves now!\n1.3a All players wait.\n"
        "1.4. Each player draws a card.\n1.4a They show it.\n"
    )
    headings = [p.text for p in read(text).passages if p.kind == "heading"]
    assert headings == ["1. Words", "1.1. Go, Pawns!", "1.2. Who Begins?"]


# -- columns ----------------------------------------------------------------------------------

LEFT = """1.1   A sailor draws three cards and
      keeps two of them in hand.

1.2   The wind turns when the deck is
      empty, and so does the tide. The
      harbour closes then.

1.3   A sailor at sea may not trade,
      whatever a card says of it.

1.4   Three anchors are one harbour.
      Each sailor has one of them.
""".splitlines()
RIGHT = """2.1   A ship sails when all sailors
      have drawn (see rule 1.2).

2.2   A ship in the harbour sails not.

2.3   The captain is whoever has the
      most cards; with the same number,
      whoever drew the last of them.

2.4   A ship without a captain is lost
      at the end of the day, in spite of
      rule 1.4.
""".splitlines()


def test_what_runs_over_both_columns_parts_them() -> None:
    """A chapter's heading with a paragraph of the page's width, and a table."""
    over = [
        "2. Ships",
        "",
        "A ship is anything that sails, and whatever a card calls so in spite of that it can't.",
        "What is said of ships in this chapter is said of all of them, wherever they may be.",
        "",
        "Kind        Sails       Crew        Price       Remarks",
        "Sloop       one         2           1.5         none",
        "",
    ]
    above = [f"{a[:40]:44}{b}" for a, b in zip(LEFT[3:9], RIGHT[3:9], strict=True)]
    below = [f"{a:44}{b}" for a, b in zip(LEFT[:8], RIGHT[:8], strict=True)]
    text = in_reading_order("\n".join([*above, "", *over, *below]))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    places = [
        next(n for n, line in enumerate(lines) if line.startswith(begin))
        for begin in ("1.2", "The captain is", "2. Ships", "Sloop", "1.1", "2.1")
        if begin != "The captain is"
    ]
    assert places == sorted(places)


def test_questions_in_boxes_are_examples() -> None:
    text = "\n".join(f"1.{n} A player draws a card." for n in range(1, 9))
    box = "Q  May two be drawn?\nA  No.\nQ2: Why?\nA2: See rule 1.3.\n"
    page = read(f"Rules\n2030-01-02\n\n1 Play\n{text}".replace("1.3 A", f"{box}1.3 A"))
    assert [p.text for p in page.passages if p.kind == "example"] == box.splitlines()


def test_columns_of_full_width_text_below_columns_of_contents() -> None:
    """Quotation marks may be wider in print than is known, so that the right column seems moved;
    contents have shorter lines."""
    left = [f"{n}.1　見本の規則はこのように二段で印刷される。" for n in (1, 2, 3)]
    right = [f"{n}.1　右の段の規則は左の段の後に読まれる。" for n in (4, 5, 6)]
    moved = "例：“風”は“帆”より強いと見なす。".ljust(30) + "続きの文もここに書かれている。"
    rows = [a + " " * (50 - width(a)) + b for a, b in zip(left * 4, right * 4, strict=True)]
    page = "\n".join([*rows[:3], moved, *rows[3:]])
    contents = "\n".join(
        f"{n}. 章の名 ... {n}".ljust(43) + f"{n + 3}. 章の名 {'.' * 20} 9" for n in (1, 2, 3)
    )
    text = in_reading_order("\f".join(["目次\n" * 9 + contents, page]))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    assert lines.index(right[0]) > lines.index(left[2]) and "“風”" in text
    assert [line[0] for line in lines if "..." in line] == ["1", "2", "3", "4", "5", "6"]


@pytest.mark.parametrize("width", [40, 52])
def test_columns_side_by_side(width: int) -> None:
    """As `pdftotext -layout` has them, on each page below a running head."""
    pages = []
    for page in (1, 2):
        left = [line.replace("1.", f"{2 * page - 1}.", 1) for line in LEFT]
        right = [line.replace("2.", f"{2 * page}.", 1) for line in RIGHT]
        rows = [f"{a:{width}}{b}".rstrip() for a, b in zip(left, right, strict=True)]
        pages.append("\n".join([f"Harbour Rules{'':{width}}Page {page}", "", *rows]))
    texts = rules(read("\f".join(pages)))
    assert list(texts) == [f"{chapter}.{n}" for chapter in (1, 2, 3, 4) for n in (1, 2, 3, 4)]
    assert texts["1.2"].endswith("The harbour closes then.") and "ship" not in texts["3.4"]
    assert texts["2.3"] == (
        "The captain is whoever has the most cards; with the same number, whoever drew the "
        "last of them."
    )


@pytest.mark.parametrize("part", ["Credits", "Previous updates"])
def test_numbers_in_a_part_that_states_nothing_are_no_rules(part: str) -> None:
    """However they go on with the rules."""
    chapters = "1. Ships\n\n1.1. A ship sails.\n\n2. Sailors\n\n2.1. A sailor rows.\n\n"
    page = read(f"{chapters}3. {part}\n\n3.1. Made by Ann.\n\n3.2. Drawn by Ben.\n\n")
    assert {"1.1", "2.1"} < rules(page).keys() and not {"3.1", "3.2"} & rules(page).keys()


def test_an_edition_that_a_person_gives_is_written_as_dates_are() -> None:
    text = "Harbour Comprehensive Rules\n\n1. Ships\n\n1.1. A ship sails.\n\n1.2. It sinks.\n"
    hints = Hints(site="rulebook", edition="2024-07-30")
    [page], _ = read_pages(Snapshot("book.txt", text.encode(), hints=hints))
    assert page.edition == "20240730"
