"""Finds what belongs to a name: procedures with their steps, and outcomes on conditions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from graphs.model import Evidence, Node, page_and_section
from graphs.sort_orders import edition_key
from graphs.store.reader import Store
from graphs.store.references import count_mentions
from kb.language.fold import fold, plain
from kb.query.lookup.arguments import MOST_LISTED
from kb.query.lookup.common_filters import EVERYTHING, FILTERS, Scope
from kb.query.lookup.cursor import longer_list
from kb.query.lookup.find_by_reference import find_nodes, resolve_edition, unknown_ref
from kb.query.lookup.passage_filters import PassageFilters, StatementKind, passage_filter
from kb.query.lookup.passage_places import Place, comparable_text, find_places
from kb.reason import Argument, Ask, LeftOut, Reason, again
from kb.result import ListResult, columns
from scraper.rulebook.numbering import parent_number

_NUMBER = re.compile(r"\d+$")

# Of a subject that are looked at: a bound on the time, of which `also` tells. As many as `show`
# reads of a term (`term_profile`), so that both tell of the same mentions.
MOST_MENTIONS = 2_000

# -- the subject --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Subject:
    """What a reference names.

    nodes: the nodes that it names; empty if there are none.
    term_ids: the ids of the terms and cards among them.
    names: the reference and all names of these terms and cards, without readings.
    """

    nodes: tuple[Node, ...]
    term_ids: tuple[str, ...]
    names: tuple[str, ...]


def find_subject(store: Store, ref: str, game: str | None) -> Subject:
    """Return what a reference names in a game, or in any game if `game` is None.

    If it names nothing, `nodes` and `term_ids` are empty, and `names` has the reference alone.
    """
    nodes = tuple(find_nodes(store, ref, Scope(game=game)))
    terms = [node for node in nodes if node.kind in {"term", "card"}]
    labels = [label.text for term in terms for label in term.labels if label.role != "reading"]
    names = dict.fromkeys([plain(ref), *(plain(text) for text in labels), ref.strip(), *labels])
    return Subject(nodes, tuple(term.id for term in terms), tuple(names))


def mentions_left_out(
    store: Store, subject: Subject, kind: StatementKind, scope: Scope
) -> tuple[LeftOut, ...]:
    """Return what to say of a subject that is mentioned more than 2,000 times, of each of its terms
    that anything of the kind mentions within a scope; nothing if it is mentioned less often.

    kind: of what is looked for at its mentions, `procedure`, `outcome` or `ruling`.
    """
    mentions = {term: count_mentions(store, term) for term in subject.term_ids}
    if sum(mentions.values()) <= MOST_MENTIONS:
        return ()
    filters: PassageFilters = {
        "kind": kind, "game": scope.game, "source": scope.source, "lang": scope.lang,
        "edition": scope.edition,
    }  # fmt: skip
    return tuple(
        LeftOut(
            term,
            Reason(
                f"{kind}s_of_first_mentions",
                Ask("search", mentions=term, **filters),
                times=number,
                first=MOST_MENTIONS,
            ),
        )
        for term, number in mentions.items()
        if store.passages.count("", passage_filter(store, filters | {"mentions": (term,)}), 1)
    )


def left_out_by_filters(
    scope: Scope, kind: StatementKind, count: Callable[[Scope], int]
) -> Iterator[LeftOut]:
    """Yield how many statements each filter of an answer that has none leaves out; if none does by
    itself, how many all of them do together. Nothing without filters.

    kind: of the statements: `procedure`, `outcome` or `ruling`.
    count: returns how many there are in another scope.
    """
    given = {name: value for name in FILTERS if (value := getattr(scope, name))}
    found = False
    for name, value in given.items():
        if number := count(replace(scope, **{name: None})):
            found = True
            counted = Reason(f"{kind}s", number=number)
            ask, argument = again(without=(name,)), Argument(name, value)
            yield LeftOut(None, Reason("left_out_by", ask, passages=counted, filter=argument))
    if not found and len(given) > 1 and (number := count(EVERYTHING)):
        counted = Reason(f"{kind}s", number=number)
        arguments = tuple(Argument(name, value) for name, value in given.items())
        ask = again(without=tuple(given))
        yield LeftOut(None, Reason("left_out_together", ask, passages=counted, filters=arguments))


def statements_defining(store: Store, subject: Subject, kind: str) -> list[Node]:
    """Return the statements (nodes of a kind, `procedure` or `outcome`) on the pages and sections
    that define a subject or have its name.

    If a passage defines the subject, the statements in the passage's whole section are returned;
    but only those of that passage in a rulebook, whose glossary defines all terms, and of a card
    that a page about something else shows. A statement may occur twice.
    """
    places = [node.id for node in subject.nodes if node.kind in {"page", "section"}]
    cards = {node.id for node in subject.nodes if node.kind == "card"}
    names = {fold(name) for name in subject.names}
    entries = []
    defines = store.edges(subject.term_ids, "in", ["defines"])
    definers = store.get(edge.source for edge in defines)
    for edge in defines:
        definer = definers.get(edge.source)
        if definer is None:
            continue
        if edge.target in cards and not names & {fold(label.text) for label in definer.labels}:
            entries.append(edge.evidence.passage)
        elif definer.kind in {"page", "section"}:
            places.append(definer.id)
        elif definer.section and definer.source != "rulebook":
            places.append(definer.section)
        else:
            entries.append(definer.id)
    parts = (part for place in dict.fromkeys(places) for part in store.contents(place)[0])
    statements = [node for node in store.get(parts).values() if node.kind == kind]
    return statements + store.stated_in(kind, entries)


def rules_about(store: Store, subject: Subject, cited: bool = False) -> list[str]:
    """Return the ids of the rules that a subject names or that have its name as their heading, each
    once, those that it names first.

    They are in the games of the subject's nodes; sub-rules are not added. Headings count only if it
    has terms or cards.

    cited: also the rules that a rulebook's glossary cites where it defines the subject.
    """
    games = {node.game for node in subject.nodes}
    rules = [node for node in subject.nodes if node.kind == "rule"]
    if subject.term_ids:
        named = store.find_by_label(*sorted(set(map(fold, subject.names))))
        rules += (node for node in named if node.kind == "rule")
    ids = [rule.id for rule in rules if rule.game in games]
    if cited and subject.term_ids:
        definers = [edge.source for edge in store.edges(subject.term_ids, "in", ["defines"])]
        entries = [n.id for n in store.get(definers).values() if n.source == "rulebook"]
        ids += (edge.target for edge in store.edges(entries, "out", ["cites"]) if edge.target)
    return list(dict.fromkeys(ids))


# -- statements and where they stand ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Statement:
    """A procedure or an outcome, and where it stands.

    node: its node; of several editions that state the same, the newest one's.
    evidence: the passage that states it, and its words there.
    place: where that passage stands.
    same: where else the same is stated: other editions, captures and pages.
    ids: the ids of all nodes that state it, the one of `node` first.
    """

    node: Node
    evidence: Evidence
    place: Place
    same: tuple[Place, ...]
    ids: tuple[str, ...]

    @property
    def editions(self) -> set[str]:
        """The editions that state it; empty if it stands on pages without an edition only."""
        return {place.edition for place in (self.place, *self.same) if place.edition}


def collect_statements(
    store: Store,
    nodes: Iterable[Node],
    scope: Scope,
    content: Callable[[Node], tuple[str, ...]],
) -> tuple[list[Statement], tuple[LeftOut, ...]]:
    """Return statements in the order of the pages, each once, and what was left out for its age.

    Statements outside the scope are left out. What several editions, captures or pages state in
    the same words is one statement. If the scope names no edition, what only an older edition
    states is left out where a newer one has the rule that it is part of.

    nodes: procedures or outcomes; each counts once.
    content: gives the texts of a statement that must be the same for it to be the same; the
        number of a rule that a text begins with does not count.
    """
    # The edition is a property of the rule or page, not of the statement.
    without_edition = replace(scope, edition=None)
    edition = resolve_edition(store, scope.edition) if scope.edition else None
    statements = {node.id: node for node in nodes if without_edition.includes(node)}
    edges = {edge.source: edge.evidence for edge in store.edges(statements, "out", ["part_of"])}
    places = find_places(store, {evidence.passage for evidence in edges.values()})
    order = {evidence.passage: rank for rank, evidence in enumerate(edges.values())}
    groups: dict[tuple[str, ...], list[str]] = {}
    in_order = sorted(edges, key=lambda key: (order[edges[key].passage], _final_number(key)))
    for node_id in in_order:
        place = places.get(edges[node_id].passage)
        if place is None or (edition and place.edition not in {"", edition}):
            continue
        texts = (comparable_text(text, place.number) for text in content(statements[node_id]))
        groups.setdefault((place.game, place.lang, *texts), []).append(node_id)
    collected = [
        _as_one(ids, statements, edges, {key: places[edges[key].passage] for key in ids})
        for ids in groups.values()
    ]
    rank = {node_id: rank for rank, node_id in enumerate(in_order)}
    collected.sort(key=lambda statement: rank[statement.node.id])
    if edition:
        return collected, ()
    return _without_outdated(store, collected)


def _as_one(
    ids: list[str],
    statements: Mapping[str, Node],
    edges: Mapping[str, Evidence],
    places: Mapping[str, Place],
) -> Statement:
    """Return one statement for the nodes that state the same, given by their ids in order.

    The one of the newest edition stands for all; pages without an edition count as the oldest.
    Of several pages the one with the shortest name does: copies have longer names (`archive/…`).
    """
    newest = max((places[key].edition for key in ids), key=edition_key)
    current = [key for key in ids if places[key].edition == newest]
    chosen = min(current, key=lambda key: len(places[key].page))
    others = [key for key in ids if key != chosen]
    same = {places[key].passage: places[key] for key in others}
    same.pop(places[chosen].passage, None)
    return Statement(
        statements[chosen],
        _narrowed(statements[chosen], edges[chosen]),
        places[chosen],
        tuple(same.values()),
        (chosen, *others),
    )


def _without_outdated(
    store: Store, statements: list[Statement]
) -> tuple[list[Statement], tuple[LeftOut, ...]]:
    """Return statements without those that only older editions make, and what was left out.

    A statement is outdated if a newer edition in its language has the rule above its rule: that
    edition words it otherwise or dropped it. An edition that lacks this part of the rules, as an
    excerpt does, makes nothing outdated. Of what gives no rule, as in a glossary, the newest
    edition counts that states anything.
    """
    newest: dict[tuple[str, str, str], str] = {}
    for place in (statement.place for statement in statements):
        if place.edition and not place.number:  # in a glossary
            key = place.game, place.lang, ""
            newest[key] = max(place.edition, newest.get(key, ""), key=edition_key)
    kept: list[Statement] = []
    outdated: dict[tuple[str, str, str, str], list[str]] = {}
    for statement in statements:
        place = statement.place
        key = place.game, place.lang, place.number
        if place.edition and key not in newest:
            newest[key] = _newest_edition(store, place)
        if place.edition and edition_key(newest[key]) > max(map(edition_key, statement.editions)):
            group = place.game, place.edition, place.lang, newest[key]
            outdated.setdefault(group, []).append(statement.node.id)
        else:
            kept.append(statement)
    return kept, tuple(
        LeftOut(
            None,
            Reason(
                "outdated_statements",
                again(edition=edition),
                more=len(ids),
                game=game,
                edition=edition,
                lang=lang,
                newer=newer,
            ),
        )
        for (game, edition, lang, newer), ids in sorted(
            outdated.items(), key=lambda item: (item[0][0], edition_key(item[0][1])), reverse=True
        )
    )


def _newest_edition(store: Store, place: Place) -> str:
    """Return the newest edition that has the rule above the one at a place (of one at the top, that
    rule), in its game and language; the place's own edition if none has it."""
    above = parent_number(place.number) if place.number else None
    rules = store.find_by_number(above or place.number)
    fitting = (rule for rule in rules if (rule.game, rule.lang) == (place.game, place.lang))
    editions = [rule.edition or "" for rule in fitting]
    return max(editions, key=edition_key, default="") or place.edition


