"""Prepares the lines of plain-text captures: joins fragments of lines, and finds page furniture.

A text extractor may put each piece of text between two tags on a line of its own. Then a sentence
is broken at each of its links; particles and punctuation at the beginning of many lines show it.
Furniture is what a wiki shows around an article: links to other versions, toolbars, differences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

_CONTINUES = re.compile(r"[のをにはがでとへや、。，．）)」』〉》】\]?？]|から|まで|する|した|され")
# What begins hardly any line that is a sentence's first.
_FRAGMENT = re.compile(r"を|[のにはが](?![ぁ-ゖ])|[、。，．）)」』〉》】]")
# Lines of a broken capture, and their share of all. By hand: in a whole capture one or two lines
# may begin so by chance, in a long one a few more; a capture that is broken only at its links has
# few of them.
_FEWEST_FRAGMENTS, _FEWEST_SHARE = 3, 0.02
# What may be a link alone: the name of a page, without hiragana or signs of a sentence. Its length,
# as all lengths below, is set by hand.
_LINK = re.compile(r"[^、。，．ぁ-ゖ「」『』（）()?？†↑\[\]|:：]{1,30}")
# One after the other, which are a list rather than a sentence: two names may stand side by side in
# one.
_FEWEST_LINKS = 3
# What may be a heading: short, and without the signs of a sentence.
_LABEL = re.compile(r"[^、。，．「」『』]{1,20}")
_LONG = 15  # characters of a line that begins a sentence below a heading; a shorter one goes on it
# Fragments of furniture: the longest, a line of links between revisions, is about as many pieces.
# More would cost time at each line that may begin one.
_LONGEST = 14
# Lines of contents, and characters of a fragment. 120 lines, by hand, are 40 entries in three
# pieces; more would cost time at each number. `_ENDS_ENTRY` has the 40 too (`.{41}`).
_LONGEST_CONTENTS, _LONGEST_ENTRY = 120, 40
# How the pieces of `_MEDIAWIKI_LINES` and of the lines at the end may begin: the joins are tried
# there alone, as they take time.
_MAY_BE_FURNITURE = re.compile(
    r"移動|ナビ|案内|検索|Jump|\d{4}年|[(（←「‹]|最新版|次の版|これは|https?://"
)
# What is not of an entry of contents any more: the next number, an edit link, a sentence.
_ENDS_ENTRY = re.compile(r"\d{1,2}(?:\.\d{1,2})*$|\[|.{41}|.*。")
# Blank lines for each other one, if they separate paragraphs. By hand: a few around furniture say
# nothing; where each paragraph has one, a paragraph in seven pieces still reaches it.
_FEWEST_BLANKS = 0.15
_RULE_NUMBER = re.compile(r"\d{1,3}\.\d+[a-z]?\.?")  # as in Magic: 100.1a
_CITES = re.compile(r"(?:rules?|[:：(（,、])\s*$", re.IGNORECASE)
_ANSWERS = re.compile(r"[QAＱＡ][:：]")

# The date of a revision as MediaWiki writes it in Japanese.
REVISION_DATE = r"\d{4}年\d{1,2}月\d{1,2}日 ?(?:\(.\))? ?\d{1,2}:\d\d ?時点における"
_RENDERED = re.compile(rf"=*\s*{REVISION_DATE}(?:最新)?版\s*=*")
_DIFFERENCE = re.compile(r"[(（]版間での差分[)）]|.*版間の差分|.*(?:←\s*古い編集|新しい編集\s*→).*")
_COMPARED = re.compile(r"「(.+)」の版間の差分")
_MARK = re.compile(r"[|\s]*[+＋−-][|\s]*")
# What MediaWiki writes above an old revision. Bounds here and below are guards of time.
_REVISION = re.compile(
    rf"{REVISION_DATE}.{{0,80}}版|[(（]差分[)）]\s*[←‹]\s*(?:前の|古い)版.*"
    r"|[←‹]\s*(?:前の|古い)版(?:.*[|｜].*)?|(?:.*[|｜])?\s*(?:次の|新しい)版\s*[→›].{0,6}"
    r"|最新版\s*(?:[(（]差分[)）])?|これはこのページの過去の版です.*"
)
_EDITING = re.compile(r"「.+」(?:を編集中|のソース|の変更履歴)|.+(?:を編集中|のソースを表示)")
_MEDIAWIKI_LINES = (
    ("navigation", re.compile(r"移動:?\s*案内\s*[,、]\s*検索|(?:ナビゲーション|案内|検索)に移動"
                              r"|Jump to:?\s*navigation\s*,\s*search", re.IGNORECASE)),
    ("page note", _REVISION),
    ("page note", re.compile(r"[(（].{1,200}から転送[)）]")),
    ("table of contents", re.compile(r"\[(?:非?表示|隠す)\]")),
    ("markup", re.compile(r"[|+−\-{}!\s]+")),
)  # fmt: skip
_MEDIAWIKI_END = re.compile(
    r"「?https?://\S+」?\s*(?:から|より)(?:取得|作成)|「?https?://\S+から取得.*"
)
# A number of a section and its title; a number of three digits is rather a rule's.
_CONTENTS_ENTRY = re.compile(
    r"[-•*◦▪]?\s*(\d{1,2}(?:\.\d{1,2})*)[\s\u3000]*([^\s。]{1,60}(?:\s[^。]{1,40})?)"
)
_TOOLBAR = re.compile(r"\[\s*(?:トップ|編集)\s*[\]|].*|トップ")
# What wikis show around a page, white space taken away.
_TOP, _VERSION = re.compile(r"\[トップ[\]|]"), re.compile(r"PukiWiki\d\.\d")
_UNDER_TITLE = re.compile(r"[(（]版間での差分|移動:?案内[,、]検索|(?:案内|検索)に移動")
_POLICIES = re.compile(r"プライバシー・ポリシー.*免責事項|(?:から|より)(?:取得|作成)")
_TOOL = re.compile(
    r"(?:[\s|\[\]]|トップ|編集|凍結(?:解除)?|差分|バックアップ|添付|リロード|新規|一覧|単語検索|検索|最終更新"
    r"|ヘルプ|名前変更|コピー)+"
)
_NO_ARTICLE = re.compile(
    r".+\sの(?:編集|変更点|ソース|バックアップ|履歴|一覧|検索結果|関連ページ|添付|名前)(?:\S*|.*\(No\.\d+\))"
    r"|(?:ページ|バックアップ|履歴)の?一覧|(?:単語)?検索|新規(?:ページ)?作成|Recent(?:Changes|Deleted)"
    r"|有効なWikiNameではありません|Runtime error"
)
_PUKIWIKI_END = re.compile(
    r"Last-modified:.*|Link: .*\(\d+d\).*|Site admin:.*|PukiWiki [\d.]+.*|.*HTML convert time.*"
    r"|.*Powered by (?:PHP|PukiWiki).*"
)
_VIEWS = {
    "edit": "edit form", "submit": "edit form", "diff": "difference", "backup": "backup",
    "source": "source view", "list": "list", "search": "search", "history": "history",
    "info": "page information", "attach": "attachments", "newpage": "form", "rename": "form",
}  # fmt: skip
_SITE_NAME = re.compile(r"\s+[-–|]\s+\S.*")  # behind the title of a document
_TAGLINE = re.compile(r"(?:提供|出典)[:：]\s*\S.*")
_TAGLINES = re.compile(rf"(?m)^\s*{_TAGLINE.pattern}")
# Of MediaWiki's links, one that each view has and one that only a page with a text has.
_SPECIAL_PAGES, _PERMANENT_LINK = (
    re.compile("特別ページ|Special pages"),
    re.compile("固定リンク|Permanent link"),
)
# Characters at each end of a capture, in which the frame is looked for. By hand: room for menus
# above the title and below the text; the whole would find an article that quotes a frame.
_ENDS = 4000
# Lines in which the title and the tagline are looked for; by hand: menus may stand above them.
_FRONT = 80


@dataclass(slots=True)
class CaptureLines:
    """The lines of an article, and what stood around it.

    lines: the lines that are text, and blank ones.
    left_out: pairs of a reason and the text that is left out for it, mostly a line each.
    title: the title of the page; empty if it is not known.
    contents: the titles of sections by the table of contents, with their depth from 1.
    view: what it is if it is no article, such as "difference"; then `lines` is of no use. Empty
        for an article.
    old: whether it shows a certain revision.
    """

    lines: list[str]
    left_out: list[tuple[str, str]] = field(default_factory=list)
    title: str = ""
    contents: dict[str, int] = field(default_factory=dict)
    view: str = ""
    old: bool = False


def join_fragments(lines: Sequence[str]) -> list[str]:
    """Join lines that are pieces of sentences; of other captures, only furniture is joined.

    A line is joined to the one before unless that ends a sentence or a heading; links one after the
    other are a list. Joined lines have no white space around them. If blank lines separate
    paragraphs, one remains between two; else they are dropped.

    >>> join_fragments(["引く", "とは、", "山", "の上の", "カード", "を", "手札", "に加えること。"])
    ['引くとは、山の上のカードを手札に加えること。']
    """
    filled = [line.strip() for line in lines if line.strip()]
    broken = sum(bool(_FRAGMENT.match(line)) for line in filled[1:])
    if broken < max(_FEWEST_FRAGMENTS, _FEWEST_SHARE * len(filled)):
        return list(_join_furniture(lines, []))
    has_blanks = len(lines) - len(filled) > _FEWEST_BLANKS * len(filled)
    joined: list[str] = []
    unit: list[str] = []
    for line in [*_join_furniture(lines, [""]), ""]:
        text = line.strip()
        if not text or (unit and _ends_unit(unit, text, has_blanks)):
            joined += [_join(unit)] if has_blanks and unit else _unit_lines(unit)
            unit = []
        if text:
            unit.append(text)
        elif has_blanks and joined and joined[-1]:
            joined.append("")
    return joined[:-1] if joined and not joined[-1] else joined


def _join_furniture(lines: Sequence[str], around: Sequence[str]) -> Iterator[str]:
    """Yield lines as they are, with the fragments of furniture joined into a line for each.

    It is what MediaWiki shows above an article, the table of contents, and edit links with the
    heading that they belong to. Blank lines within furniture are dropped.

    around: the lines to put around furniture and each line up to the tagline.
    """
    n = 0
    edit_first = _edit_links_come_first(lines)
    front = enumerate(lines[: 2 * _FRONT])
    tagline = next((k for k, line in front if _TAGLINE.fullmatch(line.strip())), None)
    while tagline is not None and n <= tagline:
        yield from (*around, lines[n], *around)
        n += 1
    while n < len(lines):
        end = _furniture_end(lines, n, edit_first)
        if end is None:
            yield lines[n]
            n += 1
        else:
            parts = [line.strip() for line in lines[n:end] if line.strip()]
            yield from (*around, _join(parts) if len(parts) > 1 else lines[n], *around)
            n = end


def _edit_links_come_first(lines: Sequence[str]) -> bool:
    """Whether edit links stand before their headings, as in old versions of MediaWiki.

    They do if as many of them have what may be a heading behind as before; also without any links.
    """
    filled = [line.strip() for line in lines if line.strip()]
    links = [n for n in range(1, len(filled) - 3) if filled[n : n + 3] == ["[", "編集", "]"]]
    before = sum(bool(_LABEL.fullmatch(filled[n - 1])) for n in links)
    return sum(bool(_LABEL.fullmatch(filled[n + 3])) for n in links) >= before


def _furniture_end(lines: Sequence[str], n: int, edit_first: bool) -> int | None:
    """Return the index behind the last line of furniture that begins at a line; None if none does.

    None too for a blank line, and for the number of an entry of contents without a title behind it.

    n: the index of the line; edit_first: as `_edit_links_come_first` returns it.
    """
    first = lines[n].strip()
    places = [k for k in range(n, min(len(lines), n + _LONGEST)) if lines[k].strip()]
    texts = [lines[k].strip() for k in places]
    if not first:
        return None
    if texts[: 3 if edit_first else 4][-3:] == ["[", "編集", "]"] and len(texts) > 3:
        return places[3] + 1
    if re.fullmatch(r"\d{1,2}(?:\.\d{1,2})*", first) and _in_contents(lines, n):
        count = next(
            (k for k in range(1, len(texts)) if _ENDS_ENTRY.match(texts[k])), min(2, len(texts))
        )
        return places[count - 1] + 1 if count > 1 else None
    if not _MAY_BE_FURNITURE.match(first):
        return None
    text, end = "", None
    for place, part in zip(places, texts, strict=True):
        text += part
        if any(form.fullmatch(text) for _, form in _MEDIAWIKI_LINES) or _is_end(text):
            end = place + 1
    return end


def _is_end(text: str) -> bool:
    """Whether a text is the line below an article that says where it is from."""
    return bool(_MEDIAWIKI_END.fullmatch(text) or _RENDERED.fullmatch(text))


def _in_contents(lines: Sequence[str], n: int) -> bool:
    """Whether a line belongs to a table of contents: `目次` stands alone in a line at most
    `_LONGEST_CONTENTS` above it, and between them are only short lines without `。`."""
    above = [line.strip() for line in lines[max(0, n - _LONGEST_CONTENTS) : n] if line.strip()]
    if "目次" not in above:
        return False
    entries = above[len(above) - above[::-1].index("目次") :]
    return all(len(entry) <= _LONGEST_ENTRY and "。" not in entry for entry in entries)


def _ends_unit(unit: Sequence[str], text: str, has_blanks: bool) -> bool:
    """Whether a line begins another sentence, heading or item than the lines before it.

    The signs of headings, items and answers (`†`, `↑`, `[`, `•`, `-`, `Q:`) decide first. Where
    blank lines separate paragraphs, nothing else does; else a full stop before it, a rule's number,
    or a long line below a short one.

    unit: the lines before it, at least one; has_blanks: whether blank lines separate paragraphs.
    """
    before = unit[-1]
    if text == "†":
        return False
    if before in ("†", "↑", "]") or text[0] in "†↑[•-" or _ANSWERS.match(text):
        return before != "[" and not (before == "編集" and text == "]")
    if has_blanks:
        return False
    if before.endswith("。"):
        return not _CONTINUES.match(text)
    if _RULE_NUMBER.fullmatch(text):
        return not _CITES.search(before)
    is_label = len(unit) == 1 and _LABEL.fullmatch(before) and not _CONTINUES.match(before)
    return bool(is_label) and len(text) >= _LONG and not re.match("[ぁ-ゖ、。（(/]", text)


def _unit_lines(unit: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a unit: one, but for links one after the other, which are one each.

    Fewer than `_FEWEST_LINKS` of them are part of the sentence; so is the last of more, if
    something follows it.
    """
    held: list[str] = []
    start = 0
    while start < len(unit):
        end = start
        while (
            end < len(unit) and _LINK.fullmatch(unit[end]) and not _RULE_NUMBER.fullmatch(unit[end])
        ):
            end += 1
        end -= end < len(unit) and end - start >= _FEWEST_LINKS  # the last begins what follows
        if end - start >= _FEWEST_LINKS:
            if held:
                yield _join(held)
            yield from unit[start:end]
            held, start = [], end
        else:
            held += unit[start : end + 1]
            start = end + 1
    if held:
        yield _join(held)


