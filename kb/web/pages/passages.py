"""The pages about passages: search, suggestions, the concordance, and questions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import kb
from kb.web.addresses import node_address, question_address
from kb.web.base_counts import loaded
from kb.web.examples import Examples
from kb.web.request_and_reply import Reply, Visit

_JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")  # in a question: it is in Japanese
_FILTERS = ("game", "edition", "lang", "source", "section", "kind")
_MOST_HITS = 20  # by hand: a few screens; `most` asks for up to 200, and a link for the next
_MOST_SUGGESTED = 8  # by hand: more hide the page below the field where a person types
# Suggestions, of which those of other editions are left out: by hand, four times as many as are
# shown, as a rule stands in several editions and languages.
_MOST_READ = 32


def search(visit: Visit) -> Reply:
    """Return what is called by some words, and the passages that have them; without words and
    filters the form, with examples and without JSON. Words that name one rule, or one term or card,
    lead to its page; names with a slip are those of the nearest name.

    Parameters: `q`, `most`, `any_word`, `after` (where the part before ended), `all` (whether a
    name leads to no page of its own), and the filters of `KnowledgeBase.search`.
    """
    words, filters = visit.text("q"), _filters(visit)
    if not words and not filters:
        values: dict[str, Any] = {"words": "", "hits": None, "shown": None, "nearest": None}
        return Reply("search.html", values | {"examples": Examples(visit.base, visit.interface)})
    most = visit.number("most", _MOST_HITS, 200)
    after = visit.text("after") or None
    any_word = visit.flag("any_word")
    hits = visit.base.search(words, most=most, any_word=any_word, after=after, **filters)
    scope = {name: filters[name] for name in ("game", "edition", "lang") if name in filters}
    shown = visit.base.show(words, **scope) if words and not after else None
    nearest = None
    if shown is not None and not shown.matches and shown.near:
        nearest = visit.base.show(shown.near[0], **scope)
    first = hits if after else replace(hits, hits=_about_first(hits.hits, words))
    values = {"words": words, "hits": first, "shown": shown, "nearest": nearest}
    is_plain = not visit.flag("all") and visit.parameters.keys() <= {"q", "game"}
    unique = _unique(visit, shown) if shown and is_plain else None
    if unique is None:
        return Reply("search.html", values, hits.as_json, table=hits.table)
    address = node_address(visit.interface.lang, unique.id)
    mark = "&" if "?" in address else "?"
    leads_to = f"{address}{mark}{urlencode({'searched': words})}"
    return Reply("search.html", values, hits.as_json, leads_to=leads_to)


def _about_first(hits: Sequence[kb.Hit], words: str) -> tuple[kb.Hit, ...]:
    """Return hits, else in their order, with those first that are about some words: on the page of
    that name, then below a heading that has them."""
    name = words.casefold().strip()

    def rank(hit: kb.Hit) -> int:
        if hit.place.page.casefold() == name:
            return 0
        headings = (hit.node.label, hit.place.section, hit.place.entry)
        return 1 if any(name in (each or "").casefold() for each in headings) else 2

    return tuple(sorted(hits, key=rank))


def _unique(visit: Visit, shown: kb.Shown) -> kb.Node | None:
    """Return what a name means if it means one thing: the one term or card of that name, beside
    which rules and pages only have it as their title, or the one rule, in the language of the
    explorer if its book is there, else in the newest edition; None if it means several."""
    found = [entry.node for entry in shown.entries]
    named = [node for node in found if node.kind in ("term", "card")]
    if named:
        return (
            named[0]
            if len(named) == 1 and {node.game for node in found} == {named[0].game}
            else None
        )
    own = [node for node in found if _is_current(visit, node)]
    is_one = {node.kind for node in found} == {"rule"} and len({node.rule for node in found}) == 1
    lang = visit.interface.lang
    found.sort(key=lambda node: (kb.edition_key(node.edition), node.lang == lang), reverse=True)
    return [*own, *found][0] if is_one else None


def _is_current(visit: Visit, rule: kb.Node) -> bool:
    """Whether a rule is in the language of the explorer, and of the newest edition or of a book
    that is loaded whole: of an older one a few rules may be translated."""
    rulebooks = [book for book in loaded(visit.base).rulebooks if book.game == rule.game]
    newest = max((kb.edition_key(book.edition) for book in rulebooks), default=None)
    return rule.lang == visit.interface.lang and (
        kb.edition_key(rule.edition) == newest
        or any(
            book.whole
            for book in rulebooks
            if (book.edition, book.lang) == (rule.edition, rule.lang)
        )
    )


def _filters(visit: Visit) -> dict[str, Any]:
    """Return the parameters that narrow which passages are meant, as far as they are set; what they
    must mention or cite may be several."""
    several = {name: visit.references(name) for name in ("mentions", "cites")}
    return visit.filters(*_FILTERS) | {name: refs for name, refs in several.items() if refs}


def suggest(visit: Visit) -> Reply:
    """Return what a person may mean who is typing, with the address of each: eight at most, none
    for no words; of long words the first hundred characters count.

    Parameters: `q`, and the filters of `KnowledgeBase.suggest`.
    """
    words, lang = visit.text("q")[:100], visit.interface.lang
    found = visit.base.suggest(words, most=_MOST_READ, **visit.filters())
    nearest = _once_each(visit, found)[:_MOST_SUGGESTED]
    abouts = [" · ".join(part for part in _about(visit, each) if part) for each in nearest]
    alike = Counter(zip((each.name for each in nearest), abouts, strict=True))
    suggestions = [
        {
            "name": each.name,
            "about": f"{about} · {_own_name(each.node)}" if alike[each.name, about] > 1 else about,
            "id": each.node.id,
            "address": question_address(lang, "search", q=each.name, game=each.node.game)
            if each.how == "number"
            else node_address(lang, each.node.id),
        }
        for each, about in zip(nearest, abouts, strict=True)
    ]
    return Reply(
        "suggest.html",
        {"words": words, "suggestions": suggestions},
        lambda: {"suggestions": suggestions},
        table=found.table,
    )


def _own_name(node: kb.Node) -> str:
    """Return what tells something from others that are suggested by the same words: the name in its
    id, which no other has."""
    return node.number or node.id.rpartition("/")[2]


def _once_each(visit: Visit, found: Iterable[kb.Suggestion]) -> list[kb.Suggestion]:
    """Return suggestions, in their order, without the rules of a name that the same game has in the
    interface's language (see `_is_current`) or in a newer edition."""
    every = list(found)
    ranks = {
        each.node.id: (
            _is_current(visit, each.node),
            kb.edition_key(each.node.edition),
            each.node.lang == visit.interface.lang,
        )
        for each in every
        if each.node.kind == "rule"
    }
    best: dict[tuple[str | None, str], Any] = {}
    for each in every:
        if rank := ranks.get(each.node.id):
            key = each.node.game, each.name.casefold()
            best[key] = max(best.get(key, rank), rank)
    return [
        each
        for each in every
        if each.node.id not in ranks
        or ranks[each.node.id] == best[each.node.game, each.name.casefold()]
    ]


