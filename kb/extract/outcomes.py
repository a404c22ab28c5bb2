"""Outcomes: what happens, must, may or cannot be done on a condition, "if A then B".

The statements of a text are found in `conditions`; what each is about, and what it is an
exception to, is seen here from the sentences, the list items and the headings around it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphs.writing.claims import EdgeClaim, PageClaims, PageNode
from kb.extract.conditions import (
    ASKS,
    BEGINS,
    CONDITIONAL,
    EXPLAINS,
    Clause,
    Modality,
    Sentence,
    clauses,
    english,
    modality_of,
    remarks,
    sentences,
)
from kb.extract.context import PageContext
from kb.extract.rulings import rulings
from kb.extract.terms import defines_term, node_of_page
from scraper import Passage

_SAID_IN = frozenset(
    {"paragraph", "item", "row", "pre", "entry", "gloss", "quote", "footnote", "note"}
)
_DEEPEST, _HIGHEST = 12, 30  # levels of a list, rows of a card, that are looked through
_NOT_NAMED = re.compile(
    r"^(?:それ|これ|そう|そこ|ここ|いずれ|どれ|誰|何|同じ|その(?:後|時|際|場合|ターン)|この後|次)|"
    r"(?:こと|事|の|とき|時|場合|後|あと|間|中|前|ターン|際|部分だけ|時点|に(?:おい|あたっ|関し|つい|対し)?て?|て|で|と|まで|必ず|しか|へ|より)$"
)
_ASIDE_FROM = re.compile(
    r"^(?:相手|対戦相手|あなた|自分|プレイヤー[１1]人)(?:の[^の]{1,8})?が|が(?:[^、]{0,12}枚|空[のだで]|無い|無く|な[いく])|"
    r"公開された"
)
_ABOUT = re.compile(r"([^。、\n\d][^。、\n]{0,40}?)(?:について)?[。:：]?")
_PREDICATE = re.compile(r"(?:[るたいうくすつむだん]|ます|です)[。.]?$")
_WHO = re.compile(
    r"((?:[Tt]h[ae]t?|[Tt]his|[Aa]n?|[Ee]ach|[Aa]ny|[Ii]ts|[Yy]ou|[Ii]t)\b(?:\s[\w'’-]{1,20}){0,3}?)\s"
    r"(?:is|are|was|can|can't|can’t|cannot|may|must|will|has|have|does|do|loses|wins|puts|draws)\b"
)
_ANY_ONE = re.compile("ある|1人の|１人の|いずれかの|何らかの")
_HEADED = re.compile(r"\d[\d.\-]*[a-z]?[\s　]+(.{1,60})|(.{1,60})について")
_CARD_ROW = re.compile(r"([^\t\u3000]{1,40})\u3000[A-Z]{1,4}\u3000")
_NO_TOPIC = r"(?<!また)(?<!もしく)(?<!あるい)"  # または is no topic
_TOPIC = re.compile(rf"([^、]{{1,60}}?){_NO_TOPIC}は、?(?!ない|なく)")
_LATER_TOPIC = re.compile(rf".*、([^、]{{1,40}}?){_NO_TOPIC}は[^、]*$")
_DOES = re.compile(r"(その[^、]{1,20}?|プレイヤー|あなた|相手|自分)が")
_THERE_IS = re.compile(r"([^、]{1,60}?)(?:は|が(?:存在する|ある))")
_MEETS = re.compile(
    r"(?:[^、]{1,60}(?:において|では|場合|中|の間|時|とき)は?、)?([^、]{1,60}?)(?:が|を持つ)、?"
)
_OF_TWO = re.compile("前者|後者")
_QUOTED_PAIR = re.compile("「([^「」]{1,60})」(?:と|や|、)「([^「」]{1,60})」")
_DATE = re.compile(r"[(（][^()（）]{4,20}[)）]。?$")
_NEAR = 4  # passages, back to what `the former` means
_ADVERB = re.compile(r"(?:まず|次に|続いて|もし|一度|再度|同時に|それぞれ|または|[①-⑳]|、)+")
_OBJECT = re.compile(r"(?:代わりに)?([^、]{1,60}?)を(?!行[うわ]|除|[^を、]{0,10}ずに)")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One statement: passages[place].text[start:end], its parts in the page's own words.

    subject_place: the place of the passage that names the subject, where it is another one.
    exception_to: which of the page's outcomes this one is an exception to, counted from 0, or
    the words that it is an exception to, where these are no outcome.
    """

    place: int
    start: int
    end: int
    subject: str
    condition: str
    result: str
    modality: Modality
    exception_to: int | str | None = None
    subject_place: int | None = None


