"""Prints two editions (`sansho diff`), one rule in all (`trace`), and two languages (`align`).

The page that `sansho align --html` writes needs nothing else: no scripts, no fonts, no other files.
All text of the knowledge base is escaped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from kb.cli.render.documents import escaped, page_head
from kb.cli.render.output import (
    Part,
    Styled,
    also,
    bold,
    cell_width,
    counted,
    dim,
    echo,
    end_of_result,
    marked,
    more,
    note,
    print_table,
    shortened,
    text_width,
    total,
    warning,
    with_marks,
)
from kb.cli.wording import command_with
from kb.reason import Ask, Reason

if TYPE_CHECKING:
    from kb import (
        AlignedPair,
        Alignment,
        Diff,
        LoadedEdition,
        Problem,
        RuleChange,
        TextMark,
        Touched,
        Trace,
        TraceEntry,
        UnsureMatches,
    )

_LONGEST = 240  # characters of a text: three lines of 80, by hand; --json has it whole


def print_unsure(result: UnsureMatches, notice: str) -> None:
    """Print the matches, the least sure first, each with both texts.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    for match in result.matches:
        facts = f"  {match.sure:.2f} by {match.grounds} · {match.change}"
        echo(bold(match.before), " = ", bold(match.after), dim(facts))
        echo("- ", _beginning(match.before_text), indent=4)
        echo("+ ", _beginning(match.after_text), indent=4)
    more = result.total - len(result.matches)
    end_of_result(
        sums=f"{counted(result.total, 'pair')} of versions that the build is not sure of; "
        "a file says which are right: sansho build --corrections FILE"
        if result.total
        else "The build is sure of all matches of versions.",
        cut=("There are more", command_with(most=result.total)) if more else None,
        notices=[notice],
    )


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST].rstrip()}…"


# Characters of unchanged text that are shown on either side of a change. By hand: most of a
# sentence, a line of 80 columns or less; `…` stands for at least half as much again (`_shortened`).
_CONTEXT = 60


def print_old_and_new(change: RuleChange | Touched, indent: int) -> None:
    """Print a rule's old text behind `-` and its new one behind `+`, with the words that differ
    marked, and without what is far from them. An added or removed rule has one text only."""
    sides: tuple[Literal["bad", "good"], ...] = ("bad", "good")
    signs: tuple[Literal["-", "+"], ...] = ("-", "+")
    # A span of a change is (start before, end before, start after, end after).
    for rule, sign, style, first in zip(
        (change.before, change.after), signs, sides, (0, 2), strict=True
    ):
        if rule:
            spans = [span[first : first + 2] for span in change.spans]
            text, marks = _excerpt(rule.text, spans, sign)
            echo(Styled(sign, style), " ", *with_marks(text, marks, style), indent=indent)


def changed_citations(change: RuleChange) -> str:
    """Return what changed in a text of which only citations did: `cites 704.5a → 704.5b, …`, each
    once; empty if nothing did, and for a rule that was added or removed."""
    before, after = change.before, change.after
    if not (before and after):
        return ""
    citations = [
        f"{before.text[start:end]} → {after.text[new_start:new_end]}"
        for start, end, new_start, new_end in change.spans
    ]
    return f"cites {', '.join(dict.fromkeys(citations))}" if citations else ""


def numbers_of(change: RuleChange) -> str:
    """Return a rule's number before and after with ` → `, once if it stayed; of a merged or split
    one also that of the other rule, which may have the same number: `121.1 → 121.1 → 121.2`."""
    numbers = dict.fromkeys(rule.number for rule in (change.before, change.after) if rule)
    others = (change.split_from, *numbers, change.into)
    return " → ".join(number for number in others if number)


def _excerpt(
    text: str, spans: Sequence[tuple[int, ...]], sign: Literal["-", "+"]
) -> tuple[str, list[tuple[int, int]]]:
    """Return a text with its differences between marks and what is far from them left out; and
    where in it they are.

    spans: (start, end) in the text, in order; an empty one is a place where the other text has
        more, and is not marked. If there are none, the text stays as it is.
    sign: which of the two texts it is. Its marks are those of Git, `[-…-]` and `{+…+}`: plain
        brackets stand in rules, too.
    """
    opening, closing = ("[-", "-]") if sign == "-" else ("{+", "+}")
    marks: list[tuple[int, int]] = []
    shown, position = "", 0
    for index, (start, end) in enumerate(spans):
        shown += _shortened(text[position:start], index == 0, False)
        if start < end:
            difference = f"{opening}{text[start:end]}{closing}"
            marks.append((len(shown), len(shown) + len(difference)))
            shown += difference
        position = end
    return shown + _shortened(text[position:], not spans, True), marks


