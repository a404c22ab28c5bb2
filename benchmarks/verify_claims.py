"""Measures `verify`: how many planted faults it finds, and how many true claims it faults.

    python -m benchmarks.verify_claims [--kb FILE] [--texts FOLDER] [--each]

Texts with planted faults are in tests/gold/verify: what is in `{{ }}` is a claim with its verdict.

    {{ok: rule 121.4}}                                        a claim that stands
    {{repaired: @mtg/cr/20260116/en/121.4[0:9] /draw/drew/}}  a fault, with its verdict
    {{not found|repaired: “words”}}                           a fault, with verdicts that will do

`@ID[a:b]` stands for the words a to b of a node's text (in Japanese, for its characters), so that
no sentence of a rulebook stands here; `/old/new/` behind it changes words, `+ words` adds some. A
text whose first line is `base: sample` is about the bundled sample, another about the captures and
corpora beside the repository. True quotations are drawn from that base, in many kinds of dress.
"""

from __future__ import annotations

import os
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import kb
from kb.language.fold import is_japanese

ROOT = Path(__file__).parent.parent
TEXTS = ROOT / "tests" / "gold" / "verify"
SHARED = Path(os.environ.get("SANSHO_SHARED", ROOT.parent / "shared"))
SOURCES = (
    "seeds", "corpora/mtg-cr-en", "corpora/mtg-cr-en-older", "corpora/mtg-cr-ja",
    "corpora/lorcana-cr-ja", "corpora/lorcana-cr-en", "corpora/rulebooks-more",
)  # fmt: skip
_TAG = re.compile(r"\{\{([a-z |]+):\s*(.*?)\}\}", re.DOTALL)
_NODE = re.compile(
    r"@(?P<id>[^\[\]]+?)(?:\[(?P<begin>\d*):(?P<end>\d*)\])?"
    r"(?P<changes>(?:\s*/[^/]*/[^/]*/|\s*\+ [^+/@]+)*)$"
)


@dataclass(frozen=True, slots=True)
class Label:
    """A claim in a text: its span, and the verdicts that are right; none if it stands."""

    start: int
    end: int
    verdicts: frozenset[str]


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A text with its labels, and the base that it is about: `sample` or `real`."""

    name: str
    text: str
    labels: tuple[Label, ...]
    base: str


def read_text(path: Path, bases: dict[str, kb.KnowledgeBase]) -> LabelledText | None:
    """Return a text with its labels; None if its base isn't there."""
    template = path.read_text("utf-8")
    name = "real"
    if found := re.match(r"base: (\w+)\n", template):
        name, template = found[1], template[found.end() :]
    if name not in bases:
        return None
    pieces: list[str] = []
    labels: list[Label] = []
    length = position = 0
    for tag in _TAG.finditer(template):
        before = template[position : tag.start()]
        words = _words(tag[2].strip(), bases[name])
        start = length + len(before)
        verdicts = frozenset(one.strip() for one in tag[1].split("|")) - {"ok"}
        labels.append(Label(start, start + len(words), verdicts))
        pieces += [before, words]
        length, position = start + len(words), tag.end()
    pieces.append(template[position:])
    return LabelledText(path.stem, "".join(pieces), tuple(labels), name)


def _words(body: str, base: kb.KnowledgeBase) -> str:
    """Return what a tag stands for: its words as they are, or those of a node, changed."""
    if "@" not in body:
        return body
    return re.sub(
        r"@[^@“”\"「」『』\n]+",
        lambda match: _of_node(match[0].strip(), base) + " " * match[0].endswith(" "),
        body,
    )


def _of_node(written: str, base: kb.KnowledgeBase) -> str:
    found = _NODE.match(written)
    assert found, written
    matches = base.show(found["id"]).matches
    assert matches, written
    text = matches[0].text or ""
    begin, end = (int(found[name]) if found[name] else None for name in ("begin", "end"))
    words = text[begin:end] if is_japanese(text) else " ".join(text.split()[begin:end])
    for change in re.finditer(r"/([^/]*)/([^/]*)/|\+ ([^+/@]+)", found["changes"]):
        if change[3]:
            words += f" {change[3].strip()}"
            continue
        assert change[1] in words, (written, words)
        words = words.replace(change[1], change[2], 1)
    return words


