"""Sessions in the engine's own process, for environments that declare themselves light."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from cornerman.environment import EnvironmentSpec, Step
from cornerman.errors import EnvError
from cornerman.records import Task
from cornerman.workers.session import Host


@contextlib.contextmanager
def environment(spec: EnvironmentSpec, what: str) -> Iterator[None]:
    """Turn whatever an environment raises into an `EnvError`; `what` says at what it was.

    Everything is the environment's, SystemExit and a panic in a native library too: no call in here waits, so that only
    an interrupt from the keyboard can come from elsewhere.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise EnvError(f"{spec.id} {what}: {describe(error)}") from error


class InlineSession:
    """A session whose calls run at once; what the environment raises becomes an `EnvError`."""

    def __init__(self, spec: EnvironmentSpec, task: Task) -> None:
        with environment(spec, f"could not be made for task {task.id}"):
            self._host = Host(spec, task)
        self._spec, self._open = spec, True

    async def reset(self) -> Step:
        """Back to the beginning of the task."""
        with environment(self._spec, "raised at reset"):
            return self._host.reset()

    async def step(self, action: str) -> Step:
        """Execute one action."""
        with environment(self._spec, f"raised at {action[:80]!r}"):
            return self._host.step(action)

    async def gold(self) -> list[str] | None:
        """Gold actions from here."""
        with environment(self._spec, "raised for gold actions"):
            return self._host.gold()

    async def facts(self) -> Any:
        """Hidden state."""
        with environment(self._spec, "raised for its facts"):
            return self._host.facts()

    async def snapshot(self) -> Any | None:
        """A JSON value to return to."""
        with environment(self._spec, "raised at a snapshot"):
            return self._host.snapshot()

    async def restore(self, snapshot: Any) -> Step:
        """Return to a snapshot."""
        with environment(self._spec, "raised at restore"):
            return self._host.restore(snapshot)

    async def close(self) -> None:
        """Close the environment; a failing close is nobody's episode any more."""
        if self._open:
            self._open = False
            with environment(self._spec, "raised at close"):
                self._host.close()


def describe(error: BaseException) -> str:
    """The class and first line of an exception."""
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0][:300]}" if text else type(error).__name__
