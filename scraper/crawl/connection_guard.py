"""Connections that never lead into a private network, and that end when their time is up."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

import httpcore

_NAT64 = IPv6Network("64:ff9b::/96")


class PrivateAddress(Exception):
    """A host whose name leads to an address that is nobody's on the public net."""


def is_public(text: str) -> bool:
    """Whether an IP address is one of the public net, also where it wraps another one.

    >>> is_public("93.184.215.14"), is_public("127.0.0.1"), is_public("::ffff:10.0.0.1")
    (True, False, False)
    """
    found = ip_address(text.partition("%")[0])
    if found in _NAT64:  # only a way to the address that stands in its end
        found = IPv4Address(found.packed[-4:])
    return all(
        one.is_global and not one.is_multicast and not one.is_reserved
        for one in (found, *_wrapped(found))
    )


def _wrapped(found: IPv4Address | IPv6Address) -> Iterable[IPv4Address]:
    """The IPv4 addresses that an IPv6 address stands for."""
    if isinstance(found, IPv4Address):
        return
    if found.ipv4_mapped:
        yield found.ipv4_mapped
    if found.sixtofour:
        yield found.sixtofour
    if found.teredo:
        yield from found.teredo


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class Guarded(httpcore.NetworkBackend):
    """Makes connections to addresses that it has checked itself.

    The name is looked up once, every address is checked, and the connection is made to one of
    these: so a name that is answered otherwise the next time leads nowhere else. `named` are
    the hosts that the user named himself; they may be private. `deadline` (as `time.monotonic`
    counts) ends all that is under way.
    """

    def __init__(self, named: frozenset[str]) -> None:
        self.deadline = float("inf")
        self._named = named
        self._backend = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        try:
            addresses = resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"{host}: no such host ({error})") from None
        if host not in self._named:
            for one in addresses:
                if not is_public(one):
                    raise PrivateAddress(f"{host} is at {one}, which is no public address")
        trouble: Exception = httpcore.ConnectError(f"{host}: no address")
        for one in addresses:
            try:
                stream = self._backend.connect_tcp(
                    one, port, self.left(timeout), local_address, socket_options
                )
                return _Stream(stream, self)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                trouble = error
        raise trouble

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.NetworkStream:
        raise httpcore.ConnectError("no connection but to hosts")

    def left(self, timeout: float | None) -> float:
        """The seconds that something may take now, of those that are left in all."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("the time for an answer is up")
        return left if timeout is None else min(timeout, left)


class _Stream(httpcore.NetworkStream):
    """A connection whose every read and write ends at the deadline."""

    def __init__(self, stream: httpcore.NetworkStream, guard: Guarded) -> None:
        self._stream = stream
        self._guard = guard

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._guard.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._guard.left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        inner = self._stream.start_tls(ssl_context, server_hostname, self._guard.left(timeout))
        return _Stream(inner, self._guard)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
