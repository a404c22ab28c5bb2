"""The command line: a command for each question, and what it prints."""

from kb.cli.main import main

__all__ = ["main"]
