"""The games: a record for each, with its names and patterns that recognise it in texts."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from scraper import plugins


@dataclass(frozen=True, slots=True)
class Game:
    """A game and how to recognise it.

    id: its short name in ids, such as `mtg`.
    ja, en: its names in Japanese and English.
    mentioned: a regular expression that matches its names in running text; case counts.
    file: finds its names in the names of files; None if they can't be recognised by their names.
    rulebooks: its names in the titles of its rulebooks, in any language; a space stands for any
        signs or none. Of the games that are built in, they stand in `_RULEBOOKS`.
    """

    id: str
    ja: str
    en: str
    mentioned: str
    file: re.Pattern[str] | None = None
    rulebooks: tuple[str, ...] = ()


_BUILT_IN: tuple[Game, ...] = (
    Game(
        "mtg",
        ja="マジック：ザ・ギャザリング",
        en="Magic: The Gathering",
        mentioned=(
            r"(?:(?<![A-Za-z])Magic(?:: ?[Tt]he Gathering)?(?![A-Za-z])|M:?[Tt]G|"
            # In small letters, as people type: magic is a word, too.
            r"(?<![A-Za-z.])mtg(?![A-Za-z.])|(?<=\b[Ii]n )magic(?=\W*(?:$|[,:;?!(]))"
            r"|\(magic\)|^magic(?=[:,])|(?<= )magic(?=[?!. ]*$)|"
            r"マジック(?:[:：・]ザ・ギャザリング)?)"
        ),
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
    ),
)


# The names of games in the titles of their rulebooks, in any language and without regard to case
# and width; a space stands for any signs or none. Of two games whose names begin alike, the longer
# name comes first.
_RULEBOOKS: dict[str, tuple[str, ...]] = {
    "mtg": (
        "Magic The Gathering", "マジック ザ ギャザリング", "万智牌", "萬智牌", "魔法風雲會",
        "매직 더 개더링", "Magic L'Assemblée", "Magic L'Adunanza", "Magic El Encuentro",
        "Magic Die Zusammenkunft",
    ),
    "ygo": ("Yu Gi Oh", "遊 戯 王", "游戏王", "遊戲王", "유희왕"),
    "dm": ("Duel Masters", "デュエル マスターズ", "决斗大师", "決鬥大師"),
    "lorcana": ("Lorcana", "ロルカナ", "洛卡纳", "로르카나"),
    "riftbound": ("Riftbound", "リフトバウンド", "符文战场", "符文戰場"),
    "shadowverse-evolve": (
        "Shadowverse EVOLVE", "シャドウバース エボルヴ", "シャドウバース EVOLVE", "影之诗 EVOLVE",
        "闇影詩章 EVOLVE",
    ),
    "pokemon": ("Pokémon", "Pokemon", "ポケモンカード", "宝可梦", "寶可夢", "포켓몬 카드"),
    "weiss-schwarz-blau": (
        "Weiß Schwarz Blau", "Weiss Schwarz Blau", "ヴァイスシュヴァルツ ブラウ",
    ),
    "weiss-schwarz": (
        "Weiß Schwarz", "Weiβ Schwarz", "Weiss Schwarz", "ヴァイス シュヴァルツ", "黑白双翼",
    ),
    "vanguard": ("Cardfight Vanguard", "ヴァンガード", "卡片战斗 先导者", "卡片戰鬥 先導者"),
    "buddyfight": ("Buddyfight", "バディファイト"),
    "rebirth": ("Rebirth for you", "リバース フォー ユー"),
    "digimon": ("Digimon", "デジモン", "数码宝贝", "數碼寶貝", "디지몬"),
    "one-piece": ("ONE PIECE", "ワンピース", "航海王", "海贼王", "海賊王"),
    "dragon-ball-fusion-world": (
        "Dragon Ball Super Card Game Fusion World", "Dragon Ball Fusion World",
        "ドラゴンボール スーパー カードゲーム フュージョンワールド", "フュージョンワールド",
    ),
    "dragon-ball": ("Dragon Ball", "ドラゴンボール", "龙珠", "七龍珠"),
    "union-arena": ("Union Arena", "ユニオンアリーナ"),
    "gundam": ("Gundam", "ガンダム", "高达", "鋼彈"),
    "hololive": ("hololive", "ホロライブ"),
    "love-live": ("Love Live", "ラブライブ"),
    "battle-spirits-saga": ("Battle Spirits Saga",),
    "battle-spirits": ("Battle Spirits", "バトルスピリッツ"),
    "wixoss": ("WIXOSS", "ウィクロス"),
    "build-divide": ("Build Divide", "ビルディバイド"),
    "zx": ("ゼクス",),
    "final-fantasy": ("Final Fantasy", "ファイナルファンタジー", "最终幻想", "最終幻想"),
    "flesh-and-blood": ("Flesh and Blood", "フレッシュ アンド ブラッド"),
    "star-wars-unlimited": ("Star Wars Unlimited", "スター ウォーズ アンリミテッド"),
    "netrunner": ("Netrunner", "ネットランナー"),
    "force-of-will": ("Force of Will", "フォース オブ ウィル"),
    "grand-archive": ("Grand Archive",),
    "keyforge": ("KeyForge", "キーフォージ"),
    "altered": ("Altered",),
    "sorcery": ("Sorcery",),
}  # fmt: skip


def _check(name: str, game: Game) -> None:
    """Raise ValueError or re.error for the record of a game of a plug-in that is of no use."""
    if not is_id(game.id) or game.id != name:
        raise ValueError(f"the id is {game.id!r}, and the entry point is called {name!r}")
    if game.id in _RULEBOOKS or any(game.id == known.id for known in _BUILT_IN):
        raise ValueError(f"the game {game.id} is built in")
    re.compile(game.mentioned)


def is_id(text: str) -> bool:
    """Whether a text may be the id of a game or the name of a site, with which node ids begin.

    It begins with a letter, digit or underscore; after that `.`, `+` and `-` are allowed, too. It
    has at most 200 characters, as many as the name of a host (`site_catalogue`).

    >>> is_id("ws"), is_id("a/b"), is_id("a#b"), is_id("")
    (True, False, False, False)
    """
    return re.fullmatch(r"\w[\w.+-]{0,199}", text) is not None


_ADDED: tuple[Game, ...] = tuple(game for _, game in plugins.loaded("games", Game, _check))
GAMES = (*_BUILT_IN, *_ADDED)
ANY_MENTIONED = re.compile("|".join(game.mentioned for game in GAMES))
_RULEBOOKS |= {game.id: game.rulebooks for game in _ADDED if game.rulebooks}
# What players call games and their formats beside the names above, in questions; case counts.
_NICKNAMES: dict[str, str] = {
    "mtg": r"ギャザ(?!リング)",
    "ygo": r"遊戯王|yu-?gi-?oh!?",
    "dm": r"デュエマ",
    "lorcana": r"ロルカナ",
    "riftbound": r"リフトバウンド|リフバ",
    "shadowverse-evolve": r"シャド(?:ウ)?バ(?:ース)?(?:[ ・]?(?:EVOLVE|Evolve|エボルヴ))?"
    r"|シャドバエボ"
    r"|Shadowverse(?:[: ]+(?:EVOLVE|Evolve|evolve))?|(?<![A-Za-z])SVE(?![A-Za-z])",
    "pokemon": r"ポケモン(?:カード(?:ゲーム)?)?|ポケカ|Pokémon|Pokemon|(?<![A-Za-z])PTCG",
    "one-piece": r"ワンピ(?:ース)?(?:カード)?",
    "hearthstone": r"Hearthstone|ハースストーン",
    "digimon": r"デジカ",
    "vanguard": r"Vanguard",
    "duel-masters-plays": r"デュエプレ",
    "master-duel": r"マスターデュエル|Master Duel",
}
_FORMATS = {"mtg": re.compile(r"(?<![A-Za-z])c?EDH(?![A-Za-z])|統率者戦")}  # they tell the game
_ORDINARY = frozenset(("altered", "sorcery", "rebirth"))  # their names are words of any rulebook


def game_of_title(title: str) -> str | None:
    """Return the id of the game whose name stands first in the title of a rulebook, or None.

    Only names by which rulebooks call games count, no nicknames; case and width are ignored.

    >>> game_of_title("ＯＮＥ ＰＩＥＣＥ カードゲーム 総合ルール"), game_of_title("総合ルール")
    ('one-piece', None)
    """
    match = _titles().search(unicodedata.normalize("NFKC", title))
    return _id_of(match) if match else None


def game_called(name: str) -> str | None:
    """Return the id of the game that is called so, by any name, also one that players use; None if
    none is. The whole of `name` must be the name; case is ignored, and an ordinary word is none.

    >>> game_called("マジック"), game_called("デュエマ"), game_called("magic cards")
    ('mtg', 'dm', None)
    """
    for game, pattern in _mentions():
        if re.fullmatch(pattern.pattern, name, re.IGNORECASE):
            return game
    return None


def find_games(text: str, ids: Iterable[str] = ()) -> list[tuple[str, int, int]]:
    """Return (id, start, end) of each game that a text mentions, by any name, in their order.

    ids: of games that the catalogue does not have, such as `ember-caravan`, which are known by
        these alone, with spaces for hyphens.

    Of names that overlap the first counts, of those that begin at one place the longest. A game may
    come several times; names that are ordinary words are left out. A format tells its game and is
    no name of it: start and end are both where it begins.

    >>> find_games("ロルカナとMTGの違い")
    [('lorcana', 0, 4), ('mtg', 5, 8)]
    """
    lower = text.lower()
    found = [
        (match.start(), -match.end(), game)
        for game, pattern in _mentions()
        if any(word in lower for word in _first_words(game, pattern))
        for match in pattern.finditer(text)
    ]
    found += [
        (match.start(), -match.end(), game)
        for game in ids
        for match in re.finditer(_id_pattern(game), text, re.IGNORECASE)
    ]
    found += [
        (match.start(), -match.start(), game)
        for game, pattern in _FORMATS.items()
        for match in pattern.finditer(text)
    ]
    kept: list[tuple[str, int, int]] = []
    for start, negative_end, game in sorted(found):
        if start >= (kept[-1][2] if kept else 0):
            kept.append((game, start, -negative_end))
    return kept


def _id_pattern(game: str) -> str:
    """Return an expression for a game's id as people write it."""
    words = "[ _-]?".join(map(re.escape, game.split("-")))
    return rf"(?<![a-z0-9]){words}(?![a-z0-9])" if game.isascii() else words


