"""The server for assistants over HTTP: for who has the token, on this machine."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent
from starlette.testclient import TestClient

import kb
from kb.mcp.over_http import http_app
from tests.commands import run

_TOKEN = "t" * 43
_PORT = 8081
_HEADERS = {
    "accept": "application/json, text/event-stream",
    "authorization": f"Bearer {_TOKEN}",
}
_ASKED = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.fixture(scope="module")
def http(base: kb.KnowledgeBase) -> Iterator[TestClient]:
    served = kb.ReopenedBase(base.file)
    with TestClient(http_app(served, _PORT, _TOKEN), f"http://127.0.0.1:{_PORT}") as client:
        yield client
    served.close()


def test_who_has_the_token_is_answered(http: TestClient) -> None:
    answer = http.post("/mcp", json=_ASKED, headers=_HEADERS)
    assert answer.status_code == 200 and "sansho" in answer.text


@pytest.mark.parametrize("given", [None, "", "Bearer", "Bearer x", f"Basic {_TOKEN}", _TOKEN])
@pytest.mark.parametrize("path", ["/mcp", "/"])
def test_others_are_refused(http: TestClient, given: str | None, path: str) -> None:
    headers = {key: value for key, value in _HEADERS.items() if key != "authorization"}
    headers |= {} if given is None else {"authorization": given}
    for answer in (
        http.post(path, json=_ASKED, headers=headers),
        http.get(path, headers=headers),
        http.delete(path, headers=headers),
    ):
        assert answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer"
        assert "sansho" not in answer.text


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("origin", "https://example.org", 403),
        ("origin", "http://127.0.0.1:9999", 403),
        ("origin", "null", 403),
        ("host", "example.org", 421),
        ("host", f"rebound.example:{_PORT}", 421),
        ("host", "127.0.0.1:9999", 421),
    ],
)
def test_other_sites_are_refused(http: TestClient, header: str, value: str, status: int) -> None:
    answer = http.post("/mcp", json=_ASKED, headers=_HEADERS | {header: value})
    assert answer.status_code == status


def test_a_page_of_this_machine_may_ask(http: TestClient) -> None:
    headers = _HEADERS | {"origin": f"http://localhost:{_PORT}", "host": f"localhost:{_PORT}"}
    assert http.post("/mcp", json=_ASKED, headers=headers).status_code == 200


def test_a_request_has_an_end(http: TestClient) -> None:
    answer = http.post("/mcp", content=b" " * 1_000_001, headers=_HEADERS)
    assert answer.status_code == 413


def test_a_taken_port_is_said(base: kb.KnowledgeBase) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run("mcp", "--http", "--port", port, of=base)
    assert done.exit_code == 2 and f"port {port}: can't listen there" in done.stderr


def test_a_port_needs_http(base: kb.KnowledgeBase) -> None:
    done = run("mcp", "--port", "8082", of=base)
    assert done.exit_code == 2 and "--port is of use with --http alone" in done.stderr


@pytest.mark.slow
def test_the_clients_of_the_sdk_are_answered(base: kb.KnowledgeBase) -> None:
    """As a program starts it: the address and the token are printed."""
    code = "from kb.cli import main; main()"
    command = [sys.executable, "-c", code, "mcp", "--http", "--port", "0", "--kb", str(base.file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        address, header = (server.stdout.readline().strip() for _ in range(2))
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/mcp", address)
        name, _, token = header.partition(": ")
        assert len(token) > len("Bearer ") + 40

        async def ask(headers: dict[str, str]) -> CallToolResult:
            async with httpx2.AsyncClient(headers=headers, timeout=20) as http:
                transport = streamable_http_client(address, http_client=http)
                async with Client(transport) as client:
                    assert len((await client.list_tools()).tools) == 15
                    return await client.call_tool("show", {"ref": "121.4"})

        try:
            (content,) = asyncio.run(ask({name: token})).content
            assert isinstance(content, TextContent) and content.text.startswith("121.4 · rule")
            assert httpx2.post(address, json=_ASKED).status_code == 401
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(20)
