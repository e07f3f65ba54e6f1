"""Other words at one moment: forks with a person's words, with those that were said, and with silence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from cornerman.engine.calls import usage_by_role
from cornerman.engine.context import Bench, MemoryItem
from cornerman.engine.fork import fork
from cornerman.engine.method import Method
from cornerman.errors import End, EpisodeError
from cornerman.records import Critique, Episode, LogEntry, Record, Usage
from cornerman.suites import Rules
from cornerman.worth.arms import Arm, changes, corner, said_at
from cornerman.worth.places import FORKED, Place, places

Voice = Literal["yours", "words", "silence"]
VOICES: tuple[Voice, ...] = ("yours", "words", "silence")


class Words(Record, frozen=True, kw_only=True):
    """What is said in the place of a critique: a text, and the action that it names, if any. Its verdict stays."""

    text: str
    suggestion: str | None = None


class Continuation(Record, frozen=True, kw_only=True):
    """One fork. `action` is the first one executed; `turns` were played after the moment."""

    voice: Voice
    sample: int
    success: bool = False
    score: float = 0.0
    end: End = EpisodeError.end
    error: str | None = None
    action: str | None = None
    turns: int = 0
    log: tuple[LogEntry, ...] = ()
    usage: dict[str, Usage] = {}


def place_of(episode: Episode, critique: Critique) -> Place | None:
    """The moment of a critique that made a difference and after which a decision came; None for any other."""
    if critique.moment not in FORKED:
        return None
    found = places(episode, critique.critic, [critique.moment])
    return next((p for p in found if p.spoke and critique.id in p.critiques), None)


@dataclass(frozen=True)
class Spot:
    """A critique's moment with all that it takes to play on from there. memory: what it held as the episode began."""

    bench: Bench
    rules: Rules
    method: Method
    episode: Episode
    critique: Critique
    place: Place
    memory: tuple[MemoryItem, ...] = ()

    async def play(self, words: Words, k: int, told: Callable[[Continuation], None]) -> bool:
        """Play `k` forks of each voice, sample by sample, so that voices share their luck; `told` hears of each.

        The critic goes on speaking afterwards in all of them. Stops after the second sample where it repeats the first
        in every voice, and answers whether it did: nothing is random then.
        """
        first: dict[Voice, Continuation] = {}
        for sample in range(k):
            repeats = sample > 0
            for voice in VOICES:
                tried = await self._play(words, voice, sample)
                told(tried)
                before = first.setdefault(voice, tried)
                repeats = repeats and (before.log, before.success) == (tried.log, tried.success)
            if repeats and sample == 1:
                return True
        return False

    async def _play(self, words: Words, voice: Voice, sample: int) -> Continuation:
        place = self.place
        arm: Arm = "silence" if voice == "silence" else "words"
        options: dict[str, Any] = {**changes(corner(self.method, place.critic), self.episode, place, arm)}
        if voice == "yours":
            other = msgspec.structs.replace(self.critique, text=words.text, suggestion=words.suggestion)
            options["replaced"] = {c.id: c for c in said_at(self.episode, place)} | {other.id: other}
        options |= {"attempt": place.attempt, "turn": place.turn, "sample": sample, "memory": self.memory}
        try:
            played = await fork(self.bench, self.episode, self.method, self.rules, **options)
        except EpisodeError as error:
            return Continuation(voice=voice, sample=sample, end=error.end, error=str(error))
        attempt = played.attempt
        assert attempt.end is not None
        return Continuation(
            voice=voice,
            sample=sample,
            success=bool(attempt.success),
            score=attempt.score or 0.0,
            end=attempt.end,
            error=attempt.error,
            action=next((t.executed for t in attempt.turns if t.executed is not None), None),
            turns=len(attempt.turns),
            log=attempt.log,
            usage=usage_by_role(played.calls),
        )
