"""The tokens of a model's answer with their log-probabilities."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from cornerman.records import Completion

STEPS = (0.05, 0.22, 0.7, 1.6, 3.0)
"""Surprise in nats at which a token is shown in the next shade: probabilities of .95, .8, .5, .2 and .05."""
MOST = 4000
"""Tokens of one answer that a page shows."""


@dataclass(frozen=True)
class Token:
    """A token: its id, log-probability and entropy in nats where they are known, and the shade of its surprise."""

    id: int | None
    logprob: float | None
    entropy: float | None

    @property
    def shade(self) -> int:
        """0 for what was all but certain, up to 5."""
        return 0 if self.logprob is None else sum(-self.logprob > step for step in STEPS)


@dataclass(frozen=True)
class Sampled:
    """An answer with its tokens; `left` of them are not shown."""

    completion: Completion
    tokens: Sequence[Token]
    left: int


def sampled(completion: Completion) -> Sampled:
    """An answer, token by token."""
    ids, logprobs, entropies = completion.ids or (), completion.logprobs or (), completion.entropies or ()
    columns = itertools.zip_longest(ids[:MOST], logprobs[:MOST], entropies[:MOST])
    longest = max(len(ids), len(logprobs), len(entropies))
    return Sampled(completion, [Token(i, p, h) for i, p, h in columns], max(0, longest - MOST))
