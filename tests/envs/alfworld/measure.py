"""One engine on one game, measured in CPU time in a process of its own, for `tests/benchmarks/test_alfworld.py`.

    python -m tests.envs.alfworld.measure ours|stock|patched GAME_FILE WARM_UP_FILE

Cold: the first 60 steps of a random walk in a fresh game, with admissible commands and facts. Warm: the same walk
again, admissible commands only; ours, which remembers lists of commands, walks it 200 times.

Ours plays another game for a second before: a worker in the middle of a run is measured, not the start of a process.
The first milliseconds of one run at about half the speed, since the interpreter has not specialised the code and an
idle processor has not raised its clock. The stock engine takes seconds for every part, and notices neither.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from typing import Any

from cornerman_envs.alfworld.engine import Game
from cornerman_envs.alfworld.stock import StockGame

STEPS = 60
WARM_UP_SECONDS = 1.5
"""CPU time of the process, imports included, until the engine is measured."""


def measure(engine: str, path: str, warm_up: str) -> dict[str, float]:
    """Seconds of CPU time for loading, a cold and a warm step, and a fork."""
    load: Any = Game.load if engine == "ours" else lambda file: StockGame(file, patched=engine == "patched")
    clock = time.process_time
    while engine == "ours" and clock() < WARM_UP_SECONDS:
        walk(load(warm_up))
    begin = clock()
    game = load(path)
    loaded = clock()
    cold = clock()
    walked, state = walk(game)
    cold_end = clock()
    rounds = 200 if engine == "ours" else 1
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
        "warm": (warm_end - cold_end) / STEPS / rounds,
        "fork": (clock() - warm_end) / forks,
    }


def walk(game: Any) -> tuple[list[str], Any]:
    """A random walk from the start, with what is asked for at every step; the commands, and where it ended."""
    rng, state = random.Random(1), game.reset()
    commands = game.admissible(state)
    walked: list[str] = []
    for _ in range(STEPS):
        command = rng.choice(commands)
        game.step(state, command)
        commands = game.admissible(state)
        game.facts(state)
        game.won(state)
        walked.append(command)
    return walked, state


def in_a_process(*arguments: str) -> dict[str, float]:
    """What `measure` answers in a new process."""
    command = [sys.executable, "-m", "tests.envs.alfworld.measure", *arguments]
    result: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return result


if __name__ == "__main__":
    print(json.dumps(measure(*sys.argv[1:])))
