"""Prints the build of the sample and the answer to one question, for `sansho demo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.render.ask import print_answers
from kb.cli.render.build import print_build
from kb.cli.render.text_output import bold

if TYPE_CHECKING:
    from kb import Answers, BuildReport


def print_demo(result: Answers, report: BuildReport) -> None:
    """Print what was built, a question with its answers, and commands to try next.

    result: the answers, which also contain the question.
    report: the build of the sample that was asked.
    """
    print_build(report)
    click.echo(f"\n{bold('Q')} {result.question}\n")
    print_answers(result)
    click.echo(f"\nNext:  sansho show 121.4 --kb {report.kb}")
    click.echo(f"       sansho path 引く 状況起因処理 --kb {report.kb}")
    click.echo("       sansho build FOLDER     your own pages; `sansho --help` lists the rest")
