"""SLEA-RL: experience of single steps, found again at observations that are alike."""

from __future__ import annotations

from cornerman import ContextItem, hookimpl
from cornerman.engine.context import MemoryItem
from cornerman.engine.view import View
from cornerman.records import Attempt, Episode
from cornerman_plugins.memories.experience.bank import Bank, Keep, Lesson, standing
from cornerman_plugins.memories.experience.likeness import likeness
from cornerman_plugins.prompting.items import one_line

GOOD, BAD = "good", "bad"


class SLEARL(Bank):
    """Step-level retrieval from a zone of strategies and a zone of warnings (SLEA-RL, arXiv 2603.18079).

    The paper's: observations are clustered at a similarity of δ = 0.85; at each step, after a warm-up of 5, the top two
    strategies and the top warning of its cluster are retrieved; a library with a zone of good and one of bad
    experience, of 100 entries, with admission by score. Ours: the similarity is that of words instead of embeddings;
    an entry is what was done at a step, of a won episode a strategy, of a lost one a warning where the step changed
    nothing; its score is its standing; a family's entries are looked up for its tasks alone.

    delta: the similarity that makes a cluster. strategies, warnings: how many of each are told. warm_up: steps before
    the first retrieval. The rest is as in every memory of experience.
    """

    sees: tuple[str, ...] = ("attempts", "score", "history")

    def __init__(
        self,
        delta: float = 0.85,
        strategies: int = 2,
        warnings: int = 1,
        warm_up: int = 5,
        keep: Keep = Keep(alike=0.98),
    ) -> None:
        super().__init__(max(1, strategies + warnings), keep)
        if not 0 <= delta <= 1:
            raise ValueError(f"delta is a similarity from 0 to 1, not {delta}")
        self.delta, self.strategies, self.warnings, self.warm_up = delta, strategies, warnings, warm_up

    @hookimpl
    async def transform_observation(self, view: View, observation: str) -> list[ContextItem] | None:
        """What was done at observations like this one, beside it."""
        if view.turn < self.warm_up:
            return None
        near = [i for i in view.memory if i.family == view.family and likeness(seen(i), observation) >= self.delta]
        near.sort(key=standing, reverse=True)
        zones = ((GOOD, self.strategies), (BAD, self.warnings))
        return [
            ContextItem(text=item.text, placement="suffix", role="experience", experience=(item.id,))
            for zone, most in zones
            for item in [i for i in near if i.data.get("zone") == zone][:most]
        ]

    async def learn(self, view: View, episode: Episode) -> list[Lesson]:
        """The steps of the attempt that counted."""
        if episode.counted is None:
            return []
        return steps(episode.attempts[episode.counted], episode.success)


def seen(item: MemoryItem) -> str:
    """The observation that an entry was made at."""
    return str(item.data.get("seen", ""))


def steps(attempt: Attempt, won: bool) -> list[Lesson]:
    """A lesson for every step of a won attempt, and for those of a lost one that changed nothing."""
    before, found = attempt.opening, []
    for turn in attempt.turns:
        if turn.executed is None:
            continue
        action = one_line(turn.executed)
        if won:
            found.append(Lesson(f"In a place like this `{action}` led on.", {"zone": GOOD, "seen": before}))
        elif turn.observation == before or turn.admissible is False:
            found.append(Lesson(f"In a place like this `{action}` changed nothing.", {"zone": BAD, "seen": before}))
        before = turn.observation
    return found
