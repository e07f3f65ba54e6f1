"""The game of the hidden object: stages, what is told, the prior, and the splits."""

from __future__ import annotations

import pytest

from cornerman.errors import UsageError
from cornerman.plugins import Plugins
from cornerman.records import Task
from cornerman.suites import Suite
from cornerman_envs.hidden.env import UNKNOWN, HiddenEnv, pairs
from cornerman_envs.hidden.spec import ENV, SPLITS, tasks

PANELS = {
    "hidden-smoke": (5, "4874825f8eacacb520d7989749f9c6d6cd4bd91cf04ca188365e5e1f07afc95c"),
    "hidden-dev": (48, "cf9200bde56935423f86dc036c01b743e3217e655c9b469b75e031df0c6cd2e6"),
    "hidden-test": (256, "c90fb415e1f4482956f39481ef766bdd77f243f817716636e322e731ee2af9b8"),
    "hidden-train": (600, "83be9503fb88745df5ead0c5b5f06a6bbd8ee23e952f1a2f7f0a21b4aae1feb3"),
    "hidden-easy-dev": (48, "cfe08891a662674e024017c5b0bd390ef56c87dd884fd0c30a6b52dd61a85c2b"),
    "hidden-easy-train": (600, "b1faefa54a19110225ec217fcf7526135e0b75f584bec848369dfa051a49f2cf"),
}


def play(seed: int = 0, **settings: object) -> HiddenEnv:
    env = HiddenEnv(Task(env=ENV, id="x", seed=seed, settings={"object": "apple", **settings}))
    env.reset(seed=seed)
    return env


@pytest.mark.parametrize("name", sorted(PANELS))
def test_the_panels_are_frozen(name: str, plugins: Plugins) -> None:
    suite: Suite = plugins.registry.get("suite", name).load()()
    assert (suite.name, len(suite.tasks), suite.panel) == (name, *PANELS[name])


def test_every_stage_counts_a_quarter_and_the_wrong_state_does_not_win() -> None:
    env = play(state="hot")
    found = env.step(f"look in the {env.place}")
    assert (found[0], found[1]) == (f"The apple is in the {env.place}.", 0.25)
    assert env.step("take the apple")[-1]["score"] == 0.5
    assert env.step("wash it")[-1]["score"] == 0.5
    assert env.gold() == ["heat it", "serve it"]
    answer, reward, ended, _, info = env.step("serve it")
    assert (answer, reward, ended, info["success"], info["score"]) == ("That was not asked for.", 0.0, True, False, 0.5)
    assert env.gold() is None


def test_the_wrong_object_in_hand_can_not_win_any_more() -> None:
    env = next(e for e in map(play, range(50)) if set(e.content.values()) - {None, "apple"})
    place, other = next((p, o) for p, o in env.content.items() if o not in (None, "apple"))
    env.step(f"look in the {place}")
    env.step(f"take the {other}")
    assert env.gold() is None
    assert env.step(f"look in the {env.place}")[0] == UNKNOWN


def test_an_object_lies_half_of_the_time_where_its_kind_belongs() -> None:
    for thing, home in (("egg", "fridge"), ("fork", "drawer")):
        places = [HiddenEnv(Task(env=ENV, id="x", seed=s, settings={"object": thing})).place for s in range(2000)]
        assert places.count(home) / 2000 == pytest.approx(0.4 + 0.6 / 6, abs=0.04)


def test_no_pair_of_object_and_state_is_in_two_splits() -> None:
    for states in (True, False):
        sets = [set(pairs(split, states)) for split in SPLITS]
        assert all(sets)
        assert sum(map(len, sets)) == len(set.union(*sets))
    assert len({task.id for split in SPLITS for task in tasks(split)}) == 2 * sum(n for _, n in SPLITS.values())


def test_what_it_does_not_know_is_said() -> None:
    for settings, word in (({"object": "appel"}, "apple"), ({"state": "warm"}, "state"), ({"places": 9}, "places")):
        with pytest.raises(UsageError, match=word if word != "state" else "warm"):
            play(**settings)
