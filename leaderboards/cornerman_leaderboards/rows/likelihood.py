"""Whether recorded token ids are what the declared checkpoint makes likely: edited text is told from sampled text.

Every recorded call is put to the model again, with the prompt that running the episode again has made, and its token
ids are teacher-forced. Three things are compared. **Gap**: the recorded log-probability of each token against the one
that the model gives now. A token that was altered afterwards has the log-probability of another. **Lead**: how much
likelier than the recorded token the likeliest one is, where temperature 0 says that it was the likeliest: this also
finds an editor who writes the log-probabilities anew. **Text**: the record's text against its token ids.

The bounds are about twice the largest values that honest rows show, see the table in docs/boards.md: numbers differ by
the precision, the batch that a call was in, and what its prefix cache held.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from cornerman.errors import ModelError, UsageError
from cornerman.model import Model, Rescored, Rescorer
from cornerman.records import Call, Completion
from cornerman.rerunning.answers import Asked
from cornerman.rerunning.playing import Rerun
from cornerman_leaderboards.rows.finding import place

TOTAL_GAP = 0.15
"""Nats. The most that recorded and rescored log-probabilities may differ by in the mean of all tokens."""
MEAN_GAP = 0.8
"""Nats. The most that those of one completion, which may be of two tokens, may differ by in the mean."""
MAX_GAP = 2.0
"""Nats. The most that those of one token may differ by."""
MAX_LEAD = 1.0
"""Nats. The most by which another token may be likelier than one that was taken as the likeliest."""


class Likelihood(msgspec.Struct, kw_only=True):
    """What rescoring came to. Gaps and leads in nats. aside: calls of other checkpoints, or without token ids."""

    model: str
    checkpoint: str
    calls: int = 0
    aside: int = 0
    tokens: int = 0
    mean_gap: float = 0.0
    largest_mean_gap: float = 0.0
    largest_gap: float = 0.0
    largest_lead: float = 0.0


@dataclass
class Scorer:
    """Rescores the calls of reruns on one model."""

    uri: str
    model: Model
    rescorer: Rescorer
    found: Likelihood = field(init=False)

    def __post_init__(self) -> None:
        weights = str(self.model.describe().get("weights", ""))
        self.found = Likelihood(model=self.uri, checkpoint=weights.removeprefix("sha256:")[:16])

    async def score(self, run: Rerun) -> AsyncIterator[tuple[Call, str]]:
        """Rescore an episode's calls; answers what differs: the call and a sentence."""
        for asked in run.asked:
            call = asked.call
            ids = [c.ids for c in call.completions if c.ids]
            if call.checkpoint != self.found.checkpoint or len(ids) != len(call.completions) or not ids:
                self.found.aside += 1
                continue
            choices = None if asked.sampling is None else asked.sampling.choices
            try:
                rescored = await self.rescorer.rescore(
                    asked.messages, ids, choices, session=f"{place(run.episode)}/{call.role}/{call.plugin}"
                )
            except ModelError as error:
                yield call, f"cannot be rescored: {error}"
                continue
            self.found.calls += 1
            for problem in self.compare(asked, rescored):
                yield call, problem

    def overall(self) -> Iterator[str]:
        """What only the whole shows: another model than the declared one is off everywhere, if by little."""
        if self.found.mean_gap > TOTAL_GAP:
            yield f"log-probabilities are off by {self.found.mean_gap:.3f} nats in the mean of all tokens"

    def compare(self, asked: Asked, rescored: Sequence[Rescored]) -> Iterator[str]:
        """What differs between recorded completions and rescored ones."""
        call, many = asked.call, len(rescored) > 1
        billed = call.usage.prompt + call.usage.cached
        if call.kind == "generate" and billed != rescored[0].prompt:
            yield f"its prompt has {rescored[0].prompt} tokens, {billed} are billed"
        for number, (said, now) in enumerate(zip(call.completions, rescored, strict=True)):
            where = f"completion {number}: " if many else ""
            for problem in self.compare_one(asked, said, now):
                yield where + problem

    def compare_one(self, asked: Asked, said: Completion, now: Rescored) -> Iterator[str]:
        """What differs in one completion, with the token at which it does."""
        cut = asked.sampling is not None and asked.sampling.choices is None and bool(asked.sampling.stop)
        if not (now.text.startswith(said.text) if cut else now.text == said.text):
            yield f"its text is {said.text[:60]!r}, its token ids say {now.text[:60]!r}"
        if not now.allowed:
            yield "its token ids are none of the choices that it was given"
            return
        if said.logprobs is None or len(said.logprobs) != len(now.logprobs):
            yield f"it has {len(now.logprobs)} token ids and {len(said.logprobs or ())} log-probabilities"
            return
        gaps = [abs(a - b) for a, b in zip(said.logprobs, now.logprobs, strict=True)]
        mean, worst = sum(gaps) / len(gaps), max(range(len(gaps)), key=gaps.__getitem__)
        self.count(gaps, mean)
        if not gaps[worst] <= MAX_GAP or not mean <= MEAN_GAP:
            yield (
                f"token {worst} has log-probability {said.logprobs[worst]:.3f}, rescored {now.logprobs[worst]:.3f} "
                f"(gaps of all {len(gaps)} tokens: mean {mean:.3f}, largest {gaps[worst]:.3f} nats)"
            )
        if asked.sampling is not None and asked.sampling.temperature == 0:
            leads = [best - own for best, own in zip(now.best, now.logprobs, strict=True)]
            first = max(range(len(leads)), key=leads.__getitem__)
            self.found.largest_lead = max(self.found.largest_lead, leads[first])
            if not leads[first] <= MAX_LEAD:
                yield f"token {first} was taken as the likeliest, another one is likelier by {leads[first]:.3f} nats"

    def count(self, gaps: Sequence[float], mean: float) -> None:
        """Enter a completion into the statistics of the whole."""
        found = self.found
        before = found.mean_gap * found.tokens
        found.tokens += len(gaps)
        found.mean_gap = (before + sum(gaps)) / found.tokens
        found.largest_mean_gap = max(found.largest_mean_gap, mean)
        found.largest_gap = max(found.largest_gap, max(gaps))


def scorer(uri: str, model: Model) -> Scorer:
    """A scorer of a model. Raises `UsageError` for one that cannot tell log-probabilities of token ids."""
    if not isinstance(model, Rescorer):
        raise UsageError(f"the model {uri} cannot rescore token ids; use one that runs here: smollm2 or hf:PATH")
    return Scorer(uri, model, model)
