"""Experiments: a suite, methods and trials, from a TOML file, a shipped name or the command line's options."""

from __future__ import annotations

import math
import tomllib
import typing
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import tomli_w

from cornerman.choices import converted
from cornerman.engine.context import Limits
from cornerman.engine.method import MethodSettings, method_settings
from cornerman.errors import CornermanError, UsageError, did_you_mean
from cornerman.prices import Price
from cornerman.records import Record
from cornerman.registry import Kind, Registry
from cornerman.suites import Suite


class Experiment(Record, frozen=True, kw_only=True):
    """What a run computes, resolved: two runs of equal experiments answer the same question.

    `baseline` is the method that all others are compared with, by default the first. `family` corrects the p-values
    over all comparisons with the baseline. `tape`: "shared" lets methods with the baseline's actor read the answers to
    its first questions from the baseline's episode of the task and trial, as long as they ask the same: see
    `cornerman.engine.tape`. `models` gives model URIs by role or label to plug-ins that name none,
    `prices` what tokens cost by model. How it is run (workers, concurrency, folder) is no part of it.
    """

    name: str
    suite: str
    method: tuple[MethodSettings, ...]
    trials: int = 1
    seed: int = 0
    limit: int | None = None
    baseline: str = ""
    family: Literal["holm", "max-t"] = "holm"
    tape: Literal["own", "shared"] = "own"
    models: dict[str, str] = {}
    prices: dict[str, Price] = {}
    limits: Limits = Limits()

    def tasks(self, registry: Registry) -> Suite:
        """The suite that the experiment plays."""
        return load_suite(registry, self.suite).head(self.limit)


def load_suite(registry: Registry, name: str) -> Suite:
    """A suite by its name. One that cannot be made, or is not what a suite has to be, is one sentence."""
    make = registry.get("suite", name).load()
    try:
        suite = make()
    except CornermanError:
        raise
    except Exception as error:
        raise UsageError(f"suite '{name}' cannot be made: {type(error).__name__}: {error}") from error
    if not isinstance(suite, Suite):
        raise UsageError(f"suite '{name}' is a {type(suite).__name__}, not a cornerman.suites.Suite")
    if not suite.tasks:
        raise UsageError(f"suite '{name}' has no tasks")
    twice = next((i for i, n in Counter(t.id for t in suite.tasks).items() if n > 1), None)
    if twice is not None:
        raise UsageError(f"suite '{name}' has two tasks with the id {twice!r}, which would share their episodes")
    return suite


def resolve(table: Mapping[str, Any], name: str, where: str) -> Experiment:
    """An experiment from the table of a TOML file. `where` opens the sentence of every error."""
    known = Experiment.__struct_fields__
    unknown = [k for k in table if k not in known]
    if unknown:
        raise UsageError(f"{where}: unknown key '{unknown[0]}'; {did_you_mean(unknown[0], known)}")
    if "suite" not in table:
        raise UsageError(f'{where}: an experiment needs a suite, as in suite = "textworld-smoke"')
    methods = method_table(table.get("method"), where)
    names = [m.name for m in methods]
    plain = {key: _field(key, value, where) for key, value in table.items() if key != "method"}
    plain = {"name": name, **plain, "baseline": plain.get("baseline") or names[0]}
    if plain["baseline"] not in names:
        raise UsageError(
            f"{where}: baseline '{plain['baseline']}' is no method; {did_you_mean(plain['baseline'], names)}"
        )
    return checked(Experiment(method=methods, **plain), where)


def method_table(methods: Any, where: str) -> tuple[MethodSettings, ...]:
    """The settings of all methods, under names that differ."""
    if not isinstance(methods, (list, tuple)) or not methods:
        raise UsageError(f"{where}: an experiment needs at least one [[method]] with an actor")
    if not all(isinstance(m, dict) for m in methods):
        raise UsageError(f"{where}: every method is a table: [[method]]")
    settings = tuple(method_settings(m, f"{where}, method {i + 1}") for i, m in enumerate(methods))
    names = [m.name for m in settings]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None:
        raise UsageError(f"{where}: two methods are called '{twice}'; give each a name of its own")
    odd = next((n for n in names if not n.isprintable() or n != n.strip()), None)
    if odd is not None:
        raise UsageError(f"{where}: the method name {odd!r} holds characters that no table can show")
    return settings


HINTS = typing.get_type_hints(Experiment)


def _field(key: str, value: Any, where: str) -> Any:
    """One field, converted by itself so that an error names its key."""
    if key == "limits" and isinstance(value, dict):
        unknown = [k for k in value if k not in Limits.__struct_fields__]
        if unknown:
            nearest = did_you_mean(unknown[0], Limits.__struct_fields__)
            raise UsageError(f"{where}: limits: unknown key '{unknown[0]}'; {nearest}")
    try:
        return converted(value, HINTS[key])
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}: {key}: {error}") from error


