"""A server's address. People write `example.org:7777`; a socket needs a scheme and a path."""

from __future__ import annotations

from urllib.parse import urlsplit

WEBSOCKET_PATH = "/v1/ws"
SCHEMES = {"ws": "ws", "http": "ws", "wss": "wss", "https": "wss"}


def websocket_url(address: str) -> str:
    """Returns the WebSocket's URL. An address without a scheme is taken as `ws://`."""
    text = address.strip()
    if "@" in text:
        # The part before an @ may be a password, and errors end up in logs.
        raise ValueError("names and passwords do not belong in a server's address")
    parts = urlsplit(text if "://" in text else f"ws://{text}")
    scheme = SCHEMES.get(parts.scheme.lower())
    if scheme is None or not parts.hostname:
        raise ValueError(f"{address!r} is not a server's address: it looks like ws://host:port")
    path = parts.path if parts.path not in ("", "/") else WEBSOCKET_PATH
    return f"{scheme}://{parts.netloc}{path}"
