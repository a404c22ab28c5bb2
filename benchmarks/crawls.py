"""Whether a crawl can be killed at any moment, and what a second crawl costs.

    python -m benchmarks.crawls [KILLS] [--pages 500] [--seed 1]

Crawls a site meant to hurt (`tests.hurtful`) into a folder and into a WARC file, kills the process
and all of its group at so many (50) random moments each, and resumes until it says that it is
done. Then what was kept and what was asked is held against what the site says a crawl owes.
After that two wikis (`tests.livingwikis`) are crawled again unchanged, and after three edits.
Prints a table; ends with 1 if a promise is broken.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tests.hurtful import Hurtful, hurting
from tests.livingwikis import MediaWiki, PukiWiki
from tests.testsite import Asked, Server, place, serving

FREELY = ("--delay", "0")  # no pause: the site is our own
DEEP = ("--depth", "30", "--max", "5000")
_LONGEST = 300  # seconds that a crawl may take at all
_LATE = 0.15  # seconds by which a busy machine may see a request late
_HOPS = 25  # redirects that may be followed in a row
_KEPT = ("-wal", "-shm", "-journal")  # what SQLite leaves beside its file, to be taken up again
_FAULTS = ("crawls that ended badly", "pages missing, twice, or wrong", "half-written, left over",
           "requests that are forbidden, hurried or repeated",
           "connections to other hosts and ports")  # fmt: skip


# -- crawling ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ended:
    """How a crawl ended by itself: its exit code, what it said as JSON, and to people."""

    code: int
    said: dict[str, Any]
    words: str


@dataclass(slots=True)
class Lives:
    """A crawl that was killed and resumed. `lives` tells how long the log was at each kill."""

    lives: list[int] = field(default_factory=list)
    ended: Ended | None = None
    seconds: float = 0

    @property
    def kills(self) -> int:
        return len(self.lives)


def started(url: str, into: Path, *options: str) -> subprocess.Popen[bytes]:
    """A crawl as a process and a group of its own."""
    code = "from kb.cli import main; main()"
    words = [sys.executable, "-c", code, "crawl", url, "--into", str(into), "--json", *options]
    return subprocess.Popen(
        words,
        cwd=into.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def ended(process: subprocess.Popen[bytes]) -> Ended:
    """A crawl, when it has ended by itself. Raises TimeoutExpired if it does not."""
    try:
        out, err = process.communicate(timeout=_LONGEST)
    except subprocess.TimeoutExpired:
        kill(process)
        raise
    said = json.loads(out) if out.strip() else {}
    return Ended(process.returncode, said, err.decode("utf-8", "replace"))


def crawl(url: str, into: Path, *options: str) -> Ended:
    """A crawl from its beginning to its end."""
    return ended(started(url, into, *options))


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a crawl and all that it started, as `kill -9` does."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def crawl_killed(server: Server, into: Path, kills: int, rng: Random, *options: str) -> Lives:
    """A crawl that is killed so many times at random moments, or fewer if it is done sooner."""
    lives, begun = Lives(), time.monotonic()
    while lives.ended is None:
        process = started(server.url + server.site.start, into, *options)
        if lives.kills == kills or _gone_before(server, process, rng):
            lives.ended = ended(process)
        else:
            kill(process)
            server.settle()
            lives.lives.append(len(server.log))
    lives.seconds = time.monotonic() - begun
    return lives


def _gone_before(server: Server, process: subprocess.Popen[bytes], rng: Random) -> bool:
    """Wait for a random moment; whether the process has ended before it came.

    One moment in six is soon after the start; the others follow a few requests, for what is
    asked and kept lies close together, and a clock would seldom hit it.
    """
    until = time.monotonic() + (rng.uniform(0, 1) if rng.random() < 1 / 6 else _LONGEST)
    enough = len(server.log) + rng.randrange(1, 9)
    while len(server.log) < enough and time.monotonic() < until:
        if process.poll() is not None:
            return True
        time.sleep(0.001)
    time.sleep(rng.choice((0, rng.uniform(0, 0.01), rng.uniform(0, 0.1))))
    return process.poll() is not None


class Hurt(NamedTuple):
    """A crawl of the hurtful site that was killed some times: all there is to know of it."""

    into: Path
    site: Hurtful
    server: Server
    beside: list[Server]
    lives: Lives


def hurt(into: Path, kills: int, rng: Random, **site: Any) -> Hurt:
    """A crawl of the hurtful site that is killed so many times; `site` are options of `Hurtful`."""
    hurtful = Hurtful(**site)
    with hurting(hurtful) as (server, beside):
        lives = crawl_killed(server, into, kills, rng, *FREELY, *DEEP)
        server.settle()
    return Hurt(into, hurtful, server, beside, lives)


# -- what was kept -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kept:
    """A page that was kept: where it was, its status, its body freed of all coding."""

    url: str
    status: int
    body: bytes


def in_folder(folder: Path) -> list[Kept]:
    """What a folder of snapshots holds, by its manifest."""
    return [
        Kept(line["url"], line.get("status", 200), _plain((folder / line["file"]).read_bytes()))
        for line in _lines(folder)
    ]


def _lines(folder: Path) -> list[dict[str, Any]]:
    text = (folder / "manifest.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _plain(data: bytes) -> bytes:
    """A body that was kept as it was served."""
    if data.startswith(b"\x1f\x8b"):
        with contextlib.suppress(OSError, EOFError):
            return gzip.decompress(data)
    return data


def in_warc(file: Path) -> list[Kept]:
    """The responses that a WARC file holds, as warcio reads them."""
    from warcio.archiveiterator import ArchiveIterator

    kept = []
    with file.open("rb") as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type == "response":
                url = record.rec_headers.get_header("WARC-Target-URI")
                status = int(record.http_headers.get_statuscode())
                kept.append(Kept(url, status, _plain(record.content_stream().read())))
    return kept


def folder_faults(folder: Path, leftovers_of: Path | None = None) -> Iterator[str]:
    """What is wrong with a folder of snapshots: torn lines, files that are not what the manifest
    says, files that nobody names. Hidden files may be there that an undisturbed crawl leaves
    too (`leftovers_of`)."""
    text = (folder / "manifest.jsonl").read_bytes()
    if not text.endswith(b"\n"):
        yield "the manifest's last line has no end"
    named = Counter[str]()
    for number, line in enumerate(text.splitlines(), 1):
        try:
            entry = json.loads(line)
            data = (folder / entry["file"]).read_bytes()
        except (ValueError, KeyError, OSError) as error:
            yield f"line {number} of the manifest: {error!r}"
            continue
        named[entry["file"]] += 1
        if hashlib.sha256(data).hexdigest() != entry["sha256"]:
            yield f"{entry['file']} has not the hash that the manifest says"
        if not (folder / entry["file"]).resolve().is_relative_to(folder.resolve()):
            yield f"{entry['file']} is outside the folder"
        if not {"url", "status", "headers", "taken"} <= entry.keys():
            yield f"line {number} of the manifest lacks a field"
    yield from (f"{file} is named {many} times" for file, many in named.items() if many > 1)
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    hidden = {name for name in names if name.rpartition("/")[2].startswith(".")}
    yield from (
        f"{name} is in no line" for name in sorted(names - hidden - {*named} - {"manifest.jsonl"})
    )
    if leftovers_of is not None:
        usual = {path.relative_to(leftovers_of).as_posix() for path in leftovers_of.rglob(".*")}
        yield from (
            f"{name} is left over" for name in sorted(hidden - usual) if not name.endswith(_KEPT)
        )


def warc_faults(file: Path) -> Iterator[str]:
    """What is wrong with a WARC file: members that end early, digests that don't agree."""
    from warcio.archiveiterator import ArchiveIterator

    with contextlib.suppress(StopIteration), file.open("rb") as stream:
        records = ArchiveIterator(stream, check_digests=True)
        kinds = Counter[str]()
        try:
            for record in records:
                while record.raw_stream.read(1 << 16):
                    pass
                kinds[record.rec_type] += 1
                if record.digest_checker.passed is False:
                    yield f"at {records.get_record_offset()}: {record.digest_checker.problems}"
        except Exception as error:
            yield f"warcio stops: {error!r}"
        if records.err_count:
            yield f"warcio finds {records.err_count} members that it can't read"
        if not kinds["warcinfo"]:
            yield "no warcinfo record"
        if kinds["request"] not in (0, kinds["response"]):
            yield f"{kinds['request']} requests, {kinds['response']} responses"
    if file.name.endswith(".gz"):
        try:
            with gzip.open(file) as whole:
                while whole.read(1 << 20):
                    pass
        except (OSError, EOFError, zlib.error) as error:
            yield f"gzip stops: {error!r}"


