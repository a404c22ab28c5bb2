"""Prints what a reference names (`sansho show`), one concept in several games, and lists of terms.

Of a rule these are its place, citations, editions and outline; of a term or card what defines it,
its names and spellings, and where it is mentioned.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import kb as public
from kb import edition_key
from kb.cli.render.output import (
    Part,
    bold,
    cell_width,
    counted,
    dim,
    echo,
    end_of_result,
    field,
    more,
    name_of,
    origin_of,
    place_name,
    print_table,
    said,
    shortened,
    text_width,
    total,
    url,
)
from kb.cli.wording import command
from kb.reason import Ask
from kb.shared_wording import dotted

if TYPE_CHECKING:
    from kb import (
        Capture,
        ChangedBelow,
        CitedBy,
        Comparison,
        ComparisonRow,
        Edge,
        Evidence,
        KnowledgeBase,
        Label,
        Node,
        PageContent,
        RuleName,
        RuleOutline,
        Shown,
        ShownEntry,
        Spelling,
        TermDefinition,
        TermProfile,
        Terms,
    )

# All that may differ between the places of a text in two editions: the date and the passage's
# number. A longer run of digits is taken in pieces.
_NUMBER = re.compile(r"[0-9]{1,18}")
_KANJI = re.compile(r"[々一-鿿]")  # of Unicode's first block, which has all that are in daily use
# Lengths of lists, by hand: a line or two for each entry; --json has the rest.
_MAX_NAMES = 12
# Columns of a page's title with its source and edition, by hand: behind its indent a little more
# than a line of 80, in which most titles are whole.
_MAX_TITLE = 80
_MAX_DEFINITIONS = 6
_MAX_SPELLINGS = 8
_MAX_FORMS = 5
_NAME_COLUMN = 10  # columns of a field's name, as in `output` (_NAME_WIDTH)
# Columns of a value's name beside its value, by hand: nine Japanese letters. A higher one would
# push all values of a card to the right for one long name.
_WIDEST_VALUE_NAME = 18


def print_term(node: Node, profile: TermProfile, ref: str) -> None:
    """Print a term or card behind its heading.

    ref: the reference, as the person typed it, for the commands that are suggested.
    """
    if node.kind == "card":
        _print_card(node)
    elif profile.definitions:
        _print_definitions(profile.definitions, node.lang)
    elif node.text:
        echo(dim("no definition; its entry says: "), node.text, indent=2)
    print_names(
        [label for label in node.labels if label.text != node.label and label.role != "reading"]
    )
    if node.reading:
        field("reading", node.reading)
    elif node.kind == "term" and _KANJI.search(node.label or ""):
        ask = Ask("termbase", term=node.id)
        field("reading", "its pages give none, one is found or made", command=command(ask))
    _print_spellings(profile)
    if profile.mentions:
        _print_mentions(node, profile, ref)
    if profile.rulings:
        ask = Ask("search", mentions=(node.id,), kind="ruling")
        rulings = counted(profile.rulings, "ruling")
        if profile.read < profile.mentions:
            rulings += f" among the first {profile.read:,} mentions"
        field("rulings", rulings, command=command(ask))
    if profile.cites:
        cited = [f"{rule.number} {rule.label or ''}".strip() for rule in profile.cites]
        field("cites", ", ".join(cited))


def print_card_values(node: Node) -> None:
    """Print what is printed on a card besides its text (cost, type, power…), face by face; nothing
    of a node without such values."""
    for face in public.card_faces(node.details):
        if face.name:
            echo(face.name, dim("  face"), indent=2)
        _print_values(face.values, indent=4 if face.name else 2)


def _print_values(values: Sequence[tuple[str, str]], indent: int) -> None:
    """Print values behind their names, in a column as wide as the longest name; a name that is too
    wide for it stands on a line of its own."""
    widths = [width for name, _ in values if (width := cell_width(name)) <= _WIDEST_VALUE_NAME]
    column = max([_NAME_COLUMN, *(width + 1 for width in widths)])
    for name, value in values:
        if (width := cell_width(name)) > _WIDEST_VALUE_NAME:
            echo(dim(name), indent=indent)
            echo(value, indent=indent + column, hang=0)
        else:
            echo(dim(name), " " * (column - width), value, indent=indent, hang=column)


def _print_card(node: Node) -> None:
    if node.text and node.text != node.label:
        for line in node.text.splitlines():
            echo(line, indent=2, hang=0)
    print_card_values(node)


def _print_definitions(definitions: Sequence[TermDefinition], lang: str | None) -> None:
    """Print the first six texts that define a term, each with the page and edition that has it.

    lang: the language of the heading; texts in another language are marked.
    """
    for definition in definitions[:_MAX_DEFINITIONS]:
        mark = f"({definition.lang}) " if definition.lang and definition.lang != lang else ""
        for line in definition.evidence.text.splitlines():
            echo(dim(mark), line, indent=2, hang=0)
            mark = ""
        print_definition_place(definition.authority, definition.url, definition.same_in)
    if len(definitions) > _MAX_DEFINITIONS:
        left = counted(len(definitions) - _MAX_DEFINITIONS, "more definition")
        echo(dim(f"and {left}: --json has them"), indent=4)


def print_definition_place(
    authority: str, address: str | None, same_in: Sequence[str] = ()
) -> None:
    """Print where a definition stands: who gives it, the other editions that do, its address; of
    these what is known."""
    same = f", the same in {', '.join(same_in)}" if same_in else ""
    if authority or same:
        echo(dim(f"— {shortened(authority, _MAX_TITLE)}{same}"), indent=4)
    if address:
        url(address, indent=4)


def print_names(labels: Iterable[Label]) -> None:
    """Print names by language, each with its role and where it comes from: the first twelve, the
    languages in the order of their first names. Those that differ only in case or width are one
    line, and so is one that is the same in several languages."""
    same: dict[str, list[Label]] = {}
    for label in labels:
        same.setdefault(normalize("NFKC", label.text).casefold(), []).append(label)
    languages = list(dict.fromkeys(of_name[0].lang for of_name in same.values()))
    groups = sorted(same.values(), key=lambda of_name: languages.index(of_name[0].lang))
    for index, of_name in enumerate(groups[:_MAX_NAMES]):
        names = ", ".join(dict.fromkeys(label.text for label in of_name))
        facts = [*dict.fromkeys(label.lang for label in of_name), of_name[0].role]
        if passages := of_name[0].passages:
            facts.append(place_name(_in_newest_edition(passages)))
        field("" if index else "names", names, dim(f" ({', '.join(facts)})"))
    if len(groups) > _MAX_NAMES:
        field("", dim(f"and {len(groups) - _MAX_NAMES} more: --json has them"))


def _in_newest_edition(passages: Sequence[str]) -> str:
    """Return the first of some passages, one at least; of the same place in several editions the
    newest's.

    >>> _in_newest_edition(["x/cr/2023/en#Glossary¶382", "x/cr/2026/en#Glossary¶4", "y/2027#Z¶1"])
    'x/cr/2026/en#Glossary¶4'
    """
    places = {passage: _NUMBER.sub("", passage) for passage in passages}
    first = places[passages[0]]
    same_place = (passage for passage in passages if places[passage] == first)
    return max(same_place, key=public.natural_key)


def _print_spellings(profile: TermProfile) -> None:
    """Print how a term is written on pages: first its names with their forms, then what was taken
    for it in another spelling."""
    names = [spelling for spelling in profile.spellings if spelling.is_name]
    others = [spelling for spelling in profile.spellings if not spelling.is_name]
    parts: list[Part] = []
    for spelling in names[:_MAX_SPELLINGS]:
        parts += [", "] if parts else []
        parts += [f"{spelling.text} {spelling.count:,}×", dim(_forms(spelling))]
    if parts:
        field("written", *parts)
    for index, spelling in enumerate(others[:_MAX_SPELLINGS]):
        places = list(dict.fromkeys(place_name(passage) for passage in spelling.places))
        listed = ", ".join(places) + (" …" if spelling.count > len(spelling.places) else "")
        number = counted(spelling.count, "place")
        name = "" if index else "also"
        field(name, f"written {spelling.text}", dim(f" ({number}: {listed})"))
    if len(others) > _MAX_SPELLINGS:
        left = counted(len(others) - _MAX_SPELLINGS, "more spelling")
        field("", dim(f"and {left}: --json has them"))


def _forms(spelling: Spelling) -> str:
    """Return the forms of a word that were met, each with its number, in brackets behind a space:
    the first five, ` (引く 3, 引いた 2)`; empty if there is only one."""
    if len(spelling.forms) < 2:
        return ""
    forms = [f"{text} {count:,}" for text, count in spelling.forms[:_MAX_FORMS]]
    return f" ({', '.join(forms)}{' …' if len(spelling.forms) > _MAX_FORMS else ''})"


def _print_mentions(node: Node, profile: TermProfile, ref: str) -> None:
    """Print how often a term is mentioned, and how to list the places."""
    name = ref if any(label.text == ref for label in node.labels) else node.id
    game = node.game if name == ref else None
    ask = Ask("refs", ref=name, kinds=("mentions",), game=game)
    times = counted(profile.mentions, "time")
    pages = counted(profile.pages, "page")
    if profile.read < profile.mentions:
        first = f"{times}; the first {profile.read:,} are on {pages}, and only their spellings are"
        field("mentioned", f"{first} counted", command=command(ask))
    else:
        field("mentioned", f"{times}, on {pages}", command=command(ask))


def print_comparison(result: Comparison) -> None:
    """Print a block for each term: its names, its definition and where that stands, and why it is
    the same concept as a term above it; then how many there are, and which of the terms that were
    asked about no other game has."""
    above: dict[str, ComparisonRow] = {}
    for row in result.rows:
        if above:
            echo()
        _print_row(row)
        for edge in result.edges:
            if edge.kind == "same_concept" and row.term.id in (edge.source, edge.target):
                other = above.get(edge.source) or above.get(edge.target or "")
                if other:
                    _print_relation(edge, other)
                elif edge.target is None:
                    relation = (edge.details or {}).get("relation", "")
                    missing = f"with {edge.target_label} as the page says; {edge.reason}"
                    field(relation, missing)
        above[row.term.id] = row
    _print_without_counterpart(result, above)
    end_of_result(
        sums=_comparison_sums(result, above),
        left_out=result.also,
        notices=(row.term.notice for row in result.rows),
    )


def _print_without_counterpart(result: Comparison, rows: Mapping[str, ComparisonRow]) -> None:
    """Print which terms that were asked about have no counterpart, and why those of one name are
    not taken for one concept."""
    apart = [terms for terms in result.not_joined if rows.keys() >= set(terms.terms)]
    same_name = {term for terms in apart for term in terms.terms}
    alone = [rows[term] for term in result.alone if term in rows]
    if apart or alone:
        echo()
    for terms in apart:
        games = {rows[term].game for term in terms.terms}
        names = _names([rows[term] for term in terms.terms])
        called = "" if len(games) == 1 else " have the same name, but are not joined"
        echo(f"{names}{called}: {said(terms.why)}.")
    games_asked = {row.game for row in alone}
    if alone and (len(games_asked) == 1 or not same_name.issuperset(r.term.id for r in alone)):
        echo(f"No term of another game was joined with {_names(alone)}.")


def _comparison_sums(result: Comparison, rows: Mapping[str, ComparisonRow]) -> str:
    """Return how many terms there are in how many games, and how they relate; empty for one."""
    if len(result.rows) < 2:
        return ""
    relations = [
        (edge.details or {}).get("relation", "")
        for edge in result.edges
        if edge.kind == "same_concept" and {edge.source, edge.target} <= rows.keys()
    ]
    kinds = [f"{relations.count(kind)} {kind}" for kind in dict.fromkeys(relations)]
    count = counted(len({row.game for row in result.rows}), "game")
    related = f": {', '.join(kinds)}" if kinds else ""
    return f"{counted(len(result.rows), 'term')} in {count}{related}"


def _print_row(row: ComparisonRow) -> None:
    heading = " / ".join(dict.fromkeys(filter(None, [row.ja, row.en])))
    heading = heading or row.term.label or row.term.id
    if heading == row.term.label:
        heading = name_of(row.term)
    echo(bold(heading), "  ", dim(dotted(row.game, row.term.id)))
    for name in row.names:
        facts = [name.authority, "only proposed" if name.proposed else ""]
        if name.lang == "ja":
            basis = f", a {row.reading_basis}" if row.reading_basis else ""
            reading = row.reading or row.made_reading
            facts.insert(0, f"{reading}{basis}" if reading else "")
        field(name.lang, name.text, dim(f"  {dotted(*facts)}"))
    if row.definition:
        for line in row.definition.splitlines():
            echo(line, indent=2, hang=0)
        print_definition_place(row.authority, row.url)
    elif row.term.text:
        echo(dim("no definition; its entry says: "), row.term.text, indent=2)
    else:
        echo(dim("no page defines it"), indent=2)


def _print_relation(edge: Edge, other: ComparisonRow) -> None:
    """Print that a term is the same concept as another one, and the reason."""
    details = edge.details or {}
    field(details.get("relation", ""), f"with {_names([other])}: {details.get('basis', '')}")


def _names(rows: Iterable[ComparisonRow]) -> str:
    """Return the names of terms, with the game behind those of each: `Draw, 引く (mtg) and ドロー
    (ygo)`; empty for none."""
    by_game: dict[str | None, list[str]] = {}
    for row in rows:
        by_game.setdefault(row.game, []).append(name_of(row.term))
    return " and ".join(f"{', '.join(names)} ({game})" for game, names in by_game.items())


# Lengths of lists, by hand: each takes one or two lines of 80, sub-rules a line each; the command
# behind a list gives all of it.
_MAX_DIFFERENCES = 6  # between two wordings of a rule
_MAX_CITING = 8  # numbers of rules that cite one
_MAX_SUB_RULES = 12
_MAX_CHANGED = 6  # numbers of sub-rules that differ in an edition
_Within = Mapping[str, str | None]  # filters


def print_rule(
    entry: ShownEntry,
    examples: Mapping[str, Sequence[Evidence]],
    within: _Within,
    by_number: bool,
) -> None:
    """Print a rule: its place, its text and examples, what it cites and is cited by, and in which
    editions it says the same.

    examples: the examples of rules by their ids.
    within: its game, language and edition, where the commands that are suggested must name them.
    by_number: whether its number names it alone; else these commands name it by an id.
    """
    rule, context = entry.node, entry.rule
    if context is None:
        return
    _print_heading(entry)
    for line in _own_lines(rule.text, rule.number, rule.label):
        echo(line, indent=2, hang=0)
    for example in examples.get(rule.id, ()):
        echo(example.text, indent=4)
    _print_sub_rules(entry, within, by_number)
    if context.cites:
        _print_rule_names("cites", context.cites)
    version = rule.id if within["edition"] else None
    asked = _asked("refs", rule, within, by_number, version, direction="in")
    _print_cited_by(context.cited_by, asked)
    if gone := entry.gone:
        field("gone", said(gone), command=command(gone.ask) if gone.ask else "")
    if newest := entry.newest:
        ask = Ask("show", ref=newest.id)
        now = f"{newest.number} in {newest.edition}"
        field("last" if entry.gone else "now", now, command=command(ask))
    is_newest = by_number and within["edition"] is None
    _print_editions(entry, _asked("trace", rule, within, is_newest, rule.id))
    for wording in (rule.details or {}).get("wordings", ()):
        _print_wording(rule.text or "", wording)
    if context.previous:
        field("before", *_name(context.previous))
    if context.next:
        field("after", *_name(context.next))
    if rule.url:
        url(rule.url)


def print_outline(
    entry: ShownEntry, outline: RuleOutline, within: _Within, by_number: bool
) -> None:
    """Print a rule with its sub-rules in full, or with the headings below it, indented by level.

    within, by_number: as for `print_rule`.
    """
    _print_heading(entry)
    if outline.full:
        root = outline.lines[0]
        _print_rule_text("\n".join(_own_lines(root.text, root.number, root.label)), 2)
        for example in root.examples:
            _print_rule_text(example, 4)
    for line in outline.lines[1:]:
        indent = 2 * line.depth
        if outline.full:
            text = "\n".join(_own_lines(line.text, line.number, line.label))
            heading: list[Part] = [" ", bold(line.label)] if line.label else []
            if line.label and text:
                echo(bold(line.number), *heading, indent=indent, hang=2)
                _print_rule_text(text, indent + 2)
            else:
                _print_numbered(line.number, heading, text or "", indent)
            for example in line.examples:
                _print_rule_text(example, indent + 2)
        else:
            below = dim(f"  {counted(line.below, 'rule')}") if line.below else ""
            echo(bold(line.number), f" {line.label or ''}", below, indent=indent)
    total(f"{counted(outline.rules, 'rule')} below {outline.lines[0].number}")
    if others := [*entry.same, *entry.different]:
        editions = sorted({*map(_edition, others)}, key=edition_key, reverse=True)
        version = max(others, key=lambda rule: edition_key(rule.edition))
        elsewhere = {**within, "edition": version.edition}
        other = _asked("show", version, elsewhere, by_number, version.id, tree=True)
        echo(dim(f"Also in {', '.join(editions)}"), command=command(other))
    more(outline.more)


def _own_lines(text: str | None, number: str | None, heading: str | None) -> list[str]:
    """Return the lines of a rule's text without those at its beginning that only repeat its
    heading, with or without its number; all lines if it has no heading, none for None."""
    lines = (text or "").splitlines()
    words = (heading or "").split()
    headings = (words, [number, *words], [f"{number}.", *words])
    while lines and words and lines[0].split() in headings:
        del lines[0]
    return lines


def _print_heading(entry: ShownEntry) -> None:
    rule = entry.node
    lang = f" ({rule.lang})" if rule.lang else ""
    heading = f" {rule.label}" if rule.label else ""
    edition = rule.edition and f"edition {rule.edition}"
    origin = dotted(rule.kind, rule.game, edition, rule.source)
    echo(bold(f"{rule.number}{lang}{heading}"), "  ", dim(origin))
    if entry.rule and entry.rule.place:
        echo(dim(" › ".join(_text(name) for name in entry.rule.place)), indent=2)


def _print_rule_text(text: str, indent: int) -> None:
    for line in text.splitlines():
        echo(line, indent=indent, hang=0)


def _print_numbered(number: str, heading: Sequence[Part], text: str, indent: int) -> None:
    """Print a rule behind its number; further lines hang behind the number."""
    first, _, rest = text.partition("\n")
    hang = len(number) + 1
    echo(bold(number), *heading, f" {first}" if first else "", indent=indent, hang=hang)
    if rest:
        _print_rule_text(rest, indent + hang)


def _print_sub_rules(entry: ShownEntry, within: _Within, by_number: bool) -> None:
    """Print the first twelve sub-rules of a rule, a line each, and how to see all; nothing if it
    has none."""
    sub_rules = entry.rule.sub_rules if entry.rule else ()
    for rule in sub_rules[:_MAX_SUB_RULES]:
        text = " ".join((rule.label or rule.text or "").split())
        room = text_width() - 5 - len(rule.number)
        echo(rule.number, " ", dim(shortened(text, room)), indent=4)
    if sub_rules:
        number = len(sub_rules)
        left = number - _MAX_SUB_RULES
        count = f"and {counted(left, 'more sub-rule')}" if left > 0 else counted(number, "sub-rule")
        here = {**within, "edition": entry.node.edition if entry.node.kind == "rule" else None}
        node = entry.node
        whole = _asked("show", node, here, by_number, node.id, tree=True)
        echo(dim(f"{count}; in full"), command=command(whole), indent=4)


def _print_rule_names(name: str, rules: Iterable[RuleName]) -> None:
    parts: list[Part] = []
    for rule in rules:
        parts += [", ", *_name(rule)] if parts else _name(rule)
    field(name, *parts)


def _print_cited_by(cited_by: CitedBy, ask: Ask) -> None:
    """Print how many rules (with the first eight numbers), entries of glossaries and pages cite a
    rule, and how to list them; nothing if none does. ask: for the list."""
    parts = []
    if rules := cited_by.rules:
        numbers = ", ".join(rules[:_MAX_CITING]) + (" …" if len(rules) > _MAX_CITING else "")
        parts.append(f"{counted(len(rules), 'rule')} ({numbers})")
    if cited_by.entries:
        parts.append(counted(cited_by.entries, "glossary entry"))
    if cited_by.pages:
        parts.append(counted(cited_by.pages, "page"))
    if cited_by.earlier:
        parts.append(f"{cited_by.earlier:,} of these only in older editions")
    if parts:
        field("cited by", ", ".join(parts), command=command(ask))


def _print_editions(entry: ShownEntry, ask: Ask) -> None:
    """Print in which other editions the rule says the same, which of its sub-rules do not say the
    same there, and in which editions the rule itself does not. ask: for its history."""
    trace = command(ask)
    has_sub_rules = bool(entry.rule and entry.rule.sub_rules)
    changed = entry.changed_below
    alike = [rule for rule in entry.same if not changed or rule.id not in changed]
    name = "the same"
    if alike and has_sub_rules and changed is None:
        not_compared = "its sub-rules are too many to be compared here"
        field(name, f"in {_listed(alike, entry.node)}; {not_compared}", command=trace)
    elif alike:
        field(
            name,
            f"in {_listed(alike, entry.node)}{', with all its sub-rules' if has_sub_rules else ''}",
        )
    otherwise: dict[ChangedBelow, list[Node]] = defaultdict(list)
    for rule in entry.same:
        if changed and (below := changed.get(rule.id)):
            otherwise[below].append(rule)
    for below, rules in otherwise.items():
        field(
            "" if alike or rules[0] is not entry.same[0] else name,
            f"in {_listed(rules, entry.node)}, but {_what_changed(below)}",
        )
    if changed and not entry.different:
        field("", command=trace)
    if entry.different:
        editions = [_edition_and_number(rule, entry.node) for rule in entry.different]
        field("otherwise", f"in {', '.join(editions)}", command=trace)


def _what_changed(changed: ChangedBelow) -> str:
    """Return how many sub-rules say otherwise in two editions, how many only one of them has, and
    the first six numbers of each; empty if none."""
    parts = []
    if numbers := changed.otherwise:
        parts.append(f"{_sub_rules(numbers)} say{'s' * (len(numbers) == 1)} otherwise")
    if numbers := changed.in_one_only:
        verb = "is" if len(numbers) == 1 else "are"
        parts.append(f"{_sub_rules(numbers)} {verb} found in only one of the two")
    return ", and ".join(parts)


def _sub_rules(numbers: Sequence[str]) -> str:
    listed = ", ".join(numbers[:_MAX_CHANGED]) + (" …" * (len(numbers) > _MAX_CHANGED))
    return f"{counted(len(numbers), 'sub-rule')} ({listed})"


def _asked(
    question: str,
    rule: Node,
    within: _Within,
    by_number: bool,
    version: str | None = None,
    **given: Any,
) -> Ask:
    """Return a question about a rule: by its number with the filters, if that names it, else by an
    id without them. question: such as `show`; given: its other arguments.

    version: the id of the version that is meant; None for the rule in all its versions.
    """
    if by_number and rule.kind == "rule":
        return Ask(question, ref=rule.number, **within, **given)
    return Ask(question, ref=version or rule.rule or rule.id, **given)


def _listed(rules: Iterable[Node], shown: Node) -> str:
    return ", ".join(_edition_and_number(rule, shown) for rule in rules)


def _edition_and_number(rule: Node, shown: Node) -> str:
    """Return the edition of a version of a rule, and its number if that is another one there:
    `20231117 (as 121.4)`; `?` for none."""
    edition = _edition(rule)
    return edition if rule.number == shown.number else f"{edition} (as {rule.number})"


def _edition(rule: Node) -> str:
    return rule.edition or "?"


def _print_wording(text: str, wording: Mapping[str, Any]) -> None:
    """Print where another page's wording of a rule differs from the rule's text.

    text: the rule's text.
    wording: the id of the other page in `page`, its wording in `text`, and in `differs` the spans
        (start and end in the rule's text, start and end in the page's wording).
    """
    other = wording["text"]
    differences = [
        f"「{text[start:end]}」→「{other[other_start:other_end]}」"
        for start, end, other_start, other_end in wording["differs"][:_MAX_DIFFERENCES]
    ]
    rest = " …" if len(wording["differs"]) > _MAX_DIFFERENCES else ""
    field("wording", f"of {place_name(wording['page'])}: {', '.join(differences)}{rest}")


def _name(rule: RuleName) -> list[Part]:
    if rule.id is None:
        return [_text(rule), dim(" (not loaded)")]
    return [_text(rule)]


def _text(rule: RuleName) -> str:
    return shortened(f"{rule.number} {rule.label or ''}", _MAX_NAME)


def print_terms(result: Terms, notice: str) -> None:
    """Print a table of terms with a name in Japanese (or another language), its reading, the
    English name, the game and how many sources have it, and how many there are; if there is none, a
    message on standard error. Each name stands in the column of its language; that of the language
    that was asked for comes first. They stand in the order of the result; if English was asked for,
    in that of their English names.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    if not result.terms:
        echo(f"No such terms; there are {_by_game(result.games)}.", err=True)
        return
    english_first = result.lang == "en"
    terms: Sequence[Node] = result.terms
    if english_first:
        terms = sorted(terms, key=lambda one: (one.game or "", _english(one).casefold(), one.id))
    other = result.lang if not english_first else None
    rows: list[dict[str, Part]] = [
        {
            "name": _name_in(term, other),
            "reading": term.reading or "",
            "English": _english(term),
            "game": dim(term.game or ""),
            "sources": str(len(result.sources.get(term.id, ())) or 1),
        }
        for term in terms
    ]
    columns = ["name", "reading", "English", "game", "sources"]
    if english_first:
        columns = ["English", "name", "reading", "game", "sources"]
    columns = [column for column in columns if any(row[column] for row in rows)]
    print_table(
        columns, [[row[column] for column in columns] for row in rows], right=[len(columns) - 1]
    )
    of_game = Counter(term.game or "" for term in result.terms)
    left = f"; the filters leave out {result.left_out:,}" if result.left_out else ""
    games = f" ({_by_game(of_game)})" if len(of_game) > 1 else f" of {next(iter(of_game))}"
    end_of_result(sums=counted(len(result.terms), "term") + games + left, notices=[notice])


