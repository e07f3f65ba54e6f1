"""What the roles did in recorded episodes, as tokens to train on.

An attempt is a sample of the actor; a critique is one of the critic. A turn's tokens are those that were sampled, as
they were sampled: nothing is tokenised again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cornerman.errors import POLICY
from cornerman.records import Attempt, Call, Critique, Episode, Turn
from cornerman_plugins.models.hf.chat import Chat
from cornerman_plugins.models.hf.trie import ROOT, Trie
from cornerman_plugins.trainers.policy.packing import Sampled
from cornerman_plugins.trainers.sampling.journal import Journal


@dataclass(frozen=True)
class Generation:
    """One answer of a model in a sample: the turn that it belongs to, its tokens, and their log-probabilities as the
    sampler had them (nats; None where it gave none), those that could not have been others included."""

    turn: int
    tokens: Sampled
    logprobs: tuple[float, ...] | None


@dataclass
class Sample:
    """What gets one reward: an attempt of the actor, or a critique with the attempt that it led to.

    `attempt` is the attempt itself; a critique's is the one that carries its words, or in which it was heard.
    `about` is the attempt that a critique judges; an actor's is the one that it retries, if any.
    """

    role: str
    episode: Episode
    attempt: Attempt
    about: Attempt | None
    critique: Critique | None = None
    generations: list[Generation] = field(default_factory=list)


class Reader:
    """Reads samples out of episodes. `chats` tokenise by role what a journal says was allowed."""

    def __init__(self, journal: Journal, chats: dict[str, Chat]) -> None:
        self._journal, self._chats = journal, chats
        self._tries: dict[tuple[str, tuple[str, ...]], Trie] = {}

    def samples(self, episodes: Sequence[Episode], role: str) -> list[Sample]:
        """The samples of a role, episodes that ended in an error left out."""
        find = self._attempts if role == "actor" else self._critiques
        good = [e for e in episodes if not POLICY[e.end].error]
        return [sample for episode in good for sample in find(episode, role) if sample.generations]

    def _attempts(self, episode: Episode, role: str) -> Iterator[Sample]:
        calls = {call.id: call for call in episode.calls}
        for attempt in episode.attempts:
            about = None if attempt.parent is None else episode.attempts[attempt.parent]
            sample = Sample(role, episode, attempt, about)
            for turn in attempt.turns:
                for ident in turn.calls:
                    call = calls[ident]
                    if call.role == role and call.kind == "generate":
                        sample.generations += self._generation(call, self._which(call, turn), turn.index)
            yield sample

    @staticmethod
    def _which(call: Call, turn: Turn) -> int:
        """Which of a call's completions was acted on: the one that reads as the candidate that was chosen."""
        wanted = turn.executed if turn.chosen is None else turn.candidates[turn.chosen].text
        return next((i for i, completion in enumerate(call.completions) if completion.text == wanted), 0)

    def _critiques(self, episode: Episode, role: str) -> Iterator[Sample]:
        calls = {call.id: call for call in episode.calls}
        for attempt in episode.attempts:
            heard = [(turn.index, c) for turn in attempt.turns for c in turn.critiques]
            ended = [(0, c) for c in attempt.critiques]
            told: dict[int, int] = {}
            for index, critique in [*heard, *ended]:
                call = calls.get(-1 if critique.call is None else critique.call)
                if call is None or call.role != role or call.kind != "generate":
                    continue
                which = told.get(call.id, 0)
                told[call.id] = which + 1
                after = [a for a in episode.attempts if a.critique == critique.id]
                led = after[0] if after else attempt
                sample = Sample(role, episode, led, attempt, critique)
                sample.generations += self._generation(call, which, index)
                yield sample

    def _generation(self, call: Call, which: int, turn: int) -> Iterator[Generation]:
        if which >= len(call.completions) or call.prompt_ids is None:
            return
        completion = call.completions[which]
        if not completion.ids:
            return
        allowed = self._allowed(call, completion.ids)
        tokens = Sampled((*call.prompt_ids, *completion.ids), len(call.prompt_ids), allowed)
        yield Generation(turn, tokens, completion.logprobs)

    def _allowed(self, call: Call, ids: tuple[int, ...]) -> tuple[tuple[int, ...] | None, ...]:
        choices = self._journal.of(call)
        if choices is None:
            return (None,) * len(ids)
        key = (call.role, choices)
        if key not in self._tries:
            self._tries[key] = Trie([self._chats[call.role].answer(text) for text in choices])
        trie, node, allowed = self._tries[key], ROOT, []
        for token in ids:
            allowed.append(tuple(sorted(trie.children[node])))
            node = trie.children[node][token]
        return tuple(allowed)
