"""What is printed on cards: the boxes in which pages show it, read line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import groupby, pairwise, takewhile

from kb.language.fold import plain
from kb.language.headwords import Headword, parse_headword
from scraper import Passage

# The patterns, apart from what is done with them. Each is held against one whole line.
_LONGEST = 200  # a line with more characters heads no box

_GAP = r"[ \u3000\t]{1,4}"
_CIVILIZATION = (
    r"(?:光|水|闇|火|自然|ゼロ)(?:[/／・](?:光|水|闇|火|自然)){0,4}文明"
    r"|無色(?:[(（][^()（）]{1,8}[)）])?"
)
_DM_HEAD = re.compile(
    rf"(?P<name>\S.{{0,80}}?){_GAP}"
    rf"(?:(?P<rarity>[A-Z][A-Za-z0-9+]{{0,5}}(?:[(（][A-Za-z]{{1,5}}[)）])?|なし|[-−―－]){_GAP})?"
    rf"(?P<civilization>{_CIVILIZATION})[ \u3000]{{0,4}}"
    r"[(（](?P<cost>[0-9０-９]{1,4}|[∞X?？-])[)）]"
)
_DM_TYPE = re.compile(
    r"(?P<type>[^\s：:。、「」]{1,30})(?:[：:](?P<race>[^。、「」]{1,80}?))?"
    rf"(?:{_GAP}(?P<power>[+＋−－-]?[0-9０-９]{{1,7}}[+＋−－-]?|∞|[?？]{{1,3}}))?"
)
_DM_ABILITY = re.compile(r"■?(?P<ability>[^\s■。、：:「」『』《》⇒()（）を]{1,20})")
_REMINDER = re.compile(r"[(（][^()（）]{6,300}[)）]$")

_YGO_NAME = re.compile(r"(?P<name>《[^《》]{1,80}》)(?:\s?†)?")  # the mark of a heading's anchor
_YGO_TYPE = re.compile(
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
_YGO_MARKED = tuple(map(re.compile, (
    r"【[PＰ]スケール[：:](?P<scale>青\d{1,2}[/／]赤\d{1,2})】",
    r"【(?:LINK|リンク)[-−－]?(?P<link>\d)[：:](?P<markers>[^【】]{1,40})】",
    r"【リンクマーカー[：:](?P<markers>[^【】]{1,40})】",
)))  # fmt: skip
_YGO_STORY = re.compile(r"で(?:先行)?登場(?:した|する)")  # how the wiki's own words begin

_MANA = r"[(（](?:[0-9０-９XYZＸＹＺ]{1,3}|[白青黒赤緑◇氷Φ0-9０-９/／PＰ]{1,5})[)）]"
_MTG_HEAD = re.compile(
    r"(?:(?P<english>[A-Za-zÀ-ɏ+\"“][^/／]{0,80}?)(?: ?[/／] ?(?P<name>[^/／]{1,60}?))?"
    rf"|(?P<alone>[^A-Za-z/／][^/／]{{0,60}}?)) ?(?P<mana_cost>(?:{_MANA}){{1,20}})?"
)
_MTG_KIND = (
    r"(?:クリーチャー|インスタント|ソーサリー|土地|アーティファクト|エンチャント|プレインズウォーカー"
    r"|部族|同族|バトル|次元|現象|計略|持続計略|策略|ヴァンガード|ダンジョン)"
)
_MTG_TYPE = re.compile(
    r"(?:〔[^〔〕]{1,12}〕 ?)?(?:(?:伝説の|基本|氷雪|ワールド・?|トークン・?) ?){0,4}"
    rf"{_MTG_KIND}(?:[・ ]?{_MTG_KIND}){{0,3}}(?: ?[—―─–-]{{1,2}} ?[^。]{{1,100}})?"
)
_MTG_STRENGTH = re.compile(
    r"(?P<pt>[\d*＊XＸ+-]{1,5}[/／][\d*＊XＸ+-]{1,5})|(?P<number>\d{1,2}|[XＸ])"
)
_MTG_ABILITY = re.compile(r"[^\s。：:「」()（）,、を]{2,12}")

_ROWS = {"マナコスト": "mana_cost", "タイプ": "type", "Ｐ／Ｔ": "pt", "忠誠度": "loyalty",
         "オラクル": "oracle", "フレーバ": "flavor", "イラスト": "artist"}  # fmt: skip
_CALLED, _PRINTED, _EDITION = "カード名", "テキスト", "セット等"
_IN_SET = re.compile(
    r"(?P<rarity>[^,、]{1,20})[,、]\s?(?P<set>[^()（）]{1,60}?)"
    r"(?:\s?[(（](?P<number>[^()（）]{1,12})[)）])?"
)
_READ = re.compile(r"(.+?)\s{0,4}[(（]([ぁ-ゖァ-ヺー・、\s]{1,120})[)）]", re.DOTALL)

Fields = Mapping[str, str | list[str]]


@dataclass(frozen=True, slots=True)
class Face:
    """One face of a card: its names, what is printed on it, and where.

    `place` is the passage with which its box begins; `named` the passage that names it, and
    from where to where; `texts` are the passages that its text stands in.
    """

    name: Headword
    place: int
    named: tuple[int, int, int]
    fields: Fields = field(default_factory=dict)
    text: str = ""
    texts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Box:
    """Faces that a page shows without a gap between them.

    `one` is whether the form itself says that they are one card's: halves in one table are,
    while lines of one paragraph may be card after card. `fields` are the whole card's.
    """

    faces: tuple[Face, ...]
    one: bool = True
    fields: Fields = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a passage: the passage's place and block, and where the line begins in it."""

    place: int
    start: int
    text: str
    block: int = 0


