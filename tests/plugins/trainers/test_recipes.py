"""Recipes: what is read, what is refused, ablations, and what a forecast says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")
pytest.importorskip("peft", reason="training needs the extra 'train'")

from tests.plugins.trainers.recipes import demonstrations, echo

from cornerman.errors import UsageError
from cornerman.plugins import load as load_plugins
from cornerman_plugins.recipes import recipes
from cornerman_plugins.trainers.recipe.forecast import flat, forecast
from cornerman_plugins.trainers.recipe.reading import load, merged, resolve
from cornerman_plugins.trainers.running.scene import Scene

PLUGINS = load_plugins()
REGISTRY = PLUGINS.registry
NAMES = [name for name, _ in recipes()]
ABLATED = [(name, ablation) for name in NAMES for ablation in load(REGISTRY, name).ablation]


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_recipe_can_be_played_and_forecast(name: str) -> None:
    recipe = load(REGISTRY, name, seed=7)
    assert (recipe.name, recipe.seed) == (name, 7)
    for stage in recipe.stage.values():
        scene = Scene.of(REGISTRY, recipe, stage)
        assert scene.suite.tasks
    report = forecast(REGISTRY, recipe)
    assert report.updates + report.episodes > 0
    assert report.tokens > 0
    assert all(size > 0 for size in report.memory.values())
    assert report.paper.keys().isdisjoint(report.ours)
    assert report.source == "ours" or report.paper


@pytest.mark.parametrize(("name", "ablation"), ABLATED)
def test_an_ablation_changes_what_it_says(name: str, ablation: str) -> None:
    plain, changed = load(REGISTRY, name), load(REGISTRY, name, (ablation,))
    assert changed.name == f"{name}+{ablation}"
    before, after = flat(plain), flat(changed)
    assert {k for k in before | after if before.get(k) != after.get(k)} - {"name"}


def test_tables_merge_and_an_empty_one_takes_a_key_away() -> None:
    assert merged({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 5}, "d": {}}) == {"a": {"b": 5, "c": 2}}


WRONG: list[tuple[list[str], Any, str]] = [
    (["stage"], {}, "at least one stage"),
    (["stage", "show", "learn", "actor", "rate"], -1.0, "rate: Expected `float` > 0.0"),
    (["stage", "show", "learn", "actor", "rat"], 1.0, "unknown key 'rat'; did you mean 'rate'"),
    (["stage", "show", "learn", "actor", "loss"], 3, "a piece is a name or a table"),
    (["stage", "show", "method"], None, "a table with a method"),
    (["weights", "hold"], "lora", "unknown value 'lora'"),
    (["schedul"], {}, "unknown key 'schedul'; did you mean 'schedule'"),
]


@pytest.mark.parametrize(("path", "value", "words"), WRONG, ids=[w for _, _, w in WRONG])
def test_what_is_wrong_is_said(path: list[str], value: Any, words: str) -> None:
    table = demonstrations(1)
    inner = table
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises(UsageError) as error:
        resolve(table, "r.toml")
    assert words in str(error.value)
    assert str(error.value).startswith("r.toml")


def test_unknown_names_are_answered_with_the_nearest(tmp_path: Path) -> None:
    for source, ablations, words in (("ecko", (), "echo"), ("echo", ("frozen",), "frozen-critic")):
        with pytest.raises(UsageError, match=words):
            load(REGISTRY, source, ablations)
    with pytest.raises(UsageError, match="no recipe file"):
        load(REGISTRY, str(tmp_path / "none.toml"))


def test_a_schedule_that_names_no_stage_is_refused() -> None:
    table = echo(1)
    table["schedule"]["stage"] = "jont"
    with pytest.raises(UsageError, match="asks for a stage 'jont'"):
        forecast(REGISTRY, resolve(table, "r.toml"))
