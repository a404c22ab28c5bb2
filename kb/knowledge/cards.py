"""Extracts cards from wiki pages and pages of details: names, printed fields and rules text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from graphs.model import EdgeKind, Label, kind_of_id
from graphs.writing.page_claims import EdgeClaim, NodeClaim, PageClaims
from kb.knowledge import claim_ranks
from kb.knowledge.page_subject import PageSubject, subject_of
from kb.knowledge.prepared_page import PageContext
from kb.knowledge.printed_cards import (
    Box,
    Face,
    Fields,
    PassageSpan,
    boxes,
    details_table,
    text_below_heading,
)
from kb.language.fold import fold, plain
from kb.language.headwords import Headword, label_claims, labels_of, parse_headword
from scraper import Page
from scraper.sites import page_address

_CARD = re.compile(r"《([^《》\n]{1,160})》")  # the longest name of a card has 141 characters
_HALVES = "+"  # between the names of a card's two halves, in Magic
_SIDES = "/"  # between the names of its two sides, in Duel Masters


def card_id(game: str, label: str) -> str:
    """Return the id of a card, whether or not there is such a card.

    game: the id of the game, such as `mtg`.
    label: the card's Japanese name, without 《》; else its only name.

    >>> card_id("mtg", "セラの天使")
    'mtg/card/セラの天使'
    """
    return f"{game}/card/{plain(label)}"


@dataclass(frozen=True, slots=True)
class Card:
    """A card as a page gives it.

    id: the card's id.
    name: its name, with reading and English where the page has them.
    named: where the page gives the name.
    faces: its faces, or halves; empty if the page has no more than the name.
    fields: what is printed on the card as a whole, by name.
    rank: how little authority the page has on the card: the rank of the claim, for pages without
        a notice.
    """

    id: str
    name: Headword
    named: PassageSpan
    faces: tuple[Face, ...] = ()
    fields: Fields = field(default_factory=dict)
    rank: int = claim_ranks.OWN_PAGE

    @property
    def text(self) -> str:
        """The rules text of all faces, in order, joined by line breaks, without faces that have
        none; empty if the page has none."""
        return "\n".join(face.text for face in self.faces if face.text)

    @property
    def details(self) -> dict[str, Any]:
        """What is printed on the card, by name, besides its `text`; `faces` has what is printed on
        each face, with names and text, if there are several.

        The fields of the front face are also the card's if the two have the same name. The result
        may be empty.
        """
        front = self.faces[0].fields if self._is_named_as_front else {}
        details: dict[str, Any] = {**front, **self.fields}
        if len(self.faces) > 1:
            details["faces"] = [_face_details(face) for face in self.faces]
        return details

    @property
    def _is_named_as_front(self) -> bool:
        """Whether the card has the name of its front face, folded; false without faces."""
        return bool(self.faces) and fold(self.faces[0].name.label) == fold(self.name.label)


def _face_details(face: Face) -> dict[str, Any]:
    """Return what is printed on a face, by name, with its `name`, `english`, `reading` and `text`
    as far as it has them."""
    names = {"name": face.name.label, "english": face.name.english, "reading": face.name.reading}
    return {
        **{key: value for key, value in names.items() if value},
        **face.fields,
        **({"text": face.text} if face.text else {}),
    }


def extract(context: PageContext, claims: PageClaims) -> None:
    """Add the cards that the page gives to `claims`, with their names and edges.

    The names of halves, sides and back faces are names of their card; so is the title of the MTG
    Wiki page to which a details page links. No edge is added for the card that a wiki's page is
    about: `page_subject` adds it. Nothing is added for pages without cards (see `cards`).
    """
    wiki_title = _linked_wiki_title(context.page)
    for card in cards(context):
        node = context.make_node(
            card.id,
            "card",
            label=card.name.label,
            reading=card.name.reading,
            text=card.text or None,
            details=card.details or None,
        )
        claims.nodes.append(NodeClaim(node, context.rank(card.rank)))
        labels = [*_labels(card), *([Label("ja", wiki_title, "alias")] if wiki_title else [])]
        claims.labels += label_claims(card.id, labels, context.passage_ids[card.named.place])
        if card.rank != claim_ranks.OWN_PAGE:  # `page_subject` adds the edge of a page on the card
            claims.edges.append(_edge(context, card))


def cards(context: PageContext) -> Iterator[Card]:
    """Yield the cards of which the page has a box, a table of details, or a heading, each once;
    none for a page that is neither a wiki's nor a page of details, such as a rulebook."""
    if context.page.engine == "wisdomguild":
        yield from _details_page_card(context)
    elif context.is_wiki:
        yield from _wiki_cards(context)