def _shortened(unchanged: str, is_first: bool, is_last: bool) -> str:
    """Return a stretch of unchanged text with `…` for what is far from both ends of it, and for the
    part of a word before or behind that; as it is if that would save little.

    is_first, is_last: whether no change is before it, behind it; of these ends nothing is kept. If
        both, nothing is left out.
    """
    keep_left, keep_right = (0 if is_first else _CONTEXT), (0 if is_last else _CONTEXT)
    if is_first == is_last is True or len(unchanged) <= keep_left + keep_right + _CONTEXT // 2:
        return unchanged
    left = re.sub(r"(?<=\s)\w+$", "", unchanged[:keep_left])
    right = re.sub(r"^\w+(?=\s)", "", unchanged[len(unchanged) - keep_right :])
    return f"{left}…{right}"


# Changes that leave a rule's own words as they were, but for the numbers that it cites.
_ON_ONE_LINE = frozenset(("merged", "moved", "renumbered", "moved+renumbered"))
_TYPOGRAPHY = "in quotation marks, dashes, width or spaces"
_GLOSSARY_KINDS = ("added", "removed", "changed", "renumbered")
_LONG = 36  # changes; of more, the sections are listed first. By hand: more than a few screens


def print_diff(result: Diff, notice: str, glossary: bool = False) -> None:
    """Print how many rules changed and how, by section too if they are many; then each of them with
    the words that differ.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    glossary: whether to print the entries of the glossary that changed, instead of the rules.
    """
    language = result.loaded[0].language
    echo(bold(f"{result.before} → {result.after}"), dim(f"  {result.game} · in {language}"))
    total(_sums(result))
    _print_what_is_not_listed(result)
    also(result.also)
    if len(result.changes) > _LONG and len(result.sections) > 1 and not glossary:
        _print_sections(result)
    was_short = False
    for change in (result.glossary or ()) if glossary else result.changes:
        is_short = change.kind in _ON_ONE_LINE and bool(change.before) and not change.took_in
        if not (is_short and was_short):
            echo()
        (_print_on_one_line if is_short else _print_texts)(change)
        was_short = is_short
    if notice:
        echo()
        note([notice])


def _sums(result: Diff) -> str:
    """Return how many rules are listed of each kind, and how many are the same: `3 added, 400
    same`."""
    listed = {change.kind for change in result.changes}
    counts: dict[str, int] = {
        kind: count for kind, count in result.counts.items() if kind in listed
    }
    return f"{_list_counts(counts)}{', ' if counts else ''}{result.same:,} same"


def _list_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in counts.items())


def _print_what_is_not_listed(result: Diff) -> None:
    """Print how many of the same rules differ in typography or examples alone, how many changes
    were filtered out, and how many rules can't be compared."""
    listed = {change.kind for change in result.changes}
    for kind, count in (("typographic", result.typographic), ("examples", result.examples)):
        if count and kind not in listed and kind not in result.filtered_out:
            verb, whose = ("differs", "its") if count == 1 else ("differ", "their")
            where = f"in {whose} examples" if kind == "examples" else _TYPOGRAPHY
            echo(f"{count:,} of the same {verb} only {where}; --{kind} lists them")
    if result.filtered_out:
        echo(f"left out by the filters: {_list_counts(result.filtered_out)}")
    if result.glossary is not None:
        kinds = Counter[str](change.kind for change in result.glossary)
        what = ", ".join(f"{kinds[kind]:,} {kind}" for kind in _GLOSSARY_KINDS if kinds[kind])
        more((f"glossary: {what or 'the same'}", command_with(glossary=True) if kinds else ""))
    for edition, count in result.not_loaded.items():
        other = result.before if edition == result.after else result.after
        loaded = next(one for one in result.loaded if one.edition == edition)
        share = f"{loaded.rules:,} of {loaded.of:,}" if loaded.of else f"only {loaded.rules:,}"
        echo(
            f"not loaded: {counted(count, 'rule')} of {other} can’t be looked up in {edition}: of "
            f"that edition {share} rules are here in {loaded.language}"
        )


