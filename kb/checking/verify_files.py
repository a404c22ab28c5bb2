"""Verifies the citations in files: folders of them, in text, data and source code."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path

from graphs.model import Node
from graphs.store.reader import Store
from kb.checking.claims.claim import Claim
from kb.checking.claims.find_quotations import word_count
from kb.checking.code_text import is_code, written_words
from kb.checking.verify import LARGEST, LONGEST, KnownRules, Verification, text_to_verify, verify
from kb.errors import SourceError
from kb.reason import LeftOut, Reason
from kb.worker_pool import WorkerPool, default_workers
from scraper.rulebook.numbering import parent_number

# Folders of tools, whose files nobody writes by hand.
_NOT_ENTERED = frozenset(
    ".git .hg .svn .tox .nox .venv venv node_modules __pycache__ .mypy_cache .ruff_cache "
    ".pytest_cache target dist build .idea .gradle vendor".split()
)
_BINARY = frozenset(
    ".png .jpg .jpeg .gif .webp .ico .pdf .zip .gz .bz2 .xz .7z .tar .jar .class .o .a .so .dll "
    ".exe .pyc .woff .woff2 .ttf .otf .mp3 .mp4 .ogg .wav .db .sqlite .parquet .bin .lock".split()
)
_MOST_FILES = 100_000  # a guard
# Without any of these in it, a file cites and quotes nothing: most files of a project have none.
_MAY_CITE = re.compile(
    r"\d{1,4}[.,．_][\d０-９]|(?i:\brules?\b|\bCR\s?\d)|ルール|規則|§|[「『“]|総合|[０-９]{3}"
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked of each file."""

    kb: Path
    game: str | None
    edition: str | None
    lang: str | None
    against: str | None


def verify_files(
    store: Store,
    paths: Sequence[str | Path],
    game: str | None = None,
    edition: str | None = None,
    lang: str | None = None,
    against: str | None = None,
    workers: int | None = None,
) -> Verification:
    """Return what files cite and quote, each claim with its file and verdict, in the order of the
    files' names.

    paths: files, folders (with all below them, but for those of tools such as `.git`), and patterns
    such as `src/**/*.py`. Of source code comments and strings count. Files that are no text, or too
    large, are left out, and said.
    edition: that the files were written for; against: the one that should hold now; None for the
    newest.
    workers: processes; None for one a core, up to four.

    Raises SourceError if a path is not there, or names a file that can't be read as text.
    """
    named = {str(path) for path in paths}
    files = list(find_files(paths))
    asked = _Asked(store.path, game, edition, lang, against)
    claims: list[Claim] = []
    nodes: dict[str, Node] = {}  # each once: workers send copies
    texts: dict[str, str] = {}
    held: dict[str, Reason] = {}
    unread: list[str] = []
    also: dict[str, LeftOut] = {}
    left_out = 0
    with WorkerPool(workers or default_workers()) as pool:
        for file, found in zip(
            files, pool.map(_verifier, asked, files, os.path.getsize), strict=True
        ):
            if isinstance(found, str):
                if file in named:
                    raise SourceError(Reason("said", text=found))
                unread.append(found)
                continue
            for claim in found.claims:
                node = nodes.setdefault(claim.node.id, claim.node) if claim.node else None
                rule = texts.setdefault(claim.rule, claim.rule) if claim.rule else None
                claims.append(replace(claim, file=file, node=node, rule=rule))
            held.update((str(reason), reason) for reason in found.held_against)
            also.update((str(one.reason), one) for one in found.also if len(files) == 1)
            left_out += found.left_out
    if unread:
        reason = Reason("files_unread", count=len(unread), files=tuple(unread[:12]))
        also[str(reason)] = LeftOut(None, reason)
    return Verification(
        tuple(claims),
        dict(Counter(claim.verdict for claim in claims).most_common()),
        game,
        edition,
        tuple(held.values()),
        tuple(also.values()),
        left_out,
        files=len(files),
    )


def find_files(paths: Iterable[str | Path]) -> Iterator[str]:
    """Yield the files that paths name, sorted below each path, each once; links to folders are not
    followed.

    Raises SourceError for a path or pattern that names nothing, and for too many files.
    """
    seen: set[str] = set()
    for path in paths:
        found = list(_below(str(path)))
        if not found:
            raise SourceError(Reason("no_file_to_verify", path=str(path)))
        for file in found:
            if file not in seen:
                seen.add(file)
                yield file
        if len(seen) > _MOST_FILES:
            raise SourceError(Reason("too_many_files", most=_MOST_FILES))


def _below(path: str) -> Iterator[str]:
    if Path(path).is_file():
        yield path
    elif Path(path).is_dir():
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name not in _NOT_ENTERED)
            for name in sorted(names):
                file = Path(folder, name)
                if file.suffix.lower() not in _BINARY and file.is_file():
                    yield str(file)
    else:
        found = sorted(glob(path, recursive=True))  # noqa: PTH207  # Path.glob takes no "/…/*"
        yield from (file for file in found if Path(file).is_file())


