"""Replay: play recorded action logs again and check every observation's hash."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable

import msgspec

from cornerman.errors import POLICY, EpisodeError
from cornerman.records import Attempt, Episode
from cornerman.workers.session import Session, Sessions, observation_hash


class Replayed(msgspec.Struct, frozen=True):
    """What a replay found of one attempt: `problem` is None when every observation and the outcome matched.

    `turn` is the index in the action log at which it first differed; -1 is the opening.
    """

    task: str
    method: str
    trial: int
    attempt: int
    turns: int
    turn: int | None = None
    problem: str | None = None


async def replay_attempt(session: Session, episode: Episode, attempt: Attempt) -> Replayed:
    """Replay one attempt's action log from reset."""

    def found(turn: int | None, problem: str | None) -> Replayed:
        task, method, trial = episode.key
        return Replayed(task, method, trial, attempt.index, len(attempt.log), turn, problem)

    step = await session.reset()
    if observation_hash(step.observation) != attempt.opening_hash:
        return found(-1, "the opening is not the recorded one")
    for number, entry in enumerate(attempt.log):
        step = await session.step(entry.action)
        if observation_hash(step.observation) != entry.hash:
            return found(number, f"the observation after {entry.action!r} is not the recorded one")
    if attempt.end is not None and POLICY[attempt.end].error:
        return found(None, None)  # the record claims no outcome
    if step.success != attempt.success:
        return found(len(attempt.log), f"success is {step.success}, recorded was {attempt.success}")
    if abs(step.score - (attempt.score or 0.0)) > 1e-9:
        return found(len(attempt.log), f"the score is {step.score:g}, recorded was {attempt.score or 0.0:g}")
    return found(None, None)


async def replay(sessions: Sessions, episodes: Iterable[Episode]) -> AsyncIterator[Replayed]:
    """Replay every attempt of some episodes that got as far as an opening."""
    for episode in episodes:
        for attempt in episode.attempts:
            if not attempt.opening_hash:
                continue
            session = await sessions.open(episode.task)
            try:
                yield await replay_attempt(session, episode, attempt)
            except EpisodeError as error:
                task, method, trial = episode.key
                yield Replayed(task, method, trial, attempt.index, len(attempt.log), None, str(error))
            finally:
                await session.close()
