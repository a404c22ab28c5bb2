"""Extracts outcomes: what is so, or must, may or cannot be done, on a condition ("if A then B").

`conditions` finds the conditional statements of a text. Here their subjects are found, and what
they are exceptions to, from the sentences, list items, table rows and headings around them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from graphs.writing.page_claims import EdgeClaim, PageClaims, PageNode
from kb.knowledge.outcomes.conditions import (
    CONDITIONAL,
    EXPLANATION,
    OPENING,
    QUESTION_END,
    Clause,
    Modality,
    Sentence,
    bracketed_conditions,
    clauses,
    modality_of,
    sentences,
)
from kb.knowledge.outcomes.english_conditions import (
    english_sentences_with_statements,
    is_english_exception,
)
from kb.knowledge.page_subject import node_of_page
from kb.knowledge.prepared_page import PageContext
from kb.knowledge.printed_cards import boxes, details_table
from kb.knowledge.rulings import mentions, names_term, rulings
from scraper import Passage

_STATING_KINDS = frozenset(
    {"paragraph", "item", "row", "pre", "entry", "gloss", "quote", "footnote", "note", "example"}
)
# Of list items above a passage that may name its topic; a guard: PukiWiki has three levels, and in
# hostile markup nested passages could go on without end.
_LIST_LEVELS = 12
# Passages between 前者 and the pair that it refers to. By hand: farther up, a quoted pair is
# hardly the one that is meant.
_PAIR_DISTANCE = 4
# In the patterns below, a subject has 30 to 60 characters at most: by hand, longer ones are
# clauses, and the bounds keep the time from growing with the square of a sentence.
# Words that are no name of a subject.
_NO_NAME = re.compile(
    r"^(?:そう(?!で)|[そこ]こ(?!にあ)|(?:いずれ|どれ|どちら)(?!か[の1１])|誰|何|同じ|その(?:後|時(?![限間])|際|場合|ターン)|この後|次)|"
    r"(?:の|とき|(?<!同)時|場合|(?<!最)後|あと|(?<![期時空])間|中|(?<![名手])前|(?<!追加)ターン|際|部分だけ|時点|"
    r"に(?:おい|あたっ|関し|つい|対し)?て?|て|で|と|まで|必ず|しか|へ|より|また|および|及び|かつ|"
    r"もしくは|または|ように|ため|も|かどうか|するか|■[をにではがもやの]|を■+)$"
)
# Conditions on something other than the subject.
_INCIDENTAL = re.compile(
    r"^(?:相手|対戦相手|あなた|自分|プレイヤー[１1]人)(?:の[^の]{1,8})?が|が(?:[^、]{0,12}枚(?:以|未|あ|な|だ|の|し|$)|空[のだで]|無い|無く|な[いく])|"
    r"公開された"
)
# A list item that only names a topic; the end of an item that is a sentence.
_TOPIC_ITEM = re.compile(r"([^。、\n\d][^。、\n]{0,40}?)(?:について)?[。:：]?")
_PREDICATE = re.compile(r"(?:[るたいうくすつむだん]|ます|です)[。.]?$")
_INDEFINITE = re.compile("ある|1人の|１人の|いずれかの|何らかの")
_TOPIC_HEADING = re.compile(r"\d[\d.\-]*[a-z]?[\s　]+(.{1,60})|(.{1,60})について")
_NO_TOPIC = r"(?<!また)(?<!もしく)(?<!あるい)"  # または is no topic
_TOPIC = re.compile(
    rf"([^、]{{1,60}}?){_NO_TOPIC}(?:(?<!こ)とは(?!扱|み?な[さらす]|見な|限|言え)|は)、?"
    r"(?!ない|なく|でき|ず|(?<=ことは)あり|(?<=とは)(?:扱|み?な[さらす]|見な|限|言え))"
)
_FURTHER_TOPIC = re.compile(
    rf"(?:[^、は]*、)+([^、]{{1,60}}?){_NO_TOPIC}は、?(?!ない|なく|でき|ず)"
)
_LATER_TOPIC = re.compile(rf".*、([^、]{{1,40}}?){_NO_TOPIC}は[^、]*$")
_TOPIC_BEHIND_CONDITION = re.compile(
    rf".*(?:場合|とき|時|際|たら|れば|なら)(?:に?は)?、([^、]{{1,40}}?){_NO_TOPIC}は(?!ない|なく|でき|ず)"
)
_AGENT = re.compile(r"(その[^、]{1,20}?|プレイヤー|あなた|相手|自分)が")
# What does the result: it may be neither a topic nor a person.
_DOER = re.compile(
    r"(?:[^、がはで]{1,30}?を)??"
    r"((?:(?:また|もしく|あるい)は|まで|を[^、がはをで]{1,20}[るたうくすつむぶぬ](?=[一-鿿ァ-ヺ]|こと|もの)"
    r"|[^、がはをで]){1,40}?)"
    r"(?:のほう)?が(?!(?:ある|あれ|あり|な[いくけ]|存在|可能|必要|でき)|[^、]{0,10}ために)"
    # それがプレイされた時点: a relative clause
    r"(?![^、をにで]{1,12}?(?<!ま)[たるつうくぐむぶぬ][一-鿿ァ-ヺ])"
)
_EXISTENCE = re.compile(rf"([^、]{{1,60}}?){_NO_TOPIC}(?:(?<=■)とは|は|が(?:存在する|ある))")
# What the result says to be there, to be needed, or never to do something (なくなることはない).
_THERE = re.compile(
    r"(?:[^、]{1,40}?(?:に|の(?:ため|際)に)は)?([^、はが]{1,60}?)(?<!必要)が"
    r"(?:存在し?[てすま]|ある$|あります|書かれて|必要(?!が)|可能|[^、はが]{1,20}ことは(?:ない|無い|ありません))"
)
# What meets a condition.
_MEETS = re.compile(
    r"(?:[^、]{1,80}ても、)?(?:[^、]{1,60}(?:において|では|場合|中|の間|時|とき|際し?)は?、)?([^、]{1,60}?)"
    r"(?:が|を持つ(?=場合|とき|時|間|限り|なら))、?"
)
_TWO_MEET = re.compile("が.*、.*が", re.DOTALL)
_FORMER_OR_LATTER = re.compile("前者|後者")
_QUOTED_PAIR = re.compile("「([^「」]{1,60})」(?:と|や|、)「([^「」]{1,60})」")
_DATE = re.compile(r"[(（][^()（）]{4,20}[)）]。?$")
_ADVERB = re.compile(
    r"(?:実際に?は?|通常(?!の)は?|基本的に|原則として|特に|新しく|新たに|すでに|既に|現在|これ以降|例えば|なお|また(?!は)|さらに|まず|次に|続いて|もし|一度|再度|再び|同時に|それぞれ|または|[①-⑳•●○◦▪➢¨\s]|、)+(?!の)"
)
# Those of them that belong to a verb: in 新しく追放されたカード they are a part of the name.
_OF_VERB = re.compile("実際に|新しく|新たに|すでに|既に|一度|再度|再び|同時に")
_ADVERBIAL = re.compile(
    r"(?:において|に対して|に関して|に応じて|によって|により|よりも前に|過程で|段階で|場合(?!の)|仮に|たとえ"
    r"|ても(?!よ|良|い|か)|に(?!ある|いる|ない|なる|よ[りっる])|(?<=ゲーム)で)[はも]?|\s[–—-]\s"
)
_VERB_BEFORE_NOUN = re.compile(
    r"(?:[るたいうくすつむぶぐぬだな]|べき)(?=[一-鿿ァ-ヺ■□A-Za-z]|もの|すべて|それ|あらゆる)"
)
_OBJECT = re.compile(
    r"(?:代わりに)?([^、]{1,60}?)を(?!行[うわ]|除|[^を、]{0,10}ずに|[^、]*かどうか)"
)
# What the result is done to, if somebody has to do it; what stands in it that may be its subject.
_DONE_TO = re.compile(
    r"を(?![^、を]{0,8}(?:失|得|持|受け|含|意味|参照|指す|発生|生み出))(?!.*(?:を|される|られる))"
)
_IMPERSONAL = re.compile(
    "(?:[へに](?:[進移]行(?:する|します)|進(?:む|みます))|に従(?:う|います)|と呼(?:ぶ|びます))$"
)
_NAMES_ANOTHER = re.compile(r"[^、]*(?<![たしでに])[がは](?!でき)")
_PERSON = re.compile("プレイヤー|対戦相手|相手|自分|あなた|チーム|コントローラー|オーナー")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A conditional statement: passages[place].text[start:end], with its parts in the page's words.

    place: the index of the passage.
    start, end: the span of the condition and the result together.
    subject: what the statement is about; may be empty.
    condition, result, modality: what is so, must, may or cannot be done, and under what condition.
    exception_to: what the outcome is an exception to: the number of another outcome of the page,
        counted from 0, or the words of a sentence that states no outcome; None if to nothing.
    subject_place: the index of the passage that names the subject, if that is another passage.
    card: the name of the card that it is printed on; None if it is not on a card.
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
    card: str | None = None


class _Subject(NamedTuple):
    """What a passage or a clause in it is about, in the page's words.

    words: the words; empty if there are none.
    place: the index of the passage that contains them; None for the passage itself.
    """

    words: str
    place: int | None


_NO_SUBJECT = _Subject("", None)


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What a passage has around it.

    topic: what the passage is about, by the list, card or heading above it.
    overrides: whether the topic comes from a list or a card: then it takes precedence over the
        topics of the passage's own sentences.
    in_rulebook: whether only the sentence itself may name its subject: what stands in a section of
        a rulebook is hardly ever about its heading.
    nested: whether the passage belongs to another one.
    preceding: the number of the last outcome of that passage, or else of the passage before;
        None if there is none.
    """

    topic: _Subject
    overrides: bool
    in_rulebook: bool
    nested: bool
    preceding: int | None


