"""Training end to end: a tiny model learns, equal runs are equal, and a killed one goes on exactly."""

from __future__ import annotations

import asyncio
import copy
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomli_w

torch = pytest.importorskip("torch", reason="training needs the extra 'train'")
pytest.importorskip("peft", reason="training needs the extra 'train'")

from tests.plugins.trainers.recipes import demonstrations, echo  # noqa: E402
from tests.support.command import CommandLine  # noqa: E402

from cornerman.errors import UsageError  # noqa: E402
from cornerman.plugins import Plugins, load  # noqa: E402
from cornerman_plugins.trainers.recipe.reading import resolve  # noqa: E402
from cornerman_plugins.trainers.running import checkpoint  # noqa: E402
from cornerman_plugins.trainers.running.checkpoint import State  # noqa: E402
from cornerman_plugins.trainers.running.run import Training  # noqa: E402
from cornerman_plugins.trainers.watching.curves import Point, read  # noqa: E402

PLUGINS: Plugins = load()


def train(table: dict[str, Any], folder: Path, told: Callable[[State, dict[str, float]], None] | None = None) -> State:
    training = Training(PLUGINS, resolve(copy.deepcopy(table), "test"), folder, told or (lambda state, figures: None))
    return asyncio.run(training.run())


def curve(folder: Path, metric: str) -> list[float]:
    return [p.value for p in read(folder) if p.metric == metric]


def weights(folder: Path) -> dict[str, Any]:
    last = checkpoint.last(folder)
    assert last is not None
    return {f"{n}/{k}": t for n in ("actor", "critic") for k, t in checkpoint.tensors_of(last, n).items()}


def same(one: Path, other: Path) -> bool:
    ours, theirs = weights(one), weights(other)
    return ours.keys() == theirs.keys() and all(torch.equal(ours[k], theirs[k]) for k in ours)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that imitated demonstrations."""
    folder = tmp_path_factory.mktemp("shown") / "run"
    train(demonstrations(SHOWN), folder)
    return folder


SHOWN, PLAYED = 45, 30
"""Updates after which the tests below say what has been learned."""


def test_actor_and_critic_learn_together(shown: Path, tmp_path: Path) -> None:
    """Within so many updates from demonstrations of which two in three are wrong."""
    state = train(echo(PLAYED, str(shown), every=PLAYED), tmp_path / "run")
    assert (state.update, state.stopped) == (PLAYED, "")
    before, after = curve(tmp_path / "run", "eval/critic/gain")
    assert after > before + 0.1
    before, after = curve(tmp_path / "run", "eval/critic/retry_success")
    assert after > before + 0.1
    assert max(curve(tmp_path / "run", "actor/gap")) < 1e-4  # the sampler's log-probabilities are the trainer's
    points = read(tmp_path / "run")
    assert {p.arm for p in points} == {"echo"}
    assert [p.environment_steps for p in points] == sorted(p.environment_steps for p in points)


def test_equal_runs_are_equal_and_a_broken_one_goes_on_exactly(shown: Path, tmp_path: Path) -> None:
    table = echo(3, str(shown), tasks=2, n=3, every=2, save=1)
    train(table, tmp_path / "whole")

    def breaks(state: State, figures: dict[str, float]) -> None:
        if state.update == 2:
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        train(table, tmp_path / "broken", breaks)
    assert checkpoint.state_of(checkpoint.last(tmp_path / "broken") or Path()).update == 1
    train(table, tmp_path / "broken")
    assert same(tmp_path / "whole", tmp_path / "broken")
    assert (tmp_path / "whole/curves.jsonl").read_bytes() == (tmp_path / "broken/curves.jsonl").read_bytes()
    train(table, tmp_path / "whole")  # nothing is left to do, and nothing is done
    assert same(tmp_path / "whole", tmp_path / "broken")


def test_a_run_killed_by_the_system_goes_on_exactly(shown: Path, tmp_path: Path) -> None:
    table = echo(4, str(shown), tasks=2, n=3, save=1)
    train(table, tmp_path / "whole")
    (tmp_path / "echo.toml").write_text(tomli_w.dumps(table))
    command = CommandLine(tmp_path)
    process = command.spawn(command.arguments("train", "echo.toml", "--out", "out"))
    folder = tmp_path / "out" / "echo-s0"
    for _ in range(3000):
        if checkpoint.found_in(folder)[-1:] and checkpoint.found_in(folder)[-1].name >= "00000002":
            break
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    train(table, folder)
    assert same(tmp_path / "whole", folder)
    assert (tmp_path / "whole/curves.jsonl").read_bytes() == (folder / "curves.jsonl").read_bytes()


def test_a_frozen_critic_stays_as_it_was(shown: Path, tmp_path: Path) -> None:
    table = echo(1, str(shown), tasks=2, n=3)
    table["schedule"]["roles"] = ["actor"]
    train(table, tmp_path / "run")
    before, after = weights(shown), weights(tmp_path / "run")
    assert all(torch.equal(before[k], after[k]) for k in before if k.startswith("critic/"))
    assert not all(torch.equal(before[k], after[k]) for k in before if k.startswith("actor/"))


@pytest.mark.parametrize("hold", ["adapters", "one-adapter"])
def test_adapters_on_one_base_are_sampled_from_as_they_are_trained(hold: str, tmp_path: Path) -> None:
    table = echo(3, tasks=2, n=3)
    table["weights"] = {"hold": hold, "rank": 4}
    how = table["stage"]["joint"]["learn"]
    for role in how.values():
        role |= {"rate": 0.05, "kl": {"estimator": "k3", "weight": 0.1}}
    train(table, tmp_path / "run")
    assert curve(tmp_path / "run", "critic/gradient" if hold == "adapters" else "shared/gradient")[0] > 0
    assert max(curve(tmp_path / "run", "actor/kl")) > 0
    gaps = [*curve(tmp_path / "run", "actor/gap"), *curve(tmp_path / "run", "critic/gap")]
    assert max(gaps) < 1e-4


def test_a_folder_of_another_recipe_is_refused(shown: Path) -> None:
    with pytest.raises(UsageError, match=r"another recipe \(schedule.options.updates: 45 there, 46 here\)"):
        train(demonstrations(SHOWN + 1), shown)


def test_a_collapsed_run_stops_and_says_why(shown: Path, tmp_path: Path) -> None:
    table = echo(5, str(shown), tasks=2, n=2)
    table["limits"] = {"entropy": 100.0, "patience": 2}
    state = train(table, tmp_path / "run")
    assert state.update == 2
    assert "entropy of its decisions is below 100 nats (for 2 updates)" in state.stopped
    assert read(tmp_path / "run")[-1].update == 2


def test_curves_hold_what_the_site_reads(shown: Path) -> None:
    lines = (shown / "curves.jsonl").read_text().splitlines()
    assert set(json.loads(lines[0])) == set(Point.__struct_fields__)
    assert {"train/first_score", "actor/loss", "critic/entropy", "actor/gradient"} <= {p.metric for p in read(shown)}