# -- planted faults -------------------------------------------------------------------------------


@dataclass
class Score:
    """How many faults were found and true claims faulted."""

    faults: int = 0
    found: int = 0
    right: int = 0
    true: int = 0
    wrong: int = 0

    def add(self, other: Score) -> None:
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def score(text: LabelledText, base: kb.KnowledgeBase, notes: list[str]) -> Score:
    """Return how a text is verified. notes: what is wrong is added here."""
    claims = base.verify(text.text).claims
    result = Score()
    seen: set[int] = set()
    for label in text.labels:
        here = [
            (n, one)
            for n, one in enumerate(claims)
            if one.span[0] < label.end and label.start < one.span[1]
        ]
        seen |= {n for n, _ in here}
        bad = [one for _, one in here if not one.stands]
        words = text.text[label.start : label.end]
        if label.verdicts:
            result.faults += 1
            result.found += bool(bad)
            result.right += any(one.verdict in label.verdicts for one in bad)
            if not bad:
                notes.append(f"{text.name}: missed: {words!r} {[c.verdict for _, c in here]}")
            elif not any(one.verdict in label.verdicts for one in bad):
                verdicts = [one.verdict for one in bad]
                notes.append(f"{text.name}: other verdict {verdicts}: {words!r} {bad[0].message}")
        else:
            result.true += 1
            result.wrong += bool(bad)
            notes += [f"{text.name}: wrongly {c.verdict}: {c.text!r} {c.message}" for c in bad]
    for n, claim in enumerate(claims):
        if n not in seen:
            result.true += 1
            result.wrong += not claim.stands
            if not claim.stands:
                what = f"{claim.verdict}: {claim.text!r} {claim.message}"
                notes.append(f"{text.name}: wrongly (no label) {what}")
    return result


# -- true quotations ------------------------------------------------------------------------------


def true_quotations(
    base: kb.KnowledgeBase, number: int, seed: int = 19
) -> Iterator[tuple[str, str]]:
    """Yield (text with a true quotation, the words quoted), of rules and of other passages, in both
    languages, in many kinds of dress."""
    rng = random.Random(seed)
    newest: dict[tuple[str | None, str | None], str] = {}
    rules = [node for node in base.nodes("rule") if node.text and len(node.text) > 40]
    for node in rules:
        key = node.game, node.lang
        newest[key] = max(newest.get(key, ""), node.edition or "")
    rules = [node for node in rules if node.edition == newest[node.game, node.lang]]
    passages = [
        node
        for node in base.nodes("passage")
        if node.text and len(node.text) > 30 and node.edition is None and node.source != "rulebook"
    ]
    groups: dict[tuple[str | None, str | None, str], list[kb.Node]] = {}
    for node in (*rules, *passages):
        groups.setdefault((node.game, node.lang, node.kind), []).append(node)
    names = sorted(groups, key=str)
    for index in range(number):
        node = rng.choice(groups[names[index % len(names)]])
        words = _cut(node.text or "", rng)
        yield _dressed(words, node, rng), words


def _cut(text: str, rng: random.Random) -> str:
    """Return a piece of a text that a person may quote: all of it, or whole clauses."""
    text = " ".join(text.split("\n")[0].split())
    breaks = [match.end() for match in re.finditer(r"[。、,.;:](?=\s|[^\d\s])|$", text)]
    starts = [0, *breaks[:-1]]
    for _ in range(30):
        start = rng.choice(starts)
        ends = [end for end in breaks if end > start]
        if not ends:
            continue
        words = text[start : rng.choice(ends)].strip(" 、,;:")
        least = 14 if is_japanese(words) else 30
        if len(words) >= least and words.count("「") == words.count("」"):
            return words
    return text


