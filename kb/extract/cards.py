"""Cards, from the pages that give one card: its names, its reading, its text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphs.facts import Claim, Facts, LabelClaim, Want
from graphs.model import Label, Node
from kb.extract.reading import Reading
from kb.fold import fold, plain
from kb.names import Name, read_name
from scraper import address

_NAME, _TEXT = "カード名", "テキスト"
_FACE = re.compile(r"(.+?)\s*[(（]([ぁ-ゖァ-ヺー・、\s]+)[)）]", re.DOTALL)
_HALVES = "+"  # between the names of a card's two halves
_BEFORE_WIKI = -1  # a card's own page has its text, which the wikis' pages have not


def card_id(game: str, label: str) -> str:
    """The id of a card: by its Japanese name.

    >>> card_id("mtg", "セラの天使")
    'mtg/card/セラの天使'
    """
    return f"{game}/card/{plain(label)}"


def extract(reading: Reading, facts: Facts) -> None:
    """The card that a card page gives. Its halves and its back face are names of it."""
    page = reading.page
    if page.source != "wisdom-guild" or not page.passages or page.passages[0].kind != "title":
        return
    faces = [_face(value) for value in _values(reading, _NAME)]
    name = read_name(page.passages[0].text)
    if not faces or not name.label:
        return
    node_id = card_id(reading.game, name.label)
    node = reading.node(
        node_id, "card", label=name.label, reading=_reading(name, faces),
        text="\n".join(text for text in _values(reading, _TEXT) if text) or None,
    )  # fmt: skip
    facts.claims.append(Claim(node, reading.rank(_BEFORE_WIKI)))
    for label in dict.fromkeys(_labels(node, name, faces, _wiki_title(reading))):
        facts.labels.append(LabelClaim(node_id, label, fold(label.text)))
    facts.wants.append(_defines(reading, node_id, name.label))


def _values(reading: Reading, label: str) -> list[str]:
    """What the details give under a label: a value a half, and again for a back face."""
    rows = (p.text.split("\t") for p in reading.page.passages if p.kind == "row")
    return [value.strip() for row in rows if row[0] == label for value in row[1:]]


def _face(value: str) -> Name:
    """A name as the details write it.

    >>> _face("火/Fire（ひ）").english, _face("火/Fire（ひ）").reading
    ('Fire', 'ひ')
    """
    found = _FACE.fullmatch(value)
    name = read_name(found[1] if found else value)
    return Name(name.label, plain(found[2]) if found else None, name.english)


def _reading(name: Name, faces: list[Name]) -> str | None:
    """The reading of the whole name: of the face that has it, or of its halves in turn."""
    for face in faces:
        if face.label == name.label:
            return face.reading
    halves = [face.reading for face in faces if face.label in name.label.split(_HALVES)]
    return _HALVES.join(half for half in halves if half) or None


def _labels(node: Node, name: Name, faces: list[Name], wiki: str | None) -> Iterator[Label]:
    yield Label("ja", name.label)
    if name.english:
        yield Label("en", name.english)
    if node.reading:
        yield Label("ja", node.reading, "reading")
    for face in faces:
        if face.label != name.label:
            yield Label("ja", face.label, "alias")
        if face.english and face.english != name.english:
            yield Label("en", face.english, "alias")
        if face.reading and face.reading != node.reading:
            yield Label("ja", face.reading, "reading")
    if wiki:
        yield Label("ja", wiki, "alias")


def _wiki_title(reading: Reading) -> str | None:
    """The title of the card's page on MTG Wiki, to which the card page's title leads."""
    for link in reading.page.passages[0].links:
        place = address.read(link.target)
        if place and place.source == "mtgwiki":
            return place.name
    return None


def _defines(reading: Reading, node_id: str, label: str) -> Want:
    title, passage = reading.page.passages[0], reading.passage_ids[0]
    start = max(0, title.text.find(label))
    end = start + len(label) if label in title.text else len(title.text)
    return Want("defines", reading.page_id, node_id, label, passage, start, end, "")
