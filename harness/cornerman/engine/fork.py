"""Forks of recorded episodes: what would have happened from turn k with other words, or with other luck."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from cornerman.engine.attempt import play, review
from cornerman.engine.branch import Branch
from cornerman.engine.context import Bench, MemoryItem, Scope
from cornerman.engine.given import Given
from cornerman.engine.instance import Instance
from cornerman.engine.method import Method
from cornerman.engine.restoring import critique_ids, lineage, reworded
from cornerman.engine.starts import from_turn
from cornerman.errors import EpisodeError, UsageError
from cornerman.records import Attempt, AttemptSpec, Call, ContextItem, Critique, Episode, Moment, Start, Turn
from cornerman.suites import Rules

NOTHING: Mapping[int, Critique] = MappingProxyType({})


class Fork(NamedTuple):
    """The attempt that a fork played, the calls that it made (the price of asking), and what was said before it."""

    attempt: Attempt
    calls: tuple[Call, ...]
    said: tuple[Critique, ...] = ()


async def fork(
    bench: Bench,
    episode: Episode,
    method: Method,
    rules: Rules,
    *,
    attempt: int,
    turn: int,
    without: Collection[int] = (),
    words: Sequence[ContextItem] = (),
    replaced: Mapping[int, Critique] = NOTHING,
    keep: bool = False,
    ask: Instance | None = None,
    sample: int = 0,
    memory: tuple[MemoryItem, ...] = (),
) -> Fork:
    """Play a recorded attempt on from after its first `turn` turns.

    without: ids of critiques whose words are left out. One of a turn before is taken out of the context (what it had
    replaced stands again); one of the next decision itself is not asked for there, so that its verdict is left out too
    (with `keep`, it is asked for and then left out, so that the critic's state is what it would have been).
    words: what the actor is told in addition. replaced: critiques that stand where those of some ids stood; those of
    the next decision only with `keep`, by which the actor's own first choice there and what the critics said of it
    come from the record, and chance begins after them. ask: a critic that stands in for the one of its label where the
    fork begins: with `keep` in the review of the next decision, else in that of the turn before. sample: 0 draws the
    same random numbers as the recording did, every other number others. memory: the method's memory as it stood when
    the episode began.

    The fork's own attempt has the index of the recorded one. It writes no memory and joins no episode.

    Raises `NotReproducible` when the replay up to the turn sees other observations, other `EpisodeError`s when the
    environment can not be opened, and `UsageError` for a place that the episode does not have. What goes wrong later
    is in the attempt's `end`.
    """
    recorded = _recorded(episode, attempt, turn)
    before = _calls_before(episode, recorded, turn)
    left_out = frozenset(without)
    scope = Scope(
        bench=dataclasses.replace(bench, seed=episode.seed, attempt_finished=None),
        task=episode.task,
        rules=rules,
        trial=episode.trial,
        attempts=[a for a in episode.attempts if round_of(a) < round_of(recorded)],
        memory=memory,
        calls=list(before),
        spend=method.rules.spend,
        shadows=method.shadows,
        steps=_steps_before(episode, recorded, turn),
        call_ids=itertools.count(1 + max((c.id for c in episode.calls), default=-1)),
        critique_ids=itertools.count(1 + max(_all_critiques(episode), default=-1)),
    )
    spec = AttemptSpec(start=Start(kind="turn", attempt=attempt, turn=turn), context=tuple(words))
    path = recorded.path if sample == 0 else f"{recorded.path}~{turn}.{sample}"
    session = await bench.sessions.open(episode.task, fork=True)
    try:
        branch, end = await from_turn(scope, session, spec, attempt, path, episode.attempts, left_out)
        later = lineage(episode.attempts, attempt)[turn:]
        muted = _muted(later, left_out, turn)
        branch.muted = frozenset() if keep else muted
        branch.turns, branch.context = reworded(branch.turns, branch.context, replaced)
        said = await _asked(branch, method, ask, recorded.path) if ask is not None and not keep and end is None else []
        if keep:
            branch.given = _given(later, method, recorded.path, left_out, replaced, ask)
        played = await play(branch, method, end)
    finally:
        with contextlib.suppress(EpisodeError):
            await session.close()
    return Fork(played, tuple(sorted(scope.calls[len(before) :], key=lambda c: c.id)), tuple(said))


def _calls_before(episode: Episode, recorded: Attempt, turn: int) -> list[Call]:
    """The calls that had been made when the fork begins: a budget is spent on them. Ids count in order of asking."""
    after = [i for t in recorded.turns if t.index >= turn for i in t.calls]
    after += [c.call for c in recorded.critiques if c.call is not None]
    after += [i for a in episode.attempts if a.index > recorded.index for t in a.turns for i in t.calls]
    return [c for c in episode.calls if c.id < min(after)] if after else list(episode.calls)


def _steps_before(episode: Episode, recorded: Attempt, turn: int) -> int:
    """The actions that had been executed for the episode when the fork begins."""
    earlier = [t for a in episode.attempts if a.index < recorded.index for t in a.turns]
    own = [t for t in recorded.turns if t.index < turn]
    return sum(t.executed is not None and t.origin == "played" for t in (*earlier, *own))


async def _asked(branch: Branch, method: Method, critic: Instance, path: str) -> list[Critique]:
    """What a critic says of the last turn, delivered; it draws what it would have drawn in the record."""
    branch.given = Given(path)
    said = await review(branch, method, critic)
    branch.given = None
    return said


def _given(
    later: Sequence[Turn],
    method: Method,
    path: str,
    without: frozenset[int],
    replaced: Mapping[int, Critique],
    ask: Instance | None,
) -> Given:
    """The next decision's own candidates and first review, as recorded but for what is left out or replaced."""
    if not later or not later[0].candidates:
        raise UsageError("there is no choice of the actor's to keep after this turn")
    own, critiques = later[0].candidates, later[0].critiques
    first = [c for c in critiques if c.moment == "review_action" and (c.candidate is None or c.candidate < len(own))]
    said = {
        critic.label: tuple(replaced.get(c.id, c) for c in first if c.critic == critic.label and c.id not in without)
        for critic in method.critics
        if ask is None or critic.label != ask.label
    }
    return Given(path, own, said, {} if ask is None else {ask.label: ask})


def round_of(attempt: Attempt) -> int:
    """The round of attempts that an attempt was planned in; those of one round do not see each other."""
    return int(attempt.path.partition(".")[0])


def _recorded(episode: Episode, attempt: int, turn: int) -> Attempt:
    """The attempt to fork; refuses a place that it does not have."""
    name = f"episode {episode.task.id}/{episode.method}/{episode.trial}"
    if not 0 <= attempt < len(episode.attempts):
        raise UsageError(f"{name} has {len(episode.attempts)} attempts, counted from 0; there is no attempt {attempt}")
    recorded = episode.attempts[attempt]
    first = recorded.start.turn if recorded.start.kind == "turn" else 0
    last = first + len(recorded.turns)
    if 0 <= turn < first:
        raise UsageError(f"turn {turn} of {name} was played by attempt {recorded.start.attempt}; fork that one")
    if not first <= turn <= last:
        raise UsageError(f"attempt {attempt} of {name} has {last} turns; nothing can start after turn {turn}")
    return recorded


def _all_critiques(episode: Episode) -> set[int]:
    return {i for a in episode.attempts for i in critique_ids(a.turns) | {c.id for c in a.critiques}}


def _muted(later: Sequence[Turn], without: frozenset[int], turn: int) -> frozenset[tuple[str, Moment, int]]:
    """The critics that are not asked at the fork's first decision. Later ones can not be told from their ids."""
    too_late = without & critique_ids(later[1:])
    here = [c for t in later[:1] for c in t.critiques]
    too_late |= without & {c.id for c in here if c.moment == "review_turn"}
    if too_late:
        raise UsageError(f"critique {min(too_late)} was given after the fork's first decision; fork at a later turn")
    return frozenset((c.critic, c.moment, turn) for c in here if c.id in without)
