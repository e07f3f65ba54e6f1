"""ExpeL: insights that episodes add, agree with, or vote down."""

from __future__ import annotations

from cornerman import ContextItem, MemoryOp, hookimpl
from cornerman.engine.context import MemoryItem
from cornerman.engine.view import View
from cornerman.records import Episode
from cornerman_plugins.memories.experience.bank import shown_in, told, wins_of
from cornerman_plugins.memories.experience.likeness import likeness
from cornerman_plugins.memories.experience.retold import ended, retold, written

NEW = 2
"""The importance that an insight starts with."""
SYSTEM = "You draw general insights from how an agent worked on tasks, as rules for other tasks."
FORM = """Write at most {n} lines that begin with a dash.
Repeat an insight from the list word for word where this bears it out.
Write a new one where something new was learned.
Write "- not" and the insight where this contradicts it."""


class ExpeL:
    """Insights with votes (ExpeL, Zhao et al. 2023, arXiv 2308.10144).

    The paper's: operations on a list of insights (add, edit, agree, disagree); an insight starts with an importance of
    2, agreement adds one, disagreement takes one, and at 0 it goes. All insights are told to the agent. Ours: insights
    are drawn after each episode instead of from pairs at the end of a training phase, the operation is read off the
    line (word for word agrees, "not" before it disagrees, anything else adds), and nothing is edited.

    new: how many lines are read. capacity: above it, the insights of the least importance go. max_tokens, temperature:
    of what is written. window: how many of the last turns are shown. It learns how episodes ended: privileged.
    """

    sees = ("attempts", "score")

    def __init__(
        self,
        new: int = 3,
        capacity: int = 20,
        max_tokens: int = 160,
        temperature: float = 0.0,
        window: int | None = None,
    ) -> None:
        if new < 1 or capacity < 1:
            raise ValueError("new and capacity are at least 1")
        self.new, self.capacity, self.window = new, capacity, window
        self.max_tokens, self.temperature = max_tokens, temperature

    @hookimpl
    def transform_observation(self, view: View, observation: str) -> list[ContextItem] | None:
        """All insights, at an attempt's opening."""
        return None if view.turn or not view.memory else [told(item) for item in view.memory]

    @hookimpl
    async def on_task_end(self, view: View, episode: Episode) -> list[MemoryOp]:
        """The votes of an episode."""
        if not episode.attempts:
            return []
        known = ["Insights so far:", *(f"- {i.text}" for i in view.memory)] if view.memory else []
        text = "\n".join([retold(episode.attempts[-1], self.window), ended(episode), *known, FORM.format(n=self.new)])
        lessons = await written(
            view, SYSTEM, text, "insights", n=self.new, max_tokens=self.max_tokens, temperature=self.temperature
        )
        votes = {i.id: importance(i) for i in view.memory}
        new: list[str] = []
        for lesson in lessons:
            denied = lesson.text.casefold().startswith("not ")
            words = lesson.text[4:].strip() if denied else lesson.text
            same = next((i for i in view.memory if likeness(i.text, words) >= 0.95), None)
            if same is not None:
                votes[same.id] += -1 if denied else 1
            elif not denied and all(likeness(words, n) < 0.95 for n in new):
                new.append(words)
        kept = sorted((i for i in view.memory if votes[i.id] > 0), key=lambda i: -votes[i.id])
        kept = kept[: max(0, self.capacity - len(new))]
        alive = {i.id for i in kept}
        shown, won, rng = set(shown_in(episode)), int(episode.success), view.rng()
        ops = [
            MemoryOp(op="use", id=i.id, data={"wins": wins_of(i) + won})
            for i in view.memory
            if i.id in shown and i.id in alive
        ]
        ops += [MemoryOp(op="update", id=i, data={"importance": votes[i]}) for i in sorted(alive)]
        ops += [MemoryOp(op="remove", id=i.id) for i in view.memory if i.id not in alive]
        return ops + [
            MemoryOp(op="add", id=f"{rng.getrandbits(64):016x}", text=words, data={"importance": NEW}) for words in new
        ]


def importance(item: MemoryItem) -> int:
    """An insight's votes; those of a file that says nothing sensible are those of a new one."""
    votes = item.data.get("importance", NEW)
    return votes if isinstance(votes, int) and 0 < votes < 10**6 else NEW
