"""The pages about editions: contents, what changed between two, a rule's history, alignment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast, get_args

from markupsafe import Markup

import kb
from kb.web.addresses import escaped, node_address, question_address
from kb.web.base_counts import loaded, recent
from kb.web.examples import Examples
from kb.web.request_and_reply import Reply, Visit
from kb.web.term_marks import Marks, TermMarks, end_of_word, frequent_terms

if TYPE_CHECKING:
    import kb

# Changes, or aligned rules, on a page. By hand: lower takes many pages to read a chapter, higher
# makes a page that phones scroll slowly; the next part is a link.
_AT_ONCE = 100
# Characters of a chapter's name, by hand: a lower number would take long headings for sentences, a
# higher one sentences without a full stop for headings.
_LONGEST_HEADING = 60
_STOPS = (".", "。", ":", "：", ";")  # at the end of a sentence


def contents(visit: Visit) -> Reply:
    """Return the chapters and sections of a rulebook, or of a document beside one.

    Parameters: `game`, `edition`, `lang`; kb.QuestionError if one is missing, kb.NotFoundError if
    nothing of such a book is loaded.
    """
    game, edition, lang = visit.text("game"), visit.text("edition"), visit.text("lang")
    if not (game and edition and lang):
        raise kb.QuestionError("give_book")
    chapters = outermost_rules(visit.base, game, edition, lang)
    books = [book for book in loaded(visit.base).rulebooks if book.game == game and book.rules]
    values = {
        "game": game,
        "edition": edition,
        "book_lang": lang,
        "book": next((b for b in books if (b.edition, b.lang) == (edition, lang)), None),
        "languages": [b for b in books if b.edition == edition and b.lang != lang],
        "others": [b for b in books if b.edition != edition and b.lang == lang],
        "chapters": _chapters(visit.base, chapters),
    }
    return Reply("contents.html", values, lambda: {"nodes": [one.as_json() for one in chapters]})


def outermost_rules(base: kb.KnowledgeBase, game: str, edition: str, lang: str) -> list[kb.Node]:
    """Return the chapters of a rulebook, or of a document beside one, or what stands highest in it;
    raises kb.NotFoundError if nothing of such a book is loaded."""
    parts = [part for of in ("cr", "document") for part in base.parts(f"{game}/{of}/{edition}")]
    chapters = [part for part in parts if part.series and part.lang == lang]
    if not chapters and any(
        (book.game, book.edition, book.lang) == (game, edition, lang) and book.rules
        for book in loaded(base).rulebooks
    ):
        chapters = _outermost(base, game, edition, lang)
    if not chapters:
        raise kb.NotFoundError("no_book", game=game, edition=edition, lang=lang)
    return chapters


def _outermost(base: kb.KnowledgeBase, game: str, edition: str, lang: str) -> list[kb.Node]:
    """Return the rules of a part of a rulebook whose chapters are not loaded: those that no other
    rule of it has as a sub-rule, in the order of their numbers."""
    of_book = [
        rule
        for rule in base.nodes("rule")
        if (rule.game, rule.edition, rule.lang) == (game, edition, lang)
    ]
    inside = {part.id for rule in of_book for part in base.parts(rule)}
    return sorted(
        (rule for rule in of_book if rule.id not in inside),
        key=lambda rule: kb.natural_key(rule.number or ""),
    )


def is_heading(rule: kb.Node) -> bool:
    """Whether the name of a rule is that of a chapter, and not a sentence, as in rulebooks that
    number each sentence: it is there, short, and ends as no sentence does."""
    return _is_title(rule.label or "")


def _is_title(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_HEADING and not text.endswith(_STOPS)


def _chapters(
    base: kb.KnowledgeBase, rules: Iterable[kb.Node]
) -> list[tuple[kb.Node, list[kb.Node]]]:
    """Return the rules that are headings, each with its sections and the rules that follow it up to
    the next heading; the first rule counts as one."""
    chapters: list[tuple[kb.Node, list[kb.Node]]] = []
    for rule in rules:
        if is_heading(rule) or not chapters:
            chapters.append((rule, base.parts(rule)))
        else:
            chapters[-1][1].append(rule)
    return chapters


def chapters(visit: Visit) -> Reply:
    """Return which chapter of a rulebook cites which, or which section of a chapter, as a picture.

    Parameters: `game`, `edition`, `lang`, `chapter`.
    """
    found = visit.base.chapter_citations(**visit.filters("game", "edition", "lang", "chapter"))
    pictures = _pictures(visit, found.draw()) if found.citations else {}
    return Reply("chapters.html", {"found": found, **pictures}, found.as_json, table=found.table)


def _pictures(visit: Visit, picture: kb.Picture) -> dict[str, Markup]:
    """Return {"wide": …, "narrow": …}: a picture as SVG for wide windows and for narrow ones."""
    address, words = partial(node_address, visit.interface.lang), visit.picture_words()
    return {
        "wide": Markup(picture.svg(address, standalone=False, words=words)),
        "narrow": Markup(picture.svg(address, narrow=True, standalone=False, words=words)),
    }


def diff(visit: Visit) -> Reply:
    """Return what changed between two editions, a hundred changes at once. Without `before` or
    `after` it is the form, with two editions to compare as an example and without JSON.

    Parameters: `before`, `after`, `game`, `lang`, `under` or `rule` (several), `kind` (several),
    `words`, `mentions` (several), `typographic`, `examples`, `start` (which change is the first).
    """
    pairs = loaded(visit.base).edition_pairs()
    before, after = visit.text("before"), visit.text("after")
    values: dict[str, Any] = {"found": None, "pairs": pairs, "kinds": _KINDS, "example": None}
    if not (before and after):
        given = visit.text("game"), visit.text("lang")
        fitting = [
            pair
            for pair in pairs
            if all(wanted in ("", has) for wanted, has in zip(given, pair[:2], strict=True))
        ]
        example = Examples(visit.base, visit.interface).fullest_editions(fitting or pairs)
        return Reply("diff.html", values | {"example": example})
    arguments = _diff_arguments(visit)
    try:
        found = recent(
            visit.base,
            ("diff", *_given(visit)),
            lambda: visit.base.diff(before, after, **arguments),
        )
    except kb.QuestionError as error:
        of_game = [pair for pair in pairs if pair[0] == visit.text("game")]
        fullest = Examples(visit.base, visit.interface).fullest_editions(of_game)
        if fullest and _are_other_games(visit, before, after):
            return _without_editions(visit, error, before=fullest[2], after=fullest[3])
        raise
    start, following = visit.part_of(len(found.changes), _AT_ONCE)
    values |= {
        "found": found,
        "start": start,
        "next": following,
        "groups": _by_section(found.changes[start:following], found.sections),
        "near": [
            pair
            for pair in pairs
            if pair[:2] == (found.game, found.lang) and pair[2:] != (found.before, found.after)
        ],
    }
    return Reply("diff.html", values, found.as_json, table=found.table)


def impact(visit: Visit) -> Reply:
    """Return what a newer edition makes stale, a hundred statements at once. Without `before` and
    `after` it is the form, with two editions as an example and without JSON.

    Parameters: `before`, `after`, `game`, `lang`, `source`, `kind` (several), `start` (which
    statement is the first).
    """
    pairs = loaded(visit.base).edition_pairs()
    editions = [each for each in (visit.text("before"), visit.text("after")) if each]
    values: dict[str, Any] = {
        "found": None,
        "pairs": pairs,
        "example": Examples(visit.base, visit.interface).editions,
        "against": _against_newest(pairs),
        "kinds": get_args(kb.ImpactKind),
    }
    if not editions:
        return Reply("impact.html", values)
    chosen = {"kinds": visit.texts("kind"), **visit.filters("game", "lang", "source")}
    found = recent(
        visit.base,
        ("impact", *_given(visit)),
        lambda: visit.base.impact(*editions, **cast("Any", chosen)),
    )
    start, following = visit.part_of(len(found.touched), _AT_ONCE)
    shown = groupby(found.touched[start:following], key=lambda one: one.evidence.page)
    values |= {
        "found": found,
        "start": start,
        "next": following,
        "groups": [(page, list(touched)) for page, touched in shown],
        "titles": {
            page: kb.page_name(visit.base.preview(page).node) or ""
            for page in found.pages
            if "/card/" in page  # whose ids are codes
        },
    }
    return Reply("impact.html", values, found.as_json, table=found.table)


def _against_newest(
    pairs: Sequence[tuple[str, str, str, str]],
) -> list[tuple[str, str, str, list[str]]]:
    """Return (game, language, newest edition, those before it), the newest first of these."""
    return [
        (game, lang, of[-1][3], [pair[2] for pair in reversed(of)])
        for (game, lang), group in groupby(pairs, key=lambda pair: pair[:2])
        for of in [list(group)]
    ]


def _diff_arguments(visit: Visit) -> dict[str, Any]:
    """Return what `KnowledgeBase.diff` is given besides the two editions."""
    return {
        "under": (*visit.texts("rule"), *visit.texts("under")),
        "kinds": visit.texts("kind"),
        "words": visit.text("words"),
        "mentions": visit.references("mentions"),
        "typographic": visit.flag("typographic"),
        "examples": visit.flag("examples"),
        **visit.filters("game", "lang"),
    }


def _given(visit: Visit) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Return (name, values) of the parameters that the answer depends on, and not only what a page
    shows of it, sorted."""
    shown = ("start", "problems")
    return sorted((name, each) for name, each in visit.parameters.items() if name not in shown)


