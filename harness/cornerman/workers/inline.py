"""Sessions in the engine's own process, for environments that declare themselves light."""

from __future__ import annotations

from typing import Any

from cornerman.environment import EnvironmentSpec, Step
from cornerman.errors import EnvError
from cornerman.records import Task
from cornerman.workers.session import Host


class InlineSession:
    """A session whose calls run at once; what the environment raises becomes an `EnvError`."""

    def __init__(self, spec: EnvironmentSpec, task: Task) -> None:
        try:
            self._host = Host(spec, task)
        except Exception as error:
            raise EnvError(f"{spec.id} could not be made for task {task.id}: {describe(error)}") from error
        self._open = True

    async def reset(self) -> Step:
        """Back to the beginning of the task."""
        try:
            return self._host.reset()
        except Exception as error:
            raise EnvError(f"{self._host.spec.id} raised at reset: {describe(error)}") from error

    async def step(self, action: str) -> Step:
        """Execute one action."""
        try:
            return self._host.step(action)
        except Exception as error:
            raise EnvError(f"{self._host.spec.id} raised at {action[:80]!r}: {describe(error)}") from error

    async def gold(self) -> list[str] | None:
        """Gold actions from here."""
        try:
            return self._host.gold()
        except Exception as error:
            raise EnvError(f"{self._host.spec.id} raised for gold actions: {describe(error)}") from error

    async def facts(self) -> Any:
        """Hidden state."""
        try:
            return self._host.facts()
        except Exception as error:
            raise EnvError(f"{self._host.spec.id} raised for its facts: {describe(error)}") from error

    async def snapshot(self) -> Any | None:
        """A JSON value to return to."""
        try:
            return self._host.snapshot()
        except Exception as error:
            raise EnvError(f"{self._host.spec.id} raised at a snapshot: {describe(error)}") from error

    async def restore(self, snapshot: Any) -> Step:
        """Return to a snapshot."""
        try:
            return self._host.restore(snapshot)
        except Exception as error:
            raise EnvError(f"{self._host.spec.id} raised at restore: {describe(error)}") from error

    async def close(self) -> None:
        """Close the environment; a failing close is nobody's episode any more."""
        if self._open:
            self._open = False
            try:
                self._host.close()
            except Exception as error:
                raise EnvError(f"{self._host.spec.id} raised at close: {describe(error)}") from error


def describe(error: BaseException) -> str:
    """The class and first line of an exception."""
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0][:300]}" if text else type(error).__name__
