"""Recipes from TOML: a shipped one by its name, or a file."""

from __future__ import annotations

import tomllib
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from cornerman.choices import converted
from cornerman.engine.method import method_settings
from cornerman.errors import UsageError, did_you_mean
from cornerman.experiment import folder_name, method_table, read_text
from cornerman.registry import Registry
from cornerman_plugins.trainers.recipe.settings import Evaluate, LearnSettings, PieceSettings, Recipe, Stage

HINTS: dict[type, dict[str, Any]] = {
    kind: typing.get_type_hints(kind, include_extras=True) for kind in (Recipe, Stage, LearnSettings, Evaluate)
}


def load(
    registry: Registry,
    source: str,
    ablations: tuple[str, ...] = (),
    *,
    seed: int | None = None,
    start: str | None = None,
) -> Recipe:
    """A recipe from a TOML file or by its name, with ablations applied in order, and another seed or start."""
    path = Path(source)
    if path.suffix == ".toml" or path.is_file():
        if not path.is_file():
            raise UsageError(f"there is no recipe file {source}")
        text, name, where = read_text(path), folder_name(path.stem), source
    else:
        made = registry.get("recipe", source).load()
        text, name, where = (made() if callable(made) else made), folder_name(source), f"recipe '{source}'"
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{where} is not valid TOML: {error}") from error
    for ablation in ablations:
        known = table.get("ablation", {})
        if ablation not in known:
            raise UsageError(f"{where} has no ablation '{ablation}'; {did_you_mean(ablation, known)}")
        table = merged(table, known[ablation])
    if seed is not None:
        table["seed"] = seed
    if start is not None:
        table = merged(table, {"base": {"start": start}})
    return resolve({**table, "name": "+".join([str(table.get("name", name)), *ablations])}, where)


def merged(table: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """A table with changes: tables merge, anything else is replaced, and an empty table takes a key away."""
    out = dict(table)
    for key, value in changes.items():
        if value == {}:
            out.pop(key, None)
        elif isinstance(value, Mapping) and isinstance(out.get(key), Mapping):
            out[key] = merged(out[key], value)
        else:
            out[key] = value
    return out


def resolve(table: Mapping[str, Any], where: str) -> Recipe:
    """A recipe from its table; `where` opens the sentence of every error."""
    parts = dict(table)
    stages = parts.get("stage")
    if not isinstance(stages, dict) or not stages:
        raise UsageError(f"{where}: a recipe has at least one stage: [stage.NAME]")
    parts["stage"] = {name: _stage(stage, f"{where}, stage '{name}'") for name, stage in stages.items()}
    if "schedule" in parts:
        parts["schedule"] = _piece(parts["schedule"], f"{where}, schedule")
    if "evaluate" in parts:
        parts["evaluate"] = _evaluate(parts["evaluate"], f"{where}, evaluate")
    return _record(Recipe, parts, where)


def _stage(value: Any, where: str) -> Stage:
    if not isinstance(value, dict) or not isinstance(value.get("method"), dict):
        raise UsageError(f"{where}: a stage is a table with a method")
    parts = dict(value)
    parts["method"] = method_settings(parts["method"], f"{where}, method")
    learn = parts.get("learn", {})
    if not isinstance(learn, dict):
        raise UsageError(f"{where}: learn is a table of roles: [stage.NAME.learn.ROLE]")
    parts["learn"] = {role: _learn(settings, f"{where}, {role}") for role, settings in learn.items()}
    return _record(Stage, parts, where)


def _learn(value: Any, where: str) -> LearnSettings:
    if not isinstance(value, dict):
        raise UsageError(f"{where}: a role learns by a table: [stage.NAME.learn.ROLE]")
    parts = dict(value)
    for key in ("reward", "loss"):
        if key in parts:
            parts[key] = _piece(parts[key], f"{where}, {key}")
    chain = parts.get("advantage", [])
    parts["advantage"] = tuple(
        _piece(p, f"{where}, advantage") for p in (chain if isinstance(chain, list) else [chain])
    )
    return _record(LearnSettings, parts, where)


def _evaluate(value: Any, where: str) -> Evaluate:
    if not isinstance(value, dict):
        raise UsageError(f"{where}: evaluation is a table: [evaluate]")
    return _record(Evaluate, {**value, "method": method_table(value.get("method"), where)}, where)


def _piece(value: Any, where: str) -> PieceSettings:
    if isinstance(value, str):
        return PieceSettings(use=value)
    if not isinstance(value, dict) or not isinstance(value.get("use"), str):
        raise UsageError(f'{where}: a piece is a name or a table with use = "NAME", not {value!r}')
    return PieceSettings(use=value["use"], options={k: v for k, v in value.items() if k != "use"})


R = TypeVar("R", bound=msgspec.Struct)


def _record(kind: type[R], parts: dict[str, Any], where: str) -> R:
    """A record from its parts, each converted by itself so that an error names its key."""
    hints = HINTS[kind]
    out = {}
    for key, value in parts.items():
        if key not in hints:
            raise UsageError(f"{where}: unknown key '{key}'; {did_you_mean(key, hints)}")
        try:
            out[key] = value if isinstance(value, msgspec.Struct) or _made(value) else converted(value, hints[key])
        except msgspec.ValidationError as error:
            raise UsageError(f"{where}: {key}: {error}") from error
    try:
        return kind(**out)
    except TypeError as error:
        raise UsageError(f"{where}: {error}") from error


def _made(value: Any) -> bool:
    """Whether a value is a collection of records that were made already."""
    items = list(value.values()) if isinstance(value, dict) else value
    return isinstance(items, (list, tuple)) and bool(items) and all(isinstance(i, msgspec.Struct) for i in items)


def to_table(recipe: Recipe) -> dict[str, Any]:
    """The resolved recipe as a TOML table, without what is unset."""

    def clean(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: clean(v) for k, v in value.items() if v is not None}
        return [clean(v) for v in value] if isinstance(value, (list, tuple)) else value

    table = clean(msgspec.to_builtins(recipe))
    assert isinstance(table, dict)
    return table
