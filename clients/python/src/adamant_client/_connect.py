"""How a program reaches a server."""

from __future__ import annotations

import logging
import os
import ssl
from collections.abc import Generator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from ._address import is_exposed, websocket_url
from ._client import Client
from ._session import VERSION
from .errors import ConnectError
from .protocol import Auth

log = logging.getLogger("adamant_client")

told: set[str] = set()
"""The addresses without encryption of which the log has been told."""


class connect:
    """Opens a session: `async with connect(url, name="kim") as client`, or `client = await connect(..)`.

    - `url`: `wss://host`, `ws://host:port` or `host:port`. Without a scheme the connection is encrypted, except to this
      machine.
    - `token`: come back as the user of this secret.
    - `name`: come as a new guest of this name. A program says that it is one, unless `bot=False`.
    - `user`, `password`: log in to an account.
    - `token_file`: a file for the secret. If it exists, its token counts instead of `name`, `user` and `password`;
      if not, the client writes the token that it gets, so that the next run comes back as the same user.
    - without any of these the session may watch and sign up, but not play.
    - `caps`: what the server sends along. `legal` and `position` fill `Game.legal` and `Game.position` on your turn.
    - `software`: the name and version of your program, for the server's log.
    - `tls`: the TLS settings of `wss://`, such as further certificates to trust.

    The first attempt raises `ConnectError` if it fails. Later the client connects again by itself.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        name: str | None = None,
        bot: bool = True,
        user: str | None = None,
        password: str | None = None,
        token_file: str | os.PathLike[str] | None = None,
        caps: Sequence[str] = ("legal", "position"),
        software: tuple[str, str] = ("adamant-client", VERSION),
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._file = None if token_file is None else Path(token_file)
        kept = read_token(self._file)
        auth: Auth | None = None
        if token is not None or kept is not None:
            auth = {"token": token or kept or ""}
        elif user is not None and password is not None:
            auth = {"user": user, "password": password}
        elif user is not None or password is not None:
            raise ValueError("a log-in needs both user and password")
        elif name is not None:
            auth = {"guest": name, "bot": bot}
        self._is_kept = token is None and kept is not None
        address = websocket_url(url)
        if auth is not None and is_exposed(address) and address not in told:
            told.add(address)
            log.warning("%s is not encrypted: whoever is on the way reads the password or the token", address)
        self.client = Client(address, auth, list(caps), software, tls)

    async def __aenter__(self) -> Client:
        try:
            await self.client._start()
        except ConnectError as error:
            if error.code == "unauthorized" and self._is_kept:
                message = f"{error}: the token in {self._file} has ended; delete the file to begin as another user"
                raise ConnectError(message, code=error.code, may_retry=False) from error
            raise
        if self._file is not None and not self._is_kept and self.client.welcome.get("token"):
            write_token(self._file, self.client.welcome["token"])
        return self.client

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.client.close()

    def __await__(self) -> Generator[Any, None, Client]:
        return self.__aenter__().__await__()


def read_token(file: Path | None) -> str | None:
    if file is None or not file.exists():
        return None
    return file.read_text(encoding="utf-8").strip() or None


def write_token(file: Path, token: str) -> None:
    """Writes the secret so that only this user of the machine can read it, wholly or not at all."""
    new = file.with_name(f"{file.name}.new")
    # One that is there already has a mode and an owner of its own, or leads elsewhere.
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="utf-8") as stream:
        stream.write(f"{token}\n")
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(new, file)
