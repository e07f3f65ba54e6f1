"""The measures find a truth that was built in: advice that is right helps, its controls do not."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from cornerman import experiment as experiments
from cornerman.assets import assets_status
from cornerman.plugins import Plugins
from cornerman.runner import Options, Run
from cornerman.summary import Row


def rows(plugins: Plugins, experiment: experiments.Experiment, out: Path) -> dict[str, Row]:
    """Play an experiment in this process and answer its rows by method."""
    outcome = asyncio.run(Run(plugins, experiment, Options(out=out, workers=0)).play())
    assert outcome.complete
    return {row.method: row for row in outcome.summary.methods}


@pytest.fixture(scope="module")
def study(plugins: Plugins, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Row], Path]:
    """The shipped experiment, played."""
    if not any(s.present for s in assets_status() if s.asset.name == "alfworld"):
        pytest.skip("the asset 'alfworld' is not here: cornerman data alfworld")
    out = tmp_path_factory.mktemp("study")
    return rows(plugins, experiments.load(plugins.registry, "advice-study"), out), out / "advice-study"


def test_advice_that_is_right_helps(study: tuple[dict[str, Row], Path]) -> None:
    """The interval of the paired difference on 40 tasks excludes 0."""
    delta = study[0]["advice"].delta
    assert delta is not None
    assert delta.tasks == 40
    assert delta.ci[0] > 0
    assert delta.p_holm < 0.001
    assert delta.helped > delta.harmed


def test_a_placebo_is_worth_nothing(study: tuple[dict[str, Row], Path]) -> None:
    """As many words that say nothing, at the same moments: the difference and its interval stay within ten points."""
    row = study[0]["placebo"]
    assert row.interventions_per_episode > 1, "the placebo has to speak for the control to mean anything"
    assert row.delta is not None
    assert abs(row.delta.difference) <= 0.1
    assert -0.1 <= row.delta.ci[0] <= row.delta.ci[1] <= 0.1


def test_advice_for_another_task_does_not_help(
    study: tuple[dict[str, Row], Path], plugins: Plugins, tmp_path: Path
) -> None:
    """Shuffled critiques, drawn from the recorded run, are not worth anything positive."""
    base = experiments.load(plugins.registry, "advice-study")
    advice = next(m for m in base.method if m.name == "advice")
    table = experiments.to_table(msgspec.structs.replace(base, method=(base.method[0], advice)))
    table |= {"name": "shuffled"}
    table["method"][1] |= {"name": "shuffled"}
    table["method"][1]["critic"][0]["wrap"] = {"use": "shuffled", "run": str(study[1])}
    row = rows(plugins, experiments.resolve(table, "shuffled", "the test"), tmp_path)["shuffled"]
    assert row.interventions_per_episode > 1
    assert row.delta is not None
    assert row.delta.difference <= 0
    assert row.delta.ci[0] <= 0
