"""Terms, from the glossary of a rulebook: an entry, and what explains it."""

from __future__ import annotations

from collections import defaultdict

from graphs.facts import Claim, Facts, LabelClaim, Want
from graphs.model import Label
from kb.extract.reading import Reading
from kb.extract.terms import labelled, term_id
from kb.fold import fold
from kb.names import read_name

_AFTER_WIKIS = 10**8  # what a wiki has a page on goes by that page's name


def extract(reading: Reading, facts: Facts) -> None:
    """A term for every entry of a rulebook's glossary, its text being the definition.

    The newest edition speaks for a term that several define.
    """
    page = reading.page
    if page.source != "rulebook":
        return
    glosses: dict[int, list[int]] = defaultdict(list)
    for place, passage in enumerate(page.passages):
        if passage.kind == "gloss" and passage.parent is not None:
            glosses[passage.parent].append(place)
    rank = reading.rank(_AFTER_WIKIS - int(page.edition or 0))
    for entry, places in glosses.items():
        name = read_name(page.passages[entry].text)
        node_id = term_id(reading.game, labelled(name))
        text = "\n".join(page.passages[place].text for place in places)
        node = reading.node(node_id, "term", label=name.label, reading=name.reading, text=text)
        facts.claims.append(Claim(node, rank))
        labels = [Label(page.lang, name.label)]
        labels += [Label("en", name.english)] if name.english else []
        labels += [Label("ja", name.reading, "reading")] if name.reading else []
        facts.labels += [LabelClaim(node_id, label, fold(label.text)) for label in labels]
        for place in places:  # the gloss itself defines: as a hub the page would join all terms
            gloss, end = reading.passage_ids[place], len(page.passages[place].text)
            facts.wants.append(Want("defines", gloss, node_id, name.label, gloss, 0, end, ""))
