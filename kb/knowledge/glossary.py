"""Extracts terms from the glossary of a rulebook: its entries with their glosses, and the names
that the head of an entry has."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

from graphs.model import Label
from graphs.writing.page_claims import EdgeClaim, NodeClaim, PageClaims
from kb.knowledge import claim_ranks
from kb.knowledge.page_subject import qualified_label, term_id
from kb.knowledge.prepared_page import PageContext
from kb.language.citations.citation_grammar import is_citation, without_bracketed_citations
from kb.language.fold import fold, is_japanese
from kb.language.headwords import Headword, label_claims, labels_of, reads_as
from scraper import Passage
from scraper.rulebook.numbering import parent_number
from scraper.rulebook.part_headings import part_of_heading

_SEPARATORS = r"\s*[/／、,，;；]\s*"
_BULLET = re.compile(r"[■□◆◇●○◎▼▽▲△★☆※▪▸►‣◊・〇§]\s*|[＊*•#–—-]\s+")
_NUMBER = re.compile(
    r"(?:\d{1,3}(?:[.．\-－]\d{1,3})*[.．、:：)）]?|[(（]\d{1,3}[)）]|[①-⑳])\s*(?=\D)"
)
_SIGNS_BEHIND = " :：=＝|‐−–—―…‥→⇒-"
_ASKED = re.compile(r"(?:とは[?？]?|->)$")
_FULL_STOP = re.compile(r"(?<=\w)[.。．]$")
_EMPHASIS = re.compile(r"^[|\s]*(?:\*\*|__)?|(?:\*\*|__)(?=[:：.]?$)")
_ENCLOSED = re.compile(r"[【［\[〔〈《＜<]([^【】［］\[\]〔〕〈〉《》＜＞<>]+)[】］\]〕〉》＞>]")
_IN_BRACKETS = re.compile(r"(.*\S)\s*([(（【［\[〔])([^()（）【】［］\[\]〔〕]*)[)）】］\]〕]")
_GLOSS_NAMES = re.compile(r"[(（]([^()（）]{1,60})[)）]\s*")
_CJK = re.compile(r"[ぁ-ヺー㐀-鿿々〆]")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ0-9 '’“”\"\-–,.!?&/:+\[\]{}#]*")
_KANA = re.compile(r"[ぁ-ゖァ-ヺー・、，！？!?/／\s]+")
_HIRAGANA = re.compile(r"[ぁ-ゖー・、，！？!?/／\s]+")
_KANJI = re.compile(r"[㐀-鿿々〆]")
_QUOTED = re.compile(r"[“\"「『‘']([^“”\"「」『』]+)[”\"」』’']")
_SYMBOL_BEHIND = re.compile(r"(.*\w)\s+(?:\{[^{}]*\}|[^\w\s()（）])$")
_NOTE_BEHIND = re.compile(r"(?<=\S)\s*[(（][^()（）]*[)）]$")
_NOTE = re.compile(r"[:：。]|\.\s")
# At the beginning of names that are forms of one word, `Kicker, Kicked`. By hand: four would part
# `Tap, Tapped`, two join words that only begin alike.
_COMMON_LETTERS = 3
_MAX_NAMES = 5  # in one headword; by hand: more are parts of a sentence or a list
_LINES_OF_NAMES = 2  # at most, between a headword and its gloss: a reading and an English name


@dataclass(frozen=True, slots=True)
class GlossaryHead:
    """A headword of a glossary.

    headword: its parts.
    others: other names in the language of the glossary; other_english: in English, beside these.
    japanese: the Japanese name beside an English one.
    glosses_of_names: how many of the first glosses only give names.
    gloss_start: where the gloss after these begins behind names in parentheses; 0 if it has none.
    """

    headword: Headword
    others: tuple[str, ...] = ()
    other_english: tuple[str | None, ...] = ()
    japanese: str | None = None
    glosses_of_names: int = 0
    gloss_start: int = 0


def parse_heads(
    entries: Sequence[str], glosses: Sequence[Sequence[str]], lang: str = "ja"
) -> list[GlossaryHead]:
    """Parse the headwords of one glossary; any texts give as many results, in the same order.

    Two headwords with the same name are told apart by a qualifier: their English, or their
    reading. Where not each of them has another, they stay alike. A head that is a list of names,
    that is in quotation marks or has a symbol behind it, is called by the first of its names.

    entries: the headwords as they are printed, in order.
    glosses: the glosses of each, as many lists as there are entries (else ValueError), of which the
        first few may only give its names.
    lang: the language of the glossary.

    >>> [head] = parse_heads(["■裏向き（うらむき／Face Down）"], [[]])
    >>> head.headword
    Headword(label='裏向き', reading='うらむき', english='Face Down', qualifier=None, card=False)
    >>> [head] = parse_heads(["dry/dried card"], [[]], "en")
    >>> head.headword.label, head.others
    ('dry card', ('dried card',))
    """
    names = _strip_signs(entries)
    heads = [_parse(name, lang) for name in names]
    heads = _split_translations(heads, lang)
    named = [_with_names_of_glosses(head, g, lang) for head, g in zip(heads, glosses, strict=True)]
    plain = [GlossaryHead(head) for head in heads]
    # Names before the glosses are usual if one headword in three has them.
    usual = sum(name != head for name, head in zip(named, plain, strict=True)) * 3 >= len(heads)
    results = named if usual else plain
    known = {fold(head.label) for head in heads}
    heads = _distinguish([result.headword for result in results])
    parsed = []
    for result, head, texts in zip(results, heads, glosses, strict=True):
        names = _single_names(head.label, texts, known, lang)
        readings, english = (_as_many(each, len(names)) for each in (head.reading, head.english))
        head = replace(head, label=names[0], reading=readings[0], english=english[0])
        result = replace(result, headword=head, others=tuple(names[1:]), other_english=english[1:])
        parsed.append(_with_japanese(result, lang))
    return parsed


def _as_many(text: str | None, count: int) -> tuple[str | None, ...]:
    """Return what separators part of a reading or English name, if they are as many as the names of
    the headword; else all of it."""
    parts = tuple(re.split(_SEPARATORS, text)) if text and count > 1 else ()
    return parts if len(parts) == count else (text,)


def _with_japanese(head: GlossaryHead, lang: str) -> GlossaryHead:
    """Return a headword of an English glossary with its qualifier as `japanese` instead, if it has
    kana or kanji; any other headword as it is."""
    qualifier = head.headword.qualifier
    if lang != "en" or not qualifier or not _CJK.search(qualifier):
        return head
    return replace(head, headword=replace(head.headword, qualifier=None), japanese=qualifier)


def _strip_signs(entries: Sequence[str]) -> list[str]:
    """Return headwords, each in one line, without the signs that only mark them: bullets, emphasis,
    brackets around them, とは, a colon or dash at the end, and citations in brackets.

    Numbers and full stops are such signs only if more than half of the headwords have them. One of
    signs alone stays as it is.
    """
    names = [
        _EMPHASIS.sub("", _without(_BULLET, without_bracketed_citations(entry).strip()))
        for entry in entries
    ]
    if sum(_FULL_STOP.search(name) is not None for name in names) * 2 > len(names):
        names = [_FULL_STOP.sub("", name) for name in names]
    if sum(_NUMBER.match(name) is not None for name in names) * 2 > len(names):
        names = [_without(_NUMBER, name) for name in names]
    stripped = []
    for name, entry in zip(names, entries, strict=True):
        name = _ASKED.sub("", " ".join(name.split()).rstrip(_SIGNS_BEHIND))
        name = _EMPHASIS.sub("", name.rstrip())
        if enclosed := _ENCLOSED.match(name):
            name = enclosed[1] + name[enclosed.end() :]
        stripped.append(" ".join(name.split()) or entry.strip())
    return stripped


def _without(sign: re.Pattern[str], text: str) -> str:
    """Return a text without a sign that it begins with; the same if it begins with none."""
    match = sign.match(text)
    return text[match.end() :] if match else text


def _parse(name: str, lang: str) -> Headword:
    """Parse a headword with what it has in brackets at its end.

    That is a reading (of the label: `ひく(引く)` has the label 引く), names in another script, or
    (only in round brackets) one qualifier. A note in round brackets, with a colon, 。 or a full
    stop in it, is left out, and ends the parse. What is none of these stays in the label.
    """
    head = Headword(name)
    while match := _IN_BRACKETS.fullmatch(head.label):
        before, inside = match[1], match[3].strip()
        if _is_reading(before, inside):
            head = replace(head, label=before, reading=inside)
        elif _HIRAGANA.fullmatch(before) and _KANJI.search(inside) and reads_as(inside, before):
            head = replace(head, label=inside, reading=before)
        elif parsed := _parse_names(replace(head, label=before), inside, lang):
            head = parsed
        elif head.qualifier is None and inside and match[2] in "(（":
            qualifier = None if _NOTE.search(inside) else inside
            head = replace(head, label=before, qualifier=qualifier)
            if qualifier is None:
                break
        else:
            break
    return head


def _parse_names(head: Headword, inside: str, lang: str) -> Headword | None:
    """Return a headword with the reading and English that its parentheses hold, in either order,
    with a slash, comma or semicolon between them; None if they hold anything else, or a part that
    the headword has already."""
    for item in [inside] if _is_foreign(inside, lang) else re.split(_SEPARATORS, inside):
        if head.reading is None and _is_reading(head.label, item):
            head = replace(head, reading=item)
        elif head.english is None and _CJK.search(head.label) and _is_foreign(item, lang):
            head = replace(head, english=item)
        else:
            return None
    return head


def _is_foreign(text: str, lang: str) -> bool:
    """Whether a text of a glossary that is not English is a Latin letter with at least one more
    character, none but such letters, digits, spaces and marks (no round brackets), and no
    citation."""
    is_latin = lang != "en" and len(text) > 1 and _LATIN.fullmatch(text) is not None
    return is_latin and not is_citation(text)


def _is_reading(name: str, text: str) -> bool:
    """Whether a text is in kana alone, with signs and spaces, and may be how a name is read."""
    return _KANA.fullmatch(text) is not None and reads_as(name, text)


def _split_translations(heads: Sequence[Headword], lang: str) -> list[Headword]:
    """Split names that have their English, or reading, behind or before them.

    A slash always separates the two; white space, a colon or a dash if one headword in five has
    them so, as names have spaces of their own. English before brackets with the name in the
    glossary's language is swapped with it if more than half are so. In an English glossary nothing
    is split.
    """
    if lang == "en":
        return list(heads)
    by_slash = [_split_at(head, r"\s*[/／]\s*", lang) for head in heads]
    by_space = [_split_at(head, r"\s+[-–—―]\s+|\s*[:：]\s*|\s+", lang) for head in heads]
    is_usual = sum(split is not None for split in by_space) * 5 >= len(heads)
    latin_first = [_swap(head, lang) for head in heads]
    is_swapped = sum(swapped is not None for swapped in latin_first) * 2 > len(heads)
    return [
        _merged(
            slash or (space if is_usual else None) or (swapped if is_swapped else None) or head,
            lang,
        )
        for head, slash, space, swapped in zip(heads, by_slash, by_space, latin_first, strict=True)
    ]


def _merged(head: Headword, lang: str) -> Headword:
    """Return a headword with what its label still has in brackets, where it lacks that part."""
    inner = _parse(head.label, lang)
    return replace(
        head,
        label=inner.label,
        reading=head.reading or inner.reading,
        english=head.english or inner.english,
        qualifier=head.qualifier or inner.qualifier,
    )


def _split_at(head: Headword, separator: str, lang: str) -> Headword | None:
    """Split a name at the first separator between two scripts, and then what is left of it, until
    it has its English and its reading; None if there is no such separator among the first eight,
    which bound the time for a long line."""
    label = head.label
    for match in list(re.finditer(separator, label))[:8]:
        before, after = label[: match.start()].strip(), label[match.end() :].strip()
        if not before or not after:
            continue
        if head.english is None and _CJK.search(before) and _is_foreign(after, lang):
            head = replace(head, label=before, english=after)
            return _split_at(head, separator, lang) or head
        if head.english is None and _CJK.match(after) and _is_foreign(before, lang):
            head = replace(head, label=after, english=before)
            return _split_at(head, separator, lang) or head
        is_reading = _HIRAGANA.fullmatch(after) and _KANJI.search(before)
        if head.reading is None and is_reading and reads_as(before, after):
            return replace(head, label=before, reading=after)
    return None


def _swap(head: Headword, lang: str) -> Headword | None:
    """Return an English name with the name of the glossary's language behind it in parentheses the
    other way round; None for other headwords."""
    if head.qualifier and _is_foreign(head.label, lang) and _CJK.search(head.qualifier):
        swapped = Headword(head.qualifier, head.reading, head.label)
        return _split_at(swapped, r"\s*[/／、,，]\s*", lang) or swapped
    return None


def _with_names_of_glosses(head: Headword, glosses: Sequence[str], lang: str) -> GlossaryHead:
    """Return a headword with the names before its gloss: in lines of their own, or in parentheses.

    glosses: its glosses, perhaps none; the last one never gives only names. At most two do.
    """
    lines = 0
    for gloss in glosses[:-1][:_LINES_OF_NAMES]:
        text = gloss.strip()
        match = _GLOSS_NAMES.fullmatch(text)
        hiragana = _HIRAGANA.fullmatch(text) and _KANJI.search(head.label)
        if not match and not hiragana and not _is_foreign(text, lang):
            break
        named = _parse_names(head, match[1].strip() if match else text, lang)
        if named is None:
            break
        head, lines = named, lines + 1
    match = _GLOSS_NAMES.match(glosses[lines]) if glosses else None
    named = _parse_names(head, match[1].strip(), lang) if match else None
    start = match.end() if match and named else 0
    return GlossaryHead(named or head, glosses_of_names=lines, gloss_start=start)


def _distinguish(heads: Sequence[Headword]) -> list[Headword]:
    """Return the headwords in order, with a qualifier for those that have name and qualifier in
    common.

    The qualifier is their English, else their reading, if each has another one; a qualifier that
    they have stays.
    """
    places: dict[tuple[str, str], list[int]] = {}
    for n, head in enumerate(heads):
        places.setdefault((fold(head.label), fold(head.qualifier or "")), []).append(n)
    result = list(heads)
    for homonyms in places.values():
        for part in ("english", "reading"):
            values = [getattr(heads[n], part) for n in homonyms]
            if len(homonyms) > 1 and None not in values and len(set(values)) == len(values):
                for n, value in zip(homonyms, values, strict=True):
                    result[n] = replace(heads[n], qualifier=heads[n].qualifier or value)
                break
    return result


def _single_names(
    label: str, glosses: Sequence[str], known: Container[str], lang: str
) -> list[str]:
    """Return the single names in a headword, at most five, in order and each once, but for those
    that are headwords of their own; mostly the headword alone, and always if none is left.

    glosses: those of the headword; known: the folded names of all headwords.
    """
    quoted = _QUOTED.fullmatch(label)
    symbol = _SYMBOL_BEHIND.fullmatch(label)
    names = [quoted[1]] if quoted else [symbol[1]] if symbol else []
    names = names or _alternatives(label) or _listed(label, "".join(glosses[:1]), lang)
    names = [_NOTE_BEHIND.sub("", name) for name in names]
    of_folded = {fold(name): name for name in reversed(names[:_MAX_NAMES])}
    return [of_folded[key] for key in reversed(of_folded) if key and key not in known] or [label]


def _alternatives(label: str) -> list[str]:
    """Return the names that a slash separates, each with the words that they share; empty if there
    is no such slash, more than one word has some, or a part is no name.

    >>> _alternatives("is/was dry"), _alternatives("+1/+1 counter"), _alternatives("引く／引ける")
    (['is dry', 'was dry'], [], ['引く', '引ける'])
    """
    if re.search(r"\s[/／]\s", label) or is_japanese(label):
        parts = re.split(r"\s*[/／]\s*", label)
        return parts if len(parts) > 1 and all(_is_name(part) for part in parts) else []
    words = label.split()
    places = [n for n, word in enumerate(words) if "/" in word]
    if len(places) != 1:
        return []
    parts = words[places[0]].split("/")
    if not all(_is_name(part) for part in parts):
        return []
    return [" ".join([*words[: places[0]], part, *words[places[0] + 1 :]]) for part in parts]


def _is_name(text: str) -> bool:
    """Whether a part of a headword may be a name: two letters or a kanji, no number before them."""
    return re.match(r"[“”\"「『]?(?:[^\W\d]{2}|[一-鿿])", text) is not None


def _listed(label: str, gloss: str, lang: str) -> list[str]:
    """Return the names that commas separate; of an inverted name, the name in its usual order.

    English names are a list if they are forms of one word, and inverted if the gloss says so.

    >>> _listed("Kicker, Kicked", "", "en"), _listed("action, game", "A game action is…", "en")
    (['Kicker', 'Kicked'], ['game action'])
    """
    parts = [part for part in re.split(r"\s*[、，,]\s*", label) if part]
    if len(parts) < 2:
        return []
    names = [_QUOTED.sub(r"\1", part).strip('“”"「」') for part in parts]
    if not all(names):
        return []
    if lang != "en":
        return names if all(len(name) > 1 for name in names) else []
    if len({name[:_COMMON_LETTERS].casefold() for name in names}) == 1:
        return names
    inverted = f"{parts[1]} {parts[0]}"
    possessive = re.search(r"['’]s?$", parts[1])
    if len(parts) == 2 and (possessive or inverted.casefold() in gloss.casefold()):
        return [inverted]
    return []


_OLDER_NAME = re.compile(
    r"(?:An?|The) (?:obsolete|older|former) (?:term|name) for (?:an? |the )?(?P<name>[^.]{1,40}?)"
    r"(?: casual variant)?\."
)
_NUMBERED = re.compile(r"^(?:(\d{1,2})[.．、]|[(（](\d{1,2})[)）]|([①-⑳]))\s*")
_WORD = re.compile(r"[a-z]{4,}")  # shorter ones are mostly function words
_RULE_WORDS = frozenset(  # words of any gloss: two that share them need not be related
    "rule rules section that this those when which with from into".split()
)
_Sense = tuple[str | None, list[int]]  # a number or None, and the indices of glosses


def senses(label: str, glosses: Sequence[str]) -> list[_Sense]:
    """Return the senses of an entry of an English glossary, as (number, indices of its glosses), in
    the order of their first glosses; at least one.

    The number is that of the first gloss of the sense, in digits; None if the entry has only one,
    which then has all glosses.
    Numbered glosses belong to several senses if one is an action and another is not, or if they
    have no words in common: a zone and the cards in it do not justify two terms. A gloss without
    a number belongs to all senses.

    label: the entry's name.
    glosses: the texts of its glosses, in order, with their numbers, such as `1. `, `(1)` or `①`.

    >>> senses("Stack", ["1. To pile cards up.", "2. A place for spells.", "See rule 9."])
    [('1', [0, 2]), ('2', [1, 2])]
    >>> senses("Den", ["1. A place for beasts.", "2. All beasts in a den."])
    [(None, [0, 1])]
    """
    numbers = [_NUMBERED.match(gloss) for gloss in glosses]
    groups: list[list[int]] = []
    for index, number in enumerate(numbers):
        if number:
            gloss = glosses[index]
            related = (group for group in groups if _same_sense(label, glosses[group[0]], gloss))
            group = next(related, None)
            if group is None:
                groups.append(group := [])
            group.append(index)
    if len(groups) < 2:
        return [(None, list(range(len(glosses))))]
    unnumbered = [index for index, number in enumerate(numbers) if not number]
    return [(_number(glosses[group[0]]), sorted(group + unnumbered)) for group in groups]


def _number(gloss: str) -> str:
    """Return the number of a numbered gloss, in digits; empty if it has none."""
    match = _NUMBERED.match(gloss)
    return unicodedata.normalize("NFKC", match[match.lastindex or 0]) if match else ""


def _same_sense(label: str, gloss: str, later_gloss: str) -> bool:
    """Return whether two numbered glosses of an entry explain the same sense: both or neither are
    actions, and they share two words, or the later one contains the entry's name.

    Only words of four letters or more count, in any case, without common ones such as `rule`. The
    name must be a whole word of the later gloss; the earlier gloss need not contain it.

    label: the entry's name.
    """
    if is_action(gloss) != is_action(later_gloss):
        return False
    shared = set(_WORD.findall(gloss.casefold())) & set(_WORD.findall(later_gloss.casefold()))
    contains_name = re.search(rf"(?i)\b{re.escape(label)}\b", _NUMBERED.sub("", later_gloss))
    return contains_name is not None or len(shared - _RULE_WORDS) > 1


def is_action(gloss: str) -> bool:
    """Return whether an English gloss explains an action: whether it begins with `To `.

    >>> is_action("1. To pile cards up."), is_action("A place for spells.")
    (True, False)
    """
    return _NUMBERED.sub("", gloss).startswith("To ")


def extract(context: PageContext, claims: PageClaims) -> None:
    """Add a term for every entry of a rulebook's glossary, or for each sense of an entry that has
    several, which only English ones can have. Its text is the definition. Pages that are no
    rulebooks add nothing. Older names that an entry states are added, too.

    If several editions define a term, the newest describes it, and of its languages the Japanese;
    an edition that is not named by a date is older than all.
    """
    page = context.page
    if page.engine != "rulebook":
        return
    gloss_places = _gloss_places(page.passages)
    date = int(re.sub(r"\D", "", page.edition or "")[:8] or 0)  # of an edition named otherwise, 0
    # Of two languages of an edition the Japanese describes a term that both define.
    rank = context.rank(claim_ranks.RULEBOOK_GLOSSARY - 2 * date + (page.lang != "ja"))
    heads = parse_heads(
        [_without_number(page.passages[entry]) for entry in gloss_places],
        [[_without_number(page.passages[n]) for n in places] for places in gloss_places.values()],
        page.lang,
    )
    names = [head.headword for head in heads]
    current = {fold(name.label): name for name in names if not name.qualifier}
    for head, all_places in zip(heads, gloss_places.values(), strict=True):
        name, places = head.headword, all_places[head.glosses_of_names :]
        glosses = [_without_number(page.passages[place]) for place in places]
        _claim_older_name(context, claims, name, places[0], current)
        entry_senses: list[_Sense] = [(None, list(range(len(glosses))))]
        # Japanese and Chinese name an action otherwise than a thing (引く, ドロー), so that numbers
        # there part aspects of one sense; and English words are needed to compare glosses.
        if page.lang == "en":
            entry_senses = senses(name.label, glosses)
        for number, indices in entry_senses:
            sense_name = replace(name, qualifier=number) if number else name
            sense = replace(head, headword=sense_name)
            _claim_term(context, claims, sense, [places[index] for index in indices], rank)


def _gloss_places(passages: Sequence[Passage]) -> dict[int, list[int]]:
    """Return the places of the glosses of each entry of a rulebook, by the place of the entry, in
    the order of the book. Entries without a gloss are left out.

    In a glossary that is a chapter of rules, the headings below the chapter's are the entries, and
    their glosses the rules and paragraphs directly below them.
    """
    places: dict[int, list[int]] = defaultdict(list)
    chapter: str | None = None  # the number of a glossary's heading
    entry: tuple[int, str] | None = None  # the place and number of the last heading in it
    for place, passage in enumerate(passages):
        if passage.kind == "gloss" and passage.parent is not None:
            places[passage.parent].append(place)
        elif passage.kind == "heading" and part_of_heading(passage.text) == "glossary":
            chapter, entry = passage.rule.number if passage.rule else "", None
        elif chapter == "" and passage.rule and not passage.rule.number[0].isalpha():
            chapter = None  # what follows is no glossary in an appendix with a letter
        elif (
            chapter is not None
            and passage.rule
            and parent_number(passage.rule.number) == (chapter or passage.rule.number[0])
        ):
            entry = (place, passage.rule.number) if passage.kind == "heading" else None
        elif entry and _is_directly_below(passage, *entry):
            places[entry[0]].append(place)
    return places


def _is_directly_below(passage: Passage, place: int, number: str) -> bool:
    """Return whether a passage belongs to the heading of a rule: as a rule directly below it, or as
    a paragraph or list item of it.

    place, number: the place of the heading, and the number of its rule.
    """
    if passage.rule:
        return parent_number(passage.rule.number) == number
    return passage.parent == place and passage.kind != "example"


def _without_number(passage: Passage) -> str:
    """Return the text of a passage without the number of the rule that it states; all of it if it
    states none."""
    return passage.text[passage.rule.text_start :] if passage.rule else passage.text


def _claim_older_name(
    context: PageContext,
    claims: PageClaims,
    name: Headword,
    place: int,
    current: Mapping[str, Headword],
) -> None:
    """Add the name of an entry as an alias of another entry, if its gloss says in English that it
    is an older name for that; else nothing.

    place: the index of the passage with the entry's first gloss.
    current: the names of the entries without a qualifier, by their folded labels.
    """
    match = _OLDER_NAME.match(context.page.passages[place].text)
    current_name = current.get(fold(match["name"])) if match else None
    if current_name:
        alias = [Label(context.page.lang, name.label, "alias")]
        claims.labels += label_claims(
            term_id(context.game, current_name.label), alias, context.passage_ids[place]
        )


def _claim_term(
    context: PageContext, claims: PageClaims, head: GlossaryHead, places: list[int], rank: int
) -> None:
    """Add the term of one sense with its names, and an edge `defines` from each of its glosses.

    head: the entry's names; its qualifier is the number of the sense, if there are several.
    places: the indices of the passages with the glosses.
    rank: the rank of the claim; the lowest describes the term.
    """
    page, name = context.page, head.headword
    node_id = term_id(context.game, qualified_label(name))
    glosses = (_without_number(page.passages[place]) for place in places)
    text = "\n".join(glosses)[head.gloss_start :]
    node = context.make_node(node_id, "term", label=name.label, reading=name.reading, text=text)
    claims.nodes.append(NodeClaim(node, rank))
    labels = labels_of(name, page.lang)
    labels += [Label(page.lang, other, "alias") for other in head.others]
    labels += [Label("en", other, "alias") for other in head.other_english if other]
    labels += [Label("ja", head.japanese)] if head.japanese else []
    claims.labels += label_claims(node_id, labels, context.passage_ids[places[0]])
    for place in places:
        gloss = context.passage_ids[place]
        claims.edges.append(
            EdgeClaim(
                kind="defines",
                source=gloss,  # not the page, which would then connect all terms as a hub
                target=node_id,
                target_label=name.label,
                passage=gloss,
                start=0,
                end=len(page.passages[place].text),
            )
        )
