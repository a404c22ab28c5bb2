"""What `show` answers: editions merged, places, citations, spellings, outlines."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

import kb
from kb.cli.render.lookup import _own_lines, print_card_values, print_names
from kb.cli.render.output import cell_width
from kb.query.show import show
from tests.commands import run
from tests.editions.test_editions import NEW, NEWEST, OLD
from tests.rulebooks import base_of, described, rulebook, wiki_source

GLOSSARY = "\nGlossary\n\n{}\n"
GLOSS = {
    "20240101": "Ship\nA card with a sail. See rule 100, “Ships.”\n\nRaft\nSee Ship.",
    "20250101": "Ship\nA card with a sail. See rule 100, “Ships.”\n\nRaft\nSee Ship.",
    "20260101": "Ship\nA card with two sails. See rule 100, “Ships.”\n\nRaft\nSee Ship.",
}
JAPANESE = {
    "1": "港",
    "100": "船",
    "100.1": "筏は船ではない。",
    "100.2": "船は帆のある札である。rule 100.3 参照。",
    "100.3": "船長は朝に空いた船へ乗ってよい。",
}
WIKI = {
    "101": "*101 [#top]\n遊びの名。~\n",
    "表向き": "*表向き [#top]\n札の表を見せて置くこと。~\n**細則 [#rule]\n札は表向きに置く。~\n",
    "札": "*札 [#top]\n本項で解説する。~\n遊びに使う紙片のこと。~\n詳しくは[[表向き]]を参照。~\n"
    "札はオモテ向きに置く。表向きの札は動かない。~\n",
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Three English editions, a Japanese one, and two pages of a wiki of another game."""
    folder = tmp_path_factory.mktemp("show")
    books = [("20240101", "en", OLD), ("20250101", "en", NEW), ("20260101", "en", NEWEST)]
    for edition, lang, texts in [*books, ("20250101", "ja", JAPANESE)]:
        name = f"harbour.{edition}.{lang}.published-{int(edition) + 7}.txt"
        text = rulebook(texts, glossary=GLOSSARY.format(GLOSS[edition]) if lang == "en" else "")
        given = {"game": "harbour", "lang": lang, "edition": edition, "site": "rulebook"}
        described(folder, {name: text}, **given)
    wiki_source(folder, WIKI, "dmwiki")
    kb.build([folder], folder / "x.db")
    return str(folder / "x.db")


@pytest.fixture
def harbour(path: str) -> kb.KnowledgeBase:
    return kb.open(path)


def said(path: str, *words: str, code: int = 0) -> str:
    ran = run("show", *words, of=path)
    assert ran.exit_code == code, ran.output
    return ran.output


def test_editions_are_merged_and_languages_told_apart(harbour: kb.KnowledgeBase) -> None:
    english, japanese = harbour.show("100.2").entries
    assert (english.node.edition, english.node.lang) == ("20260101", "en")
    assert english.same == ()
    assert [rule.edition for rule in english.different] == ["20250101", "20240101"]
    assert (japanese.node.lang, japanese.different) == ("ja", ())
    found = harbour.show("100.3")
    [rule, _] = found.entries
    versions = [(same.edition, same.number) for same in rule.same]
    assert versions == [("20250101", "100.3"), ("20240101", "100.2")]
    assert len(found.matches) == 4
    [other] = found.also  # what was 100.3 in 2024
    assert other.id == "harbour/cr/20240101/en/100.3" and harbour.follow(other.reason.ask).matches


def test_a_number_may_be_a_name_too(harbour: kb.KnowledgeBase) -> None:
    kinds = [entry.node.kind for entry in harbour.show("101").entries]
    assert kinds[0] == "rule" and {"term", "page"} <= set(kinds)
    assert {node.kind for node in harbour.show("101", game="harbour").matches} == {"rule"}


