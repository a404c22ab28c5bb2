"""How a page of the explorer is cited: as text, in Markdown, wikitext, BibTeX and CSL-JSON."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256
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
    book: in which it stands: a rulebook, or the site and the game of a term, card or page.
    edition: its date, or empty. lang, language: its language, and that in words. address: where it
    is read: at its source, if that has one. key: of its entry in a bibliography.
    """

    name: str
    number: str
    title: str
    book: str
    edition: str
    lang: str
    language: str
    address: str
    key: str = "sansho"

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
        return f"@misc{{{self.key},\n{''.join(lines)}  url = {{{self.address}}}\n}}"

    def _csl(self) -> dict[str, Any]:
        item: dict[str, Any] = {
            "id": self.key,
            "type": "legislation" if self.number else "webpage",
            "title": f"{self.name} {self.title}".strip(),
            "URL": self.address,
        }
        if self.book:
            item["container-title"] = self.book
        if re.fullmatch(r"\d{4}-\d\d-\d\d", self.edition):
            item["issued"] = {"date-parts": [[int(part) for part in self.edition.split("-")]]}
        return item | ({"language": self.lang} if self.lang else {})


def cited(node: kb.Node, name: str, address: str, lang: str, source: str) -> Cited:
    """Return what is cited of the page of a node: a rule by its game, number and heading, in the
    edition that the page shows; anything else by its name, at its source.

    lang: of the explorer, in which games are called. source: what the node's source is called.
    """
    game = (node.game and kb.game_name(node.game, lang)) or node.game or ""
    # Of what has no Latin letters a key must tell others apart, too.
    key = _NO_KEY.sub("-", node.id).strip("-")
    key += "" if node.id.isascii() else f"-{sha256(node.id.encode()).hexdigest()[:6]}"
    if node.kind not in ("rule", "document"):
        place = ", ".join(filter(None, (source, game)))
        at = node.url if node.url and node.url.startswith(("http://", "https://")) else address
        return Cited(name, "", "", place, "", node.lang or "", "", at, key)
    edition = date_of(node.edition or "")
    book = f"{game} 総合ルール" if lang == "ja" else f"{game}, comprehensive rules"
    title = node.label if node.label and node.label != node.text else ""
    number, of = node.number or "", node.lang or ""
    language = sentences(lang).get(f"language_{node.lang}", of)
    name = f"{game} {number}"
    return Cited(name, number, title or "", book, edition, of, language, address, key)
