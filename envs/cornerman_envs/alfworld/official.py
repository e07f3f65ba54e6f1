"""The official ALFWorld games, where a user has downloaded them (`alfworld-download`)."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from cornerman.errors import UsageError, did_you_mean
from cornerman_envs.alfworld.tasks import TASK_TYPES, TaskParams

SPLITS = ("train", "valid_seen", "valid_unseen")

_FOLDER = "json_2.1.1"
"""Called so for both generations of the games; `grammar_generation` tells them apart."""


@dataclass(frozen=True)
class OfficialGame:
    id: str
    """The game's folder below json_2.1.1, with slashes: `valid_seen/TASK/TRIAL`."""
    path: Path
    """The `game.tw-pddl` file."""

    def params(self) -> TaskParams:
        """What the game asks for, from `traj_data.json` beside it.

        Raises:
            UsageError: there is no such file, or it does not say.
        """
        file = self.path.with_name("traj_data.json")
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            params = data["pddl_params"]
            targets = (params["object_target"], params["parent_target"], params["toggle_target"])
            return TaskParams(data["task_type"], *(str(x or "") for x in targets))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{file} does not tell the task ({error!r}); download the games again") from None


def data_folder() -> Path:
    """The folder that ALFWORLD_DATA names.

    Raises:
        UsageError: the variable is not set, or the folder holds no games.
    """
    value = os.environ.get("ALFWORLD_DATA", "")
    advice = "run alfworld-download and set ALFWORLD_DATA to the folder that then holds json_2.1.1"
    if not value:
        raise UsageError(f"ALFWORLD_DATA is not set; {advice}")
    folder = Path(value).expanduser()
    if not (folder / _FOLDER).is_dir():
        raise UsageError(f"ALFWORLD_DATA is {value}, which holds no {_FOLDER}; {advice}")
    return folder


def official_games(folder: Path, split: str) -> list[OfficialGame]:
    """The playable games of a split, sorted by id.

    As in alfworld, games with sliced objects or movable receptacles are left out, and those marked as unsolvable.

    Args:
        folder: what `data_folder` returns.
        split: one of `SPLITS`.

    Raises:
        UsageError: there is no such split, or its folder is missing.
    """
    if split not in SPLITS:
        raise UsageError(f"no official split {split!r}; {did_you_mean(split, SPLITS)}")
    root = folder / _FOLDER
    if not (root / split).is_dir():
        raise UsageError(f"{folder} holds no {_FOLDER}/{split}; run alfworld-download")
    games = [
        OfficialGame(file.parent.relative_to(root).as_posix(), file)
        for file in (root / split).rglob("game.tw-pddl")
        if _playable(file)
    ]
    return sorted(games, key=lambda game: game.id)


def _playable(file: Path) -> bool:
    task = file.parent.parent.name
    if task.split("-")[0] not in TASK_TYPES or "Sliced" in task:
        return False
    return b'"solvable": true' in file.read_bytes()
