"""Cases: whole solutions that are told again at tasks that are alike."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cornerman.engine.context import MemoryItem
from cornerman.engine.view import View
from cornerman.records import Episode
from cornerman_plugins.memories.experience.bank import Bank, Keep, Lesson, wins_of
from cornerman_plugins.memories.experience.likeness import likeness
from cornerman_plugins.prompting.items import one_line


class AgentKB(Bank):
    """A store of solved tasks that agents share (after Agent-KB, arXiv 2507.06229).

    The idea: what one agent solved helps another that works on something alike, found by words and kind of task. Ship
    the store as a file (`cornerman memory`) and read it with `source = FILE` and `mode = "read-only"`. Ours: a case is
    the goal with the actions that solved it, and nothing is rewritten for the task at hand.

    steps: how many actions of a solution are kept. The rest is as in every memory of experience.
    """

    def __init__(
        self,
        k: int = 2,
        steps: int = 30,
        keep: Keep = Keep(alike=0.95),
    ) -> None:
        super().__init__(k, keep)
        self.steps = steps

    async def learn(self, view: View, episode: Episode) -> list[Lesson]:
        """The solution of a solved task."""
        if episode.counted is None or not episode.success:
            return []
        attempt = episode.attempts[episode.counted]
        actions = [one_line(entry.action) for entry in attempt.log][: self.steps]
        goal = one_line(attempt.goal)
        return [Lesson(f'"{goal}" was solved by: {"; ".join(actions)}', {"goal": goal})]


class CascadeBandit(AgentKB):
    """A case bank whose retrieval is a contextual bandit (after CASCADE, arXiv 2605.06702).

    The paper's: successes are kept as cases, and a contextual bandit (neural LinLogUCB) learns which to show. Ours, for
    its formulas were not found: an upper confidence bound on a case's standing, weighted by how alike its goal is,

        likeness · (wins + 1) / (uses + 2) + c · sqrt(ln(1 + N) / (uses + 1)),  N the uses of all cases,

    UCB1's form (Auer, Cesa-Bianchi and Fischer 2002, "Finite-time Analysis of the Multiarmed Bandit Problem") with the
    task as its context.

    c: how much is explored. The rest is as in `agent-kb`.
    """

    def __init__(
        self,
        k: int = 1,
        c: float = 0.3,
        steps: int = 30,
        keep: Keep = Keep(alike=0.95),
    ) -> None:
        super().__init__(k, steps, keep)
        if c < 0:
            raise ValueError(f"c weighs exploration, at least 0, not {c}")
        self.c = c

    async def retrieve(self, view: View) -> Sequence[MemoryItem]:
        """The k cases with the highest bound."""
        total = sum(item.uses for item in view.memory)

        def bound(item: MemoryItem) -> float:
            value = likeness(str(item.data.get("goal", "")), view.goal) * (wins_of(item) + 1) / (item.uses + 2)
            return value + self.c * math.sqrt(math.log1p(total) / (item.uses + 1))

        return sorted(view.memory, key=bound, reverse=True)[: self.k]