def kept_faults(kept: Sequence[Kept], site: Hurtful, decoded: bool) -> Iterator[str]:
    """Where what was kept differs from what the site says must be. `decoded`: bodies stand
    without codings, so that what can't be decoded must not be there."""
    pages = [page for page in kept if 200 <= page.status < 300]
    many = Counter(place(page.url) for page in pages)
    yield from (f"{where} is not kept" for where in sorted(site.good - {*many}))
    yield from (f"{where} is kept {n} times" for where, n in sorted(many.items()) if n > 1)
    bad = site.bad | site.undecoded if decoded else site.bad
    yield from (f"{where} is kept, of which no page comes" for where in sorted(bad & {*many}))
    yield from (
        f"{page.url} is kept, which is forbidden" for page in kept if site.forbidden(page.url)
    )
    for page in pages:
        if not page.url.startswith(site.base + "/") or "#" in page.url:
            yield f"{page.url} is kept under an address that is not the page's"
        elif site.bodies.get(place(page.url), page.body) != page.body:
            yield f"{page.url} is kept with another body than the page's"


# -- what was asked ----------------------------------------------------------------------------


def asked_faults(server: Server, beside: Sequence[Server], lives: Sequence[int]) -> Iterator[str]:
    """What was asked that should not have been: forbidden places, other hosts, a page again."""
    site, host = server.site, server.url.removeprefix("http://")
    assert isinstance(site, Hurtful)
    log = list(server.log)
    if log and log[0].target != "/robots.txt":
        yield f"{log[0].target} is asked before /robots.txt"
    yield from (
        f"{asked.target} is asked, which is forbidden"
        for asked in log
        if site.forbidden(asked.target)
    )
    yield from (
        f"{asked.target} is asked of {asked.headers.get('host')}"
        for asked in log
        if asked.headers.get("host") != host
    )
    yield from (
        f"{asked.target} is asked by {asked.headers.get('user-agent')}"
        for asked in log
        if "sansho" not in asked.headers.get("user-agent", "")
    )
    yield from (
        f"{other.url} is connected to {other.connections} times"
        for other in beside
        if other.connections
    )
    yield from (f"{where} is got again {n} times" for where, n in again(log, lives, site).items())
    hops = sum(asked.place.startswith("/loop/many") for asked in log)
    if hops > _HOPS * (1 + len(lives)):
        yield f"{hops} hops of an endless redirect are followed"
    yield from _hurried(log, lives, site.patience)


