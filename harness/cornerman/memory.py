"""A method's memory between tasks: recorded operations, applied in suite order.

Each (method, trial) has a ledger of its own. It holds no state that the episodes do not: a resumed run rebuilds it
from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from cornerman.engine.context import MemoryItem
from cornerman.engine.method import Method
from cornerman.engine.settings import MemoryMode
from cornerman.errors import UsageError
from cornerman.records import MemoryOp
from cornerman.shipped_memory import read_memory
from cornerman.store import MANIFEST, latest, read_experiment, read_json
from cornerman.suites import Suite


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


def memory_of(run: Path, label: str, method: str | None = None, trial: int = 0) -> tuple[MemoryItem, ...]:
    """What a memory of a recorded run held at its end; without `method`, that of the one method that has it."""
    experiment = read_experiment(run)
    methods = [m.name for m in experiment.method if m.memory is not None and m.memory.name == label]
    methods = [m for m in methods if method in (None, m)]
    if len(methods) != 1:
        raise UsageError(f"memory source {run}: {len(methods)} of its methods have a memory '{label}', one is needed")
    episodes = latest(run)
    items: tuple[MemoryItem, ...] = ()
    for task in tasks_of(run):
        episode = episodes.get((task, methods[0], trial))
        items = apply(items, episode.memory if episode else ())
    return items


def sources(methods: Sequence[Method], suite: Suite) -> tuple[dict[str, tuple[MemoryItem, ...]], list[str]]:
    """What the memories of methods begin with, by the methods' names, and what must be said about it.

    A memory that was built on tasks of this very suite has seen the test; it is allowed, and said.
    """
    starts: dict[str, tuple[MemoryItem, ...]] = {}
    remarks: list[str] = []
    for method in methods:
        settings = None if method.memory is None else method.memory.settings
        if settings is None or settings.mode == "off":
            continue
        if settings.round < 1:
            raise UsageError(f"memory '{settings.name}' of method '{method.name}': round counts tasks, at least 1")
        if settings.source is None:
            if settings.mode == "read-only":
                raise UsageError(
                    f"memory '{settings.name}' of method '{method.name}' is read-only and needs the recorded run that "
                    "filled it, or a memory file: source=PATH"
                )
            continue
        run = Path(settings.source)
        items, played = start_from(run, settings.name)
        starts[method.name] = items
        common = {t.id for t in suite.tasks} & played
        if common:
            remarks.append(
                f"the memory '{settings.name}' of method '{method.name}' comes from {run}, which played {len(common)} "
                f"of these {len(suite.tasks)} tasks: what it learned there may be their answers"
            )
    return starts, remarks


def start_from(source: Path, label: str) -> tuple[tuple[MemoryItem, ...], set[str]]:
    """Entries from a recorded run or a memory file, and the ids of the tasks that were played for them."""
    if source.is_file():
        shipped = read_memory(source)
        return shipped.items, set(shipped.tasks)
    return memory_of(source, label), set(tasks_of(source))


def tasks_of(run: Path) -> list[str]:
    """Ids of the tasks of a recorded run, in suite order."""
    about = read_json(run / MANIFEST)
    try:
        return list(msgspec.convert(about["suite"]["tasks"], list[str]))
    except (KeyError, TypeError, msgspec.ValidationError):
        raise UsageError(f"{run / MANIFEST} lists no tasks of a suite") from None


class Ledger:
    """The memory of one (method, trial) over the tasks of a suite, by position in the suite."""

    def __init__(self, mode: MemoryMode, round_size: int, tasks: int, start: tuple[MemoryItem, ...] = ()) -> None:
        self._batch = {"sequential": 1, "rounds": round_size}.get(mode, 0)
        self._operations: list[tuple[MemoryOp, ...] | None] = [None] * tasks
        self._states = [() if mode == "off" else start]
        """Entries after the first tasks, as far as all of them are over."""

    def record(self, position: int, operations: tuple[MemoryOp, ...]) -> None:
        """A task is over."""
        self._operations[position] = operations
        while len(self._states) <= len(self._operations):
            done = self._operations[len(self._states) - 1]
            if done is None:
                return
            self._states.append(apply(self._states[-1], done))

    def _needs(self, position: int) -> int:
        """How many tasks, from the first, must be over before this one begins."""
        return position - position % self._batch if self._batch else 0

    def ready(self, position: int) -> bool:
        """Whether all tasks before this one, or before its round, are over."""
        return self._needs(position) < len(self._states)

    def entries(self, position: int) -> tuple[MemoryItem, ...]:
        """The entries that a task begins with; it must be `ready`."""
        return self._states[self._needs(position)]
