"""Yields texts that are there in several languages: rules of one number, glosses of one term."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from graphs.store.reader import Store
from graphs.store.rule_versions import translated_numbers
from graphs.store.sql_batches import batches
from graphs.store.termbase_rows import term_ids
from kb.query.editions.diff import texts_by_number
from kb.query.lookup.common_filters import EVERYTHING, Scope
from kb.query.show.definitions import TermDefinition, definitions_of
from kb.rules.loaded_editions import loaded_rules
from kb.termbase.example_sentences import without_number
from kb.termbase.model import TranslationUnit
from scraper.rulebook.numbering import number_key

_LEAST = 2  # languages of a unit: with one there is no translation


def translation_units(
    store: Store, scope: Scope = EVERYTHING, langs: Sequence[str] = ()
) -> Iterator[TranslationUnit]:
    """Yield the rules that an edition has in several languages, by game, edition (the oldest first)
    and number, and then the glosses that an edition's glossaries give a term in several languages,
    by term. Where the languages number rules otherwise, a rule's number is that in the first.

    scope: its game and edition choose; the rest is ignored.
    langs: the languages of the texts, two or more; all if empty.

    Texts have no numbers before them. Of a term with several senses the glosses are paired in
    their order if there are as many in each language; else they are left out.
    """
    for game, loaded in sorted(loaded_rules(store).items()):
        if scope.game not in (None, game):
            continue
        for edition in loaded.editions:
            here = _chosen(loaded.langs(edition), langs)
            if scope.edition in (None, edition) and len(here) >= _LEAST:
                yield from _rules(store, game, edition, here)
    yield from _glosses(store, scope, langs)


def _chosen(found: Iterable[str], langs: Sequence[str]) -> list[str]:
    """Return the languages that are found and asked for, in the order in which they are asked for;
    if none is asked for, all that are found, sorted."""
    known = set(found)
    return [lang for lang in langs if lang in known] if langs else sorted(known)


def _rules(
    store: Store, game: str, edition: str, langs: Sequence[str]
) -> Iterator[TranslationUnit]:
    texts = {lang: texts_by_number(store.rules(game, edition, lang)) for lang in langs}
    first, *others = langs
    same = {lang: translated_numbers(store, game, edition, first, lang) for lang in others}
    alone = {n for lang in others for n in texts[lang]} - {
        number for pairs in same.values() for number, _ in pairs.values()
    }
    for number in sorted({*texts[first], *alone}, key=number_key):
        numbers = {first: number} | {
            lang: same[lang].get(number, ("",))[0] if number in texts[first] else number
            for lang in others
        }
        of_number = [(lang, texts[lang].get(numbers[lang], "").strip()) for lang in langs]
        given = tuple((lang, text) for lang, text in of_number if text)
        if len(given) >= _LEAST:
            yield TranslationUnit(
                f"{game}/cr/{edition}/{number}", "rule", given, game=game, edition=edition
            )


def _glosses(store: Store, scope: Scope, langs: Sequence[str]) -> Iterator[TranslationUnit]:
    for batch in batches(term_ids(store, ("term",), scope.game, None, None)):
        nodes = store.get(batch)
        definitions = definitions_of(store, list(nodes.values()))
        for term in batch:
            dated = [each for each in definitions.get(term, ()) if each.edition and each.lang]
            for edition in dict.fromkeys(filter(None, (each.edition for each in dated))):
                if scope.edition in (None, edition):
                    yield from _of_term(term, nodes[term].game, edition, dated, langs)


def _of_term(
    term: str,
    game: str | None,
    edition: str,
    definitions: Iterable[TermDefinition],
    langs: Sequence[str],
) -> Iterator[TranslationUnit]:
    """Yield the glosses of a term that an edition gives in several languages: one unit a sense, in
    order; none if the languages have different numbers of them."""
    senses: dict[str, list[str]] = {}
    for each in definitions:
        if each.lang and edition in (each.edition, *each.same_in):
            senses.setdefault(each.lang, []).append(without_number(each.evidence.text))
    here = _chosen(senses, langs)
    if len(here) < _LEAST or len({len(senses[lang]) for lang in here}) > 1:
        return
    for index, texts in enumerate(zip(*(senses[lang] for lang in here), strict=True), start=1):
        unit_id = f"{term}#{edition}" + (f"-{index}" if len(senses[here[0]]) > 1 else "")
        yield TranslationUnit(
            unit_id, "gloss", tuple(zip(here, texts, strict=True)), game=game, edition=edition
        )
