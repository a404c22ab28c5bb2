"""Comprehensive rulebooks in plain text: chapters, numbered rules, examples, a glossary.

What is a rule is read from the numbers at the starts of the lines; the table of contents is
known by its first line coming again. The effective date names the edition.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from scraper import address
from scraper.compose import Composer
from scraper.page import Page, Passage, PassageKind, size
from scraper.snapshot import Snapshot

NUMBERED = re.compile(r"(\d{1,4}(?:\.\d+)*[a-z]?)\.?[ \u3000]+(?=\S)")
_RULE_LINE = re.compile(r"(?m)^\d+(?:\.\d+)+[a-z]?\.?[ \u3000]+\S")
_CONTENTS = re.compile(r"(?:table of )?contents|もくじ|目次", re.IGNORECASE)
_GLOSSARY = re.compile(r"(?:\d+\.\s*)?(?:glossary|用語集)", re.IGNORECASE)
_CREDITS = re.compile(r"(?:\d+\.\s*)?(?:credits|クレジット)", re.IGNORECASE)
_INDENT = (" ", "\t", "\u3000")
_EXAMPLE = re.compile(r"(?:example|例)\s*[:：]", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[。.!?！？」)）]$")
_MONTHS = "january february march april may june july august september october november december"
_EN_DATE = re.compile(rf"({'|'.join(_MONTHS.split())})\s+(\d{{1,2}}),\s*(\d{{4}})", re.IGNORECASE)
_JA_DATE = re.compile(r"(\d{4})\s*[-年/.]\s*(\d{1,2})\s*[-月/.]\s*(\d{1,2})")
_GAMES = (("mtg", re.compile(r"Magic: The Gathering|マジック[：:]ザ")),
          ("lorcana", re.compile(r"Lorcana|ロルカナ")))  # fmt: skip


def recognises(text: str, url: str) -> bool:
    """Whether the text is a numbered rulebook.

    >>> recognises("\\n".join(f"100.{n}. A rule." for n in range(1, 9)), "")
    True
    """
    if url and address.source_of(url) in address.GAMES:
        return False
    return len(_RULE_LINE.findall(text[:2_000_000])) >= 5


def read(snapshot: Snapshot, text: str) -> list[Page]:
    """The rulebook, as one page."""
    hints = snapshot.hints
    lang = hints.lang or ("ja" if len(re.findall(r"[ぁ-ん]", text[:20000])) > 50 else "en")
    game = hints.game or next((name for name, sign in _GAMES if sign.search(text[:5000])), None)
    edition = hints.edition or _edition(text[:5000])
    composer = Composer()
    _body(composer, text.splitlines())
    title = next((p.text for p in composer.passages), "")
    return [
        composer.page(
            source="rulebook",
            name=f"{game or 'rules'}/cr/{edition or 'undated'}/{lang}",
            title=title,
            url=snapshot.url,
            lang=lang,
            game=game,
            form="rulebook text",
            edition=edition,
            chars=size(text),
        )
    ]


def _edition(start: str) -> str | None:
    """The effective date, as YYYYMMDD."""
    if found := _EN_DATE.search(start):
        month = _MONTHS.split().index(found[1].lower()) + 1
        return f"{found[3]}{month:02}{int(found[2]):02}"
    if found := _JA_DATE.search(start):
        return f"{found[1]}{int(found[2]):02}{int(found[3]):02}"
    return None


def _contents(lines: Sequence[str]) -> range:
    """The lines of the table of contents: from its word to where its first entry comes again."""
    opening = enumerate(lines[:400])
    number = next((n for n, line in opening if _CONTENTS.fullmatch(line.strip())), None)
    if number is None:
        return range(0)
    entries = [n for n in range(number + 1, len(lines)) if lines[n].strip()]
    if not entries:
        return range(0)
    first = lines[entries[0]].strip()
    again = next((n for n in entries[1:] if lines[n].strip() == first), None)
    return range(number, again) if again is not None else range(0)


def _body(composer: Composer, lines: Sequence[str]) -> None:
    contents = _contents(lines)
    rule: int | None = None
    part = "front"
    entry: int | None = None
    glossary = next((n for n in range(contents.stop, len(lines)) if _is(_GLOSSARY, lines[n])), 0)
    indented = any(line[:1] in _INDENT for line in lines[glossary:] if glossary)
    for number, line in enumerate(lines):
        text = line.strip()
        if number in contents:
            composer.leave_out("table of contents", text)
            continue
        if not text:
            entry = None if part == "glossary" else entry
            continue
        if number >= contents.stop and _is(_GLOSSARY, line):
            part = "glossary"
            composer.heading(_passage("heading", text), 1)
        elif number >= contents.stop and _is(_CREDITS, line):
            part = "credits"
            composer.heading(_passage("heading", text), 1)
        elif part == "glossary":
            begins = indented and line[:1] not in _INDENT
            entry = _glossary_line(composer, text, None if begins else entry)
        elif part == "front" and not composer.passages:
            composer.add(_passage("title", text))
        else:
            rule = _rule_line(composer, text, rule)


def _is(what: re.Pattern[str], line: str) -> bool:
    return what.fullmatch(line.strip()) is not None


def _glossary_line(composer: Composer, text: str, entry: int | None) -> int:
    if entry is None:
        return composer.add(_passage("entry", text))
    composer.add(_passage("gloss", text, parent=entry))
    return entry


def _rule_line(composer: Composer, text: str, rule: int | None) -> int | None:
    """One line of the rules; gives the place of the rule that following lines belong to."""
    found = NUMBERED.match(text)
    if found and "." not in found[1] and not _SENTENCE_END.search(text) and len(text) <= 80:
        composer.heading(_passage("heading", text), 1 if len(found[1]) < 3 else 2)
        return None
    if found:
        return composer.add(_passage("paragraph", text))
    if _EXAMPLE.match(text) or rule is not None:
        composer.add(_passage("paragraph", text, parent=rule))
        return rule
    composer.add(_passage("paragraph", text))
    return None


def _passage(kind: PassageKind, text: str, parent: int | None = None) -> Passage:
    return Passage(kind, text, parent=parent)
