"""Replay: play recorded action logs again and check every observation's hash and every recorded outcome."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterable, Sequence

import msgspec

from cornerman.environment import Step
from cornerman.errors import POLICY, End, EnvError, EpisodeError, NotReproducible
from cornerman.pacing import side_by_side
from cornerman.records import Attempt, Episode, LogEntry, Turn
from cornerman.talk import retell
from cornerman.workers.session import Session, Sessions, observation_hash


class Replayed(msgspec.Struct, frozen=True):
    """What a replay found of one attempt: `problem` is None when every observation and the outcome matched.

    `turn` is the index in the action log at which it first differed: -1 is the opening, the length of the log the
    outcome. None says that the environment failed, or that the episode's own result is not that of its attempts.
    """

    task: str
    method: str
    trial: int
    attempt: int
    turns: int
    turn: int | None = None
    problem: str | None = None


class Differs(Exception):
    """The record and the replay part at a place of the action log."""

    def __init__(self, turn: int, problem: str) -> None:
        super().__init__(problem)
        self.turn = turn


def compare(turn: int, what: str, now: object, recorded: object) -> None:
    """Raise when a replayed value is not the recorded one."""
    if now != recorded:
        raise Differs(turn, f"{what} is {now!r}, recorded was {recorded!r}")


def compare_number(turn: int, what: str, now: float, recorded: float | None) -> None:
    """Raise when a replayed number is not the recorded one, rounding aside."""
    if abs(now - (recorded or 0.0)) > 1e-9:
        raise Differs(turn, f"the {what} is {now:g}, recorded was {recorded or 0.0:g}")


def logged_turns(attempt: Attempt) -> dict[int, Turn]:
    """The turns that executed an action, by their place in the action log.

    A log also holds what was replayed before the first turn; an action that the rules refused is in none.
    """
    turns = [t for t in attempt.turns if t.executed is not None]
    if turns and attempt.end is End.FAILURE and turns[-1].admissible is False and not turns[-1].observation:
        turns.pop()
    first = len(attempt.log) - len(turns)
    return {first + i: turn for i, turn in enumerate(turns)}


async def replay_attempt(session: Session, attempt: Attempt) -> None:
    """Replay one attempt's action log from reset; raises `Differs` at the first place that is not as recorded."""
    step = await asked_again(session, await session.reset(), attempt.opening_replies, -1, "before the opening")
    said = tuple(r.text for r in attempt.opening_user)
    compare(-1, "what the log says of the user", attempt.opening_replies, said)
    compare(-1, "the hash of the opening", observation_hash(step.observation), attempt.opening_hash)
    compare(-1, "the opening", step.observation, attempt.opening)
    turns = logged_turns(attempt)
    played, logged = len(turns), len(attempt.log)
    if played > logged or (attempt.start.kind == "reset" and played != logged):
        raise Differs(min(played, logged), f"{played} turns executed an action, but the action log holds {logged}")
    for number, entry in enumerate(attempt.log):
        step = await session.step(entry.action)
        step = await asked_again(session, step, entry.replies, number, f"after {entry.action!r}")
        what = f"the observation after {entry.action!r}"
        compare(number, f"the hash of {what}", observation_hash(step.observation), entry.hash)
        if number in turns:
            compare_turn(number, step, entry, turns[number])
    if attempt.end is not None and POLICY[attempt.end].error:
        return  # the record claims no outcome
    compare(len(attempt.log), "success", step.success, attempt.success)
    compare_number(len(attempt.log), "score", step.score, attempt.score)


async def asked_again(session: Session, step: Step, replies: Sequence[str], number: int, where: str) -> Step:
    """Let the user answer as it did; raises `Differs` when the environment does not ask it as often."""
    try:
        return await retell(session, step, replies, where)
    except NotReproducible as difference:
        raise Differs(number, str(difference)) from None


def compare_turn(number: int, step: Step, entry: LogEntry, turn: Turn) -> None:
    """A turn against the entry of the action log that it stands for, and what the environment answers now."""
    compare(number, "the action in the log", entry.action, turn.executed)
    compare(number, "what the log says of the user", entry.replies, tuple(r.text for r in turn.user))
    compare(number, f"the observation after {entry.action!r}", step.observation, turn.observation)
    compare_number(number, "reward", step.reward, turn.reward)
    compare_number(number, "score", step.score, turn.score)
    compare(number, "whether the environment ended", step.terminated, turn.terminated)


def result_problem(episode: Episode) -> str | None:
    """Why an episode's result is not that of the attempt that counts, or None."""
    success, score = False, 0.0
    if not POLICY[episode.end].error:
        if episode.counted is None or not 0 <= episode.counted < len(episode.attempts):
            return f"the attempt that counts, {episode.counted}, is none of its {len(episode.attempts)}"
        counted = episode.attempts[episode.counted]
        success, score = bool(counted.success), counted.score or 0.0
    if episode.success != success:
        return f"the episode's success is {episode.success}, that of what counts is {success}"
    if abs(episode.score - score) > 1e-9:
        return f"the episode's score is {episode.score:g}, that of what counts is {score:g}"
    return None


async def replay(sessions: Sessions, episodes: Iterable[Episode], at_once: int = 1) -> AsyncIterator[Replayed]:
    """Replay some episodes, `at_once` of them side by side; what is found comes in the order of the episodes."""
    async for found in side_by_side((replay_episode(sessions, e) for e in episodes), at_once):
        for each in found:
            yield each


async def replay_episode(sessions: Sessions, episode: Episode) -> list[Replayed]:
    """Replay every attempt that got as far as an opening, and check what the episode claims."""
    found = []
    for attempt in episode.attempts:
        if attempt.opening_hash:
            turn, problem = await replay_one(sessions, episode, attempt)
            found.append(Replayed(*episode.key, attempt.index, len(attempt.log), turn, problem))
        elif attempt.success or attempt.score:
            problem = "it claims a success or score, but no opening that could be played again"
            found.append(Replayed(*episode.key, attempt.index, len(attempt.log), None, problem))
    problem = result_problem(episode)
    if problem is not None:
        found.append(Replayed(*episode.key, -1, 0, None, problem))
    return found


async def replay_one(sessions: Sessions, episode: Episode, attempt: Attempt) -> tuple[int | None, str | None]:
    """Where and how a replay of an attempt differs, if it does."""
    try:
        session = await sessions.open(episode.task)
        try:
            await replay_attempt(session, attempt)
        finally:
            with contextlib.suppress(EnvError):  # a failing close changes nothing in what was seen
                await session.close()
    except Differs as difference:
        return difference.turn, str(difference)
    except EpisodeError as error:
        return None, str(error)
    return None, None
