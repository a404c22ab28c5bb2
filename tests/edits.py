"""Sequences of edits to a folder of pages, and whether a second build keeps up with them.

    python -m tests.edits [SEQUENCES]

Each sequence begins with some of the sample's pages and of a synthetic wiki's, and changes them
as wikis change: sentences come and go, links, headings, names, rules; pages are added, removed,
renamed; other captures of them are made. After every few edits the knowledge base is renewed, and
built from nothing beside that: both must hold the same graph and give the same answers.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import kb
from benchmarks.synthetic import write

SAMPLE = Path(__file__).parent.parent / "kb" / "sample"
SYNTHETIC = 30  # pages
_LINK = re.compile(r"<a (?:[^<>]* )?href=[^<>]*>[^<>]*</a>")
_HEADING = re.compile(r"(<h[23][^>]*>.*?)([一-鿿ァ-ヺ]{2,})", re.DOTALL)
_NAME = re.compile(r"[ァ-ヺー一-鿿]{2,8}")
_RULE = re.compile(r"(?m)^\d{3}\.\d+[a-z]?\.? .*\n")
_ENDING = "。"
_ASKED = ("空のライブラリーから引くとどうなる？", "ドローとは？", "What is a draw?")


@dataclass
class Folder:
    """Pages in a folder, with a manifest, to be edited at random."""

    path: Path
    rng: Random
    lines: dict[str, dict[str, Any]] = field(default_factory=dict)
    gone: dict[str, bytes] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, path: Path, rng: Random, *sources: Path) -> Folder:
        """A folder with copies of the pages of some sources, of which some are kept for later."""
        made = cls(path, rng)
        for number, source in enumerate(sources):
            shutil.copytree(source, path / str(number))
            manifest = path / str(number) / "manifest.jsonl"
            for line in manifest.read_text("utf-8").splitlines():
                entry = json.loads(line)
                made.lines[f"{number}/{entry['file']}"] = entry
            manifest.unlink()
        for file in made.files():
            made.names += _NAME.findall(made.text(file))[:40]
        for file in made.files():
            if rng.random() < 0.3:
                made.remove(file)
        made.save()
        return made

    def files(self) -> list[str]:
        """The pages that are there."""
        found = (p for p in self.path.rglob("*") if p.is_file() and p.name != "manifest.jsonl")
        return sorted(str(p.relative_to(self.path)) for p in found)

    def save(self) -> None:
        """Write the manifest for what is there."""
        lines = (
            json.dumps(self.lines[file] | {"file": file})
            for file in self.files()
            if file in self.lines
        )
        (self.path / "manifest.jsonl").write_text("\n".join(lines), "utf-8")

    def text(self, file: str) -> str:
        return (self.path / file).read_bytes().decode(self._charset(file), "replace")

    def put(self, file: str, text: str) -> None:
        """Write a page; characters that its charset lacks as references."""
        data = text.encode(self._charset(file), "xmlcharrefreplace")
        (self.path / file).parent.mkdir(parents=True, exist_ok=True)
        (self.path / file).write_bytes(data)

    def remove(self, file: str) -> None:
        """Take a page away; it may come back."""
        self.gone[file] = (self.path / file).read_bytes()
        (self.path / file).unlink()

    def edit(self) -> str:
        """One edit; says which."""
        kinds: list[Callable[[str], None]] = [
            self._sentence,
            self._sentence,
            self._define,
            self._define,
            self._link,
            self._link,
            self._unlink,
            self._cut,
            self._heading,
            self._other_game,
            self._name,
            self._rule,
            self._move,
            self._capture,
            self._again,
            self._remove,
            self._bring_back,
            self._bring_back,
            self._touch,
        ]
        files = self.files()
        kind = self.rng.choice(kinds) if len(files) > 4 else self._bring_back
        file = self.rng.choice(files) if files else ""
        kind(file)
        self.save()
        return f"{kind.__name__} {file}"

    def _charset(self, file: str) -> str:
        stored = (self.path / file).read_bytes() if (self.path / file).exists() else b""
        return "euc_jp" if re.search(rb"charset=euc-jp", stored[:2000], re.I) else "utf-8"

    def _sentence(self, file: str) -> None:
        """A sentence more, which names something."""
        name, text = self.rng.choice(self.names), self.text(file)
        self.put(file, self._at(text, _ENDING, f"。{name}を{self.rng.choice('引置見')}く。"))

    def _define(self, file: str) -> None:
        """Other words in the first sentences, which say what something is."""
        text, one, other = self.text(file), self.rng.choice(self.names), self.rng.choice(self.names)
        if places := [found.start() for found in re.finditer(r"(?<=。)|(?<=は)、", text)]:
            at = self.rng.choice(places[:4])
            said = self.rng.choice((f"{one}を{other}に置くこと", f"{one}を引く{other}"))
            self.put(file, f"{text[:at]}、{said}で、{text[at:]}")

    def _link(self, file: str) -> None:
        """A link of another page of the folder's, in a sentence."""
        other = self.text(self.rng.choice(self.files()))
        if links := _LINK.findall(other):
            link = self.rng.choice(links)
            self.put(file, self._at(self.text(file), _ENDING, f"。{link}という。"))

    def _other_game(self, file: str) -> None:
        """A sentence on what another game calls it."""
        game = self.rng.choice(("本家Magic", "遊戯王OCG", "デュエル・マスターズ"))
        new = f"。{game}では「{self.rng.choice(self.names)}」と呼ばれる。"
        self.put(file, self._at(self.text(file), _ENDING, new))

    def _unlink(self, file: str) -> None:
        text = self.text(file)
        if links := _LINK.findall(text):
            link = self.rng.choice(links)
            self.put(file, text.replace(link, re.sub(r"<[^>]*>", "", link), 1))

    def _cut(self, file: str) -> None:
        """A sentence less."""
        text = self.text(file)
        sentences = re.findall(r"[^<>。\n]{4,60}。", text)
        if sentences:
            self.put(file, text.replace(self.rng.choice(sentences), "", 1))

    def _heading(self, file: str) -> None:
        name = self.rng.choice(self.names)
        self.put(file, _HEADING.sub(rf"\g<1>{name}", self.text(file), count=1))

    def _name(self, file: str) -> None:
        """What the page is about has another name, wherever it is written there."""
        found = _NAME.findall(self.text(file))
        if found:
            new = self.rng.choice(self.names) + self.rng.choice(("札", "型", "・ステップ", "する"))
            self.put(file, self.text(file).replace(self.rng.choice(found), new))

    def _rule(self, file: str) -> None:
        """A rule less, or twice, or with another number, if there are any."""
        text = self.text(file)
        if rules := _RULE.findall(text):
            rule = self.rng.choice(rules)
            new = self.rng.choice(("", rule * 2, rule.replace(".1", ".9", 1), "9" + rule[1:]))
            self.put(file, text.replace(rule, new, 1))

    def _move(self, file: str) -> None:
        """The same page in another file."""
        new = f"moved/{self.rng.randrange(10**6)}{Path(file).suffix}"
        (self.path / new).parent.mkdir(exist_ok=True)
        (self.path / file).rename(self.path / new)
        if file in self.lines:
            self.lines[new] = self.lines[file]

    def _capture(self, file: str) -> None:
        """Another capture, later or earlier, in other words or the same."""
        new = f"again/{self.rng.randrange(10**6)}{Path(file).suffix}"
        (self.path / new).parent.mkdir(exist_ok=True)
        shutil.copy(self.path / file, self.path / new)
        taken = f"20{self.rng.randrange(20, 32)}-01-01T00:00:00Z"
        self.lines[new] = self.lines.get(file, {}) | {"taken": taken}
        if self.rng.random() < 0.7:
            self._sentence(new)

    def _again(self, file: str) -> None:
        """The capture is of another time."""
        if file in self.lines:
            taken = f"20{self.rng.randrange(20, 32)}-01-01T00:00:00Z"
            self.lines[file] = self.lines[file] | {"taken": taken}

    def _remove(self, file: str) -> None:
        self.remove(file)

    def _bring_back(self, _: str) -> None:
        if self.gone:
            file = self.rng.choice(sorted(self.gone))
            (self.path / file).parent.mkdir(parents=True, exist_ok=True)
            (self.path / file).write_bytes(self.gone.pop(file))

    def _touch(self, file: str) -> None:
        """Other bytes that say the same."""
        self.put(file, self.text(file) + "\n")

    def _at(self, text: str, mark: str, new: str) -> str:
        """The text with one of the marks replaced."""
        places = [found.start() for found in re.finditer(mark, text)]
        if not places:
            return text
        at = self.rng.choice(places)
        return text[:at] + new + text[at + len(mark) :]


