"""The words of the explorer's pages: sentences in the language of the page, questions as links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from kb.reason import Argument, Ask, LeftOut, Reason, Wording
from kb.web.addresses import asked_address, asked_parameters, escaped, node_address
from kb.web.interface_language import Interface

if TYPE_CHECKING:
    from kb.web.request_and_reply import Visit


# What fields of forms are called, by the argument that they give.
_LABELS = {
    "game": "Game",
    "lang": "Language",
    "edition": "Edition",
    "source": "Source",
    "section": "In sections called",
    "kind": "What it states",
    "mentions": "That mention",
    "cites": "That cite",
}


# Values of reasons that are ids of games.
_GAMES = ("game", "games", "others", "own")


class PageWords(Wording):
    """Words reasons for a page; all that it returns is markup, with values escaped."""

    def __init__(self, interface: Interface, visit: Visit | None = None) -> None:
        """visit: the page that is made, whose parameters links need not name."""
        self.lang = interface.lang
        self._t, self._visit = interface, visit
        if self.lang == "ja":
            self._SEPARATORS = {"or": "または", "and": "と", ";": "；", "": "、"}
            self._BEFORE_ASK = "："

    def told(self, item: Reason | LeftOut) -> Markup:
        """Return what is said, of something with an id behind that, and with a link to the page
        that gives the rest, if one does and the sentence has none."""
        reason = item.reason if isinstance(item, LeftOut) else item
        said = self.sentence(reason)
        if isinstance(item, LeftOut) and item.id is not None:
            name, page = item.id.rpartition("/")[2], node_address(self.lang, item.id)
            said = f'<a href="{escaped(page)}">{escaped(name)}</a>{self._BEFORE_ASK}{said}'
        address = asked_address(self.lang, reason.ask) if reason.ask else None
        if address and not self.holds_ask(reason):
            said += (
                f' <a class="screen short" href="{escaped(address)}">{escaped(self._t("show"))}</a>'
            )
        return Markup(said)

    def pieces(self, reason: Reason) -> Iterator[str]:
        values = reason.values
        games: dict[str, Any] = {}
        for name in _GAMES:
            if isinstance(given := values.get(name), str):
                games[name] = self._t.game(given)
            elif isinstance(given, list | tuple):
                games[name] = tuple(self._t.game(str(each)) for each in given)
        yield from super().pieces(type(reason)(reason.code, reason.ask, **{**values, **games}))

    def value(self, text: str) -> str:
        return str(escaped(text))

    def edition(self, edition: str) -> str:
        return str(escaped(self._t.date(edition)))

    def noun(self, word: str, article: bool) -> str:
        words = self._t(word)
        return str(escaped(super().noun(words, article) if self.lang == "en" else words))

    def argument(self, argument: Argument) -> str:
        """Return an argument as its field in forms is called, with its value, in quotation marks;
        what has no field as it stands in addresses."""
        if label := _LABELS.get(argument.name):
            called = str(escaped(self._t(label)))
            if argument.value not in (None, ...):
                called += f"{self._BEFORE_ASK}{self._chosen(argument.name, str(argument.value))}"
            return f"「{called}」" if self.lang == "ja" else f"“{called}”"
        [(name, value)] = asked_parameters(argument).items()
        return str(escaped(name if value in (None, ...) else f"{name}={value}"))

    def _chosen(self, name: str, value: str) -> str:
        """Return the value of a field as forms have it: dates, kinds and languages in words."""
        if name == "edition":
            return self.edition(value)
        if name == "kind":
            return str(escaped(self._t(value)))
        if name == "game":
            return str(escaped(self._t.game(value)))
        return str(escaped(self._t.language(value) if name == "lang" else value))

    def ask(self, ask: Ask) -> str:
        """Return a link to the page that answers a question, called as what it asks for that the
        page that is visited does not; nothing if no page does."""
        address = asked_address(self.lang, ask)
        if address is None:
            return ""
        given = self._visit.parameters if self._visit else {}
        own = [
            self._t.game(str(value)) if name == "game" else str(value)
            for name, value in asked_parameters(ask).items()
            if value is not True and str(value) not in given.get(name, ())
        ]
        called = " ".join(own) or self._t("show")
        return f'<a href="{escaped(address)}">{escaped(called)}</a>'


def parameters_of(reason: Reason) -> dict[str, Any]:
    """Return the parameters of the page that gives what a reason speaks of, but for a text, which
    a form sends.

    >>> parameters_of(Reason("of_name", Ask("verify", text="…", game="mtg"), kind="rule"))
    {'game': 'mtg'}
    """
    parameters = asked_parameters(reason.ask) if reason.ask else {}
    return {name: value for name, value in parameters.items() if name != "text"}


def cut(text: str | None, most: int) -> str:
    """Return the first `most` characters of a text at most, with … behind it if it is cut: of words
    with spaces behind a whole one.

    >>> cut("Its owner may put it into a hand", 22), cut("手札を公開する", 3), cut("Draw", 9)
    ('Its owner may put it…', '手札を…', 'Draw')
    """
    text = text or ""
    if len(text) <= most:
        return text
    first = text[:most]
    if first[-1:].isascii() and text[most].isascii() and text[most].isalnum():
        first = first.rpartition(" ")[0] or first
    return f"{first.rstrip()}…"