def test_a_rule_has_its_place_and_neighbours(harbour: kb.KnowledgeBase) -> None:
    [entry] = harbour.show("100.3", lang="en").entries
    assert entry.rule
    assert [(place.number, place.label) for place in entry.rule.place] == [
        ("1", "Harbour"),
        ("100", "Ships"),
    ]
    neighbours = entry.rule.previous, entry.rule.next
    assert [each and each.number for each in neighbours] == ["100.2", "101"]
    assert [rule.number for rule in entry.rule.sub_rules] == ["100.3a", "100.3b"]
    [first] = harbour.show("1", lang="ja").entries
    assert first.rule and (first.rule.previous, first.rule.next) == (None, None)


def test_cited_by_is_counted_by_kind(harbour: kb.KnowledgeBase) -> None:
    [entry] = harbour.show("102.1").entries
    assert entry.rule and entry.rule.cited_by.rules == ("100.3a",)
    [ships] = harbour.show("100", lang="en").entries
    assert ships.rule and ships.rule.cited_by.entries == 1  # of the newest of three editions
    [japanese] = harbour.show("100.2", lang="ja").entries
    assert japanese.rule and [rule.number for rule in japanese.rule.cites] == ["100.3"]


def test_a_tree_has_all_sub_rules(harbour: kb.KnowledgeBase, path: str) -> None:
    [outline] = harbour.show("100", lang="en", tree=True).tree.values()
    assert [(line.depth, line.number) for line in outline.lines] == [
        (0, "100"),
        (1, "100.1"),
        (1, "100.2"),
        (1, "100.3"),
        (2, "100.3a"),
        (2, "100.3b"),
    ]
    assert (outline.rules, outline.full, outline.more) == (5, True, None)
    text = said(path, "100", "--tree", "--lang", "en")
    assert "    100.3b A boarded ship can’t be sold until evening." in text
    assert "5 rules below 100" in text and "--edition 20250101" in text


def test_a_tree_of_what_is_no_rule(path: str) -> None:
    assert "Raft names none" in said(path, "Raft", "--tree")


def test_a_long_chapter_gives_headings(
    monkeypatch: pytest.MonkeyPatch, harbour: kb.KnowledgeBase
) -> None:
    monkeypatch.setattr("kb.query.show.rule_context._MAX_RULES", 5)
    monkeypatch.setattr("kb.query.show.rule_context._MAX_LINES", 6)
    [outline] = harbour.show("1", lang="en", tree=True).tree.values()
    assert (
        not outline.full
        and outline.more
        and outline.more.ask == kb.Ask("show", ref="100", lang="en", tree=True)
    )
    assert [line.number for line in outline.lines] == ["1", "100", "101", "102", "103"]
    assert outline.lines[1].below == 5 and outline.lines[1].text is None


def test_glossaries_are_compared_by_edition(harbour: kb.KnowledgeBase) -> None:
    [entry] = [each for each in harbour.show("Ship").entries if each.term]
    assert entry.term
    assert [(d.evidence.text, d.edition, d.same_in) for d in entry.term.definitions] == [
        ("A card with two sails.", "20260101", ()),
        ("A card with a sail.", "20250101", ("20240101",)),
    ]
    assert [rule.number for rule in entry.term.cites] == ["100"]


def test_an_entry_that_only_refers_defines_nothing(harbour: kb.KnowledgeBase, path: str) -> None:
    [entry] = harbour.show("Raft").entries
    assert entry.term and entry.term.definitions == ()
    assert "See Ship." in said(path, "Raft")


def test_terms_are_found_by_edition(harbour: kb.KnowledgeBase, path: str) -> None:
    assert [node.kind for node in harbour.show("Ship", edition="20250101").matches] == ["term"]
    found = harbour.show("Ship", edition="20250108")  # the date in its file's name
    assert len(found.matches) == 1
    assert "20250108 is taken for 20250101" in str(found.taken_as[0])
    assert "edition 20250108 is taken for 20250101" in said(path, "Ship", "--edition", "20250108")
    assert harbour.show("表向き", edition="20250101").matches == ()


