"""Writes the rules of two languages side by side as one HTML page, for `sansho align --html`.

The page needs nothing else: no scripts, no fonts, no other files. All text of the knowledge base is
escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from kb.cli.render.editions.align import (
    KINDS,
    compared_editions,
    is_heading,
    loaded_in_pair,
    name_of_pair,
    share,
    shown_number,
)
from kb.cli.render.output import counted, printable

if TYPE_CHECKING:
    from kb import AlignedPair, Alignment, LoadedEdition, Problem, TextMark

_SEPARATORS = re.compile("[.-]")  # between the levels of a rule's number
_STYLE = """\
:root { color-scheme: light dark; --ink: #1b1b18; --paper: #fdfdfb; --faint: #66665e;
  --line: #deded6; --term: #2c6fa8; --cite: #5b5b8c; --bad: #a4300f; --bad-paper: #fdeee6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e0; --paper: #171716; --faint: #a0a096;
  --line: #3a3a36; --term: #86bdeb; --cite: #b3b3e6; --bad: #ff9d78; --bad-paper: #3b2118; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 76rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.6 system-ui, "Hiragino Sans", "Noto Sans CJK JP",
  "Yu Gothic", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.3; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
a { color: inherit; text-decoration-color: var(--faint); }
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
    yield "<!DOCTYPE html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{_escaped(title)}</title>"
    yield f"<style>\n{_STYLE}</style></head><body>"
    yield f"<h1>{_escaped(title)}</h1>"
    if notice:
        yield f'<p class="note">{_escaped(notice)}</p>'
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
            yield f"<h2>{_escaped(self._name)}</h2>"
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
                f'<tr><td>{_escaped(one.language)}<td class="number">{one.rules:,}'
                f'<td class="number">{of}<td class="number">{_percent(one)}'
            )
        yield "</table>"
        both = counted(len(self._pairs), "rule is in both", "rules are in both")
        yield f'<p class="note">{both} languages.'
        for left in self._not_loaded:
            what = counted(left.rules, "rule can’t be compared", "rules can’t be compared")
            yield f"{what}: that part is not loaded in {_escaped(self._names[left.lang])}."
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
        """Yield the numbers of the rules that each language alone has, as links."""
        links: dict[str, list[str]] = {}
        for problem in problems:
            lang = "".join(problem.texts)
            links.setdefault(lang, []).append(self._link(problem.number, lang))
        for lang, found in links.items():
            yield f"<p>in {_escaped(self._names[lang])} alone: {', '.join(found)}</p>"

    def _differences(self, problems: Iterable[Problem]) -> Iterator[str]:
        yield '<ul class="problems">'
        for problem in problems:
            link = self._link(problem.number)
            yield f"<li><b>{link}</b> <span>{self._in_words(problem)}</span>"
        yield "</ul>"

    def _link(self, number: str, alone: str = "") -> str:
        return f'<a href="#{self._place(number, alone)}">{_escaped(number)}</a>'

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
                f"{_escaped(shown_number(pair))} {_escaped(text)}</a>"
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
        yield f'<a class="n" href="#{place}">{_escaped(shown_number(rule))}</a>'
        for lang in self._langs:
            if lang not in rule.texts:
                yield f'<p class="absent">not in {_escaped(self._names[lang])}</p>'
                continue
            spans = [span for problem in problems for span in problem.spans.get(lang, ())]
            text = self._marked(rule.texts[lang], rule.marks.get(lang, ()), spans)
            yield f'<p lang="{_escaped(lang)}" dir="auto">{text}</p>'
        for problem in problems:
            yield f'<div class="problem">{self._in_words(problem)}</div>'
        yield "</article>"

    def _marked(
        self, text: str, marks: Sequence[TextMark], spans: Iterable[tuple[int, int]]
    ) -> str:
        """Return a text as HTML with its terms, its citations and, marked where they overlap, the
        words that a problem is about."""
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
            html += f"{_escaped(text[position:start])}{opening}{_escaped(text[start:end])}{closing}"
            position = end
        return html + _escaped(text[position:])

    def _in_words(self, problem: Problem) -> str:
        """Return a problem in words, as HTML."""
        [(having, _), *_] = problem.only.items()
        if problem.kind in ("missing", "unnumbered"):
            lacking = next(lang for lang in self._langs if lang != having)
            what = "there is none" if problem.kind == "missing" else "it has no number"
            return f"{what} in {_escaped(self._names[lacking])}"
        if problem.kind == "renumbered":
            numbers = "; ".join(
                f"<mark>{_escaped(', '.join(own))}</mark> in {_escaped(self._names[lang])}"
                for lang, own in problem.only.items()
            )
            return f"{numbers}: {_escaped(self._headings.get(problem.number, ''))}"
        verb = "cites" if problem.kind == "citations" else "says"
        return "; ".join(
            f"{_escaped(self._names[lang])} alone {verb} <mark>{_escaped(', '.join(values))}</mark>"
            for lang, values in problem.only.items()
            if values
        )

    def _place(self, number: str, alone: str = "") -> str:
        """Return the name of the place of a rule on the page. alone: the language that alone has
        it; empty if both do."""
        return _escaped("-".join(filter(None, (f"r{self._index}", alone, "".join(number.split())))))


def _escaped(text: str) -> str:
    """Return a text for HTML, with marks in place of control characters."""
    return escape(printable(text))


def _opening(mark: TextMark) -> str:
    """Return the tag that opens a mark."""
    if mark.kind == "citation":
        return f'<span class="cite" title="{_escaped(mark.target)}">'
    if not mark.names:
        return '<span class="term unnamed">'
    names = (f"{name} (proposed)" if name in mark.proposed else name for name in mark.names)
    return f'<span class="term" title="{_escaped(" · ".join(names))}">'


def _percent(loaded: LoadedEdition) -> str:
    if not loaded.of:
        return "–"
    if loaded.whole or loaded.rules >= loaded.of:
        return "100 %"
    return _escaped(share(loaded).rpartition("(")[2].rstrip(")"))


def _level(pair: AlignedPair) -> int:
    """Return how many levels a rule's number has."""
    return len(_SEPARATORS.split(pair.number.rstrip(".")))