def boxes(game: str | None, passages: Sequence[Passage]) -> Iterator[Box]:
    """The boxes in which the wiki of a game shows cards: in the form that wikis of this game use;
    for a game without a known form, in the first form that finds any. None if `game` is None.

    >>> rows = ("霧の番人 R 水文明 (3)", "クリーチャー:リキッド 2000", "ブロッカー")
    >>> [box] = boxes("dm", [Passage("row", row) for row in rows])
    >>> box.faces[0].name.label, box.faces[0].fields["power"], box.faces[0].text
    ('霧の番人', '2000', 'ブロッカー')
    """
    if game is None:
        return iter(())
    if game in _FORMS:
        return _FORMS[game](passages)
    found = (list(form(passages)) for form in _FORMS.values())
    return iter(next(filter(None, found), []))


def unread(passages: Sequence[Passage]) -> Face | None:
    """What stands directly below the first heading of a card's own page: preformatted, or in a
    table of one column. It is the card's text where no box could be read there.

    >>> face = unread([Passage("heading", "《霧笛》"), Passage("pre", "引く。")])
    >>> face.text, face.texts
    ('引く。', (1,))
    """
    head = next((n for n, passage in enumerate(passages) if passage.kind == "heading"), None)
    if head is None or head + 1 == len(passages) or "《" not in passages[head].text:
        return None
    first = passages[head + 1]
    same = takewhile(
        lambda n: (passages[n].kind, passages[n].block) == (first.kind, first.block),
        range(head + 1, len(passages)),
    )
    lines = [line for n in same for line in _lines(n, passages[n])]
    if first.kind not in {"pre", "row"} or any("\t" in line.text for line in lines):
        return None
    heading = passages[head].text
    return Face(parse_headword(heading), head + 1, (head, 0, len(heading)), {}, *_text(lines))


def _lines(place: int, passage: Passage) -> Iterator[_Line]:
    at = 0
    for text in passage.text.split("\n"):
        yield _Line(place, at + len(text) - len(text.lstrip()), text.strip(), passage.block)
        at += len(text) + 1


def _matched(pattern: re.Pattern[str], line: str) -> re.Match[str] | None:
    return pattern.fullmatch(line) if len(line) <= _LONGEST else None


def _fields(found: re.Match[str]) -> dict[str, str | list[str]]:
    """What a pattern has found, by name."""
    return {key: value for key, value in found.groupdict().items() if value}


def _text(lines: Sequence[_Line]) -> tuple[str, tuple[int, ...]]:
    """The lines as a text, and the passages that they stand in."""
    printed = [line for line in lines if line.text]
    text = "\n".join(line.text for line in printed)
    return text, tuple(dict.fromkeys(line.place for line in printed))


