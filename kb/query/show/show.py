"""Shows the nodes that a reference names, merged where they say the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from graphs.model import Evidence, Node
from graphs.sort_orders import edition_key, language_key, natural_key
from graphs.store.reader import Store
from graphs.store.references import claim_editions
from graphs.store.rule_versions import VersionRow, versions_of
from graphs.store.titles import section_headings
from kb.language.fold import fold
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.find_by_reference import (
    day_asked_for,
    find_nodes,
    nearest_editions,
    resolve_edition,
    unknown_ref,
)
from kb.query.lookup.named_nodes import another_rule_of_number
from kb.query.lookup.rules import Rule, gone_since, rules_of_nodes
from kb.reason import Ask, LeftOut, Reason, take_for
from kb.result import ID_ALONE, ListResult, columns
from kb.rules.change_kind_names import SAME_TEXT
from scraper.rulebook.documents_beside_rulebook import document_of_edition
from scraper.rulebook.languages import begins_example
from scraper.rulebook.numbering import parse_number

if TYPE_CHECKING:
    from kb.query.show.rule_context import RuleContext, RuleOutline
    from kb.query.show.term_profile import TermProfile

_UNDATED = {"term", "card"}  # kinds of nodes that pages of several editions name
# Passages and sections of a page that are shown: a guard; a page mostly has some dozens, and the
# rest is shown section by section.
_MOST_PARTS = 1_000
_MOST_COMPARED = 1_000  # sub-rules of a rule, in all editions: a guard, as their texts are all read
_FACE_NAMES = ("name", "reading", "english")
# Details that are shown elsewhere: as the text of a node, or under a name of their own.
_NO_VALUES = frozenset(("faces", "text", "wordings", "examples", *_FACE_NAMES))


@dataclass(frozen=True, slots=True)
class Capture:
    """A capture of a page.

    place: the file that it was read from.
    url: its URL.
    taken: when it was taken, as its manifest or the server says; empty if neither does.
    form: its form, such as `html`.
    why_not: why the page is not read from this capture but from another; empty for the capture
        that the page is read from.
    """

    place: str
    url: str
    taken: str
    form: str
    why_not: str


@dataclass(frozen=True, slots=True, repr=False)
class Shown(ListResult[Node], items="matches", item="node"):
    """The nodes that a reference names.

    matches: the nodes, the likeliest first.
    near: if there are none, names to suggest, the likeliest first.
    captures: the captures of the pages among the nodes, by the page's id, the fittest first.
    examples: the examples of the rules among the nodes, by the rule's id, in the order of the page:
        evidence with the passage of each.
    entries: the same nodes, each with what belongs to it; editions of a rule in one language are
        one entry.
    rules: the rules among the nodes, each with all its versions.
    tree: if asked for, the rule of each entry with all its sub-rules, by the rule's id.
    contents: the whole text of each section among the nodes, by its id; if asked for with `tree`,
        of each page, too.
    also: what the reference also names and is not among the nodes.
    why_none: if there are no nodes, the reason, and what may help.
    """

    matches: tuple[Node, ...]
    near: tuple[str, ...] = ()
    captures: Mapping[str, tuple[Capture, ...]] = field(default_factory=dict)
    examples: Mapping[str, tuple[Evidence, ...]] = field(default_factory=dict)
    entries: tuple[ShownEntry, ...] = ()
    rules: tuple[Rule, ...] = ()
    tree: Mapping[str, RuleOutline] = field(default_factory=dict)
    also: tuple[LeftOut, ...] = ()
    why_none: Reason | None = None
    contents: Mapping[str, PageContent] = field(default_factory=dict)

    _COLUMNS = columns("kind game lang edition number label names=labels.text text id notice")


def show(store: Store, ref: str, scope: Scope, tree: bool = False) -> Shown:
    """Return the nodes that a reference names, and the captures of the pages among them.

    ref, scope: as for `find_nodes`; but a term or card is in an edition if a page of that edition
        names or defines it. tree: give the sub-rules of rules, too, and the whole text of pages.

    If nothing is found, nothing is raised: `matches` is empty, `near` has names to suggest and
    `why_none` the reason.
    """
    nodes = _find(store, ref, scope)
    if not nodes:
        unknown = unknown_ref(store, ref, scope)
        return Shown((), unknown.near, why_none=unknown.reason)
    nodes, others = _as_rules(store, ref, scope, nodes)
    entries = shown_entries(store, nodes)
    return Shown(
        tuple(nodes),
        captures={node.id: _captures(store, node.id) for node in nodes if node.kind == "page"},
        examples=_examples(store, nodes),
        entries=entries,
        rules=rules_of_nodes(store, nodes),
        tree=_outlines(store, entries) if tree else {},
        also=(
            *others,
            *_in_other_languages(store, ref, scope, nodes),
            *_in_newer_editions(store, nodes),
        ),
        contents=_contents(store, nodes, tree),
    )


def _as_rules(
    store: Store, ref: str, scope: Scope, nodes: list[Node]
) -> tuple[list[Node], list[LeftOut]]:
    """Return nodes with all versions of the rules among them, and other rules that had the number.

    A number means, in each language, the rule that has it in the newest edition. A heading does not
    bring other languages. The id of a version, or an edition, asks for that version alone.
    """
    rules = [node for node in nodes if node.rule]
    if not rules or scope.edition or rules[0].id == ref.strip():
        return nodes, []
    meant = {node.rule: node for node in reversed(rules)}
    others: dict[str | None, list[Node]] = defaultdict(list)
    by_number = parse_number(ref) is not None
    if by_number:
        newest: dict[tuple[str | None, ...], Node] = {}
        for node in sorted(rules, key=lambda node: edition_key(node.edition)):
            newest[node.game, node.lang, node.series] = node
        meant = {node.rule: node for node in rules if node in newest.values()}
        for node in rules:
            if node.rule not in meant:
                others[node.rule].append(node)
    rows = versions_of(store, [node.id for node in meant.values()])
    langs = {(node.rule, node.lang) for node in rules}
    versions = [
        node
        for node in store.get(row.id for row in rows).values()
        if scope.includes(node)
        and (by_number or "/rule/" in ref or (node.rule, node.lang) in langs)
    ]
    versions.sort(key=lambda node: language_key(node.lang))
    versions.sort(key=lambda node: edition_key(node.edition), reverse=True)
    if by_number:
        _say_if_only_older(meant, versions)
    kept = [node for node in nodes if not node.rule or node.rule in meant]
    known = {node.id for node in kept}
    return [*kept, *(node for node in versions if node.id not in known)], [
        # By the version whose words are given: the newest of the rule may have others.
        another_rule_of_number(Ask("show", ref=thing[0].id), thing)
        for thing in others.values()
    ]


def _say_if_only_older(meant: Mapping[str | None, Node], versions: Sequence[Node]) -> None:
    """Say so if none of the rules that have a number has it in its newest version.

    meant: {rule: the newest version that has the number}; versions: theirs, the newest first.
    """
    newest = {node.rule: node for node in reversed(versions)}
    had = {rule: node for rule, node in meant.items() if rule in newest}
    if had and all(node.number != newest[rule].number for rule, node in had.items()):
        last = max(had.values(), key=lambda node: edition_key(node.edition))
        numbers = dict.fromkeys(newest[rule].number or "" for rule in had)
        take_for(
            Reason(
                "number_of_older_rules",
                number=last.number,
                numbers=tuple(numbers),
                edition=last.edition,
            )
        )


def _in_other_languages(
    store: Store, ref: str, scope: Scope, nodes: Iterable[Node]
) -> tuple[LeftOut, ...]:
    """Return the versions of found rules in other languages, where a heading was looked for: of the
    edition asked for, or else of the nearest date; without one the newest. None if a language was
    asked for, or the rule by its id. A number finds all languages by itself."""
    rules = [node for node in nodes if node.kind == "rule"]
    by_id = any(node.id == ref.strip() for node in rules)
    if not rules or scope.lang or parse_number(ref) or by_id:
        return ()
    known = {(node.rule, node.lang) for node in rules}
    found: dict[tuple[str | None, ...], dict[str | None, Node]] = defaultdict(dict)
    versions = store.get(row.id for row in versions_of(store, [node.id for node in rules]))
    for node in sorted(versions.values(), key=lambda node: (edition_key(node.edition), node.id)):
        if (node.rule, node.lang) not in known:
            found[node.rule, node.lang][node.edition] = node
    edition = resolve_edition(store, scope.edition, scope.game) if scope.edition else ""
    chosen: list[Node] = []
    for of_lang in found.values():
        near = nearest_editions(edition, filter(None, of_lang), 1) if edition else []
        chosen.append(of_lang[near[0]] if near else list(of_lang.values())[-1])
    return tuple(
        LeftOut(node.id, Reason("other_heading", Ask("show", ref=node.id), lang=node.lang))
        for node in chosen
    )


def _in_newer_editions(store: Store, nodes: Iterable[Node]) -> Iterator[LeftOut]:
    """Yield the versions of found rules in other languages in the newest edition that was in force
    on the day that is asked for, where that is newer than the one that is shown: languages lag
    behind one another. Nothing if no day is asked for."""
    day = day_asked_for()
    shown = [node for node in nodes if node.kind == "rule" and node.edition] if day else []
    for node in shown:
        newest: dict[str, VersionRow] = {}
        for row in versions_of(store, [node.id]):
            date = edition_key(row.edition)
            if row.lang != node.lang and edition_key(node.edition) < date <= edition_key(day):
                known = newest.get(row.lang, row)
                newest[row.lang] = max(row, known, key=lambda each: edition_key(each.edition))
        for lang, row in sorted(newest.items()):
            values = {"edition": row.edition, "lang": lang, "number": row.number}
            yield LeftOut(row.id, Reason("newer_in_force", Ask("show", ref=row.id), **values))


def _contents(store: Store, nodes: Iterable[Node], tree: bool) -> dict[str, PageContent]:
    """Return {id: what it says} of the sections among some nodes; with `tree` of pages, too. Empty
    if there are none."""
    whole = [node for node in nodes if node.kind == "section" or (tree and node.kind == "page")]
    return {node.id: page_content(store, node) for node in whole}


def _outlines(store: Store, entries: Iterable[ShownEntry]) -> dict[str, RuleOutline]:
    """Return {id of a rule: the rule with its sub-rules} for the rules, and sections of documents,
    among some entries."""
    from kb.query.show.rule_context import rule_outline

    rules = (entry.node for entry in entries if entry.node.series)
    return {rule.id: rule_outline(store, rule) for rule in rules}


def _find(store: Store, ref: str, scope: Scope) -> list[Node]:
    """Return the nodes that a reference names, the likeliest first; empty if there are none. Terms
    and cards have no edition of their own: they are in those of the pages that name or define them.
    An id names its node whatever the edition of the scope; behind rules stand what has their number
    as a name."""
    is_of_document = document_of_edition(scope.edition or "")
    undated = scope if is_of_document else replace(scope, edition=None)
    nodes = find_nodes(store, ref, undated)
    if nodes and nodes[0].id == ref.strip():
        return nodes
    if nodes and nodes[0].kind == "rule":  # a number may be a name, too: of a card, a page
        named = store.find_by_label(fold(ref))
        known = {node.id for node in nodes}
        nodes += [node for node in named if node.id not in known and undated.includes(node)]
    if scope.edition:
        edition = resolve_edition(store, scope.edition)
        nodes = [
            node
            for node in nodes
            if node.edition == edition
            or (node.kind in _UNDATED and edition in claim_editions(store, node.id))
        ]
    return nodes


def _examples(store: Store, nodes: Iterable[Node]) -> dict[str, tuple[Evidence, ...]]:
    """Return the examples of the rules among some nodes, by the rule's id, in the order in which
    they stand; rules without examples are left out."""
    rules = [node.id for node in nodes if node.series]
    examples: dict[str, list[Evidence]] = defaultdict(list)
    for edge in store.edges(rules, "in", ["quotes"]):
        if edge.target and begins_example(edge.evidence.text):
            examples[edge.target].append(edge.evidence)
    return {
        rule: tuple(sorted(of_rule, key=lambda e: (e.page, int(e.passage.rpartition("¶")[2]))))
        for rule, of_rule in examples.items()
    }


def _captures(store: Store, page: str) -> tuple[Capture, ...]:
    """Return the captures of a page, the fittest first.

    page: the page's id. Captures that the page is not read from are included, with the reason in
        `why_not`. The result is empty if no capture of it is recorded.
    """
    from kb.building.best_capture import reason_not_chosen  # only for pages: it takes time to load

    records = [record for _, record in store.provenance.captures(page)]
    best = next((record.fitness for record in records if record.chosen), "")
    return tuple(
        Capture(
            record.place,
            record.url,
            record.taken,
            record.form,
            reason_not_chosen(record.fitness, best),
        )
        for record in records
    )


@dataclass(frozen=True, slots=True)
class ContentPart:
    """A passage of a page, or a section with its heading.

    id: of the passage or section.
    depth: in how many sections it stands below the page or section that was asked for.
    heading: of a section; None for a passage.
    text: of a passage, whole; None for a section.
    nested: in how many passages it is nested, such as an item of a list in another item.
    set_as: how a passage is set: `item`, `row` or `head` of a table, `entry`, `gloss`, `quote`,
        `pre`, `caption` or `footnote`; empty for a paragraph, and where the site does not say.
    ordinal: the number of an item in an ordered list; None otherwise.
    """

    id: str
    depth: int
    heading: str | None
    text: str | None
    nested: int = 0
    set_as: str = ""
    ordinal: int | None = None


@dataclass(frozen=True, slots=True)
class PageContent:
    """What a page or section says, in its order.

    parts: its passages and the sections in it. Its own heading is not among them, nor are passages
        that are the heading of a section.
    more: how to read the rest, if there are very many; None if `parts` has all.
    """

    parts: tuple[ContentPart, ...]
    more: Reason | None = None


_SETTING = ("set_as", "ordinal")  # details of a passage
_AHEAD = 100  # parts of a page whose own parts are asked for together


def page_content(store: Store, node: Node, most: int = _MOST_PARTS) -> PageContent:
    """Return what a page or section says, in its order, a section's heading before what is in it;
    of a very long one the beginning, and how to read on. A page without passages has no parts.

    most: at most how many parts.
    """
    parts: list[ContentPart] = []
    below: dict[str, Sequence[Node]] = {}
    stack = [(-1, 0, node)]  # (depth of sections, how deep a passage is nested, what it is)
    seen = set()
    while stack and len(parts) < most:
        depth, nested, part = stack.pop()
        if part.id in seen:  # a damaged file may go in circles
            continue
        seen.add(part.id)
        if part.kind == "passage":
            setting = {key: value for key, value in (part.details or {}).items() if key in _SETTING}
            parts.append(ContentPart(part.id, depth, None, part.text or "", nested, **setting))
        elif part.id != node.id:
            parts.append(ContentPart(part.id, depth, part.label or "", None))
        if part.id not in below:  # what follows is asked for with it
            ahead = [each.id for _, _, each in stack[-_AHEAD:] if each.id not in below]
            below |= dict.fromkeys([part.id, *ahead], ())
            below |= store.parts_on_page([part.id, *ahead])
        is_passage = part.kind == "passage"
        place = (depth, nested + 1) if is_passage else (depth + 1, 0)
        stack += [(*place, each) for each in reversed(_in_order(part, below[part.id]))]
    section = next((part.id for part in parts if part.heading is not None), None)
    if not stack:
        return PageContent(tuple(parts))
    if section is None:
        return PageContent(tuple(parts), Reason("first_parts_only", parts=most))
    more = Reason("first_parts", Ask("show", ref=section), parts=most)
    return PageContent(tuple(parts), more)


def _in_order(node: Node, parts: Sequence[Node]) -> list[Node]:
    """Return the passages that a page, section or passage directly has, without its heading, and
    then its sections: text behind a heading is the section's."""
    heading = (node.label or "").strip()
    passages = [part for part in parts if part.kind == "passage"]
    own = [part for part in passages if part.text and part.text.strip() != heading]
    return [*own, *(part for part in parts if part.kind == "section")]


