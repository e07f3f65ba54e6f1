"""The gold policy wins from wherever an agent may have got to."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.envs.alfworld.compare import wander

from cornerman_envs.alfworld.engine import Game, State
from cornerman_envs.alfworld.generate import generate
from cornerman_envs.alfworld.gold import GoldError, gold_action, gold_plan
from cornerman_envs.alfworld.official import official_games
from cornerman_envs.alfworld.specs import enumerate_specs
from cornerman_envs.alfworld.tasks import TASK_TYPES, TaskParams


def lost_ways(game: Game, seed: int, steps: int) -> list[State]:
    """States along a random walk, without those that are won."""
    state, met = game.reset(), []
    for i, command in enumerate(wander(seed, steps)(game, state)):
        game.step(state, command)
        if i % 9 == 8 and not game.won(state):
            met.append(state.fork())
    return met


@pytest.mark.parametrize("place", range(12))
def test_wins_from_any_state_of_a_generated_game(asset: Path, place: int) -> None:
    made = generate(asset, enumerate_specs(asset, "unseen")[place])
    game = Game.from_dict(made.data)
    met = [state for seed in range(4) for state in lost_ways(game, seed, 60)]
    assert len(met) > 15
    for state in met:
        before = state.fork()
        plan = gold_plan(game, state, made.spec.params)
        assert state == before, "planning must not move the state"
        assert len(plan) <= 15
        for command in plan:
            assert command in game.admissible(state)
            game.step(state, command)
        assert game.won(state)


def test_is_done_when_the_game_is_won(asset: Path) -> None:
    made = generate(asset, enumerate_specs(asset, "seen")[0])
    game = Game.from_dict(made.data)
    state = game.reset()
    for command in game.walkthrough or []:
        game.step(state, command)
    assert gold_plan(game, state, made.spec.params) == []


def test_hands_full_of_the_wrong_thing(asset: Path) -> None:
    """It puts the thing down first, and picks the object up afterwards."""
    spec = next(s for s in enumerate_specs(asset, "unseen") if s.task_type == "pick_clean_then_place_in_recep")
    game = Game.from_dict(generate(asset, spec).data)
    state = game.reset()
    wrong = None
    while wrong is None:
        takes = [c for c in game.admissible(state) if c.startswith("take ") and spec.object.lower() not in c]
        wrong = takes[0] if takes else None
        game.step(state, wrong or random.Random(state.moves).choice(game.admissible(state)))
    plan = gold_plan(game, state, spec.params)
    verbs = [command.split()[0] for command in plan if not command.startswith(("go to", "open"))]
    assert verbs == ["move", "take", "clean", "move"]


@pytest.mark.parametrize("task_type", TASK_TYPES)
def test_official_games(official_data: Path, task_type: str) -> None:
    games = [g for g in official_games(official_data, "valid_seen") if g.params().task_type == task_type]
    for listed in games[:4]:
        game, params = Game.load(listed.path), listed.params()
        assert len(gold_plan(game, game.reset(), params)) <= 12
        for state in lost_ways(game, seed=1, steps=45):
            held = next((names[1] for name, names in game.facts(state) if name == "holds"), None)
            if held is None or any(c.startswith(f"move {held} ") for c in everywhere(game, state)):
                gold_plan(game, state, params)
                continue
            with pytest.raises(GoldError, match=f"there is no receptacle for {held} in the room"):
                gold_plan(game, state, params)


def everywhere(game: Game, state: State) -> set[str]:
    """All commands that the agent has here, and after going to each receptacle and opening it."""
    found = set(game.admissible(state))
    for target in [c for c in found if c.startswith("open")]:
        twin = state.fork()
        game.step(twin, target)
        found |= set(game.admissible(twin))
    for target in [c for c in game.admissible(state) if c.startswith("go to")]:
        twin = state.fork()
        game.step(twin, target)
        game.step(twin, target.replace("go to", "open"))
        found |= set(game.admissible(twin))
    return found


def test_says_what_is_missing() -> None:
    params = TaskParams("pick_heat_then_place_in_recep", "Potato", "Fridge")
    facts = [
        ("receptacleatlocation", ("desk 1", "loc 1")),
        ("atlocation", ("agent1 ", "loc 1")),
        ("holds", ("agent1 ", "potato 1")),
    ]
    with pytest.raises(GoldError, match="there is no Microwave in the room"):
        gold_action(facts, params, [])
    with pytest.raises(GoldError, match="there is no potato to take in the room"):
        gold_action(facts[:2], params, [])