def _is_english(term: Node) -> bool:
    """Return whether the name that a term is listed by is English and nothing else; of a name whose
    language no label says, whether the term's is."""
    languages = {label.lang for label in term.labels if label.text == term.label}
    return languages == {"en"} if languages else term.lang == "en"


def _name_in(term: Node, lang: str | None) -> str:
    """Return a term's name in a language; without one, the name that it is listed by, or else the
    first, that is not English. Empty if it has none."""
    if lang is None and not _is_english(term):
        return name_of(term)
    names = [label for label in term.labels if label.role != "reading"]
    fitting = (n.text for n in names if (n.lang == lang if lang else n.lang != "en"))
    return next(fitting, "")


def _english(term: Node) -> str:
    """Return a term's English name: that which it is listed by, or else the first; empty if it has
    none."""
    if _is_english(term):
        return name_of(term)
    return next((label.text for label in term.labels if label.lang == "en"), "")


def _by_game(games: Mapping[str, int]) -> str:
    return ", ".join(f"{game or '?'} {number:,}" for game, number in sorted(games.items()))


# Lengths of lists, by hand: filters narrow entries, and --json has all of them and all sections.
_MAX_ENTRIES = 20
_MAX_SECTIONS = 30
_VALUE_COLUMN = 12  # where the values of fields begin: `field`'s indent and its column of names
# Columns, by hand: of a rule's number and heading beside another rule, which behind a field's name
# fit a line of 80; of what was asked for, in a message, which takes its line at most twice.
_MAX_NAME = 60


