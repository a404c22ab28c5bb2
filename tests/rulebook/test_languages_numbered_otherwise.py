"""Books that number their rules otherwise than the same book in another language: a citation means
the rule that has the number in the language of the text. In the Lorcana rules of 2025-10-31 Shift
is 10.10 in English, and 10.8 in Japanese."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import kb

pytestmark = pytest.mark.shared


@pytest.fixture
def base(shared: Path, built: Callable[..., kb.KnowledgeBase]) -> kb.KnowledgeBase:
    corpora = shared / "corpora"
    return built(corpora / "lorcana-cr-en", corpora / "lorcana-cr-ja")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "verdicts", "expected"),
    [
        ("ルール10.8「変身」とルール10.7「突進」を参照。", ["exact", "exact"], None),
        ("ルール10.10「変身」を参照してください。", ["repaired"], "10.8"),
        ("ルール10.15「魔除」を参照してください。", ["repaired"], "10.12"),
        ("ルール10.14「霧消」を参照してください。", ["not found"], None),
        ("The rule that matters here is rule 10.10 (Shift).", ["exact"], None),
        ("The rule that matters here is rule 10.8 Shift.", ["repaired"], "10.10"),
        ("The rule that matters here is 10.8: it is rule 10.8 Resist.", ["exact"] * 2, None),
        # In the Japanese rules the number is right.
        ("In the Japanese rules, rule 10.8 is 変身, a keyword.", ["exact"], None),
        ("In the Japanese rules, rule 10.9 is Shift, a keyword.", ["repaired"], "10.8"),
        ("英語版では、ルール10.10「Shift」を参照してください。", ["exact"], None),
        ("英語版では、ルール10.8「変身」を参照してください。", ["repaired"], "10.10"),
    ],
)
def test_numbers_and_headings_are_those_of_the_language(
    base: kb.KnowledgeBase, text: str, verdicts: list[str], expected: str | None
) -> None:
    found = base.verify(text, game="lorcana").claims
    assert [claim.verdict for claim in found] == verdicts, found
    assert expected is None or found[-1].expected == expected, found


@pytest.mark.slow
def test_an_edition_of_the_other_language_alone_is_not_taken_for_what_was_in_force(
    shared: Path, built: Callable[..., kb.KnowledgeBase]
) -> None:
    """Of the Japanese edition of 2025-10-31 the English one is there; that of 2025-08-29 is not,
    so nobody can say what the English rules had then."""
    base = built(shared / "corpora" / "lorcana-cr-en", shared / "corpora" / "lorcana-cr-ja")
    text = "2025年8月29日版の英語のルール10.15「魔除」を参照してください。"
    [claim] = base.verify(text, game="lorcana").claims
    assert claim.verdict == "not loaded", claim


def _problems(base: kb.KnowledgeBase, draft: Path, text: str) -> list[tuple[int, str | None]]:
    draft.write_text(text, "utf-8")
    found = base.check(draft, game="lorcana", only=["rule-number", "moved-citation"])
    return [(problem.line, problem.expected) for problem in found.problems]


@pytest.mark.slow
def test_a_draft_may_cite_by_the_numbers_of_its_own_language(
    base: kb.KnowledgeBase, tmp_path: Path
) -> None:
    lines = [
        "source,target",
        "ルール10.8「変身」を参照する。,See rule 10.10 (Shift).",
        "ルール10.8「変身」を参照する。,See rule 10.8 (Shift).",
        "ルール10.7とルール10.8を参照する。,See rules 10.9 and 10.10.",
        "ルール10.7を参照する。,10.8 applies.",
    ]
    found = _problems(base, tmp_path / "draft.csv", "\n".join(lines))
    assert found == [(3, "10.10"), (5, "10.9")]


@pytest.mark.parametrize(
    ("number", "heading"), [("10.8", "変身"), ("10.10", "変身"), ("10.7", "突進")]
)
def test_a_rule_is_held_against_the_one_it_translates_whosever_number_it_has(
    base: kb.KnowledgeBase, tmp_path: Path, number: str, heading: str
) -> None:
    draft = tmp_path / "draft.txt"
    draft.write_text(f"{number}. {heading}", "utf-8")
    found = base.check(draft, game="lorcana")
    assert found.from_rules == 1 and not found.problems, found.problems


@pytest.mark.slow
def test_what_a_third_book_joins_is_one_rule_in_a_diff_as_well(
    shared: Path, built: Callable[..., kb.KnowledgeBase]
) -> None:
    """The English rule 1.10 of 2025 would be merged, by the two English books alone; but it is the
    Japanese rule 1.10 of then and now."""
    corpora = shared / "corpora"
    [newest] = (corpora / "rulebooks-more").glob("lorcana*.en.txt")
    books = (
        corpora / "lorcana-cr-en",
        corpora / "lorcana-cr-ja",
        corpora / "lorcana-cr-ja-editions",
    )
    base = built(*books, newest)
    found = base.diff("20251031", "20260709", game="lorcana", lang="en")
    numbers = [c.after.number for c in found if c.after]
    assert len(set(numbers)) == len(numbers) and len(numbers) + found.same == 566
    assert any(change.into for change in found if change.kind == "merged")