def rules_quoted_from_elsewhere(
    store: Store, subject: Subject, nodes: Iterable[Node]
) -> dict[str, Place]:
    """Return which statements a page only quotes from rules that are not about a subject:
    {id of the statement: where it stands}.

    A wiki's page may quote a whole section of the rules beside what it says itself. What such a
    rule states counts only if it is a rule on the subject, or if the passage mentions the subject.

    nodes: statements on the pages of the subject.
    """
    if not subject.term_ids:
        return {}  # the page itself was asked for, with all that is on it
    edges = store.edges([node.id for node in nodes], "out", ["part_of"])
    passages = {edge.source: edge.evidence.passage for edge in edges}
    places = find_places(store, set(passages.values()))
    rules = {place.rule for place in places.values() if place.rule}
    mentions = store.edges([*rules, *places], "out", ["mentions"])
    mentioning = {edge.evidence.passage for edge in mentions if edge.target in subject.term_ids}
    named = rules_about(store, subject, cited=True) if rules else []
    about = {_without_edition(rule) for rule in store.with_sub_rules(named)}
    return {
        node_id: places[passage]
        for node_id, passage in passages.items()
        if passage in places
        and places[passage].rule
        and _without_edition(places[passage].rule) not in about
        and passage not in mentioning
    }


def quotations_left_out(quoted: Iterable[Place], command: str) -> tuple[LeftOut, ...]:
    """Return what to say of rules that the subject's page only quotes, an entry for each section
    of the rules, edition and page, with the numbers of its rules, each once.

    command: the command that gives what such rules state: `steps` or `outcomes`.
    """
    numbers: dict[tuple[str, str, str, str], dict[str, None]] = {}
    for place in quoted:
        section = _section_number(place.number)
        rule = place.rule.rpartition("/")[0] + "/" + section
        key = rule, section, place.edition, place.page
        numbers.setdefault(key, {})[place.number] = None
    return tuple(
        LeftOut(
            rule,
            Reason(
                "only_quoted",
                Ask(command, ref=section, game=rule.partition("/cr/")[0], edition=edition),
                page=page,
                rules=tuple(quoted_numbers),
            ),
        )
        for (rule, section, edition, page), quoted_numbers in numbers.items()
    )


