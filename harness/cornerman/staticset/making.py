"""Making a set from a recorded run."""

from __future__ import annotations

import asyncio
import itertools
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cornerman.errors import POLICY, EpisodeError, UsageError, did_you_mean
from cornerman.plugins import Plugins
from cornerman.recorded import read_manifest
from cornerman.records import Episode
from cornerman.runner import AT_ONCE
from cornerman.staticset.items import Header, Item, write_set
from cornerman.staticset.labelling import Labelled, label
from cornerman.staticset.moments import State, in_order, states
from cornerman.store import iterate
from cornerman.workers.pool import Pool

PER_STATE = 3
"""Items of a state: own, gold and corrupted."""
DRAW = "states in turn from every task, in an order that the seed decides; up to three items each"


@dataclass(frozen=True)
class Made:
    """A set that was written, and what it left out."""

    header: Header
    items: tuple[Item, ...]
    digest: str


@dataclass(frozen=True)
class Wanted:
    """What is made. method: by default the run's baseline; items: about so many, three of each state."""

    method: str | None = None
    items: int = 300
    seed: int = 0


async def make(
    plugins: Plugins, folder: Path, out: Path, wanted: Wanted, workers: int | None, step: Callable[[], None]
) -> Made:
    """Label states until there are items enough, and write the set. `step` is told of every state that was labelled.

    Raises `UsageError` for a run in which there is nothing to label.
    """
    manifest = read_manifest(folder)
    method = manifest.baseline if wanted.method is None else wanted.method
    names = [m.method for m in manifest.methods]
    if method not in names:
        raise UsageError(f"{folder} has no method '{method}'; {did_you_mean(method, names)}")
    last: dict[tuple[str, str, int], Episode] = {e.key: e for e in iterate(folder) if e.method == method}
    found = in_order(states(e for e in last.values() if not POLICY[e.end].error), wanted.seed)
    specs = {s.episode.task.env: plugins.registry.get("environment", s.episode.task.env).load() for s in found}
    able = [s for s in found if specs[s.episode.task.env].gold != "none"]
    if not able:
        raise UsageError(f"method '{method}' of {folder} offered no action in an environment that has gold actions")
    number = math.ceil(wanted.items / PER_STATE)
    processes = min(AT_ONCE, os.cpu_count() or 1) if workers is None else workers
    at_once = max(1, processes) if any(not s.light for s in specs.values()) else AT_ONCE
    pool = Pool(plugins, processes)
    labelled: list[Labelled] = []
    unlabelled = 0

    async def one(state: State) -> Labelled | None:
        return await label(pool, specs[state.episode.task.env], state, wanted.seed)

    try:
        waiting = iter(able)
        while len(labelled) < number:
            batch = list(itertools.islice(waiting, min(at_once, number - len(labelled))))
            if not batch:
                break
            answers = await asyncio.gather(*map(one, batch))
            labelled += [a for a in answers if a is not None]
            unlabelled += sum(a is None for a in answers)
            for answer in answers:
                if answer is not None:
                    step()
    except EpisodeError as error:
        raise UsageError(f"the states of {folder} cannot be played here: {error}") from error
    finally:
        await pool.close()
    if not labelled:
        raise UsageError(f"gold has no answer at any of the {unlabelled} states of method '{method}' of {folder}")
    header = Header(
        suite=manifest.suite.name,
        panel=manifest.suite.panel,
        rules=manifest.suite.rules_in_full,
        run=folder.name,
        method=method,
        seed=wanted.seed,
        draw=DRAW,
        states=len(found),
        moments=len(labelled),
        unlabelled=unlabelled,
        uncorrupted=sum(len(x.candidates) < PER_STATE for x in labelled),
    )
    items = items_of(labelled)
    return Made(header, items, write_set(out, header, items))


def items_of(labelled: list[Labelled]) -> tuple[Item, ...]:
    """The items of some states, numbered."""
    pairs = [(found, candidate) for found in labelled for candidate in found.candidates]
    return tuple(
        Item(
            id=number,
            task=found.state.episode.task,
            trial=found.state.episode.trial,
            attempt=found.state.attempt.index,
            turn=found.state.turn,
            opening_hash=found.state.attempt.opening_hash,
            opening_replies=found.state.attempt.opening_replies,
            prefix=found.state.prefix,
            candidate=candidate.text,
            kind=candidate.kind,
            label=candidate.label,
            seen=candidate.seen,
            suggestion=found.suggestion,
            changes_state=candidate.changes_state,
        )
        for number, (found, candidate) in enumerate(pairs)
    )
