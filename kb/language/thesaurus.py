"""Loads the thesaurus: groups of words that stand for one another in questions.

The groups are in two tables beside this file, one a row: `thesaurus.tsv` has what people say in
everyday words, `vocabulary.tsv` what card games call things in Japanese and English. Only questions
are widened by them, never a text; what single terms are called, in either language, is in the
graph. Questions are looked up in normal forms. To find these takes longer than to answer a
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

from kb.language.tokens import Token, normal_forms, stem, tokenizer

TABLES = tuple(Path(__file__).with_name(f"{name}.tsv") for name in ("thesaurus", "vocabulary"))
FORMS = Path(__file__).with_name("thesaurus_forms.tsv")
_CONTEXTS = (("", ""), ("", "を持つ"), ("", "の時"), ("相手の", "に"), ("", "とは"))
_SEPARATOR = re.compile(r"\s*[,、]\s*")
# What stands between the words of one phrase: particles, endings, signs; spaces are folded to "".
_LINKS = frozenset("の に を が へ で と な た て れ し ・ - ‐ ' ’ & =".split()) | {""}


def related_words(form: str) -> frozenset[str]:
    """The words, or phrases, that stand for a word or phrase in questions.

    A row of the thesaurus in two languages gives a word its translations, a row in one language
    the other words of the row. All are in normal forms, the words of a phrase separated by
    spaces. The form itself is not among them; empty if it is in no row.

    form: the word or phrase in normal forms, too: an inflected Japanese word finds nothing. An
        English word that is in no row finds what words of its stem stand for.

    >>> {"負ける", "lose"} <= related_words("敗北")
    True
    >>> "生け贄" in related_words("sacrificing")
    True
    """
    groups = _groups()
    if form in groups or not form.isascii():
        return groups.get(form, frozenset())
    return _groups_by_stem().get(_stem_words(form), frozenset())


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


def read_rows(lines: Iterable[str]) -> Iterator[tuple[list[str], list[str]]]:
    """The Japanese and the English words of each row of the table, as they are written there.
    Raises ValueError, which quotes the row, for a row with fewer than two words.

    lines: the lines of the table, with the header first; lines that begin with `#` are skipped.

    >>> list(read_rows(["# why", "japanese\\tenglish\\tcomment", "負ける、敗北\\tlose, loses\\t"]))
    [(['負ける', '敗北'], ['lose', 'loses'])]
    """
    table = csv.DictReader(
        (line for line in lines if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE
    )
    for row in table:
        sides = [
            [word for word in _SEPARATOR.split((row[name] or "").strip()) if word]
            for name in ("japanese", "english")
        ]
        if sum(map(len, sides)) < 2:
            raise ValueError(f"a group of one word: {row}")
        yield sides[0], sides[1]


def rows_in_normal_forms() -> Iterator[str]:
    """The lines of `thesaurus_forms.tsv`: a comment, then each row of the tables in normal forms,
    its Japanese and its English words separated by a tab and the words by commas.

    The comment has the digest of the tables that the lines were made from.
    """
    texts = [table.read_text(encoding="utf-8") for table in TABLES]
    digest = sha256("".join(texts).encode()).hexdigest()[:16]
    yield f"# Written by `python -m kb.language.thesaurus` from the tables with the digest {digest}."
    for text in texts:
        for sides in read_rows(text.splitlines()):
            yield "\t".join(
                ",".join(dict.fromkeys(form for word in side for form in _forms_in_context(word)))
                for side in sides
            )


@cache
def _groups() -> Mapping[str, frozenset[str]]:
    """For each word or phrase what stands for it, in normal forms: its translations, or the other
    words of its row if the row has words of one language only.

    A form in several rows gets the words of all of them. No form stands for itself.
    """
    found: dict[str, set[str]] = defaultdict(set)
    _, *lines = FORMS.read_text(encoding="utf-8").splitlines()
    for line in lines:
        ours, theirs = ({*side.split(",")} - {""} for side in line.split("\t"))
        if not ours or not theirs:
            ours = theirs = ours | theirs
        for form in ours:
            found[form] |= theirs
        for form in theirs:
            found[form] |= ours
    return {form: frozenset(others - {form}) for form, others in found.items()}


@cache
def _groups_by_stem() -> Mapping[str, frozenset[str]]:
    """For each stemmed English word or phrase what stands for the words of that stem."""
    found: dict[str, frozenset[str]] = defaultdict(frozenset)
    for form, others in _groups().items():
        if form.isascii():
            found[_stem_words(form)] |= others
    return dict(found)


def _stem_words(form: str) -> str:
    """A phrase with each English word stemmed."""
    return " ".join(map(stem, form.split()))


def _forms_in_context(phrase: str) -> list[str]:
    """What normal forms the content words of a phrase have, joined by spaces: alone and, as Sudachi
    splits some words in other ways there, within sentences."""
    forms = {"": None}
    for before, after in _CONTEXTS[: 1 if phrase.isascii() else None]:
        tokens = tokenizer()(before + phrase + after)
        start, end = len(before), len(before + phrase)
        inner = [token for token in tokens if start <= token.start and token.end <= end]
        if inner and (inner[0].start, inner[-1].end) == (start, end):
            forms[" ".join(form for form, _, _ in normal_forms(inner))] = None
    return [form for form in forms if form]


if __name__ == "__main__":
    FORMS.write_text("".join(f"{line}\n" for line in rows_in_normal_forms()), encoding="utf-8")
