"""Processes that tests start: a person can interrupt them, whoever runs the tests."""

from __future__ import annotations

import signal
from typing import Any


def interruptible() -> dict[str, Any]:
    """Arguments for `subprocess` that restore SIGINT's default action in the child: a shell that
    runs the tests in the background has it ignored, and children inherit that."""
    return {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
