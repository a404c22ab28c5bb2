"""Makes the package of a new edition for a translator: XLIFF, a project of OmegaT, the termbase,
the memory, and a report by which the work is quoted; and checks what comes back of it."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from graphs.store.file.atomic_file import open_output
from graphs.store.reader import Store
from kb.errors import QuestionError, SourceError, StoreError
from kb.interchange import omegat, tbx, tmx, xliff
from kb.language.citations.citation_grammar import find_citations
from kb.language.fold import is_japanese
from kb.language.nearest_value import shown
from kb.query.lookup.common_filters import Scope
from kb.reason import Argument
from kb.result import ListResult, Result, columns
from kb.termbase.decisions_applied import DecisionNotice
from kb.termbase.edition_translation import EditionWork, State, WorkUnit, edition_work
from kb.termbase.example_sentences import translation_units
from kb.termbase.model import Decision, TranslationUnit
from kb.termbase.termbase import DecidedConcepts
from scraper import errors as scraper_errors
from scraper.sites import translated_rulebook
from scraper.sites.translated_rulebook import TranslatedUnit

# How like a text is to one that is translated, as agencies quote it: from so many percent on.
BANDS = (("95–99 %", 0.95), ("85–94 %", 0.85), ("75–84 %", 0.75), ("50–74 %", 0.5))
_WHOLE, _NO_MATCH, _REPEATED = "100 %", "new", "repeated"
_UNSPACED = ("ja", "zh", "ko", "th")  # languages of which characters are counted, not words


@dataclass(frozen=True, slots=True)
class PackageReport(Result):
    """What a package has.

    game, before, after, source_lang, target_lang: what it is of.
    counts: {kind of change, as in `diff`: how many rules}; `same` for those without any.
    states: {`final`, `needs-review`, `new`: how many texts}; texts are rules, examples, headwords
        and entries.
    words: {band: how many words, or characters of Japanese and Chinese}: `100 %` of final texts,
        then by how like a text is to one that is translated, `new` of what is like none, and
        `repeated` of texts that stand further up, too.
    measure: what `words` counts, `words` or `characters`.
    files: the paths of what was written, in the folder.
    notices: what is to be said of the decisions that were applied.
    """

    game: str
    before: str
    after: str
    source_lang: str
    target_lang: str
    folder: str
    counts: Mapping[str, int]
    states: Mapping[str, int]
    words: Mapping[str, int]
    measure: str
    files: tuple[str, ...]
    notices: tuple[DecisionNotice, ...] = ()


def package(
    store: Store,
    after: str,
    before: str,
    langs: tuple[str, str],
    out: str,
    game: str | None = None,
    decisions: Sequence[Decision] = (),
    replace: bool = False,
) -> PackageReport:
    """Write the package of a new edition into a folder, and return what it has.

    after, before, langs, game: as for `edition_work`. out: the folder, which may be there already:
    files of the same names are replaced. decisions: on names, applied to the termbase.
    replace: whether XLIFF that a translator has worked on is replaced, too.

    Raises QuestionError as `edition_work`, and for XLIFF with other translations than these in the
    folder; StoreError if the folder or a file can't be written.
    """
    work = edition_work(store, after, before, langs, game)
    name = f"{work.game}-{work.after}.{langs[0]}-{langs[1]}"
    concepts = DecidedConcepts(store, Scope(game=work.game), decisions)
    known = list(concepts)
    units = [*_texts(work, "final"), *translation_units(store, Scope(game=work.game), langs)]
    folder = Path(out)
    for xlf in (f"{name}.xlf", f"{name}.2.1.xlf"):
        if not replace and _has_work(folder / xlf, work):
            option = Argument("replace", True)
            raise QuestionError(
                "package_has_work", file=str(folder / xlf), folder=out, option=option
            )
    project = folder / "omegat"
    omegat.write_project(
        str(project),
        langs,
        lambda file: omegat.write(known, file, langs),
        lambda file: tmx.write(units, file, langs),
        sentences=False,
    )
    files: dict[str, Callable[[BinaryIO], int]] = {
        f"{name}.xlf": lambda file: xliff.write(work, file, "1.2"),
        f"{name}.2.1.xlf": lambda file: xliff.write(work, file, "2.1"),
        f"omegat/source/{name}.xlf": lambda file: xliff.write_for_omegat(work, file),
        f"omegat/tm/auto/{name}.tmx": lambda file: tmx.write(_sure_texts(work), file, langs),
        f"{_TO_REVIEW}/{name}.tmx": lambda file: tmx.write(
            _texts(work, "needs-review"), file, langs
        ),
        f"{name}.tmx": lambda file: tmx.write(units, file, langs),
        f"{work.game}.tbx": lambda file: tbx.write(known, file),
        "report.csv": lambda file: _write_rows(work, file),
        "report.md": lambda file: file.write(_report(work).encode()),
    }
    for path, write in files.items():
        _make_folder(folder / path)
        with open_output(folder / path) as file:
            write(file)
    written = (*files, *(f"omegat/{each}" for each in (omegat.GLOSSARY, omegat.MEMORY)))
    return PackageReport(
        work.game,
        work.before,
        work.after,
        *langs,
        str(folder),
        work.changes,
        states_of(work.units),
        words_of(work),
        measure_of(work.source_lang),
        tuple(sorted(written)),
        concepts.notices,
    )


def _make_folder(file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{file.parent}: no folder can be made there: {error.strerror}") from error


# OmegaT offers what is there with so many percent less than it has: a translation of the old text.
_TO_REVIEW = "omegat/tm/penalty-030"


def _has_work(file: Path, work: EditionWork) -> bool:
    """Return whether a file is there that a person has translated something in, or that can't be
    read as what was written before."""
    if not file.exists():
        return False
    try:
        found = translated_rulebook.read_units(file.read_bytes().decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError, scraper_errors.SourceError, StopIteration):
        return True
    ours = {unit.id: unit for unit in work.units}
    return any(
        unit.target and (unit.id not in ours or unit.target != ours[unit.id].target.strip())
        for unit in found.units
    )


def _sure_texts(work: EditionWork) -> list[TranslationUnit]:
    """Return the texts whose translation holds wherever they stand: OmegaT fills them in by the
    source alone, and `General` is the heading of a section and a rank of soldiers."""
    targets: dict[str, set[str]] = {}
    for unit in work.units:
        targets.setdefault(unit.source, set()).add(unit.target if unit.state == "final" else "")
    return [one for one in _texts(work, "final") if len(targets[one.texts[0][1]]) == 1]


def _texts(work: EditionWork, state: State) -> Iterator[TranslationUnit]:
    """Yield the texts of a state with their translations, for a memory."""
    for unit in work.units:
        if unit.state == state:
            texts = (work.source_lang, unit.source), (work.target_lang, unit.target)
            unit_id = f"{work.game}/cr/{work.after}/{unit.id}"
            yield TranslationUnit(unit_id, "rule", texts, game=work.game, edition=work.after)


def states_of(units: Iterable[WorkUnit]) -> dict[str, int]:
    """Return {state: how many units have it}, in the order in which work is done."""
    counted = Counter(unit.state for unit in units)
    return {state: counted[state] for state in ("final", "needs-review", "new")}


def words_of(work: EditionWork) -> dict[str, int]:
    """Return {band: how many words, or characters, of the texts are in it}, all bands, the likest
    first."""
    found = Counter[str]()
    for _, unit, band in _bands(work):
        found[band] += count_words(unit.source, work.source_lang)
    bands = (_WHOLE, _REPEATED, *(name for name, _ in BANDS), _NO_MATCH)
    return {band: found[band] for band in bands}


def _bands(work: EditionWork) -> Iterator[tuple[int, WorkUnit, str]]:
    """Yield (its place, a unit, its band) in order."""
    seen = set[str]()
    for place, unit in enumerate(work.units):
        band = next((name for name, least in BANDS if unit.score >= least), _NO_MATCH)
        if unit.state == "final":
            band = _WHOLE
        elif unit.source in seen:
            band = _REPEATED
        seen.add(unit.source)
        yield place, unit, band


def count_words(text: str, lang: str) -> int:
    """Return how many words a text has; of Japanese, Chinese, Korean and Thai how many characters,
    white space apart, as is usual there.

    >>> count_words("Draw two cards.", "en"), count_words("カードを2枚引く。", "ja")
    (3, 9)
    """
    if lang in _UNSPACED or is_japanese(text):
        return sum(not char.isspace() for char in text)
    return len(text.split())


def measure_of(lang: str) -> str:
    """Return what is counted of a language's texts: `words`, or `characters`."""
    return "characters" if lang in _UNSPACED else "words"


