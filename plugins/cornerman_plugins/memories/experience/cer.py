"""CER: a buffer of dynamics and skills, read whole by the model that chooses from it."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman.engine.context import MemoryItem
from cornerman.engine.view import View
from cornerman.records import Episode, Message
from cornerman_plugins.memories.experience.bank import Bank, Keep, Lesson
from cornerman_plugins.memories.experience.retold import ended, retold, written
from cornerman_plugins.prompting.items import one_line
from cornerman_plugins.prompting.scoring import scored

DYNAMICS = "You note how an environment works: what is where, what leads where, what an action does."
SKILLS = "You note skills: how to do a part of a task, in general words, as a rule for another day."
FORM = "Write at most {n} of them, each on a line that begins with a dash. Leave out what is known already."


class CER(Bank):
    """Contextual Experience Replay (arXiv 2506.06698).

    The paper's: after an episode, won or lost, a model distils environment dynamics and skills into a buffer, being
    shown the buffer so that it repeats nothing; before a task a model reads the whole buffer and selects the top
    k_d = k_s = 5 of each. Ours: the selection is by the probability that an entry is of use, one question an entry, so
    that every answer is one. Needs a model that can score, under the role `memory`.

    k: of each kind. new: most of each kind an episode adds. max_tokens, temperature: of what is distilled. window: how
    many of the last turns are shown. The rest is as in every memory of experience.
    """

    def __init__(
        self,
        k: int = 5,
        new: int = 2,
        max_tokens: int = 120,
        temperature: float = 0.0,
        window: int | None = None,
        keep: Keep = Keep(),
    ) -> None:
        super().__init__(k, keep)
        self.new, self.max_tokens, self.temperature, self.window = new, max_tokens, temperature, window

    async def learn(self, view: View, episode: Episode) -> list[Lesson]:
        """Dynamics, then skills."""
        if not episode.attempts:
            return []
        found = []
        for kind, system in (("dynamics", DYNAMICS), ("skill", SKILLS)):
            known = [f"- {one_line(i.text)}" for i in view.memory if i.data.get("kind") == kind]
            parts = [retold(episode.attempts[-1], self.window), ended(episode)]
            parts += ["Known already:", *known] if known else []
            text = "\n".join([*parts, FORM.format(n=self.new)])
            lessons = await written(
                view, system, text, kind, n=self.new, max_tokens=self.max_tokens, temperature=self.temperature
            )
            found += [Lesson(lesson.text, {"kind": kind}) for lesson in lessons]
        return found

    async def retrieve(self, view: View) -> list[MemoryItem]:
        """The k most useful of each kind."""
        chosen: list[MemoryItem] = []
        for kind in ("dynamics", "skill"):
            entries = [i for i in view.memory if i.data.get("kind") == kind]
            chosen += await useful(view, entries, self.k)
        return chosen


async def useful(view: View, entries: Sequence[MemoryItem], k: int) -> list[MemoryItem]:
    """The k entries that a model finds most probably of use for the task; all of them where there are no more."""
    if len(entries) <= k:
        return list(entries)
    chances = []
    for entry in entries:
        question = (
            f"Task: {one_line(view.goal)}\nNote: {one_line(entry.text)}\nIs the note of use here? Answer yes or no."
        )
        found = await scored(view.model, [Message(role="user", content=question)], ("yes", "no"), purpose="select")
        chances.append(found.probabilities[0])
    best = sorted(range(len(entries)), key=lambda i: -chances[i])[:k]
    return [entries[i] for i in sorted(best)]
