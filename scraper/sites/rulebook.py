"""Numbered rulebooks in plain text: chapters, rules, examples, a glossary, a history.

How the rules are numbered is read from the document (`scraper.numbering`), and so is what
belongs to its printed pages only (`scraper.layout`). The effective date names the edition.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from scraper.markup.page_builder import PageBuilder
from scraper.page import Page, Passage, PassageKind, text_size
from scraper.rulebook import page_layout
from scraper.rulebook.numbering import (
    NumberedLine,
    ends_sentence,
    looks_like_heading,
    number_at,
    rule_lines,
)
from scraper.sites.catalogue import known_site
from scraper.sites.games import game_of_rulebook
from scraper.sources.snapshot import Snapshot

_RULE_LINE = re.compile(r"(?m)^[ \t\u3000]*\d+(?:[.．\-－]\d+)+[a-z]?[.．]?[ \t\u3000]+\S")
_PARTS = {
    "glossary": re.compile(r"glossary|用語集|用語解説|用語一覧", re.IGNORECASE),
    "credits": re.compile(r"credits|クレジット", re.IGNORECASE),
    "history": re.compile(
        r"(?:(?:previous )?(?:update summary|revision history|change ?log|version history))"
        r"|(?:過去の)?(?:更新|改訂|改定|変更|修正)(?:履歴|記録|一覧)", re.IGNORECASE),
}  # fmt: skip
_EXAMPLE = re.compile(
    r"(?:example|例|[(（【\[]例[)）】\]])\s*\d*\s*[:：]|【例】|<例>", re.IGNORECASE
)
_BULLET = re.compile(r"[・•●○◎◊◆◇■□▪▸►‣※＊*‐–—-]\s|[・•●◊◆◇■□▪‣※①-⑳](?=\S)|[(（]\d{1,2}[)）]")
_INDENT = (" ", "\t", "\u3000")
_KANA = re.compile("[ぁ-ん]")
_MONTHS = "january february march april may june july august september october november december"
_MONTH = f"(?P<month>{'|'.join(_MONTHS.split())})"
_DATES = (
    re.compile(rf"\b{_MONTH}\s+(?P<day>\d{{1,2}}),?\s*(?P<year>(?:19|20)\d\d)", re.IGNORECASE),
    re.compile(rf"\b(?P<day>\d{{1,2}})\s+{_MONTH},?\s+(?P<year>(?:19|20)\d\d)", re.IGNORECASE),
    re.compile(r"(?P<year>(?:19|20|１９|２０)\d\d)\s*[-年/.－／．]\s*(?P<month>\d{1,2})"
               r"\s*[-月/.－／．]\s*(?P<day>\d{1,2})"),
)  # fmt: skip
_EFFECTIVE = re.compile(r"effective|施行|発効|適用|有効", re.IGNORECASE)
_COMMON = re.compile(
    r"総合ルール|総合ルールブック|ルールブック|comprehensive\s+rules?|rule\s*book|official|公式"
    r"|ver(?:sion|\.)?\s*[\d.]+|第?[\d.]+版",
    re.IGNORECASE,
)


def recognises(text: str, url: str) -> bool:
    """Whether the text is a numbered rulebook.

    >>> recognises("\\n".join(f"100.{n}. A rule." for n in range(1, 9)), "")
    True
    """
    if url and known_site(url):
        return False
    return len(_RULE_LINE.findall(text[:2_000_000])) >= 5


def read(snapshot: Snapshot, text: str) -> list[Page]:
    """The rulebook, as one page."""
    hints = snapshot.hints
    start = text[:20_000]
    lang = hints.lang or ("ja" if 50 * len(_KANA.findall(start)) > text_size(start) else "en")
    edition = hints.edition or _edition(text[:5000])
    composer = PageBuilder()
    _Writer(composer, _plan(text)).write()
    title = next((p.text for p in composer.passages), "")
    game = hints.game or game_of_rulebook(text[:5000]) or _slug(title)
    return [
        composer.page(
            source="rulebook",
            engine="rulebook",
            name=f"{game or 'rules'}/cr/{edition or 'undated'}/{lang}",
            title=title,
            url=snapshot.url,
            lang=lang,
            game=game,
            form="rulebook text",
            edition=edition,
            chars=text_size(text),
        )
    ]


def _slug(title: str) -> str | None:
    """A game's name from the title of its rulebook, or None where the title names none.

    >>> _slug("サンプルカードゲーム 総合ルール ver.1.02"), _slug("総合ルール")
    ('サンプルカードゲーム', None)
    """
    name = _COMMON.sub(" ", unicodedata.normalize("NFKC", title[:200])).lower()
    return "-".join(re.findall(r"\w+", name))[:40].strip("-") or None


def _edition(start: str) -> str | None:
    """The effective date, as YYYYMMDD; else the first date there is.

    >>> _edition("2025 年 10 月 31 日施行"), _edition("effective as of July 30, 2024.")
    ('20251031', '20240730')
    """
    dates = sorted(
        (found for form in _DATES for found in form.finditer(start)), key=lambda m: m.start()
    )
    near = (m for m in dates if _EFFECTIVE.search(start[max(0, m.start() - 24) : m.end() + 10]))
    for found in [*near, *dates]:
        month = found["month"].lower()
        number = _MONTHS.split().index(month) + 1 if month.isalpha() else int(month)
        if 1 <= number <= 12 and 1 <= int(found["day"]) <= 31:
            return f"{int(found['year'])}{number:02}{int(found['day']):02}"
    return None


@dataclass(frozen=True, slots=True)
class _Plan:
    """What each line of the file is, before anything is put together."""

    lines: Sequence[str]
    out: dict[int, str]
    parts: dict[int, str]
    rules: dict[int, NumberedLine]
    headings: frozenset[int]
    indented: frozenset[int]  # headings of the parts that set some of their lines in
    edge: int | None  # None: a line is a paragraph; else the column where lines are broken


def _plan(text: str) -> _Plan:
    lines, breaks = page_layout.split_pages(text)
    out = page_layout.page_furniture(lines, breaks)
    listed = page_layout.contents_lines(lines, out)
    out = {**dict.fromkeys(listed, page_layout.CONTENTS), **out}
    parts = {n: part for n, line in enumerate(lines) if n not in out and (part := _part(line))}
    numbered = [
        found
        for n, line in enumerate(lines)
        if n not in out and n not in parts and (found := number_at(line.strip(), n))
    ]
    edge = _edge(lines, out, numbered)
    broken = _broken(lines, out, edge) if edge else frozenset()
    chain = rule_lines(_candidates(lines, numbered, parts), broken)
    parents = {one.line for one, two in pairwise(chain) if two.key[: len(one.key)] == one.key}
    heads = frozenset(
        one.line
        for one in chain
        if one.line in parents or len(one.key) == 1 or one.number.isdigit()
    )
    indented = _indented(lines, out, parts)
    return _Plan(lines, out, parts, {one.line: one for one in chain}, heads, indented, edge)


def _indented(lines: Sequence[str], out: dict[int, str], parts: dict[int, str]) -> frozenset[int]:
    """The headings of the parts in which some lines are set in."""
    found: set[int] = set()
    heading = -1
    for n, line in enumerate(lines):
        heading = n if n in parts else heading
        if heading >= 0 and n not in out and line[:1] in _INDENT and line.strip():
            found.add(heading)
    return frozenset(found)


def _part(line: str) -> str | None:
    """The part of a book that a line is the heading of."""
    text = line.strip()
    if not text or len(text) > 60:
        return None
    number = number_at(text)
    title = text[number.start :] if number else text
    return next((name for name, form in _PARTS.items() if form.fullmatch(title)), None)


def _candidates(
    lines: Sequence[str], numbered: Sequence[NumberedLine], parts: dict[int, str]
) -> list[NumberedLine]:
    """The lines that may begin a rule. A glossary or a history ends with the next chapter."""
    headings = iter(sorted(parts))
    heading = next(headings, None)
    chosen: list[NumberedLine] = []
    last, apart = -1, False
    for one in numbered:
        while heading is not None and heading < one.line:
            own = number_at(lines[heading].strip())
            last, apart = own.key[0] if own else last, True
            heading = next(headings, None)
        text = lines[one.line].strip()
        if one.number.isdigit() and not looks_like_heading(text):
            continue
        if apart and not (one.key == (last + 1,) or (last < 0 and one.key == (1,))):
            continue
        apart = False
        chosen.append(one)
        last = one.key[0] if len(one.key) > 1 else last
    return chosen


def _starts(text: str) -> bool:
    return _EXAMPLE.match(text) is not None or _BULLET.match(text) is not None


def _edge(
    lines: Sequence[str], out: dict[int, str], numbered: Sequence[NumberedLine]
) -> int | None:
    """The column where the file breaks its lines; None if a line is a paragraph."""
    edge = page_layout.right_edge([line for n, line in enumerate(lines) if n not in out])
    # A bare number ("3 枚の…") may be the rest of a sentence, so it does not end one here.
    sure = [one for one in numbered if any(one.form[:3])]
    begins = {one.line for one in sure}
    broken = 0
    for one in sure:
        after = one.line + 1
        following = lines[after].strip() if after < len(lines) else ""
        if not following or after in out or after in begins or _starts(following):
            continue
        line = lines[one.line]
        broken += not ends_sentence(line) and page_layout.is_full(line, following, edge)
    return edge if broken and broken * 100 >= len(numbered) else None


def _broken(lines: Sequence[str], out: dict[int, str], edge: int) -> frozenset[int]:
    """The lines before which a sentence was broken."""
    found = []
    before, blank, turned = "", True, False
    for n, line in enumerate(lines):
        if n in out:
            turned = True
        elif not line.strip():
            blank = True
        else:
            if before and (turned or not blank) and not ends_sentence(before):
                found += [n] if page_layout.is_full(before, line, edge) else []
            before, blank, turned = line, False, False
    return frozenset(found)


@dataclass(slots=True)
class _Writer:
    """Writes the passages of a planned rulebook, joining the lines that were broken."""

    composer: PageBuilder
    plan: _Plan
    part: str = "front"
    rule: int | None = None
    entry: int | None = None
    kind: PassageKind = "title"
    level: int = 0
    held: list[str] = field(default_factory=list)
    last: str = ""
    blank: bool = False
    turned: bool = False
    indented: bool = False

    def write(self) -> None:
        """Every line of the plan, in order."""
        for n, line in enumerate(self.plan.lines):
            if n in self.plan.out:
                self.composer.leave_out(self.plan.out[n], line)
                self.turned = True
            elif not line.strip():
                self.blank = True
            else:
                self._line(n, line)
                self.last = line
                self.blank = self.turned = False
        self._flush()

    def _line(self, n: int, line: str) -> None:
        text = line.strip()
        if n in self.plan.parts:
            self._open("heading", text, level=1)
            self._flush()
            self.part, self.rule, self.entry = self.plan.parts[n], None, None
            self.indented = n in self.plan.indented
        elif n in self.plan.rules:
            self.part = "rules"
            self._rule(self.plan.rules[n], text)
        elif self.part == "glossary":
            self._glossary(line)
        elif not self.composer.passages and not self.held:
            self._open("title", text)
        elif _EXAMPLE.match(text):
            self._open("paragraph", text)
        elif _BULLET.match(text) and not (text[0] == "・" and self._goes_on(line)):
            self._open("item", text)
        elif self._goes_on(line):
            self.held.append(line)
        else:
            self._open(self._plain(text), text)

    def _plain(self, text: str) -> PassageKind:
        """A history states no rules, nor does a paragraph that only begins with a number."""
        stated = self.part == "history" or number_at(text + " 字")
        return "note" if stated else "paragraph"

    def _rule(self, found: NumberedLine, text: str) -> None:
        heading = found.line in self.plan.headings
        padded = text[: found.start].rstrip()
        gap = " " if padded != text[: found.start] else ""
        self._open("paragraph", padded + gap + text[found.start :])
        self.level = len(found.key) if heading else 0

    def _open(self, kind: PassageKind, text: str, level: int = 0) -> None:
        self._flush()
        self.kind, self.level, self.held = kind, level, [text]

    def _flush(self) -> None:
        """Put what is held into the page."""
        if not self.held:
            return
        text, self.held = page_layout.join_lines(self.held), []
        numbered = self.part == "rules" and self.kind == "paragraph" and number_at(text)
        stated = bool(numbered)
        if self.kind == "heading" or (self.level and looks_like_heading(text)):
            place = self.composer.heading(Passage("heading", text), self.level)
            self.rule = place if self.part == "rules" else None
        elif stated:
            self.rule = self.composer.add(Passage(self.kind, text))
        elif self.kind in ("entry", "gloss"):
            parent = self.entry if self.kind == "gloss" else None
            place = self.composer.add(Passage(self.kind, text, parent=parent))
            self.entry = place if self.kind == "entry" else self.entry
        else:
            parent = self.rule if self.part == "rules" else None
            self.composer.add(Passage(self.kind, text, parent=parent))

    def _goes_on(self, line: str) -> bool:
        """Whether a line goes on with the passage that is open."""
        edge = self.plan.edge
        if not self.held or edge is None or self.kind in ("title", "heading"):
            return False
        last = self.last
        if self.turned:
            return not ends_sentence(last) or (self.part == "rules" and not self.level)
        if self.blank:
            return False
        if page_layout.is_full(last, line, edge):
            return True
        starts_heading = self.level and len(self.held) == 1
        return self.part == "rules" and not ends_sentence(last) and not starts_heading

    def _glossary(self, line: str) -> None:
        text = line.strip()
        begins = self.entry is None and not (self.held and self.kind == "entry")
        if self.plan.edge is not None:
            begins = begins or self._begins_entry(line)
        elif self.indented:
            begins = line[:1] not in _INDENT
        else:
            begins = begins or self.blank
        if begins:
            self._open("entry", text)
        elif self.kind == "gloss" and self.held and self._same_gloss():
            self.held.append(line)
        else:
            self._open("gloss", text)

    def _same_gloss(self) -> bool:
        return self.plan.edge is not None and (self.turned or not self.blank)

    def _begins_entry(self, line: str) -> bool:
        """In a file of broken lines: what is not set in, or a short line that is no sentence."""
        if self.held and self.kind == "gloss" and not ends_sentence(self.last):
            return False
        if self.indented:
            return line[:1] not in _INDENT
        return looks_like_heading(line.strip()) and not ends_sentence(line)
