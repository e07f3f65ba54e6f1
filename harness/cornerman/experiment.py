"""Experiments: a suite, methods and trials, from a TOML file, a shipped name or the command line's options."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import tomli_w

from cornerman.engine.context import Limits
from cornerman.engine.method import MethodSettings, method_settings
from cornerman.errors import UsageError, did_you_mean
from cornerman.records import Record
from cornerman.registry import Registry
from cornerman.suites import Suite


class Experiment(Record, frozen=True, kw_only=True):
    """What a run computes, resolved: two runs of equal experiments answer the same question.

    `baseline` is the method that all others are compared with, by default the first. `family` corrects the p-values
    over all comparisons with the baseline. `models` gives model URIs by role or label to plug-ins that name none.
    How it is run (workers, concurrency, folder) is no part of it.
    """

    name: str
    suite: str
    method: tuple[MethodSettings, ...]
    trials: int = 1
    seed: int = 0
    limit: int | None = None
    baseline: str = ""
    family: Literal["holm", "max-t"] = "holm"
    models: dict[str, str] = {}
    limits: Limits = Limits()

    def tasks(self, registry: Registry) -> Suite:
        """The suite that the experiment plays."""
        return load_suite(registry, self.suite).head(self.limit)


def load_suite(registry: Registry, name: str) -> Suite:
    """A suite by its name."""
    suite: Suite = registry.get("suite", name).load()()
    return suite


def resolve(table: Mapping[str, Any], name: str, where: str) -> Experiment:
    """An experiment from the table of a TOML file. `where` opens the sentence of every error."""
    known = Experiment.__struct_fields__
    unknown = [k for k in table if k not in known]
    if unknown:
        raise UsageError(f"{where}: unknown key '{unknown[0]}'; {did_you_mean(unknown[0], known)}")
    methods = table.get("method")
    if not isinstance(methods, (list, tuple)) or not methods:
        raise UsageError(f"{where}: an experiment needs at least one [[method]] with an actor")
    if not all(isinstance(m, dict) for m in methods):
        raise UsageError(f"{where}: every method is a table: [[method]]")
    settings = tuple(method_settings(m, f"{where}, method {i + 1}") for i, m in enumerate(methods))
    names = [m.name for m in settings]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None:
        raise UsageError(f"{where}: two methods are called '{twice}'; give each a name of its own")
    plain = {k: v for k, v in table.items() if k != "method"}
    plain.setdefault("name", name)
    plain["baseline"] = plain.get("baseline") or names[0]
    if plain["baseline"] not in names:
        raise UsageError(
            f"{where}: baseline '{plain['baseline']}' is no method; {did_you_mean(plain['baseline'], names)}"
        )
    if "suite" not in plain:
        raise UsageError(f'{where}: an experiment needs a suite, as in suite = "textworld-smoke"')
    try:
        made = msgspec.convert({**plain, "method": ()}, Experiment)
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}: {error}") from error
    if made.trials < 1 or (made.limit is not None and made.limit < 1):
        raise UsageError(f"{where}: trials and limit are at least 1")
    return msgspec.structs.replace(made, method=settings)


def load(registry: Registry, source: str) -> Experiment:
    """An experiment from a TOML file, or a shipped one by its name."""
    path = Path(source)
    if path.suffix == ".toml" or path.is_file():
        if not path.is_file():
            raise UsageError(f"there is no experiment file {source}")
        return parse(read_text(path), path.stem, str(source))
    entry = registry.get("experiment", source)
    text = entry.load()
    return parse(text() if callable(text) else text, source, f"experiment '{source}'")


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
    except tomllib.TOMLDecodeError as error:
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


def drift(recorded: Mapping[str, Any], wanted: Mapping[str, Any], path: str = "") -> str | None:
    """The first key at which two resolved experiments differ, or None."""
    for key in sorted({*recorded, *wanted}):
        here = f"{path}.{key}" if path else key
        a, b = recorded.get(key), wanted.get(key)
        if a == b:
            continue
        if isinstance(a, dict) and isinstance(b, dict):
            return drift(a, b, here)
        if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
            for i, (x, y) in enumerate(zip(a, b, strict=True)):
                if x != y:
                    inner = drift(x, y, f"{here}[{i}]") if isinstance(x, dict) and isinstance(y, dict) else None
                    return inner or f"{here}[{i}]: {x!r} there, {y!r} here"
        return f"{here}: {a!r} there, {b!r} here"
    return None


def from_options(
    suite: str,
    actor: str,
    critics: Sequence[str] = (),
    memory: str | None = None,
    protocol: str | None = None,
    **rest: Any,
) -> dict[str, Any]:
    """The table of an experiment given by command-line options: the actor alone, then with all critics together."""
    base: dict[str, Any] = {"actor": actor}
    if memory:
        base["memory"] = memory
    if protocol:
        base["protocol"] = protocol
    methods = [base]
    if critics:
        methods = [{"actor": actor}, {**base, "critic": list(critics)}]
    return {"suite": suite, "method": methods} | rest
