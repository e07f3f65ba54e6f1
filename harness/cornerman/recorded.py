"""A run folder as its readers need it: the manifest, checked, and every method's episodes in numbers."""

from __future__ import annotations

import tempfile
import typing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from cornerman.declaration import Mark, marks_of, read_declaration
from cornerman.errors import UsageError
from cornerman.prices import Price, millionths
from cornerman.records import Role, Usage
from cornerman.store import EXPERIMENT, MANIFEST, iterate_latest

if TYPE_CHECKING:
    from cornerman.aggregate import Figures


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
    assets: dict[str, str] = {}
    prices: dict[str, Price] = {}


@dataclass(frozen=True)
class Arm:
    """One method of one run: what it is, and what its requested episodes came to.

    tasks: their ids, sorted, as the cells of the figures are. An episode that was requested and is not recorded is no
    success. prices: those of its run.
    """

    run: str
    facts: MethodFacts
    tasks: list[str]
    trials: int
    figures: Figures
    prices: dict[str, Price]
    marks: list[Mark] = field(default_factory=list)

    @property
    def requested(self) -> int:
        """Episodes asked for."""
        return len(self.tasks) * self.trials

    @property
    def recorded(self) -> int:
        """Episodes on disk."""
        return int(self.figures.recorded.sum())

    @cached_property
    def outcomes(self) -> dict[str, list[bool]]:
        """Successes by task, one for each trial."""
        return dict(zip(self.tasks, self.figures.success.tolist(), strict=True))

    @property
    def usage(self) -> dict[str, Usage]:
        """The usage of every role, over all models."""
        out: dict[str, Usage] = {}
        for (role, _), used in self.figures.usage.items():
            out[role] = out.get(role, Usage()) + used
        return {role: out[role] for role in typing.get_args(Role) if role in out}

    @property
    def dollars(self) -> dict[str, float]:
        """What every role cost; empty where no prices are given."""
        out = dict.fromkeys(self.usage, 0.0) if self.prices else {}
        for (role, model), used in self.figures.usage.items():
            if model in self.prices:
                out[role] += millionths(used, self.prices[model]) / 1e6
        return out


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


def read_run(folder: Path, compact: bool = True) -> Recorded:
    """A run from its manifest and episodes, its marks also from its declaration where it has one.

    The last record of a (task, method, trial) counts.

    compact: read the columns of `episodes.parquet` where it stands for all of the episodes, which is a hundred times as
    quick. Verification does not: it trusts the lines alone.
    """
    import duckdb
    import pyarrow as pa

    from cornerman.aggregate import figures
    from cornerman.columns import write
    from cornerman.parquet import compacted

    manifest = read_manifest(folder)
    tasks, methods = sorted(manifest.suite.tasks), [m.method for m in manifest.methods]
    asked_for = (methods, tasks, manifest.trials, manifest.prices)
    try:
        whole = compacted(folder) if compact else None
        if whole is not None:
            found = figures(whole, *asked_for)
        else:
            with tempfile.TemporaryDirectory(prefix="cornerman-") as scratch:
                write(iterate_latest(folder), Path(scratch) / "numbers.parquet")
                found = figures(Path(scratch) / "numbers.parquet", *asked_for)
    except (OverflowError, pa.ArrowInvalid, duckdb.ConversionException, duckdb.OutOfRangeException) as error:
        what = str(error).strip().partition("\n")[0]
        raise UsageError(f"{folder} holds a number that is beyond all counting: {what}; mend its episodes") from error
    marks = marks_of(read_declaration(folder), manifest.seed)
    arms = [
        Arm(manifest.experiment, facts, tasks, manifest.trials, each, manifest.prices, marks)
        for facts, each in zip(manifest.methods, found, strict=True)
    ]
    return Recorded(folder, manifest, arms)