def _wiki_cards(context: PageContext) -> Iterator[Card]:
    """Yield the cards of a wiki's page. If it shows a card twice, the first box counts.

    Cards with a box come first; then the card that the page is about, if it has no box but text
    below the heading; then, if the wiki's game is known, cards that have only a heading in 《》.
    """
    page, page_card = context.page, _page_card(context)
    seen: set[str] = set()  # folded names
    for faces in _split_into_cards(list(boxes(page.game, page.passages)), page, page_card):
        card = _box_card(context.game, faces, page_card)
        if (folded := fold(card.name.label)) not in seen:
            seen.add(folded)
            yield card
    if page_card and (folded := fold(page_card.name.label)) not in seen:
        seen.add(folded)
        if face := text_below_heading(page.passages):
            yield Card(page_card.node, page_card.name, face.named, faces=(face,))
    if context.is_game_known:  # only then a name in 《》 is sure to be a card's
        yield from _heading_cards(context, seen)


def _page_card(context: PageContext) -> PageSubject | None:
    """Return the card that the page is about, by the page's name; None if it is no card's."""
    subject = subject_of(context)
    return subject if subject and kind_of_id(subject.node) == "card" else None


def _split_into_cards(
    page_boxes: list[Box], page: Page, page_card: PageSubject | None
) -> Iterator[tuple[Face, ...]]:
    """Yield the faces of each card in some boxes: one tuple for each card.

    The faces in one table are one card. Those in consecutive lines are only one card on the page
    of that card, or if the page joins their names: 《A/B》.

    page_boxes: all boxes of the page, in its order.
    page_card: the card that the page is about; None if it is about no card.
    """
    is_unclear = any(not box.is_one_card and len(box.faces) > 1 for box in page_boxes)
    names_in_text = {
        fold(name)
        for passage in page.passages
        if is_unclear
        for name in _CARD.findall(passage.text)
    }
    for box in page_boxes:
        joined = fold(_SIDES.join(face.name.label for face in box.faces))
        if box.is_one_card or _is_page_card(page_card, box.faces) or joined in names_in_text:
            yield box.faces
        else:
            yield from ((face,) for face in box.faces)


def _is_page_card(page_card: PageSubject | None, faces: tuple[Face, ...]) -> bool:
    """Return whether some faces are those of the card that the page is about; false if it is about
    none (None).

    They are if the card's name is that of the front face, in either language, or the names of
    all faces joined.
    """
    if page_card is None:
        return False
    names = [face.name.label for face in faces]
    folded = {fold(name) for name in (names[0], _SIDES.join(names), _HALVES.join(names))}
    english, page_english = faces[0].name.english, page_card.name.english
    same_english = english and page_english and fold(english) == fold(page_english)
    return bool(same_english) or fold(page_card.name.label) in folded


def _box_card(game: str, faces: tuple[Face, ...], page_card: PageSubject | None) -> Card:
    """Return the card with some faces: the one that the page is about, if the names say so.

    That card has the page's name for it, with the face's English name or reading if the page gives
    none and there is only one face. Another card has the name of its only face, or the names of all
    faces joined with `/`, and the rank of a box.

    game: the id of the game, for the id of another card.
    faces: at least one.
    page_card: the card that the page is about; None if it is about no card.
    """
    joined = Headword(_SIDES.join(face.name.label for face in faces))
    name = faces[0].name if len(faces) == 1 else joined
    if page_card and _is_page_card(page_card, faces):
        page_name = replace(
            page_card.name,
            english=page_card.name.english or name.english,
            reading=page_card.name.reading or name.reading,
        )
        return Card(page_card.node, page_name, faces[0].named, faces)
    return Card(card_id(game, name.label), name, faces[0].named, faces, rank=claim_ranks.CARD_BOX)