# Kinds of changes that may be asked for; boxes of their own ask for the others.
_KINDS = (
    "added", "split", "removed", "merged", "changed", "moved", "moved+changed", "renumbered",
    "moved+renumbered",
)  # fmt: skip


def _by_section(
    changes: Iterable[kb.RuleChange], sections: Sequence[kb.SectionChanges]
) -> list[tuple[kb.SectionChanges | None, list[kb.RuleChange]]]:
    """Return changes with the section that each stands in, those that follow each other in one
    section together; None for a rule that is in none of the sections."""
    known = {section.number: section for section in sections}
    groups: list[tuple[kb.SectionChanges | None, list[kb.RuleChange]]] = []
    for change in changes:
        rule = change.after or change.before
        assert rule
        number = rule.number
        above = (
            number[:end] for end in range(len(number), 0, -1) if not number[end:][:1].isdigit()
        )
        section = next((known[each] for each in above if each in known), None)
        if not groups or groups[-1][0] is not section:
            groups.append((section, []))
        groups[-1][1].append(change)
    return groups


def trace(visit: Visit) -> Reply:
    """Return the history of a rule over all editions; without `ref` the form, with an example and
    without JSON.

    Parameters: `ref`, and the filters of `KnowledgeBase.trace`.
    """
    ref = visit.reference("ref")
    if not ref:
        example = Examples(visit.base, visit.interface).rule
        return Reply("trace.html", {"ref": "", "found": None, "example": example})
    filters = visit.filters()
    if filters.get("edition") and (rule := _rule_of_id(visit, ref)):
        # The number as another edition has it: the id alone would mean its own.
        ref, filters["game"] = rule.number or ref, rule.game or ""
    found = visit.base.trace(ref, **filters)
    values = {
        "ref": ref,
        "found": found,
        **_pictures(visit, found.draw()),
        "loaded_of": {each.edition: each for each in found.loaded},
        "namesake": _namesake(visit, found),
    }
    return Reply("trace.html", values, found.as_json, table=found.table)


