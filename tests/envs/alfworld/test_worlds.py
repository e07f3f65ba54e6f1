"""Rooms that would have shown the same."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cornerman.plugins import Plugins
from cornerman_envs.alfworld.env import ALFWorldEnv
from cornerman_envs.alfworld.spec import GENERATED
from cornerman_envs.alfworld.worlds import consistent, looked_into, play


@pytest.fixture
def env(plugins: Plugins, asset: Path) -> ALFWorldEnv:
    spec = plugins.registry.get("environment", GENERATED).load()
    made = spec.make(spec.tasks("seen")[0])
    assert isinstance(made, ALFWorldEnv)
    return made


def homes(env: ALFWorldEnv) -> dict[str, str]:
    """Where everything is."""
    return {names[0]: names[1] for predicate, names in env.facts() if predicate == "inreceptacle"}


def test_only_what_was_not_seen_lies_elsewhere(env: ALFWorldEnv) -> None:
    _, info = env.reset()
    shown = ""
    chance = random.Random(4)
    for _ in range(10):
        shown += (answer := env.step(chance.choice(info["admissible_actions"])))[0]
        info = answer[4]
    own, real = env.snapshot(), homes(env)
    states = env.consistent_states(16, 0) or []
    assert len(states) == 16
    assert states == env.consistent_states(16, 0)
    moved = set()
    for state in states:
        assert env.restore(state)[1]["admissible_actions"] == info["admissible_actions"]
        there = homes(env)
        assert there.keys() == real.keys()
        moved |= {thing for thing, home in there.items() if home != real[thing]}
        assert env.gold()
    assert moved
    assert not [thing for thing in moved if f"{thing}," in shown or f"{thing}." in shown]
    assert env.consistent_states(16, 0) is None, "after restore nobody knows what was seen"
    env.restore(own)


def test_each_is_played_and_shows_the_same(env: ALFWorldEnv) -> None:
    game = env._game
    env.reset()
    plan = env.gold()
    assert plan
    take = next(n for n, action in enumerate(plan) if action.startswith("take "))
    target = plan[take].removeprefix("take ").partition(" from ")[0]
    real = list(play(game, game.reset(), plan[:take]))
    [*_, home] = sorted(looked_into(game, plan[:take]))
    assert home == plan[take].partition(" from ")[2]
    for state in consistent(game, plan[:take], 8, random.Random(0)):
        assert dict(n for p, n in game.facts(state) if p == "inreceptacle")[target] == home, "it has been seen there"
        assert tuple(game.admissible(state)) == real[-1].admissible
    before = [game.facts(state) for state in consistent(game, [], 8, random.Random(0))]
    homes_of_it = {n[1] for facts in before for p, n in facts if p == "inreceptacle" and n[0] == target}
    assert len(homes_of_it) > 1, "at the beginning it may be anywhere"


def test_at_the_end_of_what_can_be_seen_the_real_room_is_the_only_one(env: ALFWorldEnv) -> None:
    _, info = env.reset()
    receptacles = [a.removeprefix("go to ") for a in info["admissible_actions"] if a.startswith("go to ")]
    for receptacle in receptacles:
        env.step(f"go to {receptacle}")
        env.step(f"open {receptacle}")
    assert env.consistent_states(8, 0) == []