@dataclass(frozen=True, slots=True)
class PageSummary:
    """What a page holds.

    sections: (level, heading) of its sections, in its order; those that are in no other have
        level 1.
    opening: its first text below its title that says something, and not only what the page is
        about; None if it has no text.
    """

    sections: tuple[tuple[int, str], ...]
    opening: str | None


@dataclass(frozen=True, slots=True)
class ChangedBelow:
    """Sub-rules of a rule that are not the same in two editions, by their numbers, in order.

    otherwise: those with another heading or text, not counting typography.
    in_one_only: those that only one of the editions has, or of which only one is loaded.
    """

    otherwise: tuple[str, ...]
    in_one_only: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """One thing that a reference names; editions of a rule in one language are one thing.

    node: the node; of a rule in several editions the newest.
    same: the rule in other editions, under whatever numbers, where heading and text are the same
        but for typography; newest first.
    different: the same for editions where they are not.
    changed_below: what is not the same of the rule's sub-rules, at any depth, in an edition in
        `same`, by the id of the rule there; an edition where all are is not in it. None if the
        rule has too many sub-rules to be compared, or none.
    newest: of a rule the last version in its language, if `node` is an older one.
    is_same_now: whether heading and text of `newest` are the same but for typography; None without
        it.
    gone: of a rule that later editions lack, what became of it, and in which edition.
    rule, term, page: what belongs to a rule, to a term or card, or to a page; None for other kinds.
    """

    node: Node = field(metadata=ID_ALONE)
    same: tuple[Node, ...] = field(default=(), metadata=ID_ALONE)
    different: tuple[Node, ...] = field(default=(), metadata=ID_ALONE)
    rule: RuleContext | None = None
    term: TermProfile | None = None
    page: PageSummary | None = None
    changed_below: Mapping[str, ChangedBelow] | None = None
    newest: Node | None = field(default=None, metadata=ID_ALONE)
    is_same_now: bool | None = None
    gone: Reason | None = None


