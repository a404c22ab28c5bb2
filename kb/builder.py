"""From snapshots to a knowledge base: read, extract, write, swap; again, only what changed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import as_file, files
from itertools import chain
from pathlib import Path
from typing import Any

from graphs.changed import Changed, changed
from graphs.facts import Defined, Named, Spelling, Telling, Told, Want
from graphs.store import Store, is_ours, noted
from graphs.swap import locked
from graphs.whole import Whole
from graphs.write import AmbiguousError, Writer, renewing, writing
from kb.errors import QuestionError, StoreError
from kb.extract.citations import other_heading
from kb.extract.concepts import merged
from kb.extract.links import section_or_page
from kb.extract.meanings import action, defining
from kb.extract.mentions import Teller, spellings, usable
from kb.extract.newcomers import apart, own_name, unspoken
from kb.extract.rules import stand_ins
from kb.extract.samewords import same_concepts
from kb.extract.whereabouts import search, searches
from kb.maker import maker
from kb.read import Read, Unread, batches, reader, size
from kb.shelf import Shelf
from kb.sources import Changes, Progress, Sources, changes
from kb.wording import differences
from kb.words import words
from kb.workers import Crew, usual
from scraper import Hints, Warn, address

_Known = tuple[list[Named], list[Defined]]
_MANY = 2000  # ways to spell names, for which passages are not searched one by one


@dataclass(frozen=True, slots=True)
class Report:
    """What a build gave. `seconds` is wall time, `read` how many files (or pages of dumps) were
    read: after the first build, those that changed. `changes` says what that changed in the graph;
    it is None where all was read."""

    kb: str
    pages: int
    nodes: Mapping[str, int]
    edges: Mapping[str, int]
    dangling: int
    warnings: tuple[Warn, ...]
    seconds: float
    read: int
    changes: Changed | None

    def as_json(self) -> dict[str, Any]:
        """As `sansho build --json` prints it."""
        return asdict(self)


def build(
    sources: Sequence[str | Path] = (),
    kb: str | Path = "sansho.db",
    *,
    site: str | None = None,
    game: str | None = None,
    lang: str | None = None,
    edition: str | None = None,
    progress: Progress | None = None,
    workers: int | None = None,
    again: bool = False,
) -> Report:
    """Build a knowledge base from files and folders; from the bundled sample if there are none.

    What `kb` holds already of these sources is kept, if the same sansho made it: only what changed
    since is read, and the graph is the one that a build from nothing gives.

    sources: files, or folders (with or without `manifest.jsonl`).
    kb: the file to write. It is replaced when the new one is whole, and not before.
    site, game, lang, edition: what detection can't know; they stand above what it finds.
    progress: called with the place of each snapshot before it is read.
    workers: how many processes read, at most; if None, one for each core, but no more than four.
        With one, or little to read, all is done in this process. The graph is the same.
    again: build from the sources that `kb` was built from, as it was told of them then; so is one
        renewed that an older sansho made.

    Raises SourceError, StoreError, QuestionError or BuildError with a message for people.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = build(kb=Path(folder) / "sample.db")
    >>> report.pages >= 15, report.nodes["rule"] > 50
    (True, True)
    """
    if site and site not in address.ENGINES:
        raise QuestionError(f"no site {site}; there are: {', '.join(sorted(address.ENGINES))}")
    if workers is not None and workers < 1:
        raise QuestionError(f"{workers} workers can't build anything; 1 is the least")
    hints = Hints(site, game, lang, edition)
    workers = workers or usual()
    places = [Path(source) for source in sources]
    if again:
        if sources or hints != Hints():
            raise QuestionError(
                "again from what it was built from, or from other sources? not both"
            )
        places, hints = _built_from(Path(kb))
    if places:
        return _build(Sources(places, hints, Path(kb), progress), workers)
    with as_file(files("kb") / "sample") as sample:
        return _build(Sources([sample], hints, Path(kb), progress), workers, sample=True)


def _build(sources: Sources, workers: int, sample: bool = False) -> Report:
    began = time.monotonic()
    kb = sources.besides.absolute()
    with locked(kb):
        if not is_ours(kb):
            raise StoreError(
                f"{kb}: there is a file that is no knowledge base; choose another --kb"
            )
        made = maker(sample)
        renewed = _renewed(kb, sources, made, workers, sample)
        read, changes = renewed or (_anew(kb, sources, made, workers, sample), None)
        with Store(kb) as store:
            warnings = tuple(Warn(*row) for row in store.warnings())
            seconds = round(time.monotonic() - began, 3)
            return Report(
                str(sources.besides), store.pages(), *store.counts(), warnings, seconds, read,
                changes,
            )  # fmt: skip


def _anew(kb: Path, sources: Sources, made: str, workers: int, sample: bool) -> int:
    """Build from nothing. How many parts were read."""
    read = 0
    with writing(kb) as writer:
        shelf = Shelf(writer)
        with Crew(workers) as crew:
            unread = batches(_unread(sources, writer))
            for part in chain.from_iterable(crew.map(reader, None, unread, size)):
                shelf.put(part)
                read += 1
            if not writer.pages():
                raise QuestionError(_nothing(sources.places, writer.warnings(), shelf.none))
            _complete(writer, crew)
        writer.meta("sample", "1" if sample else "")
        writer.meta("made by", made)
        _note(writer, sources, sample)
        writer.finish()
    return read


def _note(writer: Writer, sources: Sources, sample: bool) -> None:
    """Note what it is built from, for another time."""
    said = {"places": [] if sample else list(map(str, sources.places)),
            "folder": str(Path.cwd()), "hints": asdict(sources.hints)}  # fmt: skip
    writer.meta("built from", json.dumps(said))


def _built_from(kb: Path) -> tuple[list[Path], Hints]:
    """What a knowledge base was built from; no places if that was the sample."""
    stored = noted(kb, "built from")
    if stored is None:
        raise QuestionError(f"{kb} does not say what it was built from; name its sources")
    said = json.loads(stored)
    folder = Path(said["folder"])
    places = [Path(place) if folder == Path.cwd() else folder / place for place in said["places"]]
    return places, Hints(**said["hints"])


def _renewed(
    kb: Path, sources: Sources, made: str, workers: int, sample: bool
) -> tuple[int, Changed] | None:
    """Build from what is there, reading what has changed since. How many parts were read, and
    what that changed; None if all must be read."""
    found = _changes(kb, sources, made)
    if found is None or not found.any:
        return None if found is None else (0, Changed())
    try:
        with renewing(kb) as writer, Crew(workers) as crew:
            shelf = Shelf(writer)
            for part in found.gone:
                shelf.take_out(part)
            for read in chain.from_iterable(crew.map(reader, None, batches(found.new), size)):
                shelf.put(read)
            writer.forget_warnings()
            for warn in found.warnings:
                writer.warn(None, warn.where, warn.what)
            if not writer.pages():
                return None  # which has its own words for that
            _complete(writer, crew)
            difference = changed(writer)
            _note(writer, sources, sample)
            writer.finish()
    except AmbiguousError:
        return None
    return len(found.new), difference


def _changes(kb: Path, sources: Sources, made: str) -> Changes | None:
    """What is to be read, and what is there no more; None if all must be read."""
    if not kb.exists():
        return None
    try:
        with Store(kb) as store:
            if store.meta("made by") != made or store.meta("ambiguous"):
                return None
            known, unread = store.read(), [Warn(*row) for row in store.warnings(of_none=True)]
            found = changes(sources, known, unread)
            if found and (others := store.silent(found.gone)):
                # Pages that were taken from what is gone are there in other captures.
                found = changes(sources, known, unread, again=others)
            return found
    except StoreError:  # of another schema, or damaged
        return None


def _unread(sources: Sources, writer: Writer) -> Iterator[Unread]:
    """All that there is to read; what can't be read is recorded."""
    for found in sources.found():
        if isinstance(found, Unread):
            yield found
        elif isinstance(found, Warn):
            writer.warn(None, found.where, found.what)


