"""Playing the forks of a run: concurrently, each written down as it ends, and never one twice."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from cornerman.engine.calls import usage_by_role
from cornerman.engine.context import Bench, MemoryItem
from cornerman.engine.fork import Fork, fork
from cornerman.errors import EpisodeError
from cornerman.journal import Journal
from cornerman.prices import dollars
from cornerman.records import Critique, Episode
from cornerman.suites import Rules
from cornerman.worth.arms import Arm, Corner, changes, method_of, recorded_arm, said_at
from cornerman.worth.drawing import Drawn, key
from cornerman.worth.forks import Forked, LineFile
from cornerman.worth.places import Place

PROBE = 5
"""Moments whose first two samples say whether anything is random at all."""


@dataclass(frozen=True)
class Job:
    """One fork to play."""

    place: Place
    arm: Arm
    sample: int


def jobs_of(drawn: Iterable[Drawn], arms: Callable[[Place], Sequence[Arm]], samples: Iterable[int]) -> list[Job]:
    """Sample by sample, moment by moment, so that a run that stops early is still paired."""
    places = [d.place for d in drawn]
    return [Job(place, arm, sample) for sample in samples for place in places for arm in arms(place)]


class Player:
    """Plays forks of one method's episodes.

    memories: what the method's memory held when each episode began, by task and trial.
    """

    def __init__(
        self,
        bench: Bench,
        rules: Rules,
        corner: Corner,
        episodes: Mapping[tuple[str, int], Episode],
        file: LineFile,
        done: dict[tuple[object, ...], Forked],
        memories: Mapping[tuple[str, int], tuple[MemoryItem, ...]],
    ) -> None:
        self.bench, self.rules, self.corner, self.episodes = bench, rules, corner, episodes
        self.done, self.memories, self._file = done, memories, file
        self.digest = corner.method.digest

    def found(self, job: Job) -> Forked | None:
        """The record of a fork, if it has been played."""
        return self.done.get((self.digest, *key(job.place), job.arm, job.sample))

    async def play(self, jobs: Sequence[Job], at_once: int, step: Callable[[], None]) -> None:
        """Play those of the jobs that have no record yet; `step` is told of each."""
        queue = iter([job for job in jobs if self.found(job) is None])
        journal = Journal(self._file)

        async def player() -> None:
            for job in queue:
                record = await self._play(job)
                await journal.write(msgspec.json.encode(record) + b"\n")
                self.done[record.key] = record
                step()

        players = [asyncio.create_task(player()) for _ in range(at_once)]
        try:
            await asyncio.gather(*players)
        finally:
            for task in players:
                task.cancel()
            await asyncio.gather(*players, return_exceptions=True)
            journal.close()

    async def _play(self, job: Job) -> Forked:
        place, started = job.place, time.perf_counter()
        where = (place.task, place.trial)
        episode = self.episodes[where]
        bare = Forked(
            method=self.corner.method.name,
            digest=self.digest,
            place=place,
            arm=job.arm,
            sample=job.sample,
            success=False,
            score=0.0,
            end=EpisodeError.end,
        )
        try:
            played = await fork(
                self.bench,
                episode,
                method_of(self.corner, job.arm),
                self.rules,
                attempt=place.attempt,
                turn=place.turn,
                sample=job.sample,
                memory=self.memories.get(where, ()),
                **changes(self.corner, episode, place, job.arm),
            )
        except EpisodeError as error:
            return msgspec.structs.replace(bare, end=error.end, error=str(error), seconds=time.perf_counter() - started)
        record = filled(bare, played, episode, time.perf_counter() - started)
        return msgspec.structs.replace(record, dollars=dollars(played.calls, self.bench.prices))


def filled(bare: Forked, played: Fork, episode: Episode, seconds: float) -> Forked:
    """A fork's record from what was played."""
    place, attempt, recorded = bare.place, played.attempt, episode.attempts[bare.place.attempt]
    said = spoken(bare, played, episode)
    log = "|".join(f"{x.action}={x.hash}" for x in attempt.log)
    kept = bare.sample == 0 and bare.arm == recorded_arm(place)
    assert attempt.end is not None
    return msgspec.structs.replace(
        bare,
        success=bool(attempt.success),
        score=attempt.score or 0.0,
        end=attempt.end,
        error=attempt.error,
        action=next((t.executed for t in attempt.turns if t.executed is not None), None),
        suggestion=next((c.suggestion for c in said if c.suggestion), None),
        said=sum(len(c.text.split()) for c in said),
        turns=len(attempt.turns),
        played=hashlib.sha256(log.encode("utf-8", "surrogatepass")).hexdigest(),
        repeats=(attempt.log, attempt.end, attempt.success) == (recorded.log, recorded.end, recorded.success)
        if kept
        else None,
        usage=usage_by_role(played.calls),
        seconds=seconds,
    )


def spoken(bare: Forked, played: Fork, episode: Episode) -> Sequence[Critique]:
    """What the critic said at the moment in the words arm; elsewhere nothing that could be followed."""
    place = bare.place
    if bare.arm != "words":
        return ()
    if place.spoke:
        return said_at(episode, place)
    if place.moment == "review_turn":
        return played.said
    first = played.attempt.turns[:1]
    return [c for t in first for c in t.critiques if c.critic == place.critic and c.moment == place.moment]


def repeats_itself(player: Player, jobs: Sequence[Job]) -> bool:
    """Whether the second sample of every fork is the first again, as at temperature 0."""
    firsts = [job for job in jobs if job.sample == 0]
    pairs = [(player.found(j), player.found(Job(j.place, j.arm, 1))) for j in firsts]
    return bool(pairs) and all(
        a is not None and b is not None and (a.played, a.success) == (b.played, b.success) for a, b in pairs
    )