def test_spellings_that_were_met(harbour: kb.KnowledgeBase, path: str) -> None:
    term = harbour.show("表向き").entries[0].term
    assert term and term.mentions >= 3
    met = {spelling.text: spelling for spelling in term.spellings}
    assert met["オモテ向き"].count == 1 and not met["オモテ向き"].is_name
    assert met["表向き"].is_name
    assert "written オモテ向き (1 place: 札" in said(path, "表向き")


def test_forms_of_a_word_are_one_spelling(base: kb.KnowledgeBase) -> None:
    term = base.show("引く", game="mtg").entries[0].term
    assert term
    [draw] = [spelling for spelling in term.spellings if spelling.text == "引く"]
    assert {"引く", "引い"} <= {form for form, _ in draw.forms}
    assert sum(count for _, count in draw.forms) == draw.count


def test_a_stub_is_no_definition(harbour: kb.KnowledgeBase) -> None:
    term = harbour.show("札").entries[0].term
    assert term and term.definitions[0].evidence.text.startswith("遊びに使う紙片のこと。")
    assert not any("参照" in each.evidence.text for each in term.definitions)


def test_a_page_has_an_outline(harbour: kb.KnowledgeBase) -> None:
    [entry] = [each for each in harbour.show("表向き").entries if each.page]
    assert entry.page and [heading for _, heading in entry.page.sections][-1] == "細則"
    assert entry.page.opening == "札の表を見せて置くこと。"


def test_a_heading_finds_its_rule_in_one_language(harbour: kb.KnowledgeBase, path: str) -> None:
    found = harbour.show("船")
    assert [node.lang for node in found.matches if node.kind == "rule"] == ["ja"]
    [other] = found.also
    assert other.id == "harbour/cr/20260101/en/100"
    assert other.reason.ask == kb.Ask("show", ref=other.id)
    assert "the same rule in English" in said(path, "船")
    assert harbour.show("100").also == harbour.show("船", lang="ja").also == ()


def test_json_has_all(path: str) -> None:
    ran = run("show", "100.3", "--tree", "--json", of=path)
    document = json.loads(ran.stdout)
    assert len(document["matches"]) == 4 and len(document["also"]) == 1
    entry = document["entries"][0]
    assert entry["same"] == ["harbour/cr/20250101/en/100.3", "harbour/cr/20240101/en/100.2"]
    assert entry["rule"]["cited_by"] == {
        "rules": ["100.2"], "entries": 0, "pages": 0, "earlier": 0,
    }  # fmt: skip
    assert set(document["tree"]) == {each["node"] for each in document["entries"]}


def test_text_tells_editions_and_how_to_see_them(path: str) -> None:
    text = said(path, "100.2")
    assert "100.2 (en)" in text and "100.2 (ja)" in text
    assert "in 20250101, 20240101" in text and "sansho trace harbour/cr/20260101/en/100.2" in text
    assert max(len(line) for line in text.splitlines() if "sansho " not in line) <= 80


def test_a_term_mentioned_often_is_read_in_part(
    monkeypatch: pytest.MonkeyPatch, harbour: kb.KnowledgeBase, path: str
) -> None:
    monkeypatch.setattr("kb.query.show.term_profile._MAX_READ", 1)
    term = harbour.show("表向き").entries[0].term
    assert term and term.read == 1 and term.mentions >= 3
    assert "the first 1 are on 1 page" in said(path, "表向き")


def test_a_section_shows_its_passages(path: str) -> None:
    text = said(path, "dmwiki/表向き#細則")
    assert "\n  札は表向きに置く。" in text


def test_a_whole_page_is_read_by_its_sections(harbour: kb.KnowledgeBase, path: str) -> None:
    content = harbour.show("dmwiki/表向き", tree=True).contents["dmwiki/表向き"]
    parts = [(part.depth, part.heading, part.text) for part in content.parts]
    [opening, heading, rule] = [part for part in parts if part[1] != "表向き"]
    assert opening[1:] == (None, "札の表を見せて置くこと。")
    assert heading[1] == "細則" and rule[2] == "札は表向きに置く。"
    assert rule[0] > heading[0] and content.more is None
    text = said(path, "dmwiki/表向き", "--tree")
    assert text.index("札の表を見せて") < text.index("細則") < text.index("札は表向きに置く。")
    assert "sections" not in text
    assert "sansho show dmwiki/表向き --tree" in said(path, "dmwiki/表向き")


