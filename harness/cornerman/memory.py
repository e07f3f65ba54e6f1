"""A method's memory between tasks: recorded operations, applied in suite order.

Each (method, trial) has a ledger of its own. It holds no state that the episodes do not: a resumed run rebuilds it
from them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

import msgspec

from cornerman.engine.context import MemoryItem
from cornerman.engine.settings import MemoryMode
from cornerman.records import Episode, MemoryOp


def apply(items: Sequence[MemoryItem], operations: Iterable[MemoryOp]) -> tuple[MemoryItem, ...]:
    """The entries after some operations. Updating or removing what is not there changes nothing."""
    entries = {item.id: item for item in items}
    for op in operations:
        old = entries.get(op.id)
        if op.op == "add":
            entries[op.id] = MemoryItem(id=op.id, text=op.text, family=op.family, data=op.data)
        elif op.op == "remove":
            entries.pop(op.id, None)
        elif old is not None and op.op == "update":
            entries[op.id] = msgspec.structs.replace(old, text=op.text or old.text, data={**old.data, **op.data})
        elif old is not None:
            entries[op.id] = msgspec.structs.replace(old, uses=old.uses + 1, data={**old.data, **op.data})
    return tuple(entries.values())


def final_state(episodes: Iterable[Episode], order: Sequence[str]) -> tuple[MemoryItem, ...]:
    """What a recorded run's memory held at its end; `order` are the task ids of its suite, in order."""
    place = {task: i for i, task in enumerate(order)}
    items: tuple[MemoryItem, ...] = ()
    for episode in sorted(episodes, key=lambda e: place.get(e.task.id, len(place))):
        items = apply(items, episode.memory)
    return items


class Ledger:
    """The memory of one (method, trial) over the tasks of a suite, by position in the suite."""

    def __init__(self, mode: MemoryMode, round_size: int, tasks: int, start: tuple[MemoryItem, ...] = ()) -> None:
        self._batch = {"sequential": 1, "rounds": max(1, round_size)}.get(mode, 0)
        self._start, self._mode = start, mode
        self._operations: list[tuple[MemoryOp, ...] | None] = [None] * tasks
        self._done = [asyncio.Event() for _ in range(tasks)]

    def record(self, position: int, operations: tuple[MemoryOp, ...]) -> None:
        """A task is over; those that wait for it may begin."""
        self._operations[position] = operations
        self._done[position].set()

    async def entries(self, position: int) -> tuple[MemoryItem, ...]:
        """The entries that a task begins with, once all tasks before it (or before its round) are over."""
        if self._mode == "off":
            return ()
        if not self._batch:
            return self._start
        before = position - position % self._batch
        items = self._start
        for i in range(before):
            await self._done[i].wait()
            items = apply(items, self._operations[i] or ())
        return items
