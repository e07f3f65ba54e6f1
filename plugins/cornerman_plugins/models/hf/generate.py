"""Generate freely: the samples of a request share its prompt, then each goes on with a sequence of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch

from cornerman.model import Sampling
from cornerman.records import Completion, Message, Usage
from cornerman.seeds import generator
from cornerman_plugins.models.hf.attention import Segment
from cornerman_plugins.models.hf.chat import Chat
from cornerman_plugins.models.hf.job import Job
from cornerman_plugins.models.hf.kv import KVSequence
from cornerman_plugins.models.hf.sampling import Draw, draw


class Sample:
    """One completion as it grows. Ids, log-probabilities and entropies include the token that ended it."""

    def __init__(self, sampling: Sampling, seed: int, chat: Chat) -> None:
        self.generator = generator(seed)
        self.sequence: KVSequence | None = None
        self.draws: list[Draw] = []
        self.finish: Literal["stop", "length"] | None = None
        self.text = ""
        self._sampling = sampling
        self._chat = chat

    @property
    def ids(self) -> list[int]:
        return [d.index for d in self.draws]

    def add(self, token: Draw, room: int) -> None:
        """Append a token; the sample ends at an end of turn, a stop string, its limit, or when no `room` is left."""
        self.draws.append(token)
        if token.index in self._chat.end_ids:
            self.finish, self.text = "stop", self._chat.text(self.ids[:-1])
            return
        if self._sampling.stop:
            self.text = self._chat.text(self.ids)
            found = [place for stop in self._sampling.stop if (place := self.text.find(stop)) >= 0]
            if found:
                self.finish, self.text = "stop", self.text[: min(found)]
                return
        if len(self.draws) >= self._sampling.max_tokens or room < 1:
            self.finish, self.text = "length", self._chat.text(self.ids)

    def completion(self) -> Completion:
        return Completion(
            text=self.text,
            ids=tuple(self.ids),
            logprobs=tuple(d.logprob for d in self.draws),
            entropies=tuple(d.entropy for d in self.draws),
            finish=self.finish or "other",
        )


class GenerateJob(Job):
    """One completion a seed. The first sample extends the session's own sequence, the others copies of it."""

    def __init__(
        self, messages: Sequence[Message], sampling: Sampling, seeds: Sequence[int], session: str | None
    ) -> None:
        super().__init__(messages, session)
        self.rows = len(seeds)
        self._sampling = sampling
        self._seeds = seeds
        self._begun = False

    def prepare(self, chat: Chat) -> int:
        self._samples = [Sample(self._sampling, seed, chat) for seed in self._seeds]
        return 1

    def segments(self) -> list[Segment]:
        if not self._begun:
            return [self.prompt_segment()]
        return [
            Segment(sample.sequence, [sample.draws[-1].index], len(sample.sequence.ids), [0])
            for sample in self._running()
            if sample.sequence is not None
        ]

    def step(self, logits: list[torch.Tensor]) -> None:
        running = self._running()
        stacked = torch.cat(logits) if self._begun else logits[0].expand(len(running), -1)
        tokens = draw(stacked, self._sampling.temperature, self._sampling.top_p, [s.generator for s in running])
        for sample, token in zip(running, tokens, strict=True):
            sample.add(token, self._engine.runner.context - len(self._prompt) - len(sample.draws) - 1)
        if not self._begun:
            self._begun = True
            for i, sample in enumerate(self._running()):
                sample.sequence = self._sequence.fork(len(self._prompt)) if i else self._sequence
        self.rows = len(self._running())

    def _running(self) -> list[Sample]:
        return [sample for sample in self._samples if sample.finish is None]

    def completions(self) -> tuple[Completion, ...]:
        return tuple(sample.completion() for sample in self._samples)

    def usage(self) -> Usage:
        return Usage(output=sum(len(sample.draws) for sample in self._samples))