def _print_sections(result: Diff) -> None:
    """Print how many changes of each kind there are by section, and how to see fewer."""
    echo()
    room = text_width() // 2
    rows = [
        (
            bold(section.number),
            shortened(section.heading, room),
            _list_counts(section.counts),
        )
        for section in result.sections
    ]
    print_table(("", "", ""), rows)
    number = max(result.sections, key=lambda section: sum(section.counts.values())).number
    more(f"Fewer: --under {number}, --kind added,changed, --words WORDS, --mentions TERM")


def _print_on_one_line(change: RuleChange) -> None:
    """Print a rule's numbers, the kind of change, and the beginning of its text, or the numbers of
    cited rules that changed."""
    numbers = numbers_of(change)
    citations = changed_citations(change)
    rule = change.after or change.before
    text = rule.text if rule else ""
    room = text_width() - cell_width(f"{numbers}  {change.kind}  ")
    what = citations or shortened(text, max(20, room))
    echo(bold(numbers), dim(f"  {change.kind}  "), what, hang=4)


def _print_texts(change: RuleChange) -> None:
    """Print a rule's numbers, the kind of change, and its texts with the differences marked; below
    them the examples that one of the editions alone has."""
    takes_in = f"; takes in {', '.join(change.took_in)}" if change.took_in else ""
    echo(bold(numbers_of(change)), dim(f"  {change.kind}{takes_in}"))
    print_old_and_new(change, indent=2)
    gone, new = change.other_examples
    for example in gone:
        echo(Styled("-", "bad"), " ", example, indent=4)
    for example in new:
        echo(Styled("+", "good"), " ", example, indent=4)


# By hand: rules that are missing together are one number (`_without_sub_rules`), forty of which
# take about four lines; problems take one or two lines each, and --rule narrows them.
_MAX_NUMBERS = 40  # of missing rules that are listed
_MAX_PROBLEMS = 60  # of an edition that are listed
# Columns of a text before and behind the words that differ: with these and a few words a problem
# takes about two lines of 80.
_AROUND = 28
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
    """Return how much is loaded of an edition in the first language, and then of its translation
    in the other; one that is not loaded is left out."""
    editions = edition, result.translated_by.get(edition, edition)
    return [
        one
        for lang, each in zip(result.langs, editions, strict=True)
        for one in dict.fromkeys(result.loaded)
        if (one.game, one.edition, one.lang) == (game, each, lang)
    ]


def share(loaded: LoadedEdition) -> str:
    """Return how much of an edition is loaded in a language: `Japanese 42 of 443 (9 %)`. Of a part
    it says `under 1 %` and at most 99; of a whole edition, or if its size is not known, only
    `Japanese 443`."""
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
    """Return a problem in words, as parts for `echo`: of citations and numbers what each language
    alone has, of numbers also the words around the first; of headings the heading in each language.
    problem: with an `only` that is not empty."""
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
    """Return the first of some spans of a text with the words around it on its line, in brackets;
    nothing if there is no span."""
    if not spans:
        return []
    start, end = spans[0]
    left = text[:start].rpartition("\n")[2]
    right = text[end:].partition("\n")[0]
    left, right = _cut(left[::-1])[::-1], _cut(right)
    return [dim(f" (“{left}"), marked(text[start:end]), dim(f"{right}”)")]


