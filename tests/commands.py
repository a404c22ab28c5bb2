"""Commands as people type them, run in the process of the test."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

import kb
from kb.cli.group import main


def run(
    *words: object,
    of: kb.KnowledgeBase | Path | str | None = None,
    columns: int = 80,
    text: str | None = None,
) -> Result:
    """Run a command on a terminal of some width, without colours; it must end as commands do.

    of: the knowledge base that is asked, or its file; text: what stands on standard input
    """
    command = [*map(str, words)]
    if of is not None:
        # Before what is taken for no option.
        end = command.index("--") if "--" in command else len(command)
        command[end:end] = ["--kb", str(of.file if isinstance(of, kb.KnowledgeBase) else of)]
    environment = {"COLUMNS": str(columns), "NO_COLOR": "1"}
    done = CliRunner().invoke(main, command, input=text, env=environment)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def printed(
    *words: object, of: kb.KnowledgeBase | Path | str | None = None, text: str | None = None
) -> tuple[int, str, str]:
    """The exit code of a command, and what it prints on standard output and standard error."""
    done = run(*words, of=of, text=text)
    return done.exit_code, done.stdout, done.stderr
