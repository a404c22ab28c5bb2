"""A node's page: a rule, a term, a card, a page, or what a page states."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

import kb
from kb.web.addresses import node_address
from kb.web.base_counts import loaded, recent
from kb.web.examples import Examples
from kb.web.page_citation import cited
from kb.web.pages.glossary import names_by_language
from kb.web.pages.nearby import MOST_COMMENTS
from kb.web.request_and_reply import RULE_IN_EDITION, Reply, Visit

# Lengths of lists on a node's page, by hand: a glance at each kind; a link beside a list leads to
# the page that has all of it.
_MOST_REFERENCES = 40  # at once
_MOST_COUNTED = 1_000  # references to a rule that are read for what its page counts; a bound
_MOST_QUOTED = 500  # quotations that are looked at; a bound, as a page may be a whole rulebook
_MOST_OUTCOMES = 12
_MOST_RULINGS = 8
_MOST_OTHERS = 12  # things of the same name, where a node is not there
_MOST_NAMES = 2  # in a heading: in the language of the explorer and in another
_LONGEST_NAME = 100  # characters of the name that others are looked for by; a guard
# The ids of a rule (`mtg/cr/20231117/en/121.4`) and of a rulebook's page (`rulebook/mtg/cr/…/en`).
_IN_RULEBOOK = re.compile(
    r"(?:rulebook/)?(?P<game>[^/]+)/cr/[^/]+/[^/]+(?:/(?P<number>.+))?\Z", re.DOTALL
)
_OF_NAME = re.compile(r"(?P<game>[^/]+)/(?P<kind>term|card)/(?P<name>.+)")
_TEMPLATES = {
    "rule": "rule.html",
    "document": "rule.html",
    "term": "term.html",
    "card": "card.html",
    "page": "page.html",
    "section": "page.html",
}
# Rules on a page, by hand: with more a page is slow on a phone, with fewer chapters are cut apart.
_AT_ONCE = 100
# Rules that are read of a section: bounds the memory that a damaged or hostile file takes. All of
# Magic's rulebook has about 3,100.
_MOST = 20_000


@dataclass(frozen=True)
class RuleEdition:
    """A rule in one edition, beside the edition that is shown.

    changes: where its text differs from the one that is shown.
    below: the numbers of its sub-rules that are not the same, if the newest edition is shown.
    """

    rule: kb.Node
    changes: tuple[kb.Difference, ...]
    below: tuple[str, ...] = ()


def show(visit: Visit) -> Reply:
    """Return the list of what a reference names, each with a link to its page; with status 404 if
    it names nothing. Without `ref` it is the form, with an example and without JSON.

    Parameters: `ref`, the filters of `KnowledgeBase.show`, and `tree`, which links to a command's
    answer may have: the page of a rule has its sub-rules without it.
    """
    ref, _ = visit.text("ref"), visit.flag("tree")
    if not ref:
        examples = Examples(visit.base, visit.interface)
        return Reply("show.html", {"ref": "", "shown": None, "examples": examples})
    shown = visit.base.show(ref, **visit.filters())
    status = 200 if shown.matches else 404
    return Reply("show.html", {"ref": ref, "shown": shown}, shown.as_json, status, shown.table)


def node(visit: Visit) -> Reply:
    """Return the page of a node; if none has the id a page with status 404 and what else is called
    so. What has the name of one term, in any language or form, leads to that.

    The id is the rest of the path, or the parameter `id`. Of a rule with very many sub-rules
    `full` gives all with their texts, a part of them from `start`.
    """
    node_id = visit.path.removeprefix("node/") if visit.path != "node" else visit.text("id")
    shown = visit.base.show(node_id, tree=True)
    found = next((each for each in shown.matches if each.id == node_id), None)
    if found is None:
        if named := _named_so(visit, node_id):
            address = node_address(visit.interface.lang, named.id)
            return Reply("error.html", {}, shown.as_json, leads_to=address)
        reason = shown.why_none or kb.Reason("no_node", node=node_id)
        instead = _instead(visit, node_id)
        values = {"reason": reason, "near": shown.near, **instead}
        terms = [each for each in instead["others"] if each.kind == "term"]
        terms = [each for each in terms if node_id.startswith(f"{each.game}/term/")]
        leads_to = node_address(visit.interface.lang, terms[0].id) if len(terms) == 1 else ""
        return Reply("error.html", values, shown.as_json, 404, leads_to=leads_to)
    entry = next(each for each in shown.entries if each.node.id == node_id)
    template = _TEMPLATES.get(found.kind, "statement.html")
    details = {
        "rule.html": _rule,
        "term.html": _term,
        "card.html": _card,
        "page.html": _page,
    }.get(template, _statement)(visit, shown, entry)
    common = {
        "shown": shown,
        "entry": entry,
        "node": found,
        "citation": _citation(visit, found),
        "present": visit.base.present_rules([found.id]).get(found.id),
        **_references(visit, found),
    }
    return Reply(template, common | dict(details), shown.as_json)


def _named_so(visit: Visit, node_id: str) -> kb.Node | None:
    """Return the one term or card of a game that is called as the end of an id that no node has
    says; None if there is none, or more than one."""
    asked = _OF_NAME.fullmatch(node_id)
    if asked is None or len(asked["name"]) > _LONGEST_NAME:
        return None
    try:
        entries = visit.base.show(asked["name"], game=asked["game"]).entries
    except kb.ERRORS:
        return None
    named = [entry.node for entry in entries if entry.node.kind == asked["kind"]]
    return named[0] if len(named) == 1 else None


def _citation(visit: Visit, node: kb.Node) -> list[tuple[str, str]]:
    """Return (name of a form, how the page is cited in it)."""
    name = Examples(visit.base, visit.interface).name(node)
    address = visit.site + node_address(visit.interface.lang, node.id)
    source = visit.interface.source(node.source) if node.source else ""
    return cited(node, name, address, visit.interface.lang, source).forms()


def _has_parts(node: kb.Node) -> bool:
    """Whether what refers to the sub-rules of a rule refers to it: not of a chapter, of which that
    would be a third of the book."""
    return node.kind == "rule" and "." in (node.number or "")


def _instead(visit: Visit, node_id: str) -> dict[str, Any]:
    """Return what to go on with where a node is not there, as after the knowledge base was built
    again: the `words` of its id that name it, up to twelve `others` that are called so, such as the
    rule in other editions and languages, and `near_words`, names like it, if there is no other."""
    page, section = kb.page_and_section(node_id)
    of_rulebook = _IN_RULEBOOK.match(page)
    words = (of_rulebook["number"] if of_rulebook else "") or page.rpartition("/")[2]
    if section and of_rulebook:
        words = section.partition(" ")[0].strip(".")
    words = words.strip()[:_LONGEST_NAME]
    game = of_rulebook["game"] if of_rulebook else None
    try:
        named = visit.base.show(words, game=game) if words else None
    except kb.ERRORS:
        named = None
    entries = named.entries if named is not None else ()
    return {
        "words": words,
        "others": [
            each for entry in entries for each in (entry.node, *entry.same, *entry.different)
        ][:_MOST_OTHERS],
        "near_words": named.near if named is not None and not entries else (),
    }


def _references(visit: Visit, node: kb.Node) -> dict[str, Any]:
    """Return what every node's page shows: the references `inward` and `outward`, forty at most of
    each, with their lines; of a rule those of all its versions, the inward ones with its sub-rules'
    and up to a thousand, which are counted: `by_kind`, (kind, how many lines are rules, pages and
    so on), and `of_edition`, how many are of the rule's own edition."""
    base, ref, parts = visit.base, node.rule or node, _has_parts(node)
    most = _MOST_COUNTED if node.rule else _MOST_REFERENCES
    inward = base.refs(ref, direction="in", most=most, with_parts=parts)
    outward = base.refs(ref, direction="out", most=_MOST_REFERENCES)
    lang = node.lang if node.rule else visit.interface.lang
    lines = inward.groups(lang=lang)
    kinds = Counter(
        "page" if each.first.page else each.first.other.kind for each in lines if each.first.other
    )
    return {
        "with_parts": parts or None,
        "inward": inward,
        "outward": outward,
        "inward_lines": lines,
        "outward_lines": outward.groups(lang=lang),
        "by_kind": kinds.most_common(),
        "of_edition": sum(node.edition in each.editions for each in lines),
    }


