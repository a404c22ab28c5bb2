"""What a page of the explorer is given, and what it gives back."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

import kb
from kb.web.base_counts import loaded
from kb.web.interface_language import Interface

# The last place that a list may begin at; a guard: `number` takes no longer digits, and a place
# behind the end of the list is an error in any case.
_LAST = 1_000_000
# The id of a rule over all editions (`mtg/rule/903.9@20260116/en`).
RULE_OVER_ALL = re.compile(
    r"(?P<game>[^/]+)/rule/(?P<number>[^@/]+)@(?P<edition>[^/]+)/(?P<lang>[^/]+)"
)
# That of a rule in an edition (`mtg/cr/20260116/en/903.9`).
RULE_IN_EDITION = re.compile(
    r"(?P<game>[^/]+)/cr/(?P<edition>[^/]+)/(?P<lang>[^/]+)/(?P<number>[^/]+)"
)


@dataclass(frozen=True)
class Visit:
    """A request for a page.

    base: the knowledge base that answers it.
    interface: the language of the explorer's own words.
    path: of the page below the interface's language, such as `node/mtg/term/引く`.
    parameters: of the address, or of a form that was sent: {name: its values}, none of them empty.
    asked: the names of parameters that were asked for so far, there or not: those that the page and
        its form know. several: those of which all values were asked for.
    taken: what was taken for something else in the questions that the page asked.
    site: the scheme and host by which the page was asked for, for addresses that are taken away.
    vectors: what is to be told of vectors that are being made; None if nothing is.
    """

    base: kb.KnowledgeBase
    interface: Interface
    path: str
    parameters: Mapping[str, tuple[str, ...]]
    asked: set[str] = field(default_factory=set, compare=False)
    several: set[str] = field(default_factory=set, compare=False)
    taken: list[kb.Reason] = field(default_factory=list, compare=False)
    vectors: kb.Reason | None = None
    site: str = ""

    def text(self, name: str, default: str = "") -> str:
        """Return the first value of a parameter, without space around it; the default if it has
        none."""
        self.asked.add(name)
        return next(iter(self.parameters.get(name, ())), default)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return all values of a parameter, in their order; none if it has none."""
        self.asked.add(name)
        self.several.add(name)
        return self.parameters.get(name, ())

    def reference(self, name: str) -> str:
        """Return what a field names: the id that its form keeps hidden if the field has the name of
        that still, else what was typed. Empty if the parameter is not there.

        Of a rule in an edition it is that rule in the edition and language that the form says, too;
        its number where no rule has it there."""
        given = self._ids(name).get(self.text(name), self.text(name))
        rule = RULE_IN_EDITION.fullmatch(given)
        if rule is None:
            return given
        game, number = rule["game"], rule["number"]
        edition, lang = self.text("edition", rule["edition"]), self.text("lang", rule["lang"])
        asked = f"{game}/cr/{edition}/{lang}/{number}"
        return asked if asked == given or self.named(asked) != asked else number

    def fixed(self, name: str) -> Mapping[str, str]:
        """Return the `game`, `edition` and `lang` of the rule that a field names; nothing if it
        names no rule in an edition."""
        rule = RULE_IN_EDITION.fullmatch(self.reference(name))
        return rule.groupdict() if rule else {}

    def references(self, name: str) -> tuple[str, ...]:
        """Return what all fields of a name name, as `reference` does."""
        ids = self._ids(name)
        return tuple(ids.get(each, each) for each in self.texts(name))

    def _ids(self, name: str) -> Mapping[str, str]:
        return {self.named(each): each for each in self.texts(f"{name}-id")}

    def named(self, ref: str) -> str:
        """Return what fields show of a reference: of an id its number or name, its game, edition
        and language, or its source; of anything else itself."""
        t = self.interface
        if rule := RULE_OVER_ALL.fullmatch(ref):
            return " · ".join((rule["number"], t.game(rule["game"]), t("all editions")))
        if "/" not in ref:
            return ref
        try:
            found = self.base.preview(ref)
        except kb.ERRORS:
            return ref
        node = found.node
        own = dict(reversed(found.names)).get(t.lang)
        name = node.number or own or node.label or found.page or t(node.kind)
        if node.kind == "page":
            return " · ".join(filter(None, (t.called(node), t.game(node.game))))
        book = (t.date(node.edition), t.language(node.lang)) if node.edition else ()
        source = t.source(node.source) if node.kind not in ("rule", "term", "card") else ""
        return " · ".join(filter(None, (name, t.game(node.game), *book, source)))

    def picture_words(self) -> Mapping[str, str]:
        """Return the words of pictures, with the names of the games that are loaded."""
        games = {game: self.interface.game(game) for game in loaded(self.base).games}
        return {**self.interface.words, **games}

    def unknown(self) -> tuple[str, ...]:
        """Return the names of the parameters that nothing has asked for, and then, as `name=value`,
        the further values of those of which only the first was asked for, if they differ from
        it."""
        names = [name for name in self.parameters if name not in self.asked]
        further = [
            f"{name}={value}"
            for name, values in self.parameters.items()
            if name in self.asked - self.several
            for value in values[1:]
            if value != values[0]
        ]
        return (*names, *further)

    def part_of(self, total: int, at_once: int) -> tuple[int, int | None]:
        """Return where the part of a list begins that a page shows, by the parameter `start`, and
        where the next part does; None if there is no more.

        total: how many items the list has. Raises kb.QuestionError if the part is behind its end.
        """
        start = self.number("start", 0, _LAST, least=0)
        if start and start >= total:
            raise kb.QuestionError("behind_end", start=start, total=total)
        following = start + at_once
        return start, following if following < total else None

    def flag(self, name: str) -> bool:
        """Whether a parameter is 1; raises kb.QuestionError if it is neither that nor 0."""
        given = self.text(name, "0")
        if given in ("0", "1"):
            return given == "1"
        raise kb.QuestionError("give_1_or_0", name=name)

    def number(self, name: str, default: int, most: int, least: int = 1) -> int:
        """Return a whole number, the default if none is given; raises kb.QuestionError if it is
        none, or out of range."""
        given = self.text(name)
        if not given:
            return default
        if given.isascii() and given.isdigit() and least <= int(given[:9]) <= most:
            return int(given[:9])
        raise kb.QuestionError("give_number", name=name, least=least, most=most)

    def choice(self, name: str, values: Any, default: str) -> Any:
        """Return a value out of some; the default if none is given.

        values: a `Literal` type with the values. Raises kb.QuestionError for another one.
        """
        given = self.text(name, default)
        if given in get_args(values):
            return given
        raise kb.QuestionError("none_of", name=name, given=given, values=get_args(values))

    def filters(self, *names: str) -> dict[str, Any]:
        """Return the parameters that narrow a question, as far as they are set: `game`, `edition`,
        `lang` and `source`, or the given ones."""
        known = names or ("game", "edition", "lang", "source")
        return {name: self.text(name) for name in known if self.text(name)}


@dataclass(frozen=True)
class Reply:
    """What a page shows.

    template: the template that shows it, such as `search.html`.
    values: for the template.
    document: gives the JSON document of the same answer, as `--json` prints it; None where nothing
        was asked yet.
    status: of HTTP; 404 if what was asked for is not there.
    table: gives the table of a list, for CSV; None where there is no list.
    leads_to: the address of the page that a browser is sent to instead; empty for none. The JSON
        of the answer is given all the same.
    max_age: seconds for which a browser may show it without asking again; 0 where it must ask.
    """

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    document: Callable[[], Mapping[str, Any]] | None = None
    status: int = 200
    table: Callable[[], kb.Table] | None = None
    leads_to: str = ""
    max_age: int = 0


Page = Callable[[Visit], Reply]

# The values of `error.html` where there is nothing else to go on with.
NOTHING_ELSE: Mapping[str, Any] = {"others": (), "near_words": (), "words": ""}
