"""Odd questions to the bundled sample, by the command line and from Python."""

from __future__ import annotations

import contextlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import kb
from benchmarks.fuzz import commands, hostile, mutators
from benchmarks.fuzz.case import Case, Piece

_COMMANDS = ("show", "refs", "path", "top", "search", "kwic", "ask", "compare", "diff", "trace",
             "align", "steps", "outcomes", "terms", "audit", "stats", "draw", "export")  # fmt: skip
_OPTIONS = (
    "--game", "--lang", "--edition", "--kind", "--source", "--depth", "--max", "--direction",
    "--json", "--tree", "--mentions", "--cites", "--linked", "--mentioned", "--with-parts",
    "--format", "--dangling", "--from", "--to", "--title", "--section", "--help",
)  # fmt: skip
_REFS = (
    "引く", "121.4", "手札", "mtg/term/引く", "mtg/cr/20231117/ja/121.4", "mtgwiki/引く#ルール",
    "mtgwiki/引く¶1", "ドロー", "draw", "hiku", "Draw", "20231117", "ja", "mtg", "704.5a-c",
    "CR 121", "http://mtgwiki.com/wiki/%E5%BC%95%E3%81%8F", "カードを引く", "library AND hand",
    "手札 -カード",
)  # fmt: skip
_QUESTIONS = ("show", "refs", "top", "path", "search", "kwic", "ask", "compare", "diff", "trace",
              "align", "steps", "outcomes", "terms", "audit", "nodes", "parts",
              "opening")  # fmt: skip
_KEYWORDS = (
    "game",
    "lang",
    "edition",
    "source",
    "kind",
    "most",
    "depth",
    "direction",
    "tree",
    "mentions",
)


@dataclass(frozen=True, slots=True)
class Queries:
    """A command and its words; half of the time they are asked of the Python objects."""

    name: str = "queries"
    cases: int = 5_000
    divisible: bool = True

    def make(self, random: Random) -> Case:
        """Return a question and its arguments, each a piece."""
        if random.random() < 0.5:
            first = Piece("python", random.choice(_QUESTIONS).encode())
            words = [_word(random) for _ in range(random.choice((0, 1, 1, 1, 2, 3)))]
            named = [
                Piece(random.choice(_KEYWORDS), _word(random))
                for _ in range(random.choice((0, 0, 1, 2)))
            ]
            return (first, *(Piece("word", word) for word in words), *named)
        first = Piece("command", random.choice(_COMMANDS).encode())
        words = [_word(random) for _ in range(random.choice((0, 1, 1, 2, 3)))]
        for _ in range(random.choice((0, 0, 1, 2))):
            words += [random.choice(_OPTIONS).encode(), _word(random)]
        return (first, *(Piece("word", word) for word in words))

    def check(self, case: Case) -> None:
        """Ask; an answer or an error for people is all right."""
        if not case or case[0].name not in ("command", "python"):
            return  # what is left of a case without its question
        texts = [piece.data.decode("utf-8", "surrogateescape") for piece in case]
        with contextlib.ExitStack() as stack:
            if case[0].name == "command":
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="sansho-fuzz-"))
                stack.enter_context(contextlib.chdir(folder))
                _ask_command(texts, Path(folder))
            else:
                base = stack.enter_context(kb.sample())
                _ask_python(base, case, texts)

    def seconds(self, case: Case) -> float:
        """Return how long an answer may take."""
        return 4


def _word(random: Random) -> bytes:
    """Return a reference, a hostile piece, a value of a wrong type, or a mixture."""
    choice = random.random()
    word = random.choice(_REFS).encode()
    if choice < 0.35:
        return word
    if choice < 0.55:
        return hostile.piece(random)
    if choice < 0.7:
        return random.choice(
            (b"-1", b"0", b"1", b"9" * 30, b"1e9", b"all", b"", b"None", b"x" * 3000)
        )
    return random.choice(mutators.BYTES)(random, word + b" " + random.choice(_REFS).encode())


def _ask_command(words: list[str], folder: Path) -> None:
    if words[0] in ("draw", "export"):
        words = [*words, "--out", str(folder / "out.svg" if words[0] == "draw" else "out.jsonl")]
    with kb.sample() as base:
        path = str(base.file)
        commands.run([*words, "--kb", path])


def _ask_python(base: kb.KnowledgeBase, case: Case, texts: list[str]) -> None:
    named: dict[str, Any] = {}
    words = []
    for piece, text in zip(case[1:], texts[1:], strict=True):
        value = int(text) if text.lstrip("-").isdecimal() and len(text) < 40 else text
        if piece.name == "word":
            words.append(text)
        else:
            named[piece.name] = value
    try:
        answer = getattr(base, texts[0])(*words, **named)
        repr(answer)
        if hasattr(answer, "as_json"):
            answer.as_json()
    except (kb.QuestionError, kb.StoreError):
        pass
    except TypeError as error:
        if "argument" not in str(error):  # the call itself does not fit the question
            raise
