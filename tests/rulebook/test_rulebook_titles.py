"""How a rulebook's edition, game, language and title are read, and what is taken for a rulebook."""

from __future__ import annotations

from pathlib import Path

import pytest

import kb
from scraper import Hints, Page, Snapshot, read_pages
from scraper.rulebook.edition import find_edition
from scraper.sites import rulebook_text
from scraper.sites.games import game_of_title

RULES = (
    "1. Setup\n1-1. Cards\n1-1-1. Each player shuffles.\n1-1-2. This holds from 25 October 2024.\n"
    "1-2. Hands\n1-2-1. Draw three cards.\n2. End\n2-1. Defeat\n2-1-1. An empty deck loses.\n"
)
JAPANESE_RULES = (
    "1. 準備\n1-1. 山札\n1-1-1. 山札を切る。\n1-1-2. 2024年11月1日以降の大会に適用されます。\n"
    "1-2. 手札\n1-2-1. 三枚引く。\n2. 終了\n2-1. 敗北\n2-1-1. 山札が無ければ負ける。\n"
)


def read(text: str, name: str = "book.txt", **hints: str) -> Page:
    return rulebook_text.read(Snapshot(name, text.encode(), hints=Hints(**hints)), text)[0]


ALONE = "its title alone calls the game"  # these short books never name it again


def doubts(page: Page) -> dict[str, str]:
    found = {w.where: w.what for w in page.warnings if w.where in ("edition", "game")}
    return {where: what for where, what in found.items() if not what.startswith(ALONE)}


def test_a_name_that_is_never_used_again_is_doubted() -> None:
    once, again = read(f"Owl Rules\n{RULES}"), read(f"Owl Rules\n{RULES}2-2. Owl is a game.\n")
    assert once.game == again.game == "owl"
    assert [w.what for w in once.warnings if w.where == "game"] == [
        f"{ALONE} owl; say which, if it is another"
    ]
    assert not [w for w in again.warnings if w.where == "game"]
    common = read(f"Complete Owlish\nRules\n{RULES}2-2. The complete owlish deck.\n")
    assert [w for w in common.warnings if w.where == "game"]


@pytest.mark.parametrize(
    ("title", "game"),
    [
        ("Komplette Regeln", None), ("Eulen Gesamtregeln", "eulen"), ("Eulenregeln", "eulen"),
        ("Livret de règles – Hiboux", "hiboux"), ("Das Kartenspiel Eulen\nSpielanleitung", "eulen"),
        ("Reglamento oficial del juego de cartas Búhos", "búhos"), ("ふくろうの遊び方", "ふくろう"),
        ("Owl TCG Comprehensive Rules", "owl"), ("Owls: How to Play", "owls"),
        ("Come si gioca a Gufi", "gufi"), ("올빼미 플레이 가이드", "올빼미"),
    ],
)  # fmt: skip
def test_the_words_of_titles_in_many_languages(title: str, game: str | None) -> None:
    assert read(f"{title}\n20250102\n{RULES}").game == game


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("Fassung 1.2", "v1.2"), ("Zweites Heft, 2. Auflage", "v2"), ("3rd edition", "v3"),
        ("Edition 2025", None),
    ],
)  # fmt: skip
def test_an_edition_by_its_number(line: str, version: str | None) -> None:
    assert read(f"Owl Rules\n{line}\n{RULES}").edition == version


@pytest.mark.parametrize(
    ("line", "edition"),
    [
        ("Last updated: January 16, 2026", "20260116"),
        ("1/16/2026", "20260116"), ("01/16/2026", "20260116"), ("16/1/2026", "20260116"),
        ("Updated Sep 11, 2026", "20260911"), ("Sept. 11, 2026", "20260911"),
        ("Effective February 3rd, 2025", "20250203"), ("September 21th, 2018", "20180921"),
        ("3 Feb 2025", "20250203"), ("the 3rd of May 2024", "20240503"), ("16.1.2026", "20260116"),
        ("April 2025", "202504"), ("2026年1月版", "202601"), ("令和8年1月16日", "20260116"),
        ("令和元年5月1日施行", "20190501"), ("民國115年1月16日", "20260116"),
        ("2026.01.16", "20260116"), ("２０２６年１月１６日", "20260116"), ("v20260116", "20260116"),
        ("2026-01-16T10:00Z", "20260116"), ("ver. 1.2.0　2024年10月25日", "20241025"),
        ("此规则于2022年6月10日起生效。", "20220610"), ("**Updated: 2/29/2024**", "20240229"),
    ],
)  # fmt: skip
def test_a_date_in_front_of_the_rules(line: str, edition: str) -> None:
    page = read(f"Sample Game Comprehensive Rules\n{line}\n\n{RULES}")
    assert page.edition == edition and page.name == f"sample-game/cr/{edition}/en"
    assert doubts(page) == {}


