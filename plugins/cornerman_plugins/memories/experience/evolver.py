"""EvolveR: principles distilled from one's own episodes, kept by how they fared."""

from __future__ import annotations

from cornerman.engine.view import View
from cornerman.records import Episode
from cornerman_plugins.memories.experience.bank import Bank, Keep, Lesson
from cornerman_plugins.memories.experience.retold import ended, retold, written

SYSTEM = "You distil principles from an agent's own work: what to do, and what not to do, in general words."
FORM = "Write at most {n} principles, each on a line that begins with a dash."


class EvolveR(Bank):
    """Self-distilled principles with scores (EvolveR, arXiv 2510.16079).

    The paper's: after an episode the agent distils principles; near duplicates are dropped; a principle's score is
    s(p) = (c_succ + 1) / (c_use + 2), and those with a low score are pruned; the agent searches them by an action of
    its own. Ours: they are told at the opening of an attempt; the floor of 0.3 after five uses.

    new: how many an episode may add. max_tokens, temperature: of what is written. window: how many of the last turns
    are shown. The rest is as in every memory of experience. The model is that of the role `memory`.
    """

    def __init__(
        self,
        k: int = 3,
        new: int = 2,
        max_tokens: int = 120,
        temperature: float = 0.0,
        window: int | None = None,
        keep: Keep = Keep(floor=0.3),
    ) -> None:
        super().__init__(k, keep)
        self.new, self.max_tokens, self.temperature, self.window = new, max_tokens, temperature, window

    async def learn(self, view: View, episode: Episode) -> list[Lesson]:
        """The principles of the last attempt."""
        if not episode.attempts:
            return []
        text = "\n".join([retold(episode.attempts[-1], self.window), ended(episode), FORM.format(n=self.new)])
        return await written(
            view, SYSTEM, text, "principles", n=self.new, max_tokens=self.max_tokens, temperature=self.temperature
        )
