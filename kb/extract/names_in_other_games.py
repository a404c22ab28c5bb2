"""Extracts what a page says another game calls the page's term, as an edge between the two."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from graphs.writing.page_claims import EdgeClaim, PageClaims
from kb.extract.page_context import PageContext
from kb.extract.terms import subject_of, term_id
from scraper.sites.games import ANY_MENTIONED, GAMES

# Behind the name of a game: では「name」と呼ばれる. Bounded, so that a text that says the game's
# name again and again takes time by its length.
_CALLED = (
    r"(?:において)?では[^「」]{0,200}「(?P<name>[^「」]{1,20})」"
    r"(?:で(?:統一|表記|表現)され|(?:と|とも)(?:呼ば?[ぶれ]|称[さす]|表記|表現|言[いうわ]|い[いうわ])"
    r"|に(?:相当|あた|当た))(?!.{0,6}ない)"
)
_SENTENCE = re.compile(r".*?(?:。|$)", re.DOTALL)


class NameInOtherGame(NamedTuple):
    """What a text says another game calls the text's subject.

    game: the id of the other game.
    name: its name for the subject, at text[start:end].
    """

    game: str
    name: str
    start: int
    end: int


def extract(context: PageContext, claims: PageClaims) -> None:
    """Add an edge from the page's term to each term of another game that the page says is the
    same concept.

    On the page of 使う, `本家Magicでは「プレイ」で統一されている` says that Magic calls it プレイ.
    """
    page = context.page
    subject = subject_of(context) if context.is_game_known and not page.redirect else None
    if subject is None or "/term/" not in subject.node:
        return
    for place, passage in enumerate(page.passages):
        for other in names_in_other_games(passage.text):
            if other.game != context.game:
                claims.edges.append(
                    EdgeClaim(
                        kind="same_concept",
                        source=subject.node,
                        target=term_id(other.game, other.name),
                        target_label=other.name,
                        passage=context.passage_ids[place],
                        start=other.start,
                        end=other.end,
                        reason=f"no page here is about {other.name} of {other.game}",
                        details={
                            "relation": "close",
                            "basis": f"the page says so: {passage.text}",
                        },
                    )
                )


def names_in_other_games(text: str) -> Iterator[NameInOtherGame]:
    """Yield the names that a text says games have for its subject.

    Each is (id of the game, name, start, end), where the name is text[start:end]. The game of the
    text itself is not excluded.

    >>> [tuple(name) for name in names_in_other_games("デュエル・マスターズでは「山」と呼ぶ。")]
    [('dm', '山', 13, 14)]
    >>> text = "遊戯王では「山」とは呼ばない。デュエル・マスターズの「山」とは異なる。"
    >>> list(names_in_other_games(text))
    []
    """
    # What _CALLED matches has both, which few texts have.
    if "では" not in text or "「" not in text or not ANY_MENTIONED.search(text):
        return
    for sentence in _SENTENCE.finditer(text):
        for game in GAMES:
            for match in re.finditer(game.mentioned + _CALLED, sentence[0]):
                start = sentence.start() + match.start("name")
                yield NameInOtherGame(game.id, match["name"], start, start + len(match["name"]))