@pytest.mark.parametrize(
    ("front", "edition"),
    [
        ("Last Update: September 5th, 2018\nEffective: September 21st, 2018", "20180921"),
        ("Effective: May 2, 2025\nUpdated: June 3, 2025", "20250502"),
        ("July 1, 2026\nLast updated: May 2, 2026", "20260502"),
        ("Updated May 2, 2025\nUpdated June 3, 2025", "20250603"),
        ("2025年8月1日改訂、2025年9月1日施行", "20250901"),
        ("施行日：2025年8月1日（改訂日：2025年9月1日）", "20250801"),
        ("Last updated: 1/16/2026 Effective: 2/17/2026", "20260217"),
        ("Effective date:\nJuly 9, 2026\nUpdated: July 10, 2026", "20260709"),
        ("Updated: 2025-01-02 (replaces the rules of 2026-05-06)", "20250102"),
        ("Updated: 2025-01-02\nChange Log\n2026-03-04: 1-1-1 was changed.", "20250102"),
        ("First Edition\nApril 2025", "202504"),
        ("13 June 2025\nIn May 2026 there will be a tournament.", "20250613"),
    ],
)
def test_which_of_several_dates(front: str, edition: str) -> None:
    assert read(f"Sample Rules\n{front}\n\n{RULES}").edition == edition


def test_dates_in_rules_examples_and_histories_do_not_count() -> None:
    assert read(f"見本ゲーム 総合ルール\n2026年1月16日\n{JAPANESE_RULES}").edition == "20260116"
    for behind in ("", "Example: on May 2, 2025 a card was banned.\n",
                   "Revision History\n2025-05-02 1-1-1 was changed.\n"):  # fmt: skip
        page = read(f"Sample Rules\n\n{RULES}{behind}")
        assert page.edition is None and page.name == "sample/cr/undated/en"
        assert "say which edition" in doubts(page)["edition"]


def test_running_heads_and_colophons_have_dates() -> None:
    lines = [f"{n}-{m}. Card number {m} of the kind {n} is drawn." for n in range(1, 9)
             for m in range(1, 9)]  # fmt: skip
    pages = ["\n".join(["Sample Rules", *lines[n : n + 16], "Effective July 9, 2026"])
             for n in range(0, 64, 16)]  # fmt: skip
    assert read("\n\f".join(pages)).edition == "20260709"
    assert read(f"Sample Rules\n\n{RULES}\n© Sample\nRevised 2025.10.01\n").edition == "20251001"


def test_an_ambiguous_date_is_decided_or_a_warning() -> None:
    title = "Sample Rules\n3/4/2026\n\n"
    page = read(title + RULES)
    assert page.edition is None and "3/4/2026" in doubts(page)["edition"]
    assert read(title + RULES + "2-1-2. Cards of 12/30/2025 are not used.\n").edition == "20260304"
    assert read(title + RULES + "2-1-2. Cards of 30/12/2025 are not used.\n").edition == "20260403"
    assert read(title + RULES, "book-20260403.txt").edition == "20260403"
    both = find_edition(["Effective 3/4/2026", "May 2, 2025"], [], "", "")
    assert both.name == "20250502" and "3/4/2026" in both.doubt


@pytest.mark.parametrize(
    ("front", "file", "edition"),
    [
        ("", "rules_20231117.txt", "20231117"), ("", "folder/cr 2024-08-02.pdf", "20240802"),
        ("Version 1.8", "rules.txt", "v1.8"), ("Ver.1.26.1", "rules.txt", "v1.26.1"),
        ("第1.05版", "rules.txt", "v1.05"), ("Version 1.8", "a.zip!cr.20250102.txt", "20250102"),
        ("", "rules-v2.1.en.txt", "v2.1"), ("", "rules-1.26.1.ja.pdf", "v1.26.1"),
    ],
)  # fmt: skip
def test_the_edition_by_the_files_name_or_the_version(front: str, file: str, edition: str) -> None:
    page = read(f"Sample Rules\n{front}\n\n{RULES}", file)
    assert page.edition == edition and edition in doubts(page)["edition"]
    assert doubts(read(f"Sample Rules\n{front}\n\n{RULES}", file, edition="x")) == {}


