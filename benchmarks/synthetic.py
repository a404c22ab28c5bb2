"""Writes wikis of any size, in the markup of real engines and of nobody's text.

    python -m benchmarks.synthetic PAGES FOLDER [SEED] [--shards N --form parquet|warc]

Half of the pages are a MediaWiki 1.19's, as MTG Wiki is; three in ten are a PukiWiki 1.4.7's in
EUC-JP, as Yu-Gi-Oh's wiki is; the rest are a PukiWiki's own files, as a dump of Duel Masters'
wiki would be. A rulebook comes with them, which the first wiki cites. `sansho build FOLDER` reads
all of it. The same number and seed give the same bytes.

The pages are files, each in its wiki's folder; or, with `--shards`, rows or records of so many
files (`benchmarks.shards`), each with its part of every wiki.

Links and names go to pages by Zipf's law: to the second half as often as to the first, to the
third a third as often. Some go to pages that are missing. Sizes of pages have a long tail. Half
of the pages are cards'. One MediaWiki page in twenty is a redirect.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from random import Random

from benchmarks.markup import (
    Article,
    Block,
    Kind,
    mediawiki,
    mediawiki_title,
    pukiwiki,
    pukiwiki_file,
    pukiwiki_name,
    pukiwiki_source,
)
from benchmarks.prose import (
    ANSWERS,
    CELLS,
    CONCEPTS,
    OPENINGS,
    QUESTIONS,
    SENTENCES,
    TITLES,
    Link,
    Patterns,
    Run,
    made_up,
    sentence,
)
from benchmarks.shards import WRITERS, ServedPage

_WIKIS = ("mtgwiki", "yugioh-wiki", "dmwiki")
_YUGIOH, _DUEL_MASTERS = "https://yugioh-wiki.net/index.php", "https://dm-wiki.com/"
_SECTIONS: tuple[tuple[str, Kind], ...] = (
    ("解説", "paragraph"), ("ルール", "item"), ("手順", "step"), ("一覧", "row"),
    ("FAQ", "paragraph"),
)  # fmt: skip
_LINKED = 0.5  # of the terms that a sentence names
_CITING = 0.2  # of the passages of the wiki that has a rulebook
_REDIRECTS = 20  # one page in so many
_FEWEST_RULES, _MOST_RULES = 100, 3000  # real rulebooks have about the second
_FEWEST, _MOST = 2, 60  # passages of a page, beside what each has


@dataclass(frozen=True, slots=True)
class Wiki:
    """One of the wikis. A page is known by its rank, the most popular being 0; ranks beyond the
    last are of pages that are missing."""

    source: str
    pages: int
    rules: int
    seed: int

    def made_up(self, rank: int) -> tuple[str, str, bool]:
        """What a page is on: the name, the English name, whether it is a card."""
        if rank < len(CONCEPTS):
            return CONCEPTS[rank], "", False
        return made_up(len(_WIKIS) * rank + _WIKIS.index(self.source))

    def name(self, rank: int) -> str:
        """The name of a page, as its wiki writes it."""
        headword, english, card = self.made_up(rank)
        if not card:
            return headword
        return f"{headword}/{english}" if self.source == "mtgwiki" else f"《{headword}》"

    def redirects(self, rank: int) -> bool:
        """Whether a page only leads on to another."""
        return self.source == "mtgwiki" and rank >= len(CONCEPTS) and rank % _REDIRECTS == 1

    def link(self, rng: Random) -> Link:
        """A link by Zipf's law."""
        rank = int((2 * self.pages) ** rng.random()) - 1
        return Link(self.name(rank), rank < self.pages, self.redirects(rank))

    def article(self, rank: int) -> Article:
        """A page; for a redirect the page that it leads to, as it is served then."""
        if self.redirects(rank):
            target = rank // 2 - self.redirects(rank // 2)
            return replace(self.article(target), redirected_from=self.name(rank))
        headword, english, card = self.made_up(rank)
        writer = _Writer(self, Random(f"{self.seed} {self.source} {rank}"))
        blocks = (*writer.box(headword, english, card), *writer.blocks())
        return Article(self.name(rank), headword, english, rank + 1, blocks)


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes one page."""

    wiki: Wiki
    rng: Random

    def linked(self) -> Run:
        link = self.wiki.link(self.rng)
        return link if self.rng.random() < _LINKED else link.name.partition("/")[0]

    def unlinked(self) -> Run:
        return self.wiki.link(self.rng).name.partition("/")[0]

    def plain(self, patterns: Patterns) -> str:
        return "".join(map(str, sentence(patterns, self.rng, self.unlinked)))

    def text(self) -> list[Run]:
        """A sentence or two, and at times the rule that says so."""
        runs = sentence(SENTENCES, self.rng, self.linked)
        if self.rng.random() < 0.5:
            runs += sentence(SENTENCES, self.rng, self.linked)
        if self.wiki.source == "mtgwiki" and self.rng.random() < _CITING:
            runs.append(f"(CR:{rule_number(int(self.wiki.rules ** self.rng.random()) - 1)})")
        return runs

    def box(self, headword: str, english: str, card: bool) -> Iterator[Block]:
        """What is printed on a card, as its wiki shows it; of what is no card nothing."""
        if not card:
            return
        lines = {
            "mtgwiki": (f"{english} / {headword}", "クリーチャー"),
            "yugioh-wiki": ("効果モンスター", "星４/光属性/戦士族/攻1800/守1000"),
            "dmwiki": (f"{headword}　C　水文明　(3)", "クリーチャー：リキッド　2000"),
        }[self.wiki.source]
        yield Block("box", (*lines, self.plain(SENTENCES)))

    def blocks(self) -> Iterator[Block]:
        """All else: what it is, sections, links."""
        yield Block("lead", (*sentence(OPENINGS, self.rng, self.linked), *self.text()))
        left = min(_MOST, max(_FEWEST, round(self.rng.lognormvariate(1.8, 0.6))))
        first = self.rng.randrange(len(_SECTIONS))
        for number in count():
            title, kind = _SECTIONS[(first + number) % len(_SECTIONS)]
            again = number // len(_SECTIONS)
            yield Block("heading", (f"{title}{again + 1}" if again else title,))
            many = min(left, 1 + self.rng.randrange(5))
            yield from (Block(kind, tuple(self.runs(title, kind))) for _ in range(many))
            left -= many
            if not left:
                break
        yield Block("heading", ("関連リンク",))
        for _ in range(1 + self.rng.randrange(4)):
            yield Block("item", (self.wiki.link(self.rng),))

    def runs(self, title: str, kind: Kind) -> list[Run]:
        if title == "FAQ":
            asked = sentence(QUESTIONS, self.rng, self.linked)
            return ["Ｑ：", *asked, f"\nＡ：{self.plain(ANSWERS)}"]
        if kind == "row":
            return [self.linked(), self.plain(CELLS), self.plain(CELLS)]
        return self.text()


def rule_number(place: int) -> str:
    """The number of the rule at a place: six to a section, each with a sub-rule.

    >>> [rule_number(place) for place in (0, 1, 2, 12)]
    ['100.1', '100.1a', '100.2', '101.1']
    """
    section, within = divmod(place, 12)
    return f"{100 + section}.{within // 2 + 1}{'a' * (within % 2)}"


def rulebook(wiki: Wiki) -> bytes:
    """The rules that a wiki cites, as a text file."""
    writer = _Writer(wiki, Random(f"{wiki.seed} rules"))
    plain, rng = writer.plain, writer.rng
    lines = [
        "マジック：ザ・ギャザリング　総合ルール",
        "　測るための作り物。2025-01-01 発効の版とする。",
    ]
    for place in range(wiki.rules):
        if place % 1200 == 0:
            lines.append(f"{1 + place // 1200}. {plain(TITLES)}")
        if place % 12 == 0:
            lines.append(f"{100 + place // 12}. {plain(TITLES)}")
        number = rule_number(place)
        dot = "." if number[-1].isdigit() else ""
        cited = rule_number(rng.randrange(wiki.rules))
        see = f"rule {cited} 参照。" if rng.random() < 0.3 else ""
        lines.append(f"{number}{dot} {plain(SENTENCES)}{see}")
    return "\n".join(lines).encode()


def served(wiki: Wiki, rank: int) -> ServedPage:
    """A page as its wiki serves it, or as a dump has it."""
    name, article = wiki.name(rank), wiki.article(rank)
    if wiki.source == "mtgwiki":
        return ServedPage(
            f"mtgwiki/{rank:06}.html",
            f"http://mtgwiki.com/wiki/{mediawiki_title(name)}",
            "text/html; charset=UTF-8",
            mediawiki(article),
        )
    if wiki.source == "yugioh-wiki":
        return ServedPage(
            f"yugioh-wiki/{rank:06}.html",
            f"{_YUGIOH}?{pukiwiki_name(name)}",
            "text/html; charset=EUC-JP",
            pukiwiki(article, _YUGIOH, "遊戯王カードWiki"),
        )
    return ServedPage(
        f"dmwiki/{pukiwiki_file(name)}",
        f"{_DUEL_MASTERS}?{pukiwiki_name(name)}",
        "text/plain; charset=EUC-JP",
        pukiwiki_source(article),
    )


def wikis(pages: int, seed: int = 1) -> list[Wiki]:
    """The three wikis that have so many pages in all."""
    rules = min(_MOST_RULES, max(_FEWEST_RULES, pages // 10))
    shares = (pages - pages * 3 // 10 - pages * 2 // 10, pages * 3 // 10, pages * 2 // 10)
    return [Wiki(source, share, rules, seed) for source, share in zip(_WIKIS, shares, strict=True)]


def write(pages: int, folder: Path, seed: int = 1) -> None:
    """Write wikis with so many pages in all, and a manifest, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    made = wikis(pages, seed)
    (folder / "rules.txt").write_bytes(rulebook(made[0]))
    with (folder / "manifest.jsonl").open("w", encoding="utf-8") as manifest:
        for wiki in made:
            (folder / wiki.source).mkdir(exist_ok=True)
            for rank in range(wiki.pages):
                page = served(wiki, rank)
                (folder / page.file).write_bytes(page.data)
                entry = {
                    "file": page.file,
                    "url": page.url,
                    "status": 200,
                    "headers": {"content-type": page.content_type},
                }
                manifest.write(json.dumps(entry, ensure_ascii=False) + "\n")