def _rule(visit: Visit, shown: kb.Shown, entry: kb.ShownEntry) -> Mapping[str, Any]:
    """Return what a rule's page shows besides, by the names in `rule.html`: its sub-rules,
    languages, editions, texts with links, examples, outcomes, steps and rulings."""
    rule, base = entry.node, visit.base
    every = base.show(rule.rule).entries if rule.rule else ()
    numbered = [each for each in every if each.node.kind == "rule"]
    here = next((each for each in numbered if _stands_for(each, rule)), entry)
    versions = [each for entry in numbered for each in (entry.node, *entry.same, *entry.different)]
    others = [each for each in numbered if each.node.lang != rule.lang]
    beside = [_nearest_edition(each, rule.edition) for each in others]
    outline = shown.tree.get(rule.id)
    parted = visit.flag("full") and outline is not None and not outline.full
    full, start, total, following = rules_in_full(visit, rule.id) if parted else ([], 0, 0, None)
    lines = full if parted else outline.lines[1:] if outline else ()
    in_full = [line.id for line in lines] if parted or (outline and outline.full) else []
    ids = [rule.id, *(each.id for each in beside), *in_full]
    return {
        "parted": parted,
        "start": start,
        "total": total,
        "next": following,
        "earlier": _earlier_edition(visit, rule),
        "since": _since(rule, versions),
        "texts": base.linked_texts(ids),
        "said": base.commentary([rule.id, *in_full], most=MOST_COMMENTS),
        "lines": lines,
        "outline": outline,
        "beside": beside,
        "editions": _editions(here, rule),
        "examples": shown.examples.get(rule.id, ()),
        "outcomes": base.outcomes(rule, most=_MOST_OUTCOMES),
        "procedures": base.steps(rule),
        "rulings": base.rulings(rule, most=_MOST_RULINGS),
    }


