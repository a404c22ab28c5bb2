"""Resolves a graph when all its pages are in: synonyms, concepts, mentions, claims, edge targets.

Of an updated graph only what the changed pages touch is resolved again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from graphs.writing.labels import DefiningPassage, NodeLabels, NodeName
from graphs.writing.page_claims import EdgeClaim
from graphs.writing.passage_annotations import Annotation, PassageAnnotations, PassageText, Spelling
from graphs.writing.resolve_claims import Resolution
from graphs.writing.writer import Writer
from kb.language.tokens import tokenizer
from kb.language.word_diff import differences
from kb.resolve.concepts import same_concepts
from kb.resolve.edge_targets import page_of_section, substitute_rules, with_differing_heading
from kb.resolve.mention_candidates import name_queries, passages_with_name
from kb.resolve.mentions import Annotator, searchable_names, spellings
from kb.resolve.skip_isolated_terms import are_isolated, own_name, unmentioned
from kb.resolve.synonyms import synonymous_terms
from kb.resolve.term_definitions import (
    TermDefinitions,
    action_test,
    defining_passages,
    term_definitions,
)
from kb.worker_pool import WorkerPool

_Terms = tuple[list[NodeName], list[DefiningPassage]]
_Concepts = tuple[list[EdgeClaim], dict[str, str]]  # edges; definitions to cache
_MANY_SPELLINGS = 2000  # beyond this all passages of a game are annotated again


def resolve_graph(writer: Writer, pool: WorkerPool) -> None:
    """Resolve what depends on all pages; of an updated graph, what the change touches.

    writer: has written all pages; pool: the worker processes that annotate passages.
    """
    writer.finish_pages()
    _resolve_terms(writer, pool)
    _resolve_edges(Resolution(writer))
    writer.meta("notice", "\n".join(writer.provenance.notices()))


def _resolve_terms(writer: Writer, pool: WorkerPool) -> None:
    """Merge synonyms, join concepts of several games, and find the mentions in passages."""
    labels, passages = NodeLabels(writer), PassageAnnotations(writer)
    labels.merge(labels.merged(), "ja")  # also what new pages say of merged terms
    change = _change(labels, passages) if not writer.is_new else _EVERYTHING
    if change.affects_synonyms:
        terms = (
            labels.all("term", original=True),
            labels.defining_passages("term", original=True),
        )
        labels.merge(pool.submit(_synonyms, terms)(), "ja")
    concepts = _submit_concepts(labels, pool, change)
    if writer.is_new:
        passages.update_spellings((), spellings(searchable_names(labels.all("term")), tokenizer()))
    else:
        _update_spellings(labels, passages)
    passages.annotate(
        lambda batches: pool.map(_annotate, passages.spellings(), batches, _characters)
    )
    if concepts is None:
        labels.write_derived_edges(None)
    else:
        edges, cache = concepts()
        labels.write_derived_edges(edges)
        labels.cache_definitions(cache)


class _Change(NamedTuple):
    """What changed in an updated graph, as far as it matters for terms and concepts."""

    names_changed: bool  # some term has other names than before
    affects_synonyms: bool  # which terms of one game are one may be different
    affects_concepts: bool  # which terms of several games are one concept may be different
    redefined: Collection[str] = ()  # the terms that changed pages define
    definitions: Sequence[DefiningPassage] = ()  # the passages that define them now


_EVERYTHING = _Change(True, True, True)


def _change(labels: NodeLabels, passages: PassageAnnotations) -> _Change:
    """Compare names and definitions with those of the old graph.

    Changed names affect everything, unless they belong to isolated terms. A changed definition
    affects concepts; an English one, which is the gloss of a sense, affects synonyms too.
    """
    names, before, now = labels.redefinitions("term")
    redefined = defining_passages(names, before) ^ defining_passages(names, now)
    changed = [name for names in labels.changed_names("term", original=True) for name in names]
    affects_synonyms = _affects_other_terms(changed, labels, passages, now) or any(
        lang == "en" for _, lang, _, _ in redefined
    )
    return _Change(
        names_changed=bool(changed),
        affects_synonyms=affects_synonyms,
        affects_concepts=affects_synonyms or bool(redefined),
        redefined={passage.node for passage in (*before, *now)},
        definitions=now,
    )


def _affects_other_terms(
    changed: Sequence[NodeName],
    labels: NodeLabels,
    passages: PassageAnnotations,
    definitions: Sequence[DefiningPassage],
) -> bool:
    """Whether changed names are shared with other terms, or found in any passage that was
    annotated before or in any of some definitions."""
    if not changed:
        return False
    folded = {name.folded for name in changed} | {own_name(name.node) for name in changed}
    holders = [name for names in labels.holders("term", folded) for name in names]
    if not are_isolated(changed, labels.added_or_removed("term"), holders):
        return True
    texts = {name.text for name in changed}
    queries = (
        query for text in texts for query in name_queries(text, tokenizer(), passages.known_words)
    )
    return any(map(passages.any_match, queries)) or not unmentioned(
        changed, definitions, tokenizer()
    )


def _submit_concepts(
    labels: NodeLabels, pool: WorkerPool, change: _Change
) -> Callable[[], _Concepts] | None:
    """Start finding the terms of several games that are one concept; None if nothing changed.

    The function that is returned waits for the result.
    """
    if change.names_changed or change.affects_synonyms:
        labels.clear_cache()  # the content words of a definition depend on all names
    if not change.affects_concepts:
        return None
    if cached := labels.cached_definitions():
        return pool.submit(_update_concepts, (cached, change.redefined, change.definitions))
    return pool.submit(_concepts, (labels.all("term"), labels.defining_passages("term")))


def _update_spellings(labels: NodeLabels, passages: PassageAnnotations) -> None:
    """Update the spellings that passages are searched for, and mark the passages that may hold
    one that is new or gone."""
    folded = {name.folded for changed in labels.changed_names("term") for name in changed}
    before, now = (searchable_names(holders) for holders in labels.holders("term", folded))
    gone, new = ([*spellings(names, tokenizer())] for names in (before - now, now - before))
    passages.update_spellings(gone, new)
    changed = {(spelling.game, spelling.spelled) for spelling in (*gone, *new)}
    if len(changed) >= _MANY_SPELLINGS:
        for game in sorted({game for game, _ in changed}):
            passages.mark_matching(game, None)
    else:
        for game, spelled in sorted(changed):
            query = passages_with_name(spelled, passages.known_words)
            if query != "":
                passages.mark_matching(game, query)
    passages.mark_linked()


def _resolve_edges(graph: Resolution) -> None:
    """Resolve claims and edge targets; then compare headings and wordings, which need both."""
    editions = graph.editions()
    graph.resolve(lambda target: [*page_of_section(target), *substitute_rules(target, editions)])
    graph.amend_details("cites", with_differing_heading)
    graph.keep_wordings("rule", differences)


# -- jobs for worker processes --------------------------------------------------------------


def _synonyms(terms: _Terms) -> dict[str, str]:
    names, definitions = terms
    return synonymous_terms(names, action_test(names, definitions, tokenizer()))


def _concepts(terms: _Terms) -> _Concepts:
    found = term_definitions(*terms, tokenizer())
    return same_concepts(found, tokenizer()), found.packed()


def _update_concepts(
    cache: tuple[dict[str, str], Collection[str], Sequence[DefiningPassage]],
) -> _Concepts:
    packed, redefined, definitions = cache
    cached = TermDefinitions.unpacked(packed, tokenizer())
    found = cached.redefined(redefined, definitions)
    return same_concepts(found, tokenizer()), found.packed(redefined)


def _annotate(
    spellings: Iterable[Spelling],
) -> Callable[[Iterable[PassageText]], list[Annotation]]:
    annotator = Annotator(spellings, tokenizer())
    return lambda passages: list(map(annotator, passages))


def _characters(passages: Iterable[PassageText]) -> int:
    return sum(len(passage.text) for passage in passages)
