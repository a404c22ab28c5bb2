"""A text whose claims are verified, with what they are held against."""

from __future__ import annotations

from graphs.store.reader import Store
from kb.checking.claims.game_and_edition_meant import TextContext
from kb.checking.claims.loaded_rulebooks import Rulebooks
from kb.checking.claims.quotation_sources import QuotationSources
from kb.checking.claims.readable_text import readable_text


class VerifiedText:
    """A text and what is known of it.

    store, rulebooks, sources: the knowledge base, its rules, and where words of quotations stand.
    readable: the text as people read it.
    context: which game and edition is meant at which place.
    asked_game, asked_edition, asked_lang: what a person says that it is about; None if nothing.
    """

    def __init__(
        self, store: Store, text: str, game: str | None, edition: str | None, lang: str | None
    ) -> None:
        self.store = store
        self.asked_game, self.asked_edition, self.asked_lang = game, edition, lang
        self.rulebooks = Rulebooks(store)
        self.readable = readable_text(text)
        self.context = TextContext(self.readable.text, self.rulebooks, game, edition)
        self.sources = QuotationSources(store, self.rulebooks, game, lang)

    def games_quoted(self, offset: int) -> tuple[str, ...]:
        """Return the games whose rules may be quoted at some place, the likeliest first: those of
        `TextContext.games_at`, then all others with rules, unless a person asked for one."""
        likely = self.context.games_at(offset)
        others = () if self.asked_game else self.rulebooks.games
        return tuple(dict.fromkeys([*likely, *others]))

    def lang_named(self, offset: int) -> str | None:
        """Return the language that a person asks for, or that the text names for the rules at a
        place; None if neither does, and where a person asks for an edition, which is meant in
        whatever language there is."""
        if self.asked_edition:
            return None
        return self.asked_lang or self.context.lang_named(offset)

    def known_numbers(self) -> frozenset[str]:
        """Return the numbers of the rules of the games that the text is about or names, of all
        editions; if it is about none, of all games."""
        last = self.context.games_at(len(self.readable.text))
        games = {self.context.game, *last, *self.context.named_games}
        return frozenset().union(*map(self.rulebooks.known, games))