def _about(visit: Visit, suggested: kb.Suggestion) -> tuple[str | None, ...]:
    """Return what is said of a suggestion: its kind, game, and language, which is empty where it
    leads to all languages, or is a name of something with names in several."""
    node = suggested.node
    of_all = suggested.how == "number" or node.kind in ("term", "card")
    return (
        visit.interface(node.kind),
        visit.interface.game(node.game),
        "" if of_all else visit.interface.language(node.lang),
    )


def kwic(visit: Visit) -> Reply:
    """Return a concordance; without words and filters the form, with examples and without JSON.

    Parameters: `q`, `order`, `width`, `most`, `each_edition` (whether what several editions have
    in the same words has a line for each), `after` (where the part before ended), and the filters
    of `KnowledgeBase.kwic`.
    """
    words, filters = visit.text("q"), _filters(visit)
    order = visit.choice("order", kb.LineOrder, "place")
    values: dict[str, Any] = {"words": words, "order": order, "found": None}
    if not words and not filters:
        return Reply("kwic.html", values | {"examples": Examples(visit.base, visit.interface)})
    found = visit.base.kwic(
        words,
        order=order,
        width=visit.number("width", 30, 200),
        most=visit.number("most", 100, 1_000),
        merge_editions=not visit.flag("each_edition"),
        after=visit.text("after") or None,
        **filters,
    )
    values |= {"found": found}
    return Reply("kwic.html", values, found.as_json, table=found.table)


def ask(visit: Visit) -> Reply:
    """Return the answers to a question; without one the form, with examples and without JSON.

    Parameters: `q`, `top`, `game`, `edition`, `lang`.
    """
    question = visit.text("q")
    values: dict[str, Any] = {"question": question, "found": None}
    if not question:
        return Reply("ask.html", values | {"examples": Examples(visit.base, visit.interface)})
    top = visit.number("top", 5, 20)
    found = visit.base.ask(question, top=top, **visit.filters("game", "edition", "lang"))
    own = {"en", visit.text("lang"), "ja" if _JAPANESE.search(question) else "en"}
    values |= {"found": found, "groups": _grouped(found), "own": own, "top": top}
    return Reply("ask.html", values, found.as_json, table=found.table)


def _grouped(found: kb.Answers) -> list[tuple[kb.Answer, list[kb.Answer]]]:
    """Return the answers by rank, each with those that are sub-rules of the same rule and rank
    below it; no answer is there twice."""
    groups: dict[str, list[kb.Answer]] = {}
    for answer in found.answers:
        groups.setdefault(answer.group or answer.passage.id, []).append(answer)
    return [(first, rest) for first, *rest in groups.values()]
