"""The dataclasses of the termbase: a concept, its names and definitions; a person's decision."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Status = Literal["preferred", "admitted", "deprecated", "forbidden"]
Reason = Literal[
    "title",  # a page, a rule's heading or an entry of a glossary has this name
    "alias",  # a page gives it as another name
    "redirect",  # a page of this name leads to the concept's page
    "abbreviation",
    "older edition",  # only an older edition of the rulebook uses it
    "obsolete",  # a glossary calls it so
    "other translator",  # another source translates so
    "list",  # only a list of names gives it
    "proposed",  # no page states it: it was found by comparing aligned rules
    "decision",  # a person's decision
]
IN_USE: tuple[Status, ...] = ("preferred", "admitted")  # of names that may be used
PartOfSpeech = Literal["noun", "verb", "adjective", "adverb", "other"]


@dataclass(frozen=True, slots=True)
class ConceptName:
    """A name of a concept in one language.

    lang: the language, such as `ja`.
    text: the name as it is written.
    status: whether to use it. A concept has at most one `preferred` name in each language.
    why: what the status rests on.
    authority: who gives the name, for people to read: `引く (mtgwiki)`, `COMPREHENSIVE RULES
        (20260709)`; the file of a decision. Empty if unknown.
    passage: the id of the passage that gives it.
    url, edition: of the page that gives it.
    reading: the pronunciation of a Japanese name, in kana.
    part_of_speech: None if unknown.
    context, context_passage: a sentence that uses the name, and the passage that has it.
    count: how many times passages write it so.
    score: of a name that is only proposed, the log-likelihood ratio of its co-occurrence.
    note: a remark for people: what a decision says, or what a proposal rests on.
    """

    lang: str
    text: str
    status: Status = "preferred"
    why: Reason = "title"
    authority: str = ""
    passage: str | None = None
    url: str | None = None
    edition: str | None = None
    reading: str | None = None
    part_of_speech: PartOfSpeech | None = None
    context: str | None = None
    context_passage: str | None = None
    count: int = 0
    score: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class ConceptDefinition:
    """A text that defines a concept, and who gives it.

    authority, passage, url, edition: as for `ConceptName`.
    """

    lang: str
    text: str
    authority: str = ""
    passage: str | None = None
    url: str | None = None
    edition: str | None = None


@dataclass(frozen=True, slots=True)
class RelatedConcept:
    """A concept of another game that is the same (`exact`) or nearly the same (`close`).

    basis: why it is held to be so, in words.
    """

    id: str
    relation: Literal["exact", "close"]
    basis: str = ""


@dataclass(frozen=True, slots=True)
class ConceptSpelling:
    """How passages write a name where they differ from it, and how often."""

    lang: str
    text: str
    count: int


@dataclass(frozen=True, slots=True)
class Concept:
    """A term or card of one game with all that a translator needs to know of it.

    id: the id of its node, such as `mtg/term/引く`; of a concept that only decisions name,
        `decision/` and its first name.
    kind: `term` or `card`.
    names: by language, preferred ones first.
    spellings: what passages write that is not one of the names.
    """

    id: str
    game: str | None
    names: tuple[ConceptName, ...]
    kind: Literal["term", "card"] = "term"
    definitions: tuple[ConceptDefinition, ...] = ()
    related: tuple[RelatedConcept, ...] = ()
    spellings: tuple[ConceptSpelling, ...] = ()
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person, or a termbase of theirs, decides about a name.

    term: the concept that the name belongs to: its id or any of its names.
    lang, name: the name that is decided on; it need not be known yet.
    status: what is decided. A `preferred` name takes the place of the one that was.
    game: the game of the concept; None if the term alone tells it.
    reading, part_of_speech, definition: as for a concept; empty or None if not given.
    where: the file and line that say so, for messages: `decisions.csv:3`.
    is_proposed: whether an export says that the name is only proposed, and nobody changed that.
    """

    term: str
    lang: str
    name: str
    status: Status = "preferred"
    note: str = ""
    game: str | None = None
    reading: str | None = None
    part_of_speech: PartOfSpeech | None = None
    definition: str = ""
    where: str = ""
    is_proposed: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class TranslationUnit:
    """One text in several languages: a rule, or the gloss of a glossary's entry.

    id: `mtg/cr/20260116/104.6`, or the id of the concept that is glossed and the
        edition, `mtg/term/手札#20260116`.
    kind: `rule` or `gloss`.
    texts: (language, text) of each language, two or more.
    game, edition: where it belongs.
    """

    id: str
    kind: Literal["rule", "gloss"]
    texts: tuple[tuple[str, str], ...]
    game: str | None = None
    edition: str | None = None
