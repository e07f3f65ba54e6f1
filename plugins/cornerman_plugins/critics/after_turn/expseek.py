"""ExpSeek: guidance out of a bank of experience, where the actor is unsure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from cornerman import Critique, Verdict, hookimpl
from cornerman.calibration import is_answer
from cornerman.engine.view import View
from cornerman.records import Candidate, Turn
from cornerman_plugins.critics.after_turn.bank import Topic
from cornerman_plugins.critics.after_turn.bank import bank as opened
from cornerman_plugins.prompting.fields import labelled, one_of
from cornerman_plugins.prompting.items import one_line
from cornerman_plugins.prompting.scoring import scored
from cornerman_plugins.prompting.transcript import consultation

SYSTEM = "You guide an agent that is unsure how to go on, by experience with tasks of other kinds."
WRITE = (
    "Say in one or two sentences what the agent has to mind now, adapted from the guidance above to its situation. "
    "Do not solve the task for it."
)


class ExpSeek:
    """Guidance at uncertain steps (ExpSeek, arXiv 2601.08605).

    The paper's: no training; a step is uncertain by the mean entropy of its tokens, never below one threshold, always
    above another, with a linearly rising probability between, and not twice in a row; steps of the process and the
    answer have thresholds of their own, found in recorded runs by logistic regression and 1000 bootstraps; a model
    picks 3 topics of a bank of (Behaviour, Mistake, Guidance) triplets and writes guidance, which is appended to the
    observation. Ours: the bank that comes with it, in place of one distilled from an agent's own trajectories, its
    wording, and what is done before an answer, which no observation follows: the answer is sent back once.

    Settings: `trigger = { entropy = …, entropy_up = … }` as `cornerman calibrate RUN` prints it, `cooldown = 1`,
    `deliver = { review_turn = "suffix", review_action = "decision" }`.

    bank: a TOML file of topics, by default the one that comes with Cornerman. topics: how many are picked at most.
    answers: names of tools or first words of actions that give an answer, on a command line "answer|finish"; none by
    default. read: "written" has the topics named; "scored" takes the most probable names. max_tokens, temperature: of
    the guidance. window: how many of the last turns it is shown, all by default.
    """

    sees = ("history", "policy")

    def __init__(
        self,
        bank: str | None = None,
        topics: int = 3,
        answers: str | tuple[str, ...] = (),
        read: Literal["written", "scored"] = "written",
        max_tokens: int = 120,
        temperature: float = 0.0,
        window: int | None = None,
    ) -> None:
        if topics < 1:
            raise ValueError(f"topics counts topics, at least 1, not {topics}")
        self.bank = self.content = opened(bank)
        self.topics, self.read = topics, read
        self.answers = tuple(answers.split("|")) if isinstance(answers, str) else answers
        self.max_tokens, self.temperature, self.window = max_tokens, temperature, window

    @hookimpl
    async def review_turn(self, view: View, turn: Turn) -> Critique | None:
        """Guidance after a step of the process, unless no decision is left that it could change."""
        if turn.terminated or view.turns_left <= 0 or (turn.executed and is_answer(turn.executed, self.answers)):
            return None
        return await self._guide(view, "")

    @hookimpl
    async def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique | None] | None:
        """Guidance before an answer, which is sent back with it."""
        action = candidates[0].text
        if not is_answer(action, self.answers):
            return None
        said = await self._guide(view, f"The agent is about to answer: `{one_line(action)}`\n\n")
        return [said, *[None] * (len(candidates) - 1)]

    async def _guide(self, view: View, about: str) -> Critique:
        chosen, call = await self._pick(view, about)
        if not chosen:
            return Critique(verdict=Verdict.UNPARSED, call=call)
        experience = "\n".join(f"{name}:\n" + "\n".join(map(str, t.triplet)) for name, t in chosen.items())
        question = f"{about}Experience with other tasks:\n{experience}\n\n{WRITE}"
        reply = await view.model.generate(
            consultation(view, SYSTEM, question, window=self.window),
            purpose="guidance",
            max_tokens=self.max_tokens,
            temperature=self.temperature,
        )
        words = reply.text.strip()
        verdict = Verdict.REVISE if about and words else None
        return Critique(verdict=verdict, text=words, data={"topics": list(chosen)}, call=reply.call)

    async def _pick(self, view: View, about: str) -> tuple[dict[str, Topic], int]:
        """The topics that bear on the situation; none where no answer could be read."""
        names = tuple(self.bank)
        if self.read == "scored":
            question = f"{about}Which of these topics does the agent need help with: {', '.join(names)}? Name one."
            messages = consultation(view, SYSTEM, question, window=self.window)
            found = await scored(view.model, messages, names, purpose="topics", normalise=True)
            return {names[i]: self.bank[names[i]] for i in found.best(self.topics)}, found.call
        question = (
            f"{about}Which of these topics does the agent need help with: {', '.join(names)}?\n"
            f"Write one line, at most {self.topics} of them, the most important one first:\nTopics: one; another"
        )
        messages = consultation(view, SYSTEM, question, window=self.window)
        reply = await view.model.generate(messages, purpose="topics", max_tokens=60, temperature=0.0)
        parts = labelled(reply.text, ["Topics"])
        named = [one_of(part, names) for part in parts["Topics"].split(";")] if parts else [None]
        if None in named or len(set(named)) < len(named) or len(named) > self.topics:
            return {}, reply.call
        return {name: self.bank[name] for name in named if name}, reply.call
