"""Sources that tests write: files with what a manifest says of them, and small rulebooks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import kb

Books = Mapping[tuple[str, str], str | bytes]  # {(edition, language): the text}


def described(folder: Path, files: Mapping[str, str | bytes], **stated: object) -> Path:
    """Write files, and the same of each of them into the manifest beside them, behind what stands
    there; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "manifest.jsonl").open("a", encoding="utf-8") as manifest:
        for name, content in files.items():
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
            manifest.write(json.dumps({"file": name, **stated}) + "\n")
    return folder


def base_of(sources: Sequence[Path] | Path, file: Path, **given: Any) -> kb.KnowledgeBase:
    """Build a knowledge base as `kb.build` does, and open it."""
    kb.build(sources, file, **given)
    return kb.open(file)


def base_of_files(folder: Path, files: Mapping[str, str | bytes], **given: Any) -> kb.KnowledgeBase:
    """Write files into a folder, build `kb.db` of the folder there, and open it."""
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return base_of([folder], folder / "kb.db", **given)


def wiki_source(folder: Path, pages: Mapping[str, str], site: str) -> Path:
    """Write pages of a PukiWiki, {title: source text}, into files that are named as it does."""
    files = {f"{title.encode().hex().upper()}.txt": text for title, text in pages.items()}
    return described(folder, files, site=site)


def rulebook(
    rules: Mapping[str, str], title: str = "Harbour Comprehensive Rules", glossary: str = ""
) -> str:
    """The text of a rulebook: numbers of sub-rules, which end in a letter, have no full stop."""
    lines = [
        f"{number} {text}" if number[-1].isalpha() else f"{number}. {text}"
        for number, text in rules.items()
    ]
    return "\n\n".join([title, *lines]) + f"\n{glossary}"


def write_books(folder: Path, books: Books, game: str = "harbour") -> Path:
    """Write rulebooks and a manifest of them alone; return the folder, to be built."""
    (folder / "manifest.jsonl").unlink(missing_ok=True)
    for (edition, lang), text in books.items():
        given = {"game": game, "lang": lang, "edition": edition, "site": "rulebook"}
        described(folder, {f"{game}.{edition}.{lang}.txt": text}, **given)
    return folder


def build_books(folder: Path, books: Books, game: str = "harbour") -> kb.KnowledgeBase:
    """Write rulebooks into a folder, build `kb.db` of them there, and open it."""
    return base_of([write_books(folder / "books", books, game)], folder / "kb.db", workers=1)
