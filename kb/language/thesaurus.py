"""Loads the thesaurus: groups of words that stand for one another in questions.

The groups are in three tables beside this file, one a row: `thesaurus.tsv` has words of everyday
language, `thesaurus_of_games.tsv` what card games call things in Japanese and in English,
`slang.tsv` what players say and what rulebooks write for it. Only questions are widened by them,
never a text; what single terms are called, in either language, is in the graph.

Questions are looked up in normal forms. To find those of the tables takes longer than to answer a
question, so they are kept in `thesaurus_forms.tsv`, which `python -m kb.language.thesaurus` writes.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

from kb.language.tokens import Token, normal_forms, tokenizer

BOTH_WAYS, ONE_WAY = "=", ">"
TABLES = {  # each with the names of its columns, and in which directions a row is read
    Path(__file__).with_name("thesaurus.tsv"): (("japanese", "english"), BOTH_WAYS),
    Path(__file__).with_name("thesaurus_of_games.tsv"): (("japanese", "english"), BOTH_WAYS),
    Path(__file__).with_name("slang.tsv"): (("said", "written"), ONE_WAY),
}
FORMS = Path(__file__).with_name("thesaurus_forms.tsv")
_NAMES = "thesaurus_of_games.tsv"
# Words around a phrase in which Sudachi splits some words otherwise than alone: by hand, those that
# questions have most.
_CONTEXTS = (("", ""), ("", "を持つ"), ("", "の時"), ("相手の", "に"), ("", "とは"))
_Y_ENDING = re.compile(r"(?<=\w\w)ie[sd]\b")
_ENDING = re.compile(r"(?<=\w\w)(?:ing|ed|es|(?<!s)s|e)\b")
_DOUBLED = re.compile(r"([a-z])\1\b")
_SEPARATOR = re.compile(r"\s*[,、]\s*")
# What stands between the words of one phrase: particles, endings, signs; spaces are folded to "".
_LINKS = frozenset("の に を が へ で と な た て れ し ・ - ‐ ' ’ & =".split()) | {""}


def related_words(form: str) -> frozenset[str]:
    """The words, or phrases, that stand for a word or phrase in questions.

    A row in two languages gives a word its translations, a row in one language the other words of
    the row, and a row of slang gives a word what rulebooks write for it. All are in normal forms,
    the words of a phrase separated by spaces. The form itself is not among them; empty if it is in
    no row.

    form: the word or phrase in normal forms, too: an inflected Japanese word finds nothing. An
        English word that is in no row finds what its other inflected forms stand for.

    >>> {"負ける", "lose"} <= related_words("敗北")
    True
    >>> "生け贄" in related_words("sacrificing")
    True
    """
    groups = _groups()
    if form in groups or not form.isascii():
        return groups.get(form, frozenset())
    return _groups_without_endings().get(_without_endings(form), frozenset())


def translations(form: str) -> frozenset[str]:
    """What card games call a thing in the other language, Japanese or English, as it is written.

    form: a name in that language, in normal forms. The result is empty if the vocabulary lacks it.

    >>> sorted(translations("先制 攻撃")), translations("塗装")
    (['first strike'], frozenset())
    """
    return _translations().get(form, frozenset())


def phrase_form(tokens: Sequence[Token]) -> str:
    """The normal forms of the words of a phrase as the thesaurus has it, joined by spaces, without
    the particles and signs that link them (戦場に出る, S・トリガー).

    Empty if the tokens are no phrase: if they begin or end with a particle or a sign, or have one
    between them that links no words, such as a full stop.

    >>> phrase_form(tokenizer()("戦場に出る")), phrase_form(tokenizer()("戦場？出る"))
    ('戦場 出る', '')
    """
    entries = [token.entry for token in tokens]
    if not entries or entries[0].function or entries[-1].function:
        return ""
    if any(entry.function and entry.spelled not in _LINKS for entry in entries):
        return ""
    return " ".join(form for form, _, _ in normal_forms(tokens))


@cache
def longest_phrase() -> int:
    """The number of words (tokens, joined by spaces in normal forms) in the longest phrase."""
    return max(form.count(" ") + 1 for form in _groups())


def read_rows(
    lines: Iterable[str], columns: tuple[str, str] = ("japanese", "english")
) -> Iterator[tuple[list[str], list[str]]]:
    """The words in two columns of each row of a table, in order, as they are written there; they
    are separated by commas, and an empty cell has none. Raises ValueError, which quotes the row,
    for a row with fewer than two words, and KeyError for a table without such a column.

    lines: the lines of the table, with the header first; lines that begin with `#` are skipped.
    columns: the names of the two columns.

    >>> list(read_rows(["# why", "japanese\\tenglish\\tcomment", "負ける、敗北\\tlose, loses\\t"]))
    [(['負ける', '敗北'], ['lose', 'loses'])]
    """
    table = csv.DictReader(
        (line for line in lines if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE
    )
    for row in table:
        sides = [
            [word for word in _SEPARATOR.split((row[name] or "").strip()) if word]
            for name in columns
        ]
        if sum(map(len, sides)) < 2:
            raise ValueError(f"a group of one word: {row}")
        yield sides[0], sides[1]


def rows_in_normal_forms() -> Iterator[str]:
    """The lines of `thesaurus_forms.tsv`: a comment, then each row of the tables in normal forms:
    the words of its first column, those of its second, separated by commas, and how they stand to
    one another: `=` if in both directions, `>` if only the first find the second. A row of names
    has the names of both columns behind, as they are written.

    The comment has the digest of the tables that the lines were made from.
    """
    yield f"# Written by `python -m kb.language.thesaurus` from tables with the digest {digest()}."
    for table, (columns, direction) in TABLES.items():
        for sides in read_rows(table.read_text(encoding="utf-8").splitlines(), columns):
            forms = (
                ",".join(dict.fromkeys(form for word in side for form in _forms_in_context(word)))
                for side in sides
            )
            names = [",".join(side) for side in sides] if table.name == _NAMES else []
            yield "\t".join([*forms, direction, *names])


def digest() -> str:
    """A digest of the tables, which changes with them: 16 hexadecimal digits, as no more are needed
    to notice an edit."""
    return sha256(b"".join(table.read_bytes() for table in TABLES)).hexdigest()[:16]


@cache
def _lines() -> list[list[str]]:
    """The columns of each line of `thesaurus_forms.tsv` but for the comment, which is the first."""
    _, *lines = FORMS.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines]


@cache
def _translations() -> Mapping[str, frozenset[str]]:
    """For each name of the vocabulary, in normal forms, its names in the other language, as they
    are written; of a name in several rows, those of all."""
    found: dict[str, frozenset[str]] = defaultdict(frozenset)
    for japanese, english, _, *names in _lines():
        if names:
            for forms, others in ((japanese, names[1]), (english, names[0])):
                for form in forms.split(","):
                    found[form] |= {*others.split(",")}
    return dict(found)


@cache
def _groups() -> Mapping[str, frozenset[str]]:
    """For each word or phrase what stands for it, in normal forms: its translations, or the other
    words of its row if the row has words of one language only.

    A form in several rows gets the words of all of them. No form stands for itself.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for line in _lines():
        columns, direction = line[:2], line[2]
        first, second = ({*column.split(",")} - {""} for column in columns)
        if not first or not second:
            first = second = first | second
        for form in first:
            found[form] |= second
        for form in second if direction == BOTH_WAYS else ():
            found[form] |= first
    return {form: frozenset(others - {form}) for form, others in found.items()}