def _span(line: _Line, found: re.Match[str], group: str = "name") -> tuple[int, int, int]:
    return line.place, line.start + found.start(group), line.start + found.end(group)


# -- Duel Masters: a table of one column, or the lines of a paragraph --------------------------


def _duel_masters(passages: Sequence[Passage]) -> Iterator[Box]:
    for (kind, _), group in groupby(enumerate(passages), key=_run):
        run = list(group)
        if kind == "row":
            if not any("\t" in passage.text for _, passage in run):
                yield from _dm_box([line for row in run for line in _lines(*row)], passages, True)
        elif kind == "paragraph":
            for place, passage in run:
                yield from _dm_box(list(_lines(place, passage)), passages, False)


def _run(numbered: tuple[int, Passage]) -> tuple[str, int]:
    """What is read together: the rows of one table."""
    _, passage = numbered
    return passage.kind, passage.block if passage.kind == "row" else 0


def _dm_box(lines: list[_Line], passages: Sequence[Passage], one: bool) -> Iterator[Box]:
    """The faces whose heads are among these lines; a head is two lines."""
    heads = [
        (at, found, kind)
        for at in range(len(lines) - 1)
        if ("文明" in lines[at].text or "無色" in lines[at].text)
        and (found := _matched(_DM_HEAD, lines[at].text))
        and (kind := _matched(_DM_TYPE, lines[at + 1].text))
    ]
    ends = [at for at, _, _ in heads[1:]] + [len(lines)] * bool(heads)
    faces = [
        _dm_face(lines[at:end], found, kind, passages)
        for (at, found, kind), end in zip(heads, ends, strict=True)
    ]
    if faces:
        yield Box(tuple(faces), one)


def _dm_face(
    lines: list[_Line], found: re.Match[str], kind: re.Match[str], passages: Sequence[Passage]
) -> Face:
    head, rest = lines[0], lines[2:]
    fields = _fields(found) | _fields(kind)
    del fields["name"]
    if abilities := [own for line in rest if (own := _dm_ability(line.text))]:
        fields["abilities"] = abilities
    place, start, end = named = _span(head, found)
    ruby = [
        (r.start - start, r.end - start, r.reading)
        for r in passages[place].ruby
        if start <= r.start and r.end <= end
    ]
    return Face(parse_headword(found["name"], ruby), place, named, fields, *_text(rest))


def _dm_ability(line: str) -> str | None:
    """The keyword that a line is, what reminds of its meaning left aside.

    >>> _dm_ability("■ブロッカー（かわりにこのクリーチャーをタップする）"), _dm_ability("引く。")
    ('ブロッカー', None)
    """
    found = _matched(_DM_ABILITY, _reminded(line))
    return found["ability"] if found else None


def _reminded(line: str) -> str:
    """A line without the words in parentheses that it ends with."""
    return _REMINDER.sub("", line).rstrip() if len(line) <= 2 * _LONGEST else line


# -- Yu-Gi-Oh!: lines below a heading, or below a line, that names the card --------------------


def _yugioh(passages: Sequence[Passage]) -> Iterator[Box]:
    headed: int | None = None  # the heading with a card's name, as long as no text was below it
    for place, passage in enumerate(passages):
        if passage.kind in {"heading", "title"}:
            headed = place if _matched(_YGO_NAME, passage.text.strip()) else None
        elif passage.kind in {"pre", "paragraph"}:
            # An article's paragraphs are no card's text, but in captures a box is a paragraph.
            near = headed if passage.kind == "pre" or headed == place - 1 else None
            if near is not None or "《" in passage.text[:2]:
                for face in _ygo_faces(place, passages, near):
                    headed = None
                    yield Box((face,))


