"""The kit's own model: answers by a hash of what it is asked, so that the same question has the same answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cornerman.model import Capability, Generation, Sampling
from cornerman.records import Completion, Message, Usage
from cornerman.seeds import derive

REPLIES = (
    "Thought: the lamp is in the east.\nAction: go east",
    "go east",
    "wait",
    "Try to go east and stop waiting.",
    "yes",
    "no",
    "pass",
    "revise: waiting changes nothing.",
    '{"verdict": "revise", "score": 0.4, "text": "Go east."}',
    "7",
    "2",
)
"""What it says: actions, advice, verdicts and numbers in the forms in which plug-ins commonly ask for them."""
NOISE = "§§§ ¿¿¿ ⁂⁂⁂"
"""What nobody can read an action, a verdict or a number from."""


class HashModel:
    """Generates and scores without any weights. `noise` makes it say only `NOISE`, unless it is given choices."""

    name = "conformance"
    capabilities: frozenset[Capability] = frozenset({"generate", "score", "logprobs", "choices"})

    def __init__(self, noise: bool = False) -> None:
        self._replies = (NOISE,) if noise else REPLIES

    async def generate(
        self, messages: Sequence[Message], sampling: Sampling, *, seeds: Sequence[int], session: str | None = None
    ) -> Generation:
        """One of the replies, or of the choices, for each seed; all of its log-probability and entropy on one token."""
        replies = sampling.choices or self._replies
        texts = [replies[derive(*told(messages), seed) % len(replies)] for seed in seeds]
        made = tuple(Completion(text=t, logprobs=(-0.5,), entropies=(0.3,)) for t in texts)
        return Generation(completions=made, usage=Usage(prompt=len(messages), output=len(texts)))

    async def score(
        self, messages: Sequence[Message], continuations: Sequence[str], *, session: str | None = None
    ) -> Generation:
        """A log-probability between -8 and 0 for each continuation, all of it on one token."""
        made = tuple(
            Completion(text=c, logprobs=(-8 * (derive(*told(messages), c) / 2**63),), finish="scored")
            for c in continuations
        )
        return Generation(completions=made, usage=Usage(prompt=len(messages)))

    async def aclose(self) -> None:
        """Nothing is held."""

    def describe(self) -> dict[str, Any]:
        """What it is."""
        return {"backend": self.name}


def told(messages: Sequence[Message]) -> list[str]:
    """The messages as parts of a seed."""
    return [f"{m.role} {m.content}" for m in messages]
