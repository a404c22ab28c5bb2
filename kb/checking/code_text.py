"""Keeps the comments and strings of source code: what people wrote for people."""

from __future__ import annotations

from pathlib import Path

# Files that are read whole: text, and data in which any value may be prose. All others for which
# Pygments has a lexer are code.
_PROSE = frozenset(
    ".adoc .bbcode .csv .htm .html .json .jsonl .log .md .markdown .mediawiki .org .po .pot .rst "
    ".srt .tex .text .tmx .toml .tsv .txt .vtt .wiki .wikitext .xhtml .xlf .xliff .xml .yaml .yml "
    ".properties .ini .cfg".split()
)
_QUOTES = "\"'`"


def is_code(name: str) -> bool:
    """Return whether a file is source code, by its name.

    >>> is_code("src/rules.rs"), is_code("README.md"), is_code("notes")
    (True, False, False)
    """
    path = Path(name)
    if path.suffix.lower() in _PROSE:
        return False
    from pygments.lexers import find_lexer_class_for_filename

    return find_lexer_class_for_filename(path.name) is not None


def comments_and_strings(name: str, text: str) -> str:
    """Return a text of the same length that has the comments and strings of code alone: in the
    place of everything else, and of the quotation marks of strings, there are spaces.

    name: of the file, by which its language is known. Line breaks stay.

    >>> comments_and_strings("x.c", 'f(121.4); // CR 121.4')
    '          // CR 121.4'
    """
    from pygments.lexers import find_lexer_class_for_filename
    from pygments.token import Comment, String

    lexer = find_lexer_class_for_filename(Path(name).name)
    if lexer is None:
        return text
    kept = [" " if sign != "\n" else sign for sign in text]
    for at, kind, words in lexer(stripnl=False, ensurenl=False).get_tokens_unprocessed(text):
        if kind in Comment and kind not in Comment.Preproc:
            kept[at : at + len(words)] = words
        elif kind in String:
            kept[at : at + len(words)] = (" " if sign in _QUOTES else sign for sign in words)
    return "".join(kept)