def print_matches(
    result: Shown,
    ref: str,
    base: KnowledgeBase,
    tree: bool = False,
    filters: Mapping[str, str | None] | None = None,
) -> None:
    """Print what a reference names.

    ref: the reference, as the person typed it.
    base: the knowledge base that was asked.
    tree: whether the sub-rules of rules were asked for.
    filters: those that were asked for, such as a game or a language.
    """
    printed: set[str] = set()  # definitions and addresses: none is printed twice
    for index, entry in enumerate(result.entries[:_MAX_ENTRIES]):
        if index:
            echo()
        _print_entry(entry, result, ref, printed, base, filters or {})
    rest = len(result.entries) - _MAX_ENTRIES
    if tree and not (result.tree or result.contents):
        more(f"--tree is for rules, pages and sections; {shortened(ref, _MAX_NAME)} names none")
    end_of_result(
        sums=_sums(result) if len(result.entries) > 1 else "",
        cut=f"{rest} more are not shown: --game, --source, --lang narrow; --json has them all"
        if rest > 0
        else None,
        left_out=result.also,
        notices=(node.notice for node in result.matches),
    )


def _print_entry(
    entry: ShownEntry,
    result: Shown,
    ref: str,
    printed: set[str],
    base: KnowledgeBase,
    filters: Mapping[str, str | None],
) -> None:
    """Print one thing that a reference names.

    printed: definitions and addresses that were printed before; those of this entry are added.
    filters: as for `print_matches`; what else has the number of a rule is then not known.
    """
    node = entry.node
    if entry.rule:  # each kind of node loads what prints it: loading is most of a look-up's time
        named = [each for each in result.matches if each.series]
        games = len({each.game for each in named})
        # Found by another name than its number: other games may have that number.
        by_name = (node.number or "").casefold() not in ref.casefold()
        within = {
            "game": node.game if any(filters.values()) or games > 1 or by_name else None,
            "lang": node.lang if filters.get("lang") or filters.get("edition") else None,
            "edition": node.edition if filters.get("edition") or ref.strip() == node.id else None,
        }
        # A number names this rule if it is the only one that was found by it.
        is_one = len({each.rule for each in named}) == 1 and len({e.lang for e in named}) == 1
        by_number = is_one and not by_name and "/" not in ref
        if outline := result.tree.get(node.id):
            print_outline(entry, outline, within, by_number)
        else:
            print_rule(entry, result.examples, within, by_number)
        return

    echo(bold(name_of(node)), "  ", dim(origin_of(node)))
    if entry.term:
        printed.update(each.evidence.text for each in entry.term.definitions)
        printed.update(each.url for each in entry.term.definitions if each.url)
        print_term(node, entry.term, ref)
    elif node.kind == "ruling":
        echo(dim("Q "), node.label or "", indent=2)
        echo(dim("A "), node.text or "(none given)", indent=2)
    elif node.text and node.text != node.label:
        _print_text(node.text)
    content = result.contents.get(node.id)
    if content:
        _print_content(content)
    if entry.page and not content:
        _print_page(entry, printed, base)
    if entry.page:
        _print_captures(result.captures.get(node.id, ()))
    if not entry.term:
        print_names([label for label in node.labels if label.text != node.label])
        if node.kind not in ("ruling", "page"):
            print_card_values(node)
    field("id", dim(node.id))
    if node.url and node.url not in printed:
        url(node.url)
        printed.add(node.url)