def write_shards(pages: int, folder: Path, seed: int = 1, *, shards: int, form: str) -> None:
    """Write the same wikis as so many files, and the rulebook beside them, into a folder.

    form: of the files, as `benchmarks.shards.WRITERS` names them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made = wikis(pages, seed)
    (folder / "rules.txt").write_bytes(rulebook(made[0]))
    write_file, ending = WRITERS[form]
    for number in range(shards):
        path = folder / f"shard-{number + 1:05}{ending}"
        write_file(path, _pages_of_shard(made, number, shards))


def _pages_of_shard(made: list[Wiki], number: int, shards: int) -> Iterator[ServedPage]:
    """Yield a shard's part of each wiki: pages that follow each other. number: counted from 0."""
    for wiki in made:
        first, end = (wiki.pages * one // shards for one in (number, number + 1))
        yield from (served(wiki, rank) for rank in range(first, end))


def main() -> None:
    """Write what the command line asks for."""
    parser = argparse.ArgumentParser(description="Writes wikis of any size.")
    parser.add_argument("pages", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--shards", type=int, help="write so many files, not one a page")
    parser.add_argument("--form", choices=sorted(WRITERS), default="parquet")
    given = parser.parse_args()
    if given.shards:
        write_shards(given.pages, given.folder, given.seed, shards=given.shards, form=given.form)
    else:
        write(given.pages, given.folder, given.seed)


if __name__ == "__main__":
    main()
