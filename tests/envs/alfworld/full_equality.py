"""Compare our engine with the stock one on every game at hand; minutes to an hour, so not part of the test suite.

From the checkout's root, with ALFWORLD_DATA set for the official games:

    python -m tests.envs.alfworld.full_equality --generated 500

Each game is won by its walkthrough and then wandered through twice. The last line is the verdict; the exit status is 1
if anything differs.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.envs.alfworld.compare import Mismatch, compare, everything_once, script, wander

from cornerman.assets import asset_path
from cornerman_envs.alfworld.engine import Game
from cornerman_envs.alfworld.generate import generate
from cornerman_envs.alfworld.official import data_folder, official_games
from cornerman_envs.alfworld.specs import SPLITS, enumerate_specs
from cornerman_envs.alfworld.stock import StockGame


def games(options: argparse.Namespace, folder: Path) -> Iterator[tuple[str, Path]]:
    """Ids and files of the games to compare."""
    for split in options.splits:
        for game in official_games(data_folder(), split):
            yield game.id, game.path
    if options.generated:
        asset = asset_path("alfworld")
        lists = [enumerate_specs(asset, split) for split in SPLITS]
        mixed = [spec for dealt in zip(*lists, strict=False) for spec in dealt]
        mixed += lists[0][len(mixed) // 3 :]
        for spec in mixed[: options.generated]:
            path = folder / "game.tw-pddl"
            path.write_text(json.dumps(generate(asset, spec).data), encoding="utf-8")
            yield spec.id, path


def compare_game(name: str, path: Path, steps: int, patched: bool) -> int:
    """The number of compared steps; raises Mismatch."""
    ours, stock = Game.load(path), StockGame(path, patched)
    if not ours.walkthrough:
        raise Mismatch("the game has no walkthrough")
    done = compare(ours, stock, script(ours.walkthrough))
    end = ours.reset()
    for command in ours.walkthrough:
        ours.step(end, command)
    if not ours.won(end):
        raise Mismatch("the walkthrough does not win")
    return done + compare(ours, stock, wander(len(name) + steps, steps)) + compare(ours, stock, everything_once(steps))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", nargs="*", default=["valid_seen", "train"], help="official splits; none: none")
    parser.add_argument("--generated", type=int, default=0, metavar="N", help="generated games, of all three splits")
    parser.add_argument("--every", type=int, default=1, metavar="K", help="take each K-th game only")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="leave the first N out, to go on after a stop")
    parser.add_argument("--steps", type=int, default=40, metavar="N", help="length of each of the two walks")
    parser.add_argument("--unpatched", action="store_true", help="the stock engine as it is (twelve times slower)")
    options = parser.parse_args()
    count = steps = 0
    different: list[str] = []
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for i, (name, path) in enumerate(games(options, Path(folder))):
            if i < options.skip or i % options.every:
                continue
            count += 1
            try:
                steps += compare_game(name, path, options.steps, not options.unpatched)
            except Mismatch as error:
                different.append(name)
                print(f"DIFFERENT {name}: {error}", flush=True)
            if count % 20 == 0:
                print(f"{count} games, {steps:,} steps, {len(different)} different", flush=True)
    engine = "unpatched" if options.unpatched else "patched"
    minutes = (time.monotonic() - begin) / 60
    verdict = f"{len(different)} DIFFERENT" if different else "all equal"
    print(f"{verdict}: {count} games, {steps:,} steps against the {engine} stock engine, {minutes:.0f} minutes")
    return 1 if different or not count else 0


if __name__ == "__main__":
    sys.exit(main())