def _write_rows(work: EditionWork, file: BinaryIO) -> int:
    """Write a row for each text: where it stands, what became of it, how much there is to do; and
    return how many bytes that are."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["id", "place", "change", "state", "band", "score", "words"])
    for _, unit, band in _bands(work):
        words = count_words(unit.source, work.source_lang)
        row = [unit.id, unit.place, unit.kind, unit.state, band, f"{unit.score:.2f}", words]
        table.writerow(row)
    return file.write(
        text.getvalue().encode("utf-8-sig")
    )  # with a mark, by which spreadsheets know it


def _report(work: EditionWork) -> str:
    """Return the report as Markdown: by which a customer is quoted, and what is gone."""
    measure = measure_of(work.source_lang)
    words, states = words_of(work), states_of(work.units)
    total = sum(words.values())
    lines = [
        f"# {work.game}: {work.before} → {work.after}, {work.source_lang} → {work.target_lang}",
        "",
        f"Translations are those of {work.translated}.",
        "",
        "| Rules | |",
        "|---|---:|",
        *(f"| {kind} | {number:,} |" for kind, number in work.changes.items()),
        "",
        "| Texts (rules, examples, headwords, entries) | |",
        "|---|---:|",
        *(f"| {state} | {number:,} |" for state, number in states.items()),
        "",
        f"| Like a translated text | {measure} | share |",
        "|---|---:|---:|",
        *(f"| {band} | {n:,} | {n / max(total, 1):.1%} |" for band, n in words.items()),
        f"| all | {total:,} | |",
    ]
    if work.gone:
        numbers = ", ".join(rule.number for rule in work.gone)
        lines += ["", f"Gone since {work.before}: {numbers}"]
    if work.unpaired:
        lines += [
            "",
            f"In the translation of {work.translated}, and paired with nothing (what seems to be "
            f"new may be there): {', '.join(work.unpaired)}",
        ]
    lines += ["", "Title page, contents, credits and history are in none of these texts."]
    return "\n".join([*lines, ""])


@dataclass(frozen=True, slots=True)
class ReturnedUnit:
    """Something that is to be looked at in a file that came back.

    id, place: of the text; the place is empty for one that the edition has not.
    what: `missing`, `untranslated`, `not final`, `other source`, `citations` (it cites other rules
        than its source) or `unknown`.
    """

    id: str
    place: str
    what: str


@dataclass(frozen=True, slots=True)
class ReturnedPackage(ListResult[ReturnedUnit], items="open", item="text"):
    """What is in a file that came back.

    units: how many texts the edition has; done: how many of them have nothing that is open.
    open: what is to be looked at, in the order of the book.
    """

    file: str
    units: int
    done: int
    open: tuple[ReturnedUnit, ...] = ()

    _COLUMNS = columns("id place what")


def check_returned(
    store: Store, file: str, before: str, game: str | None = None
) -> ReturnedPackage:
    """Return what is open in a file that came back from a translator.

    file: XLIFF of a package. before, game: as for `package`; the new edition and the languages are
    those that the file says.

    Raises SourceError if the file can't be read, or is of no package; else as `edition_work`.
    """
    try:
        text = Path(file).read_bytes().decode("utf-8-sig")
    except (OSError, ValueError) as error:  # a name that no file can have, or another charset
        raise SourceError(f"{shown(file)}: can't be read as UTF-8") from error
    if not translated_rulebook.recognises(text):
        raise SourceError(f"{file}: no XLIFF of a package of sansho")
    try:
        found = translated_rulebook.read_units(text)
    except scraper_errors.SourceError as error:
        raise SourceError(f"{file}: {error}") from error
    source_lang, target_lang = (
        lang.partition("-")[0] for lang in (found.source_lang, found.target_lang)
    )
    langs = source_lang, target_lang  # of any country
    work = edition_work(store, found.edition, before, langs, game or found.game, near=False)
    there = {unit.id: unit for unit in found.units}
    places = {unit.id: unit.place for unit in work.units}
    known = frozenset(unit.place for unit in work.units)
    opened = [
        ReturnedUnit(unit.id, unit.place, what)
        for unit in work.units
        if (what := _what_is_open(unit, there.get(unit.id), known))
    ]
    opened += [ReturnedUnit(each, "", "unknown") for each in there if each not in places]
    done = len(work.units) - len({one.id for one in opened if one.place})
    return ReturnedPackage(file, len(work.units), done, tuple(opened))


def _what_is_open(unit: WorkUnit, given: TranslatedUnit | None, known: Container[str]) -> str:
    """Return what is open in a text that came back; empty if nothing is."""
    if given is None:
        return "missing"
    if given.source != unit.source.strip():
        return "other source"
    if not given.target:
        return "" if not any(map(str.isalpha, given.source)) else "untranslated"
    cited = [
        {one.number for one in find_citations(text, known)} for text in (given.source, given.target)
    ]
    if cited[0] != cited[1] and unit.state != "final":
        return "citations"
    return "" if given.is_final else "not final"
