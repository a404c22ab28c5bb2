"""A short run of the fuzzer over all its targets, and whether it finds and keeps what fails."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from benchmarks.fuzz import __main__ as command_line
from benchmarks.fuzz import checks, guard, hostile, mutators, structure
from benchmarks.fuzz.bases import Bases
from benchmarks.fuzz.builds import Builds
from benchmarks.fuzz.case import Case, Failure, Piece, Target, random_of
from benchmarks.fuzz.files import file_targets
from benchmarks.fuzz.kept import kept_cases
from benchmarks.fuzz.minimize import minimized
from benchmarks.fuzz.outcome import failure_of
from benchmarks.fuzz.pages import Pages
from benchmarks.fuzz.queries import Queries
from benchmarks.fuzz.run import Plan, here, in_workers
from benchmarks.fuzz.seeds import load

SEED = 20
SEEDS = load(None)
FILES = {target.name: target for target in file_targets(SEEDS)}
SHORT: tuple[tuple[Target, int], ...] = (
    (Pages(SEEDS), 150),
    (FILES["archives"], 10),
    (FILES["parquet"], 5),
    (FILES["warc"], 10),
    (FILES["pdf"], 5),
    (FILES["dumps"], 5),
    (FILES["namelists"], 5),
    (FILES["manifests"], 3),
    (Builds(SEEDS, pages=5, workers=(1,)), 2),
    (Bases(asked=("show 引く", "search カード", "audit")), 5),
    (Queries(), 20),
)


@pytest.mark.slow
@pytest.mark.parametrize(("target", "cases"), SHORT, ids=[target.name for target, _ in SHORT])
def test_a_short_run(target: Target, cases: int, tmp_path: Path) -> None:
    tally = here(Plan(target, SEED, tmp_path, minimizing=0.5), range(cases))
    assert not tally.failures, [path.read_text("utf-8") for path in tmp_path.rglob("*.txt")]
    assert tally.cases == cases and tally.size > 0


def test_every_unspoilt_document_is_read() -> None:
    assert len(SEEDS.all) > 20
    for seed in SEEDS.all:
        failed = failure_of(Pages(SEEDS), (seed,))
        assert failed is None, (seed.name, failed)


def test_a_case_depends_on_the_seed_and_its_number_alone() -> None:
    for target in (Pages(SEEDS), *FILES.values(), Queries(), Bases()):
        first = [target.make(random_of(target.name, SEED, number)) for number in range(8)]
        again = [target.make(random_of(target.name, SEED, number)) for number in range(8)]
        assert first == again and len(set(map(repr, first))) > 4, target.name
        assert target.make(random_of(target.name, SEED + 1, 0)) != first[0]


WORD = "爆弾".encode()


class Planted(Pages):
    """Pages of which one holds a word that the parser does not take."""

    def make(self, random: Random) -> Case:
        (page,) = super().make(random)
        middle = len(page.data) // 2
        hurt = page.data[:middle] + WORD + page.data[middle:]
        return (page.holding(hurt), page) if random.random() < 0.4 else (page,)


@pytest.fixture
def bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser that raises on a certain word."""

    def check_snapshot(snapshot: object) -> None:
        if WORD in snapshot.data:  # type: ignore[attr-defined]
            raise KeyError("爆弾")

    monkeypatch.setattr("benchmarks.fuzz.pages.check_snapshot", check_snapshot)


@pytest.mark.usefixtures("bomb")
def test_a_planted_failure_is_found_and_made_small(tmp_path: Path) -> None:
    tally = here(Plan(Planted(SEEDS), SEED, tmp_path), range(12))
    assert 0 < tally.failures.total() < 12
    (kind,) = tally.failures
    assert kind.startswith("KeyError in ") and "check_snapshot" in kind
    for name, folder, case in kept_cases(tmp_path):
        assert name == "pages" and [piece.data for piece in case] == [WORD]
        said = (folder / "failure.txt").read_text("utf-8")
        assert f"--seed {SEED} --only " in said and "KeyError: '爆弾'" in said
    assert len(list(kept_cases(tmp_path))) == min(2, tally.failures.total())


@pytest.mark.usefixtures("bomb")
def test_kept_cases_are_run_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here(Plan(Planted(SEEDS), SEED, tmp_path), range(12))
    assert command_line.main(["--own", "--again", str(tmp_path)]) == 1
    assert "KeyError in " in capsys.readouterr().out
    WORDLESS = Piece("x.txt", b"x")
    for file in tmp_path.rglob("0.*"):
        file.write_bytes(WORDLESS.data)
    assert command_line.main(["--own", "--again", str(tmp_path)]) == 0
    assert "fails no longer" in capsys.readouterr().out


class Deadly(Pages):
    """Pages of which the fourth ends the process."""

    def make(self, random: Random) -> Case:
        deadly = random.random() == random_of(self.name, SEED, 3).random()
        return (Piece("x.txt", b"end" if deadly else b"x"),)

    def check(self, case: Case) -> None:
        if case[0].data == b"end":
            os._exit(9)


def test_a_process_that_dies_is_a_failure_and_the_others_go_on(tmp_path: Path) -> None:
    tally = in_workers(Plan(Deadly(SEEDS), SEED, tmp_path), range(30), 2, lambda _: None)
    assert tally.cases == 30 and tally.failures == Counter(["the process died"])
    ((_, folder, case),) = kept_cases(tmp_path)
    assert case[0].data == b"end" and "-3-" in folder.name


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["namelists", "--own", "--seed", str(SEED), "--keep", str(tmp_path), "--workers", "0"]
    assert command_line.main([*asked, "--cases", "3"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"seed {SEED}; ") and "\nnamelists " in printed
    assert command_line.main([*asked, "--only", "2"]) == 0
    assert command_line.main(["nosuch", "--own"]) == 2


def test_what_takes_too_long_fails() -> None:
    class Endless(Pages):
        def check(self, case: Case) -> None:
            while True:
                try:
                    sum(range(1000))
                except Exception:
                    continue

        def seconds(self, case: Case) -> float:
            return 0.05

    failed = failure_of(Endless(SEEDS), ())
    assert failed and failed.kind.startswith("OverTimeError in ")


def test_what_is_printed_fails() -> None:
    with pytest.raises(Failure, match="something printed: x"), guard.silent():
        print("x")


def test_text_that_is_not_counted_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "raw_text_size", lambda *_: 10**6)
    failed = failure_of(Pages(SEEDS), (SEEDS.all[0],))
    assert failed and failed.kind == "the count of mediawiki wikitext lacks text"


def test_pieces_are_left_out_first() -> None:
    case = tuple(Piece(str(n), b"a b c d" * 50 + (b"x" if n in (3, 7) else b"")) for n in range(9))
    both = minimized(case, lambda one: sum(b"x" in piece.data for piece in one) == 2)
    assert [(piece.name, piece.data) for piece in both] == [("3", b"x"), ("7", b"x")]
    whole = minimized(case, lambda one: any(b"x" in piece.data for piece in one), divisible=False)
    assert len(whole) == 1 and len(whole[0].data) > 300


def test_mutators_take_any_bytes() -> None:
    changes = (*mutators.BYTES, mutators.lines, structure.markup, structure.json_value)
    for number in range(300):
        random = Random(number)
        data = random.choice((b"", b"x", b"<p>x", b'{"a": [1]}\n{"b": {}}', hostile.piece(random)))
        for change in changes:
            assert isinstance(change(random, data), bytes)
