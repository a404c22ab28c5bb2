"""What a knowledge base says of a text that is open in an editor, for one version of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, NamedTuple

import kb
from kb.checking.code_text import written_words
from kb.checking.proofreader import Proofreader, Repair
from kb.reason import Reason

LONGEST = 400_000  # characters of a text, by hand: a rulebook's third; more is verified by commands
SECONDS = 60  # for one version of a text: a guard, as a text of 200 lines takes a fifth of one
_UNREADABLE = re.compile("[\0\ud800-\udfff]")  # SQLite and UTF-8 have none of them
LINE_END = re.compile(r"\r\n|\r|\n")  # as the protocol has it; str.splitlines knows more
Problem = kb.Claim | kb.Finding


@dataclass(frozen=True, slots=True)
class Settings:
    """What a person says of the texts: in the options at the start, or in the editor's settings.

    game, edition, lang: as for `verify`: what they are about, were written for, and are held
        against.
    drafts: {path or pattern of a draft, below the folder that is open: path of the text that it
        translates, empty if the draft has both}. They are checked, too.
    """

    game: str | None = None
    edition: str | None = None
    lang: str | None = None
    drafts: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Any) -> Settings:
        """Return settings as a client gives them; None and empty texts are as if not given. Raises
        QuestionError for names that no setting has, and values of another type."""
        given = {} if given is None else given
        if not isinstance(given, dict):
            raise kb.QuestionError("no_editor_settings", given=type(given).__name__)
        values = {str(name): value for name, value in given.items() if value not in (None, "")}
        drafts = values.get("drafts", {})
        wrong = [name for name in values if name not in ("game", "edition", "lang", "drafts")]
        wrong += [n for n in ("game", "edition", "lang") if not isinstance(values.get(n, ""), str)]
        if not isinstance(drafts, dict) or not all(isinstance(one, str) for one in drafts.values()):
            wrong.append("drafts")
        if wrong:
            raise kb.QuestionError("no_editor_setting", names=tuple(wrong))
        return cls(**values)

    def original_of(self, file: str, root: str) -> str | None:
        """Return the path of the text that a draft translates, empty if the draft has both; None if
        a file is none of the drafts."""
        path = PurePath(file)
        own = path.relative_to(root) if root and path.is_relative_to(root) else path
        for pattern, original in self.drafts.items():
            if own.match(pattern):
                return str(PurePath(root, original)) if original else ""
        return None


class OpenBase:
    """The knowledge base that texts are held against, opened when it is first needed, and anew when
    its file was built again; with its proofreader for the settings."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._served: kb.ReopenedBase | None = None
        self._lock = Lock()
        self.settings = Settings()
        self._kept: tuple[kb.KnowledgeBase, Settings, Proofreader] | None = None

    def signature(self) -> object:
        """Return what changes with the file and with the settings."""
        try:
            found = self._path.stat()
        except OSError:
            return None, self.settings
        return (found.st_ino, found.st_mtime_ns, found.st_size), self.settings

    @contextmanager
    def opened(self) -> Iterator[tuple[kb.KnowledgeBase, Proofreader]]:
        """Give the base and its proofreader for a `with` block. Raises StoreError if it can't be
        opened, and QuestionError if it lacks a game, an edition or a language of the settings."""
        with self._lock:
            if self._served is None:
                self._served = kb.ReopenedBase(self._path)
        with self._served.base() as base:
            with self._lock:
                kept, settings = self._kept, self.settings
                if kept is None or kept[0] is not base or kept[1] != settings:
                    of = {"game": settings.game, "edition": settings.edition, "lang": settings.lang}
                    kept = self._kept = base, settings, base.proofreader(**of)
            yield base, kept[2]


class VerifiedText(NamedTuple):
    """One version of a text, verified or checked.

    lines: without their ends. words: the same with what a person wrote for people alone, of source
        code comments and strings. problems: what is to be shown. claims: what can be pointed at.
    repairs: of the problems, each to be done by itself. sure: those to be done together, of which
        nobody need look at any. game: that the text is about. note: why it was not read; None if it
        was.
    """

    text: str
    lines: Sequence[str]
    problems: tuple[Problem, ...] = ()
    claims: tuple[kb.Claim, ...] = ()
    repairs: tuple[Repair, ...] = ()
    sure: tuple[Repair, ...] = ()
    game: str | None = None
    note: Reason | None = None
    words: Sequence[str] = ()


def verified(base: OpenBase, text: str, file: str, limit: kb.TimeLimit) -> VerifiedText:
    """Return what a text cites and quotes; of one that is too long, or takes too long, a note.

    Raises OutOfTimeError if the limit was given up, and what `OpenBase.opened` raises.
    """
    lines = LINE_END.split(text)
    if len(text) > LONGEST:
        return VerifiedText(text, lines, note=Reason("editor_text_too_long", most=LONGEST))
    limit.begin()
    readable = "\n".join(LINE_END.split(_UNREADABLE.sub("\ufffd", text)))
    try:
        with base.opened() as (_, reader), kb.limited(limit):
            found = reader.verify(readable, file)
            problems = found.problems.claims
            repairs = tuple(reader.repairs(text, problems, file))
    except kb.OutOfTimeError:
        if limit.is_given_up:
            raise
        return VerifiedText(text, lines, note=Reason("editor_took_too_long", seconds=SECONDS))
    words = written_words(file, readable).split("\n")
    sure = tuple(one for one in repairs if one.sure)
    return VerifiedText(text, lines, problems, found.claims, repairs, sure, found.game, words=words)


def checked(
    base: OpenBase, text: str, file: str, original: str, limit: kb.TimeLimit
) -> VerifiedText | None:
    """Return where a draft departs from the termbase, the rules and its original; None if a newer
    version waits already. What was begun comes to its end: the first check reads what all need.

    original: its path; empty for none. Raises what `KnowledgeBase.check` raises.
    """
    lines = LINE_END.split(text)
    if len(text) > LONGEST or limit.is_given_up:
        return None
    with TemporaryDirectory(prefix="sansho-") as folder, base.opened() as (_, reader):
        draft = Path(folder, PurePath(file).name or "draft.txt")  # its suffix says its format
        draft.write_bytes(_UNREADABLE.sub("\ufffd", text).encode())
        found = reader.check(draft, original or None).problems
        repairs = tuple(reader.repairs(text, found))
        return VerifiedText(text, lines, found, repairs=repairs, sure=repairs)


def new_limit() -> kb.TimeLimit:
    """Return how long one version of a text may take."""
    return kb.TimeLimit(SECONDS)


def not_overlapping(repairs: Iterable[Repair]) -> Iterator[Repair]:
    """Yield repairs by their places, without those that write where one before them does."""
    end = (0, 0)
    for repair in sorted(repairs, key=lambda one: one.edits[0][:2]):
        if repair.edits[0][:2] >= end:
            yield repair
            end = repair.edits[-1][2:4]
