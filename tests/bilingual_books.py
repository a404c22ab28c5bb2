"""A small rulebook in several languages, from rows, for what is aligned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

# number, Japanese, English; what has no full stop is a heading. In the words of nobody's game.
ROWS: tuple[tuple[str, str, str], ...] = (
    ("1", "基礎", "Basics"),
    ("101", "積み荷", "Cargo"),
    ("101.1", "積み荷は船倉に置かれる。", "Cargo is put into the hold."),
    ("101.2", "各航海士は船倉を1つ持つ。", "Each navigator has one hold."),
    ("101.3", "船倉が満ちたとき、航海士は帆を畳む。", "When a hold is full, furl a sail."),
    ("101.4", "航海士は錨を下ろしてよい。", "A navigator may drop an anchor."),
    ("102", "沈没処理", "Sinking-Based Duties"),
    ("102.1", "沈没処理は帆の確認の後に行う。", "Sinking-based duties follow the sail check."),
    ("102.2", "錨がある間、沈没処理を行わない。", "With an anchor, skip sinking-based duties."),
    ("102.3", "海図を失った航海士は沈没処理を行う。", "Who lost the chart does the duties."),
    ("103", "海図", "Charts"),
    ("103.1", "海図は航海士の船倉に置かれる。", "A chart is put into the navigator's hold."),
    ("103.2", "海図を見るとき、帆を上げる。", "Looking at a chart, raise a sail."),
    ("103.3", "錨を上げたとき、海図を表向きにする。", "Raising an anchor, turn a chart face up."),
    ("104", "嵐", "Storms"),
    ("104.1", "嵐の間、帆を上げてはならない。", "During a storm, no sail may be raised."),
    ("104.2", "嵐の終わりに、錨を上げる。", "At the end of a storm, raise an anchor."),
    ("104.3", "嵐は船倉を空にする。", "A storm empties each hold."),
    ("104.4", "嵐の間、海図は表向きである。", "During a storm, each chart is face up."),
)  # fmt: skip
GLOSSARY = {
    "Anchor": "Something heavy that keeps a ship where it is.",
    "Hold": "The place where a ship keeps what it carries.",
    "Sail": "A cloth that catches wind.",
    "Sinking-Based Duties": "What is done because a ship goes down.",
    "Storm": "A span of rounds with wind.",
}
_BEGINNINGS = {
    "ja": "港の総合ルール\n\n本ルールは2026年1月16日より有効です。\n",
    "en": "Harbour Comprehensive Rules\n\nThese rules are effective as of January 16, 2026.\n",
    "zh": "港口完整规则\n\n本规则自2026年1月16日起生效。\n",
}


def book(
    lang: str,
    rules: Iterable[tuple[str, str]],
    glossary: Mapping[str, str] | None = None,
) -> str:
    """The text of a rulebook.

    rules: (number, text); glossary: {headword: gloss}
    """
    lines = [_BEGINNINGS[lang]]
    for number, text in rules:
        lines.append(f"{number}. {text}" + "\n" * text.endswith((".", "。")))
    if glossary:
        lines.append({"ja": "用語集", "en": "Glossary", "zh": "词汇表"}[lang] + "\n")
        lines += [f"{head}\n{gloss}\n" for head, gloss in glossary.items()]
    return "\n".join(lines)


def japanese(rows: Sequence[tuple[str, str, str]] = ROWS) -> str:
    """The Japanese book of rows."""
    return book("ja", ((number, text) for number, text, _ in rows))


def english(
    rows: Sequence[tuple[str, str, str]] = ROWS, glossary: Mapping[str, str] | None = None
) -> str:
    """The English book of rows, with its glossary."""
    found = GLOSSARY if glossary is None else glossary
    return book("en", ((number, text) for number, _, text in rows), found)
