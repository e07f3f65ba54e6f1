"""longest: says at the end of a run which episode took the most turns."""

from cornerman import hookimpl
from cornerman.records import Episode
from cornerman.registry import Registry


class Longest:
    """Keeps the longest episode that was recorded. Observers may keep what they like: they change nothing."""

    def __init__(self) -> None:
        self.turns, self.name = 0, "none"

    @hookimpl
    def episode_finished(self, episode: Episode) -> None:
        """One more episode."""
        turns = sum(len(attempt.turns) for attempt in episode.attempts)
        if turns > self.turns:
            self.turns, self.name = turns, "/".join(map(str, episode.key))

    @hookimpl
    def run_finished(self) -> None:
        """Hooks may take fewer arguments than their specification."""
        print(f"longest episode: {self.name} with {self.turns} turns")


@hookimpl
def register(registry: Registry) -> None:
    """Enter it into the catalogue."""
    registry.add("observer", "longest", Longest, doc="names the longest episode")
