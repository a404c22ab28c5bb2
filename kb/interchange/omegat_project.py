"""Makes a project folder for OmegaT: its settings, the glossary, and aligned texts as a memory.

OmegaT opens a folder that holds `omegat.project` and the folders that the settings name. What a
translator puts there (the texts in `source`, their own glossary and memory) is never touched: a
second export replaces the two files of sansho, and the settings only where there are none.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from graphs.store.atomic_file import open_output
from kb.errors import StoreError

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


def write_project(
    folder: str, langs: tuple[str, str], glossary: Write, memory: Write
) -> tuple[int, int]:
    """Make a folder a project of OmegaT, and return how many entries its glossary has, and how many
    units its memory.

    folder: it may be there already; a project of OmegaT in it keeps its settings.
    langs: source and target language.
    glossary, memory: write the two files, and return how many entries they wrote.

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
            out.write(_settings(*langs).encode())
    with open_output(str(base / GLOSSARY)) as out:
        entries = glossary(out)
    with open_output(str(base / MEMORY)) as out:
        units = memory(out)
    return entries, units


def _settings(source: str, target: str) -> str:
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
        "sentence_seg": "true",
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