@cache
def _mentions() -> list[tuple[str, re.Pattern[str]]]:
    """Return (id of a game, pattern of its names in running text), several for one game."""
    named = [
        (game, re.compile("|".join(map(_name_pattern, names)), re.IGNORECASE))
        for game, names in _RULEBOOKS.items()
        if game not in _ORDINARY
    ]
    nicknames = [(game, re.compile(pattern)) for game, pattern in _NICKNAMES.items()]
    return [*named, *nicknames, *((game.id, re.compile(game.mentioned)) for game in GAMES)]


@cache
def _first_words(game: str, pattern: re.Pattern[str]) -> tuple[str, ...]:
    """Return the first words, in small letters, of the names that a pattern of `_mentions` is made
    of, to save time: without them it matches nothing. An empty one where that isn't known."""
    if not pattern.flags & re.IGNORECASE:
        return ("",)
    return tuple({unicodedata.normalize("NFKC", n).split()[0].lower() for n in _RULEBOOKS[game]})


def game_name(game: str, lang: str) -> str | None:
    """Return the name of a game, for the title of its rulebook; None if no game has that id.

    game: its id. lang: the language of the rulebook; of most games the English name alone is known.

    >>> game_name("lorcana", "ja"), game_name("wixoss", "ja"), game_name("harbour", "en")
    ('ディズニー・ロルカナ', 'WIXOSS', None)
    """
    for known in GAMES:
        if known.id == game:
            return known.ja if lang == "ja" else known.en
    return next(iter(_RULEBOOKS.get(game, ())), None)


