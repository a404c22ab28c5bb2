"""How a page of the explorer is cited: as text, in Markdown, wikitext, BibTeX and CSL-JSON."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import kb
from kb.reason import sentences
from kb.shared_wording import date_of

_BIBTEX_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "&%$#_{}"} | {"\\": "", "~": ""})
_MARKDOWN_SIGNS = re.compile(r"([\\\[\]*_`<>])")
_NO_KEY = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True)
class Cited:
    """What is cited.

    name: the rule's number with the game, or a name. number: the rule's; empty of others.
    title: its heading; empty for none.
    book: in which it stands; empty for a term or card. edition: its date, or empty.
    lang, language: its language, and that in words. address: where it is read.
    """

    name: str
    number: str
    title: str
    book: str
    edition: str
    lang: str
    language: str
    address: str

    def forms(self) -> list[tuple[str, str]]:
        """Return (name of a form, the citation in it): text, Markdown, wikitext, BibTeX, CSL-JSON.

        >>> cited = Cited("MTG 1.2", "1.2", "", "MTG rules", "2026-01-16", "en", "English", "h/x")
        >>> for _, text in cited.forms()[:2]: print(text)
        MTG rules 1.2 (2026-01-16, English), h/x
        [MTG rules 1.2](<h/x>) (2026-01-16, English)
        """
        numbered = f"{self.book} {self.number} {self.title}".strip()
        whole = numbered if self.number else self.name
        dated = f" ({self.edition}, {self.language})" if self.edition else ""
        place = f", {self.book}" if self.book and not self.number else ""
        name = _MARKDOWN_SIGNS.sub(r"\\\1", whole)
        wiki = re.sub(r"[\[\]{}|<>']", " ", whole)
        return [
            ("Text", f"{whole}{place}{dated}, {self.address}"),
            ("Markdown", f"[{name}](<{self.address}>){dated}"),
            ("Wikitext", f"[{self.address} {wiki}]{dated}"),
            ("BibTeX", self._bibtex()),
            ("CSL-JSON", json.dumps([self._csl()], ensure_ascii=False, indent=1)),
        ]

    def _bibtex(self) -> str:
        fields = {
            "title": f"{self.name} {self.title}".strip(),
            "howpublished": self.book,
            "year": self.edition[:4] if self.edition[:4].isdigit() else "",
            "note": f"Edition {self.edition}" if self.edition else "",
            "language": self.lang,
        }
        lines = [
            f"  {field} = {{{value.translate(_BIBTEX_SIGNS)}}},\n"
            for field, value in fields.items()
            if value
        ]
        return f"@misc{{{self._key()},\n{''.join(lines)}  url = {{{self.address}}}\n}}"

    def _key(self) -> str:
        return _NO_KEY.sub("-", f"{self.name}-{self.edition}").strip("-") or "sansho"

    def _csl(self) -> dict[str, Any]:
        item: dict[str, Any] = {
            "id": self._key(),
            "type": "legislation" if self.book else "entry-dictionary",
            "title": f"{self.name} {self.title}".strip(),
            "URL": self.address,
        }
        if self.book:
            item["container-title"] = self.book
        if re.fullmatch(r"\d{4}-\d\d-\d\d", self.edition):
            item["issued"] = {"date-parts": [[int(part) for part in self.edition.split("-")]]}
        return item | ({"language": self.lang} if self.lang else {})


def cited(node: kb.Node, name: str, address: str, lang: str) -> Cited:
    """Return what is cited of the page of a node: a rule by its game, number and heading, in the
    edition that the page shows; anything else by its name.

    lang: of the explorer, in which games are called.
    """
    game = (node.game and kb.game_name(node.game, lang)) or node.game or ""
    if node.kind not in ("rule", "document"):
        return Cited(name, "", "", game, "", node.lang or "", "", address)
    edition = date_of(node.edition or "")
    book = f"{game} 総合ルール" if lang == "ja" else f"{game}, comprehensive rules"
    title = node.label if node.label and node.label != node.text else ""
    number = node.number or ""
    language = sentences(lang).get(f"language_{node.lang}", node.lang or "")
    return Cited(
        f"{game} {number}", number, title or "", book, edition, node.lang or "", language, address
    )
