"""Prints where the rules of two languages differ, and the rules themselves, for `sansho align`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from kb.cli.render.line_breaking import cell_width
from kb.cli.render.output import (
    Part,
    bold,
    counted,
    dim,
    echo,
    end_of_result,
    marked,
    more,
    text_width,
    warning,
)
from kb.cli.wording import command_with

if TYPE_CHECKING:
    from kb import AlignedPair, Alignment, LoadedEdition, Problem

_MAX_NUMBERS = 40  # of missing rules that are listed
_MAX_PROBLEMS = 60  # of an edition that are listed
_AROUND = 28  # columns of a text before and behind the words that differ
_STOPS = (".", "。", ".”", "。」", ")", "）", ":", "：")  # at the end of a text that is no heading
KINDS = {  # in the order in which they are counted
    "missing": ("missing rule", ""),
    "unnumbered": ("heading without its number", "headings without their numbers"),
    "renumbered": ("section with two numbers", "sections with two numbers"),
    "citations": ("difference of citations", "differences of citations"),
    "numbers": ("difference of numbers", "differences of numbers"),
}


def print_alignment(result: Alignment, notice: str, pairs: bool, page: str | None) -> None:
    """Print how much of each edition is loaded in either language, where the two differ, and, if
    they are wanted, the rules, a paragraph a language.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    pairs: whether the rules are wanted.
    page: the file that has them side by side; None if none was written.
    """
    compared = compared_editions(result)
    editions = list(dict.fromkeys((one.game, one.edition) for one in result.loaded))
    for index, (game, edition) in enumerate(one for one in editions if one in compared):
        if index:
            echo()
        _print_edition(result, game, edition, pairs)
    others = [f"{game} {edition}" for game, edition in editions if (game, edition) not in compared]
    cuts = [f"side by side in {page}"] if page else []
    cuts += [f"not loaded in both languages: {', '.join(others)}"] if others else []
    sums = f"{counted(len(result.pairs), 'pair')}, {counted(len(result.problems), 'problem')}"
    end_of_result(sums=sums, cut="; ".join(cuts) or None, left_out=result.also, notices=[notice])
    if not page and not pairs and result.pairs:
        more(
            ("The rules in pairs (--html FILE writes them side by side)", command_with(pairs=True))
        )


def compared_editions(result: Alignment) -> list[tuple[str, str]]:
    """Return the (game, edition) of which there are pairs or problems, in the result's order."""
    compared = {(pair.game, pair.edition) for pair in result.pairs}
    compared |= {(problem.game, problem.edition) for problem in result.problems}
    editions = dict.fromkeys((one.game, one.edition) for one in result.loaded)
    return [edition for edition in editions if edition in compared]


def _print_edition(result: Alignment, game: str, edition: str, with_pairs: bool) -> None:
    """Print what is loaded of one edition, where its languages differ, and its rules."""
    here = (game, edition)
    loaded = loaded_in_pair(result, game, edition)
    names = {one.lang: one.language for one in loaded}
    pairs = [one for one in result.pairs if (one.game, one.edition) == here]
    problems = [one for one in result.problems if (one.game, one.edition) == here]
    name = name_of_pair(result, game, edition)
    echo(bold(name), dim(f"  rules loaded: {', '.join(map(share, loaded))}"))
    for one in result.not_loaded:
        if (one.game, one.edition) == here:
            what = f"{counted(one.rules, 'rule')} can’t be compared:"
            echo(dim(f"{what} that part is not loaded in {names[one.lang]}"))
    texts = {pair.number: pair.texts for pair in pairs}
    _print_problems(problems, texts, names)
    if with_pairs:
        by_rule: dict[str, list[Problem]] = {}
        for problem in problems:
            if problem.kind in ("missing", "renumbered"):  # no pair, or its number says so
                continue
            by_rule.setdefault(problem.number, []).append(problem)
        for pair in pairs:
            _print_pair(pair, by_rule.get(pair.number, ()), names)


def name_of_pair(result: Alignment, game: str, edition: str) -> str:
    """Return what to call two books that are compared, by their dates: `lorcana 20260501`."""
    other = result.translated_by.get(edition)
    return f"{game} {edition}" + (f" and {other}" if other else "")


def loaded_in_pair(result: Alignment, game: str, edition: str) -> list[LoadedEdition]:
    """Return how much is loaded of an edition in the first language, and of its translation."""
    editions = edition, result.translated_by.get(edition, edition)
    return [
        one
        for lang, each in zip(result.langs, editions, strict=True)
        for one in dict.fromkeys(result.loaded)
        if (one.game, one.edition, one.lang) == (game, each, lang)
    ]


def share(loaded: LoadedEdition) -> str:
    """Return how much of an edition is loaded in a language: `Japanese 42 of 443 (9 %)`."""
    if loaded.whole or not loaded.of or loaded.rules >= loaded.of:
        return f"{loaded.language} {loaded.rules:,}"
    percent = min(99, round(100 * loaded.rules / loaded.of))
    amount = f"{percent} %" if percent else "under 1 %"
    return f"{loaded.language} {loaded.rules:,} of {loaded.of:,} ({amount})"


# -- problems --------------------------------------------------------------------------------------