def contents(path: Path) -> Iterator[str]:
    """All that a knowledge base holds, and some of what it answers."""
    with kb.open(path) as base:
        base.export(path.with_suffix(".jsonl"))
        yield from path.with_suffix(".jsonl").read_text("utf-8").splitlines()
        yield json.dumps(base.audit().as_json(), ensure_ascii=False)
        yield json.dumps(base.stats().as_json(), ensure_ascii=False)
        for question in _ASKED:
            yield json.dumps(base.ask(question).as_json(), ensure_ascii=False)
        yield json.dumps(base.search("カード").as_json(), ensure_ascii=False)
        for ref in ("ドロー", "引く"):
            if base.show(ref).matches:
                yield json.dumps(base.refs(ref, depth=2).as_json(), ensure_ascii=False)


@dataclass
class Sequence:
    """A sequence of edits: what it was, how many builds renewed, and where they differ."""

    edits: list[str] = field(default_factory=list)
    builds: int = 0
    renewed: int = 0
    differences: list[str] = field(default_factory=list)


def run(seed: int, folder: Path, rounds: int = 3) -> Sequence:
    """One sequence of edits, in an empty folder."""
    rng, done = Random(seed), Sequence()
    write(SYNTHETIC, folder / "wiki", seed % 4)
    pages = Folder.of(folder / "pages", rng, SAMPLE, folder / "wiki")
    kb.build([pages.path], folder / "kept.db", workers=1)
    for _ in range(rounds):
        done.edits += [pages.edit() for _ in range(rng.choice((1, 1, 2, 4)))]
        report = kb.build([pages.path], folder / "kept.db", workers=1, replace=True)
        (folder / "new.db").unlink(missing_ok=True)
        whole = kb.build([pages.path], folder / "new.db", workers=1)
        done.builds += 1
        done.renewed += report.read < whole.read
        kept, new = set(contents(folder / "kept.db")), set(contents(folder / "new.db"))
        done.differences += [f"- {line}" for line in sorted(new - kept)]
        done.differences += [f"+ {line}" for line in sorted(kept - new)]
        if done.differences:
            break
    return done


def main(sequences: int, first: int = 0) -> None:
    """Run some sequences and say how many of them went wrong."""
    builds = renewed = wrong = 0
    for seed in range(first, first + sequences):
        with tempfile.TemporaryDirectory() as folder:
            done = run(seed, Path(folder))
        builds, renewed = builds + done.builds, renewed + done.renewed
        wrong += bool(done.differences)
        if done.differences:
            print(f"sequence {seed}: {done.edits}")
            print("\n".join(line[:400] for line in done.differences[:8]))
    print(f"{sequences} sequences, {builds} builds after edits, {renewed} of them of what changed;")
    print(f"{wrong} sequences gave another graph or answer than a build from nothing")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:] or ["200"]))