def shown_entries(store: Store, nodes: Sequence[Node]) -> tuple[ShownEntry, ...]:
    """Return some nodes as entries, in their order: the versions of a rule in one language are one
    entry, whatever the edition; every other node is one of its own."""
    groups: dict[tuple[str | None, ...], list[Node]] = defaultdict(list)
    for node in nodes:
        groups[(node.rule, node.lang) if node.rule else ("node", node.id)].append(node)
    of_rule: dict[str, list[str]] = defaultdict(list)
    for node in nodes:
        of_rule[node.rule or ""].append(node.id)
    newest = [
        max(group, key=lambda node: edition_key(node.edition))
        for group in groups.values()
        if group[0].series
    ]
    contexts: dict[str, RuleContext] = {}
    rows: list[VersionRow] = []
    if newest:
        from kb.query.show.rule_context import rule_contexts

        rows = versions_of(store, [node.id for node in newest])
        versions = {node.id: of_rule[node.rule or ""] for node in newest}
        contexts = rule_contexts(store, newest, versions)
    return tuple(_entry(store, group, contexts, rows) for group in groups.values())


def _entry(
    store: Store,
    group: Sequence[Node],
    contexts: Mapping[str, RuleContext],
    versions: Sequence[VersionRow],
) -> ShownEntry:
    """Return an entry, with what belongs to its kind of node.

    group: its nodes, at least one: the versions of a rule in one language, or one other node.
    contexts: of rules, by id. versions: of these rules, in all editions and languages.
    """
    if group[0].series:
        rules = sorted(group, key=lambda node: edition_key(node.edition), reverse=True)
        newest = rules[0]
        rule_of = {row.id: row.rule for row in versions}
        own = rule_of.get(newest.id)
        rows = {row.id: row for row in versions if row.rule == own}
        unchanged = _unchanged_versions(rows, newest)
        same = tuple(rule for rule in rules[1:] if _say_the_same(rule, newest, unchanged))
        different = tuple(rule for rule in rules[1:] if rule not in same)
        context = contexts[newest.id]
        changed = _changed_below(store, newest, same) if same and context.sub_rules else None
        in_lang = (row for row in rows.values() if row.lang == newest.lang)
        row = max(in_lang, key=lambda row: edition_key(row.edition), default=None)
        last = store.node(row.id) if row and row.id != newest.id else None
        return ShownEntry(
            newest,
            same,
            different,
            context,
            changed_below=changed,
            newest=last,
            is_same_now=_say_the_same(newest, last, _unchanged_versions(rows, last))
            if last
            else None,
            gone=gone_since(rows.values(), newest.lang),
        )
    node = group[0]
    if node.kind in ("term", "card"):
        from kb.query.show.term_profile import term_profile

        return ShownEntry(node, term=term_profile(store, node))
    if node.kind == "page":
        return ShownEntry(node, page=_summary(store, node))
    return ShownEntry(node)


