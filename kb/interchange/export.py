"""Exports the graph, the termbase or aligned texts to a file, in one of the formats listed here."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args

from graphs.errors import StoreError
from graphs.store.file.atomic_file import open_output
from graphs.store.reader import Store
from graphs.store.termbase_rows import count_name_languages
from kb.errors import QuestionError
from kb.language.nearest_value import known_value
from kb.query.lookup.arguments import text_of
from kb.query.lookup.common_filters import Scope
from kb.reason import Argument, LeftOut, Reason, again
from kb.result import Result
from kb.termbase.decisions_applied import DecisionNotice
from kb.termbase.example_sentences import translation_units
from kb.termbase.model import Concept, Decision, TranslationUnit
from kb.termbase.termbase import DecidedConcepts
from scraper import plugins

Which = Literal["all", "approved"]

_NOT_APPROVED = ("deprecated", "forbidden")
# The options that a format has a use for, by its content.
_OPTIONS = {
    "graph": frozenset[str](),
    "concepts": frozenset({"game", "langs", "decisions", "cards", "status"}),
    "bilingual": frozenset({"game", "decisions", "cards", "status", "source_lang", "target_lang"}),
    "units": frozenset({"game", "langs", "source_lang", "target_lang"}),
    "project": frozenset({"game", "decisions", "cards", "status", "source_lang", "target_lang"}),
}
# What is written: the whole graph; concepts with all their names; the names of two languages beside
# each other; texts in several languages; a folder with the last two.
Content = Literal["graph", "concepts", "bilingual", "units", "project"]


@dataclass(frozen=True, slots=True)
class Format:
    """An interchange format.

    name: as it is given to `--format`.
    suffixes: of files that have this format, in lower case, with the dot; a suffix may belong to
        several formats, and then it goes to the first. A format without any is chosen by name.
    content: what is written in it.
    module: the module that writes it; one of this room begins with a dot.
    title: what it is called, for people.
    writer: the name of the function that writes it.
    """

    name: str
    suffixes: tuple[str, ...]
    content: Content
    module: str
    title: str
    writer: str = "write"

    def write(self, *arguments: Any, **options: Any) -> Any:
        """Call the function that writes this format; its module is imported only now."""
        module = import_module(self.module, __package__)
        return getattr(module, self.writer)(*arguments, **options)

    def takes(self, option: str) -> bool:
        """Return whether the format has a use for an option, by its name in `ExportOptions`."""
        return option in _OPTIONS[self.content]


FORMATS = (
    Format("tbx", (".tbx",), "concepts", ".tbx", "TBX 3, dialect Linguist"),
    Format("tbx2008", (), "concepts", ".tbx", "TBX of 2008 (MARTIF)", "write_2008"),
    Format("tmx", (".tmx",), "units", ".tmx", "TMX 1.4b"),
    Format("skos", (".ttl",), "concepts", ".skos", "SKOS in Turtle"),
    Format("jsonld", (".jsonld",), "concepts", ".skos", "SKOS in JSON-LD", "write_jsonld"),
    Format("omegat", (".txt", ".utf8"), "bilingual", ".omegat", "OmegaT glossary"),
    Format(
        "omegat-project",
        (),
        "project",
        ".omegat",
        "project folder for OmegaT",
        "write_project",
    ),
    Format("utx", (".utx",), "bilingual", ".utx", "UTX 1.11"),
    Format("csv", (".csv",), "concepts", ".csv_terms", "CSV"),
    Format("graphml", (".graphml",), "graph", ".graphml", "GraphML"),
    Format("jsonl", (".jsonl", ".ndjson"), "graph", ".jsonl", "JSON Lines"),
)
_STREAM_FORMAT = FORMATS[-1]  # JSON Lines, of what has no suffix: it is read line by line


@dataclass(frozen=True, slots=True)
class _OfPlugin(Format):
    """A format of a plug-in, whose errors name it.

    plugin: the plug-in.
    """

    plugin: plugins.Plugin | None = None

    def write(self, *arguments: Any, **options: Any) -> Any:
        assert self.plugin
        wanted = tuple if self.content in ("graph", "project") else int
        try:
            written = Format.write(self, *arguments, **options)
            if not isinstance(written, wanted):
                raise TypeError(f"its writer returned no {wanted.__name__}")
            return written
        except (OSError, QuestionError, StoreError):
            raise
        except plugins.FAILURES as error:
            raise plugins.PluginError(self.plugin.failed(error)) from error


def _check(name: str, made: Format) -> None:
    if made.name != name or made.content not in _OPTIONS:
        contents = ", ".join(_OPTIONS)
        raise ValueError(
            f"its name is {made.name!r}, the entry point's {name!r}; its content {made.content!r}, "
            f"of {contents}"
        )


@cache
def formats() -> tuple[Format, ...]:
    """Return the formats that there are: those of plug-ins stand behind those that are built in."""
    added = plugins.loaded("formats", Format, _check, {known.name for known in FORMATS})
    return (
        *FORMATS,
        *(
            _OfPlugin(
                made.name, made.suffixes, made.content, made.module, made.title, made.writer, plugin
            )
            for plugin, made in added
        ),
    )


def format_named(name: str) -> Format:
    """Return the format of a name; raise QuestionError, with the nearest, if there is none, or if
    it is no text."""
    named = {known.name: known for known in formats()}
    return named[known_value("format", text_of("form", name), named)]


def chosen_format(store: Store, out: str, form: str | None) -> Format:
    """Return the format that is named, or else that of the file. Raises as these two functions, and
    QuestionError if the file is the knowledge base itself."""
    if out != "-" and os.path.realpath(out) == os.path.realpath(store.path):
        raise QuestionError("out_is_base", out=out)
    return format_of(out) if form is None else format_named(form)


def format_of(out: str) -> Format:
    """Return the format of a file by its suffix, also by that of the file that a link leads to; of
    standard output and devices JSON Lines.

    Raises QuestionError, with the formats that there are, if the suffix is of none of them, and
    StoreError if no file can be written there.
    """
    path = Path(os.path.realpath(out))
    try:
        is_stream = out == "-" or (path.exists() and not path.is_file())
    except OSError as error:  # a name that no file can have
        raise StoreError(f"{out}: can't be written: {error.strerror}") from error
    if is_stream:
        return _STREAM_FORMAT
    for suffix in (Path(out).suffix.lower(), path.suffix.lower()):
        for known in formats():
            if suffix in known.suffixes:
                return known
    if not path.parent.is_dir():
        raise StoreError(f"{out}: can't be written: {path.parent} is no folder")
    suffix = Path(out).suffix
    raise QuestionError(
        "unknown_suffix" if suffix else "no_suffix",
        out=str(out),
        suffix=suffix,
        form=Argument("form", ...),
        formats=tuple(
            f"{known.name} ({' '.join(known.suffixes)})" for known in formats() if known.suffixes
        ),
    )


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What is exported of a termbase, and how.

    game: only this game; None for all.
    langs: only names, or texts, in these languages; all if empty.
    source_lang, target_lang: the languages of a glossary in two; None for the commonest.
    decisions: a person's decisions on names.
    cards: whether cards are exported besides terms.
    status: `all` names, or only `approved` ones: none that is deprecated, forbidden or only
        proposed. None for all.
    """

    game: str | None = None
    langs: tuple[str, ...] = ()
    source_lang: str | None = None
    target_lang: str | None = None
    decisions: tuple[Decision, ...] = ()
    cards: bool = False
    status: Which | None = None

    def given(self) -> list[str]:
        """Return the names of the options that are given, in the order of the fields: all but those
        that are None, False or empty."""
        return [name for name in self.__dataclass_fields__ if getattr(self, name)]