def _dressed(words: str, node: kb.Node, rng: random.Random) -> str:
    """Return a text that quotes some words, with what people and programs change in them."""
    japanese = is_japanese(words)
    style = rng.randrange(8)
    if style == 1:
        words = words.replace("’", "'").replace("“", "'").replace("”", "'")
    elif style == 2:
        words = words.replace("—", " -- ").replace("-", "‐")
    elif style == 3 and not japanese:
        words = words[0].lower() + words[1:]
    elif style == 4 and japanese:
        words = words.translate(str.maketrans("0123456789()", "０１２３４５６７８９（）"))
    elif style == 5 and not japanese and len(words.split()) > 12:
        pieces = words.split()
        cut = len(pieces) // 2
        words = " ".join(pieces[:cut]) + " … " + " ".join(pieces[cut + 3 :])
    elif style == 6:
        words = words.replace(" ", "  " if not japanese else " ")
    opening, closing = rng.choice(
        [("「", "」"), ("『", "』"), ("“", "”")] if japanese else [("“", "”"), ('"', '"')]
    )
    if opening == "「":
        words = words.replace("「", "『").replace("」", "』")
    quoted = f"{opening}{words}{closing}"
    number = node.number
    named = {"mtg": "MTG", "lorcana": "Lorcana", "riftbound": "Riftbound"}.get(node.game or "", "")
    if node.edition and rng.random() < 0.2:
        named += f" ({node.edition})"
    if number:
        forms = (
            [
                f"{named} 総合ルール{number}には{quoted}とある。",
                f"{named}では{quoted}（ルール{number}）と定められている。",
                f"{named}\n\n> {words}\n> — {number}\n\n以上。",
                f"- **{number}**: {quoted}",
            ]
            if japanese
            else [
                f"{named}: Rule {number} says {quoted}.",
                f"In {named} {quoted} (CR {number}), so there.",
                f"{named} rule {number}:\n\n> {words}\n\nThat is all.",
                f"As [CR {number}](https://example.org/9.9.9) puts it for {named}, *{quoted}*",
            ]
        )
        return rng.choice(forms)
    return f"Wikiには{quoted}とある。" if japanese else f"The page says {quoted}."


# -- the command ---------------------------------------------------------------------------------


def real_base(folder: Path) -> kb.KnowledgeBase:
    """Build the base of the captures and corpora beside the repository, and open it."""
    kb.build([SHARED / source for source in SOURCES], folder / "real.db")
    return kb.open(folder / "real.db")


def report(
    bases: dict[str, kb.KnowledgeBase], folders: Sequence[Path], each: bool, quotations: int = 200
) -> None:
    """Print the table of figures; with `each`, what is wrong, too."""
    notes: list[str] = []
    total = Score()
    texts = 0
    for folder in folders:
        for path in sorted(folder.glob("*.md")):
            if text := read_text(path, bases):
                texts += 1
                total.add(score(text, bases[text.base], notes))
    verdicts: Counter[str] = Counter()
    faulted = 0
    if "real" in bases:
        for text_, words in true_quotations(bases["real"], quotations):
            claims = bases["real"].verify(text_).claims
            verdicts.update(one.verdict for one in claims)
            bad = [one for one in claims if not one.stands]
            faulted += bool(bad)
            notes += [f"true quotation: {b.verdict}: {b.message} | {text_!r}" for b in bad]
            if not any(one.kind == "quotation" for one in claims):
                verdicts["no claim"] += 1
                notes.append(f"true quotation without a claim: {words!r} | {text_!r}")
    if each:
        print("\n".join(notes))
    print(f"texts                      {texts:6}")
    print(f"planted faults             {total.faults:6}")
    print(f"  found                    {total.found / max(1, total.faults):6.3f}")
    print(f"  with the right verdict   {total.right / max(1, total.faults):6.3f}")
    print(f"true claims                {total.true:6}")
    print(f"  wrongly faulted          {total.wrong / max(1, total.true):6.3f}")
    if "real" in bases:
        print(f"true quotations            {quotations:6}")
        print(f"  wrongly faulted          {faulted:6}")
        print(f"  verdicts                 {dict(verdicts)}")


def main(arguments: list[str]) -> None:
    """Build or open the bases, and print the table."""
    options = dict(pairwise(arguments))
    folders = [Path(options["--texts"])] if "--texts" in options else [TEXTS]
    with tempfile.TemporaryDirectory() as folder:
        bases = {"sample": kb.sample()}
        if "--kb" in options:
            bases["real"] = kb.open(options["--kb"])
        elif SHARED.is_dir():
            bases["real"] = real_base(Path(folder))
        report(bases, folders, "--each" in arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
