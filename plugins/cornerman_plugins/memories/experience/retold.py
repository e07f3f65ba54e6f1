"""An episode told to a model after it is over, and the lessons that the model writes down."""

from __future__ import annotations

from cornerman.engine.view import View
from cornerman.records import Attempt, Episode, Message
from cornerman_plugins.memories.experience.bank import Lesson
from cornerman_plugins.prompting.items import one_line, outcome
from cornerman_plugins.prompting.transcript import did, quoted


def retold(attempt: Attempt, window: int | None = None) -> str:
    """Goal, opening and turns of an attempt; every line of the environment is quoted."""
    turns = attempt.turns if window is None else attempt.turns[-window:]
    lines = [f"Task: {one_line(attempt.goal)}", quoted(attempt.opening)]
    for turn in turns:
        lines += [f"Turn {turn.index + 1}: {did(turn)}", quoted(outcome(turn))]
    return "\n".join(line for line in lines if line)


def ended(episode: Episode) -> str:
    """How it ended, in a sentence."""
    return "The task was solved." if episode.success else "The task was not solved."


async def written(
    view: View, system: str, text: str, purpose: str, *, n: int, max_tokens: int, temperature: float
) -> list[Lesson]:
    """The first n lines of the model's answer that begin with a dash, one lesson each."""
    messages = [Message(role="system", content=system), Message(role="user", content=text)]
    reply = await view.model.generate(messages, purpose=purpose, max_tokens=max_tokens, temperature=temperature)
    return [Lesson(line) for line in dashed(reply.text)][:n]


def dashed(text: str) -> list[str]:
    """What stands after the dash of every line that begins with one."""
    lines = [line.strip() for line in text.splitlines()]
    return [rest for line in lines if line.startswith("-") and (rest := one_line(line[1:])) and rest != "(nothing)"]