def _print_problems(
    problems: Sequence[Problem], texts: Mapping[str, Mapping[str, str]], names: Mapping[str, str]
) -> None:
    """Print how many problems there are of each kind, and then each of them.

    texts: the texts of the rules by number and language. names: of the languages.
    """
    if not problems:
        return
    counts = Counter(problem.kind for problem in problems)
    echo()
    sums = [counted(counts[kind], *words) for kind, words in KINDS.items() if counts[kind]]
    echo(warning(", ".join(sums)))
    shown = [problem for problem in problems if problem.kind != "missing"]
    width = max((cell_width(problem.number) for problem in shown), default=0) + 2
    for problem in shown[:_MAX_PROBLEMS]:
        padding = " " * (width - cell_width(problem.number))
        parts = difference_parts(problem, texts.get(problem.number, {}), names)
        echo(bold(problem.number), padding, *parts, indent=2, hang=width)
    if len(shown) > _MAX_PROBLEMS:
        echo(dim(f"and {len(shown) - _MAX_PROBLEMS:,} more: --rule N, --json"), indent=2)
    _print_missing([problem for problem in problems if problem.kind == "missing"], names)


def difference_parts(
    problem: Problem, texts: Mapping[str, str], names: Mapping[str, str]
) -> list[Part]:
    """Return a problem in words, as parts for `echo`; of numbers with the words that state them."""
    [(lang, _), *_] = problem.only.items()
    if problem.kind == "unnumbered":
        lacking = next((names[one] for one in texts if one != lang), "the other language")
        heading = " · ".join(" ".join(text.split()) for text in texts.values())
        return [f"has no number in {lacking}: ", dim(heading)]
    if problem.kind == "renumbered":
        others = [(names[other], *found) for other, found in problem.only.items() if other != lang]
        heading = " · ".join(" ".join(text.split()) for text in texts.values())
        return [*(f"is {number} in {other}: " for other, number in others), dim(heading)]
    if problem.kind == "missing":
        return [f"in {names[lang]} alone"]
    verb = "cites" if problem.kind == "citations" else "says"
    parts: list[Part] = []
    for lang, values in problem.only.items():
        if values:
            parts.append("; " if parts else "")
            parts += [f"{names[lang]} alone {verb} ", warning(", ".join(values))]
            if problem.kind == "numbers":
                parts += _words_around(texts.get(lang, ""), problem.spans.get(lang, ()))
    return parts


def _words_around(text: str, spans: Sequence[tuple[int, int]]) -> list[Part]:
    """Return the first of some spans of a text with the words around it, in brackets."""
    if not spans:
        return []
    start, end = spans[0]
    left = text[:start].rpartition("\n")[2]
    right = text[end:].partition("\n")[0]
    left, right = _cut(left[::-1])[::-1], _cut(right)
    return [dim(f" (“{left}"), marked(text[start:end]), dim(f"{right}”)")]


def _cut(text: str) -> str:
    """Return the beginning of a text, up to a space where there is one near."""
    end = next((n for n in range(len(text)) if cell_width(text[: n + 1]) > _AROUND), None)
    if end is None:
        return text
    space = text.rfind(" ", end // 2, end)
    return f"{text[: space if space > 0 else end]}…"


def _print_missing(problems: Iterable[Problem], names: Mapping[str, str]) -> None:
    """Print the numbers of the rules that one language lacks, by the language that has them; those
    below a rule that is missing, too, are counted."""
    missing: dict[str, list[str]] = {}
    for problem in problems:
        missing.setdefault("".join(problem.only), []).append(problem.number)
    for lang, numbers in missing.items():
        listed = _without_sub_rules(numbers)
        left_out = len(listed) - _MAX_NUMBERS
        more = f" and {left_out:,} more" if left_out > 0 else ""
        what = f"{counted(len(numbers), 'rule')} in {names[lang]} alone: "
        echo(warning(what), f"{', '.join(listed[:_MAX_NUMBERS])}{more}", indent=2, hang=2)


def _without_sub_rules(numbers: Sequence[str]) -> list[str]:
    """Return sorted numbers, in place of those that begin with another one how many they are.

    >>> _without_sub_rules(["10.13", "10.13.1", "10.13.2", "10.14", "104", "104a"])
    ['10.13 with 2 below', '10.14', '104 with 1 below']
    """
    above: list[tuple[str, int]] = []
    for number in numbers:
        if above and _is_below(number, above[-1][0]):
            above[-1] = (above[-1][0], above[-1][1] + 1)
        else:
            above.append((number, 0))
    return [f"{number} with {below} below" if below else number for number, below in above]


def _is_below(number: str, above: str) -> bool:
    rest = number[len(above) :]
    return number.startswith(above) and not rest[:1].isdigit()


# -- rules -----------------------------------------------------------------------------------------


def _print_pair(pair: AlignedPair, problems: Iterable[Problem], names: Mapping[str, str]) -> None:
    """Print a rule's number and text in each language: headings on its line, other texts below it;
    and where they differ."""
    echo()
    texts = " · ".join(" ".join(text.split()) for text in pair.texts.values())
    number = shown_number(pair)
    room = text_width() - cell_width(number) - 2
    if is_heading(pair) and cell_width(texts) <= room:
        echo(bold(f"{number}  {texts}"))
    else:
        echo(bold(number))
        for lang, text in pair.texts.items():
            echo(dim(lang), "  ", text, indent=2, hang=4)
    for problem in problems:
        echo(warning("! "), *difference_parts(problem, pair.texts, names), indent=2, hang=4)


def shown_number(pair: AlignedPair) -> str:
    """Return a rule's number, or both where it has one in either language."""
    return " / ".join(pair.numbers.values()) or pair.number


def is_heading(pair: AlignedPair) -> bool:
    """Return whether a rule is a heading: none of its texts ends as a sentence does."""
    return not any(text.rstrip().endswith(_STOPS) for text in pair.texts.values())
