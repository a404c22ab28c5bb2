"""Which functions a text passes on its way: from bytes to an edge, from a question to the print.

    python -m benchmarks.ways [--list]

Follows one sentence of the bundled sample, as a debugger would: a function of sansho is on the way
if it is given the sentence, alone or within something larger, or returns it, or if it waits on the
stack while it is printed. Counts those functions, their files, and the classes of sansho that hold
the sentence between them; `--list` names them. What works on other things, or only reads the state
of its own object, is not counted.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from lxml import etree
from starlette.testclient import TestClient

import kb
from kb.cli.standard_streams import run
from kb.web.app import create_app

_SENTENCE = (
    "空のライブラリーから引こうとした"  # of the sample's page ライブラリーアウト, citing 704.5b
)
_RULE_TEXT = "残りが0枚のライブラリーから引こうとした"
_ROOT = Path(kb.__file__).parent.parent
_ROOMS = tuple(str(_ROOT / room) for room in ("kb", "graphs", "scraper"))
_DEEPEST = 6  # a page holds sections, these blocks, these runs of text: deeper nothing was found


@dataclass
class Way:
    """The functions, files and classes that a text passed.

    functions: of sansho's code. classes: of sansho, that held the text.
    """

    functions: set[CodeType] = field(default_factory=set)
    classes: set[type] = field(default_factory=set)

    @property
    def files(self) -> set[str]:
        """The paths of the functions' files, beside the repository's root."""
        return {code.co_filename[len(str(_ROOT)) + 1 :] for code in self.functions}


class _Follower:
    """Follows a text through calls, as a profiler's function."""

    def __init__(self, text: str) -> None:
        self._needles = (text, text.encode())
        self.way = Way()

    def __call__(self, frame: FrameType, event: str, value: Any) -> None:
        """Note a call or a return of sansho's code that has the text."""
        code = frame.f_code
        if event == "c_call" and getattr(value, "__name__", "") == "write":
            self._note_stack_if_printed(frame)
        if event not in ("call", "return") or not code.co_filename.startswith(_ROOMS):
            return
        values = [value] if event == "return" else _arguments(frame)
        if any(self._holds(each, _DEEPEST, set()) for each in values):
            self.way.functions.add(code)

    def _note_stack_if_printed(self, frame: FrameType) -> None:
        if not any(self._holds(each, 1, set()) for each in frame.f_locals.values()):
            return
        above: FrameType | None = frame
        while above:
            if above.f_code.co_filename.startswith(_ROOMS):
                self.way.functions.add(above.f_code)
            above = above.f_back

    def _holds(self, value: Any, depth: int, seen: set[int]) -> bool:
        if isinstance(value, str):
            return self._needles[0] in value
        if isinstance(value, bytes):
            return self._needles[1] in value
        if depth == 0 or id(value) in seen:
            return False
        seen.add(id(value))
        found = any(self._holds(part, depth - 1, seen) for part in _parts(value))
        if found and type(value).__module__.startswith(("kb", "graphs", "scraper")):
            self.way.classes.add(type(value))
        return found


def _arguments(frame: FrameType) -> Iterator[Any]:
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + 1]
    return (frame.f_locals[name] for name in names if name != "self" and name in frame.f_locals)


def _parts(value: Any) -> Iterator[Any]:
    """Yield what a collection or an object of sansho holds; of a tree of lxml its texts."""
    if isinstance(value, Mapping):
        yield from list(value.values())
    elif isinstance(value, list | tuple | set | frozenset):
        yield from list(value)
    elif isinstance(value, etree._Element):
        yield "".join(map(str, value.itertext()))
    elif type(value).__module__.startswith(("kb", "graphs", "scraper")):
        slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
        for name in (*slots, *getattr(value, "__dict__", ())):
            with suppress(AttributeError):
                yield getattr(value, name)


def follow(text: str, work: Callable[[], object]) -> Way:
    """Return the way that a text takes while work is done here and in new threads."""
    follower = _Follower(text)
    threading.setprofile(follower)  # the explorer answers in threads
    sys.setprofile(follower)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return follower.way


def _command(*words: str) -> Callable[[], object]:
    def work() -> None:
        out = os.dup(1)
        with Path(os.devnull).open("w") as nothing, suppress(SystemExit):
            os.dup2(nothing.fileno(), 1)  # commands write to the descriptor itself
            sys.argv = ["sansho", *words]
            try:
                run()
            finally:
                sys.stdout.flush()
                os.dup2(out, 1)
                os.close(out)

    return work


def ways(folder: str) -> Iterator[tuple[str, Way]]:
    """Yield (what was done, its way), of a base that is built in a folder."""
    base = str(Path(folder) / "sample.db")
    yield "bytes to the edge", follow(_SENTENCE, lambda: kb.build(kb=base, workers=1))
    yield "refs", follow(_SENTENCE, _command("refs", "704.5b", "--kb", base))
    yield "ask", follow(_SENTENCE, _command("ask", "空のライブラリーから引くと?", "--kb", base))
    client = TestClient(create_app(kb.ReopenedBase(base)), base_url="http://localhost")
    yield (
        "a node's page",
        follow(_RULE_TEXT, lambda: client.get("/ja/node/mtg/cr/20231117/ja/121.4")),
    )


def main() -> None:
    """Print the counts of each way, and with --list what is counted."""
    with tempfile.TemporaryDirectory() as folder:
        for name, way in ways(folder):
            counts = f"{len(way.functions)} functions, {len(way.files)} files"
            print(f"{name}: {counts}, {len(way.classes)} classes", flush=True)
            if "--list" in sys.argv:
                for code in sorted(way.functions, key=lambda each: each.co_filename):
                    print(f"    {code.co_filename[len(str(_ROOT)) + 1 :]} {code.co_qualname}")
                print("    classes:", ", ".join(sorted(each.__name__ for each in way.classes)))


if __name__ == "__main__":
    main()
