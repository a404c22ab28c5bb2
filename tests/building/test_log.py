"""What is logged of a build: why something is not in the graph."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

import kb
from tests.commands import printed

BOOK = """Harbour Comprehensive Rules
2030-01-02

1. Ships
1.1 A ship has sails. See rule 1.2.
1.2 A ship moves 2.5 knots, as rule 9.9 of the Judge Handbook says.
1.6 This comes too early.
1.3 A ship sinks.
1.4 A sail (formerly 1.2) is white.
1.5 A raft has none.
"""


def test_why_a_line_is_no_rule_and_a_number_no_citation(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    book = tmp_path / "book.txt"
    book.write_text(BOOK, encoding="utf-8")
    with caplog.at_level(logging.DEBUG):
        kb.build([book], tmp_path / "x.db", site="rulebook", workers=1)
    said = [record.getMessage() for record in caplog.records]
    assert f"reading {book}" in said
    assert any("line 7, 1.6, begins no rule: its number comes twice or out" in one for one in said)
    assert any("2.5 cites nothing" in one for one in said)
    assert any("1.2 cites nothing: it is the number of an edition before" in one for one in said)


def test_it_is_printed_if_asked_for(tmp_path: Path) -> None:
    book, base = tmp_path / "book.txt", tmp_path / "x.db"
    book.write_text(BOOK.replace("comes too", "comes \x1b[2Jtoo"), encoding="utf-8")
    code, _, silent = printed("build", book, "--site", "rulebook", of=base)
    assert code == 0 and "begins no rule" not in silent
    code, _, spoken = printed("build", "--again", "--verbose", of=base)
    assert code == 0 and "begins no rule" not in spoken  # as nothing is read
    book.write_text(book.read_text("utf-8") + "1.6 More.\n", encoding="utf-8")
    code, _, spoken = printed("build", "--again", "-v", of=base)
    assert code == 0 and f"reading {book}" in " ".join(spoken.split())
    assert "line 7, 1.6, begins no rule" in spoken and "\x1b" not in spoken
    assert "begins no rule" not in printed("build", "--again", of=base)[2]