def _earlier_edition(visit: Visit, rule: kb.Node) -> str | None:
    """Return the edition before that of a rule, in its language; None if none is loaded."""
    return next(
        (
            before
            for game, lang, before, after in loaded(visit.base).edition_pairs()
            if (game, lang, after) == (rule.game, rule.lang, rule.edition)
        ),
        None,
    )


def _since(rule: kb.Node, versions: Sequence[kb.Node]) -> tuple[kb.Node, kb.Node, bool] | None:
    """Return a rule in its edition and in the newest, both in one language, its own if the newest
    edition has it in that, and whether they have the same words; None if it is the newest or a
    heading alone, or if no language has both."""
    newest = max(map(_edition_key, versions), default=None)
    new = {each.lang: each for each in versions if _edition_key(each) == newest}
    old = {each.lang: each for each in versions if each.edition == rule.edition}
    langs = [lang for lang in (rule.lang, *sorted(map(str, new))) if lang in new and lang in old]
    is_heading = (rule.text or "").strip() == (rule.label or "").strip()
    if _edition_key(rule) == newest or is_heading or not langs:
        return None
    before, after = old[langs[0]], new[langs[0]]
    return before, after, not kb.differences(before.text or "", after.text or "")


def _edition_key(rule: kb.Node) -> Any:
    return kb.edition_key(rule.edition)


def _stands_for(entry: kb.ShownEntry, rule: kb.Node) -> bool:
    return rule.id in {each.id for each in (entry.node, *entry.same, *entry.different)}


def _nearest_edition(entry: kb.ShownEntry, edition: str | None) -> kb.Node:
    """Return the rule of an entry in an edition, or else in the newest."""
    editions = (entry.node, *entry.same, *entry.different)
    return next((each for each in editions if each.edition == edition), entry.node)


