"""HTTP of uvicorn that closes connections on which no request arrives in time."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from kb.web.safety import SAFE_HEADERS

# For the head of a request to arrive. By hand: a browser sends it at once, also by a slow line;
# without a limit, 250 requests of which only the beginning was sent once refused everybody.
SECONDS = 10
# At once; a further one takes the place of one that waits. A guard: a browser opens about six, and
# the operating system lets a process have about 1,000 files and connections open.
MOST_CONNECTIONS = 500


class PatientProtocol(H11Protocol):
    """A connection: uvicorn's, which waits for ever for the end of a request's head."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._patience: asyncio.TimerHandle | None = None

    @property
    def is_answering(self) -> bool:
        """Whether the head of a request has arrived that has no whole answer yet."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._be_patient()
        if len(self.connections) > MOST_CONNECTIONS:
            others = (one for one in self.connections if isinstance(one, PatientProtocol))
            waiting = (one for one in others if one is not self and not one.is_answering)
            next(waiting, self).transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self.is_answering:
            self._be_patient()
        super().data_received(data)
        if self.is_answering:
            self._stop_waiting()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP with 400 and the headers of safety, and close the connection."""
        headers = [(name.lower(), value) for name, value in SAFE_HEADERS.items()]
        kind = [("content-type", "text/plain; charset=utf-8"), ("connection", "close")]
        for event in (
            h11.Response(status_code=400, headers=[*kind, *headers], reason=b"Bad Request"),
            h11.Data(data=msg.encode("ascii")),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _be_patient(self) -> None:
        if self._patience is None:
            self._patience = self.loop.call_later(SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        self._patience = None
        if not self.is_answering:
            self.transport.close()