def _join(parts: Sequence[str]) -> str:
    """Join fragments, with a space between Latin words (ASCII letters and digits) only.

    parts: at least one, and none of them empty.
    """
    text = [parts[0]]
    for before, part in pairwise(parts):
        is_latin = before[-1].isascii() and part[0].isascii()
        text.append(" " + part if is_latin and before[-1].isalnum() and part[0].isalnum() else part)
    return "".join(text)


def mediawiki_lines(lines: Sequence[str]) -> CaptureLines:
    """Find the article in a capture of a MediaWiki page.

    The title is the line above the tagline, else the first line. Links to other versions, the table
    of contents and what is below the article are left out, of a view of differences the table of
    differences. If there is no article below it, `view` is "difference", else "edit form", "special
    page" or empty.
    """
    front = [n for n, line in enumerate(lines) if line.strip()][:_FRONT]
    tagline = next((n for n in front if _TAGLINE.fullmatch(lines[n].strip())), None)
    above = [n for n in front if tagline is None or n < tagline]
    title = above[-1 if tagline is not None else 0] if above else None
    found = CaptureLines([], title=lines[title].strip() if title is not None else "")
    start = 0
    if title is not None:
        found.left_out += [("page frame", line) for line in lines[:title]]
        start = title + 1
    end = next(
        (n for n in range(start, len(lines)) if _MEDIAWIKI_END.match(lines[n].strip())), None
    )
    found.left_out += [("page frame", line) for line in lines[end:]] if end is not None else []
    body = list(lines[start:end])
    compared = _COMPARED.fullmatch(found.title)
    if compared:
        found.title = compared[1]
        found.left_out.append(("difference", "「」の版間の差分"))
    if _EDITING.fullmatch(found.title):
        found.view = "edit form"
    elif _is_special("\n".join(lines)):
        found.view = "special page"
    elif compared or any(_DIFFERENCE.fullmatch(line.strip()) for line in body[:_FRONT]):
        body = _below_differences(body, found)
    _sort_lines(body, found)
    return found