@cache
def _groups_without_endings() -> Mapping[str, frozenset[str]]:
    """For each English word or phrase without endings what stands for its inflected forms, for all
    of them together."""
    found: dict[str, frozenset[str]] = defaultdict(frozenset)
    for form, others in _groups().items():
        if form.isascii():
            found[_without_endings(form)] |= others
    return dict(found)


def _without_endings(form: str) -> str:
    """An English word or phrase without the endings of inflection. Stemming would take off more,
    and has one stem for general and generate.

    >>> _without_endings("sacrificing creatures") == _without_endings("sacrificed creature")
    True
    >>> _without_endings("tapped copies") == _without_endings("tap copy")
    True
    """
    form = _Y_ENDING.sub("y", form)
    return _DOUBLED.sub(r"\1", _ENDING.sub("", form))


def _forms_in_context(phrase: str) -> list[str]:
    """What normal forms the content words of a phrase have, joined by spaces: alone and, as Sudachi
    splits some words in other ways there, within sentences; each once, the one alone first. Empty
    for a phrase without content words. An English phrase has both kinds of apostrophes: can't is
    one word, can’t is two."""
    forms = {"": None}
    if phrase.isascii() and "'" in phrase:
        forms |= dict.fromkeys(_forms_in_context(phrase.replace("'", "’")))
    for before, after in _CONTEXTS[: 1 if phrase.isascii() else None]:
        tokens = tokenizer()(before + phrase + after)
        start, end = len(before), len(before + phrase)
        inner = [token for token in tokens if start <= token.start and token.end <= end]
        if inner and (inner[0].start, inner[-1].end) == (start, end):
            forms[" ".join(form for form, _, _ in normal_forms(inner))] = None
    return [form for form in forms if form]


if __name__ == "__main__":
    FORMS.write_text("".join(f"{line}\n" for line in rows_in_normal_forms()), encoding="utf-8")
