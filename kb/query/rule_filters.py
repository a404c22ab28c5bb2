"""Finds the rules of some editions that contain words or mention terms, to narrow a comparison."""

from __future__ import annotations

from collections.abc import Iterable

from graphs.model import Node
from graphs.store.reader import Store
from graphs.store.sql_passage_filter import PassageFilter
from kb.language.fold import fold
from kb.query.common_filters import Scope
from kb.query.find_nodes import find_named

_WITH_RECORDED_MENTIONS = "ja"  # in texts of other languages names are not looked for by a build


def rules_with_words(store: Store, words: str, rules: Iterable[Node]) -> set[str]:
    """Return the ids of the rules whose text has some words, in any inflection and spelling.

    words: as for `kb.query.search.search`: those written together are a phrase, those separated by
        spaces must all occur. If they are signs alone, the text must contain them as they are.
    rules: of one game and language, of any editions.
    """
    from kb.query.search_words import fulltext_query  # loads the tokenizer

    texts = {rule.id: rule.text or "" for rule in rules}
    query = fulltext_query(words)
    if not query:
        looked_for = fold(words)
        return {rule for rule, text in texts.items() if looked_for in fold(text)}
    return _rules_that_match(store, query, rules, texts)


def rules_with_mentions(store: Store, ref: str, rules: Iterable[Node]) -> set[str]:
    """Return the ids of the rules that mention a term or card.

    Mentions are recorded in Japanese text; in other languages the names of the term in that
    language are looked for, in any inflection.

    ref: a name of the term or card; if it names several, a mention of any counts.
    rules: of one game and language, of any editions.

    Raises NotFoundError or QuestionError if it names nothing of the kind.
    """
    rules = list(rules)
    texts = {rule.id: rule.text or "" for rule in rules}
    terms = find_named(store, ref, "term", "card", scope=Scope(game=rules[0].game))
    passages = {
        edge.evidence.passage
        for edge in store.edges([term.id for term in terms], "in", ["mentions"])
    }
    found = {one.rule for one in store.passages.lookup(passages).values() if one.rule in texts}
    mentioning = {rule for rule in found if rule}
    lang = rules[0].lang
    if lang != _WITH_RECORDED_MENTIONS:
        names = {
            label.text
            for term in terms
            for label in term.labels
            if label.lang == lang and label.role != "reading"
        }
        if query := _any_phrase(names):
            mentioning |= _rules_that_match(store, query, rules, texts)
    return mentioning


def _any_phrase(names: Iterable[str]) -> str:
    """Return the full-text query for texts with at least one of some names; empty if none of them
    has a word."""
    from kb.language.tokens import normal_forms, tokenizer

    phrases = {
        " ".join(form.replace('"', " ") for form, _, _ in forms)
        for name in names
        if (forms := normal_forms(tokenizer()(name))) and any(map(str.isalnum, name))
    }
    return " OR ".join(f'"{phrase}"' for phrase in sorted(phrases))


def _rules_that_match(
    store: Store, query: str, rules: Iterable[Node], texts: dict[str, str]
) -> set[str]:
    """Return the ids of the rules in whose text a full-text query finds something.

    texts: {id of a rule: its text}. Examples below a rule don't count, as they are not in it.
    """
    books = {(rule.game, rule.edition, rule.lang) for rule in rules}
    return {
        rule
        for game, edition, lang in books
        for _, rule, passage in store.passages.occurrences(
            query, PassageFilter(game=game, edition=edition, lang=lang, kind="rule")
        )
        if rule in texts and _is_of_text(passage, texts[rule])
    }


def _is_of_text(passage: str, text: str) -> bool:
    """Return whether a passage gives a part of a rule's text, not an example."""
    return any(line in passage for line in text.split("\n") if line)