def test_editions_named_by_versions_are_compared(tmp_path: Path) -> None:
    for version, number in (("1.8", "three"), ("1.9", "four")):
        text = f"Sample Rules\nVersion {version}\n\n{RULES.replace('three', number)}"
        (tmp_path / f"{version}.txt").write_text(text, encoding="utf-8")
    report = kb.build([tmp_path], tmp_path / "x.db")
    assert sum("version" in warning.what for warning in report.warnings) == 2
    with kb.open(tmp_path / "x.db") as base:
        assert [c.after.number for c in base.diff("v1.8", "v1.9").changes if c.after] == ["1-2-1"]


@pytest.mark.parametrize(
    ("title", "game"),
    [
        ("Null Signal Games\nNetrunner Comprehensive Rules", "netrunner"),
        ("Sample Studio\nOwl Duel Comprehensive Rules", "owl-duel"),
        ("Core rules of Sorcery", "sorcery"), ("Core rules of Owls", "owls"),
        ("Union Arena Rule Manual Ver.1.05", "union-arena"), ("The Owl Rulebook", "owl"),
        ("# ONE PIECE CARD GAME — Comprehensive Rules", "one-piece"),
        ("ワンピースカードゲーム 総合ルール", "one-piece"),
        ("航海王集换式卡牌对战\n综合规则", "one-piece"),
        ("見本シリーズ\nオフィシャルカードゲーム\n総合ルール", "見本シリーズ"),
        ("Comprehensive Rules\nOwl Duel", "owl-duel"),
        ("Weiß Schwarz\nDetailed Rules", "weiss-schwarz"),
        ("DRAGON BALL SUPER CARD GAME FUSION WORLD Rules", "dragon-ball-fusion-world"),
        ("Owl Rules\nThey differ from those of Magic: The Gathering.", "owl"),
        ("Comprehensive Rules\n\nOf the Disney Lorcana game. Lorcana has rules.", "lorcana"),
        ("THE LAST LANTERN\nA Tale of Small Fires\nRules applicable from", "last-lantern"),
        ("F L E S H   A N D   B L O O D\nRules", "flesh-and-blood"), ("遊☆戯☆王\nルール", "ygo"),
        ("Owl Studio presents\nOwl Duel\nThe Card Game\nComprehensive Rulebook\nv1.2", "owl-duel"),
        ("猫头鹰卡牌游戏\n详细规则书 第1.2版", "猫头鹰卡牌游戏"), ("Rules\nGame: Owls", "owls"),
        ("Comprehensive Rules (v. 1.10)", None),
        ("Comprehensive Rules", None), ("", None), ("Contents", None),
    ],
)  # fmt: skip
def test_the_game_by_the_title(title: str, game: str | None) -> None:
    page = read(f"{title}\nUpdated 2025-01-02\n\n{RULES}")
    assert page.game == game
    assert ("game" in doubts(page)) == (game is None)


def test_the_contents_may_stand_before_the_title() -> None:
    contents = (
        "目次\n1. 準備 ........ 1\n1-1. 山札 ........ 1\n1-2. 手札 ........ 2\n2. 終了 .... 3\n"
    )
    page = read(f"{contents}\n見本ゲーム 総合ルール\n2025年1月2日\n\n{JAPANESE_RULES}")
    assert (page.title, page.game, page.lang) == ("見本ゲーム 総合ルール", "見本ゲーム", "ja")


def test_a_title_is_without_markdown() -> None:
    assert read(f"# **Owl Duel** Rules\n\n{RULES}").title == "Owl Duel Rules"


def test_names_of_games_do_not_hide_in_words() -> None:
    assert game_of_title("Sorceryless Rules") is None
    assert game_of_title("Ｗｅｉß  Schwarz：規則") == "weiss-schwarz"


def detected(text: str, **hints: str) -> list[str]:
    pages, _ = read_pages(Snapshot("book.txt", text.encode(), hints=Hints(**hints)))
    return [page.engine for page in pages]