def _editions(entry: kb.ShownEntry, shown: kb.Node) -> list[RuleEdition]:
    """Return all editions of a rule, the newest first and the one that is shown among them, held
    against that."""
    rules = sorted(
        (entry.node, *entry.same, *entry.different),
        key=lambda rule: kb.edition_key(rule.edition),
        reverse=True,
    )
    changed = entry.changed_below or {} if entry.node.id == shown.id else {}
    return [
        RuleEdition(
            rule,
            tuple(kb.differences(rule.text or "", shown.text or "")),
            (*changed[rule.id].otherwise, *changed[rule.id].in_one_only)
            if rule.id in changed
            else (),
        )
        for rule in rules
    ]


def _term(visit: Visit, shown: kb.Shown, entry: kb.ShownEntry) -> Mapping[str, Any]:
    """Return what a term's page shows besides: its names with their status, its definitions, what
    happens to it, its steps and rulings."""
    base, term = visit.base, entry.node
    assert entry.term
    concept = next(iter(base.termbase(term, uses=False)), None)
    names = concept.names if concept else ()
    own = visit.interface.lang
    definitions = sorted(entry.term.definitions, key=lambda each: each.lang != own)
    passages = [definition.evidence.passage for definition in definitions]
    texts = base.linked_texts(passages)
    return {
        "profile": entry.term,
        "ruled_by": list(_rules_cited(texts[each] for each in passages if each in texts)),
        "heading": names_by_language(concept, own)[:_MOST_NAMES] if concept else (),
        "definitions": definitions,
        "texts": texts,
        "outcomes": base.outcomes(term, most=_MOST_OUTCOMES),
        "procedures": base.steps(term),
        "rulings": base.rulings(term, most=_MOST_RULINGS),
        "concept": concept,
        "reading": next((name.reading for name in names if name.text == term.label), term.reading),
        "made_reading": any(name.reading and "made by Sudachi" in name.note for name in names),
    }


def _rules_cited(texts: Iterable[kb.LinkedText]) -> Iterator[Mapping[str, str]]:
    """Yield the first rule that each of some definitions cites, once each: its `id`, and what its
    id is made of."""
    seen = set()
    for text in texts:
        cited = (link.target or "" for link in text.links if link.kind == "cites")
        found = next((RULE_IN_EDITION.fullmatch(each) for each in cited), None)
        if found and found["number"] not in seen:
            seen.add(found["number"])
            yield {"id": found[0], **found.groupdict()}


@dataclass(frozen=True)
class CardName:
    """A name of a card, as a page gives it, with its reading if that is the Japanese one."""

    lang: str
    text: str
    reading: str | None
    role: str


def _card(visit: Visit, shown: kb.Shown, entry: kb.ShownEntry) -> Mapping[str, Any]:
    """Return what a card's page shows besides: its names, the values of its faces, its text with
    links, or, if there is none, what defines it, and its rulings. Names are those of its node:
    there are tens of thousands of cards, of most of which nothing but names is known."""
    base, card = visit.base, entry.node
    assert entry.term
    names = [
        CardName(
            label.lang, label.text, card.reading if label.text == card.label else None, label.role
        )
        for label in card.labels
        if label.role != "reading"
    ]
    names.sort(key=lambda name: (name.role != "preferred", name.lang != visit.interface.lang))
    definitions = () if card.text else entry.term.definitions
    passages = [definition.evidence.passage for definition in definitions]
    return {
        "profile": entry.term,
        "names": names,
        "heading": _first_by_language(names)[:_MOST_NAMES],
        "definitions": definitions,
        "faces": _faces(card, visit.interface.lang),
        "texts": base.linked_texts([card.id, *passages]),
        "rulings": base.rulings(card, most=_MOST_RULINGS),
    }


def _first_by_language(names: Iterable[CardName]) -> list[CardName]:
    """Return the first of some names in each language, in their order."""
    first: dict[str, CardName] = {}
    for name in names:
        first.setdefault(name.lang, name)
    return [*first.values()]


# What stands on one line below the name, in the order in which cards have it.
_VALUES = (
    "mana cost", "cost", "civilization", "type", "card type", "attribute", "race", "level", "rank",
    "link", "ink", "color", "classification", "pt", "atk", "def", "power", "strength", "toughness",
    "willpower", "loyalty", "lore",
)  # fmt: skip
_ORACLE = "oracle"  # what a card does, in English; its text says it in its own language
_LAST = ("abilities", "flavor", "rarity", "limit", "set", "number", "artist")


