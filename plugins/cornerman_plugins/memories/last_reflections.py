"""A memory of the last reflections (Reflexion, Shinn et al. 2023, arXiv 2303.11366, which keeps one to three)."""

from __future__ import annotations

from cornerman import ContextItem, MemoryOp, hookimpl
from cornerman.engine.context import MemoryItem
from cornerman.engine.view import View
from cornerman.records import Episode


class LastReflections:
    """Keeps the last `k` reflections on tasks of each family, and tells them to the actor before the next such task.

    A reflection is what a critic said at an attempt's end and was allowed to deliver. Reflexion itself carries them
    from attempt to attempt of one task, which the protocol `retry` does; this carries them from task to task.
    """

    sees = ()

    def __init__(self, k: int = 3) -> None:
        if k < 1:
            raise ValueError(f"k counts reflections, at least 1, not {k}")
        self.k = k

    @hookimpl
    def on_task_start(self, view: View) -> list[ContextItem]:
        """The reflections on tasks of this kind."""
        return [
            ContextItem(text=item.text, placement="system", role="experience", experience=(item.id,))
            for item in self._kept(view)[-self.k :]
        ]

    @hookimpl
    def on_task_end(self, view: View, episode: Episode) -> list[MemoryOp]:
        """Which ones were used, those spoken in this episode, and the removal of what is more than k."""
        spoken = [
            critique.text.strip()
            for attempt in episode.attempts
            for critique in attempt.critiques
            if critique.moment == "review_attempt" and critique.delivered and critique.text.strip()
        ][-self.k :]
        kept = self._kept(view)
        used = [MemoryOp(op="use", id=item.id) for item in kept[-self.k :]]
        gone = [MemoryOp(op="remove", id=item.id) for item in kept[: max(0, len(kept) + len(spoken) - self.k)]]
        rng = view.rng()  # ids say nothing of the task, and differ between tasks and trials
        new = [MemoryOp(op="add", id=f"{rng.getrandbits(64):016x}", text=t, family=view.family) for t in spoken]
        return [*used, *gone, *new]

    def _kept(self, view: View) -> list[MemoryItem]:
        """The entries of the task's family, oldest first."""
        return [item for item in view.memory if item.family == view.family]
