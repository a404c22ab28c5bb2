"""Serves assistants over HTTP: on this machine alone, to who has the token."""

from __future__ import annotations

import secrets
import socket
from hmac import compare_digest
from pathlib import Path

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

import kb
from kb.mcp.server import build_server

_HOST = "127.0.0.1"
_PATH = "/mcp"
# Bytes of a request, by hand: the longest text and its original, in JSON, with room.
_LONGEST_REQUEST = 1_000_000
# By hand: each session keeps some memory, and an assistant has one.
_MOST_SESSIONS = 64
_TOKEN_BYTES = 32  # 256 bits, as the standard library advises


class RequireToken:
    """Lets requests through that bring the token; others get 401, before anything reads them.

    token: what stands behind `Authorization: Bearer`.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if scope["type"] != "http" or not compare_digest(given, self._expected):
                headers = {"www-authenticate": "Bearer"}
                refused = PlainTextResponse("the token is missing or wrong\n", 401, headers)
                return await refused(scope, receive, send)
        await self._app(scope, receive, send)


def http_app(served: kb.ReopenedBase, port: int, token: str) -> ASGIApp:
    """Return the application that answers assistants at `/mcp`.

    port: that browsers and clients must name: a page of another site, and a name that was made to
        lead here, are refused by their Origin and Host.
    """
    local = [f"{host}:{port}" for host in (_HOST, "localhost")]
    allowed = TransportSecuritySettings(
        allowed_hosts=local, allowed_origins=[f"http://{host}" for host in local]
    )
    app = build_server(served).streamable_http_app(
        streamable_http_path=_PATH,
        max_request_body_size=_LONGEST_REQUEST,
        max_sessions=_MOST_SESSIONS,
        transport_security=allowed,
    )
    return RequireToken(app, token)


def serve_http(path: str | Path, port: int) -> None:
    """Serve a knowledge base over HTTP until it is interrupted; print the address and the token.

    port: 0 for any that is free.

    Raises StoreError if the file can't be opened, and OSError if the port is taken.
    """
    served = kb.ReopenedBase(path)
    try:
        with socket.create_server((_HOST, port)) as listening:
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            port, token = listening.getsockname()[1], secrets.token_urlsafe(_TOKEN_BYTES)
            print(f"http://{_HOST}:{port}{_PATH}\nAuthorization: Bearer {token}", flush=True)
            config = uvicorn.Config(
                http_app(served, port, token), log_level="warning", ws="none",
                timeout_graceful_shutdown=3, server_header=False,
            )  # fmt: skip
            uvicorn.Server(config).run(sockets=[listening])
    finally:
        served.close()
