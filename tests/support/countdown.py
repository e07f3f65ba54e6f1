"""A small environment whose every state is known: count down to zero, one or two at a time, and never below.

`down N` moves; `wait` changes nothing; going below zero loses. Gold takes the largest step that fits.
"""

from __future__ import annotations

from typing import Any

from cornerman.environment import EnvironmentSpec, Info, TextEnv
from cornerman.records import Task


class Countdown(TextEnv):
    """Counts down from `start`."""

    def __init__(self, start: int = 5) -> None:
        super().__init__()
        self.start = self.n = start

    def _info(self) -> Info:
        return {
            "goal": "Reach exactly zero.",
            "success": self.n == 0,
            "score": max(0.0, 1 - abs(self.n) / self.start),
            "admissible_actions": ["down 1", "down 2", "wait"],
        }

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        super().reset(seed=seed)
        self.n = self.start
        return f"The counter shows {self.n}.", self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        before = self._info()["score"]
        if action in ("down 1", "down 2"):
            self.n -= int(action[-1])
            text = f"The counter shows {self.n}."
        elif action == "wait":
            text = "Time passes."
        elif action == "boom":
            raise RuntimeError("the counter broke")
        else:
            text = "Nothing happens."
        info = self._info()
        return text, info["score"] - before, self.n <= 0, False, info

    def gold(self) -> list[str] | None:
        n, plan = self.n, []
        while n > 0:
            plan.append("down 2" if n >= 2 else "down 1")
            n -= 2 if n >= 2 else 1
        return plan if n == 0 else None

    def facts(self) -> Any:
        return {"n": self.n}

    def consistent_states(self, number: int, seed: int) -> list[Any]:
        return []  # the counter is shown

    def snapshot(self) -> Any:
        return self.n

    def restore(self, snapshot: Any) -> tuple[str, Info]:
        self.n = snapshot
        return f"The counter shows {self.n}.", self._info()


SPEC = EnvironmentSpec(
    id="test/Countdown-v1", make=lambda task: Countdown(**task.settings), light=True, seedable=False, gold="policy"
)


def task(start: int = 5, name: str | None = None) -> Task:
    """A countdown from `start`."""
    return Task(env=SPEC.id, id=name or f"from-{start}", settings={"start": start})