def outcomes(
    passages: Sequence[Passage], lang: str = "ja", game: str | None = None
) -> Iterator[Outcome]:
    """Yield the conditional statements in a page's passages, in order; in a passage by sentences.
    Their spans may overlap, as one condition may have several results.

    Each is about passages[place].text[start:end]. An int in `exception_to` counts the outcomes
    that have been yielded, from 0; a str there is the sentence that the outcome is an exception
    to, if that states no outcome; None if it is no exception.

    passages: all passages of the page: those around a passage may give its subject.
    lang: the language of the page: `ja`; texts in any other are read as English.
    game: the game of the page, by whose form the boxes of cards are found; none without it.
        What is printed on a card is about the card.

    >>> page = [Passage("paragraph", "山札がない場合、プレイヤーはカードを引けない。")]
    >>> [(o.subject, o.condition, o.result, o.modality) for o in outcomes(page)]
    [('プレイヤー', '山札がない場合', 'プレイヤーはカードを引けない', 'cannot')]
    """
    cards = _printed_on_cards(passages, game)
    last_numbers: dict[int, int] = {}  # by place: the number of a passage's last outcome
    number, title, heading = 0, -1, -1
    is_rulebook = any(passage.rule for passage in passages)
    in_tables = {outcome.place: outcome for outcome in _table_outcomes(passages)}
    for place, passage in enumerate(passages):
        if passage.kind == "title" or (passage.kind == "heading" and title < 0):
            title = heading = place
        elif passage.kind == "heading":
            heading = place
        if place in in_tables:
            yield in_tables[place]
            number += 1
            continue
        if passage.kind not in _STATING_KINDS or not CONDITIONAL.search(passage.text):
            continue
        card = cards.get(place)
        topic_above = card or _topic_above(passages, place)
        surroundings = _Surroundings(
            topic=topic_above
            or (_NO_SUBJECT if is_rulebook else _heading_topic(passages, title, heading)),
            overrides=topic_above is not None and (card is not None or not is_rulebook),
            in_rulebook=is_rulebook,
            nested=passage.parent is not None,
            preceding=last_numbers.get(place - 1 if passage.parent is None else passage.parent),
        )
        read = _passage_outcomes if lang == "ja" else _english_outcomes
        for outcome in read(passage.text, place, surroundings, number):
            last_numbers[place] = number
            number += 1
            yield replace(outcome, card=card.words) if card else outcome


