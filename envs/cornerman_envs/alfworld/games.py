"""From a task to its game: generated from a specification, or read from the official files."""

from __future__ import annotations

import functools
import hashlib
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cornerman.assets import asset_path
from cornerman.errors import EnvError, UsageError
from cornerman.records import Task
from cornerman_envs.alfworld.engine import Game
from cornerman_envs.alfworld.engine.errors import GameError
from cornerman_envs.alfworld.generate import generate
from cornerman_envs.alfworld.official import OfficialGame, data_folder
from cornerman_envs.alfworld.specs import GameSpec
from cornerman_envs.alfworld.tasks import TaskParams

ASSET = "alfworld"


@dataclass(frozen=True)
class Source:
    """Where a game comes from, and what it asks for."""

    spec: GameSpec | None
    path: Path | None
    params: TaskParams


def source_of(task: Task) -> Source:
    """The game that a task's settings name. Raises `UsageError` where they name none."""
    settings = task.settings
    if "game" in settings:
        name = str(settings["game"])
        folder = data_folder() / "json_2.1.1"
        path = (folder / name / "game.tw-pddl").resolve()
        if not path.is_relative_to(folder.resolve()):
            raise UsageError(f"task {task.id}: the game {name!r} lies outside of ALFWORLD_DATA")
        game = OfficialGame(name, path)
        return Source(None, path, game.params())
    spec = spec_of(settings, task.id)
    return Source(spec, None, spec.params)


def spec_of(settings: Mapping[str, Any], where: str) -> GameSpec:
    """The specification in a generated task's settings."""
    try:
        return GameSpec(
            scene=int(settings["scene"]),
            task_type=str(settings["task_type"]),
            object=str(settings["object"]),
            target=str(settings["target"]),
            seed=int(settings.get("seed", 0)),
        )
    except (KeyError, ValueError, TypeError) as error:
        raise UsageError(
            f"task {where}: an ALFWorldGen task needs scene, task_type, object and target ({error!r})"
        ) from None


def load(source: Source, *, stock: bool = False) -> Any:
    """The game, on our engine or on the stock one."""
    try:
        if stock:
            return _stock(source)
        return _ours(source.path) if source.path else _generated(source.spec)
    except (GameError, OSError, ValueError) as error:
        raise EnvError(f"the game cannot be played: {error}") from error


@functools.lru_cache(maxsize=256)
def _generated(spec: GameSpec) -> Game:
    """A game holds no player's state, so that a process needs each once."""
    return Game.from_dict(generate(asset_path(ASSET), spec).data, source=spec.id)


@functools.lru_cache(maxsize=256)
def _ours(path: Path) -> Game:
    return Game.load(path)


def _stock(source: Source) -> Any:
    from cornerman_envs.alfworld.stock import StockGame

    if source.path is not None:
        return StockGame(source.path)
    assert source.spec is not None
    data = generate(asset_path(ASSET), source.spec).data
    with tempfile.TemporaryDirectory(prefix="cornerman-alfworld-") as folder:
        path = Path(folder) / "game.tw-pddl"
        path.write_text(json.dumps(data), encoding="utf-8")
        return StockGame(path)


def digest_of(spec: GameSpec) -> str:
    """SHA-256 of a generated game's content."""
    data = generate(asset_path(ASSET), spec).data
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
