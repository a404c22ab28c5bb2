"""What people call the games, as patterns."""

from __future__ import annotations

import re

CALLED = {
    "mtg": (
        r"(?:(?<![A-Za-z])Magic(?:: ?[Tt]he Gathering)?(?![A-Za-z])|M:?[Tt]G|"
        r"マジック(?:[:：・]ザ・ギャザリング)?)"
    ),
    "ygo": r"(?:遊戯王(?:OCG|オフィシャルカードゲーム)?|YGO|[Yy]u-?[Gg]i-?[Oo]h!?)",
    "dm": r"(?:デュエル・?マスターズ|デュエマ|Duel Masters)",
    "lorcana": r"(?:(?:ディズニー・?)?ロルカナ|(?:Disney )?Lorcana)",
}
ANY = re.compile("|".join(CALLED.values()))
