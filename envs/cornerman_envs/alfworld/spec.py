"""The environments' specifications and the tasks of their splits.

`ALFWorldGen` plays games made from the rooms, grammar and domain of the alfworld wheel; `ALFWorld` the official ones,
where ALFWORLD_DATA says that they are. Both exist on our engine and, with the name's ending `Stock`, on textworld's.
"""

from __future__ import annotations

import functools
import hashlib
import json

from cornerman.assets import asset_path
from cornerman.environment import EnvironmentSpec
from cornerman.errors import UsageError, did_you_mean
from cornerman.records import Task
from cornerman_envs.alfworld import official, specs
from cornerman_envs.alfworld.engine import grammar_generation
from cornerman_envs.alfworld.env import ALFWorldEnv
from cornerman_envs.alfworld.games import ASSET

GENERATED, OFFICIAL = "cornerman/ALFWorldGen-v1", "cornerman/ALFWorld-v1"
GENERATED_STOCK, OFFICIAL_STOCK = "cornerman/ALFWorldGenStock-v1", "cornerman/ALFWorldStock-v1"


def generated_tasks(env: str, split: str) -> list[Task]:
    """Every task of a split of the generated games, the six task types in turn."""
    if split not in specs.SPLITS:
        raise UsageError(f"{env} has no split '{split}'; {did_you_mean(split, specs.SPLITS)}")
    return [
        Task(
            env=env,
            id=f"alfworldgen-{spec.id}",
            split=split,
            seed=spec.seed,
            family=spec.task_type,
            settings={
                "scene": spec.scene,
                "task_type": spec.task_type,
                "object": spec.object,
                "target": spec.target,
                "seed": spec.seed,
            },
        )
        for spec in specs.enumerate_specs(asset_path(ASSET), split)
    ]


def official_tasks(env: str, split: str) -> list[Task]:
    """Every official game of a split, by name, with the digest of its file and the generation of its grammar."""
    if split not in official.SPLITS:
        raise UsageError(f"{env} has no split '{split}'; {did_you_mean(split, official.SPLITS)}")
    tasks = []
    for game in official.official_games(official.data_folder(), split):
        data = game.path.read_bytes()
        tasks.append(
            Task(
                env=env,
                id=f"alfworld-{game.id}",
                split=split,
                family=game.id.split("/")[1].split("-")[0],
                settings={"game": game.id, "grammar": grammar_generation(json.loads(data)["grammar"])},
                data=hashlib.sha256(data).hexdigest(),
            )
        )
    return tasks


generated = EnvironmentSpec(
    id=GENERATED,
    make=ALFWorldEnv,
    light=True,
    seedable=False,
    splits=specs.SPLITS,
    tasks=functools.partial(generated_tasks, GENERATED),
    assets=(ASSET,),
)
official_games = EnvironmentSpec(
    id=OFFICIAL,
    make=ALFWorldEnv,
    light=True,
    seedable=False,
    splits=official.SPLITS,
    tasks=functools.partial(official_tasks, OFFICIAL),
)
generated_stock = EnvironmentSpec(
    id=GENERATED_STOCK,
    make=functools.partial(ALFWorldEnv, stock=True),
    seedable=False,
    splits=specs.SPLITS,
    tasks=functools.partial(generated_tasks, GENERATED_STOCK),
    assets=(ASSET,),
)
official_stock = EnvironmentSpec(
    id=OFFICIAL_STOCK,
    make=functools.partial(ALFWorldEnv, stock=True),
    seedable=False,
    splits=official.SPLITS,
    tasks=functools.partial(official_tasks, OFFICIAL_STOCK),
)
