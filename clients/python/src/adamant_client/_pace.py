"""When to connect again, and how fast to send."""

from __future__ import annotations

import random
import time

from .limits import EAGER_FOR, EAGER_WAIT_MAX, FIRST_WAIT_MAX, RATE_SHARE, WAIT_MAX
from .protocol import Limits


class Backoff:
    """Exponential back-off with full jitter: a random wait below a limit that doubles.

    Clients that lost the same server come back spread over the whole range.
    """

    def __init__(self) -> None:
        self.failures = 0
        self.lost_at: float | None = None

    def next(self, now: float) -> float:
        """The wait before the next attempt. `now` is by the monotonic clock."""
        if self.lost_at is None:
            self.lost_at = now
        longest = EAGER_WAIT_MAX if now - self.lost_at < EAGER_FOR else WAIT_MAX
        limit = min(FIRST_WAIT_MAX * 2.0 ** min(self.failures, 16), longest)
        self.failures += 1
        return random.uniform(0, limit)

    def opened(self) -> None:
        """Notes a new session. Its loss is another one, after which the waits are short for a time."""
        self.lost_at = None

    def reset(self) -> None:
        self.failures, self.lost_at = 0, None


class Rate:
    """A token bucket that keeps the client within the server's message rate."""

    def __init__(self, limits: Limits) -> None:
        self.per_s = limits["per_s"] * RATE_SHARE
        self.burst = max(1.0, limits["burst"] * RATE_SHARE)
        self.is_limited = limits["per_s"] > 0 and limits["burst"] > 0
        self.tokens = self.burst
        self.refilled_at = time.monotonic()

    def take(self) -> float:
        """Takes a token, and returns 0; or returns the seconds until there is one."""
        if not self.is_limited:
            return 0.0
        now = time.monotonic()
        self.tokens = min(self.burst, self.tokens + (now - self.refilled_at) * self.per_s)
        self.refilled_at = now
        if self.tokens < 1:
            return (1 - self.tokens) / self.per_s
        self.tokens -= 1
        return 0.0