def _section_number(number: str) -> str:
    """Return the number of the section of the rules that a rule stands in, below its chapter.

    >>> [_section_number(number) for number in ("120.4a", "120", "5.1.2", "5")]
    ['120', '120', '5.1', '5']
    """
    above = parent_number(number)
    while above and parent_number(above):
        number, above = above, parent_number(above)
    return number


def _without_edition(rule: str) -> tuple[str, str]:
    """Return the game and the number in a rule's id: the same in every edition and language."""
    return rule.partition("/")[0], rule.rpartition("/")[2]


def _final_number(node_id: str) -> int:
    """Return the number at the end of a statement's id, or 0 if it ends with none."""
    number = _NUMBER.search(node_id)
    return int(number[0]) if number else 0


def _narrowed(statement: Node, evidence: Evidence) -> Evidence:
    """Return evidence narrowed to the statement's own text, or unchanged if it lacks that text.

    evidence: a whole passage: the narrowed span counts from the start of its text.
    """
    start = evidence.text.find(statement.text) if statement.text else -1
    if not statement.text or start < 0:
        return evidence
    return replace(evidence, start=start, end=start + len(statement.text), text=statement.text)


# A rule's number, of several levels, at the beginning of a step.
_RULE_NUMBER = re.compile(r"^\s*\d+(?:[.-]\d+)+[a-z]{0,2}\.?\s+")
_REASONS = ("page", "rule", "mention")  # how a procedure belongs to a term, the closest first


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a procedure.

    n: its number in the procedure, from 1.
    text: what is to be done.
    node: the step's node.
    rule: the number of the rule that the step is, with which its text begins; empty if it is an
        item of a list.
    """

    n: int
    text: str
    node: Node
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Procedure:
    """An ordered list of steps.

    node: the procedure's node.
    steps: its steps, in order.
    why: how it belongs to the term: it stands on the term's `page`, under the term's `rule`, or
        after an introduction that makes `mention` of the term.
    evidence: the passage that introduces it, and its words there.
    place: where that passage stands.
    same: where else the same procedure stands: other editions, captures and pages.
    """

    node: Node
    steps: tuple[Step, ...]
    why: str
    evidence: Evidence
    place: Place
    same: tuple[Place, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Procedures(ListResult[Procedure], items="procedures", item="procedure"):
    """The procedures of a term: those on its page, then under its rule, then mentioning it.

    also: what was left out: procedures of older editions, and those of other rules that the
        term's page only quotes; and if there are no procedures, how many the filters leave out.
    """

    procedures: tuple[Procedure, ...]
    also: tuple[LeftOut, ...] = ()

    _COLUMNS = columns("procedure n text why step notice")

    def _rows(self) -> Iterator[Mapping[str, object]]:
        for procedure in self.procedures:
            for step in procedure.steps:
                yield {
                    "procedure": procedure.node.label,
                    "n": step.n,
                    "text": step.text,
                    "why": procedure.why,
                    "step": step.node.id,
                    "notice": step.node.notice,
                }


def steps(store: Store, ref: str, scope: Scope) -> Procedures:
    """Return the procedures on a term's page, under its rule, or whose introduction mentions it.

    A procedure is returned once, for the first of these reasons; those on the page come first. The
    result may be empty. What several editions have in the same words is one procedure.

    ref: a term, card, rule or page, as for `find_nodes`.
    scope: its game limits also what the reference may name. Without an edition in it, procedures
        that a newer edition words otherwise are left out; `also` says so.

    Raises NotFoundError if the reference names nothing.
    """
    procedures, also = _found(store, ref, scope)
    if not procedures:
        also += left_out_by_filters(
            scope, "procedure", lambda wider: len(_found(store, ref, wider)[0])
        )
    return Procedures(tuple(procedures), tuple(also))


def _found(store: Store, ref: str, scope: Scope) -> tuple[list[Procedure], list[LeftOut]]:
    """Return the procedures of what a reference names, those on its page first, then those under
    its rule, then those that mention it, and what was left out of them; arguments and errors as for
    `steps`."""
    subject = find_subject(store, ref, scope.game)
    if not subject.nodes:
        raise unknown_ref(store, ref, Scope(game=scope.game))
    on_page = statements_defining(store, subject, "procedure")
    quoted = rules_quoted_from_elsewhere(store, subject, on_page)
    under_rule = store.stated_in(
        "procedure", store.passages_giving(rules_about(store, subject, cited=True))
    )
    why: dict[str, str] = {}
    nodes: dict[str, Node] = {}
    for reason, procedures in (
        ("page", [node for node in on_page if node.id not in quoted]),
        ("rule", under_rule),
        ("mention", _mentioning(store, subject)),
    ):
        for node in procedures:
            why.setdefault(node.id, reason)
            nodes.setdefault(node.id, node)
    parts = {key: list[Node]() for key in nodes} | store.steps(nodes)
    statements, outdated = collect_statements(
        store,
        nodes.values(),
        scope,
        lambda node: (node.label or "", *(_numberless(part) for part in parts[node.id])),
    )
    reasons = {
        statement.node.id: min((why[key] for key in statement.ids), key=_REASONS.index)
        for statement in statements
    }
    statements.sort(key=lambda statement: _REASONS.index(reasons[statement.node.id]))
    rules = _rule_numbers(store, [p.id for s in statements for p in parts[s.node.id]])
    only_quoted = [
        place for key, place in quoted.items() if key not in nodes and scope.includes(place)
    ]
    return [
        _procedure(statement, parts[statement.node.id], reasons[statement.node.id], rules)
        for statement in statements
    ], [
        *quotations_left_out(only_quoted, "steps"),
        *outdated,
        *mentions_left_out(store, subject, "procedure", scope),
    ]


def _procedure(
    statement: Statement, parts: list[Node], why: str, rules: Mapping[str, str]
) -> Procedure:
    """Return a procedure with its steps; `rules` has the numbers of the steps that are rules.

    A step without a number gets its position, from 1; without text it gets an empty one.
    """
    return Procedure(
        statement.node,
        tuple(
            Step(int(part.number or n), part.text or "", part, rules.get(part.id, ""))
            for n, part in enumerate(parts, 1)
        ),
        why,
        statement.evidence,
        statement.place,
        statement.same,
    )


def _mentioning(store: Store, subject: Subject) -> list[Node]:
    """Return the procedures whose introduction mentions a subject's terms; in English also those
    whose introduction contains one of its names.

    English names (in ASCII) are found as whole words in either case, in the games of the subject's
    nodes, and only if it has terms. A procedure that is found both ways occurs twice.
    """
    found = store.procedures_on(subject.term_ids, MOST_MENTIONS)
    english = [re.escape(name) for name in subject.names if name.isascii()]
    if english and subject.term_ids:
        games = sorted({node.game for node in subject.nodes if node.game})
        name_pattern = re.compile(rf"\b(?:{'|'.join(english)})\b", re.IGNORECASE)
        in_english = store.procedures_in("en", games)
        found += (node for node in in_english if name_pattern.search(node.label or ""))
    return found


def _rule_numbers(store: Store, steps: list[str]) -> dict[str, str]:
    """Return {id of a step: the number of the rule that it is, or "" for an item of a list} for the
    steps whose passage is there. steps: their ids."""
    passages = {
        edge.source: edge.evidence.passage for edge in store.edges(steps, "out", ["part_of"])
    }
    places = find_places(store, set(passages.values()))
    return {step: places[passage].number for step, passage in passages.items() if passage in places}


def _numberless(step: Node) -> str:
    """Return the text of a step without the number of the rule that it begins with, if any."""
    return _RULE_NUMBER.sub("", step.text or "")


_SUBJECT_FORMS = ("{}", "「{}」", "《{}》", "“{}”", "the {}", "a {}", "an {}")  # of a name


@dataclass(frozen=True, slots=True)
class Outcome:
    """A statement of the form "if condition, then result".

    subject: what it is about, in the words of the page.
    condition, result: its two parts; empty if not stated.
    modality: `must`, `may`, `cannot` or `is`.
    exception_to: the id of the outcome, or the words, to which this is an exception, or None.
    node: the outcome's node.
    evidence: the passage that states it, and its words there.
    place: where that passage stands.
    same: where else the same is stated: other editions, captures and pages.
    card: the name of the card that it is printed on, or None.
    """

    subject: str
    condition: str
    result: str
    modality: str
    exception_to: str | None
    node: Node
    evidence: Evidence
    place: Place
    same: tuple[Place, ...]
    card: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Outcomes(ListResult[Outcome], items="outcomes", item="outcome"):
    """The outcomes stated on a term, by game and in the order of the pages, each once.

    also: what was left out: outcomes of older editions, those of other rules that the term's
        page only quotes, and the abilities of cards that it shows; what was not looked at, of a
        term that is mentioned very often; and if there are no outcomes, how many the filters leave
        out.
    total: how many there are, `outcomes` included.
    more: how to go on, if not all are here; else None.
    """

    outcomes: tuple[Outcome, ...]
    also: tuple[LeftOut, ...] = ()
    total: int = 0
    more: Reason | None = None

    _COLUMNS = columns(
        "game=node.game subject condition result modality exception_to "
        "passage=evidence.passage notice=node.notice"
    )


def outcomes(store: Store, ref: str, scope: Scope, most: int) -> Outcomes:
    """Return the outcomes stated on a term's page, under its rule, or with the term as subject.

    If there are none, the outcomes under the rules that a rulebook's glossary cites for the term
    are returned. The result may be empty. What several editions or captures state in the same
    words is one outcome. What is printed on a card counts only for that card, or for a page that is
    asked for by its name.

    ref: a term, card, rule or page, as for `find_nodes`.
    scope: its game limits also what the reference may name. Without an edition in it, outcomes
        that a newer edition words otherwise are left out; `also` says so.
    most: at most how many outcomes.

    They are sorted by game, in it as `collect_statements` returns them.

    Raises NotFoundError if the reference names nothing and nothing is stated of it.
    """
    statements, also = _stated(store, ref, scope)
    if not statements:
        also += left_out_by_filters(
            scope, "outcome", lambda wider: len(_stated(store, ref, wider)[0])
        )
    ids = {key: statement.node.id for statement in statements for key in statement.ids}
    return Outcomes(
        tuple(_outcome(statement, ids) for statement in statements[:most]),
        tuple(also),
        len(statements),
        longer_list(len(statements), most, MOST_LISTED) if len(statements) > most else None,
    )


def _stated(store: Store, ref: str, scope: Scope) -> tuple[list[Statement], list[LeftOut]]:
    """Return the outcomes stated on what a reference names, by game, and what was left out of
    them; arguments and errors as for `outcomes`."""
    subject = find_subject(store, ref, scope.game)
    on_page = statements_defining(store, subject, "outcome")
    quoted = rules_quoted_from_elsewhere(store, subject, on_page)
    nodes = [node for node in on_page if node.id not in quoted]
    nodes += store.stated_in("outcome", store.passages_giving(rules_about(store, subject)))
    nodes += _on_subject(store, subject)
    if not nodes:  # a glossary's entry only refers to the rules
        nodes = store.stated_in(
            "outcome", store.passages_giving(rules_about(store, subject, cited=True))
        )
    if not nodes and not subject.nodes:
        raise unknown_ref(store, ref, Scope(game=scope.game))
    found = {node.id for node in nodes}
    only_quoted = [place for node_id, place in quoted.items() if node_id not in found]
    nodes, of_cards = _without_cards(nodes, subject)
    statements, outdated = collect_statements(store, nodes, scope, _content)
    statements.sort(key=lambda statement: statement.node.game or "")
    return statements, [
        *quotations_left_out(only_quoted, "outcomes"),
        *outdated,
        *of_cards,
        *mentions_left_out(store, subject, "outcome", scope),
    ]


def _without_cards(
    nodes: Iterable[Node], subject: Subject
) -> tuple[list[Node], tuple[LeftOut, ...]]:
    """Return outcomes, each once, without those that are printed on other cards than the subject,
    and an entry for each such card and page, with their number. A page or rule that was itself
    asked for keeps all."""
    if not subject.term_ids:
        return list(nodes), ()
    kept: list[Node] = []
    cards: dict[tuple[str, str], int] = {}
    own = {fold(name) for name in subject.names}
    for node in {node.id: node for node in nodes}.values():
        card = (node.details or {}).get("card")
        if not card or fold(card) in own:
            kept.append(node)
        else:
            shown_on = card, page_and_section(node.id)[0]
            cards[shown_on] = cards.get(shown_on, 0) + 1
    return kept, tuple(
        LeftOut(
            None,
            Reason("outcomes_on_card", Ask("outcomes", ref=page), card=card, number=number),
        )
        for (card, page), number in cards.items()
    )


def _on_subject(store: Store, subject: Subject) -> list[Node]:
    """Return the outcomes whose subject is a term or any of its names, also in quotation marks or
    behind an English article, in its games; some may come twice."""
    subjects = [form.format(name) for name in subject.names for form in _SUBJECT_FORMS]
    games = {node.game for node in subject.nodes}
    return [
        node
        for node in store.outcomes_on(subject.term_ids, subjects, MOST_MENTIONS)
        if not games or node.game in games
    ]


def _content(node: Node) -> tuple[str, ...]:
    """Return the texts of an outcome that say what it states: its label, condition, result and
    modality; those that it lacks are empty."""
    details = node.details or {}
    parts = (str(details.get(part) or "") for part in ("condition", "result", "modality"))
    return node.label or "", *parts


def _outcome(statement: Statement, ids: Mapping[str, str]) -> Outcome:
    """Return an outcome; a part that the details of its node lack is empty.

    ids: {id of an outcome: id of the one that stands for it}; what it is an exception to becomes
        the latter.
    """
    details = statement.node.details or {}
    exception_to = details.get("exception_to")
    return Outcome(
        details.get("subject", ""),
        details.get("condition", ""),
        details.get("result", ""),
        details.get("modality", ""),
        ids.get(exception_to, exception_to) if exception_to else None,
        statement.node,
        statement.evidence,
        statement.place,
        statement.same,
        details.get("card"),
    )