def again(log: Sequence[Asked], lives: Sequence[int], site: Hurtful) -> Counter[str]:
    """How often each good page was got whole again, though it was not what a kill cut short.

    A page that was the last to be asked for before a kill may not have been kept yet.
    """
    got, excused = Counter[str](), Counter[str]()
    last = {length - 1 for length in lives if length}
    for number, asked in enumerate(log):
        if asked.place in site.good and asked.status == 200 and asked.ended:
            got[asked.place] += 1
            excused[asked.place] += number in last
    return Counter(
        {where: n - 1 - excused[where] for where, n in got.items() if n - 1 > excused[where]}
    )


def _hurried(log: Sequence[Asked], lives: Sequence[int], patience: float) -> Iterator[str]:
    """Pages that were asked for again sooner than they said, within one life."""
    patient = {"/busy/seconds", "/busy/healing", "/busy/date", "/busy/never"}
    before: dict[str, float] = {}
    for number, asked in enumerate(log):
        if number in lives:
            before.clear()
        if asked.place in patient:
            waited = asked.at - before.get(asked.place, -1e9)
            if waited < patience - _LATE:
                yield f"{asked.place} is asked again after {waited:.2f} s"
            before[asked.place] = asked.at


# -- the table ---------------------------------------------------------------------------------


@dataclass(slots=True)
class Table:
    """The figures, and what is wrong."""

    faults: list[str] = field(default_factory=list)

    def line(self, what: str, figure: object, should: object = "") -> None:
        print(f"{what:<58}{figure!s:>12}{should!s:>14}", flush=True)

    def fault(self, where: str, faults: Iterable[str]) -> int:
        found = [f"{where}: {fault}" for fault in faults]
        self.faults += found
        return len(found)


def _killed(table: Table, name: str, kills: int, rng: Random, folder: Path) -> None:
    """Crawls of the hurtful site into `name`: one undisturbed, then as many as it takes until so
    many kills have been made."""
    clean = hurt(_within(folder / "clean", name), 0, rng)
    table.line(f"{name}: an undisturbed crawl, s", f"{clean.lives.seconds:.1f}")
    _count(table, f"{name}, undisturbed", clean, clean.into)
    counts, rounds = Counter[str](), 0
    while counts["kills"] < kills:
        crawled = hurt(_within(folder / str(rounds), name), kills - counts["kills"], rng)
        rounds += 1
        counts += _count(table, f"{name}, killed {rounds}", crawled, clean.into)
    table.line("  kills, in crawls", f"{counts['kills']}, {rounds}", kills)
    for what in ("requests", "allowed pages kept", "allowed pages got again that a kill cut short"):
        table.line(f"  {what}", counts[what], counts["good"] if "kept" in what else "")
    for what in _FAULTS:
        table.line(f"  {what}", counts[what], 0)


