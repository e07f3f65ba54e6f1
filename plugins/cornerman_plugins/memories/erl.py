"""ERL's memory: the instructions that last helped."""

from __future__ import annotations

from cornerman import MemoryOp, hookimpl
from cornerman.engine.context import MemoryItem
from cornerman.engine.view import View
from cornerman.records import Attempt, Episode


class ERLMemory:
    """One string, shown to the critic `erl` and never to the actor (ERL, arXiv 2602.13949).

    The paper's: the reflection becomes the memory when the second attempt, which it led, scored above the threshold; in
    evaluation there is none. Ours: one string a family of tasks. It sees scores and makes the method privileged.
    """

    sees = ("attempts", "score")

    def __init__(self, threshold: float = 0.0) -> None:
        if not 0 <= threshold < 1:
            raise ValueError(f"threshold is a score from 0 to below 1, not {threshold}")
        self.threshold = threshold

    @hookimpl
    def on_task_end(self, view: View, episode: Episode) -> list[MemoryOp]:
        """The instructions of the last attempt that scored above the threshold under some, in place of the old ones."""
        led = [a for a in episode.attempts if a.critique is not None and (a.score or 0.0) > self.threshold]
        words = instructions(led[-1]) if led else ""
        if not words:
            return []
        old: list[MemoryItem] = [item for item in view.memory if item.family == view.family]
        ident = old[0].id if old else f"{view.rng().getrandbits(64):016x}"
        return [MemoryOp(op="update" if old else "add", id=ident, text=words, family=view.family)]


def instructions(attempt: Attempt) -> str:
    """The words that an attempt carried from the critique that led to it."""
    return next((item.text for item in attempt.context if item.critique == attempt.critique), "")