def _complete(writer: Writer, crew: Crew) -> None:
    """What can be told when every page is in the graph."""
    writer.link()
    whole = Whole(writer)
    _relate(whole, writer, crew)
    _settle(whole)
    writer.meta("notice", "\n".join(writer.notices()))


def _relate(whole: Whole, writer: Writer, crew: Crew) -> None:
    """What can be told of terms when all their names are known: which are one, where passages
    speak of them."""
    concepts: Callable[[], list[Want]] | None = None
    whole.merge(whole.merged(), "ja")  # what new pages say, too
    if writer.anew or _concerns_others(whole):
        said = whole.names("term", said=True), whole.defined("term", said=True)
        whole.merge(crew.begin(_merged, said)(), "ja")
        concepts = crew.begin(_concepts, (whole.names("term"), whole.defined("term")))
    _respell(whole, writer)
    whole.tell(lambda passages: crew.map(_teller, whole.spellings(), passages, _length))
    whole.join(concepts and concepts())


def _concerns_others(whole: Whole) -> bool:
    """Whether the change bears upon which terms are one: it does, if a term is defined in other
    words than before, or has other names; but not, if a term comes or goes that has nothing in
    common with any."""
    names, before, now = whole.redefined("term")
    if defining(names, before) != defining(names, now):
        return True
    changed = [name for names in whole.renamed("term", said=True) for name in names]
    if not changed:
        return False
    folded = {name.folded for name in changed} | {own_name(name.node) for name in changed}
    called = [name for names in whole.called("term", folded) for name in names]
    if not apart(changed, whole.flipped("term"), called):
        return True
    texts = {name.text for name in changed}
    queries = (query for text in texts for query in searches(text, words(), whole.words))
    return any(map(whole.is_found, queries)) or not unspoken(changed, now, words())


