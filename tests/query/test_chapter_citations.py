"""Which chapter cites which: counts, sections of a chapter, what leads elsewhere, the matrix."""

from __future__ import annotations

from pathlib import Path

import pytest

import kb
from graphs.picture.matrix import MatrixItem, matrix, shade_bounds
from graphs.picture.scene import Said
from tests.pictures import SVG, faults, parsed, texts
from tests.rulebooks import build_books

BOOK = """Harbour Comprehensive Rules

1. Harbour

100. Ships

100.1. A ship is a card (see rule 201.1 and rule 201.2).

101. Quays

101.1. A quay holds ships (see rule 100).

101.2. See rule 100.1, rule 201.1 and rule 909.9.

2. Weather

200. Winds

200.1. Wind moves ships (see rule 100.1).

201. Storms

201.1. A storm is a wind.

201.2. See rule 201.1.
"""


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    books = {("20210101", "en"): BOOK, ("20220101", "en"): BOOK.replace("101.2. See", "101.2. Cf.")}
    return build_books(tmp_path_factory.mktemp("harbour"), books)


def pairs(found: kb.ChapterCitations) -> dict[tuple[str | None, str | None], int]:
    return {(pair.source.number, pair.target.number): pair.citations for pair in found}


def test_chapters(harbour: kb.KnowledgeBase) -> None:
    found = harbour.chapter_citations()
    assert (found.edition, found.lang) == ("20220101", "en")
    assert [chapter.label for chapter in found.chapters] == ["Harbour", "Weather"]
    assert pairs(found) == {("1", "2"): 3, ("1", "1"): 2, ("2", "1"): 1, ("2", "2"): 1}
    assert (found.leaving, found.not_loaded) == (0, 1)
    assert found.as_json()["citations"][0]["citations"] == 3
    assert "1 Harbour | 2 Weather | 3" in repr(found.table())


def test_sections_of_a_chapter(harbour: kb.KnowledgeBase) -> None:
    found = harbour.chapter_citations(edition="20210101", chapter="1")
    assert pairs(found) == {("101", "100"): 2}
    assert (found.leaving, found.not_loaded) == (3, 1)
    assert found.within and found.within.label == "Harbour"
    assert "3 citations lead out of what is shown" in texts(parsed(found.draw().svg()))


def test_what_is_not_there_is_said(harbour: kb.KnowledgeBase) -> None:
    with pytest.raises(kb.NotFoundError, match="no rule 7 in"):
        harbour.chapter_citations(chapter="7")
    with pytest.raises(kb.QuestionError, match="no edition 19990101"):
        harbour.chapter_citations(edition="19990101")
    with pytest.raises(kb.QuestionError, match="ja"):
        harbour.chapter_citations(lang="ja")


def test_the_newest_edition_that_is_whole_is_chosen(tmp_path: Path) -> None:
    part = "Harbour Comprehensive Rules\n\n1. Harbour\n\n100. Ships\n\n100.1. See rule 201.1.\n"
    books = {("20210101", "en"): BOOK, ("20220101", "en"): BOOK, ("20230101", "en"): part}
    with build_books(tmp_path, books) as base:
        found = base.chapter_citations()
        assert found.edition == "20220101" and found.citations
        assert [(each.id, each.reason.ask) for each in found.also] == [
            (
                f"harbour/cr/{edition}/en",
                kb.Ask("chapter_citations", edition=edition, lang="en"),
            )
            for edition in ("20230101", "20210101")
        ]
        assert found.as_json()["also"][0]["id"] == "harbour/cr/20230101/en"
        with pytest.raises(kb.NotFoundError, match=r'no rule 2 in .*; it is in edition="20220101"'):
            base.chapter_citations(edition="20230101", chapter="2")


def test_a_base_without_rules_says_so(tmp_path: Path) -> None:
    page = Path(kb.__file__).parent / "sample" / "dmwiki" / "draw.html"
    (tmp_path / page.name).write_bytes(page.read_bytes())
    kb.build([tmp_path / page.name], tmp_path / "x.db")
    with kb.open(tmp_path / "x.db") as base, pytest.raises(kb.QuestionError, match="no rules"):
        base.chapter_citations()


def test_a_rule_without_sub_rules_has_no_matrix(harbour: kb.KnowledgeBase) -> None:
    found = harbour.chapter_citations(chapter="100.1")
    assert not found and found.chapters == ()
    with pytest.raises(kb.DrawError, match="nothing to draw"):
        found.draw()


def test_the_matrix(harbour: kb.KnowledgeBase) -> None:
    found = harbour.chapter_citations()
    picture = found.draw()
    assert (picture.nodes, picture.edges) == (2, 4)
    for narrow in (False, True):
        svg = picture.svg(lambda node: f"/{node}", narrow)
        assert not faults(svg)
        root = parsed(svg)
        assert len(list(root.iter(f"{SVG}a"))) == 4  # each row and each column
        titles = [element.text for element in root.iter(f"{SVG}title")]
        assert "1 Harbour → 2 Weather: 3 citations" in titles
    assert picture.as_bytes("png").startswith(b"\x89PNG")


@pytest.mark.parametrize("count", [1, 9, 40])
def test_labels_lie_apart(count: int) -> None:
    names = ["Keyword Actions and all that", "その他のルール", "x" * 90, "<b>"]
    items = [
        MatrixItem(f"n{n}", f"{n}.{'1' * (n % 5)}", f"{n} {names[n % 4]}") for n in range(count)
    ]
    counts = {(f"n{n % count}", f"n{n * 7 % count}"): n * n for n in range(count * 2)}
    picture = matrix(items, counts, Said("x"), "{number} citations", count + 3, ["a remark"])
    assert picture.left_out == 3
    for narrow in (False, True):
        assert not faults(picture.svg(narrow=narrow))


def test_shades() -> None:
    assert shade_bounds([]) == []
    assert shade_bounds([0, 7]) == [7]
    assert shade_bounds(list(range(1, 101))) == [20, 40, 60, 80, 100]
    assert shade_bounds([1] * 90 + [50]) == [1, 50]