def checked(experiment: Experiment, where: str) -> Experiment:
    """The same experiment; a value out of its range is one sentence."""
    if experiment.trials < 1 or (experiment.limit is not None and experiment.limit < 1):
        raise UsageError(f"{where}: trials and limit are at least 1")
    if not 0 <= experiment.seed < 2**63:
        raise UsageError(f"{where}: seed is a whole number from 0 to 2^63 - 1, not {experiment.seed}")
    for key, seconds in msgspec.structs.asdict(experiment.limits).items():
        if not 0 <= seconds < math.inf:
            raise UsageError(f"{where}: limits: {key} counts seconds, or is 0 for no limit, not {seconds}")
    name = experiment.name
    if not is_folder_name(name):
        raise UsageError(
            f"{where}: the name {name!r} cannot be a folder's; take letters, digits, '-', '_' and '.', at most "
            f"{MAX_NAME} bytes"
        )
    try:
        to_toml(experiment).encode()
    except (UnicodeEncodeError, TypeError, ValueError) as error:
        raise UsageError(f"{where}: an experiment file cannot hold this: {error}") from error
    return experiment


MAX_NAME = 150
"""Bytes in the name of a run's folder; systems allow 255 for a file's."""


def is_folder_name(name: str) -> bool:
    """Whether a run's folder can be called this, and lies where it should: below --out, not hidden, in one step."""
    plain = name.isprintable() and name == name.strip() and not name.startswith((".", "-"))
    return plain and bool(name) and not {"/", "\\"} & set(name) and len(name.encode()) <= MAX_NAME


def folder_name(text: str) -> str:
    """A name for a run's folder that is made from other names."""
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in text)
    return kept.strip("-_.")[:100] or "run"


SOURCES: tuple[Kind, ...] = ("suite", "experiment")


def load(registry: Registry, source: str) -> Experiment:
    """An experiment from a TOML file, or a shipped one by its name."""
    path = Path(source)
    if path.suffix == ".toml" or path.is_file():
        if not path.is_file():
            raise UsageError(f"there is no experiment file {source}")
        return parse(read_text(path), folder_name(path.stem), str(source))
    if (path / "experiment.toml").is_file():
        raise UsageError(
            f"{source} is a run folder; it goes on with: cornerman run {path / 'experiment.toml'} --out {path.parent}"
        )
    suites, shipped = ({entry.name for entry in registry.entries(kind)} for kind in SOURCES)
    if source in suites - shipped:
        raise UsageError(f"{source} is a suite: play it with --suite {source} --actor NAME")
    entry = registry.get("experiment", source)
    text = entry.load()
    return parse(text() if callable(text) else text, folder_name(source), f"experiment '{source}'")


def read_text(path: Path) -> str:
    """A text file's content; what cannot be read is one sentence."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error


def parse(text: str, name: str, where: str) -> Experiment:
    """An experiment from TOML text."""
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{where} is not valid TOML: {error}") from error
    return resolve(table, name, where)


def to_table(experiment: Experiment) -> dict[str, Any]:
    """The resolved experiment as a TOML table, without what is unset."""

    def clean(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: clean(v) for k, v in value.items() if v is not None}
        return [clean(v) for v in value] if isinstance(value, (list, tuple)) else value

    table = clean(msgspec.to_builtins(experiment))
    assert isinstance(table, dict)
    return table


def to_toml(experiment: Experiment) -> str:
    """The resolved experiment as TOML text, which `parse` reads back to an equal one."""
    return tomli_w.dumps(to_table(experiment))


def drift(recorded: Any, wanted: Any, path: str = "") -> str | None:
    """The first key at which two resolved experiments differ, with both values, or None."""
    if isinstance(recorded, Mapping) and isinstance(wanted, Mapping):
        for key in sorted({*recorded, *wanted}):
            here = f"{path}.{key}" if path else key
            if (found := drift(recorded.get(key), wanted.get(key), here)) is not None:
                return found
        return None
    if isinstance(recorded, list) and isinstance(wanted, list):
        if len(recorded) != len(wanted):
            return f"{path}: {len(recorded)} entries there, {len(wanted)} here"
        pairs = enumerate(zip(recorded, wanted, strict=True))
        return next((d for i, (a, b) in pairs if (d := drift(a, b, f"{path}[{i}]")) is not None), None)
    if recorded == wanted or (recorded != recorded and wanted != wanted):  # not a number is itself here
        return None
    there, here = ("unset" if v is None else repr(v) for v in (recorded, wanted))
    return f"{path}: {there} there, {here} here"


def from_options(
    suite: str,
    actor: str,
    critics: Sequence[str] = (),
    memory: str | None = None,
    protocol: str | None = None,
    **rest: Any,
) -> dict[str, Any]:
    """The table of an experiment given by command-line options: the actor alone, then with critics and memory.

    The protocol holds in both arms: a critic with three attempts is compared with three attempts without it.
    """
    base: dict[str, Any] = {"actor": actor} | ({"protocol": protocol} if protocol else {})
    corner = ({"critic": list(critics)} if critics else {}) | ({"memory": memory} if memory else {})
    methods = [base, {**base, **corner}] if corner else [base]
    return {"suite": suite, "method": methods} | rest
