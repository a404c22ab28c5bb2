"""Prints the build of the sample and the answer to one question, for `sansho demo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.cli.render.ask import print_answers
from kb.cli.render.build import print_next, print_summary
from kb.cli.render.output import bold, dim, echo, field

if TYPE_CHECKING:
    from kb import Answers, BuildReport


def print_demo(result: Answers, report: BuildReport) -> None:
    """Print what was built, a question with its answers, and commands to try next.

    result: the answers, which also contain the question, as `ask` gives them.
    report: the build of the sample that was asked.
    """
    print_summary(report)
    echo()
    echo(bold(f"Q  {result.question}"), hang=3)
    echo()
    print_answers(result)
    print_next(
        ("show 121.4", "the rule"),
        ("path 引く 状況起因処理", "how they connect"),
        kb_file=report.kb,
    )
    field("", "sansho build FOLDER", dim("  your own pages"), indent=0)
    field("", "sansho --help", dim("  everything else"), indent=0)