def _respell(whole: Whole, writer: Writer) -> None:
    """Change by which names terms are found, and have the passages told of anew where those
    that changed may stand."""
    if writer.anew:
        whole.spell((), spellings(usable(whole.names("term")), words()))
        return
    folded = {name.folded for names in whole.renamed("term") for name in names}
    before, now = (usable(names) for names in whole.called("term", folded))
    gone, new = ([*spellings(names, words())] for names in (before - now, now - before))
    whole.spell(gone, new)
    touched = {(one.game, one.spelled) for one in (*gone, *new)}
    for game, name in sorted(touched if len(touched) < _MANY else {(g, "") for g, _ in touched}):
        query = search(name, whole.words) if name else None
        if query != "":
            whole.retell(game, query)
    whole.retell_linked()


def _settle(whole: Whole) -> None:
    """What can be told when all that will be in the graph is in it."""
    editions = whole.editions()
    whole.settle(lambda wanted: [*section_or_page(wanted), *stand_ins(wanted, editions)])
    whole.amend("cites", other_heading)
    whole.keep_wordings("rule", differences)


def _merged(known: _Known) -> dict[str, str]:
    return merged(known[0], action(*known, words()))


def _concepts(known: _Known) -> list[Want]:
    return same_concepts(*known, words())


def _teller(spellings: Iterable[Spelling]) -> Callable[[Iterable[Told]], list[Telling]]:
    teller = Teller(spellings, words())
    return lambda passages: list(map(teller, passages))


def _length(passages: Iterable[Told]) -> int:
    return sum(len(passage.text) for passage in passages)


def _nothing(
    sources: Sequence[Path], warnings: Sequence[tuple[str, str]], other: Read | None
) -> str:
    named = ", ".join(map(str, sources))
    if warnings:
        where, what = warnings[0]
        return f"{named}: no page in it that sansho can read; first: {where}: {what}"
    if other:
        what = ", ".join(other.left_out)
        return f"{named}: no article in it; first: {other.where}: {what}"
    return f"{named}: nothing to read in it"
