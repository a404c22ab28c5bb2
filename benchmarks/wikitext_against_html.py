"""How far the pages read from wikitext agree with the same pages read from served HTML.

    python benchmarks/wikitext_against_html.py [FOLDER ...] [--show]

The texts of passages are compared as multisets, apart from titles and redirects. Set aside,
because no reader of the source can know it: what the engine put in the place of a template
(`SET_ASIDE` says which and why), and the marks of footnotes, which one of the two test wikis
numbers and the other, having no footnotes, shows as source.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from scraper import Hints, Page, Snapshot, snapshots
from scraper.decode import decode
from scraper.markup import parse
from scraper.sites import mediawiki, wikitext

SHARED = Path(__file__).parent.parent.parent / "shared" / "pages"
SET_ASIDE = (  # what must be in the source, the elements that come of it, why
    ("{{#card:", '//div[@class="card"]', "box of a card: from the site's card database"),
    ("{{#card:", '//*[contains(text(),"は見つかりませんでした")]', "answer of the card database"),
    ("{{Otheruses|", '//div[@class="noprint"]', "expansion of a template"),
    ("{{Otheruses|", '//ul[.//div[@class="noprint"]]/following-sibling::ol[1]', "the same, parted"),
    (
        "{{存在しない",
        '//a[@class="new"][starts-with(.,"テンプレート:存在しない")]',
        "no such template",
    ),
    ("{{PAGENAME}}", '//div[@class="noprint"]/b', "the page's name, put in by the engine"),
    ("{{情報ボックス", '//table[contains(@class,"infobox")]', "expansion of a template"),
    ("", '//*[@id="mw-pages" or @id="mw-subcategories"]', "list that a category page is given"),
)
_FOOTNOTE = re.compile(r"<ref[^<>]*>(.*?)</ref>")  # as a wiki without footnotes shows it
_FOOTNOTE_MARK = re.compile(r"<ref[^<>]*>.*?</ref>|<ref[^<>]*/>|<references />|\[\d+\]")


@dataclass(frozen=True)
class Compared:
    """A page in both forms, and how many of all their passages agree."""

    folder: str
    name: str
    ours: Page
    theirs: Page

    @property
    def texts(self) -> tuple[Counter[str], Counter[str]]:
        return _texts(self.ours), _texts(self.theirs)

    @property
    def agreed(self) -> int:
        ours, theirs = self.texts
        return sum((ours & theirs).values())

    @property
    def passages(self) -> int:
        ours, theirs = self.texts
        return sum((ours | theirs).values())


def compared(folder: Path, set_aside: bool = True) -> list[Compared]:
    """Every page of a folder that is kept in both forms and is no redirect."""
    shots = {Path(s.where).name: s for s in snapshots(folder, Hints()) if isinstance(s, Snapshot)}
    found = []
    for name, shot in sorted(shots.items()):
        html = shots.get(name.replace("raw_", "page_", 1).replace(".wiki", ".html"))
        if not name.startswith("raw_") or html is None:
            continue
        text = decode(shot.data, shot.content_type).text
        (ours,) = wikitext.read(shot, text)
        theirs = [page for page in _html(html, text if set_aside else None)
                  if page.name == ours.name]  # fmt: skip
        if theirs and ours.redirect is None:
            found.append(Compared(folder.name, name, ours, theirs[-1]))
    return found


def _html(shot: Snapshot, source: str | None) -> list[Page]:
    text = decode(shot.data, shot.content_type).text
    root = parse(text)
    for sign, path, _ in SET_ASIDE:
        for element in root.xpath(path) if source is not None and sign in source else ():
            element.clear(keep_tail=True)
    return mediawiki.read(shot, text, root)


def _texts(page: Page) -> Counter[str]:
    kept = [p.text for p in page.passages if p.kind != "title"]
    kept += [note for text in kept for note in _FOOTNOTE.findall(text)]
    texts = (_FOOTNOTE_MARK.sub("", text).strip() for text in kept)
    return Counter(text for text in texts if text)


def same_passages(page: Compared) -> list[bool]:
    """Of passages whose text is once in each form: whether all else of them agrees too."""

    def known(page: Page) -> dict[str, tuple[object, ...]]:
        once = Counter(p.text for p in page.passages)
        return {
            p.text: (p.kind, p.depth, p.ordinal, p.head, p.ruby, p.strong,
                     page.sections[p.section].level, page.sections[p.section].anchor,
                     [(k.start, k.end, k.kind.replace("missing", "page"), k.target, k.anchor)
                      for k in p.links])
            for p in page.passages if once[p.text] == 1 and p.kind != "title"
        }  # fmt: skip

    ours, theirs = known(page.ours), known(page.theirs)
    if "--detail" in sys.argv:
        for text in ours.keys() & theirs.keys():
            if ours[text] != theirs[text]:
                for a, b in zip(ours[text], theirs[text], strict=True):
                    if a != b:
                        print("   *", text[:50], a, b)
    return [ours[text] == theirs[text] for text in ours.keys() & theirs.keys()]


def main(folders: list[Path], show: bool) -> None:
    pages = [page for folder in folders for page in compared(folder)]
    for page in pages:
        ours, theirs = page.texts
        print(f"{page.folder} {page.name}: {page.agreed}/{page.passages}, lost {page.ours.lost}")
        for sign, rest in (("+", ours - theirs), ("-", theirs - ours)):
            for text in sorted(rest.elements()) if show else ():
                print(f"   {sign} {text[:160]!r}")
    agreed, whole = sum(p.agreed for p in pages), sum(p.passages for p in pages)
    print(f"texts: {agreed}/{whole} agree: {agreed / max(1, whole):.4f}")
    same = [same for page in pages for same in same_passages(page)]
    print(f"of passages with the same text, kind, place, links and spans agree: "
          f"{sum(same)}/{len(same)}: {sum(same) / max(1, len(same)):.4f}")  # fmt: skip
    plain = [page for folder in folders for page in compared(folder, set_aside=False)]
    agreed, whole = sum(p.agreed for p in plain), sum(p.passages for p in plain)
    print(f"texts, nothing set aside: {agreed}/{whole}: {agreed / max(1, whole):.4f}")


if __name__ == "__main__":
    named = [Path(arg) for arg in sys.argv[1:] if not arg.startswith("-")]
    main(named or [SHARED / "mw119", SHARED / "mw139"], "--show" in sys.argv)