def test_a_very_long_page_is_cut_and_says_so(
    monkeypatch: pytest.MonkeyPatch, harbour: kb.KnowledgeBase
) -> None:
    node = harbour.show("dmwiki/表向き").matches[0]
    content = show.page_content(harbour._store, node, 2)
    assert len(content.parts) == 2 and content.more and "the first 2 parts" in str(content.more)


def test_sub_rules_are_compared_where_a_rule_says_the_same(
    harbour: kb.KnowledgeBase, path: str
) -> None:
    [entry] = harbour.show("100", lang="en").entries
    assert entry.same and entry.changed_below
    for other in entry.same:
        there = harbour.show(other.id, tree=True).tree[other.id]
        here = harbour.show(entry.node.id, tree=True).tree[entry.node.id]
        texts = [
            {line.number: (line.label, line.text) for line in tree.lines} for tree in (here, there)
        ]
        in_both = texts[0].keys() & texts[1].keys()
        below = entry.changed_below.get(other.id)
        assert set(below.otherwise if below else ()) == {
            number for number in in_both if texts[0][number] != texts[1][number]
        }
        assert set(below.in_one_only if below else ()) == texts[0].keys() ^ texts[1].keys()
    assert "sub-rule" in said(path, "100", "--lang", "en") and "without its" not in said(
        path, "100"
    )


def test_a_heading_that_is_the_text_is_printed_once() -> None:
    assert _own_lines("Gear:\n143. Gear:\nIt turns.", "143", "Gear:") == ["It turns."]
    assert _own_lines("Gear turns.", "143", None) == ["Gear turns."]


def test_names_that_differ_in_case_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    labels = [
        kb.Label("en", "Draw", "preferred", ("b/2023#G¶1", "b/2026#G¶9")),
        kb.Label("en", "draw", "alias"),
        kb.Label("ja", "Draw", "alias"),
        kb.Label("ja", "引く", "alias"),
    ]
    print_names(labels)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == [
        "names",
        "Draw,",
        "draw",
        "(en,",
        "ja,",
        "preferred,",
        "2026",
        "›",
        "G)",
    ]
    assert len(lines) == 2


def test_wide_names_of_values_have_room(capsys: pytest.CaptureFixture[str]) -> None:
    details = {"cost": "2", "colour identity": "x", "abilities S・トリガー": "y"}
    print_card_values(kb.Node("mtg/card/x", "card", details=details))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].index("2") == lines[1].index("x", lines[1].index("identity"))
    assert lines[2].strip() == "abilities S・トリガー" and lines[3].strip() == "y"


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("words", [["引く"], ["121.4"], ["121", "--tree"], ["通常のドロー"]])
def test_every_line_fits(base: kb.KnowledgeBase, columns: int, words: list[str]) -> None:
    text = run("show", *words, of=base, columns=columns).output
    lines = [line for line in text.splitlines() if "://" not in line and "sansho " not in line]
    assert lines and all(cell_width(line) <= columns for line in lines)
    assert not [line for line in lines if line.strip()[:1] in {"。", "、", "」", "）"}]


@pytest.mark.shared
def test_on_the_captures(shared: Path, built: Callable[..., kb.KnowledgeBase]) -> None:
    text = said(str(built(shared / "seeds").file), "121.4")
    assert "1 ゲームの考え方 › 121 カードを引くこと" in text
    assert "sansho refs" not in text  # nothing cites it


