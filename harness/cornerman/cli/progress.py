"""The progress display, an observer like any other: bars on a terminal, plain lines elsewhere, all on stderr."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from cornerman import hookimpl
from cornerman.errors import POLICY
from cornerman.records import Attempt, Episode

if TYPE_CHECKING:
    from cornerman.rollout import Plan


class Progress:
    """Shows by method how many episodes are recorded and solved, tokens a second, errors, and the time left.

    Without `bars`, which need a terminal, a line is written whenever `every` percent of the run more are done, and
    after `seconds` without one, so that who watches slow episodes knows that they go on; 0 for never.
    """

    def __init__(self, every: int = 10, seconds: float = 60.0, bars: bool = False) -> None:
        self.bars = bars
        self.every, self.seconds = every, seconds
        self._bar: Any = None
        self._rows: dict[str, Any] = {}
        self._done: dict[str, int] = {}
        self._solved: dict[str, int] = {}
        self._tokens = self._errors = self._recorded = self._shown = self._requested = 0
        self._turns = self._played = 0
        self._started = 0.0
        self._written = threading.Event()
        self._over = threading.Event()

    @hookimpl
    def run_started(self, run: Plan) -> None:
        """Open the display; what is recorded already counts as done."""
        self._started = time.perf_counter()
        self._requested = run.requested
        totals: dict[str, int] = {}
        for slot in run.slots:
            totals[slot.method.name] = totals.get(slot.method.name, 0) + 1
        self._done, self._solved = dict.fromkeys(totals, 0), dict.fromkeys(totals, 0)
        open_ = len(run.open)
        self._recorded = run.requested - open_
        if open_ == 0:
            print(f"all {run.requested} episodes are recorded; nothing is to be played", file=sys.stderr)
            return
        if self._recorded:
            print(f"{self._recorded} of {run.requested} episodes are recorded; going on", file=sys.stderr)
        if self.bars:
            self._open_bars(totals)
        elif self.seconds:
            threading.Thread(target=self._keep_writing, name="cornerman-progress", daemon=True).start()
        for slot in run.slots:
            episode = run.recorded.get(slot.key)
            if episode is not None and not POLICY[episode.end].replay:
                self._count(episode)

    def _open_bars(self, totals: dict[str, int]) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bars

        self._bar = Bars(
            TextColumn("{task.description}", style="bold", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._bar.start()
        for method, total in totals.items():
            self._rows[method] = self._bar.add_task(method, total=total, note="")

    def _count(self, episode: Episode) -> None:
        method = episode.method
        self._done[method] += 1
        self._solved[method] += episode.success
        self._errors += POLICY[episode.end].error
        if self._bar is not None:
            note = f"{self._solved[method]} solved"
            self._bar.update(self._rows[method], completed=self._done[method], note=note)

    @hookimpl
    def attempt_finished(self, task: Any, method: str, trial: int, attempt: Attempt) -> None:
        """Turns played so far."""
        self._turns += len(attempt.turns)

    @hookimpl
    def episode_finished(self, episode: Episode) -> None:
        """One more episode."""
        self._recorded += 1
        self._played += 1
        self._tokens += sum(u.prompt + u.cached + u.output for u in episode.usage.values())
        self._count(episode)
        share = 100 * self._recorded // max(1, self._requested)
        if self._bar is None and (share - self._shown >= self.every or self._recorded == self._requested):
            self._shown = share
            self._written.set()
            print(self._line(), file=sys.stderr)

    def _keep_writing(self) -> None:
        """A line whenever none was written for a while, until the run is over."""
        while not self._over.is_set():
            if self._written.wait(self.seconds):
                self._written.clear()
            elif not self._over.is_set():
                print(self._line(), file=sys.stderr)

    def _line(self) -> str:
        seconds = max(1e-9, time.perf_counter() - self._started)
        left = (self._requested - self._recorded) * seconds / max(1, self._played)
        solved = sum(self._solved.values())
        parts = [
            f"{self._recorded}/{self._requested} episodes",
            f"{solved} solved",
            f"{self._errors} errors" if self._errors else "",
            f"{self._turns} turns",
            f"{self._tokens / seconds:,.0f} tokens/s" if self._tokens else "",
            f"about {left:.0f} s left" if self._played and self._recorded < self._requested else f"{seconds:.0f} s",
        ]
        return " · ".join(p for p in parts if p)

    @hookimpl
    def run_finished(self, run: Plan, complete: bool) -> None:
        """Close the display; on a terminal a last line stays."""
        self._end_thread()
        if self._bar is not None:
            self.close()
            print(self._line(), file=sys.stderr)

    def close(self) -> None:
        """Give the terminal back, however the run ended."""
        self._end_thread()
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _end_thread(self) -> None:
        self._over.set()
        self._written.set()
