"""Says what a node is in a few lines, for readers who point at its name: fast, and bounded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from graphs.model import Node
from graphs.sort_orders import edition_key, natural_key
from graphs.store.reader import Store
from graphs.store.references import NearReference, references_to, rules_cited_in
from graphs.store.rule_versions import RuleRow, rules_below, versions_of
from graphs.store.titles import page_titles
from kb.errors import NotFoundError
from kb.language.made_readings import MadeReading
from kb.language.sentences import sentences
from kb.language.typography import fold_typography
from kb.query.lookup.readings_of_namesakes import ReadingElsewhere, other_reading
from kb.query.show.term_profile import TermDefinition, find_definitions, opening_text
from kb.result import Result
from kb.rules.alignment import is_under

# By hand: a preview is read at a glance, and covers little of the page. Of a rule that is only a
# heading the first sub-rules say what it is about.
_MOST_REFERENCES, _MOST_LINES = 2, 3
_LONGEST = 420  # characters of a text; the rest is one click away
_LONGEST_LINE = 140  # of a sub-rule's, or of the words of a reference
# References of which the best are chosen, the first in the file: a bound, as popular terms have
# thousands.
_LOOKED_AT = 150
_NAMED = ("en", "ja")  # languages of names
_NO_NAMES = ("reading", "proposed", "listed")  # roles of labels that are no name of their own


@dataclass(frozen=True, slots=True)
class NearbyReference:
    """A reference as a preview shows it.

    node: the id of what refers, or of the rule that a definition cites. number, label: of a rule,
        or the name of the page that the words stand on; None if it has none.
    edition, lang: of the rule; None for other nodes.
    cited: whether the definition cites it; else it refers to what is previewed.
    words: those that stand there.
    """

    node: str
    number: str | None
    label: str | None
    edition: str | None
    lang: str | None
    cited: bool
    words: str


@dataclass(frozen=True, slots=True, repr=False)
class Preview(Result):
    """What a node is, in a few lines.

    node: the node.
    names: (language, name) in Japanese and English, each once, that of its label first.
    reading: of its Japanese name; None if no page gives any.
    made_reading: if so, the one that is made by Sudachi for a name with kanji; else None.
    definition: of a term or card, the best; None if nothing defines it.
    text: of another node, the beginning of its text; of a page what it is about; empty without.
    lines: of a rule that is a heading alone, or announces a list, its first sub-rules; of a term
        that nothing defines those of the rule with its name.
    headed: of such a term that rule; None for all else.
    page: the title of the page that a passage or section stands on; None for other nodes.
    references: the best two: of a rule what cites it, in other sources before its own book; of a
        term the rules that its definition cites, and what mentions it.
    """

    node: Node
    names: tuple[tuple[str, str], ...] = ()
    reading: str | None = None
    made_reading: str | None = None
    definition: TermDefinition | None = None
    text: str = ""
    lines: tuple[RuleRow, ...] = ()
    headed: NearbyReference | None = None
    page: str | None = None
    references: tuple[NearbyReference, ...] = ()


def preview(store: Store, node_id: str, lang: str | None = None) -> Preview:
    """Return what a node is, in a few lines; at most 30 queries, whatever is said of it. Raises
    NotFoundError if there is no such node.

    lang: of the definition of a term and of what refers to it, where there is a choice.
    """
    node = store.node(node_id)
    if node is None:
        raise NotFoundError("no_node", node=node_id)
    if node.kind in ("term", "card"):
        return _of_term(store, node, lang)
    if node.kind in ("rule", "document"):
        return _of_rule(store, node)
    return _of_text(store, node)


def shortened(text: str, most: int = _LONGEST) -> str:
    """Return the beginning of a text that is longer than some characters, with … behind it; cut at
    the end of a word, or of a sign in Japanese.

    >>> shortened("Draw a card, then another.", 14), shortened("札を引く。", 14)
    ('Draw a card, …', '札を引く。')
    """
    if len(text) <= most:
        return text
    cut = text[:most]
    space = cut.rfind(" ")
    return (cut[: space + 1] if space > most * 2 // 3 else cut) + "…"


def _of_term(store: Store, node: Node, lang: str | None) -> Preview:
    definitions = find_definitions(store, node)
    definition = next((each for each in definitions if each.lang == lang), None)
    definition = definition or next(iter(definitions), None)
    found: list[NearbyReference] = []
    if definition:
        cited = rules_cited_in(store, [definition.evidence.passage], _LOOKED_AT)
        found += [_reference(each, cited=True) for each in _each_once(cited)]
    if len(found) < _MOST_REFERENCES:
        mentions = references_to(store, node.id, ("links_to", "mentions"), _LOOKED_AT)
        known = {definition.evidence.passage} if definition else set()
        known.update(each.number for each in found if each.number)
        mentions = sorted(mentions, key=lambda each: edition_key(each.edition), reverse=True)
        best = sorted(
            (
                each
                for each in mentions
                if known.isdisjoint((each.passage, each.number)) and each.kind != "outcome"
            ),
            key=lambda each: (
                lang not in (None, each.lang),
                not (each.kind == "rule" and _heads(each.label, node)),
                each.kind != "rule",
                len(each.words),
            ),
        )
        found += [_reference(each) for each in _each_once(best)]
    found = list({each.label or each.node: each for each in reversed(found)}.values())[::-1]
    found = _in_language(store, found, lang)
    names = tuple(_names(node))
    headed = (each for each in found if each.number and _heads(each.label, node))
    head = None if definition else next(headed, None)
    name = dict(names).get("ja")
    readings = (label.text for label in node.labels if name and label.role == "reading")
    stated = node.reading or next(readings, None)
    other = None if stated else other_reading(store, name, node)
    return Preview(
        node,
        names,
        other.kana if isinstance(other, ReadingElsewhere) else stated,
        other.kana if isinstance(other, MadeReading) else None,
        definition,
        lines=_first_lines(store, head.node) if head else (),
        headed=head,
        references=tuple([each for each in found if each is not head][:_MOST_REFERENCES]),
    )


def _in_language(
    store: Store, found: Sequence[NearbyReference], lang: str | None
) -> list[NearbyReference]:
    """Return references with rules of other languages as the newest edition in a language has
    them, if it does."""
    others = [each.node for each in found if each.edition and lang not in (None, each.lang)]
    versions = versions_of(store, others)
    rule_of = {row.id: row.rule for row in versions}
    newest = {
        row.rule: row.id
        for row in sorted(versions, key=lambda row: edition_key(row.edition))
        if row.lang == lang
    }
    texts = store.get({newest[rule_of[each]] for each in others if rule_of.get(each) in newest})
    translated = []
    for each in found:
        rule = (
            texts.get(newest.get(rule_of.get(each.node, ""), "")) if each.node in others else None
        )
        if rule is not None:
            words = shortened(rule.text or "", _LONGEST_LINE) if rule.text != rule.label else ""
            each = replace(
                each, node=rule.id, number=rule.number, label=rule.label, edition=rule.edition,
                lang=rule.lang, words=words,
            )  # fmt: skip
        translated.append(each)
    return translated


def _first_lines(store: Store, rule: str) -> tuple[RuleRow, ...]:
    """Return the first sub-rules of a rule, shortened."""
    lines = sorted(
        rules_below(store, [rule]).get(rule, []), key=lambda line: natural_key(line.number)
    )
    return tuple(
        RuleRow(line.id, line.number, line.label, shortened(line.text or "", _LONGEST_LINE))
        for line in lines[:_MOST_LINES]
    )


def _heads(heading: str | None, node: Node) -> bool:
    """Return whether a heading has a name of a term."""
    words = (heading or "").casefold()
    return any(label.text.casefold() in words for label in node.labels)


def _names(node: Node) -> Iterable[tuple[str, str]]:
    """Yield (language, name) of a node, the language of its label first."""
    by_lang: dict[str, str] = {}
    for label in node.labels:
        if label.role not in _NO_NAMES and label.lang in _NAMED:
            by_lang.setdefault(label.lang, label.text)
    for lang in sorted(by_lang, key=lambda lang: by_lang[lang] != node.label):
        yield lang, by_lang[lang]


def _of_rule(store: Store, node: Node) -> Preview:
    text = node.text or ""
    is_heading = fold_typography(text) in ("", fold_typography(node.label or ""))
    has_lines = is_heading or text.endswith((":", "："))  # "… are as follows:"
    citing = [
        each
        for each in references_to(store, node.id, ("cites",), _LOOKED_AT)
        if each.kind not in ("outcome", "step", "procedure")
        and not is_under(each.number or "", node.number or "")
    ]
    citing.sort(
        key=lambda each: (
            each.source == node.source,
            (each.edition, each.lang) != (node.edition, node.lang),
            natural_key(each.number or ""),
        )
    )
    return Preview(
        node,
        text="" if is_heading else shortened(text),
        lines=_first_lines(store, node.id) if has_lines else (),
        references=tuple(map(_reference, _each_once(citing)[:_MOST_REFERENCES])),
    )


def _of_text(store: Store, node: Node) -> Preview:
    """Return the preview of a page, of a part of one, or of what a page states."""
    text = node.text or ""
    if node.kind in ("page", "section") and not text:
        text = opening_text(store, node.id) or ""
    page = node.id.partition("#")[0]
    titles = page_titles(store.db, [page]) if page != node.id else {}
    return Preview(node, text=shortened(text), page=titles[page].title if page in titles else None)


def _each_once(references: Sequence[NearReference]) -> list[NearReference]:
    """Return the first of the references at each rule and at each page."""
    found: dict[str, NearReference] = {}
    for each in references:
        is_numbered = each.kind in ("rule", "document")
        found.setdefault((each.number or each.node) if is_numbered else each.page, each)
    return list(found.values())


def _reference(found: NearReference, cited: bool = False) -> NearbyReference:
    is_rule = found.kind in ("rule", "document")
    if is_rule:
        words = (found.text or found.words) if found.text != found.label else ""
    else:
        words = next(
            (
                found.words[start:end]
                for start, end in sentences(found.words, found.lang)
                if end > found.start
            ),
            found.words,
        )
    return NearbyReference(
        found.node if is_rule else found.passage,
        found.number if is_rule else None,
        found.label if is_rule else found.title,
        found.edition if is_rule else None,
        found.lang,
        cited,
        shortened(words, _LONGEST_LINE),
    )
