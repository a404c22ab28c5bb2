"""Keeps what people wrote for people in source code, data and markup: comments, strings, text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

# Files that are read whole. All others for which Pygments has a lexer are code.
_PROSE = frozenset(
    ".adoc .bbcode .csv .log .md .markdown .mediawiki .org .rst .srt .tex .text .tmx .tsv "
    ".txt .vtt .wiki .wikitext .xlf .xliff".split()
)
# Of which text counts besides comments and the values of attributes.
_MARKUP = frozenset(".htm .html .xhtml .xml .svg .vue".split())
_PROSE_ATTRIBUTES = ("title", "alt", "aria-", "data-", "content", "label", "placeholder", "summary")
_MARKS = ("<!--", "-->")  # of comments, which are left out of what people read
_WITHOUT_QUOTES = str.maketrans("\"'`", "   ")
_SIGN = re.compile(r"[^\n]")
_NAMED_AS = {".ipynb": "a.json"}  # by their suffix: files that Pygments knows by another one
_TABLES = frozenset((".csv", ".tsv"))
_CELL = r'(?:^|(?<={0}))"((?:[^"]|""){{0,4000}})"(?={0}|\r?$)|{0}'
_DOUBLED = re.compile(r'""(\w)?')
_YAML = frozenset((".yaml", ".yml"))
_RULE_KEY = re.compile(r"(?i)\b(?:cr|rules?|cit(?:es?|ations?)|ref(?:s|erences?)?)\b|ルール|規則")
_PLAIN_NUMBER = re.compile(r"[\d.,\s]+")
# Names of tests and functions that have the number of a rule: test_704_5c_poison, CR704_5c.
_NAMES_RULE = re.compile(r"[1-9]\d\d_\d{1,3}(?:[a-z]|[A-Z]{1,2})?(?![A-Za-z\d])|`[^`]*\d")


def is_code(name: str) -> bool:
    """Return whether a file is source code or data, by its name: not prose, nor markup.

    >>> is_code("src/rules.rs"), is_code("README.md"), is_code("help.html"), is_code("notes")
    (True, False, False, False)
    """
    return Path(name).suffix.lower() not in _MARKUP and _lexer(name) is not None


@lru_cache(64)
def _lexer(name: str) -> Any:
    """Return Pygments' class for a file, by its name; None for prose, and without one."""
    path = Path(name)
    if path.suffix.lower() in _PROSE:
        return None
    from pygments.lexers import find_lexer_class_for_filename

    return find_lexer_class_for_filename(_NAMED_AS.get(path.suffix.lower(), path.name))


def written_words(name: str, text: str) -> str:
    """Return a text of the same length that has the comments and strings of code alone, of markup
    its text, too, of data its keys: in the place of everything else, and of the quotation marks of
    strings, there are spaces. Prose is returned as it is.

    name: of the file, by which its language is known. Line breaks stay.

    >>> written_words("x.c", "f(121.4); // CR 121.4")
    '          // CR 121.4'
    """
    suffix = Path(name).suffix.lower()
    if suffix in _TABLES:
        return _cells(text)
    lexer = _lexer(name)
    if lexer is None:
        return text
    kept = list(_SIGN.sub(" ", text))
    uses = _KindsOfTokens(suffix)
    key = ""  # of an attribute, or of data
    # With a line break at the end, without which some lexers miss a comment there.
    tokens = lexer(stripnl=False).get_tokens_unprocessed(f"{text}\n")
    for use, at, words in _whole_values((uses[kind], at, words) for at, kind, words in tokens):
        if not use:
            continue
        if use in ("key", "attribute"):
            key = words.strip(" =")
        if use == "string" and uses.is_markup and not key.startswith(_PROSE_ATTRIBUTES):
            continue
        # A number alone is a rule's only if its key says so: `timeout: 603.2` is none.
        if use == "value" and _PLAIN_NUMBER.fullmatch(words) and not _RULE_KEY.search(key):
            continue
        if use == "attribute" or (use == "name" and not _NAMES_RULE.search(words)):
            continue
        if use == "comment":
            for mark in _MARKS if uses.is_markup else ():
                words = words.replace(mark, " " * len(mark))
        elif use != "text":
            words = words.translate(_WITHOUT_QUOTES)
        kept[at : at + len(words)] = words
    return "".join(kept)[: len(text)]


def _whole_values(tokens: Iterable[tuple[str, int, str]]) -> Iterator[tuple[str, int, str]]:
    """Yield (use, where it begins, text) of tokens, the words and spaces of a value as one: in
    `- CR 121.4` the number is not alone."""
    last: tuple[str, int, str] | None = None
    for use, at, words in tokens:
        if last and use == "value" == last[0] and last[1] + len(last[2]) == at:
            last = use, last[1], last[2] + words
            continue
        if last:
            yield last
        last = use, at, words
    if last:
        yield last


def _cells(text: str) -> str:
    """Return a table with | between its cells, and around those in quotation marks, which quote
    nothing; commas and marks within a cell are those of its words."""
    mark = max(",;\t", key=text.partition("\n")[0].count)

    def shown(cell: re.Match[str]) -> str:
        return "|" if cell[1] is None else f"|{_DOUBLED.sub(_one_mark, cell[1])}|"

    return re.sub(_CELL.format(mark), shown, text, flags=re.MULTILINE)


def _one_mark(doubled: re.Match[str]) -> str:
    """Return one quotation mark for two in a cell, at the side of the words that it quotes."""
    return f' "{doubled[1]}' if doubled[1] else '" '


class _KindsOfTokens(dict[Any, str]):
    """{Pygments' type of a token: what it is}, of a file with a suffix; empty for what is blanked.

    comment, string, text (of markup), attribute and key; value (of YAML, without quotation marks);
    name: what may have a rule's number in it.
    """

    def __init__(self, suffix: str) -> None:
        super().__init__()
        self.is_markup, self._is_yaml = suffix in _MARKUP, suffix in _YAML

    def __missing__(self, kind: Any) -> str:
        from pygments.token import Comment, Literal, Name, String, Text

        use = ""
        if kind in String:
            use = "string"
        elif kind in Comment:
            use = "" if kind in Comment.Preproc else "comment"
        elif self.is_markup:
            use = "attribute" if kind in Name.Attribute else "text" if kind in Text else ""
        elif kind in Name.Tag:  # `"rule": "704.5"`
            use = "key"
        elif self._is_yaml and (
            kind in Literal.Scalar or kind in Name.Variable or kind in Name.Constant
        ):
            use = "value"
        elif kind in Name:
            use = "name"
        self[kind] = use
        return use
