"""Resolves a graph when all its pages are in: synonyms, concepts, mentions, claims, edge targets.

Of an updated graph only what the changed pages touch is resolved again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from graphs.model import kind_of_id
from graphs.writing.best_claims import SharedNodes
from graphs.writing.edge_targets import EdgeTargets
from graphs.writing.names_and_merges import (
    DefiningPassage,
    DerivedLabels,
    NodeLabels,
    NodeName,
    update_name_keys,
)
from graphs.writing.page_claims import EdgeClaim
from graphs.writing.passage_annotations import PassageAnnotations, PassageText, Spelling
from graphs.writing.rules import StatedRule
from graphs.writing.writer import Writer
from kb.build_progress import ProgressReporter
from kb.knowledge.citations import (
    edition_by_heading,
    rules_to_try,
    with_differing_heading,
)
from kb.knowledge.compared_definitions import (
    TermDefinitions,
    action_test,
    term_definitions,
)
from kb.knowledge.cross_game_concepts import same_concepts
from kb.knowledge.links import sections_to_try, with_small_letter
from kb.knowledge.names.mentions import Annotator, searchable_names, spellings
from kb.knowledge.names.merged_names import cards_that_are_terms, synonymous_terms
from kb.knowledge.names_changed_in_update import EVERYTHING, Impact, mark_passages, update_impact
from kb.knowledge.rule_histories import write_rule_histories
from kb.knowledge.translations.aligned_texts import labels_by_glosses
from kb.knowledge.translations.glossaries_in_order import labels_of_further_languages
from kb.knowledge.translations.translations import (
    AlignedRules,
    TermNames,
    Translations,
    comparable_rules,
    labels_by_headings,
    read_aligned_rules,
    translations,
    translations_of_glosses,
)
from kb.language.name_keys import NAMED_KINDS, key_maker
from kb.language.tokens import tokenizer
from kb.language.word_diff import differences
from kb.rules.corrections_by_persons import Correction
from kb.worker_pool import WorkerPool

_Concepts = tuple[list[EdgeClaim], dict[str, str]]  # edges; definitions to cache


def resolve_graph(
    writer: Writer,
    pool: WorkerPool,
    progress: ProgressReporter | None = None,
    annotate: Callable[[PassageAnnotations], None] | None = None,
    corrections: Sequence[Correction] = (),
) -> None:
    """Resolve what depends on all pages; of an updated graph, what the change touches.

    writer: has written all pages; pool: the worker processes that annotate passages.
    progress: is told each phase, and how many passages are annotated.
    annotate: annotates passages of a new graph in another way than by the pool, when all names are
        known; it leaves out those that it has not, see `PassageAnnotations.skip_to`.
    corrections: what a person says of which rules are the same.
    """
    progress = progress or ProgressReporter()
    progress.begin("resolving names")
    writer.finish_pages()
    _resolve_terms(writer, pool, progress, annotate or (lambda _: None))
    progress.begin("resolving references")
    _resolve_edges(SharedNodes(writer), EdgeTargets(writer))
    progress.begin("comparing editions")
    write_rule_histories(writer, corrections)
    progress.begin("indexing names")
    update_name_keys(
        writer, NAMED_KINDS, lambda names: pool.map(key_maker, None, names, _characters_of_names)
    )
    writer.set_meta("notice", "\n".join(writer.provenance.notices()))


def _resolve_terms(
    writer: Writer,
    pool: WorkerPool,
    progress: ProgressReporter,
    annotate: Callable[[PassageAnnotations], None],
) -> None:
    """Merge synonyms, join concepts of several games, and find the mentions in passages.

    A new graph is resolved completely. In an update, synonyms and concepts are computed again only
    if the change affects them (else the old edges stay), and only marked passages are annotated.
    """
    labels, passages = NodeLabels(writer), PassageAnnotations(writer)
    derived = DerivedLabels(writer)
    derived.delete()
    labels.merge(labels.merged(), "ja")  # also what new pages say of merged terms
    aligned, compared = read_aligned_rules(writer), set[str]()
    if aligned.groups or aligned.headings:
        names = labels.all("term", original=True)
        aligned = pool.submit(_comparable, aligned, names)()
        of_headings = labels_by_headings(aligned.headings, TermNames(names))
        definitions = labels.defining_passages("term", original=True)
        of_glosses = pool.submit(
            labels_by_glosses, definitions, names, of_headings, aligned.names
        )()
        of_others = labels_of_further_languages(definitions, names, aligned.groups)
        derived.insert([*of_headings, *of_glosses, *of_others])
        compared = {label.node for label in (*of_glosses, *of_others)}
        labels.merge(labels.merged(), "ja")
    impact = EVERYTHING if writer.is_new else update_impact(labels, passages)
    before, cards = labels.merged(), cards_that_are_terms(labels)
    if not writer.is_new and _changes_cards(labels, before, cards):
        impact = EVERYTHING
    if impact.affects_synonyms:
        synonyms = pool.submit(
            _synonyms,
            labels.all("term", original=True),
            labels.defining_passages("term", original=True),
        )()
        cards = {card: synonyms.get(term, term) for card, term in cards.items()}
        labels.merge(synonyms | cards, "ja")
    concepts = _submit_concepts(labels, pool, impact)
    if writer.is_new:
        passages.update_spellings((), spellings(searchable_names(labels.all("term")), tokenizer()))
    else:
        mark_passages(labels, passages)
    annotate(passages)
    progress.begin("finding mentions", passages.count() if progress.is_watched else None)
    passages.annotate(
        lambda batches: progress.counting(
            pool.map(_annotate, passages.spellings(), batches, _characters)
        )
    )
    progress.begin("comparing games")
    if concepts is None:
        labels.write_derived_edges("same_concept", None)
    else:
        edges, cache = concepts()
        labels.write_derived_edges("same_concept", edges)
        labels.cache_definitions(cache)
    _write_translations(labels, derived, aligned, compared, pool)


def _write_translations(
    labels: NodeLabels,
    derived: DerivedLabels,
    aligned: AlignedRules,
    compared: Collection[str],
    pool: WorkerPool,
) -> None:
    """Write what translates what, in place of the edges of the build before, also if there are
    none; and add the names that aligned rules suggest for terms to the derived labels.

    compared: the terms that have a name by their glosses."""
    glosses = translations_of_glosses(labels.defining_passages("term"), compared)
    found = Translations((), ())
    if aligned.groups:
        found = pool.submit(_translations, aligned.groups, labels.all("term"))()
    derived.insert(found.labels)
    labels.write_derived_edges("translates", (*found.edges, *glosses))


def _changes_cards(labels: NodeLabels, before: Mapping[str, str], cards: Mapping[str, str]) -> bool:
    """Return whether an update changes which cards are terms, or touches such a card or term.

    before: {id of a merged node: id of the node that it is merged into} in the old graph.
    cards: {id of a card: id of the term that it is}.
    """
    old_cards = {node for node in before if kind_of_id(node) == "card"}
    return old_cards != cards.keys() or labels.are_touched([*cards, *cards.values()])


def _submit_concepts(
    labels: NodeLabels, pool: WorkerPool, impact: Impact
) -> Callable[[], _Concepts] | None:
    """Start finding the terms of several games that are one concept; None if nothing that matters
    for them changed, so that the old edges stay. Clears the cache of definitions if names changed.

    pool: if its workers run already, one of them does the work; else it is done on waiting.
    impact: what the update changed; `EVERYTHING` for a new graph.

    The function that is returned waits for the result: (the `same_concept` edges, the definitions
    to cache as {id of a term: JSON}).
    """
    if impact.names_changed or impact.affects_synonyms:
        labels.clear_cache()  # the content words of a definition depend on all names
    if not impact.affects_concepts:
        return None
    if cached := labels.cached_definitions():
        return pool.submit(_update_concepts, cached, impact.redefined, impact.definitions)
    return pool.submit(_concepts, labels.all("term"), labels.defining_passages("term"))


def _to_try(target: str, editions: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """Yield the ids of nodes to try in place of one that is not loaded, the best first: sections
    and pages, those with a small first letter, then rules of other editions. They need not exist.
    """
    yield from sections_to_try(target)
    for small in with_small_letter(target):
        yield small
        yield from sections_to_try(small)
    yield from rules_to_try(target, editions)


def _resolve_edges(nodes: SharedNodes, edges: EdgeTargets) -> None:
    """Resolve claims and edge targets in the graph; then compare the headings that citations give
    with those of rules, and the wordings of rules, which need both."""
    nodes.resolve()
    editions = nodes.editions()
    to_try = partial(_to_try, editions=editions)
    edges.resolve(to_try)
    edges.choose("cites", to_try, edition_by_heading, "heading")
    edges.amend_details("cites", with_differing_heading)
    nodes.keep_wordings("rule", differences)


# -- jobs for worker processes --------------------------------------------------------------


def _synonyms(names: list[NodeName], definitions: list[DefiningPassage]) -> dict[str, str]:
    return synonymous_terms(names, action_test(names, definitions, tokenizer()))


def _concepts(names: list[NodeName], definitions: list[DefiningPassage]) -> _Concepts:
    found = term_definitions(names, definitions, tokenizer())
    return same_concepts(found, tokenizer()), found.packed()


def _update_concepts(
    packed: dict[str, str], redefined: Collection[str], definitions: Sequence[DefiningPassage]
) -> _Concepts:
    cached = TermDefinitions.unpacked(packed, tokenizer())
    found = cached.redefined(redefined, definitions)
    return same_concepts(found, tokenizer()), found.packed(redefined)


def _comparable(aligned: AlignedRules, names: Sequence[NodeName]) -> AlignedRules:
    return comparable_rules(aligned, names, tokenizer())


def _translations(
    groups: Sequence[tuple[StatedRule, ...]], names: Sequence[NodeName]
) -> Translations:
    return translations(groups, names, tokenizer())


def _annotate(spellings: Iterable[Spelling]) -> Annotator:
    return Annotator(spellings, tokenizer())


def _characters(passages: Iterable[PassageText]) -> int:
    return sum(len(passage.text) for passage in passages)


def _characters_of_names(names: Iterable[str]) -> int:
    return sum(map(len, names))