@dataclass(frozen=True, slots=True)
class ExportReport(Result):
    """What an export wrote.

    out: the file; `-` is standard output.
    format: the interchange format.
    nodes, edges: how many of each were written; None if the format does not hold the graph.
    entries: how many entries, rows or units were written; None if the format holds the graph.
    units: how many aligned texts a project has beside its glossary; None of other formats.
    names: how many names there were to write, by language; of aligned texts how many texts.
    source_lang, target_lang: the languages of a glossary in two languages; None of others.
    proposed: how many of the names no page states: they are only proposed.
    also: what was left out, why, and the option that gives it.
    notices: what is to be said of decisions, such as that the term of one is not known.
    """

    out: str
    format: str
    nodes: int | None = None
    edges: int | None = None
    entries: int | None = None
    units: int | None = None
    names: dict[str, int] | None = None
    source_lang: str | None = None
    target_lang: str | None = None
    proposed: int | None = None
    also: tuple[LeftOut, ...] = ()
    notices: tuple[DecisionNotice, ...] = ()


def export(
    store: Store,
    out: str,
    form: str | None = None,
    options: ExportOptions = ExportOptions(),
) -> ExportReport:
    """Write the graph, the termbase or aligned texts to a file. An existing file is replaced when
    the new one is complete.

    out: the file; `-` is standard output.
    form: the name of a format such as `tbx`; None for that of the file's suffix, and for JSON
        Lines on standard output or a device.
    options: what is exported.

    Raises QuestionError if the format or the suffix is unknown, if the format has no use for an
    option, if `out` is the knowledge base itself, or if there are no names in two languages where
    these are needed; and StoreError if the file can't be written.
    """
    chosen = chosen_format(store, out, form)
    _refuse_useless(chosen, options)
    options = _known_languages(store, options)
    if chosen.content == "graph":
        with open_output(out) as file:
            nodes, edges = chosen.write(store, file)
        return ExportReport(out, chosen.name, nodes, edges)
    write = _write_units if chosen.content == "units" else _write_concepts
    return write(store, out, chosen, options)


