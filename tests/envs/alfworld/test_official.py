"""Finding the official games in a folder."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cornerman.errors import UsageError
from cornerman_envs.alfworld.engine import Game, grammar_generation
from cornerman_envs.alfworld.official import data_folder, official_games
from cornerman_envs.alfworld.tasks import TASK_TYPES, TaskParams


def put(folder: Path, trial: str, solvable: bool = True, traj: object = None) -> Path:
    place = folder / "json_2.1.1" / trial
    place.mkdir(parents=True)
    (place / "game.tw-pddl").write_text(json.dumps({"grammar": "", "solvable": solvable}), encoding="utf-8")
    (place / "traj_data.json").write_text(json.dumps(traj), encoding="utf-8")
    return place


def traj(task_type: str, **targets: str) -> dict[str, object]:
    blank = {"object_target": "Mug", "parent_target": "", "toggle_target": "", "mrecep_target": ""}
    return {"task_type": task_type, "pddl_params": blank | targets, "images": [{"high_idx": 0}]}


def test_finds_the_playable_games_in_order(tmp_path: Path) -> None:
    """As alfworld does: no sliced objects, no movable receptacles, nothing unsolvable."""
    simple = traj("pick_and_place_simple", parent_target="Desk")
    put(tmp_path, "train/pick_and_place_simple-Mug-None-Desk-308/trial_B", traj=simple)
    put(tmp_path, "train/pick_and_place_simple-Mug-None-Desk-308/trial_A", traj=simple)
    put(
        tmp_path,
        "train/look_at_obj_in_light-Mug-None-DeskLamp-301/t",
        traj=traj("look_at_obj_in_light", toggle_target="DeskLamp"),
    )
    put(tmp_path, "train/pick_and_place_simple-Mug-None-Shelf-308/trial_C", solvable=False)
    put(tmp_path, "train/pick_heat_then_place_in_recep-BreadSliced-None-Fridge-2/trial_D")
    put(tmp_path, "train/pick_and_place_with_movable_recep-Spoon-Mug-Desk-308/trial_E")
    put(tmp_path, "valid_seen/pick_and_place_simple-Mug-None-Desk-308/trial_F")
    games = official_games(tmp_path, "train")
    assert [game.id for game in games] == [
        "train/look_at_obj_in_light-Mug-None-DeskLamp-301/t",
        "train/pick_and_place_simple-Mug-None-Desk-308/trial_A",
        "train/pick_and_place_simple-Mug-None-Desk-308/trial_B",
    ]
    assert games[0].params() == TaskParams("look_at_obj_in_light", "Mug", toggle_target="DeskLamp")
    assert games[1].params() == TaskParams("pick_and_place_simple", "Mug", parent_target="Desk")


def test_says_what_to_do_when_something_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ALFWORLD_DATA", raising=False)
    with pytest.raises(UsageError, match="ALFWORLD_DATA is not set; run alfworld-download"):
        data_folder()
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path))
    with pytest.raises(UsageError, match=re.escape(f"ALFWORLD_DATA is {tmp_path}, which holds no json_2.1.1")):
        data_folder()
    place = put(tmp_path, "train/pick_and_place_simple-Mug-None-Desk-308/trial_A", traj={"task_type": "x"})
    assert data_folder() == tmp_path
    with pytest.raises(UsageError, match="no official split 'test'"):
        official_games(tmp_path, "test")
    with pytest.raises(UsageError, match=r"holds no json_2\.1\.1/valid_unseen"):
        official_games(tmp_path, "valid_unseen")
    (game,) = official_games(tmp_path, "train")
    with pytest.raises(UsageError, match=r"traj_data\.json does not tell the task"):
        game.params()
    (place / "traj_data.json").unlink()
    with pytest.raises(UsageError, match="download the games again"):
        game.params()


def test_the_real_folder(official_data: Path) -> None:
    games = official_games(official_data, "valid_seen")
    assert len(games) == 140
    assert games == sorted(games, key=lambda game: game.id)
    assert {game.params().task_type for game in games} == set(TASK_TYPES)
    data = json.loads(games[0].path.read_text(encoding="utf-8"))
    assert grammar_generation(data["grammar"]) == "2.1.2"
    game = Game.load(games[0].path)
    state = game.reset()
    for command in game.walkthrough or []:
        game.step(state, command)
    assert game.won(state)
