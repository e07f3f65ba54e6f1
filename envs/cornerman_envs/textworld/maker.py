"""Makes one game: a script that `games` runs in a process of its own, with a job on standard input as JSON.

textworld draws from generators of the whole process and from the order of sets of strings, so that only a fresh
interpreter with a pinned hash seed makes the same game each time. The script imports nothing of Cornerman.
"""

from __future__ import annotations

import json
import sys
from typing import Any

ATTEMPTS = 20
"""How many draws of the four part seeds are tried; Treasure Hunter finds no quest for some of them."""

PARTS = ("map", "objects", "quest", "grammar")
"""The parts of a game that have a seed each, in the order in which textworld draws them."""

SEED_BOUND = 65635
"""Upper bound of a part seed, as in textworld, so that the first draw makes the game that `tw-make --seed` makes."""


def make(job: dict[str, Any]) -> None:
    """Write `job["path"]`.z8, .json and .ni: the compiled game, its logic and its Inform 7 source.

    Raises RuntimeError when no draw of part seeds gives a game, and whatever textworld raises on impossible settings.
    """
    import numpy as np
    import textworld
    import textworld.challenges
    from textworld.generator import QuestGenerationError, compile_game

    generate = textworld.challenges.CHALLENGES[job["challenge"]][1]
    generator = np.random.RandomState(job["seed"])
    textworld.g_rng.set_seed(job["seed"])
    for _ in range(ATTEMPTS):
        options = textworld.GameOptions()
        options.seeds = {part: int(generator.randint(SEED_BOUND)) for part in PARTS}
        options.grammar.only_last_action = job["only_last_action"]
        options.path = job["path"] + ".z8"
        options.force_recompile = True
        try:
            game = generate(settings=dict(job["settings"]), options=options)
        except QuestGenerationError:
            continue
        compile_game(game, options)
        return
    raise RuntimeError(f"no quest found in {ATTEMPTS} draws; choose another seed or other settings")


if __name__ == "__main__":
    make(json.loads(sys.stdin.read()))
