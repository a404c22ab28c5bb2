"""Parses numbered rulebooks in plain text: chapters, rules, examples, glossary, history.

The numbering is inferred from the document (`scraper.rulebook.numbering`), and so are page numbers
and running heads (`scraper.rulebook.page_layout`). The edition is named by its effective date.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice, pairwise

from scraper.markup.page_builder import PageBuilder
from scraper.page import Link, Page, Passage, PassageKind, ReadWarning, RuleNumber, text_size
from scraper.rulebook import page_layout
from scraper.rulebook.classified_lines import BULLET, ClassifiedLines, classify_lines, unread_lines
from scraper.rulebook.columns_in_text_files import in_reading_order
from scraper.rulebook.documents_beside_rulebook import document_of_title
from scraper.rulebook.edition import edition_of, find_edition
from scraper.rulebook.glossary import glossary_warnings
from scraper.rulebook.languages import (
    LANGUAGE_CODES,
    UNDETERMINED,
    alternatives,
    begins_example,
    detect_language,
)
from scraper.rulebook.lost_rules import health_warnings
from scraper.rulebook.numbering import (
    Key,
    NumberedLine,
    ends_sentence,
    is_call_or_question,
    levels,
    looks_like_heading,
    number_at,
)
from scraper.rulebook.part_headings import heading_number, outline_rules, part_of_heading
from scraper.rulebook.statutes import (
    MAY_BE_ARTICLE,
    article_rules,
    with_paragraphs_apart,
)
from scraper.rulebook.title_page import (
    FRONT_MATTER,
    OuterLines,
    Title,
    find_title,
    names_in,
    outer_lines,
)
from scraper.sites.games import game_called, game_of_rulebook, game_of_title, is_id
from scraper.sites.site_catalogue import known_site
from scraper.sources.saved_pages import Hints, Snapshot

_DIGIT_NEAR = re.compile(r"\W{0,20}\w{0,3}\d")  # a number that a line may begin with, to show it
# Characters of a text and of its lines, in which numbers are looked for. Guards of time: the
# longest book known has 940,000, and a number with the marks before it a few dozen at most.
_FOR_NUMBERS, _LINE_HEAD = 2_000_000, 60
# Of the numbers of a rulebook. By hand: three figures in a row may well ascend by chance; of the
# numbers of a dozen books at least 0.92 do, and a part of a book has few.
_FEWEST_STEPS, _ASCENDING_SHARE = 4, 0.7
# Of a statute or outline, and of its lines. By hand: articles that a text quotes, or a list with
# points of its own, are fewer; an article may have some twenty lines.
_FEWEST_ARTICLES, _ARTICLES_SHARE = 8, 0.05
# `Q:`, `Q1.`, `Q ` and the like; not a word that begins so.
_QUESTION = re.compile(r"[QＱ](?:\d{0,3}\s?[.:：．)）]|\s)\s*\S")
_ANSWER = re.compile(r"\s*[AＡ](?:\d{0,3}\s?[.:：．)）]|\s)\s*\S")
# Lines; as in `plain_text_capture`. By hand: behind a question without an answer, one further down
# is another's.
_LONGEST_QUESTION = 8
_RULE_NUMBER = re.compile(r"\d[.-]\d|\d{3}")  # an amount has hardly two levels or three digits
# Characters of a sentence that only names another rule; by hand: a longer one says something, too.
_LONGEST_REFERENCE = 100
_QUOTED_SHARE = 0.5  # of the lines of a text that quotes rules: they are fewer
_TABLE_ROW = re.compile(  # between bars, or in columns
    r"\|.*\||\S++(?: {1,2}\S++)*+(?: {3,}\S++(?: {1,2}\S++)*+){2,}"
)
# Characters that are looked at. Guards of time: a language shows in far fewer; dates may stand at
# the end of the longest book (see `_FOR_NUMBERS`).
_FOR_LANGUAGE, _FOR_DATES = 50_000, 2_000_000
_NO_GAME = "no game is named in front of the rules; say which, or name it in the manifest"
_OWNER = re.compile(
    r"©|ⓒ|\([cC]\)|\bcopyright\b|株式会社|有限公司|\b(?:GmbH|Inc|Ltd|LLC|Corp|SARL)\b",
    re.IGNORECASE,
)
_NAMED_ONCE = "its title alone calls the game {}; say which, if it is another"
_NAMED_BELOW = "a lower line of its title calls the game {}; say which, if it is another"
# Characters in which a game is looked for, and times that tell it. By hand: what is named once may
# be another game that the book is compared with; further on, examples name some.
_FOR_GAME, _OFTEN = 20_000, 2
_STATED = re.compile(r"(?m)^(\w{1,20}):[ \t]*(\S[^\n]*)$")  # `key: value` of YAML; keys are short
_EDITION_KEYS = ("edition", "effective", "version", "updated", "date")
_NO_LANGUAGE = "its language can't be told; say which, or name it in the manifest"
# A book whose numbered lines are less understood than this gets a warning: lines, and their share
# of the rules. By hand: a few lines with an amount in front are in any book, and are no rules.
_UNREAD_LINES, _UNREAD_SHARE = 5, 0.03


def recognises(text: str, url: str) -> bool:
    """Whether a text is a numbered rulebook: at least five of its lines begin with numbers of two
    levels or more that ascend, such as 100.1, 100.1a and 5-1-2.

    Most of such numbers must ascend, as those of a book do and figures and dates do not. Rules of
    a single section are a quotation, unless the text is little else or has a glossary. Never if
    `url`, which may be empty, belongs to a known site.

    >>> recognises("\\n".join(f"100.{n}. A rule." for n in range(1, 9)), "")
    True
    >>> recognises("\\n".join(f"{n}.5 metres" for n in range(9, 1, -1)), "")
    False
    """
    if url and known_site(url):
        return False
    in_order = in_reading_order(text[:_FOR_NUMBERS])
    lines = [line for line in in_order.splitlines() if line.strip()]
    articles = article_rules(lines, (), ()) if MAY_BE_ARTICLE.search(text) else []
    fewest = max(_FEWEST_ARTICLES, _ARTICLES_SHARE * len(lines))
    if len(articles) >= fewest or len(outline_rules(lines, ())) >= fewest:
        return True
    keys = [key for line in lines if (key := _key_of_line(line))]
    ascending = sum(before < after for before, after in pairwise(keys))
    if ascending < max(_FEWEST_STEPS, _ASCENDING_SHARE * (len(keys) - 1)):
        return False
    if len({key[:2] for key in keys}) > 1 or len(keys) >= _QUOTED_SHARE * len(lines):
        return True
    return any(part_of_heading(line) == "glossary" for line in lines)


def _key_of_line(line: str) -> Key | None:
    """Return the key of the number of two levels or more that a line begins with, also behind the
    marks of a list or heading or alone on its line; None if there is none, or one of one level."""
    start = line[:_LINE_HEAD].lstrip(" \t\u3000>#*+-・•●")
    first, second = start[:1], start[1:2]
    is_lettered = second in "-.－．" or (first.isupper() and second.isdigit())
    is_roman = first in "IVX" and second in "IVX"
    if not start or not (first.isdigit() or first in "[【(（§第" or is_lettered or is_roman):
        return None
    number = number_at(f"{start.replace('**', '')} .")
    return number.key if number and len(levels(number.number)) > 1 else None


def read(snapshot: Snapshot, text: str) -> list[Page]:
    """Return the rulebook as one page, in a list.

    The page's name is `game/cr/edition/lang`, that of a document beside the rulebook
    `game/document/tournament-rules-edition/lang`; with `rules` and `undated` if game or edition
    are unknown. The snapshot's hints take precedence over what the text shows.

    text: the decoded text, in which a form feed may separate pages.
    """
    hints = snapshot.hints
    builder = PageBuilder()
    size = text_size(text)
    text, hints, stated = _without_front_matter(text, hints, builder)
    lang = hints.lang or detect_language(text[:_FOR_LANGUAGE])
    source = classify_lines(with_paragraphs_apart(in_reading_order(text)))
    _PassageWriter(builder, source).write()
    if source.marks:
        builder.left_out["Markdown"] += source.marks
    outer = outer_lines(source.lines, source.omitted, source.parts, source.rules)
    outer = replace(outer, front=(*stated, *outer.front))
    file = re.split(r"[/\\!]", snapshot.where)[-1]
    edition = find_edition((*outer.front, *outer.heads), outer.end, text[:_FOR_DATES], file)
    title = find_title(outer)
    game, doubt = hints.game, ""
    if not game:
        inside = range(min(source.rules, default=len(source.lines)), len(source.lines))
        rules = "\n".join(source.lines[n] for n in inside if n not in source.omitted)
        game, doubt = _game(title, outer, text, rules)
    builder.warnings += _warnings(source) + health_warnings(source, outer.front)
    builder.warnings += glossary_warnings(source.lines, source.parts, source.glossaries)
    if not hints.edition and edition.doubt:
        builder.warnings.append(
            ReadWarning("edition", edition.doubt, () if edition.name else ("edition",))
        )
    if doubt:
        builder.warnings.append(ReadWarning("game", doubt, ("game",)))
    if lang == UNDETERMINED:
        builder.warnings.append(ReadWarning("language", _NO_LANGUAGE, ("lang",)))
    name, document = hints.edition or edition.name, document_of_title(title.lines)
    dated = name or "undated"
    book = f"document/{document}-{dated}" if document else f"cr/{dated}"
    return [
        builder.page(
            source="rulebook",
            engine="rulebook",
            name=f"{game or 'rules'}/{book}/{lang}",
            title=title.text or file,
            url=snapshot.url,
            lang=lang,
            game=game,
            form="rulebook text",
            edition=name,
            document=document,
            chars=size,
        )
    ]


def _without_front_matter(
    text: str, hints: Hints, builder: PageBuilder
) -> tuple[str, Hints, tuple[str, ...]]:
    """Return a text whose lines of YAML in front are empty, the hints with what these state, where
    they have none, and what they call the book.

    Only `key: value` in lines of their own are understood: of `game`, `lang` or `language`, and
    what dates an edition, those that name none are passed over. What they call the book are `title`
    and `description`. Without such lines, the text and the hints are as they were.
    """
    head = FRONT_MATTER.match(text)
    if head is None:
        return text, hints, ()
    builder.leave_out("front matter", head[0])
    stated = {key.lower(): value.strip(" \"'") for key, value in _STATED.findall(head[0])}
    game, lang = stated.get("game", ""), stated.get("lang", stated.get("language", ""))
    editions = (edition_of(stated[key]) for key in _EDITION_KEYS if key in stated)
    hints = replace(
        hints,
        game=hints.game or game_of_title(game) or (game if is_id(game) else None),
        lang=hints.lang or (lang if lang in LANGUAGE_CODES else None),
        edition=hints.edition or next(filter(None, editions), None),
    )
    titles = tuple(stated[key] for key in ("title", "description") if key in stated)
    return "\n" * head[0].count("\n") + text[head.end() :], hints, titles


def _game(title: Title, outer: OuterLines, text: str, rules: str) -> tuple[str | None, str]:
    """Return the id of a book's game, and what is doubtful about it, if anything is.

    It is that of its title, known or not, else the known game that the lines before the rules name
    most often, or else the beginning of the text. A title whose words the book never uses again
    names no game, if the book names a known one.

    rules: the text of the rules; without any, the first line is hardly a title, and names no game
        that is not known.
    """
    called = next(filter(None, map(game_called, title.names)), None)
    if known := game_of_title("\n".join(title.lines)) or called:
        return known, ""
    often = game_of_rulebook(text[:_FOR_GAME], least=_OFTEN)
    if title.names and rules:
        # Whose rights a line states, and who never comes up in the rules, is no game.
        owners = "\n".join(line for line in text[:_FOR_GAME].split("\n") if _OWNER.search(line))
        likely = (*title.joined, *title.pieces, *title.names)
        # One over several lines of the title may have too much space in it to be counted there.
        again = [
            name
            for name in likely
            if _uses(name, text) > 1 or (name in title.joined and _uses(name, rules))
            if _uses(name, rules) or not _uses(name, owners)
        ]
        # A publisher or a slogan is said again in the heads of pages; the game in its rules.
        if again:
            best = max(again, key=lambda name: _uses(name, rules) * (name.count("-") + 1))
            return best, _doubt(best, title)
        if not often:
            return title.names[0], _NAMED_ONCE.format(title.names[0])
        what = f"the title names no game that is known; the one that the book names is {often}"
        return often, what
    if often:
        return often, ""
    once = game_of_rulebook("\n".join(outer.front)) or game_of_rulebook(text[:_FOR_GAME])
    what = f"no game is named in the title; the one that the text mentions is {once}"
    return once, what if once else _NO_GAME


def _doubt(name: str, title: Title) -> str:
    """Return what to say of a name that is not that of the title's first line with a name: it may
    be a publisher's or an edition's. Empty if it is, or a part of that."""
    first = next(filter(None, (tuple(names_in(line)) for line in title.lines)), ())
    return "" if any(name in each for each in first) else _NAMED_BELOW.format(name)


def _uses(name: str, text: str) -> int:
    """Return how often a name in a title, as its id, is used in the text, as names are written: not
    with a small letter in front. Only the first `_FOR_LANGUAGE` characters are counted in."""
    words = re.escape(name).replace(r"\-", r"\W{1,3}")
    if name.isascii():
        words = rf"\b{words}\b"
    found = re.finditer(words, unicodedata.normalize("NFKC", text[:_FOR_LANGUAGE]), re.IGNORECASE)
    return sum(not match[0][0].islower() for match in found)


def _warnings(source: ClassifiedLines) -> list[ReadWarning]:
    """Return a warning if few of the book's numbered lines are rules, if a number comes twice or
    out of order, or if there are no rules.

    It is in a list, which is empty otherwise. It names the first three of the lines that were not
    understood; with no rules, of those that have a number in front.
    """
    unread = list(unread_lines(source))
    if len(unread) < max(_UNREAD_LINES, _UNREAD_SHARE * len(source.rules)):
        unread = source.unread
    if not source.rules:
        what = "no numbered rules were found in what is taken for a rulebook"
    elif unread:
        what = (
            f"numbered lines that are not among the {len(source.rules)} rules: {len(unread)}; "
            "each is kept as text of the rule before it"
        )
    else:
        return []
    if not unread:
        numbered = (n for n, line in enumerate(source.lines) if _DIGIT_NEAR.match(line))
        unread = list(islice(numbered, 3))
    shown = "; ".join(f"line {n + 1}: {source.lines[n].strip()[:40]}" for n in unread[:3])
    return [ReadWarning("numbering", f"{what} ({shown})" if shown else what)]


def _sends_elsewhere(text: str) -> bool:
    """Whether a paragraph says nothing but which rule tells more: `See rule 375.`"""
    has_number = len(text) <= _LONGEST_REFERENCE and _RULE_NUMBER.search(text)
    return bool(has_number) and any(words.search(text) for words in _reference_words())


@cache
def _reference_words() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of what a reference to another rule begins with, and ends in, in all
    languages."""
    before = alternatives(lambda lang: lang.see_before)
    behind = alternatives(lambda lang: lang.see_behind)
    return re.compile(rf"^{before}(?!\w)", re.IGNORECASE), re.compile(rf"{behind}\w{{0,9}}[.。]?$")