def _refuse_useless(chosen: Format, options: ExportOptions) -> None:
    """Raise QuestionError if a format has no use for an option that is given."""
    useless = [name for name in options.given() if not chosen.takes(name)]
    if useless:
        raise QuestionError(
            "no_use_in_format",
            option=Argument(useless[0], ...),
            form=chosen.name,
            holds=Reason(f"holds_{chosen.content}"),
            other=Argument("form", ...),
        )


def _known_languages(store: Store, options: ExportOptions) -> ExportOptions:
    """Return options with the languages as the store or the decisions have them; raise
    QuestionError for one that neither has."""
    known = sorted({*store.values()["lang"], *(decision.lang for decision in options.decisions)})

    def language(given: str | None) -> str | None:
        return None if given is None else known_value("language", text_of("lang", given), known)

    return replace(
        options,
        langs=tuple(known_value("language", text_of("langs", g), known) for g in options.langs),
        source_lang=language(options.source_lang),
        target_lang=language(options.target_lang),
    )


def _write_units(store: Store, out: str, chosen: Format, options: ExportOptions) -> ExportReport:
    """Write aligned texts, and report how many texts there are in each language. Raises
    QuestionError if one language alone is chosen, or as `_two_languages` if a source is."""
    pair = None
    if options.source_lang or options.target_lang:
        found = Counter(dict.fromkeys(store.values()["lang"], 1))
        found.update(lang for game, _, lang in store.editions() if options.game in (None, game))
        pair = _two_languages(found, options)
    langs = options.langs or pair or ()
    if len(langs) == 1:
        raise QuestionError("units_in_one_language", lang=langs[0])
    texts: Counter[str] = Counter()

    def units() -> Iterator[TranslationUnit]:
        for unit in translation_units(store, Scope(game=options.game), langs):
            texts.update(lang for lang, _ in unit.texts)
            yield unit

    with open_output(out) as file:
        entries = chosen.write(units(), file, pair)
    source, target = pair or (None, None)
    return ExportReport(
        out, chosen.name, entries=entries, names=dict(texts), source_lang=source, target_lang=target
    )


class _Tally:
    """Counts what an export of concepts writes and what it leaves out."""

    def __init__(self, options: ExportOptions) -> None:
        self._langs, self._approved = options.langs, options.status == "approved"
        self.names: Counter[str] = Counter()
        self.other_languages = self.not_approved = self.nameless = self.proposed = 0

    def __call__(self, concepts: Iterable[Concept]) -> Iterator[Concept]:
        """Yield concepts with the names and definitions that are to be written, in their order and
        those without any name left out; and count."""
        for concept in concepts:
            kept = concept
            if self._langs or self._approved:
                kept = self._with_chosen(concept)
            if kept.names:
                self.names.update(name.lang for name in kept.names)
                self.proposed += sum(name.why == "proposed" for name in kept.names)
                yield kept
            else:
                self.nameless += 1

    def _with_chosen(self, concept: Concept) -> Concept:
        names = concept.names
        if self._langs:
            names = tuple(name for name in names if name.lang in self._langs)
            self.other_languages += len(concept.names) - len(names)
        approved = names
        if self._approved:
            approved = tuple(
                name
                for name in names
                if name.status not in _NOT_APPROVED and name.why != "proposed"
            )
            self.not_approved += len(names) - len(approved)
        definitions = tuple(
            each for each in concept.definitions if not self._langs or each.lang in self._langs
        )
        return replace(concept, names=approved, definitions=definitions)

    def left_out(self) -> Iterator[LeftOut]:
        if self.other_languages:
            values = {"names": self.other_languages, "langs": self._langs}
            yield LeftOut(None, Reason("in_other_languages", again(without=("langs",)), **values))
        if self.not_approved:
            reason = Reason("not_approved", again(status="all"), names=self.not_approved)
            yield LeftOut(None, reason)
        if self.nameless:
            yield LeftOut(None, Reason("no_name_left", concepts=self.nameless))