def _printed_on_cards(passages: Sequence[Passage], game: str | None) -> dict[int, _Subject]:
    """Return the cards whose text passages of a page contain, by the passages' indices; none if the
    game is not known. Of two cards in one passage the last counts."""
    table = details_table(passages) if game else None
    shown = [*boxes(game, passages), *([table] if table else [])]
    return {
        place: _Subject(face.name.label, face.named.place if face.named.place != place else None)
        for box in shown
        for face in box.faces
        for place in face.texts
    }


def _topic_above(passages: Sequence[Passage], place: int) -> _Subject | None:
    """Return what a list or a quoted pair above a passage says it is about; None if none does.

    They are tried in this order; the first that gives a subject counts.

    passages: all passages of the page.
    place: the index of the passage in them.
    """
    return _list_topic(passages, place) or _former_or_latter(passages, place)


def _list_topic(passages: Sequence[Passage], place: int) -> _Subject | None:
    """Return the topic of a sub-item: the nearest list item above it that only names a topic.

    Such an item is short, has no comma or inner full stop, doesn't begin with a digit and doesn't
    end in a predicate. について at its end is left out. None if no item above, up to 12 levels, is
    one.

    passages: all passages of the page.
    place: the index in them of any passage, a sub-item or not.
    """
    parent = passages[place].parent
    for _ in range(_LIST_LEVELS):
        if parent is None:
            break
        text = passages[parent].text
        if (match := _TOPIC_ITEM.fullmatch(text)) and not _PREDICATE.search(text):
            return _Subject(match[1], parent)
        parent = passages[parent].parent
    return None


