"""What can be told when every page is in the graph: which terms are one, where passages speak of
them, what speaks for what several pages state, where edges lead."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from graphs.facts import Defined, Named, Spelling, Telling, Told, Want
from graphs.whole import Whole
from graphs.write import Writer
from kb.extract.citations import other_heading
from kb.extract.concepts import merged
from kb.extract.links import section_or_page
from kb.extract.meanings import action, defining
from kb.extract.mentions import Teller, spellings, usable
from kb.extract.newcomers import apart, own_name, unspoken
from kb.extract.rules import stand_ins
from kb.extract.samewords import same_concepts
from kb.extract.whereabouts import search, searches
from kb.wording import differences
from kb.words import words
from kb.workers import Crew

_Known = tuple[list[Named], list[Defined]]
_MANY = 2000  # ways to spell names, for which passages are not searched one by one


def complete(writer: Writer, crew: Crew) -> None:
    """Tell and settle all that needs the whole graph; of one that is renewed, what the change
    touches."""
    writer.link()
    whole = Whole(writer)
    _relate(whole, writer, crew)
    _settle(whole)
    writer.meta("notice", "\n".join(writer.ledger.notices()))


def _relate(whole: Whole, writer: Writer, crew: Crew) -> None:
    """What can be told of terms when all their names are known: which are one, where passages
    speak of them."""
    concepts: Callable[[], list[Want]] | None = None
    whole.merge(whole.merged(), "ja")  # what new pages say, too
    if writer.anew or _concerns_others(whole):
        said = whole.names("term", said=True), whole.defined("term", said=True)
        whole.merge(crew.begin(_merged, said)(), "ja")
        concepts = crew.begin(_concepts, (whole.names("term"), whole.defined("term")))
    _respell(whole, writer)
    whole.tell(lambda passages: crew.map(_teller, whole.spellings(), passages, _length))
    whole.join(concepts and concepts())


def _concerns_others(whole: Whole) -> bool:
    """Whether the change bears upon which terms are one: it does, if a term is defined in other
    words than before, or has other names; but not, if a term comes or goes that has nothing in
    common with any."""
    names, before, now = whole.redefined("term")
    if defining(names, before) != defining(names, now):
        return True
    changed = [name for names in whole.renamed("term", said=True) for name in names]
    if not changed:
        return False
    folded = {name.folded for name in changed} | {own_name(name.node) for name in changed}
    called = [name for names in whole.called("term", folded) for name in names]
    if not apart(changed, whole.flipped("term"), called):
        return True
    texts = {name.text for name in changed}
    queries = (query for text in texts for query in searches(text, words(), whole.words))
    return any(map(whole.is_found, queries)) or not unspoken(changed, now, words())


def _respell(whole: Whole, writer: Writer) -> None:
    """Change by which names terms are found, and have the passages told of anew where those
    that changed may stand."""
    if writer.anew:
        whole.spell((), spellings(usable(whole.names("term")), words()))
        return
    folded = {name.folded for names in whole.renamed("term") for name in names}
    before, now = (usable(names) for names in whole.called("term", folded))
    gone, new = ([*spellings(names, words())] for names in (before - now, now - before))
    whole.spell(gone, new)
    touched = {(one.game, one.spelled) for one in (*gone, *new)}
    for game, name in sorted(touched if len(touched) < _MANY else {(g, "") for g, _ in touched}):
        query = search(name, whole.words) if name else None
        if query != "":
            whole.retell(game, query)
    whole.retell_linked()


def _settle(whole: Whole) -> None:
    """What can be told when all that will be in the graph is in it."""
    editions = whole.editions()
    whole.settle(lambda wanted: [*section_or_page(wanted), *stand_ins(wanted, editions)])
    whole.amend("cites", other_heading)
    whole.keep_wordings("rule", differences)


def _merged(known: _Known) -> dict[str, str]:
    return merged(known[0], action(*known, words()))


def _concepts(known: _Known) -> list[Want]:
    return same_concepts(*known, words())


def _teller(spellings: Iterable[Spelling]) -> Callable[[Iterable[Told]], list[Telling]]:
    teller = Teller(spellings, words())
    return lambda passages: list(map(teller, passages))


def _length(passages: Iterable[Told]) -> int:
    return sum(len(passage.text) for passage in passages)
