"""Parses the headwords of a glossary into labels, readings, English and further names.

A glossary prints more with a headword than a wiki: signs and numbers, readings, translations, and
several names of one thing. Which of them a headword has is decided for the whole glossary.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

from kb.language.citations.citation_grammar import is_citation, without_bracketed_citations
from kb.language.fold import fold, is_japanese
from kb.language.headwords import Headword, reads_as

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
_COMMON_LETTERS = 3  # at the beginning of names that are forms of one word
_MAX_NAMES = 5  # in one headword
_LINES_OF_NAMES = 2  # at most, between a headword and its gloss


@dataclass(frozen=True, slots=True)
class GlossaryHead:
    """A headword of a glossary.

    headword: its parts.
    others: other names in the language of the glossary.
    japanese: the Japanese name beside an English one.
    glosses_of_names: how many of the first glosses only give names.
    gloss_start: where the gloss after these begins behind names in parentheses; 0 if it has none.
    """

    headword: Headword
    others: tuple[str, ...] = ()
    japanese: str | None = None
    glosses_of_names: int = 0
    gloss_start: int = 0


def parse_heads(
    entries: Sequence[str], glosses: Sequence[Sequence[str]], lang: str = "ja"
) -> list[GlossaryHead]:
    """Parse the headwords of one glossary; any texts give as many results.

    Two headwords with the same name are told apart by a qualifier: their English, or their
    reading.

    entries: the headwords as they are printed, in order.
    glosses: the glosses of each, of which the first few may only give its names.
    lang: the language of the glossary.

    >>> [head] = parse_heads(["■裏向き（うらむき／Face Down）"], [[]])
    >>> head.headword
    Headword(label='裏向き', reading='うらむき', english='Face Down', qualifier=None, card=False)
    >>> parse_heads(["dry/dried card"], [[]], "en")[0].others
    ('dry card', 'dried card')
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
    return [
        _with_japanese(
            replace(
                result,
                headword=head,
                others=tuple(_other_names(head.label, texts, known, lang)),
            ),
            lang,
        )
        for result, head, texts in zip(results, heads, glosses, strict=True)
    ]


def _with_japanese(head: GlossaryHead, lang: str) -> GlossaryHead:
    """Return a headword of an English glossary with its qualifier as a name if it is Japanese."""
    qualifier = head.headword.qualifier
    if lang != "en" or not qualifier or not _CJK.search(qualifier):
        return head
    return replace(head, headword=replace(head.headword, qualifier=None), japanese=qualifier)


def _strip_signs(entries: Sequence[str]) -> list[str]:
    """Return headwords without the signs that only mark them.

    Numbers and full stops are such signs only if most headwords have them.
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
    """Return a text without a sign that it begins with."""
    match = sign.match(text)
    return text[match.end() :] if match else text


def _parse(name: str, lang: str) -> Headword:
    """Parse a headword with what it has in brackets at its end.

    That is a reading, a name in another script, or (only in round brackets) a qualifier; a note of
    several words with punctuation is left out.
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
    """Return a headword with the reading and English that its parentheses hold; None if they hold
    anything else."""
    for item in [inside] if _is_foreign(inside, lang) else re.split(r"\s*[/／、,，;；]\s*", inside):
        if head.reading is None and _is_reading(head.label, item):
            head = replace(head, reading=item)
        elif head.english is None and _CJK.search(head.label) and _is_foreign(item, lang):
            head = replace(head, english=item)
        else:
            return None
    return head


def _is_foreign(text: str, lang: str) -> bool:
    """Whether a text is a name in Latin letters, in a glossary of another script."""
    is_latin = lang != "en" and len(text) > 1 and _LATIN.fullmatch(text) is not None
    return is_latin and not is_citation(text)


def _is_reading(name: str, text: str) -> bool:
    """Whether a text in kana may be how a name is read."""
    return _KANA.fullmatch(text) is not None and reads_as(name, text)


def _split_translations(heads: Sequence[Headword], lang: str) -> list[Headword]:
    """Split names that have their English, or reading, behind or before them.

    A slash always separates the two; white space or a dash if one headword in five has them so.
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
    """Return a headword with what its label still has in brackets."""
    inner = _parse(head.label, lang)
    return replace(
        head,
        label=inner.label,
        reading=head.reading or inner.reading,
        english=head.english or inner.english,
        qualifier=head.qualifier or inner.qualifier,
    )


def _split_at(head: Headword, separator: str, lang: str) -> Headword | None:
    """Split a name at the first or last separator between two scripts; None if there is none."""
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

    glosses: its glosses; the last one never gives only names.
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
    """Return the headwords with a qualifier for those that have a name in common.

    The qualifier is their English, else their reading, if each has another one.
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


def _other_names(label: str, glosses: Sequence[str], known: Container[str], lang: str) -> list[str]:
    """Return the single names in a headword, without those that are headwords of their own.

    glosses: those of the headword; known: the folded names of all headwords.
    """
    quoted = _QUOTED.fullmatch(label)
    symbol = _SYMBOL_BEHIND.fullmatch(label)
    names = [quoted[1]] if quoted else [symbol[1]] if symbol else []
    names = names or _alternatives(label) or _listed(label, "".join(glosses[:1]), lang)
    names = [_NOTE_BEHIND.sub("", name) for name in names]
    seen = {fold(label)}
    others = []
    for name in names[:_MAX_NAMES]:
        folded = fold(name)
        if folded and folded not in seen and folded not in known:
            seen.add(folded)
            others.append(name)
    return others


def _alternatives(label: str) -> list[str]:
    """Return the names that a slash separates, each with the words that they share.

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
