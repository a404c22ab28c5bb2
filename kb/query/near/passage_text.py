"""What is embedded for a passage: its words, after those that say where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from graphs.store.passage_index import PassageText
from graphs.store.reader import Store
from kb.query.lookup.passage_places import Place, find_places, without_rule_number
from kb.query.near.encoder import MOST_CHARACTERS, embeddable_text
from scraper.rulebook.numbering import parent_number

# By hand. Together they may have more than the third of 450 characters that is theirs if a passage
# needs the rest: the names stand first, as they say most in few words.
_MOST_NAME = 60  # characters of a page's name, and of a heading: 99 of 100 have up to 42
_MOST_ABOVE = 120  # of the rule or list item above
_SEPARATOR = " / "


@dataclass(frozen=True, slots=True)
class EmbeddedText:
    """What is embedded for a passage.

    text: at most 450 characters.
    lang: the language of the passage; empty if it is not known.
    bare: whether the passage is a heading, a title or an entry of contents.
    """

    text: str
    lang: str
    bare: bool


def embedded_texts(store: Store, passages: Iterable[str]) -> dict[str, EmbeddedText]:
    """Return what is embedded for passages, by their ids; an id that is no passage's is left out.

    Before the passage stand the name of its page, its heading, and the rule or list item above it.
    The page of a numbered rule is its rulebook, whose name tells nothing and is left out, and so
    are the numbers of rules. The passage keeps two thirds of the 450 characters if it needs them.
    """
    ids = list(passages)
    places, texts = find_places(store, ids), store.passages.texts(ids)
    above = _texts_above(store, places)
    return {
        passage: EmbeddedText(
            _joined(place, texts[passage], above.get(passage, "")), place.lang, texts[passage].bare
        )
        for passage, place in places.items()
        if passage in texts
    }


def _joined(place: Place, text: PassageText, above: str) -> str:
    """Return what is embedded for a passage: what it stands under, each part once, then its own
    words, with ` / ` between; of at most 450 characters.

    above: the text of the rule or list item above it; empty if there is none.
    """
    own = embeddable_text(without_rule_number(text.text, text.number or ""))
    names = ["" if place.number else place.page, place.heading or place.section]
    context = [embeddable_text(name)[:_MOST_NAME].rstrip() for name in names]
    context.append(embeddable_text(above)[:_MOST_ABOVE].rstrip())
    parts = [part for part in dict.fromkeys(context) if part and part != own]
    before = _SEPARATOR.join(parts)
    room = max(MOST_CHARACTERS - len(own) - len(_SEPARATOR), MOST_CHARACTERS // 3)
    return embeddable_text(_SEPARATOR.join(part for part in (before[:room].rstrip(), own) if part))


def _texts_above(store: Store, places: Mapping[str, Place]) -> dict[str, str]:
    """Return, for passages by their ids, the text of the rule or the list item above each.

    Above a rule's examples and further paragraphs stands the rule; above what states a rule, the
    rule that it is part of. A passage without any of these is left out.
    """
    stated = store.passages.first_passage_giving({place.rule for place in places.values()} - {""})
    parents = {
        place.rule: place.rule.removesuffix(place.number) + number
        for place in places.values()
        if place.number and (number := parent_number(place.number))
    }
    stated |= store.passages.first_passage_giving(set(parents.values()) - stated.keys())
    above: dict[str, str] = {}
    for passage, place in places.items():
        first = stated.get(place.rule)
        upper = stated.get(parents.get(place.rule, "")) if first == passage else first
        if upper and upper != passage:
            above[passage] = upper
    others = store.passages.lookup(places.keys() - above.keys())
    above |= {found.id: found.parent for found in others.values() if found.parent}
    texts = store.passages.texts(set(above.values()))
    return {
        passage: without_rule_number(texts[upper].text, texts[upper].number or "")
        for passage, upper in above.items()
        if upper in texts
    }
