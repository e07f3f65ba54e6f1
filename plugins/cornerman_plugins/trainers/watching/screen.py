"""Shows how a training run goes: a line on stderr for each evaluation and, now and then, for updates."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping

from cornerman_plugins.trainers.running.checkpoint import State

SHOWN = ("first_success", "retry_success", "gain", "reward", "entropy", "kl", "dead", "length")


class Screen:
    """A context manager. `total`: how many updates are planned, 0 where the schedule does not know."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._began = time.perf_counter()
        self._first: tuple[int, int] | None = None

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, *exception: object) -> None:
        sys.stderr.flush()

    def show(self, state: State, figures: Mapping[str, float]) -> None:
        """One line, at about every twentieth update and every evaluation."""
        if self._first is None:
            self._first = (state.update, state.tokens)
        evaluated = any(name.startswith("eval/") for name in figures)
        every = max(1, self._total // 20) if self._total else 10
        if not evaluated and state.update % every:
            return
        words = [f"{name} {value:.3g}" for name, value in figures.items() if name.rpartition("/")[2] in SHOWN]
        print(f"{self._head(state)}: {', '.join(words)}", file=sys.stderr, flush=True)

    def _head(self, state: State) -> str:
        seconds = time.perf_counter() - self._began
        update, tokens = self._first or (0, 0)
        done = state.update - update
        head = f"update {state.update}" + (f"/{self._total}" if self._total else "")
        if not done:
            return head
        left = (self._total - state.update) * seconds / done
        speed = (state.tokens - tokens) / seconds
        return f"{head}, {speed:,.0f} tokens/s" + (f", {left / 60:.0f} min left" if left > 0 else "")
