"""A server's address. People write `example.org`; a socket needs a scheme, a port and a path.

An address without a scheme is encrypted, so that no password crosses a network in the clear, except to this machine.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

WEBSOCKET_PATH = "/v1/ws"
SCHEMES = {"ws": "ws", "http": "ws", "wss": "wss", "https": "wss"}

LOCAL_PORT = 7777
"""The port of a server on this machine."""


def websocket_url(address: str) -> str:
    """Returns the WebSocket's URL."""
    text = address.strip()
    if "@" in text:
        # The part before an @ may be a password, and errors end up in logs.
        raise ValueError("names and passwords do not belong in a server's address")
    typed, separator, _ = text.partition("://")
    bad = ValueError(f"{address!r} is not a server's address: it looks like wss://host:port")
    try:
        parts = urlsplit(text if separator else f"//{text}")
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise bad from error
    if not host or re.search(r"\s", text):
        raise bad
    is_local = not separator and is_loopback(host)
    scheme = SCHEMES.get(typed.lower()) if separator else "ws" if is_local else "wss"
    if scheme is None:
        raise bad
    path = parts.path if parts.path not in ("", "/") else WEBSOCKET_PATH
    authority = parts.netloc if port is not None or not is_local else f"{parts.netloc.rstrip(':')}:{LOCAL_PORT}"
    return f"{scheme}://{authority}{path}"


def is_loopback(host: str) -> bool:
    """Whether a name or an IP address is this machine's own, whatever the network says."""
    try:
        address = ip_address(host)
    except ValueError:
        return host.lower() == "localhost" or host.lower().endswith(".localhost")
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def is_exposed(url: str) -> bool:
    """Whether all that is sent crosses a network in the clear: without TLS, and not to this machine."""
    parts = urlsplit(url)
    return parts.scheme == "ws" and not is_loopback(parts.hostname or "")