def outcomes(passages: Sequence[Passage], lang: str = "ja") -> Iterator[Outcome]:
    """The conditional statements in a page's passages, in order.

    >>> page = [Passage("paragraph", "山札がない場合、プレイヤーはカードを引けない。")]
    >>> [(o.subject, o.condition, o.result, o.modality) for o in outcomes(page)]
    [('プレイヤー', '山札がない場合', 'プレイヤーはカードを引けない', 'cannot')]
    """
    last: dict[int, int] = {}  # the last outcome of each passage
    count, title, heading = 0, -1, -1
    in_tables = {found.place: found for found in _answers(passages)}
    for place, passage in enumerate(passages):
        if passage.kind == "title" or (passage.kind == "heading" and title < 0):
            title = heading = place
        elif passage.kind == "heading":
            heading = place
        if place in in_tables:
            yield in_tables[place]
            count += 1
            continue
        if passage.kind not in _SAID_IN or not CONDITIONAL.search(passage.text):
            continue
        above = (
            _named_above(passages, place) or _on_card(passages, place) or _of_two(passages, place)
        )
        named = above or _named_by_heading(passages, title, heading)
        nested = passage.parent is not None
        before = last.get(place - 1 if passage.parent is None else passage.parent)
        around = _Around(named, bool(above), nested, before)
        for found in _told(passage.text, place, around, count, lang):
            last[place] = count
            count += 1
            yield found


def _named_above(passages: Sequence[Passage], place: int) -> tuple[str, int | None] | None:
    """The list item above that only names what its sub-items are about."""
    parent = passages[place].parent
    for _ in range(_DEEPEST):
        if parent is None:
            break
        text = passages[parent].text
        if (found := _ABOUT.fullmatch(text)) and not _PREDICATE.search(text):
            return found[1], parent
        parent = passages[parent].parent
    return None


def _on_card(passages: Sequence[Passage], place: int) -> tuple[str, int | None] | None:
    """The card whose text a row of a table gives: a row above names it."""
    block = passages[place].block
    for above in range(place, max(-1, place - _HIGHEST), -1):
        row = passages[above]
        if row.kind != "row" or row.block != block:
            break
        if row.text.startswith("カード名\t"):
            return row.text[5:].partition("/")[0], above
        if found := _CARD_ROW.match(row.text):
            return found[1], above
    return None


def _of_two(passages: Sequence[Passage], place: int) -> tuple[str, int | None] | None:
    """What `前者` or `後者` above means: the first or the last of what was quoted before it."""
    said = _OF_TWO.match(passages[place - 1].text) if place else None
    for above in range(place - 2, max(-1, place - 2 - _NEAR), -1) if said else ():
        quoted = _QUOTED_PAIR.search(passages[above].text)
        if quoted and said:
            return quoted[1 if said[0] == "前者" else 2], above
    return None


def _answers(passages: Sequence[Passage]) -> Iterator[Outcome]:
    """The outcomes of rulings that are answered by a table: the question has the condition, a
    row whom it is about and what happens."""
    for ruling in rulings(passages):
        rows = [place for place in ruling.answers if passages[place].kind == "row"]
        asked = ruling.question.partition("\n")[0]
        condition = next(
            (
                asked[slice(*clause.condition)]
                for sentence in sentences(asked)
                for clause in clauses(sentence, 0, None)
            ),
            "",
        )
        for place in rows if condition else ():
            subject, tab, result = passages[place].text.partition("\t")
            if tab and not passages[place].head and _PREDICATE.search(result := _dated(result)):
                start = len(subject) + 1
                yield Outcome(
                    place,
                    start,
                    start + len(result),
                    subject,
                    condition,
                    result,
                    modality_of(result),
                )


def _dated(text: str) -> str:
    """An answer without its date."""
    return _DATE.sub("", text.partition("\t")[0].partition("\n")[0]).strip()


def _named_by_heading(
    passages: Sequence[Passage], title: int, heading: int
) -> tuple[str, int | None]:
    """What a page or a section of it is about: a heading that says so, or the title."""
    if heading >= 0 and (found := _HEADED.fullmatch(passages[heading].text)):
        return found[1] or found[2], heading
    return (passages[title].text.partition("/")[0], title) if title >= 0 else ("", None)


@dataclass(frozen=True, slots=True)
class _Around:
    """What a passage stands in: what it is about by the words above it, and whether a list or
    a card says so; whether it hangs under another passage; the number of the outcome before it."""

    named: tuple[str, int | None]
    inherited: bool
    nested: bool
    before: int | None


