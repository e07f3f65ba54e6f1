"""Sessions in the engine's own process, for environments that declare themselves light."""

from __future__ import annotations

from typing import Any

from cornerman.environment import EnvironmentSpec, Step
from cornerman.errors import EnvError
from cornerman.records import Task
from cornerman.workers.session import Host


class Blames:
    """Within it, whatever is raised becomes an `EnvError` of the environment, with what it was asked for.

    Everything is the environment's, SystemExit and a panic in a native library too: no call in here waits, so that only
    an interrupt from the keyboard can come from elsewhere. A class, since it costs a third of a generator at each step.
    """

    __slots__ = ("_environment", "_what")

    def __init__(self, environment: EnvironmentSpec, what: str) -> None:
        self._environment, self._what = environment, what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None and not isinstance(error, KeyboardInterrupt):
            raise EnvError(f"{self._environment.id} {self._what}: {describe(error)}") from error


class InlineSession:
    """A session whose calls run at once; what the environment raises becomes an `EnvError`."""

    def __init__(self, spec: EnvironmentSpec, task: Task) -> None:
        with Blames(spec, f"could not be made for task {task.id}"):
            self._host = Host(spec, task)
        self._spec, self._open = spec, True

    async def reset(self) -> Step:
        """Back to the beginning of the task."""
        with Blames(self._spec, "raised at reset"):
            return self._host.reset()

    async def step(self, action: str) -> Step:
        """Execute one action."""
        with Blames(self._spec, f"raised at {action[:80]!r}"):
            return self._host.step(action)

    async def reply(self, text: str) -> Step:
        """Give the environment what its user says."""
        with Blames(self._spec, f"raised at the user's {text[:80]!r}"):
            return self._host.reply(text)

    async def gold(self) -> list[str] | None:
        """Gold actions from here."""
        with Blames(self._spec, "raised for gold actions"):
            return self._host.gold()

    async def facts(self) -> Any:
        """Hidden state."""
        with Blames(self._spec, "raised for its facts"):
            return self._host.facts()

    async def consistent_states(self, number: int, seed: int) -> list[Any] | None:
        """Other states that fit what has been shown."""
        with Blames(self._spec, "raised for consistent states"):
            return self._host.consistent_states(number, seed)

    async def snapshot(self) -> Any | None:
        """A JSON value to return to."""
        with Blames(self._spec, "raised at a snapshot"):
            return self._host.snapshot()

    async def restore(self, snapshot: Any) -> Step:
        """Return to a snapshot."""
        with Blames(self._spec, "raised at restore"):
            return self._host.restore(snapshot)

    async def close(self) -> None:
        """Close the environment; a failing close is nobody's episode any more."""
        if self._open:
            self._open = False
            with Blames(self._spec, "raised at close"):
                self._host.close()


def describe(error: BaseException) -> str:
    """The class and first line of an exception."""
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0][:300]}" if text else type(error).__name__