@pytest.mark.parametrize(
    "form",
    ["{}．{}", "{}. {}", "{} {}", "- **{}.** {}", "## {}. {}", "{}) {}", "{}\n{}", "  {}　{}"],
)
@pytest.mark.parametrize(
    "numbers",
    ["1-1-1 1-1-2 1-2 1-2-1 2-1 2-1-1", "1.1 1.1.a 1.1.b 1.2 2.1 2.1.a",
     "101.1 101.1a 101.2 102.1 102.2"],
)  # fmt: skip
def test_what_is_taken_for_a_rulebook(form: str, numbers: str) -> None:
    body = "\n".join(form.format(number, "山札を切ります。") for number in numbers.split())
    assert detected(f"101 General\n{body}\n") == ["rulebook"]


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"2025-0{n}-1{n} We met.\n" for n in range(1, 9)),
        "".join(f"{n}.5 metres of rope.\n" for n in (9, 3, 7, 1, 5, 2, 8)),
        "A page\n" + "It says this.\n" * 20 + "".join(f"- 120.{n} Damage.\n" for n in range(1, 9)),
        "## 1.3.0\nNew.\n## 1.2.1\nOld.\n## 1.2.0\nOld.\n## 1.1.0\nOld.\n## 1.0.0\nOld.\n",
    ],
)
def test_what_is_not_taken_for_a_rulebook(text: str) -> None:
    assert detected(text) == []


def test_keywords_in_angle_brackets_are_no_html() -> None:
    text = f"Sample Rules\n\n{RULES}2-2. <Body> and <P> are keywords, as is <Table 2>.\n"
    assert detected(text) == ["rulebook"]
    assert detected("<Body>\nNo number at all.\n", site="rulebook") == ["rulebook"]
    assert detected("{T}: it is turned.\n" + RULES, site="rulebook") == ["rulebook"]
    assert detected(f"<p>{RULES}</p>") == []


@pytest.mark.parametrize("url", ["", "https://owls.example/{}"])
def test_two_texts_of_one_name_are_a_warning(url: str, tmp_path: Path) -> None:
    for name, number in (("a", "three"), ("b", "four")):
        text = f"Sample Rules\n2025-01-02\n\n{RULES.replace('three', number)}2-2. Sample ends.\n"
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    if url:
        lines = (f'{{"file": "{n}.txt", "url": "{url.format(n)}"}}' for n in "ab")
        (tmp_path / "manifest.jsonl").write_text("\n".join(lines), encoding="utf-8")
    [warning] = kb.build([tmp_path], tmp_path / "x.db").warnings
    both = warning.where + warning.what
    assert "a.txt" in both and "b.txt" in both and "edition" in warning.hints
    with kb.open(tmp_path / "x.db") as base:
        assert warning in base.audit().warnings


@pytest.mark.parametrize(
    ("front", "name"),
    [
        ("マジック総合ルール(和訳 20120601.0 版)", "mtg/cr/20120601/ja"),
        (
            "Magic Tournament Rules\nEffective January 3, 2025",
            "mtg/document/tournament-rules-20250103/ja",
        ),
        (
            "イベントルール 2026年2月12日\nロルカナの大会の規則。",
            "lorcana/document/tournament-rules-20260212/ja",
        ),
        ("Handbook\n2025-01-02\nOf Lorcana. Lorcana has others.", "lorcana/cr/20250102/ja"),
        ("---\ntitle: デュエマ 総合ルール\nversion: 1.48\n---", "dm/cr/1.48/ja"),
        ("---\ngame: owls\nlang: en\ndate: 2025-01-02\n---\nRules of it", "owls/cr/20250102/en"),
        ("Umfassende Regeln für Eulen\nGültig ab 3. März 2025", "eulen/cr/20250303/ja"),
        # The later of two dates is the one from which they apply.
        ("Reglas de Eulen\nActualizado el 2 de abril de 2024, aplicable el 9 de abril de 2024",
         "eulen/cr/20240409/ja"),
        ("유희왕 공식 규칙\n2025년 3월 1일 개정", "ygo/cr/20250301/ja"),
    ],
)  # fmt: skip
def test_what_is_in_front_of_the_rules(front: str, name: str) -> None:
    rules = "\n".join(f"{n}.{m}. カードを引く。" for n in (1, 2, 3) for m in range(1, 6))
    text = f"{front}\n\n{rules}\n"
    page = rulebook_text.read(Snapshot("book.md", text.encode(), hints=Hints()), text)[0]
    assert page.name == name and page.lost == 0