def _changed_below(
    store: Store, rule: Node, others: Sequence[Node]
) -> Mapping[str, ChangedBelow] | None:
    """Return for a rule in other editions which of its sub-rules are not the same, as in
    `ShownEntry.changed_below`; None if they are more than 1,000 in all editions. They are compared
    by their numbers behind the rule's own."""
    from kb.language.typography import fold_typography
    from kb.query.show.rule_context import rules_of_trees

    trees = rules_of_trees(store, [rule.id, *(other.id for other in others)], _MOST_COMPARED)
    if trees is None:
        return None
    number_of = {each.id: each.number or "" for each in (rule, *others)}
    own = rule.number or ""
    said = {
        root: {
            own + row.number.removeprefix(number_of[root]): (
                fold_typography(row.label or ""),
                fold_typography(row.text or ""),
            )
            for row in rows
        }
        for root, rows in trees.items()
    }
    numbers = sorted(
        dict.fromkeys(n for of_tree in said.values() for n in of_tree), key=natural_key
    )
    here = said[rule.id]
    found: dict[str, ChangedBelow] = {}
    for other in others:
        there = said[other.id]
        in_both = here.keys() & there.keys()
        changed = ChangedBelow(
            tuple(n for n in numbers if n in in_both and here[n] != there[n]),
            tuple(n for n in numbers if n not in in_both and (n in here or n in there)),
        )
        if changed.otherwise or changed.in_one_only:
            found[other.id] = changed
    return found