def _rule_of_id(visit: Visit, ref: str) -> kb.Node | None:
    """Return the rule that has an id; None if it is no rule's id."""
    found = visit.base.show(ref).matches if "/cr/" in ref else ()
    return next((node for node in found if node.id == ref and node.kind == "rule"), None)


def _namesake(visit: Visit, found: kb.Trace) -> kb.Node | None:
    """Return the rule that had the number of a rule in the edition before its first one; None if
    none is known to."""
    first = found.history[0] if found.history else None
    if first is None or first.kind == "first":
        return None
    before = next(
        (
            pair[2]
            for pair in loaded(visit.base).edition_pairs()
            if pair[:2] == (found.game, found.lang) and pair[3] == first.edition
        ),
        "",
    )
    try:
        rule_id = f"{found.game}/cr/{before}/{found.lang}/{first.number}"
        return visit.base.preview(rule_id).node
    except kb.NotFoundError:
        return None


def align(visit: Visit) -> Reply:
    """Return rules in two languages side by side, a hundred at once; with status 400 and what can
    be compared if these can't be. Without a language it is the form, without JSON.

    Parameters: `first`, `second` (languages), `rule`, `edition`, `game`, `start`, `problems`
    (whether only the rules that differ are shown).
    """
    pairs = loaded(visit.base).language_pairs()
    first, second = visit.text("first"), visit.text("second")
    values: dict[str, Any] = {
        "found": None, "language_pairs": pairs, "example": None, "reason": None,
    }  # fmt: skip
    if not (first and second):
        return Reply("align.html", values | {"example": _fitting_pair(visit, pairs)})
    try:
        found = _align(visit, first, second)
    except kb.NotFoundError:
        raise
    except kb.QuestionError as error:
        if _are_other_games(visit, visit.text("edition")):
            return _without_editions(visit, error, edition=None)
        document = {"error": str(error), "near": []}
        of_game = [pair for pair in pairs if pair[0] == visit.text("game")]
        values |= {"reason": error.reason, "language_pairs": of_game or pairs}
        return Reply("align.html", values, lambda: document, 400)
    problems: dict[tuple[str, str, str], list[kb.Problem]] = {}
    for problem in found.problems:
        if problem.kind != "missing":
            problems.setdefault((problem.game, problem.edition, problem.number), []).append(problem)
    shown = [
        pair
        for pair in found.pairs
        if not visit.flag("problems") or (pair.game, pair.edition, pair.number) in problems
    ]
    start, following = visit.part_of(len(shown), _AT_ONCE)
    pairs_here = shown[start:following]
    texts = [
        kb.LinkedText(pair.number, None, "", tuple(map(_link, pair.marks.get(first, ()))))
        for pair in pairs_here
    ]
    terms = TermMarks(visit.choice("marks", Marks, "quiet"), frequent_terms(texts))
    values |= {
        "found": found,
        "pairs": pairs_here,
        "total": len(shown),
        "problems": problems,
        "missing": [problem for problem in found.problems if problem.kind == "missing"],
        "spans": _spans,
        "is_heading": lambda pair: _is_title(pair.texts[first]),
        "aligned": partial(aligned, partial(node_address, visit.interface.lang), terms),
        "start": start,
        "next": following,
        "near": _near(visit, found),
    }
    return Reply("align.html", values, lambda: _without_marks(found).as_json(), table=found.table)