def _print_text(text: str) -> None:
    for line in text.splitlines():
        echo(line, indent=2, hang=0)


def _print_content(content: PageContent) -> None:
    """Print the text of a page or section: each passage a paragraph, below the headings of the
    sections in it; where it was cut, how to go on; and an empty line."""
    for part in content.parts:
        if part.heading is not None:
            echo()
            echo(bold(part.heading), indent=2 + 2 * part.depth)
        else:
            for line in (part.text or "").splitlines():
                echo(line, indent=2 + 2 * (part.depth + part.nested))
    more(content.more)
    echo()


def _print_page(entry: ShownEntry, printed: Iterable[str], base: KnowledgeBase) -> None:
    """Print a page's opening (unless it was printed as a definition), its sections, and how to
    read them."""
    page = entry.page
    if page is None:
        return
    opening = page.opening or ""
    if opening and not any(text in opening for text in printed):
        _print_text(opening)
    for index, (level, heading) in enumerate(page.sections[:_MAX_SECTIONS]):
        field("" if index else "sections", "  " * (level - 1), heading)
    if len(page.sections) > _MAX_SECTIONS:
        rest = counted(len(page.sections) - _MAX_SECTIONS, "more section")
        field("", dim(f"and {rest}: --json has them"))
    field("read", command=command(Ask("show", ref=entry.node.id, tree=True)))
    if len(page.sections) > 1 and (example := _command_for_a_section(entry.node, base)):
        field("", command=example)