def _cut(text: str) -> str:
    """Return a text, or of one wider than `_AROUND` its beginning with `…`, up to the last space in
    the second half of that if there is one."""
    end = next((n for n in range(len(text)) if cell_width(text[: n + 1]) > _AROUND), None)
    if end is None:
        return text
    space = text.rfind(" ", end // 2, end)
    return f"{text[: space if space > 0 else end]}…"


def _print_missing(problems: Iterable[Problem], names: Mapping[str, str]) -> None:
    """Print the numbers of the rules that one language lacks, by the language that has them; those
    below a rule that is missing, too, are counted."""
    missing: dict[tuple[str, bool], list[str]] = {}
    for problem in problems:
        key = "".join(problem.only), problem.probably_new
        missing.setdefault(key, []).append(problem.number)
    for (lang, is_new), numbers in missing.items():
        listed = _without_sub_rules(numbers)
        left_out = len(listed) - _MAX_NUMBERS
        more = f" and {left_out:,} more" if left_out > 0 else ""
        what = f"{counted(len(numbers), 'rule')} in {names[lang]} alone"
        what += ", probably new in this newer edition: " if is_new else ": "
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
    """Return a rule's number, or where the languages have different ones both, with ` / `."""
    return " / ".join(pair.numbers.values()) or pair.number


def is_heading(pair: AlignedPair) -> bool:
    """Return whether a rule is a heading: none of its texts ends as a sentence does (`_STOPS`)."""
    return not any(text.rstrip().endswith(_STOPS) for text in pair.texts.values())


_SEPARATORS = re.compile("[.-]")  # between the levels of a rule's number
_STYLE = """\
table { border-collapse: collapse; } th, td { padding: .15rem 1rem .15rem 0; text-align: left;
  white-space: nowrap; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
nav ol, ul.problems { list-style: none; padding: 0; margin: .5rem 0; }
nav ol { columns: 18rem; } nav li.deep { padding-left: 1.2rem; color: var(--faint); }
ul.problems li { display: grid; grid-template-columns: 6rem 1fr; padding: .1rem 0; }
.note { color: var(--faint); font-size: .9rem; }
.rule { display: grid; grid-template-columns: 6rem 1fr 1fr; gap: 0 1.5rem;
  padding: .6rem 0; border-top: 1px solid var(--line); break-inside: avoid; scroll-margin-top: 1rem;
  }
.rule > .n { font-weight: 600; font-variant-numeric: tabular-nums; text-decoration: none; }
.rule p { margin: 0; white-space: pre-line; } .rule .absent { color: var(--faint); }
.heading p { font-weight: 600; }
.problem { grid-column: 2 / -1; margin-top: .4rem; padding: .2rem .6rem; color: var(--bad);
  background: var(--bad-paper); border-left: 3px solid var(--bad); font-size: .9rem; }
.term { border-bottom: 1px dotted var(--term); cursor: help; }
.term.unnamed { border-bottom-color: var(--line); cursor: auto; }
.cite { color: var(--cite); } mark { background: var(--bad-paper); color: var(--bad);
  font-weight: 600; }
@media (max-width: 40rem) { .rule { grid-template-columns: 1fr; gap: .3rem; }
  .problem { grid-column: 1; } nav ol { columns: 1; } }
@media print { body { max-width: none; padding: 0; font-size: 9pt; } nav { display: none; }
  .rule { gap: 0 1rem; grid-template-columns: 4.5rem 1fr 1fr; } }
"""


def alignment_page(result: Alignment, notice: str) -> Iterator[str]:
    """Yield the lines of a page with the rules of all compared editions.

    result: with marks. notice: the knowledge base's notice to readers; empty if there is none.
    """
    editions = compared_editions(result)
    names = {one.lang: one.language for one in result.loaded}
    languages = " and ".join(names[lang] for lang in result.langs)
    title = f"{', '.join(' '.join(edition) for edition in editions)}: {languages}"
    yield page_head(title, _STYLE)
    yield f"<h1>{escaped(title)}</h1>"
    if notice:
        yield f'<p class="note">{escaped(notice)}</p>'
    for index, (game, edition) in enumerate(editions):
        yield from _Edition(result, game, edition, index, names).lines(len(editions) > 1)
    yield "</body></html>"


class _Edition:
    """The part of a page about one edition."""

    def __init__(
        self, result: Alignment, game: str, edition: str, index: int, names: Mapping[str, str]
    ) -> None:
        """index: of the edition on the page, for the names of places. names: of the languages."""
        self._name, self._index = name_of_pair(result, game, edition), index
        self._names = names
        self._langs = result.langs
        here = (game, edition)
        self._loaded = loaded_in_pair(result, game, edition)
        self._not_loaded = [one for one in result.not_loaded if (one.game, one.edition) == here]
        self._rows = result.rows(game, edition)
        self._pairs = [one for one in result.pairs if (one.game, one.edition) == here]
        self._problems = [one for one in result.problems if (one.game, one.edition) == here]
        self._headings = {
            pair.number: " · ".join(" ".join(text.split()) for text in pair.texts.values())
            for pair in self._pairs
            if is_heading(pair)
        }
        self._by_rule: dict[str, list[Problem]] = {}
        for problem in self._problems:
            self._by_rule.setdefault(problem.number, []).append(problem)

    def lines(self, with_name: bool) -> Iterator[str]:
        if with_name:
            yield f"<h2>{escaped(self._name)}</h2>"
        yield from self._coverage()
        yield from self._list_of_problems()
        yield from self._contents()
        yield "<h2>Rules</h2><main>"
        for rule in self._rows:
            yield from self._rule(rule)
        yield "</main>"

    def _coverage(self) -> Iterator[str]:
        yield '<table class="coverage"><tr><th>loaded<th>rules<th>of<th>share'
        for one in self._loaded:
            of = f"{one.rules if one.whole else one.of:,}" if one.of else "unknown"
            yield (
                f'<tr><td>{escaped(one.language)}<td class="number">{one.rules:,}'
                f'<td class="number">{of}<td class="number">{_percent(one)}'
            )
        yield "</table>"
        both = counted(len(self._pairs), "rule is in both", "rules are in both")
        yield f'<p class="note">{both} languages.'
        for left in self._not_loaded:
            what = counted(left.rules, "rule can’t be compared", "rules can’t be compared")
            yield f"{what}: that part is not loaded in {escaped(self._names[left.lang])}."
        yield ("Dotted words are terms; pointing at one shows its names in the other language.</p>")

    def _list_of_problems(self) -> Iterator[str]:
        yield f"<h2>{counted(len(self._problems), 'problem')}</h2>"
        for kind, words in KINDS.items():
            found = [problem for problem in self._problems if problem.kind == kind]
            if not found:
                continue
            yield f"<h3>{counted(len(found), *words)}</h3>"
            yield from self._missing(found) if kind == "missing" else self._differences(found)

    def _missing(self, problems: Iterable[Problem]) -> Iterator[str]:
        """Yield a paragraph for each language that alone has rules: their numbers, as links."""
        links: dict[str, list[str]] = {}
        for problem in problems:
            lang = "".join(problem.texts)
            links.setdefault(lang, []).append(self._link(problem.number, lang))
        for lang, found in links.items():
            yield f"<p>in {escaped(self._names[lang])} alone: {', '.join(found)}</p>"

    def _differences(self, problems: Iterable[Problem]) -> Iterator[str]:
        yield '<ul class="problems">'
        for problem in problems:
            link = self._link(problem.number)
            yield f"<li><b>{link}</b> <span>{self._in_words(problem)}</span>"
        yield "</ul>"

    def _link(self, number: str, alone: str = "") -> str:
        return f'<a href="#{self._place(number, alone)}">{escaped(number)}</a>'

    def _contents(self) -> Iterator[str]:
        headings = [pair for pair in self._pairs if _level(pair) <= 2 and is_heading(pair)]
        if len(headings) < 2:
            return
        yield "<nav><h2>Contents</h2><ol>"
        least = min(map(_level, headings))
        for pair in headings:
            deep = ' class="deep"' if _level(pair) > least else ""
            text = self._headings[pair.number]
            yield (
                f'<li{deep}><a href="#{self._place(pair.number)}">'
                f"{escaped(shown_number(pair))} {escaped(text)}</a>"
            )
        yield "</ol></nav>"

    def _rule(self, rule: AlignedPair) -> Iterator[str]:
        """Yield the row of a rule: its number, both texts, and where they differ."""
        alone = "".join(rule.texts) if len(rule.texts) < len(self._langs) else ""
        problems = [
            problem
            for problem in self._by_rule.get(rule.number, ())
            if (problem.kind == "missing") == bool(alone)
        ]
        place = self._place(rule.number, alone)
        is_short = is_heading(rule)
        yield f'<article class="rule{" heading" if is_short else ""}" id="{place}">'
        yield f'<a class="n" href="#{place}">{escaped(shown_number(rule))}</a>'
        for lang in self._langs:
            if lang not in rule.texts:
                yield f'<p class="absent">not in {escaped(self._names[lang])}</p>'
                continue
            spans = [span for problem in problems for span in problem.spans.get(lang, ())]
            text = self._marked(rule.texts[lang], rule.marks.get(lang, ()), spans)
            yield f'<p lang="{escaped(lang)}" dir="auto">{text}</p>'
        for problem in problems:
            yield f'<div class="problem">{self._in_words(problem)}</div>'
        yield "</article>"

    def _marked(
        self, text: str, marks: Sequence[TextMark], spans: Iterable[tuple[int, int]]
    ) -> str:
        """Return a text as HTML with the words that a problem is about, the terms and the citations
        marked. Terms and citations that overlap such words are not marked; of others that overlap,
        the one that begins first is; and what ends behind the text is not."""
        pieces: list[tuple[int, int, str, str]] = [
            (start, end, "<mark>", "</mark>") for start, end in sorted(set(spans))
        ]
        pieces += [
            (mark.start, mark.end, _opening(mark), "</span>")
            for mark in marks
            if not any(mark.start < end and start < mark.end for start, end, _, _ in pieces)
        ]
        html, position = "", 0
        for start, end, opening, closing in sorted(pieces):
            if start < position or end > len(text):
                continue
            html += f"{escaped(text[position:start])}{opening}{escaped(text[start:end])}{closing}"
            position = end
        return html + escaped(text[position:])

    def _in_words(self, problem: Problem) -> str:
        """Return a problem in words, as HTML, with what the languages alone have in `<mark>`:
        `Japanese alone says 3; English alone says 2`."""
        [(having, _), *_] = problem.only.items()
        if problem.kind in ("missing", "unnumbered"):
            lacking = next(lang for lang in self._langs if lang != having)
            what = "there is none" if problem.kind == "missing" else "it has no number"
            return f"{what} in {escaped(self._names[lacking])}"
        if problem.kind == "renumbered":
            numbers = "; ".join(
                f"<mark>{escaped(', '.join(own))}</mark> in {escaped(self._names[lang])}"
                for lang, own in problem.only.items()
            )
            return f"{numbers}: {escaped(self._headings.get(problem.number, ''))}"
        verb = "cites" if problem.kind == "citations" else "says"
        return "; ".join(
            f"{escaped(self._names[lang])} alone {verb} <mark>{escaped(', '.join(values))}</mark>"
            for lang, values in problem.only.items()
            if values
        )

    def _place(self, number: str, alone: str = "") -> str:
        """Return the name of the place of a rule on the page, such as `r0-704.5a`, or
        `r0-ja-704.5a`. alone: the language that alone has it; empty if both do."""
        return escaped("-".join(filter(None, (f"r{self._index}", alone, "".join(number.split())))))


def _opening(mark: TextMark) -> str:
    """Return the tag that opens a mark; pointing at it shows what a citation cites, or a term's
    names in the other language."""
    if mark.kind == "citation":
        return f'<span class="cite" title="{escaped(mark.target)}">'
    if not mark.names:
        return '<span class="term unnamed">'
    names = (f"{name} (proposed)" if name in mark.proposed else name for name in mark.names)
    return f'<span class="term" title="{escaped(" · ".join(names))}">'


def _percent(loaded: LoadedEdition) -> str:
    if not loaded.of:
        return "–"
    if loaded.whole or loaded.rules >= loaded.of:
        return "100 %"
    return escaped(share(loaded).rpartition("(")[2].rstrip(")"))


def _level(pair: AlignedPair) -> int:
    """Return how many levels a rule's number has: 1 for `704.`, 2 for `704.5a` and `8-3`."""
    return len(_SEPARATORS.split(pair.number.rstrip(".")))


# Sub-rules of a kind that are named; of more, the rest is counted. By hand: about two lines of 80.
_MOST_NAMED = 12
# Kinds of changes that leave a sub-rule's text: they are counted only.
_WITHOUT_TEXT = frozenset(("same", "moved", "renumbered", "moved+renumbered"))


def print_trace(result: Trace, notice: str) -> None:
    """Print a rule's number in each edition and what happened to it: its text where it is new, the
    words that differ where it changed, and which of its sub-rules changed.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    loaded = {one.edition: one for one in result.loaded}
    newest = next(entry for entry in reversed(result.history) if entry.text is not None)
    language = loaded[newest.edition].language
    echo(bold(f"Rule {newest.number} of {newest.edition}"), dim(f"  {result.game} · in {language}"))
    for entry in result.history:
        _print_entry(entry, loaded[entry.edition])
    for origin in result.origins:
        last = origin.history[-1]
        echo(dim(f"before {origin.became} of {origin.in_edition}: "), bold(f"rule {last.number}"))
        for entry in origin.events:
            _print_entry(entry, loaded[entry.edition])
    end_of_result(
        sums=_trace_sums(result.history),
        cut=_how_to_see_more(result),
        left_out=result.also,
        notices=[notice],
    )


def _print_entry(entry: TraceEntry, loaded: LoadedEdition) -> None:
    """Print what a rule is in one edition."""
    if entry.kind == "not loaded":
        share = f"{loaded.rules:,} of {loaded.of:,}" if loaded.of else f"only {loaded.rules:,}"
        what = f"not loaded: {share} rules are here"
        echo(bold(entry.edition), dim(f"  {what}"))
        return
    if entry.kind == "merged" and entry.change and entry.change.before:
        echo(bold(entry.edition), f"  {numbers_of(entry.change)}  ", dim("merged into it"))
        return
    kind = "first here" if entry.kind == "first" else _own_change(entry)
    citations = changed_citations(entry.change) if entry.change else ""
    is_renumbered = kind in ("renumbered", "moved+renumbered")
    what = f"  {citations}" if is_renumbered else ""
    echo(bold(entry.edition), f"  {entry.number}  ", dim(kind), what, hang=4)
    if entry.kind == "split" and entry.change:
        echo(f"split from {entry.change.split_from}", indent=4)
    if entry.kind in ("first", "added", "split", "merged") and entry.text is not None:
        echo(entry.text, indent=4, hang=0)
    elif entry.change and entry.change.kind in ("changed", "moved+changed"):
        print_old_and_new(entry.change, indent=4)
    if entry.took_in:
        echo(f"took in {', '.join(entry.took_in)}", indent=4)
    below = {change.after.number for change in entry.sub_rules if change.after}
    if split_off := [number for number in entry.split_off if number not in below]:
        echo(f"split off {', '.join(split_off)}", indent=4)
    if entry.sub_rules:
        echo(_sub_rules(entry.sub_rules), indent=4)


def _own_change(entry: TraceEntry) -> str:
    """Return what happened to the rule itself, with `+` if it is more than one thing; `text same`
    if only its sub-rules changed."""
    kinds = [kind for kind in entry.kind.split("+") if kind != "sub-rules"]
    return "+".join(kinds) or "text same"


def _sub_rules(changes: Iterable[RuleChange]) -> str:
    """Return what happened to sub-rules, by kind: the numbers of those that were added, removed or
    changed, and behind them how many only moved or were renumbered: `sub-rules: added 1.2, 1.3; 4
    renumbered`."""
    by_kind: dict[str, list[str]] = {}
    for change in changes:
        rule = change.after or change.before
        assert rule
        by_kind.setdefault(change.kind, []).append(rule.number)
    named, counted_only = [], []
    for kind, numbers in by_kind.items():
        if kind in _WITHOUT_TEXT:
            counted_only.append(f"{len(numbers):,} {kind}")
            continue
        rest = len(numbers) - _MOST_NAMED
        more = f" and {rest:,} more" if rest > 0 else ""
        named.append(f"{kind} {', '.join(numbers[:_MOST_NAMED])}{more}")
    return f"sub-rules: {'; '.join((*named, *counted_only))}"


def _how_to_see_more(result: Trace) -> Reason | None:
    """Return the question that lists the sub-rules of the first edition that has more of them than
    are named; None if none has."""
    for before, entry in pairwise([one for one in result.history if one.text is not None]):
        kinds = Counter(change.kind for change in entry.sub_rules)
        if any(kinds[kind] > _MOST_NAMED for kind in kinds if kind not in _WITHOUT_TEXT):
            asked = {"before": before.edition, "after": entry.edition, "under": (entry.number,)}
            ask = Ask("diff", **asked, game=result.game, lang=result.lang)
            return Reason("changes_of_sub_rules", ask)
    return None


def _trace_sums(history: Iterable[TraceEntry]) -> str:
    """Return in how many editions the rule is, and in how many it may be: `3 editions, 1 not
    loaded`."""
    having = counted(sum(entry.text is not None for entry in history), "edition")
    unknown = sum(entry.kind == "not loaded" for entry in history)
    return f"{having}, {unknown:,} not loaded" if unknown else having
