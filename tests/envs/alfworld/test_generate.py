"""Generated games: fixed by their spec, winnable, in three disjoint and evenly mixed splits."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from cornerman.errors import UsageError
from cornerman_envs.alfworld.engine import Game, grammar_generation
from cornerman_envs.alfworld.generate import GeneratedGame, generate
from cornerman_envs.alfworld.scenes import ROOMS, load_shipped
from cornerman_envs.alfworld.specs import SPLITS, UNSEEN_SCENES, GameSpec, enumerate_specs, make_spec, split_of
from cornerman_envs.alfworld.tasks import TASK_TYPES


def digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def test_a_game_depends_on_its_spec_alone(asset: Path, kitchen: GeneratedGame) -> None:
    """Also in other processes with other hash seeds."""
    code = (
        "import hashlib, json, sys\n"
        "from pathlib import Path\n"
        "from cornerman_envs.alfworld.generate import generate\n"
        "from cornerman_envs.alfworld.specs import enumerate_specs, make_spec\n"
        "asset = Path(sys.argv[1])\n"
        "spec = make_spec(asset, 10, 'pick_cool_then_place_in_recep', 7)\n"
        "ids = [spec.id for split in ('train', 'seen', 'unseen') for spec in enumerate_specs(asset, split)]\n"
        "print(hashlib.sha256(json.dumps([generate(asset, spec).data, ids], sort_keys=True).encode()).hexdigest())\n"
    )
    spec = make_spec(asset, 10, "pick_cool_then_place_in_recep", 7)
    ids = [each.id for split in SPLITS for each in enumerate_specs(asset, split)]
    expected = digest([generate(asset, spec).data, ids])
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", code, str(asset)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == expected
    other = generate(asset, dataclasses.replace(kitchen.spec, seed=kitchen.spec.seed + 1))
    assert other.data["pddl_problem"] != kitchen.data["pddl_problem"]


@pytest.mark.parametrize("split", SPLITS)
def test_every_game_is_won_by_its_walkthrough(asset: Path, split: str) -> None:
    for spec in enumerate_specs(asset, split)[:24]:
        made = generate(asset, spec)
        game = Game.from_dict(json.loads(json.dumps(made.data)))
        state = game.reset()
        assert game.walkthrough, spec.id
        for command in game.walkthrough:
            assert not game.won(state), f"{spec.id} is won before {command}"
            assert command in game.admissible(state), f"{spec.id}: {command}"
            game.step(state, command)
        assert game.won(state), spec.id


def test_what_a_player_reads(kitchen: GeneratedGame) -> None:
    game = Game.from_dict(kitchen.data)
    assert game.intro.startswith("-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room.")
    task = game.intro.rsplit("\n\n", 1)[1]
    assert task in {
        "Your task is to: put a hot potato in countertop.",
        "Your task is to: heat some potato and put it in countertop.",
    }
    assert grammar_generation(str(kitchen.data["grammar"])) == "2.1.2"


def test_rooms_keep_their_furniture(asset: Path) -> None:
    """Whatever the task and the seed, a scene has the same receptacles under the same names."""
    seen = set()
    for task_type, seed in (("pick_and_place_simple", 0), ("pick_heat_then_place_in_recep", 5)):
        game = Game.from_dict(generate(asset, make_spec(asset, 10, task_type, seed)).data)
        seen.add(game.intro.split("\n\n")[1])
    assert len(seen) == 1


def test_splits_share_no_task(asset: Path) -> None:
    tasks = {
        split: {(s.scene, s.task_type, s.object, s.target) for s in enumerate_specs(asset, split)} for split in SPLITS
    }
    scenes = {split: {scene for scene, *_ in found} for split, found in tasks.items()}
    assert not tasks["train"] & tasks["seen"]
    assert scenes["seen"] <= scenes["train"]
    assert scenes["unseen"] == UNSEEN_SCENES
    assert not scenes["unseen"] & scenes["train"]
    assert {room: sum(n in UNSEEN_SCENES for n in numbers) for room, numbers in ROOMS.items()} == dict.fromkeys(
        ROOMS, 3
    )
    for split in SPLITS:
        for spec in enumerate_specs(asset, split):
            assert split_of(dataclasses.replace(spec, seed=99)) == split


def test_task_types_are_dealt_in_turn(asset: Path) -> None:
    sizes = {}
    for split in SPLITS:
        specs = enumerate_specs(asset, split)
        sizes[split] = len(specs)
        assert len({spec.id for spec in specs}) == len(specs)
        assert [spec.task_type for spec in specs[:12]] == [*TASK_TYPES, *TASK_TYPES]
        assert len(set(Counter(spec.task_type for spec in specs).values())) == 1
    assert sizes == {"train": 6000, "seen": 240, "unseen": 240}


def test_all_rooms_are_read(asset: Path) -> None:
    shipped = load_shipped(asset)
    assert len(shipped.scenes) == 120
    for scene in shipped.scenes.values():
        assert scene.objects
        assert len({r.id for r in scene.receptacles}) == len(scene.receptacles) >= 4


def test_what_can_not_be_made_is_said(asset: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no scene 999; scenes are 1-30"):
        make_spec(asset, 999, "pick_and_place_simple", 0)
    with pytest.raises(UsageError, match="did you mean 'pick_and_place_simple'"):
        make_spec(asset, 1, "pick_and_place_simpel", 0)
    with pytest.raises(UsageError, match="scene 401 has no task of type pick_heat"):
        make_spec(asset, 401, "pick_heat_then_place_in_recep", 0)
    with pytest.raises(UsageError, match="no such task can be made: pick_and_place_simple-Fridge-None-Desk-1/seed-0"):
        generate(asset, GameSpec(1, "pick_and_place_simple", "Fridge", "Desk"))
    with pytest.raises(UsageError, match="no split 'valid'"):
        enumerate_specs(asset, "valid")
    with pytest.raises(UsageError, match="holds no unpacked alfworld wheel"):
        load_shipped(tmp_path)
