"""Serves the explorer on a port of this machine."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread

import uvicorn
from starlette.types import ASGIApp

import kb
from kb.web.app import LOCAL_HOSTS, create_app
from kb.web.base_counts import loaded
from kb.web.examples import Examples
from kb.web.interface_language import LANGUAGES, Interface
from kb.web.safety import PatientProtocol


def serve(
    kb_file: str,
    host: str,
    port: int,
    names: Sequence[str],
    say: Callable[[kb.Reason], None],
) -> None:
    """Serve the explorer of a knowledge base until it is interrupted.

    host: the address to listen at. port: 0 for any that is free.
    names: by which browsers may call it, besides those of this machine.
    say: called, in a thread, with the reason why vectors can't be made, if they can't.

    Raises kb.StoreError if the file can't be opened, and OSError if the port is taken.
    """
    served = kb.ReopenedBase(kb_file)
    app = create_app(served, [*LOCAL_HOSTS, *names])
    Thread(target=_count, args=[served], daemon=True).start()
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listening:
        # Else the second packet of an answer waits 40 ms for the first to be acknowledged: asyncio
        # does so by itself only for sockets that it opens.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        shown = f"[{host}]" if ":" in host else host
        print(f"http://{shown}:{listening.getsockname()[1]}/", flush=True)
        with kb.VectorsInBackground(served, say):
            uvicorn.Server(settings(app)).run(sockets=[listening])


def settings(app: ASGIApp) -> uvicorn.Config:
    """Return how uvicorn serves the explorer: without a log of requests, without web sockets, and
    without headers that tell what serves it."""
    return uvicorn.Config(
        app, log_level="warning", http=PatientProtocol, ws="none", timeout_keep_alive=15,
        timeout_graceful_shutdown=3, server_header=False, date_header=False, lifespan="off",
    )  # fmt: skip


def _count(served: kb.ReopenedBase) -> None:
    """Count what is loaded, and try the questions of the first page, before the first reader comes:
    of a large base it takes seconds."""
    with suppress(*kb.ERRORS), served.base() as base:
        loaded(base)
        for lang in LANGUAGES:
            _ = Examples(base, Interface(lang)).questions
