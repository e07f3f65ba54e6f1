"""Our ALFWorld engine beside the stock one, in CPU time, each in a process of its own.

`python -m pytest tests/benchmarks -k alfworld` prints a row a game; it needs `ALFWORLD_DATA` and the extra `alfworld`.
Only ratios are asserted; the aims for the rest are at most 20 ms for loading and 1 µs for a fork.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from statistics import median

import pytest

pytest.importorskip("alfworld", reason="needs the stock engine: pip install 'cornerman[alfworld]'")
if not os.environ.get("ALFWORLD_DATA"):
    pytest.skip("ALFWORLD_DATA names no folder with the official games", allow_module_level=True)

from tests.envs.alfworld.measure import in_a_process

from cornerman_envs.alfworld.official import data_folder, official_games

COLD, WARM = 250, 3000
"""Least ratios to the stock engine: the first 60 steps with facts, and the same steps again without."""
RUNS = 7
"""Processes of ours a game; the median counts."""
HEAD = "game | stock: load, with facts, without | ours: load, cold with facts, warm, fork | cold, warm to stock"


def test_alfworld_beside_the_stock_engine(report: Callable[[str], None]) -> None:
    games = official_games(data_folder(), "valid_seen")
    largest = max(games, key=lambda game: game.path.stat().st_size)
    ratios = []
    report(HEAD)
    for game in (games[10], games[45], games[80], largest):
        stock = in_a_process("stock", str(game.path), "")
        runs = [in_a_process("ours", str(game.path), str(games[0].path)) for _ in range(RUNS)]
        ours = {name: median(run[name] for run in runs) for name in runs[0]}
        cold, warm = stock["cold"] / ours["cold"], stock["warm"] / ours["warm"]
        ratios.append((cold, warm))
        report(
            f"{game.id.split('/')[1]} | {stock['load']:.2f} s, {1 / stock['cold']:.1f}/s, {1 / stock['warm']:.1f}/s"
            f" | {1e3 * ours['load']:.1f} ms, {1 / ours['cold']:,.0f}/s, {1 / ours['warm']:,.0f}/s,"
            f" {1e6 * ours['fork']:.2f} µs | {cold:.0f}, {warm:,.0f}"
        )
    assert min(cold for cold, _ in ratios) >= COLD
    assert min(warm for _, warm in ratios) >= WARM
