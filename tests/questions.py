"""How well questions are answered, against questions written from reading the pages.

    python -m tests.questions [--show]

prints, a class of questions, how often a right passage comes first and among the first three, MRR
and nDCG@10, and how often a question is answered with nothing. A third is held out: `--show` prints
the mistakes in the others only. `python -m benchmarks.answers` puts other systems beside it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import kb
from tests.conftest import SHARED
from tests.ranking_measures import (
    MOST,
    SEVERAL,
    UNANSWERABLE,
    Entry,
    Result,
    place,
    share_of_needed,
    table,
)

_GOLD = Path(__file__).parent / "gold"
QUESTIONS = (_GOLD / "questions.jsonl", _GOLD / "questions_games.jsonl")
# Written for fitting alone, of some games and chapters: nothing is measured on them.
TRAINING = _GOLD / "training_questions.jsonl"
# Questions for other commands than `ask`, each with its kind, the names that it is about, and
# whether it is fitted to.
COMMANDS = _GOLD / "command_questions.jsonl"
# Games, and of the others a third of the chapters, of which no question is ever fitted to.
APART = frozenset({"riftbound", "shadowverse-evolve"})
_KEYWORDS = frozenset({"701", "702"})  # chapters of Magic with a chapter's worth in each section
_RULE_ID = re.compile(r"(?P<game>[a-z-]+)/cr/[^/]+/[a-z]{2}/(?P<number>[^/]+)")
_CAPTURES = (
    "seeds", "pages/mw119", "pages/puki147euc", "pages/wisdom-guild",
    "corpora/mtg-cr-en/MagicCompRules_20231117.txt",
)  # fmt: skip
SOURCES = {
    "captures": _CAPTURES,
    "rulebook": _CAPTURES,
    "games": (
        "seeds", "pages/mw119", "pages/puki147euc", "pages/wisdom-guild",
        "corpora/mtg-cr-ja", "corpora/mtg-cr-en/MagicCompRules_20260116.txt",
        "corpora/lorcana-cr-ja/comprehensive-rules-jp.20251031.txt", "corpora/lorcana-cr-en",
        "corpora/rulebooks-more",
    ),
    "training": (
        "corpora/mtg-cr-ja", "corpora/mtg-cr-en/MagicCompRules_20260116.txt",
        "corpora/lorcana-cr-ja-editions/comprehensive-rules-jp.20260501.txt",
        "corpora/rulebooks-more/lorcana-comprehensive-rules-2.2.0.en.txt",
        "corpora/rulebooks-third/duel-masters-rules-1.48.ja.md",
        "corpora/rulebooks-third/force-of-will-12.7.en.txt",
    ),
}  # fmt: skip
_ENGLISH = re.compile(r"[^#]*/en(?:[/#]|$)")  # the id of a rulebook's rule or passage
Case = dict[str, Any]


def all_cases() -> Iterator[Case]:
    """Yield the questions."""
    for path in QUESTIONS:
        yield from map(json.loads, path.read_text("utf-8").splitlines())


def cases() -> Iterator[Case]:
    """Yield the questions, without those on pages that are not here."""
    return (case for case in all_cases() if case["kb"] == "sample" or SHARED.is_dir())


def held_out(case: Case) -> bool:
    """Return whether a question is of the third that nobody tunes to."""
    return int(sha256(case["question"].encode()).hexdigest(), 16) % 3 == 0


def training_cases() -> Iterator[Case]:
    """Yield the questions that were written to fit to, if their pages are here."""
    if SHARED.is_dir():
        yield from map(json.loads, TRAINING.read_text("utf-8").splitlines())


def command_cases() -> list[Case]:
    """Return the questions that other commands answer, and some near them that rules answer."""
    return list(map(json.loads, COMMANDS.read_text("utf-8").splitlines()))


def fitted_to(case: Case) -> bool:
    """Return whether weights may be fitted to a question."""
    return not is_kept_apart(case) and (case["kb"] == "training" or not held_out(case))


def is_kept_apart(case: Case) -> bool:
    """Return whether a question is on a game, or a chapter, of which none is fitted to."""
    rules = list(filter(None, map(_RULE_ID.fullmatch, case["answers"])))
    return (
        case.get("game") in APART
        or any(rule["game"] in APART for rule in rules)
        or any(_is_chapter_apart(rule["game"], rule["number"]) for rule in rules)
    )


def _is_chapter_apart(game: str, number: str) -> bool:
    first, _, rest = number.partition(".")
    section = re.match(r"\d+", rest)
    if section and (game == "lorcana" or first in _KEYWORDS):
        first = f"{first}.{section[0]}"
    return int(sha256(f"{game} {first}".encode()).hexdigest(), 16) % 3 == 0


def base(name: str) -> kb.KnowledgeBase:
    """Return the knowledge base that a question is asked of, built when it is first asked for."""
    return kb.sample() if name == "sample" else _built(SOURCES[name], _folder())


def keep_bases(folder: Path) -> None:
    """Keep the knowledge bases in a folder, where vectors that are made for them stay, too.

    What is there already is built again only where its sources have changed. To be called before
    any base is asked for.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _kept.append(folder)


