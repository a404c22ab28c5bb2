"""Reads a reference that names nothing as it stands in the other ways that a person may mean it.

A person copies what is printed: an address, the name of a file, an id in other letters. And a
number of a rule has slips of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from graphs.store.reader import Store
from kb.language.citations.statute_citations import article_numbers
from kb.language.fold import fold
from scraper.rulebook.documents_beside_rulebook import RULEBOOK, named_documents
from scraper.rulebook.languages import alternatives
from scraper.rulebook.numbering import parse_number
from scraper.sites.games import game_called, game_of_title
from scraper.sites.page_address import canonical, read

_QUOTES = ("''", '""', "‘’", "“”", "``", "「」", "『』", "《》", "〈〉", "【】", "<>", "«»", "„“")
# An address, of which people leave out the scheme: a host with a full stop, and a slash behind it.
_URL = re.compile(r"(?:https?://)?[\w-]+(?:\.[\w-]+)+(?::\d+)?/\S*", re.IGNORECASE)
_FILE = re.compile(r"(?:^|[/.\w])[\w.+-]*\.\w|/")  # a suffix or a folder
_AROUND_NUMBER = " ,;:、。#()[]"
_KANJI_DIGITS = str.maketrans("〇一二三四五六七八九", "0123456789")
# 第100条, as statutes and Japanese books number; the signs around are optional.
_ARTICLE = re.compile(r"第?\s*([0-9][0-9.\-a-z]*)\s*[条項節章則番]?", re.IGNORECASE)
# What stands between several numbers that a person gives.
_SEPARATOR = re.compile(r"\s*(?:[,;、，；&+]|\band\b|\bor\b|\bto\b|と|および|または)\s*|\s+")
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_DIGITS = re.compile("[0-9]{8}")  # of a date, as ids have it
_HOMONYM = re.compile(r" \([^()]*\)$")  # what distinguishes the id of a term from another's
_LONGEST = 2000  # characters of what is read: a guard; addresses and paths are mostly much shorter


@dataclass(frozen=True, slots=True)
class OtherReference:
    """Another way to write what a reference may mean.

    refs: references that name something if they are in the graph: ids, numbers or a name.
    in_scope: whether only those count that are in the scope of the question, though they are ids.
    how: why they are the same, in words; empty if nobody needs to be told, as for quotation marks
        or an address.
    """

    refs: tuple[str, ...]
    how: str = ""
    in_scope: bool = False


def other_references(store: Store, ref: str) -> Iterator[OtherReference]:
    """Yield the other ways in which a reference may be meant, the surest first; often none. What is
    yielded need not be in the graph. A reference of more than 2,000 characters has none.

    ref: what a person typed, without white space around it.
    """
    if len(ref) > _LONGEST:
        return
    if bare := _without_quotes(ref):
        yield OtherReference((bare,))
    if pages := _pages_at(store, ref):
        yield OtherReference(pages)
    may_be_file = _FILE.search(ref) and not parse_number(ref)
    if may_be_file and (pages := tuple(store.provenance.pages_read_from(_bare_path(ref)))):
        yield OtherReference(pages)
    if "/" in ref:
        yield from _other_ids(store, ref)
    if rules := _rules_of_game(store, ref):
        yield OtherReference(rules, in_scope=True)
    if sections := _sections_of_documents(store, ref):
        yield OtherReference(sections, in_scope=True)
    for number in filter(None, dict.fromkeys((*article_numbers(ref), _number(ref)))):
        yield OtherReference((number,), "a number of a rule, written in another way")
    section = _section().fullmatch(ref)
    if section and section["roman"]:  # which is a number in few books
        rules = tuple(node.id for node in store.find_by_number(section["roman"].upper()))
        yield OtherReference(rules, in_scope=True)


def numbers_among(ref: str) -> tuple[str, ...]:
    """Return the numbers of rules among the words of a reference, in the form that ids have; each
    once, in order. A word is what stands between spaces, commas or `and`; it counts if it is
    nothing but a number, without signs around it. Only the first 2,000 characters are read.

    >>> numbers_among("rule 704.5b and 121"), numbers_among("121,4 and 引く")
    (('704.5b', '121'), ('121', '4'))
    """
    words = _SEPARATOR.split(ref[:_LONGEST])
    numbers = (parse_number(word) for word in words if word and word[:1].isalnum())
    return tuple(dict.fromkeys(number for number in numbers if number))


def page_of_address(ref: str) -> str | None:
    """Return the page that an address is of, as `source/name`; None for what is no address.

    >>> page_of_address("https://dm-wiki.com/?%BB%C8%A4%A6"), page_of_address("引く")
    ('dmwiki/使う', None)
    """
    address = read(ref) if len(ref) <= _LONGEST and "://" in ref else None
    return f"{address.source}/{address.name}" if address and address.name else None


def _without_quotes(ref: str) -> str:
    """Return a reference without all the quotation marks around it, one pair in another; empty if
    it has none, or nothing in them."""
    bare = ref
    while len(bare) > 2 and any(bare[0] + bare[-1] == pair for pair in _QUOTES):
        bare = bare[1:-1].strip()
    return bare if bare != ref else ""


def _pages_at(store: Store, ref: str) -> tuple[str, ...]:
    """Return the ids that an address may mean: the place in the page before the page itself.

    Addresses of a page are compared in their canonical form, without the scheme. Empty for what is
    no address or has a space. A page that is not loaded may be among them.
    """
    if not _URL.fullmatch(ref) or " " in ref:
        return ()
    url = ref if "://" in ref else f"https://{ref}"
    address = read(url)
    anchor = address.anchor if address else url.partition("#")[2]
    pages = [f"{address.source}/{address.name}"] if address and address.name else []
    if not store.get(pages):
        same = _comparable(url)
        pages = sorted(
            {page for page, of_page in store.provenance.page_urls() if _comparable(of_page) == same}
        )
    if address and address.name and not pages:  # a page that only redirects is a name of its target
        named = store.find_by_label(fold(address.name))
        pages = [node.id for node in named if node.source == address.source]
    sections = [f"{page}#{anchor}" for page in pages if anchor]
    return tuple(store.get(sections)) or tuple(pages)


def _comparable(url: str) -> str:
    """Return an address in the form in which two of one page are the same: canonical, without the
    scheme, the anchor and slashes at the end."""
    return canonical(url).partition("#")[0].partition("://")[2].rstrip("/")


def _bare_path(ref: str) -> str:
    """Return a path as it ends in the records of captures: without `./` and `../` before it.

    >>> _bare_path("./pages/../x.txt"), _bare_path("../../seeds/1.txt")
    ('pages/../x.txt', 'seeds/1.txt')
    """
    return re.sub(r"^(?:file://|(?:\.{1,2}/)+)", "", ref)


def _other_ids(store: Store, ref: str) -> Iterator[OtherReference]:
    """Yield the ids that are the same but for case and width; and of a rule's id the one with the
    edition that a file's name has the date of, if there is one alone. ref: has a slash in it."""
    page, mark, anchor = ref.partition("#")
    start, _, name = page.rpartition("/")
    if number := parse_number(name):
        rules = store.find_by_number(number)
        same = [rule.id for rule in rules if fold(rule.id) == fold(ref)]
        if same:
            yield OtherReference(tuple(same), "an id, in other letters")
        parts = [_DATE.sub(r"\1\2\3", part) for part in start.split("/")]
        dates = [part for part in parts if _DIGITS.fullmatch(part)]
        editions = {edition for date in dates for edition in (date, *store.editions_in(date))}
        dated = []
        for rule in rules:
            own = (rule.edition or "" if _DIGITS.fullmatch(part) else part for part in parts)
            if rule.edition in editions and fold(rule.id) == fold("/".join([*own, number])):
                dated.append(rule.id)
        if len(dated) == 1:
            yield OtherReference(tuple(dated), "the edition with this date, or from its file")
    labels = [page.partition("/")[2], name, _HOMONYM.sub("", name)]
    nodes = {
        node.id for label in dict.fromkeys(labels) for node in store.find_by_label(fold(label))
    }
    nodes.add(page.casefold())  # a name that is no label, such as that of a rulebook
    same = sorted(node for node in nodes if fold(node) == fold(page) and node != page)
    ids = [f"{node}{mark}{anchor}" for node in same]
    if ids:
        yield OtherReference(tuple(ids), "an id, in other letters")


