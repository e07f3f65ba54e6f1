"""Complementary RL: an extractor that keeps, changes or adds experience, credited by the episodes that it guided."""

from __future__ import annotations

from cornerman import ContextItem, hookimpl
from cornerman.engine.view import View
from cornerman.records import Episode, Message
from cornerman_plugins.memories.experience.bank import Bank, Keep, Lesson
from cornerman_plugins.memories.experience.retold import ended, retold
from cornerman_plugins.prompting.fields import labelled, one_of
from cornerman_plugins.prompting.items import one_line

SYSTEM = "You keep a collection of experience for an agent: short, general, and true."
FORM = """Choose one:
Operation: add, update or return
Entry: the number of the entry to update, or none
Experience: the new or changed entry in one sentence, or none
"return" means that nothing is to be changed."""
OPERATIONS = ("add", "update", "return")


class ComplementaryRL(Bank):
    """An extractor with operations, and credit by use (Complementary RL, arXiv 2603.17621).

    The paper's: at an episode's end an extractor distils an entry by Add, Update or Return, with a periodic merge; an
    entry's reward is the mean of -1 and +1 over the episodes that it guided; half of a group's rollouts are guided and
    half are free, with advantages inside each half. Ours: entries are told at the opening; whether an episode is guided
    is drawn with probability `guided`; the merge drops entries that are alike, at every addition, without a model; an
    updated entry starts its credit anew. What is no operation is Return.

    guided: probability that an episode is told anything. max_tokens, temperature: of what is written. window: how many
    of the last turns are shown. The rest is as in every memory of experience.
    """

    def __init__(
        self,
        k: int = 3,
        guided: float = 0.5,
        max_tokens: int = 120,
        temperature: float = 0.0,
        window: int | None = None,
        keep: Keep = Keep(),
    ) -> None:
        super().__init__(k, keep)
        if not 0 <= guided <= 1:
            raise ValueError(f"guided is a probability, not {guided}")
        self.guided, self.max_tokens, self.temperature, self.window = guided, max_tokens, temperature, window

    @hookimpl
    async def transform_observation(self, view: View, observation: str) -> list[ContextItem] | None:
        """What is retrieved, in the guided half."""
        if view.turn or not view.memory or view.rng().random() >= self.guided:
            return None
        return await super().transform_observation(view, observation)

    async def learn(self, view: View, episode: Episode) -> list[Lesson]:
        """The extractor's operation as a lesson, one that may take the place of an entry."""
        if not episode.attempts:
            return []
        known = [f"{n}. {one_line(item.text)}" for n, item in enumerate(view.memory, 1)]
        parts = [retold(episode.attempts[-1], self.window), ended(episode)]
        parts += ["The collection:", *known] if known else ["The collection is empty."]
        messages = [
            Message(role="system", content=SYSTEM),
            Message(role="user", content="\n".join([*parts, FORM])),
        ]
        reply = await view.model.generate(
            messages, purpose="extract", max_tokens=self.max_tokens, temperature=self.temperature
        )
        fields = labelled(reply.text, ("Operation", "Entry", "Experience"))
        operation = one_of(fields["Operation"], OPERATIONS) if fields else None
        words = one_line(fields["Experience"]) if fields else ""
        if fields is None or operation in (None, "return") or words.casefold() in ("", "none", "(nothing)"):
            return []
        if operation == "add":
            return [Lesson(words)]
        number = fields["Entry"].strip()
        if not (number.isascii() and number.isdigit() and 1 <= int(number) <= len(view.memory)):
            return []
        return [Lesson(words, replaces=view.memory[int(number) - 1].id)]
