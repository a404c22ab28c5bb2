"""Parses the boxes in which pages show what is printed on cards, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import groupby, pairwise, takewhile
from typing import NamedTuple

from kb.language.fold import plain
from kb.language.headwords import Headword, parse_headword, split_reading
from scraper import Passage

# The patterns. Each is matched against one whole line; its groups are fields of the card.
# Characters; a longer line is only text. A guard of the patterns' time, as are the counts in them:
# names have 141 characters at most, types and values far fewer.
_LONGEST_LINE = 200

_GAP = r"[ \u3000\t]{1,4}"
_CIVILIZATION = (
    r"(?:光|水|闇|火|自然|ゼロ)(?:[/／・](?:光|水|闇|火|自然)){0,4}文明"
    r"|無色(?:[(（][^()（）]{1,8}[)）])?"
)
_DM_NAME_LINE = re.compile(
    rf"(?P<name>\S.{{0,80}}?){_GAP}"
    rf"(?:(?P<rarity>[A-Z][A-Za-z0-9+]{{0,5}}(?:[(（][A-Za-z]{{1,5}}[)）])?|なし|[-−―－]){_GAP})?"
    rf"(?P<civilization>{_CIVILIZATION})[ \u3000]{{0,4}}"
    r"[(（](?P<cost>[0-9０-９]{1,4}|[∞X?？-])[)）]"
)
_DM_TYPE_LINE = re.compile(
    r"(?P<type>[^\s：:。、「」]{1,30})(?:[：:](?P<race>[^。、「」]{1,80}?))?"
    rf"(?:{_GAP}(?P<power>[+＋−－-]?[0-9０-９]{{1,7}}[+＋−－-]?|∞|[?？]{{1,3}}))?"
)
_DM_ABILITY = re.compile(r"■?(?P<ability>[^\s■。、：:「」『』《》⇒()（）を]{1,20})")
_REMINDER = re.compile(r"[(（][^()（）]{6,300}[)）]$")

# † is the link to the anchor of a heading.
_YGO_NAME_LINE = re.compile(r"(?P<name>《[^《》]{1,80}》)(?:\s?†)?")
_YGO_TYPE_LINE = re.compile(
    r"(?P<type>[^\s()（）/／：:。、]{0,30}(?:モンスター|トークン)"
    r"|(?:通常|速攻|永続|装備|フィールド|儀式)魔法|(?:通常|永続|カウンター)罠)"
    r"\s?(?:[(（](?P<limit>[^()（）]{1,20})[)）])?"
)
_YGO_VALUES = tuple(map(re.compile, (
    r"(?P<level>(?:[星★☆]|レベル)(?:\d{1,2}|[?？]))", r"(?P<rank>ランク(?:\d{1,2}|[?？]))",
    r"(?:リンク|LINK[-−－]?)(?P<link>\d)", r"(?P<attribute>\S{1,3}属性)",
    r"(?P<race>\S{1,12}族)", r"攻(?:撃力)?\s{0,4}(?P<atk>\d{1,5}|[?？X])",
    r"守(?:備力)?\s{0,4}(?P<def>\d{1,5}|[?？X])",
)))  # fmt: skip
_YGO_BRACKETED_VALUES = tuple(map(re.compile, (
    r"【[PＰ]スケール[：:](?P<scale>青\d{1,2}[/／]赤\d{1,2})】",
    r"【(?:LINK|リンク)[-−－]?(?P<link>\d)[：:](?P<markers>[^【】]{1,40})】",
    r"【リンクマーカー[：:](?P<markers>[^【】]{1,40})】",
)))  # fmt: skip
# In the first sentence of the wiki's own article.
_YGO_ARTICLE = re.compile(r"で(?:先行)?登場(?:した|する)")

_MANA = r"[(（](?:[0-9０-９XYZＸＹＺ]{1,3}|[白青黒赤緑◇氷Φ0-9０-９/／PＰ]{1,5})[)）]"
_MTG_NAME_LINE = re.compile(
    r"(?:(?P<english>[A-Za-zÀ-ɏ+\"“][^/／]{0,80}?)(?: ?[/／] ?(?P<name>[^/／]{1,60}?))?"
    rf"|(?P<alone>[^A-Za-z/／][^/／]{{0,60}}?)) ?(?P<mana_cost>(?:{_MANA}){{1,20}})?"
)
_MTG_KIND = (
    r"(?:クリーチャー|インスタント|ソーサリー|土地|アーティファクト|エンチャント|プレインズウォーカー"
    r"|部族|同族|バトル|次元|現象|計略|持続計略|策略|ヴァンガード|ダンジョン)"
)
_MTG_TYPE_LINE = re.compile(
    r"(?:〔[^〔〕]{1,12}〕 ?)?(?:(?:伝説の|基本|氷雪|ワールド・?|トークン・?) ?){0,4}"
    rf"{_MTG_KIND}(?:[・ ]?{_MTG_KIND}){{0,3}}(?: ?[—―─–-]{{1,2}} ?[^。]{{1,100}})?"
)
# Power and toughness; or loyalty or defense.
_MTG_STRENGTH = re.compile(
    r"(?P<pt>[\d*＊XＸ+-]{1,5}[/／][\d*＊XＸ+-]{1,5})|(?P<number>\d{1,2}|[XＸ])"
)
_MTG_ABILITY = re.compile(r"[^\s。：:「」()（）,、を]{2,12}")

# Rows of a table of details: those of fields, and the others.
_FIELD_ROWS = {"マナコスト": "mana_cost", "タイプ": "type", "Ｐ／Ｔ": "pt", "忠誠度": "loyalty",
               "オラクル": "oracle", "フレーバ": "flavor", "イラスト": "artist"}  # fmt: skip
_NAME_ROW, _TEXT_ROW, _EDITION_ROW = "カード名", "テキスト", "セット等"
_EDITION = re.compile(
    r"(?P<rarity>[^,、]{1,20})[,、]\s?(?P<set>[^()（）]{1,60}?)"
    r"(?:\s?[(（](?P<number>[^()（）]{1,12})[)）])?"
)

Fields = Mapping[str, str | list[str]]
_MutableFields = dict[str, str | list[str]]


class PassageSpan(NamedTuple):
    """A span of a passage's text. place: the index of the passage in the page."""

    place: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Face:
    """One face of a card: its names and what is printed on it.

    Passages are given by their indices in the page.

    name: its name, with reading and English where the page has them.
    place: the passage that its box begins with.
    named: where its name is.
    fields: what is printed on it beside the text, by name, such as `type`, `cost` or `power`.
    text: its rules text.
    texts: the passages that contain the text.
    """

    name: Headword
    place: int
    named: PassageSpan
    fields: Fields = field(default_factory=dict)
    text: str = ""
    texts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Box:
    """Faces that a page shows without a gap between them.

    faces: the faces, in order.
    is_one_card: whether all are faces of one card by the form of the box. The halves in a table
        are, while lines of a paragraph may give card after card.
    fields: what is printed on the card as a whole, by name.
    """

    faces: tuple[Face, ...]
    is_one_card: bool = True
    fields: Fields = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a passage, without the white space around it.

    place: the index of the passage.
    start: where the line begins in the passage's text.
    text: the line itself.
    block: the passage's block.
    """

    place: int
    start: int
    text: str
    block: int = 0


def boxes(game: str | None, passages: Sequence[Passage]) -> Iterator[Box]:
    """Return the boxes in which a wiki's page shows cards, in the order of the page; none if the
    wiki has no one game.

    game: the game of the wiki, such as `dm`, or None. Its wikis show cards in one form; for a game
        without a known form, the first form in which there is any box counts (Duel Masters,
        Yu-Gi-Oh!, Magic).
    passages: all passages of the page, headings included; the indices in the result are into them.

    >>> rows = ("霧の番人 R 水文明 (3)", "クリーチャー:リキッド 2000", "ブロッカー")
    >>> [box] = boxes("dm", [Passage("row", row) for row in rows])
    >>> box.faces[0].name.label, box.faces[0].fields["power"], box.faces[0].text
    ('霧の番人', '2000', 'ブロッカー')
    """
    if game is None:
        return iter(())
    if game in _BOX_READERS:
        return _BOX_READERS[game](passages)
    attempts = (list(read(passages)) for read in _BOX_READERS.values())
    return iter(next(filter(None, attempts), []))


def text_below_heading(passages: Sequence[Passage]) -> Face | None:
    """Return the card that the first heading names, with the text below it, for a page without
    a box; None if there is no such text, or if the heading has no 《 and so names no card.

    The text is what stands directly below the heading, if that is preformatted or a table of one
    column; it may be empty.

    passages: all passages of the page; the indices in the result are into them.

    >>> face = text_below_heading([Passage("heading", "《霧笛》"), Passage("pre", "引く。")])
    >>> face.text, face.texts
    ('引く。', (1,))
    """
    heading = next((n for n, passage in enumerate(passages) if passage.kind == "heading"), None)
    if heading is None or heading + 1 == len(passages) or "《" not in passages[heading].text:
        return None
    first = passages[heading + 1]
    places = takewhile(
        lambda n: (passages[n].kind, passages[n].block) == (first.kind, first.block),
        range(heading + 1, len(passages)),
    )
    lines = [line for place in places for line in _lines(place, passages[place])]
    if first.kind not in {"pre", "row"} or any("\t" in line.text for line in lines):
        return None
    name = passages[heading].text
    text, texts = _join_lines(lines)
    return Face(
        name=parse_headword(name),
        place=heading + 1,
        named=PassageSpan(heading, 0, len(name)),
        text=text,
        texts=texts,
    )


def _lines(place: int, passage: Passage) -> Iterator[_Line]:
    """Yield the lines of a passage, empty ones included: at least one.

    place: the index of the passage in the page.
    """
    start = 0
    for text in passage.text.split("\n"):
        indent = len(text) - len(text.lstrip())
        yield _Line(place, start + indent, text.strip(), passage.block)
        start += len(text) + 1


def _match_line(pattern: re.Pattern[str], line: str) -> re.Match[str] | None:
    """Match a pattern against a whole line; None if it does not match, or if the line is longer
    than 200 characters, which is too long for a part of a box."""
    return pattern.fullmatch(line) if len(line) <= _LONGEST_LINE else None


def _matched_fields(match: re.Match[str]) -> _MutableFields:
    """Return the named groups of a match that are not empty, as {name: text}."""
    return {key: value for key, value in match.groupdict().items() if value}


def _join_lines(lines: Sequence[_Line]) -> tuple[str, tuple[int, ...]]:
    """Return (the lines as one text, joined by line breaks; the indices of their passages, each
    once and in order). Empty lines are left out; without any other, the result is `("", ())`."""
    printed = [line for line in lines if line.text]
    text = "\n".join(line.text for line in printed)
    return text, tuple(dict.fromkeys(line.place for line in printed))


def _span(line: _Line, match: re.Match[str], group: str = "name") -> PassageSpan:
    """Return the span of a group of a match in a line's text, as a span of the passage.

    match: of a pattern with `line.text`.
    group: the name of a group that took part in the match.
    """
    return PassageSpan(line.place, line.start + match.start(group), line.start + match.end(group))


# -- Duel Masters: a table of one column, or the lines of a paragraph --------------------------


def _duel_masters_boxes(passages: Sequence[Passage]) -> Iterator[Box]:
    """Yield the boxes of a page on Duel Masters: a table of one column for a card, or a
    paragraph for any number of cards.

    All rows of a table are read together, with `is_one_card` true; so are the paragraphs of one
    block, into which a block of a text capture is split, with `is_one_card` false. Tables of
    several columns and passages of other kinds are skipped.
    """
    for (kind, _), group in groupby(enumerate(passages), key=_kind_and_table):
        numbered = list(group)
        if kind == "row":
            if not any("\t" in row.text for _, row in numbered):
                lines = [line for place, row in numbered for line in _lines(place, row)]
                yield from _dm_box(lines, passages, is_one_card=True)
        elif kind == "paragraph":
            for _, block in groupby(numbered, key=lambda item: item[1].block or -item[0]):
                lines = [line for place, part in block for line in _lines(place, part)]
                yield from _dm_box(lines, passages, is_one_card=False)


def _kind_and_table(numbered: tuple[int, Passage]) -> tuple[str, int]:
    """Return the key by which passages are grouped for reading: the rows of one table together.

    numbered: the index of a passage, and the passage. The key is (kind, block), with 0 as the
        block of anything but a row.
    """
    _, passage = numbered
    return passage.kind, passage.block if passage.kind == "row" else 0


def _dm_box(lines: list[_Line], passages: Sequence[Passage], is_one_card: bool) -> Iterator[Box]:
    """Yield the box with the faces in some lines, if there are any: one box or none. A face begins
    with two lines: name, civilization and cost; then type and power. It ends where the next one
    begins.

    passages: all passages of the page, for the readings of names.
    is_one_card: as in `Box`.
    """
    heads = [
        (first, name_match, type_match)
        for first in range(len(lines) - 1)
        if ("文明" in lines[first].text or "無色" in lines[first].text)
        and (name_match := _match_line(_DM_NAME_LINE, lines[first].text))
        and (type_match := _match_line(_DM_TYPE_LINE, lines[first + 1].text))
    ]
    ends = [first for first, _, _ in heads[1:]] + [len(lines)] * bool(heads)
    faces = [
        _dm_face(lines[first:end], name_match, type_match, passages)
        for (first, name_match, type_match), end in zip(heads, ends, strict=True)
    ]
    if faces:
        yield Box(tuple(faces), is_one_card)


def _dm_face(
    lines: list[_Line],
    name_match: re.Match[str],
    type_match: re.Match[str],
    passages: Sequence[Passage],
) -> Face:
    """Return the face in some lines, all of which belong to it.

    Its fields are `civilization`, `cost` and `type`, `rarity`, `race` and `power` if they are
    there, and `abilities`, a list, if a line of text consists of one. The text may be empty.

    name_match, type_match: the matches of the first and the second line; what follows is text.
    passages: all passages of the page, for the reading of the name.
    """
    text_lines = lines[2:]
    fields = _matched_fields(name_match) | _matched_fields(type_match)
    del fields["name"]
    if abilities := [ability for line in text_lines if (ability := _dm_ability(line.text))]:
        fields["abilities"] = abilities
    named = _span(lines[0], name_match)
    ruby = [
        (ruby.start - named.start, ruby.end - named.start, ruby.reading)
        for ruby in passages[named.place].ruby
        if named.start <= ruby.start and ruby.end <= named.end
    ]
    text, texts = _join_lines(text_lines)
    return Face(
        name=parse_headword(name_match["name"], ruby),
        place=named.place,
        named=named,
        fields=fields,
        text=text,
        texts=texts,
    )


def _dm_ability(line: str) -> str | None:
    """Return the keyword ability that a line consists of, without its reminder text; None if the
    line is anything else. Only its form counts: at most 20 characters without を or punctuation.

    >>> _dm_ability("■ブロッカー（かわりにこのクリーチャーをタップする）"), _dm_ability("引く。")
    ('ブロッカー', None)
    """
    match = _match_line(_DM_ABILITY, _without_reminder(line))
    return match["ability"] if match else None


def _without_reminder(line: str) -> str:
    """Return a line without the reminder text in parentheses at its end, of 6 to 300 characters: a
    shorter one is a value, a longer one no reminder. A line of more than 400 characters is returned
    as it is."""
    return _REMINDER.sub("", line).rstrip() if len(line) <= 2 * _LONGEST_LINE else line


# -- Yu-Gi-Oh!: lines below a heading, or below a line, that names the card --------------------


def _yugioh_boxes(passages: Sequence[Passage]) -> Iterator[Box]:
    """Yield the boxes of a page on Yu-Gi-Oh!, one for each card.

    Preformatted passages and paragraphs are read if they begin with a name in 《》, or if a heading
    or title names the card: for a paragraph the passage directly above it, for a preformatted
    passage the last heading. A heading counts until a card is found below it.
    """
    heading: int | None = None  # the last heading with a card's name whose box was not found yet
    for place, passage in enumerate(passages):
        if passage.kind in {"heading", "title"}:
            heading = place if _match_line(_YGO_NAME_LINE, passage.text.strip()) else None
        elif passage.kind in {"pre", "paragraph"}:
            # A page's box is preformatted, and an article's paragraphs are not the card's text.
            # But in captures the box is the paragraph directly below the heading.
            is_below = passage.kind == "pre" or heading == place - 1
            card_heading = heading if is_below else None
            if card_heading is not None or "《" in passage.text[:2]:
                for face in _ygo_faces(place, passages, card_heading):
                    heading = None
                    yield Box((face,))


def _ygo_faces(place: int, passages: Sequence[Passage], heading: int | None) -> Iterator[Face]:
    """Yield the cards in a passage, as faces, in order; none if no line is a type. Each is the
    lines from its type on, to the name of the next card; in a paragraph at most to the wiki's own
    article about the card.

    The heading's card is there only if the first line is a type; any other card only if the line
    below its name is one.

    place: the index of the passage.
    heading: the index of the heading that names the card of the first line; None if there is
        none. Other cards are named by the line above their type.
    """
    lines = list(_lines(place, passages[place]))
    starts: list[tuple[int, Headword, PassageSpan]] = []  # the line of the type; the name
    if heading is not None and _match_line(_YGO_TYPE_LINE, lines[0].text):
        text = passages[heading].text
        ruby = [(ruby.start, ruby.end, ruby.reading) for ruby in passages[heading].ruby]
        starts.append((0, parse_headword(text, ruby), PassageSpan(heading, 0, len(text))))
    for index, line in enumerate(lines[:-1]):
        match = _match_line(_YGO_NAME_LINE, line.text)
        if match and _match_line(_YGO_TYPE_LINE, lines[index + 1].text):
            starts.append((index + 1, parse_headword(match["name"]), _span(line, match)))
    ends = [start - 1 for start, _, _ in starts[1:]] + [len(lines)] * bool(starts)
    for (start, name, named), end in zip(starts, ends, strict=True):
        printed = lines[start:end]
        if passages[place].kind != "pre":  # the article may follow the box in the same paragraph
            printed = list(takewhile(lambda line: not _YGO_ARTICLE.search(line.text), printed))
        yield _ygo_face(name, named, printed)


def _ygo_face(name: Headword, named: PassageSpan, lines: list[_Line]) -> Face:
    """Return the card in some lines: the type, lines of values, and the text.

    Its fields are `type` and `limit` from the first line, and those that `_ygo_values` returns for
    the lines after it; the text begins with the first line that has none.

    name, named: the card's name, which is not in the lines, and where it is.
    lines: at least the line of the type.
    """
    type_match = _match_line(_YGO_TYPE_LINE, lines[0].text)
    fields = _matched_fields(type_match) if type_match else {}
    text_start = 1
    while text_start < len(lines) and (values := _ygo_values(lines[text_start].text)):
        fields |= values
        text_start += 1
    text, texts = _join_lines(lines[text_start:])
    return Face(name, place=lines[0].place, named=named, fields=fields, text=text, texts=texts)


def _ygo_values(line: str) -> _MutableFields:
    """Return the values in a line of values, by name; empty if any part of the line is no value.

    The line is two or more values with slashes between them, or a scale or link markers in 【】. Of
    a line of values only the first 200 characters are read, and of a value that comes twice the
    last counts.

    >>> _ygo_values("星4/水属性/魚族/攻 800/守   ?")
    {'level': '星4', 'attribute': '水属性', 'race': '魚族', 'atk': '800', 'def': '?'}
    >>> _ygo_values("【リンクマーカー：左/右】"), _ygo_values("水属性/など")
    ({'markers': '左/右'}, {})
    """
    for pattern in _YGO_BRACKETED_VALUES:
        if match := _match_line(pattern, line):
            return _matched_fields(match)
    values: _MutableFields = {}
    parts = re.split("[/／]", line[:_LONGEST_LINE])
    for part in parts:
        matches = (pattern.fullmatch(part.strip()) for pattern in _YGO_VALUES)
        match = next(filter(None, matches), None)
        if match is None or len(parts) < 2:
            return {}
        values |= _matched_fields(match)
    return values


# -- Magic, on MTG Wiki: a paragraph of name and type, then text, then power or loyalty --------


def _magic_boxes(passages: Sequence[Passage]) -> Iterator[Box]:
    """Yield the boxes of a page on Magic. Cards that follow each other at once are in one box, as
    one face each; `is_one_card` is false. Only paragraphs are read.

    passages: all passages of the page; the indices in the result are into them.
    """
    # Passages of other kinds separate boxes: they count as empty paragraphs.
    paragraphs = [p if p.kind == "paragraph" else Passage("paragraph", "") for p in passages]
    lines = [line for place, passage in enumerate(paragraphs) for line in _lines(place, passage)]
    emphasized = {
        (place, start) for place, passage in enumerate(paragraphs) for start, _ in passage.strong
    }
    faces: list[Face] = []
    index = face_end = 0  # the current line; the line behind the last face
    while index < len(lines):
        head = _mtg_head(lines, index, emphasized)
        if not head:
            index += 1
            continue
        if faces and index != face_end:
            yield Box(tuple(faces), is_one_card=False)
            faces = []
        face, face_end = _mtg_face(lines, index, head, emphasized)
        faces.append(face)
        index = face_end
    if faces:
        yield Box(tuple(faces), is_one_card=False)


def _mtg_head(
    lines: list[_Line], first: int, emphasized: Set[tuple[int, int]]
) -> re.Match[str] | None:
    """Return the match of a card's name line, if the line after it gives a type; else None.

    A name must be in both languages, have a cost, or be emphasized: any list of words may
    contain a card type. In captures each line is a paragraph of its own, and a block.

    first: the index of the name line.
    emphasized: where emphasis starts: the index of the passage and the offset in its text.
    """
    name_line, type_line = lines[first], lines[min(first + 1, len(lines) - 1)]
    same_passage = name_line.place == type_line.place
    if not same_passage and type_line.block != name_line.block + 1:
        return None
    match = _match_line(_MTG_TYPE_LINE, type_line.text) and _match_line(
        _MTG_NAME_LINE, name_line.text
    )
    is_emphasized = same_passage and (name_line.place, name_line.start) in emphasized
    return match if match and (match["name"] or match["mana_cost"] or is_emphasized) else None


def _mtg_face(
    lines: list[_Line], first: int, head: re.Match[str], emphasized: Set[tuple[int, int]]
) -> tuple[Face, int]:
    """Return (the face whose name line has an index, the index of the line behind the face).

    Its text is the rest of the paragraph, or else the next one. A line with power and toughness,
    loyalty or defense may follow.

    Its fields are `type`, and as far as they are there `mana_cost`, `abilities` (a list) and one of
    `pt`, `loyalty` and `defense`. Its name is the Japanese one, or else the only one; the English
    one is in `name.english`.

    lines: all lines of the page.
    first: the index of the name line.
    head: the match of the name line.
    emphasized: where emphasis starts: the index of the passage and the offset in its text.
    """
    name_line, type_line = lines[first], lines[first + 1]
    end = _mtg_text_end(lines, first, emphasized)
    text_lines = lines[first + 2 : end]
    fields: _MutableFields = {"type": type_line.text}
    if head["mana_cost"]:
        fields["mana_cost"] = head["mana_cost"]
    if end < len(lines) and (strength := _match_line(_MTG_STRENGTH, lines[end].text)):
        number_field = "defense" if "バトル" in type_line.text else "loyalty"
        fields["pt" if strength["pt"] else number_field] = strength[0]
        end += 1
    if abilities := [ability for line in text_lines for ability in _mtg_abilities(line.text)]:
        fields["abilities"] = abilities
    group = next(name for name in ("name", "alone", "english") if head[name])
    text, texts = _join_lines(text_lines)
    face = Face(
        name=Headword(plain(head[group]), english=plain(head["english"] or "") or None, card=True),
        place=name_line.place,
        named=_span(name_line, head, group),
        fields=fields,
        text=text,
        texts=texts,
    )
    return face, end


def _mtg_text_end(lines: list[_Line], first: int, emphasized: Set[tuple[int, int]]) -> int:
    """Return the index of the line behind the text of a face; a line with power and toughness,
    loyalty or defense is not part of the text. Without text it is `first + 2`.

    lines: all lines of the page.
    first: the index of the face's name line; its type is in the next line.
    emphasized: where emphasis starts: the index of the passage and the offset in its text.
    """
    end = first + 2
    separate = lines[first].place != lines[first + 1].place
    while (
        end < len(lines)
        and lines[end].text
        and (end == first + 2 or _continues(lines[end - 1], lines[end], separate))
        and not _match_line(_MTG_STRENGTH, lines[end].text)
        and not _mtg_head(lines, end, emphasized)
    ):
        end += 1
    return end


def _continues(line: _Line, following: _Line, separate: bool) -> bool:
    """Return whether a line continues the text of the line before it.

    line: the line before.
    following: the line in question; it is not empty.

    separate: whether each line is a paragraph of its own. Then an empty line ends the text;
        otherwise the end of the paragraph does.
    """
    return following.block == line.block + 1 if separate else following.place == line.place


def _mtg_abilities(line: str) -> list[str]:
    """Return the keyword abilities that a line consists of; empty if it contains anything else.
    Only their form counts: 2 to 12 characters each, without を, spaces or punctuation.

    >>> _mtg_abilities("飛行、警戒（攻撃してもタップしない。）"), _mtg_abilities("飛行を得る。")
    (['飛行', '警戒'], [])
    """
    parts = re.split("[、,] ?", _without_reminder(line))
    return parts if all(map(_MTG_ABILITY.fullmatch, parts)) else []


# -- Magic, on Wisdom Guild: a table of details ------------------------------------------------


def details_table(passages: Sequence[Passage]) -> Box | None:
    """Return the card in a page's table of details; None if there is no such table, which a row
    shows whose first cell is カード名 and that has a name behind it.

    The table has a column for each half of a card, and all rows again for a back face. The box's
    own fields are `rarity`, `set` and `number` of the first edition, as far as they are there.

    passages: all passages of the page. Only rows are read, with tabs between their cells.

    >>> rows = ("カード名\\t霧/Mist（きり）", "タイプ\\t土地", "セット等\\tコモン, 海 (1/9)")
    >>> box = details_table([Passage("row", row) for row in rows])
    >>> box.faces[0].name.reading, box.faces[0].fields, box.fields["number"]
    ('きり', {'type': '土地'}, '1/9')
    """
    rows = [
        (place, [cell.strip() for cell in passage.text.split("\t")])
        for place, passage in enumerate(passages)
        if passage.kind == "row"
    ]
    starts = [index for index, (_, cells) in enumerate(rows) if cells[0] == _NAME_ROW]
    faces = [
        _details_face(rows[start:end], column)
        for start, end in pairwise([*starts, len(rows)])
        for column, name in enumerate(rows[start][1])
        if column and name
    ]
    edition = next((cells[1] for _, cells in rows if cells[0] == _EDITION_ROW and cells[1:]), "")
    match = _match_line(_EDITION, edition)
    return Box(tuple(faces), fields=_matched_fields(match) if match else {}) if faces else None


def _details_face(rows: Sequence[tuple[int, list[str]]], column: int) -> Face:
    """Return the face in a column of a table of details.

    Its text is from the row for it; its fields are the rows in `_FIELD_ROWS`, and `abilities` if
    a line of the text consists of them. Other rows, empty cells, and rows with another number of
    cells than the first are skipped.

    rows: (index of the passage, cells) of each row, of which the first gives the names. The first
        cell of a row says what is in the others.
    column: the index of the face's cell in a row, from 1.
    """
    place, names = rows[0]
    fields: _MutableFields = {}
    text, texts = "", (place,)
    for row_place, cells in rows:
        value = cells[column] if len(cells) == len(names) else ""
        if cells[0] == _TEXT_ROW and value:
            text, texts = value, (row_place,)
        elif cells[0] in _FIELD_ROWS and value:
            fields[_FIELD_ROWS[cells[0]]] = value
    if abilities := [ability for line in text.split("\n") for ability in _mtg_abilities(line)]:
        fields["abilities"] = abilities
    start = len("\t".join((*names[:column], "")))
    return Face(
        name=_details_name(names[column]),
        place=place,
        named=PassageSpan(place, start, start + len(names[column])),
        fields=fields,
        text=text,
        texts=texts if text else (),
    )


def _details_name(value: str) -> Headword:
    """Return a card's name from its cell, `name/English（reading）`; English and reading may be
    missing, and are then None.

    >>> _details_name("霧/Mist（きり）").english, _details_name("霧/Mist（きり）").reading
    ('Mist', 'きり')
    """
    value, reading = split_reading(value)
    name = parse_headword(value)
    return Headword(name.label, reading, name.english)


_BOX_READERS = {"dm": _duel_masters_boxes, "ygo": _yugioh_boxes, "mtg": _magic_boxes}
