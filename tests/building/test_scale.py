"""What builds over shards take is measured, and models are fitted to it."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from benchmarks.scale import Measured, measure, models, table


def measured(pages: int) -> Measured:
    """A build of which each figure grows as one of the models has it."""
    passages = 10 * pages
    return Measured(
        pages, passages, 2 * passages, 3 * passages, 0,
        phases={"reading shards": pages / 100, "merging shards": pages / 1000},
        own={"reading shards": 1.0, "merging shards": passages * math.log(passages) / 1e5},
        workers=passages * 36e-4 - 1.0,
        memory={"reading shards": 100.0, "merging shards": math.sqrt(passages)},
        worker=300.0,
        disk={"sources": passages / 1e3, "knowledge base": passages / 1e3},
    )  # fmt: skip


def test_models_give_what_they_were_made_of() -> None:
    lines = {line[:40].strip(): line.split()[-3:] for line in models([measured(n) for n in
             (1000, 10_000, 100_000, 1_000_000)])}  # fmt: skip
    assert lines["reading, hours of one processor"] == ["100.0", "100.0", "1.00"]
    by_log, _, _ = lines["merging, hours of one processor"]
    assert float(by_log) == pytest.approx(1e8 * math.log(1e8) / 1e5 / 3600, abs=0.1)
    assert lines["memory of the merge, GB"][1:] == ["10.0", "0.50"]
    assert lines["disk: sources, GB"] == ["100.0", "100.0", "1.00"]
    assert "no models" in next(models([measured(1000), measured(10_000)]))


def test_the_table_has_all_that_was_measured(tmp_path: Path) -> None:
    lines = list(table([measured(1000), measured(10_000)]))
    for name in (
        "passages",
        "reading shards",
        "the workers",
        "sources",
        "the largest worker",
        "pace",
    ):
        assert any(line.startswith(name) for line in lines)
    for pages in (1000, 10_000):
        (tmp_path / f"{pages}.json").write_text(json.dumps(asdict(measured(pages))))
    command = [sys.executable, "-m", "benchmarks.scale", "--table", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[: len(lines)] == lines


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_build_is_measured(tmp_path: Path) -> None:
    found = measure(40, tmp_path, workers=1, beside=True)
    assert found.pages == 41 and found.warnings == 0 and found.ordinary
    assert {"reading shards", "merging shards"} <= found.phases.keys() == found.memory.keys()
    assert found.reading > 0 and found.merging > 0 and min(found.memory.values()) > 10
    assert found.disk["sources"] > 0 and found.disk["rows of shards"] > 0
