"""A model's choice among given texts, by the log-probabilities that it gives to each."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Sequence
from typing import NamedTuple

from cornerman.engine.calls import BoundModel
from cornerman.errors import ModelError
from cornerman.records import Completion, Message


class Scored(NamedTuple):
    """Log-probabilities in nats over the given texts, renormalised to sum to one, and the call that gave them."""

    texts: tuple[str, ...]
    logprobs: tuple[float, ...]
    call: int

    @property
    def probabilities(self) -> list[float]:
        """The distribution itself."""
        return [math.exp(p) for p in self.logprobs]

    @property
    def entropy(self) -> float:
        """Shannon entropy of the distribution, in nats."""
        return -sum(math.exp(p) * p for p in self.logprobs if p > -math.inf)

    def best(self, k: int = 1) -> list[int]:
        """Indices of the k most probable texts, ties to the earlier one."""
        return sorted(range(len(self.texts)), key=lambda i: -self.logprobs[i])[:k]

    def draw(self, k: int, temperature: float, rng: random.Random) -> list[int]:
        """Indices of k texts sampled without replacement from the distribution at a temperature above 0.

        The k largest of the log-probabilities with independent Gumbel noise (Kool, van Hoof and Welling 2019,
        "Stochastic Beams and Where to Find Them", arXiv 1903.06059, section 2.3).
        """
        keys = [p / temperature - math.log(max(rng.expovariate(1), sys.float_info.min)) for p in self.logprobs]
        return sorted(range(len(keys)), key=lambda i: -keys[i])[:k]

    def sample(self, k: int, temperature: float, rng: random.Random) -> list[int]:
        """Indices of k texts sampled with replacement from the distribution at a temperature above 0."""
        top = max(self.logprobs)
        weights = [math.exp((p - top) / temperature) for p in self.logprobs]
        return rng.choices(range(len(weights)), weights, k=k)


async def scored(
    model: BoundModel, messages: Sequence[Message], texts: Sequence[str], *, purpose: str, normalise: bool = False
) -> Scored:
    """Score texts as the assistant's whole answer. normalise: mean log-probability a token instead of the sum.

    A model that can only choose among given texts, as most servers, says one at temperature 0, which then is certain.
    """
    distinct = tuple(dict.fromkeys(texts))
    if only_chooses(model):
        return counted(distinct, *await chosen(model, messages, distinct, purpose=purpose))
    reply = await model.score(messages, distinct, purpose=purpose)
    return renormalised(distinct, reply.completions, reply.call, normalise)


def only_chooses(model: BoundModel) -> bool:
    """Whether it gives no log-probabilities of given texts, but can be kept to them."""
    return "score" not in model.capabilities and "choices" in model.capabilities


async def chosen(
    model: BoundModel,
    messages: Sequence[Message],
    texts: tuple[str, ...],
    *,
    purpose: str,
    n: int = 1,
    temperature: float = 0.0,
) -> tuple[list[str], int]:
    """What a model that is kept to the texts says, n times, and the call. Raises ModelError where it is not kept."""
    reply = await model.generate(messages, n=n, purpose=purpose, choices=texts, temperature=temperature)
    said = [completion.text for completion in reply.completions]
    other = next((text for text in said if text not in texts), None)
    if other is not None:
        raise ModelError(f"the model was to choose among {len(texts)} texts and said {other[:60]!r}")
    return said, reply.call


def counted(texts: tuple[str, ...], said: Sequence[str], call: int) -> Scored:
    """The distribution over distinct texts in which each is as probable as it is frequent in what was said."""
    shares = [said.count(text) / len(said) for text in texts]
    return Scored(texts, tuple(math.log(share) if share else -math.inf for share in shares), call)


def renormalised(texts: tuple[str, ...], completions: Sequence[Completion], call: int, normalise: bool) -> Scored:
    """The distribution that log-probabilities of distinct texts make. Raises ModelError where they make none."""
    values = []
    for text, completion in zip(texts, completions, strict=True):
        if completion.logprobs is None or completion.logprob is None or math.isnan(completion.logprob):
            raise ModelError(f"the model gave no log-probability of {text[:60]!r}")
        values.append(completion.logprob / max(1, len(completion.logprobs)) if normalise else completion.logprob)
    top = max(values)
    if top == -math.inf:
        raise ModelError(f"the model gives none of {len(texts)} texts any probability, as {texts[0][:60]!r}")
    total = top + math.log(sum(math.exp(v - top) for v in values))
    return Scored(texts, tuple(v - total for v in values), call)
