"""When to try again: exponential backoff with jitter, unless the server says how long to wait."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST = 0.5
"""Seconds of the first pause, before jitter."""
LONGEST = 30.0
"""No pause of ours grows beyond this many seconds."""


def pause(tries: int, jitter: random.Random) -> float:
    """Seconds to wait after the given number of failed tries (1 or more): d/2 + U(0, d/2) of d = min(30, 2^(tries-2)).

    This is the "equal jitter" of M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015: spread, so
    that the callers that a server turned away together do not come back together, but never at once.
    """
    whole = min(LONGEST, FIRST * 2.0 ** min(tries - 1, 30))
    return whole / 2 + jitter.uniform(0, whole / 2)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds that a `Retry-After` header asks for (RFC 9110, section 10.2.3: a number or a date), or None."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - (now or datetime.now(UTC))).total_seconds())
