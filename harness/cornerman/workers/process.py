"""Sessions whose environment runs in a worker process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import msgspec

from cornerman.environment import EnvironmentSpec, Step
from cornerman.errors import EnvError, EpisodeTimeout
from cornerman.records import Task
from cornerman.workers import wire
from cornerman.workers.child import Worker, WorkerDied

T = TypeVar("T")


class Limits(NamedTuple):
    """Seconds that an answer may take: `reset` for what may have to build or plan (making the environment, reset, a
    restore, gold actions, consistent states), `step` for everything else."""

    reset: float
    step: float


class ProcessSession:
    """A session that a worker process answers. Calls from several tasks are answered one after another.

    Errors of the environment are worded as those of an inline session. After a timeout, a death or a cancelled call
    the environment is lost: the worker has been ended and every further call raises `EnvError`.
    """

    def __init__(
        self, spec: EnvironmentSpec, task: Task, worker: Worker, limits: Limits, give_back: Callable[[], None]
    ) -> None:
        self._spec, self._task, self._worker, self._limits = spec, task, worker, limits
        self._give_back = give_back
        self._lock = asyncio.Lock()
        self._open = True

    async def open(self) -> None:
        """Make the environment; on any failure the worker has been given back."""
        text = f"could not be made for task {self._task.id}"
        try:
            await self._call("open", self._task, self._limits.reset, text, "while it was made")
        except BaseException:
            self._leave()
            raise

    async def reset(self) -> Step:
        """Back to the beginning of the task."""
        return self._read(await self._call("reset", None, self._limits.reset, "raised at reset", "at reset"), Step)

    async def step(self, action: str) -> Step:
        """Execute one action."""
        where = f"at {action[:80]!r}"
        return self._read(await self._call("step", action, self._limits.step, f"raised {where}", where), Step)

    async def reply(self, text: str) -> Step:
        """Give the user's words."""
        where = f"at the user's {text[:80]!r}"
        return self._read(await self._call("reply", text, self._limits.step, f"raised {where}", where), Step)

    async def gold(self) -> list[str] | None:
        """Gold actions from here."""
        reply = await self._call("gold", None, self._limits.reset, "raised for gold actions", "for gold actions")
        return None if reply is None else self._read(reply, list[str])

    async def facts(self) -> Any:
        """Hidden state."""
        return await self._call("facts", None, self._limits.step, "raised for its facts", "for its facts")

    async def consistent_states(self, number: int, seed: int) -> list[Any] | None:
        """Other states that fit what has been shown."""
        where = "for consistent states"
        reply = await self._call("consistent_states", (number, seed), self._limits.reset, f"raised {where}", where)
        return None if reply is None else self._read(reply, list[Any])

    async def snapshot(self) -> Any | None:
        """A JSON value to return to."""
        return await self._call("snapshot", None, self._limits.step, "raised at a snapshot", "at a snapshot")

    async def restore(self, snapshot: Any) -> Step:
        """Return to a snapshot."""
        reply = await self._call("restore", snapshot, self._limits.reset, "raised at restore", "at restore")
        return self._read(reply, Step)

    async def close(self) -> None:
        """Close the environment and give the worker back. One that fails at closing is not used again."""
        if self._open:
            try:
                await self._call("close", None, self._limits.step, "raised at close", "at close")
            except BaseException:
                if self._open:  # a worker given back already may serve another
                    self._worker.kill()
                raise
            finally:
                self._leave()

    async def _call(self, name: str, value: Any, seconds: float, failed: str, where: str) -> Any:
        """One operation. `failed` words an error of the environment, `where` the place of a timeout or death."""
        try:
            frame = wire.encode(wire.Operation(name, value))
        except (TypeError, ValueError, RecursionError) as error:
            raise EnvError(f"{self._spec.id} cannot be sent the value {where}: {error}") from error
        async with self._lock:
            if not self._open:
                if name == "close":
                    return None
                raise EnvError(f"{self._spec.id} is closed for task {self._task.id}; nothing can be asked {where}")
            try:
                reply = await self._worker.request(frame, seconds)
            except TimeoutError:
                raise EpisodeTimeout(
                    f"{self._spec.id} gave no answer {where} of task {self._task.id} within {seconds:g} s; "
                    "its worker was killed"
                ) from None
            except WorkerDied as death:
                raise EnvError(f"the worker of {self._spec.id} died {where} of task {self._task.id}: {death}") from None
            finally:
                if not self._worker.usable:
                    self._leave()
            if name == "close" and reply.error is None:
                self._worker.episode_closed(reply.memory)
        if reply.error is not None:
            raise EnvError(f"{self._spec.id} {failed}: {reply.error}")
        return reply.value

    def _read(self, value: Any, kind: type[T]) -> T:
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            raise EnvError(f"{self._spec.id} answered something that is no {kind}: {error}") from error

    def _leave(self) -> None:
        if self._open:
            self._open = False
            self._give_back()