def _told(text: str, place: int, around: _Around, count: int, lang: str) -> Iterator[Outcome]:
    """The outcomes of one passage; `count` is the number of the first."""
    earlier: int | str | None = around.before
    exception: int | str | None = None
    condition: tuple[int, int] | None = None
    topic = ""
    for sentence in sentences(text):
        begins = BEGINS.match(sentence.masked)
        at = begins.end() if begins else 0
        body = sentence.masked[at:]
        if begins and begins["exception"]:
            exception = earlier
        elif not (begins and begins["more"]):
            exception = None
        held = condition if begins and begins["then"] else None
        condition = None
        if not (around.nested and earlier is not None and earlier == around.before):
            earlier = text[sentence.start : sentence.end]
        if ASKS.search(body) or EXPLAINS.match(body):
            continue
        first = sentence.start + at
        about = _THERE_IS.match(body)
        said = text[first : first + about.end(1)] if about else ""
        said = "" if _NOT_NAMED.search(said) else said
        if not held and not CONDITIONAL.search(body):
            topic = said or topic
            continue
        begun = count
        stated = clauses(sentence, at, held) if lang == "ja" else english(sentence)
        for main, clause in ((m, c) for m in stated for c in (m, *remarks(text, m))):
            (c, c_end), (r, r_end) = clause.condition, clause.result
            own = _subject(sentence, text, at, main)
            if around.inherited and not own.startswith("この"):
                own = sentence.label
            elif not around.inherited:
                own = own or sentence.label or topic
            subject, where = (own, None) if own else around.named
            if about := _TOPIC.match(sentence.masked, c - sentence.start, c_end - sentence.start):
                stop = sentence.start + about.end()
                c = stop if stop < c_end and not _NOT_NAMED.search(about[1]) else c
            topic = topic or (subject if where is None else "")
            limited = count - 1 if clause.limits and count > begun else None
            yield Outcome(
                place,
                min(clause.condition[0], r),
                max(c_end, r_end),
                subject,
                text[c:c_end],
                text[r:r_end],
                modality_of(sentence.masked[max(0, r - sentence.start) : r_end - sentence.start]),
                limited if exception is None else exception,
                where,
            )
            condition, earlier = clause.condition, count
            count += 1
        topic = said or topic


def _subject(sentence: Sentence, text: str, at: int, clause: Clause) -> str:
    """Whom or what a statement is about: the result's topic, that of the sentence, what meets
    the condition, or what the result is done to."""

    def named(form: re.Pattern[str], start: int, end: int) -> str:
        start, end = max(0, start - sentence.start), max(0, end - sentence.start)
        found = form.match(sentence.masked, start, end)
        if not found or _NOT_NAMED.search(found[1]):
            return ""
        begin, stop = found.span(1)
        if adverb := _ADVERB.match(sentence.masked, begin, stop):
            begin = adverb.end()
        if form is _MEETS and (inner := _TOPIC.match(sentence.masked, begin, stop)):
            stop = inner.end(1)
        return text[sentence.start + begin : sentence.start + stop]

    condition, result = clause.condition, clause.result
    meets = named(_MEETS, *condition)
    topic = (
        named(_WHO, *result)
        or named(_TOPIC, *result)
        or named(_TOPIC, sentence.start + at, condition[1])
        or named(_LATER_TOPIC, *condition)
        or named(_DOES, *result)
    )
    if topic:
        any_one = _ANY_ONE.match(meets) and topic[:2] == "その" and meets.endswith(topic[2:])
        return meets if any_one else topic
    if meets and not _ASIDE_FROM.search(text[condition[0] : condition[1]]):
        return meets
    return named(_OBJECT, *result) or ("" if "に" in meets else meets)


def extract(context: PageContext, claims: PageClaims) -> None:
    """A node for each outcome, and the terms that its subject links to."""
    page = context.page
    count: Counter[int] = Counter()
    ids: list[str] = []
    for found in outcomes(page.passages, page.lang):
        passage, said = page.passages[found.place], context.passage_ids[found.place]
        section = context.section_ids[passage.section]
        count[passage.section] += 1
        earlier = found.exception_to
        details = {
            "subject": found.subject,
            "condition": found.condition,
            "result": found.result,
            "modality": found.modality,
            "exception_to": ids[earlier] if isinstance(earlier, int) else earlier,
        }
        node = context.node(
            f"{section}~{count[passage.section]}",
            "outcome",
            label=found.subject or None,
            text=passage.text[found.start : found.end],
            details=details,
        )
        ids.append(node.id)
        claims.parts.append(PageNode(node, section, heading=said))
        claims.edges += _about(context, node.id, found)


def _about(context: PageContext, node: str, found: Outcome) -> Iterator[EdgeClaim]:
    """The terms that the words of an outcome's subject link to, each once."""
    page, place = context.page, found.place if found.subject_place is None else found.subject_place
    passage = page.passages[place]
    start = passage.text.find(found.subject, 0 if found.subject_place is not None else found.start)
    seen: set[str] = set()
    for link in passage.links if start >= 0 and found.subject else ():
        inside = start <= link.start and link.end <= start + len(found.subject)
        if inside and link.kind in {"page", "missing"} and defines_term(link.target):
            target = node_of_page(context, link.target)[0]
            if target not in seen:
                seen.add(target)
                reason = f"no page on {link.target} is in this knowledge base"
                yield EdgeClaim(
                    "mentions",
                    node,
                    target,
                    link.target,
                    context.passage_ids[place],
                    link.start,
                    link.end,
                    reason,
                )
