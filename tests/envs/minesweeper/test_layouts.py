"""Layouts of mines that fit what is shown, against all layouts there are."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from cornerman.records import Task
from cornerman_envs.minesweeper.boards import Board
from cornerman_envs.minesweeper.env import MinesweeperEnv
from cornerman_envs.minesweeper.layouts import Seen, layouts

SIZE, MINES = 5, 3


def seen_on(board: Board, cells: list[int]) -> Seen:
    """What is shown when some cells have been revealed."""
    revealed = set().union(*(board.opened(cell) for cell in cells))
    return Seen(SIZE, MINES, {cell: board.count(cell) for cell in sorted(revealed)})


def fitting(seen: Seen) -> set[frozenset[int]]:
    """All of them, one by one."""
    boards = (Board(SIZE, frozenset(m)) for m in itertools.combinations(range(SIZE**2), MINES))
    return {
        b.mines
        for b in boards
        if not b.mines & seen.counts.keys() and all(b.count(c) == n for c, n in seen.counts.items())
    }


@pytest.mark.parametrize("seed", range(12))
def test_all_layouts_are_found_where_all_are_asked_for(seed: int) -> None:
    chance = random.Random(seed)
    board = Board(SIZE, frozenset(chance.sample(range(SIZE**2), MINES)))
    safe = [cell for cell in range(SIZE**2) if cell not in board.mines]
    seen = seen_on(board, chance.sample(safe, seed % 4))
    found = layouts(seen, 10**6, chance)
    assert set(found) == fitting(seen)
    assert len(found) == len(set(found))
    assert board.mines in found


def test_where_there_are_more_they_are_drawn_evenly() -> None:
    seen = seen_on(Board(SIZE, frozenset({0, 6, 24})), [12])
    every = fitting(seen)
    chance = random.Random(0)
    drawn = Counter(layouts(seen, 1, chance)[0] for _ in range(20 * len(every)))
    assert set(drawn) <= every
    statistic = sum((drawn[mines] - 20) ** 2 / 20 for mines in every)
    df = len(every) - 1
    assert abs(statistic - df) < 4 * (2 * df) ** 0.5, "chi-squared has mean df and variance 2 df"
    assert len(layouts(seen, 16, chance)) <= 16


def test_the_states_look_alike_and_the_mines_lie_elsewhere() -> None:
    env = MinesweeperEnv(Task(env="cornerman/Minesweeper-v1", id="m", seed=3, settings={"size": 6, "mines": 5}))
    env.reset()
    assert all(len(s["mines"]) == 5 for s in env.consistent_states(8, 0) or []), "nothing is revealed: anything fits"
    board = env.step("reveal 3 3")[0]
    own, states = env.snapshot(), env.consistent_states(8, 0)
    assert states == env.consistent_states(8, 0) != env.consistent_states(8, 1)
    mines = set()
    for state in states or []:
        observation, info = env.restore(state)
        assert observation == board
        assert not info["success"]
        plan = env.gold()
        mines.add(tuple(env.facts()["mines"]))
        assert plan
        for action in plan:
            answer = env.step(action)
        assert answer[4]["success"], "gold knows where the mines lie there"
    assert len(mines) > 1
    env.restore(own)
