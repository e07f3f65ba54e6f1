"""One task, one method: one `Episode`.

The protocol plans attempts, each is played on a branch of its own, and the protocol's rule says which one counts.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from typing import cast

import msgspec

from cornerman.engine.attempt import limited, observe, placed, play
from cornerman.engine.branch import Branch
from cornerman.engine.calls import usage_by_role
from cornerman.engine.context import Bench, MemoryItem, Scope
from cornerman.engine.fork import open_branch
from cornerman.engine.merging import mean_score
from cornerman.engine.method import Method
from cornerman.environment import Step
from cornerman.errors import POLICY, CriticError, End, EnvError, EpisodeError
from cornerman.records import Attempt, AttemptSpec, ContextItem, Episode, MemoryOp, Task
from cornerman.suites import Rules
from cornerman.workers.session import Session


async def run_episode(
    bench: Bench, task: Task, method: Method, rules: Rules, trial: int = 0, memory: tuple[MemoryItem, ...] = ()
) -> Episode:
    """Play everything that the method's protocol asks for on one task. A bad rollout is data and raises nothing.

    `memory` are the entries of the method's memory as they stand when the episode begins.
    """
    scope = Scope(bench=bench, task=task, rules=rules, trial=trial, memory=memory)
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
    """Rounds of attempts until the protocol has no more. Attempts of one round do not see each other."""
    scope, method = desk.scope, desk.method
    carried = await desk.task_start()
    while True:
        specs = await desk.plan()
        if not specs:
            return
        finished = []
        for number, spec in enumerate(specs):
            index = len(scope.attempts) + number
            if spec.start.kind != "turn":  # a retry from a turn finds the words where its parent had them
                spec = msgspec.structs.replace(spec, context=(*carried, *spec.context))
            finished.append(await attempt(scope, method, spec, index))
            if finished[-1].end is not None and POLICY[finished[-1].end].error:
                scope.attempts += finished
                return
        scope.attempts += finished


async def attempt(scope: Scope, method: Method, spec: AttemptSpec, index: int) -> Attempt:
    """Open a branch for one attempt, play it, and give the environment back."""
    session = await scope.bench.sessions.open(scope.task)
    try:
        branch, end = await open_branch(scope, session, spec, index, str(index))
        try:
            if end is None and not branch.turns:
                branch.opening_delivered = await observe(branch, method, branch.opening.observation)
            record = await play(branch, method, end)
        except asyncio.CancelledError:
            scope.attempts.append(branch.finish(end=End.TIMEOUT))  # what had been played, if the episode is recorded
            raise
    finally:
        with contextlib.suppress(EnvError):  # the attempt is over: a failing close changes nothing in it
            await session.close()
    if scope.bench.attempt_finished is not None:
        scope.bench.attempt_finished(scope.task, method.name, scope.trial, record)
    return record


class Desk:
    """Where hooks are asked that belong to the episode and to no attempt: planning, task start and task end."""

    def __init__(self, scope: Scope, method: Method) -> None:
        self.scope, self.method = scope, method
        self.rounds = 0
        self.branch = Branch(
            scope=scope,
            session=cast("Session", NoSession()),
            index=-1,
            path="plan",
            spec=AttemptSpec(),
            step=Step(""),
            opening=Step(""),
        )

    async def task_start(self) -> list[ContextItem]:
        """Words for the actor's context that hold in every attempt."""
        items: list[ContextItem] = []
        for plugin in self.method.instances:
            if plugin.has("on_task_start"):
                answer = await plugin.ask("on_task_start", view=plugin.view(self.branch))
                items += placed(answer or [], plugin, 0)
        self.scope.states = self.branch.changed_states()
        return items

    async def plan(self) -> Sequence[AttemptSpec]:
        """The protocol's next round of attempts."""
        protocol = self.method.protocol
        self.branch.begin_turn()
        self.branch.path = f"plan{self.rounds}"
        self.rounds += 1
        specs = await protocol.ask("plan_attempts", view=protocol.view(self.branch))
        if specs is None:
            return []
        if not isinstance(specs, (list, tuple)) or not all(isinstance(s, AttemptSpec) for s in specs):
            raise CriticError(f"protocol '{protocol.label}' answered {type(specs).__name__}, not AttemptSpecs")
        return specs


class NoSession:
    """Stands where no environment is open: reaching for one is a plug-in's error."""

    def __getattr__(self, name: str) -> object:
        raise CriticError("no attempt is under way at this moment: there is no environment to ask")


async def remember(desk: Desk) -> None:
    """Ask the memory what it keeps of the episode."""
    scope, method = desk.scope, desk.method
    memory = method.memory
    if memory is None or not memory.has("on_task_end") or memory.settings.mode in ("off", "read-only"):
        return
    view = memory.view(desk.branch)
    episode = conclude(scope, method, None, None, 0.0)
    shown = msgspec.structs.replace(
        episode,
        task=Task(env="", id="", family=scope.task.family),
        attempts=tuple(view.filtered(a) for a in episode.attempts),
    )
    if "score" not in memory.sees:
        shown = msgspec.structs.replace(shown, success=False, score=0.0, end=End.FAILURE, counted=None)
    operations = await memory.ask("on_task_end", view=view, episode=shown)
    if not isinstance(operations, (list, tuple, type(None))) or not all(
        isinstance(o, MemoryOp) for o in operations or ()
    ):
        raise CriticError(f"memory '{memory.label}' answered {type(operations).__name__}, not MemoryOps")
    scope.memory_ops += operations or []


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
    failed = next((a for a in scope.attempts if a.end is not None and POLICY[a.end].error), None)
    if end is None and failed is not None:
        end, error = failed.end, failed.error
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
        seconds=seconds,
    )