def _ygo_faces(place: int, passages: Sequence[Passage], headed: int | None) -> Iterator[Face]:
    """The cards named above a passage or in it, each by the lines from its type on."""
    lines = list(_lines(place, passages[place]))
    starts: list[tuple[int, Headword, tuple[int, int, int]]] = []
    if headed is not None and _matched(_YGO_TYPE, lines[0].text):
        heading = passages[headed]
        ruby = [(r.start, r.end, r.reading) for r in heading.ruby]
        starts.append((0, parse_headword(heading.text, ruby), (headed, 0, len(heading.text))))
    for at, line in enumerate(lines[:-1]):
        found = _matched(_YGO_NAME, line.text)
        if found and _matched(_YGO_TYPE, lines[at + 1].text):
            starts.append((at + 1, parse_headword(found["name"]), _span(line, found)))
    ends = [at - 1 for at, _, _ in starts[1:]] + [len(lines)] * bool(starts)
    for (at, name, named), end in zip(starts, ends, strict=True):
        printed = lines[at:end]
        if passages[place].kind != "pre":  # the article, run together with the box it follows
            printed = list(takewhile(lambda line: not _YGO_STORY.search(line.text), printed))
        yield _ygo_face(name, named, printed)


def _ygo_face(name: Headword, named: tuple[int, int, int], lines: list[_Line]) -> Face:
    """What the lines print: the type, the values, the text."""
    kind = _matched(_YGO_TYPE, lines[0].text)
    fields = _fields(kind) if kind else {}
    at = 1
    while at < len(lines) and (values := _ygo_values(lines[at].text)):
        fields |= values
        at += 1
    return Face(name, lines[0].place, named, fields, *_text(lines[at:]))


def _ygo_values(line: str) -> dict[str, str | list[str]]:
    """What a line of values gives; nothing if any part of it is no value.

    >>> _ygo_values("星4/水属性/魚族/攻 800/守   ?")
    {'level': '星4', 'attribute': '水属性', 'race': '魚族', 'atk': '800', 'def': '?'}
    >>> _ygo_values("【リンクマーカー：左/右】"), _ygo_values("水属性/など")
    ({'markers': '左/右'}, {})
    """
    for pattern in _YGO_MARKED:
        if found := _matched(pattern, line):
            return _fields(found)
    values: dict[str, str | list[str]] = {}
    parts = re.split("[/／]", line[:_LONGEST])
    for part in parts:
        found = next((f for p in _YGO_VALUES if (f := p.fullmatch(part.strip()))), None)
        if found is None or len(parts) < 2:
            return {}
        values |= _fields(found)
    return values


# -- Magic, on MTG Wiki: a paragraph of name and type, one of text, one of strength ------------


def _magic(passages: Sequence[Passage]) -> Iterator[Box]:
    # What is no paragraph is a gap.
    told = [p if p.kind == "paragraph" else Passage("paragraph", "") for p in passages]
    lines = [line for place, passage in enumerate(told) for line in _lines(place, passage)]
    strong = {(place, start) for place, passage in enumerate(told) for start, _ in passage.strong}
    faces: list[Face] = []
    at = end = 0  # the line that is looked at; the one behind the last face
    while at < len(lines):
        if not (found := _mtg_head(lines, at, strong)):
            at += 1
            continue
        if faces and at != end:
            yield Box(tuple(faces), one=False)
            faces = []
        face, end = _mtg_face(lines, at, found, strong)
        faces.append(face)
        at = end
    if faces:
        yield Box(tuple(faces), one=False)


def _mtg_head(lines: list[_Line], at: int, strong: Set[tuple[int, int]]) -> re.Match[str] | None:
    """The head that begins here: a name and, below it, a type.

    A name must be in both languages, or have a cost, or stand out: any list of words may have
    a card type in it. In captures each line is a paragraph of its own, and a block.
    """
    first, second = lines[at], lines[min(at + 1, len(lines) - 1)]
    together = first.place == second.place
    if not together and second.block != first.block + 1:
        return None
    found = _matched(_MTG_TYPE, second.text) and _matched(_MTG_HEAD, first.text)
    stands_out = together and (first.place, first.start) in strong
    return found if found and (found["name"] or found["mana_cost"] or stands_out) else None


