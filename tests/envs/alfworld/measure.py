"""Measure our engine beside the stock one, in CPU time, each in a process of its own; not part of the test suite.

From the checkout's root, with ALFWORLD_DATA set:

    python -m tests.envs.alfworld.measure [GAME_ID…]

Cold: the first 60 steps of a random walk, with admissible commands and facts. Warm: the same walk again, admissible
commands only. Compare the ratios; absolute figures depend on the machine.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from typing import Any

from cornerman_envs.alfworld.engine import Game
from cornerman_envs.alfworld.official import data_folder, official_games
from cornerman_envs.alfworld.stock import StockGame

STEPS = 60


def measure(engine: str, path: str, warm_up: str) -> dict[str, float]:
    """Seconds of CPU time for loading, a cold and a warm step, and a fork."""
    load: Any = Game.load if engine == "ours" else lambda file: StockGame(file, patched=engine == "patched")
    if engine == "ours":
        load(warm_up)  # domain and grammar are read once a process
    clock = time.process_time
    begin = clock()
    game = load(path)
    loaded = clock()
    rng, state = random.Random(1), game.reset()
    commands = game.admissible(state)
    walked: list[str] = []
    cold = clock()
    for _ in range(STEPS):
        command = rng.choice(commands)
        game.step(state, command)
        commands = game.admissible(state)
        game.facts(state)
        game.won(state)
        walked.append(command)
    cold_end = clock()
    rounds = 200 if engine == "ours" else 0
    for _ in range(rounds):
        state = game.reset()
        for command in walked:
            game.step(state, command)
            game.admissible(state)
    warm_end = clock()
    forks = 100_000 if engine == "ours" else 1
    for _ in range(forks):
        state.fork()
    return {
        "load": loaded - begin,
        "cold": (cold_end - cold) / STEPS,
        "warm": (warm_end - cold_end) / STEPS / max(rounds, 1),
        "fork": (clock() - warm_end) / forks,
    }


def in_a_process(*arguments: str) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.envs.alfworld.measure", "--child", *arguments]
    result: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return result


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--child"]:
        print(json.dumps(measure(*arguments[1:])))
        return
    games = official_games(data_folder(), "valid_seen")
    chosen = [game for game in games if game.id in arguments] or games[10::35]
    print("game | stock load, steps/s | ours load, cold, warm, fork | cold / stock, warm / stock")
    for game in chosen:
        stock = in_a_process("stock", str(game.path), "")
        ours = in_a_process("ours", str(game.path), str(games[0].path))
        loaded = f"{1000 * ours['load']:.1f} ms, {1 / ours['cold']:,.0f}, {1 / ours['warm']:,.0f}"
        ratios = f"{stock['cold'] / ours['cold']:.0f}, {stock['cold'] / ours['warm']:,.0f}"
        print(
            f"{game.id.split('/')[1]} | {stock['load']:.2f} s, {1 / stock['cold']:.1f}"
            f" | {loaded}, {1e6 * ours['fork']:.2f} µs | {ratios}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