def _is_special(text: str) -> bool:
    """Whether a capture shows no page's text, as it has the links of the wiki without the one to a
    page's revision."""
    bottom = text[-_ENDS:]
    return bool(_SPECIAL_PAGES.search(bottom)) and not _PERMANENT_LINK.search(text)


def _below_differences(body: Sequence[str], found: CaptureLines) -> list[str]:
    """Return the article below a table of differences, which is left out; `found` becomes `old`.

    If there is none, the view is "difference", and the whole body is returned. The article begins
    behind the last line that dates a revision, below which no `+` or `-` stands alone.
    """
    found.old = True
    marks = [n for n, line in enumerate(body) if _MARK.fullmatch(line)]
    rendered = [n for n, line in enumerate(body) if _RENDERED.fullmatch(line.strip())]
    if not rendered or any(mark > rendered[-1] for mark in marks):
        found.view = "difference"
        return list(body)
    found.left_out += [("difference", line) for line in body[: rendered[-1] + 1]]
    return list(body[rendered[-1] + 1 :])


def _sort_lines(body: Sequence[str], found: CaptureLines) -> None:
    """Add the lines of an article to `found`, each to its text or to what is left out.

    The entries of the table of contents become its `contents`; a note on its revision makes it
    `old`.
    """
    in_contents = False
    for line in body:
        text = line.strip()
        entry = _CONTENTS_ENTRY.fullmatch(text) if in_contents else None
        if entry:
            found.contents[entry[2].strip()] = entry[1].count(".") + 1
            found.left_out.append(("table of contents", text))
            continue
        if text:
            in_contents = text.rstrip("| ") == "目次" or (in_contents and text[0] in "[")
        if _TAGLINE.fullmatch(text) and not any(map(str.strip, found.lines)):
            found.left_out.append(("tagline", text))
        elif text.rstrip("| ") == "目次":
            found.left_out.append(("table of contents", text))
        elif reason := next((r for r, form in _MEDIAWIKI_LINES if form.fullmatch(text)), ""):
            found.old = found.old or bool(re.search("前の版|時点における|過去の版", text))
            found.left_out.append((reason, text))
        else:
            found.lines.append(line)


