"""How well names are found although they are misspelt, in kana or in romaji, and how fast.

    python -m benchmarks.find_names SOURCE… [--kb FILE] [--names N] [--seed N]

Builds a knowledge base of the sources (the lists of names in corpora/lexicon give 43,000 terms and
cards) or takes the one that is at FILE, draws N names of terms and cards in both languages, and
looks each up with one slip of the keyboard, in kana, in the other kana, and in romaji. Prints how
often the right one is first and among the first five, and the times, which are the processor's, so
that they do not depend on what else the machine does.

The readings are not those of the index: they are the ones that the lists state in hiragana, and,
if `pykakasi` is installed, its own for the other names in kanji. Names whose readings are stated
are looked for a second time in a copy whose index lacks all stated readings, so that only those
that Sudachi made are left.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median

import kb
from graphs.store.reader import Store
from kb.query.lookup.find_names import similar_names
from tests.altered import altering

_KANJI = re.compile(r"[一-鿿々]")
_KANA_ONLY = re.compile(r"[ぁ-ゖァ-ヺー・＝ 　]+")
_TO_HIRAGANA = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}
_TO_KATAKANA = {small: code for code, small in _TO_HIRAGANA.items()}
_LETTERS, _SYLLABLES = "abcdefghijklmnoprstuvwy", "あいうかきくけこさしたとなのまらりん"
_HEPBURN = dict(
    zip(
        "あいうえおかきくけこがぎぐげごさしすせそざじずぜぞたちつてとだぢづでどなにぬねの"
        "はひふへほばびぶべぼぱぴぷぺぽまみむめもらりるれろやゆよわをんゔ",
        "a i u e o ka ki ku ke ko ga gi gu ge go sa shi su se so za ji zu ze zo ta chi tsu te to "
        "da ji zu de do na ni nu ne no ha hi fu he ho ba bi bu be bo pa pi pu pe po ma mi mu me mo "
        "ra ri ru re ro ya yu yo wa o n vu".split(),
        strict=True,
    )
)
_SMALL = {"ぁ": "a", "ぃ": "i", "ぅ": "u", "ぇ": "e", "ぉ": "o", "ゃ": "a", "ゅ": "u", "ょ": "o"}
_MACRONS = {"aa": "ā", "uu": "ū", "ee": "ē", "oo": "ō", "ou": "ō"}


@dataclass
class Tally:
    """How often the right name was found, and how many seconds of this process."""

    first: int = 0
    among_five: int = 0
    times: list[float] = field(default_factory=list)
    missed: list[tuple[str, str]] = field(default_factory=list)

    def __str__(self) -> str:
        asked = len(self.times)
        milliseconds = [1000 * seconds for seconds in self.times]
        return (
            f"{asked:4}  first {self.first / asked:.3f}  among five {self.among_five / asked:.3f}  "
            f"median {median(milliseconds):4.1f} ms  most {max(milliseconds):5.1f} ms"
        )


@dataclass(frozen=True)
class Name:
    """A name of a term or a card, with its reading in kana if one is known; whether a page states
    the reading."""

    node: str
    text: str
    reading: str = ""
    stated: bool = False


def drawn(names: Sequence[Name], number: int, rng: Random) -> list[Name]:
    """At most so many of the names, in an order that the seed decides."""
    return rng.sample(names, min(number, len(names)))


def slip(text: str, rng: Random) -> str:
    """A name with one slip: a character left out, doubled, swapped with the next or replaced."""
    at = rng.randrange(len(text))
    kind = rng.choice(("out", "doubled", "swapped", "replaced"))
    if kind == "out":
        return text[:at] + text[at + 1 :]
    if kind == "doubled":
        return text[: at + 1] + text[at:]
    if kind == "swapped" and at + 1 < len(text) and text[at] != text[at + 1]:
        return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    letters = _LETTERS if text.isascii() else _SYLLABLES
    return text[:at] + rng.choice(letters.replace(text[at], "")) + text[at + 1 :]


def romaji(kana: str, style: str) -> str:
    """Kana in Hepburn romaji; long vowels as they are typed, with macrons, or short."""
    written = ""
    for sign in unicodedata.normalize("NFKC", kana).translate(_TO_HIRAGANA):
        if sign in _SMALL:
            bare = written[:-1]
            glide = "" if sign not in "ゃゅょ" or bare.endswith(("sh", "ch", "j")) else "y"
            written = bare + glide + _SMALL[sign]
        elif sign == "ー":
            written += written[-1:]
        elif sign == "っ":
            written += "っ"
        else:
            written += _HEPBURN.get(sign, sign if sign.isalnum() else " ")
    written = re.sub(
        "っ(.)", lambda found: ("t" if found[1] == "c" else found[1]) + found[1], written
    )
    if style != "typed":
        for long, macron in _MACRONS.items():
            written = written.replace(long, macron if style == "macrons" else long[0])
    return " ".join(written.replace("っ", "").split())


def names_of(store: Store) -> tuple[list[Name], list[Name]]:
    """All names of terms and cards, and those in kanji with a reading that is true.

    A stated reading is taken if it is in hiragana where the name has kanji: the katakana of card
    games are other words.
    """
    names, read = [], []
    convert = _kakasi()
    for node in (*store.nodes("term"), *store.nodes("card")):
        readings = [label.text for label in node.labels if label.role == "reading"]
        for label in node.labels:
            if label.role == "reading" or label.text == "undefined" or len(label.text) < 3:
                continue
            names.append(Name(node.id, label.text))
            if label.lang != "ja" or not _KANJI.search(label.text):
                continue
            true = next((r for r in readings if _is_reading(r, label.text)), None)
            if true or (convert and not readings):
                reading = true or (convert(label.text) if convert else "")
                read.append(Name(node.id, label.text, reading, bool(true)))
    return names, read


def _is_reading(reading: str, name: str) -> bool:
    """Whether a stated reading has no more katakana than the name: it reads the kanji."""
    kana = re.findall("[ァ-ヺ]", reading)
    return len(kana) == len(re.findall("[ァ-ヺ]", name)) and _KANJI.search(reading) is None


def _kakasi() -> Callable[[str], str] | None:
    try:
        from pykakasi import kakasi
    except ImportError:
        return None
    converter = kakasi()
    return lambda name: "".join(part["hira"] for part in converter.convert(name))


def look_up(
    store: Store, names: Sequence[Name], typed: Callable[[Name], str], tally: Tally
) -> Tally:
    """Look names up as they are typed, and count."""
    for name in names:
        words = typed(name)
        began = time.process_time()
        found = similar_names(store, words)
        tally.times.append(time.process_time() - began)
        places = [name.node in {node.id for node in similar.nodes} for similar in found]
        tally.first += places[:1] == [True]
        tally.among_five += any(places)
        if not any(places):
            tally.missed.append((name.text, words))
    return tally


def measure(store: Store, number: int, seed: int) -> dict[str, Tally]:
    """Look up names in every way, and return the tallies by what was typed."""
    rng = Random(seed)
    names, read = names_of(store)
    japanese = [name for name in names if not name.text.isascii()]
    english = [name for name in names if name.text.isascii()]
    in_kana = [name for name in names if _KANA_ONLY.fullmatch(name.text)]
    stated = drawn([n for n in read if n.stated], number, rng)
    made = drawn([n for n in read if not n.stated], number, rng)
    styles = ("typed", "macrons", "short")
    similar_names(store, "ひく")  # loads what is loaded once

    def ask(names: Sequence[Name], typed: Callable[[Name], str]) -> Tally:
        return look_up(store, names, typed, Tally())

    def in_romaji(name: Name) -> str:
        return romaji(name.reading or name.text, rng.choice(styles))

    tallies = {
        "one slip, Japanese": ask(drawn(japanese, number, rng), lambda n: slip(n.text, rng)),
        "one slip, English": ask(drawn(english, number, rng), lambda n: slip(n.text, rng)),
        "the other kana": ask(
            drawn(in_kana, number, rng), lambda n: n.text.translate(_TO_HIRAGANA)
        ),
        "kana names in romaji": ask(drawn(in_kana, number, rng), in_romaji),
    }
    for what, readings in (("stated", stated), ("of pykakasi", made)):
        if readings:
            tallies[f"kana, reading {what}"] = ask(readings, lambda n: n.reading)
            tallies[f"romaji, reading {what}"] = ask(readings, in_romaji)
    return tallies


def without_stated_readings(path: Path, copy: Path) -> Path:
    """A copy of a knowledge base, in whose index no name is a reading that a page states."""
    shutil.copyfile(path, copy)
    with altering(copy) as db:
        db.execute(
            "DELETE FROM name_key WHERE name IN (SELECT text FROM label WHERE role = 'reading')"
        )
    return copy


def cold(path: Path, words: str) -> float:
    """Seconds that the command `show` takes in a process of its own; the median of five."""
    command = [sys.executable, "-c", "from kb.cli import main; main()"]
    times = []
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run([*command, "show", words, "--kb", str(path), "--json"], capture_output=True)
        times.append(time.perf_counter() - began)
    return median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="*", type=Path)
    parser.add_argument("--kb", type=Path)
    parser.add_argument("--names", type=int, default=300)
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--missed", action="store_true", help="print what was not found")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.kb or Path(folder) / "names.db"
        if given.sources:
            report = kb.build(given.sources, path)
            print(f"built in {report.seconds:.1f} s")
        with Store(path) as store:
            tallies = measure(store, given.names, given.seed)
            nodes, _, _ = store.counts()
        with Store(without_stated_readings(path, Path(folder) / "copy.db")) as store:
            again = measure(store, given.names, given.seed)
        tallies |= {f"{what}, left out": again[what] for what in again if what.endswith("stated")}
        print(f"{nodes['term'] + nodes['card']} terms and cards")
        for what, tally in tallies.items():
            print(f"{what:36} {tally}")
            if given.missed:
                print("   ", tally.missed[:25])
        for words in ("121.4", "ひいく", "hiku"):
            print(f"show {words}, cold: {1000 * cold(path, words):.0f} ms")


if __name__ == "__main__":
    main()
