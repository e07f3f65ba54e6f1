"""What a recipe will take, before anything runs, and which of its values are the paper's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from cornerman.cli.output import table
from cornerman.errors import UsageError
from cornerman.experiment import load_suite
from cornerman.registry import Registry
from cornerman_plugins.trainers.pieces import load_piece
from cornerman_plugins.trainers.recipe.settings import Recipe

SMOLLM2 = {"parameters": 134_515_008, "layers": 30, "width": 576}
PEAK = {"cpu": 5e10, "cuda": 4e14}
"""Floating-point operations a second that a small core, and a large GPU, do in matrix products at best."""
SHARE = 0.3
"""How much of that training reaches, by experience with language models of some billions of parameters."""
PER_TURN = 400
"""Tokens that are computed anew for a turn, in sampling and in training: an observation, its share of the prompt."""


class Forecast(msgspec.Struct, kw_only=True):
    """Bytes of memory by what they are for; updates, episodes and tokens at most; hours on one device; and the values
    by dotted key, those of the paper and ours. None: not known without the model's files."""

    arm: str
    source: str
    roles: list[str]
    parameters: int | None
    trained: int | None
    memory: dict[str, int]
    updates: int
    episodes: int
    tokens: int
    hours: float | None
    device: str
    paper: dict[str, Any]
    ours: dict[str, Any]


def forecast(registry: Registry, recipe: Recipe) -> Forecast:
    """Reckon it from the recipe alone. Rough: within a factor of three where the turns are of usual length."""
    size = shape(recipe)
    updates, episodes, tokens = played(registry, recipe)
    values = flat(recipe)
    missing = [key for key in recipe.paper if not any(k == key or k.startswith(f"{key}.") for k in values)]
    if missing:
        raise UsageError(f"recipe '{recipe.name}' says of '{missing[0]}' that it is the paper's, and does not set it")
    theirs = {k: v for k, v in values.items() if any(k == p or k.startswith(f"{p}.") for p in recipe.paper)}
    device = recipe.weights.device.partition(":")[0]
    parameters = None if size is None else size["parameters"]
    hours = None if parameters is None else 8 * parameters * tokens / (PEAK.get(device, 4e14) * SHARE) / 3600
    trained = None if size is None else trained_parameters(recipe, size)
    return Forecast(
        arm=recipe.name,
        source=recipe.source,
        roles=list(recipe.roles),
        parameters=parameters,
        trained=trained,
        memory={} if size is None or trained is None else memory(recipe, size, trained),
        updates=updates,
        episodes=episodes,
        tokens=tokens,
        hours=hours,
        device=device,
        paper=theirs,
        ours={k: v for k, v in values.items() if k not in theirs and not k.startswith(("paper", "ablation"))},
    )


def shape(recipe: Recipe) -> dict[str, int] | None:
    """Parameters, layers and width of the base; None where its files are not here."""
    tiny = recipe.base.tiny
    if recipe.base.model == "tiny":
        count = tiny.vocabulary * tiny.width + tiny.layers * (4 + 8) * tiny.width**2
        return {"parameters": count, "layers": tiny.layers, "width": tiny.width}
    if recipe.base.model == "smollm2":
        return dict(SMOLLM2)
    path = Path(recipe.base.model).expanduser() / "config.json"
    if not path.is_file():
        return None
    config = msgspec.json.decode(path.read_bytes())
    width, layers, inner = (config[k] for k in ("hidden_size", "num_hidden_layers", "intermediate_size"))
    kv = width * config.get("num_key_value_heads", 1) // config.get("num_attention_heads", 1)
    each = 2 * width**2 + 2 * width * kv + 3 * width * inner
    return {"parameters": config["vocab_size"] * width * 2 + layers * each, "layers": layers, "width": width}


def trained_parameters(recipe: Recipe, size: dict[str, int]) -> int:
    """Of all sets of weights together."""
    sets = 1 if recipe.weights.shared else len(recipe.roles)
    if recipe.weights.hold in ("full", "one-full"):
        return sets * size["parameters"]
    per_layer = recipe.weights.rank * size["width"] * (7 * 2 + 3 * 2)  # seven matrices, three of them wider
    return sets * size["layers"] * per_layer


def memory(recipe: Recipe, size: dict[str, int], trained: int) -> dict[str, int]:
    """Bytes by what they are for, at the largest moment."""
    wide = 4 if recipe.weights.dtype == "float32" else 2
    full = recipe.weights.hold in ("full", "one-full")
    kept = (
        2 if recipe.weights.checkpointing else 34
    )  # numbers a token, layer and width: Korthikanti et al. 2022, sec. 4
    return {
        "weights": wide * (trained if full else size["parameters"]) + (0 if full else 4 * trained),
        "gradients": 4 * trained,
        "optimiser": 8 * trained,
        "reference": 4 * trained,
        "activations": kept * recipe.tokens * size["layers"] * size["width"] * wide // 2,
    }


def played(registry: Registry, recipe: Recipe) -> tuple[int, int, int]:
    """Updates, episodes and tokens at most, of the whole schedule."""
    schedule = load_piece(registry, "schedule", recipe.schedule.use, recipe.schedule.options)
    updates = episodes = tokens = 0
    for phase in schedule({}):
        stage = recipe.stage.get(phase.stage)
        if stage is None:
            raise UsageError(f"the schedule asks for a stage '{phase.stage}', which the recipe does not have")
        rounds = phase.updates if phase.collect == "each" else 1
        turns = load_suite(registry, stage.suite or recipe.suite).rules.max_turns
        attempts = 1 + max((int(c.options.get("n", 1)) for c in stage.method.critic), default=0)
        updates += phase.updates
        episodes += rounds * stage.tasks * stage.trials
        tokens += rounds * stage.tasks * stage.trials * attempts * turns * PER_TURN
    return updates, episodes, tokens


def flat(value: Any, path: str = "") -> dict[str, Any]:
    """A recipe's values by dotted key, defaults included."""
    if isinstance(value, msgspec.Struct):
        value = msgspec.structs.asdict(value)
    if isinstance(value, (list, tuple)):
        value = msgspec.to_builtins(value)
    if not isinstance(value, dict):
        return {path: value}
    return {k: v for key, part in value.items() for k, v in flat(part, f"{path}.{key}" if path else key).items()}


def show(report: Forecast) -> None:
    """The forecast as tables."""
    known = (
        [] if report.parameters is None else [f"{report.parameters:,} parameters, {report.trained:,} of them trained"]
    )
    print(f"{report.arm}: {', '.join(report.roles)}; {'; '.join(known) or 'the model is not here'}")
    at_most = f"at most {report.updates:,} updates, {report.episodes:,} episodes, {report.tokens:,} tokens"
    hours = "" if report.hours is None else f", about {report.hours:.1f} {report.device} hours"
    print(f"{at_most}{hours}")
    table(["memory", "MB"], [[name, f"{size / 2**20:,.0f}"] for name, size in report.memory.items()])
    whose = [
        *((k, v, report.source or "the paper") for k, v in report.paper.items()),
        *((k, v, "ours") for k, v in report.ours.items()),
    ]
    table(["value", "is", "whose"], [[key, str(value), owner] for key, value, owner in whose])
