"""The server for editors, asked by pygls' client: what it shows, finds and repairs."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

import kb
from kb.checking.proofreader import Proofreader
from kb.lsp.hover import plain, rule_lines, without_markup
from kb.lsp.open_texts import LONGEST, Settings
from tests.checking.test_verify_files import NEW, OLD
from tests.hostile_text import SEQUENCES
from tests.lsp.client import Editor, whole, with_editor
from tests.rulebooks import base_of, rulebook, write_books

TITLE = "Magic: The Gathering Comprehensive Rules"


@pytest.fixture(scope="module")
def kb_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("books")
    books = {("20230101", "en"): rulebook(OLD, TITLE), ("20240101", "en"): rulebook(NEW, TITLE)}
    base_of([write_books(folder, books, "mtg")], folder / "kb.db").close()
    return folder / "kb.db"


def shown(hover: types.Hover | None) -> str:
    assert hover and isinstance(hover.contents, types.MarkupContent)
    return hover.contents.value


def test_a_draft_is_read_as_one_types(kb_file: Path, tmp_path: Path) -> None:
    text = (
        "# Anchors\n\n"
        "By rule 100.9 nothing happens. 😀 See 𠮷 rule 100.1, and rule\n"
        "100.3: “An anchor holds two ships for as long as nobody lifts it.”\n"
    )

    async def work(editor: Editor) -> None:
        missing, turned = await editor.open("draft.md", text)
        assert (missing.code, missing.source) == ("not-found", "sansho")
        assert missing.range == types.Range(types.Position(2, 3), types.Position(2, 13))
        assert turned.code in ("repaired", "contradicts") and turned.range.start.line == 3

        line = text.split("\n")[2]
        units = len(line[: line.index("100.1")].encode("utf-16-le")) // 2
        found = await editor.hover("draft.md", 2, units)
        assert OLD["100.1"] in shown(found) and "edition 20240101" in shown(found)
        assert found and found.range and found.range.start.character == units - len("rule ")
        assert await editor.hover("draft.md", 2, units - 7) is None  # on 𠮷

        [place] = [await editor.definition("draft.md", 2, units)]
        assert Path(place.uri).suffix == ".txt" and place.range.start.line > 0

        one, _ = await editor.actions("draft.md", turned.range)
        assert one.kind == types.CodeActionKind.QuickFix and "one ship" in str(one.title)
        left = await editor.apply("draft.md", one)
        assert [each.code for each in left] == ["not-found"]
        assert "“An anchor holds one ship for" in editor.texts[editor.uri("draft.md")]
        assert not editor.messages

    with_editor(tmp_path, kb_file, work, {"game": "mtg"})


def test_repairs_of_all_that_is_sure_leave_a_clean_file(kb_file: Path, tmp_path: Path) -> None:
    code = 'f(100.4);  // 𠮷 CR 100.4 and CR 100.5\nwhy = "CR 100.6"  // no rule 100.4, 100.4\n'

    written: list[str] = []

    async def work(editor: Editor) -> None:
        found = await editor.open("src/cost.cpp", code)
        assert {one.code for one in found} == {"moved"} and len(found) == 5
        [every] = await editor.actions("src/cost.cpp", whole(code), ["source.fixAll"])
        assert every.command and every.is_preferred
        assert await editor.apply("src/cost.cpp", every) == []
        now = editor.texts[editor.uri("src/cost.cpp")]
        assert now == (
            'f(100.4);  // 𠮷 CR 100.3 and CR 100.4\nwhy = "CR 100.5"  // no rule 100.3, 100.3\n'
        )
        assert await editor.actions("src/cost.cpp", whole(now)) == []
        assert await editor.hover("src/cost.cpp", 0, 2) is None  # code, no comment
        written.append(now)

    with_editor(tmp_path, kb_file, work, {"edition": "20230101"})
    with kb.open(kb_file) as base:  # what was written is known to the commands, too
        file = tmp_path / "src" / "cost.cpp"
        file.parent.mkdir()
        file.write_text(written[0], "utf-8")
        assert base.verify_files(file, edition="20230101").stands


@pytest.mark.slow
def test_a_repair_that_is_undone_can_be_repeated(kb_file: Path, tmp_path: Path) -> None:
    text = "One: see CR 100.4.\n\nTwo: see CR 100.5.\n"

    async def work(editor: Editor) -> None:
        await editor.open("a.md", text)
        for _ in range(2):
            [every] = await editor.actions("a.md", whole(text), ["source.fixAll"])
            assert await editor.apply("a.md", every) == []
            now = editor.texts[editor.uri("a.md")]
            assert now == "One: see CR 100.3.\n\nTwo: see CR 100.4.\n"
            assert [one.code for one in await editor.change("a.md", text)] == ["moved", "moved"]

    with_editor(tmp_path, kb_file, work, {"edition": "20230101"})


@pytest.mark.slow
def test_terms_and_drafts_with_their_originals(tmp_path: Path) -> None:
    (tmp_path / "en.md").write_text("See rule 121.5.\n\nDraw a card.\n", "utf-8")
    draft = "ルール121.4を参照。\n\n𠮷はカードを引いた。\n"

    async def work(editor: Editor) -> None:
        await editor.open("ja.md", draft)
        found = await editor.problems("ja.md")  # once more, with what was checked
        assert "rule-number" in [one.code for one in found]
        term = await editor.hover("ja.md", 2, draft.split("\n")[2].index("引") + 1)
        assert "ja: 引く" in shown(term) and "en: Draw" in shown(term) and "mtgwiki" in shown(term)
        assert term and term.range
        assert term.range == types.Range(types.Position(2, 3), types.Position(2, 9))  # 𠮷 is two
        english = await editor.open("en.txt", "The player drew two cards.")
        assert english == []
        assert "引く" in shown(await editor.hover("en.txt", 0, 12))
        assert await editor.hover("en.txt", 5, 0) is None

    with kb.sample() as sample:
        with_editor(tmp_path, sample.file, work, {"game": "mtg", "drafts": {"ja.md": "en.md"}})


@pytest.mark.slow
def test_a_missing_base_is_one_message_until_it_is_built(kb_file: Path, tmp_path: Path) -> None:
    later = tmp_path / "later.db"

    async def work(editor: Editor) -> None:
        assert await editor.open("a.md", "rule 100.9") == []
        assert await editor.change("a.md", "See rule 100.9") == []
        assert await editor.hover("a.md", 0, 6) is None
        assert len(editor.messages) == 1 and "later.db" in editor.messages[0]
        later.write_bytes(kb_file.read_bytes())
        [found] = await editor.change("a.md", "See rule 100.9 again")
        assert found.code == "not-found" and len(editor.messages) == 1

    with_editor(tmp_path, later, work)


@pytest.mark.slow
def test_wrong_settings_are_one_message(kb_file: Path, tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        await editor.open("a.md", "rule 100.9")
        await editor.change("a.md", "rule 100.99")
        assert len(editor.messages) == 1 and "mgt" in editor.messages[0]

    with_editor(tmp_path, kb_file, work, {"game": "mgt"})
    for given, words in (({"colour": 1}, "colour"), ({"drafts": ["a"]}, "drafts"), ("mtg", "str")):
        with pytest.raises(kb.QuestionError, match=words):
            Settings.of(given)
    assert Settings.of(None) == Settings.of({"game": "", "edition": None}) == Settings()


def test_a_hostile_text_breaks_nothing(kb_file: Path, tmp_path: Path) -> None:
    hostile = "".join(SEQUENCES) + "\0\ud800\x0c\u2028\u0085 rule 100.9\r\nCR 100.9 “" + "(" * 5_000

    async def work(editor: Editor) -> None:
        found = await editor.open("a.md", hostile)
        [line] = {one.range.start.line for one in found if one.range.start.character == 0}
        last = [one for one in found if one.code == "not-found"][-1]
        assert last.range == types.Range(types.Position(line, 0), types.Position(line, 8))
        for name in ("a.py", "a.html", "a.rst", "a.json", "a.yaml", "a.csv", "a"):
            await editor.open(name, hostile)
        for place in ((0, 0), (0, 10**6), (10**6, 0)):
            await editor.hover("a.md", *place)
            await editor.definition("a.md", *place)
        [long] = await editor.open("long.md", "rule 100.9 " * (LONGEST // 10))
        assert "longer than 400,000" in long.message and long.severity == 3
        await editor.open("not-a-file.md", "rule 100.9")
        assert not editor.messages

    with_editor(tmp_path, kb_file, work)


def test_words_of_a_page_are_no_markup() -> None:
    hostile = "![x](http://a/b.png) [run](command:x) <img> `a` **b** http://x/_y_ &lt; \x1b[31m"
    shown = plain(hostile)
    assert "![" not in shown and "](" not in shown.replace("\\](", "") and "\x1b" not in shown
    assert without_markup(f"**A** {shown}").startswith("A ![x](http://a/b.png) [run](command:x)")


def test_drafts_are_named_by_path_or_pattern() -> None:
    settings = Settings(drafts={"ja/*.md": "en.md", "b.xliff": ""})
    root = "/home/me/book"
    assert settings.original_of("/home/me/book/ja/1.md", root) == "/home/me/book/en.md"
    assert settings.original_of("/home/me/book/b.xliff", root) == ""
    assert settings.original_of("/home/me/book/README.md", root) is None


def test_edits_keep_words_apart(kb_file: Path) -> None:
    texts = {
        "CR 100.3: “An anchor holds ship for as long as nobody lifts it”": "holds one ship for",
        "CR 100.3: “An anchor holds one big ship for as long as nobody lifts it”": "one ship for",
    }
    with kb.open(kb_file) as base:
        reader = base.proofreader(game="mtg")
        assert isinstance(reader, Proofreader)
        for text, right in texts.items():
            [repair] = reader.repairs(text, reader.verify(text).problems)
            for edit in reversed(repair.edits):
                text = text[: edit.start] + edit.text + text[edit.end :]
            assert right in text and reader.verify(text).stands


@pytest.mark.parametrize(
    ("text", "right", "sure"),
    [
        ("「プレイヤーはいつでも投了しなければならない。」（101.3）", "投了してよい。」", 0),
        ("「最後のランタンが消えたプレイヤーは勝利する。」（101.1）", "敗北する。」（101", 0),
        ("「その持ち主は自分の蛾1つを相手の蛾に向かわせる。」（302.2）", "せてよい。」", 1),
        ("302.2 その持ち主は自分の蛾1つを相手の蛾に向かわせる。", "せてよい。", 0),
    ],
)
def test_a_repair_keeps_the_full_stop_and_adds_no_sentence(
    text: str, right: str, sure: int
) -> None:
    with kb.sample() as base:
        reader = base.proofreader(game="lanterns")
        repairs = list(reader.repairs(text, reader.verify(text).problems))
        assert sum(one.sure for one in repairs) == sure
        for edit in reversed(repairs[0].edits):
            text = text[: edit.start] + edit.text + text[edit.end :]
        assert right in text and text.count("。") == 1


@pytest.mark.parametrize(
    "text",
    ["| 121.5 | ライブラリーから手札へ |", "121.5 ライブラリーから手札へ", "- 121.1 カードを引く"],
)
def test_notes_beside_a_number_are_no_quotation_of_a_page(text: str) -> None:
    with kb.sample() as base:
        assert not base.verify(text, game="mtg").problems


@pytest.mark.parametrize(
    "text",
    [
        "ルール121.4によると、空のライブラリーから引こうとしたプレイヤーは敗北する。",
        "121.4によれば、残りが0枚のライブラリーから引こうとしたプレイヤーは敗北する。",
        "121.6aによると、ライブラリーが空でも働く。",
        "121.6aによると、ライブラリーに引けるカードがないときにも働く。",
    ],
)
def test_what_holds_even_there_is_no_contradiction(text: str) -> None:
    with kb.sample() as base:
        assert not base.verify(text, game="mtg").problems
        wrong = base.verify(text.replace("敗北する", "勝利する").replace("働く", "働かない"))
        assert [one.verdict for one in wrong.problems] == ["contradicts"]
        assert "“”" not in wrong.problems[0].message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("CR:101.3を参照。", "101.3 of edition 20250401 is not in 20260401"),
        ("ルール301.4を参照。", "301.4 says something else in 20260401 than in 20250401: To dim"),
        ("ルール301.1を参照。", ""),
    ],
)
def test_a_rule_that_a_newer_edition_changed_in_another_language(text: str, words: str) -> None:
    with kb.sample() as base:
        reader = base.proofreader(game="lanterns")
        [claim] = reader.verify(text).claims
        lines = "\n".join(rule_lines(base, reader, claim))
        assert "20250401 · ja" in lines
        assert words in lines if words else "20260401" not in lines