def view_of(url: str) -> str:
    """Return what kind of view a URL asks for, such as "difference"; empty for an article, and for
    a command that isn't known.

    >>> view_of("https://wiki.example/index.php?cmd=edit&page=x")
    'edit form'
    """
    found = re.search(r"[?&](?:cmd|plugin|action)=(\w+)", url)
    return _VIEWS.get(found[1], "") if found else ""


def has_frame(text: str) -> bool:
    """Return whether a text has what a wiki shows around each of its views: the toolbar of PukiWiki
    in front and its version at the end, or the tagline of MediaWiki with links under the title or
    at the end. Pieces of lines count as whole ones.

    >>> has_frame("山札\\n[\\nトップ\\n]\\n山札とは…\\nPukiWiki 1.5.4\\n")
    True
    """
    top, bottom = ("".join(part.split()) for part in (text[:_ENDS], text[-_ENDS:]))
    if _TOP.search(top):
        return _VERSION.search(bottom) is not None
    has_links = _UNDER_TITLE.search(top) or _POLICIES.search(bottom)
    return has_links is not None and _TAGLINES.search(text[:_ENDS]) is not None


def pukiwiki_lines(lines: Sequence[str]) -> CaptureLines:
    """Find the article in a capture of a PukiWiki page.

    With a toolbar, what is above it and from it to the first heading with `†` is left out, as are
    the lines about the page at the end. Jump links (`↑`) are left out too. The title is known where
    the first line has it with the name of the site, and the second alone. What has a toolbar and
    the title of an edit form, a list or the like is a `view`, "edit form or the like".
    """
    found = CaptureLines([])
    filled = [n for n, line in enumerate(lines) if line.strip()]
    toolbar = next((n for n in filled[:_FRONT] if _TOOLBAR.match(lines[n].strip())), None)
    first = [_SITE_NAME.sub("", lines[n].strip()) for n in filled[:3]]
    titles = [*first[:2], *(" ".join(pair) for pair in pairwise(first))]
    if toolbar is not None and any(_NO_ARTICLE.fullmatch(title) for title in titles):
        found.view = "edit form or the like"
    if toolbar is not None and first[:1] == first[1:2] != [lines[filled[0]].strip()]:
        found.title = first[0]
    start = 0
    if toolbar is not None:
        rest = (n for n in filled if n > toolbar and not _TOOL.fullmatch(lines[n].strip()))
        below = next(rest, len(lines))
        start = next((n for n in filled if n >= below and is_marked(lines, n)), below)
        found.left_out += [("page frame", line) for line in lines[:toolbar]]
        found.left_out += [("navigation", line) for line in lines[toolbar:start]]
    last = [n for n in filled[-_FRONT // 2 :] if n >= start]
    end = next((n for n in last if _PUKIWIKI_END.fullmatch(lines[n].strip())), len(lines))
    found.left_out += [("page frame", line) for line in lines[end:]]
    for line in lines[start:end]:
        text = line.lstrip()
        if text.startswith("↑"):
            found.left_out.append(("jump link", "↑"))
            line = text[1:]
            if not line.strip():
                continue
        if line.strip() in ("?", "|"):
            found.left_out.append(("page frame", line))
        else:
            found.lines.append(line)
    return found


def is_marked(lines: Sequence[str], n: int) -> bool:
    """Whether a line is a heading of PukiWiki: it ends with `†`, or the next line is that alone.

    A line with nothing but `†` is none.

    n: the index of the line.
    """
    text = lines[n].strip()
    following = lines[n + 1].strip() if n + 1 < len(lines) else ""
    return (text.endswith("†") and text != "†") or (bool(text) and following == "†")