def _mtg_face(
    lines: list[_Line], at: int, head: re.Match[str], strong: Set[tuple[int, int]]
) -> tuple[Face, int]:
    """The face whose head is here, and the line behind it. Its text is the rest of the
    paragraph, or the next one; its strength comes last."""
    first, end = lines[at], at + 2
    apart = first.place != lines[at + 1].place
    while (
        end < len(lines)
        and lines[end].text
        and (end == at + 2 or _follows(lines[end - 1], lines[end], apart))
        and not _matched(_MTG_STRENGTH, lines[end].text)
        and not _mtg_head(lines, end, strong)
    ):
        end += 1
    printed = lines[at + 2 : end]
    fields: dict[str, str | list[str]] = {"type": lines[at + 1].text}
    if head["mana_cost"]:
        fields["mana_cost"] = head["mana_cost"]
    if end < len(lines) and (strength := _matched(_MTG_STRENGTH, lines[end].text)):
        alone = "defense" if "バトル" in lines[at + 1].text else "loyalty"
        fields["pt" if strength["pt"] else alone] = strength[0]
        end += 1
    if abilities := [one for line in printed for one in _mtg_abilities(line.text)]:
        fields["abilities"] = abilities
    group = next(name for name in ("name", "alone", "english") if head[name])
    name = Headword(plain(head[group]), english=plain(head["english"] or "") or None, card=True)
    return Face(name, first.place, _span(first, head, group), fields, *_text(printed)), end


def _follows(line: _Line, after: _Line, apart: bool) -> bool:
    """Whether a line goes on with a text: in one paragraph, or, where lines stand apart, without
    an empty one between them."""
    return after.block == line.block + 1 if apart else after.place == line.place


def _mtg_abilities(line: str) -> list[str]:
    """The keywords that a line is made of; none if there is anything else in it.

    >>> _mtg_abilities("飛行、警戒（攻撃してもタップしない。）"), _mtg_abilities("飛行を得る。")
    (['飛行', '警戒'], [])
    """
    parts = re.split("[、,] ?", _reminded(line))
    return parts if all(map(_MTG_ABILITY.fullmatch, parts)) else []


# -- Magic, on Wisdom Guild: a table of details ------------------------------------------------


def details(passages: Sequence[Passage]) -> Box | None:
    """The card of a table of details: a column a half, and all rows again for a back face.

    >>> rows = ("カード名\\t霧/Mist（きり）", "タイプ\\t土地", "セット等\\tコモン, 海 (1/9)")
    >>> box = details([Passage("row", row) for row in rows])
    >>> box.faces[0].name.reading, box.faces[0].fields, box.fields["number"]
    ('きり', {'type': '土地'}, '1/9')
    """
    rows = [
        (place, [cell.strip() for cell in passage.text.split("\t")])
        for place, passage in enumerate(passages)
        if passage.kind == "row"
    ]
    starts = [at for at, (_, cells) in enumerate(rows) if cells[0] == _CALLED]
    faces = [
        _column(rows[start:end], column)
        for start, end in pairwise([*starts, len(rows)])
        for column, called in enumerate(rows[start][1])
        if column and called
    ]
    edition = next((cells[1] for _, cells in rows if cells[0] == _EDITION and cells[1:]), "")
    found = _matched(_IN_SET, edition)
    return Box(tuple(faces), fields=_fields(found) if found else {}) if faces else None


def _column(rows: Sequence[tuple[int, list[str]]], column: int) -> Face:
    """The face that a column of the details gives."""
    place, called = rows[0]
    fields: dict[str, str | list[str]] = {}
    text, texts = "", (place,)
    for at, cells in rows:
        value = cells[column] if len(cells) == len(called) else ""
        if cells[0] == _PRINTED and value:
            text, texts = value, (at,)
        elif cells[0] in _ROWS and value:
            fields[_ROWS[cells[0]]] = value
    if abilities := [one for line in text.split("\n") for one in _mtg_abilities(line)]:
        fields["abilities"] = abilities
    start = len("\t".join((*called[:column], "")))
    named = (place, start, start + len(called[column]))
    return Face(_called(called[column]), place, named, fields, text, texts if text else ())


def _called(value: str) -> Headword:
    """A name as the details write it.

    >>> _called("霧/Mist（きり）").english, _called("霧/Mist（きり）").reading
    ('Mist', 'きり')
    """
    found = _matched(_READ, value)
    name = parse_headword(found[1] if found else value)
    return Headword(name.label, plain(found[2]) if found else None, name.english)


_FORMS = {"dm": _duel_masters, "ygo": _yugioh, "mtg": _magic}
