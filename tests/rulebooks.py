"""Small rulebooks in several editions and languages, as files with a manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path


def write_books(folder: Path, books: Mapping[tuple[str, str], str], game: str = "harbour") -> Path:
    """Write rulebooks and their manifest; return the folder, to be built.

    books: {(edition, language): the text}
    """
    folder.mkdir(exist_ok=True)
    lines = []
    for (edition, lang), text in books.items():
        name = f"{game}.{edition}.{lang}.txt"
        (folder / name).write_text(text, "utf-8")
        entry = {"file": name, "game": game, "lang": lang, "edition": edition, "site": "rulebook"}
        lines.append(json.dumps(entry) + "\n")
    (folder / "manifest.jsonl").write_text("".join(lines), "utf-8")
    return folder
