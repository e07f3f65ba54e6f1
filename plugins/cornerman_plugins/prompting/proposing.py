"""A model's choice among answers that it writes itself, where an environment with tools lists no commands."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman.engine.calls import BoundModel
from cornerman.records import Completion, Message
from cornerman_plugins.actors.react_format import json_at_start
from cornerman_plugins.prompting.scoring import Scored, counted, renormalised

LONGEST = 64
"""Tokens of a proposal at most; it ends at an empty line, too."""
VARIETY = 0.7
"""The temperature at which several proposals are sampled where none is asked for."""


async def proposed(
    model: BoundModel, messages: Sequence[Message], n: int, temperature: float, *, purpose: str, normalise: bool = False
) -> Scored:
    """The distinct texts among n answers that the model writes itself, weighed as given ones are.

    A text is the JSON call that an answer begins with, or the answer on one line; where the model gives no
    log-probabilities it weighs as often as it was written. temperature: of the samples; 0 writes one greedy answer, and
    samples several at 0.7.
    """
    sampled = temperature or (VARIETY if n > 1 else 0.0)
    reply = await model.generate(
        messages, n=n, purpose=purpose, max_tokens=LONGEST, temperature=sampled, stop=("\n\n",)
    )
    texts = [json_at_start(c.text) or " ".join(c.text.split()) for c in reply.completions]
    if any(completion.logprobs is None for completion in reply.completions):
        return counted(tuple(dict.fromkeys(texts)), texts, reply.call)
    first: dict[str, Completion] = {}
    for text, completion in zip(texts, reply.completions, strict=True):
        first.setdefault(text, completion)
    return renormalised(tuple(first), tuple(first.values()), reply.call, normalise)