def _former_or_latter(passages: Sequence[Passage], place: int) -> _Subject | None:
    """Return what 前者 or 後者 at the beginning of the passage before means: the first or the
    second of a quoted pair in the nearest of the four passages before that; None without a pair.

    place: the index of the passage behind the one that begins with 前者 or 後者.
    """
    word = _FORMER_OR_LATTER.match(passages[place - 1].text) if place else None
    if word is None:
        return None
    for above in range(place - 2, max(-1, place - 2 - _PAIR_DISTANCE), -1):
        if quoted := _QUOTED_PAIR.search(passages[above].text):
            return _Subject(quoted[1 if word[0] == "前者" else 2], above)
    return None


def _heading_topic(passages: Sequence[Passage], title: int, heading: int) -> _Subject:
    """Return what a passage is about: what its heading says behind a number (`3 手札`) or before
    について, or else the title of its page up to a slash; no words if there is no title.

    title, heading: the indices of the two; negative if there is none.
    """
    if heading >= 0 and (match := _TOPIC_HEADING.fullmatch(passages[heading].text)):
        return _Subject(match[1] or match[2], heading)
    if title >= 0:
        return _Subject(passages[title].text.partition("/")[0], title)
    return _NO_SUBJECT


def _table_outcomes(passages: Sequence[Passage]) -> Iterator[Outcome]:
    """Yield the outcomes of rulings whose answer is a table: the question gives the condition, a
    row gives the subject and the result.

    Rulings without a condition in the first line of the question are skipped, and so are header
    rows, rows of one cell and results that don't end in a predicate. The subject is the first cell;
    the result is the first line of the second, without a date at its end.

    passages: all passages of the page. `place` of an outcome is an index into them.
    """
    for ruling in rulings(passages):
        condition = _first_condition(ruling.question.partition("\n")[0])
        rows = [place for place in ruling.answers if passages[place].kind == "row"]
        for place in rows if condition else ():
            subject, tab, rest = passages[place].text.partition("\t")
            if not tab or passages[place].head:
                continue
            result = _DATE.sub("", rest.partition("\t")[0].partition("\n")[0]).strip()
            if _PREDICATE.search(result):
                start = len(subject) + 1
                yield Outcome(
                    place=place,
                    start=start,
                    end=start + len(result),
                    subject=subject,
                    condition=condition,
                    result=result,
                    modality=modality_of(result),
                )


def _first_condition(text: str) -> str:
    """Return the words of the first condition with a result in a Japanese text, the word that makes
    it one included; empty if there is none."""
    for sentence in sentences(text):
        for clause in clauses(sentence, 0, None):
            return text[slice(*clause.condition)]
    return ""


