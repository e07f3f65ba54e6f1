"""Finding an environment and one of its tasks by what a person types."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from cornerman.environment import EnvironmentSpec
from cornerman.errors import CornermanError, UsageError, did_you_mean
from cornerman.experiment import load_suite
from cornerman.records import Task
from cornerman.registry import Registry
from cornerman.suites import Suite


def environment_id(registry: Registry, name: str) -> str:
    """The id of an environment by the id itself or the end of it: `ALFWorldGen-v1` for `cornerman/ALFWorldGen-v1`."""
    ids = [entry.name for entry in registry.entries("environment")]
    if name in ids:
        return name
    found = [i for i in ids if name and i.endswith(name)]
    if len(found) > 1:
        whole = [i for i in found if i.endswith(f"/{name}")]
        if len(whole) != 1:
            raise UsageError(f"environment '{name}' may be {' or '.join(found)}; type more of it")
        return whole[0]
    if not found:
        holding = [i for i in ids if name and name.lower() in i.lower()]
        hint = (
            f"did you mean {' or '.join(map(repr, holding))}?" if holding else did_you_mean(name, [*ids, *short(ids)])
        )
        raise UsageError(f"unknown environment '{name}'; {hint}")
    return found[0]


def short(ids: list[str]) -> list[str]:
    """Ids without the name of who made them."""
    return [i.rpartition("/")[2] for i in ids]


def load_environment(registry: Registry, env: str) -> EnvironmentSpec:
    """The specification of an environment, checked to be one."""
    spec = registry.get("environment", env).load()
    if not isinstance(spec, EnvironmentSpec):
        raise UsageError(f"environment '{env}' is a {type(spec).__name__}, not a cornerman.environment.EnvironmentSpec")
    return spec


def suites_of(registry: Registry, env: str) -> Iterator[Suite]:
    """The suites of the plug-in that an environment comes from, as far as they play it.

    Those of others are not loaded: they may fetch data that has nothing to do with it.
    """
    origin = registry.get("environment", env).origin
    for entry in registry.entries("suite"):
        if entry.missing or entry.origin != origin:
            continue
        try:
            suite = load_suite(registry, entry.name)
        except CornermanError:  # a suite without its data or its extra has no task that could be played here
            continue
        if any(task.env == env for task in suite.tasks):
            yield suite


def environment_tasks(registry: Registry, spec: EnvironmentSpec, split: str | None = None) -> Iterator[Task]:
    """The tasks of an environment: of its splits, else of the suites that play it; one without settings if none do."""
    if split is not None and split not in spec.splits:
        raise UsageError(f"{spec.id} has no split '{split}'; {did_you_mean(split, spec.splits)}")
    if spec.tasks is not None and spec.splits:
        for name in (split,) if split else spec.splits:
            yield from spec.tasks(name)
        return
    found = False
    for task in (t for suite in suites_of(registry, spec.id) for t in suite.tasks if t.env == spec.id):
        found = True
        yield task
    if not found:
        yield Task(env=spec.id, id="default")


def choose_task(registry: Registry, spec: EnvironmentSpec, task: str | None = None, split: str | None = None) -> Task:
    """The task of that id, or the first one."""
    tasks = environment_tasks(registry, spec, split)
    if task is None:
        return next(tasks)
    known = []
    for candidate in tasks:
        if candidate.id == task:
            return candidate
        known.append(candidate.id)
    close = difflib.get_close_matches(task, known, n=3, cutoff=0.55)
    hint = did_you_mean(task, close) if close else f"it has {len(known):,}, such as '{known[0]}'."
    raise UsageError(f"{spec.id} has no task '{task}'; {hint}")