@pytest.mark.parametrize(
    ("front", "edition"),
    [
        # A date in a line about something else counts only if there is no other, and is doubted.
        ("Owl Rules\nBooster Feathers - in shops from 14 November 2019!\n", "20191114"),
        ("Owl Rules\nThe project began at a table on 3 May 2021.\n", "20210503"),
        ("Owl Rules\n5 May 2020\nThe cup on the 9th and on 10 December 2021 in\n", "20200505"),
        ("Owl Rules\n5 May 2020\nQuestions (FAQ): see there, revised 9 June 2021\n", "20200505"),
        ("Owl Rules\nrev. 7  8 Nov 2019  Nest\nrev. 8  5 May 2020  errata only\n", "20200505"),
        ("Owl Rules\nUpdated 5 May 2020\nOf this book the Japanese text was updated 9 June 2021.\n",
         "20200505"),
        ("Owl Rules\n5 May 2020\nD'après l'édition japonaise 総合ルール Ver.1.08 (2021年12月4日)\n",
         "20200505"),
        ("Regole del Gufo\nEdizione – revisione 4 – 5 maggio 2020\nUscirà il 2 giugno 2021\n",
         "20200505"),
        ("猫头鹰规则\n更新于 2020-05-05\n英文 Core Rules 的更新日期为 2021-10-24。\n",
         "20200505"),
        ("Owl Rules\nThe next update is planned with the February 2022 set.\n", None),
        ("Owl Rules\nText of the release, 1 October 2021\nPlanned with the May 2022 set.\n",
         "20211001"),
    ],
)  # fmt: skip
def test_dates_of_something_else(front: str, edition: str | None) -> None:
    page = read(front + RULES)
    assert page.edition == edition
    is_of_title = edition == "20200505"
    assert ("edition" in doubts(page)) is not is_of_title


@pytest.mark.parametrize(
    ("title", "game"),
    [
        ("GREY\nOWL\nCARD GAME\n\nComprehensive Rules", "grey-owl-card-game"),
        ("THE OWL\nOF GREY\nTHE CARD GAME\n\nComplete Rules", "owl-of-grey"),
    ],
)
def test_a_name_may_be_of_several_lines(title: str, game: str) -> None:
    """By what stands again in the running heads."""
    head = game.replace("-", " ").upper()
    page = read(f"{title}\n\n{head}   1\n\n{RULES}\n{head}   2\n")
    assert page.game == game


@pytest.mark.parametrize("title", ["総合ルール(印刷用)", "総合ルール　第三版"])
def test_what_a_book_is_for_is_no_name(title: str) -> None:
    assert "no game is named" in doubts(read(f"{title}\n\n{JAPANESE_RULES}"))["game"]


def test_a_name_over_two_lines_that_the_rules_use_once() -> None:
    front = "BARN\n        OWLS\n\n        For Two Perches\n\nMASTER RULES    Release 7\n\n"
    used = "\n1. General\n1.1. Barn Owls is played by two perches.\n1.2. They fly.\n1.3. End.\n"
    assert read(front + used).game == "barn-owls"
    one = front.replace("OWLS", "OWL"), used.replace("Barn Owls is", "Barnowl, a barn, is")
    assert read("".join(one)).game == "barnowl"


@pytest.mark.parametrize(
    ("front", "edition"),
    [
        # The date of another document that a sentence names, in brackets, also over two lines.
        ("梟 総合ルール\n2025/2/7 適用\n他に「梟の大会規定 ver. 3（2025/3/1 適用）」を読むこと。",
         "20250207"),
        ("Owl Rules\nEffective 2025-02-07\nThe manual of the other owls (last\nupdated 2025-03-01)"
         " is another book, and not this one.", "20250207"),
        # What came before, a season, and a line of several editions.
        ("梟 総合ルール\n2025年4月11日更新\n前版は2025年12月20日適用", "20250411"),
        ("Owl Rules\nSeason September 2025 – August 2026\nUpdated 2025-04-11", "20250411"),
        ("Eulenregeln\n3. Auflage\n(1. Auflage 2019 · 2. Auflage 2. Mai 2022)", None),
    ],
)  # fmt: skip
def test_dates_beside_the_books_own(front: str, edition: str | None) -> None:
    assert read(f"{front}\n\n{RULES}").edition == edition


def test_who_owns_a_game_is_not_the_game() -> None:
    """A publisher above the title, whose name the rules never say, is a guess that is told."""
    page = read(f"NESTWERK\n\nRegeln\n\n© 2025 Nestwerk Verlag GmbH\n20250102\n{RULES}")
    assert [w.what for w in page.warnings if w.where == "game"]


@pytest.mark.parametrize(
    ("title", "game"), [("Regole avanzate", None), ("Manuale avanzato di Gufi", "gufi")]
)
def test_an_advanced_book_is_of_no_game_and_one_of_a_game_is(title: str, game: str | None) -> None:
    assert read(f"{title}\n20250102\n{RULES}").game == game
