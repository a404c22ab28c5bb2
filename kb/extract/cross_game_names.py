"""What a page says another game calls its subject."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphs.writing.claims import EdgeClaim, PageClaims
from kb.extract.context import PageContext
from kb.extract.terms import subject_of, term_id
from scraper.sites.games import ANY_MENTIONED, GAMES

_CALLED = (
    r"(?:において)?では[^「」]*「(?P<name>[^「」]{1,20})」"
    r"(?:で(?:統一|表記|表現)され|(?:と|とも)(?:呼ば?[ぶれ]|称[さす]|表記|表現|言[いうわ]|い[いうわ])"
    r"|に(?:相当|あた|当た))(?!.{0,6}ない)"
)
_SENTENCE = re.compile(r".*?(?:。|$)", re.DOTALL)


def extract(context: PageContext, claims: PageClaims) -> None:
    """What a term's page says another game calls it, as an edge to that game's term.

    On the page of 使う, `本家Magicでは「プレイ」で統一されている` says that プレイ is that there.
    """
    page = context.page
    subject = subject_of(context) if context.is_game_known and not page.redirect else None
    if subject is None or "/term/" not in subject[0]:
        return
    node_id, _ = subject
    for place, passage in enumerate(page.passages):
        for game, name, start, end in stated_names(passage.text):
            if game != context.game:
                details = {"relation": "close", "basis": f"the page says so: {passage.text}"}
                reason = f"no page here is about {name} of {game}"
                claims.edges.append(
                    EdgeClaim(
                        "same_concept",
                        node_id,
                        term_id(game, name),
                        name,
                        context.passage_ids[place],
                        start,
                        end,
                        reason,
                        details,
                    )
                )


def stated_names(text: str) -> Iterator[tuple[str, str, int, int]]:
    """The words that a text says another game has for its subject: game, word, start and end.

    >>> list(stated_names("デュエル・マスターズでは「山」と呼ぶ。"))
    [('dm', '山', 13, 14)]
    >>> list(stated_names("遊戯王では「山」とは呼ばない。デュエル・マスターズの「山」とは異なる。"))
    []
    """
    if not ANY_MENTIONED.search(text):
        return
    for sentence in _SENTENCE.finditer(text):
        for game in GAMES:
            for found in re.finditer(game.mentioned + _CALLED, sentence[0]):
                start = sentence.start() + found.start("name")
                yield game.id, found["name"], start, start + len(found["name"])
