"""The end of tasks."""

from __future__ import annotations

import asyncio
from typing import Any

from .limits import CANCEL_AGAIN


async def end(tasks: set[asyncio.Task[Any]]) -> None:
    """Cancels tasks until all of them have ended. Others may join the set meanwhile."""
    # Before Python 3.12, `asyncio.wait_for` swallows a cancellation at the moment of its success.
    while left := {task for task in tasks if not task.done()}:
        for task in left:
            task.cancel()
        await asyncio.wait(left, timeout=CANCEL_AGAIN)