@dataclass(frozen=True)
class PrintedFace:
    """What is printed on a face of a card.

    line: (name of a value, value) of cost, type, power and the like. words: (language, text) of
        what it does, that in the language of the explorer first. rest: all else, such as its set.
    """

    name: str
    line: list[tuple[str, str]]
    words: list[tuple[str, str]]
    rest: list[tuple[str, str]]


def _faces(card: kb.Node, lang: str) -> list[PrintedFace]:
    """Return the faces of a card, or itself: its values in the order of `_VALUES` and `_LAST`."""
    faces = [*kb.card_faces(card.details)]
    if card.text and not (faces and not faces[0].name):
        faces.insert(0, kb.CardFace("", ()))
    return [_printed(face, card, lang) for face in faces]


def _printed(face: kb.CardFace, card: kb.Node, lang: str) -> PrintedFace:
    """Return a face with its values apart; the text of the card is that of the face without a
    name."""

    def of(names: Sequence[str]) -> list[tuple[str, str]]:
        return sorted(
            (value for value in face.values if value[0] in names),
            key=lambda value: names.index(value[0]),
        )

    words = [("en", value) for _, value in of([_ORACLE])]
    if card.text and not face.name:
        words.insert(0, (card.lang or "ja", card.text))
    words.sort(key=lambda text: text[0] != lang)
    known = {*_VALUES, *_LAST, _ORACLE}
    others = [value for value in face.values if value[0] not in known]
    return PrintedFace(face.name, of(_VALUES), words, [*others, *of(_LAST)])


def _page(visit: Visit, shown: kb.Shown, entry: kb.ShownEntry) -> Mapping[str, Any]:
    """Return what a page's or section's page shows besides: its whole text (`content`, None if it
    has none), that of each passage with its links, and the captures of the page."""
    content = shown.contents.get(entry.node.id)
    parts: Sequence[kb.ContentPart] = content.parts if content else ()
    return {
        "content": content,
        "settings": list(_settings(parts)),
        "cells": _cells,
        "title": visit.interface.title(
            kb.page_name(entry.node), entry.node.source, entry.node.edition
        )
        if entry.node.kind == "page"
        else entry.node.label,
        "texts": visit.base.linked_texts([part.id for part in parts if part.heading is None]),
        "captures": shown.captures.get(entry.node.id, ()),
        "older": _older_quotations(visit.base, entry.node),
    }


# By how a passage is set: (what it is in, itself), as elements of HTML.
_ELEMENTS = {
    "item": ("ul", "li"), "entry": ("dl", "dt"), "gloss": ("dl", "dd"), "row": ("table", "tr"),
    "head": ("table", "tr"), "pre": ("", "pre"), "quote": ("", "blockquote"),
}  # fmt: skip
_DEEPEST = 8  # lists in lists, by hand: what fits on a phone, and what a browser can do


def _settings(parts: Sequence[kb.ContentPart]) -> Iterator[tuple[Markup, str]]:
    """Yield for each part of a page (the tags before it, the element that it is), and at last the
    tags behind all: lists, tables and lists of definitions as the page has them. A part stays
    open, as what is nested in it follows.

    >>> item = kb.ContentPart("a", 0, None, "a", 0, "item")
    >>> ["".join(each) for each in _settings([item, kb.ContentPart("b", 0, None, "b")])]
    ['<ul><li>p', '</li></ul>p', '']
    """
    stack: list[tuple[int, str, str]] = []  # what is open: (how deep it is nested, list, element)

    def closed() -> str:
        _, around, element = stack.pop()
        return f"</{element}></{around}>" + "</div>" * (around == "table")

    for part in parts:
        around, element = _ELEMENTS.get(part.set_as, ("", "p"))
        around = "ol" if around == "ul" and part.ordinal else around
        level = max(part.nested - (part.set_as == "gloss"), 0)
        tags = ""
        while stack and (
            stack[-1][0] > level or (stack[-1][0] == level and stack[-1][1] != around)
        ):
            tags += closed()
        if around and stack and stack[-1][0] == level:
            tags += f"</{stack.pop()[2]}>"
        elif around and len(stack) < _DEEPEST:
            tags += '<div class="scrolls"><table>' if around == "table" else f"<{around}>"
        else:
            yield Markup(tags), "p" if around else element
            continue
        stack.append((level, around, element))
        yield Markup(f"{tags}<{element}>"), {"row": "td", "head": "th"}.get(part.set_as, "p")
    yield Markup("".join(closed() for _ in range(len(stack)))), ""


