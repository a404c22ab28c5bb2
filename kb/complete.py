"""What can be told when every page is in the graph: which terms are one, where passages speak of
them, what speaks for what several pages state, where edges lead."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from graphs.facts import Defined, Named, Spelling, Telling, Told, Want
from graphs.names import Names
from graphs.passages import Passages
from graphs.settling import Settling
from graphs.write import Writer
from kb.extract.citations import other_heading
from kb.extract.concepts import merged
from kb.extract.links import section_or_page
from kb.extract.meanings import Meanings, action, defining, meanings
from kb.extract.mentions import Teller, spellings, usable
from kb.extract.newcomers import apart, own_name, unspoken
from kb.extract.rules import stand_ins
from kb.extract.samewords import same_concepts
from kb.extract.whereabouts import search, searches
from kb.wording import differences
from kb.words import words
from kb.workers import Crew

_Known = tuple[list[Named], list[Defined]]
_Concepts = tuple[list[Want], dict[str, str]]  # and what terms mean, to be kept
_MANY = 2000  # ways to spell names, for which passages are not searched one by one


def complete(writer: Writer, crew: Crew) -> None:
    """Tell and settle all that needs the whole graph; of one that is renewed, what the change
    touches."""
    writer.link()
    _relate(writer, crew)
    _settle(Settling(writer))
    writer.meta("notice", "\n".join(writer.ledger.notices()))


def _relate(writer: Writer, crew: Crew) -> None:
    """What can be told of terms when all their names are known: which are one, where passages
    speak of them."""
    names, passages = Names(writer), Passages(writer)
    names.merge(names.merged(), "ja")  # what new pages say, too
    change = _ALL if writer.anew else _change(names, passages)
    if change.upon_terms:
        said = names.of("term", said=True), names.defined("term", said=True)
        names.merge(crew.begin(_merged, said)(), "ja")
    concepts = _begin_concepts(names, crew, change)
    if writer.anew:
        passages.spell((), spellings(usable(names.of("term")), words()))
    else:
        _respell(names, passages)
    passages.tell(lambda told: crew.map(_teller, passages.spellings(), told, _length))
    if concepts is None:
        names.join(None)
    else:
        wants, meant = concepts()
        names.join(wants)
        names.keep(meant)


class _Change(NamedTuple):
    """How a graph that is renewed is different, as far as it bears upon which terms are one."""

    renamed: bool  # some term has other names than before
    upon_terms: bool  # it bears upon which terms of a game are one
    upon_concepts: bool  # it does upon which terms of several games are
    redefined: Collection[str] = ()  # what is defined by a page that changed
    defined: Sequence[Defined] = ()  # what defines that now


_ALL = _Change(True, True, True)


def _change(known: Names, passages: Passages) -> _Change:
    """Other names bear upon all, but for those of a term that comes or goes and has nothing in
    common with any; a definition in other words does upon concepts, and an English one, that is
    the gloss of a sense, upon all."""
    names, before, now = known.redefined("term")
    redefined = defining(names, before) ^ defining(names, now)
    changed = [name for names in known.renamed("term", said=True) for name in names]
    upon_terms = _concerns_others(changed, known, passages, now) or any(
        lang == "en" for _, lang, _, _ in redefined
    )
    nodes = {one.node for one in (*before, *now)}
    return _Change(bool(changed), upon_terms, upon_terms or bool(redefined), nodes, now)


def _concerns_others(
    changed: Sequence[Named], known: Names, passages: Passages, defined: Sequence[Defined]
) -> bool:
    """Whether names that are new or gone have something in common with other terms, or with what
    changed pages define."""
    if not changed:
        return False
    folded = {name.folded for name in changed} | {own_name(name.node) for name in changed}
    called = [name for names in known.called("term", folded) for name in names]
    if not apart(changed, known.flipped("term"), called):
        return True
    texts = {name.text for name in changed}
    queries = (query for text in texts for query in searches(text, words(), passages.words))
    return any(map(passages.is_found, queries)) or not unspoken(changed, defined, words())


def _begin_concepts(names: Names, crew: Crew, change: _Change) -> Callable[[], _Concepts] | None:
    """Find which terms of several games are one; None if they are the same as before."""
    if change.renamed or change.upon_terms:
        names.forget()  # what a definition says depends on all names
    if not change.upon_concepts:
        return None
    if meant := names.kept():
        return crew.begin(_concepts_again, (meant, change.redefined, change.defined))
    return crew.begin(_concepts, (names.of("term"), names.defined("term")))


def _respell(names: Names, passages: Passages) -> None:
    """Change by which names terms are found, and have the passages told of anew where those
    that changed may stand."""
    folded = {name.folded for changed in names.renamed("term") for name in changed}
    before, now = (usable(called) for called in names.called("term", folded))
    gone, new = ([*spellings(which, words())] for which in (before - now, now - before))
    passages.spell(gone, new)
    touched = {(one.game, one.spelled) for one in (*gone, *new)}
    for game, name in sorted(touched if len(touched) < _MANY else {(g, "") for g, _ in touched}):
        query = search(name, passages.words) if name else None
        if query != "":
            passages.retell(game, query)
    passages.retell_linked()


def _settle(graph: Settling) -> None:
    """What can be told when all that will be in the graph is in it."""
    editions = graph.editions()
    graph.settle(lambda wanted: [*section_or_page(wanted), *stand_ins(wanted, editions)])
    graph.amend("cites", other_heading)
    graph.keep_wordings("rule", differences)


def _merged(known: _Known) -> dict[str, str]:
    return merged(known[0], action(*known, words()))


def _concepts(known: _Known) -> _Concepts:
    found = meanings(*known, words())
    return same_concepts(found, words()), found.packed()


def _concepts_again(
    known: tuple[dict[str, str], Collection[str], Sequence[Defined]],
) -> _Concepts:
    meant, redefined, defined = known
    found = Meanings.unpacked(meant, words()).redefined(redefined, defined)
    return same_concepts(found, words()), found.packed(redefined)


def _teller(spellings: Iterable[Spelling]) -> Callable[[Iterable[Told]], list[Telling]]:
    teller = Teller(spellings, words())
    return lambda passages: list(map(teller, passages))


def _length(passages: Iterable[Told]) -> int:
    return sum(len(passage.text) for passage in passages)
