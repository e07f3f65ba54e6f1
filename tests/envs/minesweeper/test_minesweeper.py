"""Minesweeper in text: counts, areas, flags, the safe first reveal, and made boards."""

from __future__ import annotations

import random
from typing import Any

import pytest

from cornerman.errors import UsageError
from cornerman.plugins import Plugins
from cornerman.records import Task
from cornerman.suites import Suite
from cornerman_envs.light.listing import part_of
from cornerman_envs.minesweeper import spec
from cornerman_envs.minesweeper.boards import Board
from cornerman_envs.minesweeper.env import UNKNOWN, MinesweeperEnv

PANELS = {
    "minesweeper-smoke": (5, "1879be6674eef2297757801da76c4c232fe6a6d84209c2b5d6e371d0cb6fff38"),
    "minesweeper-dev": (50, "6b0c5ee955cd31a57cfe61000109798495254171ce02bca029ca8ceb6ee5d2e2"),
    "minesweeper-test": (200, "d3c1ebcbf60f0238ccbf3ce71d2b2be71caef8604c38a653c9080fb5691f8a83"),
}


def play(*mines: int, **settings: Any) -> MinesweeperEnv:
    """A board, of 5 rows unless told otherwise, with mines on these cells where any are named."""
    env = MinesweeperEnv(Task(env=spec.ENV, id="x", settings={"size": 5, "mines": 4} | settings))
    if mines:
        env.board = Board(env.board.size, frozenset(mines))
    env.reset()
    return env


@pytest.mark.parametrize("name", sorted(PANELS))
def test_the_panels_are_frozen_and_no_board_comes_twice(name: str, plugins: Plugins) -> None:
    suite: Suite = plugins.registry.get("suite", name).load()()
    assert (suite.name, len(suite.tasks), suite.panel) == (name, *PANELS[name])
    assert len({MinesweeperEnv(task).board for task in suite.tasks}) == len(suite.tasks)


def test_a_reveal_counts_the_mines_around_and_opens_zeros() -> None:
    env = play(0, 6)
    observation, reward, ended, _, info = env.step("reveal 5 5")
    assert observation == "  1 2 3 4 5\n1 ? ? 1 0 0\n2 ? ? 1 0 0\n3 1 1 1 0 0\n4 0 0 0 0 0\n5 0 0 0 0 0"
    assert reward == info["score"] == pytest.approx(21 / 23)
    assert not ended
    assert info["admissible_actions"] == [
        *(f"reveal {cell}" for cell in ("1 1", "1 2", "2 1", "2 2")),
        *(f"flag {cell}" for cell in ("1 1", "1 2", "2 1", "2 2")),
    ]
    assert env.gold() == ["reveal 1 2", "reveal 2 1"]
    env.step("Reveal 1, 2")
    observation, _, ended, _, info = env.step("reveal 2 1")
    assert observation.startswith("  1 2 3 4 5\n1 ? 2 1 0 0\n2 2 ? 1 0 0")
    assert (ended, info["success"], info["score"]) == (True, True, 1.0)


def test_a_mine_ends_the_game() -> None:
    env = play(0, 6)
    env.step("reveal 1 2")
    observation, reward, ended, _, info = env.step("reveal 2 2")
    assert observation.startswith("You hit a mine.\n  1 2 3 4 5\n1 ? 2 ? ? ?\n2 ? * ? ? ?")
    assert (reward, ended, info["success"], info["score"]) == (0.0, True, False, pytest.approx(1 / 23))
    assert env.gold() is None
    assert info["admissible_actions"] == []


def test_the_first_reveal_is_safe_wherever_it_is() -> None:
    for task in spec.minesweeper.tasks("dev")[::20]:  # type: ignore[misc]
        env = MinesweeperEnv(task)
        for mine in env.board.mines:
            env.reset()
            size = env.board.size
            *_, info = env.step(f"reveal {mine // size + 1} {mine % size + 1}")
            mines = set(env.facts()["mines"])
            assert mine not in mines
            assert len(mines) == len(env.board.mines)
            assert info["score"] > 0
            plan = env.gold()
            assert plan is not None
            for action in plan:
                *_, info = env.step(action)
            assert info["success"]


def test_flags() -> None:
    env = play(0, 6)
    assert env.step("flag 1 2")[0].startswith("  1 2 3 4 5\n1 ? F ? ? ?")
    assert env.step("reveal 1 2")[0] == "Cell 1 2 is flagged; flag it again to take the flag off."
    assert "reveal 1 2" not in env.step("reveal 5 5")[4]["admissible_actions"]
    assert env.gold() == ["reveal 2 1", "flag 1 2", "reveal 1 2"]
    assert env.step("flag 5 5")[0] == "Cell 5 5 is revealed already."
    assert env.step("flag 1 2")[0].startswith("  1 2 3 4 5\n1 ? ? 1 0 0")
    assert env.gold() == ["reveal 1 2", "reveal 2 1"]


def test_an_area_stops_at_flags() -> None:
    env = play(0, 6)
    env.step("flag 4 4")
    observation, *_ = env.step("reveal 5 5")
    assert "\n4 0 0 0 F 0\n" in observation
    assert "flag 4 4" in (env.gold() or [])


@pytest.mark.parametrize("action", ["reveal 0 1", "reveal 6 1", "flag 1 999"])
def test_cells_off_the_board(action: str) -> None:
    assert play().step(action)[0] == f"There is no cell {action.split(' ', 1)[1]}; rows and columns go from 1 to 5."


@pytest.mark.parametrize("action", ["reveal", "reveal 1", "reveal 1 1 1", "open 1 1", "reveal -1 1", "reveal a b"])
def test_what_is_not_understood(action: str) -> None:
    assert play().step(action)[:2] == (UNKNOWN, 0.0)


def test_counts_and_clicks_against_their_definitions() -> None:
    chance = random.Random(1)
    for _ in range(30):
        board = Board(6, frozenset(chance.sample(range(36), 6)))
        for cell in range(36):
            row, column = divmod(cell, 6)
            touching = {m for m in board.mines if m != cell and abs(m // 6 - row) <= 1 and abs(m % 6 - column) <= 1}
            assert board.count(cell) == len(touching)
        env = play(*board.mines, size=6, mines=6)
        assert env.board == board
        plan = env.gold()
        assert plan is not None
        assert len(plan) == board.clicks


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_made_boards_are_of_their_split_and_take_some_reveals(split: str) -> None:
    for task in spec.minesweeper.tasks(split)[::20]:  # type: ignore[misc]
        board = MinesweeperEnv(task).board
        assert part_of(board.text) == split
        assert board.clicks > len(board.mines) == task.settings["mines"]


def test_too_many_mines_are_refused() -> None:
    with pytest.raises(UsageError, match="mines = 7 is too many for 5 rows; at most 6"):
        play(mines=7)
