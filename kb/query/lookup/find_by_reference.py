"""Looks up the nodes that a reference names: by id, by a rule's number or by a name."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, islice

from graphs.model import Node, NodeKind, page_and_section
from graphs.sort_orders import edition_key
from graphs.store.passage_index import PassageFilter
from graphs.store.reader import Store
from graphs.store.rule_versions import rules_of
from kb.errors import NotFoundError, QuestionError
from kb.language.citations.rule_numbers import rule_id
from kb.language.fold import fold
from kb.language.nearest_value import nearest, shown
from kb.query.lookup.common_filters import EVERYTHING, Scope
from kb.reason import Argument, Ask, Reason, again, take_for, taken
from scraper.rulebook.numbering import parse_number

_RULE_ID = re.compile(r"(?P<game>[^/]+)/rule/(?P<number>[^/@]+)@(?P<edition>[^/]+)/(?P<lang>[^/]+)")
_DATE_WITH_POINT = re.compile(r"\d{4}-?\d\d-?\d\d\.0")  # as file names have them
_AS_OF = re.compile(r"as[ -]of[ =:]\s*(?P<date>.+)", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")  # no number of a version, such as 1201, is one
_YEAR_MONTH_OR_DAY = re.compile(r"\d{4}(?:\d\d){0,2}")
_DAY = 8  # digits of a date: 20231117
_SHORTEST_DATE = 6  # digits: 231117; fewer are in the names of other editions' files, too
# Of nodes of one name, those first that a person most likely means; other kinds come last.
_ORDER = {"term": 0, "card": 1, "rule": 2, "page": 3, "edition": 4, "section": 5}
_MOST_NEAR = 5  # names that are suggested: what a line of a message holds
# Characters of a name that is suggested as it is; more are a sentence. 95 of 100 names in rulebooks
# have up to 26.
_LONGEST_NAME = 40
_SENTENCE = re.compile(r"[。．！？!?:：…]$|(?<=[^.])[a-z]{2}\.$")  # how a sentence ends
_MOST_STANDING = 100  # passages with a word that is no name, of which the newest rule is said
_MOST_HEADINGS = 2_000  # passages with the words of a heading that are looked at; a guard
# Between a word and the number of a rule in brackets behind it, in one sentence.
_IN_BRACKETS = re.compile(r"[^()（）。！？!?\n]{0,60}[(（][^()（）]{0,12}")
_FILTERS = ("game", "source", "lang", "edition")


def _is_homonym(node: Node) -> bool:
    """Return whether a term's id has a suffix in parentheses, to distinguish it from another term
    of the same name. The term without a suffix is the likelier one."""
    return node.kind == "term" and node.id.endswith(")") and node.label != node.id.split("/", 2)[2]


def find_nodes(store: Store, ref: str, scope: Scope = EVERYTHING) -> list[Node]:
    """Return the nodes that a reference names, the likeliest first; an empty list if none.

    A node's id names that node alone, whatever the scope. A rule's number names the rule in every
    edition, newest first. Anything else names all nodes with that name, in any spelling: terms
    before cards before rules before pages. If there are none, it is taken for the one name that is
    the same but for accents and signs, or sounds the same; that is kept for the answer
    (`take_for`), as it is of a name that aligned rules only propose.

    ref: a node's id, a rule's number (`121.2a`, `rule 121.2a`) or a name, as a person writes it.
    scope: leaves out nodes without these values; its edition may be written in any form.
    """
    ref, scope = ref.strip(), _resolved(store, scope)
    nodes = _same_name(store, ref, scope)
    if nodes or not ref:
        if nodes:
            _say_if_proposed(ref, nodes)
        return nodes
    if otherwise := _written_otherwise(store, ref, scope):
        return otherwise
    if parse_number(ref) is not None:
        return []
    from kb.query.lookup.find_names import (
        similar_names,  # only now: a name that is there needs none of it
    )

    similar = similar_names(store, ref, scope)
    surest = max((name.certainty for name in similar), default=0)
    certain = [name for name in similar if name.certainty == surest > 0]
    if len({fold(name.name) for name in certain}) != 1:
        return []
    name = certain[0]
    found = {node.id: node for each in certain for node in each.nodes}
    take_for(Reason("taken_for", given=shown(ref), name=(name.name,), how=name.how))
    return sorted(found.values(), key=lambda node: _likeliest_first(node, name.name))


def _say_if_proposed(ref: str, nodes: Iterable[Node]) -> None:
    """Keep for the answer (`take_for`) that a name is only proposed, if it is for all nodes: that
    no page states it. If a page states it of any of them, nothing is kept."""
    key = fold(ref)
    names: list[str] = []
    for node in nodes:
        roles = {label.role for label in node.labels if fold(label.text) == key}
        if roles != {"proposed"}:
            return
        names.append(node.label or node.id)
    take_for(Reason("taken_for_proposed", given=shown(ref), name=tuple(dict.fromkeys(names))))


def _written_otherwise(store: Store, ref: str, scope: Scope) -> list[Node]:
    """Return the nodes of the first other way to write a reference that names any, each once, and
    keep how it was taken; empty if none does."""
    from kb.query.lookup.reference_fallbacks import other_references  # only now, likewise

    for other in other_references(store, ref):
        found = (_same_name(store, each, scope) for each in other.refs)
        nodes = list({node.id: node for named in found for node in named}.values())
        if other.in_scope:
            nodes = [node for node in nodes if scope.includes(node)]
        if nodes:
            if other.how:
                take_for(Reason("taken_for", given=shown(ref), name=other.refs, how=other.how))
            return nodes
    return []


def _same_name(store: Store, ref: str, scope: Scope) -> list[Node]:
    """Return the nodes whose id or number is a reference, or else those that have it as a name, and
    then those for which it is proposed as a name, or that only lists of names call so; only those
    in the scope, but for an id. A number is one of other documents only if no rule in the scope has
    it."""
    exact = store.node(ref) or _newest_version(store, ref)
    if exact:
        return [exact]
    nodes: list[Node] = []
    if number := parse_number(ref):
        nodes = [node for node in store.find_by_number(number) if scope.includes(node)]
        nodes = nodes or store.find_by_number(number, "document")
    if not nodes:
        nodes = store.find_by_label(fold(ref))
        nodes.sort(key=lambda node: _likeliest_first(node, ref))
        nodes += _called_so_unsurely(store, ref, nodes)
    included = [node for node in nodes if scope.includes(node)]
    return included or [node for node in nodes if _is_called_so(node, ref, scope)]


def _is_called_so(node: Node, ref: str, scope: Scope) -> bool:
    """Whether a term or card whose pages are in another language than the scope's has a reference
    as a name in that language, and is in the scope otherwise."""
    return (
        node.kind in ("term", "card")
        and any(label.lang == scope.lang and fold(label.text) == fold(ref) for label in node.labels)
        and replace(scope, lang=None).includes(node)
    )


def _newest_version(store: Store, ref: str) -> Node | None:
    """Return the newest version of a rule by the rule's id, which is made of the number, edition
    and language of any of its versions; None if a reference is no such id, or nothing has it."""
    match = _RULE_ID.fullmatch(ref)
    if match is None:
        return None
    version = rule_id(match["game"], match["edition"], match["lang"], match["number"])
    newest = rules_of(store, [version]).get(version)
    return store.node(newest) if newest else None


def _called_so_unsurely(store: Store, ref: str, named: Iterable[Node]) -> list[Node]:
    """Return the nodes for which a name is proposed or listed, of games in which no term has it.

    named: the nodes that have the name for sure.
    """
    games = {node.game for node in named if node.kind == "term"}
    called = store.find_by_label(fold(ref), unsure=True)
    return [node for node in called if node.game not in games]


def _likeliest_first(node: Node, ref: str) -> tuple[int, bool, bool, int, str]:
    # A page comes before its copy in another wiki of the site: `rush/引く`.
    depth = node.id.count("/") if node.kind == "page" else 0
    return _ORDER.get(node.kind, 9), _is_homonym(node), node.label != ref, depth, node.id


def _resolved(store: Store, scope: Scope) -> Scope:
    """Return a scope with its edition in the form that the graph stores."""
    if not scope.edition:
        return scope
    return replace(scope, edition=resolve_edition(store, scope.edition, scope.game, scope.lang))


def find_named(store: Store, ref: str, *kinds: NodeKind, scope: Scope = EVERYTHING) -> list[Node]:
    """Return the nodes that a reference names, likeliest first; only those of some kinds, if any
    are given.

    ref, scope: as for `find_nodes`.

    Never empty: raises NotFoundError if there are none, with names near to it; and QuestionError if
    the name is of nodes of another kind, which the message names.
    """
    nodes = find_nodes(store, ref, scope)
    if not nodes:
        raise unknown_ref(store, ref, scope)
    fitting = [node for node in nodes if not kinds or node.kind in kinds]
    if not fitting:
        named = nodes[0].id if nodes[0].id != ref.strip() else None
        kind = nodes[0].kind
        raise QuestionError("of_another_kind", ref=ref, kinds=kinds, kind=kind, node=named)
    return fitting


def unknown_ref(store: Store, ref: str, scope: Scope = EVERYTHING) -> NotFoundError:
    """Return (not raise) the error for a reference that names nothing; it suggests near names.

    scope: the part of the graph in which the reference names nothing. What it names elsewhere is
        said; if it names nothing at all, names in the scope that are near are suggested.
    """
    elsewhere = _same_name(store, ref.strip(), EVERYTHING) if scope != EVERYTHING else []
    if elsewhere:
        # Terms and pages of wikis are of no edition; rules are found without one, too.
        anywhere = replace(scope, edition=None)
        of_none = [n for n in elsewhere if n.edition is None and anywhere.includes(n)]
        code = "not_within_filters"
        if scope.edition and of_none:
            elsewhere, code = of_none, "not_of_edition"
        places = tuple(dict.fromkeys(map(_place, elsewhere)))[:_MOST_NEAR]
        edition = Argument("edition", ...)
        partly = _partly_loaded(store, scope.lang, elsewhere)
        return NotFoundError(code, ref=shown(ref), edition=edition, places=places, partly=partly)
    ref = ref.strip()
    store.refuse_forged(ref, parse_number(ref), fold(ref))
    if what := _what_it_is(store, ref):
        return NotFoundError("unknown_ref_is", ref=shown(ref), what=what)
    near = near_names(store, ref, scope)
    stands = where_it_stands(store, ref, scope)
    called, close = shown(ref), tuple(map(_cut, near))
    if any("," in name for name in near):
        return NotFoundError("unknown_ref_near", ref=called, near=close, stands=stands)
    return NotFoundError("unknown_ref", ref=called, near=close, stands=stands)


def where_it_stands(store: Store, ref: str, scope: Scope = EVERYTHING) -> Reason | None:
    """Return in how many passages of the scope a reference that is no name stands as words, the
    newest rule among them, the rule that they are perhaps about, and the search for them; None if
    it stands in none, or is a number."""
    from kb.query.lookup.search_words import name_query  # for an error alone

    scope = _resolved(store, scope)
    query = name_query(ref if len(ref) <= _LONGEST_NAME and not parse_number(ref) else "")
    narrow = PassageFilter(scope.game, scope.source, scope.edition, scope.lang)
    found = list(islice(store.passages.occurrences(query, narrow), _MOST_STANDING)) if query else []
    if not found:
        return None
    rules = store.get(rule for _, rule, _ in found if rule).values()
    newest = max(rules, key=lambda rule: edition_key(rule.edition), default=None)
    ask = Ask("search", text=ref, game=scope.game, lang=scope.lang, edition=scope.edition)
    code = "stands_in_many" if len(found) == _MOST_STANDING else "stands_in"
    rule = newest and _place(newest)
    perhaps = _rule_behind(store, ref, [rule or passage for passage, rule, _ in found])
    return Reason(code, ask, passages=len(found), rule=rule, perhaps=perhaps)


def _rule_behind(store: Store, ref: str, nodes: Sequence[str]) -> Reason | None:
    """Return the number and heading of the one rule that some passages and rules cite in brackets
    behind some words, in their sentence: `… has wind, it sails (rule 702.9)`; None without one, or
    without a heading."""
    rules = {}
    edges = store.edges(nodes, "out", ["cites"])
    texts = store.passages.texts(edge.evidence.passage for edge in edges)
    for edge in edges:
        text = texts[edge.evidence.passage].text if edge.evidence.passage in texts else ""
        _, word, between = text[: edge.evidence.start].rpartition(ref.strip())
        if word and edge.target and _IN_BRACKETS.fullmatch(between):
            rules[edge.target.rpartition("/")[2]] = edge.target
    node = next(iter(store.get(rules.values()).values()), None)
    if len(rules) != 1 or node is None or not node.label:
        return None
    return Reason("perhaps_rule", number=node.number, name=node.label)


def _partly_loaded(store: Store, lang: str | None, nodes: Iterable[Node]) -> Reason | None:
    """Return how much is loaded, in a language in which some nodes are not found, of the newest
    edition of their rules: why a rule may be missing. None if all is, if nothing, or without rules.
    """
    from kb.rules.loaded_editions import describe_loaded, loaded_rules  # for an error alone

    games = {node.game for node in nodes if node.kind == "rule" and node.game}
    loaded = loaded_rules(store) if lang and games else {}
    for game in sorted(games & loaded.keys()):
        for edition in loaded[game].editions_in(lang or "")[-1:]:
            book = loaded[game].loaded(edition, lang or "")
            if not book.whole:
                return Reason("in_language", lang=lang, loaded=describe_loaded([book]))
    return None


def _what_it_is(store: Store, ref: str) -> Reason | None:
    """Return what a reference is if it is no name but the value of a filter, an address, or the
    name of a section, and what to type; or None."""
    from kb.query.lookup.reference_fallbacks import page_of_address

    folded, values = fold(ref), store.values()
    for column in _FILTERS:
        for value in values[column]:
            if fold(value) == folded:
                ask = {"game": Ask("terms", game=value)}.get(column)
                return Reason(f"is_{column}", ask, argument=Argument(column, value))
    if page := page_of_address(ref):
        return Reason("is_address", page=shown(page))
    if _is_section(store, ref):
        return Reason("is_section", Ask("search", section=ref))
    return None


def _is_section(store: Store, ref: str) -> bool:
    """Return whether a section is headed so: its heading is a passage in it, which the full-text
    index finds sooner than all names of sections are read."""
    from kb.query.lookup.search_words import fulltext_query

    query = fulltext_query(ref if len(ref) <= _LONGEST_NAME else "")
    found = store.passages.occurrences(query, PassageFilter()) if query else iter(())
    folded = fold(ref)
    return any(
        fold(text) == folded and fold(page_and_section(passage)[1].partition("¶")[0]) == folded
        for passage, _, text in islice(found, _MOST_HEADINGS)
    )


def _place(node: Node) -> Reason:
    """Return as a message what a node is called (number, label or id), its kind, and its game,
    edition and language, as far as it has them; the language only with an edition."""
    where = filter(None, [node.game, node.edition, node.lang if node.edition else None])
    name = node.number or node.label or node.id
    return Reason("node_in", name=name, kind=node.kind, where=tuple(where))


def near_names(store: Store, ref: str, scope: Scope = EVERYTHING) -> tuple[str, ...]:
    """Return names, or numbers of rules, to suggest for a reference that names nothing.

    Five at most, the likeliest first: the numbers of rules among its words; else names that are
    spelled or that sound like it, then those that begin with it; for a number, the numbers of the
    same section that look most like it. All are of nodes in the scope.

    ref, scope: as for `find_nodes`.
    """
    from kb.query.lookup.find_names import names_beginning, near_numbers, similar_names
    from kb.query.lookup.reference_fallbacks import numbers_among

    scope, number = _resolved(store, scope), parse_number(ref)
    if number:
        return near_numbers(store, number, scope, _MOST_NEAR)
    among = (n for n in numbers_among(ref) if any(map(scope.includes, store.find_by_number(n))))
    if found := tuple(islice(among, _MOST_NEAR)):
        return found
    near = [name.name for name in similar_names(store, ref.strip(), scope, 4 * _MOST_NEAR)]
    if sum(not _is_long(name) for name in near) < _MOST_NEAR:
        near += [name.name for name in names_beginning(store, ref.strip(), scope, _MOST_NEAR)]
    names = [name for name in near if not _is_long(name)] or near
    by_spelling = {fold(name): name for name in reversed(names)}
    return tuple(name for name in names if by_spelling.pop(fold(name), None))[:_MOST_NEAR]


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _is_long(name: str) -> bool:
    """Return whether a name ends as a sentence does, or has more than 40 characters."""
    return len(name) > _LONGEST_NAME or _SENTENCE.search(name) is not None


def normalize_rule_number(given: str) -> str:
    """Return a rule's number, however a person writes it, in the form that the graph stores.

    given: the number alone, or after a word such as `rule`, `CR` or 规则; a final full stop does
        not count.

    Raises QuestionError if it is not the number of a rule.

    >>> normalize_rule_number("121.2A."), normalize_rule_number("rule ５．１")
    ('121.2a', '5.1')
    >>> normalize_rule_number("引く")
    Traceback (most recent call last):
    kb.errors.QuestionError: 引く is no number of a rule
    """
    number = parse_number(given)
    if number is None:
        raise QuestionError("no_rule_number", given=given)
    return number


def resolve_edition(
    store: Store, given: str, game: str | None = None, lang: str | None = None
) -> str:
    """Return the edition that a person means, in the form that the graph stores.

    given: an edition, or `as of` and a date: the newest edition of the game's rules that is not
        younger. game: whose rules are meant; None if they are of one game alone. lang: in which
        an edition must be there to have been in force; None for any.

    It may be given by its own date, if that is of the rules or of one document beside them alone,
    or by the date in its file's name: that is often the day when it was published, some days later.
    What matches neither is returned normalized, even if there is no such edition.

    Raises QuestionError if nothing was in force at a date, or in several games.
    """
    if as_of := _AS_OF.fullmatch(given.strip()):
        return _in_force(store, as_of["date"], game, lang)
    name = normalize_edition(given)
    if any(name == edition for _, edition, _ in store.editions()):
        return name
    of_documents = [each for each in store.values()["edition"] if each.endswith(f"-{name}")]
    if len(of_documents) == 1:
        return of_documents[0]
    is_date = name.isdigit() and len(name) >= _SHORTEST_DATE
    editions = store.editions_in(name) if is_date else []
    return editions[0] if len(editions) == 1 else name


def _in_force(store: Store, given: str, game: str | None, lang: str | None) -> str:
    """Return the edition of a game's rules that was in force at a date, and keep that for the
    answer. A year or a month means its last day; editions without a date count for nothing.

    Raises QuestionError for what is no date, if the oldest edition is younger, or if the games have
    different editions then.
    """
    from scraper.rulebook.edition import edition_of

    date = given if _YEAR.fullmatch(given) else edition_of(given) or ""
    if not _YEAR_MONTH_OR_DAY.fullmatch(date):
        raise QuestionError("no_date", given=given)
    day = _last_day(date)
    dated: dict[str, list[str]] = defaultdict(list)
    for of_game, edition, in_lang in store.editions():  # the oldest first
        is_wanted = game in (None, of_game) and lang in (None, in_lang)
        if is_wanted and _is_date(edition) and edition not in dated[of_game]:
            dated[of_game].append(edition)
    in_force = {
        of_game: editions[bisect_right(editions, day) - 1]
        for of_game, editions in dated.items()
        if editions and editions[0] <= day
    }
    if not in_force:
        oldest = min(chain.from_iterable(dated.values()), default=None)
        raise QuestionError("nothing_in_force", date=given, oldest=oldest)
    if len(set(in_force.values())) > 1:
        choices = tuple(again(game=each) for each in sorted(in_force))
        raise QuestionError(
            "as_of_which_game", date=given, games=tuple(sorted(in_force)), choices=choices
        )
    [(of_game, edition), *_] = in_force.items()
    later = next((each for each in dated[of_game] if each > day), None)
    end = given if len(date) < _DAY else None
    take_for(Reason("edition_in_force", date=given, edition=edition, later=later, end=end))
    return edition


def _last_day(date: str) -> str:
    """Return a date of eight digits, that of a year or month to its end."""
    return date.ljust(_DAY, "9")


def day_asked_for() -> str | None:
    """Return the day of which the edition in force is asked for, as eight digits, if it is."""
    said = taken("edition_in_force")
    if said is None:
        return None
    from scraper.rulebook.edition import edition_of  # most look-ups ask for no day

    given = said.values["date"]
    date = given if _YEAR.fullmatch(given) else edition_of(given)
    return _last_day(date) if date else None


def normalize_edition(given: str) -> str:
    """Return an edition, however a person writes it, in the form that the graph stores.

    A date loses its hyphens and a `.0` behind it, and any edition a path before it. What has the
    form already, such as `2.0`, is returned as it is.

    >>> [normalize_edition(e) for e in ("20231117.0", "2023-11-17", "mtg/cr/20231117", "v2.0")]
    ['20231117', '20231117', '20231117', 'v2.0']
    """
    name = given.strip().rpartition("/")[2]
    name = name.removesuffix(".0") if _DATE_WITH_POINT.fullmatch(name) else name
    digits = name.replace("-", "")
    return digits if digits.isdigit() else name


def take_edition_for(given: str, edition: str) -> None:
    """Keep for the answer that an edition was given by another date than its own, that of its
    file.

    given: as a person wrote it; edition: which one that is.
    """
    if not _AS_OF.fullmatch(given.strip()) and edition != normalize_edition(given):
        take_for(Reason("edition_taken_for", given=given, edition=edition))


def nearest_editions(given: str, known: Iterable[str], most: int = 2) -> list[str]:
    """Return the editions that are nearest to one that is not there, the nearest first: of a date
    those of the nearest dates, before it or behind, the older of two equally near; else those that
    are written alike. Often none.

    >>> nearest_editions("20240802", ["20231117", "20240730", "20260116", "1.2"])
    ['20240730', '20231117']
    >>> nearest_editions("1.20", ["1.2", "3.1"], 1)
    ['1.2']
    """
    dates = [edition for edition in known if _is_date(edition)]
    if _is_date(given) and dates:
        dates.sort(key=lambda edition: (abs(_day(edition) - _day(given)), edition))
        return dates[:most]
    return nearest(given, known, most)


def _is_date(edition: str) -> bool:
    return len(edition) == 8 and edition.isascii() and edition.isdigit()


def _day(edition: str) -> int:
    """Return a number that grows by about one a day; any eight digits have one."""
    return int(edition[:4]) * 372 + int(edition[4:6]) * 31 + int(edition[6:])