def _passage_outcomes(
    text: str, place: int, surroundings: _Surroundings, number: int
) -> Iterator[Outcome]:
    """Yield the outcomes of one Japanese passage, in order; questions and sentences that only
    explain another (これは…) have none.

    text, place: the passage's text and its index.
    surroundings: those of the passage. Their `preceding`, unless None, is what the first
        sentence may be an exception to.
    number: the number of the passage's first outcome: how many the page has before it.
    """
    # What the next sentence may be an exception to: an outcome's number, or a sentence's words.
    preceding: int | str | None = surroundings.preceding
    has_item_outcome = surroundings.nested and surroundings.preceding is not None
    exception_to: int | str | None = None
    condition: tuple[int, int] | None = None  # the last one of the sentence before
    topic = ""  # of the sentences so far
    for sentence in sentences(text):
        opening = OPENING.match(sentence.masked)
        start = opening.end() if opening else 0
        if opening and opening["exception"]:
            exception_to = preceding
        elif not (opening and opening["more"]):
            exception_to = None
        inherited = condition if opening and opening["then"] else None
        condition = None
        # A sub-item may be an exception to its item, until it has an outcome of its own.
        if not has_item_outcome or preceding != surroundings.preceding:
            preceding = text[sentence.start : sentence.end]
        body = sentence.masked[start:]
        if QUESTION_END.search(body) or EXPLANATION.match(body):
            continue
        sentence_topic = _sentence_topic(text, sentence, start)
        if not inherited and not CONDITIONAL.search(body):
            topic = sentence_topic or topic
            continue
        first_number = number
        for main, clause in _all_clauses(text, sentence, start, inherited):
            subject = _clause_subject(text, sentence, start, main, surroundings, topic)
            topic = topic or (subject.words if subject.place is None else "")
            target = exception_to
            if target is None and clause.limits and number > first_number:
                target = number - 1
            yield _outcome(text, sentence, clause, place, subject, exception_to=target)
            condition, preceding = clause.condition, number
            number += 1
        topic = sentence_topic or topic


def _english_outcomes(
    text: str, place: int, surroundings: _Surroundings, number: int
) -> Iterator[Outcome]:
    """Yield the outcomes of one English passage, in order; a sentence that begins with `However` or
    the like is an exception to the outcome or sentence before. The parameters are as for
    `_passage_outcomes`."""
    preceding: int | str | None = surroundings.preceding
    for sentence, statements in english_sentences_with_statements(text):
        is_exception = is_english_exception(sentence)
        exception_to = preceding if is_exception else None
        preceding = text[sentence.start : sentence.end]
        for stated in statements:
            words = stated.subject or ("" if surroundings.in_rulebook else sentence.label)
            subject = _Subject(words, None) if words else surroundings.topic
            yield Outcome(
                place=place,
                start=min(stated.condition[0], stated.result[0]),
                end=max(stated.condition[1], stated.result[1]),
                subject=subject.words,
                condition=text[slice(*stated.condition)],
                result=text[slice(*stated.result)],
                modality=stated.modality,
                exception_to=exception_to,
                subject_place=subject.place,
            )
            preceding = number
            number += 1


def _sentence_topic(text: str, sentence: Sentence, start: int) -> str:
    """Return what a sentence is about, or what it says exists; empty if these words are no name.

    text: the text of the passage.
    start: where the statement begins, as an index into `sentence.masked`.
    """
    match = _EXISTENCE.match(sentence.masked[start:])
    statement_start = sentence.start + start
    words = text[statement_start : statement_start + match.end(1)] if match else ""
    return "" if _NO_NAME.search(words) else words


def _all_clauses(
    text: str, sentence: Sentence, start: int, inherited: tuple[int, int] | None
) -> Iterator[tuple[Clause, Clause]]:
    """Yield the clauses of a sentence that state an outcome, as (main clause, clause).

    The clause is the main clause itself, or has a condition in brackets within it. Both have the
    same subject.

    text: the text of the passage.
    start, inherited: as for `clauses`.
    """
    for main in clauses(sentence, start, inherited):
        for clause in (main, *bracketed_conditions(text, main)):
            yield main, clause


