"""Writes and reads glossaries of OmegaT: UTF-8, a line an entry, source, target and comment.

OmegaT reads `.txt` and `.utf8` as UTF-8, but `.tab` and `.tsv` in the charset of the system. It
splits lines at tabs and knows no quoting; it skips lines that begin with `#`. Several lines with
one source are shown as one entry with several targets, in the order of the lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from graphs.store.file.atomic_file import open_output
from kb.errors import SourceError, StoreError
from kb.interchange.lines_of_any_charset import text_lines
from kb.interchange.utx import NamePair, is_usable, on_one_line, pairs_of_all
from kb.termbase.model import Concept, Decision, Status

_PROPOSED = "admitted (proposed)"
# Characters of a definition, by hand: OmegaT shows a comment whole, so that more would hide what
# other terms of the segment have.
_LONGEST_MEANING = 200
_BETWEEN = " · "  # the parts of a comment
# As `write` begins a comment.
_STATUS = re.compile(r"(preferred|admitted) \([a-z ]+\)(?: · game ([^\s·]+))?(?: · |$)")
GLOSSARY = "glossary/sansho.utf8"
MEMORY = "tm/sansho.tmx"
_FOLDERS = ("source", "target", "omegat", "glossary", "tm", "dictionary")
_SETTINGS = "omegat.project"
_TOKENIZERS = {
    "ja": "LuceneJapaneseTokenizer",
    "en": "LuceneEnglishTokenizer",
    "zh": "LuceneSmartChineseTokenizer",
    "ko": "LuceneCJKTokenizer",
    "de": "LuceneGermanTokenizer",
    "fr": "LuceneFrenchTokenizer",
    "es": "LuceneSpanishTokenizer",
    "it": "LuceneItalianTokenizer",
    "pt": "LucenePortugueseTokenizer",
}
_OTHER_TOKENIZER = "DefaultTokenizer"

Write = Callable[[BinaryIO], int]


def write(
    concepts: Iterable[Concept],
    out: BinaryIO,
    langs: tuple[str, str],
    left_out: Counter[str] | None = None,
) -> int:
    """Write a glossary, and return how many entries it has.

    Each source name has a line with the best target name; the best source name has one with each
    further target name that may be used. A deprecated or forbidden target name is never offered:
    the comment names it behind `not:`. The comment also has the status, what it rests on, the game,
    the authority, the reading, the note and the beginning of a definition.

    Of a game's source name and target a single line is written, the best; lines of one source name
    are together, in the order in which a translator needs them: those of stated names before
    proposed ones, preferred targets first, and of these the one that passages have most often.

    langs: source and target language.
    left_out: as for `pairs_of_all`; OmegaT takes a line that begins with # for a remark.
    """
    # By game and source, then target; a game's own names don't wait behind another's.
    lines: dict[tuple[str | None, str], dict[str, _Line]] = {}
    for concept, pair in pairs_of_all(concepts, langs, True, left_out):
        line = _line(concept, pair)
        of_source = lines.setdefault((concept.game, on_one_line(pair.source.text)), {})
        known = of_source.setdefault(line.target, line)
        if line.rank < known.rank:
            of_source[line.target] = line
    for (_, source), of_source in lines.items():
        for line in sorted(of_source.values(), key=lambda each: each.rank):
            out.write(f"{source}\t{line.target}\t{line.comment}\n".encode())
    return sum(map(len, lines.values()))


class _Line(NamedTuple):
    """What a source name has in a line of a glossary. rank: of its lines, the lowest comes first:
    whether it is only proposed, not preferred, and how rarely passages have the target."""

    target: str
    comment: str
    rank: tuple[bool, bool, int]


def _line(concept: Concept, pair: NamePair) -> _Line:
    source, target = pair
    proposed = "proposed" in (source.why, target.why)
    rank = (proposed, target.status != "preferred", -target.count)
    return _Line(on_one_line(target.text), _comment(concept, pair), rank)


def _comment(concept: Concept, pair: NamePair) -> str:
    """Return what a translator should know of an entry, on one line with ` · `, as far as it is
    known: status, game, authority, reading, that the source name is not to be used, notes, names to
    avoid, a definition.

    The status is that of the target name; of an entry with a name on either side that is only
    proposed it is `admitted (proposed)`.
    """
    source, target = pair
    proposed = "proposed" in (source.why, target.why)
    reading = source.reading or target.reading
    avoided = [
        f"{name.text} ({name.status}{': ' if name.note else ''}{name.note})"
        for name in concept.names
        if name.lang == target.lang and not is_usable(name)
    ]
    parts = [
        _PROPOSED if proposed else f"{target.status} ({target.why})",
        f"game {concept.game}" if concept.game else "",
        target.authority,
        f"reading {reading}" if reading else "",
        "" if is_usable(source) else f"{source.text} is {source.status} ({source.why})",
        *dict.fromkeys((source.note, target.note)),
        f"not: {', '.join(avoided)}" if avoided else "",
        _meaning(concept, target.lang),
    ]
    return _BETWEEN.join(text for part in parts if (text := on_one_line(part)))


def _meaning(concept: Concept, lang: str) -> str:
    """Return the beginning of a concept's definition, the first in a language, else the first of
    all; empty without one."""
    found = sorted(concept.definitions, key=lambda one: one.lang != lang)[:1]
    text = on_one_line(found[0].text) if found else ""
    if len(text) > _LONGEST_MEANING:
        text = text[: _LONGEST_MEANING - 1] + "…"
    return f"means: {text}" if text else ""


def read(file: BinaryIO, name: str, langs: tuple[str, str]) -> Iterator[Decision]:
    """Yield a decision for each entry of a glossary: what a source name is called in the target
    language.

    The first target of a source name is preferred, further ones are admitted; a comment that
    `write` made tells the game, and of a first target the status. As in OmegaT, lines that begin
    with `#` and entries without a target are skipped.

    file: its charset is any that `text_lines` reads.
    name: of the file, for messages and `Decision.where`.
    langs: source and target language.

    Raises SourceError if the file can't be read, or has lines and none of them is an entry.

    >>> from io import BytesIO
    >>> entries = "引く\\tdraw\\n引く\\tpull\\tin old texts\\n".encode()
    >>> [(entry.name, entry.status) for entry in read(BytesIO(entries), "a.txt", ("ja", "en"))]
    [('draw', 'preferred'), ('pull', 'admitted')]
    """
    first_targets: dict[tuple[str | None, str], str] = {}  # of each game and source name
    first_line = 0
    for number, line in enumerate(text_lines(file, name), 1):
        if line.startswith("#") or not line.strip():
            continue
        first_line = first_line or number
        source, target, comment, *_ = [*map(str.strip, line.split("\t")), "", "", ""]
        if source and target:
            stated, game, note = _parse_comment(comment)
            is_first = first_targets.setdefault((game, source), target) == target
            status: Status = stated if is_first else "admitted"
            where = f"{name}:{number}"
            yield Decision(
                source,
                langs[1],
                target,
                status,
                note,
                game,
                where=where,
                is_proposed=comment.startswith(_PROPOSED),
            )
    if first_line and not first_targets:
        raise SourceError(
            f"{name}:{first_line}: no entry of a glossary; write source, tab, target on each line"
        )


def _parse_comment(comment: str) -> tuple[Status, str | None, str]:
    """Return the status and the game that a comment of `write` gives, and the rest of it.

    The status is `preferred` and the game None if the comment is another's.
    """
    if found := _STATUS.match(comment):
        return cast(Status, found[1]), found[2], comment[found.end() :]
    return "preferred", None, comment


def write_project(
    folder: str,
    langs: tuple[str, str],
    glossary: Write,
    memory: Write,
    sentences: bool = True,
) -> tuple[int, int]:
    """Make a folder a project of OmegaT, and return how many entries its glossary has, and how many
    units its memory.

    folder: it may be there already; a project of OmegaT in it keeps its settings.
    langs: source and target language.
    glossary, memory: write the two files, and return how many entries they wrote.
    sentences: whether OmegaT splits texts into sentences; else each text is a segment.

    Raises StoreError if the folder or a file can't be written.
    """
    base = Path(folder)
    try:
        for name in _FOLDERS:
            (base / name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder}: no folder can be made there: {error.strerror}") from error
    if not (base / _SETTINGS).exists():
        with open_output(str(base / _SETTINGS)) as out:
            out.write(_settings(*langs, sentences).encode())
    with open_output(str(base / GLOSSARY)) as out:
        entries = glossary(out)
    with open_output(str(base / MEMORY)) as out:
        units = memory(out)
    return entries, units


def _settings(source: str, target: str, sentences: bool) -> str:
    """Return the settings of a project: the usual folders, the languages and how to split words.

    source, target: the languages, such as `ja`; only letters, digits and hyphens of them count.
    """
    values = {
        "source_dir": "__DEFAULT__",
        "target_dir": "__DEFAULT__",
        "tm_dir": "__DEFAULT__",
        "glossary_dir": "__DEFAULT__",
        "glossary_file": "__DEFAULT__",
        "dictionary_dir": "__DEFAULT__",
        "source_lang": _code(source),
        "target_lang": _code(target),
        "source_tok": _tokenizer(source),
        "target_tok": _tokenizer(target),
        "sentence_seg": str(sentences).lower(),
        "support_default_translations": "true",
        "remove_tags": "false",
        "external_command": "",
    }
    lines = [f"    <{name}>{value}</{name}>" for name, value in values.items()]
    return "\n".join(
        (
            '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>',
            "<omegat>",
            '  <project version="1.0">',
            *lines,
            "  </project>",
            "</omegat>",
            "",
        )
    )


def _code(lang: str) -> str:
    """Return a language code as the settings have it.

    >>> _code("ja"), _code("zh-Hant"), _code("<x>")
    ('ja', 'zh-Hant', 'x')
    """
    return "".join(char for char in lang if char.isascii() and (char.isalnum() or char == "-"))


def _tokenizer(lang: str) -> str:
    name = _TOKENIZERS.get(lang.partition("-")[0], _OTHER_TOKENIZER)
    return f"org.omegat.tokenizer.{name}"
