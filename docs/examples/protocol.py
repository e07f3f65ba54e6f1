"""fan: one attempt, then several more from the middle of it; the critics' scores choose which one counts."""

from cornerman import AttemptSpec, Start, hookimpl
from cornerman.engine.view import View
from cornerman.registry import Registry


class Fan:
    """Plays one attempt, then `width` others that start in its middle.

    Attempts of one list do not see each other. Each restores the environment, the words and the plug-ins' states of
    the turn that it starts from.
    """

    sees = ("attempts",)
    defaults = {"counted": "selected"}  # settings of the engine that a method may still change

    def __init__(self, width: int = 2) -> None:
        if width < 1:
            raise ValueError(f"width counts attempts, at least 1, not {width}")
        self.width = width

    @hookimpl
    def plan_attempts(self, view: View) -> list[AttemptSpec] | None:
        """The first attempt, then the fan, then nothing."""
        done = view.attempts
        if not done:
            return [AttemptSpec()]
        if len(done) > 1:
            return None
        middle = len(done[0].turns) // 2
        start = Start(kind="turn", attempt=0, turn=middle)
        return [AttemptSpec(start=start, parent=0, groups={"fan": str(middle)}) for _ in range(self.width)]


@hookimpl
def register(registry: Registry) -> None:
    """Enter it into the catalogue."""
    registry.add("protocol", "fan", Fan, doc="one attempt, then several from its middle")
