"""One task, one method: one `Episode`.

The protocol plans attempts, each is played on a branch of its own, and the protocol's rule says which one counts.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import Sequence
from typing import cast

import msgspec

from cornerman.engine.attempt import limited, play
from cornerman.engine.branch import Branch
from cornerman.engine.calls import usage_by_role
from cornerman.engine.context import Bench, MemoryItem, Scope
from cornerman.engine.delivery import delivery_for, placed
from cornerman.engine.merging import mean_score
from cornerman.engine.method import Method
from cornerman.engine.redaction import redact_episode
from cornerman.engine.spending import stops
from cornerman.engine.starts import open_branch
from cornerman.engine.tape import Tape
from cornerman.environment import Step
from cornerman.errors import POLICY, CriticError, End, EpisodeError
from cornerman.records import Attempt, AttemptSpec, ContextItem, Episode, MemoryOp, Task
from cornerman.suites import Rules
from cornerman.workers.session import Session


async def run_episode(
    bench: Bench,
    task: Task,
    method: Method,
    rules: Rules,
    trial: int = 0,
    memory: tuple[MemoryItem, ...] = (),
    tape: Tape | None = None,
) -> Episode:
    """Play everything that the method's protocol asks for on one task. A bad rollout is data and raises nothing.

    `memory` are the entries of the method's memory as they stand when the episode begins; `tape` is that of another
    method's episode with the same actor, task and trial, whose answers are read from it as long as the questions agree.
    """
    scope = Scope(
        bench=bench,
        task=task,
        rules=rules,
        trial=trial,
        memory=memory,
        tape=tape,
        spend=method.rules.spend,
        on_overflow=method.rules.on_overflow,
        shadows=method.shadows,
    )
    desk = Desk(scope, method)
    started = time.perf_counter()
    end: End | None = None
    error: str | None = None
    try:
        async with limited(bench.limits.episode_seconds):
            await attempts(desk)
            await remember(desk)
    except TimeoutError:
        end, error = End.TIMEOUT, f"the episode took over {bench.limits.episode_seconds:g} s"
    except EpisodeError as problem:
        end, error = problem.end, str(problem)
    return conclude(scope, method, end, error, time.perf_counter() - started)


async def attempts(desk: Desk) -> None:
    """Rounds of attempts until the protocol has no more, or nothing is left to spend.

    Attempts of one round do not see each other. An attempt's path, which names it in seeds, is its round and its place
    there.
    """
    scope, method = desk.scope, desk.method
    await desk.task_start()
    for number in itertools.count():
        specs = await desk.plan(number)
        if not specs and not number:
            raise method.protocol.fault("planned no attempt")
        if not specs or (number and stops(scope)):
            return
        finished: list[Attempt] = []
        try:
            for place, spec in enumerate(specs):
                if place and stops(scope):
                    return
                index = len(scope.attempts) + place
                await attempt(scope, method, spec, index, f"{number}.{place}", finished)
                if failed(finished):
                    return
        finally:
            scope.attempts += finished


async def attempt(
    scope: Scope, method: Method, spec: AttemptSpec, index: int, path: str, finished: list[Attempt]
) -> None:
    """Open a branch for one attempt, play it, and give the environment back."""
    session = await scope.bench.sessions.open(scope.task)
    try:
        branch, end = await open_branch(scope, method, session, spec, index, path)
        try:
            finished.append(await play(branch, method, end))
        except asyncio.CancelledError:
            finished.append(branch.finish(end=End.TIMEOUT))  # what had been played, if the episode is recorded
            raise
    finally:
        with contextlib.suppress(EpisodeError):  # the attempt is over: a failing close changes nothing in it
            await session.close()
    if scope.bench.attempt_finished is not None:
        scope.bench.attempt_finished(scope.task, method.name, scope.trial, finished[-1])


def failed(attempts: Sequence[Attempt]) -> Attempt | None:
    """The first attempt that ended in an error."""
    return next((a for a in attempts if a.end is not None and POLICY[a.end].error), None)


class Desk:
    """Where hooks are asked that belong to the episode and to no attempt: planning, task start and task end."""

    def __init__(self, scope: Scope, method: Method) -> None:
        self.scope, self.method = scope, method
        self.branch = Branch(
            scope=scope,
            session=cast("Session", NoSession()),
            index=-1,
            path="start",
            spec=AttemptSpec(),
            step=Step(""),
            opening=Step(""),
        )

    async def task_start(self) -> None:
        """Words for the actor's context that hold in every attempt, and the states that these begin with."""
        for plugin in self.method.instances:
            if plugin.has("on_task_start"):
                try:
                    answer = await plugin.ask("on_task_start", view=plugin.view(self.branch))
                except EpisodeError:
                    if not plugin.settings.shadow:
                        raise
                    continue
                items = plugin.several(answer, ContextItem, "on_task_start")
                self.scope.carried += placed(plugin, items, delivery_for(plugin.settings, "on_task_start"), 0)
        self.scope.states = self.branch.changed_states()

    async def plan(self, number: int) -> list[AttemptSpec]:
        """The protocol's next round of attempts."""
        protocol = self.method.protocol
        self.branch.path = f"plan{number}"
        self.branch.begin("decision")
        answer = await protocol.ask("plan_attempts", view=protocol.view(self.branch))
        specs = protocol.several(answer, AttemptSpec, "plan_attempts")
        named = [tuple(msgspec.structs.replace(i, source=i.source or protocol.label) for i in s.context) for s in specs]
        return [msgspec.structs.replace(s, context=c) for s, c in zip(specs, named, strict=True)]