def _command_for_a_section(page: Node, base: KnowledgeBase) -> str | None:
    """Return a command that shows a section of a page, as an example: for the first of its first
    thirty sections whose command fits a line; None if there is none.

    Where all of a page stands below its title, it is one of the sections in that.
    """
    sections = [part for part in base.parts(page.id) if part.kind == "section"]
    if len(sections) == 1:
        sections = [part for part in base.parts(sections[0].id) if part.kind == "section"]
    commands = (command(Ask("show", ref=section.id)) for section in sections[:_MAX_SECTIONS])
    room = text_width() - _VALUE_COLUMN
    return next((each for each in commands if cell_width(each) <= room), None)


def _print_captures(captures: Sequence[Capture]) -> None:
    """Print when a page was captured and from which file it was read; and how many other captures
    there are, by the reasons why it is not read from them."""
    others: dict[str, list[Capture]] = {}
    for capture in captures:
        if capture.why_not:
            others.setdefault(capture.why_not, []).append(capture)
        else:
            when = capture.taken or "at an unknown time"
            field("taken", dim(f"{when}: {capture.place} ({capture.form})"))
    for index, (reason, group) in enumerate(others.items()):
        name = "" if index else "not read"
        if len(group) == 1:
            when = group[0].taken or "at an unknown time"
            field(name, dim(f"{reason}: {group[0].place} ({group[0].form}), taken {when}"))
        else:
            field(name, dim(f"{reason}: {counted(len(group), 'capture')}; --json has them"))


def _sums(result: Shown) -> str:
    """Return how many things there are of each kind, in the order of the result: `1 term, 2
    cards`."""
    kinds: dict[str, int] = {}
    for entry in result.entries:
        kinds[entry.node.kind] = kinds.get(entry.node.kind, 0) + 1
    return ", ".join(counted(number, kind) for kind, number in kinds.items())
