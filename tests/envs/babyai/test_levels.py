"""Which levels are played, and how worlds are made."""

from __future__ import annotations

import subprocess
import sys

import gymnasium
import pytest

from cornerman.errors import UsageError
from cornerman_envs.babyai import levels
from cornerman_envs.babyai.levels import EXCLUDED, LEVELS, content, gymnasium_id, make_level
from cornerman_envs.light.listing import part_of

from .games import play


def test_played_and_excluded_levels_are_all_that_minigrid_has() -> None:
    import minigrid

    assert minigrid.__version__.startswith("3.2.")
    theirs = {name for name in gymnasium.registry if name.startswith("BabyAI-")}
    assert {gymnasium_id(level) for level in (*LEVELS, *EXCLUDED)} == theirs
    assert (len(LEVELS), len(set(LEVELS) | set(EXCLUDED))) == (92, 96)


@pytest.mark.parametrize("level", sorted(EXCLUDED))
def test_gold_does_not_win_excluded_levels(level: str) -> None:
    assert any(play(level, seed).gold() is None for seed in range(6))


def test_the_first_of_two_doors_fails_the_excluded_debug_level() -> None:
    env = next(env for env in (play("OpenDoorsOrderN2Debug", seed) for seed in range(20)) if "then" in env.goal)
    colour = env.goal.split()[2]
    for _ in range(3):
        if any(f"toggle {colour}" in action for action in env.step("turn left")[4]["admissible_actions"]):
            break
    _, _, terminated, _, info = env.step(f"toggle {colour} door")
    assert (terminated, info["success"]) == (True, False)


def test_worlds_depend_on_seed_and_part_and_minigrid_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    for level in ("PutNextLocalS5N3", "GoToSeqS5R2"):
        worlds = [content(make_level(level, seed)) for seed in range(6)]
        assert worlds == [content(make_level(level, seed)) for seed in range(6)]
        assert len(set(worlds)) == 6
        for part in ("train", "dev", "test"):
            assert part_of(content(make_level(level, 3, part))) == part
    assert capsys.readouterr().out == ""


def test_a_room_that_walls_the_agent_in_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """With this seed minigrid itself would draw places for ever."""
    given_up = []
    place = levels._Patience.__call__

    def watched(self: levels._Patience, *arguments: object, **named: object) -> object:
        try:
            return place(self, *arguments, **named)
        except RecursionError as error:
            given_up.append(str(error))
            raise

    monkeypatch.setattr(levels._Patience, "__call__", watched)
    make_level("SynthS5R2", 2_086_000, "test")
    assert "the agent finds no place" in given_up


def test_unknown_levels_and_a_missing_extra_are_told() -> None:
    with pytest.raises(UsageError, match="no level 'GotoLocal'; did you mean 'GoToLocal'"):
        make_level("GotoLocal", 0)
    code = (
        "import sys; sys.modules['minigrid'] = None\n"
        "from cornerman_envs.babyai.levels import make_level\n"
        "try: make_level('GoToLocal', 0)\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.startswith("EnvError BabyAI needs the extra 'babyai': pip install 'cornerman[babyai]'")
