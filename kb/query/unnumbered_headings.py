"""Finds headings that an edition of a rulebook numbers in one language and not in another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graphs.model import Node
from graphs.store.reader import Store
from scraper.rulebook.numbering import number_key

_LONGEST = 60  # characters of a heading
_MOST_BEFORE = 12  # passages before a rule that are read
_STOPS = tuple('。．.!?！？;；:：,、…」”’"')


@dataclass(frozen=True, slots=True)
class UnnumberedHeading:
    """A heading without a number.

    lang, text: the heading; of a preface with all that is below it.
    preface: whether it is the heading of a text before all rules, which is cited by no number.
    behind: the id of the rule that it stands behind, and whose text it was taken for; None if it
        stands before all rules.
    """

    lang: str
    text: str
    behind: str | None = None
    preface: bool = False


def unnumbered_headings(
    store: Store, having: Mapping[str, Node], lacking: Mapping[str, Node]
) -> dict[str, UnnumberedHeading]:
    """Return {number of a rule: its heading without number} for rules that one language numbers.

    having: the rules of the language that numbers them, by number; lacking: those of the other.

    The heading of such a rule stands in the other language directly before the next rule that both
    have; or, if the rule is a preface, anywhere before the first one. A line is taken for a heading
    if it is short and ends as no sentence does.
    """
    numbers = sorted(having, key=number_key)
    found: dict[str, UnnumberedHeading] = {}
    for index, number in enumerate(numbers):
        if number in lacking or not _is_heading(_first_line(having[number])):
            continue
        following = next((one for one in numbers[index + 1 : index + 3] if one in lacking), None)
        if following is None or following != numbers[index + 1]:
            continue
        heading = _heading_before(store, lacking[following], having[number])
        if heading:
            found[number] = heading
    return found


def _heading_before(store: Store, following: Node, rule: Node) -> UnnumberedHeading | None:
    """Return the heading that stands where a rule's number should, before the next rule; None if
    none does."""
    passages = store.passages
    start = passages.first_passage_giving([following.id]).get(following.id)
    if start is None:
        return None
    ids = passages.preceding([start], _MOST_BEFORE)[start]
    places = {place.passage: place for place in passages.places(ids)}
    texts = passages.texts(ids)
    rules = [place.rule for place in places.values() if place.rule]
    begins_rule = set(passages.first_passage_giving(rules).values())
    is_preface = "\n" in (rule.text or "").strip() and not rules
    lang, below = following.lang or "", ""
    for passage in ids:
        text = texts[passage].text.strip()
        is_title = texts[passage].bare and not rules
        if passage in begins_rule or is_title:
            return None
        if _is_heading(text):
            return UnnumberedHeading(lang, text + below, places[passage].rule, is_preface)
        if not is_preface:
            return None
        below = f"\n{text}{below}"
    return None


def _first_line(rule: Node) -> str:
    return (rule.text or "").strip().partition("\n")[0]


def _is_heading(line: str) -> bool:
    return bool(line) and len(line) <= _LONGEST and "\n" not in line and not line.endswith(_STOPS)