def _clause_subject(
    text: str,
    sentence: Sentence,
    start: int,
    clause: Clause,
    surroundings: _Surroundings,
    topic: str,
) -> _Subject:
    """Return what a clause is about. Its place is None if the passage itself says so.

    text: the text of the passage.
    start: where the statement begins, as an index into `sentence.masked`.
    surroundings: those of the passage. If their topic overrides, only a subject that begins with
        この and the sentence's label precede it; else it counts if there is no other.
    topic: that of the sentences before, which counts if the sentence itself has none.
    """
    words = _subject_in_sentence(text, sentence, start, clause, not surroundings.in_rulebook)
    if surroundings.overrides and not words.startswith("この"):
        words = sentence.label
    elif not (surroundings.overrides or surroundings.in_rulebook):
        words = words or sentence.label or topic
    return _Subject(words, None) if words else surroundings.topic


def _subject_in_sentence(
    text: str, sentence: Sentence, start: int, clause: Clause, loosely: bool
) -> str:
    """Return what a clause is about, in words of its sentence; empty if it does not say.

    It is the first of these: the topic of the result or of the sentence; what does the result; what
    meets the condition, where the result has no other subject and is nothing that a person has to
    do to something.

    text: the text of the passage.
    start: where the statement begins, as an index into `sentence.masked`.
    loosely: else what the result is done to, or what meets the condition in any case.
    """

    def name(pattern: re.Pattern[str], start: int, end: int) -> str:
        """Return the name that a pattern finds in a span of the text; empty if none.

        start, end: the span, as offsets in the text of the passage, not of the sentence.
        """
        return _match_name(pattern, text, sentence, start, end)

    condition, result = clause.condition, clause.result
    words = (
        name(_TOPIC, *result)
        or name(_TOPIC_BEHIND_CONDITION, *condition)
        or name(_TOPIC, sentence.start + start, condition[1])
        or name(_AGENT, *result)
        or name(_DOER, *result)
        or name(_THERE, *result)
    )
    if words:
        meets = name(_MEETS, *condition)
        refers_back = _INDEFINITE.match(meets) and words[:2] == "その" and meets.endswith(words[2:])
        is_meant = words in ("それ", "これ") and text[slice(*condition)].count("が") == 1
        return meets if meets and (refers_back or is_meant) else words
    if words := name(_FURTHER_TOPIC, *result):
        return words
    done = sentence.masked[result[0] - sentence.start : result[1] - sentence.start]
    meets = name(_MEETS, *condition)
    topic = "" if meets else name(_LATER_TOPIC, *condition)
    stated = text[slice(*condition)]
    is_other = _INCIDENTAL.search(stated)
    if loosely:
        meets = meets or topic
        return meets if meets and not is_other else name(_OBJECT, *result) or meets
    is_other = is_other or _NAMES_ANOTHER.match(done) or _IMPERSONAL.search(done)
    is_sure = (
        topic or _PERSON.search(meets) or not (_DONE_TO.search(done) or _TWO_MEET.search(stated))
    )
    return (meets or topic) if is_sure and not is_other else ""


def _match_name(
    pattern: re.Pattern[str], text: str, sentence: Sentence, start: int, end: int
) -> str:
    """Return the words of group 1 of a pattern that matches at the beginning of text[start:end],
    without adverbs before them; empty if they are no name.

    The pattern is matched against the sentence's `masked`; start and end are offsets in the text.
    """
    match = pattern.match(
        sentence.masked, max(0, start - sentence.start), max(0, end - sentence.start)
    )
    is_deed = pattern is _TOPIC and match and match[1].endswith("こと")
    if not match or (_NO_NAME.search(match[1]) and not is_deed):
        return ""
    name_start, name_end = match.span(1)
    name_start = _behind_adverbial(sentence.masked, name_start, name_end)
    adverb = _ADVERB.match(sentence.masked, name_start, name_end)
    if adverb and not (
        _OF_VERB.fullmatch(adverb[0])
        and _VERB_BEFORE_NOUN.search(sentence.masked, adverb.end(), name_end)
    ):
        name_start = adverb.end()
    if pattern is _MEETS and (topic := _TOPIC.match(sentence.masked, name_start, name_end)):
        name_end = topic.end(1)
    return text[sentence.start + name_start : sentence.start + name_end]