def _count(table: Table, where: str, crawled: Hurt, clean: Path) -> Counter[str]:
    """What is to be told of a crawl; what is wrong goes into the table."""
    into, site, server, beside, lives = crawled
    form, kept = _read(into, clean) if into.exists() else (iter(["nothing is there"]), [])
    done = lives.ended
    bad = [f"ends with {done.code}: {done.words[-300:]}"] if done and done.code else []
    faults = (
        bad,
        kept_faults(kept, site, into.is_dir()),
        form,
        asked_faults(server, beside, lives.lives),
    )
    counts = Counter(
        {what: table.fault(where, found) for what, found in zip(_FAULTS, faults, strict=False)}
    )
    counts["connections to other hosts and ports"] = sum(other.connections for other in beside)
    counts["kills"], counts["requests"], counts["good"] = (
        lives.kills,
        len(server.log),
        len(site.good),
    )
    counts["allowed pages kept"] = len({place(page.url) for page in kept} & site.good)
    excused = again(server.log, [], site).total() - again(server.log, lives.lives, site).total()
    counts["allowed pages got again that a kill cut short"] = excused
    return counts


def _within(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    return folder / name


def _read(into: Path, clean: Path) -> tuple[Iterator[str], list[Kept]]:
    """What is wrong with the form of a folder or WARC file, and what is in it."""
    if into.is_dir():
        return folder_faults(into, clean), in_folder(into)
    return warc_faults(into), in_warc(into)


def _again(table: Table, site: MediaWiki | PukiWiki, into: Path) -> None:
    """A wiki that is crawled, crawled again, and again after three edits."""
    name = f"{type(site).__name__}, {into.name}"
    with serving(site) as server:
        url = server.url + site.start
        first = crawl(url, into, *FREELY, *DEEP)
        table.line(f"{name}: fetched at first", first.said.get("fetched"), site.pages)
        begun, before = len(server.log), len(captures(into))
        _compare(table, name, "kept at first", before, site.pages)
        second = crawl(url, into, *FREELY, *DEEP)
        sent = sum(asked.sent for asked in server.log[begun:] if asked.place in site.good)
        table.line(
            "  second crawl: bytes of pages sent",
            f"{sent:,}",
            0 if isinstance(site, MediaWiki) else "",
        )
        if isinstance(site, MediaWiki) and sent:
            table.faults.append(f"{name}: {sent} bytes of bodies sent though nothing changed")
        _compare(table, name, "  unchanged", second.said.get("unchanged"), site.pages)
        _compare(table, name, "  new captures", len(captures(into)) - before, 0)
        edited = Counter(site.edit(rank) for rank in (1, site.pages // 2, site.pages - 1))
        third = crawl(url, into, *FREELY, *DEEP)
        new = Counter(place(page.url) for page in captures(into)[before:])
        _compare(table, name, "third crawl, after 3 edits: fetched", third.said.get("fetched"), 3)
        _compare(table, name, "  new captures", new.total(), 3)
        if new != edited:
            table.faults.append(f"{name}: new are {sorted(new)}, edited were {sorted(edited)}")


def captures(into: Path) -> list[Kept]:
    """The good captures in a folder or WARC file, in the order in which they were made."""
    kept = in_folder(into) if into.is_dir() else in_warc(into)
    return [page for page in kept if 200 <= page.status < 300]


def _compare(table: Table, where: str, what: str, figure: object, should: int) -> None:
    table.line(what, figure, should)
    if figure != should:
        table.faults.append(f"{where}: {what.strip()} {figure}, should be {should}")


def main() -> int:
    """The table; how many promises are broken, at most 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kills", type=int, nargs="?", default=50)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args()
    table, rng = Table(), Random(words.seed)
    table.line("", "", "should be")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name in ("pages", "pages.warc.gz"):
            _killed(table, name, words.kills, rng, folder)
        for site in (MediaWiki, PukiWiki):
            for name in ("pages", "pages.warc.gz"):
                _again(table, site(words.pages), _within(folder / site.__name__, name))
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    table.line("memory of the largest crawl, MB", largest)
    print("\n".join(["", *table.faults]))
    return min(1, len(table.faults))


if __name__ == "__main__":
    sys.exit(main())