def _verifier(asked: _Asked) -> Callable[[str], Verification | str]:
    """Return the function that verifies a file; it returns why a file can't be read."""
    store = Store(asked.kb)
    known = KnownRules(store, asked.against)

    def verified(file: str) -> Verification | str:
        try:
            with Path(file).open("rb") as opened:
                text = text_to_verify(opened.read(LARGEST + 1))
            if len(text) > LONGEST:
                raise SourceError(f"larger than {LARGEST >> 20} MB")
        except OSError as error:
            return f"{file}: " + (error.strerror or "can't be read")
        except SourceError as error:
            return f"{file}: {error}"
        of = asked.game, asked.edition, asked.lang, asked.against
        return verify_text_of_file(store, text, file, *of, known)

    return verified


def verify_text_of_file(
    store: Store,
    text: str,
    file: str,
    game: str | None,
    edition: str | None,
    lang: str | None,
    against: str | None,
    known: KnownRules,
) -> Verification:
    """Return what the text of a file cites and quotes, of source code its comments and strings;
    without what only looks like a claim.

    file: its name, by which its language is known. The others are as for `verify`.
    """
    # Most files have nothing that could cite or quote.
    text = written_words(file, text) if _MAY_CITE.search(text) else ""
    if not _MAY_CITE.search(text):
        return Verification(())
    found = verify(store, text, game, edition, lang, against, known, file)
    lines = text.split("\n")
    cited = {parent_number(one.number) for one in found.claims if one.number and one.node}
    code, is_data = is_code(file), file.lower().endswith(".sql")
    are_amounts = _are_amounts(found.claims)
    kept = (
        claim
        for claim in found.claims
        if not (are_amounts and _is_bare(claim))
        if not _is_chance(claim, code, is_data, lines[claim.line - 1], cited)
    )
    return replace(found, claims=tuple(kept))


_LED = re.compile(
    r"(?i)(?<![A-Za-z])(?:C\.?R\b|CR_|rules?(?![A-Za-z]))|ルール|規則|§|\d{3}[._]\d+[a-z]$"
)
_MONEY = re.compile(
    r"(?i)\b(?:prices?|euros?|dollars?|USD|EUR|GBP|JPY)\b|[€£¥￥]|\$\d|価格|値段|\d円"
)
_SAYS = re.compile(r"(?i)\b(?:rules?|rulebook|CR)\b[^.!?\n]{0,40}$|(?:ルール|規則)[^。\n]{0,20}$")
_COMMENT = re.compile(r"//|/\*|^\s*\*|#|--|;|%|<!")  # before a number: what begins a comment
_LONG = 12  # words, by hand: that so many are like a rule's is no chance


# Bare numbers in a file that tell what they are, and the share of them that no edition has, from
# which on they are prices, times or versions. By hand: of a list of rules a few may be misprinted.
_FEWEST_BARE, _NO_RULES = 10, 0.2


def _is_bare(claim: Claim) -> bool:
    """Whether a citation is a number alone, without a word or letter that says what it is."""
    return claim.kind == "citation" and not _LED.search(claim.text)


def _are_amounts(claims: Iterable[Claim]) -> bool:
    """Whether the bare numbers of a file are no citations: many of them are no rules."""
    bare = [claim for claim in claims if _is_bare(claim)]
    wrong = sum(claim.verdict == "not found" for claim in bare)
    return len(bare) >= _FEWEST_BARE and wrong >= _NO_RULES * len(bare)


def _is_chance(
    claim: Claim, code: bool, is_data: bool, line: str, cited: Collection[str | None]
) -> bool:
    """Whether something in a file only looks like a claim: a quotation of nothing that stands
    beside no citation, or in code; a bare number that no rule has, if it is an amount of money, or
    in code that cites no rule of its section, or in a string, and has no letter.

    is_data: whether the strings of the code are values. line: that it stands in. cited: what the
        numbers that are rules' in the file are part of.
    """
    if claim.stands or claim.verdict not in ("not found", "not loaded", "repaired"):
        return False
    if claim.kind == "quotation":
        is_marked = claim.cited or _SAYS.search(line, 0, max(0, claim.start - 1))
        is_like = claim.verdict == "repaired" and word_count(claim.text) >= _LONG
        return code or not (is_marked or is_like)
    if _LED.search(claim.text):
        return False
    if claim.verdict == "not found" and _MONEY.search(line):
        return True
    section = parent_number(claim.number or "")
    is_string = code and not is_data and not _COMMENT.search(line, 0, claim.start)
    return code and (section is None or section not in cited or is_string)
