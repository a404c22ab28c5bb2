"""Cards: which page gives which, with its names and all that the page shows printed on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from graphs.model import Label
from graphs.writing.claims import EdgeClaim, NodeClaim, PageClaims
from kb.extract.card_text import Box, Face, Fields, boxes, details, unread
from kb.extract.context import PageContext
from kb.extract.terms import subject_of
from kb.language.fold import fold, plain
from kb.language.headwords import Headword, label_claims, labels_of, parse_headword
from scraper import Page
from scraper.sites import address

_CARD = re.compile(r"《([^《》\n]{1,160})》")
_HALVES = "+"  # between the names of a card's two halves, in Magic
_SIDES = "/"  # between the names of its two sides, in Duel Masters

# How much a page's word on a card weighs, the less the more. A card's own page has its text,
# which the wikis' pages have not always; a page on something else may show its box in passing,
# or have a heading for it.
_CARD_PAGE, _OWN, _SHOWN, _NAMED = -1, 0, 1, 2

_Own = tuple[str, Headword]  # the card that a page is on: its id, its names


def card_id(game: str, label: str) -> str:
    """The id of a card: by its Japanese name.

    >>> card_id("mtg", "セラの天使")
    'mtg/card/セラの天使'
    """
    return f"{game}/card/{plain(label)}"


@dataclass(frozen=True, slots=True)
class Card:
    """A card as a page gives it: its names, its faces, and what is printed on it as a whole.

    `named` is the passage that names it, and from where to where; `authority` is how much the
    page's word on it weighs.
    """

    id: str
    name: Headword
    named: tuple[int, int, int]
    faces: tuple[Face, ...] = ()
    fields: Fields = field(default_factory=dict)
    authority: int = _OWN

    @property
    def text(self) -> str:
        """What is printed on all its faces."""
        return "\n".join(face.text for face in self.faces if face.text)

    @property
    def details(self) -> dict[str, Any]:
        """What is printed on it, by name. A card that has the name of its front face has what
        is printed there; of others only their faces do."""
        front = self.faces[0].fields if self._called_as_front else {}
        found: dict[str, Any] = {**front, **self.fields}
        if len(self.faces) > 1:
            found["faces"] = [_details(face) for face in self.faces]
        return found

    @property
    def _called_as_front(self) -> bool:
        return bool(self.faces) and fold(self.faces[0].name.label) == fold(self.name.label)


def _details(face: Face) -> dict[str, Any]:
    names = {"name": face.name.label, "english": face.name.english, "reading": face.name.reading}
    return {
        **{key: value for key, value in names.items() if value},
        **face.fields,
        **({"text": face.text} if face.text else {}),
    }


def extract(context: PageContext, claims: PageClaims) -> None:
    """The cards that the page gives. Halves, sides and back faces are names of their card."""
    wiki = _wiki_title(context.page)
    for card in cards(context):
        claims.nodes.append(
            NodeClaim(
                context.node(
                    card.id,
                    "card",
                    label=card.name.label,
                    reading=card.name.reading,
                    text=card.text or None,
                    details=card.details or None,
                ),
                context.rank(card.authority),
            )
        )
        labels = [*_labels(card), *([Label("ja", wiki, "alias")] if wiki else [])]
        claims.labels += label_claims(card.id, labels, context.passage_ids[card.named[0]])
        if card.authority != _OWN:  # whose page the terms have told of
            claims.edges.append(_given(context, card))


def cards(context: PageContext) -> Iterator[Card]:
    """The cards of which the page gives a box, a table of details, or a heading."""
    if context.page.engine == "wisdomguild":
        yield from _detailed(context)
    elif context.is_wiki:
        yield from _on_wiki(context)


def _on_wiki(context: PageContext) -> Iterator[Card]:
    """The cards of a wiki's page. Of a card that it shows twice, the first box speaks."""
    page, own = context.page, _own(context)
    seen: set[str] = set()
    for faces in _apart(list(boxes(page.game, page.passages)), page, own):
        card = _shown(context.game, faces, own)
        if (called := fold(card.name.label)) not in seen:
            seen.add(called)
            yield card
    if own and (called := fold(own[1].label)) not in seen:
        seen.add(called)
        if face := unread(page.passages):
            yield Card(*own, face.named, (face,))
    if context.is_game_known:  # then names in 《》 are cards'
        yield from _headed(context, seen)


def _own(context: PageContext) -> _Own | None:
    """The card that the page is on, by the page's name."""
    subject = subject_of(context)
    return subject if subject and "/card/" in subject[0] else None


