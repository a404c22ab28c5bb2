"""A game that sansho does not know: its id, its names, and how texts call it.

The game is made up; put yours in its place. Such a module imports nothing of sansho but `Game`.
"""

import re

from scraper.sites.games import Game

KAARTENHUIS = Game(
    "kaartenhuis",
    ja="カールテンハウス",
    en="Kaartenhuis",
    mentioned=r"(?:Kaartenhuis|カールテンハウス)",
    file=re.compile("kaartenhuis", re.IGNORECASE),
    rulebooks=("Kaartenhuis", "カールテンハウス"),
)
