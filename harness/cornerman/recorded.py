"""A run folder as its readers need it: the manifest, checked, and every method's episodes in numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec

from cornerman.declaration import Mark, marks_of, read_declaration
from cornerman.errors import UsageError
from cornerman.prices import Price
from cornerman.store import EXPERIMENT, MANIFEST, iterate
from cornerman.tally import Tally, tally


class SuiteFacts(msgspec.Struct, frozen=True):
    """The suite that a run played: its name, the digests of its tasks and rules, and both in full."""

    name: str
    panel: str
    rules: str
    tasks: list[str]
    rules_in_full: dict[str, Any] = {}


class MethodFacts(msgspec.Struct, frozen=True):
    """What a manifest says of a method; see `cornerman.manifest.describe_method`."""

    method: str
    actor: str
    actor_digest: str
    critics: list[str]
    memory: str | None
    protocol: str
    models: dict[str, str]
    digest: str
    information: list[str]
    privileged: bool


class Manifest(msgspec.Struct, frozen=True):
    """The part of a manifest that tables need."""

    cornerman: str
    experiment: str
    trials: int
    baseline: str
    family: Literal["holm", "max-t"]
    seed: int
    suite: SuiteFacts
    methods: list[MethodFacts]
    environments: dict[str, dict[str, Any]] = {}
    prices: dict[str, Price] = {}


@dataclass(frozen=True)
class Arm:
    """One method of one run: what it is, and what its requested episodes came to, by (task, trial).

    An episode that was requested and is not recorded is no success.
    """

    run: str
    facts: MethodFacts
    tasks: list[str]
    trials: int
    tallies: dict[tuple[str, int], Tally] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)

    @property
    def requested(self) -> int:
        """Episodes asked for."""
        return len(self.tasks) * self.trials

    @property
    def outcomes(self) -> dict[str, list[bool]]:
        """Successes by task, one for each trial."""
        won = {key: t.success for key, t in self.tallies.items()}
        return {task: [won.get((task, i), False) for i in range(self.trials)] for task in self.tasks}

    @property
    def transcripts(self) -> dict[str, list[str]]:
        """Digests of what was played by task, one for each trial; empty where there is no record."""
        seen = {key: t.played for key, t in self.tallies.items()}
        return {task: [seen.get((task, i), "") for i in range(self.trials)] for task in self.tasks}


@dataclass(frozen=True)
class Recorded:
    """A run folder."""

    folder: Path
    manifest: Manifest
    arms: list[Arm]


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a run folder. What is no run folder, or one of another version, is one sentence."""
    path = folder / MANIFEST
    if not path.is_file():
        if (folder / EXPERIMENT).is_file():
            raise UsageError(f"{folder} has no {MANIFEST} yet: its run was stopped before the first episode")
        raise UsageError(f"{folder} is no run folder: it has no {MANIFEST}")
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path} is no manifest that this version of Cornerman reads: {error}") from error
    if found.trials < 1 or not found.suite.tasks or found.baseline not in {m.method for m in found.methods}:
        raise UsageError(f"{path} is damaged: it needs tasks, trials and a baseline among its methods")
    return found


def read_run(folder: Path) -> Recorded:
    """A run from its manifest and episodes, its marks also from its declaration where it has one.

    The last record of a (task, method, trial) counts.
    """
    manifest = read_manifest(folder)
    marks = marks_of(read_declaration(folder), manifest.seed)
    arms = {
        m.method: Arm(run=manifest.experiment, facts=m, tasks=manifest.suite.tasks, trials=manifest.trials, marks=marks)
        for m in manifest.methods
    }
    wanted = {(task, trial) for task in manifest.suite.tasks for trial in range(manifest.trials)}
    for episode in iterate(folder):
        key = (episode.task.id, episode.trial)
        if episode.method in arms and key in wanted:
            arms[episode.method].tallies[key] = tally(episode, manifest.prices)
    return Recorded(folder, manifest, list(arms.values()))