def _near(visit: Visit, found: kb.Alignment) -> tuple[str, str]:
    """Return the numbers of the rules before and after the one that stands side by side; empty
    where there is none, and without a rule."""
    pair = next(iter(found.pairs), None)
    if pair is None or not visit.text("rule"):
        return "", ""
    number = pair.numbers.get(found.langs[0], pair.number)
    shown = visit.base.show(f"{pair.game}/cr/{pair.edition}/{found.langs[0]}/{number}")
    rule = shown.entries[0].rule if shown.entries else None
    sides = (rule.previous, rule.next) if rule else (None, None)
    return (sides[0].number or "" if sides[0] else ""), (sides[1].number or "" if sides[1] else "")


def _align(visit: Visit, first: str, second: str) -> kb.Alignment:
    rule, filters = visit.text("rule") or None, visit.filters("game", "edition")
    return recent(
        visit.base,
        ("align", *_given(visit)),
        lambda: visit.base.align(first, second, rule=rule, marks=True, **filters),
    )


def _are_other_games(visit: Visit, *editions: str) -> bool:
    """Whether any of some editions is one of another game than that which is asked about: a form
    keeps it when a person chooses another game."""
    game, books = visit.text("game"), loaded(visit.base).rulebooks
    own = {book.edition for book in books if book.game == game}
    others = {book.edition for book in books} - own
    return bool(own) and not others.isdisjoint(editions)


def _without_editions(visit: Visit, error: kb.QuestionError, **instead: str | None) -> Reply:
    """Return the way to the same page with other editions, or with those that it takes by itself;
    programs get the error. instead: {parameter: its value}."""
    address = question_address(
        visit.interface.lang, visit.path, **{**visit.parameters, "start": None, **instead}
    )
    document = {"error": kb.reason_of(error).as_json(), "near": []}
    return Reply("error.html", {}, lambda: document, 400, leads_to=address)


