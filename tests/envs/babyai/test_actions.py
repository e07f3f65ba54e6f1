"""What is seen in drawn worlds, and the moves of commands."""

from __future__ import annotations

import random

import gymnasium
import pytest

from cornerman.seeds import derive
from cornerman_envs.babyai.actions import Refused, admissible, course
from cornerman_envs.babyai.levels import gymnasium_id
from cornerman_envs.babyai.view import View
from cornerman_envs.babyai.world import Move

from .games import drawn, play

ROOM = (
    "################",
    "#       #     ##",
    "#       rd    ##",
    "# ro    #     ##",
    "#       #     ##",
    "#   ^ bkro    ##",
    "#             ##",
    "################",
)


def moves(view: View, command: str) -> list[Move]:
    """The moves of a command that is understood."""
    found = course(view, command)
    assert found is not None
    return found.moves


def test_a_view_in_words() -> None:
    assert View(drawn(*ROOM)).words() == (
        "You face north and carry nothing.\n"
        "Ahead: 4 free steps, then a wall. Left: 1 free step, then a wall. Right: 0 free steps, then blue key 1.\n"
        "You see:\n"
        "- blue key 1: 1 to the right\n"
        "- red ball 1: 2 to the right\n"
        "- red ball 2: 2 ahead, 1 to the left\n"
        "- red closed door 1: 3 ahead, 2 to the right"
    )


def test_walls_and_closed_doors_hide_what_is_behind() -> None:
    rows = ("################", "# > rd  ro    ##", "################")
    assert [str(seen) for seen in View(drawn(*rows)).seen] == ["red closed door 1"]
    rows = ("################", "# > rD  ro    ##", "################")
    assert [str(seen) for seen in View(drawn(*rows)).seen] == ["red open door 1", "red ball 1"]


def test_commands_become_the_fewest_moves() -> None:
    view = View(drawn(*ROOM))
    assert moves(view, "turn left") == ["left"]
    assert moves(view, "move forward 3 steps") == ["forward"] * 3
    assert moves(view, "go to blue key 1") == ["right"]
    assert moves(view, "pick up the blue key") == ["right", "pickup"]
    assert moves(view, "go to red ball 2") == ["forward", "forward", "left"]
    to_door: list[Move] = ["forward", "forward", "forward", "right", "forward"]
    assert moves(view, "go to red door") == to_door
    assert moves(view, "toggle red closed door 1") == [*to_door, "toggle"]
    assert moves(view, "toggle and go through red closed door 1") == [*to_door, "toggle", "forward", "forward"]
    carrying = View(drawn(*ROOM, carrying="yk"))
    assert moves(carrying, "drop") == ["drop"]
    assert moves(carrying, "drop next to red ball 2") == ["forward", "drop"]
    opened = View(drawn(*(row.replace("rd", "rD") for row in ROOM)))
    assert moves(opened, "go through red open door 1") == [*to_door, "forward", "forward"]


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("go to red ball 1", "You see no free way to red ball 1."),
        ("go to red ball 3", "You do not see so many as 3 of red ball here."),
        ("pick up green box 1", "You do not see any green box here."),
        ("pick up red closed door 1", "A door cannot be picked up."),
        ("go through red closed door 1", "Red closed door 1 is not open."),
        ("go through blue key 1", "You cannot go through a blue key."),
        ("toggle and go through blue key 1", "Go to blue key 1 first: only doors are toggled by name."),
        ("toggle", "There is nothing to toggle in front of you: only doors and boxes can be."),
        ("drop", "You carry nothing."),
        ("drop next to blue key 1", "You carry nothing."),
    ],
)
def test_what_cannot_be_done_is_told(command: str, answer: str) -> None:
    with pytest.raises(Refused) as refusal:
        course(View(drawn(*ROOM)), command)
    assert str(refusal.value) == answer


def test_a_locked_door_needs_the_key_of_its_colour() -> None:
    locked = [row.replace("rd", "rl") for row in ROOM]
    for carrying in ("", "yk", "rx"):
        with pytest.raises(Refused, match=r"Red locked door 1 is locked: carry a red key\."):
            course(View(drawn(*locked, carrying=carrying)), "toggle red locked door 1")
    assert moves(View(drawn(*locked, carrying="rk")), "toggle red locked door 1")[-1] == "toggle"


def test_listed_commands() -> None:
    assert admissible(View(drawn(*ROOM))) == [
        "turn left",
        "turn right",
        "move forward",
        "move forward 2",
        "move forward 3",
        "move forward 4",
        "go to blue key 1",
        "pick up blue key 1",
        "go to red ball 2",
        "pick up red ball 2",
        "go to red closed door 1",
        "toggle red closed door 1",
        "toggle and go through red closed door 1",
    ]


@pytest.mark.parametrize("level", ["UnlockPickup", "BossLevel", "PutNextLocal", "OpenDoorDebug"])
def test_what_is_listed_changes_the_state_and_names_what_is_in_view(level: str) -> None:
    env, chance = play(level, 1), random.Random(1)
    _, info = env.reset()
    for _ in range(8):
        if not info["admissible_actions"]:
            break
        kept = env.snapshot()
        for action in info["admissible_actions"]:
            env.restore(kept)
            env.step(action)
            assert env.snapshot() != kept, action
        env.restore(kept)
        *_, info = env.step(chance.choice(info["admissible_actions"]))


@pytest.mark.parametrize(
    "level", ["UnlockPickup", "SynthS5R2", "PutNextS5N2Carrying", "GoToSeqS5R2", "PickupDistDebug"]
)
def test_commands_are_minigrids_own_moves(level: str) -> None:
    """The same moves in a level that minigrid makes by itself: same world, same end."""
    env, chance = play(level), random.Random(7)
    made = gymnasium.make(gymnasium_id(level), max_episode_steps=-1).unwrapped
    made.reset(seed=derive("babyai", level, 0, 0))
    ended: list[tuple[bool, bool]] = []
    do = env.world.do

    def both(move: Move) -> bool:
        _, reward, terminated, _, _ = made.step(made.actions[move])  # type: ignore[attr-defined]
        ended.append((terminated, terminated and float(reward) > 0))
        return do(move)

    env.world.do = both  # type: ignore[method-assign]
    _, info = env.reset()
    for turn in range(25):
        watched, env.world.do = env.world.do, do  # type: ignore[method-assign]
        plan = env.gold() if turn > 15 else None
        env.world.do = watched  # type: ignore[method-assign]
        *_, over, _, info = env.step(plan[0] if plan else chance.choice(info["admissible_actions"]))
        assert env.facts()["grid"] == made.pprint_grid().split("\n")  # type: ignore[attr-defined]
        assert (over, info["success"]) == ended[-1]
        if over:
            break
    assert len(ended) > 10