def test_a_definition_that_two_sources_give_is_printed_once(tmp_path: Path) -> None:
    book_text = (
        "2024 Harbour Comprehensive Rules\n\n1. Port\n\n100. Load\n\n100.1. Slow.\n\nGlossary\n\n"
        "Load\nTo bring a thing into a ship.\n"
    )
    (tmp_path / "harbour.20240101.txt").write_text(book_text, "utf-8")
    (tmp_path / "harbour.20250101.txt").write_text(
        book_text.replace("2024", "2025").replace("a ship.", "a ship"), "utf-8"
    )
    kb.build(sorted(tmp_path.glob("*.txt")), tmp_path / "x.db", site="rulebook", game="harbour")
    text = said(str(tmp_path / "x.db"), "Load")
    assert text.count("To bring a thing") == 1 and "the same in 20240101" in text


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_commands_can_be_pasted(path: str, columns: int) -> None:
    """Those of a rule and of a long chapter; each finds something, in the edition asked for."""
    texts = [run("show", "100", of=path, columns=columns).stdout]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kb.query.show.rule_context._MAX_RULES", 2)
        asked = ("show", "100", "--tree", "--edition", "20250101", "--lang", "en")
        texts.append(run(*asked, of=path, columns=columns).stdout)
    commands = [
        line[line.index("sansho ") :]
        for text in texts
        for line in text.splitlines()
        if "sansho " in line
    ]
    assert len(commands) > 3 and all(f"--kb {path}" in command for command in commands)
    assert "trace 100.2 --game harbour" in run("show", "100.2", "--lang", "en", of=path).stdout
    assert "--edition 20250101" in commands[-1] and "--lang en" in commands[-1]
    for command in commands:
        assert run(*shlex.split(command)[1:]).exit_code == 0, command


def test_a_rule_found_by_its_heading_is_told_from_those_of_its_number(path: str) -> None:
    """Another game may have a rule 100, which the commands below would mean."""
    assert "harbour/rule/100@20260101/en" in run("show", "Ships", of=path).stdout
    assert "--game" not in run("show", "100", of=path).stdout


def test_a_spelling_that_is_always_written_so_has_no_forms(base: kb.KnowledgeBase) -> None:
    spellings = {each.text: each.forms for each in base.show("引く").entries[0].term.spellings}
    assert spellings["引く"] and spellings["カードを引く"] == ()


def test_the_parts_of_a_composite_heading_are_names(tmp_path: Path) -> None:
    book = "Harbour Comprehensive Rules\n\n1. Port\n\n100. Moor/Unmoor\n\n100.1. Ships do both.\n\n"
    book += "101. Load/Remove Salt\n\n101.1. Salt is heavy.\n"
    given = {"site": "rulebook", "game": "harbour", "edition": "20240101"}
    described(tmp_path, {"harbour.txt": book}, **given)
    with base_of([tmp_path], tmp_path / "kb.db") as base:
        assert [rule.number for rule in base.show("unmoor").matches] == ["100"]
        assert base.show("Moor").matches[0].label == "Moor/Unmoor"
        assert not base.show("Remove Salt").matches


def test_other_languages_are_of_the_edition_asked_for(harbour: kb.KnowledgeBase) -> None:
    assert [each.id for each in harbour.show("船", edition="20250101").also] == [
        "harbour/cr/20250101/en/100"
    ]
    assert [each.id for each in harbour.show("船").also] == ["harbour/cr/20260101/en/100"]


def test_a_page_comes_before_its_copy_in_another_wiki_of_the_site(tmp_path: Path) -> None:
    html = (
        '<html><head><title>stow - Wiki</title></head><body><div id="header"><h1 class="title">'
        '<a href="{0}?plugin=related&amp;page=stow">stow</a></h1></div><div id="body"><h2>stow</h2>'
        '<p>札を山に置く。</p></div><div id="footer">PukiWiki 1.4.7</div></body></html>'
    )
    for wiki in ("rush/", ""):
        base_url = f"https://yugioh-wiki.net/{wiki}index.php"
        files = {f"wiki{wiki[:-1]}.html": html.format(base_url)}
        described(tmp_path, files, url=f"{base_url}?stow")
    with base_of([tmp_path], tmp_path / "kb.db") as base:
        term, *pages = base.show("stow").matches
        assert [page.id for page in pages] == ["yugioh-wiki/stow", "yugioh-wiki/rush/stow"]
        assert term.url == "https://yugioh-wiki.net/index.php?stow"
