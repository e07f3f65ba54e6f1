"""Every shipped experiment of a method with its models behind a URL: it plays to its end on the server alone."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cornerman import experiment as experiments
from cornerman.cli.run import resolve_experiment
from cornerman.errors import MissingExtra
from cornerman.plugins import load
from cornerman.runner import Options, Run
from cornerman.suites import Suite
from cornerman_plugins.experiments import methods

EMBEDDED = "sweep-smollm2"
"""A published board of the embedded model; it names that model itself."""
NEEDS = {"cast": "bm25s"}
REGISTRY = load().registry
WITH_MODELS = [name for name, _ in methods() if name != EMBEDDED and experiments.load(REGISTRY, name).models]


def test_the_other_experiments_ask_no_model() -> None:
    plugins = load()
    for name in {name for name, _ in methods()} - {*WITH_MODELS, EMBEDDED}:
        run = Run(plugins, experiments.load(plugins.registry, name), Options())
        assert not any(method.models for method in run.methods), name


@pytest.mark.parametrize("name", WITH_MODELS)
def test_an_experiment_plays_with_any_endpoint(name: str, stub: Any, tmp_path: Path) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    plugins = load()
    roles = dict.fromkeys(experiments.load(plugins.registry, name).models, f"openai:{stub.url}#tiny")
    wanted = resolve_experiment(plugins.registry, name, {}, {"name": "short", "trials": 1}, roles)
    try:
        suite = experiments.load_suite(plugins.registry, wanted.suite)
    except MissingExtra as missing:
        pytest.skip(str(missing))

    def short() -> Suite:
        """One task of few turns."""
        return msgspec.structs.replace(
            suite.head(1), name="short", rules=msgspec.structs.replace(suite.rules, max_turns=2)
        )

    plugins.registry.add("suite", "short", short)
    wanted = msgspec.structs.replace(wanted, suite="short", limit=None)
    outcome = asyncio.run(Run(plugins, wanted, Options(out=tmp_path, workers=0, validate=False)).play())
    assert outcome.complete
    assert {row.method: row.errors for row in outcome.summary.methods} == {m.name: {} for m in wanted.method}
    assert {uri for row in outcome.summary.methods for uri in row.models.values()} == set(roles.values())
    assert stub.chats()