def _fitting_pair(
    visit: Visit, pairs: Sequence[tuple[str, str, str, str]]
) -> tuple[str, str, str, str] | None:
    """Return the fullest of the pairs of languages that what was given so far fits; the fullest of
    all if it fits none."""
    given = visit.text("game"), visit.text("edition")
    langs = {lang for lang in (visit.text("first"), visit.text("second")) if lang}
    fitting = [
        pair
        for pair in pairs
        if all(wanted in ("", has) for wanted, has in zip(given, pair[:2], strict=True))
        and langs <= set(pair[2:])
    ]
    return Examples(visit.base, visit.interface).fullest_languages(fitting or pairs)


def _spans(problems: Iterable[kb.Problem], lang: str) -> list[tuple[int, int]]:
    """Return (start, end) of what the text of a rule in a language says and the other one does not,
    sorted, each once."""
    return sorted({span for problem in problems for span in problem.spans.get(lang, ())})


def _without_marks(found: kb.Alignment) -> kb.Alignment:
    """Return an alignment without marks, as `sansho align` makes it."""
    return replace(found, pairs=tuple(replace(pair, marks={}) for pair in found.pairs))


def aligned(
    address: Callable[[str], str],
    terms: TermMarks,
    text: str,
    marks: Iterable[kb.TextMark],
    differing: Iterable[tuple[int, int]],
    within: str,
    *,
    with_terms: bool,
) -> Markup:
    """Return a text with its terms and citations linked, and the words that the other language
    lacks marked. What overlaps such words is not linked; of others that overlap, only the first is.

    address: gives the address of a node's page. terms: which terms are marked.
    marks: the terms and citations, as `KnowledgeBase.align` gives them.
    differing: (start, end) of the words that the other language lacks.
    within: the section in which the first mention of a term is marked. with_terms: False for a
        heading, and for the second language: the first has the same terms.
    """
    pieces: list[tuple[int, int, kb.TextMark | None]] = [
        (start, end, None) for start, end in set(differing) if start < end
    ]
    pieces += [
        (mark.start, end_of_word(text, mark.start, mark.end, mark.target), mark)
        for mark in marks
        if with_terms or mark.kind != "term"
    ]
    # Of what overlaps, the difference stays and the link goes.
    pieces.sort(key=lambda piece: (piece[0], piece[2] is not None))
    differences = [(start, end) for start, end, mark in pieces if mark is None]
    parts: list[Markup] = []
    done = 0
    for start, end, mark in pieces:
        overlaps = mark is not None and any(s < end and start < e for s, e in differences)
        if overlaps or start < done or end > len(text):
            continue
        words = escaped(text[start:end])
        kind = terms.kind(_link(mark), within) if mark else ""
        parts += [escaped(text[done:start]), _marked(address, words, mark, kind)]
        done = end
    return Markup("").join([*parts, escaped(text[done:])])


def _link(mark: kb.TextMark) -> kb.TextLink:
    kind = "mentions" if mark.kind == "term" else "cites"
    return kb.TextLink(mark.start, mark.end, mark.target, "", kind)


def _marked(
    address: Callable[[str], str], words: Markup, mark: kb.TextMark | None, kind: str | None
) -> Markup:
    """Return the words of a difference, a term or a citation; plain ones of a term that is not
    marked, whose `kind` is None."""
    if mark is None:
        return _DIFFERS.format(words=words)
    if kind is None:
        return words
    if "/" not in mark.target:  # the rule that is cited is not loaded
        return _DANGLING.format(words=words)
    names = (f"{name} ?" if name in mark.proposed else name for name in mark.names)
    return _LINK.format(
        kind=kind, url=address(mark.target), title=escaped(" · ".join(names)), words=words
    )


_DIFFERS = Markup('<mark class="differs">{words}</mark>')
_DANGLING = Markup('<span class="dangling">{words}</span>')
_LINK = Markup('<a class="{kind}" href="{url}" title="{title}">{words}</a>')
