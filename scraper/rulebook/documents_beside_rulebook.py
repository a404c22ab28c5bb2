"""Tells documents beside a rulebook, with numbers of their own: tournament rules, penalty guides.

One table has their names in all languages: a title tells what a document is, and in running text
a name tells which document a number belongs to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

RULEBOOK = "rulebook"  # as a document that is named: the game's own rules
_NAMES: dict[str, str] = {
    "tournament-rules": (
        r"(?:tournament|event|floor|organi[sz]ed play)\s+"
        r"(?:rules|regulations|policy|guide(?:lines?)?)"
        r"|turnier(?:regeln|regelwerk|bestimmungen)|r[èe]gle(?:s|ment)\s+(?:de|des|du)\s+tournois?"
        r"|(?:reglas|reglamento|normas)\s+(?:de|del|para)\s+torneos?"
        r"|(?:regole|regolamento)\s+(?:dei|del|per i|da|di)\s+torne[oi]|regras\s+de\s+torneios?"
        r"|(?:イベント|トーナメント|大会|フロア)・?(?:総合|運営)?(?:ルール|規[定程約]|ガイド)"
        r"|(?:比赛|比賽|赛事|賽事|大会)(?:规则|規則)|(?:대회|토너먼트|플로어)(?:\s?운영)?\s?(?:규정|규칙)"
    ),
    "penalty-guide": (
        r"infraction procedure guide|penalty (?:guide(?:lines?)?|policy|procedures?)"
        r"|(?:違反(?:処置|処理)|懲罰|ペナルティ)・?(?:指針|規定|ガイド(?:ライン)?)"
        r"|judge(?:'s)? (?:guide|handbook)|strafen(?:katalog|leitfaden)|schiedsrichter\w+"
        r"|guide de l['’]arbitre|guía de(?:l árbitro| sanciones)"
        r"|guida (?:dell['’]arbitro|dei giudici)"
        r"|ジャッジ・?(?:ガイド|マニュアル|ハンドブック)|违规(?:处理|處理)(?:方针|指南)"
    ),
    "correction-guide": r"(?:play )?correction guide(?:lines?)?|(?:プレイ)?修正指針",
    "supplement": (
        r"(?:ルール|規則)補足|補足(?:ルール|資料|説明書)|rules supplement"
        r"|regel(?:heft|buch) der erweiterung|(?:expansion|set) (?:rules|rulebook)"
        r"|(?:règles|livret) de l['’]extension|(?:reglas|manual) de la expansión"
    ),
}
# What only names a document where a number follows: as a title it may be anything.
_SHORT = {"tournament-rules": "MTR", "penalty-guide": "IPG", "correction-guide": "PCG"}
_RULES = (
    r"(?:comprehensive|core|complete|official|full)\s+(?:game\s+)?rules|総合(?:ゲーム)?ルール"
    r"|umfassende[sn]?\s+regel\w+|r[èe]gles\s+compl[èe]tes|综合规则|完整规则|綜合規則|종합\s?(?:규칙|룰)"
)


def _groups(names: Iterable[tuple[str, str]]) -> str:
    return "|".join(f"(?P<{document.replace('-', '_')}>{name})" for document, name in names)


# Compiled at their first use (by `re`, which keeps them): most commands read no titles.
_TITLE = _groups(_NAMES.items())
_IN_TEXT = _groups(
    (document, f"{names}|{_SHORT.get(document, names)}")
    for document, names in {**_NAMES, RULEBOOK: _RULES}.items()
)
# A pattern, without groups, for the names of documents before a number.
DOCUMENT_NAMES = "|".join(rf"(?<![A-Za-z])(?:{short})" for short in _SHORT.values())
# Words of which each name has one, in small letters: as plain alternatives these are found fast.
_WORD = re.compile(
    "tournament|event|floor|organi|turnier|tournoi|torneo|torneio|tornei|イベント|トーナメント|大会"
    "|フロア|比赛|比賽|赛事|賽事|대회|토너먼트|플로어|mtr|ipg|pcg|infraction|penalty|違反|懲罰|ペナルティ"
    "|strafen|schiedsrichter|rbitr|giudici|judge|ジャッジ|erweiterung|expansi|extension|违规|correction"
    "|修正指針|補足|supplement|comprehensive|core|complete|official|full|総合|umfassende|compl|综合|完整"
    "|綜合|종합"
)
_EDITION = re.compile(rf"({'|'.join(_NAMES)})-.")


def document_of_title(lines: Iterable[str]) -> str | None:
    """Return which document beside a rulebook has a title of these lines, such as
    `tournament-rules`; None if a line names a rulebook and no document, or none names any. Of
    several documents the first is meant.

    >>> document_of_title(["Sample Game", "Tournament Rules"]), document_of_title(["Core Rules"])
    ('tournament-rules', None)
    """
    found = [
        (re.search(_TITLE, line, re.IGNORECASE), re.search(_RULES, line, re.IGNORECASE))
        for line in lines
    ]
    if any(rulebook for title, rulebook in found if not title):
        return None
    return next((_name(title) for title, _ in found if title), None)


@lru_cache(16)  # each number of a text asks, and few texts are read at once
def named_documents(text: str) -> Sequence[tuple[int, int, str]]:
    """Return (start, end, document) of the documents that a text names, in order and without
    overlap, as often as it does, in any case; the game's own rules are the document `rulebook`.

    >>> named_documents("See section 4 of the Tournament Rules, and MTR 3.2.")
    ((21, 37, 'tournament-rules'), (43, 46, 'tournament-rules'))
    """
    if not _WORD.search(text.lower()):
        return ()
    found = re.finditer(_IN_TEXT, text, re.IGNORECASE)
    return tuple((*match.span(), _name(match)) for match in found)


def document_of_edition(edition: str) -> str | None:
    """Return the document of which something is an edition, by the name before its date or
    version; None if it is one of a rulebook.

    >>> document_of_edition("tournament-rules-20260714"), document_of_edition("20260714")
    ('tournament-rules', None)
    """
    match = _EDITION.match(edition)
    return match[1] if match else None


def _name(match: re.Match[str]) -> str:
    return (match.lastgroup or "").replace("_", "-")
