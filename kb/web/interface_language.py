"""The language of the explorer's own words: English, or Japanese from a table; and what files state
in English, in Japanese."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache, lru_cache, partial
from importlib.resources import files
from typing import Literal, NamedTuple

import kb
from kb.reason import sentences
from kb.shared_wording import date_of

# Characters of a sentence that is looked up: bounds the time for a hostile file's. The longest of
# the table has 227, and the names in its places add a line or two.
_LONGEST = 2_000
_DEEPEST = 8  # sentences in each other: a name that ends like many of them is no reason to recurse
_PLACE = re.compile(r"\{(\w+)(?::(\w+))?\}")  # `{name}` or `{name:form}`
_OPTIONAL = re.compile(r"\[([^\[\]]*\{[^\[\]]*)\]")  # `[the rule {number}]`, in brackets a place
# Places that hold a part of a sentence. What stands in others is a name, which may be any word.
_SENTENCES = frozenset(
    ("amount", "giver", "how", "kind", "library", "measure", "place", "view", "what", "why")
)
# Places behind others that hold one word, so that ` of ` in a name before them does not end it. A
# source has no capitals: else “page Wheel of Fortune” was one of a source.
_WORDS = {
    "edition": re.compile(r"\S+"),
    "game": re.compile(r"\S+"),
    "lang": re.compile(r"\S+"),
    "score": re.compile(r"[\w.]+"),
    "source": re.compile(r"[^\sA-Z]+"),
}
# Where each line of several has its remark: `line 3: …; line 5: …`.
_NEXT_LINE = re.compile(r"; (?=line \d+: )")
# At the beginning, and behind what `_NEXT_LINE` became in Japanese.
_LINE = re.compile(r"(?<![^；])line (\d+): ")
_ANY = "…"  # stands for all names: see `reason_in_general`
_FORMS: Mapping[str, Callable[[str], str]] = {
    "and": lambda value: value.replace(" and ", "と"),
    "date": date_of,
    "game": lambda value: kb.game_name(value, "ja") or value,
    "language": lambda value: sentences("ja").get(f"language_{value}", value),
    "lines": lambda value: _LINE.sub(r"\1行目：", _NEXT_LINE.sub("；", value)),
    "list": lambda value: value.replace(", ", "、"),
    "source": lambda value: _SOURCES.get(value, (value, value))[1],
    "title": lambda value: value.removeprefix("card/").replace("+", " "),
}


class _Sentence(NamedTuple):
    """A sentence with places: what stands before, between and behind them, and its Japanese."""

    words: tuple[str, ...]
    places: tuple[str, ...]
    japanese: str

    def values(self, text: str) -> Mapping[str, str] | None:
        """Return {place: what stands in it} if a text is this sentence: each the shortest, but the
        longest before a place of `_WORDS`; none empty. None if it is not, or if a place of `_WORDS`
        has words of another form."""
        first, *between = self.words
        if not (text.startswith(first) and text.endswith(self.words[-1])):
            return None
        found, start = [], len(first)
        for words in between[:-1]:
            end = text.find(words, start + 1)
            if end < 0:
                return None
            found.append(text[start:end])
            start = end + len(words)
        found.append(text[start : len(text) - len(self.words[-1])])
        for index, name in enumerate(self.places):
            if index and name in _WORDS:
                words = self.words[index]
                both = f"{found[index - 1]}{words}{found[index]}"
                found[index - 1], _, found[index] = both.rpartition(words)
                if not _WORDS[name].fullmatch(found[index]):
                    return None
        return dict(zip(self.places, found, strict=True)) if found[-1] else None


def in_japanese(text: str) -> str:
    """Return a sentence that a file states in English in Japanese; as it is if the table lacks it,
    or if it is longer than any of the table can be.

    >>> in_japanese("page 手札 is not in this knowledge base"), in_japanese("手札")
    ('手札のページは収録されていません', '手札')
    >>> in_japanese("an answer with the status 301, not a page; left out")
    'ページではないステータス301の応答のため除外しました'
    """
    return _found(text, _DEEPEST) if len(text) <= _LONGEST else text


@lru_cache(maxsize=1_000)
def _found(text: str, depth: int) -> str:
    """Return a sentence in Japanese, with those in it down to a depth; as it is if the table lacks
    it. Of several that it may be it is the first of `_table`."""
    whole, sentences = _table()
    if text in whole:
        return whole[text]
    for sentence in sentences if depth else ():
        values = sentence.values(text)
        if values is not None:
            japanese = _OPTIONAL.sub(partial(_named, values), sentence.japanese)
            return _PLACE.sub(partial(_worded, values, depth - 1), japanese)
    return text


def _named(values: Mapping[str, str], part: re.Match[str]) -> str:
    """Return an optional part of a sentence without its brackets, its places still in it; nothing
    if one of these stands for all names."""
    names = (name for name, _ in _PLACE.findall(part[1]))
    return "" if any(values[name] == _ANY for name in names) else part[1]


def _worded(values: Mapping[str, str], depth: int, place: re.Match[str]) -> str:
    name, form = place.groups()
    if form:
        return _FORMS[form](values[name])
    return _found(values[name], depth) if name in _SENTENCES else values[name]


def _said(code: str, lang: str) -> str:
    return sentences(lang)[code]


@cache
def _table() -> tuple[Mapping[str, str], list[_Sentence]]:
    """Return {sentence: its Japanese}, and those with places in the order of being tried."""
    text = (files("kb.web") / "japanese_of_stored_sentences.tsv").read_text("utf-8")
    lines = [line.split("\t") for line in text.splitlines() if line and line[0] != "#"]
    rows = {english: japanese for english, japanese in lines if japanese}
    # A basis that is made for an answer, not kept by a file, stands beside those that are.
    rows[_said("two_meanings", "en")] = _said("two_meanings", "ja")
    with_places: list[_Sentence] = []
    for english, japanese in rows.items():
        # Split by a pattern with groups: words, name, form, words…
        pieces = _PLACE.split(english)
        if len(pieces) > 1:
            with_places.append(_Sentence(tuple(pieces[::3]), tuple(pieces[1::3]), japanese))
    # A place at the end takes all that follows: such sentences come last, the longest first.
    with_places.sort(key=lambda one: (not one.words[-1], -len("".join(one.words))))
    return rows, with_places


_UNDATED = "undated"  # the edition of a rulebook that states no date
# What sources are called, in English and Japanese, by their ids.
_SOURCES: Mapping[str, tuple[str, str]] = {
    "dmwiki": ("Duel Masters Wiki", "デュエル・マスターズ Wiki"),
    "mtgwiki": ("MTG Wiki", "MTG Wiki"),
    "namelist": ("list of card names", "カード名一覧"),
    "rulebook": ("Comprehensive Rules", "総合ルール"),
    "wisdom-guild": ("Wisdom Guild", "Wisdom Guild"),
    "yugioh-wiki": ("Yu-Gi-Oh! Card Wiki", "遊戯王カードWiki"),
}
_SECTION = re.compile(r"(?:cr/r/|総合ルール )(\d+)")  # the title of a page of a viewer of rules
_DOCUMENT = re.compile(r"[a-z][a-z-]*-(\d{8})")  # the edition of a document beside a rulebook
_OF_GAME = re.compile(r"(?<= of )[a-z-]+(?=;|$)")  # in a sentence, perhaps the id of a game
# A title in Japanese and English (`予言/Foresee`).
_TWO_NAMES = re.compile(r"(?P<ja>[^/]*[\u3040-\u30ff\u4e00-\u9fff][^/]*)/(?P<en>[ -.0-~]+)")
# The sources and editions behind the page that is an authority.
_AUTHORITY = re.compile(rf"{'|'.join(_SOURCES)}|\d{{8}}|{_UNDATED}")
InterfaceLanguage = Literal["en", "ja"]
LANGUAGES: tuple[InterfaceLanguage, ...] = ("en", "ja")


@dataclass(frozen=True)
class Interface:
    """The explorer's words in one language.

    lang: `en` or `ja`.
    """

    lang: InterfaceLanguage

    def __call__(self, text: str, **values: object) -> str:
        """Return the explorer's words in this language.

        text: the words in English, with names of values in braces: `{count} rules`. What the
            table `japanese.tsv` lacks stays English. Of English words `_` becomes a space.
        values: of the places; KeyError if one is missing, but if none is given the braces stay.

        >>> Interface("ja")("Search"), Interface("en")("{count} rules", count=3)
        ('検索', '3 rules')
        >>> Interface("en")("links_to")
        'links to'
        """
        words = _japanese().get(text, text) if self.lang == "ja" else text.replace("_", " ")
        return words.format(**values) if values else words

    def language(self, code: str | None) -> str:
        """Return the name of a language; the code itself of one that has none here; empty for None.

        >>> Interface("en").language("ja"), Interface("ja").language("fr")
        ('Japanese', 'フランス語')
        """
        return sentences(self.lang).get(f"language_{code}", code or "")

    def stated(self, text: str) -> str:
        """Return what a file states in English in this language, with the names of games; as it is
        if the table lacks it.

        >>> Interface("en").stated("both are one with ドロー of ygo; both speak of 山札")
        'both are one with ドロー of Yu-Gi-Oh!; both speak of 山札'
        """
        if self.lang == "ja":
            return in_japanese(text)
        return _OF_GAME.sub(lambda found: kb.game_name(found[0], "en") or found[0], text)

    def place(self, where: str) -> str:
        """Return where a warning is of, with the place in this language if it is known in it: a
        file, a place in it, or both with `: ` between them."""
        file, _, place = where.rpartition(": ")
        worded = self.stated(place)
        return f"{file}: {worded}" if file and worded != place else worded if not file else where

    @property
    def words(self) -> Mapping[str, str]:
        """The words of the explorer's pictures: {English, or the code of a language or source: in
        this language}; in English of codes alone."""
        prefix = "language_"
        named = {
            code.removeprefix(prefix): words
            for code, words in sentences(self.lang).items()
            if code.startswith(prefix)
        } | {source: self.source(source) for source in _SOURCES}
        return named if self.lang == "en" else {**_japanese(), **named}

    def source(self, source: str | None) -> str:
        """Return what a source is called; its id if no name is known; empty for None.

        >>> Interface("en").source("mtgwiki"), Interface("ja").source("rulebook")
        ('MTG Wiki', '総合ルール')
        """
        return _SOURCES.get(source or "", (source or "",) * 2)[self.lang == "ja"]

    def title(self, title: str | None, source: str | None, edition: str | None = None) -> str:
        """Return the title of a page without its source: of two names that in this language; of a
        rulebook and of a list of names what all are called; empty for none.

        >>> Interface("en").title("予言/Foresee", "mtgwiki")
        'Foresee'
        >>> Interface("en").title("COMPREHENSIVE RULES", "rulebook", "20260709")
        'Comprehensive Rules'
        >>> Interface("en").title("cr/r/121", "wisdom-guild")
        'Comprehensive Rules 121'
        """
        title = title or ""
        if source == "namelist" or (
            source == "rulebook" and not _DOCUMENT.fullmatch(edition or "")
        ):
            name = self.source(source)
            return f"{name[:1].upper()}{name[1:]}"
        if section := _SECTION.fullmatch(title):
            return f"{self.source('rulebook')} {section[1]}"
        names = _TWO_NAMES.fullmatch(title)
        return names[self.lang] if names else title

    def page(self, page: str | None, title: str = "") -> str:
        """Return what a page is called, by its id: its title and its source, of a rulebook the game
        and the edition, of a list of names the game.

        title: as its node has it; empty if that is not known, which only of a card's page matters.

        >>> Interface("en").page("mtgwiki/引く"), Interface("en").page("namelist/ygo/names_en_ja")
        ('引く · MTG Wiki', 'Yu-Gi-Oh! · List of card names')
        >>> Interface("ja").page("rulebook/mtg/cr/20260116/en")
        'マジック：ザ・ギャザリング · 総合ルール · 英語 2026-01-16'
        >>> Interface("ja").page("wisdom-guild/card/AVR106")
        'カード · Wisdom Guild'
        """
        source, _, name = (page or "").partition("/")
        game, *rest = name.split("/")
        if source == "namelist":
            return f"{self.game(game)} · {self.title(name, source)}"
        if source == "rulebook" and len(rest) > 1:
            return " · ".join(filter(None, (self.game(game), self.book(page or "", title))))
        if source not in _SOURCES:
            return page or ""
        if not title and game == "card":
            title = self("card")
        return f"{self.title(title or name, source)} · {self.source(source)}"

    def book(self, page: str, title: str = "") -> str:
        """Return what a rulebook is called beside its game, by the id of its page, or of what
        stands on it.

        >>> Interface("en").book("rulebook/mtg/cr/20260116/en#Glossary¶404")
        'Comprehensive Rules · English 2026-01-16'
        """
        edition, lang = re.split("[#¶]", page)[0].split("/")[3:5]
        name = self.title(title, "rulebook", edition)
        return " · ".join(filter(None, (name, f"{self.language(lang)} {self.date(edition)}")))

    def called(self, node: kb.Node, page: kb.PageTitle | None = None, entry: str = "") -> str:
        """Return what a link to a node says: the number and heading of a rule, a name, or of what
        stands on a page its title, the entry and the source; never an id.

        page: that the node is or stands on. entry: of a glossary.
        """
        if node.kind == "page" and page is None:
            page = kb.PageTitle(kb.page_name(node), node.game, node.source, node.edition, node.lang)
        if node.number or page is None:
            return " ".join(filter(None, (node.number, node.label))) or self(node.kind)
        title = self.title(page.title, page.source, page.edition) or self(node.kind)
        source = "" if page.source in ("rulebook", "namelist") else self.source(page.source)
        return " · ".join(filter(None, (" › ".join(filter(None, (title, entry))), source)))

    def authority(self, authority: str, passage: str | None = None) -> str:
        """Return who says something, with the source and the edition in the words of pages.

        passage: the id of that which says it, if it is known.

        >>> Interface("ja").authority("総合ルール 121 (wisdom-guild, 20231117)")
        '総合ルール 121 · Wisdom Guild · 2023-11-17'
        >>> Interface("en").authority("総合ルール", "rulebook/dm/cr/20251217/ja#1¶2")
        'Comprehensive Rules · Japanese 2025-12-17'
        """
        if (passage or "").startswith("rulebook/"):
            return self.book(passage or "", authority.partition(" (")[0])
        page, _, where = authority.removesuffix(")").rpartition(" (")
        parts = where.split(", ")
        if not (page and all(_AUTHORITY.fullmatch(each) for each in parts)):
            return authority
        if parts == ["namelist"]:
            return self.page(f"namelist/{page}")
        source = next((each for each in parts if each in _SOURCES), "rulebook")
        return " · ".join(
            (self.title(page, source), *(self.date(self.source(each)) for each in parts))
        )

    def date(self, edition: str | None) -> str:
        """Return the date of an edition, or when a page was taken, as people write it; other
        editions as they are.

        >>> Interface("ja").date("20260116"), Interface("ja").date("undated")
        ('2026-01-16', '日付なし')
        >>> Interface("en").date("Sat, 21 Nov 2026 00:40:59 GMT")
        '2026-11-21'
        """
        if document := _DOCUMENT.fullmatch(edition or ""):
            edition = document[1]
        if edition == _UNDATED:
            return "日付なし" if self.lang == "ja" else _UNDATED
        try:
            return parsedate_to_datetime(edition or "").date().isoformat()
        except ValueError:
            return date_of(edition)

    def game(self, game: str | None) -> str:
        """Return the name of a game; its id if no name is known; empty for None.

        >>> Interface("en").game("mtg"), Interface("ja").game("dm"), Interface("en").game("x")
        ('Magic: The Gathering', 'デュエル・マスターズ', 'x')
        """
        return (game and kb.game_name(game, self.lang)) or game or ""


@cache
def _japanese() -> dict[str, str]:
    """Return {English words: Japanese words}; what has none yet is not in it."""
    table = (files("kb.web") / "japanese.tsv").read_text("utf-8")
    rows = (line.split("\t", 1) for line in table.splitlines() if line and not line.startswith("#"))
    return {english: japanese for english, japanese in rows if japanese}


def preferred_language(accept_language: str) -> InterfaceLanguage:
    """Return the language of the explorer that a browser asks for first, of equals the one that it
    names first; English if neither.

    accept_language: the header `Accept-Language`, of which the first 200 characters are read

    >>> preferred_language("fr;q=0.9, ja;q=0.8, en;q=0.5"), preferred_language("de")
    ('ja', 'en')
    """
    best: InterfaceLanguage = "en"
    highest = 0.0
    for part in accept_language[:200].split(","):
        tag, _, quality = part.strip().partition(";q=")
        for lang in LANGUAGES:
            if tag.lower().split("-")[0] == lang and _number(quality) > highest:
                best, highest = lang, _number(quality)
    return best


def _number(quality: str) -> float:
    try:
        return float(quality or 1)
    except ValueError:
        return 0.0
