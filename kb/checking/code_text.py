"""Keeps what people wrote for people in source code, data and markup: comments, strings, text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

# Files that are read whole. All others for which Pygments has a lexer are code.
_PROSE = frozenset(
    ".adoc .bbcode .csv .log .md .markdown .mediawiki .org .po .pot .rst .srt .tex .text .tmx .tsv "
    ".txt .vtt .wiki .wikitext .xlf .xliff".split()
)
# Of which text counts besides comments and the values of attributes.
_MARKUP = frozenset(".htm .html .xhtml .xml .svg .vue".split())
_PROSE_ATTRIBUTES = ("title", "alt", "aria-", "data-", "content", "label", "placeholder", "summary")
_MARKS = ("<!--", "-->")  # of comments, which are left out of what people read
_QUOTES = "\"'`"


def is_code(name: str) -> bool:
    """Return whether a file is source code or data, by its name: not prose, nor markup.

    >>> is_code("src/rules.rs"), is_code("README.md"), is_code("help.html"), is_code("notes")
    (True, False, False, False)
    """
    return Path(name).suffix.lower() not in _MARKUP and _lexer(name) is not None


def _lexer(name: str) -> Any:
    """Return Pygments' class for a file, by its name; None for prose, and without one."""
    path = Path(name)
    if path.suffix.lower() in _PROSE:
        return None
    from pygments.lexers import find_lexer_class_for_filename

    return find_lexer_class_for_filename(path.name)


def written_words(name: str, text: str) -> str:
    """Return a text of the same length that has the comments and strings of code alone, of markup
    its text, too, of data its keys: in the place of everything else, and of the quotation marks of
    strings, there are spaces. Prose is returned as it is.

    name: of the file, by which its language is known. Line breaks stay.

    >>> written_words("x.c", "f(121.4); // CR 121.4")
    '          // CR 121.4'
    """
    lexer = _lexer(name)
    if lexer is None:
        return text
    from pygments.token import Comment, Name, String, Text

    kept = [" " if sign != "\n" else sign for sign in text]
    is_markup = Path(name).suffix.lower() in _MARKUP
    # With a line break at the end, without which some lexers miss a comment there.
    attribute = ""
    for at, kind, words in lexer(stripnl=False).get_tokens_unprocessed(f"{text}\n"):
        attribute = words.strip(" =") if kind in Name.Attribute else attribute
        if kind in String and (not is_markup or attribute.startswith(_PROSE_ATTRIBUTES)):
            kept[at : at + len(words)] = (" " if sign in _QUOTES else sign for sign in words)
        elif kind in Comment and kind not in Comment.Preproc:
            for mark in _MARKS if is_markup else ():
                words = words.replace(mark, " " * len(mark))
            kept[at : at + len(words)] = words
        elif kind in Text and is_markup:
            kept[at : at + len(words)] = words
        elif kind in Name.Tag and not is_markup:  # `"rule": "704.5"`
            kept[at : at + len(words)] = (" " if sign in _QUOTES else sign for sign in words)
    return "".join(kept)[: len(text)]
