"""Holds the answers of two sides against each other, and prints what differs, in groups."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

from benchmarks.oracle.ask import Answer

_LINES, _WIDTH = 14, 150  # of a difference that is shown
# Of one difference, what decides to which group it belongs: its first lines, and their first words,
# as lines of exports and pages have hundreds of thousands, and comparing them takes their square.
_COMPARED, _WORDS = 40, 200
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_NUMBER = re.compile(r"\d+")


@dataclass
class _Group:
    """Differences of one kind: in how many answers, how many, and the first of them."""

    where: str
    lines: list[str]
    answers: set[str] = field(default_factory=set)
    times: int = 0


@dataclass
class Report:
    """Collects what two sides answered.

    folder: where answers are written, those of `old` and of `new`: only those that differ, unless
    `everything` is to be kept.
    """

    folder: Path
    everything: bool = False
    counts: dict[str, list[int]] = field(default_factory=dict)  # {kind: [asked, different]}
    _places: dict[str, str] = field(default_factory=dict)  # {file: question and part}

    def add(
        self, kind: str, base: str, old: Mapping[str, Answer], new: Mapping[str, Answer]
    ) -> None:
        """Compare the answers to the questions that were asked of the old side."""
        counts = self.counts.setdefault(kind, [0, 0])
        for question, answer in old.items():
            other = new.get(question, {"": "not answered"})
            counts[0] += 1
            counts[1] += answer != other
            for part in dict.fromkeys((*answer, *other)):
                texts = answer.get(part), other.get(part)
                if self.everything or texts[0] != texts[1]:
                    self._write(kind, base, f"{question}", part, texts)

    def _write(
        self, kind: str, base: str, question: str, part: str, texts: tuple[str | None, str | None]
    ) -> None:
        """Write both texts of a part of an answer; JSON in lines, unless only its spaces differ."""
        short = re.sub(r"[^\w.=-]+", "_", question)[:70]
        name = f"{kind}/{base}/{short}-{hashlib.sha1(question.encode()).hexdigest()[:6]}"
        name += f".{re.sub(r'[^A-Za-z0-9.]+', '-', part)}"
        self._places[name] = f"{question}  [{base}, {part}]"
        shown = [text if text is None else _in_lines(text) for text in texts]
        if shown[0] == shown[1] and texts[0] != texts[1]:
            shown = list(texts)
        for side, text in zip(("old", "new"), shown, strict=True):
            path = self.folder / side / name
            if text is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text if text.endswith("\n") else f"{text}\n", "utf-8", "replace")

    def groups(self) -> list[_Group]:
        """Return all differences, those of one kind together, the most frequent first."""
        for side in ("old", "new"):
            (self.folder / side).mkdir(parents=True, exist_ok=True)
        command = ["git", "-c", "core.quotePath=false", "diff", "--no-index", "--no-renames",
                   "--no-color", "--no-ext-diff", "--text", "-U1", "old", "new"]  # fmt: skip
        done = subprocess.run(command, cwd=self.folder, capture_output=True)
        groups: dict[tuple[str, ...], _Group] = {}
        for file in re.split(r"^diff --git ", done.stdout.decode("utf-8", "replace"), flags=re.M)[
            1:
        ]:
            head, *hunks = re.split(r"^@@ .*\n", file, flags=re.M)
            named = re.search(r"^(?:---|\+\+\+) \w+/(?:old|new)/(.*?)\t?$", head, re.M)
            name = named[1] if named else head.split("\n")[0]
            for hunk in hunks:
                lines = hunk.splitlines()
                key = (name.split("/")[0], *_shape(lines))
                group = groups.setdefault(key, _Group(self._places.get(name, name), lines))
                group.answers.add(name)
                group.times += 1
        return sorted(groups.values(), key=lambda group: -len(group.answers))

    def text(self, most: int) -> str:
        """Return the report: counts by kind, then the differences, at most some groups of them."""
        lines = [f"{'':10}{'asked':>8}{'equal':>8}{'different':>11}"]
        for kind, (asked, different) in self.counts.items():
            lines.append(f"{kind:10}{asked:8,}{asked - different:8,}{different:11,}")
        groups = self.groups()
        for number, group in enumerate(groups[:most], 1):
            in_answers = f"in {len(group.answers):,} answer{'s' * (len(group.answers) > 1)}"
            times = f", {group.times:,} times" if group.times > len(group.answers) else ""
            lines += ["", f"{number}. {in_answers}{times}; the first: {group.where}"]
            lines += [
                f"    {line[:_WIDTH]}{'…' * (len(line) > _WIDTH)}" for line in group.lines[:_LINES]
            ]
            if len(group.lines) > _LINES:
                lines.append(f"    … {len(group.lines) - _LINES:,} more lines")
        if len(groups) > most:
            lines += ["", f"{len(groups) - most:,} more kinds of differences: --max {len(groups)}"]
        return "\n".join(lines)


def _in_lines(text: str) -> str:
    """Return JSON with a value a line; other text as it is."""
    if text[:1] in ("{", "["):
        with suppress(ValueError):
            return json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    return text


def _shape(lines: list[str]) -> list[str]:
    """Return what differences of one kind have in common: the words that were replaced, or lines
    that came or went; without numbers, and of JSON the names without their values.

    >>> _shape(["-next sansho show 3", "+next sansho look 3"]) == _shape(["-show x", "+look x"])
    True
    """
    old = [line[1:] for line in lines if line.startswith("-")][:_COMPARED]
    new = [line[1:] for line in lines if line.startswith("+")][:_COMPARED]
    found: list[str] = []
    if len(old) == len(new):
        for before, after in zip(old, new, strict=True):
            words = _WORD.findall(before)[:_WORDS], _WORD.findall(after)[:_WORDS]
            matcher = SequenceMatcher(None, *words, autojunk=False)
            for kind, a, b, c, d in matcher.get_opcodes():
                if kind != "equal":
                    found.append(f"{''.join(words[0][a:b])} → {''.join(words[1][c:d])}")
    else:
        for sign, side in (("-", old), ("+", new)):
            for line in side:
                name = re.match(r'\s*"([^"]*)":', line)
                found.append(sign + (name[1] if name else line.strip()))
    return list(dict.fromkeys(_NUMBER.sub("0", each) for each in found))
