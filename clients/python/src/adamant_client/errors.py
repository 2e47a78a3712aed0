"""What can go wrong."""

from __future__ import annotations

import re

from .protocol import Failed

CLOSE_CODES_FINAL = frozenset({1001, 1002, 1003, 1007, 1008, 1009, 4001, 4002, 4003, 4007})
"""Close codes after which the same attempt would end in the same way."""


CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def plain(text: str) -> str:
    """A server's text without what would move a terminal's cursor, rename its window or fill the clipboard."""
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


class AdamantError(Exception):
    """The base of all errors of this package."""

    def __init__(self, message: str) -> None:
        super().__init__(plain(message))


class ConnectError(AdamantError):
    """There is no connection.

    Where the server says so, `code` is the protocol's code, such as `name_taken`, and `retry_after` is the wait in
    seconds.
    """

    def __init__(
        self, message: str, *, code: str | None = None, may_retry: bool = True, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.may_retry = may_retry
        self.retry_after = retry_after


class RequestError(AdamantError):
    """The server refused a request. The message is the server's sentence."""

    def __init__(self, frame: Failed) -> None:
        super().__init__(frame["message"])
        self.frame = frame
        """The whole error frame: `why` of an illegal move, `limit`, `turn` and the like."""

    @property
    def code(self) -> str:
        """The code, such as `illegal_move`. A later server may send words that are not known today."""
        return self.frame["code"]

    @property
    def retry(self) -> str:
        """`never`, `same`, `after` or `resync`."""
        return self.frame["retry"]

    @property
    def retry_after(self) -> float | None:
        """The wait that the server asks for, in seconds."""
        milliseconds = self.frame.get("retry_after_ms")
        return None if milliseconds is None else milliseconds / 1000

    def __str__(self) -> str:
        return plain(f"{self.frame['message']} ({self.code})")


class ConnectionLost(AdamantError):
    """The connection broke before the reply arrived. The server may have carried the request out.

    Only requests that may not be sent twice fail like this; the client sends all others again.
    """


class Closed(AdamantError):
    """The connection has ended for good. `code` is the server's close code, if it sent one."""

    def __init__(self, message: str, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code


class TooLarge(AdamantError):
    """The request is larger than the server accepts."""


class TooManyPending(AdamantError):
    """Too many requests wait for their replies."""


class InboxOverflow(AdamantError):
    """Frames were lost because the program did not read them. Begin to iterate at once."""
