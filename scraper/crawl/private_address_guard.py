"""A network backend for httpcore that refuses private addresses and enforces a deadline."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

import httpcore

_NAT64 = IPv6Network("64:ff9b::/96")  # by RFC 6052


class PrivateAddress(Exception):
    """Raised when a host's name resolves to an address that is not public."""


def is_public(text: str) -> bool:
    """Whether an IP address is public, and so are all IPv4 addresses embedded in it.

    text: an IPv4 or IPv6 address, perhaps with a zone (`%eth0`), which is ignored; not the name of
        a host. Raises ValueError for any other text.

    >>> is_public("93.184.215.14"), is_public("127.0.0.1"), is_public("::ffff:10.0.0.1")
    (True, False, False)
    """
    address = ip_address(text.partition("%")[0])
    if address in _NAT64:  # a gateway to the IPv4 address in its last four bytes
        address = IPv4Address(address.packed[-4:])
    return all(
        candidate.is_global and not candidate.is_multicast and not candidate.is_reserved
        for candidate in (address, *_embedded_addresses(address))
    )


def _embedded_addresses(address: IPv4Address | IPv6Address) -> Iterable[IPv4Address]:
    """Yield the IPv4 addresses in a mapped, 6to4 or Teredo IPv6 address (of Teredo two).

    None for an IPv4 address and for any other IPv6 address.
    """
    if isinstance(address, IPv4Address):
        return
    if address.ipv4_mapped:
        yield address.ipv4_mapped
    if address.sixtofour:
        yield address.sixtofour
    if address.teredo:
        yield from address.teredo


def resolve(host: str, port: int) -> list[str]:
    """Look up a host's name and return its IPv4 and IPv6 addresses, without duplicates.

    The system's preferred address comes first.

    port: only passed to the look-up; it is not in the addresses.

    Raises OSError or UnicodeError if there is no such host.
    """
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))


class GuardedBackend(httpcore.NetworkBackend):
    """Connects only to addresses that it has resolved and checked itself, until a deadline.

    A host's name is looked up once, every address is checked, and the connection is made to one
    of these addresses. So a name that resolves differently the next time leads nowhere else.

    named: the hosts that the user named; only these may have private addresses.
    deadline: when every connection times out, on the clock of `time.monotonic`.
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
        """Connect to the first of a host's addresses that accepts a connection.

        host: a name or an IP address; only if the user named it may it be at a private address.
        timeout: the seconds for each address; None for no limit but the deadline.

        Raises PrivateAddress if any of the addresses is not public, or httpcore's exceptions.
        """
        try:
            addresses = resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"{host}: no such host ({error})") from None
        if host not in self._named:
            for address in addresses:
                if not is_public(address):
                    raise PrivateAddress(f"{host} is at {address}, which is no public address")
        last_error: Exception = httpcore.ConnectError(f"{host}: no address")
        for address in addresses:
            try:
                stream = self._backend.connect_tcp(
                    address, port, self.remaining(timeout), local_address, socket_options
                )
                return _Stream(stream, self)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last_error = error
        raise last_error

    def remaining(self, timeout: float | None) -> float:
        """Return the seconds that an operation may take: its timeout, cut off at the deadline.

        timeout: in seconds; None for an operation that only the deadline limits.

        Raises httpcore.ReadTimeout if the deadline has passed.
        """
        remaining = self.deadline - time.monotonic()
        if remaining <= 0:
            raise httpcore.ReadTimeout("the time for an answer is up")
        return remaining if timeout is None else min(timeout, remaining)


class _Stream(httpcore.NetworkStream):
    """A connection on which no read or write lasts beyond the deadline of its backend."""

    def __init__(self, stream: httpcore.NetworkStream, backend: GuardedBackend) -> None:
        self._stream = stream
        self._backend = backend

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._backend.remaining(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._backend.remaining(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        stream = self._stream.start_tls(
            ssl_context, server_hostname, self._backend.remaining(timeout)
        )
        return _Stream(stream, self._backend)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
