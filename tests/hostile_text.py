"""Sources in which every text tries to control the terminal that it is shown on."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from random import Random

# What terminals obey: titles, clipboards, clearing, links, queries that they answer, characters of
# both control blocks, and what turns the direction of the text that follows.
SEQUENCES = (
    "\x1b]0;title\x07", "\x1b]0;title\x1b\\", "\x1b]52;c;cm0=\x07", "\x1b[2J\x1b[H", "\x1bc",
    "\x1b]8;;http://evil.example/\x1b\\link\x1b]8;;\x1b\\", "\x1b[6n", "\x1b[5;41m", "\x1b[8m",
    "\x1bP$q\"p\x1b\\", "\x1b_Gi=1\x1b\\", "\x1b^x\x1b\\", "\x1bX\x1b\\", "\x1b[?1049h", "\x1b(0",
    "\x9b31m", "\x9d0;t\x9c", "\x90q\x9c", "\x85", "\x8d", "\x08\x08\x08", "\x7f", "\x0e", "\x0f",
    "\x07", "\x05", "\x0b", "\x0c", "\r", "\u202egnp", "\u202a", "\u2066", "\u2067x", "\u2068",
    "\u2028", "\u2029", "\u061c", "\u200e", "\u200f", "\U000e0001\U000e0041",
)  # fmt: skip


def hostile(text: str, rng: Random) -> str:
    """Return a text with a few sequences in it, at its beginning, inside and at its end."""
    for _ in range(rng.randint(1, 4)):
        place = rng.randint(0, len(text))
        text = text[:place] + rng.choice(SEQUENCES) + text[place:]
    return text


def write_sources(folder: Path, seed: int) -> list[Path]:
    """Write sources of several kinds into a folder, and return their paths.

    Everything in them that may be shown is hostile: titles, headings, terms, links, addresses,
    rules, headwords, names, notices and names of files.
    """
    rng = Random(seed)

    def text(words: str) -> str:
        return hostile(words, rng)

    pages = folder / "pages"
    pages.mkdir()
    manifest = []
    for number in range(6):
        name = text(f"用語{number}")
        title = escape(name)
        body = "".join(
            f"<h2>{escape(text('ルール'))}</h2><p>{escape(text('プレイヤーは'))}"
            f'<a href="/wiki/{escape(text("引く"))}" title="{escape(text("引く"))}">'
            f"{escape(text('引く'))}</a>{escape(text('ことができる。もし手札がないなら、負ける。'))}"
            f"(CR:121.{part})</p><ol><li>{escape(text('カードを引く。'))}"
            f"<li>{escape(text('手札を捨てる。'))}</ol>"
            for part in range(1, 4)
        )
        file = pages / f"{text(f'p{number}').replace('/', '')}.html"
        file.write_text(
            f'<html><head><title>{title}</title></head><body><h1 id="firstHeading">{title}</h1>'
            f'<div id="bodyContent"><p><b>{title}</b>（{escape(text("Term"))}）とは、'
            f"{escape(text('カードを動かすことである。'))}</p>{body}</div></body></html>",
            "utf-8",
        )
        url = f"http://mtgwiki.com/wiki/{text('用語')}{number}"
        manifest.append(
            {"file": file.name, "url": url, "notice": text("注意書き"), "taken": text("2026")}
        )
    (pages / "manifest.jsonl").write_text("".join(f"{json.dumps(m)}\n" for m in manifest), "utf-8")
    return [pages, *_rulebooks(folder, text), _names(folder, text)]


def _rulebooks(folder: Path, text: Callable[[str], str]) -> list[Path]:
    """Write two editions of a rulebook with a glossary."""
    books = []
    for year in (2023, 2024):
        rules = "\n\n".join(
            f"{chapter}. {text('Drawing')}\n\n"
            + "\n\n".join(
                f"{chapter}.{rule}. {text('A player draws a card; see rule 100.1.')}"
                f"{year if rule == 2 else ''}"
                for rule in range(1, 6)
            )
            for chapter in (100, 101, 121)
        )
        glossary = "\n\n".join(
            f"{text(word)}\n{text('To move a card. See rule 121.')}" for word in ("Draw", "Hand")
        )
        book = folder / f"book{year}.txt"
        book.write_text(
            f"Magic: The Gathering Comprehensive Rules\n\nThese rules are effective as of "
            f"November 17, {year}\n\n1. {text('Concepts')}\n\n{rules}\n\nGlossary\n\n{glossary}\n",
            "utf-8",
        )
        books.append(book)
    return books


def _names(folder: Path, text: Callable[[str], str]) -> Path:
    """Write a bilingual list of names."""
    names = folder / "names.tsv"
    rows = [f"{text(f'Forest {n}')}\t{text(f'森{n}')}" for n in range(8)]
    clean = [row.replace("\r", "").replace("\x0b", "").replace("\x0c", "") for row in rows]
    names.write_text("English\tJapanese\n" + "\n".join(clean) + "\n", "utf-8")
    return names