def known_games() -> list[str]:
    """Return the ids of all games whose rulebooks or pages are recognised, sorted; not of those
    that have a nickname alone.

    >>> {"mtg", "weiss-schwarz"} <= set(known_games())
    True
    """
    return sorted({*_RULEBOOKS, *(game.id for game in GAMES)})


def game_of_rulebook(start: str, least: int = 1) -> str | None:
    """Return the id of the game that the beginning of a rulebook mentions most often, at least so
    many times; or None. Of several with as many mentions, it is the one that comes first.

    It tells the game of a rulebook whose title does not. Games whose names are ordinary words are
    not found.

    start: the first few thousand characters of the rulebook.

    >>> game_of_rulebook("This document is about Disney Lorcana TCG.")
    'lorcana'
    """
    found = map(_id_of, _titles().finditer(unicodedata.normalize("NFKC", start)))
    counts = Counter(game for game in found if game not in _ORDINARY)
    return next((game for game, times in counts.most_common(1) if times >= least), None)


@cache
def _titles() -> re.Pattern[str]:
    """Return the pattern of the names of all games, each a group; the groups are in the order of
    `_RULEBOOKS`."""
    games = ("|".join(map(_name_pattern, names)) for names in _RULEBOOKS.values())
    return re.compile("|".join(f"({game})" for game in games), re.IGNORECASE)


def _name_pattern(name: str) -> str:
    """Return the pattern of a name; Latin letters beside it would make it part of a word.

    Between its words are up to three signs or spaces, as in `Yu-Gi-Oh` and `Cardfight!! Vanguard`.
    """
    words = unicodedata.normalize("NFKC", name).split()
    pattern = r"[\W_]{0,3}".join(map(re.escape, words))
    return rf"(?<![a-z]){pattern}(?![a-z])" if name.isascii() else pattern


def _id_of(match: re.Match[str]) -> str:
    """Return the id of the game whose name a match of `_titles` is."""
    assert match.lastindex
    return list(_RULEBOOKS)[match.lastindex - 1]


def game_of_file(stem: str) -> str | None:
    """Return the id of the game that a file's name mentions, or None.

    If it mentions several, the first of `GAMES` is returned; games without `file` are never found.

    stem: the name without folder and ending; case is ignored.

    >>> game_of_file("mtg_names_en_ja")
    'mtg'
    """
    return next((game.id for game in GAMES if game.file and game.file.search(stem)), None)
