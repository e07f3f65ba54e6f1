"""trails: remembers what was done in tasks of a family, and tells it before the next one."""

from cornerman import ContextItem, MemoryOp, hookimpl
from cornerman.engine.view import View
from cornerman.records import Episode
from cornerman.registry import Registry


class Trails:
    """Keeps the last trail of actions of each family. solved: only trails that won, which is privileged."""

    def __init__(self, solved: bool = False) -> None:
        self.solved = solved
        self.sees = ("history", "attempts", "score") if solved else ("history", "attempts")

    @hookimpl
    def on_task_start(self, view: View) -> list[ContextItem]:
        """What was done in the last task of this family."""
        return [
            ContextItem(text=item.text, placement="system", role="experience", experience=(item.id,))
            for item in view.memory
            if item.family == view.family
        ]

    @hookimpl
    def on_task_end(self, view: View, episode: Episode) -> list[MemoryOp]:
        """Keep this episode's trail in place of the older one."""
        if not episode.attempts or (self.solved and not episode.success):
            return []
        done = [turn.executed for turn in episode.attempts[-1].turns if turn.executed]
        text = "In a task like this one you did: " + ", ".join(done)
        return [MemoryOp(op="add", id=f"trail of {view.family}", text=text, family=view.family)]


@hookimpl
def register(registry: Registry) -> None:
    """Enter it into the catalogue."""
    registry.add("memory", "trails", Trails, doc="the last trail of actions of each family")