def _rules_of_game(store: Store, ref: str) -> tuple[str, ...]:
    """Return the ids of the rules that the name of a game and a number name, as `MTG 704.5a` does;
    empty if nothing is named so."""
    name, _, rest = ref.partition(" ")
    number = parse_number(rest)
    game = game_called(name) if number else None
    return tuple(n.id for n in store.find_by_number(number or "") if game and n.game == game)


def _sections_of_documents(store: Store, ref: str) -> tuple[str, ...]:
    """Return the ids of the sections that a document's name and a number name, as `MTR 4.3` does;
    of the game that is named, if it has any; those in the language of the name first. Empty if no
    document or number is named."""
    named = named_documents(ref) or named_documents(ref.upper())
    if not named:
        return ()
    start, end, document = named[0]
    series = "rule" if document == RULEBOOK else document
    nodes = [
        node
        for number in numbers_among(f"{ref[:start]} {ref[end:]}")
        for node in store.find_by_number(number, "rule" if series == "rule" else "document")
        if node.series == series
    ]
    game = game_of_title(ref) or game_called(ref[:start].strip())
    of_game = [node for node in nodes if node.game == game]
    in_latin = ref.isascii()
    nodes = sorted(of_game or nodes, key=lambda node: (node.lang in ("ja", "zh", "ko")) == in_latin)
    return tuple(node.id for node in nodes)


def _number(ref: str) -> str | None:
    """Return the number of a rule that is written with a comma for a full stop, with spaces, with
    kanji as digits, as an article (第100条), or behind a word for a section; None for anything
    else.

    >>> [_number(ref) for ref in ("121,4", "704.5 b", "一〇〇", "第121.4条", "121 4")]
    ['121.4', '704.5b', '100', '121.4', None]
    >>> _number("section 121.4"), _number("chapter of cards")
    ('121.4', None)
    """
    written = ref.translate(_KANJI_DIGITS).strip(_AROUND_NUMBER)
    article = _ARTICLE.fullmatch(written)
    forms = [
        article[1] if article else written,
        re.sub(r"(?<=[0-9])\s*[,，、·・･．。:]\s*(?=[0-9a-z])", ".", written),
        re.sub(r"(?<=[0-9])\s+(?=[A-Za-z]$)", "", written),
        re.sub(r"(?<=[0-9])\s*\.\s*(?=[0-9])", ".", written),
    ]
    known = (parse_number(form) for form in forms if form != ref)
    if found := next((number for number in known if number), None):
        return found
    section = _section().fullmatch(ref)
    return parse_number(section["number"]) if section and section["number"] else None


@cache
def _section() -> re.Pattern[str]:
    """Return the pattern of the number of a section behind a word for it, or of a chapter whose
    number is Roman, with such a word or without."""
    words = alternatives(lambda language: language.section_words)
    roman = r"(?P<roman>[IVX]{1,5})"
    return re.compile(rf"(?:{words}\s+)?{roman}|{words}\s+(?P<number>\S+)", re.IGNORECASE)