@dataclass(slots=True)
class _PassageWriter:
    """Makes the passages of a rulebook from its classified lines, joining broken lines.

    part: the current part: `front`, `rules`, or a `Part`.
    rule, entry: the indices of the passages of the last rule and glossary entry.
    kind, level, stated, held: the open passage: its kind, its level if it may be a heading (else
        0), the number of the rule that it states, if any, and its lines so far.
    entries: how many passages are entries of a table of contents, which come first.
    last: the last line that was not blank or omitted.
    unread: the lines that begin as rules do and are none, each in a passage of its own.
    blank, turned: whether a blank line, or an omitted one (a page break), followed it.
    """

    builder: PageBuilder
    source: ClassifiedLines
    part: str = "front"
    rule: int | None = None
    entry: int | None = None
    kind: PassageKind = "title"
    level: int = 0
    held: list[str] = field(default_factory=list)
    stated: RuleNumber | None = None
    entries: int = 0
    last: str = ""
    unread: frozenset[int] = frozenset()
    blank: bool = False
    turned: bool = False

    def write(self) -> None:
        """Add the passages of all lines to the page."""
        self.unread = frozenset(self.source.unread)
        for n, line in enumerate(self.source.lines):
            if n in self.source.omitted:
                self._omit(n, line)
                self.turned = True
            elif not line.strip():
                self.blank = True
            else:
                self._add_line(n, line)
                self.last = line
                self.blank = self.turned = False
        self._close()

    def _omit(self, n: int, line: str) -> None:
        """Leave a line out under its reason; one of the contents for a rule that the book does not
        have becomes a passage with a link to it, and only the rest of the line is left out."""
        entry = self.source.entries.get(n)
        if entry:
            self._close()
            link = Link(0, len(entry.text), "rule", entry.number)
            self.builder.add(Passage("contents", entry.text, links=(link,)))
            self.entries += 1
            line = entry.rest
        self.builder.leave_out(self.source.omitted[n], line)

    def _add_line(self, n: int, line: str) -> None:
        """Begin a passage with a line, or add it to the open passage. `n` is its index.

        In this order: the heading of a part (which becomes `part`), a line of a glossary, a rule,
        the title (the very first line that is no entry of contents), an example, a list item, a
        continuation of the open passage, a passage without a mark.
        """
        text = line.strip()
        if n in self.source.parts:
            number = heading_number(text)
            self._open("heading", text, level=len(number.key) if number else 1)
            if number:  # the glossary may be chapter 10
                self.stated = RuleNumber(number.number, *number.span, number.start)
            self._close()
            self.part, self.rule, self.entry = self.source.parts[n], None, None
        elif n in self.source.glossaries:
            self.part = "glossary"
            self._add_glossary_line(n)
        elif n in self.source.chapters:
            self.part = "rules"
            self._open("heading", text, level=1)
            self._close()
            self.rule = None
        elif n in self.source.rules:
            self.part = "rules"
            self._open_rule(self.source.rules[n], text)
        elif not self.held and len(self.builder.passages) == self.entries:
            self._open("title", text)
        elif self._begins_example(n, text):
            self._open("example", text)
        elif BULLET.match(text) and not (text[0] == "・" and self._breaks_sentence(line)):
            self._open("example" if self._goes_on_with_example(text) else "item", text)
        elif _TABLE_ROW.match(text):
            self._open("row", text)
        elif n not in self.unread and self._continues(line):
            self.held.append(line)
        elif self._goes_on_with_example(text):
            self._open("example", text)
        else:
            self._open("note" if self.part == "history" else "paragraph", text)

    def _begins_example(self, n: int, text: str) -> bool:
        """Whether a line begins an example, or a question that one of the next lines answers, as in
        a box beside the rules."""
        if _QUESTION.match(text):
            following = self.source.lines[n + 1 : n + 1 + _LONGEST_QUESTION]
            return any(map(_ANSWER.match, following))
        return begins_example(text) and (text[0] not in "(（" or ends_sentence(self.last))

    def _goes_on_with_example(self, text: str) -> bool:
        """Whether a new paragraph goes on with an example: anything behind it but a sentence that
        sends the reader to other rules, which is the rule's own. Among the rules only, and if the
        open passage is an example."""
        is_example = bool(self.held) and self.kind == "example" and self.part == "rules"
        return is_example and not _sends_elsewhere(text)

    def _open_rule(self, rule: NumberedLine, text: str) -> None:
        """Begin the passage of a rule, with a single space, if any, after its number.

        text: the stripped line, the number included.
        """
        heading = rule.line in self.source.headings
        number = text[: rule.start].rstrip()
        gap = " " if number != text[: rule.start] else ""
        self._open("paragraph", number + gap + text[rule.start :])
        self.level = len(rule.key) if heading else 0
        self.stated = RuleNumber(rule.number, *rule.span, len(number + gap))

    def _open(self, kind: PassageKind, text: str, level: int = 0) -> None:
        """Begin a passage with its first line, after the open one is closed.

        level: the level of a heading; 0 for what is none.
        """
        self._close()
        self.kind, self.level, self.held, self.stated = kind, level, [text], None

    def _close(self) -> None:
        """Add the open passage, if any, to the page.

        It becomes a heading if that is its kind, or if it has a `level` and the shape of a heading,
        or of one call or question: "Start!" above its sub-rules names them.
        Rules (numbered paragraphs) and entries have no parent. A gloss has the last entry as its
        parent, any other passage among the rules the last rule or heading. `rule` and `entry` are
        updated.
        """
        if not self.held:
            return
        text, self.held = page_layout.join_lines(self.held), []
        if self.kind == "heading" or self._may_be_heading(text):
            passage = Passage("heading", text, rule=self.stated)
            index = self.builder.heading(passage, self.level)
            self.rule = index if self.part == "rules" else None
        elif self.kind in ("entry", "gloss"):
            parent = self.entry if self.kind == "gloss" else None
            index = self.builder.add(Passage(self.kind, text, parent=parent, rule=self.stated))
            self.entry = index if self.kind == "entry" else self.entry
        elif self.stated:
            self.rule = self.builder.add(Passage(self.kind, text, rule=self.stated))
        else:
            parent = self.rule if self.part == "rules" else None
            self.builder.add(Passage(self.kind, text, parent=parent))

    def _may_be_heading(self, text: str) -> bool:
        """Whether the open passage, with its whole text, has a level and a heading's shape."""
        return self.level > 0 and (looks_like_heading(text) or is_call_or_question(text))

    def _breaks_sentence(self, line: str) -> bool:
        """Whether a line continues an unfinished sentence: then a dot at its start is one within a
        name."""
        return self._continues(line) and not ends_sentence(self.last)

    def _continues(self, line: str) -> bool:
        """Whether a line, not stripped, continues the open passage; never if there is none.

        Never either after a title, heading or row of a table, or in a file where each line is a
        paragraph. After a page break (`turned`) it does if `last` ends no sentence, or among the
        rules unless `level` is set. Else never after a blank line; it does if `last` is full, or,
        among the rules, if `last` ends no sentence and is not the first line of what may be a
        heading. An example goes on behind anything until a sentence ends.
        """
        edge = self.source.edge
        if self.held and self.kind == "example" and not ends_sentence(self.last):
            return True
        if not self.held or edge is None or self.kind in ("title", "heading", "row"):
            return False
        last = self.last
        is_full = page_layout.is_full(last, line, edge)
        follows_heading = bool(self.level) and len(self.held) == 1
        if self.turned and (is_full or not follows_heading):
            return not ends_sentence(last) or (self.part == "rules" and not self.level)
        if self.blank or is_full:
            return not self.blank
        return self.part == "rules" and not ends_sentence(last) and not follows_heading

    def _add_glossary_line(self, n: int) -> None:
        """Begin passages with the headword and the gloss in a line of a glossary, or add it to the
        open passage. `n` is its index."""
        for piece in self.source.glossaries[n]:
            if piece.continues and self.held:
                self.held.append(piece.text)
            else:
                self._open(piece.kind, piece.text, level=2 if piece.kind == "heading" else 0)
                rule = self.source.rules.get(n)
                if rule and piece.kind == "entry":
                    self.stated = RuleNumber(rule.number, *rule.span, rule.start)
