"""The kit on an environment: every check by name, and in which order."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Awaitable, Callable

from cornerman.conformance import consistent, hostile, interface, leftovers, outcomes, seeds, talk
from cornerman.conformance.report import Check, Report, perform
from cornerman.conformance.subject import Subject, worker_pool
from cornerman.lookup import choose_task, environment_tasks, load_environment
from cornerman.plugins import Plugins

CHECKS: dict[str, Callable[[Subject], str | Awaitable[str]]] = {
    "global-random": seeds.global_random,
    "gymnasium": interface.gymnasium,
    "repeats": seeds.repeats,
    "other-process": seeds.other_process,
    "distinct": seeds.distinct,
    "isolation": seeds.isolation,
    "info": interface.plain_info,
    "scores": outcomes.scores,
    "gold": outcomes.gold,
    "gold-anywhere": outcomes.gold_anywhere,
    "snapshots": outcomes.snapshots,
    "consistent": consistent.consistent,
    "hostile": hostile.hostile,
    "user": talk.user,
    "closes": leftovers.closes,
}
"""What is checked once an environment opens. Global generators first: one seeded twice stands where it stood."""

OTHERS = 4
"""How many more tasks are looked at."""


async def check_environment(
    plugins: Plugins, env: str, task: str | None = None, done: Callable[[Check], None] = lambda check: None
) -> Report:
    """Check an environment on one of its tasks, the first by default; `done` is told of each check as it ends.

    What can break a process is tried in a worker first: where an environment does not open there, nothing else is.
    Raises `UsageError` for an unknown environment or task.
    """
    spec = load_environment(plugins.registry, env)
    chosen = choose_task(plugins.registry, spec, task)
    listed = environment_tasks(plugins.registry, spec)
    others = tuple(itertools.islice((t for t in listed if t.id != chosen.id), OTHERS))
    pool = worker_pool(plugins, spec)
    accompany = talk.accompaniment(plugins.registry, spec, pool)
    subject = Subject(spec, chosen, others, pool, seeds.generators(), accompany)
    checks: list[Check] = []

    def note(check: Check) -> bool:
        checks.append(check)
        done(check)
        return check.result != "failed"

    try:
        if note(await perform("opens", functools.partial(interface.opens, subject))):
            for name, look in CHECKS.items():
                note(await perform(name, functools.partial(look, subject)))
        else:
            for name in CHECKS:
                note(Check(name, "skipped", "the environment does not open"))
    finally:
        await subject.pool.close()
    return Report("environment", env, tuple(checks), chosen.id)
