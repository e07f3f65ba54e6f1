"""What the kit found: named checks, each with a result and a sentence."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Literal

import msgspec

from cornerman.engine.text import mended
from cornerman.errors import CornermanError
from cornerman.workers.inline import describe

Result = Literal["passed", "failed", "skipped"]


class Check(msgspec.Struct, frozen=True):
    """One check: its name, what came of it, and what was seen."""

    name: str
    result: Result
    text: str


class Report(msgspec.Struct, frozen=True):
    """All checks of one environment or plug-in. `task` is the environment's task that was played."""

    kind: str
    name: str
    checks: tuple[Check, ...]
    task: str | None = None

    @property
    def failed(self) -> list[Check]:
        """The checks that failed."""
        return [c for c in self.checks if c.result == "failed"]


class Failed(Exception):
    """A check failed; the sentence says what was seen and what was due."""


class NotApplicable(Exception):
    """A check has nothing to look at; the sentence says why."""


def require(condition: bool, text: str) -> None:
    """Fail the check unless the condition holds."""
    if not condition:
        raise Failed(text)


async def perform(name: str, look: Callable[[], str | Awaitable[str]]) -> Check:
    """Carry out one check. Whatever is raised in it is what was found, never the end of the kit."""
    result: Result = "failed"
    try:
        answer = look()
        result, text = "passed", await answer if inspect.isawaitable(answer) else answer
    except NotApplicable as reason:
        result, text = "skipped", str(reason)
    except (Failed, CornermanError) as failure:
        text = str(failure)
    except (Exception, SystemExit) as error:
        text = f"raised {describe(error)}"
    return Check(name, result, mended(text))