def _cells(text: kb.LinkedText) -> list[kb.LinkedText]:
    """Return the cells of a row, each with the links in it."""
    cells, start = [], 0
    for words in text.text.split("\t"):
        end = start + len(words)
        links = tuple(
            replace(link, start=link.start - start, end=link.end - start)
            for link in text.links
            if start <= link.start and link.end <= end
        )
        cells.append(replace(text, text=words, links=links))
        start = end + 1
    return cells


def _older_quotations(base: kb.KnowledgeBase, page: kb.Node) -> Mapping[str, kb.PresentRule]:
    """Return {id of a passage: what the rule that it quotes is today} of the quotations of older
    editions on a page."""
    if page.kind != "page" or page.source == "rulebook":
        return {}
    found = base.refs(page, direction="out", kinds=("quotes",), most=_MOST_QUOTED)
    quoted = {edge.evidence.passage: edge.target for edge in found.edges if edge.target}
    today = base.present_rules([*quoted.values()])
    return {passage: today[rule] for passage, rule in quoted.items() if rule in today}


def _statement(visit: Visit, shown: kb.Shown, entry: kb.ShownEntry) -> Mapping[str, Any]:
    """Return what the page of a passage, ruling, step or outcome shows besides: in `texts` its
    text, with its links, in `page_id` the page that it stands on."""
    page_id = kb.page_and_section(entry.node.id)[0].partition("¶")[0]
    return {"texts": visit.base.linked_texts(entry), "page_id": page_id}


@dataclass(frozen=True)
class FullLine:
    """A sub-rule with its text, as a line of an outline.

    depth: 1 for the sub-rules of the rule that the list is of.
    """

    depth: int
    id: str
    number: str
    label: str | None
    text: str | None
    examples: tuple[str, ...]


def rules_in_full(visit: Visit, rule_id: str) -> tuple[list[FullLine], int, int, int | None]:
    """Return (sub-rules of a rule, where among all of them they begin, how many there are in all,
    where the next part begins); None if there is no more.

    The address says by `start` where the part begins; kb.QuestionError if that is behind the end.
    """
    every = recent(visit.base, ("rules in full", rule_id), lambda: rules_below(visit.base, rule_id))
    start, following = visit.part_of(len(every), _AT_ONCE)
    part = [_line(depth, rule) for depth, rule in every[start:following]]
    return part, start, len(every), following


def rules_below(base: kb.KnowledgeBase, rule_id: str) -> list[tuple[int, kb.Node]]:
    """Return (depth, rule) of all rules below a rule, each once, a rule before its sub-rules, in
    the order of their numbers; of more than 20,000 the first."""
    found: list[tuple[int, kb.Node]] = []
    seen = {rule_id}  # a damaged file may go in circles
    waiting = [(1, part) for part in reversed(base.parts(rule_id))]
    while waiting and len(found) < _MOST:
        depth, rule = waiting.pop()
        if rule.id not in seen and rule.series:
            seen.add(rule.id)
            found.append((depth, rule))
            waiting += [(depth + 1, part) for part in reversed(base.parts(rule))]
    return found


def _line(depth: int, rule: kb.Node) -> FullLine:
    number = rule.number or ""
    return FullLine(depth, rule.id, number, rule.label, rule.text, examples_of(rule))


def examples_of(rule: kb.Node) -> tuple[str, ...]:
    """Return the examples that a rulebook gives of a rule."""
    details: Mapping[str, Any] = rule.details or {}
    return tuple(str(each) for each in details.get("examples", ()))