def _behind_adverbial(masked: str, start: int, end: int) -> int:
    """Return where a name begins in masked[start:end], behind phrases such as 手札において; `start`
    if there are none, or nothing follows them.

    What follows に begins the name unless a verb there makes a relative clause of it, as in
    場に出る駒.
    """
    for adverbial in _ADVERBIAL.finditer(masked, start, end):
        if adverbial.end() < end and not _VERB_BEFORE_NOUN.search(masked, adverbial.end(), end):
            start = adverbial.end()
    return start


def _outcome(
    text: str,
    sentence: Sentence,
    clause: Clause,
    place: int,
    subject: _Subject,
    exception_to: int | str | None,
) -> Outcome:
    """Return the outcome that a clause states. A topic is no part of the condition's words.

    text, place: the text of the passage and its index.
    subject: what the clause is about, as `_clause_subject` returns it.
    exception_to: as in `Outcome`: the number of an outcome, the words of a sentence, or None.
    """
    (condition_start, condition_end), (result_start, result_end) = clause.condition, clause.result
    words_start = condition_start
    if topic := _TOPIC.match(
        sentence.masked, condition_start - sentence.start, condition_end - sentence.start
    ):
        topic_end = sentence.start + topic.end()
        if topic_end < condition_end and not _NO_NAME.search(topic[1]):
            words_start = topic_end
    masked_start = max(0, result_start - sentence.start)
    return Outcome(
        place=place,
        start=min(condition_start, result_start),
        end=max(condition_end, result_end),
        subject=subject.words,
        condition=text[words_start:condition_end],
        result=text[result_start:result_end],
        modality=modality_of(sentence.masked[masked_start : result_end - sentence.start]),
        exception_to=exception_to,
        subject_place=subject.place,
    )


def extract(context: PageContext, claims: PageClaims) -> None:
    """Add a node for each outcome, with edges to the terms that its subject links to.

    Its id is that of its section with `~` and its number there, from 1; its text is the span of
    condition and result. The node's details are `subject`, `condition`, `result`, `modality` and
    `exception_to`: the id of another outcome's node, the words of a sentence, or None. What is
    printed on a card has the card's name as `card` as well.
    """
    page = context.page
    counts: Counter[int] = Counter()  # of outcomes, by section
    ids: list[str] = []
    for outcome in outcomes(page.passages, page.lang, page.game):
        passage = page.passages[outcome.place]
        section_id = context.section_ids[passage.section]
        counts[passage.section] += 1
        exception_to = outcome.exception_to
        node = context.make_node(
            f"{section_id}~{counts[passage.section]}",
            "outcome",
            label=outcome.subject or None,
            text=passage.text[outcome.start : outcome.end],
            details={
                "subject": outcome.subject,
                "condition": outcome.condition,
                "result": outcome.result,
                "modality": outcome.modality,
                "exception_to": (
                    ids[exception_to] if isinstance(exception_to, int) else exception_to
                ),
                **({"card": outcome.card} if outcome.card else {}),
            },
        )
        ids.append(node.id)
        passage_id = context.passage_ids[outcome.place]
        claims.parts.append(PageNode(node, section_id, heading=passage_id))
        claims.edges += _subject_mentions(context, node.id, outcome)


def _subject_mentions(context: PageContext, node: str, outcome: Outcome) -> Iterator[EdgeClaim]:
    """Return edges to the terms that the words of an outcome's subject link to, each once.

    node: the id of the outcome.

    Only links inside the subject to pages on concepts count, whether or not there is such a page.
    There are none if the outcome has no subject, or the subject is not found in the text of its
    passage.
    """
    if not outcome.subject:
        return iter(())
    is_elsewhere = outcome.subject_place is not None
    place = outcome.place if outcome.subject_place is None else outcome.subject_place
    passage = context.page.passages[place]
    start = passage.text.find(outcome.subject, 0 if is_elsewhere else outcome.start)
    if start < 0:
        return iter(())
    end = start + len(outcome.subject)
    targets = (
        (node_of_page(context, link.target).node, link.target, link.start, link.end)
        for link in passage.links
        if start <= link.start and link.end <= end and names_term(link)
    )
    return mentions(context, node, place, targets)
