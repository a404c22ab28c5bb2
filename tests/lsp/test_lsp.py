"""The server for editors, asked by pygls' client: what it shows, finds and repairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

import kb
from kb.checking.proofreader import Proofreader
from kb.lsp.hover import plain, without_markup
from kb.lsp.open_texts import LONGEST, Settings
from tests.checking.test_verify_files import NEW, OLD
from tests.hostile_text import SEQUENCES
from tests.lsp.client import Editor, with_editor
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


def whole(text: str) -> types.Range:
    return types.Range(types.Position(0, 0), types.Position(text.count("\n") + 1, 0))


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

        one, every = await editor.actions("draft.md", turned.range)
        assert one.kind == types.CodeActionKind.QuickFix and "one ship" in str(one.title)
        left = await editor.apply("draft.md", one)
        assert [each.code for each in left] == ["not-found"]
        assert "“An anchor holds one ship for" in editor.texts[editor.uri("draft.md")]
        assert not editor.messages

    with_editor(tmp_path, kb_file, work, {"game": "mtg"})
