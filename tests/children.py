"""Processes that tests start: a person can interrupt them, whoever runs the tests."""

from __future__ import annotations

import signal
from typing import Any


def interruptible() -> dict[str, Any]:
    """Arguments for `subprocess` that restore the default action of SIGINT and SIGHUP in the child:
    a shell that runs the tests in the background, or nohup, has them ignored, and children inherit
    that."""
    return {"preexec_fn": _restore}


def _restore() -> None:
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
