"""Many awaitables, a few at a time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


async def side_by_side(work: Iterable[Coroutine[Any, Any, T]], at_once: int) -> AsyncIterator[T]:
    """The results of some coroutines in their order, `at_once` of them under way; one is made when its turn comes."""
    under_way: deque[asyncio.Task[T]] = deque()
    try:
        for each in work:
            under_way.append(asyncio.create_task(each))
            if len(under_way) >= at_once:
                yield await under_way[0]
                under_way.popleft()
        while under_way:
            yield await under_way[0]
            under_way.popleft()
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