_kept: list[Path] = []


@cache
def _built(sources: tuple[str, ...], folder: Path) -> kb.KnowledgeBase:
    path = folder / f"{sha256(' '.join(sources).encode()).hexdigest()[:8]}.db"
    kb.build([SHARED / source for source in sources], path)
    return kb.open(path)


def _folder() -> Path:
    return _kept[-1] if _kept else Path(_temporary().name)


@cache
def _temporary() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="sansho-questions-")


def ask(case: Case) -> tuple[Entry, ...]:
    """Return what the first ten answers to a question stand for, best first."""
    return entries(base(case["kb"]).ask(case["question"], top=MOST))


def entries(answers: Iterable[kb.Answer]) -> tuple[Entry, ...]:
    """Return what answers stand for: their nodes and passages, and the same of other editions."""
    return tuple(
        frozenset(
            [one.node.id, one.passage.id]
            + [same for place in one.same for same in (place.passage, place.rule) if same]
        )
        for one in answers
    )


def class_of(case: Case) -> str:
    """Return the class that a question is counted in.

    A question that was written without one has it from what it asks and the languages of the
    question and of what answers it: a rulebook's language is in the id, wikis are Japanese.
    """
    if case["kind"] == "several":
        return SEVERAL
    if not case["answers"]:
        return UNANSWERABLE
    if "class" in case:
        return str(case["class"])
    if case["kb"] == "rulebook" and case["kind"] == "definition":
        return "definition"
    langs = {"en" if _ENGLISH.match(answer) else "ja" for answer in case["answers"]}
    lang = case["lang"]
    return f"everyday-{lang}" if lang in langs else f"{lang}-to-{langs.pop()}"


def result(case: Case, entries: Iterable[Entry], system: str = "sansho") -> Result:
    """Return the result of a question, of the answers that a system gave."""
    others = case.get("instead", {})
    needed = [frozenset([one, *others.get(one, ())]) for one in case.get("needed", ())]
    return Result(
        system,
        (
            class_of(case),
            "newer" if case["kb"] == "games" else "older",
            "held out" if held_out(case) else "seen",
        ),
        frozenset(case["answers"]),
        tuple(needed),
        tuple(entries),
    )


def is_mistake(one: Result) -> bool:
    """Return whether the first answer is wrong, not everything needed is there, or something is
    answered where nothing should be."""
    if one.of[0] == UNANSWERABLE:
        return bool(one.entries)
    if one.of[0] == SEVERAL:
        return share_of_needed(one.entries, one.needed) < 1
    return place(one.entries, one.right) != 1


def main(show: bool) -> None:
    """Print the table, and before it the mistakes in what is not held out if they are wanted."""
    results = []
    for case in cases():
        results.append(result(case, ask(case)))
        if show and not held_out(case) and is_mistake(results[-1]):
            at = place(results[-1].entries, results[-1].right)
            print(class_of(case), at, case["id"], case["question"], *case["answers"][:2])
    print(*table(results), sep="\n")


if __name__ == "__main__":
    main("--show" in sys.argv)