def _unchanged_versions(rows: Mapping[str, VersionRow], newest: Node) -> set[str]:
    """Return the ids of the versions of a rule that the newest one in their language follows
    without a change of its text but for typography, as the build found it; without the newest
    itself. rows: all versions, by their ids."""
    row, found = rows.get(newest.id), set[str]()
    while row and row.before and row.change in SAME_TEXT:
        found.add(row.before)
        row = rows.get(row.before)
    return found


def _say_the_same(rule: Node, newest: Node, unchanged: Collection[str]) -> bool:
    """Whether headings and texts of two versions differ at most in typography; of the texts as the
    build found it. unchanged: the ids of the versions whose text is the newest one's."""
    if rule.text != newest.text and rule.id not in unchanged:
        return False
    if rule.label == newest.label:
        return True
    from kb.language.typography import fold_typography

    return fold_typography(rule.label or "") == fold_typography(newest.label or "")


def _summary(store: Store, page: Node) -> PageSummary:
    from kb.query.show.term_profile import opening_text

    opening = opening_text(store, page.id)
    return PageSummary(tuple(section_headings(store, page.id)), opening)


@dataclass(frozen=True, slots=True)
class CardFace:
    """What is printed on a card, or on one of its faces.

    name: of the face, in the languages that it is printed in; empty for the card itself.
    values: (what it is, in English; its value), in the order of the source.
    """

    name: str
    values: tuple[tuple[str, str], ...]


def card_faces(details: Mapping[str, Any] | None) -> tuple[CardFace, ...]:
    """Return what the details of a node say of a card, the card itself first and then its faces;
    of another node, whatever values its source gives. Only texts and lists count, lists joined with
    ", "; a face without a name and values is left out. Empty without details.

    >>> card_faces({"mana_cost": "(1)(青)", "abilities": ["飛行", "警戒"]})
    (CardFace(name='', values=(('mana cost', '(1)(青)'), ('abilities', '飛行, 警戒'))),)
    """
    details = details or {}
    faces = [CardFace("", _values(details))]
    for face in details.get("faces") or ():
        if isinstance(face, Mapping):
            names = [str(face[name]) for name in _FACE_NAMES if face.get(name)]
            faces.append(CardFace(" / ".join(names), _values(face)))
    return tuple(face for face in faces if face.name or face.values)


def _values(details: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name.replace("_", " "), ", ".join(map(str, value)) if isinstance(value, list) else value)
        for name, value in details.items()
        if name not in _NO_VALUES and value and isinstance(value, str | list)
    )
