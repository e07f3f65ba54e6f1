"""The models of a recorded episode, as they answer when it is run again: by what stands in the record."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cornerman.engine.tape import asked as asked_for
from cornerman.errors import ContextOverflow, ModelError
from cornerman.model import Generation, Model, Sampling
from cornerman.records import Call, Episode, Message
from cornerman.slim import prompt_digest
from cornerman.tally import critiques

Key = tuple[object, ...]


@dataclass(frozen=True)
class Asked:
    """A recorded call with the question that it answers. sampling: None where continuations were scored."""

    call: Call
    messages: tuple[Message, ...]
    sampling: Sampling | None


class Answers:
    """The calls of one recorded episode, each given out once, to the question that it answered.

    A question is known by its kind, its seed, what it wants and the digest of its prompt; by the others alone where a
    record has no digest. asked: what was asked so far. missing: what was asked and is not on record, in sentences.
    """

    def __init__(self, episode: Episode) -> None:
        self.asked: list[Asked] = []
        self.missing: list[str] = []
        self._told = {c.error for c in critiques(episode) if c.error is not None}
        self._waiting: dict[Key, deque[Call]] = {}
        for call in episode.calls:
            if not lost(call):
                wanted = asked_for(call.kind, call.completions) if call.error is None else None
                self._waiting.setdefault(key(call.kind, call.seed, wanted, call.prompt_digest), deque()).append(call)

    @property
    def unasked(self) -> list[Call]:
        """Recorded calls that nothing asked for."""
        return sorted((c for calls in self._waiting.values() for c in calls), key=lambda c: c.id)

    def give(
        self, kind: str, seed: int, wanted: int | Sequence[str], messages: Sequence[Message], sampling: Sampling | None
    ) -> Generation:
        """The recorded answer to a question. Raises `ModelError` where it was an error, or where there is none."""
        digest = prompt_digest(messages)
        tried = (key(kind, seed, w, d) for d in (digest, None) for w in (wanted, None))
        found = next((calls for k in tried if (calls := self._waiting.get(k))), None)
        if found is None:
            self.missing.append(f"a model is asked to {kind} (prompt {digest}), which no recorded call answers")
            raise ModelError(self.missing[-1])
        call = found.popleft()
        self.asked.append(Asked(call, tuple(messages), sampling))
        if call.error is not None:
            # One that no critique tells of was a prompt too long, and asked again: others end their episode.
            raise (ModelError if f"ModelError: {call.error}" in self._told else ContextOverflow)(call.error)
        return Generation(
            completions=call.completions,
            prompt_ids=call.prompt_ids,
            usage=call.usage,
            checkpoint=call.checkpoint,
        )


def key(kind: str, seed: int, wanted: int | Sequence[str] | None, digest: str | None) -> Key:
    """What a question is known by. Of one that ended in an error it is not known what it wanted."""
    return kind, seed, wanted if wanted is None or isinstance(wanted, int) else tuple(wanted), digest


def lost(call: Call) -> bool:
    """Whether it belongs to a try that was played again: such calls are kept without their words."""
    return call.error is None and not call.completions


class RecordedModel:
    """One model of the episode: a backend that answers from the record alone."""

    def __init__(self, name: str, capabilities: Sequence[str], answers: Answers) -> None:
        self.name = name
        self.capabilities: frozenset[Any] = frozenset(capabilities)
        self._answers = answers

    async def generate(
        self, messages: Sequence[Message], sampling: Sampling, *, seeds: Sequence[int], session: str | None = None
    ) -> Generation:
        """The recorded completions."""
        return self._answers.give("generate", seeds[0], len(seeds), messages, sampling)

    async def score(
        self, messages: Sequence[Message], continuations: Sequence[str], *, session: str | None = None
    ) -> Generation:
        """The recorded log-probabilities."""
        return self._answers.give("score", 0, list(continuations), messages, None)

    async def aclose(self) -> None:
        """Holds nothing."""

    def describe(self) -> dict[str, Any]:
        """Nothing: it is no model."""
        return {}


def recorded_models(answers: Answers, known: Mapping[str, tuple[str, Sequence[str]]]) -> Callable[[str], Model]:
    """The models of an episode by their URIs. known: the name and the capabilities of each."""

    def open_one(uri: str) -> Model:
        name, capabilities = known[uri]
        return RecordedModel(name, capabilities, answers)

    return open_one