def _write_concepts(store: Store, out: str, chosen: Format, options: ExportOptions) -> ExportReport:
    """Write the concepts of a termbase, and report how many names there are in each language; in a
    project folder a glossary of them and aligned texts in two languages. Raises QuestionError for a
    folder as standard output, and as `_two_languages`."""
    if chosen.content == "project" and out == "-":
        raise QuestionError("form_is_folder", form=chosen.name)
    concepts = DecidedConcepts(store, Scope(game=options.game), options.decisions, options.cards)
    pair, texts = None, None
    tally, by_writer = _Tally(options), Counter[str]()
    if chosen.content != "concepts":
        pair = _two_languages(_name_languages(store, concepts.ids, options.decisions), options)
    if pair and chosen.content == "project":
        two = pair
        glossary, memory = format_named("omegat"), format_named("tmx")
        units = translation_units(store, Scope(game=options.game), two)
        entries, texts = chosen.write(
            out,
            two,
            lambda file: glossary.write(tally(concepts), file, two, by_writer),
            lambda file: memory.write(units, file, two),
        )
    else:
        counted = (by_writer,) if pair else ()
        with open_output(out) as file:
            entries = chosen.write(tally(concepts), file, pair, *counted)
    source, target = pair or (None, None)
    return ExportReport(
        out,
        chosen.name,
        entries=entries,
        units=texts,
        names={lang: tally.names[lang] for lang in pair or sorted(tally.names)},
        source_lang=source,
        target_lang=target,
        proposed=tally.proposed,
        also=(*concepts.left_out, *tally.left_out(), *_by_writer(by_writer, pair)),
        notices=concepts.notices,
    )


def _by_writer(left_out: Counter[str], pair: tuple[str, str] | None) -> Iterator[LeftOut]:
    """Yield what the writer of a glossary in two languages left out: concepts without a name in
    either language, and names that begin with a sign. left_out: how many, by reason."""
    without = dict(zip(("no source", "no target"), pair or (), strict=False))
    for why, number in left_out.items():
        if lang := without.get(why):
            adding = Argument("decisions", "FILE")
            reason = Reason("no_name_in", concepts=number, lang=lang, decisions=adding)
        else:
            reason = Reason("begins_with_sign", names=number, form=Argument("form", "csv"))
        yield LeftOut(None, reason)


def _name_languages(
    store: Store, ids: Sequence[str], decisions: Iterable[Decision]
) -> Counter[str]:
    """Return how many concepts have a name in each language; a decision counts as one more."""
    found = Counter(count_name_languages(store, ids))
    found.update(decision.lang for decision in decisions)
    return found


def _two_languages(found: Counter[str], options: ExportOptions) -> tuple[str, str]:
    """Return the source and target language of a glossary: those that are asked for, else the two
    commonest (of equals by their codes), of which Japanese is the source. Raises QuestionError if
    both are the same, or there are not two.

    found: how many names there are in each language.
    """
    source, target = options.source_lang, options.target_lang
    if source and source == target:
        raise QuestionError("same_languages", lang=source)
    order = sorted(found, key=lambda lang: (-found[lang], lang))
    others = [lang for lang in order if lang not in (source, target)]
    missing = 2 - sum(lang is not None for lang in (source, target))
    if len(others) < missing:
        only = tuple(filter(None, [source, target, *others]))
        code = "names_in_one_language" if only else "names_in_no_language"
        raise QuestionError(code, langs=only, decisions=Argument("decisions", ...))
    chosen = sorted(others[:missing], key=lambda lang: lang != "ja")
    source = source or chosen.pop(0)
    return source, target or chosen.pop(0)


def options_of(
    *,
    game: str | None,
    langs: Iterable[str],
    source_lang: str | None,
    target_lang: str | None,
    decisions: Iterable[Decision],
    cards: bool,
    status: str | None,
) -> ExportOptions:
    """Return options whose status is checked; QuestionError if it is none."""
    which: Any = None
    if status is not None:
        which = known_value("status", text_of("status", status), get_args(Which))
    return ExportOptions(
        game, tuple(langs), source_lang, target_lang, tuple(decisions), cards, which
    )