def _heading_cards(context: PageContext, seen: set[str]) -> Iterator[Card]:
    """Yield the cards for which the page has a heading in 《》, but no box; they have no faces.

    seen: the folded names of the cards with a box; those of the new cards are added to it.
    """
    for place, passage in enumerate(context.page.passages):
        if passage.kind == "heading" and _CARD.fullmatch(passage.text.strip()):
            ruby = [(ruby.start, ruby.end, ruby.reading) for ruby in passage.ruby]
            name = parse_headword(passage.text, ruby)
            if (folded := fold(name.label)) and folded not in seen:
                seen.add(folded)
                span = PassageSpan(place, 0, len(passage.text))
                yield Card(
                    card_id(context.game, name.label), name, span, rank=claim_ranks.CARD_HEADING
                )


def _details_page_card(context: PageContext) -> Iterator[Card]:
    """Yield the card of a page with a table of details: one, or none without a title or such a
    table. The title joins the names of halves."""
    passages = context.page.passages
    if not passages or passages[0].kind != "title" or not (box := details_table(passages)):
        return
    name, title = parse_headword(passages[0].text), passages[0].text
    if not name.label:
        return
    start = max(0, title.find(name.label))
    end = start + len(name.label) if name.label in title else len(title)
    yield Card(
        id=card_id(context.game, name.label),
        name=replace(name, reading=_whole_reading(name, box.faces)),
        named=PassageSpan(0, start, end),
        faces=box.faces,
        fields=box.fields,
        rank=claim_ranks.CARD_DETAILS,
    )


def _whole_reading(name: Headword, faces: tuple[Face, ...]) -> str | None:
    """Return the reading of a card's name: that of the face with this name.

    If no face has it, the readings of its halves, joined as their names are; None without any.
    """
    for face in faces:
        if face.name.label == name.label:
            return face.name.reading
    halves = [face.name.reading for face in faces if face.name.label in name.label.split(_HALVES)]
    return _HALVES.join(reading for reading in halves if reading) or None


def _labels(card: Card) -> Iterator[Label]:
    """Yield the names of a card, in Japanese and English, and readings: its own, then those of its
    faces that differ, names as aliases. Faces that share a name give it again."""
    name = card.name
    yield from labels_of(name)
    for face_name in (face.name for face in card.faces):
        if face_name.label != name.label:
            yield Label("ja", face_name.label, "alias")
        if face_name.english and face_name.english != name.english:
            yield Label("en", face_name.english, "alias")
        if face_name.reading and face_name.reading != name.reading:
            yield Label("ja", face_name.reading, "reading")


def _linked_wiki_title(page: Page) -> str | None:
    """Return the title of the page of a MediaWiki site, such as MTG Wiki, to which the title of a
    details page links first; None if there is no such link, or if the page is no details page."""
    if page.engine != "wisdomguild" or not page.passages:
        return None
    for link in page.passages[0].links:
        place = page_address.read(link.target)
        if place and place.site and place.site.engine == "mediawiki":
            return place.name
    return None


def _edge(context: PageContext, card: Card) -> EdgeClaim:
    """Return the edge `defines` from the page to a card that it shows; for a card that has only a
    heading there, the edge `mentions` from the heading's section. The evidence is the name."""
    kind: EdgeKind = "defines"
    source = context.page_id
    if card.rank == claim_ranks.CARD_HEADING:
        kind = "mentions"
        source = context.section_ids[context.page.passages[card.named.place].section]
    return EdgeClaim(
        kind=kind,
        source=source,
        target=card.id,
        target_label=card.name.label,
        passage=context.passage_ids[card.named.place],
        start=card.named.start,
        end=card.named.end,
    )
