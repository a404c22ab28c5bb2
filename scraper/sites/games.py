"""The games: a record for each, with its names and patterns that recognise it in texts."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Game:
    """A game and how to recognise it.

    id: its short name in ids, such as `mtg`.
    ja, en: its names in Japanese and English.
    mentioned: a regular expression that matches its names in running text.
    rulebook: matches the beginning of its rulebooks and of no other game's; None if they can't be
        recognised by their words.
    file: matches the names of files about it; None if they can't be recognised by their names.
    """

    id: str
    ja: str
    en: str
    mentioned: str
    rulebook: re.Pattern[str] | None = None
    file: re.Pattern[str] | None = None


GAMES: tuple[Game, ...] = (
    Game(
        "mtg",
        ja="マジック：ザ・ギャザリング",
        en="Magic: The Gathering",
        mentioned=(
            r"(?:(?<![A-Za-z])Magic(?:: ?[Tt]he Gathering)?(?![A-Za-z])|M:?[Tt]G|"
            r"マジック(?:[:：・]ザ・ギャザリング)?)"
        ),
        rulebook=re.compile(r"Magic: The Gathering|マジック[：:]ザ|[万萬]智牌"),
        file=re.compile(r"mtg|magic", re.IGNORECASE),
    ),
    Game(
        "ygo",
        ja="遊戯王オフィシャルカードゲーム",
        en="Yu-Gi-Oh!",
        mentioned=r"(?:遊戯王(?:OCG|オフィシャルカードゲーム)?|YGO|[Yy]u-?[Gg]i-?[Oo]h!?)",
        file=re.compile(r"ygo|yu-?gi-?oh", re.IGNORECASE),
    ),
    Game(
        "dm",
        ja="デュエル・マスターズ",
        en="Duel Masters",
        mentioned=r"(?:デュエル・?マスターズ|デュエマ|Duel Masters)",
        file=re.compile(r"(?<![a-z])dm(?![a-z])|duel.?masters", re.IGNORECASE),
    ),
    Game(
        "lorcana",
        ja="ディズニー・ロルカナ",
        en="Disney Lorcana",
        mentioned=r"(?:(?:ディズニー・?)?ロルカナ|(?:Disney )?Lorcana)",
        rulebook=re.compile(r"Lorcana|ロルカナ"),
    ),
)
ANY_MENTIONED = re.compile("|".join(game.mentioned for game in GAMES))


def game_of_rulebook(start: str) -> str | None:
    """Return the id of the game whose rulebook begins with a text, or None.

    start: the first few thousand characters of the rulebook; a game is recognised by its name
        anywhere in them, and the first of `GAMES` that is recognised is returned.

    >>> game_of_rulebook("Disney Lorcana TCG Comprehensive Rules")
    'lorcana'
    """
    return next((g.id for g in GAMES if g.rulebook and g.rulebook.search(start)), None)


def game_of_file(stem: str) -> str | None:
    """Return the id of the game that a file's name mentions, or None.

    If it mentions several, the first of `GAMES` is returned; games without `file` are never found.

    stem: the name without folder and ending; case is ignored.

    >>> game_of_file("mtg_names_en_ja")
    'mtg'
    """
    return next((game.id for game in GAMES if game.file and game.file.search(stem)), None)


def is_id(text: str) -> bool:
    """Whether a text may be the id of a game or the name of a site, with which node ids begin.

    It begins with a letter, digit or underscore; after that `.`, `+` and `-` are allowed, too.

    >>> is_id("ws"), is_id("a/b"), is_id("a#b"), is_id("")
    (True, False, False, False)
    """
    return re.fullmatch(r"\w[\w.+-]*", text) is not None
