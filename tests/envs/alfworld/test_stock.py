"""The stock engine behind our protocol: same words as unpatched, no traces left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from cornerman_envs.alfworld.generate import GeneratedGame
from cornerman_envs.alfworld.stock import StockGame, StockState

pytestmark = pytest.mark.usefixtures("stock_engine")


@pytest.fixture
def path(bedroom: GeneratedGame, tmp_path: Path) -> Path:
    path = tmp_path / "game.tw-pddl"
    path.write_text(json.dumps(bedroom.data), encoding="utf-8")
    return path


def test_states_fork_by_replay(path: Path) -> None:
    game = StockGame(path)
    state = game.reset()
    game.step(state, "dance")
    game.step(state, next(c for c in game.admissible(state) if c.startswith("go to")))
    twin = state.fork()
    before = game.admissible(state)
    game.step(twin, next(c for c in before if c.startswith("go to")))
    assert (state.moves, twin.moves) == (1, 2)
    assert game.admissible(state) == before != game.admissible(twin)
    again = StockState.from_json(json.loads(json.dumps(twin.to_json())))
    assert game.facts(again) == game.facts(twin)


def test_two_games_at_once(path: Path, kitchen: GeneratedGame, tmp_path: Path) -> None:
    """They share one copy of Fast Downward, yet do not disturb each other."""
    other = tmp_path / "other.tw-pddl"
    other.write_text(json.dumps(kitchen.data), encoding="utf-8")
    first, second = StockGame(path), StockGame(other)
    here, there = first.reset(), second.reset()
    assert first.walkthrough
    assert second.walkthrough
    for left, right in zip(first.walkthrough, second.walkthrough, strict=False):
        first.step(here, left)
        second.step(there, right)
    for command in first.walkthrough[len(second.walkthrough) :]:
        first.step(here, command)
    for command in second.walkthrough[len(first.walkthrough) :]:
        second.step(there, command)
    assert first.won(here)
    assert second.won(there)


def test_leaves_no_traces(path: Path) -> None:
    """`sys.argv`, ALFWORLD_DATA, the home folder and the temporary folder are as before."""
    code = (
        "import os, sys, pathlib\n"
        "from cornerman_envs.alfworld.stock import StockGame\n"
        "argv = list(sys.argv)\n"
        "for _ in range(2):\n"
        "    game = StockGame(sys.argv[1]); state = game.reset(); game.step(state, 'look')\n"
        "assert sys.argv == argv, sys.argv\n"
        "assert 'ALFWORLD_DATA' not in os.environ\n"
        "print(sorted(os.listdir(os.environ['HOME'])), sorted(os.listdir(os.environ['TMPDIR'])))\n"
    )
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as temporary:
        surroundings = {**os.environ, "HOME": home, "TMPDIR": temporary}
        surroundings.pop("ALFWORLD_DATA", None)
        run = subprocess.run(
            [sys.executable, "-c", code, str(path)], env=surroundings, capture_output=True, text=True, check=False
        )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip().endswith("[] []")


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="unpatched, the stock engine fails on Python 3.13")
def test_patched_says_what_unpatched_says(path: Path) -> None:
    """A walk, in two fresh processes."""
    code = (
        "import json, sys\n"
        "from cornerman_envs.alfworld.stock import StockGame\n"
        "game = StockGame(sys.argv[1], patched=sys.argv[2] == 'patched')\n"
        "state, seen = game.reset(), [game.intro]\n"
        "for i in range(25):\n"
        "    commands = game.admissible(state)\n"
        "    said = game.step(state, commands[(7 * i) % len(commands)])\n"
        "    seen.append([commands, said, game.won(state), sorted(game.facts(state))])\n"
        "print(json.dumps(seen))\n"
    )
    told = [
        subprocess.run(
            [sys.executable, "-c", code, str(path), which], capture_output=True, text=True, check=True
        ).stdout
        for which in ("patched", "unpatched")
    ]
    assert len(json.loads(told[0])) == 26
    assert told[0] == told[1]