def _apart(found: list[Box], page: Page, own: _Own | None) -> Iterator[tuple[Face, ...]]:
    """The faces of boxes, card by card.

    What stands in one table is one card. Lines that follow each other are so only on the page
    of their card, or where the page joins their names.
    """
    unsure = any(not box.one and len(box.faces) > 1 for box in found)
    joined = {
        fold(name) for passage in page.passages if unsure for name in _CARD.findall(passage.text)
    }
    for box in found:
        sides = fold(_SIDES.join(face.name.label for face in box.faces))
        if box.one or _is(own, box.faces) or sides in joined:
            yield box.faces
        else:
            yield from ((face,) for face in box.faces)


def _is(own: _Own | None, faces: tuple[Face, ...]) -> bool:
    """Whether these are the faces of the page's own card: that is called as its front is, in
    either language, or by all their names."""
    if own is None:
        return False
    names = [face.name.label for face in faces]
    called = {fold(name) for name in (names[0], _SIDES.join(names), _HALVES.join(names))}
    english = faces[0].name.english
    same = english and own[1].english and fold(english) == fold(own[1].english)
    return bool(same) or fold(own[1].label) in called


def _shown(game: str, faces: tuple[Face, ...], own: _Own | None) -> Card:
    """The card of a box: the page's own, if its names say so."""
    joined = Headword(_SIDES.join(face.name.label for face in faces))
    name = faces[0].name if len(faces) == 1 else joined
    if own and _is(own, faces):
        english, read = own[1].english or name.english, own[1].reading or name.reading
        return Card(own[0], replace(own[1], english=english, reading=read), faces[0].named, faces)
    return Card(card_id(game, name.label), name, faces[0].named, faces, authority=_SHOWN)


def _headed(context: PageContext, seen: set[str]) -> Iterator[Card]:
    """The cards that a page has headings for, but no box. `seen` are names, folded."""
    for place, passage in enumerate(context.page.passages):
        if passage.kind == "heading" and _CARD.fullmatch(passage.text.strip()):
            ruby = [(r.start, r.end, r.reading) for r in passage.ruby]
            name = parse_headword(passage.text, ruby)
            if (called := fold(name.label)) and called not in seen:
                seen.add(called)
                span = place, 0, len(passage.text)
                yield Card(card_id(context.game, name.label), name, span, authority=_NAMED)


def _detailed(context: PageContext) -> Iterator[Card]:
    """The card of a page of details: its title joins the names of its halves."""
    passages = context.page.passages
    if not passages or passages[0].kind != "title" or not (box := details(passages)):
        return
    name, title = parse_headword(passages[0].text), passages[0].text
    if not name.label:
        return
    start = max(0, title.find(name.label))
    end = start + len(name.label) if name.label in title else len(title)
    name = replace(name, reading=_reading(name, box.faces))
    node = card_id(context.game, name.label)
    yield Card(node, name, (0, start, end), box.faces, box.fields, _CARD_PAGE)


def _reading(name: Headword, faces: tuple[Face, ...]) -> str | None:
    """The reading of the whole name: of the face that has it, or of its halves in turn."""
    for face in faces:
        if face.name.label == name.label:
            return face.name.reading
    halves = [face.name.reading for face in faces if face.name.label in name.label.split(_HALVES)]
    return _HALVES.join(half for half in halves if half) or None


def _labels(card: Card) -> Iterator[Label]:
    name = card.name
    yield from labels_of(name)
    for face in (face.name for face in card.faces):
        if face.label != name.label:
            yield Label("ja", face.label, "alias")
        if face.english and face.english != name.english:
            yield Label("en", face.english, "alias")
        if face.reading and face.reading != name.reading:
            yield Label("ja", face.reading, "reading")


def _wiki_title(page: Page) -> str | None:
    """The title of the card's page on MTG Wiki, to which a card page's title leads."""
    if page.engine != "wisdomguild" or not page.passages:
        return None
    for link in page.passages[0].links:
        place = address.read(link.target)
        if place and place.site and place.site.engine == "mediawiki":
            return place.name
    return None


def _given(context: PageContext, card: Card) -> EdgeClaim:
    """That the page defines the card; one that has no more than a heading for it only has its
    section speak of it."""
    place, start, end = card.named
    passage = context.passage_ids[place]
    if card.authority == _NAMED:
        section = context.section_ids[context.page.passages[place].section]
        return EdgeClaim("mentions", section, card.id, card.name.label, passage, start, end, "")
    return EdgeClaim("defines", context.page_id, card.id, card.name.label, passage, start, end, "")
