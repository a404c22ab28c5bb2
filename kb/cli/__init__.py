"""The command line: its commands and options, and what they print."""

from kb.cli.main import main

__all__ = ["main"]
