"""Makes the vectors of a knowledge base beside a server that reads it, in a thread, a few at a
time: pages and questions come first."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from time import monotonic

from graphs.store.reader import Store
from kb.build_progress import BuildProgress
from kb.errors import QuestionError, StoreError
from kb.query.near.build_vectors import build_vectors, is_complete
from kb.query.near.encoders import Encoder
from kb.query.near.installed_encoder import encoder_or_none
from kb.reason import Reason, reason_of
from kb.reopened_base import ReopenedBase

_LOOK = 5.0  # seconds from one look whether the file was built again to the next
# Vectors that are made before the encoder is free for a question again: some 0.1 s.
_AT_ONCE = 2


class _StoppedError(Exception):
    """The server is about to end."""


class VectorsInBackground:
    """A thread that makes the vectors that a served knowledge base lacks, and again when its file
    was built anew; a context manager, at whose end it stops. Without an encoder there is none.

    How far it is, or why it can't go on, is in `served.vectors` for readers. It rests as long as it
    works.
    """

    def __init__(self, served: ReopenedBase, say: Callable[[Reason], None]) -> None:
        """say: called, in the thread, with the reason why vectors can't be made, if they can't,
        once for each state of the file."""
        self._served, self._say = served, say
        self._stop = Event()
        self._thread = Thread(target=self._run, name="vectors", daemon=True)
        self._resumed = 0.0

    def __enter__(self) -> VectorsInBackground:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(_LOOK)  # it ends after two vectors

    def _run(self) -> None:
        made_of: object = None
        with suppress(_StoppedError):
            while not self._stop.is_set():
                if (signature := self._served.signature()) != made_of:
                    made_of = signature
                    try:
                        self._make(encoder_or_none())
                    except (OSError, QuestionError, StoreError) as error:
                        self._served.vectors = Reason("vectors_not_made", why=reason_of(error))
                        self._say(self._served.vectors)
                self._stop.wait(_LOOK)

    def _make(self, encoder: Encoder | None) -> None:
        if encoder is not None:
            with Store(self._served.file) as store:
                self._resumed = monotonic()
                if not is_complete(store, encoder):
                    build_vectors(store, encoder, self._watch, _AT_ONCE)
        self._served.vectors = None

    def _watch(self, progress: BuildProgress) -> None:
        """Tell readers how far it is, and rest as long as it has worked since the last rest."""
        done, total = progress.done, progress.total or 0
        self._served.vectors = Reason(
            f"vectors_{progress.phase.split()[0]}", done=done, total=total
        )
        if self._stop.wait(monotonic() - self._resumed):
            raise _StoppedError
        self._resumed = monotonic()
