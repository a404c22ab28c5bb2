"""Takes headwords apart (word, reading, English, qualifier) and makes labels of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from graphs.build.claims import LabelClaim
from graphs.model import Label, Role
from kb.language.fold import fold, plain


def labels_of(name: Headword, lang: str = "ja", role: Role = "preferred") -> list[Label]:
    """A name as labels: the word itself, its English, its reading. `role` is the word's.

    >>> [label.text for label in labels_of(Headword("引く", "ひく", "Draw"))]
    ['引く', 'Draw', 'ひく']
    """
    labels = [Label(lang, name.label, role)]
    labels += [Label("en", name.english)] if name.english else []
    labels += [Label("ja", name.reading, "reading")] if name.reading else []
    return labels


def label_claims(node: str, labels: Iterable[Label], passage: str) -> list[LabelClaim]:
    """That a passage gives a node these names, each once."""
    return [LabelClaim(node, one, fold(one.text), passage) for one in dict.fromkeys(labels)]


_ENGLISH = re.compile(r"^(.*[^\x00-\x7f].*?)[/／]\s*([A-Za-z0-9\"'“(][^/／]*(?:[/／]+[^/／]*)*)$")
_PARENTHESIS = re.compile(r"[(（]([^()（）]*)[)）]")
_KANA = re.compile(r"[ぁ-ゖァ-ヺー・\s]+")
_KANJI = re.compile(r"[一-鿿々〆ヶ]")


@dataclass(frozen=True, slots=True)
class Headword:
    """A name taken apart. `qualifier` is what tells homonyms apart, `card` whether it is
    marked as a card's name."""

    label: str
    reading: str | None = None
    english: str | None = None
    qualifier: str | None = None
    card: bool = False


def parse_headword(text: str, ruby: Sequence[tuple[int, int, str]] = ()) -> Headword:
    """Take a title or heading apart. `ruby` gives (start, end, reading) within the text.

    >>> name = parse_headword("通常(つうじょう)のドロー/Normal Draw")
    >>> name.label, name.reading, name.english
    ('通常のドロー', 'つうじょうのドロー', 'Normal Draw')
    >>> parse_headword("使う（キーワード処理）").qualifier
    'キーワード処理'
    >>> parse_headword("《霧の港/Misty Port》").english
    'Misty Port'
    >>> parse_headword("通常のドロー/Normal Draw", [(0, 2, "つうじょう")]).reading
    'つうじょうのドロー'
    >>> parse_headword("《サイバー・I》", [(6, 7, "アイ")])
    Headword(label='サイバー・I', reading='サイバー・アイ', english=None, qualifier=None, card=True)
    """
    if ruby:
        pieces, at = [], 0
        for start, end, over in ruby:
            pieces += [text[at:start], over]
            at = end
        read = parse_headword("".join([*pieces, text[at:]])).label
        return replace(parse_headword(text), reading=None if _KANJI.search(read) else read)
    card = "《" in text and "》" in text
    text = text.replace("《", "").replace("》", "").strip()
    english = None
    if found := _ENGLISH.match(text):
        text, english = found[1].strip(), plain(found[2])
    label, reading, qualifier = _parentheses(text)
    return Headword(plain(label) or plain(text), reading, english, qualifier, card)


def _parentheses(text: str) -> tuple[str, str | None, str | None]:
    """The text without its parentheses, its reading if they give it, and any qualifier."""
    label, reading, qualifier, at = "", "", None, 0
    given = False
    for found in _PARENTHESIS.finditer(text):
        before = text[at : found.start()]
        at = found.end()
        if _KANA.fullmatch(found[1]) and _KANJI.search(before):
            stem = re.sub(r"[一-鿿々〆ヶ]+$", "", before)
            label, reading, given = label + before, reading + stem + found[1], True
        elif at == len(text) and label + before:
            label, reading, qualifier = label + before, reading + before, plain(found[1])
        else:
            label, reading = label + before + found[0], reading + before + found[0]
    label, reading = label + text[at:], plain(reading + text[at:])
    return label, (reading if given and not _KANJI.search(reading) else None), qualifier