class NoSession:
    """Stands where no environment is open: reaching for one is a plug-in's error."""

    def __getattr__(self, name: str) -> object:
        raise CriticError("no attempt is under way at this moment: there is no environment to ask")


async def remember(desk: Desk) -> None:
    """Ask the memory what it keeps of the episode. One that ended in an error will be played again and teaches none."""
    scope, memory = desk.scope, desk.method.memory
    if memory is None or not memory.has("on_task_end") or memory.settings.mode in ("off", "read-only"):
        return
    if failed(scope.attempts):
        return
    desk.branch.path = "end"
    desk.branch.begin("end")
    episode = redact_episode(conclude(scope, desk.method, None, None, 0.0), memory.shows)
    answer = await memory.ask("on_task_end", view=memory.view(desk.branch), episode=episode)
    scope.memory_ops += memory.several(answer, MemoryOp, "on_task_end")


def counted(attempts: Sequence[Attempt], rule: str) -> int | None:
    """Index of the attempt that makes the episode's result."""
    if not attempts:
        return None
    if rule == "first":
        return 0
    if rule == "best":
        return max(range(len(attempts)), key=lambda i: (bool(attempts[i].success), attempts[i].score or 0.0, -i))
    if rule == "selected":
        scores = [mean_score(a.critiques) for a in attempts]
        return max(range(len(attempts)), key=lambda i: (float("-inf") if (s := scores[i]) is None else s, i))
    return len(attempts) - 1


def conclude(scope: Scope, method: Method, end: End | None, error: str | None, seconds: float) -> Episode:
    """The record. An error anywhere in the episode makes it an error, in every arm alike."""
    bad = failed(scope.attempts)
    if end is None and bad is not None:
        end, error = bad.end, bad.error
    index = counted(scope.attempts, method.rules.counted)
    result = None if index is None else scope.attempts[index]
    if end is None:
        end = End.FAILURE if result is None or result.end is None else result.end
    good = result is not None and not POLICY[end].error
    return Episode(
        task=scope.task,
        method=method.name,
        trial=scope.trial,
        seed=scope.bench.seed,
        attempts=tuple(scope.attempts),
        counted=index,
        counted_rule=method.rules.counted,
        success=bool(good and result is not None and result.success),
        score=float(result.score or 0.0) if good and result is not None else 0.0,
        end=end,
        error=error,
        calls=tuple(sorted(scope.calls, key=lambda c: c.id)),
        usage=usage_by_role(scope.calls),
        memory=tuple(scope.memory_ops),
        out_of_budget=scope.out_of_budget,
        seconds=seconds,
    )
